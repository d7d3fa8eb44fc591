#!/usr/bin/env python3
"""How long builds of large repos take: cold, with nothing changed, with one file changed.

    cargo build --release && tests/bench/scale.py [SIZE|keps|documents]... [--program PATH] [--keep DIR]

Repos are made up from a seed, the same every time: `SIZE` work items of 1 to 8 KB with a parent,
dependencies and references to 500 ADRs, or `keps`, 679 items in folders of their own among 1,832
text files of 21.5 MB, or `documents`, 5,000 of which an agent's pack shows a few. Times are the best of several runs with warm file caches; memory is the
program's largest resident set. Without arguments: keps, 1000, 10000.
"""

import argparse
import os
import random
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

ADRS = 500
WORDS = """cache reader writer index shard queue latency retry budget token section parser record field
edge graph parent child issue review release branch merge commit config default option timeout memory thread
lock snapshot restore backup cluster node replica leader election consensus schema migration column table row
request response header payload client server session user group role policy audit metric trace log alert""".split()
SMALL = "the a of to in and for with from when after before must should never always may not is are was".split()
HEADINGS = ["Goal", "Context", "Decision", "Scope", "Constraints", "Acceptance criteria", "Notes", "Design", "Risks"]


class Prose:
    """Paragraphs made once and put together again and again."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.pool = [self.paragraph() for _ in range(3000)]

    def sentence(self):
        draw = self.random
        words = [draw.choice(WORDS if draw.random() < 0.55 else SMALL) for _ in range(draw.randint(6, 22))]
        if draw.random() < 0.08:
            words.insert(3, f"`{draw.choice(WORDS).title()}::{draw.choice(WORDS)}`")
        if draw.random() < 0.04:
            words.append(f"(see [the {draw.choice(WORDS)}](https://example.org/{draw.choice(WORDS)}/{draw.randint(1, 99)}))")
        return " ".join(words).capitalize() + "."

    def paragraph(self):
        draw = self.random
        kind = draw.random()
        if kind < 0.72:
            text = " ".join(self.sentence() for _ in range(draw.randint(2, 6)))
            lines, line = [], ""
            for word in text.split():
                if len(line) + len(word) > 98:
                    lines.append(line)
                    line = ""
                line += (" " if line else "") + word
            return "\n".join(lines + [line]) + "\n\n"
        if kind < 0.9:
            return "".join(f"- {self.sentence()}\n" for _ in range(draw.randint(2, 6))) + "\n"
        if kind < 0.96:
            name = draw.choice(WORDS)
            return f"```rust\nlet {name} = open(\"{name}/{draw.choice(WORDS)}.rs\")?;\nassert!({name}.len() > {draw.randint(1, 9)});\n```\n\n"
        rows = "".join(f"| {draw.choice(WORDS)} | {draw.randint(1, 9000)} |\n" for _ in range(draw.randint(2, 5)))
        return f"| what | how many |\n|---|---|\n{rows}\n"

    def text(self, size):
        draw, parts, length, part = self.random, [], 0, 0
        while length < size:
            if part % 3 == 0:
                parts.append(f"## {HEADINGS[(part // 3) % len(HEADINGS)]}\n\n")
            parts.append(draw.choice(self.pool))
            length += len(parts[-1])
            part += 1
        return "".join(parts)


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def adrs(root, prose, count):
    for n in range(1, count + 1):
        status = "Superseded by ADR-0001" if n % 40 == 0 else "Accepted"
        write(root / f"docs/adr/{n:04}-{WORDS[n % len(WORDS)]}.md",
              f"# {n}. Use a {WORDS[n % len(WORDS)]}\n\nStatus: {status}\n\n{prose.text(5000)}")


def items(root, count):
    """Items in a tree of eight, each with a dependency or two and an ADR or two."""
    prose = Prose(count)
    draw = prose.random
    # Packs of about 20 KB.
    write(root / "contextpack.yml", "version: 1\noutput: {dir: packs}\nprofiles: {coding: {budget: {max_chars: 12000, strategy: both}}}\n")
    adrs(root, prose, ADRS)
    for n in range(count):
        fields = [f"id: T-{n}", f"title: Make the {WORDS[n % len(WORDS)]} {WORDS[n * 7 % len(WORDS)]} again {n}",
                  f"status: {'done' if n % 5 == 0 else 'open'}", f"priority: P{n % 4}"]
        if n:
            fields.append(f"parent: T-{n // 8}")
            fields.append(f"depends_on: [{', '.join(f'T-{draw.randrange(count)}' for _ in range(draw.randint(1, 2)))}]")
        fields.append(f"adrs: [{draw.randint(1, ADRS)}]")
        body = prose.text(draw.randint(1000, 8000) - 300)
        body += f"It follows ADR-{draw.randint(1, ADRS):04} and is related to #{draw.randint(1, 5000)}.\n"
        write(root / f"work_items/{n // 1000:03}/t-{n}.md", "---\n" + "\n".join(fields) + "\n---\n\n" + body)
    return root / f"work_items/000/t-{min(77, count - 1)}.md"


def keps(root, count=679):
    """One folder an item, its body in a file beside it, and as many other texts around them."""
    prose = Prose(1832)
    draw = prose.random
    write(root / "contextpack.yml",
          "version: 1\noutput: {dir: packs}\nwork_items:\n  - {include: [\"keps/**/kep.yaml\"], id: \"{dir}\", body_file: README.md, "
          "fields: {related: [see-also, replaces]}}\n")
    for n in range(count):
        folder = root / f"keps/sig-{WORDS[n % 24]}/{n}-{WORDS[n % len(WORDS)]}"
        other = draw.randrange(count)
        see = f"keps/sig-{WORDS[other % 24]}/{other}-{WORDS[other % len(WORDS)]}"
        write(folder / "kep.yaml", f"title: The {WORDS[n % len(WORDS)]}\nkep-number: {n}\nauthors:\n  - \"@{WORDS[n % 30]}\"\n"
              f"status: implemented\nsee-also:\n  - \"/{see}\"\n")
        body = f"# KEP-{n}\n\n" + prose.text(min(90_000, int(draw.expovariate(1 / 28_500)) + 2000))
        write(folder / "README.md", body + f"\nAs in [the other](/{see}/README.md).\n")
    for n in range(count * 474 // 679):
        write(root / f"docs/notes/{n}.md", f"# Note {n}\n\n" + prose.text(2500))
    return root / "keps/sig-cache/0-cache/README.md"


def documents(root, count=5000):
    """Documents of which an agent is shown a few, and 50 items."""
    prose = Prose(count)
    draw = prose.random
    write(root / "contextpack.yml", "version: 1\noutput: {dir: packs}\ndocuments:\n  - {include: [\"docs/**/*.md\"], type: reference}\n")
    write(root / "agents/coder.md", "---\nname: coder\n---\n\n# Coder\n\nYou write code.\n")
    for n in range(count):
        title = f"# The {WORDS[n % len(WORDS)]} {WORDS[n * 7 % len(WORDS)]} {n}\n\n"
        write(root / f"docs/{n // 100}/{n}.md", title + prose.text(draw.randint(2000, 6000)))
    for n in range(50):
        fields = f"id: T-{n}\ntitle: Make the {WORDS[n % len(WORDS)]} again\nstatus: open"
        write(root / f"work_items/t-{n}.md", f"---\n{fields}\n---\n\n{prose.text(2000)}")
    return root / "work_items/t-3.md"


def run(program, root, *args):
    """Runs the program; seconds, MiB of its largest resident set, its last line."""
    # A home of its own, outside of the repo: the key of a cache in the repo is not trusted, and nothing would be cached.
    home = root.parent / "home"
    home.mkdir(exist_ok=True)
    env = {"PATH": os.environ["PATH"], "HOME": str(home), "SOURCE_DATE_EPOCH": "1767323045"}
    with tempfile.TemporaryFile() as err:
        began = time.perf_counter()
        child = subprocess.Popen([program, "-C", str(root), *args], env=env, stdout=subprocess.DEVNULL, stderr=err)
        _, status, usage = os.wait4(child.pid, 0)
        seconds = time.perf_counter() - began
        err.seek(0)
        lines = err.read().decode().splitlines()
    if os.waitstatus_to_exitcode(status) not in (0, 3, 4):
        raise SystemExit("\n".join(lines[-5:]))
    return seconds, usage.ru_maxrss / 1024, lines[-1] if lines else ""


def best(times, measure):
    return min((measure() for _ in range(times)), key=lambda result: result[0])


def measured(program, root, changed, often):
    def cold(*limit):
        for folder in ("packs", ".contextpack"):
            shutil.rmtree(root / folder, ignore_errors=True)
        return run(program, root, "build", "-q", *limit)

    def uncached():
        shutil.rmtree(root / ".contextpack", ignore_errors=True)
        return run(program, root, "build", "-q")

    def shard():
        # Each job of a workflow begins without a cache.
        shutil.rmtree(root / ".contextpack", ignore_errors=True)
        return run(program, root, "build", "-q", "--shard", "1/64", "--out", str(root.parent / "shard"))

    def delivered():
        shutil.rmtree(root / ".contextpack", ignore_errors=True)
        return run(program, root, "render", "T-3", "--agent", "coder")

    if (root / "agents").exists():
        return {"an agent's pack": best(often, delivered)}

    def edited():
        with changed.open("a") as file:
            file.write("One more line.\n")
        return run(program, root, "build", "-q")

    # 3,000 tokens are about the 12,000 characters of the configuration.
    row = {"cold, by tokens": best(max(1, often - 1), lambda: cold("--max-tokens", "3000"))}
    row["cold"] = best(max(1, often - 1), cold)
    row["without cache"] = best(max(1, often - 1), uncached)
    row["nothing changed"] = best(often, lambda: run(program, root, "build", "-q"))
    row["one file changed"] = best(often, edited)
    row["check"] = best(often, lambda: run(program, root, "check", "-q"))
    row["one of 64 shards"] = best(often, shard)
    whole = changed.read_text()
    changed.write_text(whole + "\0")
    run(program, root, "build", "-q")
    row["nothing, one broken"] = best(often, lambda: run(program, root, "build", "-q"))
    changed.write_text(whole)
    return row


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sizes", nargs="*", default=["keps", "1000", "10000"])
    parser.add_argument("--program", default="target/release/contextpack")
    parser.add_argument("--keep", type=Path, help="where the repos are made, and left for the next time")
    args = parser.parse_args()
    program = str(Path(args.program).resolve())
    folder = args.keep or Path(tempfile.mkdtemp())
    rows = {}
    try:
        for size in args.sizes:
            root = folder / size
            make, count = {"keps": (keps, 679), "documents": (documents, 5000)}.get(size) or (items, int(size))
            if not root.exists():
                changed = make(root, count)
                write(root / ".gitignore", "packs/\n.changed\n")
                subprocess.run(["git", "init", "-q"], cwd=root, check=True)
                subprocess.run(["git", "add", "-A"], cwd=root, check=True)
                (root / ".changed").write_text(str(changed.relative_to(root)))
            changed = root / (root / ".changed").read_text()
            rows[size] = measured(program, root, changed, 2 if count >= 100_000 else 5)
            packs = list((root / "packs").iterdir()) if (root / "packs").exists() else []
            print(f"\n{size}: {len(packs)} packs, {sum(pack.stat().st_size for pack in packs) / 1e6:.1f} MB")
            for what, (seconds, memory, _) in rows[size].items():
                print(f"  {what:17} {seconds:8.3f} s {memory:7.0f} MiB", flush=True)
        sizes = sorted(int(size) for size in rows if size.isdigit())
        for small, large in zip(sizes, sizes[1:]):
            growth = {what: rows[str(large)][what][0] / rows[str(small)][what][0] for what in rows[str(small)]}
            print(f"\n{small} → {large} items: " + ", ".join(f"{what} × {by:.1f}" for what, by in growth.items()))
    finally:
        if not args.keep:
            shutil.rmtree(folder)


if __name__ == "__main__":
    main()
