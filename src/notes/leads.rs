//! What stands above a block: headings in all but form, and what introduces a list.

use super::cues::{LONGEST, Strength, names_people, strength};
use super::reader::{Block, BlockKind, InlineText};
use super::references::is_offer;
use super::sections::{Meaning, Place, meaning, names_rules};
use super::sentences::{sentences, words};
use super::source::{quoted, shown_text, without_colon};
use super::statements::{begins_with_anaphor, is_instruction};
use super::words::{WordSet, lower, word_set};
use crate::redact::{Clean, CleanBuf};
use std::ops::Range;
use std::sync::LazyLock;

/// The longest introduction of a list that its items repeat, in words.
pub(super) const LEAD_WORDS: usize = 24;
/// The longest condition that a rule repeats, in words.
const CARRIED_WORDS: usize = 40;
/// A paragraph in bold with at most this many words is a heading,
const BOLD_WORDS: usize = 8;
/// of a level below all others.
const BOLD_LEVEL: u8 = 7;
/// An item without a colon that has others below it sets their condition if it has at most this many words.
const CONDITION_WORDS: usize = 8;

/// Words at the beginning of a heading or of what introduces a list that set a condition.
static CONDITIONS: LazyLock<WordSet> = LazyLock::new(|| word_set(super::sections::FILE, "condition"));

/// Words behind such a word that make it none: `In short`, `For example`.
static NO_CONDITIONS: LazyLock<WordSet> = LazyLock::new(|| word_set(super::sections::FILE, "no-condition"));

/// Returns whether a heading or an introduction sets a condition for what follows, such as `On release branches`.
pub(super) fn sets_condition(text: &str) -> bool {
    if text.len() > 300 {
        return false;
    }
    let lower = lower(text);
    let words = lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let mut words = words.skip_while(|word| word.bytes().all(|byte| byte.is_ascii_digit()));
    let (first, second) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let (mut count, mut has_condition) = (0, WHEN.contains(&second));
    for word in words {
        count += 1;
        has_condition |= WHEN.contains(&word);
    }
    // `In this document, …` sets none.
    let is_vague = match second {
        "" => true,
        "the" | "this" => count == 0,
        _ => NO_CONDITIONS.contains(second),
    } || first == "to" && count == 0
        || count > 10 && VAGUE.contains(&first);
    let in_brackets = || ["(only ", "(optional"].iter().any(|start| lower.contains(start));
    let is_cjk = || {
        ["場合", "とき", "時は", "前に", "後に", "如果", "之前", "之后", "时，", "时：", "時："]
            .iter()
            .any(|word| lower.contains(word))
    };
    has_condition
        || !is_vague && CONDITIONS.contains(first)
        || lower.contains('(') && in_brackets()
        || !lower.is_ascii() && is_cjk()
}

/// Words that set a condition wherever they stand.
const WHEN: [&str; 11] =
    ["if", "when", "unless", "while", "before", "after", "wenn", "falls", "cuando", "quando", "lorsque"];
/// Words that do not at the beginning of a long sentence.
const VAGUE: [&str; 10] = ["in", "to", "for", "with", "on", "en", "para", "pour", "für", "con"];

/// What introduces the items of an open list.
#[derive(Debug, Clone, Default)]
pub(super) struct Lead {
    /// The text that each rule repeats before the item, without a colon at its end.
    pub(super) carried: Option<Clean>,
    /// Whether the items are rules because of it.
    pub(super) are_rules: bool,
    /// Whether nothing is taken from the items: examples of what is wrong, or texts to read elsewhere.
    pub(super) is_wrong: bool,
    /// Whether it says what may come of something, so that the items oblige nobody.
    pub(super) tells_effects: bool,
    /// Whether the items are examples.
    pub(super) is_example: bool,
    /// The sentence before a list, as the source has it, if it is no heading.
    pub(super) sentence: Option<Clean>,
    /// Whether the items are ways that are offered, or programs and texts to look at, which oblige nobody.
    pub(super) offers: bool,
    /// The same with what introduces the lists around it, if it says when its items hold.
    pub(super) condition: Option<Clean>,
    /// The text itself, where it is short.
    pub(super) label: Option<Clean>,
    /// Whether there is a text, too long for a label.
    pub(super) is_long: bool,
    pub(super) is_ordered: bool,
}

/// Returns the rule with the text that it repeats before it.
pub(super) fn join(carried: Option<&Clean>, rule: &Clean) -> Clean {
    match carried {
        Some(carried) => CleanBuf::new().line(&without_colon(carried)).lit(": ").text(rule).finish(),
        None => rule.clone(),
    }
}

/// Returns the level of a heading, or of a paragraph that is one in all but form: in bold, short, and no sentence.
pub(super) fn heading_level(block: &Block, place: &Place) -> Option<u8> {
    let shown = block.text.shown.trim();
    match block.kind {
        BlockKind::Heading(level) => Some(level),
        BlockKind::Paragraph
            if block.depth == 0
                && !block.is_quoted
                && block.text.is_strong()
                && !shown.ends_with(['.', '!', '?', ':', '。', '：'])
                && words(shown) <= BOLD_WORDS
                && (strength(shown) != Some(Strength::Strong) || meaning(shown).is_some())
                && place.leads.is_empty() =>
        {
            Some(BOLD_LEVEL)
        }
        _ => None,
    }
}

/// Returns whether a sentence says what may come of something, such as `Breaking a rule may result in:`.
pub(super) fn tells_effects(sentence: &str) -> bool {
    let lower = sentence.to_lowercase();
    // `The job will:`, but not `A maintainer will:`
    let does = [" does the following", " will do the following", " will:"].iter().find_map(|end| lower.find(end));
    does.is_some_and(|at| !names_people(&lower[..at]))
        || [
            "result in",
            "lead to",
            "leads to",
            "consequences",
            "zur folge",
            "führen zu",
            "führt zu",
            "entraîner",
            "resultar en",
        ]
        .iter()
        .chain(&["consecuencias", "resultar em", "consequências", "可能导致", "后果", "結果になる", "処分"])
        .any(|words| lower.contains(words))
}

/// Returns what introduces a list: the text before it, if it ends with a colon or is a heading in all but form.
pub(super) fn lead(document: &Clean, place: &Place, before: Option<&Block>, is_ordered: bool) -> Lead {
    let inherited = place.leads.last();
    let outer_condition = inherited.and_then(|lead| lead.condition.clone());
    let is_example = inherited.is_some_and(|lead| lead.is_example);
    let tells = inherited.is_some_and(|lead| lead.tells_effects);
    let offered = inherited.is_some_and(|lead| lead.offers);
    let mut lead = Lead {
        is_ordered,
        is_example,
        tells_effects: tells,
        offers: offered,
        condition: outer_condition.clone(),
        ..Default::default()
    };
    let Some(before) = before else { return lead };
    let text = &before.text;
    let shown = text.shown.trim();
    let ends_with_colon = shown.ends_with([':', '：']);
    let is_item = matches!(before.kind, BlockKind::Item);
    // What a heading means is known from the place.
    if shown.len() > LONGEST || matches!(before.kind, BlockKind::Heading(_)) && !ends_with_colon {
        return lead;
    }
    let meaning = meaning(shown);
    let is_label = is_item && words(shown) <= CONDITION_WORDS && !shown.ends_with(['.', '!', '。']);
    let begins_list = ends_with_colon || text.is_strong() || meaning == Some(Meaning::Forbid);
    let offers = matches!(before.kind, BlockKind::Item | BlockKind::Paragraph) && is_offer(shown);
    if !(begins_list || offers || is_label && sets_condition(shown)) {
        return lead;
    }
    // The last sentence introduces the list.
    let range = sentences(text).pop().unwrap_or(0..0);
    let sentence = &text.shown[range.clone()];
    let bare = range.start..range.start + sentence.trim_end_matches([':', '：', ' ']).len();
    if bare.is_empty() {
        return lead;
    }
    let count = words(sentence);
    let quoted = whole_markup(document, text, &bare);
    if offers && is_offer(sentence) {
        lead.offers = true;
        if count <= CARRIED_WORDS {
            lead.condition = Some(join(outer_condition.as_ref(), &quoted));
        }
        // What is offered obliges nobody, whatever else its sentence says.
        return Lead { sentence: ends_with_colon.then_some(quoted).filter(|_| count <= LEAD_WORDS), ..lead };
    }
    if meaning == Some(Meaning::Skip) || names_reading(sentence) {
        lead.is_wrong = true;
        return lead;
    }
    lead.is_example |= names_examples(sentence);
    if meaning.is_none() && count <= CARRIED_WORDS && !lead.is_example && sets_condition(sentence) {
        lead.condition = Some(join(outer_condition.as_ref(), &quoted));
    }
    if !begins_list {
        return lead;
    }
    let own = strength(&text.shown[bare.clone()]);
    lead.is_long = count > 8;
    lead.tells_effects |= tells_effects(sentence);
    lead.label = (!lead.is_long).then(|| shown_text(document, text, &bare));
    lead.is_wrong = meaning == Some(Meaning::Wrong);
    let carries = matches!(meaning, Some(Meaning::Forbid | Meaning::Bind))
        || own == Some(Strength::Strong)
        || own == Some(Strength::Weak) && !is_ordered;
    let outer = inherited.filter(|lead| is_item && lead.are_rules);
    let announces_rules = ends_with_colon && names_rules(sentence) && !lead.tells_effects;
    let instructs = place.binds()
        && !is_ordered
        && ends_with_colon
        && (4..=LEAD_WORDS).contains(&count)
        && is_instruction(sentence);
    let carries = (carries || instructs) && !announces_rules && !lead.tells_effects;
    if ends_with_colon && count <= LEAD_WORDS && !announces_rules && meaning.is_none() {
        lead.sentence = Some(quoted.clone());
    }
    lead.are_rules = carries || meaning == Some(Meaning::Rules) || announces_rules || outer.is_some();
    if carries || outer.is_some() {
        // `They should be:` needs the heading that says what they are, and perhaps when.
        let subject = place.section().filter(|_| begins_with_anaphor(sentence)).map(|section| &section.title);
        let outer = outer.and_then(|outer| outer.carried.as_ref()).or(outer_condition.as_ref());
        lead.carried = Some(join(outer, &join(subject, &quoted)));
    }
    lead
}

/// Returns a part of a block with its markup, or without where that begins or ends outside.
fn whole_markup(document: &Clean, text: &InlineText, shown: &Range<usize>) -> Clean {
    let quoted = without_colon(&quoted(document, text, shown));
    match ["**", "__"].iter().all(|mark| quoted.matches(mark).count().is_multiple_of(2)) {
        true => quoted,
        false => shown_text(document, text, shown),
    }
}

/// Returns whether a sentence introduces texts to read elsewhere, such as `Further reading:`.
fn names_reading(sentence: &str) -> bool {
    let lower = lower(&sentence[..sentence.floor_char_boundary(40)]);
    ["further reading", "see also", "references:", "related reading", "weiterführend", "voir aussi", "véase también"]
        .iter()
        .any(|start| lower.starts_with(start))
}

/// Returns whether a sentence introduces examples of what was said, such as `For example:`.
fn names_examples(sentence: &str) -> bool {
    let lower = sentence.trim_end_matches([':', '：', ' ', ',']).to_lowercase();
    let names = [
        "example",
        "examples",
        "e.g.",
        "for instance",
        "such as",
        "beispiel",
        "beispiele",
        "z.b.",
        "exemple",
        "ejemplo",
        "exemplo",
        "例",
    ];
    let is_short = words(&lower) <= 5;
    names.iter().any(|name| lower.ends_with(name) || is_short && lower.contains(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_are_told_from_other_beginnings() {
        for text in [
            "On release branches",
            "3. If the build fails",
            "Before you submit:",
            "Cleanup (optional)",
            "Do this when it fails:",
            "リリースの前に",
        ] {
            assert!(sets_condition(text), "{text}");
        }
        for text in ["In short", "For example:", "To do", "Tests", "The rules:", "Online help"] {
            assert!(!sets_condition(text), "{text}");
        }
    }
}
