//! What git alone knows: which files are tracked, and the remote.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The tracked files below `root` as git writes them: bytes, `/` between parts, relative to `root`.
///
/// # Errors
/// Why git could not say: a sentence without a secret in it.
pub(super) fn tracked(root: &Path) -> Result<Vec<Vec<u8>>, String> {
    let out = run(root, &["ls-files", "-z", "--cached"])?;
    Ok(out.split(|byte| *byte == 0).filter(|path| !path.is_empty()).map(<[u8]>::to_vec).collect())
}

/// Whether git tracks the file at `path`; where it cannot say so, it may.
pub(super) fn is_tracked(path: &Path) -> bool {
    let (Some(folder), Some(name)) = (path.parent(), path.file_name().and_then(OsStr::to_str)) else { return true };
    if !folder.canonicalize().is_ok_and(|real| real.ancestors().any(super::root::has_git)) {
        return false;
    }
    let name = format!(":(literal){name}");
    run(folder, &["ls-files", "-z", "--cached", "--", &name]).map_or(true, |listed| !listed.is_empty())
}

/// The files outside the folders below `root` that decide what is tracked and ignored there.
pub(super) fn beside(root: &Path) -> Vec<PathBuf> {
    let Some(top) = root.ancestors().find(|dir| super::root::has_git(dir)) else { return Vec::new() };
    let mut files: Vec<PathBuf> = vec![top.join(".git")];
    let above = root.ancestors().skip(1).take_while(|dir| dir.starts_with(top));
    files.extend(above.map(|dir| dir.join(".gitignore")));
    let git = top.join(".git");
    let git = match git.is_file() {
        false => Some(git),
        // Of a work tree and of a submodule the repository is elsewhere.
        true => {
            fs::read_to_string(git).ok().and_then(|text| Some(top.join(text.trim().strip_prefix("gitdir:")?.trim())))
        }
    };
    files.extend(git.into_iter().flat_map(|git| [git.join("HEAD"), git.join("index")]));
    files
}

/// The URL of `origin`, without a user's name or password in it, where there is such a remote.
///
/// # Errors
/// Why git could not say: a sentence without a secret in it.
pub(super) fn remote(root: &Path) -> Result<Option<String>, String> {
    if !root.ancestors().any(super::root::has_git) {
        return Ok(None);
    }
    let names = run(root, &["remote"])?;
    if !names.split(|byte| *byte == b'\n').any(|name| name == b"origin") {
        return Ok(None);
    }
    let url = run(root, &["remote", "get-url", "origin"])?;
    let url = String::from_utf8(url).map_err(|_| "the URL of the remote `origin` is not UTF-8".to_owned())?;
    let url = url.trim();
    Ok(match url.split_once("://") {
        _ if url.is_empty() => None,
        None => Some(url.to_owned()),
        Some((scheme, rest)) => {
            let host_end = rest.find('/').unwrap_or(rest.len());
            let host = rest[..host_end].rfind('@').map_or(0, |at| at + 1);
            Some(format!("{scheme}://{}", &rest[host..]))
        }
    })
}

/// Sets values of one clone's own configuration.
///
/// # Errors
/// Why git did not: a sentence.
pub fn configure(root: &Path, values: &[(&str, &str)]) -> Result<(), String> {
    values.iter().try_for_each(|(name, value)| run(root, &["config", "--local", name, value]).map(drop))
}

/// Runs git so that neither the environment nor anybody's settings change the answer,
/// and no program that the repo's own settings name is started.
pub(super) fn run(root: &Path, arguments: &[&str]) -> Result<Vec<u8>, String> {
    let output = command(root, arguments)
        .stdin(Stdio::null())
        .output()
        .map_err(|error| format!("git cannot be started: {}", error.kind()))?;
    if output.status.success() {
        return Ok(output.stdout);
    }
    let words = String::from_utf8_lossy(&output.stderr);
    let first = words.lines().next().unwrap_or_default().trim_start_matches("fatal: ");
    // git names the folder in full, and a place on one machine tells others nothing.
    let first = first.replace(&*root.to_string_lossy(), ".");
    Err(format!("git failed: {}", if first.is_empty() { "it does not say why" } else { &first }))
}

/// git with these arguments, not started yet.
pub(super) fn command(root: &Path, arguments: &[&str]) -> Command {
    let mut git = Command::new("git");
    for (name, _) in std::env::vars_os() {
        if is_git_variable(&name) {
            git.env_remove(name);
        }
    }
    git.env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CONFIG_GLOBAL", if cfg!(windows) { "NUL" } else { "/dev/null" })
        .env("GIT_OPTIONAL_LOCKS", "0")
        .env("GIT_TERMINAL_PROMPT", "0")
        .env("LC_ALL", "C")
        .args(["-c", "safe.directory=*", "-c", "core.quotepath=off", "-c", "core.fsmonitor=false"])
        .args(arguments)
        .current_dir(root);
    git
}

fn is_git_variable(name: &OsStr) -> bool {
    name.as_encoded_bytes().starts_with(b"GIT_")
}
