// Options, checked. What does not fit is a TypeError or a RangeError, before the module sees it.

const PRESETS = ["snapshot", "cli", "web", "embedded", "unlimited"];
const FORMS = { document: 0, lines: 1 };
const DICTIONARIES_MAX = 16;
const DICTIONARY_SIZE_MAX = 128 * 2 ** 20;
// The numbers that src/settings.rs has for them.
const LIMITS = { window: 0, output: 1, frames: 2 };
const BOUNDS = { window: 3, output: 4, input: 5, blocks: 6 };
const U64_MAX = 2n ** 64n - 1n;

const KNOWN = ["level", "exact", "limits", "bounds", "dictionaries", "allowEmpty", "file", "size", "blocks", "form"];

/** What an instance is told before it starts. */
export function readOptions(options = {}) {
  check(isObject(options), "options", "an object");
  for (const key of Object.keys(options)) {
    if (!KNOWN.includes(key)) throw new TypeError(`there is no option ${key}`);
  }
  const { level = "envelope", exact = false, allowEmpty = false, blocks = false, form = "lines" } = options;
  const { dictionaries = [], file, size } = options;
  for (const [name, value] of Object.entries({ exact, allowEmpty, blocks })) {
    check(typeof value === "boolean", name, "a boolean");
  }
  check(Object.hasOwn(FORMS, form), "form", '"document" or "lines"');
  check(file === undefined || typeof file === "string", "file", "a string");
  check(Array.isArray(dictionaries), "dictionaries", "an array of Uint8Arrays");
  if (dictionaries.length > DICTIONARIES_MAX) throw new RangeError(`more than ${DICTIONARIES_MAX} dictionaries`);
  return {
    look: readLook(level, exact),
    form: FORMS[form],
    ...readLimits(options.limits),
    bounds: readFields(options.bounds ?? {}, BOUNDS, "bounds"),
    dictionaries: dictionaries.map(readDictionary),
    name: file === undefined ? undefined : new TextEncoder().encode(file),
    size: size === undefined ? undefined : toU64(size, "size"),
    allowEmpty,
    blocks,
  };
}

function readLook(level, exact) {
  if (level === "content") throw new TypeError("level content decodes, which this module does not: use the command");
  check(level === "envelope" || level === "entropy", "level", '"envelope" or "entropy"');
  if (level === "entropy") return 2;
  return exact ? 1 : 0;
}

function readLimits(limits = "snapshot") {
  if (typeof limits === "string") return { preset: readPreset(limits), limits: [], ratio: undefined };
  check(isObject(limits), "limits", "the name of a preset, or an object");
  const { preset = "snapshot", ratio, ...fields } = limits;
  check(ratio === undefined || ratio === null || isObject(ratio), "limits.ratio", "{ slack, factor }, or null");
  return {
    preset: readPreset(preset),
    limits: readFields(fields, LIMITS, "limits"),
    ratio: ratio && {
      slack: toU64(ratio.slack, "limits.ratio.slack"),
      factor: toU64(ratio.factor, "limits.ratio.factor"),
    },
  };
}

function readPreset(name) {
  const number = PRESETS.indexOf(name);
  check(number >= 0, "limits", `one of ${PRESETS.join(", ")}`);
  return number;
}

function readFields(fields, numbers, what) {
  check(isObject(fields), what, "an object");
  return Object.entries(fields).flatMap(([key, value]) => {
    if (!Object.hasOwn(numbers, key)) throw new TypeError(`there is no ${what}.${key}`);
    return value === undefined ? [] : [[numbers[key], toU64(value, `${what}.${key}`)]];
  });
}

function readDictionary(dictionary) {
  const bytes = toBytes(dictionary, "a dictionary");
  if (bytes.length > DICTIONARY_SIZE_MAX) throw new RangeError("a dictionary of more than 128 MiB");
  return bytes;
}

/** Any view of bytes, or a buffer of them, as a Uint8Array of the same bytes. */
export function toBytes(value, what) {
  if (value instanceof Uint8Array) return value;
  if (ArrayBuffer.isView(value)) return new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
  if (value instanceof ArrayBuffer) return new Uint8Array(value);
  throw new TypeError(`${what} must be a Uint8Array, another view, or an ArrayBuffer`);
}

/** A size or a count as a bigint. `Infinity` is no limit. */
export function toU64(value, what) {
  if (value === Infinity) return U64_MAX;
  if (typeof value === "number") {
    if (!Number.isSafeInteger(value) || value < 0) throw new RangeError(`${what} must be an integer from 0 to 2^53 - 1`);
    return BigInt(value);
  }
  check(typeof value === "bigint", what, "a number or a bigint");
  if (value < 0n || value > U64_MAX) throw new RangeError(`${what} must be from 0 to 2^64 - 1`);
  return value;
}

function isObject(value) {
  return typeof value === "object" && value !== null;
}

function check(fits, what, kind) {
  if (!fits) throw new TypeError(`${what} must be ${kind}`);
}
