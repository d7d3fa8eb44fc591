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
    use crate::wire::{SectionSource, Warning};

    fn pack(sections: &[(&str, &str, &str)]) -> Pack {
        let section = |(id, detail, content): &(&str, &str, &str)| {
            serde_json::json!({"id": id, "kind": "issue", "title": "t", "source": {"kind": "file"}, "provenance": "root",
                "content": content, "metadata": {"detail": detail, "chars": 1}})
        };
        let sections: Vec<_> = sections.iter().map(section).collect();
        serde_json::from_value(serde_json::json!({
            "schema_version": "context_pack/v1", "pack_id": "", "generated_at": "",
            "generator": {"name": "", "version": ""}, "profile": "coding", "root": {"title": "t"}, "inputs": [],
            "budget": {"strategy": "both", "rendering": "markdown/1", "used_chars": 1, "used_bytes": 1},
            "hash": "", "sections": sections, "omissions": [], "redactions": [], "warnings": []
        }))
        .unwrap()
    }

    #[test]
    fn added_sections_come_first_and_changed_texts_last() {
        let limits = ("file.docs/limits.md", "full", "l");
        let before =
            [("root.issue", "full", "a"), ("child.task:z", "full", "z"), ("child.task:y", "full", "y"), limits];
        let after = [
            ("root.issue", "full", "b"),
            ("child.task:z", "pointer", ""),
            ("child.task:y", "full", "y"),
            ("adr.docs/adr/0007-cache.md", "full", "c"),
            ("adr.docs/adr/cache.md", "excerpt", "c"),
        ];
        let expected =
            "ADR-0007 in; docs/adr/cache.md in as excerpt; task:z to pointer; docs/limits.md out; body changed";
        assert_eq!(summarize_changes(&pack(&before), &pack(&after)).join("; "), expected);
        assert!(summarize_changes(&pack(&after), &pack(&after)).is_empty());
    }

    #[test]
    fn every_change_has_a_cause() {
        let warning = |line| {
            let source = SectionSource { lines: Some([line, line]), ..SectionSource::default() };
            Warning { code: "unknown-id".to_owned(), message: "m".to_owned(), source: Some(source) }
        };
        let mut before = pack(&[("root.issue", "full", "a"), ("root.json", "full", "{}")]);
        before.warnings = vec![warning(1)];
        type Change = (fn(&mut Pack), &'static str);
        let changes: [Change; 10] = [
            (|pack| pack.warnings[0].code = "cycle".to_owned(), "new warning cycle; warning unknown-id gone"),
            (|pack| pack.warnings[0].source = None, "warnings moved"),
            (|pack| pack.budget.max_tokens = Some(4000), "limits changed"),
            (|pack| pack.root.title = "u".to_owned(), "title changed"),
            (|pack| pack.sections[0].source.path = Some("b.md".to_owned()), "body moved"),
            (|pack| pack.sections[1].provenance = "graph".to_owned(), "fields has other facts"),
            (|pack| pack.sections.reverse(), "order changed"),
            (|pack| pack.generator.version = "2".to_owned(), "built by another version"),
            (|pack| pack.sections[0].metadata.chars = 2, "sizes changed"),
            (|_| {}, ""),
        ];
        for (change, expected) in changes {
            let mut after = before.clone();
            change(&mut after);
            assert_eq!(summarize_changes(&before, &after).join("; "), expected);
        }
    }
}
