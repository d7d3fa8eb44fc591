//! Words in values: those of names and types, those of sentences, and those that people choose for passwords.

use super::super::letters;
use super::super::text::contains_ignoring_case;
use super::WordList;
use super::{NameClass, is_code, is_placeholder};

/// Names of formats and types that contain digits.
static TECHNICAL: WordList = WordList::new(
    "1password aes128 aes256 argon2 argon2i argon2id auth0 base32 base58 base64 base64url \
    bip32 bip39 bip44 blake2 blake2b blake3 bn254 bls12381 ed25519 ed448 hs256 hs512 \
    es256 es384 es256k rs256 rs512 ps256 keccak256 md5 oauth1 oauth2 pbkdf2 pkcs1 pkcs8 \
    pkcs11 pkcs12 ripemd160 rsa2048 rsa4096 saml2 secp256k1 secp256r1 sha1 sha2 sha256 \
    sha3 sha384 sha512 utf8 utf16 x25519 x509",
);

/// Words that, alone or with a few digits, are sample values: `password123`, `test1`.
static BASES: WordList = WordList::new(
    "passwort kennwort senha contrase\u{f1}a contrasena haslo has\u{142}o motdepasse wachtwoord l\u{f6}senord heslo sifre password passwd pass pwd secret token test testing admin root user username guest \
    demo default input field param arg str string var value key apikey mysecret \
    mypassword mytoken abc foo bar bytes int uint float char varchar line step phase \
    level version type section erc eip rfc page text hash",
);

/// Words of sentences about passwords.
static SENTENCE_WORDS: WordList = WordList::new(
    "a an and any are as at be by can cannot character characters confirm contain contains \
    current digit digits do does empty enter expired expires field for forgot from has hash have if in \
    incorrect invalid is it least length letters long match matches maximum minimum missing must need new no not \
    of old on only optional or password passwords please provide required reset same secret set should show \
    stored string than that the this to too token type use used user value was weak when will with wrong you your \
    change hide update repeat again strong valid hashed encrypted protected",
);

/// Whether `value` is a password of several words under a name of `class`.
pub(in super::super) fn is_passphrase(value: &[u8], class: NameClass) -> bool {
    let value = value.trim_ascii();
    let words: Vec<&[u8]> = value.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()).collect();
    let marked = value.iter().any(u8::is_ascii_digit) && value.iter().any(|b| b"!@#$%^&*;+?".contains(b));
    let capital = |word: &&[u8]| word[0].is_ascii_uppercase();
    matches!(class, NameClass::Password | NameClass::Secret)
        && words.iter().any(|word| word != &words[0])
        && (2..=10).contains(&words.len())
        && (value.len() >= 10 || value.len() >= 8 && marked && words.len() == 2)
        && value.len() <= 120
        && !is_placeholder(value)
        && !value.ends_with(b".")
        && words.iter().all(|word| word.len() <= 16 && (word.len() == 1 || !SENTENCE_WORDS.has(word)))
        && value.iter().all(|b| !matches!(b, b'<' | b'>' | b'{' | b'}' | b'(' | b')' | b'=' | b'\\' | b'/' | b':'))
        && (words.len() >= 4 || value.iter().any(|b| b.is_ascii_digit() || b"!@#$%^&*".contains(b)))
        && !(capital(&words[0])
            && words.len() > 2
            && words[1..].iter().all(|word| word.iter().all(u8::is_ascii_lowercase)))
}

/// Whether a line of several words describes or translates the field of a password: it names one, or reads like a label.
pub(in super::super) fn is_description(line: &[u8]) -> bool {
    let line = line.trim_ascii();
    INVENTED.iter().any(|word| *word != b"my" && contains_ignoring_case(line, word))
        || [&b"argon2"[..], b"bcrypt", b"scrypt", b"pbkdf2", b" see "]
            .iter()
            .any(|word| contains_ignoring_case(line, word))
        || line.iter().any(|b| !b.is_ascii() || matches!(b, b'[' | b']'))
        || matches!(line.last(), Some(b',' | b';'))
}

/// Parts of words in values that were invented for a document.
pub(super) const INVENTED: &[&[u8]] = &[
    b"pass",
    b"pwd",
    b"secret",
    b"token",
    b"key",
    b"psk",
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
    b"changem",
    b"changei",
    b"changet",
    b"changed",
    b"change-",
    b"change_",
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

/// Returns the words of values that documents use, but `my`.
pub(super) fn of_documents() -> impl Iterator<Item = &'static [u8]> {
    let invented = INVENTED.iter().copied().filter(|word| *word != b"my");
    invented.chain([&SENTENCE_WORDS, &STATES].into_iter().flat_map(WordList::words))
}

/// Adjectives and types, which describe a value rather than being one.
static STATES: WordList = WordList::new(
    "invalid missing wrong correct strong secure unsafe provided inherited interactive external \
    varchar number boolean object array integer float date always never ignored shared deprecated removed public private community",
);

/// Whether a word has a part that documents use in the values that they invent.
pub(super) fn says_document(word: &[u8]) -> bool {
    INVENTED.iter().any(|part| contains_ignoring_case(word, part))
}

/// Whether a person may have chosen `value` as a password: letters alone, or several words with hyphens, and none of
/// the words that documents use. Only for places where nothing but a password can be.
pub(in super::super) fn is_chosen(value: &[u8]) -> bool {
    let parts: Vec<&[u8]> = value.split(|b| matches!(b, b'-' | b'_' | b'.')).collect();
    let spelled = parts.iter().all(|part| part.len() >= 2 && part.iter().all(u8::is_ascii_alphanumeric));
    (6..=64).contains(&value.len())
        && spelled
        && (parts.len() >= 3 || parts.len() == 1)
        && value.iter().any(u8::is_ascii_lowercase)
        && !is_placeholder(value)
        && !is_code(value, false)
        && !says_document(value)
        && !is_base_with_digits(value)
        && !is_technical(value)
        && !SENTENCE_WORDS.has(value)
        && !STATES.has(value)
}

/// Whether `value` is one of [`BASES`] with a few digits: `password123`, `bytes32`.
pub(super) fn is_base_with_digits(value: &[u8]) -> bool {
    let letters = value.iter().take_while(|b| b.is_ascii_alphabetic()).count();
    let rest = &value[letters..];
    rest.len() <= 4 && rest.iter().all(|b| b.is_ascii_digit() || *b == b'!') && BASES.has(&value[..letters])
}

fn is_technical(word: &[u8]) -> bool {
    TECHNICAL.has(word)
}

/// Whether `value` is a technical name: `sha256`, `pbkdf2-sha512`.
pub(super) fn is_technical_name(value: &[u8]) -> bool {
    is_technical(value) || (is_name(value) && value.split(|b| !b.is_ascii_alphanumeric()).any(is_technical))
}

/// Whether `value` reads like a name: words and short numbers between separators.
pub(in super::super) fn is_name(value: &[u8]) -> bool {
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
        // `S3Bucket`
        let unit = letters == 1 && part[0].is_ascii_uppercase() && tail.first().is_some_and(u8::is_ascii_uppercase);
        // `Sha1Auth`, `oAuth2Api`
        let titled = letters >= 3
            && digits == 1
            && tail.len() >= 3
            && tail[0].is_ascii_uppercase()
            && tail[1..].iter().all(u8::is_ascii_lowercase);
        let joined = letters >= 2 && tail.len() >= 5 || unit && tail.len() >= 5 || titled;
        let between = joined && number && tail.iter().all(u8::is_ascii_alphabetic);
        let words = (digits <= 4 && tail.is_empty()) || between || is_technical(part);
        if ends_in_title(part) {
            return true;
        }
        words && reads_like_words(&part[..letters]) && reads_like_words(tail)
    })
}

/// Whether a part ends in a long word with a capital after a short name with a number: `Secp256k1Keypair`.
fn ends_in_title(part: &[u8]) -> bool {
    let Some(last) = part.iter().rposition(u8::is_ascii_uppercase) else { return false };
    let (name, title) = part.split_at(last);
    (3..=12).contains(&name.len())
        && title.len() >= 6
        && title[1..].iter().all(u8::is_ascii_lowercase)
        && name.iter().filter(|b| b.is_ascii_uppercase()).count() == 1
        && name[0].is_ascii_uppercase()
        && reads_like_words(title)
}

/// Whether letters can be words.
fn reads_like_words(letters: &[u8]) -> bool {
    !is_jumble(letters) && !letters::are_random(letters)
}

/// Whether letters do not read like words: many changes of case, hardly a vowel.
pub(in super::super) fn is_jumble(value: &[u8]) -> bool {
    let letters: Vec<u8> = value.iter().copied().filter(u8::is_ascii_alphabetic).take(256).collect();
    if letters.len() < 12 {
        return false;
    }
    let changes =
        letters.windows(2).filter(|pair| pair[0].is_ascii_lowercase() != pair[1].is_ascii_lowercase()).count();
    let vowels =
        letters.iter().filter(|b| matches!(b.to_ascii_lowercase(), b'a' | b'e' | b'i' | b'o' | b'u' | b'y')).count();
    // `CommitRefIterRaw`, an identifier of short words.
    let mut humps = letters.chunk_by(|before, next| !(before.is_ascii_lowercase() && next.is_ascii_uppercase()));
    let is_worded = humps.all(|hump| hump.len() >= 3 && hump[1..].iter().all(u8::is_ascii_lowercase));
    changes * 5 >= letters.len() * 2 && !is_worded || vowels * 6 < letters.len()
}
