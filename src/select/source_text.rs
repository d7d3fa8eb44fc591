//! The structure of source code by its indentation and the shape of its lines, for any language.
//!
//! There is no parser here: a grammar for each language would be larger than the rest of the program, and a file that a
//! grammar refuses would have no outline. Two observations hold for nearly all code that people commit: a block is
//! indented deeper than the line that begins it, and a definition begins with one of a few dozen words (`fn`, `def`,
//! `class`, `CREATE TABLE`) or has the form `name(…) {`. A line that is misjudged costs a line of an outline.

use std::ops::{Range, RangeInclusive};

/// The columns of a tab.
const TAB: usize = 4;

/// The most lines of comments and attributes above a definition that belong to it.
const MOST_ABOVE: usize = 12;

/// The longest line that may be a definition, in bytes.
const LONGEST: usize = 400;

/// A text by its lines, counted from 0.
pub(super) struct SourceText<'a> {
    text: &'a str,
    lines: Vec<Range<usize>>,
    /// The indentation of each line; `None` for a blank one.
    indents: Vec<Option<usize>>,
    syntax: Syntax,
}

/// The family of a file's language, by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Syntax {
    Code,
    Make,
    Yaml,
    Toml,
    Json,
    Sql,
    Docker,
    Css,
    Terraform,
    Markup,
    Headings,
}

/// A line that begins a definition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SourceDefinition {
    /// It may hold others: a class, a module.
    Container,
    /// What it holds is its own matter: a function.
    Leaf,
}

impl<'a> SourceText<'a> {
    /// Reads the text of the file `name`.
    pub(super) fn new(name: &str, text: &'a str) -> Self {
        let mut lines = Vec::new();
        let mut start = 0;
        for line in text.split_inclusive('\n') {
            lines.push(start..start + line.trim_end_matches('\n').len());
            start += line.len();
        }
        let indents = lines.iter().map(|range| indent(&text[range.clone()])).collect();
        Self { text, lines, indents, syntax: syntax_of(name) }
    }

    /// Returns how many lines there are.
    pub(super) fn len(&self) -> usize {
        self.lines.len()
    }

    /// Returns the bytes of some lines, without the last line's end.
    pub(super) fn bytes(&self, lines: RangeInclusive<usize>) -> Range<usize> {
        let start = self.lines.get(*lines.start()).map_or(self.text.len(), |line| line.start);
        let end = self.lines.get(*lines.end()).map_or(self.text.len(), |line| line.end);
        start..end.max(start)
    }

    fn line(&self, index: usize) -> &'a str {
        self.lines.get(index).map_or("", |range| &self.text[range.clone()])
    }

    /// Returns the innermost definition around some lines, else the innermost block; `None` if they are in none.
    ///
    /// The first line of the answer is its head; comments and attributes above it are left to [`Self::lead`].
    pub(super) fn block_around(&self, lines: &RangeInclusive<usize>) -> Option<RangeInclusive<usize>> {
        let inner = self.indents.get(lines.clone())?.iter().flatten().min().copied();
        let first = lines.clone().find(|line| self.indents[*line].is_some())?;
        // The end of a block is a part of it.
        let closes = self.line(first).trim_start().starts_with(['}', ')', ']']);
        let inner = inner? + usize::from(closes);
        let head = if self.indents[first] == Some(inner) && self.definition(first).is_some() {
            first
        } else {
            self.head_above(first, inner)?
        };
        Some(head..=self.end_of(head).max(*lines.end()))
    }

    /// Returns the first line of the comments and attributes directly above a definition.
    pub(super) fn lead(&self, head: usize) -> usize {
        let above = (head.saturating_sub(MOST_ABOVE)..head).rev();
        above
            .take_while(|line| self.indents[*line] == self.indents[head] && is_lead(self.line(*line)))
            .last()
            .unwrap_or(head)
    }

    fn head_above(&self, first: usize, inner: usize) -> Option<usize> {
        let mut limit = inner;
        let mut innermost = None;
        for line in (0..first).rev() {
            let Some(indent) = self.indents[line].filter(|indent| *indent < limit) else { continue };
            let text = self.line(line).trim();
            // Preprocessor lines and comments stand anywhere.
            if is_lead(text) {
                continue;
            }
            if text.starts_with(['}', ')', ']', '{']) {
                // The head of this block is further up, at the same depth.
                limit = indent + 1;
                continue;
            }
            limit = indent;
            if self.definition(line).is_some() {
                return Some(line);
            }
            innermost.get_or_insert(line);
            if indent == 0 {
                break;
            }
        }
        innermost
    }

    /// Returns the last line of the block that `head` begins.
    fn end_of(&self, head: usize) -> usize {
        let own = self.indents[head].unwrap_or_default();
        let mut last = head;
        for line in head + 1..self.len() {
            let Some(indent) = self.indents[line] else { continue };
            if indent > own {
                last = line;
                continue;
            }
            let text = self.line(line).trim();
            if is_lead(text) {
                continue;
            }
            if indent < own {
                break;
            }
            let opens = text.ends_with(['{', '(', '[', ':']) || text.ends_with("=>");
            if text.starts_with('{') || text.starts_with([')', ']']) && opens {
                last = line;
            } else if text.starts_with(['}', ')', ']']) || matches!(text, "end" | "fi" | "done" | "esac" | "end;") {
                return line;
            } else {
                break;
            }
        }
        last
    }

    /// Returns the lines of definitions, those inside functions left out.
    pub(super) fn definitions(&self) -> Vec<usize> {
        let mut found = Vec::new();
        // The functions around a line, by indentation.
        let mut inside: Option<usize> = None;
        for (line, indent) in self.indents.iter().enumerate() {
            let Some(indent) = *indent else { continue };
            if inside.is_some_and(|outer| indent > outer) {
                continue;
            }
            if let Some(definition) = self.definition(line) {
                found.push(line);
                inside = (definition == SourceDefinition::Leaf).then_some(indent);
            }
        }
        found
    }

    /// Returns the depth of a line, in columns.
    pub(super) fn indent(&self, line: usize) -> usize {
        self.indents.get(line).copied().flatten().unwrap_or_default()
    }

    fn definition(&self, index: usize) -> Option<SourceDefinition> {
        let line = self.line(index);
        let text = line.trim();
        if text.len() > LONGEST || text.is_empty() {
            return None;
        }
        let indent = self.indent(index);
        let key = |separator: char| {
            let name = text.split(separator).next().unwrap_or_default();
            let plain =
                |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '/' | '"' | '\'' | '$' | '@' | '*');
            name.len() < text.len() && !name.is_empty() && name.chars().all(plain)
        };
        let container = |is: bool| is.then_some(SourceDefinition::Container);
        match self.syntax {
            Syntax::Yaml => container(indent <= 4 && key(':')),
            Syntax::Toml => container(text.starts_with('[')),
            Syntax::Json => container(indent <= 4 && text.starts_with('"') && key(':')),
            Syntax::Css => container(indent == 0 && text.ends_with('{')),
            Syntax::Headings => container(text.starts_with('#') && text.trim_start_matches('#').starts_with(' ')),
            Syntax::Markup => container(
                indent <= 2 && text.starts_with('<') && text[1..].starts_with(|c: char| c.is_ascii_alphabetic()),
            )
            .or_else(|| self.code_definition(index, text, indent)),
            Syntax::Docker => container(["FROM ", "ENTRYPOINT ", "CMD "].iter().any(|word| text.starts_with(word))),
            Syntax::Sql => {
                let first: String = text.split_whitespace().take(1).collect::<String>().to_ascii_uppercase();
                matches!(first.as_str(), "CREATE" | "ALTER").then_some(SourceDefinition::Leaf)
            }
            Syntax::Make => {
                let target = text.split([':', '=']).next().unwrap_or_default();
                let rest = &text[target.len()..];
                let rule =
                    indent == 0 && rest.starts_with(':') && !rest.starts_with(":=") && !text.starts_with(['#', '.']);
                (rule && !target.is_empty()).then_some(SourceDefinition::Leaf)
            }
            Syntax::Terraform => {
                let block = indent == 0 && text.ends_with('{') && text.starts_with(|c: char| c.is_ascii_alphabetic());
                block.then_some(SourceDefinition::Leaf)
            }
            Syntax::Code => self.code_definition(index, text, indent),
        }
    }

    fn code_definition(&self, index: usize, text: &str, indent: usize) -> Option<SourceDefinition> {
        if is_lead(text) || text.starts_with(['}', ')', ']', '{', '*']) {
            return None;
        }
        let (rest, exported) = without_modifiers(text);
        let word: &str =
            rest.split(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '!'))).next().unwrap_or_default();
        let after = rest[word.len()..].trim_start();
        let named = after.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '`' | '"' | '\'' | '@'));
        let generic = after.starts_with(['<', '(', '*']);
        match word {
            "class" | "struct" | "enum" | "trait" | "interface" | "module" | "namespace" | "object" | "protocol"
            | "extension" | "actor" | "union" | "contract" | "library" | "defmodule" | "record" | "service"
            | "message" | "mod" | "impl"
                if (named || word == "impl" && generic) && !text.ends_with(';') =>
            {
                return Some(SourceDefinition::Container);
            }
            "mod" | "struct" | "record" if named => return Some(SourceDefinition::Leaf),
            "fn" | "func" | "fun" | "function" | "def" | "defp" | "defmacro" | "defn" | "sub" | "proc"
            | "procedure" | "macro" | "rpc" | "modifier" | "event" | "macro_rules!" | "typealias"
                if named || generic =>
            {
                return Some(SourceDefinition::Leaf);
            }
            "type" if named && (indent == 0 || exported) => {
                let holds = after.contains("interface") || after.contains("struct");
                return Some(if holds { SourceDefinition::Container } else { SourceDefinition::Leaf });
            }
            "describe" | "context" if after.starts_with(['(', '"', '\'']) => return Some(SourceDefinition::Container),
            "it" | "test" | "beforeEach" | "afterEach" if after.starts_with("('") || after.starts_with("(\"") => {
                return Some(SourceDefinition::Leaf);
            }
            "constructor" | "init" if after.starts_with('(') => return Some(SourceDefinition::Leaf),
            "const" | "static" | "let" | "var" | "val" if named => {
                let loads = after.contains("require(") || after.contains("import(");
                let function = after.contains("=>") || after.contains("function");
                let shown = indent == 0 && (word == "const" || exported || function) || exported && function;
                return (shown && !loads).then_some(SourceDefinition::Leaf);
            }
            "if" | "for" | "while" | "switch" | "match" | "return" | "else" | "elif" | "catch" | "do" | "try"
            | "with" | "when" | "unless" | "until" | "await" | "yield" | "throw" | "new" | "case" | "default"
            | "import" | "from" | "use" | "using" | "include" | "foreach" | "select" | "defer" | "go" | "loop"
            | "synchronized" | "lock" => {
                return None;
            }
            _ => {}
        }
        self.is_call_shaped(index, rest, indent).then_some(SourceDefinition::Leaf)
    }

    /// Returns whether a line has the form `type name(…) {`, perhaps with the brace on the next line.
    fn is_call_shaped(&self, index: usize, text: &str, indent: usize) -> bool {
        let Some((head, arguments)) = text.split_once('(') else { return false };
        let words = head.split_whitespace().count();
        let name = head.trim_end().ends_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '>' | '~'));
        let plain = !head.contains(['=', '"', '\'', '.', '!', '|', '+', '?']) && name && words > 0;
        let braced = text.ends_with('{') && !arguments.contains("=>") && !text.starts_with('{');
        let below = || {
            let next = (index + 1..self.len()).find(|line| self.indents[*line].is_some());
            indent <= TAB && words > 1 && text.ends_with(')') && next.is_some_and(|line| self.line(line).trim() == "{")
        };
        plain && (braced || below())
    }
}

/// Removes words such as `pub`, `export` and `async`; returns whether one of them makes the definition public.
fn without_modifiers(text: &str) -> (&str, bool) {
    let mut rest = text;
    let mut exported = false;
    loop {
        let word = rest.split(char::is_whitespace).next().unwrap_or_default();
        let public = matches!(word, "pub" | "export" | "public" | "external") || word.starts_with("pub(");
        let known = public
            || matches!(
                word,
                "default"
                    | "declare"
                    | "abstract"
                    | "private"
                    | "protected"
                    | "internal"
                    | "final"
                    | "async"
                    | "unsafe"
                    | "extern"
                    | "\"C\""
                    | "inline"
                    | "virtual"
                    | "override"
                    | "sealed"
                    | "partial"
                    | "open"
                    | "data"
                    | "suspend"
                    | "local"
                    | "readonly"
            )
            || matches!(word, "const" | "static") && is_modifier(rest, word);
        if !known || word.len() == rest.len() {
            return (rest, exported);
        }
        exported |= public;
        rest = rest[word.len()..].trim_start();
    }
}

/// Returns whether `const` or `static` only describes the function or type that follows: `const fn`, `static int f(`.
fn is_modifier(rest: &str, word: &str) -> bool {
    let after = rest[word.len()..].trim_start();
    let next = after.split(char::is_whitespace).next().unwrap_or_default();
    matches!(next, "fn" | "unsafe" | "async" | "class" | "enum" | "struct" | "extern")
        || word == "static" && after.contains('(') && !after.contains('=')
}

/// Returns whether a line is a comment or an attribute, which belongs to the definition below it.
fn is_lead(line: &str) -> bool {
    let text = line.trim();
    ["//", "#", "@", "/*", "* ", "--", ";;"].iter().any(|start| text.starts_with(start)) || matches!(text, "*" | "*/")
}

fn indent(line: &str) -> Option<usize> {
    let body = line.trim_start();
    if body.is_empty() {
        return None;
    }
    Some(line[..line.len() - body.len()].chars().map(|c| if c == '\t' { TAB } else { 1 }).sum())
}

fn syntax_of(name: &str) -> Syntax {
    let lower = name.to_ascii_lowercase();
    let extension = lower.rsplit_once('.').map_or("", |(_, extension)| extension);
    if lower.contains("makefile") || extension == "mk" {
        return Syntax::Make;
    }
    if lower.starts_with("dockerfile") || lower.starts_with("containerfile") || extension == "dockerfile" {
        return Syntax::Docker;
    }
    match extension {
        "yml" | "yaml" => Syntax::Yaml,
        "toml" | "ini" | "cfg" | "conf" | "editorconfig" => Syntax::Toml,
        "json" | "jsonc" | "json5" => Syntax::Json,
        "sql" => Syntax::Sql,
        "css" | "scss" | "less" => Syntax::Css,
        "tf" | "hcl" => Syntax::Terraform,
        "html" | "xml" | "vue" | "svelte" | "svg" => Syntax::Markup,
        "mdx" | "markdown" | "mdc" => Syntax::Headings,
        _ => Syntax::Code,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outline(name: &str, text: &str) -> Vec<usize> {
        SourceText::new(name, text).definitions().into_iter().map(|line| line + 1).collect()
    }

    #[test]
    fn definitions_of_many_languages_are_found() {
        for (name, text, expected) in [
            (
                "a.rs",
                "use x;\n\npub fn f() {\n    fn g() {}\n}\nimpl A {\n    pub(crate) async fn h(&self) {\n    }\n}\nconst X: u8 = 1;\n",
                vec![3, 6, 7, 10],
            ),
            (
                "a.py",
                "import x\n\n@dec\ndef f(a):\n    def g():\n        pass\n\nclass A:\n    async def h(self):\n        return f(\n            1)\n",
                vec![4, 8, 9],
            ),
            (
                "a.ts",
                "import x from 'y';\nexport const f = async (a: string) => {\n  g();\n};\nexport interface I {\n  a: b;\n}\nclass C {\n  constructor(a) {\n  }\n  private h(a: b): c {\n    if (a) {\n    }\n  }\n}\nconst x = require('x');\n",
                vec![2, 5, 8, 9, 11],
            ),
            (
                "a.go",
                "package a\n\ntype T struct {\n\tA int\n}\n\nfunc (t *T) F(a int) error {\n\tgo func() {}()\n}\n",
                vec![3, 7],
            ),
            (
                "A.java",
                "package a;\npublic class A {\n    private static int f(int a) throws E {\n        return g(a);\n    }\n    for (int i : x) {\n    }\n}\n",
                vec![2, 3],
            ),
            (
                "a.c",
                "#include <x.h>\nstatic int f(int a)\n{\n    return g(a);\n}\nstruct s {\n    int a;\n};\n",
                vec![2, 6],
            ),
            ("a.sh", "set -e\nf() {\n  echo\n}\nfunction g {\n  f\n}\nif true; then\n  f\nfi\n", vec![2, 5]),
            ("Makefile", "A := 1\nall: build\n\techo: x\n.PHONY: all\nbuild/%.o: a\n\tcc\n", vec![2, 5]),
            (
                "a.yml",
                "on:\n  push:\n    branches: [a]\njobs:\n  b:\n    steps:\n      - run: x: y\n",
                vec![1, 2, 3, 4, 5, 6],
            ),
            ("a.toml", "[a]\nb = 1\n[[c]]\n", vec![1, 3]),
            ("a.sql", "create table a (\n  b int\n);\nSELECT 1;\n", vec![1]),
            ("a.tf", "resource \"a\" \"b\" {\n  c = 1\n  d {\n  }\n}\n", vec![1]),
            ("a.ex", "defmodule A do\n  def f(a) do\n    a\n  end\nend\n", vec![1, 2]),
            ("a.test.js", "describe('a', () => {\n  it('b', () => {\n    expect(1);\n  });\n});\n", vec![1, 2]),
        ] {
            assert_eq!(outline(name, text), expected, "{name}");
        }
    }

    #[test]
    fn the_block_around_a_line_is_that_of_its_function() {
        let block = |name: &str, text: &str, line: usize| {
            let source = SourceText::new(name, text);
            source.block_around(&(line - 1..=line - 1)).map(|block| (block.start() + 1, block.end() + 1))
        };
        let rust = "use x;\n\n/// F.\nfn f(\n    a: u8,\n) -> u8 {\n    if a {\n        b()\n    }\n}\n\nfn g() {}\n";
        assert_eq!(block("a.rs", rust, 8), Some((4, 10)));
        assert_eq!(block("a.rs", rust, 4), Some((4, 10)));
        assert_eq!(block("a.rs", rust, 10), Some((4, 10)));
        assert_eq!(block("a.rs", rust, 12), Some((12, 12)));
        assert_eq!(block("a.rs", rust, 1), None);
        let python =
            "class A:\n    def f(self):\n# odd\n        a = 1\n\n        return a\n\n    def g(self):\n        pass\n";
        assert_eq!(block("a.py", python, 4), Some((2, 6)));
        assert_eq!(block("a.py", python, 9), Some((8, 9)));
        let c = "int f(int a)\n{\n    a++;\n#if X\n    a--;\n#endif\n}\nint x;\n";
        assert_eq!(block("a.c", c, 5), Some((1, 7)));
        let yaml = "a:\n  b:\n    c: 1\n  d: 2\n";
        assert_eq!(block("a.yml", yaml, 3), Some((3, 3)));
    }

    #[test]
    fn hostile_texts_are_read_in_linear_time() {
        for piece in
            ["{\n", "}\n", "\t", "fn f() {\n", "(", "a(", "#\n", "@\n", "    )\n  (\n", "pub ", "const static "]
        {
            let text = piece.repeat(400_000 / piece.len());
            let source = SourceText::new("a.rs", &text);
            assert!(source.definitions().len() <= source.len());
            let last = source.len() - 1;
            let _ = source.block_around(&(last..=last));
        }
    }
}
