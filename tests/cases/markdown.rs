//! The cases of `tests/cases/markdown.yml`, and what must hold for hostile texts.
#![expect(clippy::unwrap_used, reason = "tests")]

use crate::markdown::front_matter::{front_matter, near_miss};
use crate::markdown::{InlinePart, KeyHeadings, MarkdownText, Outline, TextBlockKind, text_blocks};
use serde::Deserialize;
use std::collections::BTreeMap;

#[derive(Deserialize)]
struct Cases {
    texts: BTreeMap<String, BTreeMap<String, Vec<String>>>,
    titles: Vec<[Vec<String>; 3]>,
}

fn front(text: &str) -> Vec<String> {
    let found = front_matter(text).map(|it| {
        let (fields, body) = (&text[it.yaml], &text[it.body..]);
        format!("{}: {fields:?}, {}: {body:?}", it.yaml_line, it.body_line)
    });
    let near = || near_miss(text).map(|near| format!("{}: {}", near.line, near.why));
    found.or_else(near).into_iter().collect()
}

fn outline(text: &str) -> Vec<String> {
    let Outline { blocks, headings, .. } = Outline::read(text);
    let (mut end, mut line, mut found) = (0, 1, Vec::new());
    for block in &blocks {
        assert_eq!((block.range.start, block.line as usize), (end, line), "{text:?}");
        end = block.range.end;
        let source = &text[block.range.clone()];
        line += source.matches('\n').count();
        let kind = if block.prose { "prose".to_owned() } else { block.fence.clone().unwrap_or_default() };
        found.push(format!("{kind} {source:?}"));
    }
    assert_eq!(end, text.len(), "{text:?}");
    for (index, heading) in headings.iter().enumerate() {
        assert_eq!(blocks[heading.block].heading, Some(index));
        found.push(format!(
            "{}: {} {} #{}",
            heading.line,
            "#".repeat(heading.level.into()),
            heading.title,
            heading.anchor
        ));
    }
    found
}

fn parts(text: &str) -> Vec<String> {
    let show = |part: &InlinePart| match part {
        InlinePart::Heading(index) => format!("heading {index}"),
        InlinePart::Link { target, source } => format!("link {target} {source}"),
        InlinePart::Code(code) => format!("code {:?}", code.text),
        InlinePart::Tasks(tasks) => format!("tasks of {} parts", tasks.parts.len()),
        InlinePart::Run(run) | InlinePart::Html(run) if run.full.text == run.spoken.text => {
            format!("{:?}", run.full.text)
        }
        InlinePart::Run(run) | InlinePart::Html(run) => format!("{:?} {:?}", run.full.text, run.spoken.text),
    };
    MarkdownText::read(text).parts.iter().map(show).collect()
}

fn blocks(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    text_blocks(text, &mut |block| {
        let shown = match &block.kind {
            TextBlockKind::Row { cells, .. } => {
                cells.iter().map(|cell| &text[cell.clone()]).collect::<Vec<_>>().join("|")
            }
            _ => text[block.range.clone()].to_owned(),
        };
        let kind = match block.kind {
            TextBlockKind::Row { .. } => "Row".to_owned(),
            kind => format!("{kind:?}"),
        };
        let quoted = if block.quotation.is_some() { " in a quotation" } else { "" };
        let footnote = if block.is_footnote { " in a footnote" } else { "" };
        found.push(format!("{kind} {shown:?}{quoted}{footnote}"));
    });
    found
}

#[test]
fn texts_hold_what_the_cases_say() {
    let cases: Cases = serde_yaml::from_str(include_str!("markdown.yml")).unwrap();
    for (name, read) in
        [("front", front as fn(&str) -> Vec<String>), ("outline", outline), ("parts", parts), ("blocks", blocks)]
    {
        for (text, found) in &cases.texts[name] {
            assert_eq!(read(text), *found, "{name} of {text:?}");
        }
    }
    for [keys, meant, others] in cases.titles {
        let keys = KeyHeadings::new(&keys);
        meant.iter().for_each(|title| assert!(keys.contain(title), "{title}"));
        others.iter().for_each(|title| assert!(!keys.contain(title), "{title}"));
    }
}

#[test]
fn a_section_ends_at_the_next_heading_of_its_level() {
    let text = "# A\n\n## B\nb\n\n### C\nc\n\n## D\nd\n";
    let read = Outline::read(text);
    let section = |anchor| read.section(text.len(), anchor).map(|range| &text[range]);
    assert_eq!(section("b"), Some("## B\nb\n\n### C\nc\n\n"));
    assert_eq!(section("#D"), Some("## D\nd\n"));
    assert_eq!(section("a"), Some(text));
    assert_eq!(section("x"), None);
}

#[test]
fn blocks_tile_hostile_texts() {
    let pieces =
        ["[", "# a\n", "> ", "- ", "*a_", "`", "|a", "![", "<!--", "<a ", "~~", "\n\n", "a\n===\n", "&#", "[^1]: "];
    pieces.iter().for_each(|piece| drop(outline(&piece.repeat(100_000 / piece.len()))));
    outline(&"x".repeat(1 << 20));
}
