//! The check of files of a folder of cards, for `contextpack verify`.

use super::ledger::foreign_box;
use crate::cli::args::Global;
use crate::cli::verify::OtherFiles;
use crate::console::{Failure, without_secrets};
use crate::handoff::cards::{Card, CardWriter, parse};
use crate::handoff::check::{CHECKED_FOLDERS, FileChecker, context_folder};
use crate::redact::{Environment, Redactor};
use std::path::{Path, PathBuf};

/// Returns what checks the files of the folder of cards that `named` is or lies in, if there is one.
pub(in crate::cli) fn context_files<'g>(global: &'g Global, named: &Path) -> Option<Box<dyn OtherFiles + 'g>> {
    let folder = context_folder(named)?;
    let settings = global.workspace().configuration().map(|(_, configuration)| configuration.settings.redaction);
    let (redactor, files) = (Redactor::new(&settings.unwrap_or_default()), FileChecker::new(&folder));
    Some(Box::new(ContextChecker { global, folder, redactor, files }))
}

struct ContextChecker<'g> {
    global: &'g Global,
    folder: PathBuf,
    redactor: Redactor,
    files: FileChecker,
}

/// The fault of a card that holds text that redaction removes, which this program never writes. It is valid all the same: the
/// rules may have changed since, and whatever reads it redacts it.
const HOLDS_SECRETS: &str = "it holds text that redaction removes; packs and `card show` leave that out";

impl ContextChecker<'_> {
    fn relative(&self, file: &Path) -> String {
        file.strip_prefix(&self.folder).unwrap_or(file).to_string_lossy().replace('\\', "/")
    }

    fn holds_secrets(&self, bytes: &[u8]) -> bool {
        let environment = Environment::new(std::iter::empty());
        // A tombstone is no card, and holds nothing.
        let Ok(card) = parse(bytes, "it").and_then(Card::from_value) else { return false };
        !CardWriter::new(&self.redactor, &environment).scrubbed(&card).is_ok_and(|(_, changed)| !changed)
    }
}

impl OtherFiles for ContextChecker<'_> {
    fn owns(&self, file: &Path) -> bool {
        let path = self.relative(file);
        path.split_once('/').is_some_and(|(folder, _)| CHECKED_FOLDERS.contains(&folder))
    }

    fn check(&mut self, file: &Path, name: &str, bytes: &[u8]) -> Result<Option<(String, Vec<String>)>, Failure> {
        let path = self.relative(file);
        let Some((id, mut faults)) = self.files.check(&path, bytes)? else { return Ok(None) };
        faults.extend(foreign_box(&self.folder, &path, bytes));
        if faults.is_empty() && path.starts_with("cards/") && self.holds_secrets(bytes) {
            if self.global.strict {
                faults.push(HOLDS_SECRETS.to_owned());
            } else {
                self.global.note(&format!("warning: {name}: {HOLDS_SECRETS}"))?;
            }
        }
        // A fault may quote a file that was made by hand.
        let redacted = faults.iter().map(|fault| without_secrets(&self.redactor.line(fault))).collect();
        Ok(Some((id.to_string(), redacted)))
    }

    fn missing(&self, pack: &[u8]) -> Vec<String> {
        self.files.missing_boxes(pack)
    }
}
