//! Halves of surrogate pairs in JSON, which `JSON.stringify` of a text that was cut in the middle of a character writes.

use std::borrow::Cow;

/// Returns a JSON text with the escape of U+FFFD in place of each escape of half a surrogate pair (`\ud83d` alone).
pub fn whole_surrogates(json: &str) -> Cow<'_, str> {
    let mut out = String::new();
    let (mut from, mut at) = (0, 0);
    while let Some(next) = json[at..].find('\\') {
        at += next;
        let (length, is_half) = match (unit(&json[at..]), json.get(at + 6..).and_then(unit)) {
            (Some(0xd800..=0xdbff), Some(0xdc00..=0xdfff)) => (12, false),
            (Some(0xd800..=0xdfff), _) => (6, true),
            // The escape of any other character, a backslash among them.
            _ => (1 + json[at + 1..].chars().next().map_or(0, char::len_utf8), false),
        };
        if is_half {
            out.push_str(&json[from..at]);
            out.push_str("\\ufffd");
            from = at + length;
        }
        at += length;
    }
    if from == 0 {
        return Cow::Borrowed(json);
    }
    out.push_str(&json[from..]);
    Cow::Owned(out)
}

/// Returns the UTF-16 code unit whose escape a text begins with.
fn unit(text: &str) -> Option<u32> {
    let digits = text.strip_prefix("\\u")?.get(..4)?;
    digits.bytes().all(|byte| byte.is_ascii_hexdigit()).then(|| u32::from_str_radix(digits, 16).ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_halves_are_replaced() {
        for (json, whole) in [
            ("\"\\ud83d\"", "\"\\ufffd\""),
            ("\"\\ud83d\\ude00\\uD83D\"", "\"\\ud83d\\ude00\\ufffd\""),
            ("\"\\ude00\\ud83d\"", "\"\\ufffd\\ufffd\""),
            ("\"\\ud83d\\ud83d\\ude00\"", "\"\\ufffd\\ud83d\\ude00\""),
            ("\"\\\\ud83d\"", "\"\\\\ud83d\""),
            ("\"\\ud83", "\"\\ud83"),
            ("\\", "\\"),
            ("日本\\日\\ud83d日", "日本\\日\\ufffd日"),
        ] {
            assert_eq!(whole_surrogates(json), whole, "{json}");
        }
        assert!(matches!(whole_surrogates("\"\\u00e9\""), Cow::Borrowed(_)));
    }
}
