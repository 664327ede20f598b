// Allocations that fail when a test says so. For one file of a program: it replaces operator new.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <new>

namespace tx::testing {

// Allocations until one fails; negative: none does.
inline thread_local int until_failure = -1;

inline void* allocate(std::size_t bytes, std::size_t alignment) {
    if (until_failure >= 0 && until_failure-- == 0) throw std::bad_alloc();
    void* const out = std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
    if (!out) throw std::bad_alloc();
    return out;
}

// Calls f until none of its allocations fails; `after` after each.
template <class F, class After> int fail_everywhere(F const& f, After const& after) {
    for (int k = 0;; ++k) {
        bool failed = false;
        until_failure = k;
        try {
            f();
        } catch (std::bad_alloc const&) {
            failed = true;
        }
        until_failure = -1;
        after(failed);
        if (!failed) return k;
    }
}

} // namespace tx::testing

[[gnu::noinline]] void* operator new(std::size_t bytes) { return tx::testing::allocate(bytes, alignof(std::max_align_t)); }
[[gnu::noinline]] void* operator new(std::size_t bytes, std::align_val_t alignment) { return tx::testing::allocate(bytes, static_cast<std::size_t>(alignment)); }
[[gnu::noinline]] void operator delete(void* at) noexcept { std::free(at); }
[[gnu::noinline]] void operator delete(void* at, std::size_t) noexcept { std::free(at); }
[[gnu::noinline]] void operator delete(void* at, std::align_val_t) noexcept { std::free(at); }
[[gnu::noinline]] void operator delete(void* at, std::size_t, std::align_val_t) noexcept { std::free(at); }
