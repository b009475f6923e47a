// The bytes around one of them.

import { element } from "./table.js";
import { count } from "./words.js";

const WIDTH = 16;
const ROWS_AROUND = 4;

/** Shows the bytes of a file around an offset. `kind` is the class of the one at it. */
export async function showBytes(parent, file, offset, what, kind) {
  const row = Math.floor(Math.min(offset, file.size) / WIDTH) * WIDTH;
  const from = Math.max(0, row - ROWS_AROUND * WIDTH);
  const to = Math.min(file.size, row + (ROWS_AROUND + 1) * WIDTH);
  const bytes = new Uint8Array(await file.slice(from, to).arrayBuffer());
  const table = element("table");
  const end = offset >= file.size ? " The file ends there." : "";
  table.append(element("caption", {}, `${what} at byte ${count(offset)} (0x${offset.toString(16)}).${end}`));
  for (let at = from; at < to || (at === row && end !== ""); at += WIDTH) {
    table.append(line(bytes.subarray(at - from, at - from + WIDTH), at, offset, kind));
  }
  parent.replaceChildren(table);
}

function line(bytes, at, offset, kind) {
  const here = offset >= at && offset < at + WIDTH;
  const row = element("tr", here ? { class: "here" } : {});
  row.append(element("th", { scope: "row" }, at.toString(16).padStart(8, "0")));
  for (let column = 0; column < WIDTH; column += 1) {
    const marked = at + column === offset;
    const byte = bytes[column];
    const text = byte === undefined ? (marked ? "··" : "") : byte.toString(16).padStart(2, "0");
    row.append(element("td", marked ? { class: kind, "aria-current": "true" } : {}, text));
  }
  const text = Array.from(bytes, (byte) => (byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : "·")).join("");
  row.append(element("td", { class: "text", "aria-hidden": "true" }, text));
  return row;
}
