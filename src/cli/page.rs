//! `contextpack report` and `open`: packs, or one pack, on a page for a browser.

use super::args::{Global, OpenArgs, ReportArgs};
use super::input::{self, from_here};
use crate::console::report::print_invalid_pack;
use crate::console::{self, Exit, Failure, PathFailure, printable};
use crate::intake::Repo;
use crate::model::{RepoPath, slug};
use crate::page::{self as packs_page, PackFiles};
use crate::review::{PageEntry, report_data, report_page};
use crate::seal::bytes_of;
use crate::store::{Folder, open_state};
use crate::wire::Pack;
use std::io::{self, IsTerminal as _, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;

pub(crate) fn report(global: &Global, args: &ReportArgs) -> Result<Exit, Failure> {
    if args.out.is_none() && std::io::stdout().is_terminal() {
        return Err(Failure::usage("a page is for a browser: write it with `-o report.html`"));
    }
    let packs = PackFiles::open(&global.workspace(), &args.packs)?;
    let entries = packs.entries();
    if entries.is_empty() {
        return Err(Failure::usage("there is no pack to show: `contextpack build` writes them"));
    }
    let freshness = packs.freshness(packs_page::check(&global.workspace()).as_ref());
    let page = report_page(&report_data(entries.iter().map(AsRef::as_ref)), &freshness, None);
    match &args.out {
        None => console::exact().write_all(page.as_bytes())?,
        Some(file) => {
            write(file, &page)?;
            writeln!(console::stdout(), "{}", printable(&file.display().to_string()))?;
        }
    }
    print_faults(&entries)
}

fn write(file: &Path, page: &str) -> Result<(), Failure> {
    let Some(name) = file.file_name().and_then(|name| name.to_str()) else {
        return Err(Failure::usage(format!("`{}` is not a file name", file.display())));
    };
    // Renaming a file over a device or a FIFO would destroy it.
    if let Some(there) = file.symlink_metadata().ok().filter(|there| !there.is_file()) {
        let (file, what) = (file.display(), if there.is_symlink() { "a link" } else { "not a regular file" });
        let message = format!("`{file}` is {what}: name another file, or omit `-o` and redirect the output");
        return Err(Failure::usage(message));
    }
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    Folder::open_anywhere(folder)?.write(name, page.as_bytes())?;
    Ok(())
}

pub(super) fn print_faults(entries: &[Arc<PageEntry>]) -> Result<Exit, Failure> {
    let mut exit = Exit::Done;
    for entry in entries {
        for fault in entry.faults() {
            print_invalid_pack(entry.path(), fault)?;
            exit = Exit::Invalid;
        }
    }
    Ok(exit)
}

const PAGES: &str = ".contextpack/pages";

pub(crate) fn open(global: &Global, args: &OpenArgs) -> Result<Exit, Failure> {
    let (pack, exit) = input::pack(global, &args.target.pack(), true)?;
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
    writeln!(console::stdout(), "{}", printable(&from_here(&format!("{PAGES}/{name}"))))?;
    if !args.print {
        start(&path).map_err(|error| PathFailure::failure("show in a browser", path.display().to_string(), error))?;
    }
    Ok(exit.and(print_faults(&[Arc::new(entry)])?))
}

fn file_name(pack: &Pack) -> String {
    let root = pack.root.work_item_id.as_deref().or(pack.root.issue_url.as_deref()).unwrap_or("pack");
    let agent = pack.agent.as_ref().filter(|agent| agent.key != root).map(|agent| format!("@{}", slug(&agent.key)));
    format!("{}.{}{}.html", slug(root), slug(&pack.profile), agent.unwrap_or_default())
}

fn start(path: &Path) -> io::Result<()> {
    let program = match std::env::consts::OS {
        "macos" => "open",
        "windows" => "explorer",
        _ => "xdg-open",
    };
    let mut command = Command::new(program);
    command.arg(path).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    // The explorer of Windows ends with 1 whatever it did.
    match command.status()?.success() || cfg!(windows) {
        true => Ok(()),
        false => Err(io::Error::other(format!("`{program}` failed: open the file yourself"))),
    }
}
