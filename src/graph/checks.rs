//! Warnings about the shape of the graph, and its edges as packs show them.

use super::builder::{CandidateEdge, EdgeTarget, GraphBuilder};
use super::cycles::{Cycle, cycles};
use super::edges::MOST_SHOWN;
use super::issue::shown_at;
use super::place::id;
use super::{Corpus, Edge, EdgeEvidence, Target};
use crate::model::{Code, Diagnostic, Relation};

impl GraphBuilder {
    pub(super) fn parents(&mut self, corpus: &Corpus, raws: &[CandidateEdge]) {
        for edges in raws.chunk_by(|a, b| (a.from, a.relation) == (b.from, b.relation)) {
            let edges: Vec<&CandidateEdge> =
                edges.iter().filter(|raw| raw.relation == Relation::Parent && !raw.is_claim()).collect();
            let [first, _, ..] = &edges[..] else { continue };
            let names: Vec<&str> = edges.iter().map(|edge| self.name(corpus, edge.to)).collect();
            let own = id(corpus, first.from);
            let message = format!("`{own}` has {} parents: `{}`", names.len(), names.join("`, `"));
            let diagnostic = Diagnostic::new(Code::MultipleParents, Some(first.stated.place(corpus)), message)
                .help("keep one of them, and make the others `related`");
            self.diagnostics.push(diagnostic.about(own));
        }
    }

    /// Warns of items with more edges than their packs show.
    pub(super) fn crowds(&mut self, corpus: &Corpus, raws: &[CandidateEdge]) {
        for edges in raws.chunk_by(|a, b| (a.from, a.relation) == (b.from, b.relation)) {
            let mut edges = edges.iter().filter(|raw| !raw.is_claim());
            let (Some(first), count) = (edges.clone().nth(MOST_SHOWN), edges.by_ref().count()) else { continue };
            let own = id(corpus, first.from);
            let message =
                format!("`{own}` has {count} `{}` relations; its packs show {MOST_SHOWN}", first.relation.name());
            let diagnostic = Diagnostic::new(Code::TooManyRelations, Some(first.stated.place(corpus)), message)
                .help("divide the work, or remove relations that say nothing");
            self.diagnostics.push(diagnostic.about(own));
        }
    }

    pub(super) fn circles(&mut self, corpus: &Corpus, raws: &[CandidateEdge], relations: &[Relation], verb: &str) {
        let mut next: Vec<Vec<usize>> = corpus.entries.iter().map(|_| Vec::new()).collect();
        // A circle concerns all of its items: no text by outsiders closes one.
        let chosen = |raw: &&CandidateEdge| raw.trusted && relations.contains(&raw.relation);
        for raw in raws.iter().filter(chosen) {
            if let EdgeTarget::Item(to) = raw.to {
                next[raw.from].push(to);
            }
        }
        for Cycle { path, members } in cycles(&next) {
            let mut names: Vec<&str> = path.iter().take(8).map(|item| id(corpus, *item)).collect();
            if path.len() > names.len() {
                names.push("…");
            }
            names.extend(path.first().map(|item| id(corpus, *item)));
            let all = members.len();
            let more = if all == path.len() { String::new() } else { format!("; part of a knot of {all}") };
            let way = names.join("` → `");
            let message = format!("items {verb} each other in a circle: `{way}`{more}");
            let first = |raw: &&CandidateEdge| {
                Some(&raw.from) == path.first() && path.get(1).is_some_and(|second| raw.to == EdgeTarget::Item(*second))
            };
            let from = raws.partition_point(|raw| Some(&raw.from) < path.first());
            let at = raws[from..].iter().filter(chosen).find(first).map(|raw| raw.stated.place(corpus));
            let mut diagnostic = Diagnostic::new(Code::Cycle, at, message).help("remove one of these relations");
            diagnostic.about = members.iter().map(|item| id(corpus, *item).to_owned()).collect();
            self.diagnostics.push(diagnostic);
        }
    }

    pub(super) fn edge(&self, corpus: &Corpus, raw: &CandidateEdge) -> Edge {
        let to = match raw.to {
            EdgeTarget::Item(item) => Target::Item(item),
            EdgeTarget::Issue(issue) => self.issues[issue].clone(),
        };
        let origin = raw.stated.part.origin(&corpus.entries[raw.stated.item]);
        let at = shown_at(origin, raw.stated.line);
        Edge { relation: raw.relation, to, evidence: EdgeEvidence { source: raw.source, at, trusted: raw.trusted } }
    }

    fn name<'n>(&'n self, corpus: &'n Corpus, to: EdgeTarget) -> &'n str {
        match to {
            EdgeTarget::Item(item) => id(corpus, item),
            EdgeTarget::Issue(issue) => match &self.issues[issue] {
                Target::Issue { id, .. } => id,
                Target::Item(item) => id(corpus, *item),
            },
        }
    }
}
