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

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use crate::config;

    /// Returns the entry between the first two backticks.
    fn entry(advice: &str) -> &str {
        advice.split('`').nth(1).unwrap()
    }

    #[test]
    fn the_entry_it_gives_is_valid_and_lets_this_file_alone_through() {
        for path in
            ["docs/x.md", "a b/[1].md", "it's/{x}.md", "*.md", "-a.md", "äö/日本.md", "#x.md", "{a,b}?.md", "ab: y.md"]
        {
            let advice = to_include("github-pat", Some(path));
            let settings = config::load("contextpack.yml", Some(&format!("{}\n", entry(&advice)))).unwrap();
            let allow = &settings.redaction.allow[0];
            assert_eq!(allow.rule.as_deref(), Some("github-pat"));
            let glob = allow.path.as_ref().unwrap();
            assert!(glob.is_match(path) && !glob.is_match("other.md") && !glob.is_match("docs/y.md"), "{advice}");
        }
    }

    #[test]
    fn without_a_path_it_says_where_one_belongs() {
        for path in [None, Some(""), Some("a\nb"), Some("!x.md"), Some("a\\b.md")] {
            assert_eq!(entry(&to_include("jwt", path)), "redaction: {allow: [{rule: jwt, path: PATH}]}");
        }
        let advice = to_include(INVISIBLE.name, Some("x.md"));
        assert!(advice.starts_with("write the text without them") && !advice.contains("allow"), "{advice}");
    }
}
