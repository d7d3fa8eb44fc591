//! Phrases of words that open a wallet (BIP-39), behind a label that says so.

use super::rules::{self, FindingLabel};

/// The label of such phrases.
pub(super) static LABEL: FindingLabel =
    FindingLabel { name: "seed-phrase", reason: "is the row of words that opens a wallet", rank: 2 };

/// The labels of phrases.
pub(super) const KEYWORDS: &[&str] = &[
    "seed phrase",
    "seed_phrase",
    "seedphrase",
    "recovery phrase",
    "recovery_phrase",
    "mnemonic",
    "seed words",
    "secret phrase",
    "secret recovery phrase",
    "wallet words",
    "recovery words",
    "backup phrase",
];

/// The numbers of words in a phrase.
const WORDS: [usize; 5] = [24, 21, 18, 15, 12];
/// The most bytes between the label and the phrase, and of the phrase.
const MAX_LEAD: usize = 48;
const MAX_PHRASE: usize = 400;

/// Finds the twelve words or more after the label that ends at `end`, in a row or numbered.
pub(super) fn words(text: &[u8], end: usize) -> Option<(usize, usize)> {
    let window = &text[end..text.len().min(end + MAX_LEAD)];
    let lead = window.iter().position(|b| matches!(b, b':' | b'=' | b'"' | b'`'))?;
    let window = &text[end + lead..text.len().min(end + lead + MAX_PHRASE)];
    let (mut first, mut ends_of_words, mut at) = (None, Vec::new(), 0);
    while at < window.len() && ends_of_words.len() < WORDS[0] {
        // Numbers of a list, line ends and marks between the words.
        let gap = window[at..]
            .iter()
            .take_while(|b| b.is_ascii_digit() || b.is_ascii_whitespace() || b",.:;=\"'`)>|[*-".contains(b))
            .count();
        let length = window[at + gap..].iter().take_while(|b| b.is_ascii_lowercase()).count();
        let word = &window[at + gap..at + gap + length];
        // From 0xe2 on begin marks and the scripts that touch a word without a blank.
        let ends =
            window.get(at + gap + length).is_none_or(|b| !b.is_ascii_alphanumeric() && !(0x80..0xe2).contains(b));
        if gap > 16 || !(3..=8).contains(&length) || !ends || rules::VALUES_WORDS.has(word) && NO_WORDS.contains(&word)
        {
            break;
        }
        first = first.or(Some(at + gap));
        at += gap + length;
        ends_of_words.push(at);
    }
    // Words of the next line may follow.
    let count = WORDS.iter().find(|count| **count <= ends_of_words.len())?;
    Some((end + lead + first?, end + lead + ends_of_words[count - 1]))
}

/// Words of sentences that are not on the list of BIP-39.
const NO_WORDS: [&[u8]; 24] = [
    b"the", b"and", b"are", b"was", b"not", b"but", b"has", b"have", b"from", b"your", b"with", b"will", b"they",
    b"its", b"been", b"were", b"which", b"when", b"must", b"may", b"for", b"should", b"would", b"could",
];
