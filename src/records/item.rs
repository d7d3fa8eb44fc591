//! Work items and issues as read, generic over their texts.

use crate::model::{ItemState, LineRange, Node, Relation, RepoPath};
use std::ops::Deref;

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

/// The part of a record that a text belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum RecordPart {
    /// Everything else.
    Own,
    /// An entry of [`Issue::code`], by its index.
    Code(usize),
    /// An entry of [`Issue::links`], by its index.
    Link(usize),
    /// A comment, by its index.
    Comment(usize),
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
}

fn map_comments<'a, T, U>(
    comments: &'a [Comment<T>],
    f: &mut impl FnMut(RecordPart, &'a str, &'a T, u32) -> U,
) -> Vec<Comment<U>> {
    let mut map = |(at, comment): (usize, &'a Comment<T>)| {
        comment.map(&mut |key, text, line| f(RecordPart::Comment(at), key, text, line))
    };
    comments.iter().enumerate().map(&mut map).collect()
}

impl<T: Deref<Target = str>> Item<T> {
    /// Returns the item with every text replaced by the result of `f` for its part, key, text and line, in one fixed order.
    ///
    /// The key is the name of the field that the text is a value of, `body` for the body, `head` for [`Item::head`], and empty
    /// for keys themselves. Comments come last; their own texts have the key `comment`.
    pub fn map<'a, U>(&'a self, f: &mut impl FnMut(RecordPart, &'a str, &'a T, u32) -> U) -> Item<U> {
        let own = &mut |key, text, line| f(RecordPart::Own, key, text, line);
        Item {
            id: own("id", &self.id, self.line),
            origin: self.origin.map(own),
            line: self.line,
            source: self.source,
            title: own("title", &self.title, self.line),
            status: self.status.as_ref().map(|status| own("status", status, self.line)),
            body: Body {
                origin: self.body.origin.map(own),
                line: self.body.line,
                in_file: self.body.in_file,
                text: own("body", &self.body.text, self.body.line),
            },
            fields: all(&self.fields, |field| Field {
                name: own("", &field.name, field.node.line),
                node: field.node.map(&field.name, own),
            }),
            relations: all(&self.relations, |stated| FieldRelation {
                relation: stated.relation,
                target: stated.target.map(stated.relation.name(), own),
            }),
            issue: self.issue.as_ref().map(|issue| issue.map("issue", own)),
            adrs: all(&self.adrs, |adr| adr.map("adrs", own)),
            docs: all(&self.docs, |doc| doc.map("docs", own)),
            head: own("head", &self.head, self.line),
            no_pack: self.no_pack,
            untrusted: self.untrusted,
            comments: map_comments(&self.comments, f),
        }
    }
}

impl<T: Deref<Target = str>> Issue<T> {
    /// Returns the issue with every text replaced by the result of `f` for its part, key, text and line, as in [`Item::map`].
    pub fn map<'a, U>(&'a self, f: &mut impl FnMut(RecordPart, &'a str, &'a T, u32) -> U) -> Issue<U> {
        let item = self.item.map(f);
        let own = &mut |key, text, line| f(RecordPart::Own, key, text, line);
        let (url, repo, by) = (own("url", &self.url, 1), own("repo", &self.repo, 1), self.by.map(own));
        let code = |(at, code): (usize, &'a KeptCode<T>)| {
            let own = &mut |key, text, line| f(RecordPart::Code(at), key, text, line);
            KeptCode {
                path: code.path.clone(),
                shown: own("path", &code.shown, 1),
                commit: own("commit", &code.commit, 1),
                lines: code.lines,
                text: own("body", &code.text, code.lines.first),
            }
        };
        let code = self.code.iter().enumerate().map(code).collect();
        let link = |(at, link): (usize, &'a IssueLink<T>)| {
            let own = &mut |key, text| f(RecordPart::Link(at), key, text, link.line);
            IssueLink {
                relation: link.relation,
                repo: own("repo", &link.repo),
                number: link.number,
                url: own("url", &link.url),
                title: link.title.as_ref().map(|title| own("title", title)),
                state: link.state,
                line: link.line,
            }
        };
        Issue {
            item,
            url,
            repo,
            number: self.number,
            private: self.private,
            state: self.state,
            by,
            code,
            links: self.links.iter().enumerate().map(link).collect(),
            comments: map_comments(&self.comments, f),
            unknown: self.unknown.clone(),
            has_comments: self.has_comments,
        }
    }
}
