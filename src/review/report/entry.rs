//! A pack as data for the page: its content, its faults and its rendering.

use crate::markdown;
use crate::model::{Digest, harmless_json, section_kind};
use crate::redact::invisible_at;
use crate::render;
use crate::review::explain::{Neighbour, explain};
use crate::review::{PackStatus, read, verify};
use crate::wire::{Pack, Section};
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeMap;

/// The hex digits of a text's digest that name it on the page.
const KEY_DIGITS: usize = 32;

/// Longer texts are shown as they are, in bytes.
const READABLE: usize = 60_000;

/// A pack on the page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageEntry {
    path: String,
    json: String,
    /// The contents of the sections by key. In `json` the keys replace them, since packs share most texts.
    texts: Vec<(String, SectionText)>,
    faults: Vec<String>,
}

/// Whether a pack is what a build gives now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Freshness {
    pub status: PackStatus,
    /// Why it is not fresh.
    pub reasons: Vec<String>,
}

/// An entry as the page's script reads it.
#[derive(Serialize, Default)]
struct PageData<'a> {
    path: &'a str,
    faults: &'a [String],
    pack: Option<&'a Pack>,
    edges: Vec<Neighbour>,
    rendering: Vec<PagePiece<'a>>,
    /// What is no pack, by its kind.
    #[serde(flatten)]
    view: BTreeMap<&'a str, Value>,
}

/// The content of a section as JSON, and as a tree where it is Markdown that a browser can show at once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SectionText {
    pub(super) json: String,
    pub(super) tree: Option<String>,
}

impl SectionText {
    fn of(section: &Section, text: &str) -> Self {
        let is_readable = is_markdown(section) && text.len() <= READABLE;
        Self { json: as_json(&text), tree: is_readable.then(|| as_json(&markdown::tree(text))) }
    }
}

/// Fields, cards and code are shown as they are.
fn is_markdown(section: &Section) -> bool {
    let extension =
        section.source.path.as_deref().and_then(|path| path.rsplit_once('.')).map(|(_, extension)| extension);
    match section.kind.as_str() {
        section_kind::WORK_ITEM_JSON | section_kind::CARD => false,
        section_kind::FILE_EXCERPT => {
            extension.is_some_and(|it| ["md", "markdown", "mdx"].contains(&it.to_ascii_lowercase().as_str()))
        }
        _ => true,
    }
}

/// A piece of a rendering; all pieces joined are the rendering.
#[derive(Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
enum PagePiece<'a> {
    /// Text between contents.
    Text(&'a str),
    /// The content of the section with this index.
    Section(usize),
}

impl PageEntry {
    /// Creates an entry from the file at `path`, valid or not.
    pub fn new(path: &str, bytes: &[u8]) -> Self {
        let faults = verify(bytes).violations;
        let pack = read(bytes).ok();
        let rendering = pack.as_ref().map(|pack| render::pack(pack).whole()).unwrap_or_default();
        let rendering = pack.as_ref().map(|pack| pieces(pack, &rendering)).unwrap_or_default();
        let mut shown = pack.clone();
        let mut texts = Vec::new();
        for section in shown.iter_mut().flat_map(|pack| &mut pack.sections) {
            let key = Digest::of(&section.content).short(KEY_DIGITS);
            let text = std::mem::replace(&mut section.content, key.clone());
            texts.push((key, SectionText::of(section, &text)));
        }
        let edges = pack.as_ref().map(|pack| explain(pack).edges).unwrap_or_default();
        let shown = shown.as_ref();
        let data = PageData { path, faults: &faults, edges, rendering, pack: shown, view: BTreeMap::new() };
        Self { path: path.to_owned(), json: as_json(&data), texts, faults }
    }

    /// Creates an entry from the `view` of a `talk`, a `batch` or an `inbox`, in which all texts are redacted, with what is wrong
    /// with its files.
    pub fn view(path: &str, kind: &str, view: Value, faults: Vec<String>) -> Self {
        Self::without_pack(path, BTreeMap::from([(kind, view)]), faults)
    }

    /// Creates an entry from something of which only its faults can be told.
    pub fn faulty(path: &str, faults: Vec<String>) -> Self {
        Self::without_pack(path, BTreeMap::new(), faults)
    }

    fn without_pack(path: &str, view: BTreeMap<&str, Value>, faults: Vec<String>) -> Self {
        let json = as_json(&PageData { path, faults: &faults, view, ..PageData::default() });
        Self { path: path.to_owned(), json, texts: Vec::new(), faults }
    }

    /// Returns its displayed path.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Returns the faults that verification found.
    pub fn faults(&self) -> &[String] {
        &self.faults
    }

    pub(super) fn json(&self) -> &str {
        &self.json
    }

    pub(super) fn texts(&self) -> impl Iterator<Item = (&str, &SectionText)> {
        self.texts.iter().map(|(key, text)| (key.as_str(), text))
    }
}

/// Returns a value as JSON that is harmless in HTML.
pub(super) fn as_json(value: &impl Serialize) -> String {
    // Strings, numbers, lists and maps with text keys can always be serialized.
    escaped(&serde_json::to_string(value).unwrap_or_default())
}

/// Splits a rendering into pieces, so that the page does not hold every content twice.
fn pieces<'a>(pack: &Pack, rendering: &'a str) -> Vec<PagePiece<'a>> {
    let mut pieces = Vec::new();
    let mut rest = rendering;
    for (number, section) in pack.sections.iter().enumerate().filter(|(_, section)| !section.content.is_empty()) {
        // The rendering trims the instructions, which may then be found as text only.
        if let Some(at) = rest.find(&section.content) {
            pieces.push(PagePiece::Text(&rest[..at]));
            pieces.push(PagePiece::Section(number));
            rest = &rest[at + section.content.len()..];
        }
    }
    pieces.push(PagePiece::Text(rest));
    pieces.retain(|piece| *piece != PagePiece::Text(""));
    pieces
}

/// Escapes JSON for HTML and for logs: tags, entities, and invisible or control characters become JSON escapes.
fn escaped(json: &str) -> String {
    let is_invisible = invisible_at(json);
    harmless_json(json, |at, c| matches!(c, '<' | '>' | '&') || is_invisible(at))
}
