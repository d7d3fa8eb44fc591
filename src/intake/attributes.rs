//! The git attributes that decide what of a file's text on disk is stored in git: `ident` and `filter=lfs`.
//!
//! They are read from `.gitattributes` files alone, as settings of one clone (`info/attributes`) change no pack.

use super::text;
use crate::config::IgnorePatterns;
use cap_std::ambient_authority;
use cap_std::fs::Dir;
use std::collections::BTreeMap;
use std::path::Path;

/// The `.gitattributes` files of a repo that say something about either attribute.
#[derive(Debug, Default)]
pub(super) struct Attributes {
    /// The root's path from the work tree's top, with a `/` at its end; empty if they are the same.
    prefix: String,
    /// The lines of each folder, by its path from the work tree's top with a `/` at its end.
    folders: BTreeMap<String, Vec<AttributeLine>>,
}

/// The attributes of a file, or what a line says about each of them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct FileAttributes {
    /// Whether git expands `$Id$` on disk.
    pub(super) ident: Option<bool>,
    /// Whether the content is stored with Git LFS.
    pub(super) lfs: Option<bool>,
}

/// A line that sets attributes, or resets them.
#[derive(Debug)]
struct AttributeLine {
    pattern: IgnorePatterns,
    values: FileAttributes,
}

impl Attributes {
    /// Reads the attributes of the folders from a work tree's `top` down to the one above the root.
    pub(super) fn above(top: Option<&Path>, root: &Path) -> Self {
        let mut attributes = Self::default();
        let Some((mut dir, below)) = top.and_then(|top| Some((top.to_owned(), root.strip_prefix(top).ok()?))) else {
            return attributes;
        };
        for part in below.components() {
            let handle = Dir::open_ambient_dir(&dir, ambient_authority()).ok();
            let read = handle.and_then(|dir| text::read_bytes(&dir, ".gitattributes", text::size_limit("")).ok());
            let folder = attributes.prefix.clone();
            read.iter().for_each(|bytes| attributes.add_from_top(folder.clone(), bytes));
            attributes.prefix.push_str(&part.as_os_str().to_string_lossy());
            attributes.prefix.push('/');
            dir.push(part);
        }
        attributes
    }

    /// Adds the file of a folder, whose path from the root has a `/` at its end unless it is empty.
    pub(super) fn add(&mut self, folder: &str, text: &[u8]) {
        self.add_from_top(format!("{}{folder}", self.prefix), text);
    }

    /// Adds the file of a folder by its path from the work tree's top.
    fn add_from_top(&mut self, folder: String, text: &[u8]) {
        let mut macros: BTreeMap<String, FileAttributes> = BTreeMap::new();
        let mut lines = Vec::new();
        for line in String::from_utf8_lossy(text).lines().map(str::trim).filter(|line| !line.starts_with('#')) {
            let Some((pattern, attributes)) = split(line) else { continue };
            let values = FileAttributes::read(attributes, &macros);
            if let Some(name) = pattern.strip_prefix("[attr]") {
                macros.insert(name.to_owned(), values);
            } else if values != FileAttributes::default() && !pattern.starts_with('!') {
                lines.push(AttributeLine { pattern: IgnorePatterns::gitignore(pattern.as_bytes()), values });
            }
        }
        if !lines.is_empty() {
            self.folders.insert(folder, lines);
        }
    }

    /// Returns the attributes that the file at `path` from the root has. The last line of the deepest folder decides.
    pub(super) fn of(&self, path: &str) -> FileAttributes {
        if self.folders.is_empty() {
            return FileAttributes::default();
        }
        let path = format!("{}{path}", self.prefix);
        let mut values = FileAttributes::default();
        // Of two folders above a file the deeper sorts last.
        for (folder, lines) in self.folders.iter().rev() {
            let Some(below) = path.strip_prefix(folder.as_str()) else { continue };
            for line in lines.iter().rev().filter(|line| line.pattern.verdict(below.as_bytes(), false).is_some()) {
                values.ident = values.ident.or(line.values.ident);
                values.lfs = values.lfs.or(line.values.lfs);
            }
        }
        FileAttributes { ident: values.ident.filter(|set| *set), lfs: values.lfs.filter(|set| *set) }
    }
}

impl FileAttributes {
    fn read(attributes: &str, macros: &BTreeMap<String, Self>) -> Self {
        let mut values = Self::default();
        for word in attributes.split_whitespace() {
            let name = word.trim_start_matches(['-', '!']);
            match name.split_once('=').map_or(name, |(name, _)| name) {
                "ident" => values.ident = Some(word == "ident"),
                "filter" => values.lfs = Some(word == "filter=lfs"),
                name => {
                    let set = macros.get(name).filter(|_| word == name).copied().unwrap_or_default();
                    values = Self { ident: set.ident.or(values.ident), lfs: set.lfs.or(values.lfs) };
                }
            }
        }
        values
    }
}

/// Splits a line into its pattern, which may be in quotes, and its attributes.
fn split(line: &str) -> Option<(&str, &str)> {
    match line.strip_prefix('"') {
        Some(rest) => rest.split_once('"'),
        None => line.split_once(char::is_whitespace),
    }
}
