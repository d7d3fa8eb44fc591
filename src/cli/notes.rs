//! `contextpack notes`.

use super::args::{Global, NotesArgs};
use super::input;
use super::redact::{decoded, denies};
use super::vectors;
use crate::config::{DenyList, Settings};
use crate::console::report::print_diagnostics;
use crate::console::{self, Exit, Failure, json_text};
use crate::engine::{Configuration, path_inside, process_environment};
use crate::knowledge::{DocumentRules, Secrecy};
use crate::model::{Digest, RepoPath, SourceTree as _};
use crate::notes::{
    LeftOut, NoteLimits, Notes, NotesFault, ReadableDocument, SIDECAR, WrittenNotes, extract, is_binding,
};
use crate::redact::{Clean, Environment, Piece, Redactor};
use crate::store::{self, Folder, Symlinks};
use rayon::iter::{IntoParallelRefIterator as _, ParallelIterator as _};
use serde::Serialize;
use serde_json::{Value, json};
use std::io::{IsTerminal as _, Write as _};
use std::path::{Path, PathBuf};

pub(crate) fn run(global: &Global, args: &NotesArgs) -> Result<Exit, Failure> {
    if args.vectors {
        return vectors::run(global, args.from.as_deref());
    }
    let (root, Configuration { settings, deny, .. }) = global.workspace().configuration()?;
    let given = match (&args.from, &*args.documents) {
        (None, _) => None,
        (Some(from), [_]) => Some(given(from)?),
        (Some(_), _) => return Err(Failure::usage("`--from` has the notes on one document: name that one")),
    };
    let (documents, mut exit) = match args.documents.is_empty() {
        true => configured(global, &settings)?,
        false => (args.documents.clone(), Exit::Done),
    };
    let (redactor, environment) = (Redactor::new(&settings.redaction), process_environment());
    let limits = NoteLimits::default();
    let maker = NoteMaker { redactor, environment, limits, settings, root, deny, given, writes: args.write };
    let mut noted = Vec::new();
    let made: Vec<_> = documents.par_iter().map(|path| maker.document(path)).collect();
    for (path, notes) in documents.iter().zip(made) {
        let shown = maker.line(&path.display().to_string());
        let document = match notes {
            Ok((mut notes, sidecar)) => {
                if let Some(text) = sidecar {
                    maker.write(&sidecar_of(path), &text)?;
                    notes["written"] = true.into();
                }
                json!({"path": shown, "success": true, "notes": notes})
            }
            // Whoever asks for all documents does not ask for these.
            Err(error) if args.documents.is_empty() && error.kind == SECRET => continue,
            Err(error) => {
                exit = exit.and(Exit::Input);
                json!({"path": shown, "success": false, "error": error})
            }
        };
        noted.push(document);
    }
    writeln!(console::stdout(), "{}", json_text(&json!({"documents": noted})))?;
    Ok(exit)
}

pub(super) fn given(from: &Path) -> Result<GivenNotes, Failure> {
    if from != Path::new("-") {
        return Ok((format!("`{}`", from.display()), input::named_file(from)?));
    }
    if std::io::stdin().is_terminal() {
        return Err(Failure::usage(
            "`--from -` reads standard input, which is this terminal: pipe a program into it, or name a file",
        ));
    }
    Ok(("standard input".to_owned(), input::stdin()?))
}

/// Returns a text without the code fence that models like to put around an answer; its lines keep their numbers.
fn unfenced(text: String) -> String {
    let fenced = text.trim_end().strip_suffix("```").and_then(|rest| rest.strip_prefix("```")?.split_once('\n'));
    fenced.map(|(_, inner)| format!("\n{inner}")).unwrap_or(text)
}

/// Returns the notes in what this command prints of one document; any other text as it is.
fn unwrapped(text: String) -> String {
    let printed = serde_json::from_str(&text).ok().and_then(|mut printed: Value| {
        if printed.pointer("/documents/1").is_some() {
            return None;
        }
        let document = printed.pointer_mut("/documents/0").map(Value::take).unwrap_or(printed);
        let mut notes = document.get("notes").filter(|_| document["success"] == true)?.clone();
        notes.as_object_mut()?.retain(|key, _| !["made_by", "stale", "left_out", "written"].contains(&key.as_str()));
        Some(notes.to_string())
    });
    printed.unwrap_or(text)
}

const SECRET: &str = "secret";

fn configured(global: &Global, knowledge: &Settings) -> Result<(Vec<PathBuf>, Exit), Failure> {
    let repository = global.open(None)?;
    let unlisted = repository.files().unlisted();
    if !unlisted.is_empty() {
        let project = repository.project();
        let redacted = unlisted.iter().map(|fault| project.redacted_for_output(fault.clone()));
        print_diagnostics(&redacted.collect::<Vec<_>>())?;
    }
    let exit = if unlisted.is_empty() { Exit::Done } else { Exit::Input };
    let files = repository.files().files().iter();
    let documents = files.filter(|path| DocumentRules::of(knowledge, path).is_some() && !knowledge.is_agent_file(path));
    let root = input::from_here("");
    Ok((documents.map(|path| PathBuf::from(format!("{root}{path}"))).collect(), exit))
}

/// Notes that somebody else made, as they came, with where they came from.
type GivenNotes = (String, Vec<u8>);

/// Notes on a document as JSON, and what is to be written beside it; `None` for notes that the repo has already.
type Made = (Value, Option<String>);

#[derive(Serialize)]
struct NotesError {
    kind: &'static str,
    message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    help: Option<String>,
    /// The line of the document, the sidecar file or what `--from` names, from 1, if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u32>,
}

impl NotesError {
    fn new(kind: &'static str, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), help: None, line: None }
    }

    fn help(self, help: &str) -> Self {
        Self { help: Some(help.to_owned()), ..self }
    }
}

struct NoteMaker {
    redactor: Redactor,
    environment: Environment,
    limits: NoteLimits,
    settings: Settings,
    root: PathBuf,
    deny: DenyList,
    given: Option<GivenNotes>,
    writes: bool,
}

impl NoteMaker {
    fn document(&self, path: &Path) -> Result<Made, NotesError> {
        let inside = path_inside(&self.root, path);
        if denies(&self.deny, inside.as_ref(), path) {
            return Err(NotesError::new("denied", "files of this name are never opened"));
        }
        if inside.is_none() && path.exists() {
            let error = NotesError::new("outside", "it is outside of the repo");
            return Err(error.help("copy it into the repo, or run this in its own repo"));
        }
        let rules = inside.as_ref().and_then(|path| DocumentRules::of(&self.settings, path));
        let rules = rules.unwrap_or(DocumentRules { source: None, is_overview: false });
        if rules.source.is_some_and(|source| source.is_secret()) {
            return Err(NotesError::new(SECRET, "the configuration says that it holds secrets"));
        }
        let text = read_text(path)?;
        match rules.secrecy(&text) {
            Secrecy::Open => {}
            Secrecy::Secret => return Err(NotesError::new(SECRET, "its front matter says that it holds secrets")),
            Secrecy::Unclear { line, .. } => {
                let error = NotesError::new("invalid", Secrecy::UNCLEAR).help(Secrecy::UNCLEAR_HELP);
                return Err(NotesError { line: Some(line), ..error });
            }
        }
        let document =
            ReadableDocument::open(&text, &self.limits).map_err(|faults| self.invalid("its front matter", &faults))?;
        let path_in_repo = inside.as_ref().map_or("", RepoPath::as_str);
        let body = self.clean(path_in_repo, &text[document.body.clone()], document.body_line);
        let source = Digest::of(body.as_str());
        if let Some(given) = &self.given {
            let notes = self.checked(given, &body, &source)?;
            if self.writes && document.notes.is_some() {
                let error =
                    NotesError::new("invalid", "its front matter has `notes`, which count before a file beside it");
                return Err(error.help("remove `notes` from the front matter, or leave out `--write`"));
            }
            return Ok(self.made(&notes, "given", &source));
        }
        if let Some(notes) = &document.notes {
            return Ok(self.written(notes, "front_matter", &source));
        }
        // New notes replace those of an older text only.
        if let Some(notes) = self.sidecar(&sidecar_of(path))?.filter(|it| !(self.writes && it.is_stale(&source))) {
            return Ok(self.written(&notes, "sidecar", &source));
        }
        let source_type = rules.source.map(|source| source.kind.name());
        let doc_type = document.doc_type.as_deref().or(source_type).unwrap_or("general");
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        let binds = [document.title.as_deref(), Some(doc_type), Some(&*stem)].into_iter().flatten().any(is_binding);
        Ok(self.made(&extract(&body, binds, &self.limits), "extractor", &source))
    }

    /// Returns notes that somebody else made, redacted, if they are right as a whole.
    fn checked(&self, (name, bytes): &GivenNotes, body: &Clean, source: &Digest) -> Result<Notes, NotesError> {
        let name = self.line(name);
        let text = decoded(bytes.clone()).map_err(|why| NotesError::new("not-text", format!("{name}: {why}")))?;
        let written = WrittenNotes::from_yaml(&unwrapped(unfenced(text)), &self.limits)
            .map_err(|faults| self.invalid(&name, &faults))?;
        let notes = written.redacted(&|text| self.clean("", text, 1));
        let fault = |message: &str, help: &str| NotesFault::new(None, message, help);
        let misquoted = |rule: &Clean| {
            let message = format!("this rule does not stand in the document word for word: {rule}");
            fault(&message, "quote whole sentences, or leave the rule out")
        };
        let stale = "`source_digest` is that of another text";
        let faults: Vec<NotesFault> = match written.is_stale(source) {
            true => vec![fault(stale, "make them from the document as it is now")],
            false => notes.misquoted(body).into_iter().map(misquoted).collect(),
        };
        if faults.is_empty() { Ok(notes) } else { Err(self.invalid(&name, &faults)) }
    }

    fn made(&self, notes: &Notes, made_by: &'static str, source: &Digest) -> Made {
        let sidecar = self.writes.then(|| self.environment.mask(&notes.sidecar(source)));
        (self.output(notes, made_by, source, false), sidecar)
    }

    fn written(&self, notes: &WrittenNotes, made_by: &'static str, source: &Digest) -> Made {
        let redacted = notes.redacted(&|text| self.clean("", text, 1));
        (self.output(&redacted, made_by, source, notes.is_stale(source)), None)
    }

    fn sidecar(&self, path: &Path) -> Result<Option<WrittenNotes>, NotesError> {
        if path.symlink_metadata().is_err() {
            return Ok(None);
        }
        let named = format!("`{}`", self.line(&path.display().to_string()));
        let text =
            read_text(path).map_err(|error| NotesError { message: format!("{named}: {}", error.message), ..error })?;
        WrittenNotes::from_yaml(&text, &self.limits).map(Some).map_err(|faults| self.invalid(&named, &faults))
    }

    fn write(&self, path: &Path, text: &str) -> Result<(), Failure> {
        let folder = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        Folder::open_anywhere(folder)?.staged_at(&self.root)?.write(name, text.as_bytes())?;
        Ok(())
    }

    /// Returns the error for faults of a file: the first with its place, and how many there are.
    fn invalid(&self, file: &str, faults: &[NotesFault]) -> NotesError {
        let [first, others @ ..] = faults else { return NotesError::new("invalid", file) };
        let more = if others.is_empty() { String::new() } else { format!(" (and {} more)", others.len()) };
        NotesError {
            kind: "invalid",
            message: self.line(&format!("{file}: {}{more}", first.message)),
            help: first.help.as_deref().map(|help| self.line(help)),
            line: first.at.map(|(line, _)| line),
        }
    }

    fn clean(&self, path: &str, text: &str, line: u32) -> Clean {
        let scrubbed = self.redactor.scrub(path, &[Piece { key: "body", text, line }]);
        scrubbed.texts.into_iter().next().unwrap_or_default()
    }

    fn line(&self, text: &str) -> String {
        self.environment.mask(&self.redactor.line(text))
    }

    fn output(&self, notes: &Notes, made_by: &'static str, source: &Digest, stale: bool) -> Value {
        let list = |texts: &[Clean]| texts.iter().map(|text| self.environment.mask(text)).collect::<Vec<_>>();
        let LeftOut { rules, key_facts, sentences } = notes.left_out;
        json!({
            "made_by": made_by,
            "source_digest": source.to_string(),
            "stale": stale,
            "summary": list(&notes.summary),
            "key_facts": list(&notes.key_facts),
            "rules": list(&notes.rules),
            "keywords": list(&notes.keywords),
            "left_out": {"rules": rules, "key_facts": key_facts, "sentences": sentences},
            "written": false,
        })
    }
}

fn read_text(path: &Path) -> Result<String, NotesError> {
    let bytes = store::read_file(path, Symlinks::Follow).map_err(|error| {
        let kind = if error.kind() == std::io::ErrorKind::FileTooLarge { "too-large" } else { "unreadable" };
        NotesError::new(kind, format!("it cannot be read: {error}"))
    })?;
    decoded(bytes).map_err(|why| NotesError::new("not-text", why))
}

fn sidecar_of(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(SIDECAR);
    path.with_file_name(name)
}
