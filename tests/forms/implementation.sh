#!/bin/sh
# implementation.sh <compiler> <include folder>: builds a program of two files that links no library, where one file contains the
# compiled part.
set -eu
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
cat > "$work/one.cpp" <<'END'
#define TRACEXPR_IMPLEMENTATION
#include <tracexpr/tracexpr.hpp>
double doubled(double);
int main() {
    double const k = 1;
    tx::function f{[k](auto x) { return tx::sum(x * x) + k; }};
    return f(tx::tensor<double, tx::shape<tx::dyn>>{1, 2}).item() == 6 && doubled(3) == 6 ? 0 : 1;
}
END
cat > "$work/other.cpp" <<'END'
#define TRACEXPR_COMPILED
#define TRACEXPR_KERNELS_NONE
#include <tracexpr/files.hpp>
#include <tracexpr/plot.hpp>
#include <tracexpr/tracexpr.hpp>
double doubled(double x) {
    if (x < 0) { // What files of any family call is there, too.
        tx::save_npy("x.npy", tx::tensor<double>{x});
        tx::plot::lines().add("x", tx::load_csv<double>("x.csv")).save("x.svg");
    }
    tx::gradient_tape tape;
    tx::tensor<double, tx::shape<>> const at{x};
    tape.watch(at);
    return tape.gradient(at * at, at).item();
}
END
for file in one other; do "$1" -std=c++20 -O0 -w "-I$2" -c "$work/$file.cpp" -o "$work/$file.o"; done
"$1" "$work/one.o" "$work/other.o" -pthread -o "$work/program"
"$work/program"
