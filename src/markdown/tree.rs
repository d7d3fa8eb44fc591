//! Markdown → a tree for a browser: what a reader sees, as data and never as markup.

use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};
use serde::Serialize;

/// Elements that are nested deeper than this leave their text in the innermost one.
const DEEPEST: usize = 24;

/// A part of a text: text, or an element with its name, its attribute and its parts.
#[derive(Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum TreeNode {
    Text(String),
    Element(&'static str, String, Vec<TreeNode>),
}

/// Returns what a reader sees of a text. Names are those of HTML; the attribute is the target of a link or an image, the
/// first number of a list, the language of code, and `done` or `to do` for a box. HTML is text.
pub fn tree(text: &str) -> Vec<TreeNode> {
    let options = Options::ENABLE_TABLES
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_GFM;
    let mut builder = MarkdownTree { open: vec![("", String::new(), Vec::new())], flattened: 0 };
    for event in Parser::new_ext(text, options) {
        match event {
            Event::Start(tag) => builder.start(tag),
            Event::End(end) => builder.end(end),
            Event::Code(text) => {
                builder.put(TreeNode::Element("code", String::new(), vec![TreeNode::Text(text.into_string())]))
            }
            Event::SoftBreak => builder.text("\n"),
            Event::HardBreak => builder.put(TreeNode::Element("br", String::new(), Vec::new())),
            Event::Rule => builder.put(TreeNode::Element("hr", String::new(), Vec::new())),
            Event::TaskListMarker(is_done) => {
                let state = if is_done { "done" } else { "to do" };
                builder.put(TreeNode::Element("box", state.to_owned(), Vec::new()));
            }
            Event::FootnoteReference(name) => builder.text(&format!("[^{name}]")),
            Event::Text(text) | Event::Html(text) | Event::InlineHtml(text) => builder.text(&text),
            Event::InlineMath(text) | Event::DisplayMath(text) => builder.text(&text),
        }
    }
    builder.open.pop().map(|(_, _, parts)| parts).unwrap_or_default()
}

struct MarkdownTree {
    /// The elements around the next part, the whole text first.
    open: Vec<(&'static str, String, Vec<TreeNode>)>,
    /// How many elements are open that are too deep to be kept.
    flattened: usize,
}

impl MarkdownTree {
    fn put(&mut self, node: TreeNode) {
        if let Some((_, _, parts)) = self.open.last_mut() {
            parts.push(node);
        }
    }

    fn text(&mut self, more: &str) {
        match self.open.last_mut().and_then(|(_, _, parts)| parts.last_mut()) {
            Some(TreeNode::Text(text)) => text.push_str(more),
            _ => self.put(TreeNode::Text(more.to_owned())),
        }
    }

    fn start(&mut self, tag: Tag<'_>) {
        if self.open.len() > DEEPEST {
            self.flattened += 1;
            return;
        }
        let attribute = match &tag {
            Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. } => dest_url.to_string(),
            Tag::List(Some(first)) => first.to_string(),
            Tag::CodeBlock(CodeBlockKind::Fenced(info)) => {
                info.split_whitespace().next().unwrap_or_default().to_owned()
            }
            _ => String::new(),
        };
        let name = match tag {
            Tag::Heading { level, .. } => ["h1", "h2", "h3", "h4", "h5", "h6"][level as usize - 1],
            Tag::BlockQuote(_) => "blockquote",
            Tag::CodeBlock(_) => "pre",
            Tag::List(Some(_)) => "ol",
            Tag::List(None) => "ul",
            Tag::Item => "li",
            Tag::Table(_) => "table",
            Tag::TableHead | Tag::TableRow => "tr",
            Tag::TableCell => "td",
            Tag::Emphasis => "em",
            Tag::Strong => "strong",
            Tag::Strikethrough => "del",
            Tag::Link { .. } => "a",
            Tag::Image { .. } => "img",
            _ => "p",
        };
        self.open.push((name, attribute, Vec::new()));
    }

    fn end(&mut self, end: TagEnd) {
        if self.flattened > 0 {
            self.flattened -= 1;
            // Texts of flattened blocks do not run into each other.
            if !matches!(end, TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough | TagEnd::Link | TagEnd::Image)
            {
                self.text("\n");
            }
        } else if self.open.len() > 1
            && let Some((name, attribute, parts)) = self.open.pop()
        {
            self.put(TreeNode::Element(name, attribute, parts));
        }
    }
}
