#!/usr/bin/env python3
"""Measures batches, and works one off in several clones whose commands are killed at random.

    cargo build --release && tests/bench/batches.py [--program PATH] [--clones N] [--tasks N] [--races N]

First the state of a batch of 1,000 tasks and 10,000 events is read. Then processes race for one claim:
one has to win. At last clones of a bare repository claim and report the tasks of one batch, while their
commands are killed wherever they happen to be, alone or with the git that they run. In the end each task
has to have one report that counts, and nothing may conflict.
"""

import argparse
import collections
import hashlib
import json
import os
import random
import re
import shutil
import signal
import statistics
import subprocess
import tempfile
import threading
import time
from pathlib import Path

AGENT = "---\nname: {0}\npurpose: Works\n---\n# {0}\n\nWorks.\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="target/release/contextpack")
    parser.add_argument("--clones", type=int, default=8)
    parser.add_argument("--tasks", type=int, default=200)
    parser.add_argument("--races", type=int, default=100)
    parser.add_argument("--kills", type=float, default=0.15, help="the share of commands that are killed")
    args = parser.parse_args()
    folder = Path(tempfile.mkdtemp())
    bench = Bench(str(Path(args.program).resolve()), folder)
    try:
        bench.status(1_000, 10_000)
        bench.race(args.races, 16)
        bench.clones(args.clones, args.tasks, args.kills)
    finally:
        shutil.rmtree(folder)


class Bench:
    def __init__(self, program, folder):
        self.program, self.folder = program, folder
        config = folder / "gitconfig"
        config.write_text("[user]\nname = A\nemail = a@example.com\n[init]\ndefaultBranch = main\n")
        self.env = {"PATH": os.environ["PATH"], "HOME": str(folder), "GIT_CONFIG_GLOBAL": str(config)}

    def start(self, root, *words):
        command = [self.program, *words]
        pipe = subprocess.PIPE
        return subprocess.Popen(
            command, cwd=root, env=self.env, stdout=pipe, stderr=pipe, text=True, start_new_session=True
        )

    def run(self, root, *words):
        process = self.start(root, *words)
        out, err = process.communicate()
        if process.returncode != 0:
            raise SystemExit(f"{words}: {out}{err}")
        return out

    def git(self, root, *words, check=True):
        done = subprocess.run(["git", *words], cwd=root, env=self.env, capture_output=True, text=True, check=False)
        if check and done.returncode != 0:
            raise SystemExit(f"git {words}: {done.stderr}")
        return done.stdout

    def repo(self, name, tasks):
        """Makes a repo with a batch, and returns it with the id of the batch."""
        root = self.folder / name
        (root / "agents").mkdir(parents=True)
        for agent in ["planner", "coder"]:
            (root / "agents" / f"{agent}.md").write_text(AGENT.format(agent))
        (root / "contextpack.yml").write_text("handover: {max_tasks: 10000}\n")
        (root / ".gitignore").write_text(".contextpack/\n")
        task = "  - {target_strategy: new, target_ref: coder, instruction: Do it.}\n"
        (root / "tasks.yml").write_text("parent_agent: planner\ntasks:\n" + task * tasks)
        return root, self.run(root, "batch", "fork", "tasks.yml", "-q").split()[0]

    def status(self, tasks, events):
        root, batch = self.repo("status", tasks)
        folder = root / "context" / "batches" / batch
        for kind in ["claims", "reports"]:
            (folder / kind).mkdir()

        def write(path, value):
            text = json.dumps(value, sort_keys=True, separators=(",", ":"))
            path = path.replace("HASH", hashlib.sha256(text.encode()).hexdigest()[:12])
            (folder / path).write_text(text)

        turns = events // tasks // 2
        common = {"batch_id": batch, "at": "2026-02-22T01:20:00Z"}
        for task in range(tasks):
            for epoch in range(1, turns + 1):
                turn = {**common, "task_index": task, "epoch": epoch}
                write(f"claims/{task}-{epoch}.json", {**turn, "schema_version": "batch_claim/v1", "nonce": "n"})
                event = {**turn, "schema_version": "batch_event/v1", "kind": "reclaim"}
                write("events/reclaim-HASH.json", event)
        files = sum(1 for _ in folder.rglob("*.json"))
        took = []
        for _ in range(10):
            began = time.perf_counter()
            out = self.run(root, "batch", "status", batch, "--format", "json")
            took.append(time.perf_counter() - began)
        assert all(task["epoch"] == turns + 1 for task in json.loads(out)["tasks"])
        median, most = statistics.median(took), max(took)
        print(f"status of {tasks} tasks, {files} files: median {median:.3f} s, at most {most:.3f} s of {len(took)}")

    def race(self, races, processes):
        root, batch = self.repo("race", races)
        for task in range(races):
            running = [self.start(root, "batch", "claim", batch, str(task)) for _ in range(processes)]
            codes = sorted((process.communicate(), process.returncode)[1] for process in running)
            if codes != [0] + [1] * (processes - 1):
                raise SystemExit(f"task {task}: exit codes {codes}")
        print(f"{races} races of {processes} processes for one claim: one was accepted each time")

    def clones(self, clones, tasks, kills):
        root, batch = self.repo("origin", tasks)
        self.git(root, "init", "-q")
        self.git(root, "add", "-A")
        self.git(root, "commit", "-q", "-m", "begin")
        remote = self.folder / "remote.git"
        self.git(root, "clone", "-q", "--bare", ".", str(remote))
        counts, lock, over = collections.Counter(), threading.Lock(), threading.Event()
        began = time.perf_counter()

        def command(draw, clone, *words):
            """Runs a command that may be killed; returns its exit code, `None` if it was, and its output."""
            process = self.start(clone, *words, "--push", "--format", "json")
            if draw.random() < kills:
                time.sleep(draw.random() * 0.4)
                with_git = draw.random() < 0.5
                try:
                    (os.killpg if with_git else os.kill)(process.pid, signal.SIGKILL)
                except ProcessLookupError:
                    pass
            out, err = process.communicate()
            with lock:
                counts["commands"] += 1
                killed = process.returncode == -signal.SIGKILL
                counts["killed"] += killed
                for retries in re.findall(r"after (\d+) retr", err):
                    counts["retries"] += int(retries)
                    counts["commands that were retried"] += 1
                if killed:
                    return None, out
                if process.returncode != 0 and "busy" not in out:
                    counts[f"failed: {err.strip()[:160]}"] += 1
            return process.returncode, out

        def clean(clone):
            """Makes a clone what a machine that comes back begins with."""
            for left in clone.glob(".git/**/*.lock"):
                if left.name != "contextpack-publish.lock":
                    left.unlink(missing_ok=True)
            self.git(clone, "fetch", "-q", "origin", "main")
            self.git(clone, "reset", "-q", "--hard", "origin/main")
            self.git(clone, "clean", "-fdq")

        def work(number):
            draw = random.Random(number)
            clone = self.folder / f"clone{number}"
            self.git(root, "clone", "-q", str(remote), str(clone))
            while not over.is_set():
                clean(clone)
                pending = json.loads(self.run(clone, "batch", "matrix", batch))["include"]
                if not pending:
                    status = json.loads(self.run(clone, "batch", "status", batch, "--format", "json"))
                    if status["status"] != "open":
                        return
                    command(draw, clone, "batch", "reclaim", batch, "--after", "10s")
                    time.sleep(draw.random())
                    continue
                task = draw.choice(pending)
                index = str(task["task_index"])
                code, out = command(draw, clone, "batch", "claim", batch, index, "--by", f"clone {number}")
                if code is None:
                    continue
                claim = json.loads(out) if out else {}
                if claim.get("status") != "accepted":
                    counts["busy"] += claim.get("status") == "busy"
                    continue
                report = ["--epoch", str(claim["epoch"]), "--status", "success", "--by", f"clone {number}"]
                command(draw, clone, "batch", "report", batch, index, *report)

        def caught(number):
            try:
                work(number)
            except BaseException:
                over.set()
                counts["workers that failed"] += 1
                raise

        threads = [threading.Thread(target=caught, args=(number,)) for number in range(clones)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        took = time.perf_counter() - began
        last = self.folder / "last"
        self.git(root, "clone", "-q", str(remote), str(last))
        joined = json.loads(self.run(last, "batch", "join", batch, "--push", "--format", "json"))
        self.run(last, "verify", "context", "-q")
        status = json.loads(self.run(last, "batch", "status", batch, "--format", "json"))
        for task in status["tasks"]:
            counted = [report for report in task["reports"] if report["counts"]]
            assert len(counted) == 1 and task["status"] == "success", task
            counts["late reports"] += len(task["reports"]) - 1
            counts["reclaimed turns"] += task["epoch"] - 1
        assert joined["status"] == "success" and len(joined["results"]) == tasks
        assert self.git(last, "rev-list", "--merges", "--count", "HEAD").strip() == "0"
        commits = self.git(last, "rev-list", "--count", "HEAD").strip()
        print(f"{clones} clones, {tasks} tasks, all reported once, {commits} commits, no conflict, {took:.0f} s:")
        for name, count in sorted(counts.items()):
            print(f"  {name}: {count}")


if __name__ == "__main__":
    main()
