//! How fast notes are made: megabytes a second on one core, for the files given or for texts made up here.
//!
//! `cargo bench --bench notes -- FILE...`; with `--print` the notes are printed instead.

#![expect(clippy::print_stdout, reason = "a program for the terminal")]

use contextpack::internals::config::RedactionSettings;
use contextpack::internals::notes::{NoteLimits, Notes, QuotableText, extract, is_binding};
use contextpack::internals::redact::{Clean, Piece, Redactor};
use std::time::Instant;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|it| it != "--bench").collect();
    let prints = arguments.iter().any(|it| it == "--print");
    let files: Vec<&String> = arguments.iter().filter(|it| !it.starts_with("--")).collect();
    let redactor = Redactor::new(&RedactionSettings::default());
    let clean = |text: &str| {
        let scrubbed = redactor.scrub("", &[Piece { key: "body", text, line: 1 }]);
        scrubbed.texts.first().cloned().unwrap_or_default()
    };
    for file in &files {
        let text = std::fs::read_to_string(file).unwrap_or_default();
        let document = clean(&text);
        if prints {
            let notes = extract(&document, binds(file), &NoteLimits::default());
            print(file, &notes);
            let quotable = QuotableText::of(&document);
            notes.rules.iter().filter(|rule| !quotable.holds(rule)).for_each(|rule| println!("NOT QUOTED {rule}"));
        } else {
            measure(file, &document);
        }
    }
    if files.is_empty() {
        for (name, piece) in SAMPLES {
            measure(name, &clean(&piece.repeat((8 << 20) / piece.len())));
        }
    }
}

/// Texts of ordinary and hostile shapes, which are repeated to 8 MB.
const SAMPLES: [(&str, &str); 8] = [
    (
        "prose",
        "# Contributing\n\nThis project keeps its packs small. You must not commit secrets, unless they are fake.\n\n- Run `make test` before each commit.\n- Never push to `main`.\n\n| Setting | Default |\n|---|---|\n| port | 8080 |\n\n",
    ),
    (
        "japanese",
        "# 規則\n\n必ずテストを実行してください。秘密情報をコミットしてはいけません。\n\n- 禁止事項を守る\n\n",
    ),
    ("headings", "# a\n"),
    ("items", "- a\n"),
    ("one line", "You must not do this. "),
    ("code spans", "`a`. *b* "),
    ("brackets", "[a](b \"c\") <!-- "),
    ("words", "lorem ipsum dolor sit amet "),
];

fn measure(name: &str, document: &Clean) {
    let best = (0..3)
        .map(|_| {
            let start = Instant::now();
            std::hint::black_box(extract(document, binds(name), &NoteLimits::default()));
            start.elapsed()
        })
        .min()
        .unwrap_or_default();
    let megabytes = document.len() as f64 / 1e6;
    println!("{name:<24} {megabytes:>8.2} MB {:>8.1} MB/s", megabytes / best.as_secs_f64());
}

fn binds(file: &str) -> bool {
    std::path::Path::new(file).file_stem().and_then(|stem| stem.to_str()).is_some_and(is_binding)
}

fn print(name: &str, notes: &Notes) {
    println!("\n=== {name} {:?}", notes.left_out);
    for (kind, lines) in [("S", &notes.summary), ("R", &notes.rules), ("F", &notes.key_facts), ("K", &notes.keywords)] {
        if kind == "K" {
            println!("K {}", lines.iter().map(Clean::as_str).collect::<Vec<_>>().join(", "));
            continue;
        }
        lines.iter().for_each(|line| println!("{kind} {line}"));
    }
}
