//! Redacts whole records: items, documents and single lines. A cache sees to it that each text is scrubbed and parsed once.

use crate::cache::{CachedReading, FilePurpose, Inputs};
use crate::config::{DenyList, Settings};
use crate::graph::{ParsedText, RecordedRemoval};
use crate::mentions::Markdown;
use crate::model::{Diagnostic, Digest, Digester, RepoPath, SourceTree, Untracked, is_volatile};
use crate::records::Item;
use crate::redact::{Clean, Environment, Piece, Redactor, Scrubbed};
use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

/// The fields that a section of any item shows.
const NAMES: [&str; 3] = ["id", "title", "status"];

/// What everything is read with: the files, the settings, and a redactor that looks results up in a cache first.
pub(super) struct InputReader<'a> {
    pub(super) settings: &'a Settings,
    pub(super) deny: &'a DenyList,
    pub(super) redactor: Redactor,
    pub(super) inputs: Inputs<'a>,
    /// Texts with one of its values are not cached: what is parsed from them, such as the path in a mention, may be one.
    pub(super) environment: Environment,
    /// Whether files that git does not track are trusted.
    pub(super) untracked: Untracked,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct ScrubBatch<'a> {
    /// The file under which removals are recorded.
    pub(super) path: &'a str,
    pub(super) purpose: FilePurpose,
    /// The digests of the files that the texts were read from; `None` if these files hold other items as well.
    pub(super) content: Option<&'a [Digest]>,
}

pub(super) struct ScrubResult {
    pub(super) scrubbed: Scrubbed,
    /// The texts that are Markdown, parsed, in their order.
    pub(super) markdown: Vec<Arc<Markdown>>,
    pub(super) digest: Digest,
}

impl InputReader<'_> {
    /// Scrubs the texts of one source together, parses those with the indexes `markdown_pieces` as Markdown, and digests
    /// the result with `digested`.
    pub(super) fn scrub(
        &self,
        batch: ScrubBatch<'_>,
        pieces: &[Piece<'_>],
        markdown_pieces: &[usize],
        digested: impl FnOnce(&Scrubbed) -> Digest,
    ) -> ScrubResult {
        let key = self.inputs.base_key().map(|prefix| key(prefix, batch, pieces));
        // A cached result is authenticated with the cache's key, so that it cannot be one of other texts.
        let proof = self.inputs.base_key().zip(key).map(|(prefix, key)| prefix.part("scrubbed").part(key.bytes()));
        let cached_reading = key
            .and_then(|key| self.inputs.reading(&key))
            .filter(|cached_reading| cached_reading.markdown.len() == markdown_pieces.len());
        if let Some(CachedReading { scrubbed, markdown, digest }) = cached_reading
            && let Some(scrubbed) = proof.as_ref().and_then(|proof| scrubbed.restore(pieces, proof))
        {
            return ScrubResult { scrubbed, markdown: markdown.into_iter().map(Arc::new).collect(), digest };
        }
        let scrubbed = self.redactor.scrub(batch.path, pieces);
        let texts = markdown_pieces.iter().map(|index| scrubbed.texts.get(*index).map_or("", |text| text.as_str()));
        let mut markdown: Vec<Markdown> = texts.map(Markdown::read).collect();
        let digest = digested(&scrubbed);
        if let Some((key, proof)) = key.zip(proof)
            && !scrubbed.texts.iter().any(|text| self.environment.find(text).is_some())
            && let Some(cached) = scrubbed.cached(pieces, &proof)
        {
            let reading = CachedReading { scrubbed: cached, markdown, digest };
            self.inputs.put_reading(&key, &reading);
            markdown = reading.markdown;
        }
        ScrubResult { scrubbed, markdown: markdown.into_iter().map(Arc::new).collect(), digest }
    }

    pub(super) fn source(&self) -> &dyn SourceTree {
        &self.inputs
    }

    /// Returns whether a file counts as text that anyone could have written.
    pub(super) fn distrusts(&self, path: &RepoPath) -> bool {
        self.untracked.distrusts(&self.inputs, path)
    }

    /// Redacts one line that does not come from a file.
    pub(super) fn line(&self, key: &str, text: &str) -> Clean {
        line(&self.redactor, key, text)
    }

    /// Redacts a diagnostic of parsing, which may quote raw text.
    pub(super) fn scrubbed(&self, diagnostic: Diagnostic) -> Diagnostic {
        Diagnostic {
            message: self.redactor.line(&diagnostic.message),
            help: diagnostic.help.map(|help| self.redactor.line(&help)),
            about: diagnostic.about.iter().map(|id| self.redactor.line(id)).collect(),
            ..diagnostic
        }
    }

    /// Redacts a referenced file: returns its path, its text, what was removed, and the digest of what remains. A
    /// document is parsed as Markdown; code is not.
    pub(super) fn file(
        &self,
        path: &RepoPath,
        purpose: FilePurpose,
        raw: &str,
    ) -> (Clean, ParsedText, Vec<RecordedRemoval>, Digest) {
        let pieces = [Piece { key: "path", text: path.as_str(), line: 1 }, Piece { key: "body", text: raw, line: 1 }];
        let content = self.inputs.content(path, raw);
        let batch = ScrubBatch { path: path.as_str(), purpose, content: content.as_ref().map(std::slice::from_ref) };
        let marked: &[usize] = if purpose == FilePurpose::Code { &[] } else { &[1] };
        let digested = |scrubbed: &Scrubbed| Digest::of(scrubbed.texts.get(1).map_or("", |text| text.as_str()));
        let ScrubResult { mut scrubbed, markdown, digest } = self.scrub(batch, &pieces, marked, digested);
        let folds = scrubbed.removed_lines.pop().unwrap_or_default();
        let mut texts = scrubbed.texts.into_iter();
        let (shown, clean) = (texts.next().unwrap_or_default(), texts.next().unwrap_or_default());
        let text = ParsedText { clean, markdown: markdown.into_iter().next().unwrap_or_default(), folds };
        let removals = scrubbed
            .removals
            .into_iter()
            .filter(|removal| removal.piece == 1)
            .map(|removal| recorded(removal, "body"))
            .collect();
        (shown, text, removals, digest)
    }

    /// Returns the digest of a part of a document after redaction; the part begins on `line`.
    pub(super) fn part_digest(&self, path: &RepoPath, raw: &str, part: Range<usize>, line: u32) -> Digest {
        let pieces = [Piece { key: "body", text: &raw[part], line }];
        let content = self.inputs.content(path, raw);
        let content = content.as_ref().map(std::slice::from_ref);
        let batch = ScrubBatch { path: path.as_str(), purpose: FilePurpose::Document, content };
        let digested = |scrubbed: &Scrubbed| Digest::of(scrubbed.texts.first().map_or("", |text| text.as_str()));
        self.scrub(batch, &pieces, &[], digested).digest
    }

    /// Redacts all texts of a work item together; returns the item, its body, the removals, and a digest. `content` has the
    /// digests of its files if they hold no other item.
    pub(super) fn item(
        &self,
        raw: &Item<String>,
        content: Option<&[Digest]>,
    ) -> (Item<Clean>, ParsedText, Vec<RecordedRemoval>, Digest) {
        // `map` visits the texts in a fixed order: first to collect them, then to replace them by the clean ones.
        let mut pieces: Vec<Piece<'_>> = Vec::new();
        raw.map(&mut |key, text: &String, line| pieces.push(Piece { key, text, line }));
        let is_head = |piece: usize| pieces[piece].key == "head";
        let body = body_of(&pieces);
        let batch = ScrubBatch { path: raw.origin.path.as_str(), purpose: FilePurpose::Items, content };
        let digested = |scrubbed: &Scrubbed| digest(&pieces, body, scrubbed);
        let ScrubResult { mut scrubbed, markdown, digest } = self.scrub(batch, &pieces, &[body], digested);
        let folds = scrubbed.removed_lines.get_mut(body).map(std::mem::take).unwrap_or_default();
        let mut texts = scrubbed.texts.iter();
        let clean = raw.map(&mut |_, _, _| texts.next().cloned().unwrap_or_default());

        // The record's head repeats the fields, so its removals are left out.
        let names = NAMES.map(|name| pieces.iter().position(|piece| piece.key == name).unwrap_or(usize::MAX));
        let elsewhere: BTreeSet<(usize, String)> =
            scrubbed.removals.iter().map(|removal| (removal.piece, removal.rule.clone())).collect();
        let removals: Vec<RecordedRemoval> = scrubbed
            .removals
            .into_iter()
            .filter(|removal| !is_head(removal.piece))
            .filter(|removal| {
                // An id, title or status that was taken from a field or the body is recorded there, with its line.
                let piece = &pieces[removal.piece];
                let whole = |rule: &str, index: usize| {
                    index > removal.piece
                        && !is_head(index)
                        && pieces[index].text.contains(piece.text)
                        && elsewhere.contains(&(index, rule.to_owned()))
                };
                !names.contains(&removal.piece)
                    || !(removal.piece + 1..pieces.len()).any(|index| whole(&removal.rule, index))
            })
            .map(|removal| {
                let key = pieces[removal.piece].key;
                recorded(removal, key)
            })
            .collect();
        let removals = merged(removals);
        let body = ParsedText {
            clean: clean.body.text.clone(),
            markdown: markdown.into_iter().next().unwrap_or_default(),
            folds,
        };
        (clean, body, removals, digest)
    }
}

/// Returns the key of a cached result: a digest of the texts, or of the files that hold them and nothing else.
fn key(key_prefix: Digester, batch: ScrubBatch<'_>, pieces: &[Piece<'_>]) -> Digest {
    let key_prefix = key_prefix.part([batch.purpose as u8, u8::from(batch.content.is_some())]).part(batch.path);
    let key_prefix =
        batch.content.into_iter().flatten().fold(key_prefix, |digester, content| digester.part(content.bytes()));
    pieces
        .iter()
        .fold(key_prefix, |digester, Piece { key, text, line }| {
            let digester = digester.part(key).part(line.to_le_bytes());
            match batch.content {
                Some(_) => digester.part(text.len().to_le_bytes()),
                None => digester.part(text),
            }
        })
        .digest()
}

pub(super) fn line(redactor: &Redactor, key: &str, text: &str) -> Clean {
    let scrubbed = redactor.scrub("", &[Piece { key, text, line: 1 }]);
    scrubbed.texts.into_iter().next().unwrap_or_default()
}

fn digest(pieces: &[Piece<'_>], body: usize, scrubbed: &Scrubbed) -> Digest {
    let is_head = |piece: usize| pieces[piece].key == "head";
    let in_head = scrubbed.removals.iter().any(|removal| is_head(removal.piece));
    let in_fields =
        scrubbed.removals.iter().any(|removal| !is_head(removal.piece) && pieces[removal.piece].key != "body");
    let texts = || pieces.iter().zip(&scrubbed.texts);
    let changes = |(piece, text): &(&Piece<'_>, &Clean)| is_volatile(piece.key, text);
    // A secret that is recognized only by its field's name is still in the head. Then the fields are digested instead,
    // since no digest of unredacted text may be published. So they are where some change with every sync.
    if in_fields && !in_head || texts().any(|text| changes(&text)) {
        let lasting = texts().filter(|(piece, _)| piece.key != "head").filter(|text| !changes(text));
        let fields: Vec<&str> = lasting.flat_map(|(piece, text)| [piece.key, text]).collect();
        return Digest::of(fields.join("\n"));
    }
    let head = (0..pieces.len()).rfind(|piece| is_head(*piece)).and_then(|head| scrubbed.texts.get(head));
    let texts = [head, scrubbed.texts.get(body)];
    Digest::of(texts.into_iter().flatten().map(|text| text.as_str()).collect::<String>())
}

/// Returns the index of an item's body among its texts: the first of that key, before any field of the same name.
pub(super) fn body_of(pieces: &[Piece<'_>]) -> usize {
    pieces.iter().position(|piece| piece.key == "body").unwrap_or(pieces.len())
}

/// Converts a removal from a text with this key into the form that entries hold.
pub(super) fn recorded(removal: crate::redact::Removal, key: &str) -> RecordedRemoval {
    RecordedRemoval {
        line: removal.line,
        in_body: key == "body",
        in_name: NAMES.contains(&key),
        rule: removal.rule,
        count: removal.count,
        reason: removal.reason,
        to_include: removal.to_include,
    }
}

/// Merges removals by one rule on one line. In a body their counts add up; elsewhere one value may be read twice, such as
/// a field that is also the title, so the larger count is right.
pub(super) fn merged(mut removals: Vec<RecordedRemoval>) -> Vec<RecordedRemoval> {
    removals.sort();
    removals.dedup_by(|b, a| {
        let same = (a.line, a.in_body, &a.rule) == (b.line, b.in_body, &b.rule);
        if same {
            a.count = if a.in_body { a.count.saturating_add(b.count) } else { a.count.max(b.count) };
            a.in_name |= b.in_name;
        }
        same
    });
    removals
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use crate::cache::InputCaches;
    use crate::config;
    use crate::records;

    struct NoFiles;

    impl SourceTree for NoFiles {
        fn files(&self) -> &[RepoPath] {
            &[]
        }

        fn read(&self, _: &RepoPath) -> Result<String, crate::model::Refusal> {
            Err(crate::model::Refusal::NotInRepo)
        }
    }

    fn removals(text: &str) -> Vec<(u32, bool, bool, u32)> {
        let settings = config::load("contextpack.yml", None).unwrap();
        let path = RepoPath::new("work_items/x.md").unwrap();
        let refuse = |_: &RepoPath| panic!("no other file is read");
        let parsed = records::items(&settings.work_items[0], 0, &path, text, &refuse);
        let (environment, nothing) = (Environment::new(std::iter::empty()), NoFiles);
        let inputs = Inputs::new(&nothing, InputCaches::default());
        let (redactor, untracked) = (Redactor::new(&settings.redaction), Untracked::Trusted);
        let deny = DenyList::new(&[]).unwrap();
        let reader = InputReader { settings: &settings, deny: &deny, redactor, inputs, environment, untracked };
        let (_, _, removals, _) = reader.item(&parsed.items[0], None);
        removals.into_iter().map(|found| (found.line, found.in_body, found.in_name, found.count)).collect()
    }

    #[test]
    fn a_secret_in_a_title_is_recorded_once_at_the_line_where_it_stands() {
        let token = ["gh", "p_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"].concat();
        assert_eq!(removals(&format!("---\nid: x\ntitle: A {token}\n---\n\nText.\n")), [(3, false, true, 1)]);
        assert_eq!(removals(&format!("# A {token}\n\nText.\n")), [(1, true, false, 1)]);
        assert_eq!(removals(&format!("---\nid: x\ntitle: T\nowner: {token}\n---\n")), [(4, false, false, 1)]);
    }
}
