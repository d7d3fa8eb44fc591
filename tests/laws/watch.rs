//! Whatever happens while a repo is followed, its packs are those of a cold build, and `now.md` shows one of them.

use super::incremental::{Files, Step, TICK, caches, cold, packs, start, step, write};
use super::memory::cases;
use super::scripted_events::ScriptedEvents;
use contextpack::internals::engine::SessionRequest;
use contextpack::internals::redact::Environment;
use contextpack::internals::render;
use contextpack::internals::review::read;
use contextpack::internals::seal::Stamp;
use contextpack::internals::watch::{Event, Watch};
use proptest::prelude::*;
use std::fs;
use std::path::PathBuf;
use std::time::Duration;

/// Reports files that were created, removed or changed; in a folder that is not followed, the nearest followed folder
/// above it.
fn report(script: &ScriptedEvents, paths: impl Iterator<Item = PathBuf>, lost: bool) {
    let followed = script.followed.lock().unwrap();
    let seen = |path: PathBuf| {
        let mut below = path.as_path();
        loop {
            let parent = below.parent()?;
            if followed.contains(parent) {
                return Some(below.to_owned());
            }
            below = parent;
        }
    };
    let paths: Vec<PathBuf> = paths.filter_map(seen).collect();
    let event = if lost { Event::Overflow } else { Event::Touched(paths) };
    script.feed([event]);
}

/// The paths that differ.
fn changed<'a>(before: &'a Files, files: &'a Files) -> impl Iterator<Item = &'a String> {
    let gone = before.keys().filter(|path| !files.contains_key(*path));
    gone.chain(files.iter().filter(|(path, text)| before.get(*path) != Some(text)).map(|(path, _)| path))
}

proptest! {
    #![proptest_config(cases(12))]

    #[test]
    fn a_watch_that_is_told_of_every_change_gives_what_a_cold_build_gives(
        steps in prop::collection::vec((step(), prop::bool::weighted(0.2)), 1..7),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let mut files = start();
        write(&root, &Files::new(), &files);
        let script = ScriptedEvents::default();
        let stamp = || Stamp::new("2026-01-02T03:04:05Z".to_owned());
        let request = SessionRequest { root: root.clone(), caches: Some(caches()), rest: Some(Duration::ZERO), ..SessionRequest::default() };
        let environment = Environment::new(std::iter::empty());
        let mut watch = Watch::new(request, environment, Box::new(script.clone()), Box::new(stamp), false);
        watch.check();
        for (at, (step, lost)) in steps.iter().enumerate() {
            let before = files.clone();
            step.apply(&mut files);
            write(&root, &before, &files);
            // Packs are no inputs: what is done to them is not followed.
            if !matches!(step, Step::Tamper(..)) {
                step.harm(&root);
            }
            std::thread::sleep(TICK);
            report(&script, changed(&before, &files).map(|path| root.join(path)), *lost);
            let looked = watch.next_report().is_some();
            prop_assert!(looked || before == files, "{:?} was no news", step);
            let (expected, _) = cold(&files);
            // What this watch wrote under a former id it removed; what could not be built stays as it was.
            let found = packs(&root, &|name| !expected.contains_key(name));
            prop_assert_eq!(&found, &expected, "after {:?}", &steps[..=at]);
            let now = fs::read_to_string(root.join(".contextpack/now.md")).unwrap();
            if let Some(pack) = watch.focus().and_then(|focus| expected.get(focus)) {
                prop_assert_eq!(now, render::pack(&read(pack.as_bytes()).unwrap()).whole());
            } else {
                prop_assert!(now.starts_with("> Not up to date: "), "{}", now);
            }
        }
    }
}
