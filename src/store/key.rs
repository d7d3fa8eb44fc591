//! The key that only one user has: it lies outside every repo, so that no repo can bring it along.

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

/// The folder of this program in the user's folder for caches.
const FOLDER: &str = "contextpack";

/// The file with the key.
const NAME: &str = "key";

/// The largest file that is read in its place, in bytes.
const LARGEST: u64 = 4096;

/// Reads the key of the user whose folder for caches is `caches`, for a build of the repo at `root`.
///
/// Where there is none it is made if `create` says so, else the result is `None`.
///
/// # Errors
/// If the folder lies in the repo, or anybody else may look into it, or the system refuses.
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
        // Not the folders above: a home that does not exist stays so.
        make(caches).and_then(|()| make(&path)).map_err(failed)?;
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
    // Of several processes that make one at once the last has made it for all.
    stored(&folder, &path)
}

/// The key in the user's folder, unless what is there is none.
fn stored(folder: &Dir, path: &Path) -> Result<Option<[u8; 32]>, CacheUnavailable> {
    let failed = |source| CacheUnavailable::Key { path: path.join(NAME), source };
    let metadata = match folder.symlink_metadata(NAME) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        metadata => metadata.map_err(failed)?,
    };
    if metadata.is_file() && !is_private(&metadata) {
        return Err(CacheUnavailable::NotPrivate { path: path.join(NAME) });
    }
    // Nothing else that has this name can be a key, and is not worth reading.
    if !metadata.is_file() || metadata.len() != 32 {
        return Ok(None);
    }
    Ok(read(folder, NAME, LARGEST).map_err(failed)?.and_then(|bytes| bytes.try_into().ok()))
}

/// Creates a folder for this user alone, unless something is there already.
fn make(path: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    match builder.create(path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        created => created,
    }
}

/// Whether a path leads into the repo at `root`, or to its git work tree above, by name or by links: what lies there
/// may have come with the repo.
fn lies_in_repo(path: &Path, root: &Path) -> bool {
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let mut tops = vec![root.to_owned(), real(root)];
    for dir in real(root).ancestors() {
        let Ok(git) = dir.join(".git").symlink_metadata() else { continue };
        tops.push(dir.to_owned());
        // Of a submodule or a work tree the repository that it belongs to may lie around it.
        if git.is_dir() {
            break;
        }
    }
    let prefixes: Vec<PathBuf> = path.ancestors().flat_map(|part| [part.to_owned(), real(part)]).collect();
    tops.iter().any(|top| prefixes.iter().any(|prefix| prefix.starts_with(top)))
}

/// Whether nobody but its owner may read or write a file or look into a folder, as far as the system says.
#[cfg(unix)]
fn is_private(metadata: &Metadata) -> bool {
    use cap_std::fs::MetadataExt as _;
    metadata.mode() & 0o077 == 0
}

/// Elsewhere the user's folders are private by what they inherit.
#[cfg(not(unix))]
fn is_private(_: &Metadata) -> bool {
    true
}
