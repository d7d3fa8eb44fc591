//! `serve` answers read requests of this machine only, and reports when packs change.

use crate::cli::small;
use crate::sandbox::Sandbox;
use serde_json::Value;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

/// The server, for as long as the test runs.
pub(crate) struct Served {
    child: Child,
    /// `127.0.0.1:PORT`.
    host: String,
    /// The path of the page.
    pub(crate) base: String,
}

impl Drop for Served {
    fn drop(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

/// An answer: its status, its head in lower case, its body.
pub(crate) struct Answer {
    pub(crate) status: u16,
    head: String,
    pub(crate) body: String,
}

impl Answer {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
    }
}

impl Served {
    pub(crate) fn new(sandbox: &Sandbox, args: &[&str]) -> Self {
        let mut child =
            sandbox.command(args).stdout(Stdio::piped()).stderr(Stdio::null()).stdin(Stdio::null()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let (host, word) = line.trim().strip_prefix("http://").unwrap().split_once('/').unwrap();
        Self { child, host: host.to_owned(), base: format!("/{word}") }
    }

    /// Sends exactly these lines as the head of a request, and `Connection: close`.
    fn ask(&self, head: &str) -> Answer {
        let mut stream = TcpStream::connect(&self.host).unwrap();
        stream.write_all(format!("{head}\r\nConnection: close\r\n\r\n").as_bytes()).unwrap();
        let mut text = String::new();
        stream.read_to_string(&mut text).unwrap();
        let (head, body) = text.split_once("\r\n\r\n").unwrap();
        Answer {
            status: head.split(' ').nth(1).unwrap().parse().unwrap(),
            head: head.replace("\r\n", "\n").to_lowercase(),
            body: body.to_owned(),
        }
    }

    pub(crate) fn get(&self, path: &str, more: &str) -> Answer {
        self.ask(&format!("GET {path} HTTP/1.1\r\nHost: {}{more}", self.host))
    }
}

#[test]
fn the_page_and_its_data_are_there_for_whoever_has_the_address() {
    let sandbox = small();
    sandbox.expect(0, &["build", "-q"]);
    let served = Served::new(&sandbox, &["page", "--serve"]);
    let page = served.get(&served.base, "");
    assert_eq!(page.status, 200, "{}", page.head);
    let policy = page.header("content-security-policy").unwrap();
    assert!(policy.contains("default-src 'none'") && policy.contains("frame-ancestors 'none'"), "{policy}");
    assert_eq!(page.header("x-content-type-options"), Some("nosniff"));
    assert_eq!(page.header("cache-control"), Some("no-store"));
    assert_eq!(page.header("access-control-allow-origin"), None);
    let data = served.get(&format!("{}packs.json", served.base), "").body;
    // Besides the policy and the tag it is the page that `page -o -` writes.
    let (_, data) = data.split_once("\"changed\":").unwrap();
    let data = data.strip_suffix('}').unwrap();
    assert!(page.body.contains(data) && sandbox.expect(0, &["page", "-o", "-"]).contains(data));
    let local = format!("GET {} HTTP/1.1\r\nHost: {}", served.base, served.host.replace("127.0.0.1", "localhost"));
    assert_eq!(served.ask(&local).status, 200);
}

#[test]
fn everybody_else_is_refused() {
    let sandbox = small();
    sandbox.expect(0, &["build", "-q"]);
    let (one, other) =
        (Served::new(&sandbox, &["page", "--serve"]), Served::new(&sandbox, &["page", "--serve", "packs"]));
    assert_ne!(one.base, other.base, "the word is drawn by lot");
    assert_eq!(one.base.len(), 34);
    for path in ["/", "/packs.json", &other.base, &format!("{}../", one.base), &format!("{}x", one.base)] {
        assert_eq!(one.get(path, "").status, 404, "{path}");
    }
    let port = one.host.split(':').nth(1).unwrap();
    for host in ["evil.example", &format!("evil.example:{port}"), "127.0.0.1", "127.0.0.1:1", "", "0.0.0.0"] {
        let answer = one.ask(&format!("GET {} HTTP/1.1\r\nHost: {host}", one.base));
        assert_eq!(answer.status, 421, "{host}");
        assert!(!answer.body.contains("feat:cache"));
    }
    // An absolute address, as sent to proxies.
    for (host, status) in [(one.host.as_str(), 200), ("evil.example", 421)] {
        let answer = one.ask(&format!("GET http://{host}{} HTTP/1.1\r\nHost: {}", one.base, one.host));
        assert_eq!(answer.status, status, "{host}");
    }
    // Two hosts, and none.
    assert_eq!(one.get(&one.base, "\r\nHost: evil.example").status, 421);
    assert_eq!(one.ask(&format!("GET {} HTTP/1.1\r\nAccept: */*", one.base)).status, 421);
    for method in ["POST", "PUT", "DELETE", "OPTIONS", "HEAD", "PATCH"] {
        let answer = one.ask(&format!("{method} {} HTTP/1.1\r\nHost: {}\r\nContent-Length: 0", one.base, one.host));
        assert_eq!((answer.status, answer.header("allow")), (405, Some("get")), "{method}");
    }
    assert_eq!(one.get(&one.base, "").status, 200, "and goes on");
}

/// The tag in an answer of `packs.json`.
pub(crate) fn tag(body: &str) -> String {
    let changes: Value = serde_json::from_str(body).unwrap();
    changes["tag"].as_str().unwrap().to_owned()
}

#[test]
fn the_packs_that_changed_are_told_and_no_others() {
    let sandbox = small();
    let served = Served::new(&sandbox, &["page", "--serve"]);
    let path = format!("{}packs.json", served.base);
    let again = |tag: &str| served.get(&format!("{path}?since={tag}"), "");
    let none = served.get(&path, "");
    assert!(none.body.contains("\"paths\":[]"), "the first build may come later: {}", none.body);
    let mut tag = self::tag(&none.body);
    assert_eq!((again(&tag).status, again(&tag).body.as_str()), (204, ""));
    let mut changed = |what: &str| {
        let answer = again(&tag);
        assert_eq!(answer.status, 200, "{what}");
        tag = self::tag(&answer.body);
        assert_eq!(again(&tag).status, 204, "{what}");
        let changes: Value = serde_json::from_str(&answer.body).unwrap();
        let names = changes["changed"]["packs"].as_array().unwrap().iter().map(|entry| entry["path"].clone());
        (names.collect::<Vec<Value>>(), changes["paths"].clone(), answer.body)
    };
    sandbox.expect(0, &["build", "-q"]);
    let (all, paths, body) = changed("a build");
    assert_eq!((Value::from(all.clone()), all.len()), (paths.clone(), 3));
    assert!(body.contains("We cache."));
    // As long as before, and within the same second. Only two packs hold the document.
    sandbox.write("docs/adr/0007-cache.md", sandbox.read("docs/adr/0007-cache.md").replace("We cache.", "We crash."));
    sandbox.expect(0, &["build", "-q"]);
    let (some, same, body) = changed("another text");
    assert!(body.contains("We crash.") && same == paths && !some.is_empty() && some.len() < 3, "{some:?}");
    std::fs::remove_file(sandbox.root().join("packs/feat-cache.coding.json")).unwrap();
    let (none, fewer, _) = changed("a pack that is gone");
    assert_eq!((none, fewer.as_array().unwrap().len()), (Vec::new(), 2));
    sandbox.write("packs/torn.json", "{");
    let (torn, _, body) = changed("a torn pack");
    assert_eq!(torn, ["packs/torn.json"]);
    assert!(body.contains("it is no context pack"));
    // A tag that is not known, such as one of another server, asks for everything.
    for unknown in ["", "x", "-1", "99"] {
        let changes: Value = serde_json::from_str(&again(unknown).body).unwrap();
        assert_eq!(changes["changed"]["packs"].as_array().unwrap().len(), 3, "{unknown}");
    }
}

/// Asks for the packs until the answer holds what is `wanted`.
fn until(served: &Served, what: &str, wanted: impl Fn(&str) -> bool) {
    let path = format!("{}packs.json", served.base);
    let started = Instant::now();
    loop {
        let body = served.get(&path, "").body;
        if wanted(&body) {
            return;
        }
        assert!(started.elapsed() < Duration::from_secs(60), "{what}: {body}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn the_page_follows_whatever_becomes_of_the_folder() {
    let sandbox = small();
    sandbox.expect(0, &["build", "-q"]);
    let served = Served::new(&sandbox, &["page", "--serve"]);
    let packs = sandbox.path("packs");
    std::fs::remove_dir_all(&packs).unwrap();
    until(&served, "no folder", |body| body.contains("\"paths\":[]"));
    sandbox.expect(0, &["build", "-q"]);
    until(&served, "a new folder", |body| body.contains("We cache."));
    std::fs::rename(&packs, sandbox.path("old")).unwrap();
    sandbox.write("docs/adr/0007-cache.md", sandbox.read("docs/adr/0007-cache.md").replace("We cache.", "We crash."));
    sandbox.expect(0, &["build", "-q"]);
    until(&served, "a folder in place of another", |body| body.contains("We crash.") && !body.contains("We cache."));
}

#[test]
fn one_odd_file_stops_no_pack_of_a_page() {
    let sandbox = small();
    sandbox.expect(0, &["build", "-q"]);
    let served = Served::new(&sandbox, &["page", "--serve"]);
    let large = std::fs::File::create(sandbox.path("packs/zzz.json")).unwrap();
    large.set_len((64 << 20) + 1).unwrap();
    if cfg!(unix) {
        sandbox.write("packs/a:b.json", "");
        sandbox.write("packs/a\\b.json", "");
    }
    until(&served, "a file that is too large", |body| body.contains("larger than 64 MiB"));
    sandbox.write("docs/adr/0007-cache.md", sandbox.read("docs/adr/0007-cache.md").replace("We cache.", "We crash."));
    sandbox.expect(0, &["build", "-q"]);
    until(&served, "another text", |body| body.contains("We crash.") && !body.contains("We cache."));
    // Nor does it stop those commands that read all packs.
    sandbox.expect(0, &["check"]);
    sandbox.expect(0, &["build"]);
    sandbox.expect(5, &["page", "-o", "-"]);
    let verified = sandbox.run(&["verify", "packs"]);
    assert_eq!(verified.code, 5);
    assert!(
        verified.stdout.contains("invalid: packs/zzz.json: it is larger")
            && verified.stdout.contains("valid: packs/feat-cache")
    );
}

/// As an archive with fixed times is unpacked.
#[cfg(unix)]
#[test]
fn a_pack_of_equal_length_and_time_is_another_one() {
    let sandbox = small();
    sandbox.expect(0, &["build", "-q"]);
    let path = sandbox.path("packs/feat-cache.coding.json");
    let old = std::time::SystemTime::now() - Duration::from_secs(3600);
    let write = |text: String| {
        let beside = sandbox.path("beside.json");
        std::fs::write(&beside, text).unwrap();
        std::fs::File::options().write(true).open(&beside).unwrap().set_modified(old).unwrap();
        std::fs::rename(&beside, &path).unwrap();
    };
    let text = std::fs::read_to_string(&path).unwrap();
    write(text.clone());
    let served = Served::new(&sandbox, &["page", "--serve", "packs"]);
    until(&served, "the first one", |body| body.contains("We cache."));
    std::thread::sleep(Duration::from_millis(2100));
    until(&served, "the first one at rest", |body| body.contains("We cache."));
    write(text.replace("We cache.", "We crash."));
    until(&served, "the second one", |body| body.contains("We crash."));
}

#[test]
fn watching_builds_and_says_what_is_fresh() {
    let sandbox = small();
    let served = Served::new(&sandbox, &["page", "--serve", "--watch", "--poll=100ms"]);
    let [packs, freshness] = ["packs.json", "freshness.json"].map(|name| format!("{}{name}", served.base));
    assert!(served.get(&packs, "").body.contains("We cache."), "the first build is done before the address is printed");
    let until = |path: &str, found: &dyn Fn(&str) -> bool| {
        let started = Instant::now();
        loop {
            let body = served.get(path, "").body;
            if found(&body) {
                return body;
            }
            assert!(started.elapsed() < Duration::from_secs(60), "{body}");
            std::thread::sleep(Duration::from_millis(20));
        }
    };
    let all_fresh = |body: &str| body.matches("\"fresh\"").count() == 3;
    until(&freshness, &all_fresh);
    sandbox.write("docs/adr/0007-cache.md", sandbox.read("docs/adr/0007-cache.md").replace("We cache.", "We crash."));
    until(&packs, &|body| body.contains("We crash."));
    until(&freshness, &all_fresh);
    // What is not built any more stays, and says so.
    sandbox.write("contextpack.yml", "no_such_field: 1\n");
    until(&freshness, &|body| body == r#"{"origin":null,"packs":{}}"#);
    assert!(served.get(&packs, "").body.contains("We crash."));
}

#[test]
fn packs_that_no_build_followed_become_stale_on_the_page() {
    let sandbox = small();
    sandbox.expect(0, &["build", "-q"]);
    let served = Served::new(&sandbox, &["page", "--serve"]);
    let path = format!("{}freshness.json", served.base);
    let until = |word: &str| {
        let started = Instant::now();
        while !served.get(&path, "").body.contains(word) {
            assert!(started.elapsed() < Duration::from_secs(60), "{word}");
            std::thread::sleep(Duration::from_millis(20));
        }
    };
    until("\"fresh\"");
    sandbox.write("docs/adr/0007-cache.md", sandbox.read("docs/adr/0007-cache.md").replace("We cache.", "We crash."));
    until("docs/adr/0007-cache.md changed");
}

#[test]
fn what_cannot_be_served_is_told() {
    let sandbox = small();
    sandbox.expect(2, &["page", "--serve", "nowhere"]);
    sandbox.expect(2, &["page", "--serve", "--watch", "feat:none"]);
    let served = Served::new(&sandbox, &["page", "--serve"]);
    let port = served.host.split(':').nth(1).unwrap();
    let run = sandbox.run(&["page", "--serve", "--port", port]);
    assert_eq!(run.code, 1, "{}", run.stderr);
    assert!(run.stderr.contains(&format!("cannot listen on `{}`", served.host)), "{}", run.stderr);
}
