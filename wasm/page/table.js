// A table of any number of rows: only those in sight are elements. It is a grid to screen readers and to the keyboard.

import { WAYS, isParallel } from "./records.js";
import { count, range, size, way } from "./words.js";

const ROW_HEIGHT = 30;
const ROWS_IN_SIGHT = 14;
const COLUMNS = ["frame", "offset", "size", "decoded", "window", "raw / rle / compr.", "checksum", "dictionary", "decode"];

export class FrameTable {
  #scroll;
  #tall;
  #frames;
  #select;
  selected = -1;

  /** `select` is told of the frame that becomes the selected one. */
  constructor(parent, select) {
    this.#select = select;
    const grid = { class: "grid-scroll", role: "grid", tabindex: 0, "aria-label": "Frames: arrow keys choose one" };
    this.#scroll = element("div", { ...grid, "aria-colcount": COLUMNS.length });
    const head = element("div", { class: "grid-row grid-head", role: "row", "aria-rowindex": 1 });
    for (const [number, name] of COLUMNS.entries()) {
      head.append(element("span", { role: "columnheader", class: number === COLUMNS.length - 1 ? "left" : "" }, name));
    }
    this.#tall = element("div", { class: "grid-tall grid-body", role: "rowgroup" });
    this.#scroll.append(head, this.#tall);
    parent.classList.add("grid");
    parent.replaceChildren(this.#scroll);
    this.#scroll.addEventListener("scroll", () => this.#draw());
    this.#scroll.addEventListener("keydown", (event) => this.#key(event));
    this.#tall.addEventListener("click", (event) => {
      const row = event.target.closest("[aria-rowindex]");
      if (row) this.choose(Number(row.getAttribute("aria-rowindex")) - 2);
    });
  }

  show(frames) {
    this.#frames = frames;
    const rows = Math.min(frames.count, ROWS_IN_SIGHT);
    this.#tall.style.height = `${frames.count * ROW_HEIGHT}px`;
    this.#scroll.style.maxHeight = `${(rows + 1) * ROW_HEIGHT + 1}px`;
    this.#scroll.setAttribute("aria-rowcount", frames.count + 1);
    this.#draw();
  }

  reset() {
    this.selected = -1;
    this.#scroll.scrollTop = 0;
    this.#scroll.removeAttribute("aria-activedescendant");
  }

  focus() {
    this.#scroll.scrollIntoView({ block: "nearest" });
    this.#scroll.focus();
  }

  /** Selects a frame, and scrolls to it. */
  choose(index) {
    if (index < 0 || index >= this.#frames.count) return;
    this.selected = index;
    const top = index * ROW_HEIGHT;
    const room = this.#scroll.clientHeight - ROW_HEIGHT;
    if (top < this.#scroll.scrollTop) this.#scroll.scrollTop = top;
    else if (top + ROW_HEIGHT > this.#scroll.scrollTop + room) this.#scroll.scrollTop = top + ROW_HEIGHT - room;
    this.#draw();
    this.#scroll.setAttribute("aria-activedescendant", rowId(index));
    this.#select(index);
  }

  #key(event) {
    const last = this.#frames.count - 1;
    const here = this.selected;
    const to = {
      ArrowDown: Math.min(here + 1, last),
      ArrowUp: Math.max(here - 1, 0),
      PageDown: Math.min(Math.max(here, 0) + ROWS_IN_SIGHT - 1, last),
      PageUp: Math.max(here - ROWS_IN_SIGHT + 1, 0),
      Home: 0,
      End: last,
    }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    this.choose(to);
  }

  #draw() {
    if (this.#frames === undefined) return;
    const first = Math.max(0, Math.floor(this.#scroll.scrollTop / ROW_HEIGHT) - 2);
    const end = Math.min(this.#frames.count, first + ROWS_IN_SIGHT + 6);
    const rows = [];
    for (let index = first; index < end; index += 1) rows.push(this.#row(index));
    this.#tall.replaceChildren(...rows);
  }

  #row(index) {
    const frame = this.#frames.at(index);
    const name = WAYS[frame.way];
    const row = element("div", {
      role: "row",
      id: rowId(index),
      class: `grid-row${frame.complete ? "" : " cut"}`,
      "aria-rowindex": index + 2,
      "aria-selected": index === this.selected,
    });
    row.style.top = `${index * ROW_HEIGHT}px`;
    const kind = frame.way === 0 ? "" : isParallel(frame.way) ? "parallel" : "serial";
    const short = frame.way === 0 ? `skippable (${frame.variant})` : `${kind} (${name})`;
    const words = frame.complete ? short : `${short}, cut short`;
    const cells = frame.way === 0 ? ["", "", "", "", ""] : cellsOf(frame);
    const all = [count(index), count(frame.offset), size(frame.size), ...cells];
    for (const text of all) row.append(element("span", { role: "gridcell" }, text));
    row.append(element("span", { role: "gridcell", class: `left way ${kind}`, title: way(name) }, words));
    return row;
  }
}

function cellsOf({ low, high, window, raw, rle, compressed, checksum, dictionary }) {
  return [
    range(low, high),
    size(window),
    `${count(raw)} / ${count(rle)} / ${count(compressed)}`,
    checksum < 0 ? "none" : checksum.toString(16).padStart(8, "0"),
    dictionary < 0 ? "none" : String(dictionary),
  ];
}

function rowId(index) {
  return `frame-${index}`;
}

/** An element with attributes and text. */
export function element(name, attributes = {}, text = "") {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (text !== "") made.textContent = text;
  return made;
}
