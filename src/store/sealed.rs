//! The files of `.contextpack/cache`, each sealed for one user and one working copy.
//!
//! Each file carries an HMAC-SHA256 under a key that is derived from the user's key (`key.rs` says what that protects
//! against), the path of the working copy and what else tells copies apart. A file that came with the repo, was copied
//! from elsewhere or was written by somebody without the key is rejected before any of it is decoded.

use super::error::NoCache;
use super::key;
use super::random;
use super::state::{mark_cache, open_cache};
use super::{Folder, StoreError};
use crate::model::{Digest, Digester};
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;
use std::path::Path;
use std::time::SystemTime;

/// The first line of every file.
const MAGIC: &[u8] = b"contextpack cache 2\n";

/// Where the payload begins: after the first line, the digest of the program's name and the HMAC.
const HEAD: usize = MAGIC.len() + 64;

/// The largest file of a cache that is read, in bytes.
const LARGEST: u64 = 256 << 20;

/// What a command does with the cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// It uses what is there.
    Read,
    /// It also writes what it found out.
    Write,
}

/// What a file of the cache turned out to be.
#[derive(Debug, PartialEq, Eq)]
pub enum Stored {
    /// There is none that can be read.
    Missing,
    /// What was put in.
    Whole(Vec<u8>),
    /// It is of another program, or of another version of this one.
    Foreign,
    /// It is not what this user wrote in this working copy.
    Forged,
}

/// The cache of one working copy, for one user.
#[derive(Debug)]
pub struct CacheFolder {
    /// `None` for a cache that lasts as long as the process.
    folder: Option<Folder>,
    /// Seals files.
    seal: [u8; 32],
    /// Digests of raw text begin with it.
    digest: [u8; 32],
}

impl CacheFolder {
    /// Opens the cache of the repo at `root`; `caches` is the user's folder for caches, outside the repo.
    ///
    /// With [`Access::Read`] nothing is created, and the result is `None` where this user has written no cache yet.
    ///
    /// # Errors
    /// If there is no place for the key, or something else is in the place of the cache.
    pub fn open(root: &Path, caches: &Path, access: Access) -> Result<Option<Self>, NoCache> {
        let folder = open_cache(root)?;
        let Some(user) = key::find(caches, root, access == Access::Write)? else { return Ok(None) };
        let copy = working_copy(&user, root).map_err(|source| StoreError::Read { path: root.to_owned(), source })?;
        Ok(Some(Self::with(Some(folder), &copy)))
    }

    /// Returns a cache that is never written to disk, or `None` if the system provides no randomness.
    pub fn in_memory() -> Option<Self> {
        Some(Self::with(None, &random::key()?))
    }

    fn with(folder: Option<Folder>, copy: &[u8; 32]) -> Self {
        Self { folder, seal: authenticated(copy, &[b"seal"]), digest: authenticated(copy, &[b"digest"]) }
    }

    /// Returns a digest that has begun with a key: what it gives of a text tells nobody else what the text is.
    ///
    /// Such digests are only compared, and stand in sealed files, so that it does no harm that they can be extended.
    pub fn digester(&self) -> Digester {
        Digester::default().part(self.digest)
    }

    /// Reads the file `name`, which `program` wrote.
    pub fn read(&self, name: &str, program: &str) -> Stored {
        // What cannot be read is as good as not there.
        let Some(mut bytes) = self.folder.as_ref().and_then(|folder| folder.read_at_most(name, LARGEST).ok().flatten())
        else {
            return Stored::Missing;
        };
        let (Some(head), true) = (bytes.get(..HEAD), bytes.starts_with(MAGIC)) else { return Stored::Forged };
        let (named, seal) = head[MAGIC.len()..].split_at(32);
        if mac(&self.seal, &[name.as_bytes(), named, &bytes[HEAD..]]).verify_slice(seal).is_err() {
            return Stored::Forged;
        }
        if named != Digest::of(program).bytes() {
            return Stored::Foreign;
        }
        bytes.drain(..HEAD);
        Stored::Whole(bytes)
    }

    /// Writes the file `name` for `program`. A cache in memory drops it.
    ///
    /// # Errors
    /// If the system refuses; what was there before is then as it was.
    pub fn write(&self, name: &str, program: &str, payload: &[u8]) -> Result<(), StoreError> {
        let Some(folder) = &self.folder else { return Ok(()) };
        mark_cache(folder)?;
        let program = Digest::of(program).bytes();
        let mut bytes = Vec::with_capacity(HEAD + payload.len());
        bytes.extend_from_slice(MAGIC);
        bytes.extend_from_slice(&program);
        bytes.extend_from_slice(&authenticated(&self.seal, &[name.as_bytes(), &program, payload]));
        bytes.extend_from_slice(payload);
        folder.write(name, &bytes).map(|_| ())
    }
}

/// Derives the key of a working copy: of the folder at this path, and of this very folder, as far as the system tells
/// folders apart that stand at one path one after another, or in several containers.
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

/// HMAC-SHA256 of `parts`; where each ends is part of it.
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
