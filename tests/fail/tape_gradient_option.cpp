// expect: tx: gradient_tape::gradient: the third argument must be the output gradients
#include <tracexpr/tracexpr.hpp>

using vec = tx::tensor<float, tx::shape<3>>;
auto run(vec const& x) {
    tx::gradient_tape tape;
    tape.watch(x);
    auto const y = tx::sum(x * x);
#ifdef FIXED
    return tape.gradient(y, x, tx::unconnected::zero);
#else
    return tape.gradient(y, x, "zero");
#endif
}
