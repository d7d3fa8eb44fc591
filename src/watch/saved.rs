//! The report about a pack that was written.

use crate::engine::{PackState, WRITTEN, WrittenPack};
use crate::render;
use crate::review::{grouped, read, summarize_changes};
use crate::wire::{Pack, PackBudget};
use similar::TextDiff;
use std::time::Duration;

const MAX_CHANGES: usize = 6;

#[derive(Debug, Clone)]
pub struct SavedPack {
    /// The pack; its reasons are the changes of its sections, see [`summarize_changes`].
    pub state: PackState,
    pub budget: PackBudget,
    pub before: Option<PackBudget>,
    /// Whether the root's own text changed, and not only its context.
    pub own: bool,
    /// The old and the new rendering, if asked for.
    pub renderings: Option<(Option<String>, String)>,
}

impl SavedPack {
    pub(super) fn new(replaced: WrittenPack<'_>, renderings: bool) -> Self {
        let WrittenPack { name, before, now } = replaced;
        let old = before.and_then(|bytes| read(bytes).ok());
        let rendered = |pack: &Pack| render::pack(pack).whole();
        let reasons = old.as_ref().map(|old| summarize_changes(old, now)).unwrap_or_default();
        let files = vec![name.to_owned()];
        let state = PackState { files, ..PackState::of_pack(name, now, WRITTEN, reasons) };
        Self {
            state,
            budget: now.budget.clone(),
            own: old.as_ref().is_none_or(|old| root_texts(old) != root_texts(now)),
            renderings: renderings.then(|| (old.as_ref().map(rendered), rendered(now))),
            before: old.map(|old| old.budget),
        }
    }

    /// Returns one line: the root, its size against the limit, the changes, and how long it `took`. It names the
    /// profile if there are several `profiles`. The text is redacted, but may hold any character.
    pub fn line(&self, profiles: bool, took: Duration) -> String {
        let (used, most, unit) = measure(&self.budget);
        let mut line = self.state.root.clone();
        if profiles {
            line += &format!(" ({})", self.state.profile);
        }
        line += &format!(" {}", grouped(used));
        if let Some(most) = most {
            line += &format!(" of {}", grouped(most));
        }
        line += &format!(" {unit}");
        let before = self.before.as_ref().map(measure).filter(|(_, _, old)| *old == unit);
        match before {
            Some((before, ..)) if before < used => line += &format!(" (+{})", grouped(used - before)),
            Some((before, ..)) if before > used => line += &format!(" (-{})", grouped(before - used)),
            _ => {}
        }
        let mut parts: Vec<String> = match self.before {
            None => vec!["new".to_owned()],
            // The pack itself is as it was.
            Some(_) if self.state.reasons.is_empty() => vec!["Markdown beside it".to_owned()],
            Some(_) => self.state.reasons.iter().take(MAX_CHANGES).cloned().collect(),
        };
        if self.state.reasons.len() > MAX_CHANGES {
            parts.push(format!("{} more", self.state.reasons.len() - MAX_CHANGES));
        }
        line + ": " + &parts.join(", ") + &format!(", {} ms", took.as_millis())
    }

    /// Returns the difference of the renderings as a unified diff; `None` if renderings were not asked for.
    pub fn diff(&self) -> Option<String> {
        let (before, now) = self.renderings.as_ref()?;
        let before = before.as_deref().unwrap_or_default();
        let name = self.state.name.strip_suffix(".json").unwrap_or(&self.state.name);
        let diff = TextDiff::from_lines(before, now.as_str());
        Some(diff.unified_diff().header(&format!("a/{name}.md"), &format!("b/{name}.md")).to_string())
    }
}

fn root_texts(pack: &Pack) -> Vec<&str> {
    let root = pack.sections.iter().filter(|section| matches!(&*section.id, "root.issue" | "root.draft" | "root.json"));
    root.map(|section| &*section.content).collect()
}

/// Returns use, limit and unit of a budget: tokens if limited, else bytes, else characters.
fn measure(budget: &PackBudget) -> (u64, Option<u64>, &'static str) {
    match (budget.used_tokens, budget.max_tokens, budget.max_chars, budget.max_bytes) {
        (Some(used), Some(most), ..) => (used, Some(most), "tokens"),
        (_, _, None, Some(most)) => (budget.used_bytes, Some(most), "bytes"),
        (_, _, most, _) => (budget.used_chars, most, "characters"),
    }
}
