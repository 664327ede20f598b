// tx::average computes weighted means.
#pragma once

#include <tracexpr/statistics/reduced_rows.hpp>
#include <tracexpr/trace/misused.hpp>

namespace tx {
namespace detail {

// Checks that the weights have the shape of x, or that of the reduced axes alone, in ascending order.
TRACEXPR_ONCE constexpr char const* average_problem(builder_specs given, attribute_list const& axes) {
    dims const &x = given[0].shape, &w = given[1].shape;
    if (char const* const problem = axes_problem(x, axes)) return problem;
    if (x.rank < 0 || w.rank < 0 || may_equal(x, w)) return nullptr;
    bool are_of_axes = w.rank == static_cast<int>(axes.count);
    for (int k = 0; are_of_axes && k < w.rank; ++k) {
        std::int64_t const extent = x[static_cast<int>(axes[static_cast<std::size_t>(k)])];
        are_of_axes = w[k] == extent || w[k] == dyn || extent == dyn;
    }
    return are_of_axes ? nullptr : "the weights must have the shape of x, or that of its axes that are averaged";
}
TRACEXPR_ONCE constexpr node_id record_average(lowering& low, node_id x, node_id w, attribute_list const& axes, bool keep) {
    if (low.rank(w) != low.rank(x)) {
        attribute_list others;
        for (int a = 0; a < low.rank(x); ++a)
            if (!axes.contains(a)) others.push_back(a);
        w = low.append(op::expand_dims, w, others);
    }
    node_id const total = reduced(low, op::sum, low.append(op::multiply, x, w), axes, keep);
    return low.append(op::divide, total, reduced(low, op::sum, w, axes, keep));
}
template <class Form> struct average_builder {
    static constexpr char const* called = "average";
    static constexpr attribute_list axes(dims const& x) { return x.rank < 0 ? attribute_list{} : Form::axes(x); }
    static constexpr char const* problem(builder_specs given) { return average_problem(given, axes(given[0].shape)); }
    static constexpr std::array<dtype, 1> types(builder_specs given) { return std::array<dtype, 1>{common_inexact(given)}; }
    static constexpr std::array<dims, 1> shapes(builder_specs given) {
        return std::array<dims, 1>{reduced_dims(given[0].shape, axes(given[0].shape), Form::keep)};
    }
    static constexpr std::array<node_id, 1> record(lowering& low, node_id const* operands) {
        attribute_list const over = axes(low.shape(operands[0]));
        dtype const type = computed_dtype(common_inexact(low, operands, 2));
        return std::array<node_id, 1>{
            record_average(low, low.as(operands[0], type), low.as(operands[1], type), over, Form::keep)};
    }
};
template <class Form> struct plain_average_fn : mean_fn<Form> {
    static constexpr char const* called = "average";
};

} // namespace detail

inline namespace TRACEXPR_CALLS {

// Computes the mean over the axes: average(x), average(x, tx::axis<0>, tx::keepdims).
template <int... Axes, array_operand A, detail::reduction_option... Options>
[[nodiscard]] constexpr auto average(A const& x, Options...) {
    using reduction = detail::form_of<axes_t<Axes...>, Options...>;
    constexpr bool fits = detail::axes_fit<reduction, A> && detail::holds_numbers<A>;
    static_assert(fits, "tx: average: takes numbers and axes that differ and lie within the rank of x");
    return detail::apply_if<fits>(detail::plain_average_fn<reduction>{}, x);
}
// Computes sum(x * weights) / sum(weights) over the axes. The weights have the shape of x, or that of the axes: average(x, w,
// tx::axis<1>) for (m, n) and (n). If they sum to 0, which NumPy refuses, the result is NaN or infinite. Integers give float64.
template <int... Axes, array_operand A, array_operand W, detail::reduction_option... Options>
[[nodiscard]] constexpr auto average(A const& x, W const& weights, Options...) {
    using reduction = detail::form_of<axes_t<Axes...>, Options...>;
    using builder = detail::average_builder<reduction>;
    constexpr bool are_numbers = detail::holds_numbers<A> && detail::holds_numbers<W>;
    constexpr bool fits = detail::built_problem<builder, A, W> == nullptr;
    static_assert(are_numbers, "tx: average: takes numbers, not strings");
    static_assert(fits,
                  "tx: average: takes axes within the rank of x, and weights of the shape of x or of these axes; the shapes "
                  "stand in the note above");
    return detail::apply_if<(are_numbers && fits)>(detail::built_fn<builder>{}, x, weights);
}
template <class Unused = void, class... A> constexpr detail::failed average(detail::any_argument, A const&...) {
    static_assert(always_false<Unused>, "tx: average: takes x, weights if there are some, and behind them axes: tx::average(x, "
                                        "weights, tx::axis<0>, tx::keepdims)");
    return {};
}

} // namespace TRACEXPR_CALLS
} // namespace tx
