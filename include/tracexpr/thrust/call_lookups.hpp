// This file holds take and take_along_axis on the device, which check that indices are within bounds.
#pragma once

#include <tracexpr/thrust/call_moves.hpp>
#include <tracexpr/thrust/reduced_numbers.hpp>

#include <concepts>
#include <string>

namespace tx::detail::inline TRACEXPR_DEVICE::calls {

// Gives the position for an index on an axis of n elements; a negative one counts from the end.
template <std::integral Index> TRACEXPR_HD constexpr std::int64_t position_of(Index index, std::int64_t n) {
    auto const at = static_cast<std::int64_t>(index);
    return std::is_signed_v<Index> && at < 0 ? at + n : at;
}

inline constexpr std::int64_t beyond_all = std::numeric_limits<std::int64_t>::max();
// Maps i to itself if indices[i] is out of bounds, and to beyond_all if not, so that the smallest result is the first bad index.
template <class Index> struct misplaced_index {
    Index const* indices;
    std::int64_t n;
    TRACEXPR_HD std::int64_t operator()(std::int64_t i) const {
        std::int64_t const at = position_of(indices[i], n);
        return at < 0 || at >= n ? i : beyond_all;
    }
};
struct smaller_number {
    TRACEXPR_HD std::int64_t operator()(std::int64_t a, std::int64_t b) const { return a < b ? a : b; }
};

} // namespace tx::detail::inline TRACEXPR_DEVICE::calls

namespace tx::detail::inline TRACEXPR_DEVICE {
// Throws shape_error (as simd::check_indices does) unless all indices, in device memory, are within the extent. It waits for the
// queue.
template <class Index> void check_device_indices(device_queue& queue, Index const* indices, std::int64_t count,
                                                 std::int64_t extent, int axis, char const* op_name) {
    if (count == 0) return;
    std::int64_t const first = calls::reduced_numbers<calls::smaller_number>(
        queue, count, calls::misplaced_index<Index>{indices, extent}, calls::beyond_all);
    if (first >= count) return;
    Index index{};
    queue.to_host(&index, indices + first, sizeof index);
    throw shape_error("tx: " + std::string(op_name) + ": index " + std::to_string(index) + " is out of bounds for axis " +
                      std::to_string(axis) + " with size " + std::to_string(extent));
}
} // namespace tx::detail::inline TRACEXPR_DEVICE

namespace tx::detail::inline TRACEXPR_DEVICE::calls {

// out(o, i, j) = in(o, indices[i], j), where j counts the words of a row. A call copies one word, whose number in `out` is i. (A
// divide replaces its first argument by the quotient and returns the remainder.)
template <int Bytes, class Index> struct take_rows {
    std::byte const* from;
    Index const* indices;
    std::byte* to;
    std::int64_t n, count, row; // the extent of the axis, the number of indices, and the words of a row
    TRACEXPR_HD void operator()(std::int64_t i) const {
        std::byte* const target = to + i * Bytes;
        std::int64_t const j = divide(i, row), k = divide(i, count);
        move_word<Bytes>(from + ((i * n + position_of(indices[k], n)) * row + j) * Bytes, target);
    }
};
// out(o, i, j) = in(o, indices(o, i, j), j). A call copies one element of `words` words, whose number in `out` is i.
template <int Bytes, class Index> struct take_elements {
    std::byte const* from;
    Index const* indices;
    std::byte* to;
    std::int64_t n, count, inner; // the extent of the axis in `from` and in `to`, and the elements behind the axis
    int words;
    TRACEXPR_HD void operator()(std::int64_t i) const {
        std::int64_t const at = position_of(indices[i], n);
        std::byte* const target = to + i * words * Bytes;
        std::int64_t const j = divide(i, inner);
        divide(i, count);
        std::byte const* const source = from + ((i * n + at) * inner + j) * words * Bytes;
        for (int k = 0; k < words; ++k) move_word<Bytes>(source + k * Bytes, target + k * Bytes);
    }
};

template <class Index> void take(device_queue& queue, simd::call_operand const& in, simd::call_operand const& indices,
                                 std::int64_t element_bytes, std::byte* out, int axis) {
    simd::detail::split_extents const s(in.extents, axis);
    std::int64_t const count = indices.extents.size();
    Index const* const at = simd::detail::elements<Index>(indices);
    check_device_indices(queue, at, count, s.along, axis, "take");
    std::int64_t const row = s.inner * element_bytes;
    with_word_bytes(std::min({word_at(in.data), word_at(out), word_dividing(row)}), [&](auto bytes) {
        for_each_index(queue, s.outer * count * row / bytes,
                       take_rows<decltype(bytes)::value, Index>{in.data, at, out, s.along, count, row / bytes});
    });
}
template <class Index> void take_along_axis(device_queue& queue, simd::call_operand const& in, simd::call_operand const& indices,
                                            std::int64_t element_bytes, std::byte* out, int axis) {
    simd::detail::split_extents const s(in.extents, axis);
    std::int64_t const count = indices.extents[axis], all = s.outer * count * s.inner;
    Index const* const at = simd::detail::elements<Index>(indices);
    check_device_indices(queue, at, all, s.along, axis, "take_along_axis");
    with_word_bytes(std::min({word_at(in.data), word_at(out), word_dividing(element_bytes)}), [&](auto bytes) {
        for_each_index(queue, all,
                       take_elements<decltype(bytes)::value, Index>{in.data, at, out, s.along, count, s.inner,
                                                                    static_cast<int>(element_bytes / bytes)});
    });
}

} // namespace tx::detail::inline TRACEXPR_DEVICE::calls
