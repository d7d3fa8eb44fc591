//! A pack's sections → Markdown (`markdown/2`), the form that an agent reads and that budgets measure.
//!
//! The grammar is in `docs/rendering.md`. It never changes under this name: a
//! different form gets a different name.

mod frame;
mod tag;

pub use frame::Form;
pub use frame::{Footer, Frame, LISTED, OmissionLine, Rendering, empty_frame, empty_pointers, render};
pub use tag::Tag;

use crate::model::{joined_instructions, section_kind};
use crate::wire;

/// Renders a finished pack in the form that it names, or in the current one if the name is unknown.
pub fn pack(pack: &wire::Pack) -> Rendering {
    let mut instructions = Vec::new();
    let mut frames = Vec::with_capacity(pack.sections.len());
    let places: Vec<String> = pack.sections.iter().map(|section| place(&section.source)).collect();
    for (section, place) in pack.sections.iter().zip(&places) {
        if is_instructions(section) {
            instructions.push(section.content.as_str());
            continue;
        }
        frames.push(Frame {
            id: &section.id,
            kind: &section.kind,
            source: place,
            trust: section.metadata.trust.as_deref().unwrap_or_default(),
            state: section.metadata.state.as_deref().or(section.metadata.status.as_deref()).unwrap_or_default(),
            content: &section.content,
            shortened: section.metadata.full_chars.is_some(),
            pointer: section.metadata.detail == "pointer",
        });
    }
    let places: Vec<String> = pack.omissions.iter().map(|omission| place(&omission.source)).collect();
    let left_out = pack.omissions.iter().zip(&places).map(|(omission, place)| OmissionLine {
        id: &omission.id,
        title: &omission.title,
        reason: &omission.reason,
        place,
        untrusted: omission.trust.as_deref() == Some("untrusted"),
    });
    let form = Form::named(&pack.budget.rendering).unwrap_or(Form::CURRENT);
    render(form, &joined_instructions(&instructions), &frames, left_out)
}

/// Returns whether a section comes before all frames: the instructions of a job are framed, and come last.
fn is_instructions(section: &wire::Section) -> bool {
    section.kind == section_kind::INSTRUCTIONS && ["instructions", "agent"].contains(&section.id.as_str())
}

/// Returns the sections at the beginning of a pack that all packs of its profile, and agent, have: instructions, overview and
/// pinned documents, until one is shortened.
pub fn shared(pack: &wire::Pack) -> impl Iterator<Item = &wire::Section> {
    let is_shared = |section: &&wire::Section| {
        let is_framed = section.kind == section_kind::OVERVIEW || section.provenance == "pinned";
        is_instructions(section) || is_framed && section.metadata.detail == "full"
    };
    pack.sections.iter().take_while(is_shared)
}

/// Splits the context of a pack, as rendered, behind what it [shares](shared).
pub fn split_shared<'r>(pack: &wire::Pack, rendering: &'r Rendering) -> (&'r str, &'r str) {
    let framed = shared(pack).filter(|section| !is_instructions(section)).count();
    let end = framed.checked_sub(1).and_then(|last| rendering.frame_ends.get(last));
    rendering.context.split_at(end.copied().unwrap_or(0))
}

/// Returns where a text can be read: `path:first-last`, else its URL, else its id.
pub fn place(source: &wire::SectionSource) -> String {
    let Some(path) = &source.path else {
        return source.url.clone().or_else(|| source.id.clone()).unwrap_or_default();
    };
    match (source.lines, &source.anchor) {
        (Some([first, last]), _) if first == last => format!("{path}:{first}"),
        (Some([first, last]), _) => format!("{path}:{first}-{last}"),
        (None, Some(anchor)) => format!("{path}#{anchor}"),
        (None, None) => path.clone(),
    }
}
