"""zstd/ and dict/: what the zstd command makes of generated content."""

import os
import shutil
import struct
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from layout import (
    BLOCK_MAX,
    DICTIONARY_MAGIC,
    KIB,
    RAW,
    RLE,
    W_1K,
    W_128M,
    blocks_of,
    checksum,
    declares_size,
    has_checksum,
    le,
    names_dictionary,
    skippable,
    window_of,
)

# Content.


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


# The command.


@dataclass
class Made:
    """What a command line made of some content."""

    how: str
    data: bytes
    content: bytes


class Zstd:
    """The zstd command, in a directory that holds its inputs."""

    def __init__(self, directory):
        self.command = shutil.which("zstd") or sys.exit("make.py: the zstd command is not on PATH")
        self.directory = Path(directory)
        self.version = self.run("--version").decode().split(" v")[1].split(",")[0]

    def run(self, *args, stdin=b""):
        # zstd takes level and threads from the environment, too.
        env = {key: value for key, value in os.environ.items() if not key.startswith("ZSTD_")}
        command = [self.command, *args]
        done = subprocess.run(command, cwd=self.directory, env=env, input=stdin, capture_output=True, check=False)
        if done.returncode != 0:
            sys.exit(f"make.py: zstd {' '.join(args)} failed: {done.stderr.decode()}")
        return done.stdout

    def put(self, name, data):
        (self.directory / name).write_bytes(data)

    def read(self, name):
        return (self.directory / name).read_bytes()

    def file(self, name, *args):
        """Compresses a file: zstd knows its size."""
        return Made(f"zstd {' '.join(args)} {name}", self.run("-q", "-c", *args, name), self.read(name))

    def pipe(self, name, *args):
        """Compresses a pipe: zstd does not know how much comes."""
        content = self.read(name)
        return Made(f"cat {name} | zstd {' '.join(args)}", self.run("-q", "-c", *args, stdin=content), content)


# The files.


def make_zstd(corpus, zstd):
    files = Files(corpus, zstd)
    levels_and_flags(files, zstd)
    windows_and_blocks(files, zstd)
    streams(files, zstd)
    dictionaries(files, zstd)
    damaged(files, zstd)


class Files:
    """zstd/ in the making."""

    def __init__(self, corpus, zstd):
        self.corpus = corpus
        self.zstd = zstd

    def add(self, name, *made, around=b"".join, note="", **expected):
        """Frames one after the other, or as `around` lays them, which `note` tells."""
        data = around([frame.data for frame in made])
        content = b"".join(frame.content for frame in made)
        if "dictionary" in expected:
            decoded = self.zstd.run("-dc", "-D", Path(expected["dictionary"]).name, stdin=data)
        else:
            decoded = self.zstd.run("-dc", stdin=data)
        assert decoded == content, name
        how = "; ".join([frame.how for frame in made] + [note] * bool(note))
        self.corpus.add(f"zstd/{name}.zst", f"zstd {self.zstd.version}: {how}", data, decoded=content, **expected)

    def broken(self, name, made, note, data, rule, at, frame=0, envelope="invalid"):
        """A frame of zstd's, and what became of it."""
        how = f"zstd {self.zstd.version}: {made.how}; {note}"
        place = {"rule": rule, "offset": at, "frame": frame}
        self.corpus.add(f"zstd/{name}.zst", how, data, envelope=envelope, content="invalid", **place)


def levels_and_flags(files, zstd):
    zstd.put("lines.log", log_lines(40_000, 1))
    zstd.put("short.log", log_lines(300, 5))
    zstd.put("records.bin", records(4_000, 3))
    zstd.put("empty", b"")
    for level in (1, 3, 9, 19):
        made = zstd.file("lines.log", f"-{level}")
        assert declares_size(made.data) and made.data.endswith(checksum(made.content))
        files.add(f"level-{level}", made)
    files.add("ultra-22", zstd.file("lines.log", "--ultra", "-22"))
    files.add("fast-5", zstd.file("lines.log", "--fast=5"))
    files.add("records", zstd.file("records.bin", "-9"))
    files.add("short", zstd.file("short.log", "-3"))
    for name, made in (
        ("pipe", zstd.pipe("lines.log", "-3")),
        ("no-content-size", zstd.file("lines.log", "-3", "--no-content-size")),
    ):
        assert not declares_size(made.data)
        files.add(name, made)
    for name, made in (
        ("no-check", zstd.file("lines.log", "-3", "--no-check")),
        ("pipe-no-check", zstd.pipe("lines.log", "-3", "--no-check")),
        ("empty-no-check", zstd.file("empty", "-3", "--no-check")),
    ):
        assert not has_checksum(made.data)
        files.add(name, made)
    files.add("empty", zstd.file("empty", "-3"))
    files.add("empty-pipe", zstd.pipe("empty", "-3"))


def windows_and_blocks(files, zstd):
    zstd.put("zeros.bin", bytes(300_000))
    zstd.put("noise.bin", noise(BLOCK_MAX, 4))
    zstd.put("blocks.log", log_lines(160_000, 9))
    zstd.put("large.log", log_lines(20_000, 2) * 70)

    long = zstd.pipe("lines.log", "-3", "--long=27")
    assert window_of(long.data) == W_128M
    files.add("long-27-pipe", long)
    small = zstd.file("lines.log", "-3", "--zstd=wlog=10")
    assert window_of(small.data) == W_1K and declares_size(small.data)
    assert max(size for _, size in blocks_of(small.data)) <= KIB
    files.add("window-1k", small)

    for suffix, zeros in (("", zstd.file("zeros.bin", "-3")), ("-pipe", zstd.pipe("zeros.bin", "-3"))):
        assert (RLE, BLOCK_MAX) in blocks_of(zeros.data)
        files.add(f"zeros{suffix}", zeros)
    stored = zstd.file("noise.bin", "-3")
    assert blocks_of(stored.data)[0] == (RAW, BLOCK_MAX)
    files.add("raw-block-128k", stored)

    many_blocks = (
        ("blocks", "blocks.log", ()),
        ("single-thread", "large.log", ("--single-thread",)),
        # Three jobs, as the input has 1.4 MB.
        ("threads-2", "large.log", ("-T2", "-B512K")),
    )
    for name, content, args in many_blocks:
        for suffix, made in (("", zstd.file(content, "-3", *args)), ("-pipe", zstd.pipe(content, "-3", *args))):
            assert len(blocks_of(made.data)) > 1
            files.add(name + suffix, made)


def streams(files, zstd):
    lines, short, empty = (zstd.file(name, "-3") for name in ("lines.log", "short.log", "empty"))
    lines_piped, empty_piped = zstd.pipe("lines.log", "-1", "--no-check"), zstd.pipe("empty", "-3")
    files.add("frames", short, lines_piped, empty, lines, empty_piped, short)
    files.add("frames-same", short, short, short)

    def among_skippable(frames):
        inside = skippable(b"between", 9).join(frames)
        return skippable(b"before", 1) + inside + skippable(b"", 15) + skippable(b"after", 2)

    note = "skippable frames before, between and after"
    files.add("skippable", short, lines_piped, short, around=among_skippable, note=note)

    def before_index(frames):
        return b"".join(frames) + skippable(b"index", 14)

    def pzstd(frames):
        return b"".join(skippable(le(len(frame), 4)) + frame for frame in frames)

    zstd.put("image.bin", bytes(20_000_000))
    large, image = zstd.file("large.log", "-3"), zstd.pipe("image.bin", "-3")
    long = zstd.pipe("lines.log", "-3", "--long=27")
    note = "a skippable frame at the end, as indexes are"
    files.add("snapshot", large, image, long, short, around=before_index, note=note)

    note = "before each frame a skippable one with its size, as pzstd lays them"
    files.add("pzstd-layout", lines, short, lines_piped, around=pzstd, note=note)


DICTIONARY_ID = 40000


def dictionaries(files, zstd):
    zstd.put("samples.log", log_lines(100_000, 6))
    # One thread, as several may find different dictionaries equally good.
    train = ("--train", "samples.log", "-B500", "--maxdict=2048", f"--dictID={DICTIONARY_ID}", "-T1")
    zstd.run("-q", *train, "-o", "trained.dict")
    assert zstd.read("trained.dict").startswith(DICTIONARY_MAGIC + le(DICTIONARY_ID, 4))
    zstd.put("raw.dict", log_lines(2_000, 7))
    for name in ("trained.dict", "raw.dict"):
        files.corpus.dictionaries[f"dict/{name}"] = zstd.read(name)
    zstd.put("fresh.log", log_lines(1_500, 8))
    zstd.put("repeat.log", log_lines(2_000, 7)[500:1500] + log_lines(200, 10))

    use = ("-D", "trained.dict")
    sized, plain = zstd.file("fresh.log", "-3", *use), zstd.file("short.log", "-3")
    needed = {"content": "needs-dictionary", "dictionary": "dict/trained.dict"}
    named = {"envelope": "needs-dictionary", "rule": "D01", **needed}
    for name, made in (
        ("dictionary", sized),
        ("dictionary-pipe", zstd.pipe("fresh.log", "-3", *use)),
        ("dictionary-19", zstd.file("fresh.log", "-19", *use)),
    ):
        assert names_dictionary(made.data)
        files.add(name, made, offset=0, frame=0, **named)
    files.add("dictionary-second-frame", plain, sized, offset=len(plain.data), frame=1, **named)

    # What does not name its dictionary looks valid until it is decoded.
    unnamed = zstd.file("fresh.log", "-3", *use, "--no-dictID")
    assert not names_dictionary(unnamed.data)
    files.add("dictionary-no-id", unnamed, rule="D02", **needed)
    needed["dictionary"] = "dict/raw.dict"
    files.add("dictionary-raw", zstd.file("repeat.log", "-3", "-D", "raw.dict"), rule="D02", **needed)
    files.add("dictionary-raw-pipe", zstd.pipe("repeat.log", "-3", "-D", "raw.dict"), rule="D02", **needed)


def damaged(files, zstd):
    made = zstd.file("short.log", "-3")
    data, end = made.data, len(made.data)
    flipped = data[:-1] + bytes([data[-1] ^ 1])
    files.broken("bad-checksum", made, "last bit of the checksum flipped", flipped, "F10", end - 4, envelope="valid")
    files.broken("cut-in-checksum", made, "last byte cut off", data[:-1], "F12", end - 1)
    files.broken("cut-in-magic", made, "and two bytes of it again", data + data[:2], "F12", end + 2, frame=1)
    files.broken("padded", made, "padded with zeros to 512 bytes", data.ljust(512, b"\0"), "F01", end, frame=1)
