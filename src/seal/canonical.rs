//! JSON in the canonical form of RFC 8785, from JSON that this program wrote.

use memchr::memchr2;

/// Puts the keys of every object of `json` in order and leaves the fields `without` of the outermost one out.
///
/// `json` is what `serde_json` writes without white space. Its keys are ASCII, its numbers integers
/// below 2^53, and it escapes as the RFC does: the order of the keys is all that differs.
pub(super) fn canonical(json: &[u8], without: &[&str]) -> Vec<u8> {
    let mut value = Reader { json, at: 0 }.value();
    if let Value::Object(fields) = &mut value {
        fields.retain(|(key, _)| !without.iter().any(|name| key.get(1..key.len() - 1) == Some(name.as_bytes())));
    }
    let mut out = Vec::with_capacity(json.len());
    value.write(&mut out);
    out
}

/// A value as its bytes, or as what it consists of.
enum Value<'a> {
    Plain(&'a [u8]),
    List(Vec<Value<'a>>),
    /// Keys with their quotes.
    Object(Vec<(&'a [u8], Value<'a>)>),
}

impl Value<'_> {
    fn write(&self, out: &mut Vec<u8>) {
        match self {
            Self::Plain(bytes) => out.extend_from_slice(bytes),
            Self::List(values) => {
                out.push(b'[');
                for (index, value) in values.iter().enumerate() {
                    if index > 0 {
                        out.push(b',');
                    }
                    value.write(out);
                }
                out.push(b']');
            }
            Self::Object(fields) => {
                out.push(b'{');
                for (index, (key, value)) in fields.iter().enumerate() {
                    if index > 0 {
                        out.push(b',');
                    }
                    out.extend_from_slice(key);
                    out.push(b':');
                    value.write(out);
                }
                out.push(b'}');
            }
        }
    }
}

struct Reader<'a> {
    json: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    fn value(&mut self) -> Value<'a> {
        match self.json.get(self.at) {
            Some(b'{') => {
                let mut fields = Vec::new();
                self.at += 1;
                while !self.ends(b'}') {
                    let key = self.plain();
                    self.at += 1;
                    fields.push((key, self.value()));
                }
                fields.sort_unstable_by_key(|(key, _)| *key);
                Value::Object(fields)
            }
            Some(b'[') => {
                let mut values = Vec::new();
                self.at += 1;
                while !self.ends(b']') {
                    values.push(self.value());
                }
                Value::List(values)
            }
            _ => Value::Plain(self.plain()),
        }
    }

    /// Passes a comma, or the end of a list or an object; says whether it was the end.
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

    /// A string with its quotes, a number or a word.
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
        fn it_is_what_the_library_for_the_rfc_writes(value in json(), hint in 0_usize..3) {
            // As it comes from a struct, whose fields stand in no order.
            let mut written = serde_json::to_vec(&value).unwrap();
            if let Json::Object(fields) = &value {
                let mut fields: Vec<String> = fields.iter().map(|(key, value)| format!("\"{key}\":{value}")).collect();
                let places = fields.len().max(1);
                fields.rotate_left(hint % places);
                written = format!("{{{}}}", fields.join(",")).into_bytes();
            }
            prop_assert_eq!(canonical(&written, &[]), serde_jcs::to_vec(&value).unwrap());
        }
    }

    #[test]
    fn fields_are_left_out_of_the_outermost_object_only() {
        let json = br#"{"b":{"hash":1},"hash":"x","a":[{"hash":2,"a":""}]}"#;
        assert_eq!(canonical(json, &["hash"]), br#"{"a":[{"a":"","hash":2}],"b":{"hash":1}}"#);
    }
}
