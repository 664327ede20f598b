// This file tests tapes and forward accumulators on while_loop, fori_loop and cond.
#include <run/tapes_loops.hpp>

using tx::shape;
using tx::testing::check_tapes;
using single = tx::tensor<double, shape<>>;

TEST_CASE("tapes: a while_loop") {
    auto const newton = [](auto a) {
        return tx::while_loop([=](auto x) { return tx::abs(x * x - a) > 1e-12; }, [=](auto x) { return 0.5 * (x + a / x); }, a);
    };
    check_tapes(newton, single(2.0), single(0.5 / std::sqrt(2.0)), single(-0.25 / std::sqrt(8.0)));
}
TEST_CASE("tapes: a branch") {
    auto const f = [](auto x) { return tx::cond(x > 1, [&] { return x * x; }, [&] { return x * 3 + x * x * x; }); };
    check_tapes(f, single(2.0), single(4.0), single(2.0));
    check_tapes(f, single(0.5), single(3.75), single(3.0));
}
TEST_CASE("tapes: a counted loop") { // x^5 + x^2 + 2 x + 3
    auto const f = [](auto x) { return tx::fori_loop(0, 4, [x](auto i, auto s) { return s * x + i; }, x); };
    check_tapes(f, single(2.0), single(86.0), single(162.0));
}
