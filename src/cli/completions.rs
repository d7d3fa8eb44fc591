//! `contextpack completions`.

use super::args::{Args, CompletionsArgs};
use super::console;
use super::exit::Exit;
use super::failure::Failure;
use clap::CommandFactory as _;
use std::io::Write as _;

/// Prints a script that completes commands and options.
pub(crate) fn run(args: &CompletionsArgs) -> Result<Exit, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Args::command(), "contextpack", &mut script);
    console::exact().write_all(&script)?;
    Ok(Exit::Done)
}
