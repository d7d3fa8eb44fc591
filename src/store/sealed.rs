//! The files of `.contextpack/cache`, each authenticated for one user and one working copy.
//!
//! A file carries an HMAC under a key that is derived from the user's key, the path of the working copy and other facts
//! that distinguish copies. A file that came with the repo, was copied from elsewhere or was written without the key is
//! rejected before any of it is decoded.

use super::error::CacheUnavailable;
use super::key;
use super::random;
use super::state::{mark_cache, open_cache};
use super::{Folder, StoreError};
use crate::model::{Digest, Digester};
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;
use std::path::Path;
use std::time::SystemTime;

const MAGIC: &[u8] = b"\ncontextpack cache 3\n";

/// The length of what follows the payload: the digest of the program's name, the HMAC and the last line. In front of the
/// payload it would have to be moved.
const TAIL: usize = 64 + MAGIC.len();

/// The largest file of a cache that is read, in bytes.
const LARGEST: u64 = 256 << 20;

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
    Missing,
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
        let Some(user) = key::find(caches, root, access == Access::Write)? else { return Ok(None) };
        let copy = working_copy(&user, root).map_err(|source| StoreError::Read { path: root.to_owned(), source })?;
        Ok(Some(Self::with(Some(folder), &copy)))
    }

    /// Creates a cache that is never written to disk; `None` if the system gives no random bytes.
    pub fn in_memory() -> Option<Self> {
        Some(Self::with(None, &random::key()?))
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
        let bytes = [payload, &program, &seal, MAGIC].concat();
        folder.write(name, &bytes).map(|_| ())
    }
}

/// Derives the key of a working copy from its path, inode and creation time. The latter two distinguish folders that
/// have the same path one after another, or in several containers.
fn working_copy(user: &[u8; 32], root: &Path) -> std::io::Result<[u8; 32]> {
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
