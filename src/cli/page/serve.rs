//! `contextpack serve`: the page on this machine's own loopback.
//!
//! Other pages in the browser, and other users of the machine, must not read packs by it: it answers only under a name
//! of the loopback, so that no foreign name can be made to point here, and only where the address has a word drawn by
//! lot.

use super::packs::Packs;
use super::report::tell_faults;
use crate::cli::args::{Global, ServeArgs};
use crate::cli::console;
use crate::cli::exit::Exit;
use crate::cli::failure::{Failure, PathFailure};
use contextpack::model::Digest;
use contextpack::review::{report_page, report_policy};
use http::header::{ALLOW, CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG, HOST, IF_NONE_MATCH};
use http::{HeaderMap, HeaderName, HeaderValue, Method, Response, StatusCode};
use http_body_util::Full;
use hyper::body::Bytes;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use std::cell::RefCell;
use std::convert::Infallible;
use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::net::{Ipv4Addr, TcpListener};
use std::rc::Rc;
use std::time::Duration;

/// How long a client may take to say what it wants.
const PATIENCE: Duration = Duration::from_secs(10);

/// Serves packs until it is stopped.
pub(crate) fn run(global: &Global, args: &ServeArgs) -> Result<Exit, Failure> {
    let packs = Packs::open(global, &args.packs)?;
    tell_faults(&packs)?;
    let refused = |error| PathFailure::failure("listen on", format!("127.0.0.1:{}", args.port), error);
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, args.port)).map_err(refused)?;
    listener.set_nonblocking(true)?;
    let site = Site::new(listener.local_addr()?.port(), packs)?;
    if !global.quiet {
        writeln!(console::stderr(), "serving {} packs; Ctrl-C ends it", site.shown.borrow().packs.entries().len())?;
    }
    let mut out = console::stdout();
    writeln!(out, "http://{}{}", site.hosts[0], site.base)?;
    out.flush()?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    tokio::task::LocalSet::new().block_on(&runtime, serve(listener, Rc::new(site)))?;
    Ok(Exit::Done)
}

async fn serve(listener: TcpListener, site: Rc<Site>) -> io::Result<()> {
    let listener = tokio::net::TcpListener::from_std(listener)?;
    loop {
        // One connection that does not come about is no reason to end the others.
        let Ok((stream, _)) = listener.accept().await else {
            tokio::time::sleep(Duration::from_millis(50)).await;
            continue;
        };
        let site = Rc::clone(&site);
        tokio::task::spawn_local(async move {
            let answer = service_fn(|request: http::Request<hyper::body::Incoming>| {
                let answer = site.answer(request.method(), request.uri().path(), request.headers());
                async { Ok::<_, Infallible>(answer) }
            });
            // Whoever hangs up early has no answer to get.
            let _ = hyper::server::conn::http1::Builder::new()
                .timer(TokioTimer::new())
                .header_read_timeout(PATIENCE)
                .serve_connection(TokioIo::new(stream), answer)
                .await;
        });
    }
}

/// What is served, and to whom.
struct Site {
    /// The names under which it may be asked for.
    hosts: [String; 2],
    /// The path of the page: a word drawn by lot between slashes.
    base: String,
    shown: RefCell<Shown>,
}

/// The packs as they were looked at last.
struct Shown {
    packs: Packs,
    data: String,
    /// Tells one state of the data from another.
    tag: String,
}

impl Site {
    fn new(port: u16, packs: Packs) -> Result<Self, Failure> {
        let mut word = [0_u8; 16];
        getrandom::fill(&mut word).map_err(|error| Failure::Outside(Box::new(error)))?;
        let mut base = String::from("/");
        for byte in word {
            // Writing to a `String` cannot fail.
            let _ = write!(base, "{byte:02x}");
        }
        base.push('/');
        let (data, tag) = tagged(&packs);
        let shown = RefCell::new(Shown { packs, data, tag });
        Ok(Self { hosts: [format!("127.0.0.1:{port}"), format!("localhost:{port}")], base, shown })
    }

    /// What is said to a request: the page, its data, or why neither.
    fn answer(&self, method: &Method, path: &str, headers: &HeaderMap) -> Response<Full<Bytes>> {
        let mut hosts = headers.get_all(HOST).iter();
        let (host, other) = (hosts.next(), hosts.next());
        if other.is_some() || !host.is_some_and(|host| self.hosts.iter().any(|own| own.as_bytes() == host.as_bytes())) {
            return plain(StatusCode::MISDIRECTED_REQUEST, "this is not the host that you asked for\n");
        }
        if method != Method::GET {
            let mut answer = plain(StatusCode::METHOD_NOT_ALLOWED, "there is nothing here but to be read\n");
            answer.headers_mut().insert(ALLOW, HeaderValue::from_static("GET"));
            return answer;
        }
        match path.strip_prefix(&self.base) {
            Some("") => self.page(),
            Some("packs.json") => self.data(headers),
            _ => plain(StatusCode::NOT_FOUND, "use the address that `contextpack serve` printed\n"),
        }
    }

    fn page(&self) -> Response<Full<Bytes>> {
        self.look();
        let shown = self.shown.borrow();
        answer(StatusCode::OK, "text/html; charset=utf-8", report_page(&shown.data, Some(&shown.tag)))
    }

    /// The data, unless the client has it by its tag.
    fn data(&self, headers: &HeaderMap) -> Response<Full<Bytes>> {
        self.look();
        let shown = self.shown.borrow();
        let tag = format!("\"{}\"", shown.tag);
        let has = headers.get(IF_NONE_MATCH).is_some_and(|has| has.as_bytes() == tag.as_bytes());
        let (status, data) =
            if has { (StatusCode::NOT_MODIFIED, String::new()) } else { (StatusCode::OK, shown.data.clone()) };
        let mut answer = answer(status, "application/json", data);
        if let Ok(tag) = HeaderValue::from_str(&tag) {
            answer.headers_mut().insert(ETAG, tag);
        }
        answer
    }

    /// Looks whether packs changed. A file that cannot be read just now, such as one that is being replaced, is as it
    /// was; the next request looks again.
    fn look(&self) {
        let mut shown = self.shown.borrow_mut();
        if shown.packs.look().unwrap_or(false) {
            (shown.data, shown.tag) = tagged(&shown.packs);
        }
    }
}

fn tagged(packs: &Packs) -> (String, String) {
    let data = packs.data();
    let tag = Digest::of(&data).to_string().replace(':', "-");
    (data, tag)
}

fn plain(status: StatusCode, text: &'static str) -> Response<Full<Bytes>> {
    answer(status, "text/plain; charset=utf-8", text.to_owned())
}

/// An answer that no cache keeps, and that no other page frames, embeds or takes for something else.
fn answer(status: StatusCode, kind: &'static str, body: String) -> Response<Full<Bytes>> {
    let mut answer = Response::new(Full::new(Bytes::from(body)));
    *answer.status_mut() = status;
    let headers = answer.headers_mut();
    for (name, value) in [
        (CONTENT_TYPE, kind),
        (CACHE_CONTROL, "no-store"),
        (HeaderName::from_static("x-content-type-options"), "nosniff"),
        (HeaderName::from_static("referrer-policy"), "no-referrer"),
        (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
        (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    if let Ok(policy) = HeaderValue::from_str(&format!("{}; frame-ancestors 'none'", report_policy(true))) {
        headers.insert(CONTENT_SECURITY_POLICY, policy);
    }
    answer
}
