//! The outputs of a workflow's step.

use super::{append, random_word, workspace_prefix};
use crate::console::Failure;
use std::fmt::Write as _;
use std::io;
use std::path::{Path, PathBuf};

/// A pack as later steps see it.
#[derive(Debug)]
pub(crate) struct StepPack {
    /// The file, from the repo's root.
    pub(crate) path: String,
    /// Whether this run wrote or removed it.
    pub(crate) changed: bool,
    /// The outputs of a pack that exists; `None` if it was removed.
    pub(crate) outputs: Option<PackOutputs>,
}

/// The outputs for the only pack of a build.
#[derive(Debug)]
pub(crate) struct PackOutputs {
    pub(crate) hash: String,
    pub(crate) tokens: Option<u64>,
    /// The number of its root's blockers that are not known to be done; `None` if unknown.
    pub(crate) open_blockers: Option<usize>,
    /// Its Markdown file.
    pub(crate) markdown: Option<PathBuf>,
}

/// Appends the outputs to `file`; paths are relative to the workflow's workspace.
pub(crate) fn append_outputs(file: &Path, packs: &[StepPack]) -> Result<(), Failure> {
    append(file, &outputs(packs, &workspace_prefix())?)
}

fn outputs(packs: &[StepPack], prefix: &str) -> io::Result<String> {
    let path = |pack: &StepPack| format!("{prefix}{}", pack.path);
    let list = |packs: &mut dyn Iterator<Item = &StepPack>| {
        serde_json::Value::from(packs.map(path).collect::<Vec<String>>()).to_string()
    };
    let mut text = String::new();
    output(&mut text, "packs", &list(&mut packs.iter().filter(|pack| pack.outputs.is_some())))?;
    output(&mut text, "changed", &list(&mut packs.iter().filter(|pack| pack.changed)))?;
    // With several packs the outputs of the only pack are empty.
    let one = match packs {
        [one] => one.outputs.as_ref().map(|outputs| (path(one), outputs)),
        _ => None,
    };
    let of =
        |value: &dyn Fn(&(String, &PackOutputs)) -> Option<String>| one.as_ref().and_then(value).unwrap_or_default();
    output(&mut text, "pack", &of(&|(path, _)| Some(path.clone())))?;
    output(&mut text, "markdown", &of(&|(_, it)| Some(it.markdown.as_ref()?.to_str()?.to_owned())))?;
    output(&mut text, "hash", &of(&|(_, it)| Some(it.hash.clone())))?;
    output(&mut text, "tokens", &of(&|(_, it)| it.tokens.map(|tokens| tokens.to_string())))?;
    output(&mut text, "open-blockers", &of(&|(_, it)| it.open_blockers.map(|open| open.to_string())))?;
    Ok(text)
}

/// Adds an output; its value ends at a random word, so no value can end it early.
fn output(text: &mut String, name: &str, value: &str) -> io::Result<()> {
    let word = random_word()?;
    // Writing to a `String` cannot fail.
    let _ = write!(text, "{name}<<{word}\n{value}\n{word}\n");
    Ok(())
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    fn read(text: &str) -> BTreeMap<String, String> {
        let mut lines = text.lines();
        let mut all = BTreeMap::new();
        while let Some((name, word)) = lines.next().and_then(|line| line.split_once("<<")) {
            let value: Vec<&str> = lines.by_ref().take_while(|line| *line != word).collect();
            all.insert(name.to_owned(), value.join("\n"));
        }
        all
    }

    #[test]
    fn a_hostile_path_adds_no_output() {
        let hash = "sha256:0".to_owned();
        let outputs_of_pack = PackOutputs { hash, tokens: None, open_blockers: Some(2), markdown: None };
        let path = "packs/\npack=x\nEOF\nhash<<x\n.json".to_owned();
        let pack = StepPack { path, changed: true, outputs: Some(outputs_of_pack) };
        let all = read(&outputs(&[pack], "sub/").unwrap());
        assert_eq!((all.len(), &*all["open-blockers"]), (7, "2"));
        assert_eq!(all["packs"], "[\"sub/packs/\\npack=x\\nEOF\\nhash<<x\\n.json\"]");
        assert_eq!(all["pack"], "sub/packs/\npack=x\nEOF\nhash<<x\n.json");
    }
}
