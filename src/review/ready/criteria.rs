//! The acceptance criteria of a pack, and what the text of a pull request says of each.
//!
//! The ids follow from packs alone: `ac.1` is the first criterion of one. Compared with an earlier pack, a criterion keeps the id
//! that it had there while most of its words are the same, and a new one gets the next number.

use super::questions::{is_in, is_nothing};
use super::text::{CRITERIA, RootText, label};
use serde::Serialize;
use serde_json::Value;

/// The most criteria of one pack; further ones have no id.
const MAX_CRITERIA: usize = 500;

/// Words that may say that a criterion is not met, beside those that end in `n't`.
const DENIALS: &str = "blocked|broken|cannot|cant|deferred|dropped|except|fail|failed|failing|fails|going|hardly|incomplete|later|\
                       missing|neither|never|no|nor|not|partial|partially|pending|planned|postponed|remains|revert|reverted|\
                       reverts|scope|should|skipped|soon|still|tbd|todo|unfinished|unless|unmet|untested|will|wip|without|wont|\
                       would";

/// What strikes or crosses out a line.
const STRUCK: [&str; 6] = ["~~", "<del", "<s>", "❌", "✗", "✘"];

/// What is said of a criterion, the strongest last: `open` if a box is not ticked, `unclear` if nothing says that it is met.
const STATES: [&str; 5] = ["not_mentioned", "unclear", "met", "open", "removed"];

/// An acceptance criterion of a root.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Criterion {
    pub id: String,
    pub text: String,
    /// One of [`STATES`].
    pub status: &'static str,
    /// The line of the pull request's text that says so, from 1.
    pub line: Option<u32>,
    /// The file of the repo that the line names, with its line there if it says one.
    pub place: Option<String>,
    /// `same`, `changed`, `added` or `removed` since the pack was read; `None` if that is not known.
    pub since: Option<&'static str>,
    /// Its text in the pack that was read, if it changed.
    pub was: Option<String>,
    #[serde(skip)]
    words: Vec<String>,
}

impl Criterion {
    /// Returns whether it is met, and is not known to have changed since the pack was read.
    pub fn is_done(&self) -> bool {
        self.status == "met" && matches!(self.since, None | Some("same"))
    }

    /// Returns whether its box is ticked, as long as nothing else was read about it.
    pub(in crate::review) fn is_ticked(&self) -> bool {
        self.status == STATES[2]
    }

    /// Returns its state in words, with what became of it since the pack was read.
    pub fn state(&self) -> String {
        let since = self.since.filter(|since| !["same", "removed"].contains(since));
        since.iter().fold(self.status.replace('_', " "), |state, since| format!("{state} and {since}"))
    }
}

/// Returns the criteria of a root's text and its fields, as JSON, in order: what is below a heading or a label such as `Acceptance
/// criteria`, and the field of that name; without any, the boxes of the text. One whose box is ticked is met.
pub(super) fn criteria_in(text: &str, fields: &str) -> Vec<Criterion> {
    let fields = serde_json::from_str::<Value>(fields).unwrap_or_default();
    let stated: Vec<&str> = match &fields["acceptance_criteria"] {
        Value::String(text) => text.lines().collect(),
        Value::Array(values) => values.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    let stated: String =
        stated.iter().map(|text| format!("- {}\n", text.trim_start_matches(['-', '*', ' ']))).collect();
    let (mut found, mut boxes) = (Vec::new(), Vec::new());
    for read in [text, &format!("# Acceptance criteria\n\n{stated}")].map(RootText::read) {
        let lines: Vec<&str> = read.text.lines().collect();
        for part in read.passages().chunk_by(|a, b| a.under == b.under) {
            let is_titled = part[0].under.is_some_and(|(title, _)| CRITERIA.contain(title));
            let has_items = part.iter().any(|it| it.run.lists > 0);
            let mut is_below = is_titled;
            for passage in part {
                let text = &passage.run.full.text;
                if passage.run.lists == 0 {
                    is_below = is_titled || text.lines().filter_map(label).any(|label| CRITERIA.contain(label));
                }
                let is_own = passage.run.lists == 1 && passage.run.first_of_item || !has_items;
                let is_kept = lines.get(passage.line as usize - 1).is_none_or(|line| !is_struck(line));
                let is_ticked = passage.run.ticked.map(|is_ticked| is_ticked && is_kept);
                let told = (text.split_whitespace().collect::<Vec<_>>().join(" "), is_ticked);
                boxes.extend(told.1.map(|_| told.clone()));
                found.extend((is_below && is_own && !is_nothing(text)).then_some(told));
            }
        }
    }
    let found = if found.is_empty() { boxes } else { found };
    let criterion = |(at, (text, is_ticked)): (usize, (String, Option<bool>))| Criterion {
        id: format!("ac.{}", at + 1),
        status: STATES[if is_ticked == Some(true) { 2 } else { 0 }],
        words: sorted_words(&text),
        text,
        ..Criterion::default()
    };
    found.into_iter().take(MAX_CRITERIA).enumerate().map(criterion).collect()
}

/// Gives criteria the ids of those that were `read` and are nearly the same, says what changed, and adds those that are gone. Of a
/// pack that is not `whole` others may be cut off.
pub fn keep_ids(now: &mut Vec<Criterion>, mut read: Vec<Criterion>, is_whole: bool) {
    let mut last = read.len();
    // Equal ones first, so that none that is only alike takes the id of another.
    for least in [1001, 1000, 500] {
        for new in now.iter_mut().filter(|it| it.since.is_none()) {
            let longest = |old: &Criterion| old.words.len().max(new.words.len()).max(1);
            let words = |old: &Criterion| common(&old.words, &new.words) * 1000 / longest(old);
            let share = |old: &Criterion| words(old) + usize::from(old.text == new.text);
            let shares = read.iter().map(|old| Some(share(old)).filter(|share| *share >= least));
            if let Some(old) = most_alike(shares).map(|at| read.remove(at)) {
                // A sign or another order may turn it into its opposite.
                let is_same = old.text == new.text;
                new.since = Some(if is_same { "same" } else { "changed" });
                (new.id, new.was) = (old.id, Some(old.text).filter(|_| !is_same));
                // A pull request has the words that its author read.
                new.words = old.words;
            }
        }
    }
    for new in now.iter_mut().filter(|it| it.since.is_none()) {
        last += 1;
        (new.id, new.since) = (format!("ac.{last}"), is_whole.then_some("added"));
    }
    now.extend(read.into_iter().map(|old| Criterion { status: STATES[4], since: Some("removed"), ..old }));
}

/// Notes what `text`, the redacted text of a pull request, says of each criterion. `has_file` says whether the repo has a file.
pub fn note_done(criteria: &mut [Criterion], text: &str, has_file: &dyn Fn(&str) -> bool) {
    let (read, lines): (_, Vec<&str>) = (RootText::read(text), text.lines().collect());
    for passage in read.passages() {
        let (run, said) = (passage.run, sorted_words(&passage.run.full.text));
        let written = lines.iter().skip(passage.line as usize - 1).take(run.full.text.lines().count());
        let mut words =
            written.clone().flat_map(|line| line.split(|c: char| c.is_whitespace() || "()[]<>`,;\"'".contains(c)));
        let place = words.find_map(|word| place_of(word.trim_end_matches(['.', ':']), has_file));
        let denials: Vec<&String> = said.iter().filter(|word| is_denial(word)).collect();
        let is_struck = written.clone().any(|line| is_struck(line));
        let asks = |word: &str| word.ends_with('?');
        let is_doubtful = is_struck || run.quoted || run.full.text.split_whitespace().any(asks);
        for it in named_in(&run.full.text, criteria) {
            let is_quote = common(&it.words, &said) * 4 >= it.words.len() * 3;
            // What a criterion itself denies, a line that repeats its words denies as well.
            let own: Vec<&String> = it.words.iter().filter(|word| is_quote && is_denial(word)).collect();
            let state = match run.ticked {
                Some(false) => 3,
                _ if is_doubtful || denials != own || run.ticked.is_none() && place.is_none() => 1,
                _ => 2,
            };
            if STATES[..state].contains(&it.status) || STATES[state] == it.status && it.line.is_none() {
                (it.status, it.line, it.place) = (STATES[state], Some(passage.line), place.clone());
            }
        }
    }
}

fn is_struck(line: &str) -> bool {
    STRUCK.iter().any(|mark| line.contains(mark))
}

fn is_denial(word: &str) -> bool {
    is_in(DENIALS, word) || word.replace('’', "'").ends_with("n't")
}

/// Returns the criteria that a text names by their ids, else the one of whose words it has most, at least three quarters.
fn named_in<'c>(text: &str, criteria: &'c mut [Criterion]) -> Vec<&'c mut Criterion> {
    // Part of an address is no id.
    let words = text.split_whitespace().filter(|word| !word.contains('/'));
    let ids =
        words.flat_map(|word| word.split(|c: char| !c.is_alphanumeric() && c != '.')).map(|id| id.trim_matches('.'));
    let ids: Vec<String> = ids.map(str::to_lowercase).filter(|id| id.starts_with("ac.")).collect();
    if !ids.is_empty() {
        return criteria.iter_mut().filter(|it| ids.contains(&it.id)).collect();
    }
    let said = sorted_words(text);
    let share = |it: &Criterion| {
        let same = common(&it.words, &said);
        (it.words.len() > 1 && same * 4 >= it.words.len() * 3).then_some(same)
    };
    most_alike(criteria.iter().map(share)).and_then(|at| criteria.get_mut(at)).into_iter().collect()
}

/// Returns the file that a word names, with its line: a path, or the address of a file on GitHub.
fn place_of(word: &str, has_file: &dyn Fn(&str) -> bool) -> Option<String> {
    let path = word.split_once("/blob/").and_then(|(_, rest)| rest.split_once('/')).map_or(word, |(_, path)| path);
    let (file, line) = path.split_once("#L").or_else(|| path.split_once(':')).unwrap_or((path, ""));
    let digits = line.split(|c: char| !c.is_ascii_digit()).next().filter(|digits| !digits.is_empty());
    has_file(file).then(|| digits.map_or(file.to_owned(), |line| format!("{file}:{line}")))
}

/// Returns the index of the largest share, the first of several.
fn most_alike(shares: impl Iterator<Item = Option<usize>>) -> Option<usize> {
    let shares = shares.enumerate().filter_map(|(index, share)| Some((share?, index)));
    shares.max_by_key(|(share, index)| (*share, usize::MAX - index)).map(|(_, index)| index)
}

/// Returns the words of a text, sorted, without case and punctuation.
fn sorted_words(text: &str) -> Vec<String> {
    let bare = text.split_whitespace().map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase());
    let mut words: Vec<String> = bare.filter(|word| !word.is_empty()).collect();
    words.sort_unstable();
    words
}

/// Counts the words that two sorted lists have in common.
fn common(one: &[String], other: &[String]) -> usize {
    let (mut same, mut rest) = (0, other);
    for word in one {
        rest = &rest[rest.partition_point(|other| other < word)..];
        if rest.first() == Some(word) {
            same += 1;
            rest = &rest[1..];
        }
    }
    same
}
