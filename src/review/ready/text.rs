//! The text of a root: whether it says what to do and when it is done, and the places of a template that it leaves.

use super::questions::is_in;
use crate::markdown::{InlinePart, KeyHeadings, MarkdownText, Run};
use std::collections::HashSet;
use std::sync::LazyLock;

/// Headings of what has to hold once the work is done.
pub(super) static CRITERIA: LazyLock<KeyHeadings> = LazyLock::new(|| {
    keys(&[
        "Acceptance criteria",
        "Success criteria",
        "Definition of done",
        "Requirements",
        "Expected behavior",
        "Test plan",
    ])
});

pub(super) fn keys(titles: &[&str]) -> KeyHeadings {
    KeyHeadings::new(&titles.iter().map(|title| (*title).to_owned()).collect::<Vec<_>>())
}

/// The longest line that can be a heading without Markdown's marks, in words.
const LONGEST_LABEL: usize = 6;

/// The text of a root, read for what it leaves open. Lines count from 1 in the text.
pub(super) struct RootText<'a> {
    pub(super) text: &'a str,
    markdown: MarkdownText,
}

/// A stretch of the text that is no heading.
pub(super) struct BodyRun<'a> {
    pub(super) run: &'a Run,
    pub(super) line: u32,
    /// The title and the line of the heading above it.
    pub(super) under: Option<(&'a str, u32)>,
}

impl<'a> RootText<'a> {
    pub(super) fn read(text: &'a str) -> Self {
        Self { text, markdown: MarkdownText::read(text) }
    }

    /// Returns whether there is nothing but headings and comments.
    pub(super) fn is_empty(&self) -> bool {
        !self.markdown.parts.iter().any(|part| match part {
            InlinePart::Run(run) => !run.heading && run.full.text.chars().any(char::is_alphanumeric),
            InlinePart::Html(run) => run.full.text.chars().any(char::is_alphanumeric),
            InlinePart::Code(code) => !code.text.trim().is_empty(),
            InlinePart::Link { .. } => true,
            InlinePart::Heading(_) | InlinePart::Tasks(_) => false,
        })
    }

    /// Returns the places of a template that were not filled, each with its line.
    ///
    /// Only what stands alone on its line, after a label or as an item counts: texts about templates show them in sentences.
    pub(super) fn placeholders(&self) -> Vec<(u32, String)> {
        let code = self.lines_of_code();
        let lines = (1_u32..).zip(self.text.lines()).filter(|(line, _)| !code.contains(line));
        lines.filter_map(|(line, text)| Some((line, format!("`{}`", placeholder(text)?)))).collect()
    }

    fn lines_of_code(&self) -> HashSet<u32> {
        let mut lines = HashSet::new();
        for part in &self.markdown.parts {
            if let InlinePart::Code(code) = part {
                let first = self.markdown.lines.line(code.source(0));
                let count = u32::try_from(code.text.lines().count()).unwrap_or(u32::MAX);
                lines.extend(first..first.saturating_add(count));
            }
        }
        lines
    }

    /// Returns the stretches of text that are no headings, in order.
    pub(super) fn passages(&self) -> Vec<BodyRun<'_>> {
        let mut under = None;
        let mut passages = Vec::new();
        for part in &self.markdown.parts {
            match part {
                InlinePart::Heading(index) => {
                    let heading = self.markdown.outline.headings.get(*index);
                    under = heading.map(|heading| (heading.title.as_str(), heading.line));
                }
                InlinePart::Run(run) if !run.heading && !run.full.text.trim().is_empty() => {
                    passages.push(BodyRun { run, line: self.markdown.lines.line(run.full.source(0)), under });
                }
                _ => {}
            }
        }
        passages
    }
}

/// Returns a line's label: what stands before its colon, or all of a short line in bold, which `Run` has without its marks.
pub(super) fn label(line: &str) -> Option<&str> {
    let label = line.split([':', '：']).next().unwrap_or(line).trim();
    (label.split_whitespace().count() <= LONGEST_LABEL).then_some(label)
}

/// Words that begin what a template asks for.
const ASKS: &str =
    "add|author|describe|description|enter|explain|fill|insert|list|name|placeholder|replace|summary|title|todo|your";

/// Returns the place of a template that is all that a line, its item or the value after its label says.
fn placeholder(line: &str) -> Option<&str> {
    let line = line.trim().trim_start_matches(['-', '*', '+', '>']).trim_start();
    let line = line.strip_prefix("[ ]").unwrap_or(line).trim();
    // A label may be marked, with its colon or without.
    let labelled = [": ", ":** ", ":__ ", ":* ", ":_ "].into_iter().find_map(|end| line.split_once(end));
    let labelled = labelled.filter(|(label, _)| label.split_whitespace().count() <= LONGEST_LABEL);
    let value = labelled.map_or(line, |(_, value)| value.trim()).trim_matches(['*', '_']);
    let (inner, is_tag) = [("{{", "}}"), ("<", ">"), ("[", "]")].into_iter().find_map(|(open, close)| {
        let inner = value.strip_prefix(open)?.strip_suffix(close)?.trim();
        Some((inner, open != "{{"))
    })?;
    if inner.contains(['<', '>', '[', ']', '{', '}', '=', '/']) {
        return None;
    }
    if !is_tag {
        // What is looked up, called or piped is an expression of Helm, Jinja or GitHub.
        if inner.contains(['.', '|', '(', '$', '"', '\'']) {
            return None;
        }
        let is_name = |c: char| c.is_alphanumeric() || matches!(c, ' ' | '_' | '-');
        if labelled.is_some() && inner.starts_with(char::is_alphabetic) && inner.chars().all(is_name) {
            return Some(value);
        }
    }
    let mut words = inner.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let asks = words.next().is_some_and(|first| is_in(ASKS, &first.to_lowercase()));
    // One word in these brackets is a tag or a link.
    (asks && (!is_tag || words.next().is_some())).then_some(value)
}
