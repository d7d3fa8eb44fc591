//! Key facts: definitions, rows of tables, numbers with units, limits, defaults, and commands.

use super::reader::{Block, BlockKind, InlineText, SpanKind};
use super::sections::Place;
use super::sentences::words;
use super::source::{shown_text, without_colon};
use super::statements::is_stated;
use super::words::{is_cjk, lower};
use crate::redact::{Clean, CleanBuf};
use aho_corasick::AhoCorasick;
use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::LazyLock;

/// The longest fact, in bytes.
const LONGEST: usize = 300;
/// How many words a term may have.
const TERM_WORDS: usize = 6;
/// How many words a fact from a sentence may have.
const SENTENCE_WORDS: usize = 30;
/// How many commands of one code block are facts.
const COMMANDS: usize = 4;

/// Labels that define nothing.
const NO_TERMS: [&str; 24] = [
    "note",
    "warning",
    "important",
    "caution",
    "tip",
    "example",
    "examples",
    "e.g",
    "i.e",
    "todo",
    "see",
    "see also",
    "http",
    "https",
    "hinweis",
    "achtung",
    "beispiel",
    "remarque",
    "exemple",
    "nota",
    "ejemplo",
    "exemplo",
    "注意",
    "例",
];

/// Units after a number, besides `%` and those of [`is_size`].
const UNITS: [&str; 60] = [
    "ms",
    "s",
    "sec",
    "secs",
    "second",
    "seconds",
    "min",
    "mins",
    "minute",
    "minutes",
    "h",
    "hour",
    "hours",
    "day",
    "days",
    "week",
    "weeks",
    "month",
    "months",
    "year",
    "years",
    "byte",
    "bytes",
    "character",
    "characters",
    "chars",
    "line",
    "lines",
    "word",
    "words",
    "token",
    "tokens",
    "column",
    "columns",
    "space",
    "spaces",
    "request",
    "requests",
    "item",
    "items",
    "file",
    "files",
    "times",
    "retries",
    "rpm",
    "rps",
    "qps",
    "px",
    "hz",
    "mhz",
    "ghz",
    "sekunden",
    "minuten",
    "stunden",
    "tage",
    "secondes",
    "heures",
    "jours",
    "horas",
    "días",
];

/// Units that follow a number without a space in Chinese and Japanese.
const CJK_UNITS: [&str; 16] =
    ["秒", "分", "時間", "小时", "天", "日", "文字", "字符", "行", "個", "个", "件", "回", "次", "周", "円"];

/// Words that name a limit or a default, in seven languages.
const LIMITS: [&str; 44] = [
    "default",
    "defaults",
    "at most",
    "at least",
    "maximum",
    "minimum",
    "up to",
    "limit",
    "limited to",
    "timeout",
    "port",
    "version",
    "requires",
    "no more than",
    "exceed",
    "standardmäßig",
    "höchstens",
    "mindestens",
    "maximal",
    "minimal",
    "grenze",
    "voreingestellt",
    "par défaut",
    "au plus",
    "au moins",
    "maximum",
    "minimum",
    "limite",
    "por defecto",
    "como máximo",
    "al menos",
    "máximo",
    "mínimo",
    "por padrão",
    "no máximo",
    "pelo menos",
    "既定",
    "デフォルト",
    "最大",
    "最小",
    "以内",
    "以上",
    "默认",
    "不超过",
];

/// The facts of a document so far.
#[derive(Debug)]
pub(super) struct Facts {
    most: usize,
    facts: Vec<Clean>,
    known: BTreeSet<String>,
    left_out: usize,
    head: Vec<Clean>,
}

impl Facts {
    pub(super) fn new(most: usize) -> Self {
        Self { most, facts: Vec::new(), known: BTreeSet::new(), left_out: 0, head: Vec::new() }
    }

    /// Returns the facts, and how many were left out.
    pub(super) fn finish(self) -> (Vec<Clean>, usize) {
        (self.facts, self.left_out)
    }

    fn add(&mut self, fact: Clean) {
        if fact.is_empty() || self.known.contains(fact.as_str()) {
            return;
        }
        if self.facts.len() >= self.most || fact.len() > LONGEST {
            self.left_out += 1;
            return;
        }
        self.known.insert(fact.to_string());
        self.facts.push(fact);
    }

    /// Adds the facts of a block.
    pub(super) fn read(&mut self, document: &Clean, place: &Place, block: &Block, sentences: &[Range<usize>]) {
        if block.is_quoted || place.is_skipped() || place.is_wrong() {
            return;
        }
        match &block.kind {
            BlockKind::Row { is_head, cells } => self.row(document, cells, *is_head),
            BlockKind::Code { ranges, is_shell } => self.commands(document, place, ranges, *is_shell),
            BlockKind::Item | BlockKind::Paragraph => {
                if let Some(fact) = sentences.first().and_then(|_| definition(document, &block.text)) {
                    self.add(fact);
                    return;
                }
                for range in sentences {
                    let sentence = &block.text.shown[range.clone()];
                    if sentence.len() <= LONGEST
                        && (has_measure(sentence) || is_definition_of(sentence, place))
                        && is_stated(sentence, &block.text, range)
                        && words(sentence) <= SENTENCE_WORDS
                    {
                        self.add(shown_text(document, &block.text, range));
                    }
                }
            }
            _ => {}
        }
    }

    /// Adds a row: `a: b`, and with more columns `a: b; c`.
    fn row(&mut self, document: &Clean, cells: &[InlineText], is_head: bool) {
        let texts: Vec<Clean> = cells
            .iter()
            .take(6)
            .map(|cell| if cell.shown.len() <= LONGEST { whole(document, cell) } else { Clean::literal("…") })
            .collect();
        if is_head {
            self.head = texts;
            return;
        }
        let Some((first, rest)) = texts.split_first() else { return };
        let filled: Vec<&Clean> = rest.iter().filter(|text| text.chars().any(char::is_alphanumeric)).collect();
        if filled.is_empty() || !first.chars().any(char::is_alphanumeric) {
            return;
        }
        let mut fact = CleanBuf::new();
        fact.text(first).lit(": ");
        for (index, text) in filled.iter().enumerate() {
            if index > 0 {
                fact.lit("; ");
            }
            fact.text(text);
        }
        self.add(fact.finish());
    }

    /// Adds the first commands of a code block for a shell, or of one with `$` before each command.
    fn commands(&mut self, document: &Clean, place: &Place, ranges: &[Range<usize>], is_shell: bool) {
        let (Some(first), Some(last)) = (ranges.first(), ranges.last()) else { return };
        let mut count = 0;
        let mut at = first.start;
        let mut continues = false;
        let source = &document[first.start..last.end];
        let has_prompt = source.lines().take(50).any(|line| line.trim_start().starts_with("$ "));
        for line in source.split_inclusive('\n') {
            let start = at;
            at += line.len();
            let bare = line.trim();
            let command = bare.strip_prefix("$ ").unwrap_or(bare);
            let was_continued = std::mem::replace(&mut continues, bare.ends_with('\\'));
            let is_command = if has_prompt { command.len() < bare.len() } else { is_shell };
            if was_continued || !is_command || command.is_empty() || command.starts_with(['#', '<', '{', '}', '>']) {
                continue;
            }
            count += 1;
            if count > COMMANDS {
                self.left_out += 1;
                continue;
            }
            if command.len() > LONGEST / 2 {
                self.left_out += 1;
                continue;
            }
            let from = start + line.find(command).unwrap_or_default();
            let mut fact = CleanBuf::new();
            if let Some(section) = place.section() {
                fact.line(&without_colon(&section.title)).lit(": ");
            }
            fact.lit("`").line(&document.slice(from..from + command.len())).lit("`");
            self.add(fact.finish());
        }
    }
}

fn whole(document: &Clean, text: &InlineText) -> Clean {
    shown_text(document, text, &(0..text.shown.len()))
}

/// Returns `Term: value` of a block that begins so, or with a term in bold or code and a dash.
fn definition(document: &Clean, text: &InlineText) -> Option<Clean> {
    let shown = text.shown.as_str();
    if shown.len() > LONGEST * 2 {
        return None;
    }
    let lead = text.spans.iter().find(|span| {
        span.shown.start == 0 && matches!(span.kind, SpanKind::Strong | SpanKind::Code) && span.shown.end < shown.len()
    });
    let marked = lead.and_then(|span| {
        let rest = &shown[span.shown.end..];
        let inside = shown[span.shown.clone()].trim_end();
        let value = rest.trim_start_matches([' ', ':', '：', '–', '—', '-', '=']);
        let has_mark =
            inside.ends_with([':', '：']) || rest.len() > value.len() && rest[..rest.len() - value.len()].trim() != "";
        has_mark.then(|| {
            (span.shown.start..span.shown.start + inside.trim_end_matches([':', '：']).len(), shown.len() - value.len())
        })
    });
    let plain = || {
        let ascii = memchr::memchr(b':', shown.as_bytes());
        let wide = if shown.is_ascii() { None } else { shown.find('：') };
        let at = ascii.into_iter().chain(wide).min()?;
        let mark = shown[at..].chars().next()?.len_utf8();
        let value = shown[at + mark..].trim_start();
        // `10:30`, `https://` and `a::b` define nothing.
        let is_spaced = mark > 1 || shown[at + mark..].starts_with([' ', '\n']);
        is_spaced.then(|| (0..shown[..at].trim_end().len(), shown.len() - value.len()))
    };
    let (term, value) = marked.or_else(plain)?;
    let name = shown[term.clone()].trim();
    let lower = name.to_lowercase();
    let short = if name.chars().any(is_cjk) { name.chars().count() <= 12 } else { words(name) <= TERM_WORDS };
    let rest = shown[value..].trim();
    if !short
        || name.is_empty()
        || NO_TERMS.contains(&lower.as_str())
        || words(rest) == 0
        || words(rest) > SENTENCE_WORDS
    {
        return None;
    }
    if name.ends_with(['.', '!', '?', ',']) || name.contains(". ") || !is_stated(shown, text, &(0..shown.len())) {
        return None;
    }
    let (term, value) = (shown_text(document, text, &term), shown_text(document, text, &(value..shown.len())));
    Some(CleanBuf::new().text(&term).lit(": ").text(&value).finish())
}

/// Returns whether a sentence says what the subject of its section is: `Cache is a …` below `# Cache`.
fn is_definition_of(sentence: &str, place: &Place) -> bool {
    let Some(section) = place.section() else { return false };
    let bare = sentence.trim_start_matches(['`', '*', '"']);
    // Most sentences begin with another letter than the title.
    let first = section.subject.bytes().next().zip(bare.bytes().next());
    let is_other = |(a, b): (u8, u8)| a.is_ascii() && b.is_ascii() && !a.eq_ignore_ascii_case(&b);
    let has_article = bare.get(..4).is_some_and(|article| article.eq_ignore_ascii_case("the "));
    if first.is_some_and(is_other) && !has_article {
        return false;
    }
    let bare = lower(bare);
    let rest = bare.strip_prefix("the ").unwrap_or(&bare).strip_prefix(&*section.subject).unwrap_or_default();
    let rest = rest.trim_start_matches('`');
    [" is ", " are ", " ist ", " sind ", " est ", " sont ", " es ", " son ", " é ", " são ", "は", "是"]
        .iter()
        .any(|verb| rest.starts_with(verb))
}

/// The search for the words of [`LIMITS`]; `None` only if it cannot be built.
static LIMITS_SEARCH: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| AhoCorasick::new(LIMITS).ok());

/// Returns whether a sentence holds a number with a unit, or a number or code with a word for a limit or a default.
fn has_measure(sentence: &str) -> bool {
    let has_digit = sentence.bytes().any(|b| b.is_ascii_digit());
    if !has_digit && !sentence.contains('`') {
        return false;
    }
    let lower = lower(sentence);
    let mut limits = LIMITS_SEARCH.iter().flat_map(|search| search.find_overlapping_iter(lower.as_ref()));
    let names_limit = limits.any(|found| {
        // Words of Chinese and Japanese stand in no spaces.
        !lower[found.range()].is_ascii()
            || !lower[..found.start()].ends_with(char::is_alphanumeric)
                && !lower[found.end()..].starts_with(char::is_alphanumeric)
    });
    if names_limit {
        return true;
    }
    has_digit && has_unit(&lower)
}

/// Returns whether a number in a sentence has a unit, in its word or as the next one.
fn has_unit(sentence: &str) -> bool {
    let is_end = |c: char| matches!(c, ' ' | '(' | ')' | ',' | ';');
    let mut rest = sentence;
    while let Some(digit) = rest.bytes().position(|byte| byte.is_ascii_digit()) {
        let is_money = rest[..digit].rsplit(is_end).next().is_some_and(|word| word.starts_with(['$', '€', '£']));
        let unit = rest[digit..].trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
        let (unit, next) = unit.split_once(is_end).unwrap_or((unit, ""));
        if is_money
            || is_unit(unit)
            || unit.is_empty() && is_unit(next.split(is_end).next().unwrap_or_default())
            || !unit.is_ascii() && CJK_UNITS.iter().any(|known| unit.starts_with(known))
        {
            return true;
        }
        rest = next;
    }
    false
}

fn is_unit(word: &str) -> bool {
    let word = word.trim_end_matches(['.', ':', '!']);
    word == "%" || is_size(word) || word.len() > 1 && UNITS.contains(&word)
}

fn is_size(word: &str) -> bool {
    matches!(word, "kb" | "mb" | "gb" | "tb" | "kib" | "mib" | "gib" | "tib" | "k" | "mbit" | "gbit" | "kbit")
}
