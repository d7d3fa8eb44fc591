//! What a mark in a word means where it is no password: a power, a cell, an address, a combination of names.

use super::super::beside::NAMED;

/// Whether `byte` is one of the marks that people put into passwords and that neither names nor numbers have. Without
/// branches, so that it runs on many bytes at a time.
pub(super) fn is_mark(byte: u8) -> bool {
    // `!` and `#` to `&`
    ((byte.wrapping_sub(b'!') <= b'&' - b'!') & (byte != b'"')) | (byte == b'+') | (byte == b'@') | (byte == b'^')
}

/// Whether the mark at `at` is part of a password rather than of what else it occurs in.
pub(super) fn belongs(word: &[u8], at: usize) -> bool {
    let (before, after) = (&word[..at], &word[at + 1..]);
    let digits = |part: &[u8]| part.iter().all(u8::is_ascii_digit);
    let letters = |part: &[u8]| part.iter().all(u8::is_ascii_alphabetic);
    let capital = word.iter().any(u8::is_ascii_uppercase);
    match word[at] {
        // `name@host`, `package@1.2`
        b'@' => {
            if after.is_empty() {
                return before.last().is_some_and(u8::is_ascii_digit) && capital;
            }
            // `G@rd3n2017`
            let written = before.len() <= 2
                && (after.windows(3).any(is_digit_in_word)
                    // `V@lley-Crane09`
                    || before[0].is_ascii_uppercase()
                        && after[0].is_ascii_lowercase()
                        && after.iter().any(u8::is_ascii_uppercase)
                        && after.last().is_some_and(u8::is_ascii_digit));
            !after.contains(&b'.')
                && (written
                    || digits(after) && after.len() >= 4 && before[0].is_ascii_uppercase()
                    || after[0].is_ascii_alphanumeric() && after.iter().any(|b| is_mark(*b)))
        }
        // `issue#12`, `C#`, `user#1234`
        b'#' => {
            // `PKCS#1v1.5`, `3986#section-4.4`
            let version = before.iter().all(|b| b.is_ascii_uppercase() || *b == b'-') && after.contains(&b'.');
            let section = digits(before) && after.iter().any(|b| matches!(b, b'.' | b'-'));
            // `curve25519#fromHash`, a method.
            let method = letters(after) && is_camel(after) && after[0].is_ascii_lowercase();
            let is_reference =
                method || letters(before) && digits(after) || before.contains(&b'.') || version || section;
            let ends = after.is_empty() && !before.last().is_some_and(u8::is_ascii_digit) && !year_first(word);
            !is_reference && !ends && (capital || before.iter().any(u8::is_ascii_digit))
        }
        // `US$50`, `Outer$1`
        b'$' => {
            !(letters(before) && digits(after))
                && (after.is_empty() || after[0].is_ascii_alphanumeric())
                && before.iter().any(u8::is_ascii_digit)
        }
        // `%20`, `50%`
        b'%' => {
            let code = after.len() >= 2 && after[..2].iter().all(u8::is_ascii_hexdigit);
            !code && !after.starts_with(b"0x") && !digits(before) && before.iter().any(u8::is_ascii_digit) && capital
        }
        // `x&y`, `R&D`
        b'&' => before.len() >= 3 && after.len() >= 3 && capital,
        // `C++`, `ES2015+`, `a+b`
        b'+' => {
            after.is_empty() && word[0].is_ascii_digit() && year_first(word)
                || !after.is_empty()
                    && capital
                    && before.iter().any(u8::is_ascii_digit)
                    && after.iter().any(u8::is_ascii_alphabetic)
                    // `0.5+FLOOR`, `29429479+lamp`, `4.4E+12`
                    && before.iter().filter(|b| b.is_ascii_alphabetic()).count() > 1
                    && !(before.contains(&b'.') && before.ends_with(b"E"))
        }
        // The end of a sentence, unless digits precede it that are no version.
        b'!' if after.is_empty() => {
            let numbered = |count: usize| before[before.len() - count..].iter().all(u8::is_ascii_digit);
            before.len() >= 7 && (numbered(3) || before.len() >= 9 && numbered(2) && is_camel(before))
                || year_first(word)
        }
        b'!' => after.iter().all(|b| b.is_ascii_alphanumeric() || is_mark(*b)),
        _ => !after.is_empty() && before.last().is_some_and(u8::is_ascii_alphanumeric),
    }
}

/// Whether a digit stands between two letters.
fn is_digit_in_word(run: &[u8]) -> bool {
    matches!(run, [first, digit, last] if first.is_ascii_alphabetic() && digit.is_ascii_digit() && last.is_ascii_alphabetic())
}

/// Whether a word is several with a capital each.
pub(super) fn is_camel(word: &[u8]) -> bool {
    word.windows(2).any(|pair| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase())
}

/// Whether a word begins with a year.
pub(super) fn year_first(word: &[u8]) -> bool {
    word.len() >= 8
        && matches!(word[..2], [b'1', b'9'] | [b'2', b'0'])
        && word[2..4].iter().all(u8::is_ascii_digit)
        && word[4].is_ascii_alphabetic()
}

/// Whether a word is a product with its number, `Windows11!`, the account of a machine, `ADM-WKS2$`, or a range of characters.
pub(super) fn is_named_or_range(word: &[u8]) -> bool {
    // `Windows11!`
    let letters = word.iter().take_while(|b| b.is_ascii_alphabetic()).count();
    let named = word[letters..].iter().all(|b| b.is_ascii_digit() || *b == b'!') && NAMED.has(&word[..letters]);
    let machine = word.strip_suffix(b"$").is_some_and(|name| !name.iter().any(u8::is_ascii_lowercase));
    // `COM4@9600`, a port and its rate; `Debian-2+deb12u1`.
    let port = word.strip_prefix(b"COM").is_some_and(|rest| rest.iter().all(|b| b.is_ascii_digit() || *b == b'@'));
    let package =
        [&b"+deb"[..], b"+ubuntu", b"+dfsg", b"+nmu"].iter().any(|of| memchr::memmem::find(word, of).is_some());
    // `6d3d89b5^..68333e82`, revisions of Git.
    let revisions = memchr::memmem::find(word, b"..").is_some()
        && word.iter().all(|b| b.is_ascii_hexdigit() || matches!(b, b'^' | b'.' | b'~'));
    // `webpack@2+`
    let at = word.iter().position(|b| *b == b'@').unwrap_or(0);
    let version = at > 2
        && word[..at].iter().all(|b| b.is_ascii_lowercase() || *b == b'-')
        && word[at + 1..].iter().all(|b| b.is_ascii_digit() || matches!(b, b'.' | b'+' | b'x'));
    // `K*0.5*rho*V^2`
    let formula = word.contains(&b'*')
        && [&b"^2"[..], b"^3", b"*0."].iter().any(|part| memchr::memmem::find(word, part).is_some());
    named
        || version
        || formula
        || revisions
        || machine
        || port
        || package
        || [&b"A-Z"[..], b"a-z", b"0-9", b"&#"].iter().any(|range| memchr::memmem::find(word, range).is_some())
}

/// Whether a word has `%7E` and the like more than once.
pub(super) fn is_percent_encoded(word: &[u8]) -> bool {
    word.windows(3).filter(|run| run[0] == b'%' && run[1..].iter().all(u8::is_ascii_hexdigit)).count() > 1
}

/// Whether a word is an expression, a reference or a digest whatever is around it.
pub(super) fn is_expression(word: &[u8]) -> bool {
    is_power(word) || is_cell_or_address(word) || is_key_of_parts(word) || is_combination(word) || is_digest(word)
        // `ISS@lamp^2018-12-25`
        || word.windows(10).any(is_date)
}

/// Whether `text` is `2018-12-25`.
fn is_date(text: &[u8]) -> bool {
    text.iter().enumerate().all(|(at, b)| if matches!(at, 4 | 7) { *b == b'-' } else { b.is_ascii_digit() })
        && matches!(text[0], b'1' | b'2')
}

/// Whether a word is a name with an exponent: `sigma_x^2`.
fn is_power(word: &[u8]) -> bool {
    word.iter().position(|b| *b == b'^').is_some_and(|at| {
        let (name, exponent) = (&word[..at], &word[at + 1..]);
        name.iter().all(|b| b.is_ascii_alphanumeric() || *b == b'_')
            && (name.contains(&b'_') || !name.iter().any(u8::is_ascii_digit))
            && (1..=2).contains(&exponent.len())
            && exponent.iter().all(u8::is_ascii_digit)
    })
}

/// Whether a word is a cell of a spreadsheet or an address in a module: `Sheet1!$B$2`, `lamp.dll!00473658`.
fn is_cell_or_address(word: &[u8]) -> bool {
    let Some(at) = word.iter().position(|b| *b == b'!') else { return false };
    let (name, rest) = (&word[..at], &word[at + 1..]);
    let module = name.iter().rposition(|b| *b == b'.').is_some_and(|dot| (2..=5).contains(&(at - dot - 1)));
    if module && rest.iter().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'+')) {
        return true;
    }
    let is_cell = |cell: &[u8]| {
        let cell: Vec<u8> = cell.iter().copied().filter(|b| *b != b'$').collect();
        let column = cell.iter().take_while(|b| b.is_ascii_uppercase()).count();
        (1..=2).contains(&column)
            && (1..=4).contains(&(cell.len() - column))
            && cell[column..].iter().all(u8::is_ascii_digit)
    };
    name.iter().all(|b| b.is_ascii_alphanumeric() || *b == b'_') && rest.split(|b| *b == b':').all(is_cell)
}

/// Whether a word is the key of a record or a series: `ORDER#456#ITEM#1`, `pm10#lamp#ug`.
fn is_key_of_parts(word: &[u8]) -> bool {
    let mut parts = word.split(|b| *b == b'#');
    let upper = |part: &[u8]| part.iter().all(|b| b.is_ascii_uppercase() || *b == b'_');
    let lower = |part: &[u8]| part.iter().all(|b| b.is_ascii_lowercase() || *b == b'_');
    let digits = |part: &[u8]| part.iter().all(u8::is_ascii_digit);
    if parts.clone().count() < 3 {
        return false;
    }
    parts.clone().all(|part| upper(part) || digits(part))
        || parts
            .next()
            .is_some_and(|first| first.iter().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || *b == b'_'))
            && parts.all(lower)
}

/// Whether a word is two names that belong together, one of them an acronym: `Ed25519+LMP-DSA`.
fn is_combination(word: &[u8]) -> bool {
    let is_name = |part: &[u8]| {
        let letters = part.iter().take_while(|b| b.is_ascii_alphabetic()).count();
        let numbered = || letters == 1 && part[1..].iter().all(u8::is_ascii_digit);
        (letters >= 2 || numbered())
            && part[letters..].iter().all(|b| b.is_ascii_digit() || b.is_ascii_uppercase() || *b == b'-')
    };
    let acronym = |part: &[u8]| part.len() >= 3 && !part.iter().any(u8::is_ascii_lowercase);
    let mut parts = word.split(|b| *b == b'+');
    parts.clone().count() >= 2 && parts.clone().all(is_name) && parts.any(acronym)
}

/// Whether a word is a digest in Base64, of twenty or of thirty-two bytes, which has no other marks.
fn is_digest(word: &[u8]) -> bool {
    matches!(word.len(), 27 | 43) && word.iter().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/'))
}
