//! A profile prepared for building: its budget, its instructions and what its packs share.

use super::project::Project;
use crate::config::{Budget, BuiltinText, Instructions, MinTrust, Profile, Tokenizer};
use crate::fit::Counter;
use crate::model::{Diagnostic, Digest, Digester, OriginKind};
use crate::redact::{Clean, CleanBuf};
use crate::select::{
    CommentRules, Input, KnowledgeSections, ProfileInstructions, RootReferences, SelectionContext, SharedPassages,
    TextOrigin, hash_selection_inputs,
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
    /// Returns a digest of everything that determines the pack of `root`, or the start of a session, except its stamp.
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
    /// Prepares a profile with built-in texts besides, or `instead` of, its instructions; `None` without a counter for it.
    pub(super) fn prepare_profile<'b>(
        &'b self,
        profile: &'b Profile,
        budget: Budget,
        counters: &'b BTreeMap<Option<Tokenizer>, Counter>,
        instead: Option<BuiltinText>,
        additions: &[BuiltinText],
    ) -> Result<Option<PreparedProfile<'b>>, Diagnostic> {
        let (mut instructions, input) = match instead {
            Some(builtin) => {
                let (text, input) = (Clean::literal(builtin.text).trimmed(), input_of(builtin));
                (ProfileInstructions { text, origin: input.origin.clone(), removals: Vec::new() }, input)
            }
            None => self.instructions(profile)?,
        };
        let mut inputs = vec![input];
        for addition in additions {
            let mut text = CleanBuf::new();
            text.text(&instructions.text).lit("\n\n").lit(addition.text.trim_end());
            instructions.text = text.finish();
            inputs.push(input_of(*addition));
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
            shared: SharedPassages::of(&self.corpus, profile, &self.reader.settings.adrs.excerpt),
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
                let (id, version) = (Some(self.reader.line("profile", &profile.name)), Some(*version));
                let origin = TextOrigin { id, version, ..TextOrigin::new(OriginKind::Builtin) };
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

fn input_of(builtin: BuiltinText) -> Input {
    let (id, version) = (Some(Clean::literal(builtin.id)), Some(builtin.version));
    let origin = TextOrigin { id, version, ..TextOrigin::new(OriginKind::Builtin) };
    Input { digest: Some(Digest::of(builtin.text)), origin }
}

pub(super) fn counted_tokenizer(budget: &Budget) -> Option<Tokenizer> {
    budget.max_tokens.map(|_| budget.tokenizer)
}

/// Counts the tokens of a text by `o200k_base`, for packs whose limits are others.
pub fn count_tokens(text: &str) -> u64 {
    static COUNTER: OnceLock<Counter> = OnceLock::new();
    COUNTER.get_or_init(|| Counter::new(Some(Tokenizer::O200kBase))).measure(text).tokens
}
