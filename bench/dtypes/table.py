"""The times of bench/dtypes as tables: rows are ops (or what is cast to), columns dtypes; and a list of what is slower than the loop."""
import sys

lines = open(sys.argv[1]).read().split("---\n")


def table(text, corner):
    cells, rows, columns = {}, [], []
    for line in text.splitlines():
        row, column, ours, loop = line.split(",")
        rows += [row] if row not in rows else []
        columns += [column] if column not in columns else []
        cells[row, column] = float(ours), float(loop)
    print("| " + " | ".join([corner, *columns]) + " |")
    print("| --- |" + " ---: |" * len(columns))
    for row in rows:
        texts = []
        for column in columns:
            if (row, column) not in cells:
                texts.append("")
                continue
            ours, loop = cells[row, column]
            texts.append(f"{ours:.3f} ({loop / ours:.2f})")
        print("| " + " | ".join([row, *texts]) + " |")
    slow = [(loop / ours, row, column) for (row, column), (ours, loop) in cells.items() if loop / ours < 0.8]
    print(f"\nBelow 0.8, {len(slow)} of {len(cells)}: " + (", ".join(f"{row} {column} {ratio:.2f}" for ratio, row, column in sorted(slow)) or "none") + "\n")


model = next((l.split(":")[1].strip() for l in open("/proc/cpuinfo") if l.startswith("model name")), "")
print("# Ops of every dtype\n")
print(f"{model}, one thread; {sys.argv[2]}, `-O3 -march=native`. Static functions of unknown extent on 64 KiB an operand, nanoseconds")
print("an element; in brackets how much longer a loop over elements takes (complex: without the special cases of infinities; half:")
print("`_Float16`; integers: quotients towards zero, of divisors that are not 0). By `bench/dtypes/run`.\n")
table(lines[0], "ns")
print("## Casts\n\nFrom the columns' dtypes to the rows'.\n")
table(lines[1], "to")
