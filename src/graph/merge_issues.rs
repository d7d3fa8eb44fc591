//! The merge of issues into the work items that claim them.

use super::entry::{Entry, GraphRules, Identity, IssueDraft};
use super::link::IssueRef;
use super::names::claim;
use super::quote::one_line;
use super::status::stated_state;
use crate::model::{Code, Diagnostic, ItemState, Node, Place, Value};
use crate::records::Field;
use crate::redact::Clean;
use std::collections::HashMap;
use std::sync::Arc;

const GITHUB_FIELDS: [&str; 5] = ["assignees", "labels", "milestone", "state", "state_reason"];

/// Merges each of `issues` into the first work item that claims it; other issues stay items of their own.
///
/// A file that anyone could have added claims none: it would give an issue that others name its own id and title.
///
/// GitHub's text becomes the item's text, and the file's text its draft if they differ. Labels and assignees come from
/// both, other fields from the file or, if it lacks them, from the issue.
pub fn merge_issues(
    mut items: Vec<Arc<Entry>>,
    issues: Vec<Arc<Entry>>,
    rules: &GraphRules,
) -> (Vec<Arc<Entry>>, Vec<Diagnostic>) {
    let mut diagnostics = Vec::new();
    let mut known: HashMap<IssueRef, usize> = HashMap::new();
    for (at, entry) in issues.iter().enumerate() {
        if let Some(issue) = &entry.issue {
            known.entry(IssueRef::new(&issue.repo, issue.number)).or_insert(at);
        }
    }
    let mut issues: Vec<Option<Arc<Entry>>> = issues.into_iter().map(Some).collect();
    let mut claimants: HashMap<usize, Clean> = HashMap::new();
    for entry in items.iter_mut().filter(|entry| !entry.untrusted_file) {
        let named = entry.item.issue.as_ref().and_then(|issue| claim(issue, rules));
        let Some(at) = named.and_then(|named| known.get(&IssueRef::of(&named, rules.repo.as_deref()))).copied() else {
            continue;
        };
        if let Some(issue) = issues[at].take() {
            claimants.insert(at, entry.item.id.clone());
            merge_issue(Arc::make_mut(entry), Arc::unwrap_or_clone(issue), rules, &mut diagnostics);
        } else if let Some(claimant) = claimants.get(&at).filter(|claimant| **claimant != entry.item.id) {
            let line = entry.item.issue.as_ref().map_or(entry.item.line, |issue| issue.line);
            let message = format!("the issue of `{}` is that of `{claimant}` already", entry.item.id);
            let help = "let one of them claim it; the first is one with the issue";
            diagnostics.push(entry.warning(Code::DuplicateId, place(entry, line), message, help));
        }
    }
    items.extend(issues.into_iter().flatten());
    diagnostics.sort();
    (items, diagnostics)
}

fn place(entry: &Entry, line: u32) -> Place {
    Place::line(entry.item.origin.path.clone(), line)
}

fn merge_issue(entry: &mut Entry, other: Entry, rules: &GraphRules, diagnostics: &mut Vec<Diagnostic>) {
    let Some(issue) = other.issue else { return };
    entry.identity = Identity::default();
    let line = entry.item.line;
    let own = stated_state(entry, rules);
    let is_same = own == issue.state
        || matches!((own, issue.state), (ItemState::Done, ItemState::Merged) | (ItemState::Unknown, _))
        || issue.state == ItemState::Unknown;
    if !is_same {
        let status = one_line(entry.item.status.as_deref().unwrap_or_default());
        let message = format!("`{}` is `{status}` in its file and `{}` on GitHub", entry.item.id, issue.state.name());
        let help = "correct `status`, or close or reopen the issue; the state on GitHub is taken";
        diagnostics.push(entry.warning(Code::StatusDiffers, place(entry, line), message, help));
    }
    // Answers of an issue form in an untrusted text do not become fields of the work item.
    let in_text = other.item.body.line;
    let counts =
        |field: &&Field<Clean>| issue.by.trusted || field.node.line != in_text || GITHUB_FIELDS.contains(&&*field.name);
    other.item.fields.iter().filter(counts).for_each(|field| merge_field(entry, field));
    entry.item.fields.sort_by(|a, b| a.name.cmp(&b.name));
    if !other.body.clean.is_empty() {
        let body = std::mem::replace(&mut entry.item.body, other.item.body);
        let text = std::mem::replace(&mut entry.body, other.body);
        if !text.clean.trim().is_empty() && text.clean.trim() != entry.body.clean.trim() {
            let message = format!("the text of `{}` in its file is not that of its issue", entry.item.id);
            let help = "bring them together; the issue's stands in packs, the file's follows as a draft";
            diagnostics.push(entry.warning(Code::BodyDiffers, place(entry, line), message, help));
            entry.draft = Some(Box::new(IssueDraft { body, text }));
        }
    }
    entry.comments.extend(other.comments);
    entry.issue = Some(issue);
}

fn merge_field(entry: &mut Entry, field: &Field<Clean>) {
    let line = entry.item.line;
    let Some(own) = entry.item.fields.iter_mut().find(|own| own.name == field.name) else {
        let node = Node { line, value: field.node.value.clone() };
        entry.item.fields.push(Field { name: field.name.clone(), node });
        return;
    };
    let Value::List(more) = &field.node.value else { return };
    let mut nodes = match &own.node.value {
        Value::List(nodes) => nodes.clone(),
        Value::Scalar { text, .. } => {
            let node = |text| Node { line: own.node.line, value: Value::Scalar { text, plain: false } };
            split_list(text).map(node).collect()
        }
        Value::Null => Vec::new(),
        Value::Map(_) => return,
    };
    let text = |node: &Node<Clean>| match &node.value {
        Value::Scalar { text, .. } => Some(text.trim().to_lowercase()),
        _ => None,
    };
    for node in more {
        if !nodes.iter().any(|known| text(known) == text(node)) {
            nodes.push(Node { line, value: node.value.clone() });
        }
    }
    own.node.value = Value::List(nodes);
}

fn split_list(text: &Clean) -> impl Iterator<Item = Clean> {
    let mut at = 0;
    text.split(',').map(move |part| {
        let start = at;
        at += part.len() + 1;
        text.slice(start..start + part.len()).trimmed()
    })
}
