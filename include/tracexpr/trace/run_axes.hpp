// This file holds functions along an axis that only the run knows, such as sum(x, axis) and softmax(x, axis) with a C++ integer,
// whose results have the shape tx::any_shape because the type can't show it; and roll by a shift that only the run knows.
#pragma once

#include <tracexpr/trace/functions.hpp>

namespace tx {
namespace detail {

// Moves the axis to the front, calls F, a lambda without captures, which works along axis 0, and moves the axis back where F
// keeps it.
template <class F, bool Stays> struct run_axis_fn {
    template <class A, class C> constexpr auto operator()(A const& x, C const& carried) const {
        return along(x, static_cast<int>(carried.extent(0)));
    }
    template <class A> static constexpr auto along(A const& x, int axis) {
        lowering low(x.scope());
        low.require_rank(op::transpose, x.id());
        int const rank = low.rank(x.id());
        attribute_list there(axis), back;
        for (int k = 0; k < rank; ++k)
            if (k != axis) there.push_back(k);
        for (int k = 0; k < rank; ++k) back.push_back(k < axis ? k + 1 : k == axis ? 0 : k);
        using open = expr<typename A::value_type, any_shape>;
        auto const out = F{}(open(x.scope(), low.transpose(x.id(), there)));
        if constexpr (Stays) return std::remove_const_t<decltype(out)>(x.scope(), lowering(x.scope()).transpose(out.id(), back));
        else return out;
    }
};
struct any_shape_fn {
    template <class A> constexpr auto operator()(A const& x) const {
        return expr<typename A::value_type, any_shape>(x.scope(), x.id());
    }
};
// Gives a tensor of the same values with any_shape. Where a callable is traced it belongs to the trace as x does.
template <class A> constexpr auto with_any_shape(A const& x) {
    if constexpr (tensor_type<A>)
        if (__builtin_is_constant_evaluated() || (!innermost_trace && !tensor_access::is_symbolic(x)))
            return tensor<typename A::value_type, any_shape>(x);
    if constexpr (tensor_type<A>) return tensor<typename A::value_type, any_shape>(detail::apply(any_shape_fn{}, x));
    else return detail::apply(any_shape_fn{}, x);
}
[[noreturn]] TRACEXPR_ONCE void throw_run_axis(char const* called, std::int64_t axis, dims const& d) {
    throw shape_error("tx: " + std::string(called) + ": the axis must be one of the " + std::to_string(d.rank) + " of shape " +
                      to_string(d) + "; negative ones count from the end; given " + std::to_string(axis));
}
template <bool Stays, class A, class F> constexpr auto at_run_axis(char const* called, A const& x, std::int64_t axis, F) {
    auto const checked = [&](dims const& d) {
        checked_rank(d);
        std::int64_t const at = axis < 0 ? axis + d.rank : axis;
        if (at < 0 || at >= d.rank) throw_run_axis(called, axis, d);
        return static_cast<int>(at);
    };
    if constexpr (expr_type<A>) {
        return run_axis_fn<F, Stays>::along(x, checked(x.dimensions()));
    } else {
        std::int64_t const at = checked(shape_of_held(x));
        return detail::apply(run_axis_fn<F, Stays>{}, with_any_shape(x), carrier<shape<dyn>>(called, dyn, at));
    }
}
// reduced_along is for functions that remove the axis, kept_along for functions that keep it.
template <class A, class N, class F> constexpr auto reduced_along(char const* called, A const& x, N axis, F f) {
    return at_run_axis<false>(called, x, static_cast<std::int64_t>(axis), f);
}
template <class A, class N, class F> constexpr auto kept_along(char const* called, A const& x, N axis, F f) {
    return at_run_axis<true>(called, x, static_cast<std::int64_t>(axis), f);
}
template <class A, class N> concept called_with_axis = array_operand<A> && std::integral<N> && !std::same_as<N, bool>;

// x[i - shift mod n] along an axis, where a negative place counts from the end.
template <int Axis> struct run_roll_fn {
    static constexpr char const* called = "roll";
    template <class A, class S> constexpr auto operator()(A const& x, S const& shift) const {
        auto const n = extent<Axis>(x);
        return take(x, arange<std::int64_t>(n) - remainder(cast_to<std::int64_t>(shift), n), axis<Axis>);
    }
};

} // namespace detail

inline namespace TRACEXPR_CALLS {

template <class A, class N> requires detail::called_with_axis<A, N> [[nodiscard]] constexpr auto sum(A const& x, N axis) {
    return detail::reduced_along("sum", x, axis, [](auto const& y) { return sum(y, tx::axis<0>); });
}
template <class A, class N> requires detail::called_with_axis<A, N> [[nodiscard]] constexpr auto nansum(A const& x, N axis) {
    return detail::reduced_along("nansum", x, axis, [](auto const& y) { return nansum(y, tx::axis<0>); });
}
template <class A, class N> requires detail::called_with_axis<A, N> [[nodiscard]] constexpr auto prod(A const& x, N axis) {
    return detail::reduced_along("prod", x, axis, [](auto const& y) { return prod(y, tx::axis<0>); });
}
template <class A, class N> requires detail::called_with_axis<A, N> [[nodiscard]] constexpr auto mean(A const& x, N axis) {
    return detail::reduced_along("mean", x, axis, [](auto const& y) { return mean(y, tx::axis<0>); });
}
template <class A, class N> requires detail::called_with_axis<A, N> [[nodiscard]] constexpr auto var(A const& x, N axis) {
    return detail::reduced_along("var", x, axis, [](auto const& y) { return var(y, tx::axis<0>); });
}
template <class A, class N> requires detail::called_with_axis<A, N> [[nodiscard]] constexpr auto std(A const& x, N axis) {
    return detail::reduced_along("std", x, axis, [](auto const& y) { return std(y, tx::axis<0>); });
}
template <class A, class N> requires detail::called_with_axis<A, N> [[nodiscard]] constexpr auto nanmax(A const& x, N axis) {
    return detail::reduced_along("nanmax", x, axis, [](auto const& y) { return nanmax(y, tx::axis<0>); });
}
template <class A, class N> requires detail::called_with_axis<A, N> [[nodiscard]] constexpr auto nanmin(A const& x, N axis) {
    return detail::reduced_along("nanmin", x, axis, [](auto const& y) { return nanmin(y, tx::axis<0>); });
}
template <class A, class N> requires detail::called_with_axis<A, N> [[nodiscard]] constexpr auto any(A const& x, N axis) {
    return detail::reduced_along("any", x, axis, [](auto const& y) { return any(y, tx::axis<0>); });
}
template <class A, class N> requires detail::called_with_axis<A, N> [[nodiscard]] constexpr auto all(A const& x, N axis) {
    return detail::reduced_along("all", x, axis, [](auto const& y) { return all(y, tx::axis<0>); });
}
template <class A, class N> requires detail::called_with_axis<A, N>
[[nodiscard]] constexpr auto count_nonzero(A const& x, N axis) {
    return detail::reduced_along("count_nonzero", x, axis, [](auto const& y) { return count_nonzero(y, tx::axis<0>); });
}
template <class A, class N> requires detail::called_with_axis<A, N> [[nodiscard]] constexpr auto argmax(A const& x, N axis) {
    return detail::reduced_along("argmax", x, axis, [](auto const& y) { return argmax(y, tx::axis<0>); });
}
template <class A, class N> requires detail::called_with_axis<A, N> [[nodiscard]] constexpr auto argmin(A const& x, N axis) {
    return detail::reduced_along("argmin", x, axis, [](auto const& y) { return argmin(y, tx::axis<0>); });
}
template <class A, class N> requires detail::called_with_axis<A, N> [[nodiscard]] constexpr auto norm(A const& x, N axis) {
    return detail::reduced_along("norm", x, axis, [](auto const& y) { return norm(y, tx::axis<0>); });
}
template <class A, class N> requires detail::called_with_axis<A, N> [[nodiscard]] constexpr auto logsumexp(A const& x, N axis) {
    return detail::reduced_along("logsumexp", x, axis, [](auto const& y) { return logsumexp(y, tx::axis<0>); });
}
template <class A, class N> requires detail::called_with_axis<A, N> [[nodiscard]] constexpr auto cumsum(A const& x, N axis) {
    return detail::kept_along("cumsum", x, axis, [](auto const& y) { return cumsum(y, tx::axis<0>); });
}
template <class A, class N> requires detail::called_with_axis<A, N> [[nodiscard]] constexpr auto cumprod(A const& x, N axis) {
    return detail::kept_along("cumprod", x, axis, [](auto const& y) { return cumprod(y, tx::axis<0>); });
}
template <class A, class N> requires detail::called_with_axis<A, N> [[nodiscard]] constexpr auto cummax(A const& x, N axis) {
    return detail::kept_along("cummax", x, axis, [](auto const& y) { return cummax(y, tx::axis<0>); });
}
template <class A, class N> requires detail::called_with_axis<A, N> [[nodiscard]] constexpr auto cummin(A const& x, N axis) {
    return detail::kept_along("cummin", x, axis, [](auto const& y) { return cummin(y, tx::axis<0>); });
}
template <class A, class N> requires detail::called_with_axis<A, N> [[nodiscard]] constexpr auto sort(A const& x, N axis) {
    return detail::kept_along("sort", x, axis, [](auto const& y) { return sort(y, tx::axis<0>); });
}
template <class A, class N> requires detail::called_with_axis<A, N>
[[nodiscard]] constexpr auto sort(A const& x, N axis, descending_t) {
    return detail::kept_along("sort", x, axis, [](auto const& y) { return sort(y, tx::axis<0>, descending); });
}
template <class A, class N> requires detail::called_with_axis<A, N> [[nodiscard]] constexpr auto argsort(A const& x, N axis) {
    return detail::kept_along("argsort", x, axis, [](auto const& y) { return argsort(y, tx::axis<0>); });
}
template <class A, class N> requires detail::called_with_axis<A, N>
[[nodiscard]] constexpr auto argsort(A const& x, N axis, descending_t) {
    return detail::kept_along("argsort", x, axis, [](auto const& y) { return argsort(y, tx::axis<0>, descending); });
}
template <class A, class N> requires detail::called_with_axis<A, N> [[nodiscard]] constexpr auto softmax(A const& x, N axis) {
    return detail::kept_along("softmax", x, axis, [](auto const& y) { return softmax(y, tx::axis<0>); });
}
template <class A, class N> requires detail::called_with_axis<A, N> [[nodiscard]] constexpr auto log_softmax(A const& x, N axis) {
    return detail::kept_along("log_softmax", x, axis, [](auto const& y) { return log_softmax(y, tx::axis<0>); });
}
template <class A, class N> requires detail::called_with_axis<A, N> [[nodiscard]] constexpr auto flip(A const& x, N axis) {
    return detail::kept_along("flip", x, axis, [](auto const& y) { return flip(y, tx::axis<0>); });
}

// Moves elements along an axis, and around its end, by a shift that only the run knows: a C++ integer or an integer scalar.
template <int Axis, array_operand A, operand S> requires(detail::is_place<S>)
[[nodiscard]] constexpr auto roll(A const& x, S const& shift, axes_t<Axis>) {
    constexpr bool fits = detail::are_axes_of<A, Axis> && detail::dims_of_operand<A>.rank >= 0;
    static_assert(fits, "tx: roll: the axis must lie within the rank of x, which its type must tell");
    constexpr int at = normalized_axis(Axis, detail::dims_of_operand<A>.rank);
    return detail::apply_if<fits>(detail::run_roll_fn<(at < 0 ? 0 : at)>{}, x, detail::as_place(shift));
}

} // namespace TRACEXPR_CALLS
} // namespace tx
