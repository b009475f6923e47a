"""bytes/: streams laid by hand. A function for each rule, in the order of their ids; the name of a file begins with the
rule that it is about. A boundary has a file on each side of it.

F03, F05 to F08, B01, B04, K01 and K02 can be read wrongly, but no stream breaks them.
"""

import struct
import zlib

from layout import (
    BLOCK_MAX,
    BLOCK_SIZE_LIMIT,
    COMPRESSED,
    DICTIONARY_MAGIC,
    KIB,
    MAGIC,
    MIB,
    RAW,
    RESERVED,
    RESERVED_BIT,
    RLE,
    UNUSED_BIT,
    W_1K,
    W_2G,
    W_2M,
    W_8M,
    W_128M,
    W_144M,
    W_MAX,
    block,
    checksum,
    compressed,
    header,
    le,
    literals,
    raw,
    rle,
    rle_literals,
    skippable,
    skippable_header,
    xxh64,
)

TEXT = b"vet, then trust"
N = len(TEXT)
HEADER = header()
BODY = raw(TEXT)
MORE = raw(TEXT, last=False)
END = raw(b"")
FRAME = HEADER + BODY
EMPTY = HEADER + END


def make_bytes(c):
    for make in (
        f01_trailing_bytes,
        f02_not_zstd,
        f03_header_sizes,
        f04_reserved_bit,
        f05_unused_bit,
        f06_window,
        f07_dictionary_id,
        f08_content_size,
        f09_content_size_by_headers,
        f09_content_size_by_bracket,
        f09_content_size_by_content,
        f10_checksum,
        f12_truncated_frame,
        f12_truncated_blocks,
        f12_truncated_skippable,
        f13_empty,
        b01_block_header,
        b02_reserved_type,
        b03_window_of_1k,
        b03_maximum_of_128k,
        b03_single_segment,
        b04_rle,
        b05_compressed_minimum,
        k01_skippable,
        k02_skippable_size,
        x01_window_limit,
        x02_x03_output,
        x04_frames,
        d01_dictionary,
    ):
        make(c)


def f01_trailing_bytes(c):
    for name, why, tail in (
        ("1-zero", "one zero byte", b"\0"),
        ("2-zeros", "two zero bytes", bytes(2)),
        ("4-zeros", "four zero bytes", bytes(4)),
        ("512-zeros", "512 zero bytes of padding", bytes(512)),
        ("text", "text", b"and a line of text\n"),
        ("gzip", "a gzip file", gzip(TEXT)),
        ("half-magic", "two bytes, the first of which is of the magic number", MAGIC[:1] + b"\0"),
        ("skippable-60", "0x184D2A60, one above the skippable magic numbers", skippable_header(0, 16)),
        ("block", "one more block after the last", BODY),
        ("dictionary", "how a zstd dictionary begins", DICTIONARY_MAGIC + le(40000, 4)),
    ):
        c.invalid(f"f01-{name}", f"a frame, then {why}", FRAME + tail, "F01", len(FRAME), 1)
    c.invalid("f01-between", "a zero byte between two frames", FRAME + b"\0" + FRAME, "F01", len(FRAME), 1)
    skipped = skippable(TEXT)
    c.invalid("f01-after-skippable", "a skippable frame, then text", skipped + TEXT, "F01", len(skipped), 1)
    c.valid("f01-two-frames", "two frames and nothing else", FRAME * 2, TEXT * 2)


def f02_not_zstd(c):
    magicless = FRAME[len(MAGIC) :]
    for name, why, data in (
        ("gzip", "gzip", gzip(TEXT)),
        ("zlib", "zlib", b"\x78\x01" + deflate_stored(TEXT) + zlib.adler32(TEXT).to_bytes(4, "big")),
        ("zip", "the first header of a zip file", zip_header(b"name", TEXT)),
        ("xz", "an empty xz file", bytes.fromhex("fd377a585a000004e6d6b446000000001cdf44211fb6f37d010000000004595a")),
        ("bzip2", "an empty bzip2 file", bytes.fromhex("425a683917724538509000000000")),
        ("lz4", "an empty lz4 file", bytes.fromhex("04224d186440a700000000055dcc02")),
        ("dictionary", "how a zstd dictionary begins", DICTIONARY_MAGIC + le(40000, 4) + TEXT),
        ("legacy-1", "the magic number of zstd v0.1, then a frame of today", bytes.fromhex("fd2fb51e") + magicless),
        ("magic-29", "0xFD2FB529, one above the magic number", bytes.fromhex("29b52ffd") + magicless),
        ("swapped", "the magic number byte-swapped", MAGIC[::-1] + magicless),
        ("magicless", "a frame without its magic number", magicless),
        ("text", "text", b"This is a line of text, and nothing else.\n"),
        ("zeros", "64 zero bytes", bytes(64)),
        ("1-byte", "one byte that no magic number begins with", b"z"),
        ("3-bytes", "three bytes, the first two of which are of the magic number", MAGIC[:2] + b"\0"),
        ("leading-text", "a line of text, then a frame", b"# zstd\n" + FRAME),
        ("leading-zeros", "four zero bytes, then a frame", bytes(4) + FRAME),
        ("leading-1-zero", "one zero byte, then a frame", b"\0" + FRAME),
        ("skippable-4f", "0x184D2A4F, one below the skippable magic numbers", skippable_header(0, -1) + FRAME),
        ("skippable-60", "0x184D2A60, one above the skippable magic numbers", skippable_header(0, 16) + FRAME),
    ):
        c.invalid(f"f02-{name}", why, data, "F02", 0)
    for minor in range(2, 8):
        why = f"the magic number of zstd v0.{minor}, then a frame of today"
        c.invalid(f"f02-legacy-{minor}", why, bytes([0x20 + minor]) + MAGIC[1:] + magicless, "F02", 0)


def deflate_stored(content):
    """One stored block: what a library makes may change with its version."""
    return b"\x01" + le(len(content), 2) + le(len(content) ^ 0xFFFF, 2) + content


def gzip(content):
    head, tail = bytes.fromhex("1f8b08000000000000ff"), le(zlib.crc32(content), 4) + le(len(content), 4)
    return head + deflate_stored(content) + tail


def zip_header(name, content):
    size = len(content)
    fields = struct.pack("<5H3I2H", 20, 0, 0, 0, 0x21, zlib.crc32(content), size, size, len(name), 0)
    return b"PK\3\4" + fields + name + content


def f03_header_sizes(c):
    frames = [frame_of(descriptor) for descriptor in range(256) if not descriptor & (UNUSED_BIT | RESERVED_BIT)]
    data, content = (b"".join(parts) for parts in zip(*frames))
    c.valid("f03-all-descriptors", f"a frame for each of {len(frames)} descriptor bytes", data, content)
    largest = header(W_1K, le(N, 8), le(0, 4), checksum=True)
    assert len(largest) == 18
    c.valid("f03-18-bytes", "the largest header", largest + BODY + checksum(TEXT), TEXT)
    smallest = header(None, le(N, 1))
    assert len(smallest) == 6
    c.valid("f03-6-bytes", "the smallest header that declares a size", smallest + BODY, TEXT)


def frame_of(descriptor):
    """A frame with a given descriptor, and its content: as much as the narrowest field can say."""
    single, check = bool(descriptor & 0x20), bool(descriptor & 4)
    width = (int(single), 2, 4, 8)[descriptor >> 6]
    content = (TEXT * 20)[: 255 if width == 1 else 300]
    size = le(len(content) - (256 if width == 2 else 0), width) if width else b""
    # An id of 0 is none.
    head = header(None if single else W_1K, size, bytes((0, 1, 2, 4)[descriptor & 3]), check)
    assert head[len(MAGIC)] == descriptor
    return head + raw(content) + (checksum(content) if check else b""), content


def f04_reserved_bit(c):
    reserved = header(bits=RESERVED_BIT)
    c.invalid("f04-set", "reserved bit set", reserved + BODY, "F04", 4)
    c.invalid("f04-5-bytes", "reserved bit set, and nothing after it", reserved[:5], "F04", 4)
    c.invalid("f04-second-frame", "the same in the second frame", FRAME + reserved + BODY, "F04", len(FRAME) + 4, 1)
    single = header(None, le(N, 1), checksum=True, bits=RESERVED_BIT | UNUSED_BIT)
    c.invalid("f04-single-segment", "all bits but sizes set", single + BODY + checksum(TEXT), "F04", 4)


def f05_unused_bit(c):
    c.valid("f05-set", "unused bit set", header(bits=UNUSED_BIT) + BODY, TEXT)
    single = header(None, le(N, 1), checksum=True, bits=UNUSED_BIT)
    c.valid("f05-single-segment", "unused bit set in a single segment", single + BODY + checksum(TEXT), TEXT)


def f06_window(c):
    windows = (("1k", W_1K), ("1k-and-7-eighths", 0x07), ("8m", W_8M), ("9m", W_8M + 1), ("128m", W_128M))
    for name, window in windows:
        c.valid(f"f06-{name}", f"window descriptor 0x{window:02x}", header(window) + BODY, TEXT)
    size = 1 * KIB + 7 * KIB // 8
    c.valid("f06-full", "window of 1 KiB and 7/8, block of all of it", header(0x07) + rle(b"w", size), b"w" * size)


def f07_dictionary_id(c):
    for width in (1, 2, 4):
        data = header(dictionary=le(0, width)) + BODY
        c.valid(f"f07-0-in-{width}", f"dictionary id 0 in {width} bytes, which is none", data, TEXT)


def f08_content_size(c):
    for name, window, field, size in (
        ("1-byte-0", None, le(0, 1), 0),
        ("1-byte-255", None, le(255, 1), 255),
        ("2-bytes-0", None, le(0, 2), 256),
        ("2-bytes-65535", None, le(0xFFFF, 2), 65791),
        ("2-bytes-window", W_2M, le(0, 2), 256),
        ("4-bytes-1", None, le(1, 4), 1),
        ("4-bytes-0-window", W_1K, le(0, 4), 0),
        ("8-bytes-0", None, le(0, 8), 0),
        ("8-bytes-1", None, le(1, 8), 1),
        ("8-bytes-window", W_1K, le(9, 8), 9),
    ):
        blocks = rle(b"s", size) if size else END
        c.valid(f"f08-{name}", f"{size} declared, in {len(field)} bytes", header(window, field) + blocks, b"s" * size)


def declares(size, width=4, window=W_1K):
    return header(window, le(size, width))


def f09_content_size_by_headers(c):
    def wrong(name, why, before, at_fault, number=0, after=b""):
        c.invalid(f"f09-{name}", why, before + at_fault + after, "F09", len(before), block=number)

    c.valid("f09-exact", "declared is what there is", declares(N) + BODY, TEXT)
    wrong("over", "one byte less declared than there is", declares(N - 1), BODY)
    wrong("under", "one byte more declared than there is", declares(N + 1), BODY)
    wrong("over-0", "0 declared, which is a size, and one byte there", declares(0), raw(b"z"))
    wrong("under-rle", "100 declared, RLE block of 99", declares(100), rle(b"r", 99))
    wrong("under-256", "256 declared, as 0 in 2 bytes, and nothing there", declares(0, 2), END)
    wrong("under-single-segment", "a single segment one byte short", declares(N + 1, 1, None), BODY)
    wrong("under-last-empty", "one byte short, the last block empty", declares(N + 1) + MORE, END, 1)
    wrong("over-last-empty", "one byte over in the first block, the last one empty", declares(N - 1), MORE, 0, END)
    wrong("over-in-middle", "exceeded by the second of three blocks", declares(N + 5) + MORE, MORE, 1, END)
    wrong("over-in-last", "exceeded by the last of two blocks", declares(N + 5) + MORE, BODY, 1)
    undecided = compressed(bytes([0x33, 0x40, 0, 0x0F, 0]), last=False)
    before = declares(N - 1) + undecided
    wrong("over-after-undecided", "exceeded after literals that want the tree of a dictionary", before, BODY, 1)
    three = rle(b"r", 1024, last=False) * 3
    wrong("far-under", "a million declared, 3 KiB there, the last block empty", declares(1_000_000) + three, END, 3)
    checked = header(W_1K, le(1_000_000, 4), checksum=True)
    wrong("far-under-checksum", "the same, the checksum right", checked + three, END, 3, checksum(b"r" * 3072))
    wrong("under-2-32-less-1", "2^32 - 1 declared, nothing there", declares((1 << 32) - 1, 4), END)
    # To some readers these two mean that the size is not known, and an error.
    wrong("under-2-64-less-1", "2^64 - 1 declared, nothing there", declares((1 << 64) - 1, 8), END)
    wrong("under-2-64-less-2", "2^64 - 2 declared, nothing there", declares((1 << 64) - 2, 8), END)
    single = declares((1 << 64) - 1, 8, None)
    wrong("under-single-2-64-less-1", "a single segment, so a window, of 2^64 - 1, nothing there", single, END)
    # Sums of 64 bits are 0 after the second.
    half = declares(1 << 63, 8)
    wrong("under-2-63-twice", "two frames that declare 2^63 each, nothing there", half, END, 0, half + END)
    second = FRAME + declares(N + 1)
    c.invalid("f09-under-second-frame", "the second frame one byte short", second + BODY, "F09", len(second), 1, 0)


def f09_content_size_by_bracket(c):
    """A compressed block makes nothing to the block maximum, which is 1 KiB here."""

    def wrong(name, why, before, at_fault, number=0):
        c.invalid(f"f09-bracket-{name}", why, before + at_fault, "F09", len(before), block=number)

    body, none = compressed(literals(TEXT)), compressed(b"\0\0", last=False)
    c.valid("f09-bracket-exact", "declared is what a compressed block makes", declares(N) + body, TEXT)
    wrong("top", "1025 declared, one compressed block", declares(1025), body)
    why = "one more declared than a raw block and a full compressed one make"
    wrong("top-beside-raw", why, declares(1025 + N) + MORE, body, 1)
    wrong("bottom", "one less declared than the raw block after a compressed one", declares(N - 1) + none, BODY, 1)
    why = "declared is the raw block after a compressed one that makes nothing"
    c.valid("f09-bracket-bottom-exact", why, declares(N) + none + BODY, TEXT)
    full = declares(1024) + compressed(rle_literals(b"r", 1024))
    c.valid("f09-bracket-top-exact", "1024 declared, one compressed block that makes it", full, b"r" * 1024)


def f09_content_size_by_content(c):
    def wrong(name, why, data, at=0, frame=0):
        c.invalid(f"f09-content-{name}", why, data, "F09", at, frame, envelope="valid")

    body, not_last = compressed(literals(TEXT)), compressed(literals(TEXT), last=False)
    wrong("over", "one byte less declared than a compressed block makes", declares(N - 1) + body)
    wrong("under", "one byte more declared than a compressed block makes", declares(N + 1) + body)
    wrong("over-0", "0 declared, and a compressed block that makes some", declares(0) + body)
    wrong("under-top", "1024 declared, the most that the compressed block may make", declares(1024) + body)
    wrong("under-last-empty", "one byte short, the last block empty", declares(N + 1) + not_last + END)
    more = declares(N - 1) + not_last * 2 + END
    wrong("over-more", "a compressed block makes one byte more, and others follow", more)
    wrong("over-bottom", "a raw block as declared, then a compressed one that makes some", declares(N) + MORE + body)
    wrong("second-frame", "the second frame one byte short", FRAME + declares(N + 1) + body, len(FRAME), 1)


def f10_checksum(c):
    def wrong(name, why, before, stored, frame=0):
        c.invalid(f"f10-{name}", why, before + stored, "F10", len(before), frame, envelope="valid")

    head, right = header(checksum=True), checksum(TEXT)
    checked = head + BODY
    c.valid("f10-right", "the right checksum", checked + right, TEXT)
    c.valid("f10-right-empty", "the right checksum of no content", head + END + checksum(b""), b"")
    c.valid("f10-right-twice", "two frames, each with its own checksum", (checked + right) * 2, TEXT * 2)
    content = TEXT * 40 + b"r" * 1000 + TEXT
    blocks = raw(TEXT * 40, last=False) + rle(b"r", 1000, last=False) + compressed(literals(TEXT))
    c.valid("f10-right-blocks", "the right checksum of all blocks", head + blocks + checksum(content), content)
    wrong("1-bit", "one bit of the checksum wrong", checked, right[:3] + bytes([right[3] ^ 0x80]))
    wrong("zero", "a checksum of zero", checked, bytes(4))
    wrong("big-endian", "the checksum byte-swapped", checked, right[::-1])
    wrong("upper-half", "the upper half of XXH64", checked, le(xxh64(TEXT) >> 32, 4))
    wrong("empty-zero", "a checksum of zero for no content", head + END, bytes(4))
    wrong("content", "one bit of a raw block wrong", head + raw(b"V" + TEXT[1:]), right)
    wrong("second-frame", "the second frame's checksum wrong", FRAME + checked, bytes(4), 1)
    both = checked + right + checked
    wrong("running", "the second frame has the checksum of both contents", both, checksum(TEXT * 2), 1)


def f12_truncated_frame(c):
    head = header(W_1K, le(N, 8), le(0, 4), checksum=True)
    whole = head + BODY + checksum(TEXT)
    content = len(head) + 3
    for name, size, number, why in (
        ("magic-1", 1, None, "in the magic number"),
        ("magic-3", 3, None, "in the magic number"),
        ("header-4", 4, None, "after the magic number"),
        ("header-5", 5, None, "after the descriptor"),
        ("header-17", 17, None, "a byte before the end of the header"),
        ("block-header-0", len(head), 0, "after the frame header"),
        ("block-header-2", len(head) + 2, 0, "in the first block header"),
        ("content-0", content, 0, "after the first block header"),
        ("content-less-1", content + N - 1, 0, "a byte before the end of the block"),
        ("checksum-0", content + N, None, "before the checksum"),
        ("checksum-3", content + N + 3, None, "in the checksum"),
    ):
        c.truncated(f"f12-{name}", f"cut {why}", whole[:size], block=number)
        c.truncated(f"f12-second-{name}", f"a frame, then one cut {why}", FRAME + whole[:size], 1, number)
    over = header(W_MAX) + BODY[:-1]
    c.truncated("f12-and-limit", "cut, which outweighs that its window is over the limit", over, block=0)


def f12_truncated_blocks(c):
    c.truncated("f12-no-last-block", "ends after a block that is not the last", HEADER + MORE, block=1)
    c.truncated("f12-no-last-block-of-10", "ends after ten blocks, none the last", HEADER + MORE * 10, block=10)
    c.truncated("f12-second-block", "cut in the second block header", HEADER + MORE + END[:2], block=1)
    c.truncated("f12-rle", "RLE block without its byte", HEADER + block(RLE, 9), block=0)
    c.truncated("f12-compressed", "cut in a compressed block", HEADER + compressed(literals(TEXT))[:-1], block=0)
    one = block(RAW, BLOCK_MAX, b"o")
    c.truncated("f12-block-of-128k", "raw block of 128 KiB, one byte there", header(W_2M) + one, block=0)


def f12_truncated_skippable(c):
    whole = skippable(TEXT, 7)
    for name, size, why in (
        ("magic-1", 1, "in the magic number"),
        ("header-4", 4, "after the magic number"),
        ("header-7", 7, "in the size"),
        ("content-0", 8, "before the content"),
        ("content-less-1", len(whole) - 1, "a byte before the end"),
    ):
        c.truncated(f"f12-skippable-{name}", f"a skippable frame cut {why}", whole[:size])
        second = FRAME + whole[:size]
        c.truncated(f"f12-second-skippable-{name}", f"a frame, then a skippable one cut {why}", second, 1)


def f13_empty(c):
    c.invalid("f13-empty", "no bytes at all", b"", "F13", 0)
    c.valid("f13-frame", "one empty frame", EMPTY, b"")
    c.valid("f13-skippable", "one empty skippable frame", skippable(b""), b"")
    c.valid("f13-2000-frames", "2000 empty frames", EMPTY * 2000, b"")


def b01_block_header(c):
    blocks = MORE + rle(b"r", 700, last=False) + compressed(literals(TEXT), last=False) + END
    c.valid("b01-all-types", "raw, RLE and compressed, the last block empty", HEADER + blocks, TEXT + b"r" * 700 + TEXT)
    size = 0x10001
    c.valid("b01-17-bits", "a size whose lowest and highest bits count", header(W_2M) + rle(b"h", size), b"h" * size)
    empty = raw(b"", last=False)
    c.valid("b01-empty-between", "empty blocks among others", HEADER + empty * 3 + MORE + empty + END, TEXT)


def b02_reserved_type(c):
    def wrong(name, why, before, at_fault, frame=0, number=0):
        c.invalid(f"b02-{name}", why, before + at_fault, "B02", len(before), frame, number)

    wrong("first", "block type 3", HEADER, block(RESERVED, 0))
    wrong("not-last", "block type 3, then a last block", HEADER, block(RESERVED, N, TEXT, last=False) + END)
    wrong("second", "block type 3 after a raw block", HEADER + MORE, block(RESERVED, N, TEXT), 0, 1)
    wrong("size-max", "block type 3, its size at its highest", HEADER, block(RESERVED, BLOCK_SIZE_LIMIT))
    wrong("third-frame", "block type 3 in the third frame", FRAME + skippable(TEXT) + HEADER, block(RESERVED, 0), 2)


def b03_kit(c, prefix, head):
    """What the three functions of B03 say of a frame's first block."""

    def fits(name, why, blocks, content):
        c.valid(f"b03-{prefix}-{name}", why, head + blocks, content)

    def over(name, why, blocks):
        c.invalid(f"b03-{prefix}-{name}", why, head + blocks, "B03", len(head), block=0)

    return fits, over


def b03_window_of_1k(c):
    fits, over = b03_kit(c, "1k", HEADER)
    text = (TEXT * 100)[:1025]
    fits("raw", "window 1 KiB, raw block of it", raw(text[:-1]), text[:-1])
    over("raw-1", "window 1 KiB, raw block of one more", raw(text))
    fits("rle", "window 1 KiB, RLE block of it", rle(b"r", 1024), b"r" * 1024)
    over("rle-1", "window 1 KiB, RLE block of one more", rle(b"r", 1025))
    fits("compressed", "window 1 KiB, compressed block that stores it", compressed(literals(text[:1020])), text[:1020])
    over("compressed-1", "window 1 KiB, compressed block that stores one more", compressed(literals(text[:1021])))
    second = HEADER + MORE
    c.invalid("b03-1k-second", "the second block one more", second + rle(b"r", 1025), "B03", len(second), block=1)

    full, more = rle_literals(b"r", 1024), rle_literals(b"r", 1025)
    fits("made", "window 1 KiB, compressed block that makes it", compressed(full), b"r" * 1024)
    c.corrupt("b03-1k-made-1", "window 1 KiB, compressed block that makes one more", HEADER + compressed(more), "L02", len(HEADER) + 3)
    # The second block could have made as much, so the frame's sizes taken together do not tell.
    blocks = compressed(more, last=False) + compressed(b"\0\0")
    c.corrupt("b03-1k-made-1-of-2", "the same, then a compressed block that makes nothing", HEADER + blocks, "L02", len(HEADER) + 3)
    declared = declares(1025)
    c.corrupt("b03-1k-made-1-declared", "the same, and declared", declared + blocks, "L02", len(declared) + 3)


def b03_maximum_of_128k(c):
    head = header(W_2M)
    fits, over = b03_kit(c, "128k", head)
    fits("rle", "RLE block of 128 KiB", rle(b"r", BLOCK_MAX), b"r" * BLOCK_MAX)
    over("rle-1", "RLE block of 128 KiB and 1", rle(b"r", BLOCK_MAX + 1))
    over("rle-size-max", "RLE block, its size at its highest", rle(b"r", BLOCK_SIZE_LIMIT))
    # zstd/raw-block-128k.zst is the one that fits. These are over before their content is asked for.
    over("raw-1", "raw block of 128 KiB and 1, some of it there", block(RAW, BLOCK_MAX + 1, TEXT))
    over("raw-size-max", "raw block, its size at its highest, nothing there", block(RAW, BLOCK_SIZE_LIMIT))
    over("compressed-1", "compressed block of 128 KiB and 1, some of it there", block(COMPRESSED, BLOCK_MAX + 1, TEXT))
    stored = (bytes(range(256)) * 512)[:-4]
    fits("compressed", "compressed block that stores 128 KiB", compressed(literals(stored)), stored)
    made = compressed(rle_literals(b"r", BLOCK_MAX))
    fits("made", "compressed block that makes 128 KiB", made, b"r" * BLOCK_MAX)
    made = compressed(rle_literals(b"r", BLOCK_MAX + 1))
    c.corrupt("b03-128k-made-1", "compressed block that makes 128 KiB and 1", head + made, "L02", len(head) + 3)


def b03_single_segment(c):
    """The window is what is declared."""
    fits, over = b03_kit(c, "single", declares(N, 1, None))
    fits("raw", "single segment, raw block of it", BODY, TEXT)
    over("raw-1", "single segment, raw block of one more", raw(TEXT + b"1"))
    over("rle-1", "single segment, RLE block of one more", rle(b"r", N + 1))
    over("compressed-4", "single segment, compressed block that makes it and stores 4 more", compressed(literals(TEXT)))
    less = compressed(rle_literals(b"r", N))
    fits("compressed", "single segment, compressed block that makes it and stores less", less, b"r" * N)
    fits, over = b03_kit(c, "single-0", declares(0, 1, None))
    fits("raw", "single segment of 0, raw block of 0", END, b"")
    over("raw-1", "single segment of 0, raw block of 1", raw(b"1"))
    over("rle", "single segment of 0, RLE block of 0, whose content is one byte", rle(b"r", 0))
    over("rle-1", "single segment of 0, RLE block of 1", rle(b"r", 1))
    over("compressed-2", "single segment of 0, the smallest compressed block", compressed(b"\0\0"))
    fits, over = b03_kit(c, "single-1m", declares(MIB, 4, None))
    over("rle-1", "single segment of 1 MiB, RLE block of 128 KiB and 1", rle(b"r", BLOCK_MAX + 1))


def b04_rle(c):
    c.valid("b04-first", "RLE block as the first", HEADER + rle(b"r", 1000, last=False) + BODY, b"r" * 1000 + TEXT)
    c.valid("b04-0", "RLE block of 0, whose byte is there", HEADER + rle(b"r", 0), b"")
    c.valid("b04-0-not-last", "RLE block of 0, then a raw one", HEADER + rle(b"\xff", 0, last=False) + BODY, TEXT)
    c.valid("b04-1", "RLE block of 1", HEADER + rle(b"r", 1), b"r")


def b05_compressed_minimum(c):
    def wrong(name, why, before, at_fault):
        c.invalid(f"b05-{name}", why, before + at_fault, "B05", len(before), block=0)

    for size in (0, 1):
        wrong(f"{size}", f"compressed block of {size}", HEADER, compressed(bytes(size)))
        wrong(f"{size}-not-last", "the same, then a raw block", HEADER, compressed(bytes(size), last=False) + BODY)
    wrong("0-single-0", "single segment of 0, compressed block of 0", declares(0, 1, None), compressed(b""))
    c.valid("b05-2", "compressed block of 2: no literals, no sequences", HEADER + compressed(b"\0\0"), b"")
    c.valid("b05-raw-literals", "compressed block of raw literals", HEADER + compressed(literals(TEXT)), TEXT)
    made = compressed(rle_literals(b"r", 1000))
    c.valid("b05-rle-literals", "compressed block of RLE literals", HEADER + made, b"r" * 1000)
    short = bytes([N << 3]) + TEXT + b"\0"
    c.valid("b05-5-bits", "compressed block of raw literals, their size in 5 bits", HEADER + compressed(short), TEXT)
    at = len(HEADER) + 3
    cut = HEADER + compressed(short[:-1])
    c.corrupt("b05-no-sequences", "compressed block that ends after its literals", cut, "S01", at + len(short) - 1)
    long = bytes([31 << 3]) + TEXT
    c.corrupt("b05-literals-over", "compressed block with fewer literals than it says", HEADER + compressed(long), "L03", at)


def k01_skippable(c):
    every = b"".join(skippable(bytes([variant]) * variant, variant) for variant in range(16))
    c.valid("k01-all-magics", "the sixteen skippable magic numbers, then a frame", every + FRAME, TEXT)
    between = skippable(b"", 3) + skippable(TEXT, 15)
    stream = skippable(TEXT) + FRAME + between + FRAME + skippable(b"after")
    c.valid("k01-everywhere", "skippable frames before, between and after", stream, TEXT * 2)
    c.valid("k01-holds-frame", "a skippable frame that holds a frame", skippable(FRAME) + FRAME, TEXT)
    broken = HEADER + block(RESERVED, 0)
    c.valid("k01-holds-broken", "a skippable frame that holds a broken frame", skippable(broken) + FRAME, TEXT)
    c.valid("k01-only", "skippable frames and nothing else", skippable(TEXT) * 3, b"")
    c.valid("k01-2000-empty", "2000 empty skippable frames, then a frame", skippable(b"") * 2000 + FRAME, TEXT)


def k02_skippable_size(c):
    # With its header this one is of no bytes in 32 bits: some readers go round it for ever.
    size = (1 << 32) - 8
    c.truncated("k02-2-32-less-8", "skippable frame of 2^32 - 8 bytes, nothing there", skippable_header(size))
    c.truncated("k02-2-32-less-8-frame", "the same, then the bytes of a frame", skippable_header(size) + FRAME)
    for name, size in (("2-31", 1 << 31), ("2-32-less-1", (1 << 32) - 1)):
        c.truncated(f"k02-{name}", f"skippable frame of {size} bytes, some there", skippable_header(size) + TEXT)
    c.valid("k02-0", "skippable frame of 0 bytes, then a frame", skippable(b"") + FRAME, TEXT)
    c.valid("k02-1", "skippable frame of 1 byte, then a frame", skippable(b"k") + FRAME, TEXT)


def x01_window_limit(c):
    for name, window in (("144m", W_144M), ("2g", W_2G), ("3.75t", W_MAX)):
        c.over_limit(f"x01-{name}", f"window descriptor 0x{window:02x}", header(window) + BODY, TEXT)
    size = 128 * MIB + 1
    single = declares(size, 4, None) + rle(b"x", BLOCK_MAX, last=False) * 1024 + rle(b"x", 1)
    c.over_limit("x01-single-segment", "single segment, so a window, of 128 MiB and 1", single, b"x" * size)
    over, named = header(W_144M) + BODY, header(dictionary=le(13, 1)) + BODY
    c.over_limit("x01-second-frame", "the second frame over the limit", FRAME + over, TEXT * 2, len(FRAME), 1)
    why = "over the limit, then a byte that trails, which outweighs it"
    c.invalid("x01-then-fault", why, over + b"\0", "F01", len(over), 1)
    largest = header(0xA8) + BODY
    why = "a window of 2 GiB, and a fault after it: a decoder may ask for all of that memory before it finds out"
    c.invalid("x01-2g-then-fault", why, largest + b"\0", "F01", len(largest), 1)
    why = "an unknown dictionary, then over the limit, which outweighs it"
    c.over_limit("x01-after-dictionary", why, named + over, None, len(named), 1)
    both = header(W_MAX, dictionary=le(13, 4)) + BODY
    c.over_limit("x01-and-dictionary", "over the limit, and an unknown dictionary", both, None)
    wrong = header(W_144M, checksum=True) + BODY + bytes(4)
    c.over_limit("x01-wrong-checksum", "over the limit, and a wrong checksum that is not looked at", wrong, None)


def x02_x03_output(c):
    """Valid, as output and ratio are free by default: for tests that set them."""
    content = b"x" * (4 * MIB)
    blocks = rle(b"x", BLOCK_MAX, last=False) * 32 + END
    c.valid("x02-4m", "4 MiB of RLE blocks", header(W_2M) + blocks, content)
    c.valid("x02-4m-declared", "4 MiB of RLE blocks, declared", declares(4 * MIB, 4, W_2M) + blocks, content)
    blocks = compressed(rle_literals(b"x", BLOCK_MAX), last=False) * 32 + END
    c.valid("x02-4m-compressed", "4 MiB of compressed blocks of 5 bytes", header(W_2M) + blocks, content)
    frames = (header(W_2M) + rle(b"x", BLOCK_MAX)) * 32
    c.valid("x03-4m-frames", "4 MiB of frames of 10 bytes", frames, content)


def x04_frames(c):
    """Valid, as the number of frames is free by default: for tests that set it."""
    stream = FRAME + skippable(b"") + EMPTY + skippable(TEXT) + FRAME
    c.valid("x04-5-frames", "five frames, two of them skippable", stream, TEXT * 2)


def d01_dictionary(c):
    """Nothing of the dictionaries is used; a verifier cannot know."""
    for number, width in ((13, 1), (255, 1), (13, 2), (0xFFFF, 2), (13, 4), (0xFFFF_FFFF, 4)):
        data = header(dictionary=le(number, width)) + BODY
        c.needs_dictionary(f"d01-{number}-in-{width}", f"dictionary id {number} in {width} bytes", data)
    named, other = (header(dictionary=le(number, 1)) + BODY for number in (13, 14))
    c.needs_dictionary("d01-second-frame", "the second frame names a dictionary", FRAME + named, len(FRAME), 1)
    c.needs_dictionary("d01-first-frame", "the first of two frames names a dictionary", named + FRAME)
    c.needs_dictionary("d01-two", "two frames name dictionaries, of which the first is told", named + other)
    wrong = header(dictionary=le(13, 1), checksum=True) + BODY + bytes(4)
    c.needs_dictionary("d01-wrong-checksum", "an unknown dictionary, and a wrong checksum that is not looked at", wrong)
    why = "an unknown dictionary, then a byte that trails, which outweighs it"
    c.invalid("d01-then-fault", why, named + b"\0", "F01", len(named), 1)
    before = FRAME + header(dictionary=le(13, 1))
    why = "an unknown dictionary, and in its frame block type 3, which outweighs it"
    c.invalid("d01-and-fault", why, before + block(RESERVED, 0), "B02", len(before), 1, 0)
