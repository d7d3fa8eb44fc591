//! The addresses of packs: `contextpack://pack/<root>?profile=<profile>`.

use super::server::unknown_name;
use super::target::PackQuery;
use crate::console::Failure;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

/// What the address of every pack begins with.
const BASE: &str = "contextpack://pack/";

/// The template of the addresses (RFC 6570).
pub(super) const TEMPLATE: &str = "contextpack://pack/{root}{?profile}";

/// What is escaped in a part of an address: all but the unreserved characters of RFC 3986.
const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// Returns the address of the pack of a root.
pub(super) fn address(root: &str, profile: &str) -> String {
    let escaped = |part| utf8_percent_encode(part, ESCAPED);
    format!("{BASE}{}?profile={}", escaped(root), escaped(profile))
}

/// Returns the pack that an address names.
///
/// # Errors
/// If it has another form.
pub(super) fn query(address: &str) -> Result<PackQuery, Failure> {
    let unknown = || {
        let address = unknown_name(address);
        Failure::usage(format!("`{address}` is no resource: their addresses are `{TEMPLATE}`"))
    };
    let decoded = |part: &str| {
        let text = percent_decode_str(part).decode_utf8().map_err(|_| unknown())?;
        if text.is_empty() || text.contains(char::is_control) { Err(unknown()) } else { Ok(text.into_owned()) }
    };
    if address.len() > 4096 {
        return Err(Failure::usage("the address of a resource has at most 4096 bytes"));
    }
    let rest = address.strip_prefix(BASE).ok_or_else(unknown)?;
    let (root, profile) = match rest.split_once('?') {
        None => (rest, None),
        Some((root, options)) => (root, Some(options.strip_prefix("profile=").ok_or_else(unknown)?)),
    };
    if rest.contains('#') || profile.is_some_and(|profile| profile.contains(['&', '='])) {
        return Err(unknown());
    }
    let profile = profile.map(decoded).transpose()?;
    Ok(PackQuery { root: Some(decoded(root)?), profile, ..PackQuery::default() })
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn an_address_names_the_root_and_the_profile_that_it_was_made_of(root in "\\PC{1,30}", profile in "[a-z0-9-]{1,9}") {
            let address = address(&root, &profile);
            prop_assert!(address.is_ascii() && !address.contains(' '));
            let query = query(&address).unwrap();
            prop_assert_eq!((query.root, query.profile), (Some(root), Some(profile)));
        }
    }

    #[test]
    fn other_addresses_are_refused() {
        let secret = format!("{BASE}a?profile=b&profile=c");
        for address in [
            "",
            BASE,
            "file:///etc/passwd",
            "contextpack://pack/a?x=b",
            "contextpack://pack/%ff",
            "contextpack://pack/a%0ab",
            "contextpack://pack/a#b",
            &secret,
        ] {
            assert!(query(address).is_err(), "{address}");
        }
        // A client may leave out the escapes of an issue.
        assert_eq!(query("contextpack://pack/feat:a/b").unwrap().root.unwrap(), "feat:a/b");
    }
}
