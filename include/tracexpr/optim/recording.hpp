// This file records what optimizers compute of a leaf, as nodes: code that is compiled once for all parameters. float16 and
// bfloat16 are computed in float32 and rounded once.
#pragma once

#include <tracexpr/run/tree_call.hpp>
#include <tracexpr/trace/builder.hpp>
#include <tracexpr/trace/operand_checks.hpp>

namespace tx::optim::detail {

using namespace tx::detail;

// Leaves of dtype t are computed in computed_in(t), and real numbers that are combined with them in real_of(t).
constexpr dtype computed_in(dtype t) { return computed_dtype(t); }
constexpr dtype real_of(dtype t) { return real_part(computed_in(t)); }

// leaf_nodes records arithmetic on nodes whose dtypes promote each other.
class leaf_nodes {
public:
    constexpr explicit leaf_nodes(lowering& low) : low_{low} {}

    constexpr dtype type(node_id x) const { return low_.type(x); }
    constexpr node_id as(node_id x, dtype wanted) { return record_cast(low_.scope().recorded, x, wanted); }
    constexpr node_id number(double value, dtype wanted) { return as(low_.literal(value), wanted); }
    TRACEXPR_ONCE constexpr node_id pair(op code, node_id a, node_id b) {
        dtype const common = promote(type(a), type(b));
        return low_.append(code, as(a, common), as(b, common));
    }
    constexpr node_id add(node_id a, node_id b) { return pair(op::add, a, b); }
    constexpr node_id subtract(node_id a, node_id b) { return pair(op::subtract, a, b); }
    constexpr node_id multiply(node_id a, node_id b) { return pair(op::multiply, a, b); }
    constexpr node_id divide(node_id a, node_id b) { return pair(op::divide, a, b); }
    constexpr node_id apply(op code, node_id x) { return low_.append(code, x); }
    constexpr node_id real(node_id x) { return is_complex(type(x)) ? low_.append(op::real, real_part(type(x)), {&x, 1}) : x; }
    constexpr node_id test(op code, node_id a, node_id b) { return low_.test(code, a, as(b, type(a))); }
    // Records the sum of all elements, which are laid out in a row first where types leave their rank open.
    TRACEXPR_ONCE constexpr node_id total(node_id x, bool in_a_row) {
        node_id const row = in_a_row ? low_.reshape(x, attribute_list(-1)) : x;
        return low_.reduce(op::sum, row, every_axis(low_.rank(row)));
    }
    // Records |x|^2.
    TRACEXPR_ONCE constexpr node_id squared_magnitude(node_id x) {
        return is_complex(type(x)) ? real(multiply(x, apply(op::conj, x))) : apply(op::square, x);
    }
    // Records 1 - x of a number, in float64 before it is rounded to the dtype.
    TRACEXPR_ONCE constexpr node_id rest(node_id x, dtype wanted) {
        node const n = low_.scope().recorded[x];
        if (n.code == op::literal && n.type == dtype::float64)
            return number(1.0 - from_literal<double>(n.bits[0], n.bits[1]), wanted);
        return as(subtract(low_.literal(1.0), x), wanted);
    }
    // Casts a leaf's next value to the dtype of the leaf. Throws if it has another shape: now, or, if types leave it open, when a
    // run knows it.
    TRACEXPR_ONCE constexpr node_id next(node_id value, node_id leaf, operand_check const& fits) {
        node_id const both[]{value, leaf};
        if (low_.shape(value) != low_.shape(leaf)) value = record_checked(low_.scope().recorded, value, both, fits);
        return as(value, type(leaf));
    }
    constexpr node_id next(node_id value, node_id leaf) { return next(value, leaf, {"optim: update", update_problem}); }

private:
    TRACEXPR_ONCE static constexpr char const* update_problem(builder_specs given) {
        return may_equal(given[0].shape, given[1].shape)
                   ? nullptr
                   : "the state must be of these parameters, and the learning rate a scalar; the next value would not have the "
                     "shape of the parameter";
    }

    lowering& low_;
};

// Functors whose ops are recorded by Record, which gets the nodes of the operands, and whether types leave the rank of one open
// if it asks for that.
template <auto Record> constexpr node_id record_by(trace_scope& scope, node_id const* operands, bool is_open) {
    lowering low(scope);
    if constexpr (requires { Record(low, operands, is_open); }) return Record(low, operands, is_open);
    else return Record(low, operands);
}
template <auto Record> struct node_recorder : op_recorder {
    constexpr explicit node_recorder(bool is_open) : op_recorder{record_one, is_open} {}
    static constexpr void record_one(op_recorder const& of, trace_scope& scope, node_id const* operands, node_id* results) {
        results[0] = record_by<Record>(scope, operands, of.has_open_rank);
    }
};
template <class... A> inline constexpr bool has_open_rank = ((dims_of_operand<A>.rank < 0) || ...);
template <auto Record> struct node_fn {
    template <class... A> static constexpr node_recorder<Record> recorder{has_open_rank<A...>};
    template <class... A> static constexpr op_recorder const* recorder_for = &recorder<A...>;

protected:
    template <class T, class Shape, class... A> static constexpr expr<T, Shape> recorded(A const&... a) {
        trace_scope& scope = *scope_among(a...);
        node_id const operands[]{record_operand<dtype_of_operand<A>>(scope, a)...};
        return expr<T, Shape>(scope, record_by<Record>(scope, operands, has_open_rank<A...>));
    }
};
// The result is like the first operand.
template <class L, class...> struct first_form {
    using tensor_type = tensor<typename L::value_type, typename L::shape_type>;
};
template <auto Record> struct leaf_fn : node_fn<Record> {
    template <class... A> using result = typename first_form<A...>::tensor_type;
    template <class L, class... A> constexpr auto operator()(L const& like, A const&... more) const {
        return leaf_fn::template recorded<typename L::value_type, typename L::shape_type>(like, more...);
    }
};
// The result is a number of R, whose rank types don't tell if they don't tell that of an operand.
template <auto Record, class R> struct number_fn : node_fn<Record> {
    template <class... A> using shape_of_result = std::conditional_t<has_open_rank<A...>, any_shape, shape<>>;
    template <class... A> using result = tensor<R, shape_of_result<A...>>;
    template <class... A> constexpr auto operator()(A const&... a) const {
        return number_fn::template recorded<R, shape_of_result<A...>>(a...);
    }
};

} // namespace tx::optim::detail
