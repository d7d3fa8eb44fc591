//! A diff as a document.

use crate::console::{Document, Line, TextStyle, counted, line};
use crate::model::section_kind;
use crate::review::{Cause, Diff, DiffLine, FieldChange, Hunk, PackChange, ReviewItem, SectionChange, SharedChange};
use std::collections::{BTreeMap, HashMap, HashSet};

/// How many packs or sections are named; of more, the rest is counted.
const MAX_NAMED: usize = 5;

/// The most lines of changed texts that Markdown shows, in equal shares of the causes; what is more is folded.
const MAX_SHOWN_LINES: usize = 24;

/// How many lines more are shown rather than folded.
const MAX_MORE: usize = 4;

/// The least lines that a cause shows while there is room: the first change, and what is around it.
const MIN_SHOWN_LINES: usize = 8;

/// What of a diff is shown, and how.
#[derive(Debug, Clone, Copy)]
pub(in crate::cli) struct DiffOptions {
    /// Whether each section is listed that nobody edited; else they are counted.
    pub(in crate::cli) all: bool,
    /// Whether the document is for Markdown, which folds what is long.
    pub(in crate::cli) markdown: bool,
}

/// Returns what people edited, what needs review, and then what follows from it.
pub(in crate::cli) fn document(diff: &Diff, options: DiffOptions) -> Document {
    let mut document = Document::default();
    let (verdict, names) = diff.verdict_words();
    document.title(line(&verdict, &names));
    changes(&mut document, diff, options);
    document
}

/// Adds what people edited, what needs review, and then what follows from it.
pub(in crate::cli) fn changes(document: &mut Document, diff: &Diff, options: DiffOptions) {
    if let Some(first) = diff.needs_review.first().filter(|_| options.markdown) {
        let more = diff.needs_review.len() - 1;
        let more = if more > 0 { format!("; {more} more below") } else { String::new() };
        let section = first.section.as_deref().unwrap_or("the pack");
        document.paragraph(line("needs review: {}: {}", &[section, &first.message]).then(TextStyle::Plain, more));
    }
    let needs_review = |shared: &SharedChange| {
        let is_of = |item: &ReviewItem| item.section.as_ref() == Some(&shared.section.id);
        diff.needs_review.iter().any(|item| is_of(item) && item.packs.iter().any(|name| shared.packs.contains(name)))
    };
    // What only came or went with its whole pack is no news, unless it needs review.
    let is_changed = |name: &String| diff.packs.iter().any(|pack| pack.name == *name && pack.change == "changed");
    let is_news = |shared: &&SharedChange| needs_review(shared) || shared.packs.iter().any(is_changed);
    let mut news: Vec<&SharedChange> = diff.sections.iter().filter(is_news).collect();
    news.sort_by_key(|shared| (!needs_review(shared), std::cmp::Reverse(shared.packs.len())));
    let mut causes = edits(diff, &news, options);
    if options.markdown {
        // The packs themselves are folded.
        causes.splice(..0, ["added", "removed"].iter().flat_map(|change| whole_packs(diff, change)));
    }
    if !causes.is_empty() {
        document.heading("Causes");
        document.nested_list(causes);
    }
    if !diff.needs_review.is_empty() {
        document.heading("Needs review");
        document.nested_list(grouped(&diff.needs_review).into_iter().map(|group| {
            let reason = Line::default().then(TextStyle::Warning, group.reason.replace('_', " "));
            let text = match &group.sections[..] {
                [] => line(": {}", &[group.message]),
                [section] => line(": {}: {}", &[section, group.message]),
                sections => line(": {}: in ", &[group.message]).join(named(sections, "sections")),
            };
            let mut packs = Document::default();
            packs.paragraph(Line::from("in ").join(pack_names(group.packs)));
            (reason.join(text), packs)
        }));
    }
    // The text of an input is above, with its cause.
    let is_listed =
        |shared: &&SharedChange| options.all || shared.section.input.is_none() && !shared.section.is_unedited();
    sections(document, news.iter().copied().filter(is_listed).collect());
    if !diff.packs.is_empty() {
        document.heading("Packs");
        unedited(document, &news, options);
        packs(document, diff, options);
    }
}

/// Returns a line that names the items whose packs came or went.
fn whole_packs(diff: &Diff, change: &str) -> Option<(Line, Document)> {
    let packs = diff.packs.iter().filter(|pack| pack.change == change);
    let items: BTreeMap<&str, String> =
        packs.map(|pack| (&*pack.root, format!("{} {}", pack.root, pack.title).trim().to_owned())).collect();
    let items: Vec<&str> = items.values().map(String::as_str).collect();
    let why = if change == "added" { "are new or open again" } else { "are done or gone" };
    let named = Line::from(format!("packs {change}, whose items {why}: ")).join(named(&items, "items"));
    (!items.is_empty()).then(|| (named, Document::default()))
}

/// Returns each cause with the changed text of its input; Markdown folds what is more than a few lines.
fn edits(diff: &Diff, news: &[&SharedChange], options: DiffOptions) -> Vec<(Line, Document)> {
    // Of an input that no pack shows, or that packs no longer have, the name says all; the file may be as it was.
    // A card is a section of its own.
    let is_input = |cause: &Cause| {
        let mut inputs =
            diff.packs.iter().flat_map(|pack| &pack.inputs).filter(|input| !input.name.starts_with("card "));
        inputs.any(|input| input.name == cause.name)
    };
    let is_gone = |cause: &Cause| cause.change == "removed" && !options.all;
    let is_unseen = |(cause, (fields, lines)): &(&Cause, (Vec<Line>, Vec<Line>))| {
        fields.is_empty() && lines.is_empty() && is_input(cause) && !options.all
    };
    let edits = diff.causes.iter().filter(|cause| !is_gone(cause)).map(|cause| (cause, edit_of(cause, news)));
    let (unseen, seen): (Vec<_>, Vec<_>) = edits.partition(is_unseen);
    let joined = |names: Vec<&str>, how: &str| {
        let line = Line::from(format!("{how}: ")).join(named(&names, "inputs"));
        (!names.is_empty()).then(|| (line, Document::default()))
    };
    let unseen = joined(unseen.iter().map(|(cause, _)| &*cause.name).collect(), "in no line that a pack shows");
    let gone = diff.causes.iter().filter(|cause| is_gone(cause)).map(|cause| &*cause.name);
    let gone = joined(gone.collect(), "no longer in packs");
    let share = (MAX_SHOWN_LINES / seen.len().max(1)).max(MIN_SHOWN_LINES);
    let mut room = MAX_SHOWN_LINES;
    let edit = |(cause, (fields, mut lines)): (&Cause, (Vec<Line>, Vec<Line>))| {
        let mut below = Document::default();
        below.list(fields);
        // What is new in a pack may have been there before.
        let shown = if cause.change == "added" { 0 } else { share.min(room) };
        let shown = if options.markdown && lines.len() > shown + MAX_MORE { shown } else { lines.len() };
        let (rest, mut folded) = (lines.split_off(shown), Document::default());
        room = room.saturating_sub(shown);
        below.code("diff", lines);
        if !rest.is_empty() {
            let count = counted(rest.len(), if shown > 0 { "more line" } else { "line" });
            folded.code("diff", rest);
            below.details(count, folded);
        }
        (line("{}: ", &[&cause.words]).join(pack_names(&cause.packs)), below)
    };
    seen.into_iter().map(edit).chain(unseen).chain(gone).collect()
}

/// Returns the changed facts and lines of an input, each once, however many packs and sections have it.
fn edit_of(cause: &Cause, news: &[&SharedChange]) -> (Vec<Line>, Vec<Line>) {
    let is_own = |shared: &&&SharedChange| {
        let is_in_pack = shared.packs.iter().any(|pack| cause.packs.contains(pack));
        is_in_pack && shared.section.input.as_ref() == Some(&cause.name) && !shared.section.is_unedited()
    };
    let own = news.iter().copied().filter(|shared| is_own(&shared) && shared.section.is_shown());
    let (lists, mut texts): (Vec<&SharedChange>, Vec<_>) = own.partition(|shared| shared.section.is_list());
    let facts: HashSet<&FieldChange> = texts.iter().flat_map(|shared| &shared.section.fields).collect();
    let mut facts: Vec<_> = facts.into_iter().filter(|it| !matches!(&*it.field, "place" | "evidence")).collect();
    facts.sort_by_key(|it| (&it.field, &it.new, &it.old));
    let facts = facts.into_iter().map(field).collect();
    // Where one pack has all of the text, the parts that others show of it say nothing more.
    let is_whole = |shared: &SharedChange| {
        [&shared.section.old_detail, &shared.section.new_detail].into_iter().flatten().all(|detail| detail == "full")
    };
    let whole: HashSet<&str> = texts.iter().filter(|it| is_whole(it)).map(|it| &*it.section.title).collect();
    texts.retain(|it| is_whole(it) || !whole.contains(&*it.section.title));
    let (mut seen, mut lines): (HashSet<&DiffLine>, Vec<Line>) = (HashSet::new(), Vec::new());
    let (edges, fields): (Vec<&SharedChange>, Vec<_>) =
        lists.into_iter().partition(|shared| shared.section.kind == section_kind::EDGE_LIST);
    for own in [texts, fields, edges] {
        // The relations of a work item repeat its text.
        if own.first().is_some_and(|it| it.section.kind == section_kind::EDGE_LIST) && !lines.is_empty() {
            continue;
        }
        for shared in own {
            let changed = |hunk: &Hunk| hunk.lines.iter().any(|line| line.change != "same" && !seen.contains(line));
            let hunks: Vec<&Hunk> = shared.section.edits().filter(|hunk| changed(hunk)).collect();
            lines.extend(hunks.iter().flat_map(|hunk| hunk_lines(hunk)));
            seen.extend(hunks.into_iter().flat_map(|hunk| &hunk.lines));
        }
    }
    (facts, lines)
}

/// Adds a line that counts what nobody edited; Markdown folds the list below it.
fn unedited(document: &mut Document, news: &[&SharedChange], options: DiffOptions) {
    let sections: Vec<&SharedChange> = news.iter().copied().filter(|shared| shared.section.is_unedited()).collect();
    if options.all || sections.is_empty() {
        return;
    }
    let how = |section: &SectionChange| match (section.recut, section.is_guess()) {
        (true, _) => "re-cut by the budget",
        (_, true) => "found by search",
        _ => "moved by lines",
    };
    let counts = ["re-cut by the budget", "found by search", "moved by lines"]
        .map(|kind| (sections.iter().filter(|shared| how(&shared.section) == kind).count(), kind));
    let counts = counts.iter().filter(|(count, _)| *count > 0);
    let counts =
        counts.map(|(count, how)| format!("{} {how}", counted(*count, "section"))).collect::<Vec<_>>().join(", ");
    if !options.markdown {
        return document.paragraph(format!("{counts}: `-v` lists them"));
    }
    let mut below = Document::default();
    below.list(sections.into_iter().map(|shared| {
        line(&format!("{{}}: {}, in ", how(&shared.section)), &[&shared.section.id]).join(pack_names(&shared.packs))
    }));
    document.details(counts, below);
}

fn packs(document: &mut Document, diff: &Diff, options: DiffOptions) {
    if !options.markdown {
        return diff.packs.iter().for_each(|pack| of_pack(document, diff, pack, options));
    }
    let mut packs = Document::default();
    diff.packs.iter().for_each(|pack| of_pack(&mut packs, diff, pack, options));
    document.details(counted(diff.packs.len(), "pack"), packs);
}

fn sections(document: &mut Document, shown: Vec<&SharedChange>) {
    if !shown.is_empty() {
        document.heading("Sections");
    }
    for SharedChange { packs, section } in shown {
        let level = |level: &Option<String>| level.clone().unwrap_or_default();
        let detail = || format!(" detail ({} → {})", level(&section.old_detail), level(&section.new_detail));
        let change = match section.change.as_str() {
            "more_detail" => format!("more{}", detail()),
            "less_detail" => format!("less{}", detail()),
            other => other.to_owned(),
        };
        let mut summary = line(&format!("{{}}  {change}"), &[&section.id]);
        if let Some(was) = &section.was {
            summary = summary.join(line(", was {}", &[was]));
        }
        let moved = if section.reordered && section.change != "moved" { ", moved" } else { "" };
        let size = match (section.old_chars, section.new_chars) {
            (Some(old), Some(new)) if old != new => format!("{old} → {new}"),
            (old, new) => new.or(old).unwrap_or_default().to_string(),
        };
        let mut below = Document::default();
        below.list(section.fields.iter().map(field));
        below.code("diff", section.hunks.iter().flat_map(hunk_lines).collect());
        let summary = summary.then(TextStyle::Plain, format!("{moved}, {size} chars, in ")).join(pack_names(packs));
        document.details(summary, below);
    }
}

fn hunk_lines(hunk: &Hunk) -> impl Iterator<Item = Line> {
    let place = match hunk.old_line == hunk.new_line {
        true => format!("@@ line {} @@", hunk.new_line),
        false => format!("@@ line {} → {} @@", hunk.old_line, hunk.new_line),
    };
    std::iter::once(Line::default().then(TextStyle::Place, place)).chain(hunk.lines.iter().map(diff_line))
}

fn of_pack(document: &mut Document, diff: &Diff, pack: &PackChange, options: DiffOptions) {
    let note = |note: &String| Line::default().then(TextStyle::Warning, note);
    let mut lines: Vec<Line> = pack.notes.iter().map(note).collect();
    let sections = pack.sections.iter().filter_map(|at| diff.sections.get(*at)).map(|shared| &shared.section);
    let (is_changed, is_there) = (pack.change == "changed", pack.change != "removed");
    if is_changed {
        lines.extend(sections.filter(|section| options.all || !section.is_unedited()).map(|section| {
            line("{} {}, {}", &[sign(&section.change), &section.id, &section.change.replace('_', " ")])
        }));
        lines.extend(pack.neighbours.iter().filter(|neighbour| neighbour.change != "same").map(|neighbour| {
            let signed = format!("related item {} ", sign(&neighbour.change));
            Line::from(signed)
                .join(line("{} {}, {}: {}", &[&neighbour.relation, &neighbour.to, &neighbour.state, &neighbour.title]))
        }));
    } else {
        lines.push(format!("{} sections", pack.sections.len()).into());
    }
    lines.extend(pack.fields.iter().map(field));
    // A cause whose packs are all named above is not repeated for each of them.
    let listed = |words: &str| diff.causes.iter().any(|it| it.words == words && it.packs.len() <= MAX_NAMED);
    let inputs = pack.inputs.iter().map(|input| input.words()).filter(|words| !listed(words));
    lines.extend(inputs.map(|words| line("input {}", &[&words])));
    lines.extend(pack.omissions.iter().filter(|_| is_there).map(|omission| {
        let reasons: Vec<&str> = [&omission.old, &omission.new].into_iter().flatten().map(String::as_str).collect();
        line(&format!("left out {} {{}} ({{}})", sign(&omission.change)), &[&omission.id, &reasons.join(" → ")])
    }));
    for it in pack.redactions.iter().filter(|_| is_there) {
        lines.push(line(&format!("redactions in {{}}: {{}} {} → {}", it.old, it.new), &[&it.section, &it.rule]));
    }
    lines.extend(pack.warnings.iter().filter(|_| is_there).map(|warning| {
        line(&format!("warning {} {{}}: {{}}", sign(&warning.change)), &[&warning.code, &warning.message])
    }));
    let mut below = Document::default();
    below.list(lines);
    let summary = line("{}", &[&pack.name]).then(TextStyle::Plain, format!("  {}  ", pack.change));
    document.details(summary.join(line("{} {}", &[&pack.root, &pack.title])), below);
}

fn diff_line(changed: &DiffLine) -> Line {
    let (sign, role, words) = match changed.change.as_str() {
        "added" => ("+ ", TextStyle::Added, TextStyle::AddedWords),
        "removed" => ("- ", TextStyle::Removed, TextStyle::RemovedWords),
        _ => ("  ", TextStyle::Plain, TextStyle::Plain),
    };
    let segments = changed.segments.iter();
    // Marks say nothing where most of a line is another.
    let marked = segments.clone().filter(|it| it.marked).map(|it| it.text.len()).sum::<usize>();
    let has_marks = marked * 3 < changed.text().len() * 2;
    segments.fold(Line::default().then(role, sign), |line, segment| {
        line.then(if segment.marked && has_marks { words } else { role }, &segment.text)
    })
}

fn field(field: &FieldChange) -> Line {
    let shown = |value: &Option<String>| value.clone().filter(|value| !value.is_empty()).unwrap_or("–".to_owned());
    line("{}: {} → {}", &[&field.field, &shown(&field.old), &shown(&field.new)])
}

fn sign(change: &str) -> &'static str {
    match change {
        "added" => "+",
        "removed" => "-",
        _ => "~",
    }
}

fn pack_names(packs: &[String]) -> Line {
    named(&packs.iter().map(String::as_str).collect::<Vec<_>>(), "packs")
}

/// Names one thing, or the first of several, and counts the others: `7 packs: a, b and 5 more`.
fn named(names: &[&str], what: &str) -> Line {
    let first = if names.len() == MAX_NAMED + 1 { names } else { &names[..names.len().min(MAX_NAMED)] };
    let count = if let [_] = names { String::new() } else { format!("{} {what}: ", names.len()) };
    let more = names.len() - first.len();
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    line(&format!("{count}{}{more}", vec!["{}"; first.len()].join(", ")), first)
}

pub(super) struct ReviewGroup<'d> {
    pub(super) reason: &'d str,
    pub(super) message: &'d str,
    pub(super) sections: Vec<&'d str>,
    pub(super) packs: &'d [String],
}

pub(super) fn grouped(items: &[ReviewItem]) -> Vec<ReviewGroup<'_>> {
    let mut groups: Vec<ReviewGroup<'_>> = Vec::new();
    let mut places = HashMap::new();
    for ReviewItem { reason, section, message, packs } in items {
        let place = *places.entry((reason, message, packs)).or_insert(groups.len());
        if place == groups.len() {
            groups.push(ReviewGroup { reason, message, sections: Vec::new(), packs });
        }
        groups[place].sections.extend(section.as_deref());
    }
    groups
}
