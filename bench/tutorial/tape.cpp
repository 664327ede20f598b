// Variables and a gradient tape, which records each step anew.
#include "timing.hpp"

int main() {
    auto const [a, b, c] = start();
    tx::variable room{a}, excess{b}, rate{c};
    report("tape", [&](column const& x, column const& y) {
        tx::gradient_tape tape;
        scalar const loss = tx::mean(tx::square(room + excess * tx::exp(-rate * x) - y));
        return std::pair(loss, tape.gradient(loss, std::tie(room, excess, rate)));
    });
}
