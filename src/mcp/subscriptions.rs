//! Notifications of changes: the packs that a client subscribed to, and the list of packs.

use super::arguments::pack_at;
use super::questions::{ListedRoot, Question};
use super::reader::Queue;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::watch;

pub(super) const MAX_SUBSCRIPTIONS: usize = 64;

/// The packs that a client subscribed to, by their addresses, each with its hash when it was last built, if it could be.
#[derive(Clone, Default)]
pub(super) struct Subscribed(Arc<Mutex<BTreeMap<String, Option<String>>>>);

#[derive(Debug)]
pub(super) enum Change {
    List,
    Pack(String),
}

impl Subscribed {
    /// Adds a pack. Returns `false` if there are too many.
    pub(super) fn add(&self, address: String, hash: Option<String>) -> bool {
        let mut packs = self.lock();
        let has_room = packs.len() < MAX_SUBSCRIPTIONS || packs.contains_key(&address);
        if has_room {
            packs.insert(address, hash);
        }
        has_room
    }

    pub(super) fn remove(&self, address: &str) {
        self.lock().remove(address);
    }

    fn addresses(&self) -> Vec<String> {
        self.lock().keys().cloned().collect()
    }

    /// Replaces the hash of a pack, and returns whether it is another. A pack that was removed meanwhile did not change.
    fn replace(&self, address: &str, hash: Option<String>) -> bool {
        self.lock().get_mut(address).is_some_and(|known| std::mem::replace(known, hash.clone()) != hash)
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, Option<String>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

pub(super) async fn hash_of(queue: &Queue, address: &str) -> Result<String, String> {
    Ok(queue.ask(Question::Hash(pack_at(address)?)).await?.text)
}

async fn roots(queue: &Queue) -> Option<Vec<ListedRoot>> {
    Some(queue.ask(Question::Roots).await.ok()?.roots)
}

/// Calls `notify` for every change until the reader ends or nobody can be notified. `lists` says whether the list counts, and
/// `since` is the number of the reading from which on changes count; what may have changed before the first look counts too.
pub(super) async fn follow<F: Future<Output = bool>>(
    queue: &Queue,
    mut readings: watch::Receiver<u64>,
    (subscribed, lists, since): (&Subscribed, bool, u64),
    notify: impl Fn(Change) -> F,
) {
    readings.mark_unchanged();
    let mut list = if lists { roots(queue).await } else { None };
    // The first reading is no change.
    if since.max(1) != *readings.borrow() {
        let list = lists.then_some(Change::List);
        for change in list.into_iter().chain(subscribed.addresses().into_iter().map(Change::Pack)) {
            if !notify(change).await {
                return;
            }
        }
    }
    while readings.changed().await.is_ok() {
        if lists {
            let now = roots(queue).await;
            // While the repo cannot be read, the last list is the best that is known.
            if now.is_some() && now != list {
                list = now;
                if !notify(Change::List).await {
                    return;
                }
            }
        }
        for address in subscribed.addresses() {
            let hash = hash_of(queue, &address).await.ok();
            if subscribed.replace(&address, hash) && !notify(Change::Pack(address)).await {
                return;
            }
        }
    }
}
