// This file tests the main functions of arrays in static functions, and one gradient.
#include <tracexpr/arrays.hpp>

#include <doctest/doctest.h>

namespace {

using tx::shape, tx::tensor;
using vec = tensor<float, shape<4>>;
using ids = tensor<int, shape<4>>;
constexpr auto sums = [](auto x, auto i) { return tx::segment_sum<2>(x, i); };
constexpr auto most = [](auto x, auto i) { return tx::segment_max<2>(x, i); };
constexpr auto found = [](auto x, auto i) { return tx::gather_nd(x, i); };
constexpr auto put_in = [](auto x) { return tx::insert<1>(x, 9.0f); };
constexpr auto gradient = tx::grad([](auto x, auto i) { return tx::sum(tx::square(tx::segment_max<2>(x, i))); });

} // namespace

TEST_CASE("arrays: static functions") {
    vec const x{3, 1, 3, 2};
    ids const i{0, 1, 0, 1};
    CHECK(tx::equal(tx::static_function{sums}(x, i), tensor<float, shape<2>>{6, 3}));
    CHECK(tx::equal(tx::static_function{most}(x, i), tensor<float, shape<2>>{3, 2}));
    CHECK(tx::equal(tx::static_function{found}(x, tensor<int, shape<2, 1>>{{3}, {1}}), tensor<float, shape<2>>{2, 1}));
    CHECK(tx::equal(tx::static_function{put_in}(x), tensor<float, shape<5>>{3, 9, 1, 3, 2}));
    CHECK(tx::equal(tx::static_function{gradient}(x, i), vec{3, 0, 3, 4}));
    static_assert(tx::tril_indices<3>().first.size() == 6);
}
