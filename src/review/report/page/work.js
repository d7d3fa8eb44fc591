// Batches and inboxes: their tasks or turns, who has which of them since when, and what came of it.

// What there is on the page leads there; the rest is text.
function entryLink(path, find) {
  const entry = path && find(path);
  return entry ? el("a", { href: "#/" + encodeURIComponent(path) }, line(path, 200)) : code(path || "");
}

// The colour of a state.
const stateTag = (status) => tag(status, { success: "new", failed: "bad", timeout: "bad", canceled: "warn", partial: "warn", dispatched: "warn" }[status]);

const when = (at) => el("time", { datetime: line(at, 40) }, line(at, 40));

const isLate = (report) => Boolean(report.late);

// A link where it is one, such as the run of a workflow.
const who = (name) => /^https:\/\//i.test(name) ? link(name) : quote(name, 200);

function taskBar(tasks) {
  const count = (states) => tasks.filter((task) => states.includes(task.status)).length;
  const parts = [["success", ["success"]], ["running", ["dispatched"]], ["bad", ["failed", "timeout", "canceled", "partial"]], ["waiting", ["pending"]]];
  const told = parts.map(([kind, states]) => [kind, count(states)]).filter(([, number]) => number);
  let at = 0;
  const rects = told.map(([kind, number]) => {
    const [x, width] = [at * 1000 / tasks.length, number * 1000 / tasks.length];
    at += number;
    return svg("rect", { class: "part " + kind, x, y: 0, width, height: 16 }, svg("title", {}, `${kind}: ${number}`));
  });
  const label = told.map(([kind, number]) => `${number} ${kind}`).join(", ");
  return svg("svg", { class: "tasks", viewBox: "0 0 1000 16", preserveAspectRatio: "none", role: "img", "aria-label": "Tasks: " + label }, rects);
}

const ended = (work) => work.tasks.filter((task) => task.ended).length;

// What a row says of a batch or an inbox.
function workLine({ batch, inbox }) {
  const { tasks } = batch || inbox;
  const state = batch ? words(batch.status) : inbox.closed ? "closed" : "open";
  return `${state} · ${ended(batch || inbox)} of ${counted(tasks.length, batch ? "task" : "turn")} ended`;
}

function taskView(task, find) {
  const summary = [
    el("span", { class: "count" }, line(task.id, 20), " "), stateTag(task.status),
    el("span", { class: "title" }, quote(task.instruction || task.root || task.summary || "", 120)), el("span", { class: "facts" }, line(task.agent, 120)),
    task.epoch > 1 ? tag("epoch " + task.epoch, "warn") : "", task.reports.some(isLate) ? tag("late report", "warn") : "",
    task.claimed && !task.ended ? el("span", { class: "facts" }, task.claimed_by ? ["by ", quote(task.claimed_by, 60), " "] : "", "since ", line(task.claimed_at || "an unknown time", 40)) : "",
  ];
  return lazily("task." + task.id, summary, () => [
    facts([
      ["Agent", code(task.agent)], ["From", task.from && code(task.from)], ["Item", task.root && code(task.root)],
      ["Context", task.context && entryLink(task.context, find)],
      ["Pack", task.pack && entryLink(task.pack, find)], ["Log", task.log && entryLink(task.log, find)],
      ["Epoch", task.epoch > 1 ? `${task.epoch}; ${counted(task.epoch - 1, "attempt")} given up` : "1"],
      ["Claimed", task.claimed ? [task.claimed_by ? ["by ", who(task.claimed_by), " "] : "", task.claimed_at ? ["at ", when(task.claimed_at)] : "in a file that is damaged"] : ""],
      ["Error", task.error && [code(task.error[0]), " ", quote(task.error[1], 400)]],
      ["Result", task.output && entryLink(task.output, find)],
    ]),
    task.instruction ? block(task.instruction) : "",
    task.summary ? [el("h4", {}, "Summary"), block(task.summary)] : "",
    task.reports.length ? table("Reports", ["Epoch", "Word", "When", "Counts"], task.reports.map((report) =>
      [String(report.epoch), quote(report.status, 100), when(report.at), isLate(report) ? ["no: ", words(report.late)] : "yes"])) : "",
  ], { class: "section" });
}

// Whose work a pack is for, by its path: batches and inboxes name the packs of their tasks.
function packUses(entries) {
  const uses = new Map();
  for (const { batch, inbox } of entries)
    for (const { pack, id, agent } of (batch || inbox || { tasks: [] }).tasks)
      if (pack && !uses.has(pack)) uses.set(pack, batch ? `batch ${batch.id}, task ${id}, ${agent}` : `turn ${id}, ${agent}`);
  return uses;
}

// `find` gives the entry of the page with a path.
function workView(entry, find) {
  const { batch, inbox } = entry;
  const work = batch || inbox;
  const noun = batch ? "task" : "turn";
  return [
    el("h2", {}, batch ? "Batch " + line(batch.id, 40) : ["Inbox ", quote(inbox.name, 120)]),
    el("p", {}, batch ? stateTag(batch.status) : tag(inbox.closed ? "closed" : "open", inbox.closed ? "warn" : "new"),
      `${ended(work)} of ${counted(work.tasks.length, noun)} ended`, batch && batch.joined_at ? [", joined at ", when(batch.joined_at)] : ""),
    taskBar(work.tasks),
    facts(batch ? [
      ["For", quote(batch.parent, 120)], ["Result in", batch.parent_log && entryLink(batch.parent_log, find)],
      ["Forked", batch.forked_at && when(batch.forked_at)], ["Deadline", `${grouped(batch.deadline_seconds)} seconds after the fork`],
      ["Fail fast", batch.fail_fast ? "the first task that does not succeed fails the batch" : ""], ["Folder", code(entry.path)],
    ] : [["Takes turns", inbox.closed ? "no: it is closed" : "yes"], ["Folder", code(entry.path)]]),
    entry.faults.length ? faultsView(entry) : "",
    list(batch ? "Tasks" : "Turns", work.tasks.length, work.tasks.map((task) => taskView(task, find))),
  ].filter(Boolean);
}
