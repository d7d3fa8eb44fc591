//! Texts in reStructuredText and MediaWiki as Markdown of the same lines: headings, code blocks and links.

use crate::model::RepoPath;

/// How long a link may be.
const MAX_LINK: usize = 1024;

/// Returns the text of a file as Markdown, if its extension names another markup.
///
/// A line stays on its line, so that places hold. What has no translation stays as it is.
pub(super) fn as_markdown(path: &RepoPath, text: String) -> String {
    let is_rst = path.extension().eq_ignore_ascii_case("rst");
    if !is_rst && !path.extension().eq_ignore_ascii_case("mediawiki") {
        return text;
    }
    let mut lines: Vec<MarkupLine> =
        text.split('\n').map(|text| MarkupLine { text: text.to_owned(), is_code: false }).collect();
    if is_rst {
        rst_blocks(&mut lines)
    } else {
        wiki_blocks(&mut lines)
    }
    let parts = lines.chunk_by(|a, b| a.is_code == b.is_code).map(|part| {
        let text = part.iter().map(|line| line.text.as_str()).collect::<Vec<_>>().join("\n");
        match part.first() {
            Some(MarkupLine { is_code: true, .. }) => text,
            _ if is_rst => rst_links(&text, path),
            _ => wiki_links(&text).replace("'''", "**").replace("''", "*"),
        }
    });
    parts.collect::<Vec<_>>().join("\n")
}

struct MarkupLine {
    text: String,
    is_code: bool,
}

impl MarkupLine {
    fn is_blank(&self) -> bool {
        self.text.trim().is_empty()
    }

    fn indent(&self) -> usize {
        self.text.len() - self.text.trim_start_matches(' ').len()
    }
}

/// Makes a fenced code block of the lines from `open` to `close`, which may be behind the last.
fn fence(lines: &mut [MarkupLine], (open, close): (usize, usize), indent: usize, language: &str) {
    let mark = format!("{}```", " ".repeat(indent.min(3)));
    for (at, line) in lines.iter_mut().enumerate().take(close + 1).skip(open) {
        line.is_code = true;
        if at == open {
            line.text = format!("{mark}{language}");
        } else if at == close {
            line.text.clone_from(&mark);
        }
    }
}

const CODE_DIRECTIVES: [&str; 4] = ["code-block", "code", "sourcecode", "parsed-literal"];

fn rst_blocks(lines: &mut [MarkupLine]) {
    let (mut at, mut shift) = (0, 0);
    while at < lines.len() {
        let bare = lines[at].text.trim().to_owned();
        let (indent, is_entry) = (lines[at].indent(), bare.starts_with("- ") || bare.starts_with("* "));
        let depth = indent + if is_entry { 2 } else { 0 };
        let directive = bare.strip_prefix(".. ").and_then(|directive| directive.split_once("::"));
        let language =
            directive.filter(|(name, _)| CODE_DIRECTIVES.contains(name)).map(|(_, language)| language.trim());
        let is_literal =
            directive.is_none() && bare.ends_with("::") && lines.get(at + 1).is_some_and(MarkupLine::is_blank);
        if (language.is_some() || is_literal)
            && let Some(close) = end_of_code(lines, at + 1, depth)
        {
            let has_text = is_literal && bare != "::";
            if has_text {
                let end = lines[at].text.trim_end().len();
                lines[at].text.truncate(end - 1);
            }
            fence(lines, (at + usize::from(has_text), close), depth, language.unwrap_or_default());
            at = close;
        } else if let Some((name, target)) = bare.strip_prefix(".. _").and_then(|rest| rest.split_once(": ")) {
            lines[at].text = format!("[{}]: {}", name.trim_matches('`'), target.trim());
        } else if !bare.is_empty() {
            // Text that is indented is none of Markdown's code.
            shift = if shift == 0 || indent <= 3 { indent.saturating_sub(3) } else { shift.min(indent - 3) };
            lines[at].text.replace_range(..shift, "");
        }
        at += 1;
    }
    underlined(lines);
}

/// Returns the blank line that ends the code from a line on, deeper than `depth`, or the number of lines if nothing follows.
fn end_of_code(lines: &[MarkupLine], from: usize, depth: usize) -> Option<usize> {
    let mut texts = (from..lines.len()).filter(|at| !lines[*at].is_blank());
    texts.next().filter(|first| lines[*first].indent() > depth)?;
    match texts.find(|at| lines[*at].indent() <= depth) {
        Some(next) => Some(next - 1).filter(|last| lines[*last].is_blank()),
        None => Some(lines.len()),
    }
}

/// Returns the character that a line consists of, if it can mark a heading.
fn mark(line: &str) -> Option<char> {
    let first = line.chars().next().filter(|c| "=-~^\"'`#*+.:_".contains(*c))?;
    (line.trim_end().len() > 2 && line.trim_end().chars().all(|c| c == first)).then_some(first)
}

/// Each new mark is one level deeper than those before it.
fn underlined(lines: &mut [MarkupLine]) {
    let mut known: Vec<(char, bool)> = Vec::new();
    for at in 1..lines.len() {
        let title = lines[at - 1].text.trim().to_owned();
        let is_text = !title.is_empty() && mark(&title).is_none() && !lines[at - 1].is_code && !lines[at].is_code;
        let Some(found) = mark(&lines[at].text).filter(|_| is_text) else { continue };
        let is_overlined = at > 1 && mark(&lines[at - 2].text) == Some(found);
        let is_short = title.chars().count() > lines[at].text.trim_end().len() + 2;
        if is_short || !is_overlined && lines[at - 1].indent() > 0 {
            continue;
        }
        let level = known.iter().position(|one| *one == (found, is_overlined)).unwrap_or_else(|| {
            known.push((found, is_overlined));
            known.len() - 1
        });
        let is_apart = at == 1 || lines[at - 2].is_blank();
        if is_apart && [(0, '='), (1, '-')].contains(&(level, found)) {
            continue; // It is one of Markdown too.
        }
        lines[at - 1].text = format!("{} {title}", "#".repeat((level + 1).min(6)));
        lines[at].text.clear();
        if is_overlined {
            lines[at - 2].text.clear();
        }
    }
}

/// Writes `` `text <target>`_ ``, `` :doc:`path` `` and roles that name the files of the folder as links.
fn rst_links(text: &str, path: &RepoPath) -> String {
    let (mut out, mut rest) = (String::with_capacity(text.len()), text);
    while let Some(at) = rest.find('`') {
        let (before, behind) = rest.split_at(at);
        let inner = behind.trim_start_matches('`');
        let ticks = &behind[..behind.len() - inner.len()];
        out.push_str(before);
        let paragraph = inner[..inner.floor_char_boundary(MAX_LINK)].split("\n\n").next().unwrap_or_default();
        let Some(end) = paragraph.find(ticks) else {
            out.push_str(ticks);
            rest = inner;
            continue;
        };
        let (content, after) = (&inner[..end], &inner[end + ticks.len()..]);
        let named = content.strip_suffix('>').and_then(|content| content.rsplit_once('<'));
        let (label, target) = named.map_or((content, content), |(label, target)| (label.trim_end_matches(' '), target));
        let role = before.strip_suffix(':').and_then(|before| before.rsplit_once(':')).map(|(_, role)| role);
        let is_reference = role.is_none() && after.starts_with('_');
        let file = match role {
            _ if ticks.len() > 1 => None,
            Some("doc") => Some(format!("{}.rst", target.trim_end_matches(".rst"))),
            Some(role) => numbered_file(role, target, path),
            None => named.filter(|_| is_reference).map(|(_, target)| target.split_whitespace().collect()),
        };
        rest = if is_reference { after.trim_start_matches('_') } else { after };
        match (file, role) {
            (Some(file), role) => {
                out.truncate(out.len() - role.map_or(0, |role| role.len() + 2));
                let number = role.filter(|role| *role != "doc" && named.is_none()).map(str::to_uppercase);
                let label = number.map_or(label.to_owned(), |name| format!("{name} {label}"));
                out += &format!("[{label}]({file}){}", "\n".repeat(target.matches('\n').count()));
            }
            (None, None) if is_reference => out += &format!("[{content}]"),
            _ => out += &format!("{ticks}{content}{ticks}"),
        }
    }
    out + rest
}

/// Returns the file beside `path` that `` :pep:`8` `` names in `pep-0621.rst`: `pep-0008.rst`.
fn numbered_file(role: &str, target: &str, path: &RepoPath) -> Option<String> {
    let (name, digits) = path.stem().rsplit_once('-').filter(|(name, _)| *name == role)?;
    let (number, anchor) = target.split_at(target.find('#').unwrap_or(target.len()));
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let width = digits.len();
    (is_number(digits) && is_number(number)).then(|| format!("{name}-{number:0>width$}.{}{anchor}", path.extension()))
}

fn wiki_blocks(lines: &mut [MarkupLine]) {
    let mut unfenced = 0;
    for at in 0..lines.len() {
        let bare = lines[at].text.trim().to_owned();
        let is_tag =
            at >= unfenced && !lines[at].is_code && bare.starts_with('<') && bare.find('>') == Some(bare.len() - 1);
        let name = bare.trim_matches(['<', '>']).split(' ').next().filter(|_| is_tag).unwrap_or_default();
        if ["pre", "source", "syntaxhighlight"].contains(&name) {
            let close = format!("</{name}>");
            // A text that stands on the line of a tag leaves no line for a fence.
            let end = (at + 1..lines.len()).find(|at| lines[*at].text.contains(&close)).unwrap_or(lines.len());
            unfenced = end;
            if lines.get(end).is_some_and(|line| line.text.trim() == close) {
                let language = bare.split_once("lang=\"").and_then(|(_, rest)| rest.split_once('"'));
                fence(lines, (at, end), 0, language.map_or("", |(language, _)| language));
            }
        } else if !lines[at].is_code {
            wiki_line(&mut lines[at].text);
        }
    }
}

fn wiki_line(line: &mut String) {
    let bare = line.trim_end();
    let level = bare.len() - bare.trim_start_matches('=').len();
    let inner = bare.get(level..bare.len().saturating_sub(level)).filter(|_| (1..=6).contains(&level));
    let entry = bare.trim_start_matches(['*', '#']);
    if let Some(title) = inner.filter(|title| !title.trim().is_empty() && bare.ends_with(&"=".repeat(level))) {
        *line = format!("{} {}", "#".repeat(level), title.trim());
    } else if let Some(depth) = (bare.len() - entry.len()).checked_sub(1) {
        let bullet = if bare[..=depth].ends_with('#') { "1." } else { "*" };
        *line = format!("{}{bullet} {}", "   ".repeat(depth), entry.trim_start());
    }
}

/// Writes `[[target|text]]` and `[url text]` as links.
fn wiki_links(text: &str) -> String {
    let (mut out, mut rest) = (String::with_capacity(text.len()), text);
    while let Some((before, behind)) = rest.split_once('[') {
        let line = behind[..behind.floor_char_boundary(MAX_LINK)].split('\n').next().unwrap_or_default();
        let (inner, close, separator) = match line.strip_prefix('[') {
            Some(inner) => (inner, "]]", '|'),
            None => (line, "]", ' '),
        };
        let found = inner.split_once(close).map(|(link, _)| link);
        let is_link = |link: &&str| link.contains("://") || close == "]]" && !link.contains(':');
        out.push_str(before);
        match found.filter(is_link) {
            Some(link) => {
                let (target, label) = link.split_once(separator).unwrap_or((link, link));
                out += &format!("[{}]({})", label.trim(), target.trim().replace(' ', "%20"));
                rest = &behind[line.len() - inner.len() + link.len() + close.len()..];
            }
            None => {
                out.push('[');
                rest = behind;
            }
        }
    }
    out + rest
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    #[test]
    fn texts_become_markdown_of_the_same_lines() {
        crate::model::cases::hold_blocks("markup.txt", |name, text| {
            let markdown = as_markdown(&RepoPath::new(name).unwrap(), text.to_owned());
            assert_eq!(markdown.lines().count(), text.lines().count(), "{name}");
            markdown
        });
    }
}
