//! Detects what a repo already has, so that `init` fits it.

use super::starter::AGENT_MARKS;
use crate::config::{DenyList, RedactionSettings};
use crate::git;
use crate::intake::{Repo, RepoOptions};
use crate::model::{
    Code, Diagnostic, Place, RepoPath, SourceTree as _, WordLists, has_document_extension, is_repo_name,
};
use crate::redact::Redactor;
use cap_std::ambient_authority;
use cap_std::fs::Dir;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{File, Metadata};
use std::io::{self, ErrorKind, Read as _};
use std::path::Path;
use std::sync::LazyLock;

#[derive(Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct DetectedRepo {
    pub(crate) work_items: bool,
    pub(crate) backlog: Option<Backlog>,
    /// The path of the beads issues.
    pub(crate) beads: Option<String>,
    /// The relations of the types of edges of beads.
    pub(crate) beads_types: Vec<(String, &'static str)>,
    /// Folders of numbered proposals.
    pub(crate) proposals: Vec<Proposals>,
    /// Whether there are Kubernetes enhancement proposals.
    pub(crate) keps: bool,
    /// Folders of Markdown files that look like work items and that no other part names, with how many of them there are.
    pub(crate) likely_items: BTreeMap<String, usize>,
    /// Whether there is any document: then the repo gets no invented decision.
    pub(crate) documents: bool,
    /// How many of the items that could get a pack are closed, and how many there are.
    pub(crate) closed: (usize, usize),
    pub(crate) adrs: Vec<String>,
    /// Whether all ADRs are found without configuration.
    pub(crate) adrs_by_default: bool,
    pub(crate) knowledge: Knowledge,
    pub(crate) github: Option<Github>,
    /// The places that could not be examined, sorted.
    #[serde(skip)]
    pub(crate) faults: Vec<Diagnostic>,
}

/// The documents that agents may need, as globs.
#[derive(Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct Knowledge {
    /// What the project is.
    pub(crate) overview: Option<String>,
    /// Rules that bind everyone.
    pub(crate) rules: Vec<String>,
    /// How something is done.
    pub(crate) playbooks: Vec<String>,
    pub(crate) others: Vec<String>,
}

impl Knowledge {
    fn among(files: &[RepoPath], mut beginning: impl FnMut(&str) -> Option<String>) -> Self {
        // `init` writes files for tools and a sample decision itself: they must not change what the next run proposes.
        let is_rules = |path: &&RepoPath| NAMES.has("rules", &path.as_str().to_lowercase());
        let rules =
            files.iter().filter(is_rules).filter(|path| beginning(path.as_str()).is_some_and(|text| has_rules(&text)));
        let rules = rules.map(|path| globset::escape(path.as_str())).collect();
        let mut playbooks = BTreeSet::new();
        for path in files.iter().map(RepoPath::as_str).filter(|path| path.ends_with(".md")) {
            let folders = path.split('/').count() - 1;
            let is_playbook = |folder: &&str| NAMES.has("playbook folders", &folder.to_lowercase());
            let depth = path.split('/').take(folders.min(DEEPEST)).position(|folder| is_playbook(&folder));
            if let Some(depth) = depth {
                let folder: Vec<&str> = path.split('/').take(depth + 1).collect();
                playbooks.insert(format!("{}/**/*.md", globset::escape(&folder.join("/"))));
            }
        }
        let in_docs = |path: &RepoPath| {
            let is_adr = |folder: &str| NAMES.has("adr folders", &folder.to_lowercase());
            let path = path.as_str();
            path.starts_with("docs/") && path.ends_with(".md") && !path.split('/').any(is_adr)
        };
        let others = if files.iter().any(in_docs) { vec!["docs/**/*.md".to_owned()] } else { Vec::new() };
        let overview = NAMES
            .of("overviews")
            .iter()
            .find_map(|name| files.iter().find(|path| path.as_str().eq_ignore_ascii_case(name)));
        Self { overview: overview.map(ToString::to_string), rules, playbooks: playbooks.into_iter().collect(), others }
    }
}

#[derive(Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Backlog {
    pub(crate) tasks: Vec<String>,
    pub(crate) milestones: Vec<String>,
    pub(crate) home: &'static str,
    /// The prefixes of its ids, the most frequent first.
    pub(crate) prefixes: Vec<String>,
}

#[derive(Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Github {
    /// `github.com`, or the name of an enterprise server.
    pub(crate) host: String,
    pub(crate) repo: String,
}

/// Returns whether a file of rules has any: text besides headings, and besides the block that `init` writes.
fn has_rules(text: &str) -> bool {
    let (begin, end) = AGENT_MARKS;
    // The first line of the block may have been cut off.
    if begin.starts_with(text.trim()) {
        return false;
    }
    let Some((before, block)) = text.split_once(begin) else { return true };
    let after = block.split_once(end).map_or("", |(_, after)| after);
    before.lines().chain(after.lines()).any(|line| !line.trim().is_empty() && !line.starts_with('#'))
}

impl DetectedRepo {
    pub(crate) fn at(root: &Path) -> Self {
        let redactor = Redactor::new(&RedactionSettings::default());
        let mut detector = Detector { root, redactor, faults: Vec::new() };
        let files = detector.files();
        let adrs = detector.adr_folders(&files);
        let beads = NAMES.of("beads").iter().find(|path| detector.is(path, Metadata::is_file));
        let beads = beads.map(|path| (*path).to_owned());
        let beads_text = beads.as_deref().and_then(|path| detector.beginning(path, LARGEST_TRACKER));
        let is_kep = |path: &RepoPath| path.name() == "kep.yaml" && path.as_str().starts_with("keps/");
        let backlog = detector.backlog();
        let likely_items = detector.likely_items(&files, backlog.as_ref().map_or("backlog", |backlog| backlog.home));
        let folder = |glob: &String| glob.split("/**").next().unwrap_or_default().to_lowercase();
        Self {
            work_items: detector.is("work_items", Metadata::is_dir),
            backlog,
            likely_items,
            beads_types: detector.publishable(beads_types(beads_text.as_deref().unwrap_or_default()), |(name, _)| name),
            beads,
            proposals: {
                let found = proposals(&files, |path| detector.beginning(path, HEAD));
                detector.publishable(found, |found| &found.glob)
            },
            keps: files.iter().any(is_kep),
            documents: files.iter().any(|path| has_document_extension(path.as_str())),
            closed: (0, 0),
            adrs_by_default: adrs.iter().all(|glob| NAMES.has("default adr folders", &folder(glob))),
            adrs,
            knowledge: Knowledge::among(&files, |path| detector.beginning(path, HEAD)),
            github: detector.remote(),
            faults: detector.faults(),
        }
    }

    /// Returns whether there is certainly nothing to build packs from.
    pub(crate) fn has_nothing(&self) -> bool {
        let unread = self.faults.iter().any(|fault| fault.code == Code::UnreadableFile);
        !self.has_items() && self.github.is_none() && !unread
    }

    pub(crate) fn has_items(&self) -> bool {
        self.work_items || self.has_tracker()
    }

    /// Returns whether there are work items that need a mapping.
    pub(crate) fn has_tracker(&self) -> bool {
        self.backlog.is_some() || self.beads.is_some() || self.keps || !self.proposals.is_empty()
    }

    /// Returns whether only open items get a pack: most of those that could are closed, or they are issues.
    pub(crate) fn open_only(&self) -> bool {
        let (closed, all) = self.closed;
        closed * 2 > all || self.github.is_some() && !self.has_items()
    }
}

struct Detector<'a> {
    root: &'a Path,
    redactor: Redactor,
    faults: Vec<Diagnostic>,
}

impl Detector<'_> {
    fn faults(mut self) -> Vec<Diagnostic> {
        self.faults.sort();
        self.faults.dedup();
        self.faults
    }

    /// Keeps what may be written into a configuration: names without a secret in them.
    fn publishable<T>(&mut self, mut found: Vec<T>, name: impl Fn(&T) -> &String) -> Vec<T> {
        let all = found.len();
        found.retain(|one| self.redactor.line(name(one)) == *name(one));
        if found.len() < all {
            let message = "a name that looks like a secret was left out of the configuration".to_owned();
            let help = "rename it where it is used, or name it in `contextpack.yml` yourself";
            self.faults.push(Diagnostic::new(Code::InvalidItem, None, message).help(help));
        }
        found
    }

    fn fault(&mut self, path: &str, what: &str, error: &io::Error) {
        let help = "fix that and run `init` again, or name what is there in `contextpack.yml`";
        let at = RepoPath::new(path).ok().map(Place::file);
        let message = format!("{what}: {}", error.kind());
        self.faults.push(Diagnostic::new(Code::UnreadableFile, at, message).help(help));
    }

    fn is(&mut self, path: &str, kind: fn(&Metadata) -> bool) -> bool {
        match self.root.join(path).metadata() {
            Ok(metadata) => kind(&metadata),
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => false,
            Err(error) => {
                self.fault(path, "it cannot be examined", &error);
                false
            }
        }
    }

    fn backlog(&mut self) -> Option<Backlog> {
        let home = *NAMES.of("backlog").iter().find(|home| self.is(&format!("{home}/tasks"), Metadata::is_dir))?;
        let prefixes = self.prefixes(&format!("{home}/tasks"));
        let prefixes = self.publishable(prefixes, |prefix| prefix);
        let mut globs = |list: &str, files: &str| -> Vec<String> {
            let folders = NAMES.of(list).iter().map(|folder| format!("{home}/{folder}"));
            let there = folders.filter(|folder| self.is(folder, Metadata::is_dir));
            there.map(|folder| format!("{folder}/{files}")).collect()
        };
        let (tasks, milestones) = (globs("backlog tasks", "**/*.md"), globs("backlog milestones", "m-*.md"));
        Some(Backlog { tasks, milestones, home, prefixes })
    }

    /// Returns the folders with Markdown files whose front matter has a status and an id or a title, as work items have;
    /// decisions, and what has a place of its own, do not count.
    fn likely_items(&mut self, files: &[RepoPath], backlog: &str) -> BTreeMap<String, usize> {
        let is_known = |path: &RepoPath| {
            let mut folders = path.dir().split('/').map(str::to_lowercase);
            let first = path.as_str().split('/').next().unwrap_or_default();
            first == backlog
                || NAMES.has("known folders", first)
                || path.dir().is_empty()
                || folders.any(|folder| NAMES.has("adr folders", &folder))
        };
        let mut found = BTreeMap::new();
        let candidates = files.iter().filter(|path| path.as_str().ends_with(".md") && !is_known(path));
        for path in candidates.take(MOST_CANDIDATES) {
            let text = self.beginning(path.as_str(), HEAD).unwrap_or_default();
            let Some(fields) = text.strip_prefix("---\n").and_then(|rest| rest.split_once("\n---")) else { continue };
            let has = |name: &str| fields.0.lines().any(|line| line.starts_with(name));
            if has("status:") && (has("id:") || has("title:")) && self.redactor.line(path.dir()) == path.dir() {
                *found.entry(path.dir().to_owned()).or_default() += 1;
            }
        }
        found
    }

    /// Returns the prefixes in the `id:` lines of a folder's files, most frequent first, ignoring case.
    fn prefixes(&mut self, tasks: &str) -> Vec<String> {
        let mut names = Vec::new();
        // The standard library panics if the system cannot close a folder.
        let folder = Dir::open_ambient_dir(self.root.join(tasks), ambient_authority());
        match folder.and_then(|dir| dir.entries()?.collect::<io::Result<Vec<_>>>()) {
            Ok(entries) => names.extend(entries.into_iter().filter_map(|entry| entry.file_name().into_string().ok())),
            Err(error) => self.fault(tasks, "the folder cannot be listed", &error),
        }
        names.sort_unstable();
        let mut counts: BTreeMap<String, (usize, String)> = BTreeMap::new();
        for name in names.into_iter().filter(|name| name.ends_with(".md")) {
            let path = format!("{tasks}/{name}");
            let Some(prefix) = self.prefix(&path) else { continue };
            let entry = counts.entry(prefix.to_lowercase()).or_insert((0, prefix.clone()));
            entry.0 += 1;
            // The alphabetically first spelling represents the others.
            entry.1 = entry.1.clone().min(prefix);
        }
        let mut sorted: Vec<(usize, String)> = counts.into_values().collect();
        sorted.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
        sorted.into_iter().map(|(_, prefix)| prefix).collect()
    }

    fn prefix(&mut self, path: &str) -> Option<String> {
        let text = self.beginning(path, HEAD)?;
        let id = text.lines().take(40).find_map(|line| line.strip_prefix("id:"))?;
        let (name, _) = id.trim().trim_matches(['"', '\'']).split_once('-')?;
        let plain = !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric());
        plain.then(|| format!("{name}-"))
    }

    fn beginning(&mut self, path: &str, bytes: u64) -> Option<String> {
        // A link may lead out of the repo.
        let is_link = self.root.join(path).symlink_metadata().is_ok_and(|metadata| metadata.is_symlink());
        if is_link || !self.is(path, Metadata::is_file) {
            return None;
        }
        let mut head = Vec::new();
        if let Err(error) = File::open(self.root.join(path)).and_then(|file| file.take(bytes).read_to_end(&mut head)) {
            self.fault(path, "the file cannot be read", &error);
        }
        Some(String::from_utf8_lossy(&head).into_owned())
    }

    fn remote(&mut self) -> Option<Github> {
        let remote = git::remote(self.root).unwrap_or_else(|why| {
            let message = format!("the git remote is unknown: {why}");
            let help = "install git, or run `git remote -v` here to see what is wrong; then set `github.repo`";
            self.faults.push(Diagnostic::new(Code::GitUnavailable, None, message).help(help));
            None
        });
        remote.as_deref().and_then(github)
    }

    fn adr_folders(&mut self, files: &[RepoPath]) -> Vec<String> {
        let log4brains = self.beginning(".log4brains.yml", HEAD);
        let named = named_adr_folders(log4brains.as_deref(), self.beginning(".adr-dir", HEAD).as_deref());
        let holds = |folder: &RepoPath| {
            let below =
                |path: &RepoPath| path.as_str().strip_prefix(folder.as_str()).is_some_and(|it| it.starts_with('/'));
            files.iter().any(|path| below(path) && path.as_str().ends_with(".md"))
        };
        let named: Vec<RepoPath> = named.into_iter().filter(holds).collect();
        self.publishable(adr_globs(files, &named), |glob| glob)
    }

    fn files(&mut self) -> Vec<RepoPath> {
        let Ok(deny) = DenyList::new(&[]) else { return Vec::new() };
        match Repo::open(self.root, RepoOptions { deny: &deny, excluded: &[], snapshot: None }) {
            Ok(repo) => {
                self.faults.extend_from_slice(repo.diagnostics());
                repo.files().to_vec()
            }
            Err(error) => {
                let help = "fix that and run `init` again";
                self.faults.push(Diagnostic::new(Code::UnreadableFile, None, error.to_string()).help(help));
                Vec::new()
            }
        }
    }
}

/// The bytes of a file that are searched for its id.
const HEAD: u64 = 64 << 10;
/// The most files that are examined for whether they are work items.
const MOST_CANDIDATES: usize = 2_000;

/// The bytes of a tracker's file that are searched for types of edges.
const LARGEST_TRACKER: u64 = 64 << 20;

/// The depth to which folders are searched for ADRs.
const DEEPEST: usize = 5;

/// Returns globs that match the ADRs among `files`: those in the folders `named` by a tool, and others known by their names.
fn adr_globs(files: &[RepoPath], named: &[RepoPath]) -> Vec<String> {
    let glob = |folder: &RepoPath| format!("{}/**/*.md", globset::escape(folder.as_str()));
    let mut globs: BTreeSet<String> = named.iter().map(glob).collect();
    for path in files.iter().map(RepoPath::as_str).filter(|path| path.matches('/').count() < DEEPEST) {
        let Some((folder, name)) = path.rsplit_once('/') else {
            continue;
        };
        let small = name.to_lowercase();
        if !small.ends_with(".md") || folder.starts_with("work_items") || small == "readme.md" {
            continue;
        }
        let last = folder.rsplit('/').next().unwrap_or_default().to_lowercase();
        let number = small.strip_prefix("adr").map(|rest| rest.trim_start_matches(['-', '_', ' ']));
        if NAMES.has("adr folders", &last) {
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

/// Returns the GitHub repo of a remote's URL, ignoring credentials in it.
pub(crate) fn github(url: &str) -> Option<Github> {
    let (place, path) = match url.split_once("://") {
        Some((_, rest)) => rest.split_once('/')?,
        None => url.split_once(':')?,
    };
    let host = place.rsplit('@').next()?.split(':').next()?.to_lowercase();
    let host = if host == "ssh.github.com" { "github.com".to_owned() } else { host };
    if !host.bytes().all(|b| b.is_ascii_alphanumeric() || b"-.".contains(&b)) {
        return None;
    }
    if host != "github.com" && !host.split('.').any(|label| label == "github" || label == "ghe") {
        return None;
    }
    let path = path.trim_matches('/');
    let repo = path.strip_suffix(".git").unwrap_or(path);
    is_repo_name(repo).then(|| Github { host, repo: repo.to_owned() })
}

/// Names by which parts of a repo are known.
static NAMES: LazyLock<WordLists> = LazyLock::new(|| WordLists::read(include_str!("known_names.txt")));

/// The most types of edges that a team made up and that are mapped.
const MOST_OWN_TYPES: usize = 20;

/// The most proposals of a folder that are read to recognize it.
const MOST_READ: usize = 5;

/// Returns the relation of each type of edge of beads: the known ones, and those besides in the file with this text.
fn beads_types(text: &str) -> Vec<(String, &'static str)> {
    let of = |relation: &'static str| NAMES.of(relation).iter().map(move |name| ((*name).to_owned(), relation));
    let mut types: Vec<(String, &str)> = ["depends_on", "parent", "related"].into_iter().flat_map(of).collect();
    let mut own: BTreeSet<String> = BTreeSet::new();
    for line in text.lines() {
        let Ok(serde_json::Value::Object(item)) = serde_json::from_str(line) else { continue };
        let edges = item.get("dependencies").and_then(serde_json::Value::as_array);
        own.extend(edges.into_iter().flatten().filter_map(|edge| Some(edge.get("type")?.as_str()?.to_owned())));
    }
    own.retain(|name| {
        let plain = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.:".contains(&byte));
        let known = types.iter().any(|(known, _)| known == name) || NAMES.has("people", name);
        plain && !known && (1..=64).contains(&name.len())
    });
    types.extend(own.into_iter().take(MOST_OWN_TYPES).map(|name| (name, "related")));
    types
}

/// A folder of numbered proposals, such as EIPs.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Proposals {
    pub(crate) glob: String,
    pub(crate) field: String,
}

/// Returns the folders whose files are named `eip-12.md` and say `eip: 12` in their first lines; `head` returns those.
fn proposals(files: &[RepoPath], mut head: impl FnMut(&str) -> Option<String>) -> Vec<Proposals> {
    let mut folders: BTreeMap<(&str, &str), Vec<(&str, &str)>> = BTreeMap::new();
    for path in files.iter().map(RepoPath::as_str) {
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        let Some((prefix, number)) = name.strip_suffix(".md").and_then(|stem| stem.split_once('-')) else { continue };
        let plain = !prefix.is_empty() && prefix.bytes().all(|byte| byte.is_ascii_alphabetic());
        if plain && !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()) {
            folders.entry((folder, prefix)).or_default().push((path, number));
        }
    }
    let mut found = Vec::new();
    for ((folder, prefix), proposals) in folders {
        let field = proposals.into_iter().take(MOST_READ).find_map(|(path, number)| number_field(&head(path)?, number));
        if let Some(field) = field {
            let place = if folder.is_empty() { String::new() } else { format!("{}/", globset::escape(folder)) };
            found.push(Proposals { glob: format!("{place}{prefix}-*.md"), field });
        }
    }
    found
}

/// Returns the field of a front matter that holds a proposal's number: its name is an abbreviation that ends in P.
fn number_field(head: &str, number: &str) -> Option<String> {
    let fields = head.strip_prefix("---")?.lines().skip(1).take_while(|line| line.trim_end() != "---");
    fields.filter_map(|line| line.split_once(':')).find_map(|(name, value)| {
        let proposal = (2..=6).contains(&name.len())
            && name.bytes().all(|byte| byte.is_ascii_alphabetic())
            && name.to_lowercase().ends_with('p');
        let same = value.trim().trim_start_matches('0') == number.trim_start_matches('0');
        (proposal && same).then(|| name.to_owned())
    })
}

/// Returns the folders that the settings of ADR tools name: `.log4brains.yml`, `.adr-dir`.
fn named_adr_folders(log4brains: Option<&str>, adr_dir: Option<&str>) -> Vec<RepoPath> {
    let folders = log4brains.into_iter().flat_map(str::lines).filter_map(|line| {
        let value = line.trim().trim_start_matches("- ").strip_prefix("adrFolder:")?;
        Some(value.split(" #").next().unwrap_or_default().trim().trim_matches(['"', '\'']))
    });
    let folders = folders.chain(adr_dir.and_then(|text| text.lines().next()).map(str::trim));
    let paths = folders.filter_map(|folder| RepoPath::new(folder.trim_end_matches('/')).ok());
    paths.filter(|path| !path.as_str().is_empty()).collect()
}
