//! JSON that `serde_json` wrote, rewritten in the canonical form of RFC 8785 and in the published, indented form.
//!
//! It is an optimisation: a pack is serialized once for both forms. Measured on the 86 packs of this repo and its golden
//! tests (7 KB each on average), both forms take 75 µs a pack; `serde_jcs` and `serde_json` take 250 µs, and a sorted
//! `serde_json::Value` instead of `serde_jcs` 130 µs. A property test compares its output with both libraries, and
//! `contextpack verify` uses `serde_jcs`.

use memchr::memchr2;

/// A JSON value split into its parts, which borrow the bytes of the document.
///
/// The document comes from `serde_json`, without white space. Keys are ASCII, numbers are integers below 2^53, and
/// strings are escaped as RFC 8785 asks, so that only the order of the keys differs from the canonical form.
pub(super) enum CanonicalValue<'a> {
    /// A string with its quotes, a number or a literal.
    Plain(&'a [u8]),
    List(Vec<CanonicalValue<'a>>),
    /// Fields by their keys, which include the quotes.
    Object(Vec<(&'a [u8], CanonicalValue<'a>)>),
}

impl<'a> CanonicalValue<'a> {
    /// Splits a document that `serde_json` wrote.
    pub(super) fn read(json: &'a [u8]) -> Self {
        CanonicalReader { json, at: 0 }.value()
    }

    /// Returns the canonical form, without the fields `without` of the outermost object.
    pub(super) fn canonical(&self, without: &[&str]) -> Vec<u8> {
        let mut out = Vec::new();
        match self {
            Self::Object(fields) => {
                let kept = fields.iter().filter(|(key, _)| !without.iter().any(|name| is(key, name)));
                write_sorted_object(kept, &mut out);
            }
            value => value.write_sorted(&mut out),
        }
        out
    }

    /// Returns the form that `serde_json` gives with indentation, with `values` for fields of the outermost object.
    pub(super) fn indented(&self, values: &[(&str, &[u8])]) -> Vec<u8> {
        let mut out = Vec::new();
        match self {
            Self::Object(fields) if !fields.is_empty() => {
                let given = |key: &[u8]| values.iter().find(|(name, _)| is(key, name)).map(|(_, value)| *value);
                write_indented_object(fields.iter().map(|(key, value)| (*key, value, given(key))), 0, &mut out);
            }
            value => value.write_indented(0, &mut out),
        }
        out
    }

    fn write_sorted(&self, out: &mut Vec<u8>) {
        match self {
            Self::Plain(bytes) => out.extend_from_slice(bytes),
            Self::List(values) => {
                out.push(b'[');
                for (index, value) in values.iter().enumerate() {
                    if index > 0 {
                        out.push(b',');
                    }
                    value.write_sorted(out);
                }
                out.push(b']');
            }
            Self::Object(fields) => write_sorted_object(fields.iter(), out),
        }
    }

    fn write_indented(&self, depth: usize, out: &mut Vec<u8>) {
        match self {
            Self::Plain(bytes) => out.extend_from_slice(bytes),
            Self::List(values) if values.is_empty() => out.extend_from_slice(b"[]"),
            Self::List(values) => {
                out.push(b'[');
                for (index, value) in values.iter().enumerate() {
                    new_line(index > 0, depth + 1, out);
                    value.write_indented(depth + 1, out);
                }
                new_line(false, depth, out);
                out.push(b']');
            }
            Self::Object(fields) if fields.is_empty() => out.extend_from_slice(b"{}"),
            Self::Object(fields) => {
                write_indented_object(fields.iter().map(|(key, value)| (*key, value, None)), depth, out)
            }
        }
    }
}

/// Returns whether a key, given with its quotes, has this name.
fn is(key: &[u8], name: &str) -> bool {
    key.get(1..key.len() - 1) == Some(name.as_bytes())
}

fn write_sorted_object<'v, 'a: 'v>(
    fields: impl Iterator<Item = &'v (&'a [u8], CanonicalValue<'a>)>,
    out: &mut Vec<u8>,
) {
    let mut fields: Vec<_> = fields.collect();
    fields.sort_unstable_by_key(|(key, _)| *key);
    out.push(b'{');
    for (index, (key, value)) in fields.into_iter().enumerate() {
        if index > 0 {
            out.push(b',');
        }
        out.extend_from_slice(key);
        out.push(b':');
        value.write_sorted(out);
    }
    out.push(b'}');
}

fn write_indented_object<'v, 'a: 'v>(
    fields: impl Iterator<Item = (&'v [u8], &'v CanonicalValue<'a>, Option<&'v [u8]>)>,
    depth: usize,
    out: &mut Vec<u8>,
) {
    out.push(b'{');
    for (index, (key, value, given)) in fields.enumerate() {
        new_line(index > 0, depth + 1, out);
        out.extend_from_slice(key);
        out.extend_from_slice(b": ");
        match given {
            Some(given) => out.extend_from_slice(given),
            None => value.write_indented(depth + 1, out),
        }
    }
    new_line(false, depth, out);
    out.push(b'}');
}

fn new_line(comma: bool, depth: usize, out: &mut Vec<u8>) {
    if comma {
        out.push(b',');
    }
    out.push(b'\n');
    (0..depth).for_each(|_| out.extend_from_slice(b"  "));
}

struct CanonicalReader<'a> {
    json: &'a [u8],
    at: usize,
}

impl<'a> CanonicalReader<'a> {
    fn value(&mut self) -> CanonicalValue<'a> {
        match self.json.get(self.at) {
            Some(b'{') => {
                let mut fields = Vec::new();
                self.at += 1;
                while !self.ends(b'}') {
                    let key = self.plain();
                    self.at += 1;
                    fields.push((key, self.value()));
                }
                CanonicalValue::Object(fields)
            }
            Some(b'[') => {
                let mut values = Vec::new();
                self.at += 1;
                while !self.ends(b']') {
                    values.push(self.value());
                }
                CanonicalValue::List(values)
            }
            _ => CanonicalValue::Plain(self.plain()),
        }
    }

    /// Skips a comma, or the end of a list or object, and returns whether it was the end.
    fn ends(&mut self, end: u8) -> bool {
        match self.json.get(self.at) {
            Some(b',') => {
                self.at += 1;
                false
            }
            Some(byte) => {
                let ended = *byte == end;
                self.at += usize::from(ended);
                ended
            }
            None => true,
        }
    }

    /// Reads a string with its quotes, a number or a literal.
    fn plain(&mut self) -> &'a [u8] {
        let rest = self.json.get(self.at..).unwrap_or_default();
        let length = if rest.first() == Some(&b'"') {
            let mut at = 1;
            while let Some(found) = memchr2(b'"', b'\\', rest.get(at..).unwrap_or_default()) {
                at += found + 1;
                if rest.get(at - 1) == Some(&b'"') {
                    break;
                }
                at += 1;
            }
            at.min(rest.len())
        } else {
            rest.iter().position(|byte| matches!(byte, b',' | b'}' | b']' | b':')).unwrap_or(rest.len())
        };
        self.at += length;
        &rest[..length]
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::Value as Json;

    fn json() -> impl Strategy<Value = Json> {
        let text = prop_oneof![r#"[a-e\\"\n\u{1}é,:{}\[\]]{0,12}"#, "[a-e_]{1,3}"];
        let leaf = prop_oneof![
            Just(Json::Null),
            any::<bool>().prop_map(Json::from),
            (0_u64..1 << 53).prop_map(Json::from),
            text.prop_map(Json::from),
        ];
        leaf.prop_recursive(4, 40, 6, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..5).prop_map(Json::from),
                prop::collection::vec(("[a-e_]{1,3}", inner), 0..5)
                    .prop_map(|fields| Json::Object(fields.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn both_forms_equal_those_of_the_libraries(value in json(), hint in 0_usize..3) {
            // The fields of a struct are not sorted.
            let mut written = serde_json::to_vec(&value).unwrap();
            if let Json::Object(fields) = &value {
                let mut fields: Vec<String> = fields.iter().map(|(key, value)| format!("\"{key}\":{value}")).collect();
                let places = fields.len().max(1);
                fields.rotate_left(hint % places);
                written = format!("{{{}}}", fields.join(",")).into_bytes();
            }
            prop_assert_eq!(CanonicalValue::read(&written).canonical(&[]), serde_jcs::to_vec(&value).unwrap());
            let plain = serde_json::to_vec(&value).unwrap();
            prop_assert_eq!(CanonicalValue::read(&plain).indented(&[]), serde_json::to_vec_pretty(&value).unwrap());
        }
    }

    #[test]
    fn fields_are_left_out_of_the_outermost_object_only() {
        let json = br#"{"b":{"hash":1},"hash":"x","a":[{"hash":2,"a":""}]}"#;
        let value = CanonicalValue::read(json);
        assert_eq!(value.canonical(&["hash"]), br#"{"a":[{"a":"","hash":2}],"b":{"hash":1}}"#);
        let indented = String::from_utf8(value.indented(&[("hash", b"3")])).unwrap();
        assert!(indented.contains("\n  \"hash\": 3,\n") && indented.contains("\n    \"hash\": 1\n"), "{indented}");
    }
}
