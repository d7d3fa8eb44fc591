//! A server on loopback that answers as GitHub does: real paging, marks, redirects, and faults on request.

use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

/// What a client asked.
#[derive(Debug, Clone)]
pub(crate) struct Asked {
    /// Path and query.
    pub(crate) path: String,
    pub(crate) authorization: Option<String>,
    pub(crate) marked: bool,
    pub(crate) status: u16,
}

/// An answer as it goes over the wire.
#[derive(Debug, Clone, Default)]
pub(crate) struct Said {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: String,
    /// Ends in the middle of the body.
    pub(crate) cut: bool,
    /// Comes so late.
    pub(crate) late: Duration,
}

impl Said {
    pub(crate) fn new(status: u16, body: &Value) -> Self {
        Self { status, body: body.to_string(), ..Self::default() }
    }

    pub(crate) fn header(mut self, name: &str, value: impl ToString) -> Self {
        self.headers.push((name.to_owned(), value.to_string()));
        self
    }
}

/// What a fault says to a request: it is given the path and how many requests came before.
pub(crate) type Fault = Box<dyn FnMut(&str, usize) -> Option<Said> + Send>;

/// An issue's repo and number.
type Key = (String, u64);

/// What there is on the server.
#[derive(Default)]
pub(crate) struct World {
    /// What stands before every path, such as `/api/v3`.
    pub(crate) base: &'static str,
    /// Whether there are no lists of relations, as on older servers.
    pub(crate) plain: bool,
    pub(crate) repos: BTreeMap<String, bool>,
    pub(crate) issues: BTreeMap<(String, u64), Value>,
    pub(crate) comments: BTreeMap<(String, u64), Vec<Value>>,
    /// `sub_issues`, `dependencies/blocked_by`, `dependencies/blocking` of issues.
    pub(crate) related: BTreeMap<(String, u64, &'static str), Vec<Key>>,
    /// Paths that answer otherwise.
    pub(crate) instead: BTreeMap<String, Said>,
    pub(crate) fault: Option<Fault>,
    pub(crate) log: Vec<Asked>,
    origin: String,
}

/// The server, for as long as the program runs.
#[derive(Clone)]
pub(crate) struct StandIn {
    world: Arc<Mutex<World>>,
    pub(crate) url: String,
}

pub(crate) const SUBS: &str = "sub_issues";
pub(crate) const BLOCKED_BY: &str = "dependencies/blocked_by";
pub(crate) const BLOCKING: &str = "dependencies/blocking";

impl StandIn {
    pub(crate) fn new(mut world: World) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        world.origin = format!("http://{}", listener.local_addr().unwrap());
        let url = format!("{}{}", world.origin, world.base);
        let world = Arc::new(Mutex::new(world));
        let shared = Arc::clone(&world);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let world = Arc::clone(&shared);
                std::thread::spawn(move || serve(stream, &world));
            }
        });
        Self { world, url }
    }

    pub(crate) fn world(&self) -> MutexGuard<'_, World> {
        self.world.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// What was asked since the last call.
    pub(crate) fn asked(&self) -> Vec<Asked> {
        std::mem::take(&mut self.world().log)
    }
}

fn serve(stream: TcpStream, world: &Mutex<World>) -> Option<()> {
    let mut reader = BufReader::new(stream.try_clone().ok()?);
    let mut stream = stream;
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).ok()? == 0 {
            return None;
        }
        let path = line.split(' ').nth(1)?.to_owned();
        let (mut authorization, mut mark) = (None, None);
        loop {
            let mut header = String::new();
            reader.read_line(&mut header).ok()?;
            let Some((name, value)) = header.trim_end().split_once(": ") else { break };
            match name.to_lowercase().as_str() {
                "authorization" => authorization = Some(value.to_owned()),
                "if-none-match" => mark = Some(value.to_owned()),
                "content-length" => {
                    let mut body = vec![0; value.parse().ok()?];
                    reader.read_exact(&mut body).ok()?;
                }
                _ => {}
            }
        }
        let said = {
            let mut world = world.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            let said = world.answer(&path, mark.as_deref(), authorization.as_deref());
            world.log.push(Asked { path, authorization, marked: mark.is_some(), status: said.status });
            said
        };
        std::thread::sleep(said.late);
        let mut head = format!("HTTP/1.1 {} x\r\ncontent-length: {}\r\n", said.status, said.body.len());
        said.headers.iter().for_each(|(name, value)| head.push_str(&format!("{name}: {value}\r\n")));
        let body = if said.cut { &said.body[..said.body.len() / 2] } else { &said.body };
        stream.write_all(format!("{head}\r\n{body}").as_bytes()).ok()?;
        if said.cut {
            return stream.shutdown(std::net::Shutdown::Both).ok();
        }
    }
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
        let issue = json!({
            "id": number + 1000 * repo.len() as u64, "node_id": format!("I_{number}"), "number": number,
            "url": format!("https://x/repos/{repo}/issues/{number}"),
            "repository_url": format!("https://x/repos/{repo}"),
            "html_url": format!("https://github.com/{repo}/issues/{number}"),
            "title": format!("Issue {number}"), "body": format!("Text of {number}.\r\nMore."),
            "user": user("ada"), "author_association": "MEMBER", "labels": [{"id": 1, "name": "agent-ready", "color": "fff"}],
            "state": "open", "state_reason": null, "locked": false, "assignees": [user("bob")], "milestone": null,
            "created_at": time(number), "updated_at": time(number + 1), "closed_at": null,
            "reactions": {"total_count": number, "url": "https://x"},
            "sub_issues_summary": {"total": 0, "completed": 0, "percent_completed": 0},
            "issue_dependencies_summary": {"blocked_by": 0, "total_blocked_by": 0, "blocking": 0, "total_blocking": 0},
        });
        self.issues.entry((repo.to_owned(), number)).or_insert(issue)
    }

    /// Adds a comment by somebody.
    pub(crate) fn comment(&mut self, repo: &str, number: u64, body: &str, association: &str) {
        let id = 10_000 * number + self.comments.get(&(repo.to_owned(), number)).map_or(0, Vec::len) as u64;
        self.comments.entry((repo.to_owned(), number)).or_default().push(json!({
            "id": id, "node_id": format!("C_{id}"), "user": user("eve"), "author_association": association, "body": body,
            "issue_url": format!("https://x/repos/{repo}/issues/{number}"),
            "html_url": format!("https://github.com/{repo}/issues/{number}#issuecomment-{id}"),
            "created_at": time(id), "updated_at": time(id), "reactions": {"total_count": 0},
        }));
    }

    /// Makes one issue a part of another.
    pub(crate) fn part(&mut self, repo: &str, parent: u64, child: u64) {
        self.relate(repo, parent, SUBS, repo, child);
        self.issue(repo, child)["parent_issue_url"] = format!("https://x/repos/{repo}/issues/{parent}").into();
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

    fn answer(&mut self, path: &str, mark: Option<&str>, authorization: Option<&str>) -> Said {
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
            return Some(Said::new(200, &json!({"full_name": repo, "private": private, "open_issues_count": count})));
        };
        let rest = rest.strip_prefix("issues")?;
        if rest.is_empty() {
            let wanted = |issue: &Value| match query["state"] {
                "all" => true,
                "closed" => !open(issue),
                _ => open(issue),
            };
            let label = |issue: &Value| {
                let names = || issue["labels"].as_array().unwrap().iter().filter_map(|label| label["name"].as_str());
                query.get("labels").is_none_or(|wanted| names().any(|name| name == *wanted))
            };
            let of_repo = self.issues.iter().filter(|((r, _), _)| *r == repo).map(|((_, number), _)| *number);
            let issues = of_repo.filter_map(|number| self.shown(&repo, number));
            return Some(self.paged(path, &query, issues.filter(|issue| wanted(issue) && label(issue)).collect()));
        }
        let rest = rest.strip_prefix('/')?;
        if rest == "comments" {
            let since = query.get("since").map(|since| since.replace("%3A", ":")).unwrap_or_default();
            let of_repo = self.comments.iter().filter(|((r, _), _)| *r == repo).flat_map(|(_, comments)| comments);
            let mut found: Vec<Value> =
                of_repo.filter(|comment| comment["updated_at"].as_str().unwrap() >= since.as_str()).cloned().collect();
            found.sort_by_key(|comment| comment["created_at"].as_str().unwrap().to_owned());
            return Some(self.paged(path, &query, found));
        }
        let (number, list) = rest.split_once('/').unwrap_or((rest, ""));
        let number: u64 = number.parse().ok()?;
        let issue = self.shown(&repo, number)?;
        match list {
            "" => Some(Said::new(200, &issue)),
            "comments" => {
                let comments = self.comments.get(&(repo, number)).cloned().unwrap_or_default();
                Some(self.paged(path, &query, comments))
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
                let seen = keys.iter().filter(|(repo, _)| self.repos.contains_key(repo));
                Some(self.paged(path, &query, seen.filter_map(|(repo, number)| self.shown(repo, *number)).collect()))
            }
        }
    }

    fn paged(&self, path: &str, query: &BTreeMap<&str, &str>, all: Vec<Value>) -> Said {
        let per_page: usize = query.get("per_page").map_or(30, |n| n.parse().unwrap()).min(100);
        let page: usize = query.get("page").map_or(1, |n| n.parse().unwrap());
        let last = all.len().div_ceil(per_page).max(1);
        let body: Vec<Value> = all.into_iter().skip((page - 1) * per_page).take(per_page).collect();
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

fn user(login: &str) -> Value {
    json!({"login": login, "id": 7, "type": "User", "avatar_url": "https://x/a.png", "site_admin": false})
}

/// A time that rises with `n`.
fn time(n: u64) -> String {
    let (minutes, seconds) = (n / 60, n % 60);
    format!("2026-01-{:02}T{:02}:{:02}:{seconds:02}Z", 1 + minutes / 1440 % 28, minutes / 60 % 24, minutes % 60)
}
