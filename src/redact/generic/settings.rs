//! Passwords of words where a label says so and nothing but a value can stand: lines of settings, literals of programs.

use super::super::heuristics::{self, NameClass, WordList};
use super::super::names;
use super::super::text::{first_line, last_line};
use super::separator::Separator;
use super::span::ValueSpan;
use super::{Name, prose};

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
        NameClass::Secret if found.quoted && separator == Separator::Assign => 3,
        // `clé de chiffrement : …`
        NameClass::Key if separator == Separator::Colon && text[name.start..name.end].contains(&b' ') => 4,
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
    let line = last_line(&text[name.start.saturating_sub(96)..name.start]);
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
        && (heuristics::is_saying(content) || heuristics::is_saying_with_digits(content))
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

/// Whether a value is words that a person chose, where it is all that a line gives an environment variable:
/// `MATCH_PASSWORD=Otter-lamp`, `JWT_SECRET=the-lamp-by-the-lake`.
pub(super) fn is_variable_of_words(
    text: &[u8],
    name: Name,
    found: ValueSpan,
    separator: Separator,
    class: NameClass,
) -> bool {
    let content = &text[found.start..found.end];
    let word = &text[name.start..name.end];
    let parts = content.split(|b| matches!(b, b'-' | b'_' | b'.')).filter(|part| !part.is_empty()).count();
    let least = match class {
        NameClass::Password => 1,
        NameClass::Secret | NameClass::Key => 4,
        _ => return false,
    };
    let separated = match separator {
        Separator::Assign => text.get(name.end) == Some(&b'='),
        // `DB_PASS: coral-tower`
        Separator::Colon => class == NameClass::Password && heuristics::is_plain_pair(content),
        _ => false,
    };
    // `PGPASSWORD=…`, but not `PASSWORD: …`.
    let is_one_word = class == NameClass::Password && separator == Separator::Assign;
    let is_variable = (word.contains(&b'_') || is_one_word)
        && word.iter().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || *b == b'_');
    separated
        && parts >= least
        && (is_variable || is_one_word && is_property(text, name) && !content.contains(&b'.'))
        && text.get(found.end + usize::from(found.quoted)).is_none_or(|b| matches!(b, b'\n' | b'\r' | b'`'))
        && !is_text(word)
        && heuristics::is_marked_words(content)
}

/// Whether a name ends the dotted key of a file of properties, at the beginning of a line: `server.ssl.key-store-password`.
fn is_property(text: &[u8], name: Name) -> bool {
    let before = last_line(&text[name.start.saturating_sub(96)..name.start]);
    let is_part = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'-' | b'_');
    let key = || before.iter().chain(&text[name.start..name.end]);
    key().all(is_part) && key().any(|b| *b == b'.')
}

/// Whether a value is words that a mark joins, where it is the last of a line after a label of several words: `Admin password
/// (tablet): otter.Lamp`.
pub(super) fn is_told_words(text: &[u8], name: Name, found: ValueSpan, separator: Separator, class: NameClass) -> bool {
    let content = &text[found.start..found.end];
    let before = last_line(&text[name.start.saturating_sub(64)..name.start]);
    let label = before.trim_ascii_start();
    let label = label.strip_prefix(b"- ").or_else(|| label.strip_prefix(b"* ")).unwrap_or(label);
    let marks = content.iter().filter(|b| matches!(b, b'-' | b'_' | b'.')).count();
    class == NameClass::Password
        && separator == Separator::Colon
        && !found.quoted
        && marks == 1
        && label.ends_with(b" ")
        && label[0].is_ascii_uppercase()
        && label.iter().all(|b| b.is_ascii_alphanumeric() || matches!(b, b' ' | b'-'))
        && text.get(found.end).is_none_or(|b| matches!(b, b'\n' | b'\r'))
        && heuristics::is_marked_words(content)
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
        proxy vpn wifi wlan admin root sudo keystore truststore store signing keytool sa oracle mssql sql amqp broker router nas",
    );
    let lower = text[found.start].is_ascii_lowercase();
    let ends = found.quoted
        || matches!(
            text[found.end..],
            [] | [b'\n' | b'\r' | b';' | b'&' | b'"' | b'\'' | b',' | b')' | b'!', ..]
                | [b'.']
                | [b'.', b'\n' | b' ', ..]
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
    if is_text(&text[name.start..name.end]) {
        return false;
    }
    let mark: &[u8] = match separator {
        Separator::Assign => b"=",
        Separator::Colon => b": ",
        _ => return false,
    };
    let after = text[found.end..].iter().find(|b| !matches!(b, b'!' | b'?'));
    if found.quoted || text[name.end..found.start] != *mark || after.is_some_and(|b| *b != b'\n') {
        return false;
    }
    let before = &text[name.start.saturating_sub(200)..name.start];
    let indent = before.iter().rev().take_while(|b| matches!(b, b' ' | b'>' | b'\t')).count();
    let above = &before[..before.len() - indent];
    if !above.is_empty() && above.last() != Some(&b'\n') {
        return false;
    }
    let above = above.strip_suffix(b"\n").unwrap_or_default();
    let above = last_line(above);
    let below = text.get(found.end + 1..text.len().min(found.end + 200)).unwrap_or_default();
    let below = first_line(below);
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

/// Whether a name with at most one word before it and its value are all of a line or of an item of a list: `- enable secret: X`.
pub(super) fn is_alone(text: &[u8], name: Name, found: ValueSpan) -> bool {
    let before = last_line(&text[name.start.saturating_sub(32)..name.start]);
    let before = before.trim_ascii_start();
    let before = before.strip_prefix(b"- ").or_else(|| before.strip_prefix(b"* ")).unwrap_or(before);
    let word = before.strip_suffix(b" ").unwrap_or(before);
    !found.quoted
        && word.iter().all(u8::is_ascii_alphabetic)
        && text.get(found.end).is_none_or(|b| matches!(b, b'\n' | b'\r'))
}

/// Whether a blank precedes the `=` before a value.
pub(super) fn is_spaced(text: &[u8], found: ValueSpan) -> bool {
    text[..found.start - 1].last().is_some_and(u8::is_ascii_whitespace)
}

/// Whether a line consists of the name and its value, as in a file of settings: `DB_PASSWORD=value`.
pub(super) fn is_setting(text: &[u8], name: Name, found: ValueSpan, separator: Separator) -> bool {
    if is_text(&text[name.start..name.end]) {
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
    let above = last_line(&before[..line]);
    let below = first_line(&text[text.len().min(end + 1)..text.len().min(end + 256)]);
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

/// Whether a value is a field of a mapping on one line of a file of settings, beside that of its account:
/// `db: { user: reports, password: … }`.
pub(super) fn is_in_flow_mapping(text: &[u8], name: Name, found: ValueSpan) -> bool {
    let before = last_line(&text[name.start.saturating_sub(96)..name.start]);
    let Some(open) = before.iter().rposition(|b| *b == b'{') else { return false };
    let rest = first_line(&text[found.end..text.len().min(found.end + 96)]);
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

/// Words of the other fields of an account, in the lines around that of its password.
static FIELDS: WordList = WordList::new(
    "user username login account email mail e-mail host hostname server url uri address port name id database db dbname ssid \
    driver benutzer benutzername konto nutzer anmeldename utente usuario usu\u{e1}rio utilisateur identifiant gebruiker \
    gebruikersnaam anv\u{e4}ndare bruger bruker u\u{17c}ytkownik u\u{17e}ivatel web link site adresse realm domain bucket",
);

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

/// Whether a value that is stored under a name is a password of plain words.
pub(super) fn is_stored(text: &[u8], name: Name, (start, end): (usize, usize), class: NameClass) -> bool {
    class == NameClass::Password
        && !is_text(names::without_widget(&text[name.start..name.end]))
        && heuristics::is_plain_words(&text[start..end])
}

/// Whether a name is that of a text about a password, in a list of translations or messages: `forgotPassword`.
pub(super) fn is_text(name: &[u8]) -> bool {
    static OF_TEXTS: WordList = WordList::new(
        "forgot forgotten reset change changed confirm enter show hide repeat retype invalid wrong missing no your choose \
        incorrect label title placeholder text message error hint help lost recover update verify set create",
    );
    let begins = |at: usize| {
        at == 0
            || !name[at - 1].is_ascii_alphabetic()
            || name[at].is_ascii_uppercase() && name[at - 1].is_ascii_lowercase()
    };
    (0..name.len()).filter(|at| begins(*at)).any(|at| {
        let length = 1 + name[at + 1..].iter().take_while(|b| b.is_ascii_lowercase()).count();
        OF_TEXTS.has(&name[at..at + length])
    })
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
    fn words_are_found_under_variables_and_long_labels() {
        for (template, password) in [
            ("JWT_SECRET=@\nPORT=4000\n", "the-lamp-by-the-blue-lake"),
            ("JWT_SECRET=@\n", "Falcon1"),
            ("PGPASSWORD=@\n", "copper-velvet"),
            ("server.ssl.key-store-password=@\n", "copper-velvet"),
            ("spring.datasource.password=@\nspring.datasource.url=jdbc:x\n", "copper-velvet"),
            ("fastlane env:\nMATCH_PASSWORD=@\n", "Otterlamp-blue"),
            ("* Remote admin password (tablet): @\n* Start page", "otter.Lamp"),
            ("PGPASSWORD='@' psql -h db", "n0rth wind and sun"),
            ("Bind password ... @\nUser filter ..... x\n", "Wq9xKe4r7Zt2"),
            ("  user..........wout\n  password..........@\n", "Wq9xKe4r7Zt2"),
            ("told us the passphrase on the phone: @ (with spaces!)", "Fjord Kaffe Elva Lampe"),
        ] {
            let scrubbed = scrub(&template.replace('@', password));
            assert!(!scrubbed.contains(password), "{scrubbed}");
        }
        for text in [
            "DB_PASSWORD=my-secret-name\n",
            "TOKEN_SECRET=name-of-the-secret\n",
            "PASSWORD_HINT='ask the owner of it'\n",
            "JWT_SECRET=Placeholder1\n",
            "PASSWORD=your-password-here\n",
            "user.password=args.password\n",
        ] {
            assert_eq!(scrub(text), text);
        }
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
