// A batch: its tasks, who has which of them since when, and what came of it.

// What there is on the page leads there; the rest is text.
function entryLink(path, find) {
  const entry = path && find(path);
  return entry ? el("a", { href: "#/" + encodeURIComponent(path) }, line(path, 200)) : code(path || "");
}

// The colour of a state.
const stateTag = (status) => tag(status, { success: "new", failed: "bad", timeout: "bad", canceled: "warn", partial: "warn", dispatched: "warn" }[status]);

const when = (at) => el("time", { datetime: line(at, 40) }, line(at, 40));

const isLate = (report) => report.late !== undefined;

// A link where it is one, such as the run of a workflow.
const who = (name) => /^https:\/\//i.test(name) ? link(name) : quote(name, 200);

function batchBar(tasks) {
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

function taskView(task, number, find) {
  const summary = [
    el("span", { class: "count" }, String(number), " "), stateTag(task.status),
    el("span", { class: "title" }, quote(task.instruction, 120)), el("span", { class: "facts" }, line(task.agent, 120)),
    task.epoch > 1 ? tag("epoch " + task.epoch, "warn") : "", task.reports.some(isLate) ? tag("late report", "warn") : "",
    task.claimed && !task.ended ? el("span", { class: "facts" }, task.claimed_by ? ["by ", quote(task.claimed_by, 60), " "] : "", "since ", line(task.claimed_at || "an unknown time", 40)) : "",
  ];
  return lazily("task." + number, summary, () => [
    facts([
      ["Agent", code(task.agent)], ["Root", task.root && code(task.root)],
      ["Pack", task.pack && entryLink(task.pack, find)], ["Log", task.log && entryLink(task.log, find)],
      ["Epoch", task.epoch > 1 ? `${task.epoch}; ${counted(task.epoch - 1, "attempt")} given up` : "1"],
      ["Claimed", task.claimed ? [task.claimed_by ? ["by ", who(task.claimed_by), " "] : "", task.claimed_at ? ["at ", when(task.claimed_at)] : "in a file that is damaged"] : ""],
      ["Error", task.error && [code(task.error[0]), " ", quote(task.error[1], 400)]],
      ["Result", task.output && entryLink(task.output, find)],
    ]),
    block(task.instruction),
    task.summary ? [el("h4", {}, "Summary"), block(task.summary)] : "",
    task.reports.length ? table("Reports", ["Epoch", "Word", "When", "Counts"], task.reports.map((report) =>
      [String(report.epoch), quote(report.status, 100), when(report.at), isLate(report) ? ["no: ", words(report.late)] : "yes"])) : "",
  ], { class: "section" });
}

// `find` gives the entry of the page with a path.
function batchView(entry, find) {
  const { batch } = entry;
  const ended = batch.tasks.filter((task) => task.ended).length;
  return [
    el("h2", {}, "Batch " + line(batch.id, 40)),
    el("p", {}, stateTag(batch.status), `${ended} of ${counted(batch.tasks.length, "task")} ended`, batch.joined_at ? [", joined at ", when(batch.joined_at)] : ""),
    batchBar(batch.tasks),
    facts([
      ["For", quote(batch.parent, 120)], ["Result in", batch.parent_log && entryLink(batch.parent_log, find)],
      ["Forked", batch.forked_at && when(batch.forked_at)], ["Deadline", `${grouped(batch.deadline_seconds)} seconds after the fork`],
      ["Fail fast", batch.fail_fast ? "the first task that does not succeed fails the batch" : ""], ["Folder", code(entry.path)],
    ]),
    entry.faults.length ? faultsView(entry) : "",
    list("Tasks", batch.tasks.length, batch.tasks.map((task, number) => taskView(task, number, find))),
  ].filter(Boolean);
}
