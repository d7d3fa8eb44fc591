//! The rendering that is kept beside a pack: `<pack>.md` beside `<pack>.json`, for people who review both.

use crate::store::{Folder, StoreError, WriteResult};

/// The name of a pack's rendering.
pub fn name(pack: &str) -> String {
    format!("{}.md", pack.strip_suffix(".json").unwrap_or(pack))
}

/// Makes the file beside a pack hold its rendering.
///
/// # Errors
/// Where the system refuses.
pub fn write(folder: &Folder, name_of_pack: &str, rendering: &str) -> Result<WriteResult, StoreError> {
    folder.write(&name(name_of_pack), rendering.as_bytes())
}

/// What is wrong with the file beside a pack, where it is to be kept.
///
/// # Errors
/// Where the system refuses.
pub fn fault(folder: &Folder, name_of_pack: &str, rendering: &str) -> Result<Option<CompanionFault>, StoreError> {
    Ok(match folder.read(&name(name_of_pack))? {
        None => Some(CompanionFault::Missing),
        Some(bytes) if bytes == rendering.as_bytes() => None,
        Some(_) => Some(CompanionFault::Differs),
    })
}

/// How the file beside a pack is not what it should be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CompanionFault {
    /// It is not there.
    Missing,
    /// It says something else than the pack.
    Differs,
}

impl CompanionFault {
    /// As reasons say it.
    pub fn reason(self, name_of_pack: &str) -> String {
        let name = name(name_of_pack);
        match self {
            Self::Missing => format!("its Markdown `{name}` is missing"),
            Self::Differs => format!("its Markdown `{name}` is not its rendering"),
        }
    }
}

/// Removes the rendering beside a pack; anybody's own file of that name stays.
///
/// # Errors
/// Where the system refuses.
pub fn remove(folder: &Folder, name_of_pack: &str) -> Result<bool, StoreError> {
    let name = name(name_of_pack);
    Ok(is_there(folder, name_of_pack)? && folder.remove(&name)?)
}

/// Whether a rendering, stale or not, stands beside a pack.
///
/// # Errors
/// Where the system refuses.
pub fn is_there(folder: &Folder, name_of_pack: &str) -> Result<bool, StoreError> {
    Ok(folder.read(&name(name_of_pack))?.is_some_and(|bytes| is_rendering(&bytes)))
}

/// Whether a text is a rendering, in any form: the root stands in its frame, and the list of what was left out at the end.
fn is_rendering(bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(bytes);
    let opens = |line: &str, attributes: &str| {
        let rest =
            line.strip_prefix("<section").map(|rest| rest.trim_start_matches(|c: char| c == '-' || c.is_ascii_digit()));
        rest.is_some_and(|rest| rest.starts_with(attributes))
    };
    let framed = text.lines().any(|line| opens(line, " id=\"root.issue\" kind=\"issue\" "));
    let list = |end: &str| end.starts_with("Left out: ") || opens(end, " id=\"left-out\" kind=\"omissions\" ");
    framed && text.rsplit("\n\n").next().is_some_and(list)
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use crate::{render, review::read};

    #[test]
    fn a_rendering_is_told_from_a_file_of_somebody() {
        let mut pack = read(include_bytes!("../../tests/golden/minimal/packs/feat-greeting.coding.json")).unwrap();
        pack.budget.rendering = "markdown/1".to_owned();
        assert!(is_rendering(render::pack(&pack).whole().as_bytes()), "of an earlier version");
        pack.budget.rendering = crate::wire::RENDERING.to_owned();
        let text = render::pack(&pack).whole();
        assert!(is_rendering(text.as_bytes()));
        assert!(is_rendering(text.replace("greet", "meet").as_bytes()), "an edited one is one too");
        for other in ["", "# Notes\n", "Left out: nothing\n", &text[..text.len() / 2]] {
            assert!(!is_rendering(other.as_bytes()), "{other}");
        }
        assert_eq!(name("a.coding.json"), "a.coding.md");
    }
}
