"""Declarations as a user reads them.

The headers write what the compiler needs. Here overloads go that exist to give an error alone, macros and attributes go, and
names of namespace `detail` get a public meaning: constraints keep their name, which constraints.txt explains, and types without
a public name become `auto`.
"""
import re

import headers

noise = re.compile(r" ?\bTRACEXPR_\w+(?=\))|\bTRACEXPR_\w+\s*|\[\[nodiscard\]\]\s*|\binline\s+")
# What a header has, and what a reader sees instead; in this order.
public_meanings = (
    (re.compile(r", class D = (?:tx::)?detail::common_dual<.*>> D (\w+)\((.*)\)$"), r"> auto \1(\2) // one of them is a dual number"),
    (re.compile(r"\b(?:tx::)?detail::window_result<T>"), "auto"),
    (re.compile(r"<(?:tx::)?detail::kept_rate<Rate>>"), "<Rate>"),
    (re.compile(r"\b(?:tx::)?detail::step_count\b"), "tensor<std::int64_t, shape<>>"),
    (re.compile(r"\b(?:tx::)?detail::no_reduction\b"), "none_t"),
    (re.compile(r"\b(?:tx::)?detail::class_weights\b"), "auto"),
    (re.compile(r" -> .*\bdetail::.*$"), ""),  # what a deduction guide deduces
    (re.compile(r"^((?:template <.*> )?(?:class|struct) \w+) : .*\bdetail::.*$"), r"\1"),
    (re.compile(r"^using (\w+) = .*\bdetail::.*$"), r"class \1"),
    (re.compile(r"^(.*\bconcept \w+) = .*\bdetail::.*$"), r"\1"),
)
constraint = re.compile(r"\b(?:tx::)?detail::(?:\w+::)*(\w+)")
# Overloads that exist to give an error, or for the library alone, by their declarations.
not_for_users = re.compile(r"= delete|\bdetail::(failed|no_dtype|any_argument|called_with\w*|drawing|container_type)\b|"
                           r"!\(+detail::shown_operand")


def lines_of(root, one):
    """The header's lines, the first of the declaration, and the last before its body."""
    lines = (root / "include/tracexpr" / one.header).read_text(encoding="utf-8").split("\n")
    first = last = one.line - 1
    while first > 0 and not re.match(r"\s*template\b", lines[first]):
        above = lines[first - 1].strip()
        if not above or above.startswith(("//", "#")) or re.search(r"[;{}:]$", headers.code_of(above).strip()):
            break
        first -= 1
    while last < len(lines) - 1 and not re.search(r"[{;]", re.sub(r"\{\}", "", lines[last])):
        last += 1
    return lines, first, last


def body(lines, first):
    """What stands between the braces that open in this line; nothing where it ends with a semicolon instead."""
    depth, out = 0, []
    for line in lines[first:first + 60]:
        code = re.sub(r"\{\}", "", headers.code_of(line))
        depth += code.count("{") - code.count("}")
        out.append(line)
        if depth <= 0:
            break
    return "\n".join(out)


def is_for_users(root, one):
    """Not so overloads that are deleted, that have nothing but a static_assert that always fails, or are the library's own."""
    if one.kind != "function":
        return True
    lines, first, last = lines_of(root, one)
    if not_for_users.search(" ".join(lines[first:last + 1])):
        return False
    return not re.search(r"static_assert\((tx::)?(detail::)?always_false<|return (tx::)?detail::refuse", body(lines, last))


def plain_members(lines, first):
    """A class from its first line on, where it has data alone: options and the like."""
    if "}" in lines[first]:
        return None
    for last in range(first, min(first + 20, len(lines))):
        if lines[last].startswith("};"):
            code = [headers.code_of(line) for line in lines[first + 1:last]]
            return None if any("(" in line or line.endswith(":") for line in code) else lines[first:last + 1]
    return None


def declaration_text(root, one):
    """The declaration as the header has it, without its body, in one line; of a class that has data alone, all of it."""
    lines, first, last = lines_of(root, one)
    if one.kind in ("struct", "class") and (whole := plain_members(lines, last)):
        return "\n".join(lines[first:last] + whole)
    text = " ".join(line.strip() for line in lines[first:last + 1])
    if one.kind in ("enum", "enumerator", "variable", "typedef", "concept"):
        return re.sub(r"\s*;.*", "", text)
    text = re.sub(r"\s*\{(?!\}).*$", "", text)
    return re.sub(r"\s*;.*$|\s*: public .*$", "", text)


def closing(text, start):
    """Behind the bracket that closes the one at `start`; `->` and comparisons in parentheses are not brackets of templates."""
    pairs, depth = {"(": ")", "<": ">"}, 0
    left, right = text[start], pairs[text[start]]
    for k in range(start, len(text)):
        if left == "<" and text[k] == "(":  # what stands in parentheses is closed for itself
            inner = closing(text, k)
            if inner > k + 1:
                text = text[:k] + " " * (inner - k) + text[inner:]
        if text[k] == left:
            depth += 1
        elif text[k] == right and text[k - 1] != "-":
            depth -= 1
            if depth == 0:
                return k + 1
    return start + 1


def template_head(text):
    """How long `template <...>` and `requires ...` are at the text's begin."""
    at = closing(text, text.index("<")) if text.startswith("template") else 0
    found = re.match(r" *requires *", text[at:])
    if not found:
        return at
    at += found.end()
    while True:  # a && b || ...
        name = re.match(r"!?[\w:]*", text[at:])
        at += name.end()
        if at < len(text) and text[at] in "(<":
            at = closing(text, at)
        joined = re.match(r" *(&&|\|\|) *", text[at:])
        if not joined:
            return at
        at += joined.end()


def in_lines(text):
    """A long declaration takes a line for its template's head and one for the rest."""
    if len(text) <= 80 or not text.startswith("template"):
        return text
    at = template_head(text)
    return text[:at].rstrip() + "\n    " + text[at:].lstrip() if text[at:].strip() else text


def signature(root, one):
    """What a reader sees, and the constraints in it that have no public name."""
    text = noise.sub("", declaration_text(root, one))
    for pattern, meaning in public_meanings:
        text = pattern.sub(meaning, text)
    names = [name for name in constraint.findall(text)]
    text = constraint.sub(r"\1", text)
    return (text if "\n" in text else in_lines(text)), names


def constraint_meanings(root):
    """constraints.txt: what each constraint takes that signatures name and that is not public."""
    lines = (root / "docs/reference/constraints.txt").read_text(encoding="utf-8").split("\n")
    return dict(line.split(": ", 1) for line in lines if line and not line.startswith("#"))
