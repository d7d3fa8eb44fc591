//! The files of `.contextpack/cache`, each authenticated for one user and one working copy.
//!
//! The user's key is 256 bits of the system's randomness in a file outside every repo. A cache file carries an HMAC under
//! a key that is derived from it, the path of the working copy and other facts that distinguish copies. A file that came
//! with the repo, was copied from elsewhere or was written without the key is rejected before any of it is decoded, so
//! that no forged text or verdict enters a pack. The cache also holds digests of unredacted text, which nobody without the
//! key can compute for a guess at a secret. Programs that run as the same user, or as root, can read the key.

use super::error::CacheUnavailable;
use super::folder::read;
use super::state::{mark_cache, open_cache};
use super::unfinished::replace;
use super::{Folder, StoreError};
use crate::model::{Digest, Digester};
use cap_fs_ext::DirExt as _;
use cap_std::ambient_authority;
use cap_std::fs::{Dir, Metadata};
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;
use std::fs::DirBuilder;
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

const MAGIC: &[u8] = b"\ncontextpack cache 3\n";

/// The length of what follows the payload, which need not be moved then: the digest of the program's name, HMAC and magic.
const TAIL: usize = 64 + MAGIC.len();

/// The largest file of a cache that is read, in bytes.
const LARGEST: u64 = 256 << 20;

/// The folder of the key in the user's folder for caches, and the name of its file.
const KEY_FOLDER: &str = "contextpack";
const KEY: &str = "key";

/// The largest file that is read as a key, in bytes.
const LARGEST_KEY: u64 = 4096;

/// How a command uses the cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// The command only reads the cache.
    Read,
    /// The command also writes the cache.
    Write,
}

/// The result of reading a cache file.
#[derive(Debug, PartialEq, Eq)]
pub enum SealedContent {
    /// There is no such file.
    Missing,
    /// The payload.
    Whole(Vec<u8>),
    /// The file is of another program, or of another version of this one.
    Foreign,
    /// The file was not written by this user in this working copy.
    Forged,
}

/// The cache of one working copy, for one user.
#[derive(Debug)]
pub struct CacheFolder {
    /// The folder; `None` for a cache that lasts as long as the process.
    folder: Option<Folder>,
    /// The key that authenticates files.
    seal: [u8; 32],
    /// The key of digests of raw text.
    digest: [u8; 32],
}

impl CacheFolder {
    /// Opens the cache of the repo at `root`; `caches` is the user's cache folder, outside the repo. With
    /// [`Access::Read`] nothing is created, and the result is `None` if this user has written no cache yet.
    pub fn open(root: &Path, caches: &Path, access: Access) -> Result<Option<Self>, CacheUnavailable> {
        let folder = open_cache(root)?;
        let Some(user) = find_key(caches, root, access == Access::Write)? else { return Ok(None) };
        let copy = working_copy(&user, root).map_err(StoreError::reading(root))?;
        Ok(Some(Self::with(Some(folder), &copy)))
    }

    /// Creates a cache that is never written to disk; `None` if the system gives no random bytes.
    pub fn in_memory() -> Option<Self> {
        Some(Self::with(None, &random_key()?))
    }

    fn with(folder: Option<Folder>, copy: &[u8; 32]) -> Self {
        Self { folder, seal: authenticated(copy, &[b"seal"]), digest: authenticated(copy, &[b"digest"]) }
    }

    /// Returns a digester that has been fed a key, so that its digests reveal nothing about texts to others. Such
    /// digests are only compared, and saved in authenticated files, so it does no harm that they can be extended.
    pub fn digester(&self) -> Digester {
        Digester::default().part(self.digest)
    }

    /// Reads the file `name`, which `program` wrote.
    pub fn read(&self, name: &str, program: &str) -> SealedContent {
        // An unreadable file counts as missing.
        let Some(mut bytes) = self.folder.as_ref().and_then(|folder| folder.read_at_most(name, LARGEST).ok().flatten())
        else {
            return SealedContent::Missing;
        };
        let Some((payload, tail)) = bytes.split_last_chunk::<TAIL>().filter(|(_, tail)| tail.ends_with(MAGIC)) else {
            return SealedContent::Forged;
        };
        let (named, rest) = tail.split_at(32);
        if mac(&self.seal, &[name.as_bytes(), named, payload]).verify_slice(&rest[..32]).is_err() {
            return SealedContent::Forged;
        }
        if named != Digest::of(program).bytes() {
            return SealedContent::Foreign;
        }
        bytes.truncate(bytes.len() - TAIL);
        SealedContent::Whole(bytes)
    }

    /// Writes the file `name` for `program`, unless the cache is in memory only.
    pub fn write(&self, name: &str, program: &str, payload: &[u8]) -> Result<(), StoreError> {
        let Some(folder) = &self.folder else { return Ok(()) };
        mark_cache(folder)?;
        let program = Digest::of(program).bytes();
        let seal = authenticated(&self.seal, &[name.as_bytes(), &program, payload]);
        folder.write(name, &[payload, &program, &seal, MAGIC].concat()).map(|_| ())
    }
}

/// Derives the key of a working copy from its path, inode and creation time. The latter two distinguish folders that
/// have the same path one after another, or in several containers.
fn working_copy(user: &[u8; 32], root: &Path) -> io::Result<[u8; 32]> {
    let real = root.canonicalize()?;
    let metadata = real.metadata()?;
    #[cfg(unix)]
    let inode = std::os::unix::fs::MetadataExt::ino(&metadata);
    #[cfg(not(unix))]
    let inode = 0_u64;
    let created = metadata.created().ok().and_then(|created| created.duration_since(SystemTime::UNIX_EPOCH).ok());
    let created = created.map_or(0, |created| created.as_nanos());
    let path = real.as_os_str().as_encoded_bytes();
    Ok(authenticated(user, &[b"working copy", path, &inode.to_le_bytes(), &created.to_le_bytes()]))
}

fn mac(key: &[u8; 32], parts: &[&[u8]]) -> Hmac<Sha256> {
    // HMAC fills a key up with zeros to the size of a block.
    let mut block = [0; 64];
    block[..32].copy_from_slice(key);
    let mut mac = Hmac::<Sha256>::new(&block.into());
    for part in parts {
        mac.update(&(part.len() as u64).to_le_bytes());
        mac.update(part);
    }
    mac
}

fn authenticated(key: &[u8; 32], parts: &[&[u8]]) -> [u8; 32] {
    mac(key, parts).finalize().into_bytes().into()
}

fn random_key() -> Option<[u8; 32]> {
    let mut key = [0; 32];
    getrandom::fill(&mut key).ok()?;
    Some(key)
}

/// Reads the key in the user's cache folder for the repo at `root`, or creates one if `create` is set; `None` without one.
fn find_key(caches: &Path, root: &Path, create: bool) -> Result<Option<[u8; 32]>, CacheUnavailable> {
    let path = caches.join(KEY_FOLDER);
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
    let folder = Dir::open_ambient_dir(caches, ambient_authority()).and_then(|dir| dir.open_dir_nofollow(KEY_FOLDER));
    let folder = match folder {
        Err(error) if error.kind() == io::ErrorKind::NotFound && !create => return Ok(None),
        folder => folder.map_err(failed)?,
    };
    if !is_private(&folder.dir_metadata().map_err(failed)?) {
        return Err(CacheUnavailable::NotPrivate { path });
    }
    if let Some(key) = stored_key(&folder, &path)? {
        return Ok(Some(key));
    }
    if !create {
        return Ok(None);
    }
    let key = random_key().ok_or(CacheUnavailable::Random)?;
    replace(&folder, None, KEY, &key, 0o600).map_err(failed)?;
    // If several processes create a key at once, all use the one that was written last.
    stored_key(&folder, &path)
}

/// Returns the key that is stored in the user's folder, or `None` if there is no valid one.
fn stored_key(folder: &Dir, path: &Path) -> Result<Option<[u8; 32]>, CacheUnavailable> {
    let failed = |source| CacheUnavailable::Key { path: path.join(KEY), source };
    let metadata = match folder.symlink_metadata(KEY) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        metadata => metadata.map_err(failed)?,
    };
    if metadata.is_file() && !is_private(&metadata) {
        return Err(CacheUnavailable::NotPrivate { path: path.join(KEY) });
    }
    // Anything of another kind or size is replaced.
    if !metadata.is_file() || metadata.len() != 32 {
        return Ok(None);
    }
    Ok(read(folder, KEY, LARGEST_KEY).map_err(failed)?.and_then(|bytes| bytes.try_into().ok()))
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

/// Returns whether a path leads into the repo at `root` or into a git work tree around it, by name or by links. A file
/// there may have come with the repo.
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

/// Returns whether the permissions of a file or folder give access to its owner alone. On systems other than Unix the
/// user's folders inherit permissions that keep other users out.
#[cfg(unix)]
fn is_private(metadata: &Metadata) -> bool {
    use cap_std::fs::MetadataExt as _;
    metadata.mode() & 0o077 == 0
}

#[cfg(not(unix))]
fn is_private(_: &Metadata) -> bool {
    true
}
