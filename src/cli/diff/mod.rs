//! `contextpack diff`.

mod graph;
mod lines;
mod markdown;
mod rebuild;
mod sides;
mod text;

use super::annotations::Annotations;
use super::args::{DiffArgs, Format, Global};
use super::exit::Exit;
use super::failure::Failure;
use super::report::json_text;
use crate::cli::console;
use crate::review::{self, Diff, Pair, Rebuilt, SalvagedPack, compare, salvage};
use rayon::prelude::*;
use sides::{Side, Sides};
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write as _;

/// Says what changed between packs, and why.
pub(crate) fn run(global: &Global, args: &DiffArgs) -> Result<Exit, Failure> {
    let sides = Sides::find(global, args)?;
    let mut exit = Exit::Done;
    let rebuilt = if args.rebuild {
        let (packs, faultless) = rebuild::rebuild(global, &sides.new)?;
        exit = if faultless { Exit::Done } else { Exit::Input };
        Some(packs)
    } else {
        None
    };
    let diff = compared(&sides, rebuilt.as_ref());
    tell(global, &diff)?;
    Ok(exit.and(if args.exit_code && !diff.is_empty() { Exit::Stale } else { Exit::Done }))
}

/// A pack on both sides, read.
struct PackPair<'a> {
    name: String,
    file: &'a str,
    old: Option<SalvagedPack>,
    /// Nothing where it is the old one, byte for byte.
    new: Option<SalvagedPack>,
    same: bool,
}

fn compared(sides: &Sides, rebuilt: Option<&BTreeMap<String, Rebuilt>>) -> Diff {
    let Sides { old, new } = sides;
    let mut files: BTreeSet<&str> = old.packs.keys().chain(new.packs.keys()).map(String::as_str).collect();
    files.extend(rebuilt.into_iter().flat_map(BTreeMap::keys).map(String::as_str));
    let read = |side: &Side, file: &str| side.packs.get(file).map(|bytes| salvage(bytes));
    let packs: Vec<PackPair<'_>> = files
        .into_par_iter()
        .map(|file| {
            let same = old.packs.get(file).is_some_and(|bytes| new.packs.get(file) == Some(bytes));
            let side = if new.packs.contains_key(file) || !old.packs.contains_key(file) { new } else { old };
            // What is equal on both sides has not changed, valid or not: only its instructions are wanted.
            let (old, new) = match old.packs.get(file).filter(|_| same) {
                Some(bytes) => (Some(SalvagedPack { pack: review::read(bytes).ok(), ..SalvagedPack::default() }), None),
                None => (read(old, file), read(new, file)),
            };
            PackPair { name: side.shown(file), file, old, new, same }
        })
        .collect();
    let pairs: Vec<Pair<'_>> = packs
        .iter()
        .map(|read| Pair {
            name: &read.name,
            old: read.old.as_ref(),
            new: if read.same { read.old.as_ref() } else { read.new.as_ref() },
            rebuilt: rebuilt.and_then(|rebuilt| rebuilt.get(read.file).copied()),
        })
        // Files that are no packs on either side belong to others.
        .filter(|pair| {
            let is_pack = |side: Option<&SalvagedPack>| side.is_some_and(|side| side.pack.is_some());
            is_pack(pair.old) || is_pack(pair.new) || pair.old.or(pair.new).is_none() || new.single
        })
        .collect();
    compare(&pairs, rebuilt.is_some())
}

fn tell(global: &Global, diff: &Diff) -> Result<(), Failure> {
    let mut out = console::stdout();
    match global.format {
        Format::Json => writeln!(out, "{}", json_text(diff))?,
        Format::Markdown => write!(out, "{}", markdown::page(diff))?,
        Format::Text => {
            // Where words cannot be coloured, brackets mark them.
            let plain = anstream::AutoStream::choice(&std::io::stdout()) == anstream::ColorChoice::Never;
            text::page(&mut out, diff, plain)?;
        }
        Format::Github => {
            let mut annotations = Annotations::new();
            for item in &diff.needs_review {
                for pack in &item.packs {
                    annotations.look(pack, &item.reason, &item.message);
                }
            }
            let mut page = Vec::new();
            text::page(&mut page, diff, true)?;
            let page = anstream::adapter::strip_bytes(&page).into_vec();
            String::from_utf8_lossy(&page).lines().for_each(|line| annotations.log(line));
            annotations.print()?;
        }
    }
    out.flush()?;
    Ok(())
}
