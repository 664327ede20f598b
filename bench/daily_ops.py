#!/usr/bin/env python3
"""The calls of daily_*.cpp in NumPy, on one thread, beside what those measured.

    daily_ops.py [--filter REGEX] daily_order.json daily_choose.json ... > table.md

The files are Google Benchmark's JSON. Of all repetitions the fastest counts. The ratio is that of the fastest competitor's time to
ours: above 1 ours is faster.
"""

import argparse
import math
import re
import sys

from numpy_eager import microseconds  # first: starts Python anew, with one thread and memory that is kept
import numpy as np

from ratios import cell, geometric_mean, read

BINS, KNOTS, VARIABLES, TOP = 64, 100, 8, 8
OURS = ("eager", "known")


def top(x):
    part = np.argpartition(x, -TOP)[-TOP:]
    places = part[np.argsort(-x[part])]
    return x[places], places


def order(dtype, n):
    random = np.random.default_rng(1)
    x, wanted = (random.uniform(-1000, 1000, n).astype(dtype) for _ in range(2))
    repeated = np.floor(random.uniform(0, n / 4, n)).astype(dtype)
    in_order = np.sort(x)
    yield "sort", lambda: np.sort(x)
    yield "argsort", lambda: np.argsort(x)
    yield "topk", lambda: top(x)
    yield "median", lambda: np.median(x)
    yield "quantile", lambda: np.quantile(x, 0.9)
    yield "unique", lambda: np.unique(repeated)
    yield "searchsorted", lambda: np.searchsorted(in_order, wanted)


def choose(dtype, n):
    random = np.random.default_rng(1)
    x = random.uniform(-4, 4, n).astype(dtype)
    holes = np.floor(random.uniform(0, 2, n)).astype(dtype)
    places, kinds, mask = random.integers(0, n, n), random.integers(0, BINS, n), holes > 0
    yield "nonzero", lambda: np.nonzero(holes)
    yield "compress", lambda: x[mask]
    yield "set_where", lambda: np.where(mask, dtype(0), x)
    yield "take", lambda: np.take(x, places)
    yield "bincount", lambda: np.bincount(kinds, minlength=BINS)
    yield "bincount_weights", lambda: np.bincount(kinds, x, minlength=BINS)
    yield "histogram", lambda: np.histogram(x, BINS, (-3, 3))


def pointwise(dtype, n):
    random = np.random.default_rng(1)
    x = random.uniform(-4, 4, n).astype(dtype)
    holed, near, same = x.copy(), x * dtype(1.000001), x.copy()
    holed[::5] = np.nan
    xp, fp = np.linspace(-4, 4, KNOTS, dtype=dtype), random.random(KNOTS, dtype)
    yield "diff", lambda: np.diff(x)
    yield "interp", lambda: np.interp(x, xp, fp)
    yield "nan_to_num", lambda: np.nan_to_num(holed)
    yield "roll", lambda: np.roll(x, 5)
    for name in ("nansum", "nanmean", "nanmax", "nanmin", "nanargmax"):
        yield name, lambda f=getattr(np, name): f(holed)
    yield "isclose", lambda: np.isclose(x, near)
    yield "allclose", lambda: np.allclose(x, near)
    yield "array_equal", lambda: np.array_equal(x, same)
    u, v = (random.uniform(-1, 1, (n // 3, 3)).astype(dtype) for _ in range(2))
    yield "cross", lambda: np.cross(u, v)
    side = math.isqrt(math.isqrt(n))
    left, right = (random.uniform(-1, 1, (side, side)).astype(dtype) for _ in range(2))
    yield "kron", lambda: np.kron(left, right)
    table = random.uniform(-1, 1, (VARIABLES, n // VARIABLES)).astype(dtype)
    yield "cov", lambda: np.cov(table)
    yield "corrcoef", lambda: np.corrcoef(table)


def linalg(dtype, n):
    random = np.random.default_rng(1)
    a, b = random.uniform(-1, 1, (n, n)).astype(dtype), random.uniform(-1, 1, n).astype(dtype)
    yield "qr", lambda: np.linalg.qr(a)
    yield "svd", lambda: np.linalg.svd(a, full_matrices=False)
    yield "lstsq", lambda: np.linalg.lstsq(a, b)
    yield "pinv", lambda: np.linalg.pinv(a)
    yield "matrix_power", lambda: np.linalg.matrix_power(a, 5)
    yield "norm", lambda: np.linalg.norm(a)
    yield "norm_1", lambda: np.linalg.norm(a, 1)
    yield "norm_2", lambda: np.linalg.norm(a, 2)


def numpy_figures(rows, wanted):
    """Measures what stands in the rows."""
    sizes = {int(name.rsplit("/", 1)[1]) for name in rows}
    for calls in (order, choose, pointwise, linalg):
        for dtype, word in ((np.float32, "f32"), (np.float64, "f64")):
            for n in sizes:
                if (calls is linalg) != (n in (16, 64, 256)):
                    continue
                for op, call in calls(dtype, n):
                    name = f"{op}/{word}/{n}"
                    if name in rows and wanted.search(name):
                        rows[name]["numpy"] = microseconds(call, (), repetitions=5)


def table(rows):
    others = sorted({who for row in rows.values() for who in row} - set(OURS))
    lines = ["| function | dtype | size | " + " | ".join((*OURS, *others)) + " | best / eager | best / known |",
             "| --- | --- | ---: |" + " ---: |" * (len(OURS) + len(others) + 2)]
    found = {ours: [] for ours in OURS}
    for name, row in rows.items():
        best = min(row[who] for who in others if who in row)
        ratios = {ours: best / row[ours] for ours in OURS if ours in row}
        for ours, ratio in ratios.items():
            found[ours].append(ratio)
        cells = [cell(row.get(who)) for who in (*OURS, *others)] + [f"{ratios[ours]:.2f}" if ours in ratios else "" for ours in OURS]
        lines.append("| " + " | ".join(name.split("/") + cells) + " |")
    means = [f"{geometric_mean(found[ours]):.2f}" if found[ours] else "" for ours in OURS]
    lines.append("| geometric mean | | |" + " |" * (len(OURS) + len(others)) + " " + " | ".join(means) + " |")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", help="Google Benchmark's JSON")
    parser.add_argument("--filter", default="", help="only rows whose name has a match of this regular expression")
    arguments = parser.parse_args()
    wanted = re.compile(arguments.filter)
    rows = {name: row for name, row in read(arguments.files).items() if wanted.search(name)}
    np.seterr(all="ignore")
    numpy_figures(rows, wanted)
    sys.stdout.write(table(rows))


if __name__ == "__main__":
    main()
