//! The tag name of frames, chosen so that no text inside can close them.

use std::borrow::Cow;
use std::collections::BTreeSet;

/// The tag name of a rendering's frames: the first of `section`, `section-2`, … that no text uses as a tag.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Tag(u32);

impl Default for Tag {
    fn default() -> Self {
        Self(1)
    }
}

impl Tag {
    /// Returns the first tag that none of `texts` opens or closes, upper or lower case.
    ///
    /// A text with `</section-2>` rules out both that name and the plain one.
    pub(super) fn for_texts<'a>(texts: impl Iterator<Item = &'a str>) -> Self {
        Self::free(texts.flat_map(|text| uses(text).filter_map(Iterator::last)).collect())
    }

    /// Returns a tag that is at least as long as the tag for any cuts of `texts`.
    ///
    /// A cut may fall between digits, so that `</section-12` becomes `</section-1`.
    pub(super) fn for_cuts_of<'a>(texts: impl Iterator<Item = &'a str>) -> Self {
        Self::free(texts.flat_map(|text| uses(text).flatten()).collect())
    }

    /// Returns the first number that is not in use; number 1 is the plain name, which every number in use rules out.
    fn free(mut used: BTreeSet<u32>) -> Self {
        if !used.is_empty() {
            used.insert(1);
        }
        let mut number = 1;
        while used.contains(&number) {
            number += 1;
        }
        Self(number)
    }

    pub(super) fn name(self) -> Cow<'static, str> {
        match self.0 {
            1 => "section".into(),
            number => format!("section-{number}").into(),
        }
    }
}

/// Returns the numbers of the tag names that follow `<` or `</` in `text`: for each name the numbers that a cut could
/// leave of it, then its own. The plain name is number 1.
fn uses(text: &str) -> impl Iterator<Item = impl Iterator<Item = u32>> {
    const NAME: &str = "section";
    text.match_indices('<').filter_map(|(at, _)| {
        let name = &text.as_bytes()[at + 1..];
        let name = name.strip_prefix(b"/").unwrap_or(name);
        let (word, rest) = name.split_at_checked(NAME.len())?;
        word.eq_ignore_ascii_case(NAME.as_bytes()).then(|| std::iter::once(1).chain(numbers_after(rest)))
    })
}

/// Returns the numbers that the digits after a `-` spell, from the first digit alone to all of them.
///
/// A number too large for a tag ends the sequence with 1: it rules out nothing but the plain name.
fn numbers_after(rest: &[u8]) -> impl Iterator<Item = u32> {
    let digits = rest.strip_prefix(b"-").unwrap_or_default();
    let mut number = Some(0_u32);
    digits.iter().take_while(|digit| digit.is_ascii_digit()).map_while(move |digit| {
        let before = number?;
        number = before.checked_mul(10).and_then(|ten| ten.checked_add(u32::from(digit - b'0')));
        Some(number.unwrap_or(1))
    })
}
