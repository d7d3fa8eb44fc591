// All packs at once: totals, filters that the list follows as well, and a table.

const FIRST_ROWS = 100;
const MORE_ROWS = 500;

// What the filters and the table know of an entry.
function summary(entry, fresh) {
  const { pack } = entry;
  if (!pack) return { id: "", state: entry.talk ? "conversation" : entry.batch ? "batch" : entry.inbox ? "inbox" : "not valid", profile: "", share: -1, warnings: 0, freshness: "unknown", time: timeOf(entry) };
  const { budget } = pack;
  const shares = ["chars", "bytes", "tokens"].filter((it) => budget["max_" + it]).map((it) => budget["used_" + it] / budget["max_" + it]);
  return {
    id: rootId(pack), state: stateOf(pack), profile: pack.profile, warnings: pack.warnings.length,
    share: Math.max(-1, ...shares), freshness: entry.faults.length ? "not valid" : fresh ? fresh.status : "unknown",
    time: timeOf(entry),
  };
}

// When an entry last came further, as far as it says: times of one form, which sort as texts.
function timeOf({ pack, talk, batch, inbox }) {
  if (pack) return pack.generated_at;
  const tasks = (batch || inbox || { tasks: [] }).tasks;
  const times = [batch && batch.forked_at, ...tasks.flatMap((it) => [it.claimed_at, ...it.reports.map((report) => report.at)]), ...(talk ? talk.cards : []).map((it) => it.time)];
  return times.filter(Boolean).reduce((last, time) => time > last ? time : last, "");
}

const byText = (a, b) => a < b ? -1 : a > b ? 1 : 0;
// Numbers in ids and titles count as numbers: `#9` comes before `#10`.
const natural = new Intl.Collator("en", { numeric: true }).compare;
const ORDERS = {
  file: () => 0,
  title: (a, b) => natural(a.title, b.title),
  id: (a, b) => natural(a.facts.id, b.facts.id),
  use: (a, b) => b.facts.share - a.facts.share,
  newest: (a, b) => byText(b.facts.time, a.facts.time),
};

const FILTERS = [
  ["State", (facts) => words(facts.state)], ["Profile", (facts) => facts.profile],
  ["Warnings", (facts) => facts.warnings ? "with warnings" : "without warnings"], ["Freshness", (facts) => words(facts.freshness)],
];

// The filters and the order; `changed` is called whenever another one is chosen. They stay while the rows change.
function chooser(changed) {
  const select = (name, values) => el("label", {}, el("span", {}, name), el("select", { on: { change: changed } }, values));
  const option = (value, text) => el("option", { value }, text);
  const filters = FILTERS.map(([name, of]) => ({ of, label: select(name) }));
  const order = select("Sort by", [option("file", "File"), option("title", "Title"), option("id", "Id"), option("use", "Use of the budget"), option("newest", "Newest first")]);
  const field = (label) => label.lastChild;
  return {
    node: el("div", { class: "chooser", role: "group", "aria-label": "Filters" }, filters.map(({ label }) => label), order),
    // Offers the values that there are.
    offer(rows) {
      for (const { of, label } of filters) {
        const chosen = field(label).value;
        const counts = new Map();
        for (const { facts } of rows) if (of(facts)) counts.set(of(facts), (counts.get(of(facts)) || 0) + 1);
        const options = [...counts].sort(([a], [b]) => byText(a, b)).map(([value, count]) => option(value, `${line(value, 40)} (${grouped(count)})`));
        field(label).replaceChildren(option("", "all"), ...options);
        field(label).value = counts.has(chosen) ? chosen : "";
        label.hidden = counts.size < 2;
      }
    },
    holds: (facts) => filters.every(({ of, label }) => !field(label).value || of(facts) === field(label).value),
    sorted: (rows) => [...rows].sort(ORDERS[field(order).value]),
    isSet: () => filters.some(({ label }) => field(label).value),
    clear() { for (const { label } of filters) field(label).value = ""; },
  };
}

function totals(rows) {
  const count = (of) => {
    const counts = new Map();
    for (const { facts } of rows) counts.set(of(facts), (counts.get(of(facts)) || 0) + 1);
    return [...counts].sort(([a], [b]) => byText(a, b)).map(([name, number]) => `${grouped(number)} ${words(line(name, 40))}`).join(", ");
  };
  const shares = rows.map(({ facts }) => facts.share).filter((share) => share >= 0).sort((a, b) => a - b);
  const warned = rows.filter(({ facts }) => facts.warnings);
  return facts([
    ["State", count((it) => it.state)], ["Freshness", count((it) => it.freshness)],
    ["Budget", shares.length ? `half use at most ${percent(shares[Math.floor((shares.length - 1) / 2)], 1)}, the fullest ${percent(shares.at(-1), 1)}` : "no limits"],
    ["Warnings", warned.length ? `${counted(warned.reduce((sum, { facts }) => sum + facts.warnings, 0), "warning")} in ${counted(warned.length, "pack")}` : "none"],
  ]);
}

// The group of a section, and the kind of text that it is; the latter is empty for what is an item's own.
function kindsOf({ id, kind, provenance, metadata }) {
  if (kind === "instructions" || provenance === "profile" || provenance === "job") return ["instructions", "instructions"];
  const own = { comment: "comments", card: "cards", recent_changes: "history" }[kind];
  if (own) return [own, ""];
  if (kind === "overview") return ["agent", "overview"];
  if (provenance === "agent") return ["agent", ""];
  if (kind === "adr_excerpt") return ["adrs", "adr"];
  if (provenance === "code_ref") return ["code", "code"];
  if (provenance === "likely") return ["code", ""];
  const relation = { parent: "parent", child: "children", dependency: "dependencies", related: "related" }[id.split(".")[0]];
  if (relation) return [relation, ""];
  if (kind === "file_excerpt" || kind === "document_notes") return ["documents", ["style_guide", "playbook"].includes(metadata.doc_type) ? "rules" : "document"];
  return ["root", ""];
}

// What feeds these packs: characters by group, and in how many packs each text is.
function feeds(rows) {
  const groups = new Map(), texts = new Map();
  const of = (map, key, more) => map.get(key) || map.set(key, { chars: 0, packs: new Set(), cut: new Set(), ...more }).get(key);
  for (const { entry } of rows) {
    for (const section of entry.pack ? entry.pack.sections : []) {
      const [group, kind] = kindsOf(section);
      const { chars, detail } = section.metadata;
      const name = section.source.path || section.source.id;
      for (const it of [of(groups, group, { name: group }), kind && name && of(texts, `${kind} ${name}`, { name, kind })].filter(Boolean)) {
        it.chars += chars;
        it.packs.add(entry);
        if (detail !== "full") it.cut.add(entry);
      }
    }
  }
  const all = [...groups.values()].reduce((sum, it) => sum + it.chars, 0) || 1;
  const table = (caption, heads, values) => el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": caption },
    el("table", {}, el("caption", {}, caption), el("thead", {}, el("tr", {}, heads.map((text) => el("th", { scope: "col" }, text)))),
      el("tbody", {}, values.map(([first, ...rest]) => el("tr", {}, el("th", { scope: "row" }, first), rest.map((text) => el("td", {}, text)))))));
  const byPacks = (a, b) => b.packs.size - a.packs.size || byText(a.name, b.name);
  const shown = [...texts.values()].sort(byPacks);
  return [
    table("Characters by group", ["Group", "Packs", "Characters", "Share"],
      [...groups.values()].sort((a, b) => b.chars - a.chars || byText(a.name, b.name)).map((it) => [it.name, grouped(it.packs.size), grouped(it.chars), percent(it.chars, all)])),
    table("Texts by packs", ["Text", "Kind", "Packs", "Shortened in", "Characters"],
      shown.slice(0, FIRST_ROWS).map((it) => [quote(it.name, 120), it.kind, grouped(it.packs.size), grouped(it.cut.size), grouped(it.chars)])),
    shown.length > FIRST_ROWS ? el("p", { class: "quiet" }, `${grouped(shown.length - FIRST_ROWS)} more: contextpack stats lists them`) : "",
  ];
}

// The same, counted once it is opened.
function feedsOf(rows) {
  const open = ({ target }) => { if (target.open && target.children.length === 1) target.append(...feeds(rows)); };
  return el("details", { on: { toggle: open } }, el("summary", {}, "What feeds these packs"));
}

// The rows that are found, of all; `open` shows a pack.
function overview(found, all, open) {
  const body = el("tbody");
  const row = ({ entry, title, facts: { id, state, profile, share, warnings, freshness } }) => el("tr", {},
    el("th", { scope: "row" }, el("a", { href: hashOf(entry), on: { click: (event) => { event.preventDefault(); open(entry); } } }, quote(title, 120)),
      el("span", { class: "facts" }, quote(id, 60), profile ? ` · ${line(profile, 40)}` : "")),
    el("td", {}, words(line(state, 40))),
    el("td", { class: "use" }, share < 0 ? "" : [el("meter", { min: 0, max: 1, value: share, "aria-hidden": "true" }), " ", percent(share, 1)]),
    el("td", {}, freshness === "fresh" || freshness === "unknown" ? el("span", { class: "quiet" }, freshness) : freshnessTag({ status: freshness })),
    el("td", {}, warnings ? tag(counted(warnings, "warning"), "warn") : ""));
  let at = 0;
  const more = el("button", { type: "button", on: { click: () => add(MORE_ROWS) } });
  function add(count) {
    body.append(...found.slice(at, at + count).map(row));
    at = Math.min(at + count, found.length);
    more.hidden = at === found.length;
    more.textContent = `Show more: ${grouped(found.length - at)} of ${grouped(found.length)} are left`;
  }
  add(FIRST_ROWS);
  const heads = ["Pack", "State", "Use", "Freshness", "Warnings"].map((text) => el("th", { scope: "col" }, text));
  return [
    el("p", { class: "quiet" }, found.length === all.length ? counted(all.length, "pack") : `${grouped(found.length)} of ${counted(all.length, "pack")}`),
    found.length ? totals(found) : "",
    found.some(({ entry }) => entry.pack) ? feedsOf(found) : "",
    found.length ? el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Packs" },
      el("table", { class: "packs" }, el("caption", {}, "Packs"), el("thead", {}, el("tr", {}, heads)), body), more) : el("p", {}, "No pack is like that."),
  ];
}
