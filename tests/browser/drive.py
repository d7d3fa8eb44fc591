#!/usr/bin/env python3
"""The page of `contextpack page` in a real browser: is it quick, can it be used, does it stay harmless?

    python3 tests/browser/drive.py --bin target/release/contextpack [--shots DIR]
"""

import argparse
import copy
import json
import os
import pathlib
import subprocess
import tempfile
import urllib.parse

from chromium import Chromium

PACKS = 3000
# How long a person waits for the page at most, in seconds; more is printed, not refused, since machines differ.
PATIENCE = 2
LONG = 1 << 20

TITLE = "document.title"
CHOSEN = "document.querySelector('#list [aria-selected=true] .title').textContent"
FOCUS = "document.activeElement.id || document.activeElement.getAttribute('role') || document.activeElement.tagName"
THERE = "[...document.querySelectorAll('#list li')].filter((row) => !row.hidden).length"
# Elements, and what stands before, where a hidden character is put in as it is; the data is not seen.
HIDDEN = r"""(() => {
    const found = [], walk = document.createTreeWalker(document.documentElement, NodeFilter.SHOW_TEXT);
    for (let node; (node = walk.nextNode());) {
        const at = node.data.search(/[\u0000-\u0008\u001b\u202a-\u202e\u2066-\u2069\u{e0041}]/u);
        if (at >= 0 && node.parentNode.id !== "data") found.push(node.parentNode.outerHTML.slice(0, 80) + " at " + at);
    }
    return found;
})()"""
HEADING = "document.querySelector('#pack h2').textContent"
LOOKS = {"light": {"width": 1440}, "dark": {"width": 1440, "dark": True}, "phone": {"width": 390, "height": 844}, "phone-dark": {"width": 390, "height": 844, "dark": True},
         "tall": {"height": 2600}}
TOLD = "document.getElementById('told').textContent"


def equal(found, wanted, what):
    assert found == wanted, f"{what}: {found!r} is not {wanted!r}"


def goto(browser, path):
    browser.run(f"location.hash = {json.dumps('#/' + urllib.parse.quote(path, safe=''))}")


class Repo:
    """A repo of its own, and the program in it."""

    def __init__(self, folder, program):
        self.folder, self.program = pathlib.Path(folder), program
        self.write("contextpack.yml", "output: {dir: packs}\n")

    def write(self, path, text):
        file = self.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8", newline="\n")

    def run(self, *args, codes=(0,)):
        done = subprocess.run([self.program, *args], cwd=self.folder, capture_output=True, text=True)
        assert done.returncode in codes, f"{args}: {done.returncode}\n{done.stderr}"
        return done.stdout

    def page(self, *packs, codes=(0,)):
        self.run("page", *packs, "-o", "page.html", codes=codes)
        return (self.folder / "page.html").as_uri()


def fill(repo):
    """Items that hang together, with a decision and a document, in packs of the usual size."""
    repo.write("docs/adr/0001-bounds.md", "# 1. Bounds\n\n## Status\n\nAccepted\n\n## Decision\n\n" + "All of it has a bound.\n" * 60)
    repo.write("docs/guide.md", "# Guide\n\n" + "How the parts fit together, at some length.\n" * 400)
    for number in range(PACKS):
        before = f"depends_on: task:{number - 1}\n" if number else ""
        parent = "" if number % 20 == 0 else f"parent: task:{number - number % 20}\n"
        status = "status: done\n" if number % 7 == 3 else "status: open\n"
        text = f"The part number {number} does what the others do not.\n" * 40
        repo.write(f"work_items/task-{number}.md", f"---\nid: task:{number}\ntitle: Part {number} of the whole\n{status}{before}{parent}---\n\n"
                   f"See ADR-0001 and [the guide](../docs/guide.md).\n\n{text}\n## Acceptance criteria\n\n- [ ] Part {number} works.\n")
    repo.run("build", "-q")


def quick_and_usable(browser, repo, shots):
    page = repo.page()
    size = (repo.folder / "page.html").stat().st_size
    seconds = min(browser.open(page) for _ in range(3))
    print(f"{PACKS} packs, {size / 1e6:.1f} MB: loaded in {seconds:.2f} s" + (" -- too slow" if seconds > PATIENCE else ""))
    equal(browser.run(THERE), PACKS, "packs in the list")

    browser.key("/")
    equal(browser.run(FOCUS), "search", "the focus after `/`")
    browser.type(f"Part {PACKS - 10} of")
    browser.until(f"{TOLD} === '1 of {PACKS:,} packs'", "the search")
    browser.key("Enter")
    equal(browser.run(CHOSEN), f"Part {PACKS - 10} of the whole", "the pack after the search")
    equal(browser.run(FOCUS), "pack", "the focus after Enter")
    # A search that does not find the open pack puts it aside; Escape brings it back, and the keys work at once.
    browser.key("/")
    browser.type(f"Part {PACKS - 9}")
    browser.type(" of")
    browser.until(f"{TOLD} === '1 of {PACKS:,} packs' && {HEADING} === 'Overview'", "the overview of what was found")
    equal(browser.run("document.querySelectorAll('#list [aria-selected=true]').length"), 0, "packs that are open")
    browser.key("Escape")
    equal(browser.run(THERE), PACKS, "packs after Escape")
    equal(browser.run(FOCUS), "option", "the focus after Escape")
    equal(browser.run(CHOSEN), f"Part {PACKS - 10} of the whole", "the pack after Escape")
    browser.key("j")
    equal(browser.run(CHOSEN), f"Part {PACKS - 9} of the whole", "the pack after `j`")
    for key, wanted in [("End", None), ("Home", "Part 0 of the whole"), ("j", None), ("k", "Part 0 of the whole"),
                        ("ArrowDown", None), ("ArrowUp", "Part 0 of the whole"), ("k", "Part 0 of the whole")]:
        before = browser.run(CHOSEN)
        browser.key(key)
        if wanted is None:
            assert browser.run(CHOSEN) != before, f"{key} moves"
        else:
            equal(browser.run(CHOSEN), wanted, key)
    equal(browser.run("document.querySelectorAll('#list [tabindex=\"0\"]').length"), 1, "rows that Tab reaches")

    # What the page shows of a pack is what the pack says.
    path = "packs/task-21.coding.json"
    goto(browser, path)
    browser.until(f"{CHOSEN} === 'Part 21 of the whole'", "the pack of the address")
    # The text for reading has each section once, the instructions folded; raw it is what the agent reads.
    way = "[...document.querySelectorAll('.ways button')].find((it) => it.textContent === '{}')"
    pack = json.loads((repo.folder / path).read_text(encoding="utf-8"))
    there = browser.run("[...document.querySelectorAll('.whole article')].map((it) => it.dataset.section)")
    equal(there, [section["id"] for section in pack["sections"]], "the sections of the text")
    equal(browser.run("document.querySelector('.whole details').open"), False, "the instructions are open")
    reader = "document.querySelector('.whole article[data-section=\"root.issue\"]')"
    equal(browser.run(f"{reader}.querySelector('h5').textContent"), "Acceptance criteria", "a heading")
    equal(browser.run(f"{reader}.querySelectorAll('li.box').length"), 1, "boxes")
    browser.run(way.format("Raw") + ".click()")
    shown = "document.querySelector('.whole pre')"
    browser.until(f"!!{shown}", "the rendering")
    more = "document.querySelector('.whole .text > button')"
    browser.run(f"{more} && {more}.click()")
    equal(browser.run(f"{shown}.textContent"), repo.run("render", path), "the rendering")
    equal(browser.run("document.querySelectorAll('details.section').length"), len(pack["sections"]), "sections")
    edges = [edge for section in pack["sections"] for edge in section["metadata"].get("edges", [])]
    files = [section for section in pack["sections"] if section["kind"] in ("adr_excerpt", "file_excerpt")]
    equal(browser.run("document.querySelectorAll('.graph .edge').length"), len(edges) + len(files), "edges")
    # What a person came for is first, and each relation is a word.
    words = browser.run("[...document.querySelectorAll('.state .tag')].map((tag) => tag.textContent)")
    equal(words, ["open", "fresh", "profile coding", "trusted"], "the state")
    headings = browser.run("[...document.querySelectorAll('#pack h3')].map((it) => it.firstChild.textContent.trim())")
    equal(headings, ["What the agent reads", "Why each part is there", "Left out and shortened", "Relations", "Budget", "About the pack"], "the order")
    rows = dict(browser.run("[...document.querySelectorAll('details.section')].map((it) => [it.dataset.id, it.querySelector('.tag').textContent])"))
    equal((rows["parent.task:20"], rows["dependency.task:20"] if "dependency.task:20" in rows else "depends on"), ("parent", "depends on"), "relations")
    equal(browser.run("document.querySelector('details[data-id=identity]').open"), False, "the identity is open")

    # A part leads to its text, also from the raw one.
    lead = "document.querySelector('details[data-id=\"parent.task:20\"] .lead')"
    browser.run("document.querySelector('details[data-id=\"parent.task:20\"]').open = true")
    browser.until(f"!!{lead}", "the way to the text")
    browser.run(f"{lead}.click()")
    equal(browser.run("document.activeElement.dataset.section"), "parent.task:20", "the section in the text")

    # What is copied is what the agent reads, also where the page may not use the clipboard itself.
    for way in ["navigator.clipboard.writeText = async (text) => { window.copied = text; }", "navigator.clipboard.writeText = () => Promise.reject()"]:
        browser.run(f"document.execCommand = () => {{ window.copied = document.activeElement.value; return true; }}; window.copied = ''; {way}")
        browser.run("document.querySelector('.ways button:last-child').click()")
        browser.until("window.copied !== ''", "the copy")
        equal(browser.run("window.copied"), repo.run("render", path), "what is copied")

    # A neighbour leads to its pack.
    browser.run("document.querySelector('.graph a .parent').parentNode.dispatchEvent(new MouseEvent('click', {bubbles: true, cancelable: true}))")
    equal(browser.run(CHOSEN), "Part 20 of the whole", "the parent")
    browser.run("history.back()")
    browser.until(f"{CHOSEN} === 'Part 21 of the whole'", "the way back")
    for name, look in LOOKS.items():
        browser.look(**look)
        equal(browser.run("document.documentElement.scrollWidth > innerWidth"), False, f"{name}: something stands beyond the window")
        if shots:
            browser.shoot(f"{shots}/{name}.png")
        judged(browser, name)
    browser.look()
    named(browser)
    harmless(browser, [page])
    browser.key("Escape")
    goto(browser, "")
    for name in ["light", "dark", "phone", "phone-dark"]:
        browser.look(**LOOKS[name])
        judged(browser, f"overview, {name}")
        if shots:
            browser.shoot(f"{shots}/overview-{name}.png")
    browser.look()


def the_overview(browser, repo, shots):
    """All packs at once, with filters that the list follows."""
    for number in range(0, PACKS, 100):
        item = repo.folder / f"work_items/task-{number}.md"
        item.write_text(item.read_text(encoding="utf-8") + "\nOne more line.\n", encoding="utf-8")
    page = repo.page()
    browser.open(page)
    equal(browser.run(HEADING), "Overview", "what is shown at first")
    packs = len([1 for number in range(PACKS) if number % 7 == 3])

    def choose(name, value):
        browser.run(f"""(() => {{
            const select = [...document.querySelectorAll('.chooser label')].find((it) => it.firstChild.textContent === '{name}').lastChild;
            select.value = {json.dumps(value)};
            select.dispatchEvent(new Event('change'));
        }})()""")

    choose("State", "done")
    equal((browser.run(THERE), browser.run(TOLD)), (packs, f"{packs} of {PACKS:,} packs"), "packs that are done")
    choose("State", "")
    choose("Freshness", "stale")
    assert browser.run(THERE) >= PACKS // 100, "stale packs"
    choose("Sort by", "use")
    uses = browser.run("[...document.querySelectorAll('.packs meter')].map((it) => it.value)")
    equal(uses, sorted(uses, reverse=True), "the order by use")
    for name, look in LOOKS.items():
        browser.look(**look)
        equal(browser.run("document.documentElement.scrollWidth > innerWidth"), False, f"{name}: something stands beyond the window")
        if shots:
            browser.run("location.hash = '#overview'")
            browser.until("document.body.dataset.view === 'main'", "the overview")
            browser.shoot(f"{shots}/overview-{name}.png")
    browser.look()
    browser.run("document.getElementById('all').click()")
    equal(browser.run(THERE), PACKS, "packs after `Show all`")
    more = "[...document.querySelectorAll('#pack button')].find((it) => it.textContent.startsWith('Show more'))"
    browser.run(f"{more}.click()")
    equal(browser.run("document.querySelectorAll('.packs tbody tr').length"), 600, "rows")
    # The reasons of a stale pack are with it.
    goto(browser, "packs/task-100.coding.json")
    browser.until("document.querySelector('.reasons') && document.querySelector('.reasons').textContent.includes('task-100.md changed')", "the reason")
    harmless(browser, [page])
    repo.run("build", "-q")


def what_feeds_them(browser, repo, shots):
    """The tables of what feeds the packs say what `stats` counts."""
    page = repo.page()
    browser.open(page)
    browser.until(f"{HEADING} === 'Overview'", "the overview")
    table = "(caption) => [...document.querySelectorAll('#pack table')].find((it) => it.caption && it.caption.textContent === caption)"
    equal(browser.run(f"!!({table})('Texts by packs')"), False, "the tables are counted before they are asked for")
    browser.run("[...document.querySelectorAll('#pack summary')].find((it) => it.textContent === 'What feeds these packs').click()")
    browser.until(f"!!({table})('Texts by packs')", "the tables")

    def rows(caption):
        cells = browser.run(f"[...({table})({json.dumps(caption)}).tBodies[0].rows].map((row) => [...row.cells].map((cell) => cell.textContent))")
        return [[cell.replace(",", "") for cell in row] for row in cells]

    stats = json.loads(repo.run("stats", "--format", "json"))
    wanted = sorted((it["group"], str(it["packs"]), str(it["chars"])) for it in stats["groups"])
    equal(sorted((group, packs, chars) for group, packs, chars, _ in rows("Characters by group")), wanted, "the groups")
    wanted = [(it["name"], it["kind"], str(it["packs"]), str(it["shortened"]), str(it["chars"]))
              for it in stats["texts"] if it["packs"]]
    equal(sorted(map(tuple, rows("Texts by packs"))), sorted(wanted), "the texts")
    # They count what the filters find.
    browser.run("""(() => {
        const select = [...document.querySelectorAll('.chooser label')].find((it) => it.firstChild.textContent === 'State').lastChild;
        select.value = 'done';
        select.dispatchEvent(new Event('change'));
    })()""")
    browser.run("[...document.querySelectorAll('#pack summary')].find((it) => it.textContent === 'What feeds these packs').click()")
    browser.until(f"!!({table})('Texts by packs')", "the tables of what was found")
    done = str(len([1 for number in range(PACKS) if number % 7 == 3]))
    equal({packs for name, _, packs, *_ in rows("Texts by packs") if name == "docs/adr/0001-bounds.md"}, {done}, "packs that are done")
    for name, look in LOOKS.items():
        browser.look(**look)
        equal(browser.run("document.documentElement.scrollWidth > innerWidth"), False, f"{name}: something stands beyond the window")
        if shots:
            browser.shoot(f"{shots}/feeds-{name}.png")
    browser.look()
    harmless(browser, [page])


def on_a_phone(browser, repo, shots):
    """The list, or a pack: there is no room for both."""
    page = repo.page("packs/task-1.coding.json", "packs/task-2.coding.json", "packs/task-20.coding.json")
    browser.look(width=390, height=844)
    browser.open(page)
    there = "[document.querySelector('nav').offsetParent, document.getElementById('pack').offsetParent].map((it) => !!it)"
    equal(browser.run(there), [True, False], "the list, the pack")
    browser.run("document.querySelector('#list li').click()")
    equal((browser.run(there), browser.run(HEADING)), ([False, True], "Part 1 of the whole"), "the pack")
    if shots:
        browser.shoot(f"{shots}/phone-pack.png")
    browser.run("history.back()")
    browser.until(f"{there}[0]", "the list again")
    browser.run("document.querySelectorAll('#list li')[1].click()")
    browser.run("document.querySelector('.back').click()")
    equal((browser.run(there), browser.run(FOCUS)), ([True, False], "option"), "the way back to the list")
    browser.run("history.back()")
    browser.until(f"{there}[1]", "the pack that was left")
    equal(browser.run(HEADING), "Part 2 of the whole", "the pack that was left")
    browser.run("history.forward()")
    browser.until(f"{there}[0]", "the list")
    browser.run("document.querySelector('.top a').click()")
    browser.until(f"{there}[1] && {HEADING} === 'Overview'", "the overview")
    harmless(browser, [page])


def named(browser):
    """Whoever does not see the page is told what each thing on it is."""
    nodes = browser.ask("Accessibility.getFullAXTree")["nodes"]
    seen = {}
    for node in nodes:
        if not node["ignored"]:
            seen.setdefault(node["role"]["value"], []).append(node.get("name", {}).get("value", ""))
    for role in ["navigation", "main", "searchbox", "listbox", "option", "image", "heading", "region", "link", "button", "DisclosureTriangle"]:
        assert seen.get(role), f"there is no {role}: {sorted(seen)}"
        assert all(seen[role]), f"a {role} has no name"


def judged(browser, what):
    """Asks axe-core, if it is given, what people cannot use: nothing of what it finds may be serious. Rows of the list are alike."""
    if not AXE:
        return
    browser.run(AXE.read_text(encoding="utf-8") + "; axe.run({ exclude: ['#list li:nth-child(n+30)'] }).then((found) => { window.found = found; })")
    browser.until("!!window.found", f"axe on {what}")
    found = browser.run("window.found.violations.map((it) => [it.impact, it.id, it.nodes.length, it.nodes[0].html.slice(0, 120)])")
    browser.run("delete window.found")
    for impact, rule, count, first in found:
        print(f"axe: {what}: {impact}: {rule}: {count}, such as {first}")
    assert not [it for it in found if it[0] in ("serious", "critical")], f"{what} cannot be used by all"


def harmless(browser, addresses):
    """Nothing was asked for but these, nothing opened, failed or was refused."""
    asked = {event["request"]["url"].split("#")[0] for event in browser.told("Network.requestWillBeSent")}
    equal(sorted({url.split("?since=")[0] for url in asked} - set(addresses) - {"data:,"}), [], "requests")
    for event in ["Page.javascriptDialogOpening", "Runtime.exceptionThrown", "Log.entryAdded", "Page.windowOpen"]:
        equal(browser.told(event), [], event)
    assert browser.run(TITLE).startswith("Context packs"), browser.run(TITLE)


MARKDOWN = "\n\n".join([
    "# EVIL", "[a](javascript:alert(6)) [b](https://example.com/\u202ex 'EVIL') ![c](http://127.0.0.1:9/y) ![d](https://example.com/z.png) <https://example.com>",
    "> " * 60 + "EVIL", "- " * 60 + "EVIL", "|EVIL|b|\n|-|-|\n|<b>|[x](data:text/html,1)|", "```EVIL\n<script>alert(7)</script>\n```",
    "[" * 3000, "[a](" * 800, "`" * 1500 + " " + "``` `` ` " * 300, "*_" * 1500, "# " + "#" * 3000 + "x", "\\" * 999, "&lt;b&gt; &#60;",
])


def hostile(browser, repo, shots):
    """A pack made by somebody who wants the page to do something."""
    evil = ("</script><script>document.title='owned';alert(1)</script><img src=http://127.0.0.1:9/x onerror=alert(2)>"
            "<!--<script> \u202egnp.exe\u2066 \u0000\u0007\u001b[31m \U000e0041 &lt;b&gt; `${alert(3)}` {{script}}")
    pack = json.loads((repo.folder / "packs/task-1.coding.json").read_text(encoding="utf-8"))

    def soil(value):
        if isinstance(value, dict):
            return {name: soil(part) for name, part in value.items()}
        if isinstance(value, list):
            return [soil(part) for part in value]
        return value + evil if isinstance(value, str) else value

    soiled = soil(copy.deepcopy(pack))
    for field, value in [("schema_version", pack["schema_version"]), ("hash", pack["hash"])]:
        soiled[field] = value
    for section, clean in zip(soiled["sections"], pack["sections"]):
        section["id"], section["kind"] = clean["id"], clean["kind"]
        for edge in section["metadata"].get("edges", []):
            edge["relation"] = "constructor"
    soiled["root"]["issue_url"] = "javascript:alert(4)"
    soiled["sections"][1]["source"] = {"kind": "issue", "url": "javascript:alert(5)//" + evil}
    soiled["sections"][1]["content"] = evil + "x" * LONG + evil
    # Markdown for the reader's view: markup, links that are scripts, and what a careless parser would take for ever for.
    soiled["sections"][2]["kind"] = "issue"
    soiled["sections"][2]["content"] = MARKDOWN.replace("EVIL", evil)
    soiled["omissions"] = [{"id": "__proto__", "title": evil, "source": {"kind": evil, "url": "data:text/html," + evil},
                            "provenance": evil, "reason": evil, "chars": 2**53 - 1}]
    soiled["redactions"] = [{"section": "root.issue", "source": {"kind": evil, "path": evil}, "line": 1, "rule": evil, "count": 2,
                             "reason": evil, "to_include": evil}]
    soiled["warnings"] = [{"code": evil, "message": evil, "source": {"kind": evil, "path": "../" * 50}}]
    repo.write("evil/__proto__.json", json.dumps(soiled))
    repo.write("evil/torn.json", json.dumps(soiled)[:2000])
    page = repo.page("evil", "packs/task-2.coding.json", codes=(5,))
    seconds = browser.open(page)
    equal(browser.run(THERE), 3, "packs in the list")
    goto(browser, "evil/__proto__.json")
    browser.until("!!document.querySelector('.state')", "the pack of the address")
    browser.run("window.began = performance.now()")
    browser.run("for (const details of document.querySelectorAll('details')) details.open = true")
    browser.until("!!document.querySelector('.whole pre') && document.querySelectorAll('.reader').length > 1", "the texts")
    took = browser.run("new Promise((done) => requestAnimationFrame(() => setTimeout(() => done(performance.now() - began))))")
    print(f"a line of {LONG} characters: loaded in {seconds:.2f} s, all opened and painted in {took / 1000:.2f} s")
    assert evil.split(" ")[0] in browser.run("document.querySelector('h2').textContent"), "the title of the pack is shown as text"
    equal(browser.run("document.scripts.length + document.images.length + document.querySelectorAll('iframe,object,embed,form,base,textarea').length"), 3, "elements")
    equal(browser.run("[...document.querySelectorAll('#pack a')].filter((a) => !/^(https:|#)/.test(a.getAttribute('href'))).length"), 0, "links that are scripts")
    assert browser.run("[...document.querySelectorAll('.mark')].some((mark) => mark.textContent === 'U+202E')"), "a mark for U+202E"
    equal(browser.run(HIDDEN), [], "hidden characters")
    equal(browser.run("[...document.querySelectorAll('.reader')].flatMap((it) => [...it.querySelectorAll('*')]).filter((it) => it.attributes.length > [...it.attributes].filter(({ name }) => ['class', 'dir', 'tabindex', 'href', 'rel', 'role', 'aria-label', 'scope', 'start'].includes(name)).length).length"), 0, "attributes of Markdown")
    if shots:
        browser.shoot(f"{shots}/hostile.png")
    browser.key("End")
    browser.key("Home")
    harmless(browser, [page])
    # Not even a script that were in the page after all could ask the network or make markup.
    equal(browser.run("fetch('http://127.0.0.1:9/').then(() => 'sent', () => 'refused')"), "refused", "a request")
    equal(browser.run("try { document.body.innerHTML = '<b>x</b>'; 'made' } catch (error) { error.name }"), "TypeError", "markup of a text")


def for_agents(browser, repo, shots):
    """Packs for an agent say for whom they are, and why each document is there."""
    golden = pathlib.Path(__file__).parents[1] / "golden/agents/delivered"
    for file in golden.glob("*.json"):
        repo.write(f"agents/{file.name}", file.read_text(encoding="utf-8"))
    page = repo.page("agents")
    browser.open(page)
    for name in ["issue-expanded", "start-expanded"]:
        pack = json.loads((golden / f"{name}.json").read_text(encoding="utf-8"))
        address = "#/" + urllib.parse.quote(f"agents/{name}.json", safe="")
        browser.run(f"location.hash = {json.dumps(address)}")
        browser.until(f"document.querySelectorAll('details.section').length === {len(pack['sections'])}", f"{name}: sections")
        browser.run("document.querySelectorAll('#pack details').forEach((it) => { it.open = true; })")
        for told in ["Harbour ranger", "agent:ranger:night", "expanded", "number 1: ", "limit"]:
            browser.until(f"document.getElementById('pack').textContent.includes({json.dumps(told)})", f"{name}: {told}")
        if shots:
            browser.shoot(f"{shots}/{name}.png")
    harmless(browser, [page])


def handovers(browser, repo, shots):
    """A handover says from whom to whom, with what was inherited, added and left out; a box is a conversation."""
    golden = pathlib.Path(__file__).parents[1] / "golden/handover-recipes/context"
    for file in golden.rglob("*.json"):
        repo.write(f"context/{file.relative_to(golden)}", file.read_text(encoding="utf-8"))
    page = repo.page("context")
    browser.open(page)

    def shows(path, parts):
        browser.run(f"location.hash = {json.dumps('#/' + urllib.parse.quote(path, safe=''))}")
        for told in parts:
            browser.until(f"document.getElementById('pack').textContent.includes({json.dumps(told)})", f"{path}: {told}")

    packs = {file.name: json.loads(file.read_text(encoding="utf-8")) for file in (golden / "packs").glob("*.json")}
    name = next(name for name, pack in packs.items() if any(it["reason"] == "expired" for it in pack["omissions"])
                and any(part["id"] == "root.issue" for part in pack["sections"]))
    shows(f"context/packs/{name}", ["Handover", "agent:planner:main → agent:coder:main by delegate", "Inherited 1", "Added 2",
                                    "Left out 2", "expired", "deleted", "Do the first step."])
    if shots:
        browser.shoot(f"{shots}/handover.png")
    clock = max(int(file.name[:8]) for file in (golden / "logs/coder").iterdir())
    shows("context/logs/coder", [f"coder@{clock}", "assistant", "agent:coder:main", "task.deliverable", "Sorted."])
    if shots:
        browser.shoot(f"{shots}/log.png")
    harmless(browser, [page])


def batches(browser, repo, shots):
    """A batch says who has which task since when and what came of it, and leads to packs and logs."""
    evil = "</script><img src=http://127.0.0.1:9/x onerror=alert(6)> \u202egnp"
    for name in ["Coder", "Planner"]:
        repo.write(f"agents/{name.lower()}.md", f"---\nname: {name}\npurpose: Works\n---\n# {name}\n\nWorks.\n")
    tasks = [{"target_strategy": "new", "target_ref": "coder", "instruction": f"Do part {number} {evil}"} for number in range(4)]
    repo.write("tasks.json", json.dumps({"parent_agent": "planner", "tasks": tasks}))
    batch = json.loads(repo.run("batch", "fork", "tasks.json", "--format", "json"))["batch_id"]

    def on(command, task, *words):
        repo.run("batch", command, batch, str(task), *words)

    card = repo.run("card", "add", "--type", "task.deliverable", "--author", "coder", "--text", "All of it is done.").strip()
    repo.run("box", "append", f"{batch}.0", card)
    on("claim", 0, "--by", "https://github.com/owner/name/actions/runs/7")
    on("report", 0, "--epoch", "1", "--status", "success", "--summary", "Done " + evil)
    on("claim", 1, "--by", "the first " + evil)
    on("reclaim", 1)
    on("claim", 1, "--by", "the second")
    on("report", 1, "--epoch", "1", "--status", "success")
    on("report", 2, "--epoch", "1", "--status", "failed", "--error-code", "exit_7", "--error-message", evil)
    turns = [json.loads(repo.run("inbox", "put", "coder", "--box", f"{batch}.0", "--key", key, "--format", "json"))["agent_turn_id"] for key in "ab"]
    repo.run("inbox", "claim", "coder", turns[0], "--by", "a machine " + evil)
    server = subprocess.Popen([repo.program, "page", "--serve", "-q", "context"], cwd=repo.folder, stdout=subprocess.PIPE, text=True)
    try:
        address = server.stdout.readline().strip()
        path = f"context/batches/{batch}"
        browser.open(address + "#/" + urllib.parse.quote(path, safe=""))
        shown = "document.getElementById('pack').textContent"
        equal(browser.run(CHOSEN), f"Batch {batch}", "the batch of the address")
        browser.run("document.querySelectorAll('#pack details').forEach((it) => { it.open = true; })")
        for told in ["open2 of 4 tasks ended", "late report", "1 attempt given up", "by the second", "no: stale epoch", "exit_7", "Done </script><img"]:
            browser.until(f"{shown}.includes({json.dumps(told)})", f"the batch: {told}")
        # The server may still tell of the batch's last files: what was opened is then filled again.
        links = "[...document.querySelectorAll('#pack a')].map((a) => a.textContent)"
        for link in [f"context/logs/{batch}.0", "https://github.com/owner/name/actions/runs/7"]:
            browser.until(f"{links}.includes({json.dumps(link)})", f"the link {link}")
        browser.until(f"{links}.filter((link) => link.startsWith('context/packs/')).length === 4", "links of four packs")
        equal(browser.run(HIDDEN), [], "hidden characters")
        equal(browser.run("document.images.length"), 0, "elements")
        named_tasks = browser.run("document.querySelector('svg.tasks').getAttribute('aria-label')")
        equal(named_tasks, "Tasks: 1 success, 1 running, 1 bad, 1 waiting", "the bar")
        for name, look in [("batch", {"height": 1800}), ("batch-dark", {"dark": True}), ("batch-narrow", {"width": 400})]:
            browser.look(**look)
            equal(browser.run("document.documentElement.scrollWidth > innerWidth"), False, f"{name}: something stands beyond the window")
            if shots:
                browser.shoot(f"{shots}/{name}.png")
        browser.look()
        on("report", 1, "--epoch", "2", "--status", "success", "--summary", "Done as well.")
        repo.run("batch", "cancel", batch)
        repo.run("batch", "join", batch)
        browser.until(f"{shown}.includes('4 of 4 tasks ended, joined at')", "the change")
        browser.until(f"{shown}.includes('Done as well.')", "what was opened stays so")
        browser.run("[...document.querySelectorAll('#pack a')].find((a) => a.textContent === 'context/logs/planner').click()")
        browser.until(f"{CHOSEN}.startsWith('planner@')", "the log of the result")
        labels = browser.run("[...document.querySelectorAll('#list [role=option]')].map((it) => it.getAttribute('aria-label'))")
        for task in range(4):
            assert any(f"batch {batch}, task {task}" in label for label in labels), labels
        browser.run("[...document.querySelectorAll('#list [role=option]')].find((it) => it.textContent.startsWith('Inbox coder')).click()")
        equal(browser.run(CHOSEN), "Inbox coder", "the inbox")
        browser.run("document.querySelectorAll('#pack details').forEach((it) => { it.open = true; })")
        for told in ["open0 of 2 turns ended", turns[1], "by a machine </script><img"]:
            browser.until(f"{shown}.includes({json.dumps(told)})", f"the inbox: {told}")
        if shots:
            browser.shoot(f"{shots}/inbox.png")
        repo.run("inbox", "ack", "coder", turns[0], "--summary", "The turn is over.")
        browser.until(f"{shown}.includes('1 of 2 turns ended') && {shown}.includes('The turn is over.')", "the answer")
        harmless(browser, [address, address + "packs.json", address + "freshness.json"])
        # Else it would still ask for news while the next page is opened.
        browser.open("about:blank")
    finally:
        server.kill()
        server.wait()


def live(browser, repo, shots):
    server = subprocess.Popen([repo.program, "page", "--serve", "--watch", "-q"], cwd=repo.folder, stdout=subprocess.PIPE, text=True)
    try:
        address = server.stdout.readline().strip()
        browser.open(address + "#/" + urllib.parse.quote("packs/task-7.coding.json", safe=""))
        equal(browser.run(CHOSEN), "Part 7 of the whole", "the pack of the address")
        browser.run("document.getElementById('pack').scrollTop = 300; window.stays = true")
        item = repo.folder / "work_items/task-7.md"
        item.write_text(item.read_text(encoding="utf-8").replace("Part 7 of the whole", "Part seven <b>of it</b>"), encoding="utf-8")
        browser.until(f"{CHOSEN} === 'Part seven <b>of it</b>'", "the change")
        assert "changed" in browser.run(TOLD), browser.run(TOLD)
        equal(browser.run("[...document.querySelectorAll('.diff')].map((it) => [...it.querySelectorAll('ins, del')].map((line) => line.textContent.trim()))[0]"),
              ["- # Part 7 of the whole", "+ # Part seven <b>of it</b>"], "the lines of the last save")
        equal(browser.run("[...document.querySelectorAll('.section.changed')].map((it) => it.dataset.id)"), ["root.issue", "root.json", "parent.task:0"], "changed sections")
        browser.until("document.getElementById('pack').scrollTop === 300", "the place that was read")
        equal(browser.run("window.stays"), True, "the page is the same")
        if shots:
            browser.shoot(f"{shots}/live.png")
        (repo.folder / "packs/task-8.coding.json").unlink()
        browser.until(f"{THERE} === {PACKS - 1}", "a pack that is gone")
        # What a search put aside comes back, whatever changed meanwhile.
        browser.key("/")
        browser.type("Part 9 of")
        browser.until(f"{HEADING} === 'Overview'", "the overview of what was found")
        item.write_text(item.read_text(encoding="utf-8").replace("Part seven", "Part 7 again"), encoding="utf-8")
        browser.until("document.getElementById('list').textContent.includes('Part 7 again')", "another change")
        browser.key("Escape")
        equal(browser.run(CHOSEN), "Part 7 again <b>of it</b>", "the pack after Escape")
        harmless(browser, [address, address + "packs.json", address + "freshness.json"])
    finally:
        server.kill()
        server.wait()
    browser.until(f"{TOLD}.includes('does not answer')", "word of the server that is gone")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bin", required=True)
    parser.add_argument("--shots")
    parser.add_argument("--only", nargs="*", default=[], help="names of parts, such as hostile")
    parser.add_argument("--packs", type=int, default=PACKS, help="how many packs, at least 700")
    parser.add_argument("--axe", type=pathlib.Path, help="axe.min.js of axe-core, which judges whether all can use the page")
    args = parser.parse_args()
    globals().update(PACKS=args.packs, AXE=args.axe)
    with tempfile.TemporaryDirectory() as folder:
        repo = Repo(folder, os.path.abspath(args.bin))
        fill(repo)
        browser = Chromium()
        try:
            for part in [quick_and_usable, what_feeds_them, the_overview, on_a_phone, hostile, for_agents, handovers, batches, live]:
                if args.only and part.__name__ not in args.only:
                    continue
                browser.look()
                part(browser, repo, args.shots)
                print(f"ok -- {part.__name__.replace('_', ' ')}")
        finally:
            browser.close()


main()
