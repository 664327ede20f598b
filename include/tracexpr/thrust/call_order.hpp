// This file sorts rows on a device by a radix sort with digits of 32 bits, the last of which is the row's number. One sort of
// integers serves all dtypes.
#pragma once

#include <tracexpr/backends/calls/sort_keys.hpp>
#include <tracexpr/thrust/call_lookups.hpp>
#include <tracexpr/thrust/call_updates.hpp>

namespace tx::detail::inline TRACEXPR_DEVICE::calls {

// The rows to sort: the elements along an axis of n elements.
template <class T> struct rows_to_sort {
    using value = typename simd::detail::sorted_by<T>::type;
    using rule = simd::detail::key_rule<value>;
    using key = typename rule::key;
    T const* in;
    std::int64_t n, inner, rows;
    key flipped; // all bits are set where the order descends

    // Gives element `number` of all, which are counted row by row.
    TRACEXPR_HD T const& at(std::int64_t number) const {
        std::int64_t const place = divide(number, n), j = divide(number, inner);
        return in[(number * n + place) * inner + j];
    }
    template <bool ZerosAreEqual> TRACEXPR_HD key key_at(std::int64_t number) const {
        return rule::template of<ZerosAreEqual>(simd::detail::sorted_by<T>::value(at(number))) ^ flipped;
    }
};

// Writes a digit of each element in the order so far: digits 0 and 1 are parts of the key, the latter only of keys of 64 bits,
// and digit 2 is the row. Digit 0 comes first and also initializes the order.
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
// Writes the first `count` places of each row in sorted order.
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
// Writes all elements of each row in sorted order.
template <class T> struct write_sorted {
    rows_to_sort<T> rows;
    sorted_number const* numbers;
    T* out;
    TRACEXPR_HD void operator()(std::int64_t i) const {
        std::int64_t rest = i;
        std::int64_t const j = divide(rest, rows.inner), place = divide(rest, rows.n), row = rest * rows.inner + j;
        std::int64_t const number = numbers[row * rows.n + place];
        if constexpr (is_dual_number<T>) out[i] = rows.at(number);
        else out[i] = rows_to_sort<T>::rule::back(rows.template key_at<false>(number) ^ rows.flipped); // a NaN loses its payload
    }
};

// Writes for each element whether it is before, at or after its row's rank in the order.
struct note_side {
    sorted_number *keys, *numbers;
    std::int64_t n, rank;
    TRACEXPR_HD void operator()(std::int64_t i) const {
        std::int64_t const row = i / n, place = i % n;
        keys[numbers[i]] = static_cast<sorted_number>(3 * row + (place < rank ? 0 : place == rank ? 1 : 2));
    }
};
struct number_in_turn {
    sorted_number* numbers;
    TRACEXPR_HD void operator()(std::int64_t i) const { numbers[i] = static_cast<sorted_number>(i); }
};

// Does what simd::sort and simd::argsort do, for fewer than 2^32 / 3 elements; and what simd::partition does where places are
// asked for.
template <op Code, class T, class Queue> void order_by_digits(Queue& queue, simd::call_operand const& in, std::byte* out,
                                                              dims const& extents, table_view<std::int64_t> attributes) {
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
    if constexpr (Code == op::argsort) {
        if (orders_around(Code, attributes)) {
            std::int64_t const rank = attributes[order_attributes(Code)];
            for_each_index(queue, all, note_side{keys, numbers, s.along, rank < 0 ? rank + s.along : rank});
            for_each_index(queue, all, number_in_turn{numbers});
            sort_by_key(queue, keys, all, numbers);
        }
        for_each_index(queue, extents.size(),
                       write_places<T>{rows, numbers, extents[axis], reinterpret_cast<std::int64_t*>(out)});
    } else {
        for_each_index(queue, all, write_sorted<T>{rows, numbers, reinterpret_cast<T*>(out)});
    }
}
// Does what simd::argselect does, and what simd::partition does where elements are asked for, by sorting all places first.
template <op Code, class T, class Queue>
void look_up_order(Queue& queue, table_view<simd::call_operand> operands, std::byte* out, table_view<std::int64_t> attributes) {
    simd::call_operand const& in = operands[0];
    int const axis = static_cast<int>(attributes[0]);
    constexpr auto bytes = static_cast<std::int64_t>(sizeof(std::int64_t));
    device_block const memory(queue, in.extents.size() * bytes);
    auto const strides = row_major_strides(in.extents);
    simd::call_operand const places{memory.data(), in.extents, strides.data()};
    std::int64_t const of_argsort[]{axis, 0, order_of_all, attributes[attributes.size() - 1]};
    order_by_digits<op::argsort, T>(queue, in, memory.data(), in.extents, {of_argsort, Code == op::sort ? 4u : 3u});
    if constexpr (Code == op::sort) {
        take_along_axis<std::int64_t>(queue, in, places, static_cast<std::int64_t>(sizeof(T)), out, axis);
    } else {
        simd::call_operand const& ranks = operands[1];
        check_device_indices(queue, simd::detail::elements<std::int64_t>(ranks), ranks.extents.size(), in.extents[axis], axis,
                             "argselect");
        if (ranks.extents.rank == 1) take<std::int64_t>(queue, places, ranks, bytes, out, axis);
        else take_along_axis<std::int64_t>(queue, places, ranks, bytes, out, axis);
    }
}
template <op Code, class T, class Queue> void order(Queue& queue, table_view<simd::call_operand> operands, std::byte* out,
                                                    dims const& extents, table_view<std::int64_t> attributes) {
    if constexpr (Code == op::argselect) {
        look_up_order<Code, T>(queue, operands, out, attributes);
    } else {
        if constexpr (Code == op::sort)
            if (orders_around(Code, attributes)) return look_up_order<Code, T>(queue, operands, out, attributes);
        order_by_digits<Code, T>(queue, operands[0], out, extents, attributes);
    }
}
inline bool can_order(dims const& extents) { return extents.size() < (std::int64_t{1} << 32) / 3; }

} // namespace tx::detail::inline TRACEXPR_DEVICE::calls
