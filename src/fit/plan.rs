//! A plan: the content that a pack shows of each section.

use super::level::{DetailLevel, content};
use crate::redact::Clean;
use crate::select::{Amount, Candidate, SectionBody, Selection};

/// The content of each section, by index of the selection's candidates; `None` if the section is left out.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Plan {
    pub(super) shown: Vec<Option<ShownSection>>,
}

/// A section's content and the name of its level of detail.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct ShownSection {
    pub(super) content: Clean,
    pub(super) detail: &'static str,
    /// Whether it is all that the section could show.
    pub(super) whole: bool,
}

impl Plan {
    /// Creates the plan that shows every section in full.
    pub(super) fn whole(selection: &Selection) -> Self {
        let full = |candidate| ShownSection::at(candidate, DetailLevel::Full);
        Self { shown: selection.candidates.iter().map(full).collect() }
    }

    /// Returns the indices of the sections that are left out.
    pub(super) fn left_out(&self) -> impl Iterator<Item = usize> {
        self.shown.iter().enumerate().filter(|(_, shown)| shown.is_none()).map(|(section, _)| section)
    }

    /// Returns whether every section is shown in full.
    pub(super) fn is_whole(&self) -> bool {
        self.shown.iter().all(|shown| shown.as_ref().is_some_and(|shown| !shown.is_shortened()))
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

impl ShownSection {
    /// Returns whether the whole text is longer.
    pub(super) fn is_shortened(&self) -> bool {
        !self.whole
    }

    /// Returns a candidate's content at a level; `None` if it has none of its own there.
    pub(super) fn at(candidate: &Candidate, level: DetailLevel) -> Option<Self> {
        let detail = match level {
            DetailLevel::Full => match &candidate.body {
                SectionBody::Levels(levels) => levels.full_detail,
                _ => "full",
            },
            DetailLevel::Lean => "truncated",
            DetailLevel::Excerpt | DetailLevel::Brief => "excerpt",
            DetailLevel::Pointer | DetailLevel::LeftOut => "pointer",
        };
        content(&candidate.body, level).map(|content| Self { content, detail, whole: level == DetailLevel::Full })
    }
}
