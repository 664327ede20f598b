#!/usr/bin/env python3
"""Links of the documents: that files and headings exist (links.py <root>), and what they are on the site."""
import pathlib
import re
import shutil
import sys

link = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\[\]]*\])*)\]\(([^)\s]+)\)")


def documents(root):
    return [root / "README.md", *sorted((root / "docs").glob("*.md"))]


def without_code(text):
    text = re.sub(r"^```.*?^```", "", text, flags=re.S | re.M)
    return re.sub(r"`[^`\n]*`", "", text)


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
        text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.S | re.M)
        for _, _, target in link.findall(re.sub(r"`[^`\n]*`", "code", text)):
            if re.match(r"\w+:", target):
                continue
            file, _, heading = target.partition("#")
            place = (page.parent / file).resolve() if file else page
            if not place.exists():
                found.append(f"{page.relative_to(root)}: ({target}): there is no such file")
            elif heading and place.suffix == ".md" and heading not in anchors(place.read_text(encoding="utf-8")):
                found.append(f"{page.relative_to(root)}: ({target}): there is no such heading")
    return found


def write_for_site(root, folder):
    """The documents as Doxygen takes them: pages have a name each, headings the anchors that GitHub gives them, with the page's name in front."""
    folder.mkdir(parents=True, exist_ok=True)
    for page in documents(root):
        text, stem = page.read_text(encoding="utf-8"), page.stem
        lines, in_code, seen = [], False, set()
        for line in text.split("\n"):
            in_code ^= line.startswith("```")
            heading = None if in_code else re.match(r"(#+) +(.*)", line)
            if heading:
                base = next(iter(anchors(line)))
                line += f" {{#{'page_' + stem if heading.group(1) == '#' else stem + '_' + base.replace('-', '_')}}}"
            elif not in_code:
                line = link.sub(lambda m: site_link(root, page, m), line)
            lines.append(line)
        (folder / page.name).write_text("\n".join(lines), encoding="utf-8")


def site_link(root, page, match):
    image, words, target = match.groups()
    if re.match(r"\w+:", target):
        return match.group()
    file, _, heading = target.partition("#")
    place = (page.parent / file).resolve() if file else page
    if image:
        return f'<img src="{place.name}" alt="{words}">'
    if place in documents(root):
        return f"[{words}](@ref {place.stem + '_' + heading.replace('-', '_') if heading else 'page_' + place.stem})"
    return f"{words} (`{place.relative_to(root)}`)"


if __name__ == "__main__":
    problems = broken(pathlib.Path(sys.argv[1]).resolve())
    print("\n".join(problems) or "links: all files and headings are there")
    sys.exit(1 if problems else 0)
