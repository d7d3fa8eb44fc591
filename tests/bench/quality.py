#!/usr/bin/env python3
"""Judges what packs hold: builds the packs of repos and measures how much of each is what an agent needs.

  quality.py --bin target/release/contextpack [--place-code] REPO...

Each REPO has its contextpack.yml; it is copied, never changed. Prints one line per figure and repo, and a total. How
each figure is counted is said in docs/quality.md. The texts are read here by plain rules of their own, not by those of
the program.
"""
import argparse, collections, json, os, re, shutil, subprocess, sys, tempfile

BOILERPLATE = re.compile(r"(?i)(^|/)(licen[cs]e|copying|notice|code[_-]of[_-]conduct|contributing|change(s|log))[^/]*$")
ANCHOR_LINE = re.compile(r"^\s*(?:[-*+]|\d+[.)])\s*\[[^\]]*\]\(#[^)]*\)")
KEY = re.compile(
    r"(?i)^(non[- ]?)?goals?$|^(in |out of )?scope$|^constraints?$|^requirements?$|^acceptance( criteria)?$|"
    r"^(success|exit) criteria$|^definition of done$|^test plan$|^(open|unresolved) questions?$|^decision( outcome)?$|"
    r"^outcome$|^final summary$|^steps to reproduce$|^(expected|actual) behaviou?r$")
RESULT = re.compile(
    r"(?i)^(outcomes?|results?|final summary|resolution|decision( outcome)?|what was done|"
    r"(implementation|completion) (notes|summary))$")
CRITERIA = re.compile(r"(?i)^acceptance criteria$")
LIST_MARK = re.compile(r"^(?:(?:[-*+>]|\d+[.)]|\[[xX ]\]|✅|✓)\s+)+")
CODE = re.compile(r"(?<![\w/.@:-])((?:[\w.@+-]+/)+[\w.@+-]+\.[A-Za-z]\w{0,9})(?::(\d+)(?:-(\d+))?|#L(\d+)(?:-L?(\d+))?)?")
DOCUMENT = re.compile(r"(?i)\.(md|markdown|rst|adoc|txt)$")
FENCE = re.compile(r"(?ms)^ {0,3}(```+|~~~+).*?^ {0,3}\1[`~]*\s*$|<!--.*?-->")


def run(args, cwd, **more):
    env = {**os.environ, "SOURCE_DATE_EPOCH": "0", "XDG_CACHE_HOME": os.path.join(cwd, "..", "cache"), **more}
    return subprocess.run(args, cwd=cwd, env=env, capture_output=True, text=True)


def packs(binary, repo, out, *options):
    shutil.rmtree(out, ignore_errors=True)
    run([binary, "build", "-q", "--out", out, *options], repo)
    for name in sorted(os.listdir(out)) if os.path.isdir(out) else []:
        if name.endswith(".json"):
            with open(os.path.join(out, name), encoding="utf8") as file:
                yield json.load(file)


def headings(text):
    """Title, and whether text follows before the next heading of the same or a higher level."""
    lines = FENCE.sub("", text).split("\n")
    found = []
    for at, line in enumerate(lines):
        match = re.match(r"^(#{1,6})\s+(.*?)\s*#*\s*$", line)
        if match:
            title = re.sub(r"\(.*?\)", "", match[2])
            title = " ".join(re.findall(r"[^\W_]+(?:[-'][^\W_]+)*", title)).strip()
            title = re.sub(r"^[\d. ]+", "", title)
            below = []
            for other in lines[at + 1:]:
                next_one = re.match(r"^(#{1,6})\s", other)
                if next_one and len(next_one[1]) <= len(match[1]):
                    break
                if not next_one and other.strip():
                    below.append(other.strip())
            found.append((title, below))
    return found


def section(pack, id):
    return next((s for s in pack["sections"] if s["id"] == id), None)


class Figures:
    def __init__(self):
        self.parts = collections.OrderedDict()

    def add(self, name, good, all, lower_is_better=False):
        at = self.parts.setdefault(name, [0, 0])
        at[0] += good
        at[1] += all

    def show(self, repo):
        for name, (good, all) in self.parts.items():
            print(f"{repo:24} {name:58} {good / all if all else float('nan'):8.3f}  ({good} of {all})")


def place_code(repo):
    """Creates the files of code that texts name and that the repo lacks, each with 200 lines."""
    named = set()
    for folder, folders, files in os.walk(repo):
        folders[:] = [name for name in folders if name != ".git"]
        for file in files:
            if file.endswith((".md", ".jsonl", ".yml", ".yaml")):
                with open(os.path.join(folder, file), encoding="utf8", errors="replace") as text:
                    named |= {match[1] for match in CODE.finditer(text.read().replace("\\n", "\n"))}
    for path in sorted(named):
        at = os.path.join(repo, path)
        if DOCUMENT.search(path) or ".." in path.split("/") or os.path.exists(at):
            continue
        try:
            os.makedirs(os.path.dirname(at), exist_ok=True)
            with open(at, "w", encoding="utf8") as file:
                file.writelines(f"line {number}\n" for number in range(1, 201))
        except OSError:
            continue


def judge(binary, source, total, place):
    name = os.path.basename(os.path.normpath(source))
    figures = Figures()
    with tempfile.TemporaryDirectory() as work:
        repo, out = os.path.join(work, "repo"), os.path.join(work, "out")
        shutil.copytree(source, repo, symlinks=True, ignore=shutil.ignore_patterns(".git", "packs", ".contextpack"))
        if place:
            place_code(repo)
        run(["git", "init", "-q"], repo)
        run(["git", "add", "-A"], repo)
        files = {path for path in run(["git", "ls-files", "-z"], repo).stdout.split("\0") if path}

        default = list(packs(binary, repo, out))
        for pack in default:
            of_all = sum(s["metadata"]["chars"] for s in pack["sections"] if s["kind"] != "instructions")
            idle = 0
            for s in pack["sections"]:
                if s["provenance"] in ("doc_ref", "code_ref") and BOILERPLATE.search(s["source"].get("path") or ""):
                    idle += s["metadata"]["chars"]
                else:
                    toc = [line for line in s["content"].split("\n") if ANCHOR_LINE.match(line)]
                    idle += sum(map(len, toc)) if len(toc) > 2 else 0
            figures.add("boilerplate in packs (share of characters)", idle, of_all)
            root = section(pack, "root.issue")
            there = {s["source"].get("path") for s in pack["sections"]} | {o["source"].get("path") for o in pack["omissions"]}
            ids = [s["id"] for s in pack["sections"]] + [o["id"] for o in pack["omissions"]]
            text = root and (root["content"] if root["metadata"]["detail"] == "full" else "") or ""
            own = root and root["source"].get("path") or ""
            for match in CODE.finditer(FENCE.sub("", text)):
                path = match[1]
                if path not in files or DOCUMENT.search(path) or path == own:
                    continue
                figures.add("existing code files named by full path that are in", path in there, 1)
                line = match[2] or match[4]
                if line:
                    at = [s["source"].get("lines") for s in pack["sections"] if s["source"].get("path") == path]
                    held = any(lines and lines[0] <= int(line) <= lines[1] for lines in at)
                    held = held or any(o["source"].get("path") == path for o in pack["omissions"])
                    figures.add("stated lines that are in", held, 1)
            for s in pack["sections"]:
                if s["provenance"] == "comment":
                    first = s["content"].split("\n")[0]
                    by = s["metadata"]
                    named = (by.get("author") or "") in first and (by.get("created_at") or "")[:10] in first
                    figures.add("comments that begin with author and date", named, 1)

        for limit in ("8000", "16000"):
            for pack in packs(binary, repo, out, "--max-chars", limit):
                shortened = [s for s in pack["sections"] if "full_chars" in s["metadata"]]
                path = os.path.join(work, "pack.json")
                with open(path, "w", encoding="utf8") as file:
                    json.dump(pack, file)
                if len(pack["sections"]) and (shortened or pack["omissions"]) and figures.parts.get("truthful ends", [0, 0])[1] < 400:
                    with open(path, encoding="utf8") as file:
                        end = subprocess.run([binary, "render", "-"], stdin=file, capture_output=True, text=True).stdout[-4000:]
                    says = re.search(r"(\d+) sections? (?:is|are) shortened:", end)
                    truth = (int(says[1]) if says else 0) == len(shortened) and ("Left out: nothing" not in end)
                    figures.add("truthful ends", truth, 1)
                groups = collections.defaultdict(list)
                for s in shortened:
                    state = s["metadata"].get("state")
                    if s["metadata"]["detail"] == "truncated" and s["provenance"] != "root":
                        groups[s["provenance"], state in ("done", "not_planned", "merged")].append(s["metadata"]["chars"])
                for sizes in groups.values():
                    if len(sizes) > 1:
                        figures.add("groups of cut equals whose smallest is half the largest", min(sizes) * 2 >= max(sizes), 1)
                for s in shortened:
                    if s["provenance"] in ("parent", "child", "dependency") and s["metadata"].get("state") == "done":
                        path = os.path.join(repo, s["source"].get("path") or "")
                        if not os.path.isfile(path) or not path.endswith(".md"):
                            continue
                        with open(path, encoding="utf8") as file:
                            whole = file.read()
                        # What came of it, or else what it had to fulfil: the first statement of one of the sections.
                        stated = {RESULT: [], CRITERIA: []}
                        for title, below in headings(whole):
                            below = [LIST_MARK.sub("", line) for line in below if not line.startswith("<!--")]
                            below = [line for line in below if not line.rstrip("*").endswith(":")]
                            for kind in stated:
                                if kind.match(title) and below:
                                    stated[kind].append(below[0][:60])
                        wanted = stated[RESULT] or stated[CRITERIA]
                        if wanted:
                            held = any(line in s["content"] for line in wanted)
                            figures.add("outcomes of shortened done neighbours", held, 1)

        # Key headings where the root alone is cut to 60 % of its size.
        config = os.path.join(repo, "contextpack.yml")
        with open(config, encoding="utf8") as file:
            settings = file.read()
        alone = "profiles:\n  quality:\n    budget: {max_chars: 900000000}\n    leave_out: [parent, dependencies, children, adrs, comments, documents, related]\n"
        if "profiles:" not in settings:
            with open(config, "a", encoding="utf8") as file:
                file.write("\n" + alone)
            whole = {pack["root"].get("work_item_id") or pack["root"].get("issue_url"): pack
                     for pack in packs(binary, repo, out, "-p", "quality")}
            tried = 0
            for root, pack in whole.items():
                body = section(pack, "root.issue")
                keys = [(title, below) for title, below in headings(body["content"]) if KEY.match(title) and below]
                if not keys or body["metadata"]["chars"] < 1500 or tried >= 150:
                    continue
                tried += 1
                limit = pack["budget"]["used_chars"] - body["metadata"]["chars"] * 2 // 5
                cut = run([binary, "build", "-q", root, "-p", "quality", "--max-chars", str(limit), "--out", "-"], repo).stdout
                if not cut:
                    continue
                content = section(json.loads(cut), "root.issue")["content"]
                kept = dict(headings(content))
                for title, below in keys:
                    figures.add("key headings that survive at 60 % of an item's size", bool(kept.get(title)) and below[0][:40] in content, 1)
            for root, pack in list(whole.items()):
                body = section(pack, "root.issue")
                toc = [line for line in body["content"].split("\n") if ANCHOR_LINE.match(line)]
                if body["metadata"]["chars"] > 20000 and len(toc) > 2:
                    cut = json.loads(run([binary, "build", "-q", root, "-p", "quality", "--max-tokens", "4000", "--out", "-"], repo).stdout)
                    content = section(cut, "root.issue")["content"]
                    rest = [line for line in content.split("\n") if ANCHOR_LINE.match(line)]
                    figures.add("contents lists in long items at 4,000 tokens (share)", sum(map(len, rest)), len(content))
    figures.show(name)
    for figure, (good, all) in figures.parts.items():
        total.add(figure, good, all)


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--bin", required=True)
    arguments.add_argument("--place-code", action="store_true", help="create the files of code that texts name and the repo lacks")
    arguments.add_argument("repos", nargs="+")
    given = arguments.parse_args()
    total = Figures()
    for repo in given.repos:
        judge(os.path.abspath(given.bin), repo, total, given.place_code)
    if len(given.repos) > 1:
        total.show("all")


if __name__ == "__main__":
    main()
