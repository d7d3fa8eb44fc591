//! `init --agent`: entries of MCP configurations, so that the programs of agents start `contextpack mcp`.
//!
//! A file that exists keeps every byte: the entry is inserted. One that cannot be parsed is refused before anything is written.

mod json;

use super::args::AgentProgram;
use super::failure::Failure;
use super::setup::{ExistingFile, Setup};
use serde_json::{Value, json};

/// The name of the entry.
const NAME: &str = "contextpack";

/// The entry that was inserted into a configuration, or why it was not.
#[derive(Debug, PartialEq, Eq)]
enum Merged {
    /// The whole new text.
    Text(String),
    /// The reason why the text stays as it is.
    Left(&'static str),
}

const HAS_ENTRY: &str = "it has the entry";
const HAS_OTHER: &str = "it has another entry `contextpack`";

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

    fn entry() -> Value {
        json!({"type": "stdio", "command": "contextpack", "args": ["mcp"]})
    }

    /// Returns the configuration with the entry.
    ///
    /// # Errors
    /// Why `before` cannot be parsed, or has something else in the place of the servers.
    fn merged(self, before: &str) -> Result<Merged, String> {
        match self {
            Self::Claude | Self::Cursor | Self::Vscode => json::merged(before, self.field(), NAME, &Self::entry()),
            Self::Codex => merged_toml(before),
        }
    }

    /// Returns the entry as somebody would write it by hand.
    fn by_hand(self) -> String {
        match self {
            Self::Codex => TOML.replace('\n', "; ").trim_end_matches("; ").to_owned(),
            _ => format!("\"{NAME}\": {} in `{}`", Self::entry(), self.field()),
        }
    }
}

/// The entry of Codex.
const TOML: &str = "[mcp_servers.contextpack]\ncommand = \"contextpack\"\nargs = [\"mcp\"]\n";

/// Appends the entry of Codex as a table of its own.
fn merged_toml(before: &str) -> Result<Merged, String> {
    let parse = |text: &str| text.parse::<toml::Table>();
    let mut wanted = parse(before).map_err(|error| {
        let at = error.span().map(|span| before.get(..span.start).map_or(0, |text| text.matches('\n').count()) + 1);
        let at = at.map(|line| format!("line {line}: ")).unwrap_or_default();
        format!("it is not TOML ({at}{})", error.message())
    })?;
    let entry = parse(TOML).map_err(|error| error.to_string())?;
    let ours = entry.get("mcp_servers").and_then(|servers| servers.get(NAME));
    match wanted.get("mcp_servers").map(|servers| (servers.is_table(), servers.get(NAME))) {
        Some((false, _)) => return Err("its `mcp_servers` is no table".to_owned()),
        Some((true, Some(there))) if Some(there) == ours => return Ok(Merged::Left(HAS_ENTRY)),
        Some((true, Some(_))) => return Ok(Merged::Left(HAS_OTHER)),
        Some((true, None)) | None => {}
    }
    let end = if before.contains("\r\n") { "\r\n" } else { "\n" };
    let mut after = before.to_owned();
    if !after.is_empty() {
        after.push_str(if after.ends_with('\n') { end } else { "" });
        if !before.ends_with('\n') {
            after.push_str(end);
            after.push_str(end);
        }
    }
    after.push_str(&TOML.replace('\n', end));
    // Tables that are written in braces cannot be added to.
    let servers = wanted.entry("mcp_servers").or_insert_with(|| toml::Table::new().into());
    if let (Some(servers), Some(ours)) = (servers.as_table_mut(), ours) {
        servers.insert(NAME.to_owned(), ours.clone());
    }
    match parse(&after) {
        Ok(parsed) if parsed == wanted => Ok(Merged::Text(after)),
        _ => Err("its `mcp_servers` is written in braces".to_owned()),
    }
}

/// An entry that is to be written.
pub(crate) struct PlannedEntry {
    program: AgentProgram,
    merged: Merged,
    is_new: bool,
}

impl Setup<'_> {
    /// Finds out what is to be written for each of `programs`, and writes nothing.
    ///
    /// # Errors
    /// [`Failure::Input`] if a file cannot be parsed.
    pub(crate) fn plan_entries(&self, programs: &[AgentProgram]) -> Result<Vec<PlannedEntry>, Failure> {
        let mut plan = Vec::new();
        for program in AgentProgram::ALL.into_iter().filter(|program| programs.contains(program)) {
            let path = program.file();
            let (before, is_new) = match self.existing(path)? {
                ExistingFile::Nothing => (String::new(), true),
                ExistingFile::Other => {
                    let merged = Merged::Left("it is not a plain file");
                    plan.push(PlannedEntry { program, merged, is_new: false });
                    continue;
                }
                ExistingFile::File(bytes) => {
                    let text = String::from_utf8(bytes).map_err(|_| unparsed(program, "it is not UTF-8"))?;
                    (text, false)
                }
            };
            let merged = program.merged(&before).map_err(|why| unparsed(program, &why))?;
            plan.push(PlannedEntry { program, merged, is_new });
        }
        Ok(plan)
    }

    /// Writes the entries.
    ///
    /// # Errors
    /// If a file cannot be written.
    pub(crate) fn write_entries(&mut self, plan: Vec<PlannedEntry>) -> Result<(), Failure> {
        for PlannedEntry { program, merged, is_new } in plan {
            let path = program.file();
            let has_entry = merged == Merged::Left(HAS_ENTRY);
            match merged {
                Merged::Left(why) => self.left.push((path.to_owned(), why)),
                Merged::Text(text) if is_new => self.create(path, &text)?,
                Merged::Text(text) => {
                    if let Some((folder, name)) = self.folder(path)? {
                        folder.rewrite(name, text.as_bytes())?;
                        self.written.push(path.to_owned());
                    }
                }
            }
            if !has_entry && self.written.last().map(String::as_str) != Some(path) {
                self.by_hand.push((path.to_owned(), program.by_hand()));
            }
        }
        Ok(())
    }
}

/// Returns the error for a configuration that cannot be merged into.
fn unparsed(program: AgentProgram, why: &str) -> Failure {
    let (path, by_hand) = (program.file(), program.by_hand());
    Failure::Input(format!("cannot add an entry to `{path}`: {why}; correct it, or add it by hand: {by_hand}"))
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    fn text(before: &str) -> String {
        match merged_toml(before).unwrap() {
            Merged::Text(text) => text,
            Merged::Left(why) => panic!("{why}"),
        }
    }

    #[test]
    fn an_entry_is_appended_to_toml_of_which_every_byte_stays() {
        assert_eq!(text(""), TOML);
        for before in [
            "model = \"x\" # mine\n",
            "model = \"x\"",
            "a = 1\r\n\r\n[b]\r\nc = [\r\n  1, # one\r\n]\r\n",
            "[mcp_servers.other]\ncommand = \"o\"\n",
            "[[list]]\n# mcp_servers = {}\n",
            "mcp_servers.other.command = \"o\"\n[x]\n",
        ] {
            let after = text(before);
            assert!(after.starts_with(before), "{after:?}");
            let parsed: toml::Table = after.parse().unwrap();
            assert_eq!(parsed["mcp_servers"][NAME]["args"][0].as_str(), Some("mcp"), "{after}");
            assert_eq!(before.contains("\r\n"), !after.replace("\r\n", "").contains('\n'), "{after:?}");
            assert_eq!(merged_toml(&after), Ok(Merged::Left(HAS_ENTRY)));
        }
    }

    #[test]
    fn toml_without_a_place_for_the_entry_is_refused() {
        for (before, why) in [
            ("a = 1\nb =\n", "line 2"),
            ("mcp_servers = 1\n", "no table"),
            ("mcp_servers = { other = { command = \"o\" } }\n", "in braces"),
            ("a = 1\na = 2\n", "not TOML"),
        ] {
            let error = merged_toml(before).unwrap_err();
            assert!(error.contains(why), "{before}: {error}");
        }
        let other = "[mcp_servers.contextpack]\ncommand = \"other\"\n";
        assert_eq!(merged_toml(other), Ok(Merged::Left(HAS_OTHER)));
    }

    #[test]
    fn every_program_has_a_file_and_an_entry_of_its_own_form() {
        for program in AgentProgram::ALL {
            let Ok(Merged::Text(text)) = program.merged("") else { panic!("{program:?}") };
            assert!(text.contains(program.field()) && text.contains("contextpack"), "{text}");
            assert!(program.by_hand().contains("mcp") && !program.by_hand().contains('\n'));
        }
    }
}
