//! The documents of a repo that `init` proposes: decisions, the overview, rules and playbooks.

use super::CONFIG;
use super::starter::AGENT_MARKS;
use super::trackers::CATALOG;
use crate::config::load;
use crate::model::RepoPath;
use serde::Serialize;
use std::collections::BTreeSet;

/// The documents that agents may need, as globs.
#[derive(Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct Documents {
    /// What the project is.
    pub(crate) overview: Option<SizedDocument>,
    /// Rules that bind everyone.
    pub(crate) rules: Vec<SizedDocument>,
    /// How something is done.
    pub(crate) playbooks: Vec<String>,
    pub(crate) others: Vec<String>,
}

#[derive(Debug, PartialEq, Eq, Serialize)]
pub(crate) struct SizedDocument {
    pub(crate) path: String,
    pub(crate) glob: String,
    pub(crate) size: String,
    /// Whether the whole of it would take much of each pack.
    pub(crate) is_long: bool,
}

impl SizedDocument {
    fn new(path: &RepoPath, bytes: u64) -> Self {
        let size = shown_size(bytes);
        Self { path: path.to_string(), glob: globset::escape(path.as_str()), size, is_long: bytes > LARGEST_OVERVIEW }
    }
}

impl Documents {
    /// Chooses among the files of a repo. `sized` returns the beginning of a file and its size.
    pub(super) fn among(files: &[RepoPath], mut sized: impl FnMut(&str) -> Option<(String, u64)>) -> Self {
        let is = |path: &RepoPath, name: &String| path.as_str().eq_ignore_ascii_case(name);
        let named = |name: &String| files.iter().find(|path| is(path, name));
        let is_filled =
            |text: &str| !CATALOG.placeholders.iter().any(|placeholder| text.contains(placeholder.as_str()));
        let mut read = |path: &RepoPath| sized(path.as_str()).filter(|(text, _)| is_filled(text) && has_rules(text));
        let overview = CATALOG.overviews.iter().filter_map(named).find_map(|path| {
            let (_, bytes) = read(path)?;
            Some(SizedDocument::new(path, bytes))
        });
        let (mut seen, mut rules) = (Vec::new(), Vec::new());
        for path in CATALOG.rules.iter().filter_map(named) {
            let is_overview =
                overview.as_ref().is_some_and(|overview| !overview.is_long && overview.path == path.as_str());
            let Some((text, bytes)) = read(path).filter(|_| !is_overview) else { continue };
            // What is mostly a copy of another says nothing more.
            let lines: BTreeSet<String> = text.lines().map(|line| line.trim().to_owned()).collect();
            let is_copy = |known: &BTreeSet<String>| known.intersection(&lines).count() * 4 >= lines.len() * 3;
            if !seen.iter().any(is_copy) {
                rules.push(SizedDocument::new(path, bytes));
                seen.push(lines);
            }
        }
        let in_docs = |path: &RepoPath| {
            let path = path.as_str();
            path.starts_with("docs/") && path.ends_with(".md") && !path.split('/').any(is_adr_folder)
        };
        let others = if files.iter().any(in_docs) { vec!["docs/**/*.md".to_owned()] } else { Vec::new() };
        Self { overview, rules, playbooks: playbooks(files), others }
    }
}

/// Returns globs for the outermost folders of playbooks.
fn playbooks(files: &[RepoPath]) -> Vec<String> {
    let mut playbooks = BTreeSet::new();
    for path in files.iter().map(RepoPath::as_str).filter(|path| path.ends_with(".md")) {
        let folders = path.split('/').count() - 1;
        let is_playbook = |folder: &str| CATALOG.playbooks.contains(&folder.to_lowercase());
        let depth = path.split('/').take(folders.min(DEEPEST)).position(is_playbook);
        if let Some(depth) = depth {
            let folder: Vec<&str> = path.split('/').take(depth + 1).collect();
            playbooks.insert(format!("{}/**/*.md", globset::escape(&folder.join("/"))));
        }
    }
    playbooks.into_iter().collect()
}

/// Returns whether a file of rules has any: text besides headings, and besides the block that `init` writes.
fn has_rules(text: &str) -> bool {
    let (begin, end) = AGENT_MARKS;
    // The first line of the block may have been cut off.
    if begin.starts_with(text.trim()) {
        return false;
    }
    let (before, block) = text.split_once(begin).unwrap_or((text, ""));
    let after = block.split_once(end).map_or("", |(_, after)| after);
    // A heading or an import of another file says nothing.
    before.lines().chain(after.lines()).any(|line| !line.trim().is_empty() && !line.starts_with(['#', '@']))
}

fn is_adr_folder(folder: &str) -> bool {
    CATALOG.decisions.contains(&folder.to_lowercase())
}

/// The largest overview that is proposed, in bytes: a pack has the whole of it, where it fits.
const LARGEST_OVERVIEW: u64 = 5_000;

/// The depth to which folders are searched.
const DEEPEST: usize = 5;

/// Returns whether one of the globs of [`adr_globs`] matches a file.
pub(super) fn are_adrs(globs: &[String], path: &RepoPath) -> bool {
    let mut globs = globs.iter().filter_map(|glob| glob.strip_suffix("*.md"));
    globs.any(|begin| path.as_str().starts_with(begin.strip_suffix("**/").unwrap_or(begin)))
}

/// Returns whether the default configuration finds all ADRs.
pub(super) fn are_found_by_default(globs: &[String], files: &[RepoPath]) -> bool {
    let Ok(defaults) = load(CONFIG, None) else { return false };
    let mut adrs = files.iter().filter(|path| path.as_str().ends_with(".md") && are_adrs(globs, path));
    adrs.all(|path| defaults.adrs.include.set.is_match(path.as_str()))
}

/// Returns globs that match the ADRs among `files`: those in the folders `named` by a tool, and others known by their names.
pub(super) fn adr_globs(files: &[RepoPath], named: &[RepoPath]) -> Vec<String> {
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
        let last = folder.rsplit('/').next().unwrap_or_default();
        let number = small.strip_prefix("adr").map(|rest| rest.trim_start_matches(['-', '_', ' ']));
        if is_adr_folder(last) {
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

/// Returns the folders that the settings of ADR tools name: `.log4brains.yml`, `.adr-dir`.
pub(super) fn named_adr_folders(log4brains: Option<&str>, adr_dir: Option<&str>) -> Vec<RepoPath> {
    let folders = log4brains.into_iter().flat_map(str::lines).filter_map(|line| {
        let value = line.trim().trim_start_matches("- ").strip_prefix("adrFolder:")?;
        Some(value.split(" #").next().unwrap_or_default().trim().trim_matches(['"', '\'']))
    });
    let folders = folders.chain(adr_dir.and_then(|text| text.lines().next()).map(str::trim));
    let paths = folders.filter_map(|folder| RepoPath::new(folder.trim_end_matches('/')).ok());
    paths.filter(|path| !path.as_str().is_empty()).collect()
}

/// Returns a size for people.
pub(crate) fn shown_size(bytes: u64) -> String {
    match bytes {
        0..1_000 => format!("{bytes} bytes"),
        1_000..1_000_000 => format!("{} kB", (bytes + 500) / 1_000),
        _ => format!("{} MB", (bytes + 500_000) / 1_000_000),
    }
}
