//! `contextpack man`: manual pages, in roff.

use super::args::{Args, ManArgs};
use crate::console::{self, Exit, Failure};
use clap::Command;
use clap_mangen::Man;
use std::io::{self, Write};

/// The name and the version at the foot of each page.
const SOURCE: &str = concat!("contextpack ", env!("CARGO_PKG_VERSION"));

/// Prints a manual page.
pub(crate) fn run(args: &ManArgs) -> Result<Exit, Failure> {
    let mut command = Args::documented();
    command.build();
    let found = args.command.iter().try_fold(&command, |command, name| command.find_subcommand(name));
    let Some(command) = found.cloned() else {
        let name = args.command.join(" ");
        return Err(Failure::usage(format!("`{name}` is not a command; `contextpack help` lists them")));
    };
    let mut page = Vec::new();
    write(command, &mut page)?;
    console::exact().write_all(&page)?;
    Ok(Exit::Done)
}

/// Writes a page: its parts are those of [`Man::render`], but for the synopsis, which is the usage, and for examples and exit
/// codes, whose lines stay as they are.
fn write(mut command: Command, out: &mut Vec<u8>) -> io::Result<()> {
    let usage = command.render_usage().to_string();
    let usage = usage.trim_start_matches("Usage:").trim().to_owned();
    let help = command.get_after_long_help().or(command.get_after_help()).map(ToString::to_string).unwrap_or_default();
    let has_commands = command.has_subcommands();
    let man = Man::new(command).source(SOURCE).manual("contextpack");
    man.render_title(out)?;
    man.render_name_section(out)?;
    section(out, "SYNOPSIS", usage.lines().map(str::trim))?;
    man.render_description_section(out)?;
    man.render_options_section(out)?;
    if has_commands {
        man.render_subcommands_section(out)?;
    }
    for part in help.split("\n\n").filter(|part| !part.trim().is_empty()) {
        match part.split_once(":\n") {
            Some(("Exit codes", lines)) => section(out, "EXIT STATUS", lines.lines())?,
            Some((title, lines)) => section(out, &title.to_uppercase(), lines.lines())?,
            None => section(out, "SEE ALSO", part.lines())?,
        }
    }
    Ok(())
}

/// Writes a section whose lines are not filled.
fn section<'a>(out: &mut Vec<u8>, title: &str, lines: impl Iterator<Item = &'a str>) -> io::Result<()> {
    writeln!(out, ".SH \"{title}\"\n.nf")?;
    for line in lines {
        let line =
            line.strip_prefix("  ").unwrap_or(line).replace('\\', "\\e").replace('-', "\\-").replace('\'', "\\(aq");
        // A point at the beginning would be a request.
        writeln!(out, "{}{line}", if line.starts_with('.') { "\\&" } else { "" })?;
    }
    writeln!(out, ".fi")
}
