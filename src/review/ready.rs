//! Whether an agent can start on the root of a pack: what its text leaves open, and what it waits for.
//!
//! Everything is read from the pack, so that an agent finds nothing that is not told here.

mod criteria;
mod questions;
mod text;

use super::diff::is_omission_mark;
use crate::model::{Code, DecisionState, Diagnostic, Place, RepoPath, decision_state, section_kind};
use crate::wire::{Metadata, Pack, Section, SectionSource, Warning};
pub use criteria::{Criterion, keep_ids, note_done};
use text::RootText;

/// The section with the root's text.
const ROOT: &str = "root.issue";

/// The codes of a pack's warnings that keep an agent from starting, each with what to do.
const STOPPING: [(Code, &str); 6] = [
    (Code::DanglingReference, "correct the reference, or remove it"),
    (Code::UnknownId, "correct the id, or remove the relation"),
    (Code::MissingAnchor, "name a heading that the document has"),
    (Code::AmbiguousReference, "write which of them is meant"),
    (Code::InactiveAdr, "rest the work on a decision that is in force"),
    (Code::Cycle, "remove one of the relations"),
];

/// The root's text as its file has it, redacted. A pack has it without comments, and with a heading where it has none, so
/// that its lines are not those of the file.
#[derive(Debug, Clone, Copy)]
pub struct BodyLines<'a> {
    /// The line of the file on which `text` begins, counted from 1.
    pub first: u32,
    /// The text.
    pub text: &'a str,
}

/// Returns what keeps an agent from starting on the root of a pack, sorted; nothing if it is ready.
///
/// The rules are those of `docs/ready.md`; the configuration's `warnings` are not applied. `body` only says on which lines
/// findings are: without it they are told at the first line of the root's text.
pub fn ready(pack: &Pack, body: Option<BodyLines<'_>>) -> Vec<Diagnostic> {
    let root = pack.root.name().map_or("", String::as_str);
    let mut findings: Vec<Diagnostic> = match pack.sections.iter().find(|section| section.id == ROOT) {
        None => Vec::new(),
        Some(section) => match section.metadata.state.as_deref() {
            // Nothing of what is over has to be complete.
            Some(state @ ("done" | "merged" | "not_planned")) => return vec![over(section, state).about(root)],
            _ => {
                let text = of_text(section, body, !criteria(pack).is_empty());
                text.into_iter().chain(edited(section)).chain(cut(section)).collect()
            }
        },
    };
    findings.extend(pack.sections.iter().filter_map(undecided));
    findings.extend(pack.sections.iter().filter(|section| section.id == "root.edges").flat_map(blockers));
    findings.extend(pack.warnings.iter().filter_map(warned));
    let mut findings: Vec<Diagnostic> = findings.into_iter().map(|finding| finding.about(root)).collect();
    findings.sort();
    findings.dedup();
    findings
}

/// Returns whether a pack shows all that its root says, so that what it lacks was removed and not cut.
pub fn is_root_whole(pack: &Pack) -> bool {
    let is_of_root = |section: &&Section| matches!(&*section.id, ROOT | "root.json");
    pack.sections.iter().filter(is_of_root).all(|section| section.metadata.detail == "full")
}

/// Returns the acceptance criteria of a pack.
pub fn criteria(pack: &Pack) -> Vec<Criterion> {
    let content = |id: &str| pack.sections.iter().find(|it| it.id == id).map_or("", |section| &section.content);
    criteria::criteria_in(content(ROOT), content("root.json"))
}

/// Returns the finding about a root that is over.
fn over(section: &Section, state: &str) -> Diagnostic {
    let state = if state == "not_planned" { "closed, and not planned" } else { state };
    let message = format!("the work item is {state}");
    finding(Code::RootDone, place(&section.source, None), message, "reopen it, or name another item")
}

fn finding(code: Code, at: Option<Place>, message: impl Into<String>, help: &str) -> Diagnostic {
    Diagnostic::new(code, at, message).help(help)
}

/// Returns the findings about the text of the root.
fn of_text(section: &Section, body: Option<BodyLines<'_>>, has_criteria: bool) -> Vec<Diagnostic> {
    let text = RootText::read(&section.content);
    let at = |line: Option<u32>| place(&section.source, line.and_then(|line| body?.line_of(&section.content, line)));
    if text.is_empty() {
        let message = "the text says nothing beyond its headings";
        return vec![finding(Code::EmptyBody, at(None), message, "say what is to be done, and why")];
    }
    let mut findings = Vec::new();
    if !has_criteria {
        let help = "add a heading `Acceptance criteria` with a list, or a checklist";
        findings.push(finding(Code::NoAcceptanceCriteria, at(None), "nothing says when the work is done", help));
    }
    let open = |(line, question): (u32, String)| {
        finding(Code::OpenQuestion, at(Some(line)), question, "answer it in the text, or strike it out")
    };
    let unfilled = |(line, placeholder): (u32, String)| {
        let message = format!("a place of the template was not filled: {placeholder}");
        finding(Code::UnfilledTemplate, at(Some(line)), message, "replace it with what it asks for, or remove it")
    };
    findings.extend(text.questions().into_iter().map(open));
    findings.extend(text.placeholders().into_iter().map(unfilled));
    findings
}

/// Returns the finding about an issue that its author, an untrusted one, changed after it had been asked for.
fn edited(section: &Section) -> Option<Diagnostic> {
    let Metadata { edited, trust, .. } = &section.metadata;
    (*edited == Some(true) && trust.as_deref() == Some("untrusted")).then_some(())?;
    let message = "its author, who has no role in the repo, changed the text since somebody labelled it";
    let help =
        "read it again; if it is still what you want, take the label off, put it on again, and run `contextpack sync`";
    Some(finding(Code::EditedIssue, place(&section.source, None), message, help))
}

/// Returns whether the budget cuts the root's text, so that [`ready`] does not read all of it.
pub fn is_root_cut(pack: &Pack) -> bool {
    pack.sections.iter().any(|section| section.id == ROOT && cut(section).is_some())
}

/// Returns the finding about a root that the budget cuts.
fn cut(section: &Section) -> Option<Diagnostic> {
    let Metadata { detail, chars, full_chars, .. } = &section.metadata;
    let full = full_chars.filter(|full| full > chars && detail != "full")?;
    let message = format!("the budget leaves {chars} of its text's {full} characters");
    let help = "raise the limit of the profile, or split the work item";
    Some(finding(Code::RootCut, place(&section.source, None), message, help))
}

/// Returns the texts whose ends the budget cuts off: `root.issue` for the root's text, and the paths of decisions in force.
pub fn cut_ends(pack: &Pack) -> Vec<String> {
    let is_in_force = |status: &String| decision_state(status) == DecisionState::InForce;
    let ends_with_mark = |section: &&Section| section.content.lines().last().is_some_and(is_omission_mark);
    let name = |section: &Section| match &section.source.path {
        _ if section.id == ROOT => Some(ROOT.to_owned()),
        path => path.clone().filter(|_| section.metadata.status.as_ref().is_some_and(is_in_force)),
    };
    let texts = pack.sections.iter().filter(|section| section.id == ROOT || section.kind == section_kind::ADR_EXCERPT);
    texts.filter(ends_with_mark).filter_map(name).collect()
}

/// Returns the finding about a decision that the root rests on and that is not made yet.
fn undecided(section: &Section) -> Option<Diagnostic> {
    let status = section.metadata.status.as_deref().filter(|_| section.kind == section_kind::ADR_EXCERPT)?;
    (decision_state(status) == DecisionState::Open).then_some(())?;
    let evidence = section.metadata.evidence.as_ref().map(|evidence| evidence.at.as_str());
    let name = section.source.path.as_deref().unwrap_or(&section.id);
    let message = format!("`{name}` is not decided yet: its status is {status}");
    Some(Diagnostic::new(Code::ProposedAdr, evidence.and_then(stated_at), message).help("decide it first"))
}

/// Returns the findings about blockers that are not known to be done.
fn blockers(edges: &Section) -> Vec<Diagnostic> {
    let edges = edges.metadata.edges.iter().flatten();
    let waits = edges.filter(|edge| matches!(edge.relation.as_str(), "blocked_by" | "depends_on"));
    let open = waits.filter(|edge| matches!(edge.state.as_str(), "open" | "unknown"));
    open.map(|edge| {
        let title = if edge.title.is_empty() { String::new() } else { format!(" ({})", edge.title) };
        let state = if edge.state == "open" { "is open" } else { "is not known to be done" };
        let link = if stated_at(&edge.at).is_none() { format!(", by {}", edge.at) } else { String::new() };
        let message = format!("`{}`{title} {state}, and the work waits for it{link}", edge.to);
        let help = "finish it first, or remove the relation if the work can start without it";
        finding(Code::OpenBlocker, stated_at(&edge.at), message, help)
    })
    .collect()
}

/// Returns a warning of the pack that keeps an agent from starting.
fn warned(warning: &Warning) -> Option<Diagnostic> {
    let (code, help) = STOPPING.into_iter().find(|(code, _)| code.name() == warning.code)?;
    let line = warning.source.as_ref().and_then(|source| source.lines).map(|[first, _]| first);
    let at = warning.source.as_ref().and_then(|source| place(source, line));
    Some(Diagnostic::new(code, at, warning.message.clone()).help(help))
}

impl BodyLines<'_> {
    /// Returns the line of the file that a line of a section's content is, counted from 1: among equal lines the one with
    /// as many before it. `None` if the file has no such line.
    fn line_of(self, content: &str, line: u32) -> Option<u64> {
        let index = line.checked_sub(1)? as usize;
        let wanted = content.lines().nth(index)?;
        let earlier = content.lines().take(index).filter(|line| *line == wanted).count();
        let mut same = (u64::from(self.first)..).zip(self.text.lines()).filter(|(_, line)| *line == wanted);
        let (first, _) = same.next()?;
        Some(same.take(earlier).last().map_or(first, |(line, _)| line))
    }
}

/// Returns a place in the file of a source, by default its first line.
fn place(source: &SectionSource, line: Option<u64>) -> Option<Place> {
    let path = RepoPath::new(source.path.as_deref()?).ok()?;
    let line = line.or_else(|| source.lines.map(|[first, _]| first));
    Some(Place { path, line: line.and_then(|line| u32::try_from(line).ok()), column: None })
}

/// Returns the place that evidence names, as `path:line`; `None` if it is the address of a page.
fn stated_at(at: &str) -> Option<Place> {
    let (path, line) = at.rsplit_once(':')?;
    Some(Place::line(RepoPath::new(path).ok()?, line.parse().ok()?))
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    #[derive(serde::Deserialize)]
    struct Cases {
        questions: Vec<Lines>,
        placeholders: Vec<Lines>,
        criteria: Vec<(String, bool)>,
        empty: Vec<(String, bool)>,
    }

    #[derive(serde::Deserialize)]
    struct Lines {
        text: String,
        lines: Vec<u32>,
    }

    #[test]
    fn texts_leave_open_what_the_cases_list() {
        let all: Cases = serde_yaml::from_str(include_str!("../../tests/cases/ready.yml")).unwrap();
        let lines = |found: Vec<(u32, String)>| found.into_iter().map(|(line, _)| line).collect::<Vec<_>>();
        for Lines { text, lines: expected } in &all.questions {
            assert_eq!(lines(RootText::read(text).questions()), *expected, "{text}");
        }
        for Lines { text, lines: expected } in &all.placeholders {
            assert_eq!(lines(RootText::read(text).placeholders()), *expected, "{text}");
        }
        for (text, expected) in &all.criteria {
            assert_eq!(!criteria::criteria_in(text, "").is_empty(), *expected, "{text}");
        }
        for (text, expected) in &all.empty {
            assert_eq!(RootText::read(text).is_empty(), *expected, "{text}");
        }
    }
}
