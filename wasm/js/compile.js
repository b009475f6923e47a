/** A module from whatever has its bytes. */
export async function compile(source) {
  if (source instanceof WebAssembly.Module) return source;
  if (typeof Response !== "undefined" && source instanceof Response) {
    if (!source.ok) throw new Error(`the module cannot be fetched: ${source.status}`);
    return WebAssembly.compile(await source.arrayBuffer());
  }
  if (source instanceof ArrayBuffer || ArrayBuffer.isView(source)) return WebAssembly.compile(source);
  throw new TypeError("load takes a Response, bytes, or a WebAssembly.Module");
}
