//! `redaction:`, with patterns that cannot be slow. They are compiled once everything else is read.

use super::deny::DenyList;
use super::faults::{ConfigFault, MAX_SUGGESTIONS, shortened};
use super::tree::{ConfigFaults, SettingPlace};
use super::values::{self, MAX_COMPILED, checked};
use crate::model::nearest;
use regex::bytes::{Regex, RegexBuilder};
use serde::{Deserialize, Deserializer};

/// The longest pattern and all together, in bytes, and the deepest nesting. A class of Unicode that ignores case takes
/// about two milliseconds to read, before anything else bounds it.
const MAX_PATTERN_BYTES: usize = 2000;
const MAX_ALL_PATTERN_BYTES: usize = 20_000;
const MAX_NESTING: u32 = 50;
/// What a pattern may take when compiled, and its automaton during a search: the slowest search looks at each state for each
/// byte of a text.
const MAX_PROGRAM_BYTES: usize = 512 << 10;
const MAX_AUTOMATON_BYTES: usize = 1 << 20;
/// The most bytes of all globs of `allow`: each is compiled.
const MAX_ALL_GLOB_BYTES: usize = 100_000;
/// The longest name of a rule: a longer one is no marker any more.
const MAX_NAME_BYTES: usize = 64;
/// The most entries of `allow`: repos with many test keys have many.
const MAX_ALLOW_ENTRIES: usize = 5000;
const INVISIBLE_TEXT: &str = "invisible-text";
/// The rule that removes a text which redaction cannot read; it cannot be lifted either.
const UNREADABLE_TEXT: &str = "unreadable-text";
/// A text in which a pattern that can match the empty text does so somewhere.
const PROBE: &[u8] = b"a b\n-1";

const LIST_RULES: &str = "`contextpack redact --rules` lists the rules";

/// The validated form of `redaction:`.
#[derive(Debug, Clone, Default)]
pub struct RedactionSettings {
    /// Findings that are not removed.
    pub allow: Vec<RedactionAllow>,
    /// Rules besides the built-in ones.
    pub rules: Vec<RedactionRule>,
    /// Patterns for files that are never opened, as [`DenyList::new`] takes them.
    pub deny_paths: Vec<String>,
}

/// Findings that are not removed. At least one part has to be given; all that are given must match.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RedactionAllow {
    /// The name of the rule that found them; `contextpack redact --rules` lists them.
    pub rule: Option<String>,
    /// The files that hold them, as a glob. Alone it must name a folder or a file, such as `tests/fixtures/**`.
    #[serde(default, deserialize_with = "values::path_glob")]
    pub path: Option<globset::GlobMatcher>,
    /// The SHA-256 of the exact value, in hex, as `printf %s VALUE | sha256sum` prints it.
    #[serde(default, deserialize_with = "sha256")]
    pub sha256: Option<String>,
}

/// A redaction rule of the user.
#[derive(Debug, Clone)]
pub struct RedactionRule {
    /// Its name as the marker shows it, of `[a-z0-9-]+`.
    pub name: String,
    /// The pattern; its group 1 is removed if it has one, else the whole match.
    pub pattern: regex::bytes::Regex,
    /// Words of which one must be near a match; empty for none. ASCII words are in lower case, others in both.
    pub keywords: Vec<String>,
    /// Why it is removed, as packs record it.
    pub reason: String,
}

/// What is removed from texts, and which files are never opened.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RedactionForm {
    #[serde(default, deserialize_with = "allow_entries")]
    allow: Vec<RedactionAllow>,
    #[serde(default, deserialize_with = "values::bounded")]
    rules: Vec<RuleForm>,
    #[serde(default, deserialize_with = "deny_paths")]
    deny_paths: Vec<String>,
}

/// A rule of your own. Its matches are replaced by `[REDACTED:name]`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct RuleForm {
    name: String,
    pattern: String,
    #[serde(default, deserialize_with = "values::words")]
    keywords: Vec<String>,
    reason: Option<String>,
}

fn allow_entries<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<RedactionAllow>, D::Error> {
    values::list(deserializer, MAX_ALLOW_ENTRIES, Ok)
}

fn deny_paths<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    values::one_or_many(deserializer, MAX_COMPILED, deny_path)
}

fn sha256<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    checked(deserializer, |written: String| {
        let digest = written.strip_prefix("sha256:").unwrap_or(&written).to_lowercase();
        if digest.len() == 64 && digest.bytes().all(|b| b.is_ascii_hexdigit()) {
            return Ok(Some(digest));
        }
        // The value is not repeated: it may be the secret itself.
        let help = "give the 64 hex digits that `printf %s 'VALUE' | sha256sum` prints for the exact value";
        Err(ConfigFault::new("this is not a SHA-256").help(help))
    })
}

/// Checks `redaction:` and compiles its patterns.
///
/// `built_in` are the names of the built-in rules; if it is empty, names are not compared with them.
pub(super) fn settings(
    form: RedactionForm,
    built_in: &[&str],
    at: SettingPlace<'_>,
    faults: &mut ConfigFaults,
) -> RedactionSettings {
    let (at_allow, at_rules) = (at.key("allow"), at.key("rules"));
    let bytes: usize = form.rules.iter().map(|rule| rule.pattern.len()).sum();
    if bytes > MAX_ALL_PATTERN_BYTES {
        faults.add(at_rules, format!("the patterns have {bytes} bytes together, more than {MAX_ALL_PATTERN_BYTES}"));
        return RedactionSettings::default();
    }
    let globs: usize =
        form.allow.iter().filter_map(|entry| entry.path.as_ref()).map(|path| path.glob().glob().len()).sum();
    if globs > MAX_ALL_GLOB_BYTES {
        let message = format!("the paths of all entries have {globs} bytes together, more than {MAX_ALL_GLOB_BYTES}");
        faults.add(at_allow, message);
        return RedactionSettings::default();
    }
    let mut known = built_in.to_vec();
    let mut rules = Vec::new();
    for (index, form) in form.rules.iter().enumerate() {
        let at = at_rules.item(index);
        if built_in.contains(&form.name.as_str()) {
            let help = format!("give it another name; {LIST_RULES}");
            faults.add_help(at.key("name"), format!("`{}` is the name of a built-in rule", form.name), help);
        } else if known.contains(&form.name.as_str()) {
            faults.add_help(at.key("name"), "two rules have this name", "give each a name of its own");
        }
        known.push(&form.name);
        rules.extend(rule(form, at, faults));
    }
    // A rule that could not be read may be the one that an entry names.
    if built_in.is_empty() || at_rules.lost_a_value() {
        known.clear();
    }
    for (index, entry) in form.allow.iter().enumerate() {
        allowed(entry, &known, at_allow.item(index), faults);
    }
    RedactionSettings { allow: form.allow, rules, deny_paths: form.deny_paths }
}

fn rule(form: &RuleForm, at: SettingPlace<'_>, faults: &mut ConfigFaults) -> Option<RedactionRule> {
    let named = faults.take(at.key("name"), values::name(&form.name, "a rule"));
    if form.name.len() > MAX_NAME_BYTES {
        faults.add(at.key("name"), format!("the name is longer than {MAX_NAME_BYTES} bytes"));
    }
    let pattern = faults.take(at.key("pattern"), pattern(&form.pattern));
    let mut keywords = Vec::new();
    for word in &form.keywords {
        // The search ignores the case of ASCII letters alone, so other letters are given in both.
        let (lower, upper) = (word.to_lowercase(), word.to_uppercase());
        if !lower.is_ascii() {
            keywords.push(upper);
        }
        keywords.push(lower);
    }
    let reason = form.reason.as_deref().map(str::trim).filter(|reason| !reason.is_empty());
    let default = || format!("matches the rule `{}` of the configuration", form.name);
    named.and(pattern).map(|pattern| RedactionRule {
        name: form.name.clone(),
        pattern,
        keywords,
        reason: reason.map_or_else(default, str::to_owned),
    })
}

fn pattern(written: &str) -> Result<Regex, ConfigFault> {
    let fault = |message: &str, help: &str| Err(ConfigFault::new(message).help(help));
    if written.len() > MAX_PATTERN_BYTES {
        let message = format!("the pattern is longer than {MAX_PATTERN_BYTES} bytes");
        return fault(&message, "give several rules with shorter patterns");
    }
    let mut builder = RegexBuilder::new(written);
    builder.size_limit(MAX_PROGRAM_BYTES).dfa_size_limit(MAX_AUTOMATON_BYTES).nest_limit(MAX_NESTING);
    match builder.build() {
        Ok(pattern) if pattern.find_iter(b"").chain(pattern.find_iter(PROBE)).any(|found| found.is_empty()) => fault(
            "the pattern matches the empty text, so it would match everywhere",
            "something in it must be there: `+` in place of `*`, or no `?` at the end",
        ),
        Ok(pattern) => Ok(pattern),
        Err(regex::Error::CompiledTooBig(_)) => fault(
            &format!("the pattern takes more than {} KiB once it is compiled", MAX_PROGRAM_BYTES >> 10),
            "repeat less: of `{10,1000}` often `{10,}` is enough; `(?-u)` in front makes classes small",
        ),
        Err(error) => fault(
            &format!("the pattern is not a regular expression: {}", why(written, &error)),
            "look-around and back-references do not exist; in YAML, single quotes keep `\\` as it is",
        ),
    }
}

/// Says what is wrong with a pattern, and where in it.
fn why(written: &str, error: &regex::Error) -> String {
    let parsed = regex_syntax::ParserBuilder::new().nest_limit(MAX_NESTING).utf8(false).build().parse(written);
    let (kind, start) = match parsed {
        Err(regex_syntax::Error::Parse(error)) => (error.kind().to_string(), error.span().start),
        Err(regex_syntax::Error::Translate(error)) => (error.kind().to_string(), error.span().start),
        _ => return error.to_string(),
    };
    match start.line {
        1 => format!("{kind}, at character {}", start.column),
        line => format!("{kind}, at character {} of its line {line}", start.column),
    }
}

fn allowed(entry: &RedactionAllow, known: &[&str], at: SettingPlace<'_>, faults: &mut ConfigFaults) {
    match (&entry.rule, &entry.path, &entry.sha256) {
        (None, None, None) if !at.lost_a_value() => {
            faults.add_help(at, "this would let every finding through", "give `rule`, `path` or `sha256`");
        }
        (None, Some(path), None) if !names_a_place(path.glob().glob()) && !at.lost_a_value() => {
            faults.add_help(
                at.key("path"),
                "this would let every finding through in files everywhere",
                "add `rule` or `sha256`, or name a folder or a file, such as `tests/fixtures/**`",
            );
        }
        _ => {}
    }
    let at = at.key("rule");
    match entry.rule.as_deref() {
        Some(INVISIBLE_TEXT) => {
            let help = "write the text without such characters: a finished pack that holds them is not valid";
            faults.add_help(at, format!("`{INVISIBLE_TEXT}` cannot be allowed"), help);
        }
        Some(UNREADABLE_TEXT) => {
            let help =
                "shorten the text or leave it out: redaction could not read it to its end, so nothing in it is known";
            faults.add_help(at, format!("`{UNREADABLE_TEXT}` cannot be allowed"), help);
        }
        Some(rule)
            if faults.take(at, values::name(rule, "a rule")).is_some()
                && !known.is_empty()
                && !known.contains(&rule) =>
        {
            // Measuring how near a name is to all others takes long where many are wrong.
            let near = (faults.0.len() < MAX_SUGGESTIONS).then(|| nearest(rule, known.iter().copied())).flatten();
            let help = near.map_or(LIST_RULES.to_owned(), |near| format!("did you mean `{near}`? {LIST_RULES}"));
            faults.add_help(at, format!("there is no rule `{}`", shortened(rule)), help);
        }
        _ => {}
    }
}

/// Whether a glob names a folder or a file in full.
fn names_a_place(glob: &str) -> bool {
    glob.split('/')
        .any(|part| !part.is_empty() && part != "." && !part.contains(['*', '?', '[', ']', '{', '}', '\\', ',']))
}

/// Checks a pattern of `deny_paths`, which [`DenyList`] matches.
fn deny_path(written: String) -> Result<String, ConfigFault> {
    let text = written.trim();
    let (lets_through, pattern) = text.strip_prefix('!').map_or((false, text), |rest| (true, rest));
    let fault =
        |message: &str, help: &str| Err(ConfigFault::new(format!("`{}` {message}", shortened(text))).help(help));
    let drive = pattern.as_bytes().get(1) == Some(&b':') && pattern.as_bytes()[0].is_ascii_alphabetic();
    if pattern.starts_with(['/', '~']) || drive {
        let help = "patterns are paths from the root of the repo; `./x` is `x` there and nowhere else";
        return fault("is an absolute path", help);
    }
    if pattern.split('/').any(|part| part == "..") {
        return fault("leads out of the repo", "patterns are paths from the root of the repo");
    }
    if lets_through && pattern.chars().all(|c| matches!(c, '*' | '?' | '/' | '.')) && !pattern.is_empty() {
        let help = "name the file or folder, such as `!docs/keys/public.pem`";
        return fault("would open every file that is never opened", help);
    }
    if let Err((_, why)) = DenyList::new(&[text.to_owned()]) {
        let help = "patterns are written as in `.gitignore`, such as `private/`, `*.bak` or `!docs/x.pem`";
        return fault(&format!("can match nothing: {why}"), help);
    }
    Ok(written)
}
