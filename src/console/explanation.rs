//! The explanation of a pack as a document, which `explain` and the tool of agents print.

use super::{Column, Document, Line, line};
use crate::model::short_title_in_line;
use crate::render;
use crate::review::{Explanation, LimitUse, SectionLine, grouped, relevance};
use std::collections::BTreeSet;

const BAR_WIDTH: u64 = 40;
const MAX_TITLE: usize = 48;

pub(crate) fn explanation_document(explanation: &Explanation) -> Document {
    let mut document = Document::whole();
    let title = match &explanation.trust {
        Some(trust) => marked(&explanation.title, trust),
        None => explanation.title.clone(),
    };
    document.title(line("{}  {}", &[&explanation.root, &title]));
    let profile = format!("profile {}", explanation.profile);
    let facts = [&explanation.state, &explanation.place, &profile, &explanation.pack_id];
    // The start of an agent's session has no root, and so neither state nor place.
    let facts: Vec<&str> = facts.into_iter().map(String::as_str).filter(|fact| !fact.is_empty()).collect();
    document.paragraph(facts.join(", "));
    if let Some(agent) = &explanation.agent {
        let policy = explanation.policy.iter().map(|policy| format!(", policy {policy}"));
        let job = explanation.job.iter().map(|job| format!(", job {job}"));
        document.paragraph(format!("for {agent}{}", policy.chain(job).collect::<String>()));
    }
    document.heading("Budget");
    document.list(explanation.budget.iter().map(|used| line("{}", &[&bar(used)])));
    let frames = grouped(explanation.frames);
    let strategy = &explanation.strategy;
    document.paragraph(format!(
        "strategy {strategy}; frames and this pack's list of what was left out take {frames} chars"
    ));
    document.heading("Relations");
    // The trust of an item's text, if it is not the usual one and a section or an omission says so.
    let trust_of = |item: &str| {
        let mut lines = explanation.sections.iter().chain(&explanation.omissions);
        lines.find(|line| line.id.split_once('.').is_some_and(|(_, id)| id == item))?.trust.as_ref()
    };
    let rows = explanation.edges.iter().map(|neighbour| {
        let edge = &neighbour.edge;
        let title = titled(&edge.title, edge.trust.as_ref().or_else(|| trust_of(&edge.to)));
        let stated = format!("{}, {}", edge.source, edge.at);
        cells([&edge.relation, &edge.to, &edge.state, &neighbour.shown, &title, &stated])
    });
    table(
        &mut document,
        &["RELATION", "ITEM", "STATE", "SHOWN", "TITLE", "STATED"].map(Column::Left),
        rows,
        "no relations",
    );
    document.heading("In the pack");
    let (by_tokens, whole) = limiting_unit(explanation);
    let rows = explanation.sections.iter().map(|section| {
        let size = if by_tokens { section.tokens } else { section.chars }.unwrap_or_default();
        let (why, detail, title) = (why(section), detail(section), titled(&section.title, section.trust.as_ref()));
        cells([&section.id, &why, &detail, &cost(section), &share(size, whole), &title])
    });
    table(&mut document, &["SECTION", "WHY", "DETAIL", "COST", "SHARE", "TITLE"].map(Column::Left), rows, "nothing");
    document.heading("Left out");
    let omitted = |it: &SectionLine| cells([&it.id, &it.provenance, &it.how, &cost(it), &it.place]);
    let rows = explanation.omissions.iter().map(omitted);
    table(&mut document, &["SECTION", "WHY", "REASON", "COST", "PLACE"].map(Column::Left), rows, "nothing");
    if !explanation.redactions.is_empty() {
        document.heading("Redactions");
        document.list(explanation.redactions.iter().map(|it| {
            let place = format!("{}:{}", render::place(&it.source), it.line);
            let rule = format!("{} × {}", it.rule, it.count);
            line("{} {}  {}: {}", &[&it.section, &place, &rule, &it.reason])
        }));
        // All redactions by one rule in one file have the same advice.
        let mut listed = BTreeSet::new();
        let advice = explanation.redactions.iter().filter(|it| listed.insert(&it.to_include));
        document.list(advice.map(|it| line("to include {}: {}", &[&it.rule, &it.to_include])));
    }
    if !explanation.warnings.is_empty() {
        document.heading("Warnings");
        document.list(explanation.warnings.iter().map(|warning| {
            let place = warning.source.as_ref().map(|source| format!(" ({})", render::place(source)));
            let message = format!("{}{}", warning.message, place.unwrap_or_default());
            line("{}: {}", &[&warning.code, &message])
        }));
    }
    document
}

fn table(document: &mut Document, columns: &[Column], rows: impl Iterator<Item = Vec<Line>>, none: &str) {
    let rows: Vec<Vec<Line>> = rows.collect();
    if rows.is_empty() { document.paragraph(none) } else { document.table(columns, rows) }
}

fn cells<const N: usize>(texts: [&String; N]) -> Vec<Line> {
    texts.map(|text| line("{}", &[text])).to_vec()
}

/// Returns a title that anyone could have written: cut and marked.
fn marked(title: &str, trust: &str) -> String {
    format!("\"{}\" ({trust})", short_title_in_line(title))
}

fn titled(title: &str, trust: Option<&String>) -> String {
    match trust {
        Some(trust) => marked(title, trust),
        None if title.chars().nth(MAX_TITLE).is_some() => title.chars().take(MAX_TITLE).chain(['…']).collect(),
        None => title.to_owned(),
    }
}

/// Returns whether the sizes that decide are tokens, and how many of them, or else of characters, are used.
///
/// The limit that is used most decides. Sections have no number of bytes, so characters stand for these.
fn limiting_unit(explanation: &Explanation) -> (bool, u64) {
    let fullness = |used: &&LimitUse| {
        let limit = used.limit.filter(|limit| *limit > 0)?;
        Some(u128::from(used.used) * 1_000_000 / u128::from(limit))
    };
    let limited = explanation.budget.iter().filter(|used| fullness(used).is_some());
    let tokens = limited.max_by_key(fullness).is_some_and(|used| used.unit == "tokens");
    let unit = if tokens { "tokens" } else { "chars" };
    (tokens, explanation.budget.iter().find(|used| used.unit == unit).map_or(0, |used| used.used))
}

/// Returns why a section is in the pack: of a relevant document also its rank and the terms.
fn why(section: &SectionLine) -> String {
    let why = || relevance(&section.matched.join(", "), section.meaning);
    let rank = section.rank.map(|rank| format!(" {rank} ({})", why())).unwrap_or_default();
    let stale = if section.stale_notes { ", notes of another version" } else { "" };
    format!("{}{rank}{stale}", section.provenance)
}

fn detail(section: &SectionLine) -> String {
    section.full_chars.map_or_else(|| section.how.clone(), |full| format!("{} of {}", section.how, grouped(full)))
}

fn cost(section: &SectionLine) -> String {
    let parts = [(section.chars, "chars"), (section.tokens.filter(|_| section.chars.is_some()), "tokens")];
    let parts = parts.into_iter().filter_map(|(size, unit)| Some(format!("{} {unit}", grouped(size?))));
    parts.collect::<Vec<_>>().join(", ")
}

fn share(part: u64, whole: u64) -> String {
    let percent = part.saturating_mul(100).checked_div(whole).unwrap_or_default();
    format!("{percent:>3} % {}", "▇".repeat((percent / 5) as usize))
}

fn bar(used: &LimitUse) -> String {
    let Some(limit) = used.limit.filter(|limit| *limit > 0) else {
        return format!("{} {}", grouped(used.used), used.unit);
    };
    // What a margin keeps free is no room for sections.
    let room = used.room.filter(|room| *room > 0).unwrap_or(limit);
    let filled = (used.used.saturating_mul(BAR_WIDTH) / room).min(BAR_WIDTH);
    let percent = used.used.saturating_mul(100) / room;
    let margin =
        used.room.map(|_| format!(" ({} less a margin of {} %)", grouped(limit), used.margin.unwrap_or_default()));
    format!(
        "{}{} {} of {} {}{}, {percent} %",
        "█".repeat(filled as usize),
        "░".repeat((BAR_WIDTH - filled) as usize),
        grouped(used.used),
        grouped(room),
        used.unit,
        margin.unwrap_or_default()
    )
}
