// This file holds functions that sort along an axis: sort, argsort, topk.
#pragma once

#include <tracexpr/trace/indexing.hpp>
#include <tracexpr/trace/misused.hpp>
#include <tracexpr/trace/operand_checks.hpp>
#include <tracexpr/trace/reductions.hpp>

#include <utility>

namespace tx {

// An argument of sort and argsort: the order is descending.
enum descending_t { descending };

namespace detail {

enum class direction { ascends, descends };

template <op Code, int Axis, direction Way, std::int64_t Count = order_of_all> struct order_rule {
    static constexpr op code = Code;
    static constexpr attribute_list attributes(dims const& d) {
        attribute_list out = normalized_axes(d.rank, Axis);
        out.push_back(Way == direction::descends);
        if (Code == op::argsort) out.push_back(Count);
        return out;
    }
};
template <op Code, int Axis, direction Way> struct order_fn : ruled_op<order_fn<Code, Axis, Way>> {
    template <class A> using rule = order_rule<Code, Axis, Way>;
    template <class A> static constexpr ruled_form form = [] {
        constexpr dtype type = dtype_of_operand<A>, made = Code == op::argsort ? dtype::int64 : type;
        return ruled_form{Code, type, made, made};
    }();
    template <class A> constexpr auto operator()(A const& a) const { return order_fn::recorded(a); }
};
struct topk_text {
    static constexpr char const* value = "x must have # elements along the axis";
};
template <int Axis, std::int64_t Count> struct topk_check {
    static constexpr char const* called = "topk";
    static constexpr char const* problem(builder_specs given) {
        dims const& x = given[0].shape;
        int const axis = normalized_axis(Axis, x.rank);
        if (axis < 0 || axis >= x.rank || x[axis] == dyn || x[axis] >= Count) return nullptr;
        return text_with<topk_text, Count>::value;
    }
};
template <int Axis, std::int64_t Count> struct topk_fn {
    static constexpr char const* called = "topk";
    template <class A> constexpr auto operator()(A const& given) const {
        auto const a = with_check<topk_check<Axis, Count>>(given, given);
        auto const places = record_rule_as<order_rule<op::argsort, Axis, direction::descends, Count>, std::int64_t>(a);
        return std::pair{take_along_axis(a, places, axis<Axis>), places};
    }
};

template <direction Way, int Axis, class A> constexpr auto sorted(A const& x) {
    constexpr bool is_real = is_real_operand<A>, fits = detail::fits<order_rule<op::sort, Axis, Way>, A>;
    static_assert(is_real, "tx: sort: complex numbers have no order; use tx::abs(x) or tx::real(x)");
    static_assert(holds_numbers<A>, "tx: sort: takes numbers, not strings");
    static_assert(fits, "tx: sort: takes one axis within the rank of x; negative ones count from the end");
    return detail::apply_if<(is_real && holds_numbers<A> && fits)>(order_fn<op::sort, Axis, Way>{}, x);
}
template <direction Way, int Axis, class A> constexpr auto argsorted(A const& x) {
    constexpr bool is_real = is_real_operand<A>, fits = detail::fits<order_rule<op::argsort, Axis, Way>, A>;
    static_assert(is_real, "tx: argsort: complex numbers have no order; use tx::abs(x) or tx::real(x)");
    static_assert(holds_numbers<A>, "tx: argsort: takes numbers, not strings");
    static_assert(fits, "tx: argsort: takes one axis within the rank of x; negative ones count from the end");
    return detail::apply_if<(is_real && holds_numbers<A> && fits)>(order_fn<op::argsort, Axis, Way>{}, x);
}

} // namespace detail

inline namespace TRACEXPR_CALLS {

// The elements in ascending order along an axis, the last by default: sort(x), sort(x, tx::axis<0>), sort<0>(x). With
// tx::descending as the last argument the greatest come first. NaN counts as greater than all numbers, 0 as greater than -0. x
// may have any numeric dtype but complex.
template <int Axis = -1, array_operand A> [[nodiscard]] constexpr auto sort(A const& x, axes_t<Axis> = {}) {
    return detail::sorted<detail::direction::ascends, Axis>(x);
}
template <int Axis, array_operand A> [[nodiscard]] constexpr auto sort(A const& x, axes_t<Axis>, descending_t) {
    return detail::sorted<detail::direction::descends, Axis>(x);
}
template <int Axis = -1, array_operand A> [[nodiscard]] constexpr auto sort(A const& x, descending_t) {
    return detail::sorted<detail::direction::descends, Axis>(x);
}
// The places in x of the elements of sort(x), as int64: take_along_axis(x, argsort(x)) is sort(x). It is called as sort is. The
// sort is stable: equal elements keep their order, in descending order, too.
template <int Axis = -1, array_operand A> [[nodiscard]] constexpr auto argsort(A const& x, axes_t<Axis> = {}) {
    return detail::argsorted<detail::direction::ascends, Axis>(x);
}
template <int Axis, array_operand A> [[nodiscard]] constexpr auto argsort(A const& x, axes_t<Axis>, descending_t) {
    return detail::argsorted<detail::direction::descends, Axis>(x);
}
template <int Axis = -1, array_operand A> [[nodiscard]] constexpr auto argsort(A const& x, descending_t) {
    return detail::argsorted<detail::direction::descends, Axis>(x);
}
// The K greatest elements along an axis, the last by default, the greatest first, and their places as int64: auto const [values,
// places] = topk<3>(x). Equal elements keep their order. Throws shape_error where there are fewer than K elements.
template <std::int64_t K, array_operand A, int Axis = -1> [[nodiscard]] constexpr auto topk(A const& x, axes_t<Axis> = {}) {
    constexpr bool is_real = detail::is_real_operand<A>;
    constexpr bool fits = K >= 0 && detail::fits<detail::order_rule<op::argsort, Axis, detail::direction::descends, K>, A>;
    static_assert(is_real, "tx: topk: complex numbers have no order; use tx::abs(x) or tx::real(x)");
    static_assert(detail::holds_numbers<A>, "tx: topk: takes numbers, not strings");
    static_assert(fits, "tx: topk: takes one axis within the rank of x, which must have K elements");
    return detail::apply_if<(is_real && detail::holds_numbers<A> && fits)>(detail::topk_fn<Axis, K>{}, x);
}
template <class Unused = void, class... A> constexpr detail::failed topk(detail::any_argument, A const&...) {
    static_assert(always_false<Unused>,
                  "tx: topk: takes x, and tx::axis<...> or tx::smallest, with a number of elements in <>: tx::topk<3>(x)");
    return {};
}

} // namespace TRACEXPR_CALLS
} // namespace tx
