// This file tests pointwise steps that overwrite what they read: how much memory values take, and that none is read after it was
// overwritten.
#include "in_place_checks.hpp"

using namespace in_place;

namespace {

// A call, whose result is read twice; exponentials, which are read twice; the result.
struct softmax_of_sums {
    constexpr auto operator()(auto x) const {
        auto const sums = tx::cumsum(x, tx::axis<0>);
        auto const e = tx::exp(sums - tx::max(sums));
        return e / tx::sum(e);
    }
};
// The same read in another order, which a loop may not write over.
struct backwards {
    constexpr auto operator()(auto x) const {
        auto const sums = tx::cumsum(x, tx::axis<0>);
        auto const e = tx::exp(tx::flip(sums) - tx::max(sums));
        return e / tx::sum(e);
    }
};
// So many instructions that the last vectors of a row are computed together with others, some of them twice.
struct long_chain {
    constexpr auto operator()(auto x) const {
        auto const sums = tx::cumsum(x, tx::axis<0>);
        return tx::tanh(tx::sin(sums - tx::max(sums)) * 2) - tx::exp(sums);
    }
};

} // namespace

TEST_CASE("in place: a value lies where the one lay that it is made from, the last where the result will be") {
    static_assert(room<softmax_of_sums, row<4096>>() <= 4 * 64);
    static_assert(room<softmax_of_sums, matrix<64, 64>>() <= 4 * 64);
    static_assert(room<backwards, row<4096>>() >= 4096 * 4);
    static_assert(room<softmax_of_sums, row<4099>>() <= 4 * 64); // whose last vector is cut
    static_assert(room<softmax_of_sums, tensor<float, shape<dyn>>>() <= 4 * 64);
    static_assert(room<long_chain, row<4096>>() <= 4 * 64);
    check_shapes<softmax_of_sums>();
    check<long_chain>(numbers(row<4096>{}));
    check<long_chain>(numbers(row<4160>{}));
    check<long_chain>(numbers(row<4171>{}));
    check<long_chain>(numbers(tensor<float, shape<dyn>>(row<4171>{})));
    check<long_chain>(numbers(tensor<float, shape<dyn>>(row<3>{})));
    check<long_chain>(numbers(tensor<float, shape<dyn>>(row<4160>{})));
    check_shapes<backwards>();
    check<softmax_of_sums>(numbers(row<200'000>{}));
    check<softmax_of_sums>(numbers(tensor<float, shape<dyn, 128>>(matrix<40, 128>{})));
}
