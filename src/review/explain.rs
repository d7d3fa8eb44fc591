//! Explanation of a pack: what it holds, why, and at what cost.

use crate::model::section_kind;
use crate::render;
use crate::wire::{Pack, PackEdge, Redaction, Warning};
use serde::Serialize;

/// The explanation of a pack.
#[derive(Debug, Clone, Serialize)]
pub struct Explanation {
    /// The pack's id.
    pub pack_id: String,
    /// The profile.
    pub profile: String,
    /// The key of the agent that the pack is for.
    pub agent: Option<String>,
    /// How much a pack for an agent holds.
    pub policy: Option<String>,
    /// The job that it is for.
    pub job: Option<String>,
    /// The root's id or URL.
    pub root: String,
    /// The root's title.
    pub title: String,
    /// `untrusted` if anyone could have written the root's title.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trust: Option<String>,
    /// The root's state.
    pub state: String,
    /// Where the root can be read.
    pub place: String,
    /// The trimming strategy.
    pub strategy: String,
    /// The use of each limit.
    pub budget: Vec<LimitUse>,
    /// The neighbours of the root.
    pub edges: Vec<Neighbour>,
    /// The sections of the pack.
    pub sections: Vec<SectionLine>,
    /// The characters of the frames and of the list of omissions.
    pub frames: u64,
    /// The sections that were left out.
    pub omissions: Vec<SectionLine>,
    /// The redactions.
    pub redactions: Vec<Redaction>,
    /// The warnings about the inputs.
    pub warnings: Vec<Warning>,
}

#[derive(Debug, Clone, Serialize)]
pub struct LimitUse {
    pub unit: String,
    pub used: u64,
    pub limit: Option<u64>,
    pub margin: Option<u64>,
    pub room: Option<u64>,
}

#[derive(Debug, Clone, Serialize)]
pub struct Neighbour {
    #[serde(flatten)]
    pub edge: PackEdge,
    pub section: Option<String>,
    pub shown: String,
}

#[derive(Debug, Clone, Default, Serialize)]
pub struct SectionLine {
    pub id: String,
    pub title: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trust: Option<String>,
    pub provenance: String,
    pub how: String,
    pub chars: Option<u64>,
    pub tokens: Option<u64>,
    pub full_chars: Option<u64>,
    pub place: String,
    pub stated: Option<String>,
    pub rank: Option<u64>,
    pub matched: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub meaning: Option<u64>,
    pub stale_notes: bool,
}

/// Keeps the trust of what anyone could have written.
fn untrusted(trust: Option<&String>) -> Option<String> {
    trust.filter(|trust| *trust == "untrusted").cloned()
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
            // Of the list of relations the title is built in.
            trust: untrusted(section.metadata.trust.as_ref().filter(|_| section.kind != section_kind::EDGE_LIST)),
            provenance: section.provenance.clone(),
            how: section.metadata.detail.clone(),
            chars: Some(section.metadata.chars),
            tokens: section.metadata.tokens,
            full_chars: section.metadata.full_chars,
            place: render::place(&section.source),
            stated: section.metadata.evidence.as_ref().map(|evidence| format!("{}, {}", evidence.source, evidence.at)),
            rank: section.metadata.rank,
            matched: section.metadata.matched.clone().unwrap_or_default(),
            meaning: section.metadata.meaning,
            stale_notes: section.metadata.stale_notes == Some(true),
        })
        .collect();
    let omissions: Vec<SectionLine> = pack
        .omissions
        .iter()
        .map(|omission| SectionLine {
            id: omission.id.clone(),
            title: omission.title.clone(),
            trust: untrusted(omission.trust.as_ref()),
            provenance: omission.provenance.clone(),
            how: omission.reason.clone(),
            chars: omission.chars,
            tokens: omission.tokens,
            place: render::place(&omission.source),
            ..SectionLine::default()
        })
        .collect();
    let edges = pack.sections.iter().filter_map(|section| section.metadata.edges.as_ref()).flatten();
    let edges = edges.map(|edge| neighbour(edge, &sections, &omissions)).collect();
    let content: u64 = pack.sections.iter().map(|section| section.metadata.chars).sum();
    let budget = &pack.budget;
    Explanation {
        pack_id: pack.pack_id.clone(),
        profile: pack.profile.clone(),
        agent: pack.agent.as_ref().map(|agent| agent.key.clone()),
        policy: pack.policy.clone(),
        job: pack.job.clone(),
        root: pack.root.name().cloned().unwrap_or_default(),
        title: pack.root.title.clone(),
        trust: root.and_then(|root| untrusted(root.metadata.trust.as_ref())),
        state: root.and_then(|root| root.metadata.state.clone()).unwrap_or_default(),
        place: root.map(|root| render::place(&root.source)).unwrap_or_default(),
        strategy: budget.strategy.clone(),
        budget: [
            ("chars", Some(budget.used_chars), budget.max_chars),
            ("bytes", Some(budget.used_bytes), budget.max_bytes),
            ("tokens", budget.used_tokens, budget.max_tokens),
        ]
        .into_iter()
        .filter_map(|(unit, used, limit)| {
            let margin = budget.margin.filter(|margin| *margin > 0 && limit.is_some());
            let keep =
                |(limit, margin): (u64, u64)| u128::from(limit) * u128::from(100_u64.saturating_sub(margin)) / 100;
            let room = limit.zip(margin).and_then(|both| u64::try_from(keep(both)).ok());
            Some(LimitUse { unit: unit.to_owned(), used: used?, limit, margin, room })
        })
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
    let is_it = |line: &&SectionLine| neighbour_of(&line.id).is_some_and(|(_, item)| item == edge.to);
    let section = sections.iter().find(is_it).filter(|_| edge.trust.is_none());
    let shown = match section {
        _ if edge.trust.is_some() => "untrusted".to_owned(),
        Some(line) => line.how.clone(),
        None if omissions.iter().any(|line| is_it(&line)) => "left out".to_owned(),
        None => "listed".to_owned(),
    };
    Neighbour { edge: edge.clone(), section: section.map(|line| line.id.clone()), shown }
}

/// Returns which neighbour of the root a section is by its id, `parent`, `child`, `dependency` or `related`, and the item's id.
pub(super) fn neighbour_of(section: &str) -> Option<(&str, &str)> {
    section.split_once('.').filter(|(kind, _)| ["parent", "child", "dependency", "related"].contains(kind))
}

/// Formats a number with commas between thousands.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}
