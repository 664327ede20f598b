// This file computes segments of tensors in memory, outside of traces and tapes, in one pass over the rows.
#pragma once

#include <tracexpr/arrays/segment_form.hpp>
#include <tracexpr/run/recording/recorder.hpp>
#include <tracexpr/trace/apply.hpp>

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

namespace tx::detail {

// Tells whether these are tensors whose elements this process has, and which no trace or tape sees. (Duals share derivatives in
// their own way, so they don't count.)
template <class... A> bool lie_in_memory(A const&... a) {
    if constexpr (!((tensor_type<A> && !is_dual(dtype_of_operand<A>)) && ...)) return false;
    else return !innermost_recorder && !innermost_trace && (tensor_access::identity(a).is_plain() && ...);
}

template <segment_result What, class W> constexpr W start_of_segment() {
    using limits = std::numeric_limits<W>;
    if constexpr (What == segment_result::product) return W(1);
    else if constexpr (What != segment_result::min && What != segment_result::max) return W{};
    else if constexpr (std::is_same_v<W, bool>) return What == segment_result::min;
    else if constexpr (limits::has_infinity) return What == segment_result::min ? limits::infinity() : -limits::infinity();
    else return What == segment_result::min ? limits::max() : limits::lowest();
}
template <segment_result What, class W> W joined_in_segment(W so_far, W next) {
    if constexpr (What == segment_result::product) {
        return static_cast<W>(so_far * next);
    } else if constexpr (What == segment_result::min) {
        return next < so_far || next != next ? next : so_far;
    } else if constexpr (What == segment_result::max) {
        return next > so_far || next != next ? next : so_far;
    } else {
        return static_cast<W>(so_far + next);
    }
}
// segment_number is the type in which results are computed.
template <segment_result What, class T> using segment_number =
    std::conditional_t<What == segment_result::min || What == segment_result::max,
                       std::conditional_t<(is_floating(dtype_of<T>) && size_in_bytes(dtype_of<T>) < 4), float, T>,
                       ctype<segment_sum_type(What, dtype_of<T>)>>;

// Joins each row into the segment that group(row) gives; rows whose segment is outside of 0 .. count - 1 are skipped.
template <segment_result What, class T, class W, class Group>
void join_rows(stored<T> const* from, std::int64_t rows, std::int64_t width, Group const& group, std::int64_t count, W* to) {
    for (std::int64_t i = 0; i < rows; ++i) {
        auto const segment = static_cast<std::uint64_t>(group(i));
        if (segment >= static_cast<std::uint64_t>(count)) continue;
        W* const own = to + static_cast<std::int64_t>(segment) * width;
        stored<T> const* const row = from + i * width;
        for (std::int64_t j = 0; j < width; ++j) own[j] = joined_in_segment<What>(own[j], static_cast<W>(row[j]));
    }
}
template <class Group> std::vector<std::int64_t> rows_of_segments(std::int64_t rows, Group const& group, std::int64_t count) {
    std::vector<std::int64_t> out(static_cast<std::size_t>(count), 0);
    for (std::int64_t i = 0; i < rows; ++i)
        if (auto const segment = static_cast<std::uint64_t>(group(i)); segment < static_cast<std::uint64_t>(count))
            ++out[segment];
    return out;
}
// Computes what segment_builder would record; `axes` tells how many first axes of values have groups.
template <segment_result What, class Result, class T, class Shape, class Group>
Result segments_in_memory(tensor<T, Shape> const& values, Group const& group, int axes, std::int64_t count) {
    using W = segment_number<What, T>;
    using to_type = typename Result::value_type;
    dims const d = values.dimensions();
    dims shape{{count}, 1};
    std::int64_t rows = 1, width = 1;
    for (int a = 0; a < d.rank; ++a)
        if (a < axes) rows *= d[a];
        else shape.push_back(d[a]), width *= d[a];
    auto out = Result::uninitialized(shape);
    auto* const to = out.mutable_data();
    auto const finish = [&](W* numbers) {
        for (std::int64_t i = 0; i < count * width; ++i) numbers[i] = start_of_segment<What, W>();
        join_rows<What, T>(values.data(), rows, width, group, count, numbers);
        if constexpr (What == segment_result::mean) {
            auto const sizes = rows_of_segments(rows, group, count);
            for (std::int64_t i = 0; i < count * width; ++i)
                if (std::int64_t const n = sizes[static_cast<std::size_t>(i / width)]; n > 0)
                    numbers[i] /= static_cast<ctype<real_part(dtype_of<W>)>>(n);
        }
    };
    if constexpr (std::is_same_v<W, stored<to_type>>) {
        finish(to);
    } else {
        std::vector<W> numbers(static_cast<std::size_t>(count * width));
        finish(numbers.data());
        for (std::size_t i = 0; i < numbers.size(); ++i) to[i] = to_type(numbers[i]);
    }
    return out;
}

} // namespace tx::detail
