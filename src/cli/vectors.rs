//! `contextpack notes --vectors`.

use super::args::Global;
use super::notes::given;
use super::redact::decoded;
use crate::console::{self, Exit, Failure, counted};
use crate::knowledge::Vectors;
use crate::model::{RepoPath, SourceTree as _};
use crate::store::{Access, Folder};
use serde_json::json;
use std::io::Write as _;
use std::path::Path;

/// Prints the texts that have no vector, or takes the vectors that a program made `from` them.
pub(super) fn run(global: &Global, from: Option<&Path>) -> Result<Exit, Failure> {
    // The program may still wait for the texts that another process prints.
    let given = from.map(given).transpose()?;
    let repository = global.open(Some(Access::Write))?;
    let path = repository.settings().context.vectors.clone().ok_or_else(|| Failure::usage(UNNAMED))?;
    let project = repository.project();
    let is_left_out = || {
        let is_there = repository.root().join(path.as_str()).symlink_metadata().is_ok();
        is_there && !repository.files().has(&path) || project.denies(&path) || project.is_own_output(&path)
    };
    if is_left_out() || repository.settings().is_agent_file(&path) {
        return Err(Failure::Input(format!("builds do not read `{path}` as vectors: {OTHER}")));
    }
    let (texts, mut vectors) = project.embedded_texts()?;
    repository.save_documents();
    let Some((name, bytes)) = given else {
        for (digest, text) in texts.iter().filter(|(digest, _)| !vectors.0.contains_key(digest)) {
            let line = console::json_line(&json!({"digest": digest.to_string(), "text": project.masked(text)}));
            writeln!(console::stdout(), "{line}")?;
        }
        return Ok(Exit::Done);
    };
    let before = vectors.0.len();
    vectors.0.retain(|digest, _| texts.contains_key(digest));
    let (kept, mut length) = (vectors.0.len(), vectors.0.values().next().map(Vec::len));
    let made = decoded(bytes).map_err(|why| Failure::Input(format!("{name}: {why}")))?;
    for (number, line) in (1..).zip(made.lines()).filter(|(_, line)| !line.trim().is_empty()) {
        let wrong = |why: String| Failure::Input(format!("{name}, line {number}: {why}; nothing was written"));
        let (digest, vector) = Vectors::made(line).map_err(|why| wrong(format!("{why}: {FORM}")))?;
        if !texts.contains_key(&digest) {
            let help = "take those that `contextpack notes --vectors` prints now";
            return Err(wrong(format!("no text has this digest: {help}")));
        }
        let length = *length.get_or_insert(vector.len());
        if vector.len() != length {
            let help = format!("take one model for all, and to change it remove `{path}`");
            return Err(wrong(format!("the vector has {} numbers, and others have {length}: {help}", vector.len())));
        }
        vectors.0.insert(digest, vector);
    }
    let dir = RepoPath::new(path.dir()).unwrap_or_else(|_| RepoPath::root());
    let folder = Folder::open(repository.root(), &dir)?.unreserved(repository.root())?;
    folder.write(path.name(), vectors.lines().as_bytes())?;
    let (all, new, dropped) = (counted(vectors.0.len(), "vector"), vectors.0.len() - kept, before - kept);
    global.note(&format!("`{path}` has {all}: {new} new, {dropped} dropped"))?;
    Ok(Exit::Done)
}

const UNNAMED: &str =
    "no file is named for vectors: write `context: {vectors: docs/vectors.jsonl}` in `contextpack.yml`";
const OTHER: &str =
    "name a file in `context.vectors` that git does not ignore, of a name that is not denied, and no agent's";
const FORM: &str = "write `{\"digest\": \"sha256:…\", \"vector\": [0.1, -0.2]}`";
