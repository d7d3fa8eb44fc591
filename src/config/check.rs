//! Checks of single settings, which record each fault with its place.

use super::faults::{ConfigFault, MAX_SUGGESTIONS, did_you_mean, shortened};
use super::settings::{Globs, Template, TemplatePart};
use super::tree;
use crate::model::RepoPath;
use crate::yaml::{Position, YamlNode, YamlValue};
use globset::{GlobBuilder, GlobMatcher, GlobSetBuilder};

/// The longest glob, in bytes: longer ones could nest deeper than their compiler should follow.
const MAX_GLOB_BYTES: usize = 1000;

/// The most globs or rules of one list: each is compiled.
pub(super) const MAX_COMPILED: usize = 500;

/// The place of a setting in the file, and its value if the file has it.
#[derive(Clone, Copy)]
pub(super) struct SettingPlace<'a> {
    at: Position,
    node: Option<&'a YamlNode>,
}

impl<'a> SettingPlace<'a> {
    /// The place of the whole file.
    pub(super) fn root(node: &'a YamlNode) -> Self {
        Self { at: Position::START, node: Some(node) }
    }

    /// Returns the line, from 1.
    pub(super) fn line(self) -> u32 {
        self.at.line
    }

    /// Returns the setting `name` below this one. If it is absent, its place is that of this one.
    pub(super) fn key(self, name: &str) -> Self {
        match self.node.and_then(|node| tree::entry(node, name)) {
            Some((key, node)) => Self { at: key.at, node: Some(node) },
            None => Self { at: self.at, node: None },
        }
    }

    /// Returns the value at `index` of this list; a single value counts as a list of itself.
    pub(super) fn item(self, index: usize) -> Self {
        match self.node.map(|node| &node.value) {
            Some(YamlValue::List(nodes)) if index < nodes.len() => {
                Self { at: nodes[index].at, node: Some(&nodes[index]) }
            }
            _ => self,
        }
    }
}

/// The faults found so far, and the checks that find more.
#[derive(Default)]
pub(super) struct ConfigFaults(pub(super) Vec<ConfigFault>);

impl ConfigFaults {
    /// Records a fault at a setting.
    pub(super) fn add(&mut self, at: SettingPlace<'_>, message: impl Into<String>) -> &mut ConfigFault {
        let index = self.0.len();
        self.0.push(ConfigFault::new(at.at, message));
        &mut self.0[index]
    }

    /// Records a fault and what to do about it.
    pub(super) fn add_help(&mut self, at: SettingPlace<'_>, message: impl Into<String>, help: impl Into<String>) {
        self.add(at, message).help = Some(help.into());
    }

    /// Compiles globs over files: `*` stays in a folder, `**` crosses folders, braces work.
    pub(super) fn globs(&mut self, at: SettingPlace<'_>, written: &[String], any_case: bool) -> Globs {
        let mut set = GlobSetBuilder::new();
        let mut written_globs = Vec::new();
        for (index, text) in self.at_most(at, written, MAX_COMPILED).iter().enumerate() {
            let at = at.item(index);
            let text = text.strip_prefix("./").unwrap_or(text);
            if !self.glob_stays_inside(at, text) {
                continue;
            }
            match GlobBuilder::new(text)
                .literal_separator(true)
                .backslash_escape(true)
                .case_insensitive(any_case)
                .build()
            {
                Ok(glob) => {
                    set.add(glob);
                    written_globs.push(text.to_owned());
                }
                Err(error) => self.add_glob_error(at, text, &error),
            }
        }
        match set.build() {
            Ok(set) => Globs { written: written_globs, set },
            Err(error) => {
                self.add_glob_error(at, "", &error);
                Globs { written: Vec::new(), set: globset::GlobSet::empty() }
            }
        }
    }

    /// Compiles a glob over files.
    pub(super) fn file_glob(&mut self, at: SettingPlace<'_>, text: &str) -> Option<GlobMatcher> {
        self.glob_stays_inside(at, text).then(|| self.glob(at, text, true)).flatten()
    }

    /// Compiles a glob over ids, in which `*` matches every character.
    pub(super) fn id_glob(&mut self, at: SettingPlace<'_>, text: &str) -> Option<GlobMatcher> {
        if text.is_empty() || text.len() > MAX_GLOB_BYTES {
            self.add(at, format!("a glob has 1 to {MAX_GLOB_BYTES} bytes"));
            return None;
        }
        self.glob(at, text, false)
    }

    fn glob(&mut self, at: SettingPlace<'_>, text: &str, literal_separator: bool) -> Option<GlobMatcher> {
        match GlobBuilder::new(text).literal_separator(literal_separator).backslash_escape(true).build() {
            Ok(glob) => Some(glob.compile_matcher()),
            Err(error) => {
                self.add_glob_error(at, text, &error);
                None
            }
        }
    }

    fn add_glob_error(&mut self, at: SettingPlace<'_>, text: &str, error: &globset::Error) {
        self.add(at, format!("`{}` is not a glob: {}", shortened(text), error.kind()));
    }

    /// Checks that a glob could match a path from the root of the repo.
    fn glob_stays_inside(&mut self, at: SettingPlace<'_>, text: &str) -> bool {
        let shown = shortened(text);
        if text.is_empty() {
            self.add(at, "the glob is empty");
        } else if text.len() > MAX_GLOB_BYTES {
            self.add(at, format!("the glob is longer than {MAX_GLOB_BYTES} bytes"));
        } else if text.starts_with('!') {
            self.add_help(at, format!("`{shown}` begins with `!`"), "name what is left out under `exclude`");
        } else if text.ends_with('/') {
            self.add_help(at, format!("`{shown}` names a folder"), format!("`{shown}**` takes the files below it"));
        } else if RepoPath::new(text).is_err() || text.split('/').any(|part| part == "..") {
            self.add_help(at, format!("`{shown}` leads out of the repo"), "globs are paths from the root of the repo");
        } else {
            return true;
        }
        false
    }

    /// Checks the path of a file or folder of the repo, which is not its root.
    pub(super) fn path(&mut self, at: SettingPlace<'_>, written: &str) -> Option<RepoPath> {
        let shown = shortened(written);
        match RepoPath::new(written) {
            Err(_) => {
                self.add_help(at, format!("`{shown}` leads out of the repo"), "give a path from the root of the repo");
                None
            }
            Ok(path) if path.as_str().is_empty() => {
                self.add_help(at, "the root of the repo cannot stand here", "name a folder or a file in it");
                None
            }
            Ok(_) if written.contains('\\') => {
                let help = format!("write `{}`", shortened(&written.replace('\\', "/")));
                self.add_help(at, format!("`{shown}` has a backslash, which is a folder on some systems only"), help);
                None
            }
            Ok(_) if written.chars().any(char::is_control) => {
                self.add(at, "the path has control characters");
                None
            }
            Ok(path) => Some(path),
        }
    }

    /// Checks a name of `[a-z0-9-]+`.
    pub(super) fn name(&mut self, at: SettingPlace<'_>, name: &str, what: &str) -> bool {
        let fits = !name.is_empty() && name.bytes().all(|b| matches!(b, b'a'..=b'z' | b'0'..=b'9' | b'-'));
        if !fits {
            let message = format!("`{}` cannot be the name of {what}", shortened(name));
            self.add_help(at, message, "names are made of a-z, 0-9 and `-`");
        }
        fits
    }

    /// Trims texts, and leaves out those that are empty or given twice, which are faults.
    pub(super) fn texts(&mut self, at: SettingPlace<'_>, written: &[String]) -> Vec<String> {
        let mut kept: Vec<String> = Vec::new();
        let mut seen = std::collections::BTreeSet::new();
        for (index, text) in written.iter().enumerate() {
            let text = text.trim();
            if text.is_empty() {
                self.add(at.item(index), "the text is empty");
            } else if !seen.insert(text) {
                self.add(at.item(index), format!("`{}` is given twice", shortened(text)));
            } else {
                kept.push(text.to_owned());
            }
        }
        kept
    }

    /// Checks that a name is one of `known`; `what` is what it should name.
    pub(super) fn one_of(&mut self, at: SettingPlace<'_>, name: &str, known: &[&str], what: &str) -> bool {
        let fits = known.contains(&name);
        if !fits {
            let help = (self.0.len() < MAX_SUGGESTIONS).then(|| did_you_mean(name, known));
            self.add(at, format!("`{}` is not {what}", shortened(name))).help = help;
        }
        fits
    }

    /// Checks that a list has at most `max` entries, and returns the first of them.
    pub(super) fn at_most<'a, T>(&mut self, at: SettingPlace<'_>, list: &'a [T], max: usize) -> &'a [T] {
        if list.len() > max {
            self.add(at, format!("the list has {} entries, more than {max}", list.len()));
        }
        &list[..list.len().min(max)]
    }

    /// Parses a text with `{name}` holes, in which `{{` and `}}` are plain braces.
    pub(super) fn template(&mut self, at: SettingPlace<'_>, written: &str) -> Option<Template> {
        match parse_template(written) {
            Ok(template) => Some(template),
            Err(message) => {
                let help = "holes are written `{name}`; write `{{` or `}}` for a brace itself";
                self.add_help(at, format!("`{}` is not a template: {message}", shortened(written)), help);
                None
            }
        }
    }
}

fn parse_template(written: &str) -> Result<Template, &'static str> {
    let mut parts = Vec::new();
    let mut text = String::new();
    let mut chars = written.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '{' | '}' if chars.peek() == Some(&c) => {
                chars.next();
                text.push(c);
            }
            '}' => return Err("a `}` closes nothing"),
            '{' => {
                if !text.is_empty() {
                    parts.push(TemplatePart::Text(std::mem::take(&mut text)));
                }
                let mut hole = String::new();
                loop {
                    match chars.next() {
                        Some('}') => break,
                        Some('{') | None => return Err("a `{` is not closed"),
                        Some(c) => hole.push(c),
                    }
                }
                parts.push(TemplatePart::Hole(hole.trim().to_owned()));
            }
            c => text.push(c),
        }
    }
    if !text.is_empty() {
        parts.push(TemplatePart::Text(text));
    }
    Ok(Template { parts })
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    #[test]
    fn templates_keep_doubled_braces_and_refuse_open_ones() {
        let text = |text: &str| TemplatePart::Text(text.to_owned());
        let hole = |name: &str| TemplatePart::Hole(name.to_owned());
        assert_eq!(parse_template("EIP-{eip}").unwrap().parts, [text("EIP-"), hole("eip")]);
        assert_eq!(parse_template("{}").unwrap().parts, [hole("")]);
        assert_eq!(parse_template("{dir}/{{x}}").unwrap().parts, [hole("dir"), text("/{x}")]);
        for wrong in ["{a", "a}", "{a{b}"] {
            assert!(parse_template(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn globs_stay_in_folders_and_braces_work() {
        let root = tree::read("").unwrap();
        let mut faults = ConfigFaults::default();
        let written = ["work_items/**/*.{md,yml}".to_owned(), "./a/*.md".to_owned()];
        let globs = faults.globs(SettingPlace::root(&root), &written, false);
        assert!(globs.set.is_match("work_items/x.md") && globs.set.is_match("work_items/a/b/x.yml"));
        assert!(globs.set.is_match("a/x.md") && !globs.set.is_match("a/b/x.md") && !globs.set.is_match("A/x.md"));
        for wrong in ["", "/x", "../x", "a/../../x", "docs/", "!x", "a/[b", "{a"] {
            let before = faults.0.len();
            faults.globs(SettingPlace::root(&root), &[wrong.to_owned()], false);
            assert_eq!(faults.0.len(), before + 1, "{wrong}");
        }
    }
}
