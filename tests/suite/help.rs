//! The help of all commands, and command lines that are refused.

use crate::sandbox::Sandbox;

/// The commands under their purposes, as `contextpack --help --all` lists them.
fn commands(help: &str) -> Vec<String> {
    let (_, list) = help.split_once("\nStart:\n").unwrap();
    let (list, _) = list.split_once("\n`contextpack --help --all`").unwrap();
    let commands = list.lines().filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    commands.map(|line| line.split_whitespace().next().unwrap().to_owned()).collect()
}

#[test]
fn the_help_of_every_command_is_short_and_has_an_example_and_its_exit_codes() {
    let sandbox = Sandbox::new();
    let help = sandbox.expect(0, &["--help"]);
    assert_eq!(help.split("Commands:\n").nth(1).unwrap().split("\n\n").next().unwrap().lines().count(), 11, "{help}");
    let help = sandbox.expect(0, &["--help", "--all"]);
    assert!(help.contains("\nOptions:\n") && help.contains("--strict") && help.contains("--version"), "{help}");
    assert!(["0", "1", "2", "3", "4", "5"].iter().all(|code| help.contains(&format!("\n  {code}  "))), "{help}");
    let commands = commands(&help);
    assert!(commands.len() >= 24, "{commands:?}");
    for command in &commands {
        let text = sandbox.expect(0, &[command, "--help"]);
        assert!(text.contains("Examples:") && text.contains(&format!("contextpack {command}")), "{text}");
        assert!(text.contains("Exit codes:") && text.contains("  0  "), "{text}");
        assert!(!text.contains("--color <") && !text.contains("-C <"), "{text}");
        assert!(text.contains("contextpack --help"), "{text}");
    }
    let help = |command: &str| sandbox.expect(0, &[command, "--help"]);
    let build = help("build");
    assert!(build.contains("The output format: `text`, `json` and `github`"), "{build}");
    assert!(build.find("Examples:") < build.find("Options:") && build.contains("--untracked"), "{build}");
    let render = help("render");
    assert!(render.contains("The output format: `text`, `json`, `messages`, `anthropic` and `parts`"), "{render}");
    assert!(!render.contains("several times"), "{render}");
    assert!(!help("verify").contains("--strict") && !help("redact").contains("--untracked"));
    assert!(["build", "check", "watch"].iter().all(|command| help(command).contains("The work items and issues;")));
}

#[test]
fn wrong_usage_exits_with_2_and_says_what_is_possible() {
    let sandbox = Sandbox::new();
    for (line, message) in [
        ("build --max-chars 0", "write it as 8000 or 8k"),
        ("build --strategy none", "[possible values: truncate_tail, drop_low_priority, both]"),
        ("build --shard 1/2 feat:x", "cannot be used with"),
        ("bild", "build"),
        ("verify", "<PACK|DIR|->"),
        ("list -q -v", "cannot be used with"),
        ("redact --rules a.md", "cannot be used with"),
        ("redact --out x", "<FILE>"),
        (
            "render x --format github",
            "`render` has no `--format github`: its formats are `text`, `json`, `messages`, `anthropic` and `parts`",
        ),
        (
            "list --format markdown",
            "`list` has no `--format markdown`: its formats are `text`, `json`, `github` and `table`",
        ),
        ("explain x --at 4k --format markdown", "with `--at`"),
        ("redact a.md --format json", "without `--report`, `--rules` or `--why`"),
    ] {
        let run = sandbox.run(&line.split(' ').collect::<Vec<_>>());
        assert!(run.code == 2 && run.stderr.contains(message), "{line}: {}", run.stderr);
    }
}

#[test]
fn global_options_are_accepted_before_and_after_the_command() {
    let sandbox = Sandbox::with(&[("x/work_items/a.md", "---\nid: feat:a\ntitle: A\n---\n\nText.\n")]);
    sandbox.write("x/contextpack.yml", "version: 1\n");
    for line in
        ["-C x --format json list --state open --state unknown", "list --state open --state unknown --format json -C x"]
    {
        let list = sandbox.json(0, &line.split(' ').collect::<Vec<_>>());
        assert_eq!(list["roots"][0]["id"], "feat:a", "{list}");
    }
}
