//! Ignore patterns exactly as git reads them, for `.gitignore` files and `deny_paths`.
//!
//! This is code of our own since a file that git lists and a build does not, or the other way round, is one too few or
//! too many in a pack. Over the patterns and files of `tests/laws/git.rs`, compared with `git check-ignore`,
//! `ignore::gitignore` 0.4.34 (over `globset`) is wrong for 10 of 74 patterns, and this for none: to git braces are plain
//! characters, `[!a]` never matches `/`, classes have names (`[[:digit:]]`), and a tab at the end of a line counts.
//! `ignore` also compiles all patterns of a file together: half a megabyte of globs takes it 5 s, after which it ignores
//! nothing. Here a pattern is matched by walking all its positions side by side, so that it takes at most its length
//! times the path's.

use std::collections::HashMap;

/// Longer patterns match nothing: no path is as long.
const MAX_BYTES: usize = 4096;

/// An ordered list of ignore patterns; the last that matches decides.
#[derive(Debug, Clone, Default)]
pub struct IgnorePatterns {
    list: Vec<IgnorePattern>,
    /// The indexes of the patterns by the last byte of what they match, and of those that do not say it, by none.
    by_end: HashMap<Option<u8>, Vec<usize>>,
}

impl IgnorePatterns {
    /// Reads the lines of a `.gitignore` file. Patterns that can match nothing are skipped, as git does.
    pub fn gitignore(text: &[u8]) -> Self {
        Self::read(text, false)
    }

    /// Reads lines as [`IgnorePatterns::gitignore`] does, for paths in lower case.
    pub(super) fn for_lower_case(text: &str) -> Self {
        Self::read(text.as_bytes(), true)
    }

    fn read(text: &[u8], fold: bool) -> Self {
        let text = text.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(text);
        let lines = text.split(|byte| *byte == b'\n').map(|line| line.strip_suffix(b"\r").unwrap_or(line));
        let patterns = lines.filter(|line| !line.starts_with(b"#")).map(without_trailing_spaces);
        let mut all = Self::default();
        patterns.filter_map(|line| IgnorePattern::parse(line, fold).ok()).for_each(|pattern| all.add(pattern));
        all
    }

    fn add(&mut self, pattern: IgnorePattern) {
        let literal = pattern.tail.last().or_else(|| pattern.head.last().filter(|_| pattern.is_literal()));
        self.by_end.entry(literal.copied()).or_default().push(self.list.len());
        self.list.push(pattern);
    }

    /// Adds one pattern for paths in lower case; `!` in front makes it an exception.
    pub(super) fn push(&mut self, written: &str) -> Result<(), &'static str> {
        self.add(IgnorePattern::parse(written.as_bytes(), true)?);
        Ok(())
    }

    /// Returns the verdict of the last pattern that matches `path`, which is relative to the patterns' own folder: `true`
    /// if it is ignored, `false` for an exception.
    pub fn verdict(&self, path: &[u8], is_dir: bool) -> Option<bool> {
        self.deciding(path, is_dir).map(|(_, verdict)| verdict)
    }

    /// Returns what [`IgnorePatterns::verdict`] does, with the index of the pattern that decides.
    pub(super) fn deciding(&self, path: &[u8], is_dir: bool) -> Option<(usize, bool)> {
        let name = memchr::memrchr(b'/', path).map_or(path, |slash| &path[slash + 1..]);
        let matching = |at: &&usize| self.list[**at].matches(path, name, is_dir);
        let ends = [path.last().copied(), None].into_iter().filter_map(|end| self.by_end.get(&end));
        let last = *ends.filter_map(|patterns| patterns.iter().rev().find(matching)).max()?;
        Some((last, !self.list[last].negative))
    }

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

/// A pattern. The literal bytes at both ends are compared first: most patterns have some, and then take 15 to 25 ns a path
/// in place of 60, or 2,350 for `**/*.rs.bk`.
#[derive(Debug, Clone)]
struct IgnorePattern {
    negative: bool,
    dir_only: bool,
    /// Whether it has no `/` inside, and is compared with the last part of a path.
    name_only: bool,
    tokens: Vec<Token>,
    shortest: usize,
    head: Vec<u8>,
    tail: Vec<u8>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Token {
    Byte(u8),
    /// One of these bytes; never `/`.
    Class(Box<[bool; 256]>),
    Star,
    Stars,
    /// The next two tokens, `Stars` and `/`, may be left out together.
    MaySkip,
}

impl IgnorePattern {
    fn parse(written: &[u8], fold: bool) -> Result<Self, &'static str> {
        let (negative, text) = written.strip_prefix(b"!").map_or((false, written), |rest| (true, rest));
        let (dir_only, text) = text.strip_suffix(b"/").map_or((false, text), |rest| (true, rest));
        let name_only = !text.contains(&b'/');
        let text = text.strip_prefix(b"/").unwrap_or(text);
        match text.len() {
            0 => return Err("the pattern is empty"),
            MAX_BYTES.. => return Err("the pattern is longer than any path"),
            _ => {}
        }
        let tokens = tokens(text, fold)?;
        let one_byte = tokens.iter().filter(|token| matches!(token, Token::Byte(_) | Token::Class(_))).count();
        let skipped = tokens.iter().filter(|token| **token == Token::MaySkip).count();
        let (head, tail) = ends(&tokens);
        Ok(Self { negative, dir_only, name_only, tokens, shortest: one_byte - skipped, head, tail })
    }

    fn is_literal(&self) -> bool {
        self.head.len() == self.tokens.len()
    }

    /// Returns whether it matches `path`, whose last part is `name`.
    fn matches(&self, path: &[u8], name: &[u8], is_dir: bool) -> bool {
        let text = if self.name_only { name } else { path };
        (is_dir || !self.dir_only)
            && text.len() >= self.shortest
            && text.starts_with(&self.head)
            && text.ends_with(&self.tail)
            && walk(&self.tokens, text)
    }
}

/// Returns the bytes with which every match of the tokens begins, and those with which it ends; together they are no
/// longer than the shortest match.
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

/// Splits a pattern into its wildcards and plain bytes.
fn tokens(text: &[u8], fold: bool) -> Result<Vec<Token>, &'static str> {
    let plain = |byte: u8| Token::Byte(if fold { byte.to_ascii_lowercase() } else { byte });
    // git compares the text before the first wildcard by itself, and reads `**` right after it as at the beginning.
    let literal = text.iter().position(|byte| b"*?[\\".contains(byte)).unwrap_or(text.len());
    let mut out: Vec<Token> = text[..literal].iter().map(|byte| plain(*byte)).collect();
    let mut at = literal;
    while let Some(&byte) = text.get(at) {
        at += 1;
        match byte {
            b'*' => {
                let start = at - 1;
                at += text[at..].iter().take_while(|byte| **byte == b'*').count();
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
            b'?' => {
                let mut any = Box::new([true; 256]);
                any[usize::from(b'/')] = false;
                out.push(Token::Class(any));
            }
            b'\\' => {
                out.push(plain(*text.get(at).ok_or("the pattern ends in a backslash")?));
                at += 1;
            }
            b'[' => {
                let unclear = "the pattern has a `[` that is not closed, or a class name that is unknown";
                let (class, end) = class(text, at, fold).ok_or(unclear)?;
                out.push(Token::Class(class));
                at = end;
            }
            byte => out.push(plain(byte)),
        }
    }
    Ok(out)
}

/// Reads a class whose `[` is just before `at`. Returns the set and the index after its `]`.
fn class(text: &[u8], mut at: usize, fold: bool) -> Option<(Box<[bool; 256]>, usize)> {
    let mut set = Box::new([false; 256]);
    let negated = matches!(text.get(at), Some(b'!' | b'^'));
    at += usize::from(negated);
    let begin = at;
    // The byte before a `-`, if a range may begin with it.
    let mut before: Option<u8> = None;
    loop {
        let mut byte = *text.get(at)?;
        let range = before.filter(|_| byte == b'-' && text.get(at + 1).is_some_and(|next| *next != b']'));
        if byte == b']' && at > begin {
            break;
        }
        if let Some((is, end)) = class_name(text, at)? {
            (0..=255_u8).for_each(|byte| set[usize::from(byte)] |= is(&byte));
            (at, before) = (end, None);
            continue;
        }
        if range.is_some() {
            at += 1;
            byte = *text.get(at)?;
        }
        if byte == b'\\' {
            at += 1;
            byte = *text.get(at)?;
        }
        (range.unwrap_or(byte)..=byte).for_each(|byte| set[usize::from(byte)] = true);
        before = range.is_none().then_some(byte);
        at += 1;
    }
    if fold {
        (b'a'..=b'z').for_each(|byte| set[usize::from(byte)] |= set[usize::from(byte.to_ascii_uppercase())]);
    }
    if negated {
        set.iter_mut().for_each(|has| *has = !*has);
    }
    set[usize::from(b'/')] = false;
    Some((set, at + 1))
}

/// Reads a class with a name, such as `[:digit:]`, at `at`, if there is one. Returns its members and the index after it;
/// the outer `None` is for a name that does not exist, or a class without an end.
#[expect(clippy::type_complexity, reason = "a name for this would be used once")]
fn class_name(text: &[u8], at: usize) -> Option<Option<(fn(&u8) -> bool, usize)>> {
    let Some(rest) = text[at..].strip_prefix(b"[:") else { return Some(None) };
    let end = rest.iter().position(|byte| *byte == b']')?;
    let Some(name) = rest[..end].strip_suffix(b":") else { return Some(None) };
    let is: fn(&u8) -> bool = match name {
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
    };
    Some(Some((is, at + 2 + end + 1)))
}

/// Follows all positions in the pattern at once, one byte of text after the other.
///
/// Steps that read nothing only lead forward, so that one pass in order finds them all.
fn walk(tokens: &[Token], text: &[u8]) -> bool {
    let mut here = vec![false; tokens.len() + 1];
    let mut next = here.clone();
    here[0] = true;
    for &byte in text {
        next.fill(false);
        let mut alive = false;
        for (position, token) in tokens.iter().enumerate() {
            if !here[position] {
                continue;
            }
            let to = match token {
                Token::Byte(want) => (*want == byte).then_some(position + 1),
                Token::Class(set) => set[usize::from(byte)].then_some(position + 1),
                Token::Star => (byte != b'/').then_some(position),
                Token::Stars => Some(position),
                Token::MaySkip => None,
            };
            mark_skips(token, &mut here, position);
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
    for (position, token) in tokens.iter().enumerate() {
        if here[position] {
            mark_skips(token, &mut here, position);
        }
    }
    here[tokens.len()]
}

/// Marks the positions that are reached from `position` without reading a byte.
fn mark_skips(token: &Token, here: &mut [bool], position: usize) {
    match token {
        Token::Star | Token::Stars => here[position + 1] = true,
        Token::MaySkip => {
            here[position + 1] = true;
            here[position + 3] = true;
        }
        Token::Byte(_) | Token::Class(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn takes(lines: &str, path: &str) -> bool {
        IgnorePatterns::gitignore(lines.as_bytes()).verdict(path.as_bytes(), false) == Some(true)
    }

    #[test]
    fn hostile_patterns_match_nothing() {
        let stars = "*a".repeat(2000);
        assert!(!takes(&stars, &"a".repeat(4000).replace("aaaa", "aaab")));
        assert!(!takes(&format!("{}b", "a**/".repeat(1000)), &"a/".repeat(2000)));
        assert!(!takes(&"[".repeat(100_000), "x") && !takes(&"{".repeat(100_000), "x"));
    }
}
