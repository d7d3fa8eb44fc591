//! `contextpack git`: what git runs for packs, once `init --git` has told it to.

mod merge;

use super::args::{GitArgs, GitCommand, Global};
use super::exit::Exit;
use super::failure::Failure;
use crate::cli::console;
use crate::redact::invisible;
use crate::review::read;
use std::io::Write as _;

/// What the clone's configuration says, by name.
pub(crate) const SETTINGS: [(&str, &str); 4] = [
    ("diff.contextpack.textconv", "contextpack git textconv"),
    ("merge.contextpack.name", "rebuild context packs from the merged inputs"),
    ("merge.contextpack.driver", "contextpack git merge %A %B %P"),
    // Packs of a common ancestor that is itself a merge are nobody's: one of them is as good as the other.
    ("merge.contextpack.recursive", "binary"),
];

/// Does what git asks for.
pub(crate) fn run(global: &Global, args: &GitArgs) -> Result<Exit, Failure> {
    match &args.command {
        GitCommand::Textconv { file } => {
            let bytes = super::read::file(file)?;
            // What is no pack, such as one with marks of a conflict, is shown as it is: git would show nothing at all.
            let text = read(&bytes).map(|pack| crate::render::pack(&pack).whole().into_bytes());
            let mut out = console::stdout();
            out.write_all(shown(&text.unwrap_or(bytes)).as_bytes())?;
            out.flush()?;
            Ok(Exit::Done)
        }
        GitCommand::Merge { ours, theirs, path } => merge::run(global, ours, theirs, path),
    }
}

/// A text for git to show. What no build leaves in a pack is written as an escape: git would show nothing at all of a
/// pack that is refused, and it does not look for what a terminal obeys.
fn shown(bytes: &[u8]) -> String {
    let mut shown = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        let (text, mut from) = (chunk.valid(), 0);
        for unseen in invisible(text) {
            shown.push_str(&text[from..unseen.start]);
            shown.extend(text[unseen.clone()].chars().map(|c| c.escape_unicode().to_string()));
            from = unseen.end;
        }
        shown.push_str(&text[from..]);
        shown.extend(chunk.invalid().iter().map(|byte| format!("\\x{byte:02x}")));
    }
    shown
}
