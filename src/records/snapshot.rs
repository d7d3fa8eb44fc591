//! A file of the GitHub snapshot → an [`Issue`].

use crate::markdown::Outline;
use crate::model::{
    Code, Completeness, Diagnostic, ItemState, LineRange, Node, Relation, RepoPath, SNAPSHOT_VERSION, SnapshotAuthor,
    SnapshotCode, SnapshotIssue, SnapshotRelation, Value, with_line_feeds,
};
use crate::records::fields::{NAMES, is_nothing, words_as_name};
use crate::records::item::{Authored, Body, Comment, Field, Issue, IssueLink, Item, KeptCode, Origin};
use crate::records::syntax::read_json;
use std::collections::BTreeMap;

/// The help line of a file that is no snapshot of an issue.
const SYNC_AGAIN: &str = "run `contextpack sync` for this issue again, or remove the file";

#[derive(Debug, Clone, PartialEq)]
pub struct SnapshotFile {
    pub issue: SnapshotIssue,
    path: RepoPath,
    code: Vec<KeptCode<String>>,
    /// The line of each of its fields.
    lines: BTreeMap<String, u32>,
}

impl SnapshotFile {
    /// Reads `text`, the contents of `path`: `<folder>/<owner>/<repo>/<number>.json`.
    pub fn read(path: &RepoPath, text: &str) -> Result<Self, Diagnostic> {
        let invalid = |line: u32, message: String, help: &str| {
            Diagnostic::on_line(Code::InvalidSnapshot, path, line, message).help(help)
        };
        let node = read_json(text, 1).map_err(|fault| invalid(fault.line, fault.message, SYNC_AGAIN))?;
        let Value::Map(pairs) = node.value else {
            return Err(invalid(1, "it is no JSON object".to_owned(), SYNC_AGAIN));
        };
        let lines: BTreeMap<String, u32> = pairs.iter().map(|(name, node)| (name.clone(), node.line)).collect();
        match pairs.iter().find(|(name, _)| name == "schema_version") {
            Some((_, Node { value: Value::Scalar { text, .. }, .. })) if text == SNAPSHOT_VERSION => {}
            Some((_, node)) => {
                let message = format!("its `schema_version` is not `{SNAPSHOT_VERSION}`, which this version reads");
                let help = "run `contextpack sync` again, or use the version of contextpack that wrote it";
                return Err(invalid(node.line, message, help));
            }
            None => return Err(invalid(1, "it has no `schema_version`".to_owned(), SYNC_AGAIN)),
        }
        let mut issue: SnapshotIssue = serde_json::from_str(text).map_err(|error| {
            let words = error.to_string();
            let words = words.split(" at line ").next().unwrap_or_default().to_owned();
            invalid(u32::try_from(error.line()).unwrap_or(1).max(1), words, SYNC_AGAIN)
        })?;
        let place = format!("/{}/{}.json", issue.repo, issue.number).to_lowercase();
        if !format!("/{path}").to_lowercase().ends_with(&place) {
            let message = format!("it holds `{}#{}`, which has another place", issue.repo, issue.number);
            return Err(invalid(lines.get("repo").copied().unwrap_or(1), message, SYNC_AGAIN));
        }
        let code = issue.code.iter().map(kept_code).collect::<Result<Vec<_>, _>>();
        let code =
            code.map_err(|message| invalid(lines.get("code").copied().unwrap_or(1), message.to_owned(), SYNC_AGAIN))?;
        issue.body = issue.body.map(|body| trimmed(&body));
        for comment in &mut issue.comments.items {
            comment.body = trimmed(&comment.body);
        }
        Ok(Self { issue, path: path.clone(), code, lines })
    }

    fn line(&self, field: &str) -> u32 {
        self.lines.get(field).copied().unwrap_or(1)
    }

    /// Returns the parts that builds use. Lists keep the order of the snapshot.
    pub fn parsed(&self) -> Issue<String> {
        let issue = &self.issue;
        let id = format!("{}#{}", issue.repo, issue.number);
        let origin =
            Origin { path: self.path.clone(), shown: self.path.as_str().to_owned(), url: Some(issue.url.clone()) };
        let state = match issue.merged {
            true => ItemState::Merged,
            false => match ItemState::of_issue(&issue.state, issue.state_reason.as_deref()) {
                // A pull request that was closed without being merged is no work done.
                ItemState::Done if issue.kind == "pull" => ItemState::NotPlanned,
                state => state,
            },
        };
        let text = issue.body.clone().unwrap_or_default();
        let fields = self.fields(state, &text);
        let item = Item {
            id,
            origin: origin.clone(),
            line: self.line("number"),
            source: 0,
            title: issue.title.clone(),
            status: Some(issue.state.clone()),
            body: Body { origin, line: self.line("body"), in_file: false, text },
            fields,
            relations: Vec::new(),
            issue: None,
            adrs: Vec::new(),
            docs: Vec::new(),
            head: String::new(),
            no_pack: !issue.asked,
            untrusted: false,
            comments: Vec::new(),
        };
        Issue {
            item,
            url: issue.url.clone(),
            repo: issue.repo.clone(),
            number: issue.number,
            private: issue.private,
            state,
            by: authored(&issue.author, issue.created_at.as_ref(), issue.edited.then_some(true), &issue.trust),
            code: self.code.clone(),
            links: self.lists().into_iter().flat_map(|(relation, list)| self.links(relation, list)).collect(),
            comments: issue
                .comments
                .items
                .iter()
                .map(|comment| Comment {
                    id: comment.id,
                    url: Some(comment.url.clone()),
                    by: authored(&comment.author, Some(&comment.created_at), Some(comment.edited), &comment.trust),
                    text: comment.body.clone(),
                    noise: comment.author.bot || comment.minimized,
                })
                .collect(),
            unknown: self.unknown(),
            has_comments: issue.comments.completeness == Completeness::Complete,
        }
    }

    fn links(&self, relation: Relation, list: &SnapshotRelation) -> Vec<IssueLink<String>> {
        let line = self.line("relations");
        list.issues
            .iter()
            .map(|other| IssueLink {
                relation,
                repo: other.repo.clone(),
                number: other.number,
                url: other.url.clone(),
                title: other.title.clone(),
                state: other
                    .state
                    .as_deref()
                    .map_or(ItemState::Unknown, |state| ItemState::of_issue(state, other.state_reason.as_deref())),
                line,
            })
            .collect()
    }

    fn unknown(&self) -> Vec<Relation> {
        // Pull requests have no relations of these kinds.
        let unknown =
            |list: &SnapshotRelation| self.issue.kind != "pull" && list.completeness != Completeness::Complete;
        self.lists().into_iter().filter(|(_, list)| unknown(list)).map(|(relation, _)| relation).collect()
    }

    fn lists(&self) -> [(Relation, &SnapshotRelation); 4] {
        let relations = &self.issue.relations;
        [
            (Relation::Parent, &relations.parent),
            (Relation::Child, &relations.sub_issues),
            (Relation::BlockedBy, &relations.blocked_by),
            (Relation::Blocks, &relations.blocking),
        ]
    }

    /// Returns GitHub's fields and the answers of an issue form.
    fn fields(&self, state: ItemState, body: &str) -> Vec<Field<String>> {
        let issue = &self.issue;
        let mut fields: BTreeMap<String, Node<String>> = BTreeMap::new();
        let scalar = |line, text: &str| Node { line, value: Value::Scalar { text: text.to_owned(), plain: false } };
        for (name, value) in answers(body) {
            let plain = value.bytes().all(|byte| byte.is_ascii_digit());
            let value = Value::Scalar { text: value, plain };
            fields.insert(name.to_owned(), Node { line: self.line("body"), value });
        }
        let kind = issue.issue_type.as_deref().or((issue.kind == "pull").then_some("pull"));
        let texts = [
            ("type", "type", kind),
            ("state", "state", Some(state.name())),
            ("state_reason", "state_reason", issue.state_reason.as_deref()),
            ("milestone", "milestone", issue.milestone.as_deref()),
        ];
        for (name, own, value) in texts {
            if let Some(value) = value.filter(|value| !value.is_empty()) {
                fields.insert(name.to_owned(), scalar(self.line(own), value));
            }
        }
        for (name, values) in [("labels", &issue.labels), ("assignees", &issue.assignees)] {
            let line = self.line(name);
            let list = values.iter().map(|value| scalar(line, value)).collect();
            fields.insert(name.to_owned(), Node { line, value: Value::List(list) });
        }
        fields.into_iter().map(|(name, node)| Field { name, node }).collect()
    }
}

fn kept_code(code: &SnapshotCode) -> Result<KeptCode<String>, &'static str> {
    let path = RepoPath::new(&code.path).ok().filter(|path| path.as_str() == code.path && !code.path.is_empty());
    let path = path.ok_or("the `path` of an entry of `code` is no path in the repo")?;
    let lower = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
    if code.commit.len() != 40 || !code.commit.bytes().all(lower) {
        return Err("the `commit` of an entry of `code` is no SHA of 40 lower-case hexadecimal digits");
    }
    let lines = LineRange::new(code.first, code.last);
    let lines = lines.ok_or("`first` and `last` of an entry of `code` are no range of lines")?;
    let text = with_line_feeds(&code.text);
    Ok(KeptCode { path, shown: code.path.clone(), commit: code.commit.clone(), lines, text })
}

fn authored(
    author: &SnapshotAuthor,
    created_at: Option<&String>,
    edited: Option<bool>,
    trust: &str,
) -> Authored<String> {
    Authored {
        author: author.login.clone(),
        association: author.association.clone(),
        created_at: created_at.cloned(),
        edited,
        trusted: trust == "trusted",
    }
}

/// Returns the text with LF line ends, and without a byte-order mark and blank lines at both ends.
pub(super) fn trimmed(text: &str) -> String {
    let text = with_line_feeds(text);
    let start: usize = text.split_inclusive('\n').take_while(|line| line.trim().is_empty()).map(str::len).sum();
    text.get(start..).unwrap_or_default().trim_end().to_owned()
}

/// The longest answer that is a field's value, in bytes.
const LONGEST: usize = 200;

/// Returns the answers of a body that are values of fields: name, value; the first of each name.
fn answers(body: &str) -> Vec<(&'static str, String)> {
    let markdown = Outline::read(body);
    let mut found: Vec<(&'static str, String)> = Vec::new();
    for heading in markdown.headings.iter().filter(|heading| heading.level == 3) {
        let title = words_as_name(&heading.title);
        let asks = |name: &&&str| **name == title || name.strip_suffix("_hrs").is_some_and(|name| name == title);
        let Some(name) = NAMES.of("answered").iter().find(asks) else { continue };
        let Some(block) = markdown.blocks.get(heading.block + 1).filter(|block| block.heading.is_none()) else {
            continue;
        };
        // Several paragraphs are prose, which only stays in the body.
        let alone = markdown.blocks.get(heading.block + 2).is_none_or(|next| next.heading.is_some());
        let answer = body.get(block.range.clone()).unwrap_or_default().trim();
        let short = answer.len() <= LONGEST && !answer.contains('\n');
        if alone && short && !is_nothing(answer) && !found.iter().any(|(known, _)| known == name) {
            found.push((*name, answer.to_owned()));
        }
    }
    found
}
