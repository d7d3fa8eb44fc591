//! Statistics of characters: whether letters read like words, whether a value is random.

use crate::model::log2;

/// For each letter those that follow it in words of English and in names: together they make up
/// 96 in 100 of all pairs there, but two in five of random ones.
#[rustfmt::skip]
const FOLLOWERS: [&str; 26] = [
    "bcdfgiklmnprstuvwy", "abceilorsu", "acehiklorstuy", "acdefilorsu", "abcdefgilmnopqrstvwxy", "aefilortu",
    "aeghilnorsu", "aeiortu", "abcdefglmnoprstvxz", "eu", "eis", "adeilostuvy", "abeimopsu", "acdefgiklnostuv",
    "abcdfgiklmnoprstuvw", "aehiloprstu", "u", "acdefgiklmnoprstuvy", "acehiklmopstuy", "acehilorstuy",
    "abcdegilmnprst", "aeio", "aehinors", "ceipt", "imnps", "ae",
];
/// The longest word of a name with digits in it.
const MAX_WORD_WITH_DIGITS: usize = 14;

/// Whether at least a third of the letter pairs are rare in words. That holds for one word in a hundred, and for 86 of
/// 100 random runs of eight letters.
pub(super) fn are_random(letters: &[u8]) -> bool {
    let (odd, all) = odd_pairs(letters);
    all >= 4 && odd * 3 >= all
}

/// Counts the pairs of neighbouring letters that are rare in words, and all pairs. A capital after a small letter
/// begins a new word.
pub(super) fn odd_pairs(text: &[u8]) -> (usize, usize) {
    let hump = |pair: &&[u8]| !(pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase());
    let pairs = text.windows(2).filter(|pair| pair.iter().all(u8::is_ascii_alphabetic)).filter(hump);
    pairs.fold((0, 0), |(odd, all), pair| {
        let first = usize::from(pair[0].to_ascii_lowercase() - b'a');
        let common = FOLLOWERS[first].as_bytes().contains(&pair[1].to_ascii_lowercase());
        (odd + usize::from(!common), all + 1)
    })
}

/// Words with digits inside.
const WORDS_WITH_DIGITS: [&[u8]; 8] = [b"k8s", b"i18n", b"l10n", b"s3", b"x509", b"p12", b"b2c", b"r2"];

/// Whether `value` is made of words and short numbers, as names, slugs and versions are: `gpt-4o-mini`, `Step2`.
pub(super) fn is_name(value: &[u8]) -> bool {
    let (mut words, mut humps, mut letters, mut numbered, mut start) = (0, 0, 0, 0, 0);
    for at in 0..=value.len() {
        let ends = value.get(at).is_none_or(|b| !b.is_ascii_alphanumeric());
        let hump = !ends && at > start && value[at - 1].is_ascii_lowercase() && value[at].is_ascii_uppercase();
        if !ends && !hump {
            continue;
        }
        let word = &value[start..at];
        if !is_word(word) {
            return false;
        }
        let has_letters = word.iter().any(u8::is_ascii_alphabetic);
        words += usize::from(has_letters);
        numbered += usize::from(has_letters && word.iter().any(u8::is_ascii_digit));
        letters += word.iter().filter(|b| b.is_ascii_alphabetic()).count();
        humps += usize::from(hump);
        start = if hump { at } else { at + 1 };
    }
    // The case of a random token changes more often than that of words.
    (humps == 0 || letters >= 3 * words) && numbered <= 1 + words / 3 && !are_random(value)
}

/// Whether `part` is letters, a short number, or letters with a number.
fn is_word(part: &[u8]) -> bool {
    let digits = part.iter().filter(|b| b.is_ascii_digit()).count();
    let letters = part.len() - digits;
    let at_end = || part.iter().rev().take_while(|b| b.is_ascii_digit()).count() == digits;
    digits == 0
        || letters == 0 && digits <= 8
        || WORDS_WITH_DIGITS.iter().any(|word| part.eq_ignore_ascii_case(word))
        || part.len() <= MAX_WORD_WITH_DIGITS
            && (digits <= 2 && (part[0].is_ascii_digit() || at_end() || letters >= 2 * digits + 2)
                || digits <= 4 && letters >= 3 && at_end())
}

/// Returns the entropy of a value, in bits for each byte.
pub(super) fn entropy(value: &[u8]) -> f64 {
    let counts = counts(value);
    #[expect(clippy::cast_precision_loss, reason = "values are short")]
    let length = value.len() as f64;
    counts.iter().filter(|count| **count > 0).map(|count| f64::from(*count) / length).map(|p| -p * log2(p)).sum()
}

/// Returns the number of different bytes.
pub(super) fn distinct(value: &[u8]) -> usize {
    counts(value).iter().filter(|count| **count > 0).count()
}

fn counts(value: &[u8]) -> [u32; 256] {
    let mut counts = [0; 256];
    value.iter().for_each(|byte| counts[usize::from(*byte)] += 1);
    counts
}

/// Whether `value` repeats one character or counts on: `aaaa`, `1234567890`, or long with few different characters.
pub(super) fn is_repetitive(value: &[u8]) -> bool {
    let steps = |by: u8| value.windows(2).all(|pair| pair[1] == pair[0].wrapping_add(by) || pair == b"90");
    steps(0) || steps(1) || value.len() >= 16 && entropy(value) < 1.5
}
