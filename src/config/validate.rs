//! The raw form → [`Settings`]: every check that needs more than the shape of a value.

use super::check::{ConfigFaults, MAX_COMPILED, SettingPlace};
use super::faults::shortened;
use super::raw::{
    NATIVE_FIELDS, RawAdrs, RawConfig, RawEdges, RawGithub, RawItems, RawOutput, RawRelation, RawRoots, RawTrust,
};
use super::settings::{
    AdrSettings, EdgeMap, Excerpt, FieldFilter, FieldMap, GithubSettings, ItemSource, OutputSettings, Profile,
    RootFilter, Settings, Template, TemplatePart,
};
use super::shapes::OneOrMany;
use super::{validate_handover, validate_knowledge, validate_profiles, validate_redaction};
use crate::model::{Code, Level, Relation, RepoPath, Severity, is_git_name, is_github_name, is_repo_name};
use std::collections::BTreeMap;

/// The default place of work items.
const DEFAULT_WORK_ITEMS: &str = "work_items/**/*.{md,yml,yaml,json,jsonl}";
/// The default places of ADRs, in upper or lower case.
const DEFAULT_ADRS: [&str; 6] = [
    "docs/adr/**/*.md",
    "docs/adrs/**/*.md",
    "docs/decisions/**/*.md",
    "doc/adr/**/*.md",
    "doc/architecture/decisions/**/*.md",
    "docs/architecture/decisions/**/*.md",
];
/// The statuses that mean done by default. `closed` is GitHub's, `Final` and `Implemented` are those of proposals, the
/// rest those of task trackers.
const DEFAULT_DONE_STATUSES: [&str; 11] = [
    "done",
    "closed",
    "complete",
    "completed",
    "finished",
    "resolved",
    "merged",
    "shipped",
    "released",
    "implemented",
    "final",
];
/// The statuses that mean closed without being done by default: those of task trackers, and of proposals.
const DEFAULT_NOT_PLANNED_STATUSES: [&str; 24] = [
    "abandoned",
    "archived",
    "canceled",
    "cancelled",
    "declined",
    "deferred",
    "discarded",
    "dropped",
    "duplicate",
    "invalid",
    "moved",
    "not planned",
    "obsolete",
    "postponed",
    "rejected",
    "replaced",
    "stagnant",
    "superseded",
    "tombstone",
    "wont do",
    "wontdo",
    "wont fix",
    "wontfix",
    "withdrawn",
];
/// The files that are boilerplate by default.
const DEFAULT_BOILERPLATE: [&str; 11] = [
    "license*",
    "licence*",
    "copying*",
    "notice*",
    "code_of_conduct*",
    "code-of-conduct*",
    "contributing*",
    "changelog*",
    "changes*",
    "release_notes*",
    "release-notes*",
];
/// The states of an item.
const STATES: [&str; 5] = ["open", "done", "not_planned", "merged", "unknown"];

/// Checks everything and returns the settings. They must not be used if `faults` is not empty.
pub(super) fn settings(
    raw: &RawConfig,
    rules: &[&str],
    root: SettingPlace<'_>,
    faults: &mut ConfigFaults,
) -> Option<Settings> {
    let profiles = validate_profiles::profiles(raw.profiles.as_ref(), root.key("profiles"), faults);
    let github = github(raw.github.as_ref(), root.key("github"), faults);
    let snapshot = github.as_ref().map(|github| &github.snapshot);
    let output = output(raw.output.as_ref(), root.key("output"), &profiles, snapshot, faults);
    let at_items = root.key("work_items");
    let native = RawItems { include: OneOrMany(vec![DEFAULT_WORK_ITEMS.to_owned()]), ..RawItems::default() };
    let work_items = match &raw.work_items {
        Some(sources) => {
            sources.iter().enumerate().map(|(i, source)| items(source, at_items.item(i), faults)).collect()
        }
        None => vec![items(&native, at_items, faults)],
    };
    let done_statuses = match &raw.done_statuses {
        Some(written) => faults.texts(root.key("done_statuses"), written),
        None => owned(&DEFAULT_DONE_STATUSES),
    };
    let not_planned_statuses = match &raw.not_planned_statuses {
        Some(written) => faults.texts(root.key("not_planned_statuses"), written),
        None => owned(&DEFAULT_NOT_PLANNED_STATUSES),
    };
    let boilerplate = match &raw.boilerplate {
        Some(written) => {
            let lower: Vec<String> = written.iter().map(|glob| glob.to_lowercase()).collect();
            faults.globs(root.key("boilerplate"), &lower, false)
        }
        None => faults.globs(root.key("boilerplate"), &owned(&DEFAULT_BOILERPLATE), false),
    };
    let roots = roots(raw.roots.as_ref(), root.key("roots"), faults);
    let adrs = adrs(raw.adrs.as_ref(), root.key("adrs"), faults);
    let knowledge =
        validate_knowledge::knowledge(raw, root, output.as_ref().map(|output| &output.dir), snapshot, faults);
    let redaction = validate_redaction::redaction(raw.redaction.as_ref(), rules, root.key("redaction"), faults);
    let handover =
        validate_handover::handover(raw.handover.as_ref(), root.key("handover"), output.as_ref(), snapshot, faults);
    let warnings = warnings(raw.warnings.as_ref(), root.key("warnings"), faults);
    let (github, output, handover) = (github?, output?, handover?);
    Some(Settings {
        roots,
        work_items,
        done_statuses,
        not_planned_statuses,
        boilerplate,
        adrs,
        knowledge,
        github,
        profiles,
        redaction,
        output,
        handover,
        warnings,
    })
}

fn owned(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

fn roots(raw: Option<&RawRoots>, at: SettingPlace<'_>, faults: &mut ConfigFaults) -> RootFilter {
    let Some(raw) = raw else {
        return RootFilter::default();
    };
    let mut only = BTreeMap::new();
    for (name, words) in [
        ("labels", &raw.labels),
        ("state", &raw.state),
        ("status", &raw.status),
        ("type", &raw.kind),
        ("priority", &raw.priority),
        ("area", &raw.area),
        ("assignees", &raw.assignees),
        ("milestone", &raw.milestone),
    ] {
        if let Some(words) = words {
            only.insert(name.to_owned(), values(name, words, at.key(name), faults));
        }
    }
    let at_include = at.key("include");
    let include = raw.include.as_ref().map_or(&[][..], |words| &words.0);
    let include = faults.at_most(at_include, include, MAX_COMPILED);
    RootFilter {
        only: FieldFilter(only),
        include: include.iter().enumerate().filter_map(|(i, glob)| faults.id_glob(at_include.item(i), glob)).collect(),
        exclude: filter(raw.exclude.as_ref(), at.key("exclude"), faults),
    }
}

fn filter(raw: Option<&BTreeMap<String, OneOrMany>>, at: SettingPlace<'_>, faults: &mut ConfigFaults) -> FieldFilter {
    let fields = raw.into_iter().flatten();
    FieldFilter(fields.map(|(name, words)| (name.clone(), values(name, words, at.key(name), faults))).collect())
}

/// Checks the values of a filter's field. An empty list would match nothing, and is a fault.
fn values(field: &str, words: &OneOrMany, at: SettingPlace<'_>, faults: &mut ConfigFaults) -> Vec<String> {
    if words.0.is_empty() {
        faults.add_help(at, format!("`{}` lists no values", shortened(field)), "name at least one, or remove the line");
    }
    let values = faults.texts(at, &words.0);
    if field == "state" {
        for (index, value) in values.iter().enumerate() {
            let lower = value.to_lowercase();
            if lower == "closed" {
                let help = "`done` is closed as completed, `not_planned` closed without it; name one or both";
                faults.add_help(at.item(index), "`closed` is not a state", help);
            } else {
                faults.one_of(at.item(index), &lower, &STATES, "a state");
            }
        }
    }
    values
}

fn items(raw: &RawItems, at: SettingPlace<'_>, faults: &mut ConfigFaults) -> ItemSource {
    if raw.include.0.is_empty() {
        faults.add_help(at.key("include"), "`include` names no files", "give at least one glob");
    }
    let exclude = raw.exclude.clone().unwrap_or_default();
    ItemSource {
        include: faults.globs(at.key("include"), &raw.include.0, false),
        exclude: faults.globs(at.key("exclude"), &exclude.0, false),
        id: raw.id.as_deref().and_then(|text| id_template(text, at.key("id"), faults)),
        reference: reference_template(raw.reference.as_deref().unwrap_or("{}"), at.key("ref"), faults),
        fields: fields(raw.fields.as_ref(), at.key("fields"), faults),
        edges: raw.edges.as_ref().map(|edges| edge_map(edges, at.key("edges"), faults)),
        no_pack: filter(raw.no_pack.as_ref(), at.key("no_pack"), faults),
        prefixes: faults.texts(at.key("prefixes"), &raw.prefixes.clone().unwrap_or_default().0),
        body_file: raw.body_file.as_deref().and_then(|name| {
            let at = at.key("body_file");
            Some(faults.path(at, name)?.as_str().to_owned())
        }),
    }
}

fn id_template(written: &str, at: SettingPlace<'_>, faults: &mut ConfigFaults) -> Option<Template> {
    let template = faults.template(at, written)?;
    let holes: Vec<&str> = holes(&template);
    if holes.is_empty() {
        faults.add_help(
            at,
            "every item would have the same id",
            "name a field of the item, such as `{id}` or `{path}`",
        );
    } else if holes.contains(&"") {
        faults.add_help(at, "`{}` names no field", "name a field of the item, such as `{id}` or `{path}`");
    }
    Some(template)
}

fn reference_template(written: &str, at: SettingPlace<'_>, faults: &mut ConfigFaults) -> Template {
    let identity = Template { parts: vec![TemplatePart::Hole(String::new())] };
    let Some(template) = faults.template(at, written) else {
        return identity;
    };
    if holes(&template) != [""] {
        faults.add_help(at, "`ref` has one hole, `{}`, for the value", "for example `EIP-{}`");
    }
    template
}

fn holes(template: &Template) -> Vec<&str> {
    let parts = template.parts.iter();
    parts
        .filter_map(|part| match part {
            TemplatePart::Hole(name) => Some(name.as_str()),
            TemplatePart::Text(_) => None,
        })
        .collect()
}

fn fields(raw: Option<&BTreeMap<String, OneOrMany>>, at: SettingPlace<'_>, faults: &mut ConfigFaults) -> FieldMap {
    let mut map = FieldMap::new();
    for (ours, theirs) in raw.into_iter().flatten() {
        let at = at.key(ours);
        let swapped = theirs.0.iter().find(|name| NATIVE_FIELDS.contains(&name.as_str()));
        match swapped {
            Some(name) if !NATIVE_FIELDS.contains(&ours.as_str()) => faults.add_help(
                at,
                format!("`{}` is not a field of a work item", shortened(ours)),
                format!("our field comes first: `{name}: {ours}`"),
            ),
            _ => {
                faults.one_of(at, ours, &NATIVE_FIELDS, "a field of a work item");
            }
        }
        if theirs.0.is_empty() {
            faults.add(at, format!("`{}` names no field of theirs", shortened(ours)));
        }
        map.insert(ours.clone(), faults.texts(at, &theirs.0));
    }
    map
}

fn edge_map(raw: &RawEdges, at: SettingPlace<'_>, faults: &mut ConfigFaults) -> EdgeMap {
    for (name, value) in [("field", &raw.field), ("to", &raw.to)] {
        if value.trim().is_empty() {
            faults.add(at.key(name), format!("`{name}` is empty"));
        }
    }
    if raw.types.is_empty() {
        faults.add_help(at.key("types"), "no type of edge is a relation", "for example `types: {blocks: depends_on}`");
    }
    EdgeMap {
        field: raw.field.clone(),
        to: raw.to.clone(),
        kind: raw.kind.clone().unwrap_or_else(|| "type".to_owned()),
        types: raw.types.iter().map(|(kind, relation)| (kind.clone(), (*relation).into())).collect(),
    }
}

impl From<RawRelation> for Relation {
    fn from(raw: RawRelation) -> Self {
        match raw {
            RawRelation::Parent => Self::Parent,
            RawRelation::Child => Self::Child,
            RawRelation::DependsOn => Self::DependsOn,
            RawRelation::BlockedBy => Self::BlockedBy,
            RawRelation::Blocks => Self::Blocks,
            RawRelation::Related => Self::Related,
        }
    }
}

fn adrs(raw: Option<&RawAdrs>, at: SettingPlace<'_>, faults: &mut ConfigFaults) -> AdrSettings {
    let include = match raw.and_then(|raw| raw.include.as_ref()) {
        Some(written) => faults.globs(at.key("include"), &written.0, false),
        None => faults.globs(at, &owned(&DEFAULT_ADRS), true),
    };
    let at = at.key("excerpt");
    let excerpt = raw.and_then(|raw| raw.excerpt.as_ref());
    let max_lines = excerpt.and_then(|excerpt| excerpt.max_lines).unwrap_or(120);
    if max_lines == 0 {
        faults.add_help(at.key("max_lines"), "an excerpt of 0 lines holds nothing", "give at least 1");
    }
    let headings = match excerpt.and_then(|excerpt| excerpt.headings.as_ref()) {
        Some(written) => faults.texts(at.key("headings"), written),
        None => owned(&["Status", "Context", "Decision", "Consequences"]),
    };
    let is_configured = raw.is_some_and(|raw| raw.include.is_some());
    AdrSettings { include, is_configured, excerpt: Excerpt { headings, max_lines } }
}

fn github(raw: Option<&RawGithub>, at: SettingPlace<'_>, faults: &mut ConfigFaults) -> Option<GithubSettings> {
    let default = RawGithub::default();
    let raw = raw.unwrap_or(&default);
    let part = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_.".contains(&b));
    if let Some(repo) = &raw.repo
        && !is_repo_name(repo)
    {
        faults.add_help(at.key("repo"), format!("`{}` is not a repo", shortened(repo)), "write it as `owner/name`");
    }
    let host = raw.host.as_deref().unwrap_or("github.com");
    let (name, port) = host.split_once(':').unwrap_or((host, "443"));
    if !part(name) || port.parse::<u16>().is_err() {
        let help = "give the name alone, such as `github.example.com`";
        faults.add_help(at.key("host"), format!("`{}` is not a host", shortened(host)), help);
    }
    let snapshot = raw.snapshot.as_deref().unwrap_or(".contextpack/github");
    let at_snapshot = at.key("snapshot");
    let snapshot = faults.path(at_snapshot, snapshot);
    let help = "name a folder for issues only, such as `.contextpack/github`";
    if let Some(name) = snapshot.as_ref().and_then(reserved) {
        faults.add_help(at_snapshot, format!("the snapshot cannot lie in `{name}`"), help);
    } else if snapshot.as_ref().is_some_and(|path| is_local(&lowercase(path))) {
        faults.add_help(at_snapshot, "the snapshot cannot lie among what belongs to one working copy alone", help);
    }
    Some(GithubSettings {
        repo: raw.repo.clone(),
        host: host.to_lowercase(),
        snapshot: snapshot?,
        comments: raw.comments.unwrap_or(5),
        trusted_only: raw.min_trust.unwrap_or(RawTrust::Trusted) == RawTrust::Trusted,
        private: raw.private,
    })
}

/// Whether a folder, in lower case, is one that contextpack keeps for one working copy, or is below it.
fn is_local(path: &RepoPath) -> bool {
    [".contextpack/cache", ".contextpack/tmp"].iter().any(|local| path.is_under(local))
}

fn output(
    raw: Option<&RawOutput>,
    at: SettingPlace<'_>,
    known: &BTreeMap<String, Profile>,
    snapshot: Option<&RepoPath>,
    faults: &mut ConfigFaults,
) -> Option<OutputSettings> {
    let default = RawOutput::default();
    let raw = raw.unwrap_or(&default);
    let at_dir = at.key("dir");
    let dir = faults.path(at_dir, raw.dir.as_deref().unwrap_or("packs"));
    if let Some(dir) = &dir {
        let small = lowercase(dir);
        let help = "name a folder that holds packs only, such as `packs` or `.contextpack/packs`";
        if let Some(name) = reserved(dir) {
            faults.add_help(at_dir, format!("packs cannot lie in `{name}`"), help);
        } else if small.as_str() == ".contextpack" || is_local(&small) {
            faults.add_help(at_dir, format!("`{dir}` holds other files of contextpack"), help);
        } else if let Some(snapshot) = snapshot
            && (dir.is_under(snapshot.as_str()) || snapshot.is_under(dir.as_str()))
        {
            faults.add_help(at_dir, format!("packs and the snapshot `{snapshot}` cannot share a folder"), help);
        }
    }
    let at_profiles = at.key("profiles");
    let profiles = match &raw.profiles {
        Some(written) => faults.texts(at_profiles, &written.0),
        None => owned(&["coding"]),
    };
    if raw.profiles.as_ref().is_some_and(|written| written.0.is_empty()) {
        faults.add_help(at_profiles, "no profile is named", "name at least one, such as `[coding]`");
    }
    let names: Vec<&str> = known.keys().map(String::as_str).collect();
    for (index, name) in profiles.iter().enumerate() {
        faults.one_of(at_profiles.item(index), name, &names, "a profile");
    }
    Some(OutputSettings { dir: dir?, profiles, markdown: raw.markdown.unwrap_or(false) })
}

/// The name of what git or GitHub reads and a folder lies in: `.git` wherever it is, `.github` at the root.
///
/// A job that writes packs must write neither hooks nor workflows, and GitHub gives a meaning to ever more of `.github`.
pub(super) fn reserved(path: &RepoPath) -> Option<&'static str> {
    let mut parts = path.as_str().split('/');
    let github = path.as_str().split('/').next().is_some_and(is_github_name);
    let git = parts.any(is_git_name);
    git.then_some(".git").or_else(|| github.then_some(".github"))
}

/// The path in lower case: some file systems take `.GIT` for `.git`.
pub(super) fn lowercase(path: &RepoPath) -> RepoPath {
    RepoPath::new(&path.as_str().to_lowercase()).unwrap_or_else(|_| path.clone())
}

fn warnings(
    raw: Option<&BTreeMap<String, Level>>,
    at: SettingPlace<'_>,
    faults: &mut ConfigFaults,
) -> BTreeMap<Code, Level> {
    let names: Vec<&str> = Code::ALL.iter().map(|code| code.name()).collect();
    let mut levels = BTreeMap::new();
    for (name, level) in raw.into_iter().flatten() {
        let at = at.key(name);
        let Some(code) = Code::ALL.iter().copied().find(|code| code.name() == name) else {
            faults.one_of(at, name, &names, "the code of a warning");
            continue;
        };
        if code.severity() == Severity::Error && *level != Level::Deny {
            faults.add_help(at, format!("`{name}` is an error and cannot be weakened"), "remove the line");
        }
        levels.insert(code, *level);
    }
    levels
}
