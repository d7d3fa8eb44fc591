//! A source, and readers of texts, for the tests of this module.

#![expect(clippy::unwrap_used, reason = "tests")]

use crate::config::{FieldFilter, Globs, ItemSource, Template, TemplatePart};
use crate::model::{Refusal, RepoPath};
use crate::records::item::{Item, Mention};
use crate::records::{Parsed, items};

/// Returns a source that maps nothing.
pub(super) fn source() -> ItemSource {
    let globs = || Globs { written: Vec::new(), set: globset::GlobSet::empty() };
    ItemSource {
        include: globs(),
        exclude: globs(),
        id: None,
        reference: Template { parts: vec![TemplatePart::Hole(String::new())] },
        fields: std::collections::BTreeMap::new(),
        edges: None,
        no_pack: FieldFilter::default(),
        prefixes: Vec::new(),
        body_file: None,
    }
}

/// Reads a text as the file `path`, beside which there is a `README.md`.
pub(super) fn read(source: &ItemSource, path: &str, text: &str) -> Parsed {
    items(source, 0, &RepoPath::new(path).unwrap(), text, &|path| match path.name() {
        "README.md" => Ok("\n# Beside\n\nText\n".to_owned()),
        _ => Err(Refusal::NotInRepo),
    })
}

/// Returns a source that maps native fields to other names.
pub(super) fn mapped(fields: &[(&str, &[&str])]) -> ItemSource {
    let mut source = source();
    for (native, own_name) in fields {
        source.fields.insert((*native).to_owned(), own_name.iter().map(|name| (*name).to_owned()).collect());
    }
    source
}

/// Returns the item of a file with this front matter.
pub(super) fn only(source: &ItemSource, front_matter: &str) -> Item<String> {
    read(source, "w/x.md", &format!("---\n{front_matter}---\nText\n")).items.remove(0)
}

/// Returns the names of an item's fields.
pub(super) fn names(item: &Item<String>) -> Vec<&str> {
    item.fields.iter().map(|field| field.name.as_str()).collect()
}

/// Returns the values of mentions.
pub(super) fn values(mentions: &[Mention<String>]) -> Vec<&str> {
    mentions.iter().map(|mention| mention.value.as_str()).collect()
}
