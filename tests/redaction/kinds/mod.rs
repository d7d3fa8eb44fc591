//! The kinds of secrets, each by the form that it has in practice.

mod blocks;
mod configs;
mod named;
mod phrases;
mod tokens;

use crate::random::Rng;

/// A kind of secret.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Kind {
    pub(crate) name: &'static str,
    pub(crate) shape: Shape,
}

/// What a secret needs around it.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Shape {
    /// Nothing: a template of the secret itself, or of an address with the secret between `«` and `»`.
    Token(&'static str),
    /// A key, which each context writes in its own syntax; then a template of the value.
    Pair(&'static str, &'static str),
    /// The rest of a line of code or configuration; the secret is between `«` and `»`.
    Code(&'static str),
    /// The words of a sentence; the secret is between `«` and `»`.
    Prose(&'static str),
    /// Lines.
    Block(fn(&mut Rng) -> Block),
}

/// A secret of several lines.
#[derive(Debug, Clone)]
pub(crate) struct Block {
    pub(crate) text: String,
    /// What must not survive, such as the lines between the marks of a key.
    pub(crate) body: Vec<String>,
}

/// One secret of a kind, with what it needs on its line.
#[derive(Debug, Clone)]
pub(crate) struct Sample {
    pub(crate) before: String,
    pub(crate) secret: String,
    pub(crate) after: String,
}

impl Kind {
    /// Makes a sample of a kind other than a block.
    pub(crate) fn sample(&self, rng: &mut Rng) -> Option<Sample> {
        let template = match self.shape {
            Shape::Token(template) | Shape::Pair(_, template) | Shape::Code(template) | Shape::Prose(template) => {
                template
            }
            Shape::Block(_) => return None,
        };
        let (before, rest) = template.split_once('«').unwrap_or(("", template));
        let (secret, after) = rest.split_once('»').unwrap_or((rest, ""));
        Some(Sample { before: rng.fill(before), secret: rng.fill(secret), after: rng.fill(after) })
    }
}

/// Returns all kinds.
pub(crate) fn all() -> Vec<Kind> {
    let tokens = tokens::TOKENS.iter().map(|(name, form)| Kind { name, shape: Shape::Token(form) });
    let named = named::NAMED.iter().map(|(name, key, form)| Kind { name, shape: Shape::Pair(key, form) });
    let code = configs::LINES.iter().map(|(name, form)| Kind { name, shape: Shape::Code(form) });
    let prose = phrases::PROSE.iter().map(|(name, form)| Kind { name, shape: Shape::Prose(form) });
    let blocks = blocks::BLOCKS.iter().map(|(name, make)| Kind { name, shape: Shape::Block(*make) });
    tokens.chain(named).chain(code).chain(prose).chain(blocks).collect()
}
