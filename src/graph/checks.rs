//! Warnings about the shape of the graph, and its edges in the form of packs.

use super::builder::GraphBuilder;
use super::candidate::{CandidateEdge, EdgeTarget};
use super::cycles::{Cycle, cycles};
use super::edges::MOST_SHOWN;
use super::text::shown_at;
use super::{Corpus, Edge, EdgeEvidence, Target};
use crate::model::{Code, Diagnostic, Relation};

impl GraphBuilder {
    pub(super) fn report_multiple_parents(&mut self, corpus: &Corpus, candidates: &[CandidateEdge]) {
        for edges in candidates.chunk_by(|a, b| (a.from, a.relation) == (b.from, b.relation)) {
            let edges: Vec<&CandidateEdge> = edges
                .iter()
                .filter(|candidate| candidate.relation == Relation::Parent && !candidate.is_claim())
                .collect();
            let [first, _, ..] = &edges[..] else { continue };
            let names: Vec<&str> = edges.iter().map(|edge| self.name(corpus, edge.to)).collect();
            let own = corpus.id(first.from);
            let message = format!("`{own}` has {} parents: `{}`", names.len(), names.join("`, `"));
            let diagnostic = Diagnostic::new(Code::MultipleParents, Some(first.stated.place(corpus)), message)
                .help("keep one of them, and make the others `related`");
            self.diagnostics.push(diagnostic.about(own));
        }
    }

    /// Warns of items with more edges than their packs show.
    pub(super) fn report_too_many_relations(&mut self, corpus: &Corpus, candidates: &[CandidateEdge]) {
        for edges in candidates.chunk_by(|a, b| (a.from, a.relation) == (b.from, b.relation)) {
            let mut edges = edges.iter().filter(|candidate| !candidate.is_claim());
            let (Some(first), count) = (edges.clone().nth(MOST_SHOWN), edges.by_ref().count()) else { continue };
            let own = corpus.id(first.from);
            let message =
                format!("`{own}` has {count} `{}` relations; its packs show {MOST_SHOWN}", first.relation.name());
            let diagnostic = Diagnostic::new(Code::TooManyRelations, Some(first.stated.place(corpus)), message)
                .help("divide the work, or remove relations that say nothing");
            self.diagnostics.push(diagnostic.about(own));
        }
    }

    pub(super) fn report_cycles(
        &mut self,
        corpus: &Corpus,
        candidates: &[CandidateEdge],
        relations: &[Relation],
        verb: &str,
    ) {
        let mut next: Vec<Vec<usize>> = corpus.entries.iter().map(|_| Vec::new()).collect();
        // A cycle concerns all of its items, so an untrusted text cannot close one.
        let chosen = |candidate: &&CandidateEdge| candidate.trusted && relations.contains(&candidate.relation);
        for candidate in candidates.iter().filter(chosen) {
            if let EdgeTarget::Item(to) = candidate.to {
                next[candidate.from].push(to);
            }
        }
        for Cycle { path, members } in cycles(&next) {
            let mut names: Vec<&str> = path.iter().take(8).map(|item| corpus.id(*item)).collect();
            if path.len() > names.len() {
                names.push("…");
            }
            names.extend(path.first().map(|item| corpus.id(*item)));
            let all = members.len();
            let more = if all == path.len() { String::new() } else { format!("; part of a cycle of {all} items") };
            let way = names.join("` → `");
            let message = format!("items {verb} each other in a circle: `{way}`{more}");
            let first = |candidate: &&CandidateEdge| {
                Some(&candidate.from) == path.first()
                    && path.get(1).is_some_and(|second| candidate.to == EdgeTarget::Item(*second))
            };
            let from = candidates.partition_point(|candidate| Some(&candidate.from) < path.first());
            let at =
                candidates[from..].iter().filter(chosen).find(first).map(|candidate| candidate.stated.place(corpus));
            let mut diagnostic = Diagnostic::new(Code::Cycle, at, message).help("remove one of these relations");
            diagnostic.about = members.iter().map(|item| corpus.id(*item).to_owned()).collect();
            self.diagnostics.push(diagnostic);
        }
    }

    pub(super) fn edge(&self, corpus: &Corpus, candidate: &CandidateEdge) -> Edge {
        let to = match candidate.to {
            EdgeTarget::Item(item) => Target::Item(item),
            EdgeTarget::Issue(issue) => self.issues[issue].clone(),
        };
        let origin = candidate.stated.part.origin(&corpus.entries[candidate.stated.item]);
        let at = shown_at(origin, candidate.stated.line);
        Edge {
            relation: candidate.relation,
            to,
            evidence: EdgeEvidence { source: candidate.source, at, trusted: candidate.trusted },
        }
    }

    fn name<'n>(&'n self, corpus: &'n Corpus, to: EdgeTarget) -> &'n str {
        match to {
            EdgeTarget::Item(item) => corpus.id(item),
            EdgeTarget::Issue(issue) => match &self.issues[issue] {
                Target::Issue { id, .. } => id,
                Target::Item(item) => corpus.id(*item),
            },
        }
    }
}
