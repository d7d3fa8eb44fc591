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

/// Takes the comments out of the field that holds them, oldest first, those without a date that can be read before all others.
/// Their numbers are their places in the list. An entry that is a text is a comment by nobody known.
pub(super) fn take_comments(pairs: &mut FieldPairs, source: &ItemSource) -> Vec<Comment<String>> {
    let Some(map) = &source.comments else { return Vec::new() };
    let Some(at) = pairs.iter().position(|(name, node)| *name == map.from && matches!(node.value, Value::List(_)))
    else {
        return Vec::new();
    };
    let Value::List(nodes) = pairs.remove(at).1.value else { return Vec::new() };
    let comment = |(id, node): (u64, Node<String>)| {
        let (pairs, plain) = match node.value {
            Value::Map(pairs) => (pairs, None),
            Value::Scalar { text, .. } => (Vec::new(), Some(text)),
            Value::Null | Value::List(_) => return None,
        };
        let by = Authored {
            author: text(&pairs, &map.author),
            association: map.trust.as_ref().and_then(|name| text(&pairs, name)),
            created_at: text(&pairs, &map.at),
            edited: None,
            trusted: map.trust.as_ref().is_none_or(|name| is_trusted(&pairs, name)),
        };
        let body = trimmed(&plain.or_else(|| text(&pairs, &map.body))?);
        let noise = by.author.as_ref().is_some_and(|author| author.ends_with("[bot]"));
        Some(Comment { id, url: None, by, text: body, noise })
    };
    let mut comments: Vec<Comment<String>> = (1..).zip(nodes).filter_map(comment).collect();
    // A date begins with a year, or is a number of seconds.
    let is_date = |at: &&String| at.get(..4).is_some_and(|year| year.bytes().all(|byte| byte.is_ascii_digit()));
    comments.sort_by_cached_key(|comment| (comment.by.created_at.as_ref().filter(is_date).cloned(), comment.id));
    comments
}
