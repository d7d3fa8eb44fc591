//! Warnings about the shape of the graph: several parents, too many relations, cycles.

use super::candidate::{CandidateEdge, EdgeTarget};
use super::corpus::Corpus;
use super::cycles::{Cycle, cycles};
use super::edge::Target;
use crate::model::{Code, Diagnostic, Relation};

/// The most edges of one relation that a pack shows.
///
/// A pack is read by people and by models, to whom thousands of neighbours tell no more than their number.
pub(super) const MAX_SHOWN: usize = 250;

/// Returns the problems of the edges, which are in the order of the edge list.
pub(super) fn check(corpus: &Corpus, edges: &[CandidateEdge], issues: &[Target]) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for edges in edges.chunk_by(|a, b| (a.from, a.relation) == (b.from, b.relation)) {
        let edges: Vec<&CandidateEdge> = edges.iter().filter(|edge| !edge.is_claim()).collect();
        let [first, ..] = edges[..] else { continue };
        let own = corpus.id(first.from);
        let mut warn = |code, at: &CandidateEdge, message: String, help: &str| {
            found.push(Diagnostic::new(code, Some(at.stated.place(corpus)), message).help(help).about(own));
        };
        if first.relation == Relation::Parent && edges.len() > 1 {
            let names: Vec<&str> = edges.iter().map(|edge| name(corpus, issues, edge.to)).collect();
            let message = format!("`{own}` has {} parents: `{}`", names.len(), names.join("`, `"));
            warn(Code::MultipleParents, first, message, "keep one of them, and make the others `related`");
        }
        if let Some(hidden) = edges.get(MAX_SHOWN) {
            let (count, relation) = (edges.len(), first.relation.name());
            let message = format!("`{own}` has {count} `{relation}` relations; its packs show {MAX_SHOWN}");
            warn(Code::TooManyRelations, hidden, message, "divide the work, or remove relations that say nothing");
        }
    }
    found.extend(circles(corpus, edges, &[Relation::Parent], "contain"));
    found.extend(circles(corpus, edges, &[Relation::DependsOn, Relation::BlockedBy], "depend on"));
    found
}

/// Returns a warning for each cycle of some relations.
fn circles(corpus: &Corpus, edges: &[CandidateEdge], relations: &[Relation], verb: &str) -> Vec<Diagnostic> {
    // A cycle concerns all of its items, so an untrusted text cannot close one.
    let chosen = |edge: &&CandidateEdge| edge.trusted && relations.contains(&edge.relation);
    let mut next: Vec<Vec<usize>> = vec![Vec::new(); corpus.entries.len()];
    for edge in edges.iter().filter(chosen) {
        if let EdgeTarget::Item(to) = edge.to {
            next[edge.from].push(to);
        }
    }
    let warning = |Cycle { path, members }: Cycle| {
        let [first, second, ..] = path[..] else { return None };
        let mut names: Vec<&str> = path.iter().take(8).map(|item| corpus.id(*item)).collect();
        if path.len() > names.len() {
            names.push("…");
        }
        names.push(corpus.id(first));
        let all = members.len();
        let more = if all == path.len() { String::new() } else { format!("; part of a cycle of {all} items") };
        let message = format!("items {verb} each other in a circle: `{}`{more}", names.join("` → `"));
        let start = edges.partition_point(|edge| edge.from < first);
        let closes = |edge: &&CandidateEdge| edge.from == first && edge.to == EdgeTarget::Item(second);
        let at = edges[start..].iter().filter(chosen).find(closes).map(|edge| edge.stated.place(corpus));
        let mut diagnostic = Diagnostic::new(Code::Cycle, at, message).help("remove one of these relations");
        diagnostic.about = members.iter().map(|item| corpus.id(*item).to_owned()).collect();
        Some(diagnostic)
    };
    cycles(&next).into_iter().filter_map(warning).collect()
}

fn name<'n>(corpus: &'n Corpus, issues: &'n [Target], to: EdgeTarget) -> &'n str {
    match to {
        EdgeTarget::Item(item) => corpus.id(item),
        EdgeTarget::Issue(issue) => match &issues[issue] {
            Target::Issue { id, .. } => id,
            Target::Item(item) => corpus.id(*item),
        },
    }
}
