//! `contextpack card`, and what it shares with `contextpack box`.

use super::args::{CardAddArgs, CardCommand, Global};
use super::input;
use super::workspace::{configuration, stamp};
use crate::config::Settings;
use crate::console::report::print_lines;
use crate::console::{self, Exit, Failure, Format, printable};
use crate::engine::{Repository, process_environment};
use crate::handoff::cards::{
    Card, CardContent, CardError, CardStore, CardWriter, ContentId, FileKind, LARGEST_BATCH, PreparedCard, Transaction,
    import, parse,
};
use crate::redact::{Environment, Redactor};
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;
use std::io::Write as _;
use std::path::Path;
use std::time::{Duration, SystemTime};

/// The cards of a repo, with what writing to them needs.
pub(crate) struct CardFiles {
    pub(crate) store: CardStore,
    redactor: Redactor,
    environment: Environment,
}

impl CardFiles {
    pub(crate) fn open(global: &Global) -> Result<Self, Failure> {
        let (root, configuration) = configuration(global)?;
        Ok(Self::new(&root, &configuration.settings))
    }

    pub(crate) fn of(repository: &Repository) -> Self {
        Self::new(repository.root(), repository.settings())
    }

    pub(crate) fn new(root: &Path, settings: &Settings) -> Self {
        let store = CardStore::new(root, settings.handover.dir.clone());
        Self { store, redactor: Redactor::new(&settings.redaction), environment: process_environment() }
    }

    pub(crate) fn writer(&self) -> CardWriter<'_> {
        CardWriter::new(&self.redactor, &self.environment)
    }

    /// Returns what the user typed without secrets, to be printed.
    pub(crate) fn redacted(&self, typed: &str) -> String {
        self.environment.mask(&self.redactor.line(typed))
    }

    /// Ends a command about cards: what its error says may quote what was given, so it is redacted.
    pub(crate) fn settle<T>(&self, done: Result<T, Failure>) -> Result<T, Failure> {
        done.map_err(|failure| match failure {
            Failure::Usage(message) => Failure::Usage(self.redacted(&message)),
            Failure::Input(message) => Failure::Input(self.redacted(&message)),
            failure => failure,
        })
    }

    /// Writes cards, all or none, and says what was removed and what stays deleted.
    pub(crate) fn write(&self, global: &Global, prepared: &[PreparedCard]) -> Result<(), Failure> {
        let mut transaction = Transaction::new(&self.store);
        let mut notes: Vec<String> =
            removal_note(prepared.iter().map(|card| card.redacted).sum()).into_iter().collect();
        for card in prepared {
            if self.store.is_deleted(&card.id)? {
                let path = self.store.shown(FileKind::Card, &card.id);
                notes.push(format!("{} was deleted and stays deleted: `{path}` is not written", card.id));
            } else {
                transaction.card(card)?;
            }
        }
        transaction.commit();
        let notes = notes.iter().filter(|_| !global.quiet);
        for note in notes {
            writeln!(console::stderr(), "note: {note}")?;
        }
        Ok(())
    }

    /// Reads and redacts cards; those that are missing, deleted or expired are `Err`, with the reason.
    pub(crate) fn read(&self, ids: &[ContentId]) -> Result<Vec<Result<Card, &'static str>>, Failure> {
        let now = stamp()?.generated_at;
        let cards = ids.iter().map(|id| match self.store.card_in_use(id, &now)? {
            Ok(card) => Ok(Ok(self.writer().scrubbed(&card)?.0)),
            Err(why) => Ok(Err(why)),
        });
        cards.collect()
    }
}

/// Returns the note that secrets were removed from so many values.
pub(crate) fn removal_note(count: usize) -> Option<String> {
    (count > 0).then(|| format!("secrets were removed from {}", console::counted(count, "value")))
}

/// The message may quote what was given: [`CardFiles::settle`] redacts it.
impl From<CardError> for Failure {
    fn from(error: CardError) -> Self {
        match error {
            CardError::BadRequest(message) => Self::Usage(message),
            CardError::NotFound(message)
            | CardError::Unauthorized(message)
            | CardError::Invalid(message)
            | CardError::Secret(message) => Self::Input(message),
            CardError::Store(error) => error.into(),
        }
    }
}

pub(crate) fn run(global: &Global, command: &CardCommand) -> Result<Exit, Failure> {
    let files = CardFiles::open(global)?;
    files.settle(match command {
        CardCommand::Add(options) => add(global, &files, options),
        CardCommand::Show { ids } => show(global, &files, ids),
        CardCommand::Delete { id } => delete(global, &files, id),
    })
}

fn add(global: &Global, files: &CardFiles, args: &CardAddArgs) -> Result<Exit, Failure> {
    let common = common_fields(args)?;
    let (mut cards, many) = match (&args.file, &args.text, &args.from_messages) {
        (Some(file), _, _) => (vec![json_of(file, "the card")?], false),
        (None, Some(text), _) => (vec![built(args, text)?], false),
        (None, None, Some(file)) => {
            let (cards, left_out) = import(json_of(file, "the file of messages")?)?;
            if !global.quiet && !left_out.is_empty() {
                let names = left_out.iter().map(|name| format!("`{}`", files.redacted(name)));
                let line = format!("note: {} beside the messages: not kept", names.collect::<Vec<_>>().join(", "));
                writeln!(console::stderr(), "{}", printable(&line))?;
            }
            (cards, true)
        }
        (None, None, None) => {
            return Err(Failure::usage(
                "there is no card: give FILE, `-` for standard input, `--type` and `--text`, or `--from-messages`",
            ));
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
    let prepared = files.writer().prepare(cards)?;
    files.write(global, &prepared)?;
    let card_ids: Vec<&ContentId> = prepared.iter().map(|card| &card.id).collect();
    let lines: Vec<String> = card_ids.iter().map(ToString::to_string).collect();
    let output = match card_ids.first() {
        Some(id) if !many => json!({"card_id": id}),
        _ => json!({"card_ids": card_ids}),
    };
    print_lines(global.format, &output, lines)?;
    Ok(Exit::Done)
}

/// Returns the fields that options give to every card, however it is given.
fn common_fields(args: &CardAddArgs) -> Result<Map<String, Value>, Failure> {
    let mut metadata = Map::new();
    for pair in &args.metadata {
        let (key, value) = pair
            .split_once('=')
            .filter(|(key, _)| !key.is_empty())
            .ok_or_else(|| Failure::usage("`--meta` is given as KEY=VALUE"))?;
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

fn show(global: &Global, files: &CardFiles, names: &[String]) -> Result<Exit, Failure> {
    let names = batch(names, "cards")?;
    let (mut ids, mut missing_card_ids) = (Vec::new(), Vec::new());
    for name in names {
        match files.store.find(FileKind::Card, &name)? {
            // Two beginnings may name one card.
            Some(id) if ids.iter().any(|(known, _)| *known == id) => {}
            Some(id) => ids.push((id, name)),
            None => missing_card_ids.push((name, "not found")),
        }
    }
    let wanted: Vec<ContentId> = ids.iter().map(|(id, _)| id.clone()).collect();
    let (mut cards, mut lines) = (Vec::new(), Vec::new());
    for ((card_id, name), read) in ids.into_iter().zip(files.read(&wanted)?) {
        match read {
            Ok(card) => {
                lines.extend(card_lines(&card_id, &card));
                let mut output = json!(card);
                output["card_id"] = json!(card_id);
                cards.push(output);
            }
            Err(why) => missing_card_ids.push((name, why)),
        }
    }
    if !global.quiet {
        for (name, why) in &missing_card_ids {
            writeln!(console::stderr(), "note: {}: {why}", printable(&files.redacted(name)))?;
        }
    }
    let missing: Vec<String> = missing_card_ids.into_iter().map(|(name, _)| files.redacted(&name)).collect();
    print_lines(global.format, &json!({"cards": cards, "missing_card_ids": missing}), lines)?;
    Ok(Exit::Done)
}

/// Returns a card as lines for people: who says it, then the text, indented.
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

fn delete(global: &Global, files: &CardFiles, name: &str) -> Result<Exit, Failure> {
    let missing = || CardError::card_not_found(name);
    let card_id = files.store.find(FileKind::Card, name)?.ok_or_else(missing)?;
    let deleted = files.store.delete_card(&card_id)?;
    if !global.quiet && global.format == Format::Text {
        let path = files.store.shown(FileKind::Card, &card_id);
        writeln!(console::stderr(), "note: the text is still in `{}` and in git's history", printable(&path))?;
    }
    let line = card_id.to_string();
    print_lines(global.format, &json!({"card_id": card_id, "deleted": deleted}), [line])?;
    Ok(Exit::Done)
}
