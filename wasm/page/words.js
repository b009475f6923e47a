// Numbers and verdicts in words.

const UNITS = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];

/** A size as a person reads it: `15.1 KiB`. */
export function size(bytes) {
  let unit = 0;
  let value = bytes;
  while (value >= 1024 && unit < UNITS.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${unit === 0 ? value : value.toFixed(1)} ${UNITS[unit]}`;
}

export function count(number) {
  return number.toLocaleString("en");
}

export function counted(number, one, several = `${one}s`) {
  return `${count(number)} ${number === 1 ? one : several}`;
}

/** `12 B`, `3 B to 12 B`, or `<= 12 B`. */
export function range(low, high) {
  if (low === high) return size(low);
  return low === 0 ? `≤ ${size(high)}` : `${size(low)} to ${size(high)}`;
}

export function share(part, whole) {
  if (whole === 0) return "100%";
  const percent = (part / whole) * 100;
  return percent > 0 && percent < 0.1 ? "under 0.1%" : `${percent.toFixed(percent < 10 ? 1 : 0)}%`;
}

export const VERDICTS = {
  valid: { sign: "✓", words: "valid" },
  invalid: { sign: "✕", words: "invalid" },
  "over-limit": { sign: "!", words: "over a limit" },
  "needs-dictionary": { sign: "?", words: "needs a dictionary" },
  cancelled: { sign: "–", words: "cancelled" },
};

const HOLDS = {
  envelope: "Frames, headers, block headers and sizes hold. What is inside of compressed blocks was not looked at.",
  entropy: "All of it holds, inside of every block, too. What passes decodes: only a checksum can still fail.",
};

/** Why a stream has its verdict. */
export function reason({ verdict, level, error }) {
  if (verdict === "valid") return HOLDS[level];
  const message = error.message[0].toUpperCase() + error.message.slice(1);
  return `${message}.`;
}

export function place({ rule, frame, block, offset }) {
  const inBlock = block === null ? "" : `, block ${count(block)}`;
  return `rule ${rule} · frame ${count(frame)}${inBlock} · byte ${count(offset)} (0x${offset.toString(16)})`;
}

const PROOFS = { bound: "bound by its blocks", declared: "size declared", walked: "size walked" };
const REASONS = {
  window: "window over the bound",
  output: "output over the bound",
  input: "input over the bound",
  blocks: "blocks over the bound",
  dictionary: "dictionary missing",
};

/** How a frame may be decoded. */
export function way(name) {
  if (name === "skippable") return "skippable";
  return name in PROOFS ? `parallel: ${PROOFS[name]}` : `serial: ${REASONS[name]}`;
}
