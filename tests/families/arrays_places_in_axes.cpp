// This file tests gather_nd, scatter_nd and its variants, and reverse_sequence, by the documented examples of TensorFlow and
// ONNX.
#include <tracexpr/arrays.hpp>

#include <family_checks.hpp>

#include <cstdint>
#include <string>

namespace {

using tx::shape, tx::tensor;
using tx::testing::check_in_all_forms, tx::testing::check_open_rank, tx::testing::with_open_extents;
using square = tensor<int, shape<2, 2>>;
using cube = tensor<int, shape<2, 2, 2>>;
square const m{{0, 1}, {2, 3}};
cube const c{{{0, 1}, {2, 3}}, {{4, 5}, {6, 7}}};

} // namespace

TEST_CASE("gather_nd") {
    constexpr auto found = [](auto const& x, auto const& i) { return tx::gather_nd(x, i); };
    // ONNX GatherND, examples 1 to 4
    CHECK(tx::equal(found(m, square{{0, 0}, {1, 1}}), tensor<int, shape<2>>{0, 3}));
    CHECK(tx::equal(found(m, tensor<int, shape<2, 1>>{{1}, {0}}), square{{2, 3}, {0, 1}}));
    CHECK(tx::equal(found(c, square{{0, 1}, {1, 0}}), square{{2, 3}, {4, 5}}));
    CHECK(tx::equal(found(c, tensor<int, shape<2, 1, 2>>{{{0, 1}}, {{1, 0}}}), tensor<int, shape<2, 1, 2>>{{{2, 3}}, {{4, 5}}}));
    // ONNX example 5: batch_dims 1
    CHECK(tx::equal(tx::gather_nd(c, tensor<int, shape<2, 1>>{{1}, {0}}, tx::batch_dims<1>), square{{2, 3}, {4, 5}}));
    CHECK(tx::equal(tx::gather_nd(m, tensor<int, shape<2, 3, 1>>{{{1}, {0}, {-1}}, {{0}, {0}, {1}}}, tx::batch_dims<1>),
                    tensor<int, shape<2, 3>>{{1, 0, 1}, {2, 2, 3}}));
    CHECK(tx::equal(found(m, tensor<int, shape<2, 0>>{}), cube{{{0, 1}, {2, 3}}, {{0, 1}, {2, 3}}})); // no places: all of x
    constexpr auto at_known = [](auto const& x) { return tx::gather_nd(x, square{{1, -1}, {0, 1}}); };
    check_in_all_forms(at_known, tensor<double, shape<2>>{3, 1}, 0, 0, tensor<double, shape<2, 2>>{{0, 1}, {2, 3}});
    check_open_rank(at_known, tensor<double, shape<2>>{3, 1}, 0, 0, tensor<double, shape<2, 2>>{{0, 1}, {2, 3}});
    CHECK(tx::equal(found(tensor<std::string, shape<2>>{"a", "b"}, tensor<int, shape<1, 1>>{{1}}),
                    tensor<std::string, shape<1>>{"b"}));
    CHECK_THROWS_WITH_AS(static_cast<void>(found(m, tensor<int, shape<1, 2>>{{0, 2}})), // not that of (1, 0)
                         "tx: gather_nd: index 2 is out of bounds for axis 1 with size 2", tx::shape_error);
    // Extents that only the run knows: of no elements, and of more than places are looked up among.
    tensor<int, shape<tx::dyn, tx::dyn>> const empty(5, 0);
    CHECK(tx::function{found}(empty, tensor<int, shape<2, 1>>{{0}, {-5}}).dimensions() == tx::dims{{2, 0}, 2});
    CHECK_THROWS_WITH_AS(static_cast<void>(found(empty, tensor<int, shape<1, 1>>{{5}})),
                         "tx: gather_nd: index 5 is out of bounds for axis 0 with size 5", tx::shape_error);
    tensor<int, shape<tx::dyn>> const many = tx::arange<int>(100000);
    using column = tensor<int, shape<2, 1>>;
    CHECK(tx::equal(tx::function{found}(many, column{{99999}, {-100000}}), tensor<int, shape<2>>{99999, 0}));
    CHECK_THROWS_AS(static_cast<void>(tx::function{found}(many, column{{0}, {100000}})), tx::shape_error);
    CHECK_THROWS_AS(static_cast<void>(tx::function{found}(many, column{{-100001}, {0}})), tx::shape_error);
    tx::check_gradients([](auto const& x) { return tx::square(tx::gather_nd(x, square{{1, 0}, {1, 0}})); },
                        tensor<double, shape<2, 2>>{{0, 1}, {2, 3}});
}
TEST_CASE("scatter_nd") {
    // https://www.tensorflow.org/api_docs/python/tf/scatter_nd
    tensor<int, shape<4, 1>> const places{{4}, {3}, {1}, {7}};
    tensor<int, shape<4>> const updates{9, 10, 11, 12};
    CHECK(tx::equal(tx::scatter_nd(places, updates, shape<8>{}), tensor<int, shape<8>>{0, 11, 0, 10, 9, 0, 0, 12}));
    constexpr auto into = [](auto const& u) {
        return tx::scatter_nd(tensor<int, shape<3, 2>>{{0, 1}, {1, 1}, {0, 1}}, u, shape<2, 2>{});
    };
    check_in_all_forms(into, tensor<double, shape<2, 2>>{{0, 7}, {0, 2}}, 0, 0, tensor<double, shape<3>>{3, 2, 4});
    // https://www.tensorflow.org/api_docs/python/tf/tensor_scatter_nd_update
    tensor<int, shape<2, 1>> const rows{{1}, {3}};
    auto const changed = tx::scatter_nd_set(tensor<int, shape<8>>{}, tensor<int, shape<4, 1>>{{1}, {3}, {4}, {7}}, updates);
    CHECK(tx::equal(changed, tensor<int, shape<8>>{0, 9, 0, 10, 11, 0, 0, 12}));
    tensor<double, shape<4, 2>> const x{{1, 2}, {3, 4}, {5, 6}, {7, 8}};
    tensor<double, shape<2, 2>> const u{{10, 20}, {30, 40}};
    constexpr auto set = [](auto const& a, auto const& i, auto const& v) { return tx::scatter_nd_set(a, i, v); };
    constexpr auto add = [](auto const& a, auto const& i, auto const& v) { return tx::scatter_nd_add(a, i, v); };
    constexpr auto set_rows = [](auto const& a, auto const& v) {
        return tx::scatter_nd_set(a, tensor<int, shape<2, 1>>{{1}, {3}}, v);
    };
    check_in_all_forms(set_rows, tensor<double, shape<4, 2>>{{1, 2}, {10, 20}, {5, 6}, {30, 40}}, 0, 0, x, u);
    CHECK(tx::equal(add(x, rows, u), tensor<double, shape<4, 2>>{{1, 2}, {13, 24}, {5, 6}, {37, 48}}));
    CHECK(tx::equal(tx::function{add}(with_open_extents(x), rows, u),
                    tensor<double, shape<4, 2>>{{1, 2}, {13, 24}, {5, 6}, {37, 48}}));
    tensor<int, shape<2, 2>> const both{{3, 1}, {0, 0}};
    CHECK(tx::equal(tx::function{add}(with_open_extents(x), both, tensor<double, shape<2>>{100, 200}),
                    tensor<double, shape<4, 2>>{{201, 2}, {3, 4}, {5, 6}, {7, 108}}));
    CHECK(tx::equal(set(x, tensor<int, shape<1, 0>>{}, tx::expand_dims<0>(x * 2)), x * 2));
    CHECK_THROWS_AS(static_cast<void>(add(x, tensor<int, shape<1, 2>>{{0, 2}}, tensor<double, shape<1>>{1})), tx::shape_error);
    tx::check_gradients([&](auto const& a, auto const& v) { return tx::square(tx::scatter_nd_add(a, rows, v)); }, x, u);
    tx::check_gradients([&](auto const& a, auto const& v) { return tx::square(tx::scatter_nd_set(a, rows, v)); }, x, u);
}
TEST_CASE("reverse_sequence") {
    // https://www.tensorflow.org/api_docs/python/tf/reverse_sequence
    tensor<int, shape<4, 8>> const x{
        {1, 2, 3, 4, 5, 0, 0, 0}, {1, 2, 0, 0, 0, 0, 0, 0}, {1, 2, 3, 4, 0, 0, 0, 0}, {1, 2, 3, 4, 5, 6, 7, 8}};
    tensor<int, shape<4>> const lengths{7, 2, 3, 5};
    tensor<int, shape<4, 8>> const wanted{
        {0, 0, 5, 4, 3, 2, 1, 0}, {2, 1, 0, 0, 0, 0, 0, 0}, {3, 2, 1, 4, 0, 0, 0, 0}, {5, 4, 3, 2, 1, 6, 7, 8}};
    constexpr auto reversed = [](auto const& a, auto const& n) { return tx::reverse_sequence(a, n, tx::axis<1>); };
    check_in_all_forms(reversed, wanted, 0, 0, x, lengths);
    check_open_rank(reversed, wanted, 0, 0, x, lengths);
    CHECK(tx::equal(tx::reverse_sequence(tx::matrix_transpose(x), lengths, tx::axis<0, -1>), tx::matrix_transpose(wanted)));
    CHECK_THROWS_AS(static_cast<void>(reversed(x, tensor<int, shape<4>>{9, 0, 0, 0})), tx::shape_error);
    tx::check_gradients(
        [&](auto const& a) { return tx::square(tx::reverse_sequence(a, tensor<int, shape<2>>{2, 3}, tx::axis<1>)); },
        tensor<double, shape<2, 3>>{{0, 1, 2}, {3, 4, 5}});
}
