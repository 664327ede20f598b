// This file tests hstack and the like, rot90 about any axes, and array_split, against NumPy.
#include <tracexpr/arrays.hpp>

#include <family_checks.hpp>

#include <cstdint>
#include <string>

namespace {

using tx::shape, tx::tensor;
using tx::testing::check_in_all_forms;
using pair = tensor<double, shape<2>>;
using square = tensor<double, shape<2, 2>>;
pair const a{1, 2}, b{3, 4};
square const m{{5, 6}, {7, 8}};

} // namespace

TEST_CASE("hstack, vstack, dstack, column_stack") {
    constexpr auto across = [](auto const& x, auto const& y) { return tx::hstack(x, y); };
    constexpr auto columns = [](auto const& x, auto const& y) { return tx::column_stack(x, y); };
    check_in_all_forms(across, tensor<double, shape<2, 4>>{{5, 6, 5, 6}, {7, 8, 7, 8}}, 0, 0, m, m);
    check_in_all_forms(columns, tensor<double, shape<2, 3>>{{1, 5, 6}, {2, 7, 8}}, 0, 0, a, m);
    CHECK(tx::equal(tx::hstack(a, b), tensor<double, shape<4>>{1, 2, 3, 4}));
    CHECK(tx::equal(tx::vstack(a, b), square{{1, 2}, {3, 4}}));
    CHECK(tx::equal(tx::vstack(a, m), tensor<double, shape<3, 2>>{{1, 2}, {5, 6}, {7, 8}}));
    CHECK(tx::equal(tx::dstack(a, b), tensor<double, shape<1, 2, 2>>{{{1, 3}, {2, 4}}}));
    CHECK(tx::equal(tx::dstack(m, m), tensor<double, shape<2, 2, 2>>{{{5, 5}, {6, 6}}, {{7, 7}, {8, 8}}}));
    CHECK(tx::equal(tx::column_stack(a, b), square{{1, 3}, {2, 4}}));
    tensor<int, shape<>> const one{7};
    CHECK(tx::equal(tx::hstack(one, tensor<int, shape<2>>{8, 9}), tensor<int, shape<3>>{7, 8, 9}));
    CHECK(tx::equal(tx::vstack(tensor<int, shape<2>>{8, 9}, a), square{{8, 9}, {1, 2}})); // in the common dtype
    CHECK(tx::equal(tx::hstack(tensor<std::string, shape<1>>{"a"}, tensor<std::string, shape<1>>{"b"}),
                    tensor<std::string, shape<2>>{"a", "b"}));
    CHECK(tx::equal(tx::hstack(tensor<double>(m), tensor<double>(m)), tx::hstack(m, m)));
    CHECK_THROWS_AS(static_cast<void>(tx::hstack(tensor<double>(a), tensor<double>(m))), tx::shape_error);
    tx::check_gradients([](auto const& x, auto const& y) { return tx::square(tx::column_stack(x, y)); }, a, m);
}
TEST_CASE("rot90 about any axes") {
    tensor<int, shape<2, 3>> const x{{1, 2, 3}, {4, 5, 6}};
    CHECK(tx::equal(tx::rot90(x, tx::axis<0, 1>), tensor<int, shape<3, 2>>{{3, 6}, {2, 5}, {1, 4}}));
    CHECK(tx::equal(tx::rot90<-1>(x, tx::axis<0, 1>), tensor<int, shape<3, 2>>{{4, 1}, {5, 2}, {6, 3}}));
    CHECK(tx::equal(tx::rot90<-1>(x, tx::axis<0, 1>), tx::rot90<1>(x, tx::axis<1, 0>)));
    CHECK(tx::equal(tx::rot90<2>(x, tx::axis<-1, 0>), tensor<int, shape<2, 3>>{{6, 5, 4}, {3, 2, 1}}));
    CHECK(tx::equal(tx::rot90<4>(x, tx::axis<0, 1>), x));
    tensor<int, shape<2, 2, 2>> const cube{{{1, 2}, {3, 4}}, {{5, 6}, {7, 8}}};
    constexpr auto turn = [](auto const& c) { return tx::rot90<3>(c, tx::axis<1, 2>); };
    check_in_all_forms(turn, tensor<int, shape<2, 2, 2>>{{{3, 1}, {4, 2}}, {{7, 5}, {8, 6}}}, 0, 0, cube);
    tx::testing::check_open_rank(turn, tensor<int, shape<2, 2, 2>>{{{3, 1}, {4, 2}}, {{7, 5}, {8, 6}}}, 0, 0, cube);
}
TEST_CASE("array_split") {
    tensor<double, shape<8>> const x{0, 1, 2, 3, 4, 5, 6, 7};
    auto const [first, second, third] = tx::array_split<3>(x);
    CHECK(tx::equal(first, tensor<double, shape<3>>{0, 1, 2}));
    CHECK(tx::equal(second, tensor<double, shape<3>>{3, 4, 5}));
    CHECK(tx::equal(third, pair{6, 7}));
    auto const [left, right] = tx::array_split<2>(tensor<int, shape<1, 3>>{{1, 2, 3}}, tx::axis<-1>);
    CHECK(tx::equal(left, tensor<int, shape<1, 2>>{{1, 2}}));
    CHECK(tx::equal(right, tensor<int, shape<1, 1>>{{3}}));
    auto const parts = tx::array_split<3>(a);
    CHECK(std::get<2>(parts).size() == 0);
    tx::check_gradients([](auto const& v) { return tx::square(std::get<1>(tx::array_split<3>(v))); }, x);
}
