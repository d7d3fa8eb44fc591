//! `contextpack report`: packs on a page for a browser.

use super::args::{Global, ReportArgs};
use crate::console::report::print_invalid_pack;
use crate::console::{self, Exit, Failure, printable};
use crate::page::{self as packs_page, PackFiles};
use crate::review::{PageEntry, report_data, report_page};
use crate::store::Folder;
use std::io::{IsTerminal as _, Write as _};
use std::path::Path;
use std::sync::Arc;

/// Writes packs as one HTML page.
pub(crate) fn run(global: &Global, args: &ReportArgs) -> Result<Exit, Failure> {
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

/// Writes the file atomically.
fn write(file: &Path, page: &str) -> Result<(), Failure> {
    let Some(name) = file.file_name().and_then(|name| name.to_str()) else {
        return Err(Failure::usage(format!("`{}` is not a file name", file.display())));
    };
    // Renaming a file over a device or a FIFO would destroy it.
    let there = file.symlink_metadata().ok().filter(|there| !there.is_file());
    if let Some(there) = there {
        let what = if there.is_symlink() { "a link" } else { "not a regular file" };
        let message =
            format!("`{}` is {what}: name another file, or omit `-o` and redirect the output", file.display());
        return Err(Failure::usage(message));
    }
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    Folder::open_anywhere(folder)?.write(name, page.as_bytes())?;
    Ok(())
}

/// Prints which packs are not valid and why, and returns the exit code.
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
