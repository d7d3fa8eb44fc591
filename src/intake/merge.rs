//! The files that a merge will result in, before git has written them.

use super::git;
use std::ffi::OsStr;
use std::path::Path;

/// Writes the files of the merge of `HEAD` with `other` below `folder`, which becomes a git repository that tracks them.
///
/// Only files for which `may_conflict` is true may have conflicts; they are written as `HEAD` has them.
///
/// # Errors
/// Why the files cannot be written: a sentence.
pub fn write_merged_files(
    top: &Path,
    other: &str,
    folder: &Path,
    may_conflict: &dyn Fn(&str) -> bool,
) -> Result<(), String> {
    // The merge driver of the packs would start this merge again.
    let options =
        ["-c", "merge.contextpack.driver=false", "merge-tree", "--write-tree", "-z", "--name-only", "--no-messages"];
    let output =
        git::command(top, &options).args(["HEAD", other]).output().map_err(|error| git::not_started(&error))?;
    // 1 says that something conflicts.
    if !matches!(output.status.code(), Some(0 | 1)) {
        return Err("git cannot merge without writing files; it needs version 2.38".to_owned());
    }
    let text = String::from_utf8_lossy(&output.stdout);
    let mut parts = text.split('\0').filter(|part| !part.is_empty());
    let tree = parts.next().ok_or("git gives no merged tree")?;
    if let Some(conflict) = parts.find(|path| !may_conflict(path)) {
        return Err(format!("`{conflict}` has conflicts of its own: resolve them first"));
    }
    let failed = |error: std::io::Error| format!("the merged files cannot be written: {}", error.kind());
    git::run(folder, &["init", "-q", "."])?;
    let index = folder.join(".git/index");
    let with_index = |arguments: &[&str]| -> Result<(), String> {
        let mut command = git::command(top, arguments);
        command.env("GIT_INDEX_FILE", index.as_os_str());
        let output = command.output().map_err(failed)?;
        if output.status.success() { Ok(()) } else { Err("git cannot write the merged files".to_owned()) }
    };
    with_index(&["read-tree", tree])?;
    // A final `/` makes it a folder rather than the beginning of each name.
    let mut prefix = folder.as_os_str().to_owned();
    prefix.push(OsStr::new("/"));
    let prefix = format!("--prefix={}", prefix.to_str().ok_or("the temporary folder's name is not UTF-8")?);
    with_index(&["checkout-index", "--all", "--quiet", "--force", &prefix])
}
