//! The program as its users meet it: files in, files and exit codes out.
#![expect(clippy::unwrap_used, reason = "tests")]

mod action;
mod actions;
mod attest;
mod check;
mod cli;
mod companions;
mod diff;
mod environment;
mod explain;
mod fresh;
mod golden;
mod hostile;
mod init;
mod issues;
mod merge;
mod redact;
mod report;
mod rooms;
mod sandbox;
#[cfg(feature = "serve")]
mod serve;
#[cfg(feature = "github")]
mod stand_in;
#[cfg(feature = "github")]
mod sync;
#[cfg(feature = "github")]
mod sync_faults;
mod tamper;
mod tree;
mod workflows;
