//! What makes a sentence a rule: phrases of seven languages, and those that make it none.

use super::words::{FixedHash, Token, WordSet, is_cjk, lists, lower, tokens, word_set};
use aho_corasick::AhoCorasick;
use std::collections::HashMap;
use std::sync::LazyLock;

/// The phrases, one list a line.
const FILE: &str = include_str!("rule_cues.txt");

/// How many words may stand at `…` in a phrase.
const MOST_BETWEEN: usize = 8;

/// Words by which a sentence is taken for Spanish, whose `no` is also an English word.
const SPANISH: [&str; 16] =
    ["el", "la", "los", "las", "de", "en", "un", "una", "que", "con", "sin", "por", "para", "del", "al", "su"];

/// People, and what they submit. What they cannot do, nobody allows; what a program cannot do says only what it is.
static PEOPLE: LazyLock<WordSet> = LazyLock::new(|| word_set(FILE, "people"));

/// What people who work together speak of besides, in documents that say how they do.
static MATTERS: LazyLock<WordSet> = LazyLock::new(|| word_set(FILE, "matters"));

/// Words that begin a clause which says when or why, or of whom another one speaks.
const SUBORDINATE: [&str; 15] = [
    "because", "how", "if", "once", "since", "so", "that", "until", "what", "when", "where", "whether", "which", "who",
    "why",
];

/// Words of the texts of licences, whose sentences bind nobody who works on the project.
const LICENCE: [&str; 6] = [
    "copyright notice",
    "copyright holder",
    "hereby granted",
    "warranties or conditions",
    "warranty of any kind",
    "shall be included in all copies",
];

/// How much a rule binds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Strength {
    /// It stands in a list of rules, or tells a reader of rules what to do.
    Listed,
    /// It advises or asks.
    Weak,
    /// It obliges or forbids.
    Strong,
}

/// A word of a phrase.
#[derive(Debug)]
enum Word {
    /// This word.
    Is(&'static str),
    /// A word that begins and ends so.
    Like(&'static str, &'static str),
    /// Some words, or none.
    Gap,
}

#[derive(Debug)]
struct Phrase {
    words: Vec<Word>,
    /// Whether it counts only where a clause begins.
    begins_clause: bool,
    class: Class,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Class {
    Strong,
    /// Strong if the sentence ends with a German infinitive.
    Infinitive,
    /// Strong if the sentence is Spanish.
    Spanish,
    /// Strong if its clause speaks of [`PEOPLE`].
    People,
    Weak,
    /// What is done, where a document says how people work together.
    Norm,
    /// The same if its clause speaks of [`PEOPLE`] or [`MATTERS`].
    NormPeople,
    Cancel,
    /// Tells what was so before.
    Past,
    Except,
    /// Limits the sentence before wherever it stands.
    Qualify,
    Negation,
}

impl Class {
    fn named(name: &str) -> Option<Self> {
        Some(match name {
            "strong" => Self::Strong,
            "strong-infinitive" => Self::Infinitive,
            "strong-spanish" => Self::Spanish,
            "strong-people" => Self::People,
            "weak" => Self::Weak,
            "norm" => Self::Norm,
            "norm-people" => Self::NormPeople,
            "cancel" => Self::Cancel,
            "past" => Self::Past,
            "qualify" => Self::Qualify,
            "except" => Self::Except,
            "negation" => Self::Negation,
            _ => return None,
        })
    }
}

/// Phrases by their first word.
#[derive(Debug, Default)]
struct PhraseTable {
    phrases: HashMap<&'static str, Vec<Phrase>, FixedHash>,
    /// For each first byte of those words their lengths, as bits: most words of a text are found in none by this alone.
    lengths: Vec<u64>,
    /// Phrases whose first word is a pattern; all of them count only where a clause begins.
    patterns: Vec<Phrase>,
}

#[derive(Debug, Default)]
struct Cues {
    /// Those that make a sentence a rule.
    binding: PhraseTable,
    /// Those that make one of a sentence in a document that binds its readers.
    norms: PhraseTable,
    /// Those that make it none.
    cancelling: PhraseTable,
    /// Those that deny or limit.
    limiting: PhraseTable,
    /// Phrases of languages without spaces.
    unspaced: Vec<(Class, &'static str)>,
    /// The search for them; `None` only if it cannot be built.
    unspaced_search: Option<AhoCorasick>,
}

static CUES: LazyLock<Cues> = LazyLock::new(|| {
    let mut cues = Cues::default();
    for (name, phrases) in lists(FILE) {
        if let Some(class) = name.strip_prefix("cjk-").and_then(Class::named) {
            cues.unspaced.extend(phrases.map(|phrase| (class, phrase)));
            continue;
        }
        let Some(class) = Class::named(name) else { continue };
        for phrase in phrases {
            let (begins_clause, phrase) = phrase.strip_prefix('^').map_or((false, phrase), |rest| (true, rest));
            let words: Vec<Word> = phrase.split(' ').map(word).collect();
            let table = match class {
                Class::Cancel | Class::Past => &mut cues.cancelling,
                Class::Except | Class::Qualify | Class::Negation => &mut cues.limiting,
                Class::Norm | Class::NormPeople => &mut cues.norms,
                _ => &mut cues.binding,
            };
            table.add(Phrase { words, begins_clause, class });
        }
    }
    cues.unspaced_search = AhoCorasick::new(cues.unspaced.iter().map(|(_, phrase)| phrase)).ok();
    cues
});

fn word(word: &'static str) -> Word {
    match word.split_once('*') {
        Some((before, after)) => Word::Like(before, after),
        None if word == "…" => Word::Gap,
        None => Word::Is(word),
    }
}

/// Returns how many words of `tokens` a phrase covers at their beginning.
fn covered(words: &[Word], tokens: &[Token<'_>]) -> Option<usize> {
    for (at, word) in words.iter().enumerate() {
        let token = tokens.get(at);
        let is_next = match word {
            Word::Is(word) => token.is_some_and(|token| token.text == *word),
            Word::Like(before, after) => token.is_some_and(|token| {
                token.text.len() >= before.len() + after.len()
                    && token.text.starts_with(before)
                    && token.text.ends_with(after)
            }),
            Word::Gap => {
                let (rest, tokens) = (&words[at + 1..], &tokens[at..]);
                return (0..=MOST_BETWEEN.min(tokens.len()))
                    .find_map(|between| Some(at + between + covered(rest, &tokens[between..])?));
            }
        };
        if !is_next {
            return None;
        }
    }
    Some(words.len())
}

impl PhraseTable {
    fn add(&mut self, phrase: Phrase) {
        let Some(Word::Is(first)) = phrase.words.first() else { return self.patterns.push(phrase) };
        self.lengths.resize(256, 0);
        if let Some(lengths) = first.bytes().next().and_then(|byte| self.lengths.get_mut(usize::from(byte))) {
            *lengths |= 1 << first.len().min(63);
        }
        self.phrases.entry(first).or_default().push(phrase);
    }

    /// Returns the phrases that begin with a word.
    fn listed(&self, word: &str) -> &[Phrase] {
        let lengths = word.bytes().next().and_then(|first| self.lengths.get(usize::from(first)));
        let is_possible = lengths.is_some_and(|lengths| (lengths >> word.len().min(63)) & 1 == 1);
        if is_possible { self.phrases.get(word).map_or(&[], Vec::as_slice) } else { &[] }
    }

    /// Calls `found` with each phrase and the words that it covers.
    fn each(&self, tokens: &[Token<'_>], found: &mut dyn FnMut(Class, usize, usize)) {
        for (at, token) in tokens.iter().enumerate() {
            let patterns = if token.begins_clause { self.patterns.as_slice() } else { &[] };
            for phrase in self.listed(token.text).iter().chain(patterns) {
                if phrase.begins_clause && !token.begins_clause {
                    continue;
                }
                if let Some(words) = covered(&phrase.words, &tokens[at..]) {
                    found(phrase.class, at, at + words);
                }
            }
        }
    }
}

impl Cues {
    /// Returns the phrases of languages without spaces in a text, with their places.
    fn unspaced_in<'t>(&'t self, text: &'t str) -> impl Iterator<Item = (Class, usize, usize)> + 't {
        let matches = self.unspaced_search.iter().flat_map(move |search| search.find_overlapping_iter(text));
        matches.filter_map(|found| Some((self.unspaced.get(found.pattern().as_usize())?.0, found.start(), found.end())))
    }
}

/// The longest sentence that is looked at, in bytes.
pub(super) const LONGEST: usize = 4_096;

/// Returns how much a sentence binds by a word that obliges, forbids, advises or asks; `None` if it is no rule.
pub(super) fn strength(sentence: &str) -> Option<Strength> {
    strength_in(sentence, false)
}

/// The same in a document that `binds` its readers, where what is done is a rule too: `A proposal passes if …`.
pub(super) fn strength_in(sentence: &str, binds: bool) -> Option<Strength> {
    if sentence.len() > LONGEST {
        return None;
    }
    let text = lower(sentence);
    if text.trim_end_matches(['"', '”', '»', ')', ' ', '*', '_']).ends_with(['?', '？']) {
        return None;
    }
    // What the words mean is no rule.
    let has_digit = text.bytes().any(|byte| byte.is_ascii_digit());
    if has_digit && ["rfc2119", "rfc 2119", "rfc-2119", "rfc8174", "bcp 14"].iter().any(|name| text.contains(name)) {
        return None;
    }
    let has_unspaced = !text.is_ascii() && text.chars().any(is_cjk);
    let tokens = tokens(&text);
    let mut binding: Vec<(Class, usize, usize)> = Vec::new();
    CUES.binding.each(&tokens, &mut |class, from, to| binding.push((class, from, to)));
    if binds {
        CUES.norms.each(&tokens, &mut |class, from, to| binding.push((class, from, to)));
    }
    if !binding.is_empty() && LICENCE.iter().any(|words| text.contains(words)) {
        return None;
    }
    let mut cancelled: Vec<(usize, usize)> = Vec::new();
    if !binding.is_empty() {
        CUES.cancelling.each(&tokens, &mut |class, from, to| {
            // What was so before binds nobody, whatever its words.
            cancelled.push(if class == Class::Past { (0, tokens.len()) } else { (from, to) });
        });
    }
    // `We use stable Rust only.`
    let is_limited =
        matches!(tokens.as_slice(), [first, _, .., last] if matches!(first.text, "we" | "use") && last.text == "only");
    let mut found = is_limited.then_some(Strength::Weak);
    for (class, from, to) in binding {
        let counts = match class {
            Class::Infinitive => tokens.last().is_some_and(|last| last.text.ends_with("en")),
            Class::Spanish => tokens.iter().any(|token| SPANISH.contains(&token.text)),
            Class::People => speaks_of(&tokens[..from], &[&*PEOPLE]),
            Class::NormPeople => speaks_of(&tokens[..from], &[&*PEOPLE, &*MATTERS]),
            _ => true,
        };
        if counts && !cancelled.iter().any(|(start, end)| *start < to && from < *end) {
            found = found.max(Some(match class {
                Class::Weak => Strength::Weak,
                Class::Norm | Class::NormPeople => Strength::Listed,
                _ => Strength::Strong,
            }));
        }
    }
    if has_unspaced { found.max(unspaced_strength(&text, binds)) } else { found }
}

/// Returns whether the clause that `before` ends in is a main clause about one of the words of `lists`.
fn speaks_of(before: &[Token<'_>], lists: &[&WordSet]) -> bool {
    let begin = before.iter().rposition(|token| token.begins_clause).unwrap_or(0);
    let clause = &before[begin..];
    !clause.iter().any(|token| SUBORDINATE.contains(&token.text))
        && clause.iter().any(|token| lists.iter().any(|list| list.contains(token.text)))
}

fn unspaced_strength(text: &str, binds: bool) -> Option<Strength> {
    let found: Vec<(Class, usize, usize)> = CUES.unspaced_in(text).collect();
    if found.iter().any(|(class, ..)| *class == Class::Past) {
        return None;
    }
    let is_cancelled = |from: usize, to: usize| {
        found.iter().any(|(class, start, end)| *class == Class::Cancel && *start < to && from < *end)
    };
    let strengths = found.iter().filter_map(|(class, from, to)| match class {
        Class::Strong => Some((Strength::Strong, *from, *to)),
        Class::Weak => Some((Strength::Weak, *from, *to)),
        Class::Norm if binds => Some((Strength::Listed, *from, *to)),
        _ => None,
    });
    strengths.filter(|(_, from, to)| !is_cancelled(*from, *to)).map(|(strength, ..)| strength).max()
}

/// Returns whether a sentence begins with a word that limits the sentence before it, such as `unless`.
pub(super) fn begins_exception(sentence: &str) -> bool {
    // Only its beginning counts.
    let end = sentence.char_indices().nth(60).map_or(sentence.len(), |(at, _)| at);
    let text = lower(sentence[..end].trim_start_matches(|c: char| !c.is_alphanumeric()));
    let tokens = tokens(&text);
    let listed = tokens.first().map_or(&[][..], |first| CUES.limiting.listed(first.text)).iter();
    let begins =
        listed.filter(|phrase| phrase.class == Class::Except).any(|phrase| covered(&phrase.words, &tokens).is_some());
    begins || CUES.unspaced.iter().any(|(class, phrase)| *class == Class::Except && text.starts_with(phrase))
}

/// Returns whether a sentence limits the one before it: by its first word, in brackets, or as in `One is enough if …`.
pub(super) fn limits_before(sentence: &str) -> bool {
    if sentence.len() > LONGEST {
        return false;
    }
    if begins_exception(sentence) || sentence.starts_with(['(', '（']) && has_negation(sentence) {
        return true;
    }
    let text = lower(sentence);
    let mut found = false;
    CUES.limiting.each(&tokens(&text), &mut |class, _, _| found |= class == Class::Qualify);
    found || !text.is_ascii() && CUES.unspaced_in(&text).any(|(class, ..)| class == Class::Qualify)
}

/// Returns whether a text in lower case names people.
pub(super) fn names_people(lower: &str) -> bool {
    let is_person = |word: &str| matches!(word, "you" | "we" | "i" | "they" | "he" | "she") || PEOPLE.contains(word);
    tokens(lower).iter().any(|token| is_person(token.text))
}

/// Returns whether a sentence tells what was so before, or only at times.
pub(super) fn tells_past(sentence: &str) -> bool {
    let text = lower(&sentence[..sentence.floor_char_boundary(LONGEST)]);
    let mut found = false;
    CUES.cancelling.each(&tokens(&text), &mut |class, _, _| found |= class == Class::Past);
    found
}

/// Returns whether a text has a word that denies or limits what the rest of its sentence says.
pub(super) fn has_negation(text: &str) -> bool {
    let text = lower(text);
    let tokens = tokens(&text);
    let mut found = tokens.iter().any(|token| token.text.ends_with("n't"));
    CUES.limiting.each(&tokens, &mut |class, _, _| found |= class != Class::Qualify);
    let limits = |class: &Class| matches!(class, Class::Negation | Class::Except);
    found || !text.is_ascii() && CUES.unspaced_in(&text).any(|(class, ..)| limits(&class))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_recognized_in_seven_languages() {
        for rule in [
            "You must not push to `main` unless a maintainer asks.",
            "Never commit secrets",
            "Don't skip hooks.",
            "Do not forget to run the tests.",
            "Before a release, do not merge features.",
            "Only maintainers may publish.",
            "Secrets are never logged.",
            "A changelog entry is required.",
            "Files may not be renamed.",
            "No file may be larger than 1 MB.",
            "Please make sure that the tests pass.",
            "Not only must it compile, it must also be tested.",
            "If the value must be unique, use a UUID.",
            "Geheimnisse dürfen niemals eingecheckt werden.",
            "Der Branch darf ohne Freigabe nicht gelöscht werden.",
            "Keine Geheimnisse einchecken.",
            "Der Code ist vor jedem Commit zu formatieren, und Tests sind zu schreiben.",
            "Les secrets ne doivent jamais être commités.",
            "N'utilisez pas `unwrap`.",
            "Il faut relire chaque demande.",
            "No subas secretos al repositorio.",
            "Los secretos nunca se suben.",
            "Queda prohibido desplegar los viernes.",
            "Não faça commit de segredos.",
            "É obrigatório revisar.",
            "秘密情報をコミットしてはいけません。",
            "必ずテストを実行してください。",
            "禁止直接推送到主分支。",
            "If an owner objects, the change cannot go in.",
            "A proposal can only pass with a quorum.",
            "Delegates may speak only twice.",
            "Nobody may approve their own work.",
            "Reviewers should get two days.",
            "Niemand darf allein ausliefern.",
            "Wartung nur zwischen 2 und 4 Uhr.",
            "Personne ne peut fusionner seul.",
            "Nadie puede aprobar su propio cambio.",
            "Só pode publicar quem tem acesso.",
            "承認された場合のみリリースする。",
            "评审通过后方可合并。",
            "提交前必须运行测试。",
        ] {
            assert!(strength(rule).is_some(), "{rule}");
        }
    }

    #[test]
    fn words_of_rules_do_not_make_every_sentence_one() {
        for other in [
            "Must I sign anything?",
            "This is a must-have feature.",
            "If you really must, ask first.",
            "Never mind the warnings.",
            "Don't worry about formatting.",
            "Don't hesitate to ask.",
            "You do not need to squash.",
            "It is not only fast but small.",
            "A read-only file.",
            "The value is almost always positive.",
            "Types that do not implement it are skipped.",
            "It may not work on Windows.",
            "No setup is needed.",
            "Signing is not required.",
            "The word \"must\" has four letters.",
            "Nobody says \"you must wait\".",
            "Call `never()` here.",
            "You should see a page.",
            "There are no changes in the file.",
            "Das muss nicht sein.",
            "Die Seite ist immer noch offen.",
            "Keine Angst vor Fehlern.",
            "Ce n'est pas obligatoire.",
            "No hay problemas con el servidor.",
            "No es necesario instalar nada.",
            "Não é obrigatório assinar.",
            "必ずしも必要ではありません。",
            "禁止されていません。",
            "不需要安装任何东西。",
            "它不仅快。",
            "The parser cannot read it.",
            "Contributors who cannot sign are welcome.",
            "Previously every change had to be signed and must be faxed.",
            "This text is intended to say what must be kept.",
            "The build should be available tomorrow.",
            "You should get an e-mail.",
            "Früher musste jeder Antrag per Post kommen.",
            "以前は印鑑が必須でした。",
            "以前必须签字。",
        ] {
            assert_eq!(strength(other), None, "{other}");
        }
    }

    #[test]
    fn exceptions_and_negations_are_recognized() {
        for text in [
            "Unless asked.",
            "The only exception is `main`.",
            "Ausnahme: Hotfixes.",
            "ただし、例外がある。",
            "除非得到批准。",
        ] {
            assert!(begins_exception(text), "{text}");
        }
        assert!(!begins_exception("Run it, unless it is late."));
        assert!(has_negation(", unless it is late") && has_negation("doesn't") && has_negation("場合は除く"));
        assert!(!has_negation(", which takes a minute"));
    }
}
