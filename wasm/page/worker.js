// Walks a file beside the page. What it sends is bounded, whatever the file is: a map, and the records of listed frames.

import { knownSize, Zvet } from "../js/zvet.js";
import { walkBlob } from "../js/blob.js";
import { LISTED_MAX, WAYS, WIDTH, isParallel, writeRecord } from "./records.js";
import { Shares } from "./shares.js";

const TELL_EVERY_MS = 100;

onmessage = async ({ data: { module, file, options } }) => {
  try {
    await check(new Zvet(await WebAssembly.compile(module)), file, options);
  } catch (error) {
    postMessage({ type: "failed", message: error.message });
  }
};

async function check(zvet, file, options) {
  const walker = zvet.walker({ ...options, size: knownSize(file.size), blocks: true });
  const findings = new Findings(file.size);
  let told = performance.now();
  let progress = { at: 0, read: 0 };
  for await (const { found, at, read } of walkBlob(walker, file)) {
    findings.add(found);
    progress = { at, read };
    if (performance.now() - told > TELL_EVERY_MS) {
      findings.tell({ type: "progress", ...progress });
      told = performance.now();
    }
  }
  const { frames, ...report } = walker.finish();
  findings.add({ frames, blocks: [] });
  findings.tell({ type: "done", at: walker.offset, read: progress.read, report });
}

class Findings {
  #records = [];
  #listed = 0;
  #shares;
  #ways = Object.fromEntries(WAYS.map((way) => [way, 0]));

  constructor(size) {
    this.#shares = new Shares(size);
  }

  add({ frames, blocks }) {
    for (const { offset, kind, size } of blocks) this.#shares.add(kind, offset, offset + 3 + (kind === "rle" ? 1 : size));
    for (const frame of frames) this.#addFrame(frame);
  }

  #addFrame(frame) {
    const record = new Float64Array(WIDTH);
    writeRecord(record, frame);
    const way = record[2];
    this.#ways[WAYS[way]] += 1;
    const layer = way === 0 ? "skippable" : isParallel(way) ? "parallel" : "serial";
    this.#shares.add(layer, frame.offset, frame.offset + frame.compressed_size);
    if (this.#listed < LISTED_MAX) {
      this.#records.push(record);
      this.#listed += 1;
    }
  }

  tell(message) {
    const records = new Float64Array(this.#records.length * WIDTH);
    for (const [number, record] of this.#records.entries()) records.set(record, number * WIDTH);
    this.#records = [];
    postMessage({ ...message, records, ways: this.#ways, shares: this.#shares.bytes }, [records.buffer]);
  }
}
