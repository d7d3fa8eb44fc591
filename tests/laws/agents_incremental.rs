//! Whatever happens to agents, documents and notes between builds, a session gives an agent what a new one gives it.

use super::incremental::{Files, TICK, caches, write};
use super::memory::cases;
use contextpack::internals::config::Policy;
use contextpack::internals::engine::{AgentRequest, Session, SessionRequest};
use contextpack::internals::redact::Environment;
use contextpack::internals::seal::Stamp;
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::Duration;

/// What somebody does between two builds.
#[derive(Debug, Clone)]
enum Step {
    /// The file of the agent that packs are for.
    Agent(usize),
    /// The file of the other agent.
    Other(usize),
    Document(usize, usize, usize),
    NoDocument(usize),
    Notes(usize, usize),
    NoNotes(usize),
    Overview(usize),
    Activity(usize),
    Item(usize, usize),
    NoItem(usize),
    Configure(usize),
    Restart,
    Nothing,
}

fn step() -> impl Strategy<Value = Step> {
    let at = 0..4_usize;
    prop_oneof![
        3 => (0..AGENT.len()).prop_map(Step::Agent),
        1 => (0..OTHER.len()).prop_map(Step::Other),
        5 => (at.clone(), 0..FRONT.len(), 0..TEXT.len()).prop_map(|(at, front, text)| Step::Document(at, front, text)),
        1 => at.clone().prop_map(Step::NoDocument),
        3 => (at.clone(), 0..NOTES.len()).prop_map(|(at, notes)| Step::Notes(at, notes)),
        1 => at.clone().prop_map(Step::NoNotes),
        1 => (0..3_usize).prop_map(Step::Overview),
        2 => (0..ACTIVITY.len()).prop_map(Step::Activity),
        2 => (0..3_usize, 0..TEXT.len()).prop_map(|(at, text)| Step::Item(at, text)),
        1 => (0..3_usize).prop_map(Step::NoItem),
        2 => (0..CONFIG.len()).prop_map(Step::Configure),
        1 => Just(Step::Restart),
        1 => Just(Step::Nothing),
    ]
}

/// Files of an agent; an empty one stands for none.
const AGENT: [&str; 7] = [
    "---\npurpose: find parcels in tunnels\n---\nYou read first.\n",
    "---\npurpose: send letters by rail\nrole: sorter\n---\nYou read first.\n",
    "---\npolicy: minimal\nprofile: review\n---\nYou are short.\n",
    "---\nbudget: {max_chars: 5000}\n---\nYou have little room.\n",
    "---\nbudget: all\n---\nBroken.\n",
    "---\nkey: agent:else:where\nname: a0\n---\nElsewhere.\n",
    "",
];
const OTHER: [&str; 3] = ["---\nname: Other\n---\nOther.\n", "---\nname: a0\n---\nTwice.\n", ""];
const FRONT: [&str; 8] = [
    "",
    "pinned: true\n",
    "pinned: true\nweight: 7\n",
    "agent: a0\npinned: true\n",
    "agent: a1\npinned: true\n",
    "agent: a1\n",
    "doc_type: credentials\npinned: true\n",
    "doc_type: project_user\n",
];
const TEXT: [&str; 5] = [
    "# Parcels\n\nParcels go by rail. Never open a parcel.\n",
    "# Letters\n\n- Always stamp letters.\n- Letters go first.\n",
    "# Tunnels\n\nTunnels are dark; see knowledge/d1.md and knowledge/d2.md.\n",
    "# Tunnels\n\nTunnels are long, and parcels get lost.\n\n## Rules\n\n- Lamps on.\n",
    "",
];
const NOTES: [&str; 3] = [
    "summary: [Parcels and what becomes of them.]\n",
    "summary: [Written long ago.]\nsource_digest: sha256:00\n",
    "summary: {no: notes}\n",
];
const ACTIVITY: [&str; 4] = [
    "",
    "{\"at\": \"2026-02-06T10:15:00Z\", \"message\": \"A parcel came\"}\n",
    "{\"at\": \"2026-02-07T10:15:00Z\", \"message\": \"It went\", \"actor\": \"a1\"}\n",
    "no JSON\n",
];
const CONFIG: [&str; 5] = [
    "version: 1\noverview: docs/overview.md\ndocuments: [{include: [\"knowledge/*.md\"]}]\ncontext: {activity: [log.jsonl]}\n",
    "version: 1\ndocuments: [{include: [\"knowledge/*.md\"], pinned: true}]\ncontext: {pinned: 2, policy: expanded}\n",
    "version: 1\ndocuments: [{include: [\"knowledge/d0.md\"], agent: a1}, {include: [\"knowledge/*.md\"]}]\ncontext: {policy: expanded, relevant: 1}\n",
    "version: 1\noutput: {markdown: true, profiles: [review, coding]}\n",
    "version: 1\nno_such: 1\n",
];

fn put(files: &mut Files, path: &str, text: &str) {
    match text {
        "" => drop(files.remove(path)),
        text => drop(files.insert(path.to_owned(), text.to_owned())),
    }
}

impl Step {
    fn apply(&self, files: &mut Files) {
        let document = |at: &usize| format!("knowledge/d{at}.md");
        match self {
            Self::Agent(which) => put(files, "agents/a0.md", AGENT[*which]),
            Self::Other(which) => put(files, "agents/a1.md", OTHER[*which]),
            Self::Document(at, front, text) => {
                put(files, &document(at), &format!("---\ntitle: D{at}\n{}---\n{}", FRONT[*front], TEXT[*text]));
            }
            Self::NoDocument(at) => put(files, &document(at), ""),
            Self::Notes(at, which) => put(files, &(document(at) + ".notes.yml"), NOTES[*which]),
            Self::NoNotes(at) => put(files, &(document(at) + ".notes.yml"), ""),
            Self::Overview(which) => put(files, "docs/overview.md", TEXT[*which]),
            Self::Activity(which) => put(files, "log.jsonl", ACTIVITY[*which]),
            Self::Item(at, text) => {
                let text = format!("---\nid: T-{at}\ntitle: Item {at}\nrelated: T-0\n---\n\n{}", TEXT[*text]);
                put(files, &format!("work_items/t-{at}.md"), &text);
            }
            Self::NoItem(at) => put(files, &format!("work_items/t-{at}.md"), ""),
            Self::Configure(which) => put(files, "contextpack.yml", CONFIG[*which]),
            Self::Restart | Self::Nothing => {}
        }
    }
}

fn start() -> Files {
    let mut files = Files::new();
    let steps = [
        Step::Configure(0),
        Step::Agent(0),
        Step::Other(0),
        Step::Overview(0),
        Step::Activity(1),
        Step::Document(0, 1, 0),
        Step::Document(1, 3, 1),
        Step::Document(2, 4, 2),
        Step::Document(3, 0, 3),
        Step::Item(0, 2),
        Step::Item(1, 0),
    ];
    steps.iter().for_each(|step| step.apply(&mut files));
    files
}

/// Which packs a session builds.
#[derive(Debug, Clone, Copy)]
enum Wanted {
    Start,
    All,
    Root,
}

fn session(root: &Path, wanted: Wanted, policy: Option<Policy>) -> Session {
    let agent = AgentRequest { name: "a0".to_owned(), policy, all_roots: matches!(wanted, Wanted::All) };
    let request = SessionRequest {
        root: root.to_owned(),
        roots: if matches!(wanted, Wanted::Root) { vec!["T-0".to_owned()] } else { Vec::new() },
        agent: Some(agent),
        caches: Some(caches()),
        rest: Some(Duration::ZERO),
        ..SessionRequest::default()
    };
    Session::new(request, Environment::new(std::iter::empty()))
}

/// The packs of a build by name, what it reports, or why there is none.
fn build(session: &mut Session) -> Result<(BTreeMap<String, String>, Vec<String>), String> {
    let update = session.build(Stamp::new("2026-01-02T03:04:05Z".to_owned())).map_err(|error| error.to_string())?;
    let text = |name: &String| String::from_utf8(session.delivered().read(name).unwrap().unwrap()).unwrap();
    let packs = session.packs().keys().map(|name| (name.clone(), text(name))).collect();
    let diagnostics = update.diagnostics.iter().map(ToString::to_string);
    Ok((packs, diagnostics.chain(update.unresolved.iter().map(ToString::to_string)).collect()))
}

proptest! {
    #![proptest_config(cases(12))]

    #[test]
    fn a_session_for_an_agent_gives_what_a_new_one_gives(
        wanted in prop_oneof![Just(Wanted::Start), Just(Wanted::All), Just(Wanted::Root)],
        policy in prop_oneof![Just(None), Just(Some(Policy::Expanded)), Just(Some(Policy::Minimal))],
        steps in prop::collection::vec(step(), 1..9),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        let mut files = start();
        write(root, &Files::new(), &files);
        let mut running = session(root, wanted, policy);
        build(&mut running).unwrap();
        for (at, step) in steps.iter().enumerate() {
            let before = files.clone();
            step.apply(&mut files);
            write(root, &before, &files);
            std::thread::sleep(TICK);
            if matches!(step, Step::Restart) {
                running = session(root, wanted, policy);
            }
            let found = build(&mut running);
            let other = tempfile::tempdir().unwrap();
            write(other.path(), &Files::new(), &files);
            let expected = build(&mut session(other.path(), wanted, policy));
            prop_assert_eq!(&found, &expected, "after {:?}", &steps[..=at]);
            prop_assert_eq!(build(&mut running), expected, "again after {:?}", &steps[..=at]);
            prop_assert!(fs::metadata(root.join(".contextpack/packs")).is_err(), "nothing is in the folder of packs");
        }
    }
}
