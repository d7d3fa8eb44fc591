//! The packs of handovers that tasks and turns are about, and what a worker needs to know of each.

use super::{LedgerFiles, object};
use crate::cli::input;
use crate::console::{Failure, PathFailure};
use crate::handoff::cards::{ContentId, LogName};
use crate::handoff::handover::{Party, own_log};
use crate::handoff::ledger::{Ledger, TurnRequest, WorkId};
use crate::model::RepoPath;
use crate::review::read;
use serde_json::{Value, json};
use std::io::ErrorKind;
use std::path::Path;
use std::rc::Rc;

pub(crate) struct HandedPack {
    pub(crate) path: String,
    agent: String,
    /// The inbox of that agent, if the pack names its file.
    inbox: Option<LogName>,
    /// The log that it names for the results.
    pub(crate) output: Option<LogName>,
}

impl HandedPack {
    /// Reads the pack of the handover that made a box, if it is in this folder below `root`.
    fn read(root: &Path, packs: &str, context: &ContentId) -> Result<Option<Self>, Failure> {
        let path = format!("{packs}/{}.json", context.short());
        match root.join(&path).symlink_metadata() {
            Ok(there) if there.is_file() => Ok(Self::of(&input::listed_file(&root.join(&path))?, path, context)),
            Err(error) if error.kind() != ErrorKind::NotFound => Err(PathFailure::failure("read", path, error)),
            _ => Ok(None),
        }
    }

    /// Returns the pack at `path` with these bytes, if it is the one of the handover that made a box.
    fn of(bytes: &[u8], path: String, context: &ContentId) -> Option<Self> {
        let pack = read(bytes).ok()?;
        let handover = pack.handover.filter(|it| it.context_box_id == context.to_string())?;
        let agent = pack.agent?;
        let soul = pack.sections.iter().find(|section| section.id == "agent");
        let file = soul.and_then(|section| RepoPath::new(section.source.path.as_deref()?).ok());
        let party = file.map(|file| Party { key: agent.key.clone(), stem: file.stem().to_owned() });
        let inbox = party.and_then(|party| own_log(&party).ok());
        Some(Self { path, agent: agent.key, inbox, output: LogName::new(&handover.output_box).ok() })
    }

    pub(crate) fn refusal(&self, inbox: &str, agent: &str) -> Option<String> {
        let is_for_agent = self.agent == agent && self.inbox.as_ref().is_none_or(|own| own.as_str() == inbox);
        (!is_for_agent).then(|| format!("its box was handed to {}, so that it is no turn of {agent}", self.agent))
    }
}

impl LedgerFiles {
    /// Takes the turns out of an inbox that name the pack of another agent's handover, which would be shown.
    pub(super) fn without_foreign_turns(&self, inbox: Ledger, name: &str) -> Result<Ledger, Failure> {
        for request in inbox.requests() {
            self.find_pack(&request.context_box_id)?;
        }
        let foreign = |request: &TurnRequest| self.pack_of(&request.context_box_id)?.refusal(name, &request.agent);
        Ok(inbox.without(&foreign))
    }

    /// Finds the pack of the handover that made a box, if it is there.
    pub(crate) fn find_pack(&self, context: &ContentId) -> Result<Option<Rc<HandedPack>>, Failure> {
        if let Some(known) = self.pack_of(context) {
            return Ok(Some(known));
        }
        let Some(packs) = self.settings.handover.packs() else { return Ok(None) };
        let pack = HandedPack::read(&self.root, packs.as_str(), context)?.map(Rc::new);
        self.packs.borrow_mut().extend(pack.clone().map(|pack| (context.clone(), pack)));
        Ok(pack)
    }

    /// Returns the pack of the handover that made the box of a turn of an inbox that was read.
    fn pack_of(&self, context: &ContentId) -> Option<Rc<HandedPack>> {
        self.packs.borrow().get(context).cloned()
    }

    /// Returns what the worker on a task or turn reads, and where it writes, without the secrets of files that were made by
    /// hand.
    pub(crate) fn pointers(&self, ledger: &Ledger, id: &WorkId) -> Value {
        let redacted = |text: &str| self.cards.redacted(text);
        let output_box = redacted(&ledger.output_box(id));
        object([match ledger.request(id) {
            Some(request) => json!({
                "correlation_id": redacted(&request.correlation()),
                "trace_id": request.trace(),
                "context_box_id": request.context_box_id,
                "output_box": output_box,
                "root": request.root.as_deref().map(redacted),
                "from_agent": request.from_agent.as_deref().map(redacted),
                "pack": self.pack_of(&request.context_box_id).map(|pack| pack.path.clone()),
            }),
            None => json!({
                "agent": ledger.forked(id).map(|forked| &forked.agent),
                "pack": ledger.forked(id).map(|forked| redacted(&forked.pack)),
                "context_box_id": ledger.forked(id).map(|forked| &forked.context_box_id),
                "output_box": output_box,
                "root": ledger.planned(id).and_then(|task| task.root.as_ref()),
            }),
        }])
    }
}

/// Returns the fault of a request, at `path` in the folder of cards `root`, that names the box of another agent's handover.
pub(crate) fn foreign_box(root: &Path, path: &str, bytes: &[u8]) -> Option<String> {
    let (inbox, _) = path.strip_prefix("inbox/")?.split_once("/requests/")?;
    let request: TurnRequest = serde_json::from_slice(bytes).ok()?;
    // A pack that cannot be read is reported by itself.
    let pack = HandedPack::read(root, "packs", &request.context_box_id).ok()??;
    pack.refusal(inbox, &request.agent)
}
