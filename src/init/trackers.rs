//! Recognizes the formats of trackers and proposals from names and beginnings of files.

use crate::model::{RepoPath, WordLists};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

/// Names by which parts of a repo are known.
pub(super) static NAMES: LazyLock<WordLists> = LazyLock::new(|| WordLists::read(include_str!("trackers.txt")));

/// The most types of edges that a team made up and that are mapped.
const MOST_OWN_TYPES: usize = 20;

/// The most proposals of a folder that are read to recognize it.
const MOST_READ: usize = 5;

/// Returns the relation of each type of edge of beads: the known ones, and those besides in the file with this text.
pub(crate) fn beads_types(text: &str) -> Vec<(String, &'static str)> {
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
pub(crate) fn proposals(files: &[RepoPath], mut head: impl FnMut(&str) -> Option<String>) -> Vec<Proposals> {
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
pub(crate) fn named_adr_folders(log4brains: Option<&str>, adr_dir: Option<&str>) -> Vec<RepoPath> {
    let folders = log4brains.into_iter().flat_map(str::lines).filter_map(|line| {
        let value = line.trim().trim_start_matches("- ").strip_prefix("adrFolder:")?;
        Some(value.split(" #").next().unwrap_or_default().trim().trim_matches(['"', '\'']))
    });
    let folders = folders.chain(adr_dir.and_then(|text| text.lines().next()).map(str::trim));
    let paths = folders.filter_map(|folder| RepoPath::new(folder.trim_end_matches('/')).ok());
    paths.filter(|path| !path.as_str().is_empty()).collect()
}
