//! A work item's fields as JSON that stays JSON in every level of detail.

use super::amount::longest;
use super::{Amount, Counter, WORDS};
use crate::graph::{Entry, Node, Value};
use crate::markdown::KeyHeadings;
use crate::model::{floor_cluster, is_volatile};
use crate::redact::{Clean, CleanBuf};
use regex::Regex;
use std::sync::LazyLock;

/// A field's importance; the fields of the last tier are cut first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Tier {
    Identity,
    Native,
    Other,
}

const MIN_CUT_CHARS: u64 = 40;

/// A work item's fields, sorted by key. A cut drops those that are not native, last key first, then native ones.
#[derive(Debug)]
pub struct WorkItemJson {
    fields: Vec<JsonField>,
    place: Clean,
}

#[derive(Debug)]
struct JsonField {
    name: Clean,
    tier: Tier,
    json: Clean,
    /// The text whose beginning a cut shows: the string itself, else its JSON.
    raw: Clean,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JsonCut {
    /// How many of the fields, in order of tier, then key, are whole.
    whole: usize,
    /// How many bytes of the next field's value are shown; 0 leaves the field out.
    bytes: usize,
}

impl WorkItemJson {
    /// Creates the JSON of fields that are neither empty nor volatile; `place` says where a cut value can be read.
    pub fn new(fields: Vec<(Clean, Node<Clean>)>, place: Clean) -> Self {
        let field = |(name, node): (Clean, Node<Clean>)| {
            let node = lasting(&name, node).filter(|node| !is_empty(node))?;
            let mut json = CleanBuf::new();
            write(&mut json, &node);
            let json = json.finish();
            let raw = if let Value::Scalar { text, .. } = node.value { text } else { json.clone() };
            let tier = match &*name {
                name if WORDS.has("identity_field", name) => Tier::Identity,
                name if WORDS.has("native_field", name) => Tier::Native,
                _ => Tier::Other,
            };
            Some(JsonField { name, tier, json, raw })
        };
        let mut fields: Vec<JsonField> = fields.into_iter().filter_map(field).collect();
        fields.sort_by(|a, b| a.tier.cmp(&b.tier).then_with(|| a.name.cmp(&b.name)));
        Self { fields, place }
    }

    pub fn of(&self, tier: Tier) -> Clean {
        self.text(self.upto(tier))
    }

    fn upto(&self, tier: Tier) -> JsonCut {
        JsonCut { whole: self.fields.iter().filter(|field| field.tier <= tier).count(), bytes: 0 }
    }

    pub fn text(&self, cut: JsonCut) -> Clean {
        let mut lines: Vec<(&Clean, Clean)> =
            self.fields[..cut.whole].iter().map(|field| (&field.name, field.json.clone())).collect();
        if cut.bytes > 0
            && let Some(field) = self.fields.get(cut.whole)
        {
            lines.push((&field.name, self.shortened(field, cut.bytes)));
        }
        lines.sort_by(|a, b| a.0.cmp(b.0));
        let mut out = CleanBuf::new();
        out.lit("{");
        for (index, (name, value)) in lines.iter().enumerate() {
            out.lit(if index == 0 { "\n  " } else { ",\n  " }).json(name).lit(": ").text(value);
        }
        out.lit("\n}").finish()
    }

    fn shortened(&self, field: &JsonField, bytes: usize) -> Clean {
        let chars = field.raw.chars().count();
        let omitted = chars - field.raw[..bytes].chars().count();
        let mut out = CleanBuf::new();
        out.part(&field.raw, 0..bytes).lit(" [… ").number(omitted as u64).lit(" of ").number(chars as u64);
        let text = out.lit(" characters omitted: ").line(&self.place).lit("]").finish();
        CleanBuf::new().json(&text).finish()
    }

    /// Returns the largest cut whose text is no larger than `room`; `None` if not even the identity fits.
    pub fn fit(&self, room: Amount, counter: &Counter) -> Option<JsonCut> {
        let lowest = self.upto(Tier::Identity);
        let mut size = counter.measure(&self.text(lowest));
        if !size.fits(room) {
            return None;
        }
        let mut whole = lowest.whole;
        while let Some(field) = self.fields.get(whole) {
            let next = size.plus(counter.measure(&line(field, &field.json)));
            if !next.fits(room) {
                return Some(JsonCut { whole, bytes: self.fit_value(field, room.minus(size), counter) });
            }
            size = next;
            whole += 1;
        }
        Some(JsonCut { whole, bytes: 0 })
    }

    /// Returns how many bytes of the value fit into `room` as a shortened line.
    fn fit_value(&self, field: &JsonField, room: Amount, counter: &Counter) -> usize {
        let size = |bytes| counter.measure(&line(field, &self.shortened(field, bytes)));
        let least = size(0);
        if !least.fits(room) || room.minus(least).chars < MIN_CUT_CHARS {
            return 0;
        }
        let end = |bytes| floor_cluster(&field.raw, bytes);
        // With its quotation marks escaped, the beginning of a list may be longer than all of it.
        let is_shorter = |bytes| self.shortened(field, bytes).len() < field.json.len();
        let fits = |bytes| size(bytes).fits(room) && is_shorter(bytes);
        end(longest(&field.raw, room.bytes.min(room.chars.saturating_mul(4)), |bytes| fits(end(bytes))))
    }
}

fn line(field: &JsonField, value: &str) -> String {
    format!(",\n  {}: {value}", serde_json::Value::from(&*field.name))
}

/// Returns a field's value without what is volatile in it or for programs alone; `None` if that is all of it.
fn lasting(name: &str, node: Node<Clean>) -> Option<Node<Clean>> {
    let value = match node.value {
        Value::Scalar { text, .. } if is_volatile(name, &text) || is_address(&text) => return None,
        Value::List(nodes) => Value::List(nodes.into_iter().filter_map(|node| lasting("", node)).collect()),
        Value::Map(pairs) => {
            // The date of an entry of a dialogue says in which order things were said.
            let has_text = pairs.iter().any(|(key, _)| ["body", "comment", "content", "text"].contains(&&**key));
            let kept = |key: &Clean, node: Node<Clean>| match &node.value {
                _ if has_text && key.to_lowercase().contains("created") => Some(node),
                Value::Scalar { text, .. } if is_volatile(name, text) => None,
                _ => lasting(key, node),
            };
            Value::Map(pairs.into_iter().filter_map(|(key, node)| Some((key.clone(), kept(&key, node)?))).collect())
        }
        value => value,
    };
    Some(Node { value, ..node })
}

/// Returns whether a value is the e-mail address of a person.
fn is_address(text: &str) -> bool {
    let is_local = |c: char| c.is_ascii_alphanumeric() || "._%+-".contains(c);
    let parts = text.trim().split_once('@').filter(|(local, _)| !local.is_empty() && local.chars().all(is_local));
    let is_host =
        |host: &str| host.contains('.') && host.chars().all(|c| c.is_ascii_alphanumeric() || ".-".contains(c));
    parts.is_some_and(|(_, host)| is_host(host))
}

fn is_empty(node: &Node<Clean>) -> bool {
    match &node.value {
        Value::Null => true,
        Value::Scalar { text, .. } => text.trim().is_empty(),
        Value::List(nodes) => nodes.iter().all(is_empty),
        Value::Map(pairs) => pairs.iter().all(|(_, node)| is_empty(node)),
    }
}

/// Unquoted integers and booleans stay such; every other scalar becomes a string, so that its spelling survives.
fn write(out: &mut CleanBuf, node: &Node<Clean>) {
    match &node.value {
        Value::Null => {
            out.lit("null");
        }
        Value::Scalar { text, plain } if *plain && is_bare(text) => {
            out.text(text);
        }
        Value::Scalar { text, .. } => {
            out.json(text);
        }
        Value::List(nodes) => {
            for (index, node) in nodes.iter().enumerate() {
                out.lit(if index == 0 { "[" } else { ", " });
                write(out, node);
            }
            out.lit(if nodes.is_empty() { "[]" } else { "]" });
        }
        Value::Map(pairs) => {
            let mut pairs: Vec<_> = pairs.iter().collect();
            pairs.sort_by(|a, b| a.0.cmp(&b.0));
            for (index, (name, node)) in pairs.iter().enumerate() {
                out.lit(if index == 0 { "{" } else { ", " }).json(name).lit(": ");
                write(out, node);
            }
            out.lit(if pairs.is_empty() { "{}" } else { "}" });
        }
    }
}

/// Returns whether a plain scalar is spelled as JSON spells an integer within 53 bits, or as a boolean.
fn is_bare(text: &str) -> bool {
    const LARGEST: i64 = (1 << 53) - 1;
    matches!(text, "true" | "false") || text.parse::<i64>().is_ok_and(|n| n.to_string() == text && n.abs() <= LARGEST)
}

/// The length in bytes from which a line of several words is a text in any field.
const LONG_LINE: usize = 100;

/// Bullets, numbers and ticks before the text of a list item.
static LIST_MARKS: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"^(?:(?:[-*+>]|\[[xX]\]|✅|✓|[0-9]+[.)])[ \t]\s*)+").ok());

/// Returns the texts in an item's fields but those of the outcome, if `without_outcome`, each with the heading that the field's name makes. An issue without a
/// file has the answers of its form as fields, which are its body already.
pub(super) fn text_fields(entry: &Entry, keys: &KeyHeadings, without_outcome: bool) -> Vec<(Clean, Clean)> {
    if entry.bare_issue().is_some() {
        return Vec::new();
    }
    let mut found = Vec::new();
    for field in &entry.item.fields {
        let name = &*field.name;
        if matches!(name, "id" | "title" | "status") || without_outcome && WORDS.has("outcome_field", name) {
            continue;
        }
        let heading = heading(&field.name);
        let text = match &field.node.value {
            Value::Scalar { text, .. } => {
                let text = text.trimmed();
                let is_text = text.contains('\n') || text.len() >= LONG_LINE && text.contains(' ');
                let usual = || WORDS.has("text_field", name) || keys.contain(&heading);
                if text.is_empty() || !(is_text || usual()) {
                    continue;
                }
                text
            }
            Value::List(items) if keys.contain(&heading) => {
                let mut list = CleanBuf::new();
                for item in items {
                    if let Value::Scalar { text, .. } = &item.value {
                        list.lit(if list.is_empty() { "- " } else { "\n- " }).line(text);
                    }
                }
                list.finish()
            }
            _ => continue,
        };
        if !text.is_empty() && !entry.body.clean.contains(&*text) {
            found.push((heading, text));
        }
    }
    // Key sections come first, so that they are cut last.
    found.sort_by_key(|(heading, _)| !keys.contain(heading));
    found
}

fn heading(name: &Clean) -> Clean {
    let words = name.replace(['_', '-'], " ");
    let mut letters = words.chars();
    let title: String = letters.next().into_iter().flat_map(char::to_uppercase).chain(letters).collect();
    name.read_out(&title).unwrap_or_else(|| name.clone())
}

pub(super) fn outcome_of(entry: &Entry) -> Option<Clean> {
    let mut outcome = CleanBuf::new();
    for name in WORDS.of("outcome_field") {
        let field = entry.item.fields.iter().find(|field| &*field.name == *name);
        if let Some(Value::Scalar { text, .. }) = field.map(|field| &field.node.value)
            && !text.trim().is_empty()
            && !WORDS.has("no_outcome", &text.trim().trim_end_matches('.').to_lowercase())
        {
            outcome.lit(if outcome.is_empty() { "" } else { "\n\n" }).text(&text.trimmed());
        }
    }
    (!outcome.is_empty()).then(|| outcome.finish())
}

/// Returns the first line of a text that is no heading or announcement of what follows, without the mark of its list item.
pub(super) fn first_statement(text: &Clean) -> Option<Clean> {
    let mut at = 0;
    text.split_inclusive('\n').find_map(|line| {
        at += line.len();
        let bare = line.trim_start();
        let bare = &bare[LIST_MARKS.as_ref().and_then(|marks| marks.find(bare)).map_or(0, |marks| marks.end())..];
        let said = bare.trim_end().trim_end_matches('*');
        let is_statement = !said.is_empty()
            && !said.ends_with([':', '：'])
            && !["#", "```", "~~~", "|", "<"].iter().any(|mark| bare.starts_with(mark));
        is_statement.then(|| text.slice(at - bare.len()..at).trimmed())
    })
}
