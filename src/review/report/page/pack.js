// One pack: the item and the text first, then why each part is there and what is left out, then what identifies it.

// `path:first-last`, else the URL, else the id.
function place(source) {
  if (!source.path) return source.url || source.id || "";
  if (source.lines) return source.path + ":" + (source.lines[0] === source.lines[1] ? source.lines[0] : source.lines.join("-"));
  return source.anchor ? source.path + "#" + source.anchor : source.path;
}

// A file at the commit that the page knows, as GitHub shows it.
function where(source) {
  if (!source.path) return source.url ? link(source.url) : code(place(source));
  const { url, commit } = current && freshOf(current) ? originOfPage() : {};
  // A path from which something was redacted is that of no file.
  if (!url || !commit || !/^https:\/\//.test(url) || source.path.includes("[REDACTED:")) return code(place(source));
  const lines = source.lines ? `#L${source.lines[0]}-L${source.lines[1]}` : source.anchor ? "#" + encodeURIComponent(source.anchor) : "";
  const path = source.path.split("/").map(encodeURIComponent).join("/");
  return el("a", { href: `${url}/blob/${commit}/${path}${lines}`, rel: "noopener noreferrer" }, code(place(source)));
}

// A button that leads to a section in the text.
const leadsTo = (id, ...children) => el("button", { type: "button", class: "lead", on: { click: () => showInText(id) } }, children);

function facts(pairs) {
  const told = pairs.filter(([, value]) => value !== undefined && value !== null && value !== "");
  return el("dl", {}, told.map(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", {}, value))));
}

// Details that are made when they are opened first.
function lazily(id, summary, make, attributes = {}) {
  const details = el("details", { "data-id": id, ...attributes }, el("summary", {}, summary));
  details.addEventListener("toggle", () => {
    if (details.open && details.childElementCount === 1) fill(details, {}, [make()]);
  });
  return details;
}

// The type of a card, as it is written.
const typeTag = (type) => el("span", { class: "tag" }, line(type, 100));

const tag = (text, kind = "") => el("span", { class: "tag " + kind }, words(line(text, 40)));

// How a section belongs to the root, in a word.
function relationOf(entry, section) {
  const edge = entry.edges.find((it) => it.section === section.id);
  if (edge) return edge.relation;
  return { adr: "ADR", card: section.provenance }[group(section)] || group(section);
}

function sectionView(entry, section, changed) {
  const { metadata, source } = section;
  const measure = unit(entry.pack.budget);
  const size = measure.of(metadata);
  const relation = relationOf(entry, section);
  const removed = entry.pack.redactions.filter((redaction) => redaction.section === section.id);
  const summary = [
    el("span", { class: "swatch fill " + group(section) }),
    el("span", { class: "title" }, quote(section.title, 120)),
    tag(relation), section.kind === relation ? "" : tag(section.kind),
    metadata.trust && metadata.trust !== "trusted" ? tag(metadata.trust, "bad") : "",
    metadata.detail !== "full" ? tag(metadata.detail, "warn") : "",
    removed.length ? tag("redacted", "warn") : "",
    changed ? tag("changed", "new") : "",
    el("span", { class: "size" }, `${grouped(size)} ${measure.name}, ${percent(size, measure.used)}`),
  ];
  const evidence = metadata.evidence && [words(metadata.evidence.source) + ", ", code(metadata.evidence.at)];
  return lazily(section.id, summary, () => [
    facts([
      ["Id", code(section.id)], ["Provenance", words(section.provenance)], ["Trust", metadata.trust], ["Source", where(source)],
      ["URL", source.path && source.url && link(source.url)], ["Stated", evidence],
      ["Detail", metadata.full_chars ? `${metadata.detail}, ${grouped(metadata.chars)} of ${grouped(metadata.full_chars)} characters` : metadata.detail],
      ["Type", metadata.doc_type && words(metadata.doc_type)],
      ["Relevance", metadata.rank && `number ${metadata.rank}: ${line((metadata.matched || []).join(", "), 200)}${metadata.meaning ? `; number ${metadata.meaning} by meaning` : ""}`],
      ["Notes", metadata.stale_notes && "of another version of the document"],
      ["State", metadata.state], ["Status", metadata.status && quote(metadata.status)],
      ["Author", metadata.author && [quote(metadata.author), metadata.author_association ? ` (${line(metadata.author_association, 40)})` : ""]],
      ["Card", metadata.card && [code(metadata.card.id), ` ${words(metadata.card.role)}, ${line(metadata.card.type, 100)}, by `, quote(metadata.card.author_id, 120)]],
      ["Written", metadata.created_at && line(metadata.created_at, 40) + (metadata.edited ? ", edited later" : "")],
    ]),
    leadsTo(section.id, "Show it in the text"),
  ], { class: "section" + (changed ? " changed" : "") });
}

function list(heading, count, content) {
  return el("section", {}, el("h3", {}, heading + " ", el("span", { class: "count" }, String(count))), content);
}

// What one agent gave another, as a conversation: what was inherited, what was added, and what the pack leaves out.
function handoverView(pack) {
  const { handover } = pack;
  if (!handover) return "";
  const card = (section) => {
    const { role, type, author_id } = section.metadata.card || {};
    return el("li", { class: "card " + group(section) }, el("strong", {}, words(role || "")), " ", quote(author_id || "", 120), " ", typeTag(type || ""),
      section.metadata.detail !== "full" ? tag(section.metadata.detail, "warn") : "", " ", code(section.id),
      // The first line says what the others of this list do.
      el("p", {}, quote(section.content.slice(section.content.indexOf("\n") + 1).trim().replace(/^```json\n|\n```$/g, ""), 400)));
  };
  const part = (heading, provenances) => {
    const cards = pack.sections.filter((section) => section.kind === "card" && provenances.includes(section.provenance));
    return [el("h4", {}, heading + " ", el("span", { class: "count" }, String(cards.length))), cards.length ? el("ol", { class: "talk" }, cards.map(card)) : ""];
  };
  const lost = pack.omissions.filter((it) => String(it.id).startsWith("card."));
  return el("section", { class: "handover" }, el("h3", {}, "Handover"),
    el("p", {}, handover.from ? code(line(handover.from, 120)) : "someone", " → ", code(line(pack.agent ? pack.agent.key : "", 120)),
      " by ", quote(handover.recipe, 120), "; results go to ", code(line(handover.output_box, 120))),
    facts([["Context box", code(handover.context_box_id)], ["Profile box", code(handover.target_profile_box_id)]]),
    part("Inherited", ["inherited"]), part("Added", ["argument", "parent_pointer"]),
    el("h4", {}, "Left out ", el("span", { class: "count" }, String(lost.length))),
    lost.length ? el("ul", {}, lost.map((it) => el("li", {}, el("strong", {}, words(it.reason)), " ", quote(it.title, 120), " ", code(it.id)))) : "");
}

// The first of a list at once, all of it on demand.
const FEW = 4;
const few = (id, items) => [
  el("ul", {}, items.slice(0, FEW).map((item) => el("li", {}, item))),
  items.length > FEW ? lazily(id, `and ${grouped(items.length - FEW)} more`, () => el("ul", {}, items.slice(FEW).map((item) => el("li", {}, item)))) : ""];

function warningsView(pack) {
  if (!pack.warnings.length) return "";
  const items = pack.warnings.map((it) => [code(it.code), " ", quote(it.message), it.source ? [" ", where(it.source)] : ""]);
  return list("Warnings", items.length, few("warnings", items));
}

// What an agent does not get of what belongs to the root, each with the way to it.
function cutView(pack) {
  const measure = unit(pack.budget);
  const shorter = pack.sections.filter((section) => section.metadata.detail !== "full");
  const items = [
    ...shorter.map(({ id, title, source, metadata: { detail, chars, full_chars } }) => [leadsTo(id, quote(title, 120)), ": ", el("strong", {}, words(detail)),
      full_chars ? `, ${grouped(chars)} of ${grouped(full_chars)} characters` : "", " ", where(source)]),
    ...pack.omissions.map((it) => [quote(it.title, 120), ": ", el("strong", {}, words(it.reason)), measure.of(it) ? `, ${grouped(measure.of(it))} ${measure.name}` : "",
      " ", where(it.source), " ", el("span", { class: "quiet" }, words(it.provenance))]),
  ];
  if (!items.length) return list("Left out and shortened", 0, el("p", { class: "quiet" }, "Nothing: all that belongs to the item is in the pack, in full."));
  return list("Left out and shortened", items.length, few("cut", items));
}

function redactionsView(pack) {
  if (!pack.redactions.length) return "";
  const rows = pack.redactions.map((it) => [code(it.section), [where(it.source), ` line ${it.line}`],
    [code(it.rule), it.count > 1 ? ` × ${it.count}` : ""], quote(it.reason), quote(it.to_include)]);
  return list("Redactions", rows.length, table("What was removed from the texts", ["Section", "Place", "Rule", "Why", "To include it safely"], rows));
}

function inputsView(pack) {
  return lazily("inputs", counted(pack.inputs.length, "input"), () => table("Everything that was read for the pack", ["Kind", "Input", "Digest after redaction"],
    pack.inputs.map((it) => [words(it.kind), [where(it), it.version ? ` version ${line(it.version, 40)}` : ""], it.digest ? code(it.digest) : ""])));
}

// The rendering in its pieces: texts of its own, and the numbers of sections whose content stands there.
const renderingOf = (entry) => entry.rendering.map((piece) => typeof piece === "number" ? entry.pack.sections[piece].content : piece).join("");

function faultsView(entry) {
  return el("section", { class: "faults" }, el("h3", {}, "Not valid"), el("ul", {}, entry.faults.map((fault) => el("li", {}, fault))));
}

// A log by its name, a box by the beginning of its id.
const talkName = (talk) => talk.name.startsWith("sha256:") ? "Box " + talk.name.slice(7, 19) : talk.name;

// A box or a log: who said what, and when.
function talkView(entry) {
  const { name, parents, cards } = entry.talk;
  const said = cards.map((card) => el("li", { class: "card" }, el("strong", {}, words(card.role || "gone")), " ", quote(card.author, 120), " ",
    card.type ? typeTag(card.type) : tag(card.text, "warn"), card.time ? [" ", el("time", { datetime: line(card.time, 40) }, line(card.time, 40))] : "", " ", code(card.id),
    card.type ? block(card.text) : ""));
  return [
    el("h2", {}, quote(talkName(entry.talk), 120)),
    facts([["Name", code(name)], ["File", code(entry.path)], ["Continues", parents.length ? parents.map((it) => [code(it), " "]) : ""]]),
    entry.faults.length ? faultsView(entry) : "",
    list("Cards", cards.length, cards.length ? el("ol", { class: "talk" }, said) : ""),
  ].filter(Boolean);
}

// The section that says most about the root itself.
const rootSection = (pack) => pack.sections.find((section) => section.id === "root.issue") || pack.sections.find((section) => section.id.startsWith("root."));

const stateOf = (pack) => (rootSection(pack) || { metadata: {} }).metadata.state || "unknown";

// Whether the pack is what a build gives now, as far as the page knows.
function freshnessTag(fresh) {
  if (!fresh) return tag("freshness unknown");
  return tag(fresh.status, { fresh: "", stale: "warn", unverifiable: "" }[fresh.status] ?? "bad");
}

// Whether texts are shown as they are; it stays for the next pack.
let isRaw = false;

// All that an agent gets, once: for reading, with the instructions and all that comes before the item folded, or as it is.
function textView(entry) {
  const text = renderingOf(entry);
  const first = entry.pack.sections.indexOf(rootSection(entry.pack));
  const body = el("div", { class: "whole", tabindex: 0, role: "region", "aria-label": "What the agent reads" });
  const ways = [["Read", false], ["Raw", true]].map(([name, raw]) => el("button", { type: "button", class: "small", on: { click: () => show(raw) } }, name));
  const copying = el("button", { type: "button", class: "small", on: { click: () => copy(text, copying) } }, "Copy");
  function show(raw) {
    isRaw = raw;
    ways.forEach((button, at) => button.setAttribute("aria-pressed", String(raw === (at === 1))));
    body.replaceChildren(...raw ? [block(text)] : entry.pack.sections.map((section, at) => partOfText(entry, section, at < first)));
  }
  show(isRaw);
  const heading = el("h3", {}, "What the agent reads ", el("span", { class: "count" }, counted([...text].length, "character")));
  return el("section", { class: "rendering" }, el("div", { class: "ways" }, heading, ways, copying), body);
}

// What comes before the item is the same for many, and folded.
function partOfText(entry, section, isBefore) {
  const relation = words(relationOf(entry, section));
  const head = [quote(section.title, 200), " ", relation === section.title.toLowerCase() ? "" : el("span", { class: "quiet" }, relation)];
  const body = section.content ? readable(section) : el("p", { class: "quiet" }, "Only its name is there.");
  if (section.kind !== "instructions" && !isBefore) return el("article", { "data-section": section.id, tabindex: -1 }, el("h4", {}, head), body);
  return el("article", { "data-section": section.id, tabindex: -1 }, el("details", {}, el("summary", {}, head), body));
}

// Leads to a section in the text for reading.
function showInText(id) {
  const find = () => [...pane.querySelectorAll(".whole article")].find((article) => article.dataset.section === id);
  if (!find()) pane.querySelector(".ways button").click();
  const article = find();
  if (article) {
    for (const details of article.querySelectorAll("details")) details.open = true;
    article.scrollIntoView({ block: "nearest" });
    article.focus({ preventScroll: true });
  }
}

// What tells this pack from others, for those who look for it.
function identityView(entry) {
  const { pack } = entry;
  return lazily("identity", "Identity and hash", () => facts([
    ["File", code(entry.path)], ["Pack", code(pack.pack_id)], ["Hash", code(pack.hash)],
    ["Built", `${line(pack.generated_at, 40)} by ${line(pack.generator.name, 40)} ${line(pack.generator.version, 40)}`],
  ]));
}

// All of a pack: `before` is what it was until the last save, `fresh` whether it is fresh, `act` what a neighbour leads to.
function packView(entry, before, fresh, act) {
  const pack = entry.pack;
  if (entry.talk) return talkView(entry);
  if (!pack) return [el("h2", {}, entry.path), faultsView(entry)];
  const changes = changedSections(pack, before);
  const changed = new Set(changes.map((it) => it.section.id));
  const root = rootSection(pack);
  return [
    el("h2", {}, quote(pack.root.title, 400)),
    el("p", { class: "state" }, tag(stateOf(pack) === "unknown" ? "state unknown" : stateOf(pack)), freshnessTag(fresh), tag("profile " + pack.profile), root && root.metadata.trust ? tag(root.metadata.trust, root.metadata.trust === "trusted" ? "" : "bad") : "",
      entry.faults.length ? tag("not valid", "bad") : "", changes.length ? tag("changed", "new") : ""),
    fresh && fresh.reasons.length ? el("p", { class: "reasons" }, el("strong", {}, words(fresh.status)), ": ", quote(fresh.reasons.slice(0, 5).join("; ")), fresh.reasons.length > 5 ? `; and ${fresh.reasons.length - 5} more` : "") : "",
    facts([
      ["Item", pack.root.work_item_id && code(pack.root.work_item_id)], ["Issue", pack.root.issue_url && link(pack.root.issue_url)],
      ["Agent", pack.agent && [quote(pack.agent.name, 120), " ", code(line(pack.agent.key, 120))]], ["Policy", pack.policy && words(pack.policy)],
      ["Job", pack.job && quote(pack.job, 120)],
    ]),
    entry.faults.length ? faultsView(entry) : "",
    warningsView(pack), changesView(changes), textView(entry),
    list("Why each part is there", pack.sections.length, pack.sections.map((section) => sectionView(entry, section, changed.has(section.id)))),
    cutView(pack),
    handoverView(pack),
    graphPicture(entry, act),
    budgetPicture(pack),
    redactionsView(pack),
    el("section", {}, el("h3", {}, "About the pack"), inputsView(pack), identityView(entry)),
  ].filter(Boolean);
}
