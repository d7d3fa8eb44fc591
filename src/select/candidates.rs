//! Selection of the sections that one pack could hold, in the order of the pack.

use super::neighbours::NEIGHBOURS;
use super::origins::redactions;
use super::root::MAX_LISTED_RELATIONS;
use super::selector::{Collected, Selector};
use super::types::{Filler, INSTRUCTIONS};
use super::{
    Candidate, CodeUse, Fillers, KnowledgeSections, ReferencedCode, ReferencedFile, ReferencedLines, RootReferences,
    SectionBody, SelectedRoot, Selection, SelectionContext, Trim,
};
use crate::config::{Group, Policy};
use crate::graph::{Edge, Entry, FileRef, Graph, MentionedItem, Target};
use crate::model::{Relation, natural_cmp};
use crate::redact::Clean;
use std::cell::OnceCell;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::hash::{Hash, Hasher};

/// Selects the sections that the pack of `root` could hold, or without a root those of an agent's session.
///
/// `knowledge` is what it holds besides its root and the root's neighbourhood.
pub fn select(
    context: &SelectionContext<'_>,
    root: Option<usize>,
    references: RootReferences,
    knowledge: KnowledgeSections,
) -> Selection {
    let KnowledgeSections { labels, soul, first, last, inputs, omissions } = knowledge;
    let mut found = Collected {
        context,
        root_only: root.is_some() && labels.policy == Some(Policy::Minimal),
        candidates: Vec::new(),
        ids: BTreeSet::new(),
        omissions: Vec::new(),
        inputs: BTreeMap::new(),
    };
    first.into_iter().for_each(|section| found.put(section));
    let mut fillers = Fillers::default();
    let root = match root {
        Some(root) => {
            let (lower_root_text, shown) = (OnceCell::new(), BTreeSet::new());
            let mut selector = Selector { context, found, root, lower_root_text, shown, fillers };
            let root = selector.add_root(&context.corpus.entries[root], &references);
            Selector { found, fillers, .. } = selector;
            root
        }
        None => {
            let (id, title) = labels.agent.clone().map(|agent| (agent.key, agent.name)).unwrap_or_default();
            SelectedRoot { name: id.to_string(), id, is_item: true, url: None, title }
        }
    };
    last.into_iter().for_each(|section| found.put(section));
    omissions.into_iter().for_each(|omission| found.omit(omission));
    context.inputs.iter().cloned().chain(inputs).for_each(|input| found.record(input));
    let mut inputs: Vec<_> = found.inputs.into_iter().collect();
    inputs.sort_by(|(a, _), (b, _)| (a.0.cmp(&b.0)).then_with(|| natural_cmp(&a.1, &b.1)).then_with(|| a.2.cmp(&b.2)));
    rank(&mut found.candidates, &context.profile.priority);
    let instructions = &context.instructions;
    let (title, body) = (Clean::literal("Instructions"), SectionBody::Whole(instructions.text.clone()));
    let instructions = Candidate {
        trim: Trim::Root,
        removals: redactions(&instructions.removals, |_| true, &instructions.origin),
        ..Candidate::new(INSTRUCTIONS, &Clean::default(), title, instructions.origin.clone(), body)
    };
    Selection {
        profile: context.profile.name.clone(),
        root,
        labels,
        head: std::iter::once(instructions).chain(soul).collect(),
        candidates: found.candidates,
        inputs: inputs.into_iter().map(|(_, input)| input).collect(),
        omissions: found.omissions,
        fillers,
        warnings: references.warnings,
    }
}

impl Selector<'_> {
    fn add_root(&mut self, entry: &Entry, references: &RootReferences) -> SelectedRoot {
        self.add_own_sections(entry, references);
        self.add_comments(entry);
        let (mut related, mut to_fill) = (0, Vec::new());
        for (relations, kind) in NEIGHBOURS {
            related = self.found.candidates.len();
            to_fill.extend(self.add_neighbours(relations, kind));
        }
        to_fill.extend(self.add_mentioned(references));
        self.fill_with_items(references, related, to_fill);
        references.files.iter().for_each(|reference| self.add_document(reference));
        let fillers = self.fillers.sequence.len();
        let (code, beyond) = references.code_within_limit(self.root);
        code.into_iter().for_each(|reference| self.add_code(reference));
        self.grow_code(fillers);
        references.kept.iter().for_each(|reference| self.add_code_at_commit(reference));
        references.missing.iter().for_each(|missing| self.add_missing(missing));
        beyond.into_iter().for_each(|reference| self.omit_code(reference));
        self.add_likely(entry, references);
        SelectedRoot {
            id: entry.item.id.clone(),
            name: entry.name(&self.context.corpus.rules),
            is_item: entry.bare_issue().is_none(),
            url: references.url.clone(),
            title: entry.item.title.clone(),
        }
    }

    /// Lets the code that was added after some `others` fill the budget before these, the smallest first.
    fn grow_code(&mut self, others: usize) {
        let mut grown = self.fillers.sequence.split_off(others);
        grown.sort_by_key(|Filler { candidate, at, .. }| (candidate.full_chars(), *at));
        self.fillers.grown = grown.len();
        self.fillers.sequence.splice(0..0, grown);
    }
}

/// Sets the places in the order of trimming: the lowest group first; in a group what is done, then what the root's text does
/// not name, then the last in pack order, of comments and cards the oldest.
fn rank(candidates: &mut [Candidate], priority: &[Group]) {
    let strength = |group| 1 + priority.iter().position(|known| *known == group).unwrap_or(priority.len());
    let count = candidates.len();
    let optional = candidates.iter().enumerate().filter(|(_, candidate)| candidate.trim == Trim::Optional);
    let mut order: Vec<_> = optional
        .map(|(index, Candidate { rank, .. })| {
            let late = if rank.is_history() { count - index } else { index };
            Reverse((rank.group.map_or(0, strength), rank.tier(), Reverse(rank.weight), late, index))
        })
        .collect();
    order.sort_unstable();
    let (mut class, mut last) = (0, None);
    for (position, Reverse((strength, tier, _, _, index))) in (0..).zip(order) {
        let rank = &mut candidates[index].rank;
        if last.replace((strength, tier)) != Some((strength, tier)) || rank.has_no_equals() {
            class += 1;
        }
        (rank.order, rank.class) = (position, class);
    }
}

/// Feeds `state` everything that [`select`] reads for the pack of `root`, so that equal hashes mean equal selections, except
/// for [`SelectionContext::hash_settings`].
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
    for edge in claims.iter().take(MAX_LISTED_RELATIONS) {
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
    context.graph.unresolved(root).hash(state);
    for MentionedItem { item, place, replaces } in &references.mentioned {
        (place, replaces).hash(state);
        whole(*item, state);
    }
    let RootReferences { files, code, kept, secrets, missing, likely, absent, warnings, url, mentioned: _ } =
        references;
    (secrets, missing, likely, absent, warnings, url, files.len(), code.len(), kept.len()).hash(state);
    for ReferencedLines { code, removals, by, at } in kept {
        let entry = &context.corpus.entries[*by];
        (code, removals, entry.shown_at(at), entry.is_untrusted_at(at)).hash(state);
    }
    for ReferencedFile { file, by, shown, document, untrusted, configured } in files {
        // Only code has lines and commits.
        let FileRef { kind, path, anchor, lines: _, commit: _, at, order: _ } = file;
        if let Some(item) = context.graph.of_file(path) {
            (Graph::state(context.corpus, item), &context.corpus.entries[item].item.status).hash(state);
        }
        let at = (!configured).then(|| context.corpus.entries[*by].shown_at(at));
        (kind, path, anchor, at, shown, untrusted, document).hash(state);
    }
    let hash_use = |CodeUse { by, at, document, commit }: &CodeUse, state: &mut H| {
        (context.corpus.entries[*by].shown_at(at), document, commit).hash(state);
    };
    for ReferencedCode { path, shown, document, untrusted, whole, lines, tests } in code {
        (path, shown, untrusted, tests, whole.is_some(), lines.len(), document).hash(state);
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
