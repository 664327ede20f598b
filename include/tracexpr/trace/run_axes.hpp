// Axes that only the run knows: sum(x, axis), softmax(x, axis) with a C++ integer. The type can't tell the shape of the result,
// which is tx::any_shape. And roll by a shift that only the run knows.
#pragma once

#include <tracexpr/trace/functions.hpp>

namespace tx {
namespace detail {

// The axis comes first, F works along it, and it goes where it was: where F leaves it.
template <class F, bool Stays> struct run_axis_fn {
    static constexpr char const* called = F::called;
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
        auto const out = F::of(open(x.scope(), low.transpose(x.id(), there)));
        if constexpr (Stays) return std::remove_const_t<decltype(out)>(x.scope(), lowering(x.scope()).transpose(out.id(), back));
        else return out;
    }
};
struct any_shape_fn {
    template <class A> constexpr auto operator()(A const& x) const {
        return expr<typename A::value_type, any_shape>(x.scope(), x.id());
    }
};
// A tensor of the same values. Where a callable is traced it belongs to the trace as x does.
template <class A> constexpr auto with_any_shape(A const& x) {
    if constexpr (tensor_type<A>)
        if (__builtin_is_constant_evaluated() || (!innermost_trace && !tensor_access::is_symbolic(x)))
            return tensor<typename A::value_type, any_shape>(x);
    if constexpr (tensor_type<A>) return tensor<typename A::value_type, any_shape>(detail::apply(any_shape_fn{}, x));
    else return detail::apply(any_shape_fn{}, x);
}
[[noreturn]] TRACEXPR_NOINLINE inline void throw_run_axis(char const* called, std::int64_t axis, dims const& d) {
    throw shape_error("tx: " + std::string(called) + ": the axis must be one of the " + std::to_string(d.rank) + " of shape " +
                      to_string(d) + "; negative ones count from the end; given " + std::to_string(axis));
}
template <class F, bool Stays, class A> constexpr auto at_run_axis(A const& x, std::int64_t axis) {
    auto const checked = [&](dims const& d) {
        checked_rank(d);
        std::int64_t const at = axis < 0 ? axis + d.rank : axis;
        if (at < 0 || at >= d.rank) throw_run_axis(F::called, axis, d);
        return static_cast<int>(at);
    };
    if constexpr (expr_type<A>) return run_axis_fn<F, Stays>::along(x, checked(x.dimensions()));
    else {
        int const at = checked(shape_of_held(x));
        return detail::apply(run_axis_fn<F, Stays>{}, with_any_shape(x), carrier<shape<dyn>>(F::called, dyn, std::int64_t{at}));
    }
}
template <class A, class N> concept called_with_axis = array_operand<A> && std::integral<N> && !std::same_as<N, bool>;

struct sum_at_run_axis {
    static constexpr char const* called = "sum";
    template <class A> static constexpr auto of(A const& x) { return tx::sum(x, axis<0>); }
};
struct nansum_at_run_axis {
    static constexpr char const* called = "nansum";
    template <class A> static constexpr auto of(A const& x) { return tx::nansum(x, axis<0>); }
};
struct prod_at_run_axis {
    static constexpr char const* called = "prod";
    template <class A> static constexpr auto of(A const& x) { return tx::prod(x, axis<0>); }
};
struct mean_at_run_axis {
    static constexpr char const* called = "mean";
    template <class A> static constexpr auto of(A const& x) { return tx::mean(x, axis<0>); }
};
struct var_at_run_axis {
    static constexpr char const* called = "var";
    template <class A> static constexpr auto of(A const& x) { return tx::var(x, axis<0>); }
};
struct std_at_run_axis {
    static constexpr char const* called = "std";
    template <class A> static constexpr auto of(A const& x) { return tx::std(x, axis<0>); }
};
struct nanmax_at_run_axis {
    static constexpr char const* called = "nanmax";
    template <class A> static constexpr auto of(A const& x) { return tx::nanmax(x, axis<0>); }
};
struct nanmin_at_run_axis {
    static constexpr char const* called = "nanmin";
    template <class A> static constexpr auto of(A const& x) { return tx::nanmin(x, axis<0>); }
};
struct any_at_run_axis {
    static constexpr char const* called = "any";
    template <class A> static constexpr auto of(A const& x) { return tx::any(x, axis<0>); }
};
struct all_at_run_axis {
    static constexpr char const* called = "all";
    template <class A> static constexpr auto of(A const& x) { return tx::all(x, axis<0>); }
};
struct count_nonzero_at_run_axis {
    static constexpr char const* called = "count_nonzero";
    template <class A> static constexpr auto of(A const& x) { return tx::count_nonzero(x, axis<0>); }
};
struct argmax_at_run_axis {
    static constexpr char const* called = "argmax";
    template <class A> static constexpr auto of(A const& x) { return tx::argmax(x, axis<0>); }
};
struct argmin_at_run_axis {
    static constexpr char const* called = "argmin";
    template <class A> static constexpr auto of(A const& x) { return tx::argmin(x, axis<0>); }
};
struct norm_at_run_axis {
    static constexpr char const* called = "norm";
    template <class A> static constexpr auto of(A const& x) { return tx::norm(x, axis<0>); }
};
struct logsumexp_at_run_axis {
    static constexpr char const* called = "logsumexp";
    template <class A> static constexpr auto of(A const& x) { return tx::logsumexp(x, axis<0>); }
};
struct cumsum_at_run_axis {
    static constexpr char const* called = "cumsum";
    template <class A> static constexpr auto of(A const& x) { return tx::cumsum(x, axis<0>); }
};
struct cumprod_at_run_axis {
    static constexpr char const* called = "cumprod";
    template <class A> static constexpr auto of(A const& x) { return tx::cumprod(x, axis<0>); }
};
struct cummax_at_run_axis {
    static constexpr char const* called = "cummax";
    template <class A> static constexpr auto of(A const& x) { return tx::cummax(x, axis<0>); }
};
struct cummin_at_run_axis {
    static constexpr char const* called = "cummin";
    template <class A> static constexpr auto of(A const& x) { return tx::cummin(x, axis<0>); }
};
struct softmax_at_run_axis {
    static constexpr char const* called = "softmax";
    template <class A> static constexpr auto of(A const& x) { return tx::softmax(x, axis<0>); }
};
struct log_softmax_at_run_axis {
    static constexpr char const* called = "log_softmax";
    template <class A> static constexpr auto of(A const& x) { return tx::log_softmax(x, axis<0>); }
};
struct flip_at_run_axis {
    static constexpr char const* called = "flip";
    template <class A> static constexpr auto of(A const& x) { return tx::flip(x, axis<0>); }
};

// x[(i - shift) mod n] along an axis.
template <int Axis> struct run_roll_fn {
    static constexpr char const* called = "roll";
    template <class A, class S> constexpr auto operator()(A const& x, S const& shift) const {
        auto const n = extent<Axis>(x);
        return take(x, remainder(arange<std::int64_t>(n) - cast_to<std::int64_t>(shift), n), axis<Axis>);
    }
};

} // namespace detail

inline namespace TRACEXPR_CALLS {

template <class A, class N> requires detail::called_with_axis<A, N> constexpr auto sum(A const& x, N axis) {
    return detail::at_run_axis<detail::sum_at_run_axis, false>(x, static_cast<std::int64_t>(axis));
}
template <class A, class N> requires detail::called_with_axis<A, N> constexpr auto nansum(A const& x, N axis) {
    return detail::at_run_axis<detail::nansum_at_run_axis, false>(x, static_cast<std::int64_t>(axis));
}
template <class A, class N> requires detail::called_with_axis<A, N> constexpr auto prod(A const& x, N axis) {
    return detail::at_run_axis<detail::prod_at_run_axis, false>(x, static_cast<std::int64_t>(axis));
}
template <class A, class N> requires detail::called_with_axis<A, N> constexpr auto mean(A const& x, N axis) {
    return detail::at_run_axis<detail::mean_at_run_axis, false>(x, static_cast<std::int64_t>(axis));
}
template <class A, class N> requires detail::called_with_axis<A, N> constexpr auto var(A const& x, N axis) {
    return detail::at_run_axis<detail::var_at_run_axis, false>(x, static_cast<std::int64_t>(axis));
}
template <class A, class N> requires detail::called_with_axis<A, N> constexpr auto std(A const& x, N axis) {
    return detail::at_run_axis<detail::std_at_run_axis, false>(x, static_cast<std::int64_t>(axis));
}
template <class A, class N> requires detail::called_with_axis<A, N> constexpr auto nanmax(A const& x, N axis) {
    return detail::at_run_axis<detail::nanmax_at_run_axis, false>(x, static_cast<std::int64_t>(axis));
}
template <class A, class N> requires detail::called_with_axis<A, N> constexpr auto nanmin(A const& x, N axis) {
    return detail::at_run_axis<detail::nanmin_at_run_axis, false>(x, static_cast<std::int64_t>(axis));
}
template <class A, class N> requires detail::called_with_axis<A, N> constexpr auto any(A const& x, N axis) {
    return detail::at_run_axis<detail::any_at_run_axis, false>(x, static_cast<std::int64_t>(axis));
}
template <class A, class N> requires detail::called_with_axis<A, N> constexpr auto all(A const& x, N axis) {
    return detail::at_run_axis<detail::all_at_run_axis, false>(x, static_cast<std::int64_t>(axis));
}
template <class A, class N> requires detail::called_with_axis<A, N> constexpr auto count_nonzero(A const& x, N axis) {
    return detail::at_run_axis<detail::count_nonzero_at_run_axis, false>(x, static_cast<std::int64_t>(axis));
}
template <class A, class N> requires detail::called_with_axis<A, N> constexpr auto argmax(A const& x, N axis) {
    return detail::at_run_axis<detail::argmax_at_run_axis, false>(x, static_cast<std::int64_t>(axis));
}
template <class A, class N> requires detail::called_with_axis<A, N> constexpr auto argmin(A const& x, N axis) {
    return detail::at_run_axis<detail::argmin_at_run_axis, false>(x, static_cast<std::int64_t>(axis));
}
template <class A, class N> requires detail::called_with_axis<A, N> constexpr auto norm(A const& x, N axis) {
    return detail::at_run_axis<detail::norm_at_run_axis, false>(x, static_cast<std::int64_t>(axis));
}
template <class A, class N> requires detail::called_with_axis<A, N> constexpr auto logsumexp(A const& x, N axis) {
    return detail::at_run_axis<detail::logsumexp_at_run_axis, false>(x, static_cast<std::int64_t>(axis));
}
template <class A, class N> requires detail::called_with_axis<A, N> constexpr auto cumsum(A const& x, N axis) {
    return detail::at_run_axis<detail::cumsum_at_run_axis, true>(x, static_cast<std::int64_t>(axis));
}
template <class A, class N> requires detail::called_with_axis<A, N> constexpr auto cumprod(A const& x, N axis) {
    return detail::at_run_axis<detail::cumprod_at_run_axis, true>(x, static_cast<std::int64_t>(axis));
}
template <class A, class N> requires detail::called_with_axis<A, N> constexpr auto cummax(A const& x, N axis) {
    return detail::at_run_axis<detail::cummax_at_run_axis, true>(x, static_cast<std::int64_t>(axis));
}
template <class A, class N> requires detail::called_with_axis<A, N> constexpr auto cummin(A const& x, N axis) {
    return detail::at_run_axis<detail::cummin_at_run_axis, true>(x, static_cast<std::int64_t>(axis));
}
template <class A, class N> requires detail::called_with_axis<A, N> constexpr auto softmax(A const& x, N axis) {
    return detail::at_run_axis<detail::softmax_at_run_axis, true>(x, static_cast<std::int64_t>(axis));
}
template <class A, class N> requires detail::called_with_axis<A, N> constexpr auto log_softmax(A const& x, N axis) {
    return detail::at_run_axis<detail::log_softmax_at_run_axis, true>(x, static_cast<std::int64_t>(axis));
}
template <class A, class N> requires detail::called_with_axis<A, N> constexpr auto flip(A const& x, N axis) {
    return detail::at_run_axis<detail::flip_at_run_axis, true>(x, static_cast<std::int64_t>(axis));
}

// Elements move along an axis by a shift that only the run knows, a C++ integer or an integer scalar, around the end.
template <int Axis, array_operand A, operand S> requires(detail::is_place<S>)
constexpr auto roll(A const& x, S const& shift, axes_t<Axis>) {
    constexpr bool fits = detail::are_axes_of<A, Axis> && detail::dims_of_operand<A>.rank >= 0;
    static_assert(fits, "tx: roll: the axis must lie within the rank of x, which its type must tell");
    constexpr int at = normalized_axis(Axis, detail::dims_of_operand<A>.rank);
    return detail::apply_if<fits>(detail::run_roll_fn<(at < 0 ? 0 : at)>{}, x, detail::as_place(shift));
}

} // namespace TRACEXPR_CALLS
} // namespace tx
