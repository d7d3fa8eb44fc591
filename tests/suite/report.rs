//! `report` writes packs as one page that needs nothing else, and that no text in a pack can turn against its reader.
//!
//! `tests/browser/` holds what the page does in a browser. To accept the page's data as the program writes it now:
//! `CONTEXTPACK_BLESS=1 cargo test report`, then read `git diff`.

use crate::cli::small;
use crate::golden::bless;
use crate::sandbox::Sandbox;
use base64::Engine as _;
use sha2::Digest as _;
use std::fs;
use std::path::Path;

/// Returns the text between two marks, of which the first occurs once.
fn between<'a>(page: &'a str, start: &str, end: &str) -> &'a str {
    let parts: Vec<&str> = page.split(start).collect();
    assert_eq!(parts.len(), 2, "{start}");
    parts[1].split(end).next().unwrap()
}

fn data(page: &str) -> serde_json::Value {
    serde_json::from_str(between(page, "<script type=\"application/json\" id=\"data\">", "</script>")).unwrap()
}

fn source(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/review/report/page").join(name);
    fs::read_to_string(path).unwrap().replace("\r\n", "\n")
}

#[test]
fn the_page_is_the_same_for_the_same_packs_wherever_they_are() {
    let sandbox = small();
    sandbox.expect(0, &["build", "-q"]);
    let page = sandbox.expect(0, &["report"]);
    assert_eq!(sandbox.expect(0, &["report", "-o", "report.html"]), "report.html\n");
    assert_eq!(sandbox.read("report.html"), page);
    assert_eq!(sandbox.expect(0, &["report", "packs/"]), page);
    let script: String = ["dom.js", "budget.js", "graph.js", "pack.js", "batch.js", "page.js"].map(source).concat();
    let mut short = page.replace(&source("page.css"), "[page.css]").replace(&script, "[scripts]");
    for text in [source("page.css"), script] {
        // The policy names the very texts that stand there.
        let hash = base64::engine::general_purpose::STANDARD.encode(sha2::Sha256::digest(&text));
        assert!(short.contains(&hash), "{hash}");
        short = short.replace(&hash, "[hash]");
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/pages/small.html");
    if bless() {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, &short).unwrap();
    }
    assert_eq!(short, fs::read_to_string(&path).unwrap_or_default().replace("\r\n", "\n"), "tests/pages/small.html");
}

#[test]
fn the_page_has_all_of_each_pack_and_its_rendering() {
    let sandbox = small();
    sandbox.expect(0, &["build", "-q", "-p", "coding", "-p", "review", "--max-tokens", "700"]);
    let data = data(&sandbox.expect(0, &["report"]));
    let packs = data["packs"].as_array().unwrap();
    assert_eq!(packs.len(), 6);
    for entry in packs {
        let path = entry["path"].as_str().unwrap();
        assert_eq!(entry["faults"], serde_json::json!([]), "{path}");
        assert_eq!(entry["pack"], serde_json::from_str::<serde_json::Value>(&sandbox.read(path)).unwrap(), "{path}");
        let rendering: String = entry["rendering"]
            .as_array()
            .unwrap()
            .iter()
            .map(|piece| match piece.as_u64() {
                Some(number) => entry["pack"]["sections"][number as usize]["content"].as_str().unwrap(),
                None => piece.as_str().unwrap(),
            })
            .collect();
        assert_eq!(rendering, sandbox.expect(0, &["render", path]), "{path}");
    }
    let one = sandbox.expect(0, &["report", "packs/feat-cache.coding.json", "packs/feat-cache.coding.json"]);
    assert_eq!(self::data(&one)["packs"].as_array().unwrap().len(), 1, "twice named is once shown");
}

#[test]
fn no_text_of_a_pack_is_anything_but_data() {
    let evil = "</script><script>alert(1)</script><!-- <img src=x onerror=alert(2)> {{script}} \u{202e}gnp.exe &lt;";
    let sandbox = Sandbox::with(&[(
        "work_items/evil.md",
        &format!("---\nid: task:evil\ntitle: '{evil}'\n---\n\n{evil}\n\n{}\n", "long ".repeat(2000)),
    )]);
    sandbox.expect(0, &["build", "-q"]);
    // Nobody who hands packs on has to have built them by this program: what it takes out of texts may be in there.
    let path = "packs/task-evil.coding.json";
    sandbox.write(path, sandbox.read(path).replacen("</script>", "</script>\u{202e}\\u009b\u{e0041}", 1));
    let run = sandbox.run(&["report"]);
    assert_eq!(run.code, 5, "{}", run.stderr);
    assert!(run.stderr.contains("`packs/task-evil.coding.json` is not a valid pack: "), "{}", run.stderr);
    let page = run.stdout;
    assert_eq!(page.matches("<script").count(), 2);
    assert_eq!(page.matches("</script").count(), 2);
    let json = between(&page, "<script type=\"application/json\" id=\"data\">", "</script>");
    assert!(!json.contains(['<', '>', '&', '\u{202e}', '\u{9b}', '\u{e0041}']), "{json}");
    let entry = &data(&page)["packs"][0];
    assert!(entry["pack"]["sections"][1]["content"].as_str().unwrap().contains("<script>alert(1)"), "{entry}");
    assert!(!entry["faults"].as_array().unwrap().is_empty());
}

#[test]
fn what_is_no_pack_stands_on_the_page_with_its_fault_and_hides_no_other() {
    let sandbox = small();
    sandbox.expect(0, &["build", "-q"]);
    sandbox.write("packs/torn.json", &sandbox.read("packs/feat-cache.coding.json")[..900]);
    let run = sandbox.run(&["report", "-o", "report.html"]);
    assert_eq!((run.code, run.stdout.as_str()), (5, "report.html\n"), "{}", run.stderr);
    let data = data(&sandbox.read("report.html"));
    let torn = data["packs"].as_array().unwrap().iter().find(|entry| entry["path"] == "packs/torn.json").unwrap();
    assert!(torn["pack"].is_null() && torn["faults"].as_array().unwrap().len() == 1, "{torn}");
    assert_eq!(data["packs"].as_array().unwrap().len(), 4);
}

#[test]
fn there_is_no_page_without_packs() {
    let sandbox = small();
    sandbox.expect(2, &["report", "-o", "report.html"]);
    sandbox.expect(1, &["report", "nowhere.json", "-o", "report.html"]);
    assert!(!sandbox.has("report.html"));
    sandbox.expect(0, &["build", "-q"]);
    sandbox.expect(1, &["report", "-o", "no/such/../../work_items/feat-cache.md/x.html"]);
}
