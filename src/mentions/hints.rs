//! What a text may hold at all, by the words in it: most prose is spared the reading word by word.

use aho_corasick::AhoCorasick;
use regex::Regex;
use std::sync::LazyLock;

/// What every path of a document, every URL and every number of an ADR has.
///
/// ASCII case is ignored. No word here has a `k` or an `s`, the two letters that Unicode also
/// writes with signs outside ASCII, so that nothing is missed that a pattern without case finds.
static REFERENCES: LazyLock<Hints> = LazyLock::new(|| Hints::new(&["adr", "://", ".md", ".rst", ".adoc", ".txt"]));

/// What every phrase has that states a relation.
static PHRASES: LazyLock<Hints> = LazyLock::new(|| Hints::new(&["depend", "bloc", "part of", "part-of"]));

/// What every other label of a relation has besides its colon.
static LABELS: LazyLock<Hints> =
    LazyLock::new(|| Hints::new(&["parent", "child", "relat", "ubi", "ub-i", "ubt", "ub-t"]));

struct Hints(Option<AhoCorasick>);

impl Hints {
    fn new(words: &[&str]) -> Self {
        Self(AhoCorasick::builder().ascii_case_insensitive(true).build(words).ok())
    }

    fn has(&self, text: &str) -> bool {
        self.0.as_ref().is_none_or(|words| words.is_match(text))
    }
}

/// What of a run may be a reference.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct HintedRun {
    /// Paths of documents and URLs.
    pub(super) paths: bool,
    /// Numbers of ADRs, and labels that announce them.
    pub(super) adrs: bool,
}

impl HintedRun {
    /// Looks for every kind of hint.
    pub(super) fn of(text: &str) -> Self {
        let Some(words) = &REFERENCES.0 else { return Self { paths: true, adrs: true } };
        let mut hints = Self::default();
        for found in words.find_iter(text) {
            if found.pattern().as_usize() == 0 {
                hints.adrs = true;
            } else {
                hints.paths = true;
            }
            if hints.adrs && hints.paths {
                break;
            }
        }
        hints
    }
}

/// Whether a text may state a relation by its own words, whatever it stands under.
pub(super) fn relations(text: &str) -> bool {
    PHRASES.has(text) || text.contains([':', '：']) && LABELS.has(text)
}

/// Compiles a pattern that is written in the source code.
#[expect(clippy::expect_used, reason = "the pattern is a constant that every test of the room compiles")]
pub(super) fn pattern(written: &str) -> Regex {
    Regex::new(written).expect("a valid pattern")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::DOCUMENT_EXTENSIONS;

    #[test]
    fn prose_without_hints_is_told_from_prose_with_them() {
        assert_eq!(HintedRun::of("The cache is sound. It recovers."), HintedRun::default());
        assert_eq!(HintedRun::of("see ADR 7"), HintedRun { paths: false, adrs: true });
        assert_eq!(HintedRun::of("docs/A.MD, the adrs"), HintedRun { paths: true, adrs: true });
        assert!(
            relations("Bloc\u{212a}ed by #1") && relations("\u{17f}ub-tasks: #1") && !relations("The queue is full")
        );
    }

    #[test]
    fn every_name_of_a_document_has_a_hint() {
        for extension in DOCUMENT_EXTENSIONS {
            assert!(HintedRun::of(&format!("a/b.{extension}")).paths, "{extension}");
        }
    }
}
