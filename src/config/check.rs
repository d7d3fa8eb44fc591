//! Checks that compare settings with each other, and the settings that come of them.

use super::faults::shortened;
use super::handover::{self, HandoverSettings, Recipe};
use super::knowledge::{ContextSettings, NameInConfig};
use super::profiles::{Budget, Instructions, Profile};
use super::settings::{CommentMap, FieldMap, GithubSettings, ItemSource, NATIVE_FIELDS, OutputSettings, Settings};
use super::tree::{ConfigFaults, SettingPlace};
use super::{redaction, values};
use crate::model::{Code, ItemState, Level, RepoPath, Severity, is_git_name, is_github_name, is_repo_name};
use std::collections::BTreeMap;

const ROLES: [&str; 4] = ["system", "user", "assistant", "tool"];

const MAX_TASKS: u32 = 10_000;

/// The most documents, changes or lines that a limit of `context:` allows.
const MAX_COUNT: usize = 1_000;

/// The largest integer that every JSON reader keeps exactly.
const MAX_SAFE_INTEGER: u64 = (1 << 53) - 1;

/// Checks everything, and completes the settings. They must not be used if `faults` is not empty.
pub(super) fn settings(settings: &mut Settings, rules: &[&str], root: SettingPlace<'_>, faults: &mut ConfigFaults) {
    profiles(&mut settings.profiles, root.key("profiles"), faults);
    github(&mut settings.github, root.key("github"), faults);
    output(settings, root.key("output"), faults);
    for (index, source) in settings.work_items.iter().enumerate() {
        item_source(source, root.key("work_items").item(index), faults);
    }
    let at_roots = root.key("roots");
    settings.roots.only().for_each(|(field, values)| filter(field, values, at_roots, faults));
    filters(&settings.roots.exclude, at_roots.key("exclude"), faults);
    settings.adrs.is_configured = root.key("adrs").key("include").is_written();
    if !settings.adrs.is_configured {
        settings.adrs.include = std::mem::take(&mut settings.adrs.include).in_any_case();
    }
    settings.adrs.excerpt.is_configured = root.key("adrs").key("excerpt").is_written();
    if settings.adrs.excerpt.max_lines == 0 {
        let at = root.key("adrs").key("excerpt").key("max_lines");
        faults.add_help(at, "an excerpt of 0 lines holds nothing", "give at least 1");
    }
    settings.overview_line = root.key("overview").line();
    documents_and_jobs(settings, root, faults);
    let folders = [&settings.output.dir, &settings.github.snapshot];
    context(&settings.context, root.key("context"), folders, faults);
    handover(&mut settings.handover, root.key("handover"), folders, faults);
    let written = std::mem::take(&mut settings.written_redaction);
    settings.redaction = redaction::settings(written, rules, root.key("redaction"), faults);
    let written = settings.written_warnings.take().unwrap_or_default();
    settings.warnings = warnings(&written, root.key("warnings"), faults);
}

fn profiles(profiles: &mut BTreeMap<String, Profile>, at: SettingPlace<'_>, faults: &mut ConfigFaults) {
    profiles.retain(|name, _| faults.take(at.key(name), values::name(name, "a profile")).is_some());
    for (name, profile) in profiles {
        let at = at.key(name);
        profile.name.clone_from(name);
        if let Instructions::Builtin { .. } = profile.instructions {
            profile.instructions = Instructions::builtin(name);
        }
        for (index, file) in profile.files.iter_mut().enumerate() {
            file.line = at.key("files").item(index).line();
        }
        budget(&profile.budget, at.key("budget"), faults);
    }
}

fn budget(budget: &Budget, at: SettingPlace<'_>, faults: &mut ConfigFaults) {
    let limits = [("max_chars", budget.max_chars), ("max_tokens", budget.max_tokens), ("max_bytes", budget.max_bytes)];
    for (name, limit) in limits {
        match limit {
            Some(0) => {
                faults.add_help(at.key(name), format!("`{name}` is 0"), "give a limit above 0, or remove the line");
            }
            Some(limit) if limit > MAX_SAFE_INTEGER => {
                faults.add(at.key(name), format!("`{name}` is larger than {MAX_SAFE_INTEGER}"));
            }
            _ => {}
        }
    }
    if limits.iter().all(|(_, limit)| limit.is_none()) && !at.lost_a_value() {
        let help = "a budget replaces the built-in one whole: give `max_chars`, `max_tokens` or `max_bytes`";
        faults.add_help(at, "the budget has no limit", help);
    }
    if budget.margin > 90 {
        let message = format!("a margin of {}% leaves too little", budget.margin);
        faults.add_help(at.key("margin"), message, "give at most 90%");
    }
    if budget.root_share < 10 {
        let message = format!("a root share of {}% leaves the root too little", budget.root_share);
        faults.add_help(at.key("root_share"), message, "give 10% to 100%");
    }
}

fn github(github: &mut GithubSettings, at: SettingPlace<'_>, faults: &mut ConfigFaults) {
    if let Some(repo) = github.repo.as_ref().filter(|repo| !is_repo_name(repo)) {
        faults.add_help(at.key("repo"), format!("`{}` is not a repo", shortened(repo)), "write it as `owner/name`");
    }
    let part = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_.".contains(&b));
    let (name, port) = github.host.split_once(':').unwrap_or((&github.host, "443"));
    if !part(name) || port.parse::<u16>().is_err() {
        let help = "give the name alone, such as `github.example.com`";
        faults.add_help(at.key("host"), format!("`{}` is not a host", shortened(&github.host)), help);
    }
    github.host = github.host.to_lowercase();
    let help = "name a folder for issues only, such as `.contextpack/github`";
    let message = "the snapshot cannot lie among what belongs to one working copy alone".to_owned();
    let rules = [(is_local(&lowercase(&github.snapshot)), message)];
    folder(&github.snapshot, "the snapshot", rules, at.key("snapshot"), help, faults);
}

/// Checks a folder, and reports the first message that applies; `what` would lie in it.
fn folder<const N: usize>(
    path: &RepoPath,
    what: &str,
    rules: [(bool, String); N],
    at: SettingPlace<'_>,
    help: &str,
    faults: &mut ConfigFaults,
) {
    let reserved = reserved(path).map(|name| format!("{what} cannot lie in `{name}`"));
    let first = || rules.into_iter().find_map(|(applies, message)| applies.then_some(message));
    if let Some(message) = reserved.or_else(first) {
        faults.add_help(at, message, help);
    }
}

/// Returns whether a folder, in lower case, is one that contextpack keeps for one working copy, or is below it.
fn is_local(path: &RepoPath) -> bool {
    [".contextpack/cache", ".contextpack/tmp"].iter().any(|local| path.is_under(local))
}

/// Returns the name of what git or GitHub reads and a folder lies in: `.git` wherever it is, `.github` at the root.
///
/// A job that writes packs must write neither hooks nor workflows, and GitHub gives a meaning to ever more of `.github`.
fn reserved(path: &RepoPath) -> Option<&'static str> {
    let mut parts = path.as_str().split('/');
    let github = path.as_str().split('/').next().is_some_and(is_github_name);
    parts.any(is_git_name).then_some(".git").or_else(|| github.then_some(".github"))
}

/// Returns the path in lower case: some file systems take `.GIT` for `.git`.
fn lowercase(path: &RepoPath) -> RepoPath {
    RepoPath::new(&path.as_str().to_lowercase()).unwrap_or_else(|_| path.clone())
}

fn share_a_folder(a: &RepoPath, b: &RepoPath) -> bool {
    a.is_under(b.as_str()) || b.is_under(a.as_str())
}

fn output(settings: &Settings, at: SettingPlace<'_>, faults: &mut ConfigFaults) {
    let (OutputSettings { dir, profiles, .. }, snapshot) = (&settings.output, &settings.github.snapshot);
    let small = lowercase(dir);
    let help = "name a folder that holds packs only, such as `packs` or `.contextpack/packs`";
    let is_taken = small.as_str() == ".contextpack" || is_local(&small);
    let rules = [
        (is_taken, format!("`{dir}` holds other files of contextpack")),
        (share_a_folder(dir, snapshot), format!("packs and the snapshot `{snapshot}` cannot share a folder")),
    ];
    folder(dir, "packs", rules, at.key("dir"), help, faults);
    let at = at.key("profiles");
    if profiles.is_empty() && !at.lost_a_value() {
        faults.add_help(at, "no profile is named", "name at least one, such as `[coding]`");
    }
    let names: Vec<&str> = settings.profiles.keys().map(String::as_str).collect();
    for (index, name) in profiles.iter().enumerate() {
        faults.one_of(at.item(index), name, &names, "a profile");
    }
}

fn filters(filters: &FieldMap, at: SettingPlace<'_>, faults: &mut ConfigFaults) {
    filters.iter().for_each(|(field, values)| filter(field, values, at, faults));
}

/// Checks the values of a filter. An empty list would match nothing, and is a fault.
fn filter(field: &str, values: &[String], at: SettingPlace<'_>, faults: &mut ConfigFaults) {
    let at = at.key(field);
    if values.is_empty() && !at.lost_a_value() {
        let message = format!("`{}` lists no values", shortened(field));
        faults.add_help(at, message, "name at least one, or remove the line");
    }
    for (index, value) in values.iter().enumerate().filter(|_| field == "state") {
        let lower = value.to_lowercase();
        if lower == "closed" {
            let help = "`done` is closed as completed, `not_planned` closed without it; name one or both";
            faults.add_help(at.item(index), "`closed` is not a state", help);
        } else {
            faults.one_of(at.item(index), &lower, &ItemState::ALL.map(ItemState::name), "a state");
        }
    }
}

fn item_source(source: &ItemSource, at: SettingPlace<'_>, faults: &mut ConfigFaults) {
    let at_include = at.key("include");
    if source.include.written.is_empty() && !at_include.lost_a_value() {
        faults.add_help(at_include, "`include` names no files", "give at least one glob");
    }
    fields(&source.fields, at.key("fields"), faults);
    if let Some(edges) = &source.edges {
        let at = at.key("edges");
        not_empty([("field", Some(&edges.field)), ("to", Some(&edges.to))], at, faults);
        if edges.types.is_empty() && !at.key("types").lost_a_value() {
            faults.add_help(
                at.key("types"),
                "no type of edge is a relation",
                "for example `types: {blocks: depends_on}`",
            );
        }
    }
    filters(&source.no_pack, at.key("no_pack"), faults);
    let names = [("subitems", source.subitems.as_ref()), ("trust", source.trust.as_ref())];
    not_empty(names, at, faults);
    if let Some(CommentMap { from, author, at: time, body, trust }) = &source.comments {
        let names = [("from", Some(from)), ("author", Some(author)), ("at", Some(time)), ("body", Some(body))];
        not_empty(names.into_iter().chain([("trust", trust.as_ref())]), at.key("comments"), faults);
    }
}

/// Checks that names of fields in the files are not empty.
fn not_empty<'n>(
    named: impl IntoIterator<Item = (&'static str, Option<&'n String>)>,
    at: SettingPlace<'_>,
    faults: &mut ConfigFaults,
) {
    for (name, value) in named {
        if value.is_some_and(|value| value.trim().is_empty()) {
            faults.add(at.key(name), format!("`{name}` is empty"));
        }
    }
}

fn fields(fields: &FieldMap, at: SettingPlace<'_>, faults: &mut ConfigFaults) {
    for (ours, theirs) in fields {
        let at = at.key(ours);
        match theirs.iter().find(|name| NATIVE_FIELDS.contains(&name.as_str())) {
            Some(name) if !NATIVE_FIELDS.contains(&ours.as_str()) => faults.add_help(
                at,
                format!("`{}` is not a field of a work item", shortened(ours)),
                format!("our field comes first: `{name}: {ours}`"),
            ),
            _ => faults.one_of(at, ours, &NATIVE_FIELDS, "a field of a work item"),
        }
        if theirs.is_empty() && !at.lost_a_value() {
            faults.add(at, format!("`{}` names no field of theirs", shortened(ours)));
        }
    }
}

/// Checks documents and jobs, and sets the lines of the names in them.
fn documents_and_jobs(settings: &mut Settings, root: SettingPlace<'_>, faults: &mut ConfigFaults) {
    let set_line = |name: &mut NameInConfig, at: SettingPlace<'_>| name.line = at.key("agent").line();
    for (index, source) in settings.documents.iter_mut().enumerate() {
        let at = root.key("documents").item(index);
        if source.include.written.is_empty() && !at.key("include").lost_a_value() {
            faults.add_help(at.key("include"), "the entry takes no files", "name at least one glob");
        }
        source.agent.iter_mut().for_each(|name| set_line(name, at));
    }
    for (name, job) in &mut settings.jobs {
        let at = root.key("jobs").key(name);
        faults.take(at, values::name(name, "a job"));
        set_line(&mut job.agent, at);
    }
}

fn context(context: &ContextSettings, at: SettingPlace<'_>, folders: [&RepoPath; 2], faults: &mut ConfigFaults) {
    let counts = [
        ("pinned", context.pinned),
        ("bullets", context.bullets),
        ("changes", context.changes),
        ("relevant", context.relevant),
    ];
    for (name, count) in counts.into_iter().filter(|(_, count)| *count > MAX_COUNT) {
        faults.add_help(at.key(name), format!("`{name}` is {count}"), format!("give at most {MAX_COUNT}"));
    }
    let Some(record) = &context.record else { return };
    let ([output, snapshot], small, at) = (folders, lowercase(record), at.key("record"));
    if reserved(record).is_none() && record.is_under(output.as_str()) {
        let help = "packs for agents change with every commit: name another folder";
        return faults.add_help(at, format!("`{record}` is inside the folder of packs"), help);
    }
    let shared = format!("delivered packs and the snapshot `{snapshot}` cannot share a folder");
    let is_taken = small.is_under(".contextpack") && !small.is_under(".contextpack/delivered");
    let rules = [
        (record.is_under(snapshot.as_str()), shared),
        (is_taken, format!("`{record}` holds other files of contextpack")),
    ];
    let help = "name a folder that holds delivered packs only, such as `delivered`, or remove the line: the default is \
                `.contextpack/delivered`";
    folder(record, "delivered packs", rules, at, help, faults);
}

/// Checks the folder of cards and the recipes, and adds the built-in recipes.
fn handover(handover: &mut HandoverSettings, at: SettingPlace<'_>, folders: [&RepoPath; 2], faults: &mut ConfigFaults) {
    let (at_dir, dir) = (at.key("dir"), &handover.dir);
    let help = "name a folder that holds cards and boxes only, such as `context`";
    if let Some(name) = reserved(dir) {
        faults.add_help(at_dir, format!("cards cannot lie in `{name}`"), help);
    } else if lowercase(dir).is_under(".contextpack") {
        faults.add_help(at_dir, format!("`{dir}` holds other files of contextpack"), help);
    } else if at_dir.is_written() {
        // Without the key nothing is reported: a repo may write its packs to `context`, and have no cards.
        for other in folders.into_iter().filter(|other| share_a_folder(dir, other)) {
            faults.add_help(at_dir, format!("cards cannot share a folder with `{other}`"), help);
        }
    }
    if !(1..=MAX_TASKS).contains(&handover.max_tasks) {
        faults.add(at.key("max_tasks"), format!("`{}` is not from 1 to {MAX_TASKS}", handover.max_tasks));
    }
    let mut recipes = handover::builtin();
    for (name, written) in std::mem::take(&mut handover.recipes) {
        let at = at.key("recipes").key(&name);
        if recipes.contains_key(&name) {
            faults.add_help(at, format!("the recipe `{name}` is built in"), "give it another name");
            continue;
        }
        faults.take(at, values::name(&name, "a recipe"));
        recipe(&written, at, faults);
        recipes.insert(name, written);
    }
    handover.recipes = recipes;
}

fn recipe(recipe: &Recipe, at: SettingPlace<'_>, faults: &mut ConfigFaults) {
    let at_arguments = at.key("pack_arguments");
    for (index, argument) in recipe.pack_arguments.iter().enumerate() {
        if let Some(role) = argument.card_metadata.get("role") {
            let at = at_arguments.item(index).key("card_metadata").key("role");
            faults.one_of(at, role, &ROLES, "the role of a card");
        }
    }
    let at_boxes = at.key("inherit_context").key("include_boxes_from_args");
    let boxes = &recipe.inherit_context.include_boxes_from_args;
    for (index, name) in boxes.iter().enumerate() {
        if recipe.pack_arguments.iter().any(|argument| argument.arg_key == *name) {
            let message = format!("`{}` becomes a card already", shortened(name));
            faults.add_help(at_boxes.item(index), message, "an argument becomes a card or names boxes, not both");
        }
    }
    let is_empty = recipe.pack_arguments.is_empty() && boxes.is_empty() && !recipe.inherit_context.include_parent;
    if is_empty && ![at_arguments, at_boxes].into_iter().any(SettingPlace::lost_a_value) {
        faults.add_help(at, "the recipe hands nothing over", "give `pack_arguments`, or `inherit_context`");
    }
}

fn warnings(
    written: &BTreeMap<String, Level>,
    at: SettingPlace<'_>,
    faults: &mut ConfigFaults,
) -> BTreeMap<Code, Level> {
    let names: Vec<&str> = Code::ALL.iter().map(|code| code.name()).collect();
    let mut levels = BTreeMap::new();
    for (name, level) in written {
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
