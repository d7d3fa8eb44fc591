//! Compares the listing with git itself, over random nests of ignore files.

#![expect(clippy::unwrap_used, reason = "tests")]

use super::tests::{Sandbox, names};
use std::fs;

/// Lines that git reads in ways worth comparing.
const LINES: &[&str] = &[
    "*.md",
    "!*.md",
    "x.md",
    "!x.md",
    "/x.md",
    "!/x.md",
    "a/",
    "!a/",
    "/a/",
    "b",
    "!b",
    "/*",
    "!/a",
    "!/a/",
    "a/*",
    "!a/b",
    "a/**",
    "**/b",
    "**/b/**",
    "a/**/x.md",
    "!a/**/x.md",
    "/**/x.md",
    "**",
    "*",
    "!*/",
    "x.md ",
    "x.md\\ ",
    "sp\\ ",
    "sp ",
    "x.?d",
    "[xy].md",
    "[!x].md",
    "[^a-w].md",
    "*.{md,txt}",
    "a/b/x.md",
    "!a/b/x.md",
    "b/x.md",
    "/b/",
    "#x.md",
    "\\#h",
    "\\!e",
    "!\\!e",
    "x.md\r",
    "*x*",
    "a*/x.md",
    "a?/x.md",
    "[[:alpha:]].md",
    "[[:digit:]]*",
    "[a",
    "\\x.md",
    "x.md\\",
    "**x.md",
    "a**/x.md",
    "a/b**",
    "**/",
    "/**",
    "/",
    "!",
    "",
    " ",
    "\\",
    "***",
    "a//x.md",
    "./x.md",
    "a/./x.md",
    "?.md",
    "é*",
    "??.md",
    "[é].md",
    "a/[!z]/x.md",
    "a[/]x.md",
    "a[!x]x.md",
    "*/*",
    "*/x.md",
    "!*/x.md",
    "**/*.md",
    "tab\t",
    "a/b/",
    "b**/x.md",
    "ab**b/x.md",
    "a/**/b/**/x.md",
    "*.m*d",
    "*[.]md",
    "[]x].md",
    "[x-].md",
    "[\\x].md",
    "[a-\\x].md",
    "*a",
];

const FILES: &[&str] = &[
    "x.md",
    "y.md",
    "-.md",
    "é.md",
    "n.txt",
    "#h",
    "!e",
    "sp ",
    "tab\t",
    "1",
    "x.{md,txt}",
    "a/x.md",
    "a/y.md",
    "a/n.txt",
    "a/b/x.md",
    "a/b/y.md",
    "a/b/a/x.md",
    "a/b/b/x.md",
    "b/x.md",
    "b/a/x.md",
    "b/b/y.md",
    "b/a/b/x.md",
    "ab/x.md",
    "abb/x.md",
    "ab/c/b/x.md",
    "abxb/x.md",
    "x.md /q",
    "[a",
    "\\x.md",
    "bx/y/x.md",
    "c/a/x.md",
    "c/b",
    "c/x.md\\",
];

#[test]
fn the_listing_agrees_with_git() {
    let sandbox = Sandbox::with_git();
    for file in FILES {
        sandbox.write(file, "");
    }
    let mut state = 0x2545_F491_4F6C_DD1D_u64;
    let mut next = |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        usize::try_from(state % below as u64).unwrap()
    };
    for case in 0..60 {
        for folder in ["", "a/", "a/b/", "b/", "c/"] {
            let lines: Vec<&str> = (0..next(5)).map(|_| LINES[next(LINES.len())]).collect();
            let file = format!("{folder}.gitignore");
            if lines.is_empty() {
                let _absent = fs::remove_file(sandbox.at(&file));
            } else {
                sandbox.write(&file, lines.join("\n"));
            }
        }
        let listed = sandbox.git(&["ls-files", "-z", "--others", "--exclude-per-directory=.gitignore"]);
        let mut expected: Vec<&str> = listed.split_terminator('\0').collect();
        expected.sort_unstable();
        let repo = sandbox.repo();
        let rules: Vec<String> = ["", "a/", "a/b/", "b/", "c/"]
            .iter()
            .map(|folder| {
                format!("{folder}: {:?}", fs::read_to_string(sandbox.at(&format!("{folder}.gitignore"))).ok())
            })
            .collect();
        assert_eq!(names(&repo), expected, "case {case}: {rules:#?}");
    }
}
