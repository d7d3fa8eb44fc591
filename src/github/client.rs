//! Requests, one after the other, in the order of patience that GitHub asks for.

use super::budget::RequestBudget;
use super::{ApiBase, Clock, Response, SyncObserver, Tokens, Transport, json};
use serde_json::Value;
use std::time::Duration;

/// How often an answer that did not come, or came broken, is asked for again.
const TRIES: u32 = 3;
/// How long a secondary limit lasts where the server does not say.
const SECONDARY: Duration = Duration::from_secs(60);
/// How many redirects lead to an answer at most.
const REDIRECTS: usize = 5;
/// How long an answer may take before the rest of it counts as waiting.
const LEISURE: Duration = Duration::from_secs(10);
/// The longest path of a next page.
const LONGEST_LINK: usize = 8 << 10;

/// What a run may cost.
#[derive(Debug, Clone, Copy)]
pub struct SyncLimits {
    /// The most requests; nothing: as many as it takes.
    pub max_requests: Option<u64>,
    /// How long a run waits in all: for limits, between tries, and for slow answers.
    pub max_wait: Duration,
}

/// An answer that means something.
#[derive(Debug)]
pub(super) enum FetchOutcome {
    /// 200, as JSON.
    Page(JsonPage),
    /// 304: what is known still holds.
    Same,
    /// 404: there is none, or it cannot be seen.
    Missing,
    /// 410: it was deleted, or switched off.
    Gone,
    /// 403 and no limit: the token may not see it; with what the server says of that.
    Refused(Option<String>),
}

/// A page of JSON.
#[derive(Debug)]
pub(super) struct JsonPage {
    pub(super) value: Value,
    pub(super) etag: Option<String>,
    /// The path of the next page.
    pub(super) next: Option<String>,
    /// The number of the last page, where the server says it.
    pub(super) last: Option<u64>,
}

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum FetchError {
    /// The user allows no more requests.
    Spent,
    /// 401.
    Auth(String),
    /// The wait would be too long.
    Limit(String),
    /// No connection, or broken answers.
    Network(String),
    /// Answers that are no answer.
    Server(String),
}

impl FetchError {
    /// A list whose pages lead nowhere.
    pub(super) fn endless(why: &str) -> Self {
        Self::Server(format!("a list has no end: {why}"))
    }

    /// Whether the next request may fare better.
    pub(super) fn is_passing(&self) -> bool {
        matches!(self, Self::Network(_) | Self::Server(_))
    }
}

/// Asks one API.
pub(super) struct Client<'a> {
    pub(super) transport: &'a mut dyn Transport,
    pub(super) clock: &'a mut dyn Clock,
    pub(super) watcher: &'a mut dyn SyncObserver,
    pub(super) api: ApiBase,
    pub(super) secrets: Tokens,
    pub(super) budget: RequestBudget,
    pub(super) wait_left: Duration,
}

impl Client<'_> {
    /// Asks for a path below the API, patiently, following redirects on the same server.
    pub(super) fn get(&mut self, path: &str, etag: Option<&str>) -> Result<FetchOutcome, FetchError> {
        let mut path = path.to_owned();
        let (mut broken, mut limited) = (0, 0);
        let mut redirects = 0;
        loop {
            if self.budget.is_spent() {
                return Err(FetchError::Spent);
            }
            self.budget.sent += 1;
            self.watcher.request(self.budget.sent);
            let asked = self.clock.now();
            let answer = self.transport.get(&format!("{}{path}", self.api.base), etag);
            self.slow(self.clock.now().saturating_sub(asked))?;
            let answer = match answer {
                Ok(answer) => answer,
                Err(error) => {
                    self.again(&mut broken, || FetchError::Network(error.what.clone()))?;
                    continue;
                }
            };
            self.budget.note(&answer);
            match answer.status {
                200 => match json::read(&answer.body) {
                    Ok(value) => return self.page(&answer, value).map(FetchOutcome::Page),
                    Err(error) if error.is_data() => {
                        let why = error.to_string();
                        let why = why.rsplit_once(" at line ").map_or(why.as_str(), |(why, _)| why);
                        let why = with_reason("an answer cannot be relied on", self.secrets.message(why).as_deref());
                        return Err(FetchError::Server(why));
                    }
                    Err(_) => {
                        self.again(&mut broken, || FetchError::Network("an answer was cut off, or no JSON".to_owned()))?
                    }
                },
                304 if etag.is_some() => return Ok(FetchOutcome::Same),
                301 | 302 | 307 | 308 => {
                    redirects += 1;
                    path = self.redirect(&answer)?;
                    if redirects > REDIRECTS {
                        return Err(FetchError::Server(format!("more than {REDIRECTS} redirects in a row")));
                    }
                }
                401 => return Err(FetchError::Auth(self.said(&answer, "the token is not accepted (401)"))),
                404 | 451 => return Ok(FetchOutcome::Missing),
                410 => return Ok(FetchOutcome::Gone),
                403 | 429 => match self.patience(&answer, limited) {
                    Some((wait, why)) => {
                        limited += 1;
                        self.wait(wait, why, || FetchError::Limit(limit(&answer, wait)))?;
                    }
                    None => return Ok(FetchOutcome::Refused(self.message(&answer))),
                },
                status @ 500..=599 => {
                    self.again(&mut broken, || FetchError::Server(format!("status {status}")))?;
                }
                status => return Err(FetchError::Server(self.said(&answer, &format!("status {status}")))),
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
        if next.as_ref().is_some_and(|next| self.secrets.tells(next)) {
            return Err(FetchError::Server("a link to the next page has the token in it".to_owned()));
        }
        if next.as_ref().is_some_and(|next| next.len() > LONGEST_LINK) {
            return Err(FetchError::Server(format!("a link to the next page is longer than {LONGEST_LINK} bytes")));
        }
        // Marks and links are kept beside the snapshot.
        let etag = answer.header("etag").filter(|etag| !self.secrets.tells(etag)).map(str::to_owned);
        Ok(JsonPage { value, etag, next, last })
    }

    fn redirect(&self, answer: &Response) -> Result<String, FetchError> {
        let to = answer.header("location").unwrap_or_default();
        // Elsewhere nobody has a right to see what is asked for, let alone the token.
        let path = self.api.path_of(to).map(str::to_owned);
        path.ok_or_else(|| FetchError::Server("it redirects to another host, which is not followed".to_owned()))
    }

    /// The official order: what the server says, then the reset of the limit, then a minute and longer.
    fn patience(&self, answer: &Response, tries: u32) -> Option<(Duration, &'static str)> {
        if let Some(seconds) = answer.number("retry-after") {
            return Some((Duration::from_secs(seconds.max(1)), "the server asks for a pause"));
        }
        if answer.number("x-ratelimit-remaining") == Some(0)
            && let Some(reset) = answer.number("x-ratelimit-reset")
        {
            // A second more: clocks differ.
            let left = Duration::from_secs(reset.saturating_add(1)).saturating_sub(self.clock.now());
            return Some((left.max(Duration::from_secs(1)), "the rate limit is used up"));
        }
        let body = String::from_utf8_lossy(&answer.body).to_lowercase();
        let secondary = ["secondary rate limit", "abuse detection", "rate limit exceeded"];
        (answer.status == 429 || secondary.iter().any(|words| body.contains(words)))
            .then(|| (SECONDARY * 2_u32.saturating_pow(tries.min(6)) + self.jitter(), "a secondary rate limit"))
    }

    /// Waits 1, 2, 4 seconds before the next try, or gives up.
    fn again(&mut self, broken: &mut u32, stop: impl Fn() -> FetchError) -> Result<(), FetchError> {
        if *broken >= TRIES {
            return Err(stop());
        }
        let wait = Duration::from_secs(1 << *broken) + self.jitter();
        *broken += 1;
        self.wait(wait, "an answer did not come whole", stop)
    }

    fn wait(&mut self, time: Duration, why: &'static str, stop: impl Fn() -> FetchError) -> Result<(), FetchError> {
        self.wait_left = self.wait_left.checked_sub(time).ok_or_else(stop)?;
        self.watcher.waiting(time, why);
        self.clock.sleep(time);
        Ok(())
    }

    /// Takes what an answer took too long from the time that a run may wait: one byte a minute is no way to hold it up.
    fn slow(&mut self, took: Duration) -> Result<(), FetchError> {
        let stop =
            || FetchError::Network("answers take so long that waiting for them goes beyond `--max-wait`".to_owned());
        self.wait_left = self.wait_left.checked_sub(took.saturating_sub(LEISURE)).ok_or_else(stop)?;
        Ok(())
    }

    /// Up to half a second, so that many clients do not come back at once.
    fn jitter(&self) -> Duration {
        Duration::from_millis(u64::from(self.clock.now().subsec_nanos()) % 500)
    }

    fn said(&self, answer: &Response, ours: &str) -> String {
        with_reason(ours, self.message(answer).as_deref())
    }

    /// What the server says in its own words, where they can be shown.
    fn message(&self, answer: &Response) -> Option<String> {
        let body = json::read(&answer.body).ok()?;
        self.secrets.message(body["message"].as_str()?)
    }
}

/// What happened, and what the server says of it.
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

/// The target of a relation in a `Link` header.
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
