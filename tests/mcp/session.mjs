// Sessions of the official TypeScript clients with `contextpack mcp`: `@modelcontextprotocol/sdk` for the versions with a
// handshake, `@modelcontextprotocol/client` for the one without.
//
//     npm install --prefix FOLDER @modelcontextprotocol/sdk @modelcontextprotocol/client
//     node tests/mcp/session.mjs target/debug/contextpack FOLDER

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const [program, modules] = process.argv.slice(2).map((path) => resolve(path));
const require = createRequire(join(modules, "package.json"));
const ADDRESS = "contextpack://pack/feat%3Acache?profile=coding";
const item = (text) => `---\nid: feat:cache\ntitle: Cache answers\nstatus: open\ndepends_on: task:store\n---\n\n${text}\n`;

function repo() {
    const folder = mkdtempSync(join(tmpdir(), "contextpack-"));
    mkdirSync(join(folder, "work_items"));
    writeFileSync(join(folder, "contextpack.yml"), "version: 1\n");
    writeFileSync(join(folder, "work_items/feat.md"), item("The first text."));
    writeFileSync(join(folder, "work_items/store.md"), "---\nid: task:store\ntitle: A store\nstatus: done\n---\n\nOn disk.\n");
    return folder;
}

async function session(client, transport, folder) {
    await client.connect(transport);
    assert.equal(client.getServerVersion().name, "contextpack");
    const { tools } = await client.listTools();
    assert.deepEqual(tools.map((tool) => tool.name), ["get_context_pack", "list_work_items", "explain"]);
    const call = (name, args) => client.callTool({ name, arguments: args });
    const pack = await call("get_context_pack", { root: "feat:cache" });
    const rendered = execFileSync(program, ["-C", folder, "render", "feat:cache"], { encoding: "utf8" });
    assert.equal(pack.content[0].text, rendered);
    assert.match(pack.structuredContent.hash, /^sha256:/);
    const items = await call("list_work_items", { state: "done" });
    assert.deepEqual(items.structuredContent.items.map((found) => found.id), ["task:store"]);
    const explained = await call("explain", { root: "feat:cache" });
    assert.match(explained.content[0].text, /task:store/);
    const wrong = await call("get_context_pack", { root: "../x" });
    assert.ok(wrong.isError && wrong.content[0].text.includes("outside the repo"));
    const { resources } = await client.listResources();
    assert.ok(resources.some((resource) => resource.uri === ADDRESS));
    const prompt = await client.getPrompt({ name: "work_on", arguments: { root: "feat:cache" } });
    assert.match(prompt.messages[0].content.text, /The first text\./);
    writeFileSync(join(folder, "work_items/feat.md"), item("The second text."));
    const read = await client.readResource({ uri: ADDRESS });
    assert.match(read.contents[0].text, /The second text\./);
    await client.close();
}

// Two agents without a shell: a handover, a claim, and a report of a turn and of a task.
async function handOff(connected, folder) {
    mkdirSync(join(folder, "agents"));
    for (const name of ["Planner", "Coder"]) {
        const file = join(folder, `agents/${name.toLowerCase()}.md`);
        writeFileSync(file, `---\nname: ${name}\npurpose: Works\n---\n# ${name}\n\nWorks.\n`);
    }
    const task = { target_strategy: "new", target_ref: "coder", instruction: "Do it." };
    const input = JSON.stringify({ parent_agent: "planner", tasks: [task] });
    const batch = execFileSync(program, ["-C", folder, "batch", "fork", "-"], { input, encoding: "utf8", stdio: "pipe" }).trim();
    const [planner, coder] = [await connected("planner"), await connected("coder")];
    const call = async (client, name, args) => {
        const answer = await client.callTool({ name, arguments: args });
        assert.ok(!answer.isError, JSON.stringify(answer));
        return [answer.content[0].text, answer.structuredContent];
    };
    const { tools } = await planner.listTools();
    assert.deepEqual(tools.map((tool) => tool.name).slice(3), ["hand_over", "inbox", "batch"]);
    const asked = { instruction: "Say what the cache costs." };
    const handover = { recipe: "delegate", to: "coder", root: "feat:cache", arguments: asked };
    const [, { context_box_id: box }] = await call(planner, "hand_over", handover);
    await call(planner, "inbox", { action: "put", to: "coder", box });
    const [toDo, { agent_turn_id: turn }] = await call(coder, "inbox", { action: "claim" });
    assert.match(toDo, /Say what the cache costs\./);
    const refused = await planner.callTool({ name: "inbox", arguments: { action: "acknowledge", turn } });
    assert.ok(refused.isError && refused.structuredContent.code === "not_found");
    await call(coder, "inbox", { action: "acknowledge", turn, text: "It costs 12 MB." });
    const [, { sent }] = await call(planner, "inbox", { action: "list" });
    assert.match((await call(planner, "inbox", { action: "read", box: sent[0].output_box_id }))[0], /It costs 12 MB\./);

    const [, { epoch }] = await call(coder, "batch", { action: "claim", batch, task: 0 });
    await call(coder, "batch", { action: "report", batch, task: 0, epoch, text: "It is done." });
    const [, { batches }] = await call(planner, "batch", { action: "status" });
    assert.equal(batches[0].status, "success");
    const result = { action: "read", box: batches[0].tasks[0].output_box_id };
    assert.match((await call(planner, "inbox", result))[0], /It is done\./);
    await planner.close();
    await coder.close();
}

const info = { name: "session", version: "1" };
const writing = (agent) => ["mcp", "--write", "--as", agent];

async function withHandshake(folder) {
    const { Client } = await import(require.resolve("@modelcontextprotocol/sdk/client/index.js"));
    const { StdioClientTransport } = await import(require.resolve("@modelcontextprotocol/sdk/client/stdio.js"));
    const transport = (args) => new StdioClientTransport({ command: program, args, cwd: folder });
    await session(new Client(info), transport(["mcp"]), folder);
    await handOff(async (agent) => {
        const client = new Client(info);
        await client.connect(transport(writing(agent)));
        return client;
    }, folder);
    console.log("ok -- @modelcontextprotocol/sdk, with a handshake, also of two agents that hand over");
}

async function withoutHandshake(folder) {
    const { Client } = await import(require.resolve("@modelcontextprotocol/client"));
    const { StdioClientTransport } = await import(require.resolve("@modelcontextprotocol/client/stdio"));
    const transport = (args) => new StdioClientTransport({ command: program, args, cwd: folder });
    const made = () => new Client(info, { versionNegotiation: { mode: { pin: "2026-07-28" } } });
    await session(made(), transport(["mcp"]), folder);
    await handOff(async (agent) => {
        const client = made();
        await client.connect(transport(writing(agent)));
        return client;
    }, folder);
    console.log("ok -- @modelcontextprotocol/client, version 2026-07-28, also of two agents that hand over");
}

for (const run of [withHandshake, withoutHandshake]) {
    const folder = repo();
    try {
        await run(folder);
    } finally {
        rmSync(folder, { recursive: true, force: true });
    }
}
