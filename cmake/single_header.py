#!/usr/bin/env python3
"""The library as one file.

    single_header.py <output> [header...]   writes tracexpr/tracexpr.hpp, or those headers, and what they include of ours

Every header stands where it is first included, and once more where it is included although the conditions of that place may not hold;
what is not ours stays an include. A program that defines TRACEXPR_COMPILED has one file that also defines TRACEXPR_IMPLEMENTATION, in place
of compiled*.cpp.
"""
import pathlib
import re
import sys

root = pathlib.Path(__file__).resolve().parent.parent
directive = re.compile(r"\s*#\s*(if\w*|el\w*|endif|include|pragma once)\b\s*(.*)")

# Conditions of base/config.hpp, each of which implies those after it.
implied = ["if !TRACEXPR_HAS_ROUTINES", "if TRACEXPR_HAS_BODIES", "if TRACEXPR_HAS_KERNEL_BODIES", "if TRACEXPR_TRACES_HERE"]

# A file with TRACEXPR_IMPLEMENTATION includes headers that only other files of its program may name. Where all files include one header, it has them
# if they are named.
for_other_files = "if defined(TRACEXPR_IMPLEMENTATION)"


def holds(condition, conditions):
    stronger = implied[: implied.index(condition)] if condition in implied else []
    return not conditions.isdisjoint({condition, *stronger})


class single_header:
    def __init__(self):
        self.lines = []
        self.places = {}  # header: the sets of conditions under which it stands

    def take(self, header, conditions=frozenset()):
        places = self.places.setdefault(header, [])
        if any(all(holds(one, conditions) for one in place) for place in places):
            return
        guarded = bool(conditions or places)
        places.append(conditions)
        if guarded:
            guard = "TRACEXPR_HAS_" + re.sub(r"\W", "_", header).upper()
            self.lines += [f"#if !defined({guard})", f"#define {guard}"]
        opened = []
        for line in (root / "include" / header).read_text().splitlines():
            found = directive.match(line)
            kind, rest = found.groups() if found else ("", "")
            if kind == "pragma once":
                continue
            if kind.startswith("if"):
                opened.append(f"{kind} {rest}")
            elif kind.startswith("el"):
                opened[-1] += f" {kind} {rest}"
            elif kind == "endif":
                opened.pop()
            if kind == "include" and rest.startswith("<tracexpr/"):
                if for_other_files in opened:
                    continue
                self.take(rest[1 : rest.index(">")], conditions | {*opened})
            else:
                self.lines.append(line)
        if guarded:
            self.lines.append("#endif")


def main(output, *headers):
    made = single_header()
    for header in headers or ("tracexpr/tracexpr.hpp",):
        made.take(header)
    notice = [f"// {line}".rstrip() for line in (root / "LICENSE").read_text().splitlines()]
    text = "\n".join(["// tracexpr as one file.", "//", *notice, "#pragma once", "", *made.lines, ""])
    pathlib.Path(output).write_text(re.sub(r"\n{3,}", "\n\n", text))


if len(sys.argv) < 2:
    sys.exit(__doc__)
main(*sys.argv[1:])
