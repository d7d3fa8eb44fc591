//! What a misspelt name was probably meant to be.

/// Returns the name among `known` that `word` was probably meant to be.
pub fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    nearest_within(word, known, |name| (name.len() / 3).max(1))
}

/// Returns the name among `known` that differs from `word` in the fewest letters, at most in `most` of the name. Case, hyphens
/// and spaces count for nothing.
pub fn nearest_within<'a>(
    word: &str,
    known: impl IntoIterator<Item = &'a str>,
    most: impl Fn(&str) -> usize,
) -> Option<&'a str> {
    // A long word is near to no name, and measuring it would be slow.
    if word.len() > 64 {
        return None;
    }
    let normalized = |text: &str| text.to_lowercase().replace(['-', ' '], "_");
    let word = normalized(word);
    let length = word.chars().count();
    known
        .into_iter()
        // A word of another length is at least as far as that.
        .filter(|name| length.abs_diff(name.chars().count()) <= most(name))
        .map(|name| (strsim::damerau_levenshtein(&word, &normalized(name)), name))
        .filter(|(distance, name)| *distance <= most(name))
        .min()
        .map(|(_, name)| name)
}
