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
