//! What a pack holds, why, and what it costs: as data, as a page for people.

use crate::render;
use crate::wire::{Edge, Pack, Redaction, Warning};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeSet;
use std::fmt::Write;

/// A pack explained.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Explanation {
    /// The pack's id.
    pub pack_id: String,
    /// The profile.
    pub profile: String,
    /// The root's id or URL.
    pub root: String,
    /// The root's title.
    pub title: String,
    /// The root's state.
    pub state: String,
    /// Where the root can be read.
    pub place: String,
    /// How the pack was made to fit.
    pub strategy: String,
    /// What is used of each limit.
    pub budget: Vec<Use>,
    /// The graph around the root.
    pub edges: Vec<Neighbour>,
    /// The sections of the pack.
    pub sections: Vec<Line>,
    /// What the frames and the list of omissions cost, in characters.
    pub frames: u64,
    /// What was left out.
    pub omissions: Vec<Line>,
    /// What was removed.
    pub redactions: Vec<Redaction>,
    /// What a reader should know.
    pub warnings: Vec<Warning>,
}

/// What is used of a limit.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Use {
    /// `chars`, `bytes` or `tokens`.
    pub unit: String,
    /// How many the rendering has.
    pub used: u64,
    /// How many it may have, where it is limited.
    pub limit: Option<u64>,
}

/// A neighbour of the root.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Neighbour {
    /// The edge.
    #[serde(flatten)]
    pub edge: Edge,
    /// The id of its section, where it has one.
    pub section: Option<String>,
    /// `full`, `truncated`, `excerpt`, `pointer`, `left out`, or `listed` where it stands in the edge list only.
    pub shown: String,
}

/// A section in or out.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Line {
    /// Its id.
    pub id: String,
    /// Its title.
    pub title: String,
    /// Why it is, or would be, there.
    pub provenance: String,
    /// Its detail where it is in, the reason where it is out.
    pub how: String,
    /// Characters: of what is in, or of what would be.
    pub chars: Option<u64>,
    /// Tokens, where they are counted.
    pub tokens: Option<u64>,
    /// Characters of the whole text where it was made smaller.
    pub full_chars: Option<u64>,
    /// Where it can be read.
    pub place: String,
    /// Where the relation or reference was stated.
    pub stated: Option<String>,
}

/// Explains a pack.
pub fn explain(pack: &Pack) -> Explanation {
    let root = pack.sections.iter().find(|section| section.id == "root.issue");
    let sections: Vec<Line> = pack
        .sections
        .iter()
        .map(|section| Line {
            id: section.id.clone(),
            title: section.title.clone(),
            provenance: section.provenance.clone(),
            how: section.metadata.detail.clone(),
            chars: Some(section.metadata.chars),
            tokens: section.metadata.tokens,
            full_chars: section.metadata.full_chars,
            place: render::place(&section.source),
            stated: section.metadata.evidence.as_ref().map(|evidence| format!("{}, {}", evidence.source, evidence.at)),
        })
        .collect();
    let omissions: Vec<Line> = pack
        .omissions
        .iter()
        .map(|omission| Line {
            id: omission.id.clone(),
            title: omission.title.clone(),
            provenance: omission.provenance.clone(),
            how: omission.reason.clone(),
            chars: omission.chars,
            tokens: omission.tokens,
            full_chars: None,
            place: render::place(&omission.source),
            stated: None,
        })
        .collect();
    let edges = pack.sections.iter().filter_map(|section| section.metadata.edges.as_ref()).flatten();
    let edges = edges.map(|edge| neighbour(edge, &sections, &omissions)).collect();
    let content: u64 = pack.sections.iter().map(|section| section.metadata.chars).sum();
    let budget = &pack.budget;
    Explanation {
        pack_id: pack.pack_id.clone(),
        profile: pack.profile.clone(),
        root: pack.root.work_item_id.clone().or_else(|| pack.root.issue_url.clone()).unwrap_or_default(),
        title: pack.root.title.clone(),
        state: root.and_then(|root| root.metadata.state.clone()).unwrap_or_default(),
        place: root.map(|root| render::place(&root.source)).unwrap_or_default(),
        strategy: budget.strategy.clone(),
        budget: [
            ("chars", Some(budget.used_chars), budget.max_chars),
            ("bytes", Some(budget.used_bytes), budget.max_bytes),
            ("tokens", budget.used_tokens, budget.max_tokens),
        ]
        .into_iter()
        .filter_map(|(unit, used, limit)| Some(Use { unit: unit.to_owned(), used: used?, limit }))
        .collect(),
        edges,
        frames: budget.used_chars.saturating_sub(content),
        sections,
        omissions,
        redactions: pack.redactions.clone(),
        warnings: pack.warnings.clone(),
    }
}

fn neighbour(edge: &Edge, sections: &[Line], omissions: &[Line]) -> Neighbour {
    let ids = ["parent", "child", "dependency", "related"].map(|prefix| format!("{prefix}.{}", edge.to));
    let section = sections.iter().find(|line| ids.contains(&line.id));
    let shown = match section {
        Some(line) => line.how.clone(),
        None if omissions.iter().any(|line| ids.contains(&line.id)) => "left out".to_owned(),
        None => "listed".to_owned(),
    };
    Neighbour { edge: edge.clone(), section: section.map(|line| line.id.clone()), shown }
}

/// How wide the bar of the budget is.
const BAR: u64 = 40;

impl Explanation {
    /// A page for a terminal.
    pub fn text(&self) -> String {
        let mut page = Page::default();
        page.line(format_args!("{}  {}", self.root, self.title));
        page.line(format_args!("{}, {}, profile {}, {}", self.state, self.place, self.profile, self.pack_id));
        page.head("Budget");
        for used in &self.budget {
            page.line(format_args!("  {}", bar(used)));
        }
        page.line(format_args!(
            "  strategy {}; frames and this pack's list of omissions take {} chars",
            self.strategy,
            grouped(self.frames)
        ));
        page.head("Graph");
        let rows = self.edges.iter().map(|neighbour| {
            let edge = &neighbour.edge;
            [
                edge.relation.clone(),
                edge.to.clone(),
                edge.state.clone(),
                neighbour.shown.clone(),
                short(&edge.title),
                format!("{}, {}", edge.source, edge.at),
            ]
        });
        page.table(rows.collect(), "no relations");
        page.head("In the pack");
        let limit = self.budget.iter().find(|used| used.unit == "chars").map_or(0, |used| used.used);
        let rows = self.sections.iter().map(|line| {
            [
                line.id.clone(),
                line.provenance.clone(),
                detail(line),
                cost(line),
                share(line.chars.unwrap_or_default(), limit),
                short(&line.title),
            ]
        });
        page.table(rows.collect(), "nothing");
        page.head("Left out");
        let rows = self.omissions.iter().map(|line| {
            [line.id.clone(), line.provenance.clone(), line.how.clone(), cost(line), String::new(), line.place.clone()]
        });
        page.table(rows.collect(), "nothing");
        if !self.redactions.is_empty() {
            page.head("Redactions");
            for redaction in &self.redactions {
                page.line(format_args!(
                    "  {} {}:{}  {} × {}: {}",
                    redaction.section,
                    render::place(&redaction.source),
                    redaction.line,
                    redaction.rule,
                    redaction.count,
                    redaction.reason
                ));
            }
            // The same advice holds for all findings of one rule in one file.
            let mut told = BTreeSet::new();
            for redaction in self.redactions.iter().filter(|redaction| told.insert(&redaction.to_include)) {
                page.line(format_args!("    to include {}: {}", redaction.rule, redaction.to_include));
            }
        }
        if !self.warnings.is_empty() {
            page.head("Warnings");
            for warning in &self.warnings {
                let place =
                    warning.source.as_ref().map(|source| format!(" ({})", render::place(source))).unwrap_or_default();
                page.line(format_args!("  {}: {}{place}", warning.code, warning.message));
            }
        }
        page.0
    }

    /// A page for a comment or a job summary.
    pub fn markdown(&self) -> String {
        let mut page = Page::default();
        page.line(format_args!("## {}", cell(&format!("{} {}", self.root, self.title))));
        page.0.push('\n');
        for used in &self.budget {
            page.line(format_args!("- `{}`", bar(used)));
        }
        page.head("| section | why | detail | cost | place |");
        page.line(format_args!("|---|---|---|---:|---|"));
        for line in &self.sections {
            page.line(format_args!(
                "| {} | {} | {} | {} | {} |",
                cell(&line.id),
                line.provenance,
                detail(line),
                cost(line),
                cell(&line.place)
            ));
        }
        for line in &self.omissions {
            page.line(format_args!(
                "| ~~{}~~ | {} | left out: {} | {} | {} |",
                cell(&line.id),
                line.provenance,
                line.how,
                cost(line),
                cell(&line.place)
            ));
        }
        page.0.push('\n');
        page.line(format_args!(
            "{} relations, {} redactions, {} warnings",
            self.edges.len(),
            self.redactions.len(),
            self.warnings.len()
        ));
        if !self.redactions.is_empty() {
            page.head("| removed | place | rule | why |");
            page.line(format_args!("|---|---|---|---|"));
            for redaction in &self.redactions {
                page.line(format_args!(
                    "| {} | {}:{} | {} × {} | {} |",
                    cell(&redaction.section),
                    cell(&render::place(&redaction.source)),
                    redaction.line,
                    redaction.rule,
                    redaction.count,
                    cell(&redaction.reason)
                ));
            }
        }
        page.0
    }
}

#[derive(Default)]
struct Page(String);

impl Page {
    fn line(&mut self, line: std::fmt::Arguments<'_>) {
        // A title may have line breaks; no text begins a line of its own, which a workflow log would obey.
        let from = self.0.len();
        // Writing to a `String` cannot fail.
        let _ = write!(self.0, "{line}");
        if self.0[from..].contains(['\n', '\r']) {
            let flat = self.0.split_off(from).replace("\r\n", " ").replace(['\n', '\r'], " ");
            self.0.push_str(&flat);
        }
        self.0.push('\n');
    }

    fn head(&mut self, title: &str) {
        self.0.push('\n');
        self.line(format_args!("{title}"));
    }

    fn table<const N: usize>(&mut self, rows: Vec<[String; N]>, none: &str) {
        if rows.is_empty() {
            self.line(format_args!("  {none}"));
        }
        let widths: [usize; N] = std::array::from_fn(|column| {
            rows.iter().map(|row| row[column].chars().count()).max().unwrap_or_default().min(48)
        });
        for row in rows {
            let mut line = String::from(" ");
            for (cell, width) in row.iter().zip(widths) {
                let _ = write!(line, " {cell:<width$}");
            }
            self.line(format_args!("{}", line.trim_end()));
        }
    }
}

fn detail(line: &Line) -> String {
    match line.full_chars {
        Some(full) => format!("{} of {}", line.how, grouped(full)),
        None => line.how.clone(),
    }
}

fn cost(line: &Line) -> String {
    match (line.chars, line.tokens) {
        (Some(chars), Some(tokens)) => format!("{} chars, {} tokens", grouped(chars), grouped(tokens)),
        (Some(chars), None) => format!("{} chars", grouped(chars)),
        (None, _) => String::new(),
    }
}

fn share(chars: u64, whole: u64) -> String {
    let percent = (chars * 100).checked_div(whole).unwrap_or_default();
    format!("{percent:>3} % {}", "▇".repeat((percent / 5) as usize))
}

fn bar(used: &Use) -> String {
    let Some(limit) = used.limit.filter(|limit| *limit > 0) else {
        return format!("{} {}", grouped(used.used), used.unit);
    };
    let filled = (used.used * BAR / limit).min(BAR);
    let percent = used.used * 100 / limit;
    format!(
        "{}{} {} of {} {}, {percent} %",
        "█".repeat(filled as usize),
        "░".repeat((BAR - filled) as usize),
        grouped(used.used),
        grouped(limit),
        used.unit
    )
}

fn short(title: &str) -> String {
    const LONGEST: usize = 48;
    let mut text: String = title.chars().take(LONGEST).collect();
    if title.chars().count() > LONGEST {
        text.push('…');
    }
    text
}

/// A number with its thousands set apart.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// Text inside a Markdown table: nothing in it is markup.
fn cell(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '|' | '#' | '~' | '!' | '@' | '&' => {
                out.push('\\');
                out.push(c);
            }
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped() {
        assert_eq!([0, 999, 1000, 1_234_567].map(grouped), ["0", "999", "1,000", "1,234,567"]);
    }
}
