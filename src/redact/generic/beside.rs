//! Passwords that look like a word with a number, where what stands directly before them gives them for an account:
//! "unlock with X", "utente marta, pw X", "till – marta – X", "marta@example.org - X".
//!
//! Names of products, people and machines look the same. So words about an account are not enough, as they are for
//! stronger looks: a word, a mark or an account must lead to the value.

use super::super::heuristics::{self, WordList};
use super::super::text::last_line;
use super::OnFinding;
use super::chosen::{LABEL, is_mail_address, is_near_account, speaks_of_account, word_at};
use super::later::{is_plain, is_strong, trimmed};

/// How far before a password words about an account may be, and how far after it.
const BEFORE: usize = 160;
const AFTER: usize = 60;
/// The longest word that is looked at.
const MAX_WORD: usize = 32;

/// Words that lead to a password after words about an account: "unlock with", "changed from".
static LEADS: WordList = WordList::new(
    "with so from try use using mit nimm von con prova usa da usando de avec com met van med fr\u{e5}n fra z",
);
/// Words that lead to a password after a word for one, or for what was asked: "it is", "the new one is".
static COPULAS: WordList = WordList::new(
    "is it's its was now old new previous current so ist ist's lautet war jetzt neu neue neues vorher alt altes \
    \u{e8} era ora nuova vecchia es ahora nueva antigua vieja est c'est maintenant nouveau ancien \
    \u{e9} agora nova antiga nu nieuw nieuwe oud oude \u{e4}r nytt nya gammalt er ny nye gamle n\u{e5} on uusi vanha \
    jest teraz nowe stare je nov\u{e9} star\u{e9} yeni eski neuer alter neuen alten \
    новый старый теперь прежний сейчас новий старий",
);
/// Words between an account and its password.
static JOINTS: WordList = WordList::new("and und et y e en och og ja i a ve plus & + then dann puis luego poi");
/// Words for a password; what follows them is one.
static PASSWORDS: WordList = WordList::new(
    "password passwort kennwort pw pwd pass passw passcode passphrase pword passwd ww wachtwoord mdp clave contrase\u{f1}a senha l\u{f6}senord l\u{f6}senordet \
    l\u{f6}sen adgangskode adgangskoden kode koden kod passord passordet salasana has\u{142}o has\u{142}em heslo \u{15f}ifre \u{15f}ifresi parola parolas\u{131} \
    code kodeord kodeordet chiave passe пароль пароля паролі",
);
/// Words before the old one of two passwords.
static SOURCES: WordList = WordList::new("from fra fr\u{e5}n von da de");
/// Words that say that a word is to be typed or said, and "word" itself.
static WORD: WordList =
    WordList::new("word wort kennwort ordet woord palabra parola mot sana s\u{142}owo slovo kelime");
/// What is not a password where it follows a word for an account.
static USERS: WordList = WordList::new(
    "user username login account name id benutzer benutzername konto utente usuario usu\u{e1}rio utilisateur identifiant \
    gebruiker gebruikersnaam inlog anv\u{e4}ndare anv\u{e4}ndarnamn bruger brugernavn bruker brukernavn k\u{e4}ytt\u{e4}j\u{e4} u\u{17c}ytkownik \
    u\u{17e}ivatel kullan\u{131}c\u{131} host hostname agent type policy plan team server machine computer device tenant project repo repository branch version ssid network",
);
/// Words for an account in a cell of a list.
static CELLS: WordList = WordList::new(
    "user username login mail email e-mail account benutzer konto utente usuario usu\u{e1}rio utilisateur identifiant gebruiker inlog \
    anv\u{e4}ndare bruger bruker k\u{e4}ytt\u{e4}j\u{e4} u\u{17c}ytkownik u\u{17e}ivatel kullan\u{131}c\u{131} admin",
);
/// What names with a number begin with: products, machines, months and rooms.
pub(super) static NAMED: WordList = WordList::new(
    "windows office server ubuntu debian fedora centos redhat macos android chrome chromium firefox safari python node nodejs \
    java postgres postgresql mysql mariadb oracle sqlserver exchange sharepoint autocad photoshop excel outlook word visualstudio \
    studio project sage autodesk solidworks acrobat latest stable release rev build issue ticket case order invoice \
    client laptop notebook desktop printer station terminal kiosk tablet worker phone iphone ipad galaxy pixel thinkpad latitude \
    camera switch router accesspoint gateway firewall host rack room floor zone team group class grade year site store \
    shop branch reception student pupil teacher guest visitor patient nurse doctor employee staff operator cashier \
    driver member customer user users admin account sysadmin backup web mail file print proxy cluster \
    january february march april may june july august september october november december \
    januar februar juni juli oktober dezember error code status event port line page chapter section figure table \
    covid agenda budget report survey conference summit olympics euro \
    benutzer utente usuario utilisateur gebruiker bruger bruker \
    dashboard filesystem backend frontend module package library partition volume disk drive snapshot container lesson unit level",
);

/// Whether a letter, what joins it to a number, and two digits begin at `at`, as 1 or 0.
pub(in super::super) fn is_place<const WINDOW: usize>(window: &[u8; WINDOW], at: usize) -> u8 {
    let lower = |byte: u8| u8::from(byte.wrapping_sub(b'a') < 26);
    let digit = |byte: u8| u8::from(byte.wrapping_sub(b'0') < 10);
    let joint = |byte: u8| lower(byte) | u8::from(byte == b'-') | u8::from(byte == b'_') | u8::from(byte == b'.');
    let word = |byte: u8| lower(byte | 0x20) | digit(byte);
    let two = joint(window[at + 1]) & digit(window[at + 2]) & digit(window[at + 3]);
    lower(window[at]) & (two | digit(window[at + 1]) & (1 - word(window[at + 2])))
}

/// Passes the word around a place to `found` if an account is given before it and it looks like a password of a word and
/// a number. `done`: the end of the last word that was read.
pub(in super::super) fn password(text: &[u8], place: usize, done: &mut usize, found: OnFinding<'_>) {
    let at = place + 1;
    if at < *done {
        return;
    }
    // One digit counts only after two words and a mark between them: `Walnut-Boat7`.
    if text[at].is_ascii_digit() {
        let letters = text[at.saturating_sub(16)..at].iter().rev().take_while(|b| b.is_ascii_alphabetic()).count();
        if letters < 3 || !matches!(text[..at - letters].last(), Some(b'-' | b'_' | b'.')) {
            return;
        }
    }
    // A longer word goes on after the number.
    let number = at + 1 + text[at + 1..].iter().take(9).take_while(|b| b.is_ascii_digit()).count();
    if text.get(number).is_some_and(u8::is_ascii_alphanumeric) {
        return;
    }
    let (start, end) = word_at(text, at, MAX_WORD, done);
    let blank = |b: &u8| !b.is_ascii_alphanumeric() && !matches!(b, b'/' | b'=' | b'\\' | b'@' | b'<' | b'.' | b'_');
    let stop = text.get(end) == Some(&b'.') && text.get(end + 1).is_none_or(u8::is_ascii_whitespace);
    if !(stop || text.get(end).is_none_or(blank)) || start == 0 || !blank(&text[start - 1]) {
        return;
    }
    if (8..=24).contains(&end.saturating_sub(start)) && is_given(text, start, end) {
        found(start, end, &LABEL);
        if let Some((start, end)) = successor(text, end) {
            found(start, end, &LABEL);
        }
    }
}

/// Whether `value` is a word or a few with a number at the end, and no name.
fn is_worded(value: &[u8]) -> bool {
    let digits = value.iter().rev().take_while(|b| b.is_ascii_digit()).count();
    let words = without_number(value);
    let parts = || words.split(|b| matches!(b, b'-' | b'_' | b'.' | b'&'));
    let spelled = |word: &[u8]| {
        word.len() >= 3
            && word[0].is_ascii_alphabetic()
            && word[1..].iter().all(u8::is_ascii_lowercase)
            && !NAMED.has(word)
    };
    (if is_titled(words) { 1..=4 } else { 2..=4 }).contains(&digits)
        && words.len() >= 5
        && words.iter().any(u8::is_ascii_lowercase)
        // `keccak_rho56`, a variable.
        && (words.iter().any(u8::is_ascii_uppercase) || !words.contains(&b'_'))
        && parts().all(spelled)
        && parts().count() <= 4
        && (is_plain(value) || is_titled(words) || words.iter().any(|b| matches!(b, b'_' | b'.' | b'&')))
        && !parts().any(heuristics::is_of_names)
}

/// Whether `value` is the class of a style that says how dark a colour is: `bg-blue-500`.
fn is_shade(value: &[u8]) -> bool {
    let parts = || value.split(|b| *b == b'-');
    let number = parts().next_back().unwrap_or_default();
    parts().count() == 3
        && parts().take(2).all(|part| part.iter().all(u8::is_ascii_lowercase))
        && matches!(number, [b'1'..=b'9', b'0' | b'5', b'0'])
}

/// Whether `value` is or concerns a set of characters: `non-Latin1`.
fn is_character_set(value: &[u8]) -> bool {
    static SETS: WordList = WordList::new("latin utf iso ascii unicode windows cp ucs");
    let words = without_number(value);
    SETS.has(words.rsplit(|b| !b.is_ascii_alphabetic()).next().unwrap_or_default())
}

/// Returns a value without the number at its end, and the mark before it.
fn without_number(value: &[u8]) -> &[u8] {
    let digits = value.iter().rev().take_while(|b| b.is_ascii_digit()).count();
    let words = &value[..value.len() - digits];
    [&b"-"[..], b"_", b"."].iter().find_map(|mark| words.strip_suffix(*mark)).unwrap_or(words)
}

/// Whether `words` are two or three of some length with a mark between them, of which one has a capital, as neither products nor
/// files are named: `Walnut-Boat`.
fn is_titled(words: &[u8]) -> bool {
    let parts = || words.split(|b| matches!(b, b'-' | b'_' | b'.'));
    let long = |part: &[u8]| part.len() >= 3 && part.iter().all(u8::is_ascii_alphabetic);
    (2..=3).contains(&parts().count())
        && words.len() >= 9
        && parts().all(|part| long(part) && heuristics::is_plain_part(part))
        && parts().any(|part| part[0].is_ascii_uppercase())
}

/// Words that mean nothing but a password, in a sentence too.
static SAID: WordList = WordList::new(
    "password passwort kennwort passcode passphrase passw pword pwd wachtwoord contrase\u{f1}a senha l\u{f6}senord l\u{f6}senordet \
    l\u{f6}sen adgangskode adgangskoden passord passordet salasana has\u{142}o has\u{142}em heslo \u{15f}ifre \u{15f}ifresi parola parolas\u{131}",
);
/// Words of a sentence about passwords in general, and of what is no password.
static GENERAL: WordList = WordList::new(
    "hash hashes hashed hashing policy length least like such example examples e.g strength rule rules reset user users username account \
    field input form file prompt manager algorithm cipher digest encryption encrypted encrypt using requires require must should version \
    named called issue ticket see bug commit",
);

/// Whether the sentence that a line ends with names a password, a few words before its end: "the password has a zero: …".
fn says_password(line: &[u8]) -> bool {
    let near = &line[line.len().saturating_sub(64)..];
    let near = &near[memchr::memmem::rfind(near, b". ").map_or(0, |end| end + 2)..];
    if near.iter().any(|b| matches!(b, b'(' | b'{' | b'=' | b'<' | b'`' | b'/')) {
        return false;
    }
    let words = || near.split(|b| b.is_ascii() && !b.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    words().any(|word| SAID.has(word)) && !words().any(|word| GENERAL.has(word) || USERS.has(word))
}

/// Whether `start..end` is a password by its look and by what leads to it.
fn is_given(text: &[u8], start: usize, end: usize) -> bool {
    let value = &text[start..end];
    // A digest, by far the most frequent.
    if value.iter().all(u8::is_ascii_hexdigit) || is_shade(value) || is_character_set(value) {
        return false;
    }
    let worded = is_worded(value);
    if text.get(end).is_some_and(|b| matches!(b, b'/' | b'=' | b'\\' | b'@')) {
        return false;
    }
    let before = &text[start.saturating_sub(BEFORE)..start];
    let before = &before[memchr::memmem::rfind(before, b"\n\n").map_or(0, |end| end + 2)..];
    let line = last_line(before);
    let above = &before[..before.len() - line.len()];
    let lead = without_quotes(line);
    let led = || {
        let last = last_word(lead);
        let clause = lead.ends_with(b",") && no_word_follows(&text[end..]);
        clause || COPULAS.has(last) || LEADS.has(last) || JOINTS.has(last) || last == b"just"
    };
    if worded && is_titled(without_number(value)) && led() && is_near_account(text, start, end) {
        return true;
    }
    let last = last_word(lead);
    let beside = |cells| {
        is_beside_account(text, end, before, cells, worded)
            && (worded || is_scattered(value) && (is_plain(value) || is_strong(value)) && !heuristics::is_name(value))
    };
    // "the password of db-prod-17"
    static OF: WordList = WordList::new("of for on to in at von f\u{fc}r de del di da van voor f\u{f6}r til do");
    let said = || (worded || is_plain(value)) && !OF.has(last) && says_password(line);
    if cells(lead, last).is_some_and(beside) || PASSWORDS.has(last) && is_strong(value) || said() {
        return true;
    }
    // ``` ``lamp11`` ```, a word of a document in reStructuredText.
    let literal = text[..start].ends_with(b"``") && value.iter().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit());
    // "with `lamp11` and `lantern`", names of packages.
    let code = text[..start].ends_with(b"`")
        && [&b"` and `"[..], b"`, `", b"` or `"].iter().any(|next| text[end..].starts_with(next));
    if !worded || literal || code {
        return false;
    }
    if let Some(label) = lead.strip_suffix(b":") {
        return is_labelled(label.trim_ascii_end(), above);
    }
    if !line.ends_with(b" ") && lead.len() == line.len() {
        return false;
    }
    let head = lead[..lead.len() - last.len()].trim_ascii_end();
    let owner = last_word(head);
    // `l'ancien`
    let last = match last {
        [b'l' | b'L' | b'd', b'\'', rest @ ..] => rest,
        _ => last,
    };
    if WORD.has(last) {
        return owner.len() >= 2 && !head.is_empty();
    }
    if JOINTS.has(last) && is_mail_address(owner) && no_word_follows(&text[end..]) && speaks_of_account(line) {
        return true;
    }
    if SOURCES.has(last) {
        return successor(text, end).is_some() && speaks_of_account(before);
    }
    if USERS.has(owner) {
        return false;
    }
    no_word_follows(&text[end..])
        && (PASSWORDS.has(last) && last != b"code" && last != b"pass"
            || COPULAS.has(last) && speaks_of_password(before)
            || LEADS.has(last) && speaks_of_account(line))
}

/// Whether no other word follows directly. [`super::span::ends_clause`] asks for more, since it judges plain words.
fn no_word_follows(rest: &[u8]) -> bool {
    match rest {
        [] | [b' '] | [b'\n' | b'\r' | b'.' | b',' | b';' | b')' | b'!' | b'?' | b'"' | b'\'' | b'`' | b'*', ..] => {
            true
        }
        [b' ', next, ..] => !next.is_ascii_alphanumeric() && next.is_ascii(),
        [next, ..] => !next.is_ascii(),
    }
}

/// Whether `part` has a word for a password.
fn speaks_of_password(part: &[u8]) -> bool {
    part.split(|b| b.is_ascii() && !b.is_ascii_alphanumeric()).any(|word| PASSWORDS.has(word))
}

/// Whether letters follow digits in a value: those of towns and streets end in their number.
fn is_scattered(value: &[u8]) -> bool {
    let first = value.iter().position(u8::is_ascii_digit).unwrap_or(value.len());
    value[first..].iter().any(u8::is_ascii_alphabetic)
}

/// Returns a line without the blanks, quotes and brackets at its end.
fn without_quotes(line: &[u8]) -> &[u8] {
    let mut line = line.trim_ascii_end();
    loop {
        let next = [&b"\""[..], b"'", b"`", b"*", b"(", b"\xc2\xab", b"\xe2\x80\x9c", b"\xe2\x80\x9e", b"\xe2\x80\x98"]
            .iter()
            .find_map(|mark| line.strip_suffix(*mark));
        match next {
            Some(next) => line = next.trim_ascii_end(),
            None => return line,
        }
    }
}

fn last_word(text: &[u8]) -> &[u8] {
    let length = text.iter().rev().take_while(|b| !b.is_ascii_whitespace() && **b != b'|').count();
    &text[text.len() - length..]
}

/// The cells of a line before a value that a mark separates from them.
struct Cells<'t> {
    last: &'t [u8],
    /// Whether one more cell is before the last.
    several: bool,
}

/// Returns the cells of the line that ends in `lead`, whose last word is `last`, if it is a mark between cells.
fn cells<'t>(lead: &'t [u8], last: &[u8]) -> Option<Cells<'t>> {
    let mark: &[u8] = match last {
        b"-" => b" - ",
        b"/" => b" / ",
        b"->" => b" -> ",
        b"=>" => b" => ",
        _ if last == "\u{2013}".as_bytes() => " \u{2013} ".as_bytes(),
        _ if last == "\u{2014}".as_bytes() => " \u{2014} ".as_bytes(),
        _ if last == "\u{2192}".as_bytes() => " \u{2192} ".as_bytes(),
        b"" if lead.ends_with(b"|") => b"|",
        _ if lead.ends_with(b",") => b", ",
        _ => return None,
    };
    let head = lead[..lead.len() - if last.is_empty() || mark == b", " { 1 } else { last.len() }].trim_ascii();
    let at = memchr::memmem::rfind(head, mark);
    let cell = at.map_or(head, |at| &head[at + mark.len()..]);
    (!cell.is_empty()).then_some(Cells { last: cell.trim_ascii(), several: at.is_some() && mark != b", " })
}

/// Whether a cell names what an account is called by, so that the next is that.
fn cell_ends_with_user(last: &[u8]) -> bool {
    static NAMES: WordList = WordList::new(
        "username usernames benutzername identifiant gebruikersnaam anv\u{e4}ndarnamn brugernavn brukernavn",
    );
    NAMES.has(last)
}

/// Whether the cell before a value is an account.
fn is_beside_account(text: &[u8], end: usize, before: &[u8], cells: Cells<'_>, worded: bool) -> bool {
    let cell = cells.last;
    let words = || cell.split(|b| b.is_ascii_whitespace() || *b == b':').filter(|word| !word.is_empty());
    let last = words().next_back().unwrap_or_default();
    if is_mail_address(last) {
        return true;
    }
    let count = words().count();
    // `| Make a username | kelly.moore14 |`
    let value_is_account = cell_ends_with_user(last);
    let named = words().any(|word| CELLS.has(word)) && !value_is_account;
    if named && count <= 5 {
        return worded || count >= 2;
    }
    let after = &text[end..text.len().min(end + AFTER)];
    let account = last.len() <= 24
        && last.iter().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || matches!(b, b'.' | b'_' | b'-'))
        && last.iter().any(u8::is_ascii_lowercase)
        && (last.iter().any(|b| !b.is_ascii_lowercase()) || CELLS.has(last));
    let alone = after.first().is_none_or(|b| !matches!(b, b' ' | b'\t')) || after.starts_with(b" (");
    worded
        && account
        && alone
        && (cells.several && count == 1 || cell.contains(&b':') && count <= 4)
        && (speaks_of_account(before) || after.split(u8::is_ascii_whitespace).any(is_mail_address))
}

/// Whether a label, or the question above an answer, announces a password.
fn is_labelled(label: &[u8], above: &[u8]) -> bool {
    let label = label.trim_ascii_end().strip_suffix(b".").map_or(label, |_| {
        let dots = label.iter().rev().take_while(|b| **b == b'.').count();
        label[..label.len() - dots].trim_ascii_end()
    });
    let clause = &label[label.iter().rposition(|b| matches!(b, b'.' | b';' | b'|')).map_or(0, |at| at + 1)..];
    let word = last_word(clause);
    // `- portainer admin: X`
    if is_admin(word) && clause.trim_ascii().split(|b| *b == b' ').count() <= 4 {
        return true;
    }
    if USERS.has(word) || word.is_empty() {
        return false;
    }
    if clause
        .split(|b| b.is_ascii_whitespace() || *b == b',')
        .any(|word| PASSWORDS.has(word) && word != b"pass" && word != b"code")
    {
        return true;
    }
    let lone = !clause.trim_ascii().contains(&b' ');
    if lone && (COPULAS.has(word) || PASSWORDS.has(word)) {
        return speaks_of_account(above);
    }
    // `ben: X`, `[10:03] ben: X`: the line above asks.
    let author = lone || label.trim_ascii_start().starts_with(b"[");
    let question = above.trim_ascii_end();
    let question = last_line(question);
    author && (question.ends_with(b"?") || label.trim_ascii_start().starts_with(b"[")) && speaks_of_password(question)
}

/// Whether a word is that of an account which is no person's.
fn is_admin(word: &[u8]) -> bool {
    static ADMINS: WordList = WordList::new("admin root administrator superuser sysadmin");
    ADMINS.has(word)
}

/// Returns what replaces the password that ends at `end`: "from X to Y".
fn successor(text: &[u8], end: usize) -> Option<(usize, usize)> {
    let rest = text.get(end..)?;
    let rest = rest.strip_prefix(b"\"").unwrap_or(rest);
    let skip = end + (text.len() - end - rest.len());
    let joint = [&b" to "[..], b" auf ", b" zu ", b" a ", b" naar ", b" till ", b" til ", b" na "]
        .into_iter()
        .find(|joint| rest.starts_with(joint))?;
    let start = skip + joint.len();
    let length = text[start..].iter().take(48).take_while(|b| !b.is_ascii_whitespace()).count();
    let (start, end) = trimmed(text, start, start + length);
    let value = &text[start..end];
    (is_plain(value) || is_strong(value)).then_some((start, end))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::redact::canaries::SEED;
    use crate::redact::text::{FLAGS, each_place};

    fn found(text: &str) -> Vec<&str> {
        let mut found = Vec::new();
        let mut done = 0;
        each_place::<{ FLAGS + 3 }>(text.as_bytes(), is_place, |at, _| {
            password(text.as_bytes(), at, &mut done, &mut |start, end, _| found.push(&text[start..end]));
        });
        found
    }

    #[test]
    fn words_with_a_number_are_found_where_they_are_given() {
        let digits = SEED.len() % 90 + 10;
        for password in [format!("lantern{digits}"), format!("Walnut19{digits}"), format!("copper-lantern-{digits}")] {
            for text in [
                "Front tablet: unlock with @\n",
                "ana: what is the password?\nben: @\n",
                "The guest asked for the wifi password.\nHello! It is @",
                "Logins of the shop\ntill - marta2 - @\n",
                "canteen login | user anna | @ |",
                "shop: marta@example.org - @ - log out afterwards",
                "same mail, @\n",
                "Staff wifi changed.\nOld: @\n",
                "Clave .....: @\n",
                "answer with the word @.",
            ] {
                let text = text.replace('@', "\u{1}").replace("marta\u{1}e", "marta@e").replace('\u{1}', &password);
                assert_eq!(found(&text), [password.as_str()], "{text}");
            }
            let text = format!("I changed the account from {password} to {password}");
            assert_eq!(found(&text), [password.as_str(), password.as_str()], "{text}");
        }
    }

    #[test]
    fn names_of_accounts_products_and_places_stay() {
        for text in [
            "Log in to Windows2019 with the account of the domain.",
            "The login page was built with bootstrap41 and jquery36.",
            "user: marek1984, role: editor\nMy login is kowalski77 and I cannot log in.",
            "We sign in from Frankfurt2024 (the office).",
            "The account was migrated from exchange2016 to exchange2019.",
            "login - alice - sprint2024\n| user | login-form-42 | open |",
            "The account uses key-rotation-2024 from the policy.",
            "ana: who can log in?\nben: everyone2020",
            "info@example.org, Hamburg20095\nmail: info@example.org - Berlin10115",
            "Sign in using Teams2024 client. The user agent is mozilla50.",
            "Old: utf8mb3\nNew: utf8mb4_0900\nInloggen met gebruiker kassa2024 lukt niet.",
        ] {
            assert_eq!(found(text), Vec::<&str>::new(), "{text}");
        }
    }
}
