//! Columns of tables whose header names a secret by a word that says so only there: `community`, `enable`, `TOTP`, `PIN`.

use super::super::codes;
use super::super::heuristics::{self, NameClass, WordList};
use super::super::letters;
use super::super::names;
use super::super::rules::FindingLabel;
use super::later;
use super::pairs::{self, Columns};
use super::{MAX_NAME_PART, Name, OnFinding, rows};

/// The headers, each with what its cells hold.
pub(in super::super) static HEADERS: [Header; 39] = [
    header("community", Cells::Chosen),
    header("enable", Cells::Chosen),
    header("totp", Cells::Seed),
    header("2fa", Cells::Seed),
    header("otp", Cells::Seed),
    header("mfa", Cells::Seed),
    header("pin", Cells::Number),
    header("puk", Cells::Number),
    header("pin code", Cells::Number),
    header("pincode", Cells::Number),
    header("door code", Cells::Number),
    header("alarm code", Cells::Number),
    header("t\u{fc}rcode", Cells::Number),
    header("code porte", Cells::Number),
    header("access", Cells::Told),
    header("access data", Cells::Told),
    header("\u{434}\u{43e}\u{441}\u{442}\u{443}\u{43f}", Cells::Told),
    header("geheim", Cells::Chosen),
    header("geheimnis", Cells::Chosen),
    header("snmp community", Cells::Chosen),
    header("zugang", Cells::Told),
    header("zugangsdaten", Cells::Told),
    header("acc\u{e8}s", Cells::Told),
    header("acceso", Cells::Told),
    header("accesso", Cells::Told),
    header("acesso", Cells::Told),
    header("toegang", Cells::Told),
    header("adgang", Cells::Told),
    header("tilgang", Cells::Told),
    header("dost\u{119}p", Cells::Told),
    header("p\u{159}\u{ed}stup", Cells::Told),
    header("login data", Cells::Told),
    header("credentials", Cells::Told),
    header("identifiants", Cells::Told),
    header("code", Cells::Told),
    header("l\u{f6}sen", Cells::Chosen),
    header("kodewort", Cells::Chosen),
    header("codeword", Cells::Chosen),
    header("passphrase", Cells::Chosen),
];

/// A header of a column.
#[derive(Debug)]
pub(in super::super) struct Header {
    /// The word, in lower case.
    pub(in super::super) word: &'static str,
    cells: Cells,
}

/// What the cells below a header hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Cells {
    /// Passwords that people chose or a machine made.
    Chosen,
    /// Seeds of one-time passwords.
    Seed,
    /// Numbers of four to eight digits.
    Number,
    /// A number after a word for a code: `Code 4711`.
    Told,
}

const fn header(word: &'static str, cells: Cells) -> Header {
    Header { word, cells }
}

/// Passes the secrets in the column whose header is at `start..end` to `found`.
pub(in super::super) fn column(
    text: &[u8],
    (start, end): (usize, usize),
    header: &Header,
    columns: &mut Columns,
    found: OnFinding<'_>,
) {
    // First what most places are ruled out by.
    let closes = match text[end..] {
        [] | [b'|' | b',' | b';' | b'\t' | b'\n' | b'\r' | b'"' | b'*' | b'`', ..] => true,
        [b' ', next, ..] => matches!(next, b' ' | b'|' | b';' | b'\n'),
        _ => false,
    };
    if !closes {
        return;
    }
    let start = whole(text, start);
    let opens = match text[..start] {
        [] | [.., b'|' | b',' | b';' | b'\t' | b'\n' | b'"' | b'*' | b'`'] => true,
        [.., before, b' '] => matches!(before, b' ' | b'|' | b';' | b'>'),
        _ => false,
    };
    if !opens {
        return;
    }
    let name = Name { start, end, flag: false };
    if header.word == "community" && !is_of_devices(text, start, end) {
        return;
    }
    let (mut passwords, mut random) = (rows::Cells::new(NameClass::Password), false);
    let mut on_cell = |from: usize, to: usize| {
        if let Some((from, to)) = header.cells.secret(text, from, to) {
            found(from, to, header.cells.label());
        } else if header.word == "code" && text[from..to].iter().all(u8::is_ascii_alphabetic) {
            // `NoSuchBucket`, an error.
        } else if header.cells == Cells::Told && !text[from..to].contains(&b' ') && !is_numbered(&text[from..to]) {
            random |= heuristics::looks_random(&text[from..to]);
            passwords.add(text, from, to);
        }
    };
    if let Some(table) = pairs::column(text, name) {
        columns.cells(text, (&table, b'|'), &mut on_cell);
    } else if let Some((table, mark)) = pairs::separated(text, name) {
        columns.cells(text, (&table, mark), &mut on_cell);
    } else if let Some(table) = rows::aligned(text, name) {
        columns.each(table.rows, |on_value| table.values(text, on_value), on_cell);
    }
    if random {
        passwords.secrets(text, &mut |start, end| found(start, end, &names::PASSWORD));
    }
}

/// Whether a value is one of many codes with a number each, as those of errors: `FSTDEP012`, `E1003`.
fn is_numbered(value: &[u8]) -> bool {
    let digits = value.iter().rev().take_while(|b| b.is_ascii_digit()).count();
    let head = &value[..value.len() - digits];
    (2..=6).contains(&digits)
        && !head.is_empty()
        && head.iter().all(|b| b.is_ascii_uppercase() || matches!(b, b'_' | b'-'))
}

/// Whether the other headers of a line are those of a list of devices: people have communities, too.
fn is_of_devices(text: &[u8], start: usize, end: usize) -> bool {
    static DEVICES: WordList = WordList::new(
        "host hostname ip address device switch router model enable snmp vendor mac firmware location version",
    );
    let before = &text[start.saturating_sub(160)..start];
    let before = &before[before.iter().rposition(|b| *b == b'\n').map_or(0, |end| end + 1)..];
    let after = &text[end..text.len().min(end + 160)];
    let after = &after[..after.iter().position(|b| *b == b'\n').unwrap_or(after.len())];
    let words = |part: &[u8]| part.split(|b| !b.is_ascii_alphabetic()).any(|word| DEVICES.has(word));
    words(before) || words(after) || text[start..end].len() > "community".len()
}

/// Returns the start of the whole name around the header at `start`: `login_totp`, `snmp_community`.
fn whole(text: &[u8], start: usize) -> usize {
    let part = |b: &&u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-');
    match text[..start] {
        [.., b'_' | b'-'] => start - text[..start].iter().rev().take(MAX_NAME_PART).take_while(part).count(),
        _ => start,
    }
}

impl Cells {
    fn label(self) -> &'static FindingLabel {
        match self {
            Self::Chosen => &names::PASSWORD,
            Self::Seed => &codes::SEED,
            Self::Number | Self::Told => &codes::PIN,
        }
    }

    /// Returns the secret in the cell at `from..to`.
    fn secret(self, text: &[u8], from: usize, to: usize) -> Option<(usize, usize)> {
        static CODES: WordList = WordList::new(
            "code code: pin pin: puk kod kode koden c\u{f3}digo codice koodi door gate alarm safe t\u{fc}r tor tresor",
        );
        let cell = &text[from..to];
        let digits = cell.iter().filter(|b| b.is_ascii_digit()).count();
        let number = |word: &[u8]| {
            (4..=8).contains(&word.len()) && word.iter().all(u8::is_ascii_digit) && !heuristics::is_placeholder(word)
        };
        match self {
            Self::Chosen => (rows::is_secret(cell, NameClass::Password)
                && (later::is_strong(cell) || later::is_plain(cell) || heuristics::looks_random(cell)))
            .then_some((from, to)),
            Self::Seed => {
                let upper = cell.iter().all(|b| b.is_ascii_uppercase() || matches!(b, b'2'..=b'7' | b'='));
                let lower = cell.iter().all(|b| b.is_ascii_lowercase() || matches!(b, b'2'..=b'7'));
                let random = digits > 0 || letters::are_random(cell);
                ((upper || lower) && (16..=64).contains(&cell.len()) && random && !heuristics::is_placeholder(cell))
                    .then_some((from, to))
            }
            Self::Number => number(cell).then_some((from, to)),
            Self::Told => {
                let last = cell.iter().rposition(|b| *b == b' ')? + 1;
                let lead = cell[..last].trim_ascii();
                let label = &lead[lead.iter().rposition(|b| *b == b' ').map_or(0, |at| at + 1)..];
                (number(&cell[last..]) && CODES.has(label)).then_some((from + last, to))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::redact::canaries::scrub;

    #[test]
    fn cells_below_headers_are_found() {
        for (text, secret) in [
            ("host      model   community   enable\nsw-1      SG350   @  x\nsw-2      SG350   @  x\n", "k7qm2xw9pl4r"),
            ("name,url,login_totp\nshop,https://a.example,@\nbank,https://b.example,\n", "KR5TQX2WPZ7MBN4V"),
            ("| Door | PIN |\n|---|---|\n| back | @ |\n", "4917"),
            ("| What | Where | Access |\n|---|---|---|\n| Alarm | hall | Code @ |\n", "491738"),
        ] {
            let scrubbed = scrub(&text.replace('@', secret));
            assert!(!scrubbed.contains(secret), "{scrubbed}");
        }
    }

    #[test]
    fn other_cells_stay() {
        for text in [
            "host      model   community   enable\nsw-1      SG350   public      yes\nsw-2      SG350   private     no\n",
            "| Pin | Signal |\n|---|---|\n| 12 | SDA |\n",
            "| Name | Access |\n|---|---|\n| Anna | read-only since 2024 |\n| Ben | Code review 1234 |\n",
            "name,totp\nalice,enabled\nbob,disabled\n",
        ] {
            assert_eq!(scrub(text), text);
        }
    }
}
