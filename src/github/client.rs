//! A client that sends requests one after the other, and retries and waits as GitHub's documentation asks for.

use super::{ApiBase, Ask, Clock, Response, SyncError, SyncEvent, Tokens, Transport};
use crate::model::parse_json;
use regex::Regex;
use serde_json::{Value, json};
use std::sync::LazyLock;
use std::time::Duration;

/// The most retries of a request whose answer is missing or broken.
const MAX_TRIES: u32 = 3;
/// The wait for a secondary rate limit if the server does not say how long.
const SECONDARY_WAIT: Duration = Duration::from_secs(60);
const MAX_REDIRECTS: usize = 5;
/// The time that an answer may take before the rest counts as waiting.
const FREE_TIME: Duration = Duration::from_secs(10);
const MAX_LINK: usize = 8 << 10;
/// The last second of the year 9999, the largest that RFC 3339 can express.
const LAST_SECOND: u64 = 253_402_300_799;
/// The most values of one answer: a hundred issues with all fields at GitHub's limits have about a tenth of that.
///
/// A value takes far more memory than the two bytes that it may have in an answer.
const MAX_VALUES: usize = 500_000;

#[derive(Debug)]
pub(super) enum ApiAnswer {
    Page(ResponsePage),
    /// 304: not modified.
    Same,
    /// 404: it does not exist, or is not visible.
    Missing,
    /// 410: it was deleted, or switched off.
    Gone,
    /// 403 without a rate limit: the token may not read it; with the server's message.
    Refused(Option<String>),
}

#[derive(Debug, Default)]
pub(super) struct ResponsePage {
    /// The JSON. Of a file its text, or null if it is none; null if the answer is to what was sent.
    pub(super) value: Value,
    pub(super) etag: Option<String>,
    pub(super) next: Option<String>,
    /// The number of the last page, if the server reports it.
    pub(super) last: Option<u64>,
}

/// The requests that were sent, and those that user and server still allow.
#[derive(Debug, Clone, Default)]
pub(super) struct RequestBudget {
    pub(super) sent: u64,
    pub(super) most: Option<u64>,
    /// The requests that the server allows until `reset`.
    pub(super) remaining: Option<u64>,
    /// The time at which the server allows more, in seconds since 1970.
    pub(super) reset: Option<u64>,
}

pub(super) struct Client<'a> {
    pub(super) transport: &'a mut dyn Transport,
    pub(super) clock: &'a mut dyn Clock,
    pub(super) observer: &'a mut dyn FnMut(SyncEvent),
    pub(super) api: &'a ApiBase,
    pub(super) secrets: &'a Tokens,
    pub(super) budget: RequestBudget,
    pub(super) wait_left: Duration,
}

#[derive(Default)]
struct Failures {
    broken: u32,
    limited: u32,
    redirects: usize,
}

impl Client<'_> {
    pub(super) fn get(&mut self, path: &str, etag: Option<&str>) -> Result<ApiAnswer, SyncError> {
        self.request(path, Ask::Json(etag))
    }

    /// Reports that a step has done so many `of` all; 0 if that is unknown.
    pub(super) fn progress(&mut self, step: &'static str, done: usize, of: u64) {
        (self.observer)(SyncEvent::Progress { step, done: done as u64, of });
    }

    /// Sends a request for a path below the API; retries, waits, and follows redirects on the same server. The answer to what
    /// is posted may be lost, so that it may arrive more than once.
    pub(super) fn request(&mut self, path: &str, ask: Ask<'_>) -> Result<ApiAnswer, SyncError> {
        let mut path = path.to_owned();
        let mut failures = Failures::default();
        loop {
            if self.budget.most.is_some_and(|most| self.budget.sent >= most) {
                return Err(SyncError::Spent);
            }
            self.budget.sent += 1;
            (self.observer)(SyncEvent::Request(self.budget.sent));
            let asked = self.clock.now();
            let answer = self.transport.send(&format!("{}{path}", self.api.base), ask);
            self.charge_slow_answer(self.clock.now().saturating_sub(asked))?;
            let answer = match answer {
                Ok(answer) => answer,
                Err(error) => {
                    self.retry(&mut failures, error)?;
                    continue;
                }
            };
            self.budget.remaining = number(&answer, "x-ratelimit-remaining").or(self.budget.remaining);
            let reset = number(&answer, "x-ratelimit-reset").filter(|at| *at <= LAST_SECOND);
            self.budget.reset = reset.or(self.budget.reset);
            match answer.status().as_u16() {
                // The body of an answer to what was sent says nothing.
                200..=299 if matches!(ask, Ask::Post(_)) => return Ok(ApiAnswer::Page(ResponsePage::default())),
                200 if matches!(ask, Ask::File) => {
                    return Ok(ApiAnswer::Page(ResponsePage { value: text_of(answer), ..ResponsePage::default() }));
                }
                200 => match parse_json(answer.body(), MAX_VALUES) {
                    Ok(value) => return Ok(ApiAnswer::Page(self.page(&answer, value)?)),
                    Err(error) if error.is_data() => {
                        let why = error.to_string();
                        let why = why.rsplit_once(" at line ").map_or(why.as_str(), |(why, _)| why);
                        let why = self.secrets.message(why);
                        return Err(SyncError::Server(with_reason("an answer cannot be relied on", why.as_deref())));
                    }
                    Err(_) => {
                        let why = "an answer was cut off, or no JSON".to_owned();
                        self.retry(&mut failures, SyncError::Network(why))?;
                    }
                },
                304 if matches!(ask, Ask::Json(Some(_))) => return Ok(ApiAnswer::Same),
                301 | 302 | 307 | 308 => {
                    failures.redirects += 1;
                    // Another server must see neither the request nor the token.
                    path =
                        self.api.path_of(header(&answer, "location").unwrap_or_default(), false).ok_or_else(|| {
                            SyncError::Server("it redirects to another host, which is not followed".to_owned())
                        })?;
                    if failures.redirects > MAX_REDIRECTS {
                        return Err(SyncError::Server(format!("more than {MAX_REDIRECTS} redirects in a row")));
                    }
                }
                401 => {
                    let why = with_reason("the token is not accepted (401)", self.message(&answer).as_deref());
                    return Err(SyncError::Auth(why));
                }
                404 | 451 => return Ok(ApiAnswer::Missing),
                410 => return Ok(ApiAnswer::Gone),
                403 | 429 => match self.retry_delay(&answer, failures.limited) {
                    Some((wait, why)) => {
                        failures.limited += 1;
                        self.wait(wait, why, SyncError::RateLimit(limit(&answer, wait)))?;
                    }
                    None => return Ok(ApiAnswer::Refused(self.message(&answer))),
                },
                status @ 500..=599 => self.retry(&mut failures, SyncError::Server(format!("status {status}")))?,
                status => {
                    let why = with_reason(&format!("status {status}"), self.message(&answer).as_deref());
                    return Err(SyncError::Server(why));
                }
            }
        }
    }

    fn page(&self, answer: &Response, value: Value) -> Result<ResponsePage, SyncError> {
        let next = link(answer, "next").and_then(|link| self.api.path_of(link, true));
        let last = link(answer, "last").and_then(|link| {
            let (_, query) = link.split_once('?')?;
            query.split('&').find_map(|pair| pair.strip_prefix("page="))?.parse().ok()
        });
        if next.as_ref().is_some_and(|next| self.secrets.occurs_in(next)) {
            return Err(SyncError::Server("a link to the next page has the token in it".to_owned()));
        }
        if next.as_ref().is_some_and(|next| next.len() > MAX_LINK) {
            return Err(SyncError::Server(format!("a link to the next page is longer than {MAX_LINK} bytes")));
        }
        // Entity tags and links are saved, so they must not hold a token.
        let etag = header(answer, "etag").filter(|etag| !self.secrets.occurs_in(etag)).map(str::to_owned);
        Ok(ResponsePage { value, etag, next, last })
    }

    /// Returns how long to wait, and why: as the server says, else until the limit is reset, else a minute and longer.
    ///
    /// `None` if the answer is no rate limit.
    fn retry_delay(&self, answer: &Response, tries: u32) -> Option<(Duration, &'static str)> {
        if let Some(seconds) = number(answer, "retry-after") {
            return Some((Duration::from_secs(seconds.max(1)), "the server asks for a pause"));
        }
        if number(answer, "x-ratelimit-remaining") == Some(0)
            && let Some(reset) = number(answer, "x-ratelimit-reset")
        {
            // One second more, since clocks differ.
            let left = Duration::from_secs(reset.saturating_add(1)).saturating_sub(self.clock.now());
            return Some((left.max(Duration::from_secs(1)), "the rate limit is used up"));
        }
        let body = String::from_utf8_lossy(answer.body()).to_lowercase();
        let secondary = ["secondary rate limit", "abuse detection", "rate limit exceeded"];
        (answer.status() == 429 || secondary.iter().any(|words| body.contains(words)))
            .then(|| (SECONDARY_WAIT * 2_u32.saturating_pow(tries.min(6)) + self.jitter(), "a secondary rate limit"))
    }

    /// Waits 1, 2, 4 seconds before the next try, or gives up.
    fn retry(&mut self, failures: &mut Failures, error: SyncError) -> Result<(), SyncError> {
        if failures.broken >= MAX_TRIES {
            return Err(error);
        }
        let wait = Duration::from_secs(1 << failures.broken) + self.jitter();
        failures.broken += 1;
        self.wait(wait, "an answer did not come whole", error)
    }

    fn wait(&mut self, time: Duration, why: &'static str, error: SyncError) -> Result<(), SyncError> {
        self.wait_left = self.wait_left.checked_sub(time).ok_or(error)?;
        (self.observer)(SyncEvent::Waiting { time, why });
        self.clock.sleep(time);
        Ok(())
    }

    /// Subtracts the time of a slow answer from the time that a run may wait, so that a trickling server cannot stall it.
    fn charge_slow_answer(&mut self, took: Duration) -> Result<(), SyncError> {
        let stop =
            || SyncError::Network("answers take so long that waiting for them goes beyond `--max-wait`".to_owned());
        self.wait_left = self.wait_left.checked_sub(took.saturating_sub(FREE_TIME)).ok_or_else(stop)?;
        Ok(())
    }

    /// Returns up to half a second, so that many clients do not retry at once.
    fn jitter(&self) -> Duration {
        Duration::from_millis(u64::from(self.clock.now().subsec_nanos()) % 500)
    }

    fn message(&self, answer: &Response) -> Option<String> {
        let body = parse_json(answer.body(), MAX_VALUES).ok()?;
        self.secrets.message(body["message"].as_str()?)
    }
}

fn header<'a>(answer: &'a Response, name: &str) -> Option<&'a str> {
    answer.headers().get(name)?.to_str().ok()
}

fn number(answer: &Response, name: &str) -> Option<u64> {
    header(answer, name)?.trim().parse().ok()
}

/// Returns the text of a file; null if it is none. A folder or a submodule comes as JSON.
fn text_of(answer: Response) -> Value {
    let is_json = header(&answer, "content-type").is_some_and(|kind| kind.starts_with("application/json"));
    let text = String::from_utf8(answer.into_body()).ok().filter(|_| !is_json);
    text.map_or(Value::Null, Value::from)
}

fn link<'a>(answer: &'a Response, relation: &str) -> Option<&'a str> {
    static LINK: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r#"<([^>]*)>[^<]*;\s*rel="(\w+)""#).ok());
    let links = header(answer, "link")?;
    let mut links = LINK.as_ref()?.captures_iter(links).map(|link| link.extract());
    links.find_map(|(_, [target, name])| (name == relation).then_some(target))
}

pub(super) fn with_reason(ours: &str, theirs: Option<&str>) -> String {
    theirs.map_or_else(|| ours.to_owned(), |theirs| format!("{ours}: {theirs}"))
}

fn limit(answer: &Response, wait: Duration) -> String {
    let used = match number(answer, "x-ratelimit-remaining") {
        Some(0) => "it is used up",
        _ => "the server asks for a pause",
    };
    let wait = humantime::format_duration(Duration::from_secs(wait.as_secs()));
    format!("{used}, and it takes {wait} to go on; run this again then, or with a longer `--max-wait`")
}

/// Where the workflows of a repo get events: `repository_dispatch`.
#[derive(Debug, Clone)]
pub struct EventTarget {
    pub api: ApiBase,
    /// The token, and other secrets that must not be shown.
    pub secrets: Tokens,
    pub repo: String,
    /// The most time to wait in all: for rate limits, between retries, and for slow answers.
    pub max_wait: Duration,
}

/// Sends an event to the workflows of a repo.
///
/// If the answer is lost it is sent again, so that it may arrive more than once.
pub fn send_event(
    transport: &mut dyn Transport,
    clock: &mut dyn Clock,
    target: &EventTarget,
    event_type: &str,
    payload: &Value,
) -> Result<(), SyncError> {
    let EventTarget { api, secrets, repo, max_wait } = target;
    let mut client = Client {
        transport,
        clock,
        observer: &mut |_| {},
        api,
        secrets,
        budget: RequestBudget::default(),
        wait_left: *max_wait,
    };
    let body = json!({"event_type": event_type, "client_payload": payload});
    match client.request(&format!("/repos/{repo}/dispatches"), Ask::Post(&body))? {
        ApiAnswer::Page(_) | ApiAnswer::Same => Ok(()),
        ApiAnswer::Missing | ApiAnswer::Gone => {
            Err(SyncError::NotFound(format!("`{repo}` is not visible with this token, or may not be written with it")))
        }
        ApiAnswer::Refused(why) => {
            let ours = format!("the token may not send events to `{repo}`; it needs to write contents");
            Err(SyncError::Auth(with_reason(&ours, why.as_deref())))
        }
    }
}
