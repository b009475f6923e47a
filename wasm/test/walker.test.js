// What the walkers promise besides what they say: misuse is an exception, an error stays, memory does not grow.

import assert from "node:assert/strict";
import { readFileSync, statSync } from "node:fs";
import { describe, test } from "node:test";
import { Zvet, load, walkBlob } from "../js/node.js";
import { concat, corpus, frame, pushInPieces, random, rawBlock, read, rleBlock, root } from "./helpers.js";

const moduleFile = new URL("../dist/zvet.wasm", import.meta.url);

// Every instance that is made, to look at its memory.
const instances = [];
const { Instance } = WebAssembly;
WebAssembly.Instance = function (module) {
  const instance = new Instance(module);
  instances.push(instance);
  return instance;
};

const zvet = await load();
const hello = concat(Uint8Array.of(0x28, 0xb5, 0x2f, 0xfd, 0x20, 5), rawBlock(5, true, 65));
const reserved = frame(rawBlock(3, false), Uint8Array.of(7, 0, 0));

function skippable(size) {
  const bytes = Uint8Array.of(0x50, 0x2a, 0x4d, 0x18, 0, 0, 0, 0);
  new DataView(bytes.buffer).setUint32(4, size, true);
  return bytes;
}

describe("the module", () => {
  test("is small, and imports nothing", () => {
    const { size } = statSync(moduleFile);
    assert.ok(size < 60 * 1024, `${size} bytes`);
    assert.deepEqual(WebAssembly.Module.imports(new WebAssembly.Module(readFileSync(moduleFile))), []);
  });

  test("has nothing that panics: no message and no place of one", () => {
    const text = readFileSync(moduleFile, "latin1");
    for (const sign of ["panicked", "out of range", "out of bounds", "overflow", ".rs"]) assert.ok(!text.includes(sign), sign);
  });

  test("takes calls in any order and with any arguments without a trap", () => {
    const next = random(7);
    const { exports } = new Instance(new WebAssembly.Module(readFileSync(moduleFile)));
    const calls = Object.entries(exports).filter(([name, value]) => typeof value === "function" && name !== "dictionary_room");
    const numbers = [0, 1, 2, 3, 4, 5, 6, 100, 4096, 131_072, 131_073, -1, 2 ** 31];
    const argument = () => numbers[next(numbers.length)];
    // Which are 64 bits wide.
    const wide = { set: [1], set_ratio: [0, 1], skipped: [0], finish: [2] };
    for (let count = 0; count < 200_000; count += 1) {
      const [name, call] = calls[next(calls.length)];
      const args = Array.from({ length: call.length }, (_, place) => (wide[name]?.includes(place) ? BigInt(argument()) : argument()));
      if (name === "push" || name === "name") new Uint8Array(exports.memory.buffer, exports.input(), hello.length).set(hello);
      call(...args);
    }
  });
});

describe("misuse is an exception", () => {
  test("a finished walker takes nothing more", () => {
    for (const walker of [zvet.walker(), zvet.jsonWalker()]) {
      walker.push(hello);
      walker.finish();
      assert.throws(() => walker.push(hello), /finished/);
      assert.throws(() => walker.finish(), /finished/);
      assert.throws(() => walker.skipped(0), /finished/);
      assert.equal(walker.skippable, 0);
      assert.equal(walker.ended, true);
      assert.equal(walker.offset, hello.length);
    }
  });

  test("a chunk is bytes", () => {
    for (const chunk of [undefined, null, 1, "bytes", [1, 2], {}, new Blob([])]) {
      assert.throws(() => zvet.walker().push(chunk), TypeError);
      assert.throws(() => zvet.inspect(chunk), TypeError);
      assert.throws(() => zvet.verifyJson(chunk), TypeError);
    }
  });

  test("options are what they are said to be", () => {
    const wrong = [
      null,
      7,
      "web",
      { levle: "entropy" },
      { level: "content" },
      { level: 1 },
      { exact: 1 },
      { limits: "none" },
      { limits: 3 },
      { limits: { preset: "constructor" } },
      { limits: { windows: 1 } },
      { limits: { __proto__: null, toString: 1 } },
      { limits: { window: "1" } },
      { limits: { ratio: 5 } },
      { limits: { ratio: { slack: 1 } } },
      { bounds: null, limits: null },
      { bounds: { window: null } },
      { dictionaries: new Uint8Array(3) },
      { dictionaries: ["bytes"] },
      { allowEmpty: "yes" },
      { file: 5 },
      { size: "5" },
      { blocks: 1 },
      { form: "lines" },
    ];
    for (const options of wrong) assert.throws(() => zvet.walker(options), TypeError, JSON.stringify(options));
    for (const size of [-1, 0.5, NaN, 2 ** 53, -1n, 2n ** 64n]) {
      assert.throws(() => zvet.walker({ size }), RangeError, String(size));
      assert.throws(() => zvet.walker({ limits: { output: size } }), RangeError, String(size));
    }
    assert.throws(() => zvet.jsonWalker({ form: "toString" }), TypeError);
    assert.throws(() => zvet.jsonWalker({ blocks: true }), TypeError);
    for (const options of [{ form: "document" }, { blocks: true }]) {
      assert.throws(() => zvet.inspect(hello, options), TypeError);
      assert.throws(() => zvet.verify(hello, options), TypeError);
    }
    assert.throws(() => zvet.inspectJson(hello, { blocks: true }), TypeError);
    assert.throws(() => zvet.walker({ file: "n".repeat(4097) }), RangeError);
    assert.throws(() => new Zvet({}), TypeError);
  });

  test("no more is skipped than can be", () => {
    const walker = zvet.walker();
    assert.throws(() => walker.skipped(1), RangeError);
    walker.push(skippable(10));
    assert.equal(walker.skippable, 10);
    for (const bytes of [11, 2 ** 40, -1, 1.5]) assert.throws(() => walker.skipped(bytes), RangeError);
    for (const bytes of ["1", null, undefined, {}]) assert.throws(() => walker.skipped(bytes), TypeError);
    walker.skipped(10n);
    assert.equal(walker.finish().verdict, "valid");
  });

  test("a dictionary is one, and there are not too many", () => {
    const trained = readFileSync(`${root}corpus/dict/trained.dict`);
    assert.throws(() => zvet.walker({ dictionaries: [trained.subarray(0, 40)] }), /the dictionary is malformed: .* \(\w\d\d\)/);
    assert.throws(() => zvet.walker({ dictionaries: Array(17).fill(trained) }), RangeError);
    assert.doesNotThrow(() => zvet.walker({ dictionaries: Array(16).fill(trained) }));
  });

  test("a module is loaded from what can be one", async () => {
    for (const source of [1, "zvet.wasm", {}]) await assert.rejects(load(source), TypeError);
    await assert.rejects(load(new Uint8Array(8)), WebAssembly.CompileError);
    await assert.rejects(load(new Response("", { status: 404 })), /404/);
    assert.equal((await load(readFileSync(moduleFile))).inspect(hello).verdict, "valid");
  });
});

describe("a walker", () => {
  test("takes any view of bytes", () => {
    const padded = concat(new Uint8Array(8), hello, new Uint8Array(8));
    const view = new DataView(padded.buffer, 8, hello.length);
    for (const bytes of [hello, hello.buffer, Buffer.from(hello), view]) assert.equal(zvet.inspect(bytes).verdict, "valid");
  });

  test("says so once it has failed, and stays so", () => {
    const walker = zvet.walker();
    const { frames } = walker.push(reserved);
    assert.equal(walker.ended, true);
    assert.equal(frames.length, 1);
    assert.equal(frames[0].complete, false);
    const { offset } = walker;
    assert.deepEqual(walker.push(hello), { frames: [], blocks: [] });
    assert.equal(walker.offset, offset);
    assert.equal(walker.skippable, 0);
    const report = walker.finish();
    assert.equal(report.verdict, "invalid");
    const error = { rule: "B02", offset: 12, frame: 0, block: 1, message: "block type 3 is reserved" };
    assert.deepEqual(report.error, error);
    assert.deepEqual(report.frames, []);
  });

  test("does not know of others", () => {
    const files = corpus().filter((_, number) => number % 20 === 0);
    const walkers = files.map((file) => ({ walker: zvet.jsonWalker({ level: "entropy" }), bytes: read(file), text: "", at: 0 }));
    for (let turn = 0; turn < 40; turn += 1) {
      for (const one of walkers) {
        one.text += one.walker.push(one.bytes.subarray(one.at, one.at + 777));
        one.at += 777;
      }
    }
    for (const [number, { walker, bytes, text, at }] of walkers.entries()) {
      const whole = zvet.jsonWalker({ level: "entropy" });
      assert.equal(text + walker.push(bytes.subarray(at)) + walker.finish(), whole.push(bytes) + whole.finish(), files[number]);
    }
  });

  test("tells of blocks where it is asked to", () => {
    const stream = concat(frame(rawBlock(3, false), rleBlock(100_000, false), rawBlock(0, true)), hello);
    for (const seed of [1, 2, 3]) {
      const blocks = [];
      const walker = zvet.walker({ blocks: true });
      pushInPieces(walker, stream, random(seed), (found) => blocks.push(...found.blocks));
      assert.deepEqual(blocks, [
        { frame: 0, block: 0, offset: 6, kind: "raw", size: 3, last: false },
        { frame: 0, block: 1, offset: 12, kind: "rle", size: 100_000, last: false },
        { frame: 0, block: 2, offset: 16, kind: "raw", size: 0, last: true },
        { frame: 1, block: 0, offset: 25, kind: "raw", size: 5, last: true },
      ]);
      assert.equal(walker.finish().verdict, "valid");
    }
  });

  test("has numbers of 64 bits, exact", () => {
    const claims = Uint8Array.of(0x28, 0xb5, 0x2f, 0xfd, 0xe0, 255, 255, 255, 255, 255, 255, 255, 255, 0, 0, 0);
    const { frames } = zvet.inspect(claims, { limits: "unlimited" });
    assert.equal(frames[0].content_size, 2n ** 64n - 1n);
    assert.equal(frames[0].window_size, 2n ** 64n - 1n);
    assert.match(zvet.inspectJson(claims), /"content_size":18446744073709551615,/);
  });

  test("walks past 2^32 bytes by skipping", () => {
    const walker = zvet.walker();
    for (let count = 0; count < 25; count += 1) {
      walker.push(skippable(2 ** 32 - 1));
      assert.equal(walker.skippable, 2 ** 32 - 1);
      walker.skipped(2 ** 32 - 1);
    }
    const { frames } = walker.push(hello);
    assert.equal(frames.at(-1).offset, 25 * (2 ** 32 + 7));
    assert.equal(walker.finish().size, 25 * (2 ** 32 + 7) + hello.length);
  });

  test("writes names of any characters, the longest, too", () => {
    for (const file of ["", 'a"b\\c', "\u0000".repeat(4096), "\u007f\u2028\u{1f600}", "a\ud800"]) {
      for (const form of ["document", "lines"]) {
        const lines = zvet.inspectJson(concat(hello, reserved), { file, form }).trimEnd().split("\n");
        for (const line of lines) assert.equal(JSON.parse(line).file, file.toWellFormed?.() ?? file.replace(/\ud800/, "\ufffd"));
        assert.equal(lines.length, form === "lines" ? 3 : 1);
      }
    }
  });

  test("is as large at the end as at the start", () => {
    const fresh = new Zvet(new WebAssembly.Module(readFileSync(moduleFile)));
    const walker = fresh.walker({ level: "entropy", blocks: true });
    const used = instances.at(-1);
    const chunk = concat(...Array.from({ length: 64 }, () => frame(rawBlock(16_000, false), rleBlock(131_072, true))));
    let size;
    let blocks = 0;
    let pushed = 0;
    for (; pushed < 2 ** 29; pushed += chunk.length) {
      blocks += walker.push(chunk).blocks.length;
      size ??= used.exports.memory.buffer.byteLength;
    }
    assert.equal(used.exports.memory.buffer.byteLength, size);
    assert.ok(size < 768 * 1024, `${size} bytes`);
    assert.equal(walker.finish().totals.blocks, blocks);
    assert.equal(walker.offset, pushed);
  });

  test("is the same instance again for the next stream, unless it had dictionaries", () => {
    zvet.inspect(hello);
    instances.length = 0;
    for (let count = 0; count < 1000; count += 1) zvet.inspect(count % 2 ? hello : reserved, { limits: "web" });
    assert.equal(instances.length, 0);
    zvet.inspect(hello, { dictionaries: [hello] });
    assert.ok(zvet.inspect(hello).verdict === "valid" && instances.length <= 1);
  });
});

describe("a blob", () => {
  /** A blob of repeated parts that are nowhere in memory, and how much of it was read. */
  function sparse(part, size, end) {
    let read = 0;
    const blob = {
      size: size * part.length + end.length,
      slice: (from, to) => ({
        arrayBuffer: async () => {
          const bytes = new Uint8Array(Math.max(0, Math.min(to, blob.size) - from));
          read += bytes.length;
          for (let at = 0; at < bytes.length; ) {
            const place = from + at;
            const [source, start] = place < size * part.length ? [part, place % part.length] : [end, place - size * part.length];
            const piece = source.subarray(start, start + bytes.length - at);
            bytes.set(piece, at);
            at += piece.length;
          }
          return bytes.buffer;
        },
      }),
    };
    return { blob, read: () => read };
  }

  test("is walked by its headers alone", async () => {
    const part = frame(...Array.from({ length: 64 }, (_, number) => rawBlock(131_072, number === 63)));
    const { blob, read } = sparse(part, 128, hello);
    assert.ok(blob.size > 2 ** 30);
    const walker = zvet.walker({ size: blob.size });
    const frames = [];
    for await (const { found } of walkBlob(walker, blob, { jump: 0 })) frames.push(...found.frames);
    const report = walker.finish();
    assert.equal(report.verdict, "valid");
    assert.equal(report.size, blob.size);
    assert.equal(frames.length + report.frames.length, 129);
    assert.equal(report.totals.decoded_size.low, BigInt(128 * 64 * 131_072 + 5));
    assert.ok(read() < blob.size / 20, `${read()} of ${blob.size} bytes`);
  });

  test("is walked to its end, however much of it is read", async () => {
    const part = frame(...Array.from({ length: 64 }, (_, number) => rawBlock(131_072, number === 63)));
    const { blob, read } = sparse(part, 16, concat(skippable(2 ** 24), new Uint8Array(2 ** 24), hello));
    const report = await zvet.inspectBlob(blob);
    assert.deepEqual([report.verdict, report.totals.frames, report.totals.skippable], ["valid", 17, 1]);
    assert.ok(read() <= blob.size);
  });

  test("says of real files what the command says, cut short or not", async () => {
    for (const file of corpus().filter((_, number) => number % 5 === 0)) {
      const bytes = read(file);
      for (const options of [{}, { level: "entropy" }]) {
        const blob = new Blob([bytes]);
        const { frames, ...rest } = await zvet.inspectBlob(blob, options);
        const whole = zvet.walker({ ...options, size: bytes.length || undefined });
        const pushed = whole.push(bytes).frames;
        const { frames: last, ...expected } = whole.finish();
        assert.deepEqual(rest, expected, file);
        assert.deepEqual(frames, [...pushed, ...last], file);
      }
    }
  });

  test("has options that are what they are said to be", async () => {
    for (const options of [{ blocks: true }, { form: "lines" }, { level: 1 }]) {
      await assert.rejects(zvet.inspectBlob(new Blob([hello]), options), TypeError);
    }
  });

  test("that ends before the size it has is an exception", async () => {
    const blob = { size: 100, slice: () => new Blob([]) };
    const steps = walkBlob(zvet.walker(), blob);
    await assert.rejects(steps.next(), /shorter/);
  });
});
