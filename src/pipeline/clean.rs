//! Through the door: records of raw text in, clean ones out.

use crate::graph::{Removal, Text};
use crate::model::Digest;
use crate::parse::{Item, Markdown};
use crate::redact::{Clean, Piece, Redactor};
use std::sync::Arc;

/// A clean text, read.
pub(super) fn text(clean: Clean) -> Text {
    let markdown = Arc::new(Markdown::read(&clean));
    Text { clean, markdown }
}

/// A text of one line without a file of its own.
pub(super) fn line(redactor: &Redactor, key: &str, text: &str) -> Clean {
    let scrubbed = redactor.scrub("", &[Piece { key, text, line: 1 }]);
    scrubbed.texts.into_iter().next().unwrap_or_default()
}

/// A document: its path, its text and what was removed from the text.
pub(super) fn document(redactor: &Redactor, path: &str, raw: &str) -> (Clean, Clean, Vec<Removal>) {
    let pieces = [Piece { key: "path", text: path, line: 1 }, Piece { key: "body", text: raw, line: 1 }];
    let scrubbed = redactor.scrub(path, &pieces);
    let mut texts = scrubbed.texts.into_iter();
    let (shown, text) = (texts.next().unwrap_or_default(), texts.next().unwrap_or_default());
    let removals = scrubbed
        .removals
        .into_iter()
        .filter(|removal| removal.piece == 1)
        .map(|removal| recorded(removal, true))
        .collect();
    (shown, text, removals)
}

/// A work item: every one of its texts is scrubbed, together, once.
pub(super) fn item(redactor: &Redactor, raw: &Item<String>) -> (Item<Clean>, Vec<Removal>, Digest) {
    // `map` visits the texts in one fixed order: first to collect them, then to put the clean ones in their places.
    let mut pieces: Vec<Piece<'_>> = Vec::new();
    raw.map(&mut |key, text: &String, line| pieces.push(Piece { key, text, line }));
    let is_head = |piece: usize| pieces[piece].key == "head";
    let scrubbed = redactor.scrub(raw.origin.path.as_str(), &pieces);
    let mut texts = scrubbed.texts.iter();
    let clean = raw.map(&mut |_, _, _| texts.next().cloned().unwrap_or_default());

    let in_head = scrubbed.removals.iter().any(|removal| is_head(removal.piece));
    let in_fields =
        scrubbed.removals.iter().any(|removal| !is_head(removal.piece) && pieces[removal.piece].key != "body");
    // A secret that only its field gives away still stands in the head: then the fields stand for it, since
    // no digest may be taken over unredacted text.
    let digest = if in_fields && !in_head {
        let fields: Vec<&str> = pieces
            .iter()
            .zip(&scrubbed.texts)
            .filter(|(piece, _)| piece.key != "head")
            .map(|(_, text)| &**text)
            .collect();
        Digest::of(fields.join("\n"))
    } else {
        Digest::of([clean.head.as_str(), clean.body.text.as_str()].concat())
    };
    let mut removals: Vec<Removal> = scrubbed
        .removals
        .into_iter()
        .filter(|removal| !is_head(removal.piece))
        .map(|removal| {
            let in_body = pieces[removal.piece].key == "body";
            recorded(removal, in_body)
        })
        .collect();
    // One value may be a field, a title and a mention at once.
    removals.sort();
    removals.dedup_by(|b, a| {
        let same = (a.line, a.in_body, &a.rule) == (b.line, b.in_body, &b.rule);
        a.count = if same { a.count.max(b.count) } else { a.count };
        same
    });
    (clean, removals, digest)
}

fn recorded(removal: crate::redact::Removal, in_body: bool) -> Removal {
    Removal {
        line: removal.line,
        in_body,
        rule: removal.rule,
        count: removal.count,
        reason: removal.reason,
        to_include: removal.to_include,
    }
}
