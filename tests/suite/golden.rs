//! Golden tests: a folder is a test, and its packs are compared byte for byte.
//!
//! ```text
//! tests/golden/<case>/repo/      the repo; `dot-x` is copied as `.x`, `(+)` is taken out of texts
//!                     packs/     what `build` must write, no file more or less
//!                     args       further arguments of `build`, one a line (optional)
//!                     exit       the exit code of `build` (optional, else 0)
//!                     stderr     what `build` must say
//!                     packs/*.md  the rendering of each pack
//!                     explain.txt  `explain` of the first pack (where the file exists)
//!                     deliveries   further runs of `build` that print a pack, one a line: a name and arguments (optional;
//!                                  then the repo has a history under both conditions)
//!                     delivered/   these packs and their renderings
//!                     commands     commands to run after the build, one a line; `$3` is what the third printed (optional)
//!                     commands.out what they print
//!                     context/     the cards, boxes, logs and packs that they leave, and the renderings of these packs
//! ```
//!
//! A case that is about something else has instructions of its own, `Do it.`, so that a change of a built-in text rewrites
//! few of them.
//!
//! Each case is a test of its own, `cargo test golden::budgets`, and is built twice under conditions that must not
//! matter. To accept what the program does now: `CONTEXTPACK_BLESS=1 cargo test golden`, then read `git diff`.

use crate::sandbox::{Run, Sandbox, files, run};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// Files by path, as a build must leave them.
type Tree = BTreeMap<String, Vec<u8>>;

pub(crate) fn bless() -> bool {
    std::env::var_os("CONTEXTPACK_BLESS").is_some()
}

fn cases() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    let mut cases: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    cases.sort();
    cases
}

/// What differs between the two builds of a case.
#[derive(Clone, Copy)]
struct Condition {
    folder: &'static str,
    /// Whether the repo is a git repository, or a plain folder.
    git: bool,
    /// Whether texts have CRLF and a byte-order mark, as an editor on Windows leaves them.
    crlf: bool,
    umask: &'static str,
    environment: [(&'static str, &'static str); 4],
}

const CONDITIONS: [Condition; 2] = [
    Condition {
        folder: "repo",
        git: true,
        crlf: false,
        umask: "022",
        environment: [("RAYON_NUM_THREADS", "1"), ("TZ", "UTC"), ("LANG", "C"), ("LC_ALL", "C")],
    },
    Condition {
        folder: "deeper/another place",
        git: false,
        crlf: true,
        umask: "077",
        environment: [
            ("RAYON_NUM_THREADS", "2"),
            ("TZ", "Asia/Tokyo"),
            ("LANG", "tr_TR.UTF-8"),
            ("LC_ALL", "tr_TR.UTF-8"),
        ],
    },
];

/// Copies the repo of a case as the condition wants it.
fn copy(case: &Path, condition: Condition) -> Sandbox {
    let sandbox = Sandbox::named(condition.folder);
    let mut all = files(&case.join("repo"));
    if condition.crlf {
        all.reverse();
    }
    for (path, bytes) in all {
        let path: Vec<String> = path
            .split('/')
            .map(|part| part.strip_prefix("dot-").map_or_else(|| part.to_owned(), |rest| format!(".{rest}")))
            .collect();
        let path = path.join("/");
        let bytes = match String::from_utf8(bytes) {
            Ok(text) => prepared(&path, &text, condition).into_bytes(),
            Err(error) => error.into_bytes(),
        };
        sandbox.write(&path, bytes);
        if condition.crlf {
            let file = fs::File::options().write(true).open(sandbox.root().join(&path)).unwrap();
            file.set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000)).unwrap();
        }
    }
    if !sandbox.has("contextpack.yml") {
        sandbox.write("contextpack.yml", "");
    }
    if condition.git || case.join("deliveries").exists() {
        sandbox.commit();
    }
    sandbox
}

/// `(+)` keeps what looks like a secret from being one in this repo.
fn prepared(path: &str, text: &str, condition: Condition) -> String {
    let text = text.replace("(+)", "");
    if !condition.crlf || path.ends_with(".gitignore") {
        return text;
    }
    format!("\u{feff}{}", text.replace("\r\n", "\n").replace('\n', "\r\n"))
}

fn build(sandbox: &Sandbox, case: &Path, condition: Condition) -> Run {
    let extra = fs::read_to_string(case.join("args")).unwrap_or_default();
    let mut args = vec!["build"];
    args.extend(extra.lines());
    let mut command = sandbox.command(&args);
    if cfg!(unix) {
        let mut shell = std::process::Command::new("/bin/sh");
        shell.args(["-c", &format!("umask {}; exec \"$0\" \"$@\"", condition.umask)]);
        shell.arg(command.get_program()).args(command.get_args()).current_dir(sandbox.root()).env_clear();
        shell.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
        command = shell;
    }
    command.envs(condition.environment);
    let mut run = run(command, "");
    run.stderr = untimed(&run.stderr);
    run
}

/// The text without the one thing in it that differs from run to run.
fn untimed(stderr: &str) -> String {
    let counts = |summary: &str| [" pack: ", " packs: "].iter().any(|counted| summary.contains(counted));
    let line = |line: &str| match line.rsplit_once(", ") {
        Some((summary, time)) if counts(summary) && time.ends_with(" s") => format!("{summary}\n"),
        _ => format!("{line}\n"),
    };
    stderr.lines().map(line).collect()
}

/// Everything that the case holds besides its repo, as the program makes it.
fn made(case: &Path, condition: Condition) -> Tree {
    let sandbox = copy(case, condition);
    let build = build(&sandbox, case, condition);
    let mut tree = Tree::new();
    let packs: Vec<(String, Vec<u8>)> =
        sandbox.files().into_iter().filter(|(path, _)| path.starts_with("packs/")).collect();
    if let Some((first, _)) = packs.first() {
        sandbox.expect(0, &["verify", "packs"]);
        if case.join("explain.txt").exists() {
            tree.insert("explain.txt".to_owned(), sandbox.expect(0, &["explain", first]).into_bytes());
        }
        for (path, bytes) in &packs {
            let rendering = contextpack::render(&contextpack::read_pack(bytes).unwrap()).whole();
            if path == first {
                assert_eq!(sandbox.expect(0, &["render", path]), rendering, "{}: {path}", case.display());
            }
            tree.insert(path.replace(".json", ".md"), rendering.into_bytes());
        }
    }
    let written: Vec<&str> = build.stdout.lines().collect();
    let names: Vec<&str> = packs.iter().map(|(path, _)| path.as_str()).collect();
    assert_eq!(written, names, "{}: what `build` printed is not what it wrote", case.display());
    tree.extend(packs);
    tree.insert("stderr".to_owned(), build.stderr.into_bytes());
    if build.code != 0 {
        tree.insert("exit".to_owned(), format!("{}\n", build.code).into_bytes());
    }
    for line in fs::read_to_string(case.join("deliveries")).unwrap_or_default().lines() {
        let mut words = line.split_whitespace();
        let name = words.next().unwrap();
        let pack = sandbox.expect(0, &["build"].into_iter().chain(words).collect::<Vec<_>>());
        let rendering = contextpack::render(&contextpack::read_pack(pack.as_bytes()).unwrap()).whole();
        tree.insert(format!("delivered/{name}.md"), rendering.into_bytes());
        tree.insert(format!("delivered/{name}.json"), pack.into_bytes());
    }
    commands(&sandbox, case, &mut tree);
    let args = if build.code == 0 { 0 } else { build.code };
    let extra = fs::read_to_string(case.join("args")).unwrap_or_default();
    if extra.is_empty() {
        sandbox.expect(args, &["check", "-q"]);
    }
    tree
}

/// Splits a command at its spaces; `'…'` is one word.
fn words(line: &str) -> Vec<String> {
    let (mut words, mut quoted) = (vec![String::new()], false);
    for c in line.chars() {
        match c {
            '\'' => quoted = !quoted,
            ' ' if !quoted => words.push(String::new()),
            c => words.last_mut().unwrap().push(c),
        }
    }
    words
}

/// Runs the commands of a case, and adds what they print and leave in the folder of cards.
fn commands(sandbox: &Sandbox, case: &Path, tree: &mut Tree) {
    let Ok(lines) = fs::read_to_string(case.join("commands")) else { return };
    let (mut said, mut printed) = (String::new(), Vec::<String>::new());
    for line in lines.lines() {
        let printed_by = |number: &str| -> Option<&String> { printed.get(number.parse::<usize>().ok()? - 1) };
        let words: Vec<String> = words(&line.replace("(+)", ""))
            .into_iter()
            .flat_map(|word| match word.strip_prefix('$').and_then(printed_by) {
                Some(text) => text.lines().map(str::to_owned).collect(),
                None => vec![word],
            })
            .collect();
        let before = sandbox.files();
        let Run { code, stdout, stderr } = sandbox.run(&words.iter().map(String::as_str).collect::<Vec<_>>());
        said.push_str(&format!("$ {line}\n{stdout}{stderr}"));
        if code != 0 {
            said.push_str(&format!("exit {code}\n"));
            assert_eq!(sandbox.files(), before, "{line}: a command that fails leaves every file as it was");
        }
        printed.push(stdout.trim().to_owned());
    }
    tree.insert("commands.out".to_owned(), said.into_bytes());
    for (path, bytes) in sandbox.files().into_iter().filter(|(path, _)| path.starts_with("context/")) {
        if path.starts_with("context/packs/") {
            let rendering = contextpack::render(&contextpack::read_pack(&bytes).unwrap()).whole();
            tree.insert(path.replace(".json", ".md"), rendering.into_bytes());
        }
        let (path, bytes) = without_nonce(path, bytes);
        tree.insert(path, bytes);
    }
    assert!(!sandbox.expect(0, &["verify", "context", "--against-repo"]).contains("invalid"));
}

/// A file of a ledger without its random digits, which also decide the name of a late report.
fn without_nonce(path: String, bytes: Vec<u8>) -> (String, Vec<u8>) {
    const KEY: &str = "\"nonce\":\"";
    let Some((before, after)) = std::str::from_utf8(&bytes).ok().and_then(|text| text.split_once(KEY)) else {
        return (path, bytes);
    };
    let fixed = format!("{before}{KEY}…{}", &after[32..]).into_bytes();
    match path.split_once("/late-") {
        Some((folder, _)) => (format!("{folder}/late-{}.json", contextpack::Digest::of(&fixed).short(12)), fixed),
        None => (path, fixed),
    }
}

/// Where two texts part, for a person.
fn parting(expected: &[u8], made: &[u8]) -> String {
    let (expected, made) = (String::from_utf8_lossy(expected), String::from_utf8_lossy(made));
    let lines = expected.lines().zip(made.lines()).enumerate().find(|(_, (a, b))| a != b);
    match lines {
        Some((index, (a, b))) => {
            format!("line {}\n  expected {}\n  made     {}", index + 1, around(a, b), around(b, a))
        }
        None => format!("{} lines expected, {} made", expected.lines().count(), made.lines().count()),
    }
}

/// A long line from shortly before the place where it parts from the other.
fn around(line: &str, other: &str) -> String {
    let same = line.chars().zip(other.chars()).take_while(|(a, b)| a == b).count();
    line.chars().skip(same.saturating_sub(40)).take(160).collect()
}

fn compare(name: &str, expected: &Tree, made: &Tree, faults: &mut Vec<String>) {
    for (path, bytes) in made {
        match expected.get(path) {
            None => faults.push(format!("{name}: unexpected {path}:\n{}", String::from_utf8_lossy(bytes))),
            Some(old) if old != bytes => faults.push(format!("{name}: {path}: {}", parting(old, bytes))),
            Some(_) => {}
        }
    }
    faults.extend(expected.keys().filter(|path| !made.contains_key(*path)).map(|path| format!("{name}: no {path}")));
}

/// Builds a case under both conditions and compares everything with its folder.
fn check_case(name: &str) {
    let case = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name);
    let mut faults = Vec::new();
    let [first, second] = CONDITIONS.map(|condition| made(&case, condition));
    compare(&format!("{name} (plain folder, CRLF, other place)"), &first, &second, &mut faults);
    if bless() {
        let _ = fs::remove_dir_all(case.join("packs"));
        let _ = fs::remove_dir_all(case.join("delivered"));
        let _ = fs::remove_dir_all(case.join("context"));
        let _ = fs::remove_file(case.join("exit"));
        for (path, bytes) in &first {
            fs::create_dir_all(case.join(path).parent().unwrap()).unwrap();
            fs::write(case.join(path), bytes).unwrap();
        }
    } else {
        let expected: Tree = files(&case)
            .into_iter()
            .filter(|(path, _)| {
                !path.starts_with("repo/") && !["args", "deliveries", "commands"].contains(&path.as_str())
            })
            .collect();
        compare(name, &expected, &first, &mut faults);
    }
    assert!(faults.is_empty(), "{}\naccept with CONTEXTPACK_BLESS=1, then read `git diff`", faults.join("\n\n"));
}

/// Makes each folder of `tests/golden` a test with its name, in snake case.
macro_rules! golden_cases {
    ($($test:ident: $folder:literal,)+) => {
        $(#[test]
        fn $test() {
            check_case($folder);
        })+

        #[test]
        fn every_folder_is_a_test() {
            let folders: Vec<String> =
                cases().iter().map(|case| case.file_name().unwrap().to_str().unwrap().to_owned()).collect();
            assert_eq!(folders, [$($folder),+], "add the folder to `golden_cases!` in tests/suite/golden.rs");
        }
    };
}

golden_cases! {
    adr_names: "adr-names",
    adr_references: "adr-references",
    agents: "agents",
    backlog_prefixes: "backlog-prefixes",
    bad_files: "bad-files",
    batch_errors: "batch-errors",
    batches: "batches",
    beads: "beads",
    budget_too_small: "budget-too-small",
    budgets: "budgets",
    code_references: "code-references",
    comments: "comments",
    documents: "documents",
    fair_shares: "fair-shares",
    folders_with_bodies: "folders-with-bodies",
    formats: "formats",
    github_incomplete: "github-incomplete",
    github_issues: "github-issues",
    github_low_trust: "github-low-trust",
    github_one_item: "github-one-item",
    github_without_relations: "github-without-relations",
    graph_faults: "graph-faults",
    handover_budget: "handover-budget",
    handover_errors: "handover-errors",
    handover_recipes: "handover-recipes",
    hostile_text: "hostile-text",
    inbox: "inbox",
    issue_forms: "issue-forms",
    knowledge_faults: "knowledge-faults",
    likely_code: "likely-code",
    minimal: "minimal",
    neighbour_texts: "neighbour-texts",
    not_yaml: "not-yaml",
    numbers_and_order: "numbers-and-order",
    profiles: "profiles",
    redaction: "redaction",
    reference_forms: "reference-forms",
    relations_in_bodies: "relations-in-bodies",
    roots_and_levels: "roots-and-levels",
    slugs: "slugs",
    trackers: "trackers",
    unknown_repo: "unknown-repo",
}

/// A pack of a case.
pub(crate) fn golden_pack(case: &str, pack: &str) -> Vec<u8> {
    golden_file(case, &format!("packs/{pack}"))
}

/// A pack that a further run of a case prints.
pub(crate) fn delivered_pack(case: &str, name: &str) -> Vec<u8> {
    golden_file(case, &format!("delivered/{name}.json"))
}

fn golden_file(case: &str, file: &str) -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(case).join(file);
    fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Codes that no golden case can show, and which test does.
const ELSEWHERE: [(&str, &str); 26] = [
    ("conflict-markers", "unmerged::markers_in_a_text_are_a_warning_of_every_pack_that_holds_it"),
    ("invalid-config", "cli::an_error_of_the_configuration_has_line_column_and_the_nearest_name"),
    ("too-many-relations", "issues::more_relations_than_a_pack_shows_are_counted_with_a_warning"),
    ("required-version", "cli::another_required_version_is_wrong_usage_and_says_how_to_get_it"),
    ("environment-secret", "cli::secrets_of_the_environment_stop_a_pack_and_are_named_by_their_variable_only"),
    ("git-unavailable", "cli::a_repository_without_git_is_read_as_a_folder_with_a_warning"),
    ("tracked-cache", "planted::a_cache_that_git_tracks_is_an_error_and_neither_read_nor_written"),
    ("untracked-file", "untracked::what_git_does_not_track_is_marked_where_ci_builds"),
    ("stale-lock", "checkout::a_lock_that_git_left_behind_stops_no_build"),
    ("issue-moved", "sync::moved_deleted_and_hidden_issues_are_told_apart"),
    ("issue-gone", "sync::moved_deleted_and_hidden_issues_are_told_apart"),
    ("issue-not-visible", "sync::moved_deleted_and_hidden_issues_are_told_apart"),
    ("unknown-relations", "sync::a_server_without_relations_leaves_them_unknown"),
    ("anonymous-sync", "sync_faults::without_a_token_a_warning_says_what_that_costs"),
    ("moved-context", "since::trailers_of_commits_are_found_and_what_moved_is_a_warning_of_check"),
    ("unknown-context", "since::trailers_of_commits_are_found_and_what_moved_is_a_warning_of_check"),
    ("root-done", "ready::each_thing_that_keeps_an_agent_from_starting_is_told_with_its_place"),
    ("empty-body", "ready::each_thing_that_keeps_an_agent_from_starting_is_told_with_its_place"),
    ("no-acceptance-criteria", "ready::each_thing_that_keeps_an_agent_from_starting_is_told_with_its_place"),
    ("open-question", "ready::each_thing_that_keeps_an_agent_from_starting_is_told_with_its_place"),
    ("unfilled-template", "ready::each_thing_that_keeps_an_agent_from_starting_is_told_with_its_place"),
    ("proposed-adr", "ready::each_thing_that_keeps_an_agent_from_starting_is_told_with_its_place"),
    ("edited-issue", "sync::an_issue_that_its_author_changed_after_it_was_labelled_is_told"),
    ("open-blocker", "ready::each_thing_that_keeps_an_agent_from_starting_is_told_with_its_place"),
    ("root-cut", "ready::what_the_budget_cuts_is_read_whole_and_a_stale_pack_is_told"),
    ("stale-pack", "ready::what_the_budget_cuts_is_read_whole_and_a_stale_pack_is_told"),
];

#[test]
fn every_code_is_shown_by_a_golden_case_or_a_named_test() {
    let said: String = cases().iter().map(|case| fs::read_to_string(case.join("stderr")).unwrap()).collect();
    for code in contextpack::internals::model::Code::ALL {
        let shown = said.contains(&format!("[{code}]: "));
        let elsewhere = ELSEWHERE.iter().any(|(name, _)| *name == code.name());
        assert!(shown != elsewhere, "{code}: in a golden case {shown}, in the list {elsewhere}");
    }
}
