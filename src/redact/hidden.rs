//! Hidden text: parts of Markdown by untrusted authors that readers of GitHub's page do not see or did not ask for.
//!
//! A text is read as Markdown and HTML. Visible text and its markup stay, and everything else is removed: [`markdown`]
//! checks all that no visible piece covers, so that an unknown form counts as hidden until it is known to be visible.

mod drawn;
mod html;
mod line_mapped_text;
mod markdown;
mod references;
mod target;
mod unparsed;

use super::advice;
use super::containment::{UNREADABLE, contained};
use super::redactor::{Redactor, Removal};
use super::rules::FindingLabel;
use crate::model::{Digest, RemovedLines};
use line_mapped_text::{HiddenRecords, LineMappedText};
use std::ops::Range;

/// The label of comments.
pub(super) static COMMENT: FindingLabel =
    FindingLabel { name: "hidden-comment", reason: "is a comment that nobody sees on the page", rank: 9 };

/// The label of images and frames.
pub(super) static IMAGE: FindingLabel = FindingLabel {
    name: "remote-image",
    reason: "is an image or a frame that would be loaded from elsewhere",
    rank: 9,
};

/// The label of all other hidden text.
pub(super) static HIDDEN: FindingLabel = FindingLabel {
    name: "hidden-text",
    reason: "is text that a reader of the page does not see: an unused definition, a title, an attribute or the like",
    rank: 9,
};

/// How many times a text is read again, since a removal may change how the rest reads. One that still changes then was
/// made for that, and is removed as a whole.
const MAX_ROUNDS: usize = 6;

/// A text without its hidden parts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VisibleText {
    /// The text; not scrubbed yet.
    pub text: String,
    /// The removals; the piece is 0, lines are those of the original text.
    pub removals: Vec<Removal>,
    /// The line ends that were removed with them.
    pub removed_lines: Vec<RemovedLines>,
}

/// A hidden part of a text.
#[derive(Debug)]
struct HiddenRange {
    range: Range<usize>,
    label: &'static FindingLabel,
    put: Replacement,
}

/// What replaces a hidden part.
#[derive(Debug, PartialEq, Eq)]
enum Replacement {
    /// A marker, so that the text before and the text after it cannot combine to something new.
    Marker,
    /// Nothing, where a marker would change what the rest means.
    Nothing,
    /// Another form without the hidden part.
    Text(String),
}

impl HiddenRange {
    fn marked(range: Range<usize>, label: &'static FindingLabel) -> Self {
        Self { range, label, put: Replacement::Marker }
    }

    fn silent(range: Range<usize>, label: &'static FindingLabel) -> Self {
        Self { range, label, put: Replacement::Nothing }
    }
}

impl Redactor {
    /// Removes the hidden parts and the remote images of Markdown by an untrusted author. The result is not scrubbed.
    ///
    /// Code is visible, and stays. `path` is compared with the entries of `redaction.allow`.
    pub fn visible_text(&self, path: &str, text: &str) -> VisibleText {
        let mut draft = LineMappedText::new(text);
        let mut records = HiddenRecords::new();
        for round in 0..=MAX_ROUNDS {
            let whole = |label| vec![HiddenRange::marked(0..draft.text.len(), label)];
            let mut edits = contained(|| markdown::hidden_ranges(&draft.text)).unwrap_or_else(|| whole(&UNREADABLE));
            edits.retain(|edit| !self.allows(path, edit.label, &draft.text[edit.range.clone()]));
            if edits.is_empty() {
                break;
            }
            if round == MAX_ROUNDS {
                edits = whole(&HIDDEN);
            }
            draft.apply(edits, &mut records);
        }
        let place = if records.is_empty() { None } else { self.printable_path(path) };
        let removals = records
            .into_iter()
            .map(|((line, _), (count, label))| Removal {
                piece: 0,
                line,
                rule: label.name.to_owned(),
                reason: label.reason.to_owned(),
                to_include: advice::to_include(label.name, place),
                count,
            })
            .collect();
        VisibleText { removed_lines: draft.removed_lines(), text: draft.text, removals }
    }

    /// Whether the user allows a finding: every part of an entry must match.
    fn allows(&self, path: &str, label: &FindingLabel, text: &str) -> bool {
        self.allow.iter().any(|entry| {
            entry.path.as_ref().is_none_or(|glob| glob.is_match(path))
                && entry.rule.as_deref().is_none_or(|rule| rule == label.name)
                && entry.sha256.as_ref().is_none_or(|wanted| Digest::of(text).hex().eq_ignore_ascii_case(wanted))
        })
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use crate::config;

    fn revealed(text: &str) -> (String, Vec<(u32, String, u32)>) {
        let redactor = Redactor::new(&config::load("contextpack.yml", None).unwrap().redaction);
        let found = redactor.visible_text("x.json", text);
        (found.text, found.removals.into_iter().map(|removal| (removal.line, removal.rule, removal.count)).collect())
    }

    const C: &str = "[REDACTED:hidden-comment]";
    const I: &str = "[REDACTED:remote-image]";
    const H: &str = "[REDACTED:hidden-text]";

    #[test]
    fn comments_become_markers_and_are_counted_at_their_line() {
        let (text, removals) =
            revealed("a <!-- b -->c\n\n<!-- d\n\ne --> f\n\n<?x y?>\n\n[//]: # (note)\n\n[n]: <> 'm'\ng <!-->\n");
        assert_eq!(text, format!("a {C}c\n\n{C} f\n\n{C}\n\n{C}\n\n{C}\ng {C}\n"));
        let lines: Vec<u32> = removals.iter().map(|(line, ..)| *line).collect();
        assert_eq!(lines, [1, 3, 7, 9, 11, 12]);
        assert!(removals.iter().all(|(_, rule, count)| rule == "hidden-comment" && *count == 1));
    }

    #[test]
    fn one_without_an_end_hides_the_rest_only_where_it_begins_a_block() {
        assert_eq!(revealed("a\n\n<!-- b\n\nc").0, format!("a\n\n{C}"));
        assert_eq!(revealed("a <!-- b\n\nc").0, "a <!-- b\n\nc");
        // In a paragraph `-->` is text, so the comment continues.
        assert_eq!(revealed("<div>\n<!--\n\nb\n\n-->\nc</div>").0, format!("<div>\n{C}"));
        assert_eq!(revealed("<div>\n<!--\n\nb\n\n<p>-->\nc</p>").0, format!("<div>\n{C}\nc</p>"));
        assert_eq!(revealed("x <!<!-- a -->-- b -->").0, format!("x <!{C}-- b -->"));
    }

    #[test]
    fn remote_images_are_taken_and_those_of_the_repo_stay() {
        let (text, removals) = revealed(
            "![a](https://x.org/1.png) [![b](//x.org/2)](https://x.org) ![c](docs/c.png) ![d][e]\n\n[e]: data:image/png;base64,AA\n\n<p><IMG alt='x' src=\"https://x.org\"></p>\n",
        );
        assert_eq!(text, format!("{I} [{I}](https://x.org) ![c](docs/c.png) {I}\n\n{H}\n\n<p>{I}</p>\n"));
        let removed = |line, rule: &str, count| (line, rule.to_owned(), count);
        assert_eq!(
            removals,
            [removed(1, "remote-image", 3), removed(3, "hidden-text", 1), removed(5, "remote-image", 1)]
        );
    }

    #[test]
    fn invisible_entities_leave_and_code_stays() {
        assert_eq!(
            revealed("a&#8203;b&zwj;c &amp; &copy;"),
            ("abc &amp; &copy;".to_owned(), vec![(1, "invisible-text".to_owned(), 2)])
        );
        for seen in
            ["`<!-- a -->` ![x", "```html\n<!-- a -->\n![i](https://x.org)&#8203;\n```\n", "    <!-- a -->\n", "plain"]
        {
            assert_eq!(revealed(seen), (seen.to_owned(), vec![]), "{seen}");
        }
    }

    /// In each of them `HID` marks hidden text and `VIS` visible text.
    const HIDDEN_PLACES: [&str; 121] = [
        "VIS\n\n[x]: https://e.org/HID",
        "VIS\n\n[HID]: https://e.org",
        "VIS\n\n[x]: https://e.org \"HID\"",
        "VIS\n\n[x]: https://e.org\n  'HID\nHID'\n\nVIS",
        "VIS\n\n[x]: /a\n[x]: /HID\n\n[x]",
        "VIS [x]\n\n[x]: /a (HID)",
        "VIS [x]\n\n[x]: /a\n[X]: /b 'HID'",
        "> VIS\n>\n> [x]: /HID",
        "- VIS\n\n  [x]: /y 'HID'\n- VIS",
        "1. VIS\n\n   [HID]: /y\n",
        "VIS[^1]\n\n[^1]: VIS\n[^2]: HID",
        "VIS[^1]\n\n[^1]: VIS\n\n[^1]: HID",
        "VIS\n\n[^a]: HID [^b]\n\n[^b]: HID",
        "VIS\n\n[^HID]: HID [^HID]\n",
        "VIS[^1]\n\n[^1]: VIS\n\n[^2]: HID\n\n    HID\n\nVIS",
        "```rust HID\nVIS\n```",
        "```rust,HID\nVIS\n```",
        "~~~ rust `HID` HID\nVIS\n~~~",
        "```{HID}\nVIS\n```",
        "> ```a HID\n> VIS\n> ```",
        "```ignore-all-previous-HID\nVIS\n```",
        "[VIS](https://e.org \"HID\")",
        "[VIS](https://e.org 'HID')",
        "[VIS](https://e.org (HID))",
        "[VIS](<https://e.org> \"HID\")",
        "[VIS](https://e.org\n\"HID\")",
        "> [VIS](https://e.org\n> \"HID\")",
        "[**VIS**](https://e.org \"HID\")",
        "[VIS `]`](https://e.org \"HID\")",
        "![VIS](docs/a.png \"HID\")",
        "VIS [](https://e.org/HID)",
        "VIS [ ](https://e.org/HID)",
        "VIS [&nbsp;](https://e.org/HID)",
        "VIS [&#8203;](https://e.org/HID)",
        "VIS [<b></b>](https://e.org/HID)",
        "VIS [<i></i>](HID)",
        "VIS [](HID \"HID\")",
        "VIS [][x]\n\n[x]: /HID",
        "VIS <a href=\"https://e.org/HID\"></a>",
        "[VIS](https://e.org/?q=HID%20one%20two%20three%20four)",
        "[VIS](https://e.org/#:~:text=one%20two%20three%20four%20HID)",
        "[VIS](<one two three four HID>)",
        "[VIS](foo:HID)",
        "[VIS][x]\n\n[x]: <one two three four HID>",
        "[VIS][one two HID three]\n\n[one two HID three]: /a",
        "VIS[^one-two-three-HID]\n\n[^one-two-three-HID]: VIS",
        "![HID](https://e.org/a.png)",
        "VIS ![HID](/o/r/raw/main/a.png)",
        "VIS ![HID](../../raw/main/a.png)",
        "VIS ![HID][i]\n\n[i]: /a.png 'HID'",
        "<b title=\"HID\">VIS</b>",
        "<a href=\"https://e.org\" title='HID'>VIS</a>",
        "<a href=\"https://e.org/?q=one+two+three+four+HID\">VIS</a>",
        "<div data-x=\"HID\">\nVIS\n</div>",
        "<div\n  style=\"HID\"\n  HID\n>VIS</div>",
        "> <div\n> HID=\"x\">\n> VIS\n> </div>",
        "<p HID>VIS</p>",
        "VIS <span aria-label=HID>VIS</span>",
        "<img src=\"docs/a.png\" alt=\"HID\"> VIS",
        "<img src=\"https://e.org/a.png\" alt=\"HID\"> VIS",
        "<img alt=HID src=//e.org> VIS",
        "<img alt=HID src=&#47;&#47;e.org> VIS",
        "<td HID=1>VIS</td>",
        "<div>VIS</b HID></div>",
        "<div>VIS</div HID>",
        "VIS <script>HID</script> VIS",
        "<script>\n\nHID\n</script>\n\nVIS",
        "<style>\nHID {}\n</style>\nVIS",
        "VIS\n\n<template>\n\nHID **HID**\n\n</template>\n\nVIS",
        "VIS <template><template></template>HID</template> VIS",
        "VIS <noscript>HID</noscript>",
        "VIS <textarea>HID</textarea>",
        "VIS <title>HID</title>",
        "VIS <select><option>HID</option></select>",
        "VIS <svg><text>HID</text></svg>",
        "<ruby>VIS<rp>HID</rp><rt>VIS</rt></ruby>",
        "VIS <HID> VIS",
        "VIS <ignore-HID a=\"HID\">VIS</ignore-HID>",
        "VIS <object data=x>HID</object>",
        "VIS <!-- HID --> VIS",
        "VIS <!-- > HID --> VIS",
        "VIS\n\n<!-- HID\n\nHID",
        "VIS <? HID ?> VIS",
        "VIS <!X HID> VIS",
        "VIS <![CDATA[HID]]> VIS",
        "<div>\nVIS\n</ HID>\n</div>",
        "<div>\nVIS <!HID>\n</div>",
        "<div>VIS<!--\n\nHID\n\nHID --> HID\n\n<p>--></p>\n\nVIS",
        "VIS\n\n<div title=\"\n\nHID",
        "VIS\n\n<div HID\n\nVIS",
        "<a href=x href=HID%20one%20two%20three%20four>VIS</a>",
        "| VIS | VIS |\n|-|-|\n| VIS | VIS | HID |",
        "| VIS |\n|-|\n| VIS | HID | HID |\n| VIS |",
        "> | VIS |\n> |-|\n> | VIS | HID |",
        "VIS\n| VIS |\n|-|\n| VIS | HID |",
        "> VIS\n> VIS | VIS\n> -|-\n> VIS | VIS | HID | HID |\n",
        "VIS <![CDATA[]HID]]> VIS",
        "VIS\n<!~ HID\nHID",
        "VIS $\\phantom{HID}$ VIS",
        "VIS $a\\hphantom{HID}b$",
        "VIS $$\\color{white}{HID}$$",
        "$$\n\\textcolor{white}{HID}\n$$\n\nVIS",
        "VIS $`\\phantom{HID}`$",
        "VIS $x % HID$",
        "VIS $\\def\\a{HID}$",
        "```math\n\\phantom{HID}\n```\nVIS",
        "```mermaid\ngraph TD\n%% HID\nA[VIS]\n```",
        "```mermaid\nsequenceDiagram\nA->>B: VIS # HID\n# HID\nproperties A: {\"x\": \"HID\"}\ndetails A: HID\n```",
        "```mermaid\njourney\n# HID\nsection VIS\n```",
        "```mermaid\ngantt\ntodayMarker stroke:HID\nexcludes HID\nsection VIS\n```",
        "```mermaid\ngraph TD\nA@{ shape: rect, note: \"HID\" }\nB[VIS]:::HID\n```",
        "```mermaid\nC4Context\nPerson(a, \"VIS\", $tags=\"HID\")\nUpdateElementStyle(a, $x=\"HID\")\n```",
        "```mermaid\nmindmap\n  VIS\n    ::icon(HID)\n```",
        "VIS $$\\begin{array}{HID}a\\end{array}$$",
        "VIS $$\\begin{aligned}[HID]a\\end{aligned}$$",
        "VIS $\\smash[HID]{a}$ and $\\cancel[HID]{b}$",
        "```mermaid\n%%{init: {\n'x': 'HID'\n}}%%\ngraph TD\nA[VIS] %% HID\nclick A \"https://e.org\" \"HID\"\n```",
        "```mermaid\n---\ntitle: HID\n---\ngraph TD\nA[VIS]\naccDescr {\nHID\n}\n```",
        "```geojson\n{\"HID\": 1}\n```\nVIS",
        "```STL\nsolid HID\n```\nVIS",
        "VIS <sub><sub><sub><sub title=HID>VIS</sub></sub></sub></sub>",
    ];

    #[test]
    fn what_is_not_seen_is_removed_and_counted_and_the_rest_stays() {
        let wrong = |text: &&&str| {
            let (left, removals) = revealed(text);
            let same = left.matches("VIS").count() == text.matches("VIS").count();
            left.contains("HID") || !same || removals.is_empty() || revealed(&left) != (left, vec![])
        };
        let wrong: Vec<_> = HIDDEN_PLACES.iter().filter(wrong).map(|text| (text, revealed(text))).collect();
        assert!(wrong.is_empty(), "{wrong:#?}");
    }

    /// What people write, and see.
    const HONEST: [&str; 36] = [
        "See [the docs](https://docs.example.org/a/b.html#c-d) and <https://e.org> or https://e.org/x?y=z.",
        "[one][1], [two][], [three] and [the guide][user guide]\n\n[1]: https://e.org/1\n[two]: /2\n[three]: <#3>\n[user guide]: docs/g.md\n",
        "Text[^1] and more[^note].\n\n[^1]: The *note* with [a link](x.md).\n\n    And more.\n\n[^note]: Another[^1].\n",
        "```rust\nfn main() { let x: Vec<String> = vec![]; } // <!-- a -->\n```",
        "~~~\n[x]: y 'z'\n~~~\n\n    indented <b title='x'>\n",
        "```c++\nint a;\n```\n```objective-c\n```\n```text/x-java\n```\n``` js\n```\n```\nplain\n```",
        "- [ ] a task\n- [x] done\n  - nested `code`\n\n1. one\n2. two\n10) ten\n",
        "| a | b |\n|:--|--:|\n| 1 | `x \\| y` |\n| 2 |\n",
        "@user and #12, GH-12, o/r#3, a1b2c3d :tada: :+1:",
        "# Title\n\nSetext\n======\n\nOther\n---\n\n***\n",
        "---\ntitle: x\n---\n",
        "> [!NOTE]\n> quoted **text** with `code`\n>\n> > deeper\n",
        "costs $5 (10%) and $6, or $HOME/data\\x and $PATH",
        "$x^2 + \\frac{a}{b} \\quad \\text{where } a > 0$ and $$\\sum_{i=0}^n \\hspace{1em} i$$",
        "```math\na \\% b \\hspace{1cm} c\n```",
        "```mermaid\nsequenceDiagram\n  A->>B: I #9829; you; see the plan\n  Note over A: details and links\n```",
        "A matrix $$\\begin{array}{c|lr}a&b&c\\end{array}$$ and $\\sqrt[3]{x}$ and $\\smash[b]{y}$ and $\\xrightarrow[under]{over}$",
        "```mermaid\ngraph TD\n  A[\"100%% sure\"] --> B{ok?}\n  subgraph one\n  C\n  end\n```",
        "<details>\n<summary>More</summary>\n\nText **bold**\n\n</details>",
        "<details open>\n<summary><b>x</b></summary>\n<pre><code>a &lt; b</code></pre>\n</details>\n",
        "press <kbd>Ctrl</kbd>+<kbd>C</kbd>, H<sub>2</sub>O, x<sup>2</sup><br>next<br/>line <u>under</u>",
        "<p align=\"center\"><a href=\"https://e.org/x\">link</a> <img src=\"docs/a.png\" width=\"100\"></p>",
        "<table><tr><td colspan=\"2\">a</td></tr></table>\n",
        "![alt text](docs/pic.png) [![x](a.png)](https://e.org)",
        "a < b && c > d, if (x<y) {} and x <- y, <3, ->, <=>",
        "\\[not a link\\](x) \\<b\\> \\`a\\` &amp; &lt;x&gt; &copy; &#x27;",
        "line one  \nline two\\\nline three\n\n\n* * *\n+ plus\n",
        "`code with <b title=\"x\"> and [a]: b`",
        "Traceback (most recent call last):\n  File \"a.py\", line 3\n",
        "[a](b.md#L10-L20) [c](../d/e.rs) [mail](mailto:a@e.org) [q](https://e.org/s?q=a+b&c=d)",
        "日本語の[リンク](https://e.org/日本)と**強調**。\n\n- 項目\n",
        "~~gone~~ _it_ __bold__ ***both*** https://e.org/a_b_c",
        "1986\\. A great year\n\n<br>\n\ntext",
        "[x] not a task, [y] neither: [z]:nothing",
        "Fixes #1\n\n```diff\n- a\n+ b\n```\n\n```suggestion\nx\n```",
        "### Steps\n1. Go to '...'\n2. Click on '....'\n\n**Expected**\nA clear.\n\n_No response_\n",
    ];

    #[test]
    fn what_is_seen_stays_as_it_was_written() {
        let changed: Vec<_> =
            HONEST.iter().filter(|text| revealed(text).0 != **text).map(|text| revealed(text)).collect();
        assert!(changed.is_empty(), "{changed:#?}");
    }

    #[test]
    fn removals_keep_the_rest_in_its_form() {
        for (text, left) in [
            ("[a](x \"t\") b", "[a](x) b".to_owned()),
            ("[a](<x> 't')", "[a](<x>)".to_owned()),
            ("[a][long label of words]\n\n[long label of words]: x.md 't'\n", format!("[a](x.md)\n\n{H}\n")),
            ("[a]\n\n[a]: x.md 't'\n\nb\n", "[a]\n\n[a]: x.md\n\nb\n".to_owned()),
            ("```rust a b\nc\n```", "```rust\nc\n```".to_owned()),
            ("<a title='t' href=\"x.md\">b</a>", "<a href=\"x.md\">b</a>".to_owned()),
            ("a[^x]\n\n[^x]: b\n[^y]: c\n\nd\n", format!("a[^x]\n\n[^x]: b\n{H}\n\nd\n")),
            ("|a|\n|-|\n|b|c d|\n", format!("|a|\n|-|\n|b|{H} d|\n").replace("] d|", "]|")),
            ("[a](https://e.org/b?c=do+this+and+that+now)", "[a](https://e.org/b)".to_owned()),
            ("a\n\n[x]: y\n\n\nb <x>\n", format!("a\n\n{H}\n\n\nb {H}\n")),
        ] {
            assert_eq!(revealed(text).0, left, "{text}");
        }
        let (_, removals) = revealed("a\n\n[x]: y\n 'z\n z'\n\nb\n[x](y 't')\n<!--\n\n-->\n<x>\n");
        let lines: Vec<u32> = removals.iter().map(|(line, ..)| *line).collect();
        assert_eq!(lines, [3, 8, 9, 12], "{removals:?}");
    }

    #[test]
    fn an_allowance_keeps_hidden_text() {
        let settings = "redaction: {allow: [{rule: hidden-text, path: x.json}]}\n";
        let redactor = Redactor::new(&config::load("contextpack.yml", Some(settings)).unwrap().redaction);
        let text = "a\n\n[x]: y 'z'\n\n<x>";
        assert_eq!(redactor.visible_text("x.json", text).text, text);
        assert_ne!(redactor.visible_text("y.json", text).text, text);
    }

    #[test]
    fn nothing_is_left_to_remove_from_hostile_texts() {
        for piece in [
            "<!--",
            "<!-- -->",
            "<img ",
            "![](",
            "[//]: # (",
            "<",
            "&#8203;",
            "<div>\n\n<!--\n\n",
            "[a]: b\n\n",
            "[a]: b 't'\n",
            "[](x)",
            "[x](y 't')",
            "<x>",
            "<sub>",
            "<template>",
            "</template>",
            "<div>\n<template>\n\n",
            "$\\phantom{$",
            "$x$ ",
            "|a|b|\n|-|\n|c|d|e|\n\n",
            "[^a]: b [^a]\n\n",
            "[^a]",
            "```a b\n```\n",
            "[a][b c d e]",
            "<a href=\"",
            "> [a]: b\n",
            "[x](a/b%20c%20d%20e%20f)",
            "```mermaid\n%% a\n",
            "<a b='",
            "- [a]: b\n  ",
            "`$`",
            "<div a=b\n\n",
        ] {
            let (left, _) = revealed(&piece.repeat(100_000 / piece.len()));
            assert_eq!(revealed(&left).1, [], "{piece}");
        }
    }
}
