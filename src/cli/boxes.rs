//! `contextpack box`.

use super::args::{BoxCommand, Global};
use super::card::{CardFiles, batch, card_lines};
use super::input;
use crate::console::report::{print_invalid_pack, print_lines};
use crate::console::{self, Exit, Failure, Format, printable};
use crate::handoff::cards::{
    BoxContent, BoxSnapshot, Card, ContentId, LogAppend, LogName, MessageStyle, Transaction, messages,
};
use crate::review::{read, verify};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::io::Write as _;
use std::path::Path;

pub(crate) fn run(global: &Global, command: &BoxCommand) -> Result<Exit, Failure> {
    let files = CardFiles::open(global)?;
    files.settle(run_on(global, &files, command))
}

fn run_on(global: &Global, files: &CardFiles, command: &BoxCommand) -> Result<Exit, Failure> {
    let store = &files.store;
    match command {
        BoxCommand::New { ids, parents } => {
            let card_ids = store.cards_for_reference(ids)?;
            let parents = parents.iter().map(|name| store.existing_box(name)).collect::<Result<Vec<_>, _>>()?;
            let new = BoxSnapshot::new(card_ids, parents.iter().map(BoxContent::snapshot_id).collect());
            let mut transaction = Transaction::new(store);
            for log in parents.iter().filter(|parent| parent.id.is_none()) {
                transaction.snapshot(&log.snapshot())?;
            }
            transaction.snapshot(&new)?;
            transaction.commit();
            print_box(global, new.id())?;
        }
        BoxCommand::Snapshot { name } => print_box(global, store.write_snapshot(&store.existing_box(name)?)?)?,
        BoxCommand::Append { log, ids, author } => append(global, files, log, ids, author.as_deref())?,
        BoxCommand::List => list(global, files)?,
        BoxCommand::Diff { old, new } => {
            let (old, new) = (store.existing_box(old)?, store.existing_box(new)?);
            print_difference(global, &old.card_ids, &new.card_ids)?;
        }
        BoxCommand::FromPack { pack } => return from_pack(global, files, pack),
        BoxCommand::Show { names, style } => show(global, files, names, *style)?,
    }
    Ok(Exit::Done)
}

fn print_box(global: &Global, box_id: ContentId) -> Result<(), Failure> {
    let line = box_id.to_string();
    Ok(print_lines(global.format, &json!({"box_id": box_id}), [line])?)
}

fn append(global: &Global, files: &CardFiles, log: &str, ids: &[String], author: Option<&str>) -> Result<(), Failure> {
    let log = LogName::new(log)?;
    files.writer().check_name(log.as_str(), "the log's name")?;
    let author = files.writer().line(author.unwrap_or(log.as_str()))?;
    if author.is_empty() {
        return Err(Failure::usage("`--author` is empty"));
    }
    let card_ids = files.store.cards_for_reference(ids)?;
    let append = LogAppend::new(card_ids, author);
    let entry = files.store.append(&log, &append)?;
    let name = format!("{}@{}", log.as_str(), entry.clock);
    let line = name.clone();
    let appended = json!({"box": name, "clock": entry.clock, "card_ids": append.card_ids});
    Ok(print_lines(global.format, &appended, [line])?)
}

fn list(global: &Global, files: &CardFiles) -> Result<(), Failure> {
    let counted = |count: usize| console::counted(count, "card");
    let (mut boxes, mut lines) = (Vec::new(), Vec::new());
    for id in files.store.boxes()? {
        let content = files.store.existing_box(&id.to_string())?;
        let cards = content.card_ids.len();
        lines.push(format!("{id}  {}", counted(cards)));
        boxes.push(json!({"box_id": id, "cards": cards, "parent_ids": content.parent_ids}));
    }
    let mut logs = files.store.logs()?;
    logs.iter_mut().for_each(|log| log.name = files.redacted(&log.name));
    lines.extend(logs.iter().map(|log| format!("{}@{}  {}", log.name, log.clock, counted(log.cards))));
    Ok(print_lines(global.format, &json!({"boxes": boxes, "logs": logs}), lines)?)
}

fn print_difference(global: &Global, old: &[ContentId], new: &[ContentId]) -> Result<(), Failure> {
    let without = |ids: &[ContentId], others: &[ContentId]| -> (Vec<ContentId>, Vec<ContentId>) {
        let others: BTreeSet<&ContentId> = others.iter().collect();
        ids.iter().cloned().partition(|id| !others.contains(id))
    };
    let ((removed, kept_old), (added, kept_new)) = (without(old, new), without(new, old));
    let (kept, reordered) = (kept_old.len(), kept_old != kept_new);
    let mut lines: Vec<String> = removed.iter().map(|id| format!("- {id}")).collect();
    lines.extend(added.iter().map(|id| format!("+ {id}")));
    lines.push(format!(
        "{} in both{}",
        console::counted(kept, "card"),
        if reordered { ", in another order" } else { "" }
    ));
    let difference = json!({"added": added, "removed": removed, "kept": kept, "reordered": reordered});
    Ok(print_lines(global.format, &difference, lines)?)
}

/// Makes a box of two cards: the instructions and the context of a pack, which are what an agent reads.
fn from_pack(global: &Global, files: &CardFiles, path: &Path) -> Result<Exit, Failure> {
    let bytes = input::file_or_stdin(path)?;
    let verification = verify(&bytes);
    let pack = match read(&bytes) {
        Ok(pack) if verification.is_valid() => pack,
        _ => {
            let fault = verification.violations.first().map_or("it cannot be read", String::as_str);
            print_invalid_pack(&path.display().to_string(), fault)?;
            return Ok(Exit::Invalid);
        }
    };
    let rendering = crate::render::pack(&pack);
    let card = |kind: &str, text: &str| {
        json!({
            "type": kind,
            "author_id": "contextpack",
            "content": {"kind": "text", "text": text},
            "metadata": {"pack_id": pack.pack_id, "pack_hash": pack.hash},
        })
    };
    let cards =
        vec![card("sys.rendered_prompt", &rendering.instructions), card("task.instruction", &rendering.context)];
    let cards = files.writer().prepare(cards)?;
    let snapshot = BoxSnapshot::new(cards.iter().map(|card| card.id.clone()).collect(), Vec::new());
    // The box is removed again if its cards cannot be written.
    let mut transaction = Transaction::new(&files.store);
    transaction.snapshot(&snapshot)?;
    files.write(global, &cards)?;
    transaction.commit();
    print_box(global, snapshot.id())?;
    Ok(Exit::Done)
}

fn show(global: &Global, files: &CardFiles, names: &[String], style: MessageStyle) -> Result<(), Failure> {
    let names = batch(names, "boxes")?;
    let is_json = global.format == Format::Json;
    if let [name] = &names[..] {
        let content = files.store.existing_box(name)?;
        if !is_json {
            return show_cards(global, files, &[content], style);
        }
        let BoxContent { card_ids, parent_ids, .. } = content;
        return Ok(print_lines(global.format, &json!({"card_ids": card_ids, "parent_ids": parent_ids}), [])?);
    }
    let (mut found, mut missing_box_ids): (Vec<BoxContent>, Vec<String>) = (Vec::new(), Vec::new());
    for name in names {
        match files.store.read_box(&name)? {
            Some(content) if found.contains(&content) => {}
            Some(content) => found.push(content),
            None => missing_box_ids.push(files.redacted(&name)),
        }
    }
    if is_json {
        let named = |it: &BoxContent| json!({"box_id": it.name, "card_ids": it.card_ids, "parent_ids": it.parent_ids});
        let boxes: Value = found.iter().map(named).collect();
        let output = json!({"boxes": boxes, "missing_box_ids": missing_box_ids});
        return Ok(print_lines(global.format, &output, [])?);
    }
    for name in &missing_box_ids {
        writeln!(console::stderr(), "note: box not found: {}", printable(name))?;
    }
    show_cards(global, files, &found, style)
}

/// Prints the cards of boxes as messages, or as text; those that are not read any more are reported.
fn show_cards(global: &Global, files: &CardFiles, boxes: &[BoxContent], style: MessageStyle) -> Result<(), Failure> {
    let mut seen = BTreeSet::new();
    let ids: Vec<ContentId> = boxes.iter().flat_map(|content| &content.card_ids).cloned().collect();
    let ids: Vec<ContentId> = ids.into_iter().filter(|id| seen.insert(id.clone())).collect();
    let mut cards: Vec<(ContentId, Card)> = Vec::new();
    for (id, read) in ids.iter().zip(files.read(&ids)?) {
        match read {
            Ok(card) => cards.push((id.clone(), card)),
            Err(why) if !global.quiet => writeln!(console::stderr(), "note: {id}: {why}")?,
            Err(_) => {}
        }
    }
    if global.format == Format::Messages {
        let messages = messages(&cards, style);
        let text = match style {
            MessageStyle::Openai => console::json_text(&messages.messages),
            MessageStyle::Anthropic => console::json_text(&messages),
        };
        writeln!(console::stdout(), "{text}")?;
        return Ok(());
    }
    let mut out = console::stdout();
    for line in cards.iter().flat_map(|(id, card)| card_lines(id, card)) {
        writeln!(out, "{}", printable(&line))?;
    }
    Ok(())
}
