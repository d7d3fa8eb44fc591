#!/usr/bin/env python3
"""Checks that packs are as they were written: python3 verify.py PACK..."""
import hashlib
import json
import sys


def canonical(value):
    """Returns the RFC 8785 form of a value without fractions, which packs do not have."""
    if isinstance(value, dict):
        keys = sorted(value, key=lambda key: key.encode("utf-16-be"))
        return "{" + ",".join(canonical(key) + ":" + canonical(value[key]) for key in keys) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(canonical, value)) + "]"
    return json.dumps(value, ensure_ascii=False)


def fault(path):
    with open(path, encoding="utf-8-sig") as file:
        pack = json.load(file)
    stated = {name: pack.pop(name) for name in ["hash", "pack_id", "generated_at", "generator"]}
    digest = hashlib.sha256(canonical(pack).encode()).hexdigest()
    if stated["hash"] != "sha256:" + digest:
        return "the content was changed: its hash is sha256:" + digest
    return None if stated["pack_id"].endswith("_" + digest[:12]) else "the id is not that of the content"


status = 0
for path in sys.argv[1:]:
    try:
        told = fault(path)
    except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        told = f"no pack: {error!r}"
    status = 5 if told else status
    print(f"{path}: {told or 'ok'}")
sys.exit(status)
