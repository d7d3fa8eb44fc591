//! Values whose name is beside them in another way than `name = value`: a field of the same record, the name at the same place of a
//! list of names, the file that a command writes.

use super::super::heuristics::WordList;
use super::super::text::{first_line, last_line, starts_ignoring_case};
use super::Name;
use super::pairs::{VALUE_FIELDS, after_field};
use super::separator::{after_closers, is_quote, skip_blanks};
use super::span::quoted;

/// How much of a record is read before and after its name.
const MAX_BEFORE: usize = 300;
const MAX_AFTER: usize = 500;
/// The longest line with two lists.
const MAX_LINE: usize = 300;

/// Fields that say how a record's value is called.
static NAMES: WordList = WordList::new(
    "name key id label field variable var parameter parameterkey parametername param option setting property secretname keyname \
    title env attribute",
);
/// Other fields than [`VALUE_FIELDS`] with the value of the name in their record.
const OTHER_VALUES: [&[u8]; 4] = [b"parametervalue", b"optionvalue", b"secretvalue", b"secretstring"];

/// Returns the value of the record in which a field has `name` as its value, whatever is between the two and whichever comes
/// first: `{"value": "…", "note": "…", "name": "password"}`.
pub(super) fn value(text: &[u8], name: Name) -> Option<(usize, usize)> {
    let (after, _) = after_closers(text, name.end);
    // Only what may end a field, so that most names cost nothing.
    if !matches!(text.get(after)?, b',' | b'\n' | b'\r' | b'}' | b'<' | b' ') {
        return None;
    }
    let key_start = naming_field(text, name.start)?;
    let record = record(text, key_start, after)?;
    let mut at = record.start;
    while at < record.end {
        let begins = at == record.start || !text[at - 1].is_ascii_alphanumeric();
        if begins && !(key_start..after).contains(&at) {
            let word = VALUE_FIELDS.iter().chain(&OTHER_VALUES).find(|word| starts_ignoring_case(&text[at..], word));
            if let Some(found) = word.and_then(|word| after_field(text, after_closers(text, at + word.len()).0)) {
                return (found.1 <= record.end).then_some(found);
            }
        }
        at += 1;
    }
    None
}

/// Returns the start of the field whose value begins at `start`, if it gives a name.
fn naming_field(text: &[u8], start: usize) -> Option<usize> {
    let low = start.saturating_sub(40);
    let before = &text[low..start];
    // `"Name": "/app/password"`
    let path =
        before.iter().rev().take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'/' | b'-' | b'_' | b'.')).count();
    let before = if before[before.len() - path..].starts_with(b"/") { &before[..before.len() - path] } else { before };
    let before = before.strip_suffix(b"\"").or_else(|| before.strip_suffix(b"'")).unwrap_or(before);
    let word_of = |head: &[u8]| {
        let head = head.strip_suffix(b"\"").or_else(|| head.strip_suffix(b"'")).unwrap_or(head);
        let length = head.iter().rev().take_while(|b| b.is_ascii_alphanumeric() || **b == b'_').count();
        NAMES.has(&head[head.len() - length..]).then_some(low + head.len() - length)
    };
    // `<name>`
    if let Some(head) = before.strip_suffix(b">") {
        return word_of(head).filter(|at| *at > 0 && text[at - 1] == b'<');
    }
    let head = before.trim_ascii_end();
    word_of(head.strip_suffix(b":").or_else(|| head.strip_suffix(b"="))?.trim_ascii_end())
}

/// Returns the place of the record around the field at `start..end`.
fn record(text: &[u8], start: usize, end: usize) -> Option<std::ops::Range<usize>> {
    let low = start.saturating_sub(MAX_BEFORE);
    let before = &text[low..start];
    let after = &text[end..text.len().min(end + MAX_AFTER)];
    if text[..start].ends_with(b"<") {
        // Up to the next record's name, and from the end of the one before.
        let name = &text[start - 1..end];
        let name = &name[..name.iter().position(|b| *b == b'>').map_or(name.len(), |at| at + 1)];
        let until = memchr::memmem::find(after, name).unwrap_or(after.len());
        let from = memchr::memmem::rfind(before, name).unwrap_or(0);
        let parent = before[from..].windows(2).rposition(|pair| pair == b"</").filter(|_| from > 0).unwrap_or(0);
        return Some(low + from + parent..end + until);
    }
    let line = last_line(before);
    // An object on one line or on several: up to the brackets around it.
    let brace = before.iter().rposition(|b| matches!(b, b'{' | b'}')).filter(|at| before[*at] == b'{');
    if let Some(open) = brace {
        let close = after.iter().position(|b| matches!(b, b'{' | b'}')).filter(|at| after[*at] == b'}')?;
        return Some(low + open + 1..end + close);
    }
    // A mapping of YAML, an entry of a list of it, or a table of TOML: the lines around that are as deep.
    let depth = line.iter().take_while(|b| matches!(b, b' ' | b'-')).count();
    let is_item = line.trim_ascii_start().starts_with(b"- ");
    let inside = |line: &[u8]| {
        let lead = line.iter().take_while(|b| **b == b' ').count();
        !line.trim_ascii().is_empty() && lead >= depth && !line.starts_with(b"[")
    };
    let mut from = start - line.len();
    if !is_item {
        for above in before[..before.len() - line.len()].strip_suffix(b"\n")?.rsplit(|b| *b == b'\n') {
            let item = above.trim_ascii_start().starts_with(b"- ")
                && above.len() - above.trim_ascii_start().len() + 2 == depth;
            if !item && !inside(above) {
                break;
            }
            from -= above.len() + 1;
            if item || from <= low {
                break;
            }
        }
    }
    let mut until = end + first_line(after).len() + 1;
    for below in after.splitn(12, |b| *b == b'\n').skip(1) {
        if !inside(below) {
            break;
        }
        until += below.len() + 1;
    }
    Some(from.max(low)..until.min(text.len()))
}

/// Returns the element of a list at the place that `name` has in another: `user, password = "app", "…"`, `my ($user, $password) =
/// qw(app …)`.
pub(super) fn parallel(text: &[u8], name: Name) -> Option<(usize, usize)> {
    // Only what may follow a name in such a list, so that most names cost nothing.
    match text.get(name.end)? {
        b',' | b')' | b']' => {}
        b' ' if matches!(text[name.end + 1..], [b'=', ..] | [b':', b'=', ..]) => {}
        _ => return None,
    }
    let low = name.start.saturating_sub(120);
    let head = last_line(&text[low..name.start]);
    let head = head.trim_ascii_start().strip_prefix(b">>> ").unwrap_or(head);
    let tail = first_line(&text[name.end..text.len().min(name.end + MAX_LINE)]);
    let equals = tail.iter().take(80).position(|b| *b == b'=')?;
    let names_after = tail[..equals].strip_suffix(b":").unwrap_or(&tail[..equals]);
    let is_name =
        |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'$' | b' ' | b',' | b'(' | b')' | b'[' | b']' | b'*');
    let open = head.iter().rposition(|b| matches!(b, b'(' | b'['));
    let closed = matches!(names_after.trim_ascii_end().last(), Some(b')' | b']'));
    if open.is_some() != closed {
        return None;
    }
    let head = &head[open.map_or(0, |open| open + 1)..];
    let index = head.iter().filter(|b| **b == b',').count();
    let several = index > 0 || names_after.contains(&b',');
    if !several || !head.iter().chain(names_after).all(is_name) || tail.get(equals + 1) == Some(&b'=') {
        return None;
    }
    let mut at = name.end + equals + 1;
    at += text[at..].iter().take(4).take_while(|b| matches!(b, b' ' | b'[' | b'(')).count();
    if text[at..].starts_with(b"qw(") {
        let words = first_line(&text[at + 3..text.len().min(at + MAX_LINE)]);
        let words = &words[..words.iter().position(|b| *b == b')')?];
        let mut start = at + 3;
        let mut places = words.split(|b| *b == b' ').filter_map(|word| {
            let place = (start, start + word.len());
            start = place.1 + 1;
            (!word.is_empty()).then_some(place)
        });
        return places.nth(index);
    }
    for place in 0.. {
        if !is_quote(text.get(at)) {
            return None;
        }
        let found = quoted(text, at).filter(|found| found.quoted)?;
        if place == index {
            return Some((found.start, found.end));
        }
        at = skip_blanks(text, found.end + 1);
        if text.get(at) != Some(&b',') {
            return None;
        }
        at = skip_blanks(text, at + 1);
    }
    None
}

/// Returns the text that a command writes to the file that is called `name`: `printf '%s' '…' > /run/secrets/db_password`.
pub(super) fn written(text: &[u8], name: Name) -> Option<(usize, usize)> {
    // The end of a path, or of the sign before it.
    if !matches!(text[..name.start].last()?, b'/' | b'"' | b'.' | b'_' | b'-' | b'>')
        && !text[..name.start].ends_with(b"> ")
    {
        return None;
    }
    let low = name.start.saturating_sub(MAX_LINE);
    let line = last_line(&text[low..name.start]);
    let is_path = |b: &u8| {
        b.is_ascii_alphanumeric() || matches!(b, b'/' | b'.' | b'_' | b'-' | b'"' | b'\'' | b'~' | b'$' | b'{' | b'}')
    };
    let path = line.iter().rev().take_while(|b| is_path(b)).count();
    let command = line[..line.len() - path].trim_ascii_end();
    let command = command.strip_suffix(b">").filter(|_| path > 0 || line.ends_with(b"> "))?;
    let command = command.strip_suffix(b">").unwrap_or(command).trim_ascii_end();
    let quote = *command.last().filter(|b| matches!(b, b'"' | b'\''))?;
    let content = &command[..command.len() - 1];
    let open = content.iter().rposition(|b| *b == quote)?;
    let verb = content[..open].trim_ascii();
    let verb = verb.strip_prefix(b"$ ").unwrap_or(verb).trim_ascii_start();
    let writes = [&b"printf"[..], b"echo"].iter().any(|word| verb.starts_with(word));
    let start = name.start - line.len();
    writes.then_some((start + open + 1, start + content.len()))
}

#[cfg(test)]
mod tests {
    use crate::redact::canaries::{SEED, fill, scrub};

    #[test]
    fn values_of_records_lists_and_files_are_found() {
        for value in [fill("Qx7<a9>4zW", SEED), "copper-otter-42".to_owned()] {
            for template in [
                "[{\"key\": \"db_password\", \"description\": \"for the app\", \"value\": \"@\"}]",
                "[{\"value\": \"@\", \"name\": \"password\"}]",
                "{\n  \"name\": \"DB_PASSWORD\",\n  \"type\": \"plain\",\n  \"masked\": false,\n  \"value\": \"@\"\n}",
                "{\"ParameterKey\": \"DBPassword\", \"ParameterValue\": \"@\"}",
                "env:\n  - name: DB_PASSWORD\n    # for the app\n    value: @\n",
                "env:\n  - name: DB_PASSWORD\n    protected: true\n    value: \"@\"\n  - name: X\n",
                "variables:\n  - value: @\n    name: DB_PASSWORD\n",
                "[[env]]\nname = \"DB_PASSWORD\"\nnote = \"x\"\nvalue = \"@\"\n",
                "<param>\n  <name>password</name>\n  <description>for the app</description>\n  <value>@</value>\n</param>",
                "my ($user, $password) = qw(app @);",
                "user, password := \"app\", \"@\"",
                "const [user, password] = ['app', '@'];",
                "printf '%s' '@' > /run/password",
            ] {
                assert_eq!(scrub(&template.replace('@', &value)), template.replace('@', "[REDACTED:password]"));
            }
        }
    }

    #[test]
    fn values_of_other_records_stay() {
        for text in [
            "env:\n  - name: DB_PASSWORD\n    valueFrom: x\n  - name: MODE\n    value: k7Qm2xW9pLr4\n",
            "[{\"name\": \"password\"}, {\"name\": \"id\", \"value\": \"k7Qm2xW9pLr4\"}]",
            "{\"name\": \"password\", \"label\": \"Password\", \"default\": \"none\", \"type\": \"string\"}",
            "<name>password</name>\n<type>string</type>\n<name>id</name>\n<value>k7Qm2xW9pLr4</value>",
            "user, password := flag(\"app\"), flag(\"k7Qm2xW9pLr4\")",
            "echo 'see the wiki' > docs/password.md",
        ] {
            assert_eq!(scrub(text), text);
        }
    }
}
