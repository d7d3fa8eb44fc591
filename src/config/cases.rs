//! Configurations and what is reported on them: `tests/cases/config.txt`.

#![expect(clippy::unwrap_used, reason = "tests")]

use super::load_with_rules;
use std::fmt::Write as _;

/// Names of rules that the cases treat as built in.
const RULES: [&str; 5] = ["github-pat", "invisible-text", "jwt", "unreadable-text", "url-password"];

#[test]
fn every_fault_has_its_place_message_and_help() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cases/config.txt");
    let written = std::fs::read_to_string(path).unwrap();
    let mut reported = String::new();
    let mut config: Option<String> = None;
    let mut is_report = false;
    for line in written.lines() {
        if line == "====" || line.starts_with("==== ") {
            (config, is_report) = (Some(String::new()), false);
        } else if line == "--"
            && let Some(text) = config.take()
        {
            is_report = true;
            let _written = writeln!(reported, "--\n{}", report(&text));
            continue;
        } else if let Some(text) = &mut config {
            text.push_str(line);
            text.push('\n');
        }
        if !is_report {
            reported.push_str(line);
            reported.push('\n');
        }
    }
    if std::env::var_os("CONTEXTPACK_BLESS").is_some() {
        std::fs::write(path, &reported).unwrap();
    } else {
        assert_eq!(written, reported, "accept with CONTEXTPACK_BLESS=1, then read `git diff`");
    }
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
