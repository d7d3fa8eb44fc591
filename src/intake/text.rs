//! Reads files below the root as text, without following links.

use crate::model::{FileState, Refusal, describe};
use cap_fs_ext::{DirExt as _, FollowSymlinks, OpenOptionsFollowExt as _, OpenOptionsSyncExt as _};
use cap_std::fs::{Dir, File, OpenOptions};
use regex::Regex;
use std::fs::Metadata;
use std::io::{self, Read as _};
use std::path::Path;
use std::sync::LazyLock;
#[cfg(unix)]
use std::time::Duration;
use std::time::SystemTime;

const MAX_BYTES: u64 = 1 << 20;

/// How much is read of a file that is no text, or too large, in bytes.
const HEAD_BYTES: u64 = 64 << 10;

/// Files of many items.
const MAX_JSON_BYTES: u64 = 256 << 20;

/// Returns how many bytes a file with this extension may have.
pub(super) fn size_limit(extension: &str) -> u64 {
    let is_json = ["json", "jsonl", "ndjson"].iter().any(|known| extension.eq_ignore_ascii_case(known));
    if is_json { MAX_JSON_BYTES } else { MAX_BYTES }
}

/// Reads a file of at most `limit` bytes as text: LF line ends, no byte-order mark.
///
/// `path` is opened from the handle of the root, and no link is followed on the way: one that is swapped in after the path
/// was checked is refused. Opening does not wait, so a FIFO cannot block a build.
pub(super) fn read(root: &Dir, path: &str, limit: u64) -> Result<String, Refusal> {
    read_bytes(root, path, limit).and_then(decode)
}

/// Reads an opened file as [`read`] does.
pub(super) fn read_open(file: File, limit: u64) -> Result<String, Refusal> {
    bytes_of(file, limit).and_then(decode)
}

/// Returns the beginning of a file, opened as [`read`] opens it, with LF line ends and U+FFFD for what is no text.
pub(super) fn head(root: &Dir, path: &str) -> Option<String> {
    let file = open(root, path).ok()?;
    if !file.metadata().ok()?.is_file() {
        return None;
    }
    let mut bytes = Vec::new();
    file.take(HEAD_BYTES).read_to_end(&mut bytes).ok()?;
    Some(head_of(&bytes))
}

/// Returns the beginning of a content as [`head`] does.
pub(super) fn head_of(bytes: &[u8]) -> String {
    let end = usize::try_from(HEAD_BYTES).map_or(bytes.len(), |most| most.min(bytes.len()));
    normalised(String::from_utf8_lossy(&bytes[..end]).into_owned())
}

/// Reads a file's bytes unchanged, opened as [`read`] opens it.
pub(super) fn read_bytes(root: &Dir, path: &str, limit: u64) -> Result<Vec<u8>, Refusal> {
    let file = open(root, path).map_err(|error| refusal(root, path, &error))?;
    bytes_of(file, limit)
}

fn bytes_of(file: File, limit: u64) -> Result<Vec<u8>, Refusal> {
    let unreadable = |error: io::Error| Refusal::Unreadable(describe(&error));
    let metadata = file.metadata().map_err(unreadable)?;
    if !metadata.is_file() {
        return Err(Refusal::Binary);
    }
    if metadata.len() > limit {
        return Err(Refusal::TooLarge(limit));
    }
    let mut bytes = Vec::with_capacity(usize::try_from(metadata.len()).unwrap_or_default() + 1);
    // One byte more than allowed distinguishes a file that grew from one that fits.
    file.take(limit + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() as u64 > limit {
        return Err(Refusal::TooLarge(limit));
    }
    Ok(bytes)
}

/// Returns options for opening without waiting and without following a link at the end of the path.
fn options() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.read(true).nonblock(true).follow(FollowSymlinks::No);
    options
}

fn open(root: &Dir, path: &str) -> io::Result<File> {
    // One call for all folders, where the system has it. If it refuses, the calls below say why.
    #[cfg(target_os = "linux")]
    {
        use rustix::fs::{Mode, OFlags, ResolveFlags, openat2};
        let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC | OFlags::NOFOLLOW;
        let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
        if let Ok(file) = openat2(root, path, flags, Mode::empty(), resolve) {
            return Ok(File::from_std(file.into()));
        }
    }
    match path.rsplit_once('/') {
        Some((folder, name)) => open_folder(root, folder)?.open_with(name, &options()),
        None => root.open_with(path, &options()),
    }
}

fn open_folder(root: &Dir, path: &str) -> io::Result<Dir> {
    let mut parts = path.split('/').filter(|part| !part.is_empty());
    let first = root.open_dir_nofollow(parts.next().unwrap_or("."))?;
    parts.try_fold(first, |folder, part| folder.open_dir_nofollow(part))
}

fn refusal(root: &Dir, path: &str, error: &io::Error) -> Refusal {
    match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => Refusal::NotInRepo,
        io::ErrorKind::IsADirectory => Refusal::Binary,
        _ => match root.symlink_metadata(path) {
            // A link where a file was listed: it was swapped in since.
            Ok(metadata) if metadata.is_symlink() => Refusal::NotInRepo,
            // A socket or a device without a driver cannot be opened at all.
            Ok(metadata) if !metadata.is_file() => Refusal::Binary,
            _ => Refusal::Unreadable(describe(error)),
        },
    }
}

/// Returns when a file was created, or when an entry of a folder last came or went. git replaces the files that it
/// changes.
///
/// If the system does not store when a file was created, it is when the file was last changed in any way.
pub(super) fn created(path: &Path) -> Option<SystemTime> {
    let metadata = path.symlink_metadata().ok()?;
    if metadata.is_dir() {
        return metadata.modified().ok();
    }
    metadata.created().or_else(|_| changed(&metadata)).ok()
}

/// Returns when a file was last changed in any way that the system stores.
pub(super) fn changed(metadata: &Metadata) -> io::Result<SystemTime> {
    let modified = metadata.modified()?;
    #[cfg(unix)]
    let modified = {
        use std::os::unix::fs::MetadataExt as _;
        let seconds = metadata.ctime().try_into().map(Duration::from_secs).unwrap_or_default();
        let nanoseconds = metadata.ctime_nsec().try_into().map(Duration::from_nanos).unwrap_or_default();
        modified.max(SystemTime::UNIX_EPOCH + seconds + nanoseconds)
    };
    Ok(modified)
}

/// Returns the state of a regular file, if the system stores enough to tell two states apart.
pub(super) fn state(path: &Path) -> Option<FileState> {
    state_of(&path.symlink_metadata().ok()?)
}

#[cfg(unix)]
pub(super) fn state_of(metadata: &Metadata) -> Option<FileState> {
    use std::os::unix::fs::MetadataExt as _;
    let (modified, changed) = ((metadata.mtime(), metadata.mtime_nsec()), (metadata.ctime(), metadata.ctime_nsec()));
    metadata.is_file().then(|| FileState::new(metadata.len(), metadata.ino(), modified, changed))?
}

#[cfg(not(unix))]
pub(super) fn state_of(_: &Metadata) -> Option<FileState> {
    None
}

pub(super) fn decode(bytes: Vec<u8>) -> Result<String, Refusal> {
    if bytes.contains(&0) {
        return Err(Refusal::Binary);
    }
    let text = String::from_utf8(bytes).map_err(|_| Refusal::NotUtf8)?;
    Ok(normalised(text))
}

/// Drops a byte-order mark; CRLF and lone CR become LF.
pub fn normalised(mut text: String) -> String {
    const MARK: char = '\u{feff}';
    if text.starts_with(MARK) {
        text.drain(..MARK.len_utf8());
    }
    if text.contains('\r') { text.replace("\r\n", "\n").replace('\r', "\n") } else { text }
}

/// Whether a text is what git stores for a file whose content is stored with Git LFS.
pub(super) fn is_lfs_pointer(text: &str) -> bool {
    let mut lines = text.lines();
    lines.next().is_some_and(|line| line.starts_with("version https://git-lfs.github.com/spec/"))
        && lines.take(MAX_POINTER_LINES).any(|line| line.starts_with("oid sha256:"))
}

/// The most lines of a pointer after its first: extensions come before the id of the content.
const MAX_POINTER_LINES: usize = 12;

/// What git writes in place of `$Id$`: an object's id alone, and anything on one line.
static EXPANDED_IDS: LazyLock<[Option<Regex>; 2]> = LazyLock::new(|| {
    [r"\$Id:[\s--\n]*(?:[0-9A-Fa-f]{40}|[0-9A-Fa-f]{64})[\s--\n]*\$", r"\$Id:[^$\n]*\$"].map(|it| Regex::new(it).ok())
});

/// Returns a text as git stores it where the attribute `ident` expands `$Id$` on disk: every `$Id: … $` of one line if the
/// file is known to have it, else those that hold nothing but an object's id, as only git writes them.
pub(super) fn without_expanded_ids(text: String, has_ident: bool) -> String {
    match &EXPANDED_IDS[usize::from(has_ident)] {
        Some(expanded) if text.contains("$Id:") => expanded.replace_all(&text, "$$Id$$").into_owned(),
        _ => text,
    }
}
