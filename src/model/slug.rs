//! File names of packs.

use super::Digest;

/// The longest slug, in bytes, before it is shortened and given a digest.
const LONGEST: usize = 100;

/// Returns the part of a pack's file name that identifies its root `id`.
///
/// Lower case, everything outside `[a-z0-9._-]` as `-`, no leading `.` or `-`.
/// If a non-ASCII character was replaced or the result is too long, 8 hex
/// digits of the id's SHA-256 keep two such ids apart. An issue of the
/// configured repo is `issue-<n>`; its caller passes that as the id.
pub fn slug(id: &str) -> String {
    let mut text: String = id
        .chars()
        .map(|c| match c.to_ascii_lowercase() {
            c @ ('a'..='z' | '0'..='9' | '.' | '_' | '-') => c,
            _ => '-',
        })
        .collect();
    text = text.trim_start_matches(['.', '-']).to_owned();
    if id.is_ascii() && text.len() <= LONGEST && !text.is_empty() {
        return text;
    }
    text.truncate(LONGEST - 9);
    format!("{text}-{}", Digest::of(id).short(8)).trim_start_matches('-').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slugs_are_safe_file_names() {
        assert_eq!(slug("feat:Limits"), "feat-limits");
        assert_eq!(slug("EIP-1559"), "eip-1559");
        assert_eq!(slug("../../x"), "x");
        assert_eq!(slug("docs/a b.md"), "docs-a-b.md");
    }

    #[test]
    fn replaced_and_long_ids_stay_apart() {
        assert_ne!(slug("日本"), slug("日木"));
        assert!(slug("日本").len() == 8 || slug("日本").ends_with(&Digest::of("日本").short(8)));
        assert_ne!(slug(&"a".repeat(101)), slug(&"a".repeat(102)));
        assert!(slug(&"a".repeat(400)).len() <= 100);
    }
}
