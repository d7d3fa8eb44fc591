//! The text of `contextpack.yml` → [`Settings`], or everything that is wrong with it.

use super::check;
use super::deserialize::read;
use super::faults::{ConfigFault, PathStep, shortened};
use super::settings::Settings;
use super::tree::{self, ConfigFaults, SettingPlace};
use crate::model::{Code, Diagnostic, Place, RepoPath};
use crate::yaml::YamlNode;

const DEFAULTS: &str = include_str!("defaults.yml");

const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Reads the configuration without checking the names of redaction rules; see [`load_with_rules`].
pub fn load(path_shown: &str, text: Option<&str>) -> Result<Settings, Vec<Diagnostic>> {
    load_with_rules(path_shown, text, &[])
}

/// Reads the configuration; without a text everything has its default.
///
/// `path_shown` is the file that diagnostics name. The text has no byte-order mark. `rules` are the names of the built-in
/// redaction rules, which `redaction:` may allow and must not define.
pub fn load_with_rules(path_shown: &str, text: Option<&str>, rules: &[&str]) -> Result<Settings, Vec<Diagnostic>> {
    let only = |code, fault| Err(diagnostics(path_shown, code, vec![fault]));
    let mut root = match tree::read(text.unwrap_or_default()) {
        Ok(root) => root,
        Err(fault) => return only(Code::InvalidConfig, fault),
    };
    if let Some((code, fault)) = version_fault(&root) {
        return only(code, fault);
    }
    let mut faults = ConfigFaults::default();
    let defaults =
        tree::read(DEFAULTS).map_err(|fault| diagnostics("defaults.yml", Code::InvalidConfig, vec![fault]))?;
    let mut settings = read::<Settings>(&mut root, Some(&defaults), &mut faults.0);
    faults.0.iter_mut().for_each(add_form);
    if let Some(settings) = &mut settings {
        check::settings(settings, rules, SettingPlace::root(&root), &mut faults);
    }
    match settings {
        Some(settings) if faults.0.is_empty() => Ok(settings),
        _ => Err(diagnostics(path_shown, Code::InvalidConfig, faults.0)),
    }
}

/// Adds the right form to a fault of a setting that is easily written as a mere path.
fn add_form(fault: &mut ConfigFault) {
    let ([PathStep::Key(name)] | [PathStep::Index(_), PathStep::Key(name)]) = fault.path.as_slice() else { return };
    let form = match name.as_str() {
        "work_items" => "write `work_items: [{include: [\"work_items/**/*.md\"]}]`",
        "adrs" => "write `adrs: {include: [\"docs/adr/**/*.md\"]}`",
        "documents" => "write `documents: [{include: [\"docs/**/*.md\"]}]`",
        _ => return,
    };
    fault.help.get_or_insert(form.to_owned());
}

/// Checks the two versions, which come before all else: the rest of the file may mean something else in other versions.
fn version_fault(root: &YamlNode) -> Option<(Code, ConfigFault)> {
    if let Some((_, node)) = tree::entry(root, "required_version")
        && let Some(required) = tree::text(node)
    {
        let required = required.trim();
        if !is_version(required) {
            let fault = ConfigFault::new(format!("`{}` is not a version", shortened(required))).at(node.at);
            return Some((Code::InvalidConfig, fault.help("give one to three numbers, such as `0.1` or `0.1.3`")));
        }
        if !matches_version(required, VERSION) {
            let fault =
                ConfigFault::new(format!("this repo needs contextpack {required}, and this is {VERSION}")).at(node.at);
            // A package of that name in a registry may be somebody else's, so it is built from its source.
            let help = format!(
                "in a clone of contextpack, check out the commit of version {required} and run `cargo install --locked --path .`"
            );
            return Some((Code::RequiredVersion, fault.help(help)));
        }
    }
    let (_, node) = tree::entry(root, "version")?;
    match tree::text(node) {
        Some("1") | None => None,
        Some(other) => {
            let fault = ConfigFault::new(format!("version `{}` of this file is unknown", shortened(other))).at(node.at);
            Some((Code::InvalidConfig, fault.help(format!("contextpack {VERSION} reads `version: 1`"))))
        }
    }
}

/// Whether a text is one to three numbers, the third perhaps with the name of a pre-release.
fn is_version(text: &str) -> bool {
    let (numbers, pre) = text.split_once('-').map_or((text, None), |(numbers, pre)| (numbers, Some(pre)));
    let parts: Vec<&str> = numbers.split('.').collect();
    let number = |part: &&str| !part.is_empty() && part.len() < 10 && part.bytes().all(|b| b.is_ascii_digit());
    let named = |pre: &str| !pre.is_empty() && pre.bytes().all(|b| b.is_ascii_alphanumeric() || b"-.".contains(&b));
    parts.len() <= 3 && parts.iter().all(number) && pre.is_none_or(|pre| parts.len() == 3 && named(pre))
}

/// Whether `version` is the one that `required` names in whole or in part.
fn matches_version(required: &str, version: &str) -> bool {
    version.strip_prefix(required).is_some_and(|rest| {
        rest.is_empty() || rest.starts_with('.') || (rest.starts_with('-') && required.matches('.').count() < 2)
    })
}

fn diagnostics(path_shown: &str, code: Code, faults: Vec<ConfigFault>) -> Vec<Diagnostic> {
    // A file given from outside the repo is shown by its name.
    let path = RepoPath::new(path_shown).ok().or_else(|| {
        let name = path_shown.rsplit(['/', '\\']).next()?;
        RepoPath::new(name).ok()
    });
    let mut found: Vec<Diagnostic> = faults
        .into_iter()
        .map(|fault| {
            let place = path.clone().map(|path| Place {
                path,
                line: fault.at.map(|at| at.line),
                column: fault.at.map(|at| at.column),
            });
            let mut diagnostic = Diagnostic::new(code, place, fault.message);
            diagnostic.help = fault.help;
            diagnostic
        })
        .collect();
    found.sort();
    found.dedup();
    found
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
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
}
