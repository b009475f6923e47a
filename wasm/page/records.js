// Frames as records of numbers: 100,000 of them are 13 MB, and cross from the worker without a copy.

export const WAYS = ["skippable", "bound", "declared", "walked", "window", "output", "input", "blocks", "dictionary"];
export const FIELDS = [
  "offset", "size", "way", "complete", "window", "low", "high", "checksum", "dictionary", "raw", "rle", "compressed", "variant",
];
export const WIDTH = FIELDS.length;
/** How many frames are listed. All are checked, whatever their number; what is listed is in memory. */
export const LISTED_MAX = 250_000;

/** Writes a frame of the module as a record. -1 is none. */
export function writeRecord(record, frame) {
  const { offset, compressed_size, complete } = frame;
  record.fill(-1);
  record.set([offset, compressed_size, 0, complete ? 1 : 0]);
  if (frame.kind === "skippable") {
    record[12] = frame.variant;
    return;
  }
  const { decode, window_size, decoded_size, checksum, dictionary_id, blocks } = frame;
  record[2] = WAYS.indexOf(decode.proof ?? decode.reason);
  record[4] = Number(window_size);
  record[5] = Number(decoded_size.low);
  record[6] = Number(decoded_size.high);
  if (checksum !== null) record[7] = parseInt(checksum, 16);
  if (dictionary_id !== null) record[8] = dictionary_id;
  record.set([blocks.raw, blocks.rle, blocks.compressed], 9);
}

export function isParallel(way) {
  return way >= 1 && way <= 3;
}

export function isSerial(way) {
  return way > 3;
}

/** All listed frames, in pieces as they came. */
export class Frames {
  #pieces = [];
  #starts = [];
  count = 0;

  add(records) {
    if (records.length === 0) return;
    this.#pieces.push(records);
    this.#starts.push(this.count);
    this.count += records.length / WIDTH;
  }

  /** The record of a frame as an object. */
  at(index) {
    const piece = last(this.#starts, (start) => start <= index);
    const from = (index - this.#starts[piece]) * WIDTH;
    const record = this.#pieces[piece].subarray(from, from + WIDTH);
    return Object.fromEntries(FIELDS.map((field, number) => [field, record[number]]));
  }

  /** Which frame a byte of the stream is in. */
  holding(offset) {
    const piece = Math.max(0, last(this.#pieces, (records) => records[0] <= offset));
    let low = this.#starts[piece];
    let high = low + this.#pieces[piece].length / WIDTH - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.at(middle).offset <= offset) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}

/** The last element that fits, of a list whose first ones fit. */
function last(list, fits) {
  let low = 0;
  let high = list.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (fits(list[middle])) low = middle;
    else high = middle - 1;
  }
  return low;
}
