//! `contextpack since`: what changed since packs were read, which are named by their hashes, as files, or in trailers of commits.

mod compare;
mod find;
mod output;
mod unfound;

use super::args::{Global, SinceArgs};
use super::input;
use super::workspace::{open, settled};
use crate::console::Exit;
use crate::console::Failure;
use crate::console::github::append;
use crate::console::report;
use crate::console::{self, printable};
use crate::engine::{Project, Repository, UNVERIFIABLE};
use crate::git::{CommitTrailers, HistoryError, changed_files, trailers};
use crate::model::{Code, Diagnostic, Place, RepoPath};
use crate::review::{Diff, Pair, SalvagedPack, compare};
use crate::wire::Pack;
use compare::{Compared, Comparer};
use find::{Found, FoundPack, HashPrefix, find};
pub(crate) use output::SinceOutput;
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write as _;
use std::path::Path;
use unfound::Search;

/// The trailer of a commit that names the pack that its author had read.
pub(crate) const TRAILER: &str = "Context-Pack";

/// A pack that somebody read.
struct ReadPack {
    /// How it was named.
    asked: String,
    /// Its name for people, which no other pack of the run has.
    label: String,
    /// The commits that name it, each as its id and the first line of its message.
    commits: Vec<(String, String)>,
    /// The hash, unless a file was named.
    hash: Option<HashPrefix>,
    found: Option<FoundPack>,
    compared: Compared,
    /// Which of the files that moved were changed by commits that name the pack, in a sentence.
    own_edits: Option<String>,
}

/// A pack as the command line names it.
struct NamedPack {
    asked: String,
    hash: Option<HashPrefix>,
    found: Option<FoundPack>,
}

/// Everything that `since` found out.
struct Answer {
    packs: Vec<ReadPack>,
    diff: Diff,
}

impl Answer {
    /// Returns what is wrong with the inputs of the packs that were compared.
    fn input_diagnostics(&self) -> Vec<Diagnostic> {
        let all: BTreeSet<&Diagnostic> = self.packs.iter().flat_map(|read| &read.compared.diagnostics).collect();
        all.into_iter().cloned().collect()
    }
}

/// Says what changed since packs were read.
pub(crate) fn run(global: &Global, args: &SinceArgs) -> Result<Exit, Failure> {
    // Standard input can be read once.
    let mut seen = BTreeSet::new();
    let typed = args.packs.iter().filter(|typed| seen.insert(typed.as_str()));
    let named: Vec<NamedPack> = typed.map(|typed| named(typed)).collect::<Result<_, _>>()?;
    settled(|| try_run(global, args, &named))
}

fn try_run(global: &Global, args: &SinceArgs, named: &[NamedPack]) -> Result<Exit, Failure> {
    let repository = open(global, &[], None)?;
    let project = repository.project();
    let mut read: Vec<ReadPack> = named.iter().map(ReadPack::new).collect();
    if let Some(range) = &args.commits {
        read.extend(of_commits(&repository, range)?);
    }
    let answer = answer(global, &repository, &project, read)?;
    repository.confirm_settled()?;
    // A pack that was named and that nothing holds is wrong usage; one that a commit names may be elsewhere.
    if let Some(lost) = answer.packs.iter().find(|read| read.compared.status == "missing" && read.commits.is_empty()) {
        return Err(Failure::usage(format!(
            "the pack `{}` is not known: {}",
            lost.asked,
            lost.compared.reasons.join("; ")
        )));
    }
    if let Some(file) = &args.summary.file {
        append(file, &output::markdown(&answer))?;
    }
    let faults = answer.input_diagnostics();
    report::print_diagnostics(&report::visible(&faults, true))?;
    output::print(global, &answer)?;
    Ok(exit(global, &answer).and(Exit::of(&faults)))
}

/// Returns a diagnostic for each pack that commits of `range` name and that is not what a build gives now.
pub(crate) fn diagnostics(
    global: &Global,
    repository: &Repository,
    project: &Project<'_>,
    range: &str,
) -> Result<Vec<Diagnostic>, Failure> {
    let read = of_commits(repository, range)?;
    let answer = answer(global, repository, project, read)?;
    Ok(answer.packs.iter().filter_map(diagnostic).collect())
}

/// Returns the exit code: 4 if anything moved, as of `check`.
fn exit(global: &Global, answer: &Answer) -> Exit {
    answer.packs.iter().fold(Exit::Done, |exit, read| {
        let own = match read.compared.status {
            _ if read.compared.is_damaged => Exit::Invalid,
            "fresh" => Exit::Done,
            "failed" => Exit::Input,
            UNVERIFIABLE | "missing" if !global.strict => Exit::Done,
            _ => Exit::Stale,
        };
        exit.and(own)
    })
}

/// Reads a pack as the command line names it.
fn named(typed: &str) -> Result<NamedPack, Failure> {
    let path = Path::new(typed);
    let file = |bytes, path: &str| FoundPack { bytes, path: path.to_owned(), commit: None };
    let found = match typed {
        "-" => Some(file(input::stdin()?, "standard input")),
        _ if path.is_file() || typed.ends_with(".json") => Some(file(input::named_file(path)?, typed)),
        _ => None,
    };
    let hash = HashPrefix::read(typed).filter(|_| found.is_none());
    if found.is_none() && hash.is_none() {
        let what = if path.is_dir() { "a folder" } else { "no pack and no hash of one" };
        let message = format!(
            "`{typed}` is {what}: name a file, `sha256:…`, or at least eight of its hex digits; `contextpack check ROOT` asks about the \
             packs of a work item, `--commits REV..REV` about those that commits name"
        );
        return Err(Failure::usage(message));
    }
    Ok(NamedPack { asked: typed.to_owned(), hash, found })
}

/// Returns the packs that the commits of a range name, each once, in the order of the commits.
fn of_commits(repository: &Repository, range: &str) -> Result<Vec<ReadPack>, Failure> {
    let commits = trailers(repository.root(), range, TRAILER).map_err(|error| match error {
        HistoryError::NoRepository => Failure::usage("this is not in a git repository, so no commits name packs"),
        HistoryError::NoCommit => Failure::usage("there is no commit yet, so none names a pack"),
        HistoryError::Unknown(_) => Failure::usage(error.to_string()),
        error => Failure::Outside(Box::new(error)),
    })?;
    let mut read: Vec<ReadPack> = Vec::new();
    for CommitTrailers { id, subject, values, left_out } in commits {
        if left_out > 0 {
            let short = id.get(..12).unwrap_or(&id);
            let line = format!("warning: the commit {short} names {left_out} more packs than are read of one commit");
            writeln!(console::stderr(), "{}", printable(&line))?;
        }
        for value in values {
            // What follows the hash is a remark.
            let asked = value.split_whitespace().next().unwrap_or_default().to_owned();
            let commit = (id.clone(), subject.clone());
            match read.iter_mut().find(|read| read.asked == asked) {
                Some(read) if read.commits.last() == Some(&commit) => {}
                Some(read) => read.commits.push(commit),
                None => {
                    let hash = HashPrefix::read(&asked);
                    let compared = missing(Vec::new());
                    read.push(ReadPack {
                        asked,
                        label: String::new(),
                        commits: vec![commit],
                        hash,
                        found: None,
                        compared,
                        own_edits: None,
                    });
                }
            }
        }
    }
    Ok(read)
}

fn missing(reasons: Vec<String>) -> Compared {
    let old = SalvagedPack::default();
    Compared {
        status: "missing",
        reasons,
        old,
        new: None,
        moves: Vec::new(),
        recut: BTreeSet::new(),
        told: BTreeSet::new(),
        is_damaged: false,
        diagnostics: Vec::new(),
    }
}

/// Finds the packs and compares each with a build.
fn answer(
    global: &Global,
    repository: &Repository,
    project: &Project<'_>,
    mut read: Vec<ReadPack>,
) -> Result<Answer, Failure> {
    let comparer = Comparer::new(repository, project);
    let asked: Vec<HashPrefix> = read.iter().filter_map(|read| read.hash.clone()).collect();
    let mut found: BTreeMap<HashPrefix, Found> =
        if asked.is_empty() { BTreeMap::new() } else { find(repository, asked)? };
    for read in &mut read {
        if let Some(of_hash) = read.hash.as_ref().and_then(|hash| found.get_mut(hash)) {
            if let [_, _, ..] = of_hash.hashes[..] {
                let message = format!("`{}` fits several packs: {}", read.asked, of_hash.hashes.join(", "));
                return Err(Failure::usage(message));
            }
            read.found.clone_from(&of_hash.pack);
        }
        read.compared = match &read.found {
            Some(found) => comparer.compare(found)?,
            None => continue,
        };
    }
    if read.iter().any(|read| read.found.is_none()) {
        let asked = read.iter().filter(|read| read.found.is_none()).filter_map(|read| read.hash.clone()).collect();
        let search = Search::run(global, repository, project, asked)?;
        for read in read.iter_mut().filter(|read| read.found.is_none()) {
            read.compared = search.judge(read);
        }
    }
    for read in &mut read {
        read.note_own_edits(repository)?;
    }
    // What was typed or committed is redacted by nobody else.
    for read in &mut read {
        read.asked = comparer.clean(&read.asked);
        read.commits.iter_mut().for_each(|(_, subject)| *subject = comparer.clean(subject));
    }
    label(&mut read);
    let pairs: Vec<Pair<'_>> = read
        .iter()
        .filter(|read| {
            read.compared.status != "fresh" && (read.compared.new.is_some() || read.compared.status == "orphaned")
        })
        .map(|read| Pair {
            name: &read.label,
            old: Some(&read.compared.old),
            new: read.compared.new.as_ref(),
            rebuilt: None,
        })
        .collect();
    let diff = compare(&pairs, false);
    Ok(Answer { packs: read, diff })
}

/// Labels each pack with its name, and those of one name with their hashes too.
fn label(read: &mut [ReadPack]) {
    let names: Vec<String> = read.iter().map(ReadPack::name).collect();
    for (read, name) in read.iter_mut().zip(&names) {
        let is_shared = names.iter().filter(|other| *other == name).count() > 1;
        let hash = read.hash().unwrap_or_default();
        let short = hash.get(.."sha256:".len() + 12).unwrap_or(&hash);
        read.label = if is_shared { format!("{name} {short}").trim_end().to_owned() } else { name.clone() };
    }
}

impl ReadPack {
    fn new(named: &NamedPack) -> Self {
        let NamedPack { asked, hash, found } = named;
        let (asked, hash, found) = (asked.clone(), hash.clone(), found.clone());
        Self {
            asked,
            label: String::new(),
            commits: Vec::new(),
            hash,
            found,
            compared: missing(Vec::new()),
            own_edits: None,
        }
    }

    /// Notes which of the files that moved the commits changed that name the pack: whoever reads that something moved can tell
    /// their own edits, such as a criterion that was ticked, from those of others. They count all the same, since others may
    /// have changed the same files.
    fn note_own_edits(&mut self, repository: &Repository) -> Result<(), Failure> {
        let Compared { status: "stale", old, new: Some(new), .. } = &self.compared else { return Ok(()) };
        let (Some(old), Some(new)) = (&old.pack, &new.pack) else { return Ok(()) };
        let commits: Vec<&str> = self.commits.iter().map(|(id, _)| id.as_str()).collect();
        let changed = changed_files(repository.root(), &commits).map_err(|error| Failure::Outside(Box::new(error)))?;
        let digests = |pack: &Pack, path: &str| -> BTreeSet<Option<String>> {
            let inputs = pack.inputs.iter().filter(|input| input.path.as_deref() == Some(path));
            inputs.map(|input| input.digest.clone()).collect()
        };
        let own = changed.iter().filter(|path| digests(old, path) != digests(new, path));
        let own: Vec<String> = own.map(|path| format!("`{path}`")).collect();
        if !own.is_empty() {
            let note = format!("the commits that name it changed {} themselves", own.join(", "));
            self.compared.reasons.push(note.clone());
            self.own_edits = Some(note);
        }
        Ok(())
    }

    /// Returns the name of the pack for people: its root, with its profile and its agent.
    fn name(&self) -> String {
        let Some(pack) = &self.compared.old.pack else {
            return self.found.as_ref().map_or_else(|| self.asked.clone(), |found| found.path.clone());
        };
        let root = pack.root.work_item_id.as_ref().or(pack.root.issue_url.as_ref()).unwrap_or(&pack.root.title);
        let agent = pack.agent.as_ref().filter(|agent| agent.key != *root);
        let agent = agent.map(|agent| format!(", {}", agent.key)).unwrap_or_default();
        format!("{root} ({}{agent})", pack.profile)
    }

    /// Returns the hash of the pack as it was read; else what was asked for. A damaged file may state none.
    fn hash(&self) -> Option<String> {
        let stated = self.found.as_ref().and_then(|found| find::stated_hash(&found.bytes));
        let built = self.compared.old.pack.as_ref().map(|pack| pack.hash.clone()).filter(|hash| !hash.is_empty());
        let asked = self.hash.as_ref().map(HashPrefix::text);
        stated.map(|hex| format!("sha256:{hex}")).or(built).or(asked)
    }

    /// Returns the file of the root's text.
    fn file(&self) -> Option<RepoPath> {
        let packs = [self.compared.new.as_ref(), Some(&self.compared.old)].into_iter().flatten();
        let mut sections = packs.filter_map(|side| side.pack.as_ref()).flat_map(|pack| &pack.sections);
        let root = sections.find(|section| section.id == "root.issue")?;
        RepoPath::new(root.source.path.as_deref()?).ok()
    }
}

/// Returns the diagnostic about a pack that is not what a build gives now.
fn diagnostic(read: &ReadPack) -> Option<Diagnostic> {
    let Compared { status, reasons, moves, .. } = &read.compared;
    let commit = read.commits.first().map(|(id, _)| format!("commit {} was written from ", short(id)));
    let commit = commit.unwrap_or_default();
    let (code, message, help) = match *status {
        "fresh" => return None,
        "invalid" => (
            Code::UnknownContext,
            format!("`{}` is no pack: {}", read.label, reasons.join("; ")),
            "name a pack, or its hash",
        ),
        "missing" => (
            Code::UnknownContext,
            format!("{commit}a pack that is not known, `{}`: {}", read.asked, reasons.join("; ")),
            "correct the trailer, or leave it out",
        ),
        status => {
            let moved: Vec<String> = moves.iter().take(output::NAMED).map(output::sentence).collect();
            let more = match moves.len().checked_sub(output::NAMED) {
                Some(more @ 1..) => format!("; {more} more"),
                _ => String::new(),
            };
            let own = read.own_edits.as_ref().map(|own| format!(" ({own})")).unwrap_or_default();
            let what = if moved.is_empty() { reasons.join("; ") } else { format!("{}{more}{own}", moved.join("; ")) };
            let verb = if commit.is_empty() { " is" } else { ", which is" };
            (
                Code::MovedContext,
                format!("{commit}the pack of {}{verb} {status} now: {what}", read.label),
                "`contextpack since` shows what changed; look whether the work still fits",
            )
        }
    };
    Some(Diagnostic::new(code, read.file().map(Place::file), message).help(help))
}

/// Returns the beginning of the id of a commit.
fn short(id: &str) -> &str {
    id.get(..10).unwrap_or(id)
}
