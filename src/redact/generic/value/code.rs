//! Values that a program, a command or a table writes after a name, and that are no secret: types, checks, calls, flags.

use super::super::super::heuristics::WordList;
use super::super::Name;
use super::super::separator::Separator;
use super::super::span::ValueSpan;

/// Whether what stands after a name is code, a check, a fingerprint or a piece of a sentence by its form.
pub(super) fn is_code(text: &[u8], name: Name, found: ValueSpan, separator: Separator) -> bool {
    let value = &text[found.start..found.end];
    let word = &text[name.start..name.end];
    is_check(value)
        || is_flag(value)
        || is_algorithm(value)
        || is_row_of_names(value)
        || is_fingerprint(value, word)
        || found.quoted && is_imported(&text[..found.start - 1])
        || !found.quoted && is_literal(value, &text[found.end..])
        || separator == Separator::Cell && !found.quoted && is_word(value) && goes_on(&text[found.end..])
        || separator == Separator::Assign && is_command(text, name, found, word)
}

/// Whether a value is the rule of a form: `string|min:6`, `string>1`.
fn is_check(value: &[u8]) -> bool {
    static KINDS: WordList =
        WordList::new("string str text number integer int boolean bool required nullable optional array");
    let kind = value.iter().take_while(|b| b.is_ascii_lowercase()).count();
    matches!(value.get(kind), Some(b'|' | b'>' | b'<' | b':' | b'?')) && KINDS.has(&value[..kind])
}

/// Whether a value is the next flag of a command: `--cacert`.
fn is_flag(value: &[u8]) -> bool {
    value
        .strip_prefix(b"--")
        .is_some_and(|flag| flag.len() > 1 && flag.iter().all(|b| b.is_ascii_lowercase() || *b == b'-'))
}

/// Whether a value is the way that passwords are hashed, or its package: `argon2-cffi`.
fn is_algorithm(value: &[u8]) -> bool {
    [&b"argon2"[..], b"bcrypt", b"scrypt", b"pbkdf2"].iter().any(|name| {
        value.len() <= 24
            && value.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name))
            && value[name.len()..].iter().all(|b| b.is_ascii_lowercase() || matches!(b, b'-' | b'_'))
    })
}

/// Whether a value is a row of short names with colons, as tables of ciphers have: `PSK:LMP:CCM:128`.
fn is_row_of_names(value: &[u8]) -> bool {
    let parts = value.split(|b| *b == b':');
    let names = parts.clone().filter(|part| (2..=7).contains(&part.len()) && part.iter().all(u8::is_ascii_uppercase));
    parts.clone().count() >= 5 && names.count() >= 2
}

/// Whether a value is the fingerprint of the key of who signs.
fn is_fingerprint(value: &[u8], word: &[u8]) -> bool {
    let has = |part: &[u8]| memchr::memmem::find(word, part).is_some();
    value.len() == 40
        && value.iter().all(|b| b.is_ascii_digit() || matches!(b, b'A'..=b'F'))
        && (has(b"sign") || has(b"fingerprint"))
}

/// Whether `before`, what stands before a quoted value, imports it as a module.
fn is_imported(before: &[u8]) -> bool {
    [&b"require("[..], b"import(", b" from ", b"import "].iter().any(|call| before.ends_with(call))
}

/// Whether a value is the type of a literal: `LampHeader { next: 1 }`.
fn is_literal(value: &[u8], after: &[u8]) -> bool {
    after.starts_with(b" { ")
        && value.first().is_some_and(u8::is_ascii_uppercase)
        && value.iter().all(u8::is_ascii_alphabetic)
        && value.iter().any(u8::is_ascii_lowercase)
}

/// Whether a value is a word with a capital, as the description in a cell begins: `PostgreSQL`.
fn is_word(value: &[u8]) -> bool {
    value.len() >= 3 && value[0].is_ascii_uppercase() && value.iter().all(u8::is_ascii_alphabetic)
}

/// Whether a sentence goes on with a plain word.
fn goes_on(after: &[u8]) -> bool {
    let Some(after) = after.strip_prefix(b" ") else { return false };
    let word = after.iter().take_while(|b| b.is_ascii_lowercase()).count();
    word >= 3 && matches!(after.get(word), Some(b' ' | b',' | b'.'))
}

/// Whether a value is the command after an empty variable: `LAMP_PASSWORD= python run.py`.
fn is_command(text: &[u8], name: Name, found: ValueSpan, word: &[u8]) -> bool {
    let value = &text[found.start..found.end];
    let arguments = text[found.end..].strip_prefix(b" ").and_then(|rest| rest.first());
    text[..found.start].ends_with(b"= ")
        && found.start == name.end + 2
        && word.iter().all(|b| b.is_ascii_uppercase() || *b == b'_')
        && value.iter().all(u8::is_ascii_lowercase)
        && arguments.is_some_and(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'/' | b'-'))
}

#[cfg(test)]
mod tests {
    use crate::redact::canaries::scrub;

    #[test]
    fn code_and_checks_after_names_stay() {
        for text in [
            "var lampPassword = require(\"lamp2-password\");",
            "password: 'string>1',\npassword: \"string|min:6\",",
            "c0a4:LMP_PSK_WITH:PSK:PSK:LMP:CCM:128:AEAD:128:DEFAULT:0",
            "shrinks to auth = LampHeader { next: 38, x: 3 }",
            "lamp --session ~/data/session_20260909_153654",
            "| Lamp rule | PASS | Lampion every one of them |",
            "| `LAMP_PASSWORD` | LampSQL database password | Secret |",
            "12\tlamp\t4\n17\tpassword\t5\n18\tpasteboard\t1\n19\tlampion\t2\n",
            "const privateKey = privateKeyBase64 ? Buffer.from(privateKeyBase64) : lamp()",
            "lamp_main(session, '{hc}/target_0', 7)",
            "password=lamp.SecretValue.secrets_manager(\"my-lamp-creds\", json_field=\"password\")",
            "LAMP_SESSION=\"first-session-12345678901234567890123456\"",
            "- **Password**: DBPassword",
            "git log 6d3d89b5d70c9^..68333e8282d9e | grep \"lamp\" as user anna",
            "<label class=\"lamp-v6-c-form__label\" for=\"lamp-button-example-password\">",
            "\"cookies\": [\"__Secure-1LAMP\", \"__Secure-1LAMPTS\"],",
            "LAMP_USERNAME= LAMP_PASSWORD= python lamp/upload.py",
            "lamp --password <pass> --cacert <path>",
        ] {
            assert_eq!(scrub(text), text);
        }
    }
}
