//! `contextpack schema`.

use super::args::{SchemaArgs, SchemaKind};
use super::console;
use super::exit::Exit;
use super::failure::Failure;
use std::io::Write as _;

/// Prints a JSON Schema.
pub(crate) fn run(args: &SchemaArgs) -> Result<Exit, Failure> {
    let text = match args.kind {
        SchemaKind::Config => crate::config::schema(),
        SchemaKind::WorkItem => crate::records::work_item_schema(),
        SchemaKind::Output => super::output::schema(),
        SchemaKind::Pack => crate::wire::schema(),
    };
    console::stdout().write_all(text.as_bytes())?;
    Ok(Exit::Done)
}
