//! The module as a whole, with real folders and real git.

#![expect(clippy::unwrap_used, reason = "tests")]

use super::{Repo, RepoOptions};
use crate::config::DenyList;
use crate::git;
use crate::model::{Code, Refusal, RepoPath, Severity, SourceTree as _};
use std::fs;
use std::path::PathBuf;
use std::process::Command;

/// A temporary folder, with git on demand.
pub(super) struct Sandbox(tempfile::TempDir);

impl Sandbox {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub(super) fn with_git() -> Self {
        let sandbox = Self::new();
        sandbox.git(&["init", "-q"]);
        sandbox
    }

    pub(super) fn at(&self, path: &str) -> PathBuf {
        self.0.path().join(path)
    }

    pub(super) fn write(&self, path: &str, bytes: impl AsRef<[u8]>) -> &Self {
        fs::create_dir_all(self.at(path).parent().unwrap()).unwrap();
        fs::write(self.at(path), bytes).unwrap();
        self
    }

    #[cfg(unix)]
    fn link(&self, target: &str, path: &str) -> &Self {
        fs::create_dir_all(self.at(path).parent().unwrap()).unwrap();
        std::os::unix::fs::symlink(target, self.at(path)).unwrap();
        self
    }

    pub(super) fn git(&self, arguments: &[&str]) -> String {
        let output = Command::new("git")
            .args(arguments)
            .current_dir(self.0.path())
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env_remove("GIT_DIR")
            .env_remove("GIT_INDEX_FILE")
            .env_remove("GIT_WORK_TREE")
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    pub(super) fn repo(&self) -> Repo {
        self.repo_at("", &[])
    }

    fn repo_at(&self, root: &str, deny: &[&str]) -> Repo {
        let extra: Vec<String> = deny.iter().map(|entry| (*entry).to_owned()).collect();
        let deny = DenyList::new(&extra).unwrap();
        let excluded = [path("packs")];
        Repo::open(&self.at(root), RepoOptions { deny: &deny, excluded: &excluded, snapshot: None }).unwrap()
    }
}

fn path(text: &str) -> RepoPath {
    RepoPath::new(text).unwrap()
}

pub(super) fn names(repo: &Repo) -> Vec<&str> {
    repo.files().iter().map(RepoPath::as_str).collect()
}

fn read(repo: &Repo, text: &str) -> Result<String, Refusal> {
    repo.read(&path(text))
}

#[test]
fn tracked_and_not_ignored_files_are_listed_by_bytes() {
    let sandbox = Sandbox::with_git();
    sandbox
        .write(".gitignore", "*.log\n/out/\n")
        .write("b.md", "")
        .write("a/x.md", "")
        .write("a.md", "")
        .write("B.md", "");
    sandbox
        .write("forced.log", "")
        .write("x.log", "")
        .write("out/y.md", "")
        .write(".hidden/z", "")
        .write(".ignore", "*.md");
    sandbox.write(".git/info/exclude", "b.md\n").write("packs/p.json", "{}").write(".contextpack/s", "");
    sandbox.git(&["add", "-f", "forced.log", "a.md", "packs/p.json"]);
    let repo = sandbox.repo();
    assert_eq!(names(&repo), [".gitignore", ".hidden/z", ".ignore", "B.md", "a.md", "a/x.md", "b.md", "forced.log"]);
    assert!(repo.tracked(&path("forced.log")) && !repo.tracked(&path("b.md")) && !repo.tracked(&path("packs/p.json")));
    assert_eq!(repo.diagnostics(), []);
}

#[test]
fn what_is_ignored_cannot_be_told_from_what_is_not_there() {
    let sandbox = Sandbox::with_git();
    sandbox.write(".gitignore", "notes.md\n").write("notes.md", "private");
    let repo = sandbox.repo();
    assert_eq!(read(&repo, "notes.md"), Err(Refusal::NotInRepo));
    assert_eq!(read(&repo, "missing.md"), Err(Refusal::NotInRepo));
}

#[test]
fn a_repo_in_the_repo_is_not_entered() {
    let sandbox = Sandbox::with_git();
    sandbox.write("sub/.git/HEAD", "").write("sub/x.md", "").write("sub/deep/y.md", "");
    sandbox.write("module/.git", "gitdir: ../x").write("module/z.md", "").write("w.md", "");
    assert_eq!(names(&sandbox.repo()), ["w.md"]);
}

#[test]
fn without_git_ignore_files_count_and_every_listed_file_is_tracked() {
    let sandbox = Sandbox::new();
    sandbox.write(".gitignore", "x.md").write("x.md", "").write("y.md", "");
    let repo = sandbox.repo();
    assert_eq!(names(&repo), [".gitignore", "y.md"]);
    assert!(repo.tracked(&path("y.md")) && !repo.tracked(&path("x.md")));
}

#[test]
fn before_the_first_git_add_every_listed_file_is_tracked() {
    let sandbox = Sandbox::with_git();
    sandbox.write("x.md", "").write("sub/y.md", "");
    assert!(sandbox.repo().tracked(&path("x.md")) && sandbox.repo_at("sub", &[]).tracked(&path("y.md")));
    sandbox.git(&["add", "x.md"]);
    assert!(sandbox.repo().tracked(&path("x.md")) && !sandbox.repo_at("sub", &[]).tracked(&path("y.md")));
    sandbox.git(&["rm", "--cached", "-q", "x.md"]);
    assert!(!sandbox.repo().tracked(&path("x.md")), "an index without entries still says that nothing is tracked");
}

#[test]
fn ignore_files_above_the_root_count_up_to_the_top_of_the_work_tree() {
    let sandbox = Sandbox::new();
    sandbox.write(".gitignore", "*.md\n").write("repo/.git/HEAD", "");
    sandbox.write("repo/.gitignore", "*.tmp\n/sub/a.md\n/a.md\n/lost/\n").write("repo/sub/.gitignore", "!keep.tmp\n");
    for file in ["a.md", "b.md", "x.tmp", "keep.tmp"] {
        sandbox.write(&format!("repo/sub/{file}"), "");
    }
    sandbox.write("repo/lost/x.tmp", "");
    assert_eq!(names(&sandbox.repo_at("repo/sub", &[])), [".gitignore", "b.md", "keep.tmp"]);
    assert_eq!(names(&sandbox.repo_at("repo/lost", &[])), ["x.tmp"], "a root that is ignored itself is its own repo");
}

#[test]
fn a_git_repository_that_git_cannot_read_is_a_warning_without_places_of_this_machine() {
    let sandbox = Sandbox::new();
    sandbox.write(".git", "gitdir: /nowhere/at/all\n").write("a.md", "");
    let repo = sandbox.repo();
    assert_eq!(names(&repo), ["a.md"]);
    assert!(!repo.tracked(&path("a.md")));
    let [diagnostic] = repo.diagnostics() else { unreachable!("{:?}", repo.diagnostics()) };
    assert_eq!(diagnostic.code, Code::GitUnavailable);
    assert!(!diagnostic.message.contains(&*sandbox.0.path().to_string_lossy()), "{}", diagnostic.message);
}

#[test]
fn the_remote_is_shown_without_credentials() {
    let sandbox = Sandbox::with_git();
    assert_eq!(git::remote(sandbox.0.path()), Ok(None));
    sandbox.git(&["remote", "add", "origin", "https://me:s3cr%40t@github.com/o/r.git"]);
    assert_eq!(git::remote(sandbox.0.path()), Ok(Some("https://github.com/o/r.git".to_owned())));
    sandbox.git(&["remote", "set-url", "origin", "git@github.com:o/r.git"]);
    assert_eq!(git::remote(sandbox.0.path()), Ok(Some("git@github.com:o/r.git".to_owned())));
}

#[test]
fn denied_names_are_refused_before_existence() {
    let sandbox = Sandbox::new();
    sandbox.write(".env", "A=1").write(".env.example", "A=").write("x/private.md", "").write("test.pem", "pem");
    let repo = sandbox.repo_at("", &["private.md", "!/test.pem"]);
    for denied in [".env", ".env.none", "x/private.md", ".git/config", ".contextpack/x", "packs/x.json", "Packs/x"] {
        assert_eq!(read(&repo, denied), Err(Refusal::Denied), "{denied}");
    }
    assert_eq!(read(&repo, ".env.example"), Ok("A=".to_owned()));
    assert_eq!(read(&repo, "test.pem"), Ok("pem".to_owned()));
    assert!(repo.has(&path(".env")), "listed, so that naming it can be told apart");
}

#[test]
fn files_that_are_no_text_are_refused_with_their_reason() {
    let sandbox = Sandbox::new();
    sandbox.write("big.md", vec![b'x'; (1 << 20) + 1]).write("most.md", vec![b'x'; 1 << 20]);
    sandbox.write("big.jsonl", vec![b'x'; (1 << 20) + 1]).write("nul.md", "a\0").write("latin.md", b"\xE9t\xE9");
    let repo = sandbox.repo();
    assert_eq!(read(&repo, "big.md"), Err(Refusal::TooLarge(1 << 20)));
    assert_eq!(read(&repo, "most.md").map(|text| text.len()), Ok(1 << 20));
    assert_eq!(read(&repo, "big.jsonl").map(|text| text.len()), Ok((1 << 20) + 1));
    assert_eq!(read(&repo, "nul.md"), Err(Refusal::Binary));
    assert_eq!(read(&repo, "latin.md"), Err(Refusal::NotUtf8));
}

#[cfg(unix)]
#[test]
fn links_are_judged_by_where_they_lead() {
    let outside = Sandbox::new();
    outside.write("secret.md", "outside");
    let away = outside.at("secret.md").to_string_lossy().into_owned();
    let away_dir = outside.0.path().to_string_lossy().into_owned();
    let sandbox = Sandbox::with_git();
    sandbox.write("docs/x.md", "text").write(".env", "A=1").write(".aws/config", "").write("packs/p.json", "{}");
    sandbox.write(".gitignore", "ignored.md\nhidden-link.md\n").write("ignored.md", "private");
    sandbox.link("docs/x.md", "good.md").link("../good.md", "docs/twice.md").link(&away, "away.md");
    sandbox
        .link(&away_dir, "away")
        .link(".env", "env.md")
        .link("no/.env", "noenv.md")
        .link("ignored.md", "to-ignored.md");
    sandbox.link(".aws", "aws").link("packs/p.json", "pack.json").link("docs", "dir").link("loop", "loop");
    sandbox.link("gone.md", "dangling.md").link(".env", "hidden-link.md");
    let repo = sandbox.repo();
    assert_eq!(
        names(&repo),
        [
            ".aws/config",
            ".env",
            ".gitignore",
            "away",
            "away.md",
            "aws",
            "docs/twice.md",
            "docs/x.md",
            "env.md",
            "good.md",
            "noenv.md",
            "pack.json",
        ]
    );
    for good in ["good.md", "docs/twice.md"] {
        assert_eq!(read(&repo, good), Ok("text".to_owned()), "{good}");
    }
    for denied in ["env.md", "noenv.md", "aws/config", "aws/none", "pack.json"] {
        assert_eq!(read(&repo, denied), Err(Refusal::Denied), "{denied}");
    }
    for outside in ["away.md", "away/secret.md", "away/none.md"] {
        assert_eq!(read(&repo, outside), Err(Refusal::Outside), "{outside}");
    }
    for missing in ["to-ignored.md", "dir/x.md", "dangling.md", "hidden-link.md"] {
        assert_eq!(read(&repo, missing), Err(Refusal::NotInRepo), "{missing}");
    }
    assert_eq!(repo.special_files(), [path("loop")]);
    assert!(matches!(read(&repo, "loop"), Err(Refusal::Unreadable(_))));
}

#[cfg(unix)]
#[test]
fn a_tracked_link_to_an_untracked_file_is_not_tracked() {
    let sandbox = Sandbox::with_git();
    sandbox.write("local.md", "").write("known.md", "").link("local.md", "a.md").link("known.md", "b.md");
    sandbox.git(&["add", "a.md", "b.md", "known.md"]);
    let repo = sandbox.repo();
    assert!(repo.has(&path("a.md")) && !repo.tracked(&path("a.md")) && repo.tracked(&path("b.md")));
}

#[cfg(unix)]
#[test]
fn what_is_swapped_in_after_the_listing_is_refused() {
    let outside = Sandbox::new();
    outside.write("x.md", "outside").write("d/x.md", "outside");
    let sandbox = Sandbox::new();
    sandbox
        .write("file.md", "a")
        .write("dir/x.md", "b")
        .write("fifo.md", "c")
        .write("env.md", "d")
        .write(".env", "A=1");
    sandbox.write("big.md", "e").link("file.md", "link.md");
    let repo = sandbox.repo();
    for file in ["file.md", "fifo.md", "env.md", "link.md", "dir/x.md"] {
        fs::remove_file(sandbox.at(file)).unwrap();
    }
    fs::remove_dir(sandbox.at("dir")).unwrap();
    sandbox.link(&outside.at("x.md").to_string_lossy(), "file.md").link(&outside.at("d").to_string_lossy(), "dir");
    sandbox.link(".env", "env.md").link(".env", "link.md").write("big.md", vec![b'x'; 2 << 20]);
    assert!(Command::new("mkfifo").arg(sandbox.at("fifo.md")).status().unwrap().success());
    assert_eq!(read(&repo, "file.md"), Err(Refusal::NotInRepo));
    assert_eq!(read(&repo, "dir/x.md"), Err(Refusal::NotInRepo));
    assert_eq!(read(&repo, "env.md"), Err(Refusal::NotInRepo));
    assert_eq!(read(&repo, "link.md"), Err(Refusal::Denied));
    assert_eq!(read(&repo, "fifo.md"), Err(Refusal::Binary));
    assert_eq!(read(&repo, "big.md"), Err(Refusal::TooLarge(1 << 20)));
}

#[cfg(unix)]
#[test]
fn pipes_and_sockets_are_not_listed_and_stop_nothing() {
    let sandbox = Sandbox::new();
    sandbox.write("sub/x.md", "");
    for fifo in ["pipe.md", "sub/.gitignore", "contextpack.yml"] {
        assert!(Command::new("mkfifo").arg(sandbox.at(fifo)).status().unwrap().success());
    }
    let _socket = std::os::unix::net::UnixListener::bind(sandbox.at("s.md")).unwrap();
    let repo = sandbox.repo();
    assert_eq!(names(&repo), ["sub/x.md"]);
    assert_eq!(repo.special_files(), ["contextpack.yml", "pipe.md", "s.md", "sub/.gitignore"].map(path));
    assert!(repo.special_files().iter().all(|odd| matches!(repo.read(odd), Err(Refusal::Unreadable(_)))));
    assert!(Repo::read_config(sandbox.0.path(), None).is_err());
    assert!(Repo::read_config(sandbox.0.path(), Some(&sandbox.at("pipe.md"))).is_err());
}

#[cfg(target_os = "linux")]
#[test]
fn names_that_are_not_utf8_are_left_out_with_a_diagnostic() {
    use std::os::unix::ffi::OsStrExt as _;
    let sandbox = Sandbox::with_git();
    sandbox.write("docs/x.md", "").write("~a.md", "tilde").write("c:x.md", "colon");
    fs::write(sandbox.at("docs").join(std::ffi::OsStr::from_bytes(b"caf\xE9.md")), "").unwrap();
    sandbox.git(&["add", "."]);
    let repo = sandbox.repo();
    assert_eq!(names(&repo), ["c:x.md", "docs/x.md", "~a.md"]);
    assert_eq!(repo.read(&repo.files()[2]), Ok("tilde".to_owned()));
    assert_eq!(repo.diagnostics().len(), 1, "{:?}", repo.diagnostics());
    assert_eq!(repo.diagnostics()[0].code, Code::UnreadableFile);
}

#[test]
fn an_ignore_file_that_cannot_be_used_hides_everything_and_says_so() {
    let sandbox = Sandbox::new();
    sandbox.write("a.md", "").write("sub/.gitignore", vec![b'#'; 2 << 20]).write("sub/x.md", "");
    let repo = sandbox.repo();
    assert_eq!(names(&repo), ["a.md"]);
    assert_eq!(repo.diagnostics().len(), 1);
}

/// Whether a repo still counts as settled after `what` happened to its work tree.
fn settled_after(sandbox: &Sandbox, what: impl FnOnce()) -> bool {
    // Files that are as new as the observation may have changed meanwhile.
    std::thread::sleep(std::time::Duration::from_millis(50));
    let repo = sandbox.repo();
    assert!(repo.is_settled());
    what();
    repo.is_settled()
}

fn committed() -> Sandbox {
    let sandbox = Sandbox::with_git();
    sandbox.write("a.md", "one").write("sub/b.md", "one");
    let commit = || {
        sandbox.git(&["add", "."]);
        sandbox.git(&["-c", "user.name=A", "-c", "user.email=a@example.com", "commit", "-q", "-m", "files"]);
    };
    commit();
    sandbox.git(&["branch", "other"]);
    sandbox.write("a.md", "two").write("sub/b.md", "two");
    commit();
    sandbox
}

#[test]
fn a_checkout_while_files_are_read_is_noticed() {
    let sandbox = committed();
    assert!(!settled_after(&sandbox, || drop(sandbox.git(&["checkout", "-q", "other"]))));
    let back_and_forth = || {
        sandbox.git(&["checkout", "-q", "-"]);
        sandbox.git(&["checkout", "-q", "-"]);
    };
    assert!(!settled_after(&sandbox, back_and_forth));
    sandbox.write("a.md", "mine");
    let stash = ["-c", "user.name=A", "-c", "user.email=a@example.com", "stash", "-q"];
    assert!(!settled_after(&sandbox, || drop(sandbox.git(&stash))));
    let lock = sandbox.at(".git/index.lock");
    assert!(!settled_after(&sandbox, || fs::write(&lock, "").unwrap()));
    fs::remove_file(&lock).unwrap();
    // The moment between the last changed file and the new index.
    let replaced = || {
        fs::remove_file(sandbox.at("sub/b.md")).unwrap();
        sandbox.write("sub/b.md", "other");
        fs::write(&lock, "an index").unwrap();
    };
    assert!(!settled_after(&sandbox, replaced));
}

#[test]
fn a_look_at_the_state_and_a_commit_of_it_change_no_file() {
    let sandbox = committed();
    // The index knows another time of it: `git status` writes it anew.
    sandbox.write("a.md", "two");
    let index = || fs::metadata(sandbox.at(".git/index")).unwrap().modified().unwrap();
    let before = index();
    assert!(settled_after(&sandbox, || drop(sandbox.git(&["status"]))));
    assert_ne!(index(), before);
    // An editor that saves the same text again; cannot be told apart if the system does not store when a file was created.
    if fs::metadata(sandbox.at("a.md")).unwrap().created().is_ok() {
        let save = || {
            sandbox.write("a.md", "two");
            sandbox.git(&["status"]);
        };
        assert!(settled_after(&sandbox, save));
    }
    let commit = ["-c", "user.name=A", "-c", "user.email=a@example.com", "commit", "-q", "--allow-empty", "-m", "x"];
    assert!(settled_after(&sandbox, || drop(sandbox.git(&commit))));
}

#[test]
fn a_linked_work_tree_is_observed_by_its_own_index() {
    let sandbox = committed();
    let linked = Sandbox::new();
    let place = linked.at("tree");
    sandbox.git(&["worktree", "add", "-q", "--detach", place.to_str().unwrap()]);
    let deny = DenyList::new(&[]).unwrap();
    let repo = Repo::open(&place, RepoOptions { deny: &deny, excluded: &[], snapshot: None }).unwrap();
    assert_eq!((names(&repo), repo.is_settled()), (vec!["a.md", "sub/b.md"], true));
    sandbox.git(&["checkout", "-q", "other"]);
    assert!(repo.is_settled(), "another work tree of the repository does not matter");
    sandbox.git(&["-C", place.to_str().unwrap(), "checkout", "-q", "--detach", "other"]);
    assert!(!repo.is_settled());
}

#[test]
fn an_index_that_git_cannot_read_hides_files_with_an_error() {
    let sandbox = committed();
    sandbox.write(".git/index", "no index");
    let repo = sandbox.repo();
    let [diagnostic] = repo.unlisted() else { unreachable!("{:?}", repo.unlisted()) };
    assert_eq!((diagnostic.code, diagnostic.severity), (Code::GitUnavailable, Severity::Error));
    assert_eq!(repo.diagnostics(), repo.unlisted());
}

/// Compares the listing with git itself, over random nests of ignore files.
#[cfg(unix)]
#[test]
fn the_listing_agrees_with_git() {
    let sandbox = Sandbox::with_git();
    let cases = include_str!("../../tests/cases/intake.ignore.json");
    let cases: serde_json::Value = serde_json::from_str(cases).unwrap();
    let texts = |name: &str| cases[name].as_array().unwrap().iter().map(|text| text.as_str().unwrap()).collect();
    let (all_lines, files): (Vec<&str>, Vec<&str>) = (texts("lines"), texts("files"));
    for file in files {
        sandbox.write(file, "");
    }
    let mut state = 0x2545_F491_4F6C_DD1D_u64;
    let mut next = |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        usize::try_from(state % below as u64).unwrap()
    };
    for case in 0..60 {
        for folder in ["", "a/", "a/b/", "b/", "c/"] {
            let lines: Vec<&str> = (0..next(5)).map(|_| all_lines[next(all_lines.len())]).collect();
            let file = format!("{folder}.gitignore");
            if lines.is_empty() {
                let _absent = fs::remove_file(sandbox.at(&file));
            } else {
                sandbox.write(&file, lines.join("\n"));
            }
        }
        let listed = sandbox.git(&["ls-files", "-z", "--others", "--exclude-per-directory=.gitignore"]);
        let mut expected: Vec<&str> = listed.split_terminator('\0').collect();
        expected.sort_unstable();
        let repo = sandbox.repo();
        let rules: Vec<String> = ["", "a/", "a/b/", "b/", "c/"]
            .iter()
            .map(|folder| {
                format!("{folder}: {:?}", fs::read_to_string(sandbox.at(&format!("{folder}.gitignore"))).ok())
            })
            .collect();
        assert_eq!(names(&repo), expected, "case {case}: {rules:#?}");
    }
}
