"use strict";

// Elements and texts. Every text goes in as text, so that nothing in a pack is ever markup, and with a visible mark for
// each character that would not be seen.

const SVG = "http://www.w3.org/2000/svg";

// What would obey or hide instead of show: controls, bidirectional marks, invisible tags. Joiners stay: emoji need them.
const HIDDEN = /([\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb]|[\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}])/u;

// How much of a long text is put in at once, in UTF-16 units.
const FIRST = 20000;
const MORE = 200000;

// What any other text is cut to: no title or name has so much to say.
const LONGEST = 4000;

// Appends one by one: a call with a hundred thousand arguments fails.
function put(node, parts) {
  for (const part of parts) node.append(part);
}

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "on") for (const [event, act] of Object.entries(value)) node.addEventListener(event, act);
    else if (value !== undefined && value !== null && value !== false) node.setAttribute(name, value === true ? "" : value);
  }
  const texts = node.namespaceURI === SVG ? (text) => [line(text)] : (text) => shown(cut(String(text)));
  const there = children.flat(Infinity).filter((child) => child !== undefined && child !== null && child !== "");
  for (const child of there) put(node, child instanceof Node ? [child] : texts(child));
  return node;
}

const el = (tag, attributes = {}, ...children) => fill(document.createElement(tag), attributes, children);
const svg = (tag, attributes = {}, ...children) => fill(document.createElementNS(SVG, tag), attributes, children);

const sign = (mark) => "U+" + mark.codePointAt(0).toString(16).toUpperCase().padStart(4, "0");

const cut = (text) => text.length > LONGEST ? text.slice(0, LONGEST) + "…" : text;

// A text with its marks. The parts alternate: text, mark, text.
function shown(text) {
  return String(text).split(HIDDEN).map((part, at) => at % 2 ? el("span", { class: "mark" }, sign(part)) : part);
}

// The same on one line, as a string: for attributes and drawings.
function line(text, longest = Infinity) {
  const flat = String(text).slice(0, longest * 2).split(HIDDEN).map((part, at) => at % 2 ? "⟨" + sign(part) + "⟩" : part).join("");
  const signs = [...flat.replace(/\s+/g, " ")];
  return signs.length > longest ? signs.slice(0, longest - 1).join("") + "…" : signs.join("");
}

// A text of the pack among other words: its direction stays its own.
const quote = (text, longest) => el("bdi", {}, longest ? line(text, longest) : text);

const code = (text) => el("code", {}, text);

// A long text by parts, so that no line of a megabyte keeps the page from answering.
function block(text) {
  const pre = el("pre", { tabindex: 0, dir: "auto" });
  const box = el("div", { class: "text" }, pre);
  let at = 0;
  const button = el("button", { type: "button", on: { click: () => add(MORE) } });
  function add(count) {
    let end = Math.min(text.length, at + count);
    // No pair of surrogates is cut in two.
    if (end < text.length && /[\ud800-\udbff]/.test(text[end - 1])) end += 1;
    put(pre, shown(text.slice(at, end)));
    at = end;
    if (at < text.length) box.append(button); else button.remove();
    button.textContent = `Show more: ${grouped(text.length - at)} of ${grouped(text.length)} characters are left`;
  }
  add(FIRST);
  return box;
}

// The same digits in every language.
const grouped = (number) => String(number).replace(/\B(?=(\d{3})+$)/g, ",");

const percent = (part, whole) => whole ? Math.round(part * 100 / whole) + " %" : "";

const counted = (count, one, many = one + "s") => `${grouped(count)} ${count === 1 ? one : many}`;

// Puts a text into the clipboard, also where a page has no right to it, and says on the button whether it is there.
async function copy(text, button) {
  let done = true;
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const field = document.createElement("textarea");
    field.value = text;
    button.after(field);
    field.select();
    done = document.execCommand("copy");
    field.remove();
    button.focus();
  }
  const name = button.textContent;
  button.textContent = done ? "Copied" : "The browser does not let this page copy";
  setTimeout(() => { button.textContent = name; }, 2000);
}

const words = (name) => String(name).replace(/_/g, " ");

// Links lead to web pages only, never to scripts.
function link(url) {
  return /^https:\/\//i.test(url) ? el("a", { href: url, rel: "noopener noreferrer" }, url) : code(url);
}

function table(caption, heads, rows) {
  const head = el("tr", {}, heads.map((text) => el("th", { scope: "col" }, text)));
  const body = rows.map((cells) => el("tr", {}, cells.map((cell) => el("td", {}, cell))));
  return el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": caption },
    el("table", {}, el("caption", {}, caption), el("thead", {}, head), el("tbody", {}, body)));
}
