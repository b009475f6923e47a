import { readFileSync, readdirSync } from "node:fs";
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("../../", import.meta.url));
const command = process.env.ZVET ?? `${root}target/debug/zvet`;

/** The names of all streams of the corpus, from its folder. */
export function corpus() {
  return ["bytes", "zstd"].flatMap((folder) => readdirSync(`${root}corpus/${folder}`).sort().map((file) => `${folder}/${file}`));
}

export function read(name) {
  return readFileSync(`${root}corpus/${name}`);
}

/** What the command prints on standard output, in the folder of the corpus. */
export function zvet(...args) {
  return zvetWithInput("", ...args);
}

/** The same with this on standard input, through a pipe. */
export function zvetWithInput(input, ...args) {
  const ran = spawnSync(command, args, { cwd: `${root}corpus`, input, encoding: "utf8", maxBuffer: 2 ** 28 });
  if (ran.error) throw ran.error;
  return ran.stdout;
}

/** Numbers that look random and are the same in every run. */
export function random(seed) {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** Pushes bytes in pieces of random sizes, some of them empty, and skips some of what need not be pushed. */
export function pushInPieces(walker, bytes, next, take) {
  let at = 0;
  while (at < bytes.length) {
    if (next(3) === 0) {
      const skip = Math.min(walker.skippable, bytes.length - at, next(200_000));
      walker.skipped(skip);
      at += skip;
      continue;
    }
    const size = next(2) === 0 ? next(5) : next(300_000);
    take(walker.push(bytes.subarray(at, at + size)));
    at += Math.min(size, bytes.length - at);
    if (walker.ended) break;
  }
}

/** A raw block of this size, or a stream's worth of frames, made without zstd. */
export function rawBlock(size, last, byte = 0) {
  const block = new Uint8Array(3 + size).fill(byte);
  const header = (size << 3) | (last ? 1 : 0);
  block.set([header & 255, (header >> 8) & 255, header >> 16]);
  return block;
}

export function rleBlock(size, last) {
  const header = (size << 3) | 2 | (last ? 1 : 0);
  return Uint8Array.of(header & 255, (header >> 8) & 255, header >> 16, 0);
}

export function concat(...parts) {
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

const MAGIC = Uint8Array.of(0x28, 0xb5, 0x2f, 0xfd);

/** A frame without a size, with a window of 128 KiB times two to a power. */
export function frame(...blocks) {
  return concat(MAGIC, Uint8Array.of(0, 7 << 3), ...blocks);
}
