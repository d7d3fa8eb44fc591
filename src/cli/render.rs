//! `contextpack render`.

use super::args::{Global, RenderArgs, RenderPart};
use super::console;
use super::exit::Exit;
use super::failure::Failure;
use super::input;
use super::report::print_invalid_pack;
use crate::render::Form;
use crate::review::invisible_faults;
use crate::wire::Pack;
use std::io::Write as _;

/// Prints a pack as the Markdown that its budget measured, and nothing else.
pub(crate) fn run(global: &Global, args: &RenderArgs) -> Result<Exit, Failure> {
    let pack = match input::pack(global, &args.target, &args.budget)? {
        Ok(pack) => pack,
        Err(exit) => return Ok(exit),
    };
    let faults = faults(&pack);
    if !faults.is_empty() {
        faults.iter().try_for_each(|fault| print_invalid_pack(&args.target, fault))?;
        return Ok(Exit::Invalid);
    }
    let parts = crate::render::pack(&pack);
    let text = match args.part {
        None => parts.whole(),
        Some(RenderPart::Instructions) => parts.instructions,
        Some(RenderPart::Context) => parts.context,
    };
    let mut out = console::exact();
    out.write_all(text.as_bytes())?;
    out.flush()?;
    Ok(Exit::Done)
}

/// Returns why a pack must not be printed: its text would differ from the rendering that its budget measured, or it has
/// invisible text that an agent would follow.
fn faults(pack: &Pack) -> Vec<String> {
    let mut faults = invisible_faults(pack);
    if Form::named(&pack.budget.rendering).is_none() {
        let name: String = pack.budget.rendering.chars().take(80).collect();
        faults.push(format!("this program does not know the rendering `{name}`"));
    }
    faults
}
