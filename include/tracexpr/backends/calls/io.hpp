// This file holds the addresses of what a run reads and writes, in the order of the graph's parameters and outputs.
#pragma once

#include <tracexpr/base/config.hpp>

namespace tx::detail {

struct io {
    void const* const* arguments;
    void* const* outputs;
};

} // namespace tx::detail

namespace tx::inline TRACEXPR_TARGET::simd {
using tx::detail::io;
} // namespace tx::inline TRACEXPR_TARGET::simd
