//! Tokens without a keyword, recognized by the positions of their dots.

use super::generic::OnFinding;
use super::heuristics;
use super::rules::FindingLabel;
use super::text::starts_token;

static DISCORD: FindingLabel =
    FindingLabel { name: "discord-bot-token", reason: "matches the pattern of a Discord bot token", rank: 1 };
static AIRTABLE: FindingLabel =
    FindingLabel { name: "airtable-token", reason: "matches the pattern of an Airtable token", rank: 1 };

static SANCTUM: FindingLabel =
    FindingLabel { name: "sanctum-token", reason: "matches the pattern of a Laravel Sanctum token", rank: 1 };
static ZHIPU: FindingLabel =
    FindingLabel { name: "zhipu-key", reason: "matches the pattern of a Zhipu API key", rank: 1 };

/// The labels of this file.
pub(super) static LABELS: [&FindingLabel; 4] = [&DISCORD, &AIRTABLE, &SANCTUM, &ZHIPU];

/// Whether the dots of such a token are where they have to be for the place at `at`, as 1 or 0.
pub(super) fn is_place<const WINDOW: usize>(window: &[u8; WINDOW], at: usize) -> u8 {
    let is = |byte: u8, wanted: u8| u8::from(byte == wanted);
    is(window[at], b'.') & is(window[at + 7], b'.') | is(window[at], b'p') & is(window[at + 17], b'.')
}

/// Passes the token whose place is `at` to `found`.
pub(super) fn token(text: &[u8], at: usize, found: OnFinding<'_>) {
    let token = if text[at] == b'.' {
        discord(text, at).map(|place| (place, &DISCORD))
    } else {
        airtable(text, at).map(|place| (place, &AIRTABLE))
    };
    if let Some(((start, end), label)) = token {
        found(start, end, label);
    }
}

/// Returns the label of the 40 or 48 letters at `start` if the number of a row precedes them: `12|…`.
pub(super) fn numbered(text: &[u8], start: usize, length: usize) -> Option<&'static FindingLabel> {
    let before = text[..start].strip_suffix(b"|").filter(|_| matches!(length, 40 | 48))?;
    let digits = before.iter().rev().take(10).take_while(|b| b.is_ascii_digit()).count();
    let token = &text[start..start + length];
    let mixed = token.iter().any(u8::is_ascii_uppercase) && token.iter().any(u8::is_ascii_lowercase);
    ((1..=9).contains(&digits)
        && before.get(before.len() - digits - 1).is_none_or(|b| !b.is_ascii_alphanumeric() && *b != b'|')
        && mixed
        && !heuristics::is_name(token)
        && !heuristics::is_sample(token))
    .then_some(&SANCTUM)
}

/// Returns the Zhipu key around the dot at `dot`, and its label.
pub(super) fn dotted(text: &[u8], dot: usize) -> Option<(usize, usize, &'static FindingLabel)> {
    zhipu(text, dot).map(|(start, end)| (start, end, &ZHIPU))
}

/// Finds a Zhipu key around its dot: 32 hexadecimal digits before it, 16 letters and digits after it.
fn zhipu(text: &[u8], dot: usize) -> Option<(usize, usize)> {
    let is_hex = |b: &u8| matches!(b, b'0'..=b'9' | b'a'..=b'f');
    let start = dot.checked_sub(32)?;
    if !is_hex(&text[dot - 1]) || !is_hex(&text[dot - 2]) || !text[start..dot].iter().all(is_hex) {
        return None;
    }
    let end = dot + 17;
    let code = text.get(dot + 1..end)?;
    let formed = code.iter().all(u8::is_ascii_alphanumeric)
        && text.get(end).is_none_or(|b| !b.is_ascii_alphanumeric())
        && code.iter().any(u8::is_ascii_digit)
        && code.iter().any(u8::is_ascii_uppercase)
        && code.iter().any(u8::is_ascii_lowercase);
    (formed && starts_token(text, start) && !heuristics::is_name(code)).then_some((start, end))
}

/// Finds a Discord bot token around its first dot: the number of a user in Base64, a time of six characters, a code
/// (`MTk4NjIyNDgzNDcx….Cl2FMQ.…`).
fn discord(text: &[u8], dot: usize) -> Option<(usize, usize)> {
    let is_part = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_');
    let before = text[dot.saturating_sub(29)..dot].iter().rev().take_while(|b| is_part(b)).count();
    let start = dot - before;
    let after = text[dot + 8..].iter().take(48).take_while(|b| is_part(b)).count();
    let token = &text[start..dot + 8 + after];
    let formed = (23..=28).contains(&before)
        && text[dot + 1..dot + 7].iter().all(is_part)
        && (27..=45).contains(&after)
        && matches!(text[start], b'M' | b'N' | b'O');
    (formed && starts_token(text, start) && !heuristics::is_name(token) && !heuristics::is_sample(token))
        .then_some((start, start + token.len()))
}

/// Finds an Airtable token at `start`: `pat` and 14 letters, a dot, 64 hexadecimal digits.
fn airtable(text: &[u8], start: usize) -> Option<(usize, usize)> {
    let end = start + 18 + 64;
    let token = text.get(start..end)?;
    let formed = token.starts_with(b"pat")
        && token[3..17].iter().all(u8::is_ascii_alphanumeric)
        && token[18..].iter().all(u8::is_ascii_hexdigit);
    (formed && starts_token(text, start) && !heuristics::is_sample(token)).then_some((start, end))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::redact::canaries::{SEED, fill};
    use crate::redact::text::{FLAGS, each_place};

    fn found(text: &str) -> Vec<&str> {
        let mut all = Vec::new();
        each_place::<{ FLAGS + 17 }>(text.as_bytes(), is_place, |at, _| {
            token(text.as_bytes(), at, &mut |start, end, _| all.push(&text[start..end]));
        });
        all
    }

    #[test]
    fn tokens_are_found_by_their_dots_at_every_offset() {
        for template in ["MT<a22>.<a6>.<a27>", "OD<a24>.<a6>.<a38>", "pat<a14>.<h64>"] {
            let token = fill(template, SEED);
            for padding in 0..130 {
                let text = format!("{}({token}). More", ". ".repeat(padding));
                assert_eq!(found(&text), [token.as_str()]);
            }
        }
    }

    #[test]
    fn other_dots_stay() {
        for template in
            ["a.b.c", "T<a23>.<a6>.<a27>", "MT<a30>.<a6>.<a27>", "MT<a22>.<a6>.<a9>", "pat<a14>.<h20>", "pa"]
        {
            assert_eq!(found(&fill(template, SEED)), Vec::<&str>::new());
        }
    }
}
