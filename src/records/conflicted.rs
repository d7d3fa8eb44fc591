//! Files that git could not merge: both sides are read, so that it is known which items they hold.

use super::formats::{KEPT, Parsed};
use super::item::Item;
use crate::markdown::front_matter::front_matter;
use crate::model::{Code, Diagnostic, Place, RepoPath, Severity, conflict_line, conflict_sides};
use std::collections::{HashMap, HashSet};

/// Reads the items of a file with `read`. If their records have conflict markers, those that differ between the two sides are
/// damaged.
///
/// Markers in the text of a Markdown file damage no record.
pub(super) fn items(path: &RepoPath, text: &str, read: &dyn Fn(&str) -> Parsed) -> Parsed {
    let Some(line) = conflict_line(text) else { return read(text) };
    let is_markdown = matches!(path.extension().to_ascii_lowercase().as_str(), "md" | "markdown" | "mdx");
    let mut sides = conflict_sides(text);
    if is_markdown {
        if !sides.iter().any(|side| line <= front_matter_lines(side)) {
            return read(text);
        }
        // A front matter begins on the first line.
        sides = sides.map(|side| side.trim_start_matches('\n').to_owned());
    }
    let [ours, theirs] = sides.map(|side| read(&side));
    let in_theirs: HashMap<&str, &Item<String>> = theirs.items.iter().map(|item| (item.id.as_str(), item)).collect();
    let is_whole = |item: &Item<String>| {
        let other = in_theirs.get(item.id.as_str());
        !is_markdown
            && other.is_some_and(|other| item.head.trim() == other.head.trim() && item.body.text == other.body.text)
    };
    let (whole, differing): (Vec<_>, Vec<_>) = ours.items.iter().cloned().partition(is_whole);
    let ids: HashSet<String> = whole.iter().map(|item| item.id.clone()).collect();
    let others = theirs.items.iter().filter(|item| !ids.contains(&item.id)).cloned();
    let salvaged = ours.damaged.into_iter().chain(theirs.damaged).map(|(item, _)| item);
    let mut damaged: Vec<Item<String>> = Vec::new();
    let mut places: HashMap<String, usize> = HashMap::new();
    for item in differing.into_iter().chain(others).chain(salvaged) {
        let place = *places.entry(item.id.clone()).or_insert(damaged.len());
        match damaged.get_mut(place) {
            // The relations of both sides may hold.
            Some(known) => known.relations.extend(item.relations),
            None => damaged.push(item),
        }
    }
    let what = if is_markdown {
        "the item cannot be read: its front matter has conflict markers"
    } else {
        "the items cannot be read: the file has conflict markers"
    };
    let fault = Diagnostic::new(Code::InvalidItem, Some(Place::line(path.clone(), line)), what);
    let mut fault = fault.help(format!("resolve the conflict, then `git add` the file; {KEPT}"));
    fault.severity = Severity::Error;
    fault.about = damaged.iter().map(|item| item.id.clone()).collect();
    let of_whole =
        |diagnostic: &Diagnostic| !diagnostic.about.is_empty() && diagnostic.about.iter().all(|id| ids.contains(id));
    let mut diagnostics = vec![fault];
    diagnostics.extend(ours.diagnostics.into_iter().filter(of_whole));
    Parsed { items: whole, damaged: damaged.into_iter().map(|item| (item, 0)).collect(), diagnostics }
}

/// Returns the number of the last line of the front matter of one side, blank lines above it included; 0 without one.
fn front_matter_lines(side: &str) -> u32 {
    let text = side.trim_start_matches('\n');
    let above = u32::try_from(side.len() - text.len()).unwrap_or(u32::MAX);
    front_matter(text).map_or(0, |found| above.saturating_add(found.body_line - 1))
}
