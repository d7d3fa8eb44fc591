//! The questions that the text of a root leaves open.

use super::text::{BodyRun, RootText, keys, label};
use crate::markdown::{KeyHeadings, words};
use std::sync::LazyLock;

/// Headings of what is not decided.
static QUESTIONS: LazyLock<KeyHeadings> = LazyLock::new(|| keys(&["Open questions"]));

/// Synonyms of [`QUESTIONS`] that say too little as a label in a text: `Questions: ask us`, `Open issues: 12`.
const VAGUE: [&str; 2] = ["questions", "open issues"];

/// The most characters of a text that a message repeats.
const LONGEST_QUOTE: usize = 80;

/// Answers that say that nothing is open.
const NOTHING: &str = "none|no|n a|na|nil|nothing|none so far|none yet|none at this time|none at the moment|no open questions|no response|keine|aucune";

/// Words that begin an answer to a question of a list.
const ANSWERED: [&str; 6] = ["resolved", "answered", "decided", "done", "closed", "settled"];

/// Words for what is to be decided, which count where a value stands.
const UNDECIDED: [&str; 3] = ["TBD", "TBC", "TBA"];

/// Words for what is to be written, which count where a line says nothing else: a value or a cell `TODO` is the state of a
/// task, and `TODO: text` is the work.
const UNWRITTEN: [&str; 2] = ["TODO", "FIXME"];

/// The words before one of [`UNDECIDED`] that make it a statement.
const STATES: [&str; 7] = ["is", "are", "be", "still", "remains", "remain", "currently"];

/// A label such as `Open questions:` whose questions follow it.
struct Announced<'a> {
    /// The number of lists around the label.
    lists: usize,
    under: Option<(&'a str, u32)>,
    /// Whether nothing came after it yet.
    is_last: bool,
}

/// What a stretch of text is below or after a label of questions.
#[derive(PartialEq, Eq)]
enum Below {
    Question,
    /// It explains a question.
    Remark,
    /// It has nothing to do with the label.
    Other,
}

impl Announced<'_> {
    /// Returns what the next stretch of text is: each item of the list after the label is a question, or the paragraph
    /// after it if there is no list.
    fn below(&mut self, passage: &BodyRun<'_>) -> Below {
        let is_first = std::mem::replace(&mut self.is_last, false);
        let run = passage.run;
        if passage.under != self.under || run.lists < self.lists {
            return Below::Other;
        }
        match run.lists - self.lists {
            0 if is_first && !run.first_of_item => Below::Question,
            0 => Below::Other,
            1 if run.first_of_item => Below::Question,
            _ => Below::Remark,
        }
    }
}

impl RootText<'_> {
    /// Returns the questions that are not answered, each with its line.
    pub(super) fn questions(&self) -> Vec<(u32, String)> {
        let mut found = Vec::new();
        let mut announced: Option<Announced<'_>> = None;
        let all = self.passages();
        for (at, passage) in all.iter().enumerate() {
            let (run, full) = (passage.run, passage.run.full.text.as_str());
            let mut ask = |text: &str| found.push((passage.line, format!("an open question: {}", quoted(text))));
            if passage.under.is_some_and(|(title, _)| QUESTIONS.contain(title)) {
                // The rest of a list item explains its first text.
                let continues = run.lists > 0 && !run.first_of_item || run.lists > 1;
                if !continues && self.is_open(passage, &run.spoken.text) {
                    ask(full);
                }
                continue;
            }
            if let Some(question) = labelled(&run.spoken.text) {
                let is_alone = question.trim().is_empty();
                announced = is_alone.then_some(Announced { lists: run.lists, under: passage.under, is_last: true });
                if !is_alone && self.is_open(passage, question) {
                    ask(full.split_once(COLON).map_or(full, |(_, question)| question));
                }
                continue;
            }
            match announced.as_mut().map(|announced| announced.below(passage)) {
                Some(Below::Question) if self.is_open(passage, &run.spoken.text) => ask(full),
                Some(Below::Question | Below::Remark) => {}
                _ => {
                    announced = None;
                    let follows = all.get(at + 1).filter(|next| next.under == passage.under);
                    let has_list = follows.is_some_and(|next| next.run.lists > run.lists);
                    found.extend(self.undecided_lines(passage, has_list));
                }
            }
        }
        found
    }

    fn is_open(&self, passage: &BodyRun<'_>, question: &str) -> bool {
        // Struck text is no longer spoken.
        let spoken = question.trim();
        let begins = |word: &&str| {
            let rest = spoken.get(..word.len()).filter(|start| start.eq_ignore_ascii_case(word));
            rest.is_some() && !spoken[word.len()..].starts_with(char::is_alphanumeric)
        };
        let introduces = passage.run.lists == 0 && spoken.ends_with(COLON);
        let is_over = passage.run.ticked == Some(true) || ANSWERED.iter().any(begins);
        !(introduces || is_over || is_nothing(spoken))
    }

    fn line(&self, number: u32) -> &str {
        self.text.lines().nth(number as usize - 1).unwrap_or_default()
    }

    /// Returns the lines of a stretch of text with a word for what is to be decided or written.
    fn undecided_lines(&self, passage: &BodyRun<'_>, has_list: bool) -> Vec<(u32, String)> {
        let mut full = passage.run.full.text.lines();
        let lines = (passage.line..).zip(passage.run.spoken.text.lines());
        let found = lines.filter_map(|(number, line)| {
            let whole = full.next().unwrap_or_default();
            // The word above a list is its label, and in a table it is a state.
            let unwritten = || {
                unwritten(line).filter(|_| !has_list && whole.trim() == line.trim() && !self.line(number).contains('|'))
            };
            let word = undecided(line).or_else(unwritten)?;
            Some((number, format!("`{word}` stands where something is to be decided: {}", quoted(line))))
        });
        found.collect()
    }
}

/// What ends a label.
const COLON: [char; 2] = [':', '：'];

/// Returns what follows a label such as `Open question:` at the beginning of a text; nothing if it is all of the text.
fn labelled(text: &str) -> Option<&str> {
    let text = text.trim();
    let first = text.lines().next()?;
    let (title, rest) = match first.split_once(COLON) {
        Some((title, rest)) => (title, &text[first.len() - rest.len()..]),
        None if first.len() == text.len() => (first, ""),
        None => return None,
    };
    let title = label(title)?;
    let words = words(title);
    let is_over = words.iter().any(|word| ANSWERED.contains(&word.as_str()));
    (!is_over && !VAGUE.contains(&words.join(" ").as_str()) && QUESTIONS.contain(title)).then_some(rest)
}

pub(super) fn is_nothing(text: &str) -> bool {
    let words: Vec<String> = words(text);
    words.is_empty() || is_in(NOTHING, &words.join(" "))
}

/// Returns whether a text is one of those between bars.
pub(super) fn is_in(list: &str, text: &str) -> bool {
    list.split('|').any(|known| known == text)
}

/// Returns the word in a line that says that a value is to be decided, such as `TBD`.
fn undecided(line: &str) -> Option<&str> {
    let mut before = "";
    for word in line.split_whitespace() {
        let bare = word.trim_matches(|c: char| !c.is_alphanumeric() && c != '?');
        if UNDECIDED.contains(&bare) || (bare.len() >= 3 && bare.bytes().all(|byte| byte == b'?')) {
            let is_quoted = word.starts_with(['"', '\'', '“', '„', '«']);
            let is_value = before.is_empty() || before.ends_with([':', '=', '|', '-', '–', '—', '(', '：', '→']);
            let is_stated = STATES.iter().any(|state| before.eq_ignore_ascii_case(state));
            if !is_quoted && (is_value || is_stated || word.starts_with(['(', '['])) {
                return Some(bare);
            }
        }
        before = word;
    }
    None
}

fn unwritten(line: &str) -> Option<&str> {
    let bare = line.trim().trim_matches(|c: char| !c.is_alphanumeric() && !COLON.contains(&c));
    UNWRITTEN.contains(&bare).then_some(bare)
}

fn quoted(text: &str) -> String {
    let flat: Vec<&str> = text.split_whitespace().collect();
    let flat = flat.join(" ");
    match flat.char_indices().nth(LONGEST_QUOTE) {
        Some((at, _)) => format!("{}…", &flat[..at]),
        None => flat,
    }
}
