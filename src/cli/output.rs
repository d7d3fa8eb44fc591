//! What commands print with `--format json`, as types, so that it has a schema.

use crate::console::OutputDiagnostic;
use crate::engine::PackState;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;

/// What `build` prints.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Build {
    /// One entry for each root and profile, and for each pack that was pruned; by path.
    pub(crate) packs: Vec<BuiltPack>,
    /// What is wrong with the input.
    pub(crate) diagnostics: Vec<OutputDiagnostic>,
    /// With `watch`, what was wrong before and is no longer.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) gone: Vec<OutputDiagnostic>,
}

/// A pack that `build` made, kept, removed or could not make.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct BuiltPack {
    /// The root's id.
    pub(crate) root: String,
    /// The profile.
    pub(crate) profile: String,
    /// The file, from the repo's root; with `watch --agent` and no `--out` the name that it would have.
    pub(crate) path: String,
    /// Files that were written or removed for it, from the repo's root: the pack, and the Markdown beside it.
    pub(crate) files: Vec<String>,
    /// The pack's hash; absent where none was built.
    pub(crate) hash: Option<String>,
    /// `written`, `unchanged`, `removed` or `failed`.
    pub(crate) status: &'static str,
    /// Why.
    pub(crate) reasons: Vec<String>,
    /// Unicode scalar values of the rendering.
    pub(crate) used_chars: Option<u64>,
    /// Tokens of the rendering, where they are counted.
    pub(crate) used_tokens: Option<u64>,
    /// How many sections were left out.
    pub(crate) omitted: Option<usize>,
    /// How many secrets were removed.
    pub(crate) redacted: Option<u64>,
}

impl BuiltPack {
    /// Converts the state of a pack; `shown` returns the path of a file of the folder.
    pub(crate) fn new(state: &PackState, shown: &dyn Fn(&str) -> String) -> Self {
        let summary = state.summary.as_ref();
        Self {
            root: state.root.clone(),
            profile: state.profile.clone(),
            path: shown(&state.name),
            files: state.files.iter().map(|name| shown(name)).collect(),
            hash: summary.map(|summary| summary.hash.clone()),
            status: state.status,
            reasons: state.reasons.clone(),
            used_chars: summary.map(|summary| summary.used_chars),
            used_tokens: summary.and_then(|summary| summary.used_tokens),
            omitted: summary.map(|summary| summary.omitted),
            redacted: summary.map(|summary| summary.redacted),
        }
    }
}

/// What `check` prints.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Check {
    /// One entry for each root and profile, and for each orphaned pack; by path.
    pub(crate) packs: Vec<CheckedPack>,
    /// What is wrong with the input.
    pub(crate) diagnostics: Vec<OutputDiagnostic>,
}

/// A pack on disk against the one that a build gives.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct CheckedPack {
    /// The root's id.
    pub(crate) root: String,
    /// The profile.
    pub(crate) profile: String,
    /// The file, from the repo's root.
    pub(crate) path: String,
    /// `fresh`, `stale`, `edited`, `missing`, `orphaned`, `unverifiable` (its issue is not in the snapshot, or its item is out of reach) or `failed`.
    pub(crate) status: &'static str,
    /// Why.
    pub(crate) reasons: Vec<String>,
}

impl CheckedPack {
    /// Converts the state of a pack in the folder `dir`.
    pub(crate) fn new(state: &PackState, dir: &str) -> Self {
        Self {
            root: state.root.clone(),
            profile: state.profile.clone(),
            path: format!("{dir}/{}", state.name),
            status: state.status,
            reasons: state.reasons.clone(),
        }
    }
}

/// What `ready` prints.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Ready {
    /// The roots that were asked about, in natural order of their ids.
    pub(crate) roots: Vec<ReadyRoot>,
    /// Errors of the input.
    pub(crate) diagnostics: Vec<OutputDiagnostic>,
}

/// Whether an agent can start on a root.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ReadyRoot {
    /// The root's id.
    pub(crate) root: String,
    /// Its title.
    pub(crate) title: String,
    /// Whether there is no finding.
    pub(crate) ready: bool,
    /// What keeps an agent from starting.
    pub(crate) findings: Vec<OutputDiagnostic>,
}

/// What `list` prints.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct List {
    /// The roots, in natural order of their ids.
    pub(crate) roots: Vec<Root>,
    /// What is wrong with the input.
    pub(crate) diagnostics: Vec<OutputDiagnostic>,
}

/// What `list --matrix` prints, for a workflow's `fromJSON`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Matrix {
    /// The parts that have roots, or the first where there are no roots: a matrix may not be empty.
    pub(crate) include: Vec<MatrixShard>,
}

/// A part of a build, which is one job.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct MatrixShard {
    /// What `build --shard` takes: `i/N`.
    pub(crate) shard: String,
    /// Its number, from 1: fit for a name.
    pub(crate) index: u32,
    /// How many roots it builds.
    pub(crate) roots: usize,
}

/// A root that gets packs.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Root {
    /// Its id.
    pub(crate) id: String,
    /// Its title.
    pub(crate) title: String,
    /// Its type as written; empty where it has none.
    #[serde(rename = "type")]
    pub(crate) kind: String,
    /// Its status as written; empty where it has none.
    pub(crate) status: String,
    /// `open`, `done`, `not_planned`, `merged` or `unknown`.
    pub(crate) state: &'static str,
    /// How many edges it has of each relation.
    pub(crate) edges: BTreeMap<&'static str, usize>,
    /// Its packs.
    pub(crate) packs: Vec<CheckedPack>,
}

/// What `sync` prints.
#[cfg(feature = "github")]
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Sync {
    /// The repo that was asked.
    pub(crate) repo: String,
    /// Files that were written or removed, by path.
    pub(crate) files: Vec<SyncedFile>,
    /// How many files were as they should be.
    pub(crate) unchanged: usize,
    /// How many issues were asked for.
    pub(crate) issues: usize,
    /// How many requests were sent.
    pub(crate) requests: u64,
    /// How many more the server allows; absent where it does not say.
    pub(crate) remaining: Option<u64>,
    /// When it allows more again, RFC 3339.
    pub(crate) reset: Option<String>,
    /// Whether nothing is left to be fetched; else the next run goes on.
    pub(crate) complete: bool,
    /// What could not be had.
    pub(crate) failed: Vec<String>,
    /// What ended the run before its end.
    pub(crate) error: Option<String>,
    /// What a reader should know.
    pub(crate) diagnostics: Vec<OutputDiagnostic>,
}

/// A file of the snapshot that changed.
#[cfg(feature = "github")]
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct SyncedFile {
    /// The file, from the repo's root.
    pub(crate) path: String,
    /// `written` or `removed`.
    pub(crate) status: &'static str,
}

/// What `verify` prints.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Verify {
    /// One entry for each pack.
    pub(crate) packs: Vec<VerifiedPack>,
}

/// A finished pack, judged.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct VerifiedPack {
    /// The file as given; `-` for standard input.
    pub(crate) path: String,
    /// The hash that its content has; absent where it is no pack.
    pub(crate) hash: Option<String>,
    /// Whether it has no fault.
    pub(crate) valid: bool,
    /// What is wrong with it.
    pub(crate) faults: Vec<String>,
}

/// What `redact --report` prints.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Redact {
    /// What was removed, in order.
    pub(crate) redactions: Vec<Removed>,
}

/// Something that was removed from a text.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Removed {
    /// The file as given; `-` for standard input.
    pub(crate) path: String,
    /// The line.
    pub(crate) line: u32,
    /// The rule.
    pub(crate) rule: String,
    /// How often on that line.
    pub(crate) count: u32,
    /// Why.
    pub(crate) reason: String,
    /// What to do to include it safely.
    pub(crate) to_include: String,
}

/// What `redact --why` prints.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct RedactWhy {
    /// The values of the text that were removed or judged, by place.
    pub(crate) values: Vec<ExplainedValue>,
}

/// A value that is removed, or that was judged and stays.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ExplainedValue {
    /// The line of the text.
    pub(crate) line: u32,
    /// Whether it is removed.
    pub(crate) removed: bool,
    /// The rule that removes it, or would have.
    pub(crate) rule: String,
    /// The name before it; missing if the rule needs none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) name: Option<String>,
    /// The class of that name: password, secret, key, token, weak or hint.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) class: Option<String>,
    /// The value if it stays.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) value: Option<String>,
    /// Why it is removed or stays.
    pub(crate) reason: String,
}

/// What `redact --rules` prints.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct RedactRules {
    /// The rules, by name.
    pub(crate) rules: Vec<Rule>,
}

/// A rule that removes something from texts.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Rule {
    /// Its name, as markers, records and `redaction.allow` have it.
    pub(crate) name: String,
    /// Why it removes something, as records say it.
    pub(crate) reason: String,
    /// Whether it is built in; else it is one of the configuration.
    pub(crate) built_in: bool,
}

/// What `notes` prints.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Notes {
    /// One entry for each document, in the order of the command line.
    pub(crate) documents: Vec<NotedDocument>,
}

/// A document and the notes on it.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct NotedDocument {
    /// The file as given.
    pub(crate) path: String,
    /// Whether there are notes.
    pub(crate) success: bool,
    /// The notes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) notes: Option<DocumentNotes>,
    /// Why there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) error: Option<NotesError>,
}

/// The notes on a document.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct DocumentNotes {
    /// Who made them: `front_matter`, `sidecar`, `extractor`, or `given` by `--from`.
    pub(crate) made_by: &'static str,
    /// The digest of the redacted text below the front matter.
    pub(crate) source_digest: String,
    /// Whether they belong to an older text.
    pub(crate) stale: bool,
    /// What the document is for and what it says to do.
    pub(crate) summary: Vec<String>,
    /// Definitions, and rows of tables.
    pub(crate) key_facts: Vec<String>,
    /// What the document requires or forbids, word for word.
    pub(crate) rules: Vec<String>,
    /// The words that the document is about.
    pub(crate) keywords: Vec<String>,
    /// How much was found and is not in the notes.
    pub(crate) left_out: NotesLeftOut,
    /// Whether `--write` wrote them.
    pub(crate) written: bool,
}

/// How much was found and is not in notes.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct NotesLeftOut {
    /// Rules over the limit, or too long to quote.
    pub(crate) rules: usize,
    /// Facts over the limit, or too long to quote.
    pub(crate) key_facts: usize,
    /// Sentences too long to be read.
    pub(crate) sentences: usize,
}

/// Why there are no notes on a document.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct NotesError {
    /// `denied`, `secret`, `not-text`, `unreadable`, `too-large`, `outside` or `invalid`.
    pub(crate) kind: &'static str,
    /// What is wrong.
    pub(crate) message: String,
    /// What to do next.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) help: Option<String>,
    /// The line of the document, the sidecar file or what `--from` names, from 1, if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) line: Option<u32>,
}
