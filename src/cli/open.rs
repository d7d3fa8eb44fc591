//! `contextpack open`: the page of one pack in a browser.

use super::args::{Global, OpenArgs};
use super::page::print_faults;
use super::{input, workspace};
use crate::console::{self, Exit, Failure, PathFailure, printable};
use crate::intake::Repo;
use crate::model::{RepoPath, slug};
use crate::review::{PageEntry, report_data, report_page};
use crate::seal::bytes_of;
use crate::store::{Folder, open_state};
use crate::wire::Pack;
use std::io::{self, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;

/// The folder of pages, which git ignores.
const PAGES: &str = ".contextpack/pages";

/// Writes the page of a pack, prints its path, and opens it unless only the path is asked for.
pub(crate) fn run(global: &Global, args: &OpenArgs) -> Result<Exit, Failure> {
    let (pack, exit) = input::pack(global, &args.target.pack(), true)?;
    let Some(pack) = pack else { return Ok(exit) };
    let name = file_name(&pack);
    let entry = PageEntry::new(&name.replace(".html", ".json"), &bytes_of(&pack));
    let page = report_page(&report_data(std::iter::once(&entry)), "{}", None);
    let root = Repo::find_root(&std::env::current_dir()?)?;
    open_state(&root)?;
    let folder = RepoPath::new(PAGES).map_err(|_| Failure::usage("the pages have no folder"))?;
    let folder = Folder::open(&root, &folder)?;
    folder.write_once(".gitignore", b"# Pages of `contextpack open`. All of them can be made again.\n*\n")?;
    folder.write(&name, page.as_bytes())?;
    let path = folder.path().join(&name);
    writeln!(console::stdout(), "{}", printable(&workspace::from_here(&format!("{PAGES}/{name}"))))?;
    if !args.print {
        start(&path).map_err(|error| PathFailure::failure("show in a browser", path.display().to_string(), error))?;
    }
    Ok(exit.and(print_faults(&[Arc::new(entry)])?))
}

/// Names the page of a pack after its root, profile and agent.
fn file_name(pack: &Pack) -> String {
    let root = pack.root.work_item_id.as_deref().or(pack.root.issue_url.as_deref()).unwrap_or("pack");
    let agent = pack.agent.as_ref().filter(|agent| agent.key != root).map(|agent| format!("@{}", slug(&agent.key)));
    format!("{}.{}{}.html", slug(root), slug(&pack.profile), agent.unwrap_or_default())
}

/// Starts the program with which the system opens files.
fn start(path: &Path) -> io::Result<()> {
    let program = match std::env::consts::OS {
        "macos" => "open",
        "windows" => "explorer",
        _ => "xdg-open",
    };
    let mut command = Command::new(program);
    command.arg(path).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let status = command.status()?;
    // The explorer of Windows ends with 1 whatever it did.
    if status.success() || cfg!(windows) {
        Ok(())
    } else {
        Err(io::Error::other(format!("`{program}` failed: open the file yourself")))
    }
}
