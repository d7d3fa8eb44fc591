//! The neighbourhood of the packs that differ as a mermaid graph.

use crate::review::{Diff, PackChange};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// The most nodes of the graph; more would be unreadable.
const MAX_NODES: usize = 40;

const MAX_LABEL: usize = 60;

const CLASSES: [(&str, &str); 4] = [
    ("added", "fill:#dafbe1,stroke:#1a7f37,color:#1f2328"),
    ("removed", "fill:#ffebe9,stroke:#cf222e,color:#1f2328,stroke-dasharray:4"),
    ("changed", "fill:#fff8c5,stroke:#9a6700,color:#1f2328"),
    ("same", "fill:#f6f8fa,stroke:#818b98,color:#1f2328"),
];

#[derive(Default)]
struct MermaidGraph {
    numbers: BTreeMap<String, usize>,
    /// Labels and classes, in the order of their first mention.
    nodes: Vec<(String, &'static str)>,
    edges: Vec<String>,
    left_out: usize,
}

impl MermaidGraph {
    /// Returns the number of a node, adding it if needed; `None` if the graph is full.
    fn node(&mut self, id: &str, title: &str, change: &str) -> Option<usize> {
        let class = CLASSES.iter().find(|(name, _)| *name == change).map_or("changed", |(name, _)| *name);
        if let Some(at) = self.numbers.get(id) {
            // A neighbour may be a root too, and a change takes precedence.
            if self.nodes[*at].1 == "same" {
                self.nodes[*at].1 = class;
            }
            return Some(*at);
        }
        if self.nodes.len() == MAX_NODES {
            self.left_out += 1;
            return None;
        }
        self.numbers.insert(id.to_owned(), self.nodes.len());
        let title = if title.is_empty() || title == id { String::new() } else { format!("<br>{}", label(title)) };
        self.nodes.push((label(id) + &title, class));
        Some(self.nodes.len() - 1)
    }

    fn edge(&mut self, from: usize, arrow: &str, to: usize) {
        let edge = format!("n{from} {arrow} n{to}");
        if !self.edges.contains(&edge) {
            self.edges.push(edge);
        }
    }

    fn pack(&mut self, diff: &Diff, pack: &PackChange) {
        let Some(root) = self.node(&pack.root, &pack.title, &pack.change) else { return };
        let sections = pack.sections.iter().filter_map(|at| diff.sections.get(*at)).map(|shared| &shared.section);
        let is_file = |kind: &str| matches!(kind, "adr_excerpt" | "file_excerpt");
        for section in sections.filter(|section| pack.change == "changed" && is_file(&section.kind)) {
            let file = section.id.split_once('.').map_or(&*section.id, |(_, file)| file);
            if let Some(file) = self.node(file, "", &section.change) {
                self.edge(root, "-.->", file);
            }
        }
    }
}

/// Returns the lines of a mermaid block and the number of omitted nodes; `None` if no pack has neighbours.
pub(in crate::cli) fn graph(diff: &Diff) -> Option<(String, usize)> {
    let mut graph = MermaidGraph::default();
    diff.packs.iter().filter(|pack| !pack.root.is_empty()).for_each(|pack| graph.pack(diff, pack));
    // Changed neighbours are added first.
    for same in [false, true] {
        for pack in &diff.packs {
            let Some(root) = graph.numbers.get(&pack.root).copied() else { continue };
            for neighbour in pack.neighbours.iter().filter(|it| (it.change == "same") == same) {
                if let Some(to) = graph.node(&neighbour.to, &neighbour.title, &neighbour.change) {
                    graph.edge(root, &format!("-->|\"{}\"|", label(&neighbour.relation)), to);
                }
            }
        }
    }
    if graph.edges.is_empty() {
        return None;
    }
    let nodes = graph.nodes.iter().enumerate().map(|(at, (label, class))| format!("n{at}[\"{label}\"]:::{class}"));
    let classes = CLASSES.iter().map(|(name, look)| format!("classDef {name} {look}"));
    let lines: Vec<String> = nodes.chain(graph.edges).chain(classes).map(|line| format!("  {line}\n")).collect();
    Some((format!("graph LR\n{}", lines.concat()), graph.left_out))
}

/// Escapes a text for a label: possible syntax becomes character references.
fn label(text: &str) -> String {
    let mut label = String::new();
    for c in text.chars().take(MAX_LABEL) {
        match c {
            c if c.is_alphanumeric() || matches!(c, ' ' | '-' | '/' | '.') => label.push(c),
            // Controls and invisible signs have nothing to show.
            c if c.is_ascii_punctuation() => {
                let _ = write!(label, "#{};", u32::from(c));
            }
            _ => label.push('·'),
        }
    }
    if text.chars().nth(MAX_LABEL).is_some() {
        label.push('…');
    }
    label
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_label_is_syntax() {
        assert_eq!(
            label("feat:x \"]; `click` n0 <b>\u{202e}\n"),
            "feat#58;x #34;#93;#59; #96;click#96; n0 #60;b#62;··"
        );
        assert_eq!(label(&"ä".repeat(61)), format!("{}…", "ä".repeat(60)));
    }
}
