#!/usr/bin/env python3
"""How long `contextpack watch` takes from a save to the pack, how much memory it holds, and what it makes of bursts.

    cargo build --release && tests/bench/watch.py [--program PATH] [--saves N] [--files N] [--keep DIR]

The repo is `keps` of scale.py: 679 items among 1,832 texts of 21.5 MB. A save is timed from the write until
the pack's file is another; the program's own figure leaves out the 20 ms that it waits for a burst's end. Then
many files appear at once and vanish again, and the packs are compared with those of a cold build.
"""

import argparse
import os
import re
import shutil
import statistics
import subprocess
import tempfile
import threading
import time
from pathlib import Path

import scale


QUEUE = Path("/proc/sys/fs/inotify/max_queued_events")


class Watch:
    """The program, following a repo; its lines with the time when they came."""

    def __init__(self, program, root):
        env = {"PATH": os.environ["PATH"], "HOME": str(root.parent), "SOURCE_DATE_EPOCH": "1767323045"}
        self.child = subprocess.Popen([program, "-C", str(root), "watch", "-v"], env=env, text=True,
                                      stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        self.lines, self.news = [], threading.Condition()
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        for line in self.child.stderr:
            with self.news:
                self.lines.append(line.rstrip("\n"))
                self.news.notify_all()

    def wait(self, pattern, since=0, limit=300):
        with self.news:
            found = lambda: next((line for line in self.lines[since:] if re.search(pattern, line)), None)
            if not self.news.wait_for(found, limit):
                raise SystemExit(f"no line like {pattern}: {self.lines[-5:]}")
            return found()

    def memory(self, key="VmRSS"):
        status = Path(f"/proc/{self.child.pid}/status").read_text()
        return int(re.search(rf"{key}:\s+(\d+)", status).group(1)) / 1024


def packs(root):
    return {path.name: path.read_bytes() for path in (root / "packs").iterdir() if path.suffix == ".json"}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="target/release/contextpack")
    parser.add_argument("--saves", type=int, default=20)
    parser.add_argument("--files", type=int, default=10_000, help="how many files the burst has")
    parser.add_argument("--queue", type=int, help="how many events the system's queue holds, so that it overflows; needs root")
    parser.add_argument("--keep", type=Path, help="where the repo is made, and left for the next time")
    args = parser.parse_args()
    program = str(Path(args.program).resolve())
    folder = args.keep or Path(tempfile.mkdtemp())
    root = folder / "keps"
    try:
        if not root.exists():
            scale.keps(root)
            scale.write(root / ".gitignore", "packs/\n")
            subprocess.run(["git", "init", "-q"], cwd=root, check=True)
            subprocess.run(["git", "add", "-A"], cwd=root, check=True)
        # A run that was stopped left its own.
        for name in ("packs", ".contextpack", "docs/burst", "keps/sig-last"):
            shutil.rmtree(root / name, ignore_errors=True)
        usual = QUEUE.read_text() if args.queue else None
        if args.queue:
            QUEUE.write_text(str(args.queue))
        watch = Watch(program, root)
        print(watch.wait("following"))
        if usual:
            QUEUE.write_text(usual)
        items = sorted(root.glob("keps/*/*/README.md"))
        took, whole = [], []
        for n in range(args.saves):
            item = items[n * 31 % len(items)]
            pack = root / "packs" / (str(item.parent.relative_to(root)).replace("/", "-") + ".coding.json")
            before, since = pack.stat().st_ino, len(watch.lines)
            text = item.read_text()
            began = time.perf_counter()
            item.write_text(text.replace("\n\n", f"\n\nSaved for the {n}th time.\n\n", 1))
            while pack.stat().st_ino == before:
                time.sleep(0.0005)
            whole.append((time.perf_counter() - began) * 1000)
            line = watch.wait(r", \d+ ms$", since)
            took.append(int(re.search(r"(\d+) ms$", line).group(1)))
            time.sleep(0.1)
        print(line)
        median = statistics.median
        print(f"save → told: {median(took):.0f} ms median, {min(took)} best, {max(took)} worst of {len(took)}; "
              f"save → pack replaced, with the wait: {median(whole):.0f} ms median")
        print(f"resident: {watch.memory():.0f} MiB, at most {watch.memory('VmHWM'):.0f} MiB")
        burst = root / "docs" / "burst"
        burst.mkdir()
        for n in range(args.files):
            (burst / f"{n}.txt").write_text("x")
        shutil.rmtree(burst)
        since = len(watch.lines)
        scale.write(root / "keps/sig-last/last/kep.yaml", "title: Last\n")
        scale.write(root / "keps/sig-last/last/README.md", "Last.\n")
        watch.wait("keps/sig-last/last ", since)
        time.sleep(0.3)
        looks = sum(1 for line in watch.lines[since - 1:] if line.endswith(" ms"))
        print(f"{args.files} files came and went: {looks} lines; resident {watch.memory():.0f} MiB")
        watch.child.terminate()
        if watch.child.wait() != 130:
            raise SystemExit("it did not end as it should")
        watched = packs(root)
        for name in ("packs", ".contextpack"):
            shutil.rmtree(root / name)
        scale.run(program, root, "build", "-q")
        if packs(root) != watched:
            raise SystemExit("the packs are not those of a cold build")
        print(f"{len(watched)} packs are those of a cold build")
        shutil.rmtree(root / "keps/sig-last")
    finally:
        if not args.keep:
            shutil.rmtree(folder)


if __name__ == "__main__":
    main()
