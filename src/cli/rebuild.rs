//! Builds finished packs again, those of items, of agents, and of handovers, and compares them with what they are now.

use super::packs::{OpenedRepository, PackKey};
use crate::config::{Policy, Strategy};
use crate::console::{Exit, Failure, stamp};
use crate::engine::{AgentContext, BudgetLimits, BudgetProbe, EngineError, PackTarget, RootError};
use crate::handoff::cards::{CardError, CardStore};
use crate::handoff::handover::replay;
use crate::model::{CardSource, Diagnostic, OriginKind, Severity};
use crate::review::{PackStatus, SalvagedPack, content_hash, limits, salvage};
use crate::seal::Sealed;
use crate::store::StoreError;
use crate::wire::{Pack, PackBudget, PackHandover, Section};

/// A finished pack, compared with a build. All texts are redacted by the rules of today.
#[derive(Debug, Clone, Default)]
pub(crate) struct ComparedPack {
    pub(crate) status: PackStatus,
    pub(crate) reasons: Vec<String>,
    pub(crate) old: SalvagedPack,
    pub(crate) new: Option<Pack>,
    pub(crate) diagnostics: Vec<Diagnostic>,
}

impl ComparedPack {
    fn ended(self, status: PackStatus, reason: Option<String>) -> Self {
        Self { status, reasons: self.reasons.into_iter().chain(reason).collect(), ..self }
    }
}

impl<'r> OpenedRepository<'r> {
    /// Compares a finished pack with what a build gives of it within its own limits.
    pub(crate) fn compare(&self, bytes: &[u8]) -> Result<ComparedPack, Failure> {
        let project = &self.project;
        let SalvagedPack { pack, faults, is_unreadable } = salvage(bytes);
        let old = SalvagedPack { pack: pack.as_ref().map(|pack| project.scrubbed(pack)), faults, is_unreadable };
        let compared = ComparedPack { reasons: old.faults.clone(), old, ..ComparedPack::default() };
        let mut compared = match &pack {
            Some(pack) => self.compare_pack(pack, bytes, compared)?,
            // What is no pack was not edited either.
            None => compared.ended(PackStatus::Invalid, None),
        };
        for text in compared.reasons.iter_mut().chain(&mut compared.old.faults) {
            *text = project.redacted_line(text);
        }
        Ok(compared)
    }

    fn compare_pack(&self, pack: &Pack, bytes: &[u8], mut compared: ComparedPack) -> Result<ComparedPack, Failure> {
        let name = PackKey::of(pack).root;
        let root = match name.as_deref().map(|name| self.root_now(pack, name)).transpose() {
            Ok(root) => root,
            Err(EngineError::Root(error)) => {
                let (status, reason) = match &error {
                    RootError::Issue(_) => (PackStatus::Unverifiable, error.to_string()),
                    // A similar id is no help to who did not type this one.
                    RootError::Unknown { typed, .. } => {
                        (PackStatus::Orphaned, format!("there is no item `{typed}` any more"))
                    }
                    RootError::Several { .. } | RootError::NoItem { .. } => (PackStatus::Orphaned, error.to_string()),
                };
                return Ok(compared.ended(status, Some(reason)));
            }
            Err(error) => return Err(error.into()),
        };
        if let Some((name, root)) = name.as_ref().zip(root.as_ref()).filter(|(name, root)| name != root) {
            compared.reasons.push(format!("`{name}` is `{root}` now"));
        }
        let probe = match self.probe_again(pack, root) {
            Ok(probe) => probe,
            // Its profile, agent, job or handover is gone.
            Err(Failure::Usage(why) | Failure::Input(why) | Failure::NotFound(_, why) | Failure::Unauthorized(why)) => {
                return Ok(compared.ended(PackStatus::Orphaned, Some(why)));
            }
            Err(failure) => return Err(failure),
        };
        let (mut sealed, mut report) = probe.report(self.repository.files(), probe.limits)?;
        let own = own_limits(&pack.budget);
        let is_within = |sealed: &Sealed| limits(&sealed.pack().budget) == limits(&pack.budget);
        // A pack of which no limit could be read has those of today.
        let has_limit = own.max_chars.or(own.max_bytes).or(own.max_tokens).is_some();
        if has_limit && !sealed.as_ref().is_some_and(is_within) {
            (sealed, report) = probe.report(self.repository.files(), own)?;
            let note = "its limits are not the configured ones, and it is compared within its own";
            compared.reasons.extend(sealed.is_some().then(|| note.to_owned()));
        }
        compared.diagnostics = report.diagnostics;
        let Some(sealed) = sealed else {
            let errors = compared.diagnostics.iter().filter(|fault| fault.severity == Severity::Error);
            compared.reasons.extend(errors.map(|error| error.message.clone()));
            return Ok(compared.ended(PackStatus::Failed, None));
        };
        let has_its_hash = content_hash(bytes).is_some_and(|digest| digest.to_string() == sealed.pack().hash);
        let (status, reasons) = match compared.old.faults.is_empty() {
            _ if has_its_hash => (PackStatus::Fresh, Vec::new()),
            true => self.project.compare(bytes, &sealed),
            // The faults say why.
            false => (PackStatus::Edited, Vec::new()),
        };
        compared.reasons.extend(reasons);
        Ok(ComparedPack { status, new: Some(self.project.scrubbed(sealed.pack())), ..compared })
    }

    /// Returns the name that the root of a pack has now. An item that has another id now is in the same file, or claims the
    /// same issue.
    fn root_now(&self, pack: &Pack, name: &str) -> Result<String, EngineError> {
        let found = |typed: &str| self.find_roots(&[typed.to_owned()]);
        let error = match found(name) {
            Ok(_) => return Ok(name.to_owned()),
            Err(error) => error,
        };
        let of_root = pack
            .inputs
            .iter()
            .filter(|input| input.kind == OriginKind::WorkItem.name() && input.id.as_deref() == Some(name));
        let paths = of_root.filter_map(|input| input.path.as_deref());
        let mut others = paths.chain(pack.root.issue_url.as_deref().filter(|url| *url != name));
        let is_root = matches!(error, EngineError::Root(_));
        let renamed = others.find_map(|other| match found(other).as_deref() {
            Ok([item]) if is_root => Some(self.project.item(*item).id.to_string()),
            _ => None,
        });
        renamed.ok_or(error)
    }

    /// Prepares to build a finished pack again, with the limits that such a pack has now: with the same key but for its `root`,
    /// which may have another name now, or from the cards of the same handover.
    pub(crate) fn probe_again(&self, pack: &Pack, root: Option<String>) -> Result<BudgetProbe<'_, 'r>, Failure> {
        if let Some(handover) = &pack.handover {
            return self.probe_handover(pack, handover);
        }
        let PackKey { agent, profile, policy, job, .. } = PackKey::of(pack);
        let job = job.as_ref().and_then(|name| self.repository.settings().jobs.get_key_value(name));
        self.probe(&PackTarget {
            root: root.as_deref(),
            profiles: profile.as_slice(),
            limits: BudgetLimits::default(),
            agent: agent.as_deref(),
            policy: policy.as_deref().and_then(Policy::named),
            job: job.map(|(name, job)| (name.as_str(), job)),
        })
    }

    /// Prepares the pack of a handover to be built again from its context box, at the time at which it was made.
    fn probe_handover(&self, pack: &Pack, handover: &PackHandover) -> Result<BudgetProbe<'_, 'r>, Failure> {
        let Self { repository, project, .. } = self;
        let store = CardStore::new(repository.root(), repository.settings().handover.dir.clone());
        let given = |section: &Section| CardSource::ALL.into_iter().find(|given| given.name() == section.provenance);
        let own = pack.sections.iter().filter_map(|section| {
            let given = given(section).filter(|given| *given != CardSource::Inherited)?;
            Some((section.metadata.card.as_ref()?.id.as_str(), given))
        });
        let PackHandover { context_box_id, target_profile_box_id, output_box, .. } = handover;
        let now = &pack.generated_at;
        let plan = replay(context_box_id, target_profile_box_id, output_box, &own.collect(), &store, now);
        let redacted = |message: String| project.redacted_line(&message);
        let plan = plan.map_err(|error| Failure::from(error).map_message(redacted))?;
        let key = pack.agent.as_ref().map_or("", |agent| agent.key.as_str());
        let agent = project.agent_of_handover(key)?;
        let root = pack.root.name().filter(|root| *root != key);
        let item = root_item(self, root)?;
        let handed = project.handed_over(&handover.recipe, handover.from.as_deref(), &plan);
        let (_, limits) = repository.with_defaults(project, Some(&agent), &[], BudgetLimits::default())?;
        let agent = Some(AgentContext { handover: Some(handed), ..agent });
        Ok(BudgetProbe { project, item, profile: pack.profile.clone(), limits, stamp: stamp()?, agent })
    }
}

/// Returns the limits within which a pack was built.
pub(crate) fn own_limits(budget: &PackBudget) -> BudgetLimits {
    let PackBudget { max_chars, max_bytes, max_tokens, .. } = *budget;
    let strategy = Strategy::ALL.into_iter().find(|strategy| strategy.name() == budget.strategy);
    let margin = budget.margin.and_then(|margin| u8::try_from(margin).ok()).filter(|margin| *margin <= 90);
    BudgetLimits { max_chars, max_bytes, max_tokens, strategy, margin }
}

pub(crate) fn root_item(opened: &OpenedRepository<'_>, root: Option<&String>) -> Result<Option<usize>, Failure> {
    let Some(root) = root else { return Ok(None) };
    Ok(opened.find_roots(std::slice::from_ref(root))?.first().copied())
}

/// The message may quote what was given, so that the caller redacts it.
impl From<CardError> for Failure {
    fn from(error: CardError) -> Self {
        match error {
            CardError::BadRequest(message) => Self::Usage(message),
            CardError::NotFound(message) => Self::NotFound(Exit::Input, message),
            CardError::Unauthorized(message) => Self::Unauthorized(message),
            CardError::Invalid(message) | CardError::Secret(message) => Self::Input(message),
            CardError::Store(error @ StoreError::Link { .. }) => Self::Input(error.to_string()),
            CardError::Store(error) => error.into(),
        }
    }
}
