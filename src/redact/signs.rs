//! The places of a text at which something encoded or split may begin.
//!
//! Texts have few of them and are asked at each byte, so that this decides how long views take.

use super::text::{FLAGS, flags};

/// What a byte may be in the neighbourhood of something encoded or split: a bit for each kind of sign.
struct Roles {
    /// Before such a sign.
    before: [u16; 256],
    /// The sign itself.
    sign: [u16; 256],
    /// After such a sign.
    after: [u16; 256],
}

static ROLES: Roles = {
    /// Marks inside a word, also two of the same.
    const MARKS: [u8; 3] = *b"*`~";
    const ANY_MARK: u16 = 0b111;
    const QUOTE: u16 = 1 << 3;
    const WRAPPED_LINE: u16 = 1 << 4;
    const CONTINUED_LINE: u16 = 1 << 5;
    const PLUS: u16 = 1 << 6;
    const ENTITY: u16 = 1 << 7;
    const PERCENT: u16 = 1 << 8;
    const ESCAPE: u16 = 1 << 9;
    const TAG: u16 = 1 << 10;
    const WIDE: u16 = 1 << 11;
    const BORDER: u16 = 1 << 12;
    const SOFT_BREAK: u16 = 1 << 13;
    /// What may follow anything.
    const FREE: u16 = ENTITY | PERCENT | ESCAPE | TAG | WIDE | BORDER | SOFT_BREAK;

    let mut roles = Roles { before: [FREE; 256], sign: [0; 256], after: [CONTINUED_LINE; 256] };
    let mut index = 0;
    while index < 256 {
        let byte = index as u8;
        let letter = byte.is_ascii_alphabetic();
        // What a token may be made of, and `"` and `,`.
        let part = letter || matches!(byte, b'!'..=b'%' | b'+'..=b':' | b'=' | b'@' | b'_');
        let goes_on = letter || matches!(byte, b'.'..=b'9' | b' ' | b'\t' | b'>' | b'_' | b'!');

        let before = &mut roles.before[index];
        *before |= if part { ANY_MARK | QUOTE | WRAPPED_LINE } else { 0 };
        *before |= match byte {
            b'\\' => QUOTE | CONTINUED_LINE,
            b'^' => CONTINUED_LINE,
            b' ' => PLUS,
            _ => 0,
        };
        roles.sign[index] = match byte {
            b'"' | b'\'' => QUOTE,
            b'\n' => WRAPPED_LINE | CONTINUED_LINE,
            b'+' => PLUS,
            b'&' => ENTITY,
            b'%' => PERCENT,
            b'\\' => ESCAPE,
            b'<' => TAG,
            0xef => WIDE,
            0xe2 => BORDER,
            b'=' => SOFT_BREAK,
            _ => 0,
        };
        let after = &mut roles.after[index];
        *after |= if part { ANY_MARK } else { 0 };
        *after |= if byte < b'/' || matches!(byte, b'\\' | b';' | b'}') { QUOTE } else { 0 };
        *after |= if goes_on { WRAPPED_LINE } else { 0 };
        *after |= if byte == b' ' { PLUS } else { 0 };
        *after |= if letter || byte == b'#' { ENTITY } else { 0 };
        *after |= if letter || byte.is_ascii_digit() { PERCENT } else { 0 };
        *after |= if byte > b' ' { ESCAPE } else { 0 };
        *after |= if letter || byte == b'/' || byte == b'!' { TAG } else { 0 };
        *after |= if matches!(byte, 0xbc | 0xbd) { WIDE } else { 0 };
        *after |= if matches!(byte, 0x94 | 0x95) { BORDER } else { 0 };
        *after |= if byte == b'\n' { SOFT_BREAK } else { 0 };
        index += 1;
    }
    let mut kind = 0;
    while kind < MARKS.len() {
        let mark = MARKS[kind] as usize;
        roles.sign[mark] |= 1 << kind;
        roles.after[mark] |= 1 << kind;
        kind += 1;
    }
    roles
};

/// Tells which of the bytes between the first and the last one may begin something encoded or split, by their neighbours:
/// a bit for each, the lowest for the first.
pub(super) fn signs(around: &[u8; FLAGS + 2]) -> u64 {
    // Most bytes are ruled out by themselves. Without branches, so that it runs on many bytes at a time.
    let mut possible = [0; FLAGS];
    for (possible, byte) in possible.iter_mut().zip(&around[1..]) {
        *possible = u8::from(may_be_sign(*byte));
    }
    let mut left = flags(&possible);
    let mut signs = left;
    while left != 0 {
        let at = left.trailing_zeros() as usize;
        let [before, sign, after] = [around[at], around[at + 1], around[at + 2]].map(usize::from);
        let kinds = ROLES.before[before] & ROLES.sign[sign] & ROLES.after[after];
        signs &= !(u64::from(kinds == 0) << at);
        left &= left - 1;
    }
    signs
}

/// Whether something encoded or split may begin with `byte`, whatever its neighbours.
fn may_be_sign(byte: u8) -> bool {
    (byte == b'"')
        | (byte == b'%')
        // `&` and `'`
        | (byte | 1 == b'\'')
        // `*` and `+`
        | (byte | 1 == b'+')
        // `<` and `=`
        | (byte | 1 == b'=')
        | (byte == b'\n')
        | (byte == b'\\')
        | (byte == b'`')
        | (byte == b'~')
        | (byte == 0xe2)
        | (byte == 0xef)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_are_told_by_their_neighbours() {
        for (around, count) in [
            ("a*b", 1),
            ("a**b", 1),
            (" *b", 0),
            ("a&#9", 1),
            ("a & b", 0),
            ("x%41", 1),
            ("5% of", 0),
            (" \\_", 1),
            (" \\ ", 0),
            ("=\"a\",", 1),
            ("a\nb", 1),
            ("a.\n\n", 0),
            ("a \\\n b", 1),
            ("\" + \"", 1),
            ("<b", 1),
            ("< b", 0),
            ("=\n=", 1),
            ("x\u{ff01}", 1),
            ("x\u{2502}", 1),
            ("x\u{2713}", 0),
        ] {
            for padding in 1..=FLAGS + 1 - around.len() {
                let mut bytes = [b' '; FLAGS + 2];
                bytes[padding..padding + around.len()].copy_from_slice(around.as_bytes());
                // The first and the last byte are only neighbours.
                assert_eq!(signs(&bytes).count_ones(), count, "{around:?} at {padding}");
            }
        }
    }
}
