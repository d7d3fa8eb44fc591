//! A profile prepared for building: its budget, its instructions and what its packs share.

use super::project::Project;
use crate::config::{Budget, BuiltinText, Instructions, MinTrust, Profile, Tokenizer};
use crate::fit::Counter;
use crate::model::{Diagnostic, Digest, Digester};
use crate::redact::{Clean, CleanBuf};
use crate::select::{
    CommentRules, Input, KnowledgeSections, OriginKind, ProfileInstructions, RootReferences, SelectionContext,
    SharedPassages, TextOrigin, hash_selection_inputs,
};
use std::collections::BTreeMap;
use std::hash::Hash as _;
use std::sync::OnceLock;

pub(super) struct PreparedProfile<'a> {
    pub(super) context: SelectionContext<'a>,
    pub(super) budget: Budget,
    pub(super) counter: &'a Counter,
    /// A digester that was fed the facts that all packs of the profile share.
    key_prefix: Digester,
}

impl PreparedProfile<'_> {
    /// Returns a digest of everything that determines the pack of `root` except its stamp: `fit` and `seal` get nothing else.
    /// Without a root it is the pack with which a session begins.
    pub(super) fn fingerprint(&self, root: Option<(usize, &RootReferences)>, knowledge: &KnowledgeSections) -> Digest {
        let mut digester = self.key_prefix.clone();
        knowledge.hash(&mut digester);
        if let Some((root, references)) = root {
            hash_selection_inputs(&self.context, root, references, &mut digester);
        }
        digester.digest()
    }
}

impl Project<'_> {
    /// Prepares a profile; `None` if `counters` has none for its tokenizer.
    pub(super) fn prepare_profile<'b>(
        &'b self,
        profile: &'b Profile,
        budget: Budget,
        counters: &'b BTreeMap<Option<Tokenizer>, Counter>,
        texts: InstructionTexts,
    ) -> Result<Option<PreparedProfile<'b>>, Diagnostic> {
        let (mut instructions, input) = match texts.instead {
            Some(text) => (text.instructions(), text.input()),
            None => self.instructions(profile)?,
        };
        let mut inputs = vec![input];
        for addition in texts.additions {
            instructions.text = with_addition(&instructions.text, *addition);
            inputs.push(addition.input());
        }
        let github = &self.reader.settings.github;
        let comments = CommentRules {
            most: usize::try_from(github.comments).unwrap_or(usize::MAX),
            trusted_only: github.min_trust == MinTrust::Trusted,
        };
        let context = SelectionContext {
            corpus: &self.corpus,
            graph: &self.graph,
            profile,
            excerpt: &self.reader.settings.adrs.excerpt,
            instructions,
            inputs,
            comments,
            shared: SharedPassages::of(&self.corpus, profile),
        };
        let Some(counter) = counters.get(&counted_tokenizer(&budget)) else { return Ok(None) };
        let mut key_prefix = Digester::default();
        context.hash_settings(&mut key_prefix);
        budget.hash(&mut key_prefix);
        Ok(Some(PreparedProfile { context, budget, counter, key_prefix }))
    }

    fn instructions(&self, profile: &Profile) -> Result<(ProfileInstructions, Input), Diagnostic> {
        let (text, origin, removals) = match &profile.instructions {
            Instructions::Builtin { version, text } => {
                let origin = TextOrigin {
                    id: Some(self.reader.line("profile", &profile.name)),
                    version: Some(*version),
                    ..TextOrigin::new(OriginKind::Builtin)
                };
                (Clean::literal(text), origin, Vec::new())
            }
            Instructions::File(path) => {
                let (shown, text, removals) = self.reader.trusted_instructions(path)?;
                (text, TextOrigin { path: Some(shown), ..TextOrigin::new(OriginKind::File) }, removals)
            }
        };
        let text = text.trimmed();
        let mut input = Input { digest: Some(Digest::of(text.as_str())), origin: origin.clone() };
        if origin.kind == OriginKind::Builtin {
            let mut id = CleanBuf::new();
            id.lit("instructions/").text(&origin.id.clone().unwrap_or_default());
            input.origin.id = Some(id.finish());
        }
        Ok((ProfileInstructions { text, origin, removals }, input))
    }
}

/// The built-in texts that packs have besides, or instead of, their profile's instructions.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct InstructionTexts {
    pub(super) instead: Option<BuiltinText>,
    pub(super) additions: &'static [BuiltinText],
}

fn with_addition(text: &Clean, addition: BuiltinText) -> Clean {
    let mut all = CleanBuf::new();
    all.text(text).lit("\n\n").lit(addition.text.trim_end());
    all.finish()
}

impl BuiltinText {
    fn instructions(self) -> ProfileInstructions {
        let text = Clean::literal(self.text).trimmed();
        ProfileInstructions { text, origin: self.input().origin, removals: Vec::new() }
    }

    pub(super) fn input(self) -> Input {
        let id = Some(Clean::literal(self.id));
        let origin = TextOrigin { id, version: Some(self.version), ..TextOrigin::new(OriginKind::Builtin) };
        Input { digest: Some(Digest::of(self.text)), origin }
    }
}

pub(super) fn counted_tokenizer(budget: &Budget) -> Option<Tokenizer> {
    budget.max_tokens.map(|_| budget.tokenizer)
}

/// Counts the tokens of a text by `o200k_base`, for packs whose limits are others.
pub fn count_tokens(text: &str) -> u64 {
    static COUNTER: OnceLock<Counter> = OnceLock::new();
    COUNTER.get_or_init(|| Counter::new(Some(Tokenizer::O200kBase))).measure(text).tokens
}
