//! A secret planted anywhere reaches no byte of any output.

use super::sandbox::{Run, Sandbox};
use std::fmt::Write as _;

/// Kinds of secrets, each with the place's number in it so that a leak names its place.
/// They are put together here, since no file of this repo may look as if it held one.
struct Kind {
    name: &'static str,
    make: fn(usize) -> String,
    /// The part that must not be seen.
    seen: fn(usize) -> String,
}

/// 36 characters without meaning that differ for every number.
fn jumble(number: usize) -> String {
    const ALPHABET: &[u8; 62] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
    let mut state = number as u64 * 7_919 + 12_345;
    let mut text = String::new();
    for _ in 0..36 {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        text.push(char::from(ALPHABET[(state >> 33) as usize % 62]));
    }
    text
}

const KINDS: [Kind; 8] = [
    Kind { name: "github", make: |n| format!("ghp{}{}", "_", jumble(n)), seen: jumble },
    Kind {
        name: "slack",
        make: |n| format!("xox{}-1234567890-1234567890-{}", "b", &jumble(n)[..24]),
        seen: |n| jumble(n)[..24].to_owned(),
    },
    Kind { name: "aws", make: |n| format!("AK{}{}", "IA", base32(n)), seen: base32 },
    Kind {
        name: "anthropic",
        make: |n| format!("sk-{}-api03-{}{}-{}AA", "ant", jumble(n), jumble(n + 500), &jumble(n + 900)[..20]),
        seen: jumble,
    },
    Kind {
        name: "gitlab",
        make: |n| format!("glp{}-{}", "at", &jumble(n)[..20]),
        seen: |n| jumble(n)[..20].to_owned(),
    },
    Kind { name: "npm", make: |n| format!("np{}{}", "m_", jumble(n)), seen: jumble },
    Kind {
        name: "stripe",
        make: |n| format!("sk{}{}", "_live_", &jumble(n)[..24]),
        seen: |n| jumble(n)[..24].to_owned(),
    },
    Kind {
        name: "jwt",
        // Long, so that what cuts texts before they are cleaned is found out.
        make: |n| {
            format!("ey{}.ey{}{}.{}{}", "JhbGciOiJIUzI1NiJ9", "JzdWIiOiI", jumble(n), jumble(n + 500), jumble(n + 900))
        },
        seen: |n| jumble(n)[..20].to_owned(),
    },
];

fn base32(number: usize) -> String {
    jumble(number)
        .to_uppercase()
        .chars()
        .map(|c| if matches!(c, '0' | '1' | '8' | '9') { 'Q' } else { c })
        .take(16)
        .collect()
}

/// A repo with a secret of one kind in every place that a text may come from.
struct Planted<'a> {
    kind: &'a Kind,
    count: usize,
}

impl Planted<'_> {
    fn next(&mut self) -> String {
        self.count += 1;
        (self.kind.make)(self.count)
    }
}

fn plant(kind: &Kind) -> (Sandbox, Vec<String>, usize) {
    let mut s = Planted { kind, count: 0 };
    let mut files: Vec<(String, String)> = Vec::new();

    // Every field of the root and of a neighbour, in front matter.
    for (id, more) in [("a-root", "children: [b-child]\n"), ("b-child", "")] {
        let mut text = format!("---\nid: {id}\n{more}");
        for field in [
            "type",
            "title",
            "status",
            "labels",
            "priority",
            "size",
            "risk",
            "area",
            "estimate_hrs",
            "assignees",
            "custom",
            "issue",
            "acceptance_criteria",
        ] {
            let _ = writeln!(text, "{field}: \"{field} {}\"", s.next());
        }
        let _ = writeln!(text, "list: [\"{}\", \"x {}\"]", s.next(), s.next());
        let _ = writeln!(text, "nested: {{key: \"{}\", \"{}\": value}}", s.next(), s.next());
        let _ = writeln!(text, "\"{}\": \"top key\"", s.next());
        let _ = writeln!(text, "depends_on: [\"{}\", \"see {}\"]\nrelated: \"{}\"", s.next(), s.next(), s.next());
        let _ = writeln!(text, "adrs: [\"docs/adr/{}.md\", \"docs/adr/0001-one.md\"]", s.next());
        let _ = writeln!(text, "docs: [\"docs/{}.md\", \"../{}\", \"docs/guide.md#{}\"]", s.next(), s.next(), s.next());
        let _ = write!(text, "---\n\n# Heading {}\n\nProse {} here, `code {}`.\n\n", s.next(), s.next(), s.next());
        let _ = write!(text, "## Goal {}\n\n```sh\nexport X={}\n```\n\n> quote {}\n\n", s.next(), s.next(), s.next());
        let _ = write!(
            text,
            "- [ ] {} #12\n- depends on {}\n\n[link]({}) [{}](docs/guide.md \"{}\")\n\n",
            s.next(),
            s.next(),
            s.next(),
            s.next(),
            s.next()
        );
        let _ = write!(
            text,
            "| {} | b |\n|---|---|\n| {} | d |\n\n<!-- {} --> <b title=\"{}\">\n\n",
            s.next(),
            s.next(),
            s.next(),
            s.next()
        );
        let _ = write!(
            text,
            "See docs/adr/{}.md and https://example.org/{}?token={}\n\n[ref]: {}\n",
            s.next(),
            s.next(),
            s.next(),
            s.next()
        );
        files.push((format!("work_items/{id}.md"), text));
    }
    // Whole items in the other formats, also with the secret as id, key and file name.
    files.push((
        "work_items/c.yml".to_owned(),
        format!(
            "id: c-yaml\ntitle: {}\nbody: |\n  text {}\nparent: a-root\n# comment {}\nmap: {{a: &x {}, b: *x}}\n",
            s.next(),
            s.next(),
            s.next(),
            s.next()
        ),
    ));
    files.push((
        "work_items/d.json".to_owned(),
        format!(
            "{{\"id\": \"d-json\", \"title\": \"{}\", \"body\": \"{}\", \"{}\": {{\"{}\": [\"{}\"]}}}}",
            s.next(),
            s.next(),
            s.next(),
            s.next(),
            s.next()
        ),
    ));
    files.push((
        "work_items/e.jsonl".to_owned(),
        format!("{{\"id\": \"e-1\", \"title\": \"{}\"}}\n{{\"id\": \"{}\", \"title\": \"id\", \"depends_on\": [\"e-1\"]}}\n{{\"id\": broken {}\n", s.next(), s.next(), s.next()),
    ));
    files.push((
        format!("work_items/{}.md", s.next()),
        format!("---\ntitle: named\nparent: a-root\n---\n{}\n", s.next()),
    ));
    files
        .push((format!("work_items/{}/f.md", s.next()), "---\nid: f-1\nparent: a-root\n---\nin a folder\n".to_owned()));
    files.push(("work_items/no-front-matter.md".to_owned(), format!("# {}\n\ntext {}\n", s.next(), s.next())));
    // Files that are not what they should be: their texts land in diagnostics.
    for (name, text) in [
        ("bad-1.yml", format!("id: x\n{}: [unclosed\n", s.next())),
        ("bad-2.yml", format!("id: y\nk: &{} v\nj: *{}\n", s.next(), s.next())),
        ("bad-3.yml", format!("\"{0}\": 1\n\"{0}\": 2\n", s.next())),
        ("bad-4.yml", format!("!{} {{}}\n@{}\n", s.next(), s.next())),
        ("bad-1.json", format!("{{\"id\": \"z\", {} : 1}}", s.next())),
        ("bad-2.json", format!("{{\"{0}\": 1, \"{0}\": 2}}", s.next())),
        ("bad-3.json", format!("{}\n", s.next())),
        ("bad-4.json", format!("{{\"id\": \"n\", \"parent\": {{\"{}\": 1}}}}", s.next())),
        ("bad-1.md", format!("---\nid: fm\ntitle: @{}\nreporter: @{}: {}\n---\nbody\n", s.next(), s.next(), s.next())),
        ("bad-2.md", format!("---\nid: {{{}}}\nparent: [[{}]]\n---\nbody\n", s.next(), s.next())),
    ] {
        files.push((format!("work_items/{name}"), text));
    }
    // Twice the same id, a cycle, several parents, with secrets in their names.
    let id = s.next();
    for n in 1..3 {
        files.push((format!("work_items/dup-{n}.md"), format!("---\nid: {id}\ndepends_on: [{id}]\n---\nx\n")));
    }
    // Documents, by reference.
    files.push((
        "docs/adr/0001-one.md".to_owned(),
        format!(
            "---\nstatus: {}\n---\n\n# ADR {}\n\n## Status\n\nsuperseded by {}\n\n## Decision {}\n\n{}\n",
            s.next(),
            s.next(),
            s.next(),
            s.next(),
            s.next()
        ),
    ));
    files.push((
        "docs/guide.md".to_owned(),
        format!("# Guide {}\n\n{}\n\n## Part {}\n\n{}\n", s.next(), s.next(), s.next(), s.next()),
    ));
    let name = s.next();
    files.push((format!("docs/{name}-doc.md"), format!("# {}\n", s.next())));
    files.push((format!("docs/adr/0002-{name}.md"), format!("# {}\n\nStatus: {}\n", s.next(), s.next())));
    files.push((
        "work_items/z-refs.md".to_owned(),
        format!("---\nid: z-refs\n---\nSee docs/{name}-doc.md, docs/adr/0002-{name}.md, ADR-2, ADR-{}.\n", s.next()),
    ));
    // What the configuration sends into packs.
    files.push(("instructions/own.md".to_owned(), format!("# Do {}\n\nas {} says\n", s.next(), s.next())));
    files.push((
        "contextpack.yml".to_owned(),
        format!(
            "version: 1\nadrs: {{include: [\"docs/adr/**/*.md\"]}}\nwork_items:\n  - include: [\"work_items/**\"]\n    fields: {{area: \"{}\"}}\n  - include: [\"{}/*.md\"]\n    id: \"{}-{{id}}\"\n    prefixes: [\"{}\"]\nroots: {{exclude: {{status: [\"{}\"]}}}}\ndone_statuses: [\"{}\"]\nredaction:\n  rules: [{{name: own, pattern: \"OWN-{}\", keywords: [\"{}\"], reason: \"as {} says\"}}]\n  deny_paths: [\"{}\"]\nprofiles:\n  own: {{instructions: instructions/own.md, budget: {{max_chars: 9000}}}}\noutput: {{profiles: [coding, own]}}\n",
            s.next(), s.next(), s.next(), s.next(), s.next(), s.next(), s.next(), s.next(), s.next(), s.next()
        ),
    ));
    let sandbox = Sandbox::configured(&[]);
    for (path, text) in &files {
        sandbox.write(path, text);
    }
    (sandbox, files.into_iter().map(|(path, _)| path).collect(), s.count)
}

/// Fails where a text holds a planted secret, in any case: ids become file names in lower case.
fn clean(kind: &Kind, count: usize, whence: &str, text: &str) {
    let text = text.to_lowercase();
    for number in 1..=count {
        let secret = (kind.seen)(number).to_lowercase();
        if let Some(at) = text.find(&secret) {
            let from = (0..=at.saturating_sub(200)).rev().find(|at| text.is_char_boundary(*at)).unwrap();
            panic!("{}: secret {number} leaks in {whence}: …{}", kind.name, &text[from..at + secret.len()]);
        }
    }
}

#[test]
fn no_planted_secret_reaches_any_output() {
    // Each kind has a repo of its own, and runs of the program mostly wait.
    std::thread::scope(|scope| {
        for kind in &KINDS {
            scope.spawn(|| none_leaks(kind));
        }
    });
}

fn none_leaks(kind: &Kind) {
    let (sandbox, files, count) = plant(kind);
    let ran = |args: &[&str]| {
        let ran = sandbox.run(args);
        clean(kind, count, &format!("{args:?} on stdout"), &ran.stdout);
        clean(kind, count, &format!("{args:?} on stderr"), &ran.stderr);
        ran
    };
    let built = ran(&["build", "-v"]);
    assert!(built.stdout.contains("packs/a-root.coding.json"), "{}", built.stderr);
    let packs = sandbox.packs();
    assert!(packs.len() >= 12, "{packs:?}");
    let mut removed = 0;
    for (name, bytes) in &packs {
        clean(kind, count, "a pack's name", name);
        let text = std::str::from_utf8(bytes).unwrap();
        clean(kind, count, name, text);
        // JSON may spell a character by its number.
        let value: serde_json::Value = serde_json::from_str(text).unwrap();
        removed += value["redactions"].as_array().unwrap().len();
        assert_eq!(contextpack::internals::review::verify(bytes).violations, Vec::<String>::new(), "{name}");
    }
    assert!(removed > 40, "{}: {removed} removals", kind.name);
    for format in ["text", "json", "markdown", "github"] {
        for args in [&["build"][..], &["list"], &["explain", "a-root"], &["check"], &["verify", "packs"]] {
            ran(&[args, &["--format", format]].concat());
        }
    }
    for root in ["a-root", "b-child", "c-yaml", "d-json", "e-1", "f-1", "z-refs"] {
        for profile in ["coding", "own"] {
            ran(&["render", root, "-p", profile]);
            ran(&["explain", root, "-p", profile]);
        }
    }
    ran(&["build", "--max-chars", "300", "-v"]);
    ran(&["build", "--strict"]);
    ran(&["build", "a-rot"]);
    ran(&["redact", "--rules"]);
    for args in [&["redact"][..], &["redact", "--report"], &["redact", "--report", "--format", "json"]] {
        ran(&[args, &files.iter().map(String::as_str).collect::<Vec<_>>()].concat());
    }
    for (path, _) in sandbox.files() {
        // Besides what was planted there are packs and whatever state the program keeps.
        if !files.contains(&path) {
            clean(kind, count, "a file's name", &path);
            clean(kind, count, &path, &String::from_utf8_lossy(&std::fs::read(sandbox.path(&path)).unwrap()));
        }
    }
}

#[test]
fn a_secret_in_a_wrong_configuration_is_not_printed() {
    for kind in &KINDS {
        let secret = |n| (kind.make)(n);
        for text in [
            format!("version: {}\n", secret(1)),
            format!("{}: 1\n", secret(1)),
            format!("roots: {{labels: [{}\n", secret(1)),
            format!("output: {{dir: \"../{}\"}}\n", secret(1)),
            format!("profiles: {{\"{}\": {{}}}}\n", secret(1)),
            format!("profiles: {{coding: {{instructions: \"{}\"}}}}\n", secret(1)),
            format!("redaction: {{rules: [{{name: x, pattern: \"({}\"}}]}}\n", secret(1)),
            format!("warnings: {{\"{}\": deny}}\n", secret(1)),
        ] {
            let sandbox =
                Sandbox::configured(&[("contextpack.yml", &text), ("work_items/a.md", "---\nid: a\n---\nx\n")]);
            for format in ["text", "json", "github"] {
                let Run { stdout: out, stderr: err, code } = sandbox.run(&["build", "--format", format]);
                clean(kind, 1, &format!("stdout for {text}"), &out);
                clean(kind, 1, &format!("stderr for {text}"), &err);
                assert!(code == 2 || code == 3, "{code}: {text}{err}");
            }
        }
    }
}

#[test]
fn a_value_of_the_environment_stops_its_pack_and_is_not_printed() {
    let value = "q7Rt5Kx9wZ1c3";
    let mut sandbox = Sandbox::configured(&[
        ("work_items/a.md", "---\nid: a\ntitle: A\n---\nfirst\n"),
        ("work_items/b.md", "---\nid: b\ntitle: B\n---\nsecond\n"),
    ]);
    sandbox.set_variable("DEPLOY_TOKEN", value);
    assert_eq!(sandbox.run(&["build"]).code, 0);
    let old = sandbox.packs();
    for text in [
        format!("---\nid: a\ntitle: A\n---\nlog in with {value} now\n"),
        format!("---\nid: a\ntitle: \"{value}\"\n---\nx\n"),
        format!("---\nid: a\ntitle: A\nnote: \"say {value}\"\n---\nx\n"),
        format!("---\nid: a\ntitle: A\nlabels: [{value}]\n---\nx\n"),
        format!("---\nid: a\ntitle: A\nchildren: [{value}]\n---\nx\n"),
    ] {
        sandbox.write("work_items/a.md", &text);
        sandbox.write("work_items/b.md", format!("---\nid: b\ntitle: B\n---\nchanged {}\n", text.len()));
        for format in ["text", "json", "github"] {
            let ran = sandbox.run(&["build", "--format", format, "-v"]);
            assert_eq!(ran.code, 3, "{text}{}", ran.stderr);
            for said in [&ran.stdout, &ran.stderr] {
                assert!(!said.contains(value), "{said}");
            }
            let said = [ran.stdout, ran.stderr].concat();
            assert!(said.contains("environment-secret") && said.contains("DEPLOY_TOKEN"), "{said}");
        }
        let packs = sandbox.packs();
        assert!(packs[0] == old[0], "the old pack of `a` stays");
        assert!(packs[1] != old[1], "the pack of `b` is built");
        for args in [&["render", "a"][..], &["explain", "a"], &["build", "a", "--out", "-"], &["list"], &["check"]] {
            let ran = sandbox.run(args);
            assert!(
                !ran.stdout.contains(value) && !ran.stderr.contains(value),
                "{args:?}: {}{}",
                ran.stdout,
                ran.stderr
            );
        }
    }
}
