//! What several commands print of packs with `--format json`. `schema/output.schema.json` describes the fields of all outputs.

use crate::console;
use crate::engine::PackState;
use crate::model::Diagnostic;
use serde_json::{Value, json};

/// Returns what `build` prints of a pack; `shown` returns the path of a file of the folder.
pub(crate) fn built_pack(state: &PackState, shown: &dyn Fn(&str) -> String) -> Value {
    let summary = state.summary.as_ref();
    json!({
        "root": state.root,
        "profile": state.profile,
        "path": shown(&state.name),
        "files": state.files.iter().map(|name| shown(name)).collect::<Vec<_>>(),
        "hash": summary.map(|summary| &summary.hash),
        "status": state.status,
        "reasons": state.reasons,
        "used_chars": summary.map(|summary| summary.used_chars),
        "used_tokens": summary.and_then(|summary| summary.used_tokens),
        "omitted": summary.map(|summary| summary.omitted),
        "redacted": summary.map(|summary| summary.redacted),
    })
}

/// Returns what `build` prints; `gone` is what was wrong before and is no longer, with `watch`.
pub(crate) fn build(packs: Vec<Value>, diagnostics: &[Diagnostic], gone: &[Diagnostic]) -> Value {
    let mut output = json!({"packs": packs, "diagnostics": console::diagnostics(diagnostics)});
    if !gone.is_empty() {
        output["gone"] = json!(console::diagnostics(gone));
    }
    output
}

/// Returns what `check` and `list` print of a pack in the folder `dir`.
pub(crate) fn checked_pack(state: &PackState, dir: &str) -> Value {
    let PackState { name, root, profile, status, reasons, .. } = state;
    json!({"root": root, "profile": profile, "path": format!("{dir}/{name}"), "status": status, "reasons": reasons})
}
