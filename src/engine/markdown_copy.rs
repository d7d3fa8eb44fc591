//! The Markdown copy of a pack: `<pack>.md` next to `<pack>.json`, for people who review both.

pub use crate::cache::rendering_name as name;
use crate::review::PackStatus;
use crate::store::{Folder, StoreError, WriteResult};

pub fn write(folder: &Folder, pack_name: &str, rendering: &str) -> Result<WriteResult, StoreError> {
    folder.write(&name(pack_name), rendering.as_bytes())
}

/// Returns how the Markdown copy of a pack differs from its rendering, if it does: the status of the pack, and the reason.
pub fn fault(folder: &Folder, pack_name: &str, rendering: &str) -> Result<Option<(PackStatus, String)>, StoreError> {
    let name = name(pack_name);
    Ok(match folder.read(&name)? {
        None => Some((PackStatus::Missing, format!("its Markdown `{name}` is missing"))),
        Some(bytes) if bytes == rendering.as_bytes() => None,
        Some(_) => Some((PackStatus::Edited, format!("its Markdown `{name}` is not its rendering"))),
    })
}

/// Removes the Markdown copy of a pack, but no other file of that name. Returns whether it did.
pub fn remove(folder: &Folder, pack_name: &str) -> Result<bool, StoreError> {
    let name = name(pack_name);
    Ok(exists(folder, pack_name)? && folder.remove(&name)?)
}

/// Returns whether a pack has a Markdown copy, stale or not.
pub fn exists(folder: &Folder, pack_name: &str) -> Result<bool, StoreError> {
    Ok(folder.read(&name(pack_name))?.is_some_and(|bytes| is_rendering(&bytes)))
}

/// Returns whether a text is a rendering of any version, by the frame of its root and its list of omissions.
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
