// The list, search, keys, and, where the page is served, packs that change. What is shown is what the address says: a
// pack, the overview, or, where there is no room beside it, the list.

const [search, told, all, packs, pane, origin] = ["search", "told", "all", "list", "pack", "origin"].map((id) => document.getElementById(id));
const { tag: SERVED_TAG, begin: BEGIN } = document.documentElement.dataset;
const POLL = 700;
const OVERVIEW = "#overview";

// The texts of sections, of which packs share most, are in the data once.
function unpack({ texts, trees, packs: listed }) {
  for (const { pack } of listed) for (const section of pack ? pack.sections : []) [section.content, section.tree] = [texts[section.content], trees[section.content]];
  return listed;
}

const dataOf = (id) => JSON.parse(document.getElementById(id).textContent);

let entries = unpack(dataOf("data"));
let freshness = dataOf("freshness");
// All rows in order; the one that Tab reaches; the pack that is shown, and the one that the search put aside.
let rows = [];
let reached, current, aside;
// What the last save changed: the entries before it, by path.
let before = new Map();
// Whose work packs are for, by their paths.
let uses = new Map();

const titleOf = (entry) => entry.pack ? entry.pack.root.title : entry.talk ? talkName(entry.talk) : entry.batch ? "Batch " + entry.batch.id : entry.inbox ? "Inbox " + entry.inbox.name : entry.path;
const hashOf = (entry) => "#/" + encodeURIComponent(entry.path);
const rowFor = (entry) => rows.find((it) => it.entry === entry);
const freshOf = (entry) => freshness.packs && Object.hasOwn(freshness.packs, entry.path) ? freshness.packs[entry.path] : undefined;
const originOfPage = () => freshness.origin || {};

// What search looks in: the pack's own names, and the files that it is made of. Names of neighbours find their own packs.
function haystack(entry) {
  const pack = entry.pack;
  const texts = pack ? [rootId(pack), pack.root.title, pack.root.issue_url, pack.profile, ...pack.inputs.filter((it) => it.kind === "file").map((it) => it.path)] : [];
  const talk = entry.talk ? [entry.talk.name, ...entry.talk.cards.map((it) => it.author)] : [];
  const batch = entry.batch ? [entry.batch.status, entry.batch.parent] : [];
  const work = entry.batch || entry.inbox;
  const tasks = work ? work.tasks.flatMap((it) => [it.id, it.agent, it.instruction || "", it.root || ""]) : [];
  return [entry.path, uses.get(entry.path) || "", ...talk, ...batch, ...tasks, ...texts].join("\n").toLowerCase();
}

function rowOf(entry) {
  const pack = entry.pack;
  const fresh = freshOf(entry);
  const marks = [
    entry.faults.length ? tag("not valid", "bad") : "", fresh && fresh.status !== "fresh" ? freshnessTag(fresh) : "",
    before.has(entry.path) ? tag("changed", "new") : "",
    pack && pack.redactions.length ? tag(counted(pack.redactions.length, "redaction"), "warn") : "",
    pack && pack.warnings.length ? tag(counted(pack.warnings.length, "warning"), "warn") : "",
  ].filter(Boolean);
  const facts = summary(entry, fresh);
  const title = titleOf(entry);
  const use = uses.get(entry.path);
  const says = entry.talk ? [counted(entry.talk.cards.length, "card")] : entry.batch || entry.inbox ? [workLine(entry)] : pack ? [quote(facts.id, 60), ` · ${line(facts.profile, 40)}`, facts.share < 0 ? "" : ` · ${percent(facts.share, 1)}`, use ? [" · ", quote(use, 120)] : ""] : [];
  const row = el("li", { role: "option", tabindex: -1, "aria-selected": "false" },
    el("span", { class: "title" }, quote(title, 120)), " ", el("span", { class: "facts" }, says), marks.flatMap((mark) => [" ", mark]));
  // Rows that are not in view are not laid out, so they say themselves what they are.
  row.setAttribute("aria-label", row.textContent);
  row.addEventListener("click", () => select(entry, "pack"));
  return { entry, row, facts, title, text: haystack(entry) };
}

const visible = () => rows.filter(({ row }) => !row.hidden);

const choice = chooser(() => {
  arrange();
  filter();
});
const results = el("div");

// Puts the rows in the order that is chosen.
function arrange() {
  const at = new Map(entries.map((entry, number) => [entry, number]));
  rows = choice.sorted(rows.sort((a, b) => at.get(a.entry) - at.get(b.entry)));
  const fragment = document.createDocumentFragment();
  put(fragment, rows.map(({ row }) => row));
  packs.replaceChildren(fragment);
}

function filter() {
  const terms = search.value.toLowerCase().split(/\s+/).filter(Boolean);
  for (const { row, text, facts } of rows) row.hidden = !(terms.every((term) => text.includes(term)) && choice.holds(facts));
  const count = visible().length;
  const total = rows.some(({ entry }) => !entry.pack) ? counted(rows.length, "entry", "entries") : counted(rows.length, "pack");
  all.hidden = !terms.length && !choice.isSet();
  told.textContent = all.hidden ? total : `${grouped(count)} of ${total}`;
  rove();
  // A pack that is not among those that are found is put aside until it is again.
  if (current && rowFor(current).row.hidden) {
    const away = current;
    route("#");
    aside = away;
  } else if (!current && aside && !rowFor(aside).row.hidden) select(aside);
  else if (!current) {
    const away = aside;
    route();
    aside = away;
  }
}

function showAll() {
  search.value = "";
  choice.clear();
  filter();
}

// One row can be reached by Tab: the selected one, or the first that is there.
function rove() {
  const last = reached && rowFor(reached.entry);
  const next = current ? rowFor(current) : last && !last.row.hidden ? last : visible()[0];
  for (const it of [reached, last]) if (it) it.row.tabIndex = -1;
  if (next) next.row.tabIndex = 0;
  reached = next;
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

// Goes to an address and shows what it says. Without one only shows it again.
function route(hash = location.hash, push) {
  if (location.hash !== hash && location.hash + "#" !== hash) history[push ? "pushState" : "replaceState"](null, "", hash);
  const entry = entries.find((it) => hashOf(it) === location.hash);
  const was = current;
  if (was && was !== entry) rowFor(was)?.row.setAttribute("aria-selected", "false");
  [current, aside] = [entry, undefined];
  document.body.dataset.view = entry || location.hash === OVERVIEW ? "main" : "list";
  document.body.dataset.shows = entry ? "pack" : "all";
  if (!entry) {
    const found = visible();
    if (!pane.contains(results)) pane.replaceChildren(back(), el("h2", {}, "Overview"), choice.node, results);
    results.replaceChildren(...(entries.length ? overview(found, rows, (it) => select(it, "pack")) : [el("p", { class: "quiet" }, "There are no packs here.")]));
    rove();
    return;
  }
  const { row } = rowFor(entry);
  row.setAttribute("aria-selected", "true");
  rove();
  pane.replaceChildren(back(), ...viewOf(entry));
  if (was !== entry) pane.scrollTop = 0;
  row.scrollIntoView({ block: "nearest" });
}

// What is shown of an entry; nothing of another one if that fails.
function viewOf(entry) {
  try {
    return entry.batch || entry.inbox ? workView(entry, (path) => entries.find((it) => it.path === path)) : packView(entry, before.get(entry.path), freshOf(entry), act);
  } catch (error) {
    return [el("h2", {}, quote(titleOf(entry), 120)), el("p", {}, `This cannot be shown: ${error.message}`)];
  }
}

// Leads back to the list where it has no room beside the pack.
const back = () => el("button", { type: "button", class: "back", on: { click: () => { route("#", true); toList(); } } }, "Back to the list");

function select(entry, focus) {
  // Going on along the list is no step to come back to.
  route(hashOf(entry), focus === "pack");
  if (focus === "list") rowFor(entry).row.focus();
  if (focus === "pack") pane.focus({ preventScroll: true });
}

// The list with the focus on it, whatever is shown beside it.
function toList() {
  if (!packs.offsetParent) route("#", true);
  if (reached) reached.row.focus();
  else search.focus();
}

function move(to) {
  const there = visible();
  if (!there.length) return;
  const at = there.findIndex((it) => it.row === document.activeElement || (!packs.contains(document.activeElement) && it.entry === current));
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
  if (event.key === "Escape") does(() => {
    if (typing) {
      search.value = "";
      filter();
    }
    toList();
  });
  else if (typing) {
    if (event.key === "ArrowDown") does(toList);
    else if (event.key === "Enter") does(() => { if (visible().length) select(visible()[0].entry, "pack"); });
  } else if (event.target.tagName === "SELECT") return;
  else if (event.key === "/") does(() => { if (!packs.offsetParent) route("#", true); search.focus(); search.select(); });
  else if (event.key === "o") does(() => { route(OVERVIEW, true); pane.focus(); });
  else if (inList && event.key === "Enter") does(() => select(rows.find(({ row }) => row === event.target).entry, "pack"));
  else if (MOVES[event.key] && (inList || event.key.length === 1)) does(() => move(MOVES[event.key]));
});

search.addEventListener("input", filter);
all.addEventListener("click", showAll);
document.querySelector(".skip").addEventListener("click", (event) => { event.preventDefault(); pane.focus(); });
window.addEventListener("popstate", () => route());

// Whether two entries of a path say the same. The hash of a valid pack is that of all of it.
function same(entry, old) {
  const valid = (it) => it && it.pack && !it.faults.length;
  return valid(entry) && valid(old) ? entry.pack.hash === old.pack.hash : JSON.stringify(entry) === JSON.stringify(old);
}

// Says whose packs these are: the repo, its commit, and when the newest of them was built.
function tellOrigin() {
  const { repo, url, commit } = originOfPage();
  const newest = entries.map(timeOf).reduce((last, time) => time > last ? time : last, "").replace("T", " ").replace(/:\d\d(\.\d+)?Z$/, " UTC");
  const at = commit && commit.slice(0, 7);
  const page = url && /^https:\/\//.test(url);
  origin.replaceChildren(...[
    repo && (page ? el("a", { href: url, rel: "noopener noreferrer" }, line(repo, 80)) : quote(repo, 80)),
    at && el("span", {}, " at ", page ? el("a", { href: `${url}/commit/${commit}`, rel: "noopener noreferrer" }, code(at)) : code(at)),
    newest && el("span", {}, repo ? ", " : "", "built ", line(newest, 40)),
  ].filter(Boolean));
  document.title = ["Context packs", repo && line(repo, 80), at, newest && line(newest, 40)].filter(Boolean).join(" · ");
}

// Shows other packs, or a freshness that is another; whatever was selected, opened and scrolled to stays so.
function show(now, fresh) {
  const [was, away, focused, top] = [current || aside, aside, packs.contains(document.activeElement), pane.scrollTop];
  const open = [...pane.querySelectorAll("details[data-id]")].map((details) => [details.dataset.id, details.open]);
  let changed = [];
  if (now !== entries) {
    const old = new Map(entries.map((entry) => [entry.path, entry]));
    changed = now.filter((entry) => !same(entry, old.get(entry.path)));
    before = new Map(changed.map((entry) => [entry.path, old.get(entry.path)]));
  }
  [entries, freshness, current, aside] = [now, fresh, undefined, undefined];
  uses = packUses(entries);
  tellOrigin();
  rows = entries.map(rowOf);
  choice.offer(rows);
  arrange();
  route();
  aside = away && entries.find((entry) => entry.path === away.path);
  filter();
  if (current && was && current.path === was.path) {
    for (const [id, isOpen] of open) if (detailsOf(id)) detailsOf(id).open = isOpen;
    // What was opened is there once its event was.
    requestAnimationFrame(() => requestAnimationFrame(() => { pane.scrollTop = top; }));
  }
  if (focused && reached) reached.row.focus();
  if (changed.length) told.textContent = `${counted(changed.length, "pack")} changed: ${changed.slice(0, 3).map((it) => line(titleOf(it), 40)).join(", ")}`;
}

// Puts the packs that changed among those that did not.
function merged({ paths, changed }) {
  const known = new Map([...entries, ...unpack(changed)].map((entry) => [entry.path, entry]));
  return paths.map((path) => known.get(path));
}

// Asks again and again for what changed since a tag, and for a freshness with another text.
async function follow(tag, text) {
  let [nextTag, nextText] = [tag, text];
  const ask = async (path) => {
    const answer = await fetch(path, { cache: "no-store" });
    if (![200, 204].includes(answer.status)) throw new Error("another server, or none");
    return answer;
  };
  try {
    const packsAnswer = await ask("packs.json?since=" + tag);
    const changes = packsAnswer.status === 200 ? await packsAnswer.json() : undefined;
    nextText = await (await ask("freshness.json")).text();
    const fresh = nextText !== text ? JSON.parse(nextText) : undefined;
    if (changes || fresh) show(changes ? merged(changes) : entries, fresh || freshness);
    if (changes) nextTag = changes.tag;
    if (told.dataset.lost) {
      delete told.dataset.lost;
      filter();
    }
  } catch {
    told.dataset.lost = "yes";
    told.textContent = "contextpack page --serve does not answer: what is here may be old";
  }
  setTimeout(follow, document.hidden ? 5 * POLL : POLL, nextTag, nextText);
}

if (BEGIN && !location.hash) history.replaceState(null, "", "#/" + encodeURIComponent(BEGIN));
show(entries, freshness);
if (SERVED_TAG) follow(SERVED_TAG);
