//! `contextpack diff --since`: what changed since packs were read, which are named by their hashes, as files, or in trailers of commits.

mod find;

use super::args::{DiffArgs, Global};
use super::input;
use super::packs::OpenedRepository;
use super::rebuild::ComparedPack;
use crate::cli::diff::{self, DiffOptions};
use crate::console::github::append;
use crate::console::{self, Document, Exit, Failure, Format, Line, line, printable, report, settled};
use crate::engine::Repository;
use crate::git::{CommitTrailers, changed_files, is_head, trailers};
use crate::intake::Repo;
use crate::model::{Code, Diagnostic, Place, RepoPath};
use crate::review::{Diff, PackStatus, Pair, ReviewItem, SalvagedPack};
use crate::wire::Pack;
use find::{FoundPack, HashPrefix, find, missing, stated_hash};
use serde::Serialize;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::io::Write as _;
use std::path::Path;

pub(crate) const TRAILER: &str = "Context-Pack";

#[derive(Debug, Clone, Default)]
struct ReadPack {
    asked: String,
    label: String,
    commits: Vec<NamingCommit>,
    /// The hash, unless a file was named.
    hash: Option<HashPrefix>,
    found: Option<FoundPack>,
    compared: ComparedPack,
}

struct SinceReport {
    packs: Vec<ReadPack>,
    diff: Diff,
}

pub(crate) fn run(global: &Global, args: &DiffArgs) -> Result<Exit, Failure> {
    // Standard input can be read once.
    let mut seen = BTreeSet::new();
    let typed = args.since.iter().filter(|typed| seen.insert(typed.as_str()));
    let named: Vec<ReadPack> = typed.map(|typed| named(typed)).collect::<Result<_, _>>()?;
    settled(|| try_run(global, args, &named))
}

fn try_run(global: &Global, args: &DiffArgs, named: &[ReadPack]) -> Result<Exit, Failure> {
    let repository = global.open(None)?;
    let mut read = named.to_vec();
    if let Some(range) = &args.commits {
        read.extend(of_commits(&repository, range)?);
    }
    let answer = answer(&OpenedRepository::new(global, &repository), read)?;
    repository.confirm_settled()?;
    // A pack that was named and that nothing holds is wrong usage; one that a commit names may be elsewhere.
    if let Some(lost) =
        answer.packs.iter().find(|read| read.compared.status == PackStatus::Missing && read.commits.is_empty())
    {
        let why = lost.compared.reasons.join("; ");
        return Err(Failure::usage(format!("the pack `{}` is not known: {why}", lost.asked)));
    }
    if let Some(file) = &args.summary {
        append(file, &document(&answer, DiffOptions { all: false, markdown: true }).markdown())?;
    }
    let faults: BTreeSet<&Diagnostic> = answer.packs.iter().flat_map(|read| &read.compared.diagnostics).collect();
    let faults: Vec<Diagnostic> = faults.into_iter().cloned().collect();
    report::print_diagnostics(&report::visible(&faults, true))?;
    print(global, &answer)?;
    Ok(exit(global, &answer).and(Exit::of(&faults)))
}

/// Returns the pack that the value of a trailer names, as it was read, without what the rules of today remove; `None` if not exactly
/// one fits.
pub(crate) fn pack_of_trailer(opened: &OpenedRepository<'_>, value: &str) -> Result<Option<Pack>, Failure> {
    let hash = HashPrefix::read(value.split_whitespace().next().unwrap_or_default());
    let found = find(opened.repository, &hash.iter().collect::<Vec<_>>())?;
    let only = if found.len() == 1 { found.into_values().next() } else { None };
    let pack = only.and_then(|found| crate::review::read(&found.bytes).ok());
    Ok(pack.map(|pack| opened.project.scrubbed(&pack)))
}

/// Returns a diagnostic for each pack that commits of `range` name and that is not what a build gives now.
pub(crate) fn diagnostics(opened: &OpenedRepository<'_>, range: &str) -> Result<Vec<Diagnostic>, Failure> {
    let answer = answer(opened, of_commits(opened.repository, range)?)?;
    Ok(answer.packs.iter().filter_map(|read| diagnostic(read, &answer.diff)).collect())
}

fn exit(global: &Global, answer: &SinceReport) -> Exit {
    answer.packs.iter().fold(Exit::Done, |exit, read| {
        let own = match read.compared.status {
            PackStatus::Invalid => Exit::Invalid,
            PackStatus::Failed => Exit::Input,
            PackStatus::Unverifiable | PackStatus::Missing if !global.strict => Exit::Done,
            PackStatus::Buildable | PackStatus::Fresh | PackStatus::Unchanged => Exit::Done,
            PackStatus::Edited | PackStatus::Missing | PackStatus::OnDemand | PackStatus::Orphaned => Exit::Stale,
            PackStatus::Removed | PackStatus::Stale | PackStatus::Unverifiable | PackStatus::Written => Exit::Stale,
        };
        exit.and(own)
    })
}

fn named(typed: &str) -> Result<ReadPack, Failure> {
    let (path, asked) = (Path::new(typed), typed.to_owned());
    if typed == "-" || path.is_file() || typed.ends_with(".json") {
        let shown = if typed == "-" { "standard input" } else { typed };
        let found = FoundPack::new(input::file_or_stdin(path)?, shown);
        return Ok(ReadPack { asked, found: Some(found), ..ReadPack::default() });
    }
    if let Some(hash) = HashPrefix::read(typed) {
        return Ok(ReadPack { asked, hash: Some(hash), ..ReadPack::default() });
    }
    let is_revision = || Repo::find_root(Path::new(".")).is_ok_and(|root| is_head(&root, typed).is_ok());
    let what = match path.is_dir() {
        true => "a folder",
        false if is_revision() => "a revision, whose packs `contextpack diff REV` compares",
        false => "no pack and no hash of one",
    };
    Err(Failure::usage(format!(
        "`{typed}` is {what}: name a file, `sha256:…`, or at least eight of its hex digits; `contextpack check ITEM` asks about the \
         packs of a work item, `--commits REV..REV` about those that commits name"
    )))
}

/// Returns the packs that the commits of a range name, each once, in the order of the commits.
fn of_commits(repository: &Repository, range: &str) -> Result<Vec<ReadPack>, Failure> {
    let mut read: Vec<ReadPack> = Vec::new();
    for CommitTrailers { id, subject, values, left_out } in trailers(repository.root(), range, TRAILER)? {
        if left_out > 0 {
            let short = id.get(..12).unwrap_or(&id);
            let line = format!("warning: the commit {short} names {left_out} more packs than are read of one commit");
            writeln!(console::stderr(), "{}", printable(&line))?;
        }
        for value in values {
            // What follows the hash is a remark.
            let asked = value.split_whitespace().next().unwrap_or_default().to_owned();
            let commit = NamingCommit { id: id.clone(), subject: subject.clone() };
            match read.iter_mut().find(|read| read.asked == asked) {
                Some(read) if read.commits.last() == Some(&commit) => {}
                Some(read) => read.commits.push(commit),
                None => {
                    let hash = HashPrefix::read(&asked);
                    read.push(ReadPack { asked, hash, commits: vec![commit], ..ReadPack::default() });
                }
            }
        }
    }
    Ok(read)
}

fn answer(now: &OpenedRepository<'_>, mut read: Vec<ReadPack>) -> Result<SinceReport, Failure> {
    let OpenedRepository { repository, project, .. } = now;
    let known = find(repository, &read.iter().filter_map(|read| read.hash.as_ref()).collect::<Vec<_>>())?;
    for read in &mut read {
        if let Some(hash) = &read.hash {
            let fitting: Vec<_> = known.iter().filter(|(hex, _)| hash.is_of(hex)).collect();
            if fitting.len() > 1 {
                let hashes = fitting.iter().map(|(hex, _)| hex.as_str()).collect::<Vec<_>>().join(", ");
                return Err(Failure::usage(format!("`{}` fits several packs: {hashes}", read.asked)));
            }
            read.found = fitting.first().map(|(_, pack)| (*pack).clone());
        }
        match &read.found {
            Some(found) => read.compared = now.compare(&found.bytes)?,
            None => read.compared.reasons = missing(repository, read.hash.as_ref())?,
        }
        read.note_own_edits(repository)?;
        // What was typed or committed is redacted by nobody else.
        read.compared.reasons.iter_mut().for_each(|reason| *reason = project.redacted_line(reason));
        read.asked = project.redacted_line(&read.asked);
        read.commits.iter_mut().for_each(|commit| commit.subject = project.redacted_line(&commit.subject));
    }
    label(&mut read);
    let pairs = read.iter().filter_map(|ReadPack { label, compared, .. }| {
        let ComparedPack { status, old, new, .. } = compared;
        let is_compared = new.is_some() && *status != PackStatus::Fresh || *status == PackStatus::Orphaned;
        let new = new.clone().map(|pack| SalvagedPack { pack: Some(pack), ..SalvagedPack::default() });
        is_compared.then(|| Pair { name: label.clone(), old: Some(old.clone()), new, rebuilt: None })
    });
    let diff = crate::review::compare(&pairs.collect::<Vec<_>>(), false);
    Ok(SinceReport { packs: read, diff })
}

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
    /// Notes which of the files that moved the commits changed that name the pack: whoever reads that something moved can tell
    /// their own edits, such as a criterion that was ticked, from those of others. They count all the same, since others may
    /// have changed the same files.
    fn note_own_edits(&mut self, repository: &Repository) -> Result<(), Failure> {
        let ComparedPack {
            status: PackStatus::Stale, old: SalvagedPack { pack: Some(old), .. }, new: Some(new), ..
        } = &self.compared
        else {
            return Ok(());
        };
        let commits: Vec<&str> = self.commits.iter().map(|commit| commit.id.as_str()).collect();
        let inputs = |pack: &Pack| -> BTreeSet<(Option<String>, Option<String>)> {
            pack.inputs.iter().map(|input| (input.path.clone(), input.digest.clone())).collect()
        };
        let moved: BTreeSet<_> =
            inputs(old).symmetric_difference(&inputs(new)).filter_map(|(path, _)| path.clone()).collect();
        let changed = changed_files(repository.root(), &commits)?;
        let own: Vec<String> = changed.intersection(&moved).map(|path| format!("`{path}`")).collect();
        if !own.is_empty() {
            let note = format!("the commits that name it changed {} themselves", own.join(", "));
            self.compared.reasons.push(note);
        }
        Ok(())
    }

    fn name(&self) -> String {
        let Some(pack) = &self.compared.old.pack else {
            return self.found.as_ref().map_or_else(|| self.asked.clone(), |found| found.path.clone());
        };
        let root = pack.root.name().unwrap_or(&pack.root.title);
        let agent = pack.agent.as_ref().filter(|agent| agent.key != *root);
        let agent = agent.map(|agent| format!(", {}", agent.key)).unwrap_or_default();
        format!("{root} ({}{agent})", pack.profile)
    }

    /// Returns the hash of the pack as it was read; else what was asked for. A damaged file may state none.
    fn hash(&self) -> Option<String> {
        let stated = self.found.as_ref().and_then(|found| stated_hash(&found.bytes));
        stated.map(|hex| format!("sha256:{hex}")).or_else(|| self.hash.as_ref().map(HashPrefix::text))
    }

    fn file(&self) -> Option<RepoPath> {
        let packs = [&self.compared.new, &self.compared.old.pack].into_iter().flatten();
        let mut sections = packs.flat_map(|pack| &pack.sections);
        let root = sections.find(|section| section.id == "root.issue")?;
        RepoPath::new(root.source.path.as_deref()?).ok()
    }
}

fn diagnostic(read: &ReadPack, diff: &Diff) -> Option<Diagnostic> {
    let ComparedPack { status, reasons, .. } = &read.compared;
    let commit = read.commits.first().map(|commit| format!("commit {} was written from ", short(&commit.id)));
    let (commit, verb) = commit.map_or((String::new(), " is"), |commit| (commit, ", which is"));
    let reasons = reasons.join("; ");
    let (code, message, help) = match status {
        PackStatus::Fresh => return None,
        PackStatus::Invalid => {
            (Code::UnknownContext, format!("`{}` is no pack: {reasons}", read.label), "name a pack, or its hash")
        }
        PackStatus::Missing => {
            let message = format!("{commit}a pack that is not known, `{}`: {reasons}", read.asked);
            (Code::UnknownContext, message, "correct the trailer, or leave it out")
        }
        status => {
            let is_own = |item: &&ReviewItem| item.packs.contains(&read.label);
            let review = diff.needs_review.iter().filter(is_own).map(|item| format!("; {}", item.message));
            let what: String = std::iter::once(reasons).chain(review.take(NAMED)).collect();
            let message = format!("{commit}the pack of {}{verb} {status} now: {what}", read.label);
            (
                Code::MovedContext,
                message,
                "`contextpack diff --since` shows what changed; look whether the work still fits",
            )
        }
    };
    Some(Diagnostic::new(code, read.file().map(Place::file), message).help(help))
}

fn short(id: &str) -> &str {
    id.get(..10).unwrap_or(id)
}

/// The most reasons for review that an annotation names.
const NAMED: usize = 3;

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
struct NamingCommit {
    id: String,
    subject: String,
}

fn print(global: &Global, answer: &SinceReport) -> Result<(), Failure> {
    let packs: Vec<Value> = answer.packs.iter().map(pack_output).collect();
    let value = json!({"packs": packs, "diff": answer.diff});
    let diagnostics: Vec<_> = match global.format {
        Format::Github => answer.packs.iter().filter_map(|read| diagnostic(read, &answer.diff)).collect(),
        _ => Vec::new(),
    };
    let options = DiffOptions { all: global.verbose, markdown: global.format == Format::Markdown };
    document(answer, options).print(global.format, global.verbose, &diagnostics, &value)?;
    if matches!(global.format, Format::Text | Format::Github) {
        global.note(&match answer.packs.len() {
            0 => "no commit names a pack; `contextpack render --trailer` prints the line for its message".to_owned(),
            _ => verdict(answer),
        })?;
    }
    Ok(())
}

fn verdict(answer: &SinceReport) -> String {
    let fresh = answer.packs.iter().filter(|read| read.compared.status == PackStatus::Fresh).count();
    format!("{fresh} of {} packs are what a build gives now", answer.packs.len())
}

fn pack_output(read: &ReadPack) -> Value {
    let (compared, found) = (&read.compared, read.found.as_ref());
    let old = compared.old.pack.as_ref();
    json!({
        "hash": read.hash(),
        "root": old.and_then(|pack| pack.root.name()),
        "title": old.map(|pack| &pack.root.title),
        "profile": old.map(|pack| &pack.profile),
        "agent": old.and_then(|pack| pack.agent.as_ref()).map(|agent| &agent.key),
        "path": found.map(|found| &found.path),
        "commit": found.and_then(|found| found.commit.as_ref()),
        "generated_at": old.map(|pack| &pack.generated_at),
        "named_by": read.commits,
        "status": compared.status,
        "reasons": compared.reasons,
        "now": compared.new.as_ref().map(|pack| &pack.hash),
    })
}

/// Returns the document about the packs, followed by what changed in them.
fn document(answer: &SinceReport, options: DiffOptions) -> Document {
    let mut document = Document::default();
    let [first, ..] = &answer.packs[..] else { return document };
    document.title(match first.commits.is_empty() {
        true => "What changed since packs were read",
        false => "What the commits were written from",
    });
    if options.markdown {
        document.paragraph(verdict(answer) + ".");
    }
    document.nested_list(answer.packs.iter().map(|read| {
        let mut below = Document::default();
        below.list(facts(read, &answer.diff));
        (line(&format!("{{}}: {}", read.compared.status), &[&read.label]), below)
    }));
    diff::changes(&mut document, &answer.diff, options);
    document
}

fn facts(read: &ReadPack, diff: &Diff) -> Vec<Line> {
    let compared = &read.compared;
    // The causes are below, with the packs that they are of.
    let reasons = compared.reasons.iter().filter(|reason| diff.causes.iter().all(|cause| cause.words != **reason));
    let mut lines: Vec<Line> = reasons.map(|reason| line("{}", &[reason])).collect();
    let place = read.found.as_ref().map(|found| {
        let at = found.commit.as_ref().map(|commit| format!(" at {}", short(commit))).unwrap_or_default();
        let built = compared.old.pack.as_ref().map(|pack| format!(", built {}", pack.generated_at));
        format!("{}{at}{}", found.path, built.unwrap_or_default())
    });
    let read_as = match (read.hash(), place) {
        // The hash that it states is that of another text.
        (Some(hash), Some(at)) if compared.status == PackStatus::Edited => Some(format!("{at}, which states {hash}")),
        (Some(hash), Some(at)) => Some(format!("{hash} ({at})")),
        (hash, at) => hash.or(at),
    };
    let read_as = read_as.filter(|text| compared.status != PackStatus::Invalid && *text != read.label);
    lines.extend(read_as.map(|text| line("read: {}", &[&text])));
    let now = compared.new.as_ref().filter(|_| compared.status != PackStatus::Fresh);
    lines.extend(now.map(|pack| line("now:  {}", &[&pack.hash])));
    lines.extend(read.commits.iter().map(|commit| line("named by {} {}", &[short(&commit.id), &commit.subject])));
    lines
}
