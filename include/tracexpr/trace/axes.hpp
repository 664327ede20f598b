// This file holds axes as arguments (tx::axis<0, -1>, tx::keepdims) and the recording of ops whose attributes depend on their
// operand's rank. A rule names the op and makes the attributes: in the compiler where the type shows the rank, else while the
// trace is made.
#pragma once

#include <tracexpr/trace/pointwise.hpp>

#include <utility>

namespace tx {

// Axes of an operand; negative ones count from the end.
template <int... Axes> struct axes_t {};
// Axes as an argument: tx::axis<1>, tx::axis<0, -1>.
template <int... Axes> inline constexpr axes_t<Axes...> axis{};

// An argument of reductions: reduced axes stay, with extent 1. Tags are enumerators, so that a variable of the same name in a
// user's function shadows nothing.
enum keepdims_t { keepdims };

namespace detail {

// The attributes of one node. Values beyond the longest valid list (a slice of max_rank axes) are dropped, as no rule accepts
// such a list.
struct attribute_list {
    static constexpr std::size_t capacity = 3 * max_rank + 1; // the most, for a view_add of a slice
    std::int64_t value[capacity]{};
    std::size_t count = 0;

    constexpr attribute_list() = default;
    template <class... Values> constexpr explicit attribute_list(std::int64_t attribute, Values... others) {
        push_back(attribute);
        (push_back(others), ...);
    }
    constexpr void push_back(std::int64_t attribute) {
        if (count < capacity) value[count++] = attribute;
    }
    constexpr operator attribute_span() const { return {value, count}; }
    constexpr std::int64_t operator[](std::size_t i) const { return value[i]; }
    TRACEXPR_ONCE constexpr bool contains(std::int64_t wanted) const {
        for (std::size_t i = 0; i < count; ++i)
            if (value[i] == wanted) return true;
        return false;
    }
    TRACEXPR_ONCE constexpr void sort() {
        for (std::size_t end = count; end > 1; --end)
            for (std::size_t i = 1; i < end; ++i)
                if (value[i - 1] > value[i]) std::swap(value[i - 1], value[i]);
    }
};

template <class... Axis> constexpr attribute_list normalized_axes([[maybe_unused]] int rank, Axis... given) {
    attribute_list out;
    (out.push_back(normalized_axis(given, rank)), ...);
    return out;
}
// Gives all axes of this rank in order.
constexpr attribute_list every_axis(int rank) {
    attribute_list out;
    for (int a = 0; a < rank; ++a) out.push_back(a);
    return out;
}
// Are these axes of that rank, each at most once?
TRACEXPR_ONCE constexpr bool are_axes(attribute_list const& axes, int rank) {
    std::uint32_t seen = 0;
    for (std::size_t i = 0; i < axes.count; ++i) {
        std::int64_t const a = axes[i];
        if (a < 0 || a >= rank || (seen >> a & 1u)) return false;
        seen |= 1u << a;
    }
    return true;
}

// Throws unless the axes differ and lie within the rank; for types that leave the rank open.
template <int... Axes> constexpr void require_axes(char const* function, dims const& d) {
    if (are_axes(normalized_axes(d.rank, Axes...), d.rank)) return;
    std::string given;
    ((given += (given.empty() ? "" : ", ") + std::to_string(Axes)), ...);
    throw shape_error("tx: " + std::string(function) + ": axes must differ and lie within the rank of x; given axes " + given +
                      " for shape " + to_string(d));
}

template <class A, int... Axes> inline constexpr bool are_axes_of =
    dims_of_operand<A>.rank < 0 || are_axes(normalized_axes(dims_of_operand<A>.rank, Axes...), dims_of_operand<A>.rank);

template <class I> inline constexpr bool are_indices = any_unusable<I> || is_integer(dtype_of_operand<I>);

[[noreturn]] TRACEXPR_ONCE void throw_unknown_rank(op code) {
    throw shape_error("tx: " + std::string(name(code)) + ": the operand's rank must be known while it is traced");
}

template <class A> constexpr dims known_rank(op code, A const& a) {
    dims const d = a.dimensions();
    if (d.rank < 0) throw_unknown_rank(code);
    return d;
}

// A rule: `static constexpr op code;` and `static constexpr attribute_list attributes(dims const&);`.
template <class Rule, class Shape> struct ruled {
    static constexpr dims given = dims_of<Shape>;
    static constexpr attribute_list attributes = given.rank < 0 ? attribute_list{} : Rule::attributes(given);
    static constexpr inferred rule() {
        return given.rank < 0 ? inferred{given} : infer(Rule::code, dims{}, {&given, 1}, attributes);
    }
};
template <class Rule, class A> inline constexpr bool fits =
    checked_shape<ruled<Rule, typename traits<A>::shape_type>>::rule.problem == nullptr;

// Records the rule's op on an expr. Result is the dtype, where it isn't the operand's.
template <class Rule, class Result, class A> constexpr auto record_rule_as(A const& a) {
    using applied = ruled<Rule, typename A::shape_type>;
    using result_type = expr<Result, shape_from<checked_shape<applied>>>;
    node_id const operand[]{a.id()};
    if constexpr (applied::given.rank >= 0) {
        return record<result_type>(a.scope(), Rule::code, operand, applied::attributes);
    } else {
        return record<result_type>(a.scope(), Rule::code, operand, Rule::attributes(known_rank(Rule::code, a)));
    }
}
template <class Rule, class A> constexpr auto record_rule(A const& a) { return record_rule_as<Rule, typename A::value_type>(a); }

// A function that is one rule: its operand is cast to `computed`, the op gives the dtype `made`, and the result is cast to
// `type`.
struct ruled_form {
    op code;
    dtype computed, made, type;
    bool in_a_row = false; // whether the elements are laid out along one axis first
};
constexpr ruled_form uncast_form(op code, dtype type) { return {code, type, type, type}; }
struct ruled_recorder : op_recorder {
    ruled_form form;
    dims const &operand, &typed; // what is known of the shapes
    attribute_list const& attributes;
    attribute_list (*of_rank)(dims const&); // makes the attributes where only the run knows the rank; else null

    constexpr ruled_recorder(ruled_form of, dims const& given, dims const& result, attribute_list const& known, bool is_open,
                             attribute_list (*attributes_of_rank)(dims const&))
        : op_recorder{record_one, is_open}, form{of}, operand{given}, typed{result}, attributes{known},
          of_rank{attributes_of_rank} {}
    static constexpr void record_one(op_recorder const& of, trace_scope& scope, node_id const* operands, node_id* results);
};
TRACEXPR_ONCE constexpr node_id record_ruled_here(trace_scope& scope, ruled_recorder const& r, node_id x) {
    x = record_cast(scope.recorded, x, r.form.computed);
    if (r.form.in_a_row) {
        attribute_list const row(-1);
        x = record_node(scope, op::reshape, r.form.computed, r.operand, {&x, 1}, row, {});
    }
    dims const& d = scope.recorded.shape_of(x);
    if (r.of_rank && d.rank < 0) throw_unknown_rank(r.form.code);
    attribute_list const found = r.of_rank ? r.of_rank(d) : r.attributes;
    x = record_node(scope, r.form.code, r.form.made, r.typed, {&x, 1}, found, {});
    return record_cast(scope.recorded, x, r.form.type);
}
TRACEXPR_HERE_OR_ONCE(node_id, record_ruled, record_ruled_here, (trace_scope & scope, ruled_recorder const& r, node_id x),
                      (scope, r, x))
constexpr void ruled_recorder::record_one(op_recorder const& of, trace_scope& scope, node_id const* operands, node_id* results) {
    results[0] = record_ruled(scope, static_cast<ruled_recorder const&>(of), operands[0]);
}

// The types and constants of a one-rule function on an operand of type A, which Fn::form<A> and Fn::rule<A> describe.
template <class Fn, class A> struct ruled_call {
    static constexpr ruled_form form = Fn::template form<A>;
    using rule = typename Fn::template rule<A>;
    using given = typename traits<A>::shape_type;
    static constexpr bool is_open = dims_of<given>.rank < 0, needs_rank = is_open && !form.in_a_row;
    struct row {
        static constexpr dims value{{is_open ? dyn : dims_of<given>.size()}, 1};
    };
    using operand_shape = typename std::conditional_t<form.in_a_row, shape_of_dims<row>, std::type_identity<given>>::type;
    using applied = ruled<rule, operand_shape>;
    using shape =
        typename std::conditional_t<is_open, std::type_identity<any_shape>, shape_of_dims<checked_shape<applied>>>::type;
    using result = tensor<ctype<form.type>, shape>;
    static constexpr ruled_recorder recorder{
        form, dims_of<operand_shape>, dims_of<shape>, applied::attributes, is_open, needs_rank ? rule::attributes : nullptr};
};
// The base of functors of one-rule functions. Open: whether they are recorded on operands of unknown rank, too.
template <class Fn, bool Open = true> struct ruled_op {
    template <class... A> using result = typename ruled_call<Fn, A...>::result;
    template <class A> requires(Open || dims_of_operand<A>.rank >= 0)
    static constexpr op_recorder const* recorder_for = &ruled_call<Fn, A>::recorder;

protected:
    template <class A> static constexpr auto recorded(A const& a) {
        using call = ruled_call<Fn, A>;
        trace_scope& scope = a.scope();
        return expr<ctype<call::form.type>, typename call::shape>(scope, record_ruled(scope, call::recorder, a.id()));
    }
};

// The functor of an op that is one rule.
template <class Rule> struct rule_fn : ruled_op<rule_fn<Rule>> {
    static constexpr char const* called = called_by<Rule>;
    template <class A> using rule = Rule;
    template <class A> static constexpr ruled_form form = uncast_form(Rule::code, dtype_of_operand<A>);
    template <class A> constexpr auto operator()(A const& a) const { return rule_fn::recorded(a); }
};

// The rules from here on are shared by several functions.
template <std::int64_t... Target> struct reshape_rule {
    static constexpr op code = op::reshape;
    static constexpr attribute_list attributes(dims const&) {
        attribute_list out;
        (out.push_back(Target), ...);
        return out;
    }
};
using flatten_rule = reshape_rule<-1>;

template <int... Axes> struct expand_rule {
    static constexpr op code = op::expand_dims;
    static constexpr attribute_list attributes(dims const& d) {
        attribute_list out = normalized_axes(d.rank + static_cast<int>(sizeof...(Axes)), Axes...);
        out.sort();
        return out;
    }
};
template <int... Axes> struct squeeze_rule {
    static constexpr op code = op::squeeze;
    static constexpr attribute_list attributes(dims const& d) {
        attribute_list out = normalized_axes(d.rank, Axes...);
        out.sort();
        return out;
    }
};

template <class T, class A> constexpr auto cast_to(A const& a) { return cast_fn<T>{}(a); }

} // namespace detail
} // namespace tx
