//! Texts that look like those of people, the same every time.

use std::fmt::Write as _;

/// Headings, paragraphs, lists and code, about `size` bytes.
pub(crate) fn prose(text: &mut String, random: &mut Random, size: usize) {
    const WORDS: [&str; 16] = [
        "cache",
        "the",
        "reader",
        "of",
        "`Shard::open`",
        "writes",
        "after",
        "a",
        "slowly",
        "index",
        "recovers",
        "queue",
        "(see #12)",
        "latency",
        "must",
        "never",
    ];
    const HEADINGS: [&str; 6] = ["Goal", "Context", "Decision", "Scope", "Acceptance criteria", "Notes"];
    let end = text.len() + size;
    let mut part = 0;
    while text.len() < end {
        let _ = write!(text, "## {}\n\n", HEADINGS[part % HEADINGS.len()]);
        for _ in 0..random.below(60) + 20 {
            text.push_str(WORDS[random.below(16) as usize]);
            text.push(if random.below(14) == 0 { '\n' } else { ' ' });
        }
        text.push_str("\n\n- [ ] the first\n- [ ] the second\n\n```rust\nlet x = open(\"a/b.rs\")?;\n```\n\n");
        part += 1;
    }
}

/// The same numbers every time.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    /// A number below `limit`.
    pub(crate) fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }
}
