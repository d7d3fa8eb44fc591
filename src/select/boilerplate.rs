//! Text that is no context: lists of contents, badges, the definition of RFC 2119's key words, and the comments and markers of templates.

use crate::graph::Outline;

/// Titles of lists of contents.
const CONTENTS_TITLES: &str = "contents, table of contents, toc, index, in this document, on this page, inhalt, \
    inhaltsverzeichnis, sommaire, table des matières, contenido, contenidos, tabla de contenidos, índice, conteúdo, \
    sumário, 目次, 目录";

/// Parts of the addresses of badges.
const BADGE_ADDRESSES: &str = "shields.io badge codecov.io coveralls.io /actions/workflows/ travis-ci circleci.com \
    goreportcard.com";

/// Returns whether a block is a template's comment or marker: HTML comments and nothing else.
///
/// Readers on GitHub do not see these, so they are never part of a section.
pub(super) fn is_comment(block: &str) -> bool {
    let mut rest = block.trim();
    if !rest.starts_with("<!--") {
        return false;
    }
    while let Some(comment) = rest.strip_prefix("<!--") {
        let Some(end) = comment.find("-->") else { return false };
        rest = comment[end + 3..].trim_start();
    }
    rest.is_empty()
}

/// Returns the indices of the blocks that list the contents of their own text, hold badges alone, or say how to interpret
/// the key words of RFC 2119.
///
/// A list of contents is a list of which nearly every line is a link to an anchor, with the heading above it if that has
/// nothing else below it, or what `<!-- toc -->` and `<!-- tocstop -->` enclose.
pub(super) fn blocks(markdown: &Outline, text: &str) -> Vec<usize> {
    let mut found = Vec::new();
    let mut in_toc = false;
    for (index, block) in markdown.blocks.iter().enumerate() {
        let part = text.get(block.range.clone()).unwrap_or_default();
        if is_comment(part) {
            let comment = part.trim().trim_start_matches("<!--").trim().to_ascii_lowercase();
            let names_toc = ["toc", "table of contents", "doctoc", "/toc", "start doctoc", "mdtoc"];
            let ends = ["tocstop", "/toc", "end doctoc", "toc end", "end toc"];
            if ends.iter().any(|end| comment.starts_with(end)) {
                in_toc = false;
            } else if names_toc.iter().any(|name| comment.starts_with(name)) {
                in_toc = text[block.range.end..].contains("<!--");
            }
            continue;
        }
        if in_toc && block.heading.is_some() {
            // A heading ends a list of contents without a closing comment, unless it is the list's own.
            in_toc = block.heading.is_some_and(|heading| is_contents_title(&markdown.headings[heading].title));
        }
        if in_toc && block.heading.is_none() || is_contents(part) || is_badges(part) || is_key_words(part) {
            found.push(index);
        }
    }
    // The heading of a list of contents leaves with it.
    for index in found.clone() {
        if let Some(above) = index.checked_sub(1)
            && let Some(heading) = markdown.blocks[above].heading
            && is_contents_title(&markdown.headings[heading].title)
            && markdown.blocks.get(index + 1).is_none_or(|next| next.heading.is_some())
        {
            found.push(above);
        }
    }
    found.sort_unstable();
    found
}

fn is_contents_title(title: &str) -> bool {
    let words = crate::markdown::words(title).join(" ");
    CONTENTS_TITLES.split(", ").any(|title| title == words)
}

/// Returns whether a block is a list of links to anchors: three lines or more, nine of ten with nothing but such a link.
fn is_contents(block: &str) -> bool {
    if !block.contains("](#") {
        return false;
    }
    let (mut lines, mut links) = (0_usize, 0_usize);
    for line in block.lines().map(str::trim).filter(|line| !line.is_empty()) {
        lines += 1;
        links += usize::from(is_anchor_entry(line));
        // The first lines are enough to recognize prose.
        if lines == 8 && links < 4 {
            return false;
        }
    }
    links >= 3 && links * 10 >= lines * 9
}

/// Returns whether a line is `- [Title](#anchor)` with at most a short remark.
fn is_anchor_entry(line: &str) -> bool {
    let entry = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let entry = entry.trim_start_matches(['-', '*', '+', '.', ')']).trim_start();
    let Some((title, rest)) = entry.strip_prefix('[').and_then(|rest| rest.split_once("](#")) else { return false };
    let Some((_, after)) = rest.split_once(')') else { return false };
    title.len() <= 300 && after.trim().len() <= 20
}

/// Returns whether a block is the sentence that RFC 2119 asks for, which every reader of such texts knows.
fn is_key_words(block: &str) -> bool {
    const LONGEST: usize = 600;
    let block = block.trim_start();
    block.len() <= LONGEST
        && block.starts_with("The key words")
        && ["RFC 2119", "RFC2119"].iter().any(|rfc| block.contains(rfc))
}

/// Returns whether a block consists of linked or plain images alone, at least one of them of a badge service or a build.
fn is_badges(block: &str) -> bool {
    let mut rest = block.trim();
    let mut badges = 0;
    while !rest.is_empty() {
        let inner = rest.strip_prefix('[').filter(|inner| inner.starts_with("!["));
        let Some(image) = inner.unwrap_or(rest).strip_prefix("![") else { return false };
        let Some((_, target)) = image.split_once("](") else { return false };
        let Some((url, after)) = target.split_once(')') else { return false };
        let lower = url.to_ascii_lowercase();
        badges += usize::from(BADGE_ADDRESSES.split(' ').any(|part| lower.contains(part)));
        rest = after;
        if inner.is_some() {
            let Some((_, after)) = rest.strip_prefix("](").and_then(|link| link.split_once(')')) else { return false };
            rest = after;
        }
        rest = rest.trim_start();
    }
    badges > 0
}
