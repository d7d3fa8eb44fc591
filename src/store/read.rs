//! Bounded reads and listings of files that the user names, and random names.

use cap_fs_ext::{FollowSymlinks, OpenOptionsFollowExt as _, OpenOptionsSyncExt as _};
use cap_std::ambient_authority;
use cap_std::fs::{File, OpenOptions};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::SystemTime;
use walkdir::WalkDir;

/// The largest pack, or other file that the user names, in bytes.
pub const LARGEST: u64 = 64 << 20;

/// The largest total size of the packs of one folder or revision, in bytes.
pub const LARGEST_SET: u64 = 1 << 30;

/// Whether a link at the end of a path is followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Symlinks {
    Follow,
    Refuse,
}

/// Reads a regular file of at most [`LARGEST`] bytes. Neither opening nor reading blocks, so that a FIFO or a device
/// cannot stop the caller. An inherited descriptor, as shells give for `<(…)`, may be a pipe.
pub fn read_file(path: &Path, links: Symlinks) -> io::Result<Vec<u8>> {
    if links == Symlinks::Follow && is_descriptor(path) {
        return read_stream(std::fs::File::open(path)?);
    }
    // Opening a device can have side effects, so the type is checked first.
    let (metadata, follow) = match links {
        Symlinks::Follow => (path.metadata()?, FollowSymlinks::Yes),
        Symlinks::Refuse => (path.symlink_metadata()?, FollowSymlinks::No),
    };
    regular(metadata.is_file(), metadata.is_dir())?;
    let mut options = OpenOptions::new();
    options.read(true).nonblock(true).follow(follow);
    read_open(File::open_ambient_with(path, &options, ambient_authority())?, LARGEST)
}

pub(super) fn read_open(file: File, most: u64) -> io::Result<Vec<u8>> {
    let metadata = file.metadata()?;
    regular(metadata.is_file(), metadata.is_dir())?;
    if metadata.len() > most {
        return Err(too_large(most));
    }
    read_to(file, most, usize::try_from(metadata.len()).unwrap_or_default() + 1)
}

/// Reads a stream of at most [`LARGEST`] bytes to its end.
pub fn read_stream(stream: impl Read) -> io::Result<Vec<u8>> {
    read_to(stream, LARGEST, 0)
}

fn read_to(stream: impl Read, most: u64, expected: usize) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::with_capacity(expected);
    // One byte more than allowed distinguishes a longer stream from one that fits.
    stream.take(most + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most { Err(too_large(most)) } else { Ok(bytes) }
}

fn regular(is_file: bool, is_folder: bool) -> io::Result<()> {
    match (is_file, is_folder) {
        (true, _) => Ok(()),
        (false, true) => Err(io::ErrorKind::IsADirectory.into()),
        (false, false) => Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file")),
    }
}

fn too_large(most: u64) -> io::Error {
    let message = format!("it is larger than {} MiB, the most that is read", most >> 20);
    io::Error::new(io::ErrorKind::FileTooLarge, message)
}

fn is_descriptor(path: &Path) -> bool {
    let Some(path) = path.to_str() else { return false };
    let number = ["/dev/fd/", "/proc/self/fd/"].into_iter().find_map(|folder| path.strip_prefix(folder));
    path == "/dev/stdin" || number.is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Returns the file itself, or every `.json` file below the folder, sorted.
pub fn json_files(path: &Path) -> io::Result<Vec<PathBuf>> {
    match path.is_dir() {
        true => entries_below(path, &|path, is_folder| !is_folder && is_json(path)),
        false => Ok(vec![path.to_path_buf()]),
    }
}

/// Returns whether a file is named like JSON.
pub fn is_json(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "json")
}

/// Returns every entry below a folder that is `wanted`, which is asked with whether it is a folder, without following links.
pub fn entries_below(folder: &Path, wanted: &dyn Fn(&Path, bool) -> bool) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in WalkDir::new(folder).min_depth(1).sort_by_file_name() {
        let entry = entry.map_err(|error| error.into_io_error().unwrap_or_else(|| io::ErrorKind::Other.into()))?;
        if wanted(entry.path(), entry.file_type().is_dir()) {
            found.push(entry.into_path());
        }
    }
    Ok(found)
}

/// Returns 32 random hex digits, for the name of a temporary file or to make two files differ. Without the system's
/// randomness they are unique, not random: of the time, the process and the call.
pub fn random_name() -> String {
    static CALLS: AtomicU64 = AtomicU64::new(0);
    let mut bytes = [0; 16];
    if getrandom::fill(&mut bytes).is_err() {
        let nanos = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.as_nanos());
        let call = CALLS.fetch_add(1, Ordering::Relaxed);
        bytes = (nanos ^ u128::from(std::process::id()) << 96 ^ u128::from(call) << 64).to_le_bytes();
    }
    format!("{:032x}", u128::from_be_bytes(bytes))
}
