// This file records functions that act element by element, for trace/pointwise.hpp: each is one node of the op registry, after
// casts of its operands to their common dtype. For C++ numbers alone they are computed at once.
#pragma once

#include <tracexpr/trace/apply.hpp>

namespace tx::detail {

// The dtype in which op Code computes when its operands have the common dtype `common`.
TRACEXPR_ONCE constexpr dtype compute_dtype(op code, dtype common) {
    switch (info(code).domain) {
    case domain::inexact:
    case domain::floating: return to_inexact(common);
    case domain::boolean: return dtype::boolean;
    default: return common;
    }
}
TRACEXPR_ONCE constexpr dtype result_dtype(op code, dtype computed) {
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

// Explains in an error why the op can't compute in that dtype.
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

// Is it a weak integer whose value only the run knows, and which dtype Met may not hold? C++ scalars that became arguments and
// extents are such.
template <dtype Met, class A> inline constexpr bool may_wrap =
    traits<A>::weak && expr_type<A> && is_integer(Met) && is_integer(traits<A>::type) && promote(Met, traits<A>::type) != Met;
template <class A> inline constexpr bool is_extent = false;
template <dtype Met, class... A> inline constexpr bool has_unfit_extent = ((is_extent<A> && may_wrap<Met, A>) || ...);
template <dtype Met, class... A> constexpr void require_fitting_extents() {
    static_assert(!has_unfit_extent<Met, A...>,
                  "tx: an extent is an int64, and these integers are narrower: tx::cast<std::int64_t> them first");
}
// The dtype in which operands are compared: it is widened so that it holds such an integer.
template <class... A> inline constexpr dtype compared_dtype = [] {
    dtype compared = common_dtype<A...>;
    ((compared = may_wrap<common_dtype<A...>, A> ? promote(compared, traits<A>::type) : compared), ...);
    return compared;
}();

// The result of a comparison with a C++ integer that the operands' dtype can't hold; it is the same for every element.
enum class verdict { open, never, always };
TRACEXPR_ONCE constexpr verdict verdict_of(op code, bool scalar_first, bool scalar_is_large) {
    switch (code) {
    case op::equal: return verdict::never;
    case op::not_equal: return verdict::always;
    case op::less:
    case op::less_equal: return scalar_first != scalar_is_large ? verdict::always : verdict::never;
    default: return scalar_first == scalar_is_large ? verdict::always : verdict::never;
    }
}

// An op, the dtype that its operands are cast to, and that of its result. For op::cast there is only the cast.
struct pointwise_form {
    op code;
    dtype computed, type;
    constexpr dtype of_operand(std::size_t k) const { return code == op::where && k == 0 ? dtype::boolean : computed; }
};
// `typed` is the shape of the result as its type shows it.
TRACEXPR_ONCE constexpr node_id record_pointwise_here(trace_scope& scope, pointwise_form const& form, dims const& typed,
                                                      table_view<node_id> operands) {
    graph& g = scope.recorded;
    node_id cast[3]{};
    std::size_t const count = operands.size();
    for (std::size_t k = 0; k < count; ++k) cast[k] = record_cast(g, operands[k], form.of_operand(k));
    if (form.code == op::cast) return cast[0];
    // Most ops keep the shape of their first operand, which is in the graph's table of shapes already.
    dims const& first = g.shape_of(cast[0]);
    bool keeps = first.rank >= 0 && first.rank == typed.rank && known_extents(typed, first) == first;
    for (std::size_t k = 1; keeps && k < count; ++k)
        keeps = g[cast[k]].shape == g[cast[0]].shape || g.shape_of(cast[k]).rank == 0;
    if (keeps) return g.append(form.code, form.type, g[cast[0]].shape, {cast, count}, {}, {});
    return record_node(scope, form.code, form.type, typed, {cast, count}, {}, {});
}
TRACEXPR_HERE_OR_ONCE(node_id, record_pointwise, record_pointwise_here,
                      (trace_scope & scope, pointwise_form const& form, dims const& typed, table_view<node_id> operands),
                      (scope, form, typed, operands))

struct pointwise_recorder : op_recorder {
    pointwise_form form;
    dims const& typed;
    std::size_t arity;

    constexpr pointwise_recorder(pointwise_form of, dims const& result, std::size_t operands, bool is_open)
        : op_recorder{record_one, is_open, true}, form{of}, typed{result}, arity{operands} {}
    TRACEXPR_ONCE static constexpr void record_one(op_recorder const& of, trace_scope& scope, node_id const* operands,
                                                   node_id* results) {
        pointwise_recorder const& r = static_cast<pointwise_recorder const&>(of);
        results[0] = record_pointwise(scope, r.form, r.typed, {operands, r.arity});
    }
};

// The base of functors of such ops; Fn::form<A...> tells the op on operands of these types.
template <class Fn, class... A> inline constexpr pointwise_form form_of_op = Fn::template form<A...>;
template <class Fn, class... A> inline constexpr pointwise_recorder recorder_of_op{
    form_of_op<Fn, A...>, dims_of<broadcast_of<A...>>, sizeof...(A), ((!traits<A>::weak && dims_of_operand<A>.rank < 0) || ...)};
template <class Fn> struct pointwise_op {
    template <class... A> using result = tensor<ctype<form_of_op<Fn, A...>.type>, broadcast_of<A...>>;
    template <class... A> static constexpr op_recorder const* recorder_for = &recorder_of_op<Fn, A...>;
};
// Records the op of a functor and gives its result as an expr.
template <class Fn, class... A>
constexpr auto record_pointwise_op(trace_scope& scope, std::type_identity_t<table_view<node_id>> operands) {
    using value = ctype<form_of_op<Fn, A...>.type>;
    using result = std::conditional_t<(traits<A>::weak && ...), weak_expr<value>, expr<value, broadcast_of<A...>>>;
    return result(scope, record_pointwise(scope, form_of_op<Fn, A...>, dims_of<typename result::shape_type>, operands));
}
// Gives the node of an operand without a cast; a scalar is recorded in dtype To.
template <dtype To, class A> constexpr node_id uncast_operand(trace_scope& scope, A const& a) {
    if constexpr (!expr_type<A>) return record_operand<To>(scope, a);
    else return a.id_in(scope);
}

template <op Code> struct pointwise_fn : pointwise_op<pointwise_fn<Code>> {
    template <class... A> static constexpr dtype computed_in = [] {
        if constexpr (is_comparison(Code)) return compute_dtype(Code, compared_dtype<A...>);
        else return compute_dtype(Code, common_dtype<A...>);
    }();
    template <dtype Computed> static constexpr op code_for = Code == op::add && Computed == dtype::string ? op::string_add : Code;
    // Does the op take operands of these types? (Complex with dual numbers have no common dtype to ask about.)
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

    // Gives a C++ integer in the dtype of the comparison, which can hold it where the verdict is open.
    template <dtype Met, class A> static constexpr auto const& fitted(A const& a) { return a; }
    template <dtype Met, class A> requires may_not_fit<Met, A> static constexpr ctype<Met> fitted(A const& a) {
        return static_cast<ctype<Met>>(a);
    }

    template <class... A> static constexpr pointwise_form form = [] {
        constexpr dtype computed = computed_in<A...>;
        constexpr op code = code_for<computed>;
        return pointwise_form{code, computed, result_dtype(code, computed)};
    }();
    template <class... A> constexpr auto operator()(A const&... a) const {
        trace_scope& scope = *scope_among(a...);
        if constexpr (requires { foregone(a...); }) {
            if (verdict const known = foregone(a...); known != verdict::open) return record_verdict(scope, known, a...);
        } else if constexpr (requires { check(a...); }) check(a...);
        node_id const operands[]{uncast_operand<computed_in<A...>>(scope, a)...};
        return record_pointwise_op<pointwise_fn, A...>(scope, operands);
    }

private:
    // Compares the tensor with itself, which gives the verdict in the tensor's shape.
    template <class A, class B> static constexpr auto record_verdict(trace_scope& scope, verdict known, A const& a, B const& b) {
        using result = expr<bool, broadcast_of<A, B>>;
        node_id x{};
        if constexpr (scalar_type<A>) x = record_operand<computed_in<A, B>>(scope, b);
        else x = record_operand<computed_in<A, B>>(scope, a);
        node_id const operands[]{x, x};
        return record<result>(scope, known == verdict::always ? op::equal : op::not_equal, operands);
    }
};

// The condition is cast to bool, which means "is not 0", so it may have any dtype.
struct where_fn : pointwise_op<where_fn> {
    template <class C, class A, class B> static constexpr pointwise_form form{op::where, common_dtype<A, B>, common_dtype<A, B>};
    template <class C, class A, class B> static constexpr void check(C const&, A const& a, B const& b) {
        check_scalar<common_dtype<A, B>>("where", a);
        check_scalar<common_dtype<A, B>>("where", b);
    }
    template <class C, class A, class B> constexpr auto operator()(C const& condition, A const& a, B const& b) const {
        constexpr dtype common = common_dtype<A, B>;
        check(condition, a, b);
        trace_scope& scope = *scope_among(condition, a, b);
        node_id const operands[]{uncast_operand<dtype::boolean>(scope, condition), uncast_operand<common>(scope, a),
                                 uncast_operand<common>(scope, b)};
        return record_pointwise_op<where_fn, C, A, B>(scope, operands);
    }
};

template <class To> struct cast_fn : pointwise_op<cast_fn<To>> {
    template <class A> static constexpr pointwise_form form{op::cast, dtype_of<To>, dtype_of<To>};
    template <class A> constexpr auto operator()(A const& a) const {
        trace_scope& scope = a.scope();
        return expr<To, typename A::shape_type>(scope, record_operand<dtype_of<To>>(scope, a));
    }
};

// A comparison of uint64 with a signed integer, for which no integer dtype holds both. A negative number is below every uint64;
// others are compared as uint64.
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
