//! Seed phrases in other layouts than one line: columns that are read down, numbered entries with labels of their own
//! (`Word 1: x`, `"w": "x"`), and the first four letters of each word, as on plates of metal.
//!
//! Each needs the checksum of a phrase, and its words in the order of their numbers or of their columns.

use super::detect::{Finding, RuleRef};
use super::heuristics::WordList;
use super::phrases::{LABEL, SeedWord, gap, gap_before, is_full, is_wallet, known, letters, run};
use super::seed_words::SeedWords;

/// Words that announce the entries of a phrase one by one: the first number, or a field of the first.
pub(super) const ENTRIES: &[&str] = &[
    "word 1",
    "word1",
    "word_1",
    "word-1",
    "word #1",
    "word 01",
    "word01",
    "word_01",
    "word0",
    "word_0",
    "word 0",
    "words[0]",
    "word[0]",
    "1st",
    "seed_1",
    "seed1",
    "phrase_1",
    "phrase1",
    "mnemonic_1",
    "mnemonic1",
    "\"w\":",
    "\"word\":",
    "w1=",
    "w1:",
    "word one",
];
/// Words that announce abbreviated words.
pub(super) const PLATES: &[&str] = &[
    "first four letter",
    "first 4 letter",
    "four letters",
    "4 letters",
    "steel plate",
    "metal plate",
    "metal backup",
    "steel backup",
    "steel wallet",
    "seed plate",
    "cryptosteel",
    "billfodl",
    "cryptotag",
    "stamped",
    "engraved",
    "punched",
];
/// The longest phrase.
const MOST: usize = 24;
/// The longest distance between the number of an entry and its word, and between two entries.
const MAX_LABEL: usize = 32;
const MAX_ENTRY: usize = 64;
/// How far abbreviated words may be from what announces them.
const MAX_LEAD: usize = 240;
/// Words of the list that label the others.
const NAMES: [&[u8]; 6] = [b"word", b"seed", b"phrase", b"key", b"index", b"order"];

/// Adds the phrases among neighbouring words whose order is not that of the text.
///
/// Returns whether the words are labels and entries by turns, which are no phrase in the order of the text.
pub(super) fn find(text: &[u8], words: &[SeedWord], findings: &mut Vec<Finding>) -> bool {
    if let Some(entries) = without_names(text, words) {
        let ordered = numbered(text, &entries).filter(|order| is_phrase_of(text, &entries, order));
        let all: Vec<usize> = (0..entries.len()).collect();
        if let Some(order) = ordered.or_else(|| is_phrase_of(text, &entries, &all).then_some(all)) {
            for place in order {
                findings.push(finding(entries[place].start, entries[place].end));
            }
        }
        return true;
    }
    if let Some(parts) = without_links(text, words) {
        // Words that stood beside each other go together.
        let beside = |word: &SeedWord, next: &SeedWord| {
            words
                .iter()
                .position(|other| other.start == word.start)
                .is_some_and(|at| words.get(at + 1).is_some_and(|other| other.start == next.start))
        };
        for part in parts.chunk_by(beside) {
            if let (Some(first), Some(last)) = (part.first(), part.last()) {
                findings.push(finding(first.start, last.end));
            }
        }
        return true;
    }
    if words.len() == 12 && add_parts(text, words.to_vec(), 12, findings).is_some() {
        return true;
    }
    let orders = [numbered(text, words), transposed(text, words)];
    for order in orders.into_iter().flatten().filter(|order| is_phrase_of(text, words, order)) {
        let places = order.iter().map(|place| &words[*place]);
        let start = places.clone().map(|word| word.start).min();
        let end = places.map(|word| word.end).max();
        if let (Some(start), Some(end)) = (start, end) {
            findings.push(finding(start, end));
        }
    }
    false
}

fn finding(start: usize, end: usize) -> Finding {
    Finding { start, end, rule: RuleRef::BuiltIn(LABEL) }
}

fn is_phrase_of(text: &[u8], words: &[SeedWord], order: &[usize]) -> bool {
    let ordered: Vec<SeedWord> = order.iter().map(|place| words[*place]).collect();
    is_wallet(text, &ordered)
}

/// Returns the words of a phrase between whose parts stand words such as `second half`.
fn without_links(text: &[u8], words: &[SeedWord]) -> Option<Vec<SeedWord>> {
    static LINKS: WordList = WordList::new("first second third half one two three next last part line row word");
    if words.len() > MOST + 6 {
        return None;
    }
    let is_link = |word: &&SeedWord| !LINKS.has(&text[word.start..word.end]);
    let kept: Vec<SeedWord> = words.iter().filter(is_link).copied().collect();
    (kept.len() < words.len() && !is_full(words.len()) && is_wallet(text, &kept)).then_some(kept)
}

/// Adds the phrase of which `part` is a part among others of the same length, with a few words between each two: the
/// messages of a chat, or `words 1-12:` and `words 13-24:`.
///
/// Returns the end of what was read.
pub(super) fn parts(text: &[u8], part: Vec<SeedWord>, done: usize, findings: &mut Vec<Finding>) -> Option<usize> {
    let length = part.len();
    // A message, or the rest of its line.
    let (first, last) = (part.first()?.start, part.last()?.end);
    let opens =
        text[..first].ends_with(b": ") || text[..first].ends_with(b"> ") || first == 0 || text[first - 1] == b'\n';
    let closes = text.get(last).is_none_or(|b| matches!(b, b'\n' | b',' | b';' | b'\r'));
    if !matches!(length, 3 | 4 | 6 | 8) || !opens && !closes {
        return None;
    }
    let mut words = part;
    while words.len() < MOST
        && let Some(before) = words.first().and_then(|word| part_before(text, word.start, done))
        && before.len() == length
    {
        words.splice(0..0, before);
    }
    add_parts(text, words, length, findings)
}

/// Adds the phrase that begins with `words` and goes on with parts of `length`.
pub(super) fn add_parts(
    text: &[u8],
    mut words: Vec<SeedWord>,
    length: usize,
    findings: &mut Vec<Finding>,
) -> Option<usize> {
    while words.len() < MOST
        && let Some(after) = words.last().and_then(|word| part_after(text, word.end))
        && after.len() == length
    {
        words.extend(after);
    }
    let most = (words.len() > length && is_wallet(text, &words)).then_some(words)?;
    for part in most.chunks(length) {
        if let [first, .., last] = part {
            findings.push(finding(first.start, last.end));
        }
    }
    most.last().map(|word| word.end)
}

/// Returns the words of the list that follow at most three other words after `end`.
fn part_after(text: &[u8], end: usize) -> Option<Vec<SeedWord>> {
    let mut at = end;
    for _ in 0..4 {
        let start = gap(text, at)?;
        if let Some(word) = letters(text, start, start).and_then(|(start, end)| known(text, start, end)) {
            return Some(run(text, word, start));
        }
        at = start + text[start..].iter().take(24).take_while(|b| b.is_ascii_alphabetic()).count();
    }
    None
}

/// Returns the words of the list before at most three other words before `start`.
fn part_before(text: &[u8], start: usize, done: usize) -> Option<Vec<SeedWord>> {
    let mut at = start;
    for _ in 0..4 {
        let end = gap_before(text, at, done)?;
        let last = end.checked_sub(1)?;
        if let Some(word) = letters(text, last, done).and_then(|(start, end)| known(text, start, end)) {
            return Some(run(text, word, done));
        }
        at = end - text[done.min(end)..end].iter().rev().take(24).take_while(|b| b.is_ascii_alphabetic()).count();
    }
    None
}

/// Whether a word labels what follows: a number, or a mark of assignment.
fn is_label(text: &[u8], start: usize, end: usize) -> bool {
    let rest = &text[end..text.len().min(end + 8)];
    let rest = rest.strip_prefix(b"\"").or_else(|| rest.strip_prefix(b"'")).unwrap_or(rest);
    let mark = rest.iter().find(|b| !matches!(b, b' ' | b'*' | b'`'));
    let attached = matches!(rest.first(), Some(b'_' | b'[' | b'0'..=b'9'));
    let named = NAMES.iter().any(|name| text[start..end].eq_ignore_ascii_case(name));
    attached
        || matches!(mark, Some(b':' | b'='))
        || named && matches!(mark, Some(b'#' | b'0'..=b'9' | b'_' | b'-' | b'|' | b'.'))
        || named
            && !matches!(rest.first(), Some(b'\n' | b',' | b'"' | b'\'' | b'\r') | None)
            && mark.is_some_and(u8::is_ascii_alphabetic)
}

/// Returns the words without those that label each other one; `None` if there are no such labels.
fn without_names(text: &[u8], words: &[SeedWord]) -> Option<Vec<SeedWord>> {
    if !(MOST..=4 * MOST).contains(&words.len()) {
        return None;
    }
    let is_name = |word: &&SeedWord| is_label(text, word.start, word.end);
    let names = words.iter().filter(is_name).count();
    (names * 5 >= words.len() * 2).then(|| words.iter().filter(|word| !is_name(word)).copied().collect())
}

/// Returns the places of the words numbered from one on, in the order of their numbers: as many as a phrase has.
fn numbered(text: &[u8], words: &[SeedWord]) -> Option<Vec<usize>> {
    let mut places = [usize::MAX; MOST + 1];
    let mut left = 0;
    for (place, word) in words.iter().enumerate() {
        let gap = &text[left.max(word.start.saturating_sub(MAX_LABEL))..word.start];
        left = word.end;
        if let Some(number) = last_number(gap).filter(|number| (1..=MOST).contains(number)) {
            let free = &mut places[number];
            if *free == usize::MAX {
                *free = place;
            }
        }
    }
    let count = places[1..].iter().take_while(|place| **place != usize::MAX).count();
    // In the order of the text the phrase is found anyway.
    let order = &places[1..=count];
    (count >= 12 && !order.is_sorted()).then(|| order.to_vec())
}

/// Returns the last number in a gap.
fn last_number(gap: &[u8]) -> Option<usize> {
    let end = gap.iter().rposition(u8::is_ascii_digit)? + 1;
    let length = gap[..end].iter().rev().take_while(|b| b.is_ascii_digit()).count();
    number(&gap[end - length..end])
}

fn number(digits: &[u8]) -> Option<usize> {
    std::str::from_utf8(digits).ok().filter(|digits| digits.len() <= 2)?.parse().ok()
}

/// Returns the places of words that stand in columns, column by column: each line has as many.
fn transposed(text: &[u8], words: &[SeedWord]) -> Option<Vec<usize>> {
    if words.len() > MOST {
        return None;
    }
    let gap = |pair: &[SeedWord]| &text[pair[0].end..pair[1].start];
    let ends = |pair: &[SeedWord]| gap(pair).contains(&b'\n');
    let columns = words.windows(2).position(ends)? + 1;
    let apart = |gap: &[u8]| gap.iter().any(|b| matches!(b, b'|' | b'\t')) || gap.windows(2).any(|two| two == b"  ");
    let aligned = words
        .windows(2)
        .enumerate()
        .all(|(place, pair)| ends(pair) == ((place + 1) % columns == 0) && (ends(pair) || apart(gap(pair))));
    if columns < 2 || !words.len().is_multiple_of(columns) || !aligned {
        return None;
    }
    let rows = words.len() / columns;
    Some((0..words.len()).map(|place| place % rows * columns + place / rows).collect())
}

/// Adds the words of the entries that begin at the keyword at `from`: each after its number, or after the name of its
/// field.
///
/// Returns the end of what was read.
pub(super) fn entries(text: &[u8], from: usize, findings: &mut Vec<Finding>) -> Option<usize> {
    let list = SeedWords::get();
    let mut found: Vec<SeedWord> = Vec::new();
    // An entry may be numbered before its field: `{"i": 1, "w": "x"}`. Others are labelled by what the first begins with.
    let mut at = from;
    let mut last = from;
    while at < text.len() && at - last <= MAX_ENTRY && found.len() <= MOST {
        let byte = text[at];
        if !byte.is_ascii_alphabetic() {
            at += 1;
            continue;
        }
        let length = text[at..].iter().take(16).take_while(|b| b.is_ascii_alphabetic()).count();
        let word = &text[at..at + length];
        if !is_label(text, at, at + length)
            && let Some(index) = list.index(word)
        {
            found.push(SeedWord { start: at, end: at + length, index });
            last = at + length;
        }
        at += length.max(1);
    }
    if found.len() >= 12 && is_wallet(text, &found[..found.len().min(MOST)]) {
        findings.extend(found.iter().take(MOST).map(|word| finding(word.start, word.end)));
    } else if let Some(length) =
        [21, 18, 15, 12].into_iter().find(|length| found.get(..*length).is_some_and(|all| is_wallet(text, all)))
    {
        findings.extend(found[..length].iter().map(|word| finding(word.start, word.end)));
    }
    found.last().map(|word| word.end)
}

/// Adds the abbreviated words that follow the keyword that ends at `from`.
pub(super) fn abbreviated(text: &[u8], from: usize, findings: &mut Vec<Finding>) {
    let list = SeedWords::get();
    let mut found: Vec<SeedWord> = Vec::new();
    let mut at = from;
    let limit = text.len().min(from + MAX_LEAD);
    let mut broken = None;
    while at < text.len() && (at < limit || !found.is_empty()) && found.len() <= MOST {
        if !text[at].is_ascii_alphabetic() {
            at += 1;
            continue;
        }
        let length = text[at..].iter().take(16).take_while(|b| b.is_ascii_alphabetic()).count();
        let near = found.last().is_none_or(|word: &SeedWord| at - word.end <= MAX_LABEL);
        match list.abbreviated(&text[at..at + length]).filter(|_| near) {
            Some(index) => found.push(SeedWord { start: at, end: at + length, index }),
            None if found.len() >= 12 => break,
            None => {
                found.clear();
                // A run that began at the last words of a sentence is not read twice.
                broken = Some(at);
            }
        }
        at += length;
        if broken.is_some_and(|at| at > limit) {
            return;
        }
    }
    let suffix = (0..found.len()).find_map(|skip| {
        [24, 21, 18, 15, 12].into_iter().find_map(|length| {
            let phrase = found.get(skip..skip + length)?;
            is_wallet(text, phrase).then_some((skip, length))
        })
    });
    if let Some((skip, length)) = suffix {
        findings.push(finding(found[skip].start, found[skip + length - 1].end));
    }
}

#[cfg(test)]
mod tests {
    use super::super::seed_words::is_phrase;
    use super::*;
    use crate::redact::canaries::scrub;

    /// Makes the words of a phrase with its checksum, so that none is written down.
    fn phrase(seed: usize) -> Vec<&'static str> {
        let list: Vec<&str> = include_str!("seed_words.txt").lines().collect();
        let mut words: Vec<&str> = (0..11).map(|at| list[(seed + at * 1_237) % list.len()]).collect();
        let last = list.iter().find(|last| {
            let all = words.iter().chain([*last]);
            is_phrase(&all.filter_map(|word| SeedWords::get().index(word.as_bytes())).collect::<Vec<u16>>())
        });
        words.extend(last);
        words
    }

    #[test]
    fn phrases_are_found_in_other_layouts() {
        for seed in [3, 501, 1_900] {
            let words = phrase(seed);
            let numbered = |form: &str| {
                let entry = |(at, word): (usize, &&str)| form.replace('#', &(at + 1).to_string()).replace('@', word);
                words.iter().enumerate().map(entry).collect::<String>()
            };
            let columns: String =
                (0..4).map(|row| format!("{}   {}   {}\n", words[row], words[row + 4], words[row + 8])).collect();
            let cells: String = (0..6)
                .map(|row| format!("| {} | {} | {} | {} |\n", row + 1, words[row], row + 7, words[row + 6]))
                .collect();
            let short: String = words.iter().map(|word| format!("{} ", &word[..word.len().min(4)])).collect();
            for text in [
                columns,
                cells,
                numbered("Word #: @\n"),
                numbered("SEED_WORD_#=@\n"),
                numbered("#st: @, "),
                numbered("{\"i\":#,\"w\":\"@\"},"),
                format!("Steel plate: {short}"),
                format!("The words are {} and {}.", words[..11].join(", "), words[11]),
                format!("max: {}\nmax: {}\n", words[..6].join(" "), words[6..].join(" ")),
            ] {
                let scrubbed = scrub(&text);
                let left = words.iter().filter(|word| scrubbed.contains(&word[..word.len().min(4)])).count();
                assert!(left <= 2, "{text}\n{scrubbed}");
            }
        }
    }

    #[test]
    fn lists_of_words_stay() {
        for text in [
            "1. apple\n2. banana\n3. about\n4. able\n5. action\n6. carbon\n7. dog\n8. cat\n9. frog\n10. egg\n11. zoo\n12. fox\n",
            "| 1 | able | 5 | bacon |\n| 2 | acid | 6 | cabin |\n| 3 | army | 7 | dad |\n| 4 | arrow | 8 | eager |\n",
            "word 1: able\nword 2: acid\n",
        ] {
            assert_eq!(scrub(text), text);
        }
    }
}
