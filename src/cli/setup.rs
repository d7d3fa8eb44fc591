//! The files that `init` writes: only where nothing is, or as a marked block in what is there.
//!
//! Each is written whole or not at all. What an older version left half written when it was killed, or when the disk was
//! full, is told by being a beginning of what is written now, and made whole.

use super::args::{Agent, InitArgs};
use super::detect::DetectedRepo;
use super::failure::{Failure, PathFailure};
use super::starter::workflows::{self, is_plain};
use super::starter::{self, FILL_IN, RepoOrigin, WorkflowPaths};
use crate::config::Settings;
use crate::model::{Code, Diagnostic, Place, RepoPath};
use crate::store::{Folder, StoreError, WriteResult};
use std::fs;
use std::io;
use std::path::Path;

/// The configuration that is written where there is none.
pub(crate) const CONFIG: &str = "contextpack.yml";

const WORKFLOWS: &str = ".github/workflows";

/// The largest file that is looked at to be completed, in bytes.
const LARGEST: u64 = 16 << 20;

/// What a run of `init` did.
#[derive(Debug)]
pub(crate) struct Setup<'a> {
    root: &'a Path,
    /// Where the workflows take the program from.
    origin: RepoOrigin,
    /// The paths that were written.
    pub(crate) written: Vec<String>,
    /// What was left alone, and why.
    pub(crate) left: Vec<(String, &'static str)>,
    /// What was written and wants something of the user, and what.
    pub(crate) fill_in: Vec<(String, &'static str)>,
}

/// What stands where a file would be written.
enum ExistingFile {
    Nothing,
    /// A link, a folder, a file of unlikely size: nothing that this program wrote.
    Other,
    File(Vec<u8>),
}

impl<'a> Setup<'a> {
    /// Nothing is done yet in the repo at `root`.
    pub(crate) fn new(root: &'a Path) -> Self {
        Self { root, origin: RepoOrigin::THIS, written: Vec::new(), left: Vec::new(), fill_in: Vec::new() }
    }

    /// The folder of packs where no configuration names one.
    ///
    /// # Errors
    /// Where nobody can say whether a folder is there.
    pub(crate) fn output(&self, cached: bool) -> Result<&'static str, Failure> {
        Ok(match cached {
            true => ".contextpack/packs",
            // A folder of this name that is there already holds something else.
            false if exists(self.root, "packs")? => "context-packs",
            false => "packs",
        })
    }

    /// Writes all that is missing; `existing` is a configuration that is there, by its name.
    ///
    /// # Errors
    /// Where a file cannot be read or written.
    pub(crate) fn all(
        &mut self,
        found: &DetectedRepo,
        existing: Option<(&str, &Settings)>,
        args: &InitArgs,
    ) -> Result<(), Failure> {
        let output = match existing {
            Some((_, settings)) => settings.output.dir.as_str().to_owned(),
            None => self.output(args.cached)?.to_owned(),
        };
        let in_state = output.starts_with(".contextpack/");
        // An existing configuration knows where its items are. The samples come first: a run that ends here is begun anew.
        let samples = existing.is_none() && found.has_nothing();
        let with_adr = found.adrs.is_empty() || exists(self.root, starter::ADR)?;
        let adr = (starter::ADR, starter::adr(), samples && found.adrs.is_empty());
        for (path, text, wanted) in [adr, (starter::ITEM, starter::item(with_adr), samples)] {
            if wanted || self.is_begun(path, &text)? {
                self.create(path, &text)?;
            }
        }
        match existing {
            Some((name, _)) if args.cached && !in_state => {
                let why = "it exists; set its `output.dir` to `.contextpack/packs` to keep packs out of git";
                self.left.push((name.to_owned(), why));
            }
            Some((name, _)) => self.left.push((name.to_owned(), "it exists")),
            None => self.create(CONFIG, &starter::config(found, &output, !in_state))?,
        }
        self.create(".contextpack/.gitignore", &starter::ignored(in_state))?;
        if !in_state {
            self.block(".gitattributes", (starter::BLOCK_BEGIN, starter::BLOCK_END), &starter::attributes(&output))?;
        }
        let profile = existing.and_then(|(_, settings)| settings.output.profiles.first().cloned());
        let block = starter::agent_block(&output, profile.as_deref().unwrap_or("coding"), in_state);
        for agent in Agent::ALL.into_iter().filter(|agent| args.agents.contains(agent)) {
            self.block(agent.file(), starter::AGENT_MARKS, &block)?;
        }
        let github = match existing {
            Some((_, settings)) => settings.github.repo.is_some(),
            None => found.github.is_some(),
        };
        let snapshot = existing.map(|(_, settings)| settings.github.snapshot.as_str().to_owned());
        let snapshot = snapshot.as_deref().unwrap_or(".contextpack/github");
        self.workflows(WorkflowPaths { packs: &output, snapshot, cached: in_state }, github, args.matrix)
    }

    fn workflows(&mut self, places: WorkflowPaths<'_>, github: bool, shards: Option<u32>) -> Result<(), Failure> {
        let mut inner = false;
        if !exists(self.root, ".git")? {
            for above in self.root.ancestors().skip(1) {
                inner |= exists(above, ".git")?;
            }
        }
        if inner {
            let why = "workflows are read at the root of the git repository only";
            self.left.push((WORKFLOWS.to_owned(), why));
            return Ok(());
        }
        let origin = self.origin;
        self.workflow("contextpack.yml", &workflows::check(places, shards, origin))?;
        if github {
            self.workflow("contextpack-sync.yml", &workflows::sync(places, origin))?;
        }
        if let Some(shards) = shards {
            self.workflow("contextpack-matrix.yml", &workflows::matrix(shards, origin))?;
        }
        Ok(())
    }

    fn workflow(&mut self, name: &str, text: &str) -> Result<(), Failure> {
        let path = format!("{WORKFLOWS}/{name}");
        self.create(&path, text)?;
        if self.written.last() == Some(&path) && !self.origin.is_known() {
            self.fill_in.push((path, FILL_IN));
        }
        Ok(())
    }

    /// Writes a file that does not exist yet, or only its beginning does.
    fn create(&mut self, path: &str, text: &str) -> Result<(), Failure> {
        let Some((folder, name)) = self.folder(path)? else { return Ok(()) };
        let wrote = match self.there(path)? {
            ExistingFile::Nothing => folder.write_once(name, text.as_bytes())?,
            ExistingFile::File(before) if is_half(&before, text) => folder.rewrite(name, text.as_bytes())?,
            // Versions before this one wrote that: whoever registers the name decides what it installs.
            ExistingFile::File(before) if contains(&before, b"install contextpack --locked --version ") => {
                let why =
                    "it installs `contextpack` by a name that anybody could register; remove it and run `init` again";
                self.left.push((path.to_owned(), why));
                return Ok(());
            }
            ExistingFile::File(before) if before != text.as_bytes() && text.as_bytes().starts_with(&before) => {
                let why = "it has only the beginning of what is written; remove it if nobody shortened it on purpose";
                self.left.push((path.to_owned(), why));
                return Ok(());
            }
            ExistingFile::File(_) | ExistingFile::Other => WriteResult::Unchanged,
        };
        match wrote {
            WriteResult::Written => self.written.push(path.to_owned()),
            WriteResult::Unchanged => self.left.push((path.to_owned(), "it exists")),
        }
        Ok(())
    }

    /// Adds a block between two marks at the end of a file, keeping all that is there; one that has no end is completed.
    fn block(&mut self, path: &str, marks: (&str, &str), block: &str) -> Result<(), Failure> {
        let Some((folder, name)) = self.folder(path)? else { return Ok(()) };
        let before = match self.there(path)? {
            ExistingFile::Nothing => return self.create(path, block),
            ExistingFile::Other => {
                self.left.push((path.to_owned(), "it is not a plain file"));
                return Ok(());
            }
            ExistingFile::File(before) => before,
        };
        match with_block(&before, marks, block) {
            Some(after) => {
                folder.rewrite(name, &after)?;
                self.written.push(path.to_owned());
            }
            None => self.left.push((path.to_owned(), "it has the block")),
        }
        Ok(())
    }

    /// The folder of `path`, and its name there. No folder on the way may be a link, which could lead out of the repo.
    fn folder<'p>(&mut self, path: &'p str) -> Result<Option<(Folder, &'p str)>, Failure> {
        let (dir, name) = path.rsplit_once('/').unwrap_or(("", path));
        let Ok(dir) = RepoPath::new(dir) else { return Ok(None) };
        match Folder::open(self.root, &dir) {
            Ok(folder) => Ok(Some((folder, name))),
            Err(StoreError::Link { .. } | StoreError::NotAFolder { .. }) => {
                self.left.push((path.to_owned(), "a link or a file stands where its folder would be"));
                Ok(None)
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Whether only the beginning of a file is there.
    fn is_begun(&self, path: &str, text: &str) -> Result<bool, Failure> {
        let (dir, _) = path.rsplit_once('/').unwrap_or(("", path));
        let inside = RepoPath::new(dir).is_ok_and(|dir| Folder::open(self.root, &dir).is_ok());
        Ok(inside && matches!(self.there(path)?, ExistingFile::File(before) if is_half(&before, text)))
    }

    fn there(&self, path: &str) -> Result<ExistingFile, Failure> {
        let failed = |error| PathFailure::failure("read", path, error);
        let place = self.root.join(path);
        match place.symlink_metadata() {
            Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
                Ok(ExistingFile::Nothing)
            }
            Err(error) => Err(failed(error)),
            Ok(metadata) if !metadata.is_file() || metadata.len() > LARGEST => Ok(ExistingFile::Other),
            Ok(_) => Ok(ExistingFile::File(fs::read(&place).map_err(failed)?)),
        }
    }
}

/// Whether something stands at a path; what cannot be looked at is not nothing.
fn exists(root: &Path, path: &str) -> Result<bool, Failure> {
    match root.join(path).symlink_metadata() {
        Ok(_) => Ok(true),
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => Ok(false),
        Err(error) => Err(PathFailure::failure("look at", root.join(path).display().to_string(), error)),
    }
}

/// What of a configuration cannot stand in the files that `init` writes, each of which gives other signs a meaning.
pub(crate) fn unfit(name: &str, settings: &Settings) -> Vec<Diagnostic> {
    let folders = [("output.dir", &settings.output.dir), ("github.snapshot", &settings.github.snapshot)];
    let unfit = folders.into_iter().filter(|(_, folder)| !is_plain(folder.as_str()));
    let told = unfit.map(|(field, folder)| {
        let at = RepoPath::new(name).ok().map(Place::file);
        let message =
            format!("`init` cannot write `{field}`, `{folder}`, into workflows: signs in it mean something there");
        let help =
            "name the folder with letters, digits, `.`, `_`, `-`, `+` and spaces, or write the workflows by hand";
        Diagnostic::new(Code::InvalidConfig, at, message).help(help)
    });
    told.collect()
}

/// Whether a file holds the beginning of `text` and breaks off in the middle of a line: so only a write ends that was
/// broken off, and an empty file has nothing to lose.
pub(crate) fn is_half(before: &[u8], text: &str) -> bool {
    before.len() < text.len() && text.as_bytes().starts_with(before) && !before.ends_with(b"\n")
}

/// The file with its block, or nothing where it has a whole one. What is not of the block stays.
fn with_block(before: &[u8], (begin, end): (&str, &str), block: &str) -> Option<Vec<u8>> {
    let mut kept = Vec::with_capacity(before.len() + block.len());
    let mut lines = before.split_inclusive(|byte| *byte == b'\n');
    for line in lines.by_ref() {
        if line.trim_ascii() != begin.as_bytes() {
            kept.extend_from_slice(line);
            continue;
        }
        let rest: Vec<&[u8]> = lines.collect();
        if rest.iter().any(|line| line.trim_ascii() == end.as_bytes()) {
            return None;
        }
        // Of a block without an end as much goes as it has in common with a whole one.
        let ours =
            |(there, whole): &(&&[u8], &[u8])| *there == whole || (!there.ends_with(b"\n") && whole.starts_with(there));
        let common =
            rest.iter().zip(block.as_bytes().split_inclusive(|byte| *byte == b'\n').skip(1)).take_while(ours).count();
        kept.extend_from_slice(block.as_bytes());
        rest[common..].iter().for_each(|line| kept.extend_from_slice(line));
        return Some(kept);
    }
    // A first line that breaks off after the program's name is ours too.
    let last = kept.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    if begin.as_bytes().starts_with(&kept[last..]) && contains(&kept[last..], b"contextpack") {
        kept.truncate(last);
    }
    if !kept.is_empty() {
        if !kept.ends_with(b"\n") {
            kept.push(b'\n');
        }
        // In Markdown the block is a paragraph of its own.
        if begin.starts_with('<') && !kept.ends_with(b"\n\n") {
            kept.push(b'\n');
        }
    }
    kept.extend_from_slice(block.as_bytes());
    Some(kept)
}

fn contains(text: &[u8], part: &[u8]) -> bool {
    text.windows(part.len()).any(|there| there == part)
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const MARKS: (&str, &str) = ("# contextpack begin", "# contextpack end");
    const BLOCK: &str = "# contextpack begin\npacks/*.json x\npacks/*.md y\n# contextpack end\n";

    fn completed(before: &str) -> Option<String> {
        with_block(before.as_bytes(), MARKS, BLOCK).map(|after| String::from_utf8(after).unwrap())
    }

    proptest! {
        #[test]
        fn a_block_that_breaks_off_anywhere_is_made_whole_and_all_else_stays(
            before in "([a-z*. ]{0,9}\n){0,3}", at in 0..BLOCK.len() - 1, after in "([A-Z ]{0,9}\n){0,3}",
        ) {
            let whole = format!("{before}{BLOCK}");
            prop_assert_eq!(completed(&format!("{whole}{after}")), None);
            // What somebody wrote below it since begins on a line of its own.
            let line = BLOCK[..at].rfind('\n').map_or(0, |end| end + 1);
            let mended = completed(&format!("{before}{}{after}", &BLOCK[..line]));
            let expected = if line == 0 { format!("{before}{after}{BLOCK}") } else { format!("{whole}{after}") };
            prop_assert_eq!(mended, Some(expected));
            // Before that the file ends where it breaks off. Less than a name is nobody's for sure, and stays.
            if at >= "# contextpack".len() || at == 0 {
                prop_assert_eq!(completed(&format!("{before}{}", &BLOCK[..at])), Some(whole));
            }
        }
    }

    #[test]
    fn a_file_is_half_where_it_breaks_off_within_a_line_of_ours() {
        assert!(is_half(b"", "a\nb\n") && is_half(b"a", "a\nb\n") && is_half(b"a\nb", "a\nb\n"));
        for whole in ["a\n", "a\nb\n", "a\nc", "b", "a\nb\nc"] {
            assert!(!is_half(whole.as_bytes(), "a\nb\n"), "{whole:?}");
        }
    }
}
