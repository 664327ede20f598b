// This file tests that values which where does not select get exactly 0, with views and pointwise ops between the where and an
// infinite slope.
#include "masks.hpp"

using namespace masks;

TEST_CASE("masks: pointwise ops of open extents") {
    check_gradient([](auto const& a) { return where(a > 0, sqrt(a), 0.0); }, {0.5, 0, 0.25});
    check_gradient([](auto const& a) { return where(a > 0, exp(log(a) * 0.5), a); }, {0.5, 1, 0.25});
    check_gradient([](auto const& a) { return where(a == 0, 0.0, 1 / a) * 2.0; }, {-2, 0, -0.125});
}

TEST_CASE("masks: views between the where and the slope") {
    check_gradient([](auto const& a) { return where(tx::flip(a) > 0, tx::flip(sqrt(a)), 0.0); }, {0.5, 0, 0.25});
    check_gradient([](auto const& a) { return where(expand_dims(a, tx::axis<1>) > 0, expand_dims(sqrt(a), tx::axis<1>), 0.0); },
                   {0.5, 0, 0.25});
    check_gradient([](auto const& a) { return maximum(tx::flip(sqrt(a)), 1e-3); }, {0.5, 0, 0.25});
    check_gradient([](auto const& a) { return where(tx::sliding_window_view<2>(a) > 0, tx::sliding_window_view<2>(sqrt(a)), 0.0); }, {0.5, 0, 0.25});
}

TEST_CASE("masks: ranks that only a run knows, and tapes") {
    auto const f = [](auto const& a) { return where(tx::flip(a) > 0, tx::flip(sqrt(a)), 0.0); };
    auto const gradient = [f](auto const& a) {
        tx::gradient_tape tape;
        tape.watch(a);
        auto const y = f(a);
        return tape.gradient(y, a);
    };
    CHECK(list(tx::grad([](auto const& a) { return sum(where(a > 0, sqrt(a), 0.0)); })(tx::tensor<double>(x))) ==
          doubles{0.5, 0, 0.25});
    CHECK(list(gradient(x)) == doubles{0.5, 0, 0.25});
    CHECK(list(tx::function{gradient}(open(x))) == doubles{0.5, 0, 0.25});
}
