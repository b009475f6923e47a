// The page in headless Chromium, from a disk, as its user has it.

import assert from "node:assert/strict";
import { createServer } from "node:net";
import { mkdtempSync, openSync, rmSync, writeFileSync, writeSync, closeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { choose, ended, launch, open, watchWorkers } from "./browser.js";
import { concat, frame, rawBlock, read, rleBlock, root } from "./helpers.js";

const MIB = 2 ** 20;
let browser;
let folder;

before(async () => {
  browser = await launch();
  folder = mkdtempSync(join(tmpdir(), "zvet-files-"));
});
after(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true, force: true });
});

const corpus = (name) => `${root}corpus/${name}`;
const text = (page, selector) => page.locator(selector).innerText();
const verdict = (page) => page.locator("#verdict").getAttribute("data-verdict");

/** A file of our own making. */
function made(name, bytes) {
  const path = join(folder, name);
  writeFileSync(path, bytes);
  return path;
}

/** Opens the page, and afterwards asserts that it asked for nothing and complained of nothing. */
async function onPage(work, { expected, ...options } = {}) {
  const { page, requests, complaints } = await open(browser.context, options);
  try {
    await work(page);
    assert.deepEqual(complaints.filter((complaint) => !expected?.test(complaint)), []);
    const own = requests.filter((url) => url.startsWith("blob:") || url === page.url());
    assert.deepEqual(requests, own, "nothing is asked for but the page itself and its worker");
  } finally {
    await page.close();
  }
}

test("says that nothing leaves the machine, and its policy sees to it", async () => {
  let connections = 0;
  const server = createServer((socket) => socket.destroy(void (connections += 1)));
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  await onPage(
    async (page) => {
      assert.match(await text(page, "#privacy"), /Nothing leaves this machine/);
      assert.ok(page.url().startsWith("file:"));
      const refused = await page.evaluate(async (to) => {
        const directives = new Set();
        document.addEventListener("securitypolicyviolation", ({ effectiveDirective }) => directives.add(effectiveDirective));
        const fetched = await fetch(to).catch((error) => error.name);
        new Image().src = `${to}leak.png`;
        document.body.append(Object.assign(document.createElement("script"), { src: `${to}leak.js` }));
        while (directives.size < 3) await new Promise((resolve) => setTimeout(resolve, 10));
        return [fetched, ...[...directives].sort()];
      }, `http://127.0.0.1:${server.address().port}/`);
      assert.deepEqual(refused, ["TypeError", "connect-src", "img-src", "script-src-elem"]);
    },
    { expected: /Content Security Policy/ },
  );
  server.close();
  assert.equal(connections, 0);
});

test("a good stream is valid, with the facts of it", () =>
  onPage(async (page) => {
    await choose(page, corpus("zstd/snapshot.zst"));
    assert.equal(await verdict(page), "valid");
    assert.match(await text(page, "#verdict-title"), /snapshot\.zst: valid/);
    assert.match(await text(page, "#status"), /snapshot\.zst is valid/);
    assert.match(await page.title(), /snapshot\.zst: valid/);
    const facts = await text(page, "#facts");
    for (const fact of ["15.1 KiB", "2 frames (window, output)", "166", "20.0 MiB to 20.5 MiB", "128.3 MiB"]) {
      assert.ok(facts.includes(fact), `${fact} in ${facts}`);
    }
    assert.equal(await page.locator(".grid-body [role=row]").count(), 5);
    await page.getByLabel("all inside of blocks").check();
    await page.waitForFunction(() => document.querySelector("#verdict-reason").textContent.includes("What passes decodes"));
    assert.ok((await text(page, "#facts")).includes("20.4 MiB"), "sizes are exact");
  }));

test("a damaged stream is invalid, with the byte, its rule and the bytes around it", () =>
  onPage(async (page) => {
    const path = made("damaged.zst", concat(read("zstd/snapshot.zst"), frame(rawBlock(300, false, 65), Uint8Array.of(7, 0, 0)), read("zstd/short.zst")));
    await choose(page, path);
    assert.equal(await verdict(page), "invalid");
    const offset = 15_459 + 6 + 303;
    assert.match(await text(page, "#verdict-place"), new RegExp(`rule B02 · frame 5, block 1 · byte ${offset.toLocaleString("en")}`));
    assert.equal(await text(page, ".hex td.at"), "07");
    assert.equal(await text(page, ".hex tr.here th"), (offset & ~15).toString(16).padStart(8, "0"));
    assert.match(await text(page, "#status"), /is invalid\. Block type 3 is reserved/);
    // The strip is red from the fault on.
    const red = await page.evaluate(([share]) => {
      const canvas = document.querySelector("#map");
      const context = canvas.getContext("2d");
      const { width, height } = canvas;
      const { data } = context.getImageData(0, 0, width, height);
      const isRed = (at) => data[at] > 150 && data[at + 1] < 90;
      const redIn = (x) => Array.from({ length: height }, (_, y) => isRed((y * width + x) * 4)).filter(Boolean).length;
      return [redIn(Math.round(width * share)), redIn(Math.round(width * share) - 40)];
    }, [offset / (offset + 174)]);
    assert.ok(red[0] > 80, `${red} red pixels at the fault`);
    assert.equal(red[1], 0, "and none before it");
    await page.click("#to-frame");
    assert.equal(await page.locator("[aria-selected=true]").getAttribute("aria-rowindex"), "7");
    assert.match(await text(page, "[aria-selected=true]"), /cut short/);
    await page.click("#show-fault");
    assert.equal(await text(page, ".hex td.at"), "07");
  }));

test("an empty file, a cut one, one that is not zstd, one over a limit, one for a dictionary", () =>
  onPage(async (page) => {
    const cut = read("zstd/short.zst").subarray(0, 100);
    const cases = [
      [made("empty.zst", ""), "invalid", /The input is empty/],
      [made("cut.zst", cut), "invalid", /in the middle of a frame/],
      [made("notes.txt", "some text, and nothing else in it"), "invalid", /[Nn]ot zstd/],
      [corpus("zstd/long-27-pipe.zst"), "valid", /hold/],
      [corpus("zstd/dictionary.zst"), "needs-dictionary", /dictionary/],
    ];
    for (const [path, expected, reason] of cases) {
      await choose(page, path);
      assert.equal(await verdict(page), expected, path);
      assert.match(await text(page, "#verdict-reason"), reason);
    }
    await choose(page, corpus("zstd/long-27-pipe.zst"));
    await page.selectOption("#limits", "web");
    await page.waitForFunction(() => document.querySelector("#verdict").dataset.verdict === "over-limit");
    assert.match(await text(page, "#verdict-place"), /rule X01/);
  }));

test("a stream that needs a dictionary is looked at again with one", () =>
  onPage(async (page) => {
    await page.getByLabel("all inside of blocks").check();
    await choose(page, corpus("zstd/dictionary.zst"));
    assert.equal(await verdict(page), "needs-dictionary");
    await page.setInputFiles("#dictionary", corpus("dict/trained.dict"));
    await page.waitForFunction(() => document.querySelector("#verdict").dataset.verdict === "valid");
    assert.equal(await page.locator("#give").isVisible(), false);
    await choose(page, corpus("zstd/dictionary.zst"));
    assert.equal(await verdict(page), "needs-dictionary", "it is forgotten with the next file");
    await page.setInputFiles("#dictionary", made("bad.dict", read("dict/trained.dict").subarray(0, 50)));
    await page.locator("#trouble").waitFor({ state: "visible" });
    assert.match(await text(page, "#trouble"), /the dictionary is malformed/);
  }));

test("a file that cannot be read any more is said to be so, and the next one is looked at", () =>
  onPage(async (page) => {
    const path = made("gone.zst", read("zstd/snapshot.zst"));
    await choose(page, path);
    rmSync(path);
    await page.getByLabel("all inside of blocks").check();
    await page.locator("#trouble").waitFor({ state: "visible" });
    assert.match(await page.getByRole("alert").innerText(), /gone\.zst: ./);
    assert.equal(await page.locator("#results").isVisible(), false);
    await choose(page, corpus("zstd/short.zst"));
    assert.equal(await verdict(page), "valid");
    assert.equal(await page.locator("#trouble").isVisible(), false);
  }));

test("a dropped file is taken, of several the first, and that is said", () =>
  onPage(async (page) => {
    await page.evaluate(async (bytes) => {
      const files = new DataTransfer();
      files.items.add(new File([Uint8Array.from(bytes)], "dropped.zst"));
      files.items.add(new File(["x"], "other.zst"));
      const event = (name) => new DragEvent(name, { dataTransfer: files, bubbles: true, cancelable: true });
      document.body.dispatchEvent(event("dragover"));
      window.said = [];
      new MutationObserver(() => window.said.push(document.querySelector("#status").textContent)).observe(document.querySelector("#status"), { childList: true });
      document.body.dispatchEvent(event("drop"));
    }, [...read("zstd/short.zst")]);
    await ended(page);
    await page.waitForFunction(() => document.querySelector("#verdict").dataset.verdict === "valid");
    assert.match((await page.evaluate(() => window.said)).join(" "), /other 1 file must be dropped/);
  }));

/** A stream of raw blocks, over 1 GiB, as a blob that is 8 MiB in memory. */
async function dropGib(page) {
  const part = frame(...Array.from({ length: 64 }, (_, number) => rawBlock(131_072, number === 63, 65)));
  const encoded = Buffer.from(part).toString("base64");
  await page.evaluate(async (encoded) => {
    const part = new Blob([Uint8Array.from(atob(encoded), (char) => char.charCodeAt(0))]);
    const files = new DataTransfer();
    files.items.add(new File(Array(129).fill(part), "gib.zst"));
    document.body.dispatchEvent(new DragEvent("drop", { dataTransfer: files, bubbles: true, cancelable: true }));
  }, encoded);
}

/** What the page holds in its heap once the collector ran, in bytes. */
async function heap(page) {
  const session = await page.context().newCDPSession(page);
  await session.send("HeapProfiler.collectGarbage");
  const { usedSize, backingStorageSize } = await session.send("Runtime.getHeapUsage");
  await session.detach();
  return usedSize + backingStorageSize;
}

for (const level of ["headers only", "all inside of blocks"]) {
  test(`1 GiB by ${level}: walked to its end, in memory that does not grow`, () =>
    onPage(async (page) => {
      await choose(page, corpus("zstd/short.zst"));
      const before = await heap(page);
      await page.getByLabel(level).check();
      const most = await watchWorkers(page);
      await dropGib(page);
      await page.waitForFunction(() => document.querySelector("#verdict-title").textContent.includes("gib.zst") && document.querySelector("#running").hidden, undefined, { timeout: 120_000 });
      const worker = await most();
      assert.equal(await verdict(page), "valid");
      assert.match(await text(page, "#frames-count"), /^129 frames/);
      const facts = await text(page, "#facts");
      assert.match(facts, /8,256/);
      const after = await heap(page);
      assert.ok(after - before < 8 * MIB, `${before} to ${after} bytes in the page`);
      assert.ok(worker > 0 && worker < 160 * MIB, `${worker} bytes in the worker`);
      console.log(`1 GiB by ${level}: ${worker} bytes in the worker, ${after - before} more in the page`);
    }));
}

test("a file of over 1 GiB on a disk is walked, and can be cancelled", () =>
  onPage(async (page) => {
    const path = join(folder, "disk.zst");
    const file = openSync(path, "w");
    const block = 131_072;
    let at = writeSync(file, frame(), 0, 6, 0);
    for (let number = 0; number < 8192; number += 1) {
      writeSync(file, rawBlock(block, number === 8191).subarray(0, 3), 0, 3, at);
      at += 3 + block;
    }
    writeSync(file, Uint8Array.of(0), 0, 1, at - 1);
    closeSync(file);
    const began = performance.now();
    await choose(page, path);
    const readShare = (await text(page, "#facts")).match(/read\s+(\S+)/)[1];
    console.log(`1 GiB on a disk by its headers: ${Math.round(performance.now() - began)} ms, ${readShare} read`);
    assert.equal(await verdict(page), "valid");
    await page.getByLabel("all inside of blocks").check();
    await page.waitForFunction(() => document.querySelector("#progress").value > 0.02);
    await page.keyboard.press("Escape");
    assert.equal(await verdict(page), "cancelled");
    assert.match(await text(page, "#status"), /Cancelled after/);
    assert.match(await text(page, "#verdict-reason"), /Nothing is said of the rest/);
    assert.equal(page.workers().length, 0, "nothing goes on");
  }));

test("100,000 frames are listed by a few rows, and scroll at once", () =>
  onPage(async (page) => {
    const one = frame(rawBlock(1, true, 65));
    const big = frame(rleBlock(131_072, true));
    const path = made("many.zst", concat(...Array.from({ length: 100_000 }, (_, number) => (number % 1000 === 999 ? big : one))));
    const began = performance.now();
    await choose(page, path);
    console.log(`100,000 frames: ${Math.round(performance.now() - began)} ms`);
    assert.match(await text(page, "#frames-count"), /^100,000 frames/);
    assert.equal(await page.locator("[role=grid]").getAttribute("aria-rowcount"), "100001");
    const drawn = await page.evaluate(() => {
      const scroll = document.querySelector("[role=grid]");
      const times = [];
      for (let turn = 0; turn < 50; turn += 1) {
        const start = performance.now();
        scroll.scrollTop = (scroll.scrollHeight / 50) * turn;
        scroll.dispatchEvent(new Event("scroll"));
        scroll.getBoundingClientRect();
        times.push(performance.now() - start);
      }
      return { rows: scroll.querySelectorAll("[role=row]").length, slowest: Math.max(...times) };
    });
    assert.ok(drawn.rows < 40, `${drawn.rows} rows`);
    assert.ok(drawn.slowest < 100, `${drawn.slowest} ms for one step`);
    await page.fill("#go", "77999");
    await page.press("#go", "Enter");
    assert.match(await text(page, "[aria-selected=true]"), /^77,999/);
    assert.match(await text(page, "#hex-title"), /frame 77,999/);
    assert.equal(await text(page, ".hex td.frame-at"), "28");
  }));

test("the map is pointed at and clicked", () =>
  onPage(async (page) => {
    await choose(page, corpus("zstd/snapshot.zst"));
    const { x, y, width } = await page.locator("#map").boundingBox();
    await page.mouse.move(x + width * 0.9, y + 40);
    assert.match(await text(page, "#map-at"), /^byte 13,9\d\d, frame 2$/);
    await page.mouse.click(x + width * 0.35, y + 40);
    assert.equal(await page.locator("[aria-selected=true]").getAttribute("id"), "frame-1");
    await page.mouse.move(x, y - 60);
    assert.equal(await text(page, "#map-at"), "");
  }));

test("all of it can be done with the keyboard", () =>
  onPage(async (page) => {
    const focused = () => page.evaluate(() => document.activeElement.id || document.activeElement.getAttribute("role") || document.activeElement.value);
    await page.keyboard.press("Tab");
    assert.equal(await focused(), "file", "the first stop chooses a file");
    const [chooser] = await Promise.all([page.waitForEvent("filechooser"), page.keyboard.press("Space")]);
    await chooser.setFiles(corpus("zstd/snapshot.zst"));
    await ended(page);
    const stops = [];
    while (stops.at(-1) !== "grid" && stops.length < 9) {
      await page.keyboard.press("Tab");
      stops.push(await focused());
    }
    assert.deepEqual(stops, ["envelope", "limits", "go", "grid"]);
    const selected = async () => (await page.locator("[aria-selected=true]").getAttribute("id"));
    for (const [key, expected] of [["ArrowDown", 0], ["ArrowDown", 1], ["End", 4], ["ArrowDown", 4], ["ArrowUp", 3], ["Home", 0], ["PageDown", 4]]) {
      await page.keyboard.press(key);
      assert.equal(await selected(), `frame-${expected}`, key);
      assert.equal(await page.locator("[role=grid]").getAttribute("aria-activedescendant"), `frame-${expected}`);
    }
  }));

test("what is there has a name and a role", () =>
  onPage(async (page) => {
    await choose(page, corpus("zstd/snapshot.zst"));
    for (const [role, name] of [
      ["main", undefined],
      ["banner", undefined],
      ["contentinfo", undefined],
      ["group", "Look at"],
      ["combobox", "Limits"],
      ["img", /^Map/],
      ["grid", /Frames/],
      ["spinbutton", "Go to frame"],
      ["heading", "Frames"],
    ]) {
      assert.equal(await page.getByRole(role, name && { name }).count(), 1, `${role} ${name}`);
    }
    assert.equal(await page.getByRole("columnheader").count(), 9);
    assert.match(await text(page, "#map-words"), /2 parallel: bound by its blocks; 1 serial: window over the bound/);
    const unnamed = await page.evaluate(() => [...document.querySelectorAll("input, select, button")].filter((one) => !(one.labels?.length || one.textContent.trim() || one.getAttribute("aria-label"))).length);
    assert.equal(unnamed, 0);
  }));

test("a name is text, whatever is in it", () =>
  onPage(async (page) => {
    await page.setInputFiles("#file", { name: "<img src=x onerror=alert(1)>.zst", mimeType: "", buffer: Buffer.from(read("zstd/short.zst")) });
    await ended(page);
    assert.match(await text(page, "#verdict-title"), /<img src=x/);
    assert.equal(await page.locator("img").count(), 0);
  }));

test("no motion for those who want none", () =>
  onPage(
    async (page) => {
      assert.equal(await page.evaluate(() => getComputedStyle(document.querySelector("#drop")).transitionDuration), "0s");
    },
    { media: { reducedMotion: "reduce" } },
  ));
