//! The arrows between the modules of `src/`: which may use which; and that each type has a name of its own.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// A row of the table in `docs/architecture.md`.
struct Module {
    name: String,
    /// The modules that it may use; `redact::Clean` stands for the redacted texts alone.
    may_use: BTreeSet<String>,
    /// Whether it touches no file, clock, environment, locale or network.
    is_pure: bool,
    /// How many lines of Rust it may hold, comments and tests in its files included.
    line_limit: usize,
}

/// The one table of modules and the arrows between them. An arrow that is added says why, in the commit that adds it.
fn modules() -> Vec<Module> {
    let page = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/architecture.md")).unwrap();
    let names = |cell: &str| -> BTreeSet<String> { cell.split('`').skip(1).step_by(2).map(str::to_owned).collect() };
    let rows = page.lines().filter(|line| line.starts_with("| `"));
    rows.map(|row| {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        let name = names(cells[1]).into_iter().next().unwrap();
        let line_limit = cells[5].replace(',', "").parse().unwrap();
        Module { name, may_use: names(cells[3]), is_pure: cells[4] == "no", line_limit }
    })
    .collect()
}

/// The redacted texts: borrowed, and the one that is built from redacted parts.
const CLEAN: [&str; 2] = ["Clean", "CleanBuf"];

/// What no pure module names. `include_str!` is read when the program is built.
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

/// Removes each item under `#[cfg(test)]`, up to its `;` or closing brace.
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

/// Modules that the code names: `crate::module`, and the list of `use crate::{…}`.
fn named(code: &str) -> BTreeSet<String> {
    named_in("crate::", code)
}

/// Returns the names that follow a path in the code, one by one or as the list of a `use`.
fn named_in(path: &str, code: &str) -> BTreeSet<String> {
    let mut modules = BTreeSet::new();
    for (at, path) in code.match_indices(path) {
        if code[..at].ends_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | ':')) {
            continue;
        }
        let rest = &code[at + path.len()..];
        let first = |text: &str| -> String {
            text.trim_start().chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect()
        };
        let Some(list) = rest.strip_prefix('{') else {
            modules.insert(first(rest));
            continue;
        };
        let mut depth = 0_u32;
        let mut start = 0;
        for (index, c) in list.char_indices() {
            match c {
                '{' => depth += 1,
                '}' if depth > 0 => depth -= 1,
                ',' | '}' if depth == 0 => {
                    modules.insert(first(&list[start..index]));
                    start = index + 1;
                    if c == '}' {
                        break;
                    }
                }
                _ => {}
            }
        }
    }
    modules.remove("");
    modules
}

/// What the code names of the module `redact`; an empty name for the module itself.
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

/// The module that a file belongs to.
fn module_of(file: &str) -> &str {
    file.split_once('/').map_or(file.trim_end_matches(".rs"), |(module, _)| module)
}

#[test]
fn every_arrow_between_modules_is_in_the_table_and_every_arrow_of_the_table_is_used() {
    let modules = modules();
    let mut unused: BTreeSet<(String, String)> =
        modules.iter().flat_map(|it| it.may_use.iter().map(|used| (it.name.clone(), used.clone()))).collect();
    let mut faults = Vec::new();
    for (file, code) in sources() {
        let name = module_of(&file);
        // The root of the library, its hidden re-exports, the program and the build script are no modules.
        if matches!(name, "lib" | "internals" | "main" | "build") {
            continue;
        }
        let Some(module) = modules.iter().find(|module| module.name == name) else {
            faults.push(format!("src/{file}: `{name}` is not in the table"));
            continue;
        };
        // Only what is a module is an arrow: macros and constants of the crate's root are not.
        for used in named(&code).into_iter().filter(|used| used != name && modules.iter().any(|it| it.name == *used)) {
            let arrow = match used.as_str() {
                "redact" if module.may_use.contains("redact::Clean") => {
                    let parts = parts_of_redact(&code);
                    for part in parts.iter().filter(|part| !CLEAN.contains(&part.as_str())) {
                        faults.push(format!("src/{file}: `{name}` may use redacted texts, and not `redact::{part}`"));
                    }
                    "redact::Clean".to_owned()
                }
                _ => used.clone(),
            };
            if !module.may_use.contains(&arrow) {
                faults.push(format!("src/{file}: `{name}` must not use `{used}`"));
            }
            unused.remove(&(name.to_owned(), arrow));
        }
    }
    faults.extend(unused.iter().map(|(from, to)| format!("docs/architecture.md: `{from}` does not use `{to}`")));
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// Returns the files of its own module that a file names, directly or as what their `mod.rs` re-exports.
fn files_named(file: &str, sources: &BTreeMap<String, String>) -> BTreeSet<String> {
    let mut named = BTreeSet::new();
    let folders = Path::new(file).ancestors().skip(1).filter_map(Path::to_str).filter(|folder| !folder.is_empty());
    for (depth, folder) in folders.enumerate() {
        for path in ["super::".repeat(depth + 1), format!("crate::{}::", folder.replace('/', "::"))] {
            let names = named_in(&path, &sources[file]);
            named.extend(names.iter().filter_map(|name| file_of(folder, name, sources)));
        }
    }
    named.remove(file);
    named
}

/// Returns the file of a folder that is a module of this name, or from which the folder's module re-exports the name.
fn file_of(folder: &str, name: &str, sources: &BTreeMap<String, String>) -> Option<String> {
    let file = |module: &str| Some(format!("{folder}/{module}.rs")).filter(|file| sources.contains_key(file));
    let re_exported = || {
        let parent = [format!("{folder}/mod.rs"), format!("{folder}.rs")].iter().find_map(|file| sources.get(file))?;
        let has_name = |list: &&str| list.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == name);
        let list = parent.split(';').filter_map(|item| Some(item.split_once("use ")?.1)).find(has_name)?;
        file(list.split("::").next()?)
    };
    file(name).or_else(re_exported)
}

/// Returns the files that a file leads to, over others or itself.
fn reached<'a>(from: &'a str, named: &'a BTreeMap<String, BTreeSet<String>>) -> BTreeSet<&'a str> {
    let (mut reached, mut open) = (BTreeSet::new(), vec![from]);
    while let Some(file) = open.pop() {
        open.extend(named[file].iter().map(String::as_str).filter(|next| reached.insert(*next)));
    }
    reached
}

#[test]
fn no_more_than_two_files_of_a_module_form_a_circle() {
    let sources: BTreeMap<String, String> = sources().into_iter().collect();
    // A `mod.rs` declares the other files.
    let files = sources.keys().filter(|file| file.contains('/') && !file.ends_with("/mod.rs"));
    let named: BTreeMap<String, BTreeSet<String>> =
        files.map(|file| (file.clone(), files_named(file, &sources))).collect();
    let circles: BTreeSet<Vec<&str>> = named
        .keys()
        .map(|file| {
            reached(file, &named).into_iter().filter(|other| reached(other, &named).contains(&**file)).collect()
        })
        .filter(|files: &Vec<&str>| files.len() > 2)
        .collect();
    assert!(circles.is_empty(), "these files use each other in a circle: {circles:#?}");
}

#[test]
fn pure_modules_know_no_files_no_clock_and_no_environment() {
    let modules = modules();
    let mut faults = Vec::new();
    for (file, code) in sources() {
        if modules.iter().any(|module| module.name == module_of(&file) && module.is_pure) {
            for impure in IMPURE.into_iter().filter(|impure| code.contains(impure)) {
                faults.push(format!("src/{file}: `{impure}` in a pure module"));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn no_module_holds_more_lines_than_the_table_says() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut faults = Vec::new();
    for module in modules() {
        let files = walkdir::WalkDir::new(src.join(&module.name)).into_iter().map(|entry| entry.unwrap().into_path());
        let rust = files.filter(|path| path.extension().is_some_and(|extension| extension == "rs"));
        let lines: usize = rust.map(|path| fs::read_to_string(path).unwrap().lines().count()).sum();
        if lines > module.line_limit {
            faults.push(format!("src/{} has {lines} lines, its limit is {}", module.name, module.line_limit));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// Returns the names of the types that the code declares: structs, enums, traits and aliases, but no associated types.
fn declared_types(code: &str) -> impl Iterator<Item = &str> {
    code.lines().filter_map(|line| {
        let item = line.trim_start();
        let is_indented = item.len() < line.len();
        let item = match item.strip_prefix("pub") {
            Some(rest) if rest.starts_with('(') => rest.split_once(") ")?.1,
            Some(rest) => rest.trim_start(),
            None => item,
        };
        let (keyword, rest) = item.split_once(' ')?;
        let declares = matches!(keyword, "struct" | "enum" | "trait") || keyword == "type" && !is_indented;
        let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
        Some(&rest[..end]).filter(|name| declares && name.starts_with(char::is_uppercase))
    })
}

#[test]
fn no_type_name_stands_for_two_types() {
    let mut files: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (file, code) in sources() {
        for name in declared_types(&code) {
            files.entry(name.to_owned()).or_default().push(file.clone());
        }
    }
    files.retain(|_, files| files.len() > 1);
    assert!(files.is_empty(), "give each type a name of its own: {files:#?}");
}

#[test]
fn associated_types_and_types_of_tests_are_not_declared_types() {
    let source = "pub(super) struct A<'a>(&'a str);\nnamed! {\n    pub enum B {}\n}\ntype C = u32;\npub trait D {\n    \
        type E;\n}\n// struct F;\n#[cfg(test)]\nmod tests {\n    struct G;\n}\n";
    assert_eq!(declared_types(&code(source)).collect::<Vec<_>>(), ["A", "B", "C", "D"]);
}

#[test]
fn arrows_are_found_in_lists_and_not_in_texts_comments_and_tests() {
    let source = r##"
        use crate::{graph::{self, Edge}, model::RepoPath};
        // use crate::intake::Repo;
        const TEXT: &str = "crate::store"; const RAW: &str = r#"crate::review "#; const Q: char = '"';
        fn f() { crate::parse::x(); other_crate::seal::y(); }
        #[cfg(test)]
        mod tests { use crate::fit::Z; }
        fn g() { crate::wire::w(); }
    "##;
    let modules: Vec<String> = named(&code(source)).into_iter().collect();
    assert_eq!(modules, ["graph", "model", "parse", "wire"]);
    let parts = parts_of_redact("use crate::redact::{Clean, Redactor}; crate::redact::Piece; use crate::redact;");
    assert_eq!(parts, ["Clean", "Redactor", "Piece", ""]);
}

#[test]
fn every_module_of_the_table_exists() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    for module in modules() {
        assert!(src.join(&module.name).is_dir(), "there is no src/{}", module.name);
    }
}

#[test]
fn no_module_that_decides_what_packs_hold_is_left_out_of_the_cache_identity() {
    let excluded: Vec<&str> = env!("CONTEXTPACK_EXCLUDED").split(',').collect();
    let mut faults = Vec::new();
    for (file, code) in sources() {
        let module = module_of(&file);
        // The crate's root declares every module and does nothing.
        if excluded.contains(&module) || matches!(module, "lib" | "internals" | "build") {
            continue;
        }
        for used in named(&code).iter().filter(|used| excluded.contains(&used.as_str())) {
            faults.push(format!("src/{file}: `{module}` uses `{used}`, which `src/build.rs` excludes"));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    let modules = modules();
    for name in excluded.into_iter().filter(|name| *name != "main") {
        assert!(
            modules.iter().any(|module| module.name == name),
            "`src/build.rs` excludes `{name}`, which does not exist"
        );
    }
}
