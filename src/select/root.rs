//! The root's own sections: its text, the draft of its file, its fields, its edges.

use super::candidates::Selector;
use super::origins::{item_origin, record_origin, redactions, redactions_in_fields, redactions_in_text, text_origin};
use super::types::{DRAFT, EDGES, FIELDS, ROOT};
use super::{Candidate, EdgeList, Omission, Role, SectionBody, TextOrigin, WorkItemJson, item_of};
use crate::graph::{Entry, Graph, IssueDraft, Node, Value};
use crate::model::Relation;
use crate::redact::{Clean, CleanBuf};
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
    pub(super) fn add_own_sections(&mut self, entry: &Entry) {
        let (context, root, none) = (self.context, self.root, Clean::default());
        let record = record_origin(entry);
        let with_state = |candidate| Candidate {
            state: Some(Clean::literal(Graph::state(context.corpus, root).name())),
            status: entry.item.status.clone(),
            ..candidate
        };
        let text = Candidate {
            role: Role::Root,
            untrusted: entry.is_untrusted() || entry.has_untrusted_title(),
            by: entry.issue_with_text().map(|issue| issue.by.clone()),
            removals: redactions_in_text(entry),
            ..Candidate::new(ROOT, &none, entry.item.title.clone(), item_origin(entry), context.root(root))
        };
        let body = SectionBody::Json(Arc::new(self.json(entry, &record)));
        let json = Candidate {
            role: Role::Json,
            // The answers of an issue form are written by the issue's author, and ids by those of the files.
            untrusted: entry.untrusted_file
                || entry.issue.as_ref().is_some_and(|issue| !issue.by.trusted)
                || context.lists_untracked(context.graph.shown(root)),
            removals: redactions_in_fields(entry),
            ..Candidate::new(FIELDS, &none, Clean::literal("Work item fields"), record.clone(), body)
        };
        let body = SectionBody::Edges(Arc::new(EdgeList::new(context, root)));
        let edges = Candidate {
            role: Role::Edges,
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
            self.omissions.push(Omission { title, untrusted: false, ..edges.omitted("limit") });
        }
        let draft = entry.draft.as_deref().map(|draft| self.draft(entry, draft));
        context.graph.shown(root).filter_map(item_of).for_each(|item| self.record_item(item, false));
        self.record_item(root, true);
        let (before, after) = if context.profile.draft_first { (draft, None) } else { (None, draft) };
        let sections = before.into_iter().chain([text]).chain(after).chain([json, edges]);
        self.candidates.extend(sections.map(with_state));
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

    /// Returns the fields as written, with relations as resolved ids.
    fn json(&self, entry: &Entry, origin: &TextOrigin) -> WorkItemJson {
        let is_relation = |name: &str| RELATIONS.iter().any(|(known, _)| *known == name);
        let written = entry.item.fields.iter().filter(|field| !is_relation(&field.name));
        let mut fields: Vec<(Clean, Node<Clean>)> =
            written.map(|field| (field.name.clone(), field.node.clone())).collect();
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
