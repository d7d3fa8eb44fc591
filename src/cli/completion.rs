//! Completion of arguments by the shell: the script that `completions` prints calls this program with what was typed.

use super::args::Args;
use super::workspace::user_caches;
use crate::console::printable;
use crate::engine::{Configuration, OpenRequest, Repository, process_environment};
use crate::handoff::cards::{CardStore, ContentId};
use crate::handoff::ledger::BatchFolder;
use crate::intake::Repo;
use clap_complete::CompleteEnv;
use clap_complete::engine::CompletionCandidate;
use clap_complete::env::Shells;
use std::borrow::Cow;
use std::io;
use std::path::{Path, PathBuf};

/// The environment variable by which the script asks for completions.
const VARIABLE: &str = "CONTEXTPACK_COMPLETE";

/// The program's name.
const PROGRAM: &str = "contextpack";

/// Answers a request of the script and ends the process, if there is one.
pub(super) fn answer() {
    if std::env::var_os(VARIABLE).is_some() {
        enter_typed_folder();
    }
    CompleteEnv::with_factory(Args::for_completion).var(VARIABLE).bin(PROGRAM).complete();
}

/// Changes to the folder of `-C` on the command line that is completed. If that fails, there are no completions of the repo.
fn enter_typed_folder() {
    let words: Vec<String> = std::env::args().skip_while(|word| word != "--").skip(1).collect();
    // The word after the last is still being typed.
    let typed = words.windows(3).find(|words| words[0] == "-C").map(|words| &words[1]);
    if let Some(folder) = typed {
        let _ = std::env::set_current_dir(folder);
    }
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
    packs().into_iter().chain(roots()).collect()
}

/// Returns the profiles of the repo in the current folder.
pub(super) fn profiles() -> Vec<CompletionCandidate> {
    let repository = Repository::open(&OpenRequest::new(Path::new("."))).ok();
    let profiles = repository.iter().flat_map(|repository| repository.settings().profiles.keys());
    profiles.map(CompletionCandidate::new).collect()
}

/// Returns the packs of the repo in the current folder.
pub(super) fn packs() -> Vec<CompletionCandidate> {
    let packs = Repository::open(&OpenRequest::new(Path::new("."))).ok().map(|repository| {
        let dir = repository.settings().output.dir.clone();
        let names = std::fs::read_dir(dir.as_str()).into_iter().flatten().flatten();
        let names = names.filter_map(|entry| entry.file_name().into_string().ok());
        let packs = names.filter(|name| name.ends_with(".json") && matches!(printable(name), Cow::Borrowed(_)));
        packs.map(|name| CompletionCandidate::new(format!("{dir}/{name}"))).collect::<Vec<_>>()
    });
    packs.unwrap_or_default()
}

/// The most batches that are read for their states.
const MOST_READ: usize = 50;

/// Returns a candidate with a help, unless a shell or terminal could take it for something else.
fn candidate(value: String, help: Option<String>) -> Option<CompletionCandidate> {
    let is_plain = matches!(printable(&value), Cow::Borrowed(_));
    let help = help.map(|help| printable(&help).into_owned().into());
    is_plain.then(|| CompletionCandidate::new(value).help(help))
}

/// Returns the root of the repo around the current folder, and its configuration.
fn configured() -> Option<(PathBuf, Configuration)> {
    let root = Repo::find_root(&std::env::current_dir().ok()?).ok()?;
    let configuration = Configuration::read(&root, None, &process_environment()).ok()?;
    Some((root, configuration))
}

/// Returns the ids of the batches of the repo in the current folder with their states.
pub(super) fn batches() -> Vec<CompletionCandidate> {
    let Some((root, configuration)) = configured() else { return Vec::new() };
    let store = BatchFolder::new(&root, &configuration.settings.handover.dir);
    let ids = store.ids().unwrap_or_default();
    let are_few = ids.len() <= MOST_READ;
    let state = |id| store.read(id).ok().map(|ledger| ledger.status(&ledger.states()).name().to_owned());
    ids.iter().filter_map(|id| candidate(id.to_string(), if are_few { state(id) } else { None })).collect()
}

/// Returns the logs of the repo in the current folder.
pub(super) fn logs() -> Vec<CompletionCandidate> {
    let Some((root, configuration)) = configured() else { return Vec::new() };
    let names = CardStore::new(&root, configuration.settings.handover.dir).log_names().unwrap_or_default();
    names.into_iter().filter_map(|name| candidate(name, Some("log".to_owned()))).collect()
}

/// Returns the logs and the boxes of the repo in the current folder; a box by digits that name no other one.
pub(super) fn boxes() -> Vec<CompletionCandidate> {
    let Some((root, configuration)) = configured() else { return Vec::new() };
    let ids = CardStore::new(&root, configuration.settings.handover.dir).boxes().unwrap_or_default();
    let is_alone = |at: usize| {
        let other = |other: Option<usize>| other.and_then(|other| ids.get(other)).map(ContentId::short);
        [other(at.checked_sub(1)), other(Some(at + 1))].iter().all(|near| *near != Some(ids[at].short()))
    };
    let named = (0..ids.len()).map(|at| if is_alone(at) { ids[at].short() } else { ids[at].hex() }.to_owned());
    logs().into_iter().chain(named.filter_map(|id| candidate(id, Some("box".to_owned())))).collect()
}

/// Returns the recipes of handovers of the repo in the current folder.
pub(super) fn recipes() -> Vec<CompletionCandidate> {
    let Some((_, configuration)) = configured() else { return Vec::new() };
    configuration.settings.handover.recipes.into_keys().filter_map(|name| candidate(name, None)).collect()
}

/// Returns the agents of the repo in the current folder with their purposes: by the stem of the file, or by the key if the stem means
/// several.
pub(super) fn agents() -> Vec<CompletionCandidate> {
    let mut request = OpenRequest::new(Path::new("."));
    if let Some(caches) = user_caches() {
        request = request.with_cache(caches);
    }
    let Ok(repository) = Repository::open(&request) else { return Vec::new() };
    let project = repository.project();
    let agents = &project.knowledge().agents;
    let named = agents.all.iter().map(|agent| {
        let name = if agents.find(agent.stem()).is_ok() { agent.stem() } else { agent.key.as_str() };
        candidate(name.to_owned(), Some(agent.purpose.as_ref().unwrap_or(&agent.name).to_string()))
    });
    named.flatten().collect()
}
