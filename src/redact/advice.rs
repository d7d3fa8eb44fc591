//! The advice in a record: how to include the removed text, without revealing anything about the secret.

use super::containment::UNREADABLE;
use super::hidden::{COMMENT, HIDDEN, IMAGE};
use super::invisible::INVISIBLE;

/// Returns how to include the text that `rule` removed from the file at `path`; `None` for a text without a file in the repo.
///
/// The path is clean already. One that a glob in YAML could not hold on one line is not repeated.
pub(super) fn to_include(rule: &str, path: Option<&str>) -> String {
    let fits = |path: &&str| {
        !path.is_empty() && !path.starts_with('!') && !path.contains(|c: char| c == '\\' || c.is_control())
    };
    let path = path.filter(fits).map(glob);
    let path = path.as_deref().unwrap_or("PATH");
    let entry = format!("`redaction: {{allow: [{{rule: {rule}, path: {path}}}]}}` in contextpack.yml");
    if rule == INVISIBLE.name {
        return "write the text without them, or name them, as in `U+200B`: no pack holds such characters".to_owned();
    }
    if rule == UNREADABLE.name {
        return "read it at its source: no setting lets it through; other text of the same file is as usual".to_owned();
    }
    if [COMMENT.name, IMAGE.name, HIDDEN.name].contains(&rule) {
        return format!("read it at its source; {entry} keeps it");
    }
    format!(
        "if it is no secret, {entry} lets it through, or `{{sha256: DIGEST}}` this value alone \
         (`printf %s 'VALUE' | sha256sum`); if it is one, hand it over outside the pack"
    )
}

/// Returns a glob that matches `path` alone, as a YAML flow scalar.
fn glob(path: &str) -> String {
    let mut glob = String::with_capacity(path.len());
    for c in path.chars() {
        match c {
            // As a set of one: a backslash would be read as the end of a folder's name.
            '*' | '?' | '[' | '{' | '}' => glob.extend(['[', c, ']']),
            _ => glob.push(c),
        }
    }
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '/' | '-');
    if glob.chars().all(plain) && glob.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '.' || c == '_') {
        return glob;
    }
    format!("'{}'", glob.replace('\'', "''"))
}
