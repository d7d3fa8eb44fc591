//! Lists files that the user named, or that are below a folder that they named.

use cap_std::ambient_authority;
use cap_std::fs::{Dir, DirEntry};
use std::io;
use std::path::{Path, PathBuf};

/// Returns the file itself, or every `.json` file below the folder, sorted.
pub fn json_files(path: &Path) -> io::Result<Vec<PathBuf>> {
    match path.is_dir() {
        true => entries_below(path, &|path, is_folder| !is_folder && is_json(path)),
        false => Ok(vec![path.to_path_buf()]),
    }
}

/// Returns whether a file is named like JSON.
pub fn is_json(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "json")
}

/// Returns every entry below a folder that is `wanted`, which is asked with whether it is a folder, without following links.
pub fn entries_below(folder: &Path, wanted: &dyn Fn(&Path, bool) -> bool) -> io::Result<Vec<PathBuf>> {
    // The standard library panics if the system cannot close a folder.
    let entries = Dir::open_ambient_dir(folder, ambient_authority())?.entries()?;
    let named = |entry: io::Result<DirEntry>| entry.and_then(|entry| Ok((entry.file_name(), entry.file_type()?)));
    let mut entries = entries.map(named).collect::<io::Result<Vec<_>>>()?;
    entries.sort_by(|(a, _), (b, _)| a.cmp(b));
    let mut found = Vec::new();
    for (name, kind) in entries {
        let path = folder.join(name);
        let is_folder = kind.is_dir();
        if wanted(&path, is_folder) {
            found.push(path.clone());
        }
        if is_folder {
            found.extend(entries_below(&path, wanted)?);
        }
    }
    Ok(found)
}
