// This file computes the places between which a strided copy moves elements.
#pragma once

#include <tracexpr/base/shape.hpp>

namespace tx::detail {

// strided_copy is a copy from one strided place to another: one axis at a time, in runs of elements that are contiguous in both.
struct strided_copy {
    struct axis {
        std::int64_t count, from, to; // The steps are in elements.
    };
    std::int64_t run = 1;
    int rank = 0;
    axis axes[max_rank]{}; // the innermost first

    constexpr strided_copy(dims const& extents, std::int64_t const* from, std::int64_t const* to) {
        for (int k = extents.rank - 1; k >= 0; --k) {
            if (extents[k] == 1) continue;
            axis const next{extents[k], from[k], to[k]};
            std::int64_t const from_end = rank ? axes[rank - 1].count * axes[rank - 1].from : run,
                               to_end = rank ? axes[rank - 1].count * axes[rank - 1].to : run;
            if (next.from != from_end || next.to != to_end) axes[rank++] = next;
            else if (rank) axes[rank - 1].count *= next.count;
            else run *= next.count;
        }
    }
    constexpr std::int64_t pieces() const {
        std::int64_t out = 1;
        for (int k = 0; k < rank; ++k) out *= axes[k].count;
        return out;
    }
    // Gives the places of piece `number`.
    constexpr axis piece(std::int64_t number) const {
        axis at{run, 0, 0};
        for (int k = 0; k < rank; number /= axes[k++].count) {
            at.from += number % axes[k].count * axes[k].from;
            at.to += number % axes[k].count * axes[k].to;
        }
        return at;
    }
};

} // namespace tx::detail
