//! `contextpack page`: packs, or the pack of one item, on a page for a browser, which `--serve` serves on this machine.

use super::args::{Global, PageArgs};
use super::input::{self, from_here};
use super::packs::no_packs;
use super::watch::{WatchReporter, events, refuse_typed, session_request, stamps};
use crate::console::report::print_invalid_pack;
use crate::console::{self, Exit, Failure, PathFailure, printable};
use crate::engine::{PackTarget, process_environment};
use crate::intake::Repo;
use crate::model::{RepoPath, slug};
use crate::page::{self as packs_page, AgentPacks, PackFiles, PageServer, PageSource};
use crate::review::{PageEntry, report_data, report_page, root_names};
use crate::seal::bytes_of;
use crate::store::{Folder, open_state};
use crate::watch::{Event, Watch};
use crate::wire::Pack;
use std::io::{self, IsTerminal as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;

struct Page {
    name: String,
    text: String,
    entries: Vec<Arc<PageEntry>>,
    exit: Exit,
}

pub(crate) fn run(global: &Global, args: &PageArgs) -> Result<Exit, Failure> {
    let items = args.shown.iter().filter(|shown| is_item(shown)).count();
    let is_built = items > 0 || args.agent.agent.is_some();
    if args.serve {
        return serve(global, args, is_built || args.watch);
    }
    let page = match &args.shown[..] {
        [] | [_] if is_built => of_item(global, args)?,
        _ if is_built => return Err(Failure::usage("a page shows one item, or packs and folders of packs")),
        shown => of_packs(global, shown)?,
    };
    match args.out.as_deref() {
        None => show(&page, args.open)?,
        Some(file) if file == "-" => console::exact().write_all(page.text.as_bytes())?,
        Some(file) => {
            write(file, &page.text)?;
            writeln!(console::stdout(), "{}", printable(&file.display().to_string()))?;
        }
    }
    Ok(page.exit.and(print_faults(&page.entries)?))
}

/// Returns whether an argument names an item: it is neither a folder or a pack, nor written as the file of one.
fn is_item(shown: &Path) -> bool {
    let is_json = shown.extension().is_some_and(|extension| extension == "json");
    let is_document = || shown.is_file() && !input::is_pack(&shown.to_string_lossy()).unwrap_or(true);
    !is_json && (!shown.exists() || is_document())
}

fn of_packs(global: &Global, shown: &[PathBuf]) -> Result<Page, Failure> {
    let packs = PackFiles::open(&global.workspace(), shown)?;
    let entries = packs.entries();
    if entries.is_empty() {
        return Err(Failure::usage(
            "there is no pack to show: `contextpack page ITEM` shows one as it is now, `contextpack build` writes all",
        ));
    }
    let freshness = packs.freshness(packs_page::check(&global.workspace()).as_ref());
    let text = report_page(&report_data(entries.iter().map(AsRef::as_ref)), &freshness, None, None);
    Ok(Page { name: "packs.html".to_owned(), text, entries, exit: Exit::Done })
}

/// Builds the pack of an item in memory, with which a page of all packs begins; or one for an agent, which is alone.
fn of_item(global: &Global, args: &PageArgs) -> Result<Page, Failure> {
    let item = args.shown.first().map(|item| item.to_string_lossy());
    let (pack, exit) = input::pack(global, &PackTarget::new(item.as_deref(), &args.budget, &args.agent), false, true)?;
    let name = file_name(&pack);
    let (mut others, mut freshness) = (Vec::new(), "{}".to_owned());
    if args.agent.agent.is_none() {
        let packs = PackFiles::open(&global.workspace(), &[])?;
        others = packs.entries();
        freshness = packs.freshness(packs_page::check(&global.workspace()).as_ref());
    }
    let names: Vec<String> =
        root_names(&pack.root).iter().map(|root| format!("{}.{}.json", slug(root), pack.profile)).collect();
    let is_own = |entry: &Arc<PageEntry>| names.iter().any(|name| entry.path().rsplit('/').next() == Some(name));
    let path = match others.iter().position(is_own) {
        Some(at) => others.remove(at).path().to_owned(),
        None => name.replace(".html", ".json"),
    };
    let entry = Arc::new(PageEntry::new(&path, &bytes_of(&pack)));
    let entries = std::iter::once(&entry).chain(&others).map(AsRef::as_ref);
    let text = report_page(&report_data(entries), &freshness, None, Some(&path));
    Ok(Page { name, text, entries: vec![entry], exit })
}

fn write(file: &Path, page: &str) -> Result<(), Failure> {
    let Some(name) = file.file_name().and_then(|name| name.to_str()) else {
        return Err(Failure::usage(format!("`{}` is not a file name", file.display())));
    };
    // Renaming a file over a device or a FIFO would destroy it.
    if let Some(there) = file.symlink_metadata().ok().filter(|there| !there.is_file()) {
        let (file, what) = (file.display(), if there.is_symlink() { "a link" } else { "not a regular file" });
        let message = format!("`{file}` is {what}: name another file, or redirect the output of `-o -`");
        return Err(Failure::usage(message));
    }
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let folder = Folder::open_anywhere(folder)?.unreserved(&Repo::find_root(Path::new("."))?)?;
    let is_page = |bytes: Vec<u8>| bytes.get(..15).is_some_and(|begin| begin.eq_ignore_ascii_case(b"<!doctype html>"));
    if std::fs::read(file).is_ok_and(|there| !there.is_empty() && !is_page(there)) {
        return Err(Failure::usage(format!("`{}` is there and is no page: name another file", file.display())));
    }
    folder.write(name, page.as_bytes())?;
    Ok(())
}

fn print_faults(entries: &[Arc<PageEntry>]) -> Result<Exit, Failure> {
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

/// Writes a page to the folder of pages, prints its path, and opens it if that was asked for or somebody looks at a terminal.
fn show(page: &Page, open: bool) -> Result<(), Failure> {
    let root = Repo::find_root(&std::env::current_dir()?)?;
    open_state(&root)?;
    let folder = RepoPath::new(PAGES).map_err(|_| Failure::usage("the pages have no folder"))?;
    let folder = Folder::open(&root, &folder)?;
    folder.write_once(".gitignore", b"# Pages of `contextpack page`. All of them can be made again.\n*\n")?;
    folder.write(&page.name, page.text.as_bytes())?;
    let path = folder.path().join(&page.name);
    writeln!(console::stdout(), "{}", printable(&from_here(&format!("{PAGES}/{}", page.name))))?;
    let opened = if open || std::io::stdout().is_terminal() { start(&path) } else { Ok(()) };
    match opened {
        Err(error) if open => Err(PathFailure::failure("show in a browser", path.display().to_string(), error)),
        _ => Ok(()),
    }
}

fn file_name(pack: &Pack) -> String {
    let root = pack.root.name().map_or("pack", String::as_str);
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

/// Serves finished packs, or those that it builds and follows.
fn serve(global: &Global, args: &PageArgs, is_built: bool) -> Result<Exit, Failure> {
    if is_built {
        return watched(global, args);
    }
    let workspace = global.workspace();
    let packs = PackFiles::open(&workspace, &args.shown)?;
    let entries = packs.entries();
    print_faults(&entries)?;
    if entries.is_empty() && args.shown.is_empty() {
        no_packs(global).map_or(Ok(()), |note| global.note(note))?;
    }
    PageServer::listen(args.port, PageSource::files(workspace, packs), None, global.quiet)?.run()?;
    Ok(Exit::Done)
}

/// Builds packs, for an agent in memory, and serves them until stopped.
fn watched(global: &Global, args: &PageArgs) -> Result<Exit, Failure> {
    let roots = args.shown.iter().map(|typed| typed.display().to_string()).collect();
    let request = session_request(global, roots, &args.agent, true)?;
    let (events, sender) = events(&request.root, args.poll)?;
    let is_delivered = args.agent.agent.is_some();
    let watch = Watch::new(request, process_environment(), events, stamps()?, false);
    let mut watch = if is_delivered { watch.in_memory() } else { watch };
    let reporter = WatchReporter { global, print: None, out: None, delivered: is_delivered };
    let mut report = watch.check();
    refuse_typed(&report)?;
    let packs = Arc::new(AgentPacks::default());
    let source = match is_delivered {
        true => {
            reporter.print_errors(&mut report, &watch)?;
            packs.update(&watch)?;
            PageSource::Agent(Arc::clone(&packs))
        }
        false => {
            reporter.print_first(report, &watch, args.poll)?;
            PageSource::files(global.workspace(), PackFiles::open(&global.workspace(), &[])?)
        }
    };
    let begin = watch.dir().zip(watch.focus().filter(|_| args.shown.len() == 1 && !is_delivered));
    let begin = begin.map(|(dir, name)| format!("{dir}/{name}"));
    let server = PageServer::listen(args.port, source, begin.as_deref(), global.quiet)?;
    let serving = std::thread::Builder::new().spawn(move || {
        let served = server.run();
        // The watch has ended already if nobody receives this.
        let _ = sender.send(Event::Stop);
        served
    })?;
    while let Some(mut report) = watch.next_report() {
        match is_delivered {
            true if report.is_quiet() => {}
            true => {
                reporter.print_errors(&mut report, &watch)?;
                packs.update(&watch)?;
            }
            false => reporter.print_update(report, &watch)?,
        }
    }
    serving.join().unwrap_or(Ok(()))?;
    Ok(Exit::Done)
}
