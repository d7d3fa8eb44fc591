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
mod init;
mod issues;
mod redact;
mod rooms;
mod sandbox;
mod tamper;
mod tree;
mod workflows;
