//! What a selection is made of, told apart without making it.

use super::candidates::{MOST_CLAIMS, ReferencedFile, RootReferences};
use super::{Document, SelectionContext};
use crate::graph::{Edge, FileRef, Target};
use crate::model::Relation;
use std::hash::{Hash, Hasher};

/// Feeds `state` everything that [`select`](super::select) looks at for the pack of `root`, but for the library's own
/// settings: where that is the same, so is what it selects.
pub fn ingredients<H: Hasher>(library: &SelectionContext<'_>, root: usize, references: &RootReferences, state: &mut H) {
    let whole = |item: usize, state: &mut H| library.corpus.entries[item].identity().hash(state);
    whole(root, state);
    let (claims, hidden) = (library.graph.claims(root), library.graph.hidden(root));
    (claims.len(), hidden).hash(state);
    for edge in claims.iter().take(MOST_CLAIMS) {
        hash_edge(edge, state);
        (library.id(edge), library.state(edge), library.lists_untracked([edge])).hash(state);
    }
    for edge in library.graph.shown(root) {
        hash_edge(edge, state);
        let Target::Item(item) = edge.to else { continue };
        match edge.relation {
            Relation::Blocks | Relation::Related if !library.profile.sections_of.contains(&edge.relation) => {
                library.corpus.hash_line(item, state);
            }
            Relation::Parent => {
                whole(item, state);
                // Its children stand below it as lines.
                let (children, listed) = library.graph.children(item);
                children.len().hash(state);
                for edge in &children[..listed] {
                    hash_edge(edge, state);
                    if let Target::Item(sibling) = edge.to {
                        library.corpus.hash_line(sibling, state);
                    }
                }
            }
            _ => whole(item, state),
        }
    }
    let RootReferences { files, missing, warnings, url } = references;
    (missing, warnings, url, files.len()).hash(state);
    for ReferencedFile { file, by, shown, document, untrusted } in files {
        let FileRef { kind, path, anchor, at } = file;
        (kind, path, anchor, library.corpus.entries[*by].shown_at(at), shown, untrusted).hash(state);
        match document {
            Ok(document) => hash_document(document, state),
            Err(reason) => reason.hash(state),
        }
    }
}

/// An edge, but for the item at its end, whose place among all says nothing.
fn hash_edge<H: Hasher>(Edge { relation, to, evidence }: &Edge, state: &mut H) {
    (relation, evidence).hash(state);
    match to {
        Target::Item(_) => 0_u8.hash(state),
        issue @ Target::Issue { .. } => issue.hash(state),
    }
}

/// The digest covers the text, and what it holds follows from it.
fn hash_document<H: Hasher>(document: &Document, state: &mut H) {
    let Document { path, shown, text, status, removals, digest } = document;
    (path, shown, &text.folds, status, removals, digest).hash(state);
}
