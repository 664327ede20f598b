"""The site's pages: what Doxygen makes of the Markdown, in a layout of our own.

Doxygen's frames need a wide screen and list pages by file name. Here its text is taken out of its pages and put beside a
navigation in reading order, with one style sheet for wide and narrow screens, light and dark. The site needs no server.
"""
import html
import json
import re
import shutil

first_documents = ("README", "tutorial", "guide", "gallery")  # then the reference, then all other documents by title

keywords = set("""
    alignas auto bool break case catch char class concept const consteval constexpr constinit continue decltype default delete do
    double else enum explicit extern false float for friend if inline int long mutable namespace new noexcept nullptr operator
    private protected public requires return short signed sizeof static static_assert struct switch template this throw true try
    typedef typename union unsigned using virtual void volatile while""".split())
token = re.compile(r"""
    (?P<comment> //[^\n]* | /\*.*?\*/ )
  | (?P<string> R"\(.*?\)" | "(?:[^"\\\n]|\\.)*" | '(?:[^'\\\n]|\\.)+' )
  | (?P<directive> ^[ ]*\#[^\n]* )
  | (?P<number> \b\d[\w.']* )
  | (?P<name> [A-Za-z_]\w*(?:::[A-Za-z_]\w*)* )""", re.M | re.S | re.X)
share_cell = re.compile(r"(\d+(?:\.\d+)?) ?%")


class page:
    """A page of the site: its file, how the navigation calls it, and its text."""

    def __init__(self, file, text):
        self.file = file
        self.title = re.sub(r"<.*?>", "", re.search(r'<div class="title">(.*?)</div>', text, re.S).group(1)).strip()
        self.label = "Start page" if file == "index.html" else self.title
        self.text = re.search(r'<div class="contents">\n?(.*)</div><!-- contents -->', text, re.S).group(1)
        self.headings = []  # (anchor, words)


def coloured(code, names, qualified=True):
    """C++ as HTML; names of the reference are links: those that begin with tx::, or all."""
    def one(m):
        kind, words = m.lastgroup, html.escape(m.group(), quote=False)
        if kind == "name":
            if m.group() in keywords:
                return f'<b>{words}</b>'
            linked = not qualified or m.group().startswith("tx::")
            target = names.get(m.group().removeprefix("tx::")) if linked else None
            return f'<a href="{target}">{words}</a>' if target else words
        return f'<span class="{kind}">{words}</span>'
    out, at = [], 0
    for m in token.finditer(code):
        out += [html.escape(code[at:m.start()], quote=False), one(m)]
        at = m.end()
    return "".join(out) + html.escape(code[at:], quote=False)


def code_of(m):
    lines = re.findall(r'<div class="line">(.*?)</div>', m.group("fragment"), re.S)
    return html.unescape("\n".join(re.sub(r"<.*?>", "", line) for line in lines)).replace("\u00a0", " ")


def code_block(m, names):
    return f'<pre class="code"><code>{coloured(code_of(m), names)}</code></pre>'


def signature_block(m, types):
    """Declarations, whose lines wrap. Types and concepts are links, also those in the namespace of the names that stand here."""
    code = code_of(m)
    scope = re.search(r">((?:\w+::)*)", re.sub(r"<a.*?</a>", "", m.group("head"))).group(1)
    others = types | {name.removeprefix(scope): place for name, place in types.items() if scope and name.startswith(scope)}
    others = {name: place for name, place in others.items() if f'id="{place.split("#")[1]}"' not in m.group("head")}

    def one(line):
        kind = "more" if line.startswith((" ", "}")) else "first"
        return f'<span class="{kind}">{coloured(line, others, qualified=False)}</span>'
    return m.group("head") + f'<pre class="code signature"><code>{"".join(map(one, code.split(chr(10))))}</code></pre>'


def share_bar(percent, screens=""):
    return f'<span class="share{screens}"><i style="width: {min(float(percent), 100):g}%"></i></span>'


def text_with_bars(m):
    """Text in columns, one of which is called share: a bar behind each share, on narrow screens in front of the line."""
    lines = m.group(1).rstrip("\n").split("\n")
    end = None
    for k, line in enumerate(lines):
        if (head := re.search(r"\bshare\b", line)) and not share_cell.search(line):
            end = head.end()
        elif end is None or not line.strip():
            continue
        share = re.search(share_cell.pattern + "$", line[:end])
        bars = [share_bar(share.group(1), on) if share else f'<span class="no share{on}"></span>' for on in (" narrow", " wide")]
        lines[k] = bars[0] + line[:end] + bars[1] + line[end:]
    return '<pre class="plain"><code>' + "\n".join(lines) + "</code></pre>"


def table_with_bars(table):
    """A table with a column of shares: a bar in each of its cells. All tables scroll by themselves."""
    heads = re.findall(r"<th.*?</th>", table, re.S)
    columns = [k for k, head in enumerate(heads) if re.search(r"\bshare\b", head)]

    def row(m):
        cells = re.findall(r"<td.*?</td>", m.group(), re.S)
        for k in columns:
            if k < len(cells) and (share := share_cell.search(re.sub(r"<.*?>", "", cells[k]))):
                cells[k] = cells[k].replace("</td>", " " + share_bar(share.group(1)) + "</td>")
        return "<tr>" + "".join(cells) + "</tr>" if cells else m.group()
    if columns:
        table = re.sub(r"<tr.*?</tr>", row, table, flags=re.S)
    return '<div class="scroll">' + table + "</div>"


def heading(m, of):
    level, anchor, words = int(m.group(1)) + 1, m.group(2), m.group(3).strip()
    if level == 2:
        of.headings.append((anchor, re.sub(r"<.*?>", "", words)))
    return f'<h{level} id="{anchor}">{words} <a class="here" href="#{anchor}" aria-label="link to this place">#</a></h{level}>'


def laid_out(of, names, types):
    """The text of a page without Doxygen's habits."""
    text = re.sub(r'<a class="anchor" id="(md_|autotoc_md)[^"]*"></a> ?', "", of.text)
    text = re.sub(r'(href="[^"#]*)#(?:md_|autotoc_md)[^"]*"', r'\1"', text)  # places that go with the line above: a page's begin
    text = re.sub(r"<p >", "<p>", text)
    text = re.sub(r'<h(\d)[^>]*>\s*<a class="anchor" id="([^"]*)"></a>(.*?)</h\1>', lambda m: heading(m, of), text, flags=re.S)
    text = re.sub(r'<pre class="fragment">(.*?)</pre>', text_with_bars, text, flags=re.S)
    # Further places of a heading stand in front of it, so that who follows a link sees it.
    text = re.sub(r'(<h2 id="[^\n]*</h2>\s*)<p>((?:<a class="anchor"[^>]*></a>)+) *</p>', r"\2\1", text)
    block = r'<div class="fragment">(?P<fragment>.*?)</div><!-- fragment -->'
    if of.file.startswith("reference_"):  # the block right behind a heading has the declarations
        head = r'(?P<head>(?:<a class="anchor"[^>]*></a>)*<h2 id="[^"]*">[^\n]*</h2>\s*)'
        text = re.sub(head + block, lambda m: signature_block(m, types), text, flags=re.S)
    text = re.sub(block, lambda m: code_block(m, names), text, flags=re.S)
    text = re.sub(r"<table.*?</table>", lambda m: table_with_bars(m.group()), text, flags=re.S)
    text = re.sub(r"<p>\s*</p>\n?", "", text)
    # In quotes Doxygen takes the Markdown's own escapes for text.
    return re.sub(r"&amp;(lt|gt|amp|quot);", r"&\1;", text)


def reading_order(pages, subjects):
    """[(heading, pages)]: the documents to start with, the reference by subject, then all other documents."""
    first = ["index.html" if d == "README" else f"page_{d}.html" for d in first_documents]
    reference = ["reference.html"] + [f"reference_{s}.html" for s in subjects] + ["builders.html"]
    programs = sorted(f for f in pages if f.startswith("example_"))
    rest = sorted((f for f in pages if f not in (*first, *reference, *programs)), key=lambda f: pages[f].title.casefold())
    groups = (("", first), ("Programs", programs), ("Reference", reference), ("More documents", rest))
    return [(head, [pages[f] for f in files if f in pages]) for head, files in groups]


def navigation(groups, here):
    out = []
    for head, ones in groups:
        programs = head == "Programs"
        if programs and here not in ones and here.file != "page_gallery.html":
            continue  # the gallery leads there
        out.append((f"<h2>{head}</h2>" if head else "") + "<ul>")
        for one in ones:
            current = one is here
            label = "Overview" if one.file == "reference.html" else one.label
            out.append(f'<li><a href="{one.file}"{" aria-current=page" if current else ""}>{label}</a>')
            if current and one.headings and one.file not in ("builders.html", "reference.html"):
                out += ["<ul>", *(f'<li><a href="#{anchor}">{words}</a></li>' for anchor, words in one.headings), "</ul>"]
            out.append("</li>")
        out.append("</ul>")
    return "\n".join(out)


def neighbours(groups, here):
    order = [one for head, ones in groups if head != "Programs" for one in ones]
    if here not in order:
        return '<a href="page_gallery.html">Examples</a>'
    k = order.index(here)
    back = f'<a rel="prev" href="{order[k - 1].file}">← {order[k - 1].label}</a>' if k else "<span></span>"
    on = f'<a rel="next" href="{order[k + 1].file}">{order[k + 1].label} →</a>' if k + 1 < len(order) else ""
    return back + on


def document(of, groups):
    title = "tracexpr" if of.file == "index.html" else f"{of.title} - tracexpr"
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{title}</title>
<link rel="stylesheet" href="style.css">
<script src="names.js" defer></script>
<script src="search.js" defer></script>
</head>
<body>
<header>
<a class="home" href="index.html">tracexpr</a>
<input id="menu" type="checkbox" aria-label="show the contents"><label for="menu">Contents</label>
<nav aria-label="contents">
<input id="search" type="search" placeholder="Search names and headings" aria-label="search" autocomplete="off">
<ul id="found"></ul>
<div id="contents">
{navigation(groups, of)}
</div>
</nav>
</header>
<main>
<h1>{of.title}</h1>
{of.text}
<footer>{neighbours(groups, of)}</footer>
</main>
</body>
</html>
"""


def search_entries(groups, names):
    """[what is found, where, on which page]."""
    entries = [[full, place, "name"] for full, place in sorted(names.items())]
    for _, ones in groups:
        for one in ones:
            entries.append([html.unescape(one.title), one.file, "page"])
            if not one.file.startswith("reference_") and one.file != "builders.html":
                label = html.unescape(one.label)
                entries += [[html.unescape(words), f"{one.file}#{anchor}", label] for anchor, words in one.headings]
    return entries


def finish(root, folder, subjects, names, types):
    """<folder>/html from the pages that Doxygen has put into <folder>/doxygen. `names` says where each name of the reference
    stands, `types` the same of types and concepts alone."""
    target = folder / "html"
    target.mkdir(parents=True, exist_ok=True)
    made = [*(folder / "doxygen").glob("*.html")]
    made = [f for f in made if f.name in ("index.html", "reference.html", "builders.html")
            or f.name.startswith(("page_", "reference_", "example_"))]
    pages = {f.name: page(f.name, f.read_text(encoding="utf-8")) for f in made}
    for one in pages.values():
        one.text = laid_out(one, names, types)
    groups = reading_order(pages, subjects)
    for one in pages.values():
        (target / one.file).write_text(document(one, groups), encoding="utf-8")
    (target / "names.js").write_text("const places = " + json.dumps(search_entries(groups, names), ensure_ascii=False) + ";\n",
                                     encoding="utf-8")
    for file in (root / "docs/reference/style.css", root / "docs/reference/search.js", *(root / "docs/images").glob("*")):
        shutil.copy(file, target)
