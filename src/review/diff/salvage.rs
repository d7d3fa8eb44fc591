//! Reading of packs that may be damaged. What is wrong with one is said, and it is compared with nothing.

use super::super::read::{ReadError, read};
use super::super::verify::content_hash;
use crate::wire::Pack;

/// A pack as it was read.
#[derive(Debug, Clone, Default)]
pub struct SalvagedPack {
    /// The pack; `None` if it cannot be read.
    pub pack: Option<Pack>,
    /// The faults of the file.
    pub faults: Vec<String>,
    /// Whether the file claims to be a pack and cannot be read as one.
    pub is_unreadable: bool,
}

/// Reads a pack, or says why it cannot be read.
pub fn salvage(bytes: &[u8]) -> SalvagedPack {
    let error = match read(bytes) {
        Ok(pack) => {
            let changed = content_hash(bytes).is_none_or(|digest| digest.to_string() != pack.hash);
            let fault = "its content is not what its hash says: it was changed after it was built".to_owned();
            return SalvagedPack {
                pack: Some(pack),
                faults: Vec::from_iter(changed.then_some(fault)),
                ..Default::default()
            };
        }
        Err(error) => error,
    };
    let is_unreadable = String::from_utf8_lossy(bytes).contains("\"context_pack/");
    let fault = match &error {
        ReadError::Version(_) if is_unreadable => error.to_string(),
        _ if is_unreadable => format!("it is damaged: {error}"),
        _ => format!("it is no context pack: {error}"),
    };
    SalvagedPack { pack: None, faults: vec![fault], is_unreadable }
}
