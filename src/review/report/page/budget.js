// The budget as a picture: what takes how much, and what was left out, in one scale.

// Where a section belongs: the colour that it has everywhere on the page.
function group(section) {
  const id = section.id;
  if (section.kind === "instructions" || id === "instructions") return "instructions";
  if (id.startsWith("root.")) return "root";
  const found = ["card", "comment", "parent", "child", "dependency", "related", "adr", "code"].find((name) => id.startsWith(name + "."));
  return found || "document";
}

const GROUPS = new Map([["card", "cards"], ["comment", "comments"], ["child", "children"], ["dependency", "dependencies"], ["adr", "ADRs"], ["document", "documents"]]);

// Tokens where they are limited, else characters.
function unit(budget) {
  const tokens = budget.max_tokens !== undefined;
  return {
    name: tokens ? "tokens" : "characters",
    used: tokens ? budget.used_tokens : budget.used_chars,
    limit: tokens ? budget.max_tokens : budget.max_chars,
    of: (facts) => (tokens ? facts.tokens : facts.chars) || 0,
  };
}

function bar(label, parts, scale, limit) {
  let at = 0;
  const rects = parts.map(([size, kind, title]) => {
    const x = at * 1000 / scale;
    at += size;
    const width = Math.max(size * 1000 / scale - 1, 0.5);
    return svg("rect", { x, y: 0, width, height: 24, class: "fill " + kind }, svg("title", {}, line(title, 200)));
  });
  return svg("svg", { class: "bar", viewBox: "0 0 1000 24", preserveAspectRatio: "none", role: "img", "aria-label": label },
    limit ? svg("rect", { x: 0, y: 0, width: limit * 1000 / scale, height: 24, class: "free" }) : "", rects);
}

function budgetPicture(pack) {
  const measure = unit(pack.budget);
  const say = (size) => `${grouped(size)} ${measure.name}`;
  const groups = new Map();
  const taken = pack.sections.map((section) => {
    const [name, size] = [group(section), measure.of(section.metadata)];
    groups.set(name, (groups.get(name) || 0) + size);
    return [size, name, `${section.title}: ${say(size)}`];
  });
  const contents = taken.reduce((sum, [size]) => sum + size, 0);
  const frames = Math.max(measure.used - contents, 0);
  taken.push([frames, "frames", `Frames and the list of what was left out: ${say(frames)}`]);
  groups.set("frames", frames);
  // How much shorter a section became is known in characters; in another unit it is estimated by what is left of it.
  const shorter = pack.sections.filter((section) => section.metadata.full_chars);
  const about = measure.name === "characters" || !shorter.length ? "" : "about ";
  const lacking = shorter.map((section) => {
    const { chars, full_chars } = section.metadata;
    const size = Math.round(Math.max(full_chars - chars, 0) * (about ? measure.of(section.metadata) / Math.max(chars, 1) : 1));
    return [size, group(section) + " cut", `${section.title}: ${about}${say(size)} cut`];
  });
  for (const omission of pack.omissions) {
    if (measure.of(omission)) lacking.push([measure.of(omission), group(omission) + " cut", `${omission.title}: ${say(measure.of(omission))}, ${omission.reason}`]);
  }
  const missing = lacking.reduce((sum, [size]) => sum + size, 0);
  const scale = Math.max(measure.limit || 0, measure.used, missing, 1);
  const whole = measure.limit ? `${grouped(measure.used)} of ${say(measure.limit)}, ${percent(measure.used, measure.limit)}` : say(measure.used);
  const legend = [...groups].filter(([, size]) => size > 0).map(([name, size]) =>
    el("li", {}, el("span", { class: "swatch fill " + name }), `${GROUPS.get(name) || name} `, el("span", { class: "size" }, `${grouped(size)}, ${percent(size, measure.used)}`)));
  return el("section", { "aria-labelledby": "budget" },
    el("h3", { id: "budget" }, "Budget"),
    el("p", {}, el("strong", {}, whole), `. Strategy `, code(pack.budget.strategy), otherLimits(pack.budget, measure)),
    bar(`In the pack: ${whole}`, taken, scale, measure.limit),
    el("ul", { class: "legend" }, legend),
    missing ? [
      el("p", {}, `Not in it: ${about}${say(missing)} in ${counted(lacking.length, "text")}, in the same scale`),
      bar(`Not in the pack: ${about}${say(missing)}`, lacking, scale),
    ] : el("p", { class: "quiet" }, "Nothing was left out for the budget."));
}

function otherLimits(budget, measure) {
  const others = [["characters", budget.used_chars, budget.max_chars], ["bytes", budget.used_bytes, budget.max_bytes]];
  const told = others.filter(([name]) => name !== measure.name).map(([name, used, limit]) =>
    limit ? `${grouped(used)} of ${grouped(limit)} ${name}` : `${grouped(used)} ${name}`);
  if (budget.margin) told.push(`margin ${budget.margin} %`);
  if (budget.tokenizer) told.push(line(budget.tokenizer, 40));
  return `; ${told.join("; ")}.`;
}
