//! Figures over many packs: what feeds them, what each group of sections takes, and which budgets cut most.

use super::explain::neighbour_of;
use super::ready::cut_ends;
use crate::model::section_kind;
use crate::render::shared;
use crate::wire::{Pack, Section};
use serde::Serialize;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap};

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Stats {
    pub packs: usize,
    pub chars: u64,
    /// The tokens with which all packs of a profile begin, in all packs.
    pub shared_tokens: u64,
    pub groups: Vec<GroupStats>,
    pub texts: Vec<TextStats>,
    pub unused: Vec<UnusedText>,
    pub unknown: Vec<UnusedText>,
    pub failed: Vec<String>,
    pub budgets: Vec<BudgetStats>,
    pub redaction_rules: Vec<RuleStats>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct GroupStats {
    pub group: String,
    pub sections: usize,
    pub packs: usize,
    pub chars: u64,
    pub tokens: u64,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct TextStats {
    pub kind: String,
    pub name: String,
    pub packs: usize,
    pub whole: usize,
    pub shortened: usize,
    pub left_out: usize,
    pub chars: u64,
    pub tokens: u64,
    pub delivered: usize,
    /// The deliverables that name its path, also within the id of a section.
    pub cited: usize,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct UnusedText {
    pub path: String,
    pub kind: String,
    pub reason: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct BudgetStats {
    pub root: String,
    pub profile: String,
    pub limits: Vec<String>,
    pub used_chars: u64,
    pub left_out: usize,
    pub shortened: usize,
    pub cut_chars: u64,
    pub cut_ends: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RuleStats {
    pub rule: String,
    pub count: u64,
    pub packs: usize,
}

/// The names of a group and of the kind of text that a section is; no kind for texts that are an item's own.
fn kinds(section: &Section) -> (&'static str, Option<&'static str>) {
    let is_rules = matches!(section.metadata.doc_type.as_deref(), Some("style_guide" | "playbook"));
    match (section.kind.as_str(), section.provenance.as_str()) {
        (section_kind::INSTRUCTIONS, _) | (_, "profile" | "job") => ("instructions", Some("instructions")),
        (section_kind::COMMENT, _) => ("comments", None),
        (section_kind::CARD, _) => ("cards", None),
        (section_kind::RECENT_CHANGES, _) => ("history", None),
        (section_kind::OVERVIEW, _) => ("agent", Some("overview")),
        (_, "agent") => ("agent", None),
        (section_kind::ADR_EXCERPT, _) => ("adrs", Some("adr")),
        (_, "code_ref") => ("code", Some("code")),
        (_, "likely") => ("code", None),
        (kind, _) => match neighbour_of(&section.id) {
            Some(("parent", _)) => ("parent", None),
            Some(("child", _)) => ("children", None),
            Some(("dependency", _)) => ("dependencies", None),
            Some(_) => ("related", None),
            None if !matches!(kind, section_kind::FILE_EXCERPT | section_kind::DOCUMENT_NOTES) => ("root", None),
            None => ("documents", Some(if is_rules { "rules" } else { "document" })),
        },
    }
}

/// Collects figures pack by pack.
#[derive(Default)]
pub struct StatsCollector {
    /// The tokens of texts that were counted, since packs share most of them.
    counted: HashMap<String, u64>,
    stats: Stats,
    groups: BTreeMap<&'static str, GroupStats>,
    /// By kind and name.
    texts: BTreeMap<(String, String), TextStats>,
    rules: BTreeMap<String, RuleStats>,
    failed: BTreeSet<String>,
    /// What packs that cannot be built may hold.
    possible: BTreeSet<String>,
    /// Whether such a pack may hold any text.
    is_any_possible: bool,
}

impl StatsCollector {
    /// Adds a pack of the repo; `tokens` counts those of a text.
    pub fn add(&mut self, pack: &Pack, tokens: fn(&str) -> u64) {
        self.stats.packs += 1;
        self.stats.chars += pack.budget.used_chars;
        let mut groups = BTreeSet::new();
        let mut whole = BTreeMap::<(String, String), bool>::new();
        for section in &pack.sections {
            let (group, kind) = kinds(section);
            let tokens = match self.counted.get(&section.content) {
                Some(tokens) => *tokens,
                None => *self.counted.entry(section.content.clone()).or_insert(tokens(&section.content)),
            };
            let of_group = self.groups.entry(group).or_default();
            of_group.sections += 1;
            of_group.packs += usize::from(groups.insert(group));
            of_group.chars += section.metadata.chars;
            of_group.tokens += tokens;
            let Some(key) = kind.and_then(|kind| Some((kind.to_owned(), name(section)?))) else { continue };
            let text = self.texts.entry(key.clone()).or_default();
            text.chars += section.metadata.chars;
            text.tokens += tokens;
            // Of several parts of a file each has to be whole.
            *whole.entry(key).or_insert(true) &= section.metadata.detail == "full";
        }
        let shared = shared(pack).filter_map(|section| self.counted.get(&section.content));
        self.stats.shared_tokens += shared.sum::<u64>();
        for (key, is_whole) in &whole {
            let text = self.texts.entry(key.clone()).or_default();
            text.packs += 1;
            *(if *is_whole { &mut text.whole } else { &mut text.shortened }) += 1;
        }
        self.left_out(pack, &whole);
        self.budget(pack);
        let mut seen = BTreeSet::new();
        for redaction in &pack.redactions {
            let rule = RuleStats { rule: redaction.rule.clone(), count: 0, packs: 0 };
            let rule = self.rules.entry(redaction.rule.clone()).or_insert(rule);
            rule.count += redaction.count;
            rule.packs += usize::from(seen.insert(&redaction.rule));
        }
    }

    /// Counts the texts that a pack could hold and lacks.
    fn left_out(&mut self, pack: &Pack, held: &BTreeMap<(String, String), bool>) {
        let mut missing = BTreeSet::new();
        // What is not in the repo, or may not be read, is no matter of budgets and profiles.
        let is_choice = |reason: &str| matches!(reason, "budget" | "limit" | "profile" | "policy" | "low_trust");
        for omission in pack.omissions.iter().filter(|omission| is_choice(&omission.reason)) {
            let Some(path) = omission.source.path.clone() else { continue };
            let kind = match (omission.id.split('.').next(), omission.provenance.as_str()) {
                (Some("adr"), _) => "adr",
                (_, "code_ref") => "code",
                (Some("file"), _) => "document",
                _ => continue,
            };
            missing.insert((kind.to_owned(), path));
        }
        for key in missing.into_iter().filter(|key| !held.contains_key(key)) {
            self.texts.entry(key).or_default().left_out += 1;
        }
    }

    fn budget(&mut self, pack: &Pack) {
        let cut = pack.omissions.iter().filter(|omission| matches!(&*omission.reason, "budget" | "limit"));
        let (left_out, gone) = cut.fold((0, 0), |(count, chars), it| (count + 1, chars + it.chars.unwrap_or(0)));
        let shorter = pack.sections.iter().filter_map(|section| {
            let cut = section.metadata.full_chars?.checked_sub(section.metadata.chars)?;
            (cut > 0).then_some(cut)
        });
        let (shortened, cut) = shorter.fold((0, 0), |(count, chars), cut| (count + 1, chars + cut));
        if left_out + shortened == 0 {
            return;
        }
        let budget = &pack.budget;
        let limits = [(budget.max_chars, "chars"), (budget.max_bytes, "bytes"), (budget.max_tokens, "tokens")];
        self.stats.budgets.push(BudgetStats {
            root: pack.root.name().cloned().unwrap_or_default(),
            profile: pack.profile.clone(),
            limits: limits.iter().filter_map(|(limit, unit)| Some(format!("{} {unit}", (*limit)?))).collect(),
            used_chars: budget.used_chars,
            left_out,
            shortened,
            cut_chars: gone + cut,
            cut_ends: cut_ends(pack),
        });
    }

    /// Adds that a pack was delivered so many times: each of its texts was read as often.
    pub fn add_delivered(&mut self, pack: &Pack, times: usize) {
        let held: BTreeSet<(String, String)> =
            pack.sections.iter().filter_map(|section| Some((kinds(section).1?.to_owned(), name(section)?))).collect();
        for key in held {
            self.texts.entry(key).or_default().delivered += times;
        }
    }

    /// Adds a deliverable: each text that was added before counts as cited if the deliverable names it.
    pub fn add_deliverable(&mut self, deliverable: &str) {
        let is_part = |c: char| c.is_alphanumeric() || matches!(c, '/' | '-' | '_');
        for ((_, name), text) in &mut self.texts {
            let mut places = deliverable.match_indices(name.as_str());
            let is_whole = |(at, _): (usize, &str)| {
                let (before, after) = (&deliverable[..at], &deliverable[at + name.len()..]);
                let extension = after.strip_prefix('.').is_some_and(|after| after.starts_with(char::is_alphanumeric));
                !before.ends_with(is_part) && !after.starts_with(is_part) && !extension
            };
            text.cited += usize::from(places.any(is_whole));
        }
    }

    /// Adds that a pack of this root cannot be built. `without_limits` is what it would be without limits; `None` if it cannot be
    /// built either way.
    pub fn add_failed(&mut self, root: &str, without_limits: Option<&Pack>) {
        self.failed.insert(root.to_owned());
        self.is_any_possible |= without_limits.is_none();
        let inputs = without_limits.iter().flat_map(|pack| &pack.inputs);
        self.possible.extend(inputs.filter_map(|input| input.path.clone()));
    }

    /// Returns the figures; `known` are the texts of the repo that packs could hold.
    pub fn finish(self, known: impl IntoIterator<Item = UnusedText>) -> Stats {
        let Self { mut stats, groups, texts, rules, failed, possible, is_any_possible, .. } = self;
        let used = texts.iter().filter(|(_, text)| text.packs > 0 || text.delivered > 0 || text.cited > 0);
        let used: BTreeSet<&str> = used.map(|((_, name), _)| name.as_str()).collect();
        let mut unused: Vec<UnusedText> = known.into_iter().filter(|text| !used.contains(text.path.as_str())).collect();
        let rank = |text: &UnusedText| ["adr", "rules"].iter().position(|kind| *kind == text.kind).unwrap_or(2);
        unused.sort_by_key(|text| (rank(text), text.clone()));
        unused.dedup();
        let is_unknown =
            |text: &UnusedText| text.reason.is_none() && (is_any_possible || possible.contains(&text.path));
        (stats.unknown, stats.unused) = unused.into_iter().partition(is_unknown);
        stats.failed = failed.into_iter().collect();
        stats.groups =
            groups.into_iter().map(|(group, figures)| GroupStats { group: group.to_owned(), ..figures }).collect();
        stats.groups.sort_by_key(|it| (Reverse(it.tokens), it.group.clone()));
        stats.texts = texts.into_iter().map(|((kind, name), figures)| TextStats { kind, name, ..figures }).collect();
        stats
            .texts
            .sort_by_key(|it| (Reverse((it.packs, it.delivered, it.left_out)), it.kind.clone(), it.name.clone()));
        stats.budgets.sort_by_key(|it| (Reverse(it.cut_chars), it.root.clone(), it.profile.clone()));
        stats.redaction_rules = rules.into_values().collect();
        stats.redaction_rules.sort_by_key(|it| (Reverse(it.count), it.rule.clone()));
        stats
    }
}

/// Returns the path of a section's text, or the name of a built-in text.
fn name(section: &Section) -> Option<String> {
    section.source.path.clone().or_else(|| section.source.id.clone())
}
