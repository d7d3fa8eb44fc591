//! How much of a section is there, and the order in which sections give way.

use crate::config::Strategy;
use crate::redact::Clean;
use crate::select::{Candidate, Role, SectionBody};

/// How much of a section is there, most first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum DetailLevel {
    Full,
    Excerpt,
    Pointer,
    Gone,
}

/// One section gives way by one level.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TrimStep {
    pub(super) section: usize,
    pub(super) to: DetailLevel,
}

/// The steps from everything in full to the least that a pack can be, each
/// smaller than the one before. It depends on the selection and the strategy
/// alone, never on a limit: that is why more budget never takes anything away.
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
            .chain(all(DetailLevel::Gone))
            .chain(one(edges, DetailLevel::Pointer))
            .collect(),
        Strategy::DropLowPriority => all(DetailLevel::Gone)
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
                    Role::Rank(_) => &[DetailLevel::Gone],
                };
                levels.iter().map(move |to| TrimStep { section, to: *to })
            })
            .collect(),
    }
}

/// The text of a section at a level; `None` where it has none of its own there.
pub(super) fn content(body: &SectionBody, level: DetailLevel) -> Option<Clean> {
    match (body, level) {
        (_, DetailLevel::Gone) => None,
        (SectionBody::Whole(text), DetailLevel::Full) => Some(text.clone()),
        (SectionBody::Whole(_), _) => None,
        (SectionBody::Passage(passage, _), DetailLevel::Full) => Some(passage.full().clone()),
        (SectionBody::Passage(passage, _), DetailLevel::Excerpt) => passage.excerpt().cloned(),
        (SectionBody::Passage(_, pointer), DetailLevel::Pointer) => Some(pointer.clone()),
        (SectionBody::Json(json), DetailLevel::Full) => Some(json.full()),
        (SectionBody::Json(json), DetailLevel::Excerpt) => Some(json.native()),
        (SectionBody::Json(json), DetailLevel::Pointer) => Some(json.identity()),
        (SectionBody::Edges(edges), DetailLevel::Full) => Some(edges.text(edges.len())),
        (SectionBody::Edges(edges), DetailLevel::Pointer) => Some(edges.text(0)),
        (SectionBody::Edges(_), DetailLevel::Excerpt) => None,
    }
}
