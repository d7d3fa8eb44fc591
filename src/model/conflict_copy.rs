//! The copies that programs which synchronise folders leave beside a file that was changed on two machines.

use super::RepoPath;

/// What such programs write between brackets at the end of a name, in lower case: Dropbox, Nextcloud, Obsidian, Seafile.
const IN_BRACKETS: [&str; 3] = ["conflicted copy", "case conflict", "sfconflict "];

/// What they write before a date at the end of a name: Syncthing, ownCloud.
const BEFORE_DATE: [&str; 2] = [".sync-conflict-", "_conflict-"];

/// Returns the path of the file that a path, by its name, is a conflict copy of.
///
/// Only names that nothing else has count: `x 2.md` and `x (1).md` may be files of their own.
pub fn original_of_conflict_copy(path: &RepoPath) -> Option<RepoPath> {
    let (stem, extension) = path.name().rsplit_once('.')?;
    let bracketed = || {
        let (original, inside) = stem.strip_suffix(')')?.rsplit_once(" (")?;
        let inside = inside.to_lowercase();
        IN_BRACKETS.iter().any(|words| inside.contains(words)).then_some(original)
    };
    let dated = || {
        BEFORE_DATE.iter().find_map(|mark| {
            let (original, rest) = stem.rsplit_once(mark)?;
            let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
            (digits == 8).then_some(original)
        })
    };
    let original = bracketed().or_else(dated).filter(|original| !original.is_empty())?;
    path.beside(&format!("./{original}.{extension}")).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_original_of_a_copy_lies_beside_it() {
        for copy in [
            "x (conflicted copy).md",
            "x (Jane's conflicted copy 2026-01-02).md",
            "x (conflicted copy 2026-01-02 103012).md",
            "x (Conflicted copy phone 202601020103).md",
            "x (Case Conflict 1).md",
            "x (SFConflict jane@example.org 2026-01-02-10-30-12).md",
            "x.sync-conflict-20260102-103012-ABCDEFG.md",
            "x_conflict-20260102-103012.md",
        ] {
            let original = RepoPath::new(&format!("w/{copy}")).ok().and_then(|path| original_of_conflict_copy(&path));
            assert_eq!(original.as_ref().map(RepoPath::as_str), Some("w/x.md"), "{copy}");
        }
    }

    #[test]
    fn names_that_may_be_of_other_files_are_no_copies() {
        for name in
            ["x.md", "x 2.md", "x (1).md", "x (copy).md", "x_conflict-resolution.md", "(conflicted copy).md", "x"]
        {
            assert_eq!(RepoPath::new(name).ok().and_then(|path| original_of_conflict_copy(&path)), None, "{name}");
        }
    }
}
