// expect: tx: gradient_tape: takes tensors, variables, and trees of them, w.value() of a captured w
#include <tracexpr/tracexpr.hpp>

using vec = tx::tensor<float, tx::shape<2>>;

auto run(vec const& w) {
    tx::function f{[w = tx::capture(w)](auto x) {
        tx::gradient_tape tape;
#ifdef FIXED
        tape.watch(w.value());
#else
        tape.watch(w);
#endif
        return tape.gradient(tx::sum(x * w), x);
    }};
    return f(vec{1, 2});
}
