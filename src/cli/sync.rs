//! `contextpack sync`.

use super::args::{Format, Global, SyncArgs};
use super::console;
use super::exit::Exit;
use super::failure::Failure;
use super::output;
use super::report::{json_text, plain_error, printable, tell};
use super::sync_progress::{SyncReporter, counted};
use super::sync_request::{IssueScope, request, secrets};
use super::workspace::{open, print_notes, strict, user_caches};
use super::{sync_config, sync_request};
use crate::engine::{levelled, process_environment};
use crate::github::{Http, Proxies, SyncError, SyncLimits, SyncSettings, SyncSummary, SystemClock, Tokens};
use crate::intake::Repo;
use crate::model::{Code, Diagnostic, Severity};
use crate::redact::Redactor;
use crate::store::{Access, init_state_dir, sweep_state};
use std::io::Write as _;
use std::time::{Duration, UNIX_EPOCH};

/// How long one answer may take.
const PATIENCE: Duration = Duration::from_secs(60);

/// Brings the snapshot up to date.
pub(crate) fn run(global: &Global, args: &SyncArgs) -> Result<Exit, Failure> {
    let repository = open(global, &[], None)?;
    let project = repository.project();
    let whose = IssueScope::find(repository.root(), repository.settings())?;
    let request = request(&repository, &project, &whose, args)?;
    let proxies = proxies();
    let secrets = secrets(&whose)?.and(proxies.secrets());
    // Issues that only an item names that cannot be read are not asked for.
    let mut notes = project.unread().to_vec();
    if !secrets.is_authenticated() {
        let message = "there is no token, and without one the server answers 60 requests an hour";
        let help = "set `CONTEXTPACK_GITHUB_TOKEN`, or log in with `gh auth login`";
        notes.push(Diagnostic::new(Code::AnonymousSync, None, message).help(help));
    }
    let network = |error: crate::github::TransportError| outside(SyncError::Network(error.to_string()));
    let mut transport = Http::new(&whose.api, &secrets, PATIENCE, &proxies).map_err(network)?;
    let settings = repository.settings();
    init_state_dir(repository.root(), !settings.output.dir.is_under(".contextpack"))?;
    sweep_state(repository.root(), &Repo::is_tracked);
    let cache = repository.cache_folder(Access::Write, user_caches().as_deref()).unwrap_or_else(|why| {
        repository.note(format!("no cache is used, so that everything is asked for: {why}"));
        print_notes(global, &repository);
        None
    });
    notes.extend(repository.files().diagnostics().iter().filter(|it| it.code == Code::TrackedCache).cloned());
    let setting = SyncSettings {
        root: repository.root().to_path_buf(),
        folder: settings.github.snapshot.clone(),
        host: whose.host.clone(),
        repo: whose.repo.clone(),
        api: whose.api.clone(),
        secrets: secrets.clone(),
        limits: SyncLimits { max_requests: args.max_requests, max_wait: args.max_wait },
        cache,
    };
    let mut teller = SyncReporter::new(global);
    let redactor = Redactor::new(&settings.redaction);
    let mut summary = crate::github::sync(&mut transport, &mut SystemClock, &mut teller, &redactor, &setting, &request);
    teller.finish();
    super::sync_after::look(global, args, &mut summary)?;
    notes.append(&mut summary.diagnostics);
    let mut notes = levelled(notes, settings);
    if global.strict {
        strict(&mut notes);
    }
    summary.diagnostics = notes.into_iter().map(|note| masked(note, &redactor, &secrets)).collect();
    show(global, &whose, &summary)?;
    if args.write_config
        && summary.error.is_none()
        && sync_config::write(repository.root(), global.config.as_deref(), &whose)?
    {
        writeln!(console::stderr(), "`github.repo: {}` is in the configuration now", whose.repo)?;
    } else if settings.github.repo.is_none() && !global.quiet && !args.write_config {
        writeln!(
            console::stderr(),
            "builds read the repo from `contextpack.yml` only: run this with `--write-config`, or write `github: {{repo: {}}}`",
            whose.repo
        )?;
    }
    end(summary)
}

/// The proxies of the environment, in either spelling.
fn proxies() -> Proxies {
    let first = |names: [&str; 2]| {
        let values = names.into_iter().filter_map(|name| std::env::var(name).ok());
        values.map(|value| value.trim().to_owned()).find(|value| !value.is_empty()).unwrap_or_default()
    };
    Proxies {
        https: first(["HTTPS_PROXY", "https_proxy"]),
        all: first(["ALL_PROXY", "all_proxy"]),
        no: first(["NO_PROXY", "no_proxy"]),
    }
}

fn end(summary: SyncSummary) -> Result<Exit, Failure> {
    let mut exit = Exit::Done;
    if summary.diagnostics.iter().any(|note| note.severity == Severity::Error) {
        exit = exit.and(Exit::Input);
    }
    for failed in &summary.failed {
        plain_error(&mut console::stderr(), failed, None)?;
        exit = exit.and(Exit::Outside);
    }
    match summary.error {
        Some(error) => Err(outside(error)),
        None => Ok(exit),
    }
}

fn outside(error: SyncError) -> Failure {
    Failure::Outside(Box::new(error))
}

/// A diagnostic without a secret: names of repos come from the server.
fn masked(note: Diagnostic, redactor: &Redactor, secrets: &Tokens) -> Diagnostic {
    let environment = process_environment();
    let clean = |text: &str| environment.mask(&secrets.mask(&redactor.line(text)));
    Diagnostic { message: clean(&note.message), help: note.help.as_deref().map(clean), ..note }
}

/// Prints what was done: files on stdout, a summary on stderr.
fn show(global: &Global, whose: &sync_request::IssueScope, summary: &SyncSummary) -> Result<(), Failure> {
    let reset = summary.reset.map(|at| humantime::format_rfc3339_seconds(UNIX_EPOCH + Duration::from_secs(at)));
    let mut out = console::stdout();
    if global.format == Format::Json {
        let files = summary.changed.iter();
        let files = files.map(|(path, status)| output::SyncedFile { path: path.clone(), status }).collect();
        let text = json_text(&output::Sync {
            repo: whose.repo.clone(),
            files,
            unchanged: summary.unchanged,
            issues: summary.issues,
            requests: summary.requests,
            remaining: summary.remaining,
            reset: reset.map(|reset| reset.to_string()),
            complete: summary.complete,
            failed: summary.failed.clone(),
            error: summary.error.as_ref().map(ToString::to_string),
            diagnostics: output::told(&summary.diagnostics),
        });
        return Ok(writeln!(out, "{text}")?);
    }
    for (path, _) in &summary.changed {
        writeln!(out, "{}", printable(path))?;
    }
    drop(out);
    if !global.quiet || global.format == Format::Github {
        tell(global.format, &summary.diagnostics, &|_| None)?;
    }
    if global.quiet {
        return Ok(());
    }
    let mut err = console::stderr();
    let count = |wanted: &str| summary.changed.iter().filter(|(_, status)| *status == wanted).count();
    let (written, removed, unchanged) = (count("written"), count("removed"), summary.unchanged);
    let left = summary.remaining.map(|left| format!(", {left} left")).unwrap_or_default();
    let until = reset.map(|reset| format!(" until {reset}")).unwrap_or_default();
    writeln!(
        err,
        "{} of {}: {} written, {removed} removed, {unchanged} unchanged; {}{left}{until}",
        counted(summary.issues as u64, "issue"),
        whose.repo,
        counted(written as u64, "file"),
        counted(summary.requests, "request"),
    )?;
    if summary.resumes {
        writeln!(err, "it is not all there yet: run it again to go on")?;
    }
    Ok(())
}
