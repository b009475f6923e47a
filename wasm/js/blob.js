// A walk over a Blob or File that passes over what the walker need not see, where that is faster than reading on.

const READ_MIN = 4 * 2 ** 10;
const READ_MAX = 4 * 2 ** 20;

/**
 * Pushes a blob to a walker, and gives after each read what it answered, how far it is, and how much was read so far.
 * Ends with the blob, or once the walker has ended. The walker is not finished.
 *
 * How many bytes are worth a jump depends on the disk and the browser, and is measured; `jump` sets it.
 */
export async function* walkBlob(walker, blob, { jump } = {}) {
  const costs = new Costs();
  let at = 0;
  let read = 0;
  let size = READ_MIN;
  while (at < blob.size && !walker.ended) {
    const began = performance.now();
    const bytes = new Uint8Array(await blob.slice(at, at + size).arrayBuffer());
    if (bytes.length === 0) throw new Error("the file is shorter than it said");
    costs.learn(bytes.length, performance.now() - began);
    const found = walker.push(bytes);
    at += bytes.length;
    read += bytes.length;
    const skip = walker.ended ? 0 : Math.min(walker.skippable, blob.size - at);
    walker.skipped(skip);
    at += skip;
    // Behind a jump there is a header, and likely another jump.
    size = skip >= (jump ?? costs.jump) ? READ_MIN : Math.min(size * 2, READ_MAX);
    yield { found, at, read };
  }
}

/** What reads take: so much for each, and so much for each byte, in ms. First guesses are those of a fast disk. */
class Costs {
  #each = 0.1;
  #byte = 1e-6;

  learn(bytes, ms) {
    const mean = (old, now) => old * 0.8 + now * 0.2;
    if (bytes <= 16 * READ_MIN) this.#each = mean(this.#each, ms);
    else if (bytes === READ_MAX) this.#byte = mean(this.#byte, Math.max(ms - this.#each, 0) / bytes);
  }

  /** From how many bytes on a read of its own behind them is faster than reading them. */
  get jump() {
    return Math.max(this.#each / this.#byte, READ_MIN);
  }
}
