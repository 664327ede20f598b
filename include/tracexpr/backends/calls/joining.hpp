// Joining and padding: elements are copied, in runs as long as they lie side by side, from strided views into parts of a result.
#pragma once

#include <tracexpr/backends/calls/gather.hpp>
#include <tracexpr/backends/calls/operands.hpp>
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

// A piece of the result at a time, which stays in the cache while each operand fills its part.
template <class T> void concatenate(table_view<call_operand> operands, T* out, dims const& extents, int along) {
    auto const steps = row_major_strides(extents);
    auto const step = [&](int axis) { return steps[static_cast<std::size_t>(axis)]; };
    constexpr std::int64_t kept = 4096;
    int cut = along - 1; // the axis that pieces are cut along
    while (cut > 0 && step(cut - 1) <= kept) --cut;
    std::int64_t const rows = cut >= 0 ? extents[cut] : 1, together = cut >= 0 ? kept / (step(cut) + 1) + 1 : 1;
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
                if (part.size() > 0) run_copy(strided_copy(part, o.strides, steps.data()), from, to);
                to += o.extents[along] * step(along);
            }
        }
}

template <class T> void pad(call_operand const& in, T value, T* out, dims const& extents, table_view<std::int64_t> widths) {
    std::fill(out, out + extents.size(), value);
    auto const steps = row_major_strides(extents);
    std::int64_t start = 0;
    for (int axis = 0; axis < extents.rank; ++axis)
        start += widths[2 * static_cast<std::size_t>(axis)] * steps[static_cast<std::size_t>(axis)];
    if (in.extents.size() > 0) run_copy(strided_copy(in.extents, in.strides, steps.data()), elements<T>(in), out + start);
}

} // namespace tx::inline TRACEXPR_TARGET::simd::detail
