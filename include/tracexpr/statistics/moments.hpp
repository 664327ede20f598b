// tx::skew and tx::kurtosis describe distributions by central moments; tx::zscore expresses numbers in units of the standard
// deviation.
#pragma once

#include <tracexpr/statistics/reduced_rows.hpp>

#include <limits>

namespace tx {
namespace detail {

TRACEXPR_ONCE constexpr node_id record_mean(lowering& low, node_id x, attribute_list const& axes, bool keep) {
    node_id const operand[]{x};
    node_id const count = axes.count == 0 ? low.number_like(x, 1) : low.append(op::axis_size, low.type(x), operand, axes);
    return low.append(op::divide, reduced(low, op::sum, x, axes, keep), count);
}
// Divides a central moment by a power of the second one. If all elements are equal it is NaN, as in scipy.stats: a variance that
// only comes from rounding the mean counts as 0.
TRACEXPR_ONCE constexpr node_id record_standardized_moment(lowering& low, node_id x, attribute_list const& axes, bool keep,
                                                           int moment) {
    node_id const mean = record_mean(low, x, axes, true), d = low.append(op::subtract, x, mean), d2 = low.append(op::square, d);
    node_id const second = record_mean(low, d2, axes, keep);
    node_id const higher = record_mean(low, low.append(op::multiply, d2, moment == 3 ? d : d2), axes, keep);
    node_id const own_mean = keep ? mean : record_mean(low, x, axes, false);
    double const epsilon = primal(low.type(x)) == dtype::float32 ? double{std::numeric_limits<float>::epsilon()}
                                                                 : std::numeric_limits<double>::epsilon();
    node_id const rounding = low.append(op::square, low.append(op::multiply, own_mean, low.number_like(x, epsilon)));
    node_id const is_constant = low.test(op::less_equal, second, rounding);
    node_id const safe = low.choose(is_constant, low.number_like(x, 1), second);
    node_id const power = moment == 3 ? low.append(op::multiply, safe, low.append(op::sqrt, safe)) : low.append(op::square, safe);
    node_id const quotient = low.append(op::divide, higher, power);
    node_id const excess = moment == 3 ? quotient : low.append(op::subtract, quotient, low.number_like(x, 3));
    return low.choose(is_constant, low.number_like(x, std::numeric_limits<double>::quiet_NaN()), excess);
}
TRACEXPR_ONCE constexpr node_id record_scores(lowering& low, node_id x, attribute_list const& axes, int delta) {
    node_id const operand[]{x};
    node_id const d = low.append(op::subtract, x, record_mean(low, x, axes, true));
    node_id const squares = reduced(low, op::sum, low.append(op::square, d), axes, true);
    node_id const count = axes.count == 0 ? low.number_like(x, 1) : low.append(op::axis_size, low.type(x), operand, axes);
    node_id const left = low.append(op::subtract, count, low.number_like(x, delta));
    return low.append(op::divide, d, low.append(op::sqrt, low.append(op::divide, squares, left)));
}
// Moment is 3 for skew, 4 for kurtosis, and 2 for zscore, whose result has the shape of x.
template <class Form, int Moment, int Delta> struct moment_builder {
    static constexpr char const* called = Moment == 2 ? "zscore" : Moment == 3 ? "skew" : "kurtosis";
    static constexpr attribute_list axes(dims const& x) { return x.rank < 0 ? attribute_list{} : Form::axes(x); }
    static constexpr char const* problem(builder_specs given) {
        if (!accepts(domain::real, given[0].type)) return "takes real numbers";
        return axes_problem(given[0].shape, axes(given[0].shape));
    }
    static constexpr std::array<dtype, 1> types(builder_specs given) { return std::array<dtype, 1>{to_inexact(given[0].type)}; }
    static constexpr std::array<dims, 1> shapes(builder_specs given) {
        if (Moment == 2) return std::array<dims, 1>{given[0].shape};
        return std::array<dims, 1>{reduced_dims(given[0].shape, axes(given[0].shape), Form::keep)};
    }
    static constexpr std::array<node_id, 1> record(lowering& low, node_id const* operands) {
        node_id const x = low.as(operands[0], computed_dtype(low.type(operands[0])));
        attribute_list const over = axes(low.shape(x));
        return std::array<node_id, 1>{Moment == 2 ? record_scores(low, x, over, Delta)
                                                  : record_standardized_moment(low, x, over, Form::keep, Moment)};
    }
};
template <class Builder, class A> constexpr bool check_moment() {
    constexpr bool fits = built_problem<Builder, A> == nullptr;
    static_assert(fits, "tx: skew, kurtosis, zscore: take real numbers, and axes that differ and lie within the rank of x");
    return fits;
}

} // namespace detail

inline namespace TRACEXPR_CALLS {

// Computes the third central moment divided by the variance to the power 3/2, as a reduction: over all axes by default, where
// SciPy takes the first one. It is NaN if all elements are equal. Integers give float64.
template <int... Axes, array_operand A, detail::reduction_option... Options>
[[nodiscard]] constexpr auto skew(A const& x, Options...) {
    using builder = detail::moment_builder<detail::form_of<axes_t<Axes...>, Options...>, 3, 0>;
    return detail::apply_if<detail::check_moment<builder, A>()>(detail::built_fn<builder>{}, x);
}
// Computes the fourth central moment divided by the square of the variance, minus 3, which is the value for a normal distribution
// (Fisher's definition). The arguments are those of skew.
template <int... Axes, array_operand A, detail::reduction_option... Options>
[[nodiscard]] constexpr auto kurtosis(A const& x, Options...) {
    using builder = detail::moment_builder<detail::form_of<axes_t<Axes...>, Options...>, 4, 0>;
    return detail::apply_if<detail::check_moment<builder, A>()>(detail::built_fn<builder>{}, x);
}
// Computes (x - mean) / std along the axes, by default all of them, where SciPy takes the first one: zscore(x, tx::axis<0>,
// tx::ddof<1>). The result has the shape of x; it is NaN where all elements are equal.
template <int... Axes, array_operand A, detail::deviation_option... Options>
[[nodiscard]] constexpr auto zscore(A const& x, Options...) {
    using builder = detail::moment_builder<detail::form_of<axes_t<Axes...>, Options...>, 2, detail::ddof_of<Options...>>;
    return detail::apply_if<detail::check_moment<builder, A>()>(detail::built_fn<builder>{}, x);
}

} // namespace TRACEXPR_CALLS
} // namespace tx
