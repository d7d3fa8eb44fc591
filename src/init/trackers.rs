//! The trackers that `init` recognises, as `trackers.yml` describes them, and which of them a repo has.

use super::starter::render_text;
use crate::config::Globs;
use crate::model::RepoPath;
use minijinja::{Value, context};
use regex::Regex;
use serde::{Deserialize, Deserializer, de};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

/// All that `trackers.yml` says.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Catalog {
    pub(super) trackers: Vec<Tracker>,
    pub(super) decisions: Vec<String>,
    pub(super) overviews: Vec<String>,
    pub(super) rules: Vec<String>,
    pub(super) playbooks: Vec<String>,
    pub(super) placeholders: Vec<String>,
    pub(super) examples: FieldPattern,
    pub(super) likely: FieldPattern,
    pub(super) status: FieldPattern,
}

#[expect(clippy::expect_used, reason = "the file is part of the program, and a test reads it")]
pub(super) static CATALOG: LazyLock<Catalog> =
    LazyLock::new(|| serde_yaml::from_str(include_str!("trackers.yml")).expect("a data file of the program"));

/// Returns the names of all trackers that are recognised.
pub(crate) fn tracker_names() -> impl Iterator<Item = &'static str> {
    CATALOG.trackers.iter().map(|tracker| tracker.name.as_str())
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Tracker {
    pub(super) name: String,
    pub(super) marker: Option<String>,
    pub(super) missing: Option<String>,
    #[serde(default = "coding")]
    profiles: Vec<String>,
    pub(super) sources: Vec<Source>,
}

fn coding() -> Vec<String> {
    vec!["coding".to_owned()]
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Source {
    pub(super) files: Globs,
    #[serde(default)]
    contains: Vec<FieldPattern>,
    numbered: Option<Numbered>,
    #[serde(default)]
    collect: BTreeMap<String, FieldPattern>,
    write: String,
}

/// How folders of files with numbers in their names are recognised.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Numbered {
    stem: FieldPattern,
    field: FieldPattern,
    known: BTreeMap<String, String>,
}

#[derive(Debug)]
pub(super) struct FieldPattern(Regex);

impl<'de> Deserialize<'de> for FieldPattern {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Regex::new(&String::deserialize(deserializer)?).map(Self).map_err(de::Error::custom)
    }
}

impl FieldPattern {
    pub(super) fn is_match(&self, text: &str) -> bool {
        self.0.is_match(text)
    }
}

/// A tracker that a repo has.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct FoundTracker {
    pub(crate) name: &'static str,
    pub(crate) profiles: &'static [String],
    pub(crate) files: BTreeSet<RepoPath>,
    /// The entries of `work_items` for it, as they are written.
    pub(crate) entries: String,
}

/// Looks for the trackers among the files of a repo. `text` returns the beginning of a file, and `publishable` what may be written
/// of a list.
pub(super) struct TrackerSearch<'a> {
    pub(super) files: &'a [RepoPath],
    pub(super) text: &'a mut dyn FnMut(&RepoPath) -> Option<String>,
    pub(super) publishable: &'a mut dyn FnMut(Vec<String>) -> Vec<String>,
}

impl TrackerSearch<'_> {
    /// Returns the trackers that the repo has, in the order of the catalog. A file belongs to the first that knows it.
    pub(super) fn find(mut self) -> Vec<FoundTracker> {
        let mut taken = BTreeSet::new();
        let found = CATALOG.trackers.iter().filter_map(|tracker| self.tracker(tracker, &mut taken));
        found.collect()
    }

    fn tracker(&mut self, tracker: &'static Tracker, taken: &mut BTreeSet<RepoPath>) -> Option<FoundTracker> {
        let (mut files, mut parts) = (BTreeSet::new(), Vec::new());
        for source in &tracker.sources {
            let free = self.files.iter().filter(|path| !taken.contains(*path) && includes(&source.files, path));
            let free: Vec<&RepoPath> = free.collect();
            let found = match &source.numbered {
                Some(numbered) => self.numbered(source, numbered, &free),
                None => self.plain(source, free).into_iter().collect(),
            };
            for (paths, values) in found {
                taken.extend(paths.iter().cloned());
                files.extend(paths);
                parts.push((source, values));
            }
        }
        let of_parts = parts.iter().filter_map(|(_, values)| values.get_attr("files").ok()?.try_iter().ok());
        let all_files: Vec<Value> = of_parts.flatten().collect();
        let write = |(source, values): (&Source, Value)| {
            render_text(&source.write, context! { all_files => all_files.clone(), ..values })
        };
        let entries: String = parts.into_iter().map(write).collect();
        let (name, profiles) = (&tracker.name, &tracker.profiles);
        (!files.is_empty()).then_some(FoundTracker { name, profiles, files, entries })
    }

    /// Returns the files of a source with the values for its text, if there are any.
    fn plain(&mut self, source: &Source, mut paths: Vec<&RepoPath>) -> Option<(Vec<RepoPath>, Value)> {
        let mut written: Vec<String> = if source.contains.is_empty() {
            let globs = source.files.written.iter().enumerate();
            let is_used = |at| paths.iter().any(|path| source.files.set.matches(path.as_str()).contains(&at));
            globs.filter(|(at, _)| is_used(*at)).map(|(_, glob)| glob.clone()).collect()
        } else {
            paths.retain(|path| (self.text)(path).is_some_and(|text| source.has_all(&text)));
            paths.iter().map(|path| globset::escape(path.as_str())).collect()
        };
        written = (self.publishable)(written);
        let collected = source.collect.iter().map(|(name, pattern)| (name.clone(), self.collected(pattern, &paths)));
        let collected: Value = collected.collect::<BTreeMap<_, _>>().into();
        let is_used = !written.is_empty();
        is_used.then(|| (paths.into_iter().cloned().collect(), context! { files => written, ..collected }))
    }

    /// Returns what a pattern's group matches in files, the most frequent first; of spellings in upper and lower case one.
    fn collected(&mut self, pattern: &FieldPattern, paths: &[&RepoPath]) -> Vec<String> {
        let mut counts: BTreeMap<String, (usize, String)> = BTreeMap::new();
        for text in paths.iter().filter_map(|path| (self.text)(path)) {
            for found in pattern.0.captures_iter(&text).filter_map(|groups| groups.get(1)) {
                let (count, spelling) = counts.entry(found.as_str().to_lowercase()).or_default();
                *count += 1;
                // The alphabetically first spelling represents the others.
                if *count == 1 || found.as_str() < spelling.as_str() {
                    found.as_str().clone_into(spelling);
                }
            }
        }
        let mut sorted: Vec<(usize, String)> = counts.into_values().collect();
        sorted.sort_by(|a, b| (Reverse(a.0), &a.1).cmp(&(Reverse(b.0), &b.1)));
        sorted.truncate(MOST_COLLECTED);
        (self.publishable)(sorted.into_iter().map(|(_, text)| text).collect())
    }

    /// Returns the folders of numbered files, each with the values for the source's text.
    fn numbered(&mut self, source: &Source, rule: &Numbered, paths: &[&RepoPath]) -> Vec<(Vec<RepoPath>, Value)> {
        let mut series: BTreeMap<(&str, &str), Vec<(&RepoPath, &str)>> = BTreeMap::new();
        for path in paths {
            let Some(groups) = rule.stem.0.captures(path.stem()) else { continue };
            let text = |name| groups.name(name).map_or("", |found| found.as_str());
            let start = path.as_str().len() - path.name().len();
            let prefix = &path.as_str()[start..start + text("prefix").len()];
            let number = &path.as_str()[start + prefix.len()..start + prefix.len() + text("number").len()];
            series.entry((path.dir(), prefix)).or_default().push((path, number));
        }
        let found = series.into_iter().filter_map(|(place, files)| self.series(source, rule, place, &files));
        found.collect()
    }

    fn series(
        &mut self,
        source: &Source,
        rule: &Numbered,
        (folder, prefix): (&str, &str),
        files: &[(&RepoPath, &str)],
    ) -> Option<(Vec<RepoPath>, Value)> {
        let heads = files.iter().take(MOST_READ).filter_map(|(path, number)| Some(((self.text)(path)?, *number)));
        let heads: Vec<(String, &str)> = heads.filter(|(head, _)| source.has_all(head)).collect();
        let field = heads.iter().find_map(|(head, number)| rule.field_with(head, number));
        let bare = prefix.trim_end_matches(['-', '_', ' ']);
        let last = folder.rsplit('/').next().unwrap_or_default();
        let name = match &field {
            Some(field) => field.to_uppercase(),
            None => {
                let by = if bare.is_empty() { last } else { bare };
                // `active-rfcs` are RFCs.
                let name = rule.known.get(&by.rsplit(['-', '_', ' ']).next()?.to_lowercase())?;
                (files.len() >= LEAST_SERIES && heads.len() * 2 >= files.len().min(MOST_READ)).then(|| name.clone())?
            }
        };
        let endings: BTreeSet<&str> = files.iter().filter_map(|(path, _)| path.name().rsplit('.').next()).collect();
        let place = if folder.is_empty() { String::new() } else { format!("{}/", globset::escape(folder)) };
        let begin = if prefix.is_empty() { "[0-9]" } else { prefix };
        let globs = endings.into_iter().map(|ending| format!("{place}{begin}*.{ending}")).collect();
        let globs = (self.publishable)(globs);
        let front_matter = heads.iter().any(|(head, _)| head.starts_with("---"));
        let number = match field {
            None => "digits".to_owned(),
            Some(field) if front_matter => field,
            Some(field) => field.to_lowercase(),
        };
        let paths = files.iter().map(|(path, _)| (*path).clone()).collect();
        (!globs.is_empty()).then(|| (paths, context! { files => globs, name, number, front_matter }))
    }
}

/// The most values that are collected from files.
const MOST_COLLECTED: usize = 40;
/// The most files of a series that are read to recognise it, and the fewest that make one without a field for their numbers.
const MOST_READ: usize = 5;
const LEAST_SERIES: usize = 3;

/// Returns whether globs include a file; hidden folders are included only where a glob spells them.
fn includes(globs: &Globs, path: &RepoPath) -> bool {
    globs.set.matches(path.as_str()).into_iter().any(|glob| globs.spells_hidden(glob, path.as_str()))
}

impl Source {
    fn has_all(&self, text: &str) -> bool {
        self.contains.iter().all(|pattern| pattern.is_match(text))
    }
}

impl Numbered {
    /// Returns the field of a head that holds a file's number.
    fn field_with(&self, head: &str, number: &str) -> Option<String> {
        let number = number.trim_start_matches('0');
        let mut fields = self.field.0.captures_iter(head);
        fields.find_map(|groups| (groups.get(2)?.as_str() == number).then(|| groups[1].to_owned()))
    }
}
