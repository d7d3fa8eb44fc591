//! A short summary of the changes of a pack's sections between two builds.

use crate::wire::{Pack, PackBudget, Section, Warning};
use std::collections::BTreeMap;

/// Summarizes the changes of a pack's sections: `ADR-0007 in`, `task:z to pointer`, `docs/limits.md out`, `body changed`.
///
/// Sorted by kind of change (added, another detail, removed, another text, warnings), then by pack order. Other changes are
/// named only if there are none of these, so that the result is empty only for packs of equal content. Names of sections are redacted,
/// but may hold any character.
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
    let mut all: Vec<String> = added.into_iter().chain(another_detail).chain(removed).chain(changed).collect();
    all.extend(missing_warnings(after, before).map(|code| format!("new warning {code}")));
    all.extend(missing_warnings(before, after).map(|code| format!("warning {code} gone")));
    if all.is_empty() {
        all = other_changes(before, after);
    }
    all
}

/// Returns the code of each warning of `pack` that `other` lacks, wherever it stands.
fn missing_warnings<'p>(pack: &'p Pack, other: &'p Pack) -> impl Iterator<Item = &'p str> {
    let is_missing = |warning: &&Warning| {
        !other.warnings.iter().any(|known| known.code == warning.code && known.message == warning.message)
    };
    pack.warnings.iter().filter(is_missing).map(|warning| warning.code.as_str())
}

/// Names the parts of a pack that changed besides the sections' texts and the warnings' words.
fn other_changes(before: &Pack, after: &Pack) -> Vec<String> {
    let limits = |pack: &Pack| {
        let PackBudget { max_chars, max_bytes, max_tokens, tokenizer, strategy, rendering, .. } = &pack.budget;
        (*max_chars, *max_bytes, *max_tokens, tokenizer.clone(), strategy.clone(), rendering.clone())
    };
    let mut all = Vec::new();
    for (is_same, what) in [
        (before.root == after.root, "title"),
        (limits(before) == limits(after), "limits"),
        (before.omissions == after.omissions, "omissions"),
        (before.redactions == after.redactions, "redactions"),
    ] {
        all.extend((!is_same).then(|| format!("{what} changed")));
    }
    let same = before.sections.iter().zip(&after.sections).filter(|(old, new)| old.id == new.id);
    for (old, new) in same.filter(|(old, new)| old != new) {
        let is_moved = old.source.path != new.source.path || old.source.lines != new.source.lines;
        all.push(format!("{} {}", name(new), if is_moved { "moved" } else { "has other facts" }));
    }
    let is_same_order = before.sections.iter().map(|it| &it.id).eq(after.sections.iter().map(|it| &it.id));
    all.extend((!is_same_order).then(|| "order changed".to_owned()));
    if all.is_empty() && before.warnings != after.warnings {
        all.push("warnings moved".to_owned());
    }
    if all.is_empty() && before.inputs != after.inputs {
        all.push("inputs changed".to_owned());
    }
    if all.is_empty() && before.generator != after.generator {
        all.push("built by another version".to_owned());
    }
    all
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
    use crate::wire::SectionSource;

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

    #[test]
    fn every_change_has_a_cause() {
        let before = pack(&[("root.issue", "full", "a"), ("root.json", "full", "{}")]);
        let warning = |code: &str, line: u64| {
            let source = SectionSource { lines: Some([line, line]), ..SectionSource::default() };
            Warning { code: code.to_owned(), message: "m".to_owned(), source: Some(source) }
        };
        type Change = fn(&mut Pack, &dyn Fn(&str, u64) -> Warning);
        let changes: [(Change, &str); 8] = [
            (|pack, warning| pack.warnings.push(warning("unknown-id", 1)), "new warning unknown-id"),
            (|pack, _| pack.budget.max_tokens = Some(4000), "limits changed"),
            (|pack, _| pack.root.title = "u".to_owned(), "title changed"),
            (|pack, _| pack.sections[0].source.lines = Some([2, 3]), "body moved"),
            (|pack, _| pack.sections[1].provenance = "graph".to_owned(), "fields has other facts"),
            (|pack, _| pack.sections.reverse(), "order changed"),
            (|pack, _| pack.generator.version = "2".to_owned(), "built by another version"),
            (|pack, _| pack.sections[0].metadata.chars = 2, "body has other facts"),
        ];
        for (change, expected) in changes {
            let mut after = before.clone();
            change(&mut after, &warning);
            assert_eq!(summarize_changes(&before, &after), [expected]);
        }
        let mut warned = before.clone();
        warned.warnings.push(warning("unknown-id", 1));
        assert_eq!(summarize_changes(&warned, &before), ["warning unknown-id gone"]);
        let mut moved = before.clone();
        moved.warnings.push(warning("unknown-id", 7));
        assert_eq!(summarize_changes(&warned, &moved), ["warnings moved"]);
    }
}
