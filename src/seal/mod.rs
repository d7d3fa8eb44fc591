//! [`Fitted`](crate::fit::Fitted) → [`Sealed`]: the wire form of a pack, its hash and its bytes.
//!
//! No other module serializes packs for publication.

mod assemble;

pub use assemble::seal;

use crate::model::Digest;
use crate::wire;
use std::ops::Range;

/// The time and the program of a build, which the hash of a pack does not cover.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stamp {
    /// The time: RFC 3339, UTC, whole seconds.
    pub generated_at: String,
    /// The program and its version.
    pub generator: wire::Generator,
}

impl Stamp {
    /// Creates a stamp of this program.
    pub fn new(generated_at: String) -> Self {
        let (name, version) = ("contextpack".to_owned(), env!("CARGO_PKG_VERSION").to_owned());
        Self { generated_at, generator: wire::Generator { name, version, ..wire::Generator::default() } }
    }

    /// Returns the stamp of a build that redacts by this version of the built-in rules.
    #[must_use]
    pub fn with_redaction_rules(&self, version: u32) -> Self {
        let generator = wire::Generator { redaction_rules: Some(version.to_string()), ..self.generator.clone() };
        Self { generator, ..self.clone() }
    }
}

/// A finished pack: its wire form and its published bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sealed {
    pack: wire::Pack,
    bytes: Vec<u8>,
}

impl Sealed {
    /// Seals `pack`: computes its hash and id from all other fields but the stamp.
    pub(crate) fn new(mut pack: wire::Pack, slug: &str) -> Self {
        let digest = Digest::of(hashed_form(&pack));
        pack.hash = digest.to_string();
        pack.pack_id = format!("cp_{slug}_{}_{}", pack.profile, digest.short(12));
        let bytes = bytes_of(&pack);
        Self { pack, bytes }
    }

    /// Returns the wire form.
    pub fn pack(&self) -> &wire::Pack {
        &self.pack
    }

    /// Returns the published file: two-space indent, LF, one final newline.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Returns whether `existing` equals this pack in all bytes outside the stamp.
    pub fn is_unchanged(&self, existing: &[u8]) -> bool {
        // Another hash means another pack; the same one may still come with edits elsewhere.
        let hash = format!("\n  \"hash\": \"{}\",\n", self.pack.hash);
        if memchr::memmem::find(existing, hash.as_bytes()).is_none() {
            return false;
        }
        around_stamp(existing).is_some_and(|old| around_stamp(&self.bytes).is_some_and(|new| old == new))
    }
}

/// Returns the bytes before and after the stamp: `generated_at` and `generator`, which are adjacent.
///
/// A line break inside a JSON string is escaped, so these lines can only be fields of the pack.
fn around_stamp(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let find = |needle: &[u8]| bytes.windows(needle.len()).take(64 * 1024).position(|window| window == needle);
    let (start, end) = (find(b"\n  \"generated_at\": \"")?, find(b"\n  \"profile\": \"")?);
    let stamp = bytes.get(start..end)?;
    let is_stamp = matches!(stamp.split(|b| *b == b'\n').count(), 6 | 7) && stamp.len() < 400;
    is_stamp.then(|| (&bytes[..start], &bytes[end..]))
}

/// Returns the published file of a finished pack.
pub fn bytes_of(pack: &wire::Pack) -> Vec<u8> {
    let mut bytes = serde_json::to_vec_pretty(pack).unwrap_or_default();
    bytes.push(b'\n');
    bytes
}

/// Returns the form of RFC 8785 that the hash covers: without the hash and what depends on it, and without the stamp.
///
/// The wire types hold strings, integers, lists and structs, none of which can fail to serialize. Their keys are ASCII and
/// their numbers below 2^53, so that only the order of the keys is left to do for `serde_json`.
fn hashed_form(pack: &wire::Pack) -> Vec<u8> {
    let json = serde_json::to_vec(pack).unwrap_or_default();
    let mut sorted = Vec::with_capacity(json.len());
    let without: [&[u8]; 4] = [b"\"hash\"", b"\"pack_id\"", b"\"generated_at\"", b"\"generator\""];
    add_sorted(&mut json.as_slice(), &without, &mut sorted);
    sorted
}

/// Adds the value with which `json` begins, its keys sorted, and moves behind it; `without` are keys that it loses, in their
/// quotation marks. `json` is valid, without white space, and its keys are names.
fn add_sorted<'j>(json: &mut &'j [u8], without: &[&[u8]], out: &mut Vec<u8>) {
    let (Some(&open @ (b'{' | b'[')), start) = (json.first(), out.len()) else {
        return out.extend_from_slice(scalar(json));
    };
    let is_object = open == b'{';
    let mut values: Vec<(&'j [u8], Range<usize>)> = Vec::new();
    *json = &json[1..];
    while !matches!(json.first(), None | Some(b'}' | b']')) {
        let key = if is_object { scalar(json) } else { &[] };
        *json = json.strip_prefix(b":").unwrap_or(json);
        let from = out.len() - start;
        add_sorted(json, &[], out);
        values.push((key, from..out.len() - start));
        *json = json.strip_prefix(b",").unwrap_or(json);
    }
    *json = json.get(1..).unwrap_or_default();
    // The elements of a list have no keys, and stay in their order.
    values.sort_by_key(|(key, _)| *key);
    values.retain(|(key, _)| !without.contains(key));
    let unsorted = out.split_off(start);
    out.push(open);
    for (at, (key, value)) in values.into_iter().enumerate() {
        let (comma, colon): (&[u8], &[u8]) = (if at > 0 { b"," } else { b"" }, if is_object { b":" } else { b"" });
        [comma, key, colon, &unsorted[value]].into_iter().for_each(|part| out.extend_from_slice(part));
    }
    out.push(if is_object { b'}' } else { b']' });
}

/// Returns the string, number or word with which `json` begins, and moves behind it.
fn scalar<'j>(json: &mut &'j [u8]) -> &'j [u8] {
    let mut end = 1;
    if json.starts_with(b"\"") {
        // What follows a backslash ends nothing.
        while let Some(at) = memchr::memchr2(b'"', b'\\', &json[end..]) {
            end += at + 1;
            if json[end - 1] == b'"' {
                break;
            }
            end += 1;
        }
    } else {
        end = json.iter().position(|byte| matches!(byte, b',' | b'}' | b']')).unwrap_or(json.len());
    }
    let (scalar, rest) = json.split_at(end);
    *json = rest;
    scalar
}
