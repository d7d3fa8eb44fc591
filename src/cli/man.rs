//! `contextpack man`.

use super::args::{Args, ManArgs};
use super::console;
use super::exit::Exit;
use super::failure::Failure;
use clap::CommandFactory as _;
use std::io::Write as _;

/// Prints a manual page, in roff.
pub(crate) fn run(args: &ManArgs) -> Result<Exit, Failure> {
    let mut command = Args::command();
    command.build();
    let command = match &args.command {
        None => command,
        Some(name) => match command.find_subcommand(name) {
            Some(found) => found.clone(),
            None => {
                return Err(Failure::usage(format!("`{name}` is not a command; `contextpack help` lists them")));
            }
        },
    };
    let mut page = Vec::new();
    clap_mangen::Man::new(command).render(&mut page)?;
    console::exact().write_all(&page)?;
    Ok(Exit::Done)
}
