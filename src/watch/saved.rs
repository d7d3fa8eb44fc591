//! What a save means for whoever reads the pack.

use crate::cache::PackSummary;
use crate::render;
use crate::review::{read, summarize_changes};
use crate::session::WrittenPack;
use crate::wire::{Pack, PackBudget};
use similar::TextDiff;
use std::time::Duration;

/// How many moves of sections a line tells.
const TOLD: usize = 6;

/// A pack that was written.
#[derive(Debug, Clone)]
pub struct SavedPack {
    /// The file's name.
    pub name: String,
    /// Names of the files that were written: the pack, its rendering.
    pub files: Vec<String>,
    /// The root's id.
    pub root: String,
    /// The profile.
    pub profile: String,
    /// What is told of it.
    pub made: PackSummary,
    /// What came of its sections; see [`moves`].
    pub moves: Vec<String>,
    /// What the budget measures now.
    pub budget: PackBudget,
    /// What it measured before, where there was such a pack.
    pub before: Option<PackBudget>,
    /// Whether the root's own text changed, and not only what stands around it.
    pub own: bool,
    /// The rendering before and now, where they are asked for.
    pub renderings: Option<(Option<String>, String)>,
}

impl SavedPack {
    /// What `replaced` means.
    pub(super) fn new(replaced: WrittenPack<'_>, renderings: bool) -> Self {
        let WrittenPack { name, before, now } = replaced;
        let old = before.and_then(|bytes| read(bytes).ok());
        let rendered = |pack: &Pack| render::pack(pack).whole();
        let root = now.root.work_item_id.clone().or_else(|| now.root.issue_url.clone());
        Self {
            name: name.to_owned(),
            files: vec![name.to_owned()],
            root: root.unwrap_or_default(),
            profile: now.profile.clone(),
            made: now.into(),
            moves: old.as_ref().map(|old| summarize_changes(old, now)).unwrap_or_default(),
            budget: now.budget.clone(),
            own: old.as_ref().is_none_or(|old| own(old) != own(now)),
            renderings: renderings.then(|| (old.as_ref().map(rendered), rendered(now))),
            before: old.map(|old| old.budget),
        }
    }

    /// One line: the root, its size against the limit, what moved, and how long it `took`. The profile stands there
    /// where `profiles` are told apart. It holds clean text, but any character of it.
    pub fn line(&self, profiles: bool, took: Duration) -> String {
        let (used, most, unit) = measure(&self.budget);
        let mut line = self.root.clone();
        if profiles {
            line += &format!(" ({})", self.profile);
        }
        line += &format!(" {}", thousands(used));
        if let Some(most) = most {
            line += &format!(" of {}", thousands(most));
        }
        line += &format!(" {unit}");
        let before = self.before.as_ref().map(measure).filter(|(_, _, old)| *old == unit);
        match before {
            Some((before, ..)) if before < used => line += &format!(" (+{})", thousands(used - before)),
            Some((before, ..)) if before > used => line += &format!(" (-{})", thousands(before - used)),
            _ => {}
        }
        let mut told: Vec<String> = match self.before {
            None => vec!["new".to_owned()],
            Some(_) => self.moves.iter().take(TOLD).cloned().collect(),
        };
        if self.moves.len() > TOLD {
            told.push(format!("{} more", self.moves.len() - TOLD));
        }
        let told = told.join(", ");
        line + if told.is_empty() { "" } else { ": " } + &told + &format!(", {} ms", took.as_millis())
    }

    /// The difference of the renderings as a unified diff, where they were asked for; a new pack is all new.
    pub fn diff(&self) -> Option<String> {
        let (before, now) = self.renderings.as_ref()?;
        let before = before.as_deref().unwrap_or_default();
        let name = self.name.strip_suffix(".json").unwrap_or(&self.name);
        let diff = TextDiff::from_lines(before, now.as_str());
        Some(diff.unified_diff().header(&format!("a/{name}.md"), &format!("b/{name}.md")).to_string())
    }
}

/// The texts of the root itself.
fn own(pack: &Pack) -> Vec<&str> {
    let root = pack.sections.iter().filter(|section| matches!(&*section.id, "root.issue" | "root.draft" | "root.json"));
    root.map(|section| &*section.content).collect()
}

/// What is used, of how much, and in what: tokens before bytes before characters.
fn measure(budget: &PackBudget) -> (u64, Option<u64>, &'static str) {
    match (budget.used_tokens, budget.max_tokens, budget.max_chars, budget.max_bytes) {
        (Some(used), Some(most), ..) => (used, Some(most), "tokens"),
        (_, _, None, Some(most)) => (budget.used_bytes, Some(most), "bytes"),
        (_, _, most, _) => (budget.used_chars, most, "characters"),
    }
}

/// `1234567` as `1,234,567`.
fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    fn budget(used: u64) -> PackBudget {
        serde_json::from_value(serde_json::json!({
            "max_tokens": 8000, "strategy": "both", "rendering": "markdown/1", "used_chars": 9, "used_bytes": 9,
            "used_tokens": used
        }))
        .unwrap()
    }

    fn saved(before: Option<u64>, moves: &[&str]) -> SavedPack {
        SavedPack {
            name: "feat-limits.coding.json".to_owned(),
            files: Vec::new(),
            root: "feat:limits".to_owned(),
            profile: "coding".to_owned(),
            made: PackSummary { hash: String::new(), used_chars: 9, used_tokens: None, omitted: 0, redacted: 0 },
            moves: moves.iter().map(|text| (*text).to_owned()).collect(),
            budget: budget(4417),
            before: before.map(budget),
            own: true,
            renderings: Some((Some("a\nb\n".to_owned()), "a\nc\n".to_owned())),
        }
    }

    #[test]
    fn a_line_says_what_the_save_means_for_a_reader() {
        let line = |saved: SavedPack| saved.line(false, Duration::from_micros(14_700));
        assert_eq!(
            line(saved(Some(4297), &["ADR-0007 in", "task:z to pointer"])),
            "feat:limits 4,417 of 8,000 tokens (+120): ADR-0007 in, task:z to pointer, 14 ms"
        );
        assert_eq!(line(saved(Some(5417), &[])), "feat:limits 4,417 of 8,000 tokens (-1,000), 14 ms");
        assert_eq!(line(saved(None, &[])), "feat:limits 4,417 of 8,000 tokens: new, 14 ms");
        let many = line(saved(Some(4417), &["x in"; 9]));
        assert_eq!(many.matches("x in").count(), TOLD);
        assert!(many.ends_with(", 3 more, 14 ms"), "{many}");
        let told = saved(Some(4417), &[]).line(true, Duration::ZERO);
        assert_eq!(told, "feat:limits (coding) 4,417 of 8,000 tokens, 0 ms");
    }

    #[test]
    fn the_difference_is_a_unified_diff_of_the_rendering() {
        let diff = saved(None, &[]).diff().unwrap();
        assert_eq!(diff, "--- a/feat-limits.coding.md\n+++ b/feat-limits.coding.md\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n");
        assert_eq!([0, 999, 1000, 1_234_567].map(thousands), ["0", "999", "1,000", "1,234,567"]);
    }
}
