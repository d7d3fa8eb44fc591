//! Seed phrases: the words from which a wallet's keys are derived, after a label such as `mnemonic:`.

use super::rules::FindingLabel;

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
];

/// The largest distance of the separator from the keyword.
const MAX_DISTANCE: usize = 40;
/// Words that are in no list of seed words and in almost every sentence.
const PROSE: &[&[u8]] = &[
    b"the", b"and", b"for", b"with", b"from", b"are", b"was", b"not", b"has", b"its", b"which", b"they", b"were",
    b"been", b"would", b"their", b"these", b"those", b"words", b"you're", b"your",
];

/// Finds the words after the keyword that ends at `from`: exactly 12, 15, 18, 21 or 24 of them.
pub(super) fn words(text: &[u8], from: usize) -> Option<(usize, usize)> {
    let window = &text[from..text.len().min(from + MAX_DISTANCE)];
    let line = window.iter().position(|b| *b == b'\n').unwrap_or(window.len());
    let separator = window[..line]
        .iter()
        .position(|b| matches!(b, b':' | b'=' | b'|' | b'>' | b',' | b'`'))
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

fn is_full(count: usize) -> bool {
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
