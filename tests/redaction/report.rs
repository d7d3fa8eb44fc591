//! Runs everything, prints a table and holds the thresholds.

use crate::contexts::{self, Case, filler};
use crate::harmless;
use crate::kinds;
use crate::obfuscated::WAYS;
use crate::random::Rng;
use crate::reader;
use crate::score::{Judge, Outcome};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// A debug build tries one case of so many.
const ONE_OF: usize = if cfg!(debug_assertions) { 3 } else { 1 };
/// How many lines a list of faults has.
const SHOWN: usize = if cfg!(debug_assertions) { 12 } else { 400 };

/// Counts for one kind, one place, or all.
#[derive(Debug, Default)]
struct Tally {
    cases: usize,
    removed: usize,
    strictly: usize,
    words: (usize, usize),
    unstable: usize,
    /// The first text that was missed or harmed, and what became of it.
    example: Option<(String, String)>,
}

impl Tally {
    fn add(&mut self, case: &Case, outcome: &Outcome) {
        self.cases += 1;
        self.removed += usize::from(outcome.removed);
        self.strictly += usize::from(outcome.strictly);
        self.words.0 += outcome.words.0;
        self.words.1 += outcome.words.1;
        self.unstable += usize::from(!outcome.stable);
        if !outcome.strictly && self.example.is_none() {
            self.example = Some((case.text.clone(), outcome.output.clone()));
        }
    }

    fn recall(&self) -> f64 {
        share(self.removed, self.cases)
    }

    fn strict(&self) -> f64 {
        share(self.strictly, self.cases)
    }

    fn words(&self) -> f64 {
        share(self.words.1, self.words.0)
    }
}

#[expect(clippy::cast_precision_loss, reason = "counts are small")]
fn share(part: usize, of: usize) -> f64 {
    if of == 0 { 1.0 } else { part as f64 / of as f64 }
}

/// Tallies by name, and of all.
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

    /// The mean over the kinds, however many places each has.
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

/// Lists those of which most was missed, each with an example.
fn worst(what: &str, tallies: &BTreeMap<&'static str, Tally>) {
    let mut missed: Vec<_> = tallies.iter().filter(|(_, tally)| tally.strictly < tally.cases).collect();
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

fn plain(judge: &Judge) -> Table {
    let mut table = Table::default();
    let contexts = contexts::all();
    for (k, kind) in kinds::all().into_iter().enumerate() {
        for (c, context) in contexts.iter().enumerate() {
            if !(k + c).is_multiple_of(ONE_OF) {
                continue;
            }
            if let Some(case) = context.case(&kind, &mut Rng::of(&[kind.name, context.name], 0)) {
                let outcome = judge.judge(&case, reader::as_written);
                table.add(kind.name, context.name, &case, &outcome);
            }
        }
    }
    table
}

fn obfuscated(judge: &Judge) -> (Table, Table) {
    let (mut by_way, mut by_kind) = (Table::default(), Table::default());
    for (k, kind) in kinds::all().into_iter().enumerate() {
        for (w, way) in WAYS.iter().enumerate() {
            if !(k + w).is_multiple_of(ONE_OF) {
                continue;
            }
            if let Some((place, case)) = way.case(&kind, &mut Rng::of(&[kind.name, way.name], 1)) {
                let outcome = judge.judge(&case, reader::as_seen);
                by_way.add(way.name, place, &case, &outcome);
                by_kind.add(kind.name, place, &case, &outcome);
            }
        }
    }
    (by_way, by_kind)
}

/// How many harmless texts there are, and how many were changed.
fn changed(judge: &Judge) -> (usize, usize) {
    let (mut count, mut changed, mut kinds) = (0, 0, BTreeMap::<&str, (usize, usize, String)>::new());
    for kind in harmless::all() {
        for text in harmless::texts(kind, if ONE_OF > 1 { 2 } else { 6 }) {
            let output = judge.scrub("", &text);
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
    (count, changed)
}

/// Megabytes a second over a few megabytes of harmless text; told, not held.
fn speed(judge: &Judge) {
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
        let bytes: usize = documents.iter().map(|text| judge.scrub("", text).len()).sum();
        best = best.min(start.elapsed());
        assert!(bytes > 0);
    }
    #[expect(clippy::cast_precision_loss, reason = "a few megabytes")]
    let rate = text.len() as f64 / 1e6 / best.as_secs_f64();
    println!("\nspeed: {rate:.0} MB/s over {} texts", documents.len());
}

#[test]
fn secrets_go_and_the_rest_stays() {
    let judge = Judge::new();
    let plain = plain(&judge);
    let (by_way, by_kind) = obfuscated(&judge);
    plain.print("plain");
    by_way.print("obfuscated, by way");
    by_kind.print("obfuscated, by kind");
    let (count, changed) = changed(&judge);
    speed(&judge);

    let all = &plain.all;
    let hidden = &by_way.all;
    println!(
        "\n| | plain | obfuscated |\n|---|---|---|\n| cases | {} | {} |\n| recall | {:.4} | {:.4} |\n\
         | recall, mean of the kinds | {:.4} | {:.4} |\n| strict recall | {:.4} | {:.4} |\n| words that survive | {:.4} | {:.4} |\n| harmless texts changed | {changed} of {count} | |",
        all.cases,
        hidden.cases,
        all.recall(),
        hidden.recall(),
        plain.by_kind(),
        by_kind.by_kind(),
        all.strict(),
        hidden.strict(),
        all.words(),
        hidden.words()
    );
    assert!(all.recall() >= 0.97, "recall {:.4}", all.recall());
    assert!(all.recall() - all.strict() <= 0.005, "strict recall {:.4}", all.strict());
    assert!(hidden.recall() >= 0.85, "recall of obfuscated secrets {:.4}", hidden.recall());
    assert!(share(changed, count) <= 0.01, "{changed} of {count} harmless texts changed");
    assert!(all.words() >= 0.99, "words around secrets {:.4}", all.words());
    assert_eq!(all.unstable + hidden.unstable, 0, "texts that a second scrub changes");
}
