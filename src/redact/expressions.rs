//! Expressions that a program evaluates to one string, although no line has it: sums and joined lists of literals, formats of
//! nothing but parameters, lists of character codes, and values that are spelled with blanks.
//!
//! A secret's name leads here; the string is judged as the value of that name.

use super::detect::{self, Finding, RuleRef};
use super::generic::OnFinding;
use super::heuristics::{self, WordList};
use super::text::is_word;
use std::ops::Range;

/// The longest expression that is read.
const MAX_EXPRESSION: usize = 1200;
/// The most parts of a string.
const MAX_PARTS: usize = 256;
/// The least number of character codes, and of characters with blanks between them.
const MIN_CODES: usize = 6;
const MIN_SPELLED: usize = 8;

/// Words of expressions that join their parts with nothing but what is written.
static JOINERS: WordList = WordList::new(
    "join implode concat format sprintf sprint printf f paste0 paste strcat append push_str buildstring fn add of println",
);
/// Other words that may be in such an expression: types, conversions, and what decodes a list of codes.
static NEUTRAL: WordList = WordList::new(
    "string str std fmt strings array list vec bytes bytearray byte uint8 u8 int char chr chars map fromcharcode fromcodepoint \
    tochararray stringbuilder stringbuffer new to_string to_owned tostring into freeze strip trim decode encode utf8 ascii pack \
    buffer from uint8array encoding getstring getbytes system text convert unicode const listof arrayof w r b u n l collect \
    static self slice to_vec as_str",
);
/// Variables of the loop that turns codes into characters.
static LOOP: WordList = WordList::new("for in x c i n b ch code lambda");
/// Names of encodings, which are arguments and no part of the string.
static ENCODINGS: WordList = WordList::new("utf-8 utf8 ascii latin1 latin-1 us-ascii c* u*");

/// A part of a string: the place that it comes from, and what it stands for.
struct Part {
    raw: Range<usize>,
    text: Vec<u8>,
}

/// Passes the secret that the expression at `at` evaluates to, which `name` is assigned, to `found`.
pub(super) fn secret(text: &[u8], name: &[u8], at: usize, found: OnFinding<'_>) {
    let parts = Expression::new(text, name, at).parts().or_else(|| spelled(text, at)).or_else(|| pairs(text, at));
    let Some(parts) = parts else { return };
    let mut joined = name.to_vec();
    joined.extend(b" = \"");
    let mut ends = Vec::with_capacity(parts.len());
    for part in &parts {
        joined.extend(&part.text);
        ends.push(joined.len());
    }
    joined.push(b'"');
    for Finding { start, end, rule } in detect::built_in_once(&joined) {
        let RuleRef::BuiltIn(label) = rule else { continue };
        let first = ends.partition_point(|part_end| *part_end <= start);
        let last = ends.partition_point(|part_end| *part_end < end).min(parts.len() - 1);
        if first <= last {
            found(parts[first].raw.start, parts[last].raw.end, label);
        }
    }
}

/// A reader of one expression.
struct Expression<'t> {
    text: &'t [u8],
    name: &'t [u8],
    at: usize,
    limit: usize,
    depth: usize,
    strings: Vec<Range<usize>>,
    codes: Vec<Part>,
    /// Whether something joins what commas part, whether any do, and whether a loop's variable occurred.
    joins: bool,
    commas: bool,
    loops: bool,
    /// Whether an operand must follow, so that the expression goes on at the next line.
    open: bool,
    /// Whether the list has its items on lines of their own, as in YAML.
    block: bool,
}

impl<'t> Expression<'t> {
    fn new(text: &'t [u8], name: &'t [u8], at: usize) -> Self {
        // `"{{ 'a' ~ 'b' }}"`
        let template = text[at..].starts_with(b"\"{{") || text[at..].starts_with(b"'{{");
        let at = at + usize::from(template);
        Self {
            text,
            name,
            at,
            limit: text.len().min(at + MAX_EXPRESSION),
            depth: 0,
            strings: Vec::new(),
            codes: Vec::new(),
            joins: false,
            commas: false,
            loops: false,
            open: true,
            block: false,
        }
    }

    /// Returns the parts of the string; `None` if it is none, or a single literal.
    fn parts(mut self) -> Option<Vec<Part>> {
        while self.at < self.limit && self.strings.len() + self.codes.len() < MAX_PARTS {
            if !self.step()? {
                break;
            }
        }
        self.evaluated()
    }

    /// Reads one token; `Some(false)` at the end of the expression, `None` if it is none of literals.
    fn step(&mut self) -> Option<bool> {
        let rest = &self.text[self.at..self.limit];
        match rest[0] {
            b' ' | b'\t' | b'\r' => self.at += 1,
            b'\n' => return Some(self.next_line()),
            b'/' if rest.starts_with(b"/*") => self.at += memchr::memmem::find(rest, b"*/")? + 2,
            b'/' if rest.starts_with(b"// '") || rest.starts_with(b"// \"") => self.operator(2),
            b'/' if rest.starts_with(b"//") => self.skip_line(),
            b'#' if self.text[..self.at].ends_with(b" ") => self.skip_line(),
            b'-' if rest.starts_with(b"-- ") => self.skip_line(),
            b'-' if rest.get(1).is_some_and(u8::is_ascii_alphabetic) || self.block => self.at += 1,
            b'`' if rest.get(1) == Some(&b'\n') => self.operator(1),
            quote @ (b'"' | b'\'' | b'`') => {
                let Some(length) = closing(&rest[1..], quote) else {
                    return (self.depth == 0 && !self.open).then_some(false);
                };
                let start = self.at + 1;
                let key = self.text[start + length + 1..].first() == Some(&b':');
                self.at = start + length + 1;
                self.open = false;
                match &self.text[start..start + length] {
                    b"Fn::Join" if key => (self.joins, self.open) = (true, true),
                    _ if key => return None,
                    content if ENCODINGS.has(content) => {}
                    _ => self.strings.push(start..start + length),
                }
            }
            b'0'..=b'9' => return self.code().map(|()| true),
            b'(' | b'[' | b'{' => {
                self.depth += 1;
                self.at += 1;
            }
            b')' | b']' | b'}' => {
                let Some(depth) = self.depth.checked_sub(1) else { return Some(false) };
                (self.depth, self.open) = (depth, false);
                self.at += 1;
            }
            b',' => {
                self.commas = true;
                self.operator(1);
            }
            b';' if self.depth == 0 => {
                self.at += 1;
                return Some(self.adds_to_name());
            }
            b';' | b'+' | b'.' | b'&' | b'<' | b'>' | b'|' | b'^' | b'~' | b'%' | b'!' | b':' | b'=' | b'$' | b'@' => {
                self.operator(1)
            }
            byte if is_word(byte) => return self.word(rest),
            _ => return (self.depth == 0 && !self.open).then_some(false),
        }
        Some(true)
    }

    fn operator(&mut self, length: usize) {
        self.at += length;
        self.open = true;
    }

    fn skip_line(&mut self) {
        let rest = &self.text[self.at..self.limit];
        self.at += memchr::memchr(b'\n', rest).unwrap_or(rest.len());
    }

    /// Goes on at the next line, behind the mark of a quote or of an added line; returns whether the expression does.
    fn next_line(&mut self) -> bool {
        let rest = &self.text[self.at + 1..self.limit];
        let mark = usize::from(matches!(rest.first(), Some(b'+' | b'>')));
        let lead = mark + rest[mark..].iter().take_while(|b| matches!(b, b' ' | b'\t')).count();
        let next = rest.get(lead);
        let goes_on = self.depth > 0
            || self.open && !self.strings.is_empty()
            || self.block && next == Some(&b'-')
            || matches!(next, Some(b'.' | b'+' | b'&' | b'|' | b'<' | b'^'));
        if goes_on {
            self.at += 1 + lead;
            return true;
        }
        self.at += 1;
        self.adds_to_name()
    }

    /// Whether the next statement adds to the same variable: `x.append("…")`. Then that is the next token.
    fn adds_to_name(&mut self) -> bool {
        let rest = &self.text[self.at..self.limit];
        let lead = rest.iter().take_while(|b| b.is_ascii_whitespace()).count();
        let Some(after) = rest[lead..].strip_prefix(self.name) else { return false };
        let adds = [&b".append("[..], b".Append(", b".push_str(", b".add(", b" += ", b" .= ", b" << ", b"+="];
        let adds = !self.name.is_empty() && adds.iter().any(|start| after.starts_with(start));
        if adds {
            self.at += lead + self.name.len();
            self.open = true;
        }
        adds
    }

    /// Reads a code of a character.
    fn code(&mut self) -> Option<()> {
        let rest = &self.text[self.at..self.limit];
        let length = rest.iter().take(6).take_while(|b| b.is_ascii_alphanumeric()).count();
        let word = std::str::from_utf8(&rest[..length]).ok()?;
        let (digits, radix) = word.strip_prefix("0x").map_or((word, 10), |digits| (digits, 16));
        let code = u8::from_str_radix(digits, radix).ok()?;
        self.codes.push(Part { raw: self.at..self.at + length, text: vec![code] });
        self.at += length;
        self.open = false;
        Some(())
    }

    /// Reads a word of an expression; `Some(false)` if it is the next statement's.
    fn word(&mut self, rest: &[u8]) -> Option<bool> {
        let length = rest.iter().take(24).take_while(|b| is_word(**b)).count();
        let word = &rest[..length];
        if JOINERS.has(word) {
            self.joins = true;
            self.open = true;
            self.block = self.text[..self.at].ends_with(b"!") && rest.get(length) == Some(&b'\n');
        } else if LOOP.has(word) && !matches!(rest.get(length), Some(b'"' | b'\'')) {
            self.loops = true;
        } else if !NEUTRAL.has(word) {
            return (self.depth == 0 && !self.open).then_some(false);
        }
        self.at += length;
        // A list on lines of its own follows the word.
        if self.block && self.text.get(self.at) == Some(&b'\n') {
            return Some(self.next_line());
        }
        Some(true)
    }

    /// Returns what the literals are together.
    fn evaluated(self) -> Option<Vec<Part>> {
        let is_parameter = |b: &u8| matches!(b, b'%' | b's' | b'v' | b'{' | b'}' | b'0'..=b'9');
        let is_format = |part: &[u8]| part.iter().all(is_parameter) && part.iter().any(|b| matches!(b, b'%' | b'{'));
        let content = |range: &Range<usize>| &self.text[range.clone()];
        let strings: Vec<&Range<usize>> =
            self.strings.iter().filter(|part| !content(part).is_empty() && !is_format(content(part))).collect();
        let characters = strings.len() >= MIN_CODES && strings.iter().all(|part| part.len() == 1);
        if strings.is_empty() || self.codes.len() >= MIN_CODES && self.loops {
            let printable = self.codes.iter().all(|code| matches!(code.text[0], 0x21..=0x7e));
            return (self.codes.len() >= MIN_CODES && printable).then_some(self.codes);
        }
        let is_part = |part: &[u8]| part.iter().any(u8::is_ascii_alphanumeric) && !part.contains(&b' ');
        let formats = || self.strings.iter().any(|part| is_format(content(part)));
        let joined = strings.len() >= 2 && (self.joins || !self.commas || formats()) && !self.loops;
        (characters || joined && strings.iter().all(|part| is_part(content(part))))
            .then(|| strings.iter().map(|part| Part { raw: (*part).clone(), text: content(part).to_vec() }).collect())
    }
}

/// Returns the offset of the quote that closes a string, on its line.
fn closing(rest: &[u8], quote: u8) -> Option<usize> {
    let mut at = 0;
    while *rest.get(at)? != quote {
        if rest[at] == b'\n' {
            return None;
        }
        at += if rest[at] == b'\\' { 2 } else { 1 };
    }
    Some(at)
}

/// Returns the parts of a value that is spelled with a blank after each character, or after each group of as many:
/// `k 7 Q m …`, `k7Qm 2xW9 pLr4`.
fn spelled(text: &[u8], at: usize) -> Option<Vec<Part>> {
    let line = super::text::first_line(&text[at..text.len().min(at + 160)]).trim_ascii_end();
    // Most values are one word.
    let width = line.iter().take(9).position(|b| *b == b' ')?;
    if !matches!(width, 1 | 3..=8) || width == 1 && line.get(3) != Some(&b' ') {
        return None;
    }
    let mut parts = Vec::new();
    let mut start = at;
    for group in line.split(|b| *b == b' ') {
        parts.push(Part { raw: start..start + group.len(), text: group.to_vec() });
        start += group.len() + 1;
    }
    let width = parts[0].text.len();
    let graphic = |part: &Part| part.text.iter().all(u8::is_ascii_graphic);
    let even = parts.iter().all(|part| part.text.len() == width && graphic(part));
    if even && width == 1 {
        return (parts.len() >= MIN_SPELLED).then_some(parts);
    }
    let last = parts.last().map_or(0, |part| part.text.len());
    let whole: Vec<u8> = parts.iter().flat_map(|part| part.text.iter().copied()).collect();
    let grouped = parts.len() >= 3
        && (3..=8).contains(&width)
        && (1..=width).contains(&last)
        && parts[..parts.len() - 1].iter().all(|part| part.text.len() == width)
        && whole.iter().all(u8::is_ascii_alphanumeric);
    (grouped && heuristics::is_machine_made(&whole)).then_some(parts)
}

/// Returns the characters whose hexadecimal codes a value lists: `6b 37 51 …`.
fn pairs(text: &[u8], at: usize) -> Option<Vec<Part>> {
    if !matches!(text[at..], [one, two, b' ' | b':', ..] if one.is_ascii_hexdigit() && two.is_ascii_hexdigit()) {
        return None;
    }
    let line = super::text::first_line(&text[at..text.len().min(at + 400)]).trim_ascii_end();
    let mut parts = Vec::new();
    let mut start = at;
    for pair in line.split(|b| matches!(b, b' ' | b':')) {
        let digits = std::str::from_utf8(pair).ok().filter(|digits| digits.len() == 2)?;
        let code = u8::from_str_radix(digits, 16).ok().filter(u8::is_ascii_graphic)?;
        parts.push(Part { raw: start..start + 2, text: vec![code] });
        start += 3;
    }
    (parts.len() >= MIN_SPELLED).then_some(parts)
}

#[cfg(test)]
mod tests {
    use crate::redact::canaries::{SEED, fill, scrub};

    #[test]
    fn strings_that_an_expression_puts_together_are_found() {
        let (first, second) = (fill("Qx7<a7>", SEED), fill("<a7>4zW", SEED));
        for template in [
            "password = \"@\" ++ \"&\"",
            "password = \"@\" /* the rest */ + \"&\";",
            "password = \"@\" + // the rest\n  \"&\";",
            "+password = \"@\" +\n+    \"&\"",
            "$password = -join ('@', '&')",
            "$password = '{0}{1}' -f '@','&'",
            "password := fmt.Sprintf(\"%s%s\", \"@\", \"&\")",
            "password = \"{0}{1}\".format(\"@\", \"&\")",
            "$password = implode('', array('@', '&'));",
            "password = join(\"\", [\"@\", \"&\"])",
            "Password: !Join ['', ['@', '&']]",
            "Password: !Join\n  - ''\n  - - '@'\n    - '&'\n",
            "\"Password\": {\"Fn::Join\": [\"\", [\"@\", \"&\"]]}",
            "val password = buildString { append(\"@\"); append(\"&\") }",
            "StringBuilder password = new StringBuilder(); password.append(\"@\"); password.append(\"&\");",
            "let password = \"@\".to_string() + \"&\";",
            "std::string password = std::string(\"@\") + \"&\";",
            "password: \"{{ '@' ~ '&' }}\"",
            "password = '@' // '&'",
        ] {
            let text = template.replace('@', &first).replace('&', &second);
            let scrubbed = scrub(&text);
            assert!(!scrubbed.contains(&first) && !scrubbed.contains(&second), "{scrubbed}");
        }
    }

    #[test]
    fn characters_and_their_codes_are_found() {
        let value = fill("Qx7<a9>4zW", SEED);
        let list = |write: &dyn Fn(u8) -> String, joint: &str| value.bytes().map(write).collect::<Vec<_>>().join(joint);
        let decimal = list(&|b| b.to_string(), ", ");
        for text in [
            format!("password = bytes([{decimal}]).decode('utf-8')"),
            format!("const password = String.fromCharCode({decimal});"),
            format!("password = ''.join(chr(c) for c in [{decimal}])"),
            format!("password = {}", list(&|b| format!("chr({b})"), " + ")),
            format!("var password = []byte{{{}}}", list(&|b| format!("{b:#x}"), ", ")),
            format!("char password[] = {{{}}};", list(&|b| format!("'{}'", char::from(b)), ", ")),
            format!("password (hex): {}", list(&|b| format!("{b:02x}"), " ")),
            format!("password: {}", list(&|b| char::from(b).to_string(), " ")),
        ] {
            assert!(scrub(&text).contains("[REDACTED:"), "{text}");
        }
    }

    #[test]
    fn other_expressions_stay() {
        for text in [
            "passwords = \"first\" + \"second\"",
            "password = [\"river otter\", \"lamp post\"]",
            "password_lengths = [8, 10, 12, 14, 16, 18, 20]",
            "password = \", \".join([\"letters\", \"digits\"])",
            "password = prefix + \"-\" + suffix",
            "The password: must have four char plus some sign\n",
        ] {
            assert_eq!(scrub(text), text);
        }
    }
}
