// For Node: the module is a file beside this one.

import { readFile } from "node:fs/promises";
import { walkBlob } from "./blob.js";
import { compile } from "./compile.js";
import { JsonWalker, Walker, Zvet } from "./zvet.js";

export { JsonWalker, Walker, Zvet, walkBlob };

/** Loads the module, once for a whole program. */
export async function load(source) {
  return new Zvet(await compile(source ?? (await readFile(new URL("../dist/zvet.wasm", import.meta.url)))));
}
