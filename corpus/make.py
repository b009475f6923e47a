#!/usr/bin/env python3
"""Makes the corpus from nothing: bytes/, zstd/, dict/ and MANIFEST.toml.

    python3 corpus/make.py

Needs Python 3.11 and the zstd command. The same zstd version makes the same bytes every time; another one may compress
differently, so look at `git diff` before committing what it made.

What is expected of a file is set here, by what the script knows: it laid the bytes of bytes/ itself and gave zstd the
content of zstd/. zvet is never asked. Rules go by the ids of core/src/error.rs, places by the conventions of
core/src/walk.rs; F03, F05 to F08, B01, B04, K01 and K02 can be kept wrongly but not broken by a stream alone.
"""

import hashlib
import json
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import zlib
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
KIB = 1 << 10
MIB = 1 << 20


# The format, as far as it takes to write it (RFC 8878, 3.1). Fields are given as bytes, so that any width can be written.

MAGIC = bytes.fromhex("28b52ffd")
RAW, RLE, COMPRESSED, RESERVED = range(4)
BLOCK_MAX = 128 * KIB

# Window descriptors: exponent in the upper five bits, mantissa in the lower three.
W_1K, W_8M, W_128M, W_144M, W_2G, W_MAX = 0x00, 0x68, 0x88, 0x89, 0xA8, 0xFF
W_2M = 0x58
# Descriptor bits that no header needs.
UNUSED_BIT, RESERVED_BIT = 0x10, 0x08


def le(value, width):
    return value.to_bytes(width, "little")


def header(window=W_1K, size=b"", dictionary=b"", checksum=False, bits=0):
    """Frame header. No window makes a single segment, the only kind that may declare its size in one byte."""
    single = window is None
    assert len(size) in ((1, 2, 4, 8) if single else (0, 2, 4, 8))
    descriptor = {0: 0, 1: 0, 2: 1, 4: 2, 8: 3}[len(size)] << 6 | {0: 0, 1: 1, 2: 2, 4: 3}[len(dictionary)]
    descriptor |= single << 5 | checksum << 2 | bits
    return MAGIC + bytes([descriptor]) + (b"" if single else bytes([window])) + dictionary + size


def block(kind, size, content=b"", last=True):
    return le(size << 3 | kind << 1 | last, 3) + content


def raw(content, last=True):
    return block(RAW, len(content), content, last)


def rle(byte, size, last=True):
    return block(RLE, size, byte, last)


def compressed(body, last=True):
    return block(COMPRESSED, len(body), body, last)


def literals(content):
    """Body of a compressed block: raw literals with a size of 20 bits, and no sequences. Four bytes more."""
    return le(len(content) << 4 | 3 << 2, 3) + content + b"\0"


def rle_literals(byte, size):
    """Body of a compressed block: RLE literals with a size of 20 bits, and no sequences. Five bytes."""
    return le(size << 4 | 3 << 2 | 1, 3) + byte + b"\0"


def skippable_header(size, variant=0):
    return le(0x184D2A50 + variant, 4) + le(size, 4)


def skippable(content, variant=0):
    return skippable_header(len(content), variant) + content


def checksum(content):
    """Content_Checksum: the lower half of XXH64 with seed 0."""
    return le(xxh64(content) & 0xFFFF_FFFF, 4)


def xxh64(data):
    mask = (1 << 64) - 1
    p1, p2, p3 = 0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9
    p4, p5 = 0x85EBCA77C2B2AE63, 0x27D4EB2F165667C5

    def rotate(x, n):
        return (x << n | x >> (64 - n)) & mask

    def lane(acc, word):
        return rotate((acc + word * p2) & mask, 31) * p1 & mask

    stripes = len(data) // 32 * 32
    if stripes:
        acc = [(p1 + p2) & mask, p2, 0, -p1 & mask]
        for words in struct.iter_unpack("<4Q", data[:stripes]):
            acc = [lane(a, word) for a, word in zip(acc, words)]
        h = sum(rotate(a, n) for a, n in zip(acc, (1, 7, 12, 18)))
        for a in acc:
            h = ((h ^ lane(0, a)) * p1 + p4) & mask
    else:
        h = p5
    h = (h + len(data)) & mask
    tail = data[stripes:]
    while len(tail) >= 8:
        h = (rotate(h ^ lane(0, int.from_bytes(tail[:8], "little")), 27) * p1 + p4) & mask
        tail = tail[8:]
    if len(tail) >= 4:
        h = (rotate(h ^ int.from_bytes(tail[:4], "little") * p1 & mask, 23) * p2 + p3) & mask
        tail = tail[4:]
    for byte in tail:
        h = rotate(h ^ byte * p5 & mask, 11) * p1 & mask
    h = (h ^ h >> 33) * p2 & mask
    h = (h ^ h >> 29) * p3 & mask
    return h ^ h >> 32


# The manifest.


@dataclass
class Entry:
    """A file, and what is expected of it. The verdicts and the error are those under the default limits, without
    dictionary; `decoded` is the content that it has with its dictionary and without limits."""

    path: str
    made: str
    data: bytes
    envelope: str = "valid"
    content: str = "valid"
    rule: str | None = None
    offset: int | None = None
    frame: int | None = None
    block: int | None = None
    decoded: bytes | None = None
    dictionary: str | None = None

    def table(self):
        keys = ("path", "made", "envelope", "content", "rule", "offset", "frame", "block")
        values = [(key, getattr(self, key)) for key in keys]
        if self.decoded is not None:
            values.append(("decoded_size", len(self.decoded)))
            values.append(("sha256", hashlib.sha256(self.decoded).hexdigest()))
        values.append(("dictionary", self.dictionary))
        # JSON strings and numbers are TOML ones, too.
        return "[[file]]\n" + "".join(f"{key} = {json.dumps(value)}\n" for key, value in values if value is not None)


class Corpus:
    """The files so far."""

    def __init__(self):
        self.entries = []

    def add(self, path, made, data, **expected):
        assert all(path != entry.path for entry in self.entries), path
        self.entries.append(Entry(path, made, data, **expected))

    def valid(self, name, why, data, content):
        self.add(f"bytes/{name}.zst", f"bytes: {why}", data, decoded=content)

    def invalid(self, name, why, data, rule, at, frame=0, block=None, envelope="invalid"):
        """A stream whose first fault is at `at`; the walk alone shows it unless `envelope` is "valid"."""
        place = {"rule": rule, "offset": at, "frame": frame, "block": block}
        self.add(f"bytes/{name}.zst", f"bytes: {why}", data, envelope=envelope, content="invalid", **place)

    def truncated(self, name, why, data, frame=0, block=None):
        self.invalid(name, why, data, "F12", len(data), frame, block)

    def corrupt(self, name, why, data):
        """A fault inside of a compressed block. Such rules have no ids of their own here."""
        self.add(f"bytes/{name}.zst", f"bytes: {why}", data, content="invalid")

    def over_limit(self, name, why, data, content, at=0, frame=0):
        verdict = {"envelope": "over-limit", "content": "over-limit", "rule": "X01", "offset": at, "frame": frame}
        self.add(f"bytes/{name}.zst", f"bytes: {why}", data, decoded=content, **verdict)

    def needs_dictionary(self, name, why, data, at=0, frame=0):
        verdict = {"envelope": "needs-dictionary", "content": "needs-dictionary"}
        self.add(f"bytes/{name}.zst", f"bytes: {why}", data, rule="D01", offset=at, frame=frame, **verdict)

    def write(self, version):
        for entry in self.entries:
            (HERE / entry.path).write_bytes(entry.data)
        entries = sorted(self.entries, key=lambda entry: entry.path)
        (HERE / "MANIFEST.toml").write_text("\n".join([MANIFEST_HEAD.format(version=version)] + [e.table() for e in entries]))


MANIFEST_HEAD = """\
# What is in the corpus, and what is expected of it. Made by `python3 corpus/make.py` with zstd {version}: do not edit.
#
# path         relative to corpus/
# made         the command lines with the zstd version, or "bytes:" and what was laid by hand
# envelope     verdict on frames, headers and sizes | valid, invalid, over-limit, needs-dictionary: under the
# content      verdict with the content decoded     | default limits (window 128 MiB) and without any dictionary
# rule         what is wrong at the content level: the weightiest error, of equals the first. A file that is not valid
#              and has no rule breaks one inside of a compressed block.
# offset, frame, block   where; without block, where it is not in one
# decoded_size, sha256   of the content; with `dictionary`, where it takes one, and with limits raised, where it is over
# dictionary   what it was made with, relative to corpus/
"""


# bytes/: a function for each rule, in the order of their ids; names begin with the rule that a file keeps or breaks.

TEXT = b"vet, then trust"
HEADER = header()
FRAME = HEADER + raw(TEXT)
EMPTY = HEADER + raw(b"")


def f01_trailing_bytes(c):
    at = len(FRAME)
    tails = [
        ("1-zero", "one zero byte", b"\0"),
        ("2-zeros", "two zero bytes", bytes(2)),
        ("4-zeros", "four zero bytes", bytes(4)),
        ("512-zeros", "512 zero bytes of padding", bytes(512)),
        ("text", "text", b"and a line of text\n"),
        ("gzip", "a gzip file", gzip(TEXT)),
        ("half-magic", "two bytes, of which only the first is of the magic number", b"\x28\x00"),
        ("skippable-60", "0x184D2A60, one above the skippable magic numbers", le(0x184D2A60, 4) + le(0, 4)),
        ("block", "one more block after the last", raw(TEXT)),
        ("dictionary-magic", "the magic number of a dictionary", bytes.fromhex("37a430ec") + le(40000, 4)),
    ]
    for name, why, tail in tails:
        c.invalid(f"f01-{name}", f"a frame, then {why}", FRAME + tail, "F01", at, 1)
    c.invalid("f01-after-skippable", "a skippable frame, then text", skippable(TEXT) + TEXT, "F01", 8 + len(TEXT), 1)
    c.invalid("f01-between", "two frames with a zero byte between", FRAME + b"\0" + FRAME, "F01", at, 1)
    c.valid("f01-two-frames", "two frames and nothing else", FRAME * 2, TEXT * 2)


def f02_not_zstd(c):
    magicless = FRAME[len(MAGIC) :]
    streams = [
        ("gzip", "gzip", gzip(TEXT)),
        ("xz", "an empty xz file", bytes.fromhex("fd377a585a000004e6d6b446000000001cdf44211fb6f37d010000000004595a")),
        ("lz4", "an empty lz4 frame", bytes.fromhex("04224d186440a700000000055dcc02")),
        ("bzip2", "an empty bzip2 file", bytes.fromhex("425a683917724538509000000000")),
        ("zip", "a zip file's first header", zip_header(b"name", TEXT)),
        ("zlib", "zlib", b"\x78\x01" + stored(TEXT) + zlib.adler32(TEXT).to_bytes(4, "big")),
        ("dictionary", "how a zstd dictionary begins", bytes.fromhex("37a430ec") + le(40000, 4) + TEXT),
        ("legacy-1", "the magic number of zstd v0.1, then a frame of today", bytes.fromhex("fd2fb51e") + magicless),
        ("magic-9", "a magic number one above", bytes.fromhex("29b52ffd") + magicless),
        ("swapped", "the magic number byte-swapped", MAGIC[::-1] + magicless),
        ("magicless", "a frame without its magic number", magicless),
        ("text", "text", b"This is a line of text, and nothing else.\n"),
        ("1-byte", "one byte of text", b"z"),
        ("3-bytes", "three bytes that no magic number begins with", b"\x28\xb5\x00"),
        ("zeros", "64 zero bytes", bytes(64)),
        ("leading-zeros", "four zero bytes before a frame", bytes(4) + FRAME),
        ("leading-text", "a line of text before a frame", b"# zstd\n" + FRAME),
        ("leading-1-byte", "one stray byte before a frame", b"\0" + FRAME),
        ("skippable-4f", "0x184D2A4F, one below the skippable magic numbers", le(0x184D2A4F, 4) + le(0, 4) + FRAME),
        ("skippable-60", "0x184D2A60, one above the skippable magic numbers", le(0x184D2A60, 4) + le(0, 4) + FRAME),
    ]
    for minor in range(2, 8):
        why = f"the magic number of zstd v0.{minor}, then a frame of today"
        streams.append((f"legacy-{minor}", why, bytes([0x20 + minor]) + MAGIC[1:] + magicless))
    for name, why, data in streams:
        c.invalid(f"f02-{name}", why, data, "F02", 0)


def stored(content):
    """A deflate stream of one stored block. By hand: what a library makes may change with its version."""
    return b"\x01" + le(len(content), 2) + le(len(content) ^ 0xFFFF, 2) + content


def gzip(content):
    return bytes.fromhex("1f8b08000000000000ff") + stored(content) + le(zlib.crc32(content), 4) + le(len(content), 4)


def zip_header(name, content):
    size = len(content)
    return b"PK\3\4" + struct.pack("<5H3I2H", 20, 0, 0, 0, 0x21, zlib.crc32(content), size, size, len(name), 0) + name + content


def f03_header_sizes(c):
    """Every descriptor that is allowed makes a header of its own size: all 64 of them, as frames of one stream."""
    frames = []
    for descriptor in range(256):
        if descriptor & (UNUSED_BIT | RESERVED_BIT):
            continue
        single, size_flag = descriptor >> 5 & 1, descriptor >> 6
        # As much content as the narrow field can say, and no dictionary: an id of 0 is none.
        content = TEXT * 20
        width = {0: single, 1: 2, 2: 4, 3: 8}[size_flag]
        content = content[:255] if width == 1 else content
        size = le(len(content) - (256 if width == 2 else 0), width) if width else b""
        check = bool(descriptor >> 2 & 1)
        head = header(None if single else W_1K, size, bytes((0, 1, 2, 4)[descriptor & 3]), check)
        assert head[4] == descriptor
        frames.append((head + raw(content) + (checksum(content) if check else b""), content))
    data, content = (b"".join(parts) for parts in zip(*frames))
    assert len(frames) == 64
    c.valid("f03-all-descriptors", "a frame for each descriptor byte without unused and reserved bit", data, content)
    largest = header(W_1K, le(len(TEXT), 8), le(0, 4), checksum=True)
    assert len(largest) == 18
    c.valid("f03-header-18-bytes", "the largest header: every field there, at its widest", largest + raw(TEXT) + checksum(TEXT), TEXT)
    smallest = header(None, le(len(TEXT), 1))
    assert len(smallest) == 6
    c.valid("f03-header-6-bytes", "the smallest header with a size", smallest + raw(TEXT), TEXT)


def f04_reserved_bit(c):
    c.invalid("f04-set", "reserved bit set", header(bits=RESERVED_BIT) + raw(TEXT), "F04", 4)
    single = header(None, le(len(TEXT), 1), bits=RESERVED_BIT)
    c.invalid("f04-single-segment", "reserved bit set in a single segment", single + raw(TEXT), "F04", 4)
    c.invalid("f04-5-bytes", "reserved bit set, and nothing after it", MAGIC + bytes([RESERVED_BIT]), "F04", 4)
    c.invalid("f04-second-frame", "a frame, then one with the reserved bit set", FRAME + header(bits=RESERVED_BIT) + raw(TEXT), "F04", len(FRAME) + 4, 1)


def f05_unused_bit(c):
    c.valid("f05-set", "unused bit set", header(bits=UNUSED_BIT) + raw(TEXT), TEXT)
    data = header(None, le(len(TEXT), 1), checksum=True, bits=UNUSED_BIT) + raw(TEXT) + checksum(TEXT)
    c.valid("f05-single-segment", "unused bit set in a single segment with checksum", data, TEXT)


def f06_window(c):
    for window, name in ((W_1K, "1k"), (0x07, "1k-and-7-eighths"), (W_8M, "8m"), (W_8M + 1, "9m"), (W_128M, "128m")):
        c.valid(f"f06-{name}", f"window descriptor 0x{window:02x}", header(window) + raw(TEXT), TEXT)
    eighths = 1 * KIB + 7 * KIB // 8
    c.valid("f06-mantissa-counts", "a block of all of the window of 1 KiB and 7/8", header(0x07) + rle(b"w", eighths), b"w" * eighths)


def f07_dictionary_id(c):
    for width in (1, 2, 4):
        data = header(dictionary=le(0, width)) + raw(TEXT)
        c.valid(f"f07-zero-in-{width}", f"dictionary id 0 in {width} bytes: none", data, TEXT)


def f08_content_size(c):
    text, unit = le(len(TEXT), 8), b"u"
    sizes = [
        ("1-byte-0", None, le(0, 1), 0),
        ("1-byte-255", None, le(255, 1), 255),
        ("2-bytes-0", None, le(0, 2), 256),
        ("2-bytes-65535", None, le(0xFFFF, 2), 65791),
        ("2-bytes-window", W_2M, le(0, 2), 256),
        ("4-bytes-1", None, le(1, 4), 1),
        ("4-bytes-window-0", W_1K, le(0, 4), 0),
        ("8-bytes-1", None, le(1, 8), 1),
        ("8-bytes-0", None, le(0, 8), 0),
    ]
    for name, window, size, content in sizes:
        blocks = rle(unit, content) if content else raw(b"")
        c.valid(f"f08-{name}", f"declared in {len(size)} bytes: {content}", header(window, size) + blocks, unit * content)
    c.valid("f08-8-bytes-window", "declared in 8 bytes beside a window", header(W_1K, text) + raw(TEXT), TEXT)


def f09_content_size(c):
    declares = lambda size, window=W_1K: header(window, le(size, 4))
    h = len(declares(0))
    n = len(TEXT)
    wrong = lambda name, why, data, at=h, block=0: c.invalid(f"f09-{name}", why, data, "F09", at, block=block)

    # What the blocks' headers tell.
    c.valid("f09-exact", "declared is what there is", declares(n) + raw(TEXT), TEXT)
    wrong("one-over", "one byte less declared than there is", declares(n - 1) + raw(TEXT))
    wrong("one-under", "one byte more declared than there is", declares(n + 1) + raw(TEXT))
    wrong("zero-declared", "0 declared, which is a size, and one byte there", declares(0) + raw(b"z"))
    wrong("rle-under", "100 declared, an RLE block of 99", declares(100) + rle(b"r", 99))
    wrong("2-bytes-0", "256 declared as 0 in 2 bytes, none there", header(W_1K, le(0, 2)) + raw(b""), len(header(W_1K, le(0, 2))))
    wrong("single-segment-under", "a single segment one byte short", header(None, le(n + 1, 1)) + raw(TEXT), 6)
    last_empty = declares(n + 1) + raw(TEXT, last=False)
    wrong("last-empty-under", "one byte short, behind an empty last block", last_empty + raw(b""), len(last_empty), 1)
    last_empty = declares(1_000_000) + rle(b"r", 1024, last=False) * 3
    wrong("last-empty-far-under", "a million declared, 3 KiB there, last block empty", last_empty + raw(b""), len(last_empty), 3)
    data = last_empty + raw(b"")
    checked = header(W_1K, le(1_000_000, 4), checksum=True) + data[h:] + checksum(b"r" * 3072)
    wrong("last-empty-checksum", "the same with a checksum that is right", checked, len(last_empty), 3)
    first = declares(n + 5) + raw(TEXT, last=False)
    wrong("over-before-last", "exceeded by the second of three blocks", first + raw(TEXT, last=False) + raw(b""), len(first), 1)
    wrong("over-in-last", "exceeded by the last of two blocks", first + raw(TEXT), len(first), 1)
    for power, name in ((64, "2-64-less-1"), (32, "2-32-less-1")):
        head = header(W_1K, le((1 << power) - 1, power // 8))
        wrong(name, f"2^{power} - 1 declared, nothing there", head + raw(b""), len(head))
    head = header(W_1K, le((1 << 64) - 2, 8))
    wrong("2-64-less-2", "2^64 - 2 declared, nothing there", head + raw(b""), len(head))
    head = header(W_1K, le(1 << 63, 8))
    wrong("2-63-twice", "two frames that declare 2^63 each and hold nothing", (head + raw(b"")) * 2, len(head))
    head = header(None, le((1 << 64) - 1, 8))
    wrong("single-2-64-less-1", "a single segment, so a window, of 2^64 - 1, nothing there", head + raw(b""), len(head))
    c.invalid("f09-second-frame", "a frame, then one that is one byte short", FRAME + declares(n + 1) + raw(TEXT), "F09", len(FRAME) + h, 1, 0)

    # What the bracket tells: a compressed block makes 0 bytes to the block maximum, here 1 KiB.
    body = literals(TEXT)
    c.valid("f09-compressed-exact", "declared is what a compressed block makes", declares(n) + compressed(body), TEXT)
    wrong("bracket-over-top", "1025 declared, one compressed block", declares(1025) + compressed(body))
    two = declares(1024 + n + 1) + raw(TEXT, last=False)
    wrong("bracket-over-top-mixed", "one more than raw and a full compressed block make", two + compressed(body), len(two), 1)
    two = declares(n - 1) + compressed(rle_literals(b"r", 4), last=False)
    wrong("bracket-under-bottom", "less declared than the raw block after a compressed one", two + raw(TEXT), len(two), 1)

    # What only the content tells.
    hidden = lambda name, why, data: c.invalid(f"f09-{name}", why, data, "F09", 0, envelope="valid")
    hidden("content-under", "one byte more declared than a compressed block makes", declares(n + 1) + compressed(body))
    hidden("content-over", "one byte less declared than a compressed block makes", declares(n - 1) + compressed(body))
    hidden("content-zero", "0 declared, and a compressed block that makes some", declares(0) + compressed(body))
    hidden("content-top", "1024 declared, the most that the block may make", declares(1024) + compressed(body))
    hidden("content-under-last-empty", "one byte short of it behind an empty last block", declares(n + 1) + compressed(body, last=False) + raw(b""))
    hidden("content-bottom", "declared is the raw block alone, beside a compressed one", declares(n) + raw(TEXT, last=False) + compressed(body))
    second = FRAME + declares(n + 1) + compressed(body)
    c.invalid("f09-content-second-frame", "a frame, then one whose content is short", second, "F09", len(FRAME), 1, envelope="valid")


def f10_checksum(c):
    head = header(checksum=True)
    right = checksum(TEXT)
    at = len(head + raw(TEXT))
    long = TEXT * 40
    c.valid("f10-right", "the right checksum", head + raw(TEXT) + right, TEXT)
    c.valid("f10-right-empty", "the right checksum of no content", head + raw(b"") + checksum(b""), b"")
    blocks = raw(long, last=False) + rle(b"r", 1000, last=False) + compressed(literals(TEXT))
    content = long + b"r" * 1000 + TEXT
    c.valid("f10-right-blocks", "the right checksum over blocks of every type", head + blocks + checksum(content), content)
    c.valid("f10-right-twice", "two frames, each with the checksum of its own content", (head + raw(TEXT) + right) * 2, TEXT * 2)
    wrong = [
        ("one-bit", "one bit wrong", right[:3] + bytes([right[3] ^ 0x80])),
        ("zero", "zero", bytes(4)),
        ("big-endian", "byte-swapped", right[::-1]),
        ("upper-half", "the upper half of XXH64", le(xxh64(TEXT) >> 32, 4)),
    ]
    for name, why, stored in wrong:
        c.invalid(f"f10-{name}", f"a checksum that is {why}", head + raw(TEXT) + stored, "F10", at, envelope="valid")
    c.invalid("f10-empty-zero", "a checksum of zero for no content", head + raw(b"") + bytes(4), "F10", len(head) + 3, envelope="valid")
    flipped = head + raw(b"V" + TEXT[1:]) + right
    c.invalid("f10-content", "one bit of a raw block wrong, under the right checksum", flipped, "F10", at, envelope="valid")
    second = FRAME + head + raw(TEXT) + right[::-1]
    c.invalid("f10-second-frame", "a frame, then one with a wrong checksum", second, "F10", len(FRAME) + at, 1, envelope="valid")
    running = head + raw(TEXT) + right
    running += head + raw(TEXT) + checksum(TEXT * 2)
    c.invalid("f10-running", "the second frame has the checksum of both contents", running, "F10", 2 * at + 4, 1, envelope="valid")


def f12_truncated(c):
    whole = header(W_1K, le(len(TEXT), 8), le(0, 4), checksum=True) + raw(TEXT) + checksum(TEXT)
    blocks = 18
    content = blocks + 3
    checksum_at = content + len(TEXT)
    cuts = [
        ("magic-1", 1, None, "in the magic number"),
        ("magic-3", 3, None, "in the magic number"),
        ("header-4", 4, None, "after the magic number"),
        ("header-5", 5, None, "after the descriptor"),
        ("header-17", 17, None, "a byte before the end of the header"),
        ("block-header-0", blocks, 0, "after the frame header"),
        ("block-header-2", blocks + 2, 0, "in the first block header"),
        ("content-0", content, 0, "after the first block header"),
        ("content-less-1", checksum_at - 1, 0, "a byte before the end of the block"),
        ("checksum-0", checksum_at, None, "before the checksum"),
        ("checksum-3", checksum_at + 3, None, "a byte before the end of the checksum"),
    ]
    for name, size, in_block, why in cuts:
        c.truncated(f"f12-{name}", f"cut {why}", whole[:size], block=in_block)
        c.truncated(f"f12-second-{name}", f"a frame, then one cut {why}", FRAME + whole[:size], 1, in_block)
    c.truncated("f12-no-last-block", "ends after a block that is not the last", HEADER + raw(TEXT, last=False), block=1)
    many = HEADER + raw(b"m", last=False) * 10
    c.truncated("f12-no-last-block-of-10", "ends after ten blocks, none the last", many, block=10)
    c.truncated("f12-second-block-header", "cut in the second block header", HEADER + raw(TEXT, last=False) + raw(b"")[:2], block=1)
    c.truncated("f12-rle", "an RLE block without its byte", HEADER + block(RLE, 9), block=0)
    c.truncated("f12-compressed", "cut in a compressed block", HEADER + compressed(literals(TEXT))[:-1], block=0)
    c.truncated("f12-block-of-128k", "a raw block of 128 KiB, of which there is one byte", header(W_2M) + block(RAW, BLOCK_MAX, b"o"), block=0)
    skip = skippable(TEXT, 7)
    for size, why in ((1, "in the magic number"), (4, "before the size"), (7, "in the size"), (8, "before the content"), (len(skip) - 1, "in the content")):
        c.truncated(f"f12-skippable-{size}", f"a skippable frame cut {why}", skip[:size])
        c.truncated(f"f12-second-skippable-{size}", f"a frame, then a skippable one cut {why}", FRAME + skip[:size], 1)
    c.truncated("f12-limit", "over the window limit and cut: the fault outweighs the limit", header(W_MAX) + raw(TEXT)[:-1], block=0)


def f13_empty(c):
    c.invalid("f13-empty", "no bytes at all", b"", "F13", 0)
    c.valid("f13-one-empty-frame", "the smallest stream with a window: one empty frame", EMPTY, b"")
    c.valid("f13-only-skippable", "one empty skippable frame and nothing else: no content", skippable(b""), b"")
    c.valid("f13-2000-empty-frames", "2000 empty frames", EMPTY * 2000, b"")


def b01_block_header(c):
    kinds = raw(TEXT, last=False) + rle(b"r", 700, last=False) + compressed(literals(TEXT), last=False) + raw(b"")
    content = TEXT + b"r" * 700 + TEXT
    c.valid("b01-all-types", "raw, RLE and compressed, then an empty last block", HEADER + kinds, content)
    c.valid("b01-size-needs-17-bits", "a size with its highest bit in the third byte", header(W_2M) + rle(b"h", 0x10001), b"h" * 0x10001)
    c.valid("b01-empty-between", "empty blocks between others", HEADER + raw(b"", last=False) * 3 + raw(TEXT, last=False) + raw(b"", last=False) + raw(b""), TEXT)


def b02_reserved_type(c):
    h = len(HEADER)
    c.invalid("b02-first", "block type 3", HEADER + block(RESERVED, 0), "B02", h, block=0)
    c.invalid("b02-not-last", "block type 3, then a last block", HEADER + block(RESERVED, 1, b"r", last=False) + raw(b""), "B02", h, block=0)
    second = HEADER + raw(TEXT, last=False)
    c.invalid("b02-second", "a raw block, then block type 3", second + block(RESERVED, len(TEXT), TEXT), "B02", len(second), block=1)
    c.invalid("b02-size-max", "block type 3 of 2^21 - 1 bytes", HEADER + block(RESERVED, (1 << 21) - 1), "B02", h, block=0)
    data = FRAME + skippable(TEXT) + HEADER
    c.invalid("b02-third-frame", "a frame, a skippable frame, then block type 3", data + block(RESERVED, 0), "B02", len(data), 2, 0)


def b03_block_maximum(c):
    ok = lambda name, why, data, content: c.valid(f"b03-{name}", why, data, content)
    large = lambda name, why, head, blocks: c.invalid(f"b03-{name}", why, head + blocks, "B03", len(head), block=0)

    # Window 1 KiB.
    fill = (TEXT * 100)[:1025]
    ok("1k-raw", "window 1 KiB, raw block of it", HEADER + raw(fill[:1024]), fill[:1024])
    large("1k-raw-1", "window 1 KiB, raw block of one more", HEADER, raw(fill))
    ok("1k-rle", "window 1 KiB, RLE block of it", HEADER + rle(b"r", 1024), b"r" * 1024)
    large("1k-rle-1", "window 1 KiB, RLE block of one more", HEADER, rle(b"r", 1025))
    ok("1k-compressed", "window 1 KiB, compressed block that stores it", HEADER + compressed(literals(fill[:1020])), fill[:1020])
    large("1k-compressed-1", "window 1 KiB, compressed block that stores one more", HEADER, compressed(literals(fill[:1021])))
    ok("1k-regenerated", "window 1 KiB, compressed block that makes it", HEADER + compressed(rle_literals(b"r", 1024)), b"r" * 1024)
    c.corrupt("b03-1k-regenerated-1", "window 1 KiB, compressed block that makes one more", HEADER + compressed(rle_literals(b"r", 1025)))
    # The next block could make as much, so the sizes of the frame as a whole do not tell.
    blocks = compressed(rle_literals(b"r", 1025), last=False) + compressed(b"\0\0")
    c.corrupt("b03-1k-regenerated-1-first", "the same, then a compressed block that makes nothing", HEADER + blocks)
    sized = header(W_1K, le(1025, 4))
    c.corrupt("b03-1k-regenerated-1-declared", "the same, and what it makes declared", sized + blocks)
    second = HEADER + raw(TEXT, last=False)
    c.invalid("b03-second", "window 1 KiB, second block of one more", second + rle(b"r", 1025), "B03", len(second), block=1)

    # 128 KiB, under larger windows.
    two = header(W_2M)
    ok("128k-rle", "RLE block of 128 KiB", two + rle(b"r", BLOCK_MAX), b"r" * BLOCK_MAX)
    large("128k-rle-1", "RLE block of 128 KiB and 1", two, rle(b"r", BLOCK_MAX + 1))
    large("128k-raw-1", "header of a raw block of 128 KiB and 1", two, block(RAW, BLOCK_MAX + 1, TEXT))
    large("128k-compressed-1", "header of a compressed block of 128 KiB and 1", two, block(COMPRESSED, BLOCK_MAX + 1, TEXT))
    stored = bytes(range(256)) * 512
    ok("128k-compressed", "compressed block that stores 128 KiB", two + compressed(literals(stored[:-4])), stored[:-4])
    ok("128k-regenerated", "compressed block that makes 128 KiB", two + compressed(rle_literals(b"r", BLOCK_MAX)), b"r" * BLOCK_MAX)
    c.corrupt("b03-128k-regenerated-1", "compressed block that makes 128 KiB and 1", two + compressed(rle_literals(b"r", BLOCK_MAX + 1)))
    large("size-max-raw", "raw block of 2^21 - 1, of which there is nothing", two, block(RAW, (1 << 21) - 1))
    large("size-max-rle", "RLE block of 2^21 - 1", two, rle(b"r", (1 << 21) - 1))
    declared = header(None, le(1 << 20, 4))
    large("128k-single-segment-1", "single segment of 1 MiB, RLE block of 128 KiB and 1", declared, rle(b"r", BLOCK_MAX + 1))

    # Single segments: the window is what is declared.
    n = len(TEXT)
    single = header(None, le(n, 1))
    ok("single-raw", "single segment, raw block of it", single + raw(TEXT), TEXT)
    large("single-raw-1", "single segment, raw block of one more", single, raw(TEXT + b"1"))
    large("single-rle-1", "single segment, RLE block of one more", single, rle(b"r", n + 1))
    large("single-compressed-1", "single segment, compressed block that stores more than it makes", single, compressed(literals(TEXT)))
    ok("single-compressed", "single segment, compressed block that stores less", single + compressed(rle_literals(b"r", n)), b"r" * n)
    zero = header(None, le(0, 1))
    ok("zero-raw", "single segment of 0, raw block of 0", zero + raw(b""), b"")
    large("zero-rle", "single segment of 0, RLE block of 0: its one byte is over the maximum", zero, rle(b"r", 0))
    large("zero-rle-1", "single segment of 0, RLE block of 1", zero, rle(b"r", 1))
    large("zero-raw-1", "single segment of 0, raw block of 1", zero, raw(b"1"))
    large("zero-compressed-2", "single segment of 0, the smallest compressed block", zero, compressed(b"\0\0"))


def b04_rle(c):
    c.valid("b04-first", "RLE as the first block, then raw", HEADER + rle(b"r", 1000, last=False) + raw(TEXT), b"r" * 1000 + TEXT)
    c.valid("b04-zero", "RLE block of 0: its byte is there", HEADER + rle(b"r", 0), b"")
    c.valid("b04-zero-between", "RLE block of 0 before a raw block", HEADER + rle(b"\xff", 0, last=False) + raw(TEXT), TEXT)
    c.valid("b04-one", "RLE block of 1", HEADER + rle(b"r", 1), b"r")


def b05_compressed_minimum(c):
    h = len(HEADER)
    for size in (0, 1):
        c.invalid(f"b05-{size}", f"compressed block of {size}", HEADER + compressed(bytes(size)), "B05", h, block=0)
        data = HEADER + compressed(bytes(size), last=False) + raw(TEXT)
        c.invalid(f"b05-{size}-not-last", f"compressed block of {size}, then a raw one", data, "B05", h, block=0)
    c.invalid("b05-single-segment-0", "single segment of 0, compressed block of 0", header(None, le(0, 1)) + compressed(b""), "B05", 6, block=0)
    c.valid("b05-2", "compressed block of 2: no literals, no sequences", HEADER + compressed(b"\0\0"), b"")
    c.valid("b05-raw-literals", "compressed block of raw literals", HEADER + compressed(literals(TEXT)), TEXT)
    c.valid("b05-rle-literals", "compressed block of RLE literals", HEADER + compressed(rle_literals(b"r", 1000)), b"r" * 1000)
    short = bytes([len(TEXT) << 3]) + TEXT + b"\0"
    c.valid("b05-short-header", "compressed block of raw literals, size in 5 bits", HEADER + compressed(short), TEXT)
    c.corrupt("b05-no-sequences-header", "compressed block that ends after its literals", HEADER + compressed(short[:-1]))
    c.corrupt("b05-literals-over-end", "compressed block with more literals than bytes", HEADER + compressed(bytes([31 << 3]) + TEXT))


def k01_skippable(c):
    every = b"".join(skippable(bytes([variant]) * variant, variant) for variant in range(16))
    c.valid("k01-all-magics", "the sixteen skippable magic numbers, then a frame", every + FRAME, TEXT)
    c.valid("k01-everywhere", "skippable frames before, between and after frames", skippable(TEXT) + FRAME + skippable(b"", 3) + skippable(TEXT, 15) + FRAME + skippable(b"after"), TEXT * 2)
    c.valid("k01-holds-frame", "a skippable frame that holds a frame", skippable(FRAME) + FRAME, TEXT)
    c.valid("k01-holds-broken-frame", "a skippable frame that holds a broken frame", skippable(HEADER + block(RESERVED, 0)) + FRAME, TEXT)
    c.valid("k01-only", "skippable frames and nothing else: no content", skippable(TEXT) * 3, b"")
    c.valid("k01-2000-empty", "2000 empty skippable frames, then a frame", skippable(b"") * 2000 + FRAME, TEXT)


def k02_skippable_size(c):
    sizes = [
        ("2-32-less-8", (1 << 32) - 8, b""),  # The size of the frame is 0 in 32 bits: some readers loop here.
        ("2-32-less-1", (1 << 32) - 1, TEXT),
        ("2-31", 1 << 31, TEXT),
    ]
    for name, size, content in sizes:
        c.truncated(f"k02-{name}", f"skippable frame of {size} bytes, {len(content)} there", skippable_header(size) + content)
    # In 32 bits this one would end right before the frame that follows.
    c.truncated("k02-2-32-less-8-then-frame", "skippable frame of 2^32 - 8 bytes, then bytes of a frame", skippable_header((1 << 32) - 8) + FRAME)
    c.valid("k02-1", "skippable frame of one byte", skippable(b"k") + FRAME, TEXT)


def x01_window_limit(c):
    for window, name in ((W_144M, "144m"), (W_2G, "2g"), (W_MAX, "3.75t")):
        c.over_limit(f"x01-{name}", f"window descriptor 0x{window:02x}", header(window) + raw(TEXT), TEXT)
    size = 128 * MIB + 1
    blocks = rle(b"x", BLOCK_MAX, last=False) * 1024 + rle(b"x", 1)
    c.over_limit("x01-single-segment", "single segment, so a window, of 128 MiB and 1", header(None, le(size, 4)) + blocks, b"x" * size)
    c.over_limit("x01-second-frame", "a frame, then one with a window of 144 MiB", FRAME + header(W_144M) + raw(TEXT), TEXT * 2, len(FRAME), 1)
    over, named = header(W_144M) + raw(TEXT), header(dictionary=le(13, 1)) + raw(TEXT)
    c.invalid("x01-then-fault", "a window over the limit, then trailing bytes, which outweigh it", over + b"\0", "F01", len(over), 1)
    c.over_limit("x01-after-dictionary", "an unknown dictionary, then a window over the limit, which outweighs it", named + over, None, len(named), 1)
    c.over_limit("x01-and-dictionary", "an unknown dictionary and a window over the limit", header(W_MAX, dictionary=le(13, 4)) + raw(TEXT), None)
    unsized = header(W_144M, checksum=True) + raw(TEXT) + bytes(4)
    c.over_limit("x01-wrong-checksum", "a window over the limit, and a wrong checksum that is not looked at", unsized, None)


def x02_x03_output(c):
    """Valid, as output and ratio are free by default: for tests that set them."""
    mib = b"x" * MIB
    blocks = rle(b"x", BLOCK_MAX, last=False) * 32 + raw(b"")
    c.valid("x02-4m-unsized", "4 MiB of RLE blocks from some 140 bytes", header(W_2M) + blocks, mib * 4)
    c.valid("x02-4m-declared", "4 MiB of RLE blocks, declared", header(W_2M, le(4 * MIB, 4)) + blocks, mib * 4)
    c.valid("x02-4m-compressed", "4 MiB of compressed blocks of 5 bytes", header(W_2M) + compressed(rle_literals(b"x", BLOCK_MAX), last=False) * 32 + raw(b""), mib * 4)
    frames = (header(W_2M) + rle(b"x", BLOCK_MAX)) * 32
    c.valid("x03-4m-frames", "4 MiB of frames of 128 KiB, ten bytes each", frames, mib * 4)


def x04_frames(c):
    """Valid, as the number of frames is free by default: for tests that set it."""
    c.valid("x04-5-frames", "five frames, of which two are skippable", FRAME + skippable(b"") + EMPTY + skippable(TEXT) + FRAME, TEXT * 2)


def d01_dictionary(c):
    named = lambda id, width: header(dictionary=le(id, width)) + raw(TEXT)
    for id, width in ((13, 1), (255, 1), (13, 2), (0xFFFF, 2), (13, 4), (0xFFFF_FFFF, 4)):
        c.needs_dictionary(f"d01-{id}-in-{width}", f"dictionary id {id} in {width} bytes, of which nothing is used", named(id, width))
    c.needs_dictionary("d01-second-frame", "a frame, then one that names a dictionary", FRAME + named(13, 1), len(FRAME), 1)
    c.needs_dictionary("d01-then-frame", "a frame that names a dictionary, then one that does not", named(13, 1) + FRAME)
    c.needs_dictionary("d01-two", "two unknown dictionaries: the first is told", named(13, 1) + named(14, 1))
    wrong = header(dictionary=le(13, 1), checksum=True) + raw(TEXT) + bytes(4)
    c.needs_dictionary("d01-wrong-checksum", "an unknown dictionary, and a wrong checksum that is not looked at", wrong)
    c.invalid("d01-then-fault", "an unknown dictionary, then trailing bytes, which outweigh it", named(13, 1) + b"\0", "F01", len(named(13, 1)), 1)
    data = FRAME + header(dictionary=le(13, 1))
    c.invalid("d01-and-fault", "an unknown dictionary, and a block of type 3", data + block(RESERVED, 0), "B02", len(data), 1, 0)


def make_bytes(c):
    for rule in (
        f01_trailing_bytes, f02_not_zstd, f03_header_sizes, f04_reserved_bit, f05_unused_bit, f06_window,
        f07_dictionary_id, f08_content_size, f09_content_size, f10_checksum, f12_truncated, f13_empty,
        b01_block_header, b02_reserved_type, b03_block_maximum, b04_rle, b05_compressed_minimum,
        k01_skippable, k02_skippable_size, x01_window_limit, x02_x03_output, x04_frames, d01_dictionary,
    ):
        rule(c)


# zstd/: what the zstd command makes of generated content.


class Lcg:
    """Numbers that are the same everywhere."""

    def __init__(self, seed):
        self.state = seed

    def below(self, n):
        self.state = (self.state * 6364136223846793005 + 1442695040888963407) % (1 << 64)
        return (self.state >> 33) % n


def log_lines(size, seed):
    """Text as servers write it."""
    random, lines, length, time = Lcg(seed), [], 0, 0
    verbs, parts = ("GET", "PUT", "POST", "HEAD"), ("user", "item", "cart", "image", "search")
    while length < size:
        time += random.below(400)
        path = f"/{parts[random.below(5)]}/{random.below(500)}"
        lines.append(f"[{time:9}] worker-{random.below(4)} {verbs[random.below(4)]} {path} 200 {random.below(90)}ms\n")
        length += len(lines[-1])
    return "".join(lines).encode()[:size]


def records(count, seed):
    """Records as programs dump them: a counter, a kind, a value that drifts, and padding."""
    random, value, out = Lcg(seed), 1000, []
    for index in range(count):
        value += random.below(9) - 4
        out.append(struct.pack("<IHHiI", index, random.below(3), 7, value, 0))
    return b"".join(out)


def noise(size, seed):
    random = Lcg(seed)
    return bytes(random.below(256) for _ in range(size))


class Zstd:
    """The zstd command, in a directory that holds its inputs."""

    def __init__(self, directory):
        self.command = shutil.which("zstd") or sys.exit("make.py: the zstd command is not on PATH")
        self.directory = Path(directory)
        said = self.run("--version").decode()
        self.version = said.split(" v")[1].split(",")[0]

    def run(self, *args, stdin=b""):
        # zstd takes level and threads from the environment, too.
        env = {key: value for key, value in os.environ.items() if not key.startswith("ZSTD_")}
        done = subprocess.run([self.command, *args], cwd=self.directory, env=env, input=stdin, capture_output=True)
        if done.returncode:
            sys.exit(f"make.py: zstd {' '.join(args)} failed: {done.stderr.decode()}")
        return done.stdout

    def put(self, name, data):
        (self.directory / name).write_bytes(data)

    def file(self, name, *args):
        """Compresses a file: zstd knows its size."""
        return Made(f"zstd {' '.join(args)} {name}", self.run("-q", "-c", *args, name), self.read(name))

    def pipe(self, name, *args):
        """Compresses a pipe: zstd does not know how much comes."""
        content = self.read(name)
        return Made(f"cat {name} | zstd {' '.join(args)}", self.run("-q", "-c", *args, stdin=content), content)

    def read(self, name):
        return (self.directory / name).read_bytes()


@dataclass
class Made:
    """What a command line made."""

    how: str
    data: bytes
    content: bytes


def blocks_of(data):
    """Types and sizes of the blocks of the first frame."""
    descriptor = data[4]
    single = descriptor >> 5 & 1
    at = 6 - single + (0, 1, 2, 4)[descriptor & 3] + (single, 2, 4, 8)[descriptor >> 6]
    blocks, last = [], False
    while not last:
        head = int.from_bytes(data[at : at + 3], "little")
        last, kind, size = head & 1, head >> 1 & 3, head >> 3
        blocks.append((kind, size))
        at += 3 + (1 if kind == RLE else size)
    return blocks


def window_of(data):
    """Window descriptor of the first frame; `None` in a single segment."""
    return None if data[4] & 0x20 else data[5]


def has_checksum(data):
    return bool(data[4] & 4)


def declares_size(data):
    return bool(data[4] & 0xE0)


def make_zstd(c, z):
    z.put("lines.log", log_lines(40_000, 1))
    z.put("blocks.log", log_lines(160_000, 9))
    z.put("large.log", log_lines(20_000, 2) * 70)
    z.put("records.bin", records(4_000, 3))
    z.put("noise.bin", noise(BLOCK_MAX, 4))
    z.put("zeros.bin", bytes(300_000))
    z.put("short.log", log_lines(300, 5))
    z.put("empty", b"")

    def add(name, *made, around=None, **expected):
        """Frames one after the other; `around` puts skippable frames beside them."""
        data = around([frame.data for frame in made]) if around else b"".join(frame.data for frame in made)
        how = ", ".join(frame.how for frame in made)
        content = b"".join(frame.content for frame in made)
        if "dictionary" not in expected:
            assert z.run("-dc", stdin=data) == content, name
        how += f"; {around.__doc__}" if around else ""
        c.add(f"zstd/{name}.zst", f"zstd {z.version}: {how}", data, decoded=content, **expected)

    plain(add, z)
    shapes(add, z)
    streams(add, z)
    damaged(c, z)
    dictionaries(add, z)


def plain(add, z):
    for level in (1, 3, 9, 19):
        made = z.file("lines.log", f"-{level}")
        assert made.data.endswith(checksum(made.content)) and declares_size(made.data)
        add(f"level-{level}", made)
    add("ultra-22", z.file("lines.log", "--ultra", "-22"))
    add("fast-5", z.file("lines.log", "--fast=5"))
    add("records", z.file("records.bin", "-9"))
    add("pipe", z.pipe("lines.log", "-3"))
    unsized = z.file("lines.log", "-3", "--no-content-size")
    assert not declares_size(unsized.data)
    add("no-content-size", unsized)
    bare = z.file("lines.log", "-3", "--no-check")
    assert not has_checksum(bare.data)
    add("no-check", bare)
    add("pipe-no-check", z.pipe("lines.log", "-3", "--no-check"))
    add("short", z.file("short.log", "-3"))
    add("empty", z.file("empty", "-3"))
    add("empty-pipe", z.pipe("empty", "-3"))
    add("empty-no-check", z.file("empty", "-3", "--no-check"))


def shapes(add, z):
    long = z.pipe("lines.log", "-3", "--long=27")
    assert window_of(long.data) == W_128M
    add("long-27-pipe", long)
    small = z.file("short.log", "-3", "--zstd=wlog=10")
    add("window-log-10-short", small)
    windowed = z.file("lines.log", "-3", "--zstd=wlog=10")
    assert window_of(windowed.data) == W_1K and declares_size(windowed.data)
    assert max(size for _, size in blocks_of(windowed.data)) <= KIB
    add("window-log-10", windowed)
    zeros = z.file("zeros.bin", "-3")
    assert (RLE, BLOCK_MAX) in blocks_of(zeros.data)
    add("zeros", zeros)
    add("zeros-pipe", z.pipe("zeros.bin", "-3"))
    random = z.file("noise.bin", "-3")
    assert blocks_of(random.data)[0] == (RAW, BLOCK_MAX)
    add("raw-block-128k", random)
    many_blocks = (
        ("blocks", "blocks.log", ()),
        ("blocks-large", "large.log", ()),
        ("single-thread", "large.log", ("--single-thread",)),
        ("threads-2", "large.log", ("-T2", "-B512K")),
    )
    for name, content, args in many_blocks:
        for suffix, made in (("", z.file(content, "-3", *args)), ("-pipe", z.pipe(content, "-3", *args))):
            assert len(blocks_of(made.data)) > 1
            add(name + suffix, made)


def streams(add, z):
    lines, short, empty = z.file("lines.log", "-3"), z.file("short.log", "-3"), z.file("empty", "-3")
    piped, empty_piped = z.pipe("lines.log", "-1", "--no-check"), z.pipe("empty", "-3")
    add("frames", short, piped, empty, lines, empty_piped, short)
    add("frames-same", short, short, short)

    def skippable_around(frames):
        """skippable frames before, between and after"""
        between = skippable(b"between", 9)
        return skippable(b"before", 1) + between.join(frames) + skippable(b"", 15) + skippable(b"after", 2)

    add("skippable", short, piped, short, around=skippable_around)

    def pzstd(frames):
        """before each frame a skippable frame with its size, as pzstd lays them"""
        return b"".join(skippable(le(len(frame), 4)) + frame for frame in frames)

    add("pzstd-layout", lines, short, piped, around=pzstd)


def damaged(c, z):
    made = z.file("short.log", "-3")
    data = made.data
    how = f"zstd {z.version}: {made.how}; "
    bad = {"content": "invalid", "frame": 0}
    flipped = data[:-1] + bytes([data[-1] ^ 1])
    c.add("zstd/bad-checksum.zst", how + "last bit of the checksum flipped", flipped, rule="F10", offset=len(data) - 4, **bad)
    bad["envelope"] = "invalid"
    c.add("zstd/cut-in-checksum.zst", how + "last byte cut off", data[:-1], rule="F12", offset=len(data) - 1, **bad)
    bad["frame"] = 1
    c.add("zstd/padded.zst", how + "padded with zeros to 512 bytes", data.ljust(512, b"\0"), rule="F01", offset=len(data), **bad)
    c.add("zstd/cut-in-magic.zst", how + "and two bytes of it again", data + data[:2], rule="F12", offset=len(data) + 2, **bad)


DICTIONARY_ID = 40000


def dictionaries(add, z):
    z.put("samples.log", log_lines(100_000, 6))
    z.run("-q", "--train", "samples.log", "-B500", "--maxdict=2048", f"--dictID={DICTIONARY_ID}", "-T1", "-o", "trained.dict")
    assert z.read("trained.dict")[:8] == bytes.fromhex("37a430ec") + le(DICTIONARY_ID, 4)
    z.put("raw.dict", log_lines(2_000, 7))
    z.put("fresh.log", log_lines(1_500, 8))
    z.put("repeat.log", log_lines(2_000, 7)[500:1500])
    for name in ("trained.dict", "raw.dict"):
        (HERE / "dict" / name).write_bytes(z.read(name))

    def with_dictionary(name, dictionary, *made, named, at=0, frame=0):
        """Frames made with a dictionary. One that names it needs it at any level; else only decoding tells."""
        data = b"".join(one.data for one in made)
        content = b"".join(one.content for one in made)
        assert z.run("-dc", "-D", dictionary, stdin=data) == content, name
        place = {"rule": "D01", "offset": at, "frame": frame, "envelope": "needs-dictionary"} if named else {}
        add(name, *made, content="needs-dictionary", dictionary=f"dict/{dictionary}", **place)

    trained = ("-3", "-D", "trained.dict")
    sized, plain = z.file("fresh.log", *trained), z.file("short.log", "-3")
    assert sized.data[4] & 3 == 2
    with_dictionary("dictionary", "trained.dict", sized, named=True)
    with_dictionary("dictionary-pipe", "trained.dict", z.pipe("fresh.log", *trained), named=True)
    with_dictionary("dictionary-19", "trained.dict", z.file("fresh.log", "-19", *trained[1:]), named=True)
    with_dictionary("dictionary-second-frame", "trained.dict", plain, sized, named=True, at=len(plain.data), frame=1)
    unnamed = z.file("fresh.log", *trained, "--no-dictID")
    assert unnamed.data[4] & 3 == 0
    with_dictionary("dictionary-no-id", "trained.dict", unnamed, named=False)
    raw_dictionary = ("-3", "-D", "raw.dict")
    with_dictionary("dictionary-raw", "raw.dict", z.file("repeat.log", *raw_dictionary), named=False)
    with_dictionary("dictionary-raw-pipe", "raw.dict", z.pipe("repeat.log", *raw_dictionary), named=False)


def main():
    with tempfile.TemporaryDirectory() as directory:
        z = Zstd(directory)
        for name in ("bytes", "zstd", "dict"):
            shutil.rmtree(HERE / name, ignore_errors=True)
            (HERE / name).mkdir()
        corpus = Corpus()
        make_bytes(corpus)
        make_zstd(corpus, z)
        corpus.write(z.version)
    size = sum(len(entry.data) for entry in corpus.entries)
    print(f"{len(corpus.entries)} files of {size} bytes, by zstd {z.version}")


if __name__ == "__main__":
    main()
