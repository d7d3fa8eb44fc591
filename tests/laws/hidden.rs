//! What a reader of the page does not see, outsiders cannot put into packs. The page is that of another parser of
//! Markdown and another of HTML.

use super::memory::cases;
use comrak::{Options, markdown_to_html};
use contextpack::internals::config;
use contextpack::internals::redact::Redactor;
use proptest::prelude::*;
use std::collections::{BTreeSet, HashSet};

/// The words on the page, where tags such as `<script>` are text or are read as HTML: GitHub's own description says the
/// first, and its page has shown both.
fn on_page(markdown: &str, tags_are_text: bool) -> BTreeSet<String> {
    let mut options = Options::default();
    options.extension.table = true;
    options.extension.tasklist = true;
    options.extension.strikethrough = true;
    options.extension.footnotes = true;
    options.extension.autolink = true;
    options.render.r#unsafe = true;
    let html = markdown_to_html(markdown, &options);
    let html = if tags_are_text { html.replace("<script", "&lt;script") } else { html };
    let none = HashSet::new();
    let mut page = ammonia::Builder::new();
    page.tags(HashSet::from([
        "a",
        "b",
        "blockquote",
        "br",
        "code",
        "del",
        "details",
        "div",
        "em",
        "h1",
        "h2",
        "hr",
        "i",
        "kbd",
        "li",
        "ol",
        "p",
        "pre",
        "span",
        "strong",
        "sub",
        "summary",
        "sup",
        "table",
        "tbody",
        "td",
        "th",
        "thead",
        "tr",
        "ul",
    ]));
    page.clean_content_tags(HashSet::from(["script", "style", "template"]));
    page.tag_attributes(Default::default()).generic_attributes(none).link_rel(None);
    let html = page.clean(&html).to_string();
    // No attribute is left, so that every `<` begins a tag that ends at the next `>`.
    let text: String = html
        .split('<')
        .enumerate()
        .map(|(at, part)| if at == 0 { part } else { part.split_once('>').map_or("", |(_, text)| text) })
        .collect::<Vec<_>>()
        .join(" ");
    words(&text)
}

fn words(text: &str) -> BTreeSet<String> {
    text.split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|word| word.starts_with('w') && word.len() > 1 && word[1..].bytes().all(|b| b.is_ascii_digit()))
        .map(str::to_owned)
        .collect()
}

fn revealed(text: &str) -> String {
    let redactor = Redactor::new(&config::load("contextpack.yml", None).unwrap().redaction);
    let revealed = redactor.visible_text("x.json", text);
    let again = redactor.visible_text("x.json", &revealed.text);
    assert_eq!(again.text, revealed.text, "twice is once: {text:?}");
    assert_eq!(revealed.removals.is_empty(), revealed.text == text, "{text:?}");
    revealed.text
}

#[test]
fn an_allowance_keeps_hidden_text() {
    let settings = "redaction: {allow: [{rule: hidden-text, path: x.json}]}\n";
    let redactor = Redactor::new(&config::load("contextpack.yml", Some(settings)).unwrap().redaction);
    let text = "a\n\n[x]: y 'z'\n\n<x>";
    assert_eq!(redactor.visible_text("x.json", text).text, text);
    assert_ne!(redactor.visible_text("y.json", text).text, text);
}

/// Numbers the words of a text. A dot parts those between which nothing is left.
fn numbered(text: &str) -> String {
    let mut parts = text.split('@');
    let mut out = parts.next().unwrap_or_default().to_owned();
    for (number, part) in parts.enumerate() {
        out += &format!("w{}.{part}", number + 1);
    }
    out
}

/// Pieces of Markdown that are whole; each `@` is a word.
const WHOLE: [&str; 40] = [
    "@ *@* **@** `@` ~~@~~ @",
    "[@](/x \"@\") @",
    "[*@*](</x> '@')",
    "[](/@) @ [ ](/x \"@\")",
    "[@][a] @\n\n[a]: /x \"@\"",
    "[b] @ [@]\n\n[b]: /x\n[b]: /@ '@'",
    "@\n\n[@]: /@ (@)",
    "@[^1] @\n\n[^1]: @ *@*",
    "@\n\n[^@]: @ @",
    "@[^2]\n\n[^2]: @\n\n[^3]: @",
    "```rust @ @\n@ [@](x \"@\") <b title=\"@\">\n```",
    "~~~\n@\n~~~",
    "    @ <!-- @ -->",
    "| @ | @ |\n|-|-|\n| @ | `@` | @ |\n| @ |",
    "<b title=\"@\">@</b> @",
    "<a href=\"/x\" data-x='@'>@</a>",
    "<div\n  class=\"@\">\n@ <i @>@</i>\n</div>",
    "<div>\n\n@ **@**\n\n</div @>",
    "<details @>\n<summary>@</summary>\n\n@\n\n</details>",
    "@ <!-- @ --> @",
    "<!-- @\n\n@ -->\n@",
    "@ <@> @",
    "@ <? @ ?> <!X @> <![CDATA[@]]> @",
    "<script>\n@\n\n@\n</script>\n\n@",
    "@ <script>@</script> @",
    "# @ #\n\n@\n===\n\n@\n---",
    "- @\n- [ ] @\n  - @\n\n1. @\n2. @",
    "> @\n> > @\n@",
    "@\\\n@  \n@",
    "\\[@\\](@) \\<b @\\> &lt;@&gt; &amp;@;",
    "<https://e.org/@> https://e.org/@ @",
    "@ &#8203; @ &nbsp; @",
    "***\n@\n___",
    "[@ <b title='@'>@</b>](/x)",
    "[@ `]` @](/x '@')",
    "[@\n@](/x\n'@')",
    "<pre><code>@\n\n@</code></pre>\n\n@",
    "<table><tr><td @>@</td></tr></table>",
    "![@](https://e.org/@ '@') [![@](https://e.org/@)](/x '@')",
    "@ $x$ $5 @ $@$",
];

/// The tokens of Markdown, and words.
const TOKENS: [&str; 65] = [
    "@",
    " @ ",
    "@ @",
    "\n",
    "\n\n",
    "\n",
    " ",
    "[",
    "]",
    "(",
    ")",
    "](/x ",
    "]: /x ",
    "[a]: /x ",
    "[a]",
    "[^1]",
    "[^1]: ",
    "!",
    "\"",
    "'",
    "<",
    ">",
    "</",
    "<b ",
    "<b>",
    "</b>",
    "<div ",
    "<div>",
    "</div>",
    "<!--",
    "-->",
    "<?",
    "?>",
    "<!",
    "]]>",
    "<![CDATA[",
    "`x`",
    "` ",
    "```rust\n",
    "```\n",
    "~~~ x @ \n",
    "|",
    "|-|\n",
    "| @ |",
    "\n|-|-|\n",
    "> ",
    "- ",
    "1. ",
    "    ",
    "\t",
    "*",
    "**",
    "_",
    "~~ ",
    "\\",
    "&amp;",
    "&#60;",
    "=",
    "# ",
    "---",
    "<script>",
    "</script>",
    "<x>",
    "<a href=\"/x\" ",
    "</a>",
];

fn whole() -> impl Strategy<Value = String> {
    let piece = (0..WHOLE.len(), 0..4_usize).prop_map(|(at, place)| {
        let (first, rest) = match place {
            0 => ("> ", "> "),
            1 => ("- ", "  "),
            _ => ("", ""),
        };
        let lines: Vec<String> = WHOLE[at]
            .lines()
            .enumerate()
            .map(|(line, text)| format!("{}{text}", if line == 0 { first } else { rest }))
            .collect();
        // A paragraph that ends what came before.
        lines.join("\n") + "\n\n@\n\n"
    });
    // Parsers differ in what they show of footnotes with one label.
    let own = |(at, piece): (usize, String)| piece.replace("[^", &format!("[^p{at}"));
    prop::collection::vec(piece, 1..5)
        .prop_map(move |pieces| numbered(&pieces.into_iter().enumerate().map(own).collect::<String>()))
}

fn soup() -> impl Strategy<Value = String> {
    prop::collection::vec(0..TOKENS.len(), 1..30)
        .prop_map(|tokens| numbered(&tokens.into_iter().map(|at| TOKENS[at]).collect::<String>()))
}

proptest! {
    #![proptest_config(cases(300))]

    #[test]
    fn what_is_not_on_the_page_is_removed_and_what_is_stays(text in whole()) {
        let (page, left) = (on_page(&text, false), words(&revealed(&text)));
        let unseen: Vec<_> = left.difference(&page).collect();
        prop_assert!(unseen.is_empty(), "{unseen:?} of {text:?} in {:?}", revealed(&text));
        let lost: Vec<_> = page.difference(&left).collect();
        prop_assert!(lost.is_empty(), "{lost:?} of {text:?} in {:?}", revealed(&text));
    }

    #[test]
    fn no_soup_of_marks_hides_a_word(text in soup()) {
        let (page, left) = (on_page(&text, true), words(&revealed(&text)));
        let unseen: Vec<_> = left.difference(&page).collect();
        prop_assert!(unseen.is_empty(), "{unseen:?} of {text:?} in {:?}", revealed(&text));
    }
}
