//! The resolution of a relation's value to an item or an issue.

use super::candidate::ItemPart;
use super::index::NameIndex;
use super::link::{IssueMention, LONGEST, WebAddress, decoded, number, scheme};
use super::{Corpus, GraphRules, SourceRules};
use crate::model::{Code, RepoPath, is_document_name, latin_parts, with_slashes};
use crate::redact::Clean;
use std::borrow::Cow;

/// The target that a value names.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Resolution<'a> {
    /// One item; with a warning if the value is not its exact name.
    Item(usize, Option<Code>),
    /// An issue that is not in the corpus.
    Issue(IssueMention<'a>),
    /// Several items.
    Ambiguous(&'a [usize]),
    /// An issue or a page, while the configuration does not name this repo.
    UnknownRepo,
    /// Nothing.
    Unknown,
}

/// A resolver for the values in one file, by the rules of that file's source.
pub(super) struct Resolver<'a> {
    pub(super) index: &'a NameIndex,
    pub(super) rules: &'a GraphRules,
    pub(super) source: &'a SourceRules,
    /// The file, for paths beside it.
    pub(super) file: RepoPath,
    /// The repo that a bare number belongs to.
    pub(super) repo: Option<&'a Clean>,
}

impl<'a> Resolver<'a> {
    /// Returns a resolver for the values in a part of an item.
    ///
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

    /// Resolves a value: by exact id, id in another case, id under another prefix, path or folder, issue, in this order.
    pub(super) fn resolve(&self, value: &'a str) -> Resolution<'a> {
        let value = target_of_link(value.trim());
        self.exact(value)
            .or_else(|| self.other_case(value))
            .or_else(|| self.other_prefix(value))
            .or_else(|| self.path(value))
            .unwrap_or_else(|| self.issue(value))
    }

    /// Resolves a word that must be an `exact` id, as a value with the template of `ref` or a prefix may be, or the path of an
    /// item's file; or any value.
    pub(super) fn entry(&self, word: &'a str, exact: bool) -> Resolution<'a> {
        if !exact {
            return self.resolve(word);
        }
        let file = || if is_document_name(word) { self.linked_file(word) } else { Resolution::Unknown };
        self.exact(word).unwrap_or_else(file)
    }

    /// Returns the parts of a word between letters of another script or signs that join names, each with the item of which it is
    /// the exact id; nothing if none is.
    pub(super) fn exact_parts(&self, word: &'a str) -> Vec<(&'a str, Option<usize>)> {
        let mut parts = Vec::new();
        for piece in word.split(['/', '+', '&', ';']) {
            match self.index.exact(piece) {
                Some(item) => parts.push((piece, Some(item))),
                None => parts.extend(latin_parts(piece).map(|(_, part)| (part, self.index.exact(part)))),
            }
        }
        if parts.iter().any(|(_, item)| item.is_some()) { parts } else { Vec::new() }
    }

    /// Resolves the target of a link, which must be the file of one item.
    pub(super) fn linked_file(&self, target: &str) -> Resolution<'a> {
        match self.path(target) {
            Some(Resolution::Item(item, warning)) => Resolution::Item(item, warning),
            _ => Resolution::Unknown,
        }
    }

    /// Returns the ids that a value may be short for: itself, in the template of `ref`, and a bare
    /// number under the source's prefixes in turn.
    fn ids<'v>(&self, value: &'v str) -> impl Iterator<Item = Cow<'v, str>> {
        let (before, after) = &self.source.reference;
        let template = !(before.is_empty() && after.is_empty());
        let number = value.starts_with(|c: char| c.is_ascii_digit());
        let prefixes = self.source.prefixes.iter().filter(move |_| number);
        std::iter::once(Cow::Borrowed(value))
            .chain(template.then(|| Cow::Owned(format!("{before}{value}{after}"))))
            .chain(prefixes.map(move |prefix| Cow::Owned(format!("{prefix}{value}"))))
    }

    fn exact(&self, value: &str) -> Option<Resolution<'a>> {
        self.ids(value).find_map(|id| self.index.exact(&id)).map(|item| Resolution::Item(item, None))
    }

    fn other_case(&self, value: &str) -> Option<Resolution<'a>> {
        self.ids(value).find_map(|id| one(self.index.any_case(&id), Some(Code::CaseMismatch)))
    }

    /// Finds an id under an equivalent prefix, by this source's rules first.
    fn other_prefix(&self, value: &str) -> Option<Resolution<'a>> {
        let others = self.index.rules.iter().map(AsRef::as_ref).filter(|rules| *rules != self.source);
        std::iter::once(self.source).chain(others).find_map(|rules| {
            let rest = rules.prefixes.iter().find_map(|prefix| without_prefix(value, prefix))?;
            let exact = rules.prefixes.iter().find_map(|prefix| self.index.exact(&format!("{prefix}{rest}")));
            let lower = || {
                rules
                    .prefixes
                    .iter()
                    .find_map(|prefix| one(self.index.any_case(&format!("{prefix}{rest}")), Some(Code::PrefixMismatch)))
            };
            exact.map(|item| Resolution::Item(item, Some(Code::PrefixMismatch))).or_else(lower)
        })
    }

    /// Returns the path or folder of an item's file, from the root or from this file.
    fn path(&self, value: &str) -> Option<Resolution<'a>> {
        if value.is_empty() || value.len() > LONGEST {
            return None;
        }
        match WebAddress::read(value, &self.rules.host) {
            Some(WebAddress::Tree { repo, rest }) if self.is_here(repo) => return self.in_tree(rest),
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
        let beside = self.file.beside(&path).ok();
        let slash = path.contains('/');
        from_root.iter().chain(&beside).find_map(|path| self.at(path, slash))
    }

    /// Finds the path behind a branch, whose name may contain slashes, by trying every split.
    fn in_tree(&self, rest: &str) -> Option<Resolution<'a>> {
        let rest = decoded(rest.split(['#', '?']).next().unwrap_or_default());
        rest.match_indices('/').take(64).find_map(|(slash, _)| {
            let path = RepoPath::new(&rest[slash + 1..]).ok()?;
            if path.as_str().is_empty() { None } else { self.at(&path, true) }
        })
    }

    /// Finds the items at a path. A folder with several items only counts if the value has a slash.
    fn at(&self, path: &RepoPath, slash: bool) -> Option<Resolution<'a>> {
        one(self.index.at_path(path), None).or_else(|| match self.index.in_folder(path) {
            [] => None,
            [item] => Some(Resolution::Item(*item, None)),
            _ if path.as_str().is_empty() || !slash => None,
            many => Some(Resolution::Ambiguous(many)),
        })
    }

    fn issue(&self, value: &'a str) -> Resolution<'a> {
        let this = self.repo.map(|repo| &**repo);
        let written = IssueMention::read(value, &self.rules.host);
        let bare = || number(value).map(|number| IssueMention { repo: None, number, url: false });
        let Some(issue) = written.or_else(bare) else {
            let page = matches!(WebAddress::read(value, &self.rules.host), Some(WebAddress::Tree { .. }));
            return if page && this.is_none() { Resolution::UnknownRepo } else { Resolution::Unknown };
        };
        if let Some(answer) = one(self.index.claiming(&issue.key(this)), None) {
            return answer;
        }
        match (written, this) {
            (None, _) => Resolution::Unknown,
            (Some(_), None) if issue.url || issue.repo.is_none() => Resolution::UnknownRepo,
            (Some(issue), _) => Resolution::Issue(issue),
        }
    }

    fn is_here(&self, repo: &str) -> bool {
        self.rules.repo.as_deref().is_some_and(|this| this.eq_ignore_ascii_case(repo))
    }
}

fn one(items: &[usize], warning: Option<Code>) -> Option<Resolution<'_>> {
    match items {
        [] => None,
        [item] => Some(Resolution::Item(*item, warning)),
        many => Some(Resolution::Ambiguous(many)),
    }
}

/// Removes a prefix in any case: `195` of `Task-195` for the prefix `task-`.
pub(super) fn without_prefix<'v>(value: &'v str, prefix: &str) -> Option<&'v str> {
    let head = value.get(..prefix.len()).filter(|head| head.eq_ignore_ascii_case(prefix))?;
    Some(&value[head.len()..]).filter(|rest| !rest.is_empty() && !prefix.is_empty())
}

/// Returns the target of a value that may be written as a Markdown link, without angle brackets.
pub(super) fn target_of_link(value: &str) -> &str {
    let target = match (value.starts_with('['), value.rsplit_once("](")) {
        (true, Some((_, target))) if target.ends_with(')') => {
            let target = &target[..target.len() - 1];
            target.split_once(" \"").map_or(target, |(target, _)| target).trim()
        }
        _ => value,
    };
    target.strip_prefix('<').and_then(|inner| inner.strip_suffix('>')).unwrap_or(target)
}
