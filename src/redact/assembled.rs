//! Tokens that a text puts together from variables that it assigns just before: `A="ghp_…"`, `B="…"`, `TOKEN="$A$B"`.

use super::detect::{self, Finding, RuleRef};
use super::rules::{FindingLabel, decode_base64};
use super::text::{first_line, is_word};
use std::ops::Range;

/// The beginning of a list of words in Ruby.
pub(super) const LIST: &str = "%w[";
/// The longest line of variables, and half the longest list of words.
const MAX_LINE: usize = 120;
/// How far before its use a variable may be assigned.
const MAX_DISTANCE: usize = 800;
/// The most parts, and the least length of each.
const MAX_PARTS: usize = 6;
const MIN_PART: usize = 4;

/// A callback for a secret: its start, its end and its label.
type OnFinding<'a> = &'a mut dyn FnMut(usize, usize, &'static FindingLabel);

/// Passes the words of the list at `hit` to `found`, if they are the parts of a token.
pub(super) fn list(text: &[u8], hit: usize, found: OnFinding<'_>) {
    if let Some(parts) = words_of_list(text, hit) {
        each_part(text, b"list", &parts, found);
    }
}

/// Passes the values of the variables at `at`, which are put together under `name`, to `found`, if they are the parts of a
/// secret.
pub(super) fn sum(text: &[u8], name: &[u8], at: usize, found: OnFinding<'_>) {
    if let Some(parts) = variables(text, at).or_else(|| words_of_list(text, at)) {
        each_part(text, name, &parts, found);
    }
}

/// Passes the value of a variable that the expression at `at` decodes to `found`, if it is Base64 of a text:
/// `base64.b64decode(enc)`, `$(echo $ENC | base64 -d)`.
pub(super) fn decoded(text: &[u8], at: usize, label: &'static FindingLabel, found: OnFinding<'_>) {
    let line = first_line(&text[at..text.len().min(at + MAX_LINE)]);
    if memchr::memmem::find(line, b"64").is_none() && memchr::memmem::find(line, b"atob(").is_none() {
        return;
    }
    let mut words = 0;
    for (from, to) in words_of(line) {
        words += 1;
        let word = &line[from..to];
        if words > 16 {
            return;
        }
        let is_variable = !word[0].is_ascii_digit() && !matches!(line.get(to), Some(b'(' | b'.' | b':'));
        if is_variable
            && let Some(value) = assigned(text, at, word)
            && is_encoded_text(&text[value.clone()])
        {
            found(value.start, value.end, label);
            return;
        }
    }
}

/// Returns the places of the words of a line.
fn words_of(line: &[u8]) -> impl Iterator<Item = (usize, usize)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        at += line[at..].iter().position(|b| is_word(*b))?;
        let start = at;
        at += line[at..].iter().take_while(|b| is_word(**b)).count();
        Some((start, at))
    })
}

/// Whether `value` is Base64 of six printable characters or more.
fn is_encoded_text(value: &[u8]) -> bool {
    let decoded = decode_base64(value);
    let spelled = value.iter().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/' | b'=' | b'-' | b'_'));
    spelled && decoded.len() >= 6 && decoded.iter().all(|b| (0x20..0x7f).contains(b))
}

/// Passes what rules find in the parts together to `found`.
pub(super) fn each_part(text: &[u8], name: &[u8], parts: &[Range<usize>], found: OnFinding<'_>) {
    let mut joined = name.to_vec();
    joined.extend(b" = \"");
    let mut ends = Vec::with_capacity(parts.len());
    for part in parts {
        joined.extend(&text[part.clone()]);
        ends.push(joined.len());
    }
    joined.push(b'"');
    for Finding { start, end, rule } in detect::built_in_once(&joined) {
        let RuleRef::BuiltIn(label) = rule else { continue };
        for (part, part_end) in parts.iter().zip(&ends) {
            let part_start = part_end - part.len();
            let (from, to) = (start.max(part_start), end.min(*part_end));
            if from < to {
                found(part.start + from - part_start, part.start + to - part_start, label);
            }
        }
    }
}

/// Returns the words of a list that are joined without anything between: `%w[ghp_ab cd].join`.
fn words_of_list(text: &[u8], hit: usize) -> Option<Vec<Range<usize>>> {
    let open = hit + 3;
    text[hit..].strip_prefix(b"%w[")?;
    let length = text[open..].iter().take(2 * MAX_LINE).position(|b| *b == b']')?;
    text[open + length..].strip_prefix(b"].join").filter(|rest| !rest.starts_with(b"(\" \")"))?;
    let mut parts = Vec::new();
    let mut at = open;
    for word in text[open..open + length].split(|b| b.is_ascii_whitespace()) {
        parts.push(at..at + word.len());
        at += word.len() + 1;
    }
    parts.retain(|part| !part.is_empty());
    (parts.len() <= MAX_PARTS).then_some(parts)
}

/// Returns the places of the values of the variables from `at` to the end of its line.
pub(super) fn variables(text: &[u8], at: usize) -> Option<Vec<Range<usize>>> {
    let value = first_line(&text[at..text.len().min(at + MAX_LINE)]);
    if value.len() == MAX_LINE {
        return None;
    }
    // The value consists of names and of what puts them together.
    let is_mark = |b: &u8| {
        is_word(*b)
            || matches!(
                b,
                b'$' | b'{' | b'}' | b'"' | b'\'' | b'`' | b'#' | b'+' | b'.' | b' ' | b';' | b'=' | b'(' | b')'
            )
    };
    if !value.iter().all(is_mark) {
        return None;
    }
    let mut parts = Vec::new();
    for word in value.split(|b| !is_word(*b)).filter(|word| !word.is_empty()) {
        // The prefix of a string that holds variables.
        if parts.is_empty() && matches!(word, b"f" | b"s") && value.contains(&b'{') {
            continue;
        }
        if parts.len() == MAX_PARTS || word[0].is_ascii_digit() {
            return None;
        }
        parts.push(assigned(text, at, word)?);
    }
    (parts.len() >= 2).then_some(parts)
}

/// Returns the place of the value that is assigned to `name` before `end`.
fn assigned(text: &[u8], end: usize, name: &[u8]) -> Option<Range<usize>> {
    let low = end.saturating_sub(MAX_DISTANCE);
    let window = &text[low..end];
    let at = memchr::memmem::rfind_iter(window, name).find(|at| {
        let whole = at.checked_sub(1).is_none_or(|before| !is_word(window[before]));
        let rest = window[at + name.len()..].trim_ascii_start();
        whole && matches!(rest.first(), Some(b'=' | b':'))
    })?;
    let mut from = low + at + name.len();
    let mark = |b: &u8| matches!(b, b' ' | b'=' | b':' | b'"' | b'\'' | b'`');
    from += text[from..end].iter().take(8).take_while(|b| mark(b)).count();
    let length = text[from..end]
        .iter()
        .take_while(|b| !b.is_ascii_whitespace() && !matches!(b, b'"' | b'\'' | b'`' | b';'))
        .count();
    // `a = f('…')`: the value is not there.
    let called = text[..from + length].ends_with(b"(");
    (length >= MIN_PART && !called).then_some(from..from + length)
}

#[cfg(test)]
mod tests {
    use crate::redact::canaries::{SEED, fill};
    use crate::redact::detect::built_in;

    #[test]
    fn parts_in_variables_are_found_where_they_are_put_together() {
        let (first, second) = (fill("ghp_<a18>", SEED), fill("<a14>7x9q", SEED));
        for template in [
            "A=\"FIRST\"\nB=\"SECOND\"\nTOKEN=\"$A$B\"",
            "A=FIRST\nB=SECOND\nexport TOKEN=${A}${B}",
            "a = 'FIRST'\nb = 'SECOND'\ntoken = a + b",
            "A=FIRST\nB=SECOND\nTOKEN=$A$B",
            "const a = `FIRST`;\nconst b = `SECOND`;\nconst apiToken = `${a}${b}`;",
            "t = %w[FIRST SECOND].join",
        ] {
            let text = template.replace("FIRST", &first).replace("SECOND", &second);
            let found = built_in(text.as_bytes(), false);
            for part in [&first, &second] {
                assert!(found.iter().any(|found| text[found.start..found.end].contains(part.as_str())), "{text}");
            }
        }
    }

    #[test]
    fn variables_that_are_decoded_are_found() {
        // `Cupboard!Red77` and two more characters.
        let encoded = ["Q3VwYm9h", "cmQhUmVk", "Nzc/IQ=="].concat();
        for template in [
            "$b = \"@\"\n$pw = [Text.Encoding]::UTF8.GetString([Convert]::FromBase64String($b))\n",
            "ENC=@\nPASSWORD=$(echo $ENC | base64 -d)\n",
            "s = '@'\npassword = atob(s)\n",
        ] {
            let text = template.replace('@', &encoded);
            let found = built_in(text.as_bytes(), false);
            assert!(found.iter().any(|found| text[found.start..found.end] == encoded), "{text}");
        }
        let text = "s = 'abcdef123'\npassword = b64(s)\n";
        assert!(built_in(text.as_bytes(), false).is_empty());
    }

    #[test]
    fn other_sums_stay() {
        for text in [
            "a = 'first'\nb = 'second'\nc = a + b",
            "key1 = LampApiKey('my_key')\nsecond = OAuth2Lamp('x')\nauth = key1 + second",
            "x = i + 1",
            "path=\"$HOME/bin\"",
            "%w[one two].join(\" \")",
        ] {
            assert!(built_in(text.as_bytes(), false).is_empty(), "{text}");
        }
    }
}
