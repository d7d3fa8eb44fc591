//! Numbers after a word for a PIN: "the PIN for the door is 4711", `SIM PUK: 12345678`.

use super::super::heuristics::{self, WordList};
use super::super::text::contains_ignoring_case;
use super::{goes_on, line, number_end};

/// How far a PIN may be from its label.
const MAX_LEAD: usize = 56;

/// Words between a label and its number.
static CONNECTORS: WordList = WordList::new(
    "is are was ist lautet est es \u{e9} \u{e8} er \u{e4}r on to jest je now = : - | \u{2192} -> => \u{2013} \u{2014} still immer noch toujours sigue siendo \
    it's its ist's c'est set changed wants takes type auf",
);

/// What `pin` is written together with in words for such a number.
const PARTS: [&[u8]; 6] = [b"code", b"kod", b"cod", b"n", b"s", b"-"];

/// Returns the number that the label between `start` and `end` announces.
pub(super) fn after(text: &[u8], start: usize, end: usize) -> Option<(usize, usize)> {
    let keyword = &text[start..end];
    let short = memchr::memmem::find(&keyword.to_ascii_lowercase(), b"pin").map(|at| start + at);
    let capital = short.is_some_and(|at| text[at..].starts_with(b"PIN"));
    // `spin:`, `mapping of`.
    if short.is_some_and(|at| at > 0 && (text[at - 1].is_ascii_alphanumeric())) {
        return None;
    }
    // "a wrong PIN returns error 6983", "the code of PIN failures is 1603"
    let before = super::super::text::last_line(&text[start.saturating_sub(24)..start]);
    let failing = |part: &[u8]| {
        [&b"wrong"[..], b"invalid", b"incorrect", b"blocked", b"error", b"failure", b"failed"]
            .iter()
            .any(|word| contains_ignoring_case(part, word))
    };
    if failing(before) || failing(&text[end..text.len().min(end + 16)]) {
        return None;
    }
    // `-pino`, `(Ping…`
    let rest = short.map_or(&b""[..], |at| &text[at + 3..]);
    if rest.first().is_some_and(u8::is_ascii_lowercase) && !PARTS.iter().any(|part| rest.starts_with(part)) {
        return None;
    }
    // A table of the numbers of words.
    if keyword.eq_ignore_ascii_case(b"combination") && text.get(end) == Some(&b'\t') {
        return None;
    }
    if keyword.eq_ignore_ascii_case(b"puk")
        && (start > 0 && text[start - 1].is_ascii_alphabetic() || text.get(end).is_some_and(u8::is_ascii_lowercase))
    {
        return None;
    }
    if keyword.eq_ignore_ascii_case(b" : code ") && is_failure(&text[..start]) {
        return None;
    }
    // `# sim-pin` above its number.
    if keyword.ends_with(b"\n") {
        let last = number_end(text, end)?;
        let alone = text.get(last).is_none_or(|b| matches!(b, b'\n' | b'\r'));
        let varied = text[end..last].windows(2).any(|pair| pair[0] != pair[1]);
        return (alone && varied).then_some((end, last));
    }
    let line = line(&text[end..], MAX_LEAD);
    let digit = |from: usize| line[from..].iter().position(u8::is_ascii_digit).map(|at| from + at);
    let mut at = digit(0)?;
    // `PUK2: …`, `PIN 1: …`.
    if !line.get(at + 1).is_some_and(u8::is_ascii_digit) {
        at = digit(at + 1)?;
    }
    let lead = &line[..at];
    // `([7994982](https://…`, a commit that a changelog links.
    if lead.ends_with(b"([") || lead.ends_with(b"PubMed:") || lead.ends_with(b"PMID:") || lead.ends_with(b"DOI:") {
        return None;
    }
    // `` :issue:`1133` ``, a role of reStructuredText.
    let role = lead.strip_suffix(b":`").is_some_and(|head| {
        let word = head.iter().rev().take_while(|b| b.is_ascii_lowercase() || **b == b'-').count();
        word > 1 && head[..head.len() - word].ends_with(b":")
    });
    if role {
        return None;
    }
    let last = number_end(text, end + at)?;
    let value = &text[end + at..last];
    let is_part = |b: &u8| b.is_ascii_alphabetic() || matches!(b, b'.' | b'/' | b'#' | b'_' | b'+' | b'$' | b'@');
    if goes_on(&text[last..]) || lead.last().is_some_and(is_part) || heuristics::is_placeholder(value) {
        return None;
    }
    let words: Vec<&[u8]> = lead
        .split(|b| b.is_ascii_whitespace() || matches!(b, b'`' | b'*' | b'"'))
        .filter(|word| !word.is_empty())
        .collect();
    let connected = words.last().is_none_or(|word| {
        CONNECTORS.has(word)
            || matches!(word.last(), Some(b':' | b'=' | b'|' | b')'))
            || word.ends_with("：".as_bytes())
    }) || lead.iter().all(|b| !b.is_ascii_alphanumeric()) && !lead.contains(&b'.');
    let sentence = lead.windows(2).any(|two| matches!(two, b". " | b"; " | b"? " | b"! "));
    // A year, a count of digits and what electronics call a pin.
    let version = contains_ignoring_case(lead, b"version");
    let year = value.len() == 4 && matches!(value[..2], [b'1', b'9'] | [b'2', b'0']);
    let bare = words.is_empty();
    let named = short.is_none() || capital || !bare || lead.contains(&b':');
    let counted = line.get(at + value.len()..).unwrap_or_default().trim_ascii_start();
    let unit = [
        &b"digit"[..],
        b"char",
        b"times",
        b"ms",
        b"sec",
        b"min",
        b"byte",
        b"bit",
        b"stellig",
        b"Ziff",
        b"chiff",
        b"user",
        b"line",
    ]
    .iter()
    .any(|unit| counted.starts_with(unit));
    (connected
        && !sentence
        && !version
        && named
        && !unit
        && words.len() <= 7
        && !(year && bare && !lead.contains(&b':')))
    .then_some((end + at, last))
}

/// Whether the word before a code says that it is the result of something.
fn is_failure(before: &[u8]) -> bool {
    static FAILURES: WordList = WordList::new(
        "erreur error fehler http status statut close closing reason retour sortie exit return r\u{e9}ponse postal pays country",
    );
    let word = before.iter().rev().take(24).take_while(|b| b.is_ascii_alphabetic() || !b.is_ascii()).count();
    FAILURES.has(&before[before.len() - word..])
}
