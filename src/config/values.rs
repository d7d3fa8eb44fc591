//! Values of settings that check themselves while they are read.

use super::faults::{ConfigFault, shortened};
use crate::model::{RepoPath, is_repo_name, parse_amount};
use globset::{Glob, GlobBuilder, GlobMatcher, GlobSetBuilder};
use serde::de::{self, Deserialize, DeserializeSeed, Deserializer, IntoDeserializer, SeqAccess, Visitor};
use std::collections::BTreeMap;
use std::collections::BTreeSet;
use std::fmt;
use std::marker::PhantomData;

/// The longest glob, in bytes: longer ones could nest deeper than their compiler should follow.
const MAX_GLOB_BYTES: usize = 1000;

/// The most globs or rules of one list: each is compiled.
pub(super) const MAX_COMPILED: usize = 500;

type Checked<T> = Result<T, ConfigFault>;

pub(super) fn checked<'de, D, W, T>(deserializer: D, check: impl FnOnce(W) -> Checked<T>) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    W: Deserialize<'de>,
{
    check(W::deserialize(deserializer)?).map_err(de::Error::custom)
}

/// Reads one text or a list of texts of at most `max`, and checks each.
pub(super) fn one_or_many<'de, D: Deserializer<'de>, T>(
    deserializer: D,
    max: usize,
    check: impl FnMut(String) -> Checked<T>,
) -> Result<Vec<T>, D::Error> {
    deserializer.deserialize_any(ListVisitor { max, check, item: PhantomData })
}

/// Reads a list of at most `max` values, and checks each.
pub(super) fn list<'de, D: Deserializer<'de>, W: Deserialize<'de>, T>(
    deserializer: D,
    max: usize,
    check: impl FnMut(W) -> Checked<T>,
) -> Result<Vec<T>, D::Error> {
    deserializer.deserialize_seq(ListVisitor { max, check, item: PhantomData })
}

/// Reads a list of at most [`MAX_COMPILED`] values.
pub(super) fn bounded<'de, D: Deserializer<'de>, T: Deserialize<'de>>(deserializer: D) -> Result<Vec<T>, D::Error> {
    list(deserializer, MAX_COMPILED, Ok)
}

struct ListVisitor<W, F> {
    max: usize,
    check: F,
    item: PhantomData<W>,
}

impl<'de, W: Deserialize<'de>, T, F: FnMut(W) -> Checked<T>> Visitor<'de> for ListVisitor<W, F> {
    type Value = Vec<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a text or a list of texts")
    }

    fn visit_str<E: de::Error>(mut self, text: &str) -> Result<Vec<T>, E> {
        Ok(vec![checked(text.into_deserializer(), &mut self.check)?])
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut items: A) -> Result<Vec<T>, A::Error> {
        if let Some(count) = items.size_hint().filter(|count| *count > self.max) {
            let message = format!("the list has {count} entries, more than {}", self.max);
            return Err(de::Error::custom(ConfigFault::new(message)));
        }
        let mut values = Vec::new();
        while let Some(value) = items.next_element_seed(ItemSeed { check: &mut self.check, item: PhantomData })? {
            values.push(value);
        }
        Ok(values)
    }
}

struct ItemSeed<'a, W, F> {
    check: &'a mut F,
    item: PhantomData<W>,
}

impl<'de, W: Deserialize<'de>, T, F: FnMut(W) -> Checked<T>> DeserializeSeed<'de> for ItemSeed<'_, W, F> {
    type Value = T;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<T, D::Error> {
        checked(deserializer, self.check)
    }
}

/// Returns a check that trims texts, and refuses those that are empty or given twice.
pub(super) fn unique() -> impl FnMut(String) -> Checked<String> {
    let mut seen = BTreeSet::new();
    move |text: String| {
        let text = text.trim();
        if text.is_empty() {
            return Err(ConfigFault::new("the text is empty"));
        }
        if !seen.insert(text.to_owned()) {
            return Err(ConfigFault::new(format!("`{}` is given twice", shortened(text))));
        }
        Ok(text.to_owned())
    }
}

pub(super) fn texts<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    list(deserializer, usize::MAX, unique())
}

pub(super) fn words<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    one_or_many(deserializer, usize::MAX, unique())
}

pub(super) fn paths<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<RepoPath>, D::Error> {
    one_or_many(deserializer, MAX_COMPILED, |written| path(&written))
}

/// Reads globs over ids, in which `*` matches every character.
pub(super) fn id_globs<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<GlobMatcher>, D::Error> {
    one_or_many(deserializer, MAX_COMPILED, |text| {
        if text.is_empty() || text.len() > MAX_GLOB_BYTES {
            return Err(ConfigFault::new(format!("a glob has 1 to {MAX_GLOB_BYTES} bytes")));
        }
        let glob = GlobBuilder::new(&text).literal_separator(false).backslash_escape(true).build();
        glob.map(|glob| glob.compile_matcher()).map_err(|error| glob_fault(&text, &error))
    })
}

/// One text or a list of texts.
#[derive(Debug, Clone, Default)]
pub struct OneOrMany(Vec<String>);

impl std::ops::Deref for OneOrMany {
    type Target = Vec<String>;

    fn deref(&self) -> &Vec<String> {
        &self.0
    }
}

impl<'de> Deserialize<'de> for OneOrMany {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        words(deserializer).map(Self)
    }
}

#[derive(Debug, Clone, Default)]
pub struct Globs {
    /// The globs as written, in order.
    pub written: Vec<String>,
    /// A matcher with one glob for each of `written`.
    pub set: globset::GlobSet,
}

impl<'de> Deserialize<'de> for Globs {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let globs = one_or_many(deserializer, MAX_COMPILED, |text| file_glob(&text, false))?;
        Self::of(globs).map_err(de::Error::custom)
    }
}

impl Globs {
    /// Returns whether a glob spells the hidden folders of a path that it matches, such as `.trash` or `.obsidian`.
    pub fn spells_hidden(&self, glob: usize, path: &str) -> bool {
        let written = self.written.get(glob).map_or("", String::as_str);
        let mut hidden = path.rsplit('/').skip(1).filter(|part| part.starts_with('.'));
        hidden.all(|name| {
            let mut parts = written.split(['/', '{', ',', '}']).filter(|part| part.starts_with('.'));
            parts.any(|part| part == name || part.contains(['*', '?', '[']))
        })
    }

    /// Returns the same globs for names in upper or lower case.
    pub(super) fn in_any_case(self) -> Self {
        let globs: Checked<Vec<Glob>> = self.written.iter().map(|text| file_glob(text, true)).collect();
        globs.and_then(Self::of).unwrap_or(self)
    }

    fn of(globs: Vec<Glob>) -> Checked<Self> {
        let mut set = GlobSetBuilder::new();
        let written = globs.iter().map(|glob| glob.glob().to_owned()).collect();
        globs.into_iter().for_each(|glob| {
            set.add(glob);
        });
        Ok(Self { written, set: set.build().map_err(|error| glob_fault("", &error))? })
    }
}

pub(super) fn path_glob<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<GlobMatcher>, D::Error> {
    checked(deserializer, |text: String| Ok(Some(file_glob(&text, false)?.compile_matcher())))
}

/// Reads folders by the names of repos.
pub(super) fn folders_of_repos<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<BTreeMap<String, RepoPath>, D::Error> {
    checked(deserializer, |written: BTreeMap<String, String>| {
        let folder = |(repo, folder): (String, String)| match is_repo_name(&repo) {
            true => Ok((repo, path(&folder)?)),
            false => {
                Err(ConfigFault::new(format!("`{}` is not a repo", shortened(&repo))).help("give `owner/name: folder`"))
            }
        };
        written.into_iter().map(folder).collect()
    })
}

/// Reads globs over names of files, compared without case.
pub(super) fn globs_of_lower_case<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Globs, D::Error> {
    let globs = list(deserializer, MAX_COMPILED, |text: String| file_glob(&text.to_lowercase(), false))?;
    Globs::of(globs).map_err(de::Error::custom)
}

/// Parses a glob over files: `*` stays in a folder, `**` crosses folders, braces work.
fn file_glob(text: &str, any_case: bool) -> Checked<Glob> {
    let text = text.strip_prefix("./").unwrap_or(text);
    let shown = shortened(text);
    let fault = |message: &str, help: &str| Err(ConfigFault::new(format!("`{shown}` {message}")).help(help));
    if text.is_empty() {
        return Err(ConfigFault::new("the glob is empty"));
    } else if text.len() > MAX_GLOB_BYTES {
        return Err(ConfigFault::new(format!("the glob is longer than {MAX_GLOB_BYTES} bytes")));
    } else if text.starts_with('!') {
        return fault("begins with `!`", "name what is left out under `exclude`");
    } else if text.ends_with('/') {
        return fault("names a folder", &format!("`{shown}**` takes the files below it"));
    } else if RepoPath::new(text).is_err() || text.split('/').any(|part| part == "..") {
        return fault("leads out of the repo", "globs are paths from the root of the repo");
    }
    let mut glob = GlobBuilder::new(text);
    glob.literal_separator(true).backslash_escape(true).case_insensitive(any_case);
    glob.build().map_err(|error| glob_fault(text, &error))
}

fn glob_fault(text: &str, error: &globset::Error) -> ConfigFault {
    ConfigFault::new(format!("`{}` is not a glob: {}", shortened(text), error.kind()))
}

pub(super) fn repo_path<'de, D: Deserializer<'de>>(deserializer: D) -> Result<RepoPath, D::Error> {
    checked(deserializer, |written: String| path(&written))
}

pub(super) fn optional_path<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<RepoPath>, D::Error> {
    repo_path(deserializer).map(Some)
}

/// Checks the path of a file or folder of the repo, which is not its root.
pub(super) fn path(written: &str) -> Checked<RepoPath> {
    let shown = shortened(written);
    let fault = |message: String, help: &str| Err(ConfigFault::new(message).help(help));
    match RepoPath::new(written) {
        Err(_) => fault(format!("`{shown}` leads out of the repo"), "give a path from the root of the repo"),
        Ok(path) if path.as_str().is_empty() => {
            fault("the root of the repo cannot stand here".to_owned(), "name a folder or a file in it")
        }
        Ok(_) if written.contains('\\') => {
            let help = format!("write `{}`", shortened(&written.replace('\\', "/")));
            fault(format!("`{shown}` has a backslash, which is a folder on some systems only"), &help)
        }
        Ok(_) if written.chars().any(char::is_control) => Err(ConfigFault::new("the path has control characters")),
        Ok(path) => Ok(path),
    }
}

/// Reads the name of a file beside another.
pub(super) fn file_name<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    checked(deserializer, |written: String| Ok(Some(path(&written)?.as_str().to_owned())))
}

pub(super) fn agent_name<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    checked(deserializer, |written: String| match written.trim() {
        "" => Err(ConfigFault::new("the name is empty").help("name an agent, or remove the line")),
        name => Ok(name.to_owned()),
    })
}

/// Checks a name of `[a-z0-9-]+`; `what` is what it names.
pub(super) fn name(name: &str, what: &str) -> Checked<()> {
    if !name.is_empty() && name.bytes().all(|b| matches!(b, b'a'..=b'z' | b'0'..=b'9' | b'-')) {
        return Ok(());
    }
    let message = format!("`{}` cannot be the name of {what}", shortened(name));
    Err(ConfigFault::new(message).help("names are made of a-z, 0-9 and `-`"))
}

/// A parsed template: text with `{field}` holes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Template {
    /// The parts in order; a hole with an empty name is the value itself.
    pub parts: Vec<TemplatePart>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TemplatePart {
    Text(String),
    /// The name of a field or a part of the file's path, see [`Template`]; empty for the value itself.
    Hole(String),
}

impl Default for Template {
    fn default() -> Self {
        Self { parts: vec![TemplatePart::Hole(String::new())] }
    }
}

impl Template {
    fn holes(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().filter_map(|part| match part {
            TemplatePart::Hole(name) => Some(name.as_str()),
            TemplatePart::Text(_) => None,
        })
    }
}

/// Reads a template of ids, which names a field.
pub(super) fn id_template<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Template>, D::Error> {
    const HELP: &str = "name a field of the item, such as `{id}` or `{path}`";
    checked(deserializer, |written: String| {
        let template = template(&written)?;
        let holes: Vec<&str> = template.holes().collect();
        if holes.is_empty() {
            return Err(ConfigFault::new("every item would have the same id").help(HELP));
        }
        if holes.contains(&"") {
            return Err(ConfigFault::new("`{}` names no field").help(HELP));
        }
        Ok(Some(template))
    })
}

/// Reads the template that turns a value into an id.
pub(super) fn reference_template<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Template, D::Error> {
    checked(deserializer, |written: String| {
        let template = template(&written)?;
        if template.holes().collect::<Vec<_>>() != [""] {
            return Err(ConfigFault::new("`ref` has one hole, `{}`, for the value").help("for example `EIP-{}`"));
        }
        Ok(template)
    })
}

/// Parses a text with `{name}` holes, in which `{{` and `}}` are plain braces.
fn template(written: &str) -> Checked<Template> {
    let fault = |why: &str| {
        ConfigFault::new(format!("`{}` is not a template: {why}", shortened(written)))
            .help("holes are written `{name}`; write `{{` or `}}` for a brace itself")
    };
    let mut parts = Vec::new();
    let mut text = String::new();
    let mut rest = written;
    while let Some(at) = rest.find(['{', '}']) {
        let (before, from) = rest.split_at(at);
        text.push_str(before);
        let brace = &from[..1];
        if from[1..].starts_with(brace) {
            text.push_str(brace);
            rest = &from[2..];
            continue;
        }
        if brace == "}" {
            return Err(fault("a `}` closes nothing"));
        }
        let end = from[1..].find(['{', '}']).filter(|end| from[1 + end..].starts_with('}'));
        let end = end.ok_or_else(|| fault("a `{` is not closed"))?;
        if !text.is_empty() {
            parts.push(TemplatePart::Text(std::mem::take(&mut text)));
        }
        parts.push(TemplatePart::Hole(from[1..1 + end].trim().to_owned()));
        rest = &from[end + 2..];
    }
    text.push_str(rest);
    if !text.is_empty() {
        parts.push(TemplatePart::Text(text));
    }
    Ok(Template { parts })
}

pub(super) fn limit<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u64>, D::Error> {
    const EXPECTED: &str = "a limit such as `8000` or `8k`";
    deserializer.deserialize_any(AmountVisitor { expected: EXPECTED, parse: parse_amount }).map(Some)
}

/// Reads a percentage, written `15` or `15%`.
pub(super) fn percent<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u8, D::Error> {
    fn parse(text: &str) -> Option<u8> {
        let digits = text.strip_suffix('%').unwrap_or(text).trim_end();
        let number = digits.bytes().all(|b| b.is_ascii_digit()).then(|| digits.parse().ok()).flatten();
        number.filter(|number| *number <= 100)
    }
    deserializer.deserialize_any(AmountVisitor { expected: "a percentage from 0 to 100, such as `15%`", parse })
}

struct AmountVisitor<T> {
    expected: &'static str,
    parse: fn(&str) -> Option<T>,
}

impl<T> Visitor<'_> for AmountVisitor<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.expected)
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<T, E> {
        (self.parse)(text).ok_or_else(|| E::invalid_value(de::Unexpected::Str(text), &self))
    }
}
