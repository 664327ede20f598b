// This file tests products of segments.
#include <tracexpr/arrays.hpp>

#include <family_checks.hpp>

#include <cstdint>

namespace {

using tx::shape, tx::tensor;
using ids4 = tensor<int, shape<4>>;
tensor<double, shape<4, 2>> const x{{3, -1}, {0.5, 2}, {3, -1}, {1, 7}};
constexpr auto products = [](auto const& v, auto const& i) { return tx::segment_prod<3>(v, i); };

} // namespace

TEST_CASE("segments: products") {
    tensor<double, shape<3, 2>> const wanted{{1, 7}, {4.5, 2}, {1, 1}};
    tx::testing::check_in_all_forms(products, wanted, 1e-15, 0, x, ids4{1, 1, 1, 0});
    tx::testing::check_open_rank(products, wanted, 1e-15, 0, x, ids4{1, 1, 1, 0});
    CHECK(tx::equal(products(tensor<std::int8_t, shape<3>>{100, 100, 3}, tensor<int, shape<3>>{2, 2, -1}),
                    tensor<std::int64_t, shape<3>>{1, 1, 10000}));
    CHECK(tx::equal(products(tensor<double, shape<0>>{}, tensor<int, shape<0>>{}), tensor<double, shape<3>>{1, 1, 1}));
    // A factor of 0 leaves the derivative with respect to it.
    auto const at_zero = tx::grad([](auto const& v) { return tx::sum(tx::segment_prod<1>(v, ids4{0, 0, 9, 0})); })(
        tensor<double, shape<4>>{2, 0, 5, 3});
    CHECK(tx::equal(at_zero, tensor<double, shape<4>>{0, 6, 0, 0}));
    tx::check_gradients([](auto const& v) { return tx::segment_prod<2>(v, ids4{1, 0, 1, 5}); }, x);
}
