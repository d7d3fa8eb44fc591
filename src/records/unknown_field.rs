//! Warnings about misspelt fields: a relation under a misspelt name would be lost silently.

use crate::config::{ItemSource, TemplatePart};
use crate::model::{Code, Diagnostic, Node, Place, Value, nearest_within};
use crate::records::build::ItemContext;
use crate::records::fields::{NAMES, mapped_from, mentions, relation_of};
use std::ops::RangeInclusive;

/// Names of this many letters may differ in two of them, shorter ones in one.
const LONG: usize = 8;

/// Warns of each field that is no field of a work item but almost has the name of one.
///
/// Fields that the source maps, reads or filters by are the user's own. So is a field beside the native one that takes
/// only one value, and one that names nothing.
pub(super) fn unknown_fields(
    pairs: &[(String, Node<String>)],
    context: &ItemContext<'_>,
    line: u32,
) -> Vec<Diagnostic> {
    let source = context.source;
    let inner = pairs.iter().find(|(name, _)| name == "relationships").and_then(|(_, node)| match &node.value {
        Value::Map(inner) => Some(inner),
        _ => None,
    });
    let mut diagnostics = Vec::new();
    for (name, node) in pairs.iter().chain(inner.into_iter().flatten()) {
        let Some(native) = closest(name) else { continue };
        if is_known(name, source) || mentions(node, &mut |_| ()).is_empty() {
            continue;
        }
        if relation_of(native).is_none()
            && pairs.iter().any(|(other, _)| other == native || maps(source, native, other))
        {
            continue;
        }
        let message = format!("`{name}` is not a field of a work item");
        let fault = Diagnostic::new(Code::UnknownField, Some(place_of(name, line..=node.line, context)), message);
        diagnostics.push(fault.help(format!("did you mean `{native}`?")));
    }
    diagnostics
}

/// Returns whether the name is native, or the source gives it a meaning.
fn is_known(name: &str, source: &ItemSource) -> bool {
    let in_template = source.id.iter().flat_map(|template| &template.parts).any(|part| match part {
        TemplatePart::Hole(hole) => hole == name,
        TemplatePart::Text(_) => false,
    });
    NAMES.has("known", name)
        || ["parent", "children", "adrs"].iter().any(|native| NAMES.has(native, name))
        || mapped_from(source, name)
        || source.fields.contains_key(name)
        || source.no_pack.contains_key(name)
        || source.edges.as_ref().is_some_and(|edges| edges.field == name)
        || in_template
}

fn maps(source: &ItemSource, native: &str, name: &str) -> bool {
    source.fields.get(native).is_some_and(|names| names.iter().any(|mapped| mapped == name))
}

/// Returns the native field that `name` almost spells; case, hyphens and spaces count for nothing.
///
/// The first letter must be right: people rarely mistype it, and `locks` is one letter away from `blocks`.
fn closest(name: &str) -> Option<&'static str> {
    let first = |text: &str| text.chars().next().map(|c| c.to_ascii_lowercase());
    let near = NAMES.of("compared").iter().copied().filter(|native| first(name) == first(native));
    nearest_within(name, near, |native| if native.len() >= LONG { 2 } else { 1 })
}

/// Returns where the key `name` of a value is: on the last of these lines, or on one above it within the record.
fn place_of(name: &str, lines: RangeInclusive<u32>, context: &ItemContext<'_>) -> Place {
    let path = context.path.clone();
    let last = *lines.end();
    for at in lines.rev() {
        let text = context.lines.between(context.text, at, Some(at + 1));
        if let Some(offset) = key_in(text, name) {
            let column = u32::try_from(text[..offset].chars().count()).unwrap_or(u32::MAX).saturating_add(1);
            return Place { path, line: Some(at), column: Some(column) };
        }
    }
    Place::line(path, last)
}

/// Returns the byte offset of the key `name` in a line of YAML or JSON.
fn key_in(line: &str, name: &str) -> Option<usize> {
    line.match_indices(name).map(|(at, _)| at).find(|at| {
        let before = line[..*at].trim_end_matches(['"', '\'']);
        let after = line[at + name.len()..].trim_start_matches(['"', '\'']).trim_start();
        after.starts_with(':') && (before.is_empty() || before.ends_with([' ', '\t', '{', ',', '-']))
    })
}
