//! `contextpack attest`.

use super::args::AttestArgs;
use super::console::{self, json_text};
use super::exit::Exit;
use super::failure::Failure;
use super::report::print_invalid_pack;
use crate::model::Digest;
use crate::review::{read, verify};
use crate::wire::{Generator, Pack, PackInput, PackRoot};
use schemars::JsonSchema;
use serde::Serialize;
use std::io::Write as _;

/// The type of an in-toto statement, version 1.
const STATEMENT: &str = "https://in-toto.io/Statement/v1";

/// The type of the predicate.
const PREDICATE: &str = "urn:contextpack:predicate:packs:1";

/// What `attest` prints: an in-toto statement, version 1.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct InTotoStatement {
    /// `https://in-toto.io/Statement/v1`.
    #[serde(rename = "_type")]
    kind: &'static str,
    /// The files.
    subject: Vec<Subject>,
    /// `urn:contextpack:predicate:packs:1`.
    #[serde(rename = "predicateType")]
    predicate_type: &'static str,
    /// What is said of them.
    predicate: Predicate,
}

/// A file that a statement is about.
#[derive(Debug, Serialize, JsonSchema)]
struct Subject {
    /// Its name, without its folder.
    name: String,
    /// What it is known by.
    digest: Digests,
}

/// What a file is known by.
#[derive(Debug, Clone, Serialize, JsonSchema)]
struct Digests {
    /// SHA-256 of its bytes, in hex.
    sha256: String,
}

/// What is said of packs; `attest --predicate` prints it alone.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Predicate {
    /// In the order of the subjects.
    packs: Vec<Attested>,
}

/// What is said of a pack.
#[derive(Debug, Serialize, JsonSchema)]
struct Attested {
    /// The file's name.
    name: String,
    /// The version of its format.
    schema_version: String,
    /// Its id.
    pack_id: String,
    /// The hash of its content, which does not cover when and by what it was built.
    hash: String,
    /// Its profile.
    profile: String,
    /// The piece of work that it is for.
    root: PackRoot,
    /// When it was built.
    generated_at: String,
    /// What built it.
    generator: Generator,
    /// Everything that was read for it, with digests of the texts after redaction.
    inputs: Vec<PackInput>,
}

/// Prints a statement about finished packs, all of them valid.
pub(crate) fn run(args: &AttestArgs) -> Result<Exit, Failure> {
    let mut subject: Vec<Subject> = Vec::new();
    let mut packs = Vec::new();
    let mut valid = true;
    for path in &args.packs {
        let shown = path.display().to_string();
        let bytes = super::input::named_file(path)?;
        let faults = verify(&bytes).violations;
        let pack = match read(&bytes) {
            Ok(pack) if faults.is_empty() => pack,
            _ => {
                valid = false;
                faults.iter().try_for_each(|fault| print_invalid_pack(&shown, fault))?;
                continue;
            }
        };
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        if subject.iter().any(|subject| subject.name == name) {
            return Err(Failure::usage(format!("two packs have the name `{name}`: give each a statement of its own")));
        }
        let sha256 = Digest::of(&bytes).to_string().trim_start_matches("sha256:").to_owned();
        subject.push(Subject { name: name.clone(), digest: Digests { sha256 } });
        packs.push(attested(name, pack));
    }
    if !valid {
        return Ok(Exit::Invalid);
    }
    let predicate = Predicate { packs };
    let text = if args.predicate {
        json_text(&predicate)
    } else {
        json_text(&InTotoStatement { kind: STATEMENT, subject, predicate_type: PREDICATE, predicate })
    };
    writeln!(console::stdout(), "{text}")?;
    Ok(Exit::Done)
}

fn attested(name: String, pack: Pack) -> Attested {
    Attested {
        name,
        schema_version: pack.schema_version,
        pack_id: pack.pack_id,
        hash: pack.hash,
        profile: pack.profile,
        root: pack.root,
        generated_at: pack.generated_at,
        generator: pack.generator,
        inputs: pack.inputs,
    }
}
