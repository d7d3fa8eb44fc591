#!/usr/bin/env node
// Checks that packs are as they were written: node verify.mjs PACK...
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";

// Returns the RFC 8785 form of a value: JavaScript writes strings and numbers, and sorts keys, as it says.
function canonical(value) {
  if (Array.isArray(value)) return "[" + value.map(canonical).join() + "]";
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  return "{" + Object.keys(value).sort().map((key) => JSON.stringify(key) + ":" + canonical(value[key])).join() + "}";
}

function fault(path) {
  const { hash, pack_id, generated_at, generator, ...content } = JSON.parse(readFileSync(path, "utf8").replace(/^\ufeff/, ""));
  const digest = createHash("sha256").update(canonical(content)).digest("hex");
  if (hash !== "sha256:" + digest) return "the content was changed: its hash is sha256:" + digest;
  return pack_id.endsWith("_" + digest.slice(0, 12)) ? undefined : "the id is not that of the content";
}

for (const path of process.argv.slice(2)) {
  let told;
  try {
    told = fault(path);
  } catch (error) {
    told = "no pack: " + error.message;
  }
  if (told) process.exitCode = 5;
  console.log(`${path}: ${told ?? "ok"}`);
}
