//! How much of a section is there, and the order in which sections give way.

use crate::config::Strategy;
use crate::redact::Clean;
use crate::select::{Body, Candidate, Role};

/// How much of a section is there, most first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Level {
    Full,
    Excerpt,
    Pointer,
    Gone,
}

/// One section gives way by one level.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Step {
    pub(super) section: usize,
    pub(super) to: Level,
}

/// The steps from everything in full to the least that a pack can be, each
/// smaller than the one before. It depends on the selection and the strategy
/// alone, never on a limit: that is why more budget never takes anything away.
pub(super) fn ladder(candidates: &[Candidate], strategy: Strategy) -> Vec<Step> {
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
    let all = |to| ranked.iter().map(move |(_, section)| Step { section: *section, to });
    let one = |section: Option<usize>, to| section.map(|section| Step { section, to }).into_iter();
    match strategy {
        Strategy::Both => all(Level::Excerpt)
            .chain(one(json, Level::Excerpt))
            .chain(all(Level::Pointer))
            .chain(one(json, Level::Pointer))
            .chain(all(Level::Gone))
            .chain(one(edges, Level::Pointer))
            .collect(),
        Strategy::DropLowPriority => all(Level::Gone)
            .chain(one(json, Level::Excerpt))
            .chain(one(json, Level::Pointer))
            .chain(one(edges, Level::Pointer))
            .collect(),
        Strategy::TruncateTail => (0..candidates.len())
            .rev()
            .flat_map(|section| {
                let levels: &[Level] = match candidates[section].role {
                    Role::Root => &[],
                    Role::Json => &[Level::Excerpt, Level::Pointer],
                    Role::Edges => &[Level::Pointer],
                    Role::Rank(_) => &[Level::Gone],
                };
                levels.iter().map(move |to| Step { section, to: *to })
            })
            .collect(),
    }
}

/// The text of a section at a level; `None` where it has none of its own there.
pub(super) fn content(body: &Body, level: Level) -> Option<Clean> {
    match (body, level) {
        (_, Level::Gone) => None,
        (Body::Whole(text), Level::Full) => Some(text.clone()),
        (Body::Whole(_), _) => None,
        (Body::Passage(passage, _), Level::Full) => Some(passage.full().clone()),
        (Body::Passage(passage, _), Level::Excerpt) => passage.excerpt().cloned(),
        (Body::Passage(_, pointer), Level::Pointer) => Some(pointer.clone()),
        (Body::Json(json), Level::Full) => Some(json.full()),
        (Body::Json(json), Level::Excerpt) => Some(json.native()),
        (Body::Json(json), Level::Pointer) => Some(json.identity()),
        (Body::Edges(edges), Level::Full) => Some(edges.text(edges.len())),
        (Body::Edges(edges), Level::Pointer) => Some(edges.text(0)),
        (Body::Edges(_), Level::Excerpt) => None,
    }
}
