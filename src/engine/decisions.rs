//! ADRs that others say they replaced, whatever their own text says.

use super::project::{Project, Replacements};
use crate::mentions::replaced_decisions;
use crate::model::{Diagnostic, RepoPath, Severity};
use rayon::prelude::*;

impl Project<'_> {
    /// Returns which ADRs replaced others, read when first needed; text that anyone could have written replaces none.
    /// Of unredacted text only the paths of ADRs leave this.
    pub(super) fn replacements(&self) -> &Replacements {
        self.replacements.get_or_init(|| {
            let trusted = self.corpus.rules.adrs.par_iter().filter(|path| !self.reader.distrusts(path));
            let read: Vec<_> = trusted.map(|path| self.replaced_by(path)).collect();
            // Of several that replaced one, the last counts.
            Ok(read.into_iter().collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect())
        })
    }

    fn replaced_by(&self, path: &RepoPath) -> Result<Vec<(RepoPath, RepoPath)>, Diagnostic> {
        let raw = match self.reader.raw(path) {
            Err(fault) if fault.severity == Severity::Error => return Err(fault),
            read => read.unwrap_or_default(),
        };
        let old = |name| self.graph.named_adr(&self.corpus.rules, name, path).filter(|old| old != path);
        Ok(replaced_decisions(&raw).into_iter().filter_map(old).map(|old| (old, path.clone())).collect())
    }
}
