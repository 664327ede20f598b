#!/usr/bin/env python3
"""The programs of tiles.cpp, tiles_gradients.cpp and latency.cpp in NumPy, on one thread: one array operation after the other.

    numpy_eager.py [--filter REGEX] > numpy.json      microseconds, the best of many repetitions; ratios.py reads them

Black-Scholes needs SciPy for erf, and is left out without it. NumPy asks for memory at each operation; the allocator is told to keep it,
without which the kernel hands out new pages each time, and programs on large arrays take two to ten times as long.
"""

import argparse
import json
import os
import re
import sys
import time

SETTINGS = {"MALLOC_MMAP_MAX_": "0", "MALLOC_TRIM_THRESHOLD_": str(1 << 36),
            "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
if any(os.environ.get(name) != value for name, value in SETTINGS.items()):  # the allocator reads them when the program starts
    os.execve(sys.executable, [sys.executable, *sys.argv], os.environ | SETTINGS)

import numpy as np  # noqa: E402

try:
    from scipy.special import erf
except ImportError:
    erf = None

COLUMNS = 1000
CHAIN_LENGTH = 5


def black_scholes(spot, strike, years, rate, volatility):
    def normal_cdf(x):
        return 0.5 + 0.5 * erf(x * 0.70710678118654752440)
    deviation = volatility * np.sqrt(years)
    d1 = (np.log(spot / strike) + (rate + volatility * volatility / 2) * years) / deviation
    return spot * normal_cdf(d1) - strike * np.exp(-rate * years) * normal_cdf(d1 - deviation)


def softmax(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def layer_norm(x, gain, bias):
    centred = x - x.mean(axis=-1, keepdims=True)
    variance = np.mean(centred * centred, axis=-1, keepdims=True)
    return centred / np.sqrt(variance + 1e-5) * gain + bias


def chain_gradient(x, w):
    """Value and gradient, as a tape records it: what is computed on the way forward is kept."""
    divisor = 1 + w * w
    y, kept = x, []
    for _ in range(CHAIN_LENGTH):
        root = np.sqrt(1 + y * y)
        kept.append((y, root))
        y = root * 0.7 - y * w + x / divisor
    g, gx, gw = 2 * y, 0, 0
    for before, root in reversed(kept):
        gx = gx + g / divisor
        gw = gw - g * before - g * x * (2 * w) / (divisor * divisor)
        g = g * (0.7 * before / root - w)
    return np.sum(y * y), gx + g, gw


def regression(w, x, y):
    z = x @ w - y
    e = np.exp(z - z.max())
    total = e.sum()
    return np.log(total) + z.max() + 0.5 * np.sum(w * w), (e / total) @ x + w


def cross_entropy(z, label):
    n = np.arange(len(z))
    shifted = z - z.max(axis=1, keepdims=True)
    e = np.exp(shifted)
    total = e.sum(axis=1, keepdims=True)
    gradient = e / total
    gradient[n, label] -= 1
    gradient /= len(z)
    return np.mean(np.log(total[:, 0]) - shifted[n, label]), gradient


def network(p, x, label):
    w1, b1, w2, b2, w3, b3 = p
    first = np.maximum(x @ w1 + b1, 0)
    second = np.maximum(first @ w2 + b2, 0)
    loss, g3 = cross_entropy(second @ w3 + b3, label)
    g2 = g3 @ w3.T * (second > 0)
    g1 = g2 @ w2.T * (first > 0)
    return loss, (x.T @ g1, g1.sum(axis=0), first.T @ g2, g2.sum(axis=0), second.T @ g3, g3.sum(axis=0))


def array_programs():
    """(name, program, arguments) of tiles.cpp; the arguments are made when they are needed."""
    for n in (100_000, 10_000_000):
        for dtype, words in ((np.float32, "f32"), (np.float64, "f64")):
            random = np.random.default_rng(1)
            draw = lambda low, high, *shape: (random.random(shape, dtype) * dtype(high - low) + dtype(low))  # noqa: E731
            x, y = draw(-3, 3, n), draw(0.5, 1.5, n)
            table, tall = x.reshape(-1, COLUMNS), y.reshape(COLUMNS, -1)
            yield f"axpy/{words}/{n}", lambda a, x, y: a * x + y, (dtype(1.5), x, y)
            yield f"expmix/{words}/{n}", lambda x, y: np.exp(-x * x) * y + np.tanh(x), (x, y)
            yield f"sqdiff/{words}/{n}", lambda x, y: np.sum(np.square(x - y)), (x, y)
            if erf:
                market = (draw(5, 30, n), draw(1, 100, n), draw(0.25, 10, n), dtype(0.02), dtype(0.3))
                yield f"black_scholes/{words}/{n}", black_scholes, market
            yield f"softmax/{words}/{n}", softmax, (table,)
            yield f"layer_norm/{words}/{n}", layer_norm, (table, draw(0.5, 1.5, COLUMNS), draw(-1, 1, COLUMNS))
            yield f"standardize_columns/{words}/{n}", lambda x: (x - x.mean(axis=0)) / x.std(axis=0), (table,)
            yield f"transpose_add/{words}/{n}", lambda x, y: x.T + y, (tall, table)
            yield f"chain_gradient/{words}/{n}", chain_gradient, (x, y)


def models():
    random = np.random.default_rng(1)
    draw = lambda low, high, *shape: (random.random(shape, np.float32) * np.float32(high - low) + np.float32(low))  # noqa: E731
    labels = lambda n, classes: (np.arange(n, dtype=np.uint32) * np.uint32(2654435761) % np.uint32(classes)).astype(np.int32)  # noqa: E731
    yield "log_sum_exp_regression/f32/4096x256", regression, (draw(-0.1, 0.1, 256), draw(-1, 1, 4096, 256), draw(-1, 1, 4096))
    yield "softmax_cross_entropy/f32/4096x1000", cross_entropy, (draw(-3, 3, 4096, 1000), labels(4096, 1000))
    parameters = (draw(-0.05, 0.05, 784, 512), draw(-0.1, 0.1, 512), draw(-0.06, 0.06, 512, 256), draw(-0.1, 0.1, 256),
                  draw(-0.1, 0.1, 256, 10), draw(-0.1, 0.1, 10))
    yield "mlp_gradient/f32/256x784-512-256-10", network, (parameters, draw(0, 1, 256, 784), labels(256, 10))


def graph_20_ops(x, w):
    y = x
    for _ in range(5):
        y = np.sqrt(y * y + w) - x
    return y


def step(x, w):
    """The gradient of latency.cpp's loss, by hand: NumPy has no tapes."""
    y, kept = x, []
    for _ in range(2):
        root = np.sqrt(y * y + w)
        kept.append((y, root))
        y = root - x
    g, gx = 2 * y, 0
    for before, root in reversed(kept):
        gx = gx - g
        g = g * before / root
    return gx + g


def small_programs():
    random = np.random.default_rng(1)
    x, w = random.random((2, 8), np.float32) + np.float32(0.5)
    yield "graph_20_ops/f32/8", graph_20_ops, (x, w)
    yield "eager_add/f32/8", lambda x, w: x + w, (x, w)
    yield "tape_step/f32/8", step, (x, w)


def microseconds(program, arguments, repetitions=9, at_least=0.02):
    """The best repetition; each makes as many calls as fill `at_least` seconds."""
    def seconds(calls):
        start = time.perf_counter()
        for _ in range(calls):
            program(*arguments)
        return time.perf_counter() - start
    calls = max(1, int(at_least / max(seconds(1), seconds(1), 1e-7)))
    return 1e6 * min(seconds(calls) for _ in range(repetitions if calls > 1 else 3)) / calls


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--filter", default="", help="only programs whose name has a match of this regular expression")
    wanted = re.compile(parser.parse_args().filter)
    figures = {}
    for programs in (array_programs, models, small_programs):
        for name, program, arguments in programs():
            if wanted.search(name):
                figures[name] = microseconds(program, arguments)
    json.dump({"numpy": np.__version__, "microseconds": figures}, sys.stdout, indent=1)
    print()


if __name__ == "__main__":
    main()
