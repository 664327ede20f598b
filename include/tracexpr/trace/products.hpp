// This file holds cross, kron, cov and corrcoef, which are composed of other products and sums.
#pragma once

#include <tracexpr/trace/contraction.hpp>
#include <tracexpr/trace/extents.hpp>
#include <tracexpr/trace/joining.hpp>

namespace tx {
namespace detail {

template <class A, int Axis> inline constexpr bool are_triples = [] {
    constexpr std::int64_t extent = extent_of<typename traits<A>::shape_type, Axis>;
    return extent == 3 || extent == dyn;
}();
template <int Axis> struct without_axis_rule {
    template <class Shape> struct result {
        static constexpr inferred rule() {
            dims const d = dims_of<Shape>;
            if (d.rank < 0) return {d};
            dims out;
            for (int a = 0; a < d.rank; ++a)
                if (a != normalized_axis(Axis, d.rank)) out.push_back(d[a]);
            return {out};
        }
    };
    template <class A> using shape_type = shape_from<checked_shape<result<typename traits<A>::shape_type>>>;
};
template <int Axis> struct cross_fn {
    static constexpr char const* called = "cross";
    static void explain(dims const& a, dims const& b) {
        dims const given[]{a, b};
        for (dims const& d : given)
            if (are_axes(normalized_axes(d.rank, Axis), d.rank) && d[normalized_axis(Axis, d.rank)] != 3)
                throw_shape_error(called, "the axis must have an extent of 3", given);
    }
    template <class A, class B> constexpr auto operator()(A const& a, B const& b) const {
        auto const [a0, a1, a2] = components(a);
        auto const [b0, b1, b2] = components(b);
        return stack_fn<Axis>{}(a1 * b2 - a2 * b1, a2 * b0 - a0 * b2, a0 * b1 - a1 * b0);
    }
    template <class A> static constexpr auto components(A const& a) {
        if constexpr (extent_of<typename A::shape_type, Axis> != dyn) return unstack_fn<Axis>{}(a);
        else return checked_components(a);
    }
    // Gives the components where only the run knows whether there are three; it throws where there aren't.
    template <class A> static constexpr auto checked_components(A const& a) {
        using part = expr<typename A::value_type, typename without_axis_rule<Axis>::template shape_type<A>>;
        dims const d = known_rank(op::slice, a);
        require_axes<Axis>(called, d);
        lowering low(a.scope());
        int const along = normalized_axis(Axis, d.rank);
        if (d[along] != dyn && d[along] != 3)
            throw shape_error("tx: cross: the axis must have an extent of 3; given " + to_string(d));
        attribute_list target;
        for (int k = 0; k < d.rank; ++k) target.push_back(k == along ? 3 : low.copied(a.id(), k));
        node_id const triples = low.reshape(a.id(), target);
        auto const at = [&](std::int64_t place) {
            return part(a.scope(), low.squeeze(low.slice(triples, along, place, place + 1), along));
        };
        return std::array{at(0), at(1), at(2)};
    }
};

// Axes are aligned from the right, as in broadcasting. Each becomes two, one of a and one of b, which are then merged into one.
struct kron_kind {
    static constexpr char const* called = "kron";
    TRACEXPR_ONCE static constexpr inferred shape(dims const& a, dims const& b) {
        int const rank = a.rank > b.rank ? a.rank : b.rank;
        if (2 * rank > max_rank) return {{}, "takes operands of at most 4 axes"};
        dims out;
        for (int k = 0; k < rank; ++k) {
            std::int64_t const x = extent_at(a, k - rank), y = extent_at(b, k - rank);
            out.push_back(x == dyn || y == dyn ? dyn : x * y);
        }
        return {out};
    }
    static constexpr std::int64_t extent_at(dims const& d, int from_end) {
        return d.rank + from_end < 0 ? 1 : d[d.rank + from_end];
    }
    // Gives x with an axis of extent 1 after each of its axes, or before each.
    TRACEXPR_ONCE static constexpr node_id spread(lowering& low, node_id x, int rank, bool behind) {
        attribute_list target;
        for (int k = low.rank(x) - rank; k < low.rank(x); ++k) {
            std::int64_t const own = k < 0 ? 1 : low.copied(x, k);
            target.push_back(behind ? own : 1);
            target.push_back(behind ? 1 : own);
        }
        return low.reshape(x, target);
    }
    TRACEXPR_ONCE static constexpr node_id record(lowering& low, dtype type, node_id a, node_id b) {
        int const rank = low.rank(a) > low.rank(b) ? low.rank(a) : low.rank(b);
        inferred const out = shape(low.shape(a), low.shape(b));
        node_id const all = low.append(type == dtype::boolean ? op::logical_and : op::multiply, spread(low, a, rank, true),
                                       spread(low, b, rank, false));
        return merged(low, all, out.shape);
    }
    // A reshape can infer only one extent, so axes are merged from the last on, each in a reshape of its own.
    TRACEXPR_ONCE static constexpr node_id merged(lowering& low, node_id x, dims const& to) {
        if (to.is_static()) {
            attribute_list target;
            for (int k = 0; k < to.rank; ++k) target.push_back(to[k]);
            return low.reshape(x, target);
        }
        for (int k = to.rank - 1; k >= 0; --k) {
            attribute_list target;
            for (int axis = 0; axis < low.rank(x); ++axis)
                if (axis == 2 * k) target.push_back(to[k]);
                else if (axis != 2 * k + 1) target.push_back(low.copied(x, axis));
            x = low.reshape(x, target);
        }
        return x;
    }
};

inline constexpr char const* what_varies = "takes one axis (observations) or two (variables, observations)";
// Gives a tensor of unknown rank as a matrix (variables, observations), with the rank that it has in this trace.
template <class A> constexpr auto variables_of_open(A const& a) {
    lowering low(a.scope());
    low.require_rank(op::matmul, a.id());
    dims const d = low.shape(a.id());
    if (d.rank != 1 && d.rank != 2) throw_shape_error("cov", what_varies, {&d, 1});
    return expr<typename A::value_type, shape<dyn, dyn>>(a.scope(), d.rank == 1 ? low.expand(a.id(), 0) : a.id());
}
template <class A> constexpr auto with_open_rank(A const& a, node_id id) {
    return expr<typename A::value_type, any_shape>(a.scope(), id);
}
template <class A> constexpr auto with_open_rank(A const& a) { return with_open_rank(a, a.id()); }

template <int Delta> struct cov_fn {
    static constexpr char const* called = "cov";
    using along = reduction_form<over::axes, reduced_axes::stay, -1>;
    template <class A> constexpr auto operator()(A const& a) const {
        using T = typename A::value_type;
        return cast_to<mean_type<T>>(of_rows(cast_to<mean_sum_type<T>>(a)));
    }
    template <class A, class B> constexpr auto operator()(A const& a, B const& b) const {
        using accumulator = mean_sum_type<ctype<common_dtype<A, B>>>;
        return cast_to<mean_type<ctype<common_dtype<A, B>>>>(of_rows(rows(cast_to<accumulator>(a), cast_to<accumulator>(b))));
    }
    template <class A> static constexpr auto of_rows(A const& x) {
        if constexpr (dims_of_operand<A>.rank < 0) return of_open_rows(x);
        else return of_known_rows(x);
    }
    template <class A> static constexpr auto rows_of(A const& a) {
        if constexpr (dims_of_operand<A>.rank < 0) return variables_of_open(a);
        else return rule_fn<atleast_rule<2>>{}(a);
    }
    template <class A, class B> static constexpr auto rows(A const& a, B const& b) {
        return concat_fn<0>{}(rows_of(a), rows_of(b));
    }

private:
    template <class A> static constexpr auto of_open_rows(A const& x) {
        auto const all = of_known_rows(variables_of_open(x));
        lowering low(x.scope());
        return with_open_rank(all, low.rank(x.id()) == 2 ? all.id() : low.reshape(all.id(), {}));
    }
    template <class A> static constexpr auto of_known_rows(A const& x) {
        using T = real_type<typename A::value_type>;
        auto const deviations = x - mean_fn<along>{}(x);
        auto const count = element_count<T, along, Delta>(x);
        if constexpr (dims_of_operand<A>.rank == 1) return sum(deviations * conj(deviations)) / count;
        else return matmul(deviations, matrix_transpose(conj(deviations))) / count;
    }
};
struct corrcoef_fn {
    static constexpr char const* called = "corrcoef";
    template <class... A> constexpr auto operator()(A const&... a) const {
        auto const c = cov_fn<1>{}(a...);
        using whole = std::remove_const_t<decltype(c)>;
        if constexpr (dims_of_operand<whole>.rank == 0) {
            return c / c;
        } else if constexpr (dims_of_operand<whole>.rank < 0) {
            bool const is_one = lowering(c.scope()).rank(c.id()) == 0;
            return is_one ? with_open_rank(c / c)
                          : with_open_rank(scaled(expr<typename whole::value_type, shape<dyn, dyn>>(c.scope(), c.id())));
        } else {
            return scaled(c);
        }
    }

private:
    template <class C> static constexpr auto scaled(C const& c) {
        auto const deviation = sqrt(real(record_rule<diagonal_rule<0, 0, 1>>(c)));
        auto const out = c / record_rule<expand_rule<1>>(deviation) / record_rule<expand_rule<0>>(deviation);
        if constexpr (is_complex(dtype_of_operand<C>)) return out;
        else return clip(out, -1, 1);
    }
};
template <class A> inline constexpr bool are_variables =
    dims_of_operand<A>.rank != 0 && dims_of_operand<A>.rank <= 2 && dtype_of_operand<A> != dtype::string;

} // namespace detail

inline namespace TRACEXPR_CALLS {

// The vector product of triples along an axis, the last by default: (..., 3) x (..., 3) -> (..., 3). All other axes broadcast.
// Where only the run knows the extent of the axis, another one than 3 throws shape_error.
template <array_operand A, array_operand B, int Axis = -1>
[[nodiscard]] constexpr auto cross(A const& a, B const& b, axes_t<Axis> = {}) {
    constexpr bool fits = detail::are_triples<A, Axis> && detail::are_triples<B, Axis>;
    static_assert(fits, "tx: cross: the axis must lie within both ranks, and have an extent of 3 in both");
    constexpr bool are_numbers = detail::have_common_dtype<A, B> && accepts(domain::numeric, detail::common_dtype<A, B>);
    static_assert(are_numbers, "tx: cross: takes numbers; cast bool first");
    constexpr bool meet = !fits || detail::broadcast_all<typename detail::without_axis_rule<Axis>::template shape_type<A>,
                                                         typename detail::without_axis_rule<Axis>::template shape_type<B>>::fits;
    static_assert(meet, "tx: cross: all axes but the one of the triples must broadcast; the shapes stand in the note above");
    return detail::apply_if<(fits && are_numbers && meet)>(detail::cross_fn<Axis>{}, a, b);
}
// The Kronecker product: each element of a times all of b, (m, n) x (p, q) -> (m p, n q). An operand with fewer axes gets axes of
// extent 1 in front.
template <array_operand A, array_operand B> [[nodiscard]] constexpr auto kron(A const& a, B const& b) {
    constexpr bool fits = detail::have_common_dtype<A, B> && detail::dtype_of_operand<A> != dtype::string &&
                          detail::product_problem<detail::kron_kind, A, B> == nullptr;
    static_assert(fits, "tx: kron: takes two tensors of numbers with at most 4 axes");
    return detail::apply_if<fits>(detail::product_fn<detail::kron_kind>{}, a, b);
}
// The covariance of variables: (variables, observations) -> (variables, variables); for a vector it is the variance, a scalar.
// Sums are divided by n - 1, or by n - Delta with tx::ddof<Delta>; cov(x, y) takes the rows of both.
template <array_operand A, int Delta = 1> [[nodiscard]] constexpr auto cov(A const& x, ddof_t<Delta> = {}) {
    constexpr bool fits = detail::are_variables<A>;
    static_assert(fits, "tx: cov: takes numbers, one axis (observations) or two (variables, observations)");
    return detail::apply_if<fits>(detail::cov_fn<Delta>{}, x);
}
template <array_operand A, array_operand B, int Delta = 1>
[[nodiscard]] constexpr auto cov(A const& x, B const& y, ddof_t<Delta> = {}) {
    constexpr bool fit = detail::are_variables<A> && detail::are_variables<B>;
    static_assert(fit, "tx: cov: takes numbers, one axis (observations) or two (variables, observations)");
    return detail::apply_if<fit>(detail::cov_fn<Delta>{}, x, y);
}
// cov, scaled so that the diagonal is 1; NaN for a variable whose variance is 0.
template <array_operand A> [[nodiscard]] constexpr auto corrcoef(A const& x) {
    constexpr bool fits = detail::are_variables<A>;
    static_assert(fits, "tx: corrcoef: takes numbers, one axis (observations) or two (variables, observations)");
    return detail::apply_if<fits>(detail::corrcoef_fn{}, x);
}
template <array_operand A, array_operand B> [[nodiscard]] constexpr auto corrcoef(A const& x, B const& y) {
    constexpr bool fit = detail::are_variables<A> && detail::are_variables<B>;
    static_assert(fit, "tx: corrcoef: takes numbers, one axis (observations) or two (variables, observations)");
    return detail::apply_if<fit>(detail::corrcoef_fn{}, x, y);
}

} // namespace TRACEXPR_CALLS
} // namespace tx
