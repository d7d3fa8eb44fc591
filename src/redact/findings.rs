//! What the rules find in a text, before it is judged whether and how it is removed.

use super::judge::SecretVerdict;
use super::names::Class;
use super::rules::FindingLabel;
use std::ops::Range;

/// The rule of a finding.
#[derive(Debug, Clone, Copy)]
pub(super) enum RuleRef {
    BuiltIn(&'static FindingLabel),
    /// A user's rule, by its index in the configuration.
    User(usize),
}

/// The place of a secret in a text, in bytes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Finding {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) rule: RuleRef,
}

/// A value that was judged, for people who ask why.
#[derive(Debug)]
pub(super) struct Judged {
    pub(super) name: Range<usize>,
    pub(super) class: Class,
    pub(super) value: Range<usize>,
    pub(super) verdict: SecretVerdict,
}

/// What was found in a text, in no order; findings may overlap.
#[derive(Debug, Default)]
pub(super) struct Findings {
    pub(super) found: Vec<Finding>,
    /// Every value that was judged; `None` if nobody asks.
    pub(super) judged: Option<Vec<Judged>>,
}

impl Findings {
    pub(super) fn add(&mut self, start: usize, end: usize, label: &'static FindingLabel) {
        self.found.push(Finding { start, end, rule: RuleRef::BuiltIn(label) });
    }

    /// Adds a value that was judged if it is a secret.
    pub(super) fn add_judged(&mut self, judged: Judged) {
        if judged.verdict.is_secret {
            self.add(judged.value.start, judged.value.end, judged.class.label());
        }
        if let Some(all) = &mut self.judged {
            all.push(judged);
        }
    }
}
