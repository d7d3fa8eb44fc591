//! `contextpack render`.

use super::args::{Global, Part, RenderArgs};
use super::exit::Exit;
use super::failure::Failure;
use super::target;
use std::io::Write as _;

/// Prints a pack as the Markdown that its budget measured, and nothing else.
pub(crate) fn run(global: &Global, args: &RenderArgs) -> Result<Exit, Failure> {
    let pack = match target::pack(global, &args.target, &args.building)? {
        Ok(pack) => pack,
        Err(exit) => return Ok(exit),
    };
    let parts = contextpack::render::pack(&pack);
    let text = match args.part {
        None => parts.whole(),
        Some(Part::Instructions) => parts.instructions,
        Some(Part::Context) => parts.context,
    };
    let mut out = std::io::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()?;
    Ok(Exit::Done)
}
