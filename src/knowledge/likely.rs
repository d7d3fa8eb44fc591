//! Source files that may matter for an item: a search by words, not a reference.
//!
//! BM25 over the words of each file and their parts (`TaskCard`, `task_card`: `taskcard`, `task`, `card`), with the words of
//! its path besides, which say more than those of its text. Of an item, names of code count more, and what most items have,
//! such as the headings of a template, counts less. Depends on the files of the commit alone.

use super::choice::{B, K1, PRECISION, rarity};
use crate::model::{RepoPath, WordLists};
use crate::notes::is_stop_word;
use crate::redact::Clean;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::iter;
use std::ops::Range;
use std::sync::{Arc, LazyLock};

static NAMES: LazyLock<WordLists> = LazyLock::new(|| WordLists::read(include_str!("source.txt")));

/// The largest source file, and the longest line of one, in bytes: what is longer was generated.
const MAX_BYTES: usize = 400_000;
const MAX_LINE: usize = 5_000;
/// The first lines of a file, one of which may say that it was generated.
const HEAD: usize = 20;
/// How many times the words of a title or of what is left to do, and those of a path, count.
const TITLE: f32 = 2.0;
const PATH: f32 = 1.5;
/// How many times a name of code in an item counts, and how many times a word on the first line of a definition.
const NAME: f32 = 2.0;
/// How many times a word in a code span counts, and one beside a ticked box: what is done is not to be searched for.
const QUOTED: f32 = 1.3;
const TICKED: f32 = 0.2;
/// What is left of the weight of a word that says what to do, and not with what.
const REQUEST: f32 = 0.3;
/// What is left of the weight of a word that all items have.
const COMMON: f32 = 0.4;
/// How much of its score a test keeps: it is listed with what it tests.
const TEST: f32 = 0.8;
const MAX_WORDS: usize = 5;
/// The most documents that are found besides source files, and the part of the best one's score that each has.
const MAX_DOCUMENTS: usize = 3;
const ALIKE: u64 = 3;
/// The most names that are said to be in no file, and the shortest, in bytes.
const MAX_ABSENT: usize = 12;
const SHORTEST_ABSENT: usize = 6;
/// The most tests that are named with a file.
const MAX_TESTS: usize = 3;
/// The lines of the part of a file that is named, if no definition is, and the most of a definition.
const LINES: usize = 40;
const MAX_DEFINITION: usize = 80;
/// The lines for which a part has to hold twice as much as a single line.
const LENGTH: f32 = 300.0;

/// A word as a hash: texts are never kept.
type TermHash = u32;

/// How often each word stands in a source file, or in an item.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct SourceTerms {
    total: u32,
    counts: Vec<(TermHash, u8)>,
}

impl SourceTerms {
    /// Counts the words of a source file; `None` if a program wrote it.
    pub fn read_source(text: &str) -> Option<Self> {
        let says = |line: &str| NAMES.of("generated_head").iter().any(|words| line.contains(words));
        let is_generated = text.lines().take(HEAD).any(|line| says(&line.to_ascii_lowercase()));
        if is_generated { None } else { Self::read(text) }
    }

    /// Counts the words of a text; `None` if it is not written by people.
    pub fn read(text: &str) -> Option<Self> {
        if text.len() > MAX_BYTES || text.lines().any(|line| line.len() > MAX_LINE) {
            return None;
        }
        let mut terms = Vec::new();
        for_each_term(text, &mut |term, _, _| terms.push(term));
        terms.sort_unstable();
        let count = |run: &[TermHash]| (run[0], u8::try_from(run.len()).unwrap_or(u8::MAX));
        let total = u32::try_from(terms.len()).unwrap_or(u32::MAX);
        Some(Self { total, counts: terms.chunk_by(|a, b| a == b).map(count).collect() })
    }
}

/// The parts of a source file, in lines counted from 0.
#[derive(Debug, Default)]
pub struct SourceParts {
    /// The definitions with what belongs to them, and the first line of each.
    pub definitions: Vec<(Range<usize>, usize)>,
    /// The lines of imports, and of comments above the first definition.
    pub preamble: BTreeSet<usize>,
}

/// A source file that may matter for an item.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct LikelyFile {
    pub path: Clean,
    /// The first and the last line of the part that shares most words with the item.
    pub lines: [u64; 2],
    /// Words of the item that the file has, the rarest first.
    pub words: Vec<Clean>,
}

/// A found file, before its text is looked at.
pub struct FoundSource<'a> {
    pub path: &'a RepoPath,
    words: Vec<(TermHash, f32, Clean)>,
}

#[derive(Debug)]
struct SourceFile {
    path: RepoPath,
    length: f32,
    is_test: bool,
    is_style: bool,
    is_data: bool,
    is_document: bool,
    /// What it shares with its test: the name without the marks of one, or its path if the name says nothing.
    unit: String,
}

/// The words of all source files.
#[derive(Debug, Default)]
pub struct SourceIndex {
    files: Vec<SourceFile>,
    /// Word, file and how often it is there, sorted.
    texts: Vec<(TermHash, u32, u8)>,
    paths: Vec<(TermHash, u32)>,
    /// The words of all items, sorted, and the number of items.
    items: (Vec<TermHash>, usize),
}

/// Returns whether a search looks at a file with this path.
pub fn is_source(path: &RepoPath) -> bool {
    let mut folders = path.dir().split('/');
    let name = path.name().to_ascii_lowercase();
    let is = |list| NAMES.has(list, &path.extension().to_ascii_lowercase());
    (is("extension") || is("document_extension"))
        && !folders.any(|it| it.starts_with('.') || NAMES.has("built_folder", it))
        && !NAMES.of("generated_name").iter().any(|part| name.contains(part))
}

impl SourceIndex {
    /// Creates an index of files, which are sorted by path, for a search by `items`.
    pub fn new(read: Vec<(RepoPath, SourceTerms)>, items: &[Arc<Option<SourceTerms>>]) -> Self {
        let total: f32 = read.iter().map(|(_, terms)| terms.total as f32).sum();
        let average = (total / read.len().max(1) as f32).max(1.0);
        let words = items.iter().filter_map(|item| Option::as_ref(item)).flat_map(|item| &item.counts);
        let words = words.map(|(term, _)| *term).collect();
        let mut index = Self { items: (words, items.len()), ..Self::default() };
        for (at, (path, terms)) in (0..).zip(read) {
            index.texts.extend(terms.counts.iter().map(|(term, count)| (*term, at, *count)));
            let text = path.as_str();
            let mut of_path = BTreeSet::new();
            for_each_term(text.rsplit_once('.').map_or(text, |(stem, _)| stem), &mut |term, _, _| {
                of_path.insert(term);
            });
            index.paths.extend(of_path.into_iter().map(|term| (term, at)));
            let (unit, is_test) = unit_of(&path);
            let length = K1 * (1.0 - B + B * terms.total as f32 / average);
            let is_style = NAMES.has("style_extension", path.extension());
            let is_data = path.dir().split('/').any(|folder| NAMES.has("data_folder", folder));
            let is_document = NAMES.has("document_extension", &path.extension().to_ascii_lowercase());
            let unit = if is_document { path.to_string() } else { unit };
            let is_test = is_test && !is_document;
            index.files.push(SourceFile { path, length, is_test, is_style, is_data, is_document, unit });
        }
        index.texts.par_sort_unstable();
        index.paths.sort_unstable();
        index.items.0.par_sort_unstable();
        index
    }

    /// Returns the files that share most with an item, or name it, each with its test or what it tests, but for those that are `known`;
    /// and names of code that are in none.
    pub fn find(
        &self,
        id: &Clean,
        prose: &[&Clean],
        nearness: &dyn Fn(&RepoPath) -> f32,
        known: &dyn Fn(&RepoPath) -> bool,
        most: usize,
    ) -> (Vec<FoundSource<'_>>, Vec<Clean>) {
        let mut query = words_of(prose);
        let absent = self.absent(&query);
        // A document that names the item is about it, if its id is several words.
        for_each_term(id, &mut |term, start, end| {
            if (start, end) == (0, id.len()) && id.bytes().filter(|byte| matches!(byte, b'-' | b'_')).count() > 1 {
                query.insert(term, (TITLE * NAME, id.clone()));
            }
        });
        query.iter_mut().for_each(|(term, (weight, _))| *weight *= self.significance(*term));
        let mut scores = vec![0.0_f32; self.files.len()];
        for (term, (weight, _)) in &query {
            let held = range_of(&self.texts, |entry| entry.0, *term);
            let weight_in_text = weight * rarity(held.len(), self.files.len());
            let is_template = self.is_template(*term);
            for (_, file, count) in held {
                let (file, count) = (*file as usize, f32::from(*count));
                if is_template && self.files[file].is_document {
                    continue;
                }
                scores[file] += weight_in_text * count * (K1 + 1.0) / (count + self.files[file].length);
            }
            let named = range_of(&self.paths, |entry| entry.0, *term);
            let weight_in_path = weight * PATH * rarity(named.len(), self.files.len());
            named.iter().for_each(|(_, file)| scores[*file as usize] += weight_in_path);
        }
        let mut has_style = false;
        for_each_term(&NAMES.of("style_word").join(" "), &mut |term, _, _| has_style |= query.contains_key(&term));
        let score = |(at, file): (u32, &SourceFile)| {
            if file.is_data || file.is_style && !has_style {
                return None;
            }
            let score = scores[at as usize] * nearness(&file.path) * if file.is_test { TEST } else { 1.0 };
            let score = (score * PRECISION).max(0.0) as u64;
            (score > 0).then_some((Reverse(score), at))
        };
        let mut order: Vec<(Reverse<u64>, u32)> = (0..).zip(&self.files).filter_map(score).collect();
        order.sort_unstable();
        let of_kind = |is_document| {
            let order = order.iter().map(|(score, at)| (*score, *at, &self.files[*at as usize]));
            order.filter(move |(.., file)| file.is_document == is_document)
        };
        let ranked = || of_kind(false).map(|(_, at, file)| (at, file));
        let (mut units, mut found) = (BTreeSet::new(), Vec::new());
        for (at, file) in ranked() {
            if units.len() == most {
                break;
            }
            if !known(&file.path) && units.insert(&file.unit) {
                let is_other = |other: &SourceFile| other.unit == file.unit && other.is_test != file.is_test;
                let other = ranked().find(|(_, other)| is_other(other)).filter(|(_, other)| !known(&other.path));
                found.extend([at].into_iter().chain(other.map(|(at, _)| at)));
            }
        }
        let documents = || of_kind(true).filter(|(.., file)| !known(&file.path));
        let best = documents().next().map_or(0, |(Reverse(score), ..)| score);
        let documents = documents().take(MAX_DOCUMENTS).take_while(|(Reverse(score), ..)| score * ALIKE >= best);
        found.extend(documents.map(|(_, at, _)| at));
        let source = |at: u32| {
            let held = |(term, (weight, word)): (&TermHash, &(f32, Clean))| {
                let held = range_of(&self.texts, |entry| entry.0, *term);
                held.binary_search_by_key(&at, |entry| entry.1).ok()?;
                Some((*term, weight * rarity(held.len(), self.files.len()), word.clone()))
            };
            let mut words: Vec<(TermHash, f32, Clean)> = query.iter().filter_map(held).collect();
            words.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
            (!words.is_empty()).then(|| FoundSource { path: &self.files[at as usize].path, words })
        };
        (found.into_iter().filter_map(source).collect(), absent)
    }

    /// Returns the words that are spelled as names in code and stand in no file, in alphabetical order.
    fn absent(&self, query: &BTreeMap<TermHash, (f32, Clean)>) -> Vec<Clean> {
        let is_code = |file: u32| !self.files[file as usize].is_document;
        let is_absent = |term| {
            !range_of(&self.texts, |entry| entry.0, term).iter().any(|entry| is_code(entry.1))
                && !range_of(&self.paths, |entry| entry.0, term).iter().any(|entry| is_code(entry.1))
        };
        let is_name =
            |word: &str| word.len() >= SHORTEST_ABSENT && !word.contains('-') && is_code_name(word, 0, word.len());
        let absent = query.iter().filter(|(term, (_, word))| is_name(word) && is_absent(**term));
        let mut absent: Vec<Clean> = absent.map(|(_, (_, word))| word.clone()).collect();
        absent.sort();
        absent.truncate(if self.files.iter().all(|file| file.is_document) { 0 } else { MAX_ABSENT });
        absent
    }

    /// Returns whether most items have a word, so that it says nothing of one among them.
    fn is_template(&self, term: TermHash) -> bool {
        let (terms, all) = &self.items;
        *all > 2 && range_of(terms, |known| *known, term).len() * 2 > *all
    }

    /// Returns how much of its weight a word of an item keeps: 1 if no other item has it.
    fn significance(&self, term: TermHash) -> f32 {
        let (terms, all) = &self.items;
        let holders = range_of(terms, |known| *known, term).len();
        COMMON + (1.0 - COMMON) * rarity(holders.max(1), *all) / rarity(1, *all)
    }
}

/// Returns the words of an item's texts, its title and what is left to do first, with their weights, which depend on how they are written.
fn words_of(prose: &[&Clean]) -> BTreeMap<TermHash, (f32, Clean)> {
    let mut words: BTreeMap<TermHash, (f32, Clean)> = BTreeMap::new();
    for (text, of_text) in prose.iter().zip([TITLE; 2].into_iter().chain(iter::repeat(1.0))) {
        let mut offset = 0;
        for line in text.split_inclusive('\n') {
            let is_ticked = line.trim_start().get(1..5).is_some_and(|mark| mark.eq_ignore_ascii_case(" [x]"));
            let of_line = if is_ticked { of_text * TICKED } else { of_text };
            let (mut read, mut in_span) = (0, false);
            for_each_term(line, &mut |term, start, end| {
                // The whole of a name comes after its parts.
                in_span ^= line.get(read..start).is_some_and(|between| between.matches('`').count() % 2 == 1);
                read = read.max(start);
                let of_span = if in_span { QUOTED } else { 1.0 };
                let of_name = match () {
                    () if is_code_name(line, start, end) => NAME,
                    () if NAMES.has("request_word", &line[start..end].to_ascii_lowercase()) => REQUEST,
                    () => 1.0,
                };
                let known = words.entry(term).or_insert_with(|| (0.0, text.slice(offset + start..offset + end)));
                known.0 = known.0.max(of_line * of_span * of_name);
            });
            offset += line.len();
        }
    }
    words
}

/// Returns whether a word is spelled as code is: `loadTask`, `load_task`, or a word in a code span.
fn is_code_name(text: &str, start: usize, end: usize) -> bool {
    let inner = &text.as_bytes()[start..end];
    let is_camel = || inner.windows(2).any(|two| two[0].is_ascii_lowercase() && two[1].is_ascii_uppercase());
    inner.contains(&b'_') || is_camel() || text[..start].ends_with('`') || text[end..].starts_with('`')
}

impl FoundSource<'_> {
    /// Returns the file with the part of its redacted `text` that has most of the words, and those that are in the file.
    ///
    /// That part is a definition if one has them, the more so if they are on its first line.
    pub fn located(&self, path: Clean, text: &Clean, parts: &SourceParts) -> Option<LikelyFile> {
        let weights: BTreeMap<TermHash, f32> = self.words.iter().map(|(term, weight, _)| (*term, *weight)).collect();
        let [mut places, mut preamble]: [Vec<(usize, TermHash, f32)>; 2] = Default::default();
        for (line, text) in text.lines().enumerate() {
            let places = if parts.preamble.contains(&line) { &mut preamble } else { &mut places };
            for_each_term(text, &mut |term, _, _| {
                places.extend(weights.get(&term).map(|weight| (line, term, *weight)))
            });
        }
        let there: BTreeSet<TermHash> = places.iter().chain(&preamble).map(|(_, term, _)| *term).collect();
        let places = if places.is_empty() { preamble } else { places };
        let among = |lines: &Range<usize>| {
            let [from, to] = [lines.start, lines.end].map(|end| places.partition_point(|(line, ..)| *line < end));
            &places[from..to]
        };
        let windows = (0..=places.last()?.0).step_by(LINES / 2).filter_map(|start| {
            let held = among(&(start..start + LINES));
            Some((held.first()?.0..held.last()?.0 + 1, usize::MAX))
        });
        // Of a long definition its beginning is meant.
        let definitions = parts.definitions.iter().map(|(lines, head)| match lines.len() {
            0..=MAX_DEFINITION => (lines.clone(), *head),
            _ => (lines.start..*head + LINES, *head),
        });
        let score = |(lines, head): (Range<usize>, usize)| {
            let mut held: BTreeMap<TermHash, f32> = BTreeMap::new();
            for (line, term, weight) in among(&lines) {
                let most = held.entry(*term).or_default();
                *most = most.max(if *line == head { weight * (1.0 + NAME) } else { *weight });
            }
            let score = held.values().sum::<f32>() / (1.0 + lines.len() as f32 / LENGTH);
            ((score * PRECISION) as u64, Reverse(lines.start), lines.end)
        };
        let (_, Reverse(first), end) = definitions.chain(windows).map(score).max()?;
        let lines = [first + 1, end].map(|line| line as u64);
        let mut words: Vec<Clean> = Vec::new();
        for (_, _, word) in self.words.iter().filter(|(term, ..)| there.contains(term)) {
            // `boardPage`, `board` and `page` are one word.
            if words.len() < MAX_WORDS && words.iter().all(|known| !is_part(known, word) && !is_part(word, known)) {
                words.push(word.clone());
            }
        }
        (!words.is_empty()).then_some(LikelyFile { path, lines, words })
    }
}

fn is_part(whole: &str, part: &str) -> bool {
    whole.to_lowercase().contains(&part.to_lowercase())
}

fn range_of<T>(sorted: &[T], term: impl Fn(&T) -> TermHash, wanted: TermHash) -> &[T] {
    let start = sorted.partition_point(|entry| term(entry) < wanted);
    let length = sorted[start..].partition_point(|entry| term(entry) == wanted);
    &sorted[start..start + length]
}

/// Returns what a file shares with its test, and whether it is one.
fn unit_of(path: &RepoPath) -> (String, bool) {
    let stem = path.stem();
    let begin = NAMES.of("test_begin").iter().find_map(|mark| stem.strip_prefix(mark));
    let end = NAMES.of("test_end").iter().find_map(|mark| stem.strip_suffix(mark));
    let is_test = begin.or(end).is_some() || path.dir().split('/').any(|folder| NAMES.has("test_folder", folder));
    let unit = begin.or(end).unwrap_or(stem);
    let is_plain = unit.is_empty() || NAMES.has("plain_name", unit);
    (if is_plain { path.to_string() } else { unit.to_lowercase() }, is_test)
}

/// The tests of a repository by what they test: names say it, not what is in them.
#[derive(Debug, Default)]
pub struct TestFiles(BTreeMap<String, Vec<RepoPath>>);

impl TestFiles {
    pub fn new<'a>(files: impl Iterator<Item = &'a RepoPath>) -> Self {
        let mut tests: BTreeMap<String, Vec<RepoPath>> = BTreeMap::new();
        for path in files {
            let (unit, is_test) = unit_of(path);
            if is_test {
                tests.entry(unit).or_default().push(path.clone());
            }
        }
        Self(tests)
    }

    /// Returns up to three tests of a file in its language, those in the nearest folders first.
    pub fn of(&self, path: &RepoPath) -> Vec<&RepoPath> {
        let (unit, is_test) = unit_of(path);
        let near =
            |test: &RepoPath| path.dir().split('/').zip(test.dir().split('/')).take_while(|(a, b)| a == b).count();
        let is_same = |a: &str, b: &str| !a.is_empty() && (a.starts_with(b) || b.starts_with(a));
        let tests = self.0.get(&unit).into_iter().flatten().filter(|_| !is_test);
        let mut tests: Vec<&RepoPath> = tests.filter(|test| is_same(path.extension(), test.extension())).collect();
        tests.sort_by_key(|test| Reverse(near(test)));
        tests.truncate(MAX_TESTS);
        tests
    }
}

/// Calls `found` with each word of a text outside of URLs, and where it is: names as a whole and by their parts.
fn for_each_term(text: &str, found: &mut dyn FnMut(TermHash, usize, usize)) {
    let bytes = text.as_bytes();
    let is_word = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_alphanumeric);
    let mut at = 0;
    while at < bytes.len() {
        if !bytes[at].is_ascii_alphabetic() {
            // A word does not begin within a number or a word of other letters.
            at += 1;
            continue;
        }
        if bytes[at] == b'h' && (bytes[at..].starts_with(b"http://") || bytes[at..].starts_with(b"https://")) {
            let is_url = |byte: &&u8| !byte.is_ascii_whitespace() && !b"\"')<>`".contains(byte);
            at += bytes[at..].iter().take_while(is_url).count();
            continue;
        }
        let start = at;
        while is_word(at) || matches!(bytes.get(at), Some(b'_' | b'-')) && is_word(at + 1) {
            at += 1;
        }
        let (mut part, mut parts) = (start, 0);
        while let Some((from, to)) = next_part(bytes, part, at) {
            add_term(&text[from..to], from, to, found);
            (part, parts) = (to, parts + 1);
        }
        if parts > 1 {
            let whole: String = text[start..at].chars().filter(char::is_ascii_alphabetic).collect();
            found(hash(whole.to_ascii_lowercase().as_bytes()), start, at);
        }
    }
}

/// Returns the next part of a name: `HTTPServer_two` has `HTTP`, `Server` and `two`.
fn next_part(bytes: &[u8], from: usize, end: usize) -> Option<(usize, usize)> {
    let start = (from..end).find(|at| bytes[*at].is_ascii_alphabetic())?;
    let upper = (start..end).take_while(|at| bytes[*at].is_ascii_uppercase()).count();
    let lower_follows = |at: usize| at < end && bytes[at].is_ascii_lowercase();
    let stop = match upper {
        0 | 1 => start + upper + (start + upper..end).take_while(|at| bytes[*at].is_ascii_lowercase()).count(),
        _ if lower_follows(start + upper) => start + upper - 1,
        _ => start + upper,
    };
    Some((start, stop.max(start + 1)))
}

fn add_term(word: &str, from: usize, to: usize, found: &mut dyn FnMut(TermHash, usize, usize)) {
    let lower = word.to_ascii_lowercase();
    if lower.len() > 2 && !is_stop_word(&lower) {
        let ending = ["ing", "ed", "es", "s"].into_iter().find_map(|ending| lower.strip_suffix(ending));
        let stem = ending.filter(|stem| stem.len() > 3 && !lower.ends_with("ss")).unwrap_or(&lower);
        found(hash(stem.as_bytes()), from, to);
    }
}

/// FNV-1a, which is the same on every machine.
fn hash(word: &[u8]) -> TermHash {
    word.iter().fold(0x811c_9dc5, |hash, byte| (hash ^ u32::from(*byte)).wrapping_mul(0x0100_0193))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_whole_and_by_their_parts() {
        let spelled = |text: &str| {
            let mut found = Vec::new();
            for_each_term(text, &mut |_, start, end| found.push(text[start..end].to_owned()));
            found
        };
        assert_eq!(spelled("XMLParser_card"), ["XML", "Parser", "card", "XMLParser_card"]);
        assert_eq!(spelled("the task-card of v2, größe 3x"), ["task", "card", "task-card"]);
        let terms = |text: &str| SourceTerms::read(text).map(|terms| terms.counts).unwrap_or_default();
        assert_eq!(terms("taskCards"), terms("task_cards"));
        assert!(SourceTerms::read(&"x".repeat(MAX_LINE + 1)).is_none());
    }
}
