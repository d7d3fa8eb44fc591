//! The request of `sync`: the server, the token and the issues, from arguments, configuration and environment.

use crate::cli::args::SyncArgs;
use crate::config::Settings;
use crate::console::Failure;
use crate::engine::{Project, Repository};
use crate::git;
use crate::github::{ApiBase, IssueFilter, IssueKey, SyncRequest, Tokens};
use crate::graph::{RootMatch, Target};
use crate::model::{GithubRepo, IssueReference, is_repo_name};
use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Command, Stdio};

/// The variables of tokens in order of precedence, and whether each is only for enterprise servers.
const TOKENS: [(&str, bool); 5] = [
    ("CONTEXTPACK_GITHUB_TOKEN", false),
    ("GH_ENTERPRISE_TOKEN", true),
    ("GITHUB_ENTERPRISE_TOKEN", true),
    ("GH_TOKEN", false),
    ("GITHUB_TOKEN", false),
];

const RUNNER: [&str; 2] = ["GITHUB_SERVER_URL", "GITHUB_API_URL"];

const CONFIGURED: &str = "`github.host` of the configuration";
const REMOTE: &str = "the git remote `origin`";

pub(crate) struct IssueScope {
    pub(crate) repo: String,
    pub(crate) host: String,
    pub(crate) api: ApiBase,
    pub(crate) named_by: &'static str,
}

impl IssueScope {
    /// Finds the scope in the configuration, else the workflow's environment, else the git remote.
    pub(crate) fn find(root: &Path, settings: &Settings) -> Result<Self, Failure> {
        if let Some(repo) = settings.github.repo.clone().or_else(workflow_repo) {
            return Self::new(repo, settings.github.host.clone(), CONFIGURED);
        }
        let remote = git::remote(root).map_err(|why| {
            Failure::usage(format!("which repo? set `github.repo: owner/name` in `contextpack.yml`; {why}"))
        })?;
        let remote = remote.as_deref().and_then(GithubRepo::of_remote).ok_or_else(|| {
            Failure::usage("which repo? set `github.repo: owner/name` in `contextpack.yml`, or `GITHUB_REPOSITORY`; there is no git remote on GitHub")
        })?;
        Self::new(remote.repo, remote.host, REMOTE)
    }

    /// Finds the repo that is pushed to, which need not be that of the issues: the workflow's, else that of the git remote.
    pub(crate) fn of_pushes(root: &Path, settings: &Settings) -> Result<Self, Failure> {
        if let Some(repo) = workflow_repo() {
            return Self::new(repo, settings.github.host.clone(), CONFIGURED);
        }
        match git::remote(root).ok().flatten().as_deref().and_then(GithubRepo::of_remote) {
            Some(remote) => Self::new(remote.repo, remote.host, REMOTE),
            None => Self::find(root, settings),
        }
    }

    fn new(repo: String, host: String, named_by: &'static str) -> Result<Self, Failure> {
        Ok(Self { api: api(&host)?, repo, host, named_by })
    }

    /// Returns whether the environment, and so the user or the runner, names the server.
    ///
    /// The configuration and the remote do not count: anyone can propose to change the configuration, and the remote comes
    /// with a copy of a repo. Tokens are for github.com unless a runner names another server.
    fn is_confirmed(&self) -> bool {
        let is_this = |value: String| [&self.api.authority, &self.host].contains(&&host_of(&value));
        let runner: Vec<String> = RUNNER.into_iter().filter_map(variable).collect();
        (runner.is_empty() && self.api.authority == "api.github.com")
            || variable("GH_HOST").into_iter().chain(runner).any(is_this)
    }
}

fn workflow_repo() -> Option<String> {
    variable("GITHUB_REPOSITORY").filter(|repo| is_repo_name(repo))
}

fn host_of(value: &str) -> String {
    let rest = value.trim().split_once("://").map_or(value.trim(), |(_, rest)| rest);
    rest.split('/').next().unwrap_or_default().to_lowercase()
}

/// Returns the API of a host: that of the environment if it belongs to the host, else the default.
fn api(host: &str) -> Result<ApiBase, Failure> {
    let named = variable("GITHUB_API_URL").map(|url| ApiBase::new(&url)).transpose().map_err(Failure::Usage)?;
    let is_of = |api: &ApiBase| api.authority == host || api.authority.strip_prefix("api.") == Some(host);
    match named {
        Some(api) if host == "github.com" || is_of(&api) => Ok(api),
        _ => ApiBase::of_host(host).map_err(Failure::Usage),
    }
}

/// A host that the environment does not confirm gets only the token that `gh` stores for it, if any: tokens in variables
/// do not say which server they are for. In a workflow nothing is requested from such a host.
///
/// # Errors
/// If a token in a variable would go to such a host, and in a workflow.
pub(crate) fn secrets(scope: &IssueScope) -> Result<Tokens, Failure> {
    let set: Vec<(&str, bool, String)> = TOKENS
        .iter()
        .filter_map(|(name, enterprise)| Some((*name, *enterprise, variable(name)?.trim().to_owned())))
        .collect();
    // `gh` has separate tokens for enterprise servers.
    let is_enterprise = scope.api.authority != "api.github.com" && !scope.host.ends_with(".ghe.com");
    let first = set.iter().find(|(_, enterprise, _)| !enterprise || is_enterprise);
    let used = if scope.is_confirmed() {
        first.map(|(.., token)| token.clone()).or_else(|| gh(&scope.host))
    } else {
        let (host, named_by) = (&scope.host, scope.named_by);
        let why = format!("only {named_by} names that host");
        let stopped = first.map_or_else(
            || format!("nothing is requested from `{host}` in a workflow: {why}"),
            |(name, ..)| format!("`{name}` is not sent to `{host}`: {why}"),
        );
        if variable("GITHUB_ACTIONS").is_some_and(|value| !value.eq_ignore_ascii_case("false")) {
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

fn gh(host: &str) -> Option<String> {
    let mut command = Command::new("gh");
    command.args(["auth", "token", "--hostname", host]).stdin(Stdio::null()).stderr(Stdio::null());
    // With these variables `gh` would return their value for any host.
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

pub(crate) fn request(
    repository: &Repository,
    project: &Project<'_>,
    scope: &IssueScope,
    args: &SyncArgs,
) -> Result<SyncRequest, Failure> {
    if !args.roots.is_empty() {
        let roots = args.roots.iter().map(|typed| root(project, scope, typed)).collect::<Result<_, _>>()?;
        return Ok(SyncRequest { roots, ..SyncRequest::default() });
    }
    let (claimed, linked) = named(repository, project, scope);
    let only: std::collections::BTreeMap<&str, &[String]> = repository.settings().roots.only().collect();
    let words = |given: &[String], field: &str| match given {
        [] if !args.all => only.get(field).copied().unwrap_or_default().to_vec(),
        given => given.to_vec(),
    };
    let state = match args.state {
        Some(state) => state,
        None if args.all => "all",
        None => wanted_state(only.get("state").copied().unwrap_or_default()),
    };
    let (labels, milestones) = (words(&args.labels, "labels"), words(&args.milestones, "milestone"));
    let (since, limit) = (args.since.clone(), args.limit.and_then(|limit| usize::try_from(limit).ok()));
    let filter = IssueFilter { state: Some(state.to_owned()), labels, milestones, since, limit };
    Ok(SyncRequest { roots: Vec::new(), claimed, linked, filter })
}

fn wanted_state(states: &[String]) -> &'static str {
    // `unknown` is the state of items without a status, and every issue has one.
    let of =
        |names: &[&str]| states.iter().any(|state| names.iter().any(|name| state.trim().eq_ignore_ascii_case(name)));
    match (of(&["open"]), of(&["done", "not_planned", "merged"])) {
        (true, true) => "all",
        (false, true) => "closed",
        _ => "open",
    }
}

fn root(project: &Project<'_>, scope: &IssueScope, typed: &str) -> Result<IssueKey, Failure> {
    if let Some(key) = issue(typed, scope) {
        return Ok(key);
    }
    let wrong = || {
        Failure::usage(format!(
            "`{typed}` is not an issue: write `123`, `owner/repo#123`, a URL, or a work item that has an `issue`"
        ))
    };
    let RootMatch::Item(item) = project.graph().find(project.corpus(), typed) else { return Err(wrong()) };
    let entry = project.item(item);
    entry.issue.as_ref().and_then(|claim| issue(&claim.value, scope)).ok_or_else(wrong)
}

fn named(repository: &Repository, project: &Project<'_>, scope: &IssueScope) -> (Vec<IssueKey>, Vec<IssueKey>) {
    let (mut claimed, mut linked) = (BTreeSet::new(), BTreeSet::new());
    let snapshot = repository.settings().github.snapshot.as_str();
    for (index, entry) in project.corpus().entries.iter().enumerate() {
        // Issues are no work items, so their references do not count.
        if entry.item.origin.path.is_under(snapshot) {
            continue;
        }
        claimed.extend(entry.item.issue.as_ref().and_then(|claim| issue(&claim.value, scope)));
        // Untrusted text must not decide what is fetched.
        for edge in project.graph().edges(index).iter().filter(|edge| edge.evidence.trusted) {
            let id = match &edge.to {
                Target::Issue { id, .. } => id.as_str(),
                Target::Item(other) => project.item(*other).id.as_str(),
            };
            linked.extend(issue(id, scope).filter(|_| id.contains('#')));
        }
    }
    linked.retain(|key| !claimed.contains(key));
    (claimed.into_iter().collect(), linked.into_iter().collect())
}

fn issue(text: &str, scope: &IssueScope) -> Option<IssueKey> {
    let text = text.trim();
    let number = |digits: &str| digits.parse::<u64>().ok().filter(|number| *number > 0);
    if text.bytes().all(|b| b.is_ascii_digit()) {
        return Some(IssueKey::new(&*scope.repo, number(text)?));
    }
    let issue = IssueReference::parse(text)?;
    let is_here = issue.host.is_none_or(|host| host.eq_ignore_ascii_case(&scope.host));
    let repo = issue.repo.filter(|repo| !repo.eq_ignore_ascii_case(&scope.repo)).unwrap_or(&scope.repo);
    is_here.then(|| IssueKey::new(repo, issue.number))
}
