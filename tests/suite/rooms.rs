//! The doors between rooms: which room of `src/` may use which.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// Each room and the rooms that it may use.
///
/// An arrow that is added here says why, in the commit that adds it.
const ROOMS: [(&str, &[&str]); 20] = [
    ("model", &[]),
    ("config", &["model"]),
    ("intake", &["model", "config"]),
    ("github", &["model", "config", "redact", "store"]),
    ("parse", &["model", "config"]),
    ("redact", &["model", "config"]),
    // Every room behind the door may use `redact::Clean`, see `CLEAN_ONLY`.
    ("graph", &["model", "parse", "redact"]),
    ("select", &["model", "config", "graph", "redact"]),
    ("fit", &["model", "config", "select", "render", "redact"]),
    ("render", &["model", "wire"]),
    ("wire", &[]),
    ("seal", &["model", "wire", "fit", "redact"]),
    ("pipeline", &["model", "config", "parse", "redact", "graph", "select", "fit", "render", "seal", "wire"]),
    ("store", &["model", "seal"]),
    // A finished pack is judged by what the scrubber would take out of it.
    ("review", &["model", "redact", "wire", "render"]),
    // The cache keeps what `pipeline` asks it to, and what the wire says of finished packs.
    ("cache", &["model", "pipeline", "wire", "store"]),
    // A session is what a command does, for those who do it again and again: it goes from files to files.
    (
        "session",
        &["model", "config", "intake", "redact", "pipeline", "render", "review", "wire", "seal", "store", "cache"],
    ),
    // A watch is a session that begins again whenever something happened, and says what that means for readers.
    (
        "watch",
        &[
            "model", "config", "intake", "redact", "pipeline", "render", "review", "wire", "seal", "store", "cache",
            "session",
        ],
    ),
    // The program shows what any public room gives.
    (
        "cli",
        &[
            "model", "config", "intake", "parse", "redact", "graph", "select", "fit", "render", "wire", "seal",
            "pipeline", "store", "review", "github", "cache", "session", "watch",
        ],
    ),
    ("main", &["cli"]),
];

/// Rooms behind the door: of `redact` they may use `Clean` and nothing else.
const CLEAN_ONLY: [&str; 5] = ["graph", "select", "fit", "seal", "store"];

/// The clean texts: borrowed, and the one that is built from clean parts.
const CLEAN: [&str; 2] = ["Clean", "CleanBuf"];

/// Rooms without files, clocks and environment.
const PURE: [&str; 11] =
    ["model", "config", "parse", "redact", "graph", "select", "fit", "render", "wire", "seal", "review"];

/// What no pure room names. `include_str!` is read when the program is built.
const IMPURE: [&str; 9] = [
    "std::fs",
    "std::env",
    "std::net",
    "std::process",
    "std::thread",
    "SystemTime",
    "Instant::now",
    "RandomState",
    "temp_dir",
];

/// The code of a file: no comments, no texts, no test modules.
fn code(source: &str) -> String {
    let mut code = String::new();
    let mut rest = source;
    while let Some(c) = rest.chars().next() {
        let skip = match c {
            '/' if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            '"' => text_end(rest),
            'r' if raw_hashes(rest).is_some() && !code.ends_with(|c: char| c.is_alphanumeric() || c == '_') => {
                let hashes = raw_hashes(rest).unwrap_or_default();
                let end = format!("\"{}", "#".repeat(hashes));
                let begin = hashes + 2;
                rest[begin..].find(&end).map_or(rest.len(), |at| begin + at + end.len())
            }
            '\'' if rest.starts_with("'\\") => {
                2 + rest[2..].char_indices().nth(1).map_or(rest.len() - 2, |(at, _)| {
                    rest[2 + at..].find('\'').map_or(rest.len() - 2, |end| at + end + 1)
                })
            }
            '\'' if rest.chars().nth(2) == Some('\'') => rest.char_indices().nth(3).map_or(rest.len(), |(at, _)| at),
            _ => 0,
        };
        if skip == 0 {
            code.push(c);
            rest = &rest[c.len_utf8()..];
        } else {
            code.push_str(if c == '/' { "" } else { "\"\"" });
            rest = &rest[skip..];
        }
    }
    without_tests(&code)
}

fn raw_hashes(rest: &str) -> Option<usize> {
    let hashes = rest[1..].bytes().take_while(|b| *b == b'#').count();
    (rest.as_bytes().get(1 + hashes) == Some(&b'"')).then_some(hashes)
}

/// The length of a text that begins with a quote.
fn text_end(rest: &str) -> usize {
    let mut escaped = false;
    for (at, c) in rest.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return at + 1,
            _ => {}
        }
    }
    rest.len()
}

/// Takes out each item that stands under `#[cfg(test)]`, up to its `;` or closing brace.
fn without_tests(code: &str) -> String {
    let mut kept = String::new();
    let mut rest = code;
    while let Some(at) = rest.find("#[cfg(test)]") {
        kept.push_str(&rest[..at]);
        let mut depth = 0_u32;
        let end = rest[at..].char_indices().find_map(|(index, c)| {
            match c {
                '{' => depth += 1,
                '}' => depth -= 1,
                _ => {}
            }
            (depth == 0 && matches!(c, ';' | '}')).then_some(at + index + 1)
        });
        rest = &rest[end.unwrap_or(rest.len())..];
    }
    kept + rest
}

/// Rooms that the code names: `crate::room`, `contextpack::room`, and the list of `use crate::{…}`.
fn named(code: &str) -> BTreeSet<String> {
    let mut rooms = BTreeSet::new();
    for door in ["crate::", "contextpack::"] {
        for (at, _) in code.match_indices(door) {
            if code[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_') {
                continue;
            }
            let rest = &code[at + door.len()..];
            let first = |text: &str| -> String {
                text.trim_start().chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect()
            };
            match rest.strip_prefix('{') {
                None => {
                    rooms.insert(first(rest));
                }
                Some(list) => {
                    let mut depth = 0_u32;
                    let mut start = 0;
                    for (index, c) in list.char_indices() {
                        match c {
                            '{' => depth += 1,
                            '}' if depth > 0 => depth -= 1,
                            ',' | '}' if depth == 0 => {
                                rooms.insert(first(&list[start..index]));
                                start = index + 1;
                                if c == '}' {
                                    break;
                                }
                            }
                            _ => {}
                        }
                    }
                }
            }
        }
    }
    rooms.remove("");
    rooms
}

/// What the code names of the room `redact`; the room itself where it names no part.
fn parts_of_redact(code: &str) -> Vec<String> {
    let word = |text: &str| text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect::<String>();
    let mut parts = Vec::new();
    for (at, path) in code.match_indices("crate::redact") {
        let rest = &code[at + path.len()..];
        match rest.strip_prefix("::").map(|rest| (rest, rest.strip_prefix('{'))) {
            None => parts.push(String::new()),
            Some((_, Some(list))) => {
                let list = list.split('}').next().unwrap_or(list);
                parts.extend(list.split(',').map(|part| word(part.trim())).filter(|part| !part.is_empty()));
            }
            Some((rest, None)) => parts.push(word(rest)),
        }
    }
    parts
}

/// The files of `src/` that are no tests: their path and their code.
fn sources() -> Vec<(String, String)> {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut sources: Vec<(String, String)> = walkdir::WalkDir::new(&src)
        .into_iter()
        .map(|entry| entry.unwrap().into_path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "rs"))
        .map(|path| {
            let name = path.strip_prefix(&src).unwrap().to_str().unwrap().replace('\\', "/");
            (name, code(&fs::read_to_string(&path).unwrap()))
        })
        .collect();
    sources.sort();
    // A file that only a `#[cfg(test)] mod x;` brings in is a test as a whole.
    let tests: Vec<String> = test_files(&src);
    sources.retain(|(name, _)| !tests.contains(name));
    sources
}

/// Files behind `#[cfg(test)] mod x;`.
fn test_files(src: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for entry in walkdir::WalkDir::new(src) {
        let path = entry.unwrap().into_path();
        if path.extension().is_none_or(|extension| extension != "rs") {
            continue;
        }
        let text = fs::read_to_string(&path).unwrap();
        let name = path.strip_prefix(src).unwrap().to_str().unwrap().replace('\\', "/");
        let folder = match name.rsplit_once('/') {
            Some((folder, "mod.rs")) => folder.to_owned(),
            _ => name.trim_end_matches(".rs").to_owned(),
        };
        for (at, attribute) in text.match_indices("#[cfg(test)]") {
            let mut lines = text[at + attribute.len()..].lines().map(str::trim);
            let item = lines.find(|line| !line.is_empty() && !line.starts_with("#["));
            let module = item.and_then(|item| {
                let item =
                    item.strip_prefix("pub(crate) ").or_else(|| item.strip_prefix("pub(super) ")).unwrap_or(item);
                item.strip_prefix("mod ")?.strip_suffix(';')
            });
            if let Some(module) = module {
                found.push(format!("{folder}/{module}.rs"));
            }
        }
    }
    found
}

/// The room that a file belongs to.
fn room(file: &str) -> &str {
    file.split_once('/').map_or(file.trim_end_matches(".rs"), |(room, _)| room)
}

#[test]
fn no_room_uses_a_room_that_the_table_does_not_allow() {
    let mut faults = Vec::new();
    for (file, code) in sources() {
        let room = room(&file);
        // Neither the library's root nor what runs before it is compiled is a room.
        if matches!(room, "lib" | "build") {
            continue;
        }
        let Some((_, allowed)) = ROOMS.iter().find(|(name, _)| *name == room) else {
            faults.push(format!("src/{file}: `{room}` is not in the table"));
            continue;
        };
        // Only what is a room is an arrow: macros and constants of the crate's root are not.
        for used in named(&code).iter().filter(|used| ROOMS.iter().any(|(name, _)| name == used)) {
            if used != room && !allowed.contains(&used.as_str()) {
                faults.push(format!("src/{file}: `{room}` must not use `{used}`"));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn behind_the_door_only_clean_texts_are_known() {
    let mut faults = Vec::new();
    for (file, code) in sources() {
        if !CLEAN_ONLY.contains(&room(&file)) {
            continue;
        }
        for used in parts_of_redact(&code).into_iter().filter(|used| !CLEAN.contains(&used.as_str())) {
            faults.push(format!("src/{file}: `redact::{used}` is used beyond the door"));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn pure_rooms_know_no_files_no_clock_and_no_environment() {
    let mut faults = Vec::new();
    for (file, code) in sources() {
        if PURE.contains(&room(&file)) {
            for impure in IMPURE.into_iter().filter(|impure| code.contains(impure)) {
                faults.push(format!("src/{file}: `{impure}` in a pure room"));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn the_test_of_the_doors_sees_through_lists_texts_comments_and_tests() {
    let source = r##"
        use crate::{graph::{self, Edge}, model::RepoPath};
        // use crate::intake::Repo;
        const TEXT: &str = "crate::store"; const RAW: &str = r#"crate::review "#; const Q: char = '"';
        fn f() { crate::parse::x(); other_crate::seal::y(); }
        #[cfg(test)]
        mod tests { use crate::fit::Z; }
        fn g() { contextpack::wire::w(); }
    "##;
    let rooms: Vec<String> = named(&code(source)).into_iter().collect();
    assert_eq!(rooms, ["graph", "model", "parse", "wire"]);
    let parts = parts_of_redact("use crate::redact::{Clean, Redactor}; crate::redact::Piece; use crate::redact;");
    assert_eq!(parts, ["Clean", "Redactor", "Piece", ""]);
}

#[test]
fn every_room_of_the_table_exists() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    for (room, _) in ROOMS.iter().filter(|(room, _)| *room != "main") {
        assert!(src.join(room).is_dir(), "there is no src/{room}");
    }
}

#[test]
fn no_module_that_decides_what_packs_hold_is_left_out_of_the_cache_identity() {
    let excluded: Vec<&str> = env!("CONTEXTPACK_EXCLUDED").split(',').collect();
    let mut faults = Vec::new();
    for (file, code) in sources() {
        let module = room(&file);
        // The crate's root declares every module and does nothing.
        if excluded.contains(&module) || module == "lib" {
            continue;
        }
        for used in named(&code).iter().filter(|used| excluded.contains(&used.as_str())) {
            faults.push(format!("src/{file}: `{module}` uses `{used}`, which `src/build.rs` excludes"));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    for module in excluded {
        assert!(
            ROOMS.iter().any(|(room, _)| *room == module),
            "`src/build.rs` excludes `{module}`, which does not exist"
        );
    }
}
