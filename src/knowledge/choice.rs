//! The documents that a pack holds: scope first, then pinned ones up to their limit, then relevant ones.

use super::document::{Knowledge, KnowledgeDocument, Scope, UnusableDocument};
use super::relevance;
use crate::config::{ContextSettings, DocumentType, Policy};
use crate::model::RepoPath;
use crate::redact::Clean;
use std::cmp::Reverse;
use std::collections::BTreeSet;

/// The pack that documents are chosen for.
#[derive(Debug, Clone, Copy)]
pub struct KnowledgeRequest<'a> {
    /// The agent's key, and how much its packs hold; `None` for a pack without an agent.
    pub agent: Option<(&'a Clean, Policy)>,
    /// The limits.
    pub limits: &'a ContextSettings,
    /// The texts that the work is about: they are searched for.
    pub query: &'a [&'a str],
    /// The files that have sections of their own, since the root refers to them.
    pub referenced: &'a BTreeSet<RepoPath>,
}

/// A document that the search found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Relevant {
    /// An index of [`Knowledge::documents`].
    pub document: usize,
    /// Its place among the relevant ones, from 1.
    pub rank: u32,
    /// The terms that it shares with the work, the rarest first.
    pub matched: Vec<String>,
}

/// The documents of a pack: indices of [`Knowledge::documents`].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Chosen {
    /// What the project is.
    pub overview: Option<usize>,
    /// Who the project's user is.
    pub user: Option<usize>,
    /// The pinned ones in the order of the pack: global ones, then the agent's own.
    pub pinned: Vec<usize>,
    /// The relevant ones by rank.
    pub relevant: Vec<Relevant>,
    /// The pinned ones over the limit.
    pub over_limit: Vec<usize>,
    /// The overviews and users besides those of the pack.
    pub further: Vec<usize>,
    /// Those that the pack would hold if they could be used: indices of [`Knowledge::unusable`].
    pub unusable: Vec<usize>,
    /// The pinned ones that the policy leaves out.
    pub pinned_by_policy: Vec<usize>,
    /// The relevant ones that the policy leaves out.
    pub relevant_by_policy: Vec<usize>,
}

impl Knowledge {
    /// Chooses the documents of a pack.
    pub fn choose(&self, request: &KnowledgeRequest<'_>) -> Chosen {
        let key = request.agent.map(|(key, _)| key);
        let admitted = |document: &KnowledgeDocument| document.scope.admits(key);
        let of_kind = |kind: DocumentType| {
            let is_one = |document: &KnowledgeDocument| document.kind == kind && admitted(document);
            self.documents.iter().position(|document| is_one(document))
        };
        let mut chosen = Chosen {
            overview: of_kind(DocumentType::ProjectOverview),
            user: of_kind(DocumentType::ProjectUser),
            ..Chosen::default()
        };
        let is_whole = |kind: DocumentType| matches!(kind, DocumentType::ProjectOverview | DocumentType::ProjectUser);
        for (index, UnusableDocument { document, .. }) in self.unusable.iter().enumerate() {
            let is_due = match document.kind {
                DocumentType::ProjectOverview => chosen.overview.is_none(),
                DocumentType::ProjectUser => chosen.user.is_none(),
                _ => document.pinned && document.has_notes(),
            };
            if is_due && admitted(document) {
                chosen.unusable.push(index);
            }
        }
        let mut pinned: Vec<usize> = Vec::new();
        let mut others: Vec<usize> = Vec::new();
        for (index, document) in self.documents.iter().enumerate() {
            let has_section = [chosen.overview, chosen.user].contains(&Some(index))
                || request.referenced.contains(&document.path) && !document.secret;
            if has_section || !admitted(document) {
                continue;
            }
            if !document.has_notes() {
                chosen.further.extend(is_whole(document.kind).then_some(index));
                continue;
            }
            if document.pinned {
                pinned.push(index);
            } else if !document.secret {
                others.push(index);
            }
        }
        let is_own = |index: &usize| self.documents[*index].scope != Scope::Global;
        let by_weight = |index: &usize| (Reverse(self.documents[*index].weight), self.documents[*index].path.clone());
        // The agent's own are taken first, and shown last.
        pinned.sort_by_key(|index| (!is_own(index), by_weight(index)));
        chosen.over_limit = pinned.split_off(pinned.len().min(request.limits.pinned));
        pinned.sort_by_key(|index| (is_own(index), by_weight(index)));
        chosen.pinned = pinned;
        let Some((_, policy)) = request.agent else { return chosen };
        let relevant = relevance::rank(self, &others, request.query, request.limits.relevant);
        match policy {
            Policy::Expanded => chosen.relevant = relevant,
            Policy::Default => chosen.relevant_by_policy = relevant.iter().map(|found| found.document).collect(),
            Policy::Minimal => {
                chosen.relevant_by_policy = relevant.iter().map(|found| found.document).collect();
                chosen.pinned_by_policy = std::mem::take(&mut chosen.pinned);
            }
        }
        chosen
    }
}
