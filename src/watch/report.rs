//! The report of one check of a watched repo, with the packs that were written.

use super::FollowError;
use crate::engine::{EngineError, PackState, RootError, WrittenPack};
use crate::model::Diagnostic;
use crate::render;
use crate::review::{PackStatus, grouped, read, summarize_changes};
use crate::store::StoreError;
use crate::wire::{Pack, PackBudget};
use similar::TextDiff;
use std::error::Error as _;
use std::time::Duration;

const MAX_CHANGES: usize = 6;

/// The report of one check: the changes and the problems.
#[derive(Debug, Default)]
pub struct WatchReport {
    /// The packs that were written.
    pub saved: Vec<SavedPack>,
    /// The packs that could not be built; their files are unchanged.
    pub failed: Vec<PackState>,
    /// The names of packs that something else wrote, such as git, and that are as a build gives them.
    pub arrived: Vec<String>,
    /// The packs of former ids that were removed.
    pub removed: Vec<PackState>,
    /// The names of orphaned packs that were not removed: another program wrote them, or their root's file cannot be
    /// read at present.
    pub orphaned: Vec<String>,
    /// How many packs are as they were.
    pub unchanged: usize,
    /// The diagnostics that are new.
    pub diagnostics: Vec<Diagnostic>,
    /// The earlier diagnostics that no longer hold.
    pub gone: Vec<Diagnostic>,
    /// The roots as typed that match no item, or several, at present.
    pub unresolved: Vec<RootError>,
    /// What made the check incomplete.
    pub problems: Vec<WatchProblem>,
    /// Whether this check is the first without a problem or a failed pack.
    pub recovered: bool,
    /// Whether packs of several profiles are built.
    pub several_profiles: bool,
    /// How long the check took, without waiting for the end of the burst.
    pub took: Duration,
}

/// A problem that makes a check incomplete.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub enum WatchProblem {
    /// Nothing was built: the packs are those of the last build.
    Session(EngineError),
    Follow(FollowError),
    Now(StoreError),
}

impl WatchProblem {
    /// Describes the problem with its causes on one line, by which equal problems are recognised.
    pub fn to_line(&self) -> String {
        let causes = std::iter::successors(self.source(), |cause| (*cause).source());
        let mut line = causes.fold(self.to_string(), |line, cause| format!("{line}: {cause}"));
        if let Self::Session(EngineError::Config { diagnostics: faults, .. }) = self {
            for fault in faults {
                let at = fault.at.as_ref().map(|at| format!("{at}: ")).unwrap_or_default();
                line += &format!("; {at}{}", fault.message);
            }
        }
        line
    }
}

impl WatchReport {
    /// Returns whether nothing changed and no problem began or ended.
    pub fn is_quiet(&self) -> bool {
        let packs = [&self.failed, &self.removed].into_iter().all(Vec::is_empty) && self.saved.is_empty();
        let names = [&self.arrived, &self.orphaned].into_iter().all(Vec::is_empty) && self.unresolved.is_empty();
        let diagnostics = [&self.diagnostics, &self.gone].into_iter().all(Vec::is_empty);
        packs && names && diagnostics && self.problems.is_empty() && !self.recovered
    }
}

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
        let state = PackState { files, ..PackState::of_pack(name, now, PackStatus::Written, reasons) };
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
            Some(_) if self.state.reasons.is_empty() => vec!["Markdown copy".to_owned()],
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
