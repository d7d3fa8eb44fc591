//! The code that an item names: what of a long file is in its pack, and its tests.

use crate::sandbox::Sandbox;

/// A file of `count` functions, one of which is `load_task`.
fn source(count: usize) -> String {
    let function = |at: usize| format!("pub fn step_{at}(value: u32) -> u32 {{\n    value + {at}\n}}\n\n");
    let named = "/// Loads it.\npub fn load_task(id: u32) -> u32 {\n    id * 7\n}\n\n";
    (0..count).map(|at| if at == count / 2 { named.to_owned() } else { function(at) }).collect()
}

#[test]
fn outlines_grow_to_files_smallest_first_as_the_budget_grows() {
    let item =
        "---\nid: task:a\ntitle: A\n---\n\n`src/long.rs` and `src/longer.rs` have `load_task`; see `src/huge.rs`.\n";
    let [long, longer, huge] = [40, 90, 400].map(source);
    let sandbox = Sandbox::configured(&[
        ("work_items/a.md", item),
        ("src/long.rs", &long),
        ("src/longer.rs", &longer),
        ("src/huge.rs", &huge),
        ("tests/long.rs", "#[test]\nfn works() {}\n"),
    ]);
    sandbox.commit();
    let mut before: Vec<(String, usize)> = Vec::new();
    let mut seen = std::collections::BTreeSet::new();
    for limit in (6_000..30_000).step_by(1_500) {
        sandbox.expect(0, &["build", "--max-chars", &limit.to_string()]);
        let pack: serde_json::Value = serde_json::from_str(&sandbox.read("packs/task-a.coding.json")).unwrap();
        assert!(pack["budget"]["used_chars"].as_u64().unwrap() <= limit);
        let sections = pack["sections"].as_array().unwrap().iter();
        let code = sections.filter(|section| section["id"].as_str().unwrap().starts_with("code."));
        let shown: Vec<(String, usize)> = code
            .map(|section| {
                let [id, detail, text] = [&section["id"], &section["metadata"]["detail"], &section["content"]]
                    .map(|value| value.as_str().unwrap().to_owned());
                seen.insert((id.clone(), detail.clone()));
                let is_whole = detail == "full";
                assert!(is_whole || text.contains("id * 7") || detail == "pointer", "{id} {detail}: {text}");
                assert_eq!(text.contains("tests: tests/long.rs"), id == "code.src/long.rs" && detail != "pointer");
                (id, text.len())
            })
            .collect();
        for (id, length) in &before {
            let now = shown.iter().find(|(other, _)| other == id).map(|(_, length)| *length);
            assert!(now >= Some(*length), "{id} shrank at {limit}");
        }
        // The larger one never grows before the smaller.
        let is_full = |id: &str| {
            pack["sections"].as_array().unwrap().iter().any(|it| it["id"] == id && it["metadata"]["detail"] == "full")
        };
        assert!(is_full("code.src/long.rs") || !is_full("code.src/longer.rs"), "{limit}");
        before = shown;
    }
    let has = |id: &str, detail: &str| seen.contains(&(id.to_owned(), detail.to_owned()));
    assert!(has("code.src/longer.rs", "excerpt") && has("code.src/longer.rs", "full"), "{seen:?}");
    assert!(!has("code.src/huge.rs", "full"), "{seen:?}");
}

#[test]
fn a_large_parent_gives_way_to_what_the_root_names() {
    let text = |name: &str, lines: usize| -> String {
        (0..lines).map(|at| format!("{name} says in line {at} what it says in others.\n\n")).collect()
    };
    let parent = format!("---\nid: epic:a\ntitle: All\n---\n\n{}", text("The parent", 400));
    let item = "---\nid: task:a\ntitle: A\nparent: epic:a\ndocs: [docs/a.md]\n---\n\nDo it.\n";
    let document = format!("# A\n\n{}", text("The document", 150));
    let sandbox =
        Sandbox::configured(&[("work_items/epic.md", &parent), ("work_items/a.md", item), ("docs/a.md", &document)]);
    sandbox.expect(0, &["build", "task:a", "--max-chars", "13000"]);
    let pack: serde_json::Value = serde_json::from_str(&sandbox.read("packs/task-a.coding.json")).unwrap();
    let of = |id: &str| pack["sections"].as_array().unwrap().iter().find(|it| it["id"] == id).unwrap().clone();
    assert_eq!(of("file.docs/a.md")["metadata"]["detail"], "full");
    let chars = of("parent.epic:a")["metadata"]["chars"].as_u64().unwrap();
    assert!((500..13_000 * 3 / 10).contains(&chars), "{chars}");
}
