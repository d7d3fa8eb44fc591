//! Schemas, help texts and documentation agree with the code.

use crate::golden::bless;
use crate::sandbox::Sandbox;
use contextpack::internals::model::Code;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn project(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

fn text(path: &str) -> String {
    fs::read_to_string(project(path)).unwrap_or_else(|error| panic!("{path}: {error}")).replace("\r\n", "\n")
}

#[test]
fn the_schemas_in_the_repo_are_the_ones_that_the_program_prints() {
    let sandbox = Sandbox::new();
    for kind in [
        "pack",
        "config",
        "work-item",
        "card",
        "box",
        "batch-file",
        "batch",
        "batch-claim",
        "batch-report",
        "batch-event",
        "batch-result",
        "inbox-request",
        "inbox-claim",
        "inbox-response",
        "inbox-event",
        "output",
    ] {
        let printed = sandbox.expect(0, &["schema", kind]);
        let path = format!("schema/{kind}.schema.json");
        if bless() {
            fs::create_dir_all(project("schema")).unwrap();
            fs::write(project(&path), &printed).unwrap();
        }
        assert!(text(&path) == printed, "{path} is stale: accept with CONTEXTPACK_BLESS=1");
        let schema: serde_json::Value = serde_json::from_str(&printed).unwrap();
        assert_eq!(schema["$schema"], "https://json-schema.org/draft/2020-12/schema");
        let mut bare = Vec::new();
        undescribed(&schema, kind, &mut bare);
        assert_eq!(bare, Vec::<String>::new(), "fields without a description");
    }
}

/// Fields of a schema that say nothing of themselves.
fn undescribed(schema: &serde_json::Value, at: &str, found: &mut Vec<String>) {
    if let Some(fields) = schema["properties"].as_object() {
        for (name, field) in fields {
            if field["description"].as_str().is_none_or(str::is_empty) {
                found.push(format!("{at}.{name}"));
            }
        }
    }
    if let Some(definitions) = schema["$defs"].as_object() {
        definitions.iter().for_each(|(name, definition)| undescribed(definition, &format!("{at}/{name}"), found));
    }
}

#[test]
fn every_code_has_its_page_and_every_page_its_code() {
    let folder = project("docs/diagnostics");
    let pages: BTreeSet<String> = fs::read_dir(&folder)
        .unwrap_or_else(|error| panic!("docs/diagnostics: {error}"))
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name != "README.md" && name != "index.md")
        .collect();
    let codes: BTreeSet<String> = Code::ALL.iter().map(|code| format!("{}.md", code.name())).collect();
    assert_eq!(pages, codes);
    let schema = text("schema/config.schema.json");
    for code in Code::ALL {
        let page = text(&format!("docs/diagnostics/{}.md", code.name()));
        let title = page.lines().next().unwrap_or_default();
        assert!(title.starts_with("# ") && title.contains(code.name()), "the title of {code} is `{title}`");
        let meaning = page.split("\n\n").nth(1).unwrap_or_default().replace('\n', " ");
        let described = format!("\"description\": {}", serde_json::Value::from(meaning.trim()));
        assert!(schema.contains(&described), "{code} has another meaning on its page");
    }
}

#[test]
fn the_commands_of_the_readme_are_those_that_ci_runs() {
    let (readme, ci) = (text("README.md"), text(".ci/run"));
    let commands: Vec<&str> = readme
        .lines()
        .map(|line| line.trim().trim_start_matches("$ "))
        .filter(|line| line.starts_with("cargo test") || line.starts_with("cargo run") && line.contains(" build"))
        .map(|line| line.split(" #").next().unwrap_or(line).trim())
        .collect();
    assert!(!commands.is_empty(), "README.md names no command");
    for command in commands {
        assert!(ci.contains(command), "README.md says `{command}`, which .ci/run does not run");
    }
}

/// Runs the program in this repo, with nothing of the environment but what a program needs to start.
fn here(args: &[&str]) -> std::process::Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_contextpack"));
    command.current_dir(project(".")).env_clear().env("HOME", project("target"));
    for name in ["PATH", "SystemRoot", "TEMP", "TMP"] {
        if let Some(value) = std::env::var_os(name) {
            command.env(name, value);
        }
    }
    command.args(args).output().unwrap()
}

#[test]
fn the_examples_of_the_readme_are_what_the_program_prints() {
    let readme = text("README.md");
    let mut examples = 0;
    for block in readme.split("```text\n").skip(1).filter_map(|rest| rest.split("```").next()) {
        let mut lines = block.lines();
        let Some(args) = lines.next().and_then(|line| line.strip_prefix("$ contextpack ")) else { continue };
        let output = String::from_utf8(here(&args.split(' ').collect::<Vec<_>>()).stdout).unwrap();
        examples += 1;
        for line in lines.filter(|line| line.trim() != "[…]") {
            // Whatever stands around a cut stands in one line of the output, in that order.
            let holds = |printed: &str| {
                let mut rest = printed;
                line.split("[…]").all(|piece| {
                    let found = rest.find(piece.trim());
                    rest = found.map_or("", |at| &rest[at + piece.trim().len()..]);
                    found.is_some()
                })
            };
            assert!(output.lines().any(holds), "README.md shows `{line}`, `contextpack {args}` does not print it");
        }
    }
    assert!(examples >= 2, "README.md has {examples} examples");
}

#[test]
fn the_packs_of_this_repo_are_fresh() {
    assert!(project("contextpack.yml").is_file(), "this repo has no contextpack.yml");
    let output = here(&["check"]);
    let said = [&output.stdout[..], &output.stderr].concat();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&said));
    assert!(project("packs").is_dir(), "this repo has no packs");
}

#[test]
fn every_command_of_the_help_has_help_with_examples_and_exit_codes() {
    let sandbox = Sandbox::new();
    let help = sandbox.expect(0, &["--help", "--all"]);
    let groups = help.split("\n\n`contextpack --help --all`").next().unwrap();
    let commands: Vec<&str> = groups.lines().filter_map(|line| line.strip_prefix("  ")).collect();
    let mut seen = 0;
    for name in commands.iter().filter_map(|line| line.split_whitespace().next()) {
        let help = sandbox.expect(0, &[name, "--help"]);
        assert!(help.contains("Examples:\n") && help.contains("Exit codes:\n"), "contextpack {name} --help:\n{help}");
        seen += 1;
    }
    assert!(seen >= 16, "{help}");
}

/// Ways to install a program by its name from somewhere where names are free to take.
const BY_NAME: &str = r"(?i)\b(cargo\s+(\+\S+\s+)?(b?install|quickinstall|add)|npx|npm\s+(i|install|exec)|pnpm\s+(add|dlx)|yarn\s+(add|dlx)|bunx|pip3?\s+install|pipx\s+(run|install)|uvx|uv\s+tool|brew\s+install|go\s+(install|run)|gem\s+install|docker\s+(run|pull)|winget\s+install|scoop\s+install|choco\s+install|apt(-get)?\s+install)\b";

#[test]
fn nothing_installs_this_program_by_a_name_that_anybody_could_register() {
    let by_name = regex::Regex::new(BY_NAME).unwrap();
    let installs = |line: &str| {
        let found = by_name.find(line)?;
        let rest = line[found.end()..].split(['`', '\n', ';', '&', '|']).next().unwrap_or_default();
        let pinned = rest.contains("--path") || rest.contains("--git") && rest.contains("--rev");
        let words = rest.split(|c: char| !c.is_ascii_alphanumeric() && !"-_./@=".contains(c));
        let named = words.into_iter().any(|word| word.split(['@', '=']).next() == Some("contextpack"));
        (named && !pinned).then(|| line.to_owned())
    };
    assert!(installs(&["cargo install", "contextpack --locked"].join(" ")).is_some());
    assert!(installs(&["run `cargo binstall", "contextpack@0.1.0` now"].join(" ")).is_some());
    assert!(installs("cargo install --locked --git \"$URL\" --rev \"$SHA\" contextpack").is_none());
    let mut found = Vec::new();
    for folder in ["src", "docs", ".github", ".ci"] {
        for (path, bytes) in crate::sandbox::files(&project(folder)) {
            let text = String::from_utf8_lossy(&bytes).into_owned();
            found.extend(text.lines().filter_map(installs).map(|line| format!("{folder}/{path}: {line}")));
        }
    }
    found.extend(text("README.md").lines().filter_map(installs));
    let sandbox = Sandbox::with(&[("contextpack.yml", "required_version: \"9.9\"\n")]);
    let run = sandbox.run(&["build"]);
    found.extend((run.stdout + &run.stderr).lines().filter_map(installs));
    assert_eq!(found, Vec::<String>::new());
}

#[test]
fn the_workflows_and_the_action_pin_what_they_use() {
    let mut files = crate::sandbox::files(&project(".github"));
    files.extend(crate::sandbox::files(&project("src/init/templates")));
    let whole = regex::Regex::new(r"^[a-z-]+/[a-z/-]+@[0-9a-f]{40} # v[0-9.]+$").unwrap();
    for (path, bytes) in files {
        let text = String::from_utf8_lossy(&bytes);
        for line in text.lines().filter(|_| path.ends_with(".yml")) {
            let used = line.trim_start().trim_start_matches("- ").strip_prefix("uses: ");
            // A workflow beside it is of the same commit.
            let is_pinned = |used: &str| whole.is_match(used) || used.starts_with("./.github/workflows/");
            assert!(used.is_none_or(is_pinned), "{path}: {line}");
            assert!(!line.contains("pull_request_target") && !line.contains("write-all"), "{path}: {line}");
            let cargo = line.contains("cargo install") || line.contains(" install --");
            assert!(!cargo || line.contains("--locked"), "{path}: {line}");
        }
    }
    let release = text(".github/workflows/release.yml");
    assert!(!release.contains("actions/cache") && !release.contains("rust-cache"), "{release}");
}

#[test]
fn the_security_policy_stands_where_github_finds_it_and_its_links_lead_somewhere() {
    let policy = text(".github/SECURITY.md");
    assert!(policy.contains("*Report a vulnerability*") && policy.contains("## Supported versions"));
    let links = regex::Regex::new(r"\]\(\.\./([^)#]+)").unwrap();
    for link in links.captures_iter(&policy) {
        assert!(project(&link[1]).exists(), "{}", &link[1]);
    }
}

#[test]
fn the_page_names_groups_and_kinds_of_texts_as_stats_does() {
    let (page, stats) = (text("src/review/report/page/overview.js"), text("src/review/stats.rs"));
    let kinds = page.split("function kindsOf").nth(1).unwrap().split("\n}").next().unwrap();
    let quoted = regex::Regex::new(r#""([a-z]+)""#).unwrap();
    let named = regex::Regex::new(r#"return \["([a-z]+)", "([a-z]*)"\]"#).unwrap();
    let known: BTreeSet<&str> = quoted.captures_iter(&stats).map(|name| name.extract::<1>().1[0]).collect();
    let names: Vec<&str> =
        named.captures_iter(kinds).flat_map(|names| names.extract::<2>().1).filter(|name| !name.is_empty()).collect();
    assert!(names.len() > 8 && names.contains(&"adrs"), "{names:?}");
    for name in names {
        assert!(known.contains(name), "`{name}` is no word of `stats`");
    }
}

#[test]
fn links_of_the_documentation_lead_somewhere() {
    let code = regex::Regex::new(r"(?s)```.*?```|`[^`\n]*`").unwrap();
    let links = regex::Regex::new(r"\]\(([^)#\s]+)").unwrap();
    let mut count = 0;
    for folder in ["docs", "docs/adr", "docs/diagnostics"] {
        for entry in fs::read_dir(project(folder)).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_none_or(|extension| extension != "md") {
                continue;
            }
            let written = fs::read_to_string(&path).unwrap();
            for link in links.captures_iter(&code.replace_all(&written, "`")) {
                if link[1].contains("://") {
                    continue;
                }
                assert!(path.parent().unwrap().join(&link[1]).exists(), "{}: {}", path.display(), &link[1]);
                count += 1;
            }
        }
    }
    assert!(count > 100, "{count}");
}

/// Whether a value is what a schema says, as far as types, fields, constants and alternatives go; CI asks another validator too.
fn conforms(value: &serde_json::Value, schema: &serde_json::Value, root: &serde_json::Value) -> bool {
    if let Some(name) = schema["$ref"].as_str() {
        return conforms(value, root.pointer(name.trim_start_matches('#')).unwrap(), root);
    }
    if let Some(alternatives) = schema["oneOf"].as_array() {
        return alternatives.iter().filter(|schema| conforms(value, schema, root)).count() == 1;
    }
    if let Some(alternatives) = schema["anyOf"].as_array() {
        return alternatives.iter().any(|schema| conforms(value, schema, root));
    }
    let types: Vec<&str> = match &schema["type"] {
        serde_json::Value::String(name) => vec![name],
        serde_json::Value::Array(names) => names.iter().filter_map(serde_json::Value::as_str).collect(),
        _ => Vec::new(),
    };
    let is_of = |name: &str| match name {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        _ => value.is_object(),
    };
    if !types.is_empty() && !types.into_iter().any(is_of) {
        return false;
    }
    let is_const = schema.get("const").is_none_or(|expected| expected == value);
    let required = schema["required"].as_array().into_iter().flatten();
    let has_required = required.into_iter().all(|name| value.get(name.as_str().unwrap()).is_some());
    let fields = value.as_object().into_iter().flatten();
    let has_known = fields.into_iter().all(|(name, field)| match schema["properties"].get(name) {
        Some(schema) => conforms(field, schema, root),
        None => schema["additionalProperties"] != false,
    });
    let items = value.as_array().into_iter().flatten();
    is_const && has_required && has_known && items.into_iter().all(|item| conforms(item, &schema["items"], root))
}

#[test]
fn the_files_of_the_golden_ledgers_are_what_their_schemas_say() {
    let sandbox = Sandbox::new();
    let golden = project("tests/golden");
    for (folder, kinds) in [
        ("batches/context/batches", ["batch", "batch-claim", "batch-report", "batch-event", "batch-result"].as_slice()),
        ("inbox/context/inbox", &["inbox-request", "inbox-claim", "inbox-response", "inbox-event"]),
    ] {
        for kind in kinds {
            let schema: serde_json::Value = serde_json::from_str(&sandbox.expect(0, &["schema", kind])).unwrap();
            let place = match kind.rsplit_once('-').map_or(*kind, |(_, word)| word) {
                file @ ("batch" | "result") => format!("{file}.json"),
                word => format!("{word}s/"),
            };
            let files = walkdir::WalkDir::new(golden.join(folder)).into_iter().flatten();
            let paths = files.map(|entry| entry.path().to_str().unwrap().replace('\\', "/"));
            let paths: Vec<String> = paths.filter(|path| path.contains(&place) && path.ends_with(".json")).collect();
            assert!(paths.len() > 1, "{kind} has no files");
            for path in paths {
                let value: serde_json::Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
                assert!(conforms(&value, &schema, &schema), "{path} is none of {kind}");
                let mut unknown = value.clone();
                unknown["other"] = 1.into();
                assert!(!conforms(&unknown, &schema, &schema), "{kind} takes any field");
            }
        }
    }
}

/// The name of what a command prints in the schema of outputs.
fn output_name(command: &str) -> String {
    let words: Vec<&str> = command.split(' ').collect();
    let name = words.iter().take_while(|word| word.bytes().all(|byte| byte.is_ascii_lowercase())).take(2);
    let two_words = ["batch", "box", "card", "inbox"].contains(&words[0]);
    match name.take(if two_words { 2 } else { 1 }).copied().collect::<Vec<_>>().join("_").as_str() {
        "batch_cancel" => "batch_expire".to_owned(),
        "box_snapshot" | "box_from_pack" => "box_new".to_owned(),
        "inbox_open" => "inbox_close".to_owned(),
        name => name.to_owned(),
    }
}

#[test]
fn the_json_of_the_golden_commands_is_what_the_schema_says() {
    let schema: serde_json::Value = serde_json::from_str(&text("schema/output.schema.json")).unwrap();
    let mut seen = BTreeSet::new();
    for case in fs::read_dir(project("tests/golden")).unwrap() {
        let Ok(printed) = fs::read_to_string(case.unwrap().path().join("commands.out")) else { continue };
        for block in format!("\n{printed}").split("\n$ ").filter(|block| block.contains("--format json")) {
            let (command, rest) = block.split_once('\n').unwrap();
            let Some((json, _)) = rest.split_once("\n}") else { continue };
            let value: serde_json::Value = serde_json::from_str(&format!("{json}\n}}")).unwrap();
            let name = if value.get("error").is_some() { "error".to_owned() } else { output_name(command) };
            assert!(conforms(&value, &schema["properties"][&name], &schema), "{name}: {command}");
            seen.insert(name);
        }
    }
    assert!(seen.len() >= 10, "{seen:?}");
}

/// Lets no object of a schema have other fields than it names.
fn closed(schema: &mut serde_json::Value) {
    match schema {
        serde_json::Value::Object(fields) => {
            fields.values_mut().for_each(closed);
            if fields.get("properties").is_some_and(|properties| properties.is_object()) {
                fields.entry("additionalProperties").or_insert(false.into());
            }
        }
        serde_json::Value::Array(values) => values.iter_mut().for_each(closed),
        _ => {}
    }
}

/// Checks that what a command printed has the fields that the schema of outputs names, and no others.
pub(crate) fn check_output(name: &str, value: &serde_json::Value) {
    let mut schema: serde_json::Value = serde_json::from_str(&text("schema/output.schema.json")).unwrap();
    closed(&mut schema);
    assert!(schema["properties"][name].is_object(), "{name}");
    assert!(conforms(value, &schema["properties"][name], &schema), "{name}: {value:#}");
}

#[test]
fn the_json_of_commands_about_packs_is_what_the_schema_says() {
    let sandbox = crate::cli::small();
    let pack = "packs/feat-cache.coding.json";
    let check = |name: &str, words: &[&str]| {
        let run = sandbox.run(words);
        let value = serde_json::from_str(&run.stdout).unwrap_or_else(|error| panic!("{words:?}: {error}: {run:?}"));
        check_output(name, &value);
        value
    };
    let build = check("build", &["build", "--format", "json"]);
    assert_eq!(build["packs"].as_array().unwrap().len(), 3, "{build}");
    sandbox.commit();
    let adr = sandbox.read("docs/adr/0007-cache.md").replace("We cache.", "We cache, and see [it](none.md).");
    sandbox.write("docs/adr/0007-cache.md", adr);
    sandbox.write(
        "work_items/feat-cache.md",
        sandbox.read("work_items/feat-cache.md") + "\nToken: ghp_0123456789abcdefghijABCDEFGHIJ012345\n",
    );
    let checked = check("check", &["check", "--format", "json"]);
    assert_eq!(checked["packs"].as_array().unwrap().len(), 3, "{checked}");
    let since = check("diff_since", &["diff", "--since", pack, "--format", "json"]);
    assert!(!since["diff"]["causes"].as_array().unwrap().is_empty(), "{since}");
    check("build", &["build", "--format", "json"]);
    let diff = check("diff", &["diff", "--format", "json"]);
    assert!(!diff["sections"].as_array().unwrap().is_empty(), "{diff}");
    check("list", &["list", "--format", "json"]);
    check("list_matrix", &["list", "--matrix", "2"]);
    check("ready", &["ready", "--format", "json"]);
    check("verify", &["verify", "packs", "--format", "json"]);
    check("explain", &["explain", "feat:cache", "--format", "json"]);
    check("explain_at", &["explain", "feat:cache", "--at", "10,5000", "--format", "json"]);
    check("explain_why_not", &["explain", "feat:cache", "--why-not", "docs/none.md", "--format", "json"]);
    let stats = check("stats", &["stats", "--max-chars", "2500", "--format", "json"]);
    assert!(!stats["redaction_rules"].as_array().unwrap().is_empty(), "{stats}");
    let redacted = check("redact", &["redact", "--report", "work_items/feat-cache.md", "--format", "json"]);
    assert_eq!(redacted["redactions"].as_array().unwrap().len(), 1, "{redacted}");
    check("redact_rules", &["redact", "--rules", "--format", "json"]);
    check("redact_why", &["redact", "--why", "password = hunter2hunter2\nkey: none", "--format", "json"]);
    let notes = check("notes", &["notes", "docs/adr/0007-cache.md", "docs/none.md"]);
    assert_eq!(notes["documents"][1]["success"], false, "{notes}");
    check("error", &["build", "feat:none", "--format", "json"]);
}

#[test]
fn the_json_of_commands_about_cards_and_ledgers_is_what_the_schema_says() {
    let schema: serde_json::Value = serde_json::from_str(&text("schema/output.schema.json")).unwrap();
    let (sandbox, id) = crate::batches::batch(2, "");
    let [card, other] = ["one", "two"].map(|text| crate::cards::card(&sandbox, text));
    sandbox.write("messages.json", "[{\"role\": \"user\", \"content\": \"Hello\"}]");
    let check = |code: i32, name: &str, words: &str| {
        let words: Vec<&str> = words.split(' ').chain(["--format", "json"]).collect();
        let value = sandbox.json(code, &words);
        assert!(conforms(&value, &schema["properties"][name], &schema), "{words:?}: {value}");
        value
    };
    check(0, "card_add", "card add --type agent.thought --text Hello");
    check(0, "card_add_from_messages", "card add --from-messages messages.json");
    check(0, "card_show", &format!("card show {card} 00000000"));
    check(0, "card_delete", &format!("card delete {other}"));
    let new = check(0, "box_new", &format!("box new {card} --parent planner"));
    check(0, "box_append", &format!("box append notes {card}"));
    check(0, "box_new", "box snapshot notes");
    check(0, "box_list", "box list");
    check(0, "box_show", "box show notes");
    check(0, "box_show_several", &format!("box show notes {} nothing", new["box_id"].as_str().unwrap()));
    check(0, "box_diff", "box diff planner notes");
    check(0, "batch_list", "batch list");
    check(0, "batch_matrix", &format!("batch matrix {id}"));
    check(0, "batch_claim", &format!("batch claim {id} 0 --by me"));
    check(1, "batch_claim", &format!("batch claim {id} 0"));
    check(0, "batch_reclaim", &format!("batch reclaim {id}"));
    check(0, "batch_report", &format!("batch report {id} 0 --epoch 1 --status success"));
    check(0, "batch_expire", &format!("batch cancel {id}"));
    check(0, "batch_status", &format!("batch status {id}"));
    check(0, "batch_join", &format!("batch join {id}"));
    check(0, "inbox_put", "inbox put coder --box planner");
    check(0, "inbox_claim", "inbox claim coder");
    check(1, "inbox_claim", "inbox claim coder");
    check(0, "inbox_reclaim", "inbox reclaim coder");
    check(0, "inbox_close", "inbox close coder");
    check(0, "inbox_close", "inbox open coder");
    check(0, "inbox_list", "inbox list coder");
}
