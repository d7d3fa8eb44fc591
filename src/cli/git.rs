//! `contextpack git`: the diff and merge drivers for packs, which `init --git` configures.

use super::args::{GitCommand, Global};
use super::input;
use super::packs::{OpenedRepository, PackKey};
use crate::console::{self, Exit, Failure, PathFailure, printable};
use crate::engine::markdown_copy;
use crate::git::write_merged_files;
use crate::intake::Repo;
use crate::model::slug;
use crate::redact::invisible;
use crate::render;
use crate::review::{read, salvage};
use crate::seal::Sealed;
use crate::wire::Pack;
use std::io::Write as _;
use std::path::Path;

pub(crate) const SETTINGS: [(&str, &str); 4] = [
    ("diff.contextpack.textconv", "contextpack git textconv"),
    ("merge.contextpack.name", "rebuild context packs from the merged inputs"),
    ("merge.contextpack.driver", "contextpack git merge %A %B %P"),
    // If the common ancestor is itself a merge, either of its packs will do.
    ("merge.contextpack.recursive", "binary"),
];

pub(crate) fn run(global: &Global, command: &GitCommand) -> Result<Exit, Failure> {
    match command {
        GitCommand::Textconv { file } => {
            let bytes = input::named_file(file)?;
            // Other files, such as a pack with conflict markers, are printed unchanged; git would show nothing on an error.
            let text = read(&bytes).map(|pack| render::pack(&pack).whole().into_bytes());
            let mut out = console::stdout();
            out.write_all(escape_invisible(&text.unwrap_or(bytes)).as_bytes())?;
            out.flush()?;
            Ok(Exit::Done)
        }
        GitCommand::Merge { ours, theirs, path } => merge(global, ours, theirs, path),
    }
}

/// Escapes invisible characters and invalid bytes, which no build leaves in a pack. Git itself does not escape them, and an
/// error would make it show nothing.
fn escape_invisible(bytes: &[u8]) -> String {
    let mut shown = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        let (text, mut from) = (chunk.valid(), 0);
        for unseen in invisible(text) {
            shown.push_str(&text[from..unseen.start]);
            shown.extend(text[unseen.clone()].chars().map(|c| c.escape_unicode().to_string()));
            from = unseen.end;
        }
        shown.push_str(&text[from..]);
        shown.extend(chunk.invalid().iter().map(|byte| format!("\\x{byte:02x}")));
    }
    shown
}

/// Writes the pack of the merged inputs to `ours`, as git expects of a merge driver.
///
/// If it cannot be built, `ours` stays a whole pack without conflict markers, and git reports a conflict, which
/// `contextpack build` resolves once the inputs are merged.
fn merge(global: &Global, ours: &Path, theirs: &Path, path: &str) -> Result<Exit, Failure> {
    // The build changes the current folder.
    let result = std::path::absolute(ours)?;
    match rebuild_pack(global, ours, theirs, path) {
        Ok(bytes) => {
            std::fs::write(result, bytes)
                .map_err(|error| PathFailure::failure("write", ours.display().to_string(), error))?;
            Ok(Exit::Done)
        }
        Err(why) => {
            let line = format!("{path}: {why}; run `contextpack build` once the other files are merged");
            writeln!(console::stderr(), "contextpack: {}", printable(&line))?;
            // Git takes any code but 0 for a conflict.
            Ok(Exit::Outside)
        }
    }
}

fn rebuild_pack(global: &Global, ours: &Path, theirs: &Path, path: &str) -> Result<Vec<u8>, String> {
    let top = std::env::current_dir().map_err(|error| error.kind().to_string())?;
    let other = merged_commit().ok_or("only `git merge` and `git pull` say what is merged")?;
    let (folder, _) = path.rsplit_once('/').unwrap_or(("", path));
    let settled = |conflict: &str| {
        let (place, name) = conflict.rsplit_once('/').unwrap_or(("", conflict));
        place == folder && (name.ends_with(".json") || name.ends_with(".md"))
    };
    let scratch = tempfile::tempdir().map_err(|error| format!("no temporary folder: {}", error.kind()))?;
    let merged = scratch.path().canonicalize().map_err(|error| error.kind().to_string())?;
    write_merged_files(&top, &other, &merged, &settled)?;
    let there = merged.join(folder);
    let json = path.strip_suffix(".md").map(|stem| format!("{stem}.json"));
    let pack = match &json {
        None => [ours, theirs].into_iter().find_map(read_pack),
        Some(json) => read_pack(&merged.join(json)),
    };
    let pack = pack.ok_or("neither side is a context pack")?;
    let root = Repo::find_root(&there).map_err(|error| error.to_string())?;
    let built = build_merged_pack(global, &top, &merged, &root, &pack);
    // Windows cannot remove the current folder.
    let _left = std::env::set_current_dir(&top);
    let (built_name, sealed) = built?;
    let (_, name) = path.rsplit_once('/').unwrap_or(("", path));
    if json.is_some() && markdown_copy::name(&built_name) == name {
        return Ok(render::pack(sealed.pack()).whole().into_bytes());
    }
    if built_name == name {
        Ok(sealed.bytes().to_vec())
    } else {
        Err(format!("it is the pack of `{built_name}` under another name"))
    }
}

/// Builds the pack of the same root and profile from the merged files, and returns it with the name of its file.
fn build_merged_pack(
    global: &Global,
    top: &Path,
    merged: &Path,
    root: &Path,
    pack: &Pack,
) -> Result<(String, Sealed), String> {
    let message = |failure: Failure| failure.message();
    std::env::set_current_dir(root).map_err(|error| error.kind().to_string())?;
    let repository = global.open(None).map_err(message)?;
    // A snapshot outside git is not merged, and without it the pack would lose its issues.
    let below = root.strip_prefix(merged).unwrap_or(Path::new(""));
    let snapshot = repository.settings().github.snapshot.as_str();
    let exists = |root: &Path| root.join(snapshot).try_exists().map_err(|error| error.kind().to_string());
    if exists(&top.join(below))? && !exists(repository.root())? {
        return Err("the snapshot of GitHub is not in git".to_owned());
    }
    let opened = OpenedRepository::new(global, &repository);
    let probe = opened.probe_again(pack, PackKey::of(pack).root).map_err(message)?;
    let name = if let Some(handover) = &pack.handover {
        let hex = handover.context_box_id.strip_prefix("sha256:").unwrap_or_default();
        hex.get(..12).unwrap_or(hex).to_owned()
    } else {
        let slug = probe.item.map(|item| slug(&opened.project.pack_name(item))).unwrap_or_default();
        format!("{slug}.{}", probe.profile)
    };
    let built = probe.build(probe.limits).map_err(|unsettled| unsettled.to_string())?;
    let sealed = built.map_err(|found| found.first().map(|it| it.message.clone()).unwrap_or_default())?;
    Ok((format!("{name}.json"), sealed))
}

fn read_pack(file: &Path) -> Option<Pack> {
    salvage(&input::named_file(file).ok()?).pack
}

/// Returns the commit that is merged into `HEAD`, which `git merge` names in the environment. `None` for several at once.
fn merged_commit() -> Option<String> {
    let names = std::env::vars_os().filter_map(|(name, _)| name.into_string().ok());
    let mut heads = names.filter_map(|name| Some(name.strip_prefix("GITHEAD_")?.to_owned()));
    let head = heads.next()?;
    let is_hash = matches!(head.len(), 40 | 64) && head.bytes().all(|byte| byte.is_ascii_hexdigit());
    (is_hash && heads.next().is_none()).then_some(head)
}
