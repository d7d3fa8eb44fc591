//! Warnings about misspelt fields: a relation under a misspelt name would be lost silently.

use crate::config::{ItemSource, TemplatePart};
use crate::model::{Code, Diagnostic, LineStarts, Node, Place, RepoPath, Value};
use crate::records::fields::{ALIASES, KNOWN_FIELDS, RELATIONS, mapped_from};
use crate::records::values::mentions;

/// Native fields that are compared with unknown ones: those whose misspelling changes what a pack holds.
///
/// Shorter names such as `docs` are left out: too many words are one letter away.
const COMPARED: [&str; 9] =
    ["parent", "children", "depends_on", "blocked_by", "blocks", "related", "issue", "status", "title"];

/// Names of this many letters may differ in two of them, shorter ones in one.
const LONG: usize = 8;

/// A file and the fields of one of its records, as written.
pub(super) struct RecordText<'a> {
    pub(super) path: &'a RepoPath,
    pub(super) text: &'a str,
    pub(super) lines: &'a LineStarts,
    /// The line where the record begins.
    pub(super) line: u32,
}

/// Warns of each field that is no field of a work item but almost has the name of one.
///
/// Fields that the source maps, reads or filters by are the user's own. So is a field beside the native one that takes
/// only one value, and one that names nothing.
pub(super) fn unknown_fields(
    pairs: &[(String, Node<String>)],
    source: &ItemSource,
    record: &RecordText<'_>,
) -> Vec<Diagnostic> {
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
        let is_relation = RELATIONS.iter().any(|(relation, _)| *relation == native);
        if !is_relation && pairs.iter().any(|(other, _)| other == native || maps(source, native, other)) {
            continue;
        }
        let message = format!("`{name}` is not a field of a work item");
        diagnostics.push(
            Diagnostic::new(Code::UnknownField, Some(record.place_of(name, node.line)), message)
                .help(format!("did you mean `{native}`?")),
        );
    }
    diagnostics
}

/// Returns whether the name is native, or the source gives it a meaning.
fn is_known(name: &str, source: &ItemSource) -> bool {
    let in_template = source.id.iter().flat_map(|template| &template.parts).any(|part| match part {
        TemplatePart::Hole(hole) => hole == name,
        TemplatePart::Text(_) => false,
    });
    KNOWN_FIELDS.contains(&name)
        || ALIASES.iter().any(|(_, aliases)| aliases.contains(&name))
        || mapped_from(source, name)
        || source.fields.contains_key(name)
        || source.no_pack.0.contains_key(name)
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
    let plain = |text: &str| text.to_lowercase().replace(['-', ' '], "_");
    let name = plain(name);
    COMPARED
        .into_iter()
        .filter(|native| name.chars().next() == native.chars().next() && name.len().abs_diff(native.len()) <= 2)
        .filter_map(|native| {
            let distance = strsim::damerau_levenshtein(&name, native);
            (distance <= if native.len() >= LONG { 2 } else { 1 }).then_some((distance, native))
        })
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, native)| native)
}

impl RecordText<'_> {
    /// Returns where the key `name` of a value on `line` is: on that line, or on one above it within the record.
    fn place_of(&self, name: &str, line: u32) -> Place {
        for at in (self.line..=line).rev() {
            let text = self.lines.between(self.text, at, Some(at + 1));
            if let Some(offset) = key_in(text, name) {
                let column = u32::try_from(text[..offset].chars().count()).unwrap_or(u32::MAX).saturating_add(1);
                return Place { path: self.path.clone(), line: Some(at), column: Some(column) };
            }
        }
        Place::line(self.path.clone(), line)
    }
}

/// Returns the byte offset of the key `name` in a line of YAML or JSON.
fn key_in(line: &str, name: &str) -> Option<usize> {
    line.match_indices(name).map(|(at, _)| at).find(|at| {
        let before = line[..*at].trim_end_matches(['"', '\'']);
        let after = line[at + name.len()..].trim_start_matches(['"', '\'']).trim_start();
        after.starts_with(':') && (before.is_empty() || before.ends_with([' ', '\t', '{', ',', '-']))
    })
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests")]
mod tests {
    use crate::config::{EdgeMap, ItemSource};
    use crate::model::{Code, Diagnostic};
    use crate::records::samples::{mapped, read, source};

    fn warnings(source: &ItemSource, path: &str, text: &str) -> Vec<String> {
        let parsed = read(source, path, text);
        let unknown = parsed.diagnostics.iter().filter(|d| d.code == Code::UnknownField);
        let shown = |d: &Diagnostic| {
            let at = d.at.as_ref().map(ToString::to_string).unwrap_or_default();
            format!(
                "{at} {} {}",
                d.message.split('`').nth(1).unwrap_or_default(),
                d.help.as_deref().unwrap_or_default()
            )
        };
        unknown.map(shown).collect()
    }

    /// `depends_onn: feat:store` was kept as a field of the user's own: the edge was lost, without any message.
    #[test]
    fn a_misspelt_relation_is_reported_at_its_key_in_every_format() {
        let text = "---\nid: a\ndepends_onn:\n  - feat:store\n---\n";
        assert_eq!(warnings(&source(), "w/a.md", text), ["w/a.md:3:1 depends_onn did you mean `depends_on`?"]);
        let text = "- id: a\n- id: b\n  relatd: a\n  blockedBy: [a]\n";
        assert_eq!(
            warnings(&source(), "w/a.yml", text),
            ["w/a.yml:3:3 relatd did you mean `related`?", "w/a.yml:4:3 blockedBy did you mean `blocked_by`?"]
        );
        let text = "{\"id\":\"a\"}\n{\"id\":\"b\", \"Parent\":\"a\"}\n";
        assert_eq!(warnings(&source(), "w/a.jsonl", text), ["w/a.jsonl:2:13 Parent did you mean `parent`?"]);
        let text = "id: a\nrelationships:\n  chidlren: [b]\n";
        assert_eq!(warnings(&source(), "w/a.yml", text), ["w/a.yml:3:3 chidlren did you mean `children`?"]);
    }

    #[test]
    fn fields_of_other_trackers_and_empty_ones_are_not_reported() {
        let text = "created: 2024-01-02\nupdated: x\nstate: open\nlocks: y\nassignee: z\nlabel: q\nreleased: 1\ndepends_onn: []\nrelatd: n/a\ntype: bug\n";
        assert_eq!(warnings(&source(), "w/a.yml", text), Vec::<String>::new());
        let text = "title: T\ntitel: U\n";
        assert_eq!(warnings(&source(), "w/a.yml", text), Vec::<String>::new(), "the item has a title");
        assert_eq!(warnings(&source(), "w/a.yml", "titel: U\n"), ["w/a.yml:1:1 titel did you mean `title`?"]);
    }

    #[test]
    fn fields_that_the_configuration_names_are_not_reported() {
        let text = "dependsOn: [b]\n";
        assert_eq!(warnings(&mapped(&[("depends_on", &["dependsOn"])]), "w/a.yml", text), Vec::<String>::new());
        let mut source = source();
        source.edges = Some(EdgeMap {
            field: "relates".to_owned(),
            to: "to".to_owned(),
            kind: "kind".to_owned(),
            types: std::collections::BTreeMap::new(),
        });
        assert_eq!(warnings(&source, "w/a.yml", "relates: [{to: b, kind: x}]\n"), Vec::<String>::new());
        source.no_pack.0.insert("relate".to_owned(), vec!["x".to_owned()]);
        assert_eq!(warnings(&source, "w/a.yml", "relate: b\n"), Vec::<String>::new());
    }

    #[test]
    fn every_field_of_the_published_schema_is_known() {
        let schema: serde_json::Value = serde_json::from_str(&crate::records::work_item_schema()).unwrap();
        for name in schema["properties"].as_object().unwrap().keys() {
            assert!(crate::records::fields::KNOWN_FIELDS.contains(&name.as_str()), "{name}");
        }
    }
}
