//! Reads files from git: of its revisions, and those that are tracked and not checked out.

use super::folder::is_in_git;
use super::run::{Git, GitError};
use crate::model::Refusal;
use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout};
use std::sync::{Mutex, PoisonError};

/// The largest file that is read, in bytes; no larger one is read from a folder either.
const MAX_FILE_BYTES: u64 = 64 << 20;

/// The most bytes that the files of one folder may have together: git stores a thousand equal files as one.
const MAX_FOLDER_BYTES: u64 = 1 << 30;

#[derive(Debug, thiserror::Error)]
pub enum HistoryError {
    #[error("git knows no `{0}`; if a shallow clone lacks it, fetch it first")]
    Unknown(String),
    #[error("`{0}` is larger than 64 MiB, the most that is read")]
    TooLarge(String),
    #[error("the files of `{0}` are larger than 1 GiB together, the most that is read")]
    SetTooLarge(String),
    #[error("there is no commit yet: commit first, or name two packs or folders")]
    NoCommit,
    #[error("this is not in a git repository: name two packs or folders, or run `git init` first")]
    NoRepository,
    #[error(transparent)]
    Git(#[from] GitError),
    #[error("git ended early")]
    Ended(#[from] io::Error),
}

/// A file or folder in a revision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GitObject {
    File(Vec<u8>),
    /// A folder's plain files, by name.
    Folder(Vec<(String, Vec<u8>)>),
}

/// A running `git cat-file --batch`, which answers all requests. It fetches nothing.
#[derive(Debug)]
pub struct ObjectReader {
    child: Child,
    requests: ChildStdin,
    responses: BufReader<ChildStdout>,
}

impl ObjectReader {
    pub fn open(root: &Path) -> Result<Self, HistoryError> {
        if !is_in_git(root) {
            return Err(HistoryError::NoRepository);
        }
        let mut child = Git::isolated(root, &["cat-file", "--batch"]).offline().spawn()?;
        match (child.stdin.take(), child.stdout.take()) {
            (Some(stdin), Some(stdout)) => Ok(Self { child, requests: stdin, responses: BufReader::new(stdout) }),
            _ => Err(io::Error::from(io::ErrorKind::UnexpectedEof).into()),
        }
    }

    /// Reads the file or folder at `path` of `revision`; `None` if there is none. Of a folder it reads the files for whose
    /// names `wanted` is true.
    pub fn read(
        &mut self,
        revision: &str,
        path: &str,
        wanted: &dyn Fn(&str) -> bool,
    ) -> Result<Option<GitObject>, HistoryError> {
        if self.request(&format!("{revision}^{{commit}}"))?.is_none() {
            return Err(match revision {
                "HEAD" => HistoryError::NoCommit,
                other => HistoryError::Unknown(other.to_owned()),
            });
        }
        // The root is named by an empty path after the colon.
        let Some(found) = self.request(&format!("{revision}:{path}"))? else { return Ok(None) };
        match found.kind.as_str() {
            "blob" => Ok(Some(GitObject::File(found.bytes))),
            "tree" => {
                let mut files = Vec::new();
                let mut total = 0;
                for (name, id) in entries(&found) {
                    if wanted(&name)
                        && let Some(file) = self.request(&id)?
                    {
                        total += file.bytes.len() as u64;
                        if total > MAX_FOLDER_BYTES {
                            return Err(HistoryError::SetTooLarge(format!("{revision}:{path}")));
                        }
                        files.push((name, file.bytes));
                    }
                }
                Ok(Some(GitObject::Folder(files)))
            }
            _ => Ok(None),
        }
    }

    /// Reads the bytes of a file by the id of its content; `None` if git does not have it, as in a partial clone.
    pub fn blob(&mut self, id: &str) -> Result<Option<Vec<u8>>, HistoryError> {
        Ok(self.request(id)?.filter(|object| object.kind == "blob").map(|object| object.bytes))
    }

    fn request(&mut self, name: &str) -> Result<Option<Object>, HistoryError> {
        if name.contains(|c: char| c.is_control()) {
            return Err(HistoryError::Unknown(name.escape_default().to_string()));
        }
        writeln!(self.requests, "{name}")?;
        self.requests.flush()?;
        let mut head = String::new();
        self.responses.read_line(&mut head)?;
        let mut words = head.trim_end().rsplit(' ');
        let (size, kind, id) = (words.next().unwrap_or_default(), words.next(), words.next());
        let (Ok(size), Some(kind), Some(id)) = (size.parse::<u64>(), kind, id) else {
            // `<name> missing`, or `ambiguous`.
            return if head.is_empty() { Err(io::Error::from(io::ErrorKind::UnexpectedEof).into()) } else { Ok(None) };
        };
        if size > MAX_FILE_BYTES {
            io::copy(&mut (&mut self.responses).take(size + 1), &mut io::sink())?;
            return Err(HistoryError::TooLarge(name.to_owned()));
        }
        let mut bytes = Vec::new();
        (&mut self.responses).take(size).read_to_end(&mut bytes)?;
        self.responses.read_exact(&mut [0])?;
        Ok(Some(Object { kind: kind.to_owned(), id_bytes: id.len() / 2, bytes }))
    }
}

impl Drop for ObjectReader {
    fn drop(&mut self) {
        // It would wait for further requests.
        let _ended = self.child.kill();
        let _reaped = self.child.wait();
    }
}

/// The objects of the repository of a root. One process of git, started for the first of them, reads all.
#[derive(Debug)]
pub struct StoredObjects {
    root: PathBuf,
    git: Mutex<Option<ObjectReader>>,
}

impl StoredObjects {
    /// Prepares to read; git starts with the first request.
    pub fn new(root: &Path) -> Self {
        Self { root: root.to_owned(), git: Mutex::default() }
    }

    /// Reads a content of at most `limit` bytes. Nothing is fetched: what a partial clone lacks is unreadable.
    pub fn read(&self, id: &str, limit: u64) -> Result<Vec<u8>, Refusal> {
        let mut git = self.git.lock().unwrap_or_else(PoisonError::into_inner);
        let unreadable = |error: HistoryError| Refusal::Unreadable(format!("it is not checked out, and {error}"));
        let mut history = match git.take() {
            Some(history) => history,
            None => ObjectReader::open(&self.root).map_err(unreadable)?,
        };
        let read = match history.blob(id) {
            Ok(Some(bytes)) if bytes.len() as u64 <= limit => Ok(bytes),
            Ok(Some(_)) | Err(HistoryError::TooLarge(_)) => Err(Refusal::TooLarge(limit)),
            Ok(None) => {
                let why = "it is not checked out, and this partial clone lacks its text, which `git checkout` fetches";
                Err(Refusal::Unreadable(why.to_owned()))
            }
            // What git says next may be the rest of this answer.
            Err(error) => return Err(unreadable(error)),
        };
        *git = Some(history);
        read
    }

    pub fn close(&self) {
        *self.git.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

struct Object {
    kind: String,
    /// The length of an id: 20 bytes of SHA-1, 32 of SHA-256.
    id_bytes: usize,
    bytes: Vec<u8>,
}

/// Returns the names and ids of the regular files of a tree, without links and folders.
fn entries(tree: &Object) -> Vec<(String, String)> {
    let mut files = Vec::new();
    let mut rest = &tree.bytes[..];
    // `<mode> <name>\0<id>`
    while let Some(end) = rest.iter().position(|byte| *byte == 0) {
        let Some(id) = rest.get(end + 1..end + 1 + tree.id_bytes) else { break };
        if let Ok(entry) = std::str::from_utf8(&rest[..end])
            && let Some((mode, name)) = entry.split_once(' ')
            && mode.starts_with("100")
        {
            files.push((name.to_owned(), id.iter().map(|byte| format!("{byte:02x}")).collect()));
        }
        rest = &rest[end + 1 + tree.id_bytes..];
    }
    files
}
