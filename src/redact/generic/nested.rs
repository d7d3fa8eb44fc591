//! Values in a container whose name says what it holds: the entries below `passwords:`, `"apiKeys": {…}`,
//! `SECRETS=(…)`, a section `[secrets]`, and the field `value` of `password:`.

use super::super::heuristics::{self, NameClass, WordList};
use super::super::names::{KEY, TOKEN, class_of};
use super::super::rules::FindingLabel;
use super::separator::{after_closers, is_quote, skip_blanks};
use super::{Name, rows};

/// How much of a container is read, and how many of its lines.
const MAX_BYTES: usize = 4096;
const MAX_LINES: usize = 64;

/// Fields of an entry that describe the secret and are none.
static DESCRIPTIONS: WordList = WordList::new(
    "id ids name file path ref version type kind format description title label env engine store \
    role roles scope scopes user username login email mail owner host hostname url uri endpoint region created updated expires expiry expiration date time timestamp arn status state \
    policy rotation required external driver pattern message error placeholder hint keyid key_id provider from source target example",
);

/// Fields in which the secret of a name in the singular stands: `password: {value: …}`.
static VALUES: WordList = WordList::new(
    "value val plain plaintext cleartext clear raw text current old new previous default data prod production \
    staging stage dev development qa uat live",
);

/// Where the entries of a container are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shape {
    /// Between brackets, from this offset on.
    Brackets(usize),
    /// From this offset to the next blank, with commas between them.
    List(usize),
    /// On the lines after the one that ends at this offset, deeper than the name.
    Block(usize),
    /// On the lines of a section, after the one that ends at this offset.
    Section(usize),
}

/// What a name says of the entries of its container.
#[derive(Debug, Clone, Copy)]
struct Holder {
    class: NameClass,
    label: &'static FindingLabel,
    /// Whether it is in the plural, so that every entry counts.
    plural: bool,
}

/// Passes the secrets in the container that `name` opens to `on_finding`; returns its end, or `None` if it opens none.
pub(super) fn values(
    text: &[u8],
    name: Name,
    on_finding: &mut dyn FnMut(usize, usize, &'static FindingLabel),
) -> Option<usize> {
    let shape = shape(text, name)?;
    let word = &text[name.start..name.end];
    // `"keys"` beside `"keys_base64"` are those that open a vault.
    let of_vault =
        || memchr::memmem::find(&text[name.end..text.len().min(name.end + MAX_BYTES)], b"\"keys_b").is_some();
    let holder = match word {
        b"keys" if of_vault() => holder(b"unseal_keys"),
        _ => holder(word),
    }?;
    let mut check = |key: &[u8], start: usize, end: usize, quoted: bool| {
        if holder.holds(key, &text[start..end], quoted) {
            on_finding(start, end, holder.label);
        }
    };
    Some(match shape {
        Shape::Brackets(at) => brackets(text, at, &mut check),
        Shape::List(at) => list(text, at, &mut check),
        Shape::Block(at) => lines(text, at, Some(name.start), &mut check),
        Shape::Section(at) => lines(text, at, None, &mut check),
    })
}

/// Returns what opens after a name.
fn shape(text: &[u8], name: Name) -> Option<Shape> {
    let (closed, _) = after_closers(text, name.end);
    let mut at = skip_blanks(text, closed);
    let line_ends = |at: usize| matches!(text.get(at), Some(b'\n' | b'\r'));
    if line_ends(at) && text[..closed].ends_with(b"]") && name.start > 0 && text[name.start - 1] == b'[' {
        let lead = text[..name.start - 1].iter().rev().take(8).take_while(|b| matches!(b, b' ' | b'>' | b'+')).count();
        let begins = matches!(text[..name.start - 1 - lead].last(), None | Some(b'\n'));
        return begins.then_some(Shape::Section(at));
    }
    let assigned = text.get(at) == Some(&b'=');
    match text.get(at)? {
        b':' | b'=' => at += 1 + usize::from(text.get(at + 1) == Some(&b'>')),
        _ => return None,
    }
    at = skip_blanks(text, at);
    match text.get(at)? {
        b'{' | b'[' | b'(' => Some(Shape::Brackets(at)),
        b'\n' | b'\r' if text[closed..at].contains(&b':') => Some(Shape::Block(at)),
        _ if assigned && text[..name.end].ends_with(b"S") => Some(Shape::List(at)),
        _ => None,
    }
}

/// Returns what `name` says of its entries; `None` if they need not be secret.
fn holder(name: &[u8]) -> Option<Holder> {
    const CODINGS: [&[u8]; 4] = [b"_b64", b"_base64", b"_hex", b"_list"];
    /// The shares of a vault's key: in the singular their name is that of one of many keys.
    static SHARES: WordList =
        WordList::new("keys unseal_keys recovery_keys master_keys root_keys seal_keys key_shares");
    // The passes of a compiler.
    if name.ends_with(b"_pass") || name.ends_with(b"passes") {
        return None;
    }
    if name.eq_ignore_ascii_case(b"cookies") {
        return Some(Holder { class: NameClass::Token, label: &TOKEN, plural: true });
    }
    let coding = CODINGS.iter().find(|coding| name.ends_with(coding));
    let name = coding.map_or(name, |coding| &name[..name.len() - coding.len()]);
    if SHARES.has(name) && (coding.is_some() || name.len() > "keys".len()) {
        return Some(Holder { class: NameClass::Key, label: &KEY, plural: true });
    }
    let single = name
        .strip_suffix(b"s")
        .or_else(|| name.strip_suffix(b"S"))
        .filter(|single| !single.last().is_some_and(|last| last.eq_ignore_ascii_case(&b's')));
    let (class, label) = class_of(single.unwrap_or(name))?;
    let class = match class {
        NameClass::Hint => return None,
        NameClass::Weak if single.is_none() => return None,
        NameClass::Weak => NameClass::Token,
        class => class,
    };
    Some(Holder { class, label, plural: single.is_some() })
}

/// Whether the field `key` describes a secret, by its last word: `ServiceUserName`, `create_date`, `participantId`.
fn describes(key: &[u8]) -> bool {
    let last = key.iter().rposition(|b| !b.is_ascii_alphanumeric()).map_or(key, |at| &key[at + 1..]);
    // An abbreviation or a word of capitals begins no word inside.
    let hump = last.iter().rposition(u8::is_ascii_uppercase).map_or(last, |at| &last[at..]);
    DESCRIPTIONS.has(key) || DESCRIPTIONS.has(last) || hump.len() > 1 && DESCRIPTIONS.has(hump)
}

impl Holder {
    fn holds(&self, key: &[u8], value: &[u8], quoted: bool) -> bool {
        let key = key.trim_ascii();
        // A field that names a secret itself is found by its own name.
        let named = if self.plural {
            !describes(key) && (key.is_empty() || class_of(key).is_none())
        } else {
            // `"password": ["…"]`, beside the rules of a form that are written so.
            VALUES.has(key) || key.is_empty() && value.len() >= 8 && heuristics::has_all_kinds(value)
        };
        named
            && match self.class {
                NameClass::Password if quoted => rows::is_secret(value, self.class),
                NameClass::Password => {
                    heuristics::looks_secret(value, self.class, false) || heuristics::is_word_chain(value, 3)
                }
                NameClass::Key if is_coded(value) => !heuristics::is_placeholder(value) && !heuristics::is_name(value),
                class => {
                    heuristics::looks_secret(value, class, quoted)
                        && heuristics::looks_random(value)
                        && is_spelled(value)
                }
            }
    }
}

/// Whether `value` is a key in Base64 or hexadecimal.
fn is_coded(value: &[u8]) -> bool {
    value.len() >= 40 && value.iter().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/' | b'='))
}

/// Whether `value` has the characters of a token: a pattern of a lexer has others as well.
fn is_spelled(value: &[u8]) -> bool {
    value
        .iter()
        .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.' | b'+' | b'/' | b'=' | b'~' | b':'))
}

/// A callback for an entry: its key, the start and the end of its value, and whether that is quoted.
type OnEntry<'a> = &'a mut dyn FnMut(&[u8], usize, usize, bool);

/// Reads the entries from `from` to the next blank that commas part; returns their end.
fn list(text: &[u8], from: usize, on_entry: OnEntry<'_>) -> usize {
    let window = &text[from..text.len().min(from + MAX_BYTES)];
    let window = &window[..window.iter().position(u8::is_ascii_whitespace).unwrap_or(window.len())];
    let mut at = from;
    for part in window.split(|b| *b == b',') {
        let lead = part.iter().take_while(|b| matches!(b, b'"' | b'\'')).count();
        let trail = part[lead..].iter().rev().take_while(|b| matches!(b, b'"' | b'\'')).count();
        on_entry(b"", at + lead, at + part.len() - trail, true);
        at += part.len() + 1;
    }
    from + window.len()
}

/// Reads the entries between the bracket that opens at `open` and the one that closes it; returns its end.
fn brackets(text: &[u8], open: usize, on_entry: OnEntry<'_>) -> usize {
    let limit = text.len().min(open + MAX_BYTES);
    let (mut at, mut depth) = (open, 0_usize);
    let mut key = 0..0;
    while at < limit {
        match text[at] {
            b'{' | b'[' | b'(' => depth += 1,
            b'}' | b']' | b')' => {
                depth -= 1;
                if depth == 0 {
                    return at + 1;
                }
            }
            b',' | b'\n' => key = 0..0,
            quote @ (b'"' | b'\'' | b'`') => {
                let start = at + 1;
                let rest = &text[start..limit];
                let Some(length) = rest.iter().position(|b| *b == quote || *b == b'\n') else { return limit };
                at = start + length;
                if rest[length] == b'\n' {
                    continue;
                }
                let next = skip_blanks(text, at + 1);
                if matches!(text.get(next), Some(b':' | b'=')) {
                    key = start..at;
                } else {
                    on_entry(&text[key.clone()], start, at, true);
                }
            }
            byte if byte.is_ascii_alphanumeric() => {
                let start = at;
                let ends = |b: &u8| {
                    b.is_ascii_whitespace() || matches!(b, b',' | b'}' | b']' | b')' | b':' | b'=' | b'"' | b'\'')
                };
                at = start + text[start..limit].iter().position(ends).unwrap_or(limit - start);
                let next = skip_blanks(text, at);
                if matches!(text.get(next), Some(b':' | b'=')) {
                    key = start..at;
                } else if text[..start].trim_ascii_end().ends_with(b":")
                    // `[otter77, lamp88]`
                    || matches!(text[..start].trim_ascii_end().last(), Some(b'[' | b','))
                        && matches!(text[next..].first(), Some(b']' | b','))
                {
                    on_entry(&text[key.clone()], start, at, false);
                }
                continue;
            }
            _ => {}
        }
        at += 1;
    }
    limit
}

/// Reads the entries on the lines after `from`: those that are indented deeper than the line of `parent`, or else those of a
/// section; returns their end.
fn lines(text: &[u8], from: usize, parent: Option<usize>, on_entry: OnEntry<'_>) -> usize {
    let is_lead = |b: &u8| matches!(b, b' ' | b'\t' | b'>' | b'+');
    let own = parent.map(|start| {
        let before = text[..start].iter().rev().take(128).take_while(|b| **b != b'\n').count();
        let line = &text[start - before..start];
        let lead = line.iter().take_while(|b| is_lead(b)).count();
        // The item of a list is as deep as the text after its mark.
        if line[lead..].starts_with(b"- ") { lead + 2 } else { lead }
    });
    let limit = text.len().min(from + MAX_BYTES);
    let mut at = from;
    for _ in 0..MAX_LINES {
        let Some(start) = text[at..limit].iter().position(|b| *b == b'\n').map(|end| at + end + 1) else { break };
        let end = start + text[start..limit].iter().position(|b| *b == b'\n').unwrap_or(limit - start);
        let lead = text[start..end].iter().take_while(|b| is_lead(b)).count();
        let line = &text[start + lead..end];
        let item = line.starts_with(b"- ");
        let inside = match own {
            _ if line.trim_ascii().is_empty() => true,
            Some(depth) => lead > depth || item && lead == depth,
            None => !line.starts_with(b"["),
        };
        if !inside || line.starts_with(b"```") || line.starts_with(b"~~~") {
            break;
        }
        at = end;
        entry(text, start + lead + if item { 2 } else { 0 }, end, own.is_none(), on_entry);
    }
    at.max(from)
}

/// Reads the entry `key: value`, in a section also `key = value`, or, in a list, a value alone.
fn entry(text: &[u8], start: usize, end: usize, section: bool, on_entry: OnEntry<'_>) {
    if start >= end || matches!(text[start], b'#' | b';' | b'/') {
        return;
    }
    let line = &text[start..end];
    let item = text[..start].ends_with(b"- ");
    let parted = line.iter().enumerate().position(|(at, b)| match b {
        b':' => line.get(at + 1).is_none_or(u8::is_ascii_whitespace),
        b'=' => section,
        _ => false,
    });
    let (key, from) = match parted {
        Some(at) => (line[..at].trim_ascii(), start + at + 1),
        None if item => (&line[..0], start),
        None => return,
    };
    let key = key.strip_prefix(b"\"").and_then(|key| key.strip_suffix(b"\"")).unwrap_or(key);
    // A sentence is no key.
    if key.iter().filter(|b| **b == b' ').count() > 2 {
        return;
    }
    let at = skip_blanks(text, from).min(end);
    if is_quote(text.get(at)) {
        if let Some(length) = text[at + 1..end].iter().position(|b| *b == text[at]) {
            on_entry(key, at + 1, at + 1 + length, true);
        }
        return;
    }
    let value = &text[at..end];
    let value = &value[..value.windows(2).position(|pair| pair == b" #").unwrap_or(value.len())];
    let value = value.trim_ascii_end();
    if !value.is_empty() && !value.contains(&b' ') {
        on_entry(key, at, at + value.len(), false);
    }
}

/// The longest part of an object before its key that is read, and the names of such objects.
const MAX_OBJECT: usize = 256;
static SIGNERS: WordList = WordList::new("jwt jwtsettings jwtoptions jwtconfig jwttoken jwtbearer jwtauth");

/// Whether a name is the field `Key` of an object of settings for signed tokens: `"Jwt": {"Issuer": "…", "Key": "…"}`.
pub(super) fn is_in_signing_object(text: &[u8], name: Name) -> bool {
    let before = &text[name.start.saturating_sub(MAX_OBJECT)..name.start];
    let field = text[name.start..name.end].eq_ignore_ascii_case(b"key") && before.ends_with(b"\"");
    let Some(open) = before.iter().rposition(|b| matches!(b, b'{' | b'}')).filter(|at| field && before[*at] == b'{')
    else {
        return false;
    };
    let parent = before[..open].trim_ascii_end();
    let parent = parent.strip_suffix(b":").unwrap_or_default().trim_ascii_end().strip_suffix(b"\"").unwrap_or_default();
    let parent = &parent[parent.iter().rposition(|b| *b == b'"').map_or(0, |quote| quote + 1)..];
    SIGNERS.has(parent)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::redact::canaries::{SEED, fill};
    use crate::redact::detect::built_in;

    fn found(text: &str, name: &str) -> Vec<String> {
        let Some(start) = text.find(name) else { return Vec::new() };
        let mut found = Vec::new();
        let name = Name { start, end: start + name.len(), flag: false };
        values(text.as_bytes(), name, &mut |start, end, _| found.push(text[start..end].to_owned()));
        found
    }

    #[test]
    fn entries_are_read_in_every_notation() {
        for text in [
            "passwords:\n  alice: q7Rt5Kx9w\n  bob: blue-otter-lamp # old\nnext: q7Rt5Kx9z\n",
            "> passwords:\n>   - q7Rt5Kx9w\n>   - blue-otter-lamp\n> more\n",
            "passwords:\n- q7Rt5Kx9w\n- \"blue-otter-lamp\"\n",
            "passwords = [\"q7Rt5Kx9w\", 'blue-otter-lamp']\n",
            "\"passwords\": {\"alice\": \"q7Rt5Kx9w\", \"name\": \"k9Rt5Kx9w\",\n \"bob\": \"blue-otter-lamp\"}, \"x\": \"q7Rt5Kx9z\"",
            "passwords=(\"q7Rt5Kx9w\" \"blue-otter-lamp\")\n",
            "[passwords]\nalice = \"q7Rt5Kx9w\"\nbob=\"blue-otter-lamp\"\n\n[other]\nx = \"q7Rt5Kx9z\"\n",
        ] {
            assert_eq!(found(text, "passwords"), ["q7Rt5Kx9w", "blue-otter-lamp"], "{text}");
        }
        assert_eq!(
            found("DB_PASSWORDS=q7Rt5Kx9w,blue-otter-lamp\nX=1", "DB_PASSWORDS"),
            ["q7Rt5Kx9w", "blue-otter-lamp"]
        );
        assert_eq!(
            found("{\"cookies\": [{\"name\": \"sid\", \"value\": \"q7Rt5Kx9wQ2m8Lp4\", \"path\": \"/\"}]}", "cookies"),
            ["q7Rt5Kx9wQ2m8Lp4"]
        );
        assert_eq!(found("db:\n  password:\n    value: q7Rt5Kx9w\n    user: q7Rt5Kx9z\n", "password"), ["q7Rt5Kx9w"]);
    }

    #[test]
    fn each_value_of_a_list_of_secrets_is_found() {
        for template in [
            "{\"unseal_keys_b64\": [\"<a43>=\", \"<c44>=\"], \"unseal_shares\": 2}",
            "\"recovery_keys_base64\": [\n  \"<a43>=\",\n  \"<c44>=\"\n],",
            "{\"keys\": [\"<h64>\", \"<h63>9\"], \"keys_base64\": [\"-\"]}",
            "api_keys:\n  - <a30>\n  - <c31>\n",
            "access_tokens = ['<a30>', '<c31>']",
        ] {
            let text = fill(template, SEED);
            assert_eq!(built_in(text.as_bytes(), false).len(), 2, "{text}");
        }
        for template in ["api_keys:\n  - name\n  - created_at\n", "cache_keys: ['<h64>']", "\"keys\": [\"<h64>\"]"] {
            let text = fill(template, SEED);
            assert_eq!(built_in(text.as_bytes(), false).len(), 0, "{text}");
        }
    }

    #[test]
    fn descriptions_and_words_stay() {
        for (text, name) in [
            ("secrets:\n  db_password:\n    file: ./q7Rt5Kx9w\n", "secrets"),
            ("secrets: {token: required, provider: \"vault\", engine: kv2}", "secrets"),
            ("password:\n  type: string\n  minLength: 12\n", "password"),
            ("tokens:\n  primary: primary-500\n  accent: accent-200\n", "tokens"),
            ("tokens: [\"##ing\", \"hello\", \"world2\"]", "tokens"),
            ("keys: [\"q7Rt5Kx9w\"]", "keys"),
            ("[passwords](q7Rt5Kx9w)\n", "passwords"),
            ("'tokens': [(r'\\u[0-9a-f]{4}|[^xY7]', String)]", "tokens"),
        ] {
            assert_eq!(found(text, name), Vec::<String>::new(), "{text}");
        }
    }
}
