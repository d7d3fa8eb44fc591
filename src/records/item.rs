//! A work item as read, in any of the file formats.

use crate::model::{Node, Relation, RepoPath};

/// Where a text came from.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Origin<T> {
    /// The file, for looking things up.
    pub path: RepoPath,
    /// The file's path as packs show it.
    pub shown: T,
    /// The page of a text from GitHub, which packs show in place of the file.
    pub url: Option<T>,
}

/// A field under its native name, or under its own name if it is not mapped.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Field<T> {
    /// The name.
    pub name: T,
    /// The value as written.
    pub node: Node<T>,
}

/// A text written at a line of the item's file.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Mention<T> {
    /// One value: lists and comma-separated strings are split, and empty answers left out.
    pub value: T,
    /// The line in the file, from 1.
    pub line: u32,
}

/// A relation that a field of the item states.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct FieldRelation<T> {
    /// The relation of the named item to this one.
    pub relation: Relation,
    /// The value as written.
    pub target: Mention<T>,
}

/// The item's Markdown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Body<T> {
    /// The file that contains it: the item's own, or its `body_file`.
    pub origin: Origin<T>,
    /// The line of the file on which `text` begins; the line of the record for JSON and JSONL.
    pub line: u32,
    /// Whether lines of `text` are lines of the file: false for a string inside JSON or a YAML field.
    pub in_file: bool,
    /// The text, LF line ends, without blank lines at both ends.
    pub text: T,
}

/// A work item as read from a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item<T> {
    /// The id, formed by the source's template.
    pub id: T,
    /// Its file.
    pub origin: Origin<T>,
    /// The line where its record begins.
    pub line: u32,
    /// Index into [`crate::config::Settings::work_items`].
    pub source: usize,
    /// Its title: the field, or the body's first heading, or the file's stem or the id.
    pub title: T,
    /// Its status as written.
    pub status: Option<T>,
    /// Its Markdown; empty if it has none.
    pub body: Body<T>,
    /// Every field that is not the body, sorted by name, no name twice.
    pub fields: Vec<Field<T>>,
    /// Relations stated in fields.
    pub relations: Vec<FieldRelation<T>>,
    /// The GitHub issue that it claims.
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
}

impl<T> Origin<T> {
    fn map<'a, U>(&'a self, f: &mut impl FnMut(&'a str, &'a T, u32) -> U) -> Origin<U> {
        Origin {
            path: self.path.clone(),
            shown: f("path", &self.shown, 1),
            url: self.url.as_ref().map(|url| f("url", url, 1)),
        }
    }
}

impl<T> Mention<T> {
    fn map<'a, U>(&'a self, key: &'a str, f: &mut impl FnMut(&'a str, &'a T, u32) -> U) -> Mention<U> {
        Mention { value: f(key, &self.value, self.line), line: self.line }
    }
}

impl<T: AsRef<str>> Item<T> {
    /// Returns the item with every text replaced by the result of `f` for its key, text and line.
    ///
    /// The key is the name of the field that the text is a value of, `body` for
    /// the body, `head` for [`Item::head`], and empty for keys themselves.
    /// Texts are visited in one fixed order.
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
            fields: self
                .fields
                .iter()
                .map(|field| Field {
                    name: f("", &field.name, field.node.line),
                    node: field.node.map(field.name.as_ref(), f),
                })
                .collect(),
            relations: self
                .relations
                .iter()
                .map(|stated| FieldRelation {
                    relation: stated.relation,
                    target: stated.target.map(stated.relation.name(), f),
                })
                .collect(),
            issue: self.issue.as_ref().map(|issue| issue.map("issue", f)),
            adrs: self.adrs.iter().map(|adr| adr.map("adrs", f)).collect(),
            docs: self.docs.iter().map(|doc| doc.map("docs", f)).collect(),
            head: f("head", &self.head, self.line),
            no_pack: self.no_pack,
        }
    }
}
