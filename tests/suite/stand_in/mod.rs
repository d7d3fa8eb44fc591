//! A server on loopback that answers as GitHub does: real paging, marks, redirects, and faults on request.

mod bodies;
mod record;
mod world;

pub(crate) use bodies::repo as repo_body;
pub(crate) use bodies::{label, milestone, pull, user};
pub(crate) use world::{Fault, World};

use serde_json::Value;
use std::io::{BufRead as _, BufReader, Read, Write};
use std::net::TcpListener;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

/// What a client asked.
#[derive(Debug, Clone)]
pub(crate) struct Asked {
    /// Path and query.
    pub(crate) path: String,
    /// What was sent along.
    pub(crate) body: String,
    pub(crate) authorization: Option<String>,
    pub(crate) marked: bool,
    pub(crate) status: u16,
}

/// An answer as it goes over the wire.
#[derive(Debug, Clone, Default)]
pub(crate) struct Said {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: String,
    /// Ends in the middle of the body.
    pub(crate) cut: bool,
    /// Comes so late.
    pub(crate) late: Duration,
}

impl Said {
    pub(crate) fn new(status: u16, body: &Value) -> Self {
        Self { status, body: body.to_string(), ..Self::default() }
    }

    pub(crate) fn header(mut self, name: &str, value: impl ToString) -> Self {
        self.headers.push((name.to_owned(), value.to_string()));
        self
    }
}

/// The server, for as long as the program runs.
#[derive(Clone)]
pub(crate) struct StandIn {
    world: Arc<Mutex<World>>,
    pub(crate) url: String,
}

pub(crate) const SUBS: &str = "sub_issues";
pub(crate) const BLOCKED_BY: &str = "dependencies/blocked_by";
pub(crate) const BLOCKING: &str = "dependencies/blocking";

impl StandIn {
    pub(crate) fn new(world: World) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}{}", listener.local_addr().unwrap(), world.base);
        let world = Arc::new(Mutex::new(world));
        let shared = Arc::clone(&world);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let world = Arc::clone(&shared);
                std::thread::spawn(move || serve(stream, &world));
            }
        });
        Self { world, url }
    }

    /// What answers on a connection that somebody else made, such as an encrypted one.
    pub(crate) fn talk(&self, stream: impl Read + Write) {
        serve(stream, &self.world);
    }

    pub(crate) fn world(&self) -> MutexGuard<'_, World> {
        self.world.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// What was asked since the last call.
    pub(crate) fn asked(&self) -> Vec<Asked> {
        std::mem::take(&mut self.world().log)
    }
}

fn serve(stream: impl Read + Write, world: &Mutex<World>) -> Option<()> {
    let mut reader = BufReader::new(stream);
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).ok()? == 0 {
            return None;
        }
        let mut words = line.split(' ');
        let (method, path) = (words.next()?.to_owned(), words.next()?.to_owned());
        let (mut authorization, mut mark, mut length) = (None, None, 0);
        loop {
            let mut header = String::new();
            reader.read_line(&mut header).ok()?;
            let Some((name, value)) = header.trim_end().split_once(": ") else { break };
            match name.to_lowercase().as_str() {
                "authorization" => authorization = Some(value.to_owned()),
                "if-none-match" => mark = Some(value.to_owned()),
                "content-length" => length = value.parse().ok()?,
                _ => {}
            }
        }
        let mut sent = vec![0; length];
        reader.read_exact(&mut sent).ok()?;
        let said = {
            let mut world = world.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            let said = world.answer(&path, mark.as_deref(), authorization.as_deref());
            if method == "GET" {
                record::record(&world, &path, &said);
            }
            let body = String::from_utf8_lossy(&sent).into_owned();
            world.log.push(Asked { path, body, authorization, marked: mark.is_some(), status: said.status });
            said
        };
        std::thread::sleep(said.late);
        let mut head = format!("HTTP/1.1 {} x\r\ncontent-length: {}\r\n", said.status, said.body.len());
        said.headers.iter().for_each(|(name, value)| head.push_str(&format!("{name}: {value}\r\n")));
        let body = if said.cut { &said.body[..said.body.len() / 2] } else { &said.body };
        reader.get_mut().write_all(format!("{head}\r\n{body}").as_bytes()).ok()?;
        reader.get_mut().flush().ok()?;
        if said.cut {
            // The connection ends with the stream.
            return None;
        }
    }
}
