//! What an agent is given: a pack in the form that its program takes, and the record of what was delivered.

use super::args::{Global, RenderPart};
use crate::console::{self, Failure, Format, json_text};
use crate::engine::Repository;
use crate::init::DELIVERED;
use crate::intake::CacheUse;
use crate::model::RepoPath;
use crate::render::Rendering;
use crate::store::{Folder, open_state};
use crate::wire::Pack;
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::error::Error;
use std::io::Write as _;

pub(crate) fn print(
    pack: &Pack,
    rendering: Rendering,
    format: Format,
    part: Option<RenderPart>,
) -> Result<(), Failure> {
    let Rendering { instructions, context } = rendering;
    let text = match (format, part) {
        (Format::Json, _) => {
            let markdown = [&*instructions, &*context].concat();
            let parts =
                json!({"contextPack": pack, "markdown": markdown, "instructions": instructions, "context": context});
            json_text(&parts) + "\n"
        }
        (Format::Messages, _) => {
            let system = json!({"role": "system", "content": instructions});
            json_text(&json!([system, {"role": "user", "content": context}])) + "\n"
        }
        (_, None) => [instructions, context].concat(),
        (_, Some(RenderPart::Instructions)) => instructions,
        (_, Some(RenderPart::Context)) => context,
    };
    let mut out = console::exact();
    out.write_all(text.as_bytes())?;
    out.flush()?;
    Ok(())
}

const LOG: &str = "delivered.jsonl";

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct DeliveryLine {
    pub(crate) at: String,
    pub(crate) agent: Option<String>,
    /// The root; `None` for the start of a session.
    pub(crate) root: Option<String>,
    #[serde(default)]
    pub(crate) profile: String,
    pub(crate) policy: Option<String>,
    pub(crate) job: Option<String>,
    pub(crate) hash: String,
    /// The commit that it was built from.
    commit: Option<String>,
    /// Whether the work tree had changes.
    dirty: Option<bool>,
}

#[derive(Debug)]
pub(crate) struct DeliveryLog {
    pub(crate) folder: Folder,
    /// The lines that can be read, the oldest first.
    pub(crate) lines: Vec<DeliveryLine>,
    pub(crate) unreadable: usize,
}

/// Reads the record of deliveries; `None` if there is none.
pub(crate) fn log(repository: &Repository) -> Result<Option<DeliveryLog>, Failure> {
    let configured = repository.settings().context.record.clone();
    // A state file that git tracks, or may track, was not written here.
    let is_own = repository.files().cache_use() == CacheUse::Free;
    let Some(dir) = configured.or_else(|| RepoPath::new(DELIVERED).ok().filter(|_| is_own)) else { return Ok(None) };
    // What is no folder of the repo holds no record of it.
    let Ok(folder) = Folder::open(repository.root(), &dir) else { return Ok(None) };
    let Some(text) = folder.read(LOG)? else { return Ok(None) };
    let text = String::from_utf8_lossy(&text);
    let all: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    let lines: Vec<DeliveryLine> = all.iter().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let unreadable = all.len() - lines.len();
    Ok(Some(DeliveryLog { folder, lines, unreadable }))
}

/// Keeps a delivered pack, adds a line about it to the log, and says its hash on standard error.
pub(crate) fn record(global: &Global, repository: &Repository, pack: &Pack) -> Result<(), Failure> {
    let folder = keep(repository, pack).map_err(|failure| match failure {
        Failure::Outside(cause) => Failure::Outside(Box::new(Unrecorded(cause))),
        failure => failure,
    })?;
    if !global.quiet {
        let line = format!("recorded {} in `{folder}`", pack.hash);
        writeln!(console::stderr(), "{}", console::printable(&line))?;
    }
    Ok(())
}

#[derive(Debug, thiserror::Error)]
#[error(
    "the pack is not recorded, and so not delivered (help: make the folder of the record writable, name another one in \
     `context.record`, or leave out `--record`)"
)]
struct Unrecorded(#[source] Box<dyn Error>);

/// Writes a pack and its line, and returns the folder.
fn keep(repository: &Repository, pack: &Pack) -> Result<RepoPath, Failure> {
    let configured = repository.settings().context.record.clone();
    let dir = match configured {
        Some(dir) => dir,
        None => {
            open_state(repository.root())?;
            RepoPath::new(DELIVERED).map_err(|_| Failure::usage("the record has no folder"))?
        }
    };
    let is_default = dir.as_str() == DELIVERED;
    let folder = Folder::open(repository.root(), &dir)?.unreserved(repository.root())?;
    if is_default {
        folder
            .write_once(".gitignore", b"# What agents were given. `context.record` names a folder to commit.\n*\n")?;
    }
    let hash = pack.hash.strip_prefix("sha256:").unwrap_or(&pack.hash);
    folder.write(&format!("{hash}.json"), &crate::seal::bytes_of(pack))?;
    // The packs and the record are made of the files, and are none of them.
    let settings = repository.settings();
    let mut made = vec![settings.output.dir.as_str(), ".contextpack"];
    made.extend(settings.context.record.as_ref().map(RepoPath::as_str));
    let state = crate::git::head_commit(repository.root(), &made);
    let root = pack.root.work_item_id.as_deref().or(pack.root.issue_url.as_deref());
    let root = root.filter(|root| pack.agent.as_ref().is_none_or(|agent| agent.key != *root));
    let line = DeliveryLine {
        at: pack.generated_at.clone(),
        agent: pack.agent.as_ref().map(|agent| agent.key.clone()),
        root: root.map(str::to_owned),
        profile: pack.profile.clone(),
        policy: pack.policy.clone(),
        job: pack.job.clone(),
        hash: pack.hash.clone(),
        commit: state.as_ref().map(|(commit, _)| commit.clone()),
        dirty: state.map(|(_, dirty)| dirty),
    };
    let line = serde_json::to_string(&line).unwrap_or_default();
    folder.append_line(LOG, &line)?;
    Ok(dir)
}
