//! Notifications of changes: the packs that a client subscribed to, and the list of packs.

use super::answers;
use super::jobs::Jobs;
use super::resources;
use crate::model::Digest;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::watch;

/// The most packs that one client subscribes to.
pub(super) const MOST: usize = 64;

/// The packs that a client subscribed to, by their addresses, each with its hash when it was last built, if it could be.
#[derive(Clone, Default)]
pub(super) struct Subscribed(Arc<Mutex<BTreeMap<String, Option<String>>>>);

/// A change that a client is told.
#[derive(Debug)]
pub(super) enum Change {
    /// The list of packs.
    List,
    /// The pack with this address.
    Pack(String),
}

impl Subscribed {
    /// Adds a pack. Returns `false` if there are too many.
    pub(super) fn add(&self, address: String, hash: Option<String>) -> bool {
        let mut packs = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if packs.len() >= MOST && !packs.contains_key(&address) {
            return false;
        }
        packs.insert(address, hash);
        true
    }

    /// Removes a pack.
    pub(super) fn remove(&self, address: &str) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(address);
    }

    fn addresses(&self) -> Vec<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).keys().cloned().collect()
    }

    /// Replaces the hash of a pack, and returns whether it is another. A pack that was removed meanwhile did not change.
    fn replace(&self, address: &str, hash: Option<String>) -> bool {
        let mut packs = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        packs.get_mut(address).is_some_and(|known| std::mem::replace(known, hash.clone()) != hash)
    }
}

/// Returns the hash of the pack at an address, or why there is none.
pub(super) async fn hash_of(jobs: &Jobs, address: &str) -> Result<String, String> {
    let query = resources::query(address).map_err(|failure| failure.in_full())?;
    jobs.ask(false, move |repository, project| answers::hash(repository, project, &query)).await
}

/// Tells every change until the engine ends or nobody can be told. `lists` says whether the list counts, and `since` is
/// the number of the reading from which on changes count; what may have changed before the first look is told too.
pub(super) async fn follow<F: Future<Output = bool>>(
    jobs: &Jobs,
    mut readings: watch::Receiver<u64>,
    (subscribed, lists, since): (&Subscribed, bool, u64),
    tell: impl Fn(Change) -> F,
) {
    readings.mark_unchanged();
    let mut list = if lists { list_digest(jobs).await } else { None };
    // The first reading is no change.
    if since.max(1) != *readings.borrow() {
        if lists && !tell(Change::List).await {
            return;
        }
        for address in subscribed.addresses() {
            if !tell(Change::Pack(address)).await {
                return;
            }
        }
    }
    while readings.changed().await.is_ok() {
        if lists {
            let now = list_digest(jobs).await;
            // While the repo cannot be read, the last list is the best that is known.
            if now.is_some() && std::mem::replace(&mut list, now) != now && !tell(Change::List).await {
                return;
            }
        }
        for address in subscribed.addresses() {
            let hash = hash_of(jobs, &address).await.ok();
            if subscribed.replace(&address, hash) && !tell(Change::Pack(address)).await {
                return;
            }
        }
    }
}

async fn list_digest(jobs: &Jobs) -> Option<Digest> {
    jobs.ask(false, answers::roots_digest).await.ok()
}
