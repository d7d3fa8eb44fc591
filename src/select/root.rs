//! The root's own sections: its text, the draft of its file, its fields, and its edges, which can be shortened to counts.

use super::context::quoted_title;
use super::origins::{item_origin, record_origin, redactions, redactions_in_fields, redactions_in_text, text_origin};
use super::selector::Selector;
use super::types::{DRAFT, EDGES, FIELDS, ROOT};
use super::{
    Amount, Candidate, Counter, Evidence, Omission, Role, SectionBody, SelectionContext, TextOrigin, WorkItemJson,
    descend, item_of,
};
use crate::graph::{Edge, EdgeSource, Entry, Graph, IssueDraft, Node, Target, Unresolved, Value};
use crate::model::Relation;
use crate::redact::{Clean, CleanBuf};
use std::cmp::Ordering;
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

/// The most claims that a pack lists; the others are counted.
pub(super) const MAX_LISTED_CLAIMS: usize = 10;

#[derive(Debug, Clone)]
pub struct EdgeRow {
    pub to: Clean,
    /// The target's relation to the root.
    pub relation: &'static str,
    pub title: Clean,
    untrusted_title: bool,
    pub state: &'static str,
    pub resolved: bool,
    /// The argument of `sync` that fetches a target outside the corpus.
    sync: Option<Clean>,
    pub evidence: Evidence,
}

/// All one-hop edges of the root, sorted by relation, then by target.
#[derive(Debug)]
pub struct EdgeList {
    pub rows: Vec<EdgeRow>,
    lines: Vec<Clean>,
    /// What follows the edges: relations to what cannot be found, and those that may have more targets than are known.
    others: Vec<Clean>,
    pub claims: Claims,
}

/// The relations that only untrusted authors state, in the texts of other items: listed only if all else is shown in full,
/// and no inputs, so that these authors change nothing else.
#[derive(Debug)]
pub struct Claims {
    /// The first claims. Their titles are ids, so that no text of an untrusted author is shown.
    pub rows: Vec<EdgeRow>,
    pub count: usize,
}

impl EdgeList {
    pub(super) fn new(context: &SelectionContext<'_>, root: usize) -> Self {
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
        let unresolved = context.unresolved(root).take(MAX_LISTED_CLAIMS).map(|it| {
            let mut line = CleanBuf::new();
            line.lit(it.relation.name()).lit(" ").line(&it.text).lit(": ").lit(it.why);
            line.lit(" (").lit(it.evidence.source.name()).lit(", ").line(&it.evidence.at).lit(")").finish()
        });
        let count = context.unresolved(root).count();
        let more = (count > MAX_LISTED_CLAIMS).then(|| {
            CleanBuf::new().number((count - MAX_LISTED_CLAIMS) as u64).lit(" more that cannot be found").finish()
        });
        let issue = &context.corpus.entries[root].issue;
        let unknown = issue.as_ref().map(|issue| issue.unknown_names()).unwrap_or_default();
        let mut names = CleanBuf::new();
        for (at, name) in unknown.iter().enumerate() {
            names.lit(if at == 0 { "unknown, which is not none: " } else { ", " }).lit(name);
        }
        Self {
            lines: rows.iter().map(line).collect(),
            others: unresolved.chain(more).chain((!unknown.is_empty()).then(|| names.finish())).collect(),
            claims: Claims {
                rows: context.shown_claims(root).map(row).collect(),
                count: context.graph.claims(root).len(),
            },
            rows,
        }
    }

    /// Returns the number of steps from counts to the whole list: first the id of each edge, then the line of each.
    pub fn len(&self) -> usize {
        2 * self.lines.len()
    }

    /// Returns the first edges as lines, then ids, then the number of the others, and what is unknown.
    pub fn text(&self, steps: usize) -> Clean {
        let mut out = CleanBuf::new();
        if self.others.is_empty() || !self.rows.is_empty() {
            out.text(&self.known(steps));
        } else {
            out.lit("No relations to known items.");
        }
        for other in &self.others {
            out.lit("\n- ").text(other);
        }
        out.finish()
    }

    fn known(&self, steps: usize) -> Clean {
        if self.rows.is_empty() {
            return Clean::literal("No relations.");
        }
        let lines = steps.saturating_sub(self.rows.len());
        let mut out = CleanBuf::new();
        for line in &self.lines[..lines] {
            out.lit(if out.is_empty() { "" } else { "\n" }).text(line);
        }
        let mut at = lines;
        for group in self.rows[lines..].chunk_by(|a, b| a.relation == b.relation) {
            out.lit(if out.is_empty() { "- " } else { "\n- " });
            let ids = steps.saturating_sub(at).min(group.len());
            let rest = group.len() - ids;
            at += group.len();
            if ids == 0 {
                out.number(rest as u64).lit(" ").lit(group[0].relation);
            } else {
                out.lit(group[0].relation);
                for (index, row) in group[..ids].iter().enumerate() {
                    out.lit(if index == 0 { " " } else { ", " }).line(&row.to);
                }
                if rest > 0 {
                    out.lit(" and ").number(rest as u64).lit(" more");
                }
            }
            let open = group.iter().filter(|row| row.state == "open").count();
            out.lit(" (").number(open as u64).lit(" open)");
        }
        out.finish()
    }

    /// Returns how many steps fit `room`, or nearly as many: the last id of a relation may need less than a count.
    pub fn fit(&self, room: Amount, counter: &Counter) -> Option<usize> {
        let fits = |steps: usize| counter.measure(&self.text(steps)).fits(room);
        let steps = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
        let is_small = |number| steps(number) <= self.len() && fits(steps(number));
        fits(0).then(|| steps(descend(|number| if is_small(number) { Ordering::Less } else { Ordering::Greater })))
    }
}

impl SelectionContext<'_> {
    /// Returns the relations of an item to what cannot be found, without those that only untrusted authors state.
    pub(super) fn unresolved(&self, item: usize) -> impl Iterator<Item = &Unresolved> {
        self.graph.unresolved(item).iter().filter(|it| it.evidence.trusted)
    }

    pub(super) fn shown_claims(&self, root: usize) -> impl Iterator<Item = &Edge> {
        self.graph.claims(root).iter().take(MAX_LISTED_CLAIMS)
    }
}

impl Claims {
    /// Returns `text` followed by the first `count` claims as lines and the number of the others.
    pub fn below(&self, text: &Clean, count: usize) -> Clean {
        let mut out = CleanBuf::new();
        out.text(text);
        for row in &self.rows[..count] {
            out.lit("\n- untrusted: ").lit(row.relation).lit(" ").line(&row.to).lit(": ").lit(row.state);
            out.lit(" (").lit(row.evidence.source).lit(", ").line(&row.evidence.at).lit(")");
        }
        if self.count > count {
            out.lit("\n- untrusted: ").number((self.count - count) as u64);
            out.lit(if count == 0 { " in all" } else { " more" });
        }
        out.finish()
    }
}

fn line(row: &EdgeRow) -> Clean {
    let mut out = CleanBuf::new();
    out.lit("- ").lit(row.relation).lit(" ").line(&row.to);
    if row.resolved || row.title != row.to {
        out.lit(" ");
        quoted_title(&mut out, &row.title, row.untrusted_title);
    }
    out.lit(": ").lit(row.state);
    if let Some(root) = &row.sync {
        out.lit(", not read: `contextpack sync ").line(root).lit("`");
    }
    out.lit(" (").lit(row.evidence.source).lit(", ").line(&row.evidence.at).lit(")");
    out.finish()
}
