#!/usr/bin/env python3
"""Sessions of the official Python client (`mcp`) with `contextpack mcp`, in both eras of the protocol.

    python3 -m pip install mcp
    tests/mcp/session.py --bin target/debug/contextpack
"""

import argparse
import asyncio
import json
import subprocess
import tempfile
from pathlib import Path

from mcp import Client
from mcp.client.stdio import StdioServerParameters

ITEM = "---\nid: feat:cache\ntitle: Cache answers\nstatus: open\ndepends_on: task:store\n---\n\n{}\n"
ADDRESS = "contextpack://pack/feat%3Acache?profile=coding"


def repo(folder):
    (folder / "contextpack.yml").write_text("version: 1\n")
    items = folder / "work_items"
    items.mkdir()
    (items / "feat.md").write_text(ITEM.format("The first text."))
    (items / "store.md").write_text("---\nid: task:store\ntitle: A store\nstatus: done\n---\n\nOn disk.\n")
    return items / "feat.md"


def check(holds, what):
    if not holds:
        raise SystemExit(f"wrong: {what!r}")


async def session(program, folder, mode):
    item = repo(folder)
    server = StdioServerParameters(command=program, args=["mcp"], cwd=str(folder))
    async with Client(server, mode=mode, read_timeout_seconds=30) as client:
        check(client.server_info.name == "contextpack", client.server_info)
        tools = [tool.name for tool in (await client.list_tools()).tools]
        check(tools == ["get_context_pack", "list_work_items", "explain"], tools)
        rendered = subprocess.run([program, "-C", folder, "render", "feat:cache"], capture_output=True, text=True)
        pack = await client.call_tool("get_context_pack", {"root": "feat:cache"})
        check(not pack.is_error and pack.content[0].text == rendered.stdout, pack)
        check(pack.structured_content["hash"].startswith("sha256:"), pack.structured_content)
        items = await client.call_tool("list_work_items", {"state": "open"})
        check([item["id"] for item in items.structured_content["items"]] == ["feat:cache"], items)
        explained = await client.call_tool("explain", {"root": "feat:cache", "why_not": "task:store"})
        check(explained.structured_content["answer"] == "in", explained)
        wrong = await client.call_tool("get_context_pack", {"root": "feat:cach"})
        check(wrong.is_error and "did you mean `feat:cache`" in wrong.content[0].text, wrong)
        resources = (await client.list_resources()).resources
        check(ADDRESS in [str(resource.uri) for resource in resources], resources)
        templates = (await client.list_resource_templates()).resource_templates
        check(len(templates) == 1, templates)
        check("The first text." in (await client.read_resource(ADDRESS)).contents[0].text, "resource")
        prompt = await client.get_prompt("work_on", {"root": "feat:cache"})
        check("The first text." in prompt.messages[0].content.text, prompt)
        item.write_text(ITEM.format("The second text."))
        check("The second text." in (await client.read_resource(ADDRESS)).contents[0].text, "changed resource")
        return client.protocol_version


async def hand_off(program, folder, mode):
    """Two agents without a shell: a handover, a claim, and a report of a turn and of a task."""
    repo(folder)
    agents = folder / "agents"
    agents.mkdir()
    for name in ["Planner", "Coder"]:
        (agents / f"{name.lower()}.md").write_text(f"---\nname: {name}\npurpose: Works\n---\n# {name}\n\nWorks.\n")
    plan = {"parent_agent": "planner", "tasks": [{"target_strategy": "new", "target_ref": "coder", "instruction": "Do it."}]}
    fork = [program, "-C", folder, "batch", "fork", "-"]
    batch = subprocess.run(fork, input=json.dumps(plan), capture_output=True, text=True, check=True).stdout.strip()

    def server(agent):
        args = ["mcp", "--write", "--as", agent]
        return Client(StdioServerParameters(command=program, args=args, cwd=str(folder)), mode=mode, read_timeout_seconds=30)

    async def call(client, tool, **arguments):
        answer = await client.call_tool(tool, arguments)
        check(not answer.is_error, answer)
        return answer.content[0].text, answer.structured_content

    async with server("planner") as planner, server("coder") as coder:
        tools = [tool.name for tool in (await planner.list_tools()).tools]
        check(tools[3:] == ["hand_over", "inbox", "batch"], tools)
        instruction = {"instruction": "Say what the cache costs."}
        _, handed = await call(planner, "hand_over", recipe="delegate", to="coder", root="feat:cache", arguments=instruction)
        box = handed["context_box_id"]
        await call(planner, "inbox", action="put", to="coder", box=box)
        text, turn = await call(coder, "inbox", action="claim")
        check(turn["status"] == "accepted" and "Say what the cache costs." in text and "The first text." in text, text)
        refused = await planner.call_tool("inbox", {"action": "acknowledge", "turn": turn["agent_turn_id"]})
        check(refused.is_error and refused.structured_content["code"] == "not_found", refused)
        await call(coder, "inbox", action="acknowledge", turn=turn["agent_turn_id"], text="It costs 12 MB.")
        _, listed = await call(planner, "inbox", action="list")
        text, _ = await call(planner, "inbox", action="read", box=listed["sent"][0]["output_box_id"])
        check("It costs 12 MB." in text, text)

        text, task = await call(coder, "batch", action="claim", batch=batch, task=0)
        check("Do it." in text, text)
        await call(coder, "batch", action="report", batch=batch, task=0, epoch=task["epoch"], text="It is done.")
        _, status = await call(planner, "batch", action="status")
        check(status["batches"][0]["status"] == "success", status)
        text, _ = await call(planner, "inbox", action="read", box=status["batches"][0]["tasks"][0]["output_box_id"])
        check("It is done." in text, text)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", default="target/debug/contextpack")
    program = str(Path(parser.parse_args().bin).resolve())
    for mode in ["legacy", "auto"]:
        with tempfile.TemporaryDirectory() as folder:
            version = asyncio.run(asyncio.wait_for(session(program, Path(folder), mode), 60))
        with tempfile.TemporaryDirectory() as folder:
            asyncio.run(asyncio.wait_for(hand_off(program, Path(folder), mode), 60))
        print(f"ok -- the Python client, version {version} of the protocol, also of two agents that hand over")


if __name__ == "__main__":
    main()
