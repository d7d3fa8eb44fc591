//! `init --agent`: entries of MCP configurations, so that the programs of agents start `contextpack mcp`.
//!
//! A file that exists is its owner's: the entry is printed, to be added by hand.

use super::options::AgentProgram;
use super::setup::{ExistingFile, Setup};
use crate::console::Failure;

/// The entry of all programs but Codex.
const ENTRY: &str = r#""contextpack": { "type": "stdio", "command": "contextpack", "args": ["mcp"] }"#;

/// The entry of Codex.
const TOML: &str = "[mcp_servers.contextpack]\ncommand = \"contextpack\"\nargs = [\"mcp\"]\n";

impl AgentProgram {
    /// Returns the path of its MCP configuration in a repo.
    fn file(self) -> &'static str {
        match self {
            Self::Claude => ".mcp.json",
            Self::Cursor => ".cursor/mcp.json",
            Self::Vscode => ".vscode/mcp.json",
            Self::Codex => ".codex/config.toml",
        }
    }

    /// Returns the field of its configuration that holds the servers.
    fn field(self) -> &'static str {
        match self {
            Self::Claude | Self::Cursor => "mcpServers",
            Self::Vscode => "servers",
            Self::Codex => "mcp_servers",
        }
    }

    /// Returns a configuration that has the entry alone.
    fn text(self) -> String {
        match self {
            Self::Codex => TOML.to_owned(),
            _ => format!("{{\n  \"{}\": {{\n    {ENTRY}\n  }}\n}}\n", self.field()),
        }
    }

    /// Returns the entry as somebody adds it by hand, on one line.
    fn by_hand(self) -> String {
        match self {
            Self::Codex => TOML.trim_end().replace('\n', "; "),
            _ => format!("{ENTRY} in `{}`", self.field()),
        }
    }
}

impl Setup<'_> {
    /// Writes the entry of each of `programs` whose file does not exist; the others are added by hand.
    pub(crate) fn write_entries(&mut self, programs: &[AgentProgram]) -> Result<(), Failure> {
        for program in AgentProgram::ALL.into_iter().filter(|program| programs.contains(program)) {
            let path = program.file();
            let names_it = |text: &[u8]| memchr::memmem::find(text, b"contextpack").is_some();
            if matches!(self.existing(path)?, ExistingFile::File(text) if names_it(&text)) {
                self.left.push((path.to_owned(), "it names `contextpack`"));
                continue;
            }
            self.create(path, &program.text())?;
            if self.written.last().map(String::as_str) != Some(path) {
                self.by_hand.push((path.to_owned(), program.by_hand()));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    #[test]
    fn every_program_has_a_file_and_an_entry_of_its_own_form() {
        for program in AgentProgram::ALL {
            let text = program.text();
            let args = match program {
                AgentProgram::Codex => text.parse::<toml::Table>().unwrap()[program.field()]["contextpack"]["args"][0]
                    .as_str()
                    .map(str::to_owned),
                _ => serde_json::from_str::<serde_json::Value>(&text).unwrap()[program.field()]["contextpack"]["args"]
                    [0]
                .as_str()
                .map(str::to_owned),
            };
            assert_eq!(args.as_deref(), Some("mcp"), "{text}");
            assert!(program.by_hand().contains("mcp") && !program.by_hand().contains('\n'));
        }
    }
}
