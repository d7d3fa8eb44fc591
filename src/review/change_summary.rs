//! A short summary of the changes of a pack's sections between two builds.

use crate::wire::{Pack, Section};
use std::collections::BTreeMap;

/// Summarizes the changes of a pack's sections: `ADR-0007 in`, `task:z to pointer`, `docs/limits.md out`, `body changed`.
///
/// Sorted by kind of change (added, another detail, removed, another text), then by pack order. Names of sections are
/// redacted, but may hold any character.
pub fn summarize_changes(before: &Pack, after: &Pack) -> Vec<String> {
    let by_id = |pack: &'_ Pack| -> BTreeMap<String, usize> {
        pack.sections.iter().enumerate().map(|(at, section)| (section.id.clone(), at)).collect()
    };
    let (old, new) = (by_id(before), by_id(after));
    let (mut added, mut another_detail, mut changed) = (Vec::new(), Vec::new(), Vec::new());
    for section in &after.sections {
        let name = name(section);
        let detail = section.metadata.detail.as_str();
        match old.get(&section.id).map(|at| &before.sections[*at]) {
            None if detail == "full" => added.push(format!("{name} in")),
            None => added.push(format!("{name} in as {detail}")),
            Some(old) if old.metadata.detail != detail => another_detail.push(format!("{name} to {detail}")),
            Some(old) if old.content != section.content => changed.push(format!("{name} changed")),
            Some(_) => {}
        }
    }
    let removed = before.sections.iter().filter(|section| !new.contains_key(&section.id));
    let removed = removed.map(|section| format!("{} out", name(section)));
    added.into_iter().chain(another_detail).chain(removed).chain(changed).collect()
}

/// Returns a section's name for people: an ADR's number, an item's id, a path.
fn name(section: &Section) -> String {
    let (kind, rest) = section.id.split_once('.').unwrap_or(("", &section.id));
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
        _ => section.id.clone(),
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

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
        let before = pack(&[
            ("root.issue", "full", "a"),
            ("child.task:z", "full", "z"),
            ("child.task:y", "full", "y"),
            ("file.docs/limits.md", "full", "l"),
        ]);
        let after = pack(&[
            ("root.issue", "full", "b"),
            ("child.task:z", "pointer", ""),
            ("child.task:y", "full", "y"),
            ("adr.docs/adr/0007-cache.md", "full", "c"),
            ("adr.docs/adr/cache.md", "excerpt", "c"),
        ]);
        let expected = [
            "ADR-0007 in",
            "docs/adr/cache.md in as excerpt",
            "task:z to pointer",
            "docs/limits.md out",
            "body changed",
        ];
        assert_eq!(summarize_changes(&before, &after), expected);
        assert!(summarize_changes(&after, &after).is_empty());
    }
}
