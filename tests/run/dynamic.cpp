// This file tests parts of tensors whose places only the run knows, against plain loops.
#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>
#include <run/kinds_of_traces.hpp>

#include <array>
#include <string>
#include <tuple>

using tx::shape;
using tx::tensor;
using tx::testing::in_all;
using matrix = tensor<float, shape<3, 4>>;
using rank0 = tensor<std::int64_t, shape<>>;

namespace {

matrix const m{{0, 1, 2, 3}, {10, 11, 12, 13}, {20, 21, 22, 23}};

// Where JAX lets a part start.
std::int64_t start_of(std::int64_t i, std::int64_t extent, std::int64_t size) {
    std::int64_t const from = i < 0 ? i + extent : i;
    return std::max<std::int64_t>(std::min(from, extent - size), 0);
}

} // namespace

TEST_CASE("dynamic_slice: every start, also outside") {
    in_all([](auto x, auto i, auto j) { return tx::dynamic_slice(x, std::tuple(i, j), shape<2, 3>{}); },
           [](auto const& f) {
               for (std::int64_t i = -5; i < 6; ++i)
                   for (std::int64_t j = -6; j < 7; ++j) {
                       auto const part = f(m, rank0(i), rank0(j));
                       std::int64_t const r = start_of(i, 3, 2), c = start_of(j, 4, 3);
                       for (int a = 0; a < 2; ++a)
                           for (int b = 0; b < 3; ++b) CHECK(part(a, b) == m(r + a, c + b));
                   }
           });
    CHECK(tx::equal(tx::dynamic_slice(m, std::array{1, 2}, shape<1, 2>{}), tensor<float, shape<1, 2>>{{12, 13}}));
    CHECK(tx::equal(tx::dynamic_slice(m, tensor<int, shape<2>>{1, 2}, 1, 2), tensor<float, shape<tx::dyn, tx::dyn>>{{12, 13}}));
    CHECK(tx::equal(tx::dynamic_slice(tensor<int, shape<4>>{5, 6, 7, 8}, 2, shape<2>{}), tensor<int, shape<2>>{7, 8}));
    CHECK(tx::dynamic_slice(m, std::tuple(0, 0), shape<0, 2>{}).size() == 0);
    tensor<std::string, shape<3>> const words{"a", "b", "c"};
    CHECK(tx::dynamic_slice(words, 1, shape<2>{})(1) == "c");
    tensor<float, shape<tx::dyn, 4>> const open = m;
    CHECK(tx::equal(tx::dynamic_slice(open, std::tuple(-1, 0), shape<1, 4>{}), tensor<float, shape<1, 4>>{{20, 21, 22, 23}}));
    tensor<float> const any = m;
    CHECK(tx::equal(tx::function{[](auto x, auto i) { return tx::dynamic_slice(x, std::tuple(i, i), 2, 2); }}(any, rank0(1)),
                    tensor<float>{{11, 12}, {21, 22}}));
}

TEST_CASE("dynamic_update_slice: every start, and its derivatives") {
    tensor<float, shape<2, 2>> const u{{-1, -2}, {-3, -4}};
    auto const put = [](auto x, auto part, auto i, auto j) { return tx::dynamic_update_slice(x, part, std::tuple(i, j)); };
    in_all(put, [&](auto const& f) {
        for (std::int64_t i = -4; i < 5; ++i)
            for (std::int64_t j = -5; j < 6; ++j) {
                auto const out = f(m, u, rank0(i), rank0(j));
                std::int64_t const r = start_of(i, 3, 2), c = start_of(j, 4, 2);
                for (int a = 0; a < 3; ++a)
                    for (int b = 0; b < 4; ++b) {
                        bool const inside = a >= r && a < r + 2 && b >= c && b < c + 2;
                        CHECK(out(a, b) == (inside ? u(a - r, b - c) : m(a, b)));
                    }
            }
    });
    auto const loss = [put](auto x, auto part, auto i) { return tx::sum(tx::square(put(x, part, i, i))); };
    in_all(tx::grad<0, 1>(loss), [&](auto const& g) {
        auto const [dx, du] = g(m, u, rank0(1));
        CHECK(tx::equal(du, 2 * u));
        matrix want = 2 * m;
        for (int a = 1; a < 3; ++a)
            for (int b = 1; b < 3; ++b) want.mutable_data()[a * 4 + b] = 0;
        CHECK(tx::equal(dx, want));
    });
    in_all(tx::grad([](auto x, auto i) { return tx::sum(tx::square(tx::dynamic_slice(x, std::tuple(i, 0), shape<1, 2>{}))); }),
           [&](auto const& g) { CHECK(tx::equal(g(m, rank0(2)), matrix{{0, 0, 0, 0}, {0, 0, 0, 0}, {40, 42, 0, 0}})); });
}

TEST_CASE("dynamic_index: in loops, and of examples") {
    in_all([](auto x, auto i) { return tx::dynamic_index(x, i, tx::axis<1>); },
           [](auto const& f) {
               CHECK(tx::equal(f(m, rank0(2)), tensor<float, shape<3>>{2, 12, 22}));
               CHECK(tx::equal(f(m, rank0(-1)), tensor<float, shape<3>>{3, 13, 23}));
               CHECK(tx::equal(f(m, rank0(9)), tensor<float, shape<3>>{3, 13, 23}));
           });
    tx::function const reversed{[](auto x) {
        return tx::fori_loop(
            0, 3,
            [x](auto i, auto out) {
                return tx::dynamic_update_slice(out, tx::expand_dims(tx::dynamic_index(x, 2 - i), tx::axis<0>), std::tuple(i, 0));
            },
            tx::zeros_like(x));
    }};
    CHECK(tx::equal(reversed(m), tx::flip(m, tx::axis<0>)));
    tx::function const slope{tx::grad([](auto x) {
        return tx::fori_loop(0, 3, [x](auto i, auto s) { return s + tx::sum(tx::dynamic_index(x, i)) * i; }, tx::sum(x) * 0);
    })};
    CHECK(tx::equal(slope(m), matrix{{0, 0, 0, 0}, {1, 1, 1, 1}, {2, 2, 2, 2}}));
    auto const each = tx::vmap<0, 0>([](auto x, auto i) { return tx::dynamic_slice(x, i, shape<2>{}); });
    tensor<int, shape<3>> const starts{0, 2, 1};
    CHECK(tx::equal(tx::function{each}(m, starts), tensor<float, shape<3, 2>>{{0, 1}, {12, 13}, {21, 22}}));
}

TEST_CASE("dynamic_update_slice: updates without elements, and of open extents") {
    using open = tensor<float, shape<tx::dyn, tx::dyn>>;
    auto const put = [](auto x, auto part, auto i) { return tx::dynamic_update_slice(x, part, std::tuple(i, i)); };
    in_all(put, [](auto const& f) {
        CHECK(tx::equal(f(m, tx::zeros<float, shape<tx::dyn, tx::dyn>>(0, 2), rank0(1)), m));
        CHECK(tx::equal(f(m, tx::zeros<float>(shape<2, 0>{}), rank0(1)), m));
        CHECK(tx::equal(f(m, open{{-1, -2}}, rank0(1)), matrix{{0, 1, 2, 3}, {10, -1, -2, 13}, {20, 21, 22, 23}}));
        CHECK(tx::equal(f(open(m), open{{-1}}, rank0(-1)), open{{0, 1, 2, 3}, {10, 11, 12, 13}, {20, 21, 22, -1}}));
    });
    using line = tensor<float, shape<tx::dyn>>;
    in_all([](auto x, auto part) { return tx::dynamic_update_slice(x, part, 0); },
           [](auto const& f) {
               CHECK(tx::equal(f(line{0, 1, 2}, line{5, 6, 7}), line{5, 6, 7}));
               CHECK_THROWS_AS(f(line{0, 1, 2}, line{5, 6, 7, 8}), tx::error);
           });
}
