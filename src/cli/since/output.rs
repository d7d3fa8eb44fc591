//! What `since` prints: text, JSON, Markdown for a pull request, and annotations.

use super::{Answer, ReadPack, diagnostic, short};
use crate::cli::args::Global;
use crate::cli::diff::{self, diff_line};
use crate::console::{Document, Failure, Format, Line, line};
use crate::review::{MovedText, SharedChange};
use serde::Serialize;
use serde_json::{Value, json};

/// The most moves that an annotation names, and sections that a line does.
pub(super) const NAMED: usize = 3;

/// A commit that names a pack.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct NamingCommit {
    pub(super) id: String,
    pub(super) subject: String,
}

pub(super) fn print(global: &Global, answer: &Answer) -> Result<(), Failure> {
    let packs: Vec<Value> = answer.packs.iter().map(pack).collect();
    let value = json!({"packs": packs, "diff": answer.diff});
    let diagnostics: Vec<_> = match global.format {
        Format::Github => answer.packs.iter().filter_map(diagnostic).collect(),
        _ => Vec::new(),
    };
    let whole = global.verbose && global.format != Format::Github || global.format == Format::Markdown;
    document(answer, whole).print(global.format, global.verbose, &diagnostics, &value)?;
    if matches!(global.format, Format::Text | Format::Github) {
        let fresh = answer.packs.iter().filter(|read| read.compared.status == "fresh").count();
        let note = match answer.packs.len() {
            0 => "no commit names a pack; `contextpack trailer` prints the line for its message".to_owned(),
            all => format!("{fresh} of {all} packs are what a build gives now"),
        };
        global.note(&note)?;
    }
    Ok(())
}

fn pack(read: &ReadPack) -> Value {
    let (compared, found) = (&read.compared, read.found.as_ref());
    let old = compared.old.pack.as_ref();
    json!({
        "hash": read.hash(),
        "root": old.and_then(|pack| pack.root.work_item_id.as_ref().or(pack.root.issue_url.as_ref())),
        "title": old.map(|pack| &pack.root.title),
        "profile": old.map(|pack| &pack.profile),
        "agent": old.and_then(|pack| pack.agent.as_ref()).map(|agent| &agent.key),
        "path": found.map(|found| &found.path),
        "commit": found.and_then(|found| found.commit.as_ref()),
        "generated_at": old.map(|pack| &pack.generated_at),
        "named_by": read.commits,
        "status": compared.status,
        "reasons": compared.reasons,
        "now": compared.new.as_ref().map(|pack| &pack.hash),
        "moves": compared.moves.moves,
        "recut": compared.moves.recut,
    })
}

/// Returns the document about the packs, followed by their whole diff, or by what no move says.
pub(super) fn document(answer: &Answer, whole: bool) -> Document {
    let mut document = Document::default();
    let [first, ..] = &answer.packs[..] else { return document };
    let is_of_commits = !first.commits.is_empty();
    document.title(if is_of_commits {
        "What the commits were written from"
    } else {
        "What changed since packs were read"
    });
    if whole {
        let fresh = answer.packs.iter().filter(|read| read.compared.status == "fresh").count();
        document.paragraph(format!("{fresh} of {} packs are what a build gives now.", answer.packs.len()));
    }
    document.nested_list(answer.packs.iter().map(|read| {
        let mut below = Document::default();
        below.nested_list(facts(read).into_iter().map(|line| (line, Document::default())).chain(moves(read)));
        (line(&format!("{{}}: {}", read.compared.status), &[&read.label]), below)
    }));
    if whole && !answer.diff.is_empty() {
        let graph = diff::graph(&answer.diff);
        document.details("All that changed in them", diff::document(&answer.diff, graph));
    } else {
        diff::sections(&mut document, uncovered(answer));
    }
    document
}

/// Returns why a pack is not fresh, where it was found, and the commits that name it.
fn facts(read: &ReadPack) -> Vec<Line> {
    let compared = &read.compared;
    let mut lines: Vec<Line> = compared.reasons.iter().map(|reason| line("{}", &[reason])).collect();
    let place = read.found.as_ref().map(|found| {
        let at = found.commit.as_ref().map(|commit| format!(" at {}", short(commit))).unwrap_or_default();
        let built = compared.old.pack.as_ref().map(|pack| format!(", built {}", pack.generated_at));
        format!("{}{at}{}", found.path, built.unwrap_or_default())
    });
    let read_as = match (read.hash(), place) {
        // The hash that it states is that of another text.
        (Some(hash), Some(at)) if compared.status == "edited" => Some(format!("{at}, which states {hash}")),
        (Some(hash), Some(at)) => Some(format!("{hash} ({at})")),
        (hash, at) => hash.or(at),
    };
    let read_as = read_as.filter(|text| compared.status != "invalid" && *text != read.label);
    lines.extend(read_as.map(|text| line("read: {}", &[&text])));
    let now = compared.new.as_ref().filter(|_| compared.status != "fresh");
    lines.extend(now.map(|pack| line("now:  {}", &[&pack.hash])));
    lines.extend(read.commits.iter().map(|commit| line("named by {} {}", &[short(&commit.id), &commit.subject])));
    lines
}

fn moves(read: &ReadPack) -> Vec<(Line, Document)> {
    let moved = |moved: &MovedText| {
        let MovedText { text, what, words, place, .. } = moved;
        let mut below = Document::default();
        below.code("diff", words.iter().map(diff_line).collect());
        match words.is_empty() {
            true => (line("{}", &[text]), below),
            false if place.is_empty() => (line("{} changed", &[what]), below),
            false => (line("{}: {} changed", &[place, what]), below),
        }
    };
    let mut all: Vec<_> = read.compared.moves.moves.iter().map(moved).collect();
    let recut: Vec<&str> = read.compared.moves.recut.iter().map(String::as_str).collect();
    if !recut.is_empty() {
        let first = recut[..recut.len().min(NAMED)].join(", ");
        let more = recut.len().saturating_sub(NAMED);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        let text = format!("the budget shortens these at another place, and their texts are the same: {{}}{more}");
        all.push((line(&text, &[&first]), Document::default()));
    }
    all
}

/// Returns the sections that changed in a way that no move says: new ones, those that are gone, and texts that are not whole.
fn uncovered(answer: &Answer) -> Vec<&SharedChange> {
    // Of a pack whose root is gone, all sections are.
    let packs = || answer.packs.iter().filter(|read| read.compared.new.is_some());
    let is_uncovered = |shared: &&SharedChange| {
        let mut of_section = packs().filter(|read| shared.packs.contains(&read.label));
        of_section.any(|read| !read.compared.moves.cover(&shared.section))
    };
    answer.diff.sections.iter().filter(is_uncovered).collect()
}
