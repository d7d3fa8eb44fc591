//! Finds packs by their hashes: in the folders of packs, among delivered packs, and in every version that git still has.

use super::ReadPack;
use crate::cli::diff::outside;
use crate::console::Failure;
use crate::engine::Repository;
use crate::git::{History, HistoryError, file_versions};
use crate::init::DELIVERED;
use crate::model::RepoPath;
use crate::review::content_hash;
use crate::store::Folder;

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
}

impl FoundPack {
    fn is_intact(&self) -> bool {
        content_hash(&self.bytes)
            .is_some_and(|digest| stated_hash(&self.bytes).is_some_and(|hex| digest.to_string().ends_with(hex)))
    }
}

/// Looks for the packs that hashes name. Of several files of one pack, that one is taken whose content is what its hash says.
pub(super) fn find(repository: &Repository, read: &mut [ReadPack]) -> Result<(), Failure> {
    let mut search = Search { asked: read.iter_mut().filter(|read| read.hash.is_some()).collect() };
    if search.is_over() {
        return Ok(());
    }
    let folders = folders(repository);
    folders.iter().try_for_each(|folder| search.folder(repository, folder))?;
    if search.is_over() { Ok(()) } else { search.history(repository, &folders) }
}

pub(super) fn folders(repository: &Repository) -> Vec<RepoPath> {
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

struct Search<'r> {
    asked: Vec<&'r mut ReadPack>,
}

impl Search<'_> {
    fn is_over(&self) -> bool {
        self.asked.iter().all(|read| read.found.as_ref().is_some_and(FoundPack::is_intact))
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
            Err(error) => return Err(outside(error)),
        };
        if versions.is_empty() {
            return Ok(());
        }
        let mut history = History::open(repository.root()).map_err(outside)?;
        for version in versions {
            let bytes = match history.blob(&version.blob) {
                Ok(Some(bytes)) => bytes,
                // A partial clone has not all, and what is too large is no pack.
                Ok(None) | Err(HistoryError::TooLarge(_)) => continue,
                Err(error) => return Err(outside(error)),
            };
            self.look(bytes, &version.path, Some(&version.commit));
            if self.is_over() {
                break;
            }
        }
        Ok(())
    }

    fn is_asked(&self, hex: &str) -> bool {
        self.asked.iter().any(|read| read.names(hex))
    }

    fn look(&mut self, bytes: Vec<u8>, path: &str, commit: Option<&str>) {
        let Some(hex) = stated_hash(&bytes).map(str::to_owned).filter(|hex| self.is_asked(hex)) else { return };
        let pack = FoundPack { bytes, path: path.to_owned(), commit: commit.map(str::to_owned) };
        for read in self.asked.iter_mut().filter(|read| read.names(&hex)) {
            read.candidates.insert(hex.clone());
            if read.found.as_ref().is_none_or(|old| !old.is_intact() && pack.is_intact()) {
                read.found = Some(pack.clone());
            }
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
