//! Insertion of an entry into JSON, with or without comments and final commas, that keeps every byte.

use super::{HAS_ENTRY, HAS_OTHER, Merged};
use serde::de::{Deserialize, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::Value;
use std::collections::BTreeSet;
use std::fmt;

/// Returns `before` with `name: entry` in its object `field`.
///
/// # Errors
/// Why it cannot be parsed, or has no place for the entry.
pub(super) fn merged(before: &str, field: &str, name: &str, entry: &Value) -> Result<Merged, String> {
    let end = if before.contains("\r\n") { "\r\n" } else { "\n" };
    let step = indent(before);
    let plain = without_comments(before);
    if plain.trim().is_empty() && before.trim().is_empty() {
        let text = format!("{{{}{end}}}{end}", member(field, &block(name, entry, 2, &step, end, 1), &step, end));
        return Ok(Merged::Text(text));
    }
    let value: Value = serde_json::from_str(&plain)
        .map_err(|error| format!("it is not JSON (line {}, column {})", error.line(), error.column()))?;
    confirm_unique(&plain)?;
    let Value::Object(fields) = &value else { return Err("it is no object".to_owned()) };
    let outer = plain.find('{').unwrap_or_default();
    let text = match fields.get(field) {
        None => {
            let servers = block(name, entry, 2, &step, end, 1);
            inserted(before, outer, &member(field, &servers, &step, end), !fields.is_empty(), 0, &step, end)
        }
        Some(Value::Object(servers)) => match servers.get(name) {
            Some(there) if is_same(there, entry) => return Ok(Merged::Left(HAS_ENTRY)),
            Some(_) => return Ok(Merged::Left(HAS_OTHER)),
            None => {
                let Some(inner) = last_object(&plain, outer, field) else {
                    return Err(format!("its `{field}` cannot be found"));
                };
                let line = format!("{end}{}\"{name}\": {}", step.repeat(2), written(entry));
                inserted(before, inner, &line, !servers.is_empty(), 1, &step, end)
            }
        },
        Some(_) => return Err(format!("its `{field}` is no object")),
    };
    Ok(Merged::Text(text))
}

/// Confirms that no object has two fields of one name, of which programs take one or the other.
fn confirm_unique(plain: &str) -> Result<(), String> {
    match serde_json::from_str::<UniqueNames>(plain) {
        Ok(UniqueNames) => Ok(()),
        Err(error) => Err(error.to_string()),
    }
}

/// Any JSON in which no object has two fields of one name.
struct UniqueNames;

impl<'de> Deserialize<'de> for UniqueNames {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Self)
    }
}

impl<'de> Visitor<'de> for UniqueNames {
    type Value = Self;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_bool<E>(self, _: bool) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_str<E>(self, _: &str) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self, A::Error> {
        while list.next_element::<Self>()?.is_some() {}
        Ok(self)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self, A::Error> {
        let mut names = BTreeSet::new();
        while let Some(name) = map.next_key::<String>()? {
            if names.contains(&name) {
                return Err(A::Error::custom(format!("an object has two fields `{name}`")));
            }
            map.next_value::<Self>()?;
            names.insert(name);
        }
        Ok(self)
    }
}

/// Returns whether an entry starts the same program; its type is what it is without one.
fn is_same(there: &Value, entry: &Value) -> bool {
    let differs = |field: &str| there.get(field) != entry.get(field);
    let has_other_type = there.get("type").is_some() && differs("type");
    let known = ["type", "command", "args"];
    let has_more = there.as_object().is_none_or(|fields| fields.keys().any(|name| !known.contains(&name.as_str())));
    !(has_other_type || has_more || differs("command") || differs("args"))
}

/// Returns an entry on one line.
fn written(entry: &Value) -> String {
    let fields = entry.as_object().into_iter().flatten();
    let fields: Vec<String> = fields.map(|(name, value)| format!("\"{name}\": {value}")).collect();
    format!("{{ {} }}", fields.join(", "))
}

/// Returns an object with one entry, whose own line is indented `depth` times and whose end `depth - 1` times.
fn block(name: &str, entry: &Value, depth: usize, step: &str, end: &str, outer: usize) -> String {
    format!("{{{end}{}\"{name}\": {}{end}{}}}", step.repeat(depth), written(entry), step.repeat(outer))
}

/// Returns a member of the outermost object, on a line of its own.
fn member(field: &str, value: &str, step: &str, end: &str) -> String {
    format!("{end}{step}\"{field}\": {value}")
}

/// Inserts `text` as the first member of the object whose brace is at `brace`.
fn inserted(before: &str, brace: usize, text: &str, has_members: bool, depth: usize, step: &str, end: &str) -> String {
    let (head, tail) = before.split_at(brace + 1);
    match has_members {
        true => format!("{head}{text},{tail}"),
        // What is left of the empty object, such as a comment, stays.
        false if tail.trim_start().starts_with('}') => {
            format!("{head}{text}{end}{}{}", step.repeat(depth), tail.trim_start())
        }
        false => format!("{head}{text}{tail}"),
    }
}

/// Returns the indentation of the first indented line; two spaces if there is none.
fn indent(text: &str) -> String {
    let indents = text.lines().map(|line| &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]);
    let mut used = indents.zip(text.lines()).filter(|(indent, line)| !indent.is_empty() && !line.trim().is_empty());
    used.next().map_or_else(|| "  ".to_owned(), |(indent, _)| indent.to_owned())
}

/// Returns the place of the brace of the object that the outermost object, whose brace is at `outer`, last has as `field`:
/// of several fields of one name the last one counts.
fn last_object(plain: &str, outer: usize, field: &str) -> Option<usize> {
    let bytes = plain.as_bytes();
    let (mut depth, mut at, mut found) = (0_usize, outer, None);
    let mut is_field = false;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' => {
                let length = string_length(&plain[at..]);
                let text = serde_json::from_str::<String>(plain.get(at..at + length)?).ok();
                let rest = plain[at + length..].trim_start();
                if depth == 1 && rest.starts_with(':') {
                    is_field = text.as_deref() == Some(field);
                    if is_field && !rest[1..].trim_start().starts_with('{') {
                        found = None;
                    }
                }
                at += length;
                continue;
            }
            b'{' => {
                if depth == 1 && is_field {
                    (found, is_field) = (Some(at), false);
                }
                depth += 1;
            }
            b'[' => depth += 1,
            b'}' | b']' => depth = depth.checked_sub(1)?,
            _ => {}
        }
        at += 1;
    }
    found
}

/// Returns the length of the string that a text begins with, with its quotes.
fn string_length(text: &str) -> usize {
    let mut escaped = false;
    for (at, byte) in text.bytes().enumerate().skip(1) {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// Returns the text with spaces in place of a byte-order mark, comments and final commas. Every other byte stays in its place.
fn without_comments(text: &str) -> String {
    let mut plain = text.as_bytes().to_vec();
    let blank = |plain: &mut Vec<u8>, from: usize, to: usize| {
        plain[from..to].iter_mut().filter(|byte| !matches!(byte, b'\n' | b'\r')).for_each(|byte| *byte = b' ');
    };
    let mut at = 0;
    if text.starts_with('\u{feff}') {
        at = '\u{feff}'.len_utf8();
        blank(&mut plain, 0, at);
    }
    let mut comma = None;
    while at < text.len() {
        let rest = &text.as_bytes()[at..];
        let length = match rest[0] {
            b'"' => string_length(&text[at..]),
            b'/' if rest.starts_with(b"//") => rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len()),
            b'/' if rest.starts_with(b"/*") => {
                let end = rest[2..].windows(2).position(|pair| pair == b"*/");
                // A comment without an end stays, and is no JSON.
                end.map_or(1, |end| end + 4)
            }
            _ => 1,
        };
        match rest[0] {
            b'/' if length > 1 => blank(&mut plain, at, at + length),
            b',' => comma = Some(at),
            b'}' | b']' => {
                if let Some(comma) = comma.take() {
                    plain[comma] = b' ';
                }
            }
            byte if byte.is_ascii_whitespace() => {}
            _ => comma = None,
        }
        at += length;
    }
    // Only whole characters were replaced.
    String::from_utf8(plain).unwrap_or_default()
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn with_entry(before: &str) -> Result<Merged, String> {
        merged(before, "mcpServers", "contextpack", &json!({"command": "contextpack", "args": ["mcp"]}))
    }

    fn text(before: &str) -> String {
        match with_entry(before).unwrap() {
            Merged::Text(text) => text,
            Merged::Left(why) => panic!("{why}"),
        }
    }

    /// Any JSON, written in one of several ways.
    fn json_text() -> impl Strategy<Value = (Value, bool)> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i32>().prop_map(Value::from),
            "\\PC{0,8}".prop_map(Value::from)
        ];
        let value = leaf.prop_recursive(3, 20, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::btree_map("[a-z\"{}/,\\\\]{0,6}", inner, 0..4)
                    .prop_map(|map| Value::Object(map.into_iter().collect())),
            ]
        });
        (value, any::<bool>())
    }

    proptest! {
        #[test]
        fn all_that_a_file_says_stays_and_a_second_run_changes_nothing(
            (others, pretty) in json_text(), servers in json_text(), has_servers: bool, comment in "(// [a-z{}\",]{0,9}\n)?",
        ) {
            let mut file = json!({"others": others});
            if has_servers && servers.0.is_object() {
                file["mcpServers"] = servers.0;
            }
            let written = if pretty { serde_json::to_string_pretty(&file) } else { serde_json::to_string(&file) }.unwrap();
            let before = format!("{comment}{written}\n");
            let after = text(&before);
            let mut wanted = file.clone();
            if wanted.get("mcpServers").is_none() {
                wanted["mcpServers"] = json!({});
            }
            wanted["mcpServers"]["contextpack"] = json!({"command": "contextpack", "args": ["mcp"]});
            prop_assert_eq!(serde_json::from_str::<Value>(&without_comments(&after)).unwrap(), wanted, "{}", after);
            prop_assert!(after.starts_with(&comment));
            prop_assert_eq!(with_entry(&after), Ok(Merged::Left(HAS_ENTRY)));
        }

        #[test]
        fn no_text_makes_it_panic(text in "[\\[\\]{}:,\"/*\\\\ \n\ra-c\u{feff}é]{0,40}") {
            let _ = with_entry(&text);
        }
    }

    #[test]
    fn comments_and_the_style_of_a_file_stay() {
        let before = "\u{feff}// mine\r\n{\r\n\t/* { */ \"mcpServers\": { // theirs\r\n\t\t\"a\": {\"command\": \"//x\"},\r\n\t},\r\n}\r\n";
        let after = text(before);
        let entry = "\r\n\t\t\"contextpack\": { \"args\": [\"mcp\"], \"command\": \"contextpack\" },";
        assert!(
            after.contains(entry)
                || after.contains("\r\n\t\t\"contextpack\": { \"command\": \"contextpack\", \"args\": [\"mcp\"] },"),
            "{after}"
        );
        let at = after.find("\r\n\t\t\"contextpack\"").unwrap();
        let end = at + after[at..].find("},").unwrap() + 2;
        assert_eq!(format!("{}{}", &after[..at], &after[end..]), before);
    }

    #[test]
    fn what_is_no_json_or_has_no_place_for_the_entry_is_refused() {
        for (before, why) in [
            ("{", "not JSON (line 1"),
            ("{\n  \"a\": 1,\n  oops\n}", "line 3"),
            ("[]", "no object"),
            ("{\"mcpServers\": []}", "`mcpServers` is no object"),
            ("{\"mcpServers\": {},\n \"mcpServers\": {}}", "two fields `mcpServers` at line 2"),
            ("{\"mcpServers\": {\"a\": {}, \"a\": 1}}", "two fields `a`"),
            ("{\"a\": [null, true, 1, -1, 1.5, \"\", {\"b\": {}, \"\\u0062\": {}}]}", "two fields `b`"),
            ("/* {}", "not JSON"),
            ("// a comment alone", "not JSON"),
        ] {
            let error = with_entry(before).unwrap_err();
            assert!(error.contains(why), "{before}: {error}");
        }
        let other = "{\"mcpServers\": {\"contextpack\": {\"command\": \"other\"}}}";
        assert_eq!(with_entry(other), Ok(Merged::Left(HAS_OTHER)));
    }

    #[test]
    fn a_new_file_has_the_entry_alone() {
        let parsed: Value = serde_json::from_str(&text("")).unwrap();
        assert_eq!(parsed, json!({"mcpServers": {"contextpack": {"command": "contextpack", "args": ["mcp"]}}}));
        assert!(
            text("").starts_with("{\n  \"mcpServers\": {\n    \"contextpack\": {") && text("").ends_with("\n  }\n}\n")
        );
    }
}
