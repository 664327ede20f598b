// This file gives each run memory for intermediate results, which the thread keeps for its next run. A run may start another one
// on the same thread, which gets a block of its own.
#pragma once

#include <tracexpr/base/config.hpp>
#include <tracexpr/base/per_thread.hpp>

#include <cstddef>
#include <memory>
#include <new>
#include <utility>
#include <vector>

namespace tx::detail {

// An arena_lease owns a block of the thread's memory for as long as it lives.
class arena_lease {
public:
    explicit arena_lease(std::size_t bytes) {
        arenas& all = of_this_thread();
        if (all.depth == all.blocks.size()) all.blocks.emplace_back();
        block& mine = all.blocks[all.depth];
        if (bytes > mine.bytes) {
            mine = {}; // The old block is freed before the new one is allocated.
            mine.memory.reset(static_cast<std::byte*>(::operator new(bytes, std::align_val_t{64})));
            mine.bytes = bytes;
        }
        memory_ = mine.memory.get();
        ++all.depth;
    }
    ~arena_lease() { --of_this_thread().depth; }
    arena_lease(arena_lease const&) = delete;
    arena_lease& operator=(arena_lease const&) = delete;

    std::byte* memory() const { return memory_; }

private:
    struct release {
        void operator()(std::byte* p) const { ::operator delete(p, std::align_val_t{64}); }
    };
    struct block {
        std::unique_ptr<std::byte, release> memory;
        std::size_t bytes = 0;
    };
    // The blocks of nested runs, with the outermost first.
    struct arenas {
        std::vector<block> blocks;
        std::size_t depth = 0;
    };
    static arenas& of_this_thread() { return per_thread<arenas>(); }

    std::byte* memory_ = nullptr;
};

} // namespace tx::detail
