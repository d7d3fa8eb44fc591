// A reader's view of Markdown, made of elements: no text of it is ever markup, HTML in it is shown as text, nothing is
// loaded, and links lead to https only. Every line is looked at once for each level of nesting, of which there are few.

// Longer texts are shown as they are.
const READABLE = 50000;
const DEEPEST = 8;

const FENCE = /^ {0,3}(`{3,}|~{3,})/;
const HEADING = /^ {0,3}(#{1,6})(?=\s|$)/;
const ITEM = /^( *)([-*+]|\d{1,9}[.)])(?: +|$)/;
const QUOTE = /^ {0,3}> ?/;
const LINK = /!?\[([^[\]]{0,1000})\]\(<?([^\s()<>]{0,2000})>?(?: +"[^"]{0,500}")? *\)/y;
const ADDRESS = /https:\/\/[^\s<>()[\]"'`|]{1,2000}/y;

// A text as it is, with its marks, however long.
function plain(text) {
  const fragment = document.createDocumentFragment();
  put(fragment, shown(text));
  return fragment;
}

const isRule = (text) => /^(-{3,}|\*{3,}|_{3,})$/.test(text.replace(/\s/g, ""));
const indent = (text) => text.length - text.trimStart().length;
const cells = (text) => text.trim().replace(/^\||\|$/g, "").split("|").map((cell) => cell.trim());
const isTable = (lines, at) => lines[at].includes("|") && /^[\s|:-]+$/.test(lines[at + 1] || "") && lines[at + 1].includes("|") && lines[at + 1].includes("-");
const begins = (text) => FENCE.test(text) || HEADING.test(text) || QUOTE.test(text) || ITEM.test(text) || isRule(text);

// The label of a link, and where it leads unless the label says it.
function linked(label, url) {
  const text = plain(label.replaceAll("`", "") || url);
  if (!/^https:\/\//i.test(url) || !URL.canParse(url)) return [text, url && !url.startsWith("#") ? [" ", el("code", { class: "quiet" }, url)] : ""];
  const { host } = new URL(url);
  return [el("a", { href: url, rel: "noopener noreferrer" }, text),
    label === url ? "" : [" ", el("small", { class: "quiet" }, `(${line(host, 100)})`)]];
}

// The parts of a text in a line: code, links, emphasis.
function inline(text, depth = 0) {
  const parts = [];
  let [from, at] = [0, 0];
  const take = (end, part) => {
    if (at > from) parts.push(plain(text.slice(from, at)));
    parts.push(part);
    from = at = end;
  };
  while (at < text.length && depth < DEEPEST) {
    const sign = text[at];
    if (sign === "\\" && /[!-/:-@[-`{-~]/.test(text[at + 1] || "")) take(at + 2, plain(text[at + 1]));
    else if (sign === "`") {
      let size = 1;
      while (text[at + size] === "`") size += 1;
      const end = size > 9 ? -1 : text.slice(at + size, at + 5000).search(new RegExp("(?<!`)`{" + size + "}(?!`)"));
      if (end < 0) at += size;
      else take(at + 2 * size + end, el("code", {}, plain(text.slice(at + size, at + size + end))));
    } else if (sign === "[" || (sign === "!" && text[at + 1] === "[")) {
      LINK.lastIndex = at;
      const found = LINK.exec(text);
      if (found) take(at + found[0].length, [sign === "!" ? "Image: " : "", linked(found[1], found[2])]);
      else at += 1;
    } else if (sign === "h" && text.startsWith("https://", at)) {
      ADDRESS.lastIndex = at;
      const found = ADDRESS.exec(text);
      const url = found && found[0].replace(/[.,;:!?]$/, "");
      if (url) take(at + url.length, linked(url, url));
      else at += 1;
    } else if (sign === "*" || sign === "_") {
      const mark = text[at + 1] === sign ? sign + sign : sign;
      const rest = text.slice(at + mark.length, at + 1000);
      const end = rest.indexOf(mark);
      const inner = rest.slice(0, Math.max(end, 0));
      // An underscore within a name is a part of it.
      const inName = sign === "_" && (/\w/.test(text[at - 1] || "") || /\w/.test(rest[end + mark.length] || ""));
      if (inner && inner === inner.trim() && !inName) take(at + 2 * mark.length + end, el(mark.length > 1 ? "strong" : "em", {}, inline(inner, depth + 1)));
      else at += mark.length;
    } else at += 1;
  }
  if (from < text.length) parts.push(plain(text.slice(from)));
  return parts;
}

// The item of a list that begins at a line: its end, and its own lines.
function itemAt(lines, at) {
  const [whole, before, mark] = ITEM.exec(lines[at]);
  const inside = before.length + mark.length + 1;
  const own = [lines[at].slice(whole.length)];
  let end = at + 1;
  for (; end < lines.length; end += 1) {
    const next = lines[end];
    const deeper = next.trim() && indent(next) >= Math.min(inside, before.length + 2);
    const lazy = next.trim() && lines[end - 1].trim() && !begins(next);
    if (next.trim() && !deeper && !lazy) break;
    if (!next.trim() && !(lines[end + 1] || "").startsWith(" ")) break;
    own.push(deeper ? next.slice(Math.min(indent(next), inside)) : next.trim());
  }
  return { own, end, ordered: /\d/.test(mark) };
}

function listItem(own, depth) {
  const box = /^\[([ xX])\] /.exec(own[0]);
  if (!box) return el("li", {}, blocks(own, depth + 1));
  const done = box[1] !== " ";
  const sign = el("span", { role: "img", "aria-label": done ? "done" : "to do" }, done ? "☑ " : "☐ ");
  return el("li", { class: "box" }, sign, blocks([own[0].slice(4), ...own.slice(1)], depth + 1));
}

function blocks(lines, depth) {
  const made = [];
  let at = 0;
  // Takes the lines for which `holds`, from here on.
  const run = (holds) => {
    const from = at;
    while (at < lines.length && (at === from || holds(lines[at], at))) at += 1;
    return lines.slice(from, at);
  };
  while (at < lines.length) {
    const text = lines[at];
    const fence = FENCE.exec(text);
    const heading = HEADING.exec(text);
    if (!text.trim()) at += 1;
    else if (depth >= DEEPEST) made.push(el("p", {}, plain(run(() => true).join("\n"))));
    else if (fence) {
      const own = run((it) => !it.trim().startsWith(fence[1]) || it.trim().replaceAll(fence[1][0], "")).slice(1);
      at += 1;
      made.push(el("pre", { tabindex: 0 }, plain(own.join("\n"))));
    } else if (heading) {
      let end = text.trimEnd();
      while (end.endsWith("#") && end.length > heading[0].length) end = end.slice(0, -1);
      made.push(el("h" + Math.min(heading[1].length + 3, 6), {}, inline(end.slice(heading[0].length).trim())));
      at += 1;
    } else if (isRule(text)) {
      made.push(el("hr"));
      at += 1;
    } else if (QUOTE.test(text)) made.push(el("blockquote", {}, blocks(run((it) => QUOTE.test(it)).map((it) => it.replace(QUOTE, "")), depth + 1)));
    else if (ITEM.test(text)) {
      const items = [];
      const first = itemAt(lines, at).ordered;
      while (at < lines.length && ITEM.test(lines[at]) && !isRule(lines[at])) {
        const { own, end, ordered } = itemAt(lines, at);
        if (ordered !== first) break;
        items.push(listItem(own, depth));
        at = end;
        while (at < lines.length && !lines[at].trim() && ITEM.test(lines[at + 1] || "")) at += 1;
      }
      made.push(el(first ? "ol" : "ul", first ? { start: parseInt(text.trim(), 10) } : {}, items));
    } else if (isTable(lines, at)) {
      const [head, , ...rows] = run((it) => it.includes("|")).map(cells);
      made.push(table("Table", head.map((it) => inline(it)), rows.map((row) => row.map((it) => inline(it)))));
    } else if (indent(text) >= 4) made.push(el("pre", { tabindex: 0 }, plain(run((it) => indent(it) >= 4).map((it) => it.slice(4)).join("\n"))));
    else {
      const own = run((it, on) => it.trim() && !begins(it) && !isTable(lines, on) && !/^=+\s*$/.test(it));
      const underlined = /^(=+|-+)\s*$/.test(lines[at] || "");
      if (underlined) at += 1;
      made.push(el(underlined ? "h4" : "p", {}, inline(own.map((it) => it.trim()).join("\n"))));
    }
  }
  return made;
}

const reader = (text) => el("div", { class: "reader", dir: "auto" }, blocks(text.split(/\r?\n/), 0));

// A text for reading, and as it is on demand.
function readable(text) {
  if (text.length > READABLE) return block(text);
  const box = el("div", { class: "text" });
  const button = el("button", { type: "button", class: "small", on: { click: () => show(button.textContent === "Raw text") } });
  const show = (raw) => {
    button.textContent = raw ? "Reader's view" : "Raw text";
    box.replaceChildren(raw ? block(text) : reader(text), button);
  };
  show(false);
  return box;
}
