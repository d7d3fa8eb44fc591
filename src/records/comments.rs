//! Comments in the record of an item, and whose texts are trusted.

use crate::config::ItemSource;
use crate::model::{Node, Value};
use crate::records::fields::{FieldPairs, inner, text_of};
use crate::records::item::{Authored, Comment};
use crate::records::snapshot::trimmed;

/// The roles whose texts are trusted, as `sync` has them.
const TRUSTED: [&str; 3] = ["OWNER", "MEMBER", "COLLABORATOR"];

fn text(pairs: &FieldPairs, name: &str) -> Option<String> {
    text_of(&inner(pairs, name)?)
}

/// Returns whether a field has the role of an author who is trusted.
pub(super) fn is_trusted(pairs: &FieldPairs, name: &str) -> bool {
    text(pairs, name).is_some_and(|role| TRUSTED.iter().any(|trusted| role.eq_ignore_ascii_case(trusted)))
}

/// Takes the comments out of the field that holds them, oldest first. Their numbers are their places in the list.
pub(super) fn take_comments(pairs: &mut FieldPairs, source: &ItemSource) -> Vec<Comment<String>> {
    let Some(map) = &source.comments else { return Vec::new() };
    let Some(at) = pairs.iter().position(|(name, node)| *name == map.from && matches!(node.value, Value::List(_)))
    else {
        return Vec::new();
    };
    let Value::List(nodes) = pairs.remove(at).1.value else { return Vec::new() };
    let comment = |(id, node): (u64, Node<String>)| {
        let Value::Map(pairs) = node.value else { return None };
        let by = Authored {
            author: text(&pairs, &map.author),
            association: map.trust.as_ref().and_then(|name| text(&pairs, name)),
            created_at: text(&pairs, &map.at),
            edited: None,
            trusted: map.trust.as_ref().is_none_or(|name| is_trusted(&pairs, name)),
        };
        let body = trimmed(&text(&pairs, &map.body)?);
        Some(Comment { id, url: None, by, text: body, noise: false })
    };
    let mut comments: Vec<Comment<String>> = (1..).zip(nodes).filter_map(comment).collect();
    comments.sort_by(|a, b| (&a.by.created_at, a.id).cmp(&(&b.by.created_at, b.id)));
    comments
}
