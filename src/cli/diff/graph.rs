//! The neighbourhood of the packs that differ as a mermaid graph.

use crate::review::Diff;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// The most nodes of the graph; more would be unreadable.
const NODES: usize = 40;

/// The longest label, in characters.
const LONGEST: usize = 60;

#[derive(Default)]
struct MermaidGraph {
    /// Labels and classes by id, in the order of their first mention.
    places: BTreeMap<String, usize>,
    nodes: Vec<(String, &'static str)>,
    edges: Vec<String>,
    left_out: usize,
}

impl MermaidGraph {
    /// Returns the number of a node, adding it if needed; `None` if the graph is full.
    fn node(&mut self, id: &str, title: &str, class: &'static str) -> Option<usize> {
        if let Some(at) = self.places.get(id) {
            // A neighbour may be a root too, and a change takes precedence.
            if self.nodes[*at].1 == "same" {
                self.nodes[*at].1 = class;
            }
            return Some(*at);
        }
        if self.nodes.len() == NODES {
            self.left_out += 1;
            return None;
        }
        let at = self.nodes.len();
        self.places.insert(id.to_owned(), at);
        let label =
            if title.is_empty() || title == id { label(id) } else { format!("{}<br>{}", label(id), label(title)) };
        self.nodes.push((label, class));
        Some(at)
    }
}

/// Returns the lines of a mermaid block and the number of omitted nodes; `None` if no pack has neighbours.
pub(super) fn graph(diff: &Diff) -> Option<(String, usize)> {
    let mut graph = MermaidGraph::default();
    for pack in diff.packs.iter().filter(|pack| !pack.root.is_empty()) {
        let Some(root) = graph.node(&pack.root, &pack.title, class(&pack.change)) else { continue };
        for shared in pack.sections.iter().filter_map(|at| diff.sections.get(*at)) {
            let section = &shared.section;
            let is_file = matches!(section.kind.as_str(), "adr_excerpt" | "file_excerpt");
            if is_file
                && pack.change == "changed"
                && let Some(file) = graph.node(file_of(&section.id), "", class(&section.change))
            {
                graph.edges.push(format!("n{root} -.-> n{file}"));
            }
        }
    }
    // Changed neighbours are added first.
    for same in [false, true] {
        for pack in &diff.packs {
            let Some(root) = graph.places.get(&pack.root).copied() else { continue };
            for neighbour in pack.neighbours.iter().filter(|it| (it.change == "same") == same) {
                if let Some(to) = graph.node(&neighbour.to, &neighbour.title, class(&neighbour.change)) {
                    graph.edges.push(format!("n{root} -->|\"{}\"| n{to}", label(&neighbour.relation)));
                }
            }
        }
    }
    if graph.edges.is_empty() {
        return None;
    }
    let mut text = String::from("graph LR\n");
    for (at, (label, class)) in graph.nodes.iter().enumerate() {
        let _ = writeln!(text, "  n{at}[\"{label}\"]:::{class}");
    }
    let mut seen = std::collections::BTreeSet::new();
    for edge in graph.edges.iter().filter(|edge| seen.insert(*edge)) {
        let _ = writeln!(text, "  {edge}");
    }
    text.push_str(
        "  classDef added fill:#dafbe1,stroke:#1a7f37,color:#1f2328\n  \
         classDef removed fill:#ffebe9,stroke:#cf222e,color:#1f2328,stroke-dasharray:4\n  \
         classDef changed fill:#fff8c5,stroke:#9a6700,color:#1f2328\n  \
         classDef same fill:#f6f8fa,stroke:#818b98,color:#1f2328\n",
    );
    Some((text, graph.left_out))
}

fn class(change: &str) -> &'static str {
    match change {
        "added" => "added",
        "removed" => "removed",
        "same" => "same",
        _ => "changed",
    }
}

/// Returns the file of a section such as `adr.docs/adr/0007-cache.md`.
fn file_of(id: &str) -> &str {
    id.split_once('.').map_or(id, |(_, file)| file)
}

/// Escapes a text for a label: possible syntax becomes character references.
fn label(text: &str) -> String {
    let mut label = String::new();
    for c in text.chars().take(LONGEST) {
        match c {
            c if c.is_alphanumeric() || matches!(c, ' ' | '-' | '/' | '.') => label.push(c),
            // Controls and invisible signs have nothing to show.
            c if c.is_ascii_punctuation() => {
                let _ = write!(label, "#{};", u32::from(c));
            }
            _ => label.push('·'),
        }
    }
    if text.chars().nth(LONGEST).is_some() {
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
