//! The raw form of `redaction:` → settings with compiled patterns that cannot be slow.

use super::check::{ConfigFaults, MAX_COMPILED, SettingPlace};
use super::deny::DenyList;
use super::faults::{MAX_SUGGESTIONS, nearest, shortened};
use super::raw::{RawAllow, RawRedaction, RawRule};
use super::settings::{RedactionAllow, RedactionRule, RedactionSettings};
use regex::bytes::{Regex, RegexBuilder};
use std::collections::BTreeSet;

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
/// The rule that cannot be allowed.
const INVISIBLE_TEXT: &str = "invisible-text";
/// The rule that removes a text which redaction cannot read; it cannot be lifted either.
const UNREADABLE_TEXT: &str = "unreadable-text";
/// A text in which a pattern that can match the empty text does so somewhere.
const PROBE: &[u8] = b"a b\n-1";

const LIST_RULES: &str = "`contextpack redact --rules` lists the rules";

/// Checks `redaction:` and compiles its patterns.
///
/// `built_in` are the names of the built-in rules; if it is empty, names are not compared with them.
pub(super) fn redaction(
    raw: Option<&RawRedaction>,
    built_in: &[&str],
    at: SettingPlace<'_>,
    faults: &mut ConfigFaults,
) -> RedactionSettings {
    let Some(raw) = raw else {
        return RedactionSettings::default();
    };
    let (at_allow, at_rules) = (at.key("allow"), at.key("rules"));
    let mut names = BTreeSet::new();
    let mut rules = Vec::new();
    let written = faults.at_most(at_rules, raw.rules.as_deref().unwrap_or_default(), MAX_COMPILED);
    let bytes: usize = written.iter().map(|rule| rule.pattern.len()).sum();
    if bytes > MAX_ALL_PATTERN_BYTES {
        faults.add(at_rules, format!("the patterns have {bytes} bytes together, more than {MAX_ALL_PATTERN_BYTES}"));
    }
    let written = if bytes > MAX_ALL_PATTERN_BYTES { &[] } else { written };
    for (index, raw) in written.iter().enumerate() {
        let at = at_rules.item(index);
        let at_name = at.key("name");
        if !names.insert(raw.name.as_str()) {
            faults.add_help(at_name, "two rules have this name", "give each a name of its own");
        } else if built_in.contains(&raw.name.as_str()) {
            let help = format!("give it another name; {LIST_RULES}");
            faults.add_help(at_name, format!("`{}` is the name of a built-in rule", raw.name), help);
        }
        rules.extend(rule(raw, at, faults));
    }
    let known: Vec<&str> = match built_in {
        [] => Vec::new(),
        _ => built_in.iter().copied().chain(names).collect(),
    };
    let allow = faults.at_most(at_allow, raw.allow.as_deref().unwrap_or_default(), MAX_ALLOW_ENTRIES);
    let globs: usize = allow.iter().filter_map(|entry| entry.path.as_ref()).map(String::len).sum();
    if globs > MAX_ALL_GLOB_BYTES {
        faults.add(
            at_allow,
            format!("the paths of all entries have {globs} bytes together, more than {MAX_ALL_GLOB_BYTES}"),
        );
    }
    let allow = if globs > MAX_ALL_GLOB_BYTES { &[] } else { allow };
    RedactionSettings {
        allow: allow.iter().enumerate().map(|(i, raw)| allowed(raw, &known, at_allow.item(i), faults)).collect(),
        rules,
        deny_paths: deny_paths(raw, at.key("deny_paths"), faults),
    }
}

fn rule(raw: &RawRule, at: SettingPlace<'_>, faults: &mut ConfigFaults) -> Option<RedactionRule> {
    let mut named = faults.name(at.key("name"), &raw.name, "a rule");
    if raw.name.len() > MAX_NAME_BYTES {
        faults.add(at.key("name"), format!("the name is longer than {MAX_NAME_BYTES} bytes"));
        named = false;
    }
    let pattern = pattern(&raw.pattern, at.key("pattern"), faults);
    let mut keywords = Vec::new();
    for word in faults.texts(at.key("keywords"), &raw.keywords.clone().unwrap_or_default().0) {
        // The search ignores the case of ASCII letters alone, so other letters are given in both.
        let (lower, upper) = (word.to_lowercase(), word.to_uppercase());
        if !lower.is_ascii() {
            keywords.push(upper);
        }
        keywords.push(lower);
    }
    let reason = raw.reason.as_deref().map(str::trim).filter(|reason| !reason.is_empty());
    pattern.filter(|_| named).map(|pattern| RedactionRule {
        name: raw.name.clone(),
        pattern,
        keywords,
        reason: reason.map_or_else(|| format!("matches the rule `{}` of the configuration", raw.name), str::to_owned),
    })
}

fn pattern(written: &str, at: SettingPlace<'_>, faults: &mut ConfigFaults) -> Option<Regex> {
    if written.len() > MAX_PATTERN_BYTES {
        let help = "give several rules with shorter patterns";
        faults.add_help(at, format!("the pattern is longer than {MAX_PATTERN_BYTES} bytes"), help);
        return None;
    }
    let mut builder = RegexBuilder::new(written);
    builder.size_limit(MAX_PROGRAM_BYTES).dfa_size_limit(MAX_AUTOMATON_BYTES).nest_limit(MAX_NESTING);
    match builder.build() {
        Ok(pattern) => {
            if pattern.find_iter(b"").chain(pattern.find_iter(PROBE)).any(|found| found.is_empty()) {
                faults.add_help(
                    at,
                    "the pattern matches the empty text, so it would match everywhere",
                    "something in it must be there: `+` in place of `*`, or no `?` at the end",
                );
            }
            Some(pattern)
        }
        Err(regex::Error::CompiledTooBig(_)) => {
            faults.add_help(
                at,
                format!("the pattern takes more than {} KiB once it is compiled", MAX_PROGRAM_BYTES >> 10),
                "repeat less: of `{10,1000}` often `{10,}` is enough; `(?-u)` in front makes classes small",
            );
            None
        }
        Err(error) => {
            let text = error.to_string();
            let why = text.lines().last().unwrap_or_default().trim_start_matches("error: ");
            let place = place_of(&text).map_or_else(String::new, |(line, column)| match line {
                1 => format!(", at character {column}"),
                _ => format!(", at character {column} of its line {line}"),
            });
            faults.add_help(
                at,
                format!("the pattern is not a regular expression: {why}{place}"),
                "look-around and back-references do not exist; in YAML, single quotes keep `\\` as it is",
            );
            None
        }
    }
}

/// Finds where a pattern is wrong, as line and character from 1, from the picture of it in the library's message.
fn place_of(picture: &str) -> Option<(usize, usize)> {
    let lines: Vec<&str> = picture.lines().collect();
    let caret =
        lines.iter().position(|line| !line.trim().is_empty() && line.chars().all(|c| matches!(c, ' ' | '^')))?;
    let column = lines[caret].find('^')?;
    let above = lines.get(caret.checked_sub(1)?)?;
    // Patterns of several lines have their lines numbered: `  2: (x`.
    let numbered = above.split_once(": ").and_then(|(number, _)| Some((number.trim().parse().ok()?, number.len() + 2)));
    match numbered.filter(|_| lines.iter().any(|line| line.starts_with("~~"))) {
        Some((line, margin)) => Some((line, column.checked_sub(margin)? + 1)),
        // Else the pattern is indented by four.
        None => Some((1, column.checked_sub(4)? + 1)),
    }
}

fn allowed(raw: &RawAllow, known: &[&str], at: SettingPlace<'_>, faults: &mut ConfigFaults) -> RedactionAllow {
    let sha256 = raw.sha256.as_deref().map(|digest| digest.strip_prefix("sha256:").unwrap_or(digest).to_lowercase());
    match (&raw.rule, &raw.path, &sha256) {
        (None, None, None) => {
            faults.add_help(at, "this would let every finding through", "give `rule`, `path` or `sha256`");
        }
        (None, Some(path), None) if !names_a_place(path) => {
            faults.add_help(
                at.key("path"),
                "this would let every finding through in files everywhere",
                "add `rule` or `sha256`, or name a folder or a file, such as `tests/fixtures/**`",
            );
        }
        _ => {}
    }
    // The value is not repeated: it may be the secret itself.
    if sha256.as_ref().is_some_and(|hex| hex.len() != 64 || !hex.bytes().all(|b| b.is_ascii_hexdigit())) {
        faults.add_help(
            at.key("sha256"),
            "this is not a SHA-256",
            "give the 64 hex digits that `printf %s 'VALUE' | sha256sum` prints for the exact value",
        );
    }
    if raw.rule.as_deref() == Some(INVISIBLE_TEXT) {
        let help = "write the text without such characters: a finished pack that holds them is not valid";
        faults.add_help(at.key("rule"), format!("`{INVISIBLE_TEXT}` cannot be allowed"), help);
    } else if raw.rule.as_deref() == Some(UNREADABLE_TEXT) {
        let help =
            "shorten the text or leave it out: redaction could not read it to its end, so nothing in it is known";
        faults.add_help(at.key("rule"), format!("`{UNREADABLE_TEXT}` cannot be allowed"), help);
    } else if let Some(rule) = &raw.rule
        && faults.name(at.key("rule"), rule, "a rule")
        && !known.is_empty()
        && !known.contains(&rule.as_str())
    {
        // Measuring how near a name is to all others takes long where many are wrong.
        let near = (faults.0.len() < MAX_SUGGESTIONS).then(|| nearest(rule, known.iter().copied())).flatten();
        let help = near.map_or(LIST_RULES.to_owned(), |near| format!("did you mean `{near}`? {LIST_RULES}"));
        faults.add_help(at.key("rule"), format!("there is no rule `{}`", shortened(rule)), help);
    }
    RedactionAllow {
        rule: raw.rule.clone(),
        path: raw.path.as_deref().and_then(|glob| faults.file_glob(at.key("path"), glob)),
        sha256,
    }
}

/// Whether a glob names a folder or a file in full.
fn names_a_place(glob: &str) -> bool {
    glob.split('/')
        .any(|part| !part.is_empty() && part != "." && !part.contains(['*', '?', '[', ']', '{', '}', '\\', ',']))
}

/// Checks the patterns of `deny_paths`, which [`DenyList`] matches.
fn deny_paths(raw: &RawRedaction, at: SettingPlace<'_>, faults: &mut ConfigFaults) -> Vec<String> {
    let written = raw.deny_paths.clone().unwrap_or_default().0;
    for (index, text) in faults.at_most(at, &written, MAX_COMPILED).iter().enumerate() {
        deny_path(text, at.item(index), faults);
    }
    written
}

fn deny_path(written: &str, at: SettingPlace<'_>, faults: &mut ConfigFaults) {
    let text = written.trim();
    let (lets_through, pattern) = text.strip_prefix('!').map_or((false, text), |rest| (true, rest));
    let shown = shortened(text);
    let drive = pattern.as_bytes().get(1) == Some(&b':') && pattern.as_bytes()[0].is_ascii_alphabetic();
    if pattern.starts_with(['/', '~']) || drive {
        let help = "patterns are paths from the root of the repo; `./x` is `x` there and nowhere else";
        faults.add_help(at, format!("`{shown}` is an absolute path"), help);
    } else if pattern.split('/').any(|part| part == "..") {
        let help = "patterns are paths from the root of the repo";
        faults.add_help(at, format!("`{shown}` leads out of the repo"), help);
    } else if lets_through && pattern.chars().all(|c| matches!(c, '*' | '?' | '/' | '.')) && !pattern.is_empty() {
        let help = "name the file or folder, such as `!docs/keys/public.pem`";
        faults.add_help(at, format!("`{shown}` would open every file that is never opened"), help);
    } else if let Err((_, why)) = DenyList::new(&[text.to_owned()]) {
        let help = "patterns are written as in `.gitignore`, such as `private/`, `*.bak` or `!docs/x.pem`";
        faults.add_help(at, format!("`{shown}` can match nothing: {why}"), help);
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::super::load_with_rules;

    const BUILT_IN: [&str; 4] = ["github-pat", "invisible-text", "jwt", "url-password"];

    /// Line, message and help of everything wrong with `redaction:`.
    fn wrong(redaction: &str) -> Vec<(u32, String, String)> {
        let text = format!("version: 1\nredaction:\n{redaction}");
        let found = load_with_rules("contextpack.yml", Some(&text), &BUILT_IN).unwrap_err();
        found.into_iter().map(|d| (d.at.unwrap().line.unwrap(), d.message, d.help.unwrap_or_default())).collect()
    }

    /// The only fault.
    fn one(redaction: &str) -> (u32, String, String) {
        let found = wrong(redaction);
        assert_eq!(found.len(), 1, "{redaction}: {found:#?}");
        found.into_iter().next().unwrap()
    }

    fn fine(redaction: &str) -> super::RedactionSettings {
        let text = format!("redaction: {redaction}\n");
        load_with_rules("contextpack.yml", Some(&text), &BUILT_IN).unwrap_or_else(|e| panic!("{text}{e:#?}")).redaction
    }

    #[test]
    fn invisible_text_cannot_be_allowed() {
        let (line, message, help) = one("  allow: [{rule: invisible-text, path: docs/x.md}]\n");
        assert_eq!((line, &*message), (3, "`invisible-text` cannot be allowed"));
        let (line, message, _) = one("  allow: [{rule: unreadable-text}]\n");
        assert_eq!((line, &*message), (3, "`unreadable-text` cannot be allowed"));
        assert!(help.contains("is not valid"), "{help}");
    }

    #[test]
    fn a_wrong_pattern_says_where_in_it() {
        for (pattern, place) in
            [("a(b", ": unclosed group, at character 2"), ("x[z-a]", "at character 3"), ("(?=x)", "at character 1")]
        {
            let (line, message, help) = one(&format!("  rules:\n    - name: own\n      pattern: '{pattern}'\n"));
            assert_eq!(line, 5, "{message}");
            assert!(message.contains(place) && help.contains("single quotes"), "{message}");
        }
        let (_, message, _) = one("  rules: [{name: own, pattern: \"ab\\ncd(e\"}]\n");
        assert!(message.ends_with("at character 3 of its line 2"), "{message}");
    }

    #[test]
    fn patterns_that_are_too_large_or_match_nothing_at_all_are_refused() {
        let (_, message, help) = one("  rules: [{name: own, pattern: '\\pL{90}'}]\n");
        assert!(message.contains("512 KiB") && help.contains("repeat less"), "{message}");
        let (_, message, help) = one(&format!("  rules: [{{name: own, pattern: '{}'}}]\n", "x".repeat(2001)));
        assert!(message.contains("2000 bytes") && !help.is_empty(), "{message}");
        for pattern in ["x*", "", "a?", "(b|)", "\\b", "$", "(?m)^", "x{0,3}"] {
            let (_, message, help) = one(&format!("  rules: [{{name: own, pattern: '{pattern}'}}]\n"));
            assert!(message.contains("empty text") && help.contains('+'), "{pattern}: {message}");
        }
        fine("{rules: [{name: own, pattern: 'KEY=(\\S*)'}, {name: two, pattern: '\\bx+\\b'}]}");
    }

    #[test]
    fn patterns_that_grow_when_compiled_are_refused_with_their_place() {
        for pattern in ["a{1000}{100}", "((((a{9}){9}){9}){9}){9}x", "(?i)(\\pL{9}){9}"] {
            let (line, message, help) = one(&format!("  rules:\n    - name: own\n      pattern: '{pattern}'\n"));
            assert!(line == 5 && message.contains("512 KiB") && !help.is_empty(), "{pattern}: {line}: {message}");
        }
        let (_, message, _) =
            one(&format!("  rules: [{{name: own, pattern: '{}a{}'}}]\n", "(".repeat(60), ")".repeat(60)));
        assert!(message.contains("not a regular expression"), "{message}");
        for pattern in ["[0-9a-f]{128}", "KEY-[A-Z0-9]{200}", "[A-Za-z0-9_-]{20,90}", "(?i)token.{0,40}[0-9a-f]{40}"] {
            fine(&format!("{{rules: [{{name: own, pattern: '{pattern}'}}]}}"));
        }
    }

    #[test]
    fn rules_and_globs_are_bounded_together() {
        let rules: String =
            (0..11).map(|n| format!("    - {{name: r{n}, pattern: '{}'}}\n", "x".repeat(1900))).collect();
        let (line, message, _) = one(&format!("  rules:\n{rules}"));
        assert!(line == 3 && message.contains("more than 20000"), "{line}: {message}");
        let globs: String = (0..200).map(|n| format!("    - {{path: '{}/{n}/**'}}\n", "a".repeat(600))).collect();
        let (line, message, _) = one(&format!("  allow:\n{globs}"));
        assert!(line == 3 && message.contains("more than 100000"), "{line}: {message}");
    }

    /// The worst patterns that are let through take time in proportion to the text; debug builds are slow.
    #[test]
    fn the_worst_patterns_are_searched_in_linear_time() {
        let text: Vec<u8> =
            (0..100_000_u32).map(|n| b"ab"[(n.wrapping_mul(2_654_435_761) >> 16) as usize % 2]).collect();
        for pattern in ["a[ab]{95}c", "[ab]*a[ab]{95}c", "[ab]{990}c", "(?:(a)|(b)){240}c"] {
            let rules = fine(&format!("{{rules: [{{name: own, pattern: '{pattern}'}}]}}")).rules;
            let started = std::time::Instant::now();
            assert_eq!(rules[0].pattern.find_iter(&text).count(), 0);
            let each = started.elapsed().as_nanos() / text.len() as u128;
            assert!(each < 30_000, "{pattern}: {each} ns a byte");
        }
    }

    #[test]
    fn names_are_unused_and_fit_into_a_marker() {
        for (name, said) in [
            ("Own", "cannot be the name"),
            ("own_1", "cannot be the name"),
            ("\"\"", "cannot be the name"),
            ("github-pat", "the name of a built-in rule"),
            ("invisible-text", "the name of a built-in rule"),
        ] {
            let (line, message, help) = one(&format!("  rules:\n    - pattern: x\n      name: {name}\n"));
            assert!(line == 5 && message.contains(said) && !help.is_empty(), "{line}: {message}");
        }
        let long = one(&format!("  rules: [{{pattern: x, name: {}}}]\n", "a".repeat(65)));
        assert!(long.1.contains("longer than 64"), "{}", long.1);
        let (line, message, _) = one("  rules:\n    - {name: a, pattern: x}\n    - {name: a, pattern: y}\n");
        assert_eq!((line, message.as_str()), (5, "two rules have this name"));
    }

    #[test]
    fn keywords_are_not_empty_and_match_in_any_case() {
        let (line, message, _) =
            one("  rules:\n    - name: a\n      pattern: x\n      keywords:\n        - ok\n        - ' '\n");
        assert_eq!((line, message.as_str()), (8, "the text is empty"));
        let settings = fine("{rules: [{name: a, pattern: x, keywords: [Ticket, Schlüssel]}]}");
        assert_eq!(settings.rules[0].keywords, ["ticket", "SCHLÜSSEL", "schlüssel"]);
        assert!(fine("{rules: [{name: a, pattern: x, keywords: []}]}").rules[0].keywords.is_empty());
    }

    #[test]
    fn an_allow_entry_has_to_restrict_what_it_allows() {
        for entry in ["{}", "{path: '**'}", "{path: '**/*'}", "{path: '*.md'}", "{path: '{a,b}/**/*.md'}"] {
            let (line, message, help) = one(&format!("  allow:\n    - {entry}\n"));
            assert!(line == 4 && message.contains("every finding through"), "{entry}: {message}");
            assert!(help.contains("`rule`") && help.contains("`sha256`"), "{help}");
        }
        let digest = "0f".repeat(32);
        for entry in [
            "{path: tests/fixtures/**}".to_owned(),
            "{path: '**/fixtures/*.md'}".to_owned(),
            "{rule: jwt}".to_owned(),
            "{rule: jwt, path: '**'}".to_owned(),
            format!("{{sha256: {digest}}}"),
            format!("{{sha256: 'sha256:{}'}}", digest.to_uppercase()),
        ] {
            assert_eq!(fine(&format!("{{allow: [{entry}]}}")).allow.len(), 1, "{entry}");
        }
    }

    #[test]
    fn the_rule_of_an_allow_entry_exists() {
        let (line, message, help) = one("  allow:\n    - rule: github-pta\n      path: a.md\n");
        assert_eq!((line, message.as_str()), (4, "there is no rule `github-pta`"));
        assert_eq!(help, "did you mean `github-pat`? `contextpack redact --rules` lists the rules");
        let (_, _, help) = one("  allow: [{rule: nothing-like-it}]\n");
        assert_eq!(help, "`contextpack redact --rules` lists the rules");
        fine("{rules: [{name: own, pattern: x}], allow: [{rule: own}]}");
        // A wrong rule of the user is reported once.
        assert_eq!(wrong("  rules: [{name: own, pattern: '('}]\n  allow: [{rule: own}]\n").len(), 1);
    }

    #[test]
    fn an_invalid_digest_is_not_repeated() {
        for digest in ["hunter2hunter2", "0f", "''"] {
            let (_, message, help) = one(&format!("  allow: [{{sha256: {digest}}}]\n"));
            assert!(message == "this is not a SHA-256" && help.contains("sha256sum"), "{message}");
        }
    }

    #[test]
    fn unknown_settings_are_named_with_the_nearest_known_one() {
        let found =
            wrong("  allows: []\n  rules: [{name: a, pattern: x, keyword: y}]\n  allow: [{file: a, rule: jwt}]\n");
        let said: Vec<(u32, &str)> = found.iter().map(|(line, _, help)| (*line, help.as_str())).collect();
        assert_eq!(said[0], (3, "did you mean `allow`?"));
        assert_eq!(said[1], (4, "did you mean `keywords`?"));
        assert!(said[2].0 == 5 && said[2].1.contains("`path`"), "{said:?}");
    }

    #[test]
    fn patterns_of_denied_names_stay_in_the_repo_and_match_something() {
        for (pattern, said) in [
            ("/etc/passwd", "absolute"),
            ("~/x", "absolute"),
            ("'C:\\x'", "absolute"),
            ("'!/x'", "absolute"),
            ("../x", "out of the repo"),
            ("a/../../x", "out of the repo"),
            ("'!**'", "every file"),
            ("'!*'", "every file"),
            ("'!**/*.*'", "every file"),
            ("'!'", "can match nothing"),
            ("''", "can match nothing"),
            ("'a['", "can match nothing"),
            ("'{a'", "not closed"),
        ] {
            let (line, message, help) = one(&format!("  deny_paths:\n    - ok/\n    - {pattern}\n"));
            assert!(line == 5 && message.contains(said) && !help.is_empty(), "{pattern}: {line}: {message}");
        }
        fine("{deny_paths: [private/, './x.md', '*.bak', '!docs/x.pem', '!*.example.key', 'a\\ b', '{a,b}.txt']}");
        fine("{deny_paths: private/**}");
    }
}
