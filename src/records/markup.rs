//! Headings of reStructuredText and MediaWiki as those of Markdown, line by line, so that all else keeps its place.

use std::borrow::Cow;

/// Returns a text with the headings of Markdown, by the extension of its file.
pub(super) fn with_headings<'t>(text: &'t str, extension: &str) -> Cow<'t, str> {
    let mut lines: Vec<Cow<'_, str>> = text.split('\n').map(Cow::Borrowed).collect();
    match extension {
        "rst" => underlined(&mut lines),
        "mediawiki" => lines.iter_mut().for_each(wiki_line),
        _ => return Cow::Borrowed(text),
    }
    Cow::Owned(lines.join("\n"))
}

/// Returns the character that a line consists of, if it can mark a heading.
fn mark(line: &str) -> Option<char> {
    let first = line.chars().next().filter(|c| "=-~^\"'`#*+.:_".contains(*c))?;
    (line.trim_end().len() > 2 && line.trim_end().chars().all(|c| c == first)).then_some(first)
}

/// Each new mark is one level deeper than those before it.
fn underlined(lines: &mut [Cow<'_, str>]) {
    let mut known: Vec<(char, bool)> = Vec::new();
    for at in 1..lines.len() {
        let title = lines[at - 1].trim().to_owned();
        let Some(found) = mark(&lines[at]).filter(|_| !title.is_empty() && mark(&title).is_none()) else { continue };
        let is_overlined = at > 1 && mark(&lines[at - 2]) == Some(found);
        if !is_overlined && lines[at - 1].starts_with(' ') || title.chars().count() > lines[at].trim_end().len() + 2 {
            continue;
        }
        let level = known.iter().position(|one| *one == (found, is_overlined)).unwrap_or_else(|| {
            known.push((found, is_overlined));
            known.len() - 1
        });
        lines[at - 1] = format!("{} {title}", "#".repeat((level + 1).min(6))).into();
        lines[at] = "".into();
        if is_overlined {
            lines[at - 2] = "".into();
        }
    }
}

fn wiki_line(line: &mut Cow<'_, str>) {
    let bare = line.trim_end();
    let level = bare.len() - bare.trim_start_matches('=').len();
    let inner = bare.get(level..bare.len().saturating_sub(level)).filter(|_| (1..=6).contains(&level));
    if let Some(title) = inner.filter(|title| !title.trim().is_empty() && bare.ends_with(&"=".repeat(level))) {
        *line = format!("{} {}", "#".repeat(level), title.trim()).into();
    } else if let Some(entry) = bare.strip_prefix('#') {
        // An entry of a numbered list would be a heading of Markdown.
        *line = format!("1. {}", entry.trim_start_matches('#').trim_start()).into();
    }
}
