// A function: static as it stands, traced and planned at run time with TRACEXPR_KERNELS_NONE.
#include "timing.hpp"

tx::function step{[](auto const& p, auto const& x, auto const& y) { return tx::value_and_grad(loss_of{})(p, x, y); }};

int main() {
    parameters const p = start();
    report("function", [&](column const& x, column const& y) { return step(p, x, y); });
}
