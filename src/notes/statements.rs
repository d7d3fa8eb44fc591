//! What a sentence is: said by the document itself, an instruction, a part of what was said before.

use super::reader::{InlineText, SpanKind};
use super::sections::{Meaning, meaning};
use std::ops::Range;

/// Words at the beginning of a sentence that mean something of the sentence before.
const ANAPHORA: [&str; 40] = [
    "it",
    "this",
    "that",
    "these",
    "those",
    "they",
    "such",
    "its",
    "their",
    "then",
    "there",
    "otherwise",
    "instead",
    "he",
    "she",
    "es",
    "dies",
    "diese",
    "dieser",
    "dieses",
    "das",
    "sie",
    "er",
    "sonst",
    "cela",
    "il",
    "elle",
    "ils",
    "elles",
    "ceci",
    "esto",
    "eso",
    "estos",
    "estas",
    "ello",
    "isso",
    "isto",
    "ele",
    "ela",
    "eles",
];

/// Words behind `Es` that make a sentence Spanish.
const SPANISH_AFTER_ES: [&str; 10] = [
    "obligatorio",
    "obligatoria",
    "necesario",
    "necesaria",
    "importante",
    "imprescindible",
    "recomendable",
    "posible",
    "un",
    "una",
];

/// Verbs at the beginning of an instruction.
const IMPERATIVES: [&str; 104] = [
    "add",
    "apply",
    "ask",
    "avoid",
    "build",
    "bump",
    "call",
    "check",
    "choose",
    "close",
    "commit",
    "configure",
    "convert",
    "copy",
    "create",
    "declare",
    "define",
    "delete",
    "describe",
    "disable",
    "discuss",
    "document",
    "edit",
    "enable",
    "ensure",
    "exclude",
    "explain",
    "export",
    "fix",
    "follow",
    "format",
    "give",
    "group",
    "handle",
    "implement",
    "import",
    "include",
    "indent",
    "install",
    "keep",
    "leave",
    "limit",
    "link",
    "list",
    "log",
    "maintain",
    "mark",
    "mask",
    "mention",
    "merge",
    "move",
    "name",
    "omit",
    "open",
    "pin",
    "place",
    "prefer",
    "prefix",
    "preserve",
    "provide",
    "publish",
    "push",
    "put",
    "raise",
    "read",
    "rebase",
    "reference",
    "register",
    "reject",
    "remove",
    "rename",
    "replace",
    "report",
    "request",
    "respect",
    "restrict",
    "return",
    "revert",
    "review",
    "rotate",
    "run",
    "save",
    "select",
    "send",
    "separate",
    "set",
    "sign",
    "sort",
    "specify",
    "split",
    "squash",
    "start",
    "stop",
    "store",
    "submit",
    "tag",
    "test",
    "treat",
    "update",
    "use",
    "validate",
    "verify",
    "wrap",
    "write",
];

/// Returns whether a sentence begins with a verb that tells the reader what to do.
pub(super) fn is_imperative(sentence: &str) -> bool {
    let mut words = sentence.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let first = words.next().unwrap_or_default();
    // `Check out our …` invites.
    let invites = first.eq_ignore_ascii_case("check") && words.next() == Some("out") && words.next() == Some("our");
    !invites && first.len() <= 12 && IMPERATIVES.binary_search(&first.to_ascii_lowercase().as_str()).is_ok()
}

/// Returns whether the document itself says a sentence: it is no question, quotation, placeholder, wrong example or
/// struck text.
pub(super) fn is_stated(sentence: &str, text: &InlineText, range: &Range<usize>) -> bool {
    let bare = sentence.trim();
    let is_in = |open: char, close: char| bare.starts_with(open) && bare.trim_end_matches('.').ends_with(close);
    let is_quotation = is_in('"', '"') || is_in('“', '”') || is_in('«', '»') || is_in('„', '“') || is_in('「', '」');
    let is_placeholder = is_in('{', '}') || is_in('[', ']') || is_in('<', '>') || is_template(bare);
    let label = bare.split([':', '：', ' ']).next().unwrap_or_default();
    let is_wrong = bare.len() > label.len()
        && bare[label.len()..].starts_with([':', '：'])
        && meaning(label) == Some(Meaning::Wrong);
    let is_struck = text.is_within(SpanKind::Struck, range);
    !(is_quotation || is_placeholder || is_wrong || is_struck || bare.ends_with(['?', '？']))
        && bare.chars().any(char::is_alphabetic)
}

/// Returns whether much of a text is instructions of a template in brackets, such as `Deciders: [list everyone involved]`.
pub(super) fn is_template(text: &str) -> bool {
    let (mut inside, mut open, mut in_code) = (0, None, false);
    let bytes = text.as_bytes();
    if memchr::memchr3(b'[', b'{', b'<', bytes).is_none() {
        return false;
    }
    for (at, byte) in bytes.iter().enumerate() {
        match byte {
            b'`' => in_code = !in_code,
            b'[' | b'{' | b'<' if !in_code => open = open.or(Some(at)),
            b']' | b'}' | b'>' if !in_code => {
                if let Some(start) = open.take()
                    && bytes[start..at].contains(&b' ')
                {
                    inside += at - start;
                }
            }
            _ => {}
        }
    }
    inside * 5 >= text.len() * 2 && inside > 0
}

/// Returns whether a range is nothing but a link, as in a table of contents.
pub(super) fn is_link(text: &InlineText, range: &Range<usize>) -> bool {
    text.is_within(SpanKind::Link, range)
}

pub(super) fn begins_with_anaphor(sentence: &str) -> bool {
    let first = sentence.split(|c: char| !c.is_alphanumeric()).find(|word| !word.is_empty()).unwrap_or_default();
    // `Es` is a verb in Spanish.
    let is_verb =
        first == "Es" && sentence.split_whitespace().nth(1).is_some_and(|next| SPANISH_AFTER_ES.contains(&next));
    first.len() <= 10 && !is_verb && ANAPHORA.iter().any(|word| first.eq_ignore_ascii_case(word))
        || !sentence.is_ascii()
            && ["これ", "それ", "その", "この", "它", "这", "其"].iter().any(|word| sentence.starts_with(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verbs_are_sorted_for_the_search() {
        assert!(IMPERATIVES.is_sorted());
        assert!(is_imperative("Run it.") && !is_imperative("Runner"));
    }
}
