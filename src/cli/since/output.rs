//! What `since` prints: text, JSON, Markdown for a pull request, and annotations.

use super::compare::{Compared, Moved};
use super::{Answer, ReadPack, diagnostic, short};
use crate::cli::args::Global;
use crate::cli::diff::{WordMarkers, code, code_up_to, line, markdown_page, text_page, text_section};
use crate::console::Failure;
use crate::console::Format;
use crate::console::github::Annotations;
use crate::console::{self, json_text, printable};
use crate::review::{Diff, DiffLine, FieldChange, SharedChange};
use schemars::JsonSchema;
use serde::Serialize;
use std::fmt::Write as _;
use std::io::Write as _;

/// The most moves that an annotation names.
pub(super) const NAMED: usize = 3;

/// The most moves of one pack that people see; JSON has all.
const MOST: usize = 40;

/// The longest reason of the Markdown form, in characters: it may list folders and profiles.
const LONGEST_REASON: usize = 1_000;

/// The longest text of a move on its line, in characters.
const LONGEST: usize = 160;

/// What `since` prints.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct SinceOutput {
    /// One entry for each pack, in the order in which they were named.
    packs: Vec<SincePack>,
    /// The packs as they were read against what a build gives now, as `diff` prints it; those that are fresh are left out.
    diff: Diff,
}

/// A pack that was read.
#[derive(Debug, Serialize, JsonSchema)]
struct SincePack {
    /// Its hash; absent where the file states none.
    hash: Option<String>,
    /// The id of its root, or its URL; absent where no file holds the pack.
    root: Option<String>,
    /// The title of its root, as it was read.
    title: Option<String>,
    /// Its profile.
    profile: Option<String>,
    /// The key of the agent that it is for.
    agent: Option<String>,
    /// The file that holds it; absent where none does.
    path: Option<String>,
    /// The commit whose version of the file it is; absent for the file as it is on disk.
    commit: Option<String>,
    /// When it was built.
    generated_at: Option<String>,
    /// The commits that name it, the oldest first.
    named_by: Vec<NamingCommit>,
    /// `fresh`, `stale`, `edited`, `orphaned` (its root, profile or agent is gone), `unverifiable` (its issue is not in the snapshot), `failed` (there is no pack of it now), `missing` (no file holds it) or `invalid` (the file is no pack).
    status: &'static str,
    /// Why it is not fresh.
    reasons: Vec<String>,
    /// The hash of what a build gives now; absent where there is none.
    now: Option<String>,
    /// What moved, item by item; what only the sections of `diff` tell is not here.
    moves: Vec<MovedText>,
    /// The sections whose texts are the same, and that the budget may shorten at another place.
    recut: Vec<String>,
}

/// A commit that names a pack.
#[derive(Debug, Serialize, JsonSchema)]
struct NamingCommit {
    /// Its id.
    id: String,
    /// The first line of its message.
    subject: String,
}

/// A part of a text that moved.
#[derive(Debug, Serialize, JsonSchema)]
struct MovedText {
    /// The section's id.
    section: String,
    /// What happened, in a sentence.
    text: String,
    /// `added`, `removed`, `changed`, `checked`, `unchecked` or `renumbered`.
    change: String,
    /// What it is, such as `acceptance criterion 3`.
    what: String,
    /// The old text.
    old: Option<String>,
    /// The new text.
    new: Option<String>,
    /// The changed words: a removed and an added line.
    words: Vec<DiffLine>,
}

/// Prints the answer in the form that was asked for.
pub(super) fn print(global: &Global, answer: &Answer) -> Result<(), Failure> {
    let mut out = console::stdout();
    match global.format {
        Format::Json => writeln!(out, "{}", json_text(&output(answer)))?,
        Format::Markdown => write!(out, "{}", markdown(answer))?,
        Format::Github => {
            let diagnostics: Vec<_> = answer.packs.iter().filter_map(diagnostic).collect();
            let mut annotations = Annotations::new();
            annotations.add_diagnostics(&diagnostics);
            lines(answer, true, global.verbose).iter().for_each(|line| annotations.log(line));
            annotations.print()?;
        }
        Format::Text | Format::Messages | Format::Table => {
            let plain = anstream::AutoStream::choice(&std::io::stdout()) == anstream::ColorChoice::Never;
            for line in lines(answer, plain, global.verbose) {
                writeln!(out, "{line}")?;
            }
            let marks = if plain { WordMarkers::brackets() } else { WordMarkers::coloured() };
            if global.verbose && !answer.diff.is_empty() {
                writeln!(out)?;
                text_page(&mut out, &answer.diff, plain, true)?;
            } else {
                for (at, shared) in untold(answer).into_iter().enumerate() {
                    if at == 0 {
                        writeln!(out, "\nSections")?;
                    }
                    text_section(&mut out, shared, &marks, false)?;
                }
            }
        }
    }
    out.flush()?;
    if !global.quiet && matches!(global.format, Format::Text | Format::Github) {
        let fresh = answer.packs.iter().filter(|read| read.compared.status == "fresh").count();
        let note = match answer.packs.len() {
            0 => "no commit names a pack; `contextpack trailer` prints the line for its message".to_owned(),
            all => format!("{fresh} of {all} packs are what a build gives now"),
        };
        writeln!(console::stderr(), "{note}")?;
    }
    Ok(())
}

fn output(answer: &Answer) -> SinceOutput {
    SinceOutput { packs: answer.packs.iter().map(pack).collect(), diff: answer.diff.clone() }
}

fn pack(read: &ReadPack) -> SincePack {
    let old = read.compared.old.pack.as_ref();
    let new = read.compared.new.as_ref().and_then(|new| new.pack.as_ref());
    SincePack {
        hash: read.hash(),
        root: old.and_then(|pack| pack.root.work_item_id.clone().or_else(|| pack.root.issue_url.clone())),
        title: old.map(|pack| pack.root.title.clone()),
        profile: old.map(|pack| pack.profile.clone()),
        agent: old.and_then(|pack| pack.agent.as_ref().map(|agent| agent.key.clone())),
        path: read.found.as_ref().map(|found| found.path.clone()),
        commit: read.found.as_ref().and_then(|found| found.commit.clone()),
        generated_at: old.map(|pack| pack.generated_at.clone()),
        named_by: read
            .commits
            .iter()
            .map(|(id, subject)| NamingCommit { id: id.clone(), subject: subject.clone() })
            .collect(),
        status: read.compared.status,
        reasons: read.compared.reasons.clone(),
        now: new.map(|pack| pack.hash.clone()),
        moves: read.compared.moves.iter().map(moved).collect(),
        recut: read.compared.recut.iter().cloned().collect(),
    }
}

fn moved(moved: &Moved) -> MovedText {
    let text = &moved.text;
    MovedText {
        section: moved.section.clone(),
        text: sentence(moved),
        change: text.change.clone(),
        what: text.what.clone(),
        old: text.old.clone(),
        new: text.new.clone(),
        words: text.words.clone(),
    }
}

/// Says what happened to a part of a text in a sentence, with its words.
pub(super) fn sentence(moved: &Moved) -> String {
    let Moved { place, text, is_there, .. } = moved;
    let place = if place.is_empty() { String::new() } else { format!("{place}: ") };
    let verb = match text.change.as_str() {
        "added" => "was added",
        "removed" if *is_there => "is no longer one",
        "removed" => "was removed",
        "checked" => "was checked off",
        "unchecked" => "is open again",
        "renumbered" => "has another place",
        _ => "changed",
    };
    let shown = |text: &Option<String>| shortened(text.as_deref().unwrap_or("none"));
    let is_heading = text.what.starts_with("the heading");
    let said = match text.change.as_str() {
        "changed" if is_heading => return format!("{place}{} is `{}` now", text.what, shown(&text.new)),
        _ if is_heading => String::new(),
        "changed" if text.words.is_empty() => format!(": {} → {}", shown(&text.old), shown(&text.new)),
        "removed" => format!(": {}", shown(&text.old)),
        _ => format!(": {}", shown(&text.new)),
    };
    format!("{place}{} {verb}{said}", text.what)
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(LONGEST) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}

/// Names the place where a pack was found, and when it was built.
fn origin(read: &ReadPack) -> Option<String> {
    let found = read.found.as_ref()?;
    let at = found.commit.as_ref().map(|commit| format!(" at {}", short(commit))).unwrap_or_default();
    let time = read.compared.old.pack.as_ref().map(|pack| format!(", built {}", pack.generated_at));
    Some(format!("{}{at}{}", found.path, time.unwrap_or_default()))
}

/// Returns the sections that changed in a way that no move says: new ones, those that are gone, and texts that are not whole.
fn untold(answer: &Answer) -> Vec<&SharedChange> {
    let is_told = |shared: &&SharedChange| {
        let names = |read: &&ReadPack| shared.packs.contains(&read.label);
        let told = |read: &ReadPack| {
            let Compared { moves, told, .. } = &read.compared;
            told.contains(&shared.section.id) || moves.iter().any(|moved| moved.section == shared.section.id)
        };
        // That a text has another path is a reason, and on which lines it stands is no news.
        let is_place = |field: &FieldChange| matches!(&*field.field, "place" | "evidence");
        let is_elsewhere = shared.section.hunks.is_empty() && shared.section.fields.iter().all(is_place);
        // The edge list says the state of a neighbour.
        let is_state = |field: &FieldChange| matches!(&*field.field, "state" | "status");
        let of_neighbour = shared.section.hunks.is_empty() && shared.section.fields.iter().all(is_state);
        let is_changed = shared.section.change == "changed";
        let recut = |read: &ReadPack| read.compared.recut.contains(&shared.section.id);
        shared.section.id == "root.edges"
            || !matches!(&*shared.section.change, "added" | "removed") && answer.packs.iter().filter(names).all(recut)
            || is_changed && (of_neighbour || is_elsewhere)
            || is_changed && answer.packs.iter().filter(names).all(told)
    };
    // Of a pack whose root is gone, all sections are.
    let is_there = |read: &&ReadPack| read.compared.new.is_some();
    let of_packs =
        |shared: &&SharedChange| answer.packs.iter().filter(is_there).any(|read| shared.packs.contains(&read.label));
    answer.diff.sections.iter().filter(of_packs).filter(|shared| !is_told(shared)).collect()
}

/// Returns the lines about each pack, without control characters.
fn lines(answer: &Answer, plain: bool, whole: bool) -> Vec<String> {
    let most = if whole { usize::MAX } else { MOST };
    let marks = if plain { WordMarkers::brackets() } else { WordMarkers::coloured() };
    let mut all = Vec::new();
    for read in &answer.packs {
        let compared = &read.compared;
        let reasons =
            if compared.reasons.is_empty() { "nothing changed".to_owned() } else { compared.reasons.join("; ") };
        let mut add = |text: String| all.push(printable(&text).into_owned());
        add(format!("{}: {}: {reasons}", read.label, compared.status));
        let read_as = match (read.hash(), origin(read)) {
            // The hash that it states is that of another text.
            (Some(hash), Some(at)) if compared.status == "edited" => Some(format!("{at}, which states {hash}")),
            (Some(hash), Some(at)) => Some(format!("{hash} ({at})")),
            (hash, at) => hash.or(at),
        };
        if let Some(text) = read_as.filter(|text| compared.status != "invalid" && *text != read.label) {
            add(format!("  read: {text}"));
        }
        if let Some(new) =
            compared.new.as_ref().and_then(|new| new.pack.as_ref()).filter(|_| compared.status != "fresh")
        {
            add(format!("  now:  {}", new.hash));
        }
        for (id, subject) in &read.commits {
            add(format!("  named by {} {subject}", short(id)));
        }
        for moved in compared.moves.iter().take(most) {
            if moved.text.words.is_empty() {
                all.push(printable(&format!("  {}", sentence(moved))).into_owned());
                continue;
            }
            let place = if moved.place.is_empty() { String::new() } else { format!("{}: ", moved.place) };
            all.push(printable(&format!("  {place}{} changed", moved.text.what)).into_owned());
            all.extend(moved.text.words.iter().map(|words| format!("    {}", line(words, &marks).trim_end())));
        }
        if !compared.recut.is_empty() {
            let names: Vec<&str> = compared.recut.iter().map(String::as_str).collect();
            let first = names.iter().take(NAMED).copied().collect::<Vec<_>>().join(", ");
            let more = names.len().saturating_sub(NAMED);
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            let line =
                format!("  the budget shortens these at another place, and their texts are the same: {first}{more}");
            all.push(printable(&line).into_owned());
        }
        if let Some(more @ 1..) = compared.moves.len().checked_sub(most) {
            all.push(format!("  {more} more: `-v` shows all"));
        }
    }
    all
}

/// Returns the answer as Markdown, for a comment on a pull request or a job's summary.
pub(super) fn markdown(answer: &Answer) -> String {
    let moved: Vec<&ReadPack> = answer.packs.iter().filter(|read| read.compared.status != "fresh").collect();
    let all = answer.packs.len();
    if all == 0 {
        return String::new();
    }
    let is_of_commits = answer.packs.iter().any(|read| !read.commits.is_empty());
    let heading =
        if is_of_commits { "What the commits were written from" } else { "What changed since packs were read" };
    // Writing to a `String` cannot fail.
    let fresh = all - moved.len();
    let mut page = format!("### {heading}\n\n{fresh} of {all} packs are what a build gives now.\n\n");
    page.push_str(if is_of_commits {
        "| pack | state | named by |\n|---|---|---|\n"
    } else {
        "| pack | state |\n|---|---|\n"
    });
    for read in answer.packs.iter().take(MOST) {
        let commits: Vec<String> = read.commits.iter().take(NAMED).map(|(id, _)| code(short(id))).collect();
        let commits = if is_of_commits { format!(" {} |", commits.join(" ")) } else { String::new() };
        let _ = writeln!(page, "| {} | {} |{commits}", code(&read.label), read.compared.status);
    }
    page.push('\n');
    for read in moved.into_iter().take(MOST) {
        let _ = writeln!(page, "#### {}\n", code(&read.label));
        let compared = &read.compared;
        let reasons =
            compared.reasons.iter().take(MOST).map(|reason| format!("- {}\n", code_up_to(reason, LONGEST_REASON)));
        page.extend(reasons);
        page.extend(compared.moves.iter().take(MOST).map(|moved| format!("- {}\n", code(&sentence(moved)))));
        page.push('\n');
    }
    if !answer.diff.is_empty() {
        let _ = write!(
            page,
            "<details><summary>All that changed in them</summary>\n\n{}\n</details>\n\n",
            // It is below this page's heading.
            markdown_page(&answer.diff).replacen("### ", "#### ", 1)
        );
    }
    page
}
