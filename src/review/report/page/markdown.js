// A reader's view of Markdown, which the program has parsed: a tree of texts, and of elements with a name, an attribute and
// their parts. No text is ever markup, HTML in it is shown as text, nothing is loaded, and links lead to https only.

const ADDRESS = /(https:\/\/[^\s<>()[\]"'`|]{1,2000})/;
const ELEMENTS = ["p", "blockquote", "em", "strong", "del", "ul", "ol", "hr", "br"];

// A text as it is, with its marks, however long.
function plain(text) {
  const fragment = document.createDocumentFragment();
  put(fragment, shown(text));
  return fragment;
}

// The label of a link, and where it leads unless the label says it.
function linked(label, url, isAddress) {
  if (!/^https:\/\//i.test(url) || !URL.canParse(url)) return [label, url && !url.startsWith("#") ? [" ", el("code", { class: "quiet" }, url)] : ""];
  return [el("a", { href: url, rel: "noopener noreferrer" }, label),
    isAddress ? "" : [" ", el("small", { class: "quiet" }, `(${line(new URL(url).host, 100)})`)]];
}

// Addresses that are written out are links, but those within a link.
function addresses(text) {
  return text.split(ADDRESS).map((part, at) => {
    if (at % 2 === 0) return part && plain(part);
    const url = part.replace(/[.,;:!?]+$/, "");
    return [linked(plain(url), url, true), plain(part.slice(url.length))];
  });
}

const textOf = (node) => typeof node === "string" ? node : node[2].map(textOf).join("");

function element([name, attribute, parts], within) {
  const made = () => treeView(parts, within || name === "a" || name === "pre");
  if (/^h[1-6]$/.test(name)) return el("h" + Math.min(Number(name[1]) + 3, 6), {}, made());
  if (name === "code") return el("code", {}, plain(textOf(["", "", parts])));
  if (name === "pre") return el("pre", { tabindex: 0 }, plain(textOf(["", "", parts]).replace(/\n$/, "")));
  if (name === "a") return linked(made(), attribute, textOf(["", "", parts]) === attribute);
  if (name === "img") return ["Image: ", linked(plain(textOf(["", "", parts])), attribute)];
  if (name === "box") return el("span", { role: "img", "aria-label": attribute }, attribute === "done" ? "☑ " : "☐ ");
  if (name === "li") return el("li", { class: hasBox(parts) && "box" }, made());
  if (name === "table") {
    const [head, ...rows] = parts.map(([, , cells]) => cells.map(([, , cell]) => treeView(cell)));
    return table("Table", head || [], rows);
  }
  return ELEMENTS.includes(name) ? el(name, name === "ol" && attribute ? { start: attribute } : {}, made()) : made();
}

// Whether a list item begins with a box, by itself or in its first paragraph.
const hasBox = ([first]) => Array.isArray(first) && (first[0] === "box" || (first[0] === "p" && hasBox(first[2])));

const treeView = (nodes, within) => nodes.map((node) => typeof node !== "string" ? element(node, within) : within ? plain(node) : addresses(node));

// A text for reading where it is Markdown, else as it is.
const readable = ({ content, tree }) => tree ? el("div", { class: "reader", dir: "auto" }, treeView(tree)) : block(content);
