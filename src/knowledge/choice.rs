//! The documents that a pack holds: scope first, then pinned ones up to their limit, then relevant ones.

use super::document::{Knowledge, KnowledgeDocument, Scope, UnusableDocument};
use super::vectors::{QueryMeaning, embedded_text, fused};
use crate::config::{ContextSettings, DocumentType, Policy};
use crate::model::{Digest, RepoPath, is_document_name, log2};
use crate::notes::is_stop_word;
use crate::redact::Clean;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

#[derive(Debug, Clone, Copy)]
pub struct KnowledgeRequest<'a> {
    /// The agent's key, and how much its packs hold; `None` for a pack without an agent.
    pub agent: Option<(&'a Clean, Policy)>,
    pub limits: &'a ContextSettings,
    pub query: &'a [&'a str],
    /// What the query means, if it has a vector.
    pub meaning: Option<QueryMeaning<'a>>,
    /// The files that have sections of their own, since something refers to them, and whether the root itself does, to the whole,
    /// in a text of insiders.
    pub referenced: &'a BTreeMap<RepoPath, bool>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Relevant {
    pub document: usize,
    /// Its place among the relevant ones, from 1.
    pub rank: u32,
    /// The terms that it shares with the work, the rarest first.
    pub matched: Vec<String>,
    /// Its place by meaning, from 1, if it has one.
    pub meaning: Option<u32>,
}

/// The documents of a pack: indices of [`Knowledge::documents`].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ChosenDocuments {
    pub overview: Option<usize>,
    pub user: Option<usize>,
    /// The pinned ones in the order of the pack: global ones, then the agent's own.
    pub pinned: Vec<usize>,
    pub relevant: Vec<Relevant>,
    pub over_limit: Vec<usize>,
    /// The overviews and users besides those of the pack.
    pub further: Vec<usize>,
    /// Those that the pack would hold if they could be used: indices of [`Knowledge::unusable`].
    pub unusable: Vec<usize>,
    pub pinned_by_policy: Vec<usize>,
    pub relevant_by_policy: Vec<usize>,
}

impl Knowledge {
    pub fn choose(&self, request: &KnowledgeRequest<'_>) -> ChosenDocuments {
        let key = request.agent.map(|(key, _)| key);
        let admitted = |document: &KnowledgeDocument| document.scope.admits(key);
        let of_kind = |kind: DocumentType| {
            let is_one = |document: &KnowledgeDocument| document.kind == kind && admitted(document);
            self.documents.iter().position(|document| is_one(document))
        };
        let mut chosen = ChosenDocuments {
            overview: of_kind(DocumentType::ProjectOverview),
            user: of_kind(DocumentType::ProjectUser),
            ..ChosenDocuments::default()
        };
        for (index, UnusableDocument { document, .. }) in self.unusable.iter().enumerate() {
            let is_due = match document.kind {
                DocumentType::ProjectOverview => chosen.overview.is_none(),
                DocumentType::ProjectUser => chosen.user.is_none(),
                _ => document.pinned && document.has_notes(),
            };
            if is_due && admitted(document) {
                chosen.unusable.push(index);
            }
        }
        let (mut pinned, mut others): (Vec<usize>, Vec<usize>) = Default::default();
        for (index, document) in self.documents.iter().enumerate() {
            // A part of a pinned document, or one that outsiders name, is no substitute for its rules.
            let stands = request.referenced.get(&document.path).is_some_and(|is_whole| *is_whole || !document.pinned);
            let has_section = [chosen.overview, chosen.user].contains(&Some(index)) || stands && !document.secret;
            if has_section || !admitted(document) {
                continue;
            }
            match (document.has_notes(), document.kind) {
                (false, DocumentType::ProjectOverview | DocumentType::ProjectUser) => chosen.further.push(index),
                (true, _) if document.pinned => pinned.push(index),
                (true, _) if !document.secret => others.push(index),
                _ => {}
            }
        }
        let is_own = |index: &usize| self.documents[*index].scope != Scope::Global;
        let by_weight = |index: &usize| (Reverse(self.documents[*index].weight), self.documents[*index].path.clone());
        // The agent's own are taken first, and shown last.
        pinned.sort_by_key(|index| (!is_own(index), by_weight(index)));
        chosen.over_limit = pinned.split_off(pinned.len().min(request.limits.pinned));
        pinned.sort_by_key(|index| (is_own(index), by_weight(index)));
        chosen.pinned = pinned;
        let Some((_, policy)) = request.agent else { return chosen };
        let relevant = rank(self, &others, request.query, request.meaning, request.limits.relevant);
        if policy == Policy::Expanded {
            chosen.relevant = relevant;
        } else {
            chosen.relevant_by_policy = relevant.iter().map(|found| found.document).collect();
        }
        if policy == Policy::Minimal {
            chosen.pinned_by_policy = std::mem::take(&mut chosen.pinned);
        }
        chosen
    }
}

const MOST_MATCHED: usize = 10;
/// The factor by which scores are made integers: two that differ by less are equal, and their paths decide.
pub(super) const PRECISION: f32 = 1_000.0;
const SHORTEST: usize = 2;
/// BM25's saturation of repeated terms, and its normalization by length: the usual values.
pub(super) const K1: f32 = 1.2;
pub(super) const B: f32 = 0.75;

/// Returns how much a word says that `holders` of `all` texts have.
pub(super) fn rarity(holders: usize, all: usize) -> f32 {
    let (all, holders) = (all as f32, holders as f32);
    log2(f64::from(1.0 + (all - holders + 0.5) / (holders + 0.5))) as f32
}

/// How often each term stands in a document's title, headings and notes.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SearchTerms {
    total: u32,
    /// The hash of each term with how often it stands there, sorted: a [`RECORD`] each, so that none is decoded alone.
    #[serde(with = "serde_bytes")]
    counts: Vec<u8>,
    /// The digest of the text whose vector says what the document means.
    pub(super) embedded: Option<Digest>,
}

const RECORD: usize = 12;

impl SearchTerms {
    pub fn new<'t>(document: &'t KnowledgeDocument, headings: impl Iterator<Item = &'t str>) -> Self {
        let mut hashes = Vec::new();
        for part in document.title_and_notes().map(Clean::as_str).chain(headings) {
            for_each_term(part, &mut |term| hashes.push(hash(term)));
        }
        hashes.sort_unstable();
        let total = u32::try_from(hashes.len()).unwrap_or(u32::MAX);
        let mut counts = Vec::new();
        for run in hashes.chunk_by(|a, b| a == b) {
            counts.extend_from_slice(&run[0].to_be_bytes());
            counts.extend_from_slice(&u32::try_from(run.len()).unwrap_or(u32::MAX).to_be_bytes());
        }
        let embedded = Some(Digest::of(&*embedded_text(document.title_and_notes())));
        Self { total, counts, embedded }
    }

    fn counts(&self) -> impl Iterator<Item = (u64, u32)> {
        self.counts.chunks_exact(RECORD).filter_map(|record| {
            let (hash, count) = record.split_first_chunk()?;
            Some((u64::from_be_bytes(*hash), u32::from_be_bytes(*count.first_chunk()?)))
        })
    }

    /// Returns the terms of the sorted `asked` that are here, with their weights by BM25.
    fn weights(&self, asked: &[u64], average: f32) -> Vec<(u64, f32)> {
        let length = K1 * (1.0 - B + B * (self.total as f32 / average));
        let mut asked = asked.iter().copied().peekable();
        let mut found = Vec::new();
        for (term, count) in self.counts() {
            while asked.next_if(|wanted| *wanted < term).is_some() {}
            match asked.peek() {
                None => break,
                Some(wanted) if *wanted == term => {
                    let count = count as f32;
                    found.push((term, count * (K1 + 1.0) / (count + length)));
                }
                Some(_) => {}
            }
        }
        found
    }
}

fn hash(term: &str) -> u64 {
    term.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// Calls `found` with each term: words in lower case and singular but stop words; pairs in scripts without spaces.
fn for_each_term(text: &str, found: &mut dyn FnMut(&str)) {
    let mut lower = String::new();
    for word in text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
        lower.clear();
        if word.is_ascii() {
            lower.push_str(word);
            lower.make_ascii_lowercase();
            if is_stop_word(&lower) {
                continue;
            }
            let singular = lower.strip_suffix('s').filter(|rest| rest.len() > 2 && !rest.ends_with('s'));
            let term = singular.unwrap_or(&lower);
            if term.len() >= SHORTEST {
                found(term);
            }
            continue;
        }
        lower.push_str(&word.to_lowercase());
        if !lower.chars().any(is_unspaced) {
            if !is_stop_word(&lower) {
                found(&lower);
            }
            continue;
        }
        let places: Vec<usize> = lower.char_indices().map(|(at, _)| at).chain([lower.len()]).collect();
        match places.len() {
            2 => found(&lower),
            _ => places.windows(3).for_each(|pair| found(&lower[pair[0]..pair[2]])),
        }
    }
}

/// Returns whether a character belongs to a script that is written without spaces.
fn is_unspaced(c: char) -> bool {
    matches!(c, '\u{2e80}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

/// Returns whether a word is a path or the name of a document, perhaps in brackets or before a full stop.
fn is_path(word: &str) -> bool {
    let word = word.trim_end_matches(|c: char| !c.is_alphanumeric());
    is_document_name(word) || word.contains('/') && word.is_ascii()
}

/// Ranks `candidates` by what they share with `query`, and by `meaning` if that is known, and returns the first `most`.
fn rank(
    knowledge: &Knowledge,
    candidates: &[usize],
    query: &[&str],
    meaning: Option<QueryMeaning<'_>>,
    most: usize,
) -> Vec<Relevant> {
    let mut wanted: BTreeSet<String> = BTreeSet::new();
    // The words of a path say where something is, not what the work is about.
    for word in query.iter().flat_map(|text| text.split_whitespace()).filter(|word| !is_path(word)) {
        for_each_term(word, &mut |term| {
            wanted.insert(term.to_owned());
        });
    }
    if wanted.is_empty() && meaning.is_none() || candidates.is_empty() || most == 0 {
        return Vec::new();
    }
    let names: BTreeMap<u64, &str> = wanted.iter().map(|term| (hash(term), term.as_str())).collect();
    let asked: Vec<u64> = names.keys().copied().collect();
    let documents: Vec<&KnowledgeDocument> = candidates.iter().map(|index| &*knowledge.documents[*index]).collect();
    let total: u64 = documents.iter().map(|document| u64::from(document.search.total)).sum();
    let average = (total as f32 / documents.len() as f32).max(1.0);
    let weights: Vec<_> = documents.par_iter().map(|document| document.search.weights(&asked, average)).collect();
    // How many documents have each term that was asked for: the rarest say most.
    let mut holders: BTreeMap<u64, usize> = BTreeMap::new();
    weights.iter().flatten().for_each(|(term, _)| *holders.entry(*term).or_default() += 1);
    let score = |(at, own): (usize, &Vec<(u64, f32)>)| {
        let score: f32 = own.iter().map(|(term, weight)| weight * rarity(holders[term], documents.len())).sum();
        let score = (score * PRECISION).max(0.0) as u64;
        (score > 0).then_some((score, at))
    };
    let mut found: Vec<(u64, usize)> = weights.par_iter().enumerate().filter_map(score).collect();
    found.sort_by_key(|(score, at)| (Reverse(*score), &documents[*at].path));
    let by_words: Vec<usize> = found.into_iter().map(|(_, at)| at).collect();
    let texts = documents.iter().map(|document| (document.search.embedded, &document.path));
    let by_meaning = meaning.map(|meaning| meaning.nearest(texts)).unwrap_or_default();
    let relevant = |(rank, (at, meaning)): (u32, (usize, Option<u32>))| {
        let holders_of = |term| holders.get(term).copied().unwrap_or_default();
        let terms = weights[at].iter();
        let mut matched: Vec<_> = terms.filter_map(|(term, _)| Some((holders_of(term), *names.get(term)?))).collect();
        matched.sort_unstable();
        let matched = matched.into_iter().take(MOST_MATCHED).map(|(_, term)| term.to_owned()).collect();
        Relevant { document: candidates[at], rank, matched, meaning }
    };
    (1..).zip(fused(&by_words, &by_meaning)).take(most).map(relevant).collect()
}
