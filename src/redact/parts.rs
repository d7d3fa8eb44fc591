//! Keys that a text gives in parts: constants `K1` and `K2` that something joins, "first half: … second half: …", and the sum of
//! two variables that hold them.

use super::assembled;
use super::generic::OnFinding;
use super::heuristics;
use super::names::KEY;
use super::text::{contains_ignoring_case, is_word};
use std::ops::Range;

/// The ends of names of constants that hold the first part, with what follows them.
pub(super) const CONSTANTS: &[&str] = &[
    "k1 = \"",
    "k1=\"",
    "k1 = '",
    "k1[] =",
    "k1: &str",
    "p1 = \"",
    "p1=\"",
    "p1 = '",
    "p1[] =",
    "p1: &str",
    "s1 = \"",
    "s1=\"",
    "s1 = '",
    "s1[] =",
    "s1: &str",
    "k1='",
    "p1='",
    "s1='",
    "k_a \"",
    "k_a =",
    "k_1 \"",
    "k_1 =",
    "k1 \"",
    "key_1 \"",
    "key1 \"",
    "part1 \"",
    "part_1 \"",
    "part1 =",
    "part1=",
    "part_1 =",
    "part_1=",
    "part_a =",
    "part_a=",
    "half1 =",
    "half1=",
    "half_1 =",
    "half_1=",
    "key1 =",
    "key1=",
    "key_1 =",
    "key_1=",
    "key_a =",
    "key_a=",
    "chunk1 =",
    "chunk1=",
    "token1 =",
    "token1=",
    "token_1 =",
    "token_1=",
    "secret1 =",
    "secret1=",
    "secret_1 =",
    "secret_1=",
    "part1[]",
    "key1[]",
    "part1: ",
    "key1: ",
];
/// Words for the first part of a key.
pub(super) const HALVES: &[&str] = &[
    "first half",
    "1st half",
    "part 1:",
    "half 1",
    "part 1/2",
    "part 1 of 2",
    "erste h\u{e4}lfte",
    "erster teil",
    "teil 1:",
    "premi\u{e8}re moiti\u{e9}",
    "premi\u{e8}re partie",
    "primera mitad",
    "primera parte",
    "prima met\u{e0}",
    "prima parte",
    "primeira metade",
    "eerste helft",
    "eerste deel",
    "f\u{f6}rsta halvan",
    "первая половина",
    "前半",
    "(1/2)",
];
/// What joins variables, of which the names of some follow.
pub(super) const SUMS: &[&str] =
    &["a + b", "k1 + ", "p1 + ", "part1 + ", "part1+", "part_1 + ", "part_a + ", "key1 + ", "s1 + ", "half1 + "];

/// The least and the largest length of a part, and the least of the whole.
const PART: std::ops::RangeInclusive<usize> = 8..=64;
const MIN_WHOLE: usize = 24;
const MAX_PARTS: usize = 6;
/// How far apart two parts, and a part and what joins it, may be.
const MAX_GAP: usize = 160;
const MAX_DISTANCE: usize = 300;

/// Passes the parts of a key whose first one is the constant at `hit..end` to `found`; they are on lines of their own.
pub(super) fn constants(text: &[u8], (hit, end): (usize, usize), found: OnFinding<'_>) {
    let name_end = hit + text[hit..end].iter().take_while(|b| is_word(**b)).count();
    let low = hit.saturating_sub(32);
    let start = hit - text[low..hit].iter().rev().take_while(|b| is_word(**b)).count();
    let (stem, index) = (&text[start..name_end - 1], text[name_end - 1]);
    let Some(first) = value_of(text, name_end) else { return };
    let mut parts = vec![first];
    for next in index + 1..index + MAX_PARTS as u8 {
        let last = parts[parts.len() - 1].end;
        let window = &text[last..text.len().min(last + MAX_GAP)];
        let name = [stem, &[next]].concat();
        let Some(at) = memchr::memmem::find(window, &name) else { break };
        let Some(part) = value_of(text, last + at + name.len()) else { break };
        parts.push(part);
    }
    let last = parts[parts.len() - 1].end;
    let rest = &text[last..text.len().min(last + MAX_DISTANCE)];
    let before = &text[start.saturating_sub(MAX_DISTANCE)..start];
    let last_name = [stem, &[index + (parts.len() as u8 - 1)]].concat();
    const WORDS: [&[u8]; 6] = [b"split", b"join", b"concat", b"halves", b"pieces", b"geteilt"];
    let joined = memchr::memmem::find(rest, &last_name).is_some()
        || WORDS.iter().any(|word| contains_ignoring_case(rest, word) || contains_ignoring_case(before, word));
    if joined && parts.iter().all(|part| is_literal(text, part)) {
        pass(text, &parts, is_key_of(rest, &last_name), found);
    }
}

/// Whether the line that uses the last part says that the whole is a key.
fn is_key_of(rest: &[u8], last_name: &[u8]) -> bool {
    let Some(at) = memchr::memmem::find(rest, last_name) else { return false };
    let line = &rest[..at];
    let line = &line[line.iter().rposition(|b| *b == b'\n').map_or(0, |end| end + 1)..];
    [&b"key"[..], b"secret", b"token", b"hmac", b"cipher"].iter().any(|word| contains_ignoring_case(line, word))
}

/// Passes the halves of a key after the word for the first at `hit..end` to `found`.
pub(super) fn halves(text: &[u8], (hit, end): (usize, usize), found: OnFinding<'_>) {
    let Some(first) = token(text, end, end + 24) else { return };
    let Some(second) = token(text, first.end, first.end + 64) else { return };
    const OTHERS: [&[u8]; 10] =
        [b"hash", b"digest", b"sha", b"commit", b"address", b"public", b"checksum", b"fingerprint", b"url", b"ipv6"];
    let around = &text[hit.saturating_sub(64)..second.start];
    if !OTHERS.iter().any(|word| contains_ignoring_case(around, word)) {
        pass(text, &[first, second], false, found);
    }
}

/// Passes the values of the variables that are joined at `hit` to `found`.
pub(super) fn sum(text: &[u8], hit: usize, found: OnFinding<'_>) {
    let low = hit.saturating_sub(32);
    let start = hit - text[low..hit].iter().rev().take_while(|b| is_word(**b)).count();
    let Some(parts) = assembled::variables(text, start) else { return };
    assembled::each_part(text, b"value", &parts, found);
    if parts.iter().all(|part| is_literal(text, part)) {
        pass(text, &parts, false, found);
    }
}

/// Whether a value is in quotes, or all that follows `=` on its line: else it is a name in a program.
fn is_literal(text: &[u8], part: &Range<usize>) -> bool {
    let quoted =
        matches!(text[part.start - 1], b'"' | b'\'' | b'`') && text.get(part.end) == Some(&text[part.start - 1]);
    quoted || text[part.start - 1] == b'=' && text.get(part.end).is_none_or(|b| matches!(b, b'\n' | b'\r'))
}

/// Passes `parts` to `found` if together they are a key that a machine made. `said`: whether the text says so, else what is
/// hexadecimal is a digest.
fn pass(text: &[u8], parts: &[Range<usize>], said: bool, found: OnFinding<'_>) {
    let whole: Vec<u8> = parts.iter().flat_map(|part| text[part.clone()].iter().copied()).collect();
    let hexadecimal = whole.iter().all(u8::is_ascii_hexdigit);
    let fits = parts.len() >= 2
        && whole.len() >= MIN_WHOLE
        && (said || !hexadecimal)
        && parts.iter().all(|part| PART.contains(&part.len()) && !heuristics::is_placeholder(&text[part.clone()]));
    let key = hexadecimal && heuristics::is_hexadecimal_key(&whole);
    if fits
        && (key || heuristics::is_machine_made(&whole))
        && parts.iter().any(|part| heuristics::looks_random(&text[part.clone()]))
    {
        parts.iter().for_each(|part| found(part.start, part.end, &KEY));
    }
}

/// Returns the place of the string that is assigned to the name that ends at `end`.
fn value_of(text: &[u8], end: usize) -> Option<Range<usize>> {
    let rest = &text[end..text.len().min(end + 40)];
    // `#define KEY_1 "…"`
    if rest.starts_with(b" \"") {
        return run(text, end + 2);
    }
    let mark = rest.iter().position(|b| matches!(b, b'=' | b':'))?;
    let typed = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'[' | b']' | b' ' | b'"' | b'&' | b'\'' | b'_');
    if !rest[..mark].iter().all(typed) {
        return None;
    }
    // `K1: &str = "…"`
    let typed_mark = rest[mark + 1..].iter().position(|b| !typed(b)).map(|next| mark + 1 + next);
    let mark = typed_mark.filter(|next| rest[*next] == b'=').unwrap_or(mark);
    let lead = rest[mark + 1..].iter().take_while(|b| matches!(b, b' ' | b'=' | b'"' | b'\'' | b'`' | b'@')).count();
    run(text, end + mark + 1 + lead)
}

/// Returns the place of the token of a key at `start`.
fn run(text: &[u8], start: usize) -> Option<Range<usize>> {
    let is_part = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'+' | b'/' | b'=' | b'.');
    let length = text.get(start..)?.iter().take(80).take_while(|b| is_part(b)).count();
    PART.contains(&length).then_some(start..start + length)
}

/// Returns the first token between `from` and `to` that looks random.
fn token(text: &[u8], from: usize, to: usize) -> Option<Range<usize>> {
    let mut at = from;
    while at < to.min(text.len()) {
        if !text[at].is_ascii_alphanumeric() {
            at += 1;
            continue;
        }
        let length = text[at..]
            .iter()
            .take(80)
            .take_while(|b| !b.is_ascii_whitespace() && !matches!(b, b'`' | b'"' | b','))
            .count();
        let found =
            run(text, at).filter(|found| heuristics::looks_random(&text[found.clone()]) && found.end <= at + length);
        if found.is_some() {
            return found;
        }
        at += length.max(1);
    }
    None
}

#[cfg(test)]
mod tests {
    use crate::redact::canaries::{SEED, fill, scrub};

    #[test]
    fn keys_in_parts_are_found() {
        let (first, second) = (fill("Qx7<a15>", SEED), fill("<a13>4zW", SEED));
        for template in [
            "const val K1 = \"FIRST\"\nconst val K2 = \"SECOND\"\nval maps = K1 + K2\n",
            "static const char k1[] = \"FIRST\";\nstatic const char k2[] = \"SECOND\";\n/* joined in init() */\n",
            "String PART_A = \"FIRST\";\nString PART_B = \"SECOND\";\nreturn PART_A + PART_B;\n",
            "const a = 'FIRST';\nconst b = 'SECOND';\nstart(a + b);\n",
            "The API key came in two halves. First half: FIRST second half: SECOND\n",
            "Teil 1: FIRST\nTeil 2: SECOND\n",
            "part1=FIRST\npart2=SECOND\ncurl -d $part1$part2 host\n",
            "P1='FIRST'\nP2='SECOND'\nprintf '%s' \"$P1$P2\" > key\n",
            "#define UPD_K_A \"FIRST\"\n#define UPD_K_B \"SECOND\"\nchar *key = UPD_K_A UPD_K_B;\n",
        ] {
            let scrubbed = scrub(&template.replace("FIRST", &first).replace("SECOND", &second));
            assert!(!scrubbed.contains(&first) && !scrubbed.contains(&second), "{scrubbed}");
        }
    }

    #[test]
    fn other_parts_stay() {
        let hash = fill("<h40>", SEED);
        for text in [
            "k1 = 'createdAt'\nk2 = 'updatedAt'\nuse(k1 + k2)\n".to_owned(),
            "Part 1: Introduction\nPart 2: Installation of the service-2024\n".to_owned(),
            format!("p1 = '{hash}'\np2 = '{hash}'\nmerge(p1, p2)\n"),
            "the first half of 2023 and the second half of 2024".to_owned(),
            "a = 1\nb = 2\nprint(a + b)\n".to_owned(),
        ] {
            assert_eq!(scrub(&text), text);
        }
    }
}
