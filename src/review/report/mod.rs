//! A page of packs for a browser: one HTML file that needs no network and no other file.
//!
//! Its sources are the files below `page/`. The content of packs enters it as JSON only; the page's own script, the only
//! one that its policy allows, shows it as text.

mod entry;

use entry::SectionText;
pub use entry::{Freshness, PageEntry};

use crate::model::escape_markup;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Serialize;
use sha2::{Digest as _, Sha256};
use std::collections::BTreeMap;

/// The template of the page, with placeholders `tag`, `begin`, `policy`, `style`, `data`, `freshness` and `script`.
const PAGE: &str = include_str!("page/page.html");

/// The page's style sheet.
const STYLE: &str = include_str!("page/page.css");

/// The page's script: the files in the order in which they use each other.
const SCRIPT: &str = concat!(
    include_str!("page/dom.js"),
    include_str!("page/markdown.js"),
    include_str!("page/changes.js"),
    include_str!("page/budget.js"),
    include_str!("page/graph.js"),
    include_str!("page/pack.js"),
    include_str!("page/work.js"),
    include_str!("page/overview.js"),
    include_str!("page/page.js"),
);

/// Returns the data of a page as JSON, in which markup and invisible characters are escaped: each text of a section once,
/// by key, with its Markdown as a tree, and each entry on a line.
pub fn report_data<'a>(entries: impl Iterator<Item = &'a PageEntry>) -> String {
    let mut texts = BTreeMap::new();
    let mut lines = Vec::new();
    for entry in entries {
        texts.extend(entry.texts());
        lines.push(entry.json());
    }
    let list = |of: &dyn Fn(&SectionText) -> Option<&String>| {
        let texts = texts.iter().filter_map(|(key, text)| Some(format!("\"{key}\":{}", of(text)?)));
        texts.collect::<Vec<_>>().join(",\n")
    };
    let (contents, trees) = (list(&|text| Some(&text.json)), list(&|text| text.tree.as_ref()));
    format!("{{\"texts\":{{\n{contents}\n}},\"trees\":{{\n{trees}\n}},\"packs\":[\n{}\n]}}", lines.join(",\n"))
}

/// Returns what changed of a served page as JSON: its new `tag`, the displayed paths of all entries in order, and those
/// entries that are `changed` in the form of [`report_data`].
pub fn report_changes<'a>(tag: &str, paths: &[&str], changed: impl Iterator<Item = &'a PageEntry>) -> String {
    let [tag, paths] = [entry::as_json(&tag), entry::as_json(&paths)];
    format!("{{\"tag\":{tag},\"paths\":{paths},\"changed\":{}}}", report_data(changed))
}

/// Where packs come from, for the heading of a page and its links to files.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct PageOrigin {
    /// `owner/name` on GitHub, or the name of the repo's folder.
    pub repo: String,
    /// The page of the repo on GitHub, if it is known.
    pub url: Option<String>,
    /// The commit of `HEAD`.
    pub commit: Option<String>,
}

/// Returns the freshness of the packs of `origin`, by displayed path, as JSON for a page.
pub fn report_freshness(origin: Option<&PageOrigin>, packs: &BTreeMap<&str, &Freshness>) -> String {
    entry::as_json(&serde_json::json!({ "origin": origin, "packs": packs }))
}

/// Returns the page that shows `data` from [`report_data`] and `freshness` from [`report_freshness`]; the same data gives
/// the same bytes.
///
/// A page with a `tag` is served: it asks the `packs.json` beside it for [`report_changes`] since the tag, and polls
/// `freshness.json`. It shows the entry with the path `begin` first, if there is one.
pub fn report_page(data: &str, freshness: &str, tag: Option<&str>, begin: Option<&str>) -> String {
    let mut page = String::with_capacity(PAGE.len() + STYLE.len() + SCRIPT.len() + data.len() + freshness.len() + 1024);
    // Only the template is searched for placeholders, never what replaces them.
    for (at, piece) in PAGE.split("{{").enumerate() {
        let (place, rest) = if at == 0 { ("", piece) } else { piece.split_once("}}").unwrap_or(("", piece)) };
        match place {
            "tag" => page.push_str(tag.unwrap_or_default()),
            "begin" => page.push_str(&escape_markup(begin.unwrap_or_default())),
            "policy" => page.push_str(&report_policy(tag.is_some())),
            "style" => page.push_str(STYLE),
            "script" => page.push_str(SCRIPT),
            "data" => page.push_str(data),
            "freshness" => page.push_str(freshness),
            _ => {}
        }
        page.push_str(rest);
    }
    page
}

/// Returns the `Content-Security-Policy` of the page.
///
/// It allows the page's own style and script only, no network except the page's origin if it is `served`, and no way to
/// turn text into markup.
pub fn report_policy(served: bool) -> String {
    let connect = if served { " connect-src 'self';" } else { "" };
    format!(
        "default-src 'none'; script-src 'sha256-{}'; style-src 'sha256-{}'; img-src data:;{connect} base-uri 'none'; \
         form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
        STANDARD.encode(Sha256::digest(SCRIPT)),
        STANDARD.encode(Sha256::digest(STYLE)),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_are_replaced_verbatim() {
        let page = report_page("{{script}}", "{}", None, None);
        assert_eq!(page.matches("{{").count(), 1, "the data is not searched for places");
        let holds = |start: &str, text: &str, end: &str| page.contains(&[start, text, end].concat());
        assert!(holds("<style>", STYLE, "</style>") && holds("<script>", SCRIPT, "</script>"));
        // Otherwise a browser would end them early, and their hashes would not match.
        assert!(!STYLE.contains("</") && !SCRIPT.contains("</") && !SCRIPT.contains("<!--"));
        assert!(!report_policy(false).contains("connect-src") && !report_policy(true).contains("unsafe"));
    }

    #[test]
    fn the_script_never_turns_text_into_markup_or_code() {
        for way in ["innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "Function(", "onclick"] {
            assert!(!SCRIPT.contains(way) && !PAGE.contains(way), "{way}");
        }
    }
}
