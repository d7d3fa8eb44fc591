//! Keywords: words of a document by how often and where they stand, by a formula in whole numbers.

use super::reader::{Block, BlockKind, InlineText, SpanKind};
use super::words::{FixedHash, is_cjk, lower};
use crate::redact::Clean;
use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, HashSet};
use std::ops::Range;
use std::sync::LazyLock;

/// Words of seven languages that say nothing about a document.
static STOP_WORDS: LazyLock<HashSet<&str, FixedHash>> =
    LazyLock::new(|| include_str!("stop_words.txt").split_ascii_whitespace().collect());

/// Returns whether a word in lower case says nothing about a text in one of the seven languages.
pub fn is_stop_word(word: &str) -> bool {
    STOP_WORDS.contains(word)
}

/// Chinese and Japanese characters that join words rather than make them.
const CJK_STOP: &str =
    "的了是在和与或不有我你他她它们这那就也都而及等被把对于从到为以其将可能要会个一上下中人时请并则所该让使用";

/// How many different words are counted; words that appear first after these are not.
const MOST_TERMS: usize = 100_000;
/// How often a word counts at most.
const MOST_OFTEN: u32 = 30;
/// The longest keyword in characters.
const LONGEST: usize = 40;

/// What a word counts in a heading, in bold, in code, and elsewhere.
const IN_HEADING: u32 = 6;
const IN_BOLD: u32 = 3;
const IN_CODE: u32 = 2;
const PLAIN: u32 = 1;

#[derive(Debug)]
struct Term {
    count: u32,
    weight: u32,
    /// Where it first stands in the source.
    source: Range<usize>,
    at: usize,
    /// Whether it was cut out of a longer run of Chinese characters each time.
    is_pair: bool,
}

/// The words of a document so far.
#[derive(Debug, Default)]
pub(super) struct Keywords {
    terms: HashMap<String, Term>,
    next: usize,
    /// The word that is being counted, in lower case.
    word: String,
}

impl Keywords {
    /// Counts the words of a block.
    pub(super) fn read(&mut self, block: &Block) {
        match &block.kind {
            BlockKind::Heading(_) => self.text(&block.text, IN_HEADING),
            BlockKind::Item | BlockKind::Paragraph => self.text(&block.text, PLAIN),
            BlockKind::Row { cells, .. } => cells.iter().for_each(|cell| self.text(cell, PLAIN)),
            _ => {}
        }
    }

    fn text(&mut self, text: &InlineText, weight: u32) {
        let mut marked = text
            .spans
            .iter()
            .filter(|span| matches!(span.kind, SpanKind::Strong | SpanKind::Code))
            .map(|span| (span.shown.clone(), if span.kind == SpanKind::Code { IN_CODE } else { IN_BOLD }))
            .peekable();
        each_term(&text.shown, &mut |range, is_pair| {
            while marked.next_if(|(span, _)| span.end <= range.start).is_some() {}
            let mark = marked.peek().filter(|(span, _)| span.start <= range.start);
            self.add(text, range, weight.max(mark.map_or(PLAIN, |(_, mark)| *mark)), is_pair);
        });
    }

    fn add(&mut self, text: &InlineText, range: Range<usize>, weight: u32, is_pair: bool) {
        let written = &text.shown[range.clone()];
        if !is_term_length(written) {
            return;
        }
        let mut word = std::mem::take(&mut self.word);
        word.clear();
        if written.is_ascii() {
            word.push_str(written);
            word.make_ascii_lowercase();
        } else {
            word.push_str(&lower(written));
        }
        if is_term(&word) {
            // The name of a file or of a variable says less than a word.
            let is_name = weight < IN_HEADING && word.contains(['.', '_']);
            self.count(&word, text, &range, if is_name { PLAIN } else { weight }, is_pair);
        }
        self.word = word;
    }

    fn count(&mut self, word: &str, text: &InlineText, range: &Range<usize>, weight: u32, is_pair: bool) {
        if let Some(term) = self.terms.get_mut(word) {
            term.count = (term.count + 1).min(MOST_OFTEN);
            term.weight = term.weight.max(weight);
            term.is_pair &= is_pair;
            return;
        }
        if self.terms.len() >= MOST_TERMS {
            return;
        }
        self.next += 1;
        // A piece of text without markup inside, since a keyword is one word.
        let mut pieces = text.pieces(range);
        let (Some(source), None) = (pieces.next(), pieces.next()) else { return };
        let term = Term { count: 1, weight, source, at: self.next, is_pair };
        self.terms.insert(word.to_owned(), term);
    }

    /// Returns at most `most` keywords, the best first.
    ///
    /// A word is worth `count + count × (weight - 1) / 2 + 2 × weight`, where `count` is at most 30 and `weight` the
    /// largest of its places; equal ones keep the order of the document. A word in the plural counts with its singular.
    pub(super) fn finish(self, document: &Clean, most: usize) -> Vec<Clean> {
        let mut terms = self.terms;
        // No plural is the singular of another word, so their order does not matter.
        let plurals: Vec<(String, String)> = terms
            .keys()
            .filter_map(|word| {
                Some((word.clone(), singulars(word).find(|it| terms.contains_key(it.as_ref()))?.into_owned()))
            })
            .collect();
        for (plural, single) in plurals {
            let Some(term) = terms.remove(&plural) else { continue };
            if let Some(single) = terms.get_mut(&single) {
                single.count = (single.count + term.count).min(MOST_OFTEN);
                single.weight = single.weight.max(term.weight);
                single.at = single.at.min(term.at);
            }
        }
        let score = |term: &Term| term.count + term.count * (term.weight - 1) / 2 + 2 * term.weight;
        // A pair of Chinese characters that occurs once is more often no word than one.
        let is_word = |term: &Term| term.count > 1 || !term.is_pair;
        let terms = terms.into_iter().filter(|(_, term)| is_word(term));
        // `at` is another one for each term, so no order of the map shows.
        let mut ranked: BinaryHeap<_> = terms
            .map(|(word, term)| (score(&term), Reverse(term.at), word, (term.source.start, term.source.end)))
            .collect();
        let mut keywords: Vec<Clean> = Vec::new();
        let mut chosen: Vec<String> = Vec::new();
        while keywords.len() < most
            && let Some((_, _, word, (start, end))) = ranked.pop()
        {
            // Of overlapping Chinese and Japanese words the first stays.
            let overlaps =
                word.chars().any(is_cjk) && chosen.iter().any(|it| it.contains(&word) || word.contains(it.as_str()));
            let written = document.slice(start..end);
            if let Some(keyword) = written.read_out(&word).filter(|_| !overlaps) {
                keywords.push(keyword);
                chosen.push(word);
            }
        }
        keywords
    }
}

/// Returns the words that one in the plural may be the plural of: `policies` of `policy`.
fn singulars(word: &str) -> impl Iterator<Item = Cow<'_, str>> {
    let by_s = word.strip_suffix('s').filter(|word| word.len() > 3 && !word.ends_with('s'));
    let by_ies = word.strip_suffix("ies").filter(|word| word.len() > 2).map(|word| Cow::Owned(format!("{word}y")));
    by_s.map(Cow::Borrowed).into_iter().chain(by_ies)
}

/// Calls `found` with the place of each word of a text, and whether it is a pair of characters: of Chinese and Japanese,
/// words are runs of one script, cut into pairs where long.
fn each_term(shown: &str, found: &mut dyn FnMut(Range<usize>, bool)) {
    let bytes = shown.as_bytes();
    let mut start = 0;
    // Words are cut at spaces first, so that addresses and paths can be left out whole.
    while start < bytes.len() {
        let (mut end, mut slashes, mut classes) = (start, 0, 0);
        while let Some(byte) = bytes.get(end) {
            let class = CLASSES[usize::from(*byte)];
            if class & BREAK > 0 {
                break;
            }
            slashes += usize::from(*byte == b'/');
            classes |= class;
            end += 1;
        }
        if slashes < 2 && classes & MAIL == 0 {
            match classes & WIDE {
                0 => ascii_words_of(&bytes[start..end], start, found),
                _ => words_of(&shown[start..end], start, found),
            }
        }
        start = end + 1;
    }
}

fn ascii_words_of(piece: &[u8], at: usize, found: &mut dyn FnMut(Range<usize>, bool)) {
    let class = |at: usize| piece.get(at).map_or(0, |byte| CLASSES[usize::from(*byte)]);
    let mut next = 0;
    while next < piece.len() {
        if class(next) & LETTER == 0 {
            next += 1;
            continue;
        }
        let start = next;
        let mut end = next;
        while class(next) & (LETTER | JOINT) > 0 {
            next += 1;
            if class(next - 1) & LETTER > 0 {
                end = next;
            }
        }
        found(at + start..at + end, false);
    }
}

/// The classes of a byte: letters and digits, what joins them to a word, what ends a piece, `@`, and parts of other
/// characters.
const LETTER: u8 = 1;
const JOINT: u8 = 2;
const BREAK: u8 = 4;
const MAIL: u8 = 8;
const WIDE: u8 = 16;

const CLASSES: [u8; 256] = {
    let mut classes = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        classes[byte] = match byte as u8 {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' => LETTER,
            b'-' | b'_' | b'\'' | b'.' => JOINT,
            b' ' | b'\n' | b'\t' | b'(' | b')' | b'[' | b']' | b'"' | b',' | b';' => BREAK,
            b'@' => MAIL,
            128.. => WIDE,
            _ => 0,
        };
        byte += 1;
    }
    classes
};

fn words_of(piece: &str, at: usize, found: &mut dyn FnMut(Range<usize>, bool)) {
    let script = |c: char| match c {
        c if is_katakana(c) => 2,
        '\u{3040}'..='\u{309f}' => 0,
        c if is_cjk(c) => 3,
        c if c.is_alphanumeric() || matches!(c, '-' | '_' | '\'' | '’' | '.') => 1,
        _ => 0,
    };
    let mut run: Option<(usize, usize, u8)> = None;
    for (index, c) in piece.char_indices().chain([(piece.len(), ' ')]) {
        let kind = script(c);
        match run {
            Some((begin, _, of)) if of == kind => run = Some((begin, index + c.len_utf8(), of)),
            _ => {
                if let Some((begin, end, of)) = run {
                    add_run(&piece[begin..end], at + begin, of, found);
                }
                run = (kind > 0).then_some((index, index + c.len_utf8(), kind));
            }
        }
    }
}

fn add_run(run: &str, at: usize, script: u8, found: &mut dyn FnMut(Range<usize>, bool)) {
    if script == 3 {
        for part in run.split(|c| CJK_STOP.contains(c)) {
            let at = at + (part.as_ptr() as usize - run.as_ptr() as usize);
            let offsets: Vec<usize> = part.char_indices().map(|(at, _)| at).chain([part.len()]).collect();
            match offsets.len() - 1 {
                0 | 1 => {}
                2..=4 => found(at..at + part.len(), false),
                _ => offsets.windows(3).for_each(|pair| found(at + pair[0]..at + pair[2], true)),
            }
        }
        return;
    }
    let is_joint = |c: char| matches!(c, '-' | '_' | '\'' | '’' | '.');
    let start = run.len() - run.trim_start_matches(is_joint).len();
    let end = run.trim_end_matches(is_joint).len();
    if start < end {
        found(at + start..at + end, false);
    }
}

fn is_katakana(c: char) -> bool {
    // Without the dots between words.
    matches!(c, '\u{30a1}'..='\u{30fa}' | '\u{30fc}'..='\u{30ff}')
}

/// Returns whether a word can be a term by its length alone, which spares most words the rest.
fn is_term_length(word: &str) -> bool {
    word.len() >= 3 && (word.len() <= LONGEST || !word.is_ascii() && word.len() <= 4 * LONGEST)
}

fn is_term(word: &str) -> bool {
    let is_ascii = word.is_ascii();
    let count = if is_ascii { word.len() } else { word.chars().take(LONGEST + 1).count() };
    if !is_ascii && word.chars().any(is_cjk) {
        return count >= 2 && !word.chars().any(|c| CJK_STOP.contains(c));
    }
    (3..=LONGEST).contains(&count) && !word.starts_with(|c: char| c.is_ascii_digit()) && !STOP_WORDS.contains(word)
}
