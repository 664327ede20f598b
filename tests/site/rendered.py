#!/usr/bin/env python3
"""What a browser shows of the site (rendered.py <root> <folder>): three pages on a phone and on a wide screen, light and dark.

The site is made anew in <folder>. A page with a script measures the pages in a frame of the wanted width, as a window of a
headless browser has at least 500 pixels. Fonts differ between machines, so no picture is compared: text must be in view and
readable, nothing may stick out of the page, and a picture of it must have many colours.
"""
import json
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import zlib

skipped = 77  # ctest takes this for "not run"
pages = ("index.html", "page_guide.html", "reference_creation.html")
screens = ((420, False), (420, True), (1280, False))  # width, dark

measure = """
const frame = document.getElementById("frame");
frame.onload = () => {
    const page = frame.contentDocument, view = frame.contentWindow, menu = page.getElementById("menu");
    const visible = one => { const box = one.getBoundingClientRect();
        return box.width > 0 && box.height > 0 && view.getComputedStyle(one).visibility === "visible"; };
    const all = query => [...page.querySelectorAll(query)];
    const scrolls = one => one.closest("pre, .scroll") !== null;
    const places = () => all("nav a").filter(visible).length;
    const light = colour => {  // relative luminance, as WCAG 2 has it but for a plain power
        const [r, g, b] = colour.match(/[\\d.]+/g).map(x => (x / 255) ** 2.2);
        return .2126 * r + .7152 * g + .0722 * b;
    };
    const body = view.getComputedStyle(page.body), begin = one => one.outerHTML.slice(0, 80);
    const shades = [light(body.color), light(body.backgroundColor)].sort((a, b) => a - b);
    const sticks_out = one => !scrolls(one) && one.getBoundingClientRect().right > view.innerWidth + 1;
    const found = {
        width: view.innerWidth, scroll_width: page.documentElement.scrollWidth, places: places(),
        sticking_out: all("main *").filter(sticks_out).map(begin),
        hidden: all("h1, main h2, main pre, main p").filter(one => !visible(one)).map(begin),
        headings: all("h1, main h2").length, code: all("main pre").length,
        contrast: (shades[1] + .05) / (shades[0] + .05), dark: light(body.backgroundColor) < .2,
    };
    menu.checked = true;
    found.places_in_menu = places();
    const search = page.getElementById("search");
    search.value = "zeros_like";
    search.dispatchEvent(new view.Event("input"));
    found.hit = page.querySelector("#found a")?.textContent;
    menu.checked = false;
    document.getElementById("found").textContent = JSON.stringify(found);
};
"""


def browser():
    names = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
    return next((found for name in names if (found := shutil.which(name))), None)


def run(program, profile, options):
    command = [program, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
               "--allow-file-access-from-files", f"--user-data-dir={profile}", "--virtual-time-budget=5000", *options]
    return subprocess.run(command, capture_output=True, text=True, timeout=300).stdout


def colours(picture):
    """How many colours a PNG of 8 bits a channel has, and the share of the one that most of it has."""
    data, at, stream = picture.read_bytes(), 8, b""
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + length]
        if kind == b"IHDR":
            width, height, depth, colour = struct.unpack(">IIBB", body[:10])
            assert depth == 8 and colour in (2, 6), "a PNG of another kind"
        stream += body if kind == b"IDAT" else b""
        at += 12 + length
    each = 3 if colour == 2 else 4
    raw, above, count = zlib.decompress(stream), bytearray(width * each), {}
    for y in range(height):
        start = y * (width * each + 1)
        row = bytearray(raw[start + 1:start + 1 + width * each])
        if raw[start] == 2:
            row = bytearray((x + b) & 255 for x, b in zip(row, above))
        for x in range(len(row) if raw[start] in (1, 3, 4) else 0):  # PNG's filters: left, above, their mean, Paeth's
            a, b, c = (row[x - each] if x >= each else 0), above[x], (above[x - each] if x >= each else 0)
            near = min((a, b, c), key=lambda value: abs(a + b - c - value))
            row[x] = (row[x] + (0, a, b, (a + b) // 2, near)[raw[start]]) & 255
        above = row
        for x in range(0, len(row), each):
            count[bytes(row[x:x + 3])] = count.get(bytes(row[x:x + 3]), 0) + 1
    return len(count), max(count.values()) / (width * height)


def problems(found, width, dark, seen):
    out = []
    def wanted(holds, words):
        out.extend([] if holds else [words])
    wanted(found["width"] == width, f"is {found['width']} wide")
    wanted(found["scroll_width"] <= found["width"], f"scrolls sideways, to {found['scroll_width']}")
    wanted(not found["sticking_out"], f"sticks out: {found['sticking_out'][:3]}")
    wanted(not found["hidden"], f"does not show {found['hidden'][:3]}")
    wanted(found["headings"] > 3 and found["code"] > 1, f"has {found['headings']} headings and {found['code']} blocks of code")
    wanted(found["places"] > 50 or width < 900, f"shows {found['places']} places of the contents")
    wanted(found["places"] == 0 or width > 900, "shows the contents before they are asked for")
    wanted(found["places_in_menu"] > 50, f"shows {found['places_in_menu']} places in its menu")
    wanted(found.get("hit") == "zeros_like", f"finds {found.get('hit')} for zeros_like")
    wanted(found["contrast"] > 7, f"has text of contrast {found['contrast']:.1f}")
    wanted(found["dark"] == dark, "is not dark" if dark else "is dark")
    wanted(seen[0] > 20 and seen[1] < .97, f"has {seen[0]} colours, one of them on {100 * seen[1]:.0f} % of it")
    return out


def check(program, site, page, width, dark, scratch):
    frame = site / "measured.html"
    style = f"border: 0; display: block; width: {width}px; height: 800px"
    frame.write_text(f'<body style="margin: 0"><iframe id="frame" src="{page}" style="{style}"></iframe>'
                     f'<pre id="found"></pre><script>{measure}</script>', encoding="utf-8")
    options = [*(["--blink-settings=preferredColorScheme=0"] if dark else []), frame.as_uri()]
    shown = run(program, scratch / "profile", ["--dump-dom", f"--window-size={max(width, 500)},800", *options])
    found = re.search(r'<pre id="found">(\{.*?\})</pre>', shown, re.S)
    if not found:
        return ["the browser measured nothing"]
    picture = scratch / "picture.png"
    run(program, scratch / "profile", [f"--screenshot={picture}", f"--window-size={max(width, 500)},400", *options])
    words = found.group(1).replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
    return problems(json.loads(words), width, dark, colours(picture))


def main(root, folder):
    program = browser()
    if program is None or shutil.which("doxygen") is None:
        print("site: needs chromium and doxygen, nothing was checked (apt-get install chromium doxygen)")
        return skipped
    done = subprocess.run([sys.executable, root / "docs/reference/reference.py", "site", root, folder])
    if done.returncode != 0:
        return done.returncode
    failed = False
    with tempfile.TemporaryDirectory() as scratch:
        for page in pages:
            for width, dark in screens:
                found = check(program, folder / "html", page, width, dark, pathlib.Path(scratch))
                failed = failed or bool(found)
                print(f"site: {page}, {width} pixels{', dark' if dark else ''}: " + ("; ".join(found) or "good"))
    (folder / "html/measured.html").unlink()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()))
