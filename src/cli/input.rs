//! Reads what the command line names: files, standard input, and the pack that `render` and `explain` take.

use super::args::Global;
use super::packs::OpenedRepository;
use crate::console::{Exit, Failure, Format, PathFailure, report, settled};
use crate::engine::{BudgetLimits, PackTarget};
use crate::intake::Repo;
use crate::review::{ReadError, content_hash, newer, read};
use crate::store::{self, Access, Symlinks};
use crate::wire::Pack;
use std::io;
use std::path::Path;

/// Reads a file that the user named, which may be a link, or a pipe given as `<(…)`.
pub(crate) fn named_file(path: &Path) -> Result<Vec<u8>, Failure> {
    read_file(path, Symlinks::Follow)
}

/// Reads a file that was listed in a folder, and refuses links.
pub(crate) fn listed_file(path: &Path) -> Result<Vec<u8>, Failure> {
    read_file(path, Symlinks::Refuse)
}

fn read_file(path: &Path, links: Symlinks) -> Result<Vec<u8>, Failure> {
    store::read_file(path, links).map_err(|error| PathFailure::failure("read", path.display().to_string(), error))
}

pub(crate) fn file_or_stdin(path: &Path) -> Result<Vec<u8>, Failure> {
    if path == Path::new("-") { stdin() } else { named_file(path) }
}

pub(crate) fn stdin() -> Result<Vec<u8>, Failure> {
    store::read_stream(io::stdin().lock()).map_err(|error| PathFailure::failure("read", "standard input", error))
}

/// Returns the pack that `target` names or that its root gives, and the exit code that follows from building it.
///
/// Without an agent it is that of the agent that the root is assigned to, if `assigns`. The warnings about a pack that is built
/// are printed if `warns`.
pub(crate) fn pack(
    global: &Global,
    target: &PackTarget<'_>,
    assigns: bool,
    warns: bool,
) -> Result<(Pack, Exit), Failure> {
    let Some(name) = target.root else { return built(global, target, assigns, warns) };
    if name == "-" {
        let bytes = stdin()?;
        return finished(global, read(&bytes), &bytes, "standard input");
    }
    if Path::new(name).is_file() {
        let has_options =
            !target.profiles.is_empty() || target.limits != BudgetLimits::default() || target.agent.is_some();
        let bytes = named_file(Path::new(name))?;
        match read(&bytes) {
            Ok(_) if has_options => {
                let message = format!("`{name}` is a finished pack: options of `build` need an item");
                return Err(Failure::usage(message));
            }
            Ok(pack) => return finished(global, Ok(pack), &bytes, name),
            // A file that claims to be a pack is invalid; any other may be a work item.
            Err(error) if claims_to_be_pack(&bytes) => return finished(global, Err(error), &bytes, name),
            Err(_) => confirm_no_markdown_copy(name)?,
        }
    }
    built(global, target, assigns, warns)
}

fn confirm_no_markdown_copy(name: &str) -> Result<(), Failure> {
    let pack = Path::new(name).with_extension("json");
    if !name.ends_with(".md") || !pack.is_file() || !claims_to_be_pack(&named_file(&pack)?) {
        return Ok(());
    }
    Err(Failure::usage(format!("`{name}` is the Markdown copy of a pack: name `{}`", pack.display())))
}

/// Builds a pack in memory, and prints its warnings if it `warns`. If no profile is given, the agent's or the first of the
/// configuration is used.
fn built(global: &Global, target: &PackTarget<'_>, assigns: bool, warns: bool) -> Result<(Pack, Exit), Failure> {
    // An explanation lists the warnings of the pack, and none about other documents of the agent.
    let errors_only = target.agent.is_none() && (!warns || global.format != Format::Text);
    let (sealed, run) = settled(|| {
        // Notes on documents take most of the time of a pack for an agent, so that they are kept.
        let access = if target.agent.is_some() { Access::Write } else { Access::Read };
        let repository = global.open(Some(access))?;
        let opened = OpenedRepository::new(global, &repository);
        let target = if assigns { opened.assigned(target)? } else { *target };
        let built = opened.build(&opened.probe(&target)?)?;
        repository.save_documents();
        Ok(built)
    })?;
    let exit = run.exit();
    Ok((run.of_pack(global, errors_only, sealed)?.pack().clone(), exit))
}

/// Returns whether a target is a finished pack, valid or not, rather than a root.
pub(crate) fn is_pack(target: &str) -> Result<bool, Failure> {
    if target == "-" || !Path::new(target).is_file() {
        return Ok(target == "-");
    }
    let bytes = named_file(Path::new(target))?;
    Ok(claims_to_be_pack(&bytes) || read(&bytes).is_ok())
}

fn claims_to_be_pack(bytes: &[u8]) -> bool {
    let head = String::from_utf8_lossy(&bytes[..bytes.len().min(200)]);
    head.contains("\"schema_version\"") && head.contains("context_pack/")
}

/// Returns a pack that was read, or prints why it is none. One whose content was changed is none with `--strict`, else it is
/// warned of.
fn finished(global: &Global, read: Result<Pack, ReadError>, bytes: &[u8], name: &str) -> Result<(Pack, Exit), Failure> {
    if let Some(note) = read.as_ref().ok().and_then(newer) {
        global.note(&format!("warning: `{name}` was {note}"))?;
    }
    let fault = match read {
        Err(error) => error.to_string(),
        Ok(pack) if content_hash(bytes).is_some_and(|digest| digest.to_string() == pack.hash) => {
            return Ok((pack, Exit::Done));
        }
        Ok(_) if global.strict => "its content was changed after it was built: its hash does not hold".to_owned(),
        Ok(pack) => {
            let what = "was changed after it was built: its hash does not hold; `contextpack verify` says more";
            global.note(&format!("warning: `{name}` {what}"))?;
            return Ok((pack, Exit::Done));
        }
    };
    report::print_invalid_pack(name, &fault)?;
    Err(Failure::Reported(Exit::Invalid, Vec::new()))
}

/// Returns a path relative to the root as commands in the current folder take it.
pub(crate) fn from_here(path: &str) -> String {
    let folders = || {
        let here = std::env::current_dir().ok()?.canonicalize().ok()?;
        let root = Repo::find_root(&here).ok()?.canonicalize().ok()?;
        Some(here.strip_prefix(root).ok()?.components().count())
    };
    "../".repeat(folders().unwrap_or(0)) + path
}
