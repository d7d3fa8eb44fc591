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
    fn names_of_devices_are_no_file_names() {
        for id in ["aux", "CON", "prn", "nul.x", "com1", "LPT9.md.y", ".aux", "-con"] {
            let slug = slug(id);
            assert!(slug.ends_with(&Digest::of(id).short(8)) && !is_device_name(&slug), "{slug}");
        }
        for id in ["auxiliary", "con-1", "com10", "x.aux", "com", "lpt-1"] {
            assert_eq!(slug(id), id);
        }
    }

    #[test]
    fn replaced_and_long_ids_stay_apart() {
        assert_ne!(slug("日本"), slug("日木"));
        assert!(slug("日本").len() == 8 || slug("日本").ends_with(&Digest::of("日本").short(8)));
        assert_ne!(slug(&"a".repeat(101)), slug(&"a".repeat(102)));
        assert!(slug(&"a".repeat(400)).len() <= 100);
    }
}
