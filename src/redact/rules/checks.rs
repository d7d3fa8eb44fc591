//! The checks that a rule of `rules.yml` may apply to a match besides its pattern: `check: random-not-hex` is
//! [`random_not_hex`].

use super::super::heuristics::{self, NameClass, WordList, looks_secret};
use super::super::letters;
use super::decode_base64;

/// Accepts every match.
pub(super) fn any(_: &[u8]) -> bool {
    true
}

/// Whether `token` is not a sample such as `ghp_xxxxxxxx`.
pub(super) fn no_sample(token: &[u8]) -> bool {
    !heuristics::is_sample(token)
}

/// Whether `token` is no sample and not made of words as a name is.
pub(super) fn random(token: &[u8]) -> bool {
    no_sample(token) && (!heuristics::is_name(token) || has_three_classes(token))
}

/// Whether `token` is [`random`] and has digits and letters of both cases: for forms that names in code come close to.
pub(super) fn mixed(token: &[u8]) -> bool {
    no_sample(token) && !heuristics::is_name(token) && has_three_classes(token)
}

/// Whether `token` has at least 14 distinct characters: data with long runs of one of them does not.
pub(super) fn varied(token: &[u8]) -> bool {
    let mut seen = [false; 256];
    for byte in token {
        seen[usize::from(*byte)] = true;
    }
    seen.iter().filter(|seen| **seen).count() >= 14 && no_sample(token)
}

pub(super) fn varied_random(token: &[u8]) -> bool {
    varied(token) && random(token)
}

pub(super) fn random_not_hex(token: &[u8]) -> bool {
    random(token) && !token.iter().all(u8::is_ascii_hexdigit)
}

pub(super) fn has_digit(token: &[u8]) -> bool {
    token.iter().any(u8::is_ascii_digit)
}

pub(super) fn has_digit_no_sample(token: &[u8]) -> bool {
    has_digit(token) && no_sample(token)
}

/// Whether `token` does not end as the samples in AWS's documentation do.
pub(super) fn not_example(token: &[u8]) -> bool {
    !token.ends_with(b"EXAMPLE") && no_sample(token)
}

/// Whether `token` is Base64 of `tok:` and something.
pub(super) fn intercom(token: &[u8]) -> bool {
    decode_base64(&token[..8]).starts_with(b"tok:")
}

/// Whether `token` is Base64 of a JSON Web Token.
pub(super) fn wrapped_jwt(token: &[u8]) -> bool {
    decode_base64(token).windows(4).any(|part| part == b".eyJ")
}

/// Whether `token` is Base64 of `user:password`.
pub(super) fn basic_login(token: &[u8]) -> bool {
    let decoded = decode_base64(token);
    let colon = decoded.iter().position(|b| *b == b':');
    decoded.iter().all(|b| (0x20..0x7f).contains(b))
        && !is_sample_login(token)
        && colon.is_some_and(|at| !heuristics::is_placeholder(&decoded[at + 1..]) || decoded[at + 1..].len() > 3)
}

/// Whether `token` is Base64 of a user and a password that stand for others: `your_user:your_password`.
pub(in super::super) fn is_sample_login(token: &[u8]) -> bool {
    let decoded = decode_base64(token);
    let named =
        matches!(&decoded[..], b"user:password" | b"username:password" | b"user:pass" | b"admin:password" | b"foo:bar");
    named
        || decoded.contains(&b':')
            && decoded.iter().all(|b| (0x20..0x7f).contains(b))
            && heuristics::is_sample(&decoded)
}

/// Whether `token` is Base64 of a user and a password, each after a zero byte.
pub(super) fn plain_login(token: &[u8]) -> bool {
    decode_base64(token).iter().filter(|b| **b == 0).count() == 2
}

/// Whether `token` ends in random characters, and its words do not say that it is public.
pub(super) fn prefixed(token: &[u8]) -> bool {
    static PUBLIC: WordList =
        WordList::new("pk pub public publishable id ids pi cs cus acct req evt sub price prod client site test mrk");
    let mut parts: Vec<&[u8]> = token.split(|b| matches!(b, b'_' | b'-')).collect();
    let Some(tail) = parts.pop() else { return false };
    let digits = tail.iter().filter(|b| b.is_ascii_digit()).count();
    let hexadecimal = tail.len() >= 32 && tail.iter().all(u8::is_ascii_hexdigit) && digits < tail.len();
    let mixed = has_three_classes(tail) && digits >= 2 && letters::odd_pairs(tail).0 >= 4;
    // `acme_live_…` in small letters alone.
    let said = parts.iter().any(|part| matches!(*part, b"live" | b"secret" | b"token" | b"key" | b"pat" | b"sk"));
    let lower = tail.iter().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit());
    let plain = said && lower && tail.len() >= 24 && digits >= 4 && letters::odd_pairs(tail).0 >= 4;
    let worded = parts.iter().all(|part| part.iter().all(u8::is_ascii_lowercase));
    // `user_2aql…`, an id.
    static OWNERS: WordList =
        WordList::new("user usr org team account member customer cust device order invoice session workspace");
    // One word before a digest says little: `tuple-b7ea…`.
    static SINGLE: WordList = WordList::new("sk pat tok secret apikey token api key at rt svc sa live prod");
    if matches!(&parts[..], [word] if !SINGLE.has(word)) {
        return false;
    }
    let public = parts.iter().any(|part| PUBLIC.has(part)) || matches!(&parts[..], [owner] if OWNERS.has(owner));
    worded && !public && (mixed || hexadecimal || plain) && no_sample(token)
}

/// Whether `value` looks like a password that a person or a machine chose.
pub(super) fn password(value: &[u8]) -> bool {
    // `mkpasswd --method=sha-512`
    if value.starts_with(b"--") {
        return false;
    }
    secret_password(value)
        || heuristics::is_chosen(value)
        || heuristics::is_word_chain(value, 3)
        || heuristics::is_joined_words(value)
        || is_numbered_chain(value)
        // Quotes are around it, or it would have no blank.
        || value.contains(&b' ') && heuristics::is_plain_words(value)
}

/// Whether `value` is three words or more with marks between them and a number at the end: `Basalt_und_Schiefer_3`.
fn is_numbered_chain(value: &[u8]) -> bool {
    let digits = value.iter().rev().take_while(|b| b.is_ascii_digit()).count();
    let words = &value[..value.len() - digits];
    let words = words.strip_suffix(b"_").or_else(|| words.strip_suffix(b"-")).unwrap_or(words);
    (1..=4).contains(&digits)
        && words.iter().any(u8::is_ascii_uppercase)
        && words.iter().any(u8::is_ascii_lowercase)
        && words
            .split(|b| matches!(b, b'_' | b'-'))
            .filter(|word| word.len() >= 3 && word.iter().all(u8::is_ascii_alphabetic))
            .count()
            >= 3
}

/// Like [`password`], and it may have several words.
pub(super) fn quoted_password(value: &[u8]) -> bool {
    password(value) || heuristics::is_passphrase(value, NameClass::Password)
}

/// Whether the literal of a statement that sets a password is one: anything but a placeholder or a plain word.
pub(super) fn literal_password(value: &[u8]) -> bool {
    let several = value.contains(&b' ') && value.len() >= 8 && value.iter().any(u8::is_ascii_alphabetic);
    worded_password(value) || several && !heuristics::is_placeholder(value)
}

/// Like [`quoted_password`], or plain words: where nothing but a password or a key that people choose can stand.
pub(super) fn worded_password(value: &[u8]) -> bool {
    quoted_password(value) || heuristics::is_plain_words(value) || heuristics::is_joined_words(value)
}

/// Whether `token` has capitals, small letters and digits, and is no sample.
pub(super) fn three_classes(token: &[u8]) -> bool {
    no_sample(token) && has_three_classes(token)
}

pub(super) fn secret_password(value: &[u8]) -> bool {
    looks_secret(value, NameClass::Password, true)
}

/// Like [`secret_password`] where no quotes mark the ends, so that it may be code.
pub(super) fn bare_password(value: &[u8]) -> bool {
    looks_secret(value, NameClass::Password, false) || heuristics::is_word_chain(value, 3)
}

/// Whether `value` is the password of a connection, rather than a name of parts: `R1.right`, `LampFragment_lamps`.
pub(super) fn connect_password(value: &[u8]) -> bool {
    let word = |part: &[u8]| part.iter().all(u8::is_ascii_alphabetic);
    let parted = value.iter().any(|b| matches!(b, b'.' | b'_'));
    let last = value.rsplit(|b| matches!(b, b'.' | b'_')).next().unwrap_or_default();
    bare_password(value) && !(parted && heuristics::is_name(value) && last.len() >= 4 && word(last))
}

/// Whether `value` is the password after `-u user:`, where the name of a group may be as well.
pub(super) fn login_password(value: &[u8]) -> bool {
    // `-u amqp://…`, a URL.
    !value.starts_with(b"//")
        && quoted_password(value)
        && !(heuristics::is_chosen(value) && !secret_password(value) && !heuristics::is_word_chain(value, 3))
}

/// Whether `value` is a password that a machine made.
pub(super) fn generated_password(value: &[u8]) -> bool {
    looks_secret(value, NameClass::Password, true) && !heuristics::is_name(value) && has_digit(value)
}

/// Whether `value` is the password of a `user / password` pair that no label announces directly.
pub(super) fn pair_password(value: &[u8]) -> bool {
    let marked =
        value.iter().any(|b| b.is_ascii_digit() || matches!(b, b'!' | b'#' | b'$' | b'%' | b'@' | b'*' | b'+'));
    (marked && bare_password(value)) || heuristics::is_word_chain(value, 3)
}

/// Whether `value` is a password without any label: letters, digits, and a mark or letters of both cases.
pub(super) fn strong_password(value: &[u8]) -> bool {
    let has = |marks: &[u8]| value.iter().any(|b| marks.contains(b));
    let both = value.iter().any(u8::is_ascii_uppercase) && value.iter().any(u8::is_ascii_lowercase);
    let odd = has(b"!#$%^&*?+") || both && (has(b"_-@") || !heuristics::is_name(value));
    // `password@host.example.org`, for which there are other rules.
    let host = value.iter().rposition(|b| *b == b'@').is_some_and(|at| value[at..].contains(&b'.'));
    (8..=40).contains(&value.len()) && !host && odd && has_digit(value) && !has(b"=\\[]{}") && bare_password(value)
}

/// Whether `token` is Base64 of a login or of one random value.
pub(super) fn encoded_secret(token: &[u8]) -> bool {
    let decoded = decode_base64(token);
    let decoded = decoded.trim_ascii();
    let password = decoded.iter().position(|b| *b == b':').map_or(decoded, |colon| &decoded[colon + 1..]);
    decoded.iter().all(|b| (0x20..0x7f).contains(b)) && generated_password(password)
}

pub(super) fn secret_token(value: &[u8]) -> bool {
    looks_secret(value, NameClass::Token, true)
}

pub(super) fn secret_value(value: &[u8]) -> bool {
    looks_secret(value, NameClass::Secret, true)
}

pub(super) fn secret_key(value: &[u8]) -> bool {
    looks_secret(value, NameClass::Key, true)
}

/// Whether `value` is long and looks random where no name says that it is secret.
pub(super) fn random_value(value: &[u8]) -> bool {
    // `_ga=GA1.2.…`, by which pages are counted.
    let counted = value.starts_with(b"GA1.") || value.starts_with(b"GS1.");
    value.len() >= 16 && !counted && looks_secret(value, NameClass::Weak, true)
}

/// Whether `value` is the random part of a link.
pub(super) fn link_token(value: &[u8]) -> bool {
    let part_is_random = |part: &[u8]| {
        part.len() >= 16 && has_digit(part) && part.iter().any(u8::is_ascii_alphabetic) && !heuristics::is_name(part)
    };
    let mixed = has_three_classes(value) || value.split(|b| matches!(b, b'-' | b'_')).any(part_is_random);
    let random = heuristics::is_machine_made(value) && !heuristics::is_uuid(value) && mixed;
    (random || heuristics::is_hexadecimal_key(value)) && no_sample(value) && !heuristics::is_placeholder(value)
}

/// Whether `value` is a number that is neither a placeholder nor one digit repeated.
pub(super) fn pin(value: &[u8]) -> bool {
    !heuristics::is_placeholder(value) && !value.windows(2).all(|pair| pair[0] == pair[1])
}

/// Whether `value` can be the Base32 seed of one-time passwords rather than a word.
pub(super) fn one_time_seed(value: &[u8]) -> bool {
    has_digit(value) || (value.len() >= 16 && !value.contains(&b' '))
}

fn has_three_classes(token: &[u8]) -> bool {
    has_digit(token) && token.iter().any(u8::is_ascii_uppercase) && token.iter().any(u8::is_ascii_lowercase)
}
