// expect: tx: batch_jacobian: where the target has axes behind that of the batch the source must have some, too
#include <tracexpr/tracexpr.hpp>

using vec = tx::tensor<float, tx::shape<2>>;
auto run(vec const& x) {
    tx::gradient_tape tape;
    tape.watch(x);
#ifdef FIXED
    return tape.jacobian(tx::stack<1>(x, x * x), x);
#else
    return tape.batch_jacobian(tx::stack<1>(x, x * x), x);
#endif
}
