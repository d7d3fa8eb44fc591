//! Views of what is written in another notation than the rules read: tables, and lists of the arguments of a command.

use super::super::tables::{self, Marks};
use super::{GAP, MAX_TAG_BYTES, MappedRun, View, line_end};
use std::ops::Range;

impl<'t> View<'t> {
    /// Makes a view of the tables of `raw` that are not in Markdown, as those are written there; `None` if there are none.
    pub(in super::super) fn tables(raw: &'t str, marks: &Marks) -> Option<Self> {
        let tables = tables::tables(raw, marks);
        let first = tables.first()?.rows.first()?.first()?.start;
        let mut view = Self::empty(raw.len() - first, false);
        for table in tables {
            if !view.runs.is_empty() {
                view.text.to_mut().push_str(GAP);
            }
            for (index, row) in table.rows.iter().enumerate() {
                for cell in row {
                    view.mark(cell.start, "| ");
                    view.words(raw, cell.clone());
                    view.mark(cell.end, " ");
                }
                let end = row.last().map_or(table.end, |cell| cell.end);
                view.mark(end, "|\n");
                if index == 0 && table.rows.len() > 1 {
                    view.mark(end, &"|---".repeat(row.len()));
                    view.mark(end, "|\n");
                }
            }
        }
        Some(view)
    }

    /// Makes a view of the lines of `raw` that list the arguments of a command, `["mysql", "-u", "root"]`, as a shell has them;
    /// `None` if there are none.
    pub(in super::super) fn arguments(raw: &'t str, marks: &Marks) -> Option<Self> {
        let bytes = raw.as_bytes();
        let mut view = Self::empty(0, false);
        let mut end = 0;
        for option in &marks.options {
            // `, "-u"`; after a blank alone it is one string of a sentence.
            let quote = option - 2 - usize::from(bytes[option - 3] == b'\\');
            let listed = bytes[..quote].trim_ascii_end().last().is_some_and(|b| matches!(b, b',' | b'='));
            if *option <= end || !listed {
                continue;
            }
            let start = memchr::memrchr(b'\n', &bytes[..*option]).map_or(0, |line| line + 1).max(end);
            end = line_end(bytes, *option);
            if !view.runs.is_empty() {
                view.text.to_mut().push_str(GAP);
            }
            let quote = bytes[option - 2];
            let mut at = start;
            while let Some(offset) = memchr::memchr(quote, &bytes[at..end]) {
                view.copy(raw, at..at + offset);
                at += offset;
                view.mark(at, " ");
                // Up to the quote of the next argument: `", "`, `" a1="`.
                let gap = bytes[at + 1..end].iter().take(8).position(|b| *b == quote);
                let joint = gap.map_or(&b""[..], |gap| &bytes[at + 1..at + 1 + gap]);
                let is_joint = joint.starts_with(b",") && joint[1..].trim_ascii().is_empty()
                    || joint.starts_with(b" a") && joint.ends_with(b"=");
                at += if is_joint { joint.len() + 2 } else { 1 };
            }
            view.copy(raw, at..end);
        }
        (!view.runs.is_empty()).then_some(view)
    }

    /// Writes a mark that stands for nothing at `at`.
    fn mark(&mut self, at: usize, mark: &str) {
        self.runs.push(MappedRun { at: self.text.len(), raw: at..at, copied: false });
        self.text.to_mut().push_str(mark);
    }

    /// Writes the content of a cell on one line, without its tags.
    fn words(&mut self, raw: &str, cell: Range<usize>) {
        let mut at = cell.start;
        while at < cell.end {
            let rest = &raw[at..cell.end];
            let length = rest.find(['<', '\n']).unwrap_or(rest.len());
            self.decode(raw, at..at + length);
            at += length;
            let rest = &raw[at..cell.end];
            if rest.starts_with('\n') {
                self.mark(at, " ");
                at += 1;
            } else if let Some(end) = rest.find('>').filter(|end| *end < MAX_TAG_BYTES) {
                at += end + 1;
            } else if !rest.is_empty() {
                self.copy(raw, at..at + 1);
                at += 1;
            }
        }
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    #[test]
    fn lists_of_arguments_read_as_commands() {
        for (raw, read) in [
            (r#"exec: ["mysql", "-uroot", "-px"]"#, "exec: [ mysql -uroot -px ]"),
            (r#"a0="mysql" a1="-u" a2="bob""#, "a0= mysql -u bob "),
            ("x\n['curl','-u','a:b']\ny", "[ curl -u a:b ]"),
        ] {
            let view = View::arguments(raw, &Marks::of(raw)).unwrap();
            assert_eq!(view.text, read);
        }
        for raw in ["say \"-v\" or '-w'", "a -b \"-c\"", "no quotes -at all"] {
            assert!(View::arguments(raw, &Marks::of(raw)).is_none(), "{raw}");
        }
    }
}
