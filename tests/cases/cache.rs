//! Tests of the cache with files that change and with clocks that are set back.

use super::*;
use crate::model::{FileState, Refusal, RepoPath, SourceTree};
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

/// A file that says when it last changed, and counts how often it is read.
struct Quiet(RepoPath, &'static str, i64, Mutex<u32>);

impl SourceTree for Quiet {
    fn files(&self) -> &[RepoPath] {
        std::slice::from_ref(&self.0)
    }

    fn state(&self, _: &RepoPath) -> Option<FileState> {
        FileState::new(4, 1, (self.2, 0), (self.2, 0))
    }

    fn read(&self, _: &RepoPath) -> Result<String, Refusal> {
        *self.3.lock().unwrap() += 1;
        Ok(self.1.to_owned())
    }
}

#[test]
fn an_input_that_has_settled_is_read_again_only_if_its_state_changes() {
    let temp = tempfile::tempdir().unwrap();
    let folder = Folder::open_anywhere(temp.path()).unwrap();
    let mut cache = Cache::new(CacheFolder::in_memory().unwrap(), Digest::of(""), "");
    let file = |text, changed| Quiet(RepoPath::new("a.md").unwrap(), text, changed, Mutex::default());
    let job = Digest::of("job");
    let record = |cache: &Cache, source: &Quiet| {
        let inputs = Inputs::new(source, cache.for_reading(true));
        inputs.read(&source.0).unwrap();
        CompletedBuild::new(cache, [job, job], &inputs, &[], Default::default())
    };
    let is_fresh = |cache: &Cache, source: &Quiet| {
        let policy = FreshnessPolicy { exclusive: false, renderings: false };
        let found = cache.fresh(&job, source, &[], &folder, policy).is_some();
        (found, std::mem::take(&mut *source.3.lock().unwrap()))
    };
    let source = file("text", 1);
    cache.manifest.run = record(&cache, &source);
    source.3.lock().unwrap().clone_from(&0);
    assert_eq!(is_fresh(&cache, &source), (true, 1), "its state is not known yet");
    cache.save_settled(&folder, &source).unwrap();
    cache.manifest.run = cache.with_settled_inputs(&source);
    let _ = is_fresh(&cache, &source);
    assert_eq!(is_fresh(&cache, &source), (true, 0));
    assert!(cache.with_settled_inputs(&source).is_none(), "nothing is to be saved again");
    assert_eq!(is_fresh(&cache, &file("text", 2)), (true, 1), "touched");
    assert_eq!(is_fresh(&cache, &file("tex2", 2)), (false, 1));
    // The next build knows the state, as long as the content is the same.
    cache.manifest.run = record(&cache, &source);
    let _ = is_fresh(&cache, &source);
    assert_eq!(is_fresh(&cache, &source), (true, 0));
    let recent = i64::try_from(now() / 1_000_000_000).unwrap();
    cache.manifest.run = record(&cache, &file("tex3", recent));
    assert!(cache.with_settled_inputs(&file("tex3", recent)).is_none(), "it may change again without another time");
}
