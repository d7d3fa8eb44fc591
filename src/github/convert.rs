//! Conversion of GitHub's issues and comments into records of the snapshot.
//!
//! Answers are not trusted: fields may be missing or new, users may be null,
//! and values may be unknown.

use super::scrubber::{SnapshotScrubber, is_volatile};
use super::shape::{check_comment, check_issue, kind, wrong};
use super::sync_state::IssueMemo;
use super::{IssueKey, SyncSettings};
use crate::model::{
    SNAPSHOT_VERSION, SnapshotAuthor, SnapshotComment, SnapshotComments, SnapshotIssue, SnapshotRef, SnapshotRelations,
    is_repo_name,
};
use serde_json::Value;
use std::cell::OnceCell;

/// The associations of trusted authors, who have a role in the repo.
const TRUSTED: [&str; 3] = ["OWNER", "MEMBER", "COLLABORATOR"];

/// The fields of an issue that the record holds elsewhere or leaves out.
const KNOWN: &str = "assignee assignees author_association body body_html body_text closed_by created_at draft \
    issue_dependencies_summary labels milestone number parent performed_via_github_app pull_request repository state \
    state_reason sub_issues sub_issues_summary title type user";

#[derive(Debug, Clone)]
pub(super) struct FetchedIssue {
    /// The record without comments and relations.
    pub(super) issue: SnapshotIssue,
    /// The facts that decide on further requests.
    pub(super) seen: IssueMemo,
}

pub(super) struct Converter<'a> {
    pub(super) scrubber: SnapshotScrubber<'a>,
    pub(super) setting: &'a SyncSettings,
    /// The repo's name on the server, if it was renamed.
    pub(super) renamed: OnceCell<String>,
}

impl Converter<'_> {
    /// Returns the snapshot's name of a repo that a server names; `None` if that is not the name of a repo.
    fn local_name(&self, repo: &str) -> Option<String> {
        let is = |name: &str| name.eq_ignore_ascii_case(repo);
        let is_own = is(&self.setting.repo) || self.renamed.get().is_some_and(|name| is(name));
        let is_name = is_repo_name(repo) && !self.setting.secrets.occurs_in(repo);
        is_name.then(|| if is_own { self.setting.repo.clone() } else { repo.to_owned() })
    }

    /// Returns the key of an issue in an answer; `repo` is the requested one, for answers that do not name it.
    pub(super) fn key(&self, value: &Value, repo: Option<&str>) -> Result<IssueKey, String> {
        if !value.is_object() {
            return Err(kind(value).to_owned());
        }
        let number = value["number"].as_u64().ok_or_else(|| wrong("number", &value["number"]))?;
        if number == 0 {
            return Err("an object whose `number` is 0".to_owned());
        }
        let named = value["repository_url"]
            .as_str()
            .and_then(repo_of)
            .or_else(|| value["repository"]["full_name"].as_str())
            .or_else(|| repo_of(value["url"].as_str()?.rsplit_once("/issues/")?.0));
        let repo = named.and_then(|named| self.local_name(named)).or_else(|| repo.map(str::to_owned));
        Ok(IssueKey { repo: repo.ok_or("an issue that does not name its repo")?, number })
    }

    /// Converts an issue.
    ///
    /// # Errors
    /// A description of the value, if any part has a wrong type: an issue without its body or its labels must not
    /// replace the record in the snapshot.
    pub(super) fn issue(&self, value: &Value, key: &IssueKey) -> Result<FetchedIssue, String> {
        check_issue(value)?;
        let IssueKey { repo, number } = key;
        let path = self.path(key);
        let pull = is_pull(value);
        let text = |field: &str| value[field].as_str().map(str::to_owned);
        let title = value["title"].as_str().unwrap_or_default();
        let texts =
            self.scrubber.clean(&path, &[("title", title), ("body", value["body"].as_str().unwrap_or_default())]);
        let mut texts = texts.into_iter();
        let names = |field: &str, name: &str| -> Vec<String> {
            let entries = value[field].as_array().map(Vec::as_slice).unwrap_or_default();
            let words = entries.iter().filter_map(|entry| entry.as_str().or_else(|| entry[name].as_str()));
            let mut names: Vec<String> = words.map(|word| self.scrubber.one(&path, field, word)).collect();
            names.sort();
            names.dedup();
            names
        };
        let named = |field: &str, name: &str| {
            let word = value[field].as_str().or_else(|| value[field][name].as_str());
            word.map(|word| self.scrubber.one(&path, field, word))
        };
        let extra = value.as_object().into_iter().flatten();
        let extra =
            extra.filter(|(name, _)| KNOWN.split(' ').all(|known| known != *name) && !is_volatile(name)).filter_map(
                |(name, value)| Some((self.scrubber.one(&path, "", name), self.scrubber.value(&path, name, value)?)),
            );
        let author = self.author(value);
        let page = if pull { "pull" } else { "issues" };
        let issue = SnapshotIssue {
            asked: false,
            assignees: names("assignees", "login"),
            trust: trust(&author).to_owned(),
            author,
            title: texts.next().unwrap_or_default(),
            body: texts.next().filter(|_| value["body"].is_string()),
            code: Vec::new(),
            comments: SnapshotComments::default(),
            created_at: text("created_at").map(|time| self.scrubber.one(&path, "", &time)),
            edited: false,
            extra: extra.collect(),
            kind: if pull { "pull" } else { "issue" }.to_owned(),
            labels: names("labels", "name"),
            merged: value["pull_request"]["merged_at"].is_string(),
            milestone: named("milestone", "title"),
            number: *number,
            private: value["repository"]["private"].as_bool(),
            relations: SnapshotRelations::default(),
            repo: repo.clone(),
            schema_version: SNAPSHOT_VERSION.to_owned(),
            state: named("state", "").unwrap_or_else(|| "unknown".to_owned()),
            state_reason: named("state_reason", ""),
            issue_type: named("type", "name"),
            url: format!("https://{}/{repo}/{page}/{number}", self.setting.host),
        };
        Ok(FetchedIssue { issue, seen: self.memo(value) })
    }

    /// Returns the facts in an answer about an issue's comments and relations.
    fn memo(&self, value: &Value) -> IssueMemo {
        let dependencies = &value["issue_dependencies_summary"];
        // The total includes closed issues; older servers count open ones only.
        let total = |name: &str| dependencies[format!("total_{name}")].as_u64().max(dependencies[name].as_u64());
        let parent = value["parent_issue_url"].as_str().and_then(|url| {
            let (repo, number) = url.rsplit_once("/issues/")?;
            Some(IssueKey::new(self.local_name(repo_of(repo)?)?, number.parse().ok()?))
        });
        IssueMemo {
            updated_at: value["updated_at"].as_str().map(|time| self.scrubber.secrets.mask(time)),
            comments: value["comments"].as_u64(),
            sub_issues: value["sub_issues_summary"]["total"].as_u64(),
            blocked_by: total("blocked_by"),
            blocking: total("blocking"),
            parent,
        }
    }

    /// Returns the reference to an issue in another issue's relations.
    pub(super) fn reference(issue: &SnapshotIssue) -> SnapshotRef {
        SnapshotRef {
            repo: issue.repo.clone(),
            number: issue.number,
            state: Some(issue.state.clone()),
            state_reason: issue.state_reason.clone(),
            title: Some(issue.title.clone()),
            url: issue.url.clone(),
        }
    }

    /// Returns the reference to an issue that is not visible.
    pub(super) fn invisible_reference(&self, key: &IssueKey) -> SnapshotRef {
        SnapshotRef {
            repo: key.repo.clone(),
            number: key.number,
            state: None,
            state_reason: None,
            title: None,
            url: format!("https://{}/{}/issues/{}", self.setting.host, key.repo, key.number),
        }
    }

    /// Converts a comment on an issue whose page is `url`.
    pub(super) fn comment(&self, value: &Value, key: &IssueKey, url: &str) -> Result<SnapshotComment, String> {
        let path = self.path(key);
        check_comment(value)?;
        let id = value["id"].as_u64().unwrap_or_default();
        let created_at = self.scrubber.one(&path, "", value["created_at"].as_str().unwrap_or_default());
        let author = self.author(value);
        Ok(SnapshotComment {
            trust: trust(&author).to_owned(),
            author,
            body: self.scrubber.one(&path, "body", value["body"].as_str().unwrap_or_default()),
            edited: value["updated_at"].as_str().is_some_and(|updated| updated != created_at),
            created_at,
            id,
            minimized: value["minimized"].as_bool().unwrap_or(value["minimized"].is_object())
                || value["is_minimized"].as_bool() == Some(true),
            url: format!("{url}#issuecomment-{id}"),
        })
    }

    /// Returns the number of the issue that a comment of a repo's list belongs to.
    pub(super) fn issue_of_comment(value: &Value) -> Result<u64, String> {
        if !value.is_object() {
            return Err(kind(value).to_owned());
        }
        let url = value["issue_url"].as_str().ok_or_else(|| wrong("issue_url", &value["issue_url"]))?;
        let number = url.rsplit_once("/issues/").and_then(|(_, number)| number.parse().ok());
        // Comments on lines of pull requests and on commits are in other lists.
        number.ok_or_else(|| "a comment whose `issue_url` is none of an issue".to_owned())
    }

    fn author(&self, value: &Value) -> SnapshotAuthor {
        let login = value["user"]["login"].as_str().map(|login| self.scrubber.one("", "", login));
        let bot =
            value["user"]["type"].as_str() == Some("Bot") || login.as_deref().is_some_and(|l| l.ends_with("[bot]"));
        let association = value["author_association"].as_str().map(|word| self.scrubber.one("", "", word));
        SnapshotAuthor { association, bot, login }
    }

    fn path(&self, key: &IssueKey) -> String {
        format!("{}/{}/{}.json", self.setting.folder, key.repo, key.number)
    }
}

/// Returns whether an issue is a pull request; old servers give every issue one with empty URLs.
pub(super) fn is_pull(value: &Value) -> bool {
    let pull = &value["pull_request"];
    ["url", "html_url", "diff_url", "patch_url", "merged_at"].iter().any(|field| pull[field].is_string())
}

fn trust(author: &SnapshotAuthor) -> &'static str {
    match &author.association {
        Some(word) if TRUSTED.contains(&word.as_str()) => "trusted",
        _ => "untrusted",
    }
}

fn repo_of(url: &str) -> Option<&str> {
    Some(url.rsplit_once("/repos/")?.1)
}
