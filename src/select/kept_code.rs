//! Sections of code as it was at a commit, from the lines that the snapshot keeps.

use super::candidates::{Rank, SelectionBuilder};
use super::code::{MOST_BYTES, MOST_NAMED, anchor, fence_for, tag};
use super::removals;
use super::{Candidate, Evidence, Input, OriginKind, Role, SectionBody, TextLevels, TextOrigin, TrimRank, Trust};
use crate::config::{CodeDetail, Group};
use crate::graph::{KeptCode, RecordedRemoval, ShownPlace};
use crate::model::Digest;
use crate::redact::{Clean, CleanBuf};
use std::sync::Arc;

/// Lines at a commit that the root, or a neighbour that the profile names, refers to.
#[derive(Debug, Clone)]
pub struct ReferencedLines {
    /// The lines.
    pub code: KeptCode<Clean>,
    /// What was removed from them.
    pub removals: Vec<RecordedRemoval>,
    /// The referring item: an index into the corpus.
    pub by: usize,
    /// The place of the reference.
    pub at: ShownPlace,
}

impl SelectionBuilder<'_> {
    /// Adds the section of lines at a commit.
    pub(super) fn kept_code(&mut self, reference: &ReferencedLines) {
        let ReferencedLines { code, removals, by, at } = reference;
        if self.has_section(&code.path) {
            return;
        }
        let entry = &self.context.corpus.entries[*by];
        let mut id = CleanBuf::new();
        id.lit("code.").text(&code.shown).lit("@").text(&code.commit).lit("#");
        let id = anchor(&mut id, code.lines).finish();
        let mut title = place(code);
        title.lit(" as of ").part(&code.commit, 0..code.commit.floor_char_boundary(SHORT_SHA));
        let last = code.lines.first.saturating_add(count_lines(&code.text).saturating_sub(1)).min(code.lines.last);
        let origin = TextOrigin {
            path: Some(code.shown.clone()),
            lines: Some([code.lines.first, last].map(u64::from)),
            anchor: Some(anchor(&mut CleanBuf::new(), code.lines).finish()),
            ..TextOrigin::new(OriginKind::File)
        };
        // The file of today may be another input.
        let input =
            TextOrigin { id: Some(id.clone()), path: Some(code.shown.clone()), ..TextOrigin::new(OriginKind::File) };
        self.record(Input { origin: input, digest: Some(Digest::of(code.text.as_str())) });
        let removals = removals::records(removals, |removal| removal.in_body, &origin);
        let candidate = Candidate {
            id,
            kind: "file_excerpt",
            title: title.finish(),
            origin,
            provenance: "code_ref",
            role: Role::Rank(TrimRank::default()),
            body: SectionBody::Levels(Arc::new(body(code, self.context.profile.code_detail))),
            state: None,
            status: None,
            // GitHub shows commits of forks as those of the repo: the author of the URL may have written the lines.
            trust: Trust::of(entry.is_untrusted_at(at)),
            by: None,
            relation: None,
            evidence: Some(Evidence { source: "reference", at: entry.shown_at(at) }),
            document: None,
            card: None,
            removals,
        };
        let second_hop = *by != self.root;
        self.put(candidate, Rank { needed: true, second_hop, ..Rank::of(Some(Group::Code)) });
    }
}

/// The number of digits by which a title names a commit.
const SHORT_SHA: usize = 10;

fn count_lines(text: &str) -> u32 {
    u32::try_from(text.split('\n').count()).unwrap_or(u32::MAX)
}

/// Begins a text with the file and its lines.
fn place(code: &KeptCode<Clean>) -> CleanBuf {
    let mut place = CleanBuf::new();
    place.line(&code.shown).lit(":").number(code.lines.first.into());
    if code.lines.last > code.lines.first {
        place.lit("-").number(code.lines.last.into());
    }
    place
}

/// Returns the levels of detail of lines at a commit.
fn body(code: &KeptCode<Clean>, detail: CodeDetail) -> TextLevels {
    let pointer = place(code).lit(" (as of commit ").line(&code.commit).lit(")").finish();
    let small = code.text.len() <= MOST_BYTES && count_lines(&code.text) as usize <= MOST_NAMED;
    if detail == CodeDetail::Pointer || !small {
        return TextLevels { full: pointer.clone(), full_detail: "pointer", excerpt: None, pointer };
    }
    let fence = fence_for(&code.text);
    let mut full = CleanBuf::new();
    full.lit("Lines as of commit ").line(&code.commit).lit(", not those of today.\n\n").fence(&fence);
    tag(&mut full, &code.path, &code.shown);
    full.lit("\n").text(&code.text).lit("\n").fence(&fence);
    TextLevels { full: full.finish(), full_detail: "full", excerpt: None, pointer }
}
