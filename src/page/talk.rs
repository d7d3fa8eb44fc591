//! Boxes and logs as conversations on the page.

use crate::engine::card_text;
use crate::git::first_commits;
use crate::handoff::cards::{CardError, CardStore, ReadCard, check_file};
use crate::model::RepoPath;
use crate::redact::Redactor;
use crate::review::{Conversation, ConversationCard, PageEntry};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::{Duration, UNIX_EPOCH};

/// A folder of cards.
pub(super) struct CardsFolder {
    root: PathBuf,
    /// When git first had each file, asked for once.
    times: OnceLock<BTreeMap<String, i64>>,
}

impl CardsFolder {
    pub(super) fn new(root: PathBuf) -> Self {
        Self { root, times: OnceLock::new() }
    }

    /// Returns its path.
    pub(super) fn root(&self) -> &Path {
        &self.root
    }
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
    let mut faults = match check_file(&context.root, &relative, bytes) {
        Ok(checked) => checked.map(|checked| checked.faults).unwrap_or_default(),
        Err(error) => vec![error.to_string()],
    };
    let talk = read(context, &name).unwrap_or_else(|error| {
        faults.push(error.to_string());
        Conversation { name, ..Conversation::default() }
    });
    Some(PageEntry::conversation(shown, &talk, faults))
}

fn read(context: &CardsFolder, name: &str) -> Result<Conversation, CardError> {
    let store = CardStore::new(&context.root, RepoPath::root());
    let content = store.existing_box(name)?;
    let redactor = Redactor::built_in();
    let times = context.times.get_or_init(|| first_commits(&context.root));
    let mut cards = Vec::new();
    for id in &content.card_ids {
        let hex = id.hex();
        let at = times.get(&format!("cards/{}/{hex}.json", &hex[..2])).and_then(|at| u64::try_from(*at).ok());
        let time = at.map(|at| humantime::format_rfc3339_seconds(UNIX_EPOCH + Duration::from_secs(at)).to_string());
        let gone =
            |why: &str| ConversationCard { id: id.to_string(), text: why.to_owned(), ..ConversationCard::default() };
        cards.push(match store.card(id)? {
            ReadCard::Deleted => gone("deleted"),
            ReadCard::Missing => gone("not found"),
            ReadCard::Present(card) => {
                let text = card_text(redactor, &card);
                ConversationCard {
                    id: id.to_string(),
                    kind: text.kind.to_string(),
                    role: text.role,
                    author: text.author.to_string(),
                    text: text.text.to_string(),
                    time,
                }
            }
        });
    }
    let parents = content.parent_ids.iter().map(ToString::to_string).collect();
    Ok(Conversation { name: content.name, parents, cards })
}
