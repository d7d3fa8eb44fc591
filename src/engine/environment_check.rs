//! The last check of a pack: it may not hold a secret value of the building process's environment.

use super::Project;
use crate::model::{Code, Diagnostic};
use crate::render;
use crate::seal::Sealed;

impl Project<'_> {
    /// Returns the pack of the item `id`, or an error if it holds a secret value.
    pub(super) fn checked_for_secrets(&self, id: &str, sealed: Sealed) -> Result<Sealed, Diagnostic> {
        if self.environment.is_empty() {
            return Ok(sealed);
        }
        let place = sealed
            .pack()
            .sections
            .iter()
            .find_map(|section| {
                let hit = self.environment.find(&section.content).or_else(|| self.environment.find(&section.title));
                hit.map(|(name, _)| {
                    (name.to_owned(), format!("section `{}`, from `{}`", section.id, render::place(&section.source)))
                })
            })
            .or_else(|| {
                let text = String::from_utf8_lossy(sealed.bytes());
                let (name, _) = self.environment.find(&text)?;
                let field = serde_json::to_value(sealed.pack()).ok().and_then(|pack| self.field_of_environment(&pack));
                Some((name.to_owned(), field.map_or("its fields".to_owned(), |field| format!("the pack's `{field}`"))))
            });
        match place {
            None => Ok(sealed),
            Some((name, place)) => {
                let message = format!("the value of the environment variable `{name}` stands in {place}");
                Err(Diagnostic::new(Code::EnvironmentSecret, None, message)
                    .help("remove it from the source and change the secret; the pack was not written")
                    .about(id))
            }
        }
    }

    /// Returns the first field that holds a value of the environment, such as `root.title` or `warnings[0].message`.
    fn field_of_environment(&self, value: &serde_json::Value) -> Option<String> {
        use serde_json::Value;
        match value {
            Value::String(text) => self.environment.find(text).map(|_| String::new()),
            Value::Array(values) => values
                .iter()
                .enumerate()
                .find_map(|(index, value)| Some(format!("[{index}]{}", dotted(self.field_of_environment(value)?)))),
            Value::Object(fields) => fields
                .iter()
                .find_map(|(name, value)| Some(format!("{name}{}", dotted(self.field_of_environment(value)?)))),
            Value::Null | Value::Bool(_) | Value::Number(_) => None,
        }
    }
}

/// Returns the path of a nested field as it follows the name of the outer one.
fn dotted(below: String) -> String {
    if below.is_empty() || below.starts_with('[') { below } else { format!(".{below}") }
}
