//! Why an item or file of the repository is not in a pack that was built.

use super::{BudgetProbe, EngineError, Project, Repository};
use crate::config::denying_pattern;
use crate::graph::Target;
use crate::knowledge::{Relevant, Scope};
use crate::model::{Diagnostic, RepoPath, SourceTree as _, has_document_extension, quoted};
use crate::review::{DENIED, WhyNot, grouped, relevance, why_not};
use crate::seal::Sealed;
use crate::store::StoreError;
use std::collections::{BTreeMap, VecDeque};
use std::io::ErrorKind;

/// Answers from a pack that was built, else from the items and files of the repo.
pub fn why_not_in(
    repository: &Repository,
    project: &Project<'_>,
    probe: &BudgetProbe<'_, '_>,
    sealed: &Sealed,
    asked: &str,
) -> Result<WhyNot, EngineError> {
    let adr = || project.graph().named_adr(&project.corpus().rules, asked, &RepoPath::root());
    let adr = if repository.find(project, asked).is_ok() { None } else { adr().map(|path| path.to_string()) };
    let asked = adr.as_deref().unwrap_or(asked);
    let names = names(repository, project, asked);
    let mut answer = why_not(sealed.pack(), asked, &names)
        .map_or_else(|| explain_from_repo(repository, project, probe, asked), Ok)?;
    if answer.answer != "in"
        && let Some(path) = RepoPath::new(asked).ok().filter(|path| project.denies(path))
    {
        answer.message.push_str(&format!(" (`{}`)", denying_pattern(&path)));
    }
    let budget =
        sealed.pack().omissions.iter().any(|it| answer.section.as_ref() == Some(&it.id) && it.reason == "budget");
    if let Some(section) = answer.section.clone().filter(|_| budget) {
        answer.needs = probe.smallest_limit(sealed.pack(), &|pack| pack.sections.iter().any(|it| it.id == section))?;
        if let Some(needs) = answer.needs {
            let (unit, _) = BudgetProbe::unit(sealed.pack());
            answer.help = Some(format!("it fits from a limit of {} {unit}", grouped(needs)));
        }
    }
    Ok(answer)
}

fn names(repository: &Repository, project: &Project<'_>, asked: &str) -> Vec<String> {
    let mut names = vec![asked.to_owned()];
    // `./src/a.rs` is `src/a.rs`.
    names.extend(RepoPath::new(asked).ok().map(|path| path.to_string()).filter(|path| !path.is_empty()));
    names.dedup();
    if let Ok(item) = repository.find(project, asked) {
        let record = project.item(item);
        names.push(record.id.to_string());
        // The path of a file with many items identifies none of them.
        let path = record.origin.path.to_string();
        names.extend(Some(path).filter(|path| !path.ends_with(".jsonl") && !path.ends_with(".json")));
    }
    names
}

/// The message about something that is neither an item nor a file, and its help.
const UNKNOWN: (&str, &str) = (
    "there is no such item or file",
    "`contextpack list` shows the items; give files by their path from the repo's root, or ADRs as `ADR-12`",
);

/// Explains from the items and files of the repo why a pack does not mention something.
fn explain_from_repo(
    repository: &Repository,
    project: &Project<'_>,
    probe: &BudgetProbe<'_, '_>,
    asked: &str,
) -> Result<WhyNot, EngineError> {
    if let Some(answer) = RepoPath::new(asked).ok().and_then(|path| explain_document(project, probe, &path)) {
        return Ok(answer);
    }
    let Some(root) = probe.item else {
        let message = "the start of a session has no item that could refer to it";
        return Ok(WhyNot::new(asked, "unrelated", message, "give the item before `--why-not`"));
    };
    let id = |item: usize| project.masked(&project.item(item).id);
    if let Ok(item) = repository.find(project, asked) {
        if item == root {
            return Ok(WhyNot::new(asked, "in", "it is the item itself", "every pack holds its item"));
        }
        let (message, help) = match shortest_path(project, root, item) {
            Some(between) => {
                let names = quoted(between.iter().map(|item| id(*item)).collect::<Vec<_>>());
                (
                    format!("it is {} steps away, by way of {names}; a pack goes one step", between.len() + 1),
                    format!("add a relation between `{}` and `{}`", id(root), id(item)),
                )
            }
            None => (
                format!("no relation leads from `{}` to `{}`", id(root), id(item)),
                format!("add one, such as `depends_on: {}`", id(item)),
            ),
        };
        return Ok(WhyNot::new(asked, "unrelated", message, help));
    }
    let Ok(file) = RepoPath::new(asked) else {
        return Ok(WhyNot::new(asked, "unknown", UNKNOWN.0, UNKNOWN.1));
    };
    // A denied name is judged before it is known whether there is such a file.
    if project.denies(&file) {
        return Ok(WhyNot::new(asked, "not_listed", DENIED.0, DENIED.1));
    }
    if repository.files().files().contains(&file) {
        let adr = repository.settings().adrs.include.set.is_match(file.as_str());
        let help = if adr {
            format!("name it in the item: `adrs: [{file}]`, or write its path in the body")
        } else if has_document_extension(file.name()) {
            format!("name it in the item: `docs: [{file}]`, or link to it in the body")
        } else {
            format!("name it in the item: write `{file}` or `{file}:12` in the body")
        };
        // A bare name in prose, an example in a code block, a host or a path of another repo is no reference.
        let message = if project.corpus().entries[root].body.clean.contains(file.name()) {
            format!("the text of `{}` has its name, but no path that leads to this file alone", id(root))
        } else {
            format!("nothing in `{}` refers to it", id(root))
        };
        return Ok(WhyNot::new(asked, "unreferenced", message, help));
    }
    if repository.root().join(asked).is_dir() && !file.as_str().is_empty() {
        let help = "give the path of a file in it, from the repo's root";
        return Ok(WhyNot::new(asked, "unknown", format!("`{asked}` is a folder; name a file"), help));
    }
    let there = match repository.root().join(asked).symlink_metadata() {
        Ok(_) => true,
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => false,
        Err(source) => return Err(StoreError::Read { path: asked.into(), source }.into()),
    };
    let (answer, message, help) = if there && project.is_own_output(&file) {
        ("not_listed", "contextpack writes it itself, and never reads its own output", "refer to what it was made from")
    } else if there {
        ("not_listed", "git ignores it, or it is in a folder that is no input", "track it with git")
    } else {
        ("unknown", UNKNOWN.0, UNKNOWN.1)
    };
    Ok(WhyNot::new(asked, answer, message, help))
}

/// Explains why a pack does not mention a document; `None` if the file is none.
fn explain_document(project: &Project<'_>, probe: &BudgetProbe<'_, '_>, path: &RepoPath) -> Option<WhyNot> {
    let knowledge = project.knowledge();
    let Some(document) = knowledge.document(path) else {
        let is_about = |fault: &Diagnostic| fault.at.as_ref().is_some_and(|at| at.path == *path);
        let fault = project.knowledge_diagnostics().into_iter().find(is_about)?;
        return Some(WhyNot::new(path.as_str(), "not_listed", fault.message, fault.help.unwrap_or_default()));
    };
    let agent = probe.agent.as_ref().map(|agent| &knowledge.agents.all[agent.agent].key);
    let pin = "pin it with `pinned: true`, name it in the item";
    let (answer, message, help) = match (&document.scope, probe.agent.as_ref()) {
        (Scope::Nobody, _) => (
            "other_agent",
            "it belongs to an agent that does not exist".to_owned(),
            "correct its `agent`, as `contextpack check` says".to_owned(),
        ),
        (Scope::Agent(key), _) if !document.scope.admits(agent) => (
            "other_agent",
            format!("it is a document of the agent `{}`", project.masked(key)),
            format!("build with `--agent {}`, or change its `agent`", project.masked(key)),
        ),
        _ if document.secret => (
            "secret",
            "it holds secrets, so that it is neither read nor searched".to_owned(),
            "pin it, or name it in the item: the pack then has the line that points to it".to_owned(),
        ),
        (_, None) => (
            "not_pinned",
            "it is not pinned, and nothing in the item refers to it".to_owned(),
            format!("{pin}, or build for an agent, whose packs hold relevant documents"),
        ),
        (_, Some(agent)) => match project.relevance(probe.item, agent, path) {
            Some(Relevant { rank, matched, meaning, .. }) => {
                let terms = relevance(&quoted(&matched), meaning.map(u64::from));
                let most = project.settings().context.relevant;
                let place = format!("has place {rank} by what it shares with the work ({terms}); a pack holds {most}");
                let message = project.masked(&format!("it is not pinned, and {place}"));
                ("not_relevant", message, format!("{pin}, or raise `context.relevant` to {rank}"))
            }
            None => (
                "not_relevant",
                "it is not pinned, and its title, headings and notes share no term with the work".to_owned(),
                match &project.settings().context.vectors {
                    None => "pin it with `pinned: true`, or name it in the item".to_owned(),
                    Some(_) => format!(
                        "{pin}, or if `contextpack notes --vectors` prints its text or the item's, make vectors of these"
                    ),
                },
            ),
        },
    };
    Some(WhyNot::new(path.as_str(), answer, message, help))
}

/// Returns the items between two on a shortest path; `None` if there is no path.
fn shortest_path(project: &Project<'_>, from: usize, to: usize) -> Option<Vec<usize>> {
    let mut came_from = BTreeMap::from([(from, from)]);
    let mut queue = VecDeque::from([from]);
    while let Some(here) = queue.pop_front().filter(|_| !came_from.contains_key(&to)) {
        for edge in project.graph().edges(here) {
            if let Target::Item(next) = edge.to
                && !came_from.contains_key(&next)
            {
                came_from.insert(next, here);
                queue.push_back(next);
            }
        }
    }
    let steps = std::iter::successors(came_from.get(&to), |here| came_from.get(*here));
    let mut between: Vec<usize> = steps.copied().take_while(|here| *here != from).collect();
    between.reverse();
    Some(between).filter(|_| came_from.contains_key(&to))
}
