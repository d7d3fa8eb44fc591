//! Words of a run, and which of them name an issue or an item.

use crate::markdown::GAP;
use crate::model::{ends_name, is_document_name, is_repo_name, is_typographic_hyphen, issue_url, latin_parts};

/// The certainty with which a word names an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum NameStrength {
    /// Words joined by hyphens: an id only directly after a relation was announced.
    Weak,
    /// The shape of an id with a number, which `UTF-8` and `localhost:8080` have too.
    Id,
    /// An issue reference, or a kind and a slug.
    Sure,
}

/// A word of a text.
#[derive(Debug, Clone, Copy)]
pub(super) struct Word<'a> {
    /// The byte at which it begins.
    pub(super) start: usize,
    /// The byte at which it ends.
    pub(super) end: usize,
    /// Without punctuation around it.
    pub(super) text: &'a str,
    /// The item that it may name, and how surely; for a URL the part up to the number.
    pub(super) target: Option<(&'a str, NameStrength)>,
    /// Whether it is a code span.
    pub(super) code: bool,
}

/// Splits a text into words.
pub(super) fn words(text: &str) -> Vec<Word<'_>> {
    let mut words = Vec::new();
    let mut start = 0;
    for piece in text.split_inclusive(divides) {
        let word = piece.trim_end_matches(divides);
        // `Parent:#12` is two words.
        match word.contains(':').then(|| word.find(":#")).flatten() {
            Some(colon) if !word.contains("//") => {
                add(&word[..colon], start, &mut words);
                add(&word[colon + 1..], start + colon + 1, &mut words);
            }
            _ => add(word, start, &mut words),
        }
        start += piece.len();
    }
    words
}

fn divides(c: char) -> bool {
    ends_name(c) || matches!(c, '{' | '}' | '<' | '>' | '&' | '…' | GAP) || is_typographic_hyphen(c)
}

fn add<'a>(word: &'a str, start: usize, words: &mut Vec<Word<'a>>) {
    let tail = word.trim_start_matches(is_edge);
    let text = bare(word);
    if text.is_empty() {
        return;
    }
    let start = start + (word.len() - tail.len());
    let found = target(text);
    if found.is_none() && latin_parts(text).any(|(_, part)| part.len() < text.len() && target(bare(part)).is_some()) {
        return latin_parts(text).for_each(|(at, part)| add(part, start + at, words));
    }
    words.push(Word { start, end: start + text.len(), text, target: found, code: false });
}

fn is_edge(c: char) -> bool {
    matches!(c, '.' | ':' | '!' | '?' | '*' | '_' | '~' | '/' | '-' | '=' | '+')
}

/// Returns a word without the punctuation at its ends.
pub(super) fn bare(word: &str) -> &str {
    word.trim_matches(is_edge)
}

/// Returns the item that a whole word may name.
fn target(word: &str) -> Option<(&str, NameStrength)> {
    // Every form has one of these; almost no word of prose does.
    if !word.contains(['#', ':', '-']) {
        return None;
    }
    let sure = |word| Some((word, NameStrength::Sure));
    if word.contains("://") {
        return issue_url(word).and_then(sure);
    }
    if let Some((before, digits)) = word.split_once('#') {
        if before.eq_ignore_ascii_case("GH") && is_digits(digits) {
            return word.get(2..).and_then(sure);
        }
        let number = is_digits(digits) && (before.is_empty() || is_repo_name(before));
        return if number { sure(word) } else { None };
    }
    if let Some(digits) = word.get(..3).filter(|gh| gh.eq_ignore_ascii_case("GH-")).and(word.get(3..))
        && is_digits(digits)
    {
        return sure(word);
    }
    let ids = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    if let Some((kind, slug)) = word.split_once(':') {
        let kinded = kind.len() >= 2
            && kind.chars().all(|c| c.is_ascii_alphabetic() || matches!(c, '_' | '-'))
            && slug.starts_with(|c: char| c.is_ascii_alphanumeric())
            && slug.chars().all(|c| ids(c) || c == '/');
        // `task:12` may be an id; `localhost:8080` looks the same, so it needs an item of that name.
        let named = slug.chars().any(|c| c.is_ascii_alphabetic());
        let strength = if named { NameStrength::Sure } else { NameStrength::Id };
        return kinded.then_some((word, strength));
    }
    let shaped = word.starts_with(|c: char| c.is_ascii_alphabetic())
        && word.contains('-')
        && word.chars().all(ids)
        && !is_file(word)
        && word.len() <= 100;
    let strength = if word.chars().any(|c| c.is_ascii_digit()) { NameStrength::Id } else { NameStrength::Weak };
    shaped.then_some((word, strength))
}

/// Returns whether a word is the name of a file rather than an id such as `BACK-4.10`.
fn is_file(word: &str) -> bool {
    let extension = word.rsplit_once('.').map_or("", |(_, extension)| extension);
    let code = [
        "json", "jsonl", "yml", "yaml", "toml", "rs", "go", "py", "js", "ts", "tsx", "sh", "lock", "html", "css", "db",
    ];
    is_document_name(word) || code.contains(&extension)
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.len() <= 18 && text.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(text: &str) -> Vec<(&str, NameStrength)> {
        words(text).into_iter().filter_map(|word| word.target).collect()
    }

    #[test]
    fn issues_and_items_are_distinguished_from_other_words() {
        use NameStrength::{Id, Sure, Weak};
        let text = "(#12), GH-7. o/r#3; GH#5 feat:x task:a-b EPIC:q task:12 bd-au0.10, TASK-4. cache-layer";
        assert_eq!(
            named(text),
            [
                ("#12", Sure),
                ("GH-7", Sure),
                ("o/r#3", Sure),
                ("#5", Sure),
                ("feat:x", Sure),
                ("task:a-b", Sure),
                ("EPIC:q", Sure),
                ("task:12", Id),
                ("bd-au0.10", Id),
                ("TASK-4", Id),
                ("cache-layer", Weak),
            ]
        );
    }

    #[test]
    fn urls_of_issues_end_at_their_number() {
        let url = "https://github.com/o/r/issues/12";
        for written in [url.to_owned(), format!("{url}#issuecomment-1"), format!("{url}."), format!("<{url}?x=1>")] {
            assert_eq!(named(&written), [(url, NameStrength::Sure)], "{written}");
        }
        assert!(issue_url("https://h.example/o/r/pull/3/files").is_some());
        assert!(named("https://github.com/o/r/issues https://x.org/a-1 https://g.com/o/r/issues/x").is_empty());
    }

    #[test]
    fn names_end_where_the_script_changes_or_punctuation_of_it_stands() {
        use NameStrength::{Id, Sure};
        assert_eq!(
            named("「#12」、#13を。見BACK-4とo/r#5，（GH-6）"),
            [("#12", Sure), ("#13", Sure), ("BACK-4", Id), ("o/r#5", Sure), ("GH-6", Sure)]
        );
        let url = "https://github.com/o/r/issues/12";
        assert_eq!(named(&format!("{url}を見る")), [(url, Sure)]);
    }

    #[test]
    fn other_words_name_nothing() {
        let text = "#x 12:30 http://x std::sync a#b a/b/c#3 #12a docs/a-1.md a-1.json plain";
        assert_eq!(named(text), []);
    }
}
