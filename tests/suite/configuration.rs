//! Configurations that are read, and what they set. What is wrong with others is in `tests/cases/config.txt`.

use contextpack::internals::config::{BatchFile, DenyList, Instructions, RedactionSettings, Settings, load};
use contextpack::internals::model::{Code, Digest, RepoPath};
use serde_json::{Map, Value, json};
use std::time::{Duration, Instant};

fn good(text: &str) -> Settings {
    load("contextpack.yml", Some(text)).unwrap()
}

/// Line, message and help of everything wrong.
fn wrong(text: &str) -> Vec<(u32, String, String)> {
    let found = load("contextpack.yml", Some(text)).unwrap_err();
    found.into_iter().map(|d| (d.at.unwrap().line.unwrap(), d.message, d.help.unwrap_or_default())).collect()
}

#[test]
fn without_a_file_everything_has_its_default() {
    for settings in
        [load("contextpack.yml", None).unwrap(), good(""), good("# nothing yet\n"), good("version: 1\ngithub:\n")]
    {
        assert_eq!(settings.output.dir.as_str(), ".contextpack/packs");
        assert_eq!(settings.output.profiles, ["coding"]);
        assert_eq!(settings.github.snapshot.as_str(), ".contextpack/github");
        assert_eq!((settings.github.comments, settings.adrs.excerpt.max_lines), (5, 120));
        assert_eq!(settings.profiles.keys().collect::<Vec<_>>(), ["coding", "drafting", "other", "review"]);
        assert!(settings.work_items[0].include.set.is_match("work_items/a/b.yaml"));
        for adr in ["docs/adr/0001-x.md", "docs/ADR/x.md", "Doc/Architecture/Decisions/1/x.MD"] {
            assert!(settings.adrs.include.set.is_match(adr), "{adr}");
        }
    }
}

/// Packs name the version as the cause of their change: raise it with the digest.
#[test]
fn instructions_have_a_version_are_short_and_state_what_every_agent_must_know() {
    for (name, digest) in [
        ("coding", "86f2f2213b31"),
        ("drafting", "aa8694062ef5"),
        ("other", "66366e36d369"),
        ("review", "bed09a4025cf"),
    ] {
        let Instructions::Builtin { version, text } = good("").profiles[name].instructions else { panic!("{name}") };
        assert_eq!((version, Digest::of(text).short(12).as_str()), (4, digest), "{name}");
        let words: Vec<&str> = text.split_whitespace().collect();
        assert!(words.len() <= 250 && text.starts_with("# ") && text.ends_with('\n') && !text.contains('\r'));
        let one_line = words.join(" ").to_lowercase();
        for needed in include_str!("../cases/instructions.txt").lines() {
            assert!(one_line.contains(&needed.to_lowercase()), "{name} does not say `{needed}`");
        }
    }
}

#[test]
fn the_published_schema_has_the_settings_and_words_that_are_read() {
    let schema: Value = serde_json::from_str(include_str!("../../schema/config.schema.json")).unwrap();
    let known = |document: Value| {
        let found = load("contextpack.yml", Some(&format!("{document:#}"))).unwrap_err();
        let unknown = found.into_iter().find(|fault| fault.message.contains(UNKNOWN));
        unknown.unwrap_or_else(|| panic!("{document}")).help.unwrap()
    };
    hold_schema(&schema, &schema, &known, &|value| value);
    let schema: Value = serde_json::from_str(include_str!("../../schema/batch-file.schema.json")).unwrap();
    let known = |document: Value| {
        let found = BatchFile::read(&format!("{document:#}"), 8).unwrap_err();
        found.into_iter().find(|fault| fault.message.contains(UNKNOWN)).unwrap().message
    };
    hold_schema(&schema, &schema, &known, &|value| value);
}

/// A name that is near to none.
const UNKNOWN: &str = "_0_0_0_0";

/// Compares the names and words of a schema with those that are `known` where [`UNKNOWN`] is in a document, made by `around`.
fn hold_schema(all: &Value, part: &Value, known: &dyn Fn(Value) -> String, around: &dyn Fn(Value) -> Value) {
    let part = part["$ref"].as_str().map_or(part, |name| &all["$defs"][name.trim_start_matches("#/$defs/")]);
    let same = |document: Value, mut published: Vec<&str>| {
        let help = known(around(document));
        let mut names: Vec<&str> = help.split_once("known are ").unwrap().1.split('`').skip(1).step_by(2).collect();
        names.sort_unstable();
        published.sort_unstable();
        assert_eq!(names, published);
    };
    let object = |name: &str, value: Value| {
        let required = part["required"].as_array().into_iter().flatten();
        let mut fields: Map<String, Value> =
            required.map(|name| (name.as_str().unwrap().to_owned(), json!("a"))).collect();
        fields.insert(name.to_owned(), value);
        Value::Object(fields)
    };
    if let Some(fields) = part["properties"].as_object() {
        same(object(UNKNOWN, json!("warn")), fields.keys().map(String::as_str).collect());
        for (name, field) in fields {
            hold_schema(all, field, known, &|value| around(object(name, value)));
        }
    }
    let others = part["patternProperties"].as_object().into_iter().flat_map(Map::values);
    for value in others.chain(Some(&part["additionalProperties"]).filter(|value| value.is_object())) {
        hold_schema(all, value, known, &|value| around(json!({"x": value})));
    }
    for value in part["anyOf"].as_array().into_iter().flatten() {
        hold_schema(all, value, known, around);
    }
    if part["items"].is_object() {
        hold_schema(all, &part["items"], known, &|value| around(json!([value])));
    }
    let words: Vec<&str> = match (&part["oneOf"], &part["enum"]) {
        (Value::Array(words), _) => words.iter().map(|word| word["const"].as_str().unwrap()).collect(),
        (_, Value::Array(words)) => words.iter().map(|word| word.as_str().unwrap()).collect(),
        _ => return,
    };
    same(json!(UNKNOWN), words);
}

#[test]
fn an_example_with_every_setting_is_read() {
    let settings = good(concat!(
        "version: 1\n",
        "required_version: 0.1\n",
        "roots: {labels: [agent-ready], state: open, include: [\"feat:*\"], exclude: {status: [draft]}}\n",
        "work_items:\n",
        "  - include: [\"EIPS/eip-*.md\"]\n",
        "    id: \"EIP-{eip}\"\n",
        "    ref: \"EIP-{}\"\n",
        "    fields: {title: title, depends_on: requires}\n",
        "  - include: .beads/issues.jsonl\n",
        "    fields: {type: issue_type, body: [description, body], depends_on: [blockedBy]}\n",
        "    edges: {field: dependencies, to: depends_on_id, type: type, types: {blocks: depends_on, parent-child: parent}}\n",
        "    no_pack: {status: [tombstone]}\n",
        "  - include: [\"keps/**/kep.yaml\"]\n",
        "    id: \"{dir}\"\n",
        "    body_file: README.md\n",
        "    prefixes: [BACK-, task-]\n",
        "done_statuses: [done, 4.10]\n",
        "adrs: {include: [\"docs/adr/**/*.md\"], excerpt: {headings: [Status], max_lines: 7}}\n",
        "github: {repo: owner/name, host: GitHub.com, snapshot: .contextpack/github, comments: 0}\n",
        "profiles:\n",
        "  coding: {instructions: instructions/coding.md, budget: {max_tokens: 8000, margin: 15%, strategy: truncate_tail}}\n",
        "  docs: {priority: [documents], adr_refs_of: [root, blocked_by, parent], sections_of: [related], leave_out: [comments]}\n",
        "redaction: {allow: [{rule: jwt, path: \"docs/**\"}], rules: [{name: ticket, pattern: 'T-\\d+', keywords: Ticket}], deny_paths: [\"*.secret\", \"!a.key\", private/]}\n",
        "output: {dir: out/packs, profiles: [coding, docs], markdown: false}\n",
        "warnings: {dangling-reference: deny, cycle: allow}\n",
    ));
    let eips = &settings.work_items[0];
    assert_eq!(format!("{:?}", eips.id.as_ref().unwrap().parts), "[Text(\"EIP-\"), Hole(\"eip\")]");
    assert_eq!(*eips.fields["depends_on"], ["requires"]);
    let beads = settings.work_items[1].edges.as_ref().unwrap();
    assert_eq!(beads.types["parent-child"].name(), "parent");
    assert_eq!(settings.roots.only().nth(1).unwrap(), ("state", &["open".to_owned()][..]));
    assert!(settings.roots.include[0].is_match("feat:a/b") && !settings.roots.include[0].is_match("task:a"));
    assert_eq!(settings.done_statuses, ["done", "4.10"]);
    assert_eq!(settings.github.host, "github.com");

    let coding = &settings.profiles["coding"];
    assert_eq!(format!("{:?}", coding.instructions), "File(\"instructions/coding.md\")");
    let budget = &coding.budget;
    assert_eq!((budget.max_chars, budget.max_tokens, budget.margin, budget.root_share), (None, Some(8000), 15, 70));
    assert_eq!(budget.strategy.name(), "truncate_tail");
    let docs = &settings.profiles["docs"];
    assert_eq!((docs.name.as_str(), docs.budget.max_chars), ("docs", Some(20_000)));
    assert_eq!(format!("{:?}", &docs.priority[..4]), "[Knowledge, Cards, Documents, Parent]");
    assert_eq!((docs.priority.len(), format!("{:?}", docs.adr_refs_of)), (13, "[Parent, BlockedBy]".to_owned()));
    assert_eq!(settings.redaction.rules[0].keywords, ["ticket"]);
    assert_eq!(format!("{:?}", settings.warnings[&Code::DanglingReference]), "Deny");
}

#[test]
fn another_version_is_named_alone_and_says_how_to_get_it() {
    let found = load("contextpack.yml", Some("required_version: \"0.9\"\nfuture: 1\n")).unwrap_err();
    assert_eq!((found.len(), found[0].code), (1, Code::RequiredVersion));
    assert!(found[0].help.as_ref().unwrap().contains("check out the commit of version 0.9"));
    for (required, matches) in [("0", true), ("0.1", true), ("0.1.0", true), ("0.10", false), ("0.1.0-rc.1", false)] {
        let read = load("contextpack.yml", Some(&format!("required_version: \"{required}\"\n")));
        assert_eq!(read.is_ok(), matches, "{required}");
    }
}

#[test]
fn hostile_values_are_refused() {
    for text in [
        format!("work_items: [{{include: '{}'}}]\n", "{".repeat(100_000)),
        format!("redaction: {{rules: [{{name: a, pattern: '{}'}}]}}\n", "(".repeat(100_000)),
        format!("redaction: {{rules: [{{name: a, pattern: '{}'}}]}}\n", "(".repeat(5_000)),
        format!("work_items: [{{include: a, id: '{}'}}]\n", "{".repeat(100_001)),
        format!("{}: 1\n", "x".repeat(1000)),
    ] {
        let found = wrong(&text);
        assert!(!found.is_empty() && found[0].1.len() < 300, "{found:?}");
    }
}

#[test]
fn that_there_may_be_more_faulty_values_is_reported() {
    let budget = |n: usize| format!("  p{n}: {{budget: {{max_chars: x}}}}\n");
    let found = wrong(&("profiles:\n".to_owned() + &(0..60).map(budget).collect::<String>()));
    assert_eq!(found.len(), 51);
    let more: Vec<_> = found.iter().filter(|(_, message, _)| message.contains("may be more")).collect();
    assert!(matches!(more[..], [(_, _, help)] if !help.is_empty()), "{more:?}");
}

#[test]
fn many_values_are_checked_quickly() {
    let many = |begin: &str, each: &dyn Fn(usize) -> String, end: &str| {
        begin.to_owned() + &(0..40_000).map(each).collect::<String>() + end
    };
    for text in [
        many("", &|n| format!("setting{n}: 1\n"), ""),
        many("warnings:\n", &|n| format!("  dangling{n}: warn\n"), ""),
        many("profiles:\n", &|n| format!("  P{n}: {{}}\n"), ""),
        many("work_items:\n- include: a\n  fields:\n", &|n| format!("    depends{n}: a\n"), ""),
        many("work_items: [{include: [", &|n| format!("'**/a{n}*/b',"), "]}]\n"),
        many("roots: {include: [", &|n| format!("'a{n}*',"), "]}\n"),
    ] {
        let start = Instant::now();
        assert!(!wrong(&text).is_empty());
        assert!(start.elapsed() < Duration::from_secs(60), "{}", &text[..40]);
    }
}

#[test]
fn a_file_outside_the_repo_is_shown_by_its_name() {
    let found = load("/somewhere/else/pack.yml", Some("x: 1\n")).unwrap_err();
    assert_eq!(found[0].at.as_ref().unwrap().to_string(), "pack.yml:1:1");
}

fn fine(redaction: &str) -> RedactionSettings {
    let text = format!("redaction: {redaction}\n");
    load("contextpack.yml", Some(&text)).unwrap_or_else(|e| panic!("{text}{e:#?}")).redaction
}

#[test]
fn ordinary_patterns_and_exceptions_are_let_through() {
    for pattern in [
        "[0-9a-f]{128}",
        "KEY-[A-Z0-9]{200}",
        "[A-Za-z0-9_-]{20,90}",
        "(?i)token.{0,40}[0-9a-f]{40}",
        "KEY=(\\S*)",
        "\\bx+\\b",
    ] {
        fine(&format!("{{rules: [{{name: own, pattern: '{pattern}'}}]}}"));
    }
    let digest = "0f".repeat(32);
    for entry in [
        "{path: tests/fixtures/**}".to_owned(),
        "{path: '**/fixtures/*.md'}".to_owned(),
        "{rule: jwt, path: '**'}".to_owned(),
        format!("{{sha256: 'sha256:{}'}}", digest.to_uppercase()),
    ] {
        assert_eq!(fine(&format!("{{allow: [{entry}]}}")).allow.len(), 1, "{entry}");
    }
    fine("{rules: [{name: own, pattern: x}], allow: [{rule: own}]}");
    fine("{deny_paths: [private/, './x.md', '*.bak', '!docs/x.pem', '!*.example.key', 'a\\ b', '{a,b}.txt']}");
    let settings = fine("{rules: [{name: a, pattern: x, keywords: [Ticket, Schlüssel]}], deny_paths: private/**}");
    assert_eq!(settings.rules[0].keywords, ["ticket", "SCHLÜSSEL", "schlüssel"]);
}

#[test]
fn patterns_and_globs_are_bounded_together() {
    let rules: String = (0..11).map(|n| format!("{{name: r{n}, pattern: '{}'}}, ", "x".repeat(1900))).collect();
    let globs: String = (0..200).map(|n| format!("{{path: '{}/{n}/**'}}, ", "a".repeat(600))).collect();
    for (text, most) in [(format!("rules: [{rules}]"), "20000"), (format!("allow: [{globs}]"), "100000")] {
        let text = format!("redaction:\n  {text}\n");
        let found = load("contextpack.yml", Some(&text)).unwrap_err();
        assert_eq!((found.len(), found[0].at.as_ref().unwrap().line), (1, Some(2)));
        assert!(found[0].message.contains(&format!("more than {most}")), "{found:?}");
    }
}

/// The worst patterns that are let through take time in proportion to the text; debug builds are slow.
#[test]
fn the_worst_patterns_are_searched_in_linear_time() {
    let text: Vec<u8> = (0..100_000_u32).map(|n| b"ab"[(n.wrapping_mul(2_654_435_761) >> 16) as usize % 2]).collect();
    for pattern in ["a[ab]{95}c", "[ab]*a[ab]{95}c", "[ab]{990}c", "(?:(a)|(b)){240}c"] {
        let rules = fine(&format!("{{rules: [{{name: own, pattern: '{pattern}'}}]}}")).rules;
        let started = Instant::now();
        assert_eq!(rules[0].pattern.find_iter(&text).count(), 0);
        let each = started.elapsed().as_nanos() / text.len() as u128;
        assert!(each < 30_000, "{pattern}: {each} ns a byte");
    }
}

#[test]
fn names_are_denied_at_any_depth_in_any_case() {
    let mut list = DenyList::new(&[]).unwrap();
    for line in include_str!("../cases/denied.txt").lines().filter(|line| !line.starts_with('#')) {
        match line.split_once(' ') {
            Some((sign @ ("-" | "+"), path)) => {
                assert_eq!(list.denies(&RepoPath::new(path).unwrap()), sign == "-", "{path} with {list:?}");
            }
            _ if line.is_empty() => {}
            _ => list = DenyList::new(&line.split(" | ").map(str::to_owned).collect::<Vec<_>>()).unwrap(),
        }
    }
}

#[test]
fn patterns_that_could_match_nothing_are_errors() {
    for bad in ["", "!", "/", "a[", "a\\", "../x", "{a", &"{a,b}".repeat(12), &"{".repeat(999), &"x".repeat(2000)] {
        let list = DenyList::new(&["fine".to_owned(), bad.to_owned()]);
        assert_eq!(list.unwrap_err().0, 1, "{bad}");
    }
}

#[test]
fn a_schedule_has_five_fields_in_utc_and_weeks_begin_on_monday() {
    let job = |schedule: &str| {
        let text = format!("jobs: {{a: {{agent: a, instructions: a.md, schedule: '{schedule}'}}}}\n");
        load("contextpack.yml", Some(&text)).map(|mut settings| settings.jobs.remove("a").unwrap().schedule.unwrap())
    };
    // A Sunday.
    let sunday = 1_795_305_600;
    let schedule = job("0 7 * * 1-5").unwrap();
    assert_eq!(job(" 0  7 * * 1-5 ").unwrap().written, schedule.written);
    assert_eq!(schedule.next(sunday).as_deref(), Some("2026-11-23T07:00:00Z"));
    for wrong in ["", "0 7 * *", "0 0 7 * * 1", "a b c d e"] {
        assert!(job(wrong).is_err(), "{wrong}");
    }
    for (wrong, why) in [
        ("0 25 * * 1-5", "the hour `25`: "),
        ("61 7 * * *", "the minute `61`: "),
        ("0 7 32 * *", "the day of the month `32`: "),
        ("0 7 * 13 *", "the month `13`: "),
        ("0 7 * * 1-9", "the day of the week `1-9`: "),
        ("0 7 31 2 *", "it never comes"),
        ("0 7 31 2,4,6 *", "it never comes"),
    ] {
        let faults = job(wrong).unwrap_err();
        assert!(faults[0].message.contains(why), "{wrong}: {faults:?}");
    }
    for right in ["0 0 29 2 *", "0 0 31 2 1", "0 0 31 */2 *"] {
        assert!(job(right).is_ok(), "{right}");
    }
}
