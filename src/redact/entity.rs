//! Decoding of entities, percent codes and escapes: `&#95;`, `%5F`, `\_`, `\u005f`.

/// Names of entities for characters that secrets and their names are made of, and for invisible ones.
#[rustfmt::skip]
const NAMES: &[(&str, char)] = &[
    ("amp", '&'), ("AMP", '&'), ("lt", '<'), ("LT", '<'), ("gt", '>'), ("GT", '>'), ("quot", '"'),
    ("QUOT", '"'), ("apos", '\''), ("nbsp", ' '), ("NonBreakingSpace", ' '), ("ensp", ' '), ("emsp", ' '),
    ("thinsp", ' '), ("Tab", '\t'), ("NewLine", '\n'), ("excl", '!'), ("num", '#'), ("dollar", '$'),
    ("percnt", '%'), ("lpar", '('), ("rpar", ')'), ("ast", '*'), ("midast", '*'), ("plus", '+'), ("comma", ','),
    ("period", '.'), ("sol", '/'), ("colon", ':'), ("semi", ';'), ("equals", '='), ("quest", '?'),
    ("commat", '@'), ("lsqb", '['), ("lbrack", '['), ("bsol", '\\'), ("rsqb", ']'), ("rbrack", ']'),
    ("Hat", '^'), ("lowbar", '_'), ("UnderBar", '_'), ("grave", '`'), ("DiacriticalGrave", '`'), ("lcub", '{'),
    ("lbrace", '{'), ("verbar", '|'), ("vert", '|'), ("VerticalLine", '|'), ("rcub", '}'), ("rbrace", '}'),
    ("hyphen", '-'), ("dash", '-'), ("ldquo", '“'), ("rdquo", '”'), ("lsquo", '‘'), ("rsquo", '’'),
    ("fjlig", 'f'), ("shy", '\u{ad}'), ("zwj", '\u{200d}'), ("zwnj", '\u{200c}'), ("lrm", '\u{200e}'),
    ("rlm", '\u{200f}'), ("ZeroWidthSpace", '\u{200b}'), ("NegativeThinSpace", '\u{200b}'),
    ("NegativeMediumSpace", '\u{200b}'), ("NegativeThickSpace", '\u{200b}'),
    ("NegativeVeryThinSpace", '\u{200b}'), ("NoBreak", '\u{2060}'), ("ApplyFunction", '\u{2061}'),
    ("af", '\u{2061}'), ("InvisibleTimes", '\u{2062}'), ("it", '\u{2062}'), ("InvisibleComma", '\u{2063}'),
    ("ic", '\u{2063}'),
];

/// The longest name of an entity, digits and marks of a numeric one included.
const LONGEST: usize = 24;

/// Decodes the entity at the start of `rest`, also an entity of an entity (`&amp;#95;`): its length and character.
pub(super) fn html(rest: &[u8]) -> Option<(usize, char)> {
    let is_entity = |rest: &[u8]| {
        let name = rest.iter().take(LONGEST).take_while(|b| b.is_ascii_alphanumeric() || **b == b'#').count();
        name > 0 && rest.get(name) == Some(&b';')
    };
    let mut at = 1;
    while rest[at..].starts_with(b"amp;") && is_entity(&rest[at + 4..]) && at < 16 {
        at += 4;
    }
    let length = rest[at..].iter().take(LONGEST).position(|b| *b == b';')?;
    let name = std::str::from_utf8(&rest[at..at + length]).ok()?;
    let c = match name.strip_prefix('#') {
        Some(number) => char::from_u32(match number.strip_prefix(['x', 'X']) {
            Some(digits) => u32::from_str_radix(digits, 16).ok()?,
            None => number.parse().ok()?,
        })?,
        None => NAMES.iter().find(|(known, _)| *known == name)?.1,
    };
    Some((at + length + 1, c))
}

/// Decodes the two hexadecimal digits after a `%` at the start of `rest`.
pub(super) fn percent_byte(rest: &[u8]) -> Option<u8> {
    u8::from_str_radix(std::str::from_utf8(rest.get(1..3)?).ok()?, 16).ok()
}

/// Decodes the percent-encoded ASCII character at the start of `rest`, also one encoded twice (`%255F`).
pub(super) fn percent(rest: &[u8]) -> Option<(usize, char)> {
    let mut at = 1;
    while rest[at..].starts_with(b"25") && hexadecimal(&rest[at + 2..], 2).is_some() && at < 7 {
        at += 2;
    }
    let c = char::from_u32(hexadecimal(&rest[at..], 2)?)?;
    matches!(c, ' '..='~').then_some((at + 2, c))
}

/// Decodes the escape at the start of `rest` as Markdown (`\_`), JSON and code (`\u005f`, `\x5f`) have them.
pub(super) fn escape(rest: &[u8]) -> Option<(usize, char)> {
    let number = |from: usize, digits: usize| {
        let c = char::from_u32(hexadecimal(&rest[from..], digits)?)?;
        (c >= ' ').then_some((from + digits, c))
    };
    match *rest.get(1)? {
        b'n' => Some((2, '\n')),
        b't' => Some((2, '\t')),
        b'u' if rest.get(2) == Some(&b'{') => {
            let digits = rest[3..].iter().take(7).position(|b| *b == b'}')?;
            number(3, digits).map(|(length, c)| (length + 1, c))
        }
        b'u' => number(2, 4),
        b'x' => number(2, 2),
        b'0' | b'1' => {
            let digits = rest.get(1..4).filter(|part| part.iter().all(|b| matches!(b, b'0'..=b'7')))?;
            let code = digits.iter().fold(0, |code, digit| code * 8 + u32::from(digit - b'0'));
            char::from_u32(code).filter(|c| ('!'..='~').contains(c)).map(|c| (4, c))
        }
        mark if mark.is_ascii_punctuation() => Some((2, char::from(mark))),
        _ => None,
    }
}

/// Parses exactly `digits` hexadecimal digits at the start of `rest`.
fn hexadecimal(rest: &[u8], digits: usize) -> Option<u32> {
    let digits = rest.get(..digits).filter(|part| !part.is_empty() && part.iter().all(u8::is_ascii_hexdigit))?;
    u32::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}
