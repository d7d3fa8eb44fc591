//! `contextpack verify`.

use super::args::{Global, VerifyArgs};
use super::input;
use super::packs::{OpenedRepository, PackKey};
use super::rebuild::own_limits;
use crate::console::{Exit, Failure, PathFailure, settled};
use crate::review::{PackStatus, Verification, read, verify};
use crate::store::{Symlinks, entries_below, is_json, read_file};
use serde::Serialize;
use serde_json::json;
use std::io;
use std::path::Path;

#[derive(Serialize)]
struct VerifiedPack {
    path: String,
    hash: Option<String>,
    valid: bool,
    faults: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
    #[serde(skip)]
    bytes: Vec<u8>,
}

impl VerifiedPack {
    fn new(path: String, bytes: Vec<u8>) -> Self {
        let Verification { hash, violations, note, .. } = verify(&bytes);
        Self { hash: hash.map(|hash| hash.to_string()), note, bytes, ..Self::other(path, violations) }
    }

    fn other(path: String, faults: Vec<String>) -> Self {
        Self { path, hash: None, valid: false, faults, note: None, bytes: Vec::new() }
    }
}

pub(crate) fn run(global: &Global, args: &VerifyArgs) -> Result<Exit, Failure> {
    let mut verified = Vec::new();
    for named in &args.packs {
        match named == Path::new("-") {
            true => verified.push(VerifiedPack::new("-".to_owned(), input::stdin()?)),
            false => verified.extend(verify_named(global, named)?),
        }
    }
    if let Some(expected) = &args.expect {
        let [one] = &mut verified[..] else {
            let message = format!("`--expect` needs exactly one pack, but {} were given", verified.len());
            return Err(Failure::usage(message));
        };
        let expected = expected.strip_prefix("sha256:").unwrap_or(expected).to_lowercase();
        let hash = one.hash.as_deref().unwrap_or("none");
        if hash.strip_prefix("sha256:") != Some(&expected) {
            one.faults.push(format!("expected the hash sha256:{expected}, the content has {hash}"));
        }
    }
    if args.against_repo {
        let faults = settled(|| against_repo(global, &verified))?;
        verified.iter_mut().zip(faults).for_each(|(one, fault)| one.faults.extend(fault));
    }
    verified.iter_mut().for_each(|one| one.valid = one.faults.is_empty());
    let lines = verified.iter().flat_map(|pack| {
        let VerifiedPack { path, hash, valid, faults, .. } = pack;
        let valid = (*valid && !global.quiet).then(|| format!("valid: {path} {}", hash.as_deref().unwrap_or_default()));
        valid.into_iter().chain(faults.iter().map(move |fault| format!("invalid: {path}: {fault}")))
    });
    let lines: Vec<String> = lines.collect();
    for VerifiedPack { path, note, .. } in &verified {
        note.iter().try_for_each(|note| global.note(&format!("warning: {path}: {note}")))?;
    }
    let valid = verified.iter().all(|pack| pack.valid);
    let is_empty = verified.is_empty();
    global.print(&json!({"packs": verified}), lines)?;
    if is_empty {
        return Err(Failure::usage("there is no pack to verify: the folder has no `.json` file"));
    }
    Ok(if valid { Exit::Done } else { Exit::Invalid })
}

/// The files of a folder that are no packs.
pub(super) trait OtherFiles {
    fn owns(&self, file: &Path) -> bool;

    /// Returns the hash and the faults of a file; `None` if it can only be a pack.
    fn check(&mut self, file: &Path, name: &str, bytes: &[u8]) -> Result<Option<(String, Vec<String>)>, Failure>;

    /// Returns what a pack beside these files names of them and is not there.
    fn missing(&self, pack: &[u8]) -> Vec<String>;
}

#[cfg(feature = "handoff")]
use super::handoff::context_files;

/// Without cards all files are packs.
#[cfg(not(feature = "handoff"))]
fn context_files(_: &Global, _: &Path) -> Option<Box<dyn OtherFiles>> {
    None
}

fn verify_named(global: &Global, named: &Path) -> Result<Vec<VerifiedPack>, Failure> {
    let failed = |error| PathFailure::failure("read", named.display().to_string(), error);
    let mut context = context_files(global, named);
    let real = if context.is_some() { named.canonicalize().map_err(failed)? } else { named.to_owned() };
    let all = match real.is_dir() {
        // A folder in the place of a file must not count as absent.
        true => entries_below(&real, &|path, is_folder| !is_folder || is_json(path)).map_err(failed)?,
        false => vec![real.clone()],
    };
    let mut verified = Vec::new();
    for file in all {
        let is_named = file == real;
        let shown = if is_named { named.to_owned() } else { named.join(file.strip_prefix(&real).unwrap_or(&file)) };
        let name = shown.display().to_string();
        let is_own = context.as_ref().is_some_and(|context| context.owns(&file));
        let is_asked = is_own || is_named && context.is_none();
        if !is_asked && (!is_json(&file) || file.symlink_metadata().is_ok_and(|there| there.is_dir())) {
            continue;
        }
        let follows = is_named && context.is_none();
        if !follows && !file.symlink_metadata().is_ok_and(|there| there.is_file()) {
            // What was replaced by a link, a folder or a device must not count as absent.
            verified.push(VerifiedPack::other(name, vec!["it is not a regular file".to_owned()]));
            continue;
        }
        let bytes = match read_file(&file, if follows { Symlinks::Follow } else { Symlinks::Refuse }) {
            // One that was listed and is larger than any that is read stops no other.
            Err(error) if !follows && error.kind() == io::ErrorKind::FileTooLarge => {
                verified.push(VerifiedPack::other(name, vec![error.to_string()]));
                continue;
            }
            read => read.map_err(|error| PathFailure::failure("read", file.display().to_string(), error))?,
        };
        let checked = context.as_mut().map(|context| context.check(&file, &name, &bytes)).transpose()?;
        let markdown_copy_fault = if context.is_none() { markdown_copy_fault(&file, &bytes, &name)? } else { None };
        let mut one = match checked.flatten() {
            Some((hash, faults)) => VerifiedPack { hash: Some(hash), ..VerifiedPack::other(name, faults) },
            None => VerifiedPack::new(name, bytes),
        };
        one.faults.extend(context.iter().flat_map(|context| context.missing(&one.bytes)));
        one.faults.extend(markdown_copy_fault);
        verified.push(one);
    }
    Ok(verified)
}

/// Returns for each file, in order, how its pack differs from what the current repo gives under its own profile, if it is valid and
/// differs in more than the stamp.
fn against_repo(global: &Global, verified: &[VerifiedPack]) -> Result<Vec<Option<String>>, Failure> {
    let repository = global.open(None)?;
    let opened = OpenedRepository::new(global, &repository);
    let fault = |one: &VerifiedPack| {
        let Some(pack) = read(&one.bytes).ok().filter(|_| one.faults.is_empty()) else { return Ok(None) };
        let probe = match opened.probe_again(&pack, PackKey::of(&pack).root) {
            Err(Failure::Usage(message) | Failure::NotFound(_, message) | Failure::Input(message)) => {
                return Ok(Some(format!("the repo has no such pack: {message}")));
            }
            probe => probe?,
        };
        // A handover may be given other limits than those of the configuration.
        let limits = if pack.handover.is_some() { own_limits(&pack.budget) } else { probe.limits };
        Ok(match probe.build(limits)? {
            Err(diagnostics) => {
                let why = diagnostics.first().map(|it| it.message.clone()).unwrap_or_default();
                Some(format!("the pack cannot be built from the repo: {why}"))
            }
            Ok(sealed) => match opened.project.compare(&one.bytes, &sealed) {
                (PackStatus::Fresh, _) => None,
                (_, reasons) => Some(format!("the repo gives a different pack: {}", reasons.join("; "))),
            },
        })
    };
    verified.iter().map(fault).collect()
}

/// Returns the fault of a pack's Markdown copy, if it has one that is not exactly its rendering. `name` is its path for display.
pub(super) fn markdown_copy_fault(file: &Path, bytes: &[u8], name: &str) -> Result<Option<String>, Failure> {
    let markdown = file.with_extension("md");
    if file.extension().is_none_or(|extension| extension != "json") || !markdown.is_file() {
        return Ok(None);
    }
    let text = input::named_file(&markdown)?;
    let same = read(bytes).is_ok_and(|pack| crate::render::pack(&pack).whole().as_bytes() == text);
    let name = Path::new(name).with_extension("md").display().to_string();
    Ok((!same).then(|| format!("its Markdown `{name}` is not its rendering")))
}
