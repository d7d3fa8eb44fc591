//! Turns `src/redact/rules.yml` into Rust tables while the package is built, so that start-up parses nothing.
//!
//! A module of the build script. It reads the few forms of YAML that the file's header lists, without a
//! dependency; a test reads the same file with a YAML library and compares (`canaries.rs`).

use std::fmt::Write as _;
use std::path::Path;
use std::{env, fs, io};

const SOURCE: &str = "src/redact/rules.yml";

/// The fields that every rule has, and those that a rule of each list has besides.
const COMMON: [&str; 5] = ["id", "reason", "keywords", "finds", "keeps"];
const LISTS: [(&str, &[&str], &[&str]); 3] = [
    ("tokens", &["pattern"], &["boundary", "before", "spaced", "long", "weak", "check"]),
    ("commands", &["pattern"], &["boundary", "before", "check"]),
    ("named_keys", &["values"], &[]),
];

/// The number of a line, and its error.
type RuleFault = (usize, String);

/// A rule as written.
struct WrittenRule {
    list: &'static str,
    line: usize,
    fields: Vec<WrittenField>,
}

struct WrittenField {
    line: usize,
    name: String,
    /// One for a scalar.
    values: Vec<String>,
}

/// Writes the tables to `rules.rs` in the build's output folder.
pub(crate) fn generate() -> io::Result<()> {
    println!("cargo::rerun-if-changed={SOURCE}");
    let text = fs::read_to_string(SOURCE)?;
    let tables = parse(&text).and_then(|entries| tables(&entries));
    let tables = tables.map_err(|(line, message)| io::Error::other(format!("{SOURCE}:{line}: {message}")))?;
    let out = env::var_os("OUT_DIR").ok_or_else(|| io::Error::other("OUT_DIR is not set"))?;
    fs::write(Path::new(&out).join("rules.rs"), tables)
}

fn parse(text: &str) -> Result<Vec<WrittenRule>, RuleFault> {
    let mut list = None;
    let mut entries: Vec<WrittenRule> = Vec::new();
    for (line, content) in (1..).zip(text.lines()) {
        let content = content.trim_end();
        let bare = content.trim_start_matches(' ');
        if bare.is_empty() || bare.starts_with('#') {
            continue;
        }
        let fault = |message: &str| (line, message.to_owned());
        let indent = content.len() - bare.len();
        let (indent, bare) = match bare.strip_prefix("- ") {
            Some(field) if indent == 2 => {
                let list = list.ok_or_else(|| fault("a rule outside of the lists"))?;
                entries.push(WrittenRule { list, line, fields: Vec::new() });
                (4, field)
            }
            _ => (indent, bare),
        };
        match (indent, entries.last_mut()) {
            (0, _) => {
                let known = LISTS.iter().find(|known| bare.strip_suffix(':') == Some(known.0));
                list = Some(known.ok_or_else(|| fault("not one of the lists `tokens`, `commands`, `named_keys`"))?.0);
            }
            (4, Some(entry)) => {
                let (name, value) = bare.split_once(':').ok_or_else(|| fault("expected `field: value`"))?;
                if entry.fields.iter().any(|field| field.name == name) {
                    return Err(fault("the rule has this field already"));
                }
                let values = values(value.trim_start()).map_err(|message| (line, message))?;
                entry.fields.push(WrittenField { line, name: name.to_owned(), values });
            }
            (6, Some(WrittenRule { fields, .. })) if bare.starts_with("- ") => {
                let field = fields.last_mut().ok_or_else(|| fault("an example outside of a field"))?;
                let (value, rest) = scalar(&bare[2..], "").map_err(|message| (line, message))?;
                if !rest.is_empty() {
                    return Err(fault("unexpected text after the value"));
                }
                field.values.push(value);
            }
            _ => return Err(fault("unexpected indentation")),
        }
    }
    Ok(entries)
}

/// Reads what follows a field's colon: a scalar, a flow list, or nothing before a block list.
fn values(text: &str) -> Result<Vec<String>, String> {
    if text.is_empty() {
        return Ok(Vec::new());
    }
    let Some(mut rest) = text.strip_prefix('[') else {
        let (value, rest) = scalar(text, "")?;
        return if rest.is_empty() { Ok(vec![value]) } else { Err("unexpected text after the value".to_owned()) };
    };
    let mut values = Vec::new();
    loop {
        let (value, after) = scalar(rest.trim_start(), ",]")?;
        values.push(value);
        rest = match after.strip_prefix(',') {
            Some(rest) => rest,
            None if after == "]" => return Ok(values),
            None => return Err("expected `,` or `]` after a value of the list".to_owned()),
        };
    }
}

/// Reads a plain or single-quoted scalar that ends at one of `ends`; returns what follows it, too.
fn scalar<'t>(text: &'t str, ends: &str) -> Result<(String, &'t str), String> {
    if let Some(mut rest) = text.strip_prefix('\'') {
        let mut value = String::new();
        loop {
            let (part, after) = rest.split_once('\'').ok_or("a quoted value does not end on its line")?;
            value.push_str(part);
            let Some(after) = after.strip_prefix('\'') else { return Ok((value, after)) };
            value.push('\'');
            rest = after;
        }
    }
    let end = text.find(|c| ends.contains(c)).unwrap_or(text.len());
    let (value, rest) = text.split_at(end);
    let plain =
        value.starts_with(|c: char| c.is_ascii_alphanumeric()) && !value.contains(": ") && !value.contains(" #");
    if plain { Ok((value.to_owned(), rest)) } else { Err("a value that needs single quotes".to_owned()) }
}

impl WrittenRule {
    fn values(&self, name: &str) -> Result<&[String], RuleFault> {
        let field = self.fields.iter().find(|field| field.name == name && !field.values.is_empty());
        Ok(&field.ok_or_else(|| (self.line, format!("the rule has no `{name}`")))?.values)
    }

    fn value(&self, name: &str) -> Result<&str, RuleFault> {
        match self.values(name)? {
            [value] => Ok(value),
            _ => Err((self.line, format!("`{name}` takes one value"))),
        }
    }

    fn checked(&self) -> Result<(), RuleFault> {
        for (_, required, optional) in LISTS.iter().filter(|(list, ..)| *list == self.list) {
            for name in COMMON.iter().chain(*required) {
                self.values(name)?;
            }
            for field in &self.fields {
                if !COMMON.iter().chain(*required).chain(*optional).any(|known| *known == field.name) {
                    return Err((field.line, format!("`{}` is not a field of `{}`", field.name, self.list)));
                }
            }
        }
        Ok(())
    }
}

fn tables(entries: &[WrittenRule]) -> Result<String, RuleFault> {
    let mut out = String::new();
    for (list, name, of) in [
        ("tokens", "TOKENS", "TokenRule"),
        ("commands", "COMMANDS", "TokenRule"),
        ("named_keys", "PROVIDERS", "Provider"),
    ] {
        let rules: Vec<&WrittenRule> = entries.iter().filter(|entry| entry.list == list).collect();
        let _ = writeln!(out, "static {name}: [{of}; {}] = [", rules.len());
        for (index, rule) in rules.iter().enumerate() {
            rule.checked()?;
            if rules[..index].iter().any(|earlier| earlier.value("id") == rule.value("id")) {
                return Err((rule.line, "an earlier rule of the list has this id".to_owned()));
            }
            let row = if list == "named_keys" { provider(rule)? } else { token(rule)? };
            let _ = writeln!(out, "    {row},");
        }
        out.push_str("];\n");
    }
    Ok(out)
}

fn token(rule: &WrittenRule) -> Result<String, RuleFault> {
    let maker = if rule.list == "commands" { "command" } else { "token" };
    let [id, reason, pattern] = [rule.value("id")?, rule.value("reason")?, rule.value("pattern")?];
    let mut row = format!("TokenRule::{maker}({id:?}, {reason:?}, &{:?}, {pattern:?})", rule.values("keywords")?);
    for WrittenField { line, name, values } in &rule.fields {
        let value = &*values.concat();
        let call = match (name.as_str(), value) {
            ("boundary", "none") => "boundary(Boundary::None)".to_owned(),
            ("boundary", "start") => "boundary(Boundary::Start)".to_owned(),
            ("boundary", "end") => "boundary(Boundary::End)".to_owned(),
            ("boundary", "both") => "boundary(Boundary::Both)".to_owned(),
            ("before", bytes) if bytes.parse::<u8>().is_ok() => format!("before({bytes})"),
            ("spaced" | "long" | "weak", "true") => format!("{name}()"),
            ("check", check) => format!("check(checks::{})", check.replace('-', "_")),
            ("boundary" | "before" | "spaced" | "long" | "weak", _) => {
                return Err((*line, format!("`{name}` cannot be `{value}`")));
            }
            _ => continue,
        };
        let _ = write!(row, ".{call}");
    }
    Ok(row)
}

fn provider(rule: &WrittenRule) -> Result<String, RuleFault> {
    let mut forms = String::new();
    for value in rule.values("values")? {
        let fault =
            || (rule.line, format!("`{value}` is not an alphabet and a length such as `hex 32` or `word 40-46`"));
        let (alphabet, lengths) = value.split_once(' ').ok_or_else(fault)?;
        let (least, most) = lengths.split_once('-').unwrap_or((lengths, lengths));
        let (least, most): (u16, u16) =
            least.parse().ok().zip(most.parse().ok()).filter(|(least, most)| least <= most).ok_or_else(fault)?;
        let alphabet = match alphabet {
            "hex" => "Hex",
            "alnum" => "Alnum",
            "word" => "Word",
            "base64" => "Base64",
            "uuid" => "Uuid",
            "dotted" => "Dotted",
            "made" => "Made",
            _ => return Err(fault()),
        };
        let _ = write!(forms, "TokenForm(Alphabet::{alphabet}, {least}, {most}), ");
    }
    let [id, reason] = [rule.value("id")?, rule.value("reason")?];
    Ok(format!("Provider::new({id:?}, {reason:?}, &{:?}, &[{forms}])", rule.values("keywords")?))
}
