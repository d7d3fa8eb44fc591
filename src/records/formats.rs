//! One file → its items, by the format that its extension names.

use crate::config::ItemSource;
use crate::markdown::front_matter::front_matter;
use crate::model::{
    Code, Diagnostic, LineStarts, Node, Refusal, RepoPath, Severity, Value, conflict_line, conflict_sides,
};
use crate::records::build::{ItemContext, RawRecord, build};
use crate::records::fields::{add_names, mapped_from};
use crate::records::front_matter::{ReadFrontMatter, read_by_line, read_front_matter};
use crate::records::item::Item;
use crate::records::lines::{add_head, add_labelled};
use crate::records::nested::{
    JsonPart, KEY, YamlPart, connect, json_entries, json_members, json_parts, nest_id, own_id, yaml_entries,
    yaml_members, yaml_parts,
};
use crate::records::syntax::{Fragment, Fragments, SyntaxFault, check_json, fragments, read_json, yaml_documents};
use std::collections::{BTreeSet, HashMap, HashSet};

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Parsed {
    pub items: Vec<Item<String>>,
    /// What can be made out of items that cannot be read, each with the index of the diagnostic that says why. They say which
    /// ids exist and what these have to do with others; their texts are in no pack.
    pub damaged: Vec<(Item<String>, usize)>,
    pub diagnostics: Vec<Diagnostic>,
    /// The names of all fields of the items, and the mapped names that lead into objects of theirs.
    pub names: BTreeSet<String>,
}

/// What is added to the help of an error that keeps packs from being built.
pub(super) const KEPT: &str = "until then packs that may hold it stay as they are";

/// Reads the items of one file, whose `text` has LF line ends and no byte-order mark.
///
/// `body_file` reads the text of a file beside the item. A record that cannot be read becomes a diagnostic and does not stop
/// the others; a Markdown file always yields an item. Of records with conflict markers those that differ between the two sides
/// are damaged; markers in the text of a Markdown file damage none.
pub fn items(
    source: &ItemSource,
    source_index: usize,
    path: &RepoPath,
    text: &str,
    body_file: &dyn Fn(&RepoPath) -> Result<String, Refusal>,
) -> Parsed {
    let read = |text: &str| whole(source, source_index, path, text, body_file);
    let Some(line) = conflict_line(text) else { return read(text) };
    let is_markdown = is_text(&path.extension().to_ascii_lowercase());
    let mut sides = conflict_sides(text);
    if is_markdown {
        if !sides.iter().any(|side| line <= front_matter_lines(side)) {
            return read(text);
        }
        // A front matter begins on the first line.
        sides = sides.map(|side| side.trim_start_matches('\n').to_owned());
    }
    let [ours, theirs] = sides.map(|side| read(&side));
    let in_theirs: HashMap<&str, &Item<String>> = theirs.items.iter().map(|item| (item.id.as_str(), item)).collect();
    let is_whole = |item: &Item<String>| {
        let other = in_theirs.get(item.id.as_str());
        !is_markdown
            && other.is_some_and(|other| item.head.trim() == other.head.trim() && item.body.text == other.body.text)
    };
    let (whole, differing): (Vec<_>, Vec<_>) = ours.items.iter().cloned().partition(is_whole);
    let ids: HashSet<String> = whole.iter().map(|item| item.id.clone()).collect();
    let others = theirs.items.iter().filter(|item| !ids.contains(&item.id)).cloned();
    let salvaged = ours.damaged.into_iter().chain(theirs.damaged).map(|(item, _)| item);
    let mut damaged: Vec<Item<String>> = Vec::new();
    let mut places: HashMap<String, usize> = HashMap::new();
    for item in differing.into_iter().chain(others).chain(salvaged) {
        let place = *places.entry(item.id.clone()).or_insert(damaged.len());
        match damaged.get_mut(place) {
            // The relations of both sides may hold.
            Some(known) => known.relations.extend(item.relations),
            None => damaged.push(item),
        }
    }
    let what = if is_markdown {
        "the item cannot be read: its front matter has conflict markers"
    } else {
        "the items cannot be read: the file has conflict markers"
    };
    let fault = Diagnostic::on_line(Code::InvalidItem, path, line, what);
    let mut fault = fault.help(format!("resolve the conflict, then `git add` the file; {KEPT}"));
    fault.severity = Severity::Error;
    fault.about = damaged.iter().map(|item| item.id.clone()).collect();
    let of_whole =
        |diagnostic: &Diagnostic| !diagnostic.about.is_empty() && diagnostic.about.iter().all(|id| ids.contains(id));
    let mut diagnostics = vec![fault];
    diagnostics.extend(ours.diagnostics.into_iter().filter(of_whole));
    let damaged = damaged.into_iter().map(|item| (item, 0)).collect();
    Parsed { items: whole, damaged, diagnostics, names: ours.names }
}

/// Reads the items of a file without conflict markers.
fn whole(
    source: &ItemSource,
    source_index: usize,
    path: &RepoPath,
    text: &str,
    body_file: &dyn Fn(&RepoPath) -> Result<String, Refusal>,
) -> Parsed {
    let mut file = RecordFile { source, path, records: Vec::new(), broken: Vec::new(), diagnostics: Vec::new() };
    match path.extension().to_ascii_lowercase().as_str() {
        extension if is_text(extension) => file.markdown(text),
        "yml" | "yaml" => file.yaml(text),
        "json" => file.json(text),
        "jsonl" | "ndjson" => file.json_lines(text),
        _ => {
            let help = "work items are `.md`, `.rst`, `.mediawiki`, `.yml`, `.json` or `.jsonl` files; exclude others";
            let message = format!("the format of `{path}` is not known");
            file.diagnostics.push(Diagnostic::in_file(Code::InvalidItem, path, message).help(help));
        }
    }
    let RecordFile { records, broken, mut diagnostics, .. } = file;
    let lines = LineStarts::of(text);
    let alone = records.len() + broken.len() == 1;
    let context = ItemContext { source, source_index, path, text, lines: &lines, body_file, alone };
    let mut names = BTreeSet::new();
    records.iter().for_each(|record| add_names(&record.pairs, source, &mut names));
    let nested = |record: &RawRecord| (record.parent, record.key.clone(), own_id(&record.pairs, source));
    let nesting: Vec<_> = records.iter().map(nested).collect();
    let mut items: Vec<Item<String>> =
        records.into_iter().map(|record| build(record, &context, &mut diagnostics)).collect();
    connect(&mut items, &nesting);
    // A problem of a front matter concerns the one item below it.
    for diagnostic in diagnostics.iter_mut().filter(|diagnostic| diagnostic.code == Code::InvalidFrontMatter) {
        if let [item] = &items[..]
            && diagnostic.about.is_empty()
        {
            diagnostic.about.push(item.id.clone());
        }
    }
    let mut damaged = Vec::new();
    let no_body = &|_: &RepoPath| Err(Refusal::NotInRepo);
    let context = ItemContext { body_file: no_body, ..context };
    for (record, fault) in broken {
        let unnamed = [path.to_string(), format!("{path}:{}", record.line)];
        let item = build(record, &context, &mut Vec::new());
        if !unnamed.contains(&item.id) && !item.id.contains(char::is_whitespace) {
            let diagnostic = &mut diagnostics[fault];
            if diagnostic.severity != Severity::Error {
                diagnostic.severity = Severity::Error;
                let help = diagnostic.help.as_deref().unwrap_or("correct the file, or exclude it");
                diagnostic.help = Some(format!("{help}; {KEPT}"));
            }
            diagnostic.about.push(item.id.clone());
            damaged.push((item, fault));
        }
    }
    Parsed { items, damaged, diagnostics, names }
}

/// Returns whether files with this extension, in lower case, are texts that are one item each.
fn is_text(extension: &str) -> bool {
    matches!(extension, "md" | "markdown" | "mdx" | "rst" | "mediawiki")
}

struct RecordFile<'a> {
    source: &'a ItemSource,
    path: &'a RepoPath,
    records: Vec<RawRecord>,
    /// What can be made out of records that cannot be read, each with the index of its diagnostic.
    broken: Vec<(RawRecord, usize)>,
    diagnostics: Vec<Diagnostic>,
}

impl RecordFile<'_> {
    /// Reports a record that cannot be read, and returns the index of the diagnostic.
    fn fault(&mut self, fault: SyntaxFault, help: &str) -> usize {
        let message = format!("the item cannot be read: {}", fault.message);
        self.diagnostics.push(Diagnostic::on_line(Code::InvalidItem, self.path, fault.line, message).help(help));
        self.diagnostics.len() - 1
    }

    fn markdown(&mut self, text: &str) {
        let ReadFrontMatter { place, mut pairs, fault } = read_front_matter(text);
        self.diagnostics.extend(fault.map(|fault| fault.diagnostic(self.path)));
        let (mut start, mut line) = place.as_ref().map_or((0, 1), |place| (place.body, place.body_line));
        if self.source.field_lines {
            let is_mapped = |name: &str| mapped_from(self.source, name);
            let head = if place.is_none() { add_head(text, &mut pairs, &is_mapped) } else { None };
            (start, line) = head.unwrap_or((start, line));
            add_labelled(&text[start..], line, &mut pairs, &is_mapped);
        }
        let (head, below) = (text[..start].to_owned(), Some((text[start..].to_owned(), line)));
        self.records.push(RawRecord { pairs, line: 1, head, below, ..RawRecord::default() });
    }

    /// Adds a map as a record and returns its index; any other value is reported. `above` is the index of the record that it
    /// is inside of, and its place there; `key` are the keys that lead to it.
    fn record(
        &mut self,
        node: Node<String>,
        (head, json): (&str, bool),
        key: String,
        above: Option<(usize, usize)>,
    ) -> Option<usize> {
        let Value::Map(mut pairs) = node.value else {
            let fault = SyntaxFault::new(node.line, "it is no map of fields");
            self.fault(fault, "an item is a map such as `id: feat:x`");
            return None;
        };
        let is_list = |node: &Node<String>| matches!(node.value, Value::List(_));
        pairs.retain(|(name, node)| self.source.subitems.as_ref() != Some(name) || !is_list(node));
        if !key.is_empty() && pairs.iter().all(|(name, _)| name != KEY) {
            let value = Value::Scalar { text: key.clone(), plain: false };
            pairs.push((KEY.to_owned(), Node { line: node.line, value }));
        }
        if let Some((parent, place)) = above
            && let Some(id) = own_id(&self.records[parent].pairs, self.source)
        {
            nest_id(&mut pairs, &id, place, node.line, self.source);
        }
        let (line, head, parent) = (node.line, head.to_owned(), above.map(|(parent, _)| parent));
        // Records follow each other by lines.
        let before = self.records.last().filter(|last| last.line == line).map_or(0, |last| last.before + 1);
        self.records.push(RawRecord { pairs, line, before, head, below: None, json, parent, key });
        Some(self.records.len() - 1)
    }

    fn yaml(&mut self, text: &str) {
        let (mut documents, mut fault) = yaml_documents(text, 1);
        if fault.is_some()
            && let Some(spaced) = crate::yaml::spaced(text, true)
            && let (read, None) = yaml_documents(&spaced, 1)
            && let Some(SyntaxFault { line, message }) = fault.take()
        {
            let message = format!("the file is not YAML: {message}");
            let diagnostic = Diagnostic::on_line(Code::InvalidItem, self.path, line, message);
            self.diagnostics.push(diagnostic.help("indent with spaces in place of tabs"));
            documents = read;
        }
        let several = documents.len() > 1 || fault.is_some();
        let starts: Vec<u32> = documents.iter().map(|node| node.line).collect();
        let lines = LineStarts::of(text);
        let mut found = false;
        for (index, node) in documents.iter().enumerate().filter(|(_, node)| node.value != Value::Null) {
            let next = starts.get(index + 1).copied();
            for part in yaml_parts((String::new(), node, next), &self.source.items) {
                found = true;
                let is_whole = !several && std::ptr::eq(part.1, node);
                let head = if is_whole { text } else { lines.between(text, part.1.line, part.2) };
                self.yaml_record(part, head, (text, &lines), None);
            }
        }
        match fault {
            Some(fault) => {
                let fragments = yaml_fragments(text, fault.line);
                let fault = self.fault(fault, "correct the YAML, or exclude the file");
                self.add_broken(fault, fragments);
            }
            None if !found => self.report_empty(),
            None => {}
        }
    }

    /// Adds a record of a YAML text, and the items inside it.
    fn yaml_record(
        &mut self,
        part: YamlPart<'_>,
        head: &str,
        (text, lines): (&str, &LineStarts),
        above: Option<(usize, usize)>,
    ) {
        let Some(record) = self.record(part.1.clone(), (head, false), part.0.clone(), above) else { return };
        let Some(name) = &self.source.subitems else { return };
        let inside = yaml_members(&part, name).into_iter().filter(|(_, node, _)| matches!(node.value, Value::List(_)));
        for (place, part) in inside.flat_map(yaml_entries).enumerate() {
            let head = lines.between(text, part.1.line, part.2);
            self.yaml_record(part, head, (text, lines), Some((record, place)));
        }
    }

    fn json(&mut self, text: &str) {
        match check_json(text, 1) {
            Ok(()) => {
                let parts = json_parts(text, &self.source.items);
                if parts.is_empty() {
                    self.report_empty();
                }
                let lines = LineStarts::of(text);
                for part in parts {
                    let line = lines.line(part.1.as_ptr() as usize - text.as_ptr() as usize);
                    self.json_record(part, line, "correct the JSON, or exclude the file", None);
                }
            }
            Err(fault) => {
                let banner = !text.trim_start().starts_with(['{', '[']) && text.contains(['{', '[']);
                let help = if banner {
                    "lines of a tool's output stand before the JSON: remove them"
                } else {
                    "correct the JSON, or exclude the file"
                };
                let fault = self.fault(fault, help);
                let Fragments { whole, broken } = fragments(text, 1);
                for (node, range) in whole {
                    self.record(node, (&text[range], true), String::new(), None);
                }
                self.add_broken(fault, broken);
            }
        }
    }

    /// Adds a record of a JSON text, and the items inside it.
    fn json_record(&mut self, part: JsonPart<'_>, line: u32, help: &str, above: Option<(usize, usize)>) {
        let text = part.1;
        let node = match read_json(text, line) {
            Ok(node) => node,
            Err(fault) => {
                let fault = self.fault(fault, help);
                return self.add_broken(fault, fragments(text, line).broken);
            }
        };
        let record = self.record(node, (text, true), part.0.clone(), above);
        let (Some(record), Some(name)) = (record, &self.source.subitems) else { return };
        let inside = json_members(&part, name).into_iter().filter(|(_, part)| part.starts_with('['));
        let lines = LineStarts::of(text);
        for (place, part) in inside.flat_map(json_entries).enumerate() {
            let below = lines.line(part.1.as_ptr() as usize - text.as_ptr() as usize) - 1;
            self.json_record(part, line + below, help, Some((record, place)));
        }
    }

    /// Adds what can be made out of the records that a fault is about: their keys and values, and their lines.
    fn add_broken(&mut self, fault: usize, fragments: Vec<Fragment>) {
        let record = |(pairs, line)| RawRecord { pairs, line, json: true, ..RawRecord::default() };
        self.broken.extend(fragments.into_iter().map(|fragment| (record(fragment), fault)));
    }

    fn json_lines(&mut self, text: &str) {
        if text.trim().is_empty() {
            self.report_empty();
        }
        for (line, text) in (1..).zip(text.lines()) {
            if text.trim().is_empty() {
                continue;
            }
            self.json_record((String::new(), text), line, "each line is one JSON object", None);
        }
    }

    fn report_empty(&mut self) {
        let message = format!("`{}` holds no item", self.path);
        self.diagnostics.push(Diagnostic::in_file(Code::InvalidItem, self.path, message));
    }
}

/// Returns the keys and values of the YAML documents from the one with a fault on `line` on, read line by line, with their lines;
/// those of a list entry by entry.
fn yaml_fragments(text: &str, line: u32) -> Vec<Fragment> {
    let mut fragments: Vec<(String, u32)> = Vec::new();
    let mut is_list = false;
    for (number, text) in (1..).zip(text.lines()) {
        let is_boundary = matches!(text.trim_end(), "---" | "...");
        if is_boundary && number <= line {
            fragments.clear();
        }
        let is_entry = text.starts_with("- ");
        if fragments.is_empty() || is_boundary || is_entry {
            is_list = is_entry;
            fragments.push((String::new(), number));
        }
        let Some((fragment, _)) = fragments.last_mut() else { continue };
        fragment.push_str(text.get(2..).filter(|_| is_entry || is_list && text.starts_with("  ")).unwrap_or(text));
        fragment.push('\n');
    }
    fragments.into_iter().map(|(text, line)| (read_by_line(&text, line), line)).collect()
}

/// Returns the number of the last line of the front matter of one side, blank lines above it included; 0 without one.
fn front_matter_lines(side: &str) -> u32 {
    let text = side.trim_start_matches('\n');
    let above = u32::try_from(side.len() - text.len()).unwrap_or(u32::MAX);
    front_matter(text).map_or(0, |found| above.saturating_add(found.body_line - 1))
}
