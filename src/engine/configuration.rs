//! The configuration of a repository, read for one command.

use super::{EngineError, Unsettled};
use crate::config::{DenyList, RedactionSettings, Settings, load_with_rules};
use crate::intake::Repo;
use crate::model::{Code, Diagnostic};
use crate::redact::{Environment, Redactor, built_in_rules};
use std::path::Path;

/// The configuration of a repository: as written, and validated.
#[derive(Debug)]
pub struct Configuration {
    /// The file's name as messages show it.
    pub name: String,
    /// The file's text; `None` without a file.
    pub text: Option<String>,
    pub settings: Settings,
    pub deny: DenyList,
}

impl Configuration {
    /// Reads and validates the configuration of the repository at `root`, or another `file` in its place.
    pub fn read(root: &Path, file: Option<&Path>, environment: &Environment) -> Result<Self, EngineError> {
        let read = Repo::read_config(root, file)?;
        let (name, text) = read.map_or(("contextpack.yml".to_owned(), None), |(name, text)| (name, Some(text)));
        let unusable = |diagnostics| config_error(environment, diagnostics, text.as_deref());
        let settings = validated(&name, text.as_deref()).map_err(unusable)?;
        let deny = DenyList::new(&settings.redaction.deny_paths).map_err(|(index, why)| {
            let message = format!("`redaction.deny_paths` entry {}: {why}", index + 1);
            unusable(vec![Diagnostic::new(Code::InvalidConfig, None, message)])
        })?;
        Ok(Self { name, text, settings, deny })
    }

    /// Returns the names of the profiles to build, each once: those `requested`, or those of the configuration.
    pub fn profiles(&self, requested: &[String]) -> Result<Vec<String>, EngineError> {
        let mut profiles =
            if requested.is_empty() { self.settings.output.profiles.clone() } else { requested.to_vec() };
        if let Some(unknown) = profiles.iter().find(|name| !self.settings.profiles.contains_key(*name)) {
            let known = self.settings.profiles.keys().cloned().collect();
            return Err(EngineError::Profile { name: unknown.clone(), known });
        }
        let mut seen = std::collections::BTreeSet::new();
        profiles.retain(|name| seen.insert(name.clone()));
        Ok(profiles)
    }

    /// Confirms that the file still holds the same text. Git may replace it while the repository is listed.
    pub(super) fn confirm(&self, root: &Path, file: Option<&Path>) -> Result<(), EngineError> {
        let again = Repo::read_config(root, file)?.map(|(_, text)| text);
        if again == self.text { Ok(()) } else { Err(Unsettled.into()) }
    }
}

/// Validates the text of a configuration, whose `redaction` may name the built-in rules.
pub fn validated(name: &str, text: Option<&str>) -> Result<Settings, Vec<Diagnostic>> {
    let rules: Vec<&str> = built_in_rules().iter().map(|rule| rule.name).collect();
    load_with_rules(name, text, &rules)
}

pub(super) fn config_error(environment: &Environment, diagnostics: Vec<Diagnostic>, text: Option<&str>) -> EngineError {
    let redactor = Redactor::new(&RedactionSettings::default());
    let clean = |text: &str| environment.mask(&redactor.line(text));
    // Removing a secret of several lines would shift the line numbers of the quoted text.
    let lines = |text: &str| text.matches('\n').count();
    let text = text.and_then(|text| Some(clean(text)).filter(|clean| lines(clean) == lines(text)));
    let diagnostics = diagnostics.into_iter().map(|diagnostic| diagnostic.map_texts(&clean)).collect();
    EngineError::Config { diagnostics, text }
}
