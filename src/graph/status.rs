//! The state of an item: that of its issue, or what its file says.

use super::entry::{Entry, GraphRules};
use crate::model::{DecisionState, ItemState, Value, decision_state, names_successor};
use crate::redact::{Clean, CleanBuf};
use std::sync::Arc;

/// The folders whose items are closed, whatever status they were left with.
const ARCHIVES: [&str; 3] = ["archive", "archived", "_archive"];
const REMARKS: [&str; 9] = ["by", "to", "in", "into", "on", "as", "since", "with", "for"];

pub(super) fn item_state(entry: &Entry, rules: &GraphRules) -> ItemState {
    match entry.issue.as_ref().map_or(ItemState::Unknown, |issue| issue.state) {
        ItemState::Unknown => stated_state(entry, rules),
        state => state,
    }
}

pub(super) fn stated_state(entry: &Entry, rules: &GraphRules) -> ItemState {
    let written = entry.item.status.as_ref().filter(|_| entry.item.origin.url.is_none());
    let status = written.map(|status| plain_status(status)).unwrap_or_default();
    if status.is_empty() {
        return if is_archived(entry) { ItemState::NotPlanned } else { ItemState::Unknown };
    }
    // A decision that was made is done, and one that no longer holds is not planned.
    match written.filter(|_| is_adr(entry, rules)).map(|status| decision_state(status)) {
        Some(DecisionState::Inactive) => return ItemState::NotPlanned,
        Some(DecisionState::InForce) => return ItemState::Done,
        _ => {}
    }
    if is_one_of(&status, &rules.done) {
        ItemState::Done
    } else if is_one_of(&status, &rules.not_planned) || is_archived(entry) {
        ItemState::NotPlanned
    } else {
        ItemState::Open
    }
}

/// Gives an item the status that its file has in no field: that of an ADR's text, or `archived` by its folder.
pub(super) fn complete_status(entry: &mut Arc<Entry>, rules: &GraphRules) {
    if entry.item.origin.url.is_some() {
        return;
    }
    let written = entry.item.status.clone().filter(|status| !status.trim().is_empty());
    if is_adr(entry, rules) {
        let stated = || entry.body.adr_status().map(|(status, _)| status);
        let status = successor(entry).or_else(|| if written.is_none() { stated() } else { None });
        if let Some(status) = status {
            Arc::make_mut(entry).item.status = Some(status);
        }
    }
    if is_archived(entry) && stated_state(entry, rules) != ItemState::Done {
        let status = entry.item.status.as_ref().map(|status| plain_status(status)).unwrap_or_default();
        if !is_one_of(&status, &rules.not_planned) {
            Arc::make_mut(entry).item.status = Some(Clean::literal("archived"));
        }
    }
}

/// Returns the status of a decision whose fields name a successor, unless its status says that it is inactive.
fn successor(entry: &Entry) -> Option<Clean> {
    let is_inactive = |status: &Clean| decision_state(status) == DecisionState::Inactive;
    if entry.item.status.as_ref().is_some_and(is_inactive) {
        return None;
    }
    let field = entry.item.fields.iter().find(|field| names_successor(&field.name))?;
    let named = match &field.node.value {
        Value::List(nodes) => nodes.first()?,
        _ => &field.node,
    };
    let Value::Scalar { text, .. } = &named.value else { return None };
    Some(CleanBuf::new().lit("superseded by ").line(text).finish()).filter(is_inactive)
}

fn is_adr(entry: &Entry, rules: &GraphRules) -> bool {
    rules.adrs.binary_search(&entry.item.origin.path).is_ok()
}

fn is_archived(entry: &Entry) -> bool {
    let origin = &entry.item.origin;
    let is_archive = |part: &str| ARCHIVES.iter().any(|name| part.eq_ignore_ascii_case(name));
    origin.url.is_none() && origin.path.dir().split('/').any(is_archive)
}

/// Returns a status in lower case without decoration and remarks: `✅ Done (2.2)` → `done`, `Won't do` → `wont do`.
pub fn plain_status(status: &str) -> String {
    let bare = status.split(['(', '（']).next().filter(|bare| bare.contains(char::is_alphanumeric)).unwrap_or(status);
    let lower = bare.to_lowercase().replace(['\'', '’'], "");
    let words: Vec<&str> = lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    words.join(" ")
}

/// Returns whether a status is one of the known ones, or begins with one and says by what, to where or since when.
fn is_one_of(status: &str, known: &[String]) -> bool {
    let is_remark = |word: &str| REMARKS.contains(&word) || word.bytes().all(|byte| byte.is_ascii_digit());
    known.iter().filter(|known| !known.is_empty()).filter_map(|known| status.strip_prefix(&**known)).any(|rest| {
        let next = rest.strip_prefix(' ').and_then(|rest| rest.split(' ').next());
        rest.is_empty() || next.is_some_and(is_remark)
    })
}
