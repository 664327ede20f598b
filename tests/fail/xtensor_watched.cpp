// expect: tx: gradient_tape: takes tensors, variables, and trees of them; make another library's array a tensor first
#include <tracexpr/xtensor.hpp>

void f(xt::xtensor<float, 1> const& given) {
    tx::gradient_tape tape;
#ifdef FIXED
    tape.watch(tx::from_xtensor(given));
#else
    tape.watch(given);
#endif
}
