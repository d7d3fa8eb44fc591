//! `contextpack sync`.

mod request;

pub(super) use request::{IssueScope, secrets};

use super::args::{Global, SyncArgs};
use crate::console::report::print_error;
use crate::console::{self, Document, Exit, Failure, Format, counted, line, strict, user_caches};
use crate::engine::{Repository, apply_severities, process_environment};
use crate::git;
use crate::github::{
    EstimateStage, Http, SyncEvent, SyncLimits, SyncSettings, SyncSummary, SystemClock, Tokens, proxy_secrets, sync,
};
use crate::model::{Code, Diagnostic, RepoPath, SourceTree as _};
use crate::redact::Redactor;
use crate::store::{Access, Folder, init_state_dir, sweep_state};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use request::request;
use serde_json::json;
use std::io::{IsTerminal as _, Write as _};
use std::time::{Duration, Instant, UNIX_EPOCH};

const TIMEOUT: Duration = Duration::from_secs(60);

pub(crate) fn run(global: &Global, args: &SyncArgs) -> Result<Exit, Failure> {
    let repository = global.open(None)?;
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
    let mut transport = Http::new(&scope.api, &secrets, TIMEOUT).map_err(|error| Failure::Outside(error.into()))?;
    let settings = repository.settings();
    init_state_dir(repository.root(), settings.commits_packs())?;
    sweep_state(repository.root(), &git::is_tracked);
    let cache = repository.cache_folder(Access::Write, user_caches().as_deref()).unwrap_or_else(|why| {
        repository.note(format!("no cache is used, so everything is requested: {why}"));
        global.workspace().print_notes(&repository);
        None
    });
    notes.extend(repository.files().diagnostics().iter().filter(|it| it.code == Code::TrackedCache).cloned());
    let (root, folder) = (repository.root().to_path_buf(), settings.github.snapshot.clone());
    let (host, repo, api) = (scope.host.clone(), scope.repo.clone(), scope.api.clone());
    let limits = SyncLimits { max_requests: args.max_requests, max_wait: args.max_wait };
    let denied = repository.configuration().deny.clone();
    let setting = SyncSettings { root, folder, host, repo, api, secrets: secrets.clone(), limits, denied, cache };
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
    if settings.github.repo.is_none() {
        global.note(&format!(
            "builds read the repo from `contextpack.yml` only: write `github: {{repo: {}}}`",
            scope.repo
        ))?;
    }
    exit(summary)
}

fn clean_up(global: &Global, args: &SyncArgs, summary: &mut SyncSummary) -> Result<(), Failure> {
    let repository = global.open(None)?;
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
    if removed > 0 {
        let (issues, why) = (counted(removed, "issue"), "since nothing that gets a pack refers to them");
        global.note(&format!("{issues} removed from the snapshot, {why}"))?;
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
        Some(error) => Err(Failure::Outside(error.into())),
        None => Ok(exit),
    }
}

fn masked(note: Diagnostic, redactor: &Redactor, secrets: &Tokens) -> Diagnostic {
    let environment = process_environment();
    let clean = |text: &str| environment.mask(&secrets.mask(&redactor.line(text)));
    Diagnostic { message: clean(&note.message), help: note.help.as_deref().map(clean), ..note }
}

fn print_summary(global: &Global, scope: &IssueScope, summary: &SyncSummary) -> Result<(), Failure> {
    let reset = summary.reset.map(|at| humantime::format_rfc3339_seconds(UNIX_EPOCH + Duration::from_secs(at)));
    let is_silent = global.quiet && global.format != Format::Github;
    let diagnostics = if is_silent { &[] } else { &summary.diagnostics[..] };
    let mut document = Document::whole();
    document.list(summary.changed.iter().map(|(path, _)| line("{}", &[path])));
    let file = |(path, status): &(String, &'static str)| json!({"path": path, "status": status});
    let value = json!({
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
    });
    document.print(global.format, global.verbose, diagnostics, &value)?;
    if global.format == Format::Json {
        return Ok(());
    }
    let count = |wanted: &str| summary.changed.iter().filter(|(_, status)| *status == wanted).count();
    let (written, removed, unchanged) = (count("written"), count("removed"), summary.unchanged);
    let left = summary.remaining.map(|left| format!(", {left} left")).unwrap_or_default();
    let until = reset.map(|reset| format!(" until {reset}")).unwrap_or_default();
    global.note(&format!(
        "{} of {}: {} written, {removed} removed, {unchanged} unchanged; {}{left}{until}",
        counted(summary.issues as u64, "issue"),
        scope.repo,
        counted(written as u64, "file"),
        counted(summary.requests, "request"),
    ))?;
    if summary.resumes {
        global.note("the snapshot is incomplete: run `contextpack sync` again to continue")?;
    }
    Ok(())
}

const LINE_INTERVAL: Duration = Duration::from_secs(10);

struct SyncReporter {
    quiet: bool,
    bar: ProgressBar,
    last_line: Instant,
    sent: u64,
}

impl SyncReporter {
    fn new(global: &Global) -> Self {
        let terminal = std::io::stderr().is_terminal() && !global.quiet;
        let bar = ProgressBar::new(0);
        let style = ProgressStyle::with_template("{msg} {bar:30} {pos}/{len}");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        bar.set_draw_target(if terminal { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() });
        Self { quiet: global.quiet, bar, last_line: Instant::now(), sent: 0 }
    }

    fn finish(&self) {
        self.bar.finish_and_clear();
    }

    fn print_line(&self, line: &str) {
        if !self.quiet {
            // If standard error is closed, the line is lost.
            self.bar.suspend(|| drop(writeln!(console::stderr(), "{line}")));
        }
    }

    fn print(&mut self, event: SyncEvent) {
        match event {
            SyncEvent::Estimate { stage, issues, requests, remaining } => {
                let left = remaining.map(|left| format!("; the server allows {left} now")).unwrap_or_default();
                let (issues, requests) = (counted(issues, "issue"), counted(requests, "request"));
                let rest = "then comments and relations";
                self.print_line(&match stage {
                    EstimateStage::Open => {
                        format!("about {requests} to list what is open, {issues} and pull requests; {rest}{left}")
                    }
                    EstimateStage::List => format!("{requests} or more to list issues; {rest}{left}"),
                    EstimateStage::Named => format!("{issues} by name: at most about {requests}{left}"),
                    EstimateStage::Rest => {
                        format!("{issues}: at most about {requests} for comments and relations{left}")
                    }
                });
            }
            SyncEvent::Progress { step, done, of } => {
                self.bar.set_message(step);
                self.bar.set_length(of.max(done));
                self.bar.set_position(done);
                if self.bar.is_hidden() && self.last_line.elapsed() >= LINE_INTERVAL {
                    self.last_line = Instant::now();
                    let of = if of > 0 { format!(" of {of}") } else { String::new() };
                    self.print_line(&format!("{step}: {done}{of}, {} so far", counted(self.sent, "request")));
                }
            }
            SyncEvent::Request(sent) => self.sent = sent,
            SyncEvent::Waiting { time, why } if time >= Duration::from_secs(5) => {
                let time = humantime::format_duration(Duration::from_secs(time.as_secs()));
                self.print_line(&format!("waiting for {time}: {why}"));
            }
            SyncEvent::Waiting { .. } => {}
        }
    }
}
