//! Workflow commands, which GitHub's runner executes in the log of any step: `::name …::…` at the start of a line,
//! `##[name …]…` anywhere.

use super::{is_hidden, is_line_end};
use std::fmt::Write as _;

/// A scanner that finds workflow commands in a text, character by character.
///
/// The runner compares with the rules of a locale, which ignore characters without weight. Every character that is neither
/// ASCII nor a letter nor a digit counts as ignored.
#[derive(Debug, Clone, Default)]
pub struct Commands {
    has_text: bool,
    is_colon: bool,
    /// How many `#` come right before the next character: none, one, or more.
    hashes: u8,
    /// Whether the position is inside a terminal's escape code, which a writer to a file removes.
    in_escape_code: bool,
}

impl Commands {
    /// Passes over the characters at the beginning of `text` of which none can be part of a command or is hidden: printable ASCII
    /// without `:`, `#`, `[` and what HTML reserves. Returns their length.
    pub fn skip_plain(&mut self, text: &str) -> usize {
        if self.in_escape_code {
            return 0;
        }
        let bytes = text.as_bytes();
        let length = bytes.iter().position(|byte| !is_plain(*byte)).unwrap_or(bytes.len());
        if length > 0 {
            (self.is_colon, self.hashes) = (false, 0);
            self.has_text |= bytes[..length].iter().any(|byte| *byte != b' ');
        }
        length
    }

    /// Returns whether the next character, `c`, completes a command; the caller then prints it as an escape.
    pub fn completes(&mut self, c: char) -> bool {
        if self.in_escape_code {
            self.in_escape_code = !matches!(c, '@'..='Z' | '\\'..='~');
        } else if c == '\u{1b}' {
            self.in_escape_code = true;
        } else if is_line_end(c) {
            *self = Self::default();
        } else if c == ' ' || c == '\t' {
            (self.is_colon, self.hashes) = (false, 0);
        } else if !is_ignored(c) {
            let completes = match c {
                ':' => self.is_colon,
                '[' => self.hashes == 2,
                _ => false,
            };
            self.is_colon = c == ':' && !self.has_text;
            self.hashes = if c == '#' { (self.hashes + 1).min(2) } else { 0 };
            self.has_text = true;
            return completes;
        }
        false
    }
}

fn is_plain(byte: u8) -> bool {
    matches!(byte, b' '..=b'~') && !matches!(byte, b':' | b'#' | b'[' | b'<' | b'>' | b'&')
}

fn is_ignored(c: char) -> bool {
    is_hidden(c) || !c.is_ascii() && !c.is_alphanumeric()
}

/// Returns equivalent JSON without anything that a terminal or a runner obeys or hides.
///
/// Such characters of its strings become escapes, and those for which `also` returns true given their offset. It is not asked
/// about printable ASCII characters other than `:`, `#`, `[`, `<`, `>` and `&`.
pub fn harmless_json(json: &str, also: impl Fn(usize, char) -> bool) -> String {
    let mut out = String::with_capacity(json.len() + json.len() / 16);
    let (mut commands, mut colon) = (Commands::default(), false);
    let mut at = 0;
    loop {
        let plain = commands.skip_plain(&json[at..]);
        out.push_str(&json[at..at + plain]);
        at += plain;
        colon &= plain == 0;
        let Some(c) = json[at..].chars().next() else { return out };
        // Two colons in a row only occur in strings. A reader of the JSON may print them at the start of a line.
        let completes = commands.completes(c) | (c == ':' && colon);
        // Line ends are those of the layout: inside strings they are escaped already.
        let escaped = completes || also(at, c) || is_hidden(c) && c != '\n';
        if escaped {
            for unit in c.encode_utf16(&mut [0; 2]) {
                // Writing to a `String` cannot fail.
                let _ = write!(out, "\\u{unit:04x}");
            }
        } else {
            out.push(c);
        }
        colon = c == ':' && !escaped || colon && is_ignored(c);
        at += c.len_utf8();
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    fn broken(text: &str) -> String {
        let mut commands = Commands::default();
        text.chars().map(|c| if commands.completes(c) { '!' } else { c }).collect()
    }

    #[test]
    fn json_means_the_same() {
        let value = serde_json::json!({"::a::": ["##[b]c", "x ::d::\n::e::", ":::", "#\u{200b}#[f]", "\u{9b}ü"], "##": ["[g]"]});
        for json in [value.to_string(), format!("{value:#}")] {
            let text = harmless_json(&json, |_, c| c == 'ü');
            assert_eq!(serde_json::from_str::<serde_json::Value>(&text).unwrap(), value, "{text}");
            assert!(!text.contains("::") && !text.contains("##[") && !text.contains('ü'), "{text}");
            assert_eq!(broken(&text), text);
        }
    }
}
