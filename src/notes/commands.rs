//! The first commands of a block of code, as they stand in a rule.

use crate::redact::{Clean, CleanBuf};
use std::ops::Range;

/// A rule holds at most so many commands of a block,
const COMMANDS: usize = 6;
/// lines, with their comments,
const LINES: usize = 10;
/// and bytes.
const BYTES: usize = 500;

/// Programs that a block without a language begins with if it is meant for a shell.
const PROGRAMS: [&str; 48] = [
    "ansible-playbook",
    "apt",
    "apt-get",
    "aws",
    "bash",
    "brew",
    "bun",
    "bundle",
    "cargo",
    "cd",
    "cmake",
    "composer",
    "cp",
    "curl",
    "deno",
    "docker",
    "docker-compose",
    "dotnet",
    "gh",
    "git",
    "go",
    "gradle",
    "helm",
    "just",
    "kubectl",
    "make",
    "mkdir",
    "mvn",
    "mypy",
    "node",
    "nox",
    "npm",
    "npx",
    "pip",
    "pnpm",
    "poetry",
    "pre-commit",
    "pytest",
    "python",
    "python3",
    "rake",
    "ruff",
    "rustup",
    "sh",
    "sudo",
    "terraform",
    "tox",
    "yarn",
];

/// Returns whether a block of code without a language is meant for a shell.
pub(super) fn is_for_shell(code: &str) -> bool {
    let mut lines = code.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')).take(1);
    let first = lines.next().unwrap_or_default().trim_start_matches("$ ");
    let program = first.split(' ').next().unwrap_or_default();
    PROGRAMS.binary_search(&program).is_ok() || program.starts_with("./") && program.len() > 2
}

/// Returns the first lines of a block of code as inline code, and whether they are all of it; `None` if there are none
/// that can be quoted.
///
/// Comments stay before their command. Where commands stand behind `$`, what they print is left out.
pub(super) fn commands(document: &Clean, ranges: &[Range<usize>]) -> Option<(Clean, bool)> {
    let is_prompt = |range: &Range<usize>| {
        document[range.clone()].lines().take(LINES).any(|line| line.trim_start().starts_with("$ "))
    };
    let has_prompt = ranges.iter().take(LINES).any(is_prompt);
    let mut code = CleanBuf::new();
    // What stays if no command follows the comments behind it.
    let mut whole = None;
    let (mut lines, mut commands, mut continues) = (0, 0, false);
    for range in ranges {
        let mut at = range.start;
        for line in document[range.clone()].split('\n') {
            let bare = line.trim();
            let start = at + (line.len() - line.trim_start().len());
            at += line.len() + 1;
            let is_said = !has_prompt || continues || bare.starts_with('#');
            let command = bare.strip_prefix("$ ").filter(|_| has_prompt).or(is_said.then_some(bare));
            let command = command.filter(|command| !command.is_empty());
            let Some(command) = command else { continue };
            let is_comment = command.starts_with('#');
            let is_new = !is_comment && !std::mem::replace(&mut continues, command.ends_with('\\'));
            lines += 1;
            commands += usize::from(is_new);
            let too_much = lines > LINES || commands > COMMANDS || code.as_str().len() + command.len() > BYTES;
            if too_much || command.contains("``") {
                return whole.map(|code| (code, false));
            }
            let mark = if command.contains('`') { ["`` ", " ``"] } else { ["`", "`"] };
            if !code.is_empty() {
                code.lit(" ");
            }
            let from = start + (bare.len() - command.len());
            code.lit(mark[0]).text(&document.slice(from..from + command.len())).lit(mark[1]);
            if !is_comment && !continues {
                whole = Some(code.clone().finish());
            }
        }
    }
    whole.map(|code| (code, true))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &'static str) -> Option<(String, bool)> {
        let document = Clean::literal(text);
        commands(&document, std::slice::from_ref(&(0..text.len()))).map(|(code, is_whole)| (code.to_string(), is_whole))
    }

    #[test]
    fn the_first_commands_stay_with_their_comments() {
        assert!(PROGRAMS.is_sorted() && is_for_shell("# build\n$ make all\n") && !is_for_shell("make_all()"));
        let expected = |code: &str, is_whole| Some((code.to_owned(), is_whole));
        assert_eq!(
            found("# If it is stale:\nrm a\n\nmake\n# end\n"),
            expected("`# If it is stale:` `rm a` `make`", true)
        );
        assert_eq!(found("a \\\n  --b\nc `d`\n"), expected("`a \\` `--b` `` c `d` ``", true));
        assert_eq!(found("$ a\nprinted\n$ b\n"), expected("`a` `b`", true));
        assert_eq!(found("a\nb\nc\nd\ne\nf\n# and\ng\n"), expected("`a` `b` `c` `d` `e` `f`", false));
        assert_eq!(found("# nothing\n"), None);
    }
}
