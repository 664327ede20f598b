// This file holds programs of rows, for the host systems and for a GPU.
#pragma once

#include <tracexpr/trace/functions.hpp>

#include <tuple>

namespace tx::testing {

struct softmax_of_rows {
    constexpr auto operator()(auto x) const { return tx::softmax(x); }
};
// Rows that are kept in registers, with several values: stored ones, local ones, and one value for each row.
struct kept_rows {
    constexpr auto operator()(auto x) const {
        auto const e = tx::exp(x - tx::max(x, tx::axis<1>, tx::keepdims));
        auto const s = tx::sum(e, tx::axis<1>, tx::keepdims);
        auto const t = tx::tanh(tx::flip(e, tx::axis<1>) / s);
        return std::tuple(t - tx::max(t, tx::axis<1>, tx::keepdims), tx::log(s));
    }
};
struct normalized_rows {
    constexpr auto operator()(auto x, auto scale, auto shift) const {
        auto const centred = x - tx::mean(x, tx::axis<1>, tx::keepdims);
        auto const variance = tx::mean(tx::square(centred), tx::axis<1>, tx::keepdims);
        return centred * tx::rsqrt(variance + 1e-5f) * scale + shift;
    }
};

} // namespace tx::testing
