//! Writes the files of `init`: new files, or a marked block in an existing file.
//!
//! Each file is written atomically, so that a run that ends in between leaves whole files, and the next one goes on.

use super::CONFIG;
use super::detect::DetectedRepo;
use super::options::{CommitWay, InitArgs, Program};
use super::starter::workflows::{self, is_plain, is_schedule_of_github};
use super::starter::{self, FILL_IN_BATCHES, RepoOrigin, WorkflowPaths};
use crate::config::Settings;
use crate::console::{Failure, PathFailure};
use crate::model::{Code, Diagnostic, Place, RepoPath, if_present};
use crate::store::{Folder, StoreError, WriteResult, init_state_dir};
#[cfg(feature = "mcp")]
use clap::ValueEnum as _;
use memchr::memmem;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// The default folder of delivered packs, which git ignores.
pub(crate) const DELIVERED: &str = ".contextpack/delivered";

const WORKFLOWS: &str = ".github/workflows";

const JOBS: &str = "contextpack-jobs.yml";
const MERGE: &str = "contextpack-merge.yml";
const PACKS: &str = "contextpack-packs.yml";
const SYNC: &str = "contextpack-sync.yml";

/// Why no workflow is written where nothing says what it could install.
const NO_ORIGIN: &str = "this program does not know the commit and the https origin that it was built from, so a workflow could not install it: run this again with `--from URL@COMMIT`, the source of contextpack and the whole hash of a commit";

/// The default folder of packs, which git ignores.
const ON_DEMAND: &str = ".contextpack/packs";

/// The workflow that runs batches, and the one that it calls for each task.
const BATCHES: [&str; 2] = ["contextpack-batch.yml", "contextpack-batch-task.yml"];

/// The entry of a program of agents that starts this one, as JSON, and as Codex has it.
#[cfg(feature = "mcp")]
const ENTRY: &str = r#""contextpack": { "type": "stdio", "command": "contextpack", "args": ["mcp"] }"#;
#[cfg(feature = "mcp")]
const TOML_ENTRY: &str = "[mcp_servers.contextpack]\ncommand = \"contextpack\"\nargs = [\"mcp\"]\n";

/// The entry of Claude Code that prints the pack of its item where a session begins or goes on.
const HOOK: &str = r#""SessionStart": [{ "hooks": [{ "type": "command", "command": "contextpack hook" }] }]"#;

/// The largest file that is read to complete it, in bytes.
const LARGEST: u64 = 16 << 20;

/// The files that `init` has written and left alone.
#[derive(Debug)]
pub(crate) struct Setup<'a> {
    pub(crate) root: &'a Path,
    pub(crate) written: Vec<String>,
    /// The paths that were left alone, with the reason.
    pub(crate) left: Vec<(String, &'static str)>,
    /// The written paths that need a manual edit, with the instruction.
    pub(crate) fill_in: Vec<(String, &'static str)>,
    /// The configurations of agents' programs that were left alone and lack the entry, with the entry.
    pub(crate) by_hand: Vec<(String, String)>,
}

enum ExistingFile {
    Nothing,
    /// A link, a folder or a file of unlikely size, which this program did not write.
    Other,
    File(Vec<u8>),
}

impl<'a> Setup<'a> {
    /// Creates a setup of the repo at `root` that has written nothing yet.
    pub(crate) fn new(root: &'a Path) -> Self {
        Self { root, written: Vec::new(), left: Vec::new(), fill_in: Vec::new(), by_hand: Vec::new() }
    }

    /// Returns the folder of packs for a new configuration.
    pub(crate) fn output(&self, committed: bool) -> Result<&'static str, Failure> {
        Ok(match committed {
            false => ON_DEMAND,
            // An existing folder of this name holds something else.
            true if exists(self.root, "packs")? => "context-packs",
            true => "packs",
        })
    }

    /// Lets the configuration that another `init` wrote keep its packs in git from now on.
    pub(crate) fn commit_packs(&mut self) -> Result<(), Failure> {
        let ExistingFile::File(before) = self.existing(CONFIG)? else { return Ok(()) };
        let committed = starter::committed(&String::from_utf8_lossy(&before), self.output(true)?);
        if let (Some(text), Some((folder, name))) = (committed, self.folder(CONFIG)?) {
            let wrote = folder.rewrite(name, text.as_bytes())?;
            self.note(CONFIG, wrote);
        }
        Ok(())
    }

    /// Writes all missing files for a configuration, whose name is `existing` unless it is the new one.
    pub(crate) fn all(
        &mut self,
        found: &DetectedRepo,
        existing: Option<&str>,
        settings: &Settings,
        args: &InitArgs,
    ) -> Result<(), Failure> {
        let (output, committed) = (settings.output.dir.as_str(), settings.commits_packs());
        // Only with checks there is a workflow that merges.
        let earlier = match exists(self.root, &format!("{WORKFLOWS}/{MERGE}"))? {
            true => CommitWay::Checked,
            false => CommitWay::Rebuild,
        };
        let commit = committed.then(|| args.commit.unwrap_or(earlier));
        let profile = settings.output.profiles.first().map_or(found.profiles()[0], String::as_str);
        let block = starter::agent_block(output, profile, commit, settings.output.markdown);
        if existing.is_some() && !args.programs.is_empty() && args.asks_for_no_more() {
            return self.programs(&args.programs, &block);
        }
        // An existing configuration names its items. Samples are written first, so that an aborted run can be repeated.
        if existing.is_none() && found.wants_samples() {
            self.create(starter::ADR, &starter::adr())?;
            self.create(starter::ITEM, &starter::item())?;
        }
        match existing {
            Some(name) if args.commit.is_some() && !committed => {
                self.leave(name, "it exists; set its `output.dir` to `packs` and run this again to keep packs in git");
            }
            Some(name) if self.written.iter().any(|path| path == name) => {}
            Some(name) => self.leave(name, "it exists"),
            None => self.create(CONFIG, &starter::config(found, output, committed))?,
        }
        let ignore = ".contextpack/.gitignore";
        if self.folder(ignore)?.is_some() {
            let wrote = init_state_dir(self.root, committed)?;
            self.note(ignore, wrote);
        }
        if committed || args.git || args.batches {
            let block = starter::attributes(committed.then_some(output), &settings.handover.folders());
            self.block(".gitattributes", starter::BLOCK_BEGIN, &block)?;
        }
        self.programs(&args.programs, &block)?;
        let Some(origin) = self.origin(args)? else { return Ok(()) };
        let places = WorkflowPaths { packs: output, snapshot: settings.github.snapshot.as_str(), commit };
        self.workflows(places, settings.github.repo.is_some(), args, origin)?;
        if args.jobs {
            self.jobs(settings, origin)?;
        }
        if args.batches { self.batches(settings.handover.dir.as_str(), origin) } else { Ok(()) }
    }

    /// Returns where workflows get the program; `None` if none can be written, with the reason in `left`.
    fn origin<'o>(&mut self, args: &'o InitArgs) -> Result<Option<RepoOrigin<'o>>, Failure> {
        let mut inner = false;
        if !exists(self.root, ".git")? {
            for above in self.root.ancestors().skip(1) {
                inner |= exists(above, ".git")?;
            }
        }
        let origin = RepoOrigin::of(args.from.as_deref()).filter(|_| !inner);
        match origin {
            None if inner => self.leave(WORKFLOWS, "workflows are read at the root of the git repository only"),
            None => self.leave(WORKFLOWS, NO_ORIGIN),
            Some(_) => {}
        }
        Ok(origin)
    }

    /// Sets up programs of agents: the block in the file that each reads, and the entry in its MCP configuration.
    fn programs(&mut self, programs: &[Program], block: &str) -> Result<(), Failure> {
        let files: BTreeSet<String> = programs.iter().map(|program| self.target(program.instructions())).collect();
        for path in files {
            // Of two files with rules the one refers to the other.
            let imports = path == "CLAUDE.md" && exists(self.root, "AGENTS.md")? && !exists(self.root, &path)?;
            match imports {
                true => self.create(&path, &format!("@AGENTS.md\n\n{block}"))?,
                false => self.block(&path, starter::AGENT_MARKS.0, block)?,
            }
        }
        #[cfg(feature = "mcp")]
        self.write_entries(programs)?;
        if programs.contains(&Program::Claude) {
            let (text, by_hand) =
                (format!("{{\n  \"hooks\": {{\n    {HOOK}\n  }}\n}}\n"), format!("{HOOK} in `hooks`"));
            self.entry(".claude/settings.json", "contextpack hook", &text, by_hand)?;
        }
        Ok(())
    }

    /// Returns the path of the file that a link at `path` leads to inside the repo, else `path`.
    fn target(&self, path: &str) -> String {
        let place = self.root.join(path);
        let inside = || {
            let (target, root) = (place.canonicalize().ok()?, self.root.canonicalize().ok()?);
            let target = target.strip_prefix(root).ok()?.to_str()?.replace('\\', "/");
            Some(target).filter(|target| target.ends_with(".md") && !target.starts_with(".git/"))
        };
        let target = if place.is_symlink() { inside() } else { None };
        target.unwrap_or_else(|| path.to_owned())
    }

    fn workflows(
        &mut self,
        places: WorkflowPaths<'_>,
        github: bool,
        args: &InitArgs,
        origin: RepoOrigin<'_>,
    ) -> Result<(), Failure> {
        let InitArgs { commit, matrix: shards, .. } = *args;
        let syncs = args.sync || exists(self.root, &format!("{WORKFLOWS}/{SYNC}"))?;
        // What another choice would have given, or did.
        let ways = [None, Some(CommitWay::Rebuild), Some(CommitWay::Checked)];
        let others = ways.into_iter().filter(|way| commit.is_some() && *way != places.commit).map(|commit| {
            WorkflowPaths { packs: if commit.is_none() { ON_DEMAND } else { places.packs }, commit, ..places }
        });
        let mut replace = |name: &str, text: &dyn Fn(WorkflowPaths<'_>) -> String| {
            let earlier: Vec<String> = others.clone().map(text).collect();
            self.replace(&format!("{WORKFLOWS}/{name}"), &text(places), &earlier)
        };
        replace("contextpack.yml", &|places| workflows::check(places, shards, origin))?;
        // One that is there also rebuilds packs.
        if syncs && github {
            replace(SYNC, &|places| workflows::sync(places, true, origin))?;
        }
        if args.sync && !github {
            self.leave(&format!("{WORKFLOWS}/{SYNC}"), "there is no remote at GitHub, and no `github.repo`");
        }
        let packs = places.commit == Some(CommitWay::Rebuild) && !(syncs && github);
        let merge = places.commit == Some(CommitWay::Checked);
        for (name, is_needed, text) in
            [(PACKS, packs, workflows::sync(places, false, origin)), (MERGE, merge, workflows::merge(places, origin))]
        {
            if is_needed {
                self.workflow(name, &text)?;
            } else if exists(self.root, &format!("{WORKFLOWS}/{name}"))? {
                self.leave(&format!("{WORKFLOWS}/{name}"), "nothing needs it any more: remove it");
            }
        }
        if let Some(shards) = shards {
            self.workflow("contextpack-matrix.yml", &workflows::matrix(places, github, shards, origin))?;
        }
        Ok(())
    }

    fn jobs(&mut self, settings: &Settings, origin: RepoOrigin<'_>) -> Result<(), Failure> {
        let path = format!("{WORKFLOWS}/{JOBS}");
        if settings.jobs.is_empty() {
            self.leave(&path, "`contextpack.yml` has no `jobs`; name one and run `init --jobs` again");
            return Ok(());
        }
        let all: BTreeSet<&str> =
            settings.jobs.values().filter_map(|job| Some(&*job.schedule.as_ref()?.written)).collect();
        let schedules = all.iter().copied().filter(|schedule| is_schedule_of_github(schedule)).collect();
        let record = settings.context.record.as_ref().map_or(DELIVERED, RepoPath::as_str);
        self.workflow(JOBS, &workflows::jobs(&schedules, record, origin))?;
        if self.written.last() == Some(&path) && schedules.len() < all.len() {
            let what = "GitHub does not understand the schedule of every job (`L`, `W`, `#`, `?`, 7 for Sunday): \
                        write them differently, or run these jobs by hand";
            self.fill_in.push((path, what));
        }
        Ok(())
    }

    /// Writes the workflows that run batches, whose files are below `context`.
    fn batches(&mut self, context: &str, origin: RepoOrigin<'_>) -> Result<(), Failure> {
        let path = format!("{WORKFLOWS}/{}", BATCHES[0]);
        if !is_plain(context) {
            let why = "`handover.dir` has characters with a special meaning in workflows; name the folder with letters, digits, `.`, `_`, `-`, `+` and spaces";
            self.leave(&path, why);
            return Ok(());
        }
        let [batch, task] = workflows::batches(context, origin);
        // The one that calls comes last: without the other it would fail.
        self.create(&format!("{WORKFLOWS}/{}", BATCHES[1]), &task)?;
        self.workflow(BATCHES[0], &batch)?;
        if self.written.last() == Some(&path) {
            self.fill_in.push((path, FILL_IN_BATCHES));
        }
        Ok(())
    }

    fn workflow(&mut self, name: &str, text: &str) -> Result<(), Failure> {
        self.create(&format!("{WORKFLOWS}/{name}"), text)
    }

    /// Writes a file that does not exist.
    fn create(&mut self, path: &str, text: &str) -> Result<(), Failure> {
        self.replace(path, text, &[])
    }

    /// Writes a file that does not exist, or is one of the `earlier` texts, which another `init` wrote.
    fn replace(&mut self, path: &str, text: &str, earlier: &[String]) -> Result<(), Failure> {
        let Some((folder, name)) = self.folder(path)? else { return Ok(()) };
        let wrote = match self.existing(path)? {
            ExistingFile::Nothing => folder.write_once(name, text.as_bytes())?,
            ExistingFile::File(before) if earlier.iter().any(|it| it.as_bytes() == before) => {
                folder.rewrite(name, text.as_bytes())?
            }
            ExistingFile::File(before) if !earlier.is_empty() && before != text.as_bytes() => {
                self.leave(path, "it exists; remove it and run this again");
                return Ok(());
            }
            ExistingFile::File(_) | ExistingFile::Other => WriteResult::Unchanged,
        };
        self.note(path, wrote);
        Ok(())
    }

    fn leave(&mut self, path: &str, why: &'static str) {
        self.left.push((path.to_owned(), why));
    }

    fn note(&mut self, path: &str, wrote: WriteResult) {
        match wrote {
            WriteResult::Written => self.written.push(path.to_owned()),
            WriteResult::Unchanged => self.leave(path, "it exists"),
        }
    }

    /// Writes the entry of each of `programs` whose file does not exist; in others, which are their owners', it is added by hand.
    #[cfg(feature = "mcp")]
    fn write_entries(&mut self, programs: &[Program]) -> Result<(), Failure> {
        let places = Program::value_variants().iter().filter(|program| programs.contains(program));
        for (path, field) in places.filter_map(|program| program.servers()) {
            let (text, by_hand) = match field {
                Some(field) => {
                    (format!("{{\n  \"{field}\": {{\n    {ENTRY}\n  }}\n}}\n"), format!("{ENTRY} in `{field}`"))
                }
                None => (TOML_ENTRY.to_owned(), TOML_ENTRY.trim_end().replace('\n', "; ")),
            };
            self.entry(path, "contextpack", &text, by_hand)?;
        }
        Ok(())
    }

    /// Writes a file that holds an entry; in one that exists and does not name `command`, the entry is added by hand.
    fn entry(&mut self, path: &str, command: &str, text: &str, by_hand: String) -> Result<(), Failure> {
        if matches!(self.existing(path)?, ExistingFile::File(text) if contains(&text, command)) {
            self.leave(path, "it names `contextpack`");
            return Ok(());
        }
        self.create(path, text)?;
        if self.written.last().map(String::as_str) != Some(path) {
            self.by_hand.push((path.to_owned(), by_hand));
        }
        Ok(())
    }

    /// Appends a block, which begins with the line `begin`, to a file that does not have it.
    fn block(&mut self, path: &str, begin: &str, block: &str) -> Result<(), Failure> {
        let Some((folder, name)) = self.folder(path)? else { return Ok(()) };
        let before = match self.existing(path)? {
            ExistingFile::Nothing => return self.create(path, block),
            ExistingFile::Other => {
                self.leave(path, "it is not a plain file");
                return Ok(());
            }
            ExistingFile::File(before) => before,
        };
        match with_block(&before, begin, block) {
            Some(after) => {
                folder.rewrite(name, &after)?;
                self.written.push(path.to_owned());
            }
            None => self.leave(path, "it has the block"),
        }
        Ok(())
    }

    /// Returns the folder and the name of `path`. No folder of the path may be a link, which could lead out of the repo.
    fn folder<'p>(&mut self, path: &'p str) -> Result<Option<(Folder, &'p str)>, Failure> {
        let (dir, name) = path.rsplit_once('/').unwrap_or(("", path));
        let Ok(dir) = RepoPath::new(dir) else { return Ok(None) };
        match Folder::open(self.root, &dir) {
            Ok(folder) => Ok(Some((folder, name))),
            Err(StoreError::Link { .. } | StoreError::NotAFolder { .. }) => {
                self.leave(path, "a link or a file is in place of its folder");
                Ok(None)
            }
            Err(error) => Err(error.into()),
        }
    }

    fn existing(&self, path: &str) -> Result<ExistingFile, Failure> {
        let failed = |error| PathFailure::failure("read", path, error);
        let place = self.root.join(path);
        Ok(match if_present(place.symlink_metadata()).map_err(failed)? {
            None => ExistingFile::Nothing,
            Some(metadata) if !metadata.is_file() || metadata.len() > LARGEST => ExistingFile::Other,
            Some(_) => ExistingFile::File(fs::read(&place).map_err(failed)?),
        })
    }
}

fn exists(root: &Path, path: &str) -> Result<bool, Failure> {
    let place = root.join(path);
    let failed = |error| PathFailure::failure("examine", place.display().to_string(), error);
    Ok(if_present(place.symlink_metadata()).map_err(failed)?.is_some())
}

/// Returns errors for configured folders whose names have a special meaning in the files that `init` writes.
pub(crate) fn unfit(name: &str, settings: &Settings) -> Vec<Diagnostic> {
    let folders = [("output.dir", &settings.output.dir), ("github.snapshot", &settings.github.snapshot)];
    let record = settings.context.record.as_ref().map(|folder| ("context.record", folder));
    let unfit = folders.into_iter().chain(record).filter(|(_, folder)| !is_plain(folder.as_str()));
    let errors = unfit.map(|(field, folder)| {
        let at = RepoPath::new(name).ok().map(Place::file);
        let message = format!(
            "`init` cannot write `{field}`, `{folder}`, into workflows: it has characters with a special meaning there"
        );
        let help =
            "name the folder with letters, digits, `.`, `_`, `-`, `+` and spaces, or write the workflows by hand";
        Diagnostic::new(Code::InvalidConfig, at, message).help(help)
    });
    errors.collect()
}

/// Returns the file with the block at its end, or `None` if the block is there. All other lines stay.
fn with_block(before: &[u8], begin: &str, block: &str) -> Option<Vec<u8>> {
    if before.split(|byte| *byte == b'\n').any(|line| line.trim_ascii() == begin.as_bytes()) {
        return None;
    }
    let mut after = before.to_vec();
    if !after.is_empty() {
        if !after.ends_with(b"\n") {
            after.push(b'\n');
        }
        // In Markdown the block is a paragraph of its own.
        if begin.starts_with('<') && !after.ends_with(b"\n\n") {
            after.push(b'\n');
        }
    }
    after.extend_from_slice(block.as_bytes());
    Some(after)
}

fn contains(text: &[u8], part: &str) -> bool {
    memmem::find(text, part.as_bytes()).is_some()
}
