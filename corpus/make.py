#!/usr/bin/env python3
"""Makes the corpus from nothing: bytes/, zstd/, dict/ and MANIFEST.toml.

    python3 corpus/make.py

Needs Python 3.11 and the zstd command. The same zstd version makes the same bytes every time; another one may compress
differently, so look at `git diff` before committing what it made.

What is expected of a file is set by what the scripts know: make_bytes.py and make_blocks.py laid their bytes themselves, and make_zstd.py knows
the content that it gave to zstd. zvet is never asked. Rules go by the ids of core/src/error.rs, places by the
conventions of core/src/walk.rs.
"""

import hashlib
import json
import shutil
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

sys.dont_write_bytecode = True

from make_blocks import make_blocks
from make_bytes import make_bytes
from make_zstd import Zstd, make_zstd

HERE = Path(__file__).parent

HEAD = """\
# What is in the corpus, and what is expected of it. Made by `python3 corpus/make.py` with zstd {version}: do not edit.
#
# path         relative to corpus/
# made         the command lines with the zstd version, or "bytes:" and what was laid by hand
# envelope     verdict on frames, headers and sizes | valid, invalid, over-limit, needs-dictionary: under the
# content      verdict with the content decoded     | default limits (window 128 MiB) and without any dictionary
# rule         what is wrong at the content level: the weightiest error, of equals the first
# offset, frame, block   where it is wrong; without block, where it is not in one
# decoded_size, sha256   of the content: with `dictionary`, where there is one, and with the limits raised, where it is
#              over them
# dictionary   what it was made with, relative to corpus/
"""


@dataclass
class Entry:
    """A file, and what is expected of it."""

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
        values = {key: getattr(self, key) for key in keys}
        if self.decoded is not None:
            values["decoded_size"] = len(self.decoded)
            values["sha256"] = hashlib.sha256(self.decoded).hexdigest()
        values["dictionary"] = self.dictionary
        # JSON strings and numbers are TOML ones, too.
        lines = (f"{key} = {json.dumps(value)}\n" for key, value in values.items() if value is not None)
        return "[[file]]\n" + "".join(lines)


class Corpus:
    """The files so far. `why` is a line for the manifest."""

    def __init__(self):
        self.entries = []
        self.dictionaries = {}

    def add(self, path, made, data, **expected):
        assert all(path != entry.path for entry in self.entries), path
        self.entries.append(Entry(path, made, data, **expected))

    def by_hand(self, name, why, data, **expected):
        self.add(f"bytes/{name}.zst", f"bytes: {why}", data, **expected)

    def valid(self, name, why, data, content):
        self.by_hand(name, why, data, decoded=content)

    def invalid(self, name, why, data, rule, at, frame=0, block=None, envelope="invalid"):
        """The walk alone shows the fault, unless `envelope` is "valid"."""
        place = {"offset": at, "frame": frame, "block": block}
        self.by_hand(name, why, data, envelope=envelope, content="invalid", rule=rule, **place)

    def truncated(self, name, why, data, frame=0, block=None):
        self.invalid(name, why, data, "F12", len(data), frame, block)

    def corrupt(self, name, why, data, rule, at, block=0):
        """A fault inside of a compressed block of the first frame."""
        self.invalid(name, why, data, rule, at, block=block, envelope="valid")

    def undecided(self, name, why, data, at):
        """The first block refers to what a dictionary may have."""
        self.by_hand(name, why, data, content="needs-dictionary", rule="D02", offset=at, frame=0, block=0)

    def over_limit(self, name, why, data, content, at=0, frame=0):
        """Over the window limit; `content` is None where it would not be valid otherwise, either."""
        verdict = {"envelope": "over-limit", "content": "over-limit", "rule": "X01"}
        self.by_hand(name, why, data, decoded=content, offset=at, frame=frame, **verdict)

    def needs_dictionary(self, name, why, data, at=0, frame=0):
        """Names a dictionary that there is none of."""
        verdict = {"envelope": "needs-dictionary", "content": "needs-dictionary", "rule": "D01"}
        self.by_hand(name, why, data, offset=at, frame=frame, **verdict)

    def write(self, version):
        for name in ("bytes", "zstd", "dict"):
            shutil.rmtree(HERE / name, ignore_errors=True)
            (HERE / name).mkdir()
        for path, data in self.dictionaries.items():
            (HERE / path).write_bytes(data)
        for entry in self.entries:
            (HERE / entry.path).write_bytes(entry.data)
        entries = sorted(self.entries, key=lambda entry: entry.path)
        manifest = "\n".join([HEAD.format(version=version), *(entry.table() for entry in entries)])
        (HERE / "MANIFEST.toml").write_text(manifest, newline="\n")


def main():
    corpus = Corpus()
    with tempfile.TemporaryDirectory() as directory:
        zstd = Zstd(directory)
        make_bytes(corpus)
        make_blocks(corpus)
        make_zstd(corpus, zstd)
    corpus.write(zstd.version)
    size = sum(len(entry.data) for entry in corpus.entries)
    print(f"{len(corpus.entries)} files of {size} bytes, by zstd {zstd.version}")


if __name__ == "__main__":
    main()
