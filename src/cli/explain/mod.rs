//! `contextpack explain`.

mod budget_steps;
mod why_not;

#[cfg(test)]
pub(crate) use budget_steps::BudgetSteps;

use super::args::{ExplainArgs, Global};
use super::input;
use super::workspace::settled;
use crate::console::Exit;
use crate::console::Failure;
use crate::console::Format;
use crate::console::{self, json_text, printable, wrapped};
use std::io::Write as _;

/// Shows every section in and out of a pack, why, and what it costs.
pub(crate) fn run(global: &Global, args: &ExplainArgs) -> Result<Exit, Failure> {
    if let Some(asked) = &args.why_not {
        return settled(|| why_not::run(global, args, asked));
    }
    if !args.at.is_empty() {
        return settled(|| budget_steps::run(global, args));
    }
    let (pack, exit) = input::pack(global, &args.pack_target(), false)?;
    let Some(pack) = pack else { return Ok(exit) };
    let explanation = crate::review::explain(&pack);
    let mut out = console::stdout();
    match global.format {
        Format::Json => {
            writeln!(out, "{}", json_text(&explanation))?;
        }
        Format::Markdown | Format::Github => write!(out, "{}", explanation.markdown())?,
        Format::Text | Format::Messages | Format::Table => {
            let width = console::width();
            for line in explanation.text().lines() {
                for part in wrapped(&printable(line), width) {
                    writeln!(out, "{part}")?;
                }
            }
        }
    }
    Ok(exit)
}
