//! Values that a program gives for a name in another way than by assigning them: what a function of that name returns, the default
//! of a variable of the environment, and a literal that a comment explains.

use super::super::heuristics::{self, WordList};
use super::super::text::{first_line, last_line, starts_ignoring_case};
use super::separator::{is_quote, skip_blanks};
use super::{Name, later};

/// The longest list of parameters, and the longest type of a result.
const MAX_PARAMETERS: usize = 80;
const MAX_TYPE: usize = 40;
/// The longest line with a literal and its comment.
const MAX_LINE: usize = 200;

/// Words before a call that is no definition.
static CONDITIONS: WordList =
    WordList::new("if while for switch elif when unless until assert return case guard and or not");

/// Returns where the string begins that the function `name` returns: `def get_password():\n return "…"`,
/// `fun password() = "…"`, `val password by lazy { "…" }`.
pub(super) fn returned(text: &[u8], name: Name) -> Option<usize> {
    // Most names cost nothing.
    if !matches!(text.get(name.end)?, b'(' | b' ' | b'\n' | b':') {
        return None;
    }
    let mut at = name.end;
    let rest = &text[at..text.len().min(at + MAX_PARAMETERS)];
    let arrows = [&b" = () => "[..], b" = async () => ", b": () => ", b" = ->(){ ", b" = -> { ", b" = lambda: "];
    if let Some(arrow) = arrows.iter().find(|arrow| rest.starts_with(arrow)) {
        return Some(at + arrow.len()).filter(|at| is_quote(text.get(*at)));
    }
    let defined = [&b"def "[..], b"def self."].iter().any(|start| text[..name.start].ends_with(start));
    if let Some(inside) = rest.strip_prefix(b"(") {
        let close = inside.iter().position(|b| matches!(b, b')' | b'\n' | b'"' | b'\''))?;
        let line = last_line(&text[name.start.saturating_sub(MAX_LINE)..name.start]);
        if inside[close] != b')' || line.split(|b| !b.is_ascii_alphabetic()).any(|word| CONDITIONS.has(word)) {
            return None;
        }
        at += close + 2;
    } else if let Some(accessor) = [&b" get() "[..], b" by lazy "].iter().find(|accessor| rest.starts_with(accessor)) {
        at += accessor.len();
    } else if rest.starts_with(b" { ") && is_quote(rest.get(3)) {
        // A block of Ruby that is nothing but the string.
        let close = rest[4..].iter().position(|b| *b == rest[3] || *b == b'\n')?;
        return rest[4 + close + 1..].starts_with(b" }").then_some(at + 3);
    } else if !defined || !rest.starts_with(b"\n") {
        return None;
    }
    let window = &text[at..text.len().min(at + MAX_TYPE)];
    let is_type = |b: &u8| {
        b.is_ascii_alphanumeric() || matches!(b, b' ' | b'_' | b'<' | b'>' | b'?' | b'&' | b'\'' | b'.' | b'-' | b':')
    };
    let body = window
        .iter()
        .position(|b| matches!(b, b'{' | b'=' | b'\n'))
        .filter(|end| window[..*end].iter().all(is_type))?;
    let opens = match window[body] {
        b'=' if window.get(body + 1) == Some(&b'>') => 2,
        b'=' if window.get(body + 1) == Some(&b'=') => return None,
        b'\n' if !defined && !window[..body].trim_ascii_end().ends_with(b":") => return None,
        _ => 1,
    };
    at += body + opens;
    let inner = &text[at..text.len().min(at + 64)];
    at += inner.len() - inner.trim_ascii_start().len();
    if text[at..].starts_with(b"return ") {
        at = skip_blanks(text, at + b"return ".len());
    }
    is_quote(text.get(at)).then_some(at)
}

/// Returns where the default begins of the variable or option whose name ends before `at`, after what closes it:
/// `getenv("PASSWORD") or "…"`, `env = "PASSWORD", default_value = "…"`.
pub(super) fn fallback(text: &[u8], at: usize) -> Option<usize> {
    const OPERATORS: [&[u8]; 12] = [
        b"or ",
        b"?: ",
        b"?? ",
        b"|| ",
        b"// ",
        b": ",
        b".unwrap_or(",
        b".unwrap_or_else(|| ",
        b".orElse(",
        b"{ ",
        b".getOrElse(",
        // The other side of a comparison.
        b", []byte(",
    ];
    const DEFAULTS: [&[u8]; 8] = [
        b", default_value = ",
        b", defaultvalue: ",
        b", default_value: ",
        b", default = ",
        b", default: ",
        b", default=",
        b" envdefault:",
        b", fallback=",
    ];
    let rest = &text[at..text.len().min(at + MAX_TYPE)];
    if !matches!(rest, [b',' | b')' | b']' | b'}', ..] | [b' ', b'e', ..]) {
        return None;
    }
    if let Some(default) = DEFAULTS.iter().find(|default| starts_ignoring_case(rest, default)) {
        return Some(at + default.len()).filter(|at| is_quote(text.get(*at)));
    }
    let closes = rest.iter().take_while(|b| matches!(b, b')' | b']' | b'}')).count();
    if closes == 0 {
        return None;
    }
    let next = skip_blanks(text, at + closes);
    // `(or (System/getenv "PASSWORD") "…")`
    let line = last_line(&text[at.saturating_sub(MAX_LINE)..at]);
    if is_quote(text.get(next)) && memchr::memmem::find(line, b"(or (").is_some() {
        return Some(next);
    }
    let operator = OPERATORS.iter().find(|operator| text[next..].starts_with(operator))?;
    let next = skip_blanks(text, next + operator.len());
    is_quote(text.get(next)).then_some(next)
}

/// Returns the literal that a comment with `name` explains, at the end of its line or alone on the line above, if it looks random or
/// like a password that a person chose: `x = "…"  # client secret`.
pub(super) fn commented(text: &[u8], name: Name) -> Option<(usize, usize)> {
    let rest = first_line(&text[name.end..text.len().min(name.end + 40)]);
    // "Token program" is no token.
    if rest.iter().any(|b| b.is_ascii_alphanumeric() || matches!(b, b'=' | b'"' | b'\'' | b'`' | b'?')) {
        return None;
    }
    let low = name.start.saturating_sub(MAX_LINE);
    let line = last_line(&text[low..name.start]);
    let start = name.start - line.len();
    let lead = line.trim_ascii_start();
    let above = [&b"# "[..], b"// ", b"-- ", b"; ", b"/* "].iter().any(|mark| lead.starts_with(mark));
    let code = if above {
        let begin = name.end + rest.len() + 1;
        let below = first_line(text.get(begin..text.len().min(begin + MAX_LINE))?);
        begin..begin + below.len()
    } else {
        let comment = [&b" # "[..], b" // ", b" -- ", b" /* ", b"; // ", b"; # "]
            .iter()
            .filter_map(|mark| memchr::memmem::rfind(line, mark))
            .max()?;
        start..start + comment
    };
    let mut quotes = code.clone().filter(|at| matches!(text[*at], b'"' | b'\''));
    let (open, close) = (quotes.next()?, quotes.next()?);
    let several = quotes.next().is_some();
    let value = &text[open + 1..close];
    let looks = heuristics::is_machine_made(value) && heuristics::looks_random(value) || later::is_strong(value);
    let plain = value.iter().all(u8::is_ascii_graphic) && !value.iter().all(u8::is_ascii_hexdigit);
    (!several && text[open] == text[close] && value.len() >= 8 && plain && looks && !heuristics::is_uuid(value))
        .then_some((open + 1, close))
}

/// Returns the old value that a comment tells behind the value that ends the text of a name: `password: ${X} # was …`.
pub(super) fn replaced(text: &[u8], name: Name) -> Option<(usize, usize)> {
    let rest = first_line(&text[name.end..text.len().min(name.end + MAX_LINE)]);
    memchr::memchr2(b'#', b'/', rest)?;
    let lead = [&b"# was "[..], b"// was ", b"# old: ", b"// old: ", b"# formerly ", b"# previously "];
    let at = lead.iter().find_map(|mark| Some(memchr::memmem::find(rest, mark)? + mark.len()))?;
    let length = rest[at..].iter().take_while(|b| !b.is_ascii_whitespace()).count();
    let (start, end) = later::trimmed(text, name.end + at, name.end + at + length);
    let value = &text[start..end];
    let secret = heuristics::is_machine_made(value) && heuristics::looks_random(value)
        || later::is_strong(value)
        || heuristics::is_word_chain(value, 3);
    (secret && !heuristics::is_uuid(value)).then_some((start, end))
}

#[cfg(test)]
mod tests {
    use crate::redact::canaries::{SEED, fill, scrub};

    #[test]
    fn what_functions_return_and_defaults_and_comments_say_is_found() {
        let value = fill("Qx7<a11>4zW", SEED);
        for template in [
            "def get_client_secret():\n    return \"@\"\n",
            "public String getPassword() { return \"@\"; }",
            "fun dbPassword() = \"@\"",
            "val password get() = \"@\"",
            "val password by lazy { \"@\" }",
            "const getApiKey = () => '@';",
            "  get accessToken() { return '@'; }",
            "func apiToken() string { return \"@\" }",
            "def secret\n  '@'\nend",
            "fn default_password() -> String { \"@\".into() }",
            "    password { '@' }",
            "auth_token = os.getenv(\"AUTH_TOKEN\") or \"@\"",
            "val password = System.getenv(\"PASSWORD\") ?: \"@\"",
            "var secret = Environment.GetEnvironmentVariable(\"SECRET\") ?? \"@\";",
            "env::var(\"SMTP_PASSWORD\").unwrap_or(\"@\".to_string())",
            "my $secret = $ENV{SECRET} || '@';",
            "client_secret = ENV.fetch('CLIENT_SECRET') { '@' }",
            "#[arg(long, env = \"ACCESS_KEY\", default_value = \"@\")]",
            "password: ${DB_PASSWORD} # was @ until march",
            "x = \"@\"  # client secret",
            "# app password\nx = \"@\"",
        ] {
            let scrubbed = scrub(&template.replace('@', &value));
            assert!(!scrubbed.contains(&value) && scrubbed.contains("[REDACTED:"), "{scrubbed}");
        }
    }

    #[test]
    fn other_functions_defaults_and_comments_stay() {
        for text in [
            "def check_password(self):\n    return \"ok\"\n",
            "if hasPassword() { return \"login-form-2\" }",
            "password() == \"k7Qm2xW9pLr4\" is a test",
            "x = \"see the docs\"  # client secret",
            "name = \"web-frontend\"  # no password\n",
            "# password\ncommit = \"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b\"\n",
            "os.getenv(\"PASSWORD\") or \"\"",
        ] {
            assert_eq!(scrub(text), text);
        }
    }
}
