//! Completion of arguments by the shell: the script that `completions` prints calls this program with what was typed.

use super::args::Args;
use super::console::printable;
use super::workspace::user_caches;
use crate::engine::{OpenRequest, Repository};
use clap::CommandFactory as _;
use clap_complete::CompleteEnv;
use clap_complete::engine::CompletionCandidate;
use clap_complete::env::Shells;
use std::borrow::Cow;
use std::io;
use std::path::Path;

/// The environment variable by which the script asks for completions.
const VARIABLE: &str = "CONTEXTPACK_COMPLETE";

/// The program's name.
const PROGRAM: &str = "contextpack";

/// Answers a request of the script and ends the process, if there is one.
pub(super) fn answer() {
    CompleteEnv::with_factory(Args::command).var(VARIABLE).bin(PROGRAM).complete();
}

/// Writes the script for a shell.
pub(super) fn script(shell: clap_complete::Shell, out: &mut Vec<u8>) -> io::Result<()> {
    let shells = Shells::builtins();
    let completer = shells.completer(&shell.to_string());
    let completer = completer.ok_or_else(|| io::Error::from(io::ErrorKind::Unsupported))?;
    completer.write_registration(VARIABLE, PROGRAM, PROGRAM, PROGRAM, out)
}

/// Returns the roots of the repo in the current folder with their titles; none if it cannot be read.
pub(super) fn roots() -> Vec<CompletionCandidate> {
    let mut request = OpenRequest::new(Path::new("."));
    if let Some(caches) = user_caches() {
        request = request.with_cache(caches);
    }
    let roots = Repository::open(&request).ok().and_then(|repository| repository.roots().ok()).unwrap_or_default();
    let candidates = roots.into_iter().filter(|root| matches!(printable(&root.id), Cow::Borrowed(_)));
    candidates
        .map(|root| {
            let title = printable(&root.title).into_owned();
            CompletionCandidate::new(root.id).help(Some(title.into()))
        })
        .collect()
}

/// Returns the packs and the roots of the repo in the current folder.
pub(super) fn packs_and_roots() -> Vec<CompletionCandidate> {
    let packs = Repository::open(&OpenRequest::new(Path::new("."))).ok().map(|repository| {
        let dir = repository.settings().output.dir.clone();
        let names = std::fs::read_dir(dir.as_str()).into_iter().flatten().flatten();
        let names = names.filter_map(|entry| entry.file_name().into_string().ok());
        let packs = names.filter(|name| name.ends_with(".json") && matches!(printable(name), Cow::Borrowed(_)));
        packs.map(|name| CompletionCandidate::new(format!("{dir}/{name}"))).collect::<Vec<_>>()
    });
    packs.unwrap_or_default().into_iter().chain(roots()).collect()
}
