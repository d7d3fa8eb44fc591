//! `contextpack explain`.

mod budget_steps;
mod why_not;

#[cfg(test)]
pub(crate) use budget_steps::BudgetSteps;

use super::args::{ExplainArgs, Global};
use super::input;
use super::workspace::settled;
use crate::console::{Exit, Failure, explanation_document};

/// Shows every section in and out of a pack, why, and what it costs.
pub(crate) fn run(global: &Global, args: &ExplainArgs) -> Result<Exit, Failure> {
    if let Some(asked) = &args.why_not {
        return settled(|| why_not::run(global, args, asked));
    }
    if !args.at.is_empty() {
        return settled(|| budget_steps::run(global, args));
    }
    let (pack, exit) = input::pack(global, &args.target.pack(), false)?;
    let Some(pack) = pack else { return Ok(exit) };
    let explanation = crate::review::explain(&pack);
    explanation_document(&explanation).print(global.format, global.verbose, &[], &explanation)?;
    Ok(exit)
}
