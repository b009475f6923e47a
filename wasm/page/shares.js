// What is where in a stream, as shares of a fixed number of equal stretches: a map of any stream takes the same memory.

export const STRETCHES = 1200;
export const LAYERS = ["parallel", "serial", "skippable", "raw", "rle", "compressed"];

export class Shares {
  #size;
  bytes = new Float64Array(STRETCHES * LAYERS.length);

  constructor(size) {
    this.#size = Math.max(1, size);
  }

  /** Counts the bytes from one place to another to a layer. */
  add(layer, from, to) {
    const width = this.#size / STRETCHES;
    const base = LAYERS.indexOf(layer) * STRETCHES;
    const first = Math.min(STRETCHES - 1, Math.floor(from / width));
    const last = Math.min(STRETCHES - 1, Math.floor(Math.max(from, to - 1) / width));
    for (let stretch = first; stretch <= last; stretch += 1) {
      const there = Math.min(to, (stretch + 1) * width) - Math.max(from, stretch * width);
      this.bytes[base + stretch] += Math.max(there, 0);
    }
  }
}
