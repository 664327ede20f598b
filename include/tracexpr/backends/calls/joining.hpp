// This file runs concatenation and padding: elements are copied from strided views into parts of the result, in runs that are as
// long as they are contiguous. Parts that a plan has put into the result already (passes/parts.hpp) are not copied.
#pragma once

#include <tracexpr/backends/calls/gather.hpp>
#include <tracexpr/backends/calls/operands.hpp>
#include <tracexpr/backends/loops/transpose.hpp>
#include <tracexpr/base/strided_copy.hpp>

#include <algorithm>

namespace tx::inline TRACEXPR_TARGET::simd::detail {

using tx::detail::strided_copy;

template <class T> void run_copy(strided_copy const& copy, T const* from, T* to) {
    with_length(copy.run, [&](auto length) {
        strided_copy::axis const row = copy.rank ? copy.axes[0] : strided_copy::axis{1, 0, 0};
        for (std::int64_t first = 0, all = copy.pieces(); first < all; first += row.count) {
            strided_copy::axis const at = copy.piece(first);
            for (std::int64_t k = 0; k < row.count; ++k)
                copy_elements(from + at.from + k * row.from, length, to + at.to + k * row.to);
        }
    });
}

// True if all operands have extent 1 along the last axis, on which they are joined, and contiguous elements.
constexpr bool are_columns(table_view<call_operand> operands, int along) {
    for (call_operand const& o : operands) {
        if (along == 0 || along + 1 != o.extents.rank || o.extents[along] != 1) return false;
        std::int64_t step = 1;
        for (int axis = along; axis-- > 0; step *= o.extents[axis])
            if (o.extents[axis] != 1 && o.strides[axis] != step) return false;
    }
    return operands.size() > 1;
}
template <class T> void join_columns(table_view<call_operand> operands, T* out) {
    constexpr std::size_t together = 64;
    std::int64_t const count = static_cast<std::int64_t>(operands.size());
    for (std::size_t first = 0; first < operands.size(); first += together) {
        T const* columns[together];
        std::size_t const here = std::min(together, operands.size() - first);
        for (std::size_t k = 0; k < here; ++k) columns[k] = elements<T>(operands[first + k]);
        interleave(operands[0].extents.size(), static_cast<std::int64_t>(here), columns, out + first, count);
    }
}

// Concatenates piece by piece: a piece of the result stays in the cache while each operand fills its part of it.
template <class T> void concatenate(table_view<call_operand> operands, T* out, dims const& extents, int along) {
    if (are_columns(operands, along)) return join_columns(operands, out);
    auto const steps = row_major_strides(extents);
    auto const step = [&](int axis) { return steps[static_cast<std::size_t>(axis)]; };
    constexpr std::int64_t cached_elements = 4096;
    int cut = along - 1; // the pieces are cut along this axis
    while (cut > 0 && step(cut - 1) <= cached_elements) --cut;
    std::int64_t const rows = cut >= 0 ? extents[cut] : 1, together = cut >= 0 ? cached_elements / (step(cut) + 1) + 1 : 1;
    std::int64_t before = 1;
    for (int axis = 0; axis < cut; ++axis) before *= extents[axis];
    for (std::int64_t outer = 0; outer < before; ++outer)
        for (std::int64_t first = 0; first < rows; first += together) {
            T* to = out;
            std::int64_t index[max_rank]{}, rest = outer;
            for (int axis = cut - 1; axis >= 0; rest /= extents[axis--]) index[axis] = rest % extents[axis];
            if (cut >= 0) index[cut] = first;
            for (int axis = 0; axis <= cut; ++axis) to += index[axis] * step(axis);
            for (call_operand const& o : operands) {
                dims part = o.extents;
                T const* from = elements<T>(o);
                for (int axis = 0; axis <= cut; ++axis) {
                    from += index[axis] * o.strides[axis];
                    part[axis] = axis < cut ? 1 : std::min(together, rows - first);
                }
                if (part.size() > 0 && from != to) run_copy(strided_copy(part, o.strides, steps.data()), from, to);
                to += o.extents[along] * step(along);
            }
        }
}

// Calls run(first, count) for each run of contiguous elements outside of a box of a row-major tensor, in order. `steps` are the
// tensor's strides.
template <class Run> void for_each_run_around(dims const& whole, std::int64_t const* steps, std::int64_t const* start,
                                              dims const& box, Run const& run, int axis = 0, std::int64_t at = 0) {
    std::int64_t const step = steps[axis], first = start[axis], last = first + box[axis];
    if (first > 0) run(at, first * step);
    for (std::int64_t i = first; i < last && axis + 1 < whole.rank; ++i)
        for_each_run_around(whole, steps, start, box, run, axis + 1, at + i * step);
    if (last < whole[axis]) run(at + last * step, (whole[axis] - last) * step);
}

template <class T> void pad(call_operand const& in, T value, T* out, dims const& extents, table_view<std::int64_t> widths) {
    auto const steps = row_major_strides(extents);
    std::int64_t start = 0, first[max_rank]{};
    for (int axis = 0; axis < extents.rank; ++axis) {
        first[axis] = widths[2 * static_cast<std::size_t>(axis)];
        start += first[axis] * steps[static_cast<std::size_t>(axis)];
    }
    if (in.extents.size() == 0) return static_cast<void>(std::fill(out, out + extents.size(), value));
    bool const is_there = elements<T>(in) == out + start;
    // Where rows are short, filling the whole result with the value is faster than filling around each of them.
    constexpr std::int64_t short_row = 64;
    if (extents.rank > 0 && (is_there || in.extents[extents.rank - 1] >= short_row))
        for_each_run_around(extents, steps.data(), first, in.extents,
                            [&](std::int64_t at, std::int64_t count) { std::fill_n(out + at, count, value); });
    else std::fill(out, out + extents.size(), value);
    if (!is_there) run_copy(strided_copy(in.extents, in.strides, steps.data()), elements<T>(in), out + start);
}

} // namespace tx::inline TRACEXPR_TARGET::simd::detail
