// The package as its users import it: by its name in Node, and bundled for a browser.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { fileURLToPath } from "node:url";
import { test } from "node:test";
import esbuild from "esbuild";
import { launch } from "./browser.js";
import { read } from "./helpers.js";

const here = fileURLToPath(new URL(".", import.meta.url));

test("Node imports it by its name", async () => {
  const { load } = await import("zvet-wasm");
  const zvet = await load();
  assert.equal(zvet.inspect(read("zstd/short.zst")).verdict, "valid");
});

test("a browser loads a bundle of it, and the module from beside it", async () => {
  const entry = 'import { load } from "zvet-wasm"; globalThis.load = load;';
  const stdin = { contents: entry, resolveDir: here };
  const { outputFiles } = await esbuild.build({ stdin, bundle: true, write: false, format: "esm", platform: "browser" });
  const files = {
    "/": ["text/html", '<script type="module" src="assets/app.js"></script>'],
    "/assets/app.js": ["text/javascript", outputFiles[0].text],
    "/dist/zvet.wasm": ["application/wasm", readFileSync(`${here}../dist/zvet.wasm`)],
  };
  const server = createServer((request, response) => {
    const [type, body] = files[request.url] ?? ["text/plain", ""];
    response.writeHead(request.url in files ? 200 : 404, { "content-type": type }).end(body);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { context, close } = await launch();
  try {
    const page = await context.newPage();
    await page.goto(`http://127.0.0.1:${server.address().port}/`);
    await page.waitForFunction(() => globalThis.load);
    const said = await page.evaluate(async (bytes) => {
      const zvet = await globalThis.load();
      const stream = Uint8Array.from(bytes);
      const blob = await zvet.inspectBlob(new Blob([stream]));
      const walkers = Array.from({ length: 40 }, () => zvet.walker());
      return [zvet.verifyJson(stream, { file: "short.zst" }), blob.verdict, walkers.map((walker) => walker.finish().error.rule).join("")];
    }, [...read("zstd/short.zst")]);
    assert.match(said[0], /"file":"short\.zst".*"verdict":"valid","level":"entropy"/);
    assert.deepEqual(said.slice(1), ["valid", "F13".repeat(40)]);
  } finally {
    await close();
    server.close();
  }
});
