//! Values after a separator: where they begin and end, and whether they look secret.

mod code;
mod ends;

use super::super::heuristics::{self, NameClass, WordList};
use super::super::names;
use super::super::rules::checks;
use super::super::text::{contains_ignoring_case, first_line, last_line, starts_ignoring_case};
use super::separator::{Separator, skip_blanks};
use super::settings::{
    is_joined, is_known_word, is_line_of_settings, is_own_line, is_phrase, is_quoted_saying, is_record, is_setting,
    is_typed, is_word_password,
};
use super::span::{ValueSpan, after_block_mark, after_wrapper, bare, inner, quoted, to_end};
use super::{Name, later, mentioned, settings, siblings};
use code::is_code;
use ends::{enclosed, field_end, phrase_before_field, phrase_in_quotes, run_end, word_of_other_script};

/// Returns the value at `at`, and whether it looks like a secret.
pub(super) fn value(
    text: &[u8],
    name: Name,
    at: usize,
    separator: Separator,
    class: NameClass,
) -> Option<(ValueSpan, bool)> {
    let (found, secret) = judged(text, name, at, separator, class)?;
    Some((if secret { to_end(text, found) } else { found }, secret))
}

/// Like [`value`], with the first part of a longer value.
fn judged(text: &[u8], name: Name, at: usize, separator: Separator, class: NameClass) -> Option<(ValueSpan, bool)> {
    let at = after_block_mark(text, after_wrapper(text, at, separator), separator);
    if !matches!(class, NameClass::Hint | NameClass::Weak)
        && let Some(found) = enclosed(text, at)
    {
        return Some((found, true));
    }
    let found = match quoted(text, at) {
        Some(found) if !found.quoted && needs_quotes(separator) => return None,
        Some(found) => found,
        None if needs_quotes(separator) => return None,
        None => bare(text, at, separator),
    };
    if class == NameClass::Password
        && separator == Separator::Assign
        && let Some(end) = phrase_in_quotes(text, name, found)
    {
        return Some((ValueSpan { end, quoted: true, ..found }, true));
    }
    if class == NameClass::Password
        && separator == Separator::Colon
        && let Some(end) = word_of_other_script(text, found.start)
    {
        return Some((ValueSpan { end, ..found }, true));
    }
    // `password: string = "…"`
    if !found.quoted && separator == Separator::Colon {
        let optional = if text[found.end..].starts_with(b" | None") { b" | None".len() } else { 0 };
        let next = skip_blanks(text, found.end + optional);
        if next > found.end && text.get(next) == Some(&b'=') && text.get(next + 1) != Some(&b'=') {
            if is_number_type(&text[found.start..found.end]) {
                return None;
            }
            return judged(text, name, skip_blanks(text, next + 1), Separator::Assign, class);
        }
    }
    let found =
        if separator == Separator::Assign && class == NameClass::Password { in_list(text, found) } else { found };
    let whole = found;
    let found = after_scheme(text, found, separator);
    if found.start > whole.start && checks::is_sample_login(&text[found.start..found.end]) {
        return Some((found, false));
    }
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
    // `base.pass("…")`, a function; `keyring.get_password("service", …)`, which takes a name.
    let word = &text[name.start..name.end];
    let getter = word.strip_prefix(b"get").is_some_and(|rest| rest.first().is_some_and(u8::is_ascii_uppercase));
    let looked_up = getter
        || [&b"get_"[..], b"fetch_", b"load_", b"read_", b"find_", b"keyring.get_"]
            .iter()
            .any(|verb| word.starts_with(verb));
    let called =
        separator == Separator::Call && text.get(name.end) == Some(&b'(') && (word.ends_with(b"pass") || looked_up);
    if generic || called || class == NameClass::Weak && separator == Separator::Comma && is_listed(text, name) {
        return Some((found, false));
    }
    if content.is_empty() || is_something_else(text, name, found, separator, class) {
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
        || (matches!(class, NameClass::Password | NameClass::Secret | NameClass::Weak | NameClass::Token)
            && is_setting(text, name, found, separator)
            && (class == NameClass::Password || heuristics::has_all_kinds(content))
            && heuristics::is_chosen(content))
        || is_joined(text, name, found, separator, class)
        || class == NameClass::Weak
            && separator == Separator::Assign
            && !found.quoted
            && (later::is_strong(content) || later::is_plain(content))
            && is_line_of_settings(text, name, found, separator)
        || settings::is_told_words(text, name, found, separator, class)
        || class == NameClass::Password
            && separator == Separator::Blank
            && text.get(found.end).is_none_or(|b| *b == b'\n')
            && heuristics::is_mixed_letters(content)
        || matches!(separator, Separator::Assign | Separator::Call | Separator::Flag | Separator::Tag)
            && (found.quoted || separator == Separator::Tag)
            && settings::is_stored(text, name, (found.start, found.end), class)
        || class == NameClass::Password
            && separator == Separator::Blank
            && text.get(found.end).is_none_or(|b| *b == b'\n')
            && heuristics::is_plain_pair(content)
        || class == NameClass::Password
            && heuristics::is_plain_words(content)
            // `user%5Bpassword%5D=…`, a field of a form.
            && (text[name.end..].starts_with(b"%5D=")
                || separator == Separator::Colon && settings::is_in_flow_mapping(text, name, found))
        || is_known_word(text, name, found, separator, class)
        || settings::is_variable_of_words(text, name, found, separator, class)
        || is_quoted_saying(content, found, separator, class)
        || found.quoted
            && class == NameClass::Password
            && is_setting(text, name, found, separator)
            && is_phrase(content)
        || class == NameClass::Secret
            && is_own_line(text, name, found, separator)
            && (later::is_plain(content)
                || heuristics::is_joined_words(content)
                || heuristics::is_numbered_pair(content))
        || class == NameClass::Secret
            && separator == Separator::Colon
            && settings::is_alone(text, name, found)
            && heuristics::has_all_kinds(content)
            && heuristics::is_marked_words(content)
        || found.quoted && is_made_salt(&text[name.start..name.end], content)
        || class == NameClass::Weak && is_asked_token(text, name, content)
        || class == NameClass::Password && is_asked_password(text, name, content)
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
    if !secret
        && class == NameClass::Password
        && separator == Separator::Assign
        && let Some(end) = field_end(text, name, found)
    {
        return Some((ValueSpan { end, ..found }, true));
    }
    let named = separator == Separator::Colon && is_passphrase_name(&text[name.start..name.end]);
    if separator == Separator::Colon && (named && !secret || class == NameClass::Password) {
        let line = &text[at..text.len().min(at + 128)];
        let line =
            &line[..line.iter().position(|b| matches!(b, b'\n' | b'`' | b'<' | b'|' | b'"')).unwrap_or(line.len())];
        if heuristics::is_passphrase(line, class)
            && (named || is_record(text, name, at + line.len()) && !heuristics::is_description(line))
            // `Deploy key passphrase: otter lamp river`
            || named
                && class == NameClass::Password
                && heuristics::is_plain_phrase(line.trim_ascii_end())
                && line.trim_ascii_end().split(|b| *b == b' ').all(heuristics::is_plain_part)
        {
            return Some((ValueSpan { start: at, end: at + line.trim_ascii_end().len(), quoted: true }, true));
        }
    }
    if class == NameClass::Password
        && !secret
        && matches!(separator, Separator::Assign | Separator::Colon)
        && text.get(found.end) == Some(&b' ')
    {
        let line = first_line(&text[at..text.len().min(at + 128)]);
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
    let line = last_line(&text[name.start.saturating_sub(64)..found.start]);
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

/// Whether what follows a name is none of its values: the next command or variable, another name, an id.
fn is_something_else(text: &[u8], name: Name, found: ValueSpan, separator: Separator, class: NameClass) -> bool {
    let word = &text[name.start..name.end];
    let value = &text[found.start..found.end];
    let content = inner(value);
    // `echo "password" | sha512sum`
    let line = last_line(&text[name.start.saturating_sub(64)..name.start]);
    let piped = separator == Separator::Cell && text.get(name.end) == Some(&b'"') && !line.contains(&b'|');
    // `PASSWORD= HOST=db`
    let capitals = value.iter().take_while(|b| b.is_ascii_uppercase() || **b == b'_').count();
    let next_variable = separator == Separator::Assign
        && text[found.start - 1] == b' '
        && text.get(name.end) != Some(&b' ')
        && capitals > 1
        && value.get(capitals) == Some(&b'=');
    // `key "name": type`
    let keyed = found.quoted && class == NameClass::Hint && text[found.end..].get(1) == Some(&b':');
    // `id_key = id_keys.curve25519`
    let field = !found.quoted && word.contains(&b'_') && value.starts_with(word) && value.contains(&b'.');
    // `privateKey = privateKeyBase64 ? …`
    let variable = !found.quoted
        && separator == Separator::Assign
        && word.len() >= 6
        && value.starts_with(word)
        && value.iter().all(|b| b.is_ascii_alphanumeric() || *b == b'_');
    piped
        || next_variable
        || keyed
        || field
        || variable
        || class == NameClass::Weak && (!found.quoted && heuristics::is_field(content) || is_path_of_session(content))
        || is_code(text, name, found, separator)
        || heuristics::is_instruction(content)
        || is_same_word(word, content)
        || is_request_id(word, content)
        || separator == Separator::Comma && is_element(text, name, found)
}

/// Whether a value is the next name of a list in a program or a sentence: `'a', 'token', 'value2', 'b'`, `` `first_pass`,
/// `next_pass_name` ``.
fn is_element(text: &[u8], name: Name, found: ValueSpan) -> bool {
    let content = &text[found.start..found.end];
    let upper = |b: &u8| b.is_ascii_uppercase() || b.is_ascii_digit() || *b == b'_';
    let identifier = content.contains(&b'_')
        && (content.iter().all(|b| b.is_ascii_lowercase() || *b == b'_') || content.iter().all(upper));
    let digits = content.iter().rev().take_while(|b| b.is_ascii_digit()).count();
    let module = digits <= 1 && content[..content.len() - digits].iter().all(|b| b.is_ascii_lowercase() || *b == b'_');
    let goes_on = text[found.end..].get(1..4).is_some_and(|next| matches!(next, [b',', b' ', b'\'' | b'"']));
    // `'password1*', 'password2*'`
    let word = &text[name.start..name.end];
    let shared = word.iter().zip(content).take_while(|(a, b)| a == b).count();
    let in_list = found.quoted && text[found.end..].get(1) == Some(&b']');
    is_listed(text, name) && goes_on && module
        || shared >= 2 && in_list
        || text[found.start - 1] == b'`' && identifier && text[name.start..name.end].contains(&b'_')
}

/// Whether a value names a session by its parts: `scheduler:to:lamp_reader:1774516703206:ec02e542`.
fn is_path_of_session(value: &[u8]) -> bool {
    let word = |part: &&[u8]| part.len() >= 2 && part.iter().all(|b| b.is_ascii_lowercase() || *b == b'_');
    value.split(|b| *b == b':').filter(word).count() >= 3
}

/// Whether a value is an id with which a client makes a request only once, rather than a token: `ClientToken: 4752b573-…`.
fn is_request_id(name: &[u8], value: &[u8]) -> bool {
    const REQUESTS: [&[u8]; 3] = [b"client", b"request", b"action"];
    let name = name.len().checked_sub(b"token".len()).map_or(name, |end| &name[..end]);
    let name = name.strip_suffix(b"_").or_else(|| name.strip_suffix(b"-")).unwrap_or(name);
    let ends = |word: &&[u8]| name.len() >= word.len() && name[name.len() - word.len()..].eq_ignore_ascii_case(word);
    heuristics::is_uuid(value) && REQUESTS.iter().any(ends)
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

/// Whether a value is the password that a URL asks with: `?api_password=otter_lamp_2`.
fn is_asked_password(text: &[u8], name: Name, content: &[u8]) -> bool {
    name.start > 0
        && matches!(text[name.start - 1], b'?' | b'&')
        && content.len() >= 8
        && content.iter().any(u8::is_ascii_digit)
        && content.iter().any(u8::is_ascii_lowercase)
        && !heuristics::is_placeholder(content)
}

/// Returns the one value of a list as the fields of a request are printed: `{user=[anna], password=[X]}`.
fn in_list(text: &[u8], found: ValueSpan) -> ValueSpan {
    if found.quoted || text.get(found.start) != Some(&b'[') {
        return found;
    }
    let rest = &text[found.start + 1..text.len().min(found.start + 48)];
    let length = rest.iter().position(|b| matches!(b, b']' | b',' | b' ' | b'\n' | b'"' | b'\'' | b'[')).unwrap_or(0);
    let closes = matches!(rest.get(length..), Some([b']', b',' | b'}' | b')', ..] | [b']']));
    let value = &rest[..length];
    if closes && (later::is_strong(value) || later::is_plain(value) || heuristics::has_all_kinds(value)) {
        return ValueSpan { start: found.start + 1, end: found.start + 1 + length, quoted: true };
    }
    found
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

/// Whether a name is that of a header whose value is a token, or of an environment variable: `ACME_AUTH`.
fn is_header_or_variable(name: &[u8]) -> bool {
    static HEADERS: WordList = WordList::new("authorization proxy-authorization token x-token x-authorization");
    let variable = name.contains(&b'_') && name.iter().all(|b| b.is_ascii_uppercase() || *b == b'_');
    variable || HEADERS.has(name)
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
