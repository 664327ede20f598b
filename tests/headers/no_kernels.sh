#!/bin/sh
# no_kernels.sh <g++> <include folder>: checks that a file which includes the library and uses nothing of it has no kernels of
# the tile executor, which would cost each such file seconds; g++ lists a file's inline functions in its object when asked to.
# With tracexpr::compiled, ops on tensors outside of functions are calls: a file of them must have no kernels, must not make
# programs itself, and must not compile what functions of known extents call.
set -eu
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
echo '#include <tracexpr/tracexpr.hpp>' > "$work/empty.cpp"
"$1" -std=c++20 -fkeep-inline-functions -w "-I$2" -c "$work/empty.cpp" -o "$work/empty.o"
nm -C "$work/empty.o" > "$work/names"
grep -q 'tx::' "$work/names" || { echo "no inline function of the library is in the object"; exit 1; }
if grep -m 1 'routines_of_dtype' "$work/names"; then
    echo "including tracexpr.hpp instantiates kernels: some function that is no template calls what makes them"
    exit 1
fi

cat > "$work/ops.cpp" <<'END'
#include <tracexpr/tracexpr.hpp>
using tx::dyn, tx::shape, tx::tensor;
void use(bool);
void ops(tensor<float, shape<dyn, dyn>> const& a, tensor<double, shape<dyn>> const& v, tensor<float> const& open) {
    use((a + 2 * a).size() + tx::exp(v).size() + tx::where(v > 0, v, 1).size() + tx::softmax(a).size() > 0);
    use(tx::sum(a, tx::axis<0>).size() + tx::matmul(a, a).size() + tx::sort(v, tx::axis<0>).size() + tx::argmax(v).size() > 0);
    use(tx::slice(v, tx::range<2, 7>).size() + tx::concat(tx::axis<0>, v, v).size() + tx::cumsum(v, tx::axis<0>).size() > 0);
    use((open + open).size() + tx::std(v).size() + tx::median(v).size() + tx::linalg::solve(a, a).size() > 0);
}
END
cat > "$work/solve.cpp" <<'END'
#include <tracexpr/tracexpr.hpp>
using tx::shape, tx::tensor;
tensor<float, shape<40>> solved(tensor<float, shape<40, 40>> const& a, tensor<float, shape<40>> const& b) {
    static tx::function const f{[](auto x, auto y) { return tx::linalg::solve(x, tx::cumsum(tx::sort(y, tx::axis<0>), tx::axis<0>)); }};
    return f(a, b);
}
END
for file in ops solve; do
    "$1" -std=c++20 -O1 -w -DTRACEXPR_COMPILED "-I$2" -c "$work/$file.cpp" -o "$work/$file.o"
    nm -C "$work/$file.o" > "$work/names"
    grep -q 'tx::' "$work/names" || { echo "$file: no function of the library is in the object"; exit 1; }
done
nm -C "$work/ops.o" | grep -v ' U ' > "$work/names"
if grep -m 1 -E 'run_loop|run_call|routines_of_dtype|program_run|plan_memory' "$work/names"; then
    echo "ops on tensors instantiate kernels"
    exit 1
fi
nm -C "$work/solve.o" | grep -v ' U ' > "$work/names"
if grep -m 1 -E 'run_call|decompose_in_lanes|sort_runs|routines_of_dtype' "$work/names"; then
    echo "a function compiles ops that tracexpr::compiled has"
    exit 1
fi
