// This file checks each op on one dtype, on 1 to 4 ranks, eager and traced, against plain loops over the operands of all ranks.
#pragma once

#include <collectives/ranks.hpp>

#include <complex>

namespace tx::testing {

// Gives small numbers, so that sums and products over all ranks are exact in every dtype.
template <class T> std::vector<T> operand(int rank, int count) {
    std::vector<T> out;
    for (int i = 0; i < count; ++i) {
        int const number = 1 + (5 * rank + 3 * i + rank * i) % 3;
        if constexpr (std::is_same_v<T, bool>) out.push_back(number > 1);
        else if constexpr (is_complex(dtype_of<T>))
            out.push_back({static_cast<typename T::value_type>(number), static_cast<typename T::value_type>(i % 2)});
        else out.push_back(static_cast<T>(static_cast<float>(number)));
    }
    return out;
}
inline bool is_of(dtype type, rank_op const& op) {
    bool const is_extreme = op.by == rank_reduction::max || op.by == rank_reduction::min;
    if (type == dtype::boolean) return !reduces(op.what) || (is_extreme && !op.is_mean);
    if (is_complex(type)) return !is_extreme;
    return !op.is_mean || is_floating(type);
}

template <class T> void check_values() {
    for (int size = 1; size <= 4; ++size) {
        for (int const row : {0, 1, 3}) {
            std::vector<std::vector<T>> all;
            for (int r = 0; r < size; ++r) all.push_back(operand<T>(r, row * size));
            on_ranks(size, [&](communicator const& c) {
                std::size_t const r = static_cast<std::size_t>(c.rank());
                auto const x = as_vector(all[r]);
                for (rank_op const& op : rank_ops(size)) {
                    if (!is_of(dtype_of<T>, op)) continue;
                    function const traced{[op, c](auto const& a) { return applied(op, a, c); }};
                    auto const wanted = expected(op, all, r);
                    CHECK_MESSAGE(same(elements_of(applied(op, x, c)), wanted), op.name(), " eager, rank ", r, " of ", size);
                    CHECK_MESSAGE(same(elements_of(traced(x)), wanted), op.name(), " traced, rank ", r, " of ", size);
                }
            });
        }
    }
}

} // namespace tx::testing
