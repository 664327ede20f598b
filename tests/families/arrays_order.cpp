// This file tests the smallest elements, strings in order, logspace and geomspace, and scan and map along any axis.
#include <tracexpr/arrays.hpp>

#include <family_checks.hpp>

#include <cstdint>
#include <limits>
#include <string>

namespace {

using tx::shape, tx::tensor;
using tx::testing::check_in_all_forms, tx::testing::difference;
using strings = tensor<std::string, shape<4>>;

} // namespace

TEST_CASE("topk of the smallest") {
    tensor<double, shape<5>> const x{3, 1, std::numeric_limits<double>::quiet_NaN(), 1, 2};
    auto const [values, places] = tx::topk<3>(x, tx::smallest);
    CHECK(tx::equal(values, tensor<double, shape<3>>{1, 1, 2}));
    CHECK(tx::equal(places, tensor<std::int64_t, shape<3>>{1, 3, 4}));
    constexpr auto least = [](auto const& a) { return tx::topk<1>(a, tx::axis<0>, tx::smallest).first; };
    check_in_all_forms(least, tensor<double, shape<1, 2>>{{1, 2}}, 0, 0, tensor<double, shape<2, 2>>{{3, 2}, {1, 4}});
    CHECK_THROWS_AS(static_cast<void>(tx::topk<6>(tensor<double>(x), tx::smallest)), tx::shape_error);
    tx::check_gradients([](auto const& a) { return tx::square(tx::topk<2>(a, tx::smallest).first); },
                        tensor<double, shape<3>>{3, 1, 2});
}
TEST_CASE("strings in order") {
    strings const x{"b", "", "ab", "b"};
    CHECK(tx::equal(tx::unique(x), tensor<std::string, shape<3>>{"", "ab", "b"}));
    CHECK(tx::equal(tx::unique(tensor<double, shape<3>>{2, 1, 2}), tensor<double, shape<2>>{1, 2}));
    auto const sorted = tx::unique(x);
    CHECK(tx::equal(tx::searchsorted(sorted, x), tensor<std::int64_t, shape<4>>{2, 0, 1, 2}));
    CHECK(tx::equal(tx::searchsorted<tx::side::right>(sorted, strings{"b", "a", "z", ""}),
                    tensor<std::int64_t, shape<4>>{3, 1, 3, 1}));
}
TEST_CASE("logspace, geomspace") {
    CHECK(difference(tx::logspace<double, 4>(0, 3), tensor<double, shape<4>>{1, 10, 100, 1000}, 1e-15) == "");
    CHECK(difference(tx::logspace<float, 3>(0, 8, 2), tensor<float, shape<3>>{1, 16, 256}, 1e-7) == "");
    CHECK(tx::equal(tx::logspace<double, 1>(2, 5, 2), tensor<double, shape<1>>{4}));
    CHECK(tx::logspace<double, 0>(2, 5).size() == 0);
    CHECK(difference(tx::geomspace<double, 4>(1, 1000), tensor<double, shape<4>>{1, 10, 100, 1000}, 1e-15) == "");
    CHECK(difference(tx::geomspace<double, 3>(-1000, -10), tensor<double, shape<3>>{-1000, -100, -10}, 1e-15) == "");
    CHECK(difference(tx::geomspace<double, 3>(1e-300, 1e300), tensor<double, shape<3>>{1e-300, 1, 1e300}, 1e-14) == "");
    CHECK(static_cast<float>(tx::geomspace<tx::half, 2>(1, 8)(1)) == 8);
    CHECK_THROWS_WITH_AS(static_cast<void>(tx::geomspace<double, 3>(0, 1)),
                         "tx: geomspace: the ends must have one sign and not be 0; given 0.000000, 1.000000", tx::error);
    using scalar = tensor<double, shape<>>;
    tx::check_gradients([](auto const& a, auto const& b) { return tx::geomspace<double, 4>(a, b); }, scalar{2}, scalar{5});
    tx::check_gradients([](auto const& a, auto const& b) { return tx::logspace<double, 4>(a, b); }, scalar{0.25}, scalar{0.75});
}
TEST_CASE("scan and map along any axis") {
    tensor<double, shape<2, 3>> const x{{1, 2, 3}, {10, 20, 30}};
    constexpr auto step = [](auto const& sum, auto const& v) { return std::pair(sum + v, sum + v); };
    constexpr auto sums = [=](auto const& a) { return tx::scan(step, tensor<double, shape<2>>{}, a, tx::axis<1>).second; };
    check_in_all_forms(sums, tensor<double, shape<2, 3>>{{1, 3, 6}, {10, 30, 60}}, 0, 0, x);
    auto const [last, ys] = tx::scan(step, tensor<double, shape<2>>{}, x, tx::axis<-1>, {.reverse = true});
    CHECK(tx::equal(last, tensor<double, shape<2>>{6, 60}));
    CHECK(tx::equal(ys, tensor<double, shape<2, 3>>{{6, 5, 3}, {60, 50, 30}}));
    constexpr auto totals = [](auto const& a) { return tx::map([](auto const& v) { return tx::sum(v); }, a, tx::axis<1>); };
    check_in_all_forms(totals, tensor<double, shape<3>>{11, 22, 33}, 0, 0, x);
    auto const doubled =
        tx::map([](auto const& both) { return std::get<0>(both) + std::get<1>(both); }, std::pair(x, x), tx::axis<1>);
    CHECK(tx::equal(doubled, x * 2));
}
