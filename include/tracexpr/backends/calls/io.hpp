// What a run reads and writes, in the order of the graph's parameters and outputs.
#pragma once

#include <tracexpr/base/config.hpp>

namespace tx::inline TRACEXPR_TARGET::simd {

struct io {
    void const* const* arguments;
    void* const* outputs;
};

} // namespace tx::inline TRACEXPR_TARGET::simd
