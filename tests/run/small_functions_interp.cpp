// This file tests searchsorted and interp. Expected values are those of NumPy 2.4.
#include <run/small_functions_checks.hpp>

using namespace tx::testing;
using tx::axis;
using tx::shape;
using tx::tensor;

namespace {
// numpy.sort(numpy.random.default_rng(0).integers(0, 40, 100))
tensor<std::int32_t, shape<100>> const many{0,  0,  0,  0,  0,  1,  1,  1,  1,  2,  3,  3,  3,  3,  4,  5,  7,  7,  9,  10,
                                            10, 10, 10, 11, 11, 12, 12, 12, 13, 13, 14, 15, 15, 15, 15, 15, 15, 15, 16, 16,
                                            16, 18, 19, 19, 20, 20, 20, 21, 21, 21, 21, 21, 22, 22, 22, 23, 23, 24, 24, 24,
                                            25, 25, 25, 25, 26, 26, 26, 26, 27, 27, 28, 28, 28, 28, 28, 29, 29, 30, 30, 30,
                                            32, 32, 32, 33, 33, 33, 33, 34, 34, 34, 35, 35, 35, 36, 37, 37, 38, 38, 39, 39};
} // namespace

TEST_CASE("small functions: searchsorted") {
    tensor<std::int32_t, shape<7>> const v{-1, 0, 7, 20, 39, 40, 41};
    check_each<ranks::known>([](auto const& a, auto const& b) { return tx::searchsorted(a, b); },
                             tensor<std::int64_t>{0, 0, 16, 44, 98, 100, 100}, 0, many, v);
    check_each<ranks::known>([](auto const& a, auto const& b) { return tx::searchsorted<tx::side::right>(a, b); },
                             tensor<std::int64_t>{0, 5, 18, 47, 100, 100, 100}, 0, many, v);
    tensor<double, shape<5>> const few{1, 2, 2, 3, missing};
    tensor<double, shape<2, 3>> const w{{0, 2, 2.5}, {3, missing, infinite}};
    check_each<ranks::known>([](auto const& a, auto const& b) { return tx::searchsorted(a, b); },
                             tensor<std::int64_t>{{0, 1, 3}, {3, 4, 4}}, 0, few, w);
    check_values(tx::searchsorted<tx::side::right>(few, w), tensor<std::int64_t>{{0, 3, 3}, {4, 5, 4}}, 0);
    check_values(tx::searchsorted(many, 20), tensor<std::int64_t>(std::int64_t{44}), 0);
    check_values(tx::searchsorted(tensor<double, shape<0>>{}, w), tensor<std::int64_t>{{0, 0, 0}, {0, 0, 0}}, 0);
    check_values(tx::searchsorted(tx::zeros<double, shape<tx::dyn>>(0), w), tensor<std::int64_t>{{0, 0, 0}, {0, 0, 0}}, 0);
    for (std::int64_t n = 1; n < 40; ++n) { // at each number of numbers, in the graph's loop
        auto const numbers = tx::arange<double>(n);
        auto const between = tx::searchsorted(numbers, numbers + 0.5);
        CHECK(tx::equal(between, tx::arange<std::int64_t>(1, n + 1)));
    }
}

TEST_CASE("small functions: interp") {
    tensor<double, shape<6>> const xp{-1, 0, 0.5, 0.5, 2, 7}, fp{3, 1, 4, -2, 0.5, 2};
    tensor<double, shape<11>> const q{-2, -1, -0.25, 0, 0.5, 0.75, 2, 6.5, 7, 8, missing};
    check_each<ranks::known>([](auto const& x, auto const& p, auto const& f) { return tx::interp(x, p, f); },
                             tensor<double>{3, 3, 1.5, 1, -2, -1.5833333333333333, 0.5, 1.85, 2, 2, missing}, 1e-15, q, xp, fp);
    check_each<ranks::known>([](auto const& x, auto const& p, auto const& f) { return tx::interp(x, p, f, -10, 10); },
                             tensor<double>{-10, 3, 1.5, 1, -2, -1.5833333333333333, 0.5, 1.85, 2, 10, missing}, 1e-15, q, xp,
                             fp);
    check_values(tx::interp(tensor<double>(q), xp, fp),
                 tensor<double>{3, 3, 1.5, 1, -2, -1.5833333333333333, 0.5, 1.85, 2, 2, missing}, 1e-15);
    check_values(tx::interp(0.25, xp, fp), tensor<double>(2.5), 1e-15);
    tensor<double, shape<1>> const one{5}, at_one{7};
    check_values(tx::interp(tensor<double, shape<3>>{4, 5, 6}, one, at_one), tensor<double>{7, 7, 7}, 0);
    check_values(tx::interp(tensor<int, shape<2>>{1, 2}, tensor<int, shape<2>>{0, 4}, tensor<int, shape<2>>{0, 2}),
                 tensor<double>{0.5, 1}, 0);
    check_values(
        tx::interp(tensor<double, shape<2>>{1, 0.5}, tensor<double, shape<2>>{0, 1}, tensor<double, shape<2>>{-infinite, 5}),
        tensor<double>{5, -infinite}, 0);
    CHECK_THROWS_AS(tx::interp(q, tensor<double, shape<tx::dyn>>(xp), tensor<double, shape<tx::dyn>>(one)), tx::error);
    CHECK_THROWS_AS(tx::interp(q, tx::zeros<double, shape<tx::dyn>>(0), tx::zeros<double, shape<tx::dyn>>(0)), tx::error);
}

TEST_CASE("small functions: slopes of interp") { // by hand: the pieces are lines
    tensor<double, shape<3>> const xp{0, 1, 3}, fp{0, 2, 6}, x{0.25, 2, 5};
    auto const slopes = tx::grad<0, 1, 2>([](auto a, auto p, auto f) { return tx::sum(tx::interp(a, p, f)); })(x, xp, fp);
    check_values(std::get<0>(slopes), tensor<double>{2, 2, 0}, 1e-15);
    check_values(std::get<1>(slopes), tensor<double>{-1.5, -1.5, -1}, 1e-15);
    check_values(std::get<2>(slopes), tensor<double>{0.75, 0.75, 1.5}, 1e-15);
}
