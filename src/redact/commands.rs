//! Passwords and keys that a command line passes, by the option or the place that its command reads them from:
//! `cypher-shell -p …`, `cf auth bob …`, `heroku config:set MAIL=…`.

mod table;
mod words;

use super::heuristics::{self, NameClass, WordList, looks_secret};
use super::names::class_of;
use super::rules::FindingLabel;
use super::text::starts_token;
pub(super) use table::COMMANDS;
use words::{ShellWord, Words};

static ARGUMENT: FindingLabel =
    FindingLabel { name: "command-argument", reason: "is a password or a key on a command line", rank: 6 };

/// The labels of this file.
pub(super) static LABELS: [&FindingLabel; 1] = [&ARGUMENT];

/// Where a command reads its secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// After one of these options, one blank apart: with `=`, with `:`, or directly after an option of one letter.
    Option(&'static str),
    /// The same for a key that a machine made.
    KeyOption(&'static str),
    /// The same for `user:password`, `user%password` or `user,password`; letters of other options may precede the last one.
    Login(&'static str),
    /// The argument of this number that is no option, counted from 0.
    Argument(u8),
    /// The values of all `NAME=value` of a store of secrets.
    Stored,
    /// The values of all `NAME=value` of a store of settings.
    Settings,
    /// The values of `data` and `stringData` in JSON.
    Json,
}

/// A command that takes secrets.
#[derive(Debug)]
pub(super) struct Command {
    /// Its name and the arguments that are part of it, in lower case, up to the blank.
    pub(super) word: &'static str,
    place: Place,
}

/// Passes the secrets of the command whose keyword is at `start..end` to `found`.
pub(super) fn secrets(
    text: &[u8],
    (start, end): (usize, usize),
    command: &Command,
    mut found: impl FnMut(usize, usize, &'static FindingLabel),
) {
    if !starts_token(text, start) || start > 0 && matches!(text[start - 1], b'-' | b'_') {
        return;
    }
    let mut on_value = |from: usize, to: usize| found(from, to, &ARGUMENT);
    let (mut expected, mut after_option, mut places) = (false, false, 0);
    for word in Words::new(text, end) {
        let content = &text[word.start..word.end];
        let is_option = content.len() > 1 && matches!(content[0], b'-') && !word.quoted;
        match command.place {
            Place::Option(options) | Place::KeyOption(options) | Place::Login(options) => {
                let value = if expected && !is_option { Some(word) } else { option_value(text, &word, options) };
                expected = value.is_none() && is_option_of(content, options, command.place);
                if let Some(value) = value.or_else(|| clustered(text, &word, command.place))
                    && let Some((from, to)) = command.place.secret(text, &value)
                {
                    on_value(from, to);
                }
            }
            Place::Argument(wanted) => {
                if is_option {
                    after_option = content.starts_with(b"--");
                    continue;
                }
                // `--vault-id user@prompt`
                if std::mem::take(&mut after_option) && !word.quoted && content.contains(&b'@') {
                    continue;
                }
                if places == wanted {
                    if is_password(content) || word.quoted && heuristics::is_passphrase(content, NameClass::Password) {
                        on_value(word.start, word.end);
                    }
                    return;
                }
                places += 1;
            }
            Place::Stored | Place::Settings => {
                if let Some(value) = assigned(text, &word, command.place == Place::Stored) {
                    on_value(value.start, value.end);
                }
            }
            Place::Json => json_values(text, &word, &mut on_value),
        }
    }
}

/// What reads the output of commands that are grouped to answer twice: `(echo …; echo …) | passwd bob`.
pub(super) const GROUPED: &[&str] = &[
    ") | passwd",
    ") | sudo passwd",
    ") | smbpasswd",
    ") | sudo smbpasswd",
    ") | kinit",
    ") | cryptsetup",
    ") | sudo cryptsetup",
    ") | kadmin",
    ") | vncpasswd",
    ") | saslpasswd2",
    ") | su ",
];
/// The longest group of commands.
const MAX_GROUP: usize = 200;

/// Passes what the grouped commands before `hit` print to `found`.
pub(super) fn grouped(text: &[u8], hit: usize, mut found: impl FnMut(usize, usize, &'static FindingLabel)) {
    let low = hit.saturating_sub(MAX_GROUP);
    let Some(open) = text[low..hit].iter().rposition(|b| matches!(b, b'(' | b'\n')) else { return };
    let mut at = low + open + 1;
    while at < hit {
        let mut words = Words::new(&text[..hit], at);
        let command = words.next().map(|word| &text[word.start..word.end]);
        if matches!(command, Some(b"echo" | b"printf")) {
            for word in words {
                let content = &text[word.start..word.end];
                if is_password(content) || heuristics::is_chosen(content) {
                    found(word.start, word.end, &ARGUMENT);
                }
            }
        }
        at += text[at..hit].iter().position(|b| matches!(b, b';' | b'&')).map_or(hit - at, |end| end + 1);
    }
}

impl Place {
    /// Returns the secret in the value of an option, if it is one.
    fn secret(self, text: &[u8], value: &ShellWord) -> Option<(usize, usize)> {
        let content = &text[value.start..value.end];
        match self {
            Self::Login(_) => {
                let mark = content.iter().position(|b| matches!(b, b':' | b'%' | b','))?;
                let user = content[..mark].iter().all(|b| b.is_ascii_alphanumeric() || b"._@-\\/".contains(b));
                let password = &content[mark + 1..];
                let number = password.iter().all(u8::is_ascii_digit);
                (user && !number && (is_password(password) || heuristics::is_chosen(password) && mark > 1))
                    .then_some((value.start + mark + 1, value.end))
            }
            Self::KeyOption(_) => (looks_secret(content, NameClass::Secret, true)
                && (heuristics::is_machine_made(content)
                    || heuristics::is_hexadecimal_key(content)
                    || heuristics::looks_random(content)))
            .then_some((value.start, value.end)),
            // `0x00000001`
            _ if content.starts_with(b"0x0") => None,
            _ => (is_password(content)
                || heuristics::is_chosen(content)
                || value.quoted && heuristics::is_passphrase(content, NameClass::Password))
            .then_some((value.start, value.end)),
        }
    }
}

/// Whether a word is one of `options`, so that the next word is its value.
fn is_option_of(word: &[u8], options: &str, place: Place) -> bool {
    options
        .split(' ')
        .any(|option| word.eq_ignore_ascii_case(option.as_bytes()) && (option.len() > 2 || word == option.as_bytes()))
        || matches!(place, Place::Login(_)) && is_cluster(word, options)
}

/// Whether a word is several options of one letter, of which the last is one of `options`: `-sSu`.
fn is_cluster(word: &[u8], options: &str) -> bool {
    (3..=8).contains(&word.len())
        && word[0] == b'-'
        && word[1..].iter().all(u8::is_ascii_alphabetic)
        && options.split(' ').any(|option| option.len() == 2 && option.as_bytes()[1] == word[word.len() - 1])
}

/// Returns the value that is written together with its option: `-pVALUE`, `--pass=VALUE`, `/pass:VALUE`.
fn option_value(text: &[u8], word: &ShellWord, options: &str) -> Option<ShellWord> {
    let content = &text[word.start..word.end];
    let option = options.split(' ').find(|option| {
        let (head, short) = (content.get(..option.len()), option.len() == 2 && option.starts_with('-'));
        let same = head.is_some_and(|head| {
            if short { head == option.as_bytes() } else { head.eq_ignore_ascii_case(option.as_bytes()) }
        });
        same && (short && content.len() > 3 || matches!(content.get(option.len()), Some(b'=' | b':')))
    })?;
    let from = word.start + option.len();
    Some(word.from(text, from + usize::from(matches!(text[from], b'=' | b':'))))
}

/// Returns the login that is written together with the last of several options: `-sSubob:password`.
fn clustered(text: &[u8], word: &ShellWord, place: Place) -> Option<ShellWord> {
    let Place::Login(options) = place else { return None };
    let content = &text[word.start..word.end];
    if content.first() != Some(&b'-') || content.get(1) == Some(&b'-') || !content.contains(&b':') {
        return None;
    }
    let last = content[1..].iter().take(5).position(|b| options.bytes().any(|option| option == *b))?;
    (content[1..=last].iter().all(u8::is_ascii_alphabetic)).then(|| word.from(text, word.start + last + 2))
}

/// Returns the value of `NAME=value` if it is secret. `stored`: the command stores nothing but secrets.
fn assigned(text: &[u8], word: &ShellWord, stored: bool) -> Option<ShellWord> {
    let content = &text[word.start..word.end];
    let equals = content.iter().position(|b| *b == b'=')?;
    let name = &content[..equals];
    if name.is_empty() || !name.iter().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.')) {
        return None;
    }
    let value = word.from(text, word.start + equals + 1);
    let content = &text[value.start..value.end];
    let class = class_of(name).map(|(class, _)| class);
    let secret = match class {
        Some(class @ (NameClass::Password | NameClass::Secret | NameClass::Key | NameClass::PrivateKey)) => {
            looks_secret(content, class, true) || heuristics::is_word_chain(content, 3)
        }
        _ if stored => {
            looks_secret(content, NameClass::Password, true) && !heuristics::is_name(content)
                || heuristics::is_word_chain(content, 3)
        }
        _ => {
            (heuristics::is_machine_made(content) || heuristics::looks_random(content))
                && !heuristics::is_uuid(content)
                && !is_public(name)
        }
    };
    secret.then_some(value)
}

/// Whether the value of a setting is known to all: the number of a release, an address.
fn is_public(name: &[u8]) -> bool {
    static PUBLIC: WordList = WordList::new(
        "id ids url uri host sha rev commit version public release tag ref image digest hash bucket name dsn",
    );
    name.split(|b| !b.is_ascii_alphanumeric()).any(|word| PUBLIC.has(word))
}

/// Passes the values of the objects `data` and `stringData` to `on_value`.
fn json_values(text: &[u8], word: &ShellWord, on_value: &mut impl FnMut(usize, usize)) {
    let content = &text[word.start..word.end];
    let Some(open) = ["\"data\"", "\"stringData\""].iter().find_map(|name| {
        let at = memchr::memmem::find(content, name.as_bytes())?;
        Some(at + content[at..].iter().position(|b| *b == b'{')? + 1)
    }) else {
        return;
    };
    let object = &content[open..];
    let object = &object[..object.iter().position(|b| *b == b'}').unwrap_or(object.len())];
    // Every second string is a value.
    let mut quotes = memchr::memchr_iter(b'"', object);
    while let (Some(_), Some(_), Some(from), Some(to)) = (quotes.next(), quotes.next(), quotes.next(), quotes.next()) {
        if !heuristics::is_placeholder(&object[from + 1..to]) && to - from > 4 {
            on_value(word.start + open + from + 1, word.start + open + to);
        }
    }
}

/// Whether `value` is a password where a word of a sentence may be as well.
fn is_password(value: &[u8]) -> bool {
    // `system:lamps:$NAMESPACE`
    if value.windows(2).any(|pair| pair == b":$") {
        return false;
    }
    looks_secret(value, NameClass::Password, true)
        || heuristics::is_word_chain(value, 3)
        || heuristics::is_joined_words(value)
}
