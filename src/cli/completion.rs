//! Completion of arguments by the shell: the script that `completions` prints calls this program with what was typed.

use super::args::Args;
use crate::config::Settings;
use crate::console::{self, Exit, Failure, printable, user_caches};
use crate::engine::{Configuration, OpenRequest, Repository, process_environment};
use crate::intake::Repo;
use clap_complete::CompleteEnv;
use clap_complete::engine::CompletionCandidate;
use clap_complete::env::Shells;
use std::borrow::Cow;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

/// The environment variable by which the script asks for completions.
const VARIABLE: &str = "CONTEXTPACK_COMPLETE";

const PROGRAM: &str = "contextpack";

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

pub(super) fn print_script(shell: clap_complete::Shell) -> Result<Exit, Failure> {
    let (shells, mut script) = (Shells::builtins(), Vec::new());
    let completer = shells.completer(&shell.to_string());
    let completer = completer.ok_or_else(|| io::Error::from(io::ErrorKind::Unsupported))?;
    completer.write_registration(VARIABLE, PROGRAM, PROGRAM, PROGRAM, &mut script)?;
    console::exact().write_all(&script)?;
    Ok(Exit::Done)
}

fn repository() -> Option<Repository> {
    let request = OpenRequest::new(Path::new("."));
    Repository::open(&user_caches().into_iter().fold(request, OpenRequest::with_cache)).ok()
}

pub(super) fn configured(
    find: impl FnOnce(PathBuf, Settings) -> Vec<(String, Option<String>)>,
) -> Vec<CompletionCandidate> {
    let root = std::env::current_dir().ok().and_then(|here| Repo::find_root(&here).ok());
    let found = root.and_then(|root| Some((Configuration::read(&root, None, &process_environment()).ok()?, root)));
    candidates(found.map(|(configuration, root)| find(root, configuration.settings)).unwrap_or_default())
}

/// Returns values with their helps as candidates, without those that a shell or terminal could take for something else.
fn candidates(values: impl IntoIterator<Item = (String, Option<String>)>) -> Vec<CompletionCandidate> {
    let plain = values.into_iter().filter(|(value, _)| matches!(printable(value), Cow::Borrowed(_)));
    let candidate = |(value, help): (String, Option<String>)| {
        CompletionCandidate::new(value).help(help.map(|help| printable(&help).into_owned().into()))
    };
    plain.map(candidate).collect()
}

pub(super) fn roots() -> Vec<CompletionCandidate> {
    let roots = repository().and_then(|repository| repository.snapshot().roots().ok()).unwrap_or_default();
    candidates(roots.into_iter().map(|root| (root.id, Some(root.title))))
}

pub(super) fn packs_and_roots() -> Vec<CompletionCandidate> {
    packs().into_iter().chain(roots()).collect()
}

pub(super) fn profiles() -> Vec<CompletionCandidate> {
    configured(|_, settings| settings.profiles.into_keys().map(|name| (name, None)).collect())
}

pub(super) fn packs() -> Vec<CompletionCandidate> {
    configured(|_, settings| {
        let dir = settings.output.dir;
        let names = std::fs::read_dir(dir.as_str()).into_iter().flatten().flatten();
        let names = names.filter_map(|entry| entry.file_name().into_string().ok());
        names.filter(|name| name.ends_with(".json")).map(|name| (format!("{dir}/{name}"), None)).collect()
    })
}

/// Returns the agents of the repo in the current folder with their purposes: by the stem of the file, or by the key if the stem means
/// several.
pub(super) fn agents() -> Vec<CompletionCandidate> {
    let Some(repository) = repository() else { return Vec::new() };
    let project = repository.project();
    let agents = &project.knowledge().agents;
    candidates(agents.all.iter().map(|agent| {
        let name = if agents.find(agent.stem()).is_ok() { agent.stem() } else { agent.key.as_str() };
        (name.to_owned(), Some(agent.purpose.as_ref().unwrap_or(&agent.name).to_string()))
    }))
}
