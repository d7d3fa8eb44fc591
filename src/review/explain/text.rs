//! The explanation as text for a terminal.

use super::page::{TextPage, bar, cost, detail, grouped, share, short};
use super::{Explanation, shown_title};
use crate::render;
use std::collections::BTreeSet;

impl Explanation {
    /// Returns the trust of an item's text, if it is not the usual one and a section or an omission says so.
    fn trust_of(&self, item: &str) -> Option<&String> {
        let mut lines = self.sections.iter().chain(&self.omissions);
        lines.find(|line| line.id.split_once('.').is_some_and(|(_, id)| id == item))?.trust.as_ref()
    }

    /// Renders the explanation as text for a terminal.
    pub fn text(&self) -> String {
        let mut page = TextPage::default();
        page.line(format_args!("{}  {}", self.root, shown_title(&self.title, self.trust.as_ref())));
        let facts = [&self.state, &self.place, &format!("profile {}", self.profile), &self.pack_id];
        // The start of an agent's session has no root, and so neither state nor place.
        let facts: Vec<&str> = facts.into_iter().map(String::as_str).filter(|fact| !fact.is_empty()).collect();
        page.line(format_args!("{}", facts.join(", ")));
        if let Some(agent) = self.agent_line() {
            page.line(format_args!("{agent}"));
        }
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
        let titled = |title: &str, trust: Option<&String>| match trust {
            Some(_) => shown_title(title, trust).into_owned(),
            None => short(title),
        };
        let rows = self.edges.iter().map(|neighbour| {
            let edge = &neighbour.edge;
            [
                edge.relation.clone(),
                edge.to.clone(),
                edge.state.clone(),
                neighbour.shown.clone(),
                titled(&edge.title, edge.trust.as_ref().or_else(|| self.trust_of(&edge.to))),
                format!("{}, {}", edge.source, edge.at),
            ]
        });
        page.table(rows.collect(), "no relations");
        page.head("In the pack");
        let (by_tokens, whole) = self.limiting_unit();
        let rows = self.sections.iter().map(|line| {
            [
                line.id.clone(),
                line.why(),
                detail(line),
                cost(line),
                share(if by_tokens { line.tokens } else { line.chars }.unwrap_or_default(), whole),
                titled(&line.title, line.trust.as_ref()),
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
            // All redactions by one rule in one file have the same advice.
            let mut listed = BTreeSet::new();
            for redaction in self.redactions.iter().filter(|redaction| listed.insert(&redaction.to_include)) {
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
}
