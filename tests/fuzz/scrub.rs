//! The door under any text: it holds, a second time changes nothing, and planted secrets never pass.
//!
//! ```sh
//! RUSTC_BOOTSTRAP=1 cargo +stable fuzz run -s none --fuzz-dir tests/fuzz scrub -- -max_total_time=180
//! ```
//!
//! The first byte of an input chooses the field and the secret, the second where in the text it is planted.
#![no_main]

use contextpack::internals::config::RedactionSettings;
use contextpack::internals::redact::{Piece, Redactor};
use libfuzzer_sys::fuzz_target;
use std::sync::LazyLock;

static DOOR: LazyLock<Redactor> = LazyLock::new(|| Redactor::new(&RedactionSettings::default()));

/// The names of fields that mean something to the door, and one that does not.
const KEYS: [&str; 6] = ["body", "head", "title", "path", "password", "note"];

/// 36 characters without meaning that depend on the whole input, so that no input can hold them by itself.
fn jumble(data: &[u8]) -> String {
    const ALPHABET: &[u8; 62] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
    let mut state = data
        .iter()
        .fold(0xcbf2_9ce4_8422_2325_u64, |state, byte| (state ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3));
    let mut text = String::new();
    for _ in 0..36 {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        text.push(char::from(ALPHABET[(state >> 33) as usize % 62]));
    }
    text
}

/// A planted secret, put together here since no file of this repo may look as if it held one, and the part of it that
/// must not be seen.
fn secret(number: u8, jumble: &str) -> (String, String) {
    let upper: String = jumble.to_uppercase().chars().map(|c| if c.is_ascii_digit() { 'Q' } else { c }).collect();
    match number % 6 {
        0 => (format!("ghp{}{jumble}", "_"), jumble.to_owned()),
        1 => (format!("AK{}{}", "IA", &upper[..16]), upper[..16].to_owned()),
        2 => (format!("sk-{}-api03-{jumble}{jumble}AA", "ant"), jumble.to_owned()),
        3 => (format!("glp{}-{}", "at", &jumble[..20]), jumble[..20].to_owned()),
        4 => (format!("postgres://app:{}@db.internal/x", &jumble[..16]), jumble[..16].to_owned()),
        _ => (format!("npm{}{jumble}", "_"), jumble.to_owned()),
    }
}

fn scrubbed(key: &str, text: &str) -> String {
    let scrubbed = DOOR.scrub("docs/x.md", &[Piece { key, text, line: 1 }]);
    assert_eq!(scrubbed.texts.len(), 1);
    let lines = text.matches('\n').count();
    for removal in &scrubbed.removals {
        assert!(removal.line as usize <= lines + 1 && removal.count > 0, "{removal:?}");
    }
    scrubbed.texts[0].as_str().to_owned()
}

fuzz_target!(|data: &[u8]| {
    let Some((&[choice, place], rest)) = data.split_first_chunk() else { return };
    let text = String::from_utf8_lossy(rest);
    let key = KEYS[usize::from(choice) % KEYS.len()];

    let once = scrubbed(key, &text);
    let twice = scrubbed(key, &once);
    assert!(once == twice, "scrubbing twice is not scrubbing once, {key}:\n{text:?}\n{once:?}\n{twice:?}");

    // Between white space: what else may stand beside a secret is the business of the evaluation set.
    let mut at = rest.len().min(text.len()) * usize::from(place) / 255;
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    let (secret, seen) = secret(choice / 6, &jumble(data));
    let planted = format!("{}\n{secret}\n{}", &text[..at], &text[at..]);
    let clean = scrubbed(key, &planted);
    assert!(!clean.contains(&seen), "a planted secret passes, {key}:\n{planted:?}\n{clean:?}");
});
