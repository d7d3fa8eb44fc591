//! Scores all cases, prints the tables and asserts the published figures.

use crate::contexts::{self, Case, filler};
use crate::disguises::DISGUISES;
use crate::harmless;
use crate::kinds;
use crate::random::Rng;
use crate::reader;
use crate::score::{Outcome, Scorer};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// A debug build tries one case in this many.
const ONE_OF: usize = if cfg!(debug_assertions) { 3 } else { 1 };
/// The most lines of a list of faults.
const SHOWN: usize = if cfg!(debug_assertions) { 12 } else { 400 };

/// Returns what is added to the number of each seed: `REDACTION_SEED=7 cargo test --test redaction` tries other texts,
/// by which no rule was written.
fn seed() -> usize {
    std::env::var("REDACTION_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(0)
}

/// The least figures, and the numbers of what is tried.
mod published {
    pub(super) const KINDS: usize = 576;
    pub(super) const CONTEXTS: usize = 69;
    pub(super) const DISGUISES: usize = 65;
    pub(super) const HARMLESS_KINDS: usize = 111;
    /// The largest share of harmless texts that change: sealed values, and a public key in which a token's form occurs.
    pub(super) const HARMLESS_CHANGED: f64 = 0.003;
    pub(super) const RECALL: f64 = 0.99;
    pub(super) const STRICT_RECALL: f64 = 0.99;
    pub(super) const DISGUISED_RECALL: f64 = 0.97;
    pub(super) const DISGUISED_STRICT_RECALL: f64 = 0.965;
    pub(super) const SURVIVING_WORDS: f64 = 0.99;
    /// How much lower a rate may be than published: figures are rounded, and a debug build tries a sample.
    pub(super) const SLACK: f64 = 0.001;
}

/// Counts for one kind, one place, or all.
#[derive(Debug, Default)]
struct Tally {
    cases: usize,
    removed: usize,
    strictly_removed: usize,
    words: (usize, usize),
    unstable: usize,
    /// The first text whose secret survived, and the scrubbed text.
    example: Option<(String, String)>,
}

impl Tally {
    fn add(&mut self, case: &Case, outcome: &Outcome) {
        self.cases += 1;
        self.removed += usize::from(outcome.removed);
        self.strictly_removed += usize::from(outcome.strictly_removed);
        self.words.0 += outcome.words.0;
        self.words.1 += outcome.words.1;
        self.unstable += usize::from(!outcome.stable);
        if !outcome.strictly_removed && self.example.is_none() {
            self.example = Some((case.text.clone(), outcome.output.clone()));
        }
    }

    fn recall(&self) -> f64 {
        share(self.removed, self.cases)
    }

    fn strict(&self) -> f64 {
        share(self.strictly_removed, self.cases)
    }

    fn words(&self) -> f64 {
        share(self.words.1, self.words.0)
    }
}

#[expect(clippy::cast_precision_loss, reason = "counts are small")]
fn share(part: usize, of: usize) -> f64 {
    if of == 0 { 1.0 } else { part as f64 / of as f64 }
}

/// Tallies by kind, by place and of all.
#[derive(Debug, Default)]
struct Table {
    kinds: BTreeMap<&'static str, Tally>,
    places: BTreeMap<&'static str, Tally>,
    all: Tally,
}

impl Table {
    fn add(&mut self, kind: &'static str, place: &'static str, case: &Case, outcome: &Outcome) {
        self.kinds.entry(kind).or_default().add(case, outcome);
        self.places.entry(place).or_default().add(case, outcome);
        self.all.add(case, outcome);
    }

    /// Returns the mean recall of the kinds, however many places each has.
    fn by_kind(&self) -> f64 {
        let sum: f64 = self.kinds.values().map(Tally::recall).sum();
        sum / f64::from(u32::try_from(self.kinds.len().max(1)).unwrap_or(u32::MAX))
    }

    fn print(&self, title: &str) {
        let all = &self.all;
        println!("\n{title}: {} cases, {} kinds, {} places", all.cases, self.kinds.len(), self.places.len());
        println!(
            "  recall {:.4}  strict {:.4}  words {:.4}  unstable {}",
            all.recall(),
            all.strict(),
            all.words(),
            all.unstable
        );
        worst("kinds", &self.kinds);
        worst("places", &self.places);
        damaged(&self.kinds);
    }
}

/// Lists the kinds or places with the lowest recall, each with an example.
fn worst(what: &str, tallies: &BTreeMap<&'static str, Tally>) {
    let mut missed: Vec<_> = tallies.iter().filter(|(_, tally)| tally.strictly_removed < tally.cases).collect();
    missed.sort_by(|a, b| a.1.strict().total_cmp(&b.1.strict()).then(a.0.cmp(b.0)));
    println!("  {} {what} missed, worst first:", missed.len());
    for (name, tally) in missed.iter().take(SHOWN) {
        println!("    {name}: {:.3} (strict {:.3}) of {}", tally.recall(), tally.strict(), tally.cases);
        if let Some((text, output)) = tally.example.as_ref().filter(|_| what == "kinds") {
            println!("      {}\n      {}", short(text), short(output));
        }
    }
}

fn damaged(tallies: &BTreeMap<&'static str, Tally>) {
    let mut lost: Vec<_> = tallies.iter().filter(|(_, tally)| tally.words() < 0.99).collect();
    lost.sort_by(|a, b| a.1.words().total_cmp(&b.1.words()));
    let lost: Vec<String> =
        lost.iter().take(SHOWN).map(|(name, tally)| format!("{name} {:.3}", tally.words())).collect();
    println!("  words lost around: {}", lost.join(", "));
}

fn short(text: &str) -> String {
    let text: String = text.escape_debug().take(300).collect();
    text.replace("\\'", "'").replace("\\\"", "\"")
}

fn plain(scorer: &Scorer) -> Table {
    let mut table = Table::default();
    let contexts = contexts::all();
    for (k, kind) in kinds::all().into_iter().enumerate() {
        for (c, context) in contexts.iter().enumerate() {
            if !(k + c).is_multiple_of(ONE_OF) {
                continue;
            }
            if let Some(case) = context.case(&kind, &mut Rng::of(&[kind.name, context.name], seed())) {
                let outcome = scorer.score(&case, reader::as_written);
                table.add(kind.name, context.name, &case, &outcome);
            }
        }
    }
    table
}

fn disguised(scorer: &Scorer) -> (Table, Table) {
    let (mut by_disguise, mut by_kind) = (Table::default(), Table::default());
    for (k, kind) in kinds::all().into_iter().enumerate() {
        for (w, disguise) in DISGUISES.iter().enumerate() {
            if !(k + w).is_multiple_of(ONE_OF) {
                continue;
            }
            if let Some((place, case)) = disguise.case(&kind, &mut Rng::of(&[kind.name, disguise.name], 1 + seed())) {
                let outcome = scorer.score(&case, reader::as_seen);
                by_disguise.add(disguise.name, place, &case, &outcome);
                by_kind.add(kind.name, place, &case, &outcome);
            }
        }
    }
    (by_disguise, by_kind)
}

/// The result for harmless texts.
struct HarmlessTally {
    texts: usize,
    kinds: usize,
    changed: usize,
}

fn harmless_texts(scorer: &Scorer) -> HarmlessTally {
    let (mut count, mut changed, mut kinds) = (0, 0, BTreeMap::<&str, (usize, usize, String)>::new());
    for kind in harmless::all() {
        for text in harmless::texts(kind, if ONE_OF > 1 { 2 } else { 6 }) {
            let output = scorer.scrub("", &text);
            let tally = kinds.entry(kind.0).or_default();
            (count, tally.1) = (count + 1, tally.1 + 1);
            if output != text {
                (changed, tally.0) = (changed + 1, tally.0 + 1);
                tally.2 += &format!("      {}\n      {}\n", short(&text), short(&output));
            }
        }
    }
    println!("\nharmless: {count} texts, {} kinds, {changed} changed ({:.4})", kinds.len(), share(changed, count));
    for (name, (bad, of, examples)) in kinds.iter().filter(|(_, tally)| tally.0 > 0) {
        print!("    {name}: {bad} of {of}\n{examples}");
    }
    HarmlessTally { texts: count, kinds: kinds.len(), changed }
}

/// Prints the speed over a few megabytes of harmless text. It depends on the machine, so nothing is asserted.
fn speed(scorer: &Scorer) {
    let mut rng = Rng::of(&["speed"], 0);
    let mut text = String::new();
    let texts: Vec<String> = harmless::all().into_iter().flat_map(|kind| harmless::texts(kind, 2)).collect();
    while text.len() < 4_000_000 / (ONE_OF * ONE_OF) {
        text.push_str(&filler(&mut rng));
        text.push_str("\n\n");
        text.push_str(&texts[rng.below(texts.len())]);
        text.push_str("\n\n");
    }
    let documents: Vec<&str> = text.split_inclusive(".\n\n").collect();
    let mut best = Duration::MAX;
    for _ in 0..3 {
        let start = Instant::now();
        let bytes: usize = documents.iter().map(|text| scorer.scrub("", text).len()).sum();
        best = best.min(start.elapsed());
        assert!(bytes > 0);
    }
    #[expect(clippy::cast_precision_loss, reason = "a few megabytes")]
    let rate = text.len() as f64 / 1e6 / best.as_secs_f64();
    println!("\nspeed: {rate:.0} MB/s over {} texts", documents.len());
}

#[test]
fn secrets_go_and_the_rest_stays() {
    let scorer = Scorer::new();
    let plain = plain(&scorer);
    let (by_disguise, by_kind) = disguised(&scorer);
    plain.print("plain");
    by_disguise.print("disguised, by disguise");
    by_kind.print("disguised, by kind");
    let harmless = harmless_texts(&scorer);
    speed(&scorer);

    let all = &plain.all;
    let disguised_all = &by_disguise.all;
    println!(
        "\n| | plain | disguised |\n|---|---|---|\n| cases | {} | {} |\n| recall | {:.4} | {:.4} |\n\
         | recall, mean of the kinds | {:.4} | {:.4} |\n| strict recall | {:.4} | {:.4} |\n| words that survive | {:.4} | {:.4} |\n| harmless texts changed | {} of {} | |",
        all.cases,
        disguised_all.cases,
        all.recall(),
        disguised_all.recall(),
        plain.by_kind(),
        by_kind.by_kind(),
        all.strict(),
        disguised_all.strict(),
        all.words(),
        disguised_all.words(),
        harmless.changed,
        harmless.texts
    );
    let holds = |name: &str, rate: f64, published: f64| {
        assert!(rate >= published - published::SLACK, "{name}: {rate:.4}, published {published:.3}");
    };
    holds("recall", all.recall(), published::RECALL);
    holds("strict recall", all.strict(), published::STRICT_RECALL);
    holds("recall, disguised", disguised_all.recall(), published::DISGUISED_RECALL);
    holds("strict recall, disguised", disguised_all.strict(), published::DISGUISED_STRICT_RECALL);
    holds("words around secrets", all.words(), published::SURVIVING_WORDS);
    assert!(
        share(harmless.changed, harmless.texts) <= published::HARMLESS_CHANGED,
        "{} harmless texts changed",
        harmless.changed
    );
    assert_eq!(all.unstable + disguised_all.unstable, 0, "texts that a second scrub changes");
    assert_eq!(
        (plain.kinds.len(), plain.places.len(), by_disguise.kinds.len(), harmless.kinds),
        (published::KINDS, published::CONTEXTS, published::DISGUISES, published::HARMLESS_KINDS),
        "kinds, contexts, disguises, harmless kinds"
    );
}
