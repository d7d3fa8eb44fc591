//! Passwords beside the name of their account: `admin / X`, and lists of accounts under a heading.

mod looks;

use super::super::heuristics::{self, NameClass, WordList};
use super::super::names;
use super::super::rules::FindingLabel;
use super::super::text::{contains_ignoring_case, first_line, last_line};
use super::beside::NAMED;
use super::chosen::speaks_of_account;
use super::comma_pairs::{after_comma, says_password};
use super::later::{is_plain, is_strong, trimmed};
use super::{Name, OnFinding};
use looks::{
    is_advisory, is_long_pair, is_marked, is_numbered, is_sibling, is_substituted, trimmed_account, without_emphasis,
};
pub(super) use looks::{is_odd, is_ticket, is_word_with_digit, is_written};

static PAIR: FindingLabel = FindingLabel { name: "login-pair", reason: "is the password of a pair", rank: 6 };

/// The label of pairs.
pub(in super::super) static LABEL: &FindingLabel = &PAIR;

/// Between an account and its password.
pub(in super::super) const SLASH: &str = " / ";
/// Accounts that write their password after a slash without blanks.
pub(in super::super) const ACCOUNTS: [&str; 15] = [
    "admin/",
    "root/",
    "administrator/",
    "u/p",
    "p/w works",
    "(admin, ",
    "(root, ",
    "(admin:",
    "(root:",
    "\u{ff08}admin\u{ff0c}",
    "\u{ff08}root\u{ff0c}",
    "/wp-login.php, ",
    "/wp-admin, ",
    "/admin, ",
    "/login, ",
];

/// Names of accounts.
static USUAL: WordList = WordList::new(
    "admin root administrator user guest deploy backup service postgres mysql sa ubuntu pi test tester demo operator \
    support ci jenkins gitlab dev ops oracle vagrant ec2-user centos debian nagios zabbix monitor monitoring sftp ftp scan \
    scanner printer kiosk office sysadmin superuser owner manager readonly api bot beheer benutzer gast usuario usu\u{e1}rio \
    utente utilisateur invit\u{e9} bruker bruger k\u{e4}ytt\u{e4}j\u{e4} u\u{17c}ytkownik u\u{17e}ivatel kullan\u{131}c\u{131}",
);
/// Words before an account that say that it is one.
const CONTEXTS: [&[u8]; 39] = [
    "доступ".as_bytes(),
    "логин".as_bytes(),
    "парол".as_bytes(),
    "登录".as_bytes(),
    "ログイン".as_bytes(),
    b"login",
    b"log in",
    b"logged in",
    b"cred",
    b"account",
    b"user",
    b"zugang",
    b"anmeld",
    b"konto",
    b"compte",
    b"acc\xc3\xa8s",
    b"identifiant",
    b"connexion",
    b"entra con",
    b"acces",
    b"usuario",
    b"utente",
    b"inlog",
    b"gebruiker",
    b"ssh",
    b"rdp",
    b"vpn",
    b"wifi",
    b"wi-fi",
    b"wlan",
    b"ssid",
    b"sftp",
    b"ftp",
    b"http",
    b"password",
    b"admin",
    b"nas",
    b"router",
    b"panel",
];

/// Passes the password of the pair around the slash at `at` to `on_finding`.
pub(in super::super) fn pair(text: &[u8], at: usize, on_finding: OnFinding<'_>) {
    let mark = |b: &u8| matches!(b, b'`' | b'*' | b'"' | b'\'');
    let before = &text[at.saturating_sub(48)..at];
    let closers = before.iter().rev().take_while(|b| mark(b)).count();
    let before = &before[..before.len() - closers];
    let user = before
        .iter()
        .rev()
        .take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | b'@' | b'+' | b'-') || !b.is_ascii())
        .count();
    let account = &before[before.len() - user..];
    let rest = &before[..before.len() - user];
    // The bracket of a script without blanks, which counts as a letter here.
    let wide = memchr::memmem::rfind(account, "\u{ff08}".as_bytes()).map_or(0, |open| open + 3);
    let (account, user) = (&account[wide..], user - wide);
    let opens = wide > 0
        || rest.last().is_none_or(|b| {
            matches!(b, b'\n' | b':' | b'(' | b',' | b'>' | b'|' | b'*' | b'`' | b'"' | b'\'' | b' ' | b'\t')
        });
    if !(2..=41).contains(&user) || !opens || !account[0].is_ascii_alphabetic() && account[0].is_ascii() {
        return;
    }
    let start = at + SLASH.len();
    let length = text[start..]
        .iter()
        .take(72)
        .take_while(|b| !b.is_ascii_whitespace() && !matches!(b, b'|' | b'<' | b'>'))
        .count();
    let (start, end) = without_emphasis(text, at, trimmed(text, start, start + length));
    let value = &text[start..end];
    // The third of an enumeration.
    let listed = text[end..].starts_with(SLASH.as_bytes()) || rest.ends_with(b" / ");
    // `block_and_aggregate / try_block_and_aggregate`
    let function =
        account.contains(&b'_') && value.iter().all(|b| b.is_ascii_lowercase() || *b == b'_') && value.contains(&b'_');
    if listed
        || function
        || value.is_empty()
        || heuristics::is_resource_id(account)
        || is_sibling(account, value)
        || is_advisory(account)
        || value.contains(&b'/')
        // `COCO / Objects365+COCO`
        || value.len() > account.len() && value.ends_with(account) && !value[value.len() - account.len() - 1].is_ascii_alphanumeric()
        || memchr::memmem::find(value, b"&#").is_some()
        || heuristics::is_uuid(value)
    {
        return;
    }
    if value.len() < 6 {
        return;
    }
    if is_marked(value) {
        return on_finding(start, end, &PAIR);
    }
    let line = last_line(&text[at.saturating_sub(closers + user + 40)..at - closers - user]);
    let named = || {
        USUAL.has(account) || account.contains(&b'@') || CONTEXTS.iter().any(|word| contains_ignoring_case(line, word))
    };
    if (is_plain(value) && !is_ticket(value) || heuristics::is_word_chain(value, 3) || is_odd(value)) && named() {
        return on_finding(start, end, &PAIR);
    }
    // `supplier-a / X`, a line of its own
    let in_cell =
        || rest.trim_ascii_end().ends_with(b"|") && matches!(text[end..].trim_ascii_start().first(), Some(b'|'));
    let alone =
        rest.is_empty() || in_cell() || rest.ends_with(b"\n") || rest.ends_with(b"\n- ") || rest.ends_with(b"\n* ");
    let random = alone
        && value.len() >= 12
        && heuristics::has_all_kinds(value)
        && value.iter().all(u8::is_ascii_alphanumeric)
        && heuristics::looks_random(value);
    if random && (matches!(text[end..], [] | [b'\n' | b'\r', ..]) || in_cell()) {
        return on_finding(start, end, &PAIR);
    }
    let numbered = account.iter().any(u8::is_ascii_digit) && rest.trim_ascii_end().ends_with(b":");
    if numbered && value.len() >= 10 && heuristics::looks_random(value) && !heuristics::is_uuid(value) {
        return on_finding(start, end, &PAIR);
    }
    // Weaker looks, at the end of the clause.
    let ends = matches!(
        text[end..],
        [] | [b'\n' | b'\r' | b',' | b';' | b')' | b'.', ..]
            | [b' ', b'(' | b'|' | b'u' | b'-' | b'\n', ..]
            | [0xe3 | 0xef, ..]
    );
    let lower = account.iter().all(|b| !b.is_ascii_uppercase()) && account.iter().any(u8::is_ascii_lowercase);
    let line_above = || memchr::memmem::find(line, b"://").is_some() || contains_ignoring_case(line, b"creds");
    let shaped = || {
        heuristics::is_joined_words(value) && !is_ticket(value)
            || is_numbered(value)
            || USUAL.has(account) && is_word_with_digit(value)
            || is_written(value)
            || is_substituted(value)
            || heuristics::is_parted(value)
            || USUAL.has(account)
                && value.len() >= 8
                && (heuristics::is_plain_word(value) || is_long_pair(value))
                && line_above()
    };
    // "the password was too weak (admin / X)"
    let told = || {
        USUAL.has(account)
            && value.iter().all(u8::is_ascii_alphanumeric)
            && value.iter().any(u8::is_ascii_digit)
            && value.iter().any(u8::is_ascii_alphabetic)
            && says_password(last_line(&text[at.saturating_sub(120)..at]))
    };
    // `apc / Winter_Lamp!`
    let exclaimed = || {
        let words = value.strip_suffix(b"!").unwrap_or_default();
        words.len() >= 9
            && words.iter().any(u8::is_ascii_uppercase)
            && words.contains(&b'_')
            && words.split(|b| *b == b'_').all(|word| word.len() >= 3 && heuristics::is_plain_part(word))
    };
    let titled = || {
        value.last().is_some_and(u8::is_ascii_digit)
            && value.iter().filter(|b| b.is_ascii_uppercase()).count() >= 2
            && heuristics::is_joined_words(value)
            && !is_ticket(value)
    };
    // `anna@example.org / Anchor-1893`
    let numbered = || {
        let word = value.iter().take_while(|b| b.is_ascii_alphabetic()).count();
        account.contains(&b'@')
            && is_ticket(value)
            && word >= 6
            && value.len() - word >= 4
            && value[1..word].iter().all(u8::is_ascii_lowercase)
            && !NAMED.has(&value[..word])
            && heuristics::is_plain_part(&value[..word])
    };
    if ends && told() {
        return on_finding(start, end, &PAIR);
    }
    if lower && (ends && (shaped() || numbered() || exclaimed()) || titled()) {
        let above = &text[at.saturating_sub(320)..at];
        if named() || speaks_of_account(above) || memchr::memmem::find(above, b"://").is_some() {
            on_finding(start, end, &PAIR);
        }
    }
}

/// Passes the password after `admin/` to `on_finding`, where a sentence says that it works, or after `u/p:`.
pub(in super::super) fn joined(text: &[u8], (at, mut start): (usize, usize), on_finding: OnFinding<'_>) {
    if at > 0
        && !matches!(text[at], b'/' | b'(')
        && text[at].is_ascii()
        && (text[at - 1].is_ascii_alphanumeric() || matches!(text[at - 1], b'/' | b'.' | b'-' | b'_' | b':' | b'@'))
    {
        return;
    }
    if matches!(text[start - 1], b' ' | b':') || !text[start - 1].is_ascii() {
        return after_comma(text, (at, start), on_finding);
    }
    let labelled = text[start - 1] != b'/';
    if labelled {
        // `u/p: bot/…`
        let window = first_line(&text[start..text.len().min(start + 48)]);
        let Some(slash) =
            window.iter().position(|b| *b == b'/').filter(|_| window.starts_with(b":") || window.starts_with(b" "))
        else {
            return;
        };
        start += slash + 1;
        start += text[start..].iter().take_while(|b| **b == b' ').count();
    }
    let length = text[start..].iter().take(72).take_while(|b| !b.is_ascii_whitespace()).count();
    let after = &text[start + length..];
    let (start, end) = trimmed(text, start, start + length);
    let value = &text[start..end];
    const FOLLOWERS: [&[u8]; 8] =
        [b" works", b" should", b" still", b" on the", b" for the", b" does", b" as log", b" is the"];
    let before = last_line(&text[at.saturating_sub(40)..at]);
    const LEADS: [&[u8]; 8] = [b"default", b"still", b"try ", b"use ", b"login", b"log in", b"cred", b"with "];
    let said = labelled
        || says_password(last_line(&text[at.saturating_sub(96)..at]))
        || before.ends_with(b"(") && memchr::memmem::find(before, b"://").is_some()
        || LEADS.iter().any(|word| contains_ignoring_case(before, word))
        || FOLLOWERS.iter().any(|word| after.starts_with(word));
    if is_strong(value) && !value.ends_with(b"+") || said && (is_plain(value) || heuristics::is_word_chain(value, 3)) {
        on_finding(start, end, &names::PASSWORD);
    }
}

/// The most lines of a list.
const MAX_ITEMS: usize = 40;

/// Passes the passwords of a list of accounts below the line of a name to `on_finding`.
pub(super) fn listed(text: &[u8], name: Name, class: NameClass, on_finding: OnFinding<'_>) {
    let window = &text[name.end..text.len().min(name.end + 4096)];
    let Some(first) = window.iter().take(120).position(|b| *b == b'\n') else { return };
    let mut at = first + 1;
    let mut blank = 0;
    let mut found = Vec::new();
    for _ in 0..MAX_ITEMS {
        let line = first_line(&window[at.min(window.len())..]);
        if line.trim_ascii().is_empty() {
            blank += 1;
            if blank > 1 || at >= window.len() {
                break;
            }
            at += line.len() + 1;
            continue;
        }
        let Some((start, end, look)) = item(line, class) else { break };
        found.push((name.end + at + start, name.end + at + end, look));
        at += line.len() + 1;
    }
    let strong = found.iter().any(|(_, _, look)| *look == Look::Strong);
    for (start, end, look) in found {
        if matches!(look, Look::Strong | Look::Clear) || strong && look == Look::Weak {
            on_finding(start, end, &names::PASSWORD);
        }
    }
}

/// How much what an item gives for an account looks like a password.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Look {
    /// With marks, as nothing else has them.
    Strong,
    Clear,
    /// Words that may be a role or a team as well, but for another item of the list that is strong: `coral-tower`.
    Weak,
    None,
}

/// Words before a list of accounts that do not say that there are passwords.
pub(in super::super) const LISTS: [&str; 14] = [
    "logins",
    "accounts for ",
    "logins for ",
    "accounts:",
    "accounts\n",
    "users:",
    "zug\u{e4}nge",
    "comptes :",
    "demo users",
    "test users",
    "seeded users",
    "users created",
    "users seeded",
    "accounts created",
];

/// Passes the passwords of a list of accounts, each of which has one, to `on_finding`.
pub(in super::super) fn list(text: &[u8], start: usize, end: usize, on_finding: OnFinding<'_>) {
    let line = text[end..].iter().take(120).take_while(|b| **b != b'\n').count();
    let announces = line < 100 && text[..end + line].ends_with(b":");
    if text[end - 1] != b'\n' && line > 40 && !announces {
        return;
    }
    let end = if text[end - 1] == b'\n' { end - 1 } else { end };
    let mut found = Vec::new();
    listed(text, Name { start, end, flag: false }, NameClass::Weak, &mut |start, end, label| {
        found.push((start, end, label))
    });
    let first = end + text[end..].iter().take(120).take_while(|b| **b != b'\n').count();
    let last = found.last().map_or(first, |(_, end, _)| *end);
    let items = text[first..last].split(|b| *b == b'\n').filter(|line| !line.trim_ascii().is_empty()).count();
    if found.len() >= 2 && found.len() == items {
        found.into_iter().for_each(|(start, end, label)| on_finding(start, end, label));
    }
}

/// Returns what an item `- alice – X` gives for its account, and how that looks; `None` if the line is no item.
fn item(line: &[u8], class: NameClass) -> Option<(usize, usize, Look)> {
    const SEPARATORS: [&str; 11] =
        [": ", " \u{2013} ", " - ", " \u{2014} ", " / ", " = ", " \u{2192} ", " -> ", "\t", "/", " => "];
    let lead = line.iter().take_while(|b| matches!(b, b' ' | b'>' | b'\t')).count();
    let rest = &line[lead..];
    // `booth-01  X`
    let columns = memchr::memmem::find(rest, b"  ").filter(|place| !rest[..*place].contains(&b' '));
    let bullet = match rest {
        _ if columns.is_some() => 0,
        [b'-' | b'*' | b'+', b' ', ..] => 2,
        [b'0'..=b'9', b'.' | b')', b' ', ..] => 3,
        _ if rest.starts_with("\u{2022} ".as_bytes()) => 4,
        _ => return None,
    };
    let content = &rest[bullet..];
    let marked = || {
        SEPARATORS.iter().filter_map(|mark| Some((memchr::memmem::find(content, mark.as_bytes())?, mark.len()))).min()
    };
    let gap = |place: usize| (place, content[place..].iter().take_while(|b| **b == b' ').count());
    let separator = columns.map(gap).or_else(marked);
    let Some((place, length)) = separator else { return Some((0, 0, Look::None)) };
    let account = &content[..place];
    let words = account.split(|b| *b == b' ').filter(|word| !word.is_empty()).count();
    let from = lead + bullet + place + length;
    let value = line[from..].iter().take_while(|b| !b.is_ascii_whitespace()).count();
    // `- alice / X – buyer`
    const TAILS: [&str; 5] = [" (", " \u{2013} ", " - ", " \u{2014} ", ", "];
    let tail = &line[from + value..];
    let alone = tail.trim_ascii().is_empty() || TAILS.iter().any(|mark| tail.starts_with(mark.as_bytes()));
    let (start, end) = trimmed(line, from, from + value);
    let password = &line[start..end];
    let fits = (1..=3).contains(&words)
        && account.iter().any(|b| b.is_ascii_alphanumeric() || !b.is_ascii())
        && alone
        && !account.contains(&b'=')
        && !is_ticket(password)
        && !is_sibling(trimmed_account(account), password)
        // `` - **Item**: `unit_amount_decimal` ``, a field.
        && !(line[start - 1] == b'`' && password.iter().all(|b| b.is_ascii_lowercase() || *b == b'_'))
        && (class == NameClass::Password || !password.iter().all(|b| b.is_ascii_hexdigit() || *b == b'-'));
    let clear = || is_plain(password) || is_odd(password) || heuristics::is_word_chain(password, 3);
    // `a.berg / kettle_88`
    let slashed = separator.is_some_and(|(place, _)| content[place..].starts_with(SLASH.as_bytes()));
    let numbered = || {
        let digits = password.iter().rev().take_while(|b| b.is_ascii_digit()).count();
        digits >= 2 && words == 1 && slashed && heuristics::is_marked_words(password)
    };
    let look = match fits {
        true if is_strong(password) => Look::Strong,
        true if clear() || numbered() => Look::Clear,
        true if heuristics::is_plain_pair(password) => Look::Weak,
        _ => Look::None,
    };
    Some((start, end, look))
}

#[cfg(test)]
mod tests {
    use crate::redact::canaries::{SEED, fill, scrub};

    #[test]
    fn passwords_beside_accounts_are_found() {
        let password = fill("Wq<a7>4z", SEED);
        for template in [
            "Lancom Admin: root / @",
            "Per il sito entra con gmarchetti / @.",
            "can log in with demo@example.org / @",
            "admin/@ works on the staging box",
            "u/p: bot/@",
            "Accounts for the demo, with passwords:\n- alice – @\n- bob – @\n",
            "Logins\n* alice: @\n* bob: @\n",
            "Passwords for the lab:\n1. lab1: @\n2. lab2: @\n",
            "Test accounts for the run:\n\n1. a.berg / @ \u{2013} buyer\n2. c.dahl / @ - seller\n",
        ] {
            let scrubbed = scrub(&template.replace('@', &password).replace("demoWq", "demo@"));
            assert!(!scrubbed.contains(&password), "{scrubbed}");
        }
    }

    #[test]
    fn words_beside_accounts_are_found() {
        let random = fill("Wq<a11>4z", SEED);
        for (template, password) in [
            ("supplier-a / @\n", random.as_str()),
            ("All accounts for the laptops, please print:\n\nbooth-01  @\nbooth-02  Wq9!xKe4$7\n", random.as_str()),
            ("guest / @. Click on it", "coffee4visitors"),
            ("mirela: admin / @ \n", "Br@nch-Otter"),
            ("10.0.2.15  iDRAC   root / @\n", "calvin7"),
            ("log in with buildadmin / @\n", "l0ck-ness-otter"),
            ("Login was created: tom_k / @ and more\n", "Walnut.Wagon3"),
            ("Login anna@example.org / @\n", "Walnutboat-1893"),
            ("Das Passwort war zu schwach (admin / @).", "welcome01"),
            ("口令太弱(admin / @),被扫描", "welcome01"),
            ("2) USV, 10.0.0.4 — login apc / @\n", "Vinter_Lampa!"),
        ] {
            let scrubbed = scrub(
                &template
                    .replacen('@', password, 1)
                    .replace("annaWalnutboat-1893", "anna@")
                    .replace("/ @", &format!("/ {password}")),
            );
            assert!(!scrubbed.contains(password), "{scrubbed}");
        }
    }

    #[test]
    fn words_with_numbers_in_a_list_are_found() {
        let scrubbed =
            scrub("Test accounts for it:\n\n1. a.berg / Windmill_731 (buyer)\n2. c.dahl / kettle_88 - seller\n");
        assert!(!scrubbed.contains("Windmill_731") && !scrubbed.contains("kettle_88"), "{scrubbed}");
    }

    #[test]
    fn words_in_a_list_with_a_clear_password_are_found() {
        let clear = fill("Wq9!<a5>4z", SEED);
        for heading in ["Demo users made by the seed:", "The users created here:", "Test accounts for it:"] {
            let list = format!("{heading}\n* anna \u{2192} coral-tower\n* ben (admin) \u{2192} {clear}\n");
            let scrubbed = scrub(&list);
            assert!(!scrubbed.contains("coral-tower") && !scrubbed.contains(&clear), "{scrubbed}");
        }
    }

    #[test]
    fn other_slashes_and_lists_stay() {
        for text in [
            "read / write, and / or, 100% / 200%, a slice / UTF-8-like, f / Uint16Array.LEN, user / Password1",
            "test (Hirotaka Tagawa / wafuwafu13), `caseNN.01.before_*` / `caseNN.02.after_*` scheme",
            "admin/users works, root/lib64 is a path, admin/settings2 for the rest",
            "Users with passwords:\n- alice – expired 2024-01-02\n- bob – see ticket ABC-1234\n- carol – none\n",
            "Test users:\n- anna \u{2013} backend-team\n- ben \u{2013} team2024x\n",
            "See https://x.example (admin / back-office) for the split: `Lamp4Auth` / `S3Lamp4Auth`, Form89 / Form90",
            "Demo users:\n* a@example.org \u{2192} read-only\n* b@example.org \u{2192} team-lead\n",
            "Logins:\n- alice: Chrome-120\n- bob: 2024-01-02\n- **login (LMP-004 / TEA-001).** **Tea Desktop / LMP-4o** users",
            "Accounts:\n- main: 0x52908400098527886E0F7030069857D2E4169EE7\n- other: none\n",
        ] {
            assert_eq!(scrub(text), text);
        }
    }
}
