//! Turns `src/redact/rules.toml` into Rust tables while the package is built, so that start-up parses nothing.

use std::fmt::Write as _;
use std::path::Path;
use std::{env, error::Error, fs};
use toml::{Table, Value};

const SOURCE: &str = "src/redact/rules.toml";

/// The fields of a rule with a pattern: whether it must have each.
const FIELDS: [(&str, bool); 9] = [
    ("reason", true),
    ("keywords", true),
    ("pattern", true),
    ("finds", true),
    ("keeps", false),
    ("boundary", false),
    ("check", false),
    ("before", false),
    ("weak", false),
];

/// Writes the tables to `rules.rs` in the build's output folder.
pub(crate) fn generate() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed={SOURCE}");
    let file: Table = fs::read_to_string(SOURCE)?.parse().map_err(|fault| format!("{SOURCE}: {fault}"))?;
    let mut out = String::new();
    for section in ["names", "values"] {
        for (name, words) in table(&file, section)? {
            let mut words = strings(words).map_err(|fault| format!("{section}.{name}: {fault}"))?;
            words.sort_unstable();
            words.dedup();
            writeln!(
                out,
                "pub(super) static {}_{}: SortedWords = SortedWords(&{words:?});",
                section.to_uppercase(),
                name.to_uppercase()
            )?;
        }
    }
    for section in ["tokens", "arguments"] {
        let rules = table(&file, section)?;
        writeln!(out, "static {}: [PatternRule; {}] = [", section.to_uppercase(), rules.len())?;
        for (id, rule) in rules {
            let row = pattern_rule(section, id, rule).map_err(|fault| format!("{SOURCE}: {section}.{id}: {fault}"))?;
            writeln!(out, "    {row},")?;
        }
        out.push_str("];\n");
    }
    let named = table(&file, "named")?;
    writeln!(out, "static NAMED: [NamedKey; {}] = [", named.len())?;
    for (id, rule) in named {
        let row = named_key(id, rule).map_err(|fault| format!("{SOURCE}: named.{id}: {fault}"))?;
        writeln!(out, "    {row},")?;
    }
    out.push_str("];\n");
    fs::write(Path::new(&env::var("OUT_DIR")?).join("rules.rs"), out)?;
    Ok(())
}

fn table<'t>(file: &'t Table, name: &str) -> Result<&'t Table, String> {
    file.get(name).and_then(Value::as_table).ok_or_else(|| format!("{SOURCE}: no table `{name}`"))
}

fn strings(value: &Value) -> Result<Vec<&str>, String> {
    let list = value.as_array().ok_or("not a list")?;
    list.iter().map(|item| item.as_str().ok_or_else(|| "not a list of strings".to_owned())).collect()
}

fn pattern_rule(section: &str, id: &str, rule: &Value) -> Result<String, String> {
    let rule = rule.as_table().ok_or("not a table")?;
    if let Some(unknown) = rule.keys().find(|key| !FIELDS.iter().any(|(field, _)| field == key)) {
        return Err(format!("`{unknown}` is not a field"));
    }
    if let Some((missing, _)) = FIELDS.iter().find(|(field, required)| *required && !rule.contains_key(*field)) {
        return Err(format!("`{missing}` is missing"));
    }
    let text = |field: &str, default: &'static str| match rule.get(field) {
        None => Ok(default),
        Some(value) => value.as_str().ok_or_else(|| format!("`{field}` is not a string")),
    };
    let is_argument = section == "arguments";
    let keywords = strings(&rule["keywords"]).map_err(|fault| format!("`keywords`: {fault}"))?;
    strings(&rule["finds"]).and_then(|_| rule.get("keeps").map_or(Ok(Vec::new()), strings))?;
    let boundary = variant(text("boundary", "start")?, &["none", "start", "end", "both"])?;
    let checks = [
        "sample", "any", "digit", "random", "mixed", "varied", "login", "prefixed", "password", "words", "secret",
        "pair",
    ];
    let check = variant(text("check", if is_argument { "password" } else { "sample" })?, &checks)?;
    let before = rule.get("before").map_or(Some(0), Value::as_integer).ok_or("`before` is not a number")?;
    let weak = rule.get("weak").map_or(Some(is_argument), Value::as_bool).ok_or("`weak` is not true or false")?;
    let (reason, pattern, rank) = (text("reason", "")?, text("pattern", "")?, if weak { "WEAK" } else { "TOKEN" });
    Ok(format!(
        "PatternRule {{ label: FindingLabel {{ name: {id:?}, reason: {reason:?}, rank: {rank} }}, \
         keywords: &{keywords:?}, pattern: {pattern:?}, boundary: Boundary::{boundary}, check: Check::{check}, \
         before: {before}, is_argument: {is_argument}, compiled: OnceLock::new() }}"
    ))
}

fn named_key(id: &str, rule: &Value) -> Result<String, String> {
    let list = |field: &str| {
        rule.get(field).map_or(Err("missing".to_owned()), strings).map_err(|fault| format!("`{field}`: {fault}"))
    };
    let mut forms = String::new();
    for form in list("values")? {
        let fault = || format!("`{form}` is not an alphabet and a length such as `hex 32` or `word 40-46`");
        let (alphabet, lengths) = form.split_once(' ').ok_or_else(fault)?;
        let (least, most) = lengths.split_once('-').unwrap_or((lengths, lengths));
        let (least, most): (u16, u16) = least.parse().ok().zip(most.parse().ok()).ok_or_else(fault)?;
        let alphabet = variant(alphabet, &["hex", "alnum", "word", "base64", "uuid", "dotted", "made"])?;
        let _ = write!(forms, "KeyForm(Alphabet::{alphabet}, {least}, {most}), ");
    }
    let keywords = list("keywords")?;
    let reason = if forms.contains("Made") {
        "follows the name of a provider and looks random".to_owned()
    } else {
        format!("follows the name `{}` and has the form of its provider's keys", keywords.first().unwrap_or(&""))
    };
    let label = format!("FindingLabel {{ name: {id:?}, reason: {reason:?}, rank: WEAK }}");
    Ok(format!("NamedKey {{ label: {label}, keywords: &{keywords:?}, forms: &[{forms}] }}"))
}

/// Returns the name of the enum's variant for `word`, which has to be one of `known`.
fn variant(word: &str, known: &[&str]) -> Result<String, String> {
    if !known.contains(&word) {
        return Err(format!("`{word}` is none of {known:?}"));
    }
    let (first, rest) = word.split_at(1);
    Ok(first.to_uppercase() + rest)
}
