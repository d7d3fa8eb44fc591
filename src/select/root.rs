//! The root's own sections: its text, the draft of its file, its fields, and its edges.

use super::edge_list::{Claims, EdgeList, EdgeRow, line};
use super::origins::{item_origin, record_origin, redactions, redactions_in_fields, redactions_in_text, text_origin};
use super::selector::{RootReferences, Selector};
use super::types::{DRAFT, EDGES, FIELDS, ROOT};
use super::{Candidate, Evidence, Omission, SectionBody, SelectionContext, TextOrigin, Trim, WorkItemJson, item_of};
use crate::graph::{Edge, EdgeSource, Entry, Graph, IssueDraft, Node, Target, Unresolved, Value};
use crate::model::Relation;
use crate::redact::{Clean, CleanBuf};
use std::collections::BTreeSet;
use std::sync::Arc;

const RELATIONS: [(&str, Relation); 6] = [
    ("parent", Relation::Parent),
    ("children", Relation::Child),
    ("depends_on", Relation::DependsOn),
    ("blocked_by", Relation::BlockedBy),
    ("blocks", Relation::Blocks),
    ("related", Relation::Related),
];

impl Selector<'_> {
    pub(super) fn add_own_sections(&mut self, entry: &Entry, references: &RootReferences) {
        let (context, root, none) = (self.context, self.root, Clean::default());
        let record = record_origin(entry);
        let with_state = |candidate| Candidate {
            state: Some(Clean::literal(Graph::state(context.corpus, root).name())),
            status: entry.item.status.clone(),
            ..candidate
        };
        let text = Candidate {
            trim: Trim::Root,
            untrusted: entry.is_untrusted() || entry.has_untrusted_title(),
            by: entry.issue_with_text().map(|issue| issue.by.clone()),
            removals: redactions_in_text(entry),
            ..Candidate::new(ROOT, &none, entry.item.title.clone(), item_origin(entry), context.root(root))
        };
        let body = SectionBody::Json(Arc::new(self.json(entry, &record)));
        let json = Candidate {
            trim: Trim::Json,
            // The answers of an issue form are written by the issue's author, and ids by those of the files.
            untrusted: entry.untrusted_file
                || entry.issue.as_ref().is_some_and(|issue| !issue.by.trusted)
                || context.lists_untracked(context.graph.shown(root)),
            removals: redactions_in_fields(entry),
            ..Candidate::new(FIELDS, &none, Clean::literal("Work item fields"), record.clone(), body)
        };
        let body = SectionBody::Edges(Arc::new(EdgeList::new(context, root, references)));
        let edges = Candidate {
            trim: Trim::Edges,
            untrusted: entry.untrusted_file
                || context.lists_untrusted(context.graph.shown(root))
                || context.lists_untracked(context.shown_claims(root)),
            removals: context.redactions_in_lines(context.graph.shown(root)),
            ..Candidate::new(EDGES, &none, Clean::literal("One-hop relations"), record, body)
        };
        let hidden = context.graph.hidden(root);
        if hidden > 0 {
            let title = CleanBuf::new().number(hidden as u64).lit(" relations").finish();
            // The title is a count made here.
            self.found.omissions.push(Omission { title, untrusted: false, ..edges.omitted("limit") });
        }
        let draft = entry.draft.as_deref().map(|draft| self.draft(entry, draft));
        context.graph.shown(root).filter_map(item_of).for_each(|item| self.found.record_item(item, false));
        self.found.record_item(root, true);
        let (before, after) = if context.profile.draft_first { (draft, None) } else { (None, draft) };
        let sections = before.into_iter().chain([text]).chain(after).chain([json, edges]);
        self.found.candidates.extend(sections.map(with_state));
    }

    fn draft(&self, entry: &Entry, draft: &IssueDraft) -> Candidate {
        let origin = text_origin(entry, &draft.body, &draft.text);
        let body = self.context.draft(self.root, draft, &origin);
        Candidate {
            removals: redactions(&entry.removals, |removal| removal.in_body, &origin),
            untrusted: entry.untrusted_file,
            ..Candidate::new(DRAFT, &Clean::default(), entry.item.title.clone(), origin, body)
        }
    }

    /// Returns the fields as written, with relations as resolved ids; of what cannot be found as written.
    fn json(&self, entry: &Entry, origin: &TextOrigin) -> WorkItemJson {
        let is_relation = |name: &str| RELATIONS.iter().any(|(known, _)| *known == name);
        let written = entry.item.fields.iter().filter(|field| !is_relation(&field.name));
        let mut fields: Vec<(Clean, Node<Clean>)> =
            written.map(|field| (field.name.clone(), field.node.clone())).collect();
        let scalar = |text: &Clean| Node { line: 1, value: Value::Scalar { text: text.clone(), plain: false } };
        let list = |nodes| Node { line: 1, value: Value::List(nodes) };
        for (name, text) in [("id", &entry.item.id), ("title", &entry.item.title)] {
            if !fields.iter().any(|(field, _)| &**field == name) {
                fields.push((Clean::literal(name), scalar(text)));
            }
        }
        let mut in_prose = Vec::new();
        for (name, relation) in RELATIONS {
            let edges = self.context.graph.shown(self.root).filter(|edge| edge.relation == relation);
            let edges = edges.map(|edge| (self.context.id(edge), edge.evidence.source));
            let unresolved = self.context.unresolved(self.root).filter(|it| it.relation == relation);
            let ids = edges.chain(unresolved.map(|it| (&it.text, it.evidence.source)));
            let ids: Vec<(&Clean, EdgeSource)> = ids.collect();
            let is_prose = |(_, source): &&(&Clean, EdgeSource)| *source == EdgeSource::Body;
            in_prose.extend(ids.iter().filter(is_prose).map(|(id, _)| *id));
            let value = match &ids[..] {
                [] => continue,
                [(only, _)] if relation == Relation::Parent => scalar(only),
                ids => list(ids.iter().map(|(id, _)| scalar(id)).collect()),
            };
            fields.push((Clean::literal(name), value));
        }
        if !in_prose.is_empty() {
            // What a sentence states must not look like a field.
            let ids = BTreeSet::from_iter(in_prose).into_iter().map(scalar).collect();
            let value = Value::Map(vec![(Clean::literal("body"), list(ids))]);
            fields.push((Clean::literal("stated_in"), Node { line: 1, value }));
        }
        WorkItemJson::new(fields, origin.place())
    }
}

/// The most claims, and relations to what cannot be found, that a pack lists; the others are counted.
pub(super) const MAX_LISTED_RELATIONS: usize = 10;

impl EdgeList {
    pub(super) fn new(context: &SelectionContext<'_>, root: usize, references: &RootReferences) -> Self {
        let row = |edge: &Edge| EdgeRow {
            to: context.id(edge).clone(),
            relation: edge.relation.name(),
            title: context.id(edge).clone(),
            untrusted_title: false,
            state: context.state(edge),
            resolved: matches!(edge.to, Target::Item(_)),
            sync: context.sync(edge),
            evidence: Evidence { source: edge.evidence.source.name(), at: edge.evidence.at.clone() },
        };
        let titled = |edge: &Edge| EdgeRow {
            title: context.title(edge).unwrap_or_else(|| context.id(edge)).clone(),
            untrusted_title: context.lists_untrusted([edge]),
            ..row(edge)
        };
        let rows: Vec<EdgeRow> = context.graph.shown(root).map(titled).collect();
        let unresolved = context.unresolved(root).take(MAX_LISTED_RELATIONS).map(|it| {
            let mut line = CleanBuf::new();
            line.lit(it.relation.name()).lit(" ").line(&it.text).lit(": ").lit(it.why);
            line.lit(" (").lit(it.evidence.source.name()).lit(", ").line(&it.evidence.at).lit(")").finish()
        });
        let count = context.unresolved(root).count();
        let more = (count > MAX_LISTED_RELATIONS).then(|| {
            CleanBuf::new().number((count - MAX_LISTED_RELATIONS) as u64).lit(" more that cannot be found").finish()
        });
        let issue = &context.corpus.entries[root].issue;
        let unknown = issue.as_ref().map(|issue| issue.unknown_names()).unwrap_or_default();
        let mut names = CleanBuf::new();
        for (at, name) in unknown.iter().enumerate() {
            names.lit(if at == 0 { "unknown, which is not none: " } else { ", " }).lit(name);
        }
        let mut others: Vec<Clean> =
            unresolved.chain(more).chain((!unknown.is_empty()).then(|| names.finish())).collect();
        let none = match (&others[..], &references.mentioned[..]) {
            ([], []) => "No relations.",
            ([], _) => "No relations are stated; the text names other items.",
            _ => "No relations to known items.",
        };
        others.splice(0..0, context.progress(root, &rows, references));
        Self {
            lines: rows.iter().map(line).collect(),
            none,
            others,
            claims: Claims {
                rows: context.shown_claims(root).map(row).collect(),
                count: context.graph.claims(root).len(),
            },
            rows,
        }
    }
}

impl SelectionContext<'_> {
    /// Returns how many of the children, and of the boxes in the text and in documents of the item's own folder, are done, of
    /// each that is known and of which any is.
    fn progress(&self, root: usize, rows: &[EdgeRow], references: &RootReferences) -> Vec<Clean> {
        let is_complete =
            self.graph.hidden(root) == 0 && self.unresolved(root).all(|it| it.relation != Relation::Child);
        let children = rows.iter().filter(|row| row.relation == "child" && is_complete);
        let done = children.clone().filter(|row| matches!(row.state, "done" | "merged"));
        let entry = &self.corpus.entries[root];
        let (ticked, boxes) = entry.body.markdown.outline.boxes;
        let text = [
            (done.count() as u64, children.count() as u64, None, " children done"),
            (ticked.into(), boxes.into(), None, " boxes of the text ticked"),
        ];
        let beside = references.beside(root, entry.item.origin.path.dir()).map(|(shown, text)| {
            let (ticked, boxes) = text.markdown.outline.boxes;
            (ticked.into(), boxes.into(), Some(shown), " ticked")
        });
        let counts = text.into_iter().chain(beside).filter(|(done, ..)| *done > 0);
        let line = |(done, all, document, what): (u64, u64, Option<&Clean>, &'static str)| {
            let mut line = CleanBuf::new();
            line.number(done).lit(" of ").number(all);
            document.iter().for_each(|shown| _ = line.lit(" boxes of ").line(shown));
            line.lit(what).lit(if done == all { ", none is open" } else { "" }).finish()
        };
        counts.map(line).collect()
    }

    /// Returns the relations of an item to what cannot be found, without those that only untrusted authors state.
    pub(super) fn unresolved(&self, item: usize) -> impl Iterator<Item = &Unresolved> {
        self.graph.unresolved(item).iter().filter(|it| it.evidence.trusted)
    }

    pub(super) fn shown_claims(&self, root: usize) -> impl Iterator<Item = &Edge> {
        self.graph.claims(root).iter().take(MAX_LISTED_RELATIONS)
    }
}
