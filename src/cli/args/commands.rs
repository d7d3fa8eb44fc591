//! The table of commands: purpose, formats and help of each, from which help, completions and manual pages are made.

use super::{AgentCommand, Args, Command};
use crate::console::Format;
use clap::{CommandFactory as _, ValueEnum as _};
use std::fmt::Write as _;
use std::sync::LazyLock;

pub(super) struct CommandEntry {
    pub(super) name: &'static str,
    /// The heading under which `contextpack --help` lists it.
    purpose: &'static str,
    /// The formats that it has, at least with some of its options.
    formats: Vec<Format>,
    /// Whether it `builds` packs, so that it matters whether git tracks a file, `warns` of the input, is about `one-pack`, is
    /// one of those that `--help` lists `first`, without `--all`, or is `hidden` from all lists.
    properties: &'static str,
    text: &'static str,
}

const TEXT: &[Format] = &[Format::Text];
const JSON: &[Format] = &[Format::Text, Format::Json];

/// The commands in the order of `contextpack --help`. Each has a line with its name, purpose, formats and properties, and below
/// it what the command does, examples and exit codes.
pub(super) static COMMANDS: LazyLock<Vec<CommandEntry>> = LazyLock::new(|| {
    let entries = include_str!("../help/commands.txt").split("=== ").filter_map(|entry| {
        let (head, text) = entry.split_once('\n')?;
        let mut words = head.splitn(4, ' ');
        let (name, purpose, formats) = (words.next()?, words.next()?, words.next()?);
        let formats = formats.split(',').filter_map(|name| Format::from_str(name, false).ok()).collect();
        Some(CommandEntry { name, purpose, formats, properties: words.next().unwrap_or_default(), text })
    });
    entries.collect()
});

impl CommandEntry {
    fn document(&self, command: clap::Command) -> clap::Command {
        let mut command = with_options(documented(command, self.text), self.name);
        if self.properties.contains("one-pack")
            && let Some(text) = option_text("one-pack.profiles")
        {
            command = command.mut_arg("profiles", |arg| helped(arg, text));
        }
        let command = command.hide(self.properties == "hidden");
        match self.name {
            "diff" => command.override_usage(DIFF_USAGE),
            "explain" | "render" => command.override_usage(pack_usage(self.name)),
            _ => command,
        }
    }

    /// Moves the examples before the options, and hides options of all commands that this one does not have or that are
    /// rarely needed.
    fn shorten(&self, command: clap::Command, globals: &[clap::Arg]) -> clap::Command {
        let (_, after) = parts(self.text);
        let (examples, exit_codes) = after.split_once("\n\n").unwrap_or((after, ""));
        let header = *command.get_styles().get_header();
        let list = examples.strip_prefix("Examples:").unwrap_or(examples);
        let template = format!(
            "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{header}Examples:{header:#}{list}\n\n{{all-args}}{{after-help}}"
        );
        let own = globals.iter().map(|arg| match arg.get_id().as_str() {
            "format" if self.formats.len() > 1 => {
                let help = format!("The output format: {}", listed(&self.formats));
                arg.clone().help(help).hide_possible_values(true)
            }
            "strict" if matches!(self.name, "build" | "watch") => {
                arg.clone().help("Treats every warning as an error: exit code 3; their packs are written all the same")
            }
            "strict" if self.properties.contains("warns") => {
                arg.clone().help("Treats every warning as an error: exit code 3")
            }
            "untracked" if self.properties.contains("builds") => arg.clone(),
            _ => arg.clone().hide(true),
        });
        command.args(own).help_template(template).after_long_help(format!("{exit_codes}\n\n{GLOBAL}"))
    }
}

const PROGRAM: &str = include_str!("../help/contextpack.txt");

const GLOBAL: &str = "\
Also -C DIR, --config FILE, --quiet, --verbose, --color WHEN: see `contextpack --help`.";

const DIFF_USAGE: &str = "\
contextpack diff [OPTIONS] [OLD|REV|REV..REV|REV...REV] [NEW]
       contextpack diff [OPTIONS] --since <HASH|PACK|->...
       contextpack diff [OPTIONS] --commits <REV..REV>";

/// Returns the usage of a command that takes a pack or a root, or builds what an agent gets without one.
fn pack_usage(command: &str) -> String {
    format!(
        "contextpack {command} [OPTIONS] <PACK|ITEM|->\n       contextpack {command} [OPTIONS] --agent <AGENT> [ITEM]"
    )
}

/// Splits a help text into what the command does, and its examples and exit codes.
fn parts(text: &'static str) -> (&'static str, &'static str) {
    let text = text.trim_end();
    let at = text.find("\n\nExamples:").map_or(text.len(), |at| at + 2);
    (text[..at].trim_end(), &text[at..])
}

fn documented(command: clap::Command, text: &'static str) -> clap::Command {
    let (description, after) = parts(text);
    described(command.after_long_help(after), description)
}

fn described(command: clap::Command, text: &'static str) -> clap::Command {
    match text.split_once("\n\n") {
        Some((about, _)) => command.about(about).long_about(text),
        None => command.about(text),
    }
}

/// Sets the help of an option, whose first paragraph is the short one.
fn helped(arg: clap::Arg, text: &'static str) -> clap::Arg {
    match text.split_once("\n\n") {
        Some((short, _)) => arg.help(short).long_help(text),
        None => arg.help(text),
    }
}

/// The texts of options, arguments and subcommands, each below its name in brackets: the words of the command, then a point
/// and the option. Without a command it is the text of all options of that name that have no text of their own.
const OPTIONS: &str = include_str!("../help/options.txt");

fn option_text(name: &str) -> Option<&'static str> {
    let (_, text) = OPTIONS.split_once(&format!("[{name}]\n"))?;
    Some(text.split("\n\n[").next().unwrap_or(text).trim_end())
}

fn text_of(mut words: &str, option: &str) -> Option<&'static str> {
    loop {
        match option_text(&format!("{words}.{option}")) {
            Some(text) => return Some(text),
            None => words = words.rsplit_once(' ').map_or("", |(shorter, _)| shorter),
        }
        if words.is_empty() {
            return option_text(option);
        }
    }
}

fn with_options(command: clap::Command, words: &str) -> clap::Command {
    let command = command.mut_args(|arg| match arg.get_help() {
        Some(_) => arg,
        None => text_of(words, arg.get_id().as_str()).map_or(arg.clone(), |text| helped(arg, text)),
    });
    command.mut_subcommands(|subcommand| {
        let words = format!("{words} {}", subcommand.get_name());
        let subcommand = match option_text(&words) {
            Some(text) => described(subcommand, text),
            None => subcommand,
        };
        with_options(subcommand, &words)
    })
}

fn entry(name: &str) -> Option<&'static CommandEntry> {
    COMMANDS.iter().find(|entry| entry.name == name)
}

/// Returns the formats that the command of this name has, at least with some of its options.
pub(super) fn formats_of(name: &str) -> &'static [Format] {
    entry(name).map_or(TEXT, |entry| &entry.formats)
}

fn listed(formats: &[Format]) -> String {
    let names: Vec<String> = formats.iter().map(|format| format!("`{}`", format.name())).collect();
    match names.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{} and {last}", others.join(", ")),
        None => String::new(),
    }
}

pub(super) fn formats_fault(name: &str, formats: &[Format], asked: &str, when: &str) -> String {
    let (noun, verb) = if formats.len() == 1 { ("format", "is") } else { ("formats", "are") };
    format!("`{name}` has no `--format {asked}`{when}: its {noun} {verb} {}", listed(formats))
}

impl Args {
    /// Returns the command with all its texts, of which parsing needs none.
    pub(crate) fn documented() -> clap::Command {
        let command = documented(Self::command(), PROGRAM).mut_subcommands(|command| match entry(command.get_name()) {
            Some(entry) => entry.document(command),
            None => command,
        });
        command.mut_args(|arg| match option_text(arg.get_id().as_str()) {
            Some(text) => helped(arg, text),
            None => arg,
        })
    }

    /// Returns the command with help that fits a screen: the program's lists the subcommands by purpose, and that of a
    /// subcommand begins with examples and leaves global options that are rarely needed to the program's.
    pub(super) fn with_short_help() -> clap::Command {
        let command = Self::documented();
        let globals: Vec<clap::Arg> = command.get_arguments().filter(|arg| arg.is_global_set()).cloned().collect();
        let template = template(&command);
        command.help_template(template).mut_subcommands(|command| match entry(command.get_name()) {
            Some(entry) => entry.shorten(command, &globals),
            None => command,
        })
    }

    /// Returns the command for completions: each subcommand has the formats that it prints.
    pub(crate) fn for_completion() -> clap::Command {
        let command = Self::documented();
        let format = command.get_arguments().find(|arg| arg.get_id() == "format").cloned();
        command.mut_subcommands(|subcommand| match &format {
            Some(format) => {
                let names: Vec<&str> = formats_of(subcommand.get_name()).iter().map(|format| format.name()).collect();
                subcommand.arg(format.clone().default_value("text").value_parser(names))
            }
            None => subcommand,
        })
    }

    /// Returns why the command `name` cannot print the format that was asked for, if it cannot.
    pub(super) fn format_fault(&self, name: &str) -> Option<String> {
        let (formats, when) = match &self.command {
            Command::Agent(AgentCommand::Job(options)) if options.name.is_none() => {
                (JSON, " without the name of a job")
            }
            Command::Agent(AgentCommand::Job(_)) => (formats_of(name), ""),
            Command::Agent(_) => (JSON, " other than for `agent job NAME`"),
            Command::Render(options) if options.trailer => (TEXT, " with `--trailer`"),
            #[cfg(feature = "handoff")]
            Command::Handoff(command) if name == "box" && !command.shows_boxes() => {
                (JSON, " other than for `box show`")
            }
            Command::Explain(options) if options.why_not.is_some() => (JSON, " with `--why-not`"),
            Command::Explain(options) if !options.at.is_empty() => (JSON, " with `--at`"),
            Command::Redact(options) if !options.report && !options.rules && options.why.is_none() => {
                (TEXT, " without `--report`, `--rules` or `--why`")
            }
            _ => (formats_of(name), ""),
        };
        let asked = self.global.format;
        (!formats.contains(&asked)).then(|| formats_fault(name, formats, asked.name(), when))
    }
}

fn template(command: &clap::Command) -> String {
    let styles = command.get_styles();
    let (header, literal) = (styles.get_header(), styles.get_literal());
    let mut text = String::from("{about-with-newline}\n{usage-heading} {usage}\n\n");
    let all = std::env::args_os().any(|argument| argument == "--all");
    let is_shown =
        |entry: &&CommandEntry| if all { entry.properties != "hidden" } else { entry.properties.contains("first") };
    let shown: Vec<&CommandEntry> = COMMANDS.iter().filter(is_shown).collect();
    for group in shown.chunk_by(|a, b| !all || a.purpose == b.purpose) {
        let heading = if all { group[0].purpose } else { "Commands" };
        // Writing to a `String` cannot fail.
        let _ = writeln!(text, "{header}{heading}:{header:#}");
        for subcommand in group.iter().filter_map(|entry| command.find_subcommand(entry.name)) {
            let about = subcommand.get_about().map(ToString::to_string).unwrap_or_default();
            let _ = writeln!(text, "  {literal}{:<12}{literal:#} {about}", subcommand.get_name());
        }
        text.push('\n');
    }
    text + &format!(
        "`contextpack --help --all` lists all commands; `contextpack COMMAND --help` shows options and examples.\n\n{header}Options:{header:#}\n{{options}}{{after-help}}"
    )
}
