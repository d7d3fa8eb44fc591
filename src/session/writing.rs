//! From a built pack to its file.

use super::{Incremental, Kept, Replaced, Told};
use crate::cache::Made;
use crate::pipeline::Built;
use crate::render;
use crate::review::{Difference, difference};
use crate::store::{Folder, StoreError, Wrote};

/// Where packs go.
#[derive(Clone, Copy)]
pub struct Writing<'a> {
    /// Their folder.
    pub folder: &'a Folder,
    /// The folder of their renderings, where they are written too.
    pub markdown: Option<&'a Folder>,
    /// What remembers them.
    pub incremental: Option<&'a Incremental<'a>>,
    /// Whether anybody asks why a pack was written: reading the old one costs more than making the new one.
    pub why: bool,
    /// Is told of each pack that was written.
    pub replaced: Option<Told<'a>>,
}

/// What became of a pack.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Status {
    /// Its file is new or has new bytes.
    Written,
    /// Its file had these bytes already, but for its stamp.
    Unchanged,
    /// It could not be built.
    Failed,
}

/// A pack that was to be written.
#[derive(Debug, Clone)]
pub struct Written {
    /// What became of it.
    pub status: Status,
    /// The root's id.
    pub root: String,
    /// The profile.
    pub profile: String,
    /// The file's name.
    pub name: String,
    /// Why it was written, where that was asked, or why it was not built.
    pub reasons: Vec<String>,
    /// What is told of it, where it was built.
    pub made: Option<Made>,
}

impl From<Kept> for Written {
    fn from(kept: Kept) -> Self {
        let Kept { root, profile, name, made } = kept;
        Self { status: Status::Unchanged, root, profile, name, reasons: Vec::new(), made: Some(made) }
    }
}

/// The name of a pack's rendering beside others.
pub fn rendering(name: &str) -> String {
    format!("{}.md", name.strip_suffix(".json").unwrap_or(name))
}

impl Writing<'_> {
    /// Writes a pack unless only its stamp would change.
    ///
    /// # Errors
    /// Where the system refuses; the old pack is as it was.
    pub fn write(&self, built: Built) -> Result<Written, StoreError> {
        let Built { root, profile, name, outcome, fingerprint, .. } = built;
        let root = root.to_string();
        let sealed = match outcome {
            Ok(sealed) => sealed,
            Err(fault) => {
                let mut reasons = vec![fault.diagnostic.message];
                if self.folder.read(&name)?.is_some() {
                    reasons.push("the old pack was kept".to_owned());
                }
                return Ok(Written { status: Status::Failed, root, profile, name, reasons, made: None });
            }
        };
        let (status, reasons, bytes) = match self.folder.read(&name)? {
            Some(existing) if sealed.is_unchanged(&existing) => (Status::Unchanged, Vec::new(), existing),
            existing => {
                let reasons = match &existing {
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
                let bytes = sealed.bytes();
                let status = match self.folder.write(&name, &bytes)? {
                    Wrote::Written => Status::Written,
                    Wrote::Unchanged => Status::Unchanged,
                };
                if let Some(told) = self.replaced.filter(|_| status == Status::Written) {
                    told(Replaced { name: &name, before: existing.as_deref(), now: sealed.pack() });
                }
                (status, reasons, bytes)
            }
        };
        if let Some(markdown) = self.markdown {
            markdown.write(&rendering(&name), render::pack(sealed.pack()).whole().as_bytes())?;
        }
        let kept = Kept { root, profile, name, made: Made::from(sealed.pack()) };
        if let (Some(incremental), Some(fingerprint)) = (self.incremental, fingerprint) {
            incremental.built(&kept, fingerprint, &bytes);
        }
        Ok(Written { status, reasons, ..Written::from(kept) })
    }
}
