//! Where values end that are longer than one word, or that brackets and other scripts make look like something else.

use super::super::super::heuristics::{self, NameClass};
use super::super::super::text::first_line;
use super::super::Name;
use super::super::span::ValueSpan;

/// Returns the end of the phrase of an assignment that is quoted as a whole: `Environment="PASSWORD=otter & lamp 12"`.
pub(super) fn phrase_in_quotes(text: &[u8], name: Name, found: ValueSpan) -> Option<usize> {
    let quote = *text.get(name.start.checked_sub(1)?)?;
    let touching = text.get(name.end) == Some(&b'=') && found.start == name.end + 1;
    if !matches!(quote, b'"' | b'\'') || !touching || found.quoted {
        return None;
    }
    let rest = &text[found.start..text.len().min(found.start + 96)];
    let value = &rest[..rest.iter().position(|b| matches!(*b, b'\n' | b'=' | b'$' | b'<') || *b == quote)?];
    let closes = rest.get(value.len()) == Some(&quote);
    let phrase = heuristics::is_passphrase(value, NameClass::Password)
        || heuristics::is_saying_with_digits(value)
        || value.iter().any(u8::is_ascii_digit) && value.iter().any(|b| b.is_ascii_punctuation());
    (closes && value.contains(&b' ') && value.len() >= 8 && phrase && !heuristics::is_placeholder(value))
        .then_some(found.start + value.len())
}

/// Returns the value in the brackets that open at `at`, if no placeholder looks like it: `<aK93mLq27WeRt8>`, `{{…}}`.
pub(super) fn enclosed(text: &[u8], at: usize) -> Option<ValueSpan> {
    const BRACKETS: [(&[u8], &[u8]); 5] = [(b"{{", b"}}"), (b"<", b">"), (b"(", b")"), (b"[", b"]"), (b"{", b"}")];
    let (open, close) = BRACKETS.into_iter().find(|(open, _)| text[at..].starts_with(open))?;
    let start = at + open.len();
    let window = &text[start..text.len().min(start + 96)];
    let length = window.iter().take_while(|b| b.is_ascii_graphic() && **b != close[0]).count();
    let value = &window[..length];
    let random = value.len() >= 10
        && heuristics::has_all_kinds(value)
        && value.iter().filter(|b| b.is_ascii_digit()).count() >= 2
        && value.iter().all(|b| {
            b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'+' | b'=' | b'!' | b'#' | b'@' | b'$' | b'%')
        })
        && heuristics::looks_random(value);
    (random && window[length..].starts_with(close)).then_some(ValueSpan { start, end: start + length, quoted: true })
}

/// Returns the end of a word at `at` in Greek or Cyrillic letters with a mark and a number: `Снегопад-42`.
pub(super) fn word_of_other_script(text: &[u8], at: usize) -> Option<usize> {
    let window = &text[at..text.len().min(at + 64)];
    let letter = |b: &u8| matches!(b, 0xce..=0xd1 | 0x80..=0xbf);
    let letters = window.iter().take_while(|b| letter(b)).count();
    let mark = usize::from(matches!(window.get(letters), Some(b'-' | b'_' | b'!' | b'.' | b'@' | b'#')));
    let digits = window[letters + mark..].iter().take_while(|b| b.is_ascii_digit()).count();
    let end = letters + mark + digits;
    let closes = window.get(end).is_none_or(|b| b.is_ascii_whitespace() || matches!(b, b',' | b'.' | b';' | b')'));
    (letters >= 8 && (2..=6).contains(&digits) && closes).then_some(at + end)
}

/// Returns the end of the password of a connection string, in which brackets are no code: `…;Password=lamp(h)77;Encrypt=…`.
pub(super) fn field_end(text: &[u8], name: Name, found: ValueSpan) -> Option<usize> {
    let before = text[..name.start].trim_ascii_end();
    let rest = &text[found.start..text.len().min(found.start + 96)];
    let length = rest.iter().position(|b| matches!(b, b';' | b'"' | b'\'' | b'`' | b'\n' | b'<'))?;
    let value = &rest[..length];
    let chosen = value.iter().any(u8::is_ascii_digit) && value.iter().any(u8::is_ascii_alphabetic);
    let call = value.ends_with(b")") || value.ends_with(b"()") || value.starts_with(b"(");
    (before.ends_with(b";")
        && text[found.start - 1] == b'='
        && value.len() >= 6
        && chosen
        && !call
        && !value.contains(&b' ')
        && !heuristics::is_placeholder(value)
        && !matches!(value[0], b'{' | b'$' | b'<' | b'%' | b'@'))
    .then_some(found.start + length)
}

/// Returns the end of the words before the next field of a line of a log: `secret=front door bell host=…`.
pub(super) fn phrase_before_field(text: &[u8], found: ValueSpan) -> Option<usize> {
    if text.get(found.end) != Some(&b' ') || text[found.start - 1] != b'=' {
        return None;
    }
    let line = first_line(&text[found.start..text.len().min(found.start + 96)]);
    let equals = line.iter().position(|b| *b == b'=')?;
    let field = line[..equals].iter().rposition(|b| *b == b' ')?;
    let phrase = &line[..field];
    let named = equals - field > 2
        && line[field + 1].is_ascii_alphabetic()
        && line[field + 1..equals].iter().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.'));
    (named
        && phrase.iter().all(|b| b.is_ascii_alphanumeric() || !b.is_ascii() || matches!(b, b' ' | b'-' | b'\''))
        && heuristics::is_plain_words(phrase))
    .then_some(found.start + field)
}

/// Returns the end of the whole word of a password, which marks may interrupt that end other values: `ab;cd`, `x,y&z`; `None` if
/// it ends where `found` does, or what follows is structure rather than part of it.
pub(super) fn run_end(text: &[u8], found: ValueSpan) -> Option<usize> {
    let rest = &text[found.end..text.len().min(found.end + 64)];
    let ends = |b: &u8| b.is_ascii_whitespace() || !b.is_ascii() || *b == b'`';
    let rest = &rest[..rest.iter().position(ends).unwrap_or(rest.len())];
    // `;Encrypt=True`, `&page=2`, `,vers=3.0`: the next field.
    let is_field = |at: usize| {
        let name =
            rest[at + 1..].iter().take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.')).count();
        name > 0 && matches!(rest.get(at + 1 + name), Some(b'=' | b':'))
    };
    let fields = (0..rest.len()).find(|at| matches!(rest[*at], b';' | b'&' | b',') && is_field(*at));
    let rest = &rest[..fields.unwrap_or(rest.len())];
    let structure =
        |b: &u8| matches!(b, b'=' | b':' | b'`' | b'<' | b'>' | b'[' | b']' | b'{' | b'}' | b'|' | b'\\' | b'/');
    let kept = rest
        .iter()
        .rposition(|b| !matches!(b, b'.' | b',' | b';' | b'\'' | b'"' | b'?' | b'!' | b'*' | b'_' | b')' | b'('))
        .map_or(0, |last| last + 1);
    let kept = kept + rest[kept..].iter().take_while(|b| matches!(b, b'!' | b'?')).count();
    let inside = &rest[..kept];
    let call = inside.iter().any(|b| matches!(b, b'(' | b')'))
        && rest.last().is_some_and(|b| matches!(b, b')' | b'(' | b';' | b','))
        || rest.starts_with(b"()")
        || inside.windows(2).any(|pair| pair == b").");
    let quoted =
        rest.first().is_some_and(|b| matches!(b, b'\'' | b'"')) && inside.iter().any(|b| matches!(b, b',' | b'('));
    (kept > 1 && !call && !quoted && !inside.iter().any(structure)).then_some(found.end + kept)
}
