#!/usr/bin/env python3
"""The most stack that a function of a program for Cortex-M can take: ./stack.py DISASSEMBLY FUNCTION

The frame of each function is what its prologue takes, and the bound is the deepest way through what it calls. It holds since
nothing calls itself and nothing is called through a pointer: where something does, there is no bound, and this fails.
"""
import re
import sys

NUMBER = r"#-?(0x[0-9a-f]+|\d+)"
FUNCTION = re.compile(r"^[0-9a-f]+ <(.*)>:$")
PUSHED = re.compile(r"\t(?:v?push|v?stmdb)\S*\t(?:sp!, )?\{(.*)\}")
LOWERED = re.compile(r"\tsub\S*\tsp, (?:sp, )?" + NUMBER)
STORED = re.compile(r"\tstr\S*\t.*\[sp, " + NUMBER + r"\]!")
BRANCH = re.compile(r"\t(b\S*)\t0x[0-9a-f]+ <(.*?)(?:\+0x[0-9a-f]+)?>(?:\s|$)")
POINTER = re.compile(r"\t(?:blx\tr|bx\tr|mov\tpc)")


def functions(lines):
    """Each function with its frame in bytes, what it calls or jumps to, and whether that is ever behind a pointer."""
    found, name = {}, None
    for line in lines:
        if match := FUNCTION.match(line):
            name = match[1]
            found[name] = [0, set(), False]
        elif name is not None:
            function = found[name]
            if match := PUSHED.search(line):
                function[0] += sum(8 if re.match(r"d\d", register.strip()) else 4 for register in match[1].split(","))
            elif match := LOWERED.search(line) or STORED.search(line):
                function[0] += int(match[1], 0)
            elif match := BRANCH.search(line):
                # A jump within a function is no call of it.
                if match[1] == "bl" or match[2] != name:
                    function[1].add(match[2])
            elif POINTER.search(line):
                function[2] = True
    return found


def deepest(found, name, above=()):
    """The bound of a function, with the way to it."""
    frame, called, pointer = found[name]
    if pointer or name in above:
        sys.exit(f"{name} {'calls through a pointer' if pointer else 'calls itself'}: there is no bound")
    ways = [deepest(found, other, (*above, name)) for other in called]
    size, way = max(ways, default=(0, []))
    return frame + size, [f"{frame:5} {name}", *way]


disassembly, wanted = sys.argv[1:]
with open(disassembly, encoding="utf-8") as lines:
    found = functions(lines.read().splitlines())
bounds = [deepest(found, name) for name in found if wanted in name]
if not bounds:
    sys.exit(f"there is no {wanted}")
size, way = max(bounds)
print(size, *way, sep="\n")
