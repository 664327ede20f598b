// This file computes the constants of a traced function when a call first needs them.
#pragma once

#include <tracexpr/backends/static_executor.hpp>
#include <tracexpr/run/kept_constants.hpp>

#include <memory>
#include <vector>

namespace tx::detail::inline TRACEXPR_TARGET {

// The constants stay until the program ends, because calls may need them.
template <class Constants> TRACEXPR_NOINLINE void* const* computed_constants() {
    static constexpr graph_view g = Constants::graph();
    static void* const* const all = [] {
        struct outputs {
            void* of[g.outputs.size()]{};
            ~outputs() {
                for (void* const elements : of) ::operator delete(elements, std::align_val_t{64});
            }
        };
        auto out = std::make_unique<outputs>();
        for (std::size_t k = 0; k < g.outputs.size(); ++k) {
            std::int64_t const bytes =
                g.shape_of(g.outputs[k]).size() * static_cast<std::int64_t>(size_in_bytes(g[g.outputs[k]].type));
            out->of[k] = ::operator new(static_cast<std::size_t>(bytes) + 1, std::align_val_t{64});
        }
        // The memory is not the thread's arena, because the call that asks may be about to use that.
        std::vector<std::byte> memory(static_cast<std::size_t>(Constants::plan().arena_bytes[0]) + 64);
        auto const misplaced = reinterpret_cast<std::uintptr_t>(memory.data()) % 64;
        simd::detail::run_in<Constants, simd::default_arch>(Constants::plan(), {nullptr, out->of},
                                                            memory.data() + (64 - misplaced) % 64);
        return out.release()->of;
    }();
    return all;
}

} // namespace tx::detail::inline TRACEXPR_TARGET
