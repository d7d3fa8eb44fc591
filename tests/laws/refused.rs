//! An input that cannot be read is never taken for absent, and inputs of two states never make one pack.

use super::memory::{Memory, Office, cases};
use super::texts::plan;
use contextpack::internals::engine::{BudgetLimits, BuildJob, Built, Project, Unsettled};
use contextpack::internals::model::{Code, Diagnostic, Refusal, RepoPath, Severity, SourceTree};
use contextpack::internals::redact::Environment;
use contextpack::internals::seal::Stamp;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering};

/// A source that refuses to give some of its files.
struct Refusing {
    memory: Memory,
    refused: BTreeSet<RepoPath>,
    unlisted: Vec<Diagnostic>,
    settled: bool,
}

impl Refusing {
    fn new(files: Vec<(String, String)>) -> Self {
        Self { memory: Memory::new(files), refused: BTreeSet::new(), unlisted: Vec::new(), settled: true }
    }

    fn build(&self) -> Result<(BTreeMap<String, Built>, Vec<Diagnostic>), Unsettled> {
        let office = Office::new("");
        let project = Project::open(self, &office.settings, &office.deny, Environment::new(std::iter::empty()));
        let stamp = Stamp::new("2026-01-02T03:04:05Z".to_owned());
        let profiles = vec!["coding".to_owned(), "review".to_owned()];
        let job = BuildJob {
            roots: project.roots(),
            others: Vec::new(),
            profiles,
            limits: BudgetLimits::default(),
            stamp,
            agent: None,
            session_start: false,
            are_named: false,
        };
        let finished = AtomicBool::new(false);
        let built = project.build(&job, None, &|one| {
            finished.store(true, Ordering::Relaxed);
            (one.plan.name.clone(), one)
        });
        assert!(built.is_ok() || !finished.into_inner(), "what is not settled is not handed on");
        let (packs, faults) = built?;
        Ok((packs.into_iter().collect(), faults))
    }
}

impl SourceTree for Refusing {
    fn files(&self) -> &[RepoPath] {
        self.memory.files()
    }

    fn unlisted(&self) -> &[Diagnostic] {
        &self.unlisted
    }

    fn read(&self, path: &RepoPath) -> Result<String, Refusal> {
        match self.refused.contains(path) {
            true => Err(Refusal::Unreadable("permission denied".to_owned())),
            false => self.memory.read(path),
        }
    }

    fn is_settled(&self) -> bool {
        self.settled
    }
}

fn bytes(built: &Built) -> Option<&[u8]> {
    built.outcome.as_ref().ok().map(|sealed| sealed.bytes())
}

proptest! {
    #![proptest_config(cases(12))]

    #[test]
    fn a_refused_input_changes_no_pack_but_to_keep_it(plan in plan(), which in any::<prop::sample::Index>()) {
        let mut source = Refusing::new(plan.files());
        let (right, faults) = source.build().unwrap();
        prop_assert_eq!(faults, []);
        let refused = which.get(source.memory.files()).clone();
        source.refused.insert(refused.clone());
        let (built, faults) = source.build().unwrap();
        for (name, one) in &built {
            let before = right.get(name).and_then(bytes);
            prop_assert!(bytes(one).is_none() || bytes(one) == before, "{} without {}", name, refused);
        }
        for (name, one) in &right {
            let Ok(sealed) = &one.outcome else { continue };
            let holds = sealed.pack().inputs.iter().any(|input| input.path.as_deref() == Some(refused.as_str()));
            let kept = built.get(name).is_none_or(|one| bytes(one).is_none());
            prop_assert!(!holds || kept && !faults.is_empty(), "{} holds {}", name, refused);
        }
        for fault in &faults {
            prop_assert_eq!((fault.code, fault.severity), (Code::UnreadableFile, Severity::Error));
            prop_assert_eq!(fault.at.as_ref().map(|at| &at.path), Some(&refused));
        }
    }
}

fn files() -> Vec<(String, String)> {
    [
        ("work_items/a.md", "---\nid: a\n---\n\nSee [x](../docs/x.md).\n"),
        ("work_items/b.md", "---\nid: b\n---\n\nText.\n"),
        ("docs/x.md", "# X\n\nText.\n"),
    ]
    .map(|(path, text)| (path.to_owned(), text.to_owned()))
    .to_vec()
}

fn outcomes(source: &Refusing) -> Vec<(String, bool)> {
    let (built, _) = source.build().unwrap();
    built.into_iter().map(|(name, one)| (name, one.outcome.is_ok())).collect()
}

fn all(built: bool) -> Vec<(String, bool)> {
    ["a.coding.json", "a.review.json", "b.coding.json", "b.review.json"].map(|name| (name.to_owned(), built)).to_vec()
}

#[test]
fn a_document_keeps_the_packs_that_refer_to_it_and_an_item_keeps_all() {
    let mut source = Refusing::new(files());
    assert_eq!(outcomes(&source), all(true));
    source.refused.insert(RepoPath::new("docs/x.md").unwrap());
    let built = outcomes(&source);
    assert!(built.iter().all(|(name, built)| *built == name.starts_with('b')), "{built:?}");
    source.refused = BTreeSet::from([RepoPath::new("work_items/b.md").unwrap()]);
    assert_eq!(outcomes(&source), all(false)[..2].to_vec());
}

#[test]
fn what_cannot_be_listed_keeps_all_packs() {
    let mut source = Refusing::new(files());
    let unlisted = Diagnostic::new(Code::UnreadableFile, None, "`docs/adr` cannot be listed: permission denied");
    source.unlisted.push(Diagnostic { severity: Severity::Error, ..unlisted });
    assert_eq!(outcomes(&source), all(false));
}

#[test]
fn inputs_of_two_states_make_no_pack() {
    let mut source = Refusing::new(files());
    source.settled = false;
    assert_eq!(source.build().err(), Some(Unsettled));
}
