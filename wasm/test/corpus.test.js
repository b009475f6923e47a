// The module says what the command says, byte for byte, of every stream of the corpus.

import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { load } from "../js/node.js";
import { corpus, pushInPieces, random, read, root, zvet, zvetWithInput } from "./helpers.js";

const wasm = await load();
const files = corpus();
const dictionaryFiles = readdirSync(`${root}corpus/dict`).sort();

function dictionary(name) {
  return readFileSync(`${root}corpus/dict/${name}`);
}

const LOOKS = [
  { args: ["inspect"], options: {} },
  { args: ["inspect", "--exact"], options: { exact: true } },
  { args: ["verify", "--level", "envelope"], options: { level: "envelope" } },
  { args: ["verify", "--level", "entropy"], options: { level: "entropy" } },
];

const SETTINGS = [
  { args: [], options: {} },
  ...["cli", "web", "embedded", "unlimited"].map((limits) => ({ args: ["--limits", limits], options: { limits } })),
  {
    args: ["--limits", "web", "--max-window", "1KiB", "--max-output", "100000", "--max-frames", "2", "--max-ratio", "2"],
    options: { limits: { preset: "web", window: 1024, output: 100_000n, frames: 2, ratio: { slack: 2 ** 20, factor: 2 } } },
  },
  {
    args: ["--limits", "embedded", "--max-ratio", "none", "--max-window", "none", "--max-output", "none"],
    options: { limits: { preset: "embedded", ratio: null, window: Infinity, output: 2n ** 64n - 1n } },
  },
  {
    args: ["--bound-window", "1KiB", "--bound-output", "500", "--bound-input", "100", "--bound-blocks", "1"],
    options: { bounds: { window: 1024, output: 500, input: 100, blocks: 1 } },
  },
  { args: ["--allow-empty"], options: { allowEmpty: true } },
];

const WITH_DICTIONARIES = dictionaryFiles.flatMap((name) => {
  const answer = zvet("inspect", "--json", "-D", `dict/${name}`, files[0]);
  // What the command does not take, this does not either: see walker.test.js.
  return answer === "" ? [] : [{ args: ["-D", `dict/${name}`], options: { dictionaries: [dictionary(name)] } }];
});

for (const look of LOOKS) {
  for (const setting of [...SETTINGS, ...WITH_DICTIONARIES]) {
    const args = [...look.args, ...setting.args];
    const options = { ...look.options, ...setting.options };

    test(`${args.join(" ")}: the command's documents`, () => {
      const expected = zvet(...args, "--json", ...files).split("\n");
      assert.equal(expected.pop(), "");
      assert.equal(expected.length, files.length);
      for (const [number, file] of files.entries()) {
        const bytes = read(file);
        assert.equal(wasm.inspectJson(bytes, { ...options, file }), `${expected[number]}\n`, file);
        const next = random(number);
        const walker = wasm.jsonWalker({ ...options, file, size: bytes.length || undefined });
        let text = "";
        pushInPieces(walker, bytes, next, (some) => (text += some));
        assert.equal(text + walker.finish(), `${expected[number]}\n`, `${file} in pieces`);
      }
    });
  }
}

test("streams with a bit changed: the command's documents, whole and in pieces", () => {
  const folder = mkdtempSync(join(tmpdir(), "zvet-damaged-"));
  const next = random(11);
  const damaged = files.filter((file) => file.startsWith("zstd/")).flatMap((file, number) =>
    Array.from({ length: 40 }, (_, turn) => {
      const bytes = read(file);
      if (bytes.length > 0) bytes[next(bytes.length)] ^= 1 << next(8);
      const path = join(folder, `${number}-${turn}.zst`);
      writeFileSync(path, bytes);
      return { path, bytes };
    }),
  );
  const paths = damaged.map(({ path }) => path);
  const rules = new Set();
  for (const look of LOOKS) {
    const expected = zvet(...look.args, "--json", ...paths).split("\n");
    for (const [number, { path, bytes }] of damaged.entries()) {
      assert.equal(wasm.inspectJson(bytes, { ...look.options, file: path }), `${expected[number]}\n`);
      const walker = wasm.jsonWalker({ ...look.options, file: path, size: bytes.length });
      let text = "";
      pushInPieces(walker, bytes, next, (some) => (text += some));
      assert.equal(text + walker.finish(), `${expected[number]}\n`);
      rules.add(JSON.parse(expected[number]).error?.rule);
    }
  }
  rmSync(folder, { recursive: true });
  assert.ok(rules.size > 20, [...rules].join());
});

test("inspect --json-lines: the command's lines", () => {
  for (const exact of [false, true]) {
    const expected = zvet("inspect", "--json-lines", ...(exact ? ["--exact"] : []), ...files);
    const lines = files.map((file) => wasm.inspectJson(read(file), { exact, file, form: "lines" }));
    assert.deepEqual(lines.join("").split("\n"), expected.split("\n"));
  }
});

test("several dictionaries: the one that a frame names, or the first", () => {
  const takable = WITH_DICTIONARIES.flatMap(({ args }) => args[1]);
  assert.ok(takable.length >= 2, takable.join());
  for (const names of [takable, takable.toReversed()]) {
    const dictionaries = names.map((name) => readFileSync(`${root}corpus/${name}`));
    const args = names.flatMap((name) => ["-D", name]);
    const expected = zvet("verify", "--level", "entropy", "--json", ...args, ...files);
    const documents = files.map((file) => wasm.verifyJson(read(file), { dictionaries, file }));
    assert.deepEqual(documents.join("").split("\n"), expected.split("\n"));
  }
});

test("an input whose size is not known until its end, as from a pipe", () => {
  for (const file of files.filter((_, number) => number % 16 === 0)) {
    const walker = wasm.jsonWalker({ file: "-" });
    const text = walker.push(read(file)) + walker.finish();
    assert.equal(text, zvetWithInput(read(file), "inspect", "--json", "-"), file);
  }
});

test("objects say what the documents say, with exact numbers", () => {
  const seen = new Set();
  for (const file of files) {
    const { frames, ...summary } = wasm.verify(read(file));
    const objects = { frames: frames.map(({ frame, ...rest }) => rest), ...summary };
    const text = JSON.stringify(objects, (_, value) => (typeof value === "bigint" ? `#${value}#` : value));
    const document = wasm.verifyJson(read(file));
    assert.equal(`${text.replace(/"#(\d+)#"/g, "$1")}\n`, document, file);
    for (const [number, frame] of frames.entries()) assert.equal(frame.frame, number);
    seen.add(summary.verdict);
  }
  assert.deepEqual([...seen].sort(), ["invalid", "needs-dictionary", "over-limit", "valid"]);
});
