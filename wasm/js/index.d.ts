// Types of what Node and bundlers import.
//
// A number is a position or a count in what was pushed, which 2^53 bounds. What a stream may claim is a bigint: up to
// 2^64 - 1, and exact.

/** Any bytes. */
export type Bytes = ArrayBuffer | ArrayBufferView;
/** A size or a count: an integer from 0 to 2^53 - 1, a bigint from 0 to 2^64 - 1, or `Infinity` for no limit. */
export type Size = number | bigint;

export type Preset = "snapshot" | "cli" | "web" | "embedded" | "unlimited";

/** What is allowed at all. A field that is not set is that of the preset. */
export interface Limits {
  /** What to start from, for bounds, too. `"snapshot"` unless set. */
  preset?: Preset;
  /** The largest window, in bytes. */
  window?: Size;
  /** The most output, in bytes. */
  output?: Size;
  /** The most output for its input, `slack + factor x input` bytes; null for no such limit. */
  ratio?: { slack: Size; factor: Size } | null;
  /** The most frames, skippable ones included. */
  frames?: Size;
}

/** Which frames may be decoded beside others. A field that is not set is that of the preset. */
export interface Bounds {
  window?: Size;
  output?: Size;
  input?: Size;
  blocks?: Size;
}

export interface Options {
  limits?: Preset | Limits;
  bounds?: Bounds;
  /** Dictionaries that frames may need, at most 16. A frame that names none is taken with the first. */
  dictionaries?: Bytes[];
  /** Takes no input at all for a valid stream of no frames. */
  allowEmpty?: boolean;
  /** The name of the input in documents, of at most 4,096 bytes as UTF-8. */
  file?: string;
}

export interface WalkerOptions extends Options {
  /** How deep to look: `"envelope"` (headers; unless set), or `"entropy"` (all inside of blocks). */
  level?: "envelope" | "entropy";
  /** At the level of the envelope: looks inside of blocks for exact sizes. */
  exact?: boolean;
  /** The size of the whole input, where it is known: reports then have it whatever they say. */
  size?: Size;
}

export interface InspectOptions extends Options {
  exact?: boolean;
}

export interface VerifyOptions extends Options {
  /** `"entropy"` unless set. */
  level?: "envelope" | "entropy";
}

export interface SizeRange {
  low: bigint;
  high: bigint;
}

export type Decode =
  | { mode: "parallel"; proof: "bound" | "declared" | "walked" }
  | { mode: "serial"; reason: "window" | "output" | "input" | "blocks" | "dictionary" };

export interface ZstdFrame {
  /** Which frame of the stream, counted from 0. */
  frame: number;
  kind: "zstd";
  offset: number;
  compressed_size: number;
  /** Whether it was there to its end, and no fault cut it short. */
  complete: boolean;
  header_size: number;
  window_size: bigint;
  single_segment: boolean;
  content_size: bigint | null;
  dictionary_id: number | null;
  /** Eight digits, base 16. */
  checksum: string | null;
  blocks: { raw: number; rle: number; compressed: number };
  decoded_size: SizeRange;
  decode: Decode;
}

export interface SkippableFrame {
  frame: number;
  kind: "skippable";
  offset: number;
  compressed_size: number;
  complete: boolean;
  header_size: number;
  /** Which of the sixteen magic numbers. */
  variant: number;
}

export type Frame = ZstdFrame | SkippableFrame;

export interface Block {
  frame: number;
  block: number;
  /** Where its header begins. */
  offset: number;
  kind: "raw" | "rle" | "compressed";
  /** `Block_Size`: what is stored after the header, or for an RLE block, of which one byte is stored, what it makes. */
  size: number;
  last: boolean;
}

export type Verdict = "valid" | "invalid" | "over-limit" | "needs-dictionary";

export interface Fault {
  /** The stable id of the rule, see SPEC-NOTES.md. */
  rule: string;
  offset: number;
  frame: number;
  block: number | null;
  message: string;
}

export interface Report {
  size: number | null;
  verdict: Verdict;
  level: "envelope" | "entropy";
  totals: {
    frames: number;
    skippable: number;
    blocks: number;
    decoded_size: SizeRange;
    window_max: bigint;
    memory: bigint;
  };
  error: Fault | null;
  /** In what `inspect` and `verify` return, all frames; in what `finish` returns, those that no push told of. */
  frames: Frame[];
}

/** What walkers of both kinds have. */
export interface AnyWalker {
  /** How many bytes of the stream were walked over. */
  readonly offset: number;
  /** Whether nothing more is looked at: a fault was found, or `finish` was called. What is pushed then is ignored. */
  readonly ended: boolean;
  /** How many of the next bytes need not be pushed, if `skipped` is told of them. */
  readonly skippable: number;
  /** Goes on as if so many bytes had been pushed. That they exist is the caller's word. Throws for more than `skippable`. */
  skipped(bytes: Size): void;
}

/** Walks one stream that is pushed in pieces of any size. What it finds does not depend on the pieces. */
export interface Walker extends AnyWalker {
  /** Takes the next bytes, all of them. Throws after `finish`. */
  push(chunk: Bytes): { frames: Frame[]; blocks: Block[] };
  /** Ends the stream. Throws when it is called again. */
  finish(): Report;
}

/** The same, with the text of the command's JSON for an answer: put one after the other, the texts are the document. */
export interface JsonWalker extends AnyWalker {
  push(chunk: Bytes): string;
  finish(): string;
}

export declare class Zvet {
  constructor(module: WebAssembly.Module);
  walker(options?: WalkerOptions & { /** Whether to tell of blocks, too. */ blocks?: boolean }): Walker;
  jsonWalker(options?: WalkerOptions & { /** One document (unless set), or a line for each frame. */ form?: "document" | "lines" }): JsonWalker;
  /** What `zvet inspect` says. */
  inspect(bytes: Bytes, options?: InspectOptions): Report;
  /** What `zvet verify` says, at the level of the envelope or of the entropy. */
  verify(bytes: Bytes, options?: VerifyOptions): Report;
  /** `zvet inspect --json`, byte for byte; with `form: "lines"`, `--json-lines`. */
  inspectJson(bytes: Bytes, options?: InspectOptions & { form?: "document" | "lines" }): string;
  /** `zvet verify --json`, byte for byte. */
  verifyJson(bytes: Bytes, options?: VerifyOptions & { form?: "document" | "lines" }): string;
  /** Inspects or verifies a Blob or File of any size, see `walkBlob`. */
  inspectBlob(blob: Blob, options?: WalkerOptions): Promise<Report>;
}

/**
 * Pushes a blob to a walker, and does not finish it. What the walker need not see is jumped over where that is faster
 * than reading on. From how many bytes on it is so is measured, unless `jump` says it: 0 jumps over all, and reads headers alone.
 */
export declare function walkBlob<W extends Walker | JsonWalker>(
  walker: W,
  blob: Blob,
  options?: { jump?: number },
): AsyncGenerator<{ found: ReturnType<W["push"]>; at: number; read: number }, void, void>;

/** Loads the module, once for a whole program: from beside the package, unless something else is given. */
export declare function load(source?: WebAssembly.Module | Response | Bytes): Promise<Zvet>;
