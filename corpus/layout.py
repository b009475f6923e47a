"""The format, as far as it takes to write it (RFC 8878, 3.1). Fields are bytes, so that any width can be written."""

import struct

KIB = 1 << 10
MIB = 1 << 20

MAGIC = bytes.fromhex("28b52ffd")
DICTIONARY_MAGIC = bytes.fromhex("37a430ec")
SKIPPABLE_MAGIC = 0x184D2A50
RAW, RLE, COMPRESSED, RESERVED = range(4)
BLOCK_MAX = 128 * KIB
BLOCK_SIZE_LIMIT = (1 << 21) - 1

# Window descriptors: exponent in the upper five bits, mantissa in the lower three.
W_1K, W_2M, W_8M, W_128M, W_144M, W_2G, W_MAX = 0x00, 0x58, 0x68, 0x88, 0x89, 0xA8, 0xFF
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


def bits(*fields):
    """A stream of bits that is read from its end: fields of (value, width) in the order they are read, and the end mark."""
    text = "1" + "".join(format(value, f"0{width}b") for value, width in fields)
    return le(int(text, 2), (len(text) + 7) // 8)


def skippable_header(size, variant=0):
    return le(SKIPPABLE_MAGIC + variant, 4) + le(size, 4)


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


def blocks_of(data):
    """Types and sizes of the blocks of the first frame, which is a valid one."""
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
    """Window descriptor of the first frame; None in a single segment."""
    return None if data[4] & 0x20 else data[5]


def has_checksum(data):
    return bool(data[4] & 4)


def declares_size(data):
    return bool(data[4] & 0xE0)


def names_dictionary(data):
    return bool(data[4] & 3)
