//! What a pack holds, why, and what it costs: as data, as a page for people.

mod markdown;
mod page;
mod text;

pub use page::grouped;

use crate::render;
use crate::wire::{Pack, PackEdge, Redaction, Warning};
use schemars::JsonSchema;
use serde::Serialize;

/// A pack explained.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Explanation {
    /// The pack's id.
    pub pack_id: String,
    /// The profile.
    pub profile: String,
    /// The root's id or URL.
    pub root: String,
    /// The root's title.
    pub title: String,
    /// The root's state.
    pub state: String,
    /// Where the root can be read.
    pub place: String,
    /// How the pack was made to fit.
    pub strategy: String,
    /// What is used of each limit.
    pub budget: Vec<LimitUse>,
    /// The graph around the root.
    pub edges: Vec<Neighbour>,
    /// The sections of the pack.
    pub sections: Vec<SectionLine>,
    /// What the frames and the list of omissions cost, in characters.
    pub frames: u64,
    /// What was left out.
    pub omissions: Vec<SectionLine>,
    /// What was removed.
    pub redactions: Vec<Redaction>,
    /// What a reader should know.
    pub warnings: Vec<Warning>,
}

/// What is used of a limit.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct LimitUse {
    /// `chars`, `bytes` or `tokens`.
    pub unit: String,
    /// How many the rendering has.
    pub used: u64,
    /// How many it may have, where it is limited.
    pub limit: Option<u64>,
}

/// A neighbour of the root.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Neighbour {
    /// The edge.
    #[serde(flatten)]
    pub edge: PackEdge,
    /// The id of its section, where it has one.
    pub section: Option<String>,
    /// `full`, `truncated`, `excerpt`, `pointer`, `left out`, `listed` where it stands in the edge list only, or
    /// `untrusted` where nobody who is trusted states it.
    pub shown: String,
}

/// A section in or out.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct SectionLine {
    /// Its id.
    pub id: String,
    /// Its title.
    pub title: String,
    /// Why it is, or would be, there.
    pub provenance: String,
    /// Its detail where it is in, the reason where it is out.
    pub how: String,
    /// Characters: of what is in, or of what would be.
    pub chars: Option<u64>,
    /// Tokens, where they are counted.
    pub tokens: Option<u64>,
    /// Characters of the whole text where it was made smaller.
    pub full_chars: Option<u64>,
    /// Where it can be read.
    pub place: String,
    /// Where the relation or reference was stated.
    pub stated: Option<String>,
}

/// Explains a pack.
pub fn explain(pack: &Pack) -> Explanation {
    let root = pack.sections.iter().find(|section| section.id == "root.issue");
    let sections: Vec<SectionLine> = pack
        .sections
        .iter()
        .map(|section| SectionLine {
            id: section.id.clone(),
            title: section.title.clone(),
            provenance: section.provenance.clone(),
            how: section.metadata.detail.clone(),
            chars: Some(section.metadata.chars),
            tokens: section.metadata.tokens,
            full_chars: section.metadata.full_chars,
            place: render::place(&section.source),
            stated: section.metadata.evidence.as_ref().map(|evidence| format!("{}, {}", evidence.source, evidence.at)),
        })
        .collect();
    let omissions: Vec<SectionLine> = pack
        .omissions
        .iter()
        .map(|omission| SectionLine {
            id: omission.id.clone(),
            title: omission.title.clone(),
            provenance: omission.provenance.clone(),
            how: omission.reason.clone(),
            chars: omission.chars,
            tokens: omission.tokens,
            full_chars: None,
            place: render::place(&omission.source),
            stated: None,
        })
        .collect();
    let edges = pack.sections.iter().filter_map(|section| section.metadata.edges.as_ref()).flatten();
    let edges = edges.map(|edge| neighbour(edge, &sections, &omissions)).collect();
    let content: u64 = pack.sections.iter().map(|section| section.metadata.chars).sum();
    let budget = &pack.budget;
    Explanation {
        pack_id: pack.pack_id.clone(),
        profile: pack.profile.clone(),
        root: pack.root.work_item_id.clone().or_else(|| pack.root.issue_url.clone()).unwrap_or_default(),
        title: pack.root.title.clone(),
        state: root.and_then(|root| root.metadata.state.clone()).unwrap_or_default(),
        place: root.map(|root| render::place(&root.source)).unwrap_or_default(),
        strategy: budget.strategy.clone(),
        budget: [
            ("chars", Some(budget.used_chars), budget.max_chars),
            ("bytes", Some(budget.used_bytes), budget.max_bytes),
            ("tokens", budget.used_tokens, budget.max_tokens),
        ]
        .into_iter()
        .filter_map(|(unit, used, limit)| Some(LimitUse { unit: unit.to_owned(), used: used?, limit }))
        .collect(),
        edges,
        frames: budget.used_chars.saturating_sub(content),
        sections,
        omissions,
        redactions: pack.redactions.clone(),
        warnings: pack.warnings.clone(),
    }
}

fn neighbour(edge: &PackEdge, sections: &[SectionLine], omissions: &[SectionLine]) -> Neighbour {
    let ids = ["parent", "child", "dependency", "related"].map(|prefix| format!("{prefix}.{}", edge.to));
    let section = sections.iter().find(|line| edge.trust.is_none() && ids.contains(&line.id));
    let shown = match section {
        _ if edge.trust.is_some() => "untrusted".to_owned(),
        Some(line) => line.how.clone(),
        None if omissions.iter().any(|line| ids.contains(&line.id)) => "left out".to_owned(),
        None => "listed".to_owned(),
    };
    Neighbour { edge: edge.clone(), section: section.map(|line| line.id.clone()), shown }
}
