// Puts the page, its worker and the module into one file that works from a disk.

import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import esbuild from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const dist = `${here}/../dist`;

export async function build() {
  const bundle = async (file, define = {}) => {
    const options = { bundle: true, write: false, minify: true, format: "iife", target: "es2022", charset: "ascii", define };
    const { outputFiles } = await esbuild.build({ ...options, entryPoints: [`${here}/${file}`] });
    return outputFiles[0].text;
  };
  const worker = await bundle("worker.js");
  const wasm = readFileSync(`${dist}/zvet.wasm`).toString("base64");
  const define = { WORKER_SOURCE: JSON.stringify(worker), WASM_BASE64: JSON.stringify(wasm) };
  // An end tag inside of the script would end it.
  const script = (await bundle("main.js", define)).replaceAll("</script", "<\\/script").trim();
  const { code } = await esbuild.transform(readFileSync(`${here}/style.css`, "utf8"), { loader: "css", minify: true });
  const style = code.trim();
  const policy = [
    "default-src 'none'",
    `script-src '${hash(script)}' 'wasm-unsafe-eval'`,
    `style-src '${hash(style)}'`,
    "worker-src blob:",
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
  const parts = { policy, style, script };
  const page = readFileSync(`${here}/index.html`, "utf8").replace(/\{\{(\w+)\}\}/g, (_, name) => parts[name]);
  mkdirSync(dist, { recursive: true });
  writeFileSync(`${dist}/zvet.html`, page);
  console.log(`dist/zvet.html: ${Buffer.byteLength(page)} bytes`);
}

function hash(text) {
  return `sha256-${createHash("sha256").update(text).digest("base64")}`;
}
