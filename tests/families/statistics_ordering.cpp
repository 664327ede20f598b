// This file tests lexsort, partition, argpartition, isin and digitize against NumPy 2.4.
#include <tracexpr/statistics.hpp>

#include <family_checks.hpp>

#include <cmath>
#include <limits>

namespace {

using tx::testing::check_in_all_forms;
using tx::testing::check_open_rank;
using tx::testing::difference;
using places = tx::tensor<std::int64_t, tx::shape<5>>;
tx::tensor<double, tx::shape<2, 5>> const keys{{1, 2, 1, 3, 2}, {5, 4, 5, 4, 5}};
constexpr double nan_value = std::numeric_limits<double>::quiet_NaN();

} // namespace

TEST_CASE("lexsort: a key in each row, or several keys") {
    places const wanted{1, 3, 0, 2, 4}; // np.lexsort(keys)
    CHECK(difference(tx::lexsort(keys), wanted, 0) == "");
    tx::function f{[](auto const& k) { return tx::lexsort(k); }};
    CHECK(difference(f(keys), wanted, 0) == "");
    CHECK(difference(f(tx::tensor<double, tx::shape<2, tx::dyn>>(keys)), wanted, 0) == "");
    CHECK(difference(tx::lexsort(tx::tensor<double>(keys)), wanted, 0) == "");
    check_in_all_forms([](auto const& a, auto const& b) { return tx::lexsort(a, b); }, wanted, 0, 0,
                       tx::tensor<int, tx::shape<5>>{1, 2, 1, 3, 2}, tx::tensor<float, tx::shape<5>>{5, 4, 5, 4, 5});
    auto const batch = tx::vmap([](auto const& k) { return tx::lexsort(k); })(tx::stack(tx::axis<0>, keys, keys));
    CHECK(difference(batch[1], wanted, 0) == "");
    CHECK(difference(tx::lexsort(tx::tensor<double, tx::shape<1, 3>>{{nan_value, 2, 1}}), tx::tensor<std::int64_t, tx::shape<3>>{2, 1, 0}, 0) == "");
    CHECK(tx::lexsort(tx::tensor<double, tx::shape<2, 0>>{}).size() == 0);
}
TEST_CASE("partition, argpartition") {
    tx::tensor<float, tx::shape<2, 5>> const x{{3, 1, 4, 1, 5}, {9, 2, 6, 5, 3}};
    check_in_all_forms([](auto const& a) { return tx::partition<2>(a); }, tx::tensor<float, tx::shape<2, 5>>{{1, 1, 3, 4, 5}, {2, 3, 5, 9, 6}}, 0, 0, x);
    CHECK(difference(tx::take_along_axis(x, tx::argpartition<-1>(x, tx::axis<1>), tx::axis<1>), tx::partition<4>(x), 0) == "");
    CHECK(difference(tx::partition<0>(x, tx::axis<0>), tx::tensor<float, tx::shape<2, 5>>{{3, 1, 4, 1, 3}, {9, 2, 6, 5, 5}}, 0) == "");
    CHECK_THROWS_AS(static_cast<void>(tx::partition<7>(tx::tensor<float>(x))), tx::shape_error);
    tx::check_gradients([](auto const& a) { return tx::sum(tx::partition<1>(a) * tx::tensor<double, tx::shape<3>>{1, 2, 3}); },
                        tx::tensor<double, tx::shape<3>>{0.5, 2, -1});
}
TEST_CASE_TEMPLATE("partition: both sides stand as they did, equal ones, too", T, bool, std::int8_t, std::uint64_t, tx::half, float, double) {
    auto const of = [](std::initializer_list<int> list) {
        tx::tensor<T, tx::shape<tx::dyn>> out(static_cast<std::int64_t>(list.size()));
        for (std::int64_t i = 0; int const n : list) out(i++) = static_cast<T>(n);
        return out;
    };
    auto const x = of({1, 0, 1, 1, 0, 1});
    CHECK(tx::equal(tx::partition<3>(x), of({1, 0, 0, 1, 1, 1})));
    CHECK(difference(tx::argpartition<3>(x), tx::tensor<std::int64_t, tx::shape<6>>{0, 1, 4, 2, 3, 5}, 0) == "");
    CHECK(tx::equal(tx::partition<-1>(of({1})), of({1})));
    CHECK(tx::partition<0>(tx::tensor<T, tx::shape<0, 3>>{}, tx::axis<1>).size() == 0);
}
TEST_CASE("partition: NaN is the greatest, of rows and columns, in batches, with derivatives") {
    tx::tensor<double, tx::shape<5>> const x{nan_value, 3, -0.0, 0.0, 1};
    auto const parted = tx::partition<2>(x);
    CHECK((std::isnan(parted(3)) && parted(0) == 0 && parted(1) == 0 && parted(2) == 1 && parted(4) == 3));
    tx::tensor<double, tx::shape<3, 4>> const m{{3, 1, 4, 1}, {5, 9, 2, 6}, {5, 3, 5, 8}};
    tx::tensor<double, tx::shape<3, 4>> const wanted{{1, 1, 3, 4}, {2, 5, 9, 6}, {3, 5, 5, 8}};
    check_open_rank([](auto const& a) { return tx::partition<1>(a); }, wanted, 0, 0, m);
    CHECK(difference(tx::vmap([](auto const& a) { return tx::partition<1>(a); })(m), wanted, 0) == "");
    CHECK(difference(tx::transpose(tx::partition<1>(tx::transpose(m), tx::axis<0>)), wanted, 0) == "");
    tx::check_gradients([](auto const& a) { return tx::sum(tx::square(tx::partition<2>(a)) * tx::arange<double, 4>()); },
                        tx::tensor<double, tx::shape<2, 4>>{{0.5, 2, -1, 3}, {4, 1, 2, 0}});
    auto const shares = tx::grad([](auto const& a) { return tx::partition<1>(a)(1); })(tx::tensor<double, tx::shape<3>>{2, 2, 1});
    CHECK(difference(shares, tx::tensor<double, tx::shape<3>>{1, 0, 0}, 0) == "");
}
TEST_CASE("digitize: bins that increase and decrease, both sides") {
    using indices = tx::tensor<std::int64_t, tx::shape<6>>;
    tx::tensor<double, tx::shape<6>> const x{0.2, 6.4, 3, 1, 4, 20};
    tx::tensor<double, tx::shape<5>> const bins{0, 1, 2.5, 4, 10}, down{10, 4, 2.5, 1, 0};
    check_in_all_forms([](auto const& a, auto const& b) { return tx::digitize(a, b); }, indices{1, 4, 3, 2, 4, 5}, 0, 0, x, bins);
    check_in_all_forms([](auto const& a, auto const& b) { return tx::digitize(a, b, tx::right); }, indices{1, 4, 3, 1, 3, 5}, 0, 0, x, bins);
    check_in_all_forms([](auto const& a, auto const& b) { return tx::digitize(a, b); }, indices{4, 1, 2, 3, 1, 0}, 0, 0, x, down);
    CHECK(difference(tx::digitize(x, down, tx::right), indices{4, 1, 2, 4, 2, 0}, 0) == "");
    CHECK(tx::digitize(nan_value, bins).item() == 5);
    CHECK(difference(tx::digitize(tx::tensor<int, tx::shape<3>>{1, 2, 3}, tx::tensor<int, tx::shape<2>>{2, 2}), tx::tensor<std::int64_t, tx::shape<3>>{0, 2, 2}, 0) == "");
    CHECK(tx::digitize(1.0, tx::tensor<double, tx::shape<0>>{}).item() == 0);
}
TEST_CASE("isin: few values, many, and any number") {
    tx::tensor<double, tx::shape<2, 3>> const x{{1, nan_value, 3}, {-0.0, 5, 7}};
    tx::tensor<bool, tx::shape<2, 3>> const wanted{{true, false, false}, {true, false, true}};
    tx::tensor<double, tx::shape<2, 2>> const values{{7, 1}, {0, nan_value}};
    check_in_all_forms([](auto const& a, auto const& b) { return tx::isin(a, b); }, wanted, 0, 0, x, values);
    check_open_rank([](auto const& a) { return tx::isin(a, tx::tensor<double, tx::shape<3>>{7, 1, 0}); }, wanted, 0, 0, x);
    tx::tensor<int, tx::shape<40>> const many(tx::arange<int, 40>() * 3);
    CHECK(difference(tx::isin(tx::tensor<int, tx::shape<4>>{0, 1, 117, 120}, many), tx::tensor<bool, tx::shape<4>>{true, false, true, false}, 0) == "");
    CHECK(tx::isin(3.0, many).item());
    CHECK(!tx::isin(0.0, tx::tensor<double, tx::shape<tx::dyn>>(0)).item());
    CHECK(tx::isin(std::complex<double>(0, 1), tx::tensor<std::complex<double>, tx::shape<1>>{{0, 1}}).item());
}
