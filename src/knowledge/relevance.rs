//! The documents that are relevant for a piece of work, by BM25 over their titles, headings and notes.

use super::choice::Relevant;
use super::document::{Knowledge, KnowledgeDocument};
use bm25::{EmbedderBuilder, Embedding, Scorer, Tokenizer};
use rayon::prelude::*;
use std::collections::{BTreeSet, HashMap, HashSet};

/// The most terms that are reported for a document.
const MOST_MATCHED: usize = 10;

/// The factor by which scores are made integers: two that differ by less are equal, and their paths decide.
const PRECISION: f32 = 1_000.0;

/// The fewest letters of a word that the search looks at.
const SHORTEST: usize = 2;

/// Splits terms that were joined by spaces.
#[derive(Debug, Default)]
struct Joined;

impl Tokenizer for Joined {
    fn tokenize(&self, text: &str) -> Vec<String> {
        text.split(' ').map(str::to_owned).collect()
    }
}

/// Returns the terms of a text: words in lower case, English plurals as singulars, and pairs of characters of scripts without
/// spaces.
fn terms(text: &str) -> Vec<String> {
    let mut all = Vec::new();
    for word in text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
        let lower = word.to_lowercase();
        if lower.is_ascii() {
            let singular = lower.strip_suffix('s').filter(|rest| rest.len() > 2 && !rest.ends_with('s'));
            let term = singular.unwrap_or(&lower);
            if term.len() >= SHORTEST {
                all.push(term.to_owned());
            }
            continue;
        }
        let chars: Vec<char> = lower.chars().collect();
        if chars.iter().any(|c| is_unspaced(*c)) {
            match &chars[..] {
                [one] => all.push(one.to_string()),
                chars => all.extend(chars.windows(2).map(|pair| pair.iter().collect::<String>())),
            }
        } else {
            all.push(lower);
        }
    }
    all
}

/// Returns whether a character belongs to a script that is written without spaces.
fn is_unspaced(c: char) -> bool {
    matches!(c, '\u{2e80}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

/// Returns the text of a document that is searched.
fn searched(document: &KnowledgeDocument) -> String {
    let mut text = document.title.to_string();
    let notes = document
        .notes
        .iter()
        .flat_map(|notes| notes.summary.iter().chain(&notes.key_facts).chain(&notes.rules).chain(&notes.keywords));
    for part in document.headings.iter().chain(notes) {
        text.push('\n');
        text.push_str(part);
    }
    text
}

/// Ranks `candidates` by what they share with `query`, and returns the first `most`.
pub(super) fn rank(knowledge: &Knowledge, candidates: &[usize], query: &[&str], most: usize) -> Vec<Relevant> {
    let wanted: BTreeSet<String> = query.iter().flat_map(|text| terms(text)).collect();
    if wanted.is_empty() || candidates.is_empty() || most == 0 {
        return Vec::new();
    }
    let documents: Vec<Vec<String>> =
        candidates.par_iter().map(|index| terms(&searched(&knowledge.documents[*index]))).collect();
    let average = documents.iter().map(Vec::len).sum::<usize>() as f32 / documents.len() as f32;
    let embedder = EmbedderBuilder::<u64, Joined>::with_avgdl(average).build();
    let asked = embedder.embed(&wanted.iter().map(String::as_str).collect::<Vec<_>>().join(" "));
    let asked_terms: HashSet<u64> = asked.indices().copied().collect();
    let embed = |terms: &Vec<String>| {
        let mut embedding = embedder.embed(&terms.join(" "));
        // A score is a sum over the terms that were asked for: the others only cost time.
        let mut seen = HashSet::new();
        embedding.0.retain(|term| asked_terms.contains(&term.index) && seen.insert(term.index));
        embedding
    };
    let embeddings: Vec<Embedding<u64>> = documents.par_iter().map(embed).collect();
    let mut scorer = Scorer::<usize, u64>::new();
    for (at, embedding) in embeddings.into_iter().enumerate() {
        scorer.upsert(&at, embedding);
    }
    let mut found: Vec<(u64, usize)> = scorer
        .matches(&asked)
        .into_iter()
        .map(|found| ((found.score * PRECISION).max(0.0) as u64, found.id))
        .filter(|(score, _)| *score > 0)
        .collect();
    let path = |at: usize| &knowledge.documents[candidates[at]].path;
    found.sort_by(|(a, first), (b, second)| b.cmp(a).then_with(|| path(*first).cmp(path(*second))));
    found.truncate(most);
    // How many documents have each term that was asked for: the rarest say most.
    let mut holders: HashMap<&str, usize> = HashMap::new();
    for document in &documents {
        let own: HashSet<&str> = document.iter().map(String::as_str).filter(|term| wanted.contains(*term)).collect();
        own.into_iter().for_each(|term| *holders.entry(term).or_default() += 1);
    }
    let ranked = (1..).zip(found);
    ranked
        .map(|(rank, (_, at))| {
            let own: BTreeSet<&String> = documents[at].iter().filter(|term| wanted.contains(*term)).collect();
            let mut matched: Vec<&String> = own.into_iter().collect();
            matched.sort_by_key(|term| (holders.get(term.as_str()).copied().unwrap_or_default(), *term));
            matched.truncate(MOST_MATCHED);
            Relevant { document: candidates[at], rank, matched: matched.into_iter().cloned().collect() }
        })
        .collect()
}
