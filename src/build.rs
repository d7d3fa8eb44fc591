//! Generates the tables of redaction rules, records the commit that is built, and computes the identity by which a program
//! recognizes the caches that it may use.
//!
//! The promise: a cache written by a program whose packs would differ is never used. The identity therefore covers every
//! source file except those of [`EXCLUDED`], the versions and features of dependencies, and the compiler, whose standard
//! library brings Unicode tables. New modules are covered until they are excluded.
//!
//! It is a 64-bit hash rather than a digest, since it only has to prevent accidents, and a digest would be a dependency
//! that is built a second time for the build script.

#[path = "build/origin.rs"]
mod origin;
#[path = "build/redaction_rules.rs"]
mod redaction_rules;

use std::env;
use std::fs;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::PathBuf;
use std::process::Command;
use walkdir::WalkDir;

/// Modules that decide neither what packs nor what cached texts hold, so that an edit of them keeps caches valid.
///
/// - `cli` parses arguments and formats results. What it asks for is part of the cache's keys, since it may ask for
///   something else in the next run of the same program.
/// - `github` writes the snapshot, whose files are inputs like others.
/// - `main` calls `cli`.
/// - `mcp` and `page` show packs in other forms.
/// - `watch` decides when packs are built, not what they hold.
///
/// No other module may use one of these; `arrows.rs` in `tests/suite` checks that.
const EXCLUDED: [&str; 6] = ["cli", "github", "main", "mcp", "page", "watch"];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    redaction_rules::generate()?;
    origin::set();
    let mut files = vec![PathBuf::from("Cargo.toml"), PathBuf::from("Cargo.lock")];
    files.retain(|file| file.exists());
    for entry in fs::read_dir("src")? {
        let path = entry?.path();
        if !path.file_stem().and_then(|name| name.to_str()).is_some_and(|name| EXCLUDED.contains(&name)) {
            // Cargo watches folders with all that they hold. It need not watch `src` itself, where a new module comes
            // with an edit of `lib.rs`.
            println!("cargo::rerun-if-changed={}", path.display());
            for entry in WalkDir::new(path) {
                let entry = entry?;
                if entry.file_type().is_file() {
                    files.push(entry.into_path());
                }
            }
        }
    }
    files.sort();
    let mut hasher = DefaultHasher::new();
    for file in &files {
        // Separators differ between systems.
        file.components().for_each(|part| part.as_os_str().to_string_lossy().hash(&mut hasher));
        fs::read(file)?.hash(&mut hasher);
    }
    for file in files.iter().filter(|file| !file.starts_with("src")) {
        println!("cargo::rerun-if-changed={}", file.display());
    }
    env::var_os("CARGO_CFG_FEATURE").hash(&mut hasher);
    let compiler = env::var_os("RUSTC").ok_or("cargo sets `RUSTC`")?;
    Command::new(compiler).arg("--version").output()?.stdout.hash(&mut hasher);
    println!("cargo::rustc-env=CONTEXTPACK_SOURCE={:016x}", hasher.finish());
    println!("cargo::rustc-env=CONTEXTPACK_EXCLUDED={}", EXCLUDED.join(","));
    Ok(())
}
