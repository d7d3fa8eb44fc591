//! The tools that agents may have, and what a handover may ask of them.

use crate::handover::{handover, pack};
use crate::sandbox::Sandbox;
use serde_json::json;

const CONFIG: &str = "\
agents: {allowed_tools: [read, edit, \"bash:git *\", mcp__shop__search]}
handover:
  recipes:
    fix:
      pack_arguments: [{arg_key: instruction}, {arg_key: tools, as_card_type: sys.tools}]
      target_profile_config: {tools: [edit]}
";

fn repo(tools: &str) -> Sandbox {
    let coder = format!("---\npurpose: Writes code\n{tools}---\n# Coder\n\nWrites code.\n");
    let item = "---\nid: feat:a\ntitle: A\n---\nDo a.\n";
    let sandbox = Sandbox::configured(&[("agents/coder.md", &coder), ("work_items/a.md", item)]);
    sandbox.write("contextpack.yml", CONFIG);
    sandbox
}

#[test]
fn an_agent_has_no_tool_that_the_configuration_does_not_list() {
    for tool in ["write", "bash", "bash:rm -rf x", "Bash(git log; rm x)", "bash:git log && rm x", "reader"] {
        let sandbox = repo(&format!("tools: [read, \"{tool}\"]\n"));
        for args in [&["render", "feat:a", "--agent", "coder"][..], &["agent", "show", "coder", "--allowed-tools"]] {
            let run = sandbox.run(args);
            assert_eq!((run.code, run.stdout.as_str()), (3, ""), "{tool} {args:?}");
            let message = format!("`{tool}` is none of the tools that `agents.allowed_tools` lists");
            assert!(run.stderr.contains(&message) && run.stderr.contains("agents/coder.md:3"), "{}", run.stderr);
        }
        sandbox.expect(3, &["handover", "launch", "--to", "coder", "--arg", "instruction=Go"]);
        sandbox.expect(0, &["render", "feat:a"]);
        assert!(sandbox.run(&["check"]).stderr.contains("is none of the tools"), "who checks all packs learns of it");
    }
    for unclear in ["tools: {bash: true}\n", "tools: [{name: bash}]\n"] {
        let run = repo(unclear).run(&["render", "feat:a", "--agent", "coder"]);
        assert!(run.code == 3 && run.stderr.contains("`tools` is no list of names"), "{run:?}");
    }
    let near = repo("tools: [raed]\n").run(&["render", "--agent", "coder"]).stderr;
    assert!(near.contains("did you mean `read`?"), "{near}");
}

#[test]
fn its_tools_are_in_its_packs_and_in_the_form_of_the_program_that_runs_it() {
    let sandbox = repo("tools: [Read, \"bash:git *\", \"Bash(git log:*)\", mcp__shop__search]\n");
    let text = sandbox.expect(0, &["render", "feat:a", "--agent", "coder"]);
    let own = "Writes code.\n\n## Your tools\n\n- Read\n- bash:git *\n- Bash(git log:*)\n- mcp__shop__search\n";
    assert!(text.contains(own), "{text}");
    let printed = "Read,Bash(git *),Bash(git log:*),mcp__shop__search\n";
    assert_eq!(sandbox.expect(0, &["agent", "show", "coder", "--allowed-tools"]), printed);
    let ungated = sandbox;
    ungated.write("contextpack.yml", "version: 1\n");
    assert!(!ungated.expect(0, &["render", "feat:a", "--agent", "coder"]).contains("Your tools"));
}

#[test]
fn skills_are_limited_like_tools() {
    let sandbox = repo("skills: [pdf, xlsx]\n");
    let target = "pack_arguments: [{arg_key: a}], target_profile_config: {profile_name: coder, skills: PDF}";
    let allow = |skills: &str, target: &str| {
        let config = format!("agents: {{allowed_skills: {skills}}}\nhandover: {{recipes: {{fix: {{{target}}}}}}}\n");
        sandbox.write("contextpack.yml", config);
    };
    allow("[pdf]", target);
    for words in [&["render", "feat:a", "--agent", "coder"][..], &["handover", "fix", "--arg", "a=Go"]] {
        let run = sandbox.run(words);
        let message = "`xlsx` is none of the skills that `agents.allowed_skills` lists";
        assert!((run.code, run.stdout.as_str()) == (3, "") && run.stderr.contains(message), "{}", run.stderr);
        assert!(run.stderr.contains("agents/coder.md:3"), "{}", run.stderr);
    }
    allow("[pdf, xlsx]", target);
    let text = sandbox.expect(0, &["render", "feat:a", "--agent", "coder"]);
    assert!(text.contains("Writes code.\n\n## Your skills\n\n- pdf\n- xlsx\n"), "{text}");
    sandbox.expect(0, &["handover", "fix", "--arg", "a=Go"]);
    allow("[pdf, xlsx]", &target.replace("PDF", "docx"));
    let run = sandbox.run(&["handover", "fix", "--arg", "a=Stop"]);
    assert!(run.code == 3 && run.stderr.contains("has no skill `docx`, which the handover asks for"), "{run:?}");
}

#[test]
fn a_new_agent_gets_no_tool_that_is_not_allowed_and_a_template_without_the_rule_is_named() {
    let sandbox = repo("");
    let words = ["agent", "new", "Ops", "--purpose", "Runs it"];
    let run = sandbox.run(&[&words[..], &["--tool", "read", "--tool", "bash"]].concat());
    assert!(run.code == 2 && run.stderr.contains("none of the tools that `agents.allowed_tools` lists"), "{run:?}");
    assert!(!sandbox.has("agents/ops.md"));
    let run = sandbox.run(&[&words[..], &["--tool", "read"]].concat());
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    sandbox.write("agents/_template.md", "# {{AGENT_NAME}}\n\nYou do {{AGENT_PURPOSE}}.\n");
    let run = sandbox.run(&["agent", "new", "Packer", "--purpose", "Packs"]);
    assert!(run.code == 0 && run.stderr.contains("no rule about context packs"), "{run:?}");
}

#[test]
fn an_argument_opens_no_denied_file_and_who_hands_over_is_missed() {
    let sandbox = repo("");
    sandbox.write(".env", "TOKEN=x\n");
    sandbox.write("docs/credentials.json", "{}\n");
    for file in [".env", "docs/credentials.json"] {
        let argument = format!("instruction=@{file}");
        let run = sandbox.run(&["handover", "delegate", "--to", "coder", "--arg", &argument]);
        assert!(run.code == 2 && run.stderr.contains(&format!("`{file}` is denied")), "{run:?}");
    }
    let noted = |recipe: &str| sandbox.run(&["handover", recipe, "--to", "coder", "--arg", "instruction=Go"]).stderr;
    assert!(noted("delegate").contains("there is no `--from`"));
    assert!(!noted("launch").contains("there is no `--from`"));
}

#[test]
fn a_handover_that_asks_for_more_is_refused() {
    let words = ["handover", "fix", "--to", "coder", "--arg", "instruction=Go"];
    let without = repo("tools: [read]\n").run(&words);
    assert_eq!((without.code, without.stdout.as_str()), (3, ""));
    let message = "the agent `agent:coder:main` has no tool `edit`, which the handover asks for";
    assert!(without.stderr.contains(message), "{}", without.stderr);
    let sandbox = repo("tools: [read, Edit]\n");
    let given = |tools: serde_json::Value| {
        sandbox.write("tools.json", tools.to_string());
        sandbox.run(&[&words[..], &["--arg", "tools=@tools.json"]].concat())
    };
    for more in [json!(["write"]), json!([{"name": "read"}, {"function": {"name": "bash"}}]), json!([{"kind": "x"}])] {
        let run = given(more.clone());
        assert!(run.code == 3 && run.stderr.contains("has no tool `"), "{more}: {}", run.stderr);
    }
    assert!(!sandbox.has("context"), "nothing was written");
    assert!(given(json!({"tools": ["write"]})).stderr.contains("has no tool `write`"));
    assert_eq!(given(json!({"tools": [{"name": "read"}]})).code, 0);
    assert_eq!(given(json!([{"name": "read"}, "edit"])).code, 0);
    let result = handover(&sandbox, &words[1..]);
    assert!(pack(&sandbox, &result)["sections"][1]["content"].as_str().unwrap().contains("## Your tools\n\n- read"));
    sandbox.expect(0, &["verify", "context", "--against-repo"]);
}
