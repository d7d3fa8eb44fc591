//! The raw form of `profiles:`, on top of the built-in ones.

use super::check::{ConfigFaults, SettingPlace};
use super::profiles::{BASE_PROFILE, builtin};
use super::raw::{
    RawBudget, RawCodeDetail, RawFiller, RawGroup, RawListed, RawProfile, RawStrategy, RawTokenizer, RawWhose,
};
use super::settings::{Budget, CodeDetail, Group, Instructions, Profile, Strategy, Tokenizer};
use crate::model::Relation;
use std::collections::BTreeMap;

/// The largest integer that every JSON reader keeps exactly.
const MAX_SAFE_INTEGER: u64 = (1 << 53) - 1;

/// Returns the built-in profiles with the changes and additions of the configuration.
pub(super) fn profiles(
    raw: Option<&BTreeMap<String, RawProfile>>,
    at: SettingPlace<'_>,
    faults: &mut ConfigFaults,
) -> BTreeMap<String, Profile> {
    let mut profiles = builtin();
    for (name, raw) in raw.into_iter().flatten() {
        let at = at.key(name);
        if !faults.name(at, name, "a profile") {
            continue;
        }
        let base = profiles.get(name).or_else(|| profiles.get(BASE_PROFILE)).cloned();
        if let Some(base) = base {
            let profile = apply(Profile { name: name.clone(), ..base }, raw, at, faults);
            profiles.insert(name.clone(), profile);
        }
    }
    profiles
}

fn apply(mut profile: Profile, raw: &RawProfile, at: SettingPlace<'_>, faults: &mut ConfigFaults) -> Profile {
    if let Some(written) = &raw.instructions
        && let Some(path) = faults.path(at.key("instructions"), written)
    {
        profile.instructions = Instructions::File(path);
    }
    if let Some(written) = &raw.budget {
        profile.budget = budget(written, at.key("budget"), faults);
    }
    if let Some(written) = &raw.priority {
        profile.priority = complete(groups(written, at.key("priority"), faults));
    }
    if let Some(written) = &raw.adr_refs_of {
        let help = "add `root`; to leave ADRs or documents out, name them under `leave_out`";
        profile.adr_refs_of = refs_of(written, at.key("adr_refs_of"), help, faults);
    }
    if let Some(written) = &raw.code_refs_of {
        let help = "add `root`; to leave code out, name it under `leave_out`";
        profile.code_refs_of = refs_of(written, at.key("code_refs_of"), help, faults);
    }
    if let Some(detail) = raw.code_detail {
        profile.code_detail = match detail {
            RawCodeDetail::Full => CodeDetail::Full,
            RawCodeDetail::Pointer => CodeDetail::Pointer,
        };
    }
    if let Some(written) = &raw.sections_of {
        let listed = [(RawListed::Blocks, Relation::Blocks), (RawListed::Related, Relation::Related)];
        let kept = listed.into_iter().filter(|(raw, _)| written.contains(raw));
        profile.sections_of = kept.map(|(_, relation)| relation).collect();
    }
    if let Some(written) = &raw.leave_out {
        profile.leave_out = groups(written, at.key("leave_out"), faults);
    }
    if let Some(written) = &raw.key_headings {
        profile.key_headings = faults.texts(at.key("key_headings"), written);
    }
    if let Some(draft_first) = raw.draft_first {
        profile.draft_first = draft_first;
    }
    if let Some(filler) = raw.fill_with {
        profile.fill_with_untrusted = filler == RawFiller::Untrusted;
    }
    profile
}

/// Adds the groups that a priority does not name: knowledge and cards before all others, the rest after them.
pub(super) fn complete(mut named: Vec<Group>) -> Vec<Group> {
    let rest: Vec<Group> = Group::ALL.into_iter().filter(|group| !named.contains(group)).collect();
    for group in rest {
        let at = match group {
            Group::Knowledge => 0,
            Group::Cards => named.iter().position(|known| *known == Group::Knowledge).map_or(0, |at| at + 1),
            _ => named.len(),
        };
        named.insert(at, group);
    }
    named
}

/// Reads whose references are followed; those of the root are always.
fn refs_of(written: &[RawWhose], at: SettingPlace<'_>, help: &str, faults: &mut ConfigFaults) -> Vec<Relation> {
    if !written.contains(&RawWhose::Root) {
        faults.add_help(at, "references of the root are always followed", help);
    }
    let relations: Vec<Relation> = written.iter().filter_map(|whose| relation(*whose)).collect();
    Relation::ALL.into_iter().filter(|relation| relations.contains(relation)).collect()
}

fn budget(raw: &RawBudget, at: SettingPlace<'_>, faults: &mut ConfigFaults) -> Budget {
    let [max_chars, max_tokens, max_bytes] =
        [raw.max_chars, raw.max_tokens, raw.max_bytes].map(|limit| limit.map(|limit| limit.0));
    for (name, limit) in [("max_chars", max_chars), ("max_tokens", max_tokens), ("max_bytes", max_bytes)] {
        match limit {
            Some(0) => {
                faults.add_help(at.key(name), format!("`{name}` is 0"), "give a limit above 0, or remove the line");
            }
            Some(limit) if limit > MAX_SAFE_INTEGER => {
                faults.add(at.key(name), format!("`{name}` is larger than {MAX_SAFE_INTEGER}"));
            }
            _ => {}
        }
    }
    if max_chars.or(max_tokens).or(max_bytes).is_none() {
        let help = "a budget replaces the built-in one whole: give `max_chars`, `max_tokens` or `max_bytes`";
        faults.add_help(at, "the budget has no limit", help);
    }
    let margin = raw.margin.map_or(0, |percent| percent.0);
    if margin > 90 {
        faults.add_help(at.key("margin"), format!("a margin of {margin}% leaves too little"), "give at most 90%");
    }
    let root_share = raw.root_share.map_or(70, |percent| percent.0);
    if root_share < 10 {
        let message = format!("a root share of {root_share}% leaves the root too little");
        faults.add_help(at.key("root_share"), message, "give 10% to 100%");
    }
    Budget {
        max_chars,
        max_bytes,
        max_tokens,
        strategy: match raw.strategy {
            Some(RawStrategy::TruncateTail) => Strategy::TruncateTail,
            Some(RawStrategy::DropLowPriority) => Strategy::DropLowPriority,
            Some(RawStrategy::Both) | None => Strategy::Both,
        },
        tokenizer: match raw.tokenizer {
            Some(RawTokenizer::Cl100kBase) => Tokenizer::Cl100kBase,
            Some(RawTokenizer::O200kBase) | None => Tokenizer::O200kBase,
        },
        margin,
        root_share,
    }
}

fn groups(raw: &[RawGroup], at: SettingPlace<'_>, faults: &mut ConfigFaults) -> Vec<Group> {
    let mut kept = Vec::new();
    for (index, group) in raw.iter().enumerate() {
        let group = match group {
            RawGroup::Parent => Group::Parent,
            RawGroup::Dependencies => Group::Dependencies,
            RawGroup::Children => Group::Children,
            RawGroup::Adrs => Group::Adrs,
            RawGroup::Comments => Group::Comments,
            RawGroup::Documents => Group::Documents,
            RawGroup::Code => Group::Code,
            RawGroup::Related => Group::Related,
            RawGroup::Knowledge => Group::Knowledge,
            RawGroup::Relevant => Group::Relevant,
            RawGroup::Changes => Group::Changes,
            RawGroup::Cards => Group::Cards,
        };
        if kept.contains(&group) {
            faults.add_help(at.item(index), format!("`{}` is given twice", group.name()), "name each group once");
        } else {
            kept.push(group);
        }
    }
    kept
}

fn relation(whose: RawWhose) -> Option<Relation> {
    Some(match whose {
        RawWhose::Root => return None,
        RawWhose::Parent => Relation::Parent,
        RawWhose::Child => Relation::Child,
        RawWhose::DependsOn => Relation::DependsOn,
        RawWhose::BlockedBy => Relation::BlockedBy,
        RawWhose::Blocks => Relation::Blocks,
        RawWhose::Related => Relation::Related,
    })
}
