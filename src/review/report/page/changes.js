// What the last save changed in a pack: its sections, line by line.

// The most work for the comparison of two texts, in pairs of lines.
const MOST_PAIRS = 250000;
const MOST_LINES = 200;
const AROUND = 2;

// The lines of both texts in order, each with its sign: "-" gone, "+" new, " " in both.
function lineDiff(old, now) {
  const [a, b] = [old.split("\n"), now.split("\n")];
  let [start, end] = [0, 0];
  while (start < Math.min(a.length, b.length) && a[start] === b[start]) start += 1;
  while (end < Math.min(a.length, b.length) - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end += 1;
  const [x, y] = [a.slice(start, a.length - end), b.slice(start, b.length - end)];
  const same = (lines) => lines.map((text) => [" ", text]);
  return [...same(a.slice(0, start)), ...middle(x, y), ...same(a.slice(a.length - end))];
}

// The difference by the longest common subsequence, unless that is too much work.
function middle(x, y) {
  if (x.length * y.length > MOST_PAIRS) return [...x.map((text) => ["-", text]), ...y.map((text) => ["+", text])];
  const wide = y.length + 1;
  const common = new Uint16Array((x.length + 1) * wide);
  for (let i = x.length - 1; i >= 0; i -= 1) {
    for (let j = y.length - 1; j >= 0; j -= 1) {
      common[i * wide + j] = x[i] === y[j] ? common[(i + 1) * wide + j + 1] + 1 : Math.max(common[(i + 1) * wide + j], common[i * wide + j + 1]);
    }
  }
  const made = [];
  let [i, j] = [0, 0];
  while (i < x.length || j < y.length) {
    if (i < x.length && j < y.length && x[i] === y[j]) {
      made.push([" ", x[i]]);
      i += 1;
      j += 1;
    } else if (j >= y.length || (i < x.length && common[(i + 1) * wide + j] >= common[i * wide + j + 1])) made.push(["-", x[i++]]);
    else made.push(["+", y[j++]]);
  }
  return made;
}

// The changed lines with a few around them.
function diffView(old, now) {
  const lines = lineDiff(old, now);
  const near = new Set(lines.flatMap(([sign], at) => sign === " " ? [] : Array.from({ length: 2 * AROUND + 1 }, (_, by) => at + by - AROUND)));
  const kept = lines.map((it, at) => [...it, at]).filter(([, , at]) => near.has(at));
  const pre = el("pre", { class: "diff", tabindex: 0 });
  let last = -1;
  for (const [sign, text, at] of kept.slice(0, MOST_LINES)) {
    if (at > last + 1) pre.append(el("span", { class: "quiet" }, "⋯\n"));
    pre.append(el({ "-": "del", "+": "ins", " ": "span" }[sign], {}, `${sign} ${text}\n`));
    last = at;
  }
  if (kept.length > MOST_LINES) pre.append(`and ${counted(kept.length - MOST_LINES, "more line")}\n`);
  return pre;
}

// The sections that differ from those of the pack before: how, the section, and its old text.
function changedSections(pack, before) {
  if (!before || !before.pack) return [];
  const old = new Map(before.pack.sections.map((section) => [section.id, section]));
  const there = new Set(pack.sections.map((section) => section.id));
  const now = pack.sections.flatMap((section) => {
    const was = old.get(section.id);
    return was && was.content === section.content ? [] : [{ how: was ? "changed" : "added", section, was: was ? was.content : "" }];
  });
  return [...now, ...before.pack.sections.filter(({ id }) => !there.has(id)).map((section) => ({ how: "gone", section, was: "" }))];
}

function changesView(changes) {
  if (!changes.length) return "";
  const item = ({ how, section, was }) => el("details", { open: how === "changed" }, el("summary", {}, tag(how, "new"), " ", quote(section.title, 120), " ", code(section.id)),
    how === "changed" ? diffView(was, section.content) : block(section.content));
  return el("section", { "aria-labelledby": "changes" }, el("h3", { id: "changes" }, "Changed by the last save ", el("span", { class: "count" }, String(changes.length))),
    changes.slice(0, 5).map(item), changes.length > 5 ? lazily("changes", `${changes.length - 5} more`, () => el("div", {}, changes.slice(5).map(item))) : "");
}
