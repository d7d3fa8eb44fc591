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

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use crate::review::read;

    const PACK: &[u8] = include_bytes!("../../tests/golden/minimal/packs/feat-greeting.coding.json");

    #[test]
    fn faults_name_the_section_and_the_character() {
        let mut pack = read(PACK).unwrap();
        assert_eq!(invisible_faults(&pack), Vec::<String>::new());
        pack.sections[1].content.push_str("\n\u{1b}[2J\u{202e}");
        pack.sections[2].metadata.status = Some("\u{9b}".to_owned());
        pack.sections[3].id.push('\u{e0041}');
        pack.root.title.push('\u{7}');
        let lines = pack.sections[1].content.lines().count();
        let what = "which no build leaves in a text";
        assert_eq!(
            invisible_faults(&pack),
            [
                format!("`root`, `title` holds U+0007 at line 1, {what}"),
                format!(
                    "section `root.issue`, `content` holds U+001B at line {lines} and 1 more such characters, {what}"
                ),
                format!("section `root.json`, `metadata`, `status` holds U+009B at line 1, {what}"),
                format!("section 4, `id` holds U+E0041 at line 1, {what}"),
            ]
        );
    }

    #[test]
    fn emoji_and_line_ends_are_visible_and_many_faults_are_counted() {
        let mut pack = read(PACK).unwrap();
        pack.sections[1].content = "👩\u{200d}💻\t\n❤\u{fe0f} می\u{200c}خواهم".to_owned();
        assert_eq!(invisible_faults(&pack), Vec::<String>::new());
        let input = pack.inputs[0].clone();
        pack.inputs = vec![crate::wire::PackInput { kind: "\u{200b}".to_owned(), ..input }; 30];
        let faults = invisible_faults(&pack);
        assert_eq!(faults.len(), 11);
        assert_eq!(faults[10], "20 more texts hold invisible characters");
    }
}
