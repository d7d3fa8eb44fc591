//! What `sync` asks for, of whom, and with which token: arguments, configuration and environment.

use crate::cli::args::{IssueState, SyncArgs};
use crate::cli::detect;
use crate::cli::failure::Failure;
use crate::config::Settings;
use crate::engine::{Project, Repository};
use crate::github::{ApiBase, IssueFilter, IssueKey, SyncRequest, Tokens};
use crate::graph::{RootMatch, Target};
use crate::intake::Repo;
use crate::model::is_repo_name;
use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Command, Stdio};

/// Variables that hold a token, the first that is set wins, and whether it is one of enterprise servers alone.
const TOKENS: [(&str, bool); 5] = [
    ("CONTEXTPACK_GITHUB_TOKEN", false),
    ("GH_ENTERPRISE_TOKEN", true),
    ("GITHUB_ENTERPRISE_TOKEN", true),
    ("GH_TOKEN", false),
    ("GITHUB_TOKEN", false),
];

/// Variables in which a runner of GitHub Actions says which server it works for.
const RUNNER: [&str; 2] = ["GITHUB_SERVER_URL", "GITHUB_API_URL"];

/// Whose issues, and where.
pub(crate) struct IssueScope {
    /// `owner/name`.
    pub(crate) repo: String,
    /// The host of pages.
    pub(crate) host: String,
    /// The API.
    pub(crate) api: ApiBase,
    /// What names the host.
    pub(crate) named_by: &'static str,
}

impl IssueScope {
    /// From the configuration, else the workflow's environment, else the git remote.
    pub(crate) fn find(root: &Path, settings: &Settings) -> Result<Self, Failure> {
        let github = &settings.github;
        let from_variable = || variable("GITHUB_REPOSITORY").filter(|repo| is_repo_name(repo));
        let (repo, host, named_by) = match github.repo.clone().or_else(from_variable) {
            Some(repo) => (repo, github.host.clone(), "`github.host` of the configuration"),
            None => {
                let remote = Repo::remote(root).map_err(|why| {
                    Failure::usage(format!("which repo? set `github.repo: owner/name` in `contextpack.yml`; {why}"))
                })?;
                let remote = remote.as_deref().and_then(detect::github);
                let remote = remote.ok_or_else(|| {
                    Failure::usage("which repo? set `github.repo: owner/name` in `contextpack.yml`, or `GITHUB_REPOSITORY`; there is no git remote on GitHub")
                })?;
                (remote.repo, remote.host, "the git remote `origin`")
            }
        };
        Ok(Self { api: api(&host)?, repo, host, named_by })
    }

    /// Whether it is a server of one's own, for which GitHub's programs have tokens of their own.
    fn is_enterprise(&self) -> bool {
        self.api.authority != "api.github.com" && !self.host.ends_with(".ghe.com")
    }

    /// Whether the environment, and so the user or the runner, names the server.
    ///
    /// The configuration and the remote do not count: the one is text of the repo, which anybody may propose to change,
    /// the other comes with a copy of a repo. github.com is what tokens are for unless a runner says otherwise.
    fn is_vouched(&self) -> bool {
        let is_this = |value: String| [&self.api.authority, &self.host].contains(&&host_of(&value));
        let runner: Vec<String> = RUNNER.into_iter().filter_map(variable).collect();
        (runner.is_empty() && self.api.authority == "api.github.com")
            || variable("GH_HOST").into_iter().chain(runner).any(is_this)
    }
}

/// The host, with its port, of a URL or of a text that is nothing else.
fn host_of(value: &str) -> String {
    let rest = value.trim().split_once("://").map_or(value.trim(), |(_, rest)| rest);
    rest.split('/').next().unwrap_or_default().to_lowercase()
}

/// The API of a host; the environment names another way to the same host, or the default.
fn api(host: &str) -> Result<ApiBase, Failure> {
    let usage = |error: crate::github::ApiError| Failure::usage(error.to_string());
    let named = variable("GITHUB_API_URL").map(|url| ApiBase::new(&url)).transpose().map_err(usage)?;
    match named {
        Some(api) if host == "github.com" || is_of(&api, host) => Ok(api),
        _ => ApiBase::of_host(host).map_err(usage),
    }
}

fn is_of(api: &ApiBase, host: &str) -> bool {
    api.authority == host || api.authority.strip_prefix("api.") == Some(host)
}

/// The token for an API.
///
/// A host that nobody vouches for gets the token that the user gave `gh` for that very host, or none. No variable holds
/// such a token: which server it is for is not written on it. A workflow asks nothing of such a host.
///
/// # Errors
/// Where a token that is set would go to such a host, and in a workflow.
pub(crate) fn secrets(whose: &IssueScope) -> Result<Tokens, Failure> {
    let set: Vec<(&str, bool, String)> = TOKENS
        .iter()
        .filter_map(|(name, enterprise)| Some((*name, *enterprise, variable(name)?.trim().to_owned())))
        .collect();
    let first = set.iter().find(|(_, enterprise, _)| !enterprise || whose.is_enterprise());
    let used = if whose.is_vouched() {
        first.map(|(.., token)| token.clone()).or_else(|| gh(&whose.host))
    } else {
        let (host, named_by) = (&whose.host, whose.named_by);
        let why = format!("only {named_by} names that host");
        let stopped = first.map_or_else(
            || format!("nothing is asked of `{host}` in a workflow: {why}"),
            |(name, ..)| format!("`{name}` is not sent to `{host}`: {why}"),
        );
        if in_actions() {
            let help = format!("set `GH_HOST: {host}` in the workflow's `env` if that host is meant");
            return Err(Failure::usage(format!("{stopped}; {help}")));
        }
        match gh(host) {
            None if first.is_some() => {
                let help =
                    format!("set `GH_HOST={host}` if that host is meant, or run `gh auth login --hostname {host}`");
                return Err(Failure::usage(format!("{stopped}; {help}")));
            }
            own => own,
        }
    };
    Ok(Tokens::new(used, set.into_iter().map(|(.., token)| token)))
}

/// Whether a runner of GitHub Actions, or one like it, runs this.
fn in_actions() -> bool {
    variable("GITHUB_ACTIONS").is_some_and(|value| !value.eq_ignore_ascii_case("false"))
}

/// The token that `gh` keeps for a host, where it is installed.
fn gh(host: &str) -> Option<String> {
    let mut command = Command::new("gh");
    command.args(["auth", "token", "--hostname", host]).stdin(Stdio::null()).stderr(Stdio::null());
    // `gh` would hand on what these say, for any host: wanted is what its user stored for this one.
    for (name, _) in TOKENS {
        command.env_remove(name);
    }
    let output = command.output().ok().filter(|output| output.status.success())?;
    let token = String::from_utf8(output.stdout).ok()?.trim().to_owned();
    (!token.is_empty()).then_some(token)
}

fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.trim().is_empty())
}

/// What the command line and the configuration ask for.
pub(crate) fn request(
    repository: &Repository,
    project: &Project<'_>,
    whose: &IssueScope,
    args: &SyncArgs,
) -> Result<SyncRequest, Failure> {
    if !args.roots.is_empty() {
        let roots = args.roots.iter().map(|typed| root(project, whose, typed)).collect::<Result<_, _>>()?;
        return Ok(SyncRequest { roots, ..SyncRequest::default() });
    }
    let (claimed, linked) = named(repository, project, whose);
    let only = &repository.settings().roots.only.0;
    let words = |given: &[String], field: &str| match given {
        [] if !args.all => only.get(field).cloned().unwrap_or_default(),
        given => given.to_vec(),
    };
    let state = match args.state {
        Some(IssueState::Open) => "open",
        Some(IssueState::Closed) => "closed",
        Some(IssueState::All) => "all",
        None if args.all => "all",
        None => wanted_state(only.get("state").map(Vec::as_slice).unwrap_or_default()),
    };
    let filter = IssueFilter {
        state: Some(state.to_owned()),
        labels: words(&args.labels, "labels"),
        milestones: words(&args.milestones, "milestone"),
        since: args.since.clone(),
        limit: args.limit.and_then(|limit| usize::try_from(limit).ok()),
    };
    Ok(SyncRequest { roots: Vec::new(), claimed, linked, filter })
}

/// What GitHub is asked for where the configuration wants roots in these states.
fn wanted_state(states: &[String]) -> &'static str {
    // `unknown` is the state of items without a status: every issue has one.
    let of =
        |names: &[&str]| states.iter().any(|state| names.iter().any(|name| state.trim().eq_ignore_ascii_case(name)));
    match (of(&["open"]), of(&["done", "not_planned", "merged"])) {
        (true, true) => "all",
        (false, true) => "closed",
        _ => "open",
    }
}

/// The issue that a root as typed stands for: itself, or the one that a work item claims.
fn root(project: &Project<'_>, whose: &IssueScope, typed: &str) -> Result<IssueKey, Failure> {
    if let Some(key) = issue(typed, whose) {
        return Ok(key);
    }
    let wrong = || {
        Failure::usage(format!(
            "`{typed}` is no issue: write `123`, `owner/repo#123`, a URL, or a work item that has an `issue`"
        ))
    };
    let RootMatch::Item(item) = project.graph().find(project.corpus(), typed) else { return Err(wrong()) };
    let entry = &project.corpus().entries[item].item;
    entry.issue.as_ref().and_then(|claim| issue(&claim.value, whose)).ok_or_else(wrong)
}

/// The issues that work items claim, and those that they refer to.
fn named(repository: &Repository, project: &Project<'_>, whose: &IssueScope) -> (Vec<IssueKey>, Vec<IssueKey>) {
    let (mut claimed, mut linked) = (BTreeSet::new(), BTreeSet::new());
    let snapshot = repository.settings().github.snapshot.as_str();
    for (index, entry) in project.corpus().entries.iter().enumerate() {
        // What an issue refers to is not named by a work item.
        if entry.item.origin.path.is_under(snapshot) {
            continue;
        }
        claimed.extend(entry.item.issue.as_ref().and_then(|claim| issue(&claim.value, whose)));
        // A text by strangers decides nothing of what is fetched.
        for edge in project.graph().edges(index).iter().filter(|edge| edge.evidence.trusted) {
            let id = match &edge.to {
                Target::Issue { id, .. } => id.as_str(),
                Target::Item(other) => project.corpus().entries[*other].item.id.as_str(),
            };
            linked.extend(issue(id, whose).filter(|_| id.contains('#')));
        }
    }
    linked.retain(|key| !claimed.contains(key));
    (claimed.into_iter().collect(), linked.into_iter().collect())
}

/// Reads `123`, `#123`, `GH-123`, `owner/repo#123`, and URLs of issues and pull requests.
fn issue(text: &str, whose: &IssueScope) -> Option<IssueKey> {
    let text = text.trim();
    let number = |digits: &str| digits.parse::<u64>().ok().filter(|number| *number > 0);
    if let Some((_, rest)) = text.split_once("://") {
        let mut parts = rest.split(['/', '?', '#']);
        let host = parts.next()?.to_lowercase();
        let (owner, name, page) = (parts.next()?, parts.next()?, parts.next()?);
        let repo = format!("{owner}/{name}");
        let key = IssueKey::new(ours(&repo, whose), number(parts.next()?)?);
        return (host == whose.host && matches!(page, "issues" | "pull") && is_repo_name(&repo)).then_some(key);
    }
    if let Some((repo, digits)) = text.split_once('#').filter(|(repo, _)| !repo.is_empty()) {
        return is_repo_name(repo).then(|| Some(IssueKey::new(ours(repo, whose), number(digits)?)))?;
    }
    let bare = text.strip_prefix('#').unwrap_or(text);
    let bare = bare.get(..3).filter(|gh| gh.eq_ignore_ascii_case("gh-")).map_or(bare, |_| &bare[3..]);
    bare.bytes().all(|b| b.is_ascii_digit()).then(|| Some(IssueKey::new(&*whose.repo, number(bare)?)))?
}

/// The repo as it is called here.
fn ours(repo: &str, whose: &IssueScope) -> String {
    if repo.eq_ignore_ascii_case(&whose.repo) { whose.repo.clone() } else { repo.to_owned() }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    #[test]
    fn issues_are_read_in_every_form() {
        let api = ApiBase::of_host("github.com").unwrap();
        let whose = IssueScope { repo: "Own/Repo".to_owned(), host: "github.com".to_owned(), api, named_by: "a test" };
        let read = |text: &str| issue(text, &whose).map(|key| key.to_string());
        for ours in ["12", "#12", "GH-12", "own/repo#12", "https://github.com/own/repo/issues/12#issuecomment-1"] {
            assert_eq!(read(ours).as_deref(), Some("Own/Repo#12"), "{ours}");
        }
        assert_eq!(read("a/b#3").as_deref(), Some("a/b#3"));
        assert_eq!(read("https://github.com/a/b/pull/3/files").as_deref(), Some("a/b#3"));
        for none in [
            "",
            "feat:x",
            "0",
            "a#1",
            "../b#1",
            "../b#1/2",
            "a/..#1",
            "a/.git#1",
            "https://example.com/a/b/issues/1",
            "https://github.com/a/b",
            "https://github.com/../b/issues/1",
            "https://github.com/a/.GIT/issues/1",
        ] {
            assert_eq!(read(none), None, "{none}");
        }
    }

    #[test]
    fn the_states_of_roots_decide_what_is_asked_for() {
        let state = |states: &[&str]| wanted_state(&states.iter().map(|s| (*s).to_owned()).collect::<Vec<_>>());
        assert_eq!(
            [state(&[]), state(&["open"]), state(&["done"]), state(&["open", "done"])],
            ["open", "open", "closed", "all"]
        );
        // What `init` writes asks for no closed issue.
        assert_eq!(
            [state(&["open", "unknown"]), state(&["unknown"]), state(&["Not_Planned", "unknown"])],
            ["open", "open", "closed"]
        );
    }
}
