//! What the words around a name in a sentence say of it: whose it is, whether it is a verb, a condition or part of another.

use super::super::super::heuristics::WordList;
use super::super::super::text::{contains_ignoring_case, last_line};
use super::super::Name;
use super::super::separator::{after_closers, skip_blanks};
use super::super::span::ValueSpan;
use super::words::COMPOUNDS;
use super::{last_word, word_at};

/// Whether the word after a name makes it part of another.
pub(super) fn is_compound(text: &[u8], name: Name) -> bool {
    static VERBS: WordList = WordList::new("no not never can cannot will would may has have had and or");
    let (at, _) = after_closers(text, name.end);
    word_at(text, skip_blanks(text, at)).is_some_and(|word| COMPOUNDS.has(word) && !VERBS.has(word))
}

/// Whether the word before a name says that it is somebody's: "my key".
pub(super) fn is_own(text: &[u8], name: Name) -> bool {
    static OWNERS: WordList =
        WordList::new("my our your their mein meine unser unsere mon notre mi nuestra minha nossa mijn onze мой наш");
    // The name may begin with it.
    let word = &text[name.start..name.end];
    let first = word.iter().take_while(|b| **b != b' ').count();
    OWNERS.has(last_word(text[name.start.saturating_sub(16)..name.start].trim_ascii_end()))
        || OWNERS.has(&word[..first])
}

/// Whether the word before a name says whose password it is: "phone password".
pub(super) fn is_of_owner(text: &[u8], name: Name) -> bool {
    static OWNERS: WordList = WordList::new(
        "phone telephone telefon keystore truststore zip archive pdf guest admin root master sudo wifi wlan wi-fi router door",
    );
    OWNERS.has(last_word(text[name.start.saturating_sub(16)..name.start].trim_ascii_end()))
}

/// Whether the verb that leads to a value stands before its name, as in German: "lautet das Passwort …".
pub(super) fn is_inverted(text: &[u8], name: Name) -> bool {
    let line = last_line(&text[name.start.saturating_sub(24)..name.start]);
    ["lautet das ", "lautete das ", "ist das ", "lautet dein ", "lautet euer ", "lautet der "]
        .iter()
        .any(|verb| line.ends_with(verb.as_bytes()))
}

/// Whether the clause before a name is about a digest of it: "the SHA-256 fingerprint of the key is …".
pub(super) fn is_of_digest(text: &[u8], name: Name) -> bool {
    static DIGESTS: WordList = WordList::new("fingerprint fingerprints thumbprint thumbprints checksum digest");
    static LINKS: WordList =
        WordList::new("of the this that a an our your its for signing host public server client ssh");
    let line = last_line(&text[name.start.saturating_sub(64)..name.start]);
    let mut words = line.split(|b| b.is_ascii_whitespace()).rev().filter(|word| !word.is_empty()).peekable();
    let mut of = false;
    while let Some(link) = words.next_if(|word| LINKS.has(word)) {
        of |= link == b"of";
    }
    of && words.next().is_some_and(|word| DIGESTS.has(word))
}

/// Whether the clause of a name is a condition: "if the password is ascii".
pub(super) fn is_condition(text: &[u8], name: Name) -> bool {
    static CONDITIONS: WordList = WordList::new("if whether unless when once until while where");
    let line = last_line(&text[name.start.saturating_sub(40)..name.start]);
    let clause = line.rsplit(|b| matches!(b, b',' | b'.' | b';')).next().unwrap_or_default();
    clause.split(u8::is_ascii_whitespace).any(|word| CONDITIONS.has(word))
}

/// Whether a user is named in the clause before a name: "user anna, password …".
pub(in super::super) fn is_after_user(text: &[u8], name: Name) -> bool {
    static LINKS: WordList = WordList::new("and und et y e en och og i a with mit the or oder ou o");
    static USERS: WordList = WordList::new("admin root administrator");
    static ACCOUNTS: WordList = WordList::new(
        "user username login account benutzer benutzername konto utente usuario usu\u{e1}rio utilisateur identifiant gebruiker \
        gebruikersnaam inlog anv\u{e4}ndare bruger brugernavn bruker brukernavn k\u{e4}ytt\u{e4}j\u{e4} u\u{17c}ytkownik u\u{17e}ivatel \
        kullan\u{131}c\u{131}",
    );
    let before = &text[name.start.saturating_sub(64)..name.start];
    let line = last_line(before);
    let is_part = |b: &u8| !b.is_ascii() || b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.' | b'@');
    let mut words = line.split(|b| !is_part(b)).filter(|word| !word.is_empty());
    // "the username and password" names none.
    while let Some(word) = words.next() {
        if USERS.has(word) || ACCOUNTS.has(word) && words.clone().any(|word| !LINKS.has(word)) {
            return true;
        }
    }
    false
}

/// Whether a name is the verb "pass": no user or login is named shortly before it on its line.
pub(super) fn is_verb(text: &[u8], name: Name) -> bool {
    const OWNERS: &[&[u8]] = &[b"user", b"login", b"account", b"admin", b"root", b"mail", b"with ", b"using "];
    static SUBJECTS: WordList = WordList::new(
        "to can must should may also we you they then not will can't cannot and or don't never always just i",
    );
    let line = last_line(&text[name.start.saturating_sub(40)..name.start]);
    let before = last_word(line.trim_ascii_end());
    is_pass(text, name) && (SUBJECTS.has(before) || !OWNERS.iter().any(|owner| contains_ignoring_case(line, owner)))
}

/// Whether a name is a word for a password in Finnish, where `on` means `is`.
pub(in super::super) fn is_finnish(text: &[u8], name: Name) -> bool {
    text[name.start..name.end].get(..7).is_some_and(|start| start.eq_ignore_ascii_case(b"salasan"))
}

/// Whether a name is the word "pass", which is a verb as well.
pub(super) fn is_pass(text: &[u8], name: Name) -> bool {
    text[name.start..name.end].eq_ignore_ascii_case(b"pass")
}

/// Whether a value begins like the word of its name, as in a list of functions or files.
pub(super) fn is_sibling(text: &[u8], name: Name, found: ValueSpan) -> bool {
    let start = name.start - last_word(&text[name.start.saturating_sub(64)..name.start]).len();
    let (word, value) = (&text[start..name.end], &text[found.start..found.end]);
    word.iter().zip(value).take_while(|(a, b)| a == b).count() >= 4
}
