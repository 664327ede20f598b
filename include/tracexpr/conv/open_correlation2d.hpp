// This file correlates two matrices whose extents only the run knows.
#pragma once

#include <tracexpr/conv/options.hpp>
#include <tracexpr/trace/builder.hpp>

namespace tx::detail {

// Each result's elements of a are looked up as (results, results, rows of v, columns of v), and the last two axes are summed up.
class open_correlation2d {
public:
    constexpr open_correlation2d(lowering& low, window_mode mode, bool convolves)
        : low_{low}, mode_{mode}, convolves_{convolves} {}

    // v is reversed already if the call convolves.
    TRACEXPR_ONCE constexpr node_id record(node_id a, node_id v) const {
        attribute_list codes;
        buffer<node_id> numbers;
        node_id before[2]{};
        for (int k = 0; k < 2; ++k) {
            node_id const m = extent(a, k), n = extent(v, k);
            bool const are_known = low_.extent(a, k) != dyn && low_.extent(v, k) != dyn;
            add(codes, numbers, are_known ? known_count(low_.extent(a, k), low_.extent(v, k)) : dyn, count(m, n));
            before[k] = elements_before(m, n);
        }
        for (int k = 0; k < 2; ++k) add(codes, numbers, low_.extent(v, k), extent(v, k));
        node_id const like = low_.append(op::extents, dtype::boolean, numbers, codes);
        node_id place = node_id::none, inside = node_id::none;
        for (int k = 0; k < 2; ++k) {
            node_id const both =
                low_.append(op::add, low_.iota_like<std::int64_t>(like, k), low_.iota_like<std::int64_t>(like, k + 2));
            node_id const at = minus(both, before[k]), zero = number(0), m = extent(a, k);
            node_id const is_in = low_.test(op::logical_and, low_.test(op::greater_equal, at, zero), low_.test(op::less, at, m));
            inside = k == 0 ? is_in : low_.test(op::logical_and, inside, is_in);
            place = k == 0 ? at : low_.append(op::add, low_.append(op::multiply, place, m), at);
        }
        node_id const row = low_.reshape(a, attribute_list(-1)), safe = low_.choose(inside, place, number(0));
        node_id const found = low_.choose(inside, low_.append(op::take, row, safe, attribute_list(0)), low_.zero_like(a));
        return low_.reduce(op::sum, low_.append(op::multiply, found, v), attribute_list(2, 3));
    }

private:
    constexpr node_id number(std::int64_t value) const { return low_.literal(value); }
    constexpr node_id minus(node_id x, node_id y) const { return low_.append(op::subtract, x, y); }
    TRACEXPR_ONCE constexpr node_id extent(node_id x, int k) const {
        return low_.extent(x, k) == dyn ? low_.axis_size<std::int64_t>(x, k) : number(low_.extent(x, k));
    }
    TRACEXPR_ONCE static constexpr void add(attribute_list& codes, buffer<node_id>& numbers, std::int64_t known, node_id open) {
        codes.push_back(known != dyn ? known : -1 - static_cast<std::int64_t>(numbers.size()));
        if (known == dyn) numbers.push_back(open);
    }
    TRACEXPR_ONCE constexpr std::int64_t known_count(std::int64_t m, std::int64_t n) const {
        if (mode_ == window_mode::same) return m;
        return mode_ == window_mode::full ? m + n - 1 : (m > n ? m - n : n - m) + 1;
    }
    TRACEXPR_ONCE constexpr node_id count(node_id m, node_id n) const {
        if (mode_ == window_mode::same) return m;
        if (mode_ == window_mode::full) return minus(low_.append(op::add, m, n), number(1));
        return low_.append(op::add, minus(low_.append(op::maximum, m, n), low_.append(op::minimum, m, n)), number(1));
    }
    // Gives how far in front of a the first result's window begins.
    TRACEXPR_ONCE constexpr node_id elements_before(node_id m, node_id n) const {
        if (mode_ == window_mode::full) return minus(n, number(1));
        if (mode_ == window_mode::valid) return low_.append(op::maximum, minus(n, m), number(0));
        return low_.append(op::floor_divide, convolves_ ? n : minus(n, number(1)), number(2));
    }

    lowering& low_;
    window_mode mode_;
    bool convolves_;
};

} // namespace tx::detail
