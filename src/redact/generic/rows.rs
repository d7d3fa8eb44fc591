//! Columns of secrets that no border separates: the values of an SQL `INSERT`, and output in aligned columns.

use super::super::heuristics::{self, NameClass, WordList, looks_secret};
use super::super::text::contains_ignoring_case;
use super::separator::{after_closers, skip_blanks};
use super::{Name, later, mentioned};

/// The longest list of columns, and the longest line that counts as a row.
const MAX_HEADER: usize = 512;
const MAX_ROW: usize = 1024;
/// How much of the values of one statement is read.
const MAX_VALUES: usize = 16 * 1024;

/// Whether the cell of a column that `class` names is a secret.
pub(super) fn is_secret(value: &[u8], class: NameClass) -> bool {
    looks_secret(value, class, true)
        || class == NameClass::Weak
            && (heuristics::is_hexadecimal_key(value)
                || later::is_strong(value)
                || later::is_plain(value) && heuristics::has_all_kinds(value))
        || class == NameClass::Password
            && (heuristics::is_word_chain(value, 3)
                || heuristics::is_joined_words(value)
                || heuristics::is_saying(value)
                || heuristics::is_passphrase(value, class) && !heuristics::is_description(value))
        || class == NameClass::Hint && mentioned::is_unmistakable(value)
}

/// Whether the header of a table has a column of accounts.
pub(super) fn names_accounts(header: &[u8]) -> bool {
    static ACCOUNTS: WordList = WordList::new(
        "account accounts user username login konto benutzer benutzername compte utilisateur identifiant cuenta usuario conta \
        usu\u{e1}rio utente gebruiker gebruikersnaam bruger bruker anv\u{e4}ndare email e-mail mail",
    );
    // What devices share with a server is typed by people.
    contains_ignoring_case(header, b"shared secret")
        || header
            .split(|b| b.is_ascii_whitespace() || matches!(b, b'|' | b',' | b';' | b'*' | b'`'))
            .any(|cell| ACCOUNTS.has(cell))
}

/// The cells of a column or a row under one name, which are judged together: beside a secret that its form shows, a word is
/// one, too.
pub(super) struct Cells {
    class: NameClass,
    certain: Vec<(usize, usize)>,
    others: Vec<(usize, usize)>,
}

impl Cells {
    pub(super) fn new(class: NameClass) -> Self {
        Self { class, certain: Vec::new(), others: Vec::new() }
    }

    /// Adds the cell at `start..end`.
    pub(super) fn add(&mut self, text: &[u8], start: usize, end: usize) {
        let list = if is_secret(&text[start..end], self.class) { &mut self.certain } else { &mut self.others };
        list.push((start, end));
    }

    /// Passes the places of the secrets among the cells to `on_value`.
    pub(super) fn secrets(self, text: &[u8], on_value: &mut dyn FnMut(usize, usize)) {
        let (mut places, mut others) = (self.certain, self.others);
        if !places.is_empty() && matches!(self.class, NameClass::Password | NameClass::Secret) {
            others.retain(|(start, end)| {
                let value = &text[*start..*end];
                let worded = self.class == NameClass::Password && heuristics::is_plain_words(value);
                worded || looks_secret(value, self.class, true)
            });
            places.append(&mut others);
        }
        places.into_iter().for_each(|(start, end)| on_value(start, end));
    }
}

/// The values of an `INSERT` statement.
pub(super) struct Inserted {
    /// The offset of the first tuple.
    pub(super) rows: usize,
    index: usize,
}

/// Returns the column of an `INSERT INTO table (…, name, …) VALUES`.
pub(super) fn inserted(text: &[u8], name: Name) -> Option<Inserted> {
    let (at, _) = after_closers(text, name.end);
    if !matches!(text.get(skip_blanks(text, at))?, b',' | b')') {
        return None;
    }
    let before = &text[name.start.saturating_sub(MAX_HEADER)..name.start];
    let open = before.iter().rposition(|b| matches!(b, b'(' | b';' | b'='))?;
    let head = &before[open.saturating_sub(100)..open];
    if before[open] != b'(' || !contains_ignoring_case(head, b"into") {
        return None;
    }
    let rest = &text[at..text.len().min(at + MAX_HEADER)];
    let close = at + rest.iter().position(|b| *b == b')')? + 1;
    let next = close
        + text[close..]
            .iter()
            .take(32)
            .take_while(|b| b.is_ascii_whitespace() || matches!(b, b'>' | b'+' | b'/'))
            .count();
    let rows = text.get(next..next + 6).filter(|word| word.eq_ignore_ascii_case(b"values")).map(|_| next + 6)?;
    Some(Inserted { rows, index: before[open..].iter().filter(|b| **b == b',').count() })
}

impl Inserted {
    /// Passes the places of the column's quoted values to `on_value`; returns the end of what was read.
    pub(super) fn values(&self, text: &[u8], mut on_value: impl FnMut(usize, usize)) -> usize {
        let limit = text.len().min(self.rows + MAX_VALUES);
        let (mut at, mut depth, mut index) = (self.rows, 0_usize, 0);
        while at < limit {
            match text[at] {
                b'(' => {
                    depth += 1;
                    if depth == 1 {
                        index = 0;
                    }
                }
                b')' => depth = depth.saturating_sub(1),
                b',' if depth == 1 => index += 1,
                b';' if depth == 0 => break,
                quote @ (b'\'' | b'"') => {
                    let start = at + 1;
                    at = string_end(text, start, limit, quote);
                    if depth == 1 && index == self.index && at < limit {
                        on_value(start, at);
                    }
                }
                byte if depth == 0 && !byte.is_ascii_whitespace() && !matches!(byte, b',' | b'>' | b'+' | b'/') => {
                    break;
                }
                _ => {}
            }
            at += 1;
        }
        at.min(limit)
    }
}

/// Returns the place of the quote that ends the string at `start`.
fn string_end(text: &[u8], start: usize, limit: usize, quote: u8) -> usize {
    let mut at = start;
    while at < limit {
        match text[at] {
            b'\\' => at += 1,
            byte if byte == quote && text.get(at + 1) == Some(&quote) => at += 1,
            byte if byte == quote => return at,
            _ => {}
        }
        at += 1;
    }
    limit
}

/// Output in columns that blanks align.
pub(super) struct Aligned {
    /// The offset of the first row.
    pub(super) rows: usize,
    /// Where the column begins in each line, and where its name ends: numbers and data frames are aligned there.
    column: usize,
    end: usize,
    /// Whether another column has accounts.
    accounts: bool,
}

/// Returns the column under `name` if its line is a header: short names with two blanks or more between them.
pub(super) fn aligned(text: &[u8], name: Name) -> Option<Aligned> {
    let end = name.end;
    let after = text[end..].iter().take(64).take_while(|b| **b == b' ').count();
    let last = matches!(text.get(end + after), None | Some(b'\n' | b'\r'));
    if after < 2 && !last {
        return None;
    }
    let before = &text[name.start.saturating_sub(MAX_HEADER)..name.start];
    let indent = before.iter().rev().take_while(|b| **b != b'\n').count();
    let head = &before[before.len() - indent..];
    // Letters with accents have more bytes than places.
    let column = head.iter().filter(|b| begins_char(**b)).count();
    let first = head.iter().all(|b| matches!(b, b'>' | b'+' | b'/' | b' '));
    // `Db Password`, a name of two words.
    let words = head.iter().rev().take_while(|b| b.is_ascii_alphabetic() || **b == b' ').count();
    let tail = &head[head.len() - words..];
    let word = memchr::memmem::rfind(tail, b"  ").map_or(words, |gap| words - gap - 2);
    let one = word > 1 && tail[words - word..].iter().filter(|b| **b == b' ').count() == 1;
    let two =
        head.ends_with(b" ") && !head.ends_with(b"  ") && one && (word < words || after >= 2 && word == head.len());
    let (column, head) = if two { (column - word, &head[..head.len() - word]) } else { (column, head) };
    let first = first || two && head.is_empty();
    if indent == before.len() && name.start > before.len() || (!first && !head.ends_with(b"  ")) {
        return None;
    }
    let width = text[end..].iter().take(MAX_HEADER).take_while(|b| **b != b'\n').count();
    let header = &text[name.start - indent..end + width];
    let mut cells = 0;
    // The mark of a quote, or of an added line.
    let lead = header.iter().take_while(|b| matches!(b, b'>' | b'+' | b'/' | b' ')).count().min(indent);
    for cell in header[lead..].split(|b| *b == b' ').filter(|cell| !cell.is_empty()) {
        cells += 1;
        let plain =
            cell.iter().all(|b| b.is_ascii_alphabetic() || !b.is_ascii() || matches!(b, b'_' | b'-' | b'/' | b'\r'));
        if !plain || cell.len() > 24 {
            return None;
        }
    }
    ((2..=12).contains(&cells) && end + width < text.len()).then(|| Aligned {
        rows: end + width + 1,
        column,
        end: indent + name.end - name.start,
        accounts: names_accounts(header),
    })
}

/// Whether a character of UTF-8 begins with `byte`.
fn begins_char(byte: u8) -> bool {
    byte & 0xc0 != 0x80
}

impl Aligned {
    /// Returns the class of the cells under a name of `class`: what is called a secret beside an account is its password.
    pub(super) fn class(&self, class: NameClass) -> NameClass {
        if self.accounts && class == NameClass::Secret { NameClass::Password } else { class }
    }

    /// Passes the places of the column's cells to `on_value`; returns the end of what was read.
    pub(super) fn values(&self, text: &[u8], mut on_value: impl FnMut(usize, usize)) -> usize {
        let mut at = self.rows;
        while at < text.len() {
            let rest = &text[at..text.len().min(at + MAX_ROW)];
            let row = &rest[..rest.iter().position(|b| *b == b'\n').unwrap_or(rest.len())];
            let mut places = row.iter().enumerate().filter(|(_, b)| begins_char(**b)).map(|(place, _)| place);
            let column = if row.is_ascii() { self.column } else { places.nth(self.column).unwrap_or(row.len()) };
            let begins = self.column == 0 || matches!(row.get(column.wrapping_sub(1)), Some(b' ' | b'+'));
            // Lines under the header, of dashes, say nothing.
            let ruled = !row.is_empty() && row.iter().all(|b| matches!(b, b'-' | b'=' | b' ' | b'\r'));
            let mut length =
                row.get(column..).map_or(0, |cell| cell.iter().take_while(|b| !b.is_ascii_whitespace()).count());
            let mut column = column;
            let mut begins = begins && length > 0;
            let ends = self.end <= row.len() && row.get(self.end).is_none_or(u8::is_ascii_whitespace);
            // The last column of a data frame is aligned on the right.
            if !begins && ends && row.is_ascii() && self.end == row.len() {
                length = row.iter().rev().take_while(|b| !b.is_ascii_whitespace()).count();
                column = self.end - length;
                begins = length > 0 && row[..column].ends_with(b"  ");
            }
            if row.len() == MAX_ROW || !ruled && (!begins || length == 0) {
                break;
            }
            if !ruled {
                on_value(at + column, at + column + length);
            }
            at += row.len() + 1;
        }
        at.min(text.len())
    }
}

#[cfg(test)]
mod tests {
    use crate::redact::canaries::{SEED, fill, scrub};

    #[test]
    fn values_of_statements_and_aligned_columns_are_found() {
        for text in [
            "INSERT INTO users (id, password, role) VALUES (1, '@', 'admin'), (2, '@', 'it''s, me');",
            "insert into `users`(`id`,`password`)\nvalues\n(1,'@'),\n(2,'@')",
            "USER    HOST      PASSWORD\nroot    10.0.0.1  @\nadmin   10.0.0.2  @\n",
            "PASSWORD      USER\n------------  ----\n@  root\n@  me\n",
            "usuário   senha   número\ncafé      @       2\nx         @       3\n",
        ] {
            for password in ["k7Qm2xW9pLr4", "river-otter-lamp"] {
                let scrubbed = scrub(&text.replace('@', password));
                assert_eq!(scrubbed.matches("[REDACTED:password]").count(), 2, "{scrubbed}");
            }
        }
    }

    #[test]
    fn words_are_found_beside_a_secret_of_their_row_or_column() {
        for text in [
            "| | test | live |\n|---|---|---|\n| host | a | b |\n| pass | @ | lemonsqueezy |\n",
            "Tool | Account | Secret\n--- | --- | ---\nA | a@b.org | @\nB | c@b.org | lemonsqueezy\n",
            "| System | Zugang |\n|---|---|\n| ERP | @ |\n| CRM | lemonsqueezy |\n",
            "host   user   secret\n----   ----   ------\ndb1    app    @\ndb2    rep    lemonsqueezy\n",
            "name,notes,password\n\"Mail, office\",x,@\nShop,y,lemonsqueezy\n",
        ] {
            let scrubbed = scrub(&text.replace('@', &fill("<a9>4zQ", SEED)));
            assert_eq!(scrubbed.matches("[REDACTED:").count(), 2, "{scrubbed}");
        }
        for text in [
            "| pass | fail | total |\n|---|---|---|\n| 3 | 4 | 7 |\n",
            "| Feature | A | B |\n|---|---|---|\n| password | optional | lemonsqueezy |\n",
            "| `Pass` | Success, completion, ready | Checks, completed items |\n",
        ] {
            assert_eq!(scrub(text), text);
        }
    }

    #[test]
    fn other_columns_stay() {
        for text in [
            "INSERT INTO users (id, password) VALUES ($1, ?), (2, crypt('x', 'k7Qm2xW9pLr4'));",
            "INSERT INTO users (password, name) VALUES ('none', 'k7Qm2xW9pLr4');",
            "foo(password, name) and then VALUES ('k7Qm2xW9pLr4')",
            "NAME   SECRET         AGE\ndb     db-login-prod  3d\n",
            "The password  is two\nblanks apart2x9\n",
        ] {
            assert_eq!(scrub(text), text);
        }
    }
}
