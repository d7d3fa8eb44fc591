//! Layouts: finds the values that belong to the name of a secret, whatever separates them, and has them judged.
//!
//! A layout gives a name, a value and where it ends: assignments and pairs of any notation, flags, headers, cells and
//! columns of Markdown tables, records with a field for the name, and one form of an English sentence. [`judge`] decides.

mod separator;
mod table;
mod value;

use super::findings::{Findings, Judged};
use super::judge::{AssignedValue, is_base64_key, is_machine_made, judge};
use super::letters;
use super::names::{Class, class_of};
use super::rules;
use super::text::{contains_ignoring_case, is_name_byte};
use regex::bytes::Regex;
use separator::{Separator, separator};
use std::sync::LazyLock;
use value::{ValueSpan, place};

/// The longest part of a name on each side of its keyword.
const MAX_NAME_PART: usize = 64;
/// How many bytes before a name are searched for what makes it another thing.
const MAX_BYTES_BEFORE: usize = 96;
/// How many bytes a sentence has at most between the name and the value.
const MAX_SENTENCE: usize = 120;
/// How far a field for the value may be from the field for the name.
const MAX_RECORD: usize = 160;
/// How many names inside one value are read: `a=b=c` is, a long chain of it costs nothing.
const MAX_NESTED_NAMES: usize = 4;

/// A search for values by their names that reads each name once.
#[derive(Debug, Default)]
pub(super) struct Names {
    /// The end of the names read so far.
    seen: usize,
    /// The end of the last value without quotes, and how many names inside it were read.
    value_end: usize,
    nested: usize,
    /// The offsets of the first row of the last table and after its last row, and the number of its columns read.
    table: (usize, usize),
    columns: usize,
}

/// A name in a text.
#[derive(Debug, Clone, Copy)]
struct Name {
    start: usize,
    end: usize,
    class: Class,
    /// Whether it is an option of a command.
    is_flag: bool,
}

/// Returns the offset at which a value may begin after the name at `start..end`; `None` without a separator.
pub(super) fn value_after(text: &[u8], start: usize, end: usize) -> Option<usize> {
    let is_flag = text[start..].starts_with(b"--");
    let (separator, at) = separator(text, start, end, is_flag)?;
    if separator == Separator::Blank {
        return None;
    }
    Some(place(text, at, separator)?.start)
}

impl Names {
    /// Finds the secrets whose name contains the keyword at `hit`.
    pub(super) fn find(&mut self, text: &[u8], hit: usize, findings: &mut Findings) {
        if hit < self.seen {
            return;
        }
        let low = hit.saturating_sub(MAX_NAME_PART);
        let mut start = hit - text[low..hit].iter().rev().take_while(|b| is_name_byte(**b)).count();
        let length = text[hit..].iter().take(MAX_NAME_PART + 1).take_while(|b| is_name_byte(**b)).count();
        // `password........: …`, dots that lead to a value.
        let length = memchr::memmem::find(&text[hit..hit + length], b"....").unwrap_or(length);
        self.seen = hit + length;
        let mut end = hit + length;
        while end > hit && matches!(text[end - 1], b'.' | b'-') {
            end -= 1;
        }
        if length > MAX_NAME_PART {
            return;
        }
        let is_flag = text[start] == b'-' && text.get(start + 1).is_some_and(|b| *b == b'-' || b.is_ascii_alphabetic());
        start = with_qualifier(text, start, end);
        let word = &text[start..end];
        if word.eq_ignore_ascii_case(b"pass") {
            end += [&b" phrase"[..], b" word", b" code"]
                .iter()
                .find(|more| text[end..].starts_with(more))
                .map_or(0, |more| more.len());
        }
        if let Some(class) = class_of(&text[start..end]) {
            self.find_values(text, Name { start, end, class, is_flag }, findings);
        }
    }

    /// Finds the secrets after a word of another script at `start..end`, such as `密码`.
    pub(super) fn foreign(&mut self, text: &[u8], start: usize, end: usize, findings: &mut Findings) {
        if start >= self.seen {
            self.seen = end;
            self.find_values(text, Name { start, end, class: Class::Password, is_flag: false }, findings);
        }
    }

    fn find_values(&mut self, text: &[u8], name: Name, findings: &mut Findings) {
        if name.start < self.value_end {
            self.nested += 1;
        } else {
            self.nested = 0;
        }
        if self.nested > MAX_NESTED_NAMES || is_other_thing(text, name) {
            return;
        }
        if let Some(column) = table::column(text, name.start) {
            // A row inside a table is no header, and one with many names would have its rows read as often.
            let is_known = column.rows == self.table.0;
            let is_inside = !is_known && column.rows < self.table.1;
            self.columns = if is_known { self.columns + 1 } else { 1 };
            if let Some(class) = column.class.filter(|_| !is_inside && self.columns <= table::MAX_COLUMNS) {
                let end = column.each_cell(text, |place| report(text, Name { class, ..name }, place, findings));
                self.table = (column.rows, end);
            }
            return;
        }
        if let Some(place) = record(text, name)
            && report(text, name, place, findings)
        {
            return;
        }
        let is_weak = matches!(name.class, Class::Weak | Class::Hint);
        let found = separator(text, name.start, name.end, name.is_flag);
        let separated = found.and_then(|(separator, at)| Some((separator, place(text, at, separator)?)));
        if let Some((_, place)) = separated {
            self.value_end = self.value_end.max(place.end);
        }
        match separated {
            Some((Separator::Blank, place)) => {
                let value = &text[place.start..place.end];
                let is_certain = !is_weak || (place.is_quoted || name.class == Class::Weak) && is_machine_made(value);
                let is_likely = has_form(text, place) && value.len() >= 8 && !value.contains(&b':') && is_certain;
                let is_secret = is_likely && report(text, name, place, findings);
                if is_secret {
                    return;
                }
            }
            // `password:opacity-100`, a class of a style sheet.
            Some((Separator::Colon, place)) if is_slug(text, name.end, place) => {}
            Some((separator, place)) => {
                let is_whole = place.is_quoted || place.is_whole && is_setting(text, name, separator, place);
                report(text, name, ValueSpan { is_whole, ..place }, findings);
                return;
            }
            None => {}
        }
        if let Some(place) = sentence(text, name.end)
            && (!is_weak || is_machine_made(&text[place.start..place.end]))
        {
            report(text, name, place, findings);
        }
    }
}

/// Has the value at `place` judged; returns whether it is a secret.
fn report(text: &[u8], name: Name, place: ValueSpan, findings: &mut Findings) -> bool {
    let ValueSpan { start, end, is_quoted, is_whole } = place;
    if start >= end || text[start..].starts_with(b"[REDACTED:") {
        return false;
    }
    let value = AssignedValue { text: &text[start..end], is_quoted, is_whole };
    let verdict = judge(name.class, &value);
    findings.add_judged(Judged { name: name.start..name.end, class: name.class, value: start..end, verdict });
    verdict.is_secret
}

/// Returns the start of the word before `start`, one blank away, if it belongs to the name: `API key`, `access token`.
fn with_qualifier(text: &[u8], start: usize, end: usize) -> usize {
    let word = &text[start..end];
    let is_key = word.eq_ignore_ascii_case(b"key");
    if !is_key && !word.eq_ignore_ascii_case(b"token") || start == 0 || text[start - 1] != b' ' {
        return start;
    }
    let before = &text[start.saturating_sub(32)..start - 1];
    let length = before.iter().rev().take_while(|b| b.is_ascii_alphabetic()).count();
    let qualifier = before[before.len() - length..].to_ascii_lowercase();
    let qualified = if is_key {
        class_of(&[&qualifier[..], b"_key"].concat()) == Some(Class::Key)
    } else {
        rules::NAMES_QUALIFIERS.has(&qualifier)
    };
    if qualified { start - 1 - length } else { start }
}

/// Whether the name at `name` is that of another thing here: a module, a resource, a public key, a verb.
fn is_other_thing(text: &[u8], name: Name) -> bool {
    let before = &text[name.start.saturating_sub(MAX_BYTES_BEFORE)..name.start];
    let after = &text[name.end..];
    let has = |text: &[u8], words: &[&[u8]]| words.iter().any(|word| contains_ignoring_case(text, word));
    let is_weak = matches!(name.class, Class::Weak | Class::Hint);
    let word = &text[name.start..name.end];
    let is_verb =
        word.eq_ignore_ascii_case(b"pass") && !matches!(after.first(), Some(b':' | b'=' | b'"' | b'\'' | b'`' | b'*'));
    // The result of a test.
    let is_verb = is_verb || word == b"PASS" && after.first() != Some(&b'=');
    let badge = (before.ends_with(b"?") || before.ends_with(b"&"))
        && has(before, &[b"badge", b"codecov", b"shields.io", b".svg"]);
    let near = &text[name.start.saturating_sub(48)..name.end];
    let near = &near[near.iter().rposition(|b| *b == b'\n').map_or(0, |end| end + 1)..];
    is_verb
        || before.ends_with(b"[REDACTED:")
        || has(before, &[b"arn:aws"])
        || after.starts_with(b"::") && !after.starts_with(b"::=")
        || is_weak && (badge || has(near, &[b"public", b"pubkey", b"pub_", b"hash", b"digest", b"cache", b"checksum"]))
}

/// Whether words with hyphens follow the colon directly.
fn is_slug(text: &[u8], end: usize, place: ValueSpan) -> bool {
    let value = &text[place.start..place.end];
    place.start == end + 1 && value.contains(&b'-') && value.iter().any(u8::is_ascii_digit) && letters::is_name(value)
}

/// Whether the value of a sentence or after a blank has the form of a password: a digit with letters, or a mark inside.
fn has_form(text: &[u8], place: ValueSpan) -> bool {
    let value = &text[place.start..place.end];
    let mixed = value.iter().any(u8::is_ascii_digit) && value.iter().any(u8::is_ascii_alphabetic);
    let marked = value.len() >= 8 && value[..value.len() - 1].iter().any(|b| b"!@#$%^&*".contains(b));
    let is_chain = value.contains(&b'-') && value.iter().all(|b| b.is_ascii_lowercase() || *b == b'-');
    mixed || marked || is_base64_key(value) || place.is_quoted && (letters::are_random(value) || is_chain)
}

/// Whether an unquoted word is the value of a setting rather than a piece of a program: its name begins the line, the
/// argument or the pair.
fn is_setting(text: &[u8], name: Name, separator: Separator, place: ValueSpan) -> bool {
    let line = &text[name.start.saturating_sub(200)..name.start];
    let line = &line[line.iter().rposition(|b| *b == b'\n').map_or(0, |end| end + 1)..];
    let begins = line.iter().all(|b| b.is_ascii_whitespace() || b"-*>|\"'`$+#/{_;:".contains(b));
    let exported = [&b"export "[..], b"-e ", b"--env ", b"ENV ", b"ARG ", b"set ", b"setx ", b"env "]
        .iter()
        .any(|word| line.ends_with(word));
    match separator {
        Separator::Flag | Separator::Cell | Separator::Tag => true,
        Separator::Assign { is_tight: true } => {
            !matches!(line.trim_ascii_end().last(), Some(b'(' | b','))
                && !matches!(text.get(place.end), Some(b'(' | b'['))
        }
        _ => (begins || exported) && text.get(place.end) != Some(&b';'),
    }
}

/// Returns the value of a record that has a field for the name: `name: X`, `value: Y`.
fn record(text: &[u8], name: Name) -> Option<ValueSpan> {
    static NAME_FIELD: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(r#"(?i-u)(?:name|key|field|variable|id)["']?[ \t]*[:=][ \t]*["'`]?(?:[\w/-]{1,16} ){0,3}$"#).ok()
    });
    static VALUE_FIELD: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(r#"(?i-u)^["'`]?,?[^\n{}]{0,80}?(?:\n[^\n{}]{0,80}?){0,2}[\s,"'`](?:value|val|default|content)["']?[ \t]*[:=][ \t]*"#).ok()
    });
    let before = &text[name.start.saturating_sub(64)..name.start];
    NAME_FIELD.as_ref()?.find(before)?;
    let after = &text[name.end..text.len().min(name.end + MAX_RECORD)];
    let field = VALUE_FIELD.as_ref()?.find(after)?;
    let between = &after[..field.end().saturating_sub(10)];
    if NEXT_NAME.as_ref()?.is_match(between) {
        return None;
    }
    let place = place(text, name.end + field.end(), Separator::Colon)?;
    Some(ValueSpan { is_whole: true, ..place })
}

/// Another field for a name, with which another record begins.
static NEXT_NAME: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r#"(?-u)[\s,"']name["']?[ \t]*[:=]"#).ok());

/// Returns the value of a sentence such as `the password for staging is X` after the name that ends at `end`.
fn sentence(text: &[u8], end: usize) -> Option<ValueSpan> {
    static SENTENCE: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(concat!(
            r#"(?i-u)\A["'`*_)]{0,3}"#,
            // Up to seven words: "for the admin user".
            r#"(?:[ \t]+(?:\([^()\n]{1,40}\)|[a-z@\x80-\xff][\w@.\x80-\xff'/-]{0,24})){0,7}?"#,
            r#"[ \t]*(?:[ \t](?:is|was|be|to|ist|est|es|\xc3\xa8|\xc3\xa9|now)|:|=)(?:[ \t]+(?:now|still|currently|set to|just|temporarily|also))?:?[ \t]+"#
        ))
        .ok()
    });
    let window = &text[end..text.len().min(end + MAX_SENTENCE)];
    let at = end + SENTENCE.as_ref()?.find(window)?.end();
    let place = place(text, at, Separator::Colon)?;
    has_form(text, place).then_some(ValueSpan { is_whole: true, ..place })
}
