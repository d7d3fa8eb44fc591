#!/usr/bin/env python3
"""Kills builds wherever they happen to be, and holds what they leave to what a cold build gives.

    cargo build && tests/bench/kill.py [TIMES] [--program PATH]

Each time a file is edited, a build is started and killed after a random while, often while it writes
its cache; the build after it has to succeed, and `check` has to agree. At the end the packs are
compared with those of a build without a cache.
"""

import argparse
import os
import random
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path

from scale import items


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("times", nargs="?", type=int, default=100)
    parser.add_argument("--program", default="target/debug/contextpack")
    args = parser.parse_args()
    program = str(Path(args.program).resolve())
    folder = Path(tempfile.mkdtemp())
    env = {"PATH": os.environ["PATH"], "HOME": str(folder), "SOURCE_DATE_EPOCH": "1767323045"}

    def start(command):
        return subprocess.Popen([program, "-C", str(root), command, "-q"], env=env, stdout=subprocess.DEVNULL)

    def succeed(command):
        began = time.perf_counter()
        if start(command).wait() != 0:
            raise SystemExit(f"`{command}` failed")
        return time.perf_counter() - began

    try:
        root = folder / "repo"
        changed = items(root, 60)
        draw = random.Random(5)
        took, killed = succeed("build"), 0
        for _ in range(args.times):
            with changed.open("a") as file:
                file.write(f"Line {draw.random()}.\n")
            build = start("build")
            time.sleep(draw.random() * took)
            build.send_signal(signal.SIGKILL)
            killed += build.wait() == -signal.SIGKILL
            took = succeed("build")
            succeed("check")
        packs = {path.name: path.read_bytes() for path in (root / "packs").glob("*.json")}
        shutil.rmtree(root / "packs")
        shutil.rmtree(root / ".contextpack")
        succeed("build")
        cold = {path.name: path.read_bytes() for path in (root / "packs").glob("*.json")}
        if packs != cold:
            raise SystemExit("the packs are not those of a cold build")
        print(f"{args.times} builds, {killed} killed before they ended: the packs are those of a cold build")
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
