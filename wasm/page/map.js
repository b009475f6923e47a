// The stream as a strip: frames above, their blocks below, the fault over both.

import { LAYERS, STRETCHES } from "./shares.js";

const LANES = [
  { layers: ["parallel", "serial", "skippable"], label: "frames" },
  { layers: ["raw", "rle", "compressed"], label: "blocks" },
];
const LABEL_HEIGHT = 16;
const GAP = 6;
const BOUNDARIES_MAX = 300;
/** An RLE block takes four bytes, whatever it makes: what is there at all is seen, this many pixels of it. */
const SEEN_MIN = 5;

export class StreamMap {
  #canvas;
  #state = { size: 0, walked: 0, shares: undefined, frames: undefined, fault: undefined, selected: undefined };

  /** `pick` is told of the byte that is clicked, `hover` of the one that is pointed at. */
  constructor(canvas, { pick, hover }) {
    this.#canvas = canvas;
    const at = (event) => {
      const box = canvas.getBoundingClientRect();
      return Math.floor(((event.clientX - box.left) / box.width) * this.#state.size);
    };
    canvas.addEventListener("click", (event) => pick(at(event)));
    canvas.addEventListener("pointermove", (event) => hover(at(event)));
    canvas.addEventListener("pointerleave", () => hover(undefined));
    new ResizeObserver(() => this.draw()).observe(canvas);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.draw());
  }

  set(change) {
    Object.assign(this.#state, change);
    this.draw();
  }

  draw() {
    const { width, height } = this.#canvas.getBoundingClientRect();
    const { size, shares } = this.#state;
    if (width === 0 || size === 0 || shares === undefined) return;
    const scale = devicePixelRatio || 1;
    this.#canvas.width = Math.round(width * scale);
    this.#canvas.height = Math.round(height * scale);
    const context = this.#canvas.getContext("2d");
    context.scale(scale, scale);
    const style = getComputedStyle(document.documentElement);
    const colour = (name) => style.getPropertyValue(`--${name}`).trim();
    const laneHeight = (height - LANES.length * LABEL_HEIGHT - GAP) / LANES.length;
    for (const [number, lane] of LANES.entries()) {
      const top = number * (LABEL_HEIGHT + laneHeight + GAP);
      context.fillStyle = colour("soft");
      context.font = "12px system-ui, 'DejaVu Sans', sans-serif";
      context.fillText(lane.label, 0, top + 11);
      this.#drawLane(context, lane, top + LABEL_HEIGHT, laneHeight, { width, scale, colour });
    }
    const overlay = { context, width, height, colour, x: (offset) => (offset / size) * width };
    this.#drawBoundaries(overlay, laneHeight);
    this.#drawSelected(overlay);
    this.#drawFault(overlay);
  }

  #drawLane(context, { layers }, top, height, { width, scale, colour }) {
    const { shares } = this.#state;
    // Edges between pixels would let the ground shine through.
    const snap = (x) => Math.round(x * scale) / scale;
    context.fillStyle = colour("empty");
    context.fillRect(0, top, width, height);
    for (let stretch = 0; stretch < STRETCHES; stretch += 1) {
      const parts = layers.map((layer) => shares[LAYERS.indexOf(layer) * STRETCHES + stretch]);
      const sum = parts.reduce((total, part) => total + part, 0);
      if (sum === 0) continue;
      const there = parts.filter((part) => part > 0).length;
      const left = snap((stretch / STRETCHES) * width);
      const right = snap(((stretch + 1) / STRETCHES) * width);
      let y = top;
      for (const [number, part] of parts.entries()) {
        if (part === 0) continue;
        const share = SEEN_MIN + (part / sum) * (height - there * SEEN_MIN);
        context.fillStyle = colour(layers[number]);
        context.fillRect(left, y, right - left, share);
        y += share;
      }
    }
  }

  #drawBoundaries({ context, x, colour }, laneHeight) {
    const { frames } = this.#state;
    if (frames === undefined || frames.count > BOUNDARIES_MAX) return;
    context.fillStyle = colour("sheet");
    for (let index = 1; index < frames.count; index += 1) {
      context.fillRect(x(frames.at(index).offset) - 0.5, LABEL_HEIGHT, 1, laneHeight);
    }
  }

  #drawSelected({ context, x, height, colour }) {
    const { selected } = this.#state;
    if (selected === undefined) return;
    const left = x(selected.offset);
    const wide = Math.max(3, x(selected.size));
    context.strokeStyle = colour("ink");
    context.lineWidth = 2;
    context.strokeRect(left, LABEL_HEIGHT - 2, wide, height - LABEL_HEIGHT);
  }

  #drawFault({ context, x, width, height, colour }) {
    const { fault, walked, size } = this.#state;
    if (fault === undefined) return;
    const at = Math.min(x(Math.min(fault, size)), width - 1.5);
    const end = x(Math.max(fault, Math.min(walked, size)));
    context.save();
    context.beginPath();
    context.rect(end, LABEL_HEIGHT, width - end, height - LABEL_HEIGHT);
    context.clip();
    context.strokeStyle = colour("damage");
    context.globalAlpha = 0.45;
    context.lineWidth = 1.5;
    for (let from = end - height; from < width; from += 8) {
      context.beginPath();
      context.moveTo(from, height);
      context.lineTo(from + height, 0);
      context.stroke();
    }
    context.restore();
    context.fillStyle = colour("damage");
    context.fillRect(at - 1, 4, 3, height - 4);
    context.beginPath();
    context.moveTo(at - 6, 2);
    context.lineTo(at + 7, 2);
    context.lineTo(at + 0.5, 12);
    context.fill();
  }
}
