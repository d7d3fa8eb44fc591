//! The commit and the origin that a program for use is built from, which the workflows of `init` install.

use std::env;
use std::path::Path;
use std::process::Command;

/// Sets `CONTEXTPACK_REPOSITORY` and `CONTEXTPACK_COMMIT` in a release build of a clone, unless the environment has them. Nothing is
/// set unless that commit of that origin is this very source, and the URL holds no credentials. A developer's builds know nothing,
/// so that a new commit builds nothing again.
pub(super) fn set() {
    println!("cargo::rerun-if-env-changed=CONTEXTPACK_COMMIT");
    if env::var_os("CONTEXTPACK_COMMIT").is_some() || env::var("PROFILE").as_deref() != Ok("release") {
        return;
    }
    let Some((url, commit)) = origin() else { return };
    println!("cargo::rustc-env=CONTEXTPACK_REPOSITORY={url}");
    println!("cargo::rustc-env=CONTEXTPACK_COMMIT={commit}");
    for name in ["HEAD", "logs/HEAD"] {
        if let Some(path) = git(&["rev-parse", "--git-path", name]).filter(|path| Path::new(path).exists()) {
            println!("cargo::rerun-if-changed={path}");
        }
    }
}

fn origin() -> Option<(String, String)> {
    // Within another repository, as a copy of it, the commit would be one of that.
    if !git(&["rev-parse", "--show-prefix"])?.is_empty() {
        return None;
    }
    let url = git(&["config", "--get", "remote.origin.url"])?;
    let is_plain = url.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._/:-".contains(&byte));
    let commit = git(&["rev-parse", "HEAD"])?;
    let is_clean = git(&["status", "--porcelain", "--untracked-files=no"])?.is_empty();
    let is_pushed = !git(&["for-each-ref", "--contains", &commit, "refs/remotes/origin"])?.is_empty();
    (url.starts_with("https://") && is_plain && is_clean && is_pushed).then_some((url, commit))
}

fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).output().ok().filter(|output| output.status.success())?;
    Some(String::from_utf8(output.stdout).ok()?.trim().to_owned())
}
