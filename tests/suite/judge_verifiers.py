#!/usr/bin/env python3
"""Runs the verifiers of docs/verify on all packs of this repo, and on damaged copies of some.

Each has to accept every pack, with another time or generator as well, and to refuse every damaged one, without being stopped by it.
"""
import json
import subprocess
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[2]
VERIFIERS = [["python3", "docs/verify/verify.py"], ["node", "docs/verify/verify.mjs"], ["sh", "docs/verify/verify.sh"]]
EACH = 6


def is_pack(path):
    text = path.read_text(encoding="utf-8", errors="replace")
    return text.startswith("{") and '"schema_version": "context_pack/v1"' in text[:200]


def changed(pack, **fields):
    return {**pack, **fields}


def damaged(pack):
    """Returns damaged copies by name, as texts."""
    sections = pack["sections"]
    one = sections[len(sections) // 2]
    other = "sha256:" + "0" * 64
    copies = {
        "a letter more": changed(pack, sections=[{**section, "content": section["content"] + "."} for section in sections]),
        "a letter of another script": changed(pack, sections=[{**one, "content": one["content"] + "\u0430"}, *sections]),
        "a section less": changed(pack, sections=sections[1:]),
        "sections in another order": changed(pack, sections=sections[::-1]),
        "a field more": changed(pack, note="x"),
        "another number": changed(pack, budget={**pack["budget"], "used_chars": 1}),
        "another hash": changed(pack, hash=other),
        "another id": changed(pack, pack_id=pack["pack_id"][:-12] + "0" * 12),
        "no hash": {name: value for name, value in pack.items() if name != "hash"},
        "a number as the id": changed(pack, pack_id=7),
    }
    texts = {name: json.dumps(copy, ensure_ascii=False, indent=2) for name, copy in copies.items()}
    whole = json.dumps(pack, ensure_ascii=False)
    return {**texts, "half of it": whole[: len(whole) // 2], "a list": f"[{whole}]", "nothing": "", "deep": "[" * 100000}


def untouched(pack):
    """Returns copies that say the same, as texts."""
    again = changed(pack, generated_at="2001-01-01T00:00:00Z", generator={"name": "another"})
    return {"another time": json.dumps(again), "other spaces": json.dumps(pack, indent=7), "a mark": "\ufeff" + json.dumps(pack)}


def told(verifier, paths):
    done = subprocess.run([*verifier, *map(str, paths)], cwd=ROOT, capture_output=True, text=True, check=False)
    lines = dict(line.split(": ", 1) for line in done.stdout.splitlines())
    missing = [path for path in map(str, paths) if path not in lines]
    assert not missing, f"{verifier} says nothing of {missing[:3]}: {done.stderr[:500]}"
    return done.returncode, {path for path, verdict in lines.items() if verdict == "ok"}


def main():
    listed = subprocess.run(["git", "ls-files", "packs", "tests/golden"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    packs = [path for path in listed.splitlines() if path.endswith(".json") and is_pack(ROOT / path)]
    assert len(packs) > 100, f"only {len(packs)} packs"
    with tempfile.TemporaryDirectory() as folder:
        good, bad = [], []
        for number, path in enumerate(packs[:: max(1, len(packs) // EACH)]):
            pack = json.loads((ROOT / path).read_text(encoding="utf-8"))
            for paths, copies in [(good, untouched(pack)), (bad, damaged(pack))]:
                for name, text in copies.items():
                    copy = Path(folder) / f"{number}-{name.replace(' ', '-')}.json"
                    copy.write_text(text, encoding="utf-8")
                    paths.append(str(copy))
        for verifier in VERIFIERS:
            code, accepted = told(verifier, packs + good)
            refused = sorted(set(packs + good) - accepted)
            assert code == 0 and not refused, f"{verifier}: {code}, refused: {refused[:5]}"
            code, accepted = told(verifier, bad)
            assert code == 5 and not accepted, f"{verifier}: {code}, accepted: {sorted(accepted)[:5]}"
            print(f"ok -- {verifier[0]}: {len(packs)} packs, {len(good)} copies, {len(bad)} damaged")


main()
