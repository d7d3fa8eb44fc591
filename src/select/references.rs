//! Sections of what the root refers to: documents, code, and lines of code at a commit.

use super::code::{anchor, code_sections, identifiers, lines_at_commit};
use super::neighbours::nth_line;
use super::origins::{add_lines, record_origin, redactions, redactions_in_file};
use super::selector::{CodeUse, Loaded, ReferencedCode, ReferencedFile, ReferencedLines, RootReferences, Selector};
use super::types::{ADR, CODE, DOCUMENT, Filler, LIKELY, OVERVIEW, SectionKind, TextLevels};
use super::{Candidate, Evidence, Input, Omission, ParsedDocument, Rank, SectionBody, TextOrigin, WORDS};
use crate::graph::{Entry, FileKind, FileRef, Graph, ItemState, MissingReference, ShownPlace};
use crate::knowledge::LikelyFile;
use crate::markdown::words;
use crate::model::{Digest, RepoPath, states_successor};
use crate::redact::{Clean, CleanBuf};
use std::borrow::Cow;
use std::sync::Arc;

const SHORT_SHA: usize = 10;
/// What the list of likely code begins with, and the list of names that are in none.
const FOUND: &str = "Found by words that they share with this item, not by a reference. A guess: look here when nothing above says where.\n";
const ABSENT: &str = "The item names these, but no source file that was searched has them: `";

fn kind_of(kind: FileKind) -> SectionKind {
    match kind {
        FileKind::Adr => ADR,
        FileKind::Document => DOCUMENT,
        FileKind::Code => CODE,
    }
}

/// How many of the documents that an item lists are trimmed after the others: those that it lists first.
const MAX_NEEDED: usize = 2;

impl Selector<'_> {
    pub(super) fn add_document(&mut self, reference: &ReferencedFile) {
        let (context, by) = (self.context, reference.by);
        let FileRef { kind, path, anchor, at, .. } = &reference.file;
        let shows_it = |it: &Candidate| it.origin.path.as_ref() == Some(&reference.shown);
        if self.found.candidates.iter().any(|it| it.kind.provenance == OVERVIEW.provenance && shows_it(it)) {
            return;
        }
        let section_kind = if reference.configured { kind_of(*kind).configured() } else { kind_of(*kind) };
        let Some(document) = self.file(section_kind, path, &reference.shown, &reference.document) else { return };
        // A missing heading has a warning of its own; the whole document is shown instead.
        let anchor = anchor.as_deref();
        let named = if anchor.is_none() { self.named_headings(by, document) } else { Vec::new() };
        let section = context.file(document, *kind, anchor, named);
        let whole = || context.file(document, *kind, None, Vec::new());
        let Some((title, origin, body)) = section.or_else(whole) else { return };
        let mut suffix = CleanBuf::new();
        suffix.text(&reference.shown);
        if let Some(anchor) = &origin.anchor {
            suffix.lit("#").text(anchor);
        }
        let is_adr = *kind == FileKind::Adr;
        // A document that is an item has the item's state.
        let item = context.graph.of_file(path).filter(|_| !is_adr);
        let state = item.map(|item| Graph::state(context.corpus, item));
        let replaces = by == self.root && self.replaces_root(at);
        let settled = document.is_inactive || state.is_some_and(ItemState::is_settled);
        let candidate = Candidate::new(section_kind, &suffix.finish(), title, origin, body);
        let rank = if replaces { Rank::of(None) } else { Rank { settled, ..candidate.rank } };
        let candidate = Candidate {
            state: state.map(|state| Clean::literal(state.name())),
            status: match item {
                Some(item) => context.corpus.entries[item].item.status.clone(),
                None => document.status.clone().filter(|_| is_adr),
            },
            untrusted: reference.untrusted,
            removals: redactions_in_file(&document.removals, &candidate.origin),
            rank: Rank { needed: !is_adr && self.states_requirements(reference), ..rank },
            ..candidate
        };
        match reference.configured {
            true => self.found.put(candidate),
            false => self.put_reference(candidate, by, None, at),
        }
    }

    pub(super) fn add_code(&mut self, reference: &ReferencedCode) {
        let ReferencedCode { path, shown, untrusted, .. } = reference;
        let Some(document) = self.file(CODE, path, shown, &reference.document) else { return };
        let root = &self.context.corpus.entries[self.root];
        // What an outsider wrote of an item of ours displaces no text.
        let is_outsiders = root.is_untrusted() && !root.has_untrusted_title();
        let prose = root.prose().into_iter().filter(|text| !is_outsiders || !std::ptr::eq(*text, &root.body.clean));
        let names = prose.flat_map(|text| identifiers(text)).collect();
        for section in code_sections(self.context.profile.code_detail, reference, &names) {
            let (mut suffix, mut title) = (CleanBuf::new(), CleanBuf::new());
            suffix.text(shown);
            title.line(shown);
            if let Some(named) = section.named {
                suffix.lit("#").text(&anchor(named));
                add_lines(title.lit(":"), named.first.into(), named.last.into());
            }
            let anchor = section.named.map(anchor);
            let origin = TextOrigin { lines: section.lines, anchor, ..TextOrigin::file(shown) };
            let body = SectionBody::Levels(Arc::new(section.body));
            let candidate = Candidate::new(CODE, &suffix.finish(), title.finish(), origin, body);
            let candidate = Candidate {
                untrusted: *untrusted,
                removals: redactions_in_file(&document.removals, &candidate.origin),
                // Lines are more to the point than a file.
                rank: Rank { needed: section.needed, ..candidate.rank },
                ..candidate
            };
            let (index, CodeUse { by, at, document: named_in, .. }) = (self.found.candidates.len(), section.from);
            self.put_reference(candidate, *by, named_in.as_ref(), at);
            let added = self.found.candidates.get(index).filter(|added| !added.rank.second_hop && !added.untrusted);
            let (Some((text, lines)), Some(added)) = (section.grown, added) else { continue };
            let origin = TextOrigin { lines: Some(lines), ..added.origin.clone() };
            let removals = redactions_in_file(&document.removals, &origin);
            let body = SectionBody::Levels(Arc::new(TextLevels::only(text, "full", Clean::default())));
            let candidate = Candidate { body, removals, origin, ..added.clone() };
            self.fillers.sequence.push(Filler { candidate, at: index, order: 0 });
        }
    }

    pub(super) fn add_code_at_commit(&mut self, reference: &ReferencedLines) {
        let ReferencedLines { code, removals, by, at } = reference;
        if self.shown.contains(&code.path) {
            return;
        }
        let (text, last) = lines_at_commit(code, self.context.profile.code_detail);
        let anchor = anchor(code.lines);
        let suffix = CleanBuf::new().text(&code.shown).lit("@").text(&code.commit).lit("#").text(&anchor).finish();
        let mut title = CleanBuf::new();
        add_lines(title.line(&code.shown).lit(":"), code.lines.first.into(), code.lines.last.into());
        title.lit(" as of ").part(&code.commit, 0..code.commit.floor_char_boundary(SHORT_SHA));
        let lines = Some([code.lines.first, last].map(u64::from));
        let origin = TextOrigin { lines, anchor: Some(anchor), ..TextOrigin::file(&code.shown) };
        let body = SectionBody::Levels(Arc::new(text));
        let candidate = Candidate::new(CODE, &suffix, title.finish(), origin, body);
        // The file of today may be another input.
        let input = TextOrigin { id: Some(candidate.id.clone()), ..TextOrigin::file(&code.shown) };
        self.found.record(Input { origin: input, digest: Some(Digest::of(code.text.as_str())) });
        let candidate = Candidate {
            // GitHub shows commits of forks as those of the repo: the author of the URL may have written the lines.
            untrusted: self.context.corpus.entries[*by].is_untrusted_at(at),
            removals: redactions(removals, |removal| removal.in_body, &candidate.origin),
            rank: Rank { needed: true, ..candidate.rank },
            ..candidate
        };
        self.put_reference(candidate, *by, None, at);
    }

    /// Leaves out code of which a pack has enough.
    pub(super) fn omit_code(&mut self, ReferencedCode { path, shown, document, untrusted, .. }: &ReferencedCode) {
        if !self.shown.contains(path) {
            let reason = document.as_ref().err().copied().unwrap_or("limit");
            self.omit_reference(CODE, shown, shown, reason, *untrusted);
        }
    }

    pub(super) fn add_missing(&mut self, missing: &MissingReference) {
        let suffix = CleanBuf::new().line(&missing.written).finish();
        self.omit_reference(kind_of(missing.kind), &suffix, &missing.written, missing.reason.name(), missing.untrusted);
    }

    pub(super) fn add_likely(&mut self, entry: &Entry, RootReferences { likely: files, absent, .. }: &RootReferences) {
        let list = |files: &[LikelyFile]| {
            let mut text = CleanBuf::new();
            text.lit(if files.is_empty() { "" } else { FOUND });
            for LikelyFile { path, lines, words } in files {
                add_lines(text.lit("\n- ").line(path).lit(":"), lines[0], lines[1]);
                for (at, word) in words.iter().enumerate() {
                    text.lit(if at == 0 { " (" } else { ", " }).line(word);
                }
                text.lit(if words.is_empty() { "" } else { ")" });
            }
            for (at, name) in absent.iter().enumerate() {
                text.lit(if at == 0 && !files.is_empty() { "\n\n" } else { "" });
                text.lit(if at == 0 { ABSENT } else { "`, `" }).line(name);
            }
            text.lit(if absent.is_empty() { "" } else { "`" }).finish()
        };
        let first = list(&files[..files.len().min(1)]);
        if first.is_empty() {
            return;
        }
        let levels = TextLevels { excerpt: Some(first.clone()), ..TextLevels::only(list(files), "full", first) };
        let (title, body) = (Clean::literal("Likely code"), SectionBody::Levels(Arc::new(levels)));
        self.found.put(Candidate {
            untrusted: entry.is_untrusted() || entry.has_untrusted_title(),
            likely: files.to_vec(),
            ..Candidate::new(LIKELY, &Clean::default(), title, record_origin(entry), body)
        });
    }

    /// Returns a document without a section and records it as an input, or adds an omission.
    fn file<'d>(
        &mut self,
        kind: SectionKind,
        path: &RepoPath,
        shown: &Clean,
        read: &'d Loaded,
    ) -> Option<&'d ParsedDocument> {
        if self.shown.contains(path) {
            return None;
        }
        match read {
            Ok(document) => {
                self.found.record(Input { origin: TextOrigin::file(shown), digest: Some(document.digest) });
                if let Some((shown, digest)) = &document.successor {
                    self.found.record(Input { origin: TextOrigin::file(shown), digest: Some(*digest) });
                }
                Some(document)
            }
            Err(reason) => {
                // The title is the path of a file in the repo.
                self.omit_reference(kind, shown, shown, reason, false);
                None
            }
        }
    }

    fn omit_reference(
        &mut self,
        kind: SectionKind,
        suffix: &Clean,
        path: &Clean,
        reason: &'static str,
        untrusted: bool,
    ) {
        let omission = Omission::new(kind, suffix, path.clone(), TextOrigin::file(path), reason);
        self.found.omit(Omission { untrusted, ..omission });
    }

    /// Adds what an item refers to at a place of its text, or of a document of its folder.
    fn put_reference(&mut self, candidate: Candidate, by: usize, document: Option<&Clean>, at: &ShownPlace) {
        let of_document = |document| CleanBuf::new().text(document).lit(":").number(at.line.into()).finish();
        let at = document.map_or_else(|| self.context.corpus.entries[by].shown_at(at), of_document);
        self.found.put(Candidate {
            evidence: Some(Evidence { source: "reference", at }),
            rank: Rank { second_hop: by != self.root || document.is_some(), ..candidate.rank },
            ..candidate
        });
    }

    fn replaces_root(&self, at: &ShownPlace) -> bool {
        let entry = &self.context.corpus.entries[self.root];
        let origins = [&entry.item.body.origin, &entry.item.origin];
        let Some(origin) = origins.into_iter().find(|origin| origin.path == at.path) else { return false };
        self.is_settled_root() && states_successor(self.context.line_of(self.root, &origin.shown, at.line))
    }

    /// Returns the headings of a document that the text by an item names.
    fn named_headings(&self, by: usize, document: &ParsedDocument) -> Vec<usize> {
        let text = &self.context.corpus.entries[by].body.clean;
        let headings = &document.text.markdown.outline.headings;
        if text.is_empty() || headings.is_empty() {
            return Vec::new();
        }
        let lower: Cow<'_, str> = match by == self.root {
            true => Cow::Borrowed(self.lower_root_text.get_or_init(|| text.to_lowercase())),
            false => Cow::Owned(text.to_lowercase()),
        };
        let named = |title: &str| {
            let title = title.trim().to_lowercase();
            let finder = memchr::memmem::Finder::new(&title);
            !title.is_empty() && finder.find_iter(lower.as_bytes()).any(|at| is_naming(&lower, at, at + title.len()))
        };
        headings.iter().enumerate().filter(|(_, heading)| named(&heading.title)).map(|(index, _)| index).collect()
    }

    /// Returns whether a reference is under or beside words such as "acceptance criteria" or "spec".
    fn states_requirements(&self, reference: &ReferencedFile) -> bool {
        let entry = &self.context.corpus.entries[reference.by];
        let FileRef { at, order, .. } = &reference.file;
        if *order != usize::MAX {
            return *order < MAX_NEEDED;
        }
        if at.path != entry.item.body.origin.path {
            return false;
        }
        let Some(line) = entry.body.line_in_text(&entry.item.body, at.line) else { return false };
        let outline = &entry.body.markdown.outline;
        let heading = outline.headings.iter().take_while(|heading| heading.line <= line).last();
        let above = heading.map(|heading| heading.title.as_str());
        above.into_iter().chain([nth_line(&entry.body.clean, line)]).any(names_requirements)
    }
}

/// Returns whether the words at `start..end` are where a heading is named.
pub(super) fn is_naming(text: &str, start: usize, end: usize) -> bool {
    let (before, after) = (&text[..start], &text[end..]);
    let line_before = before.rsplit('\n').next().unwrap_or_default();
    // The text's own heading of this name names nothing.
    if line_before.trim_start().starts_with('#') || after.starts_with(char::is_alphanumeric) {
        return false;
    }
    let marked = before.ends_with(['"', '“', '`', '*', '_', '«', '‘', '\'', '§'])
        && after.starts_with(['"', '”', '`', '*', '_', '»', '’', '\'']);
    let numbered = before.trim_end().ends_with('§');
    let follows = [" section", " heading", " chapter"].iter().any(|word| after.starts_with(word));
    let precedes = ["section ", "section on ", "heading ", "chapter "].iter().any(|word| before.ends_with(word));
    marked || numbered || follows || precedes
}

pub(super) fn names_requirements(line: &str) -> bool {
    let words = words(line);
    WORDS.of("requirement").iter().any(|phrase| {
        let phrase: Vec<&str> = phrase.split(' ').collect();
        words.windows(phrase.len()).any(|window| window == phrase.as_slice())
    })
}
