//! Invisible characters in a finished pack, which redaction removes from every text.

use crate::redact::invisible;
use crate::wire::Pack;
use serde_json::Value;

/// The most faults that are reported one by one.
const MAX_FAULTS: usize = 10;

/// Returns a fault for each text with characters that a reader does not see but a terminal or a model may obey.
///
/// No build produces such a pack, so the text was added to deceive.
pub fn invisible_faults(pack: &Pack) -> Vec<String> {
    let mut faults = Vec::new();
    // A pack can always be serialized.
    check(&serde_json::to_value(pack).unwrap_or_default(), "", &mut faults);
    let more = faults.len().saturating_sub(MAX_FAULTS);
    if more > 0 {
        faults.truncate(MAX_FAULTS);
        faults.push(format!("{more} more texts hold invisible characters"));
    }
    faults
}

fn check(value: &Value, place: &str, faults: &mut Vec<String>) {
    match value {
        Value::String(text) => {
            let found = invisible(text);
            let Some(first) = found.first() else { return };
            let c = text[first.clone()].chars().next().map_or(0, u32::from);
            let line = text[..first.start].matches('\n').count() + 1;
            let more = match found.len() {
                1 => String::new(),
                count => format!(" and {} more such characters", count - 1),
            };
            faults.push(format!("{place} holds U+{c:04X} at line {line}{more}, which no build leaves in a text"));
        }
        Value::Array(entries) => {
            for (number, entry) in (1..).zip(entries) {
                // An id with such characters is reported by its number instead.
                let id = entry["id"].as_str().filter(|id| invisible(id).is_empty());
                let place = match (place, id) {
                    ("`sections`", Some(id)) => format!("section `{}`", id.chars().take(80).collect::<String>()),
                    ("`sections`", None) => format!("section {number}"),
                    _ => format!("{place}, entry {number}"),
                };
                check(entry, &place, faults);
            }
        }
        Value::Object(fields) => {
            let before = if place.is_empty() { String::new() } else { format!("{place}, ") };
            fields.iter().for_each(|(name, value)| check(value, &format!("{before}`{name}`"), faults));
        }
        _ => {}
    }
}
