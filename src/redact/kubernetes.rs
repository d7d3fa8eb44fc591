//! Secrets of Kubernetes: every value under `data` and `stringData` of a `kind: Secret`, in YAML and JSON.

use super::findings::Findings;
use super::judge;
use super::rules::FindingLabel;

/// The label of values of such an object.
pub(super) static LABEL: FindingLabel =
    FindingLabel { name: "kubernetes-secret", reason: "is a value of a Kubernetes Secret", rank: 4 };

/// The forms in which the kind is written; what follows must end the word.
pub(super) const KEYWORDS: &[&str] = &[
    "kind: secret",
    "kind: \"secret",
    "kind: 'secret",
    "\"kind\":\"secret",
    "\"kind\": \"secret",
    "\\\"kind\\\":\\\"secret",
];

/// How far on each side of the kind an object is read.
const MAX_BYTES: usize = 16 * 1024;
/// The least length of a value.
const MIN_VALUE: usize = 4;

/// Finds the values of the object whose kind is written at `start..end`; returns the end of the object.
pub(super) fn find(text: &[u8], start: usize, end: usize, findings: &mut Findings) -> usize {
    if text.get(end).is_some_and(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_')) {
        return end;
    }
    let (low, high) = (start.saturating_sub(MAX_BYTES), text.len().min(end + MAX_BYTES));
    match text[start] {
        b'"' | b'\\' => json(text, start, (low, high), findings),
        _ => yaml(text, start, (low, high), findings),
    }
}

/// Adds the value at `start..end`, without quotes and a comment, unless it is a placeholder.
fn report(text: &[u8], mut start: usize, mut end: usize, findings: &mut Findings) {
    if let Some(comment) = memchr::memmem::find(&text[start..end], b" #") {
        end = start + text[start..start + comment].trim_ascii_end().len();
    }
    if end - start >= 2 && matches!(text[start], b'"' | b'\'') && text[end - 1] == text[start] {
        (start, end) = (start + 1, end - 1);
    }
    let value = &text[start..end];
    if value.len() >= MIN_VALUE
        && !matches!(value, b"null" | b"true" | b"false")
        && !judge::is_placeholder(value)
        && !judge::is_reference(value)
    {
        findings.add(start, end, &LABEL);
    }
}

/// A line of YAML: where its content begins and ends. Marks of quotes, diffs and lists count as indentation.
struct YamlLine<'t> {
    start: usize,
    end: usize,
    indent: usize,
    content: &'t [u8],
}

fn line_at(text: &[u8], from: usize, high: usize) -> YamlLine<'_> {
    let end = memchr::memchr(b'\n', &text[from..high]).map_or(high, |length| from + length);
    let indent = text[from..end].iter().take_while(|b| matches!(b, b' ' | b'>' | b'+' | b'-' | b'/' | b'\t')).count();
    YamlLine { start: from + indent, end, indent, content: text[from + indent..end].trim_ascii_end() }
}

/// Reads the lines from the beginning of the document with the kind, or of its code block, to its end.
fn yaml(text: &[u8], kind: usize, (low, high): (usize, usize), findings: &mut Findings) -> usize {
    let begin = |at: usize| low + memchr::memrchr(b'\n', &text[low..at]).map_or(0, |end| end + 1);
    let own = line_at(text, begin(kind), high);
    if own.start != kind {
        return own.end;
    }
    let is_border = |line: &YamlLine<'_>| {
        line.content.starts_with(b"```")
            || line.content.is_empty() && text[..line.end].ends_with(b"---")
            || !line.content.is_empty() && line.indent < own.indent
    };
    let mut at = begin(kind);
    while at > low && !text[at..own.end].starts_with(b"- ") {
        let above = begin(at - 1);
        if is_border(&line_at(text, above, high)) {
            break;
        }
        at = above;
    }
    let first = at;
    // The indentation of a section of values.
    let mut section = None;
    while at < high {
        let line = line_at(text, at, high);
        let next_item = at > first && line.indent == own.indent && text[at..line.start].ends_with(b"- ");
        if at > kind && (is_border(&line) || next_item) {
            break;
        }
        at = line.end + 1;
        if line.content.is_empty() || line.content[0] == b'#' {
            continue;
        }
        if let Some(fields) = line.content.strip_prefix(b"data:").or_else(|| line.content.strip_prefix(b"stringData:"))
        {
            section = Some(line.indent);
            flow(text, line.end, fields, findings);
        } else if section.is_some_and(|indent| line.indent > indent) {
            at = field(text, &line, at, high, findings);
        } else {
            section = None;
        }
    }
    at.min(high)
}

/// Reads the fields of a flow mapping `{a: b}` at the end of a line.
fn flow(text: &[u8], end: usize, fields: &[u8], findings: &mut Findings) {
    let mut at = end - fields.len();
    for field in fields.split(|b| matches!(b, b',' | b'}')) {
        if let Some(colon) = memchr::memchr(b':', field) {
            let value = field[colon + 1..].trim_ascii();
            let start = at + field.len() - field[colon + 1..].trim_ascii_start().len();
            report(text, start, start + value.len(), findings);
        }
        at += field.len() + 1;
    }
}

/// Reads a field of a section, whose value may be a block on the next lines; returns where the next line begins.
fn field(text: &[u8], line: &YamlLine<'_>, next: usize, high: usize, findings: &mut Findings) -> usize {
    let Some(colon) = memchr::memmem::find(line.content, b": ") else { return next };
    let value = line.content[colon + 2..].trim_ascii_start();
    if !(matches!(value.first(), Some(b'|' | b'>')) && value.len() <= 3) {
        let end = line.start + line.content.len();
        report(text, end - value.len(), end, findings);
        return next;
    }
    let mut at = next;
    while at < high {
        let below = line_at(text, at, high);
        if below.indent <= line.indent && !below.content.is_empty() {
            break;
        }
        at = below.end + 1;
    }
    let block = &text[next.min(high)..at.min(high)];
    let lead = block.iter().take_while(|b| b.is_ascii_whitespace() || **b == b'>').count();
    report(text, next.min(high) + lead, next.min(high) + block.trim_ascii_end().len().max(lead), findings);
    at
}

/// Reads the object of JSON with the kind.
fn json(text: &[u8], kind: usize, (low, high): (usize, usize), findings: &mut Findings) -> usize {
    let mut depth = 0_usize;
    let open = text[low..kind].iter().rposition(|b| match b {
        b'}' => {
            depth += 1;
            false
        }
        b'{' if depth == 0 => true,
        b'{' => {
            depth -= 1;
            false
        }
        _ => false,
    });
    let Some(open) = open else { return kind + 1 };
    let (mut at, mut depth, mut inside) = (low + open + 1, 1_usize, false);
    let mut key: &[u8] = b"";
    while at < high && depth > 0 {
        match text[at] {
            b'{' => {
                depth += 1;
                inside = depth == 2 && matches!(key, b"data" | b"stringData");
            }
            b'}' => {
                depth -= 1;
                inside = inside && depth == 2;
            }
            b'"' => {
                let Some((start, end, close)) = string(text, at, high) else { break };
                let is_key = text[close..high].iter().take(4).find(|b| !b.is_ascii_whitespace()) == Some(&b':');
                if is_key {
                    key = &text[start..end];
                } else if inside && depth == 2 {
                    report(text, start, end, findings);
                }
                at = close;
                continue;
            }
            _ => {}
        }
        at += 1;
    }
    at
}

/// Returns the content of the string whose quote is at `at`, which may be escaped, and the offset after it.
fn string(text: &[u8], at: usize, high: usize) -> Option<(usize, usize, usize)> {
    let escaped = at > 0 && text[at - 1] == b'\\';
    let start = at + 1;
    let mut end = start;
    loop {
        end += memchr::memchr(b'"', text.get(end..high)?)?;
        let escapes = text[start..end].iter().rev().take_while(|b| **b == b'\\').count();
        if escaped && escapes == 1 {
            return Some((start, end - 1, end + 1));
        }
        if !escaped && escapes % 2 == 0 {
            return Some((start, end, end + 1));
        }
        end += 1;
    }
}
