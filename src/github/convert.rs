//! What GitHub says of an issue or a comment → what the snapshot keeps of it.
//!
//! Everything is optional and nothing is believed: fields come and go, users are
//! null, words are new.

use super::IssueKey;
use super::json::kind;
use super::memory::IssueMemo;
use super::shape::{ResponseShape, wrong};
use super::texts::{SnapshotScrubber, is_volatile};
use crate::model::{
    SNAPSHOT_VERSION, SnapshotAuthor, SnapshotComment, SnapshotComments, SnapshotIssue, SnapshotRef, SnapshotRelations,
    is_repo_name,
};
use serde_json::Value;
use std::cell::OnceCell;

/// Who is trusted: those whom the repo's owner gave a role.
const TRUSTED: [&str; 3] = ["OWNER", "MEMBER", "COLLABORATOR"];

/// Fields of an issue that have a place of their own, or none.
const KNOWN: [&str; 24] = [
    "assignee",
    "assignees",
    "author_association",
    "body",
    "body_html",
    "body_text",
    "closed_by",
    "created_at",
    "draft",
    "issue_dependencies_summary",
    "labels",
    "milestone",
    "number",
    "parent",
    "performed_via_github_app",
    "pull_request",
    "repository",
    "state",
    "state_reason",
    "sub_issues",
    "sub_issues_summary",
    "title",
    "type",
    "user",
];

/// An issue as an answer shows it.
#[derive(Debug, Clone)]
pub(super) struct FetchedIssue {
    /// Without comments, relations and whether it was asked for.
    pub(super) issue: SnapshotIssue,
    /// What decides on further requests.
    pub(super) seen: IssueMemo,
}

/// Makes snapshot records.
pub(super) struct Converter<'a> {
    pub(super) door: SnapshotScrubber<'a>,
    /// The host of pages.
    pub(super) host: &'a str,
    /// The snapshot's folder, for the allowances of redaction.
    pub(super) folder: &'a str,
    /// The repo of the configuration, as it is written there.
    pub(super) ours: Option<&'a str>,
    /// Its name on the server, where it was renamed.
    pub(super) renamed: OnceCell<String>,
}

impl Converter<'_> {
    /// What a repo that a server names is called here.
    fn called(&self, repo: &str) -> String {
        let is = |name: &str| name.eq_ignore_ascii_case(repo);
        match self.ours {
            Some(ours) if is(ours) || self.renamed.get().is_some_and(|name| is(name)) => ours.to_owned(),
            _ => repo.to_owned(),
        }
    }

    /// The place of an issue in an answer; `repo` is the one that was asked, for answers that do not say.
    ///
    /// # Errors
    /// What the value is, where it is no issue.
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
            .and_then(|url| repo_of(url, "/repos/"))
            .or_else(|| value["repository"]["full_name"].as_str().map(str::to_owned))
            .or_else(|| repo_of(value["url"].as_str()?.rsplit_once("/issues/")?.0, "/repos/"))
            .filter(|repo| is_repo_name(repo) && !self.door.secrets.tells(repo));
        let repo = named.map(|repo| self.called(&repo)).or_else(|| repo.map(str::to_owned));
        Ok(IssueKey { repo: repo.ok_or("an issue that does not name its repo")?, number })
    }

    /// The record of an issue.
    ///
    /// # Errors
    /// What is wrong with it. A part of the wrong type is no reason to keep the rest: an issue without the body or the
    /// labels that it has would replace the one that is in the snapshot.
    pub(super) fn issue(&self, value: &Value, key: &IssueKey) -> Result<FetchedIssue, String> {
        ResponseShape::of(value).issue()?;
        let IssueKey { repo, number } = key;
        let path = self.path(key);
        let pull = is_pull(value);
        let text = |field: &str| value[field].as_str().map(str::to_owned);
        let title = value["title"].as_str().unwrap_or_default();
        let texts = self.door.clean(&path, &[("title", title), ("body", value["body"].as_str().unwrap_or_default())]);
        let mut texts = texts.into_iter();
        let names = |field: &str, name: &str| -> Vec<String> {
            let entries = value[field].as_array().map(Vec::as_slice).unwrap_or_default();
            let words = entries.iter().filter_map(|entry| entry.as_str().or_else(|| entry[name].as_str()));
            let mut names: Vec<String> = words.map(|word| self.door.one(&path, field, word)).collect();
            names.sort();
            names.dedup();
            names
        };
        let named = |field: &str, name: &str| {
            let word = value[field].as_str().or_else(|| value[field][name].as_str());
            word.map(|word| self.door.one(&path, field, word))
        };
        let extra = value.as_object().into_iter().flatten();
        let extra = extra
            .filter(|(name, _)| !KNOWN.contains(&name.as_str()) && !is_volatile(name))
            .filter_map(|(name, value)| Some((self.door.one(&path, "", name), self.door.value(&path, name, value)?)));
        let author = self.author(value);
        let page = if pull { "pull" } else { "issues" };
        let issue = SnapshotIssue {
            asked: false,
            assignees: names("assignees", "login"),
            trust: trust(&author).to_owned(),
            author,
            title: texts.next().unwrap_or_default(),
            body: texts.next().filter(|_| value["body"].is_string()),
            comments: SnapshotComments::default(),
            created_at: text("created_at").map(|time| self.door.one(&path, "", &time)),
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
            url: format!("https://{}/{repo}/{page}/{number}", self.host),
        };
        Ok(FetchedIssue { issue, seen: self.seen(value) })
    }

    /// What an answer says of an issue's comments and relations.
    fn seen(&self, value: &Value) -> IssueMemo {
        let dependencies = &value["issue_dependencies_summary"];
        // The total counts closed ones too; older servers have the open ones only.
        let total = |name: &str| dependencies[format!("total_{name}")].as_u64().max(dependencies[name].as_u64());
        let parent = value["parent_issue_url"].as_str().and_then(|url| {
            let (repo, number) = url.rsplit_once("/issues/")?;
            let repo = repo_of(repo, "/repos/").filter(|repo| is_repo_name(repo) && !self.door.secrets.tells(repo))?;
            Some((self.called(&repo), number.parse().ok()?))
        });
        IssueMemo {
            updated_at: value["updated_at"].as_str().map(|time| self.door.secrets.mask(time)),
            comments: value["comments"].as_u64(),
            sub_issues: value["sub_issues_summary"]["total"].as_u64(),
            blocked_by: total("blocked_by"),
            blocking: total("blocking"),
            parent,
        }
    }

    /// The issue's line in somebody's list of relations.
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

    /// One that cannot be seen.
    pub(super) fn unseen(&self, key: &IssueKey) -> SnapshotRef {
        SnapshotRef {
            repo: key.repo.clone(),
            number: key.number,
            state: None,
            state_reason: None,
            title: None,
            url: format!("https://{}/{}/issues/{}", self.host, key.repo, key.number),
        }
    }

    /// The record of a comment on an issue whose page is `url`.
    ///
    /// # Errors
    /// What the value is, where it is no comment.
    pub(super) fn comment(&self, value: &Value, key: &IssueKey, url: &str) -> Result<SnapshotComment, String> {
        let path = self.path(key);
        ResponseShape::of(value).comment()?;
        let id = value["id"].as_u64().unwrap_or_default();
        let created_at = self.door.one(&path, "", value["created_at"].as_str().unwrap_or_default());
        let author = self.author(value);
        Ok(SnapshotComment {
            trust: trust(&author).to_owned(),
            author,
            body: self.door.one(&path, "body", value["body"].as_str().unwrap_or_default()),
            edited: value["updated_at"].as_str().is_some_and(|updated| updated != created_at),
            created_at,
            id,
            minimized: value["minimized"].as_bool().unwrap_or(value["minimized"].is_object())
                || value["is_minimized"].as_bool() == Some(true),
            url: format!("{url}#issuecomment-{id}"),
        })
    }

    /// The number of the issue that a comment of a repo's list belongs to.
    ///
    /// # Errors
    /// What the value is, where it belongs to none.
    pub(super) fn commented(value: &Value) -> Result<u64, String> {
        if !value.is_object() {
            return Err(kind(value).to_owned());
        }
        let url = value["issue_url"].as_str().ok_or_else(|| wrong("issue_url", &value["issue_url"]))?;
        let number = url.rsplit_once("/issues/").and_then(|(_, number)| number.parse().ok());
        // The comments of pull requests' lines and of commits stand in other lists.
        number.ok_or_else(|| "a comment whose `issue_url` is none of an issue".to_owned())
    }

    fn author(&self, value: &Value) -> SnapshotAuthor {
        let login = value["user"]["login"].as_str().map(|login| self.door.one("", "", login));
        let bot =
            value["user"]["type"].as_str() == Some("Bot") || login.as_deref().is_some_and(|l| l.ends_with("[bot]"));
        let association = value["author_association"].as_str().map(|word| self.door.one("", "", word));
        SnapshotAuthor { association, bot, login }
    }

    fn path(&self, key: &IssueKey) -> String {
        format!("{}/{}/{}.json", self.folder, key.repo, key.number)
    }
}

/// Whether an issue is a pull request: old servers describe one with empty addresses for every issue.
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

/// `owner/name` at the end of a URL of the API.
fn repo_of(url: &str, before: &str) -> Option<String> {
    Some(url[url.rfind(before)? + before.len()..].to_owned())
}
