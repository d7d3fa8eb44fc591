"""Judges the bodies that the stand-in of GitHub served by GitHub's own description of its API.

    CONTEXTPACK_TEST_BODIES=bodies cargo test --test suite sync
    python3 tests/suite/judge.py descriptions bodies

`descriptions` holds `api.github.com.json` and `ghes-3.17.json` of npm's `@octokit/openapi`; `bodies` what
`stand_in/record.rs` wrote. The response schemas, OpenAPI 3.0, become JSON Schema 2020-12, and stricter in one
regard: a field that the description does not name is a fault.
"""

import json
import pathlib
import sys

import jsonschema

ERROR = {"$ref": "#/components/schemas/basic-error"}
# Of a described part: all that restricts a value. `format` restricts none here.
KEPT = ("$ref", "type", "enum", "required", "items", "oneOf", "anyOf", "allOf", "properties", "additionalProperties")


def converted(schema):
    """JSON Schema for a schema of OpenAPI 3.0."""
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:
        return {"$ref": schema["$ref"]}
    new = {key: schema[key] for key in KEPT if key in schema}
    for key in ("items", "additionalProperties"):
        if key in new:
            new[key] = converted(new[key])
    for key in ("oneOf", "anyOf", "allOf"):
        if key in new:
            new[key] = [converted(part) for part in new[key]]
    if "properties" in new:
        new["properties"] = {name: converted(part) for name, part in new["properties"].items()}
        if not any(key in new for key in ("oneOf", "anyOf", "allOf")):
            new.setdefault("additionalProperties", False)
    return {"anyOf": [{"type": "null"}, new]} if schema.get("nullable") else new


class Description:
    """The answers of one kind of server."""

    def __init__(self, path):
        text = json.loads(path.read_text(encoding="utf-8"))
        self.name, self.paths = path.stem, text["paths"]
        self.responses = text["components"]["responses"]
        schemas = text["components"]["schemas"]
        self.components = {"schemas": {name: converted(part) for name, part in schemas.items()}}
        self.judges, self.known = {}, {}

    def schema(self, path, status):
        """The schema of an answer's body, and the path as it is described; `None` where none is."""
        parts, place = path.split("/"), path
        for template, methods in self.paths.items():
            wanted = template.split("/")
            fits = zip(wanted, parts)
            if len(wanted) == len(parts) and all(w == p or w.startswith("{") for w, p in fits):
                # `/issues/comments` is no number.
                if "{issue_number}" in wanted and not parts[wanted.index("{issue_number}")].isdigit():
                    continue
                place = template
                answer = methods.get("get", {}).get("responses", {}).get(str(status))
                if answer and "$ref" in answer:
                    answer = self.responses[answer["$ref"].rsplit("/", 1)[1]]
                if answer:
                    return template, converted(answer["content"]["application/json"]["schema"])
        return place, (ERROR if status >= 300 else None)

    def judge(self, schema):
        key = json.dumps(schema, sort_keys=True)
        if key not in self.judges:
            whole = {"$schema": "https://json-schema.org/draft/2020-12/schema", "components": self.components}
            self.judges[key] = jsonschema.Draft202012Validator({**whole, **schema})
        return key, self.judges[key]

    def faults(self, schema, body):
        """What is wrong with a body. Entries of lists are judged one by one, each once."""
        if isinstance(body, list) and schema.get("type") == "array":
            return [fault for entry in body for fault in self.faults(schema["items"], entry)]
        key, judge = self.judge(schema)
        key += json.dumps(body, sort_keys=True)
        if key not in self.known:
            worst = jsonschema.exceptions.best_match(judge.iter_errors(body))
            self.known[key] = [] if worst is None else [f"{worst.json_path}: {worst.message[:300]}"]
        return self.known[key]


def main(descriptions, bodies):
    ours = Description(descriptions / "api.github.com.json")
    older = Description(descriptions / "ghes-3.17.json")
    judged, wrong, strange = {}, [], 0
    for file in sorted(bodies.glob("*.json")):
        told = json.loads(file.read_text(encoding="utf-8"))
        by = older if told["plain"] else ours
        template, schema = by.schema(told["path"], told["status"])
        if schema is None:
            faults = [f"{by.name} describes no such answer"]
        elif told["status"] >= 300 and not isinstance(told["body"], dict):
            # Proxies answer as they like.
            continue
        else:
            faults = by.faults(schema, told["body"])
        if told["strange"]:
            strange += bool(faults)
            continue
        place = f"{by.name} {template} {told['status']}"
        judged[place] = judged.get(place, 0) + 1
        wrong += [f"{place}: {told['path']} in {file.name}: {fault}" for fault in faults]
    for place, count in sorted(judged.items()):
        print(f"{count:5} {place}")
    for line in wrong[:20]:
        print(line, file=sys.stderr)
    entries = sum(len(by.known) for by in (ours, older))
    print(f"{sum(judged.values())} bodies, {entries} distinct objects, {len(wrong)} faults; "
          f"{strange} that are strange on purpose were found out")
    # A judge that finds nothing wrong with what is wrong on purpose is none.
    needed = [f"api.github.com /repos/{{owner}}/{{repo}}{rest} 200" for rest in (
        "", "/issues", "/issues/comments", "/issues/{issue_number}", "/issues/{issue_number}/comments",
        "/issues/{issue_number}/parent", "/issues/{issue_number}/sub_issues",
        "/issues/{issue_number}/dependencies/blocked_by", "/issues/{issue_number}/dependencies/blocking")]
    missing = [place for place in needed if place not in judged]
    if missing or not strange:
        print(f"not judged at all: {missing or 'what is strange on purpose'}", file=sys.stderr)
    return 1 if wrong or missing or not strange else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])))
