//! What the program prints about itself: `contextpack schema` and `man`.

use super::args::Args;
use crate::console::{self, Exit, Failure};
use clap::Command;
use clap_mangen::Man;
use std::io::{self, Write};

type Schema = (&'static str, &'static str, &'static str);

/// The JSON Schemas by name, each with what it describes.
#[rustfmt::skip]
pub(super) const SCHEMAS: &[Schema] = &[
    ("pack", crate::wire::SCHEMA, "A pack"),
    ("config", include_str!("../../schema/config.schema.json"), "`contextpack.yml`"),
    ("work-item", crate::records::WORK_ITEM_SCHEMA, "The native fields of a work item"),
    ("card", include_str!("../../schema/card.schema.json"), "The file of a card"),
    ("box", include_str!("../../schema/box.schema.json"), "The file of a box"),
    ("batch-file", include_str!("../../schema/batch-file.schema.json"), "The plan that `batch fork` reads"),
    ("batch", include_str!("../../schema/batch.schema.json"), "`batch.json` of a batch"),
    ("batch-claim", include_str!("../../schema/batch-claim.schema.json"), "A claim of a batch"),
    ("batch-report", include_str!("../../schema/batch-report.schema.json"), "A report of a batch"),
    ("batch-event", include_str!("../../schema/batch-event.schema.json"), "An event of a batch"),
    ("batch-result", include_str!("../../schema/batch-result.schema.json"), "`result.json` of a batch"),
    ("inbox-request", include_str!("../../schema/inbox-request.schema.json"), "A request of an inbox"),
    ("inbox-claim", include_str!("../../schema/inbox-claim.schema.json"), "A claim of an inbox"),
    ("inbox-response", include_str!("../../schema/inbox-response.schema.json"), "A response of an inbox"),
    ("inbox-event", include_str!("../../schema/inbox-event.schema.json"), "An event of an inbox"),
    ("output", include_str!("../../schema/output.schema.json"), "The output of the commands with `--format json`"),
];

pub(crate) fn schema(schema: &str) -> Result<Exit, Failure> {
    console::stdout().write_all(schema.as_bytes())?;
    Ok(Exit::Done)
}

const SOURCE: &str = concat!("contextpack ", env!("CARGO_PKG_VERSION"));

pub(crate) fn manual(words: &[String]) -> Result<Exit, Failure> {
    let mut command = Args::documented();
    command.build();
    let found = words.iter().try_fold(&command, |command, name| command.find_subcommand(name));
    let Some(command) = found.cloned() else {
        let name = words.join(" ");
        return Err(Failure::usage(format!("`{name}` is not a command; `contextpack help` lists them")));
    };
    let mut page = Vec::new();
    write_manual(command, &mut page)?;
    console::exact().write_all(&page)?;
    Ok(Exit::Done)
}

/// Writes a page: its parts are those of [`Man::render`], but for the synopsis, which is the usage, and for examples and exit
/// codes, whose lines stay as they are.
fn write_manual(mut command: Command, out: &mut Vec<u8>) -> io::Result<()> {
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
