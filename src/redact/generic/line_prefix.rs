//! What the lines of a log or a quote begin with, before their content.

use super::super::heuristics::WordList;
use super::separator::skip_blanks;

/// The longest prefix of the lines of a log.
pub(super) const MAX_PREFIX: usize = 48;
/// How far before a place the beginning of its line may be.
const MAX_REACH: usize = 320;

/// What each line of a log begins with.
pub(super) enum Prefix<'t> {
    /// The same on each line, up to a bar or a bracket: `jenkins_1  | `.
    Same(&'t [u8]),
    /// A time and a level.
    Time,
    /// Nothing but indentation and the marks of quotes and comments.
    None,
}

impl<'t> Prefix<'t> {
    /// Returns the prefix of the line of `at`.
    pub(super) fn of(text: &'t [u8], at: usize) -> Self {
        let before = &text[at.saturating_sub(MAX_REACH)..at];
        let start = before.iter().rposition(|b| *b == b'\n').map_or(0, |end| end + 1);
        let head = &before[start..];
        let head = &head[..head.len().min(MAX_PREFIX)];
        if let Some(bar) = head.windows(2).position(|pair| pair == b"| ")
            && head.iter().find(|b| !matches!(b, b' ' | b'>' | b'+' | b'/')).is_some_and(u8::is_ascii_alphanumeric)
        {
            return Self::Same(&head[..=bar]);
        }
        if head.trim_ascii_start().starts_with(b"[")
            && let Some(end) = head.windows(2).position(|pair| pair == b"] ")
            && !head[..end].contains(&b':')
        {
            return Self::Same(&head[..=end]);
        }
        match after_time(head) {
            0 => Self::None,
            _ => Self::Time,
        }
    }

    /// Returns the offset of the content of the line at `start`; `None` if the text ends, or the line has another prefix.
    pub(super) fn skip(&self, text: &[u8], start: usize) -> Option<usize> {
        let rest = text.get(start..).filter(|rest| !rest.is_empty())?;
        let content = match self {
            Self::Same(prefix) => start + rest.strip_prefix(*prefix).map(|_| prefix.len())?,
            Self::Time => start + after_time(&rest[..rest.len().min(MAX_PREFIX)]),
            Self::None => {
                start
                    + rest.iter().take(32).take_while(|b| matches!(b, b'>' | b'#' | b'/' | b'*' | b'+' | b' ')).count()
            }
        };
        Some(skip_blanks(text, content))
    }
}

/// Returns the length of the time and the level at the beginning of a line of a log.
fn after_time(line: &[u8]) -> usize {
    static LEVELS: WordList = WordList::new("info [info] warn [warn] notice debug [debug] info: stdout: log:");
    let mut at = 0;
    for _ in 0..4 {
        let word = line[at..].iter().take_while(|b| !b.is_ascii_whitespace()).count();
        let content = &line[at..at + word];
        let digits = content.iter().filter(|b| b.is_ascii_digit()).count();
        let time = digits >= 6
            && content.iter().any(|b| matches!(b, b':' | b'-' | b'/'))
            && content.iter().all(|b| b.is_ascii_digit() || b"-:./TZ+,[]".contains(b));
        if !(time || at > 0 && LEVELS.has(content)) || word == 0 {
            break;
        }
        at += word;
        at += line[at..].iter().take_while(|b| **b == b' ').count();
    }
    at
}
