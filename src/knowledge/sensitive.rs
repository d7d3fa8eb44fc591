//! What the head of a document may say about it, however carelessly it is written.
//!
//! A front matter that no parser understands must not open a document that its author meant to close. So next to the parser
//! this reads the head of a text as a person would who looks for one word: whatever the format, the quotes, the indent or the
//! characters that nobody sees.

use crate::markdown::front_matter::front_matter;
use std::ops::Range;

/// The most lines and bytes of a head that no front matter bounds.
const MOST_LINES: usize = 200;
const MOST_BYTES: usize = 64 << 10;

/// Characters that nobody sees.
const UNSEEN: [char; 9] =
    ['\u{feff}', '\u{200b}', '\u{200c}', '\u{200d}', '\u{200e}', '\u{200f}', '\u{2060}', '\u{ad}', '\u{180e}'];

/// Returns the line on which the head of a text says, or may say, that the text holds secrets: a field `sensitivity` that is not
/// `normal`, or a type `credentials`, at any depth and in any notation.
pub(super) fn secret_line(text: &str) -> Option<u32> {
    let mut found = None;
    loose_fields(text, &mut |line, key, value| {
        let is_secret = match key {
            "type" | "doctype" => matches!(value, "credentials" | "credential"),
            key => key.ends_with("sensitivity") && value != "normal",
        };
        if is_secret {
            found = found.or(Some(line));
        }
    });
    found.or_else(|| bare_secret_line(text))
}

/// Returns the line of a text without an opening fence that says that the text holds secrets, if nothing but fields stands above
/// it. The values of prose (`Sensitivity: high`) are none.
fn bare_secret_line(text: &str) -> Option<u32> {
    let is_key = |key: &str| {
        let plain = |c: char| c.is_alphanumeric() || c.is_whitespace() || matches!(c, '_' | '-' | '"' | '\'');
        key.chars().all(plain) && (1..=3).contains(&key.split_whitespace().count())
    };
    let bounded = (1..).zip(text.lines()).take(MOST_LINES).filter(|(_, line)| line.len() < MOST_BYTES);
    for (number, line) in bounded {
        let line: String = line.chars().filter(|c| !UNSEEN.contains(c)).collect();
        if line.trim().is_empty() {
            continue;
        }
        let (key, value) = line.split_once([':', '=', '：', '﹕']).filter(|(key, _)| is_key(key))?;
        let [key, value] = [letters(key).replace('_', ""), letters(value).replace('_', "")];
        let is_secret = match key.as_str() {
            "type" | "doctype" => matches!(value.as_str(), "credentials" | "credential"),
            "sensitivity" => ["secret", "credential", "confidential"].iter().any(|word| value.contains(word)),
            _ => false,
        };
        if is_secret {
            return Some(number);
        }
    }
    None
}

/// Returns the letters and digits of a text in lower case.
fn letters(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric() || *c == '_').flat_map(char::to_lowercase).collect()
}

/// Calls `found` with the line of each field of the head of a text, and with its name and value in lower case, letters and
/// digits only.
pub(super) fn loose_fields(text: &str, found: &mut dyn FnMut(u32, &str, &str)) {
    for range in heads(text) {
        let first = 1 + text[..range.start].matches('\n').count();
        let part = &text[range];
        let escaped = part.contains("\\u00").then(|| unescaped(part));
        for (number, line) in (first..).zip(escaped.as_deref().unwrap_or(part).lines()) {
            let number = u32::try_from(number).unwrap_or(u32::MAX);
            let line: String = line.chars().filter(|c| !UNSEEN.contains(c)).collect();
            for field in line.split([',', '{', '}']) {
                let Some((key, value)) = field.split_once([':', '=', '：', '﹕']) else { continue };
                found(number, &letters(key).replace('_', ""), &letters(value));
            }
        }
    }
}

/// Returns the parts of a text that may be a front matter: that of the parser, what follows it if that begins like one, else
/// the beginning of a text that begins like one.
fn heads(text: &str) -> Vec<Range<usize>> {
    match front_matter(text) {
        Some(front) => [Some(front.yaml), opened(text, front.body)].into_iter().flatten().collect(),
        None => opened(text, 0).into_iter().collect(),
    }
}

/// Returns the part of a text behind `start` that begins as a front matter does in some notation.
fn opened(text: &str, start: usize) -> Option<Range<usize>> {
    let seen = text[start..].trim_start_matches(|c: char| c.is_whitespace() || UNSEEN.contains(&c));
    let begins = ["---", "+++", ";;;", "{", "%YAML", "<!--"].iter().any(|mark| seen.starts_with(mark));
    if !begins {
        return None;
    }
    let mut fences = 0;
    let mut end = 0;
    for line in seen.split_inclusive('\n').take(MOST_LINES) {
        let is_fence = ["---", "+++", ";;;"].iter().any(|fence| line.starts_with(fence)) || line.trim_end() == "...";
        fences += usize::from(is_fence);
        // The second block may be the one that says it.
        if fences > 3 || end + line.len() > MOST_BYTES {
            break;
        }
        end += line.len();
    }
    let start = text.len() - seen.len();
    Some(start..start + end)
}

/// Replaces escapes of ASCII characters (`\u0069`) by the characters.
fn unescaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("\\u00") {
        out.push_str(before);
        match after.get(..2).and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
            Some(byte) => {
                out.push(char::from(byte));
                rest = &after[2..];
            }
            None => {
                out.push_str("\\u00");
                rest = after;
            }
        }
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_head_in_any_notation_is_understood() {
        for head in [
            "---\nsensitivity:\tcontains_secrets\n---\n",
            "---\n.x: 1\nsensitivity: contains_secrets\n---\n",
            "---\n<<: {sensitivity: contains_secrets}\n---\n",
            "---\nsensitivity: normal\nsensitivity: contains_secrets\n---\n",
            "---\n  title: @x\n  sensitivity: contains_secrets\n---\n",
            "---\n{title: @x, sensitivity: contains_secrets}\n---\n",
            "---\n- sensitivity: contains_secrets\n---\n",
            "---\n\"sens\\u0069tivity\": contains_secrets\n---\n",
            "---\nsensitivity:contains_secrets\n---\n",
            "---\nsensitivity\u{a0}: contains_secrets\n---\n",
            "---\nsensitivity：contains_secrets\n---\n",
            "---\n# c\nsensitivity: contains_secrets\n",
            "---\n\nsensitivity: contains_secrets\n",
            "---\ntags:\n  - a\nsensitivity: contains_secrets\n...\n",
            "---\ntitle: x\ntype: credentials\n\n",
            "+++\nsensitivity = \"contains_secrets\"\n+++\n",
            "---yaml\nsensitivity: contains_secrets\n---\n",
            "{\"sensitivity\": \"contains_secrets\"}\n",
            "\u{feff}\u{feff}---\nsensitivity: contains_secrets\n---\n",
            "\u{200b}\n<!-- c -->\n---\nsensitivity: contains_secrets\n---\n",
            "---\n---\n---\nsensitivity: contains_secrets\n---\n",
            "---\ntitle: x\n---\n---\nsensitivity: contains_secrets\n---\n",
            "%YAML 1.2\n---\nsensitivity: contains_secrets\n---\n",
            "--- # c\ndoc-type: credentials\n---\n",
            "---\nsensi\u{200b}tivity: contains_secrets\n---\n",
            "---\ntype: [credentials]\n---\n",
            ";;;\n{\"sensitivity\":\"contains_secrets\"}\n;;;\n",
            "sensitivity: contains_secrets\n",
            "title: x\n\nsensitivity: contains-secrets\n---\n",
            "\u{feff}Doc-Type = \"credentials\"\n+++\n",
        ] {
            assert!(secret_line(&format!("{head}# Text\n\nA body.\n")).is_some(), "{head:?}");
        }
    }

    #[test]
    fn the_line_is_that_of_the_text() {
        for (line, text) in [
            (3, "+++\ntitle = \"x\"\nsensitivity = \"contains_secrets\"\n+++\n"),
            (3, "\n---\nsensitivity: contains_secrets\n---\n"),
            (6, "---\ntitle: x\n---\n\n---\nsensitivity: contains_secrets\n---\n"),
        ] {
            assert_eq!(secret_line(text), Some(line), "{text:?}");
        }
    }

    #[test]
    fn an_open_document_stays_open() {
        for text in [
            "---\nsensitivity: normal\ntype: playbook\n---\n# A\n",
            "---\ntitle: How credentials are kept\n---\n# A\n\ntype: credentials\n",
            "# Secrets\n\nsensitivity: contains_secrets\n",
            "---\n\nA break, then text.\n\n---\n",
            "Sensitivity: how much a sensor sees\n\n# A\n",
            "Documents with `sensitivity: contains_secrets` are closed.\n",
            "Note: see below.\nWe write, for such texts,\nsensitivity: contains_secrets\n",
            "",
        ] {
            assert_eq!(secret_line(text), None, "{text:?}");
        }
    }
}
