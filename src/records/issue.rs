//! An issue of the GitHub snapshot as read.

use crate::model::{ItemState, LineRange, Relation, RepoPath};
use crate::records::item::Item;

/// An issue or a pull request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Issue<T> {
    /// The parts that it shares with work items. Its body begins at line 1 of a text of its own; all other lines are those
    /// of the snapshot's file.
    pub item: Item<T>,
    /// Its page.
    pub url: T,
    /// `owner/name` of its repo.
    pub repo: T,
    /// Its number.
    pub number: u64,
    /// Whether its repo is private; `None` if unknown.
    pub private: Option<bool>,
    /// Whether it is done.
    pub state: ItemState,
    /// Who wrote it.
    pub by: Authored<T>,
    /// Its related issues by GitHub's own lists.
    pub links: Vec<IssueLink<T>>,
    /// The lines that its texts name by URLs of commits, as they were there.
    pub code: Vec<KeptCode<T>>,
    /// Oldest first.
    pub comments: Vec<Comment<T>>,
    /// Relations of which the snapshot may not have all.
    pub unknown: Vec<Relation>,
    /// Whether the snapshot has all of its comments.
    pub has_comments: bool,
}

/// Who wrote a text on GitHub, and when.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Authored<T> {
    /// The login; `None` if the account was deleted.
    pub author: Option<T>,
    /// GitHub's name for the author's role in the repo: `OWNER`, `NONE` and so on.
    pub association: Option<T>,
    /// RFC 3339.
    pub created_at: Option<T>,
    /// Whether it was changed later, where that is known.
    pub edited: Option<bool>,
    /// Whether the author was trusted when it was fetched.
    pub trusted: bool,
}

/// An entry of one of GitHub's lists of related issues.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct IssueLink<T> {
    /// The relation of the other issue to this one.
    pub relation: Relation,
    /// `owner/name` of the other's repo.
    pub repo: T,
    /// The other's number.
    pub number: u64,
    /// The other's page.
    pub url: T,
    /// The other's title, if it can be seen.
    pub title: Option<T>,
    /// The other's state.
    pub state: ItemState,
    /// The line of the snapshot's file.
    pub line: u32,
}

/// Lines of a file of this repo as they were at a commit.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct KeptCode<T> {
    /// The file.
    pub path: RepoPath,
    /// The file's path as a text.
    pub shown: T,
    /// The commit's full SHA, in lower case.
    pub commit: T,
    /// The named lines.
    pub lines: LineRange,
    /// The text of the lines that the file had.
    pub text: T,
}

/// A comment.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Comment<T> {
    /// GitHub's id of the comment.
    pub id: u64,
    /// Its place on the page.
    pub url: T,
    /// Who wrote it.
    pub by: Authored<T>,
    /// The text, LF line ends, without blank lines at both ends.
    pub text: T,
    /// Whether a bot wrote it, or it was hidden on GitHub.
    pub noise: bool,
}

impl<T> Authored<T> {
    fn map<'a, U>(&'a self, f: &mut impl FnMut(&'a str, &'a T, u32) -> U) -> Authored<U> {
        let mut one = |key, text: &'a Option<T>| text.as_ref().map(|text| f(key, text, 1));
        Authored {
            author: one("author", &self.author),
            association: one("author_association", &self.association),
            created_at: one("created_at", &self.created_at),
            edited: self.edited,
            trusted: self.trusted,
        }
    }
}

impl<T: AsRef<str>> Issue<T> {
    /// Returns the issue with every text replaced by the result of `f` for its key, text and line, as in [`Item::map`].
    ///
    /// Texts of comments come last and have the key `comment`; those of links come before them, and those of code before these.
    pub fn map<'a, U>(&'a self, f: &mut impl FnMut(&'a str, &'a T, u32) -> U) -> Issue<U> {
        Issue {
            item: self.item.map(f),
            url: f("url", &self.url, 1),
            repo: f("repo", &self.repo, 1),
            number: self.number,
            private: self.private,
            state: self.state,
            by: self.by.map(f),
            code: self
                .code
                .iter()
                .map(|code| KeptCode {
                    path: code.path.clone(),
                    shown: f("path", &code.shown, 1),
                    commit: f("commit", &code.commit, 1),
                    lines: code.lines,
                    text: f("body", &code.text, code.lines.first),
                })
                .collect(),
            links: self
                .links
                .iter()
                .map(|link| IssueLink {
                    relation: link.relation,
                    repo: f("repo", &link.repo, link.line),
                    number: link.number,
                    url: f("url", &link.url, link.line),
                    title: link.title.as_ref().map(|title| f("title", title, link.line)),
                    state: link.state,
                    line: link.line,
                })
                .collect(),
            comments: self
                .comments
                .iter()
                .map(|comment| Comment {
                    id: comment.id,
                    url: f("url", &comment.url, 1),
                    by: comment.by.map(f),
                    text: f("comment", &comment.text, 1),
                    noise: comment.noise,
                })
                .collect(),
            unknown: self.unknown.clone(),
            has_comments: self.has_comments,
        }
    }
}
