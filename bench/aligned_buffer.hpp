// What all measured programs keep their numbers in.
#pragma once

#include <cstddef>
#include <new>
#include <vector>

namespace bench {

// Memory aligned to cache lines.
template <class T> struct line_allocator {
    using value_type = T;
    static constexpr std::align_val_t alignment{64};
    line_allocator() = default;
    template <class U> line_allocator(line_allocator<U> const&) {}
    T* allocate(std::size_t n) { return static_cast<T*>(::operator new(n * sizeof(T), alignment)); }
    void deallocate(T* p, std::size_t) { ::operator delete(p, alignment); }
    friend bool operator==(line_allocator, line_allocator) { return true; }
};
template <class T> using buffer = std::vector<T, line_allocator<T>>;

} // namespace bench
