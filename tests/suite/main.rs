//! The program as its users meet it: files in, files and exit codes out.
#![expect(clippy::unwrap_used, reason = "tests")]

mod action;
mod actions;
mod check;
mod cli;
mod environment;
mod fresh;
mod golden;
mod hostile;
mod incremental;
mod init;
mod issues;
mod redact;
mod rooms;
mod sandbox;
#[cfg(feature = "github")]
mod stand_in;
#[cfg(feature = "github")]
mod sync;
#[cfg(feature = "github")]
mod sync_faults;
mod tamper;
mod tree;
mod watch;
mod workflows;
