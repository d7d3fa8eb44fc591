//! The files that a merge will result in, before git has written them.

use super::run::Git;
use std::path::Path;

/// Writes the files of the merge of `HEAD` with `other` below `folder`, which becomes a git repository that tracks them.
///
/// Only files for which `may_conflict` is true may have conflicts; they are written as `HEAD` has them.
pub fn write_merged_files(
    top: &Path,
    other: &str,
    folder: &Path,
    may_conflict: &dyn Fn(&str) -> bool,
) -> Result<(), String> {
    // The merge driver of the packs would start this merge again.
    let arguments = ["-c", "merge.contextpack.driver=false", "merge-tree", "--write-tree", "-z", "--name-only"];
    let output = Git::isolated(top, &[&arguments[..], &["--no-messages", "HEAD", other]].concat()).output()?;
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
    Git::isolated(folder, &["init", "-q", "."]).bytes()?;
    let index = folder.join(".git/index");
    let with_index = |arguments: &[&str]| {
        let written = Git::isolated(top, arguments).env("GIT_INDEX_FILE", &index).bytes();
        written.map(drop).map_err(|_| "git cannot write the merged files".to_owned())
    };
    with_index(&["read-tree", tree])?;
    let folder = folder.to_str().ok_or("the temporary folder's name is not UTF-8")?;
    // A final `/` makes it a folder rather than the beginning of each name.
    with_index(&["checkout-index", "--all", "--quiet", "--force", &format!("--prefix={folder}/")])
}
