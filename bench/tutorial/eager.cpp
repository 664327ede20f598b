// Ops on tensors, each at once, and the gradient by hand.
#include "timing.hpp"

int main() {
    auto const [room, excess, rate] = start();
    report("eager", [&](column const& x, column const& y) {
        column const decay = tx::exp(-rate * x);
        column const off = room + excess * decay - y;
        column const slope = off * decay;
        return std::tuple(scalar(tx::mean(off * off)), scalar(2 * tx::mean(off)), scalar(2 * tx::mean(slope)),
                          scalar(-2 * excess * tx::mean(slope * x)));
    });
}
