// tx::lexsort sorts by several keys; tx::partition and tx::argpartition sort around one place.
#pragma once

#include <tracexpr/trace/builder.hpp>
#include <tracexpr/trace/sorting.hpp>

namespace tx {
namespace detail {

TRACEXPR_ONCE constexpr node_id record_argsort(lowering& low, node_id x, int axis) {
    node_id const operand[]{x};
    return low.append(op::argsort, dtype::int64, operand, attribute_list(axis, 0, order_of_all));
}
// Sorts are stable: if keys are sorted one after the other, the least important first, elements that are equal by one key stay in
// the order of the keys before.
TRACEXPR_ONCE constexpr node_id refined_order(lowering& low, node_id order, node_id key) {
    int const last = low.rank(key) - 1;
    if (order == node_id::none) return record_argsort(low, key, last);
    node_id const sorted = low.append(op::take_along_axis, key, order, attribute_list(last));
    return low.append(op::take_along_axis, order, record_argsort(low, sorted, last), attribute_list(last));
}
// The keys are the rows of one operand, or several operands of one shape.
template <std::size_t Keys> struct lexsort_builder {
    static constexpr char const* called = "lexsort";
    static constexpr char const* problem(builder_specs given) {
        for (builder_spec const& s : given) {
            if (!accepts(domain::real, s.type)) return "keys must be real numbers";
            if (s.shape.rank < 0) continue;
            if (s.shape.rank < (Keys == 1 ? 2 : 1)) return "takes a matrix with a key in each row, or several keys with an axis";
            if (Keys == 1 && s.shape[0] == dyn) return "how many keys there are must be known while it is traced";
            if (Keys == 1 && s.shape[0] == 0) return "needs at least one key";
            if (given[0].shape.rank >= 0 && !may_equal(s.shape, given[0].shape)) return "all keys must have one shape";
        }
        return nullptr;
    }
    static constexpr std::array<dtype, 1> types(builder_specs) { return std::array<dtype, 1>{dtype::int64}; }
    static constexpr std::array<dims, 1> shapes(builder_specs given) {
        if (Keys > 1) return std::array<dims, 1>{given[0].shape};
        dims out;
        for (int a = 1; a < given[0].shape.rank; ++a) out.push_back(given[0].shape[a]);
        return std::array<dims, 1>{out};
    }
    static constexpr std::array<node_id, 1> record(lowering& low, node_id const* keys) {
        node_id order = node_id::none;
        std::size_t const count = Keys > 1 ? Keys : static_cast<std::size_t>(low.extent(keys[0], 0));
        for (std::size_t k = 0; k < count; ++k) {
            std::int64_t const row = static_cast<std::int64_t>(k);
            node_id const key = Keys > 1 ? keys[k] : low.squeeze(low.slice(keys[0], 0, row, row + 1), 0);
            order = refined_order(low, order, key);
        }
        return std::array<node_id, 1>{order};
    }
};

template <op Code, std::int64_t Place, int Axis> struct partition_builder {
    static constexpr char const* called = Code == op::sort ? "partition" : "argpartition";
    static constexpr char const* problem(builder_specs given) {
        dims const& d = given[0].shape;
        if (!accepts(domain::real, given[0].type)) return "takes real numbers";
        if (d.rank < 0) return nullptr;
        int const axis = normalized_axis(Axis, d.rank);
        if (axis < 0 || axis >= d.rank) return "the axis must lie within the rank of x; negative ones count from the end";
        bool const is_place = d[axis] == dyn || (Place < d[axis] && Place >= -d[axis]);
        return is_place ? nullptr : "the place must lie within the axis; negative ones count from the end";
    }
    static constexpr std::array<dtype, 1> types(builder_specs given) {
        return std::array<dtype, 1>{Code == op::sort ? given[0].type : dtype::int64};
    }
    static constexpr std::array<dims, 1> shapes(builder_specs given) { return std::array<dims, 1>{given[0].shape}; }
    static constexpr std::array<node_id, 1> record(lowering& low, node_id const* x) {
        int const axis = normalized_axis(Axis, low.rank(x[0]));
        std::int64_t const extent = low.extent(x[0], axis), place = Place < 0 && extent != dyn ? Place + extent : Place;
        if (Code == op::sort) return std::array<node_id, 1>{low.append(op::sort, x[0], attribute_list(axis, 0, place))};
        return std::array<node_id, 1>{
            low.append(op::argsort, dtype::int64, {x, 1}, attribute_list(axis, 0, order_of_all, place))};
    }
};

} // namespace detail

inline namespace TRACEXPR_CALLS {

// Gives the places of the elements in the order of the last key, elements that are equal by it in the order of the key before,
// and so on, as int64. The keys are rows, (k, ..., n) -> (..., n), sorted along the last axis, or several operands of one shape,
// whose dtypes may differ: lexsort(names, surnames). NaN counts as greater than all numbers.
template <array_operand A, array_operand... Keys> [[nodiscard]] constexpr auto lexsort(A const& keys, Keys const&... more) {
    using builder = detail::lexsort_builder<1 + sizeof...(Keys)>;
    constexpr bool fits = detail::built_problem<builder, A, Keys...> == nullptr;
    static_assert(fits,
                  "tx: lexsort: takes real numbers with a key in each of as many rows as the type tells, or several keys of "
                  "one shape");
    return detail::apply_if<fits>(detail::built_fn<builder>{}, keys, more...);
}
// Reorders the elements along an axis, the last one by default, so that element Place is the one that sorting puts there, no
// element before it is greater, and none behind it is less: partition<3>(x), partition<-1>(x, tx::axis<0>). On both sides
// elements keep their order in x. Of elements that are equal to it, those that sorting puts behind Place stand behind it. NaN
// counts as greater than all numbers.
template <std::int64_t Place, array_operand A, int Axis = -1>
[[nodiscard]] constexpr auto partition(A const& x, axes_t<Axis> = {}) {
    using builder = detail::partition_builder<op::sort, Place, Axis>;
    constexpr bool fits = detail::built_problem<builder, A> == nullptr;
    static_assert(fits, "tx: partition: takes real numbers, an axis within the rank of x, and a place within the axis");
    return detail::apply_if<fits>(detail::built_fn<builder>{}, x);
}
// Gives the place in x of each element of partition<Place>(x), as int64.
template <std::int64_t Place, array_operand A, int Axis = -1>
[[nodiscard]] constexpr auto argpartition(A const& x, axes_t<Axis> = {}) {
    using builder = detail::partition_builder<op::argsort, Place, Axis>;
    constexpr bool fits = detail::built_problem<builder, A> == nullptr;
    static_assert(fits, "tx: argpartition: takes real numbers, an axis within the rank of x, and a place within the axis");
    return detail::apply_if<fits>(detail::built_fn<builder>{}, x);
}

} // namespace TRACEXPR_CALLS
} // namespace tx
