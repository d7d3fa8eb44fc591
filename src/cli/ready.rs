//! `contextpack ready`.

use super::args::{Global, PackArgs};
use super::packs::OpenedRepository;
use crate::console::report::visible;
use crate::console::{self, Document, Exit, Failure, Format, Line, counted, line, no_roots, strict};
use crate::engine::{Built, EngineError, PackState, Project, apply_severities};
use crate::graph::Graph;
use crate::model::{Code, Diagnostic, Place, RepoPath};
use crate::review::{BodyLines, PackStatus, cut_ends, is_root_cut, ready};
use crate::store::{Folder, StoreError};
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};

/// The findings of each root, and the texts whose ends the budget cuts off.
type FindingsByItem = BTreeMap<String, (BTreeSet<Diagnostic>, BTreeSet<String>)>;

pub(crate) fn run(global: &Global, args: &PackArgs) -> Result<Exit, Failure> {
    let repository = global.open(None)?;
    let dir = &repository.settings().output.dir;
    // A pack that is on demand is never stale.
    let folder = repository.settings().commits_packs().then(|| Folder::open(repository.root(), dir)).transpose()?;
    let opened = OpenedRepository::new(global, &repository);
    let project = &opened.project;
    let mut items = opened.find_roots(&args.roots)?;
    if args.roots.is_empty() {
        items.retain(|item| !Graph::state(project.corpus(), *item).is_settled());
    }
    let bodies = bodies(project, &items);
    let judge = |folder: Option<&Folder>, built: Built| {
        let root = built.plan.root.to_string();
        let mut findings: Vec<Diagnostic> = stale(&PackState::of(project, folder, &built)?, dir).into_iter().collect();
        let pack = built.outcome.as_ref().map(|sealed| sealed.pack());
        let (is_cut, ends) = pack.map(|pack| (is_root_cut(pack), cut_ends(pack))).unwrap_or_default();
        match pack {
            // If the text is cut, the rest follows from the whole text.
            Ok(pack) => {
                let found = ready(pack, bodies.get(&*root).copied()).into_iter();
                findings.extend(found.filter(|it| !is_cut || it.code == Code::RootCut));
            }
            // No agent can start from a pack that cannot be built.
            Err(error) => findings.push(error.clone()),
        }
        Ok::<_, StoreError>((root, findings, is_cut, ends))
    };
    let of_folder = |built: Built| judge(folder.as_ref(), built);
    let (packs, run) = opened.run(items.clone(), (&args.roots, &args.budget), &of_folder)?;
    let cut: BTreeSet<&str> = packs.iter().flatten().filter(|pack| pack.2).map(|pack| pack.0.as_str()).collect();
    let cut: Vec<usize> = items.iter().copied().filter(|item| cut.contains(&*project.item(*item).id)).collect();
    // What the budget cuts is read whole.
    let (whole, _) = opened.run(cut, (&args.roots, &args.budget.unlimited()), &|built| judge(None, built))?;
    repository.confirm_settled()?;
    let mut found = FindingsByItem::new();
    let packs: Vec<_> = packs.into_iter().chain(whole).collect::<Result<_, StoreError>>().map_err(EngineError::from)?;
    for (root, findings, _, ends) in packs {
        let found = found.entry(root).or_default();
        found.0.extend(findings);
        found.1.extend(ends);
    }
    let answers = answers(global, project, &items, found);
    let errors = visible(&run.diagnostics, true);
    report(global, &answers, &errors)?;
    if global.format != Format::Json {
        let able = answers.iter().filter(|answer| answer.is_ready()).count();
        global.note(&format!("{able} of {} work items are ready", answers.len()))?;
        if answers.is_empty() && !run.blocked {
            global.note(no_roots(&repository))?;
        }
    }
    let is_ready = answers.iter().all(RootFindings::is_ready);
    Ok(run.exit().and(if is_ready { Exit::Done } else { Exit::Stale }))
}

fn bodies<'a>(project: &'a Project<'_>, items: &[usize]) -> BTreeMap<&'a str, BodyLines<'a>> {
    let items = items.iter().map(|item| project.item(*item)).filter(|item| item.body.in_file);
    items.map(|item| (item.id.as_str(), BodyLines { first: item.body.line, text: &item.body.text })).collect()
}

struct RootFindings {
    root: String,
    title: String,
    findings: Vec<Diagnostic>,
    cut_ends: BTreeSet<String>,
}

impl RootFindings {
    fn is_ready(&self) -> bool {
        self.findings.is_empty()
    }
}

fn answers(global: &Global, project: &Project<'_>, items: &[usize], mut found: FindingsByItem) -> Vec<RootFindings> {
    let answer = |item: &usize| {
        let item = project.item(*item);
        let (findings, cut_ends) = found.remove(item.id.as_str()).unwrap_or_default();
        let redacted = findings.into_iter().map(|finding| project.redacted_for_output(finding)).collect();
        let mut findings = apply_severities(redacted, project.settings());
        if global.strict {
            strict(&mut findings);
        }
        RootFindings { root: item.id.to_string(), title: item.title.to_string(), findings, cut_ends }
    };
    items.iter().map(answer).collect()
}

fn stale(state: &PackState, dir: &RepoPath) -> Option<Diagnostic> {
    let path = format!("{dir}/{}", state.name);
    let message = match state.status {
        PackStatus::Stale => format!("the pack is stale: {}", state.reasons.join("; ")),
        PackStatus::Edited => format!("the pack was edited by hand: {}", state.reasons.join("; ")),
        _ => return None,
    };
    let at = RepoPath::new(&path).ok().map(Place::file);
    let finding = Diagnostic::new(Code::StalePack, at, message).help("`contextpack build` writes it again");
    Some(finding.about(state.root.as_str()))
}

fn report(global: &Global, answers: &[RootFindings], errors: &[Diagnostic]) -> Result<(), Failure> {
    let roots = answers.iter().map(|answer| {
        let RootFindings { root, title, findings, cut_ends } = answer;
        let findings = console::diagnostics(findings);
        json!({"root": root, "title": title, "ready": answer.is_ready(), "findings": findings, "cut_ends": cut_ends})
    });
    let output = json!({"roots": roots.collect::<Vec<_>>(), "diagnostics": console::diagnostics(errors)});
    // In a workflow the findings are annotations.
    let is_github = global.format == Format::Github;
    let findings = answers.iter().flat_map(|answer| &answer.findings).filter(|_| is_github);
    let diagnostics: Vec<Diagnostic> = findings.chain(errors).cloned().collect();
    let mut document = Document::whole();
    document.nested_list(answers.iter().filter(|_| !is_github).map(answer_lines));
    Ok(document.print(global.format, global.verbose, &diagnostics, &output)?)
}

fn answer_lines(answer: &RootFindings) -> (Line, Document) {
    let mut below = Document::default();
    below.nested_list(answer.findings.iter().map(|finding| {
        let at = finding.at.as_ref().map(|at| format!("{at}: ")).unwrap_or_default();
        let mut help = Document::default();
        finding.help.iter().for_each(|text| help.paragraph(line("{}", &[text])));
        (line("{}{} [{}]", &[&at, &finding.message, finding.code.name()]), help)
    }));
    let decisions = answer.cut_ends.iter().filter(|text| *text != "root.issue");
    below.list(decisions.map(|path| line("the budget cuts the end of {} from the pack", &[path])));
    let count = match answer.findings.len() {
        0 => "ready".to_owned(),
        count => format!("not ready: {}", counted(count, "finding")),
    };
    (line(&format!("{{}}: {count}"), &[&answer.root]), below)
}
