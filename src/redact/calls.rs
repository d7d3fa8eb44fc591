//! Keys and passwords that code passes as arguments: `new Wallet("0x…")`, `hmac.new(b"…", …)`, `ftp.login("bob", "…")`.

mod arguments;
mod table;

use super::heuristics::{self, NameClass, looks_secret};
use super::rules::FindingLabel;
use super::text::{contains_ignoring_case, last_line, starts_ignoring_case};
use arguments::{Arguments, Literal, literal, numbers};
pub(super) use table::CALLEES;

static PRIVATE_KEY: FindingLabel =
    FindingLabel { name: "wallet-private-key", reason: "is passed to a call that takes a private key", rank: 4 };
static KEY: FindingLabel =
    FindingLabel { name: "call-key", reason: "is passed to a call that takes a secret key", rank: 4 };
static PASSWORD: FindingLabel =
    FindingLabel { name: "call-password", reason: "is passed to a call that takes a password", rank: 4 };

/// The labels of this file.
pub(super) static LABELS: [&FindingLabel; 3] = [&PRIVATE_KEY, &KEY, &PASSWORD];

/// The longest part of a function's name between its keyword and the bracket.
const MAX_NAME_REST: usize = 24;
/// How much of a line before a list may say what it is.
const MAX_LABEL: usize = 48;
/// The longest list of bytes that is read.
const MAX_LIST: usize = 640;
/// The longest string before a method of its own.
const MAX_STRING: usize = 80;

/// What a function takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Taken {
    /// A private key: 32 or 64 bytes in hexadecimal, Base58 or as a list of numbers.
    PrivateKey,
    /// The key of a cipher or a signature, which people choose, too.
    Key,
    /// A key that only a machine makes: elsewhere such functions take names.
    MadeKey,
    /// A password.
    Password,
    /// The password after the name of an entry in a directory or an account.
    BindPassword,
}

/// A function whose argument is secret.
#[derive(Debug)]
pub(super) struct Callee {
    /// The end of its name, in lower case, with the bracket or without.
    pub(super) word: &'static str,
    /// A bit for each argument that may be secret.
    arguments: u8,
    taken: Taken,
}

/// Passes the secret arguments of the call of `callee` whose keyword is at `start..end` to `found`.
pub(super) fn secrets(
    text: &[u8],
    (start, end): (usize, usize),
    callee: &Callee,
    mut found: impl FnMut(usize, usize, &'static FindingLabel),
) {
    if callee.is_whole_word() && start > 0 && (text[start - 1].is_ascii_alphanumeric() || text[start - 1] == b'_') {
        return;
    }
    if callee.arguments == 0 {
        if let Some((from, to)) = string_before(text, start)
            && is_password(&text[from..to])
        {
            found(from, to, callee.taken.label());
        }
        return;
    }
    let open = if callee.word.ends_with(['(', '[']) {
        end
    } else {
        let name = text[end..].iter().take(MAX_NAME_REST).take_while(|b| b.is_ascii_alphanumeric() || **b == b'_');
        let at = end + name.count();
        if text.get(at) != Some(&b'(') {
            return;
        }
        at + 1
    };
    let mut before = &b""[..];
    for (index, (from, to)) in Arguments::new(text, open).enumerate().take(4) {
        if callee.arguments & (1 << index) != 0
            && let Some(value) = literal(text, from, to)
            && callee.taken.is_secret(&text[value.start..value.end], &value, before)
            && !names_id(&text[from..value.start])
        {
            found(value.start, value.end, callee.taken.label());
        }
        before = &text[from..to];
    }
}

/// Whether an argument gives what it is by a name, which is that of an id or an address: `client_id='…'`.
fn names_id(argument: &[u8]) -> bool {
    let name = argument.trim_ascii().split(|b| matches!(b, b'=' | b':')).next().unwrap_or_default().trim_ascii_end();
    let name = name.strip_suffix(b"\"").or_else(|| name.strip_suffix(b"'")).unwrap_or(name);
    [&b"_id"[..], b"Id", b"address_key", b"email", b"user", b"username", b"name", b"version", b"udid"]
        .iter()
        .any(|end| name.ends_with(end))
}

/// Returns the key that the list of numbers at `start` is: as many random bytes as ciphers take.
pub(super) fn key_bytes(text: &[u8], start: usize) -> Option<(usize, usize)> {
    let end = text.len().min(start + MAX_LIST);
    let list = numbers(text, start, end).filter(|list| matches!(list.bytes, 16 | 24 | 32 | 64))?;
    // The key with which the standard of AES explains itself.
    let sample = starts_ignoring_case(&text[list.start..], b"0x2b, 0x7e")
        || starts_ignoring_case(&text[list.start..], b"0x2b,0x7e");
    let closes = text[list.end..].trim_ascii_start().first().is_some_and(|b| matches!(b, b']' | b'}'));
    (closes && !sample).then_some((list.start, list.end))
}

/// Returns the wallet's key that the list of numbers at `start..end` is: 64 random bytes, of no signature.
pub(super) fn key_list(text: &[u8], start: usize, end: usize) -> Option<(usize, usize, &'static FindingLabel)> {
    let before = last_line(&text[start.saturating_sub(MAX_LABEL)..start]);
    let public = ["sig", "hash", "digest", "public", "proof", "sha"];
    let list = numbers(text, start, end).filter(|list| list.bytes == 64)?;
    (!public.iter().any(|word| contains_ignoring_case(before, word.as_bytes()))).then_some((
        list.start,
        list.end,
        &PRIVATE_KEY,
    ))
}

/// Returns the string that ends before `end`, on one line.
fn string_before(text: &[u8], end: usize) -> Option<(usize, usize)> {
    let quote = *text[..end].last().filter(|b| matches!(b, b'"' | b'\''))?;
    let end = end - 1;
    let low = end.saturating_sub(MAX_STRING);
    let start = low + text[low..end].iter().rposition(|b| *b == quote || *b == b'\n')? + 1;
    (text[start - 1] == quote).then_some((start, end))
}

impl Callee {
    /// Whether letters before the keyword make it another function: `crypt(` is not `decrypt(`.
    fn is_whole_word(&self) -> bool {
        matches!(self.word, "crypt(" | "sign(" | "login(" | "scrypt(" | "authenticate(")
    }
}

impl Taken {
    fn label(self) -> &'static FindingLabel {
        match self {
            Self::PrivateKey => &PRIVATE_KEY,
            Self::Key | Self::MadeKey => &KEY,
            Self::Password | Self::BindPassword => &PASSWORD,
        }
    }

    /// Whether `value` is what the function takes, and no sample. `before`: the argument before it.
    fn is_secret(self, value: &[u8], literal: &Literal, before: &[u8]) -> bool {
        if literal.bytes > 0 {
            return matches!(self, Self::PrivateKey | Self::Key) && matches!(literal.bytes, 16 | 24 | 32 | 64);
        }
        match self {
            Self::PrivateKey => is_private_key(value),
            Self::Key => {
                looks_secret(value, NameClass::Secret, true)
                    || heuristics::is_word_chain(value, 4)
                    || heuristics::is_noise(value)
            }
            Self::MadeKey => {
                !heuristics::is_uuid(value)
                    && !heuristics::is_resource_id(value)
                    && !value.contains(&b'/')
                    && !heuristics::is_sample(value)
                    && !heuristics::is_placeholder(value)
                    && (heuristics::is_machine_made(value)
                        || heuristics::is_hexadecimal_key(value) && matches!(value.len(), 40 | 64))
            }
            Self::Password => is_password(value) || heuristics::is_numbered_pair(value),
            Self::BindPassword => {
                let named = [&b"cn="[..], b"dc=", b"uid=", b"ou=", b"@", b"\\"];
                named.iter().any(|part| contains_ignoring_case(before, part)) && is_password(value)
            }
        }
    }
}

/// Whether `value` is a private key: hexadecimal of 32 or 64 bytes, or Base58 of 64.
fn is_private_key(value: &[u8]) -> bool {
    let digits = value.strip_prefix(b"0x").unwrap_or(value);
    let hexadecimal = matches!(digits.len(), 64 | 128) && heuristics::is_hexadecimal_key(digits);
    let base58 =
        (85..=90).contains(&value.len()) && value.iter().all(u8::is_ascii_alphanumeric) && !heuristics::is_name(value);
    (hexadecimal || base58) && !heuristics::is_placeholder(digits) && !heuristics::is_sample(value)
}

/// Whether `value` is a password rather than the name of something.
fn is_password(value: &[u8]) -> bool {
    looks_secret(value, NameClass::Password, false)
        || heuristics::is_word_chain(value, 3)
        || heuristics::is_joined_words(value)
}

#[cfg(test)]
mod tests {
    use crate::redact::canaries::{SEED, fill, scrub};

    #[test]
    fn keys_in_lists_are_found() {
        let numbers = |hex: bool| {
            let byte = |at: usize| (at * 113 + 67 + at * at * 29) % 256;
            let write = |at| if hex { format!("0x{:02x}", byte(at)) } else { byte(at).to_string() };
            (0..16).map(write).collect::<Vec<_>>().join(", ")
        };
        for (text, secret) in [
            ("accounts: [\"@\"],".to_owned(), format!("0x{}", fill("<h64>", SEED))),
            ("accounts = [\"0x00\", \"@\"]".to_owned(), format!("0x{}", fill("<h64>", SEED))),
            ("advanced:\n  network_key: [@]\n".to_owned(), numbers(false)),
            ("static const uint8_t aes_key[16] = { @ };".to_owned(), numbers(true)),
        ] {
            let scrubbed = scrub(&text.replace('@', &secret));
            assert!(!scrubbed.contains(&secret[2..]), "{scrubbed}");
        }
        for text in [
            "network_key: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]".to_owned(),
            format!("let key = [{}];", numbers(true)),
            format!("let expected_key = [{}];", numbers(true)),
            format!("accounts: [\"0x{}\"]", fill("<h40>", SEED)),
        ] {
            assert_eq!(scrub(&text), text);
        }
    }
}
