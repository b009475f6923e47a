"""bytes/: streams whose compressed blocks were laid by hand. A function for each rule, as in make_bytes.py.

L07 and S03 ask for a dictionary where there is none: D02 has their files.
"""

from layout import W_1K, bits, compressed, header, le, rle

HEADER = header()
AT = len(HEADER) + 3
# Two weights of 1: the symbols 0 and 1 have codes of one bit, which is their number.
TREE = bytes([128, 0x10])
# Accuracy 5, and two symbols with half of the states each.
TWO_SYMBOLS = bytes([0x10, 0x3F])
NONE = b"\0"


def make_blocks(c):
    for make in (
        l01_header,
        l04_streams,
        l05_l06_four_streams,
        l07_treeless,
        l08_l09_trees,
        l10_coded_weights,
        l11_streams,
        s01_count,
        s02_s04_modes,
        s05_s06_tables,
        s07_stream,
        s08_literals,
        s09_s10_offsets,
        s11_made,
        d02_before_the_frame,
    ):
        make(c)


def fits(c, name, why, body, content):
    c.valid(name, why, HEADER + compressed(body), content)


def wrong(c, name, why, body, rule, at):
    c.corrupt(name, why, HEADER + compressed(body), rule, AT + at)


def raw_literals(content):
    assert len(content) < 32
    return bytes([len(content) << 3]) + content


def coded(count, body, size_format=0, treeless=False):
    """Huffman-coded literals with fields of 10 bits: three bytes before the tree."""
    return le((3 if treeless else 2) | size_format << 2 | count << 4 | len(body) << 14, 3) + body


def four(*streams):
    return b"".join(le(len(stream), 2) for stream in streams[:3]) + b"".join(streams)


def sequences(count, literals, offset, match, stream, modes=0x54):
    """All with these codes, as RLE_Mode has them."""
    return bytes([count, modes, literals, offset, match]) + stream


def l01_header(c):
    fits(c, "l01-12-bits", "RLE literals, their size in 12 bits", b"\x05\x3ex" + NONE, b"x" * 992)
    wrong(c, "l01-cut", "raw literals with a header of 3 bytes, of which two are there", b"\x0c\x00", "L01", 0)


def l04_streams(c):
    stream = bits((0, 1), (1, 1), (0, 1))
    fits(c, "l04-3", "three literals in one stream", coded(3, TREE + stream) + NONE, b"\0\1\0")
    fits(c, "l04-0", "no literals in a stream of its end mark", coded(0, TREE + bits()) + NONE, b"")
    wrong(c, "l04-none", "literals without a stream", coded(4, TREE) + NONE, "L04", 5)


def l05_l06_four_streams(c):
    two = bits((0, 2))
    six = coded(6, TREE + four(two, two, two, bits()), 1)
    fits(c, "l05-6", "four streams for six literals", six + NONE, bytes(6))
    five = coded(5, TREE + four(two, two, bits((0, 1)), bits()), 1)
    wrong(c, "l05-5", "four streams for five literals", five + NONE, "L05", 5)
    fits(c, "l06-8", "four streams of a byte", coded(8, TREE + four(two, two, two, two), 1) + NONE, bytes(8))
    empty = coded(8, TREE + four(b"", two, two, two), 1)
    wrong(c, "l06-0", "four streams, the first one of no bytes", empty + NONE, "L06", 5)
    over = coded(8, TREE + bytes([1, 0, 1, 0, 2, 0]) + two * 4, 1)
    wrong(c, "l06-over", "the first three streams leave no byte to the last", over + NONE, "L06", 5)


def l07_treeless(c):
    first = compressed(coded(3, TREE + bits((0, 3))) + NONE, last=False)
    again = compressed(coded(3, bits((7, 3)), treeless=True) + NONE)
    why = "treeless literals, and the tree in the block before the one before"
    c.valid("l07-tree-before", why, HEADER + first + rle(b"r", 9, last=False) + again, bytes(3) + b"r" * 9 + b"\1\1\1")


def l08_l09_trees(c):
    cut = coded(3, bytes([132, 0x11, 0x11]))
    wrong(c, "l08-cut", "five weights, and bytes for four", cut + NONE, "L08", 3)

    def tree(weights):
        pairs = zip(weights[::2], weights[1::2] + [0])
        return bytes([127 + len(weights)]) + bytes(first << 4 | second for first, second in pairs)

    deepest = list(range(1, 12))
    deep = coded(0, tree(deepest) + bits())
    fits(c, "l09-11-bits", "a tree of 11 bits, for no literals", deep + NONE, b"")
    for name, why, weights in (
        ("12-bits", "a tree of 12 bits", [*deepest, 12]),
        ("no-1", "a tree without a weight of 1", [2, 2, 2]),
        ("zeros", "weights that are all zero", [0] * 8),
        ("short", "weights that no last one makes a power of two", [4, 1, 1]),
    ):
        wrong(c, f"l09-{name}", why, coded(0, tree(weights) + bits()) + NONE, "L09", 3)


def l10_coded_weights(c):
    def tree(table, stream):
        return bytes([len(table + stream)]) + table + stream

    # State 3 has symbol 1: weights of 1 and 1, and so a last one of 2.
    weights = tree(TWO_SYMBOLS, bits((3, 5), (3, 5)))
    literals = coded(3, weights + bits((1, 1), (1, 2), (0, 2)))
    fits(c, "l10-two", "two coded weights", literals + NONE, b"\2\1\0")
    cut = coded(0, tree(TWO_SYMBOLS, bits((3, 5), (3, 4))) + bits())
    wrong(c, "l10-cut-state", "coded weights whose second state is a bit short", cut + NONE, "L10", 3)
    none = coded(0, tree(TWO_SYMBOLS, b"") + bits())
    wrong(c, "l10-no-stream", "coded weights without a stream", none + NONE, "L10", 3)
    accuracy = coded(0, tree(bytes([0x12, 0x3F]), bits((3, 7), (3, 7))) + bits())
    wrong(c, "l10-accuracy-7", "a table of weights with an accuracy of 7", accuracy + NONE, "L10", 3)
    many = bytes.fromhex("22400205007e00630405000100")
    wrong(c, "l10-256", "256 coded weights", many, "L10", 3)
    # Probabilities of 15 and 16 for 0 and 1, none for 2 to 11, 1 for 12.
    twelve = coded(0, tree(bytes.fromhex("007d3f03"), bits((3, 5), (3, 5))) + bits())
    wrong(c, "l10-weight-12", "a table that has a weight of 12, not used", twelve + NONE, "L10", 3)


def l11_streams(c):
    seven = bits((0, 7))
    fits(c, "l11-7", "a stream of seven bits for seven literals", coded(7, TREE + seven) + NONE, bytes(7))
    for count, what in ((6, "fewer"), (8, "more")):
        why = f"a stream of seven bits for {count} literals, one {what}"
        wrong(c, f"l11-{count}", why, coded(count, TREE + seven) + NONE, "L11", 5)
    no_mark = coded(7, TREE + b"\0")
    wrong(c, "l11-no-mark", "a stream without an end mark", no_mark + NONE, "L11", 5)
    long = bits((0, 63))
    streams = TREE + four(long, long, long, long)
    fits(c, "l11-four-63", "four streams of 63 literals", coded(252, streams, 1) + NONE, bytes(252))
    more = coded(240, streams, 1)
    wrong(c, "l11-four-60", "four streams of 60 literals and three bits more", more + NONE, "L11", 5)
    unequal = coded(16, TREE + four(bits((0, 3)), bits((0, 5)), bits((0, 4)), bits((0, 4))), 1)
    wrong(c, "l11-four-unequal", "four streams of 3, 5, 4 and 4 literals", unequal + NONE, "L11", 5)


ONE = sequences(1, 2, 2, 0, bits((1, 2)))
AB = raw_literals(b"ab")


def s01_count(c):
    fits(c, "s01-long-0", "no sequences, in the two-byte form", AB + b"\x80\0", b"ab")
    fits(c, "s01-long-1", "one sequence, in the two-byte form", AB + b"\x80\1" + ONE[1:], b"ababa")
    wrong(c, "s01-after-0", "a byte after the count of no sequences", AB + b"\0\0", "S01", 4)
    wrong(c, "s01-after-long-0", "the same, in the two-byte form", AB + b"\x80\0\0", "S01", 5)
    wrong(c, "s01-no-modes", "a count of one, and nothing after it", AB + b"\1", "S01", 3)


def s02_s04_modes(c):
    fits(c, "s04-rle", "one sequence of RLE codes", AB + ONE, b"ababa")
    reserved = bytes([1, 0x55]) + ONE[2:]
    wrong(c, "s02-reserved", "a reserved bit of the modes", AB + reserved, "S02", 4)
    # What follows is of no matter: an alphabet ends before the code.
    wrong(c, "s04-literals-36", "RLE code 36 for literals lengths", AB + sequences(1, 36, 2, 0, bits((1, 2))), "S04", 5)
    wrong(c, "s04-match-53", "RLE code 53 for match lengths", AB + sequences(1, 2, 2, 53, bits((1, 2))), "S04", 7)


def s05_s06_tables(c):
    # Offsets in a table, of which state 0 has code 0: the repeat offset of 1.
    def offsets(table, *stream):
        return AB + bytes([1, 0x64, 2]) + table + b"\0" + bits(*stream)

    fits(c, "s06-two-symbols", "a table of two symbols", offsets(TWO_SYMBOLS, (0, 5)), b"abbbb")
    wrong(c, "s05-offsets-9", "a table of offsets with an accuracy of 9", offsets(b"\x14" + bytes(8), (0, 9)), "S05", 6)
    # Accuracy 5, and all states for symbol 0.
    wrong(c, "s06-one-symbol", "a table of one symbol", offsets(bytes([0xF0, 3]), (0, 5)), "S06", 6)
    cut = AB + bytes([1, 0x64, 2]) + TWO_SYMBOLS[:1]
    wrong(c, "s06-cut", "a block that ends in a table", cut, "S06", 6)


def s07_stream(c):
    wrong(c, "s07-no-mark", "a stream without an end mark", AB + sequences(1, 2, 2, 0, b"\0"), "S07", 8)
    wrong(c, "s07-no-stream", "a sequence, and no stream", AB + sequences(1, 2, 2, 0, b""), "S07", 8)
    wrong(c, "s07-1-more", "a bit that no sequence takes", AB + sequences(1, 2, 2, 0, bits((1, 2), (0, 1))), "S07", 8)
    wrong(c, "s07-1-less", "a bit less than its sequence takes", AB + sequences(1, 2, 2, 0, bits((1, 1))), "S07", 8)
    two = sequences(2, 1, 2, 0, bits((0, 2), (0, 2)))
    fits(c, "s07-two", "two sequences of one literal and an offset of 1 each", AB + two, b"aaaabbbb")


def s08_literals(c):
    over = AB + sequences(1, 3, 2, 0, bits((1, 2)))
    wrong(c, "s08-over", "a sequence of three literals, of which there are two", over, "S08", 8)
    left = raw_literals(b"abc") + ONE
    fits(c, "s08-left", "a literal that no sequence takes, and so is the last", left, b"ababac")


def s09_s10_offsets(c):
    # Without literals the third repeat code is the first offset less 1: 1 less 1.
    zero = raw_literals(b"") + sequences(1, 0, 1, 0, bits((1, 1)))
    before = HEADER + rle(b"a", 1024, last=False)
    c.corrupt("s09-zero", "an offset of 0", before + compressed(zero), "S09", len(before) + 3 + 6, block=1)

    def match(offset):
        value = offset + 3
        assert 1024 <= value < 2048
        return compressed(raw_literals(b"b") + sequences(1, 1, 10, 0, bits((value - 1024, 10))))

    c.valid("s10-window", "a window of 1 KiB and an offset of as much", before + match(1024), b"a" * 1024 + b"baaa")
    why = "a window of 1 KiB and an offset of one more"
    c.corrupt("s10-window-1", why, before + match(1025), "S10", len(before) + 3 + 7, block=1)


def s11_made(c):
    def block(length):
        # Code 45 is for matches of 515 to 1026.
        return raw_literals(b"b") + sequences(1, 1, 0, 45, bits((length - 515, 9)))

    fits(c, "s11-1k", "window 1 KiB, a literal and a match that make it", block(1023), b"b" * 1024)
    wrong(c, "s11-1k-1", "window 1 KiB, a literal and a match that make one more", block(1024), "S11", 7)


def d02_before_the_frame(c):
    for name, why, body, at in (
        ("treeless", "treeless literals in the first block", coded(3, bits((7, 3)), treeless=True) + NONE, 0),
        ("repeat", "tables again in the first block", AB + bytes([1, 0xFC]) + bits((0, 5)), 5),
        ("match", "a match that begins before the frame", AB + sequences(1, 2, 2, 0, bits((2, 2))), 8),
    ):
        c.undecided(f"d02-{name}", why, header(W_1K) + compressed(body), AT + at)
