//! What the help says below the options: examples and exit codes.

pub(super) const MAIN: &str = "\
Examples:
  contextpack init                    set up this repo
  contextpack build                   build the packs of all roots
  contextpack render feat:cache       read what an agent would read
  contextpack watch feat:cache        keep them fresh while you write
  contextpack check                   in CI: are the packs what a build would write?

Exit codes:
  0  done; warnings do not count
  1  the outside world failed: a file, a permission, a network
  2  wrong usage, or the repo needs another version of contextpack
  3  the input has errors; what could be built was built
  4  packs are stale (`check`) or differ (`diff --exit-code`)
  5  a pack is not valid (`verify`)
Where several hold, the first of 2, 1, 3, 5, 4.";

pub(super) const INIT: &str = "\
Examples:
  contextpack init
  contextpack init --cached           packs are built where they are needed, never committed
  contextpack init --agent claude     also tell an agent where the packs are
  contextpack init --git              also let this clone's git show and merge packs

Exit codes:
  0  set up; what existed was left alone
  1  a file could not be written
  2  wrong usage
  3  the configuration that exists has errors";

pub(super) const BUILD: &str = "\
Examples:
  contextpack build                                 all roots, the profiles of the configuration
  contextpack build feat:cache 123 -p review        two roots, one profile
  contextpack build 123 --max-tokens 8000 --out -   print one pack, sized for a model
  contextpack build --prune                         also remove packs that have no root any more
  contextpack build --shard 2/8                     one of eight jobs that together build all roots

Exit codes:
  0  built; warnings do not count
  1  a file could not be read or written
  2  wrong usage, such as a root that does not exist
  3  the input has errors; what could be built was built";

pub(super) const CHECK: &str = "\
Examples:
  contextpack check
  contextpack check --format github   in a workflow: annotations at the lines concerned
  contextpack check --strict          warnings fail too
  contextpack check --shard 2/8       one of eight jobs that together check all packs

Exit codes:
  0  every pack is what a build would write
  1  a file could not be read
  2  wrong usage
  3  the input has errors
  4  packs are stale, edited, missing or orphaned";

pub(super) const WATCH: &str = "\
Examples:
  contextpack watch                        all roots
  contextpack watch feat:cache -p review   one root; an agent beside reads .contextpack/now.md
  contextpack watch feat:cache --print     also print what each save changes in what an agent reads
  contextpack watch --poll=5s              where the file system gives no notice of changes

Exit codes:
  0    whoever read what it printed went away
  1    a file could not be read or written, or changes cannot be followed
  2    wrong usage, such as a root that does not exist at the start
  130  ended by Ctrl-C or by the system; every file is whole";

#[cfg(feature = "github")]
pub(super) const SYNC: &str = "\
Examples:
  contextpack sync                                every open issue, and those that work items name
  contextpack sync 123 owner/other#4              two issues, with their neighbours and comments
  contextpack sync --label agent-ready --since 2026-01-01
  contextpack sync --all --max-requests 900       part by part, run after run
  contextpack sync --write-config                 also say in `contextpack.yml` which repo this is

Exit codes:
  0  the snapshot is as GitHub is, or `--max-requests` was reached
  1  the network, the token, a rate limit or a file; what was fetched stays, and the next run goes on
  2  wrong usage, such as no repo to ask for
  3  the configuration has errors";

pub(super) const VERIFY: &str = "\
Examples:
  contextpack verify packs
  contextpack verify packs/feat-cache.coding.json --expect sha256:…
  contextpack verify packs --against-repo     is each what this repo gives?
  curl -s https://example.com/pack.json | contextpack verify -

Exit codes:
  0  every pack is valid
  1  a file could not be read
  2  wrong usage
  5  a pack is not valid, has another hash than expected, is not what the repo gives, or differs from its Markdown";

pub(super) const ATTEST: &str = "\
Examples:
  contextpack attest packs/feat-cache.coding.json > statement.json
  contextpack attest packs/*.json --predicate > predicate.json   for `actions/attest`

Exit codes:
  0  printed
  1  a file could not be read
  2  wrong usage, such as two packs of one name
  5  a pack is not valid";

pub(super) const RENDER: &str = "\
Examples:
  contextpack render packs/feat-cache.coding.json
  contextpack render feat:cache -p review --max-tokens 4000
  contextpack render feat:cache --part instructions   the system prompt
  contextpack render feat:cache --part context        the first message

Exit codes:
  0  printed
  1  a file could not be read
  2  wrong usage, such as a root that does not exist
  3  the input has errors, so that there is no pack
  5  the pack is not valid";

pub(super) const EXPLAIN: &str = "\
Examples:
  contextpack explain feat:cache
  contextpack explain packs/feat-cache.coding.json --format json
  contextpack explain feat:cache --max-chars 8000     what would a smaller budget cost?
  contextpack explain feat:cache --at 4k,8k,16k       what does each step of budget buy?
  contextpack explain feat:cache --why-not docs/adr/0007-cache.md

Exit codes:
  0  printed
  1  a file could not be read
  2  wrong usage, such as a root that does not exist
  3  the input has errors, so that there is no pack
  5  the pack is not valid";

pub(super) const DIFF: &str = "\
Examples:
  contextpack diff                                  the checkout against HEAD
  contextpack diff main...HEAD --format markdown    what a branch changes, for a comment
  contextpack diff old.json new.json
  contextpack diff main:packs/feat-cache.coding.json packs/feat-cache.coding.json
  contextpack diff origin/main --rebuild --exit-code

Exit codes:
  0  compared
  1  a file or git could not be read
  2  wrong usage, such as a revision that does not exist
  3  with `--rebuild`: the input has errors
  4  with `--exit-code`: packs differ";

pub(super) const REPORT: &str = "\
Examples:
  contextpack report -o report.html                 all packs of this repo
  contextpack report packs/feat-cache.coding.json > cache.html

Exit codes:
  0  written
  1  a file could not be read or written
  2  wrong usage, such as a folder without packs
  5  a pack is not valid; the page says why";

#[cfg(feature = "serve")]
pub(super) const SERVE: &str = "\
Examples:
  contextpack serve                                 in a browser: the address that it prints
  contextpack serve --port 4000 packs

Exit codes:
  0  not by itself: it serves until it is stopped
  1  a file could not be read, or the port is taken
  2  wrong usage
  3  the configuration has errors";

pub(super) const GIT: &str = "\
Examples:
  contextpack init --git                            lets git run these two
  contextpack git textconv packs/feat-cache.coding.json
  contextpack git merge %A %B %P                    as `merge.contextpack.driver`

Exit codes:
  0  printed, or built
  1  a file could not be read, or the pack stays in conflict
  2  wrong usage";

pub(super) const LIST: &str = "\
Examples:
  contextpack list
  contextpack list --format json
  contextpack list --matrix 8         for a workflow that builds in eight jobs

Exit codes:
  0  listed
  1  a file could not be read
  2  wrong usage
  3  the input has errors";

pub(super) const REDACT: &str = "\
Examples:
  contextpack redact notes.md
  git diff | contextpack redact
  contextpack redact --report docs/*.md       what would be removed, why, and how to include it
  contextpack redact docs/*.md --out clean    each file under its own name in `clean`
  contextpack redact --rules                  every rule by name
  echo 'id CUST-123456' | contextpack redact  try a rule of your own

Exit codes:
  0  done, whether or not something was removed
  1  a file could not be read or written
  2  wrong usage
  3  the configuration has errors, or a file is no text or one that is never opened";

pub(super) const SCHEMA: &str = "\
Examples:
  contextpack schema
  contextpack schema config > config.schema.json
  contextpack schema work-item

Exit codes:
  0  printed
  1  the output could not be written
  2  wrong usage";

pub(super) const COMPLETIONS: &str = "\
Examples:
  contextpack completions bash > ~/.local/share/bash-completion/completions/contextpack
  contextpack completions fish > ~/.config/fish/completions/contextpack.fish

Exit codes:
  0  printed
  1  the output could not be written
  2  wrong usage";

pub(super) const MAN: &str = "\
Examples:
  contextpack man > contextpack.1
  contextpack man build | man -l -

Exit codes:
  0  printed
  1  the output could not be written
  2  wrong usage, such as a command that does not exist";
