// An instance of the module, and the one stream that it walks. All knowledge of src/abi.rs is here.

import { readOptions, toBytes, toU64 } from "./options.js";

const NAME_SIZE_MAX = 4096;
const RECORD_SIZE = 32;
const BLOCK_KINDS = ["raw", "rle", "compressed"];
const UTF8 = new TextDecoder();

/** Instances of one module. Those that are done with a stream are used again: they keep nothing of it. */
export class Instances {
  #module;
  #idle = [];

  constructor(module) {
    this.#module = module;
  }

  take() {
    return this.#idle.pop() ?? new WebAssembly.Instance(this.#module).exports;
  }

  give(exports) {
    if (this.#idle.length < 4) this.#idle.push(exports);
  }
}

export class Session {
  #instances;
  #wasm;
  #options;
  #offset = 0;
  #ended = false;
  #finished = false;

  constructor(instances, options) {
    this.#options = readOptions(options);
    this.#instances = instances;
    this.#wasm = instances.take();
    this.#start();
  }

  #start() {
    const { preset, limits, ratio, bounds, name, dictionaries, look, form, blocks } = this.#options;
    const wasm = this.#wasm;
    wasm.reset();
    wasm.preset(preset);
    for (const [field, value] of [...limits, ...bounds]) wasm.set(field, value);
    if (ratio === null) wasm.clear_ratio();
    if (ratio) wasm.set_ratio(ratio.slack, ratio.factor);
    if (name !== undefined) {
      if (name.length > NAME_SIZE_MAX) throw new RangeError(`file is longer than ${NAME_SIZE_MAX} bytes`);
      this.#write(name);
      wasm.name(name.length);
    }
    for (const dictionary of dictionaries) this.#addDictionary(dictionary);
    wasm.start(look, form, blocks);
  }

  #addDictionary(bytes) {
    const place = this.#wasm.dictionary_room(bytes.length) >>> 0;
    if (place === 0) throw new RangeError("no memory for the dictionary");
    new Uint8Array(this.#wasm.memory.buffer, place, bytes.length).set(bytes);
    if (!this.#wasm.dictionary()) throw new TypeError(this.#text());
  }

  /** Walks over a chunk, and tells `take` of the text and the records of blocks that came of it. */
  push(chunk, take) {
    this.#mustGoOn();
    const bytes = toBytes(chunk, "a chunk");
    const wasm = this.#wasm;
    const room = wasm.input_size();
    for (let start = 0; start < bytes.length && !this.#ended; start += room) {
      const part = bytes.subarray(start, start + room);
      this.#write(part);
      let at = 0;
      do {
        at = wasm.push(at, part.length);
        take(this.#text(), this.#blocks());
      } while (wasm.has_more());
      this.#look();
    }
  }

  /** Ends the stream, and gives back the rest of the text. */
  finish() {
    this.#mustGoOn();
    const { allowEmpty, size, dictionaries } = this.#options;
    const wasm = this.#wasm;
    wasm.finish(allowEmpty, size !== undefined, size ?? 0n);
    const text = this.#text();
    this.#look();
    this.#finished = true;
    this.#wasm = undefined;
    // Memory that grew stays grown.
    if (dictionaries.length === 0) this.#instances.give(wasm);
    return text;
  }

  get skippable() {
    return this.#finished ? 0 : Number(this.#wasm.skippable());
  }

  skipped(bytes) {
    this.#mustGoOn();
    const count = toU64(bytes, "bytes");
    const skippable = this.#wasm.skippable();
    if (count > skippable) throw new RangeError(`${count} bytes cannot be skipped: ${skippable} can`);
    this.#wasm.skipped(count);
    this.#look();
  }

  get offset() {
    return this.#offset;
  }

  get ended() {
    return this.#ended;
  }

  get finished() {
    return this.#finished;
  }

  #mustGoOn() {
    if (this.#finished) throw new Error("the walker is finished");
  }

  #look() {
    this.#ended = Boolean(this.#wasm.has_ended());
    this.#offset = Number(this.#wasm.offset());
  }

  #write(bytes) {
    new Uint8Array(this.#wasm.memory.buffer, this.#wasm.input(), bytes.length).set(bytes);
  }

  #text() {
    const size = this.#wasm.text_size();
    return size === 0 ? "" : UTF8.decode(new Uint8Array(this.#wasm.memory.buffer, this.#wasm.text(), size));
  }

  #blocks() {
    const count = this.#wasm.block_count();
    if (count === 0) return [];
    const view = new DataView(this.#wasm.memory.buffer, this.#wasm.blocks(), count * RECORD_SIZE);
    return Array.from({ length: count }, (_, number) => readBlock(view, number * RECORD_SIZE));
  }
}

function readBlock(view, at) {
  const kind = view.getUint32(at + 28, true);
  return {
    frame: readCount(view, at + 8),
    block: readCount(view, at + 16),
    offset: readCount(view, at),
    kind: BLOCK_KINDS[kind & 3],
    size: view.getUint32(at + 24, true),
    last: (kind & 4) !== 0,
  };
}

/** A count of what was pushed: more than 2^53 bytes cannot be. */
function readCount(view, at) {
  return view.getUint32(at + 4, true) * 2 ** 32 + view.getUint32(at, true);
}
