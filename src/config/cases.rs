//! Configurations and what is reported on them: `tests/cases/config.txt`.

#![expect(clippy::unwrap_used, reason = "tests")]

use super::load_with_rules;
use crate::model::cases::hold_blocks;
use std::fmt::Write as _;

/// Names of rules that the cases treat as built in.
const RULES: [&str; 5] = ["github-pat", "invisible-text", "jwt", "unreadable-text", "url-password"];

#[test]
fn every_fault_has_its_place_message_and_help() {
    hold_blocks("config.txt", |_, text| report(text));
}

/// Returns a line for each diagnostic, and one for its help.
fn report(config: &str) -> String {
    let mut lines = String::new();
    for fault in load_with_rules("contextpack.yml", Some(config), &RULES).unwrap_err() {
        let place = fault.at.unwrap();
        let _written = writeln!(lines, "{}:{} {}", place.line.unwrap(), place.column.unwrap(), fault.message);
        if let Some(help) = fault.help {
            let _written = writeln!(lines, "    help: {help}");
        }
    }
    lines
}
