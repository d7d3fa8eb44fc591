//! The user's cache key: 256 bits of the system's randomness in a file outside every repo.
//!
//! The keys of all caches are derived from it, see [`super::sealed`]. It protects against two things:
//! - A repo that brings its own `.contextpack/cache`, or somebody who can write there but cannot read the user's folder:
//!   without the key a file cannot be authenticated, so that no forged text or verdict enters a pack.
//! - Guesses at secrets: the cache holds digests of unredacted text, which nobody without the key can compute for a
//!   guess.
//!
//! It does not protect against programs that run as the same user, or against root: they can read the key.

use super::error::CacheUnavailable;
use super::folder::read;
use super::random;
use super::unfinished::replace;
use cap_fs_ext::DirExt as _;
use cap_std::ambient_authority;
use cap_std::fs::{Dir, Metadata};
use std::fs::DirBuilder;
use std::io;
use std::path::{Path, PathBuf};

const FOLDER: &str = "contextpack";

const NAME: &str = "key";

/// The largest file that is read as a key, in bytes.
const LARGEST: u64 = 4096;

/// Reads the key in the user's cache folder `caches`, for a build of the repo at `root`. If there is no key, creates
/// one if `create` is set and returns `None` otherwise.
pub(super) fn find(caches: &Path, root: &Path, create: bool) -> Result<Option<[u8; 32]>, CacheUnavailable> {
    let path = caches.join(FOLDER);
    let failed = |source| CacheUnavailable::Key { path: path.clone(), source };
    if !caches.is_absolute() {
        return Err(CacheUnavailable::NoFolder);
    }
    if lies_in_repo(&path, root) {
        return Err(CacheUnavailable::InRepo { path });
    }
    if create {
        // Not their parents: a home that does not exist is not created.
        create_private(caches).and_then(|()| create_private(&path)).map_err(failed)?;
    }
    let folder = Dir::open_ambient_dir(caches, ambient_authority()).and_then(|dir| dir.open_dir_nofollow(FOLDER));
    let folder = match folder {
        Err(error) if error.kind() == io::ErrorKind::NotFound && !create => return Ok(None),
        folder => folder.map_err(failed)?,
    };
    if !is_private(&folder.dir_metadata().map_err(failed)?) {
        return Err(CacheUnavailable::NotPrivate { path });
    }
    if let Some(key) = stored(&folder, &path)? {
        return Ok(Some(key));
    }
    if !create {
        return Ok(None);
    }
    let key = random::key().ok_or(CacheUnavailable::Random)?;
    replace(&folder, None, NAME, &key, 0o600).map_err(failed)?;
    // If several processes create a key at once, all use the one that was written last.
    stored(&folder, &path)
}

/// Returns the key that is stored in the user's folder, or `None` if there is no valid one.
fn stored(folder: &Dir, path: &Path) -> Result<Option<[u8; 32]>, CacheUnavailable> {
    let failed = |source| CacheUnavailable::Key { path: path.join(NAME), source };
    let metadata = match folder.symlink_metadata(NAME) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        metadata => metadata.map_err(failed)?,
    };
    if metadata.is_file() && !is_private(&metadata) {
        return Err(CacheUnavailable::NotPrivate { path: path.join(NAME) });
    }
    // Anything else cannot be a key and is not read.
    if !metadata.is_file() || metadata.len() != 32 {
        return Ok(None);
    }
    Ok(read(folder, NAME, LARGEST).map_err(failed)?.and_then(|bytes| bytes.try_into().ok()))
}

/// Creates a folder that only this user can access, unless the path exists.
fn create_private(path: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    match builder.create(path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        created => created,
    }
}

/// Whether a path leads into the repo at `root` or into a git work tree around it, by name or by links. A file there
/// may have come with the repo.
fn lies_in_repo(path: &Path, root: &Path) -> bool {
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let mut tops = vec![root.to_owned(), real(root)];
    for dir in real(root).ancestors() {
        let Ok(git) = dir.join(".git").symlink_metadata() else { continue };
        tops.push(dir.to_owned());
        // A submodule or linked work tree, whose `.git` is a file, may lie in another work tree.
        if git.is_dir() {
            break;
        }
    }
    let prefixes: Vec<PathBuf> = path.ancestors().flat_map(|part| [part.to_owned(), real(part)]).collect();
    tops.iter().any(|top| prefixes.iter().any(|prefix| prefix.starts_with(top)))
}

/// Whether the permissions of a file or folder give access to its owner alone.
#[cfg(unix)]
fn is_private(metadata: &Metadata) -> bool {
    use cap_std::fs::MetadataExt as _;
    metadata.mode() & 0o077 == 0
}

/// On other systems the user's folders inherit permissions that keep other users out.
#[cfg(not(unix))]
fn is_private(_: &Metadata) -> bool {
    true
}
