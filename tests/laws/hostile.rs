//! Input that is broken, huge or malicious: a clear word with its place, the other packs built, old ones untouched.

use super::sandbox::{Run, Sandbox};
use std::fmt::Write as _;
use std::time::{Duration, Instant};

const GOOD: &str = "---\nid: good\ntitle: Good\n---\nA body.\n";

/// Builds a repo with one good item and these files; the good one's pack has to be there.
fn build(files: &[(&str, &[u8])]) -> (Sandbox, Run) {
    let sandbox = Sandbox::configured(&[("work_items/good.md", GOOD)]);
    for (path, text) in files {
        sandbox.write(path, text);
    }
    let ran = sandbox.run(&["build"]);
    assert!(sandbox.packs().iter().any(|(name, _)| name == "good.coding.json"), "{}", ran.stderr);
    (sandbox, ran)
}

/// Broken texts of items, each with what the message has to hold.
fn broken() -> Vec<(&'static str, Vec<u8>, &'static str)> {
    let text = |text: &str| text.as_bytes().to_vec();
    let bomb: String = (1..30).fold("a0: &a0 [x, x, x, x, x, x, x, x, x]\n".to_owned(), |mut bomb, n| {
        let aliases = vec![format!("*a{}", n - 1); 9].join(", ");
        let _ = writeln!(bomb, "a{n}: &a{n} [{aliases}]");
        bomb
    });
    vec![
        ("bad.yml", text("id: x\nlist: [a, b\nnext: 1\n"), "bad.yml:"),
        ("bad.yaml", text("id: x\n\tb: 1\n"), "bad.yaml:1"),
        ("bad.json", text("{\"id\": \"x\",\n \"title\": }"), "bad.json:2"),
        ("lines.jsonl", text("{\"id\": \"x\"}\n{\"id\": \n{\"id\": \"z\"}\n"), "lines.jsonl:2"),
        ("twice.json", text("{\"id\": \"x\",\n\"id\": \"y\"}"), "twice.json:2"),
        ("twice.yml", text("id: x\nid: y\n"), "twice.yml:2"),
        ("deep.json", text(&"[".repeat(100_000)), "deep.json:"),
        ("deep-2.json", text(&format!("{{\"a\":{}1{}}}", "[".repeat(100_000), "]".repeat(100_000))), "deep-2.json:"),
        ("deep.yml", text(&format!("a: {}", "[".repeat(100_000))), "deep.yml:"),
        ("deep-2.yml", text(&format!("a: {}{}", "{a: ".repeat(100_000), "}".repeat(100_000))), "deep-2.yml:"),
        ("deep-3.yml", text(&format!("{}x\n", "- ".repeat(100_000))), "deep-3.yml:"),
        ("deep-4.yml", text(&format!("{}x\n", "? ".repeat(50_000))), "deep-4.yml:"),
        ("bomb.yml", text(&bomb), "bomb.yml:"),
        ("latin.md", b"---\nid: latin\n---\ncaf\xe9\n".to_vec(), "latin.md"),
        ("nul.md", b"---\nid: nul\n---\na\0b\n".to_vec(), "nul.md"),
        ("utf16.md", b"\xff\xfe-\0-\0-\0\n\0".to_vec(), "utf16.md"),
        ("scalar.yml", text("just text\n"), "scalar.yml"),
        ("empty.json", text(""), "empty.json"),
        ("huge.md", [text("---\nid: huge\n---\n"), b"word ".repeat(10 << 20)].concat(), "huge.md"),
        ("huge.json", [text("{\"id\": \"huge-2\", \"body\": \""), vec![b'x'; 20 << 20]].concat(), "huge.json"),
        ("wide.md", text(&format!("---\nid: wide\nx: {}\n---\nb\n", "[".repeat(100_000))), "wide.md:"),
    ]
}

#[test]
fn a_broken_item_is_named_with_its_place_and_stops_no_other() {
    for (name, text, place) in broken() {
        let started = Instant::now();
        let (sandbox, ran) = build(&[(&format!("work_items/{name}"), &text)]);
        assert!(ran.code == 0 || ran.code == 3, "{name}: {} {}", ran.code, ran.stderr);
        assert!(ran.stderr.contains(place), "{name}: {}", ran.stderr);
        assert!(ran.stderr.contains("help"), "{name} says what to do: {}", ran.stderr);
        assert!(ran.stderr.len() < 20_000, "{name}: {} bytes of messages", ran.stderr.len());
        assert!(started.elapsed() < Duration::from_secs(60), "{name}: {:?}", started.elapsed());
        // Once more with the strict reader of all: the old pack stays as it is.
        let before = sandbox.packs();
        assert_eq!(sandbox.run(&["build", "--strict"]).code, 3, "{name}");
        assert!(sandbox.packs() == before, "{name}");
    }
}

#[test]
fn an_item_that_breaks_keeps_its_old_pack() {
    let (sandbox, _) = build(&[("work_items/x.yml", b"id: x\ntitle: X\n")]);
    let before = sandbox.packs();
    assert_eq!(before.len(), 2);
    for text in ["id: x\ntitle: [\n", "", "id: x\nid: x\n"] {
        sandbox.write("work_items/x.yml", text);
        // What is known is counted, unless all is asked for.
        for args in [&["build"][..], &["build", "-v"]] {
            let ran = sandbox.run(args);
            assert!(ran.stderr.contains("work_items/x.yml"), "{}", ran.stderr);
            assert!(sandbox.packs() == before, "{args:?} of {text:?}: {}", ran.stderr);
        }
    }
}

#[test]
fn texts_in_which_little_is_right_are_built() {
    let deep_quote = format!("---\nid: q\n---\n{}x\n", "> ".repeat(50_000));
    let deep_list = format!("---\nid: l\n---\n{}x\n", "- ".repeat(20_000));
    let brackets = format!("---\nid: br\n---\n{}\n", "[".repeat(100_000));
    let links = format!("---\nid: li\n---\n{}\n", "![a](".repeat(50_000));
    let stars = format!("---\nid: st\n---\n{}\n", "*a **b ".repeat(30_000));
    let html = format!("---\nid: ht\n---\n{}\n", "<!-- ".repeat(50_000));
    let line = format!("---\nid: one\n---\n{}\n", "x".repeat((1 << 20) - 100));
    let backticks: String = (1..1200).map(|n| "`".repeat(n) + " ").collect();
    let ticks = format!("---\nid: ti\n---\n{backticks}\n");
    let references =
        format!("---\nid: re\n---\n{}\n", "see docs/adr/0001-x.md, ADR-0001, #12 and a/b.md. ".repeat(20_000));
    let bom = "\u{feff}---\r\nid: bom\r\ntitle: Bom\r\n---\r\n\r\nbody\r\n";
    for (name, text) in [
        ("q", &*deep_quote),
        ("l", &deep_list),
        ("br", &brackets),
        ("li", &links),
        ("st", &stars),
        ("ht", &html),
        ("one", &line),
        ("ti", &ticks),
        ("re", &references),
        ("bom", bom),
    ] {
        let started = Instant::now();
        let (sandbox, ran) = build(&[(&format!("work_items/{name}.md"), text.as_bytes())]);
        assert_eq!(ran.code, 0, "{name}: {}", ran.stderr);
        assert!(sandbox.path(&format!("packs/{name}.coding.json")).exists(), "{name}: {}", ran.stderr);
        assert!(started.elapsed() < Duration::from_secs(60), "{name}: {:?}", started.elapsed());
        assert_eq!(sandbox.run(&["verify", "packs"]).code, 0, "{name}");
    }
    let (sandbox, _) = build(&[("work_items/bom.md", bom.as_bytes())]);
    assert!(sandbox.read("packs/bom.coding.json").contains("\"title\": \"Bom\""));
}

#[test]
fn hostile_code_is_read_in_linear_time() {
    let item = "---\nid: a\n---\nSee `src/a.rs` and `src/a.rs:3`.\n";
    for piece in ["{\n", "}\n", "\t", "fn f() {\n", "(", "a(", "#\n", "@\n", "    )\n  (\n", "pub ", "const static "] {
        let started = Instant::now();
        let code = piece.repeat(100_000 / piece.len());
        let (sandbox, ran) = build(&[("work_items/a.md", item.as_bytes()), ("src/a.rs", code.as_bytes())]);
        assert_eq!(ran.code, 0, "{piece}: {}", ran.stderr);
        assert!(sandbox.read("packs/a.coding.json").contains("\"code.src/a.rs"), "{piece}");
        assert!(started.elapsed() < Duration::from_secs(60), "{piece}: {:?}", started.elapsed());
    }
}

#[test]
fn strange_names_and_references_are_words_like_any_other() {
    let refs = "---\nid: refs\ndocs: [\"../out.md\", \"/etc/passwd\", \"docs/%2e%2e/%2e%2e/etc/passwd.md\", \"C:\\\\x.md\", \"~/x.md\"]\n\
        ---\nSee ../../etc/x.md, docs/../../out.md, [a](%2e%2e/%2e%2e/out.md), [b](file:///etc/passwd), /proc/self/environ.txt.\n";
    let long = format!("---\nid: {}\n---\nlong\n", "long-".repeat(3000));
    let (sandbox, ran) = build(&[
        ("work_items/refs.md", refs.as_bytes()),
        ("work_items/long.md", long.as_bytes()),
        ("work_items/odd ' $(x) ; & %2e.md", b"---\ntitle: odd\n---\nodd\n"),
        ("work_items/unicode.md", "---\nid: \"\u{202e}evil\\u001b[31m 日本\"\n---\nx\n".as_bytes()),
    ]);
    std::fs::write(sandbox.root().parent().unwrap().join("out.md"), "OUTSIDE").unwrap();
    let ran = Run { stderr: ran.stderr.clone() + &sandbox.run(&["build"]).stderr, ..ran };
    assert!(!ran.stderr.contains('\u{1b}') && !ran.stderr.contains('\u{202e}'), "{}", ran.stderr);
    let packs = sandbox.packs();
    assert_eq!(packs.len(), 5, "{}", ran.stderr);
    for (name, bytes) in &packs {
        assert!(name.len() < 160 && name.is_ascii(), "{name}");
        let text = String::from_utf8_lossy(bytes);
        assert!(!text.contains("OUTSIDE") && !text.contains("root:"), "{name}");
    }
    let refs = sandbox.read("packs/refs.coding.json");
    assert!(refs.contains("\"reason\": \"outside_repo\""), "{refs}");
    assert_eq!(sandbox.run(&["verify", "packs"]).code, 0);
}

#[test]
fn an_empty_repo_is_told_what_to_do() {
    let sandbox = Sandbox::configured(&[]);
    for (command, said) in
        [("build", "no items: write one"), ("list", "no items: write one"), ("check", "0 of 0 packs")]
    {
        let ran = sandbox.run(&[command]);
        assert_eq!(ran.code, 0, "{command}: {}", ran.stderr);
        assert!(ran.stderr.contains(said), "{command}: {}", ran.stderr);
    }
    assert_eq!(sandbox.packs(), []);
}

#[test]
fn thousands_of_files_in_a_folder_are_built() {
    let sandbox = Sandbox::configured(&[]);
    for n in 0..4000 {
        let text = format!("---\nid: T-{n}\nparent: T-{}\n---\nItem {n}.\n", n / 10);
        sandbox.write(&format!("work_items/t-{n}.md"), text);
    }
    let ran = sandbox.run(&["build", "T-7", "T-3999"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(sandbox.packs().len(), 2);
}

#[test]
fn a_folder_that_cannot_be_written_is_a_clear_error() {
    let sandbox = Sandbox::configured(&[("work_items/good.md", GOOD), ("packs", "a file in the folder's place")]);
    let ran = sandbox.run(&["build"]);
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    assert!(ran.stderr.contains("packs"), "{}", ran.stderr);
    assert_eq!(sandbox.read("packs"), "a file in the folder's place");

    let sandbox = Sandbox::configured(&[
        ("work_items/good.md", GOOD),
        ("packs/good.coding.json/x", "a folder in the pack's place"),
    ]);
    let ran = sandbox.run(&["build"]);
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    assert!(ran.stderr.contains("good.coding.json"), "{}", ran.stderr);
}

#[cfg(unix)]
mod unix {
    use super::*;
    use std::os::unix::ffi::OsStrExt as _;
    use std::os::unix::fs::symlink;
    use std::process::Command;

    #[test]
    fn what_is_no_file_is_never_opened() {
        let sandbox = Sandbox::configured(&[
            ("work_items/good.md", GOOD),
            ("work_items/refs.md", "---\nid: refs\n---\nSee docs/device.md, docs/out.md, docs/dir.md, docs/env.txt.\n"),
            ("work_items/odd.md", "---\nid: odd\n---\nSee docs/pipe.md and docs/loop.md.\n"),
        ]);
        std::fs::create_dir_all(sandbox.path("docs/dir.md")).unwrap();
        std::fs::write(sandbox.root().parent().unwrap().join("secret.md"), "OUTSIDE").unwrap();
        for pipe in ["docs/pipe.md", "work_items/pipe.md", "work_items/.gitignore"] {
            assert!(Command::new("mkfifo").arg(sandbox.path(pipe)).status().unwrap().success());
        }
        let _socket = std::os::unix::net::UnixListener::bind(sandbox.path("work_items/socket.md")).unwrap();
        for (to, link) in [
            ("/dev/zero", "docs/device.md"),
            ("/dev/zero", "work_items/device.md"),
            ("../../secret.md", "docs/out.md"),
            ("../../secret.md", "work_items/out.md"),
            ("loop.md", "docs/loop.md"),
            ("..", "work_items/up"),
            ("/proc/self/environ", "docs/env.txt"),
            ("/proc/self/environ", "work_items/env.md"),
            ("nowhere.md", "work_items/nowhere.md"),
        ] {
            symlink(to, sandbox.path(link)).unwrap();
        }
        let ran = sandbox.run(&["build"]);
        // What is there and cannot be read is not absent.
        assert_eq!(ran.code, 3, "{}", ran.stderr);
        let packs = sandbox.packs();
        let names: Vec<&str> = packs.iter().map(|(name, _)| &**name).collect();
        assert_eq!(names, ["good.coding.json", "refs.coding.json"], "{}", ran.stderr);
        for (name, bytes) in &packs {
            let text = String::from_utf8_lossy(bytes);
            assert!(!text.contains("OUTSIDE") && !text.contains("SOURCE_DATE_EPOCH="), "{name}");
        }
    }

    #[test]
    fn links_in_the_output_folder_are_not_followed() {
        let sandbox = Sandbox::configured(&[("work_items/good.md", GOOD)]);
        let victim = sandbox.root().parent().unwrap().join("victim");
        std::fs::write(&victim, "untouched").unwrap();
        std::fs::create_dir_all(sandbox.path("packs")).unwrap();
        symlink(&victim, sandbox.path("packs/good.coding.json")).unwrap();
        let ran = sandbox.run(&["build"]);
        assert_eq!(std::fs::read_to_string(&victim).unwrap(), "untouched", "{}", ran.stderr);

        let other = Sandbox::configured(&[("work_items/good.md", GOOD)]);
        let folder = other.root().parent().unwrap().join("elsewhere");
        std::fs::create_dir(&folder).unwrap();
        symlink(&folder, other.path("packs")).unwrap();
        let ran = other.run(&["build"]);
        assert_eq!(ran.code, 1, "{}", ran.stderr);
        assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 0);
    }

    #[test]
    fn names_that_are_no_text_are_told_and_left_alone() {
        let sandbox = Sandbox::configured(&[("work_items/good.md", GOOD)]);
        sandbox.write("work_items/new\nline \"q\".md", "---\nid: newline\n---\nx\n");
        let name = std::ffi::OsStr::from_bytes(b"work_items/bad-\xff.md");
        // A file system may refuse such names.
        let written = std::fs::write(sandbox.root().join(name), GOOD).is_ok();
        let ran = sandbox.run(&["build"]);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        assert_eq!(ran.stderr.contains("bad-"), written, "{}", ran.stderr);
        assert!(!ran.stdout.contains("new\nline"), "{}", ran.stdout);
        assert_eq!(sandbox.packs().len(), 2, "{}", ran.stderr);
        assert_eq!(sandbox.run(&["verify", "packs"]).code, 0);
    }
}
