//! The fields of a record → an item, by the field mapping of its source.

use crate::config::{ItemSource, TemplatePart};
use crate::model::{
    Code, Diagnostic, LineStarts, Node, Place, Refusal, RepoPath, Value, conflict_in_markdown, is_document_name,
    nearest_within,
};
use crate::records::comments::{is_trusted, take_comments};
use crate::records::fields::{
    Fields, NAMES, lift_relationships, mapped_from, mentions, name_objects, reach_into_objects, relation_of, scalars,
    text_of,
};
use crate::records::item::{Body, Field, FieldRelation, Item, Mention, Origin};
use crate::records::names::{id, title};
use std::collections::BTreeSet;
use std::ops::RangeInclusive;

pub(super) struct ItemContext<'a> {
    pub(super) source: &'a ItemSource,
    pub(super) source_index: usize,
    pub(super) path: &'a RepoPath,
    /// The text of the file, and where its lines begin.
    pub(super) text: &'a str,
    pub(super) lines: &'a LineStarts,
    pub(super) body_file: &'a dyn Fn(&RepoPath) -> Result<String, Refusal>,
    pub(super) alone: bool,
}

#[derive(Default)]
pub(super) struct RawRecord {
    pub(super) pairs: Vec<(String, Node<String>)>,
    pub(super) line: u32,
    /// The number of records before it on its line.
    pub(super) before: u32,
    pub(super) head: String,
    /// The Markdown below a front matter and its first line.
    pub(super) below: Option<(String, u32)>,
    /// Whether the record is JSON, in which the lines of a text are not lines of the file.
    pub(super) json: bool,
    /// The index of the record that it is inside of.
    pub(super) parent: Option<usize>,
    /// The keys that `*` stands for in the path to it.
    pub(super) key: String,
}

pub(super) fn build(
    mut record: RawRecord,
    context: &ItemContext<'_>,
    file_diagnostics: &mut Vec<Diagnostic>,
) -> Item<String> {
    let mut diagnostics = unknown_fields(&record.pairs, context, record.line);
    if !record.json {
        diagnostics.extend(issues_in_comments(&record.pairs, context));
    }
    if !mapped_from(context.source, "relationships") {
        lift_relationships(&mut record.pairs);
    }
    let comments = take_comments(&mut record.pairs, context.source);
    let untrusted = context.source.trust.as_ref().is_some_and(|name| !is_trusted(&record.pairs, name));
    reach_into_objects(&mut record.pairs, context.source);
    name_objects(&mut record.pairs, context.source);
    let mut fields = Fields::new(&record.pairs, context.source);
    let body = body(&record, &mut fields, context, &mut diagnostics);
    if let Some(line) = conflict_in_markdown(&body.text).filter(|_| body.in_file) {
        let place = Place::line(body.origin.path.clone(), body.line.saturating_add(line - 1));
        diagnostics.push(conflict_markers(place, "the text of the item"));
    }
    if body.text.is_empty() && record.pairs.is_empty() && record.below.is_some() {
        let message = format!("`{}` is empty: its pack says nothing", context.path);
        let fault = Diagnostic::in_file(Code::InvalidItem, context.path, message);
        diagnostics.push(fault.help("write what is to be done, or exclude the file"));
    }
    let relations = relations(&mut fields, context, &mut diagnostics);
    let adrs = fields.gathered("adrs", &mut |line| diagnostics.push(unnamed_entry(context, line, "adrs")));
    let mut docs = fields.gathered("docs", &mut |line| diagnostics.push(unnamed_entry(context, line, "docs")));
    fields.map_rest();

    let id = id(&fields, &record, context, &mut diagnostics);
    let title = title(&fields, &body.text, &id, context);
    let status = fields.text("status");
    let issue = fields.native.get("issue").and_then(|node| mentions(node, &mut |_| ()).into_iter().next());
    let is_filtered = |value: &str, text: &str| {
        value == "*" && !text.trim().is_empty() || value.trim().to_lowercase() == text.trim().to_lowercase()
    };
    let no_pack = context.source.no_pack.iter().any(|(name, values)| {
        fields.named(name).any(|node| {
            let alone = text_of(node);
            scalars(node)
                .into_iter()
                .chain(alone.as_deref())
                .any(|text| values.iter().any(|value| is_filtered(value, text)))
        })
    });
    let fields = fields.finish();
    other_documents(&fields, &mut docs);
    for mut diagnostic in diagnostics {
        diagnostic.about.push(id.clone());
        file_diagnostics.push(diagnostic);
    }
    Item {
        id,
        origin: origin(context.path),
        line: record.line,
        source: context.source_index,
        title,
        status,
        body,
        fields,
        relations,
        issue,
        adrs,
        docs,
        head: record.head,
        no_pack,
        untrusted,
        comments,
    }
}

/// Warns of each issue number that YAML takes for a comment: `depends_on: #12`.
fn issues_in_comments(pairs: &[(String, Node<String>)], context: &ItemContext<'_>) -> Vec<Diagnostic> {
    let mut lines = BTreeSet::new();
    let mut todo: Vec<&Node<String>> = pairs.iter().map(|(_, node)| node).collect();
    while let Some(node) = todo.pop() {
        match &node.value {
            Value::Null | Value::Scalar { plain: true, .. } => {
                lines.insert(node.line);
            }
            Value::Scalar { .. } => {}
            Value::List(nodes) => todo.extend(nodes),
            Value::Map(pairs) => todo.extend(pairs.iter().map(|(_, node)| node)),
        }
    }
    let warning = |line: u32| {
        let number = comment_number(context.lines.between(context.text, line, Some(line + 1)))?;
        let message = format!("`{number}` is a comment in YAML and was not read");
        Some(Diagnostic::on_line(Code::InvalidItem, context.path, line, message).help("put the value in quotes"))
    };
    lines.into_iter().filter_map(warning).collect()
}

/// Returns the issue number with which the comment of a line without quotes begins.
fn comment_number(line: &str) -> Option<&str> {
    let at = line.find(['#', '"', '\'']).filter(|at| line[..*at].ends_with([' ', '\t']))?;
    let number = line[at..].strip_prefix('#')?;
    let length = number.bytes().take_while(u8::is_ascii_digit).count();
    (length > 0 && !number[length..].starts_with(char::is_alphanumeric)).then(|| &line[at..=at + length])
}

fn origin(path: &RepoPath) -> Origin<String> {
    Origin { path: path.clone(), shown: path.as_str().to_owned(), url: None }
}

/// Returns the warning that git left both sides of a conflict in `text`.
pub fn conflict_markers(at: Place, text: &str) -> Diagnostic {
    Diagnostic::new(Code::ConflictMarkers, Some(at), format!("{text} has conflict markers"))
        .help("resolve the conflict, then `git add` the file; put markers that are meant in a code block")
}

fn unnamed_entry(context: &ItemContext<'_>, line: u32, field: &str) -> Diagnostic {
    Diagnostic::on_line(Code::InvalidItem, context.path, line, format!("an entry of `{field}` names nothing"))
        .help("an entry is a text, or an object with an `id`")
}

/// Returns the item's Markdown: its body file, the text below its front matter, or the first body field with content.
fn body(
    record: &RawRecord,
    fields: &mut Fields<'_>,
    context: &ItemContext<'_>,
    diagnostics: &mut Vec<Diagnostic>,
) -> Body<String> {
    if let Some(name) = &context.source.body_file {
        match read_body_file(name, context) {
            Ok((path, text)) => {
                let (text, line) = trimmed(&text, 1);
                return Body { origin: origin(&path), line, in_file: true, text };
            }
            Err(diagnostic) => diagnostics.push(diagnostic),
        }
    }
    if let Some((below, line)) = &record.below {
        let (text, line) = trimmed(below, *line);
        if !text.is_empty() {
            return Body { origin: origin(context.path), line, in_file: true, text };
        }
    }
    for at in fields.sources("body") {
        let node = &fields.pairs[at].1;
        if let Some(text) = text_of(node) {
            fields.used.insert(at);
            let text = match &node.value {
                Value::Scalar { text, .. } => trimmed(text, 1).0,
                _ => text,
            };
            let line = if record.json { record.line } else { node.line };
            return Body { origin: origin(context.path), line, in_file: false, text };
        }
        fields.used.insert(at);
    }
    let line = record.below.as_ref().map_or(record.line, |(_, line)| *line);
    Body { origin: origin(context.path), line, in_file: record.below.is_some(), text: String::new() }
}

fn read_body_file(name: &str, context: &ItemContext<'_>) -> Result<(RepoPath, String), Diagnostic> {
    let refused = |why: &str| {
        Diagnostic::in_file(Code::UnreadableFile, context.path, format!("the body file `{name}` {why}"))
            .help("correct `body_file`, or add the file beside the item")
    };
    let path = context.path.beside(name).map_err(|_| refused("leads out of the repo"))?;
    let text = (context.body_file)(&path).map_err(|refusal| {
        refused(match refusal {
            Refusal::Denied => "is one that is never opened",
            Refusal::Outside => "leads out of the repo",
            Refusal::NotInRepo => "is not in the repo",
            Refusal::Binary => "is no text",
            Refusal::NotUtf8 => "is not UTF-8",
            Refusal::TooLarge(_) => "is too large",
            Refusal::GitLfs => "is stored with Git LFS",
            Refusal::Unreadable(_) => "cannot be read",
        })
    })?;
    Ok((path, text))
}

/// Returns the text without the blank lines at both ends, and the line that it then begins on.
fn trimmed(text: &str, line: u32) -> (String, u32) {
    let mut start = 0;
    for (first, piece) in (line..).zip(text.split_inclusive('\n')) {
        if !piece.trim().is_empty() {
            return (text[start..].trim_end().to_owned(), first);
        }
        start += piece.len();
    }
    (String::new(), line)
}

/// Returns the relations of fields, followed by those of the edge list.
fn relations<'a>(
    fields: &mut Fields<'a>,
    context: &ItemContext<'a>,
    diagnostics: &mut Vec<Diagnostic>,
) -> Vec<FieldRelation<String>> {
    let mut stated = Vec::new();
    for name in NAMES.of("relations") {
        let Some(relation) = relation_of(name) else { continue };
        let found = fields.gathered(name, &mut |line| diagnostics.push(unnamed_entry(context, line, name)));
        stated.extend(found.into_iter().map(|target| FieldRelation { relation, target }));
    }
    let Some(edges) = &context.source.edges else {
        return stated;
    };
    for at in fields.index.get(edges.field.as_str()).cloned().unwrap_or_default() {
        let list = match &fields.pairs[at].1.value {
            Value::List(nodes) => nodes.as_slice(),
            Value::Map(_) => std::slice::from_ref(&fields.pairs[at].1),
            Value::Null | Value::Scalar { .. } => &[],
        };
        // An edge list of which every entry became a relation is not repeated as a field.
        let mut all_mapped = !list.is_empty();
        for edge in list {
            let Value::Map(pairs) = &edge.value else {
                all_mapped = false;
                continue;
            };
            let value = |key: &str| pairs.iter().find(|(name, _)| name == key).map(|(_, node)| node);
            let relation = value(&edges.kind).and_then(text_of).and_then(|kind| edges.types.get(&kind).copied());
            let (Some(relation), Some(to)) = (relation, value(&edges.to)) else {
                all_mapped = false;
                continue;
            };
            let targets = mentions(to, &mut |line| diagnostics.push(unnamed_entry(context, line, &edges.to)));
            stated.extend(targets.into_iter().map(|target| FieldRelation { relation, target }));
        }
        if all_mapped {
            fields.used.insert(at);
        }
    }
    let mut seen = BTreeSet::new();
    stated.retain(|stated| seen.insert((stated.relation, stated.target.value.clone())));
    stated
}

/// Adds the fields whose values are names of documents.
fn other_documents(fields: &[Field<String>], docs: &mut Vec<Mention<String>>) {
    let mut seen: BTreeSet<String> = docs.iter().map(|doc| doc.value.clone()).collect();
    let free = |name: &str| !NAMES.has("gathered", name) && !NAMES.has("no documents", name);
    for field in fields.iter().filter(|field| free(&field.name)) {
        let nodes = match &field.node.value {
            Value::List(nodes) => nodes.as_slice(),
            _ => std::slice::from_ref(&field.node),
        };
        for node in nodes {
            let Value::Scalar { text, .. } = &node.value else {
                continue;
            };
            let text = text.trim();
            // `see docs/a.md` is a sentence, `docs/a b.md` may be a file.
            let first_word = text.split(char::is_whitespace).next().unwrap_or_default();
            let one = first_word.len() == text.len() || first_word.contains('/');
            if one && is_document_name(text) && text.len() <= 1024 && seen.insert(text.to_owned()) {
                docs.push(Mention { value: text.to_owned(), line: node.line });
            }
        }
    }
}

/// Names of this many letters may differ in two of them, shorter ones in one.
const LONG: usize = 8;

/// Warns of each field that is no field of a work item but almost has the name of one: a relation would be lost silently.
///
/// Fields that the source maps, reads or filters by are the user's own. So is a field beside the native one that takes
/// only one value, and one that names nothing.
fn unknown_fields(pairs: &[(String, Node<String>)], context: &ItemContext<'_>, line: u32) -> Vec<Diagnostic> {
    let source = context.source;
    let inner = pairs.iter().find(|(name, _)| name == "relationships").and_then(|(_, node)| match &node.value {
        Value::Map(inner) => Some(inner),
        _ => None,
    });
    let mut diagnostics = Vec::new();
    for (name, node) in pairs.iter().chain(inner.into_iter().flatten()) {
        let Some(native) = closest(name) else { continue };
        if is_known(name, source) || mentions(node, &mut |_| ()).is_empty() {
            continue;
        }
        if relation_of(native).is_none()
            && pairs.iter().any(|(other, _)| other == native || maps(source, native, other))
        {
            continue;
        }
        let message = format!("`{name}` is not a field of a work item");
        let fault = Diagnostic::new(Code::UnknownField, Some(place_of(name, line..=node.line, context)), message);
        diagnostics.push(fault.help(format!("did you mean `{native}`?")));
    }
    diagnostics
}

/// Returns whether the name is native, or the source gives it a meaning.
fn is_known(name: &str, source: &ItemSource) -> bool {
    let templates = source.id.iter().chain(&source.title).flat_map(|template| &template.parts);
    let in_template = templates.into_iter().any(|part| *part == TemplatePart::Hole(name.to_owned()));
    NAMES.has("known", name)
        || ["parent", "children", "adrs", "depends_on"].iter().any(|native| NAMES.has(native, name))
        || mapped_from(source, name)
        || source.fields.contains_key(name)
        || source.no_pack.contains_key(name)
        || source.edges.as_ref().is_some_and(|edges| edges.field == name)
        || in_template
}

fn maps(source: &ItemSource, native: &str, name: &str) -> bool {
    source.fields.get(native).is_some_and(|names| names.iter().any(|mapped| mapped == name))
}

/// Returns the native field that `name` almost spells; case, hyphens and spaces count for nothing.
///
/// The first letter must be right: people rarely mistype it, and `locks` is one letter away from `blocks`.
fn closest(name: &str) -> Option<&'static str> {
    let first = |text: &str| text.chars().next().map(|c| c.to_ascii_lowercase());
    let near = NAMES.of("compared").iter().copied().filter(|native| first(name) == first(native));
    nearest_within(name, near, |native| if native.len() >= LONG { 2 } else { 1 })
}

/// Returns where the key `name` of a value is: on the last of these lines, or on one above it within the record.
fn place_of(name: &str, lines: RangeInclusive<u32>, context: &ItemContext<'_>) -> Place {
    let path = context.path.clone();
    let last = *lines.end();
    for at in lines.rev() {
        let text = context.lines.between(context.text, at, Some(at + 1));
        if let Some(offset) = key_in(text, name) {
            let column = u32::try_from(text[..offset].chars().count()).unwrap_or(u32::MAX).saturating_add(1);
            return Place { path, line: Some(at), column: Some(column) };
        }
    }
    Place::line(path, last)
}

/// Returns the byte offset of the key `name` in a line of YAML or JSON.
fn key_in(line: &str, name: &str) -> Option<usize> {
    line.match_indices(name).map(|(at, _)| at).find(|at| {
        let before = line[..*at].trim_end_matches(['"', '\'']);
        let after = line[at + name.len()..].trim_start_matches(['"', '\'']).trim_start();
        after.starts_with(':') && (before.is_empty() || before.ends_with([' ', '\t', '{', ',', '-']))
    })
}
