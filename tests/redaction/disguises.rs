//! Disguises: ways to write a secret so that a person can still read it and a machine may not.

use crate::contexts::Case;
use crate::kinds::{Kind, Shape};
use crate::random::Rng;
use base64::Engine as _;

/// A disguise.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Disguise {
    pub(crate) name: &'static str,
    write: Write,
    place: Place,
}

type Write = fn(&str, &mut Rng) -> Option<String>;

/// Where a disguise has a meaning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Anywhere,
    /// Not inside HTML.
    Markdown,
    /// In an address.
    Url,
    /// In the key rather than the secret.
    Key,
    /// Between the two halves of the secret, in a program.
    Program,
    /// Between the two halves of a token, in a text.
    Text,
    /// Around the secret and its key, as the content of a file.
    File,
}

const fn way(name: &'static str, write: Write) -> Disguise {
    Disguise { name, write, place: Place::Anywhere }
}

const fn markdown(name: &'static str, write: Write) -> Disguise {
    Disguise { name, write, place: Place::Markdown }
}

const fn url(name: &'static str, write: Write) -> Disguise {
    Disguise { name, write, place: Place::Url }
}

const fn key(name: &'static str, write: Write) -> Disguise {
    Disguise { name, write, place: Place::Key }
}

/// A joint between the halves of a string.
const fn program(name: &'static str, write: Write) -> Disguise {
    Disguise { name, write, place: Place::Program }
}

/// A line end inside of a token.
const fn text(name: &'static str, write: Write) -> Disguise {
    Disguise { name, write, place: Place::Text }
}

const fn file(name: &'static str, write: Write) -> Disguise {
    Disguise { name, write, place: Place::File }
}

/// All disguises.
pub(crate) static DISGUISES: &[Disguise] = &[
    way("zero-width-space", |s, rng| Some(split(s, "\u{200b}", 3, rng))),
    way("zero-width-joiner", |s, rng| Some(split(s, "\u{200d}", 2, rng))),
    way("zero-width-non-joiner", |s, rng| Some(split(s, "\u{200c}", 1, rng))),
    way("word-joiner", |s, rng| Some(split(s, "\u{2060}", 2, rng))),
    way("byte-order-mark", |s, rng| Some(split(s, "\u{feff}", 2, rng))),
    way("zero-width-everywhere", |s, _| Some(s.chars().flat_map(|c| [c, '\u{200b}']).collect())),
    way("soft-hyphen", |s, rng| Some(split(s, "\u{ad}", 3, rng))),
    way("soft-hyphen-entity", |s, rng| Some(split(s, "&shy;", 2, rng))),
    way("direction-mark", |s, rng| Some(split(s, "\u{202c}", 2, rng))),
    way("variation-selector", |s, rng| Some(split(s, "\u{fe0f}", 2, rng))),
    way("tag-characters", |s, rng| Some(split(s, "\u{e0061}", 2, rng))),
    way("decimal-entities", |s, _| Some(s.chars().map(|c| format!("&#{};", c as u32)).collect())),
    way("hex-entities", |s, _| Some(s.chars().map(|c| format!("&#x{:x};", c as u32)).collect())),
    way("some-entities", |s, rng| Some(some(s, 4, rng, |c| format!("&#{};", c as u32)))),
    way("padded-entities", |s, rng| Some(some(s, 3, rng, |c| format!("&#X{:05X};", c as u32)))),
    way("first-as-entity", |s, _| Some(format!("&#{};{}", s.chars().next()? as u32, s.get(1..)?))),
    way("named-entities", named),
    way("zero-width-entity", |s, rng| Some(split(s, "&#8203;", 2, rng))),
    way("zero-width-named", |s, rng| Some(split(s, "&ZeroWidthSpace;", 2, rng))),
    url("percent-all", |s, _| Some(s.bytes().map(|b| format!("%{b:02X}")).collect())),
    url("percent-some", |s, rng| Some(some(s, 4, rng, percent))),
    url("percent-first", |s, _| Some(percent(s.chars().next()?) + s.get(1..)?)),
    url("percent-marks", percent_marks),
    markdown("backslashes", backslashes),
    markdown("split-bold", |s, rng| Some(wrap(s, "**", "**", rng))),
    markdown("split-italic", |s, rng| Some(wrap(s, "*", "*", rng))),
    markdown("split-strike", |s, rng| Some(wrap(s, "~~", "~~", rng))),
    way("split-html-bold", |s, rng| Some(wrap(s, "<b>", "</b>", rng))),
    way("split-span", |s, rng| Some(wrap(s, "<span style=\"color:red\">", "</span>", rng))),
    markdown("split-code", |s, rng| Some(wrap(s, "`", "`", rng))),
    way("split-wbr", |s, rng| Some(split(s, "<wbr>", 2, rng))),
    way("split-wbr-closed", |s, rng| Some(split(s, "<wbr/>", 3, rng))),
    way("split-comment", |s, rng| Some(split(s, "<!-- -->", 2, rng))),
    way("split-comment-words", |s, rng| Some(split(s, "<!-- the rest -->", 1, rng))),
    markdown("bold-prefix", |s, _| Some(format!("**{}**{}", s.get(..4)?, s.get(4..)?))),
    markdown("bold-and-zero-width", |s, rng| Some(wrap(&split(s, "\u{200b}", 1, rng), "**", "**", rng))),
    way("entities-and-zero-width", |s, rng| Some(split_between(&some(s, 3, rng, |c| format!("&#{};", c as u32)), rng))),
    way("entities-and-wbr", |s, rng| {
        Some(split(&some_marks(s), "<wbr>", 0, rng)).map(|s| s.replacen(';', ";<wbr>", 1))
    }),
    markdown("backslashes-and-soft-hyphen", |s, rng| Some(split(&backslashes(s, rng)?, "\u{ad}", 1, rng))),
    key("key-backslashes", backslashes),
    key("key-zero-width", |s, rng| Some(split(s, "\u{200b}", 1, rng))),
    key("key-first-as-entity", |s, _| Some(format!("&#{};{}", s.chars().next()? as u32, s.get(1..)?))),
    key("key-split-bold", |s, _| Some(format!("**{}**{}", s.get(..1)?, s.get(1..)?))),
    key("key-bold", |s, _| Some(format!("**{s}**"))),
    key("key-code", |s, _| Some(format!("`{s}`"))),
    program("sum", |_, _| Some("\" + \"".to_owned())),
    program("sum-of-lines", |_, _| Some("\" +\n    \"".to_owned())),
    program("sum-with-comment", |_, _| Some("\" /* the rest */ + \"".to_owned())),
    program("sum-of-added-lines", |_, _| Some("\" +\n+    \"".to_owned())),
    program("dot", |_, _| Some("\" . \"".to_owned())),
    program("two-dots", |_, _| Some("\" .. \"".to_owned())),
    program("two-plus", |_, _| Some("\" ++ \"".to_owned())),
    program("diamond", |_, _| Some("\" <> \"".to_owned())),
    program("ampersand", |_, _| Some("\" & \"".to_owned())),
    program("bars", |_, _| Some("\" || \"".to_owned())),
    program("adjacent", |_, _| Some("\" \"".to_owned())),
    program("adjacent-lines", |_, _| Some("\"\n    \"".to_owned())),
    program("concat", |_, _| Some("\".concat(\"".to_owned())),
    program("continued", |_, _| Some("\\\n".to_owned())),
    text("wrapped", |_, _| Some("\n".to_owned())),
    text("wrapped-indented", |_, _| Some("\n    ".to_owned())),
    text("wrapped-in-quote", |_, _| Some("\n> ".to_owned())),
    file("base64", |s, _| Some(encode(s))),
    file("base64-twice", |s, _| Some(encode(&encode(s)))),
    file("base64-wrapped", |s, _| {
        let code = encode(s);
        let lines: Vec<&str> = code.as_bytes().chunks(64).filter_map(|line| std::str::from_utf8(line).ok()).collect();
        Some(lines.join("\n  "))
    }),
];

/// The places of disguised secrets: name, template for a token, template for a key with its value.
static PLACES: [(&str, &str, &str); 4] = [
    ("sentence", "The reader failed with {} after the deploy.", "On staging it is {k}: {v} until Monday."),
    ("bullet", "- first\n- {}\n- last", "- first\n- {k}: {v}\n- last"),
    ("table-cell", "| reader | {} | needed |", "| {k} | {v} | needed |"),
    ("html", "<p>It is {} now.</p>", "<p>{k}: {v}</p>"),
];
const URLS: [(&str, &str, &str); 2] = [
    (
        "query",
        "Open https://app.example.org/hook?value={}&page=2 first.",
        "Open https://app.example.org/hook?{k}={v}&page=2 first.",
    ),
    ("path", "Open https://app.example.org/in/{}/status first.", "Post `{k}={v}&page=2` to it."),
];

impl Disguise {
    /// Makes a disguised secret of `kind`; `None` if the two do not fit.
    pub(crate) fn case(&self, kind: &Kind, rng: &mut Rng) -> Option<(&'static str, Case)> {
        let places = match self.place {
            Place::Program | Place::Text => return self.halves(kind, rng),
            Place::File => return self.file(kind, rng),
            Place::Url => &URLS[..],
            Place::Markdown | Place::Key => &PLACES[..3],
            Place::Anywhere => &PLACES[..],
        };
        let (name, token, pair) = places[rng.below(places.len())];
        let (template, key, slot) = match kind.shape {
            Shape::Token(form) if !form.contains("://") => (token, "", "{}"),
            Shape::Pair(key, form) if key.is_ascii() && !form.starts_with("{S") => (pair, key, "{v}"),
            _ => return None,
        };
        let secret = kind.sample(rng)?.secret;
        let (key, written) = match self.place {
            Place::Key if key.is_empty() => return None,
            Place::Key => ((self.write)(key, rng)?, secret.clone()),
            _ => (key.to_owned(), (self.write)(&secret, rng)?),
        };
        let template = template.replace("{k}", &key);
        let (before, after) = template.split_once(slot)?;
        let frame = vec![before.to_owned(), after.to_owned()];
        let text = format!("{before}{written}{after}");
        Some((name, Case { text, key: String::new(), secrets: vec![secret], frame }))
    }
}

impl Disguise {
    /// Makes a secret in two halves, neither of which may survive.
    fn halves(&self, kind: &Kind, rng: &mut Rng) -> Option<(&'static str, Case)> {
        let (token, pair) = match self.place {
            Place::Program => ("const reader = \"{}\";", "{k} = \"{v}\""),
            _ => ("The reader used\n\n{}\n\nand failed.", ""),
        };
        let (template, key, slot) = match kind.shape {
            Shape::Token(form) if !form.contains("://") => (token, "", "{}"),
            Shape::Pair(key, form) if is_name(key) && !form.starts_with("{S") && !pair.is_empty() => (pair, key, "{v}"),
            _ => return None,
        };
        let secret = kind.sample(rng)?.secret;
        let plain = secret.bytes().all(|b| b.is_ascii_graphic() && !b"\"'\\`".contains(&b));
        // Only a long token is wrapped.
        let least = if self.place == Place::Text { 40 } else { 16 };
        if !plain || secret.len() < least || self.place == Place::Text && !secret.bytes().all(is_token) {
            return None;
        }
        let (first, second) = secret.split_at(secret.len() / 2);
        let written = format!("{first}{}{second}", (self.write)(&secret, rng)?);
        let template = template.replace("{k}", key);
        let (before, after) = template.split_once(slot)?;
        let frame = vec![before.to_owned(), after.to_owned()];
        let secrets = vec![first.to_owned(), second.to_owned()];
        Some(("program", Case { text: format!("{before}{written}{after}"), key: String::new(), secrets, frame }))
    }

    /// Makes a file with a secret, of which the code must not survive.
    fn file(&self, kind: &Kind, rng: &mut Rng) -> Option<(&'static str, Case)> {
        let secret = kind.sample(rng)?.secret;
        let line = match kind.shape {
            Shape::Token(form) if !form.contains("://") => format!("  value: {secret}"),
            Shape::Pair(key, form) if is_name(key) && !form.starts_with("{S") => format!("  {key}: {secret}"),
            _ => return None,
        };
        let code = (self.write)(&format!("reader:\n  region: eu-west-1\n{line}\n  retries: 3\n"), rng)?;
        let secrets: Vec<String> = code.split("\n  ").map(|line| line.trim_end_matches('=').to_owned()).collect();
        let frame = vec!["config:\n  ".to_owned(), "\nkind: Reader\n".to_owned()];
        Some(("file", Case { text: frame.join(&code), key: String::new(), secrets, frame }))
    }
}

fn is_name(key: &str) -> bool {
    key.bytes().all(|b| b.is_ascii_alphanumeric() || b"_-.".contains(&b))
}

fn is_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"_-".contains(&byte)
}

fn encode(text: &str) -> String {
    base64::engine::general_purpose::STANDARD.encode(text)
}

/// Inserts `what` at some places inside.
fn split(secret: &str, what: &str, times: usize, rng: &mut Rng) -> String {
    let mut chars: Vec<String> = secret.chars().map(String::from).collect();
    for _ in 0..times {
        let at = 1 + rng.below(chars.len() - 1);
        chars.insert(at, what.to_owned());
    }
    chars.concat()
}

/// Inserts a zero-width space after an entity, so that none is cut.
fn split_between(text: &str, rng: &mut Rng) -> String {
    let ends: Vec<usize> = text.match_indices(';').map(|(at, _)| at + 1).collect();
    let at = if ends.is_empty() { text.len() / 2 } else { ends[rng.below(ends.len())] };
    format!("{}\u{200b}{}", &text[..at], &text[at..])
}

/// Puts a part of the inside between two marks.
fn wrap(secret: &str, open: &str, close: &str, rng: &mut Rng) -> String {
    let marks: Vec<usize> = secret.char_indices().map(|(at, _)| at).collect();
    let from = 1 + rng.below(marks.len() / 2);
    let to = from + 1 + rng.below(marks.len() - from - 1);
    let (from, to) = (marks[from], marks[to]);
    format!("{}{open}{}{close}{}", &secret[..from], &secret[from..to], &secret[to..])
}

/// Rewrites one in `of` characters, at least one.
fn some(secret: &str, of: usize, rng: &mut Rng, how: impl Fn(char) -> String) -> String {
    let sure = rng.below(secret.len());
    let mut chosen = |(at, c)| if at == sure || rng.below(of) == 0 { how(c) } else { c.to_string() };
    secret.char_indices().map(&mut chosen).collect()
}

/// Writes the third character as an entity.
fn some_marks(secret: &str) -> String {
    secret.char_indices().map(|(at, c)| if at == 2 { format!("&#{};", c as u32) } else { c.to_string() }).collect()
}

fn percent(c: char) -> String {
    let mut buffer = [0; 4];
    c.encode_utf8(&mut buffer).bytes().map(|b| format!("%{b:02x}")).collect()
}

fn percent_marks(secret: &str, _: &mut Rng) -> Option<String> {
    let marked = secret.chars().any(|c| c.is_ascii_punctuation());
    marked.then(|| secret.chars().map(|c| if c.is_ascii_punctuation() { percent(c) } else { c.to_string() }).collect())
}

const NAMED: [(char, &str); 11] = [
    ('_', "&lowbar;"),
    ('.', "&period;"),
    ('=', "&equals;"),
    ('/', "&sol;"),
    ('+', "&plus;"),
    ('!', "&excl;"),
    ('#', "&num;"),
    ('$', "&dollar;"),
    ('%', "&percnt;"),
    ('*', "&ast;"),
    (':', "&colon;"),
];

fn named(secret: &str, _: &mut Rng) -> Option<String> {
    let name = |c: char| NAMED.iter().find(|(mark, _)| *mark == c).map(|(_, name)| *name);
    secret
        .chars()
        .any(|c| name(c).is_some())
        .then(|| secret.chars().map(|c| name(c).map_or_else(|| c.to_string(), str::to_owned)).collect())
}

fn backslashes(secret: &str, _: &mut Rng) -> Option<String> {
    let marked = secret.chars().any(|c| c.is_ascii_punctuation());
    let escape = |c: char| if c.is_ascii_punctuation() { format!("\\{c}") } else { c.to_string() };
    marked.then(|| secret.chars().map(escape).collect())
}
