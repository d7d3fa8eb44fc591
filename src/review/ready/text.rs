//! What the text of a root leaves open: questions, places of a template, and whether it says when the work is done.

use crate::markdown::{InlinePart, KeyHeadings, MarkdownText, Run};
use std::collections::HashSet;
use std::sync::LazyLock;

/// Headings of what has to hold once the work is done.
static CRITERIA: LazyLock<KeyHeadings> = LazyLock::new(|| {
    keys(&[
        "Acceptance criteria",
        "Success criteria",
        "Definition of done",
        "Requirements",
        "Expected behavior",
        "Test plan",
    ])
});

/// Headings of what is not decided.
static QUESTIONS: LazyLock<KeyHeadings> = LazyLock::new(|| keys(&["Open questions"]));

fn keys(titles: &[&str]) -> KeyHeadings {
    KeyHeadings::new(&titles.iter().map(|title| (*title).to_owned()).collect::<Vec<_>>())
}

/// The longest line that can be a heading without Markdown's marks, in words.
const LONGEST_LABEL: usize = 6;

/// The most characters of a text that a message repeats.
const LONGEST_QUOTE: usize = 80;

/// Answers that say that nothing is open.
const NOTHING: [&str; 14] = [
    "none",
    "no",
    "n a",
    "na",
    "nil",
    "nothing",
    "none so far",
    "none yet",
    "none at this time",
    "none at the moment",
    "no open questions",
    "no response",
    "keine",
    "aucune",
];

/// Words that begin an answer to a question of a list.
const ANSWERED: [&str; 6] = ["resolved", "answered", "decided", "done", "closed", "settled"];

/// Words for what is to be decided, which count where a value stands.
const UNDECIDED: [&str; 3] = ["TBD", "TBC", "TBA"];

/// The words before one of [`UNDECIDED`] that make it a statement.
const STATES: [&str; 7] = ["is", "are", "be", "still", "remains", "remain", "currently"];

/// The text of a root, read for what it leaves open. Lines count from 1 in the text.
pub(super) struct RootText<'a> {
    text: &'a str,
    markdown: MarkdownText,
}

/// A stretch of the text that is no heading.
struct Said<'a> {
    run: &'a Run,
    line: u32,
    /// The title and the line of the heading above it.
    under: Option<(&'a str, u32)>,
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
            InlinePart::Heading(_) => false,
        })
    }

    /// Returns whether the text says when the work is done.
    pub(super) fn has_criteria(&self) -> bool {
        let said = self.said();
        said.iter().any(|said| {
            let text = said.run.full.text.as_str();
            let is_under = said.under.is_some_and(|(title, _)| CRITERIA.contain(title)) && !is_nothing(text);
            is_under || said.run.task || text.lines().filter_map(label).any(|label| CRITERIA.contain(label))
        })
    }

    /// Returns the questions that are not answered, each with its line.
    pub(super) fn questions(&self) -> Vec<(u32, String)> {
        let mut found = Vec::new();
        for said in self.said() {
            if said.under.is_some_and(|(title, _)| QUESTIONS.contain(title)) {
                if self.is_question(&said) {
                    found.push((said.line, format!("an open question: {}", quoted(&said.run.full.text))));
                }
                continue;
            }
            for (number, line) in said.run.spoken.text.lines().enumerate() {
                if let Some(word) = undecided(line) {
                    let line_number = said.line + u32::try_from(number).unwrap_or(u32::MAX);
                    found.push((
                        line_number,
                        format!("`{word}` stands where something is to be decided: {}", quoted(line)),
                    ));
                }
            }
        }
        found
    }

    /// Returns whether what is said below a heading such as `Open questions` is one: each item of a list, each paragraph.
    fn is_question(&self, said: &Said<'_>) -> bool {
        let (run, spoken) = (said.run, said.run.spoken.text.trim());
        // Struck text is no longer spoken, and the rest of a list item explains its first text.
        let continues = run.lists > 0 && !run.first_of_item || run.lists > 1;
        let begins = |word: &&str| {
            let rest = spoken.get(..word.len()).filter(|start| start.eq_ignore_ascii_case(word));
            rest.is_some() && !spoken[word.len()..].starts_with(char::is_alphanumeric)
        };
        let introduces = run.lists == 0 && spoken.ends_with(':');
        let is_over = run.task && self.is_checked(said.line) || ANSWERED.iter().any(begins);
        !(continues || introduces || is_over || is_nothing(spoken))
    }

    fn is_checked(&self, line: u32) -> bool {
        let line = self.text.lines().nth(line as usize - 1).unwrap_or_default();
        line.contains("[x]") || line.contains("[X]")
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

    fn said(&self) -> Vec<Said<'_>> {
        let mut under = None;
        let mut said = Vec::new();
        for part in &self.markdown.parts {
            match part {
                InlinePart::Heading(index) => {
                    under = self
                        .markdown
                        .outline
                        .headings
                        .get(*index)
                        .map(|heading| (heading.title.as_str(), heading.line));
                }
                InlinePart::Run(run) if !run.heading && !run.full.text.trim().is_empty() => {
                    said.push(Said { run, line: self.markdown.lines.line(run.full.source(0)), under });
                }
                _ => {}
            }
        }
        said
    }
}

/// Returns a line's label: what stands before its colon, or all of a short line in bold, which `Run` has without its marks.
fn label(line: &str) -> Option<&str> {
    let label = line.split([':', '：']).next().unwrap_or(line).trim();
    (label.split_whitespace().count() <= LONGEST_LABEL).then_some(label)
}

/// Returns whether a text says that there is nothing.
fn is_nothing(text: &str) -> bool {
    let words: Vec<String> = crate::markdown::words(text);
    words.is_empty() || NOTHING.contains(&words.join(" ").as_str())
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

/// Words that begin what a template asks for.
const ASKS: [&str; 16] = [
    "add",
    "author",
    "describe",
    "description",
    "enter",
    "explain",
    "fill",
    "insert",
    "list",
    "name",
    "placeholder",
    "replace",
    "summary",
    "title",
    "todo",
    "your",
];

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
    let asks = words.next().is_some_and(|first| ASKS.contains(&first.to_lowercase().as_str()));
    // One word in these brackets is a tag or a link.
    (asks && (!is_tag || words.next().is_some())).then_some(value)
}

fn quoted(text: &str) -> String {
    let flat: Vec<&str> = text.split_whitespace().collect();
    let flat = flat.join(" ");
    match flat.char_indices().nth(LONGEST_QUOTE) {
        Some((at, _)) => format!("{}…", &flat[..at]),
        None => flat,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn questions(text: &str) -> Vec<u32> {
        RootText::read(text).questions().into_iter().map(|(line, _)| line).collect()
    }

    #[test]
    fn questions_under_their_heading_are_open_until_they_are_answered() {
        let text = "# T\n\nText.\n\n## Open questions\n\n- How long?\n  More on it.\n- [x] Where?\n- [ ] Who?\n- ~~Why?~~\n\
                    - Resolved: by us.\n- None\n\nWhat else\n\n## Offene Fragen\n\nDiese sind offen:\n\n1. Wann?\n   - bald\n\n## Notes\n\nIs it?\n";
        assert_eq!(questions(text), [7, 10, 15, 21]);
        for none in ["None.", "N/A", "_No response_", "none so far", "-"] {
            assert_eq!(questions(&format!("## Open Questions\n\n{none}\n")), [0; 0], "{none}");
        }
    }

    #[test]
    fn a_word_for_what_is_to_be_decided_counts_where_a_value_stands() {
        for text in [
            "TBD",
            "Owner: TBD",
            "| a | TBD |\n|---|---|",
            "- limit - TBD",
            "The limit is TBD.",
            "Name (TBC)",
            "Size: ???",
            "Ends **TBA**",
        ] {
            let found = questions(text).len();
            assert_eq!(found, usize::from(text != "Ends **TBA**"), "{text}");
        }
        for text in [
            "Remove `TBD` everywhere",
            "Find the TBD markers",
            "the word \"TBD\"",
            "What???",
            "tbd",
            "```\nx: TBD\n```",
            "~~is TBD~~",
        ] {
            assert_eq!(questions(text), [0; 0], "{text}");
        }
    }

    #[test]
    fn places_of_a_template_count_where_they_stand_alone() {
        let places =
            |text: &str| RootText::read(text).placeholders().into_iter().map(|(line, _)| line).collect::<Vec<_>>();
        let text = "<describe the problem>\n\n- [your name here]\n\nTitle: {{ title }}\n\n- [ ] <add a test>\n";
        assert_eq!(places(text), [1, 3, 5, 7]);
        for text in [
            "**Owner:** <your name>",
            "- **Owner**: <your name>",
            "__Owner:__ *<your name>*",
            "Version: {{ version }}",
            "- *Release date:* {{release-date}}",
            "> Owner: {{ owner_name }}",
        ] {
            assert_eq!(places(text), [1], "{text}");
        }
        for text in [
            "Replace <your name> here.",
            "`<describe it>`",
            "```\n<describe the problem>\n```",
            "[add a test](x.md)",
            "<details>",
            "<summary>",
            "- [ ] add a test",
            "[title]",
            "{{ site.url }}",
            "{{ content }}",
            "image: {{ .Values.image }}",
            "Version: ${{ github.sha }}",
            "Name: {{ name | upper }}",
            "Name: {{ name() }}",
            "Name: `{{ name }}`",
            "```yaml\nname: {{ name }}\n```",
            "    name: {{ name }}",
            "The chart writes name: {{ name }} there.",
            "> […]",
            "<https://example.com/add>",
            "[...]",
        ] {
            assert_eq!(places(text), [0; 0], "{text}");
        }
    }

    #[test]
    fn criteria_are_a_heading_with_a_text_a_label_or_a_checklist() {
        let has = |text: &str| RootText::read(text).has_criteria();
        for text in [
            "## Acceptance criteria\n\n- It works.",
            "Text.\n\n**Acceptance criteria:**\n- It works.",
            "- [ ] It works.",
            "### Definition of Done\n\nIt works.",
            "## Akzeptanzkriterien\n\n- Es geht.",
            "## Expected behaviour\n\nIt works.",
        ] {
            assert!(has(text), "{text}");
        }
        for text in [
            "Text.",
            "## Acceptance criteria\n",
            "## Acceptance criteria\n\nNone\n\n## Notes\n\nText.",
            "## Goal\n\nText.",
        ] {
            assert!(!has(text), "{text}");
        }
        assert!(RootText::read("# T\n\n## Goal\n\n<!-- say it -->\n").is_empty());
        assert!(!RootText::read("# T\n\n- a\n").is_empty() && !RootText::read("```\nx\n```").is_empty());
    }
}
