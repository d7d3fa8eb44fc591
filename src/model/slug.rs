//! File names of packs.

use super::Digest;

/// The longest slug, in bytes, before it is shortened and given a digest.
const LONGEST: usize = 100;

/// Returns the part of a pack's file name that identifies its root `id`.
///
/// Lower case, everything outside `[a-z0-9._-]` as `-`, no leading `.` or `-`.
/// If a non-ASCII character was replaced or the result is too long, 8 hex
/// digits of the id's SHA-256 keep two such ids apart. They also follow a name
/// that Windows reserves for a device, such as `aux` or `con.x`. An issue of the
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
    let is_device = is_device_name(&text);
    if id.is_ascii() && text.len() <= LONGEST && !text.is_empty() && !is_device {
        return text;
    }
    if is_device {
        // What follows the first full stop does not count.
        text = text.replacen('.', "-", 1);
    }
    text.truncate(LONGEST - 9);
    format!("{text}-{}", Digest::of(id).short(8)).trim_start_matches('-').to_owned()
}

/// Returns whether Windows takes a file of this name, in lower case, for a device, whatever its extensions.
fn is_device_name(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or(name);
    let port = |kind: &str| stem.strip_prefix(kind).is_some_and(|n| matches!(n.as_bytes(), [b'0'..=b'9']));
    ["aux", "con", "nul", "prn"].contains(&stem) || port("com") || port("lpt")
}
