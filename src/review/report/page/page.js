// The list, search, keys, and, where the page is served, packs that change.

const [search, told, packs, pane] = ["search", "told", "list", "pack"].map((id) => document.getElementById(id));
const SERVED_TAG = document.documentElement.dataset.tag;
const POLL = 700;

let entries = JSON.parse(document.getElementById("data").textContent).packs;
let rows = [];
let current;

const titleOf = (entry) => entry.pack ? entry.pack.root.title : entry.talk ? talkName(entry.talk) : entry.batch ? "Batch " + entry.batch.id : entry.path;
const hashOf = (entry) => "#/" + encodeURIComponent(entry.path);

// What search looks in: the pack's own names, and the files that it is made of. Names of neighbours find their own packs.
function haystack(entry) {
  const pack = entry.pack;
  const texts = pack ? [rootId(pack), pack.root.title, pack.root.issue_url, pack.profile, ...pack.inputs.filter((it) => it.kind === "file").map((it) => it.path)] : [];
  const talk = entry.talk ? [entry.talk.name, ...entry.talk.cards.map((it) => it.author)] : [];
  const batch = entry.batch ? [entry.batch.status, entry.batch.parent, ...entry.batch.tasks.flatMap((it) => [it.agent, it.instruction, it.root || ""])] : [];
  return [entry.path, ...talk, ...batch, ...texts].join("\n").toLowerCase();
}

function rowOf(entry, changed) {
  const pack = entry.pack;
  const measure = pack && unit(pack.budget);
  const marks = [
    entry.faults.length ? tag("not valid", "bad") : "", changed ? tag("changed", "new") : "",
    pack && pack.redactions.length ? tag(counted(pack.redactions.length, "redaction"), "warn") : "",
    pack && pack.warnings.length ? tag(counted(pack.warnings.length, "warning"), "warn") : "",
  ];
  const { batch } = entry;
  const facts = entry.talk ? [counted(entry.talk.cards.length, "card")] : batch ? [`${words(batch.status)} · ${batch.tasks.filter((it) => it.ended).length} of ${counted(batch.tasks.length, "task")} ended`] : pack ? [quote(rootId(pack), 60), ` · ${line(pack.profile, 40)}`, measure.limit ? ` · ${percent(measure.used, measure.limit)}` : ""] : [];
  // Rows that are not in view are not laid out, so they say themselves what they are.
  const names = [titleOf(entry), pack && rootId(pack), pack && pack.profile].filter(Boolean).map((name) => line(name, 120));
  const label = [...names, ...marks.filter(Boolean).map((mark) => mark.textContent)].join(", ");
  const row = el("li", { role: "option", tabindex: -1, "aria-selected": "false", "aria-label": label },
    el("span", { class: "title" }, quote(titleOf(entry), 120)), el("span", { class: "facts" }, facts), marks);
  row.addEventListener("click", () => select(entry, "list"));
  return { entry, row, text: haystack(entry) };
}

const visible = () => rows.filter(({ row }) => !row.hidden);

function filter() {
  const terms = search.value.toLowerCase().split(/\s+/).filter(Boolean);
  for (const { row, text } of rows) row.hidden = !terms.every((term) => text.includes(term));
  const count = visible().length;
  const all = rows.some(({ entry }) => entry.talk || entry.batch) ? counted(rows.length, "entry", "entries") : counted(rows.length, "pack");
  told.textContent = terms.length ? `${grouped(count)} of ${all}` : all;
  rove();
}

// One row can be reached by Tab: the selected one, or the first that is there.
function rove() {
  const there = visible();
  const reached = there.find(({ entry }) => entry === current) || there[0];
  for (const it of rows) it.row.tabIndex = it === reached ? 0 : -1;
}

// Where a neighbour leads: to its pack under the same profile, to any of its packs, else to its section.
function act(neighbour) {
  const of = entries.filter((entry) => entry.pack && rootId(entry.pack) === neighbour.to);
  const other = of.find((entry) => entry.pack.profile === current.pack.profile) || of[0];
  if (other && other !== current) return { href: hashOf(other), click: (event) => { event.preventDefault(); select(other, "pack"); } };
  if (!neighbour.section) return undefined;
  return { href: hashOf(current), click: (event) => { event.preventDefault(); reveal(neighbour.section); } };
}

const detailsOf = (id) => [...pane.querySelectorAll("details[data-id]")].find((details) => details.dataset.id === id);

function reveal(id) {
  const details = detailsOf(id);
  if (!details) return;
  details.open = true;
  details.querySelector("summary").focus();
}

function select(entry, focus, before) {
  current = entry;
  for (const it of rows) it.row.setAttribute("aria-selected", String(it.entry === entry));
  rove();
  pane.replaceChildren(...(entry.batch ? batchView(entry, (path) => entries.find((it) => it.path === path)) : packView(entry, before, act)));
  if (!before) {
    pane.scrollTop = 0;
    const first = detailsOf("root.issue");
    if (first) first.open = true;
  }
  if (location.hash !== hashOf(entry)) history.replaceState(null, "", hashOf(entry));
  const row = rows.find((it) => it.entry === entry).row;
  if (focus === "list") row.focus();
  if (focus === "pack") pane.focus();
  row.scrollIntoView({ block: "nearest" });
}

function move(to) {
  const there = visible();
  if (!there.length) return;
  const at = there.findIndex(({ entry }) => entry === current);
  select(there[Math.min(Math.max(to(at, there.length), 0), there.length - 1)].entry, "list");
}

const MOVES = {
  j: (at) => at + 1, k: (at) => at < 0 ? 0 : at - 1, ArrowDown: (at) => at + 1, ArrowUp: (at) => at < 0 ? 0 : at - 1,
  Home: () => 0, End: (_, count) => count - 1,
};

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey) return;
  const [typing, inList] = [event.target === search, packs.contains(event.target)];
  const does = (act) => { event.preventDefault(); act(); };
  if (typing) {
    if (event.key === "Escape") does(() => { if (search.value) { search.value = ""; filter(); } else move((at) => at); });
    else if (event.key === "ArrowDown") does(() => move((at) => Math.max(at, 0)));
    else if (event.key === "Enter") does(() => { if (visible().length) select(visible()[0].entry, "pack"); });
  } else if (event.key === "/") does(() => { search.focus(); search.select(); });
  else if (event.key === "Escape") does(() => move((at) => at));
  else if (inList && event.key === "Enter") does(() => pane.focus());
  else if (MOVES[event.key] && (inList || event.key.length === 1)) does(() => move(MOVES[event.key]));
});

search.addEventListener("input", filter);
window.addEventListener("hashchange", () => {
  const entry = entries.find((it) => hashOf(it) === location.hash);
  if (entry && entry !== current) select(entry, "pack");
});

// Shows `now` instead of what was there; whatever was selected, opened and scrolled to stays so.
function show(now) {
  const before = new Map(entries.map((entry) => [entry.path, entry]));
  const same = (entry) => JSON.stringify(entry) === JSON.stringify(before.get(entry.path));
  const changed = new Set(now === entries ? [] : now.filter((entry) => !same(entry)));
  const [was, focused, top] = [current, packs.contains(document.activeElement), pane.scrollTop];
  entries = now;
  rows = entries.map((entry) => rowOf(entry, changed.has(entry)));
  packs.replaceChildren(...rows.map(({ row }) => row));
  filter();
  const wanted = was ? entries.find((entry) => entry.path === was.path) : entries.find((entry) => hashOf(entry) === location.hash);
  const entry = wanted || entries[0];
  if (!entry) {
    current = undefined;
    pane.replaceChildren(el("p", { class: "quiet" }, "There are no packs here."));
  } else if (was && wanted) {
    const open = [...pane.querySelectorAll("details[data-id][open]")].map((details) => details.dataset.id);
    select(entry, focused ? "list" : undefined, was);
    for (const id of open) if (detailsOf(id)) detailsOf(id).open = true;
    // What was opened is there once its event was.
    requestAnimationFrame(() => requestAnimationFrame(() => { pane.scrollTop = top; }));
  } else select(entry);
  if (changed.size) told.textContent = `${counted(changed.size, "pack")} changed: ${[...changed].slice(0, 3).map((it) => line(titleOf(it), 40)).join(", ")}`;
}

// Asks again and again whether the packs are others than those with this tag.
async function follow(tag) {
  let next = tag;
  try {
    const answer = await fetch("packs.json", { headers: { "If-None-Match": `"${tag}"` }, cache: "no-store" });
    if (answer.status === 200) {
      show((await answer.json()).packs);
      next = answer.headers.get("ETag").replaceAll('"', "");
    } else if (answer.status !== 304) throw new Error("another server, or none");
    if (told.dataset.lost) { delete told.dataset.lost; filter(); }
  } catch {
    told.dataset.lost = "yes";
    told.textContent = "contextpack serve does not answer: what is here may be old";
  }
  setTimeout(follow, document.hidden ? 5 * POLL : POLL, next);
}

show(entries);
if (SERVED_TAG) follow(SERVED_TAG);
