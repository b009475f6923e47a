// A headless Chromium with the page, from a file as its user has it.

import { rm, mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";

export const pageUrl = new URL("../dist/zvet.html", import.meta.url).href;

export async function launch() {
  const profile = await mkdtemp(join(tmpdir(), "zvet-page-"));
  const flags = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"];
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    headless: true,
    viewport: { width: 1200, height: 900 },
    args: [...flags, "--disable-component-update", "--disable-sync", "--enable-precise-memory-info"],
  });
  return { context, close: async () => (await context.close(), await rm(profile, { recursive: true, force: true })) };
}

/** The page, and what it asked the network for or complained of. */
export async function open(context, options = {}) {
  const page = await context.newPage();
  const requests = [];
  const complaints = [];
  page.on("request", (request) => requests.push(request.url()));
  // What its policy refuses is asked of nobody.
  page.on("requestfailed", (request) => request.failure().errorText === "csp" && requests.splice(requests.indexOf(request.url()), 1));
  page.on("console", (message) => ["error", "warning"].includes(message.type()) && complaints.push(message.text()));
  page.on("pageerror", (error) => complaints.push(String(error)));
  if (options.media) await page.emulateMedia(options.media);
  if (options.viewport) await page.setViewportSize(options.viewport);
  await page.goto(pageUrl);
  return { page, requests, complaints };
}

/** Chooses a file, by its path or by name and bytes, and waits for the end. */
export async function choose(page, file) {
  await page.setInputFiles("#file", file);
  await ended(page);
}

export async function ended(page) {
  await page.waitForFunction(() => document.querySelector("#running").hidden && document.querySelector("#status").textContent !== "", undefined, { timeout: 120_000 });
}

/** Watches the heaps of a page's workers: returns what tells the most that one had, garbage and buffers included, in bytes. */
export async function watchWorkers(page) {
  const session = await page.context().newCDPSession(page);
  const workers = new Set();
  const most = { bytes: 0 };
  session.on("Target.attachedToTarget", ({ sessionId, targetInfo }) => targetInfo.type === "worker" && workers.add(sessionId));
  session.on("Target.detachedFromTarget", ({ sessionId }) => workers.delete(sessionId));
  session.on("Target.receivedMessageFromTarget", ({ message }) => {
    const { usedSize = 0, backingStorageSize = 0 } = JSON.parse(message).result ?? {};
    most.bytes = Math.max(most.bytes, usedSize + backingStorageSize);
  });
  await session.send("Target.setAutoAttach", { autoAttach: true, waitForDebuggerOnStart: false, flatten: false });
  const message = JSON.stringify({ id: 1, method: "Runtime.getHeapUsage" });
  const ask = () => workers.forEach((sessionId) => session.send("Target.sendMessageToTarget", { sessionId, message }).catch(() => {}));
  const timer = setInterval(ask, 100);
  return async () => {
    clearInterval(timer);
    await session.detach();
    return most.bytes;
  };
}
