#!/bin/sh
# compile_budget.sh <g++> <include folder>: checks what it costs to compile a file that includes the library, and one of fifty
# ops on tensors, with tracexpr::compiled. The cost is the memory that g++ takes for a file, which is the same each time, in
# multiples of the memory for xsimd's include; times are proportional to it, but vary. Slow headers of the standard library must
# not be included.
set -eu
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
flags="-std=c++20 -O2 -march=x86-64-v3 -w -DTRACEXPR_COMPILED -I$2"
echo '#include <xsimd/xsimd.hpp>' > "$work/xsimd.cpp"
echo '#include <tracexpr/tracexpr.hpp>' > "$work/empty.cpp"
cat > "$work/ops.cpp" <<'END'
#include <tracexpr/tracexpr.hpp>
using tx::axis, tx::dyn, tx::shape, tx::tensor;
void use(std::int64_t);
using matrix = tensor<float, shape<dyn, dyn>>;
void ops(matrix const& a, matrix const& b, tensor<float, shape<dyn>> const& v, tensor<bool, shape<dyn, dyn>> const& mask) {
    use((a + b).size()); use((a - b).size()); use((a * b).size()); use((a / b).size()); use((a * 2).size()); use((1 - a).size());
    use((a + v).size()); use((-a).size());
    use((v + v).size()); use((v * v).size()); use((v / 2).size()); use(tx::pow(v, 2).size()); use(tx::maximum(v, v).size());
    use(tx::abs(v).size());
    use(tx::exp(a).size()); use(tx::tanh(a).size()); use(tx::sin(a).size()); use(tx::cos(a).size()); use(tx::sqrt(a).size());
    use(tx::log(a).size()); use(tx::floor(a).size());
    use(tx::exp(v).size()); use(tx::tanh(v).size()); use(tx::sin(v).size()); use(tx::cos(v).size()); use(tx::sqrt(v).size());
    use(tx::log(v).size());
    use((a > b).size()); use((a == b).size()); use((!mask).size()); use(tx::isnan(a).size()); use((mask && mask).size());
    use(tx::where(mask, a, b).size()); use(tx::where(mask, 0, a).size()); use(tx::cast<float>(mask).size());
    use(tx::sum(a).size()); use(tx::sum(a, axis<1>).size()); use(tx::max(a, axis<0>).size()); use(tx::min(v).size());
    use(tx::argmax(v).size()); use(tx::any(mask).size()); use(tx::all(mask).size());
    use(tx::cumsum(v, axis<0>).size()); use(tx::argsort(v, axis<0>).size()); use(tx::matmul(a, b).size()); use(tx::matmul(a, v).size());
    use(tx::transpose(a).size());
    use(tx::slice(v, tx::range<2, 7>).size()); use(tx::slice(a, tx::range<>, tx::at<0>).size()); use(tx::reshape<4, 4>(v).size());
}
END
cat > "$work/program.cpp" <<'END'
#include <tracexpr/tracexpr.hpp>
void use(std::int64_t);
void program(tx::tensor<double, tx::shape<tx::dyn>> const& x, double k) {
    auto const loss = [k](auto w, auto a) { return tx::mean(tx::square(tx::exp(a * w) - k)); };
    tx::function step{[loss](auto w, auto a) { return w - 0.5 * tx::grad(loss)(w, a); }};
    tx::tensor<double, tx::shape<>> w{0};
    w = step(w, x);
    tx::gradient_tape tape;
    tape.watch(w);
    use(tape.gradient(loss(w, x), w).size());
}
END
# memory <g++> <file> [<flags>]: in megabytes
memory() {
    "$1" $flags ${3:-} -ftime-report -c "$work/$2.cpp" -o "$work/$2.o" 2> "$work/report"
    sed -n 's/^ TOTAL .* \([0-9]*\)M *$/\1/p' "$work/report"
}
xsimd="$(memory "$1" xsimd)"
if [ -z "$xsimd" ]; then
    echo "this g++ tells its memory in another way"
    exit 77
fi
empty="$(memory "$1" empty)"
ops="$(memory "$1" ops)"
none="$(memory "$1" empty -DTRACEXPR_KERNELS_NONE)"
program="$(memory "$1" program -DTRACEXPR_KERNELS_NONE)"
echo "xsimd $xsimd MB, the library $empty MB, fifty ops $((ops - empty)) MB more"
echo "with TRACEXPR_KERNELS_NONE $none MB, a captured function with its gradient and a tape $((program - none)) MB more"
failed=0
check() { # check <what> <megabytes> <hundredths of xsimd's>
    [ "$(($2 * 100))" -le "$(($3 * xsimd))" ] || { echo "$1: more than $3 hundredths of xsimd's include"; failed=1; }
}
# A tenth, and a quarter, above what they take.
check "including tracexpr.hpp" "$empty" 285
check "including it with TRACEXPR_KERNELS_NONE" "$none" 152
check "a function and a tape, beyond that" "$((program - none))" 65 # with forms of NumPy that say what to write, and numbers in regions
check "fifty ops on tensors, beyond it" "$((ops - empty))" 80

"$1" $flags -E "$work/empty.cpp" | sed -n 's,^# [0-9]* "[^"]*/c++/[^"/]*/\([a-z_]*\)".*,\1,p' | sort -u > "$work/headers"
for header in chrono condition_variable functional map random ranges thread unordered_map; do
    if grep -qx "$header" "$work/headers"; then
        echo "tracexpr.hpp includes <$header>"
        failed=1
    fi
done
exit "$failed"
