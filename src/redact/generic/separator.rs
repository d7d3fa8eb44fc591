//! Separators between a name and its value.

mod forms;

use super::super::heuristics::WordList;
use super::super::text::{first_line, last_line, starts_ignoring_case};
use super::pairs::is_attribute;
use super::{Name, program};
use forms::{
    after_parameter, after_tag_or_note, declared, is_row_of_two, next_element, serialized, summarized, underlined,
};

/// The kinds of separator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Separator {
    /// `=`, `:=`, `=>` and the like.
    Assign,
    /// `:`, also of full width.
    Colon,
    /// The border of a table's cell.
    Cell,
    /// The blank after an option.
    Flag,
    /// The end of an XML tag.
    Tag,
    /// The next argument or element.
    Comma,
    /// The first argument.
    Call,
    /// A blank after which only a value can follow, as in `.netrc` or a Dockerfile.
    Blank,
    /// Words: "the password is …".
    Words,
}

/// Returns the separator after a name, and the offset at which the value may begin.
pub(super) fn separator(text: &[u8], name: Name) -> Option<(Separator, usize)> {
    let (mut at, closed) = after_closers(text, name.end);
    let touching = at;
    at = skip_blanks(text, after_length(text, name.end).unwrap_or(at));
    at = after_domain(text, after_note(text, at));
    let rest = &text[at..];
    let first = *rest.first()?;
    if first == b'\n' && (is_heading(text, name.start) || is_defined(rest) || is_one_of_many(text, name)) {
        return Some((Separator::Colon, below(text, at)?));
    }
    if matches!(first, b'\n' | b'<')
        && let Some(end) = underlined(text, name, at).or_else(|| summarized(rest).map(|length| at + length))
    {
        return Some((Separator::Colon, below(text, end)?));
    }
    // `- --password`, and its value as the next item of a list.
    if first == b'\n' && name.flag && text[..name.start].trim_ascii_end().ends_with(b"-") {
        return Some((Separator::Flag, below(text, at)?));
    }
    // The field of a form as it is sent: its value follows an empty line.
    if closed
        && matches!(first, b'\n' | b'\r' | b'\\')
        && [&b"name=\""[..], b"name=\\\""].iter().any(|field| text[..name.start].ends_with(field))
    {
        return Some((Separator::Assign, part_value(text, at)?));
    }
    let given = program::returned(text, name).or_else(|| program::fallback(text, touching));
    if let Some(at) = given {
        return Some((Separator::Assign, at));
    }
    let attribute = closed && is_attribute(text, name.start);
    let (separator, length) = match first {
        // `::=` and `:::=` of Makefiles.
        b':' if rest.starts_with(b"::=") => (Separator::Assign, 3),
        b':' if rest.starts_with(b":::=") => (Separator::Assign, 4),
        b':' if rest.starts_with(b"::") && is_workflow_command(&text[..name.start]) => (Separator::Assign, 2),
        b':' if rest.starts_with(b":: '") || rest.starts_with(b":: \"") => (Separator::Colon, 2),
        b':' if rest.starts_with(b"::") => return None,
        b':' if rest.starts_with(b":=") => (Separator::Assign, 2),
        b':' => (Separator::Colon, 1),
        // `Bind password ..... X`
        b'.' if at > touching && rest.starts_with(b"... ") || rest.starts_with(b".... ") => {
            (Separator::Colon, rest.iter().take_while(|b| **b == b'.').count())
        }
        b'.' if rest.starts_with(b".....") && (at > touching || rest.starts_with(b"........")) => {
            let dots = rest.iter().take(80).take_while(|b| **b == b'.').count();
            (Separator::Colon, dots + usize::from(rest.get(dots) == Some(&b':')))
        }
        b'=' if rest.starts_with(b"=~") => return None,
        b'!' if rest.starts_with(b"!=") => (Separator::Call, 2 + usize::from(rest.get(2) == Some(&b'='))),
        b'=' => (Separator::Assign, rest.iter().take(3).take_while(|b| matches!(b, b'=' | b'>')).count()),
        b'?' | b'+' | b'.' if rest.get(1) == Some(&b'=') => (Separator::Assign, 2),
        b'!' | b'?' if rest.get(1) == Some(&b':') => (Separator::Colon, 2),
        b'|' if rest.starts_with(b"||=") => (Separator::Assign, 3),
        b'<' if rest.starts_with(b"<- ") => (Separator::Assign, 2),
        b'A' | b'a' if starts_ignoring_case(rest, b"as string =") => (Separator::Assign, 11),
        // `process.env.SECRET || "…"`
        b'|' | b'?' if rest.starts_with(b"|| ") || rest.starts_with(b"?? ") => (Separator::Call, 2),
        b'|' if rest.starts_with(b"||") => return None,
        b'|' => (Separator::Cell, 1),
        b',' if closed => (Separator::Comma, 1),
        b'(' if at == name.end && is_quote(rest.get(1)) => (Separator::Call, 1),
        // `kPassword{"…"}`
        b'{' if at == name.end && rest.get(1) == Some(&b'"') => (Separator::Assign, 1),
        // `s:8:"password";s:12:"…"`, and `read PASSWORD <<< "…"`
        b';' if closed => (Separator::Assign, serialized(rest)?),
        b'<' if rest.starts_with(b"<<< ") => (Separator::Assign, 3),
        // `password nvarchar(50) = N'…'`, `token VARCHAR2(30) := '…'`, `PASSWORD PIC X(20) VALUE '…'`
        _ if at > touching
            && let Some(length) = declared(rest) =>
        {
            (Separator::Assign, length)
        }
        // `DATA(password) = '…'`
        b')' if rest.starts_with(b") = '") => (Separator::Assign, 3),
        // `password:: 'x'` of Jsonnet, `\newcommand{\password}{…}`
        b'}' if rest.starts_with(b"}{") => (Separator::Assign, 2),
        // `${PASSWORD}    x`, a variable of Robot Framework.
        b'}' if rest.starts_with(b"}   ") && text[..name.start].ends_with(b"${") => (Separator::Colon, 1),
        // A line of the registry of Windows.
        b'R' if rest.starts_with(b"REG_SZ ") => (Separator::Assign, 6),
        // `name,value`
        b',' if is_row_of_two(text, name, at) => (Separator::Assign, 1),
        b'>' if attribute => (Separator::Tag, 1),
        // `<setting name="ApiKey" serializeAs="String"><value>…`
        _ if attribute && at > touching => (Separator::Tag, attributes(rest)?),
        // `<label>Password</label> <span>…</span>`
        b'<' if rest.starts_with(b"</") && at == name.end => (Separator::Colon, next_element(rest)?),
        b'>' if text[..name.start].trim_ascii_end().ends_with(b"<") => (Separator::Tag, 1),
        // `<Pass encoding="base64">`
        _ if at == name.end + 1 && opens_tag(&text[..name.start]) => (Separator::Tag, attributes(rest)?),
        0xef if rest.starts_with("：".as_bytes()) => (Separator::Colon, 3),
        0xef if rest.starts_with("＝".as_bytes()) => (Separator::Assign, 3),
        _ if name.flag && at > touching => (Separator::Flag, 0),
        _ if at > touching && takes_blank(text, name) => (Separator::Blank, 0),
        _ => return None,
    };
    at = opened(text, skip_blanks(text, opened(text, at + length)));
    // `<Password><Value>…</Value>`
    if separator == Separator::Tag && has_value(&text[at..]) {
        let blanks = text[at..].len() - text[at..].trim_ascii_start().len();
        at += blanks + b"<value>".len();
    }
    at = after_tag_or_note(text, at, separator);
    if matches!(separator, Separator::Assign | Separator::Colon) {
        at = after_parameter(text, at);
    }
    if text.get(at) == Some(&b'\n') {
        at = match separator {
            Separator::Colon | Separator::Assign => below(text, at).unwrap_or(at),
            Separator::Tag => at + text[at..].iter().take(64).take_while(|b| b.is_ascii_whitespace()).count(),
            _ => at,
        };
    }
    Some((separator, after_type(text, at, separator)))
}

/// Skips the length of an array after its name: `secret[25] = …`.
fn after_length(text: &[u8], end: usize) -> Option<usize> {
    let rest = text[end..].strip_prefix(b"[")?;
    let digits = rest.iter().take(4).take_while(|b| b.is_ascii_digit()).count();
    (digits > 0 && rest[digits..].starts_with(b"] =")).then_some(end + digits + 2)
}

/// Whether a tag opens at the end of `before`, with a prefix for its namespace or without: `<wsse:`.
fn opens_tag(before: &[u8]) -> bool {
    let prefix = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.');
    let open = before.strip_suffix(b":").map(|before| {
        let length = before.iter().rev().take(24).take_while(|b| prefix(b)).count();
        &before[..before.len() - length]
    });
    open.unwrap_or(before).ends_with(b"<")
}

/// Whether an element `value` begins, after blanks or not.
fn has_value(rest: &[u8]) -> bool {
    starts_ignoring_case(rest[..rest.len().min(64)].trim_ascii_start(), b"<value>")
}

/// Skips a note in brackets between a name and the colon: `Secret key (keep it): …`.
fn after_note(text: &[u8], at: usize) -> usize {
    if text.get(at) != Some(&b'(') || at == 0 || text[at - 1] != b' ' {
        return at;
    }
    let window = &text[at..text.len().min(at + 40)];
    let Some(end) = window.iter().position(|b| matches!(b, b')' | b'\n')).filter(|end| window[*end] == b')') else {
        return at;
    };
    let worded = window[1..end]
        .iter()
        .all(|b| b.is_ascii_alphabetic() || !b.is_ascii() || matches!(b, b' ' | b'!' | b'\'' | b'-'));
    if worded && window.get(end + 1) == Some(&b':') { at + end + 1 } else { at }
}

/// Skips the domain that a code is for: `auth code for example.org: …`.
fn after_domain(text: &[u8], at: usize) -> usize {
    const WORDS: [&[u8]; 9] = [
        b"der Domain ",
        b"du domaine ",
        b"del dominio ",
        b"for ",
        "f\u{fc}r ".as_bytes(),
        b"of ",
        b"pour ",
        b"para ",
        b"per ",
    ];
    let rest = &text[at..text.len().min(at + 72)];
    let Some(word) = WORDS.iter().find(|word| rest.starts_with(word)) else { return at };
    let domain =
        rest[word.len()..].iter().take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'.')).count();
    let end = word.len() + domain;
    let is_domain = rest[word.len()..end].contains(&b'.') && rest.get(end) == Some(&b':');
    if is_domain { at + end } else { at }
}

/// Whether a command of a workflow ends before a name that it sets: `::set-output name=`.
fn is_workflow_command(before: &[u8]) -> bool {
    [&b"set-output name="[..], b"save-state name=", b"set-env name="].iter().any(|command| before.ends_with(command))
}

/// Returns the offset of the value in a part of a form, whose first header ends at `at`: after an empty line.
fn part_value(text: &[u8], at: usize) -> Option<usize> {
    const ENDS: [(&[u8], &[u8]); 3] = [(b"\n", b"\n\n"), (b"\r\n", b"\r\n\r\n"), (b"\\r\\n", b"\\r\\n\\r\\n")];
    let window = &text[at..text.len().min(at + 160)];
    let (_, empty) = ENDS.iter().find(|(end, _)| window.starts_with(end))?;
    Some(at + memchr::memmem::find(window, empty)? + empty.len())
}

/// Returns the length of the attributes of a tag and of its end.
fn attributes(rest: &[u8]) -> Option<usize> {
    let end = rest.iter().take(240).position(|b| matches!(b, b'<' | b'>' | b'\n'))?;
    (rest[end] == b'>' && rest[..end].contains(&b'=') && !rest[..end].ends_with(b"/")).then_some(end + 1)
}

/// Skips emphasis that opens at `at`.
fn opened(text: &[u8], at: usize) -> usize {
    at + text[at..].iter().take(3).take_while(|b| matches!(b, b'*' | b'_')).count()
}

/// Skips the digit that says how a router stores the password: `password 0 …`.
fn after_type(text: &[u8], at: usize, separator: Separator) -> usize {
    let typed = separator == Separator::Blank && text.get(at).is_some_and(u8::is_ascii_digit);
    if typed && text.get(at + 1) == Some(&b' ') { at + 2 } else { at }
}

/// Skips the quotes and marks that close a name; returns whether there are any, too.
pub(super) fn after_closers(text: &[u8], end: usize) -> (usize, bool) {
    let (mut at, mut closed) = (end, false);
    while at < end + 8 {
        let rest = text.get(at..).unwrap_or_default();
        at += match rest.first() {
            Some(b'"' | b'\'' | b'`' | b'*' | b'_' | b'[' | b']') => 1,
            Some(b'\\') if is_quote(rest.get(1)) => 1,
            // `user%5Bpassword%5D=…`
            Some(b'%') if starts_ignoring_case(rest, b"%5d") => 3,
            Some(0xe2) if ["“", "”", "‘", "’"].iter().any(|quote| rest.starts_with(quote.as_bytes())) => 3,
            Some(0xc2) if rest.starts_with("»".as_bytes()) => 2,
            _ => break,
        };
        closed = true;
    }
    (at, closed)
}

/// Whether a blank alone separates this name from its value: in a Dockerfile, `.netrc`, the settings of a server.
fn takes_blank(text: &[u8], name: Name) -> bool {
    static USERS: WordList = WordList::new("login user");
    static SETTINGS: WordList = WordList::new("requirepass masterauth wpa-psk wpa_passphrase storepass keypass");
    const BEFORE: &str = "ENV ARG setx SETX";
    const LINES: [&[u8]; 11] = [
        b"machine",
        b"default",
        b"username",
        b"user",
        b"neighbor",
        b"enable",
        b"tacacs-server",
        b"radius-server",
        b"set",
        b"login",
        b"snmp-server",
    ];
    if text[name.end..].starts_with(b" to ") || text[name.end..].starts_with(b" is ") {
        return false;
    }
    let line = text[..name.start].iter().rev().take(96).take_while(|b| **b != b'\n').count();
    let before = &text[name.start - line..name.start];
    let lead = before.iter().take_while(|b| matches!(b, b'>' | b' ' | b'`' | b'+' | b'-' | b'$' | b'#')).count();
    let before = before[lead..].trim_ascii();
    let mut words = before.split(|b| b.is_ascii_whitespace());
    let first = words.next().unwrap_or_default();
    let last = words.next_back().unwrap_or(first);
    let word = &text[name.start..name.end];
    // In other spellings than lower case it is a heading or a label.
    let plain = matches!(word, b"password" | b"secret" | b"passwd" | b"psk" | b"insecure-password");
    SETTINGS.has(word)
        // `CREATE USER x PASSWORD '…'`
        || (word == b"PASSWORD" && text[name.end..].starts_with(b" '"))
        || (word == b"PASS" && is_login_step(text, name.start))
        || BEFORE.split(' ').any(|known| last == known.as_bytes())
        || (plain && (LINES.contains(&first) || words.next_back().is_some_and(|word| USERS.has(word))))
        || (plain && before.is_empty() && line > 0)
        || (before.is_empty() && PASSWORDS.has(word) && is_below_user(text, name))
        // `password 7 …`: how it is stored, then the password.
        || (plain && matches!(text[name.end..], [b' ', b'0'..=b'9', b' ', ..]))
}

/// Words that name a password on a line of its own.
static PASSWORDS: WordList = WordList::new(
    "password pass pw pwd passwd passwort kennwort wachtwoord senha clave mdp haslo heslo parola salasana passord adgangskode",
);

/// Whether a name and one word are all of a line, and the line before is that of the account.
fn is_below_user(text: &[u8], name: Name) -> bool {
    static ACCOUNTS: WordList = WordList::new(
        "user username login account email mail e-mail utente usuario usu\u{e1}rio utilisateur identifiant benutzer \
        benutzername gebruiker gebruikersnaam bruger bruker anv\u{e4}ndare u\u{17c}ytkownik u\u{17e}ivatel kullan\u{131}c\u{131} k\u{e4}ytt\u{e4}j\u{e4} name id",
    );
    let before = &text[name.start.saturating_sub(96)..name.start];
    let Some(end) = before.iter().rposition(|b| *b == b'\n') else { return false };
    let above = &before[..end];
    let above = last_line(above).trim_ascii();
    let first = above.split(|b| matches!(b, b' ' | b':' | b'\t')).find(|word| !word.is_empty()).unwrap_or_default();
    let rest = &text[name.end..text.len().min(name.end + 64)];
    let rest = first_line(rest).trim_ascii();
    ACCOUNTS.has(first) && !rest.is_empty() && !rest.iter().any(u8::is_ascii_whitespace)
}

/// Whether the line of `at` follows the user's name in the login of a mailbox or a file server: `USER …`, `331 …`, `+OK`,
/// or the server's answer follows: `230 …`.
fn is_login_step(text: &[u8], at: usize) -> bool {
    let rest = &text[at..text.len().min(at + 96)];
    let answer = rest.iter().position(|b| *b == b'\n').map_or(&b""[..], |end| &rest[end + 1..]);
    let answer = answer.trim_ascii_start();
    let answer = answer.strip_prefix(b"<").or_else(|| answer.strip_prefix(b"S:")).unwrap_or(answer).trim_ascii_start();
    if [&b"230"[..], b"+OK", b"530", b"-ERR"].iter().any(|start| answer.starts_with(start)) {
        return true;
    }
    let before = &text[at.saturating_sub(160)..at];
    let Some(end) = before.iter().rposition(|b| *b == b'\n') else { return false };
    let lead = &before[end + 1..];
    let lines = before[..end].rsplit(|b| *b == b'\n').take(2);
    let is_step = |line: &[u8]| {
        [&b"USER "[..], b"331 ", b"+OK"]
            .iter()
            .any(|start| line.windows(start.len()).take(24).any(|part| part == *start))
    };
    lead.len() <= 24
        && lead.iter().all(|b| !b.is_ascii_lowercase() || lead.ends_with(b"> ") || lead.ends_with(b": "))
        && lines.into_iter().any(is_step)
}

/// Whether the line of `at` is a heading.
fn is_heading(text: &[u8], at: usize) -> bool {
    let before = &text[at.saturating_sub(96)..at];
    let start = before.iter().rposition(|b| *b == b'\n').map_or(0, |end| end + 1);
    before[start..].trim_ascii_start().starts_with(b"#")
}

/// Whether a variable is alone on its line, and the one after the next is another: a page that lists them, copied.
fn is_one_of_many(text: &[u8], name: Name) -> bool {
    let variable = |line: &[u8]| {
        line.contains(&b'_') && line.iter().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || *b == b'_')
    };
    let begins = name.start == 0 || text[name.start - 1] == b'\n';
    let mut below = text[name.end..text.len().min(name.end + 256)].split(|b| *b == b'\n').skip(2);
    begins && variable(&text[name.start..name.end]) && below.next().is_some_and(|line| variable(line.trim_ascii()))
}

/// Whether a definition follows: `\n:   `.
fn is_defined(rest: &[u8]) -> bool {
    rest.starts_with(b"\n: ")
}

/// Returns the offset of a value that is alone on the next line that is not empty, also in a fence or a definition.
/// `end` is the end of the line before.
pub(super) fn below(text: &[u8], end: usize) -> Option<usize> {
    let mut at = end;
    for _ in 0..4 {
        let start = at + 1;
        let lead = text.get(start..)?.iter().take(64).take_while(|b| is_lead(**b)).count();
        let rest = &text[start + lead..text.len().min(start + lead + 256)];
        let line = first_line(rest);
        at = start + lead + line.len();
        if line.is_empty() || line.starts_with(b"```") || line.starts_with(b"~~~") {
            continue;
        }
        let alone = !line.trim_ascii_end().iter().any(u8::is_ascii_whitespace) && line.len() < 256;
        // `NEXT=…`, the next variable after an empty one.
        let variable = line.iter().take_while(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || **b == b'_').count();
        let key = line.contains(&b':') && !line.starts_with(b"`") || variable > 1 && line.get(variable) == Some(&b'=');
        return (alone && !key).then_some(start + lead);
    }
    None
}

/// Whether `byte` may precede the text of a line: indentation, the mark of a quote, a list or a comment.
fn is_lead(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'>' | b'|' | b'+' | b'/' | b'#' | b'*' | b':' | b'-' | b'\r')
}

/// Whether `byte` opens a quoted text.
pub(super) fn is_quote(byte: Option<&u8>) -> bool {
    matches!(byte, Some(b'"' | b'\'' | b'`'))
}

/// Skips blanks at `at`, at most 64 bytes.
pub(super) fn skip_blanks(text: &[u8], at: usize) -> usize {
    let mut length = 0;
    while length < 64 {
        length += match text[at + length..] {
            [b' ' | b'\t', ..] => 1,
            // No-break spaces, which French puts before a colon, and an em space.
            [0xc2, 0xa0, ..] => 2,
            // And the space of Chinese and Japanese.
            [0xe2, 0x80, 0xaf | 0x83 | 0x82 | 0x89, ..] | [0xe3, 0x80, 0x80, ..] => 3,
            _ => break,
        };
    }
    at + length
}
