//! Fetching of the lines that issues name by URLs of commits, as they were there.
//!
//! A file at a commit never changes, so what the snapshot has is not asked for again.

use super::address::percent_encode;
use super::client::ApiAnswer;
use super::sync::SyncEngine;
use super::{Ask, IssueKey, SyncError};
use crate::mentions::lines_of_target;
use crate::model::{RepoPath, SnapshotCode, SnapshotIssue, has_document_extension, percent_decoded};
use std::collections::{BTreeMap, BTreeSet};

const MOST_REFERENCES: usize = 20;
const MOST_LINES: u32 = 400;
const LARGEST_FILE: usize = 1 << 20;
/// The most files that a run holds at a time.
const MOST_FILES: usize = 64;
const LONGEST_URL: usize = 4096;

/// Returns the lines of an issue's record that `named` names.
fn kept<'i>(issue: &'i SnapshotIssue, named: &SnapshotCode) -> Option<&'i SnapshotCode> {
    let place = |code: &SnapshotCode| (code.path.clone(), code.commit.clone(), code.first, code.last);
    issue.code.iter().find(|code| place(code) == place(named))
}

fn request(repo: &str, named: &SnapshotCode) -> String {
    let parts: Vec<String> = named.path.split('/').map(percent_encode).collect();
    format!("/repos/{repo}/contents/{}?ref={}", parts.join("/"), named.commit)
}

impl SyncEngine<'_> {
    /// Returns the requested issues and their parents, which coding packs follow too.
    fn issues_with_code(&mut self) -> Result<BTreeSet<IssueKey>, SyncError> {
        let wanted: Vec<IssueKey> = self.run.wanted.iter().cloned().collect();
        let mut keys = BTreeSet::new();
        for key in wanted {
            if let Some(issue) = self.files.read(&key)? {
                let parents = issue.relations.parent.issues.iter();
                keys.extend(parents.map(|parent| IssueKey::new(&parent.repo, parent.number)));
            }
            keys.insert(key);
        }
        keys.retain(|key| !self.run.coded.contains(key));
        Ok(keys)
    }

    /// Returns whether a file is asked for: one that was not there is, only for issues that are named.
    fn asks_for(&self, request: &str) -> bool {
        !self.request.roots.is_empty() || !self.state.no_code.contains(request)
    }

    /// Returns the lines that an issue's texts name, sorted and without their text: its body, and the comments of those who have a
    /// role in the repo.
    fn lines_named_by(&self, issue: &SnapshotIssue) -> Vec<SnapshotCode> {
        let comments = issue.comments.items.iter();
        let comments =
            comments.filter(|comment| comment.trust == "trusted" && !comment.author.bot && !comment.minimized);
        let texts = issue.body.iter().chain(comments.map(|comment| &comment.body));
        let mut found: Vec<SnapshotCode> = Vec::new();
        for (path, named) in texts.flat_map(|text| named_lines(text, &self.setting.host, &self.setting.repo)) {
            if found.len() < MOST_REFERENCES && !found.contains(&named) && !self.setting.denied.denies(&path) {
                found.push(named);
            }
        }
        found.sort();
        found
    }

    pub(super) fn commit_lines(&mut self) -> Result<(), SyncError> {
        let keys = self.issues_with_code()?;
        let of = keys.len() as u64;
        // One file may be named by several issues.
        let mut files: BTreeMap<String, String> = BTreeMap::new();
        for (done, key) in keys.into_iter().enumerate() {
            let Some(mut issue) = self.files.read(&key)? else { continue };
            let named = self.lines_named_by(&issue);
            if !named.is_empty() {
                self.client.progress("lines at commits", done, of);
            }
            let (mut code, mut complete) = (Vec::new(), true);
            for named in named {
                if let Some(known) = kept(&issue, &named) {
                    code.push(known.clone());
                    continue;
                }
                let request = request(&self.setting.repo, &named);
                let lines = format!("{request}#{}-{}", named.first, named.last);
                if !self.asks_for(&request) || !self.asks_for(&lines) {
                    continue;
                }
                match self.file_at_commit(&request, &key, &mut files)? {
                    Some(text) => match self.convert.scrubber.lines(text, &named) {
                        Some(text) => code.push(SnapshotCode { text, ..named }),
                        None => drop(self.state.no_code.insert(lines)),
                    },
                    None => complete &= self.state.no_code.contains(&request),
                }
            }
            code.sort();
            if issue.code != code {
                issue.code = code;
                self.files.write(&issue)?;
            }
            if complete {
                self.run.coded.insert(key);
            }
            self.save()?;
        }
        Ok(())
    }

    /// Returns a file at a commit; `None` if it failed, or there is no such text.
    fn file_at_commit<'f>(
        &mut self,
        request: &str,
        key: &IssueKey,
        files: &'f mut BTreeMap<String, String>,
    ) -> Result<Option<&'f str>, SyncError> {
        if !files.contains_key(request) {
            let answer = self.client.request(request, Ask::File);
            let Some(answer) = self.tolerate(answer, || format!("code of `{key}` at a commit"))? else {
                return Ok(None);
            };
            let text = match answer {
                ApiAnswer::Page(page) => page.value.as_str().map(str::to_owned),
                _ => None,
            };
            let Some(text) = text.filter(|text| text.len() <= LARGEST_FILE && !text.contains('\0')) else {
                self.state.no_code.insert(request.to_owned());
                return Ok(None);
            };
            self.state.no_code.remove(request);
            // Several issues may name a file; what is forgotten is asked for again.
            if files.len() >= MOST_FILES {
                files.clear();
            }
            files.insert(request.to_owned(), text);
        }
        Ok(files.get(request).map(String::as_str))
    }
}

/// Returns the lines that URLs of files of `repo` at a commit name, in their order: no branches, no documents.
fn named_lines(text: &str, host: &str, repo: &str) -> Vec<(RepoPath, SnapshotCode)> {
    let site = format!("://{host}/{repo}/blob/");
    let fits = |start: usize| {
        let before = start.checked_sub(site.len())?;
        text.get(before..start).filter(|part| part.eq_ignore_ascii_case(&site))
    };
    let ends = text.match_indices("/blob/").map(|(at, part)| at + part.len());
    ends.filter(|start| fits(*start).is_some()).filter_map(|start| read_lines(&text[start..])).collect()
}

/// Reads `<sha>/<path>#L1-L2` at the beginning of a text.
fn read_lines(rest: &str) -> Option<(RepoPath, SnapshotCode)> {
    let window = &rest[..rest.floor_char_boundary(LONGEST_URL.min(rest.len()))];
    let end = window.find(|c: char| c.is_whitespace() || "<>\"'`|\\^{}[])".contains(c)).unwrap_or(window.len());
    let url = window[..end].trim_end_matches(['.', ',', ';', ':', '!', '*', '_']);
    let (sha, rest) = url.split_once('/')?;
    if sha.len() != 40 || !sha.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    let [lines] = lines_of_target(rest)[..] else { return None };
    let path = rest.split(['#', '?']).next().unwrap_or_default();
    let path = percent_decoded(path).unwrap_or_else(|| path.to_owned());
    let path = RepoPath::new(path.trim_end_matches(['/', '.'])).ok().filter(|path| !path.as_str().is_empty())?;
    let wanted = !has_document_extension(path.name()) && lines.last - lines.first < MOST_LINES;
    let (first, last) = (lines.first, lines.last);
    let (file, commit) = (path.as_str().to_owned(), sha.to_ascii_lowercase());
    wanted.then(|| (path, SnapshotCode { path: file, commit, first, last, text: String::new() }))
}
