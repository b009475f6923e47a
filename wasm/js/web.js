// For browsers: the module is fetched from beside this file. Bundlers know this form of URL, and bring the file along.

import { walkBlob } from "./blob.js";
import { compile } from "./compile.js";
import { JsonWalker, Walker, Zvet } from "./zvet.js";

export { JsonWalker, Walker, Zvet, walkBlob };

/** Loads the module, once for a whole program. */
export async function load(source) {
  return new Zvet(await compile(source ?? (await fetch(new URL("../dist/zvet.wasm", import.meta.url)))));
}
