//! Sentences: where they end, and how a long one is shortened.

use super::cues::has_negation;
use super::reader::{InlineText, SpanKind};
use super::words::{count, is_cjk};
use std::ops::Range;

/// Abbreviations after which a full stop ends no sentence; in lower case, without the last full stop.
const ABBREVIATIONS: [&str; 35] = [
    "e.g", "i.e", "vs", "cf", "approx", "incl", "excl", "resp", "fig", "mr", "mrs", "dr", "z.b", "z. b", "d.h", "d. h",
    "bzw", "ca", "nr", "u.a", "u. a", "ggf", "evtl", "inkl", "vgl", "p. ex", "p.ex", "p. ej", "p.ej", "sr", "sra",
    "núm", "pág", "w.r.t", "abs",
];

/// The most letters directly before the full stop of an abbreviation.
const LONGEST_ABBREVIATION: usize = 6;

/// Splits the text of a block into sentences, without white space at their ends.
///
/// A sentence ends with `.`, `!` or `?` before a space and no small letter, at a line break in the source that Markdown
/// keeps, and with `。`, `！` or `？`. It never ends within code.
pub(super) fn sentences(text: &InlineText) -> Vec<Range<usize>> {
    let shown = text.shown.as_str();
    let mut codes =
        text.spans.iter().filter(|span| span.kind == SpanKind::Code).map(|span| span.shown.clone()).peekable();
    let mut found = Vec::new();
    let mut start = 0;
    let mut next = 0;
    while let Some(offset) = shown.as_bytes()[next..].iter().position(|byte| may_end(*byte)) {
        let at = next + offset;
        let Some(c) = shown[at..].chars().next() else { break };
        next = at + c.len_utf8();
        if !matches!(c, '.' | '!' | '?' | '\n' | '。' | '！' | '？' | '…') {
            continue;
        }
        while codes.next_if(|code| code.end <= at).is_some() {}
        if codes.peek().is_some_and(|code| code.contains(&at)) {
            continue;
        }
        let rest = shown[next..].trim_start_matches(is_closing);
        let end = shown.len() - rest.len();
        next = end;
        let is_end = match c {
            '。' | '！' | '？' => true,
            '\n' => !rest.trim_start().starts_with(char::is_lowercase),
            _ => {
                rest.is_empty()
                    || rest.starts_with(char::is_whitespace)
                        && begins_sentence(rest)
                        && !(c == '.' && is_abbreviation(&shown[start..at]))
            }
        };
        if is_end {
            add(shown, start..end, &mut found);
            start = end;
        }
    }
    add(shown, start..shown.len(), &mut found);
    found
}

/// Returns whether a byte may begin a character that ends a sentence.
fn may_end(byte: u8) -> bool {
    matches!(byte, b'.' | b'!' | b'?' | b'\n' | 0xe2 | 0xe3 | 0xef)
}

fn is_closing(c: char) -> bool {
    matches!(c, '.' | '!' | '?' | '"' | '”' | '’' | '\'' | ')' | ']' | '»' | '」' | '』' | '）' | '。' | '！' | '？')
}

fn begins_sentence(rest: &str) -> bool {
    !rest.trim_start().trim_start_matches(['"', '(', '\'', '“', '«']).starts_with(char::is_lowercase)
}

/// Returns whether a text ends with an abbreviation, an initial, or the number of a list.
fn is_abbreviation(text: &str) -> bool {
    let is_number = || text.trim_start().bytes().all(|b| b.is_ascii_digit());
    // Abbreviations are short.
    let bytes = text.as_bytes();
    let tail = &bytes[bytes.len().saturating_sub(LONGEST_ABBREVIATION + 1)..];
    if tail.len() > LONGEST_ABBREVIATION && tail.iter().all(u8::is_ascii_alphabetic) {
        return is_number();
    }
    let from = text.char_indices().rev().nth(12).map_or(0, |(at, _)| at);
    let tail = text[from..].to_lowercase();
    let word = tail.rsplit([' ', '(', '\n', ',']).next().unwrap_or_default();
    let is_initial = word.chars().count() == 1 && word.chars().all(char::is_alphabetic);
    is_initial
        || is_number()
        || ABBREVIATIONS
            .iter()
            .any(|known| tail.strip_suffix(known).is_some_and(|before| !before.ends_with(char::is_alphanumeric)))
}

fn add(shown: &str, range: Range<usize>, found: &mut Vec<Range<usize>>) {
    let text = &shown[range.clone()];
    let start = range.start + (text.len() - text.trim_start().len());
    let end = range.start + text.trim_end().len();
    if start < end {
        found.push(start..end);
    }
}

/// Returns where a sentence of more than `most` words can end early, as the length of what stays.
///
/// That is the last boundary between clauses within `most` words, outside code and brackets, after at least 5 words, with
/// no negation, condition or exception behind it. `None` if there is none.
pub(super) fn shortened(sentence: &str, most: usize) -> Option<usize> {
    let mut best = None;
    let first = sentence.split(|c: char| !c.is_alphanumeric()).find(|word| !word.is_empty()).unwrap_or_default();
    let mut subordinate = first.len() <= 12 && SUBORDINATING.contains(&first.to_lowercase().as_str());
    let (mut depth, mut in_code) = (0_u32, false);
    let (mut words, mut cjk, mut in_word) = (0, 0_usize, false);
    let mut previous = ' ';
    for (at, c) in sentence.char_indices() {
        let rest = &sentence[at..];
        let is_clause_end = match c {
            '、' | '，' | '；' => true,
            ',' | ';' => {
                rest[1..].starts_with(' ')
                    && !(previous.is_ascii_digit() && rest[1..].starts_with(|c: char| c.is_ascii_digit()))
            }
            '–' | '—' => previous == ' ',
            '-' => previous == ' ' && rest.starts_with("- "),
            '(' | '（' => true,
            ' ' => {
                CONNECTIVES.iter().any(|word| rest[1..].strip_prefix(word).is_some_and(|after| after.starts_with(' ')))
            }
            _ => false,
        };
        if is_clause_end && depth == 0 && !in_code {
            if subordinate && !starts_aside(c) {
                // `If …, then` needs the clause behind the first boundary.
                subordinate = false;
            } else if !subordinate && words + cjk / 2 >= 5 {
                best = Some(at);
            }
        }
        match c {
            '`' => in_code = !in_code,
            '(' | '[' | '（' | '「' => depth += 1,
            ')' | ']' | '）' | '」' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if is_cjk(c) {
            cjk += 1;
            in_word = false;
        } else if c.is_whitespace() {
            in_word = false;
        } else if c.is_alphanumeric() && !in_word {
            in_word = true;
            words += 1;
        }
        if words + cjk.div_ceil(2) > most {
            break;
        }
        previous = c;
    }
    let end = sentence[..best?].trim_end_matches([' ', ',', ';', '、', '，', '；', '-', '–', '—']).len();
    (!has_negation(&sentence[end..])).then_some(end)
}

fn starts_aside(c: char) -> bool {
    matches!(c, '(' | '（' | ' ')
}

/// Words that begin a sentence whose main clause comes after a comma.
const SUBORDINATING: [&str; 44] = [
    "if", "when", "since", "while", "because", "although", "though", "as", "after", "before", "for", "once", "until",
    "unless", "whenever", "given", "in", "to", "by", "with", "that", "where", "even", "wenn", "falls", "da", "weil",
    "bevor", "nachdem", "um", "si", "quand", "lorsque", "pour", "afin", "avant", "après", "cuando", "para", "antes",
    "después", "se", "quando", "depois",
];

/// Words that begin a clause which may be left out.
const CONNECTIVES: [&str; 22] = [
    "because",
    "which",
    "so that",
    "in order to",
    "such as",
    "for example",
    "where",
    "while",
    "weil",
    "damit",
    "sodass",
    "um",
    "car",
    "parce que",
    "afin de",
    "porque",
    "para que",
    "puesto que",
    "pois",
    "a fim de",
    "including",
    "since",
];

/// Returns the number of words of a text.
pub(super) fn words(text: &str) -> usize {
    count(text)
}
