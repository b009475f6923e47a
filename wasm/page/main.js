// The page: a file in, what the worker finds out.

import { Frames, LISTED_MAX, WAYS, isParallel, isSerial } from "./records.js";
import { showBytes } from "./hex.js";
import { StreamMap } from "./map.js";
import { FrameTable, element } from "./table.js";
import * as words from "./words.js";

const byId = (id) => document.getElementById(id);
const moduleBytes = Uint8Array.from(atob(WASM_BASE64), (char) => char.charCodeAt(0));
const workerUrl = URL.createObjectURL(new Blob([WORKER_SOURCE], { type: "text/javascript" }));

let run;

const map = new StreamMap(byId("map"), {
  pick: (offset) => table.choose(run.frames.holding(offset)),
  hover: (offset) => {
    const known = offset !== undefined && run.frames.count > 0 && offset < run.walked;
    const frame = known ? `, frame ${words.count(run.frames.holding(offset))}` : "";
    byId("map-at").textContent = offset === undefined ? "" : `byte ${words.count(offset)}${frame}`;
  },
});
const table = new FrameTable(byId("frames"), (index) => {
  const frame = run.frames.at(index);
  map.set({ selected: frame });
  byId("go").value = index;
  showFrameBytes(index, frame);
});

byId("file").addEventListener("change", ({ target }) => {
  if (target.files.length > 0) start(target.files[0], target.files.length);
  // The same file may be chosen again.
  target.value = "";
});
for (const name of ["level", "limits"]) byId(name).addEventListener("change", () => run && start(run.file, 1, run.dictionaries));
byId("dictionary").addEventListener("change", async ({ target }) => {
  const { file } = run;
  const bytes = await target.files[0].arrayBuffer().catch((error) => fail(error.message));
  target.value = "";
  if (bytes !== undefined && run.file === file) start(file, 1, [...run.dictionaries, bytes]);
});
byId("cancel").addEventListener("click", cancel);
byId("show-fault").addEventListener("click", showFault);
byId("to-frame").addEventListener("click", () => {
  table.choose(run.report.error.frame);
  table.focus();
});
byId("go").addEventListener("change", ({ target }) => table.choose(Math.min(Number(target.value), run.frames.count - 1)));
document.addEventListener("keydown", (event) => event.key === "Escape" && run?.worker && cancel());
document.addEventListener("dragover", (event) => {
  event.preventDefault();
  byId("drop").classList.add("over");
});
document.addEventListener("dragleave", ({ relatedTarget }) => relatedTarget ?? byId("drop").classList.remove("over"));
document.addEventListener("drop", (event) => {
  event.preventDefault();
  byId("drop").classList.remove("over");
  const { files } = event.dataTransfer;
  if (files.length > 0) start(files[0], files.length);
});

function start(file, given = 1, dictionaries = []) {
  run?.worker?.terminate();
  const level = document.querySelector("input[name=level]:checked").value;
  const limits = byId("limits").value;
  run = { file, dictionaries, worker: new Worker(workerUrl), frames: new Frames(), began: performance.now(), walked: 0, read: 0, quarter: 0 };
  run.worker.onmessage = ({ data }) => take(data);
  run.worker.onerror = (event) => fail(event.message || "the worker could not be started");
  run.worker.postMessage({ module: moduleBytes, file, options: { level, limits, dictionaries } });
  table.reset();
  byId("trouble").hidden = true;
  byId("drop").classList.add("small");
  byId("results").hidden = true;
  byId("running").hidden = false;
  byId("hex-section").hidden = true;
  map.set({ size: file.size, walked: 0, shares: undefined, frames: run.frames, fault: undefined, selected: undefined });
  showProgress();
  const others = given > 1 ? ` The other ${words.counted(given - 1, "file")} must be dropped one by one.` : "";
  say(`Checking ${file.name}, ${words.size(file.size)}.${others}`);
}

function take({ type, at, read, records, ways, shares, report, message }) {
  if (type === "failed") return fail(message);
  run.frames.add(records);
  Object.assign(run, { walked: at, read, ways, shares });
  byId("results").hidden = false;
  map.set({ shares, frames: run.frames });
  table.show(run.frames);
  if (type === "done") return finish(report);
  showProgress();
  showVerdict("running");
}

function finish(report) {
  end();
  run.report = report;
  map.set({ fault: report.error?.offset, walked: run.walked });
  showVerdict(report.verdict);
  if (report.error) showFault();
  say(`${run.file.name} is ${words.VERDICTS[report.verdict].words}. ${words.reason(report)}`);
}

function cancel() {
  end();
  byId("results").hidden = false;
  showVerdict("cancelled");
  say(`Cancelled after ${words.share(run.walked, run.file.size)} of ${run.file.name}.`);
  byId("verdict").focus();
}

function fail(message) {
  end();
  byId("results").hidden = true;
  byId("trouble").textContent = `${run.file.name}: ${message}`;
  byId("trouble").hidden = false;
}

function end() {
  run.worker?.terminate();
  run.worker = undefined;
  byId("running").hidden = true;
}

function say(text) {
  byId("status").textContent = text;
}

function showProgress() {
  const { file, walked, read, began, quarter } = run;
  const share = file.size === 0 ? 1 : walked / file.size;
  const seconds = (performance.now() - began) / 1000;
  const left = share > 0.02 && seconds > 1 ? `, ${Math.ceil((seconds / share) * (1 - share))} s left` : "";
  const skipped = read < walked * 0.9 ? `, ${words.size(read)} of it read` : "";
  byId("progress").value = share;
  byId("progress-text").textContent = `${words.size(walked)} of ${words.size(file.size)}${skipped}${left}`;
  if (Math.floor(share * 4) > quarter) {
    run.quarter = Math.floor(share * 4);
    say(`${run.quarter * 25}% walked.`);
  }
}

function showVerdict(verdict) {
  const { file, report, walked } = run;
  const { sign, words: what } = words.VERDICTS[verdict] ?? { sign: "…", words: "being checked" };
  byId("verdict").dataset.verdict = verdict;
  byId("verdict-sign").textContent = sign;
  byId("verdict-title").replaceChildren(`${file.name}: `, element("b", {}, what));
  const soFar = `${words.share(walked, file.size)} was walked so far. `;
  const cancelled = "No fault was found in it. Nothing is said of the rest.";
  byId("verdict-reason").textContent = report ? words.reason(report) : soFar + (verdict === "cancelled" ? cancelled : "");
  byId("verdict-place").textContent = report?.error ? words.place(report.error) : "";
  byId("to-frame").hidden = !(report?.error && report.error.frame < run.frames.count);
  byId("give").hidden = report?.verdict !== "needs-dictionary";
  document.title = `${file.name}: ${what} · zvet`;
  showFacts();
  const count = report ? report.totals.frames + report.totals.skippable : run.frames.count;
  const more = count > LISTED_MAX ? `the first ${words.count(LISTED_MAX)} of ${words.count(count)}; all were checked` : "";
  byId("frames-count").textContent = more || words.counted(run.frames.count, "frame");
  byId("frames-section").hidden = run.frames.count === 0;
  byId("map-section").hidden = file.size === 0;
  byId("legend-fault").hidden = !report?.error;
  byId("go").max = run.frames.count - 1;
  byId("map-words").textContent = mapInWords();
}

function showFacts() {
  const { file, report, ways = {}, read } = run;
  const sum = (fits) => WAYS.reduce((total, name, way) => total + (fits(way) ? (ways[name] ?? 0) : 0), 0);
  const facts = [["size", words.size(file.size)]];
  facts.push(["parallel", words.counted(sum(isParallel), "frame")]);
  facts.push(["serial", serialInWords(sum(isSerial), ways)]);
  facts.push(["skippable", words.counted(ways.skippable ?? 0, "frame")]);
  if (report) {
    const { blocks, decoded_size: decoded, window_max: window, memory } = report.totals;
    facts.push(["blocks", words.count(blocks)]);
    facts.push(["decodes to", words.range(Number(decoded.low), Number(decoded.high))]);
    facts.push(["largest window", words.size(Number(window))]);
    facts.push(["memory for a frame", words.size(Number(memory))]);
    facts.push(["read", words.share(read, file.size)]);
  }
  const list = facts.map(([term, value]) => {
    const fact = element("div");
    fact.append(element("dt", {}, term), element("dd", {}, value));
    return fact;
  });
  byId("facts").replaceChildren(...list);
}

function serialInWords(count, ways) {
  const why = WAYS.filter((name, way) => isSerial(way) && ways[name] > 0);
  return why.length > 0 ? `${words.counted(count, "frame")} (${why.join(", ")})` : words.counted(count, "frame");
}

function mapInWords() {
  const { report, file, ways = {} } = run;
  const counts = WAYS.filter((name) => ways[name] > 0).map((name) => `${words.count(ways[name])} ${words.way(name)}`);
  const fault = report?.error ? ` The fault is at ${words.share(report.error.offset, file.size)} of the file.` : "";
  return `A strip of the file from its first to its last byte. Frames: ${counts.join("; ") || "none"}.${fault} The table below has each of them.`;
}

function showFault() {
  const { file, report } = run;
  byId("hex-title").textContent = "Bytes around the fault";
  byId("show-fault").hidden = true;
  showHex(file, report.error.offset, "The fault is", "at");
}

function showFrameBytes(index, { offset }) {
  byId("hex-title").textContent = `Bytes of frame ${words.count(index)}`;
  byId("show-fault").hidden = !run.report?.error;
  showHex(run.file, offset, "The frame begins", "frame-at");
}

function showHex(file, ...where) {
  byId("hex-section").hidden = file.size === 0;
  const current = run;
  showBytes(byId("hex"), file, ...where).catch((error) => current === run && fail(error.message));
}
