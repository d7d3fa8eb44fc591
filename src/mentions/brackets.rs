//! Brackets inside paths, as folders and files of routers have them: `app/(shop)/[id]/page.tsx`.

/// The longest part of a path in brackets.
const LONGEST: usize = 64;

/// Returns where the bracket opens that closes directly before `at`, if a path goes on at `at`.
pub(super) fn opening(text: &str, at: usize) -> Option<usize> {
    let close = *text.as_bytes().get(at.checked_sub(1)?)?;
    let open = match close {
        b']' => b'[',
        b')' => b'(',
        _ => return None,
    };
    let before = text.as_bytes()[..at].iter().rev();
    let length = goes_on(text, at).then(|| matching(before, close, open))??;
    Some(at - length)
}

/// Returns where the bracket that opens at `at` is closed, if a path goes on after it.
pub(super) fn closing(text: &str, at: usize) -> Option<usize> {
    let open = *text.as_bytes().get(at)?;
    let close = match open {
        b'[' => b']',
        b'(' => b')',
        _ => return None,
    };
    let length = matching(text.as_bytes()[at..].iter(), open, close)?;
    Some(at + length).filter(|after| goes_on(text, *after))
}

/// Returns the number of bytes from a bracket to the one that matches it, both included, if a path may hold all of them.
fn matching<'a>(bytes: impl Iterator<Item = &'a u8>, first: u8, last: u8) -> Option<usize> {
    let mut depth = 0_usize;
    for (length, byte) in (1..).zip(bytes.take(LONGEST)) {
        match *byte {
            byte if byte == first => depth += 1,
            byte if byte == last => depth -= 1,
            byte if !is_inside(byte) => return None,
            _ => {}
        }
        if depth == 0 {
            return Some(length);
        }
    }
    None
}

/// Returns whether a path goes on at `at`, behind a bracket.
fn goes_on(text: &str, at: usize) -> bool {
    let next = |at: usize| text.as_bytes().get(at).copied().unwrap_or(b' ');
    match next(at) {
        b'.' | b'-' | b'_' => next(at + 1).is_ascii_alphanumeric() || matches!(next(at + 1), b'[' | b'(' | b'$'),
        b'/' | b'\\' => {
            next(at + 1).is_ascii_alphanumeric()
                || matches!(next(at + 1), b'[' | b'(' | b'$' | b'@' | b'+' | b'_' | b'.' | b'~' | b'-')
        }
        byte => byte.is_ascii_alphanumeric(),
    }
}

/// Returns whether a byte may stand in the brackets of a path.
fn is_inside(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
        || matches!(byte, b'.' | b'-' | b'_' | b'$' | b'=' | b'[' | b']' | b'(' | b')' | b'@' | b'+')
        || !byte.is_ascii()
}
