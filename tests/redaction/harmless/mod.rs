//! Texts without a secret, however much some of them look like one.

mod code;
mod digests;
mod placeholders;
mod prose;

use crate::random::Rng;

/// A kind of harmless text: its name, and templates of it.
pub(crate) type Harmless = (&'static str, &'static [&'static str]);

/// Returns all kinds.
pub(crate) fn all() -> Vec<Harmless> {
    [digests::DIGESTS, placeholders::PLACEHOLDERS, prose::PROSE, code::CODE].concat()
}

/// The places in which each text is tried, at `{}`.
static PLACES: [&str; 6] =
    ["{}", "Before.\n\n{}\n\nAfter.", "- {}", "> {}", "```\n{}\n```", "Note: {} (seen on Monday)"];

/// Makes some texts of a kind.
pub(crate) fn texts((name, templates): Harmless, seeds: usize) -> impl Iterator<Item = String> {
    let each = move |(template, seed): (&'static str, usize)| {
        let text = Rng::of(&[name, template], seed).fill(template);
        let places = if text.contains('\n') { &PLACES[..2] } else { &PLACES[..] };
        places[seed % places.len()].replace("{}", &text)
    };
    templates.iter().flat_map(move |template| (0..seeds).map(|seed| (*template, seed))).map(each)
}
