//! `contextpack render`.

use super::args::{Global, RenderArgs};
use super::delivery;
use super::input;
use super::workspace::open;
use crate::console::Exit;
use crate::console::Failure;
use crate::console::report::print_invalid_pack;
use crate::render::Form;
use crate::review::invisible_faults;
use crate::wire::Pack;

/// Prints a pack as the Markdown that its budget measured, and nothing else; or in a form that an agent's program takes.
pub(crate) fn run(global: &Global, args: &RenderArgs) -> Result<Exit, Failure> {
    let target = args.target.pack();
    let (pack, exit) = input::pack(global, &target, true)?;
    let Some(pack) = pack else { return Ok(exit) };
    let faults = faults(&pack);
    if !faults.is_empty() {
        let name = args.target.target.as_deref().unwrap_or("the pack");
        faults.iter().try_for_each(|fault| print_invalid_pack(name, fault))?;
        return Ok(Exit::Invalid);
    }
    if args.record {
        delivery::record(global, &open(global, &[], None)?, &pack)?;
    }
    let rendering = crate::render::pack(&pack);
    delivery::print(&pack, rendering, global.format, args.part)?;
    Ok(exit)
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
