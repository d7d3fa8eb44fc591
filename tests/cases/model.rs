//! Cases of tests as files beside this one, which unit tests run: what is asked, and what is answered. `CONTEXTPACK_BLESS=1`
//! writes the answers anew.

#![expect(clippy::unwrap_used, reason = "tests")]

use super::*;
use std::fmt::Write as _;
use std::num::NonZeroU32;
use std::path::Path;

/// Compares a file of blocks, `==== title`, a text, `--` and the answer, with the answers to titles and texts.
pub(crate) fn hold_blocks(file: &str, answer: impl Fn(&str, &str) -> String) {
    hold(file, |written| {
        let (mut now, mut question, mut is_answer) = (String::new(), None, false);
        for line in written.lines() {
            if line == "====" || line.starts_with("==== ") {
                (question, is_answer) = (Some((line[4..].trim(), String::new())), false);
            } else if line == "--"
                && let Some((title, text)) = question.take()
            {
                is_answer = true;
                let _written = writeln!(now, "--\n{}", answer(title, &text));
                continue;
            } else if let Some((_, text)) = &mut question {
                *text += &format!("{line}\n");
            }
            if !is_answer {
                let _written = writeln!(now, "{line}");
            }
        }
        now
    });
}

/// Compares a file of lines `question | answer` below titles `== kind` with the answers to kinds and questions. A question in
/// double quotes is a JSON string.
pub(crate) fn hold_lines(file: &str, answer: impl Fn(&str, &str) -> String) {
    hold(file, |written| {
        let (mut now, mut kind) = (String::new(), "");
        for line in written.lines() {
            kind = line.strip_prefix("== ").unwrap_or(kind);
            let _written = match line.rsplit_once(" | ") {
                Some((question, _)) => {
                    let plain = serde_json::from_str(question).unwrap_or_else(|_| question.to_owned());
                    writeln!(now, "{question} | {}", answer(kind, &plain))
                }
                None => writeln!(now, "{line}"),
            };
        }
        now
    });
}

fn hold(file: &str, now: impl Fn(&str) -> String) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases").join(file);
    let written = std::fs::read_to_string(&path).unwrap();
    let now = now(&written);
    if std::env::var_os("CONTEXTPACK_BLESS").is_some() {
        std::fs::write(path, now).unwrap();
    } else {
        assert_eq!(written, now, "accept with CONTEXTPACK_BLESS=1, then read `git diff`");
    }
}

#[test]
fn names_and_texts_are_what_the_cases_say() {
    let path = |path: &str| RepoPath::new(path).ok();
    let chars = |text: &str, test: fn(char) -> bool| text.chars().map(|c| if test(c) { '+' } else { '-' }).collect();
    hold_lines("model.txt", |kind, text| match kind {
        "repo" => is_repo_name(text).to_string(),
        "issue" => format!("{:?}", IssueReference::parse(text).map(|it| (it.host, it.repo, it.number))),
        "ends of names" => chars(text, ends_name),
        "other scripts" => chars(text, is_other_script),
        "Latin parts" => format!("{:?}", latin_parts(text).collect::<Vec<_>>()),
        "canonical" => canonical(text).escape_unicode().to_string(),
        "plain hyphens" => format!("{:?}", with_plain_hyphens(text)),
        "slashes" => with_slashes(text).into_owned(),
        "without drive" => without_drive(text).to_owned(),
        "letter prefix" => has_letter_prefix(text).to_string(),
        "path" => format!("{:?}", path(text).map(|it| [it.dir(), it.name(), it.stem(), it.extension()].join(" "))),
        "git name" => is_git_name(text).to_string(),
        "GitHub name" => is_github_name(text).to_string(),
        "conflict" => format!("{:?}", conflict_line(text)),
        "conflict in Markdown" => format!("{:?}", conflict_in_markdown(text)),
        "sides" => format!("{:?}", conflict_sides(text)),
        "slug" => slug(text),
        "shard" => text.parse::<Shard>().map_or_else(|error| error.to_string(), |shard| shard.to_string()),
        "natural order" => {
            let mut ids: Vec<&str> = text.split(", ").collect();
            ids.sort_by(|a, b| natural_cmp(a, b));
            ids.join(", ")
        }
        "title" => title_in_line(text),
        "short title" => short_title_in_line(text),
        "digest" => format!("{}, short {}", Digest::of(text), Digest::of(text).short(12)),
        "workflow commands" => broken(text),
        "clusters" => {
            let mut ends: Vec<usize> = text.char_indices().map(|(at, _)| floor_cluster(text, at)).collect();
            ends.push(text.len());
            ends.dedup();
            let pieces = ends.windows(2).map(|pair| text[pair[0]..pair[1]].escape_unicode().to_string());
            pieces.collect::<Vec<_>>().join(" ")
        }
        "volatile, with its value" => {
            let (name, value) = text.split_once(": ").unwrap_or((text, ""));
            is_volatile(name, value).to_string()
        }
        "status of a decision" => {
            let template = if is_status_template(&text.to_lowercase()) { ", template" } else { "" };
            format!("{:?}{template}", decision_state(text))
        }
        "shard of 4" => Shard::holding(text, NonZeroU32::new(4).unwrap()).to_string(),
        "shard of 7" => Shard::holding(text, NonZeroU32::new(7).unwrap()).to_string(),
        _ => format!("{:?}", path("specs/src/shares.md").unwrap().beside(text)),
    });
}

/// Returns a text with `!` for each character that completes a command, whether or not plain text is passed over at once.
fn broken(text: &str) -> String {
    let (mut skipping, mut commands, mut out, mut at) = (Commands::default(), Commands::default(), String::new(), 0);
    while at < text.len() {
        let plain = skipping.skip_plain(&text[at..]);
        assert!(text[at..at + plain].chars().all(|c| !commands.completes(c)), "{text:?}");
        out.push_str(&text[at..at + plain]);
        at += plain;
        let Some(c) = text[at..].chars().next() else { break };
        let completes = commands.completes(c);
        assert_eq!(skipping.completes(c), completes, "{text:?} at {at}");
        out.push(if completes { '!' } else { c });
        at += c.len_utf8();
    }
    format!("{out:?}")
}
