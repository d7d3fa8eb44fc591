//! Packs for agents under review: what `verify` accepts, how `diff` compares them, and what the page shows.

use crate::agents::office;
use crate::golden::delivered_pack;
use crate::tamper::sealed;
use contextpack::internals::review::verify;
use contextpack::internals::wire::Pack;

fn pack(name: &str) -> Pack {
    serde_json::from_slice(&delivered_pack("agents", name)).unwrap()
}

#[test]
fn verify_knows_the_form_of_packs_for_agents() {
    for name in ["start-minimal", "start-expanded", "issue-minimal", "issue-default", "issue-expanded", "issue-small"] {
        assert_eq!(verify(&delivered_pack("agents", name)).violations, Vec::<String>::new(), "{name}");
        assert_eq!(verify(&sealed(pack(name))).violations, Vec::<String>::new(), "{name}");
    }
    let refused = |change: &dyn Fn(&mut Pack), why: &str| {
        let mut pack = pack("issue-expanded");
        change(&mut pack);
        let violations = verify(&sealed(pack)).violations;
        assert!(violations.iter().any(|violation| violation.contains(why)), "{why}: {violations:?}");
    };
    let document = |pack: &Pack| pack.sections.iter().rposition(|section| section.kind == "document_notes").unwrap();
    refused(&|pack| pack.policy = Some("all".to_owned()), "`policy` is `all`");
    refused(&|pack| pack.policy = None, "`agent` and `policy` together");
    refused(&|pack| (pack.agent, pack.policy) = (None, None), "section `agent` belongs to a pack for an agent");
    refused(
        &|pack| {
            (pack.agent, pack.policy, pack.job) = (None, None, Some("daily".to_owned()));
        },
        "`job` only with them",
    );
    refused(
        &|pack| {
            let at = document(pack);
            pack.sections[at].metadata.rank = Some(1);
        },
        "in the order of relevance",
    );
    refused(
        &|pack| {
            let at = document(pack);
            pack.sections[at].metadata.rank = None;
        },
        "in the order of relevance",
    );
    refused(&|pack| pack.sections.swap(1, 2), "order");
    refused(
        &|pack| {
            let at = pack.sections.iter().position(|section| section.id == "agent").unwrap();
            pack.sections[at].source.kind = "snapshot".to_owned();
        },
        "not from a trusted text",
    );
    refused(&|pack| pack.sections.retain(|section| !section.id.starts_with("root")), "root");
}

#[test]
fn the_packs_of_two_agents_differ_by_agent_policy_and_documents() {
    let sandbox = office();
    sandbox.expect(0, &["build", "feat:root", "--agent", "research", "--policy", "expanded", "--out", "one"]);
    sandbox.expect(0, &["build", "feat:root", "--agent", "ops", "--policy", "default", "--out", "two"]);
    let (one, two) = ("one/feat-root.coding@research.json", "two/feat-root.coding@ops.json");
    let diff = sandbox.expect(0, &["diff", one, two]);
    for part in [
        "agent.key: agent:research:main → agent:ops:blue",
        "policy: expanded → default",
        "doc.knowledge/research/own.md",
        "doc.knowledge/ops/pinned.md",
        "doc.knowledge/tunnels.md",
    ] {
        assert!(diff.contains(part), "{part}: {diff}");
    }
    let json = sandbox.json(0, &["diff", one, two, "--format", "json"]);
    assert!(json.to_string().contains("agent:ops:blue"), "{json}");
    assert_eq!(sandbox.expect(0, &["diff", one, one]).lines().filter(|line| line.contains("agent")).count(), 0);
}

#[test]
fn the_page_has_the_agent_and_why_each_document_is_there() {
    let sandbox = office();
    sandbox.expect(0, &["build", "feat:root", "--agent", "research", "--policy", "expanded", "--out", "one"]);
    sandbox.expect(0, &["build", "--agent", "ops", "--out", "one"]);
    let page = sandbox.expect(0, &["page", "-o", "-", "one"]);
    let data = page.split("<script type=\"application/json\" id=\"data\">").nth(1).unwrap();
    let data: serde_json::Value = serde_json::from_str(data.split("</script>").next().unwrap()).unwrap();
    let text = data.to_string();
    for part in
        ["Research Lead", "agent:ops:blue", "expanded", "other_agent", "\"limit\"", "\"matched\"", "Deploy of uploads"]
    {
        let is_elsewhere = part == "Deploy of uploads";
        assert_eq!(text.contains(part), !is_elsewhere, "{part}");
    }
}

#[test]
fn what_was_recorded_is_verified_like_all_packs() {
    let sandbox = office();
    sandbox.expect(0, &["render", "feat:root", "--agent", "research", "--record", "--format", "json"]);
    sandbox.expect(0, &["agent", "job", "daily", "--record"]);
    sandbox.expect(0, &["verify", ".contextpack/delivered"]);
    let is_pack = |path: &&String| path.starts_with(".contextpack/delivered/") && path.ends_with(".json");
    let files = sandbox.files();
    let path = files.iter().map(|(path, _)| path).find(is_pack).unwrap();
    sandbox.write(path, sandbox.read(path).replacen("You read before you write.", "You write.", 1));
    let refused = sandbox.run(&["verify", ".contextpack/delivered"]);
    assert_eq!(refused.code, 5, "{refused:?}");
    assert!((refused.stdout + &refused.stderr).contains("the content was changed"));
}
