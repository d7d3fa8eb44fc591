//! The progress of a sync: a bar on a terminal, else an occasional line.

use crate::cli::args::Global;
use crate::console::{self, counted};
use crate::github::{EstimateStage, SyncEvent};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::{IsTerminal as _, Write as _};
use std::time::{Duration, Instant};

const LINE_INTERVAL: Duration = Duration::from_secs(10);

pub(crate) struct SyncReporter {
    quiet: bool,
    bar: ProgressBar,
    last_line: Instant,
    sent: u64,
}

impl SyncReporter {
    pub(crate) fn new(global: &Global) -> Self {
        let terminal = std::io::stderr().is_terminal() && !global.quiet;
        let bar = ProgressBar::new(0);
        let style = ProgressStyle::with_template("{msg} {bar:30} {pos}/{len}");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        bar.set_draw_target(if terminal { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() });
        Self { quiet: global.quiet, bar, last_line: Instant::now(), sent: 0 }
    }

    pub(crate) fn finish(&self) {
        self.bar.finish_and_clear();
    }

    fn print_line(&self, line: &str) {
        if !self.quiet {
            // If standard error is closed, the line is lost.
            self.bar.suspend(|| drop(writeln!(console::stderr(), "{line}")));
        }
    }

    pub(crate) fn print(&mut self, event: SyncEvent) {
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
