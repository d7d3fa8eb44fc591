//! Relevant documents by meaning: vectors that a program of the user's makes, and which documents they lead to.

use crate::agents::{CANARY, CONFIG, ids, office, pack, section};
use crate::sandbox::Sandbox;
use serde_json::{Value, json};

const FILE: &str = "log/vectors.jsonl";

fn sandbox() -> Sandbox {
    let sandbox = office();
    sandbox.write("contextpack.yml", CONFIG.replace("relevant: 2", "relevant: 2, vectors: log/vectors.jsonl"));
    sandbox
}

/// The texts that have no vector, with their digests.
fn asked(sandbox: &Sandbox) -> Vec<(String, String)> {
    let printed = sandbox.expect(0, &["notes", "--vectors"]);
    let lines = printed.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    lines.map(|line| (line["digest"].as_str().unwrap().to_owned(), line["text"].as_str().unwrap().to_owned())).collect()
}

/// Lines for the text of each document of the office, which lead away from the queries, and for all other texts.
pub(crate) fn lines(sandbox: &Sandbox, near: &str) -> String {
    let is_far = |text: &str| {
        !text.starts_with(near) && ["Tunnels", "Uploads\n", "Deploy", "Zebra"].iter().any(|it| text.starts_with(it))
    };
    let line = |(digest, text): (String, String)| {
        let vector = if is_far(&text) { [-0.5, 0.25] } else { [0.5, 0.25] };
        format!("{}\n", json!({"digest": digest, "vector": vector}))
    };
    asked(sandbox).into_iter().map(line).collect()
}

fn take(sandbox: &Sandbox, lines: &str) -> crate::sandbox::Run {
    sandbox.run_with(&["notes", "--vectors", "--from", "-"], lines)
}

fn relevant(sandbox: &Sandbox, root: &[&str]) -> (Value, Vec<String>) {
    let pack = pack(sandbox, &[root, &["--agent", "research", "--policy", "expanded"]].concat());
    let of = |id: &&str| section(&pack, id)["provenance"] == "relevant";
    let found = ids(&pack).into_iter().filter(of).map(|id| id.replace("doc.knowledge/", "")).collect();
    (pack, found)
}

#[test]
fn a_document_that_shares_no_word_comes_first_by_its_vector() {
    let sandbox = sandbox();
    for root in [&["feat:root"][..], &[]] {
        assert_eq!(relevant(&sandbox, root).1, ["tunnels.md", "uploads.md"]);
    }
    let taken = take(&sandbox, &lines(&sandbox, "Zebra"));
    assert!(
        taken.code == 0 && taken.stderr.contains("`log/vectors.jsonl` has 7 vectors: 7 new, 0 dropped"),
        "{taken:?}"
    );
    for root in [&["feat:root"][..], &[]] {
        let (pack, found) = relevant(&sandbox, root);
        assert_eq!(found, ["zebra.md", "tunnels.md"]);
        let zebra = &section(&pack, "doc.knowledge/zebra.md")["metadata"];
        assert_eq!((&zebra["rank"], &zebra["meaning"], &zebra["matched"]), (&json!(1), &json!(1), &Value::Null));
        let tunnels = &section(&pack, "doc.knowledge/tunnels.md")["metadata"];
        assert!(tunnels["meaning"].is_null() && tunnels["matched"].is_array(), "{tunnels}");
    }
    let explain = ["explain", "feat:root", "--agent", "research", "--policy", "expanded"];
    let explained = sandbox.expect(0, &explain);
    assert!(explained.contains("relevant 1 (number 1 by meaning)"), "{explained}");
    let why = sandbox.expect(0, &[&explain[..], &["--why-not", "knowledge/zebra.md"]].concat());
    assert!(why.contains("as number 1 of the relevant documents (number 1 by meaning)"), "{why}");
    // What both find counts more than what one of them does.
    std::fs::remove_file(sandbox.path(FILE)).unwrap();
    assert_eq!(take(&sandbox, &lines(&sandbox, "Uploads\n")).code, 0);
    assert_eq!(relevant(&sandbox, &["feat:root"]).1, ["uploads.md", "tunnels.md"]);
}

#[test]
fn without_a_vector_for_the_work_the_words_decide_as_before() {
    let sandbox = sandbox();
    sandbox.write("contextpack.yml", CONFIG);
    let build = ["build", "feat:root", "--agent", "research", "--policy", "expanded"];
    let before = sandbox.expect(0, &build);
    sandbox.write("contextpack.yml", CONFIG.replace("relevant: 2", "relevant: 2, vectors: log/vectors.jsonl"));
    let missing = sandbox.run(&build);
    assert!(missing.stdout == before && missing.stderr.contains("--> log/vectors.jsonl"), "{missing:?}");
    let all = lines(&sandbox, "Zebra");
    assert_eq!(take(&sandbox, &all).code, 0);
    assert_ne!(sandbox.expect(0, &build), before);
    assert!(!sandbox.run(&["check"]).stderr.contains("without a vector"));
    // The work is another one now, and its vector is that of an older text.
    let text = sandbox.read("work_items/feat-root.md");
    let changed = text.replace("Uploads fail.", "Uploads fail today.");
    sandbox.write("work_items/feat-root.md", changed);
    assert_eq!(relevant(&sandbox, &["feat:root"]).1, ["tunnels.md", "uploads.md"]);
    sandbox.write("work_items/feat-root.md", text);
    assert_eq!(relevant(&sandbox, &["feat:root"]).1, ["zebra.md", "tunnels.md"]);
    assert!(!sandbox.run(&["check"]).stderr.contains("without a vector"));
    // So is a document, and one whose vector has other dimensions counts by its words alone.
    sandbox.write("knowledge/zebra.md", "# Zebra\n\nStripes help nobody at all.\n");
    assert_eq!(relevant(&sandbox, &["feat:root"]).1, ["tunnels.md", "uploads.md"]);
    assert!(sandbox.run(&["check"]).stderr.contains("1 text without a vector: `contextpack notes --vectors`"));
    let (digest, _) = asked(&sandbox).pop().unwrap();
    let kept = sandbox.read(FILE);
    sandbox.write(FILE, format!("{kept}{}\n", json!({"digest": digest, "vector": [127, 0, 0]})));
    assert_eq!(relevant(&sandbox, &["feat:root"]).1, ["tunnels.md", "uploads.md"]);
    sandbox.write(FILE, format!("{kept}{}\n", json!({"digest": digest, "vector": [127, 64]})));
    assert_eq!(relevant(&sandbox, &["feat:root"]).1, ["zebra.md", "tunnels.md"]);
}

#[test]
fn the_angle_counts_and_not_the_length() {
    let sandbox = sandbox();
    sandbox.write("contextpack.yml", sandbox.read("contextpack.yml").replace("relevant: 2", "relevant: 3"));
    let vectors = [("Zebra", [2, 1]), ("Tunnels", [127, 127]), ("Uploads\n", [127, 0]), ("", [127, 64])];
    let vector = |text: &str| vectors.iter().find(|(start, _)| text.starts_with(start)).unwrap().1;
    let texts = asked(&sandbox).into_iter();
    let lines = texts.map(|(digest, text)| json!({"digest": digest, "vector": vector(&text)}).to_string() + "\n");
    sandbox.write(FILE, lines.collect::<String>());
    let (pack, found) = relevant(&sandbox, &["feat:root"]);
    assert_eq!(found, ["tunnels.md", "uploads.md", "zebra.md"]);
    let meaning = |name: &String| section(&pack, &format!("doc.knowledge/{name}"))["metadata"]["meaning"].as_u64();
    assert_eq!(found.iter().filter_map(meaning).collect::<Vec<_>>(), [2, 3, 1]);
}

#[test]
fn texts_go_out_and_vectors_come_in() {
    let sandbox = sandbox();
    // What a workflow would take for a command is text all the same, in JSON that any program reads.
    sandbox.write("knowledge/commands.md", "# What ##[group]a prints\n");
    assert!(asked(&sandbox).iter().any(|(_, text)| text.contains("##[group]a")));
    std::fs::remove_file(sandbox.path("knowledge/commands.md")).unwrap();
    let texts = asked(&sandbox);
    let firsts: Vec<&str> = texts.iter().map(|(_, text)| text.lines().next().unwrap()).collect();
    for first in
        ["Tunnels", "Zebra", "Deploy of uploads", "Receive uploads in parts", "find out how uploads fail in tunnels"]
    {
        assert!(firsts.contains(&first), "{firsts:?}");
    }
    // Pinned documents are never searched, and those with secrets are never read.
    assert!(!firsts.contains(&"Parts") && !format!("{texts:?}").contains(CANARY), "{texts:?}");
    assert!(!format!("{texts:?}").contains("Keys of"), "{texts:?}");
    let digest = |start: &str| texts.iter().find(|(_, text)| text.starts_with(start)).unwrap().0.as_str();
    let (tunnels, zebra) = (digest("Tunnels"), digest("Zebra"));
    let of = |digest: &str, vector: Value| format!("{}\n", json!({"digest": digest, "vector": vector}));
    // What has no vector after the first of many steps is asked for again.
    assert_eq!(take(&sandbox, &of(tunnels, json!([1, -2.0, 0.009]))).code, 0);
    let first = of(tunnels, json!([64, -127, 1]));
    assert_eq!(sandbox.read(FILE), first);
    assert_eq!(asked(&sandbox).len(), texts.len() - 1);
    sandbox.write("made.jsonl", of(zebra, json!([0, 0, 1e300])));
    assert!(sandbox.expect(0, &["notes", "--vectors", "--from", "made.jsonl"]).is_empty());
    let mut both = [first.clone(), of(zebra, json!([0, 0, 127]))];
    both.sort();
    assert_eq!(sandbox.read(FILE), both.concat());
    assert!(take(&sandbox, "").stderr.contains("has 2 vectors: 0 new, 0 dropped"));
    sandbox.write("knowledge/zebra.md", "# Zebra\n\nThey run.\n");
    assert!(take(&sandbox, "").stderr.contains("has 1 vector: 0 new, 1 dropped"));
    assert_eq!(sandbox.read(FILE), first);
}

#[test]
fn bad_vectors_say_their_line_and_change_nothing() {
    let sandbox = sandbox();
    let (digest, other) = (&asked(&sandbox)[0].0, format!("sha256:{}", "0".repeat(64)));
    let line = |digest: &str, vector: &str| format!("{{\"digest\": \"{digest}\", \"vector\": {vector}}}\n");
    let good = line(digest, "[1, 2]");
    for (bad, why) in [
        ("{\n".to_owned(), "this is no vector"),
        (line(digest, "[1, NaN]"), "this is no vector"),
        (line(digest, "[1, 1e999]"), "this is no vector"),
        (line(digest, "[0, 0]"), "no direction"),
        (line(digest, "[]"), "has 0 numbers"),
        (line(digest, &format!("[{}1]", "1,".repeat(4_096))), "has 4097 numbers"),
        (line(digest, "[1, 2, 3]"), "others have 2"),
        (line("sha256:12", "[1, 2]"), "64 hex digits"),
        (line(&other, "[1, 2]"), "no text has this digest"),
    ] {
        let taken = take(&sandbox, &format!("{good}\n{bad}"));
        assert!(taken.code == 3 && taken.stderr.contains("standard input, line 3: "), "{taken:?}");
        assert!(taken.stderr.contains(why) && !sandbox.has(FILE), "{why}: {taken:?}");
    }
    assert_eq!(take(&sandbox, &good).code, 0);
    let longer = take(&sandbox, &line(digest, "[1, 2, 3]"));
    assert!(longer.code == 3 && longer.stderr.contains("remove `log/vectors.jsonl`"), "{longer:?}");

    // In a build a bad line is left out; the command writes over no file that may be another one.
    let kept = sandbox.read(FILE);
    for (bad, why) in [
        ("no vector\n".to_owned(), "this is no vector"),
        (line(&other, "[0.5]"), "this is no vector"),
        (line(&other, "[128]"), "this is no vector"),
        (line("sha256:12", "[1]"), "64 hex digits"),
    ] {
        sandbox.write(FILE, format!("{kept}{bad}"));
        let built = sandbox.run(&["render", "--agent", "research"]);
        assert!(built.code == 0 && built.stderr.contains("--> log/vectors.jsonl:2"), "{built:?}");
        assert!(built.stderr.contains(why) && built.stderr.contains("help: remove the line"), "{built:?}");
        let refused = take(&sandbox, &good);
        assert!(refused.code == 3 && refused.stderr.contains("--> log/vectors.jsonl:2"), "{refused:?}");
        assert_eq!(sandbox.read(FILE), format!("{kept}{bad}"));
    }
    sandbox.write(".gitignore", "log/\n");
    let ignored = take(&sandbox, &good);
    assert!(ignored.code == 3 && ignored.stderr.contains("git does not ignore"), "{ignored:?}");
    for closed in ["keys/id_rsa", "packs/v.jsonl", "agents/v.md", ".contextpack/v.jsonl"] {
        sandbox.write("contextpack.yml", CONFIG.replace("relevant: 2", &format!("relevant: 2, vectors: {closed}")));
        let refused = take(&sandbox, &good);
        assert!(refused.code != 0 && !sandbox.has(closed), "{closed}: {refused:?}");
    }
    sandbox.write("contextpack.yml", CONFIG);
    let unnamed = sandbox.run(&["notes", "--vectors"]);
    assert!(unnamed.code == 2 && unnamed.stderr.contains("context: {vectors: "), "{unnamed:?}");
}

#[test]
fn the_file_of_vectors_opens_nothing_that_is_closed() {
    let sandbox = sandbox();
    let settings = sandbox.read("contextpack.yml");
    let entry = "documents:\n  - {include: [\"log/*\"], type: credentials}\n";
    sandbox.write("contextpack.yml", settings.replace("documents:\n", entry));
    sandbox.write(FILE, format!("{CANARY}\n"));
    for args in [&["render", "--agent", "research"][..], &["notes", "--vectors"]] {
        let run = sandbox.run(args);
        assert!(run.code == 3 && run.stderr.contains("out of `context.vectors`"), "{run:?}");
        assert!(!run.stderr.contains(CANARY), "{run:?}");
    }
}
