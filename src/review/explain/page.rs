//! A text page of lines and tables, and the formatting of numbers and shares.

use super::{LimitUse, SectionLine};
use std::fmt::Write;

/// The width of the budget's bar.
const BAR_WIDTH: u64 = 40;

/// A page that is written line by line.
#[derive(Default)]
pub(super) struct TextPage(pub(super) String);

impl TextPage {
    pub(super) fn line(&mut self, line: std::fmt::Arguments<'_>) {
        // A title may hold line breaks; at the start of a line a workflow log could take it for a command.
        let from = self.0.len();
        // Writing to a `String` cannot fail.
        let _ = write!(self.0, "{line}");
        if self.0[from..].contains(['\n', '\r']) {
            let flat = self.0.split_off(from).replace("\r\n", " ").replace(['\n', '\r'], " ");
            self.0.push_str(&flat);
        }
        self.0.push('\n');
    }

    pub(super) fn head(&mut self, title: &str) {
        self.0.push('\n');
        self.line(format_args!("{title}"));
    }

    pub(super) fn table<const N: usize>(&mut self, rows: Vec<[String; N]>, none: &str) {
        if rows.is_empty() {
            self.line(format_args!("  {none}"));
        }
        let widths: [usize; N] = std::array::from_fn(|column| {
            rows.iter().map(|row| row[column].chars().count()).max().unwrap_or_default().min(48)
        });
        for row in rows {
            let mut line = String::from(" ");
            for (cell, width) in row.iter().zip(widths) {
                let _ = write!(line, " {cell:<width$}");
            }
            self.line(format_args!("{}", line.trim_end()));
        }
    }
}

pub(super) fn detail(line: &SectionLine) -> String {
    match line.full_chars {
        Some(full) => format!("{} of {}", line.how, grouped(full)),
        None => line.how.clone(),
    }
}

pub(super) fn cost(line: &SectionLine) -> String {
    match (line.chars, line.tokens) {
        (Some(chars), Some(tokens)) => format!("{} chars, {} tokens", grouped(chars), grouped(tokens)),
        (Some(chars), None) => format!("{} chars", grouped(chars)),
        (None, _) => String::new(),
    }
}

pub(super) fn share(part: u64, whole: u64) -> String {
    let percent = part.saturating_mul(100).checked_div(whole).unwrap_or_default();
    format!("{percent:>3} % {}", "▇".repeat((percent / 5) as usize))
}

pub(super) fn bar(used: &LimitUse) -> String {
    let Some(limit) = used.limit.filter(|limit| *limit > 0) else {
        return format!("{} {}", grouped(used.used), used.unit);
    };
    // What a margin keeps free is no room for sections.
    let room = used.room.filter(|room| *room > 0).unwrap_or(limit);
    let filled = (used.used.saturating_mul(BAR_WIDTH) / room).min(BAR_WIDTH);
    let percent = used.used.saturating_mul(100) / room;
    let margin = match used.room {
        Some(_) => format!(" ({} less a margin of {} %)", grouped(limit), used.margin.unwrap_or_default()),
        None => String::new(),
    };
    format!(
        "{}{} {} of {} {}{margin}, {percent} %",
        "█".repeat(filled as usize),
        "░".repeat((BAR_WIDTH - filled) as usize),
        grouped(used.used),
        grouped(room),
        used.unit
    )
}

pub(super) fn short(title: &str) -> String {
    const LONGEST: usize = 48;
    let mut text: String = title.chars().take(LONGEST).collect();
    if title.chars().count() > LONGEST {
        text.push('…');
    }
    text
}

/// Formats a number with commas between thousands.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped() {
        assert_eq!([0, 999, 1000, 1_234_567].map(grouped), ["0", "999", "1,000", "1,234,567"]);
    }
}
