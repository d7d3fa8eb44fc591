//! The one judge of values: decides whether a value under a name of a class is a secret, and says why.
//!
//! The layout in which a value was found plays no part: `DB_PASSWORD=x`, `"dbPassword": "x"` and `| DB_PASSWORD | x |`
//! have the same verdict. First a value is out if one of [`EXCLUSIONS`] holds; then its class decides.

use super::letters;
use super::names::Class;
use super::rules;
use super::text::contains_ignoring_case;

/// A value as it is written after a name.
#[derive(Debug, Clone, Copy)]
pub(super) struct AssignedValue<'t> {
    pub(super) text: &'t [u8],
    /// Whether quotes, backticks or the borders of a cell mark its ends.
    pub(super) is_quoted: bool,
    /// Whether it is all that is assigned, rather than the first word of a sentence or a piece of code.
    pub(super) is_whole: bool,
}

impl<'t> AssignedValue<'t> {
    /// Makes the value between two quotes.
    pub(super) fn quoted(text: &'t [u8]) -> Self {
        Self { text, is_quoted: true, is_whole: true }
    }

    /// Makes a value that may be the first word of a sentence.
    pub(super) fn loose(text: &'t [u8]) -> Self {
        Self { text, is_quoted: true, is_whole: false }
    }
}

/// What the judge decided about a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct SecretVerdict {
    pub(super) is_secret: bool,
    /// The reason, for [`Redactor::explain`](super::Redactor::explain): it follows "the value".
    pub(super) because: &'static str,
}

const fn secret(because: &'static str) -> SecretVerdict {
    SecretVerdict { is_secret: true, because }
}

const fn kept(because: &'static str) -> SecretVerdict {
    SecretVerdict { is_secret: false, because }
}

type Exclusion = (&'static str, fn(Class, &AssignedValue<'_>) -> bool);

/// What makes a value no secret whatever its name, in the order in which it is tried.
const EXCLUSIONS: [Exclusion; 10] = [
    ("is too short, or longer than 4,096 bytes", |class, value| !(least(class)..=4096).contains(&value.text.len())),
    ("is a placeholder", |_, value| is_placeholder(value.text) || !value.is_quoted && value.text[0] == b'#'),
    ("refers to a secret elsewhere", |_, value| is_reference(value.text)),
    ("is code", |_, value| is_code(value)),
    ("is a path, a URL or the name of a host", |class, value| is_path(class, value.text)),
    ("is a number, a date or a version", is_number),
    ("is an id or a digest", |class, value| is_id(class, value)),
    ("is the name of something in a program", |_, value| is_identifier(value.text) || is_numbered_name(value)),
    ("is a type, a state or prose", |_, value| is_prose(value)),
    ("is a word before others", |_, value| !value.is_whole && is_words(value.text)),
];

/// Judges `value` under a name of `class`.
pub(super) fn judge(class: Class, value: &AssignedValue<'_>) -> SecretVerdict {
    let text = value.text;
    if !matches!(class, Class::Weak | Class::Hint) && is_base64_key(text) && !is_placeholder(text) {
        return secret("is as long and mixed as a key in Base64");
    }
    if let Some((because, _)) = EXCLUSIONS.iter().find(|(_, holds)| holds(class, value)) {
        return kept(because);
    }
    let Traits { digits, upper, lower, .. } = Traits::of(text);
    match class {
        Class::Password if is_words(text) => secret("is a word after the name of a password"),
        Class::Password => secret("is no word, under the name of a password"),
        Class::Secret | Class::Key | Class::Token => {
            if digits > 0 && upper + lower > 0 {
                let parts = || text.split(|b| !b.is_ascii_alphanumeric());
                // `Horse7battery` is no part of the name of something.
                let inside =
                    |part: &[u8]| part.windows(2).any(|pair| pair[0].is_ascii_digit() && pair[1].is_ascii_alphabetic());
                let odd = |part: &[u8]| part.iter().any(u8::is_ascii_uppercase) && inside(part);
                let count = parts().count();
                let is_chain = text.len() < 40
                    && (upper == 0 || lower == 0)
                    && count > 1
                    && (digits < 4 || count > 3)
                    && letters::is_name(text)
                    && !parts().any(odd);
                if is_chain { kept("is a chain of words and numbers") } else { secret("has a digit with letters") }
            } else if text.len() >= 12 && text.iter().filter(|b| b"!@#$%^&*+~?{}()[]<>|".contains(b)).count() >= 3 {
                secret("has marks among its letters")
            } else if digits == text.len() && digits >= 24 {
                secret("is a very long number")
            } else if text.len() >= 12 && letters::are_random(text) && (upper > 0 && lower > 0 || text.len() >= 20) {
                secret("is a row of letters that no words have")
            } else {
                kept("is a plain word, and the name does not say password")
            }
        }
        Class::Weak | Class::Hint if is_random(text) => secret("is long and random"),
        Class::Weak | Class::Hint
            if text.len() >= if class == Class::Weak { 20 } else { 40 }
                && letters::are_random(text)
                && upper > 0
                && lower > 0 =>
        {
            secret("is a row of letters that no words have")
        }
        Class::Weak | Class::Hint => kept("is not random enough for a name that may mean something else"),
    }
}

/// Returns the least length of a secret.
fn least(class: Class) -> usize {
    match class {
        Class::Password => 6,
        Class::Secret | Class::Key | Class::Token => 7,
        Class::Weak => 16,
        Class::Hint => 20,
    }
}

/// The numbers of characters of some kinds in a value.
struct Traits {
    digits: usize,
    upper: usize,
    lower: usize,
    /// Marks that people put into passwords and hardly anywhere else.
    marks: usize,
}

impl Traits {
    fn of(text: &[u8]) -> Self {
        let count = |is: fn(&u8) -> bool| text.iter().filter(|b| is(b)).count();
        Self {
            digits: count(u8::is_ascii_digit),
            upper: count(u8::is_ascii_uppercase),
            lower: count(u8::is_ascii_lowercase),
            marks: count(|b| b"!@#$%^&*+~?".contains(b)),
        }
    }
}

/// Whether `value` says that it is a sample, such as `ghp_xxxxxxxx` or `your-token`.
pub(super) fn is_sample(value: &[u8]) -> bool {
    // Those of one language may be random letters in a token.
    let in_token = |sample: &str| value.len() < 40 || sample.len() > 4;
    rules::VALUES_SAMPLES.iter().any(|sample| in_token(sample) && contains_ignoring_case(value, sample.as_bytes()))
}

/// Whether `value` stands for another: `<password>`, `changeme`, `my-secret`, `xxxx`, `12345678`.
pub(super) fn is_placeholder(value: &[u8]) -> bool {
    let value = value.trim_ascii();
    let wrapped = |open: &[u8], close: &[u8]| value.starts_with(open) && value.ends_with(close);
    let masked = value.iter().all(|b| matches!(b, b'x' | b'X' | b'*' | b'.' | b'_' | b'#' | b'?' | b'-' | b'0'));
    value.len() <= 2
        || masked
        || value.strip_prefix(b"#").is_some_and(|rest| letters::is_name(rest) || rest.iter().all(u8::is_ascii_hexdigit))
        || matches!(value[0], b'<' | b'[')
        || value.starts_with(b"{{")
        || [(&b"{"[..], &b"}"[..]), (b"%", b"%"), (b"@", b"@"), (b"&lt;", b""), (b"__", b"__"), (b"(", b")")]
            .iter()
            .any(|(open, close)| wrapped(open, close))
        || letters::is_repetitive(value)
        || is_sample(value)
        || is_common(value)
}

/// Whether `value` is one or two common words, with up to four digits after them and marks between: `my-secret`, `admin123`.
fn is_common(value: &[u8]) -> bool {
    let end = value.len()
        - value.iter().rev().take(5).take_while(|b| b.is_ascii_digit() || matches!(b, b'!' | b'_' | b'-')).count();
    let words: Vec<&[u8]> = value[..end].split(|b| matches!(b, b'-' | b'_' | b' ' | b'.')).collect();
    let is_split = |word: &[u8]| {
        rules::VALUES_COMMON.has(word)
            || (1..word.len()).any(|at| rules::VALUES_COMMON.has(&word[..at]) && rules::VALUES_COMMON.has(&word[at..]))
    };
    match &words[..] {
        [word] => is_split(word),
        words => words.iter().all(|word| rules::VALUES_COMMON.has(word)),
    }
}

/// Whether `value` is an expression that names a secret elsewhere: a variable, a setting, an entry of a vault.
pub(super) fn is_reference(value: &[u8]) -> bool {
    let begins = |start: &str| value.get(..start.len()).is_some_and(|part| part.eq_ignore_ascii_case(start.as_bytes()));
    // A password may begin with a dollar sign: `$ecret!9`.
    let variable = |name: &[u8]| name.iter().all(|b| b.is_ascii_alphanumeric() || b"_:{}(). -".contains(b));
    if let Some(name) = value.strip_prefix(b"$") {
        return variable(name);
    }
    if let Some(name) = value.strip_prefix(b":") {
        return variable(name) && !name.iter().any(u8::is_ascii_digit);
    }
    rules::VALUES_REFERENCES.iter().any(begins)
}

/// Whether `value` is a piece of a program or a pattern.
fn is_code(value: &AssignedValue<'_>) -> bool {
    let text = value.text;
    let has = |parts: &[&[u8]]| parts.iter().any(|part| memchr::memmem::find(text, part).is_some());
    let name = text.iter().take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.')).count();
    let is_callee = name > 1 && text[..name].iter().all(|b| b.is_ascii_alphabetic() || matches!(b, b'_' | b'.'));
    let is_call = is_callee && text.get(name) == Some(&b'(');
    // A pair of its own: `db.password=x`.
    let equals = text[..text.len() - 1].iter().position(|b| *b == b'=').filter(|equals| text[equals + 1] != b'=');
    let is_pair = equals.is_some_and(|equals| {
        let name = &text[..equals];
        let is_field = name.contains(&b'_') && name.iter().all(|b| b.is_ascii_lowercase() || *b == b'_');
        is_field || super::names::class_of(name).is_some()
    });
    // `--method=sha-512`, `-Dkey`.
    let is_option = text.starts_with(b"--") || text.starts_with(b"-D");
    if is_option || is_template(text) || is_pair {
        return true;
    }
    if value.is_quoted {
        // A pattern that begins with `^` has more of its signs, or words: a password may begin with it.
        let is_pattern = |rest: &[u8]| rest.iter().any(|b| b"$[(\\*".contains(b)) || letters::is_name(rest);
        return text.strip_prefix(b"^").is_some_and(is_pattern)
            || is_call && text.ends_with(b")")
            || has(&[b"()", b"[a-z", b"A-Z", b"\\w", b"\\d", b"\\S", b"](", b"\\x"]);
    }
    if is_call || name > 1 && text[..name].contains(&b'.') && matches!(text.get(name), Some(b'(' | b'[' | b'?')) {
        return true;
    }
    // `ByteVector[SIZE]`
    if is_callee && text.get(name) == Some(&b'[') && text.contains(&b']') {
        return true;
    }
    if text.len() >= 30 && letters::entropy(text) >= 4.2 {
        return false;
    }
    text.iter().any(|b| b"(){}[]<>\\".contains(b) || *b >= 0x80)
        || has(&[b"::", b"->", b"&&", b"=>", b"?."])
        || b"&*#.,/-+|!".contains(&text[0]) && text.len() < 24 && !text.iter().any(u8::is_ascii_digit)
}

/// Whether `value` has a place that a program fills: `${name}`, `{{ name }}`, `#{name}`, `$(command)`.
fn is_template(value: &[u8]) -> bool {
    [(&b"${"[..], b'}'), (b"{{", b'}'), (b"#{", b'}'), (b"$(", b')'), (b"%{", b'}'), (b"<%", b'%'), (b"{", b'}')]
        .iter()
        .any(|(open, close)| {
            memchr::memmem::find_iter(value, open).any(|at| {
                let inner = &value[at + open.len()..];
                let is_name = |b: &u8| b.is_ascii_alphanumeric() || b" _.:/|-'\"()$=,".contains(b) && b != close;
                let length = inner.iter().take_while(|b| is_name(b)).count();
                length > 1 && inner.get(length) == Some(close)
            })
        })
}

/// Whether `value` is a path, a file, a host or a URL, and no part of it looks random.
fn is_path(class: Class, value: &[u8]) -> bool {
    let is_url = memchr::memmem::find(value, b"://").is_some();
    let rooted = [&b"/"[..], b"./", b"../", b"~/", b"\\\\"].iter().any(|root| value.starts_with(root))
        || value.len() > 2 && value[0].is_ascii_alphabetic() && &value[1..3] == b":\\";
    let is_part = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-');
    let mut parts = value.split(|b| matches!(b, b'.' | b'/'));
    let parted = value.iter().any(|b| matches!(b, b'.' | b'/' | b'#'))
        && parts.all(|part| !part.is_empty() && part.iter().all(is_part));
    let named = value.iter().rposition(|b| *b == b'.').is_some_and(|dot| rules::VALUES_FILES.has(&value[dot + 1..]));
    if !(is_url || rooted || parted || named) {
        return false;
    }
    let Traits { digits, upper, lower, .. } = Traits::of(value);
    let slash = value.contains(&b'/');
    let random_part = value
        .split(|b| !b.is_ascii_alphanumeric())
        .any(|part| part.len() >= 16 && part.iter().filter(|b| b.is_ascii_digit()).count() >= 2);
    let random = !is_url
        && !letters::is_name(value)
        && ((random_part || digits >= 2 && upper > 0 && lower > 0) && !slash
            || value.len() >= 32 && digits >= 3 && letters::entropy(value) >= 4.2
            || class == Class::Password && digits > 0 && upper > 0 && !slash);
    !random
}

fn is_number(class: Class, value: &AssignedValue<'_>) -> bool {
    let is_quoted = value.is_quoted;
    let value = value.text;
    let Traits { digits, upper, lower, marks } = Traits::of(value);
    // A password may be a long number.
    if digits == value.len() {
        return digits < if class == Class::Password && is_quoted { 10 } else { 24 };
    }
    let unit = value.len() - value.iter().rev().take_while(|b| b.is_ascii_alphabetic()).count();
    let amount = value[..unit].iter().all(|b| b.is_ascii_digit() || b"._,".contains(b));
    let is_unit = value.len() - unit <= 3
        && unit > 0
        && (value.len() - unit < 3 || matches!(&value[unit..], b"u32" | b"u64" | b"i32" | b"i64" | b"min" | b"day"));
    let date = upper + lower <= 2
        && marks <= 1
        && digits >= 4
        && value.iter().all(|b| b.is_ascii_digit() || b"-:.TZ/+, _".contains(b));
    date || amount && is_unit
}

/// Whether `value` is a digest, an id or an address rather than a secret of its class.
fn is_id(class: Class, value: &AssignedValue<'_>) -> bool {
    let text = value.text;
    if let Some(hex) = text.strip_prefix(b"0x") {
        return (matches!(class, Class::Weak | Class::Hint) || hex.len() != 64)
            && hex.iter().all(|b| b.is_ascii_hexdigit() || *b == b'_');
    }
    // `SHA-256`, `ABC-1234`: an algorithm, an issue.
    let letters = text.iter().take_while(|b| b.is_ascii_uppercase()).count();
    let number = text[letters..].strip_prefix(b"-").unwrap_or(&text[letters..]);
    if (2..=6).contains(&letters) && (1..=4).contains(&number.len()) && number.iter().all(u8::is_ascii_digit) {
        return true;
    }
    if class == Class::Hint && text.len() > 36 && is_uuid(&text[text.len() - 36..]) {
        return true;
    }
    // The digest in the key of a cache: `deps:958aff96…`.
    let is_digest = |part: &[u8]| matches!(part.len(), 40 | 64) && part.iter().all(u8::is_ascii_hexdigit);
    if class == Class::Hint && text.split(|b| matches!(b, b':' | b'-' | b'_' | b'/')).skip(1).any(is_digest) {
        return true;
    }
    if class == Class::Hint && text.iter().all(|b| b.is_ascii_hexdigit() || *b == b'-') {
        let length = text.len();
        return !(length == 32 && !text.contains(&b'-')
            || value.is_quoted && length >= 24 && !matches!(length, 36 | 40 | 64));
    }
    false
}

pub(super) fn is_uuid(value: &[u8]) -> bool {
    let parts: Vec<&[u8]> = value.split(|b| *b == b'-').collect();
    parts.iter().map(|part| part.len()).eq([8, 4, 4, 4, 12]) && parts.concat().iter().all(u8::is_ascii_hexdigit)
}

/// Whether `value` is the name of a secret or of a constant in a program: `user_password`, `newToken`, `DB_PASSWORD`.
fn is_identifier(value: &[u8]) -> bool {
    let end = value.len() - value.iter().rev().take(2).take_while(|b| b.is_ascii_digit()).count();
    let is_constant = value.iter().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || *b == b'_')
        && value.iter().filter(|b| **b == b'_').count() > usize::from(value.iter().any(u8::is_ascii_digit))
        && letters::is_name(value);
    let value = &value[..end];
    if is_constant || !value.iter().all(|b| b.is_ascii_alphabetic() || *b == b'_') || letters::are_random(value) {
        return is_constant;
    }
    let has_parts = value.contains(&b'_')
        || value.windows(2).any(|pair| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase());
    has_parts && super::names::class_of(value).is_some()
}

/// Whether an unquoted value is a name with a number in it: `x509PrivateKeyRSA2048`, `OAuth2SessionType`.
fn is_numbered_name(value: &AssignedValue<'_>) -> bool {
    let text = value.text;
    let humps = text.windows(2).filter(|pair| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase()).count();
    let digits = text.iter().filter(|b| b.is_ascii_digit()).count();
    !value.is_quoted && humps > 0 && digits <= 4 && text.iter().all(u8::is_ascii_alphanumeric) && letters::is_name(text)
}

/// Whether `value` is a word of `[values] words` in `rules.toml`, or a chain of words with one of them.
fn is_prose(value: &AssignedValue<'_>) -> bool {
    let text = value.text;
    if text.iter().any(|b| b.is_ascii_whitespace()) {
        return is_sentence(value);
    }
    // `bytes32`, `argon2`, a type or an algorithm.
    if rules::VALUES_WORDS.has(text) {
        return true;
    }
    let listed = super::names::words_of(text).iter().filter(|word| rules::VALUES_WORDS.has(word.as_bytes())).count();
    if !is_words(text) {
        // `port80`
        let (word, digits) = text.split_at(text.iter().take_while(|b| b.is_ascii_lowercase()).count());
        if !word.is_empty() && digits.len() <= 3 && digits.iter().all(u8::is_ascii_digit) {
            return rules::VALUES_WORDS.has(word);
        }
        // `k8s-created-secret`; one such word may be part of a password.
        let is_slug = !text.iter().any(u8::is_ascii_uppercase) && text.contains(&b'-') && letters::is_name(text);
        return is_slug && listed > 1;
    }
    // Several words that end in one for a password, without anything between them: `mysecretpassword`.
    let is_glued = text.len() >= 14 && text.iter().all(u8::is_ascii_lowercase);
    // The word of another language for a password is a label: `"password": "Passwort"`.
    listed > 0 || super::names::class_of(text) == Some(Class::Password) && !is_glued
}

/// Whether a value with blanks is a sentence or a label. A phrase of words that nobody would write otherwise is not.
fn is_sentence(value: &AssignedValue<'_>) -> bool {
    let words: Vec<&[u8]> = value.text.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()).collect();
    let is_number = |word: &[u8]| word.len() <= 4 && word.iter().all(u8::is_ascii_digit);
    // One noun of the list in four words says nothing, but a short word such as `from` or that of a secret does.
    let is_listed = |word: &&&[u8]| rules::VALUES_WORDS.has(word);
    let is_noun = |word: &[u8]| word.len() > 4 && super::names::class_of(word).is_none();
    let is_word = |word: &&[u8]| {
        is_number(word)
            || word.len() >= 3 && word.iter().all(u8::is_ascii_lowercase) && (!is_listed(&word) || is_noun(word))
    };
    // `zulu9`, which few sentences have.
    let is_odd = |word: &&[u8]| {
        word.len() >= 4
            && word[0].is_ascii_alphabetic()
            && word.iter().any(u8::is_ascii_digit)
            && word.iter().all(|b| b.is_ascii_alphanumeric() || b"!@#$%^&*+~?".contains(b))
    };
    let least = if words.iter().any(is_odd) { 2 } else { 3 };
    !(value.is_quoted
        && value.is_whole
        && (least..=8).contains(&words.len())
        && words.iter().all(|word| is_word(word) || is_odd(word))
        && 4 * words.iter().filter(is_listed).count() <= words.len())
}

/// Whether `value` has nothing but letters and what joins words.
fn is_words(value: &[u8]) -> bool {
    value.iter().all(|b| b.is_ascii_alphabetic() || b"-_. '/,:;!?".contains(b) || *b >= 0x80)
        && !value[..value.len() - 1].contains(&b'!')
        && !letters::are_random(value)
}

/// Whether `value` has digits among letters in an order that no words have.
pub(super) fn is_random(value: &[u8]) -> bool {
    let Traits { digits, upper, lower, .. } = Traits::of(value);
    let hex = value.iter().all(u8::is_ascii_hexdigit) && digits > 0 && upper + lower > 0;
    hex || is_uuid(value)
        || digits >= 2
            && !letters::is_name(value)
            && (upper > 0 && lower > 0 || digits >= 4)
            && letters::entropy(value) >= 3.2
}

/// Whether `value` is a long row of Base64 in an order or in cases that no path and no name has: of 40 such characters some
/// rows have no digit, or `/` where a path could have it.
pub(super) fn is_base64_key(value: &[u8]) -> bool {
    let key = &value[..value.len() - value.iter().rev().take_while(|b| **b == b'=').count()];
    let Traits { upper, lower, .. } = Traits::of(value);
    let (odd, all) = letters::odd_pairs(value);
    let is_mixed = 4 * upper.min(lower) >= upper + lower || 5 * odd >= all && upper.min(lower) > 0;
    (40..=512).contains(&value.len()) && is_mixed && key.iter().all(|b| b.is_ascii_alphanumeric() || b"+/".contains(b))
}

/// Whether only a machine makes such a value, so that it is a secret wherever it stands once it is known to be one.
pub(super) fn is_machine_made(value: &[u8]) -> bool {
    let Traits { digits, upper, lower, .. } = Traits::of(value);
    let is_token = |b: &u8| b.is_ascii_graphic() && !b"\"'`<>,;".contains(b);
    let long = value.len() >= 20 && value.iter().all(is_token);
    long && digits >= 3 && upper + lower >= 3 && letters::entropy(value) >= 3.2 && !letters::is_name(value)
}
