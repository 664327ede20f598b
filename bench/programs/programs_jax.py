"""The same programs in JAX on one thread: programs_jax.py [parts of names...] writes "name,seconds", the best of many runs, compiled.

Inputs are random numbers of the same shapes and ranges, or, where PROGRAMS_DUMP is the folder that the C++ programs wrote, the same
numbers; the results are then compared, too."""

import os
import sys
import time

os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1 " + os.environ.get("XLA_FLAGS", "")
os.environ.setdefault("OMP_NUM_THREADS", "1")

import jax
import jax.numpy as jnp
import numpy as np

random = np.random.default_rng(1)


def uniform(*shape, low=-1.0, high=1.0):
    return jnp.asarray(random.uniform(low, high, shape), jnp.float32)


def integers(below, *shape, dtype=np.int32):
    return jnp.asarray(random.integers(0, below, shape).astype(dtype))


# name: (function, arguments)
programs = {}


def program(name, *arguments):
    def add(f):
        programs[name] = (f, arguments)
        return f

    return add


@program("nbody", lambda: uniform(1000, 3), lambda: uniform(1000, low=0.5, high=1.5))
def nbody(x, m):
    apart = x[None] - x[:, None]
    squared = jnp.sum(apart * apart, 2) + 1e-2
    return jnp.sum((m / (squared * jnp.sqrt(squared)))[:, :, None] * apart, 1)


@program("nbody_coordinates", *[lambda: uniform(1000)] * 3, lambda: uniform(1000, low=0.5, high=1.5))
def nbody_coordinates(x, y, z, m):
    dx, dy, dz = (c - c[:, None] for c in (x, y, z))
    squared = dx * dx + dy * dy + dz * dz + 1e-2
    w = m / (squared * jnp.sqrt(squared))
    return jnp.sum(w * dx, 1), jnp.sum(w * dy, 1), jnp.sum(w * dz, 1)


@program("nearest", lambda: uniform(2000, 3), lambda: uniform(2000, 3))
def nearest(a, b):
    return jnp.argmin(jnp.sum((a[:, None] - b[None]) ** 2, 2), 1)


@program("kmeans", lambda: uniform(10_000, 8), lambda: uniform(16, 8))
def kmeans(x, c):
    at = jnp.argmin(jnp.sum((x[:, None] - c) ** 2, 2), 1)
    member = jax.nn.one_hot(at, 16)
    return at, member.T @ x / jnp.maximum(jnp.sum(member, 0), 1)[:, None]


@program("gather", lambda: uniform(1_000_000), lambda: integers(1_000_000, 1_000_000), lambda: uniform(1_000_000))
def gather(x, i, y):
    return x[i] * y + 1


@program("bag", lambda: uniform(10_000, 64), lambda: integers(10_000, 10_000, 5))
def bag(table, i):
    return jnp.sum(table[i], 1)


@program("embedding", lambda: uniform(100_000, 64), lambda: integers(100_000, 100_000))
def embedding(table, i):
    return table[i]


@program("solves", lambda: uniform(10_000, 4, 4) + 4 * jnp.eye(4), lambda: uniform(10_000, 4))
def solves(a, b):
    return jnp.linalg.solve(a, b[:, :, None])[:, :, 0]


@program("quadratic", lambda: uniform(100_000, 8), lambda: uniform(100_000, 8, 8))
def quadratic(x, a):
    return jax.vmap(lambda x, a: x @ (a @ x))(x, a)


@program("blur", lambda: uniform(2048, 2048, low=0))
def blur(x):
    def once(x, part):
        return sum(part(x, k) * w for k, w in enumerate((0.0625, 0.25, 0.375, 0.25, 0.0625)))

    along = once(x, lambda x, k: x[:, k : x.shape[1] - 4 + k])
    return once(along, lambda x, k: x[k : x.shape[0] - 4 + k])


@program("cumsum", lambda: uniform(1000, 1000))
def cumsum(x):
    return jnp.cumsum(x, 1)


@program("chain", lambda: uniform(1_000_000), lambda: uniform(1_000_000))
def chain(x, y):
    h = x * 0.5
    for _ in range(4):
        h = jnp.abs(jnp.maximum(h * y + x, -0.5) - 0.25)
    return h - x


@program("cosine", lambda: uniform(10_000, 48), lambda: uniform(10_000, 48))
def cosine(a, b):
    return jnp.sum(a * b, 1) / (jnp.linalg.norm(a, axis=1) * jnp.linalg.norm(b, axis=1))


@program("stencil", lambda: uniform(128, 128, 128))
def stencil(x):
    weights = (0.4, 0.05, 0.02, 0.0075)
    n = x.shape[0] - 2
    return sum(
        x[i : i + n, j : j + n, k : k + n] * weights[(i != 1) + (j != 1) + (k != 1)]
        for i in range(3)
        for j in range(3)
        for k in range(3)
    )


@program("fir", lambda: uniform(1_000_063), lambda: uniform(64))
def fir(x, w):
    return jnp.convolve(x, w[::-1], mode="valid")


@program("depthwise", lambda: uniform(68, 68, 32), lambda: uniform(5, 5, 32))
def depthwise(x, w):
    return jax.lax.conv_general_dilated(
        x[None], w[:, :, None], (1, 1), "VALID", feature_group_count=32, dimension_numbers=("NHWC", "HWIO", "NHWC")
    )[0]


@program("convolution", lambda: uniform(16, 66, 66), lambda: uniform(32, 16, 3, 3))
def convolution(x, w):
    return jax.lax.conv_general_dilated(x[None], w, (1, 1), "VALID")[0]


@program("box", lambda: uniform(512, 512))
def box(x):
    return jax.lax.reduce_window(x, 0.0, jax.lax.add, (5, 5), (1, 1), "VALID") * 0.04


@program("min_plus", lambda: uniform(256, 256), lambda: uniform(256, 256))
def min_plus(a, b):
    return jnp.min(a[:, :, None] + b, axis=1)


@program("wave", lambda: uniform(512, 512), lambda: uniform(512, 512))
def wave(u, before):
    k = (0.5 - 1) / (0.5 + 1)
    inside = u[1:-1, 1:-1]
    around = u[1:-1, :-2] + u[1:-1, 2:] + u[:-2, 1:-1] + u[2:, 1:-1] - 4 * inside
    n = u.at[1:-1, 1:-1].set(2 * inside - before[1:-1, 1:-1] + 0.25 * around)
    n = n.at[1:-1, 0].set(u[1:-1, 1] + k * (n[1:-1, 1] - u[1:-1, 0]))
    n = n.at[1:-1, -1].set(u[1:-1, -2] + k * (n[1:-1, -2] - u[1:-1, -1]))
    n = n.at[0, 1:-1].set(u[1, 1:-1] + k * (n[1, 1:-1] - u[0, 1:-1]))
    return n.at[-1, 1:-1].set(u[-2, 1:-1] + k * (n[-2, 1:-1] - u[-1, 1:-1]))


@program("periodic", lambda: uniform(1024, 1024))
def periodic(x):
    return 0.25 * (jnp.roll(x, 1, 0) + jnp.roll(x, -1, 0) + jnp.roll(x, 1, 1) + jnp.roll(x, -1, 1))


@program("ising", lambda: uniform(1024, 1024))
def ising(x):
    return -jnp.sum(x * (jnp.roll(x, -1, 0) + jnp.roll(x, -1, 1)))


@program("smoothing", lambda: uniform(100_000))
def smoothing(x):
    def step(s, x):
        s = 0.94 * s + 0.06 * x
        return s, s

    return jax.lax.scan(step, jnp.float32(0), x)[1]


@program("predators", lambda: jnp.array([10.0, 5.0]))
def predators(start):
    def slope(y):
        return jnp.array([1.1 * y[0] - 0.4 * y[0] * y[1], 0.1 * y[0] * y[1] - 0.4 * y[1]])

    def step(_, y):
        a = slope(y)
        b = slope(y + 0.0005 * a)
        c = slope(y + 0.0005 * b)
        return y + 0.001 / 6 * (a + 2 * b + 2 * c + slope(y + 0.001 * c))

    return jax.lax.fori_loop(0, 10_000, step, start)


@program("laplace", lambda: uniform(1024, 1024))
def laplace(x):
    return x[:-2, 1:-1] + x[2:, 1:-1] + x[1:-1, :-2] + x[1:-1, 2:] - 4 * x[1:-1, 1:-1]


def project(p):
    seen = p[:9].reshape(3, 3) @ p[12:] + p[9:12]
    flat = seen[:2] / seen[2]
    squared = jnp.sum(flat * flat)
    return flat * (1 + 0.1 * squared + 0.01 * squared * squared)


@program("jacobians", lambda: uniform(30_000, 15).at[:, 11].add(5))
def jacobians(p):
    return jax.vmap(jax.jacfwd(project))(p)


def mixture_likelihood(logits, means, logs, x):
    z = (x[:, None] - means) * jnp.exp(-logs)
    densities = jnp.sum(-0.5 * z * z - logs, 2)
    return jnp.sum(jax.nn.logsumexp(jax.nn.log_softmax(logits) + densities, 1))


@program("mixture", lambda: uniform(16), lambda: uniform(16, 8), lambda: uniform(16, 8, low=-0.5, high=0.5),
         lambda: uniform(10_000, 8, low=-2, high=2))
def mixture(*arguments):
    return jax.grad(mixture_likelihood, (0, 1, 2))(*arguments)


def ridge_loss(a, length, x, y):
    squared = jnp.sum((x[:, None] - x[None]) ** 2, 2)
    found = jnp.sum(jnp.exp(squared * (-0.5 / (length * length))) * a, 1)
    return jnp.sum((found - y) ** 2) + 0.1 * jnp.sum(a * found)


@program("ridge", lambda: uniform(5000, low=-0.1, high=0.1), lambda: jnp.float32(1.25), lambda: uniform(5000, 8), lambda: uniform(5000))
def ridge(*arguments):
    return jax.value_and_grad(ridge_loss, (0, 1))(*arguments)


def full_likelihood(logits, means, factors, x):
    z = jnp.einsum("kij,nkj->nki", jnp.tril(factors), x[:, None] - means)
    size = jnp.sum(jnp.log(jnp.diagonal(factors, axis1=1, axis2=2)), 1)
    return jnp.sum(jax.nn.logsumexp(jax.nn.log_softmax(logits) + size - 0.5 * jnp.sum(z * z, 2), 1))


@program("full_mixture", lambda: uniform(25), lambda: uniform(25, 10), lambda: uniform(25, 10, 10, low=-0.3, high=0.3) + jnp.eye(10),
         lambda: uniform(10_000, 10, low=-2, high=2))
def full_mixture(*arguments):
    return jax.value_and_grad(full_likelihood, (0, 1, 2))(*arguments)


def attended(q, k, v):
    return jax.nn.softmax(q @ jnp.swapaxes(k, -1, -2) * 0.125) @ v


heads = [lambda: uniform(8, 8, 1024, 64)]
program("attention", *heads * 3)(attended)


@program("attention_gradient", *heads * 4)
def attention_gradient(q, k, v, w):
    return jax.value_and_grad(lambda q, k, v: jnp.sum(attended(q, k, v) * w), (0, 1, 2))(q, k, v)


@program("rotated", lambda: uniform(1_000_000, 3), lambda: uniform(3, 3), lambda: uniform(3))
def rotated(x, rotation, point):
    turned = x @ rotation.T
    return turned, jnp.linalg.norm(turned - point, axis=1)


@program("groups", lambda: uniform(1_000_000), lambda: integers(1000, 1_000_000))
def groups(x, i):
    return jnp.zeros(1000).at[i].add(x)


@program("groups_one_hot", lambda: uniform(100_000), lambda: integers(1000, 100_000))
def groups_one_hot(x, i):
    return x @ jax.nn.one_hot(i, 1000)


def mixed(a, b, mask):
    return jnp.round(a.astype(jnp.float32) * mask + b.astype(jnp.float32) * (1 - mask)).astype(jnp.uint8)


program("blend", *[lambda: integers(256, 1080, 1920, dtype=np.uint8)] * 2, lambda: uniform(1080, 1920, low=0))(mixed)


@program("blend_colours", *[lambda: integers(256, 1080, 1920, 3, dtype=np.uint8)] * 2, lambda: uniform(1080, 1920, low=0))
def blend_colours(a, b, mask):
    return mixed(a, b, mask[:, :, None])


@program("hash", lambda: integers(2**32, 1_000_000, dtype=np.uint32))
def hashed(x):
    h = (x ^ (x >> 16)) * jnp.uint32(0x7FEB352D)
    h = (h ^ (h >> 15)) * jnp.uint32(0x846CA68B)
    h = h ^ (h >> 16)
    h = h ^ (h << 13)
    h = (h ^ (h >> 17)) * jnp.uint32(0x9E3779B1)
    return h ^ (h << 5)


@program("complex", *[lambda: uniform(1_000_000) + 1j * uniform(1_000_000)] * 3)
def sizes(a, b, c):
    return jnp.abs(a * b + c)


@program("cross_entropy", lambda: uniform(10_000, 10, low=-3, high=3), lambda: integers(10, 10_000))
def cross_entropy(x, label):
    return -jnp.mean(jnp.take_along_axis(jax.nn.log_softmax(x), label[:, None], 1))


@program("quaternions", lambda: uniform(100_000, 4), lambda: uniform(100_000, 4))
def quaternions(a, b):
    p, q = a.T, b.T
    return jnp.stack(
        [
            p[0] * q[0] - p[1] * q[1] - p[2] * q[2] - p[3] * q[3],
            p[0] * q[1] + p[1] * q[0] + p[2] * q[3] - p[3] * q[2],
            p[0] * q[2] - p[1] * q[3] + p[2] * q[0] + p[3] * q[1],
            p[0] * q[3] + p[1] * q[2] - p[2] * q[1] + p[3] * q[0],
        ],
        1,
    )


@program("batch_norm", lambda: uniform(32, 64, 196), lambda: uniform(64, low=0.0), lambda: uniform(64))
def batch_norm(x, gain, bias):
    apart = x - jnp.mean(x, (0, 2), keepdims=True)
    variance = jnp.mean(apart * apart, (0, 2), keepdims=True)
    return apart * (gain[:, None] / jnp.sqrt(variance + 1e-5)) + bias[:, None]


@program("lennard_jones", lambda: uniform(3, 256, low=-8.0, high=8.0))
def lennard_jones(x):
    def energy(x):
        dx, dy, dz = (c[:, None] - c for c in x)
        self = jnp.eye(x.shape[1])
        q = 1 / (dx * dx + dy * dy + dz * dz + self)
        q3 = q * q * q * (1 - self)
        return 2 * jnp.sum(q3 * q3 - q3)

    return jax.value_and_grad(energy)(x)


@program("triangles", lambda: uniform(200, 32, 32) + 8 * jnp.eye(32), lambda: uniform(200, 32, 8))
def triangles(a, b):
    return jax.scipy.linalg.solve_triangular(a, b, lower=True)


@program("hidden_markov", lambda: jax.nn.softmax(uniform(64, 64), 1), lambda: uniform(1000, 64, low=0.1))
def hidden_markov(moves, seen):
    def step(now, here):
        following = now @ moves * here
        total = jnp.sum(following)
        return following / total, jnp.log(total)

    return jnp.sum(jax.lax.scan(step, jnp.full(64, 1 / 64), seen)[1])


def read(path, like):
    values = np.fromfile(path, np.asarray(like).dtype)
    return jnp.asarray(values.reshape(like.shape))


def check(name, run, arguments, expected):
    leaves = [np.asarray(x).ravel() for x in jax.tree.leaves(run(*arguments))]
    got = np.concatenate([(x.astype(np.complex128).view(np.float64) if x.dtype.kind == "c" else x.astype(np.float64)) for x in leaves])
    off = np.abs(got - expected) / np.maximum(np.abs(expected), np.mean(np.abs(expected)))
    if np.mean(off > 1e-3) > 1e-3:
        sys.exit(f"{name}: off by {np.max(off)}")


def best(f, arguments, budget=1.5):
    run = jax.jit(f)
    jax.block_until_ready(run(*arguments))
    fastest, end = float("inf"), time.perf_counter() + budget
    rounds = 0
    while rounds < 5 or time.perf_counter() < end:
        start = time.perf_counter()
        jax.block_until_ready(run(*arguments))
        fastest = min(fastest, time.perf_counter() - start)
        rounds += 1
    return fastest


def main():
    wanted, folder = sys.argv[1:], os.environ.get("PROGRAMS_DUMP")
    for name, (f, arguments) in programs.items():
        if wanted and not any(part in name for part in wanted):
            continue
        given = [a() for a in arguments]
        if folder and os.path.exists(f"{folder}/{name}.0"):
            given = [read(f"{folder}/{name}.{i}", a) for i, a in enumerate(given)]
            check(name, jax.jit(f), given, np.fromfile(f"{folder}/{name}.{len(given)}", np.float64))
        print(f"{name},{best(f, given):.4g}", flush=True)


if __name__ == "__main__":
    main()
