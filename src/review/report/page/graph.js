// The one-hop neighbourhood as a drawing: what the root builds on at its left, what hangs on it at its right.

const NODE = { width: 308, height: 44, step: 52, gap: 60 };
const LEFT = ["parent", "depends_on", "blocked_by", "adr", "code", "document"];

// More of them on a side are counted, not drawn.
const MOST = 10;

// Neighbours, then the decisions, code and documents that the root refers to.
function neighbours(entry) {
  const refers = (section) => /^(adr|code|file)\./.test(section.id);
  const files = entry.pack.sections.filter(refers);
  const edges = entry.edges.map((edge) => ({ ...edge, group: edgeGroup(edge.relation) }));
  return [
    ...edges.filter((edge) => !edge.trust),
    ...files.map((section) => ({
      relation: group(section), to: section.id.replace(/^\w+\./, ""), title: section.title, section: section.id,
      state: section.metadata.status || "", shown: section.metadata.detail, group: group(section),
    })),
    ...edges.filter((edge) => edge.trust),
  ];
}

const EDGES = new Map([["parent", "parent"], ["child", "child"], ["depends_on", "dependency"], ["blocked_by", "dependency"]]);

const edgeGroup = (relation) => EDGES.get(relation) || "related";

// Cuts in the middle: titles end with what tells them apart, such as a number.
function middleCut(text, longest) {
  const signs = [...line(text)];
  const end = Math.floor(longest / 3);
  return signs.length > longest ? signs.slice(0, longest - end - 1).join("").trimEnd() + "…" + signs.slice(-end).join("") : signs.join("");
}

function node(x, y, told, act) {
  const box = svg("rect", { width: NODE.width, height: NODE.height, rx: 8, class: "box " + told.kind });
  const small = [told.relation && words(told.relation), told.id && middleCut(told.id, 24), told.state && words(told.state), told.shown && words(told.shown)];
  const texts = [
    svg("text", { x: 12, y: 18, class: "small" }, line(small.filter(Boolean).join(" · "), 44)),
    svg("text", { x: 12, y: 36 }, middleCut(told.title, 36)),
  ];
  const title = svg("title", {}, line(`${told.id}: ${told.title}`, 300));
  const place = { transform: `translate(${x} ${y})` };
  if (!act) return svg("g", place, title, box, texts);
  return svg("a", { ...place, href: act.href, on: { click: act.click } }, title, box, texts);
}

function column(all, x, middle, act) {
  const drawn = all.length > MOST ? all.slice(0, MOST - 1) : all;
  const rest = all.length - drawn.length;
  const told = drawn.map((it) => [{ ...it, id: it.to, kind: it.group + (it.shown === "left out" ? " out" : "") }, act(it)]);
  if (rest) told.push([{ id: "", title: `and ${rest} more, listed below`, kind: "out" }, undefined]);
  const top = middle - told.length * NODE.step / 2;
  return told.map(([it, action], at) => {
    const y = top + at * NODE.step + (NODE.step - NODE.height) / 2;
    return { y: y + NODE.height / 2, kind: it.kind, drawn: node(x, y, it, action) };
  });
}

function graphPicture(entry, act) {
  const all = neighbours(entry);
  const [left, right] = [all.filter((it) => LEFT.includes(it.relation)), all.filter((it) => !LEFT.includes(it.relation))];
  const heading = el("h3", { id: "graph" }, "Relations");
  if (!all.length) return el("section", { "aria-labelledby": "graph" }, heading, el("p", { class: "quiet" }, "It has no relations and refers to no file."));
  const rows = Math.max(Math.min(Math.max(left.length, right.length), MOST), 1);
  const height = rows * NODE.step;
  const root = { x: left.length ? NODE.width + NODE.gap : 0, y: (height - NODE.height) / 2 };
  const width = root.x + NODE.width + (right.length ? NODE.gap + NODE.width : 0);
  const sides = [
    [column(left, 0, height / 2, act), NODE.width, root.x],
    [column(right, root.x + NODE.width + NODE.gap, height / 2, act), root.x + NODE.width + NODE.gap, root.x + NODE.width],
  ];
  const lines = sides.flatMap(([nodes, from, to]) => nodes.map(({ y, kind }) => {
    const bend = (from + to) / 2;
    return svg("path", { class: "edge " + kind, d: `M${from} ${y} C${bend} ${y} ${bend} ${height / 2} ${to} ${height / 2}` });
  }));
  const self = entry.pack.sections.find((section) => section.id === "root.issue");
  const told = { id: rootId(entry.pack), title: entry.pack.root.title, relation: "item", state: self && self.metadata.state, kind: "root" };
  const drawing = svg("svg", { class: "graph", viewBox: `-2 0 ${width + 4} ${height}`, width: width + 4, height, role: "group", "aria-label": "Relations of the item" },
    lines, node(root.x, root.y, told), sides.flatMap(([nodes]) => nodes.map((it) => it.drawn)));
  const rowsOf = (it) => [words(it.relation), code(it.to), quote(it.title), words(it.state || ""), words(it.shown),
    it.at ? [words(it.source) + ", ", code(it.at)] : ""];
  // Where a drawing has no room.
  const narrow = all.map((it) => {
    const action = act(it);
    const title = action ? el("a", { href: action.href, on: { click: action.click } }, quote(it.title, 200)) : quote(it.title, 200);
    return el("li", {}, el("span", { class: "quiet" }, words(it.relation), " "), title, " ", code(it.to), it.state ? [" ", tag(it.state)] : "");
  });
  return el("section", { "aria-labelledby": "graph" }, heading, el("div", { class: "scroll drawing", tabindex: 0, role: "region", "aria-label": "Drawing of the relations" }, drawing),
    el("ul", { class: "neighbours" }, narrow),
    el("details", {}, el("summary", {}, `As a list: ${all.length}`),
      table("Related items", ["Relation", "Id", "Title", "State", "In the pack", "Stated"], all.map(rowsOf))));
}

const rootId = (pack) => pack.root.work_item_id || pack.root.issue_url || "";
