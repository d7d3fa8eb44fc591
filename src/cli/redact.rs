//! `contextpack redact`.

use super::args::{Format, Global, RedactArgs};
use super::exit::Exit;
use super::failure::{Failure, PathFailure};
use super::output;
use super::report::{json_text, plain_error, printable};
use super::workspace::{deny, settings};
use contextpack::model::RepoPath;
use contextpack::redact::{Piece, Redactor, Removal};
use contextpack::store::Folder;
use std::io::{Read as _, Write as _};
use std::path::Path;

/// Prints texts as they would enter a pack.
pub(crate) fn run(global: &Global, args: &RedactArgs) -> Result<Exit, Failure> {
    let (root, settings) = settings(global)?;
    let deny = deny(&settings)?;
    let redactor = Redactor::new(&settings.redaction);
    let folder = args.out.as_deref().map(Folder::open_anywhere).transpose()?;
    let mut exit = Exit::Done;
    let mut reports = Vec::new();
    if args.files.is_empty() {
        let mut bytes = Vec::new();
        std::io::stdin().lock().read_to_end(&mut bytes)?;
        match text(bytes) {
            Err(why) => exit = exit.and(complain("standard input", why)?),
            Ok(text) => reports.push(("-".to_owned(), scrub(&redactor, "", &text, args, None)?)),
        }
    }
    for file in &args.files {
        let shown = file.display().to_string();
        let name = in_repo(&root, file).unwrap_or_else(|| shown.replace('\\', "/"));
        if RepoPath::new(name.trim_start_matches('/')).is_ok_and(|path| deny.denies(&path)) {
            let why = "its name is one that is never opened, so it never enters a pack; to see what the rules would remove, give the text on standard input";
            exit = exit.and(complain(&shown, why)?);
            continue;
        }
        let bytes = std::fs::read(file).map_err(|error| PathFailure::failure("read", shown.clone(), error))?;
        match text(bytes) {
            Err(why) => exit = exit.and(complain(&shown, why)?),
            Ok(text) => {
                let target = folder.as_ref().zip(file.file_name().and_then(|name| name.to_str()));
                reports.push((shown, scrub(&redactor, &name, &text, args, target)?));
            }
        }
    }
    if args.report {
        report(global, &reports)?;
    }
    Ok(exit)
}

/// The text as packs read it, or why it is none.
fn text(bytes: Vec<u8>) -> Result<String, &'static str> {
    if bytes.contains(&0) {
        return Err("it is no text: it has a NUL byte");
    }
    let text = String::from_utf8(bytes).map_err(|_| "it is not UTF-8")?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    Ok(text.replace("\r\n", "\n").replace('\r', "\n"))
}

fn complain(name: &str, why: &str) -> Result<Exit, Failure> {
    plain_error(&mut anstream::stderr().lock(), &format!("`{name}`: {why}"), None)?;
    Ok(Exit::Input)
}

fn in_repo(root: &Path, file: &Path) -> Option<String> {
    let file = file.canonicalize().ok()?;
    let path = file.strip_prefix(root.canonicalize().ok()?).ok()?;
    Some(path.to_str()?.replace('\\', "/"))
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
        None if !args.report => std::io::stdout().lock().write_all(clean.as_bytes())?,
        None => {}
    }
    Ok(scrubbed.removals)
}

fn report(global: &Global, reports: &[(String, Vec<Removal>)]) -> Result<(), Failure> {
    let mut out = anstream::stdout().lock();
    if global.format == Format::Json {
        let redactions = reports.iter().flat_map(|(name, removals)| {
            removals.iter().map(move |removal| output::Removed {
                path: name.clone(),
                line: removal.line,
                rule: removal.rule.clone(),
                count: removal.count,
                reason: removal.reason.clone(),
                to_include: removal.to_include.clone(),
            })
        });
        return Ok(writeln!(out, "{}", json_text(&output::Redact { redactions: redactions.collect() }))?);
    }
    for (name, removals) in reports {
        for removal in removals {
            let line = format!("{name}:{}: {} × {}: {}", removal.line, removal.rule, removal.count, removal.reason);
            writeln!(out, "{}\n  {}", printable(&line), printable(&removal.to_include))?;
        }
        if removals.is_empty() {
            writeln!(out, "{}: nothing was removed", printable(name))?;
        }
    }
    Ok(())
}
