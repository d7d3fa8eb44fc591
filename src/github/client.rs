//! A client that sends requests one after the other, and retries and waits as GitHub's documentation asks for.

use super::address::sso_url;
use super::{ApiBase, Clock, MediaType, Response, SyncError, SyncObserver, Tokens, Transport, json};
use serde_json::Value;
use std::time::Duration;

/// The most retries of a request whose answer is missing or broken.
const MAX_TRIES: u32 = 3;
/// The wait for a secondary rate limit if the server does not say how long.
const SECONDARY_WAIT: Duration = Duration::from_secs(60);
/// The most redirects of one request.
const MAX_REDIRECTS: usize = 5;
/// The time that an answer may take before the rest counts as waiting.
const FREE_TIME: Duration = Duration::from_secs(10);
/// The longest path of a next page, in bytes.
const MAX_LINK: usize = 8 << 10;
/// The last second of the year 9999, the largest that RFC 3339 can express.
const LAST_SECOND: u64 = 253_402_300_799;

/// The limits of a run.
#[derive(Debug, Clone, Copy)]
pub struct SyncLimits {
    /// The most requests; `None` for no limit.
    pub max_requests: Option<u64>,
    /// The most time to wait in all: for rate limits, between retries, and for slow answers.
    pub max_wait: Duration,
}

/// An answer that is not an error.
#[derive(Debug)]
pub(super) enum FetchOutcome<T = JsonPage> {
    /// 200.
    Page(T),
    /// 304: not modified.
    Same,
    /// 404: it does not exist, or is not visible.
    Missing,
    /// 410: it was deleted, or switched off.
    Gone,
    /// 403 without a rate limit: the token may not read it; with the server's message.
    Refused(Option<String>),
}

/// What is asked of the server.
#[derive(Debug, Clone, Copy)]
enum Question<'q> {
    Get(MediaType, Option<&'q str>),
    Post(&'q Value),
}

/// A whole answer.
struct Answer {
    response: Response,
    /// The JSON, if that was asked for.
    value: Value,
}

/// A page of JSON.
#[derive(Debug)]
pub(super) struct JsonPage {
    pub(super) value: Value,
    pub(super) etag: Option<String>,
    /// The path of the next page.
    pub(super) next: Option<String>,
    /// The number of the last page, if the server reports it.
    pub(super) last: Option<u64>,
}

/// The error of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum FetchError {
    /// The user allows no more requests.
    Spent,
    /// 401.
    Auth(String),
    /// The wait for a rate limit would be too long.
    Limit(String),
    /// There is no connection, or answers are broken.
    Network(String),
    /// The server gives answers that cannot be used.
    Server(String),
}

impl FetchError {
    /// Returns the error of a list whose pages do not end.
    pub(super) fn endless(why: &str) -> Self {
        Self::Server(format!("a list has no end: {why}"))
    }

    /// Returns whether another request may succeed.
    pub(super) fn is_transient(&self) -> bool {
        matches!(self, Self::Network(_) | Self::Server(_))
    }
}

impl From<FetchError> for SyncError {
    fn from(error: FetchError) -> Self {
        match error {
            FetchError::Spent => Self::RateLimit("no more requests are allowed".to_owned()),
            FetchError::Auth(why) => Self::Auth(why),
            FetchError::Limit(why) => Self::RateLimit(why),
            FetchError::Network(why) => Self::Network(why),
            FetchError::Server(why) => Self::Server(why),
        }
    }
}

/// The requests that were sent, and those that user and server still allow.
#[derive(Debug, Clone, Default)]
pub(super) struct RequestBudget {
    /// The number of requests that were sent.
    pub(super) sent: u64,
    /// The most requests that the user allows.
    pub(super) most: Option<u64>,
    /// The requests that the server allows until `reset`.
    pub(super) remaining: Option<u64>,
    /// The time at which the server allows more, in seconds since 1970.
    pub(super) reset: Option<u64>,
}

impl RequestBudget {
    /// Returns whether the user allows no more requests.
    pub(super) fn is_spent(&self) -> bool {
        self.most.is_some_and(|most| self.sent >= most)
    }

    /// Records what an answer says about the rate limit.
    pub(super) fn note(&mut self, answer: &Response) {
        self.remaining = answer.number("x-ratelimit-remaining").or(self.remaining);
        self.reset = answer.number("x-ratelimit-reset").filter(|at| *at <= LAST_SECOND).or(self.reset);
    }
}

/// A client of one API.
pub(super) struct Client<'a> {
    pub(super) transport: &'a mut dyn Transport,
    pub(super) clock: &'a mut dyn Clock,
    pub(super) observer: &'a mut dyn SyncObserver,
    pub(super) api: ApiBase,
    pub(super) secrets: Tokens,
    pub(super) budget: RequestBudget,
    pub(super) wait_left: Duration,
    /// The host of pages for people.
    pub(super) host: String,
}

impl Client<'_> {
    /// Requests a path below the API; retries, waits, and follows redirects on the same server.
    pub(super) fn get(&mut self, path: &str, etag: Option<&str>) -> Result<FetchOutcome, FetchError> {
        Ok(match self.request(path, Question::Get(MediaType::Json, etag))? {
            FetchOutcome::Page(Answer { response, value }) => FetchOutcome::Page(self.page(&response, value)?),
            FetchOutcome::Same => FetchOutcome::Same,
            FetchOutcome::Missing => FetchOutcome::Missing,
            FetchOutcome::Gone => FetchOutcome::Gone,
            FetchOutcome::Refused(why) => FetchOutcome::Refused(why),
        })
    }

    /// Requests the bytes of a file below the API in the same way; `None` where there is no file that can be had.
    pub(super) fn get_file(&mut self, path: &str) -> Result<Option<Vec<u8>>, FetchError> {
        Ok(match self.request(path, Question::Get(MediaType::Raw, None))? {
            // A folder or a submodule comes as JSON.
            FetchOutcome::Page(Answer { response, .. })
                if response.header("content-type").is_some_and(|kind| kind.starts_with("application/json")) =>
            {
                None
            }
            FetchOutcome::Page(Answer { response, .. }) => Some(response.body),
            _ => None,
        })
    }

    /// Sends JSON to a path below the API in the same way. Answers may be lost, so that it may arrive more than once.
    pub(super) fn post(&mut self, path: &str, body: &Value) -> Result<FetchOutcome<()>, FetchError> {
        Ok(match self.request(path, Question::Post(body))? {
            FetchOutcome::Page(_) | FetchOutcome::Same => FetchOutcome::Page(()),
            FetchOutcome::Missing => FetchOutcome::Missing,
            FetchOutcome::Gone => FetchOutcome::Gone,
            FetchOutcome::Refused(why) => FetchOutcome::Refused(why),
        })
    }

    fn request(&mut self, path: &str, question: Question<'_>) -> Result<FetchOutcome<Answer>, FetchError> {
        let mut path = path.to_owned();
        let (mut broken, mut limited) = (0, 0);
        let mut redirects = 0;
        loop {
            if self.budget.is_spent() {
                return Err(FetchError::Spent);
            }
            self.budget.sent += 1;
            self.observer.request(self.budget.sent);
            let asked = self.clock.now();
            let target = format!("{}{path}", self.api.base);
            let answer = match question {
                Question::Get(media, etag) => self.transport.get(&target, media, etag),
                Question::Post(body) => self.transport.post(&target, body),
            };
            self.charge_slow_answer(self.clock.now().saturating_sub(asked))?;
            let answer = match answer {
                Ok(answer) => answer,
                Err(error) => {
                    self.retry(&mut broken, || FetchError::Network(error.what.clone()))?;
                    continue;
                }
            };
            self.budget.note(&answer);
            match answer.status {
                // The body of an answer to what was sent says nothing.
                200..=299 if matches!(question, Question::Post(_)) => {
                    return Ok(FetchOutcome::Page(Answer { response: answer, value: Value::Null }));
                }
                200 if matches!(question, Question::Get(MediaType::Raw, _)) => {
                    return Ok(FetchOutcome::Page(Answer { response: answer, value: Value::Null }));
                }
                200 => match json::read(&answer.body) {
                    Ok(value) => return Ok(FetchOutcome::Page(Answer { response: answer, value })),
                    Err(error) if error.is_data() => {
                        let why = error.to_string();
                        let why = why.rsplit_once(" at line ").map_or(why.as_str(), |(why, _)| why);
                        let why = with_reason("an answer cannot be relied on", self.secrets.message(why).as_deref());
                        return Err(FetchError::Server(why));
                    }
                    Err(_) => {
                        self.retry(&mut broken, || FetchError::Network("an answer was cut off, or no JSON".to_owned()))?
                    }
                },
                304 if matches!(question, Question::Get(_, Some(_))) => return Ok(FetchOutcome::Same),
                301 | 302 | 307 | 308 => {
                    redirects += 1;
                    path = self.redirect(&answer)?;
                    if redirects > MAX_REDIRECTS {
                        return Err(FetchError::Server(format!("more than {MAX_REDIRECTS} redirects in a row")));
                    }
                }
                401 => {
                    return Err(FetchError::Auth(self.with_server_message(&answer, "the token is not accepted (401)")));
                }
                404 | 451 => return Ok(FetchOutcome::Missing),
                410 => return Ok(FetchOutcome::Gone),
                403 | 429 => match self.retry_delay(&answer, limited) {
                    Some((wait, why)) => {
                        limited += 1;
                        self.wait(wait, why, || FetchError::Limit(limit(&answer, wait)))?;
                    }
                    None => return Ok(FetchOutcome::Refused(self.refusal(&answer))),
                },
                status @ 500..=599 => {
                    self.retry(&mut broken, || FetchError::Server(format!("status {status}")))?;
                }
                status => {
                    return Err(FetchError::Server(self.with_server_message(&answer, &format!("status {status}"))));
                }
            }
        }
    }

    fn page(&self, answer: &Response, value: Value) -> Result<JsonPage, FetchError> {
        let links = answer.header("link").unwrap_or_default();
        let next = link(links, "next").and_then(|link| self.api.page_of(link)).map(str::to_owned);
        let last = link(links, "last").and_then(|link| {
            let (_, query) = link.split_once('?')?;
            query.split('&').find_map(|pair| pair.strip_prefix("page="))?.parse().ok()
        });
        if next.as_ref().is_some_and(|next| self.secrets.occurs_in(next)) {
            return Err(FetchError::Server("a link to the next page has the token in it".to_owned()));
        }
        if next.as_ref().is_some_and(|next| next.len() > MAX_LINK) {
            return Err(FetchError::Server(format!("a link to the next page is longer than {MAX_LINK} bytes")));
        }
        // Entity tags and links are saved, so they must not hold a token.
        let etag = answer.header("etag").filter(|etag| !self.secrets.occurs_in(etag)).map(str::to_owned);
        Ok(JsonPage { value, etag, next, last })
    }

    fn redirect(&self, answer: &Response) -> Result<String, FetchError> {
        let to = answer.header("location").unwrap_or_default();
        // Another server must see neither the request nor the token.
        let path = self.api.path_of(to).map(str::to_owned);
        path.ok_or_else(|| FetchError::Server("it redirects to another host, which is not followed".to_owned()))
    }

    /// Returns how long to wait, and why: as the server says, else until the limit is reset, else a minute and longer.
    ///
    /// `None` if the answer is no rate limit.
    fn retry_delay(&self, answer: &Response, tries: u32) -> Option<(Duration, &'static str)> {
        if let Some(seconds) = answer.number("retry-after") {
            return Some((Duration::from_secs(seconds.max(1)), "the server asks for a pause"));
        }
        if answer.number("x-ratelimit-remaining") == Some(0)
            && let Some(reset) = answer.number("x-ratelimit-reset")
        {
            // One second more, since clocks differ.
            let left = Duration::from_secs(reset.saturating_add(1)).saturating_sub(self.clock.now());
            return Some((left.max(Duration::from_secs(1)), "the rate limit is used up"));
        }
        let body = String::from_utf8_lossy(&answer.body).to_lowercase();
        let secondary = ["secondary rate limit", "abuse detection", "rate limit exceeded"];
        (answer.status == 429 || secondary.iter().any(|words| body.contains(words)))
            .then(|| (SECONDARY_WAIT * 2_u32.saturating_pow(tries.min(6)) + self.jitter(), "a secondary rate limit"))
    }

    /// Waits 1, 2, 4 seconds before the next try, or gives up.
    fn retry(&mut self, broken: &mut u32, stop: impl Fn() -> FetchError) -> Result<(), FetchError> {
        if *broken >= MAX_TRIES {
            return Err(stop());
        }
        let wait = Duration::from_secs(1 << *broken) + self.jitter();
        *broken += 1;
        self.wait(wait, "an answer did not come whole", stop)
    }

    fn wait(&mut self, time: Duration, why: &'static str, stop: impl Fn() -> FetchError) -> Result<(), FetchError> {
        self.wait_left = self.wait_left.checked_sub(time).ok_or_else(stop)?;
        self.observer.waiting(time, why);
        self.clock.sleep(time);
        Ok(())
    }

    /// Subtracts the time of a slow answer from the time that a run may wait, so that a trickling server cannot stall it.
    fn charge_slow_answer(&mut self, took: Duration) -> Result<(), FetchError> {
        let stop =
            || FetchError::Network("answers take so long that waiting for them goes beyond `--max-wait`".to_owned());
        self.wait_left = self.wait_left.checked_sub(took.saturating_sub(FREE_TIME)).ok_or_else(stop)?;
        Ok(())
    }

    /// Returns up to half a second, so that many clients do not retry at once.
    fn jitter(&self) -> Duration {
        Duration::from_millis(u64::from(self.clock.now().subsec_nanos()) % 500)
    }

    fn with_server_message(&self, answer: &Response, ours: &str) -> String {
        with_reason(ours, self.message(answer).as_deref())
    }

    /// Returns why a request was refused, if the server says so in words that can be shown. That a token lacks the
    /// authorisation for an organisation's single sign-on is in a header alone.
    fn refusal(&self, answer: &Response) -> Option<String> {
        let theirs = self.message(answer);
        let Some(header) = answer.header("x-github-sso").filter(|header| header.starts_with("required")) else {
            return theirs;
        };
        let url = sso_url(header, &self.host).filter(|url| !self.secrets.occurs_in(url));
        let at = url.map_or_else(|| "in the token's settings".to_owned(), |url| format!("at {url}"));
        let ours = format!("the token must be authorised for the organisation's single sign-on (SSO), {at}");
        Some(with_reason(&ours, theirs.as_deref()))
    }

    /// Returns the server's message, if it can be shown.
    fn message(&self, answer: &Response) -> Option<String> {
        let body = json::read(&answer.body).ok()?;
        self.secrets.message(body["message"].as_str()?)
    }
}

/// Joins this program's message and the server's, if any.
pub(super) fn with_reason(ours: &str, theirs: Option<&str>) -> String {
    theirs.map_or_else(|| ours.to_owned(), |theirs| format!("{ours}: {theirs}"))
}

fn limit(answer: &Response, wait: Duration) -> String {
    let used = match answer.number("x-ratelimit-remaining") {
        Some(0) => "it is used up",
        _ => "the server asks for a pause",
    };
    let wait = humantime::format_duration(Duration::from_secs(wait.as_secs()));
    format!("{used}, and it takes {wait} to go on; run this again then, or with a longer `--max-wait`")
}

/// Returns the target of a relation in a `Link` header.
fn link<'a>(header: &'a str, relation: &str) -> Option<&'a str> {
    let mut rest = header;
    while let Some(start) = rest.find('<') {
        let end = start + rest[start..].find('>')?;
        let target = &rest[start + 1..end];
        let after = &rest[end + 1..];
        let params = &after[..after.find('<').unwrap_or(after.len())];
        let is = |param: &str| param.trim().trim_end_matches(',').trim() == format!("rel=\"{relation}\"");
        if params.split(';').any(is) {
            return Some(target);
        }
        rest = after;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::link;

    #[test]
    fn links_are_found_by_their_relation() {
        let header = "<https://x/a?q=1,2&page=2>; rel=\"next\", <https://x/a?page=9>; rel=\"last\"";
        assert_eq!(link(header, "next"), Some("https://x/a?q=1,2&page=2"));
        assert_eq!(link(header, "last"), Some("https://x/a?page=9"));
        assert_eq!(link(header, "prev"), None);
        assert_eq!(link("<broken", "next"), None);
    }
}
