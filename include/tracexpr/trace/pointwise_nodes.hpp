// How ops that act element by element are recorded, for trace/pointwise.hpp: each is one node of the op registry, behind casts of
// its operands to the dtype in which they meet; of C++ numbers alone they are computed at once.
#pragma once

#include <tracexpr/trace/apply.hpp>

#include <tuple>

namespace tx::detail {

// The dtype in which op Code computes when its operands meet in `common`.
constexpr dtype compute_dtype(op code, dtype common) {
    switch (info(code).domain) {
    case domain::inexact:
    case domain::floating: return to_inexact(common);
    case domain::boolean: return dtype::boolean;
    default: return common;
    }
}
constexpr dtype result_dtype(op code, dtype computed) {
    switch (info(code).result) {
    case result_rule::boolean: return dtype::boolean;
    case result_rule::real_part: return real_part(computed);
    case result_rule::index: return dtype::int64;
    case result_rule::same:
    case result_rule::declared: return computed;
    }
    return computed;
}

template <class A, class B> struct broadcast_pair {
    static constexpr inferred rule() { return broadcast_shape(dims_of<A>, dims_of<B>); }
};
template <class... Shapes> struct broadcast_all;
template <class A> struct broadcast_all<A> {
    using type = A;
    static constexpr bool fits = true;
};
template <class A, class... Rest> struct broadcast_all<A, A, Rest...> : broadcast_all<A, Rest...> {};
template <class A, class B, class... Rest> struct broadcast_all<A, B, Rest...> {
    using checked = checked_shape<broadcast_pair<A, B>>;
    using rest = broadcast_all<shape_from<checked>, Rest...>;
    using type = typename rest::type;
    static constexpr bool fits = checked::rule.problem == nullptr && rest::fits;
};
template <class... A> using broadcast_of = typename broadcast_all<typename traits<A>::shape_type...>::type;
template <class... A> inline constexpr bool can_broadcast = broadcast_all<typename traits<A>::shape_type...>::fits;
template <class... Shapes> constexpr void require_broadcast() {
    static_assert(broadcast_all<Shapes...>::fits, "tx: these shapes do not broadcast: extents, aligned from the right, must be "
                                                  "equal or 1; the shapes stand in the note above");
}

// Says why the op can't compute in that dtype.
template <op Code, dtype Given> constexpr void require_dtype() {
    constexpr domain wanted = info(Code).domain;
    constexpr bool fits = accepts(Code, Given), is_number = Given != dtype::string;
    constexpr bool any_numbers = wanted != domain::integral && wanted != domain::integer;
    static_assert(fits || is_number, "tx: this op takes numbers; strings are added, compared, chosen by where, and moved about");
    static_assert(fits || !is_number || wanted != domain::integral,
                  "tx: bitwise ops take integers and bool; cast the operands first");
    static_assert(fits || !is_number || wanted != domain::integer,
                  "tx: shifts and counts of bits take integers; cast the operands first");
    static_assert(fits || Given != dtype::boolean || !any_numbers, "tx: this op does not take bool; cast the operands first");
    static_assert(fits || !is_complex(Given) || !any_numbers,
                  "tx: this op takes real numbers; apply it to tx::abs, tx::real or tx::imag of complex ones");
}

// A weak integer whose value only the run knows, which may be none of dtype Met: a C++ scalar that became an argument, an extent.
template <dtype Met, class A> inline constexpr bool may_wrap =
    traits<A>::weak && expr_type<A> && is_integer(Met) && is_integer(traits<A>::type) && promote(Met, traits<A>::type) != Met;
template <class A> inline constexpr bool is_extent = false;
template <dtype Met, class... A> inline constexpr bool has_unfit_extent = ((is_extent<A> && may_wrap<Met, A>) || ...);
template <dtype Met, class... A> constexpr void require_fitting_extents() {
    static_assert(!has_unfit_extent<Met, A...>,
                  "tx: an extent is an int64, and these integers are narrower: tx::cast<std::int64_t> them first");
}
// The dtype in which operands are compared: there such an integer counts as what it is.
template <class... A> inline constexpr dtype compared_dtype = [] {
    dtype met = common_dtype<A...>;
    ((met = may_wrap<common_dtype<A...>, A> ? promote(met, traits<A>::type) : met), ...);
    return met;
}();

// What a comparison with a C++ integer gives for every element where their dtype lacks its value.
enum class verdict { open, never, always };
constexpr verdict verdict_of(op code, bool scalar_first, bool scalar_is_large) {
    switch (code) {
    case op::equal: return verdict::never;
    case op::not_equal: return verdict::always;
    case op::less:
    case op::less_equal: return scalar_first != scalar_is_large ? verdict::always : verdict::never;
    default: return scalar_first == scalar_is_large ? verdict::always : verdict::never;
    }
}

template <op Code> struct pointwise_fn {
    template <class... A> static constexpr dtype computed_in = [] {
        if constexpr (is_comparison(Code)) return compute_dtype(Code, compared_dtype<A...>);
        else return compute_dtype(Code, common_dtype<A...>);
    }();
    template <dtype Computed> static constexpr op code_for = Code == op::add && Computed == dtype::string ? op::string_add : Code;
    // Does the op take operands of these types? (Those of complex and dual numbers have no dtype to ask for.)
    template <class... A> static constexpr bool fits = [] {
        if constexpr (!have_common_dtype<A...>) return false;
        else
            return accepts(code_for<computed_in<A...>>, computed_in<A...>) && can_broadcast<A...> &&
                   !has_unfit_extent<computed_in<A...>, A...>;
    }();
    template <class... A> static constexpr void require_fit() {
        require_common_dtype<A...>();
        if constexpr (have_common_dtype<A...>) {
            require_dtype<code_for<computed_in<A...>>, computed_in<A...>>();
            require_fitting_extents<computed_in<A...>, A...>();
            if constexpr (accepts(code_for<computed_in<A...>>, computed_in<A...>))
                require_broadcast<typename traits<A>::shape_type...>();
        }
    }
    template <class... A> static constexpr bool meets_unfit = (may_not_fit<computed_in<A...>, A> || ...);

    template <class... A> requires(meets_unfit<A...> && !is_comparison(Code)) static constexpr void check(A const&... a) {
        (check_scalar<computed_in<A...>>(name(Code), a), ...);
    }
    template <class A, class B> requires(meets_unfit<A, B> && is_comparison(Code))
    static constexpr verdict foregone(A const& a, B const& b) {
        if constexpr (scalar_type<A>) return is_value_of<computed_in<A, B>>(a) ? verdict::open : verdict_of(Code, true, a > 0);
        else return is_value_of<computed_in<A, B>>(b) ? verdict::open : verdict_of(Code, false, b > 0);
    }

    // A C++ integer, where the verdict is open: one of the dtype that it meets.
    template <dtype Met, class A> static constexpr auto const& fitted(A const& a) { return a; }
    template <dtype Met, class A> requires may_not_fit<Met, A> static constexpr ctype<Met> fitted(A const& a) {
        return static_cast<ctype<Met>>(a);
    }

    template <class... A> constexpr auto operator()(A const&... a) const {
        constexpr dtype computed = computed_in<A...>;
        constexpr op code = code_for<computed>;
        using element_type = ctype<result_dtype(code, computed)>;
        using typed = expr<element_type, broadcast_of<A...>>;
        using result_type = std::conditional_t<(traits<A>::weak && ...), weak_expr<element_type>, typed>;
        trace_scope& scope = *scope_among(a...);
        if constexpr (requires { foregone(a...); }) {
            if (verdict const known = foregone(a...); known != verdict::open)
                return record_verdict<result_type>(scope, known, a...);
        } else if constexpr (requires { check(a...); }) check(a...);
        node_id const operands[]{record_operand<computed>(scope, a)...};
        // Most ops keep their operand's shape, whose number is known.
        using first = std::tuple_element_t<0, std::tuple<A...>>;
        if constexpr (expr_type<first> && std::is_same_v<typename traits<first>::shape_type, typename result_type::shape_type>)
            if (keeps_shape<result_type, A...>(scope.recorded, operands))
                return result_type(scope, scope.recorded.append(code, dtype_of<element_type>, scope.recorded[operands[0]].shape,
                                                                operands, {}, {}));
        return record<result_type>(scope, code, operands);
    }

private:
    // Of operands with open extents the trace may know those of one and not of another.
    template <class Result, class... A> static constexpr bool keeps_shape(graph const& g, node_id const* operands) {
        constexpr dims d = Result::static_dims();
        if constexpr (d.is_static() || (sizeof...(A) == 1 && d.rank >= 0)) return true;
        else if constexpr (d.rank < 0) return false;
        else {
            std::size_t k = 0;
            bool keeps = true;
            ((keeps = (dims_of_operand<A>.rank == 0 || g[operands[k]].shape == g[operands[0]].shape) && keeps, ++k), ...);
            return keeps;
        }
    }
    // Of the tensor's shape.
    template <class Result, class A, class B>
    static constexpr Result record_verdict(trace_scope& scope, verdict known, A const& a, B const& b) {
        node_id x{};
        if constexpr (scalar_type<A>) x = record_operand<computed_in<A, B>>(scope, b);
        else x = record_operand<computed_in<A, B>>(scope, a);
        node_id const operands[]{x, x};
        return record<Result>(scope, known == verdict::always ? op::equal : op::not_equal, operands);
    }
};

// Casts to bool mean "is not 0", so that logical ops take any dtype.
struct where_fn {
    template <class C, class A, class B> static constexpr void check(C const&, A const& a, B const& b) {
        check_scalar<common_dtype<A, B>>("where", a);
        check_scalar<common_dtype<A, B>>("where", b);
    }
    template <class C, class A, class B> constexpr auto operator()(C const& condition, A const& a, B const& b) const {
        constexpr dtype common = common_dtype<A, B>;
        using result_type = expr<ctype<common>, broadcast_of<C, A, B>>;
        check(condition, a, b);
        trace_scope& scope = *scope_among(condition, a, b);
        node_id const operands[]{record_operand<dtype::boolean>(scope, condition), record_operand<common>(scope, a),
                                 record_operand<common>(scope, b)};
        return record<result_type>(scope, op::where, operands);
    }
};

template <class To> struct cast_fn {
    template <class A> constexpr auto operator()(A const& a) const {
        trace_scope& scope = a.scope();
        return expr<To, typename A::shape_type>(scope, record_operand<dtype_of<To>>(scope, a));
    }
};

// uint64 and a signed integer, which no integer dtype holds both: a negative one is below all of the other, else both are
// unsigned.
template <op Code, class... A> inline constexpr bool compares_signs = false;
template <op Code, class A, class B> inline constexpr bool compares_signs<Code, A, B> =
    is_comparison(Code) && !traits<A>::weak && !traits<B>::weak &&
    ((traits<A>::type == dtype::uint64 && is_signed_integer(traits<B>::type)) ||
     (traits<B>::type == dtype::uint64 && is_signed_integer(traits<A>::type)));
template <op Code> struct signs_fn {
    template <class A, class B> constexpr auto operator()(A const& a, B const& b) const {
        constexpr bool first = is_signed_integer(traits<A>::type);
        auto const below = [&] {
            if constexpr (first) return pointwise_fn<op::less>{}(a, 0);
            else return pointwise_fn<op::less>{}(b, 0);
        }();
        auto const both = pointwise_fn<Code>{}(cast_fn<std::uint64_t>{}(a), cast_fn<std::uint64_t>{}(b));
        constexpr bool holds = Code == op::not_equal || (first ? Code == op::less || Code == op::less_equal
                                                               : Code == op::greater || Code == op::greater_equal);
        if constexpr (holds) return pointwise_fn<op::logical_or>{}(below, both);
        else return pointwise_fn<op::logical_and>{}(pointwise_fn<op::logical_not>{}(below), both);
    }
};

template <op Code> inline constexpr bool is_elementwise<pointwise_fn<Code>> = true;
template <op Code> inline constexpr bool is_elementwise<signs_fn<Code>> = true;
template <class To> inline constexpr bool is_elementwise<cast_fn<To>> = true;
template <> inline constexpr bool is_elementwise<where_fn> = true;

inline namespace TRACEXPR_CALLS {
template <op Code, class... A> constexpr auto pointwise(A const&... a) {
    if constexpr (any_unusable<A...>) return used<A...>();
    else if constexpr (!pointwise_fn<Code>::template fits<A...>)
        return pointwise_fn<Code>::template require_fit<A...>(), failed{};
    else if constexpr ((number_type<A> && ...)) return run_on_numbers<Code>(a...);
    else if constexpr (compares_signs<Code, A...>) return detail::apply(signs_fn<Code>{}, a...);
    else if constexpr ((expr_type<A> || ...) && !((held_type<A> || has_other_form<A>) || ...)) return pointwise_fn<Code>{}(a...);
    else return detail::apply(pointwise_fn<Code>{}, a...);
}
} // namespace TRACEXPR_CALLS

} // namespace tx::detail
