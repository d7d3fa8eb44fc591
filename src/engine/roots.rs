//! Roots: the items that get packs, their states and blockers, and the lookup of a root as typed.

use super::{EngineError, Project};
use crate::config::ItemSource;
use crate::graph::{Graph, ItemState, Node, RootMatch, Target, Unresolved, Value};
use crate::model::{Code, Diagnostic, Relation, RepoPath, nearest_titled, quoted, short_title_in_line};
use crate::redact::Clean;
use std::collections::BTreeSet;
use std::path::Path;

/// The reason why a typed root does not name exactly one item.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "the messages say what the fields are")]
pub enum RootError {
    /// It matches several.
    #[error("`{typed}` fits more than one item: {}; write one of these ids", quoted(ids))]
    Several { typed: String, ids: Vec<String> },
    /// It is an issue that is not in the snapshot, named as `sync` takes it.
    #[error(
        "issue `{0}` is not in the snapshot: run `contextpack sync {0}`, or `contextpack list` for the items there are"
    )]
    Issue(String),
    /// It is the path of something that is no work item.
    #[error("`{typed}` exists but is no work item: {why}")]
    NoItem { typed: String, why: String },
    /// It matches none.
    #[error("there is no item `{typed}`{}; {}", if is_path(typed) { ", and no such file" } else { "" }, what_next(near, *is_empty))]
    Unknown {
        /// The root as typed.
        typed: String,
        /// The most similar ids with their titles, the best first.
        near: Vec<(String, String)>,
        /// Whether there are no items at all.
        is_empty: bool,
    },
}

/// A root, as [`Snapshot::roots`](super::Snapshot::roots) lists it. Its texts are redacted.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct RootSummary {
    /// The id of the item, which [`PackRequest::new`](super::PackRequest::new) takes; that of an issue is `owner/repo#12`.
    pub id: String,
    /// The title.
    pub title: String,
    /// The field `type`, if the item has one.
    pub kind: Option<String>,
    /// The field `status` as written, if the item has one.
    pub status: Option<String>,
    /// The state, which follows from the status or is that of the issue.
    pub state: ItemState,
    /// Whether anyone could have written the title.
    pub untrusted: bool,
}

fn is_path(typed: &str) -> bool {
    typed.contains(['/', '\\']) && !typed.contains('#') || [".json", ".md"].iter().any(|end| typed.ends_with(end))
}

fn what_next(near: &[(String, String)], is_empty: bool) -> String {
    let near: Vec<String> = near.iter().map(|(id, title)| format!("`{id}` ({title})")).collect();
    match near.split_last() {
        Some((last, [])) => format!("did you mean {last}?"),
        Some((last, others)) => format!("did you mean {} or {last}?", others.join(", ")),
        None if is_empty => {
            "there are no work items here: `contextpack init` sets up a repo, `contextpack sync` reads issues"
                .to_owned()
        }
        None => "`contextpack list` shows the items".to_owned(),
    }
}

/// The most items that are suggested for a name that none has.
const MAX_SUGGESTIONS: usize = 3;

impl Project<'_> {
    /// Returns the roots that the configuration asks for, in natural order.
    pub fn roots(&self) -> Vec<usize> {
        (0..self.corpus.entries.len()).filter(|item| self.is_root(*item)).collect()
    }

    /// Returns whether the repo has a file at this path, or an item with this id, which may be redacted.
    pub(crate) fn has(&self, name: &str) -> bool {
        let is_file = || RepoPath::new(name).is_ok_and(|path| self.reader.source().has(&path));
        // A placeholder of redaction matches no name.
        name.contains("[REDACTED") || is_file() || self.graph.item_with_id(name).is_some()
    }

    fn is_root(&self, item: usize) -> bool {
        let roots = &self.reader.settings.roots;
        let record = &self.corpus.entries[item].item;
        !record.no_pack
            && (roots.include.is_empty() || roots.include.iter().any(|glob| glob.is_match(record.id.as_str())))
            && roots.only().all(|(field, values)| self.matches(item, field, values))
            && !roots.exclude.iter().any(|(field, values)| self.matches(item, field, values))
    }

    /// Returns the agent that an item is assigned to: its key, and its name with the reason, for messages.
    ///
    /// # Errors
    /// If several agents are: a sentence that names them.
    pub fn agent_of(&self, item: usize) -> Result<Option<(&str, String)>, String> {
        let key = |agent: usize| self.knowledge().agents.all[agent].key.as_str();
        let found = self.assigned(item);
        let mut found =
            found.into_iter().map(|(agent, why)| (key(agent), format!("`{}` ({why})", self.masked(key(agent)))));
        let first = found.next();
        let others: Vec<String> = found.map(|(_, shown)| shown).collect();
        match first {
            Some((_, first)) if !others.is_empty() => {
                Err(format!("the item is assigned to the agents {first} and {}", others.join(" and ")))
            }
            first => Ok(first),
        }
    }

    /// Returns the agents that an item is assigned to, by their indices, each with the assignee or label that its file names.
    ///
    /// What anyone could have written assigns nobody: an untrusted file, text or issue form, an agent that git does not track
    /// where such files are untrusted, and an issue of another repo.
    pub fn assigned(&self, item: usize) -> Vec<(usize, String)> {
        let entry = &self.corpus.entries[item];
        let is_foreign = entry.issue.as_ref().is_some_and(|issue| !issue.is_here(&self.corpus.rules));
        if entry.untrusted_file || entry.item.untrusted || is_foreign {
            return Vec::new();
        }
        // What a placeholder stands for is not known.
        let plain = |text: &str| text.trim().trim_start_matches('@').to_lowercase();
        let plain = |text: &str| Some(plain(text)).filter(|text| !text.is_empty() && !text.contains("[redacted"));
        let own = |names: &[&str]| -> BTreeSet<String> {
            let fields = entry.item.fields.iter().filter(|field| names.contains(&&*field.name));
            fields.flat_map(|field| scalars(&field.node)).filter_map(plain).collect()
        };
        let (assignees, labels) = (own(&["assignee", "assignees"]), own(&["labels"]));
        let agents = self.knowledge().agents.all.iter().enumerate();
        let found = agents.filter_map(|(index, agent)| {
            let named = |what, wanted: &[Clean], own: &BTreeSet<String>| {
                let found = wanted.iter().find(|text| plain(text).is_some_and(|text| own.contains(&text)))?;
                Some(format!("{what} `{}`", self.masked(found)))
            };
            let why =
                named("assignee", &agent.assignees, &assignees).or_else(|| named("label", &agent.labels, &labels));
            Some((index, why.filter(|_| self.reader.confirm_tracked(&agent.path).is_ok())?))
        });
        found.collect()
    }

    /// Returns the index of the agent that `name` means, or why it means none.
    pub(crate) fn find_agent(&self, name: &str) -> Result<usize, EngineError> {
        self.knowledge().agents.find(name).map_err(|error| self.no_agent(name, error))
    }

    fn matches(&self, item: usize, field: &str, values: &[String]) -> bool {
        let wanted = |text: &str| values.iter().any(|value| value.trim().to_lowercase() == text.trim().to_lowercase());
        if field == "state" {
            return wanted(self.state(item).name());
        }
        let fields = self.corpus.entries[item].item.fields.iter().filter(|known| &*known.name == field);
        fields.flat_map(|field| scalars(&field.node)).any(wanted)
    }

    /// Returns whether an item is open or done.
    pub fn state(&self, item: usize) -> ItemState {
        Graph::state(&self.corpus, item)
    }

    /// Returns the number of blockers of a root that are not known to be done, which includes those that it names and that
    /// cannot be found.
    ///
    /// `None` if no blocker is known but the snapshot lacks the list of blockers: then work on the root must not start.
    pub fn open_blockers(&self, item: usize) -> Option<usize> {
        let entries = &self.corpus.entries;
        let blocks = |relation| matches!(relation, Relation::DependsOn | Relation::BlockedBy);
        let mut open = BTreeSet::new();
        for edge in self.graph.edges(item).iter().filter(|edge| blocks(edge.relation)) {
            let (id, state) = match &edge.to {
                Target::Item(item) => (entries[*item].item.id.as_str(), self.state(*item)),
                Target::Issue { id, state, .. } => (id.as_str(), *state),
            };
            if !state.is_settled() {
                open.insert(id);
            }
        }
        let unknown = entries[item].issue.as_ref().is_some_and(|issue| issue.unknown.contains(&Relation::BlockedBy));
        let is_blocker = |it: &&Unresolved| matches!(it.relation, Relation::DependsOn | Relation::BlockedBy);
        let unresolved = self.graph.unresolved(item).iter().filter(is_blocker);
        let open = open.len() + BTreeSet::from_iter(unresolved.map(|it| &it.text)).len();
        (open > 0 || !unknown).then_some(open)
    }

    /// Summarizes an item.
    pub fn summary(&self, item: usize) -> RootSummary {
        let record = &self.corpus.entries[item].item;
        let kind = record.fields.iter().find(|field| &*field.name == "type").map(|field| &field.node.value);
        let kind = kind.and_then(|kind| match kind {
            Value::Scalar { text, .. } => Some(self.masked(text)),
            Value::Null | Value::List(_) | Value::Map(_) => None,
        });
        RootSummary {
            id: self.masked(&record.id),
            title: self.masked(&record.title),
            kind,
            status: record.status.as_ref().map(|status| self.masked(status)),
            state: self.state(item),
            untrusted: self.corpus.entries[item].has_untrusted_title(),
        }
    }

    /// Returns the item that a typed root names.
    pub fn find(&self, typed: &str) -> Result<usize, RootError> {
        let id = |item: &usize| self.corpus.entries[*item].item.id.to_string();
        match self.graph.find(&self.corpus, typed) {
            RootMatch::Item(item) => Ok(item),
            RootMatch::Several(items) => {
                Err(RootError::Several { typed: typed.to_owned(), ids: items.iter().map(id).collect() })
            }
            // A number is rather an issue, unless it is not known of which repo.
            RootMatch::Issue(issue) if issue.repo.is_empty() && !self.most_similar(typed).is_empty() => {
                Err(RootError::Unknown { typed: typed.to_owned(), near: self.most_similar(typed), is_empty: false })
            }
            RootMatch::Issue(issue) => {
                let here = self.corpus.rules.repo.as_ref().is_some_and(|repo| repo.eq_ignore_ascii_case(&issue.repo));
                let repo = if here || issue.repo.is_empty() { String::new() } else { format!("{}#", issue.repo) };
                Err(RootError::Issue(format!("{repo}{}", issue.number)))
            }
            RootMatch::Nothing => {
                let near = self.most_similar(typed);
                Err(RootError::Unknown { typed: typed.to_owned(), near, is_empty: self.corpus.entries.is_empty() })
            }
        }
    }

    /// Returns where the snapshot has the issue that [`RootError::Issue`] names, as it spells names of repos.
    pub(super) fn issue_file(&self, issue: &str) -> Option<RepoPath> {
        let (repo, number) = issue.split_once('#').or_else(|| Some((self.corpus.rules.repo.as_deref()?, issue)))?;
        let path = format!("{}/{repo}/{number}.json", self.reader.settings.github.snapshot);
        self.reader.source().issues().iter().find(|known| known.as_str().eq_ignore_ascii_case(&path)).cloned()
    }

    fn most_similar(&self, typed: &str) -> Vec<(String, String)> {
        let known = self.corpus.entries.iter().map(|entry| (entry.item.id.as_str(), entry.item.title.as_str()));
        let near = nearest_titled(typed, known, MAX_SUGGESTIONS).into_iter();
        near.map(|(id, title)| (self.masked(id), short_title_in_line(&self.masked(title)))).collect()
    }

    /// Says what the file or folder at `path` is, which names no item; `None` if `root` has none there.
    pub(super) fn why_no_item(&self, root: &Path, path: &RepoPath) -> Option<String> {
        let metadata = root.join(path.as_str()).symlink_metadata().ok()?;
        let at_path = |fault: &&Diagnostic| {
            fault.code == Code::DuplicateId && fault.at.as_ref().is_some_and(|at| at.path == *path)
        };
        if let Some(fault) = self.diagnostics.iter().find(at_path) {
            let message = self.redacted_line(&fault.message);
            let help = "whose packs are built; give one of them another id";
            return Some(format!("two items have this id: {message}, {help}"));
        }
        let name = path.as_str();
        let includes = |source: &ItemSource| source.glob_of(name).is_some();
        let why = if metadata.is_dir() {
            "it is a folder: name a file in it, or an id"
        } else if self.is_own_output(path) {
            "it is what contextpack wrote: name the item that it is about"
        } else if self.denies(path) {
            "its name is one that is never opened, by `redaction.deny_paths`"
        } else if !self.reader.source().has(path) {
            "git ignores it, or it is no file"
        } else if self.corpus.rules.adrs.contains(path) {
            "it is a decision, by `adrs`; name a work item that refers to it"
        } else if self.is_agent_file(path) {
            "it is an agent, for whom `--agent` builds packs"
        } else if self.knowledge().documents.iter().any(|document| document.path == *path) {
            "it is a document, by `documents`; name a work item that refers to it"
        } else if self.reader.settings.work_items.iter().any(includes) {
            "nothing in it is an item, or another file has its id"
        } else {
            "no entry of `work_items` includes it; `contextpack list` shows the items"
        };
        Some(why.to_owned())
    }
}

/// Returns the scalars of a field: its text, or the entries of a list, also of one written with commas.
fn scalars(node: &Node<Clean>) -> Vec<&str> {
    match &node.value {
        Value::Scalar { text, .. } => std::iter::once(text.as_str()).chain(text.split(',').map(str::trim)).collect(),
        Value::List(nodes) => nodes.iter().flat_map(scalars).collect(),
        Value::Null | Value::Map(_) => Vec::new(),
    }
}
