//! What the stand-in knows, and how it answers.

use super::bodies;
use super::{Asked, BLOCKED_BY, BLOCKING, SUBS, Said};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

/// What a fault says to a request: it is given the path and how many requests came before.
pub(crate) type Fault = Box<dyn FnMut(&str, usize) -> Option<Said> + Send>;

/// An issue's repo and number.
type Key = (String, u64);

/// What there is on the server.
#[derive(Default)]
pub(crate) struct World {
    /// The prefix of every path, such as `/api/v3`.
    pub(crate) base: &'static str,
    /// Whether there are no lists of relations, as on older servers.
    pub(crate) plain: bool,
    /// Whether some bodies are on purpose other than GitHub describes them.
    pub(crate) strange: bool,
    pub(crate) repos: BTreeMap<String, bool>,
    pub(crate) issues: BTreeMap<(String, u64), Value>,
    pub(crate) comments: BTreeMap<(String, u64), Vec<Value>>,
    /// `sub_issues`, `dependencies/blocked_by`, `dependencies/blocking` of issues.
    pub(crate) related: BTreeMap<(String, u64, &'static str), Vec<Key>>,
    /// Files of a repo at a commit, by repo, path and commit.
    pub(crate) files: BTreeMap<(String, String, String), String>,
    /// Paths that answer otherwise.
    pub(crate) instead: BTreeMap<String, Said>,
    pub(crate) fault: Option<Fault>,
    /// Stands at the end of every text, mark and link of every answer.
    pub(crate) echo: Option<String>,
    pub(crate) log: Vec<Asked>,
}

impl World {
    /// A repo that everybody sees.
    pub(crate) fn with(repo: &str) -> Self {
        let mut world = Self::default();
        world.repos.insert(repo.to_owned(), false);
        world
    }

    /// Opens an issue; its fields can be changed in what comes back.
    pub(crate) fn issue(&mut self, repo: &str, number: u64) -> &mut Value {
        self.issues.entry((repo.to_owned(), number)).or_insert_with(|| bodies::issue(repo, number))
    }

    /// Adds a comment by somebody.
    pub(crate) fn comment(&mut self, repo: &str, number: u64, body: &str, association: &str) {
        let id = 10_000 * number + self.comments.get(&(repo.to_owned(), number)).map_or(0, Vec::len) as u64;
        let comment = bodies::comment(repo, number, id, body, association);
        self.comments.entry((repo.to_owned(), number)).or_default().push(comment);
    }

    /// Makes one issue a part of another.
    pub(crate) fn part(&mut self, repo: &str, parent: u64, child: u64) {
        self.relate(repo, parent, SUBS, repo, child);
        self.issue(repo, child)["parent_issue_url"] =
            format!("https://api.github.com/repos/{repo}/issues/{parent}").into();
    }

    /// Makes one issue block another, perhaps of another repo.
    pub(crate) fn block(&mut self, repo: &str, blocked: u64, by_repo: &str, by: u64) {
        self.relate(repo, blocked, BLOCKED_BY, by_repo, by);
        self.relate(by_repo, by, BLOCKING, repo, blocked);
    }

    fn relate(&mut self, repo: &str, from: u64, list: &'static str, to_repo: &str, to: u64) {
        self.issue(repo, from);
        self.issue(to_repo, to);
        self.related.entry((repo.to_owned(), from, list)).or_default().push((to_repo.to_owned(), to));
    }

    /// An issue as the server shows it now.
    fn shown(&self, repo: &str, number: u64) -> Option<Value> {
        let mut issue = self.issues.get(&(repo.to_owned(), number))?.clone();
        let count = |list| self.related.get(&(repo.to_owned(), number, list)).map_or(0, Vec::len);
        issue["comments"] = self.comments.get(&(repo.to_owned(), number)).map_or(0, Vec::len).into();
        if self.plain {
            let fields = issue.as_object_mut()?;
            ["sub_issues_summary", "issue_dependencies_summary", "parent_issue_url"]
                .iter()
                .for_each(|name| drop(fields.remove(*name)));
        } else {
            issue["sub_issues_summary"]["total"] = count(SUBS).into();
            for (name, list) in [("blocked_by", BLOCKED_BY), ("blocking", BLOCKING)] {
                issue["issue_dependencies_summary"][name] = count(list).into();
                issue["issue_dependencies_summary"][format!("total_{name}")] = count(list).into();
            }
        }
        Some(issue)
    }

    /// What is said to a request.
    pub(super) fn answer(&mut self, path: &str, mark: Option<&str>, authorization: Option<&str>) -> Said {
        let mut said = self.plainly(path, mark, authorization);
        if let Some(echo) = &self.echo {
            let mut body: Value = serde_json::from_str(&said.body).unwrap_or_default();
            echoed(&mut body, echo);
            said.body = body.to_string();
            for (name, value) in &mut said.headers {
                match name.as_str() {
                    "etag" => *value = format!("\"{echo}\""),
                    "link" => *value = value.replace("page=", &format!("x={echo}&page=")),
                    _ => {}
                }
            }
            said.headers.push(("x-echo".to_owned(), echo.clone()));
        }
        said
    }

    fn plainly(&mut self, path: &str, mark: Option<&str>, authorization: Option<&str>) -> Said {
        let before = self.log.len();
        if let Some(said) = self.fault.as_mut().and_then(|fault| fault(path, before)) {
            return said;
        }
        if let Some(said) = self.instead.get(path.split('?').next().unwrap()) {
            return said.clone();
        }
        let missing = || Said::new(404, &json!({"message": "Not Found", "status": "404"}));
        let Some(mut said) = path.strip_prefix(self.base).and_then(|inner| self.found(inner)) else { return missing() };
        // Marks are those of one token.
        let mut hasher = DefaultHasher::new();
        (&said.body, authorization).hash(&mut hasher);
        let etag = format!("W/\"{:x}\"", hasher.finish());
        if mark == Some(etag.as_str()) {
            said = Said { status: 304, ..Said::default() };
        }
        said.header("etag", etag)
            .header("x-ratelimit-remaining", 4000 - before.min(4000))
            .header("x-ratelimit-reset", 1_771_726_800)
    }

    fn found(&self, path: &str) -> Option<Said> {
        let (path, query) = path.split_once('?').unwrap_or((path, ""));
        let query: BTreeMap<&str, &str> = query.split('&').filter_map(|pair| pair.split_once('=')).collect();
        let mut parts = path.strip_prefix("/repos/")?.splitn(3, '/');
        let repo = format!("{}/{}", parts.next()?, parts.next()?);
        let private = *self.repos.get(&repo)?;
        let open = |issue: &Value| issue["state"] == "open";
        let Some(rest) = parts.next() else {
            let count = self.issues.iter().filter(|((r, _), issue)| *r == repo && open(issue)).count();
            return Some(Said::new(200, &bodies::repo(&repo, private, count)));
        };
        if let Some(path) = rest.strip_prefix("contents/") {
            let file = self.files.get(&(repo, path.to_owned(), (*query.get("ref")?).to_owned()))?;
            let said = Said { status: 200, body: file.clone(), ..Said::default() };
            return Some(said.header("content-type", "application/vnd.github.raw+json; charset=utf-8"));
        }
        let rest = rest.strip_prefix("issues")?;
        if rest.is_empty() {
            return Some(self.paged(path, &query, self.listed(&repo, &query), |number| self.shown(&repo, *number)));
        }
        let rest = rest.strip_prefix('/')?;
        if rest == "comments" {
            let of_repo = self.comments.iter().filter(|((r, _), _)| *r == repo).flat_map(|(_, comments)| comments);
            let mut found: Vec<&Value> = of_repo.filter(|comment| is_since(comment, &query)).collect();
            found.sort_by_key(|comment| comment["created_at"].as_str());
            return Some(self.paged(path, &query, found, |comment| Some((*comment).clone())));
        }
        let (number, list) = rest.split_once('/').unwrap_or((rest, ""));
        let number: u64 = number.parse().ok()?;
        let issue = self.shown(&repo, number)?;
        match list {
            "" => Some(Said::new(200, &issue)),
            "comments" => {
                let comments = self.comments.get(&(repo, number)).cloned().unwrap_or_default();
                Some(self.paged(path, &query, comments, |comment| Some(comment.clone())))
            }
            _ if self.plain => None,
            "parent" => {
                let url = issue["parent_issue_url"].as_str()?;
                let parent: u64 = url.rsplit_once('/')?.1.parse().ok()?;
                Some(Said::new(200, &self.shown(&repo, parent)?))
            }
            list => {
                let list = [SUBS, BLOCKED_BY, BLOCKING].into_iter().find(|name| *name == list)?;
                let keys = self.related.get(&(repo, number, list)).cloned().unwrap_or_default();
                let seen = keys.iter().filter(|(repo, _)| self.repos.contains_key(repo)).collect();
                Some(self.paged(path, &query, seen, |(repo, number)| self.shown(repo, *number)))
            }
        }
    }

    /// The numbers of the issues that a query asks for, in its order.
    fn listed(&self, repo: &str, query: &BTreeMap<&str, &str>) -> Vec<u64> {
        let wanted = |issue: &Value| query["state"] == "all" || issue["state"] == query["state"];
        let label = |issue: &Value| {
            let names = || issue["labels"].as_array().unwrap().iter().filter_map(|label| label["name"].as_str());
            query.get("labels").is_none_or(|wanted| names().any(|name| name == *wanted))
        };
        let of_repo = self.issues.iter().filter(|((r, _), _)| r == repo);
        let mut issues: Vec<(u64, &Value)> = of_repo
            .filter(|(_, issue)| wanted(issue) && label(issue) && is_since(issue, query))
            .map(|((_, number), issue)| (*number, issue))
            .collect();
        if query["sort"] == "updated" {
            issues.sort_by_key(|(_, issue)| issue["updated_at"].as_str());
        }
        if query["direction"] == "desc" {
            issues.reverse();
        }
        issues.into_iter().map(|(number, _)| number).collect()
    }

    fn paged<T>(
        &self,
        path: &str,
        query: &BTreeMap<&str, &str>,
        all: Vec<T>,
        show: impl Fn(&T) -> Option<Value>,
    ) -> Said {
        let per_page: usize = query.get("per_page").map_or(30, |n| n.parse().unwrap()).min(100);
        let page: usize = query.get("page").map_or(1, |n| n.parse().unwrap());
        let last = all.len().div_ceil(per_page).max(1);
        let body: Vec<Value> = all.iter().skip((page - 1) * per_page).take(per_page).filter_map(show).collect();
        let said = Said::new(200, &Value::Array(body));
        if last == 1 {
            return said;
        }
        let link = |page: usize, rel: &str| {
            let mut query = query.clone();
            let number = page.to_string();
            query.insert("page", &number);
            let query: Vec<String> = query.iter().map(|(name, value)| format!("{name}={value}")).collect();
            // As behind a proxy: the host of links is another.
            format!("<https://internal.example{}{path}?{}>; rel=\"{rel}\"", self.base, query.join("&"))
        };
        let mut links = vec![link(last, "last")];
        if page < last {
            links.insert(0, link(page + 1, "next"));
        }
        said.header("link", links.join(", "))
    }
}

/// Whether something changed since the time that a query names.
fn is_since(value: &Value, query: &BTreeMap<&str, &str>) -> bool {
    let since = query.get("since").map(|since| since.replace("%3A", ":")).unwrap_or_default();
    value["updated_at"].as_str().unwrap_or_default() >= since.as_str()
}

/// Adds `echo` to every text in `value`.
fn echoed(value: &mut Value, echo: &str) {
    match value {
        Value::String(text) => text.push_str(echo),
        Value::Array(values) => values.iter_mut().for_each(|value| echoed(value, echo)),
        Value::Object(fields) => fields.values_mut().for_each(|value| echoed(value, echo)),
        _ => {}
    }
}
