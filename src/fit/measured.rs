//! A selection with the sizes that a plan is computed from.

use super::level::{DetailLevel, Plan, content, measure};
use crate::redact::Clean;
use crate::render::{self, Form};
use crate::select::{Amount, Candidate, Counter, SectionBody, Selection, Trim, trust_name};

/// A selection, with the sizes of its sections in full and of their frames.
pub(super) struct MeasuredSelection<'a> {
    pub(super) selection: &'a Selection,
    pub(super) counter: &'a Counter,
    pub(super) sections: Vec<SectionSizes>,
    /// The size of the list of pointers without its lines.
    pub(super) pointers: Amount,
    /// The size of the instructions and of the empty line after them.
    pub(super) head: Amount,
    /// The index of the root's section; `None` in a pack without a root.
    pub(super) root: Option<usize>,
    /// A tag at least as long as that of any plan's rendering.
    pub(super) tag: render::Tag,
    /// The places of the omissions for other reasons than the budget.
    other_places: Vec<Clean>,
}

pub(super) struct SectionSizes {
    pub(super) full: Amount,
    frame: Amount,
    /// The line in the list of pointers without its text; `None` if it never has one.
    line: Option<Amount>,
    /// The line that names the section if it is shortened.
    pub(super) shortened_line: Amount,
    place: Clean,
}

impl<'a> MeasuredSelection<'a> {
    pub(super) fn new(selection: &'a Selection, counter: &'a Counter) -> Self {
        let candidates = &selection.candidates;
        let head_text = selection.head_text();
        // Every plan's contents are cut out of these: the texts, the pointers to them, and the places that gaps name.
        let parts = candidates.iter().map(|Candidate { body, origin, .. }| {
            let [text, pointer] = [DetailLevel::Full, DetailLevel::Pointer].map(|level| content(body, level));
            [text.unwrap_or_default(), pointer.unwrap_or_default(), origin.place()]
        });
        let parts: Vec<[Clean; 3]> = parts.collect();
        let tag = Form::CURRENT.longest_tag(&head_text, parts.iter().flatten().map(Clean::as_str));
        let sizes = |(candidate, [_, pointer, place]): (&Candidate, [Clean; 3])| {
            let has_pointer = matches!(candidate.body, SectionBody::Passage(..) | SectionBody::Levels(_));
            let empty = frame(candidate, &place, "");
            let line = |content| render::Frame { pointer: true, content, ..empty };
            SectionSizes {
                full: measure(&candidate.body, DetailLevel::Full, counter).unwrap_or_default(),
                frame: counter.measure(&render::empty_frame(tag, &empty)),
                line: (has_pointer && line(&pointer).is_line()).then(|| counter.measure(&line("").pointer_line())),
                shortened_line: counter.measure(&Form::CURRENT.shortened_line(&empty.shortened_line())),
                place,
            }
        };
        Self {
            selection,
            counter,
            sections: candidates.iter().zip(parts).map(sizes).collect(),
            pointers: counter.measure(&render::empty_pointers(tag)),
            head: counter.measure(&render::render(Form::CURRENT, &head_text, &[], std::iter::empty()).instructions),
            root: candidates.iter().position(|candidate| candidate.trim == Trim::Root),
            tag,
            other_places: selection.omissions.iter().map(|omission| omission.origin.place()).collect(),
        }
    }

    /// Measures the rendering of a plan exactly.
    pub(super) fn used(&self, plan: &Plan) -> Amount {
        let frames = plan.shown.iter().enumerate().filter_map(|(section, shown)| {
            let shown = shown.as_ref()?;
            let frame = frame(&self.selection.candidates[section], &self.sections[section].place, &shown.content);
            Some(render::Frame { shortened: !shown.whole, pointer: shown.detail == "pointer", ..frame })
        });
        let frames: Vec<render::Frame<'_>> = frames.collect();
        let left_out: Vec<usize> = plan.left_out().collect();
        let lines: Vec<render::OmissionLine<'_>> =
            left_out.iter().map(|section| self.budget_line(*section)).chain(self.other_lines()).collect();
        let text = render::render(Form::CURRENT, &self.selection.head_text(), &frames, lines.into_iter()).whole();
        self.counter.measure(&text)
    }

    pub(super) fn full_root(&self) -> Amount {
        self.root.map(|root| self.sections[root].full).unwrap_or_default()
    }

    /// Returns what a section at a level takes besides its text: a frame, or a line in the list of pointers.
    pub(super) fn around(&self, section: usize, level: DetailLevel) -> Amount {
        let SectionSizes { frame, line, .. } = self.sections[section];
        line.filter(|_| self.is_line(section, level)).unwrap_or(frame)
    }

    /// Returns whether a section at a level is a line in the list of pointers.
    pub(super) fn is_line(&self, section: usize, level: DetailLevel) -> bool {
        let is_pointer = match (&self.selection.candidates[section].body, level) {
            (_, DetailLevel::LeftOut) => false,
            (_, DetailLevel::Pointer) => true,
            (SectionBody::Levels(levels), DetailLevel::Full) => levels.full_detail == "pointer",
            _ => false,
        };
        is_pointer && self.sections[section].line.is_some()
    }

    pub(super) fn is_untrusted(&self, section: usize) -> bool {
        self.selection.candidates[section].untrusted
    }

    /// Returns the line that lists a section which the budget leaves out.
    pub(super) fn budget_line(&self, section: usize) -> render::OmissionLine<'_> {
        let candidate = &self.selection.candidates[section];
        render::OmissionLine {
            id: &candidate.id,
            title: &candidate.title,
            reason: "budget",
            place: &self.sections[section].place,
            untrusted: candidate.untrusted,
        }
    }

    /// Returns the lines that list the omissions for other reasons.
    pub(super) fn other_lines(&self) -> impl Iterator<Item = render::OmissionLine<'_>> {
        self.selection.omissions.iter().zip(&self.other_places).map(|(omission, place)| render::OmissionLine {
            id: &omission.id,
            title: &omission.title,
            reason: omission.reason,
            place,
            untrusted: omission.untrusted,
        })
    }
}

fn frame<'b>(candidate: &'b Candidate, place: &'b str, content: &'b str) -> render::Frame<'b> {
    render::Frame {
        id: &candidate.id,
        kind: candidate.kind.name,
        source: place,
        trust: trust_name(candidate.untrusted),
        state: candidate.state.as_deref().or(candidate.status.as_deref()).unwrap_or_default(),
        content,
        shortened: false,
        pointer: false,
    }
}
