//! Rules: sentences that oblige or forbid, and the items of lists that are introduced as rules, word for word.

use super::cues::{Strength, limits_before, strength};
use super::reader::{Block, BlockKind, InlineText};
use super::sections::{Meaning, Place, column_meaning, is_variant};
use super::sentences::words;
use super::source::{quoted, shown_text, without_colon};
use super::statements::{begins_with_anaphor, is_instruction, is_link, is_stated, is_step, is_urgent, needs_subject};
use crate::redact::{Clean, CleanBuf};
use std::collections::BTreeSet;
use std::ops::Range;

/// The longest rule, in bytes. A longer one is left out and counted, since a rule is never shortened.
const LONGEST: usize = 1_000;
/// An item of a list of rules with at most this many words is one rule, with all of its sentences.
const WHOLE_ITEM: usize = 40;
/// A sentence before a rule is added for what `it` means if both have at most this many words.
const WITH_ANTECEDENT: usize = 50;

/// A code block with at most so many lines and bytes stands in the rule that introduces it.
const CODE_LINES: usize = 4;
const CODE_BYTES: usize = 300;
/// The longest introduction of a list that its items repeat, in words.
const LEAD_WORDS: usize = 24;
/// What stands in a rule for what follows it in the document.
pub(super) const ELSEWHERE: &str = " (see the document)";

/// A paragraph in bold with at most this many words is a heading,
const BOLD_WORDS: usize = 8;
/// of a level below all others.
const BOLD_LEVEL: u8 = 7;

/// The rules of a document so far, at most a number of each strength.
#[derive(Debug)]
pub(super) struct Rules {
    most: usize,
    strong: Vec<(usize, Clean)>,
    weak: Vec<(usize, Clean)>,
    listed: Vec<(usize, Clean)>,
    /// A rule that ends with a colon, until the next block says what it speaks of.
    open: Option<(Clean, Strength)>,
    known: BTreeSet<String>,
    /// The columns of the table that is being read.
    columns: Vec<Column>,
    found: usize,
    /// How many rules were left out.
    left_out: usize,
}

impl Rules {
    pub(super) fn new(most: usize) -> Self {
        Self {
            most,
            strong: Vec::new(),
            weak: Vec::new(),
            listed: Vec::new(),
            open: None,
            known: BTreeSet::new(),
            columns: Vec::new(),
            found: 0,
            left_out: 0,
        }
    }

    /// Returns the rules in the order of the document, and how many were left out: first those that bind least.
    pub(super) fn finish(mut self) -> (Vec<Clean>, usize) {
        self.close(None, false);
        let mut rules = self.strong;
        rules.extend(self.weak);
        rules.extend(self.listed);
        let left_out = self.left_out + rules.len().saturating_sub(self.most);
        rules.truncate(self.most);
        rules.sort_by_key(|(at, _)| *at);
        (rules.into_iter().map(|(_, rule)| rule).collect(), left_out)
    }

    /// Adds the rule that ended with a colon, with the code behind it, or says that the document has what is missing.
    fn close(&mut self, code: Option<&Clean>, is_code: bool) {
        if let Some((rule, strength)) = self.open.take() {
            let mut whole = CleanBuf::new();
            whole.text(&rule);
            match code {
                Some(code) => whole.lit(" ").text(code),
                None => whole.lit(ELSEWHERE),
            };
            // An instruction without what it speaks of says nothing, but a step with long code must not be missed.
            if code.is_some() || is_code || strength > Strength::Listed {
                self.add(whole.finish(), strength);
            }
        }
    }

    /// A list begins, whose items repeat what introduces them.
    pub(super) fn begin_list(&mut self) {
        self.open = None;
    }

    fn add(&mut self, rule: Clean, strength: Strength) {
        let key = rule.trim_end_matches(['.', '!', ' ']).to_lowercase();
        if key.is_empty() || self.known.contains(&key) {
            return;
        }
        let list = match strength {
            Strength::Strong => &mut self.strong,
            Strength::Weak => &mut self.weak,
            Strength::Listed => &mut self.listed,
        };
        if list.len() >= self.most || rule.len() > LONGEST {
            self.left_out += 1;
            return;
        }
        self.found += 1;
        self.known.insert(key);
        list.push((self.found, rule));
    }

    /// Adds the rules of a block, and returns for each of its sentences whether it is part of one.
    pub(super) fn read(
        &mut self,
        document: &Clean,
        place: &Place,
        block: &Block,
        sentences: &[Range<usize>],
    ) -> Vec<bool> {
        let mut used = vec![false; sentences.len()];
        if self.open.is_some() {
            let code = match &block.kind {
                BlockKind::Code { ranges, .. } => short_code(document, ranges),
                _ => None,
            };
            self.close(code.as_ref(), matches!(block.kind, BlockKind::Code { .. }));
        }
        if block.is_quoted || place.is_skipped() || place.is_wrong() || place.is_history() {
            return used;
        }
        match &block.kind {
            BlockKind::Heading(_) => self.heading(document, &block.text),
            BlockKind::Item | BlockKind::Paragraph => {
                if self.listed(document, place, block, sentences) {
                    used.fill(true);
                } else {
                    self.stated(document, place, block, sentences, &mut used);
                }
            }
            BlockKind::Row { is_head: true, cells } => self.columns = columns(document, cells),
            BlockKind::Row { is_head: false, cells } => self.row(document, place, cells),
            _ => {}
        }
        used
    }

    /// Adds the cells of a row that are rules by their own words or by the head of their column.
    fn row(&mut self, document: &Clean, place: &Place, cells: &[InlineText]) {
        let in_rules = place.ruling().is_some_and(|it| it.meaning == Some(Meaning::Rules));
        let least = if in_rules { 3 } else { 6 };
        for (index, cell) in cells.iter().enumerate() {
            let range = 0..cell.shown.trim_end().len();
            let column = self.columns.get(index).and_then(Option::as_ref);
            let count = words(&cell.shown);
            if count == 0 || !is_stated(&cell.shown, cell, &range) {
                continue;
            }
            let (carried, strength) = match column.map(|(meaning, head)| (*meaning, head)) {
                Some((Meaning::Wrong, _)) => continue,
                Some((Meaning::Forbid, head)) => (Some(head), Strength::Strong),
                Some(_) if count >= 2 => (None, strength(&cell.shown).unwrap_or(Strength::Listed)),
                _ if count >= least && strength(&cell.shown) == Some(Strength::Strong) => (None, Strength::Strong),
                _ => continue,
            };
            self.add(join(carried, &quoted(document, cell, &range)), strength);
        }
    }

    /// Adds a heading that is itself a rule, such as `Never commit secrets`.
    fn heading(&mut self, document: &Clean, title: &InlineText) {
        let range = 0..title.shown.trim_end().len();
        if words(&title.shown) >= 3
            && super::sections::meaning(&title.shown).is_none()
            && is_stated(&title.shown, title, &range)
            && strength(&title.shown) == Some(Strength::Strong)
        {
            self.add(quoted(document, title, &range), Strength::Strong);
        }
    }

    /// Adds a block as a rule because of the heading or the text that introduces it; returns whether it is one.
    fn listed(&mut self, document: &Clean, place: &Place, block: &Block, sentences: &[Range<usize>]) -> bool {
        let (Some(first), Some(last)) = (sentences.first(), sentences.last()) else { return false };
        let lead = place.leads.last();
        let ruling = place.ruling();
        let meaning = ruling.and_then(|section| section.meaning);
        let is_item = matches!(block.kind, BlockKind::Item);
        let by_lead = is_item && lead.is_some_and(|lead| lead.are_rules);
        let by_heading = match meaning {
            // Further below, another heading may say the opposite: `Smells` in a guide of principles.
            Some(Meaning::Rules) => {
                is_item && block.depth == 1 && !ruling.is_some_and(|section| place.is_below(section))
            }
            Some(Meaning::Bind) => is_item && block.depth == 1,
            // A paragraph below `Never` is forbidden too; explanations of an item are not.
            Some(Meaning::Forbid) => block.depth == usize::from(is_item) && !block.text.shown.ends_with([':', '：']),
            _ => false,
        };
        if !by_lead && !by_heading || block.is_footnote {
            return false;
        }
        let all = first.start..last.end;
        let whole = if words(&block.text.shown[all.clone()]) <= WHOLE_ITEM {
            all
        } else {
            with_exceptions(&block.text.shown, sentences, 0).0
        };
        let text = &block.text.shown[whole.clone()];
        let lower = text.get(..13).map(str::to_ascii_lowercase);
        if !is_stated(text, &block.text, &whole)
            || text.ends_with([':', '：'])
            || is_link(&block.text, &whole)
            || lead.is_some_and(|lead| lead.tells_effects) && strength(text).is_none()
            || is_label(block, text)
            || is_statistic(text)
            || lower.is_some_and(|start| start == "check out our")
        {
            return false;
        }
        let own = strength(text);
        let carried = match (lead.filter(|_| by_lead).and_then(|lead| lead.carried.clone()), meaning) {
            (Some(carried), _) => Some(carried),
            (None, Some(Meaning::Forbid | Meaning::Bind)) if !by_lead => ruling.map(|section| section.title.clone()),
            (None, _) if by_heading => lead
                .and_then(|lead| lead.sentence.clone())
                .or_else(|| place.section().filter(|_| needs_subject(text)).map(|section| section.title.clone())),
            _ => None,
        };
        let rule = quoted(document, &block.text, &whole);
        let by_carried = carried.as_ref().and_then(|carried| match meaning {
            Some(Meaning::Forbid | Meaning::Bind) if !by_lead => Some(Strength::Strong),
            _ if by_lead => strength(carried).or(Some(Strength::Strong)),
            _ => strength(carried),
        });
        let strength = own.max(by_carried).unwrap_or(Strength::Listed);
        self.add(join(carried.as_ref(), &rule), strength);
        // What follows the first sentence of a long item may hold rules of its own.
        let rest: Vec<_> = sentences.iter().filter(|it| it.start >= whole.end).cloned().collect();
        let mut used = vec![false; rest.len()];
        self.stated(document, place, block, &rest, &mut used);
        true
    }

    /// Adds the sentences of a block that are rules by their own words.
    fn stated(
        &mut self,
        document: &Clean,
        place: &Place,
        block: &Block,
        sentences: &[Range<usize>],
        used: &mut [bool],
    ) {
        let text = &block.text;
        // Instructions below `Requirements` are some as well, while its other items may be programs to install.
        let in_rules = place.binds()
            || place.ruling().and_then(|section| section.meaning) == Some(Meaning::Rules)
            || place.section().is_some_and(|section| section.subject.ends_with("requirements"));
        let is_item = matches!(block.kind, BlockKind::Item);
        let lead = place.leads.last();
        let mut next = 0;
        for (index, range) in sentences.iter().enumerate() {
            let sentence = &text.shown[range.clone()];
            let is_cut = sentence.ends_with('…') || sentence.trim_end_matches(['_', '*']).ends_with("...");
            if index < next || !is_stated(sentence, text, range) || is_cut {
                continue;
            }
            let instructs = || {
                let is_ordered = index == 0 && is_item && place.binds() && lead.is_some_and(|lead| lead.is_ordered);
                let is_step = is_ordered && is_step(sentence);
                words(sentence) >= if is_step { 2 } else { 3 }
                    && !block.is_footnote
                    && !is_link(text, range)
                    && !lead.is_some_and(|lead| lead.is_example)
                    && (is_step
                        || (in_rules || is_urgent(sentence) || precedes_work(sentence)) && is_instruction(sentence))
            };
            let found = strength(sentence).or_else(|| instructs().then_some(Strength::Listed));
            let Some(strength) = found else { continue };
            let (mut whole, end) = with_exceptions(&text.shown, sentences, index);
            next = end;
            let mut carried = None;
            if needs_subject(sentence) {
                let before = index.checked_sub(1).and_then(|before| Some((before, sentences.get(before)?)));
                match before {
                    Some((before, range))
                        if !used[before] && words(&text.shown[range.start..whole.end]) <= WITH_ANTECEDENT =>
                    {
                        whole.start = range.start;
                        used[before] = true;
                    }
                    Some((before, _)) if used[before] && !begins_with_anaphor(sentence) => {}
                    _ => carried = self.scope(place, is_item),
                }
            } else if let Some(section) = place.section().filter(|section| is_variant(&section.title)) {
                carried = Some(section.title.clone());
            } else if strength == Strength::Listed && is_item && lead.is_some_and(|lead| lead.is_ordered) {
                carried = self.scope(place, is_item);
            }
            used[index..end].fill(true);
            let rule = join(carried.as_ref(), &quoted(document, text, &whole));
            if rule.ends_with([':', '：']) || sentence.ends_with([':', '：']) {
                // What follows belongs to it.
                if end == sentences.len() {
                    self.open = Some((rule, strength));
                }
            } else {
                self.add(rule, strength);
            }
        }
    }

    /// Returns what tells the subject of a rule that does not name it: what introduces its list, or the heading.
    fn scope(&self, place: &Place, is_item: bool) -> Option<Clean> {
        let lead = place.leads.last().filter(|_| is_item);
        lead.and_then(|lead| lead.carried.clone().or_else(|| lead.sentence.clone()))
            .or_else(|| place.section().map(|section| section.title.clone()))
    }
}

/// Returns whether an item is nothing but a label in bold of what stands below it.
fn is_label(block: &Block, text: &str) -> bool {
    matches!(block.kind, BlockKind::Item)
        && block.text.is_strong()
        && words(text) <= 4
        && strength(text).is_none()
        && !is_instruction(text)
}

/// Returns whether a sentence gives an average, which asks nothing of anybody.
fn is_statistic(text: &str) -> bool {
    let start = &text[..text.floor_char_boundary(60)];
    let lower = start.to_lowercase();
    ["on average", "the average", "average ", "im durchschnitt", "durchschnittlich", "im schnitt", "en moyenne"]
        .iter()
        .chain(&["en promedio", "em média", "平均", "median "])
        .any(|word| lower.starts_with(word))
        && strength(text).is_none()
}

/// Returns whether a sentence says what comes before some work on a project or follows a change, such as `before committing`.
fn precedes_work(sentence: &str) -> bool {
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

/// Returns a code block of at most [`CODE_LINES`] short lines as inline code.
pub(super) fn short_code(document: &Clean, ranges: &[Range<usize>]) -> Option<Clean> {
    let (start, end) = (ranges.first()?.start, ranges.last()?.end);
    if end - start > CODE_BYTES {
        return None;
    }
    let mut code = CleanBuf::new();
    let mut count = 0;
    for range in ranges {
        let mut at = range.start;
        for line in document[range.clone()].split('\n') {
            let trimmed = line.trim();
            if trimmed.contains('`') {
                return None;
            }
            if !trimmed.is_empty() {
                count += 1;
                let from = at + (line.len() - line.trim_start().len());
                code.lit(if count > 1 { " `" } else { "`" });
                code.text(&document.slice(from..from + trimmed.len())).lit("`");
            }
            at += line.len() + 1;
        }
    }
    (1..=CODE_LINES).contains(&count).then(|| code.finish())
}

/// Returns the rule with the text that it repeats before it.
fn join(carried: Option<&Clean>, rule: &Clean) -> Clean {
    match carried {
        Some(carried) => CleanBuf::new().line(&without_colon(carried)).lit(": ").text(rule).finish(),
        None => rule.clone(),
    }
}

/// What the head of a column says of its cells, and the head itself.
type Column = Option<(Meaning, Clean)>;

/// Returns what the heads of a table say of the cells below them.
pub(super) fn columns(document: &Clean, heads: &[InlineText]) -> Vec<Column> {
    let column = |head: &InlineText| {
        let shown = 0..head.shown.trim_end().len();
        Some((column_meaning(&head.shown)?, shown_text(document, head, &shown)))
    };
    heads.iter().map(column).collect()
}

/// Returns a sentence with the exceptions that follow it, and the number of the sentence behind them.
fn with_exceptions(shown: &str, sentences: &[Range<usize>], index: usize) -> (Range<usize>, usize) {
    let mut whole = sentences[index].clone();
    let mut next = index + 1;
    while let Some(range) = sentences.get(next).filter(|range| limits_before(&shown[(*range).clone()])) {
        whole.end = range.end;
        next += 1;
    }
    (whole, next)
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
                && (strength(shown) != Some(Strength::Strong) || super::sections::meaning(shown).is_some())
                && place.leads.is_empty() =>
        {
            Some(BOLD_LEVEL)
        }
        _ => None,
    }
}

/// Returns whether a sentence says what may come of something, such as `Breaking a rule may result in:`.
fn tells_effects(sentence: &str) -> bool {
    let lower = sentence.to_lowercase();
    [
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
pub(super) fn lead(document: &Clean, place: &Place, before: Option<&Block>, is_ordered: bool) -> super::sections::Lead {
    let inherited = place.leads.last().cloned();
    let mut lead = super::sections::Lead { is_ordered, ..Default::default() };
    let Some(before) = before else { return lead };
    let text = &before.text;
    let shown = text.shown.trim();
    let ends_with_colon = shown.ends_with([':', '：']);
    let is_item = matches!(before.kind, BlockKind::Item);
    let meaning = super::sections::meaning(shown);
    // What a heading means is known from the place.
    if matches!(before.kind, BlockKind::Heading(_)) && !ends_with_colon {
        return lead;
    }
    if shown.len() > LONGEST || !(ends_with_colon || text.is_strong() || meaning == Some(Meaning::Forbid)) {
        return lead;
    }
    // The last sentence introduces the list.
    let range = super::sentences::sentences(text).pop().unwrap_or(0..0);
    let sentence = &text.shown[range.clone()];
    let bare = range.start..range.start + sentence.trim_end_matches([':', '：', ' ']).len();
    if bare.is_empty() {
        return lead;
    }
    let own = strength(&text.shown[bare.clone()]);
    let count = words(sentence);
    lead.is_long = count > 8;
    lead.tells_effects = tells_effects(sentence);
    let lower = sentence.to_lowercase();
    lead.is_example = inherited.as_ref().is_some_and(|lead| lead.is_example)
        || ["example", "beispiel", "exemple", "ejemplo", "exemplo", "例"].iter().any(|word| lower.contains(word));
    lead.label = (!lead.is_long).then(|| shown_text(document, text, &bare));
    lead.is_wrong = meaning == Some(Meaning::Wrong);
    let carries = matches!(meaning, Some(Meaning::Forbid | Meaning::Bind))
        || own == Some(Strength::Strong)
        || own == Some(Strength::Weak) && !is_ordered;
    let outer = inherited.filter(|lead| is_item && lead.are_rules);
    let announces_rules = ends_with_colon && super::sections::names_rules(sentence) && !lead.tells_effects;
    let instructs = place.binds() && !is_ordered && ends_with_colon && count >= 4 && is_instruction(sentence);
    let carries = (carries || instructs) && !announces_rules && !lead.tells_effects;
    if ends_with_colon && count <= LEAD_WORDS && !announces_rules && meaning.is_none() {
        lead.sentence = Some(without_colon(&quoted(document, text, &bare)));
    }
    lead.are_rules = carries || meaning == Some(Meaning::Rules) || announces_rules || outer.is_some();
    if carries || outer.is_some() {
        let own = quoted(document, text, &bare);
        let own = without_colon(&own);
        // `They should be:` needs the heading that says what they are, and perhaps when.
        let subject = place.section().filter(|_| begins_with_anaphor(sentence)).map(|section| &section.title);
        let own = join(subject, &own);
        lead.carried = Some(join(outer.and_then(|outer| outer.carried).as_ref(), &own));
    }
    lead
}
