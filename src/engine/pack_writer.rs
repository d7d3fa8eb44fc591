//! Writes built packs to their files.

use super::{
    BuildJob, BuildReport, Built, IncrementalBuild, OnWritten, Planned, Project, Skip, Unsettled, WrittenPack,
    build_packs, companion,
};
use crate::cache::{CachedPack, FileFingerprint, PackSummary};
use crate::intake::Repo;
use crate::render;
use crate::review::{Difference, difference};
use crate::seal::Sealed;
use crate::store::{Folder, StoreError, WriteResult};

/// Where and how packs are written.
#[derive(Clone, Copy)]
pub struct PackWriter<'a> {
    /// The folder of packs.
    pub folder: &'a Folder,
    /// Whether each pack has a Markdown companion.
    pub companions: bool,
    /// A further folder for Markdown renderings, if any.
    pub markdown: Option<&'a Folder>,
    /// The build that records written packs, if there is a cache.
    pub incremental: Option<&'a IncrementalBuild<'a>>,
    /// Whether to find the reasons why a pack changed, which costs more than building it.
    pub explain: bool,
    /// Called after each written pack.
    pub on_written: Option<OnWritten<'a>>,
}

/// What a build did with a pack.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WriteStatus {
    /// Its file is new or has new content.
    Written,
    /// Its file already had this content, except for the stamp.
    Unchanged,
    /// It could not be built.
    Failed,
    /// Its root or profile is gone, and its file was removed.
    Removed,
}

impl WriteStatus {
    /// Returns the name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Written => "written",
            Self::Unchanged => "unchanged",
            Self::Failed => "failed",
            Self::Removed => "removed",
        }
    }
}

/// The result of a build for one pack.
#[derive(Debug, Clone)]
pub struct WriteOutcome {
    /// What the build did.
    pub status: WriteStatus,
    /// The root's id.
    pub root: String,
    /// The profile.
    pub profile: String,
    /// The file's name.
    pub name: String,
    /// Why it was written, if [`PackWriter::explain`] is set, or why it could not be built or was removed.
    pub reasons: Vec<String>,
    /// Its hash and size, if it was built.
    pub summary: Option<PackSummary>,
    /// The names of files that were written or removed: the pack, its companion.
    pub files: Vec<String>,
}

/// The result of writing all packs of a build.
#[derive(Debug)]
pub struct WriteReport {
    /// The packs, by name.
    pub packs: Vec<WriteOutcome>,
    /// The diagnostics, and whether it is known which packs belong in the folder.
    pub build: BuildReport,
    /// An error of reading or writing a pack, if any.
    pub refused: Option<StoreError>,
}

/// Builds the packs of `job` and writes those that changed; `progress` is called once for each pack, from several
/// threads.
///
/// # Errors
/// If git changed files while they were read; then nothing was written.
pub fn write_packs(
    files: &Repo,
    project: &Project<'_>,
    job: &BuildJob,
    writer: &PackWriter<'_>,
    progress: &(dyn Fn() + Sync),
) -> Result<WriteReport, Unsettled> {
    let skip = writer.incremental.map(|incremental| {
        |plan: &Planned| {
            let unchanged = incremental.unchanged_pack(plan)?;
            progress();
            Some(Ok(unchanged))
        }
    });
    let skip = skip.as_ref().map(|skip| skip as &Skip<'_, _>);
    let (results, build) = build_packs(files, project, job, skip, &|built| {
        let written = writer.write(project, built);
        progress();
        written
    })?;
    let (mut packs, mut refused) = (Vec::new(), None);
    for result in results {
        match result {
            Ok(outcome) => packs.push(outcome),
            Err(error) => drop(refused.get_or_insert(error)),
        }
    }
    packs.sort_by(|a: &WriteOutcome, b| a.name.cmp(&b.name));
    Ok(WriteReport { packs, build, refused })
}

impl WriteOutcome {
    /// Returns the outcome for a pack whose file is current according to the cache.
    pub(super) fn unchanged(name: &str, pack: &CachedPack) -> Self {
        Self {
            status: WriteStatus::Unchanged,
            root: pack.root.clone(),
            profile: pack.profile.clone(),
            name: name.to_owned(),
            reasons: Vec::new(),
            summary: Some(pack.summary.clone()),
            files: Vec::new(),
        }
    }
}

impl PackWriter<'_> {
    /// Writes a pack and its companion, unless only the stamp would change. After an error the old files are untouched.
    fn write(&self, project: &Project<'_>, built: Built) -> Result<WriteOutcome, StoreError> {
        let Built { plan: Planned { root, profile, name, fingerprint, .. }, outcome } = built;
        let root = root.to_string();
        let existing = self.folder.read(&name)?;
        let sealed = match outcome {
            Ok(sealed) => sealed,
            Err(error) => {
                let kept = existing.map(|_| "the old pack was kept".to_owned());
                let reasons = [error.message].into_iter().chain(kept).collect();
                let (status, files) = (WriteStatus::Failed, Vec::new());
                return Ok(WriteOutcome { status, root, profile, name, reasons, summary: None, files });
            }
        };
        let mut files = Vec::new();
        let is_unchanged = existing.as_deref().is_some_and(|existing| sealed.is_unchanged(existing));
        let mut reasons = if is_unchanged { Vec::new() } else { self.reasons(project, existing.as_deref(), &sealed) };
        if !is_unchanged && self.folder.write(&name, sealed.bytes())? == WriteResult::Written {
            files.push(name.clone());
            if let Some(on_written) = self.on_written {
                on_written(WrittenPack { name: &name, before: existing.as_deref(), now: sealed.pack() });
            }
        }
        let needed = self.companions || self.markdown.is_some();
        let rendering = needed.then(|| render::pack(sealed.pack()).whole());
        if let Some((folder, rendering)) = self.markdown.zip(rendering.as_ref()) {
            companion::write(folder, &name, rendering)?;
        }
        let rendering = rendering.filter(|_| self.companions);
        if let Some(rendering) = &rendering
            && let Some(fault) = companion::fault(self.folder, &name, rendering)?
        {
            companion::write(self.folder, &name, rendering)?;
            files.push(companion::name(&name));
            if reasons.is_empty() {
                reasons.push(fault.reason(&name));
            }
        }
        let summary = PackSummary::from(sealed.pack());
        if let (Some(incremental), Some(fingerprint)) = (self.incremental, fingerprint) {
            let bytes = existing.as_deref().filter(|_| is_unchanged).unwrap_or(sealed.bytes());
            let (root, profile, summary) = (root.clone(), profile.clone(), summary.clone());
            let (file, rendering) = (FileFingerprint::new(bytes), rendering.map(FileFingerprint::new));
            incremental.record(&name, CachedPack { root, profile, fingerprint, file, rendering, summary });
        }
        let status = if files.is_empty() { WriteStatus::Unchanged } else { WriteStatus::Written };
        Ok(WriteOutcome { status, root, profile, name, reasons, summary: Some(summary), files })
    }

    /// Returns why a pack is written over `existing`.
    fn reasons(&self, project: &Project<'_>, existing: Option<&[u8]>, sealed: &Sealed) -> Vec<String> {
        let Some(existing) = existing else { return vec!["new".to_owned()] };
        if !self.explain {
            return Vec::new();
        }
        match (difference(existing, sealed.pack(), &|name| project.has(name)), self.incremental) {
            (Difference::Stale(reasons), Some(incremental)) => incremental.explain(reasons),
            (Difference::Stale(reasons) | Difference::Edited(reasons), _) => reasons,
        }
    }
}
