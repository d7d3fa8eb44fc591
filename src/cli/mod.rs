//! The command line: arguments, environment, terminal and exit codes. One file per command.

mod agent;
mod args;
mod build;
mod check;
mod completion;
mod delivery;
mod diff;
mod done;
mod explain;
mod git;
#[cfg(feature = "handoff")]
mod handoff;
mod hook;
mod init;
mod input;
mod list;
mod notes;
mod packs;
#[cfg(feature = "page")]
mod page;
mod ready;
mod rebuild;
mod redact;
mod reference;
mod since;
mod stats;
#[cfg(feature = "github")]
mod sync;
mod vectors;
mod verify;
mod watch;

use crate::console::{self, Exit, Failure, PathFailure, guarded, report, settled, start_threads, without_secrets};
use args::{Args, Color, Command, ReadyArgs};
use std::borrow::Cow;
use std::ffi::OsString;
use std::io::{self, Write as _};
use std::path::Path;
use std::process::ExitCode;

/// Runs the command line of this process and returns its exit code.
pub fn run() -> ExitCode {
    completion::answer();
    let exit = guarded(|| {
        start_threads();
        run_command()
    });
    exit.code().into()
}

fn run_command() -> Exit {
    let args = match Args::from_process() {
        Ok(args) => args,
        Err(error) => {
            // Help and version are output; all else is wrong usage.
            let code = if error.use_stderr() { Exit::Usage } else { Exit::Done };
            let printed = print_usage(&error).and_then(|()| match error.use_stderr() && asks_for_json() {
                true => report::print_error_json(&usage_message(&error), "bad_request", code, &[]),
                false => Ok(()),
            });
            return if printed.is_ok() { code } else { code.and(Exit::Outside) };
        }
    };
    match args.global.color {
        Color::Auto => {}
        Color::Always => anstream::ColorChoice::Always.write_global(),
        Color::Never => anstream::ColorChoice::Never.write_global(),
    }
    match enter(args.global.directory.as_deref()).and_then(|()| dispatch(&args)) {
        Ok(exit) => exit,
        Err(failure) => match (report::print_failure(failure, args.global.format), &args.command) {
            // No session fails for what it is told when it begins.
            (_, Command::Hook(_)) => Exit::Done,
            (exit, _) => exit,
        },
    }
}

fn asks_for_json() -> bool {
    let arguments: Vec<OsString> = std::env::args_os().collect();
    arguments.iter().any(|argument| argument == "--format=json")
        || arguments.windows(2).any(|pair| pair[0] == "--format" && pair[1] == "json")
}

fn usage_message(error: &clap::Error) -> String {
    let text = error.render().to_string();
    let message = ["\n\nUsage:", "\n\nFor more information"]
        .iter()
        .fold(text.as_str(), |message, end| message.split(end).next().unwrap_or_default());
    without_secrets(message.strip_prefix("error: ").unwrap_or(message).trim())
}

fn print_usage(error: &clap::Error) -> io::Result<()> {
    let text = error.render();
    if !error.use_stderr() {
        return write!(console::stdout(), "{}", text.ansi());
    }
    let is_hostile = |arg: OsString| matches!(console::printable(&arg.to_string_lossy()), Cow::Owned(_));
    if !std::env::args_os().any(is_hostile) {
        return write!(console::stderr(), "{}", text.ansi());
    }
    // An argument's escape codes could not be distinguished from those of the styles.
    let mut err = console::stderr();
    text.to_string().lines().try_for_each(|line| writeln!(err, "{}", console::printable(line)))
}

/// Changes to the folder of `-C`, which every path of the command line is relative to.
fn enter(directory: Option<&Path>) -> Result<(), Failure> {
    let Some(directory) = directory else { return Ok(()) };
    std::env::set_current_dir(directory)
        .map_err(|error| PathFailure::failure("enter", directory.display().to_string(), error))
}

fn dispatch(args: &Args) -> Result<Exit, Failure> {
    let judges = matches!(args.command, Command::Verify(_) | Command::Check(_) | Command::Ready(_) | Command::Diff(_));
    if judges || matches!(args.command, Command::Notes(_) | Command::Stats(_)) {
        console::outlive_reader();
    }
    match &args.command {
        Command::Init(options) => init::run(&args.global, options),
        Command::Schema { schema } => reference::schema(schema),
        Command::Completions { shell } => completion::print_script(*shell),
        Command::Man { command } => reference::manual(command),
        Command::Build(options) => settled(|| build::run(&args.global, options)),
        Command::Check(options) => settled(|| check::run(&args.global, options)),
        Command::Ready(ReadyArgs { packs, done: Some(file) }) => done::run(&args.global, packs, file),
        Command::Ready(options) => settled(|| ready::run(&args.global, &options.packs)),
        Command::Watch(options) => watch::run(&args.global, options),
        #[cfg(feature = "github")]
        Command::Sync(options) => sync::run(&args.global, options),
        Command::Verify(options) => verify::run(&args.global, options),
        Command::Agent(options) => agent::run(&args.global, options),
        #[cfg(feature = "handoff")]
        Command::Handoff(command) => handoff::run(&args.global, command),
        Command::Render(options) => delivery::render(&args.global, options),
        Command::Hook(options) => hook::run(&args.global, options),
        Command::Explain(options) => explain::run(&args.global, options),
        Command::Diff(options) => diff::run(&args.global, options),
        Command::Stats(options) => settled(|| stats::run(&args.global, options)),
        #[cfg(feature = "page")]
        Command::Page(options) => page::run(&args.global, options),
        #[cfg(feature = "mcp")]
        Command::Mcp(options) => {
            let tools = options.agent.as_deref().map(|name| handoff::tools(&args.global, name)).transpose()?;
            crate::mcp::run(args.global.workspace(), args.global.quiet, tools)
        }
        Command::Git(options) => git::run(&args.global, options),
        Command::List(options) => settled(|| list::run(&args.global, options)),
        Command::Notes(options) => notes::run(&args.global, options),
        Command::Redact(options) => redact::run(&args.global, options),
    }
}
