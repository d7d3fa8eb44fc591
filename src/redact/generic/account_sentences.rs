//! Passwords of plain words in sentences that name an account, too: "user apc, password kangaroo", "the password of the
//! server is still cat with boots, user deploy".

use super::super::heuristics::{self, WordList};
use super::super::text::{contains_ignoring_case, first_line, last_line};
use super::prose::is_finnish;
use super::separator::{after_closers, skip_blanks};
use super::span::{ends_clause, quoted};
use super::{Name, later};

/// Words between a name and its password in a sentence, after a verb or not: "the password is simply …".
static FILLERS: WordList = WordList::new(
    "the a word phrase just simply only now still currently again always called wort einfach jetzt noch immer das die der \
    le la il mot simplement toujours maintenant el palabra solo siempre ahora o palavra apenas agora sempre parola adesso \
    ancora het woord nu nog gewoon steeds ordet ord bare kun fortsatt stadig bara fortfarande s\u{142}owo teraz nadal",
);
/// Words that say that what follows is the value.
static VERBS: WordList = WordList::new(
    "is was = ist lautet war est \u{e9}tait es era sigue siendo \u{e9} \u{e8} \u{e4}r er jest je stays remains blijft bleibt \
    reste becomes c'est heisst hei\u{df}t",
);
/// Words of a sentence that gives no password: "the password is not …".
static NEGATIONS: WordList =
    WordList::new("not never no nicht nie pas jamais n\u{e3}o non niet nooit inte ikke aldrig aldri ei");
/// Words before a verb whose subject is not the password: "the password as it is possible to …".
static PRONOUNS: WordList = WordList::new("as it if when because since that which there what es il elle");
/// Words that are no account, between a word for one and a password: "the address of the key".
static PREPOSITIONS: WordList =
    WordList::new("of for to in on at de del du des di da do das dos von van f\u{fc}r f\u{f6}r til till av");
/// Accounts that many systems have.
static ROLES: WordList = WordList::new("admin root guest administrator sa pi gast invitado convidado ospite");
/// What joins an account to its password.
static JOINTS: WordList = WordList::new(
    "initial temporary default new old current and with und mit dem den et avec y con e com en met och med og i z s ja ve the \
    das le el la o il het a neues come als som comme como as / | - \u{2013} \u{2014}",
);
/// Words of a line that names an account, before its password.
static ACCOUNTS: WordList = WordList::new(
    "user username login account log sign mail e-mail email benutzer benutzername konto anmelden utente accesso usuario \
    usu\u{e1}rio acesso acceso utilisateur identifiant compte gebruiker gebruikersnaam inloggen inlog bruger bruker logg logga \
    anv\u{e4}ndare u\u{17c}ytkownik u\u{17e}ivatel wifi wlan wi-fi vpn router nas server host ssh rdp ftp is ist = kontot kontoen kontoja \
    inloggning inloggningen innlogging innloggingen signs network ssid netzwerk netz r\u{e9}seau rete rede netwerk n\u{e4}tverk \
    nome nutzer",
);

/// Returns the password of one plain word that a sentence gives for a name and an account: "user apc, password kangaroo".
pub(super) fn password(text: &[u8], name: Name) -> Option<(usize, usize)> {
    let (closed, _) = after_closers(text, name.end);
    let mut at = skip_blanks(text, closed);
    if at == closed {
        return None;
    }
    let word_at = |at: usize| {
        let length = text[at..].iter().take(48).take_while(|b| !b.is_ascii_whitespace()).count();
        &text[at..at + length]
    };
    let mut connected = false;
    for _ in 0..6 {
        let word = word_at(at);
        let verb = VERBS.has(word) || word == b"on" && is_finnish(text, name);
        if NEGATIONS.has(word) || !connected && PRONOUNS.has(word) {
            return None;
        }
        // Only what a verb connects may be further away: "the password for all six is …".
        let before_verb = !connected && !verb && word.len() <= 12 && word.iter().all(|b| b.is_ascii_lowercase());
        if !(verb || FILLERS.has(word) || before_verb && leads_to_verb(text, at)) {
            break;
        }
        connected |= verb;
        at = skip_blanks(text, at + word.len());
    }
    let before = last_line(&text[name.start.saturating_sub(120)..name.start]);
    if let Some(found) = quoted(text, at).filter(|found| found.quoted) {
        let value = &text[found.start..found.end];
        let beside = at == skip_blanks(text, closed) && (text[found.start - 1] != b'`' || follows_account(before));
        let of_phrase = contains_ignoring_case(&text[name.start..name.end], b"phrase");
        let fits = heuristics::is_marked_words(value) || (connected || of_phrase) && heuristics::is_spaced_words(value);
        return ((connected || beside) && fits).then_some((found.start, found.end));
    }
    let (start, end) = later::trimmed(text, at, at + word_at(at).len());
    let said = if connected { names_account(before) } else { follows_account(before) };
    if said && ends_clause(text, end) && heuristics::is_marked_words(&text[start..end]) {
        return Some((start, end));
    }
    let end = clause_end(text, at);
    let value = text.get(at..end)?;
    let after = first_line(&text[end..text.len().min(end + 60)]);
    let named = || names_account(before) || names_account(after) || says_blanks(after);
    let joined = || before.trim_ascii_end().ends_with(b",") && matches!(text.get(end), None | Some(b'\n'));
    (connected && (is_title(value) || named() && heuristics::is_spaced_words(value)) || joined() && is_title(value))
        .then_some((at, end))
}

/// Whether a value is three words or more of which each has a capital, as the title of a book: "Quiet Please Reading".
fn is_title(value: &[u8]) -> bool {
    let words = value.split(|b| *b == b' ');
    let count = words.clone().count();
    let capital =
        |word: &[u8]| word.len() >= 2 && word[0].is_ascii_uppercase() && word[1..].iter().all(u8::is_ascii_lowercase);
    let plain = words.clone().filter(|word| heuristics::is_plain_part(word)).count();
    (3..=7).contains(&count) && words.clone().all(capital) && plain * 2 >= count
}

/// Whether what follows a value says that its blanks belong to it: ", with the spaces".
fn says_blanks(after: &[u8]) -> bool {
    [&b"space"[..], b"spazi", b"espac", b"leerzeichen", b"in one word", b"lower case", b"lowercase", b"minuscul"]
        .iter()
        .any(|word| contains_ignoring_case(after, word))
}

/// Returns the end of the clause that begins at `at`.
fn clause_end(text: &[u8], at: usize) -> usize {
    let rest = &text[at..text.len().min(at + 64)];
    let ends = |at: &usize| match rest[*at] {
        b'\n' | b',' | b';' | b'(' | b')' | b'"' | b'`' | b'=' => true,
        b'.' | b'!' | b'?' => rest.get(at + 1).is_none_or(u8::is_ascii_whitespace),
        _ => false,
    };
    at + (0..rest.len()).find(ends).unwrap_or(0)
}

/// Whether `line` has a word about an account.
fn names_account(line: &[u8]) -> bool {
    words_of(line).any(|word| ACCOUNTS.has(word) || ROLES.has(word))
}

fn words_of(line: &[u8]) -> impl DoubleEndedIterator<Item = &[u8]> {
    line.split(|b| b.is_ascii_whitespace() || matches!(b, b'"' | b'`' | b'\'' | b'*' | b'(' | b','))
        .filter(|word| !word.is_empty())
}

/// Whether `line` ends with the name of an account and what joins it to its password: "user apc, and the".
fn follows_account(line: &[u8]) -> bool {
    let mut words = words_of(line).rev().peekable();
    while words.next_if(|word| JOINTS.has(word)).is_some() {}
    let comma = line.trim_ascii_end().ends_with(b",") || line.trim_ascii_end().ends_with(b"/");
    let joined = comma || words_of(line).next_back().is_some_and(|word| JOINTS.has(word));
    let Some(account) = words.next() else { return false };
    let is_name = account.len() <= 40 && !ACCOUNTS.has(account) && !PREPOSITIONS.has(account);
    // "with `apc` and the password …"
    let (before, quote) = match memchr::memmem::rfind(line, account) {
        Some(at) => (line[..at].strip_suffix(b"`").unwrap_or(&line[..at]), line.get(at + account.len())),
        None => (line, None),
    };
    static WITH: WordList = WordList::new("with using as mit als avec con com met med");
    if quote == Some(&b'`') && words_of(before).next_back().is_some_and(|word| WITH.has(word)) {
        return joined;
    }
    joined
        && (ROLES.has(account)
            || is_name && words.take(2).any(|word| ACCOUNTS.has(word.strip_suffix(b":").unwrap_or(word))))
}

/// Whether a verb follows the word at `at` on its line within a few plain words.
fn leads_to_verb(text: &[u8], at: usize) -> bool {
    let rest = &text[at..text.len().min(at + 48)];
    let rest = &rest[..rest
        .iter()
        .position(|b| matches!(b, b'\n' | b'.' | b',' | b';' | b'(' | b'"' | b'`'))
        .unwrap_or(rest.len())];
    let words = rest.split(|b| *b == b' ').take(5);
    words.skip(1).any(|word| VERBS.has(word))
}

#[cfg(test)]
mod tests {
    use crate::redact::canaries::scrub;

    #[test]
    fn words_beside_an_account_are_passwords() {
        for (password, templates) in [
            (
                "marmalade",
                &[
                    "login is admin and the password simply @.",
                    "User apc, and the password for all six is @.",
                    "Logga in med kontot anna, l\u{f6}senordet \u{e4}r @.",
                    "network \"Fair\", password @, ask for more",
                    "mit `werkstatt` und dem Passwort `@` anmelden",
                ][..],
            ),
            ("otter's-kettle", &["utente \"magazzino\", password @", "user \"owner\", password @\n", "admin, senha @"]),
            (
                "copper kettle",
                &["the password of the server is @, user deploy.", "Die Passphrase ist @, mit Leerzeichen."],
            ),
            ("Quiet Lamp Reading", &["Your passphrase for the first week is @.", "shop: same address, pw @\n"]),
        ] {
            for template in templates {
                let scrubbed = scrub(&template.replace('@', password));
                assert!(!scrubbed.contains(password), "{scrubbed}");
            }
        }
    }

    #[test]
    fn sentences_about_passwords_stay() {
        for text in [
            "The user password is incorrect. The admin password is required.",
            "Enter the username and password entries (both are needed).",
            "De gebruiker heeft drie verschillende wachtwoorden geprobeerd.",
            "The login password is too short, user deploy must change it.",
            "Das Passwort ist falsch, Benutzer gesperrt.",
            "The account password is kept on file, ask Linda.",
            "the `password` parameter is analogous to `web3.personal.sign`",
            "login form: user, password, submit",
            "user postgres, password required",
        ] {
            assert_eq!(scrub(text), text);
        }
    }
}
