//! The size of a regular expression and the work that it can cause, from its syntax before it is compiled.

use regex_automata::dfa::{StartKind, dense};
use regex_automata::nfa::thompson;
use regex_automata::util::syntax;
use regex_syntax::ParserBuilder;
use regex_syntax::hir::{Class, Hir, HirKind};

/// The deepest nesting of a pattern.
pub(super) const MAX_NESTING: u32 = 50;

/// The most memory that the automaton of a large pattern may take, in bytes.
const MAX_AUTOMATON_BYTES: usize = 1 << 20;

/// The size of a pattern with every counted repetition written out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct PatternSize {
    /// The most characters that a match passes without a loop. The slowest search looks at each of them for each byte of a
    /// text.
    pub(super) positions: u64,
    /// The number of states that it compiles to, roughly.
    pub(super) states: u64,
}

impl PatternSize {
    /// Measures `pattern`. Returns `None` if it is no regular expression, or nested too deeply.
    pub(super) fn of(pattern: &str) -> Option<Self> {
        let mut parser = ParserBuilder::new().utf8(false).nest_limit(MAX_NESTING).build();
        Some(size_of_part(&parser.parse(pattern).ok()?))
    }
}

/// How much memory an automaton may take while it is built, and about how many microseconds it takes to fill that.
const AUTOMATA: [(usize, u64); 3] = [(32 << 10, 10_000), (128 << 10, 25_000), (MAX_AUTOMATON_BYTES, 400_000)];

/// What came of building the automaton of a pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct AutomatonCost {
    /// Whether a search follows one state for each byte, whatever the text.
    pub(super) is_small: bool,
    /// Roughly how long it took to find out, in microseconds.
    pub(super) work: u64,
}

impl AutomatonCost {
    /// Builds the automaton of `pattern`.
    ///
    /// The search builds its states as it meets them. Where they do not all fit into memory, it falls back to one that
    /// looks at every position for every byte.
    pub(super) fn of(pattern: &str) -> Self {
        let small = AUTOMATA.iter().find(|(memory, _)| builds(pattern, *memory));
        Self { is_small: small.is_some(), work: small.map_or(AUTOMATA[2].1, |(_, work)| *work) }
    }
}

fn builds(pattern: &str, memory: usize) -> bool {
    let config = dense::Config::new()
        .start_kind(StartKind::Unanchored)
        .determinize_size_limit(Some(memory))
        .dfa_size_limit(Some(MAX_AUTOMATON_BYTES));
    let nfa = thompson::Config::new().utf8(false).nfa_size_limit(Some(MAX_AUTOMATON_BYTES));
    let syntax = syntax::Config::new().utf8(false).nest_limit(MAX_NESTING);
    dense::Builder::new().configure(config).thompson(nfa).syntax(syntax).build(pattern).is_ok()
}

/// Measures a part of a pattern. Recursion is as deep as the parser allows patterns to nest.
fn size_of_part(hir: &Hir) -> PatternSize {
    let sum = |parts: &[Hir]| {
        parts.iter().map(size_of_part).fold(PatternSize { positions: 1, states: 1 }, |sum, part| PatternSize {
            positions: sum.positions.saturating_add(part.positions),
            states: sum.states.saturating_add(part.states),
        })
    };
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => PatternSize { positions: 1, states: 1 },
        HirKind::Literal(literal) => {
            let bytes = literal.0.len() as u64;
            PatternSize { positions: bytes, states: bytes }
        }
        HirKind::Class(class) => PatternSize {
            positions: 1,
            states: match class {
                Class::Unicode(class) => 1 + 2 * class.ranges().len() as u64,
                Class::Bytes(_) => 1,
            },
        },
        HirKind::Repetition(repetition) => {
            let times = u64::from(repetition.max.unwrap_or(repetition.min).max(1));
            let one = size_of_part(&repetition.sub);
            PatternSize {
                positions: one.positions.saturating_mul(times),
                states: one.states.saturating_add(1).saturating_mul(times),
            }
        }
        HirKind::Capture(capture) => {
            let inner = size_of_part(&capture.sub);
            PatternSize { states: inner.states.saturating_add(2), ..inner }
        }
        HirKind::Concat(parts) | HirKind::Alternation(parts) => sum(parts),
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    #[test]
    fn repetitions_multiply() {
        let positions = |pattern: &str| PatternSize::of(pattern).unwrap().positions;
        assert_eq!(positions("a"), 1);
        assert_eq!(positions("a{100}"), 100);
        assert!(positions("(a{100}){100}") >= 10_000);
        assert!(positions("a{1000}{100}") >= 100_000);
        assert!(positions("((a{10}){10}|b){10}") >= 1000);
        assert_eq!(positions("(((a{1000}){1000}){1000}){1000}{1000}{1000}{1000}"), u64::MAX);
        assert!(positions(r"\b[a-z]{3,}x*") < 10);
    }

    #[test]
    fn unicode_classes_count_by_their_ranges() {
        let states = |pattern: &str| PatternSize::of(pattern).unwrap().states;
        assert!(states(r"\pL") > 500 && states(r"(?-u)\w") < 5 && states("[a-z]{10}") < 50);
    }

    #[test]
    fn an_automaton_is_small_where_matches_do_not_overlap() {
        for pattern in ["[0-9a-f]{128}", "(a{30}){30}", "ghs_[A-Za-z0-9]{255}", "(?-u)[^ ]{1,500} x"] {
            assert!(AutomatonCost::of(pattern).is_small, "{pattern}");
        }
        for pattern in ["a[ab]{300}c", "[ab]*a[ab]{100}", "x.{0,200}y", r"\b[a-z]{200}\b"] {
            assert!(!AutomatonCost::of(pattern).is_small, "{pattern}");
        }
    }

    #[test]
    fn deep_nesting_has_no_size() {
        assert_eq!(PatternSize::of(&format!("{}a{}", "(".repeat(100), ")".repeat(100))), None);
        assert_eq!(PatternSize::of("a("), None);
    }
}
