//! Codes after a label in a sentence, a list or a table: recovery codes, PINs, licence keys, seeds of one-time passwords and
//! passwords of applications, in several languages.
//!
//! The form of a code is weak, so each label has its own: a number of a few digits is a PIN only after a word for one.

use super::code_labels::CodeKind;
use super::heuristics::{self, WordList};
use super::letters;
use super::rules::FindingLabel;
use super::text::{contains_ignoring_case, starts_ignoring_case};

pub(super) static RECOVERY: FindingLabel =
    FindingLabel { name: "recovery-codes", reason: "are codes to recover an account", rank: 6 };
pub(super) static PIN: FindingLabel =
    FindingLabel { name: "pin", reason: "is the number of a name that says PIN", rank: 6 };
pub(super) static LICENCE: FindingLabel =
    FindingLabel { name: "licence-key", reason: "is the key of a licence", rank: 6 };
pub(super) static SEED: FindingLabel =
    FindingLabel { name: "one-time-seed", reason: "is the seed of one-time passwords", rank: 6 };
static APPLICATION: FindingLabel =
    FindingLabel { name: "application-password", reason: "is the password of one application", rank: 6 };

/// The labels of this file.
pub(super) static LABELS: [&FindingLabel; 5] = [&RECOVERY, &PIN, &LICENCE, &SEED, &APPLICATION];

/// How far the first code may be from its label, and how far the last.
const MAX_LEAD: usize = 200;
const MAX_LIST: usize = 1600;
/// How far a PIN may be from its label.
const MAX_PIN_LEAD: usize = 56;

/// Passes the codes that the keyword between `start` and `end` announces to `found`; returns the end of what was read.
pub(super) fn find(
    text: &[u8],
    (start, end): (usize, usize),
    kind: CodeKind,
    mut found: impl FnMut(usize, usize, &'static FindingLabel),
) -> Option<usize> {
    match kind {
        CodeKind::Recovery => recovery(text, end, |start, end| found(start, end, &RECOVERY)),
        CodeKind::Pin => {
            let (start, end) = pin(text, start, end)?;
            found(start, end, &PIN);
            None
        }
        CodeKind::Licence => {
            let (start, end) = licence(text, end)?;
            found(start, end, &LICENCE);
            None
        }
        CodeKind::Seed => {
            // `2fa` and the like occur in hexadecimal.
            let whole = !text[start].is_ascii() || start == 0 || !text[start - 1].is_ascii_alphanumeric();
            if !whole || text[end - 1].is_ascii_alphanumeric() && text.get(end).is_some_and(u8::is_ascii_digit) {
                return None;
            }
            if let Some((start, end)) = seed(text, end) {
                found(start, end, &SEED);
            } else {
                lines(text, end, |start, end| found(start, end, &RECOVERY));
            }
            None
        }
        CodeKind::Application => {
            let (start, end) = application(text, end)?;
            found(start, end, &APPLICATION);
            None
        }
    }
}

/// The shape of a code: the lengths of its groups.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Shape {
    group: usize,
    groups: usize,
    numeric: bool,
}

/// Reads the codes after the label that ends at `from`.
fn recovery(text: &[u8], from: usize, mut found: impl FnMut(usize, usize)) -> Option<usize> {
    // The number of a key is no key.
    if starts_ignoring_case(&text[from..], b" id") {
        return None;
    }
    let limit = text.len().min(from + MAX_LIST);
    let (mut at, mut last) = (from, from);
    let mut codes: Vec<(usize, usize, Shape)> = Vec::new();
    let mut words = 0;
    while at < limit {
        let lead = if codes.is_empty() { MAX_LEAD } else { 64 };
        if at - last > lead || words > if codes.is_empty() { 24 } else { 4 } {
            break;
        }
        if !text[at].is_ascii_alphanumeric() {
            if text[at..].starts_with(b"\n#") || text[at..].starts_with(b"\n\n\n") || text[at..].starts_with(b"://") {
                break;
            }
            at += 1;
            continue;
        }
        let numbered = text[..at].trim_ascii_end().ends_with(b" ID");
        if let Some((end, shape)) = code(text, at).filter(|_| !numbered) {
            codes.push((at, end, shape));
            (at, last, words) = (end, end, 0);
            continue;
        }
        let length = text[at..]
            .iter()
            .take(40)
            .take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.'))
            .count();
        words += usize::from(text[at].is_ascii_alphabetic());
        at += length.max(1);
    }
    let (first, .., shape) = codes.first().copied()?;
    let same = codes.iter().filter(|(.., other)| *other == shape).count();
    let lone = |start: usize, end: usize| {
        let code = &text[start..end];
        let label = &text[from..first];
        let joined = label.iter().any(|b| matches!(b, b':' | b'=' | b'|' | b'\n')) || label.len() <= 24;
        shape.numeric && code.len() >= 8 && joined && label.len() <= 60
            || !shape.numeric && !heuristics::is_name(code) && label.len() <= 120
            || shape.groups > 1 && joined && code.iter().filter(|b| b.is_ascii_digit()).count() >= 2
    };
    if same < 2 && !lone(first, codes[0].1) {
        return Some(last);
    }
    for (start, end, other) in &codes {
        if *other == shape {
            found(*start, *end);
        }
    }
    Some(last)
}

/// How far below a word for a second factor its codes may begin.
const MAX_LINES: usize = 280;

/// Passes the codes to `found` that are the only content of at least three lines soon after `from`, two if they have groups.
fn lines(text: &[u8], from: usize, mut found: impl FnMut(usize, usize)) {
    let limit = text.len().min(from + MAX_LINES);
    let Some(first) = memchr::memchr(b'\n', &text[from..limit]) else { return };
    let mut at = from + first + 1;
    let mut codes: Vec<(usize, usize, Shape)> = Vec::new();
    while at < text.len() && (at < limit || !codes.is_empty()) && codes.len() < 20 {
        let length = text[at..].iter().take(80).take_while(|b| **b != b'\n').count();
        let line = &text[at..at + length];
        let mark = |b: &u8| matches!(b, b' ' | b'\t' | b'>' | b'-' | b'*' | b'"' | b'`' | b',' | b'\r');
        let lead = line.iter().take_while(|b| mark(b)).count();
        let bare = &line[lead..];
        let bare = &bare[..bare.iter().rposition(|b| !mark(b)).map_or(0, |last| last + 1)];
        let whole = |(end, _): &(usize, Shape)| *end == at + lead + bare.len();
        let next = if bare.is_empty() { None } else { code(text, at + lead).filter(whole) };
        let same = |shape: Shape| codes.first().is_none_or(|(.., other)| shape == *other);
        match next {
            Some((end, shape)) if same(shape) => codes.push((at + lead, end, shape)),
            _ if codes.is_empty() || bare.is_empty() => {}
            _ => break,
        }
        at += length + 1;
    }
    let start = codes.first().map_or(from, |(start, ..)| *start);
    let others = [&b"commit"[..], b"sha", b"revision", b"digest", b"build"];
    if others.iter().any(|word| contains_ignoring_case(&text[from..start], word)) {
        return;
    }
    let grouped = codes.first().is_some_and(|(.., shape)| shape.groups > 1);
    if codes.len() >= if grouped { 2 } else { 3 } {
        codes.into_iter().for_each(|(start, end, _)| found(start, end));
    }
}

/// Returns the end and the shape of the code at `at`.
fn code(text: &[u8], at: usize) -> Option<(usize, Shape)> {
    if at > 0 && (text[at - 1].is_ascii_alphanumeric() || matches!(text[at - 1], b'_' | b'#' | b'@' | b'=')) {
        return None;
    }
    let group = |from: usize| text[from..].iter().take(17).take_while(|b| b.is_ascii_alphanumeric()).count();
    let first = group(at);
    let mut end = at + first;
    let mut groups = 1;
    let numeric_group = |from: usize, to: usize| text[from..to].iter().all(u8::is_ascii_digit);
    while groups < 8 && (3..=8).contains(&first) {
        let joint = match text.get(end) {
            Some(b'-') => true,
            // Groups of digits may be apart by a blank.
            Some(b' ') if numeric_group(at, at + first) => matches!(first, 3..=6) && groups < 3,
            // Eight groups of four, as Bitwarden writes them.
            Some(b' ') => groups > 1 || is_spaced(text, at),
            _ => false,
        };
        let next = end + 1;
        if !joint
            || next >= text.len()
            || group(next) != first
            || text[end] == b' ' && numeric_group(at, at + first) && !numeric_group(next, next + first)
        {
            break;
        }
        groups += 1;
        end = next + first;
    }
    let token = &text[at..end];
    if text.get(end).is_some_and(|b| matches!(b, b'_' | b'-' | b'=' | b'%' | b'@'))
        || text.get(end) == Some(&b'.') && text.get(end + 1).is_some_and(u8::is_ascii_alphanumeric)
    {
        return None;
    }
    let digits = token.iter().filter(|b| b.is_ascii_digit()).count();
    let alphabetic = token.iter().filter(|b| b.is_ascii_alphabetic()).count();
    let both = token.iter().any(u8::is_ascii_lowercase) && token.iter().any(u8::is_ascii_uppercase);
    let numeric = alphabetic == 0;
    let fits = match (groups, numeric) {
        (1, true) => matches!(digits, 8..=12) && !token.starts_with(b"20"),
        (1, false) => {
            (8..=16).contains(&first) && digits >= 2 && alphabetic >= 2 && !both && !heuristics::is_name(token)
        }
        (2, true) => matches!(first, 3..=6) && digits >= 8 || first == 3 && text[at + 3] == b' ',
        (_, true) => first >= 3,
        (2.., false) => {
            let even = if groups < 4 { 4..=6 } else { 3..=8 };
            digits >= 1 && !both && even.contains(&first)
        }
        (0, false) => false,
    };
    let shape = Shape { group: first, groups, numeric: numeric && groups == 1 };
    (fits && !heuristics::is_placeholder(token)).then_some((end, shape))
}

/// Whether eight groups of four small letters and digits with blanks between them are at `at`.
fn is_spaced(text: &[u8], at: usize) -> bool {
    let Some(code) = text.get(at..at + 39) else { return false };
    let mut groups = code.chunks(5).map(|group| group.strip_suffix(b" ").unwrap_or(group));
    groups.all(|group| group.len() == 4 && group.iter().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit()))
        && code.iter().any(u8::is_ascii_digit)
        && code.iter().filter(|b| b.is_ascii_lowercase()).count() >= 8
        && text.get(at + 39).is_none_or(|b| !b.is_ascii_alphanumeric())
}

/// Words between a label and its number.
static CONNECTORS: WordList = WordList::new(
    "is are was ist lautet est es \u{e9} \u{e8} er \u{e4}r on to jest je now = : - | \u{2192} -> => \u{2013} \u{2014} still immer noch toujours sigue siendo \
    it's its ist's c'est set changed",
);

/// Whether the word before a code says that it is the result of something.
fn is_failure(before: &[u8]) -> bool {
    static FAILURES: WordList = WordList::new(
        "erreur error fehler http status statut retour sortie exit return r\u{e9}ponse postal pays country",
    );
    let word = before.iter().rev().take(24).take_while(|b| b.is_ascii_alphabetic() || !b.is_ascii()).count();
    FAILURES.has(&before[before.len() - word..])
}

/// Returns the number that the label between `start` and `end` announces.
fn pin(text: &[u8], start: usize, end: usize) -> Option<(usize, usize)> {
    let keyword = &text[start..end];
    let short = memchr::memmem::find(&keyword.to_ascii_lowercase(), b"pin").map(|at| start + at);
    let capital = short.is_some_and(|at| text[at..].starts_with(b"PIN"));
    // `spin:`, `mapping of`.
    if short.is_some_and(|at| at > 0 && (text[at - 1].is_ascii_alphanumeric())) {
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
        let line = &text[end..text.len().min(end + 16)];
        let digits = line.iter().take_while(|b| b.is_ascii_digit()).count();
        let value = &line[..digits];
        let alone = line.get(digits).is_none_or(|b| matches!(b, b'\n' | b'\r'));
        let varied = value.windows(2).any(|pair| pair[0] != pair[1]);
        return (alone && (4..=8).contains(&digits) && varied).then_some((end, end + digits));
    }
    let window = &text[end..text.len().min(end + MAX_PIN_LEAD)];
    let line = &window[..window.iter().position(|b| *b == b'\n').unwrap_or(window.len())];
    let first = line.iter().position(u8::is_ascii_digit)?;
    let mut at = first;
    // `PUK2: …`, `PIN 1: …`.
    let numbered = line[first..].iter().take_while(|b| b.is_ascii_digit()).count();
    if numbered == 1 {
        at = first + 1 + line[first + 1..].iter().position(u8::is_ascii_digit)?;
    }
    let lead = &line[..at];
    let length = line[at..].iter().take_while(|b| b.is_ascii_digit()).count();
    let value = &line[at..at + length];
    let after = line.get(at + length);
    let goes_on = after.is_some_and(|b| b.is_ascii_alphanumeric() || matches!(b, b'%' | b'_' | b'/' | b'@'))
        || matches!(after, Some(b'.' | b'-' | b':' | b','))
            && line.get(at + length + 1).is_some_and(u8::is_ascii_digit);
    let is_part = |b: &u8| b.is_ascii_alphabetic() || matches!(b, b'.' | b'/' | b'#' | b'_' | b'+' | b'$' | b'@');
    let alone = !goes_on && !lead.last().is_some_and(is_part);
    if !alone
        || !(4..=8).contains(&length)
        || heuristics::is_placeholder(value) && value != b"0000"
        || value.windows(2).all(|pair| pair[0] == pair[1])
    {
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
    let version = lead.windows(7).any(|word| word.eq_ignore_ascii_case(b"version"));
    let year = length == 4 && matches!(value[..2], [b'1', b'9'] | [b'2', b'0']);
    let bare = words.is_empty();
    let named = short.is_none() || capital || !bare || lead.contains(&b':');
    let counted = line[at + length..].trim_ascii_start();
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
    .then_some((end + at, end + at + length))
}

/// Returns the licence key soon after the label that ends at `from`.
fn licence(text: &[u8], from: usize) -> Option<(usize, usize)> {
    let window = &text[from..text.len().min(from + 120)];
    let lines = window.iter().enumerate().filter(|(_, b)| **b == b'\n').nth(2).map_or(window.len(), |(at, _)| at);
    let window = &window[..lines];
    let mut at = 0;
    while at < window.len() {
        let is_part = |b: &u8| b.is_ascii_uppercase() || b.is_ascii_digit() || *b == b'-';
        if !is_part(&window[at]) || at > 0 && window[at - 1].is_ascii_alphanumeric() {
            at += 1;
            continue;
        }
        let length = text[from + at..].iter().take(80).take_while(|b| is_part(b)).count();
        let token = &text[from + at..from + at + length];
        let groups: Vec<&[u8]> = token.split(|b| *b == b'-').collect();
        let digits = token.iter().filter(|b| b.is_ascii_digit()).count();
        let even = groups.iter().all(|group| group.len() == groups[0].len()) || groups.len() >= 4 && is_framed(&groups);
        let mixed = groups
            .iter()
            .filter(|group| group.iter().any(u8::is_ascii_digit) && group.iter().any(u8::is_ascii_uppercase))
            .count();
        let ended = !text.get(from + at + length).is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'_');
        if ended
            && even
            && groups.len() >= 3
            && (4..=8).contains(&groups[1].len())
            && digits >= 2
            && (mixed >= 2 || groups.len() >= 4 && mixed >= 1 || groups.len() >= 5 && groups[0].len() <= 6)
            && !heuristics::is_placeholder(token)
        {
            return Some((from + at, from + at + length));
        }
        at += length.max(1);
    }
    None
}

/// Whether the groups between the first, which names a product, and the last, which may be a check, are of one length.
fn is_framed(groups: &[&[u8]]) -> bool {
    let [first, middle @ .., last] = groups else { return false };
    let length = middle[0].len();
    (2..=length).contains(&first.len())
        && (2..=length).contains(&last.len())
        && middle.iter().all(|group| group.len() == length)
}

/// Returns the Base32 seed soon after the label that ends at `from`.
fn seed(text: &[u8], from: usize) -> Option<(usize, usize)> {
    let window = &text[from..text.len().min(from + 160)];
    let lines = window.iter().enumerate().filter(|(_, b)| **b == b'\n').nth(3).map_or(window.len(), |(at, _)| at);
    let mut at = from;
    while at < from + lines {
        if !text[at].is_ascii_alphanumeric()
            || at > 0 && (text[at - 1].is_ascii_alphanumeric() || matches!(text[at - 1], b'_' | b'/' | b'-'))
        {
            at += 1;
            continue;
        }
        let (end, groups) = base32(text, at);
        let value = &text[at..end];
        let digit = value.iter().any(u8::is_ascii_digit);
        let joined: Vec<u8> = value.iter().copied().filter(u8::is_ascii_alphanumeric).collect();
        let random = letters::are_random(&joined) || digit;
        let fits = match groups {
            0 => false,
            1 => {
                (16..=64).contains(&joined.len())
                    && joined.len().is_multiple_of(2)
                    && random
                    && (digit || joined.len() >= 26)
                    && !joined.iter().all(u8::is_ascii_hexdigit)
            }
            _ => joined.len() >= 16 && random,
        };
        if fits && !heuristics::is_placeholder(value) {
            return Some((at, end));
        }
        at = end.max(at + 1);
    }
    None
}

/// Returns the end of the Base32 at `at`, in groups of four or whole, and the number of groups.
fn base32(text: &[u8], at: usize) -> (usize, usize) {
    let upper = text[at].is_ascii_uppercase()
        || text[at].is_ascii_digit() && text[at..].iter().take(4).any(u8::is_ascii_uppercase);
    let is_part =
        |b: &u8| matches!(b, b'2'..=b'7') || if upper { b.is_ascii_uppercase() } else { b.is_ascii_lowercase() };
    let run = |from: usize| {
        let length = text[from..].iter().take(72).take_while(|b| is_part(b)).count();
        let whole = !text.get(from + length).is_some_and(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'('));
        if whole { length } else { 0 }
    };
    let first = run(at);
    if first == 0 {
        return (at + text[at..].iter().take(72).take_while(|b| b.is_ascii_alphanumeric()).count(), 0);
    }
    let (mut end, mut groups) = (at + first, 1);
    while groups < 16 && matches!(first, 4 | 8) && matches!(text.get(end), Some(b' ' | b'-')) && run(end + 1) == first {
        end += 1 + first;
        groups += 1;
    }
    (end, groups)
}

/// Returns the password of four groups of four letters after the label that ends at `from`.
fn application(text: &[u8], from: usize) -> Option<(usize, usize)> {
    let window = &text[from..text.len().min(from + 120)];
    let lines = window.iter().enumerate().filter(|(_, b)| **b == b'\n').nth(2).map_or(window.len(), |(at, _)| at);
    let window = &text[..from + lines];
    let is_group = |at: usize| {
        text.get(at..at + 4).is_some_and(|group| group.iter().all(u8::is_ascii_lowercase))
            && !text.get(at + 4).is_some_and(u8::is_ascii_alphanumeric)
    };
    let mut at = from;
    while at < window.len() {
        if text[at].is_ascii_alphabetic() && !text[at - 1].is_ascii_alphanumeric() {
            let joint = text.get(at + 4).filter(|b| matches!(b, b' ' | b'-'));
            let whole = joint.is_some()
                && [0, 5, 10, 15]
                    .iter()
                    .all(|step| is_group(at + step) && (*step == 15 || text.get(at + step + 4) == joint));
            if whole {
                let joined: Vec<u8> = text[at..at + 19].iter().copied().filter(u8::is_ascii_lowercase).collect();
                let (odd, pairs) = letters::odd_pairs(&joined);
                if odd * 4 >= pairs {
                    return Some((at, at + 19));
                }
            }
            at += text[at..].iter().take_while(|b| b.is_ascii_alphanumeric()).count();
        } else {
            at += 1;
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use crate::redact::canaries::{SEED, fill, scrub};

    #[test]
    fn codes_are_found_after_their_labels() {
        for (template, secret) in [
            ("## Recovery codes\n\n@\n@\n@\n", "<a5>-<a5>"),
            ("Here are the backup codes:\n1. @\n2. @\n", "<d8>"),
            ("| Codes de secours |\n|---|\n| @ |\n| @ |\n", "<d8>"),
            ("herstelcodes @ en @", "<u4>-<u4>"),
            ("PIN for the door: @", "<d4>"),
            ("Die PIN der Alarmanlage lautet @.", "<d4>"),
            ("SIM PUK @", "<d8>"),
            ("the alarm code is @", "<d6>"),
            ("Windows 10 key from the sticker: @", "<u5>-8<u4>-K<d4>-<u3>2Z-W4<u3>"),
            ("Lizenzschlüssel: @", "<u6>-8<u5>-K<d5>-<u4>2Z"),
            ("Choose manual entry and type @ there", "<b32>"),
            ("2FA (authenticator): @", "<b32>"),
            ("AWS root MFA: the seed is @ for now", "<b32>"),
            ("Tablet 1 bis 4: Sperrcode @", "<d5>"),
            ("- copier: code @\n", "<d5>"),
            ("- alarme : code @\n", "<d5>"),
            ("# sim-pin\n@\n", "<d5>"),
            ("editor -batchmode -serial @ -quit", "G2-<u4>-8<u3>-K<u2>7-<u3>2"),
            ("Serial: @", "CG-8<u7>-K<u6>7-<u3>2"),
        ] {
            let secret = fill(secret, SEED).to_uppercase();
            let secret = if template.contains("authenticator") { secret.to_lowercase() } else { secret };
            let scrubbed = scrub(&template.replace('@', &secret));
            assert!(!scrubbed.contains(&secret), "{scrubbed}");
        }
        assert!(!scrub("Google app password: qxzv wkjh bvtq zrpl").contains("wkjh"));
    }

    #[test]
    fn what_only_resembles_codes_stays() {
        for text in [
            "## Recovery codes\n\nTen codes are made. Each works once and looks like `xxxxx-xxxxx`.\n",
            "## Backup codes\nv1.2.3\n2024-01-02\n",
            "PIN 13 is the LED. Connect pin: 12 to GND. The PIN is 6 digits. Pin your version: 2024.",
            "The access code runs in O(1), error code: 123456, postal code: 10115.",
            "License: Apache-2.0. license = \"MIT OR Apache-2.0\". Serial number: SN-2024",
            "An app password lets apps sign in. With that they have more time from here on.",
            "Set up 2FA with an authenticator such as Authy, then verify the code.",
            "0x2fa4c1d97e 2fa89cba77d3",
            "Serial: /dev/ttyUSB0, serial: A1-B2-C3, serial: DX-2021-03-04",
            "erreur : code 40418, status: code 2048\n# pin\n3\n",
            "The seed is 42. The seed that we use is 12345.",
        ] {
            assert_eq!(scrub(text), text);
        }
    }
}
