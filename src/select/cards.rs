//! The cards that a handover gives, as sections.

use super::candidates::Rank;
use super::{
    Candidate, CardFacts, HandoverLabel, Input, KnowledgeSections, Omission, OriginKind, Role, SectionBody,
    SelectionContext, TextOrigin, Trust, removals,
};
use crate::config::Group;
use crate::graph::{Outline, RecordedRemoval};
use crate::model::{Digest, Given};
use crate::redact::{Clean, CleanBuf};

/// The most inherited cards that have a section; older ones are omitted together.
const MOST_INHERITED: usize = 1_000;

/// What a handover gives, redacted.
#[derive(Debug, Clone)]
pub struct HandedOver {
    /// What the pack says of the handover.
    pub label: HandoverLabel,
    /// The cards, in the order of the context box.
    pub cards: Vec<CardText>,
}

/// A card that a handover gives, redacted.
#[derive(Debug, Clone)]
pub struct CardText {
    /// The 64 hex digits of its id.
    pub hex: String,
    /// How it came into the handover.
    pub given: Given,
    /// What it says, or why it is not read any more.
    pub content: Result<CardContentText, &'static str>,
}

/// What a card says, redacted.
#[derive(Debug, Clone)]
pub struct CardContentText {
    /// Its type.
    pub kind: Clean,
    /// Who says it, as a model sees it.
    pub role: &'static str,
    /// Who wrote it.
    pub author: Clean,
    /// From whom and to whom a handover gave it, if one did.
    pub parties: Clean,
    /// Its content as Markdown.
    pub text: Clean,
    /// What was removed from it.
    pub removals: Vec<RecordedRemoval>,
}

/// Returns the words with which the section of a card begins.
fn words(given: Given) -> &'static str {
    match given {
        Given::Inherited => "inherited",
        Given::Argument => "given with this task",
        Given::ParentPointer => "parent pointer",
    }
}

impl CardText {
    /// Returns the id of its section.
    fn section(&self) -> Clean {
        CleanBuf::new().lit("card.").hex(&self.hex[..12]).finish()
    }

    fn origin(&self) -> TextOrigin {
        TextOrigin::named(OriginKind::Card, CleanBuf::new().hex(&self.hex[..12]).finish())
    }

    /// Returns its trust: an agent that left a card may have been talked into it, and a tool returns anything.
    fn trust(&self) -> Trust {
        let is_inherited = self.given == Given::Inherited;
        Trust::of(is_inherited || self.content.as_ref().is_ok_and(|content| content.role == "tool"))
    }

    fn id(&self) -> Clean {
        CleanBuf::new().lit("sha256:").hex(&self.hex).finish()
    }
}

impl CardContentText {
    /// Returns the line with which its section begins.
    fn first_line(&self, given: Given) -> Clean {
        let mut line = CleanBuf::new();
        // Who wrote an inherited card says so of themselves.
        let claims = if given == Given::Inherited && self.role == "system" { "claims to be " } else { "" };
        line.lit("_").lit(words(given)).lit(": ").line(&self.kind);
        line.lit(" (").lit(claims).lit(self.role).lit(") by ");
        line.line(&self.author);
        if !self.parties.is_empty() {
            line.lit(", ").line(&self.parties);
        }
        line.lit("_").finish()
    }

    fn title(&self) -> Clean {
        CleanBuf::new().line(&self.kind).lit(" by ").line(&self.author).finish()
    }

    fn digest(&self) -> Digest {
        Digest::of([&*self.kind, self.role, &*self.author, &*self.parties, &*self.text].join("\n"))
    }
}

impl KnowledgeSections {
    /// Adds the cards that were handed over.
    pub fn add_handover(&mut self, context: &SelectionContext<'_>, handed: &HandedOver) {
        self.labels.handover = Some(handed.label.clone());
        let inherited = handed.cards.iter().filter(|card| card.given == Given::Inherited).count();
        let (mut over, mut left_out) = (inherited.saturating_sub(MOST_INHERITED), Vec::new());
        for card in &handed.cards {
            let digest = card.content.as_ref().ok().map(CardContentText::digest);
            let origin = TextOrigin::named(OriginKind::Card, card.id());
            self.inputs.push(Input { origin, digest });
            if card.given == Given::Inherited && over > 0 {
                over -= 1;
                left_out.push(card);
                continue;
            }
            match &card.content {
                Err(reason) => self.omissions.push(omission(card, reason)),
                Ok(content) => self.first.push(section(context, card, content, &handed.label)),
            }
        }
        self.omissions.extend(limit(&left_out));
    }
}

fn section(
    context: &SelectionContext<'_>,
    card: &CardText,
    content: &CardContentText,
    label: &HandoverLabel,
) -> (Candidate, Option<Rank>) {
    let origin = card.origin();
    let line = content.first_line(card.given);
    let is_kept = card.given != Given::Inherited;
    let body = if is_kept {
        let mut body = CleanBuf::new();
        body.text(&line).lit("\n\n").text(&content.text);
        if card.given == Given::Argument && &*content.kind == "task.instruction" {
            body.lit("\n\n_Results go to the log `").line(&label.output_box).lit("`._");
        }
        SectionBody::Whole(body.finish())
    } else {
        let pointer = CleanBuf::new().line(&content.title()).lit(": card ").line(&origin.place()).finish();
        context.after_line(&line, &content.text, &Outline::read(&content.text), &origin, pointer)
    };
    let provenance = card.given.provenance();
    let section = Candidate::new(card.section(), "card", content.title(), origin.clone(), provenance, body);
    let section = Candidate {
        role: if is_kept { Role::Fixed } else { section.role },
        trust: card.trust(),
        card: Some(CardFacts {
            id: card.id(),
            kind: content.kind.clone(),
            role: content.role,
            author: content.author.clone(),
        }),
        removals: removals::records(&content.removals, |_| true, &origin),
        ..section
    };
    (section, (!is_kept).then(|| Rank::of(Some(Group::Cards))))
}

fn omission(card: &CardText, reason: &'static str) -> Omission {
    let title = match &card.content {
        Ok(content) => content.title(),
        Err(_) => CleanBuf::new().lit("card ").hex(&card.hex[..12]).finish(),
    };
    Omission {
        id: card.section(),
        title,
        origin: card.origin(),
        provenance: card.given.provenance(),
        reason,
        trust: card.trust(),
        chars: None,
    }
}

/// Returns one omission for all cards beyond the limit.
fn limit(cards: &[&CardText]) -> Option<Omission> {
    let (first, last) = (cards.first()?, cards.last()?);
    let [id, name] = [CleanBuf::new().lit("card.").finish(), Clean::default()].map(|begin| {
        let mut range = CleanBuf::new();
        range.text(&begin).hex(&first.hex[..12]);
        if cards.len() > 1 {
            range.lit("-").hex(&last.hex[..12]);
        }
        range.finish()
    });
    let title = CleanBuf::new().number(cards.len() as u64).lit(" older cards").finish();
    let origin = TextOrigin::named(OriginKind::Card, name);
    let chars = cards.iter().filter_map(|card| card.content.as_ref().ok());
    let chars = chars.map(|content| content.text.chars().count() as u64).sum();
    Some(Omission {
        id,
        title,
        origin,
        provenance: "inherited",
        reason: "limit",
        trust: Trust::Untrusted,
        chars: Some(chars),
    })
}
