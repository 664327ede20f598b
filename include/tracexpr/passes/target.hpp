// This file holds the properties of a processor on which the best way to run a loop depends.
#pragma once

#include <tracexpr/base/dtype.hpp>
#include <tracexpr/passes/options.hpp>

#include <limits>

namespace tx {

struct plan_target {
    int register_bytes;                                  // bytes of a vector
    int registers;                                       // for vectors
    int short_row_cost = 64;                             // cost of all vectors of a row up to which it is fully unrolled
    std::int64_t small_products = 512;                   // vector multiplications; larger products are not worth the code
    std::int64_t streamed_bytes = std::int64_t{1} << 25; // a loop that stores as much leaves little of it in the caches
    // of a larger buffer only the last elements that were used are in the cache
    std::int64_t cached_bytes = std::int64_t{1} << 18;
    std::int64_t block_bytes = std::int64_t{1} << 16; // bytes of a block's values: they stay in the first caches
    std::int64_t least_work = 100'000;                // instructions on elements; for less work it isn't worth waking a thread

    constexpr int lanes(dtype t) const { return register_bytes / static_cast<int>(size_in_bytes(t)); }
};

inline namespace TRACEXPR_TARGET {

// The processor that this file is compiled for. Executors check that their vectors have this size.
inline constexpr plan_target this_processor{
#if defined(__AVX512F__)
    .register_bytes = 64, .registers = 32
#elif defined(__AVX__)
    .register_bytes = 32, .registers = 16
#elif defined(__aarch64__)
    .register_bytes = 16, .registers = 32
#else
    .register_bytes = 16, .registers = 16
#endif
};

// This is a device with a thread for each point: it has no vectors, and whether one loop's values are still cached for the next
// is chance.
inline constexpr plan_target for_points{.register_bytes = 16,
                                        .registers = 32,
                                        .small_products = 0,
                                        .streamed_bytes = std::numeric_limits<std::int64_t>::max(),
                                        .cached_bytes = std::numeric_limits<std::int64_t>::max()};

constexpr plan_target const& target_of(pass_options const& options) { return options.points ? for_points : this_processor; }

} // namespace TRACEXPR_TARGET
} // namespace tx
