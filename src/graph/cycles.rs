//! Cycles of a relation: each once, with a shortest path.

use std::collections::VecDeque;

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
/// Nodes outside cycles, and edges from a node to itself, are left out. Linear, and without recursion.
pub(super) fn cycles(next: &[Vec<usize>]) -> Vec<Cycle> {
    let component = components(next);
    let mut members: Vec<Vec<usize>> = next.iter().map(|_| Vec::new()).collect();
    for (node, component) in component.iter().enumerate() {
        members[*component].push(node);
    }
    let mut found: Vec<Cycle> = members
        .into_iter()
        .filter(|members| members.len() > 1)
        .filter_map(|members| {
            let start = *members.first()?;
            Some(Cycle { path: shortest_cycle(start, &members, next, &component), members })
        })
        .collect();
    found.sort_by(|a, b| a.members.cmp(&b.members));
    found
}

/// Returns the component of each node: Tarjan's algorithm with its own stack.
fn components(next: &[Vec<usize>]) -> Vec<usize> {
    const NEW: usize = usize::MAX;
    let count = next.len();
    let (mut order, mut low, mut component) = (vec![NEW; count], vec![0; count], vec![NEW; count]);
    let (mut stack, mut work) = (Vec::new(), Vec::new());
    let (mut clock, mut count_found) = (0, 0);
    for root in 0..count {
        if order[root] != NEW {
            continue;
        }
        work.push((root, 0));
        while let Some((node, step)) = work.pop() {
            if step == 0 {
                order[node] = clock;
                low[node] = clock;
                clock += 1;
                stack.push(node);
            } else {
                let child = next[node][step - 1];
                low[node] = low[node].min(low[child]);
            }
            let mut step = step;
            let mut deeper = None;
            while let Some(&child) = next[node].get(step) {
                step += 1;
                if order[child] == NEW {
                    deeper = Some(child);
                    break;
                }
                if component[child] == NEW {
                    low[node] = low[node].min(order[child]);
                }
            }
            if let Some(child) = deeper {
                work.push((node, step));
                work.push((child, 0));
            } else if low[node] == order[node] {
                while let Some(member) = stack.pop() {
                    component[member] = count_found;
                    if member == node {
                        break;
                    }
                }
                count_found += 1;
            }
        }
    }
    component
}

/// Returns a shortest path from `start` back to it, inside its component.
fn shortest_cycle(start: usize, members: &[usize], next: &[Vec<usize>], component: &[usize]) -> Vec<usize> {
    let place = |node: usize| members.binary_search(&node).unwrap_or(members.len());
    let mut from = vec![None; members.len()];
    let mut queue = VecDeque::from([start]);
    while let Some(node) = queue.pop_front() {
        for &child in &next[node] {
            if child == start && node != start {
                let mut path = vec![node];
                while let Some(before) = path.last().and_then(|last| from[place(*last)]) {
                    path.push(before);
                }
                path.reverse();
                return path;
            }
            if child != start && component[child] == component[start] && from[place(child)].is_none() {
                from[place(child)] = Some(node);
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
    fn each_cycle_is_found_once_with_a_shortest_path() {
        // 0 → 1 → 2 → 0 with a shorter way 1 → 0; 3 → 4 → 3; 5 alone, 6 to itself.
        let next = vec![vec![1], vec![2, 0], vec![0], vec![4], vec![3, 0], vec![0], vec![6]];
        assert_eq!(
            cycles(&next),
            vec![Cycle { path: vec![0, 1], members: vec![0, 1, 2] }, Cycle { path: vec![3, 4], members: vec![3, 4] },]
        );
    }

    #[test]
    fn a_chain_of_a_hundred_thousand_is_walked_without_recursion() {
        let count = 100_000;
        let next: Vec<Vec<usize>> = (0..count).map(|node| vec![(node + 1) % count]).collect();
        let found = cycles(&next);
        assert_eq!((found.len(), found[0].path.len()), (1, count));
        let open: Vec<Vec<usize>> =
            (0..count).map(|node| if node + 1 < count { vec![node + 1] } else { vec![] }).collect();
        assert_eq!(cycles(&open), vec![]);
    }
}
