//! `contextpack init`: what it finds, how many packs that gives, what it writes, and what to do next.

use super::args::Global;
use crate::config::{DenyList, Settings};
use crate::console::{Document, Exit, Failure, counted, diagnostics, line, stamp};
use crate::engine::{BudgetLimits, BuildJob, Project, build_packs, process_environment, validated};
use crate::git::{commits_touching, is_in_git};
use crate::init::{CONFIG, DetectedRepo, FoundTracker, InitArgs, Setup, shown_size, starter, tracker_names, unfit};
use crate::intake::{Repo, RepoOptions};
use crate::model::{Diagnostic, ItemState, RepoPath};
use crate::render;
use serde_json::{Value, json};
use std::path::Path;

pub(crate) fn run(global: &Global, args: &InitArgs) -> Result<Exit, Failure> {
    if global.config.is_some() {
        return Err(Failure::usage("`init` writes `contextpack.yml`; run it without `--config`"));
    }
    let root = Repo::find_root(Path::new("."))?;
    if args.git && !is_in_git(&root) {
        let message = "`--git` sets up the clone, and this is not in a git repository: run `git init` first";
        return Err(Failure::usage(message));
    }
    let mut found = DetectedRepo::at(&root);
    // The items that a new configuration names, whatever their state.
    let starter = validated(CONFIG, Some(&starter::config(&found, "packs", true)));
    let mut items = starter.map_or_else(|_| Vec::new(), |settings| survey(&root, &settings));
    // A sample that an aborted run wrote changes nothing.
    found.has_states = !found.wants_samples() && items.iter().any(|item| item.state != ItemState::Unknown);
    let mut setup = Setup::new(&root);
    if args.commit.is_some() {
        setup.commit_packs()?;
    }
    let commits = args.commit.is_some();
    let new = starter::config(&found, setup.output(commits)?, commits);
    let (existing, settings) = match existing(&root)? {
        Some((name, settings)) => {
            items = survey(&root, &settings);
            (Some(name), settings)
        }
        None => (None, validated(CONFIG, Some(&new)).map_err(invalid)?),
    };
    if let Some(cost) = commits.then(|| cost_in_git(&root, &settings)).flatten() {
        global.note(&format!("packs in git: {cost}"))?;
    }
    setup.all(&found, existing.as_deref(), &settings, args)?;
    if args.git {
        crate::git::configure(&root, &super::git::SETTINGS).map_err(Failure::usage)?;
        global.note("git shows and merges packs with `contextpack git` in this clone")?;
    }
    let findings = SetupFindings { found: &found, items: &items, is_new: existing.is_none(), commits };
    print_report(global, &setup, &findings)?;
    Ok(Exit::Done)
}

/// Returns the existing configuration with its name.
fn existing(root: &Path) -> Result<Option<(String, Settings)>, Failure> {
    let Some((name, text)) = Repo::read_config(root, None)? else { return Ok(None) };
    let settings = validated(&name, Some(&text)).map_err(invalid)?;
    match unfit(&name, &settings) {
        unfit if unfit.is_empty() => Ok(Some((name, settings))),
        unfit => Err(invalid(unfit)),
    }
}

/// Returns the failure of a configuration with errors. Lines of the file are not quoted, since they are not redacted yet.
fn invalid(diagnostics: Vec<Diagnostic>) -> Failure {
    Failure::Config { diagnostics, text: None }
}

fn print_report(global: &Global, setup: &Setup<'_>, findings: &SetupFindings<'_>) -> Result<(), Failure> {
    let faults = &findings.found.faults;
    let mut document = Document::whole();
    document.list(setup.written.iter().map(|path| line("{}", &[path])));
    let pairs = |pairs: &[(String, &str)], key: &str| -> Value {
        pairs.iter().map(|(path, text)| json!({"path": path, key: text})).collect()
    };
    let by_hand: Value = setup.by_hand.iter().map(|(path, entry)| json!({"path": path, "entry": entry})).collect();
    let value = json!({
            "written": setup.written,
            "left_alone": pairs(&setup.left, "reason"),
            "fill_in": pairs(&setup.fill_in, "what"),
            "by_hand": by_hand,
            "found": {
                "looked_for": tracker_names().collect::<Vec<_>>(),
                "trackers": findings.counts().map(|(name, items)| json!({"tracker": name, "items": items})).collect::<Value>(),
                "hints": findings.found.hints,
            },
            "diagnostics": diagnostics(faults),
            "next": findings.next_command(),
    });
    document.print(global.format, global.verbose, faults, &value)?;
    let verb = |path: &str| if setup.root.join(path).symlink_metadata().is_ok() { "left alone" } else { "not written" };
    let left = setup.left.iter().map(|(path, why)| format!("{}: {path}: {why}", verb(path)));
    let by_hand = setup.by_hand.iter();
    let by_hand =
        by_hand.map(|(path, entry)| format!("by hand: {path}: add this, or put it in place of the other: {entry}"));
    let fill_in = setup.fill_in.iter().map(|(path, what)| format!("fill in: {path}: {what}"));
    let next = format!("next: {}", findings.next_command());
    let mut lines = findings.lines().into_iter().chain(left).chain(by_hand).chain(fill_in).chain([next]);
    Ok(lines.try_for_each(|line| global.note(&line))?)
}

/// An item that gets a pack.
#[derive(Debug)]
struct SurveyedItem {
    id: String,
    state: ItemState,
    path: RepoPath,
    /// The place of its source in the configuration.
    source: usize,
}

impl SurveyedItem {
    fn is_open(&self) -> bool {
        matches!(self.state, ItemState::Open | ItemState::Unknown)
    }
}

/// Returns the items that get a pack, in the order of `list`; none if they cannot be read.
fn survey(root: &Path, settings: &Settings) -> Vec<SurveyedItem> {
    let items = opened(root, settings, |_, project| {
        let surveyed = |at: usize| {
            let item = project.item(at);
            let (id, path) = (item.id.to_string(), item.origin.path.clone());
            SurveyedItem { id, state: project.state(at), path, source: item.source }
        };
        Some(project.roots().into_iter().map(surveyed).collect())
    });
    items.unwrap_or_default()
}

fn opened<T>(root: &Path, settings: &Settings, read: impl FnOnce(&Repo, &Project<'_>) -> Option<T>) -> Option<T> {
    let (deny, excluded) = (DenyList::new(&settings.redaction.deny_paths).ok()?, settings.own_folders());
    let options =
        RepoOptions { deny: &deny, excluded: &excluded, sources: &[], snapshot: Some(&settings.github.snapshot) };
    let repo = Repo::open(root, options).ok()?;
    read(&repo, &Project::open(&repo, settings, &deny, process_environment()))
}

/// Builds all packs in memory, and says what they would cost in git: their files, and how many of the last commits would have
/// changed one.
fn cost_in_git(root: &Path, settings: &Settings) -> Option<String> {
    opened(root, settings, |repo, project| {
        let (roots, profiles) = (project.roots(), settings.output.profiles.clone());
        let (limits, stamp, others) = (BudgetLimits::default(), stamp().ok()?, roots.clone());
        let (agent, session_start, are_named) = (None, false, false);
        let job = BuildJob { roots, others, profiles, limits, stamp, agent, session_start, are_named };
        let built = build_packs(repo, project, &job, None, &|built| {
            let sealed = built.outcome.ok()?;
            let text = settings.output.markdown.then(|| render::pack(sealed.pack()).whole().len());
            let inputs = sealed.pack().inputs.iter().filter_map(|input| input.path.clone());
            Some((sealed.bytes().len() + text.unwrap_or_default(), inputs.collect::<Vec<String>>()))
        });
        let packs: Vec<(usize, Vec<String>)> = built.ok()?.0.into_iter().flatten().collect();
        if packs.is_empty() {
            return None;
        }
        let (sizes, inputs): (Vec<usize>, Vec<Vec<String>>) = packs.into_iter().unzip();
        let cost = format!("{}, {}", counted(sizes.len(), "pack"), shown_size(sizes.iter().sum::<usize>() as u64));
        Some(match commits_touching(root, MAX_COMMITS, &inputs.into_iter().flatten().collect()) {
            Some((all @ 1.., touching)) => {
                format!("{cost}; {touching} of your last {} would touch one", counted(all, "commit"))
            }
            _ => cost,
        })
    })
}

const MAX_COMMITS: usize = 100;

struct SetupFindings<'a> {
    found: &'a DetectedRepo,
    items: &'a [SurveyedItem],
    /// Whether the configuration is written now, and not an earlier one.
    is_new: bool,
    /// Whether packs are to be kept in git.
    commits: bool,
}

impl SetupFindings<'_> {
    /// Returns what a new configuration rests on, for people.
    fn lines(&self) -> Vec<String> {
        if !self.is_new {
            return Vec::new();
        }
        let found = self.found;
        let trackers = tracker_names().collect::<Vec<_>>().join(", ");
        let mut lines = vec![format!("looked for: {trackers}; decisions, rules, and a remote at GitHub")];
        let of_trackers = self.counts().map(|(name, count)| format!("{name}: {}", counted(count, "item")));
        let decisions = (found.decisions > 0).then(|| format!("decisions: {}", counted(found.decisions, "file")));
        let documents = found.documents.rules.iter().map(|it| ("rules", it));
        let overview = found.documents.overview.iter().map(|it| ("overview", it));
        let overview = overview.filter(|(_, it)| !it.is_long);
        let documents = documents.chain(overview).map(|(what, it)| format!("{what}: {} ({})", it.path, it.size));
        let github = found.github.iter().map(|github| format!("GitHub: {}", github.repo));
        lines.extend(of_trackers.chain(decisions).chain(documents).chain(github).map(|what| format!("found {what}")));
        lines.extend(found.hints.iter().map(|hint| format!("hint: {hint}")));
        lines.extend(self.likely());
        lines.extend(self.packs());
        lines
    }

    /// Returns the trackers with the number of their items that could get a pack.
    fn counts(&self) -> impl Iterator<Item = (&'static str, usize)> {
        let items = self.items;
        let count = |tracker: &FoundTracker| items.iter().filter(|item| tracker.files.contains(&item.path)).count();
        self.found.trackers.iter().map(move |tracker| (tracker.name, count(tracker)))
    }

    /// Returns how to name items that no tracker knows, with a folder of the repo as the example.
    fn likely(&self) -> Option<String> {
        if self.found.has_items() || self.found.wants_samples() {
            return None;
        }
        let example = |folder: &str| format!("`work_items: [{{include: [\"{folder}/**/*.md\"]}}]`");
        let how = match &self.found.likely {
            Some(likely) => {
                let files = counted(likely.files, "Markdown file");
                let with = if likely.with_status > 0 {
                    format!(", {} with a status", likely.with_status)
                } else {
                    String::new()
                };
                format!(
                    "if those in `{0}/` are some ({files}{with}), write {1} into {CONFIG}",
                    likely.folder,
                    example(&likely.folder)
                )
            }
            None => format!(
                "write each into a Markdown file below `work_items/`, or name yours in {CONFIG}: {}",
                example("docs/tasks")
            ),
        };
        let github = self.found.github.as_ref().map_or("", |_| ", and `contextpack sync` brings issues from GitHub");
        Some(format!("found no work items in files: {how}{github}"))
    }

    /// Returns how many packs there are, for which items, and in which profiles.
    fn packs(&self) -> Option<String> {
        let items = self.items;
        let (all, profiles) = (items.len(), self.found.profiles());
        let open = items.iter().filter(|item| item.is_open()).count();
        let of = match self.found.open_only() {
            true => format!("{open} not done of {} (`roots` in {CONFIG})", counted(all, "item")),
            false => counted(all, "item"),
        };
        let packs = counted(if self.found.open_only() { open } else { all } * profiles.len(), "pack");
        (all > 0).then(|| format!("that gives {packs}: {of}, for {}", profiles.join(" and ")))
    }

    /// Returns the command to run next: the first pack, if there is an item.
    fn next_command(&self) -> String {
        let items = self.items;
        let rank = |item: &&SurveyedItem| (item.source, item.state == ItemState::Unknown);
        let first = items.iter().filter(|item| item.is_open()).min_by_key(rank).or(items.first());
        match first {
            _ if self.commits => "contextpack build".to_owned(),
            Some(item) => format!("contextpack render {}", in_shell(&item.id)),
            None if self.is_new && self.found.wants_samples() => "contextpack render feat:example".to_owned(),
            None if self.found.github.is_some() => "contextpack sync".to_owned(),
            None => "contextpack list".to_owned(),
        }
    }
}

/// Quotes an id for a shell where it needs that.
fn in_shell(id: &str) -> String {
    let is_plain = id.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._/:@-".contains(&byte));
    if is_plain { id.to_owned() } else { format!("'{}'", id.replace('\'', "'\\''")) }
}
