//! Levels of detail, and the order in which sections are trimmed.

use crate::config::Strategy;
use crate::redact::Clean;
use crate::select::{Candidate, ChunkWeight, Role, SectionBody, Tier, TrimRank};

/// A section's level of detail, from most to least.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum DetailLevel {
    Full,
    /// Without boilerplate such as lists of contents.
    Lean,
    Excerpt,
    /// The excerpt's core: the title, the opening, the beginning of each key section.
    Brief,
    Pointer,
    LeftOut,
}

/// A step that lowers sections to the level `to`. The room that is left after it is shared out among them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TrimStep {
    pub(super) sections: Vec<usize>,
    pub(super) to: DetailLevel,
}

/// Returns the steps that lead from everything in full to the smallest pack.
///
/// They depend on the selection and the strategy alone, never on a limit: a
/// larger budget therefore never removes anything.
pub(super) fn ladder(candidates: &[Candidate], strategy: Strategy) -> Vec<TrimStep> {
    let mut ranked: Vec<(TrimRank, usize)> = Vec::new();
    let (mut json, mut edges) = (None, None);
    for (section, candidate) in candidates.iter().enumerate() {
        match candidate.role {
            Role::Root | Role::Fixed => {}
            Role::Json => json = Some(section),
            Role::Edges => edges = Some(section),
            Role::Rank(rank) => ranked.push((rank, section)),
        }
    }
    ranked.sort_unstable();
    let one = |section: usize, to| TrimStep { sections: vec![section], to };
    let some = |section: Option<usize>, to| section.map(|section| one(section, to)).into_iter();
    let left_out = || ranked.iter().map(|(_, section)| one(*section, DetailLevel::LeftOut));
    match strategy {
        Strategy::Both => {
            // A neighbour is a line of the edge list already, so it needs no pointer besides. A card is whole, or it leaves:
            // the beginnings of all would take the room of the newest.
            let is_card = |section: usize| candidates[section].card.is_some();
            let is_listed = |section: usize| candidates[section].relation.is_some() || is_card(section);
            let pointers = equals(&ranked).flat_map(|equals| {
                let (listed, others): (Vec<usize>, Vec<usize>) =
                    equals.iter().map(|(_, section)| *section).partition(|section| is_listed(*section));
                let listed = listed.into_iter().map(|section| one(section, DetailLevel::LeftOut));
                listed.chain([TrimStep { sections: others, to: DetailLevel::Pointer }])
            });
            let cut: Vec<(TrimRank, usize)> =
                ranked.iter().filter(|(_, section)| !is_card(*section)).copied().collect();
            let all = cut.iter().map(|(_, section)| *section).collect();
            // What only neighbours name gives way to the texts of neighbours: first to a pointer, then altogether.
            let distant: Vec<(TrimRank, usize)> = ranked.iter().filter(|(rank, _)| rank.second_hop).copied().collect();
            std::iter::once(TrimStep { sections: all, to: DetailLevel::Lean })
                .chain(lowered(&distant, |_| true, DetailLevel::Excerpt))
                .chain(lowered(&distant, |_| true, DetailLevel::Pointer))
                .chain(lowered(&cut, |rank| rank.settled, DetailLevel::Excerpt))
                .chain(lowered(&cut, |rank| !rank.settled, DetailLevel::Excerpt))
                .chain(lowered(&cut, |rank| rank.settled, DetailLevel::Brief))
                .chain(lowered(&cut, |rank| !rank.settled, DetailLevel::Brief))
                .chain(some(json, DetailLevel::Excerpt))
                .chain(distant.iter().map(|(_, section)| one(*section, DetailLevel::LeftOut)))
                // What came of each neighbour stays longer than the second line of any.
                .chain(lowered(&ranked, |rank| rank.has_result, DetailLevel::Pointer))
                .chain(pointers)
                .chain(some(json, DetailLevel::Pointer))
                .chain(left_out())
                .chain(some(edges, DetailLevel::Pointer))
                .filter(|step| !step.sections.is_empty())
                .collect()
        }
        Strategy::DropLowPriority => left_out()
            .chain(some(json, DetailLevel::Excerpt))
            .chain(some(json, DetailLevel::Pointer))
            .chain(some(edges, DetailLevel::Pointer))
            .collect(),
        Strategy::TruncateTail => (0..candidates.len())
            .rev()
            .flat_map(|section| {
                let levels: &[DetailLevel] = match candidates[section].role {
                    Role::Root | Role::Fixed => &[],
                    Role::Json => &[DetailLevel::Excerpt, DetailLevel::Pointer],
                    Role::Edges => &[DetailLevel::Pointer],
                    Role::Rank(_) => &[DetailLevel::LeftOut],
                };
                levels.iter().map(move |to| one(section, *to))
            })
            .collect(),
    }
}

/// Divides sections in the order of trimming into those that are equals.
fn equals(ranked: &[(TrimRank, usize)]) -> impl Iterator<Item = &[(TrimRank, usize)]> {
    ranked.chunk_by(|(a, _), (b, _)| a.class == b.class)
}

/// Returns the steps that reduce the `chosen` sections to a level, equals together.
fn lowered(
    ranked: &[(TrimRank, usize)],
    chosen: impl Fn(TrimRank) -> bool,
    to: DetailLevel,
) -> impl Iterator<Item = TrimStep> {
    equals(ranked).map(move |equals| {
        let sections = equals.iter().filter(|(rank, _)| chosen(*rank)).map(|(_, section)| *section);
        TrimStep { sections: sections.collect(), to }
    })
}

/// Returns the text of a section at a level; `None` if it has none of its own there.
pub(super) fn content(body: &SectionBody, level: DetailLevel) -> Option<Clean> {
    match (body, level) {
        (SectionBody::Whole(text), DetailLevel::Full) => Some(text.clone()),
        (SectionBody::Passage(passage, _), DetailLevel::Full) => Some(passage.full().clone()),
        (SectionBody::Passage(passage, _), DetailLevel::Lean) => passage.above(ChunkWeight::Boilerplate).cloned(),
        (SectionBody::Passage(passage, _), DetailLevel::Excerpt) => passage.above(ChunkWeight::Normal).cloned(),
        (SectionBody::Passage(passage, _), DetailLevel::Brief) => passage.above(ChunkWeight::Key).cloned(),
        (SectionBody::Passage(_, pointer), DetailLevel::Pointer) => Some(pointer.clone()),
        (SectionBody::Levels(levels), DetailLevel::Full) => Some(levels.full.clone()),
        (SectionBody::Levels(levels), DetailLevel::Excerpt) => levels.excerpt.clone(),
        (SectionBody::Levels(levels), DetailLevel::Pointer) => Some(levels.pointer.clone()),
        (SectionBody::Json(json), DetailLevel::Full) => Some(json.of(Tier::Other)),
        (SectionBody::Json(json), DetailLevel::Excerpt) => Some(json.of(Tier::Native)),
        (SectionBody::Json(json), DetailLevel::Pointer) => Some(json.of(Tier::Identity)),
        (SectionBody::Edges(edges), DetailLevel::Full) => Some(edges.text(edges.len())),
        (SectionBody::Edges(edges), DetailLevel::Pointer) => Some(edges.text(0)),
        _ => None,
    }
}
