//! Values on a line of their own after a line that announces them: "Please use the following password to proceed:", or
//! that asks for them, as in a chat.

use super::super::heuristics::{self, NameClass, WordList, looks_secret};
use super::super::text::{first_line, last_line};
use super::Name;
use super::later;
use super::line_prefix::{MAX_PREFIX, Prefix};

/// The longest rest of a line after the name, and the longest line with a value.
const MAX_LINE: usize = 160;
/// The longest line with a value: tokens are long.
const MAX_VALUE: usize = 640;
/// The longest name of a value that the line announces.
const MAX_NAME: usize = 40;
/// The least length of a value that is one of several, and how many may follow the first.
const MIN_LISTED: usize = 20;
const MAX_LISTED: usize = 16;
/// Words after a name that make it part of another.
static COMPOUNDS: WordList = WordList::new(
    "hash hashes policy length fingerprint fingerprints digest checksum id ids name names file files field \
    hint strength manager reset count limit type format page form",
);

/// How a line ends that announces a value.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Ending {
    /// A colon: the value follows.
    Colon,
    /// A question, which the next line answers.
    Question,
    /// The end of a sentence: only what is random counts.
    Sentence,
    /// Nothing: the line is a title of a block.
    Title,
}

/// Returns the secret on the line after the one with `name`, or after an empty one.
pub(super) fn value(text: &[u8], name: Name, class: NameClass) -> Option<(usize, usize)> {
    // A line of Base64 may end in anything.
    if name.end - name.start > MAX_NAME {
        return None;
    }
    let rest = line(text, name.end);
    if is_label(text, name, rest) {
        return below_label(text, name.end + rest.len(), class);
    }
    let ending =
        match rest.trim_ascii_end().strip_suffix(b"**").unwrap_or(rest.trim_ascii_end()).last().unwrap_or(&b' ') {
            b':' => Ending::Colon,
            b'?' if class == NameClass::Password => Ending::Question,
            b'.' | b'!' | b')' => Ending::Sentence,
            _ if rest.ends_with("：".as_bytes()) => Ending::Colon,
            _ if class == NameClass::Password && is_asked(text, name) => Ending::Question,
            _ if !matches!(class, NameClass::Weak) && is_title(text, name) => Ending::Title,
            _ => return None,
        };
    // A line of code may end so as well.
    let code = rest.iter().any(|b| matches!(b, b'=' | b'"' | b'\'' | b'{' | b';' | b'[')) || rest.ends_with(b"))");
    let open = rest.ends_with(b")") && !rest.contains(&b'(');
    if matches!(ending, Ending::Sentence | Ending::Title) && (code || open) {
        return None;
    }
    let first = rest.trim_ascii_start().split(|b| !b.is_ascii_alphanumeric()).next().unwrap_or_default();
    if rest.len() == MAX_LINE || COMPOUNDS.has(first) {
        return None;
    }
    let prefix = Prefix::of(text, name.start);
    let mut at = name.end + rest.len();
    for _ in 0..3 {
        let start = prefix.skip(text, at + 1)?;
        let content = line_of(text, start, MAX_VALUE);
        at = start + content.len();
        let bare = content.trim_ascii();
        let block = bare.starts_with(b"{noformat") || bare.starts_with(b"{code");
        if bare.is_empty() || block || bare.starts_with(b"```") || bare.starts_with(b"~~~") || is_author(bare) {
            continue;
        }
        // `EmailPassword:` above a list of names.
        let word = &text[name.start..name.end];
        let class_name = word.windows(2).any(|pair| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase());
        let listed = class_name && !bare.iter().any(u8::is_ascii_digit);
        if content.len() == MAX_VALUE || listed || is_prompt(bare) || is_assignment(bare) {
            return None;
        }
        return alone(text, start, at, ending, class)
            .or_else(|| pair(text, start, at, ending, class))
            .or_else(|| answer(text, start, at, ending));
    }
    None
}

/// Passes the values of the lines below that of `first` to `found`: what a machine made in the same form, one on each line.
pub(super) fn others(text: &[u8], first: (usize, usize), mut found: impl FnMut(usize, usize)) {
    let value = &text[first.0..first.1];
    if value.len() < MIN_LISTED || !heuristics::is_machine_made(value) {
        return;
    }
    let line = text[..first.0].iter().rev().take(MAX_PREFIX).take_while(|b| **b != b'\n').count();
    let prefix = Prefix::of(text, first.0 - line);
    let mut at = first.1 + self::line(text, first.1).len();
    for _ in 0..MAX_LISTED {
        let Some(start) = prefix.skip(text, at + 1) else { return };
        let content = line_of(text, start, MAX_VALUE);
        let (left, right) = trimmed(content, list_mark(content), Ending::Colon);
        let other = content.get(left..right).unwrap_or_default();
        let alike = other.len().abs_diff(value.len()) <= 4
            && !other.iter().any(u8::is_ascii_whitespace)
            && heuristics::is_machine_made(other);
        if !alike {
            return;
        }
        found(start + left, start + right);
        at = start + content.len();
    }
}

/// Whether a line assigns a value to a variable: `PWD=/srv/app-42`.
fn is_assignment(line: &[u8]) -> bool {
    let name = line.iter().take_while(|b| b.is_ascii_alphanumeric() || **b == b'_').count();
    name > 1
        && !line[0].is_ascii_digit()
        && matches!(line[name..], [b'=', next, ..] if next != b'=')
        && line[..name].iter().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || *b == b'_')
}

/// Whether a line is the prompt of a device that asked for a password: `sw-core1#`.
fn is_prompt(line: &[u8]) -> bool {
    line.strip_suffix(b"#").or_else(|| line.strip_suffix(b">")).is_some_and(|host| {
        host.contains(&b'-')
            && host.iter().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || matches!(b, b'-' | b'.'))
    })
}

/// Returns the length of the mark of an item of a list: `2. `, `- `.
fn list_mark(content: &[u8]) -> usize {
    let digits = content.iter().take(3).take_while(|b| b.is_ascii_digit()).count();
    match &content[digits..] {
        [b'.' | b')' | b':', b' ', ..] if digits > 0 => digits + 2,
        [b'-' | b'*' | b'+', b' ', ..] if digits == 0 => 2,
        _ => 0,
    }
}

/// Whether a name is all of its line but a word before it and marks, as a page that is copied shows a field: `API Secret`.
fn is_label(text: &[u8], name: Name, rest: &[u8]) -> bool {
    let before = &text[name.start.saturating_sub(MAX_PREFIX)..name.start];
    let start = before.iter().rposition(|b| *b == b'\n').map_or(0, |end| end + 1);
    let mark = |b: &u8| matches!(b, b' ' | b'"' | b'*' | b'`' | b'\r' | b'-' | b'.' | b'#' | b'>');
    before.len() - start <= 24
        && rest.iter().all(mark)
        && before[start..].iter().all(|b| mark(b) || b.is_ascii_alphabetic())
}

/// Returns the value alone on the line below that of a label, which ends at `end`.
fn below_label(text: &[u8], end: usize, class: NameClass) -> Option<(usize, usize)> {
    let start = end + text[end..].iter().take(3).take_while(|b| b.is_ascii_whitespace()).count();
    let content = line_of(text, start, MAX_VALUE);
    let marks = content.iter().take_while(|b| matches!(b, b' ' | b'"' | b'`' | b'\t' | b'-' | b'>' | b'*')).count();
    let value = &content[marks..];
    let value =
        &value[..value.iter().rposition(|b| !matches!(b, b' ' | b'"' | b'`' | b'\t')).map_or(0, |last| last + 1)];
    let made = (value.len() >= 20 || value.len() >= 16 && heuristics::has_all_kinds(value))
        && heuristics::is_machine_made(value)
        && !heuristics::is_uuid(value)
        && !value.iter().all(u8::is_ascii_hexdigit);
    (class != NameClass::Weak && made).then_some((start + marks, start + marks + value.len()))
}

/// Whether the line of `name` ends as one that announces a value: cheaper than [`value`].
pub(super) fn is_followed(text: &[u8], name: Name) -> bool {
    let rest = line(text, name.end);
    matches!(rest.trim_ascii_end().last(), Some(b':' | b'?' | b'.' | b'!' | b')' | b'*'))
        || rest.ends_with("：".as_bytes())
        || is_short(text, name.end + rest.len())
            && (may_be_password(text, name) && is_asked(text, name) || is_title(text, name))
        || is_label(text, name, rest)
}

/// Whether a line with a digit or a hyphen, as values have, soon follows the end of a line at `end`.
fn is_short(text: &[u8], end: usize) -> bool {
    let below = &text[end.min(text.len())..text.len().min(end + 160)];
    let lead = below.iter().take_while(|b| b.is_ascii_whitespace() || matches!(b, b'`' | b'>' | b'|' | b'~')).count();
    let rest = &below[lead..];
    let line = first_line(rest);
    line.iter().any(|b| b.is_ascii_digit() || matches!(b, b'-' | b'#' | b'!' | 0xef))
}

/// Whether a name may be one of a password: most names are those of keys and tokens.
pub(super) fn may_be_password(text: &[u8], name: Name) -> bool {
    let word = &text[name.start..name.end];
    let word = word.strip_suffix(b"s").unwrap_or(word);
    let ends = |end: &[u8]| word.len() >= end.len() && word[word.len() - end.len()..].eq_ignore_ascii_case(end);
    ![&b"key"[..], b"token", b"auth", b"secret", b"session", b"cookie", b"credential", b"author", b"salt"]
        .iter()
        .any(|end| ends(end))
}

/// Whether the line of a name is short, after an empty one, and an indented or fenced line follows an empty one.
fn is_title(text: &[u8], name: Name) -> bool {
    let before = &text[name.start.saturating_sub(64)..name.start];
    let start = before.iter().rposition(|b| *b == b'\n').map_or(0, |end| end + 1);
    let first = before[start..].starts_with(b"#")
        || name.start < 64 && start == 0
        || start > 1 && before[..start].ends_with(b"\n\n");
    let rest = line(text, name.end);
    let below = text.get(name.end + rest.len()..).unwrap_or_default();
    let alone = || {
        let value = below.strip_prefix(b"\n").unwrap_or_default();
        let length = value.iter().take(MAX_LINE).take_while(|b| !b.is_ascii_whitespace()).count();
        length >= 16 && (length == value.len() || value[length..].starts_with(b"\n\n") || value[length..] == *b"\n")
    };
    first
        && rest.len() <= 64
        && ([&b"\n\n    "[..], b"\n\n\t", b"\n```", b"\n\n```", b"\n\n`", b"\n`", b"\n    "]
            .iter()
            .any(|start| below.starts_with(start))
            || !may_be_password(text, name) && alone())
}

/// Words that ask, before the name on its line.
static QUESTIONS: WordList = WordList::new(
    "what's whats what which who anyone anybody someone send tell remember know need forgot have wie welches wer \
    wei\u{df} kennt quel quelle qui connait conna\u{ee}t cu\u{e1}l cual alguien qual sabe chi wat weet iemand wat's vad n\u{e5}gon hvad hva \
    noen nogen mik\u{e4} mika jakie jaki kto jak\u{e9} nedir какой кто скинь какие яке який хто got share give",
);

/// Whether the line asks for what is named.
fn is_asked(text: &[u8], name: Name) -> bool {
    let before = last_line(&text[name.start.saturating_sub(80)..name.start]);
    let rest = line(text, name.end);
    let asked = ["多少", "什么", "是啥", "何で", "なんで", "뭐", "？"]
        .iter()
        .any(|word| memchr::memmem::find(rest, word.as_bytes()).is_some());
    asked
        || before.split(|b| !(b.is_ascii_alphabetic() || *b == b'\'' || !b.is_ascii())).any(|word| QUESTIONS.has(word))
}

/// Words with which an answer begins.
static LEADS: WordList = WordList::new(
    "it's its it is that's was try use sure yes yep yeah ok oh hm hmm should be think i afaik iirc still now same as before \
    here hey hi you the one for this that normally usually probably maybe of course c'est essaie ist sollte sein ja klar es ist's nimm \
    prueba s\u{ed} sim \u{e9} tenta \u{e8} prova het zou moeten zijn det \u{e4}r er se on to jest chyba \u{15f}u bu это вот да попробуй теперь це так",
);

/// Returns the value of an answer in words: `max: it's X`, `sure, X`.
fn answer(text: &[u8], start: usize, end: usize, ending: Ending) -> Option<(usize, usize)> {
    if ending != Ending::Question {
        return None;
    }
    let content = &text[start..end];
    let mut at = after_author(content).unwrap_or(0);
    // "it's on the whiteboard" says where it is.
    static PLACES: WordList = WordList::new(
        "the on in at a an my our your der die das dem den im am le la les el los il lo gli de het op bij sur dans en su sul \
        nel na no p\u{e5} i w v",
    );
    let mut before: &[u8] = b"";
    for leads in 0..8 {
        at += content[at..].iter().take_while(|b| b.is_ascii_whitespace()).count();
        let length = content[at..].iter().take_while(|b| !b.is_ascii_whitespace()).count();
        let word = content[at..at + length].strip_suffix(b",").unwrap_or(&content[at..at + length]);
        let word = word.strip_suffix(b":").unwrap_or(word);
        if word.is_empty() {
            return None;
        }
        let mention = leads == 0 && word.starts_with(b"@") && word[1..].iter().all(u8::is_ascii_alphabetic);
        let lead = LEADS.has(word) || matches!(word, b"-" | b"->" | b"=>" | b">") || mention;
        if !lead {
            let rest = content[at..].trim_ascii_end();
            if rest.contains(&b' ') && heuristics::is_plain_phrase(rest) {
                return Some((start + at, start + at + rest.len()));
            }
            let (left, right) = later::trimmed(text, start + at, start + at + length);
            let value = &text[left..right];
            if is_entry(value) {
                return None;
            }
            let last = content[at + length..].trim_ascii().is_empty();
            // Without a word before it only the last of the line is an answer.
            let last = last
                || matches!(content.get(at + length - 1), Some(b',' | b'.'))
                || content[at + length..].starts_with(b" -")
                || content[at + length..].starts_with(b" (");
            let fits = later::is_strong(value)
                || (leads > 0 || last) && (later::is_plain(value) || heuristics::is_word_chain(value, 3))
                || leads > 0
                    && !PLACES.has(before)
                    && content[at + length..].trim_ascii().is_empty()
                    && heuristics::is_plain_word(value);
            return fits.then_some((left, right));
        }
        before = word;
        at += length;
    }
    None
}

/// Returns the value that is all of a line but marks and the name of an author.
fn alone(text: &[u8], start: usize, end: usize, ending: Ending, class: NameClass) -> Option<(usize, usize)> {
    let content = &text[start..end];
    let mark = list_mark(content);
    if mark > 0 && ending == Ending::Colon {
        let (left, right) = trimmed(content, mark, ending);
        let value = content.get(left..right)?;
        let made = value.len() >= MIN_LISTED && heuristics::is_machine_made(value) && !heuristics::is_uuid(value);
        return made.then_some((start + left, start + right));
    }
    let at = match (ending, content.trim_ascii().iter().any(u8::is_ascii_whitespace)) {
        (Ending::Question, false) => memchr::memmem::find(content, "：".as_bytes()).map_or(0, |colon| colon + 3),
        (_, false) => 0,
        (Ending::Question, true) => after_author(content)?,
        _ => return None,
    };
    let (left, right) = trimmed(content, at, ending);
    let value = content.get(left..right)?;
    let lone = !value
        .iter()
        .any(|b| b.is_ascii_whitespace() || matches!(b, b'"' | b'\'' | b'`' | b'<' | b'|' | b'(' | b'{' | b'['));
    (lone && !is_entry(value) && is_secret(value, ending, class)).then_some((start + left, start + right))
}

/// Returns the second part of `user / password`.
fn pair(text: &[u8], start: usize, end: usize, ending: Ending, class: NameClass) -> Option<(usize, usize)> {
    if matches!(ending, Ending::Sentence | Ending::Title) || class != NameClass::Password {
        return None;
    }
    let content = &text[start..end];
    let from = after_author(content).unwrap_or(0);
    let slash = from + content[from..].windows(3).position(|part| part == b" / ")?;
    let (left, right) = trimmed(content, slash + 3, ending);
    let (user, value) = (content[from..slash].trim_ascii(), content.get(left..right)?);
    let words = |part: &[u8]| part.iter().any(u8::is_ascii_whitespace);
    let marked = value.iter().any(|b| b.is_ascii_digit() || b"!#$%@*+".contains(b));
    (!words(user)
        && !words(value)
        && (marked && looks_secret(value, class, false) || heuristics::is_word_chain(value, 3)))
    .then_some((start + left, start + right))
}

/// Whether a lone value is what the line before announces.
fn is_secret(value: &[u8], ending: Ending, class: NameClass) -> bool {
    let digit = value.iter().any(u8::is_ascii_digit);
    let random = heuristics::looks_random(value) || heuristics::is_machine_made(value);
    // A line of longer data.
    let data = value.len() > 64 && value.iter().all(u8::is_ascii_hexdigit);
    if data || is_address(value) {
        return false;
    }
    match (ending, class) {
        (Ending::Colon | Ending::Question, NameClass::Password) => {
            let marked = digit || value.iter().any(|b| b"!#$%@*+".contains(b));
            marked && looks_secret(value, class, false)
                || heuristics::is_word_chain(value, 3)
                || heuristics::is_joined_words(value)
                || heuristics::is_plain_pair(value)
        }
        (Ending::Title, NameClass::Password) => {
            digit && (later::is_strong(value) || later::is_plain(value) || random)
                || heuristics::is_word_chain(value, 3)
        }
        (Ending::Title, _) => heuristics::is_machine_made(value) && !heuristics::is_uuid(value),
        (Ending::Colon, NameClass::Weak | NameClass::Hint) => heuristics::is_machine_made(value),
        (Ending::Colon, _) => value.len() >= 12 && digit && random,
        (Ending::Sentence, NameClass::Password) => value.len() >= 10 && digit && random && !heuristics::is_name(value),
        _ => false,
    }
}

/// Whether a value is a setting with its name: `sasl.mechanism=PLAIN`.
fn is_entry(value: &[u8]) -> bool {
    value.iter().position(|b| matches!(b, b'=' | b':')).is_some_and(|at| heuristics::is_name(&value[..at]))
        && value.trim_ascii_end().last() != Some(&b'=')
}

/// Whether a value is a version, a path, an address or a digest with its name.
fn is_address(value: &[u8]) -> bool {
    const STARTS: &[&[u8]] = &[b"sha256", b"SHA256", b"MD5", b"md5", b"0x", b"http", b"v1", b"#", b"@"];
    let extension = value.len() - value.iter().rposition(|b| *b == b'.').map_or(value.len(), |dot| dot + 1);
    let file = (2..=4).contains(&extension) && value[value.len() - extension..].iter().all(u8::is_ascii_lowercase);
    value.contains(&b'/') && (file || heuristics::is_name(value)) || STARTS.iter().any(|start| value.starts_with(start))
}

/// Returns what is left of a line after `from` without the marks around it.
fn trimmed(content: &[u8], from: usize, ending: Ending) -> (usize, usize) {
    let open = |b: &u8| b.is_ascii_whitespace() || matches!(b, b'`' | b'*' | b'"' | b'\'' | b'>');
    let close = |b: &u8| b.is_ascii_whitespace() || matches!(b, b'`' | b'"' | b'\'');
    let left = from + content[from..].iter().take_while(|b| open(b)).count();
    let mut right = content.len() - content[left..].iter().rev().take_while(|b| close(b)).count();
    if ending == Ending::Question && content[left..right].ends_with(b".") {
        right -= 1;
    }
    if left > from && content[left - 1] == b'*' {
        right -= content[left..right].iter().rev().take_while(|b| **b == b'*').count();
    }
    (left, right)
}

/// Whether a line is the name and the time of an author: `Ben Miller 10:03 AM`.
fn is_author(line: &[u8]) -> bool {
    let line = line.strip_suffix(b"AM").or_else(|| line.strip_suffix(b"PM")).unwrap_or(line).trim_ascii_end();
    let time = line.iter().rev().take_while(|b| b.is_ascii_digit() || matches!(b, b':' | b']' | b'[')).count();
    let name = &line[..line.len() - time];
    let words = name.split(|b| *b == b' ').filter(|word| !word.is_empty()).count();
    time >= 4
        && line[line.len() - time..].contains(&b':')
        && (1..=3).contains(&words)
        && name.ends_with(b" ")
        && name.iter().all(|b| b.is_ascii_alphabetic() || !b.is_ascii() || matches!(b, b' ' | b'.' | b'@' | b'-'))
}

/// Returns the offset after the author of a line of a chat: `ben: `, `<ben> `, `ben [10:03] `, `[10:03] ben: `.
fn after_author(line: &[u8]) -> Option<usize> {
    // Names of other scripts end in a colon of full width.
    if let Some(colon) = memchr::memmem::find(&line[..line.len().min(40)], "：".as_bytes()) {
        return Some(colon + 3);
    }
    let mut at = line.iter().take_while(|b| matches!(b, b' ' | b'>' | b'*' | b'|' | b'-')).count();
    let mut named = false;
    for _ in 0..3 {
        let word = line[at..].iter().take_while(|b| !b.is_ascii_whitespace()).count();
        if word == 0 || at + word >= line.len() {
            break;
        }
        let content = &line[at..at + word];
        let time = matches!(content[0], b'[' | b'(') && matches!(content[word - 1], b']' | b')' | b':')
            || content.contains(&b':') && content.iter().all(|b| b.is_ascii_digit() || *b == b':');
        let ends = matches!(content[word - 1], b':' | b'>');
        let name = content.iter().all(|b| {
            b.is_ascii_alphanumeric()
                || !b.is_ascii()
                || matches!(b, b'@' | b'<' | b'>' | b':' | b'_' | b'.' | b'-' | b'*')
        });
        if !(time || (!named && name)) {
            break;
        }
        named |= !time;
        at += word;
        at += line[at..].iter().take_while(|b| b.is_ascii_whitespace()).count();
        if ends && named {
            return Some(at);
        }
        if time && named {
            return Some(at);
        }
    }
    None
}

/// Returns the line at `at`, without its end.
fn line(text: &[u8], at: usize) -> &[u8] {
    line_of(text, at, MAX_LINE)
}

/// Returns the line at `at`, without its end, as far as `most` bytes.
fn line_of(text: &[u8], at: usize, most: usize) -> &[u8] {
    let rest = &text[at.min(text.len())..text.len().min(at + most)];
    let line = first_line(rest);
    line.strip_suffix(b"\r").unwrap_or(line)
}

#[cfg(test)]
mod tests {
    use crate::redact::canaries::{SEED, fill, scrub};

    #[test]
    fn a_value_below_the_line_that_announces_it_is_found() {
        for text in [
            "Please use the following password to proceed to installation:\n\n@\n\nThis may also be found at",
            "web_1  | A password was generated for you:\nweb_1  |\nweb_1  | @\nweb_1  |\n",
            "An admin account was made with a random password. Keep it safe.\n\n    @\n",
            "2026-02-11T10:00:00Z INFO the access token for the first login:\n2026-02-11T10:00:00Z INFO @\n",
            "[init] Write down this password:\n[init] @\n",
            "anna: what is the password?\nben: @\n",
            "anna [10:02] password for the box?\nben [10:03] @\n",
            "Anna Meier  10:02 AM\nwhat's the pw for zoom?\nBen Roth  10:03 AM\n@\n",
            "> what's the pw?\n> @\n",
            "The password of the wiki?\nadmin / @\n",
            "\"API Secret\"\n@Qw7Ert5Yu9Io\n",
        ] {
            let scrubbed = scrub(&text.replace('@', "k7Qm2xW9pLr4"));
            assert!(!scrubbed.contains("k7Qm2xW9pLr4"), "{scrubbed}");
        }
    }

    #[test]
    fn all_values_of_a_list_below_are_found() {
        let shares = [fill("Qx7<a38>4z=", SEED), fill("Kw3<a38>9p=", SEED)];
        for template in ["1. `A`\n2. `B`\n", "A\nB\n", "- A\n- B\n"] {
            let template = format!("The key shares until the ceremony are:\n\n{template}\nThreshold is 2.\n");
            let scrubbed = scrub(&template.replace('A', &shares[0]).replace('B', &shares[1]));
            assert!(shares.iter().all(|share| !scrubbed.contains(share)), "{scrubbed}");
        }
    }

    #[test]
    fn other_lines_below_stay() {
        for text in [
            "Please use the following link to proceed:\n\nhttps://example.org/setup2\n",
            "The following token was not recognized:\n\nidentifier2\n",
            "The fingerprint of the key:\n\nSHA256:k7Qm2xW9pLr4k7Qm2xW9pLr4k7Qm2xW9pLr4k7Qm2xW\n",
            "A password hash:\n\nk7Qm2xW9pLr4\n",
            "anna: password?\nben: dunno\n",
            "Forgot your password?\nv1.2.3\n",
            "The password must have a digit.\n\n## Version2\n",
            "Set the password first.\n\nnpm run build2\n",
            "Passwords:\n\n- one\n- two\n",
            "API key\nconfiguration-of-the-key-2\n",
        ] {
            assert_eq!(scrub(text), text);
        }
    }
}
