//! The program as its users meet it: files in, files and exit codes out.
#![expect(clippy::unwrap_used, reason = "tests")]

mod action;
mod actions;
mod agents;
mod agents_cache;
mod agents_faults;
mod agents_history;
mod agents_review;
mod agents_scope;
mod agents_watch;
mod arrows;
mod assignment;
mod batch_page;
mod batch_push;
#[cfg(target_os = "linux")]
mod batch_workflow;
mod batches;
mod boxes;
mod card_faults;
mod card_messages;
mod cards;
mod check;
mod checkout;
mod cli;
mod commands;
mod companions;
mod configuration;
mod diff;
mod diff_causes;
mod environment;
mod explain;
#[cfg(target_os = "linux")]
mod expressions;
mod frames;
mod fresh;
#[cfg(feature = "github")]
mod from_github;
mod golden;
mod graph;
mod hand_off_notes;
mod handover;
mod handover_review;
mod help;
mod hook;
mod hostile;
mod inbox;
mod incremental;
mod init;
mod init_repair;
mod install;
#[cfg(feature = "github")]
mod interrupted;
mod issues;
mod issues_trust;
#[cfg(target_os = "linux")]
mod killed;
mod ledger_faults;
mod library;
mod listing;
#[cfg(feature = "mcp")]
mod mcp;
#[cfg(feature = "mcp")]
mod mcp_client;
#[cfg(feature = "mcp")]
mod mcp_hand_off;
mod merge;
#[cfg(target_os = "linux")]
mod merge_workflow;
mod messages;
mod migrate;
mod named_code;
mod notes;
mod planted;
mod reading;
mod reads;
mod ready;
#[cfg(feature = "github")]
mod recorded;
mod records;
mod redact;
mod report;
#[cfg(target_os = "linux")]
mod runner;
mod sandbox;
mod scripted_events;
#[cfg(feature = "page")]
mod serve;
mod since;
mod sources;
mod spellings;
#[cfg(feature = "github")]
mod stand_in;
mod stats;
mod store;
#[cfg(feature = "github")]
mod sync;
#[cfg(feature = "github")]
mod sync_client;
#[cfg(feature = "github")]
mod sync_code;
#[cfg(feature = "github")]
mod sync_faults;
#[cfg(feature = "github")]
mod sync_proxy;
#[cfg(feature = "github")]
mod sync_requests;
#[cfg(feature = "github")]
mod sync_token;
mod tamper;
mod tools;
mod tracked_files;
mod tree;
mod unmerged;
mod unreadable;
mod unsaid;
mod untracked;
mod vectors;
#[cfg(feature = "github")]
mod wake;
mod watch;
mod watch_events;
mod workflow_rights;
mod workflows;
