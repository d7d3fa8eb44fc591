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

/// Returns the JSON of a page with this id.
fn json(page: &str, id: &str) -> serde_json::Value {
    let start = format!("<script type=\"application/json\" id=\"{id}\">");
    serde_json::from_str(between(page, &start, "</script>")).unwrap()
}

/// Returns the data of a page, with the texts of the sections in their places.
fn data(page: &str) -> serde_json::Value {
    let mut data = json(page, "data");
    let texts = data["texts"].take();
    for entry in data["packs"].as_array_mut().unwrap() {
        let sections = entry.pointer_mut("/pack/sections").and_then(serde_json::Value::as_array_mut);
        for section in sections.into_iter().flatten() {
            section["content"] = texts[section["content"].as_str().unwrap()].clone();
        }
    }
    data
}

/// The page's script, in the order in which its files stand there.
const SCRIPTS: [&str; 9] =
    ["dom.js", "markdown.js", "changes.js", "budget.js", "graph.js", "pack.js", "work.js", "overview.js", "page.js"];

fn source(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/review/report/page").join(name);
    fs::read_to_string(path).unwrap().replace("\r\n", "\n")
}

#[test]
fn the_page_is_the_same_for_the_same_packs_wherever_they_are() {
    let sandbox = small();
    sandbox.expect(0, &["build", "-q"]);
    let page = sandbox.expect(0, &["page", "-o", "-"]);
    assert_eq!(sandbox.expect(0, &["page", "-o", "report.html"]), "report.html\n");
    assert_eq!(sandbox.read("report.html"), page);
    assert_eq!(sandbox.expect(0, &["page", "-o", "-", "packs/"]), page);
    let script: String = SCRIPTS.map(source).concat();
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
    let data = data(&sandbox.expect(0, &["page", "-o", "-"]));
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
    let one = sandbox.expect(0, &["page", "-o", "-", "packs/feat-cache.coding.json", "packs/feat-cache.coding.json"]);
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
    let run = sandbox.run(&["page", "-o", "-"]);
    assert_eq!(run.code, 5, "{}", run.stderr);
    assert!(run.stderr.contains("`packs/task-evil.coding.json` is not a valid pack: "), "{}", run.stderr);
    let page = run.stdout;
    assert_eq!(page.matches("<script").count(), 3);
    assert_eq!(page.matches("</script").count(), 3);
    let json = between(&page, "<script type=\"application/json\" id=\"data\">", "</script>");
    assert!(!json.contains(['<', '>', '&', '\u{202e}', '\u{9b}', '\u{e0041}']), "{json}");
    let entry = &data(&page)["packs"][0];
    assert!(entry["pack"]["sections"][1]["content"].as_str().unwrap().contains("<script>alert(1)"), "{entry}");
    assert!(!entry["faults"].as_array().unwrap().is_empty());
}

#[test]
fn the_page_says_which_packs_are_fresh_if_it_is_made_in_their_repo() {
    let sandbox = small();
    sandbox.expect(0, &["build", "-q"]);
    let state = |args: &[&str], path: &str| json(&sandbox.expect(0, args), "freshness")["packs"][path].clone();
    let fresh = serde_json::json!({"status": "fresh", "reasons": []});
    let path = "packs/feat-cache.coding.json";
    assert_eq!(state(&["page", "-o", "-"], path), fresh);
    assert_eq!(state(&["page", "-o", "-", path], path), fresh);
    sandbox.write("elsewhere.json", sandbox.read(path));
    assert!(state(&["page", "-o", "-", "elsewhere.json"], "elsewhere.json").is_null(), "no build writes it");
    sandbox.write("docs/adr/0007-cache.md", sandbox.read("docs/adr/0007-cache.md").replace("We cache.", "We crash."));
    let stale = state(&["page", "-o", "-"], path);
    assert_eq!(stale["status"], "stale");
    assert_eq!(stale["reasons"], serde_json::json!(["docs/adr/0007-cache.md changed"]));
    sandbox.write("work_items/feat-cache.md", "");
    std::fs::remove_file(sandbox.root().join("work_items/feat-cache.md")).unwrap();
    assert_eq!(state(&["page", "-o", "-"], path)["status"], "orphaned");
    let faulty = Sandbox::with(&[("contextpack.yml", "no_such_field: 1\n"), (path, &sandbox.read(path))]);
    let run = faulty.run(&["page", "-o", "-", path]);
    assert_eq!(
        (run.code, json(&run.stdout, "freshness")),
        (0, serde_json::json!({"origin": null, "packs": {}})),
        "{}",
        run.stderr
    );
}

#[test]
fn freshness_is_the_same_with_and_without_a_cache() {
    let sandbox = small();
    for id in ["24", "24.12", "9", "10"] {
        sandbox.write(&format!("work_items/{id}.md"), format!("---\nid: \"{id}\"\ntitle: Item {id}\n---\n\nText.\n"));
    }
    sandbox.expect(0, &["build", "-q"]);
    let item = sandbox.read("work_items/9.md").replace("Text.", "Other.");
    sandbox.write("work_items/9.md", item);
    sandbox.write("packs/10.coding.json", sandbox.read("packs/10.coding.json").replace("Text.", "Test."));
    let cached = sandbox.expect(5, &["page", "-o", "-", "packs"]);
    fs::remove_dir_all(sandbox.root().join(".contextpack/cache")).unwrap();
    let page = sandbox.expect(5, &["page", "-o", "-", "packs"]);
    assert_eq!(json(&cached, "freshness"), json(&page, "freshness"));
    let packs = json(&page, "freshness")["packs"].clone();
    let status = |id: &str| packs[format!("packs/{id}.coding.json")]["status"].as_str().unwrap().to_owned();
    assert_eq!(["9", "10", "24", "24.12"].map(status), ["stale", "edited", "fresh", "fresh"]);
    let entries = data(&page)["packs"].as_array().unwrap().clone();
    let paths: Vec<&str> = entries.iter().map(|entry| entry["path"].as_str().unwrap()).take(4).collect();
    assert_eq!(paths, ["9", "10", "24", "24.12"].map(|id| format!("packs/{id}.coding.json")));
}

#[test]
fn texts_that_packs_share_are_on_the_page_once() {
    let text = "A guide that every pack holds. ".repeat(40);
    let sandbox = Sandbox::with(&[("docs/guide.md", &format!("# Guide\n\n{text}\n"))]);
    for number in 0..20 {
        sandbox.write(
            &format!("work_items/{number}.md"),
            format!("---\nid: task:{number}\ntitle: T\n---\n\nSee [it](../docs/guide.md).\n"),
        );
    }
    sandbox.expect(0, &["build", "-q"]);
    let page = sandbox.expect(0, &["page", "-o", "-"]);
    assert_eq!(data(&page)["packs"].as_array().unwrap().len(), 20);
    // As it is, and for reading.
    assert_eq!(page.matches(text.trim()).count(), 2);
}

#[test]
fn what_is_no_pack_stands_on_the_page_with_its_fault_and_hides_no_other() {
    let sandbox = small();
    sandbox.expect(0, &["build", "-q"]);
    sandbox.write("packs/torn.json", &sandbox.read("packs/feat-cache.coding.json")[..900]);
    let run = sandbox.run(&["page", "-o", "report.html"]);
    assert_eq!((run.code, run.stdout.as_str()), (5, "report.html\n"), "{}", run.stderr);
    let data = data(&sandbox.read("report.html"));
    let torn = data["packs"].as_array().unwrap().iter().find(|entry| entry["path"] == "packs/torn.json").unwrap();
    assert!(torn["pack"].is_null() && torn["faults"].as_array().unwrap().len() == 1, "{torn}");
    assert_eq!(data["packs"].as_array().unwrap().len(), 4);
}

#[test]
fn there_is_no_page_without_packs() {
    let sandbox = small();
    sandbox.expect(2, &["page", "-o", "report.html"]);
    sandbox.expect(1, &["page", "nowhere.json", "-o", "report.html"]);
    assert!(!sandbox.has("report.html"));
    sandbox.expect(0, &["build", "-q"]);
    sandbox.expect(1, &["page", "-o", "no/such/../../work_items/feat-cache.md/x.html"]);
}

#[test]
fn one_pack_is_shown_on_a_page_of_its_own() {
    let sandbox = Sandbox::configured(&[("work_items/a.md", "---\nid: feat:a\ntitle: A title\n---\n\nText.\n")]);
    let path = sandbox.expect(0, &["page", "feat:a", "-q"]);
    assert_eq!(path, ".contextpack/pages/feat-a.coding.html\n");
    let page = sandbox.read(path.trim());
    assert!(page.contains("A title") && page.starts_with("<!doctype html>"), "{}", &page[..100]);
    sandbox.expect(0, &["build", "-q"]);
    sandbox.expect(0, &["page", "packs/feat-a.coding.json", "-q"]);
    assert!(sandbox.read(".contextpack/pages/packs.html").contains("A title"));
    sandbox.write("work_items/b.md", "---\nid: feat:other\ntitle: Other\n---\n\nText.\n");
    sandbox.expect(0, &["build", "-q"]);
    sandbox.write("work_items/b.md", "---\nid: feat:other\ntitle: Newer\n---\n\nText.\n");
    let page = sandbox.expect(0, &["page", "feat:other", "-o", "-"]);
    assert!(page.contains(r#"data-begin="packs/feat-other.coding.json""#) && page.contains("Newer"));
    let paths: Vec<_> = data(&page)["packs"].as_array().unwrap().iter().map(|entry| entry["path"].clone()).collect();
    assert_eq!(paths, ["packs/feat-other.coding.json", "packs/feat-a.coding.json"]);
    sandbox.commit();
    assert_eq!(sandbox.git(&["ls-files", ".contextpack"]), "");
    assert_eq!(sandbox.run(&["page", "feat:nothing"]).code, 2);
    sandbox.write("packs/feat-a.coding.json", "{}");
    assert_ne!(sandbox.run(&["page", "packs/feat-a.coding.json"]).code, 0);
}

#[test]
fn the_page_names_the_repo_and_its_commit_and_holds_markdown_as_a_tree() {
    let sandbox = small();
    sandbox.git(&["init", "-q"]);
    sandbox.git(&["remote", "add", "origin", "https://user:word@github.com/owner/name.git"]);
    sandbox.commit();
    sandbox.expect(0, &["build", "-q"]);
    let page = sandbox.expect(0, &["page", "-o", "-"]);
    let commit = sandbox.git(&["rev-parse", "HEAD"]);
    let origin =
        serde_json::json!({"repo": "owner/name", "url": "https://github.com/owner/name", "commit": commit.trim()});
    assert_eq!(json(&page, "freshness")["origin"], origin);
    // A name that looks like a secret is not spelled out in links either.
    let token = format!("{}_{}", "ghp", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8");
    sandbox.git(&["remote", "set-url", "origin", &format!("https://github.com/owner/{token}")]);
    assert!(!sandbox.expect(0, &["page", "-o", "-"]).contains(&token));
    let all: serde_json::Value = serde_json::from_str(between(&page, "id=\"data\">", "</script>")).unwrap();
    let trees: Vec<_> = all["trees"].as_object().unwrap().values().collect();
    let heading = serde_json::json!(["h1", "", ["7. Cache"]]);
    assert!(trees.iter().any(|tree| tree.as_array().unwrap().contains(&heading)), "{trees:?}");
}
