// Sorts of rows on a device: by digits of 32 bits, the last of which is the row. One sort of numbers serves all dtypes.
#pragma once

#include <tracexpr/backends/calls/sort_keys.hpp>
#include <tracexpr/thrust/call_updates.hpp>

namespace tx::detail::inline TRACEXPR_DEVICE::calls {

// Rows along an axis of n elements.
template <class T> struct rows_to_sort {
    using value = typename simd::detail::sorted_by<T>::type;
    using rule = simd::detail::key_rule<value>;
    using key = typename rule::key;
    T const* in;
    std::int64_t n, inner, rows;
    key flipped; // all bits where the order descends

    // Element `number` of all, which are counted row by row.
    TRACEXPR_HD T const& at(std::int64_t number) const {
        std::int64_t const place = divide(number, n), j = divide(number, inner);
        return in[(number * n + place) * inner + j];
    }
    template <bool ZerosAreEqual> TRACEXPR_HD key key_at(std::int64_t number) const {
        return rule::template of<ZerosAreEqual>(simd::detail::sorted_by<T>::value(at(number))) ^ flipped;
    }
};

// Notes a digit of the elements in the order so far: 0, 1 of keys of 64 bits, 2 for the row. Digit 0 begins, and notes the order.
template <class T, bool ZerosAreEqual> struct note_digit {
    rows_to_sort<T> rows;
    sorted_number *keys, *numbers;
    int digit;
    TRACEXPR_HD void operator()(std::int64_t i) const {
        std::int64_t const number = digit == 0 ? i : numbers[i];
        if (digit == 0) numbers[i] = static_cast<sorted_number>(i);
        if (digit == 2) keys[i] = static_cast<sorted_number>(number / rows.n);
        else keys[i] = static_cast<sorted_number>(std::uint64_t{rows.template key_at<ZerosAreEqual>(number)} >> 32 * digit);
    }
};
// Writes the first `count` places of each row in their order.
template <class T> struct write_places {
    rows_to_sort<T> rows;
    sorted_number const* numbers;
    std::int64_t count;
    std::int64_t* out;
    TRACEXPR_HD void operator()(std::int64_t i) const {
        std::int64_t const j = divide(i, rows.inner), place = divide(i, count), row = i * rows.inner + j;
        out[(i * count + place) * rows.inner + j] = numbers[row * rows.n + place] - row * rows.n;
    }
};
// Writes all elements of each row in their order.
template <class T> struct write_sorted {
    rows_to_sort<T> rows;
    sorted_number const* numbers;
    T* out;
    TRACEXPR_HD void operator()(std::int64_t i) const {
        std::int64_t rest = i;
        std::int64_t const j = divide(rest, rows.inner), place = divide(rest, rows.n), row = rest * rows.inner + j;
        std::int64_t const number = numbers[row * rows.n + place];
        if constexpr (is_dual_number<T>) out[i] = rows.at(number);
        else out[i] = rows_to_sort<T>::rule::back(rows.template key_at<false>(number) ^ rows.flipped); // NaN without its payload
    }
};

// Does what simd::sort and simd::argsort do, for fewer than 2^32 elements.
template <op Code, class T, class Queue>
void order(Queue& queue, simd::call_operand const& in, std::byte* out, dims const& extents, table_view<std::int64_t> attributes) {
    constexpr bool zeros_are_equal = Code == op::argsort || is_dual_number<T>;
    int const axis = static_cast<int>(attributes[0]);
    simd::detail::split_extents const s(in.extents, axis);
    std::int64_t const all = in.extents.size();
    if (all == 0 || extents.size() == 0) return;
    using rows_type = rows_to_sort<T>;
    using key = typename rows_type::key;
    rows_type const rows{simd::detail::elements<T>(in), s.along, s.inner, s.outer * s.inner,
                         attributes[1] != 0 ? static_cast<key>(~key{}) : key{}};
    device_block const memory(queue, 2 * all * static_cast<std::int64_t>(sizeof(sorted_number)));
    auto *const keys = reinterpret_cast<sorted_number*>(memory.data()), *const numbers = keys + all;
    auto const sort_by = [&](int digit) {
        for_each_index(queue, all, note_digit<T, zeros_are_equal>{rows, keys, numbers, digit});
        sort_by_key(queue, keys, all, numbers);
    };
    sort_by(0);
    if (sizeof(key) == 8) sort_by(1);
    if (rows.rows > 1) sort_by(2);
    if constexpr (Code == op::argsort)
        for_each_index(queue, extents.size(),
                       write_places<T>{rows, numbers, extents[axis], reinterpret_cast<std::int64_t*>(out)});
    else for_each_index(queue, all, write_sorted<T>{rows, numbers, reinterpret_cast<T*>(out)});
}
inline bool can_order(dims const& extents) { return extents.size() < std::int64_t{1} << 32; }

} // namespace tx::detail::inline TRACEXPR_DEVICE::calls
