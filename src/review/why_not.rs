//! The answer to "where is this in the pack, or why is it missing?".

use crate::render;
use crate::wire::{Pack, PackOmission, SectionSource};
use serde::Serialize;

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct WhyNot {
    pub asked: String,
    pub answer: String,
    pub section: Option<String>,
    pub message: String,
    pub help: Option<String>,
    pub chars: Option<u64>,
    pub needs: Option<u64>,
}

impl WhyNot {
    /// Creates an answer about something that has no section.
    pub fn new(asked: &str, answer: &str, message: impl Into<String>, help: impl Into<String>) -> Self {
        let (asked, answer) = (asked.to_owned(), answer.to_owned());
        Self { asked, answer, message: message.into(), help: Some(help.into()), ..Self::default() }
    }

    /// Replaces each text by what `clean` makes of it: what was asked for may be a path with a token in it.
    #[must_use]
    pub fn cleaned(self, clean: fn(&str) -> String) -> Self {
        let (asked, message, help) = (clean(&self.asked), clean(&self.message), self.help.as_deref().map(clean));
        Self { asked, message, help, ..self }
    }
}

/// Returns why a document is relevant: the words that it shares with the work, and its place by meaning.
pub fn relevance(words: &str, meaning: Option<u64>) -> String {
    match meaning {
        None => words.to_owned(),
        Some(place) => format!("{words}{}number {place} by meaning", if words.is_empty() { "" } else { "; " }),
    }
}

/// Returns what a pack records about a path, id or URL with any of `names`; `None` if it does not mention any.
pub fn why_not(pack: &Pack, asked: &str, names: &[String]) -> Option<WhyNot> {
    let is = |id: &str, source: &SectionSource| {
        let parts = [
            Some(id),
            id.split_once('.').map(|(_, rest)| rest),
            source.id.as_deref(),
            source.path.as_deref(),
            source.url.as_deref(),
        ];
        parts.into_iter().flatten().any(|part| names.iter().any(|name| part == name || without_place(part) == name))
    };
    let answer = |answer: &str, message: String, help: &str| Some(WhyNot::new(asked, answer, message, help));
    let shown = pack.sections.iter().filter(|section| is(&section.id, &section.source));
    // An item's own section takes precedence over the root's list of relations.
    if let Some(section) = shown.min_by_key(|section| section.id == "root.edges") {
        let metadata = &section.metadata;
        let smaller = metadata.full_chars.map(|full| format!(" of {full}")).unwrap_or_default();
        let why = match (&*section.provenance, metadata.rank) {
            ("pinned", _) => ", since it is pinned".to_owned(),
            ("relevant", Some(rank)) => {
                let why = relevance(&metadata.matched.as_deref().unwrap_or_default().join(", "), metadata.meaning);
                format!(", as number {rank} of the relevant documents ({why})")
            }
            _ => String::new(),
        };
        let message = format!(
            "it is in, as `{}`: {}, {}{smaller} characters, from {}{why}",
            section.id,
            metadata.detail,
            metadata.chars,
            render::place(&section.source)
        );
        let help = metadata.full_chars.map(|_| "a larger budget gives it more room".to_owned());
        let (section, chars) = (Some(section.id.clone()), Some(metadata.chars));
        return answer("in", message, "").map(|answer| WhyNot { section, chars, help, ..answer });
    }
    let written = |omission: &&PackOmission| {
        let path = omission.source.path.as_deref();
        path.is_some_and(|path| names.iter().any(|name| may_mean(path, name, omission.reason == "ambiguous")))
    };
    let omitted = pack.omissions.iter().find(|omission| is(&omission.id, &omission.source));
    if let Some(omission) = omitted.or_else(|| pack.omissions.iter().find(written)) {
        let (words, help) = match reason(&omission.reason) {
            _ if omission.reason == "limit" && omission.id.starts_with("code.") => {
                ("the item names more files than a pack takes", "name fewer files in one item")
            }
            _ if omission.reason == "limit" && omission.provenance == "pinned" => (
                "there are more pinned documents than a pack takes",
                "raise `context.pinned`, or give it a higher `weight`",
            ),
            known => known,
        };
        let message = format!("it was left out: {words}");
        let (section, chars) = (Some(omission.id.clone()), omission.chars);
        return answer("left_out", message, help).map(|answer| WhyNot { section, chars, ..answer });
    }
    let mut edges = pack.sections.iter().filter_map(|section| section.metadata.edges.as_ref()).flatten();
    let edge = edges.find(|edge| names.contains(&edge.to))?;
    let relation = &edge.relation;
    let listed = format!("it is listed as `{relation}` among the relations, and");
    if edge.trust.is_some() {
        let message = format!("only authors who are not trusted state that it is `{relation}`");
        return answer("listed", message, "state the relation in the item, or in GitHub's own lists");
    }
    match edge.resolved {
        true => {
            let message = format!("{listed} the profile takes no text of these");
            answer("listed", message, "name the relation under `sections_of` of the profile")
        }
        false => {
            let message = format!("{listed} nothing here describes it");
            answer("listed", message, "run `contextpack sync` for it, or add the item")
        }
    }
}

/// Returns whether a path as a text writes it (`../src/a.rs:12`) may mean the file `name`; one that fits several files
/// is the end of the paths of all.
fn may_mean(written: &str, name: &str, ambiguous: bool) -> bool {
    let path = without_place(written).trim_start_matches("../").trim_start_matches("./").trim_start_matches('/');
    let path = path.split(':').next().unwrap_or(path);
    !path.is_empty() && (path == name || ambiguous && name.strip_suffix(path).is_some_and(|rest| rest.ends_with('/')))
}

/// Returns a path without its anchor.
fn without_place(part: &str) -> &str {
    part.split_once('#').map_or(part, |(path, _)| path)
}

/// The message about a file on the deny list, and its help.
pub const DENIED: (&str, &str) = (
    "its name is one that is never opened",
    "move what is needed into another file, or allow it with `!path` under `redaction.deny_paths`",
);

/// Explains the reason of an omission, and how to change it.
fn reason(reason: &str) -> (&'static str, &'static str) {
    match reason {
        "budget" => ("there was no room for it in the budget", "raise the limit of the profile"),
        "limit" => ("there are more of its kind than the configuration takes", "raise `github.comments`"),
        "profile" => ("the profile takes no such sections", "change the profile in `contextpack.yml`"),
        "denied_path" => DENIED,
        "outside_repo" => ("it lies outside the repo", "move it into the repo"),
        "not_in_repo" => ("there is no such file, or git ignores it", "add the file, or correct the reference"),
        "binary" => ("it is no text", "refer to a text file"),
        "not_utf8" => ("it is not UTF-8", "save it as UTF-8"),
        "git_lfs" => ("it is stored with Git LFS, outside git", "commit it as a plain file"),
        "too_large" => ("it is larger than a file may be", "split it"),
        "ambiguous" => ("the reference fits more than one", "write its path"),
        "policy" => ("the policy leaves it out", "choose another one: `--policy expanded` takes everything"),
        "other_agent" => ("it is a document of another agent", "change its `agent`, or build for that agent"),
        "boilerplate" => (
            "it is boilerplate, such as a licence, and only named in passing",
            "name it in the item's `docs` field or title, or change `boilerplate` in `contextpack.yml`",
        ),
        "low_trust" => ("it was written by somebody outside the repo", "copy what is right into the work item"),
        _ => ("for a reason that this program does not know", "read the pack's `omissions`"),
    }
}
