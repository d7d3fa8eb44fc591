//! `contextpack page --serve`: the page on the loopback interface.
//!
//! Other pages in the browser, and other users of the machine, must not be able to read packs. The server therefore answers
//! only for loopback host names, which prevents DNS rebinding, and only if the path contains a random word.

use super::packs::{CheckedFolder, PackFiles, by_item, check};
use crate::console::{self, Failure, PathFailure, Workspace, printable};
use crate::review::{
    Freshness, PackStatus, PageEntry, report_changes, report_data, report_freshness, report_page, report_policy,
};
use crate::watch::Watch;
use http::header::{ALLOW, HOST};
use http::{HeaderMap, HeaderValue, Method, Response, StatusCode, Uri};
use http_body_util::Full;
use hyper::body::Bytes;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::convert::Infallible;
use std::io::{self, Write as _};
use std::net::{Ipv4Addr, TcpListener};
use std::rc::Rc;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::Semaphore;

/// The shortest pause between two checks of packs that did not change.
const PAUSE: Duration = Duration::from_secs(2);

/// A pause is this many times as long as the check before it.
const REST: u32 = 20;

#[derive(Debug, Clone, Copy)]
struct ServerLimits {
    head: Duration,
    connection: Duration,
    /// The most open connections; further ones wait in the system's queue.
    connections: usize,
}

const LIMITS: ServerLimits =
    ServerLimits { head: Duration::from_secs(5), connection: Duration::from_secs(30), connections: 64 };

const LARGEST_HEAD: usize = 16 << 10;

pub(crate) struct PageServer {
    listener: TcpListener,
    site: Site,
}

impl PageServer {
    pub(crate) fn listen(port: u16, source: PageSource, begin: Option<&str>, quiet: bool) -> Result<Self, Failure> {
        let refused = |error| PathFailure::failure("listen on", format!("127.0.0.1:{port}"), error);
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).map_err(refused)?;
        listener.set_nonblocking(true)?;
        let site = Site::new(listener.local_addr()?.port(), source)?;
        if !quiet {
            writeln!(console::stderr(), "serving {} packs; Ctrl-C ends it", site.shown.borrow().entries.len())?;
        }
        let mut out = console::stdout();
        let begin = begin.map(|path| format!("#/{}", path.replace('/', "%2F"))).unwrap_or_default();
        writeln!(out, "http://{}{}{begin}", site.hosts[0], site.base)?;
        out.flush()?;
        Ok(Self { listener, site })
    }

    pub(crate) fn run(self) -> io::Result<()> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        tokio::task::LocalSet::new().block_on(&runtime, serve(self.listener, Rc::new(self.site), LIMITS))
    }
}

pub(crate) enum PageSource {
    /// Files on disk, how fresh they are, and what kept them from being listed when they last were.
    Files(PackFiles, BackgroundCheck, Option<String>),
    Agent(Arc<AgentPacks>),
}

type PageState = (Vec<Arc<PageEntry>>, String);

impl PageSource {
    pub(crate) fn files(workspace: Workspace, packs: PackFiles) -> Self {
        Self::Files(packs, BackgroundCheck { workspace, state: Arc::default() }, None)
    }

    /// Returns the packs as they are now. A file that cannot be read, for example while it is replaced, keeps its last state until
    /// the next call. If the files cannot be listed, the packs stay as they were, and the reason is printed once.
    fn state(&mut self) -> PageState {
        let (packs, check, last_fault) = match self {
            Self::Files(packs, check, last_fault) => (packs, check, last_fault),
            Self::Agent(packs) => return lock(&packs.0).clone(),
        };
        let (changed, fault) = match packs.refresh() {
            Ok(changed) => (changed, None),
            Err(failure) => (false, Some(failure.message())),
        };
        if let Some(message) = fault.as_ref().filter(|_| fault != *last_fault) {
            // Nobody may read the messages of a server.
            let _ = writeln!(console::stderr(), "error: {}", printable(message));
        }
        *last_fault = fault;
        check.poll(changed);
        (packs.entries(), packs.freshness(lock(&check.state).found.as_ref()))
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The packs of an agent as a watch last built them. The watch and the server share it.
#[derive(Default)]
pub(crate) struct AgentPacks(Mutex<PageState>);

impl AgentPacks {
    pub(crate) fn update(&self, watch: &Watch) -> Result<(), Failure> {
        let folder = watch.delivered();
        let mut names = folder.list()?;
        names.sort_by(|a, b| by_item(a, b));
        let mut entries = Vec::new();
        for name in &names {
            entries.extend(folder.read(name)?.map(|bytes| Arc::new(PageEntry::new(name, &bytes))));
        }
        let (status, reasons) = match watch.is_current() {
            true => (PackStatus::Fresh, Vec::new()),
            false => (PackStatus::Stale, vec!["the last build failed: see its terminal".to_owned()]),
        };
        let freshness = Freshness { status, reasons };
        let freshness = report_freshness(None, &names.iter().map(|name| (name.as_str(), &freshness)).collect());
        *lock(&self.0) = (entries, freshness);
        Ok(())
    }
}

/// Compares the packs in the background, so that the server does not wait for builds.
pub(crate) struct BackgroundCheck {
    workspace: Workspace,
    state: Arc<Mutex<CheckState>>,
}

#[derive(Default)]
struct CheckState {
    found: Option<CheckedFolder>,
    running: bool,
    /// When the inputs may have changed, so that another check is due; at once if it is not known.
    due: Option<Instant>,
}

impl BackgroundCheck {
    fn poll(&self, packs_changed: bool) {
        let mut state = lock(&self.state);
        if packs_changed {
            state.due = Some(Instant::now());
        }
        if state.running || state.due.is_some_and(|due| due > Instant::now()) {
            return;
        }
        state.due = None;
        let (workspace, shared) = (self.workspace.clone(), Arc::clone(&self.state));
        let run = move || {
            let began = Instant::now();
            let found = check(&workspace);
            let mut state = lock(&shared);
            (state.found, state.running) = (found, false);
            // Packs that changed meanwhile are checked at once.
            state.due.get_or_insert(Instant::now() + (began.elapsed() * REST).max(PAUSE));
        };
        // Without a thread the packs keep the state that they have.
        state.running = std::thread::Builder::new().spawn(run).is_ok();
    }
}

async fn serve(listener: TcpListener, site: Rc<Site>, limits: ServerLimits) -> io::Result<()> {
    let listener = tokio::net::TcpListener::from_std(listener)?;
    let open = Arc::new(Semaphore::new(limits.connections));
    loop {
        // The semaphore is never closed.
        let Ok(permit) = Arc::clone(&open).acquire_owned().await else { return Ok(()) };
        // A failed connection must not end the others.
        let Ok((stream, _)) = listener.accept().await else {
            tokio::time::sleep(Duration::from_millis(50)).await;
            continue;
        };
        let site = Rc::clone(&site);
        tokio::task::spawn_local(async move {
            let answer = service_fn(|request: http::Request<hyper::body::Incoming>| {
                let answer = site.answer(request.method(), request.uri(), request.headers());
                async { Ok::<_, Infallible>(answer) }
            });
            let connection = hyper::server::conn::http1::Builder::new()
                .timer(TokioTimer::new())
                .header_read_timeout(limits.head)
                .keep_alive(false)
                .max_buf_size(LARGEST_HEAD)
                .serve_connection(TokioIo::new(stream), answer);
            // A client that hangs up or does not read in time gets no response.
            let _ = tokio::time::timeout(limits.connection, connection).await;
            drop(permit);
        });
    }
}

/// The packs as they were last read. All responses share one copy of the page.
struct ServedPage {
    source: PageSource,
    /// The packs, each with the version in which it last changed.
    entries: Vec<(Arc<PageEntry>, u64)>,
    version: u64,
    page: Option<Bytes>,
    freshness: String,
}

impl ServedPage {
    /// Reads the packs again. Those that say what they said before keep their version.
    fn refresh(&mut self) {
        let (entries, freshness) = self.source.state();
        let next = self.version + 1;
        let old: BTreeMap<&str, _> = self.entries.iter().map(|old| (old.0.path(), old)).collect();
        let versioned = entries.into_iter().map(|entry| {
            let same = old.get(entry.path()).filter(|(old, _)| *old == entry);
            let since = same.map_or(next, |(_, since)| *since);
            (entry, since)
        });
        let entries: Vec<_> = versioned.collect();
        let is_same = entries.len() == old.len() && entries.iter().all(|(_, since)| *since != next);
        self.entries = entries;
        if !is_same {
            self.version = next;
        }
        if !is_same || freshness != self.freshness {
            (self.freshness, self.page) = (freshness, None);
        }
    }

    fn page(&mut self) -> Bytes {
        let make = || {
            let data = report_data(self.entries.iter().map(|(entry, _)| entry.as_ref()));
            report_page(&data, &self.freshness, Some(&self.version.to_string()), None).into()
        };
        self.page.get_or_insert_with(make).clone()
    }

    /// Returns what changed since the version in `query`, as `since=7`, or everything if that version is not known; `None` if
    /// nothing did.
    fn changes(&self, query: Option<&str>) -> Option<String> {
        let since = query.and_then(|query| query.strip_prefix("since=")?.parse().ok());
        let since = since.filter(|since: &u64| *since <= self.version);
        let paths: Vec<&str> = self.entries.iter().map(|(entry, _)| entry.path()).collect();
        let changed = self.entries.iter().filter(|(_, version)| since.is_none_or(|since| *version > since));
        let changed = changed.map(|(entry, _)| entry.as_ref());
        (since != Some(self.version)).then(|| report_changes(&self.version.to_string(), &paths, changed))
    }
}

struct Site {
    hosts: [String; 2],
    /// The path of the page: a random word between slashes.
    base: String,
    shown: RefCell<ServedPage>,
}

impl Site {
    fn new(port: u16, mut source: PageSource) -> Result<Self, Failure> {
        let mut word = [0_u8; 16];
        getrandom::fill(&mut word).map_err(|error| Failure::Outside(Box::new(error)))?;
        let base = format!("/{:032x}/", u128::from_be_bytes(word));
        let (entries, freshness) = source.state();
        let entries = entries.into_iter().map(|entry| (entry, 0)).collect();
        let shown = RefCell::new(ServedPage { source, entries, version: 0, page: None, freshness });
        // Clients leave out the port of HTTP.
        let of = |host: &str| if port == 80 { host.to_owned() } else { format!("{host}:{port}") };
        Ok(Self { hosts: ["127.0.0.1", "localhost"].map(of), base, shown })
    }

    fn answer(&self, method: &Method, uri: &Uri, headers: &HeaderMap) -> Response<Full<Bytes>> {
        let plain = |status, text: &'static str| answer(status, "text/plain; charset=utf-8", text.into());
        let json = |status, text: String| answer(status, "application/json", text.into());
        let mut hosts = headers.get_all(HOST).iter();
        let (host, other) = (hosts.next(), hosts.next());
        let is_own = |host: &[u8]| self.hosts.iter().any(|own| own.as_bytes() == host);
        // The host in an absolute address, as sent to proxies, overrides the header.
        let elsewhere = uri.authority().is_some_and(|host| !is_own(host.as_str().as_bytes()));
        if elsewhere || other.is_some() || !host.is_some_and(|host| is_own(host.as_bytes())) {
            return plain(StatusCode::MISDIRECTED_REQUEST, "this is not the host that you asked for\n");
        }
        if method != Method::GET {
            let mut answer = plain(StatusCode::METHOD_NOT_ALLOWED, "there is nothing here but to be read\n");
            answer.headers_mut().insert(ALLOW, HeaderValue::from_static("GET"));
            return answer;
        }
        let Some(path @ ("" | "packs.json" | "freshness.json")) = uri.path().strip_prefix(&self.base) else {
            return plain(StatusCode::NOT_FOUND, "use the address that `contextpack page --serve` printed\n");
        };
        let mut shown = self.shown.borrow_mut();
        shown.refresh();
        match path {
            "" => answer(StatusCode::OK, "text/html; charset=utf-8", shown.page()),
            "packs.json" => match shown.changes(uri.query()) {
                Some(changes) => json(StatusCode::OK, changes),
                None => json(StatusCode::NO_CONTENT, String::new()),
            },
            _ => json(StatusCode::OK, shown.freshness.clone()),
        }
    }
}

/// Returns a response that is not cached, and that no other page can frame, embed or reinterpret.
fn answer(status: StatusCode, kind: &'static str, body: Bytes) -> Response<Full<Bytes>> {
    let mut answer = Response::new(Full::new(body));
    *answer.status_mut() = status;
    for (name, value) in [
        ("content-type", kind),
        ("cache-control", "no-store"),
        ("x-content-type-options", "nosniff"),
        ("referrer-policy", "no-referrer"),
        ("cross-origin-resource-policy", "same-origin"),
        ("cross-origin-opener-policy", "same-origin"),
    ] {
        answer.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    if let Ok(policy) = HeaderValue::from_str(&format!("{}; frame-ancestors 'none'", report_policy(true))) {
        answer.headers_mut().insert("content-security-policy", policy);
    }
    answer
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use crate::model::Untracked;
    use std::io::Read as _;
    use std::net::TcpStream;

    /// More than the buffers of both ends hold, and little enough to be read in time on a machine that is busy.
    const PAGE: usize = 16 << 20;
    const SHORT: ServerLimits =
        ServerLimits { head: Duration::from_millis(300), connection: Duration::from_secs(3), connections: 1 };

    fn empty() -> PageSource {
        let folder = tempfile::tempdir().unwrap();
        let given = [folder.path().to_owned()];
        let workspace = Workspace { config: None, untracked: Untracked::Trusted, verbose: false };
        PageSource::files(workspace.clone(), PackFiles::open(&workspace, &given).unwrap())
    }

    fn served(client: impl FnOnce(&str, &str) + Send + 'static) {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        listener.set_nonblocking(true).unwrap();
        let site = Site::new(listener.local_addr().unwrap().port(), empty()).unwrap();
        site.shown.borrow_mut().page = Some(vec![b'x'; PAGE].into());
        let (host, base) = (site.hosts[0].clone(), site.base.clone());
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        tokio::task::LocalSet::new().block_on(&runtime, async move {
            let serving = tokio::task::spawn_local(serve(listener, Rc::new(site), SHORT));
            tokio::task::spawn_blocking(move || client(&host, &base)).await.unwrap();
            assert!(!serving.is_finished());
        });
    }

    fn asked(host: &str, base: &str) -> TcpStream {
        let mut stream = TcpStream::connect(host).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        write!(stream, "GET {base} HTTP/1.1\r\nHost: {host}\r\n\r\n").unwrap();
        stream
    }

    fn read(mut stream: TcpStream) -> usize {
        let mut bytes = Vec::new();
        // A connection that the server gave up may end in an error.
        let _reset = stream.read_to_end(&mut bytes);
        bytes.len()
    }

    #[test]
    fn an_answer_that_is_not_read_ends_and_frees_its_place() {
        served(|host, base| {
            let slow = asked(host, base);
            std::thread::sleep(Duration::from_millis(100));
            // It waits for the only place, and gets all.
            assert!(read(asked(host, base)) > PAGE);
            assert!(read(slow) < PAGE);
        });
    }

    #[test]
    fn a_head_that_does_not_come_ends_the_connection() {
        served(|host, base| {
            for head in ["", "GET / HTTP/1.1\r\nHost: "] {
                let started = Instant::now();
                let mut silent = TcpStream::connect(host).unwrap();
                silent.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
                silent.write_all(head.as_bytes()).unwrap();
                read(silent);
                assert!(started.elapsed() < Duration::from_secs(10), "{head}");
            }
            assert!(read(asked(host, base)) > PAGE, "and goes on");
        });
    }
}
