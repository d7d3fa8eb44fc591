//! Decodes a text as a person reads it on a page: without marks, and with codes decoded.

/// Returns a plain text unchanged.
pub(crate) fn as_written(text: &str) -> String {
    text.to_owned()
}

/// Removes marks, tags and invisible characters, and decodes the rest.
///
/// A secret is read in the same way before it is searched for, so that what both lose does not count.
pub(crate) fn as_seen(text: &str) -> String {
    let mut text = without_tags(text);
    for _ in 0..2 {
        text = percent(&entities(&text));
    }
    let mut out = String::new();
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\\' if chars.peek().is_some_and(char::is_ascii_punctuation) => {}
            '*' | '`' | '~' => {}
            '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' => {}
            '\u{fe00}'..='\u{fe0f}' | '\u{e0000}'..='\u{e0fff}' => {}
            c => out.push(if c == '\u{2010}' { '-' } else { c }),
        }
    }
    out
}

fn without_tags(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('<') {
        let tag = &rest[at..];
        let opens = tag[1..].starts_with(|c: char| c.is_ascii_alphabetic() || "/!".contains(c));
        let end =
            if tag.starts_with("<!--") { tag.find("-->").map(|end| end + 3) } else { tag.find('>').map(|end| end + 1) };
        let skip = end.filter(|_| opens).unwrap_or(0);
        out.push_str(&rest[..at]);
        if skip == 0 {
            out.push('<');
        }
        rest = &tag[skip.max(1)..];
    }
    out + rest
}

fn entities(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        out.push_str(&rest[..at]);
        let tail = &rest[at..];
        let found = tail.find(';').filter(|end| *end < 20).and_then(|end| Some((entity(&tail[1..end])?, end + 1)));
        let (c, used) = found.unwrap_or(('&', 1));
        out.push(c);
        rest = &tail[used..];
    }
    out + rest
}

fn entity(name: &str) -> Option<char> {
    if let Some(number) = name.strip_prefix('#') {
        let hex = number.strip_prefix(['x', 'X']).map(|digits| u32::from_str_radix(digits, 16).ok());
        return char::from_u32(hex.unwrap_or_else(|| number.parse().ok())?);
    }
    const NAMES: [(&str, char); 16] = [
        ("lowbar", '_'),
        ("hyphen", '\u{2010}'),
        ("period", '.'),
        ("equals", '='),
        ("sol", '/'),
        ("plus", '+'),
        ("excl", '!'),
        ("num", '#'),
        ("dollar", '$'),
        ("percnt", '%'),
        ("ast", '*'),
        ("colon", ':'),
        ("amp", '&'),
        ("shy", '\u{ad}'),
        ("ZeroWidthSpace", '\u{200b}'),
        ("quot", '"'),
    ];
    NAMES.iter().find(|(known, _)| *known == name).map(|(_, c)| *c)
}

fn percent(text: &str) -> String {
    let (bytes, mut out, mut at) = (text.as_bytes(), Vec::new(), 0);
    while at < bytes.len() {
        let pair =
            text.get(at + 1..at + 3).filter(|pair| bytes[at] == b'%' && pair.bytes().all(|b| b.is_ascii_hexdigit()));
        match pair.and_then(|pair| u8::from_str_radix(pair, 16).ok()) {
            Some(byte) => {
                out.push(byte);
                at += 3;
            }
            None => {
                out.push(bytes[at]);
                at += 1;
            }
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}
