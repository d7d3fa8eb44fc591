//! Reads and redacts whole records: items, documents and single lines. A cache sees to it that each text is scrubbed and
//! parsed once. Also decides which files are not for everyone, and whose text may be instructions.

use crate::cache::{FilePurpose, Inputs};
use crate::config::{DenyList, Settings};
use crate::graph::{ParsedComment, ParsedText, RecordedRemoval};
use crate::knowledge::{DocumentRules, states_secrets};
use crate::mentions::Markdown;
use crate::model::{
    Code, Diagnostic, Digest, Digester, Place, Refusal, RepoPath, Severity, SourceTree, Untracked,
    conflict_in_markdown, is_volatile,
};
use crate::records::{Item, RecordPart, conflict_markers};
use crate::redact::{CachedScrub, Clean, Environment, Piece, Redactor, Removal, Scrubbed};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

/// The fields that a section of any item shows.
const NAMES: [&str; 3] = ["id", "title", "status"];

pub(super) const CONFIG: &str = "contextpack.yml";

pub(super) const COMMIT: &str = "commit it, or build with `--untracked trusted` where nobody else can write here";

/// What everything is read with: the files, the settings, and a redactor that looks results up in a cache first.
pub(super) struct InputReader<'a> {
    pub(super) settings: &'a Settings,
    pub(super) deny: &'a DenyList,
    pub(super) redactor: Redactor,
    pub(super) inputs: Inputs<'a>,
    /// The secret values of the process, which no pack may hold.
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

/// A redacted file: its path, its text, what was removed, and the digest of what remains.
pub(super) type RedactedFile = (Clean, ParsedText, Vec<RecordedRemoval>, Digest);

/// Why a pack must not hold the text of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Withheld {
    OtherAgent,
    Secret,
}

impl Withheld {
    pub(super) fn reason(self) -> &'static str {
        match self {
            Self::OtherAgent => "a document of one agent",
            Self::Secret => "a document that holds secrets",
        }
    }
}

impl InputReader<'_> {
    /// Scrubs the texts of one source together, parses those of `markdown_pieces`, and digests the result with `digested`.
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
        let entry = key.zip(proof);
        type Read = ((Vec<Markdown>, Digest), Scrubbed);
        let cached: Option<Read> =
            entry.as_ref().and_then(|(key, proof)| self.cached(false, key, proof, |_| pieces.to_vec()));
        let ((markdown, digest), scrubbed) = match cached.filter(|((read, _), _)| read.len() == markdown_pieces.len()) {
            Some(cached) => cached,
            None => {
                let scrubbed = self.redactor.scrub(batch.path, pieces);
                let text = |index: &usize| scrubbed.texts.get(*index).map_or("", |text| text.as_str());
                let markdown: Vec<Markdown> = markdown_pieces.iter().map(|index| Markdown::read(text(index))).collect();
                let value = (markdown, digested(&scrubbed));
                entry.and_then(|(key, proof)| self.cache(false, &key, &proof, &value, &scrubbed, pieces));
                (value, scrubbed)
            }
        };
        ScrubResult { scrubbed, markdown: markdown.into_iter().map(Arc::new).collect(), digest }
    }

    /// Returns a cached value with its texts, if `proof` authenticates them as those of the pieces that `pieces` gives for it.
    pub(super) fn cached<'p, T: DeserializeOwned>(
        &self,
        is_document: bool,
        key: &Digest,
        proof: &Digester,
        pieces: impl FnOnce(&mut T) -> Vec<Piece<'p>>,
    ) -> Option<(T, Scrubbed)> {
        let (mut value, scrubbed): (T, CachedScrub) =
            postcard::from_bytes(self.inputs.encoded(is_document, key)?).ok()?;
        let scrubbed = scrubbed.restore(&pieces(&mut value), proof)?;
        Some((value, scrubbed))
    }

    /// Caches a value with its texts, for [`cached`](Self::cached); `None` if it cannot be, or if a text holds a secret of the
    /// environment: what is parsed from the text, such as the path in a mention, may be one.
    pub(super) fn cache(
        &self,
        is_document: bool,
        key: &Digest,
        proof: &Digester,
        value: &impl Serialize,
        scrubbed: &Scrubbed,
        pieces: &[Piece<'_>],
    ) -> Option<()> {
        if scrubbed.texts.iter().any(|text| self.environment.find(text).is_some()) {
            return None;
        }
        let encoded = postcard::to_allocvec(&(value, scrubbed.cached(pieces, proof)?)).ok()?;
        self.inputs.put_encoded(is_document, key, encoded);
        Some(())
    }

    /// Returns the names of the files; their texts are read by [`Inputs`], which records them.
    pub(super) fn source(&self) -> &dyn SourceTree {
        self.inputs.source
    }

    /// Returns whether a file counts as text that anyone could have written.
    pub(super) fn distrusts(&self, path: &RepoPath) -> bool {
        self.untracked.distrusts(self.inputs.source, path)
    }

    /// Redacts one line that does not come from a file.
    pub(super) fn line(&self, key: &str, text: &str) -> Clean {
        let scrubbed = self.redactor.scrub("", &[Piece { key, text, line: 1 }]);
        scrubbed.texts.into_iter().next().unwrap_or_default()
    }

    /// Redacts a diagnostic of parsing, which may quote raw text.
    pub(super) fn scrubbed(&self, diagnostic: Diagnostic) -> Diagnostic {
        diagnostic.map_texts(&|text| self.redactor.line(text))
    }

    /// Redacts a file. A document is parsed as Markdown; code is not.
    pub(super) fn file(&self, path: &RepoPath, purpose: FilePurpose, raw: &str) -> RedactedFile {
        let pieces = [Piece { key: "path", text: path.as_str(), line: 1 }, Piece { key: "body", text: raw, line: 1 }];
        let content = self.inputs.content(path, raw);
        let batch = ScrubBatch { path: path.as_str(), purpose, content: content.as_ref().map(std::slice::from_ref) };
        let marked: &[usize] = if purpose == FilePurpose::Code { &[] } else { &[1] };
        let ScrubResult { mut scrubbed, markdown, digest } = self.scrub(batch, &pieces, marked, digest_of_last);
        let folds = scrubbed.removed_lines.pop().unwrap_or_default();
        let mut texts = scrubbed.texts.into_iter();
        let (shown, clean) = (texts.next().unwrap_or_default(), texts.next().unwrap_or_default());
        let text = ParsedText { clean, markdown: markdown.into_iter().next().unwrap_or_default(), folds };
        let removals = scrubbed.removals.into_iter().filter(|removal| removal.piece == 1);
        (shown, text, removals.map(|removal| recorded(removal, "body")).collect(), digest)
    }

    /// Returns the digest of a part of a document after redaction; the part begins on `line`.
    pub(super) fn part_digest(&self, path: &RepoPath, raw: &str, part: Range<usize>, line: u32) -> Digest {
        let pieces = [Piece { key: "body", text: &raw[part], line }];
        let content = self.inputs.content(path, raw);
        let content = content.as_ref().map(std::slice::from_ref);
        let batch = ScrubBatch { path: path.as_str(), purpose: FilePurpose::Document, content };
        self.scrub(batch, &pieces, &[], digest_of_last).digest
    }

    /// Redacts all texts of a work item together. `content` has the digests of its files if they hold no other item.
    pub(super) fn item(
        &self,
        raw: &Item<String>,
        content: Option<&[Digest]>,
    ) -> (Item<Clean>, ParsedText, Vec<ParsedComment>, Vec<RecordedRemoval>, Digest) {
        // `map` visits the texts in a fixed order: first to collect them, then to replace them by the clean ones.
        let (mut pieces, mut parts): (Vec<Piece<'_>>, Vec<RecordPart>) = Default::default();
        raw.map(&mut |part, key, text: &String, line| {
            pieces.push(Piece { key, text, line });
            parts.push(part);
        });
        let is_head = |piece: usize| pieces[piece].key == "head";
        let body = body_of(&pieces);
        let batch = ScrubBatch { path: raw.origin.path.as_str(), purpose: FilePurpose::Items, content };
        let digested = |scrubbed: &Scrubbed| digest(&pieces, body, scrubbed);
        let ScrubResult { mut scrubbed, markdown, digest } =
            self.scrub(batch, &pieces, &markdown_pieces(&pieces, &parts), digested);
        let folds = scrubbed.removed_lines.get_mut(body).map(std::mem::take).unwrap_or_default();
        let mut texts = scrubbed.texts.iter();
        let clean = raw.map(&mut |_, _, _, _| texts.next().cloned().unwrap_or_default());

        let names = NAMES.map(|name| pieces.iter().position(|piece| piece.key == name).unwrap_or(usize::MAX));
        let elsewhere: BTreeSet<(usize, String)> =
            scrubbed.removals.iter().map(|removal| (removal.piece, removal.rule.clone())).collect();
        // An id, title or status that was taken from a field or the body is recorded there, with its line.
        let is_recorded_below = |Removal { piece, rule, .. }: &Removal| {
            names.contains(piece)
                && (piece + 1..pieces.len()).any(|index| {
                    !is_head(index)
                        && pieces[index].text.contains(pieces[*piece].text)
                        && elsewhere.contains(&(index, rule.clone()))
                })
        };
        let mut markdown = markdown.into_iter();
        let body = ParsedText { clean: clean.body.text.clone(), markdown: markdown.next().unwrap_or_default(), folds };
        let in_comment = |at: usize| {
            let found = scrubbed.removals.iter().filter(|removal| parts[removal.piece] == RecordPart::Comment(at));
            let found = found.map(|removal| RecordedRemoval { in_body: true, ..recorded(removal.clone(), "comment") });
            merged(found.collect())
        };
        let comments = clean.comments.iter().zip(markdown).enumerate();
        let comments =
            comments.map(|(at, (comment, markdown))| ParsedComment::new(comment.clone(), markdown, in_comment(at)));
        let comments = comments.collect();
        // The record's head repeats the fields, so its removals are left out.
        let removals = scrubbed.removals.into_iter().filter(|removal| parts[removal.piece] == RecordPart::Own);
        let removals = removals.filter(|removal| !is_head(removal.piece) && !is_recorded_below(removal));
        let recorded = removals.map(|removal| {
            let key = pieces[removal.piece].key;
            recorded(removal, key)
        });
        let removals = merged(recorded.collect());
        (clean, body, comments, removals, digest)
    }

    /// Returns why a file with this text is not for everyone, whatever else names it.
    pub(super) fn restriction(&self, path: &RepoPath, raw: &str) -> Option<Withheld> {
        let of_agent = || self.leads_to_agent(path).then_some(Withheld::OtherAgent);
        self.document_restriction(path, raw).or_else(of_agent)
    }

    /// Returns why the document that a file with this text is, or leads to, is not for everyone.
    pub(super) fn document_restriction(&self, path: &RepoPath, raw: &str) -> Option<Withheld> {
        let of = |path: &RepoPath| DocumentRules::of(self.settings, path);
        let rules: Vec<DocumentRules<'_>> = self.names(path).filter_map(of).collect();
        let is_stated = || rules.is_empty() && states_secrets(raw);
        if rules.iter().any(|rules| rules.secrecy(raw).is_secret()) || is_stated() {
            return Some(Withheld::Secret);
        }
        rules.iter().any(|rules| !rules.restricting_scopes(raw).is_empty()).then_some(Withheld::OtherAgent)
    }

    pub(super) fn leads_to_agent(&self, path: &RepoPath) -> bool {
        self.names(path).any(|path| self.settings.is_agent_file(path))
    }

    /// Returns a path, and what it leads to if it is a link.
    pub(super) fn names<'p>(&'p self, path: &'p RepoPath) -> impl Iterator<Item = &'p RepoPath> {
        [path].into_iter().chain(self.source().link_end(path))
    }

    /// Returns whether a path is that of a pipe, a socket, a device or a cyclic link.
    pub(super) fn is_special(&self, path: &RepoPath) -> bool {
        self.source().special_files().binary_search(path).is_ok()
    }

    pub(super) fn raw(&self, path: &RepoPath) -> Result<String, Diagnostic> {
        // What is no file is in no clone either.
        let refusal = |refusal| if self.is_special(path) { Refusal::Binary } else { refusal };
        self.inputs.read(path).map_err(|refused| unreadable(path, &refusal(refused)))
    }

    /// Reads an agent's file, or a job's, whose text is instructions.
    pub(super) fn trusted_instructions(
        &self,
        path: &RepoPath,
    ) -> Result<(Clean, Clean, Vec<RecordedRemoval>), Diagnostic> {
        let raw = self.raw(path).map_err(|fault| fault.with_severity(Severity::Error))?;
        self.confirm_tracked(path)?;
        if let Some(withheld) = self.restriction(path, &raw) {
            return Err(restricted_instructions(path, withheld));
        }
        if let Some(line) = conflict_in_markdown(&raw) {
            let what = format!("`{path}`, which holds instructions,");
            let fault = conflict_markers(Place::line(path.clone(), line), &what);
            return Err(fault.with_severity(Severity::Error));
        }
        let (shown, text, removals, _) = self.file(path, FilePurpose::Document, &raw);
        Ok((shown, text.clean.trimmed(), removals))
    }

    /// Confirms that nobody without a say could have put instructions into a file.
    pub(super) fn confirm_tracked(&self, path: &RepoPath) -> Result<(), Diagnostic> {
        if !self.distrusts(path) {
            return Ok(());
        }
        let message = format!("git does not track `{path}`, so that anyone could have written these instructions");
        Err(Diagnostic::in_file(Code::UntrackedFile, path, message).help(COMMIT).with_severity(Severity::Error))
    }
}

/// Returns the diagnostic for a file that cannot be used: an error if it exists and the system refuses to read it.
pub(super) fn unreadable(path: &RepoPath, refusal: &Refusal) -> Diagnostic {
    let (more, help) = match refusal {
        Refusal::Denied => ("", "rename the file, or allow it with `!path` under `redaction.deny_paths`"),
        Refusal::Outside => ("", "name a file of the repo"),
        Refusal::NotInRepo => ("", "add the file, or correct the path"),
        Refusal::Binary => ("", "exclude it, or name a text file"),
        Refusal::NotUtf8 => ("", "save it as UTF-8, or exclude it"),
        Refusal::TooLarge(_) => ("", "split the file, or exclude it"),
        Refusal::GitLfs => (
            ", so that a clone may have a pointer in its place",
            "commit it as a plain file (`git lfs untrack`), or exclude it",
        ),
        Refusal::Unreadable(_) => ("", "make it readable; until then packs that may hold it stay as they are"),
    };
    let message = format!("`{path}` cannot be read: {refusal}{more}");
    let diagnostic = Diagnostic::in_file(Code::UnreadableFile, path, message);
    let is_error = matches!(refusal, Refusal::Unreadable(_));
    diagnostic.help(help).with_severity(if is_error { Severity::Error } else { Severity::Warning })
}

pub(super) fn restricted_instructions(path: &RepoPath, withheld: Withheld) -> Diagnostic {
    let message = format!("`{path}` is {}, so that nobody is given it as instructions", withheld.reason());
    Diagnostic::in_file(Code::InvalidAgent, path, message)
        .help("take it out of `documents` and of `agents`, or move the instructions to another file")
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

fn digest_of_last(scrubbed: &Scrubbed) -> Digest {
    Digest::of(scrubbed.texts.last().map_or("", |text| text.as_str()))
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

/// Returns the indexes of the texts of a record that are Markdown: its body and those of its comments.
pub(super) fn markdown_pieces(pieces: &[Piece<'_>], parts: &[RecordPart]) -> Vec<usize> {
    let is_comment = |at: &usize| matches!(parts[*at], RecordPart::Comment(_)) && pieces[*at].key == "comment";
    [body_of(pieces)].into_iter().chain((0..pieces.len()).filter(is_comment)).collect()
}

/// Returns the index of an item's body among its texts: the first of that key, before any field of the same name.
fn body_of(pieces: &[Piece<'_>]) -> usize {
    pieces.iter().position(|piece| piece.key == "body").unwrap_or(pieces.len())
}

/// Converts a removal from a text with this key into the form that entries hold.
pub(super) fn recorded(removal: Removal, key: &str) -> RecordedRemoval {
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

/// Merges removals by one rule on one line. Outside a body one value may be read twice, so the larger count is right.
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
