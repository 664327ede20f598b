"""A document shows a program piece by piece, all of it, and what it prints.

    pieces.py <page.md> <source.cpp> <program>

The blocks of C++ behind "<!-- no snippet: a part of <source.cpp> -->" are runs of the source's lines, apart from their indentation. Together they
are all of it, but comments at its beginning, main's first line and braces that stand alone. The ```text blocks, one behind the other, are the output.
"""
import re
import subprocess
import sys
from pathlib import Path


def lines_of(text):
    return [line.strip() for line in text.split("\n") if line.strip()]


def unshown(code, pieces, found):
    """Lines of the source that no piece shows; pieces that are not there are added to `found`."""
    left = list(code)
    for piece in pieces:
        lines = lines_of(piece)
        at = next((k for k in range(len(left)) if left[k:k + len(lines)] == lines), None)
        if at is None:
            found.append("the program has no such lines, or in another place, too:\n" + piece)
        else:
            left[at:at + len(lines)] = [""]  # so that no piece goes on behind another one
    return [line for line in left if line not in ("", "int main() {", "}")]


def main(page, source, program):
    text = page.read_text(encoding="utf-8")
    mark = re.escape(f"<!-- no snippet: a part of {source.name} -->")
    pieces = re.findall(f"^{mark}\n```cpp\n(.*?)^```$", text, re.S | re.M)
    code = lines_of(re.sub(r"\A(//[^\n]*\n)*", "", source.read_text(encoding="utf-8")))
    found = []
    if left := unshown(code, pieces, found):
        found.append("lines of the program that the page does not show:\n" + "\n".join(left))
    printed = subprocess.run([str(program)], capture_output=True, text=True, check=True).stdout
    shown = "".join(re.findall(r"^```text\n(.*?)^```$", text, re.S | re.M))
    if printed != shown:
        found.append(f"the program prints\n{printed}and the page shows\n{shown}")
    for problem in found:
        print(f"{page.name}, {source.name}: {problem}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(*map(Path, sys.argv[1:])))
