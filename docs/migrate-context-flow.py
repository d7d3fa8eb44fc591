#!/usr/bin/env python3
"""Turns an export of a context flow database into files for contextpack.

Usage: python3 migrate-context-flow.py EXPORT.json [--out DIR] [--project ID]

EXPORT.json is an object with the rows of each table: {"project_documents": [...], "brain_docs": [...]}, and where there
are any also "agents" and "cron_jobs". The files are written below DIR (the current folder); nothing is overwritten. The
settings for contextpack.yml go to standard output, remarks to standard error. The content and the notes of a document that
holds secrets are not written at all. Needs Python 3.8 or newer and nothing else.
"""

import argparse
import hashlib
import json
import os
import re
import sys
import unicodedata

TYPES = ("general", "playbook", "reference", "credentials", "style_guide")
POLICIES = ("minimal", "default", "expanded")
# What contextpack accepts in a file of notes: the most entries of each list, and the longest entry.
LIMITS = {"summary": 10, "key_facts": 60, "rules": 60, "keywords": 20}
LONGEST = 1000


class Files:
    """The files to write. All of them are known before the first one is written."""

    def __init__(self):
        self.texts = {}
        self.remarks = []

    def remark(self, text):
        self.remarks.append(text)

    def add(self, folder, name, ending, text):
        """Adds a file and returns its path. A name that is taken, in any case, gets a number."""
        stem, number = name, 1
        taken = {path.lower() for path in self.texts}
        while f"{folder}/{name}{ending}".lower() in taken:
            number += 1
            name = f"{stem}-{number}"
        path = f"{folder}/{name}{ending}"
        self.texts[path] = text
        return path

    def write(self, out):
        there = [path for path in self.texts if os.path.lexists(os.path.join(out, path))]
        if there:
            raise SystemExit(f"error: nothing was written, since these exist: {', '.join(sorted(there))}")
        for path, text in sorted(self.texts.items()):
            place = os.path.join(out, path)
            os.makedirs(os.path.dirname(place), exist_ok=True)
            with open(place, "x", encoding="utf-8", newline="\n") as file:
                file.write(text)


def slug(text):
    """Returns a name for a file: letters, digits and `-`. Other scripts keep their letters."""
    words = re.findall(r"[^\W_]+", unicodedata.normalize("NFC", str(text or "")).lower())
    name = "-".join(words)
    if not name or len(name.encode()) > 80:
        digest = hashlib.sha256(str(text).encode()).hexdigest()[:8]
        name = f"{name.encode()[:60].decode(errors='ignore')}-{digest}".lstrip("-")
    return name


def stem_of(key):
    """Returns the stem of an agent's file: `agent:research:main` is `research`."""
    parts = str(key).split(":")
    return slug(parts[1] if len(parts) > 1 and parts[0] == "agent" else key)


def quoted(value):
    """Writes a value as JSON, which YAML reads too, on one line."""
    text = json.dumps(value, ensure_ascii=False)
    return re.sub("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]", lambda found: f"\\u{ord(found[0]):04x}", text)


def with_front_matter(fields, body):
    lines = [f"{name}: {quoted(value)}" for name, value in fields if value not in (None, "", [], False)]
    body = str(body or "").replace("\r\n", "\n").replace("\r", "\n").strip("\n")
    return "---\n" + "\n".join(lines) + "\n---\n\n" + (body + "\n" if body else "")


def body_of(row):
    """Returns the text of a row, or None where it has none."""
    for name in ("content", "body", "content_markdown", "text"):
        if isinstance(row.get(name), str) and row[name].strip():
            return row[name]
    return None


def notes_of(row, title, files):
    """Returns the notes of a document as a sidecar file, or None."""
    notes = row.get("doc_notes")
    if isinstance(notes, str):
        try:
            notes = json.loads(notes)
        except ValueError:
            notes = None
    if not isinstance(notes, dict):
        return None
    lines = []
    for name, most in LIMITS.items():
        entries = notes.get(name)
        entries = entries if isinstance(entries, list) else []
        entries = [" ".join(str(entry).split()) for entry in entries]
        kept = [entry for entry in entries if entry and len(entry) <= LONGEST][:most]
        if len(kept) < len(entries):
            files.remark(f"{title!r}: {len(entries) - len(kept)} of {len(entries)} {name} are empty, too long or too many")
        if kept:
            lines.append(f"{name}:")
            lines += [f"  - {quoted(entry)}" for entry in kept]
    return "\n".join(lines) + "\n" if lines else None


def is_true(value):
    return value is True or str(value).lower() in ("true", "t", "1")


def documents(rows, files, stems):
    for row in rows:
        title = str(row.get("title") or row.get("name") or row.get("id") or "Untitled")
        kind = row.get("doc_type") or "general"
        if kind not in TYPES:
            files.remark(f"{title!r}: the type {kind!r} is unknown here, so it is `general`")
            kind = "general"
        sensitivity = row.get("sensitivity") or "normal"
        if sensitivity not in ("normal", "contains_secrets"):
            files.remark(f"{title!r}: the sensitivity {sensitivity!r} is unknown, so it counts as `contains_secrets`")
            sensitivity = "contains_secrets"
        secret = sensitivity == "contains_secrets" or kind == "credentials"
        key = row.get("agent_key") or None
        body = body_of(row)
        if secret:
            body = (
                f"The content was not exported: it holds secrets. It was the row {row.get('id')} of `project_documents`.\n"
                "Keep it in a store for secrets, and say here who has access."
            )
            files.remark(f"{title!r} holds secrets: its content stays out of the files")
        elif body is None:
            files.remark(f"{title!r} has no text in the export")
        fields = [
            ("title", title),
            ("agent", key),
            ("pinned", is_true(row.get("pinned"))),
            ("doc_type", kind),
            ("sensitivity", "contains_secrets" if secret else None),
        ]
        folder = f"knowledge/{stems[key]}" if key else "knowledge"
        path = files.add(folder, slug(title), ".md", with_front_matter(fields, body))
        notes = None if secret else notes_of(row, title, files)
        if notes:
            files.texts[f"{path}.notes.yml"] = notes


def agents(tables, files, stems):
    """Adds a file for each agent that any row names, with its SOUL where there is one."""
    known = {}
    for row in tables["agents"]:
        key = row.get("key") or row.get("agent_key")
        if key:
            known[key] = row
    souls = {row["agent_key"]: row for row in tables["brain_docs"] if row.get("agent_key")
             and row.get("doc_type") in ("soul", "agent_soul", "soul_md")}
    for key, stem in sorted(stems.items()):
        row = known.get(key, {})
        name = row.get("name") or stem
        purpose = row.get("purpose") or row.get("role")
        soul = body_of(souls.get(key, {})) or row.get("soul") or row.get("soul_md")
        if not purpose:
            files.remark(f"agents/{stem}.md: add `purpose`, which the export lacks")
        if not soul:
            soul = f"# {name}\n\n{purpose or 'Say here what this agent is for.'}\n\n" \
                "Read the context pack before you act, apply its rules, and say what is missing."
        fields = [("name", name), ("key", key), ("purpose", purpose), ("role", row.get("role")),
                  ("tools", row.get("tools") if isinstance(row.get("tools"), list) else None)]
        files.texts[f"agents/{stem}.md"] = with_front_matter(fields, soul)


def brain(rows, files):
    """Adds the overview, the user and the template, and returns whether there is an overview."""
    places = {
        "project_overview": "docs/overview.md",
        "project_user": "knowledge/user.md",
        "agent_soul_template": "agents/_template.md",
    }
    for row in rows:
        kind = row.get("doc_type")
        path, body = places.get(kind), body_of(row)
        if path is None:
            if kind not in ("soul", "agent_soul", "soul_md"):
                files.remark(f"a row of `brain_docs` of type {kind!r} has no counterpart and is left out")
        elif body is None:
            files.remark(f"the row of `brain_docs` of type {kind!r} has no text")
        elif path in files.texts:
            files.remark(f"there are several rows of type {kind!r} in `brain_docs`: the first one is used")
        elif kind == "agent_soul_template":
            files.texts[path] = body.strip("\n") + "\n"
        else:
            title = row.get("title") or {"project_overview": "Project overview", "project_user": "User"}[kind]
            fields = [("title", title), ("doc_type", kind if kind == "project_user" else None)]
            files.texts[path] = with_front_matter(fields, body)
    return "docs/overview.md" in files.texts


def jobs(rows, files, stems):
    """Adds the instructions of jobs and returns their settings."""
    lines, names = [], set()
    for row in rows:
        name = re.sub(r"[^a-z0-9-]+", "-", str(row.get("name") or row.get("id") or "job").lower()).strip("-") or "job"
        key, schedule = row.get("target_agent_key"), row.get("schedule")
        if isinstance(schedule, dict):
            schedule = schedule.get("expr")
        text = body_of({"content": row.get("instructions") or row.get("message") or row.get("prompt")})
        if not key or not text or name in names:
            files.remark(f"the job {name!r} has no agent or no instructions, or its name is taken: it is left out")
            continue
        names.add(name)
        path = files.add("jobs", name, ".md", text.strip("\n") + "\n")
        fields = [("agent", stems[key])]
        if isinstance(schedule, str) and len(schedule.split()) == 5:
            fields.append(("schedule", " ".join(schedule.split())))
        elif schedule:
            files.remark(f"the schedule of the job {name!r} has not five fields: write it as such, in UTC")
        fields.append(("intent", row.get("job_intent")))
        fields.append(("policy", row.get("context_policy") if row.get("context_policy") in POLICIES else None))
        fields.append(("instructions", path))
        inner = ", ".join(f"{field}: {quoted(value)}" for field, value in fields if value)
        lines.append(f"  {name}: {{{inner}}}")
    return lines


def project_rows(export, project):
    """Returns the rows of one project for each table."""
    tables = {name: export.get(name) or [] for name in ("project_documents", "brain_docs", "agents", "cron_jobs")}
    for name, rows in tables.items():
        if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
            raise SystemExit(f"error: `{name}` is not a list of rows")
    found = {str(row["project_id"]) for rows in tables.values() for row in rows if row.get("project_id") is not None}
    if project is None and len(found) > 1:
        raise SystemExit(f"error: the export has several projects; name one with --project: {', '.join(sorted(found))}")
    if project is not None:
        keep = lambda row: row.get("project_id") is None or str(row["project_id"]) == project
        tables = {name: [row for row in rows if keep(row)] for name, rows in tables.items()}
    return tables


def stems_of(tables):
    """Returns the stem of each agent's file by its key; two keys never share one."""
    keys = {row.get("agent_key") or row.get("target_agent_key") or row.get("key")
            for rows in tables.values() for row in rows}
    stems = {}
    for key in sorted(str(key) for key in keys if key):
        stem, number = stem_of(key), 1
        while stem in stems.values():
            number += 1
            stem = f"{stem_of(key)}-{number}"
        stems[key] = stem
    return stems


def main():
    parser = argparse.ArgumentParser(description="Turns an export of a context flow database into files.")
    parser.add_argument("export", help="the export, a JSON file")
    parser.add_argument("--out", default=".", help="the folder that the files are written to")
    parser.add_argument("--project", help="the id of the project, where the export has several")
    options = parser.parse_args()
    try:
        with open(options.export, encoding="utf-8-sig") as file:
            export = json.load(file)
    except (OSError, ValueError) as error:
        raise SystemExit(f"error: {options.export} cannot be read: {error}")
    if not isinstance(export, dict):
        raise SystemExit("error: the export is not an object of tables")
    tables = project_rows(export, options.project)
    files, stems = Files(), stems_of(tables)
    overview = brain(tables["brain_docs"], files)
    agents(tables, files, stems)
    documents(tables["project_documents"], files, stems)
    job_lines = jobs(tables["cron_jobs"], files, stems)
    files.write(options.out)
    settings = ['documents:', '  - include: ["knowledge/**/*.md"]']
    if overview:
        settings.append("overview: docs/overview.md")
    if job_lines:
        settings += ["jobs:"] + job_lines
    print("\n".join(settings))
    for path in sorted(files.texts):
        print(f"wrote {path}", file=sys.stderr)
    for remark in files.remarks:
        print(f"remark: {remark}", file=sys.stderr)


if __name__ == "__main__":
    main()
