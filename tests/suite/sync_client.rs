//! `sync` and `send_event` against a server and a clock in memory.

use contextpack::internals::config::{DenyList, RedactionSettings};
use contextpack::internals::github::{
    ApiBase, Ask, Clock, EventTarget, Response, SyncError, SyncLimits, SyncRequest, SyncSettings, SyncSummary, Tokens,
    Transport, send_event, sync,
};
use contextpack::internals::model::RepoPath;
use contextpack::internals::redact::Redactor;
use serde_json::json;
use std::path::Path;
use std::time::Duration;

/// A server that gives scripted answers in turn, then empty lists.
#[derive(Default)]
struct Script {
    answers: Vec<Result<Response, SyncError>>,
    asked: Vec<String>,
}

impl Transport for Script {
    fn send(&mut self, path: &str, ask: Ask<'_>) -> Result<Response, SyncError> {
        let (asked, last) = match ask {
            Ask::Post(body) => (format!("{path} {body}"), answer(204, &[], "")),
            _ => (path.to_owned(), answer(200, &[], "[]")),
        };
        self.asked.push(asked);
        if self.answers.is_empty() { Ok(last) } else { self.answers.remove(0) }
    }
}

/// A clock that advances by sleeping only.
#[derive(Default)]
struct Still {
    now: Duration,
    slept: Vec<u64>,
}

impl Clock for Still {
    fn now(&self) -> Duration {
        self.now
    }

    fn sleep(&mut self, time: Duration) {
        self.now += time;
        self.slept.push(time.as_secs());
    }
}

fn answer(status: u16, headers: &[(&str, &str)], body: &str) -> Response {
    let mut builder = http::Response::builder().status(status);
    for (name, value) in headers {
        builder = builder.header(*name, *value);
    }
    builder.body(body.into()).unwrap()
}

fn repo() -> Result<Response, SyncError> {
    Ok(answer(200, &[], r#"{"full_name": "o/r", "private": false, "open_issues_count": 1}"#))
}

/// The fields that every issue has besides.
const REST: &str =
    r#""body": null, "user": null, "labels": [], "milestone": null, "created_at": "2026-01-01T00:00:00Z""#;

fn cut() -> Result<Response, SyncError> {
    Err(SyncError::Network("cut".to_owned()))
}

fn setting(root: &Path, max_wait: u64) -> SyncSettings {
    SyncSettings {
        root: root.to_owned(),
        folder: RepoPath::new(".contextpack/github").unwrap(),
        host: "github.com".to_owned(),
        repo: "o/r".to_owned(),
        api: ApiBase::of_host("github.com").unwrap(),
        secrets: Tokens::default(),
        limits: SyncLimits { max_requests: None, max_wait: Duration::from_secs(max_wait) },
        denied: DenyList::new(&[]).unwrap(),
        cache: None,
    }
}

fn sync_in(root: &Path, answers: Vec<Result<Response, SyncError>>, max_wait: u64) -> (SyncSummary, Script, Still) {
    let setting = setting(root, max_wait);
    let (mut script, mut clock) = (Script { answers, asked: Vec::new() }, Still::default());
    clock.now = Duration::from_secs(1_000_000);
    let redactor = Redactor::new(&RedactionSettings::default());
    let summary = sync(&mut script, &mut clock, &mut |_| {}, &redactor, &setting, &SyncRequest::default());
    (summary, script, clock)
}

fn run(answers: Vec<Result<Response, SyncError>>, max_wait: u64) -> (SyncSummary, Vec<u64>) {
    let dir = tempfile::tempdir().unwrap();
    let (summary, _, clock) = sync_in(dir.path(), answers, max_wait);
    (summary, clock.slept)
}

#[test]
fn the_client_waits_as_long_as_the_server_asks_for() {
    let secondary = r#"{"message": "You have exceeded a secondary rate limit."}"#;
    let both = [("retry-after", "7"), ("x-ratelimit-remaining", "0"), ("x-ratelimit-reset", "1000050")];
    for (answers, waited) in [
        (vec![answer(403, &both, "")], vec![7]),
        (vec![answer(429, &both[..1], "")], vec![7]),
        (vec![answer(403, &both[1..], "")], vec![51]),
        (vec![answer(403, &[("x-ratelimit-remaining", "9")], secondary)], vec![60]),
        (vec![answer(429, &[], ""), answer(429, &[], ""), answer(429, &[], "")], vec![60, 120, 240]),
        (vec![answer(500, &[], ""), answer(502, &[], ""), answer(503, &[], "")], vec![1, 2, 4]),
        (vec![answer(200, &[], "[{\"number\":")], vec![1]),
    ] {
        let answers = answers.into_iter().map(Ok).chain([repo()]).collect();
        let (summary, slept) = run(answers, 1000);
        assert!(summary.error.is_none() && summary.complete, "{:?}", summary.error);
        assert_eq!(slept, waited);
    }
}

#[test]
fn all_waits_together_have_a_limit() {
    let limited = || Ok(answer(429, &[("retry-after", "50")], ""));
    let (summary, slept) = run(vec![limited(), limited(), limited()], 120);
    assert_eq!(slept, [50, 50]);
    assert!(matches!(summary.error, Some(SyncError::RateLimit(_))), "{:?}", summary.error);
    let (summary, slept) = run(vec![cut(), cut(), cut(), cut(), repo()], 120);
    assert_eq!(slept, [1, 2, 4]);
    assert!(matches!(summary.error, Some(SyncError::Network(_))), "{:?}", summary.error);
    // A token without permission is not a rate limit.
    let (summary, slept) = run(vec![Ok(answer(403, &[], r#"{"message": "Forbidden"}"#))], 120);
    let Some(SyncError::Auth(why)) = summary.error else { panic!("{:?}", summary.error) };
    assert!(slept.is_empty() && why.ends_with("may not read `o/r` (403): Forbidden"), "{why}");
}

#[test]
fn a_link_that_grows_with_every_page_ends() {
    let link = format!("<https://api.github.com/{}>; rel=\"next\"", "x".repeat(9000));
    let (summary, _) = run(vec![repo(), Ok(answer(200, &[("link", &link)], "[]"))], 10);
    assert!(matches!(summary.error, Some(SyncError::Server(_))), "{:?}", summary.error);
}

#[test]
fn an_answer_with_a_duplicate_key_is_refused_without_retry() {
    let twice = r#"[{"id": 1, "number": 1, "title": "one", "title": "two", "state": "open"}]"#;
    let dir = tempfile::tempdir().unwrap();
    let (summary, script, _) = sync_in(dir.path(), vec![repo(), Ok(answer(200, &[], twice))], 100);
    let Some(SyncError::Server(why)) = summary.error else { panic!("{:?}", summary.error) };
    assert_eq!(why, "an answer cannot be relied on: the key `title` appears twice in one object");
    assert_eq!((script.asked.len(), summary.changed.len()), (2, 0));
}

/// A server that takes this long for each answer, and lists issues without end.
struct Drip<'a>(Duration, &'a std::cell::Cell<Duration>);

impl Transport for Drip<'_> {
    fn send(&mut self, path: &str, _: Ask<'_>) -> Result<Response, SyncError> {
        self.1.set(self.1.get() + self.0);
        let n = self.1.get().as_secs();
        let link = format!("<https://api.github.com/p{n}>; rel=\"next\"");
        let pull = format!(r#"[{{"id": {n}, "number": {n}, "title": "x", "pull_request": {{"url": "x"}}}}]"#);
        if path == "/repos/o/r" { repo() } else { Ok(answer(200, &[("link", &link)], &pull)) }
    }
}

/// The clock that [`Drip`] advances.
struct Shared<'a>(&'a std::cell::Cell<Duration>);

impl Clock for Shared<'_> {
    fn now(&self) -> Duration {
        self.0.get()
    }

    fn sleep(&mut self, time: Duration) {
        self.0.set(self.0.get() + time);
    }
}

#[test]
fn slow_answers_use_up_the_time_that_a_run_may_wait() {
    for (each, most) in [(59, 7), (11, 301), (10, 1001)] {
        let dir = tempfile::tempdir().unwrap();
        let now = std::cell::Cell::new(Duration::from_secs(1_000_000));
        let setting = setting(dir.path(), 300);
        let redactor = Redactor::new(&RedactionSettings::default());
        let mut drip = Drip(Duration::from_secs(each), &now);
        let summary = sync(&mut drip, &mut Shared(&now), &mut |_| {}, &redactor, &setting, &SyncRequest::default());
        assert_eq!(summary.requests, most, "{each} s");
        match (each, summary.error) {
            (10, Some(SyncError::Server(why))) => assert!(why.contains("it goes on after 1000 pages"), "{why}"),
            (_, Some(SyncError::Network(why))) => assert!(why.contains("`--max-wait`"), "{why}"),
            (_, error) => panic!("{each} s: {error:?}"),
        }
    }
}

#[test]
fn redirects_stay_on_the_server_and_are_limited() {
    let to = |url: &str| Ok(answer(301, &[("location", url)], ""));
    for url in [
        "https://evil.example/repos/o/r",
        "https://api.github.com.evil/x",
        "http://api.github.com/x",
        "//evil.example/x",
        "x",
        "https://a",
        "",
    ] {
        let (summary, _) = run(vec![to(url)], 10);
        assert!(matches!(summary.error, Some(SyncError::Server(_))), "{url}: {:?}", summary.error);
        assert_eq!(summary.requests, 1);
    }
    let (summary, _) = run((0..20).map(|n| to(&format!("/{n}"))).collect(), 10);
    assert!(summary.error.is_some() && summary.requests < 10);
    for same in ["https://api.github.com/repositories/7", "https://api.github.com:443/x", "/x"] {
        let (summary, _) = run(vec![to(same), repo()], 10);
        assert!(summary.error.is_none(), "{same}");
    }
}

#[test]
fn names_from_a_server_lead_to_no_other_folder() {
    let dir = tempfile::tempdir().unwrap();
    let issue = |url: &str| {
        let body =
            format!(r#"[{{"id": 1, "number": 1, "title": "x", "state": "open", "repository_url": "{url}", {REST}}}]"#);
        Ok(answer(200, &[], &body))
    };
    for url in ["https://x/repos/../..", "https://x/repos/o/..", "https://x/repos/o/r/../../x", "https://x/repos//etc"]
    {
        let (summary, _, _) = sync_in(dir.path(), vec![repo(), issue(url)], 10);
        let inside = |(path, _): &(String, &str)| path.starts_with(".contextpack/github/o/r/");
        assert!(summary.changed.iter().all(inside), "{url}: {:?}", summary.changed);
    }
    let mut names: Vec<_> = std::fs::read_dir(dir.path()).unwrap().map(|e| e.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, [".contextpack"]);
}

#[test]
fn a_renamed_repo_keeps_its_configured_name() {
    let dir = tempfile::tempdir().unwrap();
    let renamed = Ok(answer(200, &[], r#"{"full_name": "new/name", "private": true}"#));
    let url = "https://x/repos/New/name";
    let issue =
        format!(r#"[{{"id": 1, "number": 1, "title": "x", "state": "open", "repository_url": "{url}", {REST}}}]"#);
    let (summary, _, _) = sync_in(dir.path(), vec![renamed, Ok(answer(200, &[], &issue))], 10);
    assert_eq!(summary.changed, [(".contextpack/github/o/r/1.json".to_owned(), "written")]);
    assert!(summary.diagnostics[0].message.contains("is named `new/name` now"));
}

#[test]
fn an_event_is_sent_again_until_the_server_takes_it() {
    let target = EventTarget {
        api: ApiBase::of_host("github.com").unwrap(),
        secrets: Tokens::default(),
        repo: "o/r".to_owned(),
        max_wait: Duration::from_secs(100),
    };
    let send = |answers: Vec<Result<Response, SyncError>>| {
        let (mut script, mut clock) = (Script { answers, asked: Vec::new() }, Still::default());
        let sent = send_event(&mut script, &mut clock, &target, "woken", &json!({"a": 1}));
        (sent.map_err(|error| error.to_string()), script.asked, clock.slept)
    };
    let asked = r#"/repos/o/r/dispatches {"client_payload":{"a":1},"event_type":"woken"}"#.to_owned();
    assert_eq!(send(vec![]), (Ok(()), vec![asked.clone()], vec![]));
    assert_eq!(send(vec![cut(), Ok(answer(502, &[], ""))]), (Ok(()), vec![asked; 3], vec![1, 2]));
    for (status, why) in [
        (401, "authentication failed"),
        (403, "it needs to write contents: No."),
        (404, "`o/r` is not visible"),
        (422, "status 422: No."),
    ] {
        let (sent, asked, _) = send(vec![Ok(answer(status, &[], r#"{"message": "No."}"#))]);
        assert!(sent.clone().is_err_and(|it| it.contains(why)) && asked.len() == 1, "{sent:?}");
    }
    let (sent, _, slept) = send(vec![Ok(answer(429, &[("retry-after", "101")], ""))]);
    assert!(sent.is_err_and(|it| it.contains("rate limit")) && slept.is_empty());
}

#[test]
fn links_are_found_by_their_relation_and_followed_by_path_and_query() {
    let links = r#"<https://internal:8443/api/v3/a?q=1,2&page=2>; rel="next", <https://x/a?page=9>; rel="last""#;
    let pages = vec![repo(), Ok(answer(200, &[("link", links)], "[]")), Ok(answer(200, &[("link", "<broken")], "[]"))];
    let dir = tempfile::tempdir().unwrap();
    let api = ApiBase::new("https://GHE.example.com/api/v3/").unwrap();
    assert_eq!((api.origin.as_str(), api.base.as_str()), ("https://ghe.example.com", "/api/v3"));
    let (mut script, mut clock) = (Script { answers: pages, asked: Vec::new() }, Still::default());
    let redactor = Redactor::new(&RedactionSettings::default());
    let setting = SyncSettings { api, ..setting(dir.path(), 10) };
    sync(&mut script, &mut clock, &mut |_| {}, &redactor, &setting, &SyncRequest::default());
    assert_eq!(script.asked[2..], ["/api/v3/a?q=1,2&page=2"]);
}

#[test]
fn addresses_are_encrypted_or_on_this_machine() {
    assert!(ApiBase::new("http://127.0.0.1:8080").is_ok());
    assert_eq!(ApiBase::of_host("acme.ghe.com").unwrap().origin, "https://api.acme.ghe.com");
    for (wrong, why) in [
        ("http://u:p@example.com", "`example.com` is not the address"),
        ("http://example.com", "`http://example.com` is not encrypted"),
        ("", "is not the address"),
        ("api.github.com", "is not the address"),
        ("ftp://example.com", "is not the address"),
        ("https://", "is not the address"),
        ("https://a b", "is not the address"),
        ("https://x/?q", "is not the address"),
    ] {
        assert!(ApiBase::new(wrong).is_err_and(|error| error.to_string().contains(why)), "{wrong}");
    }
}

#[test]
fn a_message_of_the_server_is_shown_unless_it_holds_a_part_of_a_token() {
    let others = ["tok-0123456789-abc-longer".to_owned(), String::new()];
    let secrets = Tokens::new(Some("tok-0123456789-abc".to_owned()), others);
    let printed = format!("{secrets:?}");
    assert!(printed.contains("authenticated: true") && !printed.contains("tok-"), "{printed}");
    let masked = secrets.mask("a tok-0123456789-abc b tok-0123456789-abc-longer c");
    assert_eq!(masked, "a [REDACTED:token] b [REDACTED:token] c");

    let shown = |message: &str| {
        let dir = tempfile::tempdir().unwrap();
        let refused = answer(401, &[], &json!({"message": message}).to_string());
        let (mut script, mut clock) = (Script { answers: vec![Ok(refused)], asked: Vec::new() }, Still::default());
        let setting = SyncSettings { secrets: secrets.clone(), ..setting(dir.path(), 10) };
        let redactor = Redactor::new(&RedactionSettings::default());
        let request = SyncRequest::default();
        let summary = sync(&mut script, &mut clock, &mut |_| {}, &redactor, &setting, &request);
        summary.error.unwrap().to_string()
    };
    let refused = "authentication failed: the token is not accepted (401)";
    assert_eq!(shown("Bad\u{1b}[31m\ncredentials"), format!("{refused}: Bad [31m credentials"));
    for echoed in [
        "Basic eC1hY2Nlc3MtdG9rZW46dG9rLTAxMjM0NTY3ODktYWJj",
        "%74%6f%6b%2d%30%31%32%33",
        "Bearer tok-0123456789-abc",
        "you sent …23456789-a…",
        "TOK-0123456789-ABC",
    ] {
        assert_eq!(shown(echoed), refused, "{echoed}");
    }
}
