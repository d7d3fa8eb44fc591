//! `contextpack card`, and what it shares with `contextpack box`.

use super::args::{BoxCommand, CardAddArgs, CardCommand};
use super::ledger::HandoffFiles;
use crate::cli::args::Global;
use crate::cli::input;
use crate::console::report::{print_error, print_invalid_pack};
use crate::console::{self, Exit, Failure, Format, PathFailure, object, printable, stamp};
use crate::handoff::cards::{
    BoxContent, BoxSnapshot, Card, CardContent, CardError, CardFileKind, CardWriter, ContentId, LARGEST_BATCH,
    LogAppend, LogName, MessageStyle, PreparedCard, WrittenFiles, canonical_bytes, import, is_hex, is_of_request,
    messages, once, parse,
};
use crate::handoff::check::CHECKED_FOLDERS;
use crate::model::RepoPath;
use crate::review::{read, verify};
use crate::store::{Folder, StoreError, Symlinks, entries_below, is_json, read_file};
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;
use std::io::Write as _;
use std::path::Path;
use std::time::{Duration, SystemTime};

impl HandoffFiles {
    pub(crate) fn card_writer(&self) -> CardWriter<'_> {
        CardWriter::new(&self.redactor, &self.environment)
    }

    pub(crate) fn redacted(&self, typed: &str) -> String {
        self.environment.mask(&self.redactor.line(typed))
    }

    /// Ends a command about cards: what its error says may quote what was given, so it is redacted.
    pub(crate) fn settle<T>(&self, done: Result<T, Failure>) -> Result<T, Failure> {
        done.map_err(|failure| failure.map_message(|message| self.redacted(&message)))
    }

    /// Writes cards, and says what was removed and what stays deleted.
    pub(crate) fn write(&self, written: &mut WrittenFiles, prepared: &[PreparedCard]) -> Result<(), Failure> {
        let removed = removal_note(prepared.iter().map(|card| card.redacted).sum());
        let mut notes: Vec<String> = removed.into_iter().collect();
        for card in prepared {
            if self.store.is_deleted(&card.id)? {
                let path = self.store.shown(CardFileKind::Card, &card.id);
                notes.push(format!("{} was deleted and stays deleted: `{path}` is not written", card.id));
            } else {
                written.card(&self.store, card)?;
            }
        }
        Ok(notes.iter().try_for_each(|note| self.global.note(&format!("note: {note}")))?)
    }

    /// Writes cards and appends them to a log, unless that was done before.
    pub(crate) fn append_once(&self, cards: &[PreparedCard], log: &LogName, author: &str) -> Result<(), Failure> {
        let store = &self.store;
        self.write(&mut self.written.borrow_mut(), cards)?;
        let card_ids: Vec<ContentId> = cards.iter().map(|card| card.id.clone()).collect();
        let known = store.read_box(log.as_str())?;
        let is_known = card_ids.iter().all(|id| known.as_ref().is_some_and(|known| known.card_ids.contains(id)));
        let append = LogAppend::new(card_ids, author.to_owned());
        if let Some(entry) = store.append_of(log, &append)? {
            self.record(store.shown_append(log, &entry));
        } else if !is_known {
            self.record_created(store.shown_append(log, &store.append(log, &append)?));
        }
        Ok(())
    }

    /// Reads and redacts cards; those that are missing, deleted or expired are `Err`, with the reason.
    pub(crate) fn read(&self, ids: &[ContentId]) -> Result<Vec<Result<Card, &'static str>>, Failure> {
        let now = stamp()?.generated_at;
        let cards = ids.iter().map(|id| match self.store.card_in_use(id, &now)? {
            Ok(card) => Ok(Ok(self.card_writer().scrubbed(&card)?.0)),
            Err(why) => Ok(Err(why)),
        });
        cards.collect()
    }
}

pub(crate) fn removal_note(count: usize) -> Option<String> {
    (count > 0)
        .then(|| format!("secrets or invisible characters were removed from {}", console::counted(count, "value")))
}

pub(crate) fn run(global: &Global, command: &CardCommand) -> Result<Exit, Failure> {
    let files = HandoffFiles::open(global)?;
    files.settle(match command {
        CardCommand::Add(options) => add(&files, options),
        CardCommand::Show { ids } => show(&files, ids),
        CardCommand::Delete { id } => delete(&files, id),
        CardCommand::Fix => fix(&files),
    })
}

fn add(files: &HandoffFiles, args: &CardAddArgs) -> Result<Exit, Failure> {
    let common = common_fields(args)?;
    let (mut cards, many) = match (&args.file, &args.text, &args.from_messages) {
        (Some(file), _, _) => (vec![json_of(file, "the card")?], false),
        (None, Some(text), _) => (vec![built(args, text)?], false),
        // One of the three is given.
        (None, None, file) => {
            let file = file.as_deref().unwrap_or(Path::new("-"));
            (import(json_of(file, "the file of messages")?)?, true)
        }
    };
    // One that is no object is refused later.
    for fields in cards.iter_mut().filter_map(Value::as_object_mut) {
        for (name, value) in &common {
            match (fields.get_mut(name), value) {
                // `--meta` adds to the metadata of the card.
                (Some(Value::Object(own)), Value::Object(more)) => own.extend(more.clone()),
                (Some(_), Value::Object(_)) => {}
                _ => drop(fields.insert(name.clone(), value.clone())),
            }
        }
    }
    let prepared = files.card_writer().prepare(cards)?;
    prepared.iter().try_for_each(|card| card.card.check_metadata())?;
    files.store.transaction(|written| files.write(written, &prepared))?;
    let card_ids: Vec<&ContentId> = prepared.iter().map(|card| &card.id).collect();
    let lines: Vec<String> = card_ids.iter().map(ToString::to_string).collect();
    let output = match card_ids.first() {
        Some(id) if !many => json!({"card_id": id}),
        _ => json!({"card_ids": card_ids}),
    };
    files.global.print(&output, lines)
}

/// Returns the fields that options give to every card, however it is given.
fn common_fields(args: &CardAddArgs) -> Result<Map<String, Value>, Failure> {
    let mut metadata = Map::new();
    for pair in &args.metadata {
        let (key, value) = key_and_value(pair).ok_or_else(|| Failure::usage("`--meta` is given as KEY=VALUE"))?;
        if metadata.insert(key.to_owned(), value.into()).is_some() {
            return Err(Failure::usage("`--meta` gives one key twice"));
        }
    }
    let metadata = (!metadata.is_empty()).then_some(Value::Object(metadata));
    let author = args.author.as_deref().map(Value::from);
    let expires_at = args.ttl.map(expiry).transpose()?.map(Value::from);
    let fields = [("author_id", author), ("expires_at", expires_at), ("metadata", metadata)];
    Ok(fields.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect())
}

pub(crate) fn key_and_value(pair: &str) -> Option<(&str, &str)> {
    pair.split_once('=').filter(|(key, _)| !key.is_empty())
}

fn expiry(ttl: Duration) -> Result<String, Failure> {
    let now = stamp()?.generated_at;
    let time = humantime::parse_rfc3339(&now).ok().and_then(|now| now.checked_add(ttl));
    let is_writable = |time: &SystemTime| {
        time.duration_since(std::time::UNIX_EPOCH).is_ok_and(|since| since.as_secs() <= 253_402_300_799)
    };
    let text = time.filter(is_writable).map(|time| humantime::format_rfc3339_seconds(time).to_string());
    text.ok_or_else(|| Failure::usage("`--ttl` ends after the year 9999"))
}

fn built(args: &CardAddArgs, text: &str) -> Result<Value, Failure> {
    let text = match text {
        "-" => String::from_utf8(input::stdin()?).map_err(|_| Failure::usage("the text is not UTF-8"))?,
        text => text.to_owned(),
    };
    let mut card = json!({"type": args.kind, "content": {"kind": "text", "text": text}});
    if let Some(role) = args.role {
        card["role"] = role.name().into();
    }
    Ok(card)
}

fn json_of(file: &Path, what: &str) -> Result<Value, Failure> {
    Ok(parse(&input::file_or_stdin(file)?, what)?)
}

/// Refuses more names than one command reads; repeated ones are dropped.
pub(crate) fn batch(names: &[String], what: &str) -> Result<Vec<String>, Failure> {
    let mut seen = BTreeSet::new();
    let names: Vec<String> = names.iter().filter(|name| seen.insert(*name)).cloned().collect();
    if names.len() > LARGEST_BATCH {
        return Err(Failure::usage(format!(
            "{} {what} at once: at most {LARGEST_BATCH} are read by one command",
            names.len()
        )));
    }
    Ok(names)
}

fn show(files: &HandoffFiles, names: &[String]) -> Result<Exit, Failure> {
    let names = batch(names, "cards")?;
    let (mut ids, mut missing_card_ids) = (Vec::new(), Vec::new());
    for name in names {
        match files.store.find(CardFileKind::Card, &name)? {
            // Two beginnings may name one card.
            Some(id) if ids.iter().any(|(known, _)| *known == id) => {}
            Some(id) => ids.push((id, name)),
            None => missing_card_ids.push((name, "not found")),
        }
    }
    let (cards, output) = read_named(files, ids, missing_card_ids)?;
    files.global.print(&output, cards.iter().flat_map(|(id, card)| card_lines(id, card)))
}

/// Reads cards that were named, and returns them, and what JSON says of them; what cannot be read is noted.
fn read_named(
    files: &HandoffFiles,
    ids: Vec<(ContentId, String)>,
    mut missing: Vec<(String, &'static str)>,
) -> Result<(Vec<(ContentId, Card)>, Value), Failure> {
    let wanted: Vec<ContentId> = ids.iter().map(|(id, _)| id.clone()).collect();
    let mut cards = Vec::new();
    for ((id, name), read) in ids.into_iter().zip(files.read(&wanted)?) {
        match read {
            Ok(card) => cards.push((id, card)),
            Err(why) => missing.push((name, why)),
        }
    }
    for (name, why) in &missing {
        files.global.note(&format!("note: {}: {why}", files.redacted(name)))?;
    }
    let missing: Vec<String> = missing.into_iter().map(|(name, _)| files.redacted(&name)).collect();
    let shown: Value = cards.iter().map(|(id, card)| object([json!(card), json!({"card_id": id})])).collect();
    Ok((cards, json!({"cards": shown, "missing_card_ids": missing})))
}

pub(crate) fn card_lines(id: &ContentId, card: &Card) -> Vec<String> {
    let mut lines = vec![format!("{}  {}  {}  {}", id.short(), card.role.name(), card.author_id, card.kind)];
    let text = match &card.content {
        CardContent::Text { text } => text.clone(),
        content => serde_json::to_string(content).unwrap_or_default(),
    };
    lines.extend(text.lines().map(|line| format!("    {line}")));
    for call in card.tool_calls.iter().flatten() {
        lines.push(format!("    calls {}({})", call.tool_name, call.arguments_text()));
    }
    lines
}

fn delete(files: &HandoffFiles, name: &str) -> Result<Exit, Failure> {
    let missing = || CardError::card_not_found(name);
    let card_id = files.store.find(CardFileKind::Card, name)?.ok_or_else(missing)?;
    let deleted = files.store.delete_card(&card_id)?;
    if files.global.format == Format::Text {
        let path = files.store.shown(CardFileKind::Card, &card_id);
        files.global.note(&format!("note: the text is still in `{path}` and in git's history"))?;
    }
    files.global.print(&json!({"card_id": card_id, "deleted": deleted}), [card_id.to_string()])
}

/// Writes each file of the folder of cards whose white space or order of keys a formatter changed as it was.
fn fix(files: &HandoffFiles) -> Result<Exit, Failure> {
    let dir = &files.settings.handover.dir;
    let (mut fixed, mut damaged) = (Vec::new(), Vec::new());
    let folders = CHECKED_FOLDERS.map(|below| files.root.join(dir.as_str()).join(below));
    for folder in folders.iter().filter(|folder| folder.is_dir()) {
        let failed = |error| PathFailure::failure("read", folder.display().to_string(), error);
        for file in entries_below(folder, &|path, is_folder| !is_folder && is_json(path)).map_err(failed)? {
            let Ok(bytes) = read_file(&file, Symlinks::Refuse) else { continue };
            let path = file.strip_prefix(&files.root).unwrap_or(&file).to_string_lossy().replace('\\', "/");
            let original = match unformatted(&file, &bytes) {
                Ok(Some(original)) => original,
                Ok(None) => continue,
                Err(()) => {
                    damaged.push(path);
                    continue;
                }
            };
            let (parent, name) = path.rsplit_once('/').unwrap_or(("", &path));
            let parent = RepoPath::new(parent).map_err(|_| StoreError::Name { path: file.clone() })?;
            Folder::open(&files.root, &parent)?.write(name, &original)?;
            fixed.push(path);
        }
    }
    if fixed.is_empty() && damaged.is_empty() && files.global.format == Format::Text {
        files.global.note("note: no formatter changed a file")?;
    }
    for path in &damaged {
        print_error(
            &files.redacted(&format!("`{path}` holds something else than its name says: restore it from git")),
            None,
        )?;
    }
    let exit = if damaged.is_empty() { Exit::Done } else { Exit::Input };
    let lines: Vec<String> = fixed.iter().map(|path| format!("fixed: {path}")).collect();
    Ok(files.global.print(&json!({"fixed": fixed, "damaged": damaged}), lines)?.and(exit))
}

/// Returns what a file held before a formatter, `None` if it holds that still; an error if it is not what its name says.
fn unformatted(file: &Path, bytes: &[u8]) -> Result<Option<Vec<u8>>, ()> {
    let original = canonical_bytes(&parse(bytes, "it").map_err(drop)?);
    let stem = file.file_stem().map(|stem| stem.to_string_lossy());
    let hash = stem.as_deref().and_then(|stem| stem.rsplit('-').next()).unwrap_or_default();
    let is_same = !is_hex(hash, 12..=64) || ContentId::of(&original).hex().starts_with(hash);
    if is_same { Ok((original != bytes).then_some(original)) } else { Err(()) }
}

pub(crate) fn run_box(global: &Global, command: &BoxCommand) -> Result<Exit, Failure> {
    let files = HandoffFiles::open(global)?;
    files.settle(box_command(&files, command))
}

fn box_command(files: &HandoffFiles, command: &BoxCommand) -> Result<Exit, Failure> {
    let store = &files.store;
    match command {
        BoxCommand::New { ids, parents } => {
            let card_ids = store.cards_for_reference(ids)?;
            let parents = parents.iter().map(|name| store.existing_box(name)).collect::<Result<Vec<_>, _>>()?;
            let new = BoxSnapshot::new(card_ids, parents.iter().map(BoxContent::snapshot_id).collect());
            store.transaction(|written| {
                parents.iter().try_for_each(|parent| written.snapshot_of(store, parent).map(drop))?;
                written.snapshot(store, &new)
            })?;
            print_box(files, new.id())
        }
        BoxCommand::Snapshot { name } => {
            let content = store.existing_box(name)?;
            print_box(files, store.transaction(|written| written.snapshot_of(store, &content))?)
        }
        BoxCommand::Append { log, ids, author } => append_to_log(files, log, ids, author.as_deref()),
        BoxCommand::List => list_boxes(files),
        BoxCommand::Diff { old, new } => {
            let (old, new) = (store.existing_box(old)?, store.existing_box(new)?);
            print_difference(files, &old.card_ids, &new.card_ids)
        }
        BoxCommand::FromPack { pack } => from_pack(files, pack),
        BoxCommand::Show { names, style } => show_boxes(files, names, *style),
    }
}

fn print_box(files: &HandoffFiles, box_id: ContentId) -> Result<Exit, Failure> {
    files.global.print(&json!({"box_id": box_id}), [box_id.to_string()])
}

fn append_to_log(files: &HandoffFiles, log: &str, ids: &[String], author: Option<&str>) -> Result<Exit, Failure> {
    let log = LogName::new(log)?;
    files.card_writer().check_name(log.as_str(), "the log's name")?;
    let author = files.card_writer().line(author.unwrap_or(log.as_str()))?;
    if author.is_empty() {
        return Err(Failure::usage("`--author` is empty"));
    }
    let card_ids = files.store.cards_for_reference(ids)?;
    let append = LogAppend::new(card_ids, author);
    let entry = files.store.append(&log, &append)?;
    let name = format!("{}@{}", log.as_str(), entry.clock);
    let appended = json!({"box": name, "clock": entry.clock, "card_ids": append.card_ids});
    files.global.print(&appended, [name])
}

fn list_boxes(files: &HandoffFiles) -> Result<Exit, Failure> {
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
    files.global.print(&json!({"boxes": boxes, "logs": logs}), lines)
}

fn print_difference(files: &HandoffFiles, old: &[ContentId], new: &[ContentId]) -> Result<Exit, Failure> {
    let without = |ids: &[ContentId], others: &[ContentId]| -> (Vec<ContentId>, Vec<ContentId>) {
        let others: BTreeSet<&ContentId> = others.iter().collect();
        ids.iter().cloned().partition(|id| !others.contains(id))
    };
    let ((removed, kept_old), (added, kept_new)) = (without(old, new), without(new, old));
    let (kept, reordered) = (kept_old.len(), kept_old != kept_new);
    let mut lines: Vec<String> = removed.iter().map(|id| format!("- {id}")).collect();
    lines.extend(added.iter().map(|id| format!("+ {id}")));
    let order = if reordered { ", in another order" } else { "" };
    lines.push(format!("{} in both{order}", console::counted(kept, "card")));
    let difference = json!({"added": added, "removed": removed, "kept": kept, "reordered": reordered});
    files.global.print(&difference, lines)
}

/// Makes a box of two cards: the instructions and the context of a pack, which are what an agent reads.
fn from_pack(files: &HandoffFiles, path: &Path) -> Result<Exit, Failure> {
    let bytes = input::file_or_stdin(path)?;
    let verification = verify(&bytes);
    let Some(pack) = read(&bytes).ok().filter(|_| verification.is_valid()) else {
        let fault = verification.violations.first().map_or("it cannot be read", String::as_str);
        print_invalid_pack(&path.display().to_string(), fault)?;
        return Err(Failure::Reported(Exit::Invalid, Vec::new()));
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
    let cards = files.card_writer().prepare(cards)?;
    let snapshot = BoxSnapshot::new(cards.iter().map(|card| card.id.clone()).collect(), Vec::new());
    files.store.transaction(|written| {
        files.write(written, &cards)?;
        Ok::<_, Failure>(written.snapshot(&files.store, &snapshot)?)
    })?;
    print_box(files, snapshot.id())
}

fn show_boxes(files: &HandoffFiles, names: &[String], style: MessageStyle) -> Result<Exit, Failure> {
    let names = batch(names, "boxes")?;
    let is_one = names.len() == 1;
    let (mut found, mut missing_box_ids): (Vec<BoxContent>, Vec<String>) = (Vec::new(), Vec::new());
    for name in names {
        match files.store.read_box(&name)? {
            Some(content) if found.contains(&content) => {}
            Some(content) => found.push(content),
            None if is_one => return Err(CardError::box_not_found(&name).into()),
            None => missing_box_ids.push(files.redacted(&name)),
        }
    }
    let json = (files.global.format == Format::Json).then(|| {
        let named = |it: &BoxContent| json!({"box_id": it.name, "card_ids": it.card_ids, "parent_ids": it.parent_ids});
        match &found[..] {
            [BoxContent { card_ids, parent_ids, .. }] if is_one => {
                json!({"card_ids": card_ids, "parent_ids": parent_ids})
            }
            _ => json!({"boxes": found.iter().map(named).collect::<Value>(), "missing_box_ids": missing_box_ids}),
        }
    });
    for name in missing_box_ids.iter().filter(|_| json.is_none()) {
        writeln!(console::stderr(), "note: box not found: {}", printable(name))?;
    }
    show_cards(files, &found, style, json)
}

/// Prints the cards of boxes, the newest of them as JSON beside what is to be printed of the boxes.
fn show_cards(
    files: &HandoffFiles,
    boxes: &[BoxContent],
    style: MessageStyle,
    json: Option<Value>,
) -> Result<Exit, Failure> {
    let ids = once(boxes.iter().flat_map(|content| &content.card_ids).cloned().collect());
    let older = ids.len().saturating_sub(if json.is_some() { LARGEST_BATCH } else { usize::MAX });
    let ids = ids.into_iter().skip(older).map(|id| (id.clone(), id.to_string())).collect();
    let (cards, output) = read_named(files, ids, Vec::new())?;
    if let Some(json) = json {
        return files.global.print(&object([json, output, json!({"older_cards": older})]), []);
    }
    if files.global.format == Format::Messages {
        let (of_request, cards): (Vec<_>, Vec<_>) = cards.into_iter().partition(|(_, card)| is_of_request(card));
        for (id, card) in of_request {
            files.global.note(&format!("note: {id}: {} belongs beside the messages of a request", card.kind))?;
        }
        let messages = messages(&cards, style);
        if !messages.left_out.is_empty() {
            let names = messages.left_out.iter().map(|name| files.redacted(name)).collect::<Vec<_>>().join("`, `");
            files.global.note(&format!("note: `{names}` is for another API, and is left out"))?;
        }
        let text = match style {
            MessageStyle::Openai => console::json_text(&messages.messages),
            MessageStyle::Anthropic => console::json_text(&messages),
        };
        writeln!(console::stdout(), "{text}")?;
        return Ok(Exit::Done);
    }
    files.global.print(&Value::Null, cards.iter().flat_map(|(id, card)| card_lines(id, card)))
}
