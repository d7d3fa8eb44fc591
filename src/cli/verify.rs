//! `contextpack verify`.

use super::args::{Global, VerifyArgs};
use super::inbox::foreign_box;
use super::input;
use super::output;
use super::rebuild;
use super::workspace::{configuration, open, settled};
use crate::console::Exit;
use crate::console::report::print_lines;
use crate::console::{self, printable};
use crate::console::{Failure, PathFailure};
use crate::handoff::batches::BatchChecker;
use crate::handoff::cards::{Card, CardChecker, CardError, CardWriter, context_folder, parse};
use crate::handoff::inbox::InboxChecker;
use crate::redact::{Environment, Redactor};
use crate::review::{Difference, difference, read, verify};
use crate::store::{Links, entries_below, is_json, json_files, read_file};
use std::io::{self, Write as _};
use std::path::Path;

/// A file with the faults of its pack.
struct VerifiedFile {
    name: String,
    hash: Option<String>,
    faults: Vec<String>,
    bytes: Vec<u8>,
}

impl VerifiedFile {
    /// A file that is not read, for this reason.
    fn unread(name: String, why: String) -> Self {
        Self { name, hash: None, faults: vec![why], bytes: Vec::new() }
    }
}

/// Reads a file; `Err` says that one that was listed is larger than any that is read, which stops no other.
fn bytes_of(file: &Path, links: Links) -> Result<Result<Vec<u8>, String>, Failure> {
    match read_file(file, links) {
        Err(error) if links == Links::Refuse && error.kind() == io::ErrorKind::FileTooLarge => {
            Ok(Err(error.to_string()))
        }
        Err(error) => Err(PathFailure::failure("read", file.display().to_string(), error)),
        Ok(bytes) => Ok(Ok(bytes)),
    }
}

/// Verifies finished packs without their repo.
pub(crate) fn run(global: &Global, args: &VerifyArgs) -> Result<Exit, Failure> {
    let mut verified = Vec::new();
    for pack in &args.packs {
        if pack == Path::new("-") {
            verified.push(verify_bytes("-".to_owned(), input::stdin()?));
            continue;
        }
        if let Some(folder) = context_folder(pack) {
            verified.extend(context(global, &folder, pack)?);
            continue;
        }
        let failed = |error| PathFailure::failure("read", pack.display().to_string(), error);
        for file in json_files(pack).map_err(failed)? {
            let name = file.display().to_string();
            if file != *pack && !file.symlink_metadata().is_ok_and(|there| there.is_file()) {
                // A pack that was replaced by a link or a device must not count as absent.
                verified.push(VerifiedFile::unread(name, "it is not a regular file".to_owned()));
                continue;
            }
            let links = if file == *pack { Links::Follow } else { Links::Refuse };
            let bytes = match bytes_of(&file, links)? {
                Ok(bytes) => bytes,
                Err(why) => {
                    verified.push(VerifiedFile::unread(name, why));
                    continue;
                }
            };
            let companion_fault = companion_fault(&file, &bytes, &name)?;
            let mut pack = verify_bytes(name, bytes);
            pack.faults.extend(companion_fault);
            verified.push(pack);
        }
    }
    if let Some(expected) = &args.expect {
        let [one] = &mut verified[..] else {
            return Err(Failure::usage(format!(
                "`--expect` needs exactly one pack, but {} were given",
                verified.len()
            )));
        };
        let expected = expected.strip_prefix("sha256:").unwrap_or(expected).to_lowercase();
        let hash = one.hash.as_deref().and_then(|hash| hash.strip_prefix("sha256:"));
        if hash != Some(&expected) {
            one.faults.push(format!(
                "expected the hash sha256:{expected}, the content has {}",
                one.hash.as_deref().unwrap_or("none")
            ));
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

fn verify_bytes(name: String, bytes: Vec<u8>) -> VerifiedFile {
    let verification = verify(&bytes);
    let hash = verification.hash.map(|hash| hash.to_string());
    VerifiedFile { name, hash, faults: verification.violations, bytes }
}

/// Verifies a part of the folder of cards, or all of it; what is in none of its own folders is a pack.
fn context(global: &Global, folder: &Path, named: &Path) -> Result<Vec<VerifiedFile>, Failure> {
    let failed = |error| PathFailure::failure("read", named.display().to_string(), error);
    let real = named.canonicalize().map_err(failed)?;
    let all = match real.is_dir() {
        // A folder in the place of a file must not count as absent.
        true => entries_below(&real, &|path, is_folder| !is_folder || is_json(path)).map_err(failed)?,
        false => vec![real.clone()],
    };
    let settings = configuration(global).map(|(_, configuration)| configuration.settings.redaction);
    let redactor = Redactor::new(&settings.unwrap_or_default());
    let mut verified = Vec::new();
    let mut cards = CardChecker::new(folder);
    let mut batches = BatchChecker::new(folder);
    let mut inboxes = InboxChecker::new(folder);
    for file in all {
        let below_named = file.strip_prefix(&real).unwrap_or(&file);
        let shown = if below_named.as_os_str().is_empty() { named.to_owned() } else { named.join(below_named) };
        let name = shown.display().to_string();
        let relative = file.strip_prefix(folder).unwrap_or(&file).to_string_lossy().replace('\\', "/");
        let is_own = ["cards/", "boxes/", "logs/", "batches/", "inbox/"].iter().any(|own| relative.starts_with(own));
        if !is_own && (!is_json(&file) || file.is_dir()) {
            continue;
        }
        if !file.symlink_metadata().is_ok_and(|there| there.is_file()) {
            verified.push(VerifiedFile::unread(name, "it is not a regular file".to_owned()));
            continue;
        }
        let bytes = match bytes_of(&file, Links::Refuse)? {
            Ok(bytes) => bytes,
            Err(why) => {
                verified.push(VerifiedFile::unread(name, why));
                continue;
            }
        };
        let failed = |error| match error {
            CardError::Store(error) => error.into(),
            error => Failure::Input(error.to_string()),
        };
        let ledger = match batches.check(&relative, &bytes).map_err(failed)? {
            None => inboxes.check(&relative, &bytes).map_err(failed)?,
            checked => checked,
        };
        if let Some((hash, mut faults)) = ledger {
            faults.extend(foreign_box(folder, &relative, &bytes));
            verified.push(VerifiedFile { name, hash: Some(hash.to_string()), faults, bytes: Vec::new() });
            continue;
        }
        let checked = cards.check(&relative, &bytes).map_err(failed)?;
        verified.push(match checked {
            Some(checked) => {
                let hash = Some(checked.id.to_string());
                let mut faults = checked.faults;
                if faults.is_empty() && relative.starts_with("cards/") && holds_secrets(&redactor, &bytes) {
                    if global.strict {
                        faults.push(HOLDS_SECRETS.to_owned());
                    } else if !global.quiet {
                        let message = format!("warning: {name}: {HOLDS_SECRETS}");
                        writeln!(console::stderr(), "{}", printable(&message))?;
                    }
                }
                VerifiedFile { name, hash, faults, bytes: Vec::new() }
            }
            None => verify_bytes(name, bytes),
        });
    }
    Ok(verified)
}

/// What is wrong with a card that holds text that redaction removes, which this program never writes. It is valid all the same: the
/// rules may have changed since, and whatever reads it redacts it.
const HOLDS_SECRETS: &str = "it holds text that redaction removes; packs and `card show` leave that out";

fn holds_secrets(redactor: &Redactor, bytes: &[u8]) -> bool {
    let environment = Environment::new(std::iter::empty());
    // A tombstone is no card, and holds nothing.
    let Ok(card) = parse(bytes, "it").and_then(Card::from_value) else { return false };
    !CardWriter::new(redactor, &environment).scrubbed(&card).is_ok_and(|(_, changed)| !changed)
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
