//! Passwords of plain words after a clear label, where nothing but a value can stand: `POSTGRES_PASSWORD: bluewhale`,
//! `"password": "tiger-lily"`, `--password marmalade`.

use super::super::heuristics::{self, NameClass, WordList};
use super::super::names::without_widget;
use super::separator::{Separator, after_closers, skip_blanks};
use super::value::{ValueSpan, quoted};
use super::{Name, later};

/// How far before and after a value the same word makes it the name of an account or a program.
const NEAR: usize = 400;

/// Words before a label's own that make it a text of an interface: `forgotPassword: "…"`.
static OF_TEXTS: WordList = WordList::new(
    "forgot forgotten reset change changed confirm enter show hide repeat retype invalid wrong missing no your choose \
    incorrect label title placeholder text message error hint help lost recover update verify set create",
);

/// Returns the end of the password of plain words that begins where `found` does.
pub(super) fn end(text: &[u8], name: Name, found: ValueSpan, separator: Separator, class: NameClass) -> Option<usize> {
    if class != NameClass::Password || is_text(without_widget(&text[name.start..name.end])) {
        return None;
    }
    let end = if found.quoted {
        matches!(
            separator,
            Separator::Assign
                | Separator::Colon
                | Separator::Flag
                | Separator::Blank
                | Separator::Tag
                | Separator::Call
        )
        .then_some(found.end)?
    } else {
        bare_end(text, name, found, separator)?
    };
    let value = &text[found.start..end];
    (heuristics::is_plain_words(value) && !is_named_nearby(text, found.start, end)).then_some(end)
}

/// Whether a value that is stored under a name is a password of plain words.
pub(super) fn is_stored(text: &[u8], name: Name, (start, end): (usize, usize), class: NameClass) -> bool {
    class == NameClass::Password
        && !is_text(&text[name.start..name.end])
        && heuristics::is_plain_words(&text[start..end])
        && !is_named_nearby(text, start, end)
}

/// Returns the end of a value without quotes that stands where no word of a sentence or a program can.
fn bare_end(text: &[u8], name: Name, found: ValueSpan, separator: Separator) -> Option<usize> {
    let line_end =
        found.start + text[found.start..].iter().take(96).take_while(|b| !matches!(b, b'\n' | b'\r')).count();
    let rest = text.get(found.end..line_end)?.trim_ascii_end();
    let upper = text[name.start..name.end].iter().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || *b == b'_');
    let before = &text[name.start.saturating_sub(96)..name.start];
    let before = &before[before.iter().rposition(|b| *b == b'\n').map_or(0, |end| end + 1)..];
    match separator {
        Separator::Tag => Some(found.end),
        _ if name.flag => {
            let ends = text.get(found.end).is_none_or(|b| b.is_ascii_whitespace() || matches!(b, b'`' | b'"' | b'\''));
            ends.then_some(found.end)
        }
        Separator::Assign => {
            let (closed, _) = after_closers(text, name.end);
            let touches =
                text.get(closed) == Some(&b'=') && text.get(closed + 1).is_some_and(|b| !b.is_ascii_whitespace());
            if before.contains(&b'(') {
                return None;
            }
            // `user=a,password=b,vers=3.0`: one of several fields without blanks.
            let field = touches
                && matches!(text.get(found.end), Some(b',' | b';' | b'&'))
                && text[found.end + 1..line_end].iter().take_while(|b| !b.is_ascii_whitespace()).any(|b| *b == b'=');
            if field {
                return Some(found.end);
            }
            let leads = before.trim_ascii_start().is_empty()
                || before.trim_ascii() == b"export"
                || before.ends_with(b"[")
                || is_property(before);
            let whole =
                if touches { text[found.end..line_end].iter().all(|b| is_of_phrase(*b)) } else { rest.is_empty() };
            if (touches || upper || is_beside_setting(text, name, line_end)) && leads && whole {
                return Some(found.end + text[found.end..line_end].trim_ascii_end().len());
            }
            (touches && upper && text.get(found.end).is_none_or(|b| b.is_ascii_whitespace())).then_some(found.end)
        }
        Separator::Colon => {
            let leads = before.iter().all(|b| matches!(b, b' ' | b'-' | b'*' | b'>' | b'\t' | b'"' | b'\''))
                || before.ends_with(b"wifi ")
                || before.ends_with(b"WLAN-");
            let phrase = text[found.end..line_end].iter().all(|b| is_of_phrase(*b));
            if is_in_flow_mapping(before, text, found, line_end) {
                return Some(found.end);
            }
            (leads && phrase && (upper || is_beside_setting(text, name, line_end)))
                .then(|| found.end + text[found.end..line_end].trim_ascii_end().len())
        }
        _ => None,
    }
}

/// Whether a value is a field of a mapping on one line of a file of settings, beside that of its account:
/// `db: { user: reports, password: … }`.
fn is_in_flow_mapping(before: &[u8], text: &[u8], found: ValueSpan, line_end: usize) -> bool {
    let Some(open) = before.iter().rposition(|b| *b == b'{') else { return false };
    let rest = &text[found.end..line_end];
    let Some(close) = rest.iter().position(|b| *b == b'}') else { return false };
    let key = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b' ' | b'-' | b'_' | b'.' | b':' | b'"' | b'>' | b'\t');
    // In a program a word is a variable.
    let is_setting = before[..open].iter().all(key)
        && before[..open].trim_ascii().split(|b| *b == b' ').count() <= 2
        && !text[found.start..found.end].iter().any(|b| b.is_ascii_uppercase() || *b == b'.');
    let ends = matches!(rest.trim_ascii_start().first(), Some(b',' | b'}'));
    is_setting
        && ends
        && before[open + 1..]
            .split(|b| *b == b',')
            .chain(rest[..close].split(|b| *b == b','))
            .any(|field| is_field(field.trim_ascii()))
}

/// Words between a name and its password in a sentence, after a verb or not: "the password is simply …".
static FILLERS: WordList = WordList::new(
    "the a word phrase just simply only now still currently again always called wort einfach jetzt noch immer das die der \
    le la il mot simplement toujours maintenant el palabra solo siempre ahora a o palavra apenas agora sempre parola adesso \
    ancora het woord nu nog gewoon steeds ordet ord bare kun fortsatt stadig bara fortfarande s\u{142}owo teraz nadal",
);
/// Words that say that what follows is the value.
static VERBS: WordList = WordList::new(
    "is was are = ist lautet war est \u{e9}tait es era sigue siendo \u{e9} \u{e8} \u{e4}r er on jest je stays remains blijft bleibt \
    reste becomes c'est heisst hei\u{df}t",
);
/// Accounts that many systems have.
static ROLES: WordList = WordList::new("admin root guest administrator sa pi gast invitado convidado ospite");
/// What joins an account to its password.
static JOINTS: WordList = WordList::new(
    "and with und mit et avec y con e com en met och med og i z s ja ve the das le el la o il het a new neues / | - \u{2013} \u{2014}",
);
/// Words of a line that names an account, before its password.
static ACCOUNTS: WordList = WordList::new(
    "user username login account log sign mail e-mail email benutzer benutzername konto anmelden utente accesso usuario \
    usu\u{e1}rio acesso acceso utilisateur identifiant compte gebruiker gebruikersnaam inloggen inlog bruger bruker logg logga \
    anv\u{e4}ndare u\u{17c}ytkownik u\u{17e}ivatel wifi wlan wi-fi vpn router nas server host ssh rdp ftp is ist =",
);

/// Returns the password of one plain word that a sentence gives for a name and an account: "user apc, password kangaroo".
pub(super) fn said(text: &[u8], name: Name) -> Option<(usize, usize)> {
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
        let verb = VERBS.has(word);
        // Only what a verb connects may be further away: "the password for all six is …".
        let before_verb = !connected && !verb && word.len() <= 12 && word.iter().all(|b| b.is_ascii_lowercase());
        if !(verb || FILLERS.has(word) || before_verb && leads_to_verb(text, at)) {
            break;
        }
        connected |= verb;
        at = skip_blanks(text, at + word.len());
    }
    let found = quoted(text, at).filter(|found| found.quoted);
    let (start, end) = match found {
        Some(found) => (found.start, found.end),
        None => later::trimmed(text, at, at + word_at(at).len()),
    };
    let value = text.get(start..end)?;
    let spelled = found.is_some() || !value.contains(&b' ') && ends_clause(text, end);
    let line = &text[name.start.saturating_sub(120)..name.start];
    let line = &line[line.iter().rposition(|b| *b == b'\n').map_or(0, |end| end + 1)..];
    let said = if found.is_some() {
        connected || text[at - 1] == b' ' && at == skip_blanks(text, closed) && text[found?.start - 1] != b'`'
    } else if connected {
        speaks_of_account(line)
    } else {
        follows_account(line)
    };
    (spelled && said && heuristics::is_plain_words(value) && !is_named_nearby(text, start, end)).then_some((start, end))
}

/// Whether `line` has a word about an account.
fn speaks_of_account(line: &[u8]) -> bool {
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
    let is_name = account.len() <= 40 && !ACCOUNTS.has(account);
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

/// Whether what ends at `end` ends a clause.
fn ends_clause(text: &[u8], end: usize) -> bool {
    match &text[end..text.len().min(end + 2)] {
        [] | [b'\n' | b'\r' | b',' | b';' | b')', ..] | [b'.' | b'!'] => true,
        [b'.' | b'!', next] => next.is_ascii_whitespace(),
        [b' ', next] => matches!(next, b'(' | b'-'),
        _ => false,
    }
}

/// Whether a byte may be between the words of a password without quotes.
fn is_of_phrase(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || !byte.is_ascii() || matches!(byte, b' ' | b'-' | b'.' | b'\'')
}

/// Whether what precedes a name on its line is the beginning of the key of a setting: `spring.datasource.`.
fn is_property(before: &[u8]) -> bool {
    let key = before.trim_ascii_start();
    !key.is_empty() && key.iter().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'-' | b'_'))
}

/// Words of the other fields of an account, in the lines around that of its password.
static FIELDS: WordList = WordList::new(
    "user username login account email mail e-mail host hostname server url uri address port name id database db dbname ssid \
    driver benutzer benutzername konto nutzer anmeldename utente usuario usu\u{e1}rio utilisateur identifiant gebruiker \
    gebruikersnaam anv\u{e4}ndare bruger bruker u\u{17c}ytkownik u\u{17e}ivatel web link site adresse realm domain bucket",
);

/// Whether the line above that of a name or the one below it gives another field of the account.
fn is_beside_setting(text: &[u8], name: Name, line_end: usize) -> bool {
    let before = &text[name.start.saturating_sub(320)..name.start];
    let above = before.rsplit(|b| *b == b'\n').skip(1).take(2);
    let below = text.get(line_end + 1..).unwrap_or_default();
    let below = below[..below.len().min(320)].split(|b| *b == b'\n').take(2);
    above.chain(below).any(is_field)
}

/// Whether a line gives a field of an account: `user: x`, `POSTGRES_USER=x`, `- **Login:** x`.
fn is_field(line: &[u8]) -> bool {
    let Some(at) = line.iter().position(|b| matches!(b, b':' | b'=')) else { return false };
    let key = line[..at].trim_ascii_end();
    let key = &key[key.iter().position(|b| b.is_ascii_alphabetic()).unwrap_or(key.len())..];
    let key = &key[..key.iter().rposition(|b| b.is_ascii_alphanumeric() || !b.is_ascii()).map_or(0, |last| last + 1)];
    let last = key.rsplit(|b| matches!(b, b'_' | b'.' | b'-' | b' ')).next().unwrap_or_default();
    // A value follows.
    key.len() <= 32 && (FIELDS.has(last) || FIELDS.has(key)) && line.len() > at + 1 && !line[at + 1..].contains(&b'(')
}

/// Whether a name is that of a text about a password, in a list of translations or messages.
fn is_text(name: &[u8]) -> bool {
    let start = |at: usize| {
        at == 0
            || !name[at - 1].is_ascii_alphabetic()
            || name[at].is_ascii_uppercase() && name[at - 1].is_ascii_lowercase()
    };
    (0..name.len()).filter(|at| start(*at)).any(|at| {
        let length = 1 + name[at + 1..].iter().take_while(|b| b.is_ascii_lowercase()).count();
        OF_TEXTS.has(&name[at..at + length])
    })
}

/// Whether a value occurs as a word of its own near its place: it is the name of an account or a program, too.
fn is_named_nearby(text: &[u8], start: usize, end: usize) -> bool {
    let value = &text[start..end];
    let is_word = |at: usize| {
        let part = |b: Option<&u8>| b.is_some_and(u8::is_ascii_alphanumeric);
        !part(at.checked_sub(1).and_then(|at| text.get(at))) && !part(text.get(at + value.len()))
    };
    let low = start.saturating_sub(NEAR);
    let window = &text[low..text.len().min(end + NEAR)];
    memchr::memmem::find_iter(window, value).map(|at| low + at).any(|at| at != start && is_word(at))
}

#[cfg(test)]
mod tests {
    use crate::redact::canaries::{SEED, fill, scrub};

    #[test]
    fn values_are_found_in_notations_of_settings_forms_and_tags() {
        let made = fill("Wq<a7>4z", SEED);
        for password in [made.as_str(), "lemonsqueezy"] {
            for template in [
                "db: { user: reports, password: @ }\n",
                "  main: {host: db1, username: app, password: @, pool: 5}\n",
                "user%5Bname%5D=kim&user%5Bpassword%5D=@&commit=Log+in\n",
                "<wsse:Password Type=\"urn:x#PasswordText\">@</wsse:Password>",
                "<property name=\"password\" type=\"string\">@</property>",
                "<key>password</key>\n<string>@</string>",
                "try keychain.set(\"@\", forKey: \"syncPassword\")\n",
                "passwordController.text = '@';\n",
                "passwordField.setText(\"@\");\n",
                "[7] password=@ host=dynamic context=internal\n",
            ] {
                let scrubbed = scrub(&template.replace('@', password));
                assert!(!scrubbed.contains(password), "{scrubbed}");
            }
        }
        assert!(!scrub("[7] secret=front door bell host=dynamic\n").contains("bell"));
    }

    #[test]
    fn variables_and_texts_in_such_notations_stay() {
        for text in [
            "login({ username: name, password: userInput })\n",
            "type Login = { username: string, password: string }\n",
            "password=redacted by policy host=b\n",
            "set(\"Enter it\", forKey: \"password\")\n",
            "passwordLabel.text = 'Password';\n",
            "<label for=\"password\" class=\"x\">Password</label>",
        ] {
            assert_eq!(scrub(text), text);
        }
    }
}
