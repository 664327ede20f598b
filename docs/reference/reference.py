#!/usr/bin/env python3
"""The reference: names, what they mean, and an example of each.

    reference.py check <root> <folder>   says which public names have no documentation or no example; ends with 1 if one hasn't
    reference.py site <root> <folder>    the same, then makes <folder>/html

README.md, beside this file, says what is public, and where documentation and examples stand.
"""
import fnmatch
import pathlib
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as xml

import headers
import layout
import links
import signatures

page_order = ("creation", "tensors", "arithmetic", "functions_of_numbers", "comparisons", "reductions", "order", "shapes", "parts",
              "products", "random", "distributions", "special", "statistics", "arrays", "matrices", "convolutions", "images", "fourier",
              "networks", "losses", "functions", "control_flow", "derivatives", "optimizers", "duals", "devices", "mpi", "files", "onnx",
              "inspection", "pictures", "testing", "xtensor", "eigen", "exchange", "concepts")
users_layers = ("base", "trace", "run", "tape", "transforms", "optim", "files", "plot", "testing", "special", "statistics", "arrays", "conv",
                "image", "fft", "distributions", "matrices", "nn", "xtensor", "eigen", "dlpack", "dlpack.hpp", "arrow", "arrow.hpp", "blas", "mpi", "onnx")
also = {
    "thrust_device", "thrust_points", "to", "device_of",  # devices
    "synchronize", "memory_in_use", "release_memory", "device_data", "mutable_device_data",
    "pass_options", "rule_set", "rules_named",  # what tx::with_passes takes
    "to_text", "to_dot", "to_json", "to_svg", "to_html",  # graphs, as users see them
}
skipped = 77  # ctest takes this for "not run"


class name:
    """All that is declared under one name."""

    def __init__(self, full):
        self.full, self.declarations, self.members = full, [], []

    def documented(self):
        return any(d.text for d in self.declarations)


class declaration:
    def __init__(self, kind, header, line, text):
        self.kind, self.header, self.line, self.text = kind, header, line, text


def text_of(element):
    """A description as Markdown: paragraphs, and lines of code."""
    paragraphs = []
    for part in ("briefdescription", "detaileddescription"):
        for para in element.find(part) if element.find(part) is not None else ():
            code = para.find("programlisting") if para.tag == "para" else None
            if code is not None:
                lines = ["".join(" " if e.tag == "sp" else (e.text or "") for e in line.iter()) for line in code]
                paragraphs.append("\n".join("    " + line for line in lines))
            else:
                paragraphs.append(" ".join("".join(para.itertext()).split()))
    return "\n\n".join(p for p in paragraphs if p)


def is_apart(full, patterns):
    return any(fnmatch.fnmatchcase(full, p) for p in patterns)


def run_doxygen(root, folder, inputs, more):
    settings = (root / "docs/reference/Doxyfile").read_text()
    settings += f"\nINPUT = {' '.join(str(i) for i in inputs)}\nOUTPUT_DIRECTORY = {folder}\n{more}\n"
    done = subprocess.run(["doxygen", "-"], input=settings, text=True, capture_output=True, cwd=root)
    if done.returncode != 0:
        sys.exit("reference: doxygen failed:\n" + done.stderr)


class index:
    """What Doxygen has found."""

    def __init__(self, folder):
        self.names = {}
        for file in sorted((folder / "xml").glob("*.xml")):
            for compound in xml.parse(file).getroot().findall("compounddef"):
                self.read(compound)

    def add(self, full, element, kind):
        if not full.startswith("tx::") or "<" in re.sub(r"operator[<>=]+", "", full) or "@" in full:
            return None
        where = element.find("location")
        header = where.get("file").split("tracexpr/", 1)[-1]
        found = self.names.setdefault(full[len("tx::"):], name(full[len("tx::"):]))
        found.declarations.append(declaration(kind, header, int(where.get("line")), text_of(element)))
        return found

    def read(self, compound):
        kind, full = compound.get("kind"), compound.findtext("compoundname")
        if kind in ("struct", "class", "concept"):
            found = self.add(full, compound, kind)
            if found is not None and kind != "concept":
                for section in compound.findall("sectiondef"):
                    if section.get("kind", "").startswith("public"):
                        found.members += [(m.findtext("name"), text_of(m)) for m in section.findall("memberdef")]
        elif kind == "namespace":
            for member in compound.iter("memberdef"):
                self.add(f"{full}::{member.findtext('name')}", member, member.get("kind"))
                if member.get("kind") == "enum" and member.get("strong") != "yes":
                    for value in member.findall("enumvalue"):
                        found = self.add(f"{full}::{value.findtext('name')}", member, "enumerator")
                        if found is not None and text_of(value):
                            found.declarations[-1].text = text_of(value)


def public_names(found, apart):
    """Those of users, and those of builders."""
    users, builders = {}, {}
    for full, one in sorted(found.items()):
        layers = {d.header.split("/")[0] for d in one.declarations}
        tail = full.split("::")[-1]
        owner = full.rsplit("::", 1)[0] if "::" in full else None
        nested = owner in found and any(d.kind in ("struct", "class") for d in found[owner].declarations)
        in_users = full in also or layers & set(users_layers)
        if nested or tail.startswith("~"):
            continue
        if not in_users or is_apart(full, apart) or tail.endswith("_t"):
            builders[full] = one
        else:
            users[full] = one
    return users, builders


class example:
    def __init__(self, titles, body, file, line):
        self.titles, self.body, self.file, self.line = titles, body, file, line

    def mentions(self, full):
        tail = full.split("::")[-1]
        if tail.startswith("operator"):
            return tail[len("operator"):] in self.body
        return re.search(rf"\b{re.escape(tail)}\b", self.body) is not None


def read_examples(file):
    """The page's title and text (the first comment, "// Title: text"), what stands before the first case, and the cases."""
    lines = file.read_text(encoding="utf-8").split("\n")
    comment = []
    while lines[len(comment)].startswith("//"):
        comment.append(lines[len(comment)][2:].strip())
    title, _, text = " ".join(comment).partition(": ")
    preamble, cases, k = [], [], len(comment)
    while k < len(lines):
        start = re.match(r'TEST_CASE\("([^"]*)"\) \{(.*)', lines[k])
        if not start:
            preamble.append(lines[k])
            k += 1
            continue
        first, body = k + 1, []
        one_line = re.match(r"\s*(.*?) \}(\s*//.*)?$", start.group(2))
        if one_line and start.group(2).strip():
            body.append(one_line.group(1) + (one_line.group(2) or ""))
        else:
            k += 1
            while lines[k] != "}":
                body.append(lines[k][4:])
                k += 1
        k += 1
        cases.append(example([t.strip() for t in start.group(1).split(", ")], "\n".join(body), file.name, first))
    return title, text, preamble, cases


def plain(text):
    """Text that Markdown leaves alone; lines of code stay code."""
    if text.startswith("    "):
        return text
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def markdown_section(root, ones, cases, meanings):
    """Names that share an example: their declarations, what is said of them, and the examples."""
    shown, texts, members, constraints = [], [], [], []
    for one in ones:
        for d in (d for d in one.declarations if signatures.is_for_users(root, d)):
            line, named = signatures.signature(root, d)
            if line and line not in shown:
                shown.append(line)
                constraints += named
            said = d.text if len(ones) == 1 else f"`{one.full}`: {plain(d.text)}"
            if d.text and said not in texts:
                texts.append(said)
        if any(re.search("^ +[^ ].*;", line, re.M) for line in shown[-1:]):
            continue  # its members are all there
        owner = one.full + "::" if len(ones) > 1 else ""
        members += [f"- `{owner}{m}`: {plain(t)}" for m, t in one.members if t and m != "explicit" and not m.startswith("~")]
    out = [f"## {', '.join(plain(one.full) for one in ones)} {{#{anchor(ones[0].full)}}}", ""]
    out += [f"\\anchor {anchor(one.full)}" for one in ones[1:]] + [""]
    out += ["```cpp", *shown[:3 + 3 * len(ones)], "```", ""]
    out += [f"- `{name}`: {meanings[name]}" for name in sorted({n for n in constraints if n in meanings})] + [""]
    out += [(t if len(ones) > 1 else "\n\n".join(plain(p) for p in t.split("\n\n"))) + "\n" for t in texts] + members + [""]
    for case in cases:
        out += ["```cpp", case.body, "```", ""]
    where = sorted({"tracexpr/" + one.declarations[0].header for one in ones})
    return out + [f"<small>{', '.join(where)}</small>", ""]


def anchor(full):
    return "name_" + re.sub(r"[^\w]", lambda m: f"_{ord(m.group()):x}", full)


def write_pages(root, pages, users, builders, folder):
    folder.mkdir(parents=True, exist_ok=True)
    meanings = signatures.constraint_meanings(root)
    overview = ["# Reference {#reference}", "",
                f"{len(users)} names of namespace `tx`, each with an example that is a test: `CHECK` says what holds.", ""]
    shown = set()
    for file, (title, text, preamble, cases) in pages.items():
        page = "reference_" + file
        out = [f"# {title} {{#{page}}}", "", text[:1].upper() + text[1:], ""]
        code = [l for l in preamble if l.strip() and not l.startswith("#include <doctest")]
        out += ["```cpp", *code, "```", ""]
        here = []
        for case in cases:
            new = [t for t in case.titles if t in users and t not in shown]
            shown.update(new)
            here += new
            if new:
                out += markdown_section(root, [users[t] for t in new], [c for c in cases if set(c.titles) & set(new)], meanings)
        overview += [f"**[{title}](@ref {page})**", "", ", ".join(f"[{plain(n)}](@ref {anchor(n)})" for n in here), ""]
        (folder / (page + ".md")).write_text("\n".join(out), encoding="utf-8")
    write_builders(builders, folder)
    overview += ["What only those need who build on the compiler is [listed by header](@ref builders).", ""]
    (folder / "reference.md").write_text("\n".join(overview), encoding="utf-8")


def write_builders(builders, folder):
    out = ["# Names for builders {#builders}", "",
           "What those who build on the compiler find in namespace tx, header by header. It may change.", ""]
    by_header = {}
    for one in builders.values():
        by_header.setdefault(one.declarations[0].header, []).append(one)
    for header, ones in sorted(by_header.items()):
        out += [f"## {header}", ""]
        for o in ones:
            said = next((d.text.split("\n")[0] for d in o.declarations if d.text), "")
            out.append(f"- `{o.full}`" + (": " + plain(said) if said else ""))
        out.append("")
    (folder / "builders.md").write_text("\n".join(out), encoding="utf-8")


def problems_of(root, users, builders, pages):
    out, exemplified = [], {}
    meanings = signatures.constraint_meanings(root)
    for _, _, _, cases in pages.values():
        for case in cases:
            for title in case.titles:
                if title not in users:
                    known = "it is for builders" if title in builders else "there is no such name"
                    out.append(f"tests/docs/{case.file}:{case.line}: {title}: {known}")
                elif not case.mentions(title):
                    out.append(f"tests/docs/{case.file}:{case.line}: {title}: the example does without it")
                else:
                    exemplified[title] = case
    for full, one in users.items():
        where = f"include/tracexpr/{one.declarations[0].header}:{one.declarations[0].line}: {full}"
        if not one.documented():
            out.append(f"{where}: has no documentation: write a comment above it")
        if full not in exemplified:
            out.append(f"{where}: has no example: write one in tests/docs")
        seen = [d for d in one.declarations if signatures.is_for_users(root, d)]
        if not any(d.text for d in seen):
            out.append(f"{where}: has no overload for users, or none with a comment")
        unknown = {n for d in seen for n in signatures.signature(root, d)[1] if n not in meanings}
        out += [f"{where}: its signature names detail::{n}: say in docs/reference/constraints.txt what that takes"
                for n in sorted(unknown)]
    documented = sum(one.documented() for one in users.values())
    print(f"reference: {len(users)} public names, {documented} documented, {len(exemplified)} with an example; "
          f"{len(builders)} for builders")
    return out


def main(mode, root, folder):
    if shutil.which("doxygen") is None:
        print("reference: doxygen is not installed, nothing was checked (apt-get install doxygen)")
        return skipped
    shutil.rmtree(folder, ignore_errors=True)
    read = folder / "headers/tracexpr"
    headers.write_filtered(root / "include/tracexpr", read)
    run_doxygen(root, folder, [read], f"GENERATE_XML = YES\nSTRIP_FROM_PATH = {folder / 'headers'}")
    apart = [l for l in (root / "docs/reference/apart.txt").read_text().split("\n") if l and not l.startswith("#")]
    users, builders = public_names(index(folder).names, apart)
    files = sorted((root / "tests/docs").glob("*.cpp"), key=lambda f: (*page_order, f.stem).index(f.stem))
    pages = {f.stem: read_examples(f) for f in files}
    found = problems_of(root, users, builders, pages)
    if mode == "site":
        make_site(root, folder, users, builders, pages)
        found += links.broken_on_site(folder / "html")
    for problem in found:
        print(problem)
    return 1 if found else 0


def make_site(root, folder, users, builders, pages):
    write_pages(root, pages, users, builders, folder / "pages")
    links.write_for_site(root, folder / "pages")
    run_doxygen(root, folder, [folder / "pages"], "GENERATE_HTML = YES\nHTML_OUTPUT = doxygen\n"
                f"USE_MDFILE_AS_MAINPAGE = {folder / 'pages/README.md'}")
    names = {one.full: f"reference_{file}.html#{anchor(one.full)}" for file, one in placed(pages, users)}
    types = {full: place for full, place in names.items()
             if any(d.kind in ("struct", "class", "concept", "typedef") for d in users[full].declarations)}
    layout.finish(root, folder, list(pages), names, types)
    print(f"reference: {folder / 'html/index.html'}")


def placed(pages, users):
    """Each name with the page that it stands on, which is the first that has an example of it."""
    shown = set()
    for file, (_, _, _, cases) in pages.items():
        for title in (t for case in cases for t in case.titles):
            if title in users and title not in shown:
                shown.add(title)
                yield file, users[title]


if __name__ == "__main__":
    if len(sys.argv) != 4 or sys.argv[1] not in ("check", "site"):
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1], pathlib.Path(sys.argv[2]).resolve(), pathlib.Path(sys.argv[3]).resolve()))
