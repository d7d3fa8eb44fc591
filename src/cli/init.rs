//! `contextpack init`.

use super::args::{Format, Global, InitArgs};
use super::console;
use super::detect::Found;
use super::exit::Exit;
use super::failure::{Failure, PathFailure};
use super::report::{self, printable};
use super::setup::{CONFIG, Setup};
use super::workspace::load;
use contextpack::config::Settings;
use contextpack::intake::Repo;
use contextpack::model::{Code, Diagnostic, Place, RepoPath};
use std::fs;
use std::io::Write;
use std::path::Path;

/// The names of the configuration; both at once are an error.
const CONFIGS: [&str; 2] = [CONFIG, "contextpack.yaml"];

/// Sets a repo up: everything is looked at first, then written, and nothing is overwritten.
pub(crate) fn run(global: &Global, args: &InitArgs) -> Result<Exit, Failure> {
    if global.config.is_some() {
        return Err(Failure::usage("`init` writes `contextpack.yml`; run it without `--config`"));
    }
    let root = Repo::find_root(Path::new("."))?;
    let existing = match existing_config(&root)? {
        Existing::None => None,
        Existing::Valid(name, settings) => Some((name, settings)),
        Existing::Faulty(diagnostics) => {
            // Lines of the file are not shown: nothing has looked for secrets in them.
            report::tell(global.format, &diagnostics, &|_| None)?;
            return Ok(Exit::Input);
        }
    };
    let found = Found::at(&root);
    let mut setup = Setup::new(&root);
    setup.all(&found, existing.as_ref().map(|(name, settings)| (*name, &**settings)), args)?;
    if args.git {
        contextpack::intake::configure(&root, &super::git::SETTINGS).map_err(Failure::usage)?;
        if !global.quiet {
            writeln!(console::stderr(), "git shows and merges packs by `contextpack git` in this clone")?;
        }
    }
    tell(global, &setup, &found)?;
    Ok(Exit::Done)
}

enum Existing {
    None,
    Valid(&'static str, Box<Settings>),
    Faulty(Vec<Diagnostic>),
}

fn existing_config(root: &Path) -> Result<Existing, Failure> {
    let names: Vec<&'static str> =
        CONFIGS.into_iter().filter(|name| root.join(name).symlink_metadata().is_ok()).collect();
    let faulty = |name: &str, message: &str, help: &str| {
        let at = RepoPath::new(name).ok().map(Place::file);
        Existing::Faulty(vec![Diagnostic::new(Code::InvalidConfig, at, message).help(help)])
    };
    let name = match names[..] {
        [] => return Ok(Existing::None),
        [name] => name,
        _ => {
            return Ok(faulty(
                CONFIGS[0],
                "there are two configurations, `contextpack.yml` and `contextpack.yaml`",
                "keep one",
            ));
        }
    };
    let path = root.join(name);
    if !path.is_file() {
        return Ok(faulty(name, "the configuration is not a file", "remove what stands there"));
    }
    let bytes = fs::read(&path).map_err(|e| PathFailure::failure("read", name, e))?;
    let Ok(text) = String::from_utf8(bytes) else {
        return Ok(faulty(name, "the configuration is not UTF-8", "save it as UTF-8"));
    };
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    Ok(match load(name, Some(text)) {
        Ok(settings) => Existing::Valid(name, Box::new(settings)),
        Err(diagnostics) => Existing::Faulty(diagnostics),
    })
}

/// Issues come from GitHub first; where items are in files too, these can be built at once.
fn next(found: &Found) -> &'static str {
    if found.github.is_some() && !found.has_items() { "contextpack sync" } else { "contextpack build" }
}

fn tell(global: &Global, setup: &Setup<'_>, found: &Found) -> Result<(), Failure> {
    let stdout = &mut console::stdout();
    if global.format == Format::Json {
        let left: Vec<_> =
            setup.left.iter().map(|(path, why)| serde_json::json!({"path": path, "reason": why})).collect();
        let value = serde_json::json!({"written": setup.written, "left_alone": left, "next": next(found)});
        writeln!(stdout, "{}", report::json_text(&value))?;
    } else {
        setup.written.iter().try_for_each(|path| writeln!(stdout, "{}", printable(path)))?;
    }
    if global.quiet {
        return Ok(());
    }
    let stderr = &mut console::stderr();
    for (path, why) in &setup.left {
        writeln!(stderr, "left alone: {}: {why}", printable(path))?;
    }
    writeln!(stderr, "next: {}", next(found))?;
    Ok(())
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use crate::cli::starter;

    fn set_up(root: &Path, cached: bool) -> (Vec<String>, Vec<String>) {
        let found = Found::at(root);
        let existing = match existing_config(root).unwrap() {
            Existing::Valid(name, settings) => Some((name, settings)),
            _ => None,
        };
        let mut setup = Setup::new(root);
        let args = InitArgs { cached, agents: Vec::new(), git: false, matrix: None };
        setup.all(&found, existing.as_ref().map(|(name, settings)| (*name, &**settings)), &args).unwrap();
        (setup.written, setup.left.into_iter().map(|(path, _)| path).collect())
    }

    #[test]
    fn an_empty_folder_gets_everything_and_a_second_run_changes_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let all = [
            "contextpack.yml",
            "work_items/feat-example.md",
            "docs/adr/0001-record-decisions.md",
            ".contextpack/.gitignore",
            ".gitattributes",
            ".github/workflows/contextpack.yml",
        ];
        assert_eq!(set_up(dir.path(), false), (all.map(str::to_owned).to_vec(), vec![]));
        let (written, left) = set_up(dir.path(), false);
        assert_eq!(written, Vec::<String>::new());
        assert_eq!(left.len(), 4);
    }

    #[test]
    fn samples_are_written_only_where_there_is_nothing() {
        for (there, item, adr) in [
            ("docs/adr/0007-x.md", true, false),
            ("backlog/tasks/a.md", false, false),
            (".beads/issues.jsonl", false, false),
            ("work_items/x.md", false, false),
        ] {
            let dir = tempfile::tempdir().unwrap();
            fs::create_dir_all(dir.path().join(there).parent().unwrap()).unwrap();
            fs::write(dir.path().join(there), "x").unwrap();
            let written = set_up(dir.path(), false).0;
            assert_eq!(written.contains(&starter::ITEM.to_owned()), item, "{there}");
            assert_eq!(written.contains(&starter::ADR.to_owned()), adr, "{there}");
        }
    }

    #[test]
    fn what_stands_in_gitattributes_stays() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(".gitattributes");
        fs::write(&path, "*.png binary").unwrap();
        fs::create_dir(dir.path().join("packs")).unwrap();
        set_up(dir.path(), false);
        assert_eq!(
            fs::read_to_string(&path).unwrap(),
            "*.png binary\n# contextpack begin\ncontext-packs/*.json linguist-generated diff=contextpack merge=contextpack text eol=lf\ncontext-packs/*.md merge=contextpack text eol=lf\n# contextpack end\n"
        );
    }

    #[test]
    fn cached_packs_stay_out_of_git() {
        let dir = tempfile::tempdir().unwrap();
        let (written, _) = set_up(dir.path(), true);
        assert!(!written.contains(&".gitattributes".to_owned()));
        assert!(fs::read_to_string(dir.path().join(".contextpack/.gitignore")).unwrap().contains("/packs/"));
        assert!(
            fs::read_to_string(dir.path().join("contextpack.yml")).unwrap().contains("dir: \".contextpack/packs\"")
        );
    }

    #[cfg(unix)]
    #[test]
    fn no_link_is_followed_out_of_the_repo() {
        let (dir, out) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        for name in [".github", ".contextpack", "work_items"] {
            std::os::unix::fs::symlink(out.path(), dir.path().join(name)).unwrap();
        }
        std::os::unix::fs::symlink(out.path().join("x"), dir.path().join(".gitattributes")).unwrap();
        let (_, left) = set_up(dir.path(), false);
        assert_eq!(left, [".contextpack/.gitignore", ".gitattributes", ".github/workflows/contextpack.yml"]);
        assert_eq!(fs::read_dir(out.path()).unwrap().count(), 0);
    }

    #[test]
    fn a_faulty_configuration_is_reported_before_anything_is_written() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("contextpack.yml"), "output: {dri: x}\n").unwrap();
        assert!(matches!(existing_config(dir.path()).unwrap(), Existing::Faulty(found) if found.len() == 1));
        fs::write(dir.path().join("contextpack.yaml"), "").unwrap();
        assert!(
            matches!(existing_config(dir.path()).unwrap(), Existing::Faulty(found) if found[0].message.contains("two"))
        );
    }
}
