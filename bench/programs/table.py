"""One Markdown table of programs.csv, seconds.csv and, where there are, JAX's times and what other compilers made of the competitors:

table.py programs.csv seconds.csv [--jax jax.csv] [--others programs.csv...]"""

import argparse
import csv


def read(path):
    with open(path) as f:
        return [row for row in csv.reader(f) if row]


def time(seconds):
    if seconds is None:
        return ""
    for unit, size in (("s", 1), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds / 1e-9:.3g} ns"


def memory(count):
    for unit, size in (("GiB", 2**30), ("MiB", 2**20), ("KiB", 2**10)):
        if count >= size:
            return f"{count / size:.3g} {unit}"
    return f"{count} B"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("programs")
    parser.add_argument("seconds")
    parser.add_argument("--jax")
    parser.add_argument("--others", nargs="*", default=[])
    given = parser.parse_args()
    seconds = {name.split("_", 1)[1]: float(s) for name, s in read(given.seconds)}
    jax = {name: float(s) for name, s in read(given.jax)} if given.jax else {}
    programs = {}
    for name, who, best, arena, moved in read(given.programs):
        programs.setdefault(name, {})[who] = (float(best), int(arena), int(moved))
    for other in given.others:
        for name, who, best, _, _ in read(other):
            if who in ("loop", "eigen") and name in programs:
                programs[name][who] = min(programs[name][who], (float(best), 0, 0))

    print("Ratio: the best of loop, Eigen and JAX divided by ours; below 1 we are slower. Of the loop and Eigen the faster of what g++ and")
    print("clang make of them, where both have been run. Memory: the most that a call holds, against")
    print("its arguments and results. Compile: of the file, all forms (and programs that share it), headers included.\n")
    print("| program | form | ours | loop | Eigen | JAX | ratio | to the loop | memory | arguments, results | compile |")
    print("| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    worst = []
    for name, ways in programs.items():
        loop = ways["loop"][0]
        eigen = min((w[0] for who, w in ways.items() if who.startswith("eigen")), default=None)
        best = min(t for t in (loop, eigen, jax.get(name)) if t is not None)
        file = max((f for f in seconds if name.startswith(f)), key=len, default=None)
        for form, (ours, arena, moved) in ways.items():
            if form == "loop" or form.startswith("eigen"):
                continue
            worst.append((best / ours, name, form))
            print(f"| {name} | {form} | {time(ours)} | {time(loop)} | {time(eigen)} | {time(jax.get(name))} | {best / ours:.2f} | "
                  f"{loop / ours:.2f} | {memory(arena)} | {memory(moved)} | {seconds[file] if file else 0:.0f} s |")
    print("\nThe worst: " + ", ".join(f"{n} ({f}) {r:.2f}" for r, n, f in sorted(worst)[:20]))


if __name__ == "__main__":
    main()
