//! Characters that a person does not see but a machine reads.

use super::rules::FindingLabel;
use regex::Regex;
use std::ops::Range;
use std::sync::LazyLock;

/// The label of deleted characters.
pub(super) static INVISIBLE: FindingLabel = FindingLabel {
    name: "invisible-text",
    reason: "holds characters that a reader does not see: controls, text direction marks or other invisible code points",
    rank: 9,
};

/// Returns a test whether an invisible character begins at a byte offset of `text`.
pub fn invisible_at(text: &str) -> impl Fn(usize) -> bool + use<> {
    let places = invisible(text);
    move |at| places.binary_search_by_key(&at, |place| place.start).is_ok()
}

/// Finds the invisible characters in `text`, in order, one range each.
///
/// Joiners and variation selectors stay where writing needs them, one at a place: between the parts of an emoji, after
/// letters of scripts that join, and after characters of which Unicode has variants.
pub fn invisible(text: &str) -> Vec<Range<usize>> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(next) = next_odd(bytes, at) {
        let Some(c) = text[next..].chars().next() else {
            break;
        };
        at = next + c.len_utf8();
        if c == '\u{1F3F4}' {
            at += flag(&text[at..]);
        } else if c == '\u{1b}' {
            at += control_sequence(&bytes[at..]);
            found.push(next..at);
        } else if is_invisible(c) && !is_needed(text, next, c) {
            found.push(next..at);
        }
    }
    found
}

/// Returns the length of what follows the escape character of a control sequence of a terminal, `[1;31m`, else 0. What is
/// left of one without the escape character would separate a secret from its name.
fn control_sequence(rest: &[u8]) -> usize {
    const LONGEST: usize = 24;
    let Some(parameters) = rest.strip_prefix(b"[") else { return 0 };
    let length = parameters.iter().take(LONGEST).take_while(|b| matches!(b, b'0'..=b'9' | b';' | b'?' | b':')).count();
    if parameters.get(length).is_some_and(u8::is_ascii_alphabetic) { length + 2 } else { 0 }
}

/// Finds the next byte at or after `from` that is neither printable ASCII nor a line end nor a tab.
fn next_odd(bytes: &[u8], from: usize) -> Option<usize> {
    let odd = |b: &u8| (*b < 0x20 && *b != b'\n' && *b != b'\t') || *b >= 0x7f;
    let mut at = from;
    // Whole blocks first: without an early exit inside, the check of a block runs many bytes at a time.
    while let Some(block) = bytes.get(at..at + 64) {
        if block.iter().fold(false, |any, b| any | odd(b)) {
            break;
        }
        at += 64;
    }
    bytes[at..].iter().position(odd).map(|offset| at + offset)
}

/// Whether `c` is invisible unless its neighbours need it.
pub(super) fn is_invisible(c: char) -> bool {
    matches!(c,
        '\0'..='\u{8}' | '\u{b}'..='\u{1f}' | '\u{7f}'..='\u{9f}' | '\u{ad}' | '\u{34f}' | '\u{61c}'
        | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}'
        | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}'
        | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

/// Whether `c` at `at` changes how its neighbours look.
fn is_needed(text: &str, at: usize, c: char) -> bool {
    let mut before = text[..at].chars().rev();
    let previous = before.next();
    let mut after = text[at + c.len_utf8()..].chars();
    let next = after.next();
    match c {
        // Text or emoji: one selector, directly after a character that has both forms.
        '\u{fe0e}' | '\u{fe0f}' => match previous {
            Some('0'..='9' | '#' | '*') => next == Some('\u{20e3}'),
            Some(base) => is_emoji(base),
            None => false,
        },
        '\u{fe00}'..='\u{fe02}' => previous.is_some_and(|base| has_variants(base, c)),
        // Registered ideographic variants stay far below the last of the 240 selectors.
        '\u{e0100}'..='\u{e011f}' => previous.is_some_and(is_ideograph),
        '\u{180b}'..='\u{180d}' | '\u{180f}' => previous.is_some_and(is_mongolian),
        '\u{180e}' => previous.is_some_and(is_mongolian) && next.is_some_and(is_mongolian),
        '\u{200d}' => match previous {
            Some('\u{fe0f}' | '\u{1f3fb}'..='\u{1f3ff}') => {
                next.is_some_and(is_pictograph) && before.next().is_some_and(is_pictograph)
            }
            Some(base) => (is_pictograph(base) && next.is_some_and(is_pictograph)) || joins(base),
            None => false,
        },
        '\u{200c}' => previous.is_some_and(joins) && next.is_some_and(|c| joins(c) || c.is_whitespace()),
        _ => false,
    }
}

/// Returns the length of the tags that make a black flag one of the three regional flags, else 0.
fn flag(rest: &str) -> usize {
    const REGIONS: [&str; 3] = ["gbeng", "gbsct", "gbwls"];
    let tags: Vec<char> = rest.chars().take(6).collect();
    let region: String =
        tags.iter().take(5).filter_map(|tag| char::from_u32((*tag as u32).checked_sub(0xe0000)?)).collect();
    let whole = tags.last() == Some(&'\u{e007f}') && REGIONS.contains(&region.as_str());
    if whole { tags.iter().map(|tag| tag.len_utf8()).sum() } else { 0 }
}

/// Whether `c` may be shown as text and as an emoji; digits are only part of one.
fn is_emoji(c: char) -> bool {
    static EMOJI: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"^[\p{Emoji}--[0-9#*]]$").ok());
    is_one_of(c, &EMOJI)
}

/// Whether `c` may be joined to another of its kind in one emoji.
fn is_pictograph(c: char) -> bool {
    static PICTOGRAPH: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"^\p{Extended_Pictographic}$").ok());
    is_one_of(c, &PICTOGRAPH)
}

fn is_one_of(c: char, class: &LazyLock<Option<Regex>>) -> bool {
    class.as_ref().is_some_and(|class| class.is_match(c.encode_utf8(&mut [0; 4])))
}

/// Whether Unicode lists variants of `base` under one of the first three selectors: compatibility forms of ideographs,
/// positions of East Asian punctuation, and single letters and operators.
fn has_variants(base: char, selector: char) -> bool {
    let one = matches!(base,
        '\u{1000}'..='\u{1031}' | '\u{1075}'..='\u{1080}' | '\u{a856}' | '\u{a85c}' | '\u{a85e}' | '\u{a85f}'
        | '\u{a860}' | '\u{a868}' | '\u{2229}' | '\u{222a}' | '\u{2268}' | '\u{2269}' | '\u{2272}' | '\u{2273}'
        | '\u{228a}' | '\u{228b}' | '\u{2293}'..='\u{2295}' | '\u{2297}' | '\u{229c}' | '\u{22da}' | '\u{22db}'
        | '\u{2a3c}' | '\u{2a3d}' | '\u{2a9d}' | '\u{2a9e}' | '\u{2aac}' | '\u{2aad}' | '\u{2acb}' | '\u{2acc}');
    let two = matches!(
        base,
        '\u{3001}' | '\u{3002}' | '\u{ff01}' | '\u{ff0c}' | '\u{ff0e}' | '\u{ff1a}' | '\u{ff1b}' | '\u{ff1f}'
    );
    match selector {
        '\u{fe00}' => one || two || is_ideograph(base),
        '\u{fe01}' => two || is_ideograph(base),
        _ => is_ideograph(base),
    }
}

fn is_ideograph(c: char) -> bool {
    matches!(c, '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

fn is_mongolian(c: char) -> bool {
    matches!(c, '\u{1820}'..='\u{18aa}')
}

/// Whether `c` is a letter or a mark of a script in which joiners change how text looks.
fn joins(c: char) -> bool {
    static LETTER: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"^[\p{L}\p{M}]$").ok());
    matches!(c, '\u{600}'..='\u{8ff}' | '\u{900}'..='\u{dff}' | '\u{f00}'..='\u{109f}' | '\u{1780}'..='\u{18af}'
        | '\u{1a00}'..='\u{1cff}' | '\u{a840}'..='\u{abff}' | '\u{fb50}'..='\u{fdff}' | '\u{fe70}'..='\u{fefe}'
        | '\u{10a00}'..='\u{11fff}' | '\u{1e900}'..='\u{1e95f}')
        && !is_invisible(c)
        && is_one_of(c, &LETTER)
}
