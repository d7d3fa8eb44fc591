//! The root's own sections: its text, the draft of its file, its fields, its edges.

use super::candidates::{Rank, SelectionBuilder};
use super::origins::{item_origin, record_origin, text_origin};
use super::{Candidate, EdgeList, Omission, Role, SectionBody, TextOrigin, TrimRank, Trust, WorkItemJson, removals};
use crate::graph::{Entry, Graph, IssueDraft, Node, Value};
use crate::model::Relation;
use crate::redact::{Clean, CleanBuf};
use std::sync::Arc;

impl SelectionBuilder<'_> {
    /// Adds the root's own sections.
    pub(super) fn root(&mut self, entry: &Entry) {
        let state = Clean::literal(Graph::state(self.context.corpus, self.root).name());
        let origin = item_origin(entry);
        let record = record_origin(entry);
        let id = Clean::literal("root.issue");
        let body = self.context.root(self.root);
        let base = Candidate {
            role: Role::Root,
            state: Some(state),
            status: entry.item.status.clone(),
            trust: Trust::of(entry.is_untrusted() || entry.has_untrusted_title()),
            by: entry.issue_with_text().map(|issue| issue.by.clone()),
            removals: removals::from_text(entry),
            ..Candidate::new(id, "issue", entry.item.title.clone(), origin, "root", body)
        };
        let json = Candidate {
            id: Clean::literal("root.json"),
            kind: "work_item_json",
            title: Clean::literal("Work item fields"),
            origin: record.clone(),
            role: Role::Json,
            body: SectionBody::Json(Arc::new(self.json(entry, &record))),
            // The answers of an issue form are written by the issue's author, and ids by those of the files.
            trust: Trust::of(
                entry.untrusted_file
                    || entry.issue.as_ref().is_some_and(|issue| !issue.by.trusted)
                    || self.context.lists_untracked(self.context.graph.shown(self.root)),
            ),
            by: None,
            removals: removals::from_fields(entry),
            ..base.clone()
        };
        let unknown = entry.issue.as_ref().map(|issue| issue.unknown_names()).unwrap_or_default();
        let edges = Candidate {
            id: Clean::literal("root.edges"),
            kind: "edge_list",
            title: Clean::literal("One-hop relations"),
            origin: record,
            provenance: "graph",
            role: Role::Edges,
            body: SectionBody::Edges(Arc::new(EdgeList::new(self.rows(), unknown, self.claims()))),
            trust: Trust::of(
                entry.untrusted_file
                    || self.context.lists_untrusted(self.context.graph.shown(self.root))
                    || self.context.lists_untracked(self.shown_claims()),
            ),
            by: None,
            removals: self.context.removals_from_lines(self.context.graph.shown(self.root)),
            ..base.clone()
        };
        let hidden = self.context.graph.hidden(self.root);
        if hidden > 0 {
            let title = CleanBuf::new().number(hidden as u64).lit(" relations").finish();
            // The title is a count made here.
            self.omissions.push(Omission { title, trust: Trust::Trusted, ..edges.omitted("limit") });
        }
        let draft = entry.draft.as_deref().map(|draft| self.draft(entry, draft, &base));
        self.record_item(self.root, true);
        let draft = draft.map(|draft| (draft, Some(Rank::of(None))));
        let first = self.context.profile.draft_first;
        let (before, after) = if first { (draft, None) } else { (None, draft) };
        self.candidates.extend(before);
        self.candidates.push((base, None));
        self.candidates.extend(after);
        self.candidates.extend([json, edges].map(|candidate| (candidate, None)));
        self.comments(entry);
    }

    /// Returns the section of the root's file if its issue has a text of its own.
    fn draft(&self, entry: &Entry, draft: &IssueDraft, base: &Candidate) -> Candidate {
        let origin = text_origin(entry, &draft.body, &draft.text);
        Candidate {
            id: Clean::literal("root.draft"),
            body: self.context.draft(self.root, draft, &origin),
            removals: removals::records(&entry.removals, |removal| removal.in_body, &origin),
            origin,
            role: Role::Rank(TrimRank::default()),
            trust: Trust::of(entry.untrusted_file),
            by: None,
            ..base.clone()
        }
    }

    /// Returns the fields as written, with relations as resolved ids.
    fn json(&self, entry: &Entry, origin: &TextOrigin) -> WorkItemJson {
        const RELATIONS: [(&str, Relation); 6] = [
            ("parent", Relation::Parent),
            ("children", Relation::Child),
            ("depends_on", Relation::DependsOn),
            ("blocked_by", Relation::BlockedBy),
            ("blocks", Relation::Blocks),
            ("related", Relation::Related),
        ];
        let mut fields: Vec<(Clean, Node<Clean>)> = entry
            .item
            .fields
            .iter()
            .filter(|field| !RELATIONS.iter().any(|(name, _)| *name == &*field.name))
            .map(|field| (field.name.clone(), field.node.clone()))
            .collect();
        let scalar = |text: &Clean| Node { line: 1, value: Value::Scalar { text: text.clone(), plain: false } };
        for (name, text) in [("id", &entry.item.id), ("title", &entry.item.title)] {
            if !fields.iter().any(|(field, _)| &**field == name) {
                fields.push((Clean::literal(name), scalar(text)));
            }
        }
        for (name, relation) in RELATIONS {
            let edges = self.context.graph.shown(self.root).filter(|edge| edge.relation == relation);
            let ids: Vec<&Clean> = edges.map(|edge| self.context.id(edge)).collect();
            let value = match &ids[..] {
                [] => continue,
                [only] if relation == Relation::Parent => scalar(only),
                ids => Node { line: 1, value: Value::List(ids.iter().map(|id| scalar(id)).collect()) },
            };
            fields.push((Clean::literal(name), value));
        }
        WorkItemJson::new(fields, origin.place())
    }
}
