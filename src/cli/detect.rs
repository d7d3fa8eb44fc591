//! What a repo has already, so that `init` fits it.

use cap_std::ambient_authority;
use cap_std::fs::Dir;
use contextpack::config::DenyList;
use contextpack::intake::{Options, Repo};
use contextpack::model::{RepoPath, Source as _};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// Folders in which a Markdown file is an ADR, compared without case.
const ADR_FOLDERS: [&str; 6] =
    ["adr", "adrs", "decisions", "decision-records", "architecture-decision-record", "architecture-decision-records"];
/// The places that need no configuration.
const DEFAULT_ADR_FOLDERS: [&str; 6] =
    ["docs/adr", "docs/adrs", "docs/decisions", "doc/adr", "doc/architecture/decisions", "docs/architecture/decisions"];

/// What a repo has already.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Found {
    /// Whether `work_items/` exists.
    pub(crate) work_items: bool,
    /// Backlog.md, with the folders of its tasks.
    pub(crate) backlog: Option<Backlog>,
    /// The path of the issues of beads.
    pub(crate) beads: Option<String>,
    /// Globs over the ADRs.
    pub(crate) adrs: Vec<String>,
    /// Whether all of them are found without configuration.
    pub(crate) adrs_by_default: bool,
    /// The repo on GitHub.
    pub(crate) github: Option<Github>,
}

/// A repo with Backlog.md.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Backlog {
    /// Globs over its tasks.
    pub(crate) tasks: Vec<String>,
    /// The prefixes of its ids, the most frequent first.
    pub(crate) prefixes: Vec<String>,
}

/// A repo on GitHub.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Github {
    /// `github.com`, or the name of an enterprise server.
    pub(crate) host: String,
    /// `owner/name`.
    pub(crate) repo: String,
}

impl Found {
    /// Looks around below `root`.
    pub(crate) fn at(root: &Path) -> Self {
        let adrs = adr_folders(root);
        let folder = |glob: &String| glob.split("/**").next().unwrap_or_default().to_lowercase();
        Self {
            work_items: root.join("work_items").is_dir(),
            backlog: backlog(root),
            beads: [".beads/issues.jsonl", ".beads/beads.jsonl"]
                .into_iter()
                .find(|path| root.join(path).is_file())
                .map(str::to_owned),
            adrs_by_default: adrs.iter().all(|glob| DEFAULT_ADR_FOLDERS.contains(&folder(glob).as_str())),
            adrs,
            github: Repo::remote(root).as_deref().and_then(github),
        }
    }

    /// Whether there are work items in files.
    pub(crate) fn has_items(&self) -> bool {
        self.work_items || self.backlog.is_some() || self.beads.is_some()
    }
}

fn backlog(root: &Path) -> Option<Backlog> {
    let home = ["backlog", ".backlog"].into_iter().find(|home| root.join(home).join("tasks").is_dir())?;
    let folders = ["tasks", "drafts", "completed", "archive/tasks"];
    let present = folders.into_iter().filter(|folder| root.join(home).join(folder).is_dir());
    Some(Backlog {
        tasks: present.map(|folder| format!("{home}/{folder}/**/*.md")).collect(),
        prefixes: prefixes(&root.join(home).join("tasks")),
    })
}

/// What stands before the number in the `id:` lines of a folder's files, each spelling of case once.
fn prefixes(tasks: &Path) -> Vec<String> {
    let mut counts: BTreeMap<String, (usize, String)> = BTreeMap::new();
    // The standard library panics where the system cannot close a folder.
    let entries = Dir::open_ambient_dir(tasks, ambient_authority()).and_then(|dir| dir.entries());
    for path in entries.into_iter().flatten().flatten().map(|entry| tasks.join(entry.file_name())) {
        let markdown = path.extension().is_some_and(|extension| extension == "md");
        let text = if markdown && path.is_file() {
            fs::read_to_string(&path).unwrap_or_default()
        } else {
            continue;
        };
        let id = text
            .lines()
            .take(40)
            .find_map(|line| line.strip_prefix("id:"))
            .map(|id| id.trim().trim_matches(['"', '\'']));
        if let Some((name, _)) = id.and_then(|id| id.split_once('-'))
            && !name.is_empty()
            && name.bytes().all(|b| b.is_ascii_alphanumeric())
        {
            let prefix = format!("{name}-");
            let entry = counts.entry(prefix.to_lowercase()).or_insert((0, prefix.clone()));
            entry.0 += 1;
            // Files come in no order: the spelling is the first in the alphabet.
            entry.1 = entry.1.clone().min(prefix);
        }
    }
    let mut sorted: Vec<(usize, String)> = counts.into_values().collect();
    sorted.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    sorted.into_iter().map(|(_, prefix)| prefix).collect()
}

/// How many folders deep ADRs are looked for.
const DEEPEST: usize = 5;

fn adr_folders(root: &Path) -> Vec<String> {
    let mut globs = BTreeSet::new();
    let Ok(deny) = DenyList::new(&[]) else { return Vec::new() };
    // A repo that cannot be listed has nothing to propose; `build` will say what is wrong with it.
    let Ok(repo) = Repo::open(root, Options { deny: &deny, never: &[], snapshot: None }) else { return Vec::new() };
    for path in repo.files().iter().map(RepoPath::as_str).filter(|path| path.matches('/').count() < DEEPEST) {
        let Some((folder, name)) = path.rsplit_once('/') else {
            continue;
        };
        let small = name.to_lowercase();
        if !small.ends_with(".md") || folder.starts_with("work_items") || small == "readme.md" {
            continue;
        }
        let last = folder.rsplit('/').next().unwrap_or_default().to_lowercase();
        let number = small.strip_prefix("adr").map(|rest| rest.trim_start_matches(['-', '_', ' ']));
        if ADR_FOLDERS.contains(&last.as_str()) {
            globs.insert(format!("{}/**/*.md", globset::escape(folder)));
        } else if number.is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit())) {
            // A folder with ADRs among other documents.
            globs.insert(format!("{}/{}*.md", globset::escape(folder), &name[..3]));
        }
    }
    let whole: Vec<String> = globs.iter().filter_map(|glob| glob.strip_suffix("**/*.md")).map(str::to_owned).collect();
    globs.retain(|glob| {
        !whole.iter().any(|folder| glob.starts_with(folder.as_str()) && glob != &format!("{folder}**/*.md"))
    });
    globs.into_iter().collect()
}

/// The repo on GitHub that a remote's URL names; credentials in it are passed over.
pub(crate) fn github(url: &str) -> Option<Github> {
    let (place, path) = match url.split_once("://") {
        Some((_, rest)) => rest.split_once('/')?,
        None => url.split_once(':')?,
    };
    let host = place.rsplit('@').next()?.split(':').next()?.to_lowercase();
    let host = if host == "ssh.github.com" { "github.com".to_owned() } else { host };
    if host != "github.com" && !host.split('.').any(|label| label == "github" || label == "ghe") {
        return None;
    }
    let path = path.trim_matches('/');
    let repo = path.strip_suffix(".git").unwrap_or(path);
    let (owner, name) = repo.split_once('/')?;
    let fits = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_.".contains(&b));
    (fits(owner) && fits(name)).then(|| Github { host, repo: repo.to_owned() })
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    #[test]
    fn remotes_of_every_form_name_their_repo_and_no_credentials() {
        for url in [
            "git@github.com:owner/name.git",
            "https://github.com/owner/name",
            "https://user:token@GitHub.com/owner/name.git/",
            "ssh://git@ssh.github.com:443/owner/name.git",
        ] {
            assert_eq!(github(url), Some(Github { host: "github.com".into(), repo: "owner/name".into() }), "{url}");
        }
        assert_eq!(github("git@github.example.com:a/b.git").unwrap().host, "github.example.com");
        for url in [
            "git@gitlab.com:a/b.git",
            "https://github.com/a",
            "/srv/git/x.git",
            "https://github.com/a/b/c",
            "",
            "https://notgithub.com/a/b",
        ] {
            assert_eq!(github(url), None, "{url}");
        }
    }

    #[test]
    fn adrs_are_found_where_teams_keep_them() {
        let dir = tempfile::tempdir().unwrap();
        let put = |path: &str, text: &str| {
            fs::create_dir_all(dir.path().join(path).parent().unwrap()).unwrap();
            fs::write(dir.path().join(path), text).unwrap();
        };
        put("docs/ADR/0001-x.md", "");
        let found = Found::at(dir.path());
        assert_eq!((found.adrs, found.adrs_by_default), (vec!["docs/ADR/**/*.md".to_owned()], true));
        put("docs/architecture/adr-001-x.md", "");
        put("docs/architecture/README.md", "");
        put("architecture-decision-record/adr-7.md", "");
        put("docs/adrenaline.md", "");
        let found = Found::at(dir.path());
        assert_eq!(
            found.adrs,
            ["architecture-decision-record/**/*.md", "docs/ADR/**/*.md", "docs/architecture/adr*.md"]
        );
        assert!(!found.adrs_by_default);
    }

    #[test]
    fn the_prefixes_of_a_backlog_are_those_of_its_ids() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir_all(dir.path().join("backlog/tasks")).unwrap();
        for (name, id) in [("a", "BACK-1"), ("b", "'BACK-2'"), ("c", "back-3"), ("d", "task-4"), ("e", "5")] {
            fs::write(dir.path().join(format!("backlog/tasks/{name}.md")), format!("---\nid: {id}\n---\n")).unwrap();
        }
        let found = Found::at(dir.path()).backlog.unwrap();
        assert_eq!(
            (found.prefixes, found.tasks),
            (vec!["BACK-".to_owned(), "task-".into()], vec!["backlog/tasks/**/*.md".to_owned()])
        );
    }
}
