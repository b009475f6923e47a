// A walk over a Blob or File that reads what the walker must see, and no more.

const READ_MIN = 4 * 2 ** 10;
const READ_MAX = 2 ** 20;
/** What is worth a jump: reading on is faster than a read of its own behind less. */
const JUMP_MIN = 64 * 2 ** 10;

/**
 * Pushes a blob to a walker, and gives after each read what it answered, how far it is, and how much was read so far.
 * Ends with the blob, or once the walker has ended. The walker is not finished.
 */
export async function* walkBlob(walker, blob) {
  let at = 0;
  let read = 0;
  let size = READ_MIN;
  while (at < blob.size && !walker.ended) {
    const bytes = new Uint8Array(await blob.slice(at, at + size).arrayBuffer());
    if (bytes.length === 0) throw new Error("the file is shorter than it said");
    const found = walker.push(bytes);
    at += bytes.length;
    read += bytes.length;
    const skip = walker.ended ? 0 : Math.min(walker.skippable, blob.size - at);
    walker.skipped(skip);
    at += skip;
    // Behind a jump there is a header, and likely another jump.
    size = skip >= JUMP_MIN ? READ_MIN : Math.min(size * 2, READ_MAX);
    yield { found, at, read };
  }
}
