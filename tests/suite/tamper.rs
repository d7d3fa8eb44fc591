//! `verify` finds whatever was changed in a pack, without its repo.

use crate::golden::{delivered_pack, golden_pack};
use crate::sandbox::Sandbox;
use contextpack::internals::review::verify;
use serde_json::Value;

/// The text of a pack as it is published, so that only the change itself can be found.
fn published(value: &Value) -> Vec<u8> {
    match serde_json::from_value::<contextpack::internals::wire::Pack>(value.clone()) {
        Ok(pack) => (serde_json::to_string_pretty(&pack).unwrap() + "\n").into_bytes(),
        Err(_) => (serde_json::to_string_pretty(value).unwrap() + "\n").into_bytes(),
    }
}

/// The bytes of an edited pack with a correct hash and id, as somebody who knows the format writes it.
pub(crate) fn sealed(mut pack: contextpack::internals::wire::Pack) -> Vec<u8> {
    for section in &mut pack.sections {
        section.metadata.chars = section.content.chars().count() as u64;
    }
    let text = contextpack::internals::render::pack(&pack).whole();
    (pack.budget.used_chars, pack.budget.used_bytes) = (text.chars().count() as u64, text.len() as u64);
    let mut value = serde_json::to_value(&pack).unwrap();
    for name in ["hash", "pack_id", "generated_at", "generator"] {
        value.as_object_mut().unwrap().remove(name);
    }
    pack.hash = contextpack::internals::model::Digest::of(serde_jcs::to_vec(&value).unwrap()).to_string();
    let (name, _) = pack.pack_id.rsplit_once('_').unwrap();
    pack.pack_id = format!("{name}_{}", &pack.hash["sha256:".len()..][..12]);
    published(&serde_json::to_value(&pack).unwrap())
}

#[test]
fn a_pack_of_a_newer_version_keeps_its_fields_and_is_valid() {
    let mut value: Value = serde_json::from_slice(&golden_pack("minimal", "feat-greeting.coding.json")).unwrap();
    value["root"].as_object_mut().unwrap().remove("title");
    for place in ["", "/root", "/budget", "/inputs/0", "/sections/1", "/sections/1/metadata", "/sections/0/source"] {
        value.pointer_mut(place).unwrap()["of_v1_3"] = serde_json::json!({"n": [1, 0.5], "text": "new"});
    }
    value["sections"][2]["metadata"]["of_v1_4"] = "more".into();
    let mut pack: contextpack::internals::wire::Pack = serde_json::from_value(value.clone()).unwrap();
    pack.sections[2].kind = "of-v1.3".to_owned();
    let sandbox = Sandbox::with(&[]);
    let bytes = sealed(pack);
    sandbox.write("newer.json", &bytes);
    for (args, says) in [
        (&["verify", "newer.json"][..], "newer version: this one does not know `of_v1_3`, `of_v1_4`"),
        (&["explain", "newer.json"], "newer version"),
        (&["render", "newer.json"], "newer version"),
        (&["diff", "newer.json", "newer.json"], ""),
        (&["page", "newer.json", "-o", "page.html"], ""),
    ] {
        let run = sandbox.run(args);
        assert_eq!(run.code, 0, "{args:?}: {}", run.stderr);
        assert!(run.stderr.contains(says), "{args:?}: {}", run.stderr);
    }
    let kept = sandbox.expect(0, &["render", "newer.json", "--format", "json"]);
    assert_eq!(kept.as_bytes(), bytes);
    let root = &serde_json::from_slice::<Value>(&bytes).unwrap()["root"];
    assert!(root.get("title").is_none(), "what a writer left out stays out, so that the hash holds: {root}");
    let changed = kept.replacen("\"text\": \"new\"", "\"text\": \"old\"", 1);
    assert_eq!(sandbox.run_with(&["verify", "-"], &changed).code, 5, "the hash covers what a newer version added");
}

/// The first two values of a list and the last: the others are of the same kinds.
fn ends(values: &[Value]) -> impl Iterator<Item = (usize, &Value)> {
    values.iter().enumerate().filter(|(index, _)| *index < 2 || index + 1 == values.len())
}

/// The places of the values that hold no others, as JSON pointers.
fn leaves(value: &Value, at: &str, found: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            fields.iter().for_each(|(name, value)| leaves(value, &format!("{at}/{name}"), found));
        }
        Value::Array(values) => {
            ends(values).for_each(|(index, value)| leaves(value, &format!("{at}/{index}"), found));
        }
        _ => found.push(at.to_owned()),
    }
}

/// Objects and lists.
fn branches(value: &Value, at: &str, found: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            found.push(at.to_owned());
            fields.iter().for_each(|(name, value)| branches(value, &format!("{at}/{name}"), found));
        }
        Value::Array(values) => {
            found.push(at.to_owned());
            ends(values).for_each(|(index, value)| branches(value, &format!("{at}/{index}"), found));
        }
        _ => {}
    }
}

fn packs() -> Vec<Value> {
    [
        ("redaction", "feat-leak.coding.json"),
        ("budgets", "feat-big.both-tokens.json"),
        ("adr-references", "feat-odd.coding.json"),
    ]
    .map(|(case, pack)| golden_pack(case, pack))
    .into_iter()
    .chain([delivered_pack("agents", "issue-expanded"), delivered_pack("agents", "start-minimal")])
    .map(|bytes| serde_json::from_slice(&bytes).unwrap())
    .collect()
}

#[test]
fn every_value_of_a_pack_is_guarded() {
    for pack in packs() {
        assert_eq!(verify(&published(&pack)).violations, Vec::<String>::new());
        let mut places = Vec::new();
        leaves(&pack, "", &mut places);
        assert!(places.len() > 50);
        for place in places {
            // When and by what it was built is no part of the hash: these may be anything of their form.
            if place.starts_with("/generator/") {
                continue;
            }
            let mut changed = pack.clone();
            let leaf = changed.pointer_mut(&place).unwrap();
            *leaf = match leaf {
                Value::String(text) => Value::from(format!("{text}x")),
                Value::Number(number) => Value::from(number.as_u64().unwrap() + 1),
                Value::Bool(truth) => Value::from(!*truth),
                other => panic!("{place}: {other}"),
            };
            assert!(!verify(&published(&changed)).violations.is_empty(), "a change of {place} is not found");
        }
    }
}

#[test]
fn nothing_can_be_added_taken_away_or_moved() {
    for pack in packs() {
        let mut places = Vec::new();
        branches(&pack, "", &mut places);
        for place in places {
            let mut changes: Vec<Value> = Vec::new();
            let original = pack.pointer(&place).unwrap();
            match original {
                Value::Object(fields) => {
                    // The version of the rules is outside the hash, and older packs do not have it.
                    for name in fields.keys().filter(|name| *name != "redaction_rules") {
                        let mut less = fields.clone();
                        less.remove(name);
                        changes.push(less.into());
                    }
                    // What a newer writer says of itself is outside the hash, too.
                    if place != "/generator" {
                        let mut more = fields.clone();
                        more.insert("more".to_owned(), Value::from(1));
                        changes.push(more.into());
                    }
                }
                Value::Array(values) => {
                    changes.extend((0..values.len()).map(|index| {
                        let mut less = values.clone();
                        less.remove(index);
                        less.into()
                    }));
                    let mut moved = values.clone();
                    moved.reverse();
                    changes.push(moved.into());
                }
                _ => {}
            }
            for change in changes.into_iter().filter(|change| change != original) {
                let mut changed = pack.clone();
                *changed.pointer_mut(&place).unwrap() = change;
                assert!(!verify(&published(&changed)).violations.is_empty(), "a change below `{place}` is not found");
            }
        }
    }
}

#[test]
fn a_pack_has_one_form_only() {
    let bytes = golden_pack("minimal", "feat-greeting.coding.json");
    let text = String::from_utf8(bytes).unwrap();
    let found = |text: &str| verify(text.as_bytes()).violations;
    assert_eq!(found(&text), Vec::<String>::new());
    let value: Value = serde_json::from_str(&text).unwrap();
    for changed in [
        text.replace('\n', "\r\n"),
        format!("\u{feff}{text}"),
        format!("{text}\n"),
        text.trim_end().to_owned(),
        value.to_string(),
        text.replacen("  ", "\t", 1),
        text.replacen("{\n  \"schema_version\"", "{\n  \"profile\": \"coding\",\n  \"schema_version\"", 1),
        text.replace("context_pack/v1", "context_pack/v2"),
        text.replacen("\"max_chars\": 48000", "\"max_chars\": 48000.0", 1),
        text.replacen("\"max_chars\": 48000", "\"max_chars\": 1", 1),
        text.lines().take(20).collect::<Vec<_>>().join("\n"),
        "[".repeat(100_000),
        "null".to_owned(),
        String::new(),
    ] {
        assert!(!found(&changed).is_empty(), "{}", changed.chars().take(300).collect::<String>());
    }
    assert!(!verify(b"\xff").violations.is_empty());
}

#[test]
fn verify_ends_with_5_where_a_pack_is_not_valid_or_not_the_expected_one() {
    let sandbox = Sandbox::new();
    let bytes = golden_pack("minimal", "feat-greeting.coding.json");
    sandbox.write("good.json", &bytes);
    let value: Value = serde_json::from_slice(&bytes).unwrap();
    let hash = value["hash"].as_str().unwrap();
    sandbox.expect(0, &["verify", "good.json"]);
    sandbox.expect(0, &["verify", "good.json", "--expect", hash]);
    sandbox.expect(0, &["verify", "good.json", "--expect", hash.trim_start_matches("sha256:")]);
    let other = format!("sha256:{}", "0".repeat(64));
    let run = sandbox.run(&["verify", "good.json", "--expect", &other]);
    assert_eq!(run.code, 5);
    assert!((run.stdout + &run.stderr).contains(hash));

    let text = String::from_utf8(bytes).unwrap();
    let forged = text.replacen("Hello, Ada!", "Hello, Eve!", 1);
    assert_ne!(forged, text);
    let run = sandbox.run_with(&["verify", "-"], &forged);
    assert_eq!(run.code, 5);
    sandbox.write("folder/good.json", &text);
    sandbox.write("folder/forged.json", &forged);
    let run = sandbox.run(&["verify", "folder"]);
    let said = run.stdout + &run.stderr;
    assert_eq!(run.code, 5);
    assert!(said.contains("forged.json") && said.contains("the content was changed"), "{said}");
    sandbox.expect(2, &["verify", "folder", "--expect", hash]);
    let json = sandbox.json(5, &["verify", "folder", "--format", "json"]);
    assert!(json.to_string().contains("forged.json"), "{json}");
}

/// Forged packs that are consistent in themselves, each with a character that no build leaves in a text.
#[test]
fn what_nobody_sees_makes_a_forged_pack_invalid_and_is_printed_by_no_command() {
    let golden: contextpack::internals::wire::Pack =
        serde_json::from_slice(&golden_pack("redaction", "feat-leak.coding.json")).unwrap();
    let sandbox = Sandbox::with(&[]);
    sandbox.write("forged.json", sealed(golden.clone()));
    sandbox.expect(0, &["verify", "forged.json"]);
    for c in [
        '\u{1b}',
        '\u{9b}',
        '\u{7}',
        '\u{202e}',
        '\u{2066}',
        '\u{e0041}',
        '\u{200b}',
        '\u{200d}',
        '\u{fe01}',
        '\u{3164}',
        '\r',
    ] {
        for place in 0..4 {
            let mut pack = golden.clone();
            let what = match place {
                0 => {
                    pack.sections[1].content.push_str(&format!("\nx{c}[2Jy"));
                    "section `root.issue`, `content`"
                }
                1 => {
                    pack.root.title.push_str(&format!("a{c}b"));
                    "`root`, `title`"
                }
                2 => {
                    pack.sections[2].metadata.status = Some(format!("a{c}b"));
                    "section `root.json`, `metadata`, `status`"
                }
                _ => {
                    pack.redactions[0].to_include = format!("a{c}b");
                    "`redactions`, entry 1, `to_include`"
                }
            };
            sandbox.write("forged.json", sealed(pack));
            let said = sandbox.run(&["verify", "forged.json"]);
            assert_eq!(said.code, 5, "{c:?} {place}: {}", said.stdout);
            let fault = format!("{what} holds U+{:04X} at line ", u32::from(c));
            assert!(said.stdout.contains(&fault), "{fault}: {}", said.stdout);
            let refused = sandbox.run(&["render", "forged.json"]);
            assert_eq!((refused.code, &*refused.stdout), (5, ""));
            assert!(refused.stderr.contains(&fault), "{}", refused.stderr);
            for args in [
                &["git", "textconv", "forged.json"][..],
                &["explain", "forged.json"],
                &["explain", "forged.json", "--format", "json"],
                &["explain", "forged.json", "--format", "markdown"],
                &["diff", "forged.json", "forged.json"],
                &["page", "-o", "-", "forged.json"],
                &["verify", "forged.json", "--format", "json"],
            ] {
                let run = sandbox.run(args);
                let all = run.stdout + &run.stderr;
                assert!(!all.contains(c), "{c:?} {place}: {args:?}");
            }
        }
    }
    let (mut pack, mut input) = (golden.clone(), golden.inputs[0].clone());
    input.kind.push('\u{200b}');
    pack.inputs = vec![input; 30];
    let faults = verify(&sealed(pack)).violations;
    assert!(faults.contains(&"20 more texts hold invisible characters".to_owned()), "{faults:?}");
}

/// Somebody who knows the format can renew the hash, but cannot put free text into fields with a fixed vocabulary.
#[test]
fn a_forged_pack_with_other_words_than_the_formats_is_not_valid() {
    let pack: contextpack::internals::wire::Pack =
        serde_json::from_slice(&golden_pack("github-issues", "issue-12.coding.json")).unwrap();
    assert_eq!(verify(&sealed(pack.clone())).violations, Vec::<String>::new());
    type Change = fn(&mut contextpack::internals::wire::Pack);
    let changes: [(&str, Change); 16] = [
        ("provenance", |pack| pack.sections[1].provenance.push_str(" | @octocat <img src=x>")),
        ("provenance", |pack| pack.sections[1].provenance.push('\n')),
        ("kind", |pack| pack.sections[3].kind.push('\u{2028}')),
        ("kind", |pack| pack.sections[1].source.kind.push(' ')),
        ("kind", |pack| pack.inputs[0].kind.push('\n')),
        ("state", |pack| pack.sections[1].metadata.state = Some("open\n::x::".to_owned())),
        ("trust", |pack| pack.sections[1].metadata.trust = Some("Trusted".to_owned())),
        ("trust", |pack| pack.sections[1].metadata.trust = Some("trusted\n".to_owned())),
        ("instructions", |pack| pack.sections[0].metadata.trust = Some("untrusted".to_owned())),
        ("instructions", |pack| pack.sections[0].source.kind = "issue".to_owned()),
        ("strategy", |pack| pack.budget.strategy = "zz".to_owned()),
        ("lines", |pack| pack.sections[1].source.lines = Some([9, 1])),
        ("lines", |pack| pack.sections[1].source.lines = Some([0, 0])),
        ("edges", |pack| {
            pack.sections.iter_mut().filter_map(|it| it.metadata.edges.as_mut()).for_each(|it| it.reverse())
        }),
        ("edges", |pack| {
            pack.sections.iter_mut().filter_map(|it| it.metadata.edges.as_mut()).for_each(|it| it[0].from.push('x'));
        }),
        ("edges", |pack| {
            let edges = pack.sections.iter_mut().filter_map(|it| it.metadata.edges.as_mut());
            edges.for_each(|it| it[0].trust = Some("zz".to_owned()));
        }),
    ];
    for (number, (word, change)) in changes.into_iter().enumerate() {
        let mut forged = pack.clone();
        change(&mut forged);
        let faults = verify(&sealed(forged)).violations;
        assert!(faults.iter().any(|fault| fault.contains(word)), "{number}: {word}: {faults:?}");
    }
}

/// A page for a comment may be built from packs that were not verified.
#[test]
fn the_page_of_explain_is_no_markup_of_the_packs_words() {
    let mut pack: contextpack::internals::wire::Pack =
        serde_json::from_slice(&golden_pack("github-issues", "issue-12.coding.json")).unwrap();
    let markup = "root | @octocat <img src=x>\u{202e}\u{9b}";
    pack.sections[1].provenance = markup.to_owned();
    pack.sections[1].metadata.detail = markup.to_owned();
    pack.omissions.iter_mut().for_each(|omission| omission.reason = markup.to_owned());
    pack.redactions.iter_mut().for_each(|redaction| redaction.rule = markup.to_owned());
    let sandbox = Sandbox::with(&[]);
    sandbox.write("pack.json", String::from_utf8(sealed(pack)).unwrap());
    let page = sandbox.expect(0, &["explain", "pack.json", "--format", "markdown"]);
    assert!(!page.contains(['\u{202e}', '\u{9b}']), "{page}");
    let bare = page.replace("\\<", "");
    assert!(!bare.contains("<img") && !bare.contains("@octocat"), "{page}");
}

#[test]
fn a_secret_in_a_damaged_pack_is_in_no_message() {
    let sandbox = crate::cli::small();
    sandbox.expect(0, &["build", "-q"]);
    let secret = "ghp_0123456789abcdefghijABCDEFGHIJ012345";
    let path = "packs/feat-cache.coding.json";
    let text = sandbox.read(path);
    let as_value = text.replacen("\"max_chars\": ", &format!("\"max_chars\": \"{secret}\", \"x\": "), 1);
    let as_field = text.replacen('{', &format!("{{\"{secret}\": 1,"), 1);
    let as_version = text.replacen("context_pack/v1", secret, 1);
    let twice = text.replacen('{', &format!("{{\"{secret}\": 1, \"{secret}\": 1,"), 1);
    for damaged in [as_value, as_field, as_version, twice] {
        assert!(damaged.contains(secret));
        sandbox.write(path, &damaged);
        for args in [
            &["check"][..],
            &["check", "--format", "github"],
            &["check", "--format", "json"],
            &["verify", path],
            &["explain", path],
            &["render", path],
            &["page", "-o", "-"],
            &["diff", path, "packs/feat-api.coding.json"],
        ] {
            // A page holds what a pack holds, if it can be read: the fields of newer versions, too.
            if args[0] == "page" && contextpack::internals::review::read(damaged.as_bytes()).is_ok() {
                continue;
            }
            let run = sandbox.run(args);
            assert!(
                !run.stdout.contains(secret) && !run.stderr.contains(secret),
                "{args:?}: {} {}",
                run.stdout,
                run.stderr
            );
        }
    }
}
