// This file groups values whose keys are equal, group_by(keys).sum(values), as pandas and SQL do.
#pragma once

#include <tracexpr/arrays/factors.hpp>
#include <tracexpr/arrays/segments.hpp>
#include <tracexpr/trace/choosing.hpp>

namespace tx {
namespace detail {

// Gives the rows of values at the groups' first places, and zeros for a group that has no rows.
struct first_rows_builder {
    static constexpr char const* called = "group_by";
    TRACEXPR_ONCE static constexpr char const* problem(builder_specs given) {
        if (given[0].type == dtype::string) return "takes numbers, not strings, where the number of groups is given";
        return given[0].shape.rank == 0 ? "values must have an axis" : nullptr;
    }
    static constexpr std::array<dtype, 1> types(builder_specs given) { return std::array<dtype, 1>{given[0].type}; }
    TRACEXPR_ONCE static constexpr std::array<dims, 1> shapes(builder_specs given) {
        dims out = given[0].shape;
        out[0] = given[1].shape[0];
        return std::array<dims, 1>{out};
    }
    TRACEXPR_ONCE static constexpr std::array<node_id, 1> record(lowering& low, node_id const* x) {
        node_id const rows = low.append(op::take, x[0], x[1], attribute_list(0));
        node_id is_present = low.test(op::greater, x[2], low.literal(std::int64_t{0}));
        for (int a = 1; a < low.rank(rows); ++a) is_present = low.expand(is_present, a);
        return std::array<node_id, 1>{low.choose(is_present, rows, low.zero_like(rows))};
    }
};

struct group_rows_check {
    static constexpr char const* called = "group_by";
    static constexpr char const* problem(builder_specs given) {
        return lead_axes(given[0].shape, given[1].shape) ? nullptr : "values must have a row for each key";
    }
};
// `grouped` is what group_by returns: the different keys, and the number of each row's key among them. Count is the number of
// groups where it is given; then `counts` holds the groups' sizes. Otherwise `counts` is a vector with one more element than
// there are groups.
template <std::int64_t Count, class Keys, class Ids, class Firsts, class Counts> class grouped {
public:
    constexpr grouped(Keys const& keys, Ids const& ids, Firsts const& firsts, Counts const& counts)
        : keys_{keys}, ids_{ids}, firsts_{firsts}, counts_{counts} {}

    // Gives the different keys in ascending order, with NaN behind the numbers.
    constexpr auto keys() const { return keys_; }
    // Gives the sum of each group's rows of values, (n, ...) -> (groups, ...). Integers are summed in 64 bits.
    template <array_operand V> [[nodiscard]] constexpr auto sum(V const& values) const {
        return reduced<segment_result::sum>(values);
    }
    // Gives the mean of each group's rows of values, (n, ...) -> (groups, ...), in the dtype of values, or float64 for integers.
    template <array_operand V> [[nodiscard]] constexpr auto mean(V const& values) const {
        return reduced<segment_result::mean>(values);
    }
    // Gives the least of each group's rows of values, (n, ...) -> (groups, ...). NaN wins; equal elements share the derivative.
    template <array_operand V> [[nodiscard]] constexpr auto min(V const& values) const {
        return reduced<segment_result::min>(values);
    }
    // Gives the greatest of each group's rows of values, (n, ...) -> (groups, ...). NaN wins; equal elements share the
    // derivative.
    template <array_operand V> [[nodiscard]] constexpr auto max(V const& values) const {
        return reduced<segment_result::max>(values);
    }
    // Gives the first of each group's rows of values, (n, ...) -> (groups, ...), even if it is NaN.
    template <array_operand V> [[nodiscard]] constexpr auto first(V const& values) const {
        constexpr bool fits = lead_axes_of<V, Ids> && dims_of_operand<V>.rank != 0;
        static_assert(fits, "tx: group_by: values must have a row for each key");
        if constexpr (!fits) return failed{};
        else if constexpr (Count == dyn) return detail::apply(rule_of_first{}, values, firsts_, ids_);
        else return detail::apply(built_fn<first_rows_builder>{}, with_rows(values), firsts_, counts_);
    }
    // Gives the number of rows of each group as int64.
    [[nodiscard]] constexpr auto count() const {
        if constexpr (Count == dyn) {
            std::int64_t const* const from = ids_.data();
            auto const sizes = rows_of_segments(ids_.size(), [=](std::int64_t i) { return from[i]; }, counts_.size() - 1);
            auto out = Firsts::uninitialized(firsts_.dimensions());
            std::copy(sizes.begin(), sizes.end(), out.mutable_data());
            return out;
        } else return counts_;
    }

private:
    struct rule_of_first {
        static constexpr char const* called = "group_by";
        template <class A, class P, class I> constexpr auto operator()(A const& values, P const& firsts, I const& ids) const {
            return take(with_check<group_rows_check>(values, values, ids), firsts, axis<0>);
        }
    };
    template <class V> constexpr auto with_rows(V const& values) const {
        return detail::checked<group_rows_check>(as_operand(plain_operand(values)), values, ids_);
    }
    template <segment_result What, class V> constexpr auto reduced(V const& values) const {
        constexpr bool fits = lead_axes_of<V, Ids> && dims_of_operand<V>.rank != 0;
        static_assert(fits, "tx: group_by: values must have a row for each key");
        constexpr bool orders = What == segment_result::min || What == segment_result::max;
        constexpr bool is_fine = dtype_of_operand<V> != dtype::string && (!orders || !is_complex(dtype_of_operand<V>));
        static_assert(is_fine, "tx: group_by: values must be numbers, and for min and max those that have an order");
        if constexpr (!fits || !is_fine) {
            return failed{};
        } else if constexpr (Count != dyn) {
            return detail::apply(built_fn<segment_builder<What, Count>>{}, with_rows(values), ids_);
        } else {
            using result = decltype(detail::apply(built_fn<segment_builder<What, dyn>>{}, values, ids_, counts_));
            if constexpr (tensor_type<V>)
                if (!__builtin_is_constant_evaluated() && lie_in_memory(values, ids_) && values.dimensions().rank > 0 &&
                    lead_axes(values.dimensions(), ids_.dimensions())) {
                    std::int64_t const* const from = ids_.data();
                    return segments_in_memory<What, result>(
                        values, [=](std::int64_t i) { return from[i]; }, 1, counts_.size() - 1);
                }
            return detail::apply(built_fn<segment_builder<What, dyn>>{}, with_rows(values), ids_, counts_);
        }
    }

    Keys keys_;
    Ids ids_;
    Firsts firsts_;
    Counts counts_;
};

// numbers_for is the shape with one number for each key.
template <class K> using numbers_for =
    std::conditional_t<(dims_of_operand<K>.rank < 0), shape<dyn>, typename traits<K>::shape_type>;
template <class K> constexpr bool check_keys() {
    constexpr bool is_vector = dims_of_operand<K>.rank == 1 || dims_of_operand<K>.rank < 0;
    constexpr bool is_real = is_real_operand<K> && !is_dual(dtype_of_operand<K>);
    static_assert(is_vector, "tx: group_by: the keys must be a vector, a key for each row of values");
    static_assert(is_real, "tx: group_by: keys must be integers, real numbers, bool or strings");
    return is_vector && is_real;
}
template <class K> auto group_now(K const& keys) {
    using T = typename K::value_type;
    if (keys.dimensions().rank != 1)
        throw shape_error("tx: group_by: the keys must be a vector, a key for each row of values; given " +
                          to_string(keys.dimensions()));
    group_rows const rows = groups_of(keys);
    auto const count = static_cast<std::int64_t>(rows.first.size());
    auto ids = tensor<std::int64_t, numbers_for<K>>::uninitialized(keys.dimensions());
    std::copy(rows.group.begin(), rows.group.end(), ids.mutable_data());
    auto firsts = tensor<std::int64_t, shape<dyn>>::uninitialized(dims{{count}, 1});
    std::copy(rows.first.begin(), rows.first.end(), firsts.mutable_data());
    auto different = tensor<T, shape<dyn>>::uninitialized(dims{{count}, 1});
    for (std::int64_t k = 0; k < count; ++k) different.mutable_data()[k] = keys.data()[firsts.data()[k]];
    auto const places = tx::zeros<std::int64_t, shape<dyn>>(count + 1);
    return grouped<dyn, tensor<T, shape<dyn>>, decltype(ids), tensor<std::int64_t, shape<dyn>>, tensor<std::int64_t, shape<dyn>>>(
        different, ids, firsts, places);
}

} // namespace detail

inline namespace TRACEXPR_CALLS {

// Groups rows with equal keys: group_by(keys).sum(values), and also .mean, .min, .max and .first of values, whose first axis goes
// along the keys, .count(), and .keys(), which are sorted. Keys are integers, real numbers (NaN is one key), bool or strings. The
// number of groups depends on the keys' values, so the keys must be a tensor outside of callables; values may be part of a trace.
// (pandas: groupby)
template <array_operand K> [[nodiscard]] auto group_by(K const& keys) {
    constexpr bool has_values = !expr_type<K>;
    static_assert(has_values, "tx: group_by: how many groups there are follows from the keys, which a trace hasn't: give their "
                              "number, group_by<8>(keys)");
    constexpr bool checks = detail::check_keys<K>();
    // With a given number the call goes on, so that the sentence above stays the only error.
    if constexpr (!has_values) return group_by<1>(keys);
    else if constexpr (checks) return detail::group_now(detail::as_operand(detail::plain_operand(keys)));
    else return detail::failed{};
}
// Groups rows with equal keys into the first N groups in the order of their keys; it works in callables, too. Rows of further
// groups are dropped. Where there are fewer groups, the least key stands for the missing ones, whose sums, means and counts are
// 0, and whose min is inf and max -inf.
template <std::int64_t N, array_operand K> [[nodiscard]] constexpr auto group_by(K const& keys) {
    constexpr bool has_count = N >= 0;
    static_assert(has_count, "tx: group_by: the number of groups must not be negative");
    constexpr bool has_numbers = detail::holds_numbers<K>;
    static_assert(has_numbers, "tx: group_by: strings are grouped outside of callables, where their number follows from them");
    constexpr bool checks = detail::check_keys<K>();
    if constexpr (!has_count) {
        return group_by<1>(keys);
    } else if constexpr (has_numbers && checks) {
        auto const [different, firsts, ids, counts] = unique_all<N>(keys);
        return detail::grouped<N, std::remove_const_t<decltype(different)>, std::remove_const_t<decltype(ids)>,
                               std::remove_const_t<decltype(firsts)>, std::remove_const_t<decltype(counts)>>(different, ids,
                                                                                                             firsts, counts);
    } else return detail::failed{};
}

} // namespace TRACEXPR_CALLS
} // namespace tx
