//! Passwords of words where a label says so and nothing but a value can stand: lines of settings, literals of programs.

use super::super::heuristics::{self, NameClass, WordList};
use super::separator::Separator;
use super::span::ValueSpan;
use super::{Name, plain, prose};

/// Whether a value is a password of several words that stands where nothing but a value can, so that it is no variable of a
/// program.
pub(super) fn is_word_password(
    text: &[u8],
    name: Name,
    found: ValueSpan,
    separator: Separator,
    class: NameClass,
) -> bool {
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
pub(super) fn is_joined(text: &[u8], name: Name, found: ValueSpan, separator: Separator, class: NameClass) -> bool {
    let placed = match separator {
        Separator::Comma | Separator::Call | Separator::Words => found.quoted,
        // `[DB_PASS] => …`, the dump of an array.
        Separator::Assign => found.quoted || !is_spaced(text, found) || name.start > 0 && text[name.start - 1] == b'[',
        _ => true,
    };
    class == NameClass::Password && placed && heuristics::is_joined_words(&text[found.start..found.end])
}

/// Whether a value in quotes is a saying in small letters.
pub(super) fn is_quoted_saying(content: &[u8], found: ValueSpan, separator: Separator, class: NameClass) -> bool {
    found.quoted
        && matches!(class, NameClass::Password | NameClass::Secret)
        && matches!(separator, Separator::Assign | Separator::Colon | Separator::Flag | Separator::Blank)
        && content.contains(&b' ')
        && !content.iter().any(u8::is_ascii_uppercase)
        && heuristics::is_saying(content)
}

/// Whether a value is at least four words, where nothing but a value can be: the words may make a sentence.
pub(super) fn is_phrase(content: &[u8]) -> bool {
    let words = content.split(|b| *b == b' ');
    let spelled = |word: &[u8]| !word.is_empty() && word.iter().all(|b| b.is_ascii_alphabetic() || !b.is_ascii());
    (4..=10).contains(&words.clone().count())
        && words.clone().all(|word| spelled(word.strip_suffix(b"!").unwrap_or(word)))
        && !heuristics::is_placeholder(content)
        && !heuristics::is_description(content)
}

/// Whether a value is one word that a person chose, where it is a literal of a program or of a file of settings.
pub(super) fn is_known_word(text: &[u8], name: Name, found: ValueSpan, separator: Separator, class: NameClass) -> bool {
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
pub(super) fn is_given(text: &[u8], name: Name, found: ValueSpan, separator: Separator) -> bool {
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
pub(super) fn is_line_of_settings(text: &[u8], name: Name, found: ValueSpan, separator: Separator) -> bool {
    if plain::is_text(&text[name.start..name.end]) {
        return false;
    }
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
pub(super) fn is_typed(text: &[u8], name: Name, found: ValueSpan, separator: Separator, class: NameClass) -> bool {
    separator == Separator::Colon
        && class == NameClass::Password
        && text[name.start].is_ascii_uppercase()
        && text.get(found.end).is_none_or(|b| matches!(b, b'\n' | b'\r'))
        && heuristics::is_mixed_letters(&text[found.start..found.end])
}

/// Whether a line is `secret = value` and nothing else, without quotes.
pub(super) fn is_own_line(text: &[u8], name: Name, found: ValueSpan, separator: Separator) -> bool {
    let before = &text[name.start.saturating_sub(32)..name.start];
    let lead = before.iter().rev().take_while(|b| matches!(b, b' ' | b'\t')).count();
    separator == Separator::Assign
        && !found.quoted
        && &text[name.start..name.end] == b"secret"
        && before[..before.len() - lead].last() == Some(&b'\n')
        && text.get(found.end).is_none_or(|b| *b == b'\n')
}

/// Whether a blank precedes the `=` before a value.
pub(super) fn is_spaced(text: &[u8], found: ValueSpan) -> bool {
    text[..found.start - 1].last().is_some_and(u8::is_ascii_whitespace)
}

/// Whether a line consists of the name and its value, as in a file of settings: `DB_PASSWORD=value`.
pub(super) fn is_setting(text: &[u8], name: Name, found: ValueSpan, separator: Separator) -> bool {
    if plain::is_text(&text[name.start..name.end]) {
        return false;
    }
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
pub(super) fn is_record(text: &[u8], name: Name, end: usize) -> bool {
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
pub(super) fn is_entry(line: &[u8], indent: &[u8]) -> bool {
    let Some(rest) = line.strip_prefix(indent) else { return false };
    let key =
        rest.iter().take_while(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || matches!(b, b'_' | b'-')).count();
    key > 1 && rest[key..].starts_with(b": ")
}
