//! Ignore patterns exactly as git reads them: `.gitignore` lines and `deny_paths`.
//!
//! Own code because a file that git shows and this does not (or the other way
//! round) is a file too few or too many in a pack: braces are plain characters
//! to git, `[!a]` never matches `/`, classes have escapes and names. Matching
//! walks all positions of the pattern side by side, so no pattern can make it
//! slower than its length times the path's.

use std::fmt;

/// Longer patterns match nothing: no path is as long.
const LONGEST: usize = 4096;

/// An ordered list of ignore patterns; the last that matches decides.
#[derive(Debug, Clone, Default)]
pub struct Patterns {
    list: Vec<Pattern>,
}

/// Why a pattern can match nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PatternError {
    /// Nothing stands there.
    Empty,
    /// A `[` without its `]`, or a named class that does not exist.
    Class,
    /// It ends in a backslash.
    Escape,
    /// It is longer than any path.
    TooLong,
}

impl fmt::Display for PatternError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Empty => "the pattern is empty",
            Self::Class => "the pattern has a `[` that is not closed, or a class name that is unknown",
            Self::Escape => "the pattern ends in a backslash",
            Self::TooLong => "the pattern is longer than any path",
        })
    }
}

impl Patterns {
    /// The patterns of a `.gitignore` file; what can match nothing is left out, as git does.
    pub fn gitignore(text: &[u8]) -> Self {
        let text = text.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(text);
        let mut list = Self::default();
        for line in text.split(|byte| *byte == b'\n') {
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            if !line.starts_with(b"#") {
                let _matches_nothing = list.push(without_trailing_spaces(line), false);
            }
        }
        list
    }

    /// Adds one pattern, with `!` in front for what it lets through.
    ///
    /// # Errors
    /// Where the pattern can match nothing; it is then not added.
    pub fn push(&mut self, written: &[u8], ignore_case: bool) -> Result<(), PatternError> {
        self.list.push(Pattern::parse(written, ignore_case)?);
        Ok(())
    }

    /// What the last matching pattern says of `path`, which is relative to the
    /// patterns' own folder: `Some(true)` takes it, `Some(false)` lets it through.
    pub fn verdict(&self, path: &[u8], is_dir: bool) -> Option<bool> {
        self.decider(path, is_dir).map(|(_, verdict)| verdict)
    }

    /// As [`Patterns::verdict`], with the place of the deciding pattern in the list.
    pub(super) fn decider(&self, path: &[u8], is_dir: bool) -> Option<(usize, bool)> {
        let name = memchr::memrchr(b'/', path).map_or(path, |slash| &path[slash + 1..]);
        let last = self.list.iter().rposition(|pattern| pattern.matches(path, name, is_dir))?;
        Some((last, !self.list.get(last)?.negative))
    }

    /// Whether there is no pattern.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }
}

/// Cuts spaces at the end, except where a backslash keeps one.
fn without_trailing_spaces(line: &[u8]) -> &[u8] {
    let mut end = line.len();
    while end > 0 && line[end - 1] == b' ' {
        let slashes = line[..end - 1].iter().rev().take_while(|byte| **byte == b'\\').count();
        if slashes % 2 == 1 {
            break;
        }
        end -= 1;
    }
    &line[..end]
}

#[derive(Debug, Clone)]
struct Pattern {
    negative: bool,
    dir_only: bool,
    /// Without a `/` inside it is compared with the last part of a path.
    name_only: bool,
    ignore_case: bool,
    shape: Shape,
}

/// The shapes that most patterns have are compared without a walk, and of the others both ends first.
#[derive(Debug, Clone)]
enum Shape {
    Literal(Vec<u8>),
    Ending(Vec<u8>),
    Glob { tokens: Vec<Token>, shortest: usize, head: Vec<u8>, tail: Vec<u8> },
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Token {
    Byte(u8),
    /// Any byte but `/`.
    One,
    /// Bytes as a set; never `/`.
    Class(Box<[bool; 256]>),
    /// Any bytes but `/`.
    Star,
    /// Any bytes.
    Stars,
    /// The next two tokens, `Stars` and `/`, may be left out together.
    MaySkip,
}

impl Pattern {
    fn parse(written: &[u8], ignore_case: bool) -> Result<Self, PatternError> {
        let (negative, text) = match written.strip_prefix(b"!") {
            Some(rest) => (true, rest),
            None => (false, written),
        };
        let (dir_only, text) = match text.strip_suffix(b"/") {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let name_only = !text.contains(&b'/');
        let text = text.strip_prefix(b"/").unwrap_or(text);
        match text.len() {
            0 => return Err(PatternError::Empty),
            LONGEST.. => return Err(PatternError::TooLong),
            _ => {}
        }
        let fold = |bytes: &[u8]| {
            if ignore_case { bytes.to_ascii_lowercase() } else { bytes.to_vec() }
        };
        let special = |bytes: &[u8]| bytes.iter().any(|byte| b"*?[\\".contains(byte));
        let shape = match text {
            _ if !special(text) => Shape::Literal(fold(text)),
            [b'*', rest @ ..] if name_only && !special(rest) => Shape::Ending(fold(rest)),
            _ => {
                let tokens = tokens(text, ignore_case)?;
                let shortest = shortest(&tokens);
                let (head, tail) = ends(&tokens);
                Shape::Glob { tokens, shortest, head, tail }
            }
        };
        Ok(Self { negative, dir_only, name_only, ignore_case, shape })
    }

    /// `name` is the last part of `path`.
    fn matches(&self, path: &[u8], name: &[u8], is_dir: bool) -> bool {
        if self.dir_only && !is_dir {
            return false;
        }
        let text = if self.name_only { name } else { path };
        let same = |a: &[u8], b: &[u8]| {
            if self.ignore_case { a.eq_ignore_ascii_case(b) } else { a == b }
        };
        match &self.shape {
            Shape::Literal(literal) => same(text, literal),
            Shape::Ending(ending) => text.len() >= ending.len() && same(&text[text.len() - ending.len()..], ending),
            Shape::Glob { tokens, shortest, head, tail } => {
                text.len() >= *shortest
                    && same(&text[..head.len()], head)
                    && same(&text[text.len() - tail.len()..], tail)
                    && walk(tokens, text, self.ignore_case)
            }
        }
    }
}

/// The fewest bytes that the tokens match.
fn shortest(tokens: &[Token]) -> usize {
    let mut skipped = 0;
    let mut bytes = 0;
    for token in tokens {
        match token {
            Token::Byte(_) | Token::One | Token::Class(_) => bytes += 1,
            Token::MaySkip => skipped += 1,
            Token::Star | Token::Stars => {}
        }
    }
    bytes - skipped
}

/// The bytes that all that the tokens match begins with, and those that it ends with; together no longer than that.
fn ends(tokens: &[Token]) -> (Vec<u8>, Vec<u8>) {
    let byte = |token: &Token| match token {
        Token::Byte(byte) => Some(*byte),
        _ => None,
    };
    let head: Vec<u8> = tokens.iter().map_while(byte).collect();
    let mut tail: Vec<u8> = tokens[head.len()..].iter().rev().map_while(byte).collect();
    // The `/` after a `**` may be left out with it.
    if tokens.contains(&Token::MaySkip) {
        tail.pop();
    }
    tail.reverse();
    (head, tail)
}

/// Reads the wildcards of a pattern.
fn tokens(text: &[u8], ignore_case: bool) -> Result<Vec<Token>, PatternError> {
    let fold = |byte: u8| {
        if ignore_case { byte.to_ascii_lowercase() } else { byte }
    };
    // git compares the text before the first wildcard by itself, and takes
    // `**` right after it for one that stands at the beginning.
    let literal = text.iter().position(|byte| b"*?[\\".contains(byte)).unwrap_or(text.len());
    let mut out: Vec<Token> = text[..literal].iter().map(|byte| Token::Byte(fold(*byte))).collect();
    let mut at = literal;
    while let Some(&byte) = text.get(at) {
        at += 1;
        match byte {
            b'*' => {
                let start = at - 1;
                while text.get(at) == Some(&b'*') {
                    at += 1;
                }
                let opens = start == literal || text[start - 1] == b'/';
                let rest = &text[at..];
                let closes = rest.is_empty() || rest[0] == b'/' || rest.starts_with(b"\\/");
                if at - start > 1 && opens && closes {
                    if rest.first() == Some(&b'/') {
                        out.push(Token::MaySkip);
                    }
                    out.push(Token::Stars);
                } else {
                    out.push(Token::Star);
                }
            }
            b'?' => out.push(Token::One),
            b'\\' => {
                let byte = text.get(at).ok_or(PatternError::Escape)?;
                out.push(Token::Byte(fold(*byte)));
                at += 1;
            }
            b'[' => {
                let (class, end) = class(text, at, ignore_case).ok_or(PatternError::Class)?;
                out.push(Token::Class(class));
                at = end;
            }
            byte => out.push(Token::Byte(fold(byte))),
        }
    }
    Ok(out)
}

/// Reads a class whose `[` stands just before `at`; gives the set and the place after its `]`.
fn class(text: &[u8], mut at: usize, ignore_case: bool) -> Option<(Box<[bool; 256]>, usize)> {
    let mut set = Box::new([false; 256]);
    let negated = matches!(text.get(at), Some(b'!' | b'^'));
    at += usize::from(negated);
    let mut before: Option<u8> = None;
    let mut first = true;
    loop {
        let byte = *text.get(at)?;
        match byte {
            b']' if !first => break,
            b'\\' => {
                at += 1;
                let byte = *text.get(at)?;
                set[usize::from(byte)] = true;
                before = Some(byte);
            }
            b'-' if before.is_some() && text.get(at + 1).is_some_and(|next| *next != b']') => {
                at += 1;
                let mut last = *text.get(at)?;
                if last == b'\\' {
                    at += 1;
                    last = *text.get(at)?;
                }
                for byte in before?..=last {
                    set[usize::from(byte)] = true;
                }
                before = None;
            }
            b'[' if text.get(at + 1) == Some(&b':') => {
                let name = at + 2;
                let end = name + text.get(name..)?.iter().position(|byte| *byte == b']')?;
                if end > name && text[end - 1] == b':' {
                    let is = named(&text[name..end - 1])?;
                    for byte in 0..=255_u8 {
                        set[usize::from(byte)] |= is(&byte);
                    }
                    at = end;
                    before = None;
                } else {
                    set[usize::from(b'[')] = true;
                    before = Some(b'[');
                }
            }
            byte => {
                set[usize::from(byte)] = true;
                before = Some(byte);
            }
        }
        first = false;
        at += 1;
    }
    if ignore_case {
        for lower in b'a'..=b'z' {
            let upper = lower.to_ascii_uppercase();
            let either = set[usize::from(lower)] || set[usize::from(upper)];
            set[usize::from(lower)] = either;
            set[usize::from(upper)] = either;
        }
    }
    if negated {
        set.iter_mut().for_each(|has| *has = !*has);
    }
    set[usize::from(b'/')] = false;
    Some((set, at + 1))
}

/// The classes that have a name, as `[:digit:]`.
fn named(name: &[u8]) -> Option<fn(&u8) -> bool> {
    Some(match name {
        b"alnum" => u8::is_ascii_alphanumeric,
        b"alpha" => u8::is_ascii_alphabetic,
        b"blank" => |byte| matches!(byte, b' ' | b'\t'),
        b"cntrl" => u8::is_ascii_control,
        b"digit" => u8::is_ascii_digit,
        b"graph" => u8::is_ascii_graphic,
        b"lower" => u8::is_ascii_lowercase,
        b"print" => |byte| matches!(byte, b' '..=b'~'),
        b"punct" => u8::is_ascii_punctuation,
        b"space" => |byte| matches!(byte, b' ' | b'\t'..=b'\r'),
        b"upper" => u8::is_ascii_uppercase,
        b"xdigit" => u8::is_ascii_hexdigit,
        _ => return None,
    })
}

/// Follows every place in the pattern at once, one byte of text after the other.
///
/// Steps that read nothing only lead forward, so one pass in order finds them all.
fn walk(tokens: &[Token], text: &[u8], ignore_case: bool) -> bool {
    let mut here = vec![false; tokens.len() + 1];
    let mut next = here.clone();
    here[0] = true;
    for &byte in text {
        let byte = if ignore_case { byte.to_ascii_lowercase() } else { byte };
        next.fill(false);
        let mut alive = false;
        for (place, token) in tokens.iter().enumerate() {
            if !here[place] {
                continue;
            }
            let to = match token {
                Token::Byte(want) => (*want == byte).then_some(place + 1),
                Token::One => (byte != b'/').then_some(place + 1),
                Token::Class(set) => set[usize::from(byte)].then_some(place + 1),
                Token::Star => (byte != b'/').then_some(place),
                Token::Stars => Some(place),
                Token::MaySkip => None,
            };
            pass(token, &mut here, place);
            if let Some(to) = to {
                next[to] = true;
                alive = true;
            }
        }
        if !alive {
            return false;
        }
        std::mem::swap(&mut here, &mut next);
    }
    for (place, token) in tokens.iter().enumerate() {
        if here[place] {
            pass(token, &mut here, place);
        }
    }
    here[tokens.len()]
}

/// Marks the places that are reached from `place` without reading a byte.
fn pass(token: &Token, here: &mut [bool], place: usize) {
    match token {
        Token::Star | Token::Stars => here[place + 1] = true,
        Token::MaySkip => {
            here[place + 1] = true;
            here[place + 3] = true;
        }
        Token::Byte(_) | Token::One | Token::Class(_) => {}
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    fn takes(lines: &str, path: &str) -> bool {
        let (path, is_dir) = path.strip_suffix('/').map_or((path, false), |dir| (dir, true));
        Patterns::gitignore(lines.as_bytes()).verdict(path.as_bytes(), is_dir) == Some(true)
    }

    #[test]
    fn a_pattern_with_a_slash_is_anchored_and_one_without_is_not() {
        assert!(takes("build", "a/b/build") && takes("build", "build/"));
        assert!(takes("/build", "build") && !takes("/build", "a/build"));
        assert!(takes("a/b", "a/b") && !takes("a/b", "x/a/b"));
        assert!(takes("build/", "x/build/") && !takes("build/", "build"));
    }

    #[test]
    fn the_last_match_decides() {
        assert!(takes("*.md\n!keep.md", "x.md") && !takes("*.md\n!keep.md", "keep.md"));
        assert!(takes("!keep.md\n*.md", "keep.md"));
        let patterns = Patterns::gitignore(b"/*\n!/docs/");
        assert_eq!(patterns.verdict(b"docs", true), Some(false));
        assert_eq!(patterns.verdict(b"docs/x.md", false), None);
    }

    #[test]
    fn stars_stop_at_folders_and_double_stars_do_not() {
        assert!(takes("a/*.md", "a/x.md") && !takes("a/*.md", "a/b/x.md"));
        assert!(takes("a/**/x", "a/x") && takes("a/**/x", "a/b/c/x") && !takes("a/**/x", "ax"));
        assert!(takes("**/x/y", "x/y") && takes("**/x/y", "a/b/x/y") && !takes("**/x/y", "ax/y"));
        assert!(takes("a/**", "a/b/c") && !takes("a/**", "a/"));
        assert!(takes("a/b**c/d", "a/bxc/d") && !takes("/x*b**c/d", "x/b/c/d"));
    }

    #[test]
    fn only_unescaped_spaces_at_the_end_are_cut() {
        assert!(takes("x.md   ", "x.md") && takes("x\\ ", "x ") && !takes("x\\ ", "x"));
        assert!(takes("x\t", "x\t") && takes("x\r\n", "x"));
        assert!(takes("\\#x", "#x") && takes("\\!x", "!x") && !takes("#x", "#x"));
    }

    #[test]
    fn braces_are_plain_and_classes_are_as_in_git() {
        assert!(!takes("*.{a,b}", "x.a") && takes("*.{a,b}", "x.{a,b}"));
        assert!(takes("[[:digit:]x-z]", "5") && takes("[[:digit:]x-z]", "y") && !takes("[[:digit:]x-z]", "a"));
        assert!(takes("a[!b]c", "axc") && !takes("a[!b]c", "abc") && !takes("d/a[!b]c", "d/a/c"));
        assert!(takes("[]-]", "]") && takes("[]-]", "-") && takes("[\\]a]", "]"));
        assert!(!takes("[ab", "[ab") && !takes("[[:nope:]]", "n") && !takes("x\\", "x\\"));
    }

    #[test]
    fn hostile_patterns_match_nothing() {
        let stars = "*a".repeat(2000);
        assert!(!takes(&stars, &"a".repeat(4000).replace("aaaa", "aaab")));
        assert!(!takes(&format!("{}b", "a**/".repeat(1000)), &"a/".repeat(2000)));
        assert!(!takes(&"[".repeat(100_000), "x") && !takes(&"{".repeat(100_000), "x"));
    }

    #[test]
    fn case_counts_unless_it_is_told_not_to() {
        let mut patterns = Patterns::default();
        patterns.push(b"Docs/[a-c]*.PEM", true).unwrap();
        assert_eq!(patterns.verdict(b"dOCS/Bx.pem", false), Some(true));
        assert!(!takes("*.PEM", "x.pem"));
        assert_eq!(patterns.push(b"", true), Err(PatternError::Empty));
        assert_eq!(patterns.push(b"a[", true), Err(PatternError::Class));
        assert_eq!(patterns.push(b"a\\", true), Err(PatternError::Escape));
    }
}
