//! The text of `contextpack.yml` → [`Settings`], or everything that is wrong with it.

use super::check::{self, ConfigFaults, SettingPlace};
use super::deserialize::read;
use super::faults::{ConfigFault, PathStep, shortened};
use super::settings::{ConfigFile, Settings};
use super::tree;
use crate::model::{Code, Diagnostic, Place, RepoPath};
use crate::yaml::YamlNode;

/// What a file leaves out.
const DEFAULTS: &str = include_str!("defaults.yml");

/// The version of this program.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Reads the configuration without checking the names of redaction rules; see [`load_with_rules`].
///
/// # Errors
/// Everything that is wrong, as [`load_with_rules`] reports it.
pub fn load(path_shown: &str, text: Option<&str>) -> Result<Settings, Vec<Diagnostic>> {
    load_with_rules(path_shown, text, &[])
}

/// Reads the configuration; without a text everything has its default.
///
/// `path_shown` is the file that diagnostics name. The text has no byte-order mark. `rules` are the names of the built-in
/// redaction rules, which `redaction:` may allow and must not define.
///
/// # Errors
/// Everything that is wrong, sorted by place. If the file needs another version of this program or of its format, that is
/// the only error.
pub fn load_with_rules(path_shown: &str, text: Option<&str>, rules: &[&str]) -> Result<Settings, Vec<Diagnostic>> {
    let only = |code, fault| Err(diagnostics(path_shown, code, vec![fault]));
    let mut root = match tree::read(text.unwrap_or_default()) {
        Ok(root) => root,
        Err(fault) => return only(Code::InvalidConfig, fault),
    };
    if let Some((code, fault)) = version_fault(&root) {
        return only(code, fault);
    }
    let mut faults = ConfigFaults::default();
    let defaults =
        tree::read(DEFAULTS).map_err(|fault| diagnostics("defaults.yml", Code::InvalidConfig, vec![fault]))?;
    let file = read::<ConfigFile>(&mut root, Some(&defaults), &mut faults.0);
    faults.0.iter_mut().for_each(add_form);
    match file.map(|file| check::settings(file, rules, SettingPlace::root(&root), &mut faults)) {
        Some(settings) if faults.0.is_empty() => Ok(settings),
        _ => Err(diagnostics(path_shown, Code::InvalidConfig, faults.0)),
    }
}

/// Adds the right form to a fault of a setting that is easily written as a mere path.
fn add_form(fault: &mut ConfigFault) {
    let ([PathStep::Key(name)] | [PathStep::Index(_), PathStep::Key(name)]) = fault.path.as_slice() else { return };
    let form = match name.as_str() {
        "work_items" => "write `work_items: [{include: [\"work_items/**/*.md\"]}]`",
        "adrs" => "write `adrs: {include: [\"docs/adr/**/*.md\"]}`",
        "documents" => "write `documents: [{include: [\"docs/**/*.md\"]}]`",
        _ => return,
    };
    fault.help.get_or_insert(form.to_owned());
}

/// Checks the two versions, which come before all else: the rest of the file may mean something else in other versions.
fn version_fault(root: &YamlNode) -> Option<(Code, ConfigFault)> {
    if let Some((_, node)) = tree::entry(root, "required_version")
        && let Some(required) = tree::text(node)
    {
        let required = required.trim();
        if !is_version(required) {
            let fault = ConfigFault::new(format!("`{}` is not a version", shortened(required))).at(node.at);
            return Some((Code::InvalidConfig, fault.help("give one to three numbers, such as `0.1` or `0.1.3`")));
        }
        if !matches_version(required, VERSION) {
            let fault =
                ConfigFault::new(format!("this repo needs contextpack {required}, and this is {VERSION}")).at(node.at);
            // A package of that name in a registry may be somebody else's, so it is built from its source.
            let help = format!(
                "in a clone of contextpack, check out the commit of version {required} and run `cargo install --locked --path .`"
            );
            return Some((Code::RequiredVersion, fault.help(help)));
        }
    }
    let (_, node) = tree::entry(root, "version")?;
    match tree::text(node) {
        Some("1") | None => None,
        Some(other) => {
            let fault = ConfigFault::new(format!("version `{}` of this file is unknown", shortened(other))).at(node.at);
            Some((Code::InvalidConfig, fault.help(format!("contextpack {VERSION} reads `version: 1`"))))
        }
    }
}

/// Whether a text is one to three numbers, the third perhaps with the name of a pre-release.
fn is_version(text: &str) -> bool {
    let (numbers, pre) = text.split_once('-').map_or((text, None), |(numbers, pre)| (numbers, Some(pre)));
    let parts: Vec<&str> = numbers.split('.').collect();
    let number = |part: &&str| !part.is_empty() && part.len() < 10 && part.bytes().all(|b| b.is_ascii_digit());
    let named = |pre: &str| !pre.is_empty() && pre.bytes().all(|b| b.is_ascii_alphanumeric() || b"-.".contains(&b));
    parts.len() <= 3 && parts.iter().all(number) && pre.is_none_or(|pre| parts.len() == 3 && named(pre))
}

/// Whether `version` is the one that `required` names in whole or in part.
fn matches_version(required: &str, version: &str) -> bool {
    version.strip_prefix(required).is_some_and(|rest| {
        rest.is_empty() || rest.starts_with('.') || (rest.starts_with('-') && required.matches('.').count() < 2)
    })
}

fn diagnostics(path_shown: &str, code: Code, faults: Vec<ConfigFault>) -> Vec<Diagnostic> {
    // A file given from outside the repo is shown by its name.
    let path = RepoPath::new(path_shown).ok().or_else(|| {
        let name = path_shown.rsplit(['/', '\\']).next()?;
        RepoPath::new(name).ok()
    });
    let mut found: Vec<Diagnostic> = faults
        .into_iter()
        .map(|fault| {
            let place = path.clone().map(|path| Place {
                path,
                line: fault.at.map(|at| at.line),
                column: fault.at.map(|at| at.column),
            });
            let mut diagnostic = Diagnostic::new(code, place, fault.message);
            diagnostic.help = fault.help;
            diagnostic
        })
        .collect();
    found.sort();
    found.dedup();
    found
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::super::profiles::{Group, Instructions, Strategy};
    use super::super::settings::TemplatePart;
    use super::*;
    use crate::model::{Level, Relation};

    fn good(text: &str) -> Settings {
        load("contextpack.yml", Some(text)).unwrap()
    }

    /// Line, message and help of everything wrong.
    fn wrong(text: &str) -> Vec<(u32, String, String)> {
        let found = load("contextpack.yml", Some(text)).unwrap_err();
        found.into_iter().map(|d| (d.at.unwrap().line.unwrap(), d.message, d.help.unwrap_or_default())).collect()
    }

    #[test]
    fn without_a_file_everything_has_its_default() {
        for settings in
            [load("contextpack.yml", None).unwrap(), good(""), good("# nothing yet\n"), good("version: 1\ngithub:\n")]
        {
            assert_eq!(settings.output.dir.as_str(), "packs");
            assert_eq!(settings.output.profiles, ["coding"]);
            assert_eq!(settings.github.snapshot.as_str(), ".contextpack/github");
            assert_eq!((settings.github.comments, settings.adrs.excerpt.max_lines), (5, 120));
            assert_eq!(settings.profiles.keys().collect::<Vec<_>>(), ["coding", "drafting", "other", "review"]);
            assert!(settings.work_items[0].include.set.is_match("work_items/a/b.yaml"));
            for adr in ["docs/adr/0001-x.md", "docs/ADR/x.md", "Doc/Architecture/Decisions/1/x.MD"] {
                assert!(settings.adrs.include.set.is_match(adr), "{adr}");
            }
        }
    }

    #[test]
    fn an_example_with_every_setting_is_read() {
        let settings = good(concat!(
            "version: 1\n",
            "required_version: 0.1\n",
            "roots: {labels: [agent-ready], state: open, include: [\"feat:*\"], exclude: {status: [draft]}}\n",
            "work_items:\n",
            "  - include: [\"EIPS/eip-*.md\"]\n",
            "    id: \"EIP-{eip}\"\n",
            "    ref: \"EIP-{}\"\n",
            "    fields: {title: title, depends_on: requires}\n",
            "  - include: .beads/issues.jsonl\n",
            "    fields: {type: issue_type, body: [description, body], depends_on: [blockedBy]}\n",
            "    edges: {field: dependencies, to: depends_on_id, type: type, types: {blocks: depends_on, parent-child: parent}}\n",
            "    no_pack: {status: [tombstone]}\n",
            "  - include: [\"keps/**/kep.yaml\"]\n",
            "    id: \"{dir}\"\n",
            "    body_file: README.md\n",
            "    prefixes: [BACK-, task-]\n",
            "done_statuses: [done, 4.10]\n",
            "adrs: {include: [\"docs/adr/**/*.md\"], excerpt: {headings: [Status], max_lines: 7}}\n",
            "github: {repo: owner/name, host: GitHub.com, snapshot: .contextpack/github, comments: 0}\n",
            "profiles:\n",
            "  coding: {instructions: instructions/coding.md, budget: {max_tokens: 8000, margin: 15%, strategy: truncate_tail}}\n",
            "  docs: {priority: [documents], adr_refs_of: [root, blocked_by, parent], sections_of: [related], leave_out: [comments]}\n",
            "redaction: {allow: [{rule: jwt, path: \"docs/**\"}], rules: [{name: ticket, pattern: 'T-\\d+', keywords: Ticket}], deny_paths: [\"*.secret\", \"!a.key\", private/]}\n",
            "output: {dir: out/packs, profiles: [coding, docs], markdown: false}\n",
            "warnings: {dangling-reference: deny, cycle: allow}\n",
        ));
        let eips = &settings.work_items[0];
        assert_eq!(
            eips.id.as_ref().unwrap().parts,
            [TemplatePart::Text("EIP-".into()), TemplatePart::Hole("eip".into())]
        );
        assert_eq!(eips.fields["depends_on"], ["requires"]);
        let beads = settings.work_items[1].edges.as_ref().unwrap();
        assert_eq!(beads.types["parent-child"], Relation::Parent);
        assert_eq!(settings.roots.only.0["state"], ["open"]);
        assert!(settings.roots.include[0].is_match("feat:a/b") && !settings.roots.include[0].is_match("task:a"));
        assert_eq!(settings.done_statuses, ["done", "4.10"]);
        assert_eq!(settings.github.host, "github.com");

        let coding = &settings.profiles["coding"];
        assert!(matches!(&coding.instructions, Instructions::File(path) if path.as_str() == "instructions/coding.md"));
        let budget = &coding.budget;
        assert_eq!((budget.max_chars, budget.max_tokens, budget.margin, budget.root_share), (None, Some(8000), 15, 70));
        assert_eq!(budget.strategy, Strategy::TruncateTail);
        let docs = &settings.profiles["docs"];
        assert_eq!((docs.name.as_str(), docs.budget.max_chars), ("docs", Some(20_000)));
        assert_eq!(docs.priority[..4], [Group::Knowledge, Group::Cards, Group::Documents, Group::Parent]);
        assert_eq!(docs.priority.len(), Group::ALL.len());
        assert_eq!(docs.adr_refs_of, [Relation::Parent, Relation::BlockedBy]);
        assert_eq!(settings.redaction.rules[0].keywords, ["ticket"]);
        assert_eq!(settings.warnings[&Code::DanglingReference], Level::Deny);
    }

    #[test]
    fn another_version_is_named_alone_and_says_how_to_get_it() {
        let found = load("contextpack.yml", Some("required_version: \"0.9\"\nfuture: 1\n")).unwrap_err();
        assert_eq!((found.len(), found[0].code), (1, Code::RequiredVersion));
        assert!(found[0].help.as_ref().unwrap().contains("check out the commit of version 0.9"));
        for required in ["0", "0.1", "0.1.0"] {
            assert!(matches_version(required, "0.1.0"), "{required}");
        }
        assert!(
            !matches_version("0.1", "0.10.0")
                && !matches_version("0.1.0", "0.1.0-rc.1")
                && matches_version("0.1", "0.1.0-rc.1")
        );
    }

    #[test]
    fn hostile_values_are_refused() {
        for text in [
            format!("work_items: [{{include: '{}'}}]\n", "{".repeat(100_000)),
            format!("redaction: {{rules: [{{name: a, pattern: '{}'}}]}}\n", "(".repeat(100_000)),
            format!("redaction: {{rules: [{{name: a, pattern: '{}'}}]}}\n", "(".repeat(5_000)),
            format!("work_items: [{{include: a, id: '{}'}}]\n", "{".repeat(100_001)),
            format!("{}: 1\n", "x".repeat(1000)),
        ] {
            let found = wrong(&text);
            assert!(!found.is_empty() && found[0].1.len() < 300, "{found:?}");
        }
    }

    #[test]
    fn that_there_may_be_more_faulty_values_is_reported() {
        let budget = |n: usize| format!("  p{n}: {{budget: {{max_chars: x}}}}\n");
        let found = wrong(&("profiles:\n".to_owned() + &(0..60).map(budget).collect::<String>()));
        assert_eq!(found.len(), 51);
        let more: Vec<_> = found.iter().filter(|(_, message, _)| message.contains("may be more")).collect();
        assert!(matches!(more[..], [(_, _, help)] if !help.is_empty()), "{more:?}");
    }

    #[test]
    fn many_values_are_checked_quickly() {
        let many = |begin: &str, each: &dyn Fn(usize) -> String, end: &str| {
            begin.to_owned() + &(0..40_000).map(each).collect::<String>() + end
        };
        for text in [
            many("", &|n| format!("setting{n}: 1\n"), ""),
            many("warnings:\n", &|n| format!("  dangling{n}: warn\n"), ""),
            many("profiles:\n", &|n| format!("  P{n}: {{}}\n"), ""),
            many("work_items:\n- include: a\n  fields:\n", &|n| format!("    depends{n}: a\n"), ""),
            many("work_items: [{include: [", &|n| format!("'**/a{n}*/b',"), "]}]\n"),
            many("roots: {include: [", &|n| format!("'a{n}*',"), "]}\n"),
        ] {
            let start = std::time::Instant::now();
            assert!(!wrong(&text).is_empty());
            assert!(start.elapsed() < std::time::Duration::from_secs(10), "{}", &text[..40]);
        }
    }

    #[test]
    fn a_file_outside_the_repo_is_shown_by_its_name() {
        let found = load("/somewhere/else/pack.yml", Some("x: 1\n")).unwrap_err();
        assert_eq!(found[0].at.as_ref().unwrap().to_string(), "pack.yml:1:1");
    }
}
