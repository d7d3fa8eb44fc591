//! The references of an item to ADRs by their numbers, their names and pages of generated sites.

use super::paths::{FileMention, PathSource};
use super::{PathBase, ReferenceSearch};
use crate::graph::file_references::{Absence, FileKind, ShownPlace};
use crate::graph::files::{is_listed, is_usual};
use crate::graph::link::number;
use crate::graph::locate::Location;
use crate::graph::names::last;
use crate::mentions::adr_number;
use crate::model::{RepoPath, has_document_extension, is_typographic_hyphen};
use crate::redact::{Clean, CleanBuf};

const MAX_RANGE: u64 = 100;

pub(super) struct AdrNumber {
    written: Clean,
    at: ShownPlace,
    is_tracked: bool,
}

impl ReferenceSearch<'_> {
    pub(super) fn add_number(&mut self, number: u64, at: &ShownPlace, written: impl FnOnce() -> Clean) {
        let is_tracked = self.base_kind != PathBase::File;
        self.numbers.entry(number).or_insert_with(|| AdrNumber { written: written(), at: at.clone(), is_tracked });
    }

    /// Adds the number of an ADR in a text.
    pub(super) fn add_adr_mention(&mut self, mention: &FileMention<'_>) {
        let new = |number: &u64| mention.reference.foreign.is_none() && !self.numbers.contains_key(number);
        let Some(number) = number(&mention.reference.target).filter(new) else { return };
        let count = self.index.adrs_numbered(number).len();
        match mention.reference.link.as_deref().map(|link| self.locator.locate(link, mention.base)) {
            // The link is a reference of its own and takes precedence; a missing target is reported for it.
            Some(Location::Foreign | Location::File { .. } | Location::UnknownRepo | Location::Denied) => return,
            Some(Location::Absent(_)) if count == 0 => return,
            _ => {}
        }
        // One that is found needs no quotation.
        let quotation = if count == 1 {
            None
        } else {
            let spelled = ["ADR-", "ADR ", "ADR", "adr-"].map(|adr| format!("{adr}{}", mention.reference.target));
            mention.quotation.find(&spelled.each_ref().map(String::as_str))
        };
        self.add_number(number, mention.at, || quotation.unwrap_or_else(|| name_of(number)));
    }

    /// Adds the ADRs that there are between two numbers: `ADR-001 through ADR-004`.
    pub(super) fn add_adrs_between(&mut self, mention: &FileMention<'_>) {
        let ends =
            mention.reference.target.split_once('-').and_then(|(first, last)| Some((number(first)?, number(last)?)));
        let Some((first, last)) = ends.filter(|_| mention.reference.foreign.is_none()) else { return };
        if last.saturating_sub(first) > MAX_RANGE {
            return;
        }
        for number in (first + 1..last).filter(|number| !self.index.adrs_numbered(*number).is_empty()) {
            self.add_number(number, mention.at, || name_of(number));
        }
    }

    /// Adds the files of all numbers, unless paths lead to them already.
    pub(super) fn resolve_numbers(&mut self) {
        for (number, AdrNumber { written, at, is_tracked }) in std::mem::take(&mut self.numbers) {
            let all = self.index.adrs_numbered(number);
            if all.iter().any(|path| self.collected.contains(path)) {
                continue;
            }
            let files = if is_tracked { self.lookup.tracked } else { self.lookup.files };
            let existing: Vec<&RepoPath> = all.iter().filter(|path| files.has(path)).collect();
            match &existing[..] {
                [] => self.collected.add_missing(FileKind::Adr, written, Absence::NotInRepo, &at),
                [one] => self.collected.add_file((*one).clone(), None, true, &at),
                many => self.collected.add_missing(FileKind::Adr, written, Absence::Ambiguous(many), &at),
            }
        }
    }

    /// Adds the ADR that a path of a generated site names: `/adr/27`, `/adr/0027-use-x`.
    pub(super) fn add_site_adr(&mut self, path: &str, source: PathSource, at: &ShownPlace) -> bool {
        let path = path.trim_end_matches('/');
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        if source.is_in_passing() || !is_adr_folder(last(folder)) || has_document_extension(name) {
            return false;
        }
        let adrs = match number(name) {
            Some(number) => self.index.adrs_numbered(number),
            None => self.index.adrs_named(name),
        };
        let [one] = adrs else { return false };
        let exists = self.locator.files.has(one);
        if exists {
            self.collected.add_file(one.clone(), None, true, at);
        }
        exists
    }

    pub(super) fn known_adr(&self, name: &str) -> Option<RepoPath> {
        match self.index.adrs_named(name) {
            [one] if self.locator.files.has(one) && !is_usual(name) => Some(one.clone()),
            _ => None,
        }
    }

    /// Returns whether the names of a path's file and folder are those of an ADR.
    pub(super) fn is_like_adr(&self, path: &str) -> bool {
        let path = path.split(['#', '?']).next().unwrap_or_default();
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        let is_numbered = || adr_number(name).is_some();
        is_adr_folder(last(folder)) && has_document_extension(name)
            || (self.index.holds_adrs(last(folder)) || name.to_ascii_lowercase().starts_with("adr")) && is_numbered()
    }
}

/// Returns the number of a value that is only the name of an ADR: `ADR-0012`, `adr 12`.
pub(super) fn adr_token(value: &str) -> Option<u64> {
    let (_, rest) = value.split_at_checked(3).filter(|(head, _)| head.eq_ignore_ascii_case("adr"))?;
    number(rest.trim_start_matches(['-', '_', ' ', '#', ':']).trim_start_matches(is_typographic_hyphen))
}

fn name_of(number: u64) -> Clean {
    CleanBuf::new().lit("ADR-").number(number).finish()
}

fn is_adr_folder(name: &str) -> bool {
    is_listed("adr_folder", &name.to_ascii_lowercase())
}
