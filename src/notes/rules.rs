//! Rules: sentences that oblige or forbid, and the items of lists that are introduced as rules, word for word.

use super::commands::commands;
use super::context::{exception, heading_needed, limited, narrowing, scope, shows_output, whole_item, with_mark};
use super::cues::{Strength, has_negation, strength, strength_in, tells_past};
use super::extent::{Extent, extent};
use super::leads::join;
use super::reader::{Block, BlockKind, InlineText};
use super::sections::{Meaning, Place, column_meaning};
use super::sentences::words;
use super::source::{on_one_line, quoted, shown_text};
use super::statements::{
    begins_with_anaphor, is_imperative, is_instruction, is_link, is_stated, is_statistic, is_step, is_urgent,
    needs_subject, precedes_work,
};
use crate::redact::{Clean, CleanBuf};
use std::collections::BTreeSet;
use std::ops::Range;

/// The longest rule, in bytes. A longer one is left out and counted, since a rule is never shortened.
const LONGEST: usize = 1_000;
/// The longest sentence that introduces commands, in words.
const BEFORE_COMMANDS: usize = 40;
/// What stands in a rule for what follows it in the document.
pub(super) const ELSEWHERE: &str = " (see the document)";

/// The rules of a document so far, at most a number of each strength.
#[derive(Debug)]
pub(super) struct Rules {
    most: usize,
    strong: Vec<(usize, Clean)>,
    weak: Vec<(usize, Clean)>,
    listed: Vec<(usize, Clean)>,
    /// The last rule of a block, until the next block shows whether code belongs to it.
    open: Option<OpenRule>,
    /// The open lists.
    lists: Vec<OpenList>,
    known: BTreeSet<String>,
    /// The columns of the table that is being read.
    columns: Vec<Column>,
    found: usize,
    /// How many rules were left out.
    left_out: usize,
}

#[derive(Debug)]
struct OpenRule {
    at: usize,
    rule: Clean,
    strength: Strength,
    /// Whether it ends with a colon, so that something is missing without what follows.
    has_colon: bool,
    /// Whether it is nothing but what introduces a list.
    is_lead: bool,
}

/// A list that is being read.
#[derive(Debug, Default)]
struct OpenList {
    items: usize,
    /// How many of them are rules.
    rules: usize,
    /// The others, which are rules too if enough are.
    rest: Vec<OtherItem>,
}

/// An item that is no rule by its own words.
#[derive(Debug)]
struct OtherItem {
    at: usize,
    source: Range<usize>,
    task: Option<bool>,
    /// Whether it says nothing without what introduces its list.
    needs_subject: bool,
}

impl Rules {
    pub(super) fn new(most: usize) -> Self {
        Self {
            most,
            strong: Vec::new(),
            weak: Vec::new(),
            listed: Vec::new(),
            open: None,
            lists: Vec::new(),
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

    /// Adds the open rule: with the code behind it, if some belongs to it. A rule that ends with a colon says that the
    /// document has what is missing.
    fn close(&mut self, code: Option<&(Clean, bool)>, is_code: bool) {
        let Some(OpenRule { at, rule, strength, has_colon, .. }) = self.open.take() else { return };
        let mut whole = CleanBuf::new();
        whole.text(&rule);
        match code.filter(|(code, _)| rule.len() + code.len() + ELSEWHERE.len() < LONGEST) {
            Some((code, is_all)) => {
                whole.lit(" ").text(code).lit(if *is_all { "" } else { ELSEWHERE });
            }
            // An instruction without what it speaks of says nothing, but a step with long code must not be missed.
            None if has_colon && !is_code && strength == Strength::Listed => return,
            None if has_colon => {
                whole.lit(ELSEWHERE);
            }
            None => {}
        }
        self.add_at(at, whole.finish(), strength);
    }

    /// A list begins, whose items repeat what introduces them.
    pub(super) fn begin_list(&mut self) {
        self.open.take_if(|open| open.is_lead);
        // An item below may be an exception to a rule that ends here.
        if self.open.as_ref().is_some_and(|open| open.has_colon) {
            self.close(None, false);
        }
        self.lists.push(OpenList::default());
    }

    /// A list ends: if enough of its items are rules, all are.
    pub(super) fn end_list(&mut self, document: &Clean, place: &Place) {
        self.close(None, false);
        let Some(list) = self.lists.pop() else { return };
        let is_ordered = place.leads.last().is_some_and(|lead| lead.is_ordered);
        let are_rules = match place.binds() || place.ruling().is_some_and(|it| it.meaning == Some(Meaning::Rules)) {
            true => list.rules >= if is_ordered { 1 } else { 2 } && 3 * list.rules >= list.items,
            false => list.rules >= 2 && 3 * list.rules >= 2 * list.items,
        };
        for item in list.rest.into_iter().filter(|_| are_rules) {
            let rule = on_one_line(document, item.source);
            let subject = match is_ordered || item.needs_subject {
                true => scope(place, true),
                false => narrowing(place, &rule),
            };
            let rule = with_mark(item.task, rule);
            self.add_at(item.at, join(limited(place, subject).as_ref(), &rule), Strength::Listed);
        }
    }

    /// Forgets the last rule if it is a part of the one that follows.
    fn replace(&mut self, rule: &Clean) {
        let last = self.found;
        for list in [&mut self.strong, &mut self.weak, &mut self.listed] {
            list.pop_if(|(at, part)| *at == last && rule.contains(part.as_str()));
        }
    }

    fn add(&mut self, rule: Clean, strength: Strength) {
        self.found += 1;
        self.add_at(self.found, rule, strength);
    }

    /// Adds a rule that is the last of its block, to which code may belong.
    fn add_last(&mut self, rule: Clean, strength: Strength, (has_colon, is_lead): (bool, bool)) {
        self.close(None, false);
        self.found += 1;
        self.open = Some(OpenRule { at: self.found, rule, strength, has_colon, is_lead });
    }

    fn add_at(&mut self, at: usize, rule: Clean, strength: Strength) {
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
        self.known.insert(key);
        list.push((at, rule));
    }

    /// Adds the rules of a block, and returns for each of its sentences whether it is part of one.
    pub(super) fn read(
        &mut self,
        document: &Clean,
        place: &Place,
        (before, block): (Option<&Block>, &Block),
        sentences: &[Range<usize>],
    ) -> Vec<bool> {
        let mut used = vec![false; sentences.len()];
        let code = match &block.kind {
            BlockKind::Code { ranges, is_shell } => Some((ranges, *is_shell)),
            _ => None,
        };
        let is_left_out = block.is_quoted || place.is_skipped() || place.is_wrong() || place.is_history();
        if !is_left_out && self.add_exception(document, block, sentences) {
            used.fill(true);
            return used;
        }
        match (&self.open, code) {
            (Some(open), Some((ranges, is_shell))) if is_shell || open.has_colon => {
                // The beginning of other code than commands says little.
                let code = commands(document, ranges).filter(|(_, is_all)| is_shell || *is_all);
                self.close(code.as_ref(), true);
            }
            (Some(_), code) => self.close(None, code.is_some()),
            (None, Some((ranges, true))) if !is_left_out && place.is_procedure() => {
                self.procedure(document, place, before, ranges);
            }
            _ => {}
        }
        if is_left_out {
            return used;
        }
        match &block.kind {
            BlockKind::Heading(_) => self.heading(document, place, &block.text),
            BlockKind::Item | BlockKind::Paragraph => {
                if self.listed(document, place, block, sentences) {
                    used.fill(true);
                } else {
                    let follows_heading = before.is_none_or(|before| matches!(before.kind, BlockKind::Heading(_)));
                    self.stated(document, place, (block, follows_heading), sentences, &mut used);
                }
                if matches!(block.kind, BlockKind::Item) {
                    self.item(place, block, sentences, used.contains(&true));
                }
            }
            BlockKind::Row { is_head: true, cells } => self.columns = columns(document, cells),
            BlockKind::Row { is_head: false, cells } => self.row(document, place, cells),
            _ => {}
        }
        used
    }

    /// Adds a block that is an exception, such as `Unless …`, to the rule before it; returns whether it is one.
    fn add_exception(&mut self, document: &Clean, block: &Block, sentences: &[Range<usize>]) -> bool {
        let Some(open) = self.open.as_mut().filter(|open| !open.has_colon) else { return false };
        let Some(all) = exception(block, sentences) else { return false };
        let exception = quoted(document, &block.text, &all);
        if open.rule.len() + exception.len() >= LONGEST {
            return false;
        }
        open.rule = CleanBuf::new().text(&open.rule).lit(" ").text(&exception).finish();
        if let Some(list) = self.lists.last_mut().filter(|_| matches!(block.kind, BlockKind::Item)) {
            list.items += 1;
            list.rules += 1;
        }
        true
    }

    /// Counts an item of a list, and remembers it if it is no rule by its own words.
    fn item(&mut self, place: &Place, block: &Block, sentences: &[Range<usize>], is_rule: bool) {
        let most = self.most;
        let Some(list) = self.lists.last_mut() else { return };
        list.items += 1;
        list.rules += usize::from(is_rule);
        let shows = place.leads.last().is_some_and(|lead| lead.is_example || lead.tells_effects || lead.offers);
        if is_rule || shows || block.is_footnote || block.task == Some(true) || list.rest.len() >= most {
            return;
        }
        let Some(whole) = whole_item(block, sentences) else { return };
        let text = &block.text.shown[whole.clone()];
        if words(text) < 3
            || !is_stated(text, &block.text, &whole)
            || text.ends_with([':', '：', '…'])
            || is_link(&block.text, &whole)
            || is_label(block, text)
            || is_statistic(text)
            || begins_with_anaphor(text)
            || tells_past(text)
        {
            return;
        }
        self.found += 1;
        let (source, needs_subject) = (block.text.source(&whole), needs_subject(text));
        list.rest.push(OtherItem { at: self.found, source, task: block.task, needs_subject });
    }

    /// Adds the commands of a block of code as a rule, with the sentence before it or else the heading.
    fn procedure(&mut self, document: &Clean, place: &Place, before: Option<&Block>, ranges: &[Range<usize>]) {
        let Some((code, is_all)) = commands(document, ranges) else { return };
        let heading = place.section().map(|section| section.title.clone());
        if heading.as_ref().is_some_and(|title| shows_output(title)) {
            return;
        }
        let said = before.filter(|block| matches!(block.kind, BlockKind::Item | BlockKind::Paragraph));
        let sentence = said.and_then(|said| Some((said, super::sentences::sentences(&said.text).pop()?)));
        let (subject, sentence) = match sentence {
            Some((said, range)) => {
                let text = &said.text.shown[range.clone()];
                if said.is_quoted || shows_output(text) || !is_stated(text, &said.text, &range) {
                    return;
                }
                match words(text) <= BEFORE_COMMANDS {
                    true => (heading.filter(|_| needs_subject(text)), Some(quoted(document, &said.text, &range))),
                    // Without a long sentence that limits them, they would say something else.
                    false if has_negation(text) => return,
                    false => (heading, None),
                }
            }
            None => (heading, None),
        };
        let mut rule = CleanBuf::new();
        if let Some(sentence) = &sentence {
            rule.text(sentence).lit(" ");
        }
        rule.text(&code).lit(if is_all { "" } else { ELSEWHERE });
        if subject.is_some() || sentence.is_some() {
            self.add(join(limited(place, subject).as_ref(), &rule.finish()), Strength::Listed);
        }
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

    /// Adds a heading that is itself a rule, such as `Never commit secrets`, or `Prefer small files` in a document that binds.
    fn heading(&mut self, document: &Clean, place: &Place, title: &InlineText) {
        let range = 0..title.shown.trim_end().len();
        if words(&title.shown) < 3
            || super::sections::meaning(&title.shown).is_some()
            || !is_stated(&title.shown, title, &range)
        {
            return;
        }
        let first = title.shown.split(' ').next().unwrap_or_default();
        let prefers = place.binds() && ["Prefer", "Use", "Keep"].contains(&first) && is_imperative(&title.shown);
        match strength(&title.shown) {
            Some(Strength::Strong) => self.add(quoted(document, title, &range), Strength::Strong),
            _ if prefers || place.is_style && is_norm(&title.shown) => {
                self.add(quoted(document, title, &range), Strength::Listed)
            }
            _ => {}
        }
    }

    /// Adds a block as a rule because of the heading or the text that introduces it; returns whether it is one.
    fn listed(&mut self, document: &Clean, place: &Place, block: &Block, sentences: &[Range<usize>]) -> bool {
        let lead = place.leads.last();
        let ruling = place.ruling();
        let meaning = ruling.and_then(|section| section.meaning);
        let is_item = matches!(block.kind, BlockKind::Item);
        let by_lead = is_item && lead.is_some_and(|lead| lead.are_rules);
        if is_item && lead.is_some_and(|lead| lead.offers) && !by_lead {
            return false;
        }
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
        let Some(whole) = whole_item(block, sentences) else { return false };
        let text = &block.text.shown[whole.clone()];
        let lower = text.get(..13).map(str::to_ascii_lowercase);
        if !is_stated(text, &block.text, &whole)
            || text.ends_with([':', '：'])
            || is_link(&block.text, &whole)
            || lead.is_some_and(|lead| (lead.tells_effects || lead.is_example) && !lead.are_rules)
                && strength(text).is_none()
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
        let carried = carried.or_else(|| heading_needed(place, text));
        let carried = limited(place, carried);
        let rule = with_mark(block.task, quoted(document, &block.text, &whole));
        let by_carried = carried.as_ref().and_then(|carried| match meaning {
            Some(Meaning::Forbid | Meaning::Bind) if !by_lead => Some(Strength::Strong),
            _ if by_lead => strength(carried).or(Some(Strength::Strong)),
            _ => strength(carried),
        });
        let strength = own.max(by_carried).unwrap_or(Strength::Listed);
        self.add_last(join(carried.as_ref(), &rule), strength, (false, false));
        // What follows the first sentence of a long item may hold rules of its own.
        let rest: Vec<_> = sentences.iter().filter(|it| it.start >= whole.end).cloned().collect();
        if !rest.is_empty() {
            self.close(None, false);
        }
        let mut used = vec![false; rest.len()];
        self.stated(document, place, (block, true), &rest, &mut used);
        true
    }

    /// Adds the sentences of a block that are rules by their own words.
    fn stated(
        &mut self,
        document: &Clean,
        place: &Place,
        (block, follows_heading): (&Block, bool),
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
        // What is offered, or done by a program, is no instruction.
        let is_shown = is_item && lead.is_some_and(|lead| lead.is_example || lead.tells_effects || lead.offers);
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
                    && !is_shown
                    && (is_step
                        || (in_rules || is_urgent(sentence) || precedes_work(sentence)) && is_instruction(sentence))
            };
            let is_example = is_item && lead.is_some_and(|lead| lead.is_example && !lead.are_rules);
            let is_offered = is_item && lead.is_some_and(|lead| (lead.tells_effects || lead.offers) && !lead.are_rules);
            let found = strength_in(sentence, place.has_norms() && !is_offered)
                .filter(|found| !is_offered || *found != Strength::Listed)
                .filter(|found| !is_example || *found == Strength::Strong)
                .or_else(|| instructs().then_some(Strength::Listed));
            let Some(strength) = found else { continue };
            // Nothing says what `This should help` speaks of.
            if sentence.starts_with('(') && begins_with_anaphor(sentence) {
                continue;
            }
            let is_lost = index == 0 && !is_item && !follows_heading && begins_with_anaphor(sentence);
            if is_lost && strength != Strength::Strong {
                continue;
            }
            let Some(Extent { whole, end, subject }) = extent(place, block, sentences, (index, strength), used) else {
                continue;
            };
            next = end;
            let carried = limited(place, subject);
            used[index..end].fill(true);
            let said = with_mark(block.task, quoted(document, text, &whole));
            let rule = join(carried.as_ref(), &said);
            if whole.start < range.start {
                self.replace(&rule);
            }
            let has_colon = text.shown[whole].ends_with([':', '：']);
            if end == sentences.len() {
                self.add_last(rule, strength, (has_colon, sentence.ends_with([':', '：'])));
            } else if !has_colon {
                self.add(rule, strength);
            }
        }
    }
}

/// Returns whether a heading of a document about style is itself the norm: `4 spaces of indentation`, `PascalCase for types`.
fn is_norm(title: &str) -> bool {
    let mut words = title.split_whitespace();
    let (first, second) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let is_name = first.len() > 3
        && (first.trim_matches('`').contains('_')
            || first.trim_matches('`').chars().skip(1).any(char::is_uppercase)
                && first.chars().any(char::is_lowercase));
    let binds =
        [" for ", " instead of ", " rather than ", " over ", " between "].iter().any(|word| title.contains(word));
    let topics =
        ["How", "Why", "When", "What", "Rationale", "Reasons", "Support", "Tools", "Notes", "Exceptions", "Guidelines"];
    let counts =
        first.bytes().all(|byte| byte.is_ascii_digit()) && second.len() > 3 && second.starts_with(char::is_lowercase);
    let has_place = ["after", "before", "around"].contains(&second);
    !topics.contains(&first)
        && (counts
            || has_place
            || is_imperative(title)
            || (is_name || first == "No" || first.ends_with("case")) && binds)
}

/// Returns whether an item is nothing but a label in bold of what stands below it.
fn is_label(block: &Block, text: &str) -> bool {
    matches!(block.kind, BlockKind::Item)
        && block.text.is_strong()
        && words(text) <= 4
        && strength(text).is_none()
        && !is_instruction(text)
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
