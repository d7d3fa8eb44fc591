//! What the id of a root decides: the file name of its packs, and its shard, the part of all roots for one of several machines.

use super::Digest;
use std::fmt;
use std::num::NonZeroU32;
use std::str::FromStr;

/// The longest slug, in bytes, before it is shortened and given a digest.
const LONGEST: usize = 100;

/// Returns the part of a pack's file name that identifies its root `id`.
///
/// Lower case, everything outside `[a-z0-9._-]` as `-`, no leading `.` or `-`.
/// If a non-ASCII character was replaced or the result is too long, 8 hex
/// digits of the id's SHA-256 keep two such ids apart. They also follow a name
/// that Windows reserves for a device, such as `aux` or `con.x`. An issue of the
/// configured repo is `issue-<n>`; its caller passes that as the id.
pub fn slug(id: &str) -> String {
    let mut text: String = id
        .chars()
        .map(|c| match c.to_ascii_lowercase() {
            c @ ('a'..='z' | '0'..='9' | '.' | '_' | '-') => c,
            _ => '-',
        })
        .collect();
    text = text.trim_start_matches(['.', '-']).to_owned();
    let is_device = is_device_name(&text);
    if id.is_ascii() && text.len() <= LONGEST && !text.is_empty() && !is_device {
        return text;
    }
    if is_device {
        // What follows the first full stop does not count.
        text = text.replacen('.', "-", 1);
    }
    text.truncate(LONGEST - 9);
    format!("{text}-{}", Digest::of(id).short(8)).trim_start_matches('-').to_owned()
}

/// Returns whether Windows takes a file of this name, in lower case, for a device, whatever its extensions.
fn is_device_name(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or(name);
    let port = |kind: &str| stem.strip_prefix(kind).is_some_and(|n| matches!(n.as_bytes(), [b'0'..=b'9']));
    ["aux", "con", "nul", "prn"].contains(&stem) || port("com") || port("lpt")
}

/// One of N parts of all roots, written `i/N` and counted from 1.
///
/// The digest of a root's id decides in which part it is: other roots come and go, and it stays.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shard {
    index: u32,
    of: NonZeroU32,
}

impl Shard {
    /// The largest number of shards: as many jobs as a workflow's matrix may have.
    pub const MOST: u32 = 256;

    /// Returns the part of `of` in which the root with this id is.
    pub fn holding(id: &str, of: NonZeroU32) -> Self {
        // The remainder is computed byte by byte, so that the whole digest counts.
        let wide = u64::from(of.get());
        let rest = Digest::of(id).bytes().iter().fold(0, |rest, byte| (rest * 256 + u64::from(*byte)) % wide);
        Self { index: u32::try_from(rest).unwrap_or_default() + 1, of }
    }

    /// Returns whether the root with this id is in it.
    pub fn holds(self, id: &str) -> bool {
        Self::holding(id, self.of) == self
    }

    pub fn index(self) -> u32 {
        self.index
    }

    /// Returns whether it is the first shard that holds any of the roots with these ids; without ids, whether it is the first.
    ///
    /// Work that belongs to no root is done by the leading shard, so that exactly one shard of a matrix of the roots does it.
    pub fn leads<'a>(self, ids: impl Iterator<Item = &'a str>) -> bool {
        ids.map(|id| Self::holding(id, self.of).index).min().unwrap_or(1) == self.index
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.index, self.of)
    }
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a shard is `i/N`, such as `1/4`: i from 1 to N, N at most {}", Shard::MOST)]
pub struct InvalidShard;

impl FromStr for Shard {
    type Err = InvalidShard;

    fn from_str(text: &str) -> Result<Self, InvalidShard> {
        let number = |text: &str| text.parse::<u32>().ok().filter(|_| text.bytes().all(|b| b.is_ascii_digit()));
        let (index, of) = text.split_once('/').ok_or(InvalidShard)?;
        let index = number(index).ok_or(InvalidShard)?;
        let of = number(of).filter(|of| *of <= Self::MOST).and_then(NonZeroU32::new).ok_or(InvalidShard)?;
        if (1..=of.get()).contains(&index) { Ok(Self { index, of }) } else { Err(InvalidShard) }
    }
}
