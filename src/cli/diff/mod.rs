//! `contextpack diff`.

mod document;

pub(super) use document::{DiffOptions, changes, document};

use super::args::{BudgetArgs, DiffArgs, Global};
use super::input::{self, from_here};
use super::packs::OpenedRepository;
use super::verify::markdown_copy_fault;
use crate::console::{Annotations, Exit, Failure, Format, PathFailure, settled, without_secrets};
use crate::engine::{Built, lacks_its_issue, pack_file_name};
use crate::git::{GitObject, HistoryError, ObjectReader, is_head, merge_base};
use crate::model::slug;
use crate::review::{self, Diff, PackStatus, Pair, SalvagedPack, compare, salvage};
use crate::seal::Sealed;
use crate::store::{Folder, LARGEST_SET};
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{Error, ErrorKind};
use std::path::{Path, PathBuf};

pub(crate) fn run(global: &Global, args: &DiffArgs) -> Result<Exit, Failure> {
    let global = &Global { verbose: global.verbose || args.all, ..global.clone() };
    if !args.since.is_empty() || args.commits.is_some() {
        return super::since::run(global, args);
    }
    let sides = Sides::read(global, args).map_err(|failure| {
        // A root is no revision, and its pack is what was meant.
        let hint = || [&args.old, &args.new].into_iter().flatten().find_map(|typed| hint_for_root(global, typed));
        if matches!(failure, Failure::Usage(_) | Failure::NotFound(..)) { hint().unwrap_or(failure) } else { failure }
    })?;
    let (rebuilt, exit) = match args.rebuild {
        true => settled(|| rebuild(global, &sides.new)).map(|(packs, exit)| (Some(packs), exit))?,
        false => (None, Exit::Done),
    };
    let diff = compared(&sides, rebuilt.as_ref());
    print_diff(global, &diff)?;
    if !global.quiet {
        note_markdown_copies(global, &sides)?;
    }
    Ok(exit.and(if args.exit_code && !diff.is_empty() { Exit::Stale } else { Exit::Done }))
}

/// Notes each Markdown copy on disk that is not the rendering of its pack: it is no part of the comparison.
fn note_markdown_copies(global: &Global, sides: &Sides) -> Result<(), Failure> {
    let both = [&sides.old, &sides.new];
    let packs = both.into_iter().flat_map(|side| side.packs.iter().map(move |(file, bytes)| (side, file, bytes)));
    let mut noted = BTreeSet::new();
    for (side, file, bytes) in packs {
        let Some(path) = side.path(file) else { continue };
        let shown = side.shown(file);
        if let Some(fault) = markdown_copy_fault(&path, bytes, &shown)?
            && noted.insert(shown.clone())
        {
            let what = "only packs are compared, and `contextpack build` writes it again";
            global.note(&format!("note: {shown}: {fault}; {what}"))?;
        }
    }
    Ok(())
}

fn compared(Sides { old, new }: &Sides, rebuilt: Option<&BTreeMap<String, PackStatus>>) -> Diff {
    let mut files: BTreeSet<&String> = old.packs.keys().chain(new.packs.keys()).collect();
    files.extend(rebuilt.into_iter().flat_map(BTreeMap::keys));
    let pair = |file: &String| {
        let (before, after) = (old.packs.get(file), new.packs.get(file));
        // An equal pack has no changes, valid or not; only its instructions are needed.
        let read = |bytes: &Vec<u8>| match before == after {
            true => SalvagedPack { pack: review::read(bytes).ok(), ..SalvagedPack::default() },
            false => salvage(bytes),
        };
        let side = if after.is_some() || before.is_none() { new } else { old };
        let rebuilt = rebuilt.and_then(|rebuilt| rebuilt.get(file).copied());
        Pair { name: side.shown(file), old: before.map(read), new: after.map(read), rebuilt }
    };
    let pairs: Vec<Pair> = files.into_par_iter().map(pair).collect();
    // Files that are no pack on either side are ignored.
    let is_pack = |side: &SalvagedPack| side.pack.is_some() || side.is_unreadable;
    let is_compared = |pair: &Pair| {
        let mut sides = [&pair.old, &pair.new].into_iter().flatten().peekable();
        new.single || sides.peek().is_none() || sides.any(is_pack)
    };
    compare(&pairs.into_iter().filter(is_compared).collect::<Vec<_>>(), rebuilt.is_some())
}

fn print_diff(global: &Global, diff: &Diff) -> Result<(), Failure> {
    let options = DiffOptions { all: global.verbose, markdown: global.format == Format::Markdown };
    let document = document(diff, options);
    if global.format != Format::Github {
        return Ok(document.print(global.format, global.verbose, &[], diff)?);
    }
    let mut annotations = Annotations::new();
    for group in document::grouped(&diff.needs_review) {
        let count = group.sections.len();
        let sections = if count > 1 { format!(", in {count} sections") } else { String::new() };
        for pack in group.packs {
            annotations.add_review(pack, group.reason, &format!("{}{sections}", group.message));
        }
    }
    Ok(document.print_log(annotations, global.verbose)?)
}

/// Compares the packs of a side with a build of the checkout, by file, and returns the exit code of that build.
///
/// Packs that the side lacks are included, unless the side is a single pack.
fn rebuild(global: &Global, side: &Side) -> Result<(BTreeMap<String, PackStatus>, Exit), Failure> {
    let repository = global.open(None)?;
    let opened = OpenedRepository::new(global, &repository);
    let sealed = |built: Built| Some((built.plan.name, built.outcome.ok()?));
    let budget = BudgetArgs::default();
    let (built, run) = opened.run(opened.project.roots(), (&[], &budget), &sealed)?;
    run.print(global, true)?;
    let built: BTreeMap<String, Sealed> = built.into_iter().flatten().collect();
    let mut statuses = BTreeMap::new();
    if !side.single {
        statuses.extend(built.keys().map(|name| (name.clone(), PackStatus::Missing)));
    }
    for (file, bytes) in &side.packs {
        let lost = || review::read(bytes).is_ok_and(|pack| lacks_its_issue(&opened.project, &pack));
        let status = match built.get(side.file_name(file)) {
            Some(sealed) => opened.project.compare(bytes, sealed).0,
            None if lost() => PackStatus::Unverifiable,
            None => PackStatus::Orphaned,
        };
        statuses.insert(file.clone(), status);
    }
    Ok((statuses, run.exit()))
}

struct Sides {
    old: Side,
    new: Side,
}

/// Packs by file name. A single pack has an empty name, so that packs of different names can be compared.
#[derive(Default)]
struct Side {
    packs: BTreeMap<String, Vec<u8>>,
    single: bool,
    place: String,
    revision: Option<String>,
    on_disk: Option<PathBuf>,
}

impl Side {
    fn new(place: &str, read: GitObject) -> Self {
        let (packs, single) = match read {
            GitObject::File(bytes) => (BTreeMap::from([(String::new(), bytes)]), true),
            GitObject::Folder(packs) => (packs.into_iter().collect(), false),
        };
        Self { packs, single, place: place.to_owned(), ..Self::default() }
    }

    /// Reads a pack, a folder, standard input, `REV:path`, or a revision.
    fn named(global: &Global, named: &str) -> Result<Self, Failure> {
        let path = Path::new(named);
        if named == "-" {
            return Ok(Self::new("-", GitObject::File(input::stdin()?)));
        }
        if path.exists() {
            let read = match path.is_dir() {
                true => listed(&Folder::open_anywhere(path)?)?,
                false => GitObject::File(input::named_file(path)?),
            };
            return Ok(Self { on_disk: Some(path.to_owned()), ..Self::new(named, read) });
        }
        if let Some((revision, path)) = named.split_once(':') {
            let read = object(global, revision, path)?;
            let read = read.ok_or_else(|| Failure::usage(format!("`{revision}` has no `{path}`")))?;
            let place = if matches!(read, GitObject::File(_)) { named } else { path };
            return Ok(Self { revision: Some(revision.to_owned()), ..Self::new(place, read) });
        }
        match named.ends_with(".json") {
            true => Err(PathFailure::failure("read", named, Error::from(ErrorKind::NotFound))),
            false => Self::of_revision(global, named),
        }
    }

    /// Reads the packs of a revision; none if its folder of packs is missing.
    fn of_revision(global: &Global, revision: &str) -> Result<Self, Failure> {
        let (_, configuration) = global.workspace().configuration()?;
        let dir = &configuration.settings.output.dir;
        // Relative to the repo's root, which may be below the root of git.
        let read = object(global, revision, &format!("./{dir}"))?;
        let read = read.filter(|read| matches!(read, GitObject::Folder(_)));
        if read.is_none() {
            let is_committed = configuration.settings.commits_packs();
            if !is_committed {
                let why = "packs are not in git here, so that no revision has any";
                let since =
                    format!("`contextpack diff --since {dir}/NAME.json` says what changed since a pack was built");
                return Err(Failure::usage(format!("{why}: {since}")));
            }
            global.note(&format!("note: `{revision}` has no folder `{dir}`"))?;
        }
        let read = read.unwrap_or(GitObject::Folder(Vec::new()));
        Ok(Self { revision: Some(revision.to_owned()), ..Self::new(dir.as_str(), read) })
    }

    fn of_checkout(global: &Global) -> Result<Self, Failure> {
        let (root, configuration) = global.workspace().configuration()?;
        let dir = &configuration.settings.output.dir;
        let read = listed(&Folder::open(&root, dir)?)?;
        Ok(Self { on_disk: Some(root.join(dir.as_str())), ..Self::new(dir.as_str(), read) })
    }

    fn shown(&self, file: &str) -> String {
        if self.single { self.place.clone() } else { format!("{}/{file}", self.place.trim_end_matches('/')) }
    }

    fn file_name<'a>(&'a self, file: &'a str) -> &'a str {
        let file = if self.single { &self.place } else { file };
        file.rsplit(['/', ':']).next().unwrap_or(file)
    }

    fn path(&self, file: &str) -> Option<PathBuf> {
        self.on_disk.as_ref().map(|place| if self.single { place.clone() } else { place.join(file) })
    }
}

impl Sides {
    fn read(global: &Global, args: &DiffArgs) -> Result<Self, Failure> {
        let revision = |name: &str| Side::of_revision(global, if name.is_empty() { "HEAD" } else { name });
        let (old, new) = match (args.old.as_deref(), args.new.as_deref()) {
            (Some(old), Some(new)) => (Side::named(global, old)?, Side::named(global, new)?),
            (Some(one), None) if Path::new(one).exists() => {
                let message = format!("`{one}` needs something to compare with: give another pack, folder or revision");
                return Err(Failure::usage(message));
            }
            (one, _) => {
                let one = one.unwrap_or("HEAD");
                if let Some((old, new)) = one.split_once("...") {
                    let [old, new] = [old, new].map(|name| if name.is_empty() { "HEAD" } else { name });
                    let base = merge_base(&global.workspace().configuration()?.0, old, new)?;
                    (revision(&base)?, revision(new)?)
                } else if let Some((old, new)) = one.split_once("..") {
                    (revision(old)?, revision(new)?)
                } else {
                    (revision(one)?, Side::of_checkout(global)?)
                }
            }
        };
        if args.rebuild
            && let Some(revision) = &new.revision
            && !is_head(&global.workspace().configuration()?.0, revision)?
        {
            return Err(Failure::usage(format!(
                "`--rebuild` builds from the files that are checked out, and `{revision}` is another commit: check it out first, or leave `--rebuild` out"
            )));
        }
        if old.single != new.single {
            return Err(Failure::usage("a pack is compared with a pack, and a folder with a folder"));
        }
        Ok(Self { old, new })
    }
}

fn object(global: &Global, revision: &str, path: &str) -> Result<Option<GitObject>, Failure> {
    let is_pack_name = |name: &str| name.ends_with(".json") && !name.starts_with('.');
    let mut history = ObjectReader::open(&global.workspace().configuration()?.0)?;
    Ok(history.read(revision, path.trim_end_matches('/'), &is_pack_name)?)
}

fn hint_for_root(global: &Global, typed: &str) -> Option<Failure> {
    let repository = global.open(None).ok().filter(|_| !Path::new(typed).exists())?;
    let project = repository.project();
    let item = repository.find(&project, typed).ok()?;
    let profile = repository.configuration().profiles(&[]).ok()?.into_iter().next()?;
    let name = pack_file_name(&slug(&project.pack_name(item)), &profile, None);
    let pack = format!("{}/{name}", repository.settings().output.dir);
    let (typed, here) = (without_secrets(typed), from_here(&pack));
    let compares = match repository.settings().commits_packs() {
        true => format!("`contextpack diff HEAD:./{pack} {here}` compares its pack with that of the last commit"),
        false => format!("`contextpack diff --since {here}` says what changed since its pack was built"),
    };
    Some(Failure::Usage(format!("`{typed}` is a work item, not a revision: {compares}")))
}

fn listed(folder: &Folder) -> Result<GitObject, Failure> {
    let mut packs = Vec::new();
    let mut total = 0;
    for name in folder.list()? {
        let read = match folder.read(&name) {
            // It is shown as no pack.
            Err(error) if error.is_too_large() => Some(Vec::new()),
            read => read?,
        };
        total += read.as_ref().map_or(0, |bytes| bytes.len() as u64);
        if total > LARGEST_SET {
            let error = Error::new(ErrorKind::FileTooLarge, "its packs have more than 1 GiB");
            return Err(PathFailure::failure("read", folder.path().display().to_string(), error));
        }
        packs.extend(read.map(|bytes| (name, bytes)));
    }
    Ok(GitObject::Folder(packs))
}

impl From<HistoryError> for Failure {
    fn from(error: HistoryError) -> Self {
        match error {
            HistoryError::Unknown(_) | HistoryError::NoCommit | HistoryError::NoRepository => {
                Self::usage(error.to_string())
            }
            error => Self::Outside(Box::new(error)),
        }
    }
}
