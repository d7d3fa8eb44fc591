//! Values after a separator: where they begin and end, and whether they look secret.

use super::super::heuristics::{self, NameClass, WordList};
use super::super::names;
use super::super::text::{contains_ignoring_case, starts_ignoring_case};
use super::separator::{Separator, is_quote, skip_blanks};
use super::{Name, later, mentioned, plain, prose, siblings};

/// The longest value that is read.
const MAX_VALUE_BYTES: usize = 1024;

/// The place of a value in a text.
#[derive(Debug, Clone, Copy)]
pub(super) struct ValueSpan {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) quoted: bool,
}

/// Returns the value at `at`, and whether it looks like a secret.
pub(super) fn value(
    text: &[u8],
    name: Name,
    at: usize,
    separator: Separator,
    class: NameClass,
) -> Option<(ValueSpan, bool)> {
    let at = after_block_mark(text, after_wrapper(text, at, separator), separator);
    let found = match quoted(text, at) {
        Some(found) if !found.quoted && needs_quotes(separator) => return None,
        Some(found) => found,
        None if needs_quotes(separator) => return None,
        None => bare(text, at, separator),
    };
    // `password: string = "…"`
    if !found.quoted && separator == Separator::Colon {
        let next = skip_blanks(text, found.end);
        if next > found.end && text.get(next) == Some(&b'=') && text.get(next + 1) != Some(&b'=') {
            if is_number_type(&text[found.start..found.end]) {
                return None;
            }
            return value(text, name, skip_blanks(text, next + 1), Separator::Assign, class);
        }
    }
    let whole = found;
    let found = after_scheme(text, found, separator);
    // The word after the scheme of an authorization header is a token whatever it looks like.
    let moved = found.start > whole.start || found.end > whole.end;
    let class = if class == NameClass::Weak && moved { NameClass::Token } else { class };
    // What a sentence may end with is part of a value in a tag.
    let marks = text[found.end..].iter().take(8).take_while(|b| matches!(b, b'!' | b'?' | b'.' | b'*' | b'_')).count();
    let found = match separator {
        Separator::Tag if text[skip_blanks(text, found.end + marks)..].starts_with(b"</") => {
            ValueSpan { end: found.end + marks, ..found }
        }
        _ => found,
    };
    if class == NameClass::Password && separator == Separator::Tag {
        let inside = &text[at..text.len().min(at + 96)];
        let inside = &inside[..inside.iter().position(|b| *b == b'<').unwrap_or(0)];
        if heuristics::is_saying(inside) && !inside.iter().any(u8::is_ascii_uppercase) {
            return Some((ValueSpan { start: at, end: at + inside.len(), quoted: false }, true));
        }
    }
    let after = &text[found.end..text.len().min(found.end + 64)];
    if separator == Separator::Tag
        && ![&b"</"[..], b"]]></"].iter().any(|end| after.trim_ascii_start().starts_with(end))
    {
        return None;
    }
    let content = inner(&text[found.start..found.end]);
    // `DEFAULT_SECRET: Aligned64<[u8; 64]>`, a type.
    let generic = !found.quoted
        && text.get(found.end) == Some(&b'<')
        && text.get(found.end + 1).is_some_and(|b| b.is_ascii_uppercase() || matches!(b, b'[' | b'\''));
    // `base.pass("…")`, a function.
    let called =
        separator == Separator::Call && text[..name.end].ends_with(b"pass") && text.get(name.end) == Some(&b'(');
    if generic || called || class == NameClass::Weak && separator == Separator::Comma && is_listed(text, name) {
        return Some((found, false));
    }
    if is_same_word(&text[name.start..name.end], content) {
        return Some((found, false));
    }
    let secret = heuristics::looks_secret(content, class, found.quoted || separator == Separator::Tag)
        || (found.quoted && heuristics::is_passphrase(content, class))
        || (found.quoted && !matches!(class, NameClass::Weak | NameClass::Hint) && heuristics::is_noise(content))
        || is_word_password(text, name, found, separator, class)
        || is_typed(text, name, found, separator, class)
        || class == NameClass::Password
            && matches!(separator, Separator::Assign | Separator::Colon | Separator::Blank)
            && siblings::is_password(text, name, (found.start, found.end), found.quoted)
        || separator == Separator::Flag
            && class == NameClass::Password
            && content.len() >= 12
            && heuristics::is_chosen(content)
        || (matches!(class, NameClass::Password | NameClass::Weak | NameClass::Token)
            && is_setting(text, name, found, separator)
            && (class == NameClass::Password || heuristics::has_all_kinds(content))
            && heuristics::is_chosen(content))
        || is_joined(text, name, found, separator, class)
        || matches!(separator, Separator::Assign | Separator::Call | Separator::Flag | Separator::Tag)
            && (found.quoted || separator == Separator::Tag)
            && plain::is_stored(text, name, (found.start, found.end), class)
        || class == NameClass::Password
            && heuristics::is_plain_words(content)
            // `user%5Bpassword%5D=…`, a field of a form.
            && (text[name.end..].starts_with(b"%5D=")
                || separator == Separator::Colon && plain::is_in_flow_mapping(text, name, found))
        || is_known_word(text, name, found, separator, class)
        || is_quoted_saying(content, found, separator, class)
        || found.quoted
            && class == NameClass::Password
            && is_setting(text, name, found, separator)
            && is_phrase(content)
        || class == NameClass::Secret
            && is_own_line(text, name, found, separator)
            && (later::is_plain(content) || heuristics::is_joined_words(content))
        || found.quoted && is_made_salt(&text[name.start..name.end], content)
        || class == NameClass::Weak && is_asked_token(text, name, content)
        || class == NameClass::Hint
            && (found.quoted || separator != Separator::Colon)
            && mentioned::says_secret(&text[name.start..name.end])
            && mentioned::is_unmistakable(content)
        || class == NameClass::Hint && is_key_like_digest(&text[name.start..name.end], content, separator)
        || (class == NameClass::Weak
            && matches!(separator, Separator::Assign | Separator::Colon | Separator::Flag)
            && (found.quoted || separator != Separator::Colon || is_header_or_variable(&text[name.start..name.end]))
            && (heuristics::is_hexadecimal_key(content) || heuristics::is_uuid(content)));
    if found.quoted {
        return Some((found, secret));
    }
    let named = separator == Separator::Colon && is_passphrase_name(&text[name.start..name.end]);
    if separator == Separator::Colon && (named && !secret || class == NameClass::Password) {
        let line = &text[at..text.len().min(at + 128)];
        let line =
            &line[..line.iter().position(|b| matches!(b, b'\n' | b'`' | b'<' | b'|' | b'"')).unwrap_or(line.len())];
        if heuristics::is_passphrase(line, class)
            && (named || is_record(text, name, at + line.len()) && !heuristics::is_description(line))
        {
            return Some((ValueSpan { start: at, end: at + line.trim_ascii_end().len(), quoted: true }, true));
        }
    }
    if class == NameClass::Password
        && !secret
        && matches!(separator, Separator::Assign | Separator::Colon)
        && text.get(found.end) == Some(&b' ')
    {
        let line = &text[at..text.len().min(at + 128)];
        let line = &line[..line.iter().position(|b| *b == b'\n').unwrap_or(line.len())];
        let found = ValueSpan { start: at, end: at + line.len(), quoted: false };
        let before = &text[name.start.saturating_sub(24)..name.end];
        let network = [&b"wifi"[..], b"wi-fi", b"wlan"].iter().any(|word| contains_ignoring_case(before, word));
        let plain = !line.iter().any(u8::is_ascii_uppercase) && is_line_of_settings(text, name, found, separator);
        if (plain || network && separator == Separator::Colon) && heuristics::is_saying(line) {
            return Some((found, true));
        }
    }
    if matches!(class, NameClass::Password | NameClass::Secret)
        && !secret
        && separator == Separator::Assign
        && let Some(end) = phrase_before_field(text, found)
    {
        return Some((ValueSpan { end, ..found }, true));
    }
    if class == NameClass::Password
        && matches!(separator, Separator::Assign | Separator::Colon | Separator::Flag)
        && let Some(end) = run_end(text, found)
        && (secret
            || separator != Separator::Flag
                && (heuristics::is_marked_password(&text[found.start..end])
                    || heuristics::is_marked_words(&text[found.start..end])))
    {
        return Some((ValueSpan { end, ..found }, true));
    }
    // A sentence may end so, hence they were left out above; but they may be part of the secret. Stars end an emphasis
    // only if one began.
    let line = &text[name.start.saturating_sub(64)..found.start];
    let line = &line[line.iter().rposition(|b| *b == b'\n').map_or(0, |end| end + 1)..];
    let starred = line.contains(&b'*') || separator == Separator::Words;
    let marks =
        text[found.end..].iter().take(8).take_while(|b| matches!(b, b'!' | b'?') || **b == b'*' && !starred).count();
    Some((ValueSpan { end: found.end + marks, ..found }, secret))
}

/// Whether a value of a digest's length is a key rather than one: it stands alone under a name such as `weather_key`.
fn is_key_like_digest(name: &[u8], value: &[u8], separator: Separator) -> bool {
    names::is_of_secret_key(name)
        && matches!(separator, Separator::Assign | Separator::Colon)
        && matches!(value.len(), 40 | 64)
        && heuristics::is_hexadecimal_key(value)
        && !heuristics::is_placeholder(value)
}

/// Whether the type of a constant is that of a number.
fn is_number_type(word: &[u8]) -> bool {
    static TYPES: WordList = WordList::new("u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize int long number");
    TYPES.has(word)
}

/// Whether a name is itself an element of a list: `'a', 'token', 'b'`.
fn is_listed(text: &[u8], name: Name) -> bool {
    let before = text[..name.start].trim_ascii_end();
    let before = before.strip_suffix(b"\"").or_else(|| before.strip_suffix(b"'")).unwrap_or(before);
    !name.flag && before.trim_ascii_end().ends_with(b",")
}

/// Returns a value without quotes of its own, and a cookie's or a parameter's without its name.
fn inner(value: &[u8]) -> &[u8] {
    for quote in [&b"\\\""[..], b"\"", b"'"] {
        if let Some(inside) = value.strip_prefix(quote).and_then(|rest| rest.strip_suffix(quote)) {
            return inside;
        }
    }
    let equals = value.iter().position(|b| *b == b'=');
    match equals {
        Some(at)
            if at > 0
                && at + 1 < value.len()
                && heuristics::is_name(&value[..at])
                && heuristics::is_name(&value[at + 1..]) =>
        {
            &value[at + 1..]
        }
        _ => value,
    }
}

/// Whether a value is a password of several words that stands where nothing but a value can, so that it is no variable of a
/// program.
fn is_word_password(text: &[u8], name: Name, found: ValueSpan, separator: Separator, class: NameClass) -> bool {
    let least = match class {
        NameClass::Password => 3,
        // `secret = …` of a server's settings.
        NameClass::Secret if is_own_line(text, name, found, separator) => 3,
        NameClass::Secret | NameClass::Key | NameClass::Token
            if separator == Separator::Assign && is_setting(text, name, found, separator)
                || found.quoted && class != NameClass::Token =>
        {
            4
        }
        _ => return false,
    };
    let content = &text[found.start..found.end];
    if !heuristics::is_word_chain(content, least) {
        return false;
    }
    let line = &text[name.start.saturating_sub(96)..name.start];
    let line = &line[line.iter().rposition(|b| *b == b'\n').map_or(0, |end| end + 1)..];
    let ends = |also: &[u8]| text.get(found.end).is_none_or(|b| b.is_ascii_whitespace() || also.contains(b));
    let name = &text[name.start..name.end];
    match separator {
        _ if found.quoted => true,
        Separator::Tag | Separator::Blank | Separator::Flag | Separator::Cell => true,
        Separator::Comma | Separator::Call | Separator::Words => false,
        _ if content.contains(&b'-') => true,
        // A blank before `=` is usual in programs, and so are brackets before the name.
        Separator::Assign => {
            matches!(text[..found.start], [.., b'='])
                && !line.contains(&b'(')
                && ends(b"&\"'`")
                && !is_spaced(text, found)
        }
        Separator::Colon => {
            let is_type = content[0].is_ascii_uppercase() && name[0].is_ascii_lowercase();
            text.get(found.end).is_none_or(|b| *b == b'\n') && !is_type
        }
    }
}

/// Whether a value is words that a mark joins, as people choose them, where no expression of a program can be.
fn is_joined(text: &[u8], name: Name, found: ValueSpan, separator: Separator, class: NameClass) -> bool {
    let placed = match separator {
        Separator::Comma | Separator::Call | Separator::Words => found.quoted,
        // `[DB_PASS] => …`, the dump of an array.
        Separator::Assign => found.quoted || !is_spaced(text, found) || name.start > 0 && text[name.start - 1] == b'[',
        _ => true,
    };
    class == NameClass::Password && placed && heuristics::is_joined_words(&text[found.start..found.end])
}

/// Whether a value is the salt of signatures that a framework made: eight letters of Base64 in no order.
fn is_made_salt(name: &[u8], value: &[u8]) -> bool {
    const NAMES: [&[u8]; 3] = [b"signing_salt", b"encryption_salt", b"session_salt"];
    value.len() == 8
        && NAMES.iter().any(|end| name.ends_with(end))
        && value.iter().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/'))
        && value.iter().any(u8::is_ascii_lowercase)
        && value[1..].iter().any(|b| !b.is_ascii_lowercase())
        && !heuristics::is_placeholder(value)
}

/// Whether a value is the token that a URL asks with, as people choose it: `?token=otter-lamp-river`.
fn is_asked_token(text: &[u8], name: Name, content: &[u8]) -> bool {
    let asked = name.start > 0 && matches!(text[name.start - 1], b'?' | b'&');
    let numbered = || {
        let digits = content.iter().rev().take_while(|b| b.is_ascii_digit()).count();
        let word = &content[..content.len() - digits];
        let word = word.strip_suffix(b"-").or_else(|| word.strip_suffix(b"_")).unwrap_or(word);
        (2..=4).contains(&digits) && word.len() >= 5 && heuristics::is_plain_part(word)
    };
    asked && (heuristics::is_word_chain(content, 3) || heuristics::is_joined_words(content) || numbered())
}

/// Whether a value in quotes is a saying in small letters.
fn is_quoted_saying(content: &[u8], found: ValueSpan, separator: Separator, class: NameClass) -> bool {
    found.quoted
        && matches!(class, NameClass::Password | NameClass::Secret)
        && matches!(separator, Separator::Assign | Separator::Colon | Separator::Flag | Separator::Blank)
        && content.contains(&b' ')
        && !content.iter().any(u8::is_ascii_uppercase)
        && heuristics::is_saying(content)
}

/// Whether a value is at least four words, where nothing but a value can be: the words may make a sentence.
fn is_phrase(content: &[u8]) -> bool {
    let words = content.split(|b| *b == b' ');
    let spelled = |word: &[u8]| !word.is_empty() && word.iter().all(|b| b.is_ascii_alphabetic() || !b.is_ascii());
    (4..=10).contains(&words.clone().count())
        && words.clone().all(|word| spelled(word.strip_suffix(b"!").unwrap_or(word)))
        && !heuristics::is_placeholder(content)
        && !heuristics::is_description(content)
}

/// Whether a value is one word that a person chose, where it is a literal of a program or of a file of settings.
fn is_known_word(text: &[u8], name: Name, found: ValueSpan, separator: Separator, class: NameClass) -> bool {
    let content = &text[found.start..found.end];
    // `-storepass word`
    let rest = &text[found.end..];
    let flag = || {
        separator == Separator::Flag
            && content[0].is_ascii_lowercase()
            && (matches!(rest, [] | [b'\n' | b'\r', ..]) || rest.starts_with(b" -") || rest.starts_with(b" \\\n"))
    };
    // Examples have no name but `password`.
    let word = &text[name.start..name.end];
    let named = word.iter().any(|b| b.is_ascii_uppercase() || matches!(b, b'_' | b'-'));
    let defined = || separator == Separator::Comma && name.start > 0 && text[..name.start - 1].ends_with(b"define(");
    let literal =
        || found.quoted && named && (separator == Separator::Assign || defined()) && content[0].is_ascii_lowercase();
    class == NameClass::Password
        && (8..=28).contains(&content.len())
        && (literal()
            || flag()
            || is_given(text, name, found, separator)
            || is_line_of_settings(text, name, found, separator))
        && heuristics::is_plain_word(content)
}

/// Whether a value is that of an account on the same line, of a service that the name tells, or of a connection.
fn is_given(text: &[u8], name: Name, found: ValueSpan, separator: Separator) -> bool {
    static SERVICES: WordList = WordList::new(
        "smtp mail imap pop db database datasource mysql postgres pg mariadb mongo redis rabbitmq mqtt ldap bind ftp sftp ssh \
        proxy vpn wifi wlan admin root sudo keystore truststore keytool sa oracle mssql sql amqp broker router nas",
    );
    let lower = text[found.start].is_ascii_lowercase();
    let ends = found.quoted
        || matches!(
            text[found.end..],
            [] | [b'\n' | b'\r' | b';' | b'&' | b'"' | b'\'' | b',' | b')', ..] | [b'.'] | [b'.', b'\n' | b' ', ..]
        )
        || text[found.end..].starts_with(b" -");
    if !lower || !ends || !matches!(separator, Separator::Assign | Separator::Colon) {
        return false;
    }
    let word = &text[name.start..name.end];
    let start = word.iter().take_while(|b| **b == b'-' || **b == b'D').count();
    let parts = || word[start.min(word.len())..].split(|b| matches!(b, b'_' | b'-' | b'.'));
    let compact = !is_spaced(text, found) || found.quoted;
    let connection = separator == Separator::Assign
        && name.start > 0
        && (matches!(text[name.start - 1], b';' | b'&') || text.get(found.end) == Some(&b';'));
    compact && (parts().count() > 1 && parts().any(|part| SERVICES.has(part)) || connection)
        || separator == Separator::Colon && !found.quoted && prose::is_after_user(text, name)
}

/// Whether a line is `name=value` without blanks around the mark, or `NAME: value`, and another such line is above or below.
fn is_line_of_settings(text: &[u8], name: Name, found: ValueSpan, separator: Separator) -> bool {
    let mark: &[u8] = match separator {
        Separator::Assign => b"=",
        Separator::Colon => b": ",
        _ => return false,
    };
    if found.quoted || text[name.end..found.start] != *mark || text.get(found.end).is_some_and(|b| *b != b'\n') {
        return false;
    }
    let before = &text[name.start.saturating_sub(200)..name.start];
    let indent = before.iter().rev().take_while(|b| matches!(b, b' ' | b'>' | b'\t')).count();
    let above = &before[..before.len() - indent];
    if !above.is_empty() && above.last() != Some(&b'\n') {
        return false;
    }
    let above = above.strip_suffix(b"\n").unwrap_or_default();
    let above = &above[above.iter().rposition(|b| *b == b'\n').map_or(0, |end| end + 1)..];
    let below = text.get(found.end + 1..text.len().min(found.end + 200)).unwrap_or_default();
    let below = &below[..below.iter().position(|b| *b == b'\n').unwrap_or(below.len())];
    let is_setting = |line: &[u8]| {
        let line = line.trim_ascii();
        let key = line.iter().take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.')).count();
        let value = line.get(key + mark.len()..).unwrap_or_default();
        key >= 2 && line[key..].starts_with(mark) && !value.is_empty() && !value.contains(&b' ')
    };
    // `frontend:`, whose only field this is.
    let parent = separator == Separator::Colon
        && above.trim_ascii_end().strip_suffix(b":").is_some_and(|key| {
            let lead = key.iter().take_while(|b| **b == b' ').count();
            lead < indent && key[lead..].iter().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-'))
        });
    is_setting(above) || is_setting(below) || parent && below.trim_ascii().is_empty()
}

/// Whether a label and letters that no word has are all that is left of a line: `Passwort: …`.
fn is_typed(text: &[u8], name: Name, found: ValueSpan, separator: Separator, class: NameClass) -> bool {
    separator == Separator::Colon
        && class == NameClass::Password
        && text[name.start].is_ascii_uppercase()
        && text.get(found.end).is_none_or(|b| matches!(b, b'\n' | b'\r'))
        && heuristics::is_mixed_letters(&text[found.start..found.end])
}

/// Whether a line is `secret = value` and nothing else, without quotes.
fn is_own_line(text: &[u8], name: Name, found: ValueSpan, separator: Separator) -> bool {
    let before = &text[name.start.saturating_sub(32)..name.start];
    let lead = before.iter().rev().take_while(|b| matches!(b, b' ' | b'\t')).count();
    separator == Separator::Assign
        && !found.quoted
        && &text[name.start..name.end] == b"secret"
        && before[..before.len() - lead].last() == Some(&b'\n')
        && text.get(found.end).is_none_or(|b| *b == b'\n')
}

/// Whether a blank precedes the `=` before a value.
fn is_spaced(text: &[u8], found: ValueSpan) -> bool {
    text[..found.start - 1].last().is_some_and(u8::is_ascii_whitespace)
}

/// Whether a value spells its name in another way: `KxECDHE-PSK: kx-ecdhe-psk`.
fn is_same_word(name: &[u8], value: &[u8]) -> bool {
    let letters = |word: &'_ [u8]| {
        word.iter().filter(|b| b.is_ascii_alphanumeric()).map(u8::to_ascii_lowercase).collect::<Vec<u8>>()
    };
    value.len() <= 2 * name.len()
        && value.last().is_some_and(|b| b.eq_ignore_ascii_case(&name[name.len() - 1]))
        && letters(name) == letters(value)
}

/// Returns the end of the words before the next field of a line of a log: `secret=front door bell host=…`.
fn phrase_before_field(text: &[u8], found: ValueSpan) -> Option<usize> {
    if text.get(found.end) != Some(&b' ') || text[found.start - 1] != b'=' {
        return None;
    }
    let line = &text[found.start..text.len().min(found.start + 96)];
    let line = &line[..line.iter().position(|b| *b == b'\n').unwrap_or(line.len())];
    let equals = line.iter().position(|b| *b == b'=')?;
    let field = line[..equals].iter().rposition(|b| *b == b' ')?;
    let phrase = &line[..field];
    let named = equals - field > 2
        && line[field + 1..equals].iter().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.'));
    (named
        && phrase.iter().all(|b| b.is_ascii_alphanumeric() || !b.is_ascii() || matches!(b, b' ' | b'-' | b'\''))
        && heuristics::is_plain_words(phrase))
    .then_some(found.start + field)
}

/// Returns the end of the whole word of a password, which marks may interrupt that end other values: `ab;cd`, `x,y&z`; `None` if
/// it ends where `found` does, or what follows is structure rather than part of it.
fn run_end(text: &[u8], found: ValueSpan) -> Option<usize> {
    let rest = &text[found.end..text.len().min(found.end + 64)];
    let ends = |b: &u8| b.is_ascii_whitespace() || !b.is_ascii() || *b == b'`';
    let rest = &rest[..rest.iter().position(ends).unwrap_or(rest.len())];
    // `;Encrypt=True`, `&page=2`, `,vers=3.0`: the next field.
    let is_field = |at: usize| {
        let name =
            rest[at + 1..].iter().take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.')).count();
        name > 0 && matches!(rest.get(at + 1 + name), Some(b'=' | b':'))
    };
    let fields = (0..rest.len()).find(|at| matches!(rest[*at], b';' | b'&' | b',') && is_field(*at));
    let rest = &rest[..fields.unwrap_or(rest.len())];
    let structure =
        |b: &u8| matches!(b, b'=' | b':' | b'`' | b'<' | b'>' | b'[' | b']' | b'{' | b'}' | b'|' | b'\\' | b'/');
    let kept = rest
        .iter()
        .rposition(|b| !matches!(b, b'.' | b',' | b';' | b'\'' | b'"' | b'?' | b'!' | b'*' | b'_' | b')' | b'('))
        .map_or(0, |last| last + 1);
    let kept = kept + rest[kept..].iter().take_while(|b| matches!(b, b'!' | b'?')).count();
    let inside = &rest[..kept];
    let call = inside.iter().any(|b| matches!(b, b'(' | b')'))
        && rest.last().is_some_and(|b| matches!(b, b')' | b'(' | b';' | b','))
        || rest.starts_with(b"()")
        || inside.windows(2).any(|pair| pair == b").");
    let quoted =
        rest.first().is_some_and(|b| matches!(b, b'\'' | b'"')) && inside.iter().any(|b| matches!(b, b',' | b'('));
    (kept > 1 && !call && !quoted && !inside.iter().any(structure)).then_some(found.end + kept)
}

/// Whether a name is that of a header whose value is a token, or of an environment variable: `ACME_AUTH`.
fn is_header_or_variable(name: &[u8]) -> bool {
    static HEADERS: WordList = WordList::new("authorization proxy-authorization token x-token x-authorization");
    let variable = name.contains(&b'_') && name.iter().all(|b| b.is_ascii_uppercase() || *b == b'_');
    variable || HEADERS.has(name)
}

/// Skips the beginning of a call or of brackets around a quoted text: `String::from("…")`, `[]byte("…")`, `("…"`,
/// `"".join(["…"])`.
fn after_wrapper(text: &[u8], at: usize, separator: Separator) -> usize {
    if separator != Separator::Assign {
        return at;
    }
    let word = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b':' | b'_' | b'.' | b'[' | b']');
    let mut next = at;
    for _ in 0..5 {
        let rest = &text[next..];
        if [&b"\"\".join("[..], b"''.join("].iter().any(|call| rest.starts_with(call)) {
            next += 8;
            continue;
        }
        if next > at && is_quote(rest.first()) {
            return next;
        }
        let joins = || memchr::memmem::find(&rest[..rest.len().min(300)], b"join(").is_some() || next > at;
        match rest.first() {
            Some(b'(') => next += 1,
            Some(b'[') if !rest.starts_with(b"[]") && joins() => next += 1,
            Some(b' ' | b'\n') if next > at => {
                next += rest.iter().take(64).take_while(|b| matches!(b, b' ' | b'\n' | b'\t' | b'>')).count();
            }
            _ if rest.starts_with(b"new ") => next += 4,
            _ if rest.starts_with(b").append(") => next += 9,
            _ => {
                let length = rest.iter().take(32).take_while(|b| word(b)).count();
                if length <= 2 || rest.get(length) != Some(&b'(') {
                    return at;
                }
                next += length + 1;
            }
        }
    }
    if is_quote(text.get(next)) { next } else { at }
}

/// Whether a name announces a value of several words.
fn is_passphrase_name(name: &[u8]) -> bool {
    let start = name.len().saturating_sub("passphrase".len());
    name[start..].eq_ignore_ascii_case(b"passphrase")
}

/// Whether a value after such a separator has to be quoted.
fn needs_quotes(separator: Separator) -> bool {
    matches!(separator, Separator::Comma | Separator::Call)
}

/// Whether a line consists of the name and its value, as in a file of settings: `DB_PASSWORD=value`.
fn is_setting(text: &[u8], name: Name, found: ValueSpan, separator: Separator) -> bool {
    let spelled = text[name.start..name.end].iter().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || *b == b'_');
    let after = text.get(found.end + usize::from(found.quoted));
    let ends = after.is_none_or(|b| b.is_ascii_whitespace() || matches!(b, b';' | b'`' | b'\'' | b'"'));
    match separator {
        Separator::Assign => {
            spelled && ends && text.get(name.end) == Some(&b'=') || is_line_of_settings(text, name, found, separator)
        }
        Separator::Colon => {
            after.is_none_or(|b| *b == b'\n')
                && (is_record(text, name, found.end) || is_line_of_settings(text, name, found, separator))
        }
        _ => false,
    }
}

/// Whether the line of a name is one of several `key: value` lines, as in a file of settings.
fn is_record(text: &[u8], name: Name, end: usize) -> bool {
    let before = &text[name.start.saturating_sub(256)..name.start];
    let Some(line) = before.iter().rposition(|b| *b == b'\n') else { return false };
    let indent = &before[line + 1..];
    let above = &before[..line];
    let above = &above[above.iter().rposition(|b| *b == b'\n').map_or(0, |at| at + 1)..];
    let below = &text[text.len().min(end + 1)..text.len().min(end + 256)];
    let below = &below[..below.iter().position(|b| *b == b'\n').unwrap_or(below.len())];
    let lower = text[name.start..name.end].iter().all(|b| !b.is_ascii_uppercase());
    lower
        && indent.iter().all(|b| matches!(b, b' ' | b'>' | b'+' | b'/' | b'-' | b'*'))
        && (is_entry(above, indent) || is_entry(below, indent))
}

/// Whether `line` is a `key: value` with this indentation.
fn is_entry(line: &[u8], indent: &[u8]) -> bool {
    let Some(rest) = line.strip_prefix(indent) else { return false };
    let key =
        rest.iter().take_while(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || matches!(b, b'_' | b'-')).count();
    key > 1 && rest[key..].starts_with(b": ")
}

/// Skips `|` or `>` of a YAML block at `at`, to the text of the next line.
fn after_block_mark(text: &[u8], at: usize, separator: Separator) -> usize {
    let mark = text[at..].iter().take(3).take_while(|b| matches!(b, b'|' | b'>' | b'-' | b'+')).count();
    if separator == Separator::Colon && mark > 0 && text.get(at + mark) == Some(&b'\n') {
        let lead = text[at + mark + 1..]
            .iter()
            .take(64)
            .take_while(|b| matches!(b, b' ' | b'\t' | b'>' | b'|' | b'+' | b'/' | b'#'))
            .count();
        return at + mark + 1 + lead;
    }
    at
}

/// Returns the value between quotes that open at `at`, on one line; up to the next blank if they do not close.
pub(super) fn quoted(text: &[u8], at: usize) -> Option<ValueSpan> {
    let prefix = usize::from(
        matches!(text.get(at), Some(b'b' | b'r' | b'f' | b'u' | b'N' | b'L' | b'@'))
            && matches!(text.get(at + 1), Some(b'"' | b'\'')),
    );
    let rest = &text[at + prefix..];
    const QUOTES: &[(&[u8], &[u8])] = &[
        (b"\"\"\"", b"\"\"\""),
        (b"\"", b"\""),
        (b"'", b"'"),
        (b"``", b"``"),
        (b"`", b"`"),
        (b"\\\"", b"\\\""),
        (b"\\'", b"\\'"),
        (b"&quot;", b"&quot;"),
        (b"<code>", b"</code>"),
        (b"<![CDATA[", b"]]>"),
        ("“".as_bytes(), "”".as_bytes()),
        ("„".as_bytes(), "“".as_bytes()),
        ("«".as_bytes(), "»".as_bytes()),
        ("「".as_bytes(), "」".as_bytes()),
        ("‘".as_bytes(), "’".as_bytes()),
    ];
    let &(open, mut close) = QUOTES.iter().find(|(open, _)| rest.starts_with(open))?;
    let start = at + prefix + open.len();
    let window = &text[start..text.len().min(start + MAX_VALUE_BYTES)];
    let line = &window[..window.iter().position(|b| *b == b'\n').unwrap_or(window.len())];
    // Who has no such key ends it with another quote.
    if open == "„".as_bytes() && memchr::memmem::find(line, close).is_none() {
        close = if line.contains(&b'"') { b"\"" } else { "”".as_bytes() };
    }
    let mut length = 0;
    while length < line.len() && !line[length..].starts_with(close) {
        // An escaped quote belongs to the value, unless the value's own quotes are escaped.
        length += if line[length] == b'\\' && close.len() == 1 { 2 } else { 1 };
    }
    if length >= line.len() {
        // A quote that never closes: the text may be cut off.
        return Some(bare(text, start, Separator::Assign));
    }
    // French puts blanks inside.
    let (mut start, mut end) = (start, start + length);
    if open == "«".as_bytes() {
        let blanks = ["\u{a0}".as_bytes(), "\u{202f}".as_bytes(), b" "];
        while let Some(blank) = blanks.iter().find(|blank| text[start..end].starts_with(blank)) {
            start += blank.len();
        }
        while let Some(blank) = blanks.iter().find(|blank| text[start..end].ends_with(blank)) {
            end -= blank.len();
        }
    }
    Some(ValueSpan { start, end, quoted: true })
}

/// Returns the value without quotes at `at`.
pub(super) fn bare(text: &[u8], at: usize, separator: Separator) -> ValueSpan {
    let window = &text[at..text.len().min(at + MAX_VALUE_BYTES)];
    let mut open = 0_i32;
    let length = window
        .iter()
        .enumerate()
        .position(|(place, b)| match b {
            b'|' if separator != Separator::Cell && goes_on(&window[place + 1..]) => false,
            b'"' | b'\'' | b'`' | b',' | b';' | b'|' | b'\\' => true,
            b'&' => separator == Separator::Assign,
            b'<' => separator == Separator::Tag || text.get(at) != Some(&b'<'),
            b'(' | b'[' | b'{' => {
                open += 1;
                false
            }
            b')' | b']' | b'}' => {
                open -= 1;
                open < 0
            }
            _ => !is_letter(*b) && (!b.is_ascii() || b.is_ascii_whitespace()),
        })
        .unwrap_or(window.len());
    let kept = window[..length]
        .iter()
        .rposition(|b| !matches!(b, b'.' | b':' | b'!' | b'?' | b'*' | b'_'))
        .map_or(0, |last| last + 1);
    ValueSpan { start: at, end: at + kept, quoted: false }
}

/// Whether the rest of a token such as `12|aB3…` follows a `|`.
fn goes_on(rest: &[u8]) -> bool {
    let length = rest.iter().take(64).take_while(|b| b.is_ascii_alphanumeric()).count();
    length >= 16 && !heuristics::is_name(&rest[..length])
}

/// Whether `byte` is part of a letter with an accent: such letters occur in passwords, and unlike those of other
/// scripts they do not follow one directly.
fn is_letter(byte: u8) -> bool {
    matches!(byte, 0xc3..=0xc9 | 0x80..=0xbf)
}

/// Skips the scheme of an authorization header: `Bearer …`, `token …`.
fn after_scheme(text: &[u8], found: ValueSpan, separator: Separator) -> ValueSpan {
    // After `Authorization:` any word is a scheme.
    let header = text[..found.start].trim_ascii_end();
    let header = header.strip_suffix(b":").unwrap_or(header).trim_ascii_end();
    let word = &text[found.start..found.end];
    if header.len() >= 13
        && header[header.len() - 13..].eq_ignore_ascii_case(b"authorization")
        && word.iter().all(|b| b.is_ascii_alphanumeric() || *b == b'-')
        && text.get(found.end) == Some(&b' ')
        && !found.quoted
    {
        return bare(text, skip_blanks(text, found.end), separator);
    }
    const SCHEMES: &[&[u8]] = &[b"bearer", b"token", b"basic", b"apikey", b"bot", b"key", b"digest"];
    let value = &text[found.start..found.end];
    let Some(scheme) = SCHEMES.iter().find(|scheme| starts_ignoring_case(value, scheme)) else {
        return found;
    };
    let next = found.start + scheme.len();
    if text.get(next) != Some(&b' ') {
        return found;
    }
    let start = skip_blanks(text, next);
    if found.quoted { ValueSpan { start: start.min(found.end), ..found } } else { bare(text, start, separator) }
}

/// Whether a field of a record begins at `start`: the key of a YAML line or of a JSON object.
pub(super) fn is_field(text: &[u8], start: usize, separator: Separator) -> bool {
    let before = &text[..start];
    let key = before.last() == Some(&b'"') && before.len().checked_sub(2).is_none_or(|at| before[at] != b'\\');
    let leads = before
        .iter()
        .rev()
        .take(256)
        .take_while(|b| **b != b'\n')
        .all(|b| matches!(b, b' ' | b'\t' | b'-' | b'"' | b'\'' | b'{'));
    separator == Separator::Colon && (key || leads)
}

/// Returns the whole value of a field at `at`: a quoted text, else the rest of the line up to a comment.
pub(super) fn whole(text: &[u8], at: usize) -> Option<(usize, usize)> {
    if let Some(found) = quoted(text, at) {
        return Some((found.start, found.end));
    }
    let at = after_block_mark(text, at, Separator::Colon);
    let window = &text[at..text.len().min(at + 2 * MAX_VALUE_BYTES)];
    let line = &window[..window.iter().position(|b| *b == b'\n').unwrap_or(window.len())];
    let json = line.iter().any(|b| matches!(b, b'}' | b'"'));
    let length = match json {
        true => line.iter().position(|b| matches!(b, b',' | b'}' | b']')).unwrap_or(line.len()),
        false => line.windows(2).position(|pair| pair == b" #").unwrap_or(line.len()),
    };
    let value = line[..length].trim_ascii_end();
    (!value.is_empty()).then_some((at, at + value.len()))
}
