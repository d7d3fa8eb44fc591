//! Finds packs by their hashes, in the folders of packs, among delivered packs and in every version that git still has, and
//! compares them with what a build gives now.

use super::ReadPack;
use crate::cli::delivery::{self, DeliveryLine};
use crate::cli::packs::{OpenedRepository, PackKey};
use crate::config::Strategy;
use crate::console::Failure;
use crate::engine::{BudgetLimits, BudgetProbe, EngineError, Repository, RootError, lost_its_issue};
use crate::git::{HistoryError, ObjectReader, file_versions, is_in_git, is_shallow};
use crate::init::DELIVERED;
use crate::model::{Diagnostic, RepoPath, Severity, quoted};
use crate::review::{Difference, PackMoves, PackStatus, SalvagedPack, content_hash, difference, limits, salvage};
use crate::seal::Sealed;
use crate::store::Folder;
use crate::wire::{Pack, PackBudget};

/// The folders in which packs are by default, where they may have been before the configuration named another.
const DEFAULTS: [&str; 3] = ["packs", "context-packs", ".contextpack/packs"];

const SHORTEST: usize = 8;

const WHOLE: usize = 64;

#[derive(Debug, Clone)]
pub(super) struct HashPrefix(String);

impl HashPrefix {
    /// Reads `sha256:…`, hex digits, at least eight of them, or the id of a pack, which ends in twelve.
    pub(super) fn read(typed: &str) -> Option<Self> {
        let hex = match typed.strip_prefix("cp_") {
            Some(id) => id.rsplit_once('_')?.1,
            None => typed.strip_prefix("sha256:").unwrap_or(typed),
        };
        let is_hex = hex.bytes().all(|byte| byte.is_ascii_hexdigit());
        (is_hex && (SHORTEST..=WHOLE).contains(&hex.len())).then(|| Self(hex.to_lowercase()))
    }

    /// Returns whether a pack with this hash is meant, written with `sha256:` or without.
    pub(super) fn is_of(&self, hash: &str) -> bool {
        hash.strip_prefix("sha256:").unwrap_or(hash).starts_with(&self.0)
    }

    pub(super) fn text(&self) -> String {
        format!("sha256:{}", self.0)
    }
}

#[derive(Debug, Clone)]
pub(super) struct FoundPack {
    pub(super) bytes: Vec<u8>,
    pub(super) path: String,
    /// The commit whose version of the file it is; `None` for the file as it is on disk.
    pub(super) commit: Option<String>,
}

impl FoundPack {
    fn is_intact(&self) -> bool {
        content_hash(&self.bytes)
            .is_some_and(|digest| stated_hash(&self.bytes).is_some_and(|hex| digest.to_string().ends_with(hex)))
    }
}

/// Looks for the packs that hashes name. Of several files of one pack, that one is taken whose content is what its hash says.
pub(super) fn find(repository: &Repository, read: &mut [ReadPack]) -> Result<(), Failure> {
    let mut search = Search { asked: read.iter_mut().filter(|read| read.hash.is_some()).collect() };
    if search.is_over() {
        return Ok(());
    }
    let folders = folders(repository);
    folders.iter().try_for_each(|folder| search.folder(repository, folder))?;
    if search.is_over() { Ok(()) } else { search.history(repository, &folders) }
}

fn folders(repository: &Repository) -> Vec<RepoPath> {
    let settings = repository.settings();
    let record = settings.context.record.clone();
    let own = [Some(settings.output.dir.clone()), record, settings.handover.packs()];
    let defaults = DEFAULTS.iter().chain([&DELIVERED]).filter_map(|dir| RepoPath::new(dir).ok());
    let mut folders: Vec<RepoPath> = Vec::new();
    for folder in own.into_iter().flatten().chain(defaults) {
        if !folders.contains(&folder) {
            folders.push(folder);
        }
    }
    folders
}

struct Search<'r> {
    asked: Vec<&'r mut ReadPack>,
}

impl Search<'_> {
    fn is_over(&self) -> bool {
        self.asked.iter().all(|read| read.found.as_ref().is_some_and(FoundPack::is_intact))
    }

    fn folder(&mut self, repository: &Repository, dir: &RepoPath) -> Result<(), Failure> {
        // What is no folder of the repo holds none of its packs.
        let Ok(folder) = Folder::open(repository.root(), dir) else { return Ok(()) };
        for name in folder.list()? {
            // A delivered pack is named by its hash.
            let named =
                name.strip_suffix(".json").filter(|stem| stem.len() == WHOLE && HashPrefix::read(stem).is_some());
            if named.is_some_and(|hex| !self.is_asked(hex)) {
                continue;
            }
            match folder.read(&name) {
                Ok(Some(bytes)) => self.look(bytes, &format!("{dir}/{name}"), None),
                Ok(None) => {}
                Err(error) if error.is_too_large() => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }

    /// Looks at every version of the files in these folders that git has, the newest first.
    fn history(&mut self, repository: &Repository, folders: &[RepoPath]) -> Result<(), Failure> {
        let dirs: Vec<&str> = folders.iter().map(RepoPath::as_str).collect();
        let versions = match file_versions(repository.root(), &dirs) {
            Ok(versions) => versions,
            Err(HistoryError::NoRepository) => return Ok(()),
            Err(error) => return Err(error.into()),
        };
        if versions.is_empty() {
            return Ok(());
        }
        let mut history = ObjectReader::open(repository.root())?;
        for version in versions {
            let bytes = match history.blob(&version.blob) {
                Ok(Some(bytes)) => bytes,
                // A partial clone has not all, and what is too large is no pack.
                Ok(None) | Err(HistoryError::TooLarge(_)) => continue,
                Err(error) => return Err(error.into()),
            };
            self.look(bytes, &version.path, Some(&version.commit));
            if self.is_over() {
                break;
            }
        }
        Ok(())
    }

    fn is_asked(&self, hex: &str) -> bool {
        self.asked.iter().any(|read| read.names(hex))
    }

    fn look(&mut self, bytes: Vec<u8>, path: &str, commit: Option<&str>) {
        let Some(hex) = stated_hash(&bytes).map(str::to_owned).filter(|hex| self.is_asked(hex)) else { return };
        let pack = FoundPack { bytes, path: path.to_owned(), commit: commit.map(str::to_owned) };
        for read in self.asked.iter_mut().filter(|read| read.names(&hex)) {
            read.candidates.insert(hex.clone());
            if read.found.as_ref().is_none_or(|old| !old.is_intact() && pack.is_intact()) {
                read.found = Some(pack.clone());
            }
        }
    }
}

/// Returns the hash that a pack states, in hex digits, without reading all of it: its content escapes quotation marks, so that the
/// first such name is the field.
pub(super) fn stated_hash(bytes: &[u8]) -> Option<&str> {
    let at = memchr::memmem::find(bytes, b"\"hash\":")?;
    let value = bytes.get(at + 7..)?.trim_ascii_start().strip_prefix(b"\"sha256:")?;
    let hex = std::str::from_utf8(value.get(..WHOLE)?).ok()?;
    let is_hex = hex.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte));
    (is_hex && value.get(WHOLE) == Some(&b'"')).then_some(hex)
}

/// A pack that was read, compared with a build. All texts are redacted by the rules of today.
#[derive(Debug, Clone, Default)]
pub(super) struct Compared {
    pub(super) status: PackStatus,
    pub(super) reasons: Vec<String>,
    pub(super) old: SalvagedPack,
    pub(super) new: Option<Pack>,
    pub(super) moves: PackMoves,
    pub(super) diagnostics: Vec<Diagnostic>,
}

impl Compared {
    fn ended(mut self, status: PackStatus, reason: String) -> Self {
        self.status = status;
        self.reasons.push(reason);
        self
    }
}

/// A pack, whether such packs have other limits now, and what is wrong with the inputs.
type RebuiltPack = (Option<Sealed>, bool, Vec<Diagnostic>);

impl OpenedRepository<'_> {
    pub(super) fn compare(&self, found: &FoundPack) -> Result<Compared, Failure> {
        let project = &self.project;
        let clean = |text: String| project.without_secrets(&text);
        let mut old = salvage(&found.bytes);
        old.faults = old.faults.into_iter().map(clean).collect();
        let read = old.pack.clone();
        old.pack = read.as_ref().map(|pack| project.scrubbed(pack));
        let mut compared = Compared {
            // What is no pack was not edited either.
            status: if read.is_some() { PackStatus::Edited } else { PackStatus::Invalid },
            reasons: old.faults.clone(),
            old,
            ..Compared::default()
        };
        let Some(pack) = &read else { return Ok(compared) };
        let name = PackKey::of(pack).root;
        let root = match name.as_deref().map(|name| self.root_now(pack, name)).transpose()?.transpose() {
            Ok(root) => root,
            Err((status, reason)) => return Ok(compared.ended(status, clean(reason))),
        };
        if let Some((name, root)) = name.as_ref().zip(root.as_ref()).filter(|(name, root)| name != root) {
            compared.reasons.push(clean(format!("`{name}` is `{root}` now")));
        }
        let (sealed, has_other_limits, diagnostics) = match self.probe_again(pack, root) {
            Ok(probe) => self.build_within(&probe, &pack.budget)?,
            // Its profile, agent, job or handover is gone.
            Err(Failure::Usage(why) | Failure::Input(why)) => {
                return Ok(compared.ended(PackStatus::Orphaned, clean(why)));
            }
            Err(failure) => return Err(failure),
        };
        compared.diagnostics = diagnostics;
        let Some(sealed) = sealed else {
            let errors = compared.diagnostics.iter().filter(|fault| fault.severity == Severity::Error);
            compared.reasons.extend(errors.map(|error| error.message.clone()));
            return Ok(Compared { status: PackStatus::Failed, ..compared });
        };
        if has_other_limits {
            let note = "its limits are not the configured ones, and it is compared within its own";
            compared.reasons.push(note.to_owned());
        }
        let (status, reasons) = self.state(&compared, found, &sealed);
        compared.status = status;
        compared.reasons.extend(reasons.into_iter().map(clean));
        let new = project.scrubbed(sealed.pack());
        if let Some(old) = compared.old.pack.as_ref().filter(|_| status != PackStatus::Fresh) {
            compared.moves = PackMoves::between(old, &new, &|name| project.has(name));
        }
        Ok(Compared { new: Some(new), ..compared })
    }

    fn state(&self, compared: &Compared, found: &FoundPack, sealed: &Sealed) -> (PackStatus, Vec<String>) {
        let now = sealed.pack();
        let has_its_hash = || content_hash(&found.bytes).is_some_and(|digest| digest.to_string() == now.hash);
        if sealed.is_unchanged(&found.bytes) || has_its_hash() {
            (PackStatus::Fresh, Vec::new())
        } else if lost_its_issue(&found.bytes, now) {
            (PackStatus::Unverifiable, vec!["its issue is not in the snapshot: run `contextpack sync`".to_owned()])
        } else if compared.old.faults.is_empty() {
            match difference(&found.bytes, now, &|name| self.project.has(name)) {
                Difference::Stale(reasons) => (PackStatus::Stale, reasons),
                Difference::Edited(reasons) => (PackStatus::Edited, reasons),
            }
        } else {
            (PackStatus::Edited, Vec::new())
        }
    }

    /// Returns the name that the root of a pack has now, or a status and its reason if there is none. An item that has another id now
    /// is in the same file, or claims the same issue.
    fn root_now(&self, pack: &Pack, name: &str) -> Result<Result<String, (PackStatus, String)>, Failure> {
        let found = |typed: &str| self.find_roots(&[typed.to_owned()]);
        let error = match found(name) {
            Ok(_) => return Ok(Ok(name.to_owned())),
            Err(EngineError::Root(error)) => error,
            Err(error) => return Err(error.into()),
        };
        let of_root = pack.inputs.iter().filter(|input| input.kind == "work_item" && input.id.as_deref() == Some(name));
        let paths = of_root.filter_map(|input| input.path.as_deref());
        for other in paths.chain(pack.root.issue_url.as_deref().filter(|url| *url != name)) {
            if let Ok([item]) = found(other).as_deref() {
                return Ok(Ok(self.project.item(*item).id.to_string()));
            }
        }
        Ok(Err(match error {
            RootError::Issue(_) => (PackStatus::Unverifiable, error.to_string()),
            // A similar id is no help to who did not type this one.
            RootError::Unknown { .. } => (PackStatus::Orphaned, format!("there is no item `{name}` any more")),
            error => (PackStatus::Orphaned, error.to_string()),
        }))
    }

    /// Builds within the limits of an older pack.
    fn build_within(&self, probe: &BudgetProbe<'_, '_>, budget: &PackBudget) -> Result<RebuiltPack, Failure> {
        let (sealed, report) = probe.report(self.repository.files(), probe.limits)?;
        let has_limit = budget.max_chars.or(budget.max_bytes).or(budget.max_tokens).is_some();
        // A pack of which no limit could be read has those of today.
        if !has_limit || sealed.as_ref().is_some_and(|sealed| limits(&sealed.pack().budget) == limits(budget)) {
            return Ok((sealed, false, report.diagnostics));
        }
        let strategies = [Strategy::TruncateTail, Strategy::DropLowPriority, Strategy::Both];
        let PackBudget { max_chars, max_bytes, max_tokens, .. } = *budget;
        let strategy = strategies.into_iter().find(|strategy| strategy.name() == budget.strategy);
        let margin = budget.margin.and_then(|margin| u8::try_from(margin).ok()).filter(|margin| *margin <= 90);
        let own = BudgetLimits { max_chars, max_bytes, max_tokens, strategy, margin };
        let (sealed, report) = probe.report(self.repository.files(), own)?;
        Ok((sealed, true, report.diagnostics))
    }
}

/// Returns why there is nothing to compare: the packs that hashes name are neither in files nor in git, but may be in the record.
pub(super) fn missing(now: &OpenedRepository<'_>, hash: Option<&HashPrefix>) -> Result<Compared, Failure> {
    let Some(hash) = hash else {
        let reason = "it is no hash of a pack: `contextpack render ITEM --trailer` prints the trailer";
        return Ok(Compared { status: PackStatus::Missing, reasons: vec![reason.to_owned()], ..Compared::default() });
    };
    let (root, settings) = (now.repository.root(), now.repository.settings());
    let folders = folders(now.repository).into_iter().map(|dir| dir.to_string());
    let folders: Vec<String> =
        folders.filter(|dir| dir == settings.output.dir.as_str() || root.join(dir).is_dir()).collect();
    let history = if is_in_git(root) { ", nor any version of them that git has" } else { "" };
    let mut reasons = vec![format!("no file in {} holds it{history}", quoted(&folders))];
    let lines = delivery::log(now.repository)?.map(|log| log.lines).unwrap_or_default();
    reasons.extend(lines.iter().rfind(|line| hash.is_of(&line.hash)).map(|DeliveryLine { at, key, .. }| {
        let whom = key.agent.as_ref().map(|agent| format!(" to `{agent}`")).unwrap_or_default();
        let root = key.root.as_ref().map(|root| format!(" for `{root}`")).unwrap_or_default();
        format!("the record has it: built {at} and delivered{whom}{root}, and its file there is gone")
    }));
    let next = if is_shallow(root) {
        "this clone is shallow: `git fetch --unshallow` gets the older packs"
    } else if settings.commits_packs() {
        "name the file that was read, or fetch the branch that has it; `contextpack render --record` keeps a pack that is not committed"
    } else {
        "packs are not committed here: name the file that was read; `contextpack render --record` keeps each pack that it prints"
    };
    reasons.push(next.to_owned());
    let reasons = reasons.iter().map(|reason| now.project.without_secrets(reason)).collect();
    Ok(Compared { status: PackStatus::Missing, reasons, ..Compared::default() })
}
