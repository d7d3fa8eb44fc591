//! The notes on documents: those that somebody wrote down, or else those of the extractor.

use super::clean::InputReader;
use crate::cache::FilePurpose;
use crate::knowledge::{KnowledgeDocument, NotesFile};
use crate::markdown::front_matter::front_matter;
use crate::model::{Code, Diagnostic, Digest, Place, RepoPath, Severity, conflict_in_markdown};
use crate::notes::{NoteLimits, NotesFault, ReadableDocument, SIDECAR, WrittenNotes, extract, is_binding};
use crate::records::conflict_markers;
use crate::redact::Clean;

const UNUSABLE: &str = "the notes cannot be used";

/// Returns the document that a path names the sidecar file of.
pub(super) fn document_of(path: &RepoPath) -> Option<RepoPath> {
    path.as_str().strip_suffix(SIDECAR).and_then(|path| RepoPath::new(path).ok())
}

/// Adds the notes on a document, whose file has the text `raw` and after redaction `clean`. Notes in the front matter
/// go before those in the sidecar file, and both before those of the extractor. `title` is the one of the front matter,
/// if there is one.
pub(super) fn add(
    reader: &InputReader<'_>,
    document: &mut KnowledgeDocument,
    title: Option<&str>,
    (raw, clean): (&str, &Clean),
    faults: &mut Vec<Diagnostic>,
) -> Result<(), Diagnostic> {
    if let Some(line) = conflict_in_markdown(raw) {
        faults.push(conflict_markers(Place::line(document.path.clone(), line), &format!("`{}`", document.shown)));
    }
    let bullets = reader.settings.context.bullets;
    let default = NoteLimits::default();
    // What is written may be as long as what `contextpack notes` writes; what is shown is configured.
    let limits = NoteLimits { bullets: bullets.max(default.bullets), ..default };
    let written = match in_front_matter(document, clean, &limits, faults) {
        Some(notes) => Some((notes, document.path.clone())),
        None => in_sidecar(reader, document, &limits, faults)?,
    };
    document.notes = Some(match written {
        None => {
            let names = [title, Some(document.kind.name()), Some(file_stem(&document.path))];
            let binds = names.into_iter().flatten().any(is_binding);
            extract(&document.body, binds, &NoteLimits { bullets, ..default })
        }
        Some((written, path)) => {
            if written.source_digest.is_some() && written.is_stale(&body_digest(reader, &document.path, raw)) {
                document.stale_notes = true;
                let message = format!("the notes on `{}` belong to another version of it", document.shown);
                let help = "read them again, then put the `source_digest` that `contextpack notes` prints there, or make \
                            them again with `contextpack notes --write`";
                faults.push(Diagnostic::new(Code::StaleNotes, Some(Place::file(path)), message).help(help));
            }
            // An escape in YAML can hide a secret from the redaction of the file.
            let mut notes = written.redacted(&|text| reader.line("body", text));
            notes.summary.truncate(bullets);
            notes
        }
    });
    Ok(())
}

fn file_stem(path: &RepoPath) -> &str {
    let name = path.as_str().rsplit('/').next().unwrap_or_default();
    name.rsplit_once('.').map_or(name, |(stem, _)| stem)
}

/// Returns the digest of the redacted text below the front matter, which `contextpack notes` prints.
fn body_digest(reader: &InputReader<'_>, path: &RepoPath, raw: &str) -> Digest {
    let (body, line) = front_matter(raw).map_or((0, 1), |front| (front.body, front.body_line));
    reader.part_digest(path, raw, body..raw.len(), line)
}

fn in_front_matter(
    document: &KnowledgeDocument,
    clean: &Clean,
    limits: &NoteLimits,
    faults: &mut Vec<Diagnostic>,
) -> Option<WrittenNotes> {
    let front = front_matter(clean)?;
    let names_notes = clean[front.yaml].lines().any(|line| line.trim_start().to_lowercase().starts_with("notes"));
    if !names_notes {
        return None;
    }
    match ReadableDocument::open(clean, limits) {
        Ok(read) => read.notes,
        Err(found) => {
            faults.extend(fault(&document.path, &found));
            None
        }
    }
}

fn in_sidecar(
    reader: &InputReader<'_>,
    document: &mut KnowledgeDocument,
    limits: &NoteLimits,
    faults: &mut Vec<Diagnostic>,
) -> Result<Option<(WrittenNotes, RepoPath)>, Diagnostic> {
    let path = RepoPath::new(&format!("{}{SIDECAR}", document.path)).ok();
    let Some(path) = path.filter(|path| reader.source().files().binary_search(path).is_ok()) else { return Ok(None) };
    let raw = match reader.raw(&path) {
        Ok(raw) => raw,
        Err(unreadable) if unreadable.severity == Severity::Error => return Err(unreadable),
        Err(unreadable) => {
            let message = format!("{UNUSABLE}: {}", unreadable.message);
            let diagnostic = Diagnostic::new(Code::InvalidNotes, Some(Place::file(path)), message);
            faults.push(Diagnostic { help: unreadable.help, ..diagnostic });
            return Ok(None);
        }
    };
    let (shown, text, removals, digest) = reader.file(&path, FilePurpose::Document, &raw);
    match WrittenNotes::from_yaml(&text.clean, limits) {
        Ok(notes) => {
            document.untrusted |= reader.distrusts(&path);
            document.notes_file = Some(NotesFile { shown, removals, digest });
            Ok(Some((notes, path)))
        }
        Err(found) => {
            faults.extend(fault(&path, &found));
            Ok(None)
        }
    }
}

/// Returns the warning about notes that cannot be used: the first fault with its place, and how many there are.
fn fault(path: &RepoPath, found: &[NotesFault]) -> Option<Diagnostic> {
    let first = found.first()?;
    let more = match found.len() {
        1 => String::new(),
        count => format!(" (and {} more)", count - 1),
    };
    let (line, column) = first.at.unzip();
    let at = Place { path: path.clone(), line, column };
    let diagnostic = Diagnostic::new(Code::InvalidNotes, Some(at), format!("{UNUSABLE}: {}{more}", first.message));
    Some(match &first.help {
        Some(help) => diagnostic.help(help),
        None => diagnostic.help("correct them, or remove them to get those of the built-in extractor"),
    })
}
