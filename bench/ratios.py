#!/usr/bin/env python3
"""Puts the figures of tiles, tiles_gradients and latency side by side, with NumPy's where they are given.

    ratios.py [--numpy numpy.json] tiles.json tiles_gradients.json latency.json > table.md

Microseconds per call; of all repetitions the fastest counts. The ratios: how much faster (above 1) or slower tiles are than
a function that the compiler traced, and than NumPy.
"""

import argparse
import json
import math
import sys

UNITS = {"ns": 1e-3, "us": 1.0, "ms": 1e3, "s": 1e6}
COMPETITORS = ["static", "tiles", "numpy"]


def read(paths):
    """{"softmax/f32/100000": {"static": microseconds, "tiles": ...}}"""
    rows = {}
    for path in paths:
        with open(path, encoding="utf-8") as file:
            entries = json.load(file)["benchmarks"]
        for entry in entries:
            if entry.get("run_type") == "iteration":
                name, competitor = entry["run_name"].rsplit("/", 1)
                row = rows.setdefault(name, {})
                row[competitor] = min(row.get(competitor, math.inf), entry["real_time"] * UNITS[entry["time_unit"]])
    return rows


def geometric_mean(numbers):
    return math.exp(sum(map(math.log, numbers)) / len(numbers))


def cell(number):
    return "" if number is None else f"{number:.3g}" if number < 1000 else f"{number:.0f}"


def table(rows):
    ratios = [c for c in COMPETITORS if c != "tiles" and any(c in row for row in rows.values())]
    shown = [c for c in COMPETITORS if any(c in row for row in rows.values())]
    lines = ["| program | dtype | size | " + " | ".join(shown) + " | " + " | ".join(f"{c} / tiles" for c in ratios) + " |",
             "| --- | --- | --- |" + " ---: |" * (len(shown) + len(ratios))]
    found = {c: [] for c in ratios}
    for name, row in rows.items():
        cells = [cell(row.get(c)) for c in shown]
        for c in ratios:
            ratio = row[c] / row["tiles"] if c in row and "tiles" in row else None
            cells.append("" if ratio is None else f"{ratio:.2f}")
            if ratio:
                found[c].append(ratio)
        lines.append("| " + " | ".join(name.split("/") + cells) + " |")
    means = [f"{geometric_mean(found[c]):.2f}" if found[c] else "" for c in ratios]
    lines.append("| geometric mean | | |" + " |" * len(shown) + " " + " | ".join(means) + " |")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", help="Google Benchmark's JSON")
    parser.add_argument("--numpy", help="what numpy_eager.py printed")
    arguments = parser.parse_args()
    rows = read(arguments.files)
    if arguments.numpy:
        with open(arguments.numpy, encoding="utf-8") as file:
            for name, microseconds in json.load(file)["microseconds"].items():
                if name in rows:
                    rows[name]["numpy"] = microseconds
    sys.stdout.write(table(rows))


if __name__ == "__main__":
    main()
