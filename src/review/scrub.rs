//! Redacts finished packs once more: one that an earlier version built, or that somebody edited, may hold what the rules of today remove.

use crate::redact::{Piece, Redactor};
use crate::wire::Pack;
use serde_json::Value;

/// Returns a pack in which every text went through `redactor` and then `mask`. A text that is clean already stays as it is.
pub fn scrubbed(pack: &Pack, redactor: &Redactor, mask: &dyn Fn(&str) -> String) -> Pack {
    let parts = serde_json::to_value(pack).ok().and_then(|value| {
        let Value::Object(mut fields) = value else { return None };
        for section in fields.get_mut("sections")?.as_array_mut()? {
            // What the configuration allows, it allows in the file where it stands.
            let path = section.pointer("/source/path").and_then(Value::as_str).unwrap_or_default().to_owned();
            scrub(section, &path, redactor, mask);
        }
        let sections = fields.remove("sections")?;
        let mut rest = Value::Object(fields);
        scrub(&mut rest, "", redactor, mask);
        rest.as_object_mut()?.insert("sections".to_owned(), sections);
        serde_json::from_value(rest).ok()
    });
    // Every text is replaced by a text, so that there always is a pack.
    parts.unwrap_or_default()
}

/// Scrubs all texts of a value together, so that a secret that is found in one is removed from all.
fn scrub(value: &mut Value, path: &str, redactor: &Redactor, mask: &dyn Fn(&str) -> String) {
    let mut texts = Vec::new();
    each(value, &mut |text| texts.push(text.clone()));
    let pieces: Vec<Piece<'_>> = texts.iter().map(|text| Piece { key: "", text, line: 1 }).collect();
    let mut clean = redactor.scrub(path, &pieces).texts.into_iter();
    each(value, &mut |text| *text = mask(clean.next().as_ref().map(|clean| clean.as_str()).unwrap_or_default()));
}

/// Visits the texts of a value in a fixed order. Digests of redacted texts are none.
fn each(value: &mut Value, visit: &mut dyn FnMut(&mut String)) {
    match value {
        Value::String(text) if !is_digest(text) => visit(text),
        Value::Array(values) => values.iter_mut().for_each(|value| each(value, visit)),
        Value::Object(fields) => fields.values_mut().for_each(|value| each(value, visit)),
        Value::String(_) | Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn is_digest(text: &str) -> bool {
    text.strip_prefix("sha256:").is_some_and(|hex| hex.len() == 64 && hex.bytes().all(|byte| byte.is_ascii_hexdigit()))
}
