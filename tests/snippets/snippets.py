"""What a document shows compiles where a reader would paste it.

    snippets.py <page.md> <out.cpp> [<compiler> <arguments>...]

writes the page's ```cpp blocks into one file, and compiles it. Each is a function's body, but what can't stand in one: includes stand
before all else, structs, functions and what has a main() at the scope of a namespace. A comment in front of a block is code that goes before it
and is not shown, for names that the prose supplies: "<!-- snippet: tx::tensor<float> x; -->". Its first words may be "needs <header>":
the block is left out where there is no such header, which is included otherwise. "<!-- no snippet: why -->" leaves a block out.
Messages of the compiler point into the page.
"""
import re
import subprocess
import sys
from pathlib import Path

block = re.compile(r"(?:^ *<!-- (no )?snippet:(.*?)-->\n)?^( *)```cpp\n(.*?)^ *```$", re.S | re.M)
definition = re.compile(r"^struct[^\n]*\{\n.*?^\}[^\n]*;[^\n]*$|^struct[^\n]*;[^\n]*$|^auto \w+\([^\n]*\) \{\n.*?^\}$", re.S | re.M)


def pasted(name, given, code, line, given_line, page):
    """A block as C++: its includes, and the rest in functions."""
    given = given.lstrip(" ")
    needs = re.match(r"\s*needs (<[^>]+>);? *", given)
    if needs:
        given = given[needs.end():]
    includes, outside, inside = [], [], []
    for text, first in ((given, given_line), (code, line)):
        def place(number):
            return f'#line {number} "{page}"\n'

        def number_of(at):
            return first + text.count("\n", 0, at)

        text = re.sub(r"^#include.*$", lambda m: includes.append(m.group()) or "", text, flags=re.M)
        at = 0
        for found in definition.finditer(text):
            inside.append(place(number_of(at)) + text[at:found.start()] + "\n")
            outside.append(place(number_of(found.start())) + found.group() + "\n")
            at = found.end()
        inside.append(place(number_of(at)) + text[at:] + "\n")
    body = "".join(inside)
    if not re.search(r"^int main\(", body, re.M):
        body = f"void body() {{\n{body}}}\n"
    inner = "".join(outside) + body
    includes = "".join(i + "\n" for i in includes)
    out = f"namespace {name} {{\n{inner}}}\n"
    if needs:
        return f"#if __has_include({needs.group(1)})\n#include {needs.group(1)}\n{includes}#endif\n", \
            f"#if __has_include({needs.group(1)})\n{out}#endif\n"
    return includes, out


def translated(page):
    text = page.read_text(encoding="utf-8")
    includes, functions = [], []
    for found in block.finditer(text):
        none, given, indent, code = found.groups()
        if none:
            continue
        line = text.count("\n", 0, found.start(4)) + 1
        given_line = text.count("\n", 0, found.start(2)) + 1 if given else line
        code = re.sub(f"^{indent}", "", code, flags=re.M)
        first, rest = pasted(f"line_{line - 1}", given or "", code, line, given_line, page)
        includes.append(first)
        functions.append(rest)
    return "".join(includes) + "".join(functions)


def main(page, out, *command):
    Path(out).parent.mkdir(parents=True, exist_ok=True)
    Path(out).write_text(translated(Path(page)), encoding="utf-8")
    return subprocess.run([*command, out]).returncode if command else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
