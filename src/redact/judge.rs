//! Whether a value looks like a secret: the difference between `hunter2`, `<password>` and `bytes32`.

use super::letters;
use super::text::{contains_ignoring_case, starts_ignoring_case};

/// What a name says of its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
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
    /// `token` alone, `auth`, `credentials`: also said of much that is no secret.
    Weak,
}

/// Longest value that is judged whole.
const LONG: usize = 4096;

/// Words with digits that name formats and types.
const TECHNICAL: &str = "1password aes128 aes256 argon2 argon2i argon2id auth0 base32 base58 base64 base64url \
    bip32 bip39 bip44 blake2 blake2b blake3 bn254 bls12381 ed25519 ed448 hs256 hs512 \
    es256 es384 es256k rs256 rs512 ps256 keccak256 md5 oauth1 oauth2 pbkdf2 pkcs1 pkcs8 \
    pkcs11 pkcs12 ripemd160 rsa2048 rsa4096 saml2 secp256k1 secp256r1 sha1 sha2 sha256 \
    sha3 sha384 sha512 utf8 utf16 x25519 x509";

/// Words that only a stand-in holds, anywhere in it.
const STAND_INS: &str = "example placeholder changeme change-me change_me changeit replaceme replace_ \
    replace- redacted xxxxxx dummy insert_ insert- undefined required optional letmein";

/// Words that only a stand-in holds when they stand alone between separators.
const STAND_IN_WORDS: &str = "your here todo tbd fixme foo bar baz foobar xxx xxxx xxxxx sample";

/// Weak words that, alone or with a few digits, are shown as what they are: `password123`, `test1`.
const BASES: &str = "password passwd pass pwd secret token test testing admin root user username guest \
    demo default input field param arg str string var value key apikey mysecret \
    mypassword mytoken abc foo bar bytes int uint float char varchar line step phase \
    level version type section erc eip rfc page text hash";

/// Whether `word` is one of the words of `list`, whatever the case.
pub(super) fn is_one_of(list: &str, word: &[u8]) -> bool {
    list.split(' ').any(|known| word.eq_ignore_ascii_case(known.as_bytes()))
}

/// Whether `value` stands in for a secret: empty, masked, elided, a variable, a reference, `changeme`.
pub(super) fn is_placeholder(value: &[u8]) -> bool {
    let value = value.trim_ascii();
    let bare = value.len() <= 2
        || value.iter().all(|b| matches!(b, b'x' | b'X' | b'*' | b'.' | b'_' | b'-' | b'#' | b'?' | b'0'))
        || value.iter().all(|b| !b.is_ascii());
    bare || is_periodic(value) || is_reference(value) || is_elided(value) || is_sequence(value) || stands_in(value)
}

fn is_elided(value: &[u8]) -> bool {
    let has = |part: &[u8]| value.windows(part.len()).any(|window| window == part);
    has(b"...") || has("…".as_bytes()) || has(b"****") || has("••".as_bytes()) || has(b"[REDACTED:")
}

/// Whether a few characters are repeated over and over, after `0x` or not: `4646…`, `deadbeefdeadbeef…`.
fn is_periodic(value: &[u8]) -> bool {
    let value = value.strip_prefix(b"0x").unwrap_or(value);
    value.len() >= 16 && (1..=8).any(|period| value.iter().zip(&value[period..]).all(|(a, b)| a == b))
}

/// `12345678`, `abcdef`, `aaaaaa` up to 10 characters.
fn is_sequence(value: &[u8]) -> bool {
    value.len() <= 10
        && [0_i16, 1].iter().any(|step| {
            value.windows(2).all(|pair| {
                let rise = i16::from(pair[1]) - i16::from(pair[0]);
                rise == *step || (pair[0] == b'9' && pair[1] == b'0' && *step == 1)
            })
        })
}

/// A variable, a template's hole or a lookup instead of a value.
fn is_reference(value: &[u8]) -> bool {
    let has = |part: &[u8]| value.windows(part.len()).any(|window| window == part);
    // A SealedSecret begins with the length of the key that encrypts it.
    let sealed = value.len() >= 120 && value.starts_with(b"Ag") && matches!(value[2], b'A'..=b'D');
    let dollar_name = value[0] == b'$'
        && value.get(1).is_some_and(|b| b.is_ascii_alphabetic() || *b == b'_' || *b == b':')
        && value[1..].iter().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b':' | b'-'));
    let percent_name = value.len() > 2
        && value[0] == b'%'
        && value[value.len() - 1] == b'%'
        && value[1..value.len() - 1].iter().all(|b| b.is_ascii_alphanumeric() || *b == b'_');
    let brackets = matches!((value[0], value[value.len() - 1]), (b'<', b'>') | (b'{', b'}') | (b'[', b']'));
    const LOOKUPS: &[&[u8]] = &[
        b"process.env",
        b"os.environ",
        b"os.getenv",
        b"import.meta",
        b"env.",
        b"env:",
        b"env(",
        b"env[",
        b"secrets.",
        b"var.",
        b"vars.",
        b"local.",
        b"data.",
        b"inputs.",
        b"params.",
        b"config.",
        b"self.",
        b"this.",
        b"args.",
        b"req.",
        b"request.",
        b"ctx.",
        b"module.",
        b"arn:",
        b"op://",
        b"vault:",
        b"ssm:",
        b"secret:",
        b"file:",
        b"sha256:",
        b"sha256-",
        b"sha384-",
        b"sha512-",
        b"sha512:",
        b"projects/",
        b"enc[",
        b"!ref",
        b"!sub",
        b"!secret",
        b"!vault",
        b"!env",
        b"resolve:",
        b"aws:",
        b"awssm",
        b"gcp:",
        b"sm://",
        b"keyring:",
        b"data:",
    ];
    dollar_name
        || sealed
        || percent_name
        || brackets
        || has(b"${")
        || has(b"$(")
        || has(b"{{")
        || has(b"#{")
        || (has(b"<") && has(b">"))
        || LOOKUPS.iter().any(|lookup| starts_ignoring_case(value, lookup))
}

fn stands_in(value: &[u8]) -> bool {
    let short = &value[..value.len().min(LONG)];
    if STAND_INS.split(' ').any(|word| contains_ignoring_case(short, word.as_bytes())) {
        return true;
    }
    // Base64 holds separators too, so only short values are taken apart.
    short.len() <= 64
        && short.split(|b| matches!(b, b'-' | b'_' | b'.' | b' ')).any(|part| is_one_of(STAND_IN_WORDS, part))
}

/// Whether a provider's token is shown as a sample: `ghp_xxxxxxxxxxxx`, `AKIAIOSFODNN7EXAMPLE`.
///
/// Stricter than [`is_placeholder`]: what has a provider's form is rarely anything else.
pub(super) fn is_sample(token: &[u8]) -> bool {
    const WORDS: &[&[u8]] =
        &[b"example", b"placeholder", b"redacted", b"xxxxxx", b"your-", b"your_", b"changeme", b"000000000000"];
    WORDS.iter().any(|word| contains_ignoring_case(token, word)) || token.windows(3).any(|window| window == b"...")
}

/// Whether `value` looks like what a name of `class` hides. `quoted`: its ends are marked by quotes.
pub(super) fn looks_secret(value: &[u8], class: Class, quoted: bool) -> bool {
    let least = if class == Class::Password { 6 } else { 8 };
    if value.len() < least || value.len() > LONG || is_placeholder(value) || value.iter().any(u8::is_ascii_whitespace) {
        return false;
    }
    if is_place(value) || is_code(value, quoted) {
        return false;
    }
    if let Some(verdict) = hexadecimal(value, class) {
        return verdict;
    }
    let letters = value.iter().filter(|b| b.is_ascii_alphabetic()).count();
    let digits = value.iter().filter(|b| b.is_ascii_digit()).count();
    if letters == 0 {
        return class == Class::Password && digits == value.len();
    }
    if is_base_with_digits(value) || is_technical_name(value) {
        return false;
    }
    let marks = value
        .iter()
        .filter(|b| matches!(b, b'!' | b'@' | b'#' | b'$' | b'%' | b'^' | b'&' | b'*' | b'+' | b'~'))
        .count();
    if !is_name(value) {
        // Words with odd punctuation between them, without a digit, are a password's form only.
        let random = is_jumble(value) || (value.len() >= 12 && letters::are_random(value) && class != Class::Weak);
        return digits > 0 || random || (class == Class::Password && marks > 0);
    }
    // Sixteen lower-case letters are what some providers hand out.
    if digits == 0 {
        return false;
    }
    let ends_in_digit = value.last().is_some_and(u8::is_ascii_digit);
    let one_word = value.iter().all(u8::is_ascii_alphanumeric);
    match class {
        Class::Password => digits > 0 && (one_word || quoted || is_chosen(value) || has_all_kinds(value)),
        Class::Secret if one_word && digits >= 2 && value.iter().any(u8::is_ascii_uppercase) => {
            value.iter().any(u8::is_ascii_lowercase)
        }
        Class::Secret | Class::Key | Class::PrivateKey => one_word && digits >= 2 && value.len() >= 10 && ends_in_digit,
        Class::Token => one_word && digits >= 3 && value.len() >= 12 && ends_in_digit,
        Class::Weak => false,
    }
}

/// Whether `value` looks like a secret wherever it stands: letters and digits that no name has in
/// this order.
pub(super) fn looks_random(value: &[u8]) -> bool {
    let digits = value.iter().filter(|b| b.is_ascii_digit()).count();
    let letters = value.iter().filter(|b| b.is_ascii_alphabetic()).count();
    let sides = value.iter().any(u8::is_ascii_lowercase) && value.iter().any(u8::is_ascii_uppercase);
    value.len() >= 8
        && letters >= 2
        && ((digits >= 1 && (sides || digits >= 3 || value.iter().any(|b| b"!#$%^&*".contains(b)))) || is_jumble(value))
        && !is_name(value)
        && !is_uuid(value)
        && looks_secret(value, Class::Token, false)
}

/// Words that are said about passwords rather than being parts of one.
const SAID: &str = "a an and any are as at be by can cannot character characters confirm contain contains \
    current digit digits do does empty enter expired expires field for forgot from has hash have if in \
    incorrect invalid is it least length letters long match matches maximum minimum missing must need new no not \
    of old on only optional or password passwords please provide required reset same secret set should show \
    stored string than that the this to too token type use used user value was weak when will with wrong you your \
    change hide update repeat again strong valid hashed encrypted protected";

/// Whether `value` is a password of several words. `class`: what its name says.
pub(super) fn is_passphrase(value: &[u8], class: Class) -> bool {
    let value = value.trim_ascii();
    let words: Vec<&[u8]> = value.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()).collect();
    let capital = |word: &&[u8]| word[0].is_ascii_uppercase();
    matches!(class, Class::Password | Class::Secret)
        && (2..=10).contains(&words.len())
        && (10..=120).contains(&value.len())
        && !is_placeholder(value)
        && !value.ends_with(b".")
        && words.iter().all(|word| word.len() <= 16 && (word.len() == 1 || !is_one_of(SAID, word)))
        && value.iter().all(|b| !matches!(b, b'<' | b'>' | b'{' | b'}' | b'(' | b')' | b'=' | b'\\' | b'/' | b':'))
        && (words.len() >= 4 || value.iter().any(|b| b.is_ascii_digit() || b"!@#$%^&*".contains(b)))
        && !(capital(&words[0]) && words[1..].iter().all(|word| word.iter().all(u8::is_ascii_lowercase)))
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

/// Parts of words that show a value made up for a document.
const MADE_UP: &[&[u8]] = &[
    b"pass",
    b"pwd",
    b"secret",
    b"token",
    b"key",
    b"your",
    b"my",
    b"some",
    b"test",
    b"user",
    b"admin",
    b"value",
    b"here",
    b"default",
    b"string",
    b"change",
    b"sample",
    b"none",
    b"null",
    b"true",
    b"false",
    b"foo",
    b"bar",
    b"env",
    b"root",
    b"postgres",
    b"mysql",
    b"mongo",
    b"redis",
    b"guest",
    b"demo",
    b"local",
    b"hidden",
    b"mask",
    b"empty",
    b"unset",
    b"blank",
    b"hash",
    b"crypt",
    b"vault",
    b"random",
    b"generate",
    b"prompt",
    b"file",
    b"name",
    b"database",
    b"server",
    b"config",
    b"internal",
    b"manager",
    b"docker",
    b"kube",
    b"service",
    b"basic",
    b"plain",
    b"auth",
    b"disabled",
    b"enabled",
];

/// Words that say how something is rather than what it is.
const STATES: &str = "invalid missing wrong correct strong secure unsafe provided inherited interactive external \
    varchar number boolean object array integer float date always never ignored shared deprecated removed";

/// Whether `value`, given to a password and nothing else, was chosen by a person: letters alone, or
/// several words with hyphens, and none that documents use.
pub(super) fn is_chosen(value: &[u8]) -> bool {
    let parts: Vec<&[u8]> = value.split(|b| matches!(b, b'-' | b'_' | b'.')).collect();
    let spelled = parts.iter().all(|part| part.len() >= 2 && part.iter().all(u8::is_ascii_alphanumeric));
    (6..=64).contains(&value.len())
        && spelled
        && (parts.len() >= 3 || parts.len() == 1)
        && value.iter().any(u8::is_ascii_lowercase)
        && !is_placeholder(value)
        && !is_code(value, false)
        && !MADE_UP.iter().any(|word| contains_ignoring_case(value, word))
        && !is_base_with_digits(value)
        && !is_technical(value)
        && !is_one_of(SAID, value)
        && !is_one_of(STATES, value)
}

/// A path or a URL: what stands in it is judged by the rules for URLs.
fn is_place(value: &[u8]) -> bool {
    let has = |part: &[u8]| value.windows(part.len()).any(|window| window == part);
    let slashed = value.contains(&b'/') && is_name(value);
    slashed
        || [&b"/"[..], b"./", b"../", b"~/", b"~\\", b"\\\\", b"www.", b"@/"]
            .iter()
            .any(|start| value.starts_with(start))
            && is_name(&value[1..])
        || has(b"://")
        || (value.len() > 2 && value[1] == b':' && value[2] == b'\\')
}

/// An expression rather than a value.
fn is_code(value: &[u8], quoted: bool) -> bool {
    let has = |part: &[u8]| value.windows(part.len()).any(|window| window == part);
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
            || value.starts_with(b"^")
            || has(b"\\w")
            || has(b"\\d");
    }
    value.iter().any(|b| matches!(b, b'(' | b')' | b'{' | b'}' | b'[' | b']' | b'<' | b'>' | b'\\'))
        || has(b"::")
        || has(b"->")
        || has(b"==") && !value.ends_with(b"==")
        || has(b"&&")
        || value.starts_with(b"&")
        || value.starts_with(b"*")
        || value.starts_with(b"#")
}

fn is_identifier(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.')
}

/// What is to be said of digests and numbers in hexadecimal; nothing where it is none.
fn hexadecimal(value: &[u8], class: Class) -> Option<bool> {
    let says_secret = class != Class::Weak;
    if is_uuid(value) {
        return Some(says_secret);
    }
    if starts_ignoring_case(value, b"0x") && value[2..].iter().all(u8::is_ascii_hexdigit) {
        // An address or a digest; but a key of a chain is written like this too.
        return Some(class == Class::PrivateKey && value.len() == 66);
    }
    if value.len() >= 16 && value.iter().all(u8::is_ascii_hexdigit) && value.iter().any(u8::is_ascii_alphabetic) {
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

/// `password123`, `bytes32`.
fn is_base_with_digits(value: &[u8]) -> bool {
    let letters = value.iter().take_while(|b| b.is_ascii_alphabetic()).count();
    let rest = &value[letters..];
    rest.len() <= 4 && rest.iter().all(|b| b.is_ascii_digit() || *b == b'!') && is_one_of(BASES, &value[..letters])
}

fn is_technical(word: &[u8]) -> bool {
    is_one_of(TECHNICAL, word)
}

/// `sha256`, `pbkdf2-sha512`.
fn is_technical_name(value: &[u8]) -> bool {
    is_technical(value) || (is_name(value) && value.split(|b| !b.is_ascii_alphanumeric()).any(is_technical))
}

/// Whether `value` reads like a name: words and short numbers between separators.
pub(super) fn is_name(value: &[u8]) -> bool {
    if value.iter().any(|b| !b.is_ascii_alphanumeric() && !matches!(b, b'-' | b'_' | b'.' | b'/' | b':' | b',')) {
        return false;
    }
    value.split(|b| !b.is_ascii_alphanumeric()).all(|part| {
        let letters = part.iter().take_while(|b| b.is_ascii_alphabetic()).count();
        let rest = &part[letters..];
        let digits = rest.iter().take_while(|b| b.is_ascii_digit()).count();
        let tail = &rest[digits..];
        // `label2symbol`, `Ed448PrivateKey`: one number between words.
        let number = digits <= 3 || is_technical(&part[..letters + digits]);
        let between = letters >= 2 && number && tail.len() >= 5 && tail.iter().all(u8::is_ascii_alphabetic);
        let words = (digits <= 4 && tail.is_empty()) || between || is_technical(part);
        words && reads_like_words(&part[..letters]) && reads_like_words(tail)
    })
}

/// Whether letters can be words.
fn reads_like_words(letters: &[u8]) -> bool {
    !is_jumble(letters) && !letters::are_random(letters)
}

/// Whether letters read like no words: many changes of case, hardly a vowel.
pub(super) fn is_jumble(value: &[u8]) -> bool {
    let letters: Vec<u8> = value.iter().copied().filter(u8::is_ascii_alphabetic).take(256).collect();
    if letters.len() < 12 {
        return false;
    }
    let changes =
        letters.windows(2).filter(|pair| pair[0].is_ascii_lowercase() != pair[1].is_ascii_lowercase()).count();
    let vowels =
        letters.iter().filter(|b| matches!(b.to_ascii_lowercase(), b'a' | b'e' | b'i' | b'o' | b'u' | b'y')).count();
    changes * 5 >= letters.len() * 2 || vowels * 6 < letters.len()
}

/// Whether `value` is worth looking for in other texts of the same source: long and unlike a plain word.
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
            (Class::Password, "hunter2"),
            (Class::Password, "Tr0ub4dor&3"),
            (Class::Password, "Summer2024"),
            (Class::Password, "Welcome!Friend"),
            (Class::Secret, "8f14e45fceea167a5a36dedd4bea2543"),
            (Class::Secret, "wJalrXUtnFEMI/K7MDENG/bPxRfiCYzzzzzzzzzz"),
            (Class::Key, "x8Kq2Lm9Pz4Rt6Vw"),
            (Class::Token, "aBcDeFgHiJkLmNoPqR"),
            (Class::Weak, "q9w8e7r6t5y4u3i2"),
            (Class::Key, "123e4567-e89b-12d3-a456-426614174000"),
        ] {
            assert!(looks_secret(value.as_bytes(), class, true), "{value}");
        }
    }

    #[test]
    fn words_names_types_paths_and_digests_do_not_look_secret() {
        for (class, value) in [
            (Class::Password, "required"),
            (Class::Password, "bytes32"),
            (Class::Password, "password123"),
            (Class::Password, "argon2id"),
            (Class::Password, "12345678"),
            (Class::Secret, "my-secret-v2"),
            (Class::Secret, "kubernetes.io/tls"),
            (Class::Secret, "/run/secrets/db_password_1"),
            (Class::Secret, "process.env.SECRET_1"),
            (Class::Secret, "${SECRET_1}"),
            (Class::Secret, "<secret_2>"),
            (Class::Secret, "xxxxxxxxxxxx1"),
            (Class::Token, "getAccessToken"),
            (Class::Token, "bd-au0.10"),
            (Class::Weak, "da39a3ee5e6b4b0d3255bfef95601890afd80709"),
            (Class::Weak, "123e4567-e89b-12d3-a456-426614174000"),
            (Class::Secret, "0x4c0883a69102937d6231471b5dbb6204fe512961708279f2e3e8a5d4b8e3e5a1"),
            (Class::Key, "AKIAIOSFODNN7EXAMPLE"),
            (Class::Token, "abc...xyz1"),
        ] {
            assert!(!looks_secret(value.as_bytes(), class, true), "{value}");
        }
    }

    #[test]
    fn a_marker_is_a_placeholder() {
        assert!(is_placeholder(b"[REDACTED:password]"));
        assert!(is_placeholder("…".as_bytes()));
        assert!(!is_placeholder(b"hunter2"));
    }
}
