// expect-output: second derivative: 18
// A gradient tape records what a program computes, step by step, and differentiates it: the first and second derivative of x^3 by
// nested tapes, and a line fitted by gradient descent, with variables that tapes watch by themselves.
#include <tracexpr/tracexpr.hpp>

#include <iostream>

int main() {
    tx::tensor<double, tx::shape<>> const x = 3.0;
    tx::gradient_tape outer;
    outer.watch(x);
    tx::gradient_tape inner;
    inner.watch(x);
    auto const y = x * x * x;
    auto const dy = inner.gradient(y, x); // a computation like any other: the outer tape has recorded it
    std::cout << "x^3 at 3: " << y << ", derivative: " << dy << ", second derivative: " << outer.gradient(dy, x) << '\n';

    tx::tensor<double, tx::shape<4>> const at{0, 1, 2, 3}, measured{1, 3, 5, 7};
    tx::variable slope{tx::tensor<double, tx::shape<>>(0.0), {.name = "slope"}};
    tx::variable offset{tx::tensor<double, tx::shape<>>(0.0), {.name = "offset"}};
    for (int step = 0; step < 200; ++step) {
        tx::gradient_tape tape;
        auto const error = slope * at + offset - measured;
        auto const [d_slope, d_offset] = tape.gradient(tx::mean(error * error), std::tuple(slope, offset));
        slope.assign_sub(0.1 * d_slope);
        offset.assign_sub(0.1 * d_offset);
    }
    std::cout << "the line: " << tx::round(slope * 100) / 100 << " x + " << tx::round(offset * 100) / 100 << '\n';

    tx::gradient_tape tape;
    tape.watch(x);
    std::cout << "why not: " << tape.explain(tx::stop_gradient(x * x), x) << '\n';
}
