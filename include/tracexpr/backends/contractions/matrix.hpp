// This file holds the strided view of a matrix that the matrix products take, and the memory for packed copies.
#pragma once

#include <tracexpr/base/config.hpp>
#include <tracexpr/base/per_thread.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>

namespace tx::inline TRACEXPR_TARGET::simd {

// A matrix in memory: element (i, j) is data[i * row_stride + j * column_stride].
template <class T> struct strided_matrix {
    T const* data;
    std::int64_t row_stride;
    std::int64_t column_stride;

    TRACEXPR_INLINE T const* at(std::int64_t row, std::int64_t column) const {
        return data + row * row_stride + column * column_stride;
    }
    TRACEXPR_INLINE strided_matrix from(std::int64_t row, std::int64_t column) const {
        return {at(row, column), row_stride, column_stride};
    }
    TRACEXPR_INLINE strided_matrix transposed() const { return {data, column_stride, row_stride}; }
};

namespace detail {

// Memory that a thread keeps between calls. It only grows.
class scratch_memory {
public:
    template <class T> T* get(std::int64_t elements) {
        std::size_t const bytes = static_cast<std::size_t>(elements) * sizeof(T);
        if (bytes > capacity_) {
            memory_.reset(); // the old memory is freed first, so that the two never exist together
            capacity_ = 0;
            memory_.reset(static_cast<std::byte*>(::operator new(bytes, std::align_val_t{64})));
            capacity_ = bytes;
        }
        return reinterpret_cast<T*>(memory_.get());
    }

private:
    struct release {
        void operator()(std::byte* memory) const { ::operator delete(memory, std::align_val_t{64}); }
    };
    std::unique_ptr<std::byte, release> memory_;
    std::size_t capacity_ = 0;
};
} // namespace detail

} // namespace tx::inline TRACEXPR_TARGET::simd
