//! What a sentence is: said by the document itself, an instruction, a part of what was said before.

use super::cues::strength;
use super::reader::{InlineText, SpanKind};
use super::references::refers_back;
use super::sections::{Meaning, meaning};
use super::words::{WordSet, word_set};
use std::ops::Range;
use std::sync::LazyLock;

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
static VERBS: LazyLock<WordSet> = LazyLock::new(|| word_set(include_str!("verbs.txt"), "verbs"));

/// Words that begin a clause before the one that tells the reader what to do.
const CONDITIONS: [&str; 16] = [
    "after", "as", "before", "during", "every", "first", "for", "if", "in", "on", "once", "then", "to", "when",
    "whenever", "while",
];

/// Endings of a label that makes an instruction one that binds, such as `**IMPORTANT**: …`.
const URGENT: [&str; 17] = [
    "important",
    "critical",
    "warning",
    "caution",
    "attention",
    "danger",
    "required",
    "wichtig",
    "achtung",
    "warnung",
    "importante",
    "atención",
    "atenção",
    "advertencia",
    "重要",
    "注意",
    "警告",
];

/// Returns a sentence without the label before it, such as `Tests: …`, and the label.
pub(super) fn unlabelled(sentence: &str) -> (&str, &str) {
    let head = &sentence[..sentence.floor_char_boundary(48)];
    let mark = head
        .find([':', '：'])
        .filter(|at| head[*at..].starts_with('：') || head[*at + 1..].starts_with([' ', '*', '_']));
    let Some(at) = mark.filter(|at| !head[..*at].contains(['.', '`', ',']) && super::words::count(&head[..*at]) <= 4)
    else {
        return ("", sentence);
    };
    (sentence[..at].trim(), sentence[at..].trim_start_matches([':', '：', '*', '_', ' ']))
}

/// Returns whether the label of a sentence says that it binds.
pub(super) fn is_urgent(sentence: &str) -> bool {
    let label = unlabelled(sentence).0.trim_start_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    URGENT.contains(&label.as_str())
}

/// Returns whether a sentence tells the reader what to do, behind a label or a clause such as `Before a release, …`.
pub(super) fn is_instruction(sentence: &str) -> bool {
    let (_, said) = unlabelled(sentence);
    if is_imperative(said) {
        return true;
    }
    let first = said.split(|c: char| !c.is_alphanumeric()).find(|word| !word.is_empty()).unwrap_or_default();
    if !CONDITIONS.iter().any(|word| first.eq_ignore_ascii_case(word)) {
        return is_foreign_imperative(said, first);
    }
    // `To understand the format, consider …` teaches.
    let teaches = ["to understand ", "to see ", "to learn ", "to get an idea "]
        .iter()
        .any(|start| said.get(..start.len()).is_some_and(|found| found.eq_ignore_ascii_case(start)));
    if teaches {
        return false;
    }
    let mut clauses = said.split([',', ';']).skip(1).take(4);
    clauses.any(|clause| {
        let clause = clause.trim_start();
        let clause = ["then ", "please ", "simply ", "always ", "also "]
            .iter()
            .find_map(|word| clause.strip_prefix(word))
            .unwrap_or(clause);
        clause.starts_with(char::is_lowercase) && is_imperative(clause)
    })
}

/// Returns whether an item of an ordered list is a step: an instruction, also behind an adverb, or an infinitive.
pub(super) fn is_step(item: &str) -> bool {
    let (label, said) = unlabelled(item);
    let is_adverb = said.split_once(' ').is_some_and(|(first, rest)| first.ends_with("ly") && is_imperative(rest));
    let bare = said.trim_end_matches(['.', '!', ' ']);
    is_adverb
        || is_instruction(item)
        || is_imperative(item)
        || [label, bare].iter().any(|part| part.ends_with("en") && part.starts_with(char::is_uppercase))
        || bare.ends_with("する")
        || bare.ends_with("します")
}

/// Returns whether a sentence begins with an imperative of French, Spanish, Portuguese, German or Chinese.
fn is_foreign_imperative(sentence: &str, first: &str) -> bool {
    const VERBS: [&str; 40] = [
        "abra",
        "actualiza",
        "actualice",
        "adicione",
        "agrega",
        "agregue",
        "añade",
        "atualize",
        "crea",
        "cree",
        "crie",
        "ejecuta",
        "ejecute",
        "elimina",
        "elimine",
        "escreva",
        "escribe",
        "escriba",
        "execute",
        "erstelle",
        "ersetze",
        "faça",
        "formuliere",
        "füge",
        "haz",
        "haga",
        "lösche",
        "mantenga",
        "pide",
        "prueba",
        "remova",
        "revisa",
        "revise",
        "rode",
        "starte",
        "teste",
        "use",
        "verifica",
        "verifique",
        "öffne",
    ];
    let lower = first.to_lowercase();
    let is_french = lower.len() > 4 && lower.ends_with("ez") && !matches!(lower.as_str(), "assez" | "chez" | "venez");
    is_french
        || VERBS.contains(&lower.as_str())
        || !sentence.is_ascii()
            && ["使用", "添加", "运行", "提交", "编写", "更新", "检查", "保持", "遵循"]
                .iter()
                .any(|verb| sentence.starts_with(verb))
}

/// Words at the beginning of a sentence that has no subject, such as `Should not be long`.
const WITHOUT_SUBJECT: [&str; 14] = [
    "both", "can", "cannot", "has", "is", "may", "must", "neither", "same", "shall", "should", "sollte", "muss", "will",
];

/// Returns whether a sentence needs what stands above it: it has no subject, or begins with a word such as `this`.
pub(super) fn needs_subject(sentence: &str) -> bool {
    let (_, said) = unlabelled(sentence);
    let mut words = said.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let (first, second) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let is = |word: &str, list: &[&str]| list.iter().any(|known| word.eq_ignore_ascii_case(known));
    begins_with_anaphor(said)
        || refers_back(said)
        || is(first, &WITHOUT_SUBJECT)
        || is(first, &["if", "when", "in", "for", "to", "with", "after", "before", "all", "the", "each"])
            && is(second, &["this", "these", "those", "such", "both", "of", "above", "following"])
            && !(second == "of" && is(first, &["in", "for"]))
}

/// Words behind a verb that make it a noun, such as `Pull requests are` and `Commit access`.
const AFTER_NOUNS: [&str; 30] = [
    "access",
    "address",
    "and",
    "are",
    "by",
    "can",
    "cases",
    "comes",
    "date",
    "deadlines",
    "files",
    "for",
    "has",
    "have",
    "history",
    "in",
    "is",
    "live",
    "makes",
    "may",
    "messages",
    "must",
    "notes",
    "of",
    "or",
    "requests",
    "should",
    "suite",
    "was",
    "will",
];

/// Returns whether a sentence begins with a verb that tells the reader what to do.
pub(super) fn is_imperative(sentence: &str) -> bool {
    let mut words = sentence.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let first = words.next().unwrap_or_default();
    // The name of a file is no verb.
    if first.len() > 12
        || sentence.trim_start().starts_with('`')
        || !VERBS.contains(first.to_ascii_lowercase().as_str())
    {
        return false;
    }
    let second = words.next().unwrap_or_default();
    // `Commit Queue is …`
    let is_name = second.starts_with(char::is_uppercase)
        && words.clone().next().is_some_and(|third| matches!(third, "is" | "are" | "was" | "has" | "can" | "will"));
    if is_name {
        return false;
    }
    if first.eq_ignore_ascii_case("do") {
        // `Do pay attention to …`
        return VERBS.contains(second);
    }
    // `Check out our …` invites, `Check in with …` does not.
    let invites = first.eq_ignore_ascii_case("check") && second == "out" && words.next() == Some("our");
    let is_phrasal = [
        "ask", "check", "log", "look", "prepare", "refer", "rely", "roll", "search", "sign", "stick", "strive", "wait",
        "watch",
    ]
    .iter()
    .any(|verb| first.eq_ignore_ascii_case(verb));
    !invites && (is_phrasal || AFTER_NOUNS.binary_search(&second.to_lowercase().as_str()).is_err())
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
    // `Il faut` speaks of nothing.
    let is_verb = is_verb
        || first.eq_ignore_ascii_case("il")
            && sentence.split_whitespace().nth(1).is_some_and(|next| ["faut", "est", "convient"].contains(&next));
    first.len() <= 10 && !is_verb && ANAPHORA.iter().any(|word| first.eq_ignore_ascii_case(word))
        || !sentence.is_ascii()
            && ["これ", "それ", "その", "この", "它", "这", "其"].iter().any(|word| sentence.starts_with(word))
}

/// Returns whether a sentence gives an average, which asks nothing of anybody.
pub(super) fn is_statistic(text: &str) -> bool {
    let start = &text[..text.floor_char_boundary(60)];
    let lower = start.to_lowercase();
    ["on average", "the average", "average ", "im durchschnitt", "durchschnittlich", "im schnitt", "en moyenne"]
        .iter()
        .chain(&["en promedio", "em média", "平均", "median "])
        .any(|word| lower.starts_with(word))
        && strength(text).is_none()
}

/// Returns whether a sentence says what comes before some work on a project or follows a change, such as `before committing`.
pub(super) fn precedes_work(sentence: &str) -> bool {
    const WORK: [&str; 14] = [
        "commit",
        "push",
        "merg",
        "submit",
        "releas",
        "deploy",
        "publish",
        "open a p",
        "opening a",
        "you commit",
        "you push",
        "you submit",
        "you open",
        "a pull",
    ];
    // `Update the list whenever a command changes.`
    let is_kept = sentence.contains(" whenever ")
        || sentence.contains(" when ") && sentence.trim_end_matches(['.', ':']).ends_with("changes");
    is_kept
        || sentence.match_indices("efore ").take(4).any(|(at, word)| {
            let rest = sentence[at + word.len()..].trim_start_matches("each ").trim_start_matches("every ");
            WORK.iter().any(|work| rest.starts_with(work))
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_verb_is_told_from_a_noun() {
        assert!(AFTER_NOUNS.is_sorted());
        assert!(!is_imperative("Pull requests are merged.") && !is_imperative("List of files"));
        assert!(is_imperative("Run it.") && !is_imperative("Runner"));
    }
}
