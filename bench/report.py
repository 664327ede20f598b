#!/usr/bin/env python3
"""Turns Google Benchmark's JSON into a Markdown table and, with --svg, a bar chart.

    report.py [--svg FILE] [--readme FILE] [--note TEXT] gcc/*.json clang/*.json > table.md

Benchmarks are named workload/dtype/size/competitor. Of all repetitions in all files the fastest counts, because what
slows a run down is never the code; so does a competitor's best variant (eigen and eigen_rows are both Eigen) and, given
files of several compilers, the best compiler. The last columns: how many times faster than the fastest competitor
tracexpr is; and, where memory decides, its bandwidth relative to the fastest triad's of the same length in the same run.
"""

import argparse
import html
import json
import sys

COLUMNS = ["tracexpr", "hand", "plain", "eigen", "xtensor"]
MEMORY_BOUND = {"axpy", "sum", "sqdiff", "slice_1d", "slice_2d", "transpose_add"}
CHART = [  # what the chart shows: workload, size, words
    ("axpy", "1000", "a·x + y, 1,000"),
    ("expmix", "100000", "exp(−x²)·y + tanh(x), 100,000"),
    ("sqdiff", "100000", "Σ(x − y)², 100,000"),
    ("black_scholes", "100000", "Black-Scholes, 100,000"),
    ("softmax_rows", "1024x1024", "softmax of rows, 1024×1024"),
    ("layer_norm_rows", "1024x1024", "layer norm of rows, 1024×1024"),
    ("standardize_columns", "4096x256", "(x − mean) / std of columns, 4096×256"),
    ("transpose_add", "1024x1024", "xᵀ + y, 1024×1024"),
    ("slice_2d", "2048x2048", "x[::2, 1::3] + s, 2048×2048"),
]
COLOURS = {"tracexpr": "#d1495b", "plain": "#7f8c8d", "eigen": "#3a7ca5", "xtensor": "#8ab17d"}


def read(paths):
    """{(workload, dtype, size): {column: (ns per item, bytes per second) of the fastest variant}}."""
    rows = {}
    for path in paths:
        with open(path, encoding="utf-8") as file:
            data = json.load(file)
        for entry in data["benchmarks"]:
            if entry.get("run_type") != "iteration":
                continue
            workload, dtype, size, competitor = entry["run_name"].split("/")
            column = competitor.split("_")[0]
            result = (1e9 / entry["items_per_second"], entry.get("bytes_per_second", 0.0))
            columns = rows.setdefault((workload, dtype, size), {})
            columns[column] = min(columns.get(column, result), result)
    return rows


def figure(ns):
    return f"{ns:.3f}" if ns < 1 else f"{ns:.2f}" if ns < 10 else f"{ns:.1f}"


def sort_key(key):
    workload, dtype, size = key
    return (workload, dtype, int(size) if size.isdigit() else 0, size)


def triad_of(rows, key):
    """Bytes per second of the fastest triad with as many elements; the slices' footprint is close to 1024x1024's."""
    size = key[2] if ("triad", key[1], key[2]) in rows else "1024x1024"
    return max((speed for _, speed in rows.get(("triad", key[1], size), {}).values()), default=None)


def table(rows):
    """Markdown; `rows` share one unit."""
    present = [c for c in COLUMNS if any(c in r for r in rows.values())]
    lines = ["| workload | dtype | size | " + " | ".join(present) + " | best competitor / tracexpr | of triad |",
             "| --- | --- | --- |" + " ---: |" * (len(present) + 2)]
    for key in sorted(rows, key=sort_key):
        columns = rows[key]
        competitors = {c: ns for c, (ns, _) in columns.items() if c != "tracexpr"}
        if not competitors:
            continue
        best = min(competitors, key=competitors.get)
        cells = []
        for column in present:
            text = figure(columns[column][0]) if column in columns else ""
            cells.append(f"**{text}**" if column == best else text)
        ratio = share = ""
        if "tracexpr" in columns:
            ns, speed = columns["tracexpr"]
            ratio = f"{competitors[best] / ns:.2f}"
            triad = triad_of(rows, key)
            if key[0] in MEMORY_BOUND and triad:
                share = f"{speed / triad:.2f}"
        lines.append(f"| {key[0]} | {key[1]} | {key[2]} | " + " | ".join(cells) + f" | {ratio} | {share} |")
    return "\n".join(lines) + "\n"


def chart(rows, dtype, note):
    """Horizontal bars: time per element as a multiple of tracexpr's, cut off at `limit`."""
    limit, unit, left, bar, gap = 5.0, 110, 300, 13, 16
    names = [c for c in COLUMNS if c in COLOURS]
    shapes, y = [], 56
    for workload, size, words in CHART:
        columns = rows.get((workload, dtype, size), {})
        if not columns:
            continue
        one = columns.get("tracexpr", min(columns.values()))[0]
        shown = [c for c in names if c in columns]
        middle = y + len(shown) * bar / 2 + 4
        shapes.append(f'<text x="{left - 12}" y="{middle:.1f}" text-anchor="end">{html.escape(words)}</text>')
        for column in shown:
            ns = columns[column][0]
            ratio = ns / one
            width = min(ratio, limit) * unit
            label = f"{figure(ns)} ns" + (f" ({ratio:.0f}×)" if ratio > limit else "")
            shapes.append(f'<rect x="{left}" y="{y}" width="{width:.1f}" height="{bar - 2}" rx="2" fill="{COLOURS[column]}"/>')
            shapes.append(f'<text class="value" x="{left + width + 5:.1f}" y="{y + bar - 4}">{label}</text>')
            y += bar
        y += gap
    height = y + 22
    width = left + int(limit * unit) + 110
    legend, x = [], left
    for column in names:
        if any(column in r for r in rows.values()):
            legend.append(f'<rect x="{x}" y="28" width="11" height="11" rx="2" fill="{COLOURS[column]}"/>'
                          f'<text x="{x + 16}" y="38">{column}</text>')
            x += 100
    mark = (f'<line x1="{left + unit}" y1="50" x2="{left + unit}" y2="{y - gap + 4}" stroke="#999" stroke-dasharray="3 3"/>')
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
            'font-family="system-ui, sans-serif" font-size="13" fill="#222">'
            '<style>.value{font-size:10.5px;fill:#444}.note{font-size:11px;fill:#555}</style>'
            f'<rect width="{width}" height="{height}" rx="6" fill="#fff"/>'
            f'<text x="{left}" y="18" font-weight="600">Time per element, {dtype}, one thread (shorter is faster)</text>'
            + "".join(legend) + mark + "".join(shapes)
            + f'<text class="note" x="{left}" y="{height - 10}">{html.escape(note)}</text></svg>\n')


MARKS = ("<!-- benchmarks: filled in by bench/run -->\n", "<!-- end of benchmarks -->\n")


def short_table(rows, dtype, note, picture):
    """What the README shows: the chart's workloads."""
    names = {"tracexpr": "tracexpr", "plain": "plain loop", "eigen": "Eigen", "xtensor": "xtensor + xsimd"}
    lines = [f"Nanoseconds per element, {'float32' if dtype == 'f32' else 'float64'}, one thread:", "",
             "| | " + " | ".join(names.values()) + " |", "| --- |" + " ---: |" * len(names)]
    for workload, size, words in CHART:
        columns = rows.get((workload, dtype, size), {})
        if "tracexpr" in columns:
            lines.append(f"| {words} | " + " | ".join(figure(columns[c][0]) if c in columns else "" for c in names) + " |")
    return "\n".join(lines) + f"\n\n{note}. [All figures](bench/results)\n\n![The same as a chart]({picture})\n"


def fill_in(path, block):
    """Replaces what stands between MARKS."""
    with open(path, encoding="utf-8") as file:
        before, rest = file.read().split(MARKS[0])
    after = rest.split(MARKS[1])[1]
    with open(path, "w", encoding="utf-8") as file:
        file.write(before + MARKS[0] + block + MARKS[1] + after)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+")
    parser.add_argument("--svg", help="write the bar chart to this file")
    parser.add_argument("--readme", help="put a short table between this file's marks")
    parser.add_argument("--dtype", default="f32", help="the element type the chart shows")
    parser.add_argument("--note", default="", help="a line under the chart: machine, compiler, flags")
    arguments = parser.parse_args()
    rows = read(arguments.files)
    calls = {key: columns for key, columns in rows.items() if key[2] in ("throughput", "latency")}
    elements = {key: columns for key, columns in rows.items() if key not in calls}
    for heading, part in (("Nanoseconds per element", elements), ("Nanoseconds per call", calls)):
        if part:
            sys.stdout.write(f"## {heading}\n\n{table(part)}\n")
    if arguments.svg:
        with open(arguments.svg, "w", encoding="utf-8") as file:
            file.write(chart(rows, arguments.dtype, arguments.note))
    if arguments.readme:
        fill_in(arguments.readme, short_table(rows, arguments.dtype, arguments.note, arguments.svg or "docs/images/benchmarks.svg"))


if __name__ == "__main__":
    main()
