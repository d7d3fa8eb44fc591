//! A work item's fields as JSON that stays JSON in every level of detail.

use super::amount::longest;
use super::{Amount, Ruler};
use crate::graph::{Node, Value};
use crate::model::{floor_cluster, is_volatile};
use crate::redact::{Clean, CleanBuf};

/// A field's importance; the fields of the last tier are cut first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Tier {
    Identity,
    Native,
    Other,
}

/// The fields that every level of detail shows.
const IDENTITY: [&str; 4] = ["id", "status", "title", "type"];

/// The native field names of work items (`docs/configuration.md`).
const NATIVE: &str = "acceptance_criteria adrs area assignees blocked_by blocks children depends_on docs estimate_hrs issue \
    labels parent priority related risk size stable_id";

/// The fewest characters of a value that are worth showing.
const MIN_CUT_CHARS: u64 = 40;

/// A work item's fields, sorted by key, one a line.
///
/// A cut drops fields that are not native, last key first, then native ones;
/// identity stays. The last field may hold the beginning of its value.
#[derive(Debug)]
pub struct WorkItemJson {
    fields: Vec<JsonField>,
    place: Clean,
}

#[derive(Debug)]
struct JsonField {
    name: Clean,
    tier: Tier,
    /// The value as JSON.
    json: Clean,
    /// The text whose beginning a cut shows: the string itself, else its JSON.
    raw: Clean,
}

/// The part of the fields that is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JsonCut {
    /// How many of the fields, in order of tier, then key, are whole.
    whole: usize,
    /// How many bytes of the next field's value are shown; 0 leaves the field out.
    bytes: usize,
}

impl WorkItemJson {
    /// Creates the JSON of `fields`, whose names are unique; empty values and volatile fields are left out.
    /// `place` says where the rest of a cut value can be read.
    pub fn new(fields: Vec<(Clean, Node<Clean>)>, place: Clean) -> Self {
        let mut entries: Vec<JsonField> = fields
            .into_iter()
            .filter_map(|(name, node)| lasting(&name, node).map(|node| (name, node)))
            .filter(|(_, node)| !is_empty(node))
            .map(|(name, node)| {
                let mut json = CleanBuf::new();
                write(&mut json, &node);
                let json = json.finish();
                let raw = match node.value {
                    Value::Scalar { text, .. } => text,
                    _ => json.clone(),
                };
                let tier = match &*name {
                    name if IDENTITY.contains(&name) => Tier::Identity,
                    name if NATIVE.split(' ').any(|native| native == name) => Tier::Native,
                    _ => Tier::Other,
                };
                JsonField { name, tier, json, raw }
            })
            .collect();
        entries.sort_by(|a, b| a.tier.cmp(&b.tier).then_with(|| a.name.cmp(&b.name)));
        Self { fields: entries, place }
    }

    /// Returns the fields of a tier and those before it.
    pub fn of(&self, tier: Tier) -> Clean {
        self.text(self.upto(tier))
    }

    fn upto(&self, tier: Tier) -> JsonCut {
        JsonCut { whole: self.fields.iter().filter(|field| field.tier <= tier).count(), bytes: 0 }
    }

    /// Returns the JSON of a cut.
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
    pub fn fit(&self, room: Amount, ruler: &dyn Ruler) -> Option<JsonCut> {
        let lowest = self.upto(Tier::Identity);
        let mut size = ruler.measure(&self.text(lowest));
        if !size.fits(room) {
            return None;
        }
        let mut whole = lowest.whole;
        while let Some(field) = self.fields.get(whole) {
            let next = size.plus(ruler.measure(&line(field, &field.json)));
            if !next.fits(room) {
                return Some(JsonCut { whole, bytes: self.fit_value(field, room.minus(size), ruler) });
            }
            size = next;
            whole += 1;
        }
        Some(JsonCut { whole, bytes: 0 })
    }

    /// Returns how many bytes of the value fit into `room` as a shortened line.
    fn fit_value(&self, field: &JsonField, room: Amount, ruler: &dyn Ruler) -> usize {
        let size = |bytes| ruler.measure(&line(field, &self.shortened(field, bytes)));
        let least = size(0);
        if !least.fits(room) || room.minus(least).chars < MIN_CUT_CHARS {
            return 0;
        }
        let end = |bytes| floor_cluster(&field.raw, bytes);
        end(longest(&field.raw, room.bytes.min(room.chars.saturating_mul(4)), |bytes| size(end(bytes)).fits(room)))
    }
}

/// Returns a field's line with the comma before it.
fn line(field: &JsonField, value: &str) -> String {
    format!(",\n  {}: {value}", serde_json::Value::from(&*field.name))
}

/// Returns a field's value without what is volatile in it; `None` if that is all of it.
fn lasting(name: &str, node: Node<Clean>) -> Option<Node<Clean>> {
    let value = match node.value {
        Value::Scalar { text, .. } if is_volatile(name, &text) => return None,
        Value::List(nodes) => Value::List(nodes.into_iter().filter_map(|node| lasting("", node)).collect()),
        Value::Map(pairs) => {
            // The date of an entry of a dialogue says in which order things were said.
            let has_text = pairs.iter().any(|(key, _)| ["body", "comment", "content", "text"].contains(&&**key));
            let kept = |key: &Clean, node: Node<Clean>| {
                let is_date = has_text && key.to_lowercase().contains("created");
                let counted = matches!(&node.value, Value::Scalar { text, .. } if is_volatile(name, text));
                if is_date {
                    Some(node)
                } else if counted {
                    None
                } else {
                    lasting(key, node)
                }
            };
            Value::Map(pairs.into_iter().filter_map(|(key, node)| Some((key.clone(), kept(&key, node)?))).collect())
        }
        value => value,
    };
    Some(Node { value, ..node })
}

fn is_empty(node: &Node<Clean>) -> bool {
    match &node.value {
        Value::Null => true,
        Value::Scalar { text, .. } => text.trim().is_empty(),
        Value::List(nodes) => nodes.iter().all(is_empty),
        Value::Map(pairs) => pairs.iter().all(|(_, node)| is_empty(node)),
    }
}

/// Writes a value on one line.
///
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
            out.lit("[");
            for (index, node) in nodes.iter().enumerate() {
                out.lit(if index == 0 { "" } else { ", " });
                write(out, node);
            }
            out.lit("]");
        }
        Value::Map(pairs) => {
            let mut pairs: Vec<_> = pairs.iter().collect();
            pairs.sort_by(|a, b| a.0.cmp(&b.0));
            out.lit("{");
            for (index, (name, node)) in pairs.into_iter().enumerate() {
                out.lit(if index == 0 { "" } else { ", " }).json(name).lit(": ");
                write(out, node);
            }
            out.lit("}");
        }
    }
}

/// Returns whether a plain scalar is spelled as JSON spells an integer within 53 bits, or as a boolean.
fn is_bare(text: &str) -> bool {
    const LARGEST: i64 = (1 << 53) - 1;
    matches!(text, "true" | "false") || text.parse::<i64>().is_ok_and(|n| n.to_string() == text && n.abs() <= LARGEST)
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    fn scalar(text: &'static str, plain: bool) -> Node<Clean> {
        Node { line: 1, value: Value::Scalar { text: Clean::literal(text), plain } }
    }

    fn json(fields: Vec<(&'static str, Node<Clean>)>) -> WorkItemJson {
        let fields = fields.into_iter().map(|(name, node)| (Clean::literal(name), node)).collect();
        WorkItemJson::new(fields, Clean::literal("a.md"))
    }

    struct Plain;

    impl Ruler for Plain {
        fn measure(&self, text: &str) -> Amount {
            Amount::of(text)
        }

        fn measure_part(&self, text: &Clean, range: std::ops::Range<usize>) -> Amount {
            Amount::of(&text[range])
        }
    }

    #[test]
    fn every_cut_is_json_within_its_room_and_grows_with_it() {
        let item = json(vec![
            ("id", scalar("x", true)),
            ("priority", scalar("1", true)),
            ("notes", scalar("a \"long\" note\nwith lines, over and over, over and over, over and over, and on", true)),
            ("zeta", scalar("last", true)),
        ]);
        let mut before = 0;
        for chars in 0..300 {
            let Some(cut) = item.fit(Amount { chars, ..Amount::UNLIMITED }, &Plain) else { continue };
            let text = item.text(cut);
            assert!(Amount::of(&text).chars <= chars, "{chars}: {text}");
            serde_json::from_str::<serde_json::Value>(&text).unwrap();
            let kept = cut.whole * 1000 + cut.bytes;
            assert!(kept >= before, "{chars}: {text}");
            before = kept;
        }
        let room = Amount { chars: 300, bytes: 300, tokens: 0 };
        assert_eq!(item.fit(room, &Plain).map(|cut| item.text(cut)), Some(item.of(Tier::Other)));
    }
}
