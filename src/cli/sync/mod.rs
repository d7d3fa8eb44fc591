//! `contextpack sync`.

mod config;
mod progress;
mod request;

use super::args::{Global, SyncArgs};
use super::workspace::{open, print_notes, strict, user_caches};
use crate::console::report::{Report, ReportLine, print_error};
use crate::console::{self, Exit, Failure, Format, counted};
use crate::engine::{Repository, apply_severities, process_environment};
use crate::git;
use crate::github::{Http, SyncError, SyncLimits, SyncSettings, SyncSummary, SystemClock, Tokens, proxy_secrets, sync};
use crate::model::{Code, Diagnostic, RepoPath, SourceTree as _};
use crate::redact::Redactor;
use crate::store::{Access, Folder, init_state_dir, sweep_state};
use progress::SyncReporter;
use request::request;
pub(super) use request::{IssueScope, secrets};
use serde_json::json;
use std::io::Write as _;
use std::time::{Duration, UNIX_EPOCH};

const TIMEOUT: Duration = Duration::from_secs(60);

pub(crate) fn run(global: &Global, args: &SyncArgs) -> Result<Exit, Failure> {
    let repository = open(global, &[], None)?;
    let project = repository.project();
    let scope = IssueScope::find(repository.root(), repository.settings())?;
    let request = request(&repository, &project, &scope, args)?;
    let secrets = secrets(&scope)?.and(proxy_secrets(&scope.api));
    // Issues that are named only by unreadable items are not requested.
    let mut notes = project.unread().to_vec();
    if !secrets.is_authenticated() {
        let message = "there is no token, and without one the server answers 60 requests an hour";
        let help = "set `CONTEXTPACK_GITHUB_TOKEN`, or log in with `gh auth login`";
        notes.push(Diagnostic::new(Code::AnonymousSync, None, message).help(help));
    }
    let mut transport = Http::new(&scope.api, &secrets, TIMEOUT).map_err(outside)?;
    let settings = repository.settings();
    init_state_dir(repository.root(), settings.commits_packs())?;
    sweep_state(repository.root(), &git::is_tracked);
    let cache = repository.cache_folder(Access::Write, user_caches().as_deref()).unwrap_or_else(|why| {
        repository.note(format!("no cache is used, so everything is requested: {why}"));
        print_notes(global, &repository);
        None
    });
    notes.extend(repository.files().diagnostics().iter().filter(|it| it.code == Code::TrackedCache).cloned());
    let setting = SyncSettings {
        root: repository.root().to_path_buf(),
        folder: settings.github.snapshot.clone(),
        host: scope.host.clone(),
        repo: scope.repo.clone(),
        api: scope.api.clone(),
        secrets: secrets.clone(),
        limits: SyncLimits { max_requests: args.max_requests, max_wait: args.max_wait },
        denied: repository.configuration().deny.clone(),
        cache,
    };
    let mut reporter = SyncReporter::new(global);
    let redactor = Redactor::new(&settings.redaction);
    let mut summary =
        sync(&mut transport, &mut SystemClock, &mut |event| reporter.print(event), &redactor, &setting, &request);
    reporter.finish();
    clean_up(global, args, &mut summary)?;
    notes.append(&mut summary.diagnostics);
    let mut notes = apply_severities(notes, settings);
    if global.strict {
        strict(&mut notes);
    }
    summary.diagnostics = notes.into_iter().map(|note| masked(note, &redactor, &secrets)).collect();
    print_summary(global, &scope, &summary)?;
    if args.write_config
        && summary.error.is_none()
        && config::write(repository.root(), global.config.as_deref(), &scope)?
    {
        writeln!(console::stderr(), "`github.repo: {}` is in the configuration now", scope.repo)?;
    } else if settings.github.repo.is_none() && !global.quiet && !args.write_config {
        writeln!(
            console::stderr(),
            "builds read the repo from `contextpack.yml` only: run `contextpack sync --write-config`, or write `github: {{repo: {}}}`",
            scope.repo
        )?;
    }
    exit(summary)
}

/// Removes issues that nothing refers to any more, and warns if private issues would be committed.
fn clean_up(global: &Global, args: &SyncArgs, summary: &mut SyncSummary) -> Result<(), Failure> {
    let repository = open(global, &[], None)?;
    let project = repository.project();
    let mut removed = 0_u64;
    let may_remove = may_remove(&repository, args, summary) && repository.files().is_settled();
    for path in project.leftover_issues().into_iter().filter(|_| may_remove) {
        let Some((folder, name)) = path.as_str().rsplit_once('/') else { continue };
        let Ok(folder) = RepoPath::new(folder) else { continue };
        if Folder::open(repository.root(), &folder)?.remove(name)? {
            summary.changed.retain(|(changed, _)| *changed != path.as_str());
            summary.changed.push((path.to_string(), "removed"));
            removed += 1;
        }
    }
    summary.changed.sort();
    if removed > 0 && !global.quiet {
        let (issues, why) = (counted(removed, "issue"), "since nothing that gets a pack refers to them");
        writeln!(console::stderr(), "{issues} removed from the snapshot, {why}")?;
    }
    summary.diagnostics.extend(project.private_repos());
    summary.diagnostics.sort();
    Ok(())
}

/// Returns whether all needed issues are known: not if the run named its issues, failed or is incomplete.
fn may_remove(repository: &Repository, args: &SyncArgs, summary: &SyncSummary) -> bool {
    let whole = args.roots.is_empty() && summary.complete && summary.error.is_none();
    // Items may still name a moved issue by its old number.
    let moved = summary.diagnostics.iter().any(|it| it.code == Code::IssueMoved);
    let unread = repository.files().diagnostics().iter().any(|it| it.code == Code::InvalidSnapshot);
    // Without a configured repo, `#12` in a work item names no issue.
    whole && !moved && !unread && repository.settings().github.repo.is_some()
}

fn exit(summary: SyncSummary) -> Result<Exit, Failure> {
    let mut exit = Exit::of(&summary.diagnostics);
    for failed in &summary.failed {
        print_error(failed, None)?;
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

/// Redacts a diagnostic, since names of repos come from the server.
fn masked(note: Diagnostic, redactor: &Redactor, secrets: &Tokens) -> Diagnostic {
    let environment = process_environment();
    let clean = |text: &str| environment.mask(&secrets.mask(&redactor.line(text)));
    Diagnostic { message: clean(&note.message), help: note.help.as_deref().map(clean), ..note }
}

/// Prints the changed files on stdout, and a summary on stderr.
fn print_summary(global: &Global, scope: &IssueScope, summary: &SyncSummary) -> Result<(), Failure> {
    let reset = summary.reset.map(|at| humantime::format_rfc3339_seconds(UNIX_EPOCH + Duration::from_secs(at)));
    let is_silent = global.quiet && global.format != Format::Github;
    let report = Report {
        diagnostics: if is_silent { Vec::new() } else { summary.diagnostics.clone() },
        lines: summary.changed.iter().map(|(path, _)| ReportLine::File(path.clone())).collect(),
    };
    report.print(global.format, global.verbose, || {
        let file = |(path, status): &(String, &'static str)| json!({"path": path, "status": status});
        json!({
            "repo": scope.repo,
            "files": summary.changed.iter().map(file).collect::<Vec<_>>(),
            "unchanged": summary.unchanged,
            "issues": summary.issues,
            "requests": summary.requests,
            "remaining": summary.remaining,
            "reset": reset.as_ref().map(ToString::to_string),
            "complete": summary.complete,
            "failed": summary.failed,
            "error": summary.error.as_ref().map(ToString::to_string),
            "diagnostics": console::diagnostics(&summary.diagnostics),
        })
    })?;
    if global.quiet || global.format == Format::Json {
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
        scope.repo,
        counted(written as u64, "file"),
        counted(summary.requests, "request"),
    )?;
    if summary.resumes {
        writeln!(err, "the snapshot is incomplete: run `contextpack sync` again to continue")?;
    }
    Ok(())
}
