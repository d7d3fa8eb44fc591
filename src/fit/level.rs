//! Levels of detail: what a section shows at each, and the order in which sections are trimmed.

use super::measured::SectionSizes;
use crate::config::Strategy;
use crate::redact::Clean;
use crate::select::{Amount, Candidate, ChunkWeight, Counter, Passage, SectionBody, Tier, Trim};

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

/// The weights of chunks in the order of cutting, each with the level of detail whose text has only weightier ones.
const WEIGHTS: [(ChunkWeight, DetailLevel); 5] = [
    (ChunkWeight::Boilerplate, DetailLevel::Lean),
    (ChunkWeight::Normal, DetailLevel::Excerpt),
    (ChunkWeight::Background, DetailLevel::Brief),
    (ChunkWeight::Key, DetailLevel::Brief),
    (ChunkWeight::Core, DetailLevel::Pointer),
];

/// The most percent of what a root names that its parent may take before it is shortened first.
const PARENT_SHARE: u64 = 30;

/// The least characters of text below its headings with which a part of the core says more than a pointer.
const MIN_TEXT: u64 = 80;

#[derive(Clone, PartialEq, Eq)]
pub(super) struct ShownSection {
    pub(super) content: Clean,
    pub(super) detail: &'static str,
    /// Whether it is all that the section could show.
    pub(super) whole: bool,
}

impl ShownSection {
    pub(super) fn part(content: Clean, detail: &'static str) -> Self {
        Self { content, detail, whole: false }
    }

    /// Returns a candidate's content at a level; `None` if it has none of its own there.
    pub(super) fn at(candidate: &Candidate, level: DetailLevel) -> Option<Self> {
        let detail = match (level, &candidate.body) {
            (DetailLevel::Full, SectionBody::Levels(levels)) => levels.full_detail,
            (DetailLevel::Full, _) => "full",
            (DetailLevel::Lean, _) => "truncated",
            (DetailLevel::Excerpt | DetailLevel::Brief, _) => "excerpt",
            (DetailLevel::Pointer | DetailLevel::LeftOut, _) => "pointer",
        };
        content(&candidate.body, level).map(|content| Self { content, detail, whole: level == DetailLevel::Full })
    }

    /// Returns the longest text between two levels that fits: `excerpt` for a part of the excerpt, else `truncated`.
    pub(super) fn between(
        body: &SectionBody,
        upper: DetailLevel,
        lower: DetailLevel,
        strategy: Strategy,
        room: Amount,
        counter: &Counter,
    ) -> Option<Self> {
        let name = if lower == DetailLevel::Pointer && upper == DetailLevel::Excerpt { "excerpt" } else { "truncated" };
        match body {
            // Half an outline would pass for all of it.
            SectionBody::Whole(_) | SectionBody::Levels(_) => None,
            SectionBody::Passage(passage, _) if strategy == Strategy::TruncateTail => {
                let at = passage.fit(None, room, counter).filter(|at| *at > 0)?;
                Some(Self::part(passage.cut(None, at), "truncated"))
            }
            SectionBody::Passage(passage, pointer) => {
                let weights = WEIGHTS.iter().filter(|(_, level)| upper < *level && *level <= lower);
                weights.into_iter().find_map(|(weight, level)| {
                    let at = passage.fit(Some(*weight), room, counter)?;
                    if *weight == ChunkWeight::Core && passage.kept_text(*weight, at) < MIN_TEXT {
                        return None;
                    }
                    let text = passage.cut(Some(*weight), at);
                    let is_part = *level < DetailLevel::Pointer || text.len() > pointer.len();
                    let name = if *level > DetailLevel::Excerpt { "excerpt" } else { "truncated" };
                    is_part.then_some(Self::part(text, name))
                })
            }
            SectionBody::Json(json) => Some(Self::part(json.text(json.fit(room, counter)?), name)),
            SectionBody::Edges(edges) => Some(Self::part(edges.text(edges.fit(room, counter)?), name)),
        }
    }
}

/// Returns the longest text of a root that fits `room` and keeps what is cut last.
pub(super) fn shorten_root(passage: &Passage, room: Amount, counter: &Counter) -> Option<Clean> {
    let fit = |weight| passage.fit(Some(weight), room, counter).map(|at| passage.cut(Some(weight), at));
    WEIGHTS.iter().find_map(|(weight, _)| fit(*weight))
}

/// Returns the text of a section at a level; `None` if it has none of its own there.
pub(super) fn content(body: &SectionBody, level: DetailLevel) -> Option<Clean> {
    use DetailLevel::{Brief, Excerpt, Full, Lean, Pointer};
    match (body, level) {
        (SectionBody::Whole(text), Full) => Some(text.clone()),
        (SectionBody::Passage(passage, _), Full) => Some(passage.full().clone()),
        (SectionBody::Passage(passage, _), Lean) => passage.above(ChunkWeight::Boilerplate).cloned(),
        (SectionBody::Passage(passage, _), Excerpt) => passage.above(ChunkWeight::Normal).cloned(),
        (SectionBody::Passage(passage, _), Brief) => passage.above(ChunkWeight::Key).cloned(),
        (SectionBody::Passage(_, pointer), Pointer) => Some(pointer.clone()),
        (SectionBody::Levels(levels), Full) => Some(levels.full.clone()),
        (SectionBody::Levels(levels), Excerpt) => levels.excerpt.clone(),
        (SectionBody::Levels(levels), Pointer) => Some(levels.pointer.clone()),
        (SectionBody::Json(json), Full) => Some(json.of(Tier::Other)),
        (SectionBody::Json(json), Excerpt) => Some(json.of(Tier::Native)),
        (SectionBody::Json(json), Pointer) => Some(json.of(Tier::Identity)),
        (SectionBody::Edges(edges), Full) => Some(edges.text(edges.len())),
        (SectionBody::Edges(edges), Pointer) => Some(edges.text(0)),
        _ => None,
    }
}

/// Measures the text of a section at a level; the sizes of a passage are kept, since many packs show it.
pub(super) fn measure(body: &SectionBody, level: DetailLevel, counter: &Counter) -> Option<Amount> {
    let weight = match level {
        DetailLevel::Full => None,
        DetailLevel::Lean => Some(ChunkWeight::Boilerplate),
        DetailLevel::Excerpt => Some(ChunkWeight::Normal),
        DetailLevel::Brief => Some(ChunkWeight::Key),
        DetailLevel::Pointer | DetailLevel::LeftOut => return Some(counter.measure(&content(body, level)?)),
    };
    match body {
        SectionBody::Passage(passage, _) => passage.amount(weight, counter),
        _ => Some(counter.measure(&content(body, level)?)),
    }
}

/// A step that lowers sections to the level `to`. The room that is left after it is shared out among them.
#[derive(Debug)]
pub(super) struct TrimStep {
    pub(super) sections: Vec<usize>,
    pub(super) to: DetailLevel,
}

/// Returns the steps from everything in full to the smallest pack.
///
/// They do not depend on a limit, so that a larger budget never removes anything.
pub(super) fn ladder(candidates: &[Candidate], sizes: &[SectionSizes], strategy: Strategy) -> Vec<TrimStep> {
    use DetailLevel::{Brief, Excerpt, Lean, LeftOut, Pointer};
    let one = |section: usize, to| TrimStep { sections: vec![section], to };
    let with = |trim: Trim, to| {
        let section = candidates.iter().position(|candidate| candidate.trim == trim);
        section.map(|section| one(section, to)).into_iter()
    };
    let mut ranked: Vec<usize> =
        (0..candidates.len()).filter(|section| candidates[*section].trim == Trim::Optional).collect();
    ranked.sort_unstable_by_key(|section| candidates[*section].rank.order);
    let left_out = || ranked.iter().map(|section| one(*section, LeftOut));
    match strategy {
        Strategy::Both => {
            // Equals are lowered together.
            let equals = || ranked.chunk_by(|a, b| candidates[*a].rank.class == candidates[*b].rank.class);
            let lower = |chosen: fn(&Candidate) -> bool, to| {
                equals().map(move |equals| {
                    let sections = equals.iter().copied().filter(|section| chosen(&candidates[*section]));
                    TrimStep { sections: sections.collect(), to }
                })
            };
            // A card is whole, or it leaves: the beginnings of all would take the room of the newest.
            let settled = |candidate: &Candidate| candidate.card.is_none() && candidate.rank.settled;
            let open = |candidate: &Candidate| candidate.card.is_none() && !candidate.rank.settled;
            let parent = large_parent(candidates, sizes);
            let shortened = |to| parent.map(|section| one(section, to)).into_iter();
            // What only neighbours name gives way to the texts of neighbours: first to a pointer, then altogether.
            let is_distant = |section: &Candidate| section.rank.second_hop;
            // A neighbour is a line of the edge list already, so it needs no pointer besides.
            let is_listed = |section: &usize| {
                let Candidate { relation, card, .. } = &candidates[*section];
                relation.is_some() || card.is_some()
            };
            let pointers = equals().flat_map(|equals| {
                let (listed, others): (Vec<usize>, Vec<usize>) = equals.iter().partition(|section| is_listed(section));
                let listed = listed.into_iter().map(|section| one(section, LeftOut));
                listed.chain([TrimStep { sections: others, to: Pointer }])
            });
            let uncarded = ranked.iter().copied().filter(|section| candidates[*section].card.is_none());
            let guess = ranked.iter().copied().find(|section| !candidates[*section].likely.is_empty());
            let guesses = |to| guess.map(|section| one(section, to)).into_iter();
            std::iter::once(TrimStep { sections: uncarded.collect(), to: Lean })
                .chain(guesses(Excerpt))
                .chain(lower(is_distant, Excerpt))
                .chain(lower(is_distant, Pointer))
                .chain([Excerpt, Brief].into_iter().flat_map(|to| {
                    // A parent as large as all that the root names gives way to it.
                    shortened(to).chain(lower(settled, to)).chain(lower(open, to))
                }))
                .chain(guesses(LeftOut))
                .chain(with(Trim::Json, Excerpt))
                .chain(ranked.iter().filter(|at| is_distant(&candidates[**at])).map(|at| one(*at, LeftOut)))
                // What came of each neighbour stays longer than the second line of any.
                .chain(lower(|candidate| candidate.rank.has_result, Pointer))
                .chain(pointers)
                .chain(with(Trim::Json, Pointer))
                .chain(left_out())
                .chain(with(Trim::Edges, Pointer))
                .filter(|step| !step.sections.is_empty())
                .collect()
        }
        Strategy::DropLowPriority => left_out()
            .chain(with(Trim::Json, Excerpt))
            .chain(with(Trim::Json, Pointer))
            .chain(with(Trim::Edges, Pointer))
            .collect(),
        Strategy::TruncateTail => {
            let steps = |section: usize| {
                let levels: &[DetailLevel] = match candidates[section].trim {
                    Trim::Root | Trim::Fixed => &[],
                    Trim::Json => &[Excerpt, Pointer],
                    Trim::Edges => &[Pointer],
                    Trim::Optional => &[LeftOut],
                };
                levels.iter().map(move |to| one(section, *to))
            };
            (0..candidates.len()).rev().flat_map(steps).collect()
        }
    }
}

/// Returns the parent if it takes more than its share beside what else the root names.
fn large_parent(candidates: &[Candidate], sizes: &[SectionSizes]) -> Option<usize> {
    let is_parent = |candidate: &Candidate| candidate.relation == Some("parent");
    let parent = candidates.iter().position(is_parent)?;
    let all = candidates.iter().zip(sizes).filter(|(candidate, _)| !candidate.rank.second_hop);
    let all: u64 = all.map(|(_, sizes)| sizes.full.chars).sum();
    (sizes[parent].full.chars > all * PARENT_SHARE / 100).then_some(parent)
}

/// The content of each section, by index of the selection's candidates; `None` if the section is left out.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Plan {
    pub(super) shown: Vec<Option<ShownSection>>,
}

impl Plan {
    pub(super) fn whole(candidates: &[Candidate]) -> Self {
        Self { shown: candidates.iter().map(|candidate| ShownSection::at(candidate, DetailLevel::Full)).collect() }
    }

    pub(super) fn left_out(&self) -> impl Iterator<Item = usize> {
        self.shown.iter().enumerate().filter(|(_, shown)| shown.is_none()).map(|(section, _)| section)
    }

    pub(super) fn is_whole(&self) -> bool {
        self.shown.iter().all(|shown| shown.as_ref().is_some_and(|shown| shown.whole))
    }

    /// Returns what the contents take without anything around them, in characters and bytes.
    pub(super) fn contents(&self) -> Amount {
        let contents = self.shown.iter().flatten().map(|shown| Amount::of(&shown.content));
        contents.fold(Amount::default(), Amount::plus)
    }

    /// Returns the length of a section's content; 0 if it is left out.
    pub(super) fn len_at(&self, section: usize) -> usize {
        self.shown.get(section).and_then(Option::as_ref).map_or(0, |shown| shown.content.len())
    }
}
