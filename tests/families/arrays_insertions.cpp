// This file tests insert and delete_at against NumPy.
#include <tracexpr/arrays.hpp>

#include <family_checks.hpp>

#include <cstdint>
#include <string>

namespace {

using tx::shape, tx::tensor;
using tx::testing::check_in_all_forms, tx::testing::with_open_extents;
using vec5 = tensor<double, shape<5>>;
vec5 const x{10, 11, 12, 13, 14};
tensor<int, shape<2, 3>> const m{{1, 2, 3}, {4, 5, 6}};

} // namespace

TEST_CASE("insert: at named places") {
    constexpr auto at_two = [](auto const& a, auto const& v) { return tx::insert<3, 1>(a, v); };
    // np.insert(x, [3, 1], [0.5, 0.25])
    tensor<double, shape<7>> const wanted{10, 0.25, 11, 12, 0.5, 13, 14};
    check_in_all_forms([=](auto const& a, auto const& v) { return tx::insert<3, 1>(a, v, tx::axis<0>); }, wanted, 0, 0, x,
                       tensor<double, shape<2>>{0.5, 0.25});
    CHECK(tx::equal(at_two(x, 7.0), tensor<double, shape<7>>{10, 7, 11, 12, 7, 13, 14}));
    CHECK(tx::equal(tx::insert<5, -5, 0>(x, tensor<double, shape<3>>{1, 2, 3}),
                    tensor<double, shape<8>>{2, 3, 10, 11, 12, 13, 14, 1}));
    CHECK(tx::equal(tx::insert<1>(m, 9), tensor<int, shape<7>>{1, 9, 2, 3, 4, 5, 6})); // of no axis in row-major order
    CHECK(tx::equal(tx::insert<1>(m, 9, tx::axis<0>), tensor<int, shape<3, 3>>{{1, 2, 3}, {9, 9, 9}, {4, 5, 6}}));
    CHECK(tx::equal(tx::insert<3, 0>(m, tensor<int, shape<2, 1>>{{7}, {8}}, tx::axis<-1>),
                    tensor<int, shape<2, 5>>{{7, 1, 2, 3, 7}, {8, 4, 5, 6, 8}}));
    CHECK(tx::equal(tx::insert<0>(m, 2.75, tx::axis<0>), tensor<int, shape<3, 3>>{{2, 2, 2}, {1, 2, 3}, {4, 5, 6}}));
    CHECK(tx::equal(tx::insert<1>(tensor<std::string, shape<2>>{"a", "c"}, tensor<std::string, shape<1>>{"b"}),
                    tensor<std::string, shape<3>>{"a", "b", "c"}));
    CHECK(tx::equal(tx::insert<0>(tensor<double, shape<0>>{}, 4.0), tensor<double, shape<1>>{4}));
    tx::check_gradients([](auto const& a, auto const& v) { return tx::square(tx::insert<3, 1>(a, v)); }, x,
                        tensor<double, shape<2>>{0.5, 0.25});
}
TEST_CASE("insert: at places of a tensor") {
    constexpr auto at_places = [](auto const& a, auto const& i, auto const& v) { return tx::insert(a, i, v, tx::axis<0>); };
    tensor<double, shape<8>> const wanted{10, 3, 1, 11, 12, 13, 14, 2}; // np.insert(x, [1, 5, -4], [3, 2, 1])
    tensor<double, shape<3>> const values{3, 2, 1};
    tensor<int, shape<3>> const places{1, 5, -4};
    CHECK(tx::equal(at_places(x, places, values), wanted));
    CHECK(tx::equal(tx::function{at_places}(with_open_extents(x), places, values), wanted));
    CHECK(tx::equal(tx::insert(with_open_extents(m), tensor<int, shape<1>>{1}, 0, tx::axis<1>),
                    tensor<int, shape<2, 4>>{{1, 0, 2, 3}, {4, 0, 5, 6}}));
    CHECK_THROWS_AS(static_cast<void>(at_places(x, tensor<int, shape<1>>{6}, 0.0)), tx::shape_error);
    CHECK_THROWS_AS(static_cast<void>(tx::insert<6>(tensor<double>(x), 0.0, tx::axis<0>)), tx::shape_error);
    tx::check_gradients([&](auto const& a, auto const& v) { return tx::square(tx::insert(a, places, v)); }, x, values);
}
TEST_CASE("delete_at") {
    constexpr auto without = [](auto const& a) { return tx::delete_at<-1, 1>(a, tx::axis<0>); };
    check_in_all_forms(without, tensor<double, shape<3>>{10, 12, 13}, 0, 0, x);
    CHECK(tx::equal(tx::delete_at<1, 1, -4>(x), tensor<double, shape<4>>{10, 12, 13, 14})); // one place
    CHECK(tx::equal(tx::delete_at<1>(m), tensor<int, shape<5>>{1, 3, 4, 5, 6}));
    CHECK(tx::equal(tx::delete_at<0, 2>(m, tx::axis<1>), tensor<int, shape<2, 1>>{{2}, {5}}));
    CHECK(tx::equal(tx::delete_at<0, 1>(m, tx::axis<0>), tensor<int, shape<0, 3>>{}));
    constexpr auto without_places = [](auto const& a, auto const& i) { return tx::delete_at(a, i, tx::axis<0>); };
    tensor<int, shape<2>> const places{3, -5};
    CHECK(tx::equal(without_places(x, places), tensor<double, shape<3>>{11, 12, 14}));
    CHECK(tx::equal(tx::function{without_places}(with_open_extents(x), places), tensor<double, shape<3>>{11, 12, 14}));
    CHECK(tx::equal(tx::delete_at(with_open_extents(m), tensor<int, shape<1>>{2}, tx::axis<1>),
                    tensor<int, shape<2, 2>>{{1, 2}, {4, 5}}));
    CHECK_THROWS_AS(static_cast<void>(without_places(x, tensor<int, shape<2>>{1, 1})), tx::shape_error);
    CHECK_THROWS_AS(static_cast<void>(without_places(x, tensor<int, shape<2>>{1, 5})), tx::shape_error);
    tx::check_gradients([](auto const& a) { return tx::square(tx::delete_at<-1, 1>(a)); }, x);
    tx::check_gradients([&](auto const& a) { return tx::square(tx::delete_at(a, places)); }, x);
}
