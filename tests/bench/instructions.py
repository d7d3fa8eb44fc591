#!/usr/bin/env python3
"""Counts the instructions of two builds on one thread, and compares them with those of the last landed program.

    CARGO_INCREMENTAL=0 cargo test --no-run && tests/bench/instructions.py [--program PATH] [--write]

The repos are those of scale.py: 25 items with 10 ADRs, and 8 items in folders of their own. A count that is more than 3 %
above that of instructions.txt fails, unless the commit that wrote the file says in its body what the instructions buy;
`--write` writes it. Needs valgrind. Counts of one program differ by less than 0.2 % from run to run; where the processor has
other wide instructions than that of the file they are not compared.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import scale

LANDED = Path(__file__).with_suffix(".txt")
WIDE = str(int("avx2" in Path("/proc/cpuinfo").read_text()))
MOST = 1.03


def count(program, root):
    home = root.parent / "home"
    home.mkdir(exist_ok=True)
    env = {"PATH": os.environ["PATH"], "HOME": str(home), "SOURCE_DATE_EPOCH": "1767323045", "RAYON_NUM_THREADS": "1"}
    command = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", program, "-C", str(root), "build", "-q"]
    done = subprocess.run(command, env=env, capture_output=True, text=True)
    collected = re.search(r"Collected : (\d+)", done.stderr)
    if done.returncode or not collected:
        raise SystemExit(done.stderr[-2000:])
    return int(collected.group(1))


def unexplained(landed):
    """Whether the commit that wrote the counts raised one of them and does not say what for."""
    git = lambda *args: subprocess.run(["git", *args], cwd=LANDED.parent, capture_output=True, text=True).stdout
    commit, _, body = git("log", "-1", "--format=%H%n%b", "--", LANDED.name).partition("\n")
    before = dict(line.split() for line in git("show", f"{commit}~:./{LANDED.name}").splitlines())
    raised = any(int(number) > MOST * int(before.get(name, number)) for name, number in landed.items())
    return raised and "instructions" not in body


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="target/debug/contextpack")
    parser.add_argument("--write", action="store_true", help="write the counts as those of the last landed program")
    args = parser.parse_args()
    program = str(Path(args.program).resolve())
    scale.ADRS = 10
    counts = {}
    with tempfile.TemporaryDirectory() as folder:
        for name, make, size in (("items", scale.items, 25), ("folders", scale.keps, 8)):
            root = Path(folder) / name
            make(root, size)
            subprocess.run(["git", "init", "-q"], cwd=root, check=True)
            subprocess.run(["git", "add", "-A"], cwd=root, check=True)
            counts[name] = count(program, root)
    if args.write:
        LANDED.write_text("".join(f"{name} {number}\n" for name, number in [("avx2", WIDE), *counts.items()]))
    landed = dict(line.split() for line in LANDED.read_text().splitlines())
    if landed.pop("avx2") != WIDE:
        return print(f"{LANDED.name} was counted on another kind of processor: not compared", counts)
    ratios = {name: number / int(landed[name]) for name, number in counts.items()}
    for name, number in counts.items():
        print(f"{name}: {number / 1e6:,.0f} million instructions, {ratios[name] - 1:+.1%}")
    if unexplained(landed):
        sys.exit(f"the commit that raised {LANDED.name} does not say what the instructions buy")
    if max(ratios.values()) > MOST:
        sys.exit(f"more than 3 % above {LANDED.name}: find out why, or say in a commit what they buy and run this with --write")


if __name__ == "__main__":
    main()
