//! The files that `init` writes: only where nothing is, or as a marked block in what is there.

use super::args::{Agent, InitArgs};
use super::detect::Found;
use super::failure::{Failure, PathFailure};
use super::starter::{self, Places};
use contextpack::config::Settings;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// The configuration that is written where there is none.
pub(crate) const CONFIG: &str = "contextpack.yml";

const WORKFLOWS: &str = ".github/workflows";

/// What a run of `init` did.
#[derive(Debug)]
pub(crate) struct Setup<'a> {
    root: &'a Path,
    /// The paths that were written.
    pub(crate) written: Vec<String>,
    /// What was left alone, and why.
    pub(crate) left: Vec<(String, &'static str)>,
}

impl<'a> Setup<'a> {
    /// Nothing is done yet in the repo at `root`.
    pub(crate) fn new(root: &'a Path) -> Self {
        Self { root, written: Vec::new(), left: Vec::new() }
    }

    /// Writes all that is missing; `existing` is a configuration that is there, by its name.
    ///
    /// # Errors
    /// Where a file cannot be read or written.
    pub(crate) fn all(
        &mut self,
        found: &Found,
        existing: Option<(&str, &Settings)>,
        args: &InitArgs,
    ) -> Result<(), Failure> {
        let output = match existing {
            Some((_, settings)) => settings.output.dir.as_str().to_owned(),
            None if args.cached => ".contextpack/packs".to_owned(),
            // A folder of this name that is there already holds something else.
            None if self.root.join("packs").symlink_metadata().is_ok() => "context-packs".to_owned(),
            None => "packs".to_owned(),
        };
        let in_state = output.starts_with(".contextpack/");
        match existing {
            Some((name, _)) if args.cached && !in_state => {
                let why = "it exists; set its `output.dir` to `.contextpack/packs` to keep packs out of git";
                self.left.push((name.to_owned(), why));
            }
            Some((name, _)) => self.left.push((name.to_owned(), "it exists")),
            None => self.create(CONFIG, &starter::config(found, &output, !in_state))?,
        }
        // An existing configuration knows where its items are.
        if existing.is_none() && !found.has_items() && found.github.is_none() {
            let with_adr = found.adrs.is_empty();
            self.create(starter::ITEM, &starter::item(with_adr))?;
            if with_adr {
                self.create(starter::ADR, &starter::adr())?;
            }
        }
        self.create(".contextpack/.gitignore", &starter::ignored(in_state))?;
        if !in_state {
            self.block(".gitattributes", starter::BLOCK_BEGIN, &starter::attributes(&output))?;
        }
        let profile = existing.and_then(|(_, settings)| settings.output.profiles.first().cloned());
        let block = starter::agents::block(&output, profile.as_deref().unwrap_or("coding"), in_state);
        for agent in Agent::ALL.into_iter().filter(|agent| args.agents.contains(agent)) {
            self.block(agent.file(), starter::agents::MARKS.0, &block)?;
        }
        let github = match existing {
            Some((_, settings)) => settings.github.repo.is_some(),
            None => found.github.is_some(),
        };
        let snapshot = existing.map(|(_, settings)| settings.github.snapshot.as_str().to_owned());
        let snapshot = snapshot.as_deref().unwrap_or(".contextpack/github");
        self.workflows(Places { packs: &output, snapshot, cached: in_state }, github, args.matrix)
    }

    fn workflows(&mut self, places: Places<'_>, github: bool, shards: Option<u32>) -> Result<(), Failure> {
        let inner = self.root.join(".git").symlink_metadata().is_err()
            && self.root.ancestors().skip(1).any(|dir| dir.join(".git").symlink_metadata().is_ok());
        if inner {
            let why = "workflows are read at the root of the git repository only";
            self.left.push((WORKFLOWS.to_owned(), why));
            return Ok(());
        }
        self.create(&format!("{WORKFLOWS}/contextpack.yml"), &starter::workflows::check(places, shards))?;
        if github {
            self.create(&format!("{WORKFLOWS}/contextpack-sync.yml"), &starter::workflows::sync(places))?;
        }
        if let Some(shards) = shards {
            self.create(&format!("{WORKFLOWS}/contextpack-matrix.yml"), &starter::workflows::matrix(shards))?;
        }
        Ok(())
    }

    /// Writes a file that does not exist yet.
    fn create(&mut self, path: &str, text: &str) -> Result<(), Failure> {
        let Some(place) = self.place(path)? else {
            return Ok(());
        };
        let file = fs::OpenOptions::new().write(true).create_new(true).open(place);
        match file.and_then(|mut file| file.write_all(text.as_bytes())) {
            Ok(()) => self.written.push(path.to_owned()),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                self.left.push((path.to_owned(), "it exists"))
            }
            Err(error) => return Err(PathFailure::failure("write", path, error)),
        }
        Ok(())
    }

    /// Adds a block, whose first line is `begin`, at the end of a file, keeping all that is there.
    fn block(&mut self, path: &str, begin: &str, block: &str) -> Result<(), Failure> {
        let fault = |doing| move |error| PathFailure::failure(doing, path, error);
        let Some(place) = self.place(path)? else {
            return Ok(());
        };
        match place.symlink_metadata() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return self.create(path, block);
            }
            Err(error) => return Err(fault("read")(error)),
            Ok(meta) if !meta.is_file() => {
                self.left.push((path.to_owned(), "it is not a plain file"));
                return Ok(());
            }
            Ok(_) => {}
        }
        let before = fs::read(&place).map_err(fault("read"))?;
        if before.split(|b| *b == b'\n').any(|line| line.trim_ascii() == begin.as_bytes()) {
            self.left.push((path.to_owned(), "it has the block"));
            return Ok(());
        }
        let mut gap = if before.is_empty() || before.ends_with(b"\n") { "" } else { "\n" }.to_owned();
        if begin.starts_with('<') && !before.is_empty() {
            // In Markdown the block is a paragraph of its own.
            gap.push('\n');
        }
        let mut file = fs::OpenOptions::new().append(true).open(&place).map_err(fault("write"))?;
        file.write_all(format!("{gap}{block}").as_bytes()).map_err(fault("write"))?;
        self.written.push(path.to_owned());
        Ok(())
    }

    /// Where `path` lies, its folders made; none of them may be a link, which could lead out of the repo.
    fn place(&mut self, path: &str) -> Result<Option<PathBuf>, Failure> {
        let mut place = self.root.to_path_buf();
        let parts: Vec<&str> = path.split('/').collect();
        for part in &parts[..parts.len() - 1] {
            place.push(part);
            match place.symlink_metadata() {
                Ok(meta) if meta.is_dir() => {}
                Ok(_) => {
                    self.left.push((path.to_owned(), "a link or a file stands where its folder would be"));
                    return Ok(None);
                }
                Err(_) => fs::create_dir(&place).map_err(|e| PathFailure::failure("make the folder of", path, e))?,
            }
        }
        place.push(parts[parts.len() - 1]);
        Ok(Some(place))
    }
}
