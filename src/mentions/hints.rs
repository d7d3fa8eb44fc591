//! Quick tests for texts that cannot mention anything: most prose is not read word by word.

use aho_corasick::AhoCorasick;
use memchr::memmem::Finder;
use regex::Regex;
use std::sync::LazyLock;

/// A substring of every number of an ADR.
///
/// ASCII case is ignored. No word here has a `k` or an `s`, the two letters that Unicode also
/// writes with signs outside ASCII, so that nothing is missed that a pattern without case finds.
static ADRS: LazyLock<Hints> = LazyLock::new(|| Hints::new(&["adr"]));

/// Substrings of every phrase that states a relation.
static PHRASES: LazyLock<Hints> = LazyLock::new(|| Hints::new(&["depend", "bloc", "part of", "part-of"]));

/// Substrings of every other label of a relation; it has a colon besides.
static LABELS: LazyLock<Hints> =
    LazyLock::new(|| Hints::new(&["parent", "child", "relat", "ubi", "ub-i", "ubt", "ub-t"]));

/// The word before the number of a line.
static LINE: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new("line "));

struct Hints(Option<AhoCorasick>);

impl Hints {
    fn new(words: &[&str]) -> Self {
        Self(AhoCorasick::builder().ascii_case_insensitive(true).build(words).ok())
    }

    fn has(&self, text: &str) -> bool {
        self.0.as_ref().is_none_or(|words| words.is_match(text))
    }
}

/// The kinds of references that a run may contain.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct HintedRun {
    /// Paths of files and URLs.
    pub(super) paths: bool,
    /// Numbers of ADRs, and labels that announce them.
    pub(super) adrs: bool,
    /// Lines of files: `Makefile line 3`.
    pub(super) lines: bool,
}

impl HintedRun {
    /// Looks for every kind of hint.
    pub(super) fn of(text: &str) -> Self {
        Self {
            paths: may_hold_path(text.as_bytes()),
            adrs: ADRS.has(text),
            lines: LINE.find(text.as_bytes()).is_some(),
        }
    }
}

/// Returns whether a slash or a full stop is directly followed by something else than the end of a word, or a colon after a
/// letter by a digit, or there is a `\`: every URL and every path has one, except for a name such as `Makefile` alone.
fn may_hold_path(text: &[u8]) -> bool {
    memchr::memchr(b'\\', text).is_some()
        || memchr::memchr3_iter(b'.', b'/', b':', text).any(|at| {
            let next = text.get(at + 1);
            if text[at] == b':' {
                let before = at.checked_sub(1).and_then(|before| text.get(before));
                return next.is_some_and(u8::is_ascii_digit) && before.is_some_and(u8::is_ascii_alphabetic);
            }
            next.is_some_and(|next| {
                next.is_ascii_alphanumeric() || matches!(next, b'_' | b'.' | b'/' | b'[' | b'(' | b'$' | b'@' | 128..)
            })
        })
}

/// Returns whether a text may state a relation by its own words, independent of headings and labels above it.
pub(super) fn relations(text: &str) -> bool {
    PHRASES.has(text) || text.contains([':', '：']) && LABELS.has(text)
}

/// Compiles a pattern that is written in the source code.
#[expect(clippy::expect_used, reason = "the pattern is a constant that every test of the module compiles")]
pub(super) fn pattern(written: &str) -> Regex {
    Regex::new(written).expect("a valid pattern")
}
