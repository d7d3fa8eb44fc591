//! Finds packs by their hashes: in the folders of packs, among delivered packs and in every version that git still has.

use crate::cli::delivery::{self, DeliveryLine};
use crate::console::Failure;
use crate::engine::Repository;
use crate::git::{HistoryError, ObjectReader, file_versions, is_in_git, is_shallow};
use crate::init::DELIVERED;
use crate::model::{RepoPath, quoted};
use crate::review::content_hash;
use crate::store::Folder;
use std::collections::BTreeMap;

/// The folders in which packs are by default, where they may have been before the configuration named another.
const DEFAULTS: [&str; 3] = ["packs", "context-packs", ".contextpack/packs"];

const SHORTEST: usize = 8;

const WHOLE: usize = 64;

#[derive(Debug, Clone)]
pub(super) struct HashPrefix(String);

impl HashPrefix {
    /// Reads `sha256:…`, hex digits, at least eight of them, or the id of a pack, which ends in twelve.
    pub(super) fn read(typed: &str) -> Option<Self> {
        let hex = match typed.strip_prefix("cp_") {
            Some(id) => id.rsplit_once('_')?.1,
            None => typed.strip_prefix("sha256:").unwrap_or(typed),
        };
        let is_hex = hex.bytes().all(|byte| byte.is_ascii_hexdigit());
        (is_hex && (SHORTEST..=WHOLE).contains(&hex.len())).then(|| Self(hex.to_lowercase()))
    }

    /// Returns whether a pack with this hash is meant, written with `sha256:` or without.
    pub(super) fn is_of(&self, hash: &str) -> bool {
        hash.strip_prefix("sha256:").unwrap_or(hash).starts_with(&self.0)
    }

    pub(super) fn text(&self) -> String {
        format!("sha256:{}", self.0)
    }
}

#[derive(Debug, Clone)]
pub(super) struct FoundPack {
    pub(super) bytes: Vec<u8>,
    pub(super) path: String,
    /// The commit whose version of the file it is; `None` for the file as it is on disk.
    pub(super) commit: Option<String>,
    /// Whether its content is known to be what its hash says.
    is_intact: bool,
}

impl FoundPack {
    pub(super) fn new(bytes: Vec<u8>, path: &str) -> Self {
        Self { bytes, path: path.to_owned(), commit: None, is_intact: false }
    }
}

/// Returns the packs that any of these hashes fits, by their hashes in hex digits. Of several files of one pack, that one is
/// taken whose content is what its hash says.
pub(super) fn find(repository: &Repository, asked: &[&HashPrefix]) -> Result<BTreeMap<String, FoundPack>, Failure> {
    let mut search = Search { asked, found: BTreeMap::new() };
    if !search.is_over() {
        let folders = folders(repository);
        folders.iter().try_for_each(|folder| search.folder(repository, folder))?;
        search.history(repository, &folders)?;
    }
    Ok(search.found)
}

fn folders(repository: &Repository) -> Vec<RepoPath> {
    let settings = repository.settings();
    let record = settings.context.record.clone();
    let own = [Some(settings.output.dir.clone()), record, settings.handover.packs()];
    let defaults = DEFAULTS.iter().chain([&DELIVERED]).filter_map(|dir| RepoPath::new(dir).ok());
    let mut folders: Vec<RepoPath> = Vec::new();
    for folder in own.into_iter().flatten().chain(defaults) {
        if !folders.contains(&folder) {
            folders.push(folder);
        }
    }
    folders
}

struct Search<'a> {
    asked: &'a [&'a HashPrefix],
    found: BTreeMap<String, FoundPack>,
}

impl Search<'_> {
    fn is_over(&self) -> bool {
        let is_found = |hash: &&HashPrefix| self.found.iter().any(|(hex, pack)| pack.is_intact && hash.is_of(hex));
        self.asked.iter().all(is_found)
    }

    fn folder(&mut self, repository: &Repository, dir: &RepoPath) -> Result<(), Failure> {
        // What is no folder of the repo holds none of its packs.
        let Ok(folder) = Folder::open(repository.root(), dir) else { return Ok(()) };
        for name in folder.list()? {
            // A delivered pack is named by its hash.
            let named =
                name.strip_suffix(".json").filter(|stem| stem.len() == WHOLE && HashPrefix::read(stem).is_some());
            if named.is_some_and(|hex| !self.is_asked(hex)) {
                continue;
            }
            match folder.read(&name) {
                Ok(Some(bytes)) => self.look(bytes, &format!("{dir}/{name}"), None),
                Ok(None) => {}
                Err(error) if error.is_too_large() => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }

    /// Looks at every version of the files in these folders that git has, the newest first.
    fn history(&mut self, repository: &Repository, folders: &[RepoPath]) -> Result<(), Failure> {
        let dirs: Vec<&str> = folders.iter().map(RepoPath::as_str).collect();
        let versions = match file_versions(repository.root(), &dirs) {
            Ok(versions) => versions,
            Err(HistoryError::NoRepository) => return Ok(()),
            Err(error) => return Err(error.into()),
        };
        if versions.is_empty() || self.is_over() {
            return Ok(());
        }
        let mut history = ObjectReader::open(repository.root())?;
        for version in versions {
            let bytes = match history.blob(&version.blob) {
                Ok(Some(bytes)) => bytes,
                // A partial clone has not all, and what is too large is no pack.
                Ok(None) | Err(HistoryError::TooLarge(_)) => continue,
                Err(error) => return Err(error.into()),
            };
            self.look(bytes, &version.path, Some(&version.commit));
            if self.is_over() {
                break;
            }
        }
        Ok(())
    }

    fn is_asked(&self, hex: &str) -> bool {
        self.asked.iter().any(|hash| hash.is_of(hex))
    }

    fn look(&mut self, bytes: Vec<u8>, path: &str, commit: Option<&str>) {
        let Some(hex) = stated_hash(&bytes).map(str::to_owned).filter(|hex| self.is_asked(hex)) else { return };
        let is_intact = content_hash(&bytes).is_some_and(|digest| digest.to_string().ends_with(&hex));
        if self.found.get(&hex).is_none_or(|old| is_intact && !old.is_intact) {
            let commit = commit.map(str::to_owned);
            self.found.insert(hex, FoundPack { commit, is_intact, ..FoundPack::new(bytes, path) });
        }
    }
}

/// Returns the hash that a pack states, in hex digits, without reading all of it: its content escapes quotation marks, so that the
/// first such name is the field.
pub(super) fn stated_hash(bytes: &[u8]) -> Option<&str> {
    let at = memchr::memmem::find(bytes, b"\"hash\":")?;
    let value = bytes.get(at + 7..)?.trim_ascii_start().strip_prefix(b"\"sha256:")?;
    let hex = std::str::from_utf8(value.get(..WHOLE)?).ok()?;
    let is_hex = hex.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte));
    (is_hex && value.get(WHOLE) == Some(&b'"')).then_some(hex)
}

/// Returns why there is nothing to compare: the pack that a hash names is neither in files nor in git, but may be in the record.
pub(super) fn missing(repository: &Repository, hash: Option<&HashPrefix>) -> Result<Vec<String>, Failure> {
    let Some(hash) = hash else {
        let reason = "it is no hash of a pack: `contextpack render ITEM --trailer` prints the trailer";
        return Ok(vec![reason.to_owned()]);
    };
    let (root, settings) = (repository.root(), repository.settings());
    let folders = folders(repository).into_iter().map(|dir| dir.to_string());
    let folders: Vec<String> =
        folders.filter(|dir| dir == settings.output.dir.as_str() || root.join(dir).is_dir()).collect();
    let history = if is_in_git(root) { ", nor any version of them that git has" } else { "" };
    let mut reasons = vec![format!("no file in {} holds it{history}", quoted(&folders))];
    let lines = delivery::log(repository)?.map(|log| log.lines).unwrap_or_default();
    reasons.extend(lines.iter().rfind(|line| hash.is_of(&line.hash)).map(|DeliveryLine { at, key, .. }| {
        let whom = key.agent.as_ref().map(|agent| format!(" to `{agent}`")).unwrap_or_default();
        let root = key.root.as_ref().map(|root| format!(" for `{root}`")).unwrap_or_default();
        format!("the record has it: built {at} and delivered{whom}{root}, and its file there is gone")
    }));
    let next = if is_shallow(root) {
        "this clone is shallow: `git fetch --unshallow` gets the older packs"
    } else if settings.commits_packs() {
        "name the file that was read, or fetch the branch that has it; `contextpack render --record` keeps a pack that is not committed"
    } else {
        "packs are not committed here: name the file that was read; `contextpack render --record` keeps each pack that it prints"
    };
    reasons.push(next.to_owned());
    Ok(reasons)
}
