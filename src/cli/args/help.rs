//! Help texts: the commands by purpose, and the examples and exit codes of each command.

use super::format::{formats_of, listed};
use clap::builder::StyledStr;
use std::fmt::Write as _;

/// The commands by purpose, in the order of `contextpack --help`.
pub(super) const GROUPS: [(&str, &[&str]); 8] = [
    ("Start", &["init", "sync"]),
    ("Build", &["build", "check", "watch"]),
    ("Inspect", &["list", "ready", "explain", "render", "redact"]),
    ("Agents", &["agent", "notes", "job", "mcp"]),
    ("Cards", &["card", "box", "handover", "batch", "dispatch", "inbox"]),
    ("Review", &["diff", "since", "trailer", "stats", "report", "open", "serve"]),
    ("Automate", &["verify", "git"]),
    ("Reference", &["schema", "completions", "man"]),
];

/// Returns the help template of the program, with its subcommands in [`GROUPS`].
pub(super) fn template(command: &clap::Command) -> String {
    let styles = command.get_styles();
    let (header, literal) = (styles.get_header(), styles.get_literal());
    let mut text = String::from("{about-with-newline}\n{usage-heading} {usage}\n\n");
    for (purpose, names) in GROUPS {
        // Writing to a `String` cannot fail.
        let _ = writeln!(text, "{header}{purpose}:{header:#}");
        for subcommand in names.iter().filter_map(|name| command.find_subcommand(name)) {
            let about = subcommand.get_about().map(ToString::to_string).unwrap_or_default();
            let _ = writeln!(text, "  {literal}{:<12}{literal:#} {about}", subcommand.get_name());
        }
        text.push('\n');
    }
    text + &format!(
        "Run `contextpack COMMAND --help` for its options and examples.\n\n{header}Options:{header:#}\n{{options}}{{after-help}}"
    )
}

/// The text below the options of a command.
pub(super) struct CommandHelp {
    /// The examples, each after a line end and two spaces.
    examples: &'static str,
    /// The exit codes with their meanings.
    exits: &'static [(u8, &'static str)],
}

impl From<CommandHelp> for StyledStr {
    fn from(help: CommandHelp) -> Self {
        let mut text = format!("Examples:{}\n\nExit codes:", help.examples);
        let width = help.exits.iter().map(|(code, _)| code.to_string().len()).max().unwrap_or_default();
        for (code, meaning) in help.exits {
            // Writing to a `String` cannot fail.
            let _ = write!(text, "\n  {code:<width$}  {meaning}");
        }
        text.into()
    }
}

/// Commands that build packs, for which it matters whether git tracks a file.
const BUILDING: [&str; 17] = [
    "open", "stats", "agent", "job", "build", "check", "ready", "watch", "list", "explain", "render", "diff", "since",
    "trailer", "verify", "handover", "mcp",
];

/// Commands that report warnings of the input.
const WARNING: [&str; 6] = ["build", "check", "ready", "watch", "list", "sync"];

const GLOBAL: &str = "\
Also -C DIR, --config FILE, --quiet, --verbose, --color WHEN: see `contextpack --help`.";

/// Moves the examples of a subcommand before its options, and hides those of the options of all commands, `globals`,
/// that it does not have or that are rarely needed.
pub(super) fn shortened(command: clap::Command, globals: &[clap::Arg]) -> clap::Command {
    let name = command.get_name().to_owned();
    let formats = formats_of(&name);
    let text = command.get_after_long_help().map(ToString::to_string).unwrap_or_default();
    let (examples, exit_codes) = text.split_once("\n\n").unwrap_or(("", &text));
    let header = *command.get_styles().get_header();
    let list = examples.strip_prefix("Examples:").unwrap_or(examples);
    let template = format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{header}Examples:{header:#}{list}\n\n{{all-args}}{{after-help}}"
    );
    let own = globals.iter().map(|arg| match arg.get_id().as_str() {
        "format" if formats.len() > 1 => {
            arg.clone().help(format!("The output format: {}", listed(formats))).hide_possible_values(true)
        }
        "strict" if matches!(name.as_str(), "build" | "watch") => {
            arg.clone().help("Treats every warning as an error: exit code 3; their packs are written all the same")
        }
        "strict" if WARNING.contains(&name.as_str()) => {
            arg.clone().help("Treats every warning as an error: exit code 3")
        }
        "untracked" if BUILDING.contains(&name.as_str()) => arg.clone(),
        _ => arg.clone().hide(true),
    });
    command.args(own).help_template(template).after_long_help(format!("{exit_codes}\n\n{GLOBAL}"))
}

/// Describes `--profile` for a command that prints one pack.
pub(super) fn one_profile(arg: clap::Arg) -> clap::Arg {
    arg.help("Builds this profile").long_help(
        "Builds this profile\n\nThe default is the first of `output.profiles` of the configuration, or `coding`.",
    )
}

/// The usage of a command that takes a pack or a root, or builds what an agent gets without one.
pub(super) fn or_agent(command: &str) -> String {
    format!(
        "contextpack {command} [OPTIONS] <PACK|ROOT|->\n       contextpack {command} [OPTIONS] --agent <AGENT> [ROOT]"
    )
}

/// The usage of `since`.
pub(super) const SINCE_USAGE: &str = "\
contextpack since [OPTIONS] <HASH|PACK|->...
       contextpack since [OPTIONS] --commits <REV..REV> [HASH|PACK|-]...";

/// The text below the options of the program.
pub(super) const MAIN: &str = "\
Examples:
  contextpack init                    set up this repo
  contextpack build                   build the packs of all roots
  contextpack render feat:cache       read what an agent would read
  contextpack watch feat:cache        keep its packs fresh while you write
  contextpack check                   in CI: is every pack up to date?

Exit codes:
  0  done; warnings do not count
  1  a file, a permission or the network failed
  2  wrong usage, or the repo needs another version of contextpack
  3  the input has errors; every pack that could be built was built
  4  packs are stale (`check`), moved (`since`) or differ (`diff --exit-code`), or work is not ready (`ready`)
  5  a pack is not valid (`verify`)
  130  ended by Ctrl-C or by the system
If several apply, the first of 2, 1, 3, 5, 4.";

// Meanings of exit codes that several commands share.
const USAGE: &str = "wrong usage";
const NO_ROOT: &str = "wrong usage, such as a root that does not exist";
const NOT_READ: &str = "a file could not be read";
const NOT_READ_OR_WRITTEN: &str = "a file could not be read or written";
const INPUT: &str = "the input has errors";
const NO_PACK: &str = "the input has errors, so there is no pack";
const PRINTED: &str = "printed";
const NOT_WRITTEN: &str = "the output could not be written";

pub(super) const INIT: CommandHelp = CommandHelp {
    examples: "
  contextpack init
  contextpack init --cached           packs are built when needed, never committed
  contextpack init --tool claude      also point an agent to the packs
  contextpack init --git              also let git show and merge packs in this clone
  contextpack init --hook             also add trailers of packs to commits of this clone
  contextpack init --jobs             also run the configured jobs on GitHub
  contextpack init --batches          also run batches there",
    exits: &[
        (0, "set up; existing files are unchanged"),
        (1, "a file could not be written"),
        (2, USAGE),
        (3, "the existing configuration has errors"),
    ],
};

pub(super) const BUILD: CommandHelp = CommandHelp {
    examples: "
  contextpack build                                 all roots, the profiles of the configuration
  contextpack build feat:cache 123 -p review        two roots, one profile
  contextpack build 123 --max-tokens 8000 --out -   print one pack, sized for a model
  contextpack build --prune                         also remove packs whose root is gone
  contextpack build --shard 2/8                     one of eight jobs that together build all roots",
    exits: &[
        (0, "built; warnings do not count"),
        (1, NOT_READ_OR_WRITTEN),
        (2, NO_ROOT),
        (3, "the input has errors; all other packs were built"),
    ],
};

pub(super) const CHECK: CommandHelp = CommandHelp {
    examples: "
  contextpack check
  contextpack check --format github   in a workflow: annotations at the lines concerned
  contextpack check --strict          warnings fail too
  contextpack check --shard 2/8       one of eight jobs that together check all packs
  contextpack check --commits main..HEAD   also: are the packs that commits name still what a build gives?",
    exits: &[
        (0, "every pack is what a build would write"),
        (1, NOT_READ),
        (2, USAGE),
        (3, INPUT),
        (4, "packs are stale, edited, missing or orphaned"),
    ],
};

pub(super) const READY: CommandHelp = CommandHelp {
    examples: "
  contextpack ready feat:cache
  contextpack ready                              all roots
  contextpack ready 42 --format github           in a workflow: annotations at the lines concerned
  contextpack ready feat:cache && contextpack render feat:cache | agent",
    exits: &[
        (0, "an agent can start on every one"),
        (1, NOT_READ),
        (2, USAGE),
        (3, INPUT),
        (4, "something keeps an agent from starting"),
    ],
};

pub(super) const WATCH: CommandHelp = CommandHelp {
    examples: "
  contextpack watch                        all roots
  contextpack watch feat:cache -p review   one root; an agent reads .contextpack/now.md
  contextpack watch feat:cache --print     also print how each save changes the rendering
  contextpack watch --agent research       keep the start of its sessions in .contextpack/now.md
  contextpack watch feat:cache --agent research --policy expanded
  contextpack watch --poll=5s              for file systems without change notices",
    exits: &[
        (0, "the reader of its output closed the pipe"),
        (1, "a file could not be read or written, or changes cannot be followed"),
        (2, "wrong usage, such as a root or an agent that does not exist at the start"),
        (130, "ended by Ctrl-C or by the system; every file is whole"),
    ],
};

#[cfg(feature = "github")]
pub(super) const SYNC: CommandHelp = CommandHelp {
    examples: "
  contextpack sync                                every open issue, and those that work items name
  contextpack sync 123 owner/other#4              two issues, with their neighbours and comments
  contextpack sync --label agent-ready --since 2026-01-01
  contextpack sync --all --max-requests 900       a part per run
  contextpack sync --write-config                 also write the repo into `contextpack.yml`",
    exits: &[
        (0, "the snapshot is up to date, or `--max-requests` was reached"),
        (1, "the network, the token, a rate limit or a file failed; the next run resumes"),
        (2, "wrong usage, such as no repo to ask for"),
        (3, "the configuration has errors"),
    ],
};

pub(super) const VERIFY: CommandHelp = CommandHelp {
    examples: "
  contextpack verify packs
  contextpack verify packs/feat-cache.coding.json --expect sha256:…
  contextpack verify packs --against-repo     also compare each with a build
  contextpack verify context                  every card, box and log
  curl -s https://example.com/pack.json | contextpack verify -",
    exits: &[
        (0, "every pack, card, box and log is valid"),
        (1, NOT_READ),
        (2, USAGE),
        (
            5,
            "a pack or another file is not valid, has another hash than expected, or differs from its build or its Markdown",
        ),
    ],
};

pub(super) const RENDER: CommandHelp = CommandHelp {
    examples: "
  contextpack render packs/feat-cache.coding.json
  contextpack render feat:cache -p review --max-tokens 4000
  contextpack render feat:cache --part instructions   the system prompt
  contextpack render feat:cache --part context        the first message
  contextpack render feat:cache --agent research      what this agent is given
  contextpack render feat:cache --format messages     both parts as messages of a chat",
    exits: &[(0, PRINTED), (1, NOT_READ), (2, NO_ROOT), (3, NO_PACK), (5, "the pack is not valid")],
};

pub(super) const AGENT: CommandHelp = CommandHelp {
    examples: "
  contextpack agent new Research --purpose \"answer questions about the market\" --tool search
  contextpack agent list
  contextpack agent show research
  contextpack render --agent research                 how a session of it begins",
    exits: &[
        (0, "done"),
        (1, NOT_READ_OR_WRITTEN),
        (2, "wrong usage, such as an agent that does not exist, or one that exists already"),
        (3, "a file of an agent or a document has errors"),
    ],
};

pub(super) const JOB: CommandHelp = CommandHelp {
    examples: "
  contextpack job                                     list the jobs and their next runs
  contextpack job daily-brief                         what the agent is given
  contextpack job daily-brief --format messages       as messages of a chat
  contextpack job daily-brief --record                and keep what was delivered",
    exits: &[
        (0, PRINTED),
        (1, NOT_READ_OR_WRITTEN),
        (2, "wrong usage, such as a job that does not exist"),
        (3, NO_PACK),
    ],
};

pub(super) const CARD: CommandHelp = CommandHelp {
    examples: "
  contextpack card add --type task.instruction --text 'Review the cache' --author planner
  contextpack card add card.json
  contextpack card add --from-messages run.json       one card for each message
  contextpack card show 3f2a9c01                      by the beginning of its id
  contextpack card delete 3f2a9c01                    and what that is not: `contextpack card delete --help`",
    exits: &[
        (0, "done; missing cards do not count"),
        (1, NOT_READ_OR_WRITTEN),
        (2, "wrong usage, such as a field that cards do not have; nothing was written"),
        (
            3,
            "a card to delete does not exist, a file was changed, or a secret of the environment was in a card; nothing was written",
        ),
    ],
};

pub(super) const BOX: CommandHelp = CommandHelp {
    examples: "
  contextpack box append coder 3f2a9c01 77b0e4d2      two cards to the log `coder`
  contextpack box snapshot coder                      what it holds now, as a box that never changes
  contextpack box show coder@3 --format messages      what the API of a model takes
  contextpack box new 3f2a9c01 --parent coder
  contextpack box from-pack packs/feat-cache.coding.json
  contextpack box diff coder@3 coder",
    exits: &[
        (0, "done; of several boxes, missing ones do not count"),
        (1, NOT_READ_OR_WRITTEN),
        (2, "wrong usage, such as a name that no log can have; nothing was written"),
        (3, "a card or box does not exist, or a file was changed; nothing was written"),
        (5, "`from-pack`: the pack is not valid"),
    ],
};

pub(super) const HANDOVER: CommandHelp = CommandHelp {
    examples: "
  contextpack handover launch --to coder --root feat:cache --arg instruction='Do the first criterion'
  contextpack handover delegate --from planner --to coder --box planner --root feat:cache --arg instruction='Do step 2'
  contextpack handover delegate --from coder --to coder --arg target_strategy=clone --arg instruction='Try it otherwise'
  contextpack handover ask-expert --from coder --to security --arg include_history=true --arg instruction='Is this safe?'
  contextpack handover review --arg change=@change.json --format json     a recipe of the configuration",
    exits: &[
        (0, "done"),
        (1, NOT_READ_OR_WRITTEN),
        (2, "wrong usage, such as an unknown recipe or argument, or a missing one; nothing was written"),
        (3, "an agent, a box or a card does not exist, a box is not authorized, the budget is too small, or the input has errors; nothing was written"),
    ],
};

pub(super) const BATCH: CommandHelp = CommandHelp {
    examples: "
  contextpack batch fork tasks.yml                     a pack for each task; prints the batch's id
  contextpack batch fork tasks.yml --push --wake github    also starts the workflows of `repository_dispatch`
  contextpack batch claim 3f2a9c01b7d4 0               accepted with an epoch, or busy
  contextpack batch report 3f2a9c01b7d4 0 --epoch 1 --status success --summary 'Done, see the log'
  contextpack batch status 3f2a9c01b7d4
  contextpack batch reclaim 3f2a9c01b7d4 --after 3600  what was claimed an hour ago and not reported
  contextpack batch join 3f2a9c01b7d4                  one result, also in the parent's log",
    exits: &[
        (0, "done; a report that came too late is kept, and says so"),
        (1, "`claim`: the task is busy; or the doorbell was not rung; or a file could not be read or written"),
        (2, "wrong usage, such as a plan with an unknown field or an epoch that has not begun; nothing was written"),
        (3, "a batch, task, agent or box does not exist, a task is open (`join`), or a file was changed"),
    ],
};

pub(super) const DISPATCH: CommandHelp = CommandHelp {
    examples: "
  contextpack dispatch coder --box 3f2a9c01 --root feat:cache   a context box of `contextpack handover`
  contextpack dispatch coder --box planner --from planner       what the log `planner` holds now
  contextpack dispatch coder --box planner --key again          the same request as another turn
  contextpack dispatch coder --box planner --push --wake github starts the workflows of `repository_dispatch`",
    exits: &[
        (0, "accepted, also if the same was dispatched before"),
        (
            1,
            "`busy`: the agent works on another turn; or the doorbell was not rung; or a file could not be read or written",
        ),
        (2, "wrong usage, such as `--wake github` without `--push`; nothing was written"),
        (
            3,
            "`rejected`: there is no such agent, or its inbox is closed; or the box does not exist; nothing was written",
        ),
    ],
};

pub(super) const INBOX: CommandHelp = CommandHelp {
    examples: "
  contextpack inbox list coder
  contextpack inbox claim coder                       the oldest turn that can be claimed
  contextpack inbox claim coder 3f2a9c01b7d4          accepted with an epoch, or busy
  contextpack inbox ack coder 3f2a9c01b7d4 --summary 'Done, see the log'
  contextpack inbox ack coder 3f2a --epoch 2 --status failed --error-code tests --error-message 'Two fail'
  contextpack inbox reclaim coder --after 3600        what was claimed an hour ago and not acknowledged
  contextpack inbox close coder                       takes no more turns",
    exits: &[
        (0, "done; a response that came too late is kept, and says so"),
        (
            1,
            "`claim`: the turn is busy, or there is none; or the doorbell was not rung; or a file could not be read or written",
        ),
        (2, "wrong usage, such as an epoch that has not begun; nothing was written"),
        (3, "an agent, turn or box does not exist; nothing was written. `list`: a file was changed"),
    ],
};

pub(super) const EXPLAIN: CommandHelp = CommandHelp {
    examples: "
  contextpack explain feat:cache
  contextpack explain packs/feat-cache.coding.json --format json
  contextpack explain feat:cache --max-chars 8000     what does a smaller budget omit?
  contextpack explain feat:cache --at 4k,8k,16k       what does each limit add?
  contextpack explain feat:cache --why-not docs/adr/0007-cache.md",
    exits: &[(0, PRINTED), (1, NOT_READ), (2, NO_ROOT), (3, NO_PACK), (5, "the pack is not valid")],
};

pub(super) const DIFF: CommandHelp = CommandHelp {
    examples: "
  contextpack diff                                  the checkout against HEAD
  contextpack diff main...HEAD --format markdown    the changes of a branch, for a comment
  contextpack diff old.json new.json
  contextpack diff main:packs/feat-cache.coding.json packs/feat-cache.coding.json
  contextpack diff origin/main --rebuild --exit-code",
    exits: &[
        (0, "compared"),
        (1, "a file or git could not be read"),
        (2, "wrong usage, such as a revision that does not exist"),
        (3, "with `--rebuild`: the input has errors"),
        (4, "with `--exit-code`: packs differ"),
    ],
};

pub(super) const SINCE: CommandHelp = CommandHelp {
    examples: "
  contextpack since sha256:…                        the hash that an agent, a trailer or a log names
  contextpack since packs/feat-cache.coding.json    a file
  contextpack since --commits main..HEAD            what the commits of a branch were written from
  contextpack since 3f2a9c01 --format json",
    exits: &[
        (0, "every pack is what a build gives now; what cannot be known counts only with `--strict`"),
        (1, "a file or git could not be read"),
        (2, "wrong usage, such as a hash that no file holds and no build gives"),
        (3, INPUT),
        (4, "something moved: a pack is stale, edited or orphaned"),
        (5, "a file is no whole pack; what can be read of it is compared"),
    ],
};

pub(super) const STATS: CommandHelp = CommandHelp {
    examples: "
  contextpack stats
  contextpack stats -p review -v                    another profile, and every row
  contextpack stats --format json
  contextpack stats feat:cache --max-tokens 8k      what would this limit cut?",
    exits: &[
        (0, PRINTED),
        (1, NOT_READ),
        (2, USAGE),
        (3, "the input has errors; the figures are those of all other packs"),
    ],
};

pub(super) const OPEN: CommandHelp = CommandHelp {
    examples: "
  contextpack open feat:cache
  contextpack open packs/feat-cache.coding.json --print    only the path of the page
  contextpack open feat:cache --agent research",
    exits: &[
        (0, "written, and opened"),
        (1, "a file could not be read or written, or there is no browser"),
        (2, NO_ROOT),
        (3, NO_PACK),
        (5, "the pack is not valid"),
    ],
};

pub(super) const TRAILER: CommandHelp = CommandHelp {
    examples: "
  contextpack trailer packs/feat-cache.coding.json
  contextpack trailer feat:cache --agent research
  export CONTEXTPACK_TRAILER=$(contextpack trailer feat:cache)   for the hook of `contextpack init --hook`
  git commit -m 'Cache results' --trailer \"$(contextpack trailer feat:cache)\"",
    exits: &[(0, PRINTED), (1, NOT_READ), (2, NO_ROOT), (3, NO_PACK), (5, "the pack is not valid")],
};

pub(super) const REPORT: CommandHelp = CommandHelp {
    examples: "
  contextpack report -o report.html                 all packs of this repo
  contextpack report packs/feat-cache.coding.json > cache.html
  contextpack report context -o cards.html          handovers, boxes and logs",
    exits: &[
        (0, "written"),
        (1, NOT_READ_OR_WRITTEN),
        (2, "wrong usage, such as a folder without packs"),
        (5, "a pack is not valid; the page says why"),
    ],
};

#[cfg(feature = "serve")]
pub(super) const SERVE: CommandHelp = CommandHelp {
    examples: "
  contextpack serve                                 open the printed address in a browser
  contextpack serve --watch                         also build, and again after each save
  contextpack serve --port 4000 packs
  contextpack serve --agent research                what this agent gets: each task, and the start of a session",
    exits: &[
        (0, "never by itself: it serves until it is stopped"),
        (1, "a file could not be read, or the port is taken"),
        (2, USAGE),
        (3, "the configuration has errors"),
    ],
};

#[cfg(feature = "mcp")]
pub(super) const MCP: CommandHelp = CommandHelp {
    examples: "
  contextpack init --agent claude                   makes Claude Code start it
  contextpack mcp                                   what such a program runs
  contextpack -C ../repo mcp                        for the packs of another folder",
    exits: &[(0, "standard input ended"), (1, "the folder or standard input could not be read"), (2, USAGE)],
};

pub(super) const GIT: CommandHelp = CommandHelp {
    examples: "
  contextpack init --git                            configures git to run these two
  contextpack git textconv packs/feat-cache.coding.json
  contextpack git merge %A %B %P                    as `merge.contextpack.driver`",
    exits: &[(0, "printed, or built"), (1, "a file could not be read, or the pack stays in conflict"), (2, USAGE)],
};

pub(super) const LIST: CommandHelp = CommandHelp {
    examples: "
  contextpack list
  contextpack list --format json
  contextpack list --matrix 8         the matrix of a workflow with eight jobs",
    exits: &[(0, "listed"), (1, NOT_READ), (2, USAGE), (3, INPUT)],
};

pub(super) const REDACT: CommandHelp = CommandHelp {
    examples: "
  contextpack redact notes.md
  git diff | contextpack redact
  contextpack redact --report docs/*.md       each redaction, why, and how to include it
  contextpack redact docs/*.md --out clean    each file by its own name in `clean`
  contextpack redact --rules                  all rules by name
  contextpack redact --why 'DB_PASS=marble'   why a value goes or stays
  echo 'id CUST-123456' | contextpack redact  try a rule of your own",
    exits: &[
        (0, "done, whether or not something was removed"),
        (1, NOT_READ_OR_WRITTEN),
        (2, USAGE),
        (3, "the configuration has errors, or a file is not text or is never opened"),
    ],
};

pub(super) const NOTES: CommandHelp = CommandHelp {
    examples: "
  contextpack notes CONTRIBUTING.md
  contextpack notes docs/*.md --write                    keeps them beside each document
  my-notes docs/a.md |
    contextpack notes docs/a.md --write --from -         keeps those of a program of yours",
    exits: &[
        (0, "there are notes on every document"),
        (1, NOT_READ_OR_WRITTEN),
        (2, USAGE),
        (3, "the configuration has errors, or there are no notes on a document; its `error` says why"),
    ],
};

pub(super) const SCHEMA: CommandHelp = CommandHelp {
    examples: "
  contextpack schema
  contextpack schema config > config.schema.json
  contextpack schema work-item
  contextpack schema card",
    exits: &[(0, PRINTED), (1, NOT_WRITTEN), (2, USAGE)],
};

pub(super) const COMPLETIONS: CommandHelp = CommandHelp {
    examples: "
  contextpack completions bash > ~/.local/share/bash-completion/completions/contextpack
  contextpack completions fish > ~/.config/fish/completions/contextpack.fish",
    exits: &[(0, PRINTED), (1, NOT_WRITTEN), (2, USAGE)],
};

pub(super) const MAN: CommandHelp = CommandHelp {
    examples: "
  contextpack man > contextpack.1
  contextpack man build | man -l -
  contextpack man batch claim | man -l -",
    exits: &[(0, PRINTED), (1, NOT_WRITTEN), (2, "wrong usage, such as a command that does not exist")],
};
