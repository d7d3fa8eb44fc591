//! A short summary of the changes of a pack's sections between two builds.

use super::diff::{SectionChange, paired, section_changes};
use super::stale::limits;
use crate::wire::Pack;

/// Summarizes the changes of a pack's sections: `ADR-0007 in`, `task:z to pointer`, `docs/limits.md out`, `body changed`.
///
/// Sorted by kind of change (added, another detail, removed, another text, warnings), then by pack order. Other changes are
/// named only if there are none of these, so that the result is empty only for packs of equal content. Names of sections are redacted,
/// but may hold any character.
pub fn summarize_changes(before: &Pack, after: &Pack) -> Vec<String> {
    let sections = section_changes(&before.sections, &after.sections);
    let mut ranked: Vec<(u8, String)> = sections.iter().filter_map(of_section).collect();
    ranked.sort_by_key(|(rank, _)| *rank);
    let mut all: Vec<String> = ranked.into_iter().map(|(_, words)| words).collect();
    let warnings = paired(&before.warnings, &after.warnings, |it| (&it.code, &it.message));
    let new = warnings.iter().filter(|(old, _)| old.is_none()).filter_map(|(_, new)| *new);
    all.extend(new.map(|warning| format!("new warning {}", warning.code)));
    let gone = warnings.iter().filter(|(_, new)| new.is_none()).filter_map(|(old, _)| *old);
    all.extend(gone.map(|warning| format!("warning {} gone", warning.code)));
    if all.is_empty() { other_changes(before, after, &sections) } else { all }
}

/// Says how a section changed, with the rank of that change; `None` if its text and detail did not.
fn of_section(section: &SectionChange) -> Option<(u8, String)> {
    let name = name(&section.id);
    let detail = section.new_detail.as_deref().unwrap_or_default();
    match section.change.as_str() {
        "added" if detail == "full" => Some((0, format!("{name} in"))),
        "added" => Some((0, format!("{name} in as {detail}"))),
        "more_detail" | "less_detail" => Some((1, format!("{name} to {detail}"))),
        "removed" => Some((2, format!("{name} out"))),
        "changed" if !section.hunks.is_empty() => Some((3, format!("{name} changed"))),
        _ if section.was.is_some() => Some((3, format!("{name} moved"))),
        // Then only the marks of what is left out differ.
        "changed" if section.fields.is_empty() => Some((3, format!("{name} changed below the cut"))),
        _ => None,
    }
}

/// Names the parts of a pack that changed besides the sections' texts and the warnings' words.
fn other_changes(before: &Pack, after: &Pack, sections: &[SectionChange]) -> Vec<String> {
    let (old, new) = (&before.budget, &after.budget);
    let differs = [
        (before.root != after.root, "title"),
        (limits(old) != limits(new) || old.rendering != new.rendering, "limits"),
        (before.omissions != after.omissions, "omissions"),
        (before.redactions != after.redactions, "redactions"),
    ];
    let mut all: Vec<String> =
        differs.iter().filter(|(differs, _)| *differs).map(|(_, what)| format!("{what} changed")).collect();
    for section in sections.iter().filter(|section| section.change == "changed") {
        let is_moved = section.fields.iter().any(|field| field.field == "place");
        all.push(format!("{} {}", name(&section.id), if is_moved { "moved" } else { "has other facts" }));
    }
    all.extend(sections.iter().any(|section| section.reordered).then(|| "order changed".to_owned()));
    // The first of these that differs is named only if nothing else is.
    let rest = [
        (before.warnings != after.warnings, "warnings moved"),
        (before.inputs != after.inputs, "inputs changed"),
        (before.sections != after.sections, "sizes changed"),
        (before.generator != after.generator, "built by another version"),
    ];
    let first = rest.iter().find(|(differs, _)| *differs && all.is_empty()).map(|(_, words)| (*words).to_owned());
    all.into_iter().chain(first).collect()
}

/// Returns a section's name for people: an ADR's number, an item's id, a path.
fn name(id: &str) -> String {
    let (kind, rest) = id.split_once('.').unwrap_or(("", id));
    match (kind, rest) {
        ("root", "issue") => "body".to_owned(),
        ("root", "json") => "fields".to_owned(),
        ("root", "draft" | "edges") => rest.to_owned(),
        ("adr", path) => {
            let file = path.rsplit('/').next().unwrap_or(path);
            let number: String = file.chars().take_while(char::is_ascii_digit).collect();
            if number.is_empty() { path.to_owned() } else { format!("ADR-{number}") }
        }
        ("comment", number) => format!("comment {number}"),
        ("parent" | "child" | "dependency" | "file", rest) => rest.to_owned(),
        _ => id.to_owned(),
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    #[derive(serde::Deserialize)]
    struct Cases {
        sections: Vec<SectionsCase>,
        /// A place in a pack, its new value, and the summary.
        fields: Vec<(String, Value, String)>,
    }

    /// The id, the detail and the text of each section.
    #[derive(serde::Deserialize)]
    struct SectionsCase {
        old: Vec<[String; 3]>,
        new: Vec<[String; 3]>,
        changes: Vec<String>,
        summary: String,
    }

    fn pack(sections: &[[String; 3]]) -> Value {
        let section = |[id, detail, content]: &[String; 3]| {
            json!({"id": id, "kind": "issue", "title": "t", "source": {"kind": "file"}, "provenance": "root",
                "content": content, "metadata": {"detail": detail, "chars": 1}})
        };
        json!({
            "schema_version": "context_pack/v1", "pack_id": "", "generated_at": "",
            "generator": {"name": "", "version": ""}, "profile": "coding", "root": {"title": "t"}, "inputs": [],
            "budget": {"strategy": "both", "rendering": "markdown/1", "used_chars": 1, "used_bytes": 1},
            "hash": "", "sections": sections.iter().map(section).collect::<Value>(), "omissions": [], "redactions": [],
            "warnings": [{"code": "unknown-id", "message": "m", "source": {"kind": "file", "lines": [1, 1]}}]
        })
    }

    fn summary(before: &Value, after: &Value) -> String {
        let [before, after] = [before, after].map(|pack| serde_json::from_value(pack.clone()).unwrap());
        summarize_changes(&before, &after).join("; ")
    }

    #[test]
    fn changes_are_those_of_the_cases() {
        let cases: Cases = serde_yaml::from_str(include_str!("../../tests/cases/changes.yml")).unwrap();
        for SectionsCase { old, new, changes, summary: expected } in cases.sections {
            let (old, new) = (pack(&old), pack(&new));
            let [before, after]: [Pack; 2] = [&old, &new].map(|pack| serde_json::from_value(pack.clone()).unwrap());
            let was = |it: &SectionChange| it.was.as_ref().map(|was| format!(" < {was}")).unwrap_or_default();
            let found = section_changes(&before.sections, &after.sections);
            let found: Vec<String> = found.iter().map(|it| format!("{} {}{}", it.change, it.id, was(it))).collect();
            assert_eq!((found, summary(&old, &new)), (changes, expected));
        }
        let before = pack(&[["root.issue", "full", "a"], ["root.json", "full", "{}"]].map(|it| it.map(str::to_owned)));
        for (place, value, expected) in cases.fields {
            let mut after = before.clone();
            *after.pointer_mut(&place).unwrap() = value;
            assert_eq!(summary(&before, &after), expected, "{place}");
        }
    }
}
