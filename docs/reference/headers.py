"""What Doxygen reads instead of a header: comments become documentation.

Our headers have ordinary // comments. One that stands above a declaration, outside of function bodies, documents it here (///),
one behind a member documents that member (///<), and the first of a file documents the file. Inline namespaces, which name the
processor or the way calls are compiled, go: users don't write them. No line moves, so what Doxygen says of lines is true of the
header.
"""
import re
import sys

DECLARES = re.compile(r"\b(namespace|struct|class|union|enum|concept)\b|^extern \"C\"")
INLINE_NAMESPACE = re.compile(r"(inline namespace|namespace (\w+(?:::\w+)*)::inline) TRACEXPR_\w+( \{)")
END_OF_INLINE = re.compile(r"\} // namespace (?:(\w+(?:::\w+)*)::)?(?:inline )?TRACEXPR_\w+$")


def code_of(line):
    """The line without comments, strings and characters: what braces are counted in."""
    line = re.sub(r'"(?:[^"\\]|\\.)*"', '""', line)
    line = re.sub(r"'(?:[^'\\]|\\.)'", "' '", line)
    return re.sub(r"//.*", "", line)


class scopes:
    """Which braces are open, and whether declarations stand in them (namespaces, classes) or statements."""

    def __init__(self):
        self.open, self.head = [], ""

    def declarative(self):
        return all(self.open)

    def read(self, code):
        if code.startswith("#"):
            return
        for c in code:
            if c == "{":
                head = re.sub(r"\brequires\s*\(.*?\)|<.*?>|alignas\(.*?\)", "", self.head)
                declares = self.declarative() and bool(DECLARES.search(self.head)) and "(" not in head
                self.open.append(declares)
                self.head = ""
            elif c == "}":
                if self.open:
                    self.open.pop()
                self.head = ""
            elif c == ";":
                self.head = ""
            else:
                self.head += c
        self.head += " "


def open_namespaces(line, where):
    """Inline namespaces of macros are left out; what else the line opens stays."""
    found = INLINE_NAMESPACE.search(line)
    if not found:
        return line
    where.append(bool(found.group(2)))
    return INLINE_NAMESPACE.sub(f"namespace {found.group(2)}{{" if found.group(2) else "", line)


def close_namespace(line, where):
    if not END_OF_INLINE.match(line) or not where:
        return line
    return "}" if where.pop() else ""


def filtered(lines):
    out, state, where, in_file_comment = [], scopes(), [], True
    for number, line in enumerate(lines):
        stripped = line.strip()
        if in_file_comment and stripped.startswith("//"):
            out.append(("/// \\file\n/// " if number == 0 else "///") + stripped[2:])
            continue
        in_file_comment = False
        line = close_namespace(open_namespaces(line, where), where)
        if state.declarative():
            if stripped.startswith("//"):
                line = line.replace("//", "///", 1)
            elif re.search(r"[;,{}] +// ", line) and not stripped.startswith(("#", "}", "namespace")):
                line = re.sub(r" // (?!namespace)", " ///< ", line, count=1)
        state.read(code_of(line))
        out.append(line)
    return out


def write_filtered(source, target):
    """All headers below `source` as Doxygen is to read them, below `target`."""
    for header in sorted(source.rglob("*.hpp")):
        lines = filtered(header.read_text(encoding="utf-8").split("\n"))
        copy = target / header.relative_to(source)
        copy.parent.mkdir(parents=True, exist_ok=True)
        # The file's comment takes a line more, so the #pragma gives one.
        copy.write_text("\n".join(line for line in lines if line != "#pragma once"), encoding="utf-8")
