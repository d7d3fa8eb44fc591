//! Lists of secrets under one name: `"unseal_keys_b64": ["…", "…"]`, `api_keys:` and below it `- …`.

use super::super::heuristics::{self, NameClass, is_one_of, looks_secret};
use super::super::names;
use super::super::rules::FindingLabel;
use super::Name;
use super::separator::{after_closers, skip_blanks};

/// The longest list that is read, and its most values.
const MAX_BYTES: usize = 2048;
const MAX_VALUES: usize = 24;

/// Passes the values of the list under `name` to `on_finding`; returns whether there is a list.
pub(super) fn values(text: &[u8], name: Name, mut on_finding: impl FnMut(usize, usize, &'static FindingLabel)) -> bool {
    let (at, _) = after_closers(text, name.end);
    let at = skip_blanks(text, at);
    if !matches!(text.get(at), Some(b':' | b'=')) {
        return false;
    }
    let at = skip_blanks(text, at + 1);
    if !matches!(text.get(at), Some(b'[' | b'{' | b'\n')) {
        return false;
    }
    let Some((class, label)) = class_of(&text[name.start..name.end]) else { return false };
    let limit = text.len().min(at + MAX_BYTES);
    let mut on_value = |start: usize, end: usize| {
        if is_secret(&text[start..end], class) {
            on_finding(start, end, label);
        }
    };
    // Keys without more are public ones, too.
    if &text[name.start..name.end] == b"keys" && memchr::memmem::find(&text[at..limit], b"\"keys_b").is_none() {
        return false;
    }
    match text[at] {
        b'\n' => entries(&text[..limit], at, &mut on_value),
        _ => strings(&text[..limit], at + 1, &mut on_value),
    }
    true
}

/// Returns the class of the values if a name in the plural says that they are secret.
fn class_of(name: &[u8]) -> Option<(NameClass, &'static FindingLabel)> {
    const CODINGS: [&[u8]; 4] = [b"_b64", b"_base64", b"_hex", b"_list"];
    let is_coded = CODINGS.iter().find(|coding| name.ends_with(coding));
    let name = is_coded.map_or(name, |coding| &name[..name.len() - coding.len()]);
    let one = name.strip_suffix(b"s").or_else(|| name.strip_suffix(b"S"))?;
    const KEYS: &str = "keys unseal_keys recovery_keys master_keys root_keys seal_keys key_shares";
    match names::class_of(one) {
        // The shares of a vault's key: their name in the singular is that of one of many keys.
        _ if is_coded.is_some() && is_one_of(KEYS, name) => Some((NameClass::Key, &names::KEY)),
        Some((NameClass::Hint, _)) if is_one_of(KEYS, name) => Some((NameClass::Key, &names::KEY)),
        Some((NameClass::Hint, _)) | None => None,
        found => found,
    }
}

/// Whether a value of a list is a secret: more than words have to say so than where it stands alone.
fn is_secret(value: &[u8], class: NameClass) -> bool {
    let coded = value.len() >= 40 && value.iter().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/' | b'='));
    match class {
        NameClass::Password => looks_secret(value, class, true) && !heuristics::is_name(value),
        NameClass::Key if coded => !heuristics::is_placeholder(value) && !heuristics::is_name(value),
        _ => heuristics::is_machine_made(value) && !heuristics::is_uuid(value),
    }
}

/// Passes the quoted strings from `at` to the end of their list to `on_value`.
fn strings(text: &[u8], mut at: usize, on_value: &mut impl FnMut(usize, usize)) {
    for _ in 0..MAX_VALUES {
        let between = |b: &u8| b.is_ascii_whitespace() || matches!(b, b',' | b'\\');
        at += text[at..].iter().take_while(|b| between(b)).count();
        let Some(quote @ (b'"' | b'\'')) = text.get(at) else { return };
        let start = at + 1;
        let length = text[start..].iter().take_while(|b| *b != quote && **b != b'\n' && **b != b'\\').count();
        if text.get(start + length).is_none_or(|b| *b == b'\n') {
            return;
        }
        on_value(start, start + length);
        at = start + length + 1;
        at += usize::from(text[at - 1] == b'\\');
    }
}

/// Passes the entries of the list of YAML below the line that ends at `at` to `on_value`.
fn entries(text: &[u8], mut at: usize, on_value: &mut impl FnMut(usize, usize)) {
    for _ in 0..MAX_VALUES {
        let start = at + 1;
        let Some(rest) = text.get(start..) else { return };
        let lead = rest.iter().take_while(|b| matches!(b, b' ' | b'\t' | b'>')).count();
        let Some(entry) = rest[lead..].strip_prefix(b"- ") else { return };
        let entry = &entry[..entry.iter().position(|b| *b == b'\n').unwrap_or(entry.len())];
        at = start + lead + 2 + entry.len();
        let quote = usize::from(matches!(entry.first(), Some(b'"' | b'\'' | b'`')));
        let end = entry.iter().skip(quote).position(|b| b.is_ascii_whitespace() || matches!(b, b'"' | b'\'' | b'`'));
        let end = end.map_or(entry.len(), |end| end + quote);
        let from = at - entry.len();
        on_value(from + quote, from + end);
    }
}

#[cfg(test)]
mod tests {
    use crate::redact::canaries::{SEED, fill};
    use crate::redact::detect::built_in;

    #[test]
    fn each_value_of_a_list_of_secrets_is_found() {
        for template in [
            "{\"unseal_keys_b64\": [\"<a43>=\", \"<c44>=\"], \"unseal_shares\": 2}",
            "\"recovery_keys_base64\": [\n  \"<a43>=\",\n  \"<c44>=\"\n],",
            "api_keys:\n  - <a30>\n  - <c31>\n",
            "access_tokens = ['<a30>', '<c31>']",
        ] {
            let text = fill(template, SEED);
            assert_eq!(built_in(text.as_bytes(), false).len(), 2, "{text}");
        }
    }

    #[test]
    fn other_lists_stay() {
        for template in [
            "\"tokens\": [\"the\", \"first\", \"token2\"]",
            "api_keys:\n  - name\n  - created_at\n",
            "cache_keys: ['<h64>']",
            "\"keys\": [\"<h64>\"]",
        ] {
            let text = fill(template, SEED);
            assert_eq!(built_in(text.as_bytes(), false).len(), 0, "{text}");
        }
    }
}
