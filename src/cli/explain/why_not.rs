//! `explain --why-not`: why an item or file is not in a pack.

use crate::cli::args::{ExplainArgs, Global};
use crate::cli::input;
use crate::cli::packs::{self, Probe};
use crate::cli::workspace::open;
use crate::console::Exit;
use crate::console::report::print_lines;
use crate::console::{Failure, without_secrets};
use crate::engine::why_not_in;
use crate::review::{WhyNot, why_not};
use crate::store::Access;

/// Prints the answer; the exit code does not depend on it, but on errors of the input.
pub(super) fn run(global: &Global, args: &ExplainArgs, asked: &str) -> Result<Exit, Failure> {
    let target = args.target.pack();
    let finished = target.root.is_some_and(|root| matches!(input::is_pack(root), Ok(true)));
    let (answer, exit) = if finished {
        let (pack, exit) = input::pack(global, &target, true)?;
        let Some(pack) = pack else { return Ok(exit) };
        let answer = why_not(&pack, asked, &[asked.to_owned()]).unwrap_or_else(|| {
            let root = pack.root.work_item_id.as_ref().or(pack.root.issue_url.as_ref()).cloned().unwrap_or_default();
            let help = format!("ask about the root in its repo: `contextpack explain {root} --why-not {asked}`");
            WhyNot::new(asked, "unknown", "the pack does not mention it", help)
        });
        (answer, exit)
    } else {
        let repository = open(global, &[], Some(Access::Read))?;
        let project = repository.project();
        let Probe { probe, limits, .. } = packs::probe(&repository, &project, &target)?;
        let (sealed, run) = packs::build(global, &repository, &probe, limits)?;
        run.print(global, true)?;
        let Some(sealed) = sealed else { return Ok(run.exit()) };
        (why_not_in(&repository, &project, &probe, &sealed, asked)?, run.exit())
    };
    let answer = answer.cleaned(without_secrets);
    let help = answer.help.iter().map(|help| format!("  help: {help}"));
    let lines = std::iter::once(format!("{}: {}", answer.asked, answer.message)).chain(help);
    print_lines(global.format, &answer, lines)?;
    Ok(exit)
}
