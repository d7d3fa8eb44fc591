//! The laws of packs for an agent, over random documents of random agents.

use super::budget::grows;
use super::memory::{Memory, Office, STRATEGIES, cases, chars};
use super::sandbox::{Sandbox, run};
use contextpack::internals::config::{Policy, RedactionSettings};
use contextpack::internals::engine::{AgentContext, BudgetLimits, BuildJob, Project};
use contextpack::internals::model::{CardSource, Diagnostic, Digest};
use contextpack::internals::redact::{Clean, Piece, Redactor};
use contextpack::internals::render;
use contextpack::internals::seal::{Sealed, Stamp};
use contextpack::internals::select::{CardContentText, CardText, HandedOver, HandoverLabel, RecentChanges};
use contextpack::internals::wire::Pack;
use proptest::prelude::*;
use std::sync::Arc;

const AGENTS: [&str; 2] = ["a0", "a1"];

/// A document: where it is, whose it is, and what it says of itself.
#[derive(Debug, Clone)]
struct Doc {
    /// 0 is global, then the agents, then an agent that does not exist.
    scope: usize,
    /// Whether the folder says whose it is, rather than the front matter.
    by_folder: bool,
    pinned: bool,
    weight: i32,
    secret: bool,
    /// Whether the root refers to it.
    referenced: bool,
    rules: usize,
}

#[derive(Debug, Clone)]
struct Tree {
    docs: Vec<Doc>,
    pinned: usize,
    relevant: usize,
}

fn tree() -> impl Strategy<Value = Tree> {
    let flags = (any::<bool>(), any::<bool>(), prop::bool::weighted(0.2), prop::bool::weighted(0.3));
    let doc = (0_usize..4, flags, -2_i32..3, 0_usize..30).prop_map(|(scope, flags, weight, rules)| {
        let (by_folder, pinned, secret, referenced) = flags;
        Doc { scope, by_folder: by_folder && scope < 3, pinned, weight, secret, referenced, rules }
    });
    let docs = prop::collection::vec(doc, 0..14);
    (docs, 0_usize..5, 0_usize..4).prop_map(|(docs, pinned, relevant)| Tree { docs, pinned, relevant })
}

impl Tree {
    fn path(&self, at: usize) -> String {
        match &self.docs[at] {
            Doc { by_folder: true, scope: scope @ 1.., .. } => format!("knowledge/{}/d{at}.md", AGENTS[scope - 1]),
            _ => format!("knowledge/d{at}.md"),
        }
    }

    fn config(&self) -> String {
        format!(
            "version: 1\noverview: about.md\ncontext: {{pinned: {}, relevant: {}}}\ndocuments:\n  \
             - {{include: ['knowledge/a0/**'], agent: a0}}\n  - {{include: ['knowledge/a1/**'], agent: a1}}\n  \
             - {{include: ['knowledge/**']}}\n",
            self.pinned, self.relevant
        )
    }

    fn files(&self) -> Vec<(String, String)> {
        let mut root = "---\nid: T-0\ntitle: Handle the parcels\n---\nParcels get lost.\n\n".to_owned();
        let mut files = vec![("about.md".to_owned(), "# About\n\nIt is about parcels.\n".to_owned())];
        for agent in AGENTS {
            let text = format!("---\npurpose: handle parcels\n---\nThe soul of {agent}.\n");
            files.push((format!("agents/{agent}.md"), text));
        }
        for (at, doc) in self.docs.iter().enumerate() {
            let mut front = format!("---\npinned: {}\nweight: {}\n", doc.pinned, doc.weight);
            if !doc.by_folder && doc.scope > 0 {
                front += &format!("agent: {}\n", ["a0", "a1", "nobody"][doc.scope - 1]);
            }
            if doc.secret {
                front += "sensitivity: contains_secrets\n";
            } else {
                front += &format!("title: title-{at}-x\n");
            }
            let rules: String =
                (0..doc.rules).map(|n| format!("You must never lose parcel {n} of body-{at}-x.\n\n")).collect();
            files.push((
                self.path(at),
                format!("{front}---\n# Parcels of body-{at}-x\n\nA parcel has a body-{at}-x.\n\n{rules}"),
            ));
            if doc.referenced {
                root += &format!("See {}.\n\n", self.path(at));
            }
        }
        files.push(("work_items/root.md".to_owned(), root));
        files
    }

    /// Whether packs for the agent, or for none, may name the document.
    fn admits(&self, at: usize, agent: Option<usize>) -> bool {
        self.docs[at].scope == 0 || agent.is_some_and(|agent| self.docs[at].scope == agent + 1)
    }
}

fn build(
    project: &Project<'_>,
    root: bool,
    agent: Option<(usize, Policy)>,
    limits: BudgetLimits,
) -> Result<Sealed, Diagnostic> {
    build_given(project, root, agent, limits, None)
}

/// Builds a pack with what was handed over.
fn build_given(
    project: &Project<'_>,
    root: bool,
    agent: Option<(usize, Policy)>,
    limits: BudgetLimits,
    handover: Option<Arc<HandedOver>>,
) -> Result<Sealed, Diagnostic> {
    let line = Clean::literal("- 2026-01-01 00:00 Change the parcels _(A)_");
    let agent = agent.map(|(agent, policy)| AgentContext {
        faults: Vec::new(),
        agent: project.knowledge().agents.find(AGENTS[agent]).unwrap(),
        policy,
        changes: RecentChanges { lines: vec![line; 20], remark: None },
        vectors: Arc::default(),
        job: None,
        handover,
    });
    let roots = if root { vec![project.find("T-0").unwrap()] } else { Vec::new() };
    let stamp = Stamp::new("2026-01-02T03:04:05Z".to_owned());
    let profiles = vec!["coding".to_owned()];
    let job =
        BuildJob { roots, others: Vec::new(), profiles, limits, stamp, agent, session_start: !root, are_named: root };
    let (mut built, faults) = project.build(&job, None, &|one| one.outcome).unwrap();
    assert_eq!(faults, Vec::new());
    built.pop().unwrap()
}

/// A card: whether it is expired, who says it, and its paragraphs.
type CardShape = (bool, bool, Vec<usize>);

/// Cards that are inherited, one of an argument and one that names the source.
fn handed(shapes: &[CardShape], task: usize) -> Arc<HandedOver> {
    let redactor = Redactor::new(&RedactionSettings::default());
    let clean = |text: &str| redactor.scrub("", &[Piece { key: "body", text, line: 1 }]).texts.remove(0);
    let card = |given: CardSource, n: usize, role: &'static str, text: &str| CardText {
        hex: Digest::of(format!("{n}")).to_string()[7..].to_owned(),
        given,
        content: Ok(CardContentText {
            parties: Clean::default(),
            kind: clean("agent.thought"),
            role,
            author: clean("planner"),
            text: clean(text),
            removals: Vec::new(),
        }),
    };
    let paragraphs = |n: usize, lengths: &[usize]| -> String {
        lengths.iter().map(|length| format!("{}\n\n", format!("Card {n} says so. ").repeat(*length))).collect()
    };
    let mut cards: Vec<CardText> = Vec::new();
    for (n, (expired, tool, lengths)) in shapes.iter().enumerate() {
        let shown = card(CardSource::Inherited, n, if *tool { "tool" } else { "assistant" }, &paragraphs(n, lengths));
        cards.push(if *expired { CardText { content: Err("expired"), ..shown } } else { shown });
    }
    cards.push(card(CardSource::Argument, 1000, "user", &format!("The whole task. {}", paragraphs(1000, &[task]))));
    cards.push(card(CardSource::ParentPointer, 1001, "system", "The parent."));
    let label = HandoverLabel {
        recipe: "delegate".to_owned(),
        from: None,
        context_box: clean("x"),
        profile_box: clean("x"),
        output_box: Clean::literal("log"),
    };
    Arc::new(HandedOver { label, cards })
}

/// Everything of a pack that anyone reads.
fn all_text(sealed: &Sealed) -> String {
    String::from_utf8(sealed.bytes().to_vec()).unwrap() + &render::pack(sealed.pack()).whole()
}

fn whole() -> BudgetLimits {
    BudgetLimits { max_bytes: Some(1 << 40), ..BudgetLimits::default() }
}

/// No text of a document that the pack must not hold, and no trace of one that the root does not name.
fn keeps_to_its_scope(tree: &Tree, sealed: &Sealed, agent: Option<usize>, root: bool) {
    let text = all_text(sealed);
    for (at, doc) in tree.docs.iter().enumerate() {
        if doc.secret || !tree.admits(at, agent) {
            assert!(!text.contains(&format!("body-{at}-x")), "body of {at}");
        }
        if !tree.admits(at, agent) {
            assert!(!text.contains(&format!("title-{at}-x")), "title of {at}");
            let named = root && doc.referenced;
            assert!(named || !text.contains(&tree.path(at)), "path of {at}");
            let id = format!("file.{}", tree.path(at));
            let left = sealed.pack().omissions.iter().find(|left| left.id == id);
            assert!(left.is_none_or(|left| ["other_agent", "policy"].contains(&&*left.reason)), "{left:?}");
        }
    }
}

/// Limits hold, and each document that the pack could hold is in it or left out with a reason.
fn loses_nothing(tree: &Tree, pack: &Pack, agent: Option<usize>, root: bool) {
    let of = |provenance: &str| pack.sections.iter().filter(|section| section.provenance == provenance).count();
    assert!(of("pinned") <= tree.pinned && of("relevant") <= tree.relevant);
    for (at, doc) in tree.docs.iter().enumerate().filter(|(at, _)| tree.admits(*at, agent)) {
        let ids = [format!("doc.{}", tree.path(at)), format!("file.{}", tree.path(at))];
        let is_one = |id: &str| ids.iter().any(|known| known == id);
        let shown = pack.sections.iter().filter(|section| is_one(&section.id)).count();
        let left = pack.omissions.iter().filter(|left| is_one(&left.id)).count();
        assert!(shown + left <= 1, "{at} stands {shown} times and is left out {left} times");
        assert!(shown + left == 1 || !(doc.pinned || root && doc.referenced), "{at} is nowhere");
    }
}

proptest! {
    #![proptest_config(cases(12))]

    #[test]
    fn scopes_limits_and_omissions_hold_for_every_agent_and_policy(tree in tree(), max in 3000_u64..9000) {
        let (office, memory) = (Office::new(&tree.config()), Memory::new(tree.files()));
        let project = office.project(&memory);
        for root in [true, false] {
            let agents = (0..AGENTS.len()).flat_map(|agent| Policy::ALL.map(|policy| Some((agent, policy))));
            for asked in agents.chain(root.then_some(None)) {
                let agent = asked.map(|(agent, _)| agent);
                for limits in [whole(), chars(max, STRATEGIES[0])] {
                    let Ok(sealed) = build(&project, root, asked, limits) else { continue };
                    keeps_to_its_scope(&tree, &sealed, agent, root);
                    loses_nothing(&tree, sealed.pack(), agent, root);
                }
            }
        }
    }

    #[test]
    fn no_budget_is_passed_and_more_budget_takes_nothing_away(
        tree in tree(),
        mut limits in prop::collection::vec(2500_u64..16_000, 8),
        near in 3000_u64..9000,
        root in any::<bool>(),
    ) {
        limits.extend([near, near + 1, near + 2, near + 40]);
        limits.sort_unstable();
        let (office, memory) = (Office::new(&tree.config()), Memory::new(tree.files()));
        let project = office.project(&memory);
        for strategy in STRATEGIES {
            let mut before: Option<Pack> = None;
            for limit in &limits {
                let Ok(sealed) = build(&project, root, Some((0, Policy::Expanded)), chars(*limit, strategy)) else {
                    prop_assert!(before.is_none(), "{} is too small, and less was not", limit);
                    continue;
                };
                let pack = sealed.pack().clone();
                let used = render::pack(&pack).whole().chars().count() as u64;
                prop_assert!(used <= *limit && used == pack.budget.used_chars, "{} of {}", used, limit);
                for id in ["instructions", "agent"] {
                    prop_assert!(pack.sections.iter().any(|section| section.id == id));
                }
                if let Some(before) = &before {
                    grows(before, &pack);
                }
                before = Some(pack);
            }
        }
    }
}

proptest! {
    #![proptest_config(cases(10))]

    #[test]
    fn what_is_given_stays_whole_and_the_oldest_inherited_card_leaves_first(
        shapes in prop::collection::vec(
            (prop::bool::weighted(0.1), any::<bool>(), prop::collection::vec(1_usize..12, 1..5)),
            0..25,
        ),
        task in 1_usize..20,
        mut limits in prop::collection::vec(3500_u64..16_000, 6),
        near in 4000_u64..9000,
        root in any::<bool>(),
    ) {
        limits.extend([near, near + 1, near + 2, near + 40]);
        limits.sort_unstable();
        let tree = Tree { docs: Vec::new(), pinned: 3, relevant: 3 };
        let (office, memory) = (Office::new(&tree.config()), Memory::new(tree.files()));
        let project = office.project(&memory);
        let handed = handed(&shapes, task);
        for strategy in STRATEGIES {
            let mut before: Option<Pack> = None;
            for limit in &limits {
                let asked = Some((0, Policy::Default));
                let built = build_given(&project, root, asked, chars(*limit, strategy), Some(Arc::clone(&handed)));
                let Ok(sealed) = built else {
                    prop_assert!(before.is_none(), "{} is too small, and less was not", limit);
                    continue;
                };
                let pack = sealed.pack().clone();
                let used = render::pack(&pack).whole().chars().count() as u64;
                prop_assert!(used <= *limit && used == pack.budget.used_chars, "{} of {}", used, limit);
                let shown = |n: usize| {
                    let id = format!("card.{}", &handed.cards[n].hex[..12]);
                    let left = pack.omissions.iter().any(|left| left.id == id);
                    let section = pack.sections.iter().find(|section| section.id == id);
                    assert!(left != section.is_some(), "{id} stands once or is left out");
                    section.map(|section| section.metadata.detail.clone())
                };
                let own = shapes.len()..handed.cards.len();
                prop_assert!(own.clone().all(|n| shown(n).as_deref() == Some("full")));
                // Those that left are the oldest, whatever the strategy; `truncate_tail` leaves from the end of the pack.
                let there: Vec<bool> =
                    (0..shapes.len()).filter(|n| !shapes[*n].0).map(|n| shown(n).is_some()).collect();
                let is_sorted = if pack.budget.strategy == "truncate_tail" {
                    there.is_sorted_by_key(|there| !there)
                } else {
                    there.is_sorted()
                };
                prop_assert!(is_sorted, "{:?} by {}", there, pack.budget.strategy);
                if let Some(before) = &before {
                    grows(before, &pack);
                }
                before = Some(pack);
            }
        }
    }
}

proptest! {
    #![proptest_config(cases(3))]

    #[test]
    fn two_clones_in_two_time_zones_give_the_same_bytes(tree in tree()) {
        let first = Sandbox::new();
        first.write("contextpack.yml", tree.config());
        tree.files().into_iter().for_each(|(path, text)| first.write(&path, text));
        first.commit();
        let second = Sandbox::named("another place");
        std::fs::remove_dir(second.root()).unwrap();
        first.git(&["clone", "-q", first.root().to_str().unwrap(), second.root().to_str().unwrap()]);
        for args in [&["build", "T-0", "--agent", "a0", "--policy", "expanded"][..], &["render", "--agent", "a1"]] {
            let given = [(&first, "UTC", "1"), (&second, "Asia/Tokyo", "3")].map(|(sandbox, zone, threads)| {
                let mut command = sandbox.command(args);
                command.env("TZ", zone).env("RAYON_NUM_THREADS", threads).env("LC_ALL", "tr_TR.UTF-8");
                run(command, "")
            });
            // A document of an agent that does not exist is an error, which ends the command after its output.
            let has_unknown_agent = tree.docs.iter().any(|doc| !doc.by_folder && doc.scope == 3);
            prop_assert_eq!(given[0].code, if has_unknown_agent { 3 } else { 0 }, "{:?}", &given[0]);
            prop_assert_eq!(&given[0], &given[1]);
        }
    }
}
