// This file appends ops to a trace: their operands become nodes of the common dtype, and the shapes of results are inferred as
// far as types or the trace know them.
#pragma once

#include <tracexpr/trace/expr.hpp>

namespace tx::detail {

[[noreturn]] TRACEXPR_ONCE void throw_unfit_scalar(std::string_view called, std::string const& value, dtype type) {
    throw type_error("tx: " + std::string(called) + ": a C++ integer must be a value of the dtype that it meets; given " + value +
                     " for " + std::string(name(type)) + "; cast the tensor to a wider dtype first");
}
[[noreturn]] TRACEXPR_ONCE void throw_unfit_scalar(std::string_view called, std::int64_t value, dtype type) {
    throw_unfit_scalar(called, std::to_string(value), type);
}
[[noreturn]] TRACEXPR_ONCE void throw_unfit_scalar(std::string_view called, std::uint64_t value, dtype type) {
    throw_unfit_scalar(called, std::to_string(value), type);
}

// Is it a C++ integer that an op with dtype Met can be given, but whose value that dtype may lack?
template <dtype Met, class A> inline constexpr bool may_not_fit = false;
template <dtype Met, scalar_type A> inline constexpr bool may_not_fit<Met, A> =
    is_integer(Met) && is_integer(dtype_of<A>) && promote(Met, dtype_of<A>) != Met;
template <dtype Met, class A> constexpr bool is_value_of(A value) {
    return std::in_range<ctype<Met>>(static_cast<canonical<A>>(value));
}

// Throws for a C++ integer that would wrap when it is converted to dtype Met.
template <dtype Met, class A> constexpr void check_scalar(std::string_view called, A const& a) {
    if constexpr (may_not_fit<Met, A>)
        if (!is_value_of<Met>(a)) throw_unfit_scalar(called, widest(a), Met);
}

// Gives the node of an operand, cast to dtype To.
template <dtype To, class A> constexpr node_id record_operand(trace_scope& scope, A const& a) {
    static_assert((traits<A>::type == dtype::string) == (To == dtype::string),
                  "tx: strings are not cast to numbers, nor numbers to strings");
    if constexpr (scalar_type<A>) {
        std::uint64_t given[words_of(dtype_of<A>)]{}, words[words_of(To)]{};
        to_words(static_cast<canonical<A>>(a), given);
        cast_words(given, dtype_of<A>, words, To);
        return record_element<To>(scope.recorded, words);
    } else if constexpr (tensor_type<A>) {
        return record_cast(scope.recorded, record_tensor(scope, a), To);
    } else if constexpr (variable_type<A>) {
        return record_cast(scope.recorded, a.record(scope).id(), To);
    } else {
        if constexpr (dtype_of<typename A::value_type> == To) return a.id_in(scope);
        else return record_cast(scope.recorded, a.id_in(scope), To);
    }
}

// Infers the shape of an op's result from what the trace knows of its operands.
TRACEXPR_ONCE constexpr dims inferred_shape(graph const& g, op code, table_view<node_id> operands,
                                            table_view<std::int64_t> attributes) {
    dims shapes[16];
    buffer<dims> many;
    table_view<dims> given{shapes, operands.size()};
    if (operands.size() > 16) {
        for (node_id id : operands) many.push_back(g.shape_of(id));
        given = many;
    } else {
        for (std::size_t k = 0; k < operands.size(); ++k) shapes[k] = g.shape_of(operands[k]);
    }
    return infer_or_throw(code, dims{}, given, attributes);
}

TRACEXPR_ONCE constexpr bool may_broadcast_to(dims const& d, dims const& all) {
    bool fits = d.rank <= all.rank;
    for (int axis = 0; fits && axis < d.rank; ++axis) {
        std::int64_t const extent = d[axis], wanted = all[axis + all.rank - d.rank];
        fits = extent == 1 || extent == dyn || wanted == dyn || extent == wanted;
    }
    return fits;
}

// Appends an op whose result's type shows the shape `typed`. Extents that it leaves open are inferred now; in constant evaluation
// traces know no more than types do, so only ranks are inferred, except in a trace of constants.
TRACEXPR_ONCE constexpr node_id record_node_here(trace_scope& scope, op code, dtype type, dims const& typed,
                                                 table_view<node_id> operands, attribute_span attributes, literal_bits bits) {
    graph& g = scope.recorded;
    if (!typed.is_static() && (typed.rank < 0 || !__builtin_is_constant_evaluated() || scope.is_of_constants))
        return g.append(code, type, known_extents(typed, inferred_shape(g, code, operands, attributes)), operands, attributes,
                        bits);
    // The type of a constant may leave extents open that the constant has, so a misfit may be found only here.
    for (node_id const id : operands)
        if (info(code).kind == kind::pointwise && !may_broadcast_to(g.shape_of(id), typed))
            static_cast<void>(inferred_shape(g, code, operands, attributes)); // throws
    return g.append(code, type, typed, operands, attributes, bits);
}
TRACEXPR_HERE_OR_ONCE(node_id, record_node, record_node_here,
                      (trace_scope & scope, op code, dtype type, dims const& typed, table_view<node_id> operands,
                       attribute_span attributes, literal_bits bits),
                      (scope, code, type, typed, operands, attributes, bits))
template <class Result> constexpr Result record(trace_scope& scope, op code, table_view<node_id> operands,
                                                table_view<std::int64_t> attributes = {}, literal_bits bits = {}) {
    constexpr dtype type = dtype_of<typename Result::value_type>;
    return Result(scope, record_node(scope, code, type, Result::static_dims(), operands, attributes, bits));
}

} // namespace tx::detail
