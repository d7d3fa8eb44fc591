//! Nothing that is printed is a command to GitHub's runner.

use crate::issues::{issue, path};
use crate::sandbox::{Run, Sandbox};
use serde_json::Value;

/// Whether the runner obeys a line: what begins with `::` behind white space, or holds `##[`, whatever it passes over.
fn is_command(line: &str) -> bool {
    let weighty: String =
        line.chars().filter(|c| !matches!(c, '\u{ad}' | '\u{200b}'..='\u{200d}' | '\u{fe0f}')).collect();
    weighty.trim_start().starts_with("::") || weighty.contains("##[")
}

fn harmless(args: &[&str], run: &Run) {
    for line in run.stdout.lines().chain(run.stderr.lines()).flat_map(|line| line.split('\r')) {
        assert!(!is_command(line), "{args:?}: {line}");
    }
}

/// A repo in which every name and text is a command, built once and changed after that.
fn sandbox() -> Sandbox {
    let sandbox = Sandbox::with(&[
        ("contextpack.yml", "github: {repo: o/r}\nwarnings: {inactive-adr: deny}\n"),
        (
            "work_items/e.md",
            "---\nid: \"::add-mask::e\"\ntitle: \"::error::##[add-mask]t\"\ntype: \"::debug::k\"\nstatus: \"##[group]s\"\n\
             depends_on: [\"::add-mask::gone\", \"a###[add-mask]e\", \"::add-mask::f\"]\nlabels: [\"##[x]\"]\n---\n\n\
             # ::notice::x\n\n::add-mask::y\n\n  ::add-mask::z\n\n##[add-mask]w\n\nADR 1, ADR 7, [x](docs/###[add-mask]e.md)\n",
        ),
        (
            "work_items/f.md",
            "---\nid: \"::add-mask::f\"\ntitle: \"##\u{200d}[error]f\"\nparent: \"::add-mask::e\"\n---\n\n::f::\n",
        ),
        ("work_items/##[error]n.md", "---\nid: [1\ntitle: x\n---\n"),
        ("work_items/::error::n.yml", "a: [\n::error::x\n"),
        ("docs/adr/0001-a.md", "# ::error::a ##[error]\n\nStatus: Rejected ##[error]\n\n::error::x\n"),
    ]);
    sandbox.write(
        &path("o/r", 5),
        issue("o/r", 5, "::warning::##[group]i", "::add-mask::i\n\nBlocks ::add-mask::f, see ##[x]"),
    );
    sandbox
}

#[test]
fn no_line_of_any_format_is_one() {
    let sandbox = sandbox();
    sandbox.run(&["build", "-q"]);
    let first = sandbox.read("packs/add-mask--e.coding.json");
    sandbox.write("old/add-mask--e.coding.json", &first);
    sandbox
        .write("work_items/e.md", sandbox.read("work_items/e.md").replace("y\n\n", "y2\n\n##[more]\n\n::more::\n\n"));
    let root = "::add-mask::e";
    let commands: [&[&str]; 33] = [
        &["check"],
        &["ready"],
        &["list"],
        &["list", "--matrix", "2"],
        &["diff", "old", "packs"],
        &["diff", "old/add-mask--e.coding.json", "packs/add-mask--e.coding.json", "--rebuild"],
        &["diff", "--since", "old/add-mask--e.coding.json"],
        &["diff", "--since", "old/add-mask--e.coding.json", "-v"],
        &["diff", "--since", "::error::##[x]"],
        &["stats", "-v"],
        &["render", root, "--trailer"],
        &["explain", root],
        &["explain", root, "--why-not", "::add-mask::gone"],
        &["explain", root, "--at", "3000,9000"],
        &["explain", "packs/add-mask--e.coding.json"],
        &["verify", "packs", "--against-repo"],
        &["verify", "::error::x##[error]"],
        &["page", "--out", "page.html"],
        &["page", "-o", "-"],
        &["redact", "--report", "work_items/e.md", "--format", "json"],
        &["git", "textconv", "packs/add-mask--e.coding.json"],
        &["sync", "##[error]x"],
        &["render", "::add-mask::no ##[error]"],
        &["build", "-v"],
        &["build", "-p", "::error::x\n::error::y"],
        &["build", "-v", "--out", "::error::out"],
        &["init"],
        &["card", "add", "--type", "a.b", "--role", "user", "--author", "::error::a", "--text", "##[x]\n::error::y"],
        &["card", "add", "--type", "::error::x", "--text", "x"],
        &["card", "show", "::error::##[x]"],
        &["box", "append", "log", "::error::##[x]"],
        &["box", "show", "::error::##[x]"],
        &["box", "show", "##[x]@::error::", "--style", "anthropic"],
    ];
    for command in commands {
        for format in ["text", "markdown", "json"] {
            let args: Vec<&str> = command.iter().copied().chain(["--format", format]).collect();
            let args = if command.contains(&"--format") { command.to_vec() } else { args };
            let run = sandbox.run(&args);
            harmless(&args, &run);
            if args.contains(&"json") && run.stdout.starts_with('{') {
                serde_json::from_str::<Value>(&run.stdout).unwrap_or_else(|error| panic!("{args:?}: {error}"));
            }
        }
    }
    let list = sandbox.json(3, &["list", "--format", "json"]);
    assert!(list["roots"].as_array().unwrap().iter().any(|it| it["id"] == root), "it reads back the same: {list}");
    let text = sandbox.expect(3, &["list"]);
    assert!(text.contains("\n:\\u{3a}add-mask::e  ") || text.starts_with(":\\u{3a}add-mask::e  "), "{text}");
    assert!(text.contains("##\\u{5b}add-mask]t"), "{text}");
}

#[test]
fn no_argument_that_is_repeated_is_one() {
    let sandbox = Sandbox::with(&[]);
    for args in [
        &["::error::x"][..],
        &["build", "--\n::error::x"],
        &["build", "--##[error]x"],
        &["build", "--strategy", "##[error]x\n ::error::y"],
        &["build", "--max-chars", "\r\n::error::y\u{1b}[31m"],
        &["-C", "\n::error::x##[error]", "build"],
        &["--config", "\n::error::x##[error]", "build"],
        &["schema", "##[error]"],
    ] {
        let run = sandbox.run(args);
        assert_ne!(run.code, 0, "{args:?}");
        harmless(args, &run);
        assert!(!run.stderr.contains('\u{1b}'), "{args:?}: {:?}", run.stderr);
    }
}

#[test]
fn annotations_are_the_only_commands_of_their_format() {
    let sandbox = sandbox();
    let run = sandbox.run(&["build", "--format", "github"]);
    let mut fence: Option<String> = None;
    for line in run.stdout.lines() {
        match &fence {
            Some(word) if *line == format!("::{word}::") => fence = None,
            Some(_) => {}
            None => match line.strip_prefix("::stop-commands::") {
                Some(word) => fence = Some(word.to_owned()),
                None => {
                    let (own, rest) = line.split_at(line.len().min(2));
                    let known = ["error ", "warning "].iter().any(|name| rest.starts_with(name));
                    assert!(own != "::" || known, "{line}");
                    assert!(!is_command(rest), "{line}");
                }
            },
        }
    }
    assert!(fence.is_none());
    harmless(&[], &Run { stdout: String::new(), ..run });
}

/// Data of which every byte counts stays as it is; docs/actions.md says where it belongs.
#[test]
fn packs_and_renderings_keep_every_byte() {
    let sandbox = sandbox();
    sandbox.run(&["build", "-q"]);
    let pack = "packs/add-mask--e.coding.json";
    let printed = sandbox.run(&["build", "-q", "--out", "-", "::add-mask::e"]).stdout;
    assert_eq!(printed, sandbox.read(pack));
    let rendering = sandbox.expect(0, &["render", pack]);
    assert!(rendering.contains("\n::add-mask::y\n") && rendering.contains("\n##[add-mask]w\n"), "{rendering}");
    assert!(sandbox.expect(0, &["redact", "work_items/f.md"]).contains("\n::f::\n"));
}

/// What does not go through `console` is not looked at by it.
#[test]
fn nothing_is_printed_around_the_one_place() {
    let source = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    for (path, bytes) in crate::sandbox::files(&source) {
        if !path.ends_with(".rs") || path.starts_with("build") || path.starts_with("console/") {
            continue;
        }
        let text = String::from_utf8(bytes).unwrap();
        let text: String = text.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
        let asked =
            ["std::io::stdout().is_terminal()", "std::io::stderr().is_terminal()", "choice(&std::io::stdout())"];
        let rest = asked.iter().fold(text, |text, asked| text.replace(asked, ""));
        for around in ["stdout()", "stderr()", "println!", "eprintln!", "print!("] {
            let rest = rest.replace(&format!("console::{around}"), "").replace("ProgressDrawTarget::stderr()", "");
            let rest = rest.replace("use_stderr()", "");
            assert!(!rest.contains(around), "{path} prints by `{around}`: use `console`");
        }
    }
}
