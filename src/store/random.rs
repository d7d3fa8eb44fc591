//! Random bytes from the operating system.

use std::fmt::Write as _;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::SystemTime;

/// Returns 256 bits from the system's secure random number generator, or `None` if it fails.
pub(super) fn key() -> Option<[u8; 32]> {
    let mut key = [0; 32];
    getrandom::fill(&mut key).ok()?;
    Some(key)
}

/// Returns 32 random hex digits, for the name of a temporary file or to make two files differ. Without the system's
/// randomness they are unique, not random: of the time, the process and the call.
pub fn name() -> String {
    static CALLS: AtomicU64 = AtomicU64::new(0);
    let mut bytes = [0; 16];
    if getrandom::fill(&mut bytes).is_err() {
        let nanos = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.as_nanos());
        let call = CALLS.fetch_add(1, Ordering::Relaxed);
        bytes = (nanos ^ u128::from(std::process::id()) << 96 ^ u128::from(call) << 64).to_le_bytes();
    }
    bytes.iter().fold(String::with_capacity(32), |mut name, byte| {
        // Writing to a `String` cannot fail.
        let _ = write!(name, "{byte:02x}");
        name
    })
}
