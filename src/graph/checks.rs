//! Warnings about the shape of the graph: several parents, too many relations, cycles.

use super::candidate::{CandidateEdge, EdgeTarget};
use super::corpus::Corpus;
use super::edges::{MAX_SHOWN, Target};
use crate::model::{Code, Diagnostic, Relation};
use std::collections::VecDeque;
use std::mem::replace;

pub(super) fn check(corpus: &Corpus, edges: &[CandidateEdge], issues: &[Target]) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for edges in edges.chunk_by(|a, b| (a.from, a.relation) == (b.from, b.relation)) {
        let edges: Vec<&CandidateEdge> = edges.iter().filter(|edge| !edge.is_claim()).collect();
        let [first, ..] = edges[..] else { continue };
        let own = corpus.id(first.from);
        let mut warn = |code, at: &CandidateEdge, message: String, help: &str| {
            found.push(corpus.entries[first.from].warning(code, at.stated.place(corpus), message, help));
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

#[derive(Debug, PartialEq, Eq)]
struct Cycle {
    /// A shortest path from the first member back to it; the step from the last to the first is not repeated.
    path: Vec<usize>,
    members: Vec<usize>,
}

/// Returns the cycles of a graph, sorted by their members; `next` lists the targets of each node.
///
/// Nodes outside cycles, and edges from a node to itself, are left out. Linear, and without recursion: Kosaraju's algorithm
/// with its own stack.
fn cycles(next: &[Vec<usize>]) -> Vec<Cycle> {
    let mut previous = vec![Vec::new(); next.len()];
    for (node, targets) in next.iter().enumerate() {
        targets.iter().for_each(|target| previous[*target].push(node));
    }
    let mut seen = vec![false; next.len()];
    let order: Vec<usize> = (0..next.len()).flat_map(|root| postorder(next, root, &mut seen)).collect();
    let mut seen = vec![false; next.len()];
    let components = order.into_iter().rev().map(|root| postorder(&previous, root, &mut seen));
    let mut found: Vec<Cycle> = components
        .filter(|members| members.len() > 1)
        .map(|mut members| {
            members.sort_unstable();
            Cycle { path: shortest_cycle(&members, next), members }
        })
        .collect();
    found.sort_by(|a, b| a.members.cmp(&b.members));
    found
}

/// Returns the nodes that `root` leads to and that were not `seen` yet, each after those that it leads to.
fn postorder(next: &[Vec<usize>], root: usize, seen: &mut [bool]) -> Vec<usize> {
    let (mut found, mut stack) = (Vec::new(), Vec::new());
    if !replace(&mut seen[root], true) {
        stack.push((root, 0));
    }
    while let Some((node, step)) = stack.pop() {
        match next[node].get(step) {
            None => found.push(node),
            Some(&child) => {
                stack.push((node, step + 1));
                if !replace(&mut seen[child], true) {
                    stack.push((child, 0));
                }
            }
        }
    }
    found
}

/// Returns a shortest path from the first of `members`, which are one component, back to it.
fn shortest_cycle(members: &[usize], next: &[Vec<usize>]) -> Vec<usize> {
    let mut from = vec![None; members.len()];
    let mut queue = VecDeque::from([0]);
    while let Some(at) = queue.pop_front() {
        for child in next[members[at]].iter().filter_map(|child| members.binary_search(child).ok()) {
            if child == 0 && at != 0 {
                let mut path: Vec<usize> =
                    std::iter::successors(Some(at), |at| from[*at]).map(|at| members[at]).collect();
                path.reverse();
                return path;
            }
            if child != 0 && from[child].is_none() {
                from[child] = Some(at);
                queue.push_back(child);
            }
        }
    }
    members.to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chain_of_a_hundred_thousand_is_walked_without_recursion() {
        let count = 100_000;
        let mut next: Vec<Vec<usize>> = (0..count).map(|node| vec![(node + 1) % count]).collect();
        let found = cycles(&next);
        assert_eq!((found.len(), found[0].path.len()), (1, count));
        next[count - 1].clear();
        assert_eq!(cycles(&next), []);
    }
}
