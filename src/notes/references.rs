//! What a sentence leaves to the text above it: words that mean something said before, and a subject that only the heading
//! names.

use super::sections::Section;
use super::statements::{begins_with_anaphor, is_imperative, unlabelled};
use super::words::{Token, WordSet, lower, tokens, word_set};
use std::sync::LazyLock;

/// How much of a sentence is looked at, in bytes.
const BEGINNING: usize = 240;
/// A clause before with at least this many words may name what a later one refers to.
const OWN_CLAUSE: usize = 4;

/// What `this` means without a sentence before: the document itself and what it is about.
static ITSELF: LazyLock<WordSet> = LazyLock::new(|| word_set(super::sections::FILE, "itself"));

/// Words of titles that do not narrow what the rules below them are about.
static GENERAL: LazyLock<WordSet> = LazyLock::new(|| word_set(super::sections::FILE, "general"));

/// Words before a pronoun that name nothing it could mean.
const JOINING: [&str; 18] = [
    "after", "also", "and", "as", "because", "before", "but", "however", "if", "note", "once", "please", "since", "so",
    "unless", "until", "when", "while",
];

/// Words behind `it is` that make it mean nothing: `If it is possible, …`.
const EXPLETIVE: [&str; 12] = [
    "advisable",
    "appropriate",
    "better",
    "best",
    "clear",
    "important",
    "likely",
    "necessary",
    "possible",
    "recommended",
    "required",
    "unclear",
];

/// Words before and behind `that` where it means something said before: `If that fails`, `for that`.
const BEFORE_THAT: [&str; 12] =
    ["after", "at", "before", "by", "do", "doing", "for", "from", "if", "in", "once", "when"];
const AFTER_THAT: [&str; 18] = [
    "case", "does", "doesn't", "end", "fails", "happens", "has", "is", "isn't", "passes", "point", "reason", "should",
    "succeeds", "time", "way", "will", "works",
];

/// Returns whether a sentence means something by `this`, `these tools`, `it` or `doing so` that it does not name itself.
pub(super) fn refers_back(sentence: &str) -> bool {
    // `Do this:` means what follows.
    if sentence.ends_with([':', '：']) {
        return false;
    }
    let text = lower(&sentence[..sentence.floor_char_boundary(BEGINNING)]);
    let tokens = tokens(&text);
    for (at, token) in tokens.iter().enumerate() {
        if token.begins_clause && at >= OWN_CLAUSE {
            break;
        }
        if means_back(&tokens, at) {
            return true;
        }
    }
    false
}

fn means_back(tokens: &[Token<'_>], at: usize) -> bool {
    let text = |at: usize| tokens.get(at).map_or("", |token| token.text);
    let before = at.checked_sub(1).map_or("", text);
    let next = text(at + 1);
    let ends = tokens.get(at + 1).is_none_or(|token| token.begins_clause);
    // `the lock, unless this lock is held`
    let is_known = |noun: &str| noun.len() > 3 && tokens[..at].iter().any(|token| is_same_word(token.text, noun));
    match text(at) {
        "these" => !ITSELF.contains(next) && !is_known(next) && before != "like",
        "those" => {
            !matches!(next, "who" | "which" | "that" | "with" | "without" | "of" | "in" | "on" | "from" | "for")
                && !is_known(next)
                && !matches!(before, "and" | "or" | "than" | "especially" | "like")
        }
        "this" => {
            let is_own = ITSELF.contains(next) || ITSELF.contains(text(at + 2)) && !ends;
            !is_own && !is_known(next) && !matches!(before, "like" | "e.g" | "as")
        }
        "that" => BEFORE_THAT.contains(&before) && (ends || AFTER_THAT.contains(&next)),
        "it" | "they" | "them" | "he" | "she" => {
            let names_nothing = at <= 1 || tokens[..at].iter().all(|token| JOINING.contains(&token.text));
            let is_expletive = matches!(next, "is" | "isn't" | "makes" | "takes") && {
                let adjective = if text(at + 2) == "not" { text(at + 3) } else { text(at + 2) };
                EXPLETIVE.contains(&adjective) || next == "makes"
            };
            // `Make it clear that …`
            names_nothing
                && !is_expletive
                && !matches!(
                    (before, next),
                    ("make" | "makes" | "find" | "keep", "clear" | "easy" | "easier" | "possible")
                )
        }
        "so" => matches!(before, "do" | "doing") && ends,
        "former" | "latter" | "above" => before == "the" && at <= 3,
        _ => false,
    }
}

/// Returns whether two words are forms of one: they begin alike.
fn is_same_word(a: &str, b: &str) -> bool {
    let length = a.len().min(b.len());
    let common = a.bytes().zip(b.bytes()).take_while(|(a, b)| a == b).count();
    common >= 4 && common + 3 >= a.len().max(b.len()) || common == length && length == a.len().max(b.len())
}

/// Words that begin a sentence which says under which condition it holds.
const OWN_CONDITION: [&str; 14] = [
    "after", "before", "during", "every", "for", "if", "on", "once", "unless", "until", "when", "whenever", "while",
    "without",
];

/// Returns whether a sentence tells somebody to do something without naming a subject or a condition.
pub(super) fn addresses_reader(sentence: &str) -> bool {
    let said = unlabelled(sentence).1;
    let text = lower(&said[..said.floor_char_boundary(80)]);
    let tokens = tokens(&text);
    let mut words = tokens.iter().map(|token| token.text).skip_while(|word| {
        matches!(
            *word,
            "please" | "also" | "then" | "just" | "simply" | "additionally" | "first" | "finally" | "but" | "and"
        )
    });
    let (first, second) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    match first {
        "you" | "you'll" | "we" | "do" | "don't" | "never" | "always" | "avoid" | "ensure" | "be" | "prefer" => true,
        "in" => matches!(second, "addition" | "particular"),
        _ if OWN_CONDITION.contains(&first) => false,
        _ => {
            is_imperative(said)
                || first != said.split(' ').next().unwrap_or_default().to_lowercase()
                    && is_imperative(&text[text.find(first).unwrap_or(0)..])
        }
    }
}

/// Returns whether the heading above a rule names something that the rule does not.
pub(super) fn is_narrowed(sentence: &str, section: &Section) -> bool {
    if section.is_title || section.title.ends_with(['?', '？', ':']) || section.title.len() > 80 {
        return false;
    }
    let title = &section.subject;
    if !title.is_ascii() {
        return false;
    }
    let text = lower(sentence);
    let said = tokens(&text);
    let named = |word: &str| said.iter().any(|token| is_same_word(token.text, word)) || text.contains(word);
    title
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| word.len() > 2 && !word.bytes().all(|byte| byte.is_ascii_digit()) && !GENERAL.contains(*word))
        .any(|word| !named(word))
}

/// Returns whether a sentence begins with a word by which it goes against or on from the one before: `But`, `In particular`.
pub(super) fn leans_on_before(sentence: &str) -> bool {
    let start = lower(&sentence[..sentence.floor_char_boundary(24)]);
    [
        "but ",
        "however",
        "instead,",
        "in particular",
        "in addition,",
        "in addition to th",
        "nevertheless",
        "even so",
        "otherwise",
        "that said",
    ]
    .iter()
    .any(|words| start.starts_with(words))
}

/// Returns whether a sentence points out of itself, by its first word or another one.
pub(super) fn needs_antecedent(sentence: &str) -> bool {
    begins_with_anaphor(sentence) || refers_back(sentence) || leans_on_before(sentence)
}

/// Words by which something is offered, not asked.
const OFFERS: [&str; 18] = [
    "(optional)",
    "optionally",
    "you can ",
    "you may ",
    "you could ",
    "one can ",
    "one way",
    "another way",
    "easiest way",
    "easier way",
    "simplest way",
    "quickest way",
    "alternatively",
    "if you want",
    "if you like",
    "if you'd like",
    "feel free",
    "might want",
];

/// Returns whether a text offers a way to do something, which obliges nobody.
pub(super) fn is_offer(text: &str) -> bool {
    let text = lower(text);
    OFFERS.iter().any(|words| text.contains(words)) && !text.contains("only")
}

/// Returns whether the item or paragraph that begins so is optional.
pub(super) fn begins_optional(text: &str) -> bool {
    let start = text.trim_start_matches(|c: char| !c.is_alphanumeric());
    let is_word = |word: &str| start.get(..word.len()).is_some_and(|found| found.eq_ignore_ascii_case(word));
    is_word("optional)")
        || is_word("optional:")
        || is_word("optionally")
        || is_word("if needed)")
        || is_word("optional -")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_to_what_stands_before_are_found() {
        for text in [
            "Bugs of these parts should be sent upstream.",
            "Use `a = b` for this.",
            "Luckily, the tool has a command to do this.",
            "If that fails, run it again.",
            "When doing so, keep the names.",
            "In that case you need a key.",
            "If they disagree, ask.",
            "Delete them before a release.",
        ] {
            assert!(refers_back(text), "{text}");
        }
        for text in [
            "Those who sign must read it.",
            "Read this document before you start.",
            "Do this:",
            "If it is possible, use a mirror.",
            "Make sure that the tests pass.",
            "If the tool fails, note this in the log.",
            "Follow these guidelines at all times.",
            "Sign the commits, and push these commits later.",
        ] {
            assert!(!refers_back(text), "{text}");
        }
    }

    #[test]
    fn offers_are_told_from_duties() {
        assert!(is_offer("The easiest way is to copy a file:") && is_offer("You can also use a mirror:"));
        assert!(!is_offer("You can only use a mirror:") && !is_offer("Use a mirror:"));
        assert!(
            begins_optional("(optional) Run it.")
                && begins_optional("**Optional:** Run it.")
                && !begins_optional("Options are:")
        );
    }
}
