#!/usr/bin/env python3
"""Links of the documents: that files and headings exist (links.py <root>), and what they are on the site."""
import pathlib
import re
import sys

link = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\[\]]*\])*)\]\(([^)\s]+)\)")


def documents(root):
    return [root / "README.md", *sorted((root / "docs").glob("*.md"))]


def shown(page):
    """A document without the comments that its tests read."""
    return re.sub(r"^ *<!-- (no )?snippet:.*?-->\n", "", page.read_text(encoding="utf-8"), flags=re.S | re.M)


def anchors(text):
    """Those that GitHub gives to headings."""
    out = set()
    for line in re.sub(r"^```.*?^```", "", text, flags=re.S | re.M).split("\n"):
        if heading := re.match(r"#+ +(.*)", line):
            plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading.group(1)).replace("`", "")
            base = re.sub(r"[^\w\- ]", "", plain.strip().lower()).replace(" ", "-")
            count = 0
            while (base if count == 0 else f"{base}-{count}") in out:
                count += 1
            out.add(base if count == 0 else f"{base}-{count}")
    return out


def broken(root):
    found = []
    for page in documents(root):
        # A link's text may be code, so only blocks of code go; a lambda is not followed by an address.
        text = re.sub(r"^```.*?^```", "", shown(page), flags=re.S | re.M)
        for _, _, target in link.findall(re.sub(r"`[^`\n]*`", "code", text)):
            if re.match(r"\w+:", target):
                continue
            file, _, heading = target.partition("#")
            place = (page.parent / file).resolve() if file else page
            if not place.exists():
                found.append(f"{page.relative_to(root)}: ({target}): there is no such file")
            elif heading and place.suffix == ".md" and heading not in anchors(place.read_text(encoding="utf-8")):
                found.append(f"{page.relative_to(root)}: ({target}): there is no such heading")
    gallery = (root / "docs/gallery.md").read_text(encoding="utf-8")
    found += [f"docs/gallery.md: shows no {example.name}" for example in sorted((root / "examples").glob("*.cpp"))
              if f"../examples/{example.name}" not in gallery]
    return found


def programs(root):
    return sorted((root / "examples").glob("*.cpp"))


def write_for_site(root, folder):
    """The documents as Doxygen takes them: pages have names, headings the page's name before the anchor that GitHub has.

    Each program of examples/ gets a page of its own with its source."""
    folder.mkdir(parents=True, exist_ok=True)
    for program in programs(root):
        code = re.sub(r"^// expect-output:.*\n", "", program.read_text(encoding="utf-8"))
        (folder / f"example_{program.stem}.md").write_text(
            f"# {program.stem} {{#example_{program.stem}}}\n\n`./run example {program.stem}` builds and runs "
            f"`examples/{program.name}`.\n\n```cpp\n{code}```\n", encoding="utf-8")
    for page in documents(root):
        parts = re.split(r"(^```.*?^```)", shown(page), flags=re.S | re.M)  # text, code, text, ...
        for k in range(0, len(parts), 2):
            parts[k] = re.sub(r"^(#+) +(.*)$", lambda m: site_heading(page, m), parts[k], flags=re.M)
            parts[k] = link.sub(lambda m: site_link(root, page, m), parts[k])
        for k in range(1, len(parts), 2):  # Doxygen colours what stands between ``` as C++; indented text stays as it is
            if not parts[k].startswith("```cpp"):
                parts[k] = "\n" + re.sub(r"^", "    ", "\n".join(parts[k].split("\n")[1:-1]), flags=re.M) + "\n"
        (folder / page.name).write_text("".join(parts), encoding="utf-8")


def site_heading(page, match):
    level, words = match.groups()
    base = next(iter(anchors(match.group())))
    name = "page_" + page.stem if level == "#" else page.stem + "_" + base.replace("-", "_")
    return level + " " + link.sub(r"\2", words) + f" {{#{name}}}"


def site_link(root, page, match):
    image, words, target = match.groups()
    if re.match(r"\w+:", target):
        return match.group()
    file, _, heading = target.partition("#")
    place = (page.parent / file).resolve() if file else page
    if image:
        return f'<img src="{place.name}" alt="{words}">'
    words = " ".join(words.replace("`", "").split())  # which is all that Doxygen takes
    if place == root / "examples":
        return f"[{words}](@ref page_gallery)"
    if place == root / "docs/reference/README.md" and "reference" in words.lower():
        return f"[{words}](@ref reference)"
    if place in programs(root):
        return f"[{words}](@ref example_{place.stem})"
    if place in documents(root):
        return f"[{words}](@ref {place.stem + '_' + heading.replace('-', '_') if heading else 'page_' + place.stem})"
    return f"{words} (`{place.relative_to(root)}`)"


def broken_on_site(folder):
    """Links of the finished pages that lead nowhere."""
    texts = {page.name: page.read_text(encoding="utf-8") for page in folder.glob("*.html")}
    places = {name: set(re.findall(r'(?:id|name)="([^"]+)"', text)) for name, text in texts.items()}
    found = [f"{name}: @ref in the text" for name, text in texts.items() if "@ref" in text]
    for name, text in texts.items():
        for target in re.findall(r'(?:href|src)="([^"]+)"', text):
            file, _, place = target.partition("#")
            if re.match(r"\w+:", target) or (file or name) not in places and (folder / file).exists():
                continue
            if (file or name) not in places or place and place not in places[file or name]:
                found.append(f"{name}: {target}: there is no such place")
    return found


if __name__ == "__main__":
    problems = broken(pathlib.Path(sys.argv[1]).resolve())
    print("\n".join(problems) or "links: all files and headings are there")
    sys.exit(1 if problems else 0)
