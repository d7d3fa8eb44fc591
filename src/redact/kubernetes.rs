//! Secrets of Kubernetes: every value under `data` and `stringData` of a `kind: Secret`, in YAML and JSON.

use super::heuristics::{self, WordList};
use super::rules::FindingLabel;

pub(super) static VALUE: FindingLabel =
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

/// Finds the values of the object whose kind is written at `start..end`, and passes them to `on_finding`; returns the
/// end of the object.
pub(super) fn values(text: &[u8], start: usize, end: usize, mut on_finding: impl FnMut(usize, usize)) -> usize {
    if text.get(end).is_some_and(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_')) {
        return end;
    }
    let range = start.saturating_sub(MAX_BYTES)..text.len().min(end + MAX_BYTES);
    match text[start] {
        b'"' | b'\\' => json(text, start, range.start, range.end, &mut on_finding),
        _ => yaml(text, start, range.start, range.end, &mut on_finding),
    }
}

/// A line of YAML: where its content begins and ends, and how far it is indented.
#[derive(Clone, Copy)]
struct Line {
    start: usize,
    end: usize,
    indent: usize,
    /// Whether it begins the item of a list.
    item: bool,
}

/// Reads the line that begins at `from`. Marks of quotes, diffs and lists count as indentation.
fn line(text: &[u8], from: usize, limit: usize) -> Line {
    let end = from + text[from..limit].iter().position(|b| *b == b'\n').unwrap_or(limit - from);
    let indent = text[from..end].iter().take_while(|b| matches!(b, b' ' | b'>' | b'+' | b'-' | b'/' | b'\t')).count();
    let item = text[from..from + indent].ends_with(b"- ");
    Line { start: from + indent, end, indent, item }
}

fn yaml(text: &[u8], kind: usize, low: usize, limit: usize, on_finding: &mut dyn FnMut(usize, usize)) -> usize {
    let begins = |at: usize| text[low..at].iter().rposition(|b| *b == b'\n').map_or(low, |end| low + end + 1);
    let own = line(text, begins(kind), limit);
    if own.start != kind {
        return own.end;
    }
    let ends = |line: &Line| {
        let content = &text[line.start..line.end];
        content.starts_with(b"```")
            || text[..line.end].ends_with(b"---")
            || (!content.trim_ascii().is_empty() && line.indent < own.indent)
    };
    // The first line of the object.
    let mut first = begins(kind);
    while first > low && !line(text, first, limit).item {
        let above = begins(first - 1);
        if ends(&line(text, above, limit)) {
            break;
        }
        first = above;
    }
    let mut at = first;
    let mut inside = false;
    while at < limit {
        let current = line(text, at, limit);
        let content = &text[current.start..current.end];
        let below = current.indent == own.indent && at > first;
        if at > kind && (ends(&current) || (current.item && below)) {
            break;
        }
        at = current.end + 1;
        if content.is_empty() || content[0] == b'#' {
            continue;
        }
        if current.indent <= own.indent {
            inside = content == b"data:" || content == b"stringData:";
            if let Some(fields) =
                [&b"data: {"[..], b"stringData: {"].iter().find_map(|name| content.strip_prefix(*name))
            {
                flow(text, current.end - fields.len(), current.end, on_finding);
            }
            continue;
        }
        let Some(colon) = content.windows(2).position(|pair| pair == b": ").filter(|_| inside) else {
            continue;
        };
        let value = content[colon + 1..].trim_ascii();
        if matches!(value.first(), Some(b'|' | b'>')) && value.len() <= 3 {
            let start = at;
            while at < limit {
                let next = line(text, at, limit);
                if next.indent <= current.indent && next.start < next.end {
                    break;
                }
                at = next.end + 1;
            }
            let block = text[start.min(limit)..at.min(limit)].trim_ascii();
            if !block.is_empty() && !heuristics::is_placeholder(block) {
                let lead = text[start..limit].iter().take_while(|b| b.is_ascii_whitespace() || **b == b'>').count();
                on_finding(start + lead, start + text[start..at.min(limit)].trim_ascii_end().len());
            }
            continue;
        }
        let from = current.end - content[colon + 1..].trim_ascii_start().len();
        report(text, from, from + value.len(), on_finding);
    }
    at.min(limit)
}

/// Passes the value at `start..end` without its quotes to `on_finding`, unless it is a placeholder.
fn report(text: &[u8], mut start: usize, mut end: usize, on_finding: &mut dyn FnMut(usize, usize)) {
    static CONSTANTS: WordList = WordList::new("null true false");
    let value = &text[start..end];
    if let Some(comment) = value.windows(2).position(|pair| pair == b" #") {
        end = start + value[..comment].trim_ascii_end().len();
    }
    if end - start >= 2 && matches!(text[start], b'"' | b'\'') && text[end - 1] == text[start] {
        (start, end) = (start + 1, end - 1);
    }
    let value = &text[start..end];
    let word = CONSTANTS.has(value);
    if !value.is_empty() && !word && !heuristics::is_placeholder(value) {
        on_finding(start, end);
    }
}

/// Reads the fields of a flow mapping that opened before `at`.
fn flow(text: &[u8], mut at: usize, end: usize, on_finding: &mut dyn FnMut(usize, usize)) {
    for field in text[at..end].split(|b| matches!(b, b',' | b'}')) {
        if let Some(colon) = field.iter().position(|b| *b == b':') {
            let value = field[colon + 1..].trim_ascii();
            let start = at + field.len() - field[colon + 1..].trim_ascii_start().len();
            report(text, start, start + value.len(), on_finding);
        }
        at += field.len() + 1;
    }
}

fn json(text: &[u8], kind: usize, low: usize, limit: usize, on_finding: &mut dyn FnMut(usize, usize)) -> usize {
    // The brace that opens the object of the kind.
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
    let mut at = low + open + 1;
    let (mut depth, mut inside) = (1_usize, false);
    let mut key: &[u8] = b"";
    while at < limit && depth > 0 {
        match text[at] {
            b'{' => {
                depth += 1;
                inside = depth == 2 && matches!(key, b"data" | b"stringData");
                key = b"";
            }
            b'}' => {
                depth -= 1;
                inside = inside && depth == 2;
            }
            b'"' => {
                let Some((start, end)) = string(text, at, limit) else { break };
                let close = end + usize::from(text[end] == b'\\') + 1;
                let colon = text[close..limit].iter().take(4).find(|b| !b.is_ascii_whitespace()) == Some(&b':');
                if colon {
                    key = &text[start..end];
                } else {
                    if inside && depth == 2 {
                        report(text, start, end, on_finding);
                    }
                    key = b"";
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

/// Returns the content of the string whose quote is at `at`. If that quote is escaped, so is the one that ends it.
fn string(text: &[u8], at: usize, limit: usize) -> Option<(usize, usize)> {
    let escaped = at > 0 && text[at - 1] == b'\\';
    let mut end = at + 1;
    while end < limit {
        match text[end] {
            b'\\' if escaped && text.get(end + 1) == Some(&b'"') => return Some((at + 1, end)),
            b'\\' => end += 2,
            b'"' => return Some((at + 1, end)),
            _ => end += 1,
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<&str> {
        let lower = text.to_ascii_lowercase();
        let mut found = Vec::new();
        let mut done = 0;
        let mut hits: Vec<(usize, usize)> = KEYWORDS
            .iter()
            .flat_map(|word| lower.match_indices(word).map(|(at, word)| (at, at + word.len())))
            .collect();
        hits.sort_unstable();
        for (start, end) in hits {
            if start >= done {
                done = values(text.as_bytes(), start, end, |start, end| found.push(&text[start..end]));
            }
        }
        found
    }

    #[test]
    fn every_value_of_a_secret_is_found_whatever_its_key() {
        for (text, expected) in [
            (
                "apiVersion: v1\nkind: Secret\nmetadata:\n  name: db\ndata:\n  user: YWRtaW4=\n  x: 'plain words' # old\n",
                &["YWRtaW4=", "plain words"][..],
            ),
            (
                "kind: Secret\nstringData:\n  app.yml: |\n    a: b\n    c: d\n  other: e5f6\ntype: Opaque\n",
                &["a: b\n    c: d", "e5f6"],
            ),
            ("data:\n  first: b25l\nkind: Secret\n---\nkind: ConfigMap\ndata:\n  a: kept\n", &["b25l"]),
            (
                "items:\n- apiVersion: v1\n  data:\n    a: b25l\n  kind: Secret\n- apiVersion: v1\n  data:\n    b: kept\n  kind: ConfigMap\n",
                &["b25l"],
            ),
            ("> kind: Secret\n> data:\n>   a: b25l\n", &["b25l"]),
            ("kind: Secret\ndata: {a: b25l, b: \"dHdv\"}\n", &["b25l", "dHdv"]),
            (
                r#"{"apiVersion": "v1", "data": {"a": "b25l", "b": "dHdv"}, "kind": "Secret", "metadata": {"name": "x"}}"#,
                &["b25l", "dHdv"],
            ),
            (r#"{"kind":"Secret","stringData":{"a":"say \"yes\""}}"#, &[r#"say \"yes\""#]),
        ] {
            assert_eq!(found(text), expected, "{text}");
        }
    }

    #[test]
    fn other_kinds_references_and_placeholders_stay() {
        for text in [
            "kind: SealedSecret\nspec:\n  encryptedData:\n    a: AgBy\n",
            "kind: ExternalSecret\nspec:\n  data:\n  - secretKey: a\n    remoteRef: {key: b}\n",
            "kind: SecretStore\ndata:\n  a: value\n",
            "kind: ConfigMap\ndata:\n  a: value\nowners:\n- kind: Secret\n  name: x\n",
            "kind: Secret\nmetadata:\n  name: x\n  labels:\n    data: y\ntype: Opaque\n",
            "kind: Secret\ndata:\n  a: <base64>\n  b: ${VALUE}\n  c: \"\"\n",
            r#"{"kind": "ConfigMap", "data": {"a": "value"}, "owner": {"kind": "Secret"}}"#,
        ] {
            assert_eq!(found(text), Vec::<&str>::new(), "{text}");
        }
    }
}
