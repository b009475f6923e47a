// Compiled, never run: what users write has the types that they expect.

import { load, walkBlob, type Frame, type Report } from "zvet-wasm";

export async function usage(file: File): Promise<Report> {
  const zvet = await load();
  const walker = zvet.walker({ level: "entropy", limits: { preset: "web", ratio: null, window: 1n << 20n }, blocks: true });
  for await (const { found, at } of walkBlob(walker, file)) {
    found.blocks.map((block) => block.offset + at);
    found.frames.forEach(describe);
  }
  const text: string = zvet.inspectJson(new Uint8Array(), { file: file.name, exact: true, form: "lines" });
  // @ts-expect-error -- decoding is not for this module
  zvet.verify(new Uint8Array(), { level: "content" });
  // @ts-expect-error -- a walker of objects has no form
  zvet.walker({ form: "lines" });
  return text === "" ? walker.finish() : zvet.inspectBlob(file);
}

function describe(frame: Frame): string {
  if (frame.kind === "skippable") return `${frame.variant}`;
  const low: bigint = frame.decoded_size.low;
  return frame.decode.mode === "serial" ? `${frame.decode.reason} ${low}` : frame.decode.proof;
}
