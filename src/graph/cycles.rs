//! Cycles of a relation: each once, with a shortest path.

use std::collections::VecDeque;
use std::mem::replace;

/// Items that all lead to each other.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Cycle {
    /// A shortest path from the first member back to it; the step from the last to the first is not repeated.
    pub(super) path: Vec<usize>,
    /// All members, ascending.
    pub(super) members: Vec<usize>,
}

/// Returns the cycles of a graph, sorted by their members; `next` lists the targets of each node.
///
/// Nodes outside cycles, and edges from a node to itself, are left out. Linear, and without recursion: Kosaraju's algorithm
/// with its own stack.
pub(super) fn cycles(next: &[Vec<usize>]) -> Vec<Cycle> {
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
