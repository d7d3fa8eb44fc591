//! What earlier builds of a repo found out, below `.contextpack/cache`.
//!
//! A cache is never the truth: without it everything is the same but the time. Its files are replaced
//! whole, one by one, and each says for itself whether it can be used, so that processes share them
//! without locks: whoever writes last wins, and what a loser found out is found out again. A file that
//! is damaged, or of another program, is dropped with a note.
//!
//! Nothing in it is raw text. Digests of raw text are taken under a random key that is kept beside
//! them: without the key nobody can try secrets against them.

mod envelope;
mod fresh;
mod manifest;
mod recent;
mod texts;
mod trace;

pub use fresh::Look;
pub use manifest::{KnownFile, KnownPack, Made, Manifest, Run};
pub use recent::Recent;
pub use texts::Texts;
pub use trace::Trace;

use crate::model::{Digest, Digester};
use crate::store::{Folder, StoreError, mark_cache, open_cache};
use envelope::Opened;
use std::path::Path;
use std::time::SystemTime;

/// This program: its version and its source code.
const PROGRAM: &str = concat!(env!("CARGO_PKG_VERSION"), "+", env!("CONTEXTPACK_SOURCE"));

const KEY: &str = "key";
const PACKS: &str = "packs";
const TEXTS: &str = "texts";

/// The cache of one repo, as it was when it was opened.
#[derive(Debug)]
pub struct Cache {
    folder: Folder,
    key: [u8; 32],
    /// Of the secrets that no pack may hold.
    environment: Digest,
    /// What is known of packs.
    pub manifest: Manifest,
}

impl Cache {
    /// Opens the cache of the repo at `root`. Nothing is written yet.
    ///
    /// `environment` tells the secrets of the building process apart. What could not be used goes to `notes`,
    /// for people who ask.
    ///
    /// # Errors
    /// Where the folder is a link or no folder, or the system refuses: then there is no cache to use.
    pub fn open(root: &Path, environment: Digest, notes: &mut Vec<String>) -> Result<Self, StoreError> {
        let folder = open_cache(root)?;
        let key = match folder.read(KEY)?.and_then(|bytes| <[u8; 32]>::try_from(bytes).ok()) {
            Some(key) => key,
            None => random(),
        };
        let environment = Digester::default().part(key).part(environment.hex()).digest();
        let mut cache = Self { folder, key, environment, manifest: Manifest::default() };
        if let Some(bytes) = cache.read(PACKS, notes) {
            match Manifest::decode(&bytes) {
                Some(manifest) if manifest.environment == Some(cache.environment) => cache.manifest = manifest,
                Some(_) => {
                    notes.push("the environment has other secrets, so what was known of packs is not used".to_owned())
                }
                None => notes.push(dropped(PACKS)),
            }
        }
        Ok(cache)
    }

    /// What is known of texts, under a configuration with this text.
    pub fn texts(&self, config: &str, notes: &mut Vec<String>) -> Texts {
        let bytes = self.read(TEXTS, notes).unwrap_or_default();
        Texts::new(self.begun(), config, bytes).unwrap_or_else(|| {
            notes.push(dropped(TEXTS));
            Texts::empty(self.begun(), config)
        })
    }

    /// A digest that has begun with the key and the program.
    pub fn begun(&self) -> Digester {
        Digester::default().part(self.key).part(PROGRAM)
    }

    /// Remembers what became of packs, and what is known of texts.
    ///
    /// # Errors
    /// Where the system refuses to write; what was there before is as it was.
    pub fn save(&self, manifest: &Manifest, texts: Option<&Texts>) -> Result<(), StoreError> {
        if self.folder.read(KEY)?.as_deref() != Some(&self.key[..]) {
            mark_cache(&self.folder)?;
            self.folder.write(KEY, &self.key)?;
        }
        if let Some(bytes) = texts.and_then(Texts::changed) {
            self.write(TEXTS, &bytes)?;
        }
        match manifest.encode(self.environment, now()) {
            Some(bytes) => self.write(PACKS, &bytes),
            None => Ok(()),
        }
    }

    fn read(&self, name: &str, notes: &mut Vec<String>) -> Option<Vec<u8>> {
        // What cannot be read is as good as not there.
        let bytes = self.folder.read(name).ok().flatten()?;
        match envelope::open(bytes, &self.seal(name)) {
            Opened::Whole(payload) => Some(payload),
            Opened::Foreign => {
                notes.push(format!("`.contextpack/cache/{name}` is of another program, and is made again"));
                None
            }
            Opened::Damaged => {
                notes.push(dropped(name));
                None
            }
        }
    }

    fn write(&self, name: &str, payload: &[u8]) -> Result<(), StoreError> {
        self.folder.write(name, &envelope::close(payload, &self.seal(name))).map(|_| ())
    }

    fn seal(&self, name: &str) -> envelope::Seal {
        envelope::Seal { program: Digest::of(PROGRAM), begun: self.begun().part(name) }
    }
}

fn dropped(name: &str) -> String {
    format!("`.contextpack/cache/{name}` is damaged, and is made again")
}

/// Nanoseconds since 1970.
fn now() -> u128 {
    SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.as_nanos())
}

/// 256 bits that nobody can guess: the keys of the hashers of hash maps come from the system's randomness.
fn random() -> [u8; 32] {
    use std::hash::{BuildHasher as _, RandomState};
    let mut digester = Digester::default();
    for part in 0_u8..8 {
        digester = digester.part(RandomState::new().hash_one(part).to_le_bytes());
    }
    // A digest's bytes are as good a key as any.
    digester.digest().bytes()
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests")]
mod tests;
