//! What commands print with `--format json`. `schema/output.schema.json` describes the fields.

use crate::console::OutputDiagnostic;
use crate::engine::PackState;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Build {
    pub(crate) packs: Vec<BuiltPack>,
    pub(crate) diagnostics: Vec<OutputDiagnostic>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) gone: Vec<OutputDiagnostic>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct BuiltPack {
    pub(crate) root: String,
    pub(crate) profile: String,
    pub(crate) path: String,
    pub(crate) files: Vec<String>,
    pub(crate) hash: Option<String>,
    pub(crate) status: &'static str,
    pub(crate) reasons: Vec<String>,
    pub(crate) used_chars: Option<u64>,
    pub(crate) used_tokens: Option<u64>,
    pub(crate) omitted: Option<usize>,
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

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Check {
    pub(crate) packs: Vec<CheckedPack>,
    pub(crate) diagnostics: Vec<OutputDiagnostic>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct CheckedPack {
    pub(crate) root: String,
    pub(crate) profile: String,
    pub(crate) path: String,
    pub(crate) status: &'static str,
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

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Ready {
    pub(crate) roots: Vec<ReadyRoot>,
    pub(crate) diagnostics: Vec<OutputDiagnostic>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ReadyRoot {
    pub(crate) root: String,
    pub(crate) title: String,
    pub(crate) ready: bool,
    pub(crate) findings: Vec<OutputDiagnostic>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct List {
    pub(crate) roots: Vec<Root>,
    pub(crate) diagnostics: Vec<OutputDiagnostic>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Matrix {
    pub(crate) include: Vec<MatrixShard>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct MatrixShard {
    pub(crate) shard: String,
    pub(crate) index: u32,
    pub(crate) roots: usize,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Root {
    pub(crate) id: String,
    pub(crate) title: String,
    #[serde(rename = "type")]
    pub(crate) kind: String,
    pub(crate) status: String,
    pub(crate) state: &'static str,
    pub(crate) edges: BTreeMap<&'static str, usize>,
    pub(crate) packs: Vec<CheckedPack>,
}

#[cfg(feature = "github")]
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Sync {
    pub(crate) repo: String,
    pub(crate) files: Vec<SyncedFile>,
    pub(crate) unchanged: usize,
    pub(crate) issues: usize,
    pub(crate) requests: u64,
    pub(crate) remaining: Option<u64>,
    pub(crate) reset: Option<String>,
    pub(crate) complete: bool,
    pub(crate) failed: Vec<String>,
    pub(crate) error: Option<String>,
    pub(crate) diagnostics: Vec<OutputDiagnostic>,
}

#[cfg(feature = "github")]
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct SyncedFile {
    pub(crate) path: String,
    pub(crate) status: &'static str,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Verify {
    pub(crate) packs: Vec<VerifiedPack>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct VerifiedPack {
    pub(crate) path: String,
    pub(crate) hash: Option<String>,
    pub(crate) valid: bool,
    pub(crate) faults: Vec<String>,
    #[serde(skip)]
    pub(crate) bytes: Vec<u8>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Redact {
    pub(crate) redactions: Vec<Removed>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Removed {
    pub(crate) path: String,
    pub(crate) line: u32,
    pub(crate) rule: String,
    pub(crate) count: u32,
    pub(crate) reason: String,
    pub(crate) to_include: String,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct RedactWhy {
    pub(crate) values: Vec<ExplainedValue>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ExplainedValue {
    pub(crate) line: u32,
    pub(crate) removed: bool,
    pub(crate) rule: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) class: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) value: Option<String>,
    pub(crate) reason: String,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct RedactRules {
    pub(crate) rules: Vec<Rule>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Rule {
    pub(crate) name: String,
    pub(crate) reason: String,
    pub(crate) built_in: bool,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Notes {
    pub(crate) documents: Vec<NotedDocument>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct NotedDocument {
    pub(crate) path: String,
    pub(crate) success: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) notes: Option<DocumentNotes>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) error: Option<NotesError>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct DocumentNotes {
    pub(crate) made_by: &'static str,
    pub(crate) source_digest: String,
    pub(crate) stale: bool,
    pub(crate) summary: Vec<String>,
    pub(crate) key_facts: Vec<String>,
    pub(crate) rules: Vec<String>,
    pub(crate) keywords: Vec<String>,
    pub(crate) left_out: NotesLeftOut,
    pub(crate) written: bool,
    /// What is to be written beside the document; `None` for notes that the repo has already.
    #[serde(skip)]
    pub(crate) sidecar: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct NotesLeftOut {
    pub(crate) rules: usize,
    pub(crate) key_facts: usize,
    pub(crate) sentences: usize,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct NotesError {
    pub(crate) kind: &'static str,
    pub(crate) message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) help: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) line: Option<u32>,
}
