//! How people write names in texts: in other scripts, on Windows, with the hyphens of a word processor, in HTML.

use crate::sandbox::Sandbox;
use serde_json::Value;

/// The texts as bodies of `me-0`, `me-1`, … in a repo with `files`, and the packs of these.
fn packs(texts: &[&str], files: &[(&str, &str)]) -> Vec<Value> {
    let sandbox = Sandbox::with(&[("contextpack.yml", "version: 1\ngithub: {repo: o/n}\n")]);
    files.iter().for_each(|(path, text)| sandbox.write(path, text));
    for (index, text) in texts.iter().enumerate() {
        sandbox.write(&format!("work_items/me-{index}.md"), format!("---\nid: me-{index}\ntitle: T\n---\n{text}\n"));
    }
    sandbox.run(&["build"]);
    let read = |index| serde_json::from_str(&sandbox.read(&format!("packs/me-{index}.coding.json"))).unwrap();
    (0..texts.len()).map(read).collect()
}

fn list<'a>(pack: &'a Value, key: &str) -> impl Iterator<Item = &'a Value> {
    pack[key].as_array().unwrap().iter()
}

/// The files of a pack without their kinds and lines, sections and omissions alike, in order and each once.
fn files_of(pack: &Value) -> Vec<String> {
    let ids = list(pack, "sections").chain(list(pack, "omissions")).map(|entry| entry["id"].as_str().unwrap());
    let files = ids.filter_map(|id| ["file.", "code.", "adr."].iter().find_map(|kind| id.strip_prefix(kind)));
    let files = files.map(|file| file.split('#').next().unwrap().to_owned());
    let mut files: Vec<String> = files.filter(|file| file.contains('/')).collect();
    files.sort();
    files.dedup();
    files
}

/// `relation id` of each edge and the codes of the warnings, sorted.
fn relations_of(pack: &Value) -> Vec<String> {
    let edges =
        list(pack, "sections").flat_map(|section| section["metadata"]["edges"].as_array().into_iter().flatten());
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let edges = edges.map(|edge| format!("{} {}", text(&edge["relation"]), text(&edge["to"])));
    let mut all: Vec<String> = edges.chain(list(pack, "warnings").map(|warning| text(&warning["code"]))).collect();
    all.sort();
    all
}

const FILES: [(&str, &str); 12] = [
    ("docs/limits.md", "# Limits\n\nText.\n"),
    ("docs/設計/構成.md", "# 構成\n\nText.\n"),
    ("docs/cafe\u{301}.md", "# Menu\n\nText.\n"),
    ("docs/\u{fc}ber.md", "# Menu\n\nText.\n"),
    ("docs/adr/0007-c.md", "# 7. C\n\nText.\n"),
    ("docs/adr/0009-d.md", "# 9. D\n\nText.\n"),
    ("src/a.rs", "fn a() {}\n"),
    ("src/A.cs", "class A {}\n"),
    ("src/x.py", "x\n"),
    ("src/app/_x.py", "x\n"),
    ("src/y.js", "y\n"),
    ("bin/deploy", "y\n"),
];

fn assert_files(cases: &[(&str, &[&str])]) {
    let texts: Vec<&str> = cases.iter().map(|(text, _)| *text).collect();
    for ((text, expected), pack) in cases.iter().zip(packs(&texts, &FILES)) {
        assert_eq!(files_of(&pack), *expected, "{text}");
    }
}

#[test]
fn punctuation_and_letters_of_other_scripts_end_a_path() {
    const LIMITS: &[&str] = &["docs/limits.md"];
    assert_files(&[
        ("参照 docs/limits.md。", LIMITS),
        ("（docs/limits.md）", LIMITS),
        ("「docs/limits.md」を見る", LIMITS),
        ("見docs/limits.md、src/a.rs:1", &["docs/limits.md", "src/a.rs"]),
        ("請看 docs/limits.md，謝謝", LIMITS),
        ("docs/limits.mdを参照", LIMITS),
        ("docs/limits.md에서 확인", LIMITS),
        ("詳細はdocs/limits.mdとsrc/a.rs:1を", &["docs/limits.md", "src/a.rs"]),
        ("详见docs/設計/構成.md文件", &["docs/設計/構成.md"]),
        ("docs/設計/構成.md！", &["docs/設計/構成.md"]),
        ("Смотри «docs/limits.md»", LIMITS),
        ("راجع docs/limits.md، ثم", LIMITS),
        ("見る`docs/limits.md`ファイル", LIMITS),
        ("Read`docs/limits.md`now and`src/a.rs`too", &["docs/limits.md", "src/a.rs"]),
        ("実行bin/deployする", &["bin/deploy"]),
        ("https://github.com/o/n/blob/main/docs/limits.mdを見る", LIMITS),
        ("ADR-7を参照。ADR-9、", &["docs/adr/0007-c.md", "docs/adr/0009-d.md"]),
        ("見ADR-0007", &["docs/adr/0007-c.md"]),
        ("```\nエラー：src/a.rs:1:5。\n```", &["src/a.rs"]),
        ("docs/限界.md を見る", &[]),
        ("See docs/limits.md✅ and docs/limits.md➡️src/a.rs:1", &["docs/limits.md", "src/a.rs"]),
        ("ADR-7✅ `src/x.py`🔥", &["docs/adr/0007-c.md", "src/x.py"]),
    ]);
}

#[test]
fn paths_and_traces_of_windows_lead_to_the_same_files() {
    assert_files(&[
        (
            r"See `docs\limits.md`, `src\a.rs:1` and docs\adr\0007-c.md.",
            &["docs/adr/0007-c.md", "docs/limits.md", "src/a.rs"],
        ),
        (r"[l](..\src\a.rs) and `docs\\limits.md`", &["docs/limits.md", "src/a.rs"]),
        (r"Run bin\deploy, then .\src\x.py", &["bin/deploy", "src/x.py"]),
        (r"In src\app\_x.py and C:\work\n\docs\limits.md", &["docs/limits.md", "src/app/_x.py"]),
        (r"C:\work\n\src\a.rs:1 or C:/work/n/src/x.py:1", &["src/a.rs", "src/x.py"]),
        ("```\n   at N.A.Run() in C:\\work\\n\\src\\A.cs:line 1\n```", &["src/A.cs"]),
        ("```\n   at N.A.Run() in C:\\Users\\My Name\\n\\src\\A.cs:line 1\n```", &["src/A.cs"]),
        (
            "```\n    at f (C:\\work\\n\\src\\y.js:1:2)\n    at file:///C:/work/n/src/x.py:1:4\n```",
            &["src/x.py", "src/y.js"],
        ),
        ("```\nthread 'main' panicked at src\\a.rs:1:5:\n```", &["src/a.rs"]),
        ("```\nFile \"C:\\work\\n\\src\\x.py\", line 1, in <module>\n```", &["src/x.py"]),
        (
            "```\nC:\\work\\n\\src\\A.cs(1,2): error CS1002: ; expected\n --> src\\a.rs:1:5\n```",
            &["src/A.cs", "src/a.rs"],
        ),
        ("```\n[ERROR] /C:/work/n/src/A.cs:[1,5] error\n```", &["src/A.cs"]),
        ("```\n   bei N.A.Run() in C:\\work\\n\\src\\A.cs:Zeile 1.\n```", &["src/A.cs"]),
        (r"The pattern `\d+\.md` and `a\nb.md`", &[]),
    ]);
}

#[test]
fn files_are_found_however_accents_are_composed() {
    assert_files(&[
        ("[l](../docs/caf\u{e9}.md)", &["docs/cafe\u{301}.md"]),
        ("[l](../docs/u\u{308}ber.md)", &["docs/\u{fc}ber.md"]),
        ("See docs/caf\u{e9}.md here.", &["docs/cafe\u{301}.md"]),
        ("[l](../docs/caf%C3%A9.md#menu)", &["docs/cafe\u{301}.md"]),
        ("[l](gone/u\u{308}ber.md)", &["docs/\u{fc}ber.md"]),
    ]);
}

#[test]
fn links_in_html_and_ranges_of_adrs_name_files() {
    const BOTH: &[&str] = &["docs/adr/0007-c.md", "docs/adr/0009-d.md"];
    assert_files(&[
        ("See <a href=\"../docs/limits.md\">the limits</a>.", &["docs/limits.md"]),
        ("See <A class=x HREF=../docs/limits.md>the limits</A>.", &["docs/limits.md"]),
        ("See <!-- <a href=\"../docs/limits.md\">x</a> --> it.", &[]),
        ("ADR-006 through ADR-010", BOTH),
        ("ADR-6–ADR-9", BOTH),
        ("ADRs 5-8 and 9", BOTH),
        ("ADR-007–009", BOTH),
        ("ADR-7-ADR-9", BOTH),
        ("ADR-7..ADR-9", BOTH),
        ("[ADR-007...ADR-009]", BOTH),
        ("`ADR-7..ADR-9`", BOTH),
        ("ADR 7-9", BOTH),
        ("ADR-7 to 9", BOTH),
        ("ADR 0006 – 0009", BOTH),
        ("ADR-0007/0009", BOTH),
        ("ADR-7, -8 and -9", BOTH),
        ("ADR-7, 9 people, ADR-7-9", &["docs/adr/0007-c.md"]),
        ("ADR-7 – 10 people", &["docs/adr/0007-c.md"]),
        ("ADR-7 through ADR-9000", &["docs/adr/0007-c.md"]),
    ]);
}

fn assert_relations(cases: &[(&str, &[&str])]) {
    let ids = ["T001", "task1", "ABC", "1.2", "日本-1", "BACK-12", "cafe\u{301}-1"];
    let items: String = ids.iter().map(|id| format!("- id: \"{id}\"\n")).collect();
    let files = [("work_items/all.yml", items.as_str()), ("work_items/cache.md", "---\nid: the-cache\n---\n# Cache\n")];
    let texts: Vec<&str> = cases.iter().map(|(text, _)| *text).collect();
    for ((text, expected), pack) in cases.iter().zip(packs(&texts, &files)) {
        let found: Vec<String> =
            relations_of(&pack).into_iter().filter(|found| found != "dangling-reference").collect();
        assert_eq!(found, *expected, "{text}");
    }
}

#[test]
fn an_announced_relation_takes_the_exact_id_of_an_item_or_says_that_it_is_unknown() {
    assert_relations(&[
        ("## Blocked by\n\n- T001\n- task1", &["blocked_by T001", "blocked_by task1"]),
        ("Depends on: T001, ABC", &["depends_on ABC", "depends_on T001"]),
        ("Depends on: 1.2", &["depends_on 1.2"]),
        ("- [ ] Do it (depends on T001)", &["depends_on T001"]),
        (
            "## Blocked by\n\n- `T001`\n- **task1**: first\n- [the cache](cache.md)",
            &["blocked_by T001", "blocked_by task1", "blocked_by the-cache"],
        ),
        ("Depends on: 日本-1、T001", &["depends_on T001", "depends_on 日本-1"]),
        ("Depends on: caf\u{e9}-1", &["depends_on cafe\u{301}-1"]),
        ("Depends on: `ABC`, `1.2`", &["depends_on 1.2", "depends_on ABC"]),
        ("## Tasks\n\n- [ ] T001 Create it\n- [x] [Cache](cache.md)", &["child T001", "child the-cache"]),
        ("Blocked by:\n- Setup (T001)\n- [Cache](./cache.md)", &["blocked_by T001", "blocked_by the-cache"]),
        ("Depends on: T999, Redis", &["unknown-id"]),
        ("## Blocked by\n\n- BACK-99\n- `T998`", &["unknown-id", "unknown-id"]),
        ("## Blocked by\n\nNothing yet: the abc of it, no Task1 at all.", &[]),
        ("This depends on ABC tests and blocked by design; see T001 and `depends on T001`.", &[]),
        ("It depends on T001, 1.2 and ABC.", &["depends_on 1.2", "depends_on ABC", "depends_on T001"]),
        ("T001 depends on task1.", &[]),
        ("Depends on BACK\u{2011}12.", &["depends_on BACK-12"]),
        ("Depends on BACK\u{2013}12 and T001\u{2013}T009", &["depends_on BACK-12", "depends_on T001"]),
        ("Depends on：BACK\u{2010}12。", &["depends_on BACK-12"]),
        ("Depends on: t001; `task1`", &["case-mismatch", "depends_on T001", "depends_on task1"]),
        ("Depends on: a:b\n\nBlocked by: T:12", &["unknown-id", "unknown-id"]),
        (
            "Depends on [the cache](cache.md), #4 and T001.",
            &["depends_on T001", "depends_on o/n#4", "depends_on the-cache"],
        ),
        ("Blocked by: #9、#10を", &["blocked_by o/n#10", "blocked_by o/n#9"]),
        ("Blocked by: #9✅, #10🔥", &["blocked_by o/n#10", "blocked_by o/n#9"]),
        ("Depends on: T001✅", &["depends_on T001"]),
    ]);
}

#[test]
fn signs_and_ranges_in_an_announced_relation_name_several_items() {
    const THREE: &[&str] = &["blocked_by o/n#10", "blocked_by o/n#11", "blocked_by o/n#9"];
    assert_relations(&[
        ("Blocked by: #9/#10/#11", THREE),
        ("Blocked by: #9+#10 & #11", THREE),
        ("It is blocked by #9-#11.", THREE),
        ("## Blocked by\n\n- #9..11", THREE),
        ("Blocked by: #9 to #11", THREE),
        ("Blocked by: #9/10", &["unknown-id"]),
        ("Depends on: BACK-12/T001", &["depends_on BACK-12", "depends_on T001"]),
        ("Depends on: T001+ABC", &["depends_on ABC", "depends_on T001"]),
        ("Depends on: T001/T999", &["depends_on T001", "unknown-id"]),
        ("Depends on: T000–T002", &["depends_on T001", "unknown-id", "unknown-id"]),
        ("Part of #9-#11", &["parent o/n#9"]),
    ]);
}

#[test]
fn the_file_of_an_item_names_it_where_a_relation_is_announced() {
    const CACHE: &[&str] = &["depends_on the-cache"];
    assert_relations(&[
        ("Depends on: work_items/cache.md", CACHE),
        ("## Depends on\n\n- `work_items/cache.md`", CACHE),
        ("Depends on: cache.md", CACHE),
        ("It depends on work_items/cache.md.", CACHE),
        ("Depends on: docs/limits.md", &[]),
        ("## Depends on\n\n<ul><li><a href=\"cache.md\">A</a></li></ul>", CACHE),
        ("## Depends on\n\n<p><a href=\"https://github.com/o/n/issues/9\">A</a></p>", &["depends_on o/n#9"]),
        ("## Notes\n\n<p>Depends on <a href=\"https://github.com/o/n/issues/9\">A</a></p>", &[]),
    ]);
}

#[test]
fn lines_in_bold_and_lists_of_tasks_announce_as_headings_do() {
    assert_relations(&[
        ("**Blocked by**\n\n- #9\n\n**Tasks**\n\n- [ ] #11", &["blocked_by o/n#9", "child o/n#11"]),
        ("__Blocked by__\n#9\n\n**Notes**\n\n- #10", &["blocked_by o/n#9"]),
        ("**Depends on**\n\n## Goal\n\n- #10", &[]),
        ("- **Blocked by**\n  - #9\n- #10", &["blocked_by o/n#9"]),
        ("<b>Blocked by</b>\n\n- #9", &["blocked_by o/n#9"]),
        ("*Depends on*\n\n- #9", &["depends_on o/n#9"]),
        ("**Blocked by**\n\n_see below_\n\n- #9", &["blocked_by o/n#9"]),
        ("- _Blocked by_\n  - #9\n- #10", &["blocked_by o/n#9"]),
        ("Some **blocked by** text\n\n- #9", &[]),
        (
            "```[tasklist]\n### Tasks\n- [ ] #11\n- [x] https://github.com/o/n/issues/12\n```\n- [ ] #13",
            &["child o/n#11", "child o/n#12"],
        ),
        ("## Sub-issues\n\n```[tasklist]\n- [ ] #11\n```", &["child o/n#11"]),
        ("```tasklist\n### Tasks\n- [ ] #11\n```", &[]),
    ]);
}

#[test]
fn what_is_struck_denied_or_asked_states_nothing() {
    assert_relations(&[
        ("It was previously blocked by #6. Neither blocked by #7 nor depends on #5. Is this blocked by #8?", &[]),
        ("Formerly, this was blocked by #6.", &[]),
        ("It used to be blocked by #6", &[]),
        ("Does it depend on #5, or is it blocked by #6?", &[]),
        ("Blocked by #6?\n\nDepends on: #7?", &[]),
        ("Check whether it is blocked by #6", &[]),
        ("Blocked by #6 (or not?). Right?", &["blocked_by o/n#6"]),
        ("Blocked by #6\nAny questions?", &["blocked_by o/n#6"]),
        ("Blocked by #6: what now?", &["blocked_by o/n#6"]),
        ("<del>Blocked by #6</del> <s>Depends on #7</s> Depends on #8", &["depends_on o/n#8"]),
        ("Blocked by <del>#6</del> #7", &["blocked_by o/n#7"]),
        ("Blocked by <a href=\"https://github.com/o/n/issues/6\">the cache</a>", &["blocked_by o/n#6"]),
        ("<del>\n\nBlocked by #6\n\n</del>\n\nBlocked by #7", &["blocked_by o/n#7"]),
        ("<del> Blocked by #7", &["blocked_by o/n#7"]),
        ("Unblocked: was blocked by #7 until May", &[]),
        ("It has been blocked by #7 since May", &["blocked_by o/n#7"]),
    ]);
}

#[test]
fn what_is_denied_where_a_relation_is_announced_states_nothing() {
    assert_relations(&[
        ("**Blocked by:** None. Previously #9", &[]),
        ("Blocked by: none (was #9)", &[]),
        ("Blocked by: n/a, #9 is done", &[]),
        ("Blocked by: not #9", &[]),
        ("Blocked by: #9, not #10 or #11", &["blocked_by o/n#9"]),
        ("Blocked by: #9 (was #10)", &["blocked_by o/n#9"]),
        ("## Blocked by\n\nNeither #9, #10 nor #11.", &[]),
        ("## Blocked by\n\nPreviously #9.", &[]),
        ("## Blocked by\n\n- no longer #9\n- not [the cache](cache.md)", &[]),
        ("## Blocked by\n\nNone – #9 is merged.", &[]),
        ("## Sub-issues\n\n- none (was #9)\n- no longer #10", &[]),
        ("Blocked by: nothing but #9", &["blocked_by o/n#9"]),
        ("## Blocked by\n\n- #9 is not done\n- We cannot start before #10", &["blocked_by o/n#9"]),
        ("## Blocked by\n\nNothing works until #9 is there.", &["blocked_by o/n#9"]),
    ]);
}
