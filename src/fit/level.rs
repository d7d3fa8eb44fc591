//! Levels of detail, and the order in which sections are trimmed.

use crate::config::Strategy;
use crate::redact::Clean;
use crate::select::{Candidate, Role, SectionBody};

/// A section's level of detail, from most to least.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum DetailLevel {
    Full,
    Excerpt,
    Pointer,
    LeftOut,
}

/// A step that lowers one section to the level `to`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TrimStep {
    pub(super) section: usize,
    pub(super) to: DetailLevel,
}

/// Returns the steps that lead from everything in full to the smallest pack.
///
/// They depend on the selection and the strategy alone, never on a limit: a
/// larger budget therefore never removes anything.
pub(super) fn ladder(candidates: &[Candidate], strategy: Strategy) -> Vec<TrimStep> {
    let mut ranked: Vec<(u32, usize)> = Vec::new();
    let (mut json, mut edges) = (None, None);
    for (section, candidate) in candidates.iter().enumerate() {
        match candidate.role {
            Role::Root => {}
            Role::Json => json = Some(section),
            Role::Edges => edges = Some(section),
            Role::Rank(rank) => ranked.push((rank, section)),
        }
    }
    ranked.sort_unstable();
    let all = |to| ranked.iter().map(move |(_, section)| TrimStep { section: *section, to });
    let one = |section: Option<usize>, to| section.map(|section| TrimStep { section, to }).into_iter();
    match strategy {
        Strategy::Both => all(DetailLevel::Excerpt)
            .chain(one(json, DetailLevel::Excerpt))
            .chain(all(DetailLevel::Pointer))
            .chain(one(json, DetailLevel::Pointer))
            .chain(all(DetailLevel::LeftOut))
            .chain(one(edges, DetailLevel::Pointer))
            .collect(),
        Strategy::DropLowPriority => all(DetailLevel::LeftOut)
            .chain(one(json, DetailLevel::Excerpt))
            .chain(one(json, DetailLevel::Pointer))
            .chain(one(edges, DetailLevel::Pointer))
            .collect(),
        Strategy::TruncateTail => (0..candidates.len())
            .rev()
            .flat_map(|section| {
                let levels: &[DetailLevel] = match candidates[section].role {
                    Role::Root => &[],
                    Role::Json => &[DetailLevel::Excerpt, DetailLevel::Pointer],
                    Role::Edges => &[DetailLevel::Pointer],
                    Role::Rank(_) => &[DetailLevel::LeftOut],
                };
                levels.iter().map(move |to| TrimStep { section, to: *to })
            })
            .collect(),
    }
}

/// Returns the text of a section at a level; `None` if it has none of its own there.
pub(super) fn content(body: &SectionBody, level: DetailLevel) -> Option<Clean> {
    match (body, level) {
        (_, DetailLevel::LeftOut) => None,
        (SectionBody::Whole(text), DetailLevel::Full) => Some(text.clone()),
        (SectionBody::Whole(_), _) => None,
        (SectionBody::Passage(passage, _), DetailLevel::Full) => Some(passage.full().clone()),
        (SectionBody::Passage(passage, _), DetailLevel::Excerpt) => passage.excerpt().cloned(),
        (SectionBody::Passage(_, pointer), DetailLevel::Pointer) => Some(pointer.clone()),
        (SectionBody::Code(code), DetailLevel::Full) => Some(code.full.clone()),
        (SectionBody::Code(code), DetailLevel::Excerpt) => code.excerpt.clone(),
        (SectionBody::Code(code), DetailLevel::Pointer) => Some(code.pointer.clone()),
        (SectionBody::Json(json), DetailLevel::Full) => Some(json.full()),
        (SectionBody::Json(json), DetailLevel::Excerpt) => Some(json.native()),
        (SectionBody::Json(json), DetailLevel::Pointer) => Some(json.identity()),
        (SectionBody::Edges(edges), DetailLevel::Full) => Some(edges.text(edges.len())),
        (SectionBody::Edges(edges), DetailLevel::Pointer) => Some(edges.text(0)),
        (SectionBody::Edges(_), DetailLevel::Excerpt) => None,
    }
}
