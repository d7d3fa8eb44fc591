//! What GitHub's runner reads of a step besides its log: the job's summary, and the step's outputs.

use super::annotations::{random_word, workspace_prefix};
use super::{Column, Document, Failure, Line, PathFailure, TextStyle, counted, line};
use crate::engine::{PackState, markdown_copy};
use crate::model::Diagnostic;
use crate::review::PackStatus;
use std::collections::BTreeMap;
use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::Path;

const MAX_SUMMARY_PACKS: usize = 200;
const MAX_SUMMARY_DIAGNOSTICS: usize = 20;

/// Appends the outputs of a step to `file`; paths are relative to the workflow's workspace.
///
/// `shown` returns the path of a pack's file from the repo's root, `blockers` has the number of open blockers of each root.
pub(crate) fn append_outputs(
    file: &Path,
    states: &[PackState],
    shown: &dyn Fn(&str) -> String,
    markdown: Option<&Path>,
    blockers: &BTreeMap<String, Option<usize>>,
) -> Result<(), Failure> {
    let prefix = workspace_prefix();
    let path = |state: &PackState| format!("{prefix}{}", shown(&state.name));
    let list = |is_listed: fn(&PackState) -> bool| {
        let paths: Vec<String> = states.iter().filter(|state| is_listed(state)).map(path).collect();
        serde_json::Value::from(paths).to_string()
    };
    let lists = [
        ("packs", list(|state| state.summary.is_some() && state.status != PackStatus::Removed)),
        ("changed", list(|state| matches!(state.status, PackStatus::Written | PackStatus::Removed))),
    ];
    // With several packs the outputs of the only pack are empty.
    let only = match states {
        [one] => one.summary.as_ref().filter(|_| one.status != PackStatus::Removed).map(|summary| (one, summary)),
        _ => None,
    };
    let file_name = |state: &PackState| Some(markdown?.join(markdown_copy::name(&state.name)).to_str()?.to_owned());
    let open = |state: &PackState| blockers.get(&state.root).copied().flatten();
    let of_only = [
        ("pack", only.map(|(state, _)| path(state))),
        ("markdown", only.and_then(|(state, _)| file_name(state))),
        ("hash", only.map(|(_, summary)| summary.hash.clone())),
        ("tokens", only.and_then(|(_, summary)| summary.used_tokens).map(|tokens| tokens.to_string())),
        ("open-blockers", only.and_then(|(state, _)| open(state)).map(|open| open.to_string())),
    ];
    let of_only = of_only.into_iter().map(|(name, value)| (name, value.unwrap_or_default()));
    append(file, &outputs(lists.into_iter().chain(of_only))?)
}

/// Writes outputs; each value ends at a random word, so that no value can end itself early.
fn outputs<'n>(values: impl Iterator<Item = (&'n str, String)>) -> io::Result<String> {
    let mut text = String::new();
    for (name, value) in values {
        let word = random_word()?;
        text += &format!("{name}<<{word}\n{value}\n{word}\n");
    }
    Ok(text)
}

/// Returns the summary of `command`; `shown` returns the path of a pack's file, `next` is what to do.
pub(crate) fn summary(
    command: &str,
    states: &[PackState],
    shown: &dyn Fn(&str) -> String,
    diagnostics: &[Diagnostic],
    next: Option<&str>,
) -> Document {
    let mut statuses = BTreeMap::<PackStatus, usize>::new();
    states.iter().for_each(|state| *statuses.entry(state.status).or_default() += 1);
    let counts: Vec<String> = statuses.iter().map(|(status, count)| format!("{count} {status}")).collect();
    let counts = if counts.is_empty() { String::new() } else { format!(" ({})", counts.join(", ")) };
    let mut document = Document::default();
    document.title(format!("contextpack {command}: {}{counts}", counted(states.len(), "pack")));
    if let Some(next) = next {
        // What is in backticks is code.
        let roles = [TextStyle::Plain, TextStyle::Data].into_iter().cycle();
        document
            .paragraph(next.split('`').zip(roles).fold(Line::default(), |line, (text, role)| line.then(role, text)));
    }
    // Packs that need no attention are counted only.
    let states: Vec<&PackState> = states.iter().filter(|it| !it.status.is_current()).collect();
    let columns = [Column::Left("PACK"), Column::Left("STATUS"), Column::Left("REASONS"), Column::Right("SIZE")];
    let row = |state: &&PackState| {
        let size = state.summary.as_ref().map(|summary| match summary.used_tokens {
            Some(tokens) => format!("{tokens} tokens"),
            None => format!("{} characters", summary.used_chars),
        });
        let [path, reasons] = [shown(&state.name), state.reasons.join("; ")].map(|text| line("{}", &[&text]));
        vec![path, state.status.name().into(), reasons, size.unwrap_or_default().into()]
    };
    document.table(&columns, states.iter().take(MAX_SUMMARY_PACKS).map(row));
    let more = |document: &mut Document, rest: usize, what: &str| {
        if rest > 0 {
            document.paragraph(format!("and {rest} more {what}"));
        }
    };
    more(&mut document, states.len().saturating_sub(MAX_SUMMARY_PACKS), "packs");
    let mut sorted: Vec<&Diagnostic> = diagnostics.iter().collect();
    sorted.sort_by_key(|diagnostic| diagnostic.severity);
    document.list(sorted.iter().take(MAX_SUMMARY_DIAGNOSTICS).map(|diagnostic| {
        let at = diagnostic.at.as_ref().map(|at| line(" ({})", &[&at.to_string()])).unwrap_or_default();
        Line::from(diagnostic.severity.name())
            .join(line(" {}: {}", &[diagnostic.code.name(), &diagnostic.message]))
            .join(at)
    }));
    more(&mut document, sorted.len().saturating_sub(MAX_SUMMARY_DIAGNOSTICS), "diagnostics");
    document
}

pub(crate) fn append(file: &Path, text: &str) -> Result<(), Failure> {
    let opened = OpenOptions::new().append(true).create(true).open(file);
    opened
        .and_then(|mut file| file.write_all(text.as_bytes()))
        .map_err(|error| PathFailure::failure("write", file.display().to_string(), error))
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use crate::model::{Code, Place, RepoPath};

    #[test]
    fn a_hostile_value_adds_no_output() {
        let value = "packs/\npack=x\nEOF\nhash<<x\n.json";
        let text = outputs([("pack", value.to_owned())].into_iter()).unwrap();
        let word = text.lines().next().and_then(|line| line.strip_prefix("pack<<")).unwrap();
        assert_eq!(text, format!("pack<<{word}\n{value}\n{word}\n"));
        assert!(!value.contains(word) && random_word().unwrap() != word);
    }

    fn state(name: &str, status: PackStatus, reason: &str) -> PackState {
        let (name, root, profile, reasons) = (name.to_owned(), String::new(), String::new(), vec![reason.to_owned()]);
        PackState { name, root, profile, status, reasons, summary: None, files: Vec::new() }
    }

    #[test]
    fn packs_that_need_no_attention_are_counted_only() {
        let states = [state("a.json", PackStatus::Fresh, ""), state("b.json", PackStatus::Stale, "docs/x changed")];
        assert_eq!(
            summary("check", &states, &|name| format!("packs/{name}"), &[], Some("Run `this`.")).markdown(),
            "### contextpack check: 2 packs (1 fresh, 1 stale)\n\nRun <code>this</code>.\n\n\
             | pack | status | reasons | size |\n|---|---|---|--:|\n\
             | <code>packs/b&#46;json</code> | stale | <code>docs/x changed</code> |  |\n\n"
        );
        let none = summary("build", &[], &|_| String::new(), &[], None);
        assert_eq!(none.markdown(), "### contextpack build: 0 packs\n\n");
    }

    #[test]
    fn a_summary_stays_below_what_github_takes() {
        let long = "\u{e0041}".repeat(9000);
        let at = Place::line(RepoPath::new("a_b*.md").unwrap(), 3);
        let found: Vec<Diagnostic> =
            (0..90).map(|n| Diagnostic::new(Code::Cycle, Some(at.clone()), format!("{n}{long}"))).collect();
        let states: Vec<PackState> =
            (0..5000).map(|n| state(&format!("{n}{long}.json"), PackStatus::Stale, &long)).collect();
        let text = summary("check", &states, &|name| format!("packs/{name}"), &found, None).markdown();
        assert!(text.len() < 1 << 16, "{}", text.len());
        assert!(text.contains("\nand 4800 more packs\n") && !text.contains("a_b*"), "{text}");
    }
}
