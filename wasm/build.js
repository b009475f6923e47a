// Builds dist/zvet.wasm, and dist/zvet.html where esbuild is installed: `node build.js`, or `npm run build`.
//
// ZVET_CARGO_ARGS are more arguments for cargo, for those whose toolchain has no target wasm32-unknown-unknown.

import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const target = process.env.CARGO_TARGET_DIR ?? `${here}/../target/wasm`;
const built = `${target}/wasm32-unknown-unknown/wasm/zvet_wasm.wasm`;
const wasm = `${here}/dist/zvet.wasm`;

function run(command, ...args) {
  const { status, error } = spawnSync(command, args, { stdio: "inherit", env: { ...process.env, CARGO_TARGET_DIR: target } });
  if (error?.code === "ENOENT") return false;
  if (status !== 0) process.exit(status ?? 1);
  return true;
}

const more = (process.env.ZVET_CARGO_ARGS ?? "").split(" ").filter((arg) => arg !== "");
const manifest = `${here}/Cargo.toml`;
run("cargo", "build", "--locked", "--profile", "wasm", "--target", "wasm32-unknown-unknown", "--manifest-path", manifest, ...more);
mkdirSync(`${here}/dist`, { recursive: true });
const features = ["bulk-memory", "nontrapping-float-to-int", "sign-ext", "mutable-globals"];
const optimised = run("wasm-opt", "-Oz", ...features.map((feature) => `--enable-${feature}`), built, "-o", wasm);
if (!optimised) {
  console.warn("wasm-opt is not there (package binaryen): the module is larger than it need be");
  copyFileSync(built, wasm);
}
console.log(`dist/zvet.wasm: ${statSync(wasm).size} bytes`);

const page = await import("./page/build.js").catch((error) => {
  if (error.code !== "ERR_MODULE_NOT_FOUND") throw error;
  console.warn("esbuild is not there (npm install): no page is built");
});
await page?.build();
