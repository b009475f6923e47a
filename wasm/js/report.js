// Lines of JSON as objects.

/** What a stream may claim, up to 2^64 - 1: a bigint, so that it is exact. */
const CLAIMS = /"(window_size|content_size|low|high|window_max|memory)":(\d+)/g;

/** The frames, and what is said at the end, from lines of the module. */
export function readLines(text) {
  const frames = [];
  let summary;
  for (const line of text.split("\n")) {
    if (line === "") continue;
    const said = JSON.parse(line.replace(CLAIMS, '"$1":"$2"'));
    if (said.kind === "summary") summary = readSummary(said);
    else frames.push(readFrame(said));
  }
  return { frames, summary };
}

function readFrame(frame) {
  if (frame.kind !== "zstd") return frame;
  const { window_size, content_size, decoded_size } = frame;
  frame.window_size = BigInt(window_size);
  frame.content_size = content_size === null ? null : BigInt(content_size);
  frame.decoded_size = readRange(decoded_size);
  return frame;
}

function readSummary({ kind, ...summary }) {
  const { totals } = summary;
  totals.window_max = BigInt(totals.window_max);
  totals.memory = BigInt(totals.memory);
  totals.decoded_size = readRange(totals.decoded_size);
  return summary;
}

function readRange({ low, high }) {
  return { low: BigInt(low), high: BigInt(high) };
}
