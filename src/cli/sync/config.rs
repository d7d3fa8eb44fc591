//! `sync --write-config`: adds the repo to the configuration.

use super::request::IssueScope;
use crate::console::{Failure, PathFailure};
use crate::engine::validated;
use crate::intake::Repo;
use crate::store::Folder;
use std::path::Path;

/// Adds `github.repo` to the configuration, leaving its other lines unchanged. Returns whether it was missing.
pub(crate) fn write(root: &Path, explicit: Option<&Path>, scope: &IssueScope) -> Result<bool, Failure> {
    let read = Repo::read_config(root, explicit)?;
    let (shown, text) = read.unwrap_or_else(|| ("contextpack.yml".to_owned(), String::new()));
    let by_hand = || {
        Failure::usage(format!(
            "`{shown}` has a `github` section that cannot be extended; write `repo: {}` into it",
            scope.repo
        ))
    };
    let is_set = |text: &str| {
        validated(&shown, Some(text)).is_ok_and(|settings| settings.github.repo.as_deref() == Some(&scope.repo))
    };
    if is_set(&text) {
        return Ok(false);
    }
    let added = added(&text, scope);
    if !is_set(&added) {
        return Err(by_hand());
    }
    let path = explicit.map_or_else(|| root.join(&shown), Path::to_owned);
    let failed = |error| PathFailure::failure("write", path.display().to_string(), error);
    let (Some(folder), Some(name)) = (path.parent(), path.file_name().and_then(|name| name.to_str())) else {
        return Err(by_hand());
    };
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let folder = folder.canonicalize().map_err(failed)?;
    Folder::open_anywhere(&folder)?.write(name, added.as_bytes())?;
    Ok(true)
}

fn added(text: &str, scope: &IssueScope) -> String {
    let host = if scope.host == "github.com" { String::new() } else { format!("  host: {}\n", scope.host) };
    let lines = format!("  repo: {}\n{host}", scope.repo);
    let end = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let mut out = String::new();
    let mut found = false;
    for line in text.split_inclusive('\n') {
        out.push_str(line);
        let key = line.split(" #").next().unwrap_or_default().trim_end();
        if !found && key == "github:" {
            found = true;
            if !out.ends_with('\n') {
                out.push_str(end);
            }
            out.push_str(&lines.replace('\n', end));
        }
    }
    if !found {
        if out.is_empty() {
            out.push_str("version: 1\n");
        } else if !out.ends_with('\n') {
            out.push_str(end);
        }
        out.push_str(&format!("\ngithub:\n{lines}").replace('\n', end));
    }
    out
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use crate::github::ApiBase;

    #[test]
    fn a_configuration_keeps_its_lines() {
        let api = ApiBase::of_host("github.com").unwrap();
        let scope = IssueScope { repo: "o/r".to_owned(), host: "github.com".to_owned(), api, named_by: "a test" };
        assert_eq!(added("", &scope), "version: 1\n\ngithub:\n  repo: o/r\n");
        assert_eq!(added("a: 1 # x", &scope), "a: 1 # x\n\ngithub:\n  repo: o/r\n");
        assert_eq!(added("github: # ours\n  comments: 3\n", &scope), "github: # ours\n  repo: o/r\n  comments: 3\n");
        assert_eq!(added("a: 1\r\n", &scope), "a: 1\r\n\r\ngithub:\r\n  repo: o/r\r\n");
    }
}
