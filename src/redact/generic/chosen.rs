//! Passwords by their look: where words near them speak of an account, "log on as reception with Kettle-2019@", and
//! anywhere if they can be nothing else, "the till takes Dolphin1983$".

mod marks;

use super::super::heuristics::{self, NameClass, WordList, looks_secret};
use super::super::rules::FindingLabel;
use super::super::text::last_line;
use super::OnFinding;
use super::comma_pairs::says_password;
use super::later::{self, trimmed};
use marks::{belongs, is_expression, is_mark, is_named_or_range, is_percent_encoded};

/// How far before a password words about an account may be, and how far after it.
const BEFORE: usize = 220;
const AFTER: usize = 60;
/// The longest word that is looked at.
const MAX_WORD: usize = 40;

/// Words about accounts and what asks for a password, in several languages.
static ACCOUNT_WORDS: WordList = WordList::new(
    "login logins log-in logon log-on signin sign-in logged logging log sign signed user users username account accounts password \
    passwords passcode passphrase passw pw pwd pwds mail e-mail email credentials creds vpn wifi wi-fi wlan router nas admin administrator root mailbox portal \
    extranet intranet unlock unlocks unlocked sudo ssh ftp sftp smtp imap rdp kiosk typed \
    benutzer benutzername benutzerkonto kennwort kennw\u{f6}rter passwort zugang zug\u{e4}nge zugangsdaten konto anmelden anmeldung angemeldet \
    utente utenza accesso accedere entrare entra entri account password credenziali chiave accessi \
    usuario usuaria contrase\u{f1}a clave cuenta entrar acceso accesos \
    utilisateur identifiant identifiants compte connexion connecter mdp acc\u{e8}s \
    usu\u{e1}rio usu\u{e1}ria senha conta acesso acessar \
    gebruiker gebruikersnaam wachtwoord ww inlog inloggen inlogt \
    anv\u{e4}ndare anv\u{e4}ndarnamn l\u{f6}senord l\u{f6}senordet inloggning inloggningen logga \
    bruger brugeren brugernavn adgangskode kode koden bruker brukernavn passord passordet innlogging \
    k\u{e4}ytt\u{e4}j\u{e4} k\u{e4}ytt\u{e4}j\u{e4}tunnus salasana tunnus kirjaudu \
    u\u{17c}ytkownik konto has\u{142}o has\u{142}em logowanie zalogowa\u{107} loguje u\u{17e}ivatel heslo p\u{159}ihl\u{e1}\u{161}en\u{ed} \
    kullan\u{131}c\u{131} \u{15f}ifre \u{15f}ifresi parola parolas\u{131} giri\u{15f}",
);
/// The same in scripts that blanks do not divide into words, or that have many endings.
const ACCOUNT_PARTS: [&str; 19] = [
    "парол",
    "логин",
    "логін",
    "учетн",
    "учётн",
    "пользовател",
    "користувач",
    "вход",
    "密码",
    "密碼",
    "账号",
    "帳號",
    "登录",
    "用户",
    "パスワード",
    "ログイン",
    "비밀번호",
    "비번",
    "로그인",
];

/// The label of what is found here; that of any other rule comes before it.
pub(in super::super) static LABEL: FindingLabel = FindingLabel {
    name: "likely-password",
    reason: "looks like a password and like nothing else, by itself or beside words about an account",
    rank: 9,
};

/// Whether a letter or a digit and a mark begin at `at`, as 1 or 0.
pub(in super::super) fn is_place<const WINDOW: usize>(window: &[u8; WINDOW], at: usize) -> u8 {
    u8::from(window[at].is_ascii_alphanumeric()) & u8::from(is_mark(window[at + 1]))
}

/// Passes the word around a place to `found` if it can be nothing else, or looks like a password and words near it speak of an account. `done`:
/// the end of the last word that was read.
pub(in super::super) fn password(text: &[u8], place: usize, done: &mut usize, found: OnFinding<'_>) {
    let at = place + 1;
    if at < *done {
        return;
    }
    let (start, end) = word_at(text, at, MAX_WORD, done);
    // In Base85 what follows `<` is no tag.
    let tag = |rest: &[u8]| rest.iter().take(12).any(|b| *b == b'>');
    if start == end || text.get(end) == Some(&b'<') && !tag(&text[end..]) {
        return;
    }
    // `\r\nhost-1#`: the letter of an escape is none of the word. The view without escapes has it whole.
    if start > 0 && text[start - 1] == b'\\' && matches!(text[start], b'n' | b'r' | b't') {
        return;
    }
    let start = start + account_before(&text[start..end]);
    let word = &text[start..end];
    // `Node@^12.0.0`
    if word.windows(2).any(|pair| matches!(pair, b"@^" | b"@~")) || word.windows(5).any(|run| run == b"&quot") {
        return;
    }
    // `$x \gets Chall\%32$`, a formula.
    if word.ends_with(b"$") && last_line(&text[start.saturating_sub(BEFORE)..start]).contains(&b'$') {
        return;
    }
    // `<0000522b67c3$00002240@example>`, the id of a message.
    if word.contains(&b'@') && text[..start].ends_with(b"<") && text.get(end) == Some(&b'>') {
        return;
    }
    // "Passwords like X are refused."
    let lead = last_line(&text[start.saturating_sub(12)..start]).trim_ascii_end();
    if [&b" like"[..], b"such as", b"e.g."].iter().any(|word| lead.ends_with(word)) {
        return;
    }
    let is_password = || {
        let chosen = is_chosen(word);
        (chosen || is_pair(text, start, end)) && (is_near_account(text, start, end) || is_listed(text, start, end))
            || (is_generated(word) || chosen && stands_out(text, start, end)) && is_alone(text, start, end)
    };
    if is_password() && !is_expression(word) && is_in_sentence(text, start, end) && !is_prompt(text, start, word) {
        found(start, end, &LABEL);
    }
}

/// Returns the length of the account before a password and of the colon between them: `bankdrop:`.
fn account_before(word: &[u8]) -> usize {
    let Some(colon) = word.iter().position(|b| *b == b':') else { return 0 };
    let name = |b: &u8| b.is_ascii_lowercase() || b.is_ascii_digit() || matches!(b, b'.' | b'_' | b'-');
    let account = (2..=24).contains(&colon) && word[0].is_ascii_lowercase() && word[..colon].iter().all(name);
    if account && word.len() - colon > 8 { colon + 1 } else { 0 }
}

/// Whether a word at the beginning of a line, or of a comment, is the prompt of a device and a command: `cisco1#copy`.
fn is_prompt(text: &[u8], start: usize, word: &[u8]) -> bool {
    let Some(mark) = word.iter().position(|b| *b == b'#') else { return false };
    let host = |b: &u8| b.is_ascii_lowercase() || b.is_ascii_digit() || matches!(b, b'-' | b'.' | b'_');
    let line = last_line(&text[start.saturating_sub(16)..start]);
    word[..mark].iter().all(host)
        && word[mark + 1..].iter().all(|b| b.is_ascii_lowercase() || *b == b'-')
        && line.len() < 16
        && line.iter().all(|b| matches!(b, b' ' | b'#' | b'/' | b'>' | b'`' | b'*' | b'\t'))
}

/// Returns the word around `at`, but for the marks of the sentence. `done`: the end of the last word that was read, and of
/// this one.
pub(super) fn word_at(text: &[u8], at: usize, longest: usize, done: &mut usize) -> (usize, usize) {
    let low = at.saturating_sub(longest).max(*done);
    let start = at - text[low..at].iter().rev().take_while(|b| !ends_word(**b)).count();
    let end = at + text[at..].iter().take(longest).take_while(|b| !ends_word(**b)).count();
    let cut = start == low && start > 0 && !ends_word(text[start - 1]);
    *done = end.max(at + 1);
    // The rest of a longer word is none.
    if cut { (at, at) } else { trimmed(text, start, end) }
}

/// Whether `byte` cannot be part of such a password, but of what is around it.
fn ends_word(byte: u8) -> bool {
    byte.is_ascii_whitespace()
        || !byte.is_ascii()
        || matches!(byte, b'"' | b'`' | b'<' | b'>' | b'|' | b'(' | b')' | b',' | b';' | b'\\')
}

/// Whether a word has the look of a password that a person chose or a manager made, and of nothing else: letters, digits and a mark
/// that belongs neither to a sentence, a version, a reference nor an address.
fn is_chosen(word: &[u8]) -> bool {
    let letters = word.iter().filter(|b| b.is_ascii_alphabetic()).count();
    let digits = word.iter().filter(|b| b.is_ascii_digit()).count();
    let foreign = word.iter().any(|b| b"{}[]='/:~*".contains(b));
    let upper = word.iter().any(u8::is_ascii_uppercase);
    (8..=32).contains(&word.len())
        && letters >= 3
        && digits >= 1
        && !foreign
        && word.split(|b| is_mark(*b)).count() <= 5
        && (word[0].is_ascii_alphanumeric() || matches!(word[0], b'#' | b'!') && upper)
        && word.iter().enumerate().any(|(at, b)| is_mark(*b) && belongs(word, at))
        // `Index%3CI%3E`
        && !is_percent_encoded(word)
        && !is_named_or_range(word)
        && !word.starts_with(b"abc123")
        // `!price@all@1s`, the name of a stream.
        && word.iter().filter(|b| **b == b'@').count() < 2
        && looks_secret(word, NameClass::Password, false)
        && !heuristics::is_uuid(word)
}

/// Whether `start..end` is a whole word of a text with words, between blanks, quotes or brackets, and no piece of data.
fn is_alone(text: &[u8], start: usize, end: usize) -> bool {
    let before = &text[start.saturating_sub(AFTER)..start];
    let after = &text[end..text.len().min(end + AFTER)];
    let opens = |b: &&u8| matches!(**b, b'"' | b'\'' | b'`' | b'(' | b'*' | b'[');
    let closes = |b: &&u8| {
        matches!(**b, b'"' | b'\'' | b'`' | b')' | b'*' | b']' | b'}' | b'.' | b',' | b';' | b':' | b'!' | b'?')
    };
    let head = &before[..before.len() - before.iter().rev().take(3).take_while(opens).count()];
    let tail = &after[after.iter().take(4).take_while(closes).count()..];
    let begins = match head.split_last() {
        // `user:X`, `key="X"`, `a,X`
        Some((b':' | b'=' | b',' | b'/', name)) => {
            let length = name
                .iter()
                .rev()
                .take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.' | b'"'))
                .count();
            length > 1
                && name[..name.len() - length]
                    .last()
                    .is_none_or(|b| b.is_ascii_whitespace() || matches!(b, b'{' | b'(' | b',' | b'/'))
        }
        // `<td>X</td>`
        Some((b'>', _)) => tail.starts_with(b"</"),
        None => true,
        Some((last, _)) => last.is_ascii_whitespace() || !last.is_ascii(),
    };
    let ends = tail.first().is_none_or(|b| b.is_ascii_whitespace() || !b.is_ascii()) || tail.starts_with(b"</");
    let is_word = |word: &[u8]| {
        let word = later::trimmed_word(word);
        word.len() >= 3 && word.iter().all(|b| b.is_ascii_alphabetic() || !b.is_ascii())
    };
    begins && ends && before.split(u8::is_ascii_whitespace).chain(after.split(u8::is_ascii_whitespace)).any(is_word)
}

/// Whether a word is what a manager of passwords makes: letters of both cases, digits and two kinds of marks in no order.
fn is_generated(word: &[u8]) -> bool {
    const MARKS: &[u8] = b"!@#$%^&*?~";
    let kinds = MARKS.iter().filter(|mark| word.contains(mark)).count();
    let has = |is: fn(&u8) -> bool| word.iter().any(is);
    // Words of a program are longer.
    let longest = |is: fn(&u8) -> bool| word.split(|b| !is(b)).map(<[u8]>::len).max().unwrap_or_default();
    (12..=40).contains(&word.len())
        && kinds >= 2
        // `inp+num*16*$SZ`
        && !(word.contains(&b'*') && word.contains(&b'+'))
        && !is_percent_encoded(word)
        && !is_named_or_range(word)
        && word[0].is_ascii_alphanumeric()
        && word.iter().all(|b| b.is_ascii_alphanumeric() || MARKS.contains(b) || matches!(b, b'-' | b'_' | b'+' | b'.'))
        && has(u8::is_ascii_lowercase)
        && has(u8::is_ascii_uppercase)
        && has(u8::is_ascii_digit)
        && longest(u8::is_ascii_lowercase) <= 4
        && longest(u8::is_ascii_uppercase) <= 3
        && longest(u8::is_ascii_digit) <= 4
        && !heuristics::is_placeholder(word)
}

/// Whether `start..end`, which has the look of a password, can be nothing else whatever is around it: letters with a capital,
/// digits and one of the marks that neither arithmetic nor names of methods and versions have: `Dolphin1983$`, `S@!l!ng83`.
fn stands_out(text: &[u8], start: usize, end: usize) -> bool {
    let word = &text[start..end];
    let is_standing_out = |byte: u8| matches!(byte, b'!' | b'@' | b'$' | b'%' | b'&');
    // `name$VERSION` is a symbol of a linker, `\x1B$B` a character.
    // `sNaN12%` and `0x%%0%dX`, formats.
    let percents = word.iter().filter(|b| **b == b'%').count();
    let counts = |at: usize, byte: u8| {
        let last = at + 1 == word.len();
        is_standing_out(byte) && (byte != b'$' || last) && (byte != b'%' || !last && percents == 1)
    };
    let is_end_of_sentence = || {
        let after = text[end..].trim_ascii_start();
        word.ends_with(b"!")
            && (after.len() < text[end..].len() || after.is_empty())
            && !after.first().is_some_and(u8::is_ascii_lowercase)
    };
    word[0].is_ascii_alphanumeric()
        && word.iter().all(|b| b.is_ascii_alphanumeric() || is_standing_out(*b))
        && word.iter().any(u8::is_ascii_uppercase)
        && word.iter().any(u8::is_ascii_digit)
        && word.iter().enumerate().any(|(at, b)| counts(at, *b) && belongs(word, at))
        && (start == 0 || text[start - 1] != b'\\')
        && !(word.contains(&b'&') && text.get(end) == Some(&b';'))
        && !is_end_of_sentence()
}

/// Whether two words with a capital each and a mark between them, or with a number after them, are at `start..end`, where nothing but a password is:
/// `Lantern!Otter` anywhere, `Lantern&Otter`, which companies are named like, after a word or a mark that leads to it.
fn is_pair(text: &[u8], start: usize, end: usize) -> bool {
    let value = &text[start..end];
    let Some(mark) = value.iter().find(|b| !b.is_ascii_alphabetic()) else { return false };
    let lead = text[start.saturating_sub(16)..start].trim_ascii_end();
    let leads =
        [&b":"[..], b" -", b" /", b" with", b" mit", b" avec", b" con", b" com", b" met", b" med", b"\xe2\x80\x93"];
    let led = || leads.iter().any(|word| lead.ends_with(word));
    let numbered = || {
        *mark == b'+'
            && value.rsplit(|b| *b == b'+').next().is_some_and(|part| part.iter().all(u8::is_ascii_digit))
            && value.iter().all(|b| b.is_ascii_alphanumeric() || *b == b'+')
            && heuristics::is_joined_words(value)
    };
    (later::is_marked_pair(value) || numbered())
        && value[0].is_ascii_uppercase()
        && match mark {
            b'!' | b'$' | b'%' | b'*' => true,
            b'&' | b'+' | b'#' => led(),
            _ => false,
        }
}

/// Returns the part of a word after the last character of a script that does not divide words by blanks.
fn own_part(word: &[u8]) -> &[u8] {
    word.iter().rposition(|b| *b >= 0xe3).map_or(word, |at| &word[word.len().min(at + 3)..])
}

/// Whether `start..end` stands among words that blanks divide, not in a packed program.
fn is_in_sentence(text: &[u8], start: usize, end: usize) -> bool {
    let before = &text[start.saturating_sub(AFTER)..start];
    let after = &text[end..text.len().min(end + AFTER)];
    let blanks =
        |part: &[u8]| part.iter().filter(|b| b.is_ascii_whitespace()).count() + usize::from(part.len() < AFTER);
    let code = |part: &[u8]| part.iter().filter(|b| matches!(b, b'{' | b'}' | b';' | b'=')).count();
    blanks(before) + blanks(after) >= 3 && code(before) + code(after) <= 6
}

/// Whether `start..end` is all of the code after a label, and the paragraph before speaks of a password: "node A: `X`".
fn is_listed(text: &[u8], start: usize, end: usize) -> bool {
    text[..start].ends_with(b": `")
        && matches!(text.get(end..), Some([b'`'] | [b'`', b'\n' | b'\r', ..]))
        && says_password(&text[start.saturating_sub(BEFORE)..start])
}

/// Whether words near `start..end`, in the same paragraph or the line before, speak of an account.
pub(super) fn is_near_account(text: &[u8], start: usize, end: usize) -> bool {
    let before = &text[start.saturating_sub(BEFORE)..start];
    let before = &before[memchr::memmem::rfind(before, b"\n\n").map_or(0, |end| end + 2)..];
    let after = &text[end..text.len().min(end + AFTER)];
    let after = &after[..after.iter().position(|b| *b == b'\n').unwrap_or(after.len())];
    speaks_of_account(before) || speaks_of_account(after) || before.split(u8::is_ascii_whitespace).any(is_mail_address)
}

/// Whether `part` has a word about accounts.
pub(super) fn speaks_of_account(part: &[u8]) -> bool {
    part.split(|b| b.is_ascii() && !b.is_ascii_alphanumeric() && *b != b'-')
        .any(|word| ACCOUNT_WORDS.has(own_part(word)))
        || !part.is_ascii() && ACCOUNT_PARTS.iter().any(|word| memchr::memmem::find(part, word.as_bytes()).is_some())
}

/// Whether a word is an address of mail, or an account with its company: `rosie@bakery`.
pub(super) fn is_mail_address(word: &[u8]) -> bool {
    let word = word.strip_prefix(b"<").unwrap_or(word);
    let Some(at) = word.iter().position(|b| *b == b'@') else { return false };
    let host = &word[at + 1..];
    at >= 2
        && host.len() >= 4
        && host.iter().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'-' | b'>' | b','))
        && word[..at].iter().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'-' | b'_' | b'+'))
        && !host[0].is_ascii_digit()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::redact::text::{FLAGS, each_place};

    fn found(text: &str) -> Vec<&str> {
        let mut found = Vec::new();
        let mut done = 0;
        each_place::<{ FLAGS + 1 }>(text.as_bytes(), is_place, |at, _| {
            password(text.as_bytes(), at, &mut done, &mut |start, end, _| found.push(&text[start..end]));
        });
        found
    }

    #[test]
    fn what_looks_like_a_password_is_found_near_an_account() {
        for password in [
            "Hedge!Lane17",
            "q7#Rt5Kx9w",
            "Kx9wRt$86",
            "2025Amber+",
            "Amber@2027",
            "Amber&1984",
            "Amber17#20!",
            "Amber2027!",
        ] {
            for text in [
                format!("log on as reception with {password}"),
                format!("nas - admin - {password}\nheating - none"),
                format!("Mi utente \u{e8} cassa2 e poi \u{ab}{password}\u{bb}."),
                format!("The VPN of the shop:\nshop@example.org {password} (keep it)"),
            ] {
                assert_eq!(found(&text), [password], "{text}");
            }
        }
    }

    #[test]
    fn code_after_labels_is_found_below_a_word_for_a_password() {
        let text = "Het wachtwoord week af.\n\n**Details**\nnode A: `Hedge#Lane#17`\n";
        assert_eq!(found(text), ["Hedge#Lane#17"]);
        assert_eq!(found(&text.replace("wachtwoord", "schema")), Vec::<&str>::new());
    }

    #[test]
    fn what_can_be_nothing_else_is_found_anywhere() {
        for password in ["Hedge!Lane17", "Dolphin1983$", "S@!l!ng1983", "G@rd3n2017", "Marble&Otter62"] {
            for text in [format!("The till takes {password}, as ever"), format!("Till \u{2013} {password}")] {
                assert_eq!(found(&text), [password], "{text}");
            }
        }
        assert_eq!(found("He set LanternWindow16!, and it was taken"), ["LanternWindow16!"]);
        assert_eq!(found("The till takes Amber2027! after noon"), ["Amber2027!"]);
    }

    #[test]
    fn versions_references_addresses_and_sentences_stay() {
        for text in [
            "The login needs C++17, ES2015+ and node@18.2 or package@2024",
            "Users log in at me2@example.org, see issue#1234 and docs.md#L10-L20",
            "password: 100%20of%20it, R&D2, AT&T5G, US$5000, Outer$1",
            "Log in to Windows11! It works on Python3!",
            "The user login costs 50$ and 20% more",
            "no words that speak of it: Hedge+Lane17, Hedge#Lane17 and hedge!lane17",
            "It runs on WindowsServer2019! And on EcmaScript15!",
            "seekdir$INODE64$UNIX2003 and call\t__mul_by_2$x, 5M$, PREFIX_A1$",
            "\"Ht-tQKZ7Z`9QqOb?R#b%z?rk>!CkH7jy3wja4NG2q)H}fNRKg8v{);Em;K3Cncf4C6&Oaj\",\n    \"dIxbZ00Ex?wE_SDJu@vkvBYQl\"",
            "fmt = '0x%%0%dX' % (size), ('sNaN12', 'sNaN1234567%'), inp+num*16*$SZ, attr2=\"Value2&#8000;\"",
            "printf \"\\x1Bb$B%s1%s\"",
            "The user login of Lamp!A1 and Sheet2!$B$2:$C$14, Gamma_s1^2, ISS@lamp^2018-12-25, TEA#456#LAMP#1",
            "login password lamp.dll!00473658 and pm10_pm25#total_tea#ug, Ed25519+LMP-DSA, X25519+LMPKEM768",
        ] {
            assert_eq!(found(text), Vec::<&str>::new(), "{text}");
        }
    }
}
