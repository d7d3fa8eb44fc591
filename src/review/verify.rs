//! Verification of a finished pack without its repo.

use super::read::{content_hash, read};
use crate::model::{CardSource, Digest, IssueReference, OriginKind, natural_cmp, section_kind, slug};
use crate::redact::{Redactor, invisible};
use crate::render::{self, Form};
use crate::wire::{Pack, PackRoot, Section};
use serde::Serialize;
use serde_json::Value;
use std::cmp::Ordering;
use std::collections::BTreeSet;

/// The most faults that are reported one by one.
const MAX_FAULTS: usize = 10;

/// The result of [`verify`].
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Verification {
    /// The hash of the content, if it can be computed; the pack may claim another one.
    pub hash: Option<Digest>,
    /// Every violation of `context_pack/v1`.
    pub violations: Vec<String>,
    /// A note on fields that a newer writer added, if there are any: the order and the words of such a pack are not checked.
    pub note: Option<String>,
}

impl Verification {
    /// Returns whether the pack is valid: it has no violations.
    pub fn is_valid(&self) -> bool {
        self.violations.is_empty()
    }
}

/// Checks the bytes of a pack: schema, form, hash, id, order, characters and budget.
pub fn verify(bytes: &[u8]) -> Verification {
    let pack = match read(bytes) {
        Ok(pack) => pack,
        Err(error) => {
            let violations = vec![format!("it is no context pack: {error}")];
            return Verification { hash: None, violations, note: None };
        }
    };
    let mut faults = Vec::new();
    let digest = content_hash(bytes);
    match digest {
        Some(digest) if digest.to_string() == pack.hash => {}
        Some(digest) => {
            faults.push(format!("the content was changed: its hash is {digest}, the pack says {}", shown(&pack.hash)))
        }
        None => faults.push("its hash cannot be computed".to_owned()),
    }
    id(&pack, &mut faults);
    let note = newer(&pack);
    if note.is_none() {
        form(bytes, &pack, &mut faults);
        order(&pack, &mut faults);
        sections(&pack, &mut faults);
        vocabulary(&pack, &mut faults);
        edges(&pack, &mut faults);
    }
    faults.extend(invisible_faults(&pack));
    if note.is_none() || Form::named(&pack.budget.rendering).is_some() {
        budget(&pack, &mut faults);
    }
    // They quote a file that anyone may have written.
    let violations = faults.iter().map(|fault| Redactor::built_in().line(fault)).collect();
    Verification { hash: digest, violations, note }
}

/// Returns a note on the fields that a newer writer added; `None` if there are none.
pub fn newer(pack: &Pack) -> Option<String> {
    let fields = pack.newer_fields();
    let named: Vec<String> = fields.iter().take(5).map(|field| shown(field)).collect();
    let more = if fields.len() > named.len() { " and others" } else { "" };
    let note = || format!("written by a newer version: this one does not know {}{more}", named.join(", "));
    (!fields.is_empty()).then(|| Redactor::built_in().line(&note()))
}

/// Returns the names that a pack of this root may have: the work item's id, or the issue's `issue-<number>` and
/// `owner/repo#number`.
pub fn root_names(root: &PackRoot) -> Vec<String> {
    if let Some(id) = &root.work_item_id {
        return vec![id.clone()];
    }
    let issue = root.issue_url.as_deref().and_then(IssueReference::parse);
    let Some(IssueReference { repo: Some(repo), number, .. }) = issue else { return Vec::new() };
    vec![format!("issue-{number}"), format!("{repo}#{number}")]
}

fn shown(text: &str) -> String {
    format!("`{}`", text.chars().take(80).collect::<String>())
}

fn id(pack: &Pack, faults: &mut Vec<String>) {
    let hex = pack.hash.strip_prefix("sha256:").unwrap_or_default();
    if !is_content_id(&pack.hash) {
        faults.push(format!("`hash` is no SHA-256: {}", shown(&pack.hash)));
        return;
    }
    let ids = root_names(&pack.root).into_iter().map(|name| slug(&name));
    let expected: Vec<String> = ids.map(|slug| format!("cp_{slug}_{}_{}", pack.profile, &hex[..12])).collect();
    if expected.is_empty() {
        faults.push("`root` has neither a work item's id nor an issue's URL".to_owned());
    } else if !expected.contains(&pack.pack_id) {
        faults.push(format!("`pack_id` is {}, root, profile and hash give `{}`", shown(&pack.pack_id), expected[0]));
    }
    if !pack.profile.bytes().all(|b| matches!(b, b'a'..=b'z' | b'0'..=b'9' | b'-')) || pack.profile.is_empty() {
        faults.push(format!("`profile` is no name of a profile: {}", shown(&pack.profile)));
    }
    if humantime::parse_rfc3339(&pack.generated_at).is_err() || pack.generated_at.len() != 20 {
        faults.push(format!("`generated_at` is no time such as `2026-02-22T01:20:00Z`: {}", shown(&pack.generated_at)));
    }
}

/// Checks the published form: field order, two-space indent, LF, one final newline, no byte-order mark.
fn form(bytes: &[u8], pack: &Pack, faults: &mut Vec<String>) {
    let mut expected = Vec::with_capacity(bytes.len());
    if pack.serialize(&mut serde_json::Serializer::pretty(&mut expected)).is_err() {
        return;
    }
    expected.push(b'\n');
    if expected == bytes {
        return;
    }
    if bytes.contains(&b'\r') {
        let help = "keep packs as they are with `packs/*.json text eol=lf` in `.gitattributes`";
        return faults.push(format!("its line ends are not LF: {help}"));
    }
    let same = expected.iter().zip(bytes).take_while(|(a, b)| a == b).count();
    let line = bytes[..same].iter().filter(|b| **b == b'\n').count() + 1;
    let form = "field order, indent of two spaces, one final newline";
    faults.push(format!("line {line}: it is not in the published form ({form})"));
}

/// The groups of sections in the pack's order: an id that a pack has once, or the beginning of several. The draft may come before
/// the issue's own text; documents are before the root, and relevant ones after everything else.
const GROUPS: &str = "instructions agent overview user doc. changes card. root.issue|root.draft root.json root.edges comment. \
                      parent. child. dependency. related. adr. file. code. code.likely doc. job";

/// Returns the place of a section's group in the pack's order, and the beginning and the rest of its id, which sorts within the
/// group.
fn rank(section: &Section) -> Option<(usize, &str, &str)> {
    let is_of = |known: &str| match known.ends_with('.') {
        true => section.id.starts_with(known),
        false => known.split('|').any(|known| known == section.id),
    };
    let mut groups = GROUPS.split(' ').enumerate().filter(|(_, known)| is_of(known));
    let is_last = section.provenance == "relevant" && section.id.starts_with("doc.");
    let (group, _) = if is_last || section.provenance == "likely" { groups.nth(1)? } else { groups.next()? };
    let (start, rest) = section.id.split_once('.').unwrap_or((section.id.as_str(), ""));
    Some((group, start, rest))
}

fn order(pack: &Pack, faults: &mut Vec<String>) {
    let mut seen = BTreeSet::new();
    let mut before = None;
    for section in &pack.sections {
        if !seen.insert(&section.id) {
            faults.push(format!("section {} appears twice", shown(&section.id)));
        }
        let Some(rank) = rank(section) else {
            faults.push(format!("{} is no section id of this version", shown(&section.id)));
            continue;
        };
        if before.is_some_and(|before| out_of_order(before, rank)) {
            faults.push(format!("section {} is out of order", shown(&section.id)));
        }
        before = Some(rank);
    }
    let is = |section: &Section, id: &str, kind: &str| section.id.starts_with(id) && section.kind == kind;
    if !pack.sections.first().is_some_and(|section| is(section, "instructions", section_kind::INSTRUCTIONS)) {
        faults.push("section 1 is not the instructions".to_owned());
    }
    let root = pack.sections.iter().find(|section| section.id.starts_with("root."));
    // An agent's pack without a root begins a session, and is named by its agent.
    let begins_session =
        || pack.agent.as_ref().is_some_and(|agent| pack.root.work_item_id.as_ref() == Some(&agent.key));
    if !root.is_some_and(|root| is(root, "root", section_kind::ISSUE)) && (root.is_some() || !begins_session()) {
        faults.push("the first section of the root is not its text".to_owned());
    }
}

fn out_of_order(before: (usize, &str, &str), after: (usize, &str, &str)) -> bool {
    match before.0.cmp(&after.0) {
        Ordering::Less => false,
        Ordering::Greater => true,
        Ordering::Equal => match before.1 {
            // Comments are sorted by age, cards as they were handed over, documents by scope, weight or relevance, files as the
            // item lists them.
            "comment" | "card" | "doc" | "file" | "root" => false,
            "adr" => before.2 > after.2,
            "code" => code_order(before.2) > code_order(after.2),
            _ => natural_cmp(before.2, after.2) == Ordering::Greater,
        },
    }
}

/// Returns the path and the first line of a section of code: the whole file comes before its lines.
fn code_order(rest: &str) -> (&str, u64) {
    let lines = rest.rsplit_once("#L").and_then(|(path, lines)| {
        let first = lines.split('-').next()?.parse().ok()?;
        Some((path, first))
    });
    lines.unwrap_or((rest, 0))
}

fn sections(pack: &Pack, faults: &mut Vec<String>) {
    for section in &pack.sections {
        let chars = section.content.chars().count() as u64;
        if section.metadata.chars != chars {
            let stated = section.metadata.chars;
            faults.push(format!("section {} has {chars} characters, its metadata says {stated}", shown(&section.id)));
        }
        if !["full", "truncated", "excerpt", "pointer"].contains(&section.metadata.detail.as_str()) {
            let detail = shown(&section.metadata.detail);
            faults.push(format!("section {} has the unknown detail {detail}", shown(&section.id)));
        }
    }
    for redaction in &pack.redactions {
        if !pack.sections.iter().any(|section| section.id == redaction.section) {
            faults.push(format!("a redaction names section {}, which is not there", shown(&redaction.section)));
        }
    }
}

/// Checks the fields with a fixed vocabulary, the paths and the line numbers.
///
/// Programs rely on their form, and text from outside must not appear in them.
fn vocabulary(pack: &Pack, faults: &mut Vec<String>) {
    let is_name = |text: &str| {
        !text.is_empty() && text.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.'))
    };
    let mut name = |what: &str, text: &str| {
        if !is_name(text) {
            faults.push(format!("{what} is {}", shown(text)));
        }
    };
    for section in &pack.sections {
        name("`kind` of a section", &section.kind);
        name("`provenance` of a section", &section.provenance);
        name("`kind` of a source", &section.source.kind);
        section.metadata.state.iter().for_each(|state| name("`state` of a section", state));
        section.metadata.relation.iter().for_each(|relation| name("`relation` of a section", relation));
        section.metadata.evidence.iter().for_each(|evidence| name("`source` of an evidence", &evidence.source));
    }
    for omission in &pack.omissions {
        name("`reason` of an omission", &omission.reason);
        name("`provenance` of an omission", &omission.provenance);
        name("`kind` of a source", &omission.source.kind);
    }
    pack.redactions.iter().for_each(|redaction| name("`rule` of a redaction", &redaction.rule));
    pack.warnings.iter().for_each(|warning| name("`code` of a warning", &warning.code));
    pack.inputs.iter().for_each(|input| name("`kind` of an input", &input.kind));
    let trusts = pack.sections.iter().filter_map(|section| section.metadata.trust.as_deref());
    let trusts = trusts.chain(pack.omissions.iter().filter_map(|omission| omission.trust.as_deref()));
    for trust in trusts.filter(|trust| !["trusted", "untrusted"].contains(trust)) {
        faults.push(format!("`trust` is {}, not `trusted` or `untrusted`", shown(trust)));
    }
    for instructions in pack.sections.iter().filter(|section| section.kind == section_kind::INSTRUCTIONS) {
        let own = ["builtin", "file"].contains(&instructions.source.kind.as_str());
        if !own || instructions.metadata.trust.as_deref() != Some("trusted") {
            faults.push("the instructions are not from a trusted text".to_owned());
        }
    }
    agent(pack, faults);
    handover(pack, faults);
    if !["truncate_tail", "drop_low_priority", "both"].contains(&pack.budget.strategy.as_str()) {
        faults.push(format!("`budget` has the unknown strategy {}", shown(&pack.budget.strategy)));
    }
    let sources = pack.sections.iter().map(|section| &section.source);
    let sources = sources.chain(pack.omissions.iter().map(|omission| &omission.source));
    for source in sources.chain(pack.redactions.iter().map(|redaction| &redaction.source)) {
        if source.lines.is_some_and(|[first, last]| first == 0 || first > last) {
            faults.push("`lines` of a source are no first and last line".to_owned());
        }
    }
}

/// Checks what packs for agents alone have, and what is said about documents.
fn agent(pack: &Pack, faults: &mut Vec<String>) {
    if let Some(policy) = pack.policy.as_deref().filter(|policy| !["minimal", "default", "expanded"].contains(policy)) {
        faults.push(format!("`policy` is {}, not `minimal`, `default` or `expanded`", shown(policy)));
    }
    if pack.agent.is_some() != pack.policy.is_some() || pack.job.is_some() && pack.agent.is_none() {
        faults.push("a pack has `agent` and `policy` together, and `job` only with them".to_owned());
    }
    for id in ["agent", "changes", "job"] {
        if pack.agent.is_none() && pack.sections.iter().any(|section| section.id == id) {
            faults.push(format!("section `{id}` belongs to a pack for an agent, and this is none"));
        }
    }
    let mut expected = 1;
    for section in &pack.sections {
        let relevant = section.provenance == "relevant";
        match section.metadata.rank {
            None if !relevant => {}
            Some(rank) if relevant && rank >= expected => expected = rank.saturating_add(1),
            _ => faults.push(format!("section {} has no `rank` in the order of relevance", shown(&section.id))),
        }
    }
}

/// Checks what packs of handovers alone have: the handover, and cards in the order in which it gives them.
fn handover(pack: &Pack, faults: &mut Vec<String>) {
    if pack.handover.is_some() && pack.agent.is_none() {
        faults.push("a pack of a handover is for an agent, and this is for none".to_owned());
    }
    let ids = pack.handover.iter().flat_map(|it| [&it.context_box_id, &it.target_profile_box_id]);
    for id in ids.filter(|id| !is_content_id(id)) {
        faults.push(format!("`handover` names {}, which is no id of a box", shown(id)));
    }
    let mut before = 0;
    for section in &pack.sections {
        let (is_card, card) = (section.id.starts_with("card."), section.metadata.card.as_ref());
        if is_card != card.is_some() || is_card != (section.kind == section_kind::CARD) {
            faults.push(format!("section {} is a card by some of id, kind and metadata", shown(&section.id)));
            continue;
        }
        let Some(card) = card else { continue };
        if pack.handover.is_none() {
            faults.push(format!("section {} belongs to a pack of a handover, and this is none", shown(&section.id)));
        }
        let hex = card.id.strip_prefix("sha256:").filter(|_| is_content_id(&card.id)).unwrap_or_default();
        if hex.get(..12) != section.id.strip_prefix("card.") {
            faults.push(format!("section {} has the card {}", shown(&section.id), shown(&card.id)));
        }
        if !pack.inputs.iter().any(|input| input.kind == OriginKind::Card.name() && input.id.as_ref() == Some(&card.id))
        {
            faults.push(format!("the inputs lack the card of section {}", shown(&section.id)));
        }
        if !["system", "user", "assistant", "tool"].contains(&card.role.as_str()) {
            faults.push(format!("section {} has the unknown role {}", shown(&section.id), shown(&card.role)));
        }
        match CardSource::ALL.iter().position(|given| given.name() == section.provenance) {
            Some(place) if place >= before => before = place,
            Some(_) => faults.push(format!("section {} is out of order", shown(&section.id))),
            None => faults.push(format!("section {} was handed over in no known way", shown(&section.id))),
        }
    }
}

/// Returns whether a text is the id of a card or a box.
fn is_content_id(id: &str) -> bool {
    let hex = id.strip_prefix("sha256:").unwrap_or_default();
    hex.len() == 64 && hex.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
}

/// Checks that all edges begin at one item and are sorted: those that only untrusted texts state last, then by relation,
/// then by target.
fn edges(pack: &Pack, faults: &mut Vec<String>) {
    let relations = ["parent", "child", "depends_on", "blocked_by", "blocks", "related"];
    for edges in pack.sections.iter().filter_map(|section| section.metadata.edges.as_ref()) {
        let place = |edge: &crate::wire::PackEdge| {
            (edge.trust.is_some(), relations.iter().position(|relation| *relation == edge.relation))
        };
        let sorted = edges.windows(2).all(|pair| match place(&pair[0]).cmp(&place(&pair[1])) {
            Ordering::Less => true,
            Ordering::Equal => natural_cmp(&pair[0].to, &pair[1].to) != Ordering::Greater,
            Ordering::Greater => false,
        });
        let one = edges.windows(2).all(|pair| pair[0].from == pair[1].from);
        let known = edges
            .iter()
            .all(|edge| place(edge).1.is_some() && edge.trust.as_deref().is_none_or(|trust| trust == "untrusted"));
        if !sorted || !one || !known {
            faults.push("`edges` are not in the published order and form".to_owned());
        }
    }
}

fn budget(pack: &Pack, faults: &mut Vec<String>) {
    let budget = &pack.budget;
    if Form::named(&budget.rendering).is_none() {
        faults.push(format!("this program does not know the rendering {}", shown(&budget.rendering)));
        return;
    }
    if budget.max_chars.is_none() && budget.max_bytes.is_none() && budget.max_tokens.is_none() {
        faults.push("`budget` has no limit".to_owned());
    }
    let text = render::pack(pack).whole();
    let tokens = budget.used_tokens.and_then(|_| {
        let bpe = budget
            .tokenizer
            .as_deref()
            .filter(|name| ["o200k_base", "cl100k_base"].contains(name))
            .and_then(tiktoken::get_encoding);
        if bpe.is_none() {
            faults.push("`budget` counts tokens without a tokenizer that this program knows".to_owned());
        }
        bpe.map(|bpe| bpe.count(&text) as u64)
    });
    let units = [
        ("chars", Some(text.chars().count() as u64), Some(budget.used_chars), budget.max_chars),
        ("bytes", Some(text.len() as u64), Some(budget.used_bytes), budget.max_bytes),
        ("tokens", tokens, budget.used_tokens, budget.max_tokens),
    ];
    for (unit, measured, used, limit) in units {
        if let (Some(measured), Some(used)) = (measured, used)
            && measured != used
        {
            faults.push(format!("the rendering has {measured} {unit}, `used_{unit}` says {used}"));
        }
        if let (Some(measured), Some(limit)) = (measured.or(used), limit)
            && measured > limit
        {
            faults.push(format!("the rendering has {measured} {unit}, more than `max_{unit}` {limit}"));
        }
        if unit == "tokens" && limit.is_some() && used.is_none() {
            faults.push("`budget` limits tokens and does not say how many are used".to_owned());
        }
    }
}

/// Returns a fault for each text with characters that a reader does not see but a terminal or a model may obey.
///
/// No build produces such a pack, so the text was added to deceive.
pub fn invisible_faults(pack: &Pack) -> Vec<String> {
    let mut faults = Vec::new();
    // A pack can always be serialized.
    add_invisible(&serde_json::to_value(pack).unwrap_or_default(), "", &mut faults);
    let more = faults.len().saturating_sub(MAX_FAULTS);
    if more > 0 {
        faults.truncate(MAX_FAULTS);
        faults.push(format!("{more} more texts hold invisible characters"));
    }
    faults
}

fn add_invisible(value: &Value, place: &str, faults: &mut Vec<String>) {
    match value {
        Value::String(text) => {
            let found = invisible(text);
            let Some(first) = found.first() else { return };
            let c = text[first.clone()].chars().next().map_or(0, u32::from);
            let line = text[..first.start].matches('\n').count() + 1;
            let more = match found.len() {
                1 => String::new(),
                count => format!(" and {} more such characters", count - 1),
            };
            faults.push(format!("{place} holds U+{c:04X} at line {line}{more}, which no build leaves in a text"));
        }
        Value::Array(entries) => {
            for (number, entry) in (1..).zip(entries) {
                // An id with such characters is reported by its number instead.
                let id = entry["id"].as_str().filter(|id| invisible(id).is_empty());
                let place = match (place, id) {
                    ("`sections`", Some(id)) => format!("section `{}`", id.chars().take(80).collect::<String>()),
                    ("`sections`", None) => format!("section {number}"),
                    _ => format!("{place}, entry {number}"),
                };
                add_invisible(entry, &place, faults);
            }
        }
        Value::Object(fields) => {
            let before = if place.is_empty() { String::new() } else { format!("{place}, ") };
            fields.iter().for_each(|(name, value)| add_invisible(value, &format!("{before}`{name}`"), faults));
        }
        _ => {}
    }
}
