//! Statistics of letter pairs: whether letters read like words.

/// For each letter those that follow it in words of English and in names: together they make up
/// 96 in 100 of all pairs there, but two in five of random ones.
const FOLLOWERS: [&str; 26] = [
    "bcdfgiklmnprstuvwy",
    "abceilorsu",
    "acehiklorstuy",
    "acdefilorsu",
    "abcdefgilmnopqrstvwxy",
    "aefilortu",
    "aeghilnorsu",
    "aeiortu",
    "abcdefglmnoprstvxz",
    "eu",
    "eis",
    "adeilostuvy",
    "abeimopsu",
    "acdefgiklnostuv",
    "abcdfgiklmnoprstuvw",
    "aehiloprstu",
    "u",
    "acdefgiklmnoprstuvy",
    "acehiklmopstuy",
    "acehilorstuy",
    "abcdegilmnprst",
    "aeio",
    "aehinors",
    "ceipt",
    "imnps",
    "ae",
];

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_names_differ_from_random_letters() {
        for word in
            ["authentication", "kubernetes", "getAccessToken", "passwordless", "encryption", "userId", "middleware"]
        {
            assert!(!are_random(word.as_bytes()), "{word}");
        }
        for letters in ["bhlysbtgortxwovy", "ZotTZsZvKu", "xkqzwvjp", "GdmVSjnlQGs"] {
            assert!(are_random(letters.as_bytes()), "{letters}");
        }
    }
}
