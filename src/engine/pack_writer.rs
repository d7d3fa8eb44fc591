//! From a built pack to its file.

use super::{
    BuildJob, BuildReport, Built, IncrementalBuild, IsUnchanged, OnWritten, Planned, Project, UnchangedPack, Unsettled,
    WrittenPack, build_packs, companion,
};
use crate::cache::PackSummary;
use crate::intake::Repo;
use crate::render;
use crate::review::{Difference, difference};
use crate::store::{Folder, StoreError, WriteResult};
use std::sync::{Mutex, PoisonError};

/// Where packs go.
#[derive(Clone, Copy)]
pub struct PackWriter<'a> {
    /// Their folder.
    pub folder: &'a Folder,
    /// Whether each has its rendering beside it.
    pub beside: bool,
    /// Another folder for renderings, where they are written too.
    pub markdown: Option<&'a Folder>,
    /// What remembers them.
    pub incremental: Option<&'a IncrementalBuild<'a>>,
    /// Whether anybody asks why a pack was written: reading the old one costs more than making the new one.
    pub why: bool,
    /// Is told of each pack that was written.
    pub replaced: Option<OnWritten<'a>>,
}

/// What became of a pack.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WriteStatus {
    /// Its file is new or has new bytes.
    Written,
    /// Its file had these bytes already, but for its stamp.
    Unchanged,
    /// It could not be built.
    Failed,
}

/// A pack that was to be written.
#[derive(Debug, Clone)]
pub struct WriteOutcome {
    /// What became of it.
    pub status: WriteStatus,
    /// The root's id.
    pub root: String,
    /// The profile.
    pub profile: String,
    /// The file's name.
    pub name: String,
    /// Why it was written, where that was asked, or why it was not built.
    pub reasons: Vec<String>,
    /// What is told of it, where it was built.
    pub made: Option<PackSummary>,
    /// Names of files that were written for it: the pack, its rendering.
    pub touched: Vec<String>,
}

/// What became of the packs that were to be written.
#[derive(Debug)]
pub struct WriteReport {
    /// The packs, by name.
    pub packs: Vec<WriteOutcome>,
    /// What is wrong with the inputs, and whether it is known which packs belong into the folder.
    pub build: BuildReport,
    /// The first pack that the system refused to read or write, if any.
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
    let packs = Mutex::new(Vec::new());
    let add = |outcome: WriteOutcome| {
        packs.lock().unwrap_or_else(PoisonError::into_inner).push(outcome);
        progress();
    };
    let refused: Mutex<Option<StoreError>> = Mutex::new(None);
    let is_unchanged = writer.incremental.map(|incremental| {
        |planned: &Planned| match incremental.known(planned) {
            Some(unchanged) => {
                add(unchanged.into());
                true
            }
            None => false,
        }
    });
    let is_unchanged = is_unchanged.as_ref().map(|is_unchanged| is_unchanged as &IsUnchanged<'_>);
    let build = build_packs(files, project, job, is_unchanged, &|built| match writer.write(built) {
        Ok(outcome) => add(outcome),
        Err(error) => {
            refused.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
        }
    })?;
    let mut packs = packs.into_inner().unwrap_or_else(PoisonError::into_inner);
    packs.sort_by(|a, b| a.name.cmp(&b.name));
    let refused = refused.into_inner().unwrap_or_else(PoisonError::into_inner);
    Ok(WriteReport { packs, build, refused })
}

impl From<UnchangedPack> for WriteOutcome {
    fn from(kept: UnchangedPack) -> Self {
        let UnchangedPack { root, profile, name, made } = kept;
        Self {
            status: WriteStatus::Unchanged,
            root,
            profile,
            name,
            reasons: Vec::new(),
            made: Some(made),
            touched: Vec::new(),
        }
    }
}

impl PackWriter<'_> {
    /// Writes a pack unless only its stamp would change, and its rendering.
    ///
    /// # Errors
    /// Where the system refuses; the old file is as it was.
    pub fn write(&self, built: Built) -> Result<WriteOutcome, StoreError> {
        let Built { root, profile, name, outcome, fingerprint, .. } = built;
        let root = root.to_string();
        let sealed = match outcome {
            Ok(sealed) => sealed,
            Err(fault) => {
                let mut reasons = vec![fault.diagnostic.message];
                if self.folder.read(&name)?.is_some() {
                    reasons.push("the old pack was kept".to_owned());
                }
                let (status, touched) = (WriteStatus::Failed, Vec::new());
                return Ok(WriteOutcome { status, root, profile, name, reasons, made: None, touched });
            }
        };
        let mut touched = Vec::new();
        let existing = self.folder.read(&name)?;
        let (mut reasons, bytes) = match existing.as_deref() {
            Some(existing) if sealed.is_unchanged(existing) => (Vec::new(), existing),
            existing => {
                let reasons = match existing {
                    None => vec!["new".to_owned()],
                    Some(_) if !self.why => Vec::new(),
                    Some(existing) => match difference(existing, sealed.pack()) {
                        Difference::Edited(reasons) => reasons,
                        Difference::Stale(reasons) => match self.incremental {
                            Some(incremental) => incremental.explained(reasons),
                            None => reasons,
                        },
                    },
                };
                if self.folder.write(&name, sealed.bytes())? == WriteResult::Written {
                    touched.push(name.clone());
                    if let Some(told) = self.replaced {
                        told(WrittenPack { name: &name, before: existing, now: sealed.pack() });
                    }
                }
                (reasons, sealed.bytes())
            }
        };
        let needed = self.beside || self.markdown.is_some();
        let rendering = needed.then(|| render::pack(sealed.pack()).whole());
        if let Some(rendering) = rendering.as_ref().filter(|_| self.beside)
            && let Some(fault) = companion::fault(self.folder, &name, rendering)?
        {
            companion::write(self.folder, &name, rendering)?;
            touched.push(companion::name(&name));
            if reasons.is_empty() {
                reasons.push(fault.reason(&name));
            }
        }
        if let Some((folder, rendering)) = self.markdown.zip(rendering.as_ref()) {
            companion::write(folder, &name, rendering)?;
        }
        let kept = UnchangedPack { root, profile, name, made: PackSummary::from(sealed.pack()) };
        if let (Some(incremental), Some(fingerprint)) = (self.incremental, fingerprint) {
            incremental.built(&kept, fingerprint, bytes, rendering.as_deref().filter(|_| self.beside));
        }
        let status = if touched.is_empty() { WriteStatus::Unchanged } else { WriteStatus::Written };
        Ok(WriteOutcome { status, reasons, touched, ..WriteOutcome::from(kept) })
    }
}
