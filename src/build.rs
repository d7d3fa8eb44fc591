//! Gives the program a name for its own source code, by which it tells its caches from those of others.

#[path = "build/redaction_rules.rs"]
mod redaction_rules;

use std::fs;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::{Path, PathBuf};

fn main() -> std::io::Result<()> {
    redaction_rules::generate()?;
    let mut files = vec![PathBuf::from("Cargo.toml"), PathBuf::from("Cargo.lock")];
    collect(Path::new("src"), &mut files)?;
    files.sort();
    let mut hasher = DefaultHasher::new();
    for file in files.iter().filter(|file| file.exists()) {
        println!("cargo::rerun-if-changed={}", file.display());
        // The same whatever the system's separator.
        file.components().for_each(|part| part.as_os_str().to_string_lossy().hash(&mut hasher));
        fs::read(file)?.hash(&mut hasher);
    }
    println!("cargo::rerun-if-changed=src");
    println!("cargo::rustc-env=CONTEXTPACK_SOURCE={:016x}", hasher.finish());
    Ok(())
}

fn collect(dir: &Path, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in fs::read_dir(dir)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, files)?;
        } else {
            files.push(path);
        }
    }
    Ok(())
}
