// The API, over a compiled module.

import { walkBlob } from "./blob.js";
import { toBytes } from "./options.js";
import { readLines } from "./report.js";
import { Instances, Session } from "./session.js";

/** What walkers of both kinds have: they differ in what they answer. */
class AnyWalker {
  #session;

  constructor(instances, options) {
    this.#session = new Session(instances, options);
  }

  /** How many bytes of the stream were walked over. */
  get offset() {
    return this.#session.offset;
  }

  /** Whether nothing more is looked at: an error was found, or `finish` was called. */
  get ended() {
    return this.#session.ended;
  }

  /** How many of the next bytes need not be pushed. */
  get skippable() {
    return this.#session.skippable;
  }

  /** Goes on as if so many bytes had been pushed. */
  skipped(bytes) {
    this.#session.skipped(bytes);
  }

  _push(chunk, take) {
    this.#session.push(chunk, take);
  }

  _finish() {
    return this.#session.finish();
  }
}

export class Walker extends AnyWalker {
  push(chunk) {
    const frames = [];
    const blocks = [];
    this._push(chunk, (text, found) => {
      if (text !== "") frames.push(...readLines(text).frames);
      if (found.length > 0) blocks.push(...found);
    });
    return { frames, blocks };
  }

  finish() {
    const { frames, summary } = readLines(this._finish());
    return { ...summary, frames };
  }
}

export class JsonWalker extends AnyWalker {
  push(chunk) {
    const texts = [];
    this._push(chunk, (text) => texts.push(text));
    return texts.join("");
  }

  finish() {
    return this._finish();
  }
}

export class Zvet {
  #instances;

  constructor(module) {
    if (!(module instanceof WebAssembly.Module)) throw new TypeError("a compiled WebAssembly.Module is needed");
    this.#instances = new Instances(module);
  }

  walker(options) {
    return new Walker(this.#instances, without(options, "form"));
  }

  jsonWalker(options) {
    return new JsonWalker(this.#instances, { form: "document", ...without(options, "blocks") });
  }

  inspect(bytes, options) {
    return inOneCall(this.walker(ofWhole(bytes, "envelope", options)), bytes);
  }

  verify(bytes, options) {
    return inOneCall(this.walker(ofWhole(bytes, "entropy", options)), bytes);
  }

  inspectJson(bytes, options) {
    return jsonInOneCall(this.jsonWalker(ofWhole(bytes, "envelope", options)), bytes);
  }

  verifyJson(bytes, options) {
    return jsonInOneCall(this.jsonWalker(ofWhole(bytes, "entropy", options)), bytes);
  }

  async inspectBlob(blob, options) {
    const walker = this.walker({ size: knownSize(blob.size), ...without(options, "blocks") });
    const frames = [];
    for await (const step of walkBlob(walker, blob)) frames.push(...step.found.frames);
    const report = walker.finish();
    return { ...report, frames: [...frames, ...report.frames] };
  }
}

/** The command does not know the size of an input of no bytes either: it may be a pipe. */
export function knownSize(size) {
  return size === 0 ? undefined : size;
}

function ofWhole(bytes, level, options) {
  return { level, size: knownSize(toBytes(bytes, "the stream").length), ...without(options, "blocks") };
}

/** Options, of which one must not be there. What else may be wrong with them is seen where they are read. */
function without(options, name) {
  if (Object.hasOwn(Object(options), name)) throw new TypeError(`there is no option ${name} here`);
  return options;
}

function inOneCall(walker, bytes) {
  const { frames } = walker.push(bytes);
  const report = walker.finish();
  return { ...report, frames: [...frames, ...report.frames] };
}

function jsonInOneCall(walker, bytes) {
  return walker.push(bytes) + walker.finish();
}
