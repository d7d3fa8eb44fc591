//! Scores texts that people wrote, as data: what must go, and what must stay.

use crate::random::Rng;
use crate::score::{Scorer, without_markers};
use serde::Deserialize;

/// The least share of the secrets in `issues.yml` that must go, in percent.
const LEAST_FOUND: usize = 88;
/// The most texts of `harmless.yml` that may change.
const MOST_CHANGED: usize = 1;

/// A text; its secrets stand between « and », and its holes are those of [`Rng::fill`].
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    #[serde(default)]
    kind: String,
    text: String,
    /// What must stay, where the rest is left open.
    #[serde(default)]
    stays: Vec<String>,
    /// Whether the rules do not meet it yet.
    #[serde(default)]
    pending: bool,
}

/// An entry with its holes filled, and what redaction made of it.
struct Scored {
    entry: Entry,
    text: String,
    secrets: Vec<String>,
    /// The parts around the secrets, or those that the entry names.
    kept: Vec<String>,
    output: String,
}

impl Scored {
    fn new(scorer: &Scorer, entry: Entry) -> Self {
        let filled = Rng::of(&[&entry.text], 0).fill(&entry.text);
        let (mut secrets, mut kept) = (Vec::new(), Vec::new());
        for part in filled.split('«') {
            let (secret, rest) = part.split_once('»').unzip();
            secrets.extend(secret.map(str::to_owned));
            kept.push(rest.unwrap_or(part).to_owned());
        }
        if !entry.stays.is_empty() {
            kept.clone_from(&entry.stays);
        }
        let text = filled.replace(['«', '»'], "");
        let output = scorer.scrub("", &text);
        Self { entry, text, secrets, kept, output }
    }

    fn missed(&self) -> Vec<&str> {
        let left = without_markers(&self.output);
        self.secrets.iter().map(String::as_str).filter(|secret| left.contains(secret)).collect()
    }

    /// Whether the verdict is the one that the entry wants.
    fn holds(&self) -> bool {
        let open = !self.secrets.is_empty() || !self.entry.stays.is_empty();
        self.missed().is_empty()
            && (open || self.output == self.text)
            && self.kept.iter().all(|part| self.output.contains(part))
    }
}

fn scored(file: &str) -> Vec<Scored> {
    let scorer = Scorer::new();
    let entries: Vec<Entry> = serde_yaml::from_str(file).unwrap_or_else(|error| panic!("{error}"));
    entries.into_iter().map(|entry| Scored::new(&scorer, entry)).collect()
}

#[test]
fn most_secrets_in_issues_go() {
    let texts = scored(include_str!("texts/issues.yml"));
    let all: usize = texts.iter().map(|text| text.secrets.len()).sum();
    let missed: Vec<(&str, &str)> =
        texts.iter().flat_map(|text| text.missed().into_iter().map(|secret| (&*text.entry.kind, secret))).collect();
    println!("issue-like texts: {} of {all} secrets found; missed {missed:#?}", all - missed.len());
    assert!((all - missed.len()) * 100 >= all * LEAST_FOUND, "found {} of {all}", all - missed.len());
}

#[test]
fn texts_that_look_alike_stay() {
    let texts = scored(include_str!("texts/harmless.yml"));
    let changed: Vec<&str> = texts.iter().filter(|one| one.output != one.text).map(|one| &*one.output).collect();
    println!("harmless texts: {} of {} changed", changed.len(), texts.len());
    assert!(changed.len() <= MOST_CHANGED, "changed: {changed:#?}");
}

#[test]
fn a_person_can_predict_these_verdicts() {
    let texts = scored(include_str!("texts/named.yml"));
    let (pending, firm): (Vec<&Scored>, Vec<&Scored>) = texts.iter().partition(|one| one.entry.pending);
    let wrong = |texts: &[&Scored]| -> Vec<String> {
        texts.iter().filter(|one| !one.holds()).map(|one| format!("{:?} -> {:?}", one.text, one.output)).collect()
    };
    println!("pending: {} of {} do not hold: {:#?}", wrong(&pending).len(), pending.len(), wrong(&pending));
    let wrong = wrong(&firm);
    assert!(wrong.is_empty(), "{wrong:#?}");
}
