// This file tests functions that create tensors. Expected values are NumPy's, for x = np.array([[1, 2, 3], [4, 5, 6]],
// np.float32): np.tril(x, -1), np.diag(v, 1), np.meshgrid(v, w), ...
#include "trace_helper.hpp"

#include <tracexpr/trace/creation.hpp>

using namespace trace_test;
using tx::dyn;

namespace {
tx::tensor<float, tx::shape<2, 3>> const x{{1, 2, 3}, {4, 5, 6}};
tx::tensor<float, tx::shape<2>> const v{7, 8};
tx::tensor<std::int32_t, tx::shape<3>> const w{1, 0, 5};
using i64 = tx::tensor<std::int64_t>;
} // namespace

TEST_CASE("creation: the like-forms") {
    check([](auto const& a) { return tx::zeros_like(a); }, tx::tensor<float>{{0, 0, 0}, {0, 0, 0}}, x);
    check([](auto const& a) { return tx::ones_like(a); }, tx::tensor<std::int32_t>{1, 1, 1}, w);
    check([](auto const& a) { return tx::full_like(a, 2.5); }, tx::tensor<float>{2.5, 2.5}, v);
    check([](auto const& a, auto const& b) { return tx::full_like(a, b); }, tx::tensor<float>{3, 3}, v, tx::tensor<double, tx::shape<>>(3.0));
    auto const columns = [](auto const& a) { return tx::iota_like(a, tx::axis<-1>); };
    static_assert(gives<ints<2, 3>, floats<2, 3>>(columns));
    check(columns, i64{{0, 1, 2}, {0, 1, 2}}, x);
    check([](auto const& a) { return tx::iota_like<float>(a); }, tx::tensor<float>{{0, 0, 0}, {1, 1, 1}}, x);
}

TEST_CASE("creation: one_hot") {
    auto const three = [](auto const& i) { return tx::one_hot(i, tx::depth<3>); };
    static_assert(gives<floats<4, 3>, ints<4>>(three));
    check(three, tx::tensor<float>{{0, 1, 0}, {1, 0, 0}, {0, 0, 0}}, w);
    check([](auto const& i) { return tx::one_hot<std::int8_t>(i, tx::depth<2>, 5, -1); }, tx::tensor<std::int8_t>{{-1, 5}, {5, -1}, {-1, -1}}, w);
}

TEST_CASE("creation: triangles and diagonals") {
    check([](auto const& a) { return tx::tril(a); }, tx::tensor<float>{{1, 0, 0}, {4, 5, 0}}, x);
    check([](auto const& a) { return tx::tril<-1>(a); }, tx::tensor<float>{{0, 0, 0}, {4, 0, 0}}, x);
    check([](auto const& a) { return tx::triu<1>(a); }, tx::tensor<float>{{0, 2, 3}, {0, 0, 6}}, x);
    check([](auto const& a) { return tx::triu(a); }, tx::tensor<bool>{{{true, true}, {false, true}}}, tx::tensor<bool, tx::shape<1, 2, 2>>{{{true, true}, {true, true}}});
    auto const above = [](auto const& a) { return tx::diag<1>(a); };
    static_assert(gives<floats<3, 3>, floats<2>>(above) && gives<floats<dyn, dyn>, floats<dyn>>(above) && gives<floats<2>, floats<2, 3>>(above));
    check(above, tx::tensor<float>{{0, 7, 0}, {0, 0, 8}, {0, 0, 0}}, v);
    check([](auto const& a) { return tx::diag(a); }, tx::tensor<float>{{7, 0}, {0, 8}}, v);
    check([](auto const& a) { return tx::diag<-1>(a); }, tx::tensor<float>{{0, 0, 0}, {7, 0, 0}, {0, 8, 0}}, v);
    check(above, tx::tensor<float>{2, 6}, x);
}

TEST_CASE("creation: meshgrid") {
    auto const grid = [](auto const&... a) { return tx::meshgrid(a...); };
    std::tuple const wanted{tx::tensor<float>{{7, 8}, {7, 8}, {7, 8}}, tx::tensor<std::int32_t>{{1, 1}, {0, 0}, {5, 5}}};
    check_all<as_given>(grid, wanted, v, w);
    check_all<open_extents>(grid, wanted, v, w);
    check_all<open_rank>(grid, wanted, v, w);
    std::tuple const in_order{tx::tensor<float>{{7, 7, 7}, {8, 8, 8}}, tx::tensor<std::int32_t>{{1, 0, 5}, {1, 0, 5}}};
    check_all<as_given>([](auto const&... a) { return tx::meshgrid(tx::ij, a...); }, in_order, v, w);
    static_assert(std::is_same_v<decltype(grid(std::declval<floats<2>>(), std::declval<floats<3>>(), std::declval<floats<4>>())),
                                 std::tuple<floats<3, 2, 4>, floats<3, 2, 4>, floats<3, 2, 4>>>);
}
