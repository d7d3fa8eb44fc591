//! `contextpack verify`.

use super::args::{Global, VerifyArgs};
use super::inbox::foreign_box;
use super::workspace::{configuration, open, settled};
use super::{input, output, rebuild};
use crate::console::report::print_lines;
use crate::console::{self, Exit, Failure, PathFailure, printable};
use crate::handoff::cards::{Card, CardChecker, CardWriter, context_folder, parse};
use crate::handoff::ledger::LedgerChecker;
use crate::redact::{Environment, Redactor};
use crate::review::{Difference, difference, read, verify};
use crate::store::{Links, entries_below, is_json, read_file};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

struct VerifiedFile {
    name: String,
    hash: Option<String>,
    faults: Vec<String>,
    bytes: Vec<u8>,
}

impl VerifiedFile {
    fn pack(name: String, bytes: Vec<u8>) -> Self {
        let verification = verify(&bytes);
        let hash = verification.hash.map(|hash| hash.to_string());
        Self { name, hash, faults: verification.violations, bytes }
    }

    fn unread(name: String, why: &str) -> Self {
        Self { name, hash: None, faults: vec![why.to_owned()], bytes: Vec::new() }
    }
}

pub(crate) fn run(global: &Global, args: &VerifyArgs) -> Result<Exit, Failure> {
    let mut verified = Vec::new();
    for named in &args.packs {
        match named == Path::new("-") {
            true => verified.push(VerifiedFile::pack("-".to_owned(), input::stdin()?)),
            false => verified.extend(verify_named(global, named)?),
        }
    }
    if let Some(expected) = &args.expect {
        let [one] = &mut verified[..] else {
            let message = format!("`--expect` needs exactly one pack, but {} were given", verified.len());
            return Err(Failure::usage(message));
        };
        let expected = expected.strip_prefix("sha256:").unwrap_or(expected).to_lowercase();
        let hash = one.hash.as_deref().unwrap_or("none");
        if hash.strip_prefix("sha256:") != Some(&expected) {
            one.faults.push(format!("expected the hash sha256:{expected}, the content has {hash}"));
        }
    }
    if args.against_repo {
        let faults = settled(|| against_repo(global, &verified))?;
        verified.iter_mut().zip(faults).for_each(|(one, fault)| one.faults.extend(fault));
    }
    let valid = verified.iter().all(|pack| pack.faults.is_empty());
    let packs = verified.iter().map(|pack| output::VerifiedPack {
        path: pack.name.clone(),
        hash: pack.hash.clone(),
        valid: pack.faults.is_empty(),
        faults: pack.faults.clone(),
    });
    let lines = verified.iter().flat_map(|pack| {
        let is_shown = pack.faults.is_empty() && !global.quiet;
        let valid = is_shown.then(|| format!("valid: {} {}", pack.name, pack.hash.as_deref().unwrap_or_default()));
        valid.into_iter().chain(pack.faults.iter().map(|fault| format!("invalid: {}: {fault}", pack.name)))
    });
    print_lines(global.format, &output::Verify { packs: packs.collect() }, lines)?;
    if verified.is_empty() {
        return Err(Failure::usage("there is no pack to verify: the folder has no `.json` file"));
    }
    Ok(if valid { Exit::Done } else { Exit::Invalid })
}

/// Verifies a file, or all files of a folder; in the folder of cards also what is no pack.
fn verify_named(global: &Global, named: &Path) -> Result<Vec<VerifiedFile>, Failure> {
    let failed = |error| PathFailure::failure("read", named.display().to_string(), error);
    let mut context = context_folder(named).map(|folder| ContextChecker::new(global, folder));
    let real = if context.is_some() { named.canonicalize().map_err(failed)? } else { named.to_owned() };
    let all = match real.is_dir() {
        // A folder in the place of a file must not count as absent.
        true => entries_below(&real, &|path, is_folder| !is_folder || is_json(path)).map_err(failed)?,
        false => vec![real.clone()],
    };
    let mut verified = Vec::new();
    for file in all {
        let is_named = file == real;
        let shown = if is_named { named.to_owned() } else { named.join(file.strip_prefix(&real).unwrap_or(&file)) };
        let name = shown.display().to_string();
        let is_own = context.as_ref().is_some_and(|context| context.owns(&file));
        let is_asked = is_own || is_named && context.is_none();
        if !is_asked && (!is_json(&file) || file.symlink_metadata().is_ok_and(|there| there.is_dir())) {
            continue;
        }
        let follows = is_named && context.is_none();
        if !follows && !file.symlink_metadata().is_ok_and(|there| there.is_file()) {
            // What was replaced by a link, a folder or a device must not count as absent.
            verified.push(VerifiedFile::unread(name, "it is not a regular file"));
            continue;
        }
        let bytes = match read_file(&file, if follows { Links::Follow } else { Links::Refuse }) {
            // One that was listed and is larger than any that is read stops no other.
            Err(error) if !follows && error.kind() == io::ErrorKind::FileTooLarge => {
                verified.push(VerifiedFile::unread(name, &error.to_string()));
                continue;
            }
            read => read.map_err(|error| PathFailure::failure("read", file.display().to_string(), error))?,
        };
        let checked = context.as_mut().map(|context| context.check(global, &file, &name, &bytes)).transpose()?;
        let companion_fault = if context.is_none() { companion_fault(&file, &bytes, &name)? } else { None };
        let mut one = match checked.flatten() {
            Some((hash, faults)) => VerifiedFile { name, hash: Some(hash), faults, bytes: Vec::new() },
            None => VerifiedFile::pack(name, bytes),
        };
        one.faults.extend(companion_fault);
        verified.push(one);
    }
    Ok(verified)
}

struct ContextChecker {
    folder: PathBuf,
    redactor: Redactor,
    cards: CardChecker,
    ledgers: LedgerChecker,
}

/// The fault of a card that holds text that redaction removes, which this program never writes. It is valid all the same: the
/// rules may have changed since, and whatever reads it redacts it.
const HOLDS_SECRETS: &str = "it holds text that redaction removes; packs and `card show` leave that out";

impl ContextChecker {
    fn new(global: &Global, folder: PathBuf) -> Self {
        let settings = configuration(global).map(|(_, configuration)| configuration.settings.redaction);
        Self {
            redactor: Redactor::new(&settings.unwrap_or_default()),
            cards: CardChecker::new(&folder),
            ledgers: LedgerChecker::new(&folder),
            folder,
        }
    }

    fn relative(&self, file: &Path) -> String {
        file.strip_prefix(&self.folder).unwrap_or(file).to_string_lossy().replace('\\', "/")
    }

    /// Returns whether a file lies in a folder of cards, boxes, logs, batches or inboxes.
    fn owns(&self, file: &Path) -> bool {
        let path = self.relative(file);
        ["cards/", "boxes/", "logs/", "batches/", "inbox/"].iter().any(|own| path.starts_with(own))
    }

    /// Returns the hash and the faults of a file; `None` if it can only be a pack.
    fn check(
        &mut self,
        global: &Global,
        file: &Path,
        name: &str,
        bytes: &[u8],
    ) -> Result<Option<(String, Vec<String>)>, Failure> {
        let path = self.relative(file);
        if let Some((hash, mut faults)) = self.ledgers.check(&path, bytes)? {
            faults.extend(foreign_box(&self.folder, &path, bytes));
            return Ok(Some((hash.to_string(), faults)));
        }
        let Some(mut checked) = self.cards.check(&path, bytes)? else { return Ok(None) };
        if checked.faults.is_empty() && path.starts_with("cards/") && self.holds_secrets(bytes) {
            if global.strict {
                checked.faults.push(HOLDS_SECRETS.to_owned());
            } else if !global.quiet {
                writeln!(console::stderr(), "{}", printable(&format!("warning: {name}: {HOLDS_SECRETS}")))?;
            }
        }
        Ok(Some((checked.id.to_string(), checked.faults)))
    }

    fn holds_secrets(&self, bytes: &[u8]) -> bool {
        let environment = Environment::new(std::iter::empty());
        // A tombstone is no card, and holds nothing.
        let Ok(card) = parse(bytes, "it").and_then(Card::from_value) else { return false };
        !CardWriter::new(&self.redactor, &environment).scrubbed(&card).is_ok_and(|(_, changed)| !changed)
    }
}

/// Builds each valid pack from the current repo, under its own profile, and compares all bytes except the stamp.
///
/// Returns one fault or `None` for each file, in order.
fn against_repo(global: &Global, verified: &[VerifiedFile]) -> Result<Vec<Option<String>>, Failure> {
    let repository = open(global, &[], None)?;
    let project = repository.project();
    let mut faults = Vec::new();
    for one in verified {
        let Some(pack) = read(&one.bytes).ok().filter(|_| one.faults.is_empty()) else {
            faults.push(None);
            continue;
        };
        let probe = rebuild::probe(&repository, &project, &pack, rebuild::root(&pack));
        let fault = match probe {
            Err(Failure::Usage(message) | Failure::Input(message)) => {
                Some(format!("the repo has no such pack: {message}"))
            }
            Err(failure) => return Err(failure),
            Ok((probe, limits)) => match probe.build(limits)? {
                Err(diagnostics) => {
                    let why = diagnostics.first().map(|it| it.message.clone()).unwrap_or_default();
                    Some(format!("the pack cannot be built from the repo: {why}"))
                }
                Ok(sealed) if sealed.is_unchanged(&one.bytes) => None,
                Ok(sealed) => match difference(&one.bytes, sealed.pack(), &|name| project.has(name)) {
                    Difference::Stale(reasons) | Difference::Edited(reasons) => {
                        Some(format!("the repo gives a different pack: {}", reasons.join("; ")))
                    }
                },
            },
        };
        faults.push(fault);
    }
    Ok(faults)
}

/// Returns the fault of a pack's companion, if it has one that is not exactly its rendering. `name` is its path for display.
pub(super) fn companion_fault(file: &Path, bytes: &[u8], name: &str) -> Result<Option<String>, Failure> {
    let markdown = file.with_extension("md");
    if file.extension().is_none_or(|extension| extension != "json") || !markdown.is_file() {
        return Ok(None);
    }
    let text = input::named_file(&markdown)?;
    let same = read(bytes).is_ok_and(|pack| crate::render::pack(&pack).whole().as_bytes() == text);
    let name = Path::new(name).with_extension("md").display().to_string();
    Ok((!same).then(|| format!("its Markdown `{name}` is not its rendering")))
}
