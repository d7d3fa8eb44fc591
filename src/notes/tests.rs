//! The extractor against documents in `tests/notes`, whose notes stand beside them.
//!
//! `CONTEXTPACK_BLESS=1 cargo test --lib notes` writes the notes anew; the difference is then to be read.

#![expect(clippy::unwrap_used, reason = "tests")]

use super::standing::stands_in;
use super::{LeftOut, NoteLimits, Notes, extract};
use crate::model::Digest;
use crate::redact::{Clean, CleanBuf};
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

fn clean(text: &str) -> Clean {
    Clean::literal(text.to_owned().leak())
}

fn notes(text: &str) -> Notes {
    extract(&clean(text), false, &NoteLimits::default())
}

fn rules(text: &str) -> Vec<String> {
    notes(text).rules.iter().map(|rule| rule.to_string()).collect()
}

#[test]
fn the_notes_on_every_sample_are_the_ones_beside_it() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/notes");
    let mut files: Vec<_> = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "md"));
    files.sort();
    assert!(files.len() >= 8);
    for file in files {
        let document = clean(&fs::read_to_string(&file).unwrap().replace("\r\n", "\n"));
        let found = extract(&document, false, &NoteLimits::default());
        assert_eq!(extract(&document, false, &NoteLimits::default()), found);
        for rule in &found.rules {
            assert!(stands_in(&document, rule), "{}: {rule}", file.display());
        }
        let sidecar = found.sidecar(&Digest::of(document.as_str()));
        let beside = file.with_extension("md.notes.yml");
        if std::env::var_os("CONTEXTPACK_BLESS").is_some() {
            fs::write(&beside, &sidecar).unwrap();
        }
        assert_eq!(fs::read_to_string(&beside).unwrap().replace("\r\n", "\n"), sidecar, "{}", beside.display());
    }
}

#[test]
fn a_rule_keeps_its_exception_and_what_it_refers_to() {
    assert_eq!(
        rules("# A\n\nNever push to `main`. The only exception is a release. Be nice.\n"),
        ["Never push to `main`. The only exception is a release."]
    );
    assert_eq!(
        rules("A schema change needs a plan. It must be reviewed.\n"),
        ["A schema change needs a plan. It must be reviewed."]
    );
    assert_eq!(rules("# Cache\n\nIt must be empty.\n"), ["Cache: It must be empty."]);
}

#[test]
fn what_limits_a_rule_in_the_next_sentence_stays_with_it() {
    for text in [
        "Two owners must sign. (One owner is enough if the change is small.)",
        "Each table must have a key. This does not apply to views.",
        "Globals are forbidden. They may be omitted from this only in tests.",
        "Jede Änderung muss geprüft werden. Bei Texten genügt eine Person.",
        "必ず承認を得ること。文書の変更には適用しない。",
    ] {
        assert_eq!(rules(text), [text]);
    }
    assert_eq!(rules("Owners must sign. The sky is blue."), ["Owners must sign."]);
}

#[test]
fn a_rule_without_a_subject_repeats_what_introduces_it() {
    assert_eq!(
        rules("# Guide\n\nThe subject line:\n\n- Should not end with a dot\n"),
        ["The subject line: Should not end with a dot"]
    );
    assert_eq!(rules("# Form\n\n## Dates\n\nBoth must be in UTC.\n"), ["Dates: Both must be in UTC."]);
    assert_eq!(
        rules("# P\n\n## Protocol 1\n\nFrames must be short.\n\n## Protocol 2\n\nFrames must be short.\n"),
        ["Protocol 1: Frames must be short.", "Protocol 2: Frames must be short."]
    );
    assert_eq!(
        rules("# R\n\n## Upload\n\n**CRITICAL**: This step must come last.\n"),
        ["Upload: **CRITICAL**: This step must come last."]
    );
}

#[test]
fn what_may_come_of_something_is_no_duty() {
    assert_eq!(
        rules("# Rules\n\nBreaking them may result in:\n\n- Loss of access.\n- A ban.\n\n**Reports**\n"),
        Vec::<String>::new()
    );
}

#[test]
fn instructions_are_rules_where_the_title_of_the_document_binds() {
    let text = "Name each file after its type.\n\nBefore a release, update the list.\n\n1. Tag the commit.\n2. Push the tag.\n";
    assert_eq!(
        rules(&format!("# Contributing\n\n{text}")),
        [
            "Name each file after its type.",
            "Before a release, update the list.",
            "Contributing: Tag the commit.",
            "Contributing: Push the tag."
        ]
    );
    assert_eq!(rules(&format!("# A tour of the crate\n\n{text}")), Vec::<String>::new());
    assert_eq!(rules(&format!("# Contributing\n\n## Example\n\n{text}")), Vec::<String>::new());
    assert_eq!(rules("# A\n\nFix all warnings before committing.\n"), ["Fix all warnings before committing."]);
    assert_eq!(rules("# A\n\n**IMPORTANT**: Rebuild the index.\n"), ["**IMPORTANT**: Rebuild the index."]);
}

#[test]
fn a_rule_that_ends_with_a_colon_takes_the_code_behind_it() {
    let text = "# A\n\nYou must run this first:\n\n```sh\nmake a\nmake b\n```\n\nThe name must be:\n\n> Quoted.\n";
    let found = rules(text);
    assert_eq!(found, ["You must run this first: `make a` `make b`", "The name must be: (see the document)"]);
    assert!(found.iter().all(|rule| stands_in(&clean(text), rule)));
    assert!(!stands_in(&clean(text), "You must run this first: `make c`"));
}

#[test]
fn commands_are_rules_with_what_introduces_them() {
    let text = "# Contributing\n\n## Tests\n\n```sh\nmake unit\nmake all\n```\n\n## After a release\n\nIf the upload fails, do it by hand:\n\n```sh\nmake upload\n```\n\n### Format\n\nRun the formatter before you push.\n\n    make format\n\n## Examples\n\n```sh\nmake cake\n```\n";
    let found = rules(text);
    assert_eq!(
        found,
        [
            "Tests: `make unit` `make all`",
            "After a release: If the upload fails, do it by hand: `make upload`",
            "After a release: Run the formatter before you push. `make format`",
        ]
    );
    assert!(found.iter().all(|rule| stands_in(&clean(text), rule)));
    for other in ["make upload", "Tests: `make cake`", "After a release: `make upload` `make`"] {
        assert!(!stands_in(&clean(text), other), "{other}");
    }
    assert!(stands_in(&clean(text), "Run the formatter before you push."));
    let text = "# A crate\n\n## Install\n\n```sh\nmake install\n```\n\n## Testing\n\nIt prints its output as follows:\n\n```sh\nmake show\n```\n\n```sh\na\nb\nc\nd\ne\nf\ng\n```\n";
    assert_eq!(rules(text), ["Testing: `a` `b` `c` `d` `e` `f` (see the document)"]);
}

#[test]
fn a_list_is_taken_whole_if_enough_of_it_are_rules() {
    let list = "- Use small files.\n- Names in lower case with hyphens.\n- Add a test for each change.\n";
    assert_eq!(
        rules(&format!("# Contributing\n\n{list}")),
        ["Use small files.", "Names in lower case with hyphens.", "Add a test for each change."]
    );
    let steps = "1. Tag the commit.\n2. Artifacts go to the mirror.\n";
    assert_eq!(
        rules(&format!("# Runbook\n\n## Steps\n\n{steps}")),
        ["Steps: Tag the commit.", "Steps: Artifacts go to the mirror."]
    );
    let list = "- The parser is fast.\n- The cache is small.\n- It must be warm.\n- Keys must be short.\n";
    assert_eq!(rules(list), ["It must be warm.", "Keys must be short."], "elsewhere, half of a list is not enough");
}

#[test]
fn the_condition_of_a_heading_a_sentence_or_an_item_stays_before_what_depends_on_it() {
    for (text, rule) in [
        (
            "# A\n\nWhen the build fails:\n\n- You must stop the line.\n",
            "When the build fails: You must stop the line.",
        ),
        ("# A\n\n## On release branches\n\nNever rebase a commit.\n", "On release branches: Never rebase a commit."),
        ("# A\n\n- On Windows\n  - You must use long paths.\n", "On Windows: You must use long paths."),
        (
            "# A\n\n- If it rains:\n  - When it is dark:\n    - You must stay inside.\n",
            "If it rains: When it is dark: You must stay inside.",
        ),
    ] {
        assert_eq!(rules(text), [rule]);
        assert!(stands_in(&clean(text), rule), "{rule}");
    }
    let text = clean("When the build fails:\n\n- Stop the line.\n");
    assert!(stands_in(&text, "When the build fails: Stop the line."));
    assert!(!stands_in(&text, "Stop the line."), "without its condition it says more");
}

#[test]
fn what_is_done_is_a_rule_where_the_document_says_how_people_work_together() {
    let text = "A proposal passes if nobody objects. Issues are closed after a month. The team is responsible for the site. \
                The cache is fast.\n";
    assert_eq!(
        rules(&format!("# Governance\n\n{text}")),
        [
            "A proposal passes if nobody objects.",
            "Issues are closed after a month.",
            "The team is responsible for the site."
        ]
    );
    assert_eq!(rules(&format!("# A parser\n\n{text}")), Vec::<String>::new());
}

#[test]
fn a_sentence_that_goes_on_with_a_rule_belongs_to_it() {
    for text in [
        "All changes must be reviewed. You may, however, merge your own on Sundays.",
        "The name must be free. Otherwise the upload fails.",
        "The title must be short. It must end without a dot.",
        "The long build takes an hour. NEVER CANCEL. Wait for its end.",
    ] {
        assert_eq!(rules(text), [text]);
    }
}

#[test]
fn marks_of_tasks_and_examples_stay_what_they_are() {
    let text = "# Contributing\n\n- [x] Add the licence file.\n- [ ] Add tests for it.\n";
    let found = rules(text);
    assert_eq!(found, ["[x] Add the licence file.", "[ ] Add tests for it."]);
    assert!(found.iter().all(|rule| stands_in(&clean(text), rule)));
    assert!(!stands_in(&clean(text), "[x] Add tests for it."));
    assert_eq!(
        rules("# Style guide\n\nNames should be verbs. For example:\n\n- Run the tests\n- Add a file\n"),
        ["Names should be verbs."]
    );
}

#[test]
fn what_a_document_is_called_makes_its_instructions_rules() {
    let text = clean("# The north region\n\nAdd a line to the log.\n");
    let found = |name: &str| extract(&text, super::is_binding(name), &NoteLimits::default()).rules.len();
    for name in ["runbook", "playbook", "style_guide", "coding standards", "CONTRIBUTING", "copilot-instructions"] {
        assert_eq!(found(name), 1, "{name}");
    }
    assert_eq!(found("general") + found("reference") + found("notes"), 0);
}

#[test]
fn steps_are_all_kept_with_their_numbers() {
    let steps = "1. Stop the old server and wait.\n2. Copy the data to the new disk.\n3. Move the address over.\n4. Start the new server and look at its log.\n";
    let found = notes(&format!("# A tour\n\n## Moving\n\n{steps}"));
    let text = found.summary.iter().map(Clean::as_str).collect::<Vec<_>>().join("\n");
    for step in ["1. Stop", "2. Copy", "3. Move", "4. Start"] {
        assert!(text.contains(step), "{text}");
    }
    assert!(!text.contains("(+"), "{text}");
}

#[test]
fn prohibitions_by_heading_or_introduction_are_carried_by_each_item() {
    assert_eq!(rules("# Don'ts\n\n- commit secrets\n"), ["Don'ts: commit secrets"]);
    assert_eq!(
        rules("You must not:\n\n- commit secrets\n- push\n"),
        ["You must not: commit secrets", "You must not: push"]
    );
    assert_eq!(rules("- Never:\n  - push\n"), ["Never: push"]);
    assert_eq!(rules("**Avoid**\n\n- globals\n"), ["Avoid: globals"]);
    assert_eq!(
        rules("# Principles\n\n- Small files\n\n## Smells\n\n- god files\n"),
        ["Small files", "Smells: god files"]
    );
    assert_eq!(rules("# Principles\n\n## Oddities\n\n- god files\n"), Vec::<String>::new());
    assert_eq!(rules("# Bad\n\n- Always log passwords.\n"), Vec::<String>::new());
    assert_eq!(notes("# Never\n\n- commit secrets\n").summary, [], "nothing of it stands alone");
}

#[test]
fn columns_of_a_table_make_their_cells_rules() {
    let table = "| Do | Don't | Bad |\n|---|---|---|\n| use small files | write god objects | must grow for ever and ever and ever |\n";
    assert_eq!(rules(table), ["use small files", "Don't: write god objects"]);
    assert!(stands_in(&clean(table), "Don't: write god objects"));
    assert!(!stands_in(&clean(table), "write god objects"));
    assert_eq!(rules("| Name | Rule |\n|---|---|\n| A | Errors are typed |\n"), ["Errors are typed"]);
}

#[test]
fn what_a_program_does_and_licences_are_no_rules() {
    for text in [
        "The deny list has a name that is never opened.",
        "The worker then needs to wait.",
        "In the pattern, the group will never match.",
        "The list is expected to be empty.",
        "The code governs when worker threads should sleep.",
        "In no event shall the authors be liable.",
        "Redistributions must retain the above copyright notice.",
        "サーバーは常にポート8080で起動します。",
    ] {
        assert_eq!(rules(text), Vec::<String>::new(), "{text}");
    }
    for text in [
        "Bots should not be used to write comments.",
        "Comments are expected to be civil.",
        "You need to run the tests.",
        "We use stable Rust only.",
        "On n'utilise pas de globales.",
        "No hagas push.",
    ] {
        assert_eq!(rules(text), [text]);
    }
}

#[test]
fn rules_are_quoted_with_their_markup_and_nothing_is_taken_from_code_quotations_and_comments() {
    assert_eq!(
        rules(
            "You **must** read [the\nguide](a.md) first.\n\n    you must not\n\n```\nnever\n```\n\n> You must.\n\n<!-- Never. -->\n"
        ),
        ["You **must** read [the guide](a.md) first."]
    );
    assert_eq!(rules("> [!WARNING]\n> Never push\n> twice.\n"), ["Never push twice."]);
    assert_eq!(rules("**Do not push to it. Never force a push.**\n"), ["Do not push to it.", "Never force a push."]);
}

#[test]
fn what_is_over_a_limit_is_counted_and_the_strongest_rules_stay() {
    let text = "You should wait.\n\nYou must not push. You must test. X".to_owned() + &"x".repeat(5_000) + " must.\n";
    let limits = NoteLimits { rules: 2, ..NoteLimits::default() };
    let found = extract(&clean(&text), false, &limits);
    assert_eq!(found.rules.iter().map(Clean::as_str).collect::<Vec<_>>(), ["You must not push.", "You must test."]);
    assert_eq!(found.left_out, LeftOut { rules: 1, key_facts: 0, sentences: 1 });
}

#[test]
fn a_rule_stands_in_a_document_only_with_all_that_limits_it() {
    let document = clean(
        "# Policy\n\nYou **must not** push to `main` unless asked. Ask\nfirst, please, when it is late.\n\n> quoted words\n\n## Never\n\n- commit secrets\n- never sleep\n\n# Links\n\nYou must read [the guide][g].\n\n[g]: a.md\n",
    );
    for rule in [
        "You must not push to main unless asked.",
        "You **must not**  push to `main` unless asked",
        "Ask first, please",
        "Never: commit secrets",
        "never sleep",
        "You must read [the guide][g]",
    ] {
        assert!(stands_in(&document, rule), "{rule}");
    }
    for rule in [
        "push to main unless asked",
        "You must not push to main",
        "You must push to main",
        "commit secrets",
        "ou must not push to `main` unless asked",
        "quoted words",
        "Policy: other",
        "asked. Ask first, please, when it is late. commit",
        "",
        ".",
    ] {
        assert!(!stands_in(&document, rule), "{rule}");
    }
}

#[test]
fn bullets_are_shortened_between_clauses_and_never_lose_a_negation() {
    let long = "The importer reads every file of the folder in the order of their names, which takes a few minutes on the machines that we use for this purpose";
    let found = notes(&format!("# A\n\n{long}.\n"));
    assert_eq!(found.summary, [clean("The importer reads every file of the folder in the order of their names …")]);
    let limited = long.replace("which takes a few minutes", "which does not hold on Mondays");
    assert_eq!(notes(&format!("# A\n\n{limited}.\n")).summary, [clean(&format!("{limited}."))]);
}

#[test]
fn notes_hold_nothing_that_is_not_in_the_document() {
    let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/notes/english.md")).unwrap();
    let document = clean(&text);
    let found = notes(&text);
    for entry in found.summary.iter().chain(&found.key_facts).chain(&found.keywords) {
        for word in entry.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
            assert!(document.to_lowercase().contains(&word.to_lowercase()), "{word}: {entry}");
        }
    }
    assert!((10..=20).contains(&found.keywords.len()));
}

/// Shapes that made one part of an extractor slow or large, each repeated to 32 KB: time in proportion to the square of it would show.
#[test]
fn hostile_texts_stay_bounded() {
    for piece in [
        "# a\n",
        "- a\n",
        "> ",
        "- ",
        "*",
        "**a** ",
        "`a`. ",
        "[a](b) ",
        "<!-- ",
        "| a | b |\n",
        "a: b\n\n",
        "You must not. ",
        "不需要",
        "\u{202e}must ",
        "Never:\n- a\n\n",
        "**Never**\n\n",
        "~~a~~ ",
        "x",
        "{a b} ",
        "1. ",
        "must not unless, ",
        "[^a]: b\n",
    ] {
        let text = clean(&piece.repeat((1 << 15) / piece.len()));
        let start = Instant::now();
        let found = extract(&text, false, &NoteLimits::default());
        assert!(start.elapsed() < Duration::from_secs(20), "{piece:?}: {:?}", start.elapsed());
        let size: usize = [&found.summary, &found.key_facts, &found.rules, &found.keywords]
            .into_iter()
            .flatten()
            .map(|it| it.len())
            .sum();
        assert!(size < 100_000, "{piece:?}: {size}");
    }
    let line = CleanBuf::new().text(&clean(&"word ".repeat(40_000))).finish();
    assert_eq!(extract(&line, false, &NoteLimits::default()).left_out.sentences, 1);
}
