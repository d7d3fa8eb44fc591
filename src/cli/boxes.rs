//! `contextpack box`.

use super::args::{BoxArgs, BoxCommand, Global, StyleName};
use super::card::{CardFiles, batch, card_lines};
use super::input;
use crate::console::Exit;
use crate::console::Failure;
use crate::console::Format;
use crate::console::report::{print_invalid_pack, print_lines};
use crate::console::{self, printable};
use crate::handoff::cards::{
    BoxContent, BoxSnapshot, Card, CardError, ContentId, LogAppend, LogName, MessageStyle, Transaction, messages,
};
use crate::review::{read, verify};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;
use std::collections::BTreeSet;
use std::io::Write as _;
use std::path::Path;

/// What `box new`, `box snapshot` and `box from-pack` print.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct WrittenBox {
    /// The box's id.
    box_id: ContentId,
}

/// What `box append` prints.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct AppendedCards {
    /// The log as it is now: `name@clock`.
    #[serde(rename = "box")]
    name: String,
    /// The clock of the append.
    clock: u32,
    /// The cards that were appended.
    card_ids: Vec<ContentId>,
}

/// What `box show` prints of one box.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ShownBox {
    /// The cards, in order.
    card_ids: Vec<ContentId>,
    /// The boxes that it continues.
    parent_ids: Vec<ContentId>,
}

/// What `box show` prints of several boxes.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ShownBoxes {
    /// The boxes, in the order of the command line, each once.
    boxes: Vec<NamedBox>,
    /// Those that do not exist, as given.
    missing_box_ids: Vec<String>,
}

/// A box with its name.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct NamedBox {
    /// Its id; `name@clock` of a log.
    box_id: String,
    /// The cards, in order.
    card_ids: Vec<ContentId>,
    /// The boxes that it continues.
    parent_ids: Vec<ContentId>,
}

/// What `box list` prints.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct BoxList {
    /// The snapshots, by id.
    boxes: Vec<ListedBox>,
    /// The logs, by name.
    logs: Vec<ListedLog>,
}

/// A snapshot, as `box list` prints it.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ListedBox {
    /// Its id.
    box_id: ContentId,
    /// How many cards it has.
    cards: usize,
    /// The boxes that it continues.
    parent_ids: Vec<ContentId>,
}

/// A log, as `box list` prints it.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ListedLog {
    /// Its name.
    name: String,
    /// The highest clock.
    clock: u32,
    /// How many appends it has.
    appends: usize,
    /// How many cards it has.
    cards: usize,
}

/// What `box diff` prints.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct BoxDifference {
    /// The cards of B that A lacks, in B's order.
    added: Vec<ContentId>,
    /// The cards of A that B lacks, in A's order.
    removed: Vec<ContentId>,
    /// How many cards both have.
    kept: usize,
    /// Whether these have another order in B.
    reordered: bool,
}

/// Runs one of the commands about boxes.
pub(crate) fn run(global: &Global, args: &BoxArgs) -> Result<Exit, Failure> {
    let files = CardFiles::open(global)?;
    match &args.command {
        BoxCommand::FromPack { pack } => from_pack(global, &files, pack),
        BoxCommand::Show { names, style } => show(global, &files, names, *style),
        command => change_or_list(global, &files, command).map_err(|failure| match failure {
            CardFailure::Card(error) => files.failure(error),
            CardFailure::Other(failure) => failure,
        }),
    }
}

/// An error about cards, or any other failure.
enum CardFailure {
    Card(CardError),
    Other(Failure),
}

impl From<CardError> for CardFailure {
    fn from(error: CardError) -> Self {
        Self::Card(error)
    }
}

impl From<Failure> for CardFailure {
    fn from(failure: Failure) -> Self {
        Self::Other(failure)
    }
}

impl From<std::io::Error> for CardFailure {
    fn from(error: std::io::Error) -> Self {
        Self::Other(error.into())
    }
}

fn change_or_list(global: &Global, files: &CardFiles, command: &BoxCommand) -> Result<Exit, CardFailure> {
    let store = &files.store;
    match command {
        BoxCommand::New { ids, parents } => {
            let card_ids = store.cards_for_reference(ids)?;
            let parents = parents.iter().map(|name| store.existing_box(name)).collect::<Result<Vec<_>, _>>()?;
            let parent_ids = parents.iter().map(BoxContent::snapshot_id).collect();
            let mut transaction = Transaction::new(store);
            for log in parents.iter().filter(|parent| parent.id.is_none()) {
                transaction.snapshot(&log.snapshot())?;
            }
            let new = BoxSnapshot::new(card_ids, parent_ids);
            transaction.snapshot(&new)?;
            transaction.commit();
            print_box(global, ContentId::of(&new.bytes()))?;
        }
        BoxCommand::Snapshot { name } => {
            let content = store.existing_box(name)?;
            print_box(global, snapshot(files, content)?)?;
        }
        BoxCommand::Append { log, ids, author } => append(global, files, log, ids, author.as_deref())?,
        BoxCommand::List => list(global, files)?,
        BoxCommand::Diff { old, new } => {
            let (old, new) = (store.existing_box(old)?, store.existing_box(new)?);
            print_difference(global, &old.card_ids, &new.card_ids)?;
        }
        BoxCommand::FromPack { .. } | BoxCommand::Show { .. } => {}
    }
    Ok(Exit::Done)
}

/// Returns the id of a box that never changes: of a log, a snapshot is written.
fn snapshot(files: &CardFiles, content: BoxContent) -> Result<ContentId, CardError> {
    match content.id {
        Some(id) => Ok(id),
        None => files.store.write_box(&BoxSnapshot::new(content.card_ids, content.parent_ids)),
    }
}

fn print_box(global: &Global, box_id: ContentId) -> Result<(), Failure> {
    let line = box_id.to_string();
    Ok(print_lines(global.format, &WrittenBox { box_id }, [line])?)
}

fn append(
    global: &Global,
    files: &CardFiles,
    log: &str,
    ids: &[String],
    author: Option<&str>,
) -> Result<(), CardFailure> {
    let log = LogName::new(log)?;
    files.writer().check_name(log.as_str(), "the log's name")?;
    let author = files.writer().line(author.unwrap_or(log.as_str()))?;
    if author.is_empty() {
        return Err(CardError::BadRequest("`--author` is empty".to_owned()).into());
    }
    let card_ids = files.store.cards_for_reference(ids)?;
    let append = LogAppend::new(card_ids, author);
    let entry = files.store.append(&log, &append)?;
    let name = format!("{}@{}", log.as_str(), entry.clock);
    let line = name.clone();
    let appended = AppendedCards { name, clock: entry.clock, card_ids: append.card_ids };
    Ok(print_lines(global.format, &appended, [line])?)
}

fn list(global: &Global, files: &CardFiles) -> Result<(), CardFailure> {
    let mut boxes = Vec::new();
    for id in files.store.boxes()? {
        let content = files.store.existing_box(&id.to_string())?;
        boxes.push(ListedBox { box_id: id, cards: content.card_ids.len(), parent_ids: content.parent_ids });
    }
    let logs = files.store.logs()?.into_iter();
    let logs: Vec<ListedLog> = logs
        .map(|log| ListedLog { name: log.name, clock: log.clock, appends: log.appends, cards: log.cards })
        .collect();
    let counted = |count: usize| console::counted(count, "card");
    let mut lines: Vec<String> = boxes.iter().map(|it| format!("{}  {}", it.box_id, counted(it.cards))).collect();
    lines.extend(logs.iter().map(|log| format!("{}@{}  {}", log.name, log.clock, counted(log.cards))));
    Ok(print_lines(global.format, &BoxList { boxes, logs }, lines)?)
}

fn print_difference(global: &Global, old: &[ContentId], new: &[ContentId]) -> Result<(), Failure> {
    let without = |ids: &[ContentId], others: &[ContentId]| -> (Vec<ContentId>, Vec<ContentId>) {
        let others: BTreeSet<&ContentId> = others.iter().collect();
        ids.iter().cloned().partition(|id| !others.contains(id))
    };
    let ((removed, kept_old), (added, kept_new)) = (without(old, new), without(new, old));
    let difference = BoxDifference { added, removed, kept: kept_old.len(), reordered: kept_old != kept_new };
    let mut lines: Vec<String> = difference.removed.iter().map(|id| format!("- {id}")).collect();
    lines.extend(difference.added.iter().map(|id| format!("+ {id}")));
    lines.push(format!(
        "{} in both{}",
        console::counted(difference.kept, "card"),
        if difference.reordered { ", in another order" } else { "" }
    ));
    Ok(print_lines(global.format, &difference, lines)?)
}

/// Makes a box of two cards: the instructions and the context of a pack, which are what an agent reads.
fn from_pack(global: &Global, files: &CardFiles, path: &Path) -> Result<Exit, Failure> {
    let bytes = if path == Path::new("-") { input::stdin()? } else { input::named_file(path)? };
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
    let failed = |error| files.failure(error);
    let card_ids = files.writer().prepare(cards.clone()).map_err(failed)?.into_iter().map(|card| card.id).collect();
    let snapshot = BoxSnapshot::new(card_ids, Vec::new());
    // The box is removed again if its cards cannot be written.
    let mut transaction = Transaction::new(&files.store);
    transaction.snapshot(&snapshot).map_err(failed)?;
    files.write(global, cards)?;
    transaction.commit();
    print_box(global, ContentId::of(&snapshot.bytes()))?;
    Ok(Exit::Done)
}

fn show(global: &Global, files: &CardFiles, names: &[String], style: StyleName) -> Result<Exit, Failure> {
    let names = batch(names, "boxes")?;
    if let [name] = &names[..] {
        let content = files.store.existing_box(name).map_err(|error| files.failure(error))?;
        match global.format {
            Format::Json => {
                let BoxContent { card_ids, parent_ids, .. } = content;
                print_lines(global.format, &ShownBox { card_ids, parent_ids }, [])?;
            }
            _ => show_cards(global, files, &[content], style)?,
        }
        return Ok(Exit::Done);
    }
    let (mut found, mut missing_box_ids): (Vec<BoxContent>, Vec<String>) = (Vec::new(), Vec::new());
    for name in names {
        match files.store.read_box(&name).map_err(|error| files.failure(error))? {
            Some(content) if found.contains(&content) => {}
            Some(content) => found.push(content),
            None => missing_box_ids.push(files.redacted(&name)),
        }
    }
    if global.format == Format::Json {
        let boxes = found.into_iter().map(|content| NamedBox {
            box_id: content.name,
            card_ids: content.card_ids,
            parent_ids: content.parent_ids,
        });
        print_lines(global.format, &ShownBoxes { boxes: boxes.collect(), missing_box_ids }, [])?;
        return Ok(Exit::Done);
    }
    for name in &missing_box_ids {
        writeln!(console::stderr(), "note: box not found: {}", printable(name))?;
    }
    show_cards(global, files, &found, style)?;
    Ok(Exit::Done)
}

/// Prints the cards of boxes as messages, or as text; those that are not read any more are reported.
fn show_cards(global: &Global, files: &CardFiles, boxes: &[BoxContent], style: StyleName) -> Result<(), Failure> {
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
        let text = match style {
            StyleName::Openai => console::json_text(&messages(&cards, MessageStyle::OpenAi).messages),
            StyleName::Anthropic => console::json_text(&messages(&cards, MessageStyle::Anthropic)),
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
