//! Heuristics that tell whether a value looks like a secret: `hunter2` does, `<password>` and `bytes32` do not.

mod chains;
mod chosen_words;
mod placeholder;
mod plain_phrases;
mod published;
mod references;
mod said;
mod word_list;
mod words;

pub(super) use chains::{is_noise, is_of_names, is_release_name, is_word_chain};
pub(super) use chosen_words::{
    is_joined_words, is_marked_words, is_numbered_pair, is_numbered_phrase, is_parted, is_plain_pair, is_plain_part,
    is_plain_word, is_plain_words, is_saying_with_digits, is_spaced_words,
};
pub(super) use placeholder::{is_instruction, is_placeholder, is_sample};
pub(super) use plain_phrases::{is_plain_phrase, is_saying, is_stated};
pub(super) use published::is_published;
pub(super) use references::{is_field, is_host, is_resource_id};
pub(super) use word_list::WordList;
pub(super) use words::{is_chosen, is_description, is_jumble, is_name, is_passphrase};

use super::letters;
use super::text::starts_ignoring_case;
use references::{
    ends_in_digest, is_name_of_cookie, is_named_version, is_package, is_path_or_url, is_slug, is_time, is_version,
};
use words::{is_base_with_digits, is_technical_name};

/// The kind of secret that a name announces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NameClass {
    /// A password: chosen by people, so it may be weak.
    Password,
    /// A secret, a secret key, a client secret.
    Secret,
    /// An API key, an access key and the like.
    Key,
    /// A private key or a signing key.
    PrivateKey,
    /// A token that is qualified: `access_token`, `bot_token`.
    Token,
    /// A name that may say key: only what a machine made at random is secret.
    Hint,
    /// `token` alone, `auth`, `credentials`: names of many things that are not secret as well.
    Weak,
}

/// The longest value that is examined whole.
const MAX_BYTES: usize = 4096;

/// Whether `value` looks like a secret under a name of `class`. `quoted`: quotes mark its ends.
pub(super) fn looks_secret(value: &[u8], class: NameClass, quoted: bool) -> bool {
    let least = if class == NameClass::Password { 6 } else { 8 };
    if value.len() < least
        || value.len() > MAX_BYTES
        || is_placeholder(value)
        || value.iter().any(u8::is_ascii_whitespace)
    {
        return false;
    }
    // Keys of Stripe that are meant for browsers.
    // `lng=LANGUAGE`, a placeholder.
    let after = value.iter().position(|b| *b == b'=').map_or(&b""[..], |at| &value[at + 1..]);
    let before = &value[..value.len() - after.len()];
    let is_file = |name: &[u8], value: &[u8]| name.ends_with(b"name=") && is_host(value);
    // `lamp_id=…`, an id; `filename=…`.
    let id = before.ends_with(b"_id=") || before.ends_with(b"Id=");
    if after.len() > 2 && after.iter().all(u8::is_ascii_uppercase) || id || is_file(before, after) {
        return false;
    }
    // `--client-p2p-cert`, a flag.
    if value.starts_with(b"--") && value[2..].iter().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || *b == b'-')
    {
        return false;
    }
    // `vault.kdbx`, `db.sqlite`
    let dot = value.iter().rposition(|b| *b == b'.').unwrap_or(value.len());
    if value[..dot].iter().all(|b| b.is_ascii_lowercase() || matches!(b, b'.' | b'-' | b'_')) && is_host(value) {
        return false;
    }
    let published = value.starts_with(b"pk_live_") || value.starts_with(b"pk_test_");
    let package = || class != NameClass::Password && (is_package(value) || is_named_version(value));
    if published
        || is_name_of_cookie(value)
        || is_resource_id(value)
        || is_version(value)
        || is_time(value)
        || package()
        || matches!(class, NameClass::Key | NameClass::Token | NameClass::Weak | NameClass::Hint) && is_slug(value)
    {
        return false;
    }
    if is_path_or_url(value) && !(class == NameClass::Password && is_slashed_phrase(value))
        || is_code(value, quoted)
        || class != NameClass::Password && is_key_of_store(value)
    {
        return false;
    }
    if class == NameClass::Hint {
        return is_machine_made(value);
    }
    if let Some(verdict) = hexadecimal(value, class) {
        return verdict;
    }
    let letters = value.iter().filter(|b| b.is_ascii_alphabetic()).count();
    let digits = value.iter().filter(|b| b.is_ascii_digit()).count();
    if letters == 0 {
        // A long number is a token too: no count has so many digits.
        let long = value.len() >= 24 && !matches!(class, NameClass::Hint | NameClass::Weak);
        return digits == value.len() && (class == NameClass::Password || long);
    }
    if is_base_with_digits(value)
        || is_technical_name(value)
        || is_typed_number(value)
        || (class != NameClass::Password && is_release_name(value))
    {
        return false;
    }
    let marks = value
        .iter()
        .filter(|b| matches!(b, b'!' | b'@' | b'#' | b'$' | b'%' | b'^' | b'&' | b'*' | b'+' | b'~'))
        .count();
    // `£`, `§` and the like, and `€`.
    let foreign = value.windows(2).filter(|pair| pair[0] == 0xc2 && matches!(pair[1], 0xa1..=0xbf)).count()
        + usize::from(memchr::memmem::find(value, "\u{20ac}".as_bytes()).is_some());
    // `Tangerine?Oxbow`
    let asked =
        value.windows(3).filter(|run| run[1] == b'?' && run[0].is_ascii_alphanumeric() && run[2].is_ascii_alphabetic());
    let marks = marks + foreign + asked.count();
    let both = value.iter().any(u8::is_ascii_uppercase) && value.iter().any(u8::is_ascii_lowercase);
    let (odd, pairs) = letters::odd_pairs(value);
    let scrambled = class != NameClass::Weak && value.len() >= 10 && both && pairs >= 5 && odd * 3 >= pairs;
    if scrambled && (digits > 0 || !value.contains(&b'.')) {
        return true;
    }
    if class != NameClass::Weak && has_mismatched_brackets(value) && punctuation_kinds(value) >= 5 {
        return true;
    }
    if class == NameClass::Password && (is_slashed_phrase(value) || quoted && is_marked_chain(value)) {
        return true;
    }
    if class == NameClass::Weak && value[0] == b'@' {
        // `@size-1200`, a variable of a style.
        return false;
    }
    if !is_name(value) {
        // Words with odd punctuation between them, without a digit, are a password's form only.
        let random = is_jumble(value) || (value.len() >= 12 && letters::are_random(value) && class != NameClass::Weak);
        return digits > 0 || random || (class == NameClass::Password && marks > 0);
    }
    let ends_in_digit = value.last().is_some_and(u8::is_ascii_digit);
    let one_word = value.iter().all(u8::is_ascii_alphanumeric);
    match class {
        NameClass::Password => digits > 0 && (one_word || quoted || is_chosen(value) || has_all_kinds(value)),
        NameClass::Secret if one_word && digits >= 2 && value.iter().any(u8::is_ascii_uppercase) => {
            value.iter().any(u8::is_ascii_lowercase)
        }
        NameClass::Secret | NameClass::Key | NameClass::PrivateKey => {
            one_word && digits >= 2 && value.len() >= 10 && ends_in_digit
        }
        NameClass::Token => one_word && digits >= 3 && value.len() >= 12 && ends_in_digit,
        NameClass::Hint | NameClass::Weak => false,
    }
}

/// Whether `value` is words between which are marks of three kinds, one of which no name has: `otter-lamp_without"quotes`.
fn is_marked_chain(value: &[u8]) -> bool {
    value.len() >= 12
        && punctuation_kinds(value) >= 3
        && value.iter().any(|b| b.is_ascii_punctuation() && !b"-_./:,".contains(b))
        && !value.iter().any(|b| b"()[]{}=<>;|\\$%".contains(b))
}

/// Whether `value` is one word or two with a capital, and a number after a slash: `Otter-lamp/1962`, `teacup/Storm/88`.
fn is_slashed_phrase(value: &[u8]) -> bool {
    let Some(slash) = value.iter().rposition(|b| *b == b'/') else { return false };
    let (words, number) = (&value[..slash], &value[slash + 1..]);
    let word = |part: &[u8]| part.len() >= 3 && part.iter().all(|b| b.is_ascii_alphabetic() || !b.is_ascii());
    let parts = || words.split(|b| matches!(b, b'/' | b'-'));
    (2..=4).contains(&number.len())
        && number.iter().all(u8::is_ascii_digit)
        && parts().count() == 2
        && parts().all(word)
        && parts().any(|part| part[0].is_ascii_uppercase() && part[1..].iter().all(u8::is_ascii_lowercase))
}

/// Whether `value` has the marks, letters and digits of a password between which other values would end: `ab;cD9;xx!`.
pub(super) fn is_marked_password(value: &[u8]) -> bool {
    let mut marks: Vec<u8> = value.iter().copied().filter(u8::is_ascii_punctuation).collect();
    marks.sort_unstable();
    marks.dedup();
    (8..=64).contains(&value.len())
        && value.iter().any(u8::is_ascii_digit)
        && value.iter().any(u8::is_ascii_alphabetic)
        && (marks.len() >= 2 || value.iter().any(u8::is_ascii_uppercase) && value.iter().any(u8::is_ascii_lowercase))
        && value.split(|b| !b.is_ascii_alphanumeric()).all(|part| part.len() <= 16)
        && !is_placeholder(value)
        && !matches!(value[0], b'&' | b'*' | b'$' | b'-' | b':')
        && !value.iter().any(|b| matches!(b, b'(' | b')' | b'"' | b'\''))
}

/// Whether a bracket closes that no bracket of its kind opened before: no code does so, even where it is cut off.
fn has_mismatched_brackets(value: &[u8]) -> bool {
    const MAX_DEPTH: usize = 16;
    let (mut open, mut depth) = ([0; MAX_DEPTH], 0);
    for byte in value {
        match byte {
            b'(' | b'[' | b'{' if depth == MAX_DEPTH => return false,
            b'(' | b'[' | b'{' => {
                open[depth] = *byte;
                depth += 1;
            }
            b')' | b']' | b'}' => {
                let pair = if *byte == b')' { b'(' } else { byte - 2 };
                if depth == 0 || open[depth - 1] != pair {
                    return true;
                }
                depth -= 1;
            }
            _ => {}
        }
    }
    false
}

/// Whether no text but a password has such brackets and so many marks: it is neither code nor a word of a sentence.
pub(super) fn is_noisy(value: &[u8]) -> bool {
    const CODE: &[&[u8]] = &[b"()", b");", b"->", b"=>", b"::", b"](", b"\\"];
    has_mismatched_brackets(value)
        && punctuation_kinds(value) >= 5
        && !CODE.iter().any(|part| value.windows(part.len()).any(|window| window == *part))
        && !value.iter().any(u8::is_ascii_whitespace)
        && !is_placeholder(value)
}

/// Counts the different marks in `value`.
fn punctuation_kinds(value: &[u8]) -> usize {
    let mut seen = [false; 128];
    value.iter().filter(|b| b.is_ascii_punctuation()).for_each(|b| seen[usize::from(*b)] = true);
    seen.iter().filter(|seen| **seen).count()
}

/// Whether `value` is letters alone in an order and with capitals that no word has: only for places where nothing but a
/// password can be.
pub(super) fn is_mixed_letters(value: &[u8]) -> bool {
    (8..=20).contains(&value.len())
        && value.iter().all(u8::is_ascii_alphabetic)
        && value[1..].iter().any(u8::is_ascii_uppercase)
        && value.iter().any(u8::is_ascii_lowercase)
        && letters::are_random(value)
        && !is_placeholder(value)
}

/// Whether `value` looks like a secret without any name: letters and digits in an order that no name has.
pub(super) fn looks_random(value: &[u8]) -> bool {
    let digits = value.iter().filter(|b| b.is_ascii_digit()).count();
    let letters = value.iter().filter(|b| b.is_ascii_alphabetic()).count();
    let sides = value.iter().any(u8::is_ascii_lowercase) && value.iter().any(u8::is_ascii_uppercase);
    value.len() >= 8
        && letters >= 2
        && ((digits >= 1 && (sides || digits >= 3 || value.iter().any(|b| b"!#$%^&*".contains(b)))) || is_jumble(value))
        && !is_name(value)
        && !is_uuid(value)
        && !is_host(value)
        && looks_secret(value, NameClass::Token, false)
}

/// Whether `value` was made by a machine at random: hexadecimal, a UUID, or many letters and digits in no order.
pub(super) fn is_machine_made(value: &[u8]) -> bool {
    let digits = value.iter().filter(|b| b.is_ascii_digit()).count();
    let sides = value.iter().any(u8::is_ascii_lowercase) && value.iter().any(u8::is_ascii_uppercase);
    let spelled =
        value.iter().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.' | b'+' | b'/' | b'=' | b'~'));
    let hexadecimal = value.iter().all(u8::is_ascii_hexdigit);
    // `nl80211_pattern_support`
    let named = value
        .split(|b| matches!(b, b'_' | b'-' | b'.'))
        .filter(|part| part.len() >= 5 && part.iter().all(u8::is_ascii_lowercase) && is_name(part))
        .count()
        >= 2;
    // The fraction of a random number: `change1_0.6995461115147918`.
    let fraction = value.iter().rposition(|b| *b == b'.').is_some_and(|dot| {
        value[..dot].ends_with(b"0") && value.len() - dot > 10 && value[dot + 1..].iter().all(u8::is_ascii_digit)
    });
    let random = !hexadecimal
        && !fraction
        && !named
        && !ends_in_digest(value)
        && spelled
        && value.len() >= 16
        && (sides && digits >= 2 || sides && digits >= 1 && value.len() >= 20 || digits >= 4)
        && looks_random(value);
    (is_hexadecimal_key(value) && !matches!(value.len(), 40 | 64 | 128)) || is_uuid(value) || random
}

/// Whether `value` has letters of both cases and digits.
pub(super) fn has_all_kinds(value: &[u8]) -> bool {
    value.iter().any(u8::is_ascii_lowercase)
        && value.iter().any(u8::is_ascii_digit)
        && (value.iter().any(u8::is_ascii_uppercase) || value.split(|b| *b == b'-').count() >= 4)
}

/// Whether `value` is hexadecimal of a length that keys have.
pub(super) fn is_hexadecimal_key(value: &[u8]) -> bool {
    (24..=128).contains(&value.len())
        && value.iter().all(u8::is_ascii_hexdigit)
        && value.iter().any(u8::is_ascii_alphabetic)
        && value.iter().any(u8::is_ascii_digit)
}

/// Whether `value` is an expression rather than a value.
pub(super) fn is_code(value: &[u8], quoted: bool) -> bool {
    let has = |part: &[u8]| value.windows(part.len()).any(|window| window == part);
    // Bytes of data: `\x2a\x86`; a letter of a script: `%u5317`.
    let letter = |run: &[u8]| run.starts_with(b"%u") && run[2..].iter().all(u8::is_ascii_hexdigit);
    if has(b"\\x") || value.windows(6).any(letter) {
        return true;
    }
    if quoted {
        // A pattern such as `[A-Za-z0-9]{8,}`, a call such as `f(x)`.
        let call = value.ends_with(b")") && value.iter().take_while(|b| is_identifier(**b)).count() > 0 && {
            let name = value.iter().take_while(|b| is_identifier(**b)).count();
            value[name] == b'('
        };
        return call
            || has(b"A-Z")
            || has(b"a-z")
            || has(b"()")
            || value.ends_with(b"[]")
            || has(b"[0]")
            // `lamps[1].secret`
            || value.windows(3).any(|run| run[0].is_ascii_digit() && &run[1..] == b"].")
            || value.starts_with(b"#[")
            // A pattern or a version.
            || value.starts_with(b"^")
                && (value.ends_with(b"$") || has(b"[") || has(b"(") || has(b".*") || value.get(1).is_some_and(u8::is_ascii_digit))
            || has(b"\\w")
            || has(b"\\d")
            // A pattern of paths.
            || has(b"/*") && has(b"*.");
    }
    // A constant: `DOT11_AUTH_ALGO_80211_SHARED_KEY`.
    let spelled = value.iter().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || *b == b'_');
    let worded = || value.split(|b| *b == b'_').any(|part| part.len() >= 3 && part.iter().all(u8::is_ascii_uppercase));
    if spelled && value.contains(&b'_') && worded() {
        return true;
    }
    // `lamp.CKF_RW_SESSION`
    let last = value.rsplit(|b| *b == b'.').next().unwrap_or_default();
    if last.len() < value.len()
        && last.contains(&b'_')
        && last.iter().all(|b| b.is_ascii_uppercase() || *b == b'_')
        && value.iter().all(|b| is_identifier(*b))
    {
        return true;
    }
    let bracket = |b: &u8| matches!(b, b'(' | b')' | b'{' | b'}' | b'[' | b']' | b'<' | b'>' | b'\\');
    value.iter().any(bracket) && !has_mismatched_brackets(value)
        || has(b"::")
        || has(b"->")
        || has(b"==") && !value.ends_with(b"==")
        || has(b"&&")
        // `() => show(user.token)}>`
        || has(b")}>")
        // `current!.value`
        || value.windows(3).any(|run| run[0].is_ascii_lowercase() && &run[1..] == b"!.")
        || value.starts_with(b"&")
        || value.starts_with(b"*")
        || value.starts_with(b"#")
}

/// Whether `value` is the key under which a store keeps something: `user:118204:profile`.
fn is_key_of_store(value: &[u8]) -> bool {
    value.contains(&b':')
        && value.split(|b| *b == b':').all(|part| {
            part.iter().all(u8::is_ascii_digit)
                || part.iter().all(|b| b.is_ascii_lowercase() || matches!(b, b'_' | b'-'))
        })
        && value.iter().filter(|b| b.is_ascii_digit()).count() <= 12
}

/// Whether `value` is a number of a type: `268435456u32`, `-1540i32`.
fn is_typed_number(value: &[u8]) -> bool {
    static TYPES: WordList = WordList::new("u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize f32 f64 ul ull ll");
    let digits = value.strip_prefix(b"-").unwrap_or(value);
    let digits = digits.strip_prefix(b"0x").filter(|_| digits.contains(&b'_')).unwrap_or(digits);
    let length = digits.iter().take_while(|b| b.is_ascii_digit() || **b == b'_' || b.is_ascii_uppercase()).count();
    length > 0 && TYPES.has(&digits[length..])
}

fn is_identifier(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.')
}

/// Decides about digests and numbers in hexadecimal; `None` if `value` is neither.
fn hexadecimal(value: &[u8], class: NameClass) -> Option<bool> {
    let says_secret = class != NameClass::Weak;
    if is_uuid(value) {
        return Some(says_secret);
    }
    if starts_ignoring_case(value, b"0x") && value[2..].iter().all(u8::is_ascii_hexdigit) {
        // An address or a digest; but private keys of blockchains are written like this too.
        return Some(class == NameClass::PrivateKey && value.len() == 66);
    }
    if value.len() >= 16 && value.iter().all(u8::is_ascii_hexdigit) && value.iter().any(u8::is_ascii_alphabetic) {
        // The point of a curve, with one coordinate or two: a public key.
        let point =
            value.len() == 66 && matches!(&value[..2], b"02" | b"03") || value.len() == 130 && value.starts_with(b"04");
        if point {
            return Some(false);
        }
        return Some(says_secret);
    }
    None
}

/// Whether `value` is a UUID.
pub(super) fn is_uuid(value: &[u8]) -> bool {
    value.len() == 36
        && value.iter().enumerate().all(|(at, b)| match at {
            8 | 13 | 18 | 23 => *b == b'-',
            _ => b.is_ascii_hexdigit(),
        })
}

/// Whether `value` is searched for in other texts of the same source: long and unlike a plain word.
pub(super) fn is_distinct(value: &[u8]) -> bool {
    let plain = value.iter().all(|b| b.is_ascii_lowercase()) || value.iter().skip(1).all(|b| b.is_ascii_lowercase());
    let number = value.iter().all(u8::is_ascii_digit);
    let least = match (plain, number) {
        (true, _) => 12,
        (_, true) => 10,
        _ => 8,
    };
    value.len() >= least && !is_placeholder(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_that_people_and_machines_choose_look_secret() {
        for (class, value) in [
            (NameClass::Password, "hunter2"),
            (NameClass::Password, "Tr0ub4dor&3"),
            (NameClass::Password, "Summer2024"),
            (NameClass::Password, "Welcome!Friend"),
            (NameClass::Key, "w}ord)wi[th#all_k>inds"),
            (NameClass::Token, "830194756120384756102938475601"),
            (NameClass::Secret, "8f14e45fceea167a5a36dedd4bea2543"),
            (NameClass::Secret, "wJalrXUtnFEMI/K7MDENG/bPxRfiCYzzzzzzzzzz"),
            (NameClass::Key, "x8Kq2Lm9Pz4Rt6Vw"),
            (NameClass::Token, "aBcDeFgHiJkLmNoPqR"),
            (NameClass::Weak, "q9w8e7r6t5y4u3i2"),
            (NameClass::Key, "123e4567-e89b-12d3-a456-426614174000"),
        ] {
            assert!(looks_secret(value.as_bytes(), class, true), "{value}");
        }
    }

    #[test]
    fn words_names_types_paths_and_digests_do_not_look_secret() {
        for (class, value) in [
            (NameClass::Password, "required"),
            (NameClass::Password, "bytes32"),
            (NameClass::Password, "password123"),
            (NameClass::Password, "argon2id"),
            (NameClass::Password, "CHACHA20-POLY1305"),
            (NameClass::Password, "RSA/ECB/OAEPWithSHA-256AndMGF1Padding"),
            (NameClass::Password, "{cipher}AQB4aLongEncryptedValue"),
            (NameClass::Key, "${config['key'](1)}"),
            (NameClass::Secret, "123456789012345678901234567890"),
            (NameClass::Password, "12345678"),
            (NameClass::Secret, "my-secret-v2"),
            (NameClass::Secret, "kubernetes.io/tls"),
            (NameClass::Secret, "/run/secrets/db_password_1"),
            (NameClass::Secret, "process.env.SECRET_1"),
            (NameClass::Secret, "${SECRET_1}"),
            (NameClass::Secret, "<secret_2>"),
            (NameClass::Secret, "xxxxxxxxxxxx1"),
            (NameClass::Token, "getAccessToken"),
            (NameClass::Token, "bd-au0.10"),
            (NameClass::Weak, "da39a3ee5e6b4b0d3255bfef95601890afd80709"),
            (NameClass::Weak, "123e4567-e89b-12d3-a456-426614174000"),
            (NameClass::Secret, "0x4c0883a69102937d6231471b5dbb6204fe512961708279f2e3e8a5d4b8e3e5a1"),
            (NameClass::Key, "AKIAIOSFODNN7EXAMPLE"),
            (NameClass::Token, "abc...xyz1"),
        ] {
            assert!(!looks_secret(value.as_bytes(), class, true), "{value}");
        }
    }

    #[test]
    fn short_periods_are_placeholders_and_long_ones_may_be_keys() {
        for value in
            ["deadbeef".repeat(4), "46".repeat(16), "1234567890".repeat(3), "00112233445566778899aabb".to_owned()]
        {
            assert!(is_placeholder(value.as_bytes()), "{value}");
        }
        assert!(!is_placeholder("9f86d081884c7d65".repeat(2).as_bytes()));
    }

    #[test]
    fn a_marker_is_a_placeholder() {
        assert!(is_placeholder(b"[REDACTED:password]"));
        assert!(is_placeholder("…".as_bytes()));
        assert!(!is_placeholder(b"hunter2"));
    }
}
