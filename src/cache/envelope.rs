//! Around every file of the cache: who wrote it, and that it is whole.

use crate::model::{Digest, Digester};

/// The first line of every file.
const MAGIC: &[u8] = b"contextpack cache 1\n";

/// What an envelope is closed with.
pub(super) struct Seal {
    /// The program.
    pub(super) program: Digest,
    /// A digest that has begun with a key and the file's name.
    pub(super) begun: Digester,
}

/// What a file of the cache turned out to be.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Opened {
    /// What was put in.
    Whole(Vec<u8>),
    /// It is of another program, or of another version of this one.
    Foreign,
    /// It is not what was written.
    Damaged,
}

/// Puts `payload` in an envelope.
pub(super) fn close(payload: &[u8], seal: &Seal) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(MAGIC.len() + 64 + payload.len());
    bytes.extend_from_slice(MAGIC);
    bytes.extend_from_slice(&seal.program.bytes());
    bytes.extend_from_slice(&seal.begun.clone().part(payload).digest().bytes());
    bytes.extend_from_slice(payload);
    bytes
}

/// Takes the payload out of an envelope.
pub(super) fn open(mut bytes: Vec<u8>, seal: &Seal) -> Opened {
    let head = MAGIC.len();
    let Some(program) = bytes.get(head..head + 32).filter(|_| bytes.starts_with(MAGIC)) else {
        return Opened::Damaged;
    };
    if program != seal.program.bytes() {
        return Opened::Foreign;
    }
    match bytes.get(head + 32..head + 64).zip(bytes.get(head + 64..)) {
        Some((mac, payload)) if mac == seal.begun.clone().part(payload).digest().bytes() => {
            bytes.drain(..head + 64);
            Opened::Whole(bytes)
        }
        _ => Opened::Damaged,
    }
}
