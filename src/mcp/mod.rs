//! `contextpack mcp`: a server of the Model Context Protocol on standard input and output.
//!
//! Two threads: the main one reads the repository and answers questions about it one after the other ([`reader`]), the
//! other one speaks the protocol ([`server`]).

mod arguments;
mod questions;
mod reader;
mod server;
mod transport;

use crate::console::{self, Exit, Failure, PathFailure, Workspace};
use crate::engine::count_tokens;
use crate::intake::Repo;
use reader::RepositoryReader;
use serde_json::{Map, Value};
use std::io::{IsTerminal as _, Write as _};

pub(crate) use arguments::in_tools;
pub(crate) use questions::{Reply, root_in};

/// The tools that write, which act as one agent.
pub(crate) struct HandOffTools {
    pub(crate) agent: String,
    pub(crate) call: HandOffCall,
}

/// Answers a call of the tool of this name with these arguments, whose types were checked.
pub(crate) type HandOffCall = Box<dyn Fn(&str, &Map<String, Value>) -> Result<Reply, Failure>>;

pub(crate) fn run(workspace: Workspace, quiet: bool, tools: Option<HandOffTools>) -> Result<Exit, Failure> {
    let root = Repo::find_root(&std::env::current_dir()?)?;
    let config = workspace.config.as_deref().map(std::path::absolute).transpose()?;
    // Paths of items are those from the root.
    std::env::set_current_dir(&root)
        .map_err(|error| PathFailure::failure("enter", root.display().to_string(), error))?;
    if std::io::stdin().is_terminal() && !quiet {
        writeln!(
            console::stderr(),
            "waiting for messages on standard input; `contextpack init --for` lets a program send them"
        )?;
    }
    let agent = tools.as_ref().map(|tools| tools.agent.clone());
    let (mut reader, queue) = RepositoryReader::new(Workspace { config, ..workspace }, root, tools);
    // The vocabulary is loaded while the repository is listed. If the thread cannot be started, the first answer loads it.
    drop(std::thread::Builder::new().spawn(|| count_tokens("")));
    let serving = std::thread::Builder::new().spawn(move || server::serve(queue, agent))?;
    reader.run();
    match serving.join() {
        Ok(served) => Ok(served.map(|()| Exit::Done)?),
        // The message of the panic is printed at the end of the program.
        Err(_) => Ok(Exit::Outside),
    }
}
