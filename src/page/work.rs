//! Boxes, logs, batches and inboxes on the page. Their files may have been made by hand, so that every text of them is redacted.

use crate::engine::card_text;
use crate::git::first_commits;
use crate::handoff::cards::{CardError, CardStore, ContentId, LogName};
use crate::handoff::check::FileChecker;
use crate::handoff::ledger::{BATCHES, INBOXES, Ledger, LedgerFolder, LedgerKind, MISPLACED, ShortId, TaskState};
use crate::model::RepoPath;
use crate::redact::Redactor;
use crate::review::PageEntry;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::{Duration, UNIX_EPOCH};

pub(super) struct CardsFolder {
    pub(super) root: PathBuf,
    /// When git first had each file, asked for once.
    pub(super) times: OnceLock<BTreeMap<String, i64>>,
}

fn redacted(text: &str) -> String {
    Redactor::built_in().line(text)
}

/// Returns the entry of a box, or of the log that an append belongs to; `None` if the file is neither.
pub(super) fn conversation(context: &CardsFolder, file: &Path, shown: &str, bytes: &[u8]) -> Option<PageEntry> {
    let file = file.canonicalize().ok()?;
    let relative = file.strip_prefix(&context.root).ok()?.to_str()?.replace('\\', "/");
    let name = match relative.split('/').collect::<Vec<_>>()[..] {
        ["boxes", _, file] => file.strip_suffix(".json")?.to_owned(),
        ["logs", log, _] => log.to_owned(),
        _ => return None,
    };
    let mut faults = match FileChecker::new(&context.root).check(&relative, bytes) {
        Ok(checked) => checked.map(|(_, faults)| faults).unwrap_or_default(),
        Err(error) => vec![error.to_string()],
    };
    let talk = talk(context, &name).unwrap_or_else(|error| {
        faults.push(error.to_string());
        json!({"name": redacted(&name), "parents": [], "cards": []})
    });
    let faults = faults.iter().map(|fault| redacted(fault)).collect();
    Some(PageEntry::view(shown, "talk", talk, faults))
}

/// Returns the cards of a box or a log, in order. A card that is not read any more has its reason as text.
fn talk(context: &CardsFolder, name: &str) -> Result<Value, CardError> {
    let store = CardStore::new(&context.root, RepoPath::root());
    let content = store.existing_box(name)?;
    let times = context.times.get_or_init(|| first_commits(&context.root));
    let mut cards = Vec::new();
    for id in &content.card_ids {
        let hex = id.hex();
        let at = times.get(&format!("cards/{}/{hex}.json", &hex[..2])).and_then(|at| u64::try_from(*at).ok());
        let time = at.map(|at| humantime::format_rfc3339_seconds(UNIX_EPOCH + Duration::from_secs(at)).to_string());
        let gone = |why: &str| json!({"id": id.to_string(), "type": "", "role": "", "author": "", "text": why});
        cards.push(match store.card(id)? {
            Err(why) => gone(why),
            Ok(card) => {
                let said = card_text(Redactor::built_in(), &card);
                let [kind, author, text] = [said.kind, said.author, said.text].map(|text| text.to_string());
                json!({"id": id.to_string(), "type": kind, "role": said.role, "author": author, "text": text, "time": time})
            }
        });
    }
    let parents: Vec<String> = content.parent_ids.iter().map(ToString::to_string).collect();
    Ok(json!({"name": content.name, "parents": parents, "cards": cards}))
}

/// A ledger by its kind and name.
pub(super) type LedgerName = (&'static LedgerKind, String);

/// Returns the ledger that a file belongs to, `None` if there is none of that name, and the path below the folder of all ledgers
/// of its kind; `None` if the file is in no such folder.
pub(super) fn ledger_of(relative: &str) -> Option<(Option<LedgerName>, &str)> {
    let (folder, below) = relative.split_once('/')?;
    let kind = [&BATCHES, &INBOXES].into_iter().find(|kind| kind.folder == folder)?;
    let is_name =
        |name: &str| if *kind == BATCHES { ShortId::parse(name).is_some() } else { LogName::new(name).is_ok() };
    let name = below.split_once('/').map(|(name, _)| name.to_owned()).filter(|name| is_name(name));
    Some((name.map(|name| (kind, name)), below))
}

pub(super) fn ledger(context: &CardsFolder, name: Option<&LedgerName>, shown: &str) -> PageEntry {
    let faulty = |fault: String| PageEntry::faulty(shown, vec![fault]);
    let Some((kind, name)) = name else { return faulty(MISPLACED.to_owned()) };
    let ledger = match LedgerFolder::new(kind, &context.root, &RepoPath::root()).read(name) {
        Ok(ledger) => ledger,
        Err(CardError::NotFound(_)) => return faulty("it has no `batch.json`: its fork was not finished".to_owned()),
        Err(error) => return faulty(redacted(&error.to_string())),
    };
    // Packs, boxes and logs are in folders next to that of the ledgers.
    let links = LedgerLinks(shown.strip_suffix(&format!("{}/{name}", kind.folder)).unwrap_or_default());
    let view = match **kind == BATCHES {
        true => batch_view(&ledger, &links),
        false => inbox_view(name, &ledger, &links, &|pack| context.root.join("packs").join(pack).is_file()),
    };
    let faults = ledger.faults.iter().map(|fault| redacted(&format!("{}: {}", fault.path, fault.message)));
    PageEntry::view(shown, kind.command, view, faults.collect())
}

/// The displayed path of the folder of cards, by which the page names what a ledger leads to.
struct LedgerLinks<'a>(&'a str);

impl LedgerLinks<'_> {
    fn log(&self, name: &str) -> String {
        redacted(&format!("{}logs/{name}", self.0))
    }

    fn content_box(&self, id: &ContentId) -> String {
        let hex = id.hex();
        format!("{}boxes/{}/{hex}.json", self.0, &hex[..2])
    }

    fn pack(&self, name: &str) -> String {
        redacted(&format!("{}packs/{name}", self.0))
    }

    fn task(&self, task: &TaskState, own: Value) -> Value {
        let outcome = task.outcome.as_ref();
        let claim = task.claim.as_ref();
        let error = outcome.and_then(|outcome| outcome.error.as_ref());
        let reports = task.reports.iter().map(|report| {
            let late = report.late.map(|reason| reason.name());
            json!({"epoch": report.epoch, "status": redacted(&report.outcome.status), "at": report.at, "late": late})
        });
        let mut view = json!({
            "id": task.id.to_string(),
            "status": task.status.name(),
            "ended": task.status.is_terminal(),
            "epoch": task.epoch,
            "claimed": claim.is_some(),
            "claimed_by": claim.and_then(|claim| claim.author_id.as_deref()).map(redacted),
            "claimed_at": claim.and_then(|claim| claim.at.clone()),
            "summary": outcome.and_then(|outcome| outcome.summary.as_deref()).map(redacted),
            "error": error.map(|error| [redacted(&error.code), redacted(&error.message)]),
            "output": outcome.and_then(|outcome| outcome.output_box_id.as_ref()).map(|id| self.content_box(id)),
            "reports": reports.collect::<Value>(),
        });
        if let (Value::Object(view), Value::Object(own)) = (&mut view, own) {
            view.extend(own);
        }
        view
    }
}

fn batch_view(ledger: &Ledger, links: &LedgerLinks<'_>) -> Value {
    let states = ledger.states();
    let plan = ledger.plan.as_ref();
    let tasks = states.iter().zip(plan.map_or(&[][..], |plan| &plan.tasks)).map(|(task, planned)| {
        // What the fork says is missing if its event is not there.
        let forked = ledger.forked(&task.id);
        let own = json!({
            "agent": redacted(forked.map_or(planned.target_ref.as_str(), |forked| forked.agent.as_str())),
            "instruction": redacted(&planned.instruction),
            "root": planned.root.as_deref().map(redacted),
            "pack": forked.map(|forked| links.pack(forked.pack.rsplit('/').next().unwrap_or_default())),
            "log": forked.map(|forked| links.log(&forked.output_box)),
        });
        links.task(task, own)
    });
    json!({
        "id": ledger.name,
        "status": ledger.status(&states).name(),
        "joined_at": ledger.result.as_ref().map(|result| result.at.clone()),
        "parent": plan.map(|plan| redacted(&plan.parent_agent)),
        "parent_log": ledger.fork.as_ref().map(|fork| links.log(&fork.parent_log)),
        "forked_at": ledger.fork.as_ref().map(|fork| fork.at.clone()),
        "deadline_seconds": plan.map(|plan| plan.deadline_seconds),
        "fail_fast": plan.map(|plan| plan.fail_fast),
        "tasks": tasks.collect::<Value>(),
    })
}

/// Returns what the page says about an inbox; `is_pack` tells whether a pack of this name is there.
fn inbox_view(name: &str, inbox: &Ledger, links: &LedgerLinks<'_>, is_pack: &dyn Fn(&str) -> bool) -> Value {
    let tasks = inbox.states().into_iter().filter_map(|turn| {
        let request = inbox.request(&turn.id)?;
        let pack = format!("{}.json", request.context_box_id.short());
        let own = json!({
            "agent": redacted(&request.agent),
            "root": request.root.as_deref().map(redacted),
            "from": request.from_agent.as_deref().map(redacted),
            "context": links.content_box(&request.context_box_id),
            "pack": is_pack(&pack).then(|| links.pack(&pack)),
            "log": links.log(&request.output_box),
        });
        Some(links.task(&turn, own))
    });
    json!({"name": name, "closed": inbox.is_closed(), "tasks": tasks.collect::<Value>()})
}
