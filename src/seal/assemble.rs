//! Conversion of a fitted pack into the wire types.

use super::{Sealed, Stamp};
use crate::fit::{
    AgentLabel, Candidate, EdgeRow, Evidence, Fitted, FittedSection, Input, LikelyFile, Notice, Omission,
    RedactionRecord, SectionBody, TextOrigin, trust_name,
};
use crate::model::slug;
use crate::redact::Clean;
use crate::wire::{self, Extra};

pub fn seal(fitted: &Fitted, stamp: &Stamp) -> Sealed {
    let selection = &fitted.selection;
    let labels = &selection.labels;
    let counted = fitted.budget.max_tokens.is_some();
    let head = || selection.head.iter().zip(&fitted.head);
    let kept = || fitted.kept.iter().map(|kept| (&selection.candidates[kept.candidate], kept));
    let sections = head().chain(kept()).map(|(candidate, kept)| section(candidate, kept, &selection.root.id, counted));
    let removals = head().chain(kept()).flat_map(|(it, _)| it.removals.iter().map(move |removal| (&it.id, removal)));
    let redaction = |(section, RedactionRecord { origin, removal }): (&Clean, &RedactionRecord)| wire::Redaction {
        section: section.to_string(),
        source: source(origin),
        line: removal.line.into(),
        rule: removal.rule.clone(),
        count: removal.count.into(),
        reason: removal.reason.clone(),
        to_include: removal.to_include.clone(),
        extra: Extra::new(),
    };
    let mut redactions: Vec<wire::Redaction> = removals.map(redaction).collect();
    redactions.dedup();
    let mut warnings: Vec<&Notice> = selection.warnings.iter().collect();
    warnings.sort();
    warnings.dedup();
    let pack = wire::Pack {
        schema_version: wire::SCHEMA_VERSION.to_owned(),
        pack_id: String::new(),
        generated_at: stamp.generated_at.clone(),
        generator: stamp.generator.clone(),
        profile: selection.profile.clone(),
        root: wire::PackRoot {
            work_item_id: selection.root.is_item.then(|| selection.root.id.to_string()),
            issue_url: string(&selection.root.url),
            title: selection.root.title.to_string(),
            extra: Extra::new(),
        },
        agent: labels.agent.as_ref().map(agent),
        policy: labels.policy.map(|policy| policy.name().to_owned()),
        job: labels.job.clone(),
        handover: labels.handover.as_ref().map(|handover| wire::PackHandover {
            recipe: handover.recipe.clone(),
            from: string(&handover.from),
            context_box_id: handover.context_box.to_string(),
            target_profile_box_id: handover.profile_box.to_string(),
            output_box: handover.output_box.to_string(),
            extra: Extra::new(),
        }),
        inputs: selection.inputs.iter().map(input).collect(),
        budget: budget(fitted, counted),
        hash: String::new(),
        sections: sections.collect(),
        omissions: fitted.omissions.iter().map(omission).collect(),
        redactions,
        warnings: warnings.into_iter().map(warning).collect(),
        extra: Extra::new(),
    };
    Sealed::new(pack, &slug(&selection.root.name))
}

fn agent(AgentLabel { key, name }: &AgentLabel) -> wire::PackAgent {
    wire::PackAgent { key: key.to_string(), name: name.to_string(), extra: Extra::new() }
}

fn budget(fitted: &Fitted, counted: bool) -> wire::PackBudget {
    let budget = &fitted.budget;
    wire::PackBudget {
        max_chars: budget.max_chars,
        max_bytes: budget.max_bytes,
        max_tokens: budget.max_tokens,
        margin: (budget.margin > 0).then_some(u64::from(budget.margin)),
        strategy: budget.strategy.name().to_owned(),
        tokenizer: counted.then(|| budget.tokenizer.name().to_owned()),
        rendering: wire::RENDERING.to_owned(),
        used_chars: fitted.used.chars,
        used_bytes: fitted.used.bytes,
        used_tokens: counted.then_some(fitted.used.tokens),
        extra: Extra::new(),
    }
}

fn section(candidate: &Candidate, kept: &FittedSection, root: &str, counted: bool) -> wire::Section {
    let list = match &candidate.body {
        SectionBody::Edges(list) => Some(list),
        _ => None,
    };
    let edges = list.map(|list| {
        let claims = list.claims.rows.iter().map(|row| (row, Some(trust_name(true).to_owned())));
        list.rows.iter().map(|row| (row, None)).chain(claims).map(|(row, trust)| edge(row, root, trust)).collect()
    });
    let by = candidate.by.as_ref();
    let document = candidate.document.as_ref();
    // All that were found, or the first alone.
    let listed = candidate.likely.iter().take(if kept.detail == "full" { usize::MAX } else { 1 });
    wire::Section {
        id: candidate.id.to_string(),
        kind: candidate.kind.name.to_owned(),
        title: candidate.title.to_string(),
        source: source(&candidate.origin),
        provenance: candidate.kind.provenance.to_owned(),
        content: kept.content.to_string(),
        metadata: wire::Metadata {
            detail: kept.detail.to_owned(),
            chars: kept.content.chars().count() as u64,
            tokens: counted.then_some(kept.tokens),
            full_chars: kept.full_chars,
            state: string(&candidate.state),
            status: string(&candidate.status),
            author: by.and_then(|by| string(&by.author)),
            author_association: by.and_then(|by| string(&by.association)),
            created_at: by.and_then(|by| string(&by.created_at)),
            edited: by.and_then(|by| by.edited),
            trust: Some(trust_name(candidate.untrusted).to_owned()),
            relation: candidate.relation.map(str::to_owned),
            evidence: candidate.evidence.as_ref().map(|Evidence { source, at }| wire::SectionEvidence {
                source: (*source).to_owned(),
                at: at.to_string(),
                extra: Extra::new(),
            }),
            edges,
            untrusted_edges: list.map(|list| list.claims.count as u64).filter(|count| *count > 0),
            doc_type: document.map(|document| document.kind.to_owned()),
            rank: document.and_then(|document| document.rank).map(u64::from),
            matched: document.map(|document| document.matched.clone()).filter(|matched| !matched.is_empty()),
            meaning: document.and_then(|document| document.meaning).map(u64::from),
            stale_notes: document.and_then(|document| document.stale_notes.then_some(true)),
            files: Some(listed.map(likely_file).collect()).filter(|files: &Vec<_>| !files.is_empty()),
            card: candidate.card.as_ref().map(|card| wire::PackCard {
                id: card.id.to_string(),
                kind: card.kind.to_string(),
                role: card.role.to_owned(),
                author_id: card.author.to_string(),
                extra: Extra::new(),
            }),
            extra: Extra::new(),
        },
        extra: Extra::new(),
    }
}

fn likely_file(file: &LikelyFile) -> wire::PackFile {
    let words = file.words.iter().map(ToString::to_string).collect();
    wire::PackFile { path: file.path.to_string(), lines: file.lines, words, extra: Extra::new() }
}

fn edge(row: &EdgeRow, root: &str, trust: Option<String>) -> wire::PackEdge {
    wire::PackEdge {
        from: root.to_owned(),
        to: row.to.to_string(),
        relation: row.relation.to_owned(),
        title: row.title.to_string(),
        state: row.state.to_owned(),
        resolved: row.resolved,
        source: row.evidence.source.to_owned(),
        at: row.evidence.at.to_string(),
        trust,
        extra: Extra::new(),
    }
}

fn omission(omission: &Omission) -> wire::PackOmission {
    wire::PackOmission {
        id: omission.id.to_string(),
        title: omission.title.to_string(),
        source: source(&omission.origin),
        provenance: omission.provenance.to_owned(),
        reason: omission.reason.to_owned(),
        trust: omission.untrusted.then(|| trust_name(true).to_owned()),
        chars: omission.chars,
        tokens: omission.tokens,
        extra: Extra::new(),
    }
}

fn warning(notice: &Notice) -> wire::Warning {
    let source = |path: &Clean| wire::SectionSource {
        kind: "file".to_owned(),
        path: Some(path.to_string()),
        lines: notice.line.map(|line| [line, line]),
        ..wire::SectionSource::default()
    };
    let (code, message) = (notice.code.to_owned(), notice.message.to_string());
    wire::Warning { code, message, source: notice.path.as_ref().map(source), extra: Extra::new() }
}

fn input(input: &Input) -> wire::PackInput {
    let wire::SectionSource { kind, id, path, url, version, extra, .. } = source(&input.origin);
    wire::PackInput { kind, id, path, url, version, digest: input.digest.map(|digest| digest.to_string()), extra }
}

fn string(text: &Option<Clean>) -> Option<String> {
    text.as_ref().map(ToString::to_string)
}

fn source(origin: &TextOrigin) -> wire::SectionSource {
    wire::SectionSource {
        kind: origin.kind.name().to_owned(),
        id: string(&origin.id),
        path: string(&origin.path),
        lines: origin.lines,
        url: string(&origin.url),
        anchor: string(&origin.anchor),
        version: origin.version.map(|version| version.to_string()),
        extra: Extra::new(),
    }
}
