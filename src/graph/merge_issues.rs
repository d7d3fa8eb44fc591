//! The merge of issues into the work items that claim them.

use super::index::claim;
use super::quote::one_line;
use super::{Entry, Field, GraphRules, Identity, IssueDraft, IssueRef, ItemState, Node, Value};
use crate::model::{self, Code, Diagnostic};
use crate::redact::Clean;
use std::collections::HashMap;
use std::sync::Arc;

/// Fields of an issue that are never read from its text.
const GITHUB: [&str; 5] = ["assignees", "labels", "milestone", "state", "state_reason"];

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
            known.entry(IssueRef { repo: issue.repo.to_lowercase(), number: issue.number }).or_insert(at);
        }
    }
    let mut issues: Vec<Option<Arc<Entry>>> = issues.into_iter().map(Some).collect();
    let mut claimants: HashMap<usize, Clean> = HashMap::new();
    for entry in items.iter_mut().filter(|entry| !entry.untrusted_file) {
        let written = entry.item.issue.as_ref().and_then(|issue| claim(issue, rules));
        let Some(at) = written.and_then(|written| known.get(&written.key(rules.repo.as_deref()))).copied() else {
            continue;
        };
        match issues[at].take() {
            Some(issue) => {
                claimants.insert(at, entry.item.id.clone());
                merge_issue(Arc::make_mut(entry), Arc::unwrap_or_clone(issue), rules, &mut diagnostics);
            }
            None => {
                let claimant = claimants.get(&at).filter(|claimant| **claimant != entry.item.id);
                diagnostics.extend(claimant.map(|claimant| claimed_twice(entry, claimant)));
            }
        }
    }
    items.extend(issues.into_iter().flatten());
    diagnostics.sort();
    (items, diagnostics)
}

fn claimed_twice(entry: &Entry, claimant: &Clean) -> Diagnostic {
    let line = entry.item.issue.as_ref().map_or(entry.item.line, |issue| issue.line);
    let at = model::Place::line(entry.item.origin.path.clone(), line);
    let message = format!("the issue of `{}` is that of `{claimant}` already", entry.item.id);
    Diagnostic::new(Code::DuplicateId, Some(at), message)
        .help("let one of them claim it; the first is one with the issue")
        .about(&*entry.item.id)
}

fn merge_issue(entry: &mut Entry, other: Entry, rules: &GraphRules, diagnostics: &mut Vec<Diagnostic>) {
    let Some(issue) = other.issue else { return };
    entry.identity = Identity::default();
    let at = model::Place::line(entry.item.origin.path.clone(), entry.item.line);
    let own = super::corpus::stated_state(entry, rules);
    let same = |a: ItemState, b: ItemState| a == b || [a, b] == [ItemState::Done, ItemState::Merged];
    if own != ItemState::Unknown && issue.state != ItemState::Unknown && !same(own, issue.state) {
        let status = entry.item.status.as_deref().unwrap_or_default();
        let message =
            format!("`{}` is `{}` in its file and `{}` on GitHub", entry.item.id, one_line(status), issue.state.name());
        let diagnostic = Diagnostic::new(Code::StatusDiffers, Some(at.clone()), message)
            .help("correct `status`, or close or reopen the issue; the state on GitHub is taken");
        diagnostics.push(diagnostic.about(&*entry.item.id));
    }
    // Answers of an issue form in an untrusted text do not become fields of the work item.
    let in_text = other.item.body.line;
    let theirs =
        |field: &&Field<Clean>| issue.by.trusted || field.node.line != in_text || GITHUB.contains(&&*field.name);
    merge_fields(entry, &other.item.fields.iter().filter(theirs).collect::<Vec<_>>());
    if !other.body.clean.is_empty() {
        let body = std::mem::replace(&mut entry.item.body, other.item.body);
        let text = std::mem::replace(&mut entry.body, other.body);
        if !text.clean.trim().is_empty() && text.clean.trim() != entry.body.clean.trim() {
            let message = format!("the text of `{}` in its file is not that of its issue", entry.item.id);
            let diagnostic = Diagnostic::new(Code::BodyDiffers, Some(at), message)
                .help("bring them together; the issue's stands in packs, the file's follows as a draft");
            diagnostics.push(diagnostic.about(&*entry.item.id));
            entry.draft = Some(Box::new(IssueDraft { body, text }));
        }
    }
    entry.issue = Some(issue);
}

/// Adds the fields and list entries that the work item lacks.
fn merge_fields(entry: &mut Entry, theirs: &[&Field<Clean>]) {
    let line = entry.item.line;
    for field in theirs {
        match entry.item.fields.iter_mut().find(|own| own.name == field.name) {
            None => {
                let node = Node { line, value: field.node.value.clone() };
                entry.item.fields.push(Field { name: field.name.clone(), node });
            }
            Some(own) => {
                if let Value::List(more) = &field.node.value {
                    extend_list(&mut own.node, more, line);
                }
            }
        }
    }
    entry.item.fields.sort_by(|a, b| a.name.cmp(&b.name));
}

fn extend_list(own: &mut Node<Clean>, more: &[Node<Clean>], line: u32) {
    let mut nodes = match &own.value {
        Value::List(nodes) => nodes.clone(),
        Value::Scalar { text, .. } => {
            split_list(text).map(|text| Node { line: own.line, value: Value::Scalar { text, plain: false } }).collect()
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
    own.value = Value::List(nodes);
}

/// Returns the values of a list that is separated by commas.
fn split_list(text: &Clean) -> impl Iterator<Item = Clean> {
    let mut at = 0;
    text.split(',').map(move |part| {
        let start = at;
        at += part.len() + 1;
        text.slice(start..start + part.len()).trimmed()
    })
}
