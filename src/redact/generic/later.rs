//! Passwords that a later clause gives for a name: "root password expired, changed it to X", "… does not work, try X".

use super::super::heuristics::{self, NameClass, WordList, looks_secret};
use super::beside::NAMED;
use super::{Name, accounts};

/// How far after the name the value may be.
const MAX_DISTANCE: usize = 240;
/// Words before such a value, in several languages.
static INTRODUCTIONS: WordList = WordList::new(
    "z \u{e0} from von van da is it's its was now try to still use with be used ist lautet ist's auf jetzt zu mit est c'est maintenant \
    avec en es ahora a con \u{e9} agora para com \u{e8} ora in adesso naar nu nog steeds met \u{e4}r till med er til on nyt \
    jest teraz na je te\u{10f} olarak \u{f6}r artik por par",
);
/// Words that say that the password was changed, or that another is to be used instead.
static CHANGES: WordList = WordList::new(
    "prueba prob\u{e1} essaie essayez probier probiere versuch nimm prova tenta probeer pr\u{f8}v f\u{f6}rs\u{f6}k kokeile spr\u{f3}buj zkus dene попробуй спробуй current aktuelle actuelle attuale changed change changing reset r\u{e9}initialis\u{e9} zur\u{fc}ckgesetzt restablecida restablecido reimpostata redefinida teruggezet nollst\u{e4}llt \
     set rotated updated switched replaced new it's its try ge\u{e4}ndert gesetzt neu neue \
    neues ist's chang\u{e9} modifi\u{e9} nouveau c'est cambi\u{e9} cambiado cambiada cambi\u{f3} nueva mudei mudou alterada alterado \
    nova cambiato cambiata cambiai nuova gewijzigd veranderd nieuwe \u{e4}ndrat \u{e4}ndrats bytts \u{e4}ndrade bytt bytte nytt \u{e6}ndret skiftet ny endret byttet vaihdettiin \
    vaihdoin uusi zmienione zmieni\u{142}em zmieniono nowe zm\u{11b}nil zm\u{11b}n\u{11b}no nov\u{e9} de\u{11f}i\u{15f}ti yeni \
    поменяли сменили изменили remplac\u{e9} trocamos trocada troquei cambiamos поменял поменяла сменил сменила изменил изменён новый теперь змінив змінено новий тепер",
);

/// Passes the passwords that a clause after the name gives to `found`.
pub(super) fn values(text: &[u8], name: Name, mut found: impl FnMut(usize, usize)) {
    let window = &text[name.end..text.len().min(name.end + MAX_DISTANCE)];
    // A paragraph or a block of code ends what was said.
    let ends = [&b"\n\n"[..], b"\n\r\n", b"```", b"\n#", b"\n|", b"{\n", b";\n"];
    let end = ends.iter().filter_map(|end| memchr::memmem::find(window, end)).min().unwrap_or(window.len());
    let window = &window[..end];
    if !window.iter().any(|b| b.is_ascii_digit() || *b == b'-') {
        return;
    }
    let (mut at, mut before, mut changed): (usize, &[u8], bool) = (0, b"", said_before(text, name));
    while at < window.len() {
        at += window[at..].iter().take_while(|b| b.is_ascii_whitespace()).count();
        let length = window[at..].iter().take_while(|b| !b.is_ascii_whitespace()).count();
        let word = &window[at..at + length];
        if INTRODUCTIONS.has(before) || !before.is_ascii() && is_introduction(before) {
            let (start, end) = trimmed(text, name.end + at, name.end + at + length);
            let value = &text[start..end];
            let named = NAMED.has(&value[..value.iter().take_while(|b| b.is_ascii_alphabetic()).count()]);
            if is_strong(value) && !named || changed && is_plain(value) {
                found(start, end);
            }
        }
        // "the laptop has a new password, too (X)"
        if changed && word.starts_with(b"(") && memchr::memchr(b')', word).is_some() {
            let (start, end) = trimmed(text, name.end + at, name.end + at + length);
            if is_bracketed(&text[start..end]) {
                found(start, end);
            }
        }
        before = word.strip_suffix(b":").unwrap_or(word);
        changed |= CHANGES.has(before.strip_suffix(b",").unwrap_or(before));
        at += length;
    }
    if !window.is_ascii() {
        in_wide_brackets(text, (name.end, name.end + window.len()), found);
    }
}

/// Whether a word in brackets after a changed password is the new one.
fn is_bracketed(value: &[u8]) -> bool {
    let digit = value.iter().any(u8::is_ascii_digit);
    // `account=X`, `see:X`
    if value.iter().any(|b| matches!(b, b'=' | b':' | b'/')) {
        return false;
    }
    is_strong(value) || is_plain(value) || digit && value.contains(&b'-') && heuristics::is_marked_words(value)
}

/// Passes the password in wide brackets to `found` if the words before say that it is new: `密码也改了（X）`.
fn in_wide_brackets(text: &[u8], (from, to): (usize, usize), mut found: impl FnMut(usize, usize)) {
    let Some(open) = memchr::memmem::find(&text[from..to], "（".as_bytes()) else { return };
    let before = &text[from.saturating_sub(24)..from + open];
    let changed = ["改", "换", "換", "变更", "変更", "新", "重置", "リセット"]
        .iter()
        .any(|word| memchr::memmem::find(before, word.as_bytes()).is_some());
    let start = from + open + "（".len();
    let Some(length) = memchr::memmem::find(&text[start..to], "）".as_bytes()).filter(|_| changed) else { return };
    let value = &text[start..start + length];
    if value.iter().all(u8::is_ascii_graphic) && is_bracketed(value) {
        found(start, start + length);
    }
}

/// Whether the clause before the name says that it was changed: "I changed the password …".
fn said_before(text: &[u8], name: Name) -> bool {
    let before = &text[name.start.saturating_sub(32)..name.start];
    let line = &before[before.iter().rposition(|b| matches!(b, b'\n' | b'.')).map_or(0, |end| end + 1)..];
    line.split(|b| *b == b' ').any(|word| CHANGES.has(word))
}

fn is_introduction(word: &[u8]) -> bool {
    const OTHERS: [&str; 8] = ["на", "это", "такой", "теперь", "пароль", "—", "→", "–"];
    OTHERS.iter().any(|other| other.as_bytes() == word)
}

/// Returns a word without the quotes around it and the marks of the sentence after it.
pub(in super::super) fn trimmed(text: &[u8], mut start: usize, mut end: usize) -> (usize, usize) {
    while start < end && matches!(text[start], b'"' | b'\'' | b'`' | b'(' | b'*' | b'_' | b'>') {
        start += 1;
    }
    // Scripts that put no blank after their marks.
    if start < end && text[start].is_ascii() && !text[start..end].is_ascii() {
        end = start + text[start..end].iter().position(|b| *b >= 0xe3).unwrap_or(end - start);
    }
    while start < end && matches!(text[end - 1], b'"' | b'\'' | b'`' | b')' | b',' | b'.' | b';' | b':' | b'?' | b'_') {
        end -= 1;
    }
    if end < text.len() && text[start.saturating_sub(1)] == b'*' {
        while start < end && text[end - 1] == b'*' {
            end -= 1;
        }
    }
    (start, end)
}

/// Returns a word without the marks of the sentence after it.
pub(super) fn trimmed_word(word: &[u8]) -> &[u8] {
    let end = word.iter().rposition(|b| !matches!(b, b'.' | b',' | b';' | b'!' | b'?')).map_or(0, |last| last + 1);
    &word[..end]
}

/// Whether a word looks like a password wherever it stands: letters, digits, and a mark that no name has.
pub(in super::super) fn is_strong(value: &[u8]) -> bool {
    let letters = value.iter().filter(|b| b.is_ascii_alphabetic()).count();
    let marks = value.iter().filter(|b| b"!#$%&*?@+".contains(b)).count();
    (8..=40).contains(&value.len())
        && letters >= 3
        && value.iter().any(u8::is_ascii_digit)
        && (1..=4).contains(&marks)
        && !value.iter().any(|b| b"(){}[]<>=\"'\\/:,;|`~".contains(b))
        && !value.is_empty()
        && !matches!(value[0], b'$' | b'@' | b'#' | b'&' | b'%' | b'*' | b'+' | b'-')
        && !is_address(value)
        && looks_secret(value, NameClass::Password, false)
}

/// Whether a value is an address of mail, or a number with its unit.
fn is_address(value: &[u8]) -> bool {
    value.iter().position(|b| *b == b'@').is_some_and(|at| value[at..].contains(&b'.'))
        || value.last() == Some(&b'%')
        || value.last() == Some(&b'+')
            && value[..value.len() - 1].iter().all(|b| b.is_ascii_alphanumeric())
            && value.iter().filter(|b| b.is_ascii_digit()).count() < 3
        || memchr::memmem::find(value, b"%20").is_some()
}

/// Whether a word looks like a plain password: letters and at least two digits, and neither a name nor a version.
pub(in super::super) fn is_plain(value: &[u8]) -> bool {
    let digits = value.iter().filter(|b| b.is_ascii_digit()).count();
    let letters = value.iter().filter(|b| b.is_ascii_alphabetic()).count();
    // The looks of a whole value last: they take longest.
    heuristics::is_word_chain(value, 3)
        || is_marked_pair(value)
        || heuristics::is_joined_words(value)
        || value.len() <= 40
            && value.iter().any(u8::is_ascii_uppercase)
            && !value.contains(&b'/')
            && !value.iter().all(u8::is_ascii_hexdigit)
            && heuristics::looks_random(value)
            && !heuristics::is_uuid(value)
        || value.len() >= 8
            && digits >= 2
            && letters >= 4
            && !value.iter().any(|b| b"(){}[]<>=\"'\\/:,;|`~.@".contains(b))
            && !value.iter().all(u8::is_ascii_hexdigit)
            && !value.iter().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || matches!(b, b'-' | b'_'))
            && !accounts::is_ticket(value)
            && looks_secret(value, NameClass::Password, false)
}

/// Whether a value is two words with a mark between them: `Copper#Lantern`.
pub(super) fn is_marked_pair(value: &[u8]) -> bool {
    let mut marks = value.iter().enumerate().filter(|(_, b)| !b.is_ascii_alphabetic());
    let (Some((at, mark)), None) = (marks.next(), marks.next()) else { return false };
    let (first, second) = (&value[..at], &value[at + 1..]);
    let capital = |word: &[u8]| word[0].is_ascii_uppercase() && word[1..].iter().all(u8::is_ascii_lowercase);
    b"#!$%&*+@".contains(mark)
        && (4..=12).contains(&first.len())
        && (4..=12).contains(&second.len())
        && (capital(first) && capital(second)
            || *mark != b'#' && value.is_ascii() && value.iter().all(|b| !b.is_ascii_uppercase()))
        && looks_secret(value, NameClass::Password, true)
}

#[cfg(test)]
mod tests {
    use crate::redact::canaries::{SEED, fill, scrub};

    #[test]
    fn values_of_later_clauses_are_found() {
        for password in [fill("Wq<a7>4z", SEED), "otter".to_owned() + "!" + "pebble42"] {
            for template in [
                "root password expired, changed it to @",
                "Password was reset. It is now set to @",
                "if the password doesn't work try @",
                "I had to reset your password, the new one is @.",
                "hasło zmienione wczoraj, teraz jest @",
                "La contraseña no funciona, prueba con @",
                "поменял пароль на @",
                "jo: anyone knows the admin password of the old wiki?\nmax: it's @\n",
                "ana: ¿cuál es la contraseña de la base?\nluis: es @\n",
                "root password in the wiki is outdated, the current one is @",
                "New password for the VPN\n\n    @\n\nPlease don't share.\n",
                "Datorn fick nytt lösenord samtidigt (@).",
                "Заодно сменили пароль на ноутбуке (@).",
                "电脑密码也改了（@）。",
            ] {
                let scrubbed = scrub(&template.replace('@', &password));
                assert!(!scrubbed.contains(&password), "{scrubbed}");
            }
        }
    }

    #[test]
    fn other_clauses_about_passwords_stay() {
        for text in [
            "If the password doesn't work try resetting it, or try v2.3.1 / try Chrome-120.",
            "I changed the password field to type=password and the label to newPassword2.",
            "The password was changed in 3f2a9c1b, see ABC-1234 and use OpenSSL 3.0.13 with utf8mb4.",
            "jo: what's the root pw?\nmax: dunno, ask Peter\n",
            "[10:02] jo: anyone knows the admin password?\n[10:04] max: it's in 1Password\n",
            "Q: what is the password policy?\nA: At least 12 characters, see ISO-27001.\n",
            "jo: what's the wifi password?\nmax: it's on the blackboard\n",
            "Which password goes where?\n\nsasl.mechanism=SCRAM-SHA-256\nprotocol=TLS\n",
            "The secret scanner flags ids of files. Ignore these:\n\nmigrations/20240101T081544_add_tokens.sql\n",
            "login:\n    title: Connexion\n    show_password: Montrer\n    token: x\n",
            "session:user:118204:profile\n",
            "novo: usuário ou senha alterada (conta=svc-Fiscal.2), password changed in v2 (see RFC-2104)",
        ] {
            assert_eq!(scrub(text), text);
        }
    }
}
