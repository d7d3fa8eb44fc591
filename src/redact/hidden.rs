//! Hidden text: parts of Markdown by untrusted authors that readers of GitHub's page do not see or did not ask for.
//!
//! A text is read as Markdown and HTML. Visible text and its markup stay, and everything else is removed: [`markdown`]
//! checks all that no visible piece covers, so that an unknown form counts as hidden until it is known to be visible.

mod drawn;
mod html;
mod line_mapped_text;
mod markdown;
mod references;
mod target;
mod unparsed;

use super::advice;
use super::containment::{UNREADABLE, contained};
use super::redactor::{Redactor, Removal};
use super::rules::FindingLabel;
use crate::model::{Digest, RemovedLines};
use line_mapped_text::{HiddenRecords, LineMappedText};
use std::ops::Range;

/// The label of comments.
pub(super) static COMMENT: FindingLabel =
    FindingLabel { name: "hidden-comment", reason: "is a comment that nobody sees on the page", rank: 9 };

/// The label of images and frames.
pub(super) static IMAGE: FindingLabel = FindingLabel {
    name: "remote-image",
    reason: "is an image or a frame that would be loaded from elsewhere",
    rank: 9,
};

/// The label of all other hidden text.
pub(super) static HIDDEN: FindingLabel = FindingLabel {
    name: "hidden-text",
    reason: "is text that a reader of the page does not see: an unused definition, a title, an attribute or the like",
    rank: 9,
};

/// How many times a text is read again, since a removal may change how the rest reads. One that still changes then was
/// made for that, and is removed as a whole.
const MAX_ROUNDS: usize = 6;

/// A text without its hidden parts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VisibleText {
    /// The text; not scrubbed yet.
    pub text: String,
    /// The removals; the piece is 0, lines are those of the original text.
    pub removals: Vec<Removal>,
    /// The line ends that were removed with them.
    pub removed_lines: Vec<RemovedLines>,
}

/// A hidden part of a text.
#[derive(Debug)]
struct HiddenRange {
    range: Range<usize>,
    label: &'static FindingLabel,
    put: Replacement,
}

/// What replaces a hidden part.
#[derive(Debug, PartialEq, Eq)]
enum Replacement {
    /// A marker, so that the text before and the text after it cannot combine to something new.
    Marker,
    /// Nothing, where a marker would change what the rest means.
    Nothing,
    /// Another form without the hidden part.
    Text(String),
}

impl HiddenRange {
    fn marked(range: Range<usize>, label: &'static FindingLabel) -> Self {
        Self { range, label, put: Replacement::Marker }
    }

    fn silent(range: Range<usize>, label: &'static FindingLabel) -> Self {
        Self { range, label, put: Replacement::Nothing }
    }
}

impl Redactor {
    /// Removes the hidden parts and the remote images of Markdown by an untrusted author. The result is not scrubbed.
    ///
    /// Code is visible, and stays. `path` is compared with the entries of `redaction.allow`.
    pub fn visible_text(&self, path: &str, text: &str) -> VisibleText {
        let mut draft = LineMappedText::new(text);
        let mut records = HiddenRecords::new();
        for round in 0..=MAX_ROUNDS {
            let whole = |label| vec![HiddenRange::marked(0..draft.text.len(), label)];
            let mut edits = contained(|| markdown::hidden_ranges(&draft.text)).unwrap_or_else(|| whole(&UNREADABLE));
            edits.retain(|edit| !self.allows(path, edit.label, &draft.text[edit.range.clone()]));
            if edits.is_empty() {
                break;
            }
            if round == MAX_ROUNDS {
                edits = whole(&HIDDEN);
            }
            draft.apply(edits, &mut records);
        }
        let place = if records.is_empty() { None } else { self.printable_path(path) };
        let removals = records
            .into_iter()
            .map(|((line, _), (count, label))| Removal {
                piece: 0,
                line,
                rule: label.name.to_owned(),
                reason: label.reason.to_owned(),
                to_include: advice::to_include(label.name, place),
                count,
            })
            .collect();
        VisibleText { removed_lines: draft.removed_lines(), text: draft.text, removals }
    }

    /// Whether the user allows a finding: every part of an entry must match.
    fn allows(&self, path: &str, label: &FindingLabel, text: &str) -> bool {
        self.allow.iter().any(|entry| {
            entry.path.as_ref().is_none_or(|glob| glob.is_match(path))
                && entry.rule.as_deref().is_none_or(|rule| rule == label.name)
                && entry.sha256.as_ref().is_none_or(|wanted| Digest::of(text).hex().eq_ignore_ascii_case(wanted))
        })
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use crate::config;

    fn revealed(text: &str) -> (String, Vec<(u32, String, u32)>) {
        let redactor = Redactor::new(&config::load("contextpack.yml", None).unwrap().redaction);
        let found = redactor.visible_text("x.json", text);
        (found.text, found.removals.into_iter().map(|removal| (removal.line, removal.rule, removal.count)).collect())
    }

    const C: &str = "[REDACTED:hidden-comment]";
    const I: &str = "[REDACTED:remote-image]";
    const H: &str = "[REDACTED:hidden-text]";

    #[test]
    fn comments_become_markers_and_are_counted_at_their_line() {
        let (text, removals) =
            revealed("a <!-- b -->c\n\n<!-- d\n\ne --> f\n\n<?x y?>\n\n[//]: # (note)\n\n[n]: <> 'm'\ng <!-->\n");
        assert_eq!(text, format!("a {C}c\n\n{C} f\n\n{C}\n\n{C}\n\n{C}\ng {C}\n"));
        let lines: Vec<u32> = removals.iter().map(|(line, ..)| *line).collect();
        assert_eq!(lines, [1, 3, 7, 9, 11, 12]);
        assert!(removals.iter().all(|(_, rule, count)| rule == "hidden-comment" && *count == 1));
    }

    #[test]
    fn one_without_an_end_hides_the_rest_only_where_it_begins_a_block() {
        assert_eq!(revealed("a\n\n<!-- b\n\nc").0, format!("a\n\n{C}"));
        assert_eq!(revealed("a <!-- b\n\nc").0, "a <!-- b\n\nc");
        // In a paragraph `-->` is text, so the comment continues.
        assert_eq!(revealed("<div>\n<!--\n\nb\n\n-->\nc</div>").0, format!("<div>\n{C}"));
        assert_eq!(revealed("<div>\n<!--\n\nb\n\n<p>-->\nc</p>").0, format!("<div>\n{C}\nc</p>"));
        assert_eq!(revealed("x <!<!-- a -->-- b -->").0, format!("x <!{C}-- b -->"));
    }

    #[test]
    fn remote_images_are_taken_and_those_of_the_repo_stay() {
        let (text, removals) = revealed(
            "![a](https://x.org/1.png) [![b](//x.org/2)](https://x.org) ![c](docs/c.png) ![d][e]\n\n[e]: data:image/png;base64,AA\n\n<p><IMG alt='x' src=\"https://x.org\"></p>\n",
        );
        assert_eq!(text, format!("{I} [{I}](https://x.org) ![c](docs/c.png) {I}\n\n{H}\n\n<p>{I}</p>\n"));
        let removed = |line, rule: &str, count| (line, rule.to_owned(), count);
        assert_eq!(
            removals,
            [removed(1, "remote-image", 3), removed(3, "hidden-text", 1), removed(5, "remote-image", 1)]
        );
    }

    #[test]
    fn invisible_entities_leave_and_code_stays() {
        assert_eq!(
            revealed("a&#8203;b&zwj;c &amp; &copy;"),
            ("abc &amp; &copy;".to_owned(), vec![(1, "invisible-text".to_owned(), 2)])
        );
        for seen in
            ["`<!-- a -->` ![x", "```html\n<!-- a -->\n![i](https://x.org)&#8203;\n```\n", "    <!-- a -->\n", "plain"]
        {
            assert_eq!(revealed(seen), (seen.to_owned(), vec![]), "{seen}");
        }
    }

    /// The texts of `hidden/cases.toml` under `name`.
    fn cases(name: &str) -> Vec<String> {
        let file: toml::Table = include_str!("hidden/cases.toml").parse().unwrap();
        file[name].as_array().unwrap().iter().map(|text| text.as_str().unwrap().to_owned()).collect()
    }

    #[test]
    fn what_is_not_seen_is_removed_and_counted_and_the_rest_stays() {
        let wrong = |text: &&String| {
            let (left, removals) = revealed(text);
            let same = left.matches("VIS").count() == text.matches("VIS").count();
            left.contains("HID") || !same || removals.is_empty() || revealed(&left) != (left, vec![])
        };
        let texts = cases("hidden");
        let wrong: Vec<_> = texts.iter().filter(wrong).map(|text| (text, revealed(text))).collect();
        assert!(wrong.is_empty(), "{wrong:#?}");
    }

    #[test]
    fn what_is_seen_stays_as_it_was_written() {
        let changed: Vec<_> =
            cases("honest").iter().filter(|text| revealed(text).0 != **text).map(|text| revealed(text)).collect();
        assert!(changed.is_empty(), "{changed:#?}");
    }

    #[test]
    fn removals_keep_the_rest_in_its_form() {
        for (text, left) in [
            ("[a](x \"t\") b", "[a](x) b".to_owned()),
            ("[a](<x> 't')", "[a](<x>)".to_owned()),
            ("[a][long label of words]\n\n[long label of words]: x.md 't'\n", format!("[a](x.md)\n\n{H}\n")),
            ("[a]\n\n[a]: x.md 't'\n\nb\n", "[a]\n\n[a]: x.md\n\nb\n".to_owned()),
            ("```rust a b\nc\n```", "```rust\nc\n```".to_owned()),
            ("<a title='t' href=\"x.md\">b</a>", "<a href=\"x.md\">b</a>".to_owned()),
            ("a[^x]\n\n[^x]: b\n[^y]: c\n\nd\n", format!("a[^x]\n\n[^x]: b\n{H}\n\nd\n")),
            ("|a|\n|-|\n|b|c d|\n", format!("|a|\n|-|\n|b|{H} d|\n").replace("] d|", "]|")),
            ("[a](https://e.org/b?c=do+this+and+that+now)", "[a](https://e.org/b)".to_owned()),
            ("a\n\n[x]: y\n\n\nb <x>\n", format!("a\n\n{H}\n\n\nb {H}\n")),
        ] {
            assert_eq!(revealed(text).0, left, "{text}");
        }
        let (_, removals) = revealed("a\n\n[x]: y\n 'z\n z'\n\nb\n[x](y 't')\n<!--\n\n-->\n<x>\n");
        let lines: Vec<u32> = removals.iter().map(|(line, ..)| *line).collect();
        assert_eq!(lines, [3, 8, 9, 12], "{removals:?}");
    }

    #[test]
    fn an_allowance_keeps_hidden_text() {
        let settings = "redaction: {allow: [{rule: hidden-text, path: x.json}]}\n";
        let redactor = Redactor::new(&config::load("contextpack.yml", Some(settings)).unwrap().redaction);
        let text = "a\n\n[x]: y 'z'\n\n<x>";
        assert_eq!(redactor.visible_text("x.json", text).text, text);
        assert_ne!(redactor.visible_text("y.json", text).text, text);
    }

    #[test]
    fn nothing_is_left_to_remove_from_hostile_texts() {
        #[rustfmt::skip]
        let pieces = [
            "<!--", "<!-- -->", "<img ", "![](", "[//]: # (", "<", "&#8203;", "<div>\n\n<!--\n\n", "[a]: b\n\n",
            "[a]: b 't'\n", "[](x)", "[x](y 't')", "<x>", "<sub>", "<template>", "</template>",
            "<div>\n<template>\n\n", "$\\phantom{$", "$x$ ", "|a|b|\n|-|\n|c|d|e|\n\n", "[^a]: b [^a]\n\n", "[^a]",
            "```a b\n```\n", "[a][b c d e]", "<a href=\"", "> [a]: b\n", "[x](a/b%20c%20d%20e%20f)",
            "```mermaid\n%% a\n", "<a b='", "- [a]: b\n  ", "`$`", "<div a=b\n\n",
        ];
        for piece in pieces {
            let (left, _) = revealed(&piece.repeat(100_000 / piece.len()));
            assert_eq!(revealed(&left).1, [], "{piece}");
        }
    }
}
