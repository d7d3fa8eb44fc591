//! Packs on a page for a browser: one HTML file that needs no network and no other file.
//!
//! The page is the files below `page/`. What packs say goes in as JSON alone, and the page's own script, the only one
//! that its policy lets run, puts it where it is seen as text.

mod entry;

pub use entry::PageEntry;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest as _, Sha256};

/// The page with a place for each of `tag`, `policy`, `style`, `data` and `script`.
const PAGE: &str = include_str!("page/page.html");

/// How it looks.
const STYLE: &str = include_str!("page/page.css");

/// What it does: one script out of files, each of which uses those before it.
const SCRIPT: &str = concat!(
    include_str!("page/dom.js"),
    include_str!("page/budget.js"),
    include_str!("page/graph.js"),
    include_str!("page/pack.js"),
    include_str!("page/page.js"),
);

/// The data of a page: JSON, with every sign that HTML or a reader's eyes could take for something else as an escape.
pub fn report_data<'a>(entries: impl Iterator<Item = &'a PageEntry>) -> String {
    let entries: Vec<&str> = entries.map(PageEntry::json).collect();
    format!("{{\"packs\":[\n{}\n]}}", entries.join(",\n"))
}

/// The page that shows `data`, which [`report_data`] made. The same data gives the same bytes.
///
/// With a `tag` it is one that is served: it asks again and again for a `packs.json` beside it with another tag than
/// this.
pub fn report_page(data: &str, tag: Option<&str>) -> String {
    let mut page = String::with_capacity(PAGE.len() + STYLE.len() + SCRIPT.len() + data.len() + 1024);
    // What is put in is never searched for places itself.
    for (at, piece) in PAGE.split("{{").enumerate() {
        let (place, rest) = if at == 0 { ("", piece) } else { piece.split_once("}}").unwrap_or(("", piece)) };
        match place {
            "tag" => page.push_str(tag.unwrap_or_default()),
            "policy" => page.push_str(&report_policy(tag.is_some())),
            "style" => page.push_str(STYLE),
            "script" => page.push_str(SCRIPT),
            "data" => page.push_str(data),
            _ => {}
        }
        page.push_str(rest);
    }
    page
}

/// The `Content-Security-Policy` of the page: its own style and script and nothing else, no network but, where it is
/// `served`, where it came from, and no way to make markup of a text.
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
    fn what_is_put_in_stands_there_as_it_is() {
        let page = report_page("{{script}}", None);
        assert_eq!(page.matches("{{").count(), 1, "the data is not searched for places");
        let holds = |start: &str, text: &str, end: &str| page.contains(&[start, text, end].concat());
        assert!(holds("<style>", STYLE, "</style>") && holds("<script>", SCRIPT, "</script>"));
        // Else a browser would end them elsewhere, and their hashes would be others.
        assert!(!STYLE.contains("</") && !SCRIPT.contains("</") && !SCRIPT.contains("<!--"));
        assert!(!report_policy(false).contains("connect-src") && !report_policy(true).contains("unsafe"));
    }

    #[test]
    fn the_script_makes_no_markup_and_no_code_of_texts() {
        for way in ["innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "Function(", "onclick"] {
            assert!(!SCRIPT.contains(way) && !PAGE.contains(way), "{way}");
        }
    }
}
