//! Passphrases of plain words, as dice or a password manager make them, after a word for a password: "the passphrase is
//! otter lamp river stone", and on a line of their own below it.
//!
//! A sentence looks the same to a machine. So a mark or a verb has to lead to the words, they have to end their clause,
//! and hardly one of them may be a word that holds sentences together.

use super::super::heuristics::{self, WordList};
use super::super::names;
use super::super::rules::FindingLabel;

/// The words after which passphrases are looked for, in lower case.
pub(in super::super) const KEYWORDS: [&str; 58] = [
    "password",
    "passphrase",
    "pass phrase",
    "pass-phrase",
    "passcode",
    "passwd",
    "root pw",
    "admin pw",
    "the pw",
    "pw is",
    "pw:",
    "passwort",
    "kennwort",
    "passsatz",
    "wachtwoord",
    "wachtzin",
    "mot de passe",
    "phrase secr",
    "phrase de passe",
    "mdp ",
    "contrase\u{f1}a",
    "frase de paso",
    "frase de contra",
    "palabra de paso",
    "senha",
    "frase secreta",
    "parola d",
    "l\u{f6}senord",
    "l\u{f6}senfras",
    "adgangskode",
    "kodeord",
    "passord",
    "salasana",
    "tunnuslause",
    "has\u{142}o",
    "heslo",
    "jelsz\u{f3}",
    "\u{15f}ifre",
    "keepass",
    "veracrypt",
    "is encrypted",
    "are encrypted",
    "encrypted with",
    "opens with",
    "unlocks with",
    "unlock with",
    "phrase is",
    "the phrase",
    "sign in as",
    "signed in as",
    "log in as",
    "login as",
    "log on as",
    "logged in as",
    "login is",
    "bitwarden",
    "login:",
    "entsperr",
];

/// How far after such a word a passphrase is looked for, and over how many lines that are not empty.
const MAX_DISTANCE: usize = 220;
const MAX_LINES: usize = 3;
/// The fewest and the most words of a passphrase.
const LEAST: usize = 4;
/// The fewest words where a line that ends in a colon announces them, and nothing else is on their line.
const LEAST_ALONE: usize = 3;
const MOST: usize = 12;
/// The longest saying in quotes.
const MAX_SAYING: usize = 96;

/// Words that lead to a passphrase in a sentence.
static LEADS: WordList = WordList::new(
    "used uses is it's its was are with then now still lautet ist war heisst mit est c'est \u{e9}tait avec es era con \u{e9} com \u{e8} \
    met \u{e4}r var med er on oli jest je bylo",
);

/// Passes the passphrases soon after the keyword that ends at `end` to `found`; returns the end of what was read.
pub(in super::super) fn find(
    text: &[u8],
    end: usize,
    mut found: impl FnMut(usize, usize, &'static FindingLabel),
) -> usize {
    let limit = text.len().min(end + MAX_DISTANCE);
    let mut at = end + text[end..limit].iter().take_while(|b| b.is_ascii_alphanumeric()).count();
    let mut run = Run::default();
    let (mut lines, mut blank) = (0, false);
    while at < limit {
        let gap = text[at..limit].iter().take_while(|b| b.is_ascii_whitespace()).count();
        let ends = text[at..at + gap].iter().filter(|b| **b == b'\n').count();
        at += gap;
        if ends > 0 {
            lines += 1;
            // A command goes on.
            if text[..at - gap].ends_with(b"\\") {
                break;
            }
            // A paragraph ends what was said, unless it announces something.
            blank |= ends > 1;
            if lines >= MAX_LINES || ends > 2 || blank && lines > 1 {
                break;
            }
            let announced = text[..at - gap].ends_with(b":");
            run = Run { first: true, announced, ..Run::default() };
            at += text[at..limit].iter().take_while(|b| matches!(b, b'>' | b' ' | b'#')).count();
            // A comment in a program.
            if text[at..].starts_with(b"//") {
                break;
            }
            // The next item of a list is about something else.
            if matches!(text[at..], [b'*' | b'-' | b'+' | b'|', b' ', ..]) {
                break;
            }
        }
        let length = text[at..].iter().take(MAX_DISTANCE).take_while(|b| !b.is_ascii_whitespace()).count();
        if length == 0 {
            break;
        }
        if let Some((start, end)) = quoted_saying(text, at).filter(|_| run.leads_to_quote(text)) {
            found(start, end, &names::PASSWORD);
            return end;
        }
        if let Some((start, end)) = run.push(text, at, at + length) {
            found(start, end, &names::PASSWORD);
            return end;
        }
        at += length;
    }
    at.min(limit)
}

/// Returns what is in the quotes or stars that open at `at`, if it is a saying of four words or more.
fn quoted_saying(text: &[u8], at: usize) -> Option<(usize, usize)> {
    const MARKS: [(&[u8], &[u8]); 5] = [
        (b"\"", b"\""),
        (b"`", b"`"),
        (b"**", b"**"),
        (b"\xe2\x80\x9c", b"\xe2\x80\x9d"),
        (b"\xe2\x80\x9e", b"\xe2\x80\x9c"),
    ];
    let (open, close) = MARKS.into_iter().find(|(open, _)| text[at..].starts_with(open))?;
    let start = at + open.len();
    let inside = &text[start..text.len().min(start + MAX_SAYING)];
    let inside = &inside[..memchr::memmem::find(inside, close)?];
    let words = inside.split(|b| *b == b' ').count();
    // `otters and pickers 12`
    let digits = inside.iter().rev().take(5).take_while(|b| b.is_ascii_digit()).count();
    let saying = inside[..inside.len() - digits].trim_ascii_end();
    (words >= LEAST && heuristics::is_saying(saying)).then_some((start, start + inside.len()))
}

/// The words of small letters that stand beside each other before a place.
#[derive(Debug, Default)]
struct Run {
    /// The places of the words; the last ones only if there are too many.
    words: Vec<(usize, usize)>,
    /// Whether a quote or a bracket opens before the first word.
    opened: bool,
    /// Whether the run is at the beginning of a line below the keyword.
    first: bool,
    /// Whether what precedes the first word leads to a passphrase.
    led: bool,
    /// Whether the line before ends in a colon.
    announced: bool,
}

impl Run {
    /// Whether a quote at `at` holds what the words before it speak of: after a verb, a colon or the keyword.
    fn leads_to_quote(&self, text: &[u8]) -> bool {
        let last_lead = || self.words.last().is_some_and(|(start, end)| LEADS.has(&text[*start..*end]));
        self.led || last_lead() || self.words.is_empty() && !self.first && !self.opened
    }

    /// Adds the word between two blanks; returns the passphrase that it ends.
    fn push(&mut self, text: &[u8], from: usize, to: usize) -> Option<(usize, usize)> {
        let (start, end) = bare(text, from, to);
        let word = &text[start..end];
        let opens = start > from;
        if opens {
            *self = Self { opened: true, ..Self::default() };
        }
        let number = || !self.words.is_empty() && (1..=4).contains(&word.len()) && word.iter().all(u8::is_ascii_digit);
        let spelled = (3..=10).contains(&word.len()) && word.iter().all(u8::is_ascii_lowercase);
        let labelled = text[from..to].ends_with(b":");
        if labelled || !spelled && !number() {
            // A comma leads to nothing: "the password, thus …".
            let led = labelled || LEADS.has(word) || word.is_empty() && text[from..to] != *b",";
            *self = Self { led, ..Self::default() };
            return None;
        }
        if self.words.len() > MOST {
            return None;
        }
        self.words.push((start, end));
        let rest = &text[end..];
        let said = [
            &b" with spaces"[..],
            b" with the spaces",
            b" with blanks",
            b" all lower",
            b" all small",
            b" spaces between",
        ];
        let closes = end < to
            || matches!(rest, [] | [b'\n' | b'\r', ..] | [b' ', b'(' | b',' | b'\n' | b'-' | b'#', ..])
            || said.iter().any(|said| rest.starts_with(said));
        if !closes {
            return None;
        }
        let found = self.phrase(text, end);
        *self = Self::default();
        found
    }

    /// Returns the passphrase that the words are.
    fn phrase(&self, text: &[u8], end: usize) -> Option<(usize, usize)> {
        let is_lead = |(start, end): &(usize, usize)| LEADS.has(&text[*start..*end]);
        let after_lead = || self.words.iter().rposition(is_lead).map(|lead| &self.words[lead + 1..]);
        let is_phrase = |words: &&[(usize, usize)]| {
            let alone = self.announced && self.first && matches!(text[end..], [] | [b'\n', ..]);
            let least = if alone { LEAST_ALONE } else { LEAST };
            (least..=MOST).contains(&words.len()) && heuristics::is_plain_phrase(&text[words[0].0..end])
        };
        let whole = (self.opened || self.led || self.first).then_some(&self.words[..]);
        let words = whole.filter(is_phrase).or_else(|| after_lead().filter(is_phrase))?;
        Some((words[0].0, end))
    }
}

/// Returns the place of a word without quotes, brackets and the marks of a sentence around it.
fn bare(text: &[u8], mut start: usize, mut end: usize) -> (usize, usize) {
    let lead = text[start..end].iter().take_while(|b| !b.is_ascii_alphanumeric()).count();
    start += lead;
    end -= text[start..end].iter().rev().take_while(|b| !b.is_ascii_alphanumeric()).count();
    (start, end)
}
