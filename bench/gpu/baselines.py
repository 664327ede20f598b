#!/usr/bin/env python3
"""The GPU benchmarks' programs in PyTorch or JAX, as rows of the same table.

    baselines.py torch|torch.compile|jax

Prints nothing where the library is missing. Products of float32 matrices are computed as float32, and as TF32 where a row says so.
"""

import importlib.util
import statistics
import sys
import time

N = 1 << 28
ROWS, COLUMNS = 65536, 1024
INPUTS, HIDDEN, CLASSES, BATCH = 1024, 4096, 1024, 4096
FLOPS = 2.0 * BATCH * (2.0 * INPUTS * HIDDEN + 3.0 * HIDDEN * HIDDEN + 3.0 * HIDDEN * CLASSES)
RATE = 0.01


class Torch:
    def __init__(self, compiled):
        import torch

        self.torch = self.numbers = torch
        self.compiled = compiled
        torch.manual_seed(1)

    def function(self, f):
        return self.torch.compile(f) if self.compiled else f

    def uniform(self, shape, low, high):
        return self.torch.empty(shape, device="cuda").uniform_(low, high)

    def wait(self, _):
        self.torch.cuda.synchronize()

    def erf(self, x):
        return self.torch.erf(x)

    def softmax(self, x):
        return self.torch.softmax(x, -1)

    def convolution(self, x, w):
        return self.torch.nn.functional.conv2d(x[None, None], w[None, None])

    def layer_norm(self, x, gain, bias):
        return self.torch.nn.functional.layer_norm(x, gain.shape, gain, bias, 1e-5)

    def training(self, tf32):
        torch = self.torch
        torch.backends.cuda.matmul.allow_tf32 = tf32
        sizes = [(INPUTS, HIDDEN), (HIDDEN, HIDDEN), (HIDDEN, CLASSES)]
        weights = [self.uniform(s, -1, 1).mul_((6 / s[0]) ** 0.5).requires_grad_() for s in sizes]
        biases = [torch.zeros(s[1], device="cuda", requires_grad=True) for s in sizes]
        x = self.uniform((BATCH, INPUTS), 0, 1)
        label = torch.randint(0, CLASSES, (BATCH,), device="cuda")

        def loss(w, b):
            y = torch.relu(x @ w[0] + b[0])
            y = torch.relu(y @ w[1] + b[1])
            return torch.nn.functional.cross_entropy(y @ w[2] + b[2], label)

        loss = self.function(loss)
        optimizer = torch.optim.SGD(weights + biases, RATE)

        def step(read=True):
            optimizer.zero_grad(set_to_none=True)
            value = loss(weights, biases)
            value.backward()
            optimizer.step()
            return value.item() if read else value

        return step


class Jax:
    def __init__(self):
        import jax

        self.jax, self.numbers = jax, jax.numpy
        self.count = 0

    def function(self, f):
        return self.jax.jit(f)

    def uniform(self, shape, low, high):
        self.count += 1
        return self.jax.random.uniform(self.jax.random.key(self.count), shape, minval=low, maxval=high)

    def wait(self, out):
        self.jax.block_until_ready(out)

    def erf(self, x):
        return self.jax.scipy.special.erf(x)

    def softmax(self, x):
        return self.jax.nn.softmax(x, -1)

    def convolution(self, x, w):
        return self.jax.lax.conv(x[None, None], w[None, None], (1, 1), "VALID")

    def layer_norm(self, x, gain, bias):
        centred = x - x.mean(-1, keepdims=True)
        return centred * self.jax.lax.rsqrt((centred * centred).mean(-1, keepdims=True) + 1e-5) * gain + bias

    def training(self, tf32):
        jax, jnp = self.jax, self.numbers
        sizes = [(INPUTS, HIDDEN), (HIDDEN, HIDDEN), (HIDDEN, CLASSES)]
        w = [self.uniform(s, -1, 1) * (6 / s[0]) ** 0.5 for s in sizes]
        state = [(w, [jnp.zeros(s[1]) for s in sizes])]
        x = self.uniform((BATCH, INPUTS), 0, 1)
        label = jax.random.randint(jax.random.key(0), (BATCH,), 0, CLASSES)

        def loss(parameters):
            w, b = parameters
            y = jax.nn.relu(x @ w[0] + b[0])
            y = jax.nn.relu(y @ w[1] + b[1])
            z = y @ w[2] + b[2]
            return (jax.nn.logsumexp(z, 1) - jnp.take_along_axis(z, label[:, None], 1)[:, 0]).mean()

        def update(parameters):
            value, slopes = jax.value_and_grad(loss)(parameters)
            return value, jax.tree.map(lambda p, g: p - RATE * g, parameters, slopes)

        update = jax.jit(update, donate_argnums=0)

        def step(read=True):
            with jax.default_matmul_precision("tensorfloat32" if tf32 else "float32"):
                value, state[0] = update(state[0])
            return value.item() if read else value

        return step


def seconds_per_call(library, run, rounds=9):
    """The median of rounds of as many calls as take a while."""

    def timed(calls):
        library.wait(run())
        begin = time.perf_counter()
        for _ in range(calls):
            out = run()
        library.wait(out)
        return (time.perf_counter() - begin) / calls

    for _ in range(3):
        library.wait(run())
    calls = 2
    while timed(calls) * calls < 0.05:
        calls *= 2
    return statistics.median(timed(calls) for _ in range(rounds))


def host_seconds_per_call(library, calls, run, rounds=27):
    times = []
    for _ in range(rounds):
        library.wait(run())
        begin = time.perf_counter()
        for _ in range(calls):
            out = run()
        times.append((time.perf_counter() - begin) / calls)
        library.wait(out)
    return statistics.median(times)


def main(who):
    if not importlib.util.find_spec("jax" if who == "jax" else "torch"):
        return
    library = Jax() if who == "jax" else Torch(who == "torch.compile")
    xp = library.numbers
    who += " " + (library.jax if who == "jax" else library.torch).__version__

    def row(name, duration, speed="", ratio=""):
        print(f"| {name} | {who} | {duration} | {speed} | {ratio} | |", flush=True)

    def measure(name, arrays, f, *arguments, elements=N):
        f = library.function(f)
        seconds = seconds_per_call(library, lambda: f(*arguments))
        row(name, f"{seconds * 1e3:.4g} ms", f"{arrays * 4 * elements / seconds / 1e9:.4g} GB/s" if arrays else "")

    def chain(x, y):
        z = x
        for _ in range(5):
            z = xp.sqrt(z * z + y) - x
        return z

    def black_scholes(spot, strike, expiry, rate=0.02, volatility=0.3):
        def normal_cdf(x):
            return 0.5 + 0.5 * library.erf(x * 0.70710678118654752440)

        deviation = volatility * xp.sqrt(expiry)
        d1 = (xp.log(spot / strike) + (rate + volatility * volatility / 2) * expiry) / deviation
        return spot * normal_cdf(d1) - strike * xp.exp(-rate * expiry) * normal_cdf(d1 - deviation)

    x, y = library.uniform((N,), -3, 3), library.uniform((N,), 0.5, 1.5)
    measure("axpy", 3, lambda x, y: 0.5 * x + y, x, y)
    measure("expmix", 3, lambda x, y: xp.exp(-x * x) * y + xp.tanh(x), x, y)
    measure("chain_20", 3, chain, x, y)
    measure("sum", 1, lambda x: x.sum(), y)
    measure("sqdiff", 2, lambda x, y: ((x - y) ** 2).sum(), x, y)
    m = y.reshape(1 << 16, 1 << 12)
    measure("column_sums/65536x4096", 1, lambda m: m.sum(0), m)
    measure("row_sums/65536x4096", 1, lambda m: m.sum(1), m)
    del m, x, y
    options = [library.uniform((N,), low, high) for low, high in ((5, 30), (1, 100), (0.25, 10))]
    measure("black_scholes", 4, black_scholes, *options)
    del options
    m, gain, bias = (library.uniform(s, 0.5, 1.5) for s in ((ROWS, COLUMNS), (COLUMNS,), (COLUMNS,)))
    measure("softmax/65536x1024", 2, library.softmax, m, elements=ROWS * COLUMNS)
    measure("layer_norm/65536x1024", 2, library.layer_norm, m, gain, bias, elements=ROWS * COLUMNS)

    def batch_norm(x, gain, bias):
        apart = x - x.mean(0)
        return apart * (gain / xp.sqrt((apart * apart).mean(0) + 1e-5)) + bias

    measure("batch_norm/65536x1024", 4, batch_norm, m, gain, bias, elements=ROWS * COLUMNS)
    del m

    def laplace(x):
        return x[:-2, 1:-1] + x[2:, 1:-1] + x[1:-1, :-2] + x[1:-1, 2:] - 4 * x[1:-1, 1:-1]

    def lennard_jones(x, y, z):
        dx, dy, dz = x[:, None] - x, y[:, None] - y, z[:, None] - z
        numbers = xp.arange(x.shape[0], device=x.device)
        self = (numbers[:, None] == numbers) * 1.0
        q = 1 / (dx * dx + dy * dy + dz * dz + self)
        q3 = q * q * q * (1 - self)
        return 2 * (q3 * q3 - q3).sum()

    def attention(q, k, v):
        return library.softmax(q @ k.swapaxes(1, 2) * 0.125) @ v

    picture, window = library.uniform((8192, 8192), -1, 1), library.uniform((3, 3), -1, 1)
    measure("laplace/8192x8192", 2, laplace, picture, elements=8192**2)
    measure("convolution_3x3/8192x8192", 2, library.convolution, picture, window, elements=8192**2)
    del picture
    measure("lennard_jones/16384", 0, lennard_jones, *(library.uniform((16384,), -8, 8) for _ in range(3)))
    measure("attention/64x1024x64", 0, attention, *(library.uniform((64, 1024, 64), -1, 1) for _ in range(3)))

    for count, n in ((1, 2048), (1, 512), (256, 128), (64, 256)):
        a = library.uniform((count, n, n), -1, 1)
        a = (a + a.swapaxes(1, 2)) / 2 + n * xp.eye(n, device=a.device)
        size = f"{count}x{n}x{n}"
        measure(f"cholesky/{size}", 0, xp.linalg.cholesky, a)
        measure(f"solve/{size}", 0, lambda a: xp.linalg.solve(a, a), a)
        measure(f"eigh/{size}", 0, xp.linalg.eigh, a)
        measure(f"qr/{size}", 0, xp.linalg.qr, a)
        if n < 2048:
            measure(f"svd/{size}", 0, lambda a: xp.linalg.svd(a, full_matrices=False), a)

    x, y = library.uniform((1000,), -3, 3), library.uniform((1000,), 0.5, 1.5)
    small = library.function(chain)
    row("chain_20/1000", f"{seconds_per_call(library, lambda: small(x, y)) * 1e6:.4g} µs")
    row("chain_20/1000, the host's part", f"{host_seconds_per_call(library, 20, lambda: small(x, y)) * 1e6:.4g} µs")

    for name, tf32 in (("f32", False), ("tf32", True)):
        step = library.training(tf32)
        seconds = seconds_per_call(library, step)
        row(f"mlp_step/{name}", f"{seconds * 1e3:.4g} ms", f"{FLOPS / seconds / 1e12:.4g} TFLOP/s")
        row(f"mlp_step/{name}, the host's part", f"{host_seconds_per_call(library, 1, lambda: step(read=False)) * 1e6:.4g} µs")


main(sys.argv[1])
