//! Messages of models' APIs: in as cards, and out again as they were.

use crate::cards::{id, refused};
use crate::sandbox::Sandbox;
use serde_json::{Value, json};

/// Messages of both styles, as their APIs have them.
fn conversations() -> [(&'static str, Value); 2] {
    let open_ai = json!([
        {"role": "developer", "content": "Be terse."},
        {"role": "user", "content": "Weather?", "name": "ann"},
        {"role": "assistant", "content": null, "tool_calls": [
            {"id": "call_9pw0EnHaJNbNyY8bSq3tWz1X", "type": "function",
             "function": {"name": "weather", "arguments": "{\"city\":\"Bern\"}"}},
            {"id": "call_2", "type": "function", "function": {"name": "now", "arguments": "{\"f\":0.5}"}},
        ]},
        {"role": "tool", "tool_call_id": "call_9pw0EnHaJNbNyY8bSq3tWz1X", "content": "{\"t\": 3.5}"},
        {"role": "tool", "tool_call_id": "call_2", "content": "noon"},
        {"role": "user", "content": "continue"},
        {"role": "user", "content": "continue"},
        {"role": "user", "content": [{"type": "text", "text": "see"},
            {"type": "image_url", "image_url": {"url": "https://example.com/a.png"}}]},
        {"role": "assistant", "content": "Done."},
    ]);
    let anthropic = json!({"system": "Be terse.", "messages": [
        {"role": "user", "content": "Weather?"},
        {"role": "assistant", "content": [
            {"type": "text", "text": "Looking."},
            {"type": "tool_use", "id": "toolu_01A09q90qw90lq917835lq9", "name": "weather",
             "input": {"city": "Bern", "f": 0.5}, "cache_control": {"type": "ephemeral"}},
            {"type": "tool_use", "id": "toolu_2", "name": "now", "input": {}},
        ]},
        {"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": "toolu_01A09q90qw90lq917835lq9", "content": "no", "is_error": true},
            {"type": "tool_result", "tool_use_id": "toolu_2", "content": [{"type": "text", "text": "noon"}]},
            {"type": "text", "text": "continue"},
        ]},
        {"role": "assistant", "content": [{"type": "thinking", "thinking": "hm", "signature": "c2ln"},
            {"type": "text", "text": "Done."}]},
        {"role": "user", "content": "continue"},
        {"role": "user", "content": "continue"},
    ]});
    [("openai", open_ai), ("anthropic", anthropic)]
}

#[test]
fn messages_of_both_styles_come_back_as_they_were() {
    for (style, messages) in conversations() {
        let sandbox = Sandbox::configured(&[]);
        sandbox.write("run.json", messages.to_string());
        let ids = sandbox.json(0, &["card", "add", "--from-messages", "run.json", "--author", "a", "--format", "json"]);
        let ids: Vec<String> =
            ids["card_ids"].as_array().unwrap().iter().map(|id| id.as_str().unwrap().to_owned()).collect();
        let args: Vec<&str> = ["box", "append", "run"].into_iter().chain(ids.iter().map(String::as_str)).collect();
        sandbox.expect(0, &args);
        let back = sandbox.json(0, &["box", "show", "run", "--format", "messages", "--style", style]);
        assert_eq!(back, messages, "{style}");
        // Through the other style they are the same cards, as far as that style can say it.
        let other = if style == "openai" { "anthropic" } else { "openai" };
        let through = sandbox.expect(0, &["box", "show", "run", "--format", "messages", "--style", other]);
        sandbox.write("other.json", through);
        sandbox.expect(0, &["card", "add", "--from-messages", "other.json"]);
        sandbox.expect(0, &["verify", "context"]);
    }
}

#[test]
fn a_card_of_kind_tool_call_is_an_assistants_message_with_one_call() {
    let sandbox = Sandbox::configured(&[]);
    let call = json!({"type": "tool.call", "tool_call_id": "c1",
        "content": {"kind": "tool_call", "tool_name": "f", "arguments": {"b": 1, "a": 2}}});
    let result = json!({"type": "tool.result", "tool_call_id": "c1",
        "content": {"kind": "tool_result", "status": "timeout", "error": {"code": "slow", "message": "late"}}});
    let ids = [call, result].map(|card| id(&sandbox.run_with(&["card", "add", "-"], &card.to_string()).stdout));
    sandbox.expect(0, &["box", "append", "run", &ids[0], &ids[1]]);
    let messages = sandbox.json(0, &["box", "show", "run", "--format", "messages"]);
    assert_eq!(
        messages,
        json!([
            {"role": "assistant", "content": null, "tool_calls": [
                {"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{\"a\":2,\"b\":1}"}}]},
            {"role": "tool", "tool_call_id": "c1",
             "content": "{\"error\":{\"code\":\"slow\",\"message\":\"late\"},\"status\":\"timeout\"}"},
        ])
    );
}

#[test]
fn what_a_request_says_beside_its_messages_is_kept() {
    let sandbox = Sandbox::configured(&[]);
    let tools = json!([{"type": "function", "function": {"name": "now", "parameters": {}}}]);
    let message = json!({"role": "user", "content": "Weather?"});
    let run = json!({"model": "m-1", "temperature": 0.2, "tools": tools, "messages": [message]});
    sandbox.write("run.json", run.to_string());
    let ids = sandbox.expect(0, &["card", "add", "--from-messages", "run.json"]);
    let ids: Vec<&str> = ids.split_whitespace().collect();
    let shown = sandbox.json(0, &[&["card", "show", "--format", "json"], &ids[..]].concat());
    let value = |card: usize| &shown["cards"][card]["content"]["value"];
    assert_eq!((&shown["cards"][0]["type"], value(0)), (&json!("sys.tools"), &json!({"tools": tools})));
    assert_eq!(*value(1), json!({"llm_config": {"model": "m-1", "temperature": 0.2}}));
    sandbox.expect(0, &[&["box", "append", "run"], &ids[..]].concat());
    let back = sandbox.run(&["box", "show", "run", "--format", "messages"]);
    assert_eq!(serde_json::from_str::<Value>(&back.stdout).unwrap(), json!([message]));
    assert!(back.stderr.contains("sys.tools belongs beside the messages"), "{}", back.stderr);
}

#[test]
fn a_result_that_names_no_call_is_a_users_message() {
    let sandbox = Sandbox::configured(&[]);
    let words = ["card", "add", "--type", "tool.result", "--text", "noon"];
    sandbox.expect(0, &["box", "append", "run", &id(&sandbox.expect(0, &words))]);
    for style in ["openai", "anthropic"] {
        let messages = sandbox.json(0, &["box", "show", "run", "--format", "messages", "--style", style]);
        let messages = messages.get("messages").unwrap_or(&messages);
        assert_eq!(*messages, json!([{"role": "user", "content": "noon"}]), "{style}");
    }
}

#[test]
fn messages_that_cannot_be_read_are_refused_as_a_whole() {
    let sandbox = Sandbox::configured(&[]);
    let good = json!({"role": "user", "content": "x"});
    for (bad, message) in [
        (json!("x"), "message 1: it is no JSON object"),
        (json!({"content": "x"}), "message 1: `role` is missing"),
        (json!({"role": "robot", "content": "x"}), "message 1: `robot` is no role"),
        (json!({"role": "user", "content": 1}), "neither a text nor a list"),
        (json!({"role": "user", "content": [{"text": "x"}]}), "has no `type`"),
        (json!({"role": "user", "content": "x", "tool_calls": [{"function": {"name": "f"}}]}), "only an assistant"),
        (json!({"role": "assistant", "tool_calls": [{"type": "custom"}]}), "of type \"custom\" cannot be read"),
        (json!({"role": "assistant", "content": [{"type": "tool_use", "id": "1"}]}), "`id` and `name`"),
        (json!({"role": "assistant", "content": [{"type": "tool_result", "tool_use_id": "1"}]}), "only a user's"),
        (
            json!({"role": "user", "content": "x", "score": 9_007_199_254_740_993_u64}),
            "card 2: `metadata.extra.score` is an integer beyond 2^53",
        ),
        (json!({"role": "tool", "content": "noon"}), "message 1: the result of a tool has no `tool_call_id`"),
    ] {
        let messages = json!([good, bad]).to_string();
        refused(&sandbox, 2, &["card", "add", "--from-messages", "-"], &messages, message);
    }
    for input in ["{}", "1", "{\"messages\": 1}", "[", "[{\"role\": \"user\", \"role\": \"user\"}]"] {
        refused(&sandbox, 2, &["card", "add", "--from-messages", "-"], input, "error");
    }
}

#[test]
fn a_result_whose_call_is_not_there_is_refused() {
    let sandbox = Sandbox::configured(&[]);
    let call = json!({"role": "assistant", "content": null, "tool_calls": [
        {"id": "call_1", "type": "function", "function": {"name": "now", "arguments": "{}"}}]});
    let result = json!({"role": "tool", "tool_call_id": "call_1", "content": "noon"});
    let block =
        json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": "call_1", "content": "noon"}]});
    for answer in [&result, &block] {
        for messages in [json!([answer]), json!([answer, call])] {
            sandbox.write("run.json", messages.to_string());
            refused(
                &sandbox,
                2,
                &["card", "add", "--from-messages", "run.json"],
                "",
                "message 0: it is the result of `call_1`",
            );
        }
        sandbox.write("run.json", json!([call, {"role": "user", "content": "wait"}, answer]).to_string());
        sandbox.expect(0, &["card", "add", "--from-messages", "run.json"]);
    }
}

/// Adds messages as cards to the log `run`, and returns them for an API, with the notes.
fn through(sandbox: &Sandbox, messages: &Value, style: &str) -> (Value, String) {
    sandbox.write("run.json", messages.to_string());
    let ids = sandbox.expect(0, &["card", "add", "--from-messages", "run.json"]);
    sandbox.expect(0, &["box", "append", style].into_iter().chain(ids.split_whitespace()).collect::<Vec<_>>());
    let shown = sandbox.run(&["box", "show", style, "--format", "messages", "--style", style]);
    assert_eq!(shown.code, 0, "{}", shown.stderr);
    (serde_json::from_str(&shown.stdout).unwrap(), shown.stderr)
}

#[test]
fn what_only_one_api_knows_is_in_no_list_for_another() {
    let [(_, open_ai), (_, mut anthropic)] = conversations();
    let image = json!({"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "aGk="}});
    let text = json!({"type": "text", "text": "see", "cache_control": {"type": "ephemeral"}, "citations": []});
    anthropic["messages"].as_array_mut().unwrap().extend([
        json!({"role": "user", "content": [text, image]}),
        json!({"role": "assistant", "content": [{"type": "redacted_thinking", "data": "c2ln"}]}),
    ]);
    let (list, notes) = through(&Sandbox::configured(&[]), &anthropic, "openai");
    for foreign in ["thinking", "cache_control", "citations", "image", "source"] {
        assert!(!list.to_string().contains(&format!("\"{foreign}\"")), "{foreign}: {list}");
    }
    assert!(notes.contains("note: `cache_control`, `citations`, `image`, `redacted_thinking`, `thinking`"), "{notes}");
    let list = list.as_array().unwrap();
    assert_eq!(list[list.len() - 2]["content"], json!([{"type": "text", "text": "see"}]));
    assert_eq!(list[list.len() - 1]["content"], "[left out]");

    let mut messages = open_ai;
    messages.as_array_mut().unwrap().extend([
        json!({"role": "assistant", "content": [{"type": "refusal", "refusal": "No."}], "refusal": "No."}),
        json!({"role": "assistant", "content": null, "tool_calls": [
            {"id": "call_3", "type": "function", "index": 0, "function": {"name": "now", "arguments": "not json"}}]}),
        json!({"role": "tool", "tool_call_id": "call_3", "name": "now", "content": "noon"}),
    ]);
    let (list, notes) = through(&Sandbox::configured(&[]), &messages, "anthropic");
    for foreign in ["image_url", "refusal", "\"ann\"", "\"index\""] {
        assert!(!list.to_string().contains(foreign), "{foreign}: {list}");
    }
    assert!(notes.contains("note: `image_url`, `index`, `name`, `refusal` is for another API"), "{notes}");
    let list = list["messages"].as_array().unwrap();
    let result = json!({"type": "tool_result", "tool_use_id": "call_3", "content": "noon"});
    assert_eq!(list[list.len() - 1], json!({"role": "user", "content": [result]}));
    let last = &list[list.len() - 2]["content"][0];
    assert_eq!((&last["type"], &last["input"]), (&json!("tool_use"), &json!({"arguments": "not json"})));
}

#[test]
fn an_error_beside_a_result_is_in_the_text_of_the_message() {
    let sandbox = Sandbox::configured(&[]);
    let result = json!({"type": "tool.result", "tool_call_id": "c1", "content": {"kind": "tool_result",
        "status": "partial", "result": {"done": 1}, "error": {"code": "batch_partial", "message": "1 of 2"}}});
    let card = id(&sandbox.run_with(&["card", "add", "-"], &result.to_string()).stdout);
    sandbox.expect(0, &["box", "append", "run", &card]);
    let messages = sandbox.json(0, &["box", "show", "run", "--format", "messages"]);
    let text: Value = serde_json::from_str(messages[0]["content"].as_str().unwrap()).unwrap();
    let error = json!({"code": "batch_partial", "message": "1 of 2"});
    assert_eq!(text, json!({"status": "partial", "error": error, "result": {"done": 1}}));
}

#[test]
fn ids_of_calls_are_used_once_and_an_empty_list_is_said() {
    let sandbox = Sandbox::configured(&[]);
    let call = |id: &str| {
        let call = json!({"id": id, "type": "function", "function": {"name": "now", "arguments": "{}"}});
        json!({"role": "assistant", "content": null, "tool_calls": [call]})
    };
    let result = json!({"role": "tool", "tool_call_id": "c", "content": "noon"});
    for (messages, why) in [
        (json!([call("c"), result, call("c")]), "message 2: the id `c` of a tool call"),
        (json!([call("c"), result, result]), "message 2: it is the result of `c`"),
        (json!([call("")]), "message 0: the id `` of a tool call is empty"),
        (json!([]), "there is no message in the list"),
    ] {
        refused(&sandbox, 2, &["card", "add", "--from-messages", "-"], &messages.to_string(), why);
    }
}
