//! A hash of everything that a selection depends on, computed without selecting.

use super::candidates::MAX_LISTED_CLAIMS;
use super::mentioned::MentionedItem;
use super::{CodeUse, Document, ReferencedCode, ReferencedFile, ReferencedLines, RootReferences, SelectionContext};
use crate::graph::{Edge, FileRef, Graph, Target};
use crate::model::Relation;
use std::hash::{Hash, Hasher};

/// Feeds `state` everything that [`select`](super::select) reads for the pack of `root`.
///
/// Equal hashes mean equal selections. The settings that all packs of the profile share are left to
/// [`SelectionContext::hash_settings`].
pub fn hash_selection_inputs<H: Hasher>(
    context: &SelectionContext<'_>,
    root: usize,
    references: &RootReferences,
    state: &mut H,
) {
    let whole = |item: usize, state: &mut H| context.corpus.entries[item].identity().hash(state);
    whole(root, state);
    let (claims, hidden) = (context.graph.claims(root), context.graph.hidden(root));
    (claims.len(), hidden).hash(state);
    for edge in claims.iter().take(MAX_LISTED_CLAIMS) {
        hash_edge(edge, state);
        (context.id(edge), context.state(edge), context.lists_untracked([edge])).hash(state);
    }
    for edge in context.graph.shown(root) {
        hash_edge(edge, state);
        let Target::Item(item) = edge.to else { continue };
        match edge.relation {
            Relation::Blocks if !context.profile.sections_of.contains(&edge.relation) => {
                context.corpus.hash_line(item, state);
            }
            Relation::Parent => {
                whole(item, state);
                // A parent's section lists its children.
                let (children, listed) = context.graph.children(item);
                children.len().hash(state);
                for edge in &children[..listed] {
                    hash_edge(edge, state);
                    if let Target::Item(sibling) = edge.to {
                        context.corpus.hash_line(sibling, state);
                    }
                }
            }
            _ => whole(item, state),
        }
    }
    for MentionedItem { item, line, replaces } in context.mentioned(root) {
        (line, replaces).hash(state);
        whole(*item, state);
    }
    let RootReferences { files, code, kept, secrets, missing, warnings, url } = references;
    (secrets, missing, warnings, url, files.len(), code.len(), kept.len()).hash(state);
    for ReferencedLines { code, removals, by, at } in kept {
        let entry = &context.corpus.entries[*by];
        (code, removals, entry.shown_at(at), entry.is_untrusted_at(at)).hash(state);
    }
    for ReferencedFile { file, by, shown, document, untrusted } in files {
        // Only code has lines and commits.
        let FileRef { kind, path, anchor, lines: _, commit: _, at } = file;
        if let Some(item) = context.graph.of_file(path) {
            (Graph::state(context.corpus, item), &context.corpus.entries[item].item.status).hash(state);
        }
        (kind, path, anchor, context.corpus.entries[*by].shown_at(at), shown, untrusted, document).hash(state);
    }
    let hash_use = |CodeUse { by, at, commit }: &CodeUse, state: &mut H| {
        (context.corpus.entries[*by].shown_at(at), commit).hash(state);
    };
    for ReferencedCode { path, shown, document, untrusted, whole, lines } in code {
        (path, shown, untrusted, whole.is_some(), lines.len(), document).hash(state);
        whole.iter().for_each(|from| hash_use(from, state));
        for (range, from) in lines {
            range.hash(state);
            hash_use(from, state);
        }
    }
}

/// Feeds `state` an edge without the index of its target item, which changes with unrelated items.
fn hash_edge<H: Hasher>(Edge { relation, to, evidence }: &Edge, state: &mut H) {
    (relation, evidence).hash(state);
    match to {
        Target::Item(_) => 0_u8.hash(state),
        issue @ Target::Issue { .. } => issue.hash(state),
    }
}

impl Hash for Document {
    /// Hashes the digest in place of the text and everything parsed from it.
    fn hash<H: Hasher>(&self, state: &mut H) {
        let Document { path, shown, text, status, is_inactive, removals, digest } = self;
        (path, shown, &text.folds, status, is_inactive, removals, digest).hash(state);
    }
}
