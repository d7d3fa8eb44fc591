//! Packs on a page for a browser: packs, boxes, logs, batches and inboxes as files have them, how fresh they are, and the server
//! of the page.

mod packs;
mod server;
mod work;

pub(crate) use packs::{PackFiles, check};
pub(crate) use server::{AgentPacks, PageServer, PageSource};
