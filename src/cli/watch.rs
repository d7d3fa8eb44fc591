//! `contextpack watch`.

use super::args::{AgentChoice, Global, PackArgs, PrintMode, WatchArgs};
use super::packs;
use crate::console::{
    self, Exit, Failure, Format, PathFailure, counted, json_line, printable, report, stamp, strict, user_caches,
};
use crate::engine::{AgentRequest, EngineError, PackState, SessionRequest, process_environment};
use crate::intake::Repo;
use crate::model::Diagnostic;
use crate::review::PackStatus;
use crate::seal::Stamp;
use crate::watch::{Event, Events, Native, Poll, SavedPack, Watch, WatchProblem, WatchReport};
use std::borrow::Cow;
use std::error::Error as _;
use std::io::{self, IsTerminal as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::time::Duration;

const MAX_LISTED: usize = 10;

pub(crate) fn run(global: &Global, args: &WatchArgs) -> Result<Exit, Failure> {
    if args.print.is_some() && global.format == Format::Json {
        return Err(Failure::usage("`--print` and `--format json` both need standard output: omit one of them"));
    }
    if args.out.as_deref() == Some(Path::new("-")) {
        return Err(Failure::usage("`watch` needs a folder of packs; `--print=full` prints a rendering"));
    }
    let PackArgs { roots, budget } = &args.packs;
    let request = SessionRequest {
        profiles: budget.profiles.clone(),
        limits: budget.limits(),
        out: args.out.as_deref().map(std::path::absolute).transpose()?,
        ..session_request(global, roots.clone(), &args.agent, false)?
    };
    let (events, sender) = events(&request.root, args.poll)?;
    end_on_signal(sender)?;
    let delivered = args.agent.agent.is_some() && args.out.is_none();
    let reporter = WatchReporter { global, print: args.print, out: args.out.clone(), delivered };
    let mut watch = Watch::new(request, process_environment(), events, stamps()?, args.print.is_some());
    let report = watch.check();
    refuse_typed(&report)?;
    reporter.print_first(report, &watch, args.poll)?;
    while let Some(report) = watch.next_report() {
        reporter.print_update(report, &watch)?;
    }
    Ok(Exit::Interrupted)
}

/// Opens the notifications of the system about changes below `root`, or asks at an interval; the sender can stop the watch.
pub(crate) fn events(root: &Path, poll: Option<Duration>) -> Result<(Box<dyn Events>, Sender<Event>), Failure> {
    let (sender, receiver) = channel();
    let events: Box<dyn Events> = match poll {
        Some(every) => Box::new(Poll::new(every, receiver)),
        None => {
            let native = Native::new(root, sender.clone(), receiver);
            Box::new(native.map_err(|error| Failure::Outside(error.into()))?)
        }
    };
    Ok((events, sender))
}

/// Asks for packs of these roots. `all_roots` says whether an agent gets packs of all of them if none is typed.
pub(crate) fn session_request(
    global: &Global,
    roots: Vec<String>,
    AgentChoice { agent, policy }: &AgentChoice,
    all_roots: bool,
) -> Result<SessionRequest, Failure> {
    Ok(SessionRequest {
        root: Repo::find_root(&std::env::current_dir()?)?,
        config: global.config.clone(),
        roots,
        untracked: global.untracked(),
        caches: user_caches(),
        agent: agent.clone().map(|name| AgentRequest { name, policy: *policy, all_roots }),
        ..SessionRequest::default()
    })
}

/// Stops the watch after the running build on Ctrl-C and similar signals, and at once on the second one.
fn end_on_signal(sender: Sender<Event>) -> Result<(), Failure> {
    let ending = AtomicBool::new(false);
    #[expect(clippy::exit, reason = "the second signal asks for an immediate end; files are replaced atomically")]
    let end = move || {
        if ending.swap(true, Ordering::SeqCst) || sender.send(Event::Stop).is_err() {
            std::process::exit(i32::from(Exit::Interrupted.code()));
        }
    };
    on_signal(end)
}

pub(crate) fn on_signal(act: impl FnMut() + Send + 'static) -> Result<(), Failure> {
    ctrlc::set_handler(act).map_err(|error| match error {
        // Its `source` does not return the cause.
        ctrlc::Error::System(cause) => PathFailure::failure("wait for", "Ctrl-C", cause),
        error => Failure::Outside(error.into()),
    })
}

pub(crate) fn stamps() -> Result<Box<dyn Fn() -> Stamp + Send>, Failure> {
    let first = stamp()?;
    Ok(Box::new(move || stamp().unwrap_or_else(|_| first.clone())))
}

/// Refuses what was typed wrong, which is reported at the start; later a root or an agent may disappear and return.
pub(crate) fn refuse_typed(report: &WatchReport) -> Result<(), Failure> {
    if let Some(unresolved) = report.unresolved.first() {
        return Err(Failure::usage(unresolved.to_string()));
    }
    match report.problems.first() {
        Some(WatchProblem::Session(
            error @ (EngineError::Profile { .. } | EngineError::Agent(_) | EngineError::InOutputFolder { .. }),
        )) => Err(Failure::usage(error.to_string())),
        _ => Ok(()),
    }
}

pub(crate) struct WatchReporter<'a> {
    pub(crate) global: &'a Global,
    pub(crate) print: Option<PrintMode>,
    pub(crate) out: Option<PathBuf>,
    pub(crate) delivered: bool,
}

impl WatchReporter<'_> {
    pub(crate) fn print_first(
        &self,
        mut report: WatchReport,
        watch: &Watch,
        poll: Option<Duration>,
    ) -> Result<(), Failure> {
        if self.global.format == Format::Json {
            return self.print_json(report, watch);
        }
        let has_problems = !report.problems.is_empty();
        self.print_errors(&mut report, watch)?;
        let (written, failed, unchanged) = (report.saved.len(), report.failed.len(), report.unchanged);
        let failed_text = if failed > 0 { format!(", {failed} failed") } else { String::new() };
        let how = match poll {
            Some(every) => format!("polling every {}", humantime::format_duration(every)),
            None => format!("following {} folders", watch.followed()),
        };
        let (packs, took) = (counted(written + unchanged + failed, "pack"), report.took.as_secs_f64());
        let done = if self.delivered { "built" } else { "written" };
        self.global
            .note(&format!("{packs}: {written} {done}, {unchanged} unchanged{failed_text}, {took:.2} s; {how}"))?;
        let is_empty = written + unchanged + failed == 0 && !has_problems && !self.delivered;
        if let Some(note) = packs::no_packs(self.global).filter(|_| is_empty) {
            self.global.note(note)?;
        }
        if self.print == Some(PrintMode::Full) {
            print_out(watch.rendering())?;
        }
        Ok(())
    }

    pub(crate) fn print_update(&self, mut report: WatchReport, watch: &Watch) -> Result<(), Failure> {
        if self.global.format == Format::Json {
            return if report.is_quiet() { Ok(()) } else { self.print_json(report, watch) };
        }
        let took = report.took;
        if report.is_quiet() {
            let line = format!("nothing changed, {} ms", took.as_millis());
            return if self.global.verbose { self.note(&line) } else { Ok(()) };
        }
        self.print_errors(&mut report, watch)?;
        let saved: Vec<String> = report.saved.iter().map(|saved| saved.line(report.several_profiles, took)).collect();
        let replaced = |name: &String| format!("{}: replaced on disk, and up to date", self.shown(watch, name));
        let arrived: Vec<String> = report.arrived.iter().map(replaced).collect();
        for (lines, more) in [(saved, "more packs"), (arrived, "more packs were replaced")] {
            lines.iter().take(MAX_LISTED).try_for_each(|line| self.note(line))?;
            if lines.len() > MAX_LISTED {
                self.note(&format!("and {} {more}", lines.len() - MAX_LISTED))?;
            }
        }
        let mut removed = report.removed.iter().map(|it| format!("removed: {}", self.shown(watch, &it.name)));
        removed.try_for_each(|line| self.note(&line))?;
        match self.print {
            Some(PrintMode::Diff) => {
                let diffs: Vec<String> = report.saved.iter().filter_map(SavedPack::diff).collect();
                print_out(&diffs.concat())?;
            }
            Some(PrintMode::Full) if !report.saved.is_empty() => print_out(watch.rendering())?,
            _ => {}
        }
        Ok(())
    }

    pub(crate) fn print_errors(&self, report: &mut WatchReport, watch: &Watch) -> Result<(), Failure> {
        report::print_diagnostics(&self.print_problems(report)?)?;
        report::print_diagnostics(&report::folded(&self.visible(&report.diagnostics), self.global.verbose))?;
        let failed =
            report.failed.iter().map(|it| format!("{}: {}", self.shown(watch, &it.name), it.reasons.join("; ")));
        for why in failed.chain(report.unresolved.iter().map(ToString::to_string)) {
            writeln!(console::stderr(), "not built: {}", printable(&why))?;
        }
        for name in &report.orphaned {
            self.note(&format!("left: {}: its item is gone or cannot be read", self.shown(watch, name)))?;
        }
        for gone in report::folded(&report.gone, self.global.verbose).iter() {
            let at = gone.at.as_ref().map(|at| format!("{at}: ")).unwrap_or_default();
            self.note(&format!("gone: {}[{}]: {at}{}", gone.severity, gone.code, gone.message))?;
        }
        if report.recovered { self.note("recovered: packs are built again") } else { Ok(()) }
    }

    /// Prints the problems of a check that no diagnostic says, and returns the diagnostics of the others.
    fn print_problems(&self, report: &mut WatchReport) -> Result<Vec<Diagnostic>, Failure> {
        let is_json = self.global.format == Format::Json;
        let mut faults = Vec::new();
        for problem in std::mem::take(&mut report.problems) {
            match problem {
                WatchProblem::Session(EngineError::Config { diagnostics, text }) if !is_json => {
                    report::print_config_diagnostics(&diagnostics, text.as_deref())?;
                }
                WatchProblem::Session(
                    EngineError::Config { diagnostics, .. } | EngineError::NotBuilt { diagnostics },
                ) => faults.extend(diagnostics),
                // Changes that are not noticed would be missing from the packs silently.
                WatchProblem::Follow(error) => return Err(Failure::Outside(error.into())),
                other => report::print_error(&other.to_string(), other.source())?,
            }
        }
        Ok(faults)
    }

    /// Notes what happened now.
    fn note(&self, what: &str) -> Result<(), Failure> {
        Ok(self.global.note(&format!("{} {what}", chrono::Local::now().format("%H:%M:%S")))?)
    }

    /// Prints one line of JSON in the form of `build`, with only what is new.
    fn print_json(&self, mut report: WatchReport, watch: &Watch) -> Result<(), Failure> {
        let shown = |name: &str| self.shown(watch, name);
        let faults = self.print_problems(&mut report)?;
        let written = report.saved.into_iter().map(|saved| PackState {
            files: if self.delivered { Vec::new() } else { saved.state.files },
            ..saved.state
        });
        let arrived = report.arrived.into_iter().filter_map(|name| {
            let (root, profile) = name.strip_suffix(".json")?.rsplit_once('.')?;
            let (root, profile) = (root.to_owned(), profile.to_owned());
            let reasons = vec!["replaced on disk, and up to date".to_owned()];
            Some(PackState {
                root,
                profile,
                status: PackStatus::Unchanged,
                reasons,
                summary: None,
                files: Vec::new(),
                name,
            })
        });
        let states = written.chain(report.failed).chain(report.removed).chain(arrived);
        let packs = states.map(|state| packs::built_pack(&state, &shown)).collect();
        let diagnostics = [self.visible(&report.diagnostics), faults].concat();
        let text = json_line(&packs::build_output(packs, &diagnostics, &self.visible(&report.gone)));
        Ok(writeln!(console::stdout(), "{text}")?)
    }

    fn visible(&self, diagnostics: &[Diagnostic]) -> Vec<Diagnostic> {
        let mut visible = report::visible(diagnostics, self.global.quiet && !self.global.strict);
        if self.global.strict {
            strict(&mut visible);
        }
        visible
    }

    fn shown(&self, watch: &Watch, name: &str) -> String {
        match &self.out {
            None if self.delivered => name.to_owned(),
            Some(out) => out.join(name).display().to_string(),
            None => format!("{}/{name}", watch.dir().map_or("packs", |dir| dir.as_str())),
        }
    }
}

fn print_out(text: &str) -> io::Result<()> {
    let mut out = console::exact();
    let terminal = out.is_terminal();
    for line in text.split_inclusive('\n') {
        let shown = line.strip_suffix('\n').unwrap_or(line);
        let shown = if terminal { printable(shown) } else { Cow::Borrowed(shown) };
        out.write_all(shown.as_bytes())?;
        out.write_all(&line.as_bytes()[line.trim_end_matches('\n').len()..])?;
    }
    out.flush()
}
