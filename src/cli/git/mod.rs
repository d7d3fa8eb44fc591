//! `contextpack git`: what git runs for packs, once `init --git` has told it to.

mod merge;

use super::args::{GitArgs, GitCommand, Global};
use super::exit::Exit;
use super::failure::Failure;
use contextpack::review::read;
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
            let text = read(&bytes).map(|pack| contextpack::render::pack(&pack).whole().into_bytes());
            std::io::stdout().lock().write_all(&text.unwrap_or(bytes))?;
            Ok(Exit::Done)
        }
        GitCommand::Merge { ours, theirs, path } => merge::run(global, ours, theirs, path),
    }
}
