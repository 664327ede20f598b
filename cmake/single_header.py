#!/usr/bin/env python3
"""The library as one file.

    single_header.py <output> [header...]   writes tracexpr/tracexpr.hpp, or those headers, and what they include of ours

Every header stands where it is first included, and once more where that was between #if and #endif and it is needed outside of them, too;
what is not ours stays an include. A program that defines TRACEXPR_COMPILED has one
file that also defines TRACEXPR_COMPILING, TRACEXPR_COMPILING_FLOATS and TRACEXPR_COMPILING_INTEGERS, in place of compiled*.cpp.
"""
import pathlib
import re
import sys

root = pathlib.Path(__file__).resolve().parent.parent
directive = re.compile(r"\s*#\s*(if|endif|include|pragma once)(?:\w*)\b(?:\s*<(.*)>)?")


class single_header:
    def __init__(self):
        self.lines = []
        self.seen = {}  # header: whether it stands between #if and #endif

    def take(self, header, conditional=False):
        if header in self.seen and (conditional or not self.seen[header]):
            return
        guard = "TRACEXPR_HAS_" + re.sub(r"\W", "_", header).upper()
        guarded = conditional or header in self.seen
        self.seen[header] = conditional
        if guarded:
            self.lines += [f"#if !defined({guard})", f"#define {guard}"]
        depth = 0
        for line in (root / "include" / header).read_text().splitlines():
            found = directive.match(line)
            kind, path = found.groups() if found else (None, None)
            depth += {"if": 1, "endif": -1}.get(kind, 0)
            if kind == "pragma once":
                continue
            if path and path.startswith("tracexpr/"):
                self.take(path, conditional or depth > 0)
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
