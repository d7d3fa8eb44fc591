//! The action's script, run as a job would run it.
#![cfg(unix)]

use crate::actions::outputs;
use crate::cli::small;
use crate::sandbox::{Run, Sandbox, run};
use contextpack::internals::model::Digest;
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

fn action(file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(".github/actions/contextpack").join(file)
}

/// A job in a sandbox: the files that GitHub gives a step, and a path with the program on it.
struct Job {
    sandbox: Sandbox,
}

impl Job {
    fn new(sandbox: Sandbox) -> Self {
        fs::create_dir(sandbox.beside("temp")).unwrap();
        sandbox.write("contextpack.yml", "");
        Self { sandbox }
    }

    fn step(&self, step: &str, inputs: &[(&str, &str)]) -> Run {
        self.step_with(Path::new(env!("CARGO_BIN_EXE_contextpack")).parent().unwrap(), step, inputs)
    }

    /// Runs one step with `programs` at the head of the path.
    fn step_with(&self, programs: &Path, step: &str, inputs: &[(&str, &str)]) -> Run {
        // A job that has a copy of the action uses that one.
        let own = self.sandbox.beside("action/.github/actions/contextpack");
        let action = if own.exists() { own } else { action("") };
        let mut command = Command::new("bash");
        let path = format!("{}:{}", programs.display(), std::env::var("PATH").unwrap());
        command.arg(action.join("run.sh")).arg(step).current_dir(self.sandbox.root()).env_clear();
        command.env("PATH", path).env("HOME", self.sandbox.beside("home")).env("SOURCE_DATE_EPOCH", "0");
        command.env("GIT_CONFIG_NOSYSTEM", "1").env("GITHUB_WORKSPACE", self.sandbox.root());
        command.env("RUNNER_TEMP", self.sandbox.beside("temp")).env("RUNNER_OS", "Linux").env("RUNNER_ARCH", "X64");
        command.env("GITHUB_ACTION_PATH", action);
        for (name, file) in [("OUTPUT", "output"), ("STEP_SUMMARY", "summary"), ("PATH", "path")] {
            command.env(format!("GITHUB_{name}"), self.sandbox.beside(file));
        }
        command.envs(inputs.iter().copied());
        run(command, "")
    }

    fn said(&self, file: &str) -> String {
        fs::read_to_string(self.sandbox.beside(file)).unwrap_or_default()
    }

    fn outputs(&self) -> BTreeMap<String, String> {
        outputs(&self.said("output"))
    }
}

#[test]
fn one_root_is_built_and_handed_on() {
    let job = Job::new(small());
    let ended =
        job.step("run", &[("INPUT_COMMAND", "build"), ("INPUT_ROOTS", "feat:cache\n"), ("INPUT_PROFILES", "review")]);
    assert_eq!(ended.code, 0, "{}{}", ended.stdout, ended.stderr);
    let outputs = job.outputs();
    assert_eq!(outputs["pack"], "packs/feat-cache.review.json");
    assert!(job.sandbox.read("packs/feat-cache.review.json").contains(&outputs["hash"]));
    let markdown = fs::read_to_string(&outputs["markdown"]).unwrap();
    assert_eq!(markdown, job.sandbox.expect(0, &["render", &outputs["pack"]]));
    assert!(
        job.said("summary").contains("<code>packs/feat-cache&#46;review&#46;json</code> | written |"),
        "{}",
        job.said("summary")
    );
}

#[test]
fn a_repo_below_the_workspace_has_its_paths_from_the_workspace() {
    let sandbox = Sandbox::with(&[
        ("sub/contextpack.yml", "version: 1\n"),
        ("sub/work_items/a.md", "---\nid: task:a\ntitle: A\n---\n"),
    ]);
    let job = Job::new(sandbox);
    let ended = job.step("run", &[("INPUT_COMMAND", "build"), ("INPUT_WORKING_DIRECTORY", "sub")]);
    assert_eq!(ended.code, 0, "{}", ended.stdout);
    assert!(job.sandbox.has(&job.outputs()["pack"]), "{:?}", job.outputs());
}

#[test]
fn a_check_fails_with_its_reasons_in_the_summary() {
    let job = Job::new(small());
    assert_eq!(job.step("run", &[("INPUT_COMMAND", "build")]).code, 0);
    assert_eq!(job.step("run", &[("INPUT_COMMAND", "check")]).code, 0);
    job.sandbox.write("docs/adr/0007-cache.md", "# 7. Cache\n");
    let ended = job.step("run", &[("INPUT_COMMAND", "check"), ("INPUT_STRICT", "true")]);
    assert_eq!(ended.code, 4, "{}{}", ended.stdout, ended.stderr);
    assert!(ended.stdout.contains("::error file=packs/feat-cache.coding.json,title=stale pack::"), "{}", ended.stdout);
    assert!(
        job.said("summary").contains("| stale | <code>docs/adr/0007-cache&#46;md changed</code> |"),
        "{}",
        job.said("summary")
    );
    assert_eq!(job.step("run", &[("INPUT_COMMAND", "check"), ("INPUT_SHARD", "1/1")]).code, 4);
}

#[test]
fn no_roots_at_all_are_not_all_roots() {
    let job = Job::new(small());
    for roots in ["", "\n \n"] {
        let ended = job.step("run", &[("INPUT_COMMAND", "build"), ("INPUT_ROOTS", roots)]);
        assert_eq!((ended.code, job.sandbox.has("packs")), (2, false), "{}", ended.stdout);
        assert!(ended.stdout.contains("`roots` is empty"), "{}", ended.stdout);
    }
    assert_eq!(job.step("run", &[("INPUT_COMMAND", "build"), ("INPUT_ROOTS", "*")]).code, 0);
    assert!(job.sandbox.has("packs"));
}

#[test]
fn no_input_is_ever_run() {
    let hostile = "$(touch pwned)`touch pwned`; touch pwned\n--out=pwned\n' || touch pwned #";
    for name in ["INPUT_ROOTS", "INPUT_PROFILES", "INPUT_SHARD", "INPUT_COMMAND", "INPUT_STRICT"] {
        let job = Job::new(small());
        let ended = job.step("run", &[("INPUT_COMMAND", "build"), (name, hostile)]);
        assert_eq!(ended.code, 2, "{name}: {}{}", ended.stdout, ended.stderr);
        assert!(!job.sandbox.has("pwned"), "{name}");
        assert!(!job.sandbox.has("packs"), "{name}");
    }
    let job = Job::new(small());
    let hostile =
        [("INPUT_FROM", "release"), ("INPUT_VERSION", "$(touch pwned)/../x"), ("INPUT_RELEASES", "file:///x")];
    assert_eq!(job.step("install", &hostile).code, 2);
    assert!(!job.sandbox.has("pwned") && !job.sandbox.beside("path").exists());
}

/// A copy of the action beside the job, in a folder that stands for a commit of this project.
fn copy_action(job: &Job, sums: &str) -> PathBuf {
    let root = job.sandbox.beside("action");
    let folder = root.join(".github/actions/contextpack");
    fs::create_dir_all(&folder).unwrap();
    fs::copy(action("run.sh"), folder.join("run.sh")).unwrap();
    fs::write(folder.join("SHA256SUMS"), sums).unwrap();
    root
}

fn program(path: &Path, script: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, format!("#!/bin/sh\n{script}\n")).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

const ARCHIVE: &str = "contextpack-9.9.9-x86_64-unknown-linux-gnu.tar.gz";

/// A release of a program that leaves a trace when it is run, with what the release itself says of its checksum.
fn release(job: &Job) -> (String, String) {
    let folder = job.sandbox.beside("releases/v9.9.9");
    let ran = job.sandbox.beside("ran");
    program(&folder.join("contextpack"), &format!("touch '{}'\necho contextpack 9.9.9", ran.display()));
    fs::write(folder.join("other"), "not asked for").unwrap();
    let tar = Command::new("tar").args(["-czf", ARCHIVE, "contextpack", "other"]).current_dir(&folder).status();
    assert!(tar.unwrap().success());
    let digest = Digest::of(fs::read(folder.join(ARCHIVE)).unwrap()).hex();
    fs::write(folder.join("SHA256SUMS"), format!("{digest}  {ARCHIVE}\n")).unwrap();
    (format!("file://{}", job.sandbox.beside("releases").display()), digest)
}

#[test]
fn a_release_is_run_only_with_the_digest_that_the_commit_or_the_workflow_says() {
    let wrong = "0".repeat(64);
    let install = |sums: &dyn Fn(&str) -> String, given: &dyn Fn(String) -> String| {
        let job = Job::new(small());
        let (releases, digest) = release(&job);
        copy_action(&job, &sums(&digest));
        let given = given(digest);
        let (from, given) = given.strip_prefix("auto ").map_or(("release", given.as_str()), |given| ("auto", given));
        let inputs =
            [("INPUT_FROM", from), ("INPUT_VERSION", "9.9.9"), ("INPUT_RELEASES", &releases), ("INPUT_SHA256", given)];
        let ended = job.step("install", &inputs);
        assert_eq!(ended.code == 0, !job.said("path").is_empty(), "{}", ended.stdout);
        assert_eq!(ended.code == 0, job.sandbox.beside("temp/contextpack/bin/contextpack").exists());
        assert_eq!(ended.code == 0, job.sandbox.beside("ran").exists(), "it was run");
        assert!(!job.sandbox.beside("temp/contextpack/bin/other").exists(), "more was unpacked");
        assert!(!job.sandbox.beside("temp/contextpack").join(ARCHIVE).exists());
        (ended.code, ended.stdout)
    };
    let (listed, none) = (|digest: &str| format!("# All.\n{digest}  {ARCHIVE}\n"), |_: String| String::new());
    assert_eq!(install(&listed, &none), (0, "contextpack 9.9.9\n".to_owned()));
    assert_eq!(install(&|_| String::new(), &|digest| digest.to_uppercase()).0, 0);

    assert_eq!(install(&listed, &|digest| format!("auto {digest}")).0, 0, "`auto` takes it if its digest is known");

    for given in ["", "auto "] {
        let (code, said) = install(&|_| listed(&wrong), &|_| given.to_owned());
        assert_eq!((code, said.starts_with("::error ")), (1, true), "{given}{said}");
    }
    assert_eq!(install(&listed, &|_| wrong.clone()).0, 1, "what the workflow says wins");
    // What lies beside the archive counts for nothing: who replaces one replaces both.
    for sums in ["", "# There is no release yet.\n"] {
        let (code, said) = install(&|_| sums.to_owned(), &none);
        assert!(code == 2 && said.contains("this commit of the action has no SHA-256 of"), "{said}");
    }
    for digest in ["main", "0123", "sha256:0", &format!("{wrong}\n{wrong}")] {
        assert_eq!(install(&listed, &|_| digest.to_owned()).0, 2, "{digest}");
    }
    assert_eq!(install(&|digest| format!("{digest}  {ARCHIVE}\n{digest}  {ARCHIVE}\n"), &none).0, 2);
    // The one of this commit.
    let own = fs::read_to_string(action("SHA256SUMS")).unwrap();
    let lines = own.lines().filter(|line| !line.starts_with('#'));
    for (digest, name) in lines.map(|line| line.split_once("  ").unwrap()) {
        assert!(digest.len() == 64 && name.starts_with("contextpack-") && name.ends_with(".tar.gz"), "{name}");
    }
}

#[test]
fn without_an_input_the_program_is_built_from_the_actions_own_commit() {
    let metadata: serde_yaml::Value = serde_yaml::from_str(&fs::read_to_string(action("action.yml")).unwrap()).unwrap();
    assert_eq!(metadata["inputs"]["from"]["default"], "auto");
    let job = Job::new(small());
    let root = copy_action(&job, "");
    fs::write(root.join("Cargo.toml"), "[package]\nname = \"contextpack\"\nrust-version = \"1.95\"\n").unwrap();
    // The caller's repo brings a compiler of its own, which is not asked.
    job.sandbox.write("rust-toolchain.toml", "[toolchain]\npath = \"evil\"\n");
    let programs = job.sandbox.beside("programs");
    let log = job.sandbox.beside("log");
    let built = job.sandbox.beside("temp/contextpack/bin/contextpack");
    let note = |name: &str| format!("echo \"{name} in $(pwd -P): $*\" >> '{}'", log.display());
    program(&programs.join("rustup"), &note("rustup"));
    let build = format!(
        "mkdir -p '{0}'\nprintf '#!/bin/sh\\necho built\\n' > '{1}'\nchmod +x '{1}'",
        built.parent().unwrap().display(),
        built.display()
    );
    program(&programs.join("cargo"), &format!("{}\n{build}", note("cargo")));
    let inputs = [("INPUT_FROM", "auto"), ("INPUT_VERSION", "0.1.0")];
    assert_eq!(job.step_with(&programs, "install", &inputs).code, 2, "there is no source");
    fs::write(root.join("Cargo.lock"), "").unwrap();
    let ended = job.step_with(&programs, "install", &inputs);
    assert_eq!((ended.code, &*ended.stdout), (0, "built\n"), "{}", ended.stderr);
    // A release that is gone is no reason to stop, unless it was asked for.
    let releases = format!("file://{}", job.sandbox.beside("releases").display());
    let digest = "0".repeat(64);
    let gone = |from| {
        let given = [("INPUT_VERSION", "0.1.0"), ("INPUT_SHA256", &digest), ("INPUT_RELEASES", &releases)];
        job.step_with(&programs, "install", &[&given[..], &[("INPUT_FROM", from)]].concat())
    };
    let before = fs::read_to_string(&log).unwrap();
    let ended = gone("release");
    assert!(ended.code == 1 && ended.stdout.contains("the release cannot be fetched"), "{}", ended.stdout);
    assert_eq!(fs::read_to_string(&log).unwrap(), before);
    let ended = gone("auto");
    assert!(ended.code == 0 && ended.stdout.starts_with("::warning ") && ended.stdout.ends_with("built\n"));
    assert_eq!(fs::read_to_string(&log).unwrap(), before.repeat(2));
    fs::write(&log, before).unwrap();
    let (here, home) = (root.canonicalize().unwrap(), job.sandbox.beside("temp/contextpack"));
    assert_eq!(
        fs::read_to_string(log).unwrap(),
        format!(
            "rustup in {0}: toolchain install 1.95 --profile minimal --no-self-update\ncargo in {0}: +1.95 install --locked --path . --root {1} --target-dir {1}/target\n",
            here.display(),
            home.display()
        )
    );
}

#[test]
fn what_sync_says_is_no_command_and_its_failure_is_the_steps() {
    let job = Job::new(small());
    let programs = job.sandbox.beside("programs");
    fs::create_dir(&programs).unwrap();
    let fake = programs.join("contextpack");
    let text = "#!/bin/sh\necho '::error::from an issue'\necho \"::add-mask::$#\" >&2\nfor a; do echo \"arg $a\"; done\n[ \"$CONTEXTPACK_GITHUB_TOKEN\" = t ] && exit 7\n";
    fs::write(&fake, text).unwrap();
    fs::set_permissions(&fake, fs::Permissions::from_mode(0o755)).unwrap();
    let ended = job.step_with(&programs, "sync", &[("INPUT_ROOTS", "12\n\nx y\n"), ("CONTEXTPACK_GITHUB_TOKEN", "t")]);
    assert_eq!(ended.code, 7);
    let lines: Vec<&str> = ended.stdout.lines().collect();
    let word = lines[0].strip_prefix("::stop-commands::").unwrap();
    assert_eq!(word.len(), "contextpack-".len() + 32);
    let end = lines.iter().position(|line| *line == format!("::{word}::")).unwrap();
    let args = ["-C", ".", "sync", "--", "12", "x y"].map(|arg| format!("arg {arg}"));
    assert_eq!(lines[1..3], ["::error::from an issue", "::add-mask::6"]);
    assert_eq!(lines[3..end], args.iter().map(String::as_str).collect::<Vec<_>>());
    assert!(lines[end + 1].starts_with("::error title=contextpack::`contextpack sync` ended with exit code 7"));
}

#[test]
fn the_action_installs_this_version_is_documented_and_puts_no_expression_into_a_script() {
    let text = fs::read_to_string(action("action.yml")).unwrap();
    assert!(text.contains(&format!("    default: {}\n", env!("CARGO_PKG_VERSION"))), "the default of `version`");
    let page = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/actions.md")).unwrap();
    let metadata: serde_yaml::Value = serde_yaml::from_str(&text).unwrap();
    for names in [&metadata["inputs"], &metadata["outputs"]] {
        for name in names.as_mapping().unwrap().keys().map(|name| name.as_str().unwrap()) {
            assert!(page.contains(&format!("`{name}`")), "docs/actions.md says nothing of `{name}`");
        }
    }
    let scripts: Vec<&str> = text.lines().filter(|line| line.trim_start().starts_with("run:")).collect();
    assert_eq!(scripts.len(), 3);
    assert!(scripts.iter().all(|line| !line.contains("${{")), "{scripts:?}");
    let script = fs::read_to_string(action("run.sh")).unwrap();
    assert!(!script.contains("${{") && !script.contains("eval "));
}
