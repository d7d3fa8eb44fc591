//! Seed phrases: the words from which a wallet's keys are derived, after a label such as `mnemonic:`, and anywhere if they
//! have a checksum.

use super::detect::{Finding, RuleRef};
use super::heuristics::WordList;
use super::phrase_layouts;
use super::rules::FindingLabel;
use super::seed_words::{SeedWords, is_phrase};
use std::collections::BTreeSet;

static PHRASE: FindingLabel =
    FindingLabel { name: "seed-phrase", reason: "is a list of words from which a wallet's keys are made", rank: 1 };

/// The label of seed phrases.
pub(super) static LABEL: &FindingLabel = &PHRASE;

/// The labels before the words.
pub(super) const KEYWORDS: &[&str] = &[
    "mnemonic",
    "seed phrase",
    "seed_phrase",
    "seed-phrase",
    "seedphrase",
    "recovery phrase",
    "recovery_phrase",
    "secret phrase",
    "backup phrase",
    "seed words",
    "seed_words",
    "wallet seed",
    "wallet_seed",
    "助记词",
    "phrase de récupération",
    "frase semilla",
    "frase semente",
    "frase de recupera",
    "frase di recupero",
    "phrase mn\u{e9}monique",
    "wiederherstellungsphrase",
    "herstelzin",
    "\u{e5}terst\u{e4}llningsfras",
    "\u{c5}terst\u{e4}llningsfras",
    "fraza seed",
    "fraza odzyskiwania",
    "сид-фраз",
    "Сид-фраз",
    "сид фраз",
    "мнемони",
    "Мнемони",
    "фраза восстановления",
    "Фраза восстановления",
    "シードフレーズ",
    "リカバリーフレーズ",
    "ニーモニック",
    "恢复短语",
    "恢復短語",
    "助記詞",
];

/// Labels that say less: all words have to be those of the list.
pub(super) const WEAK_KEYWORDS: &[&str] = &[
    "the words i wrote",
    "these are the words",
    "my words",
    "wallet words",
    "12 words",
    "24 words",
    "twelve words",
    "recovery words",
    "backup words",
    "restore words",
    "12-word",
    "24-word",
    "12 mots",
    "24 mots",
    "12 palabras",
    "24 palabras",
    "12 palavras",
    "12 parole",
    "12 w\u{f6}rter",
    "24 w\u{f6}rter",
    "12 woorden",
    "12 s\u{142}\u{f3}w",
    "12 слов",
    "24 слова",
    "12个单词",
    "wiederherstellungsw",
];

/// Finds the words of the list after a weak label that ends at `from`, on its line or below it.
pub(super) fn listed_words(text: &[u8], from: usize) -> Option<(usize, usize)> {
    let window = &text[from..text.len().min(from + 120)];
    // Its last byte only where the mark has three.
    let marks =
        || JOINTS.iter().filter_map(|mark| Some(memchr::memmem::find(window, mark.as_bytes())? + mark.len() - 1));
    let colon = window.iter().position(|b| *b == b':').into_iter().chain(marks()).min()?;
    let start = gap(text, from + colon + 1)?;
    let words = run(text, letters(text, start, start).and_then(|(start, end)| known(text, start, end))?, start);
    let last = words.last()?.end;
    let line = text[last..].iter().find(|b| !matches!(b, b'.' | b'`' | b'"' | b'*' | b' ') && b.is_ascii());
    (is_full(words.len()) && line.is_none_or(|b| *b == b'\n')).then(|| (words[0].start, last))
}

/// Marks and words like a colon in scripts without blanks.
const JOINTS: [&str; 3] = ["：", "は「", "为「"];

/// Returns the end of the words at `from`, if all of a clause are words of the list and they are no sentence: a passphrase.
pub(super) fn words_end(text: &[u8], from: usize) -> Option<usize> {
    let window = &text[from..text.len().min(from + 80)];
    let end = window.iter().position(|b| !b.is_ascii_lowercase() && *b != b' ').unwrap_or(window.len());
    let clause = window[..end].trim_ascii_end();
    let closes = window.get(end).is_none_or(|b| matches!(b, b'.' | b'\n' | b',' | b'\r' | b';' | b')'));
    let words = clause.split(|b| *b == b' ');
    let count = words.clone().count();
    let frequent = words.clone().filter(|word| FREQUENT.has(word)).count();
    let known = |word: &[u8]| SeedWords::get().index(word).is_some();
    (closes && (4..=10).contains(&count) && frequent * 4 <= count && words.clone().all(known))
        .then_some(from + clause.len())
}

/// The largest distance of the separator from the keyword.
const MAX_DISTANCE: usize = 40;
/// Words that are in no list of seed words and in almost every sentence.
const PROSE: &[&[u8]] = &[
    b"the", b"and", b"for", b"with", b"from", b"are", b"was", b"not", b"has", b"its", b"which", b"they", b"were",
    b"been", b"would", b"their", b"these", b"those", b"words", b"you're", b"your",
];

/// The distance of the places at which a text is looked at: eleven words of a phrase with a blank between each two are
/// longer, but for one random phrase in 4,000, of which one in forty is missed.
pub(super) const STEP: usize = 56;
/// The most neighbouring words of which each phrase with a checksum is taken: the longest phrase, and as many words before
/// and after it as a sentence or a heading has.
const MAX_RUN: usize = 28;
/// Words of the list after which a phrase may begin: the name of what it is.
static LABELS: WordList = WordList::new("seed phrase word wallet secret key");
/// Words before the last word of an enumeration.
static LINKS: WordList = WordList::new("and und plus");
/// The longest gap between two words: a line end, a mark of a quote, a number, tags.
const MAX_GAP: usize = 48;
/// Words of the list that are frequent in sentences; a phrase has hardly any.
static FREQUENT: WordList = WordList::new(
    "code this that test type use name add example can version when file you will title license all any \
    error object fix key number more output list only true used process update have path web other build must now \
    option one index size copy section state table time task return run remove source release end message core also \
    check false public language same method make work input into there text current then such require before \
    address call account access under change length property about actual again air because between both could \
    first just like most next once order people some two very what where without",
);

/// A word of the list in a text.
#[derive(Clone, Copy)]
pub(super) struct SeedWord {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) index: u16,
}

/// Finds the phrases with a checksum among the words of the list around `at`; returns the end of these words, `None` if
/// there are none. Nothing before `done` is read.
pub(super) fn around(text: &[u8], at: usize, done: usize, findings: &mut Vec<Finding>) -> Option<usize> {
    let list = SeedWords::get();
    if !list.may_be_at(text, at) {
        return None;
    }
    let from = if text[at].is_ascii_alphabetic() { at } else { gap(text, at)? };
    if from > at && !list.may_be_at(text, from) {
        return None;
    }
    let (start, end) = letters(text, from, done)?;
    let first = known(text, start, end)?;
    // So close to its beginning no place is in the last word of a phrase.
    gap(text, end).and_then(|start| letters(text, start, start)).and_then(|(start, end)| known(text, start, end))?;
    let words = run(text, first, done);
    let mut right = words.last()?.end;
    if words.len() >= 12 {
        phrases_of(text, &words, findings);
    } else if let Some(end) = phrase_layouts::parts(text, words, done, findings) {
        right = end;
    }
    Some(right)
}

/// Returns the word of the list between two offsets.
pub(super) fn known(text: &[u8], start: usize, end: usize) -> Option<SeedWord> {
    Some(SeedWord { start, end, index: SeedWords::get().index(&text[start..end])? })
}

/// Returns the words of the list around one of them.
pub(super) fn run(text: &[u8], first: SeedWord, done: usize) -> Vec<SeedWord> {
    let mut words = Vec::new();
    let mut left = first.start;
    while let Some(word) = gap_before(text, left, done)
        .and_then(|end| letters(text, end.checked_sub(1)?, done))
        .and_then(|(start, end)| known(text, start, end))
    {
        left = word.start;
        words.push(word);
    }
    words.reverse();
    let mut right = first.end;
    words.push(first);
    loop {
        let mut next = gap(text, right).and_then(|start| letters(text, start, start));
        // `…, k and l`: only before the word that may be the last.
        if let Some((start, end)) = next
            && is_full(words.len() + 1)
            && LINKS.has(&text[start..end])
        {
            next = gap(text, end).and_then(|start| letters(text, start, start));
        }
        let Some(word) = next.and_then(|(start, end)| known(text, start, end)) else { break };
        right = word.end;
        words.push(word);
    }
    words
}

/// Adds the phrases among neighbouring words.
///
/// Where only few words stand together, as a phrase with words of the sentence around it, all that have a checksum are
/// taken: so an accidental one, of which there is one in sixteen, hides no other. In lists of words they would be many, so
/// there only those count that something else than what is between their own words sets apart.
fn phrases_of(text: &[u8], words: &[SeedWord], findings: &mut Vec<Finding>) {
    if phrase_layouts::find(text, words, findings) {
        return;
    }
    if words.len() <= MAX_RUN {
        let lengths = || (12..=24).step_by(3);
        let all = (0..words.len()).flat_map(|from| lengths().filter_map(move |length| words.get(from..from + length)));
        for phrase in all.filter(|phrase| is_wallet(text, phrase)) {
            let (start, end) = (phrase[0].start, phrase[phrase.len() - 1].end);
            findings.push(Finding { start, end, rule: RuleRef::BuiltIn(LABEL) });
        }
        return;
    }
    let mut from = 0;
    while from + 12 <= words.len() {
        let length = [words.len() - from, 24, 21, 18, 15, 12].into_iter().find(|length| {
            words.get(from..from + length).is_some_and(|phrase| {
                let inside = between(text, &phrase[0], &phrase[1]);
                let bounds = |word: &SeedWord, next: &SeedWord| !between(text, word, next).eq(inside.clone());
                let opens = from == 0
                    || bounds(&words[from - 1], &words[from])
                    || LABELS.has(&text[words[from - 1].start..words[from - 1].end]);
                let closes = words.get(from + length).is_none_or(|next| bounds(&phrase[length - 1], next));
                opens && closes && is_wallet(text, phrase)
            })
        });
        if let Some(length) = length {
            let (start, end) = (words[from].start, words[from + length - 1].end);
            findings.push(Finding { start, end, rule: RuleRef::BuiltIn(LABEL) });
            from += length;
        } else {
            from += 1;
        }
    }
}

/// Whether words are a phrase that a wallet made: the checksum fits, and they are neither a sentence, nor a sorted list,
/// nor one of the repetitive examples of documents.
pub(super) fn is_wallet(text: &[u8], phrase: &[SeedWord]) -> bool {
    // Before anything that reads all words, so that the time stays linear.
    if !is_full(phrase.len()) {
        return false;
    }
    let indices: Vec<u16> = phrase.iter().map(|word| word.index).collect();
    let distinct: BTreeSet<u16> = indices.iter().copied().collect();
    let frequent = || phrase.iter().filter(|word| FREQUENT.has(&text[word.start..word.end])).count();
    distinct.len() * 6 >= indices.len() * 5
        && !indices.is_sorted()
        && is_phrase(&indices)
        && frequent() * 4 <= indices.len()
}

/// Returns what is between two words, without digits: they number the entries of a list.
fn between<'t>(text: &'t [u8], word: &SeedWord, next: &SeedWord) -> impl Iterator<Item = &'t u8> + Clone {
    text[word.end..next.start].iter().filter(|byte| !byte.is_ascii_digit())
}

/// Returns the letters around `at`, without the letter of an escape such as `\n` before them; `None` if there are too many.
pub(super) fn letters(text: &[u8], at: usize, done: usize) -> Option<(usize, usize)> {
    let low = done.max(at.saturating_sub(10));
    let (mut start, mut end) = (at, at);
    while start > low && text[start - 1].is_ascii_alphabetic() {
        start -= 1;
    }
    while end < text.len() && end - start < 12 && text[end].is_ascii_alphabetic() {
        end += 1;
    }
    let escaped = start > low && text[start - 1] == b'\\' && matches!(text[start], b'n' | b'r' | b't');
    start += usize::from(escaped && start < at);
    SeedWords::LENGTHS.contains(&(end - start)).then_some((start, end))
}

/// Returns the offset of the next letter at or after `at`; `None` if there is none soon.
pub(super) fn gap(text: &[u8], mut at: usize) -> Option<usize> {
    let limit = text.len().min(at + MAX_GAP);
    while at < limit {
        at += match &text[at..] {
            [b'\\', b'n' | b'r' | b't', ..] => 2,
            // The box of a task.
            [b'[', b'x' | b'X', b']', ..] => 3,
            [b'<', rest @ ..] => 1 + rest.iter().take(12).position(|b| *b == b'>').map_or(0, |end| end + 1),
            [byte, ..] if !byte.is_ascii_alphabetic() => 1,
            _ => return Some(at),
        };
    }
    None
}

/// Returns the end of the word before `at`; `None` if there is none soon.
pub(super) fn gap_before(text: &[u8], mut at: usize, done: usize) -> Option<usize> {
    let limit = done.max(at.saturating_sub(MAX_GAP));
    while at > limit {
        at -= match &text[limit..at] {
            [.., b'\\', b'n' | b'r' | b't'] => 2,
            [.., b'[', b'x' | b'X', b']'] => 3,
            [rest @ .., b'>'] => 1 + rest.iter().rev().take(12).position(|b| *b == b'<').map_or(0, |start| start + 1),
            [.., byte] if !byte.is_ascii_alphabetic() => 1,
            _ => return Some(at),
        };
    }
    None
}

/// Finds the words after the keyword that ends at `from`: exactly 12, 15, 18, 21 or 24 of them.
pub(super) fn words(text: &[u8], from: usize) -> Option<(usize, usize)> {
    let window = &text[from..text.len().min(from + MAX_DISTANCE)];
    let line = window.iter().position(|b| *b == b'\n').unwrap_or(window.len());
    // `--mnemonic "…"`
    let option = matches!(window, [b' ', b'"' | b'\'', ..]).then_some(0);
    let separator = option
        .or_else(|| window[..line].iter().position(|b| matches!(b, b':' | b'=' | b'|' | b'>' | b',' | b'`')))
        .or_else(|| window[..line].windows(4).position(|part| part == b" is ").map(|at| at + 3))?;
    let mut at = from + separator + 1;
    at += text[at..].iter().take(32).take_while(|b| !b.is_ascii_lowercase()).count();
    let start = at;
    let mut found: Vec<&[u8]> = Vec::new();
    let mut end = start;
    let mut by_line = None;
    loop {
        let length = text[at..].iter().take(9).take_while(|b| b.is_ascii_lowercase()).count();
        let next = text.get(at + length);
        let whole = !next.is_some_and(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'(' | b'=' | b':'));
        let word = &text[at..at + length];
        if !(3..=8).contains(&length) || !whole || PROSE.contains(&word) || found.len() > 24 {
            break;
        }
        found.push(word);
        end = at + length;
        at = end + text[end..].iter().take(24).take_while(|b| is_between(**b)).count();
        let breaks = text[end..at].contains(&b'\n');
        let each = *by_line.get_or_insert(breaks);
        // A full list at the end of a line is complete, whatever the next line is.
        if at == end || (breaks && !each && is_full(found.len())) {
            at = end;
            break;
        }
    }
    // With one more word it would be a sentence that begins like a list.
    let goes_on = at > end && text[at..].first().is_some_and(u8::is_ascii_lowercase) && text[end] == b' ';
    let mut distinct = found.clone();
    distinct.sort_unstable();
    distinct.dedup();
    (is_full(found.len()) && !goes_on && distinct.len() >= 5).then_some((start, end))
}

pub(super) fn is_full(count: usize) -> bool {
    matches!(count, 12 | 15 | 18 | 21 | 24)
}

/// Whether `byte` may separate two words of a list: blanks, numbers, quotes.
fn is_between(byte: u8) -> bool {
    byte.is_ascii_whitespace()
        || byte.is_ascii_digit()
        || matches!(byte, b',' | b'"' | b'\'' | b'.' | b')' | b'-' | b'|' | b'>')
}

#[cfg(test)]
mod tests {
    use super::*;

    const TWELVE: &str = "ripple lantern obtain velvet thunder cactus meadow orphan puzzle skate vanish yellow";

    fn found(text: &str) -> Option<&str> {
        let lower = text.to_ascii_lowercase();
        let hit = KEYWORDS.iter().find_map(|word| lower.find(word).map(|at| at + word.len()))?;
        words(text.as_bytes(), hit).map(|(start, end)| &text[start..end])
    }

    #[test]
    fn words_are_found_after_a_label() {
        for (open, close) in [
            ("MNEMONIC=\"", "\""),
            ("mnemonic: ", "\nmore: text"),
            ("The seed phrase is `", "`."),
            ("Seed phrase (12 words): ", ""),
            ("| recovery phrase | ", " |"),
            ("seed_phrase = '", "'"),
            ("tool restore --mnemonic \"", "\"\n\nIt printed them."),
            ("**Secret Recovery Phrase:** ", "\n\nKeep it."),
        ] {
            assert_eq!(found(&format!("{open}{TWELVE}{close}")), Some(TWELVE), "{open}");
        }
        let listed = TWELVE.split(' ').collect::<Vec<_>>().join("\", \"");
        assert_eq!(found(&format!("mnemonic: [\"{listed}\"]")), Some(listed.as_str()));
        let doubled = format!("{TWELVE} {TWELVE}");
        assert_eq!(found(&format!("mnemonic: {doubled}")), Some(doubled.as_str()));
    }

    #[test]
    fn words_are_found_after_labels_in_other_languages_and_below_them() {
        for template in [
            "сид-фраза кошелька лежит открытым текстом:\n\n«@»\n",
            "リカバリーフレーズは「@」\n",
            "恢复短语：@",
            "Die Wiederherstellungsphrase lautet:\n\n„@“\n",
            "frase di recupero: @\n",
        ] {
            let scrubbed = crate::redact::canaries::scrub(
                &template.replace(
                    '@',
                    &TWELVE
                        .replace("lantern", "able")
                        .replace("cactus", "frog")
                        .replace("meadow", "zebra")
                        .replace("orphan", "slim")
                        .replace("vanish", "wing")
                        .replace("ripple", "aunt")
                        .replace("thunder", "journey")
                        .replace("velvet", "stock"),
                ),
            );
            assert!(scrubbed.contains("[REDACTED:seed-phrase]"), "{scrubbed}");
        }
    }

    /// Makes a phrase of twelve words with its checksum, so that none is written down.
    fn phrase(seed: usize) -> String {
        let list: Vec<&str> = include_str!("seed_words.txt").lines().collect();
        let mut words: Vec<&str> = (0..11).map(|at| list[(seed + at * 1_237) % list.len()]).collect();
        let indices =
            |words: &[&str]| words.iter().filter_map(|word| SeedWords::get().index(word.as_bytes())).collect();
        let last = list.iter().find(|last| {
            let all: Vec<u16> = indices(&[&words[..], &[**last]].concat());
            !words.contains(last) && is_phrase(&all)
        });
        words.extend(last);
        words.join(" ")
    }

    /// What `around` finds in a text, piece by piece.
    fn unlabelled(text: &str) -> Vec<&str> {
        let (mut findings, mut done) = (Vec::new(), 0);
        for at in (0..text.len()).step_by(STEP) {
            if at >= done {
                done = around(text.as_bytes(), at, done, &mut findings).unwrap_or(done);
            }
        }
        findings.iter().map(|finding| &text[finding.start..finding.end]).collect()
    }

    #[test]
    fn words_of_the_list_around_a_phrase_do_not_hide_it() {
        for seed in [3, 500, 1_900] {
            let phrase = phrase(seed);
            for (open, close) in
                [("I use ", " daily"), ("", " when it"), ("wallet restore ", " now"), ("| word |\n", "")]
            {
                let text = format!("{open}{phrase}{close}");
                assert!(unlabelled(&text).contains(&phrase.as_str()), "{text}");
            }
        }
        let list: Vec<&str> = include_str!("seed_words.txt").lines().collect();
        let shuffled: Vec<&str> = (0..400).map(|at| list[at * 1_237 % list.len()]).collect();
        assert_eq!(unlabelled(&format!("[\"{}\"]", shuffled.join("\", \""))), Vec::<&str>::new());
    }

    #[test]
    fn prose_and_documented_examples_stay() {
        for text in [
            "mnemonic: test test test test test test test test test test test junk".to_owned(),
            "Your seed phrase: keep these words secret and never share them with anyone else at all".to_owned(),
            "The mnemonic, when entered, derives keys using several rounds while every client stores nothing more"
                .to_owned(),
            format!("mnemonic: {TWELVE} extra"),
            format!("a phrase of words: {TWELVE}"),
        ] {
            assert_eq!(found(&text), None, "{text}");
        }
    }
}
