// This file tests row nests that overwrite what they read.
#include "in_place_checks.hpp"

using namespace in_place;

namespace {

// Rows of what a call stored, read by the loops of a nest; the last one stores over them.
struct scaled_rows {
    constexpr auto operator()(auto x) const {
        auto const sums = tx::cumsum(x, tx::axis<0>);
        return sums * tx::rsqrt(tx::mean(tx::square(sums), tx::axis<-1>, tx::keepdims) + 1e-5f);
    }
};
// The same where a loop of the nest meets a row from its end, and where the nest keeps one row for itself.
struct mirrored_rows {
    constexpr auto operator()(auto x) const {
        auto const sums = tx::cumsum(x, tx::axis<0>);
        auto const e = tx::exp(tx::flip(sums, tx::axis<-1>) - tx::max(sums, tx::axis<-1>, tx::keepdims));
        return sums + e / tx::sum(e, tx::axis<-1>, tx::keepdims);
    }
};

} // namespace

TEST_CASE("in place: rows of a nest") {
    static_assert(room<scaled_rows, matrix<40, 131>>() <= 64);
    static_assert(room<scaled_rows, tensor<float, shape<dyn, dyn>>>() <= 64);
    static_assert(room<mirrored_rows, matrix<40, 131>>() >= 40 * 131 * 4);
    auto const check_rows = [](auto const& x) {
        check<scaled_rows>(x);
        check<mirrored_rows>(x);
    };
    check_rows(numbers(matrix<40, 131>{}));
    check_rows(numbers(tensor<float, shape<dyn, dyn>>(matrix<40, 131>{})));
    check<scaled_rows>(numbers(matrix<400, 7>{}));
}
