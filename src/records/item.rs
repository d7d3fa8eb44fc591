//! Work items and issues as read, generic over their texts.

use crate::model::{ItemState, LineRange, Node, Relation, RepoPath};

/// Where a text came from.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Origin<T> {
    pub path: RepoPath,
    /// The file's path as packs show it.
    pub shown: T,
    /// The page of a text from GitHub, which packs show in place of the file.
    pub url: Option<T>,
}

/// A field under its native name, or under its own name if it is not mapped.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Field<T> {
    pub name: T,
    pub node: Node<T>,
}

/// A text written at a line of the item's file.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Mention<T> {
    /// One value: lists and comma-separated strings are split, and empty answers left out.
    pub value: T,
    pub line: u32,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct FieldRelation<T> {
    pub relation: Relation,
    pub target: Mention<T>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Body<T> {
    /// The file that contains it: the item's own, or its `body_file`.
    pub origin: Origin<T>,
    /// The line of the file on which `text` begins; the line of the record for JSON and JSONL.
    pub line: u32,
    /// Whether lines of `text` are lines of the file: false for a string inside JSON or a YAML field.
    pub in_file: bool,
    pub text: T,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item<T> {
    pub id: T,
    pub origin: Origin<T>,
    pub line: u32,
    /// Index into [`crate::config::Settings::work_items`].
    pub source: usize,
    pub title: T,
    pub status: Option<T>,
    pub body: Body<T>,
    /// Every field that is not the body, sorted by name, no name twice.
    pub fields: Vec<Field<T>>,
    pub relations: Vec<FieldRelation<T>>,
    pub issue: Option<Mention<T>>,
    /// ADR references stated in `adrs` and ADR-link fields.
    pub adrs: Vec<Mention<T>>,
    /// Document references stated in `docs` and other list fields of the front matter that hold paths.
    pub docs: Vec<Mention<T>>,
    /// The file's text before the body (front matter with its fences, or a whole YAML or JSON file),
    /// or the record's line; with the body it is what the input's digest covers.
    pub head: T,
    /// Whether it exists as a neighbour only.
    pub no_pack: bool,
    /// Whether its source says that its author is nobody whom the repo trusts.
    pub untrusted: bool,
    /// The comments in its record, oldest first; those of issues are in [`Issue::comments`].
    pub comments: Vec<Comment<T>>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Issue<T> {
    /// The parts that it shares with work items. Its body begins at line 1 of a text of its own; all other lines are those
    /// of the snapshot's file.
    pub item: Item<T>,
    pub url: T,
    pub repo: T,
    pub number: u64,
    /// Whether its repo is private; `None` if unknown.
    pub private: Option<bool>,
    pub state: ItemState,
    pub by: Authored<T>,
    pub links: Vec<IssueLink<T>>,
    /// The lines that its texts name by URLs of commits, as they were there.
    pub code: Vec<KeptCode<T>>,
    pub comments: Vec<Comment<T>>,
    /// Relations of which the snapshot may not have all.
    pub unknown: Vec<Relation>,
    /// Whether the snapshot has all of its comments.
    pub has_comments: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Authored<T> {
    /// The login; `None` if the account was deleted.
    pub author: Option<T>,
    /// GitHub's name for the author's role in the repo: `OWNER`, `NONE` and so on.
    pub association: Option<T>,
    pub created_at: Option<T>,
    /// Whether it was changed later, where that is known.
    pub edited: Option<bool>,
    /// Whether the author was trusted when it was fetched.
    pub trusted: bool,
}

/// An entry of one of GitHub's lists of related issues.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct IssueLink<T> {
    pub relation: Relation,
    pub repo: T,
    pub number: u64,
    pub url: T,
    /// The other's title, if it can be seen.
    pub title: Option<T>,
    pub state: ItemState,
    pub line: u32,
}

/// Lines of a file of this repo as they were at a commit.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct KeptCode<T> {
    pub path: RepoPath,
    pub shown: T,
    /// The commit's full SHA, in lower case.
    pub commit: T,
    pub lines: LineRange,
    pub text: T,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Comment<T> {
    pub id: u64,
    /// Its place on the page; `None` if it is in the item's file.
    pub url: Option<T>,
    pub by: Authored<T>,
    pub text: T,
    /// Whether a bot wrote it, or it was hidden on GitHub.
    pub noise: bool,
}

fn all<'a, A, B>(list: &'a [A], f: impl FnMut(&'a A) -> B) -> Vec<B> {
    list.iter().map(f).collect()
}

impl<T> Origin<T> {
    fn map<'a, U>(&'a self, f: &mut impl FnMut(&'a str, &'a T, u32) -> U) -> Origin<U> {
        let (path, shown) = (self.path.clone(), f("path", &self.shown, 1));
        Origin { path, shown, url: self.url.as_ref().map(|url| f("url", url, 1)) }
    }
}

impl<T> Mention<T> {
    fn map<'a, U>(&'a self, key: &'a str, f: &mut impl FnMut(&'a str, &'a T, u32) -> U) -> Mention<U> {
        Mention { value: f(key, &self.value, self.line), line: self.line }
    }
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

impl<T> Authored<T> {
    /// Returns how many texts it has.
    pub(crate) fn len(&self) -> usize {
        [&self.author, &self.association, &self.created_at].into_iter().filter(|text| text.is_some()).count()
    }
}

impl<T> Comment<T> {
    /// Its own text comes last, with the key `comment`.
    fn map<'a, U>(&'a self, f: &mut impl FnMut(&'a str, &'a T, u32) -> U) -> Comment<U> {
        Comment {
            id: self.id,
            url: self.url.as_ref().map(|url| f("url", url, 1)),
            by: self.by.map(f),
            text: f("comment", &self.text, 1),
            noise: self.noise,
        }
    }

    /// Returns how many texts it has.
    pub(crate) fn len(&self) -> usize {
        1 + usize::from(self.url.is_some()) + self.by.len()
    }
}

impl<T: AsRef<str>> Item<T> {
    /// Returns the item with every text replaced by the result of `f` for its key, text and line, in one fixed order.
    ///
    /// The key is the name of the field that the text is a value of, `body` for the body, `head` for [`Item::head`], and empty
    /// for keys themselves.
    pub fn map<'a, U>(&'a self, f: &mut impl FnMut(&'a str, &'a T, u32) -> U) -> Item<U> {
        Item {
            id: f("id", &self.id, self.line),
            origin: self.origin.map(f),
            line: self.line,
            source: self.source,
            title: f("title", &self.title, self.line),
            status: self.status.as_ref().map(|status| f("status", status, self.line)),
            body: Body {
                origin: self.body.origin.map(f),
                line: self.body.line,
                in_file: self.body.in_file,
                text: f("body", &self.body.text, self.body.line),
            },
            fields: all(&self.fields, |field| Field {
                name: f("", &field.name, field.node.line),
                node: field.node.map(field.name.as_ref(), f),
            }),
            relations: all(&self.relations, |stated| FieldRelation {
                relation: stated.relation,
                target: stated.target.map(stated.relation.name(), f),
            }),
            issue: self.issue.as_ref().map(|issue| issue.map("issue", f)),
            adrs: all(&self.adrs, |adr| adr.map("adrs", f)),
            docs: all(&self.docs, |doc| doc.map("docs", f)),
            head: f("head", &self.head, self.line),
            no_pack: self.no_pack,
            untrusted: self.untrusted,
            comments: all(&self.comments, |comment| comment.map(f)),
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
            code: all(&self.code, |code| KeptCode {
                path: code.path.clone(),
                shown: f("path", &code.shown, 1),
                commit: f("commit", &code.commit, 1),
                lines: code.lines,
                text: f("body", &code.text, code.lines.first),
            }),
            links: all(&self.links, |link| IssueLink {
                relation: link.relation,
                repo: f("repo", &link.repo, link.line),
                number: link.number,
                url: f("url", &link.url, link.line),
                title: link.title.as_ref().map(|title| f("title", title, link.line)),
                state: link.state,
                line: link.line,
            }),
            comments: all(&self.comments, |comment| comment.map(f)),
            unknown: self.unknown.clone(),
            has_comments: self.has_comments,
        }
    }
}
