//! Hidden parts of formulas, diagrams, maps and models, which the page draws rather than shows as text.

use regex::Regex;
use std::ops::Range;
use std::sync::LazyLock;

/// Commands of TeX whose arguments are not shown or cannot be read: they reserve space, remove colour, define, name or
/// overlay; and optional arguments and columns of tables with more than the letters that they take.
static UNSHOWN: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"\\(?:[hv]?phantom|color|textcolor|colorbox|fcolorbox|definecolor|pagecolor|[gex]?def|let|(?:re)?new(?:command|environment)|providecommand|Declare[A-Za-z]*|require|class|cssId|style|data|href|url|bbox|label|ref|eqref|mathchoice|mmlToken|math[rlc]lap|[rlc]lap|raise(?:box)?|lower|move(?:left|right)|mathmbox|(?:math|text)tip|toggle|ooalign|unicode|tooltip|hidewidth|rule|Rule|Space|makebox|mbox\s*\{\s*\}|verb|begingroup|catcode|special|includegraphics|hskip|vskip|mskip|kern|mkern|hss|vss|htmlData|htmlId|htmlClass|htmlStyle)(?:[^A-Za-z]|$)|\\(?:hspace|vspace|mspace)\*?\s*\{(?:[^}]{7,}|[^}]*[^}0-9a-z.\s])|\\(?:enclose|mathtoolsset)(?:[^A-Za-z]|$)|\\(?:smash|[bx]?cancel)\s*\[[^\]]*[A-Za-z]{2}|\\begin\s*\{[A-Za-z]*\*?\}\s*\[[^\]]*[A-Za-z]{2}|\\begin\s*\{(?:sub)?array\}\s*(?:\[[^\]]*\]\s*)?\{[^}]*[^}lcr|:\s]",
    )
    .ok()
});

/// Lines of Mermaid that draw nothing: comments, directives, descriptions, links, styles and settings.
static UNDRAWN: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"(?i)^\s*(?:%|#|acc(?:Title|Descr)\b|click\b|style\b|classDef\b|linkStyle\b|links?\b|callback\b|(?:properties|details)\b[^:]*:|(?:todayMarker|excludes|includes|tickInterval|axisFormat|dateFormat)\b|Update(?:Element|Rel)Style\b|::icon\b)",
    )
    .ok()
});

/// The parts of a line of Mermaid that are not drawn with the rest of it: data of nodes and edges, classes, and in C4 links, tags
/// and sprites.
static UNDRAWN_PART: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r#"@\{[^}]*(?:\}|$)|:::\s*\S.*|\$(?:tags|link|sprite)\s*=\s*(?:"[^"]*"?|[^,)]*)"#).ok()
});

/// A comment at the end of a statement of a sequence diagram: `#`, where it begins no entity such as `#9829;`.
static SEQUENCE_COMMENT: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"#(?:[A-Za-z0-9]+;)?").ok());

/// Whether a formula contains something that is not shown.
fn hides(formula: &str) -> bool {
    UNSHOWN.as_ref().is_none_or(|unshown| unshown.is_match(formula)) || comment(formula).is_some()
}

/// Finds the start of a comment of TeX that is not empty.
fn comment(formula: &str) -> Option<usize> {
    let mut escaped = false;
    for (at, c) in formula.char_indices() {
        if c == '%' && !escaped {
            let line = formula[at + 1..].lines().next().unwrap_or_default();
            if line.contains(char::is_alphanumeric) {
                return Some(at);
            }
        }
        escaped = c == '\\' && !escaped;
    }
    None
}

/// Finds the formulas of a paragraph that contain something that is not shown. `code` are its code spans, in order.
pub(super) fn formulas(text: &str, part: Range<usize>, code: &[Range<usize>]) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let bytes = text.as_bytes();
    // Code is a formula only between dollars: $`…`$.
    let is_formula = |span: &Range<usize>| {
        span.start > part.start && bytes[span.start - 1] == b'$' && bytes.get(span.end) == Some(&b'$')
    };
    let mut code = code.iter().peekable();
    let mut dollars: Vec<usize> = Vec::new();
    let mut at = part.start;
    while at < part.end {
        while code.next_if(|span| span.end <= at).is_some() {}
        if let Some(span) = code.peek()
            && span.start == at
            && !is_formula(span)
        {
            at = span.end;
            continue;
        }
        match bytes[at] {
            b'\\' if bytes.get(at + 1) == Some(&b'$') => at += 1,
            b'$' => dollars.push(at),
            _ => {}
        }
        at += 1;
    }
    // Any two neighbours may be the ends of a formula; those of `$$` are one end.
    let mut last: Option<usize> = None;
    for dollar in dollars {
        if let Some(start) = last
            && dollar > start + 1
        {
            let inner = &text[start + 1..dollar];
            let tight = !inner.starts_with(char::is_whitespace) && !inner.ends_with(char::is_whitespace);
            let display = start > 0 && bytes[start - 1] == b'$';
            let shown = match UNSHOWN.as_ref() {
                Some(unshown) => !unshown.is_match(inner) && !((tight || display) && comment(inner).is_some()),
                None => false,
            };
            if !shown {
                let from = if display && start > part.start { start - 1 } else { start };
                let to =
                    if bytes.get(dollar + 1) == Some(&b'$') && dollar + 1 < part.end { dollar + 2 } else { dollar + 1 };
                found.push(from..to);
            }
        }
        last = Some(dollar);
    }
    found
}

/// Finds the parts of a code block in `language` that its drawing does not show, within its content at `content`.
pub(super) fn undrawn(language: &str, text: &str, content: Range<usize>) -> Vec<Range<usize>> {
    match language.to_ascii_lowercase().as_str() {
        // A map or a model: nothing of it is read.
        "geojson" | "topojson" | "stl" => vec![content],
        "math" if hides(&text[content.clone()]) => vec![content],
        "mermaid" => mermaid(text, content),
        _ => Vec::new(),
    }
}

fn mermaid(text: &str, content: Range<usize>) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    let mut at = content.start;
    // An open construct ends with the line that ends so.
    let mut until: Option<&str> = None;
    let mut first = true;
    let drawing = text[content.clone()].lines().map(str::trim).find(|line| !line.is_empty() && !line.starts_with('%'));
    let is_sequence = drawing.is_some_and(|line| line.starts_with("sequenceDiagram"));
    for line in text[content].split_inclusive('\n') {
        let start = at;
        at += line.len();
        let bare = line.trim();
        let end = start + line.trim_end().len();
        if let Some(close) = until {
            found.push(start..end);
            if bare.ends_with(close) {
                until = None;
            }
            continue;
        }
        if first && bare == "---" {
            until = Some("---");
            found.push(start..end);
        } else if UNDRAWN.as_ref().is_none_or(|undrawn| undrawn.is_match(line)) {
            if bare.starts_with("%%{") && !bare.ends_with("}%%") {
                until = Some("}%%");
            } else if bare.to_ascii_lowercase().starts_with("accdescr") && bare.ends_with('{') {
                until = Some("}");
            }
            found.push(start..end);
        } else if let Some(comment) = line.find(" %%").or_else(|| line.find("\t%%"))
            && line[..comment].matches('"').count().is_multiple_of(2)
        {
            found.push(start + comment + 1..end);
        } else {
            found.extend(undrawn_parts(line, is_sequence).map(|part| start + part.start..(start + part.end).min(end)));
        }
        first &= bare.is_empty();
    }
    found.retain(|range| !range.is_empty());
    found
}

/// Finds the parts of a line that are not drawn.
fn undrawn_parts(line: &str, is_sequence: bool) -> impl Iterator<Item = Range<usize>> {
    let comment = SEQUENCE_COMMENT.as_ref().filter(|_| is_sequence);
    let comment = comment.and_then(|comment| comment.find_iter(line).find(|found| found.as_str() == "#"));
    let before = comment.map_or(line.len(), |comment| comment.start());
    let parts = UNDRAWN_PART.as_ref().map(|part| part.find_iter(&line[..before]).map(|found| found.range()));
    parts.into_iter().flatten().chain(comment.map(|comment| comment.start()..line.len()))
}
