//! `contextpack redact`.

use super::args::{Global, RedactArgs};
use super::input;
use crate::config::{DenyList, RedactionSettings, Settings};
use crate::console::report::print_error;
use crate::console::{self, Column, Document, Exit, Failure, PathFailure, line};
use crate::engine::{Configuration, path_inside};
use crate::intake::normalised;
use crate::knowledge::{DocumentRules, states_secrets};
use crate::model::RepoPath;
use crate::redact::{Piece, Redactor, Removal, built_in_rules};
use crate::store::{self, Folder, Symlinks};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::io::Write as _;
use std::path::Path;

pub(crate) fn run(global: &Global, args: &RedactArgs) -> Result<Exit, Failure> {
    let (root, Configuration { settings, deny, .. }) = global.workspace().configuration()?;
    if args.rules {
        return rules(global, &settings.redaction);
    }
    let redactor = Redactor::new(&settings.redaction);
    if let Some(text) = &args.why {
        return why(global, &redactor, text);
    }
    validate(args)?;
    let folder = args.out.as_deref().map(|out| Folder::open_anywhere(out)?.unreserved(&root)).transpose()?;
    let mut exit = Exit::Done;
    let mut refuse = |name: &str, why: &str| {
        exit = Exit::Input;
        print_error(&format!("`{name}`: {why}"), None)
    };
    let mut reports = Vec::new();
    if args.files.is_empty() {
        match decoded(input::stdin()?) {
            Err(why) => refuse("standard input", why)?,
            Ok(text) => reports.push(("-".to_owned(), scrub(&redactor, "", &text, args, None)?)),
        }
    }
    for file in &args.files {
        let given = file.display().to_string();
        let shown = redactor.line(&given);
        let inside = path_inside(&root, file);
        if denies(&deny, inside.as_ref(), file) {
            let why = "files of this name are never opened, so it never enters a pack; to see what the rules would remove, pass the text on standard input";
            refuse(&shown, why)?;
            continue;
        }
        if args.out.is_some() && shown != given {
            refuse(&shown, "its name contains a secret, which `--out` would repeat; rename the file")?;
            continue;
        }
        let bytes = store::read_file(file, Symlinks::Follow)
            .map_err(|error| PathFailure::failure("read", shown.clone(), error))?;
        match decoded(bytes) {
            Err(why) => refuse(&shown, why)?,
            Ok(text) if holds_secrets(&settings, &root, file, &text) => {
                let why = "it is a document that holds secrets, so that nothing below its front matter is read; to see what the rules would remove, pass the text on standard input";
                refuse(&shown, why)?;
            }
            Ok(text) => {
                let target = folder.as_ref().zip(file.file_name().and_then(|name| name.to_str()));
                // A file outside the repo has no path that the configuration could allow.
                reports.push((
                    shown,
                    scrub(&redactor, inside.as_ref().map_or("", RepoPath::as_str), &text, args, target)?,
                ));
            }
        }
    }
    if args.report {
        report(global, &reports)?;
    }
    Ok(exit)
}

/// Refuses folders in place of files, and outputs that would overwrite an input or each other.
fn validate(args: &RedactArgs) -> Result<(), Failure> {
    if let Some(folder) = args.files.iter().find(|file| file.is_dir()) {
        let folder = folder.display().to_string();
        let folder = folder.trim_end_matches(['/', '\\']);
        return Err(Failure::usage(format!("`{folder}` is a folder; name its files, such as `{folder}/*.md`")));
    }
    let Some(out) = &args.out else { return Ok(()) };
    let mut names = BTreeSet::new();
    for file in &args.files {
        let name = file.file_name().unwrap_or_default();
        if !names.insert(name) {
            let name = name.display();
            return Err(Failure::usage(format!("two files are named `{name}`; write them to separate folders")));
        }
        let target = out.join(name);
        if target.canonicalize().is_ok_and(|target| file.canonicalize().is_ok_and(|file| file == target)) {
            let (out, file) = (out.display(), file.display());
            return Err(Failure::usage(format!("`--out {out}` would overwrite `{file}`; name another folder")));
        }
    }
    Ok(())
}

/// Returns whether a file is never opened, by its path in the repo or, outside of it, as it was typed.
pub(super) fn denies(deny: &DenyList, inside: Option<&RepoPath>, file: &Path) -> bool {
    let typed = file.display().to_string().replace('\\', "/");
    inside.cloned().or_else(|| RepoPath::new(typed.trim_start_matches('/')).ok()).is_some_and(|path| deny.denies(&path))
}

/// Returns whether the configuration, or the front matter, says that a file with this text holds secrets.
fn holds_secrets(settings: &Settings, root: &Path, file: &Path, text: &str) -> bool {
    let names = [Some(file.to_owned()), file.canonicalize().ok()];
    let names = names.into_iter().flatten().filter_map(|name| path_inside(root, &name));
    let mut rules = names.filter_map(|name| DocumentRules::of(settings, &name)).peekable();
    rules.peek().is_none() && states_secrets(text) || rules.any(|rules| rules.secrecy(text).is_secret())
}

/// Decodes a text like the packs do, or returns why it is none.
pub(super) fn decoded(bytes: Vec<u8>) -> Result<String, &'static str> {
    if bytes.contains(&0) {
        return Err("it is not text: it has a NUL byte");
    }
    Ok(normalised(String::from_utf8(bytes).map_err(|_| "it is not UTF-8")?))
}

fn scrub(
    redactor: &Redactor,
    path: &str,
    text: &str,
    args: &RedactArgs,
    target: Option<(&Folder, &str)>,
) -> Result<Vec<Removal>, Failure> {
    let scrubbed = redactor.scrub(path, &[Piece { key: "body", text, line: 1 }]);
    let clean = scrubbed.texts.first().map(|text| text.as_str()).unwrap_or_default();
    match target {
        Some((folder, name)) => {
            folder.write(name, clean.as_bytes())?;
        }
        None if !args.report => console::exact().write_all(clean.as_bytes())?,
        None => {}
    }
    Ok(scrubbed.removals)
}

fn report(global: &Global, reports: &[(String, Vec<Removal>)]) -> Result<Exit, Failure> {
    let removed = |(name, removals): &(String, Vec<Removal>)| -> Vec<Value> {
        let removed = |it: &Removal| {
            let Removal { line, rule, count, reason, to_include, .. } = it;
            json!({"path": name, "line": line, "rule": rule, "count": count, "reason": reason, "to_include": to_include})
        };
        removals.iter().map(removed).collect()
    };
    let redactions: Vec<Value> = reports.iter().flat_map(removed).collect();
    let mut lines = Vec::new();
    for (name, removals) in reports {
        lines.extend(removals.iter().map(|removal| {
            format!("{name}:{}: {} × {}: {}", removal.line, removal.rule, removal.count, removal.reason)
        }));
        // The same advice holds for all removals of one rule in one file.
        let mut advised = BTreeSet::new();
        let advice = removals.iter().filter(|removal| advised.insert(&removal.to_include));
        lines.extend(advice.map(|removal| format!("  to include {}: {}", removal.rule, removal.to_include)));
        if removals.is_empty() {
            lines.push(format!("{name}: nothing was removed"));
        }
    }
    global.print(&json!({"redactions": redactions}), lines)
}

fn why(global: &Global, redactor: &Redactor, text: &str) -> Result<Exit, Failure> {
    let explained = |one: crate::redact::RedactionExplanation| {
        let (line, rule, reason) = (one.line, one.rule, one.reason);
        let verdict = if one.is_removed { "removed" } else { "stays" };
        let mut value = json!({"line": line, "removed": one.is_removed, "rule": rule, "reason": reason});
        let (mut under, mut shown) = (String::new(), String::new());
        if let Some((name, class)) = one.name.map(|(name, class)| (redactor.line(&name), class)) {
            under = format!(" under `{name}` (class {class})");
            (value["name"], value["class"]) = (name.into(), json!(class));
        }
        if !one.is_removed {
            shown = format!(" `{}`", one.value);
            value["value"] = one.value.into();
        }
        (value, format!("{line}: {verdict}{shown}{under}: {rule}: {reason}"))
    };
    let (values, mut lines): (Vec<Value>, Vec<String>) = redactor.explain(text).into_iter().map(explained).unzip();
    if lines.is_empty() {
        lines.push("no rule finds anything, and no name of a secret has a value".to_owned());
    }
    global.print(&json!({"values": values}), lines)
}

fn rules(global: &Global, own: &RedactionSettings) -> Result<Exit, Failure> {
    let built_in = built_in_rules().into_iter().map(|rule| (rule.name.to_owned(), rule.reason.to_owned(), true));
    // The reasons of the configuration's rules are redacted like any other text.
    let redactor = Redactor::new(&RedactionSettings::default());
    let own = own.rules.iter().map(|rule| (rule.name.clone(), redactor.line(&rule.reason), false));
    let mut rules: Vec<(String, String, bool)> = built_in.chain(own).collect();
    rules.sort_by(|a, b| a.0.cmp(&b.0));
    let row = |(name, reason, built_in): &(String, String, bool)| {
        let source = if *built_in { "" } else { " (contextpack.yml)" };
        [name, &format!("{reason}{source}")].map(|cell| line("{}", &[cell])).to_vec()
    };
    let json = |(name, reason, built_in): &(String, String, bool)| json!({"name": name, "reason": reason, "built_in": built_in});
    let mut document = Document::whole();
    document.table(&[Column::Left(""); 2], rules.iter().map(row));
    let value = json!({"rules": rules.iter().map(json).collect::<Vec<_>>()});
    document.print(global.format, global.verbose, &[], &value)?;
    Ok(Exit::Done)
}
