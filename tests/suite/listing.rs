//! Which files of a folder count, and what can be read of them, with real folders and real git.

use contextpack::IntakeError;
use contextpack::internals::config::DenyList;
use contextpack::internals::intake::{Repo, RepoOptions};
use contextpack::internals::model::{Code, Refusal, RepoPath, Severity, SourceTree as _};
use std::fs;
use std::path::PathBuf;
use std::process::Command;

/// A temporary folder, with git on demand.
struct Tree(tempfile::TempDir);

impl Tree {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn with_git() -> Self {
        let tree = Self::new();
        tree.git(&["init", "-q"]);
        tree
    }

    fn at(&self, path: &str) -> PathBuf {
        self.0.path().join(path)
    }

    fn write(&self, path: &str, bytes: impl AsRef<[u8]>) -> &Self {
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

    fn git(&self, arguments: &[&str]) -> String {
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

    fn repo(&self) -> Repo {
        self.repo_at("", &[])
    }

    fn repo_at(&self, root: &str, deny: &[&str]) -> Repo {
        let extra: Vec<String> = deny.iter().map(|entry| (*entry).to_owned()).collect();
        let deny = DenyList::new(&extra).unwrap();
        let excluded = [path("packs")];
        Repo::open(&self.at(root), RepoOptions { deny: &deny, excluded: &excluded, sources: &[], snapshot: None })
            .unwrap()
    }
}

fn path(text: &str) -> RepoPath {
    RepoPath::new(text).unwrap()
}

fn names(repo: &Repo) -> Vec<&str> {
    repo.files().iter().map(RepoPath::as_str).collect()
}

fn read(repo: &Repo, text: &str) -> Result<String, Refusal> {
    repo.read(&path(text))
}

#[test]
fn tracked_and_not_ignored_files_are_listed_by_bytes() {
    let tree = Tree::with_git();
    tree.write(".gitignore", "*.log\n/out/\n")
        .write("b.md", "")
        .write("a/x.md", "")
        .write("a.md", "")
        .write("B.md", "");
    tree.write("forced.log", "")
        .write("x.log", "")
        .write("out/y.md", "")
        .write(".hidden/z", "")
        .write(".ignore", "*.md");
    tree.write(".git/info/exclude", "b.md\n").write("packs/p.json", "{}").write(".contextpack/s", "");
    tree.git(&["add", "-f", "forced.log", "a.md", "packs/p.json"]);
    let repo = tree.repo();
    assert_eq!(names(&repo), [".gitignore", ".hidden/z", ".ignore", "B.md", "a.md", "a/x.md", "b.md", "forced.log"]);
    assert!(repo.tracked(&path("forced.log")) && !repo.tracked(&path("b.md")) && !repo.tracked(&path("packs/p.json")));
    assert_eq!(repo.diagnostics(), []);
}

#[test]
fn what_is_ignored_cannot_be_told_from_what_is_not_there() {
    let tree = Tree::with_git();
    tree.write(".gitignore", "notes.md\n").write("notes.md", "private");
    let repo = tree.repo();
    assert_eq!(read(&repo, "notes.md"), Err(Refusal::NotInRepo));
    assert_eq!(read(&repo, "missing.md"), Err(Refusal::NotInRepo));
}

#[test]
fn a_repo_in_the_repo_is_not_entered() {
    let tree = Tree::with_git();
    tree.write("sub/.git/HEAD", "").write("sub/x.md", "").write("sub/deep/y.md", "");
    tree.write("module/.git", "gitdir: ../x").write("module/z.md", "").write("w.md", "");
    assert_eq!(names(&tree.repo()), ["w.md"]);
}

#[test]
fn without_git_ignore_files_count_and_every_listed_file_is_tracked() {
    let tree = Tree::new();
    tree.write(".gitignore", "x.md").write("x.md", "").write("y.md", "");
    let repo = tree.repo();
    assert_eq!(names(&repo), [".gitignore", "y.md"]);
    assert!(repo.tracked(&path("y.md")) && !repo.tracked(&path("x.md")));
}

#[test]
fn before_the_first_git_add_every_listed_file_is_tracked() {
    let tree = Tree::with_git();
    tree.write("x.md", "").write("sub/y.md", "");
    assert!(tree.repo().tracked(&path("x.md")) && tree.repo_at("sub", &[]).tracked(&path("y.md")));
    tree.git(&["add", "x.md"]);
    assert!(tree.repo().tracked(&path("x.md")) && !tree.repo_at("sub", &[]).tracked(&path("y.md")));
    tree.git(&["rm", "--cached", "-q", "x.md"]);
    assert!(!tree.repo().tracked(&path("x.md")), "an index without entries still says that nothing is tracked");
}

#[test]
fn ignore_files_above_the_root_count_up_to_the_top_of_the_work_tree() {
    let tree = Tree::new();
    tree.write(".gitignore", "*.md\n").write("repo/.git/HEAD", "");
    tree.write("repo/.gitignore", "*.tmp\n/sub/a.md\n/a.md\n/lost/\n").write("repo/sub/.gitignore", "!keep.tmp\n");
    for file in ["a.md", "b.md", "x.tmp", "keep.tmp"] {
        tree.write(&format!("repo/sub/{file}"), "");
    }
    tree.write("repo/lost/x.tmp", "");
    assert_eq!(names(&tree.repo_at("repo/sub", &[])), [".gitignore", "b.md", "keep.tmp"]);
    assert_eq!(names(&tree.repo_at("repo/lost", &[])), ["x.tmp"], "a root that is ignored itself is its own repo");
}

#[test]
fn a_git_repository_that_git_cannot_read_is_a_warning_without_places_of_this_machine() {
    let tree = Tree::new();
    tree.write(".git", "gitdir: /nowhere/at/all\n").write("a.md", "");
    let repo = tree.repo();
    assert_eq!(names(&repo), ["a.md"]);
    assert!(!repo.tracked(&path("a.md")));
    let [diagnostic] = repo.diagnostics() else { unreachable!("{:?}", repo.diagnostics()) };
    assert_eq!(diagnostic.code, Code::GitUnavailable);
    assert!(!diagnostic.message.contains(&*tree.0.path().to_string_lossy()), "{}", diagnostic.message);
}

#[test]
fn denied_names_are_refused_before_existence() {
    let tree = Tree::new();
    tree.write(".env", "A=1").write(".env.example", "A=").write("x/private.md", "").write("test.pem", "pem");
    let repo = tree.repo_at("", &["private.md", "!/test.pem"]);
    for denied in [".env", ".env.none", "x/private.md", ".git/config", ".contextpack/x", "packs/x.json", "Packs/x"] {
        assert_eq!(read(&repo, denied), Err(Refusal::Denied), "{denied}");
    }
    assert_eq!(read(&repo, ".env.example"), Ok("A=".to_owned()));
    assert_eq!(read(&repo, "test.pem"), Ok("pem".to_owned()));
    assert!(repo.has(&path(".env")), "listed, so that naming it can be told apart");
}

#[test]
fn files_that_are_no_text_are_refused_with_their_reason() {
    let tree = Tree::new();
    tree.write("big.md", vec![b'x'; (1 << 20) + 1]).write("most.md", vec![b'x'; 1 << 20]);
    tree.write("big.jsonl", vec![b'x'; (1 << 20) + 1]).write("nul.md", "a\0").write("latin.md", b"\xE9t\xE9");
    let repo = tree.repo();
    assert_eq!(read(&repo, "big.md"), Err(Refusal::TooLarge(1 << 20)));
    assert_eq!(read(&repo, "most.md").map(|text| text.len()), Ok(1 << 20));
    assert_eq!(read(&repo, "big.jsonl").map(|text| text.len()), Ok((1 << 20) + 1));
    assert_eq!(read(&repo, "nul.md"), Err(Refusal::Binary));
    assert_eq!(read(&repo, "latin.md"), Err(Refusal::NotUtf8));
}

#[cfg(unix)]
#[test]
fn links_are_judged_by_where_they_lead() {
    let outside = Tree::new();
    outside.write("secret.md", "outside");
    let away = outside.at("secret.md").to_string_lossy().into_owned();
    let away_dir = outside.0.path().to_string_lossy().into_owned();
    let tree = Tree::with_git();
    tree.write("docs/x.md", "text").write(".env", "A=1").write(".aws/config", "").write("packs/p.json", "{}");
    tree.write(".gitignore", "ignored.md\nhidden-link.md\n").write("ignored.md", "private");
    tree.link("docs/x.md", "good.md").link("../good.md", "docs/twice.md").link(&away, "away.md");
    tree.link(&away_dir, "away").link(".env", "env.md").link("no/.env", "noenv.md").link("ignored.md", "to-ignored.md");
    tree.link(".aws", "aws").link("packs/p.json", "pack.json").link("docs", "dir").link("loop", "loop");
    tree.link("gone.md", "dangling.md").link(".env", "hidden-link.md");
    let repo = tree.repo();
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
    let tree = Tree::with_git();
    tree.write("local.md", "").write("known.md", "").link("local.md", "a.md").link("known.md", "b.md");
    tree.git(&["add", "a.md", "b.md", "known.md"]);
    let repo = tree.repo();
    assert!(repo.has(&path("a.md")) && !repo.tracked(&path("a.md")) && repo.tracked(&path("b.md")));
}

#[cfg(unix)]
#[test]
fn what_is_swapped_in_after_the_listing_is_refused() {
    let outside = Tree::new();
    outside.write("x.md", "outside").write("d/x.md", "outside");
    let tree = Tree::new();
    tree.write("file.md", "a").write("dir/x.md", "b").write("fifo.md", "c").write("env.md", "d").write(".env", "A=1");
    tree.write("big.md", "e").link("file.md", "link.md");
    let repo = tree.repo();
    for file in ["file.md", "fifo.md", "env.md", "link.md", "dir/x.md"] {
        fs::remove_file(tree.at(file)).unwrap();
    }
    fs::remove_dir(tree.at("dir")).unwrap();
    tree.link(&outside.at("x.md").to_string_lossy(), "file.md").link(&outside.at("d").to_string_lossy(), "dir");
    tree.link(".env", "env.md").link(".env", "link.md").write("big.md", vec![b'x'; 2 << 20]);
    assert!(Command::new("mkfifo").arg(tree.at("fifo.md")).status().unwrap().success());
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
    let tree = Tree::new();
    tree.write("sub/x.md", "");
    for fifo in ["pipe.md", "sub/.gitignore", "contextpack.yml"] {
        assert!(Command::new("mkfifo").arg(tree.at(fifo)).status().unwrap().success());
    }
    let _socket = std::os::unix::net::UnixListener::bind(tree.at("s.md")).unwrap();
    let repo = tree.repo();
    assert_eq!(names(&repo), ["sub/x.md"]);
    assert_eq!(repo.special_files(), ["contextpack.yml", "pipe.md", "s.md", "sub/.gitignore"].map(path));
    assert!(repo.special_files().iter().all(|odd| matches!(repo.read(odd), Err(Refusal::Unreadable(_)))));
    assert!(Repo::read_config(tree.0.path(), None).is_err());
    assert!(Repo::read_config(tree.0.path(), Some(&tree.at("pipe.md"))).is_err());
}

#[cfg(target_os = "linux")]
#[test]
fn names_that_are_not_utf8_are_left_out_with_a_diagnostic() {
    use std::os::unix::ffi::OsStrExt as _;
    let tree = Tree::with_git();
    tree.write("docs/x.md", "").write("~a.md", "tilde").write("c:x.md", "colon");
    fs::write(tree.at("docs").join(std::ffi::OsStr::from_bytes(b"caf\xE9.md")), "").unwrap();
    tree.git(&["add", "."]);
    let repo = tree.repo();
    assert_eq!(names(&repo), ["c:x.md", "docs/x.md", "~a.md"]);
    assert_eq!(repo.read(&repo.files()[2]), Ok("tilde".to_owned()));
    assert_eq!(repo.diagnostics().len(), 1, "{:?}", repo.diagnostics());
    assert_eq!(repo.diagnostics()[0].code, Code::UnreadableFile);
}

#[test]
fn an_ignore_file_that_cannot_be_used_hides_everything_and_says_so() {
    let tree = Tree::new();
    tree.write("a.md", "").write("sub/.gitignore", vec![b'#'; 2 << 20]).write("sub/x.md", "");
    let repo = tree.repo();
    assert_eq!(names(&repo), ["a.md"]);
    assert_eq!(repo.diagnostics().len(), 1);
}

/// Whether a repo still counts as settled after `what` happened to its work tree.
fn settled_after(tree: &Tree, what: impl FnOnce()) -> bool {
    // Files that are as new as the observation may have changed meanwhile.
    std::thread::sleep(std::time::Duration::from_millis(50));
    let repo = tree.repo();
    assert!(repo.is_settled());
    what();
    repo.is_settled()
}

fn committed() -> Tree {
    let tree = Tree::with_git();
    tree.write("a.md", "one").write("sub/b.md", "one");
    let commit = || {
        tree.git(&["add", "."]);
        tree.git(&["-c", "user.name=A", "-c", "user.email=a@example.com", "commit", "-q", "-m", "files"]);
    };
    commit();
    tree.git(&["branch", "other"]);
    tree.write("a.md", "two").write("sub/b.md", "two");
    commit();
    tree
}

#[test]
fn a_checkout_while_files_are_read_is_noticed() {
    let tree = committed();
    assert!(!settled_after(&tree, || drop(tree.git(&["checkout", "-q", "other"]))));
    let back_and_forth = || {
        tree.git(&["checkout", "-q", "-"]);
        tree.git(&["checkout", "-q", "-"]);
    };
    assert!(!settled_after(&tree, back_and_forth));
    tree.write("a.md", "mine");
    let stash = ["-c", "user.name=A", "-c", "user.email=a@example.com", "stash", "-q"];
    assert!(!settled_after(&tree, || drop(tree.git(&stash))));
    let lock = tree.at(".git/index.lock");
    assert!(!settled_after(&tree, || fs::write(&lock, "").unwrap()));
    fs::remove_file(&lock).unwrap();
    // The moment between the last changed file and the new index.
    let replaced = || {
        fs::remove_file(tree.at("sub/b.md")).unwrap();
        tree.write("sub/b.md", "other");
        fs::write(&lock, "an index").unwrap();
    };
    assert!(!settled_after(&tree, replaced));
}

#[test]
fn a_look_at_the_state_and_a_commit_of_it_change_no_file() {
    let tree = committed();
    // The index knows another time of it: `git status` writes it anew.
    tree.write("a.md", "two");
    let index = || fs::metadata(tree.at(".git/index")).unwrap().modified().unwrap();
    let before = index();
    assert!(settled_after(&tree, || drop(tree.git(&["status"]))));
    assert_ne!(index(), before);
    // An editor that saves the same text again; cannot be told apart if the system does not store when a file was created.
    if fs::metadata(tree.at("a.md")).unwrap().created().is_ok() {
        let save = || {
            tree.write("a.md", "two");
            tree.git(&["status"]);
        };
        assert!(settled_after(&tree, save));
    }
    let commit = ["-c", "user.name=A", "-c", "user.email=a@example.com", "commit", "-q", "--allow-empty", "-m", "x"];
    assert!(settled_after(&tree, || drop(tree.git(&commit))));
}

#[test]
fn a_linked_work_tree_is_observed_by_its_own_index() {
    let tree = committed();
    let linked = Tree::new();
    let place = linked.at("tree");
    tree.git(&["worktree", "add", "-q", "--detach", place.to_str().unwrap()]);
    let deny = DenyList::new(&[]).unwrap();
    let repo = Repo::open(&place, RepoOptions { deny: &deny, excluded: &[], sources: &[], snapshot: None }).unwrap();
    assert_eq!((names(&repo), repo.is_settled()), (vec!["a.md", "sub/b.md"], true));
    tree.git(&["checkout", "-q", "other"]);
    assert!(repo.is_settled(), "another work tree of the repository does not matter");
    tree.git(&["-C", place.to_str().unwrap(), "checkout", "-q", "--detach", "other"]);
    assert!(!repo.is_settled());
}

#[test]
fn an_index_that_git_cannot_read_hides_files_with_an_error() {
    let tree = committed();
    tree.write(".git/index", "no index");
    let repo = tree.repo();
    let [diagnostic] = repo.unlisted() else { unreachable!("{:?}", repo.unlisted()) };
    assert_eq!((diagnostic.code, diagnostic.severity), (Code::GitUnavailable, Severity::Error));
    assert_eq!(repo.diagnostics(), repo.unlisted());
}

#[test]
fn the_nearest_configuration_wins_and_the_work_tree_ends_the_search() {
    let tree = Tree::new();
    let top = fs::canonicalize(tree.at("")).unwrap();
    tree.write("contextpack.yml", "").write("repo/.git/HEAD", "").write("repo/sub/deep/x", "");
    assert_eq!(Repo::find_root(&top.join("repo/sub/deep")).unwrap(), top.join("repo"));
    tree.write("repo/sub/contextpack.yaml", "");
    assert_eq!(Repo::find_root(&top.join("repo/sub/deep")).unwrap(), top.join("repo/sub"));
    assert!(matches!(Repo::find_root(&top.join("contextpack.yml")), Err(IntakeError::NotAFolder { .. })));
    assert!(matches!(Repo::find_root(&top.join("no")), Err(IntakeError::Read { .. })));
}

#[test]
fn a_configuration_is_one_text_with_either_name() {
    let tree = Tree::new();
    let config = |explicit: Option<&str>| {
        let read = Repo::read_config(&tree.at(""), explicit.map(|path| tree.at(path)).as_deref());
        read.map(|found| found.map(|(_, text)| text))
    };
    assert_eq!(config(None).unwrap(), None);
    tree.write("contextpack.yaml", "\u{feff}version: 1\r\n");
    assert_eq!(config(None).unwrap(), Some("version: 1\n".to_owned()));
    tree.write("contextpack.yml", b"a\xFF");
    assert!(matches!(config(None), Err(IntakeError::TwoConfigs { .. })));
    assert_eq!(config(Some("contextpack.yaml")).unwrap(), Some("version: 1\n".to_owned()));
    let error = config(Some("contextpack.yml")).unwrap_err().to_string();
    assert!(error.contains("contextpack.yml") && error.contains("UTF-8"), "{error}");
    let missing = config(Some("no/such.yml")).unwrap_err().to_string();
    assert!(missing.contains("such.yml"), "{missing}");
}

#[test]
fn texts_are_read_as_git_stores_them() {
    let (sha1, sha256) = ("0123456789abcdef0123456789abcdef01234567", "e".repeat(64));
    let ids = format!("a $Id: {sha1} $ $Id: {sha256} $\n$Id: x.c,v 1.2 sam $ $Id$ $Id: open\n$Id:$ $Id: é$");
    let oid = format!("oid sha256:{}\nsize 1\n", "a".repeat(64));
    let version = "version https://git-lfs.github.com/spec/v1\n";
    let tree = Tree::with_git();
    for (name, text, expected) in [
        ("crlf", "\u{feff}a\r\nb\rc\n\r\n\r", Some("a\nb\nc\n\n\n")),
        ("crcr", "a\r\r\nb", Some("a\n\nb")),
        ("marks", "\u{feff}\u{feff}x", Some("\u{feff}x")),
        ("empty", "", Some("")),
        ("ids", &ids, Some("a $Id$ $Id$\n$Id: x.c,v 1.2 sam $ $Id$ $Id: open\n$Id:$ $Id: é$")),
        ("lfs", &format!("{version}{oid}"), None),
        ("extended", &format!("{version}ext-0-x sha256:b\n{oid}"), None),
        ("version", version, Some(version)),
        ("pointers", &format!("# Pointers\n{version}{oid}"), Some(&format!("# Pointers\n{version}{oid}"))),
        ("other", "version 2\noid sha256:\n", Some("version 2\noid sha256:\n")),
    ] {
        tree.write(name, text);
        assert_eq!(read(&tree.repo(), name), expected.map(str::to_owned).ok_or(Refusal::GitLfs), "{name}");
    }
    tree.write(".gitattributes", "ids ident\n");
    assert_eq!(read(&tree.repo(), "ids"), Ok("a $Id$ $Id$\n$Id$ $Id$ $Id: open\n$Id$ $Id$".to_owned()));
    tree.write("utf16", b"\xFF\xFEa\0");
    assert_eq!(read(&tree.repo(), "utf16"), Err(Refusal::Binary));
}

#[test]
fn the_last_attribute_of_the_deepest_folder_decides() {
    let tree = Tree::with_git();
    tree.write(".gitattributes", "[attr]big filter=lfs -text\n*.bin big\n*.md ident\n\"a b.md\" big\n");
    tree.write("sub/.gitattributes", "/x.md -ident\ndocs/** filter=lfs diff=lfs merge=lfs -text\n# *.md filter=lfs\n");
    tree.write("sub/docs/.gitattributes", "*.md !filter\n!*.png filter\nvendored/ ident\n");
    let (plain, ident, lfs) = (Ok("$Id: x $".to_owned()), Ok("$Id$".to_owned()), Err(Refusal::GitLfs));
    let cases = [
        ("x.md", &plain),
        ("y/x.md", &ident),
        ("a b.md", &lfs),
        ("a.bin", &lfs),
        ("docs/a.md", &ident),
        ("docs/a.png", &lfs),
        ("docs/deep/a.md", &ident),
        ("docs/vendored/a.txt", &lfs),
        ("docs2/a.png", &plain),
    ];
    for (file, _) in cases {
        tree.write(&format!("sub/{file}"), "$Id: x $");
    }
    tree.git(&["add", "-A"]);
    let repo = tree.repo_at("sub", &[]);
    for (file, expected) in cases {
        assert_eq!(read(&repo, file), *expected, "{file}");
    }
}

#[test]
fn every_name_that_a_file_system_may_take_for_the_cache_counts_as_tracked_and_no_other() {
    let tree = Tree::with_git();
    let helps = |paths: &[&str]| -> Vec<String> {
        tree.write("empty", "").git(&["read-tree", "--empty"]);
        let blob = tree.git(&["hash-object", "-w", "empty"]);
        for path in paths {
            tree.git(&["update-index", "--add", "--cacheinfo", &format!("100644,{},{path}", blob.trim())]);
        }
        let repo = tree.repo();
        let tracked = repo.diagnostics().iter().filter(|found| found.code == Code::TrackedCache);
        tracked.filter_map(|found| found.help.clone()).collect()
    };
    for path in [
        ".contextpack/cache/packs",
        ".contextpack/cache",
        ".contextpack",
        ".ContextPack/CACHE/texts",
        ".contextpac\u{212a}/cache/x",
        ".context\u{200c}pack/cache/x",
        ".contextpack./cache . /x",
        ".contextpack/tmp/.contextpack-00000000000000000000000000000000.tmp",
        ".contextpack/now.md",
        ".contextpack/delivered/delivered.jsonl",
        ".contextpack/pages",
    ] {
        assert_eq!(helps(&[path]).len(), 1, "{path}");
    }
    let others = [
        ".contextpack/.gitignore",
        ".contextpack/github/o/r/1.json",
        ".contextpack/packs/x.coding.json",
        ".contextpack/cache2/x",
        "docs/.contextpack/cache/x",
        "contextpack/cache/x",
    ];
    assert_eq!(helps(&others), [""; 0]);
    let found = helps(&[".contextpack/cache/a", ".contextpack/cache/b", ".contextpack/now.md"]);
    let commands = ["cache", "now.md"].map(|name| format!("run `git rm -r --cached .contextpack/{name}`, and commit"));
    assert_eq!(found, commands);
}

/// Most patterns are compared with git in `tests/laws/git.rs`.
#[cfg(unix)]
#[test]
fn rare_patterns_are_those_of_git() {
    for (lines, file, ignored) in [
        ("a/**/x", "ax", false),
        ("a/b**c/d", "a/bxc/d", true),
        ("/x*b**c/d", "x/b/c/d", false),
        ("x\t", "x\t", true),
        ("*.{a,b}", "x.{a,b}", true),
        ("[[:digit:]x-z]", "y", true),
        ("[[:digit:]x-z]", "a", false),
        ("[[:nope:]]", "n", false),
        ("[[:a]", ":", true),
        ("[]-]", "-", true),
        ("[a-\\]]", "b", false),
        ("[\\]a]", "]", true),
        ("[ab", "[ab", false),
        ("x\\", "x\\", false),
    ] {
        let tree = Tree::new();
        tree.write(file, "").write(".gitignore", lines);
        assert_eq!(tree.repo().has(&RepoPath::new(&format!("./{file}")).unwrap()), !ignored, "{lines} {file}");
    }
}
