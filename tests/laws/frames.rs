//! A rendering is read back into exactly the sections and omissions of its pack, whatever they say.

use super::grammar::{self, Framed, Line, cut, flat};
use super::memory::{Office, cases, pack};
use super::texts::{Plan, plan, tags};
use contextpack::internals::engine::BudgetLimits;
use contextpack::internals::render;
use contextpack::internals::wire::{Metadata, Pack, PackOmission, Section, SectionSource};
use proptest::collection::vec;
use proptest::prelude::*;

const PACK: &str = include_str!("../golden/minimal/packs/feat-greeting.coding.json");

fn is_pointer(section: &Section) -> bool {
    section.metadata.detail == "pointer" && !["work_item_json", "edge_list"].contains(&&*section.kind)
}

/// The frames that a pack's rendering has to hold, and the lines of its list of pointers.
fn expected(pack: &Pack) -> (Vec<Framed>, Vec<String>) {
    let sections = pack.sections.iter().filter(|section| section.kind != "instructions");
    let (pointers, sections): (Vec<&Section>, Vec<&Section>) = sections.partition(|section| is_pointer(section));
    let frames = sections
        .into_iter()
        .map(|section| {
            let Metadata { trust, state, status, .. } = &section.metadata;
            let state = state.clone().or_else(|| status.clone()).unwrap_or_default();
            let place = render::place(&section.source);
            let attributes =
                [section.id.clone(), section.kind.clone(), place, trust.clone().unwrap_or_default(), state];
            Framed { attributes: attributes.map(|value| flat(&value)), content: section.content.clone() }
        })
        .collect();
    (frames, pointers.into_iter().map(|section| section.content.clone()).collect())
}

fn listed(pack: &Pack) -> Vec<Line> {
    let line = |omission: &PackOmission| {
        let untrusted = omission.trust.is_some();
        let (title, place) = if untrusted { (40, 200) } else { (100, usize::MAX) };
        let what = match omission.id.split_once('.') {
            Some((relation @ ("parent" | "child" | "dependency" | "related"), id)) => {
                format!("{relation} {id}")
            }
            Some((kind @ ("adr" | "file" | "code"), _)) => kind.to_owned(),
            _ => String::new(),
        };
        Line {
            what: cut(&what, if untrusted { 200 } else { usize::MAX }),
            title: cut(&omission.title, title),
            reason: flat(&omission.reason),
            untrusted,
            place: cut(&render::place(&omission.source), place),
        }
    };
    pack.omissions.iter().take(10).map(line).collect()
}

/// Whether the rendering of a pack is exactly what the grammar says.
fn lawful(pack: &Pack) {
    let parts = render::pack(pack);
    let read = grammar::two(&parts.whole());
    assert_eq!(read.instructions, parts.instructions);
    assert_eq!(read.instructions, format!("{}\n\n", pack.sections[0].content.trim_end()));
    assert_eq!((read.frames, read.pointers), expected(pack));
    assert_eq!((read.count, read.lines), (pack.omissions.len(), listed(pack)));
    let tag = read.tag;
    for text in pack.sections[1..].iter().map(|section| &section.content) {
        let text = text.to_ascii_lowercase();
        let used = |mark| {
            text.match_indices(&format!("{mark}{tag}")).any(|(at, used)| {
                // `section-2` is not used by `section-20`, and `section` is by both.
                tag == "section" || !text[at + used.len()..].starts_with(|c: char| c.is_ascii_digit())
            })
        };
        assert!(!used("<") && !used("</"), "{tag} in {text}");
    }
}

fn hostile() -> impl Strategy<Value = Pack> {
    let section = (tags(), tags(), any::<bool>());
    let omission = (tags(), tags(), any::<bool>());
    let one = vec(section, 1..6);
    (prop_oneof![4 => Just("Do.".to_owned()), 1 => tags()], one, vec(omission, 0..13)).prop_map(
        |(instructions, sections, omissions)| {
            let mut pack: Pack = serde_json::from_str(PACK).unwrap();
            pack.budget.rendering = "markdown/2".to_owned();
            pack.sections.truncate(1);
            pack.sections[0].content = instructions;
            let trust = |trusted: bool| Some(if trusted { "trusted" } else { "untrusted" }.to_owned());
            for (content, other, trusted) in sections {
                pack.sections.push(Section {
                    id: other.clone(),
                    kind: "issue".to_owned(),
                    title: other.clone(),
                    source: SectionSource { path: Some(other.clone()), ..SectionSource::default() },
                    provenance: "root".to_owned(),
                    content,
                    metadata: Metadata { trust: trust(trusted), state: Some(other), ..Metadata::default() },
                    extra: Default::default(),
                });
            }
            pack.omissions = omissions
                .into_iter()
                .map(|(title, place, trusted)| PackOmission {
                    id: format!("child.{title}"),
                    title,
                    source: SectionSource { url: Some(place), ..SectionSource::default() },
                    provenance: "child".to_owned(),
                    reason: "budget".to_owned(),
                    trust: trust(trusted).filter(|_| !trusted),
                    chars: None,
                    tokens: None,
                    extra: Default::default(),
                })
                .collect();
            pack
        },
    )
}

proptest! {
    #![proptest_config(cases(400))]

    #[test]
    fn a_rendering_is_read_back_into_exactly_its_pack(pack in hostile()) {
        lawful(&pack);
    }

    #[test]
    fn so_is_that_of_a_pack_of_an_earlier_version(mut pack in hostile()) {
        pack.budget.rendering = "markdown/1".to_owned();
        let context = render::pack(&pack).context;
        let (frames, rest) = grammar::one(&context);
        prop_assert_eq!(frames.len(), pack.sections.len() - 1);
        for (frame, section) in frames.iter().zip(&pack.sections[1..]) {
            prop_assert_eq!(&frame.content, &section.content);
        }
        let count = if pack.omissions.is_empty() { "nothing".to_owned() } else { pack.omissions.len().to_string() };
        prop_assert!(rest.starts_with(&format!("Left out: {count}\n")), "{rest}");
        prop_assert_eq!(rest.lines().count(), 1 + pack.omissions.len().min(10) + usize::from(pack.omissions.len() > 10));
    }
}

proptest! {
    #![proptest_config(cases(24))]

    #[test]
    fn what_a_build_makes_of_such_texts_is_read_back_at_every_budget(plan in plan(), tags in vec(tags(), 3), chars in 1500_u64..9000) {
        let mut plan: Plan = plan;
        for (text, tags) in plan.bodies.iter_mut().map(|(text, _)| text).chain(&mut plan.adrs).zip(tags) {
            text.push_str("\n\n");
            text.push_str(&tags);
        }
        let (office, memory) = (Office::new(""), plan.memory());
        let project = office.project(&memory);
        for max_chars in [chars, 200_000] {
            let limits = BudgetLimits { max_chars: Some(max_chars), ..BudgetLimits::default() };
            if let Ok(sealed) = pack(&project, "T-0", limits) {
                lawful(sealed.pack());
                let used = render::pack(sealed.pack()).whole().chars().count() as u64;
                prop_assert_eq!(sealed.pack().budget.used_chars, used);
                prop_assert!(used <= max_chars, "{} of {}", used, max_chars);
            }
        }
    }
}
