// tx::percentile, and nanpercentile, nanquantile and nanmedian of the elements that are not NaN, select elements by their place
// among the sorted elements, or values between two of them.
#pragma once

#include <tracexpr/statistics/reduced_rows.hpp>
#include <tracexpr/trace/order_statistics.hpp>
#include <tracexpr/trace/quantiles.hpp>

#include <limits>

namespace tx {

// These tags choose the value of a percentile that falls between two elements.
namespace method {

// The value is interpolated linearly between the two. This is the default.
enum linear_t { linear };
// The value is the lower of the two.
enum lower_t { lower };
// The value is the higher of the two.
enum higher_t { higher };
// The value is the nearer of the two; half way, the one with the even place.
enum nearest_t { nearest };
// The value is the mean of the two.
enum midpoint_t { midpoint };

} // namespace method

namespace detail {

enum class between { linear, lower, higher, nearest, midpoint };
template <class Tag> inline constexpr int between_code = -1;
template <> inline constexpr int between_code<method::linear_t> = static_cast<int>(between::linear);
template <> inline constexpr int between_code<method::lower_t> = static_cast<int>(between::lower);
template <> inline constexpr int between_code<method::higher_t> = static_cast<int>(between::higher);
template <> inline constexpr int between_code<method::nearest_t> = static_cast<int>(between::nearest);
template <> inline constexpr int between_code<method::midpoint_t> = static_cast<int>(between::midpoint);
template <class Option> concept percentile_option = reduction_option<Option> || between_code<Option> >= 0;
template <class... Options> inline constexpr between method_among = between::linear;
template <class First, class... Rest> inline constexpr between method_among<First, Rest...> =
    between_code<First> >= 0 ? static_cast<between>(between_code<First>) : method_among<Rest...>;
template <class Form, percentile_option Tag, class... Rest> requires(between_code<Tag> >= 0)
struct parsed_form<Form, Tag, Rest...> : parsed_form<Form, Rest...> {};

// Describes what is computed: the axes, the method between elements, whether NaN is skipped, and `whole`, the q of the greatest
// element.
struct order_statistic {
    attribute_list axes;
    bool keep = false;
    between method = between::linear;
    bool skips_nan = false;
    double whole = 1;
};

// Computes the places of the values among the sorted elements of each row, from 0 on, as float64: (values), or (others...,
// values) if NaN is skipped, as rows then differ in how many elements they have.
TRACEXPR_ONCE constexpr node_id record_order_places(lowering& low, node_id rows, node_id q, order_statistic const& s) {
    int const last = low.rank(rows) - 1;
    node_id count = count_along(low, rows, last);
    if (s.skips_nan && is_floating(low.type(rows))) {
        node_id const operand[]{is_nan(low, rows)};
        node_id const is_number = low.append(op::logical_not, dtype::boolean, operand);
        count = low.append(op::sum, low.as(is_number, dtype::float64), attribute_list(1, last));
    }
    node_id const zero = low.literal(0.0), whole = low.literal(s.whole);
    node_id const part = low.append(op::minimum, low.append(op::maximum, low.as(q, dtype::float64), zero), whole);
    node_id const length = low.append(op::maximum, low.append(op::subtract, count, low.literal(1.0)), zero);
    node_id const product = low.append(op::multiply, part, length);
    node_id const place = s.whole == 1 ? product : low.append(op::divide, product, whole);
    // A place that is only off an element by rounding is set to that element, as the next one may be infinite.
    node_id const near = low.append(op::round, place);
    node_id const distance = low.append(op::absolute, low.append(op::subtract, place, near));
    node_id const rounding = low.append(op::multiply, near, low.literal(4 * std::numeric_limits<double>::epsilon()));
    return low.choose(low.test(op::less_equal, distance, rounding), near, place);
}
// Interpolates between two elements. If both are equal, also if they are infinite, the value is that number.
TRACEXPR_ONCE constexpr node_id record_between(lowering& low, node_id below, node_id above, node_id place, between method) {
    dtype const type = computed_dtype(low.type(below));
    node_id const a = low.as(below, type), b = low.as(above, type), is_same = low.test(op::equal, a, b);
    if (method == between::midpoint) {
        node_id const half = low.number_like(a, 0.5);
        return low.choose(is_same, a, low.append(op::add, low.append(op::multiply, a, half), low.append(op::multiply, b, half)));
    }
    node_id const share = low.as(low.append(op::subtract, place, low.append(op::floor, place)), type);
    node_id const step = low.choose(is_same, low.zero_like(a), low.append(op::subtract, b, a));
    node_id const rest = low.append(op::subtract, low.number_like(a, 1), share);
    node_id const from_a = low.append(op::add, a, low.append(op::multiply, step, share));
    node_id const from_b = low.append(op::subtract, b, low.append(op::multiply, step, rest));
    return low.choose(low.test(op::less, share, low.number_like(share, 0.5)), from_a, from_b);
}
// Returns the places of the elements that a method uses.
TRACEXPR_ONCE constexpr buffer<node_id> ranks_at(lowering& low, node_id place, between method) {
    buffer<node_id> out;
    if (method == between::nearest) out.push_back(low.append(op::round, place));
    if (method != between::nearest && method != between::higher) out.push_back(low.append(op::floor, place));
    if (method != between::nearest && method != between::lower) out.push_back(low.append(op::ceil, place));
    return out;
}
// Records the statistic. q has any shape; its axes come first in the result.
TRACEXPR_ONCE constexpr node_id record_order_statistic(lowering& low, node_id x, node_id q, order_statistic const& s) {
    node_id const rows = in_rows(low, x, s.axes);
    int const last = low.rank(rows) - 1, front = low.rank(q);
    dims const q_shape = low.shape(q);
    node_id const parts = low.reshape(q, attribute_list(front == 0 ? 1 : front == 1 ? low.extent(q, 0) : -1));
    node_id const places = record_order_places(low, rows, parts, s);
    bool const ends_at_nan = is_floating(low.type(x)) && !s.skips_nan; // NaN is sorted last
    buffer<node_id> ranks = ranks_at(low, places, s.method);
    if (ends_at_nan) ranks.push_back(low.reshape(low.literal(std::int64_t{-1}), attribute_list(1)));
    buffer<node_id> const found = record_at_ranks_of(low, rows, ranks, last);
    bool const is_made = s.method == between::linear || s.method == between::midpoint;
    node_id value = is_made ? record_between(low, found[0], found[1], places, s.method) : found[0];
    if (node_id const greatest = found[found.size() - 1]; ends_at_nan)
        value = low.choose(is_nan(low, greatest), low.as(greatest, low.type(value)), value);
    if (front == 0) {
        value = low.squeeze(value, last);
    } else {
        attribute_list order(last), target;
        for (int a = 0; a < last; ++a) order.push_back(a);
        value = low.transpose(value, order);
        for (int a = 0; a < front; ++a) target.push_back(q_shape[a]);
        for (int a = 1; a <= last; ++a) target.push_back(low.copied(value, a));
        if (front > 1) value = low.reshape(value, target);
    }
    return s.keep ? with_ones(low, value, s.axes, front) : value;
}
TRACEXPR_ONCE constexpr char const* order_statistic_problem(builder_specs given, order_statistic const& s) {
    dims const& x = given[0].shape;
    int open = 0;
    if (char const* const problem = axes_problem(x, s.axes)) return problem;
    if (has_no_elements_along(x, s.axes)) return "must not reduce an axis of extent 0";
    if (given.size() < 2) return nullptr;
    for (int a = 0; a < given[1].shape.rank; ++a) open += given[1].shape[a] == dyn;
    if (given[1].shape.rank > 1 && open > 1) return "at most one extent of q may be open where q has several axes";
    return x.rank >= 0 && given[1].shape.rank + reduced_dims(x, s.axes, s.keep).rank > max_rank ? "the rank must be at most 8"
                                                                                                : nullptr;
}
TRACEXPR_ONCE constexpr dims order_statistic_dims(builder_specs given, order_statistic const& s) {
    dims const rest = reduced_dims(given[0].shape, s.axes, s.keep);
    if (given.size() < 2) return rest;
    dims out = given[1].shape;
    for (int a = 0; a < rest.rank; ++a) out.push_back(rest[a]);
    return out;
}

// Whole is the q of the greatest element, 100 or 1; it is 0 for the median, which has no q.
template <class Form, between Method, bool SkipsNan, int Whole> struct order_statistic_builder {
    static constexpr bool is_median = Whole == 0;
    static constexpr double whole = is_median ? 1 : Whole;
    static constexpr char const* called = is_median    ? "nanmedian"
                                          : !SkipsNan  ? "percentile"
                                          : Whole == 1 ? "nanquantile"
                                                       : "nanpercentile";
    static constexpr order_statistic of(dims const& x) {
        return {x.rank < 0 ? attribute_list{} : Form::axes(x), Form::keep, is_median ? between::midpoint : Method, SkipsNan,
                whole};
    }
    static constexpr char const* problem(builder_specs given) { return order_statistic_problem(given, of(given[0].shape)); }
    static constexpr std::array<dtype, 1> types(builder_specs given) {
        bool const is_made = is_median || Method == between::linear || Method == between::midpoint;
        return std::array<dtype, 1>{is_made ? to_inexact(given[0].type) : given[0].type};
    }
    static constexpr std::array<dims, 1> shapes(builder_specs given) {
        return std::array<dims, 1>{order_statistic_dims(given, of(given[0].shape))};
    }
    static constexpr std::array<node_id, 1> record(lowering& low, node_id const* operands) {
        node_id const q = is_median ? low.literal(0.5) : operands[1];
        return std::array<node_id, 1>{record_order_statistic(low, operands[0], q, of(low.shape(operands[0])))};
    }
};

template <class Builder, class A, class... Q> constexpr bool check_order_statistic() {
    constexpr bool are_real = is_real_operand<A> && holds_numbers<A> && ((is_real_operand<Q> && holds_numbers<Q>) && ...);
    static_assert(are_real, "tx: percentile, nanmedian, nanquantile, nanpercentile: take real numbers; use tx::abs(x) or "
                            "tx::real(x) of complex ones");
    constexpr bool fits = built_problem<Builder, A, Q...> == nullptr;
    static_assert(fits, "tx: percentile, nanmedian, nanquantile, nanpercentile: take axes within the rank of x, which have "
                        "elements, and a q with at most one open extent; the shapes stand in the note above");
    return are_real && fits;
}
[[noreturn]] TRACEXPR_NOINLINE inline void throw_part(char const* called, double q, double whole) {
    throw error("tx: " + std::string(called) + ": q must lie between 0 and " + std::to_string(static_cast<int>(whole)) +
                "; given " + std::to_string(q));
}
template <class Builder, class A, class Q> constexpr auto order_statistic_of(A const& x, Q const& q) {
    if constexpr (std::is_arithmetic_v<Q>)
        if (double const given = static_cast<double>(q); !(given >= 0 && given <= Builder::whole))
            throw_part(Builder::called, given, Builder::whole);
    using part = std::remove_cvref_t<decltype(as_float64_scalar(q))>;
    return apply_if<check_order_statistic<Builder, A, part>()>(built_fn<Builder>{}, x, as_float64_scalar(q));
}

} // namespace detail

inline namespace TRACEXPR_CALLS {

// Computes the value at q percent of the way from the least element to the greatest: percentile(x, 90), percentile(x, q,
// tx::axis<0, 1>, tx::keepdims), percentile(x, 25, tx::method::lower). Between two elements it is interpolated linearly, or
// chosen by the method: linear and midpoint give float64 for integers; lower, higher and nearest keep the dtype of x. A place
// that falls on an element gives that element, also beside inf. The axes of a tensor q come first in the result; its elements are
// clamped to 0 and 100, and a C++ number outside throws tx::error. It is NaN where an element is.
template <int... Axes, array_operand A, operand Q, detail::percentile_option... Options>
[[nodiscard]] constexpr auto percentile(A const& x, Q const& q, Options...) {
    using reduction = detail::form_of<axes_t<Axes...>, Options...>;
    using builder = detail::order_statistic_builder<reduction, detail::method_among<Options...>, false, 100>;
    return detail::order_statistic_of<builder>(x, q);
}
// Computes percentile of the elements that are not NaN; it is NaN if all are.
template <int... Axes, array_operand A, operand Q, detail::percentile_option... Options>
[[nodiscard]] constexpr auto nanpercentile(A const& x, Q const& q, Options...) {
    using reduction = detail::form_of<axes_t<Axes...>, Options...>;
    using builder = detail::order_statistic_builder<reduction, detail::method_among<Options...>, true, 100>;
    return detail::order_statistic_of<builder>(x, q);
}
// Computes nanpercentile of 100 q, where q lies between 0 and 1.
template <int... Axes, array_operand A, operand Q, detail::percentile_option... Options>
[[nodiscard]] constexpr auto nanquantile(A const& x, Q const& q, Options...) {
    using reduction = detail::form_of<axes_t<Axes...>, Options...>;
    using builder = detail::order_statistic_builder<reduction, detail::method_among<Options...>, true, 1>;
    return detail::order_statistic_of<builder>(x, q);
}
// Computes the median of the elements that are not NaN, which is the mean of the middle two if their number is even:
// nanmedian(x), nanmedian(x, tx::axis<0>, tx::keepdims). It is NaN if all are NaN. Integers give float64.
template <int... Axes, array_operand A, detail::reduction_option... Options>
[[nodiscard]] constexpr auto nanmedian(A const& x, Options...) {
    using reduction = detail::form_of<axes_t<Axes...>, Options...>;
    using builder = detail::order_statistic_builder<reduction, detail::between::midpoint, true, 0>;
    return detail::apply_if<detail::check_order_statistic<builder, A>()>(detail::built_fn<builder>{}, x);
}

} // namespace TRACEXPR_CALLS
} // namespace tx
