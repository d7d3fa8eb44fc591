//! Digests that identify items and names without reading their texts again.

use super::corpus::{Corpus, Entry, GraphRules, IssueDraft, ParsedComment};
use super::status::item_state;
use crate::model::{Digest, Digester};
use crate::records::{Body, Comment, Item};
use crate::redact::Clean;
use std::hash::{Hash, Hasher};

impl Entry {
    /// Returns the digest of everything that a pack can use of the item.
    pub fn identity(&self) -> Digest {
        *self.identity.0.get_or_init(|| {
            let mut digester = Digester::default();
            self.hash(&mut digester);
            digester.digest()
        })
    }
}

impl Corpus {
    /// Hashes all names by which references find items and ADRs.
    pub fn hash_names<H: Hasher>(&self, state: &mut H) {
        for entry in &self.entries {
            let draft = entry.draft.as_ref().map(|draft| &draft.body.origin);
            let Item { id, origin, body, issue, .. } = &entry.item;
            (id, origin, &body.origin, draft, issue, entry.issue.is_some(), &entry.rules).hash(state);
        }
        let GraphRules { repo, host, done: _, not_planned: _, boilerplate, adrs } = &self.rules;
        (repo, host, boilerplate, adrs).hash(state);
    }

    pub fn hash_line<H: Hasher>(&self, item: usize, state: &mut H) {
        let Some(entry) = self.entries.get(item) else { return };
        let Item { id, origin, title, status, .. } = &entry.item;
        (id, &origin.shown, &origin.url, title, status).hash(state);
        (item_state(entry, &self.rules), entry.has_untrusted_title()).hash(state);
        entry.issue.as_ref().map(|issue| (&issue.url, issue.state)).hash(state);
        // Removals concern the line if its title came from the text.
        if !entry.removals.is_empty() || entry.issue.as_ref().is_some_and(|issue| !issue.removals.is_empty()) {
            entry.hash(state);
        }
    }
}

/// Texts are represented by their digests, and by their lengths, which delimit them. Every field is named, so that none is
/// forgotten when one is added.
impl Hash for Entry {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let Self { item, body: text, removals, digest, rules, issue, draft, untrusted_file, damage, identity: _ } =
            self;
        let Item {
            id,
            origin,
            line,
            source,
            title,
            status,
            body,
            fields,
            relations,
            issue: claim,
            adrs,
            docs,
            head,
            no_pack,
        } = item;
        (id, origin, line, source, title, status, fields, relations, claim, adrs, docs, no_pack).hash(state);
        (head.len(), text, removals, digest, rules, issue, untrusted_file, damage.is_some()).hash(state);
        hash_body(body, state);
        if let Some(draft) = draft {
            let IssueDraft { body, text } = &**draft;
            hash_body(body, state);
            text.hash(state);
        }
    }
}

impl Hash for ParsedComment {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let Self { comment, markdown: _, removals, digest } = self;
        let Comment { id, url, by, text, noise } = comment;
        (id, url, by, text.len(), noise, removals, digest).hash(state);
    }
}

fn hash_body<H: Hasher>(body: &Body<Clean>, state: &mut H) {
    let Body { origin, line, in_file, text } = body;
    (origin, line, in_file, text.len()).hash(state);
}
