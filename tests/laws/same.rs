//! The same input gives the same bytes, whatever the order, the threads and the machine's settings.

use super::memory::{Memory, Office, build, cases, chars, pack};
use super::sandbox::Sandbox;
use super::texts::{Plan, plan, words};
use contextpack::internals::config::Strategy;
use contextpack::internals::model::Digest;
use contextpack::internals::wire::Pack;
use proptest::prelude::*;
use serde_json::Value;

fn bytes(files: Vec<(String, String)>, threads: usize) -> Vec<(String, Vec<u8>)> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    pool.install(|| {
        let (office, memory) = (Office::new(""), Memory::new(files));
        let project = office.project(&memory);
        let built = build(&project, project.roots(), chars(6000, Strategy::Both));
        built
            .into_iter()
            .map(|one| (one.plan.name, one.outcome.map_or(Vec::new(), |sealed| sealed.bytes().to_vec())))
            .collect()
    })
}

/// RFC 8785 by hand: keys sorted by UTF-16, the shortest escapes, no white space.
fn canonical(value: &Value) -> String {
    match value {
        Value::Object(fields) => {
            let mut fields: Vec<_> = fields.iter().collect();
            fields.sort_by_key(|(name, _)| name.encode_utf16().collect::<Vec<_>>());
            let fields: Vec<String> =
                fields.into_iter().map(|(name, value)| format!("{}:{}", quoted(name), canonical(value))).collect();
            format!("{{{}}}", fields.join(","))
        }
        Value::Array(values) => format!("[{}]", values.iter().map(canonical).collect::<Vec<_>>().join(",")),
        Value::String(text) => quoted(text),
        Value::Number(number) => {
            assert!(number.as_u64().is_some_and(|number| number < 1 << 53), "{number}");
            number.to_string()
        }
        Value::Bool(_) | Value::Null => value.to_string(),
    }
}

fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\u{8}' => out.push_str("\\b"),
            '\t' => out.push_str("\\t"),
            '\n' => out.push_str("\\n"),
            '\u{c}' => out.push_str("\\f"),
            '\r' => out.push_str("\\r"),
            c if c < ' ' => out.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => out.push(c),
        }
    }
    out + "\""
}

proptest! {
    #![proptest_config(cases(12))]

    #[test]
    fn order_and_threads_change_no_byte(plan in plan(), order in any::<prop::sample::Index>()) {
        let files = plan.files();
        let mut turned = files.clone();
        turned.rotate_left(order.index(files.len()));
        turned.reverse();
        let one = bytes(files, 1);
        prop_assert!(!one.is_empty());
        prop_assert_eq!(one, bytes(turned, 2));
    }

    #[test]
    fn a_parsed_pack_has_its_own_hash(plan in plan()) {
        for (name, bytes) in bytes(plan.files(), 2).into_iter().filter(|(_, bytes)| !bytes.is_empty()) {
            let pack: Pack = serde_json::from_slice(&bytes).unwrap();
            let mut value: Value = serde_json::from_slice(&bytes).unwrap();
            for field in ["hash", "pack_id", "generated_at", "generator"] {
                prop_assert!(value.as_object_mut().unwrap().remove(field).is_some());
            }
            prop_assert_eq!(Digest::of(serde_jcs::to_vec(&value).unwrap()).to_string(), pack.hash.clone(), "{}", name);
            prop_assert_eq!(Digest::of(canonical(&value)).to_string(), pack.hash.clone(), "{}", name);
            let id = format!("_{}", &pack.hash["sha256:".len()..][..12]);
            prop_assert!(pack.pack_id.ends_with(&id), "{}", pack.pack_id);
            let mut again = serde_json::to_string_pretty(&pack).unwrap();
            again.push('\n');
            prop_assert_eq!(again.as_bytes(), &*bytes, "{}", name);
            prop_assert_eq!(contextpack::internals::review::verify(&bytes).violations, Vec::<String>::new(), "{}", name);
        }
    }
}

fn sample() -> Vec<(String, String)> {
    let relations = ["parent", "children", "depends_on", "related"];
    let bodies = (0..12).map(|n| (format!("## Goal\n\n{}", words(n, 200)), relations[n as usize % 4])).collect();
    let adrs = vec![format!("# One\n\nStatus: accepted\n\n## Decision\n\n{}", words(50, 300))];
    Plan { bodies, adrs, docs: vec![format!("# Naïve 语境\n\n{}", words(51, 300))], note: "n".to_owned() }.files()
}

#[test]
fn another_machine_builds_the_same_bytes() {
    let mut files = sample();
    let plain = Sandbox::configured(&[]);
    for (path, text) in &files {
        plain.write(path, text);
    }
    assert_eq!(plain.run(&["build"]).code, 0);
    let packs = plain.packs();
    assert_eq!(packs.len(), 12);

    files.reverse();
    for (vars, line_end, repo) in [
        (&[("TZ", "Pacific/Kiritimati"), ("LANG", "tr_TR.UTF-8"), ("RAYON_NUM_THREADS", "1")][..], "\n", false),
        (&[("LC_ALL", "C"), ("RAYON_NUM_THREADS", "2"), ("USER", "nobody"), ("CI", "true")][..], "\r\n", true),
    ] {
        let mut other = Sandbox::configured(&[]);
        for (name, value) in vars {
            other.set_variable(name, value);
        }
        for (path, text) in &files {
            other.write(path, text.replace('\n', line_end));
        }
        if repo {
            other.git(&["init", "-q"]);
            other.git(&["-c", "core.autocrlf=false", "add", "-A"]);
        }
        let ran = other.run(&["build"]);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        assert!(other.packs() == packs, "{vars:?}");
        let again = other.run(&["build"]);
        assert_eq!((again.code, &*again.stdout), (0, ""), "a second build writes nothing: {}", again.stderr);
        assert_eq!(other.run(&["check"]).code, 0);
    }
}

/// `verify` found that blockers stood behind all dependencies, whatever their ids.
#[test]
fn dependencies_of_both_relations_stand_in_one_natural_order() {
    let relations = ["", "blocked_by", "depends_on", "blocked_by", "depends_on", "blocks", "related", "blocks"];
    let bodies = relations.iter().map(|relation| ("x".to_owned(), *relation)).collect();
    let plan = Plan { bodies, adrs: vec![], docs: vec![], note: String::new() };
    let office = Office::new("profiles: {coding: {sections_of: [related, blocks]}}\n");
    let memory = plan.memory();
    let project = office.project(&memory);
    let sealed = pack(&project, "T-0", chars(60_000, Strategy::Both)).unwrap();
    let ids: Vec<&str> = sealed.pack().sections.iter().skip(4).map(|section| &*section.id).collect();
    let dependencies = ["dependency.T-1", "dependency.T-2", "dependency.T-3", "dependency.T-4"];
    assert_eq!(ids, [&dependencies[..], &["related.T-5", "related.T-6", "related.T-7"]].concat());
    assert_eq!(contextpack::internals::review::verify(sealed.bytes()).violations, Vec::<String>::new());
}
