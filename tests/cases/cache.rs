//! Tests of the cache with files that change and with clocks that are set back.

use super::*;
use crate::model::{Refusal, RepoPath, SourceTree};
use crate::store::Folder;
use std::fs;
use std::sync::Mutex;

#[test]
fn texts_are_kept_until_a_build_does_not_use_them() {
    let keys: Vec<Digest> = ["a", "b", "c"].iter().map(Digest::of).collect();
    let texts = TextCache::empty(Digester::default(), "");
    keys.iter().for_each(|key| texts.put(key, b"reading".to_vec()));
    let bytes = texts.encode_changes().unwrap();
    let texts = TextCache::new(Digester::default(), "", bytes.clone()).unwrap();
    assert_eq!(texts.get(&keys[0]), Some(&b"reading"[..]));
    assert!(texts.get(&Digest::of("d")).is_none());
    let less = TextCache::new(Digester::default(), "", texts.encode_changes().unwrap()).unwrap();
    assert!(less.get(&keys[0]).is_some() && less.get(&keys[1]).is_none());
    let used = TextCache::new(Digester::default(), "", bytes.clone()).unwrap();
    assert!(keys.iter().all(|key| used.get(key).is_some()));
    assert_eq!(used.encode_changes(), None, "nothing is new and all of it is used");
    // A build that skipped texts does not drop the unused ones.
    let incomplete = TextCache::new(Digester::default(), "", bytes.clone()).unwrap();
    incomplete.mark_incomplete();
    assert_eq!(incomplete.encode_changes(), None);
    incomplete.put(&Digest::of("e"), Vec::new());
    let more = incomplete.for_next_build();
    assert!(more.get(&keys[1]).is_some() && more.get(&Digest::of("e")).is_some());
    assert!(TextCache::new(Digester::default(), "", bytes[..bytes.len() - 1].to_vec()).is_none());
}

/// A file that changes with every read.
struct Restless(RepoPath, Mutex<u32>);

impl SourceTree for Restless {
    fn files(&self) -> &[RepoPath] {
        std::slice::from_ref(&self.0)
    }

    fn read(&self, _: &RepoPath) -> Result<String, Refusal> {
        let mut reads = self.1.lock().unwrap();
        *reads += 1;
        Ok(format!("text {reads}"))
    }
}

#[test]
fn a_file_that_changes_during_a_build_has_a_digest_for_each_text() {
    let path = RepoPath::new("a.md").unwrap();
    let source = Restless(path.clone(), Mutex::new(0));
    let texts = TextCache::empty(Digester::default(), "");
    let trace = Inputs::new(&source, InputCaches { texts: Some(&texts), ..InputCaches::default() });
    let first = trace.read(&path).unwrap();
    let digest = trace.content(&path, &first);
    assert!(trace.observed().is_some());
    let second = trace.read(&path).unwrap();
    assert_eq!(trace.content(&path, &first), digest);
    assert_ne!(trace.content(&path, &second), digest);
    assert!(trace.observed().is_none(), "the next build must not take this one for the last word");
}

#[cfg(unix)]
#[test]
fn a_state_identifies_content_only_once_the_file_has_settled() {
    let temp = tempfile::tempdir().unwrap();
    let folder = Folder::open_anywhere(temp.path()).unwrap();
    folder.write("x.json", b"1").unwrap();
    let state = folder.state("x.json").unwrap();
    let changed = state.changed();
    assert!(!state.is_rested(changed) && !state.is_rested(changed + 1_999_999_999));
    assert!(state.is_rested(changed + 2_000_000_000));
    // The clock was set back: the file seems to be from the future.
    assert!(!state.is_rested(changed - 1) && !state.is_rested(0));

    let known = FileFingerprint { state: Some(state), ..FileFingerprint::new(b"1") };
    assert!(known.is_unchanged(&folder, "x.json") && known.holds(&folder, "x.json"));
    // Of the same size, and with the time of its last change set back.
    fs::write(temp.path().join("x.json"), b"2").unwrap();
    let file = fs::File::options().write(true).open(temp.path().join("x.json")).unwrap();
    file.set_modified(SystemTime::UNIX_EPOCH).unwrap();
    assert!(!known.is_unchanged(&folder, "x.json"));
    folder.write("x.json", b"1").unwrap();
    assert!(known.is_unchanged(&folder, "x.json"), "the bytes are the same again");
    assert!(!known.is_unchanged(&folder, "y.json"));
}
