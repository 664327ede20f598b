// This file tests tx::scan with several iterations unrolled into one: it must give what it gives without.
#include "kinds_of_traces.hpp"

#include <doctest/doctest.h>

#include <string>

using tx::shape;
using tx::tensor;
using tx::testing::in_both_traces;

namespace {

using series = tensor<double, shape<6, 2>>;
using vec = tensor<double, shape<2>>;

// y' = sin(y) + x, and y x of each; the last y, the products.
template <std::int64_t Unroll, bool Reverse> constexpr auto recurrence = [](auto y, auto xs) {
    auto const step = [](auto s, auto x) {
        auto const next = tx::sin(s) + x;
        return std::pair(next, std::pair(next * x, tx::sum(s)));
    };
    return tx::scan(step, y, xs, {.reverse = Reverse, .unroll = Unroll});
};
template <class F> constexpr auto total(F f) {
    return [f](auto y, auto xs) {
        auto const [last, ys] = f(y, xs);
        return tx::sum(last) + tx::sum(ys.first * ys.first) + tx::sum(ys.second);
    };
}
series const xs{{0.5, -1}, {0.25, 2}, {-0.5, 0.125}, {1, 1}, {0.75, -0.25}, {2, 0.5}};
vec const y{0.3, -0.2};

template <bool Reverse> void check() {
    auto const known = tx::static_function{recurrence<1, Reverse>}(y, xs);
    auto const slopes = tx::static_function{tx::grad<0, 1>(total(recurrence<1, Reverse>))}(y, xs);
    auto const equals = [&](auto const& f) {
        auto const [last, ys] = f(y, xs);
        CHECK(tx::equal(last, known.first));
        CHECK(tx::equal(ys.first, known.second.first));
        CHECK(tx::equal(ys.second, known.second.second));
    };
    in_both_traces(recurrence<2, Reverse>, equals);
    in_both_traces(recurrence<4, Reverse>, equals); // three, which divides six
    in_both_traces(recurrence<100, Reverse>, equals);
    in_both_traces(tx::grad<0, 1>(total(recurrence<3, Reverse>)), [&](auto const& f) {
        auto const [of_y, of_xs] = f(y, xs);
        for (int k = 0; k < 2; ++k) CHECK(of_y(k) == doctest::Approx(std::get<0>(slopes)(k)));
        for (int k = 0; k < 12; ++k) CHECK(of_xs.data()[k] == doctest::Approx(std::get<1>(slopes).data()[k]));
    });
}

} // namespace

TEST_CASE("unrolled scans: values and gradients") { check<false>(); }
TEST_CASE("unrolled scans, from the last element on") { check<true>(); }

TEST_CASE("unrolled scans: effects in order, extents that only the run knows, no elements") {
    std::string seen;
    tx::on_print([&seen](std::string const& line) { seen += line + ' '; });
    int const kept = 0;
    tx::function const f{[kept](auto x) {
        static_cast<void>(kept);
        auto const step = [](auto s, auto v) {
            tx::print("{}", v);
            return std::pair(s + v, s);
        };
        return tx::scan(step, tx::sum(x) * 0, x, {.unroll = 2});
    }};
    using open = tensor<int, shape<tx::dyn>>;
    auto const [last, ys] = f(open(tensor<int, shape<4>>{1, 2, 3, 4}));
    CHECK(last.item() == 10);
    CHECK(tx::equal(ys, tensor<int, shape<4>>{0, 1, 3, 6}));
    tx::on_print(nullptr);
    CHECK(seen == "1 2 3 4 ");
    CHECK(f(tx::zeros<int, shape<tx::dyn>>(0)).first.item() == 0);
    CHECK(f(open(tensor<int, shape<5>>{1, 2, 3, 4, 5})).first.item() == 15);
}
