//! Secrets recognized by a name before or after them: `password = …`, `"api_key": "…"`, the column of a table,
//! "the password is …".

mod account_sentences;
mod accounts;
mod announced;
pub(super) mod beside;
pub(super) mod chosen;
mod comma_pairs;
mod forms;
mod headers;
mod kept;
mod labels;
mod later;
mod line_prefix;
mod login_files;
mod mentioned;
mod nested;
mod pairs;
mod plain_phrases;
mod program;
mod prose;
mod records;
mod replaced;
mod rows;
mod separator;
mod settings;
mod siblings;
mod span;
mod value;

pub(super) use accounts::{
    ACCOUNTS, LABEL as PAIR_LABEL, LISTS, SLASH, joined as joined_pair, list as account_list, pair as account_pair,
};
pub(super) use chosen::LABEL as CHOSEN_LABEL;
pub(super) use headers::{HEADERS, Header};
pub(super) use labels::{LABELS, STEMS, Word};
pub(super) use later::{is_plain as is_plain_password, is_strong as is_strong_password, trimmed};
pub(super) use login_files::{PAIRS as LOGIN_FILES, USERS as USER_FILES, pair as login_file, users as user_file};
pub(super) use plain_phrases::{KEYWORDS as PLAIN_PHRASE_KEYWORDS, find as plain_phrase};
pub(super) use prose::saying_end;
pub(super) use replaced::{KEYWORDS as OLD_LABELS, passwords as replaced_passwords};

use super::heuristics::{self, NameClass, WordList};
use super::names::{self, class_of};
use super::rules::FindingLabel;
use super::text::{contains_ignoring_case, first_line, is_name_byte, last_line};
use super::{assembled, calls, expressions};
use forms::{GLOBAL_KEY, is_global_key, list_of_bytes};
use separator::{Separator, separator};

/// The longest part of a name on each side of its keyword.
const MAX_NAME_PART: usize = 64;
/// How many names inside one value are examined: `a=b=c` is read, a long chain of it costs nothing.
const MAX_NESTED_NAMES: usize = 4;

/// A callback for a secret: its start, its end and its label.
pub(super) type OnFinding<'a> = &'a mut dyn FnMut(usize, usize, &'static FindingLabel);

/// A search for values by their names that reads each name once.
#[derive(Debug, Default)]
pub(super) struct Names {
    /// Whether values that a program puts together are put together; not in what was put together.
    assembles: bool,
    /// The end of the names read so far.
    seen: usize,
    /// The end of the last value without quotes, and how many names inside it were examined.
    value_end: usize,
    inside: usize,
    /// The end of the last container, and how many inside it were read.
    container_end: usize,
    containers: usize,
    columns: pairs::Columns,
}

/// A name in a text.
#[derive(Debug, Clone, Copy)]
pub(super) struct Name {
    start: usize,
    end: usize,
    /// Whether it is an option of a command.
    flag: bool,
}

impl Names {
    pub(super) fn new(assembles: bool) -> Self {
        Self { assembles, ..Self::default() }
    }

    /// Finds the secrets whose name contains the keyword at `hit`.
    ///
    /// `strict` texts are records (front matter, JSON), in which every value under a secret's name counts.
    pub(super) fn find(&mut self, text: &[u8], hit: usize, strict: bool, on_finding: OnFinding<'_>) {
        if let Some(name) = self.name(text, hit) {
            let word = &text[name.start..name.end];
            let word = word.strip_suffix("\u{131}".as_bytes()).unwrap_or(word);
            self.find_values(text, name, || class_of(word), strict, on_finding);
        }
    }

    /// Finds the secrets after a label in another language, such as `密码`.
    pub(super) fn labelled(&mut self, text: &[u8], start: usize, label: &Word, on_finding: OnFinding<'_>) {
        let name = Name { start, end: label.end_at(text, start), flag: false };
        // The key of a cache, in scripts that put no blank before it.
        const CACHES: [&str; 4] = ["キャッシュ", "缓存", "快取", "캐시"];
        let cached = CACHES.iter().any(|cache| text[..start].ends_with(cache.as_bytes()));
        if name.start >= self.seen && !cached && label.is_whole_at(text, start) {
            self.seen = name.end;
            self.find_values(text, name, || Some((label.class, label.label)), false, on_finding);
        }
    }

    /// Finds the secrets in the column whose header is at `start..end`.
    pub(super) fn column(
        &mut self,
        text: &[u8],
        (start, end): (usize, usize),
        header: &Header,
        on_finding: OnFinding<'_>,
    ) {
        headers::column(text, (start, end), header, &mut self.columns, on_finding);
    }

    /// Returns the name around the keyword at `hit`, unless it was read before.
    fn name(&mut self, text: &[u8], hit: usize) -> Option<Name> {
        if hit < self.seen {
            return None;
        }
        let low = hit.saturating_sub(MAX_NAME_PART);
        let mut start = hit - text[low..hit].iter().rev().take_while(|b| is_name_byte(**b)).count();
        let length = text[hit..].iter().take(MAX_NAME_PART + 1).take_while(|b| is_name_byte(**b)).count();
        // `password........: …`, dots that lead to a value.
        let length = memchr::memmem::find(&text[hit..hit + length], b"....").unwrap_or(length);
        self.seen = hit + length;
        if length > MAX_NAME_PART {
            return None;
        }
        let mut end = hit + length;
        while end > hit && matches!(text[end - 1], b'.' | b'-') {
            end -= 1;
        }
        // The ending of a Turkish word: `parolası`.
        if text[end..].starts_with("\u{131}".as_bytes()) {
            end += 2;
        }
        let flag = text[start] == b'-' && text.get(start + 1).is_some_and(|b| *b == b'-' || b.is_ascii_alphabetic());
        let word = &text[start..end];
        if word.eq_ignore_ascii_case(b"key") || word.eq_ignore_ascii_case(b"token") {
            start = qualifier(text, start, word.len() == 3);
        } else if word.eq_ignore_ascii_case(b"pass") {
            let rest = &text[end..];
            let more = [&b" phrase"[..], b" word", b" code"].into_iter().find(|more| rest.starts_with(more));
            end += more.map_or(0, <[u8]>::len);
        } else if (word.eq_ignore_ascii_case(b"auth") || word.eq_ignore_ascii_case(b"authorization"))
            && text[end..].starts_with(b" code")
        {
            end += b" code".len();
        } else if word.eq_ignore_ascii_case(b"session") && text[end..].starts_with(b" cookie") {
            end += b" cookie".len();
        }
        Some(Name { start, end, flag })
    }

    /// Finds the secrets that belong to a name.
    fn find_values(
        &mut self,
        text: &[u8],
        name: Name,
        class: impl Fn() -> Option<(NameClass, &'static FindingLabel)>,
        strict: bool,
        on_finding: OnFinding<'_>,
    ) {
        if kept::is_other_thing(text, name) {
            return;
        }
        let word = &text[name.start..name.end];
        let on_finding: OnFinding<'_> = &mut |start, end, label| {
            if !kept::is_kept(text, word, start, end) {
                on_finding(start, end, label);
            }
        };
        self.find_entries(text, name, on_finding);
        if let Some((start, end)) = network_option(text, name) {
            on_finding(start, end, &names::PASSWORD);
            return;
        }
        let Some((class, label)) = class() else { return };
        if let Some((start, end)) = pairs::printed(text, name) {
            if heuristics::looks_secret(&text[start..end], class, true) {
                on_finding(start, end, label);
            }
            return;
        }
        if let Some((start, end)) = pairs::compared(text, name) {
            if heuristics::looks_secret(&text[start..end], class, true)
                || class == NameClass::Hint && mentioned::is_unmistakable(&text[start..end])
            {
                on_finding(start, end, label);
            }
            return;
        }
        if class != NameClass::Hint
            && let Some((start, end)) = pairs::stored(text, name)
        {
            if rows::is_secret(&text[start..end], class) || settings::is_stored(text, name, (start, end), class) {
                on_finding(start, end, label);
            }
            return;
        }
        if let Some((start, end)) = pairs::value(text, name) {
            // `<key>password</key><string>…</string>`
            let element = text[name.end..].starts_with(b"</") && text.get(end) == Some(&b'<');
            if element && settings::is_stored(text, name, (start, end), class) {
                on_finding(start, end, label);
                return;
            }
            if rows::is_secret(&text[start..end], class) || (strict && !is_exempt(&text[start..end], class)) {
                on_finding(start, end, label);
            }
            return;
        }
        if class != NameClass::Hint
            && let Some((start, end)) = records::value(text, name)
                .or_else(|| records::parallel(text, name))
                .or_else(|| records::written(text, name))
        {
            if rows::is_secret(&text[start..end], class) || settings::is_stored(text, name, (start, end), class) {
                on_finding(start, end, label);
            }
            return;
        }
        if let Some(table) = pairs::column(text, name) {
            let class = table.class(class);
            self.columns.values(text, (&table, b'|'), class, |start, end| on_finding(start, end, label));
            return;
        }
        let mark = match text.get(name.end) {
            // `password    ; forward`
            Some(b' ') => text[name.end..].iter().find(|b| **b != b' ').filter(|b| matches!(**b, b';' | b'|')),
            mark => mark,
        };
        if matches!(mark, Some(b',' | b';' | b'|' | b'\t' | b'\n' | b'"'))
            && let Some((table, mark)) = pairs::separated(text, name)
        {
            let class = table.class(class);
            self.columns.values(text, (&table, mark), class, |start, end| on_finding(start, end, label));
            return;
        }
        if let Some(statement) = rows::inserted(text, name) {
            self.columns.each(
                statement.rows,
                |on_value| statement.values(text, on_value),
                |start, end| {
                    let value = &text[start..end];
                    let word = class == NameClass::Password && heuristics::is_plain_words(value);
                    if rows::is_secret(value, class) || word {
                        on_finding(start, end, label);
                    }
                },
            );
            return;
        }
        if let Some(open) = list_of_bytes(text, name)
            && matches!(
                class,
                NameClass::Hint | NameClass::Key | NameClass::Secret | NameClass::PrivateKey | NameClass::Password
            )
            && let Some((start, end)) = calls::key_bytes(text, open)
        {
            on_finding(start, end, label);
            return;
        }
        let Some((separator, at)) = separator(text, name) else {
            if class != NameClass::Hint
                && let Some((start, end)) = program::commented(text, name)
            {
                on_finding(start, end, label);
                return;
            }
            if let Some((start, end)) = mentioned::noise_after(text, name) {
                on_finding(start, end, label);
                return;
            }
            if let Some(table) = rows::aligned(text, name) {
                let class = table.class(class);
                let mut cells = rows::Cells::new(class);
                self.columns.each(
                    table.rows,
                    |on_value| table.values(text, on_value),
                    |start, end| {
                        if class == NameClass::Password || heuristics::looks_random(&text[start..end]) {
                            cells.add(text, start, end);
                        }
                    },
                );
                cells.secrets(text, &mut |start, end| on_finding(start, end, label));
            }
            prose::values(text, name, (class, label), on_finding);
            return;
        };
        let is_key = || is_asked_of_api(text, name) || nested::is_in_signing_object(text, name);
        let class = if class == NameClass::Hint && is_key() { NameClass::Key } else { class };
        let asked = match separator {
            Separator::Assign | Separator::Colon | Separator::Flag => true,
            // `<acme-key>…</acme-key>`; `<Key>…</Key>` is the name of an object.
            Separator::Tag => {
                text[name.start..name.end].iter().any(|b| matches!(b, b'-' | b'_'))
                    || text[..name.start].ends_with(b"<string name=\"")
            }
            Separator::Call => text[..name.end].ends_with(b".assign"),
            // `headers.add("X-Shop-Key", "…")`
            Separator::Comma => text[name.start..].starts_with(b"X-"),
            _ => false,
        };
        if class == NameClass::Hint && separator == Separator::Cell && is_global_key(text, at) {
            on_finding(at, at + GLOBAL_KEY, label);
            return;
        }
        if is_badge(text, name, class) || class == NameClass::Hint && (!asked || is_public_hint(text, name)) {
            return;
        }
        if strict
            && span::is_field(text, name.start, separator)
            && let Some((start, end)) = span::whole(text, at)
        {
            if !is_exempt(text[start..end].trim_ascii(), class) {
                on_finding(start, end, label);
            }
            return;
        }
        if at < self.value_end {
            self.inside += 1;
            if self.inside > MAX_NESTED_NAMES {
                return;
            }
        } else {
            self.inside = 0;
        }
        // `| Change password | … |`
        if separator == Separator::Cell {
            let cell =
                text[name.start.saturating_sub(32)..name.start].rsplit(|b| *b == b'|').next().unwrap_or_default();
            if settings::is_text(cell) {
                return;
            }
            pairs::row(text, name, class, |start, end| on_finding(start, end, label));
        }
        if self.assembles {
            let name = &text[name.start..name.end];
            if separator == Separator::Assign {
                assembled::decoded(text, at, label, on_finding);
                assembled::sum(text, name, at, on_finding);
            }
            if matches!(separator, Separator::Assign | Separator::Colon | Separator::Call | Separator::Comma) {
                expressions::secret(text, name, at, on_finding);
            }
        }
        if matches!(separator, Separator::Assign | Separator::Colon)
            && class != NameClass::Hint
            && let Some((start, end)) = program::replaced(text, name)
        {
            on_finding(start, end, label);
        }
        let value = value::value(text, name, at, separator, class);
        if value.is_none_or(|(_, secret)| !secret)
            && let Some((start, end)) = announced::value(text, name, class)
        {
            on_finding(start, end, label);
            announced::others(text, (start, end), |start, end| on_finding(start, end, label));
            return;
        }
        if value.is_none_or(|(_, secret)| !secret)
            && separator == Separator::Colon
            && matches!(class, NameClass::Password | NameClass::Weak)
        {
            accounts::listed(text, name, class, on_finding);
        }
        if let Some((found, secret)) = value {
            self.value_end = self.value_end.max(found.end);
            if secret {
                on_finding(found.start, found.end, label);
            } else if matches!(separator, Separator::Words | Separator::Blank) {
                prose::values(text, name, (class, label), on_finding);
            }
        }
    }

    /// Finds the secrets in the container that a name opens.
    fn find_entries(&mut self, text: &[u8], name: Name, on_finding: OnFinding<'_>) {
        if name.start >= self.container_end {
            self.containers = 0;
        }
        if self.containers < MAX_NESTED_NAMES
            && let Some(end) = nested::values(text, name, on_finding)
        {
            self.containers += 1;
            self.container_end = self.container_end.max(end);
        }
    }
}

/// Returns the key of a wireless network in the settings of a router: `option key '…'`.
fn network_option(text: &[u8], name: Name) -> Option<(usize, usize)> {
    if &text[name.start..name.end] != b"option key" || text.get(name.end) != Some(&b' ') {
        return None;
    }
    let found = span::quoted(text, name.end + 1).filter(|found| found.quoted)?;
    let value = &text[found.start..found.end];
    let chosen = heuristics::is_saying(value)
        || heuristics::is_chosen(value)
        || heuristics::is_joined_words(value)
        || heuristics::looks_secret(value, NameClass::Password, true);
    chosen.then_some((found.start, found.end))
}

/// Names that are those of secrets as parameters of a query only.
static OF_QUERY: WordList = WordList::new("appid sig signature");

/// Whether the words before a name on its line say that its value is public, or its own do outside of a query.
fn is_public_hint(text: &[u8], name: Name) -> bool {
    const PUBLIC: &[&[u8]] = &[
        b"public",
        b"pubkey",
        b"ssh-",
        b"gpg",
        b"cache",
        b"hash",
        b"digest",
        b"sha",
        b"checksum",
        b"commit",
        b"partition",
        b"offset",
        b"issue",
        b"finger",
        b"websitekey",
        b"sitekey",
        b"site_key",
        b"site-key",
        b"targeting",
    ];
    let word = &text[name.start..name.end];
    let line = last_line(&text[name.start.saturating_sub(48)..name.end]);
    let after = first_line(&text[name.end..text.len().min(name.end + 64)]);
    let in_log = [&b" partition="[..], b" offset="].iter().any(|field| contains_ignoring_case(after, field));
    let asked = name.start > 0 && matches!(text[name.start - 1], b'?' | b'&');
    let of_query = OF_QUERY.has(word);
    in_log || PUBLIC.iter().any(|public| contains_ignoring_case(line, public)) || (of_query && !asked)
}

/// Whether a name is the parameter `key` of a URL that asks an API, where no key of a cache or an index is told.
fn is_asked_of_api(text: &[u8], name: Name) -> bool {
    static ASKED: WordList = WordList::new("key appid");
    const API: [&[u8]; 4] = [b"://api.", b".api.", b"/api/", b"-api."];
    let before = &text[name.start.saturating_sub(128)..name.start];
    let from = before.iter().rposition(|b| b.is_ascii_whitespace() || matches!(b, b'"' | b'\'' | b'`')).unwrap_or(0);
    ASKED.has(&text[name.start..name.end])
        && before.ends_with(b"?") | before.ends_with(b"&")
        && API.iter().any(|part| contains_ignoring_case(&before[from..], part))
}

/// Whether a token is that of a badge, which is public: the image is on every page that shows it.
fn is_badge(text: &[u8], name: Name, class: NameClass) -> bool {
    let before = &text[name.start.saturating_sub(128)..name.start];
    let image = || {
        [&b"badge"[..], b"shields.io", b".svg"].iter().any(|word| before.windows(word.len()).any(|part| part == *word))
    };
    class == NameClass::Weak && (before.ends_with(b"?") || before.ends_with(b"&")) && image()
}

/// Returns the label for the whole value of a field, if its name says that it is secret.
pub(super) fn field(key: &str, value: &str) -> Option<&'static FindingLabel> {
    if key.len() > 2 * MAX_NAME_PART || key.is_empty() {
        return None;
    }
    let (class, label) = class_of(key.as_bytes()).or_else(|| class_of(key.replace(' ', "_").as_bytes()))?;
    // Outside of a query these are public.
    if class == NameClass::Hint && OF_QUERY.has(key.as_bytes()) {
        return None;
    }
    (!is_exempt(value.trim().as_bytes(), class)).then_some(label)
}

/// Whether a value in a record is not secret although its name is that of one: a placeholder, a switch, a limit.
fn is_exempt(value: &[u8], class: NameClass) -> bool {
    static SWITCHES: WordList =
        WordList::new("true false yes no on off null none n/a nil required optional unknown tbd todo");
    let number = value.iter().all(|b| b.is_ascii_digit() || matches!(b, b'.' | b',' | b'_' | b'k' | b'K'));
    heuristics::is_placeholder(value)
        || SWITCHES.has(value)
        || (number && class != NameClass::Password)
        || (matches!(class, NameClass::Weak | NameClass::Hint) && !heuristics::looks_secret(value, class, true))
}

/// Returns the start of the word before `start`, one blank away, if it qualifies the key or token: `API key`,
/// `secret key`, `access token`; else `start`.
fn qualifier(text: &[u8], start: usize, key: bool) -> usize {
    static TOKENS: WordList = WordList::new(
        "access api auth authentication authorization bearer bot deploy github gitlab npm oauth \
        personal refresh runner secret security service session slack user vault",
    );
    static PARENTS: WordList = WordList::new("encryption jwt auth signing hmac token session cipher crypto");
    let before = &text[start.saturating_sub(32)..start];
    // `?key=…` of a URL, `Jwt: {Key: …}`.
    let parted =
        before.iter().rev().take_while(|b| matches!(b, b' ' | b'\n' | b'"' | b'{' | b':' | b'\'' | b'>')).count();
    if key && parted > 1 && parted < before.len() {
        let word = before[..before.len() - parted].iter().rev().take_while(|b| b.is_ascii_alphabetic()).count();
        let parent = &before[before.len() - parted - word..before.len() - parted];
        if PARENTS.has(parent) {
            return start - parted - word;
        }
    }
    let Some(before) = before.strip_suffix(b" ") else {
        return start;
    };
    let word = before.iter().rev().take_while(|b| b.is_ascii_alphanumeric()).count();
    // `algo=sha256 key=…`: the word is the value of another name.
    let assigned = before[..before.len() - word].ends_with(b"=");
    let counts = word > 0 && !assigned && (key || TOKENS.has(&before[before.len() - word..]));
    if counts { start - 1 - word } else { start }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests")]
mod tests;
