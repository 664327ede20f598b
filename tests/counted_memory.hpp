// This file counts allocations. One file of a program includes it, because it replaces operator new.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>

namespace tx::testing {

inline std::atomic<long> allocations = 0;

inline void* counted(std::size_t bytes, std::size_t alignment) {
    ++allocations;
    void* const out = std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
    if (!out) throw std::bad_alloc();
    return out;
}

// Gives the allocations of a hundred calls, after a few first calls, which may allocate memory that is kept.
template <class Call> long allocations_in_steady_state(Call const& call, int first_calls = 2) {
    for (int i = 0; i < first_calls; ++i) call();
    long const before = allocations;
    for (int i = 0; i < 100; ++i) call();
    return allocations - before;
}

} // namespace tx::testing

[[gnu::noinline]] void* operator new(std::size_t bytes) { return tx::testing::counted(bytes ? bytes : 1, alignof(std::max_align_t)); }
[[gnu::noinline]] void* operator new(std::size_t bytes, std::align_val_t alignment) { return tx::testing::counted(bytes ? bytes : 1, static_cast<std::size_t>(alignment)); }
[[gnu::noinline]] void operator delete(void* at) noexcept { std::free(at); }
[[gnu::noinline]] void operator delete(void* at, std::size_t) noexcept { std::free(at); }
[[gnu::noinline]] void operator delete(void* at, std::align_val_t) noexcept { std::free(at); }
[[gnu::noinline]] void operator delete(void* at, std::size_t, std::align_val_t) noexcept { std::free(at); }
