//! Where in a document a block stands: its headings, what they mean, and what introduces its list.

use super::leads::{Lead, sets_condition};
use super::words::{FixedHash, WordSet, lists, lower, word_set};
use crate::redact::Clean;
use std::collections::HashMap;
use std::sync::LazyLock;

/// Titles by their meaning, one list a line.
pub(super) const FILE: &str = include_str!("headings.txt");

/// How many bytes of a title a definition of it repeats.
const SUBJECT: usize = 60;

/// The meaning of a heading, or of what introduces a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Meaning {
    /// What follows are rules.
    Rules,
    /// What follows is forbidden; each rule below repeats the heading.
    Forbid,
    /// What follows is required, allowed or an exception; each rule below repeats the heading.
    Bind,
    /// Nothing below is worth a note: a licence, a table of contents, thanks.
    Skip,
    /// Examples of what is wrong.
    Wrong,
    /// What readers look for first.
    Main,
    /// What changed in a version, which asks nothing of a reader.
    Version,
}

static MEANINGS: LazyLock<HashMap<&'static str, Meaning, FixedHash>> = LazyLock::new(|| {
    let mut meanings = HashMap::default();
    for (name, titles) in lists(FILE) {
        let meaning = match name {
            "rules" => Meaning::Rules,
            "forbid" => Meaning::Forbid,
            "bind" => Meaning::Bind,
            "skip" => Meaning::Skip,
            "wrong" => Meaning::Wrong,
            "main" => Meaning::Main,
            _ => continue,
        };
        for title in titles {
            meanings.entry(title).or_insert(meaning);
        }
    }
    meanings
});

/// Last words of a title that make it one of rules, such as `Branch naming conventions`.
const RULE_NOUNS: [&str; 22] = [
    "rules",
    "policy",
    "policies",
    "guidelines",
    "conventions",
    "standards",
    "principles",
    "practices",
    "constraints",
    "guardrails",
    "regeln",
    "richtlinien",
    "konventionen",
    "règles",
    "reglas",
    "regras",
    "directrices",
    "diretrizes",
    "convenciones",
    "convenções",
    "normas",
    "consignes",
];

/// First words of a title that make it one of rules, such as `Règles de travail`.
const FIRST_RULE_NOUNS: [&str; 10] = [
    "rules",
    "guidelines",
    "conventions",
    "regeln",
    "richtlinien",
    "règles",
    "consignes",
    "reglas",
    "normas",
    "regras",
];

/// Heads of the columns of a table whose cells are rules.
const RULE_COLUMNS: [&str; 15] = [
    "rule",
    "rules",
    "do",
    "dos",
    "do this",
    "guideline",
    "guidelines",
    "regel",
    "regeln",
    "règle",
    "regla",
    "regra",
    "规则",
    "ルール",
    "規則",
];

/// Returns what the head of a column says of its cells: that they are rules, forbidden or wrong.
pub(super) fn column_meaning(head: &str) -> Option<Meaning> {
    match meaning(head)? {
        Meaning::Rules => RULE_COLUMNS.contains(&head.trim().to_lowercase().as_str()).then_some(Meaning::Rules),
        found => matches!(found, Meaning::Forbid | Meaning::Wrong).then_some(found),
    }
}

/// Endings of Chinese and Japanese titles of rules.
const RULE_ENDINGS: [&str; 12] =
    ["規則", "ルール", "ガイドライン", "規約", "方針", "ポリシー", "规则", "规范", "准则", "约定", "原則", "原则"];

/// Returns the meaning of a title, or of the text that introduces a list.
pub(super) fn meaning(title: &str) -> Option<Meaning> {
    // A title is short.
    if title.len() > 200 {
        return None;
    }
    let lower = title.to_lowercase();
    let bare = match lower.split_once(['(', '（']) {
        Some((before, _)) if before.chars().any(char::is_alphanumeric) => before,
        _ => &lower,
    };
    let mut words: Vec<&str> = bare.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let numbers = words.iter().take_while(|word| word.bytes().all(|b| b.is_ascii_digit())).count();
    if numbers < words.len() {
        words.drain(..numbers);
    }
    let phrase = words.join(" ");
    let is_to_avoid =
        words.len() <= 8 && [" to avoid", " zu vermeiden", " à éviter"].iter().any(|end| phrase.ends_with(end));
    let forbids_by_mark = is_to_avoid || title.trim_start().starts_with(['❌', '🚫', '⛔', '✗', '✘']);
    let found = MEANINGS.get(phrase.as_str()).copied().or_else(|| {
        let is_rules = words.len() <= 6
            && (words.last().is_some_and(|last| RULE_NOUNS.contains(last))
                || words.first().is_some_and(|first| FIRST_RULE_NOUNS.contains(first))
                || RULE_ENDINGS.iter().any(|ending| phrase.ends_with(ending)));
        is_rules.then_some(Meaning::Rules)
    });
    if forbids_by_mark && !matches!(found, Some(Meaning::Skip | Meaning::Wrong)) {
        return Some(Meaning::Forbid);
    }
    found.or_else(|| match words.as_slice() {
        ["forbidden" | "prohibited" | "disallowed" | "banned", _] => Some(Meaning::Forbid),
        ["allowed" | "permitted", _] => Some(Meaning::Bind),
        _ => is_version(&lower).then_some(Meaning::Version),
    })
}

/// Returns whether a document with this title tells what changed.
fn is_history(title: &str) -> bool {
    let lower = title.to_lowercase();
    ["changelog", "change log", "release notes", "history", "änderungsverlauf", "変更履歴", "更新日志"]
        .iter()
        .any(|name| lower.contains(name))
        || lower.split_whitespace().next_back() == Some("news")
}

/// Returns whether a title is nothing but a version and a date, such as `[1.2.0] - 2024-05-01`.
fn is_version(title: &str) -> bool {
    let title = title.trim().trim_start_matches(['#', ' ', '[']);
    if title.trim_end_matches(']') == "unreleased" {
        return true;
    }
    if title.starts_with("changes between ") || title.starts_with("changes in ") {
        return true;
    }
    let title = title.split_once(['(', '（']).map_or(title, |(before, _)| before);
    let bare = title.strip_prefix("version").unwrap_or(title).trim_start().trim_start_matches('v');
    let number = bare.bytes().take_while(|byte| byte.is_ascii_digit() || *byte == b'.').count();
    let is_mark = |c: char| !c.is_alphabetic() || matches!(c, 'a' | 'b' | 'r' | 'c');
    bare[..number].trim_end_matches('.').contains('.') && bare[number..].chars().all(is_mark)
}

/// Words that make what follows `Please follow these guidelines:` rules.
const ANNOUNCEMENTS: [&str; 12] = [
    "rules",
    "guidelines",
    "conventions",
    "requirements",
    "regeln",
    "richtlinien",
    "règles",
    "reglas",
    "regras",
    "normas",
    "consignes",
    "anforderungen",
];

/// Returns whether a sentence speaks of rules, such as `Please follow these guidelines:`.
pub(super) fn names_rules(sentence: &str) -> bool {
    let lower = sentence.to_lowercase();
    // `The guidelines are based on the following books:` announces books.
    let named = lower.split_once("following ").map_or(lower.as_str(), |(_, named)| named);
    named.split(|c: char| !c.is_alphanumeric()).any(|word| ANNOUNCEMENTS.contains(&word))
        || RULE_ENDINGS.iter().any(|word| lower.contains(word))
}

/// Words in the title of a document that binds its readers, so that its instructions are rules.
static BINDING: LazyLock<WordSet> = LazyLock::new(|| word_set(FILE, "binds"));

/// The same of Chinese and Japanese titles.
const BINDING_PARTS: [&str; 16] = [
    "規約",
    "ガイドライン",
    "コントリビュー",
    "貢献",
    "手順書",
    "運用",
    "规范",
    "贡献",
    "指南",
    "准则",
    "守则",
    "流程",
    "ルール",
    "ポリシー",
    "规则",
    "方針",
];

/// Words in the title of a section that teaches or shows, whose instructions bind nobody.
static TEACHING: LazyLock<WordSet> = LazyLock::new(|| word_set(FILE, "teaches"));

/// Words in the title of a section that says how a program works, or why it does.
static DESCRIBING: LazyLock<WordSet> = LazyLock::new(|| word_set(FILE, "describes"));

/// Words in the title of a document about style.
const STYLE: [&str; 10] = [
    "style",
    "styleguide",
    "conventions",
    "convention",
    "naming",
    "formatting",
    "konventionen",
    "convenciones",
    "convenções",
    "stil",
];

/// Returns whether a title begins or ends with a word of those sections, or names examples.
fn teaches(title: &str) -> bool {
    let mut words = title
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty() && !word.bytes().all(|b| b.is_ascii_digit()));
    let is_one = |word: Option<&str>| word.is_some_and(|word| TEACHING.contains(word));
    is_one(words.next()) || is_one(words.next_back()) || words.any(|word| matches!(word, "example" | "examples"))
}

/// Words in a short title of a document about the work on a project, and in those of its sections, whose commands are
/// steps of that work.
static WORK: LazyLock<WordSet> = LazyLock::new(|| word_set(FILE, "work"));

/// The same of Chinese and Japanese titles.
const WORK_PARTS: [&str; 8] = ["テスト", "開発", "リリース", "デプロイ", "测试", "开发", "发布", "部署"];

/// Returns whether a title speaks of work on a project.
fn names_work(title: &str) -> bool {
    title.split(|c: char| !c.is_alphanumeric()).any(|word| WORK.contains(word))
        || !title.is_ascii() && WORK_PARTS.iter().any(|part| title.contains(part))
}

/// Returns whether the title, the type or the file name of a document says that its instructions are rules.
pub fn is_binding(title: &str) -> bool {
    if title.len() > 200 {
        return false;
    }
    let lower = title.to_lowercase().replace(['-', '_', '.'], " ");
    // `Release notes` tell what changed.
    let is_notes =
        ["release notes", "release history", "changelog", "change log"].iter().any(|name| lower.contains(name));
    !is_notes
        && (lower
            .split(|c: char| c.is_whitespace() || matches!(c, ':' | '/' | '(' | ')' | '`' | ','))
            .any(|word| BINDING.contains(word))
            || names_work(&lower) && lower.split_whitespace().count() <= 2
            || BINDING_PARTS.iter().any(|part| lower.contains(part)))
}

/// Returns whether a title names a version or a variant, such as `Protocol 2`, which sets its section apart from others.
fn is_variant(title: &str) -> bool {
    const COUNTED: [&str; 8] = ["step", "phase", "part", "chapter", "appendix", "schritt", "level", "rule"];
    let mut words = title.split_whitespace().filter(|word| word.contains(char::is_alphanumeric));
    let (Some(first), Some(last)) = (words.next(), words.next_back()) else { return false };
    title.len() <= SUBJECT
        && last.trim_start_matches(['v', 'V']).starts_with(|c: char| c.is_ascii_digit())
        && !COUNTED.iter().any(|word| first.eq_ignore_ascii_case(word))
}

/// An open heading.
#[derive(Debug, Clone)]
pub(super) struct Section {
    pub(super) level: u8,
    pub(super) title: Clean,
    /// The beginning of the title in lower case, by which a sentence that defines it is known.
    pub(super) subject: String,
    pub(super) meaning: Option<Meaning>,
    /// Whether its rules hold only under what the title says: a condition, a version or a variant.
    pub(super) limits: bool,
    /// Whether it is the first of the document, which names all of it.
    pub(super) is_title: bool,
    /// Whether it teaches or shows.
    teaches: bool,
    /// Whether it says how a program works.
    describes: bool,
    /// Whether it says how work on a project is done, so that its commands are steps.
    is_procedure: bool,
}

/// The open headings and lists at a place in a document.
#[derive(Debug, Default)]
pub(super) struct Place {
    sections: Vec<Section>,
    /// Whether what the document is called says that its instructions are rules.
    binds: bool,
    /// Whether it is about style or conventions, so that a heading may be a rule.
    pub(super) is_style: bool,
    pub(super) leads: Vec<Lead>,
    /// How many headings there were so far.
    pub(super) headings: usize,
}

impl Place {
    /// Returns the beginning of a document; `binds` if its type or its name says that its instructions are rules.
    pub(super) fn new(binds: bool) -> Self {
        Self { binds, ..Self::default() }
    }

    /// Enters the section of a heading. The first heading of a document is its title and never skips it.
    pub(super) fn enter(&mut self, level: u8, title: Clean) {
        while self.sections.pop_if(|section| section.level >= level).is_some() {}
        let is_title = self.headings == 0;
        let meaning = match meaning(&title) {
            Some(Meaning::Skip) if is_title => is_history(&title).then_some(Meaning::Version),
            found => found,
        };
        let subject = lower(&title[..title.floor_char_boundary(SUBJECT)]).trim_matches('`').to_owned();
        if is_title {
            self.binds |= is_binding(&title);
            self.is_style = subject.split(|c: char| !c.is_alphanumeric()).any(|word| STYLE.contains(&word));
        }
        let teaches = !is_title && teaches(&subject);
        let limits = !is_title && (is_variant(&title) || sets_condition(&title));
        let is_procedure = !is_title && names_work(&subject);
        let describes = !is_title
            && subject.split(|c: char| !c.is_alphanumeric()).any(|word| DESCRIBING.contains(word))
            || subject.starts_with("how ") && subject.ends_with(" works");
        self.sections.push(Section {
            level,
            title,
            subject,
            meaning,
            limits,
            is_title,
            teaches,
            describes,
            is_procedure,
        });
        self.headings += 1;
        self.leads.clear();
    }

    /// Returns whether instructions bind here: the document's title says so, and no section teaches or shows.
    pub(super) fn binds(&self) -> bool {
        self.binds && !self.sections.iter().any(|section| section.teaches)
    }

    /// Returns whether what is said to be done here is a rule: the document binds, and no section says how a program works.
    pub(super) fn has_norms(&self) -> bool {
        self.binds() && !self.sections.iter().any(|section| section.describes)
    }

    /// Returns whether commands here are steps of the work on the project.
    pub(super) fn is_procedure(&self) -> bool {
        let teaches = self.sections.iter().any(|section| section.teaches);
        !teaches && (self.binds || self.sections.iter().any(|section| section.is_procedure))
    }

    /// Returns the innermost heading that says when, or of which version, the rules below it hold.
    pub(super) fn limit(&self) -> Option<&Section> {
        self.sections.iter().rev().find(|section| section.limits)
    }

    /// Returns the innermost heading.
    pub(super) fn section(&self) -> Option<&Section> {
        self.sections.last()
    }

    /// Returns the titles of all headings that the place is below.
    pub(super) fn titles(&self) -> impl Iterator<Item = &Clean> {
        self.sections.iter().map(|section| &section.title)
    }

    /// Returns the innermost heading with a meaning for rules.
    pub(super) fn ruling(&self) -> Option<&Section> {
        let rules =
            |it: &&Section| it.meaning.is_some_and(|meaning| !matches!(meaning, Meaning::Main | Meaning::Version));
        self.sections.iter().rev().find(rules)
    }

    /// Returns whether there are further headings below `section`.
    pub(super) fn is_below(&self, section: &Section) -> bool {
        self.sections.last().is_some_and(|last| last.level > section.level)
    }

    /// Returns whether nothing here is worth a note.
    pub(super) fn is_skipped(&self) -> bool {
        self.sections.iter().any(|section| section.meaning == Some(Meaning::Skip))
    }

    /// Returns whether this tells what changed in a version.
    pub(super) fn is_history(&self) -> bool {
        self.sections.iter().any(|section| section.meaning == Some(Meaning::Version))
    }

    /// Returns whether this is an example of what is wrong.
    pub(super) fn is_wrong(&self) -> bool {
        self.sections.last().is_some_and(|section| section.meaning == Some(Meaning::Wrong))
            || self.leads.iter().any(|lead| lead.is_wrong)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_that_bind_are_told_from_others() {
        assert!(is_binding("Contributing to X") && is_binding("Guide for maintainers") && is_binding("贡献指南"));
        assert!(!is_binding("X") && !is_binding("Release notes") && !is_binding("User guide"));
        assert!(
            is_variant("Protocol 2") && is_variant("Node v20") && !is_variant("Step 2") && !is_variant("2. Reasons")
        );
    }

    #[test]
    fn titles_are_known_by_their_meaning() {
        for (title, expected) in [
            ("## 2. Rules", Meaning::Rules),
            ("Branch naming conventions", Meaning::Rules),
            ("Don'ts", Meaning::Forbid),
            ("Don’t", Meaning::Forbid),
            ("🚫 Never (hard stops)", Meaning::Forbid),
            ("禁止事項", Meaning::Forbid),
            ("Verboten", Meaning::Forbid),
            ("License", Meaning::Skip),
            ("❌ Wrong", Meaning::Wrong),
            ("Usage", Meaning::Main),
            ("3. Prohibited Operations", Meaning::Forbid),
            ("Allowed operations", Meaning::Bind),
            ("[1.2.0] - 2024-05-01", Meaning::Version),
            ("v0.13.1", Meaning::Version),
            ("提交规范", Meaning::Rules),
        ] {
            assert_eq!(meaning(title), Some(expected), "{title}");
        }
        for title in
            ["Never gonna give you up", "The history of rules we had", "Background", "1.1 Motives", "2.1. Reasons"]
        {
            assert_eq!(meaning(title), None, "{title}");
        }
    }
}
