//! How many requests are left: those that the user allows, and those that the server does.

/// The last second that a date of four digits of years can say.
const LAST: u64 = 253_402_300_799;

/// Counts requests.
#[derive(Debug, Clone, Default)]
pub(super) struct RequestBudget {
    /// Requests that were sent.
    pub(super) sent: u64,
    /// The most that the user allows.
    pub(super) most: Option<u64>,
    /// What the server says is left until `reset`.
    pub(super) remaining: Option<u64>,
    /// When that is raised again, in seconds since 1970.
    pub(super) reset: Option<u64>,
}

impl RequestBudget {
    /// Whether the user allows no more.
    pub(super) fn is_spent(&self) -> bool {
        self.most.is_some_and(|most| self.sent >= most)
    }

    /// Notes what an answer says of the rate limit.
    pub(super) fn note(&mut self, answer: &super::Response) {
        self.remaining = answer.number("x-ratelimit-remaining").or(self.remaining);
        self.reset = answer.number("x-ratelimit-reset").filter(|at| *at <= LAST).or(self.reset);
    }
}
