//! The resolution of a relation's value to an item or an issue.

use super::candidate::ItemPart;
use super::corpus::Corpus;
use super::entry::{GraphRules, SourceRules};
use super::link::{
    IssueRef, LONGEST, WebAddress, decoded, issue_or_number, number, paths_behind_branch, target_of_link,
};
use super::names::NameIndex;
use crate::mentions::{NameForm, scheme};
use crate::model::{Code, IssueReference, RepoPath, is_document_name, latin_parts, with_slashes};
use crate::redact::Clean;
use std::borrow::Cow;

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Resolution<'a> {
    /// One item; with a warning if the value is not its exact name.
    Item(usize, Option<Code>),
    Issue(IssueReference<'a>),
    Ambiguous(&'a [usize]),
    /// Names that are joined without spaces, such as `T1とT2`, each with the item of which it is the exact id.
    Parts(Vec<(&'a str, Option<usize>)>),
    /// An issue or a page, while the configuration does not name this repo.
    UnknownRepo,
    Unknown,
}

pub(super) struct Resolver<'a> {
    index: &'a NameIndex,
    rules: &'a GraphRules,
    source: &'a SourceRules,
    file: RepoPath,
    pub(super) repo: Option<&'a Clean>,
}

impl<'a> Resolver<'a> {
    /// A text on GitHub names issues of its own repo, and paths from the root.
    pub(super) fn of(index: &'a NameIndex, corpus: &'a Corpus, item: usize, part: ItemPart) -> Self {
        let entry = &corpus.entries[item];
        let origin = part.origin(entry);
        let issue = entry.issue.as_ref().filter(|_| origin.url.is_some());
        Self {
            index,
            rules: &corpus.rules,
            source: &entry.rules,
            file: if issue.is_some() { RepoPath::root() } else { origin.path.clone() },
            repo: issue.map(|issue| &issue.repo).or(corpus.rules.repo.as_ref()),
        }
    }

    pub(super) fn resolve_as(&self, form: NameForm, value: &'a str) -> Resolution<'a> {
        let found = match form {
            NameForm::Usual => return self.resolve(value),
            NameForm::Link => return self.linked_file(value),
            NameForm::Entry => self.resolve(value),
            // The exact id, as a value with the template of `ref` or a prefix may be, or the path of an item's file.
            NameForm::Exact => match self.exact(value) {
                None if is_document_name(value) => self.linked_file(value),
                found => found.unwrap_or(Resolution::Unknown),
            },
        };
        let parts = if found == Resolution::Unknown { self.exact_parts(value) } else { Vec::new() };
        if parts.is_empty() { found } else { Resolution::Parts(parts) }
    }

    /// Resolves a value: by exact id, id in another case, id under another prefix, path or folder, issue, in this order.
    fn resolve(&self, value: &'a str) -> Resolution<'a> {
        let value = target_of_link(value.trim());
        self.exact(value)
            .or_else(|| self.ids(value).find_map(|id| one(self.index.any_case(&id), Some(Code::CaseMismatch))))
            .or_else(|| self.other_prefix(value))
            .or_else(|| self.path(value))
            .unwrap_or_else(|| self.issue(value))
    }

    /// Returns the parts of a word between letters of another script or signs that join names; nothing if none is an id.
    fn exact_parts(&self, word: &'a str) -> Vec<(&'a str, Option<usize>)> {
        let mut parts = Vec::new();
        for piece in word.split(['/', '+', '&', ';']) {
            match self.index.exact(piece) {
                Some(item) => parts.push((piece, Some(item))),
                None => parts.extend(latin_parts(piece).map(|(_, part)| (part, self.index.exact(part)))),
            }
        }
        if parts.iter().any(|(_, item)| item.is_some()) { parts } else { Vec::new() }
    }

    fn linked_file(&self, target: &str) -> Resolution<'a> {
        self.path(target).filter(|found| matches!(found, Resolution::Item(..))).unwrap_or(Resolution::Unknown)
    }

    /// Returns the ids that a value may be short for: itself, in the template of `ref`, a number under the prefixes.
    fn ids<'v>(&self, value: &'v str) -> impl Iterator<Item = Cow<'v, str>> {
        let (before, after) = &self.source.reference;
        let has_template = !(before.is_empty() && after.is_empty());
        let is_number = value.starts_with(|c: char| c.is_ascii_digit());
        let prefixes = self.source.prefixes.iter().filter(move |_| is_number);
        std::iter::once(Cow::Borrowed(value))
            .chain(has_template.then(|| Cow::Owned(format!("{before}{value}{after}"))))
            .chain(prefixes.map(move |prefix| Cow::Owned(format!("{prefix}{value}"))))
    }

    fn exact(&self, value: &str) -> Option<Resolution<'a>> {
        self.ids(value).find_map(|id| self.index.exact(&id)).map(|item| Resolution::Item(item, None))
    }

    fn other_prefix(&self, value: &str) -> Option<Resolution<'a>> {
        let others = self.index.rules.iter().map(AsRef::as_ref).filter(|rules| *rules != self.source);
        std::iter::once(self.source).chain(others).find_map(|rules| {
            let rest = rules.without_prefix(value)?;
            let exact = self.index.under_prefix(rules, rest).map(|item| Resolution::Item(item, None));
            exact.or_else(|| rules.prefixed(rest).find_map(|id| one(self.index.any_case(&id), None)))
        })
    }

    fn path(&self, value: &str) -> Option<Resolution<'a>> {
        if value.is_empty() || value.len() > LONGEST {
            return None;
        }
        match WebAddress::read(value, &self.rules.host) {
            Some(WebAddress::Tree { repo, rest }) if self.rules.is_this(repo) => {
                let rest = decoded(rest.split(['#', '?']).next().unwrap_or_default());
                let mut paths = paths_behind_branch(&rest).filter_map(|path| RepoPath::new(path).ok());
                return paths.find_map(|path| if path.as_str().is_empty() { None } else { self.at(&path, true) });
            }
            Some(_) => return None,
            None if scheme(value).is_some() => return None,
            None => {}
        }
        let path = decoded(value.split('#').next().unwrap_or_default());
        let path = with_slashes(&path);
        if path.is_empty() {
            return None;
        }
        let from_root = RepoPath::new(path.trim_start_matches('/')).ok();
        let from_file = self.file.beside(&path).ok();
        from_root.iter().chain(&from_file).find_map(|found| self.at(found, path.contains('/')))
    }

    /// Finds the items at a path. A folder with several items only counts if the value has a slash.
    fn at(&self, path: &RepoPath, has_slash: bool) -> Option<Resolution<'a>> {
        one(self.index.at_path(path), None).or_else(|| match self.index.in_folder(path) {
            [_, _, ..] if path.as_str().is_empty() || !has_slash => None,
            items => one(items, None),
        })
    }

    fn issue(&self, value: &'a str) -> Resolution<'a> {
        let this = self.repo.map(|repo| &**repo);
        let Some(issue) = issue_or_number(&self.rules.host, value) else {
            let is_page = matches!(WebAddress::read(value, &self.rules.host), Some(WebAddress::Tree { .. }));
            return if is_page && this.is_none() { Resolution::UnknownRepo } else { Resolution::Unknown };
        };
        one(self.index.claiming(&IssueRef::of(&issue, this)), None).unwrap_or_else(|| match this {
            _ if number(value).is_some() => Resolution::Unknown,
            None if issue.host.is_some() || issue.repo.is_none() => Resolution::UnknownRepo,
            _ => Resolution::Issue(issue),
        })
    }
}

fn one(items: &[usize], warning: Option<Code>) -> Option<Resolution<'_>> {
    match items {
        [] => None,
        [item] => Some(Resolution::Item(*item, warning)),
        many => Some(Resolution::Ambiguous(many)),
    }
}
