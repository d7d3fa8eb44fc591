//! A pack as the page gets it: what it says, what is wrong with it, and its rendering.

use crate::model::harmless_json;
use crate::render;
use crate::review::explain::{Neighbour, explain};
use crate::review::unseen::unseen_at;
use crate::review::{read, verify};
use crate::wire::Pack;
use serde::Serialize;

/// A pack on the page.
#[derive(Debug, Clone)]
pub struct PageEntry {
    json: String,
    faults: Vec<String>,
}

#[derive(Serialize)]
struct PageDiagnostic<'a> {
    path: &'a str,
    faults: &'a [String],
    pack: Option<&'a Pack>,
    edges: Vec<Neighbour>,
    rendering: Vec<PagePiece<'a>>,
}

/// A piece of a rendering; joined they are the whole.
#[derive(Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
enum PagePiece<'a> {
    /// A text of the rendering's own.
    Text(&'a str),
    /// The content of the section with this number.
    Section(usize),
}

impl PageEntry {
    /// The pack in `bytes`, valid or not; `path` is where it was found.
    pub fn new(path: &str, bytes: &[u8]) -> Self {
        let (_, faults) = verify(bytes);
        let pack = read(bytes).ok();
        let rendering = pack.as_ref().map(|pack| render::pack(pack).whole()).unwrap_or_default();
        let told = PageDiagnostic {
            path,
            faults: &faults,
            edges: pack.as_ref().map(|pack| explain(pack).edges).unwrap_or_default(),
            rendering: pack.as_ref().map(|pack| pieces(pack, &rendering)).unwrap_or_default(),
            pack: pack.as_ref(),
        };
        // Texts, numbers and lists of them always have a JSON.
        let json = escaped(&serde_json::to_string(&told).unwrap_or_default());
        Self { json, faults }
    }

    /// What is wrong with it; nothing where it is valid.
    pub fn faults(&self) -> &[String] {
        &self.faults
    }

    pub(super) fn json(&self) -> &str {
        &self.json
    }
}

/// The rendering in pieces, so that the page does not hold every content twice.
fn pieces<'a>(pack: &Pack, rendering: &'a str) -> Vec<PagePiece<'a>> {
    let mut pieces = Vec::new();
    let mut rest = rendering;
    for (number, section) in pack.sections.iter().enumerate().filter(|(_, section)| !section.content.is_empty()) {
        // Instructions lose the space at their end; they stand there as a text then.
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

/// JSON that means the same and can stand in HTML: nothing in it begins a tag or an entity, is there unseen, or is obeyed
/// by whoever reads the page as a log.
fn escaped(json: &str) -> String {
    let is_unseen = unseen_at(json);
    harmless_json(json, |at, c| matches!(c, '<' | '>' | '&') || is_unseen(at))
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    use crate::model::is_hidden;

    const PACK: &[u8] = include_bytes!("../../../tests/golden/minimal/packs/feat-greeting.coding.json");

    #[test]
    fn the_pieces_of_a_rendering_are_the_whole() {
        let pack = read(PACK).unwrap();
        let rendering = render::pack(&pack).whole();
        let pieces = pieces(&pack, &rendering);
        let joined: String = pieces
            .iter()
            .map(|piece| match piece {
                PagePiece::Text(text) => text,
                PagePiece::Section(number) => pack.sections[*number].content.as_str(),
            })
            .collect();
        assert_eq!(joined, rendering);
        assert!(pieces.iter().any(|piece| matches!(piece, PagePiece::Section(_))), "{pieces:?}");
    }

    #[test]
    fn nothing_in_the_json_is_markup_or_hidden_and_it_means_the_same() {
        let hostile = "</script><!-- &lt; \u{202e}\u{9b}\u{e0041} ü 日本";
        let json = escaped(&serde_json::to_string(hostile).unwrap());
        assert!(!json.contains(['<', '>', '&']) && !json.chars().any(is_hidden), "{json}");
        assert_eq!(serde_json::from_str::<String>(&json).unwrap(), hostile);
    }

    #[test]
    fn a_file_that_is_no_pack_has_its_faults_and_nothing_else() {
        let entry = PageEntry::new("packs/<x>.json", b"{\"title\": \"<b>\"");
        assert_eq!(entry.faults().len(), 1);
        let value: serde_json::Value = serde_json::from_str(entry.json()).unwrap();
        assert_eq!((&value["path"], &value["pack"]), (&"packs/<x>.json".into(), &serde_json::Value::Null));
    }
}
