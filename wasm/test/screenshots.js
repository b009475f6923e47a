// Takes the pictures of screenshots/: node test/screenshots.js

import { writeFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { choose, launch, open } from "./browser.js";
import { concat, frame, rawBlock, read, rleBlock } from "./helpers.js";

const skippable = concat(Uint8Array.of(0x55, 0x2a, 0x4d, 0x18, 0x40, 0x1f, 0, 0), new Uint8Array(8000).fill(7));
const mixed = frame(rawBlock(20_000, false, 65), rleBlock(100_000, false), rawBlock(100, true));
const good = concat(read("zstd/frames.zst"), mixed, skippable, read("zstd/snapshot.zst"), read("zstd/frames.zst"));
const fault = frame(rawBlock(9000, false, 65), Uint8Array.of(7, 0, 0));
const damaged = concat(good, fault, new TextEncoder().encode("What follows is not what it was."), good.subarray(0, 40_000));

const folder = mkdtempSync(join(tmpdir(), "zvet-pictures-"));
const browser = await launch();
for (const [name, bytes, colorScheme] of [["good-light", good, "light"], ["damaged-dark", damaged, "dark"]]) {
  const { page } = await open(browser.context, { media: { colorScheme }, viewport: { width: 1000, height: 960 } });
  const path = join(folder, `${name.split("-")[0]}.zst`);
  writeFileSync(path, bytes);
  await choose(page, path);
  if (name === "good-light") {
    await page.focus("[role=grid]");
    await page.keyboard.press("End");
    await page.evaluate(() => (document.activeElement.blur(), scrollTo(0, 0)));
  }
  await page.screenshot({ path: fileURLToPath(new URL(`../screenshots/${name}.png`, import.meta.url)) });
  await page.close();
}
await browser.close();
rmSync(folder, { recursive: true });
